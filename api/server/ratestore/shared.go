package ratestore

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// DefaultTimeout is how long a request waits for Redis by default: a hundred times the usual
// latency within one network, and too short for a user to notice.
const DefaultTimeout = 50 * time.Millisecond

// Options configure a Shared.
type Options struct {
	// Endpoint is the address of a Redis 5 or later, or of a compatible server.
	Endpoint Endpoint
	// TLS is the configuration for endpoints with TLS; nil trusts the system's certificates.
	TLS *tls.Config
	// Local counts what this replica grants, and decides when Redis cannot. Nothing else may use
	// it. nil means NewMemory(0, nil).
	Local *Memory
	// Timeout is how long a request waits for Redis; 0 means DefaultTimeout.
	Timeout time.Duration
	// ProbeInterval is the time until the first probe of a failed Redis. Further intervals grow up
	// to MaxProbeInterval. The zero values mean 100 ms and 5 s.
	ProbeInterval, MaxProbeInterval time.Duration
	// Logger gets a line whenever Redis is reached or lost; nil discards it.
	Logger *slog.Logger
}

// Shared counts requests for all replicas that use the same Redis, with the same password
// and database.
//
// No request waits for Redis longer than Options.Timeout, and none fails because of Redis. After a
// failed call, requests are counted in this replica, and Redis is not called again until a probe in
// the background has succeeded. The package comment says what that means for allowances.
type Shared struct {
	redis   *redisClient
	o       Options
	log     *slog.Logger
	stopped chan struct{} // closed when the prober has ended
	stop    context.CancelFunc
	wake    chan struct{} // holds a value when the prober should begin

	// epoch counts the changes between shared (even) and local (odd) counting. A failed call causes
	// a change only if there has been none since the call began.
	epoch atomic.Uint64

	shared, local, errors atomic.Uint64
}

