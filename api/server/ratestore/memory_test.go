package ratestore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"catalog.example/api/soak"
)

// numbered returns the key of that number.
func numbered(n int) Key {
	p := Key{}
	binary.BigEndian.PutUint64(p.Client[:], uint64(n))
	return p
}

func TestMemoryKeepsTheLimit(t *testing.T) {
	m, n := NewMemory(0, nil), 0
	// The store's time only goes on: each simulation begins where none has been.
	begin := time.Duration(0)
	checkLimit(t, 200, func() taker {
		n++
		p, from := numbered(n), begin
		begin += 2000 * time.Hour
		return func(limit int, at time.Duration) Verdict { return m.take(p, limit, from+at) }
	})
}

// Requests that overtake each other between clock and count must not find
// themselves in a second that is gone.
func TestTimeGoesBackwards(t *testing.T) {
	m := NewMemory(0, nil)
	p := keyOf("192.0.2.1")
	m.take(p, 2, 10*time.Second)
	if v := m.take(p, 2, 9*time.Second); !v.Allowed || v.Left != 0 {
		t.Errorf("the second request: %+v", v)
	}
	if v := m.take(p, 2, 9*time.Second); v.Allowed {
		t.Errorf("the third request: %+v", v)
	}
	if v := m.take(p, 2, 69*time.Second); v.Allowed {
		t.Errorf("the request that was counted at 10 s is forgotten at 69 s: %+v", v)
	}
	// Many that overtake each other about the edge of a second share its slot.
	for i := range 1000 {
		m.take(p, 2000, 80*time.Second-time.Duration(i%2))
	}
	if c := m.clients[m.hash(p)]; len(c.slots) > 3 {
		t.Errorf("they take %d slots", len(c.slots))
	}
}

func TestReservedRequestsCanBeGivenBack(t *testing.T) {
	m, p := NewMemory(0, nil), keyOf("192.0.2.1")
	m.release(p, 0) // there is nothing to give back
	for i, step := range []struct {
		at      time.Duration
		release bool
		want    Verdict
	}{
		{at: 0, want: Verdict{true, 1, 60}},
		{at: 900 * time.Millisecond, want: Verdict{true, 0, 60}},
		{at: time.Second, want: Verdict{false, 0, 60}}, // not counted
		{at: time.Second, release: true},               // nothing counts at that time
		{at: time.Second, want: Verdict{false, 0, 60}},
		{at: 0, release: true},
		{at: time.Second, want: Verdict{true, 0, 60}},
		// What is given back is not a later request, which has to count for longer.
		{at: 500 * time.Millisecond, release: true},
		{at: 2 * time.Second, want: Verdict{true, 0, 59}},
		{at: 60*time.Second + 950*time.Millisecond, want: Verdict{false, 0, 1}},
		{at: 61 * time.Second, want: Verdict{true, 0, 1}},
	} {
		if step.release {
			m.release(p, step.at)
		} else if v := m.take(p, 2, step.at); v != step.want {
			t.Errorf("step %d, at %v: %+v, want %+v", i, step.at, v, step.want)
		}
	}
}

// roomFor returns a store with room for so many clients of one second, and keys.
func roomFor(clients, keys int) (*Memory, []Key) {
	var list []Key
	for n := range keys {
		list = append(list, numbered(n))
	}
	return NewMemory(int64(clients)*(clientBytes+16), nil), list
}

func (m *Memory) take(k Key, limit int, now time.Duration) Verdict {
	v, _ := m.reserve(k, limit, now)
	return v
}

func (m *Memory) keeps(p Key) bool {
	return m.clients[m.hash(p)] != nil
}

