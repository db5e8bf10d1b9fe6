package ratestore

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// DefaultBound is how many bytes of counts are kept unless something else is
// asked for. At 88 bytes for a client that asked once, it holds the counts of
// 1.5 million such clients; a client that asks in each second of a minute takes
// 840 bytes, and 160,000 of those fit.
const DefaultBound = 128 << 20

// shardCount spreads clients over locks, so that cores do not wait for each other.
const shardCount = 16

// Memory counts the requests of clients in the last 60 seconds, in memory.
//
// Where there is no room for a client, counts that have expired are given up
// first, then those of the client that was used least recently. Such a client
// has its whole allowance again: to be forgotten can only be to its good. Nobody
// gains by bringing it about: it takes a million and a half other clients, each
// with an allowance of its own, within a minute.
//
// It has its own table and list of clients because they hold a million clients within
// DefaultBound: with hashicorp/golang-lru a client takes 227 bytes.
//
// Memory that was needed once for a client is kept for the clients to come; what
// its counts in the seconds of a minute took is free for any.
type Memory struct {
	seed   maphash.Seed
	bound  int64
	now    func() time.Time
	start  time.Time // times are told from here, on the monotonic clock
	shards [shardCount]shard
}

// NewMemory returns a store that keeps counts in at most bound bytes, give or
// take how clients fall on its 16 shards; 0 is DefaultBound. Time is what now
// tells; nil is time.Now.
func NewMemory(bound int64, now func() time.Time) *Memory {
	if bound <= 0 {
		bound = DefaultBound
	}
	if now == nil {
		now = time.Now
	}
	m := &Memory{seed: maphash.MakeSeed(), bound: bound, now: now, start: now()}
	for i := range m.shards {
		m.shards[i].most = bound / shardCount
	}
	return m
}

// Take implements Store. It waits for nothing.
func (m *Memory) Take(_ context.Context, p Payer, limit int) Verdict {
	return m.take(p, limit, m.elapsed())
}

// elapsed returns the time since the store was made.
func (m *Memory) elapsed() time.Duration { return m.now().Sub(m.start) }

func (m *Memory) take(p Payer, limit int, now time.Duration) Verdict {
	v, _ := m.reserve(p, limit, now)
	return v
}