// NewShared returns a store that begins with shared counting and checks in the background
// whether Redis works.
func NewShared(o Options) *Shared {
	if o.Local == nil {
		o.Local = NewMemory(0, nil)
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.ProbeInterval = cmp.Or(o.ProbeInterval, 100*time.Millisecond)
	o.MaxProbeInterval = cmp.Or(o.MaxProbeInterval, 5*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Shared{
		redis: newRedisClient(o.Endpoint, o.TLS, o.Timeout), o: o, log: o.Logger.With("store", o.Endpoint.String()),
		stopped: make(chan struct{}), stop: stop, wake: make(chan struct{}, 1),
	}
	go s.keepProbing(ctx)
	return s
}

// Close ends the probes and the connection. Later requests are counted locally. It implements
// io.Closer, and always returns nil.
func (s *Shared) Close() error {
	s.stop()
	s.redis.close() // ends a probe
	<-s.stopped
	return nil
}

// Take implements Store.
func (s *Shared) Take(ctx context.Context, k Key, limit int) Verdict {
	epoch := s.epoch.Load()
	// The request is counted locally before Redis is called, so that it counts even if Redis then
	// fails.
	local, at := s.o.Local.reserve(k, limit, s.o.Local.elapsed())
	if isLocal(epoch) {
		s.local.Add(1)
		return local
	}
	if !local.Allowed {
		// This replica alone has granted the whole allowance, so Redis would refuse too, unless it
		// has lost its counts. The seconds of Redis may begin up to one second later, so Reset is
		// one more.
		s.shared.Add(1)
		local.Reset = min(local.Reset+1, int(Window/time.Second))
		return local
	}
	// A client that closes its half of the connection still gets its answer, so its request counts
	// even if ctx has ended.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Timeout)
	defer cancel()
	shared, err := s.redis.take(limited, s.redis.redisKey(k), limit)
	if err != nil {
		s.errors.Add(1)
		s.useLocal(epoch, err)
		s.local.Add(1)
		return local
	}
	s.shared.Add(1)
	if shared.Allowed {
		return stricter(shared, local)
	}
	s.o.Local.release(k, at)
	return shared
}

// stricter returns the verdict with fewer requests left, or the later Reset if both have equally
// many. Both must allow the request.
func stricter(a, b Verdict) Verdict {
	if a.Left > b.Left {
		a, b = b, a
	}
	if a.Left == b.Left {
		a.Reset = max(a.Reset, b.Reset)
	}
	return a
}

// isLocal reports whether this replica alone counts requests in an epoch.
func isLocal(epoch uint64) bool { return epoch%2 == 1 }

// Stats implements Store.
func (s *Shared) Stats() Stats {
	stats := s.o.Local.Stats()
	epoch := s.epoch.Load()
	stats.State = InShared
	if isLocal(epoch) {
		stats.State = InLocal
	}
	stats.SharedDecisions, stats.LocalDecisions = s.shared.Load(), s.local.Load()
	stats.Errors, stats.ScriptLoads = s.errors.Load(), s.redis.loads.Load()
	stats.Falls, stats.Rejoins = (epoch+1)/2, epoch/2
	return stats
}

// useLocal changes to local counting after a failed call, unless counting has changed since the
// epoch in which the call began.
func (s *Shared) useLocal(epoch uint64, err error) {
	if !s.epoch.CompareAndSwap(epoch, epoch+1) {
		return
	}
	s.redis.reconnect()
	s.log.Warn(lossOf(err)+": allowances are counted by this replica alone", "error", s.o.Endpoint.withoutPassword(err))
	select {
	case s.wake <- struct{}{}:
	default: // the prober has already been woken
	}
}

// lossOf says why a call failed: an engine that answers, but cannot run the script, needs another remedy than one
// that cannot be reached.
func lossOf(err error) string {
	if _, answers := errors.AsType[redis.Error](err); answers || errors.Is(err, errVerdict) {
		return "the rate store does not run the script that counts requests, although it can be reached; " +
			"it has to allow EVALSHA, EVAL, GET, SET and TIME, and writes, and to have Lua with the library struct"
	}
	return "the rate store cannot be reached"
}

// keepProbing probes Redis at the beginning, and whenever it is lost, until ctx ends.
func (s *Shared) keepProbing(ctx context.Context) {
	defer close(s.stopped)
	if err := s.probe(ctx); err == nil {
		s.log.Info("the rate store answers: allowances are counted for all replicas")
	} else if ctx.Err() == nil {
		s.errors.Add(1)
		s.useLocal(0, err)
	}
	wait, reached := s.o.ProbeInterval, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		lost := time.Now()
		// For a Redis that fails again soon after it was reached, the intervals keep growing.
		if lost.Sub(reached) > 2*s.o.MaxProbeInterval {
			wait = s.o.ProbeInterval
		}
		for isLocal(s.epoch.Load()) {
			// Replicas that lost Redis at the same moment should not all return at the same moment.
			after := time.After(wait/2 + rand.N(wait)) // #nosec G404 -- jitter is no secret
			wait = min(2*wait, s.o.MaxProbeInterval)
			select {
			case <-ctx.Done():
				return
			case <-after:
			}
			if err := s.probe(ctx); err != nil {
				s.errors.Add(1)
				s.redis.reconnect()
				continue
			}
			reached = time.Now()
			// This is logged before the change, so that a failure right after the change is logged
			// after this.
			s.log.Info("the rate store answers again: allowances are counted for all replicas",
				"after", reached.Sub(lost).Round(time.Millisecond))
			s.epoch.Add(1)
			lost = reached
		}
	}
}

// probe makes the same calls as a request, with keys of its own, because a Redis that answers PING
// may still refuse to write or to run scripts.
func (s *Shared) probe(ctx context.Context) error {
	// The first round of calls may have to connect. The second shows whether the timeout for
	// requests is long enough.
	for _, timeout := range []time.Duration{s.redis.dialing, s.o.Timeout} {
		for _, key := range s.redis.probeKeys() {
			limited, cancel := context.WithTimeout(ctx, timeout)
			_, err := s.redis.take(limited, key, 1<<30)
			cancel()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
