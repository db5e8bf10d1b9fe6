package ratestore

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// DefaultBound is the default memory for counts, in bytes. A client that asked once takes
// 88 bytes, so that 1.5 million of them fit. A client that asks in each second of a minute
// takes 840 bytes, so that 160,000 of them fit.
const DefaultBound = 128 << 20

// shardCount is the number of locks. Several of them keep cores from waiting for each other.
const shardCount = 16

// Memory counts requests over the last 60 seconds in memory.
//
// When memory is full, it evicts expired counts first, then those of the client that was
// used least recently. An evicted client starts with its whole allowance again, so
// eviction only ever grants more requests. To force it, an attacker needs 1.5 million
// clients within a minute, each of which has an allowance anyway.
//
// It has its own table because that holds a million clients within DefaultBound: with
// hashicorp/golang-lru, a client takes 227 bytes.
//
// Memory of evicted clients is used again for other clients, and that of their slots is
// freed.
type Memory struct {
	seed   maphash.Seed
	bound  int64
	now    func() time.Time
	start  time.Time // times are durations since start, on the monotonic clock
	shards [shardCount]shard
}

// NewMemory returns a store that uses about bound bytes; 0 is DefaultBound. now is the
// clock; nil is time.Now.
func NewMemory(bound int64, now func() time.Time) *Memory {
	if bound <= 0 {
		bound = DefaultBound
	}
	if now == nil {
		now = time.Now
	}
	m := &Memory{seed: maphash.MakeSeed(), bound: bound, now: now, start: now()}
	for i := range m.shards {
		m.shards[i].maxBytes = bound / shardCount
	}
	return m
}

// Take implements Store. It does not block.
func (m *Memory) Take(_ context.Context, k Key, limit int) Verdict {
	return m.take(k, limit, m.elapsed())
}

// elapsed returns the time since the store was made.
func (m *Memory) elapsed() time.Duration { return m.now().Sub(m.start) }

func (m *Memory) take(k Key, limit int, now time.Duration) Verdict {
	v, _ := m.reserve(k, limit, now)
	return v
}