func TestMemoryEvictsLeastRecentlyUsed(t *testing.T) {
	m, p := roomFor(3, 5)
	for i := range 3 {
		m.take(p[i], 1, time.Duration(i)*time.Second)
	}
	m.take(p[0], 1, 4*time.Second) // refused, but used
	m.take(p[3], 1, 5*time.Second) // takes the place of p[1]
	for i, want := range []bool{true, false, true, true} {
		if m.keeps(p[i]) != want {
			t.Errorf("client %d is kept: %v, want %v", i, !want, want)
		}
	}
	if stats := m.Stats(); stats.Clients != 3 || stats.Evictions != 1 || stats.Bytes != m.bound {
		t.Errorf("stats: %+v", stats)
	}
}

func TestMemoryEvictsExpiredFirst(t *testing.T) {
	m, p := roomFor(3, 5)
	m.take(p[0], 1, 0)
	m.take(p[1], 1, 40*time.Second)
	m.take(p[0], 1, 50*time.Second) // refused: used later than p[1], expires sooner
	m.take(p[2], 1, 55*time.Second)
	m.take(p[3], 1, 70*time.Second)
	if stats := m.Stats(); m.keeps(p[0]) || stats.Clients != 3 || stats.Evictions != 0 {
		t.Errorf("the expired one is kept: %v; stats: %+v", m.keeps(p[0]), stats)
	}
	// Expired counts are given up although there would be room.
	m, p = roomFor(100, 5)
	m.take(p[0], 1, 0)
	m.take(p[1], 1, 60*time.Second)
	if len(m.clients) != 1 {
		t.Errorf("%d clients are kept, want 1", len(m.clients))
	}
	if v := m.take(p[1], 1, 61*time.Second); v.Allowed {
		t.Errorf("the client in the place of the expired one: %+v", v)
	}
}

// A client that needs more slots takes the room of others, and never its own.
func TestGrowingClientsStayWithinTheBound(t *testing.T) {
	m, p := roomFor(100, 100)
	for i := range p {
		m.take(p[i], 100, time.Duration(i)*time.Millisecond)
	}
	for second := range 60 {
		if v := m.take(p[0], 100, time.Duration(1+second)*time.Second-time.Millisecond); v.Left != 98-second {
			t.Fatalf("in second %d: %+v", second, v)
		}
		if m.bytes > m.bound {
			t.Fatalf("in second %d, %d bytes are taken of %d", second, m.bytes, m.bound)
		}
	}
	if stats := m.Stats(); stats.Clients >= 100 || stats.Clients < 2 || stats.Evictions != uint64(100-stats.Clients) || m.keeps(p[1]) || !m.keeps(p[99]) {
		t.Errorf("stats: %+v", stats)
	}
	// Alone it has what it needs, whatever the bound.
	m, p = roomFor(1, 1)
	for second := range 61 {
		m.take(p[0], 100, time.Duration(second)*time.Second)
	}
	if v := m.take(p[0], 100, 60*time.Second); v.Left != 39 || len(m.clients) != 1 {
		t.Errorf("a client that is alone: %+v", v)
	}
}

// Against a plain list and map: whatever comes, the store keeps what it should,
// its chains and rings hold together, and its bytes are those of what it keeps.
func TestMemoryAgainstAModel(t *testing.T) {
	const room, clients = 20, 60
	random := rand.New(rand.NewPCG(3, 3))
	m, p := roomFor(room, clients)
	now := time.Duration(0)
	for step := range 20000 {
		now += time.Duration(random.Int64N(int64(4 * time.Second)))
		i := random.IntN(clients)
		if random.IntN(3) > 0 { // some come more often
			i %= 5
		}
		m.take(p[i], 1+random.IntN(30), now)
		if random.IntN(4) == 0 {
			m.release(p[i], now)
		}
		if !m.keeps(p[i]) {
			t.Fatalf("step %d: the client that was just served is not kept", step)
		}
		seen, bytes := 0, int64(0)
		for c := m.list.newer; c != &m.list; c = c.newer {
			if c.newer.older != c || m.clients[c.hash] != c {
				t.Fatalf("step %d: the list and the map do not hold together", step)
			}
			for j, slot := range c.slots {
				if slot.requests == 0 || j > 0 && slot.second <= c.slots[j-1].second || len(c.slots) > 61 {
					t.Fatalf("step %d: slots %+v", step, c.slots)
				}
			}
			bytes += c.bytes()
			seen++
		}
		if seen != len(m.clients) || m.bytes != bytes || m.bytes > m.bound && seen > 1 {
			t.Fatalf("step %d: %d clients in the list, %d in the map; %d bytes, want %d of %d",
				step, seen, len(m.clients), m.bytes, bytes, m.bound)
		}
	}
	if m.evictions == 0 {
		t.Error("nothing was evicted: the simulation shows nothing")
	}
}