// reserve is take, and returns the time at which the request counts.
func (m *Memory) reserve(p Payer, limit int, now time.Duration) (Verdict, time.Duration) {
	s, hash := m.shardOf(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.count(p, hash, limit, now)
	return v, s.now
}

// giveBack uncounts a request that counts at that time.
func (m *Memory) giveBack(p Payer, at time.Duration) {
	s, hash := m.shardOf(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(p, hash); i != 0 {
		s.at(i).giveBack(at)
	}
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	stats := Stats{State: InMemory, Bound: m.bound}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		stats.Clients += int64(s.known)
		stats.Bytes += s.bytes
		stats.Evictions += s.evictions
		s.mu.Unlock()
	}
	return stats
}

// shardOf returns the shard of a payer, and the hash by which the shard finds it.
// The seed is this process's secret: nobody can choose addresses that fall on
// one shard or into one chain.
func (m *Memory) shardOf(p Payer) (*shard, uint32) {
	h := maphash.Comparable(m.seed, p)
	return &m.shards[h%shardCount], uint32(h >> 32)
}

// shard keeps the counts of some of the clients.
//
// Clients lie in chunks, and refer to each other by number, which takes half the
// room of pointers. Number 0 is no client, but the ring of all of them by use: its
// older neighbour is the newest, its newer one the oldest.
type shard struct {
	mu     sync.Mutex
	chunks [][]client
	used   uint32   // clients in chunks, the ring and those in the list of free ones included
	free   uint32   // the first of those that can be used again, chained
	heads  []uint32 // the first of each chain of clients whose hashes end alike
	mask   uint32   // what of a hash tells its head: the number of heads less one
	known  int      // clients that are kept

	bytes, most int64 // taken, and allowed
	evictions   uint64
	now         time.Duration // the latest time told
}

// chunkLength is how many clients are made room for at once: 32 KiB, the least
// for which Go takes no byte more.
const chunkLength = 512

// clientBytes is what a client takes without its slots: itself and its part of
// the heads, which double when there are as many clients as heads, so that there
// are at most two to a client.
const clientBytes = int64(unsafe.Sizeof(client{})) + 2*int64(unsafe.Sizeof(uint32(0)))

func (s *shard) at(i uint32) *client { return &s.chunks[i/chunkLength][i%chunkLength] }

// count decides on one request, and counts it if it is allowed. Requests may
// overtake each other on their way here: time never goes back.
func (s *shard) count(p Payer, hash uint32, limit int, now time.Duration) Verdict {
	s.now = max(s.now, now)
	now = s.now
	i := s.find(p, hash)
	if i == 0 {
		i = s.add(p, hash)
	} else {
		s.unlink(i)
		s.link(i)
	}
	c := s.at(i)
	c.advance(now)
	allowed := int64(c.total) < int64(limit)
	if allowed {
		if !c.inLastSlot(now) && len(c.slots) == cap(c.slots) {
			s.grow(i)
		}
		c.count(now)
	}
	return Verdict{allowed, int(max(0, int64(limit)-int64(c.total))), c.untilFree(now)}
}

// find returns the number of a payer's client, or 0.
func (s *shard) find(p Payer, hash uint32) uint32 {
	if len(s.heads) == 0 {
		return 0
	}
	i := s.heads[hash&s.mask]
	for i != 0 && s.at(i).payer != p {
		i = s.at(i).chained
	}
	return i
}

// lookBack is how many of the least recently used clients are asked whether they
// have expired, for each new one: so many that the expired go faster than new
// ones come. The first nearly always has, if any: only one that was refused
// since is used later than it counts.
const lookBack = 4

// add returns the number of a new client, the most recently used.
func (s *shard) add(p Payer, hash uint32) uint32 {
	if s.used == 0 {
		s.makeRoom() // for the ring
		s.used = 1
	}
	i := s.at(0).newer
	for looked := 0; looked < lookBack && i != 0; looked++ {
		newer := s.at(i).newer
		if s.at(i).expired(s.now) {
			s.remove(i)
		}
		i = newer
	}
	// A client that is forgotten leaves its place to this one, but its slots are
	// gone, and take part of what another one grows by.
	for s.known > 0 && s.bytes+s.bytesOfNew() > s.most {
		s.evict()
	}
	if i = s.free; i != 0 {
		s.free = s.at(i).chained
	} else {
		s.makeRoom()
		i = s.used
		s.used++
		s.bytes += clientBytes
	}
	if s.known == len(s.heads) {
		s.rehash()
	}
	head := &s.heads[hash&s.mask]
	*s.at(i) = client{payer: p, hash: hash, chained: *head, slots: make([]slot, 0, 1)}
	*head = i
	s.bytes += slotBytes(1)
	s.known++
	s.link(i)
	return i
}

func (s *shard) bytesOfNew() int64 {
	if s.free != 0 {
		return slotBytes(1)
	}
	return clientBytes + slotBytes(1)
}

// makeRoom makes sure that there is a chunk for the next client.
func (s *shard) makeRoom() {
	if int(s.used/chunkLength) == len(s.chunks) {
		s.chunks = append(s.chunks, make([]client, chunkLength))
	}
}

// rehash doubles the heads, and sorts the clients under them anew.
func (s *shard) rehash() {
	s.mask = 2*s.mask + 1
	s.heads = make([]uint32, s.mask+1)
	for i := s.at(0).newer; i != 0; i = s.at(i).newer {
		c := s.at(i)
		head := &s.heads[c.hash&s.mask]
		c.chained, *head = *head, i
	}
}

// grow doubles the slots of a client that was used last, if need be in the place
// of other clients.
func (s *shard) grow(i uint32) {
	c := s.at(i)
	length := max(1, 2*cap(c.slots))
	more := slotBytes(length) - slotBytes(cap(c.slots))
	for s.known > 1 && s.bytes+more > s.most {
		s.evict()
	}
	c.slots = append(make([]slot, 0, length), c.slots...)
	s.bytes += more
}

// evict gives up the client that was used least recently.
func (s *shard) evict() {
	i := s.at(0).newer
	if !s.at(i).expired(s.now) {
		s.evictions++
	}
	s.remove(i)
}

// remove forgets a client, whose place another one can take.
func (s *shard) remove(i uint32) {
	c := s.at(i)
	s.unlink(i)
	link := &s.heads[c.hash&s.mask]
	for *link != i {
		link = &s.at(*link).chained
	}
	*link = c.chained
	s.bytes -= slotBytes(cap(c.slots))
	s.known--
	*c = client{chained: s.free}
	s.free = i
}

// link makes a client the most recently used.
func (s *shard) link(i uint32) {
	c, ring := s.at(i), s.at(0)
	c.older, c.newer = ring.older, 0
	s.at(c.older).newer = i
	ring.older = i
}

func (s *shard) unlink(i uint32) {
	c := s.at(i)
	s.at(c.newer).older, s.at(c.older).newer = c.older, c.newer
}

// client holds the requests of one payer. It is one cache line.
type client struct {
	payer        Payer
	hash         uint32 // what chains the client under a head
	chained      uint32 // the next in that chain, or in the list of free ones
	newer, older uint32 // neighbours by use
	total        uint32 // requests of all slots
	slots        []slot // those that hold requests, oldest first; at most 61
}

// slot holds the requests of one second. All of them leave the window with the
// last: a request counts for up to a second too long, never too short.
type slot struct {
	second   uint32 // since the store was made: enough for a century
	last     uint32 // nanoseconds from the start of the second to the last of them
	requests uint32
}

// slotBytes is what a slice of slots takes: lengths are powers of two, for which
// Go has sizes of memory but for the first.
func slotBytes(length int) int64 {
	if length == 1 {
		return 16
	}
	return int64(length) * int64(unsafe.Sizeof(slot{}))
}

// secondOf returns the second that a time since the store was made lies in.
func secondOf(d time.Duration) uint32 { return uint32(d / time.Second) } // no process runs for a century

// end returns when the last request of the slot came.
func (s *slot) end() time.Duration {
	return time.Duration(s.second)*time.Second + time.Duration(s.last)
}

// advance forgets what has left the window that ends now. The window does not
// hold its own beginning: what came exactly 60 seconds ago is outside.
func (c *client) advance(now time.Duration) {
	gone := 0
	for gone < len(c.slots) && c.slots[gone].end() <= now-Window {
		c.total -= c.slots[gone].requests
		gone++
	}
	if gone > 0 {
		c.slots = c.slots[:copy(c.slots, c.slots[gone:])]
	}
}

// expired tells that nothing counts any more.
func (c *client) expired(now time.Duration) bool {
	return len(c.slots) == 0 || c.slots[len(c.slots)-1].end() <= now-Window
}

// inLastSlot tells that a request of now needs no slot of its own.
func (c *client) inLastSlot(now time.Duration) bool {
	return len(c.slots) > 0 && c.slots[len(c.slots)-1].second == secondOf(now)
}

func (c *client) count(now time.Duration) {
	if !c.inLastSlot(now) {
		c.slots = append(c.slots, slot{second: secondOf(now)})
	}
	s := &c.slots[len(c.slots)-1]
	s.requests++
	s.last = uint32(now % time.Second) // below 10^9
	c.total++
}

// giveBack uncounts a request of that time, if one is still counted.
func (c *client) giveBack(at time.Duration) {
	i := slices.IndexFunc(c.slots, func(s slot) bool { return s.second == secondOf(at) })
	if i < 0 {
		return
	}
	c.total--
	if c.slots[i].requests--; c.slots[i].requests == 0 {
		c.slots = slices.Delete(c.slots, i, i+1)
	}
}

// untilFree returns in how many seconds, rounded up, the oldest requests leave
// the window; 1 where there are none.
func (c *client) untilFree(now time.Duration) int {
	if len(c.slots) == 0 {
		return 1
	}
	wait := c.slots[0].end() + Window - now
	return max(1, int((wait+time.Second-1)/time.Second))
}
