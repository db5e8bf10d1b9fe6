package ratestore

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// DefaultBound is the default memory for counts, in bytes. A client with a single request takes 104
// bytes, so 1.2 million of them fit. A client with requests in every second of a minute takes 856
// bytes, so 150,000 of them fit.
const DefaultBound = 128 << 20

// Memory counts requests over the last 60 seconds in memory.
//
// When memory is full, it evicts expired counts first, then those of the client that was used least
// recently. An evicted client starts with its whole allowance again, so eviction only ever grants
// more requests. To force evictions, an attacker needs 1.2 million clients within a minute, each of
// which has an allowance anyway.
//
// In a cache of hashicorp/golang-lru, a client would take more than twice the memory.
type Memory struct {
	seed  maphash.Seed
	bound int64 // bytes
	now   func() time.Time
	start time.Time // times are durations since start, on the monotonic clock

	mu      sync.Mutex
	clients map[uint64]*client // by hash of the key
	// list is the head of a ring of clients in order of last use: list.older is the most recently
	// used client, and list.newer the least recently used one.
	list      client
	bytes     int64
	evictions uint64
	latest    time.Duration // the latest time seen
}

// NewMemory returns a store that uses about bound bytes; 0 means DefaultBound. now is the clock;
// nil means time.Now.
func NewMemory(bound int64, now func() time.Time) *Memory {
	bound = cmp.Or(bound, DefaultBound)
	if now == nil {
		now = time.Now
	}
	m := &Memory{
		seed: maphash.MakeSeed(), bound: bound, now: now, start: now(), clients: map[uint64]*client{},
	}
	m.list.older, m.list.newer = &m.list, &m.list
	return m
}

// Take implements Store. It does not block.
func (m *Memory) Take(_ context.Context, k Key, limit int) Verdict {
	v, _ := m.reserve(k, limit, m.elapsed())
	return v
}

// elapsed returns the time since the store was made.
func (m *Memory) elapsed() time.Duration { return m.now().Sub(m.start) }

// reserve decides on a request, and counts it if it is allowed. It also returns the time at which
// the request was counted. This never goes back, even if requests arrive out of order.
func (m *Memory) reserve(k Key, limit int, now time.Duration) (Verdict, time.Duration) {
	hash := m.hash(k)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest = max(m.latest, now)
	c := m.use(hash)
	c.advance(m.latest)
	total := c.total()
	allowed := total < limit
	if allowed {
		before := c.bytes()
		c.count(m.latest)
		m.bytes += c.bytes() - before
		for m.bytes > m.bound && m.list.newer != c {
			m.evict()
		}
		total++
	}
	return Verdict{allowed, max(0, limit-total), c.untilFree(m.latest)}, m.latest
}

// release removes a request that was counted at the given time.
func (m *Memory) release(k Key, at time.Duration) {
	hash := m.hash(k)
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.clients[hash]; c != nil {
		c.release(at)
	}
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	clients := int64(len(m.clients))
	return Stats{State: InMemory, Clients: clients, Bytes: m.bytes, Bound: m.bound, Evictions: m.evictions}
}

// hash returns the hash of a key, which is stored instead of the key: the chance that any two of a
// million keys have the same hash is one in 30 million. The seed is secret, so nobody can choose
// addresses with the same hash.
func (m *Memory) hash(k Key) uint64 { return maphash.Comparable(m.seed, k) }

// expiryChecks is how many of the least recently used clients are checked for expiry when a client
// is added. With more than one, expired clients are removed faster than new ones arrive. The order
// of use is nearly the order of expiry: the two differ only after refused requests.
const expiryChecks = 4

// use returns the client with a hash, and marks it as the most recently used. It adds the client if
// there is none.
func (m *Memory) use(hash uint64) *client {
	c := m.clients[hash]
	if c != nil {
		c.unlink()
	} else {
		oldest := m.list.newer
		for checked := 0; checked < expiryChecks && oldest != &m.list; checked++ {
			newer := oldest.newer
			if oldest.expired(m.latest) {
				m.remove(oldest)
			}
			oldest = newer
		}
		c = &client{hash: hash}
		m.clients[hash] = c
		m.bytes += c.bytes()
	}
	c.older, c.newer = m.list.older, &m.list
	c.older.newer, c.newer.older = c, c
	return c
}

// evict removes the least recently used client.
func (m *Memory) evict() {
	c := m.list.newer
	if !c.expired(m.latest) {
		m.evictions++
	}
	m.remove(c)
}

func (m *Memory) remove(c *client) {
	c.unlink()
	delete(m.clients, c.hash)
	m.bytes -= c.bytes()
}

// client holds the counts of one key.
type client struct {
	hash         uint64
	newer, older *client // neighbours by last use
	slots        []slot  // seconds with requests, oldest first; at most 61
}

// slot counts the requests of one second. They leave the window together, when the last of them
// does, so a request counts for up to a second too long, but never too short.
type slot struct {
	second   uint32 // since the store was made; enough for a century
	last     uint32 // time of the last request, in nanoseconds from the start of the second
	requests uint32
}

// clientBytes is the memory of a client without its slots. Its place in the map takes 17
// bytes, and maps are between seven sixteenths and seven eighths full.
const clientBytes = int64(unsafe.Sizeof(client{})) + 40

// bytes returns the memory of the client. The capacity of slots is a power of two, which Go
// allocates without waste except for 1.
func (c *client) bytes() int64 {
	if cap(c.slots) == 1 {
		return clientBytes + 16
	}
	return clientBytes + int64(cap(c.slots))*int64(unsafe.Sizeof(slot{}))
}

func (c *client) unlink() { c.newer.older, c.older.newer = c.older, c.newer }

// secondOf returns the whole seconds of a time since the store was made.
func secondOf(d time.Duration) uint32 { return uint32(d / time.Second) } // no process runs for a century

// end returns the time of the last request of the slot.
func (s *slot) end() time.Duration {
	return time.Duration(s.second)*time.Second + time.Duration(s.last)
}

// advance removes the requests that have left the window, including those of exactly 60 seconds
// ago.
func (c *client) advance(now time.Duration) {
	expired := 0
	for expired < len(c.slots) && c.slots[expired].end() <= now-Window {
		expired++
	}
	c.slots = slices.Delete(c.slots, 0, expired)
}

// expired reports whether the client has no requests in the window.
func (c *client) expired(now time.Duration) bool {
	return len(c.slots) == 0 || c.slots[len(c.slots)-1].end() <= now-Window
}

// total returns the number of requests in all slots.
func (c *client) total() (n int) {
	for i := range c.slots {
		n += int(c.slots[i].requests)
	}
	return n
}

func (c *client) count(now time.Duration) {
	if len(c.slots) == 0 || c.slots[len(c.slots)-1].second != secondOf(now) {
		c.slots = append(c.slots, slot{second: secondOf(now)})
	}
	s := &c.slots[len(c.slots)-1]
	s.requests++
	s.last = uint32(now % time.Second) // below 10^9
}

// release removes a request that was counted in the same second as at, if there still is one.
func (c *client) release(at time.Duration) {
	i := slices.IndexFunc(c.slots, func(s slot) bool { return s.second == secondOf(at) })
	if i < 0 {
		return
	}
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
