package server

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
)

func payerOf(address string) payer { return newPayer(anonymous, netip.MustParseAddr(address)) }

// Against a naive count of exact times: never more than the limit in any 60
// seconds, and nothing refused that would have been within the limit for a
// second longer.
func TestAllowanceIsNeverExceeded(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := 1 + random.IntN(12)
		// Some clients come in bursts, some steadily, some with long pauses.
		pace := time.Duration(1+random.IntN(20)) * time.Second
		a := newAllowances(maxClients)
		p := payerOf("192.0.2.1")
		var accepted []time.Duration
		within := func(now, span time.Duration) int {
			first, _ := slices.BinarySearchFunc(accepted, now-span, func(at, begin time.Duration) int {
				if at > begin { // the window does not hold its own beginning
					return 1
				}
				return -1
			})
			return len(accepted) - first
		}
		now := time.Duration(random.Int64N(int64(time.Minute)))
		for range 400 {
			switch random.IntN(4) {
			case 0: // at the same instant
			case 1:
				now += time.Duration(random.Int64N(int64(time.Second)))
			case 2:
				now += time.Duration(random.Int64N(int64(pace)))
			case 3:
				now = now.Truncate(time.Second) + time.Second // on the edge of a slot
			}
			v := a.take(p, limit, now)
			if v.allowed {
				if n := within(now, window); n >= limit {
					t.Fatalf("seed %d: at %v, %d requests of %d were answered within 60 seconds, and one more", seed, now, n, limit)
				}
				accepted = append(accepted, now)
			} else if n := within(now, window+time.Second); n < limit {
				t.Fatalf("seed %d: at %v refused, although only %d of %d were answered within 61 seconds", seed, now, n, limit)
			}
			if v.left < 0 || v.left > limit-within(now, window) || v.reset < 1 || v.reset > 60 {
				t.Fatalf("seed %d: at %v the verdict is %+v with %d of %d used", seed, now, v, within(now, window), limit)
			}
		}
		if len(accepted) <= limit {
			t.Fatalf("seed %d: only %d requests were answered: the simulation is too short to show anything", seed, len(accepted))
		}
	}
}

// The burst that 60 one-second slots would let through.
func TestAllowanceAcrossTheEdgeOfASecond(t *testing.T) {
	a := newAllowances(maxClients)
	p := payerOf("192.0.2.1")
	if v := a.take(p, 1, 900*time.Millisecond); !v.allowed || v.left != 0 || v.reset != 60 {
		t.Errorf("the first request: %+v", v)
	}
	for _, test := range []struct {
		at      time.Duration
		allowed bool
		reset   int
	}{
		{60 * time.Second, false, 1},
		{60*time.Second + 899*time.Millisecond, false, 1},
		{60*time.Second + 900*time.Millisecond, true, 60},
	} {
		if v := a.take(p, 1, test.at); v.allowed != test.allowed || v.reset != test.reset {
			t.Errorf("at %v: %+v, want %v and %d", test.at, v, test.allowed, test.reset)
		}
	}
}

func TestWaitingForTheResetIsEnough(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	a := newAllowances(maxClients)
	p := payerOf("2001:db8::")
	now := time.Duration(0)
	for range 2000 {
		now += time.Duration(random.Int64N(int64(3 * time.Second)))
		if v := a.take(p, 20, now); !v.allowed {
			now += time.Duration(v.reset) * time.Second
			if again := a.take(p, 20, now); !again.allowed {
				t.Fatalf("refused at %v after waiting %d seconds as told: %+v", now, v.reset, again)
			}
		}
	}
}

func TestRefusedRequestsDoNotCount(t *testing.T) {
	a := newAllowances(maxClients)
	p := payerOf("192.0.2.1")
	a.take(p, 1, 0)
	for at := time.Second; at < window; at += time.Second {
		if a.take(p, 1, at).allowed {
			t.Fatalf("allowed at %v", at)
		}
	}
	if !a.take(p, 1, window).allowed {
		t.Error("a client that kept asking is never served again")
	}
}

func TestAllowanceAfterALongPauseIsWhole(t *testing.T) {
	a := newAllowances(maxClients)
	p := payerOf("192.0.2.1")
	for range 5 {
		a.take(p, 5, 30*time.Second)
	}
	if v := a.take(p, 5, 1000*time.Hour); !v.allowed || v.left != 4 {
		t.Errorf("after a long pause: %+v", v)
	}
}

