package ratestore

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// taker asks for a request of one key at a time since some whole second, in
// whole microseconds.
type taker func(limit int, at time.Duration) Verdict

// checkLimit checks that stores keep the limit. fresh begins a new key.
// simulations bounds the time that it takes.
func checkLimit(t *testing.T, simulations uint64, fresh func() taker) {
	t.Run("never more in any 60 seconds", func(t *testing.T) { simulate(t, simulations, fresh) })
	t.Run("across the edge of a second", func(t *testing.T) { acrossTheEdge(t, fresh()) })
	t.Run("waiting for the reset is enough", func(t *testing.T) { waitForReset(t, int(10*simulations), fresh()) })
	t.Run("refused requests do not count", func(t *testing.T) { refusedDoNotCount(t, fresh()) })
	t.Run("after a long pause", func(t *testing.T) {
		take := fresh()
		for range 5 {
			take(5, 30*time.Second)
		}
		if v := take(5, 1000*time.Hour); !v.Allowed || v.Left != 4 || v.Reset != 60 {
			t.Errorf("after a long pause: %+v", v)
		}
	})
}

// Against a naive count of exact times: never more than the limit in any 60
// seconds, and nothing refused that would have been within the limit for a
// second longer.
func simulate(t *testing.T, simulations uint64, fresh func() taker) {
	for seed := range simulations {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := 1 + random.IntN(12)
		// Some clients come in bursts, some steadily, some with long pauses.
		pace := time.Duration(1+random.IntN(20)) * time.Second
		take := fresh()
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
			now = now.Truncate(time.Microsecond)
			v := take(limit, now)
			if v.Allowed {
				if n := within(now, Window); n >= limit {
					t.Fatalf("seed %d: at %v, %d requests of %d were answered within 60 seconds, and one more", seed, now, n, limit)
				}
				accepted = append(accepted, now)
			} else if n := within(now, Window+time.Second); n < limit {
				t.Fatalf("seed %d: at %v refused, although only %d of %d were answered within 61 seconds", seed, now, n, limit)
			}
			if v.Left < 0 || v.Left > limit-within(now, Window) || v.Reset < 1 || v.Reset > 60 {
				t.Fatalf("seed %d: at %v the verdict is %+v with %d of %d used", seed, now, v, within(now, Window), limit)
			}
		}
		if len(accepted) <= limit {
			t.Fatalf("seed %d: only %d requests were answered: the simulation is too short to show anything", seed, len(accepted))
		}
	}
}

// The burst that 60 one-second slots would let through.
func acrossTheEdge(t *testing.T, take taker) {
	if v := take(1, 900*time.Millisecond); !v.Allowed || v.Left != 0 || v.Reset != 60 {
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
		if v := take(1, test.at); v.Allowed != test.allowed || v.Reset != test.reset {
			t.Errorf("at %v: %+v, want %v and %d", test.at, v, test.allowed, test.reset)
		}
	}
}

func waitForReset(t *testing.T, requests int, take taker) {
	random := rand.New(rand.NewPCG(7, 7))
	now, refused := time.Duration(0), 0
	for range requests {
		now += time.Duration(random.Int64N(int64(3*time.Second/time.Microsecond))) * time.Microsecond
		if v := take(20, now); !v.Allowed {
			refused++
			now += time.Duration(v.Reset) * time.Second
			if again := take(20, now); !again.Allowed {
				t.Fatalf("refused at %v after waiting %d seconds as told: %+v", now, v.Reset, again)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused: the simulation is too short to show anything")
	}
}

func refusedDoNotCount(t *testing.T, take taker) {
	take(1, 0)
	for at := time.Second; at < Window; at += time.Second {
		if v := take(1, at); v.Allowed || v.Left != 0 || v.Reset != int((Window-at)/time.Second) {
			t.Fatalf("at %v: %+v", at, v)
		}
	}
	if !take(1, Window).Allowed {
		t.Error("a client that kept asking is never served again")
	}
}

func keyOf(address string) Key { return NewKey(0, netip.MustParseAddr(address)) }