func TestAllowancesOfManyClientsAtOnce(t *testing.T) {
	const limit, clients, tries = 5, 40, 50
	m := NewMemory(0, nil)
	var mu sync.Mutex
	allowed := map[Key]int{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range clients * tries {
				p := keyOf(fmt.Sprintf("192.0.2.%d", i%clients))
				if m.take(p, limit, time.Duration(i)).Allowed {
					mu.Lock()
					allowed[p]++
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	for p, n := range allowed {
		if n != limit {
			t.Errorf("%v was answered %d times, want %d", p.Client, n, limit)
		}
	}
	if len(allowed) != clients {
		t.Errorf("%d clients were answered, want %d", len(allowed), clients)
	}
}

// heap returns the bytes of what is reachable.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// A million addresses that come once each, within a minute, between regular
// clients that come every second. With room for all of them, nothing is lost;
// with less, the regular clients keep their counts, because they are used more
// recently. Measured against the heap, the bytes that the store tells are true.
func TestAMillionAddressesInAMinute(t *testing.T) {
	soak.Long(t)
	const addresses, regulars, seconds = 1_000_000, 1000, 60
	for _, test := range []struct {
		name      string
		bound     int64
		evictions bool
	}{
		{"within the bound", DefaultBound, false},
		{"beyond it", 16 << 20, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := heap()
			m := NewMemory(test.bound, nil)
			once := 0
			for second := range seconds {
				begin := time.Duration(second) * time.Second
				for r := range regulars {
					if v := m.take(numbered(-1-r), 120, begin); !v.Allowed || v.Left != 119-second {
						t.Fatalf("in second %d, regular client %d: %+v", second, r, v)
					}
				}
				for ; once < addresses*(second+1)/seconds; once++ {
					if v := m.take(numbered(once), 120, begin+time.Millisecond); !v.Allowed || v.Left != 119 {
						t.Fatalf("in second %d, address %d: %+v", second, once, v)
					}
				}
				if stats := m.Stats(); stats.Bytes > test.bound {
					t.Fatalf("in second %d, %d bytes are taken of %d", second, stats.Bytes, test.bound)
				}
			}
			stats, held := m.Stats(), heap()-before
			t.Logf("%d clients, %d evictions; %d bytes told, %d held: %d a client", stats.Clients, stats.Evictions, stats.Bytes, held, held/stats.Clients)
			if (stats.Evictions > 0) != test.evictions || stats.Clients+int64(stats.Evictions) != addresses+regulars {
				t.Errorf("stats: %+v", stats)
			}
			if held > stats.Bytes+stats.Bytes/20 {
				t.Errorf("%d bytes are held where %d are told", held, stats.Bytes)
			}
			// Once all have expired, the store empties faster than it is filled.
			for i := range addresses / 2 {
				m.take(numbered(addresses+i), 120, 10*time.Minute)
			}
			if after := m.Stats(); after.Clients > addresses/2+regulars || after.Evictions != stats.Evictions && !test.evictions {
				t.Errorf("after 10 minutes: %+v", after)
			}
			runtime.KeepAlive(m)
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	for _, clients := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			m := NewMemory(0, nil)
			for i := range clients {
				m.Take(b.Context(), numbered(i), 120)
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for i := rand.IntN(clients); pb.Next(); i++ {
					m.Take(b.Context(), numbered(i%clients), 120)
				}
			})
		})
	}
}