// Requests that overtake each other between clock and count must not find
// themselves in a second that is gone.
func TestTimeThatGoesBackwards(t *testing.T) {
	a := newAllowances(maxClients)
	p := payerOf("192.0.2.1")
	a.take(p, 2, 10*time.Second)
	if v := a.take(p, 2, 9*time.Second); !v.allowed || v.left != 0 {
		t.Errorf("the second request: %+v", v)
	}
	if v := a.take(p, 2, 9*time.Second); v.allowed {
		t.Errorf("the third request: %+v", v)
	}
	if v := a.take(p, 2, 69*time.Second); v.allowed {
		t.Errorf("the request that was counted at 10 s is forgotten at 69 s: %+v", v)
	}
}

// oneShard makes allowances whose shards hold that many clients, and addresses
// that all fall on one shard.
func oneShard(t *testing.T, perShard, addresses int) (*allowances, *shard, []payer) {
	t.Helper()
	a := newAllowances(perShard * shardCount)
	byShard := map[*shard][]payer{}
	for i := range 10000 {
		p := payerOf(fmt.Sprintf("10.0.%d.%d", i/256, i%256))
		a.take(p, 1, 0)
		for j := range a.shards {
			if _, ok := a.shards[j].counts[p]; ok {
				s := &a.shards[j]
				byShard[s] = append(byShard[s], p)
				if len(byShard[s]) == addresses {
					fresh := newAllowances(perShard * shardCount)
					fresh.seed = a.seed
					return fresh, &fresh.shards[j], byShard[s]
				}
			}
		}
	}
	t.Fatal("the hash does not spread")
	return nil, nil, nil
}

func TestStoreIsBoundedAndForgetsTheLeastRecentlyUsed(t *testing.T) {
	a, s, p := oneShard(t, 3, 5)
	for i := range 3 {
		a.take(p[i], 1, time.Duration(i)*time.Second)
	}
	a.take(p[0], 1, 4*time.Second) // refused, but used
	a.take(p[3], 1, 5*time.Second) // takes the place of p[1]
	if len(s.counts) != 3 {
		t.Errorf("%d clients are kept, want 3", len(s.counts))
	}
	for i, want := range []bool{true, false, true, true} {
		if _, ok := s.counts[p[i]]; ok != want {
			t.Errorf("client %d is kept: %v, want %v", i, ok, want)
		}
	}
}

func TestStoreForgetsTheExpiredFirst(t *testing.T) {
	a, s, p := oneShard(t, 3, 5)
	a.take(p[0], 1, 0)
	a.take(p[1], 1, 40*time.Second)
	a.take(p[0], 1, 50*time.Second) // refused: used later than p[1], expires sooner
	a.take(p[2], 1, 55*time.Second)
	a.take(p[3], 1, 70*time.Second)
	if _, ok := s.counts[p[0]]; ok || len(s.counts) != 3 {
		t.Errorf("of %d clients, the expired one is kept: %v", len(s.counts), ok)
	}
	// Expired counts are taken over although there would be room.
	a, s, p = oneShard(t, 100, 5)
	a.take(p[0], 1, 0)
	a.take(p[1], 1, 60*time.Second)
	if len(s.counts) != 1 {
		t.Errorf("%d clients are kept, want 1", len(s.counts))
	}
	if v := a.take(p[1], 1, 61*time.Second); v.allowed {
		t.Errorf("the client in the place of the expired one: %+v", v)
	}
}

func TestAllowancesOfManyClientsAtOnce(t *testing.T) {
	const limit, clients, tries = 5, 40, 50
	a := newAllowances(maxClients)
	var mu sync.Mutex
	allowed := map[payer]int{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range clients * tries {
				p := payerOf(fmt.Sprintf("192.0.2.%d", i%clients))
				if a.take(p, limit, time.Duration(i)).allowed {
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
			t.Errorf("%v was answered %d times, want %d", p.address, n, limit)
		}
	}
	if len(allowed) != clients {
		t.Errorf("%d clients were answered, want %d", len(allowed), clients)
	}
}

func BenchmarkTake(b *testing.B) {
	a := newAllowances(maxClients)
	payers := make([]payer, 1000)
	for i := range payers {
		payers[i] = payerOf(fmt.Sprintf("10.0.%d.%d", i/256, i%256))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			a.take(payers[i%len(payers)], 120, time.Duration(i)*time.Millisecond)
		}
	})
}