// reserve does what take does, and also returns the time at which the request counts.
func (m *Memory) reserve(k Key, limit int, now time.Duration) (Verdict, time.Duration) {
	s, hash := m.shardOf(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.count(k, hash, limit, now)
	return v, s.now
}

// release removes a request that was counted at a time.
func (m *Memory) release(k Key, at time.Duration) {
	s, hash := m.shardOf(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(k, hash); i != 0 {
		s.client(i).release(at)
	}
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	stats := Stats{State: InMemory, Bound: m.bound}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		stats.Clients += int64(s.live)
		stats.Bytes += s.bytes
		stats.Evictions += s.evictions
		s.mu.Unlock()
	}
	return stats
}

// shardOf returns the shard of a key, and its hash in that shard. The seed is a secret of
// this process, so nobody can choose addresses that share a shard or a bucket.
func (m *Memory) shardOf(k Key) (*shard, uint32) {
	h := maphash.Comparable(m.seed, k)
	return &m.shards[h%shardCount], uint32(h >> 32)
}

// shard has the counts of some clients: a hash table with chaining, and a list of clients
// by last use.
//
// Clients lie in chunks and refer to each other by number, which takes half the memory of
// pointers. Client 0 is the head of the list: its older neighbour is the client that was
// used last, its newer one the client that was used least recently.
type shard struct {
	mu      sync.Mutex
	chunks  [][]client
	used    uint32   // clients in chunks, with the head of the list and free ones
	free    uint32   // the first free client; the others follow by next
	buckets []uint32 // the first client of each bucket of the hash table
	mask    uint32   // number of buckets - 1
	live    int      // clients with counts

	bytes, maxBytes int64
	evictions       uint64
	now             time.Duration // the latest time seen
}

// chunkLength is the number of clients in a chunk: 32 KiB, the smallest size for which Go
// wastes no memory.
const chunkLength = 512

// clientBytes is the memory of a client without its slots: the client and up to two
// buckets, whose number doubles when there are as many clients.
const clientBytes = int64(unsafe.Sizeof(client{})) + 2*int64(unsafe.Sizeof(uint32(0)))

func (s *shard) client(i uint32) *client { return &s.chunks[i/chunkLength][i%chunkLength] }

// count decides on a request, and counts it if it is allowed. Requests may arrive out of
// order, so the time of the shard never goes back.
func (s *shard) count(k Key, hash uint32, limit int, now time.Duration) Verdict {
	s.now = max(s.now, now)
	now = s.now
	i := s.find(k, hash)
	if i == 0 {
		i = s.add(k, hash)
	} else {
		s.unlink(i)
		s.link(i)
	}
	c := s.client(i)
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

// find returns the number of the client of a key, or 0.
func (s *shard) find(k Key, hash uint32) uint32 {
	if len(s.buckets) == 0 {
		return 0
	}
	i := s.buckets[hash&s.mask]
	for i != 0 && s.client(i).key != k {
		i = s.client(i).next
	}
	return i
}

// expiryChecks is how many of the least recently used clients are checked for expiry when
// a client is added. With more than one, expired clients go faster than new ones come.
// The order by use is nearly the order of expiry: they differ only after refused requests.
const expiryChecks = 4

// add adds a client as the most recently used, and returns its number.
func (s *shard) add(k Key, hash uint32) uint32 {
	if s.used == 0 {
		s.ensureChunk() // for the head of the list
		s.used = 1
	}
	i := s.client(0).newer
	for checked := 0; checked < expiryChecks && i != 0; checked++ {
		newer := s.client(i).newer
		if s.client(i).expired(s.now) {
			s.remove(i)
		}
		i = newer
	}
	// The new client takes the place of an evicted one. The slots of the evicted client are
	// freed.
	for s.live > 0 && s.bytes+s.newClientBytes() > s.maxBytes {
		s.evict()
	}
	if i = s.free; i != 0 {
		s.free = s.client(i).next
	} else {
		s.ensureChunk()
		i = s.used
		s.used++
		s.bytes += clientBytes
	}
	if s.live == len(s.buckets) {
		s.rehash()
	}
	first := &s.buckets[hash&s.mask]
	*s.client(i) = client{key: k, hash: hash, next: *first, slots: make([]slot, 0, 1)}
	*first = i
	s.bytes += slotBytes(1)
	s.live++
	s.link(i)
	return i
}

func (s *shard) newClientBytes() int64 {
	if s.free != 0 {
		return slotBytes(1)
	}
	return clientBytes + slotBytes(1)
}

// ensureChunk adds a chunk if the last one is full.
func (s *shard) ensureChunk() {
	if int(s.used/chunkLength) == len(s.chunks) {
		s.chunks = append(s.chunks, make([]client, chunkLength))
	}
}

// rehash doubles the number of buckets.
func (s *shard) rehash() {
	s.mask = 2*s.mask + 1
	s.buckets = make([]uint32, s.mask+1)
	for i := s.client(0).newer; i != 0; i = s.client(i).newer {
		c := s.client(i)
		first := &s.buckets[c.hash&s.mask]
		c.next, *first = *first, i
	}
}

// grow doubles the slots of the most recently used client. It evicts other clients if
// memory is full.
func (s *shard) grow(i uint32) {
	c := s.client(i)
	length := max(1, 2*cap(c.slots))
	more := slotBytes(length) - slotBytes(cap(c.slots))
	for s.live > 1 && s.bytes+more > s.maxBytes {
		s.evict()
	}
	c.slots = append(make([]slot, 0, length), c.slots...)
	s.bytes += more
}

// evict removes the least recently used client.
func (s *shard) evict() {
	i := s.client(0).newer
	if !s.client(i).expired(s.now) {
		s.evictions++
	}
	s.remove(i)
}

// remove removes a client and adds its place to the free ones.
func (s *shard) remove(i uint32) {
	c := s.client(i)
	s.unlink(i)
	link := &s.buckets[c.hash&s.mask]
	for *link != i {
		link = &s.client(*link).next
	}
	*link = c.next
	s.bytes -= slotBytes(cap(c.slots))
	s.live--
	*c = client{next: s.free}
	s.free = i
}

// link makes a client the most recently used.
func (s *shard) link(i uint32) {
	c, list := s.client(i), s.client(0)
	c.older, c.newer = list.older, 0
	s.client(c.older).newer = i
	list.older = i
}

func (s *shard) unlink(i uint32) {
	c := s.client(i)
	s.client(c.newer).older, s.client(c.older).newer = c.older, c.newer
}

// client has the requests of one key. It fits into a cache line.
type client struct {
	key          Key
	hash         uint32
	next         uint32 // in its bucket, or among the free ones
	newer, older uint32 // neighbours by last use
	total        uint32 // requests in all slots
	slots        []slot // seconds with requests, oldest first; at most 61
}

// slot has the requests of one second. They leave the window together, with the last of
// them: a request counts for up to a second too long, never too short.
type slot struct {
	second   uint32 // since the store was made; lasts for a century
	last     uint32 // time of the last request, in nanoseconds from the start of the second
	requests uint32
}

// slotBytes returns the memory of a slice of slots. Lengths are powers of two, which Go
// allocates without waste but for 1.
func slotBytes(length int) int64 {
	if length == 1 {
		return 16
	}
	return int64(length) * int64(unsafe.Sizeof(slot{}))
}

// secondOf returns the whole seconds of a time since the store was made.
func secondOf(d time.Duration) uint32 { return uint32(d / time.Second) } // no process runs for a century

// end returns the time of the last request of the slot.
func (s *slot) end() time.Duration {
	return time.Duration(s.second)*time.Second + time.Duration(s.last)
}

// advance removes the requests that have left the window, those of exactly 60 seconds ago
// included.
func (c *client) advance(now time.Duration) {
	expired := 0
	for expired < len(c.slots) && c.slots[expired].end() <= now-Window {
		c.total -= c.slots[expired].requests
		expired++
	}
	if expired > 0 {
		c.slots = c.slots[:copy(c.slots, c.slots[expired:])]
	}
}

// expired reports whether the client has no requests in the window.
func (c *client) expired(now time.Duration) bool {
	return len(c.slots) == 0 || c.slots[len(c.slots)-1].end() <= now-Window
}

// inLastSlot reports whether a request of now belongs to the last slot.
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

// release removes a request of a time, if one is still counted.
func (c *client) release(at time.Duration) {
	i := slices.IndexFunc(c.slots, func(s slot) bool { return s.second == secondOf(at) })
	if i < 0 {
		return
	}
	c.total--
	if c.slots[i].requests--; c.slots[i].requests == 0 {
		c.slots = slices.Delete(c.slots, i, i+1)
	}
}

// untilFree returns the seconds, rounded up, until the oldest requests leave the window, or
// 1 if there are none.
func (c *client) untilFree(now time.Duration) int {
	if len(c.slots) == 0 {
		return 1
	}
	wait := c.slots[0].end() + Window - now
	return max(1, int((wait+time.Second-1)/time.Second))
}
