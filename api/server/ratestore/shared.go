package ratestore

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// DefaultTimeout is how long a request waits for Redis unless something else is
// asked for: a hundred times what Redis takes in one network, and not yet felt by
// who asks.
const DefaultTimeout = 50 * time.Millisecond

// Options are what a Shared is made of.
type Options struct {
	// Endpoint is where the Redis is: 5 or later, or one that does as it does.
	Endpoint Endpoint
	// TLS is used where the endpoint asks for it; nil trusts what the system trusts.
	TLS *tls.Config
	// Local counts what this replica grants, and decides where Redis cannot. It is
	// not used for anything else; nil is NewMemory(0, nil).
	Local *Memory
	// Timeout is how long a request waits for Redis; 0 is DefaultTimeout.
	Timeout time.Duration
	// ProbeInterval is after how long a Redis that failed is asked for the first
	// time, and MaxProbeInterval what that grows to; 0 are 100 ms and 5 s.
	ProbeInterval, MaxProbeInterval time.Duration
	// Logger is told when Redis is reached, lost and reached again, once each; nil
	// discards it.
	Logger *slog.Logger
}

// Shared counts the requests of clients in the last 60 seconds for all replicas
// that use the same Redis, with the same password and database.
//
// No request waits for Redis longer than Options.Timeout, and none fails because
// of it: after the first call that fails, requests are counted here, and Redis is
// not asked again until a probe in the background has succeeded. The package
// comment tells what that means for the allowances.
type Shared struct {
	redis   *redisClient
	o       Options
	log     *slog.Logger
	stopped chan struct{} // closed once the prober has ended
	stop    context.CancelFunc
	lost    chan struct{} // has an element when the prober should begin

	// turn counts the changes between counting together (even) and here (odd): a
	// call that fails brings about a change only if there was none since it began.
	turn atomic.Uint64

	shared, local, errors atomic.Uint64
}

// NewShared begins to count together, and tries in the background whether that
// works: where it does not, it counts locally until it does.
func NewShared(o Options) *Shared {
	if o.Local == nil {
		o.Local = NewMemory(0, nil)
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.ProbeInterval <= 0 {
		o.ProbeInterval = 100 * time.Millisecond
	}
	if o.MaxProbeInterval <= 0 {
		o.MaxProbeInterval = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Shared{
		redis: newRedisClient(o.Endpoint, o.TLS), o: o, log: o.Logger.With("store", o.Endpoint.String()),
		stopped: make(chan struct{}), stop: stop, lost: make(chan struct{}, 1),
	}
	go s.keepProbing(ctx)
	return s
}

// Close ends the probing and the connection. Requests that are asked for later are
// counted locally. It implements io.Closer, and returns nil.
func (s *Shared) Close() error {
	s.stop()
	<-s.stopped
	s.redis.close()
	return nil
}

// Take implements Store.
func (s *Shared) Take(ctx context.Context, p Payer, limit int) Verdict {
	turn := s.turn.Load()
	// A request counts here before Redis is asked, so that no moment can be found at
	// which Redis fails and it does not.
	here, at := s.o.Local.reserve(p, limit, s.o.Local.elapsed())
	if turn%2 == 1 {
		s.local.Add(1)
		return here
	}
	if !here.Allowed {
		// This replica alone has granted all, so that Redis would grant no more, unless
		// it has lost its counts. Its seconds may begin up to one later than ours.
		s.shared.Add(1)
		here.Reset = min(here.Reset+1, int(Window/time.Second))
		return here
	}
	// Whoever hangs up is counted all the same: a client that closes its half of the
	// connection still gets its answer.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Timeout)
	defer cancel()
	together, err := s.redis.take(limited, s.redis.key(p), limit)
	switch {
	case err == nil && together.Allowed:
		s.shared.Add(1)
		return tighter(together, here)
	case err == nil:
		s.shared.Add(1)
		s.o.Local.giveBack(p, at)
		return together
	}
	s.errors.Add(1)
	s.fall(turn, err)
	s.local.Add(1)
	return here
}

// tighter returns what is left of two counts that must both allow a request.
func tighter(a, b Verdict) Verdict {
	switch {
	case a.Left < b.Left:
		return a
	case a.Left > b.Left:
		return b
	}
	a.Reset = max(a.Reset, b.Reset)
	return a
}

// State tells where requests are counted now: InShared or InLocal.
func (s *Shared) State() State {
	if s.turn.Load()%2 == 1 {
		return InLocal
	}
	return InShared
}

// Stats implements Store.
func (s *Shared) Stats() Stats {
	stats := s.o.Local.Stats()
	turn := s.turn.Load()
	stats.State = InShared
	if turn%2 == 1 {
		stats.State = InLocal
	}
	stats.SharedDecisions, stats.LocalDecisions = s.shared.Load(), s.local.Load()
	stats.Errors, stats.ScriptLoads = s.errors.Load(), s.redis.loads.Load()
	stats.Falls, stats.Rejoins = (turn+1)/2, turn/2
	return stats
}

// fall begins to count locally, because of a failure in that turn.
func (s *Shared) fall(turn uint64, err error) {
	if !s.turn.CompareAndSwap(turn, turn+1) {
		return
	}
	s.redis.forget()
	s.log.Warn("the rate store cannot be reached: allowances are counted by this replica alone", "error", s.o.Endpoint.withoutPassword(err))
	select {
	case s.lost <- struct{}{}:
	default: // the prober has been told, or is at it
	}
}

// keepProbing is the one that looks for Redis, until ctx ends: at first, and
// after each fall.
func (s *Shared) keepProbing(ctx context.Context) {
	defer close(s.stopped)
	if err := s.probe(ctx); err == nil {
		s.log.Info("the rate store is reached: allowances are counted for all replicas")
	} else if ctx.Err() == nil {
		s.errors.Add(1)
		s.fall(0, err)
	}
	wait, back := s.o.ProbeInterval, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.lost:
		}
		since := time.Now()
		// One that keeps failing right after it was reached is asked less and less
		// often, as one is that is not reached.
		if since.Sub(back) > 2*s.o.MaxProbeInterval {
			wait = s.o.ProbeInterval
		}
		for s.turn.Load()%2 == 1 {
			// Replicas that lost Redis at one moment should not return to it at one.
			timer := time.NewTimer(wait/2 + rand.N(wait)) // #nosec G404 -- no secret
			wait = min(2*wait, s.o.MaxProbeInterval)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			if err := s.probe(ctx); err != nil {
				s.errors.Add(1)
				continue
			}
			back = time.Now()
			// Before the change, so that a fall right after it is logged after it.
			s.log.Info("the rate store is reached again: allowances are counted for all replicas", "after", back.Sub(since).Round(time.Millisecond))
			s.turn.Add(1)
			since = back
		}
	}
}

// probe does what a request does, at a key of its own: a Redis that answers a PING
// may still refuse to write, or to run scripts.
func (s *Shared) probe(ctx context.Context) error {
	// The first call may have to make a connection; the second shows whether the
	// time that requests have is enough.
	for _, timeout := range []time.Duration{max(dialTimeout, s.o.Timeout), s.o.Timeout} {
		limited, cancel := context.WithTimeout(ctx, timeout)
		_, err := s.redis.take(limited, keyPrefix+"probe", 1<<30)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
