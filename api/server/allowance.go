package server

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// window is the time that an allowance is for (spec 8, contract 6).
const window = 60 * time.Second

// slots is how many one-second slots a client's counts need. A window that ends
// within a second also begins within one: 59 whole seconds and two parts of
// seconds, 61 slots. With 60, the second in which the window begins would
// already be forgotten, and a burst late in it could be repeated 59.1 seconds
// later.
const slots = int64(window/time.Second) + 1

// maxClients bounds how many clients' counts are kept, at about 600 bytes each:
// 40 MB if that many clients come within a minute.
const maxClients = 1 << 16

// shardCount spreads clients over locks, so that cores do not wait for each other.
const shardCount = 16

// payer is whom requests are counted for: a client under a policy.
type payer struct {
	address [16]byte // the client's, IPv4 mapped into IPv6; zero where all share
	policy  policy
}

func newPayer(p policy, client netip.Addr) payer {
	if !client.IsValid() {
		return payer{policy: p}
	}
	return payer{client.As16(), p}
}

// verdict is what an allowance says to one request.
type verdict struct {
	allowed bool
	left    int // requests that would be allowed now
	// reset is in how many seconds, at least 1 and at most 60, one is free or
	// more become free.
	reset int
}

// allowances counts the requests of clients in the last 60 seconds, in memory.
type allowances struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

// newAllowances keeps the counts of at most that many clients, give or take
// their distribution over the shards.
func newAllowances(clients int) *allowances {
	a := &allowances{seed: maphash.MakeSeed()}
	for i := range a.shards {
		s := &a.shards[i]
		s.counts = map[payer]*counts{}
		s.most = max(1, clients/shardCount)
		s.ends.newer, s.ends.older = &s.ends, &s.ends
	}
	return a
}

// take asks for one request at a time since some fixed start, and counts it if
// it is allowed: of requests in any 60 seconds, at most limit are. A request
// that is refused does not count, so that a client that keeps asking is served
// again.
func (a *allowances) take(p payer, limit int, now time.Duration) verdict {
	s := &a.shards[maphash.Comparable(a.seed, p)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(p, now)
	now = c.advance(now)
	allowed := c.total < limit
	if allowed {
		c.count(now)
	}
	return verdict{allowed, max(0, limit-c.total), c.untilFree(now)}
}

// shard keeps the counts of some of the clients.
type shard struct {
	mu     sync.Mutex
	counts map[payer]*counts
	most   int
	// evictions counts payers that made room for others before they had expired.
	evictions uint64
	ends      counts // the ring of counts by use: ends.older is the newest, ends.newer the oldest
}

// find returns the counts of a payer as the most recently used. Those of a new
// payer take the place of expired ones; where there are none and no room, of
// the least recently used.
func (s *shard) find(p payer, now time.Duration) *counts {
	c, known := s.counts[p]
	if !known {
		if c = s.expired(now); c == nil && len(s.counts) >= s.most {
			c = s.ends.newer
			s.evictions++
		}
		if c == nil {
			c = &counts{}
		} else {
			delete(s.counts, c.payer)
			c.unlink()
			*c = counts{}
		}
		c.payer = p
		s.counts[p] = c
	} else {
		c.unlink()
	}
	c.older, c.newer = s.ends.older, &s.ends
	c.older.newer, c.newer.older = c, c
	return c
}

// lookBack is how many of the least recently used are asked whether they have
// expired. The first nearly always has, if any: only one that was refused since
// is used later than it counts.
const lookBack = 4

func (s *shard) expired(now time.Duration) *counts {
	c := s.ends.newer
	for range lookBack {
		if c == &s.ends {
			return nil
		}
		if now-c.counted >= window {
			return c
		}
		c = c.newer
	}
	return nil
}

// counts are the requests of one payer, by the second in which they came.
type counts struct {
	payer        payer
	newer, older *counts // neighbours by use

	latest  time.Duration // of the times that advance was told
	counted time.Duration // when a request was counted last
	total   int           // of all slots
	slots   [slots]slot   // at second modulo slots
}

// slot holds the requests of one second. All of them leave the window with the
// last: a request counts for up to a second too long, never too short.
type slot struct {
	requests uint32
	last     uint32 // nanoseconds from the start of the second to the last of them
}

func (c *counts) unlink() { c.newer.older, c.older.newer = c.older, c.newer }

// advance forgets what has left the window that ends now, and returns now, or
// the latest time told, if requests overtook each other on their way here.
func (c *counts) advance(now time.Duration) time.Duration {
	now = max(now, c.latest)
	second, before := seconds(now), seconds(c.latest)
	c.latest = now
	for passed := max(before+1, second-slots+1); passed <= second; passed++ {
		c.forget(&c.slots[passed%slots])
	}
	// The oldest slot lies partly before the window, which does not hold its own
	// beginning: what came exactly 60 seconds ago is outside.
	if oldest := second - slots + 1; oldest >= 0 {
		if s := &c.slots[oldest%slots]; s.end(oldest) <= now-window {
			c.forget(s)
		}
	}
	return now
}

func (c *counts) forget(s *slot) {
	c.total -= int(s.requests)
	*s = slot{}
}

func (c *counts) count(now time.Duration) {
	s := &c.slots[seconds(now)%slots]
	s.requests++
	s.last = uint32(now % time.Second) // #nosec G115 -- below 10^9
	c.total++
	c.counted = now
}

// untilFree returns in how many seconds, rounded up, the oldest requests leave
// the window; 1 where there are none.
func (c *counts) untilFree(now time.Duration) int {
	second := seconds(now)
	for old := max(0, second-slots+1); old <= second; old++ {
		if s := &c.slots[old%slots]; s.requests > 0 {
			wait := s.end(old) + window - now
			return max(1, int((wait+time.Second-1)/time.Second))
		}
	}
	return 1
}

// end returns when the last request of the slot of that second came.
func (s *slot) end(second int64) time.Duration {
	return time.Duration(second)*time.Second + time.Duration(s.last)
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
