package artifact

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"catalog.example/api/server/indexfile"
)

// Timing of a Follower.
const (
	// MinPoll is the least time between two requests for the manifest.
	MinPoll = 100 * time.Millisecond
	// StartTimeout is how long a server waits at its start for the origin if the cache has a build.
	StartTimeout = 30 * time.Second
	// askedSpread is the longest delay between a signal and a request for the manifest. It spreads
	// the requests of replicas that all get the signal at once.
	askedSpread = time.Second
	// maxRetry is the longest wait before a refused build is tried again.
	maxRetry = time.Hour
)

// FollowerOptions configure a Follower.
type FollowerOptions struct {
	Origin Origin
	// Cache is the folder that keeps builds. One process uses it at a time.
	Cache string
	// Keys returns the keys that verify manifests. It is called for each, so that keys can be replaced. nil accepts
	// all manifests.
	Keys func() ([]ed25519.PublicKey, error)
	// AllowRollback accepts a manifest that was created before the one in use.
	AllowRollback bool
	// Poll is the mean time between two requests for the manifest.
	Poll time.Duration
	// StartTimeout is how long a start waits for the origin if the cache has a build.
	StartTimeout time.Duration
	// Version is the version of this program, for the User-Agent.
	Version string
	Logger  *slog.Logger
	// Now returns the time of day; nil means time.Now.
	Now func() time.Time
	// Random returns numbers from 0 to 1 that spread requests; nil means rand.Float64.
	Random func() float64
	// Transport sends requests; nil means a new one.
	Transport http.RoundTripper
}

// Build is a verified build.
type Build struct {
	Folder  string
	Version string
	Created time.Time
}

// Serve opens a build and puts it into use. If it fails, the previous build stays in use.
type Serve func(Build) error

// Follower keeps a server on the newest build of an origin.
type Follower struct {
	o      FollowerOptions
	client *client
	cache  *buildCache

	last     *BuildManifest // the build served last, perhaps by an earlier process
	serving  *BuildManifest // the build in use
	previous string         // the version in use before

	refused     []byte    // the text of the last refused manifest
	reason      string    // why it was refused
	refusals    int       // how often in a row
	retry       time.Time // when it may be tried again
	unreachable bool      // the last request failed
	timedOut    bool      // the start gave up waiting for the origin

	checks  *prometheus.CounterVec
	checked prometheus.Gauge
}

// Results of requests for the manifest, in metrics.
const (
	resultUpdated     = "updated"
	resultUnchanged   = "unchanged"
	resultRefused     = "refused"
	resultUnreachable = "unreachable"
)

// NewFollower returns a Follower. The cache folder is locked until Close.
func NewFollower(o FollowerOptions) (*Follower, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	cache, err := openBuildCache(o.Cache)
	if err != nil {
		return nil, err
	}
	f := &Follower{o: o, client: newClient(o.Origin, o.Version, o.Transport), cache: cache}
	f.checks = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_origin_checks_total",
		Help: "Requests for the origin's manifest, by result: a new build is in use, the build is the same, it was" +
			" refused, or the origin cannot be reached.",
	}, []string{"result"})
	for _, result := range []string{resultUpdated, resultUnchanged, resultRefused, resultUnreachable} {
		f.checks.WithLabelValues(result)
	}
	f.checked = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "catalog_origin_answered_timestamp_seconds",
		Help: "When the origin last answered with a manifest, in seconds since 1970; 0 if it never did.",
	})
	return f, nil
}

// Collectors returns the metrics of the follower.
func (f *Follower) Collectors() []prometheus.Collector {
	return []prometheus.Collector{f.checks, f.checked}
}

// Close unlocks the cache.
func (f *Follower) Close() error { return f.cache.lock.Close() }

// Start serves the origin's build. If the cache has a build, Start serves that when the origin's
// does not arrive within FollowerOptions.StartTimeout or is refused. The error says why neither is served.
func (f *Follower) Start(ctx context.Context, serve Serve) error {
	last, err := f.cache.current(f.verified)
	if err != nil {
		f.o.Logger.Warn("cannot use the build in the cache", "cache", f.cache.folder, "error", err)
	}
	f.last = last
	limited, cancel := ctx, context.CancelFunc(func() {})
	if last != nil {
		tooLong := fmt.Errorf("it took longer than %v", f.o.StartTimeout)
		limited, cancel = context.WithTimeoutCause(ctx, f.o.StartTimeout, tooLong)
	}
	err = f.check(limited, serve)
	timedOut := limited.Err() != nil
	cancel()
	if err == nil || ctx.Err() != nil {
		return err
	}
	if last == nil {
		return fmt.Errorf("%s has no build to serve, and the cache %s has none: %w", f.o.Origin, f.cache.folder, err)
	}
	folder := f.cache.kept(ctx, last)
	if folder == "" {
		return fmt.Errorf("%s has no build to serve, and the one in the cache %s is damaged: %w",
			f.o.Origin, f.cache.folder, err)
	}
	if cacheErr := serve(Build{folder, last.Version, last.CreatedTime()}); cacheErr != nil {
		return fmt.Errorf("%s has no build to serve: %w; the cache %s has none either: %w",
			f.o.Origin, err, f.cache.folder, cacheErr)
	}
	f.serves(last)
	f.timedOut = timedOut
	f.o.Logger.Warn("serving the last good build from the cache", "version", last.Version, "created", last.Created)
	return nil
}

// Follow requests the manifest about every FollowerOptions.Poll, and soon after something is sent
// on ask or after a start that did not wait, until the context is cancelled. The times are random, which
// spreads the requests of replicas that start or get a signal at the same time.
func (f *Follower) Follow(ctx context.Context, ask <-chan os.Signal, serve Serve) {
	first := f.o.Poll
	if f.timedOut {
		first = min(askedSpread, first)
	}
	next := time.NewTimer(f.spread(first))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ask:
			f.retry = time.Time{} // the operator wants even a refused build to be tried again
			next.Reset(f.spread(min(askedSpread, f.o.Poll)))
			continue
		case <-next.C:
		}
		_ = f.check(ctx, serve) // check logs errors
		next.Reset(max(f.o.Poll*4/5+f.spread(f.o.Poll*2/5), time.Until(f.client.notBefore)))
	}
}

// spread returns a random duration between 0 and most.
func (f *Follower) spread(most time.Duration) time.Duration {
	return time.Duration(f.o.Random() * float64(most))
}

// check requests the manifest once, and serves a new build. It counts errors, and logs those that
// are new.
func (f *Follower) check(ctx context.Context, serve Serve) error {
	text, err := f.client.manifest(ctx)
	if err != nil {
		return f.failed(ctx, err)
	}
	f.checked.Set(float64(f.o.Now().UnixMilli()) / 1000)
	if string(text) == string(f.refused) && f.o.Now().Before(f.retry) {
		f.checks.WithLabelValues(resultRefused).Inc()
		return errors.New("the origin's build was refused before")
	}
	m, err := f.verified(text)
	if err != nil {
		return f.refuse(text, m, &refusedError{err.Error()})
	}
	if f.serving != nil && *m == *f.serving {
		f.answered(resultUnchanged)
		return nil
	}
	if err = checkAge(m, f.last, f.o.AllowRollback, f.o.Now()); err != nil {
		return f.refuse(text, m, err)
	}
	if err = f.update(ctx, m, serve); err == nil {
		return nil
	}
	if _, isRefused := errors.AsType[*refusedError](err); isRefused {
		return f.refuse(text, m, err)
	}
	return f.failed(ctx, err)
}

// verified parses a manifest, and verifies its signature with the keys of the moment. If only the signature is wrong,
// it returns both the manifest and an error.
func (f *Follower) verified(text []byte) (*BuildManifest, error) {
	m, err := ParseManifest(text)
	if err != nil || f.o.Keys == nil {
		return m, err
	}
	keys, err := f.o.Keys()
	if err == nil {
		err = m.Verify(keys)
	}
	return m, err
}

// update puts a build into use. If the same files were packed again, only the time changes.
func (f *Follower) update(ctx context.Context, m *BuildManifest, serve Serve) error {
	folder, result := f.cache.buildFolder(m.Version), resultUnchanged
	if f.serving == nil || m.Version != f.serving.Version {
		var err error
		if folder, err = f.cache.fetch(ctx, f.client, m); err != nil {
			return err
		}
		result = resultUpdated
	}
	if err := serve(Build{folder, m.Version, m.CreatedTime()}); err != nil {
		if unusable, ok := errors.AsType[*indexfile.Error](err); ok {
			err = fmt.Errorf("%w; pack a build that this version of catalog reads", unusable.Err)
		}
		lastGood := f.last != nil && m.Version == f.last.Version // perhaps good for another version of this program
		if result == resultUpdated && !lastGood && m.Version != f.previous {
			err = errors.Join(err, os.RemoveAll(folder))
		}
		return &refusedError{err.Error()}
	}
	f.serves(m)
	f.answered(result)
	return nil
}

// serves records the build in use, and removes those that no request can still need. The previous
// one is kept for requests that began before.
func (f *Follower) serves(m *BuildManifest) {
	if f.serving != nil && f.serving.Version != m.Version {
		f.previous = f.serving.Version
	}
	f.serving, f.last = m, m
	if err := f.cache.keep(m); err != nil {
		f.o.Logger.Error("cannot keep the build in the cache for a start without the origin", "error", err)
	}
	f.cache.removeOthers(buildsName, m.Version, f.previous)
}

// answered records that the origin has an acceptable build.
func (f *Follower) answered(result string) {
	f.checks.WithLabelValues(result).Inc()
	f.refused, f.refusals = nil, 0
	if f.unreachable {
		f.unreachable = false
		f.o.Logger.Info("the origin answers again", "origin", f.o.Origin.String())
	}
}

// refuse records that a build is not served. m is nil if its manifest is malformed. The build is
// tried again later, because the cause may be gone by then. A repeated refusal is logged only once.
func (f *Follower) refuse(text []byte, m *BuildManifest, err error) error {
	f.checks.WithLabelValues(resultRefused).Inc()
	isNew := string(text) != string(f.refused)
	if isNew {
		f.refused, f.refusals = text, 0
	}
	f.retry = f.o.Now().Add(min(f.o.Poll<<min(f.refusals, 20), maxRetry))
	f.refusals++
	if isNew || err.Error() != f.reason {
		f.reason = err.Error()
		version := ""
		if m != nil {
			version = m.Version
		}
		f.o.Logger.Error("the origin's build was refused", "origin", f.o.Origin.String(), "version", version,
			"serving", f.servingVersion(), "error", err)
	}
	return err
}

// failed records that no build could be downloaded or stored. Only the first of many failures is
// logged.
func (f *Follower) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return err // the program is stopping
	}
	f.checks.WithLabelValues(resultUnreachable).Inc()
	if !f.unreachable {
		f.unreachable = true
		f.o.Logger.Warn("cannot get a build from the origin", "origin", f.o.Origin.String(),
			"serving", f.servingVersion(), "error", err)
	}
	return err
}

// servingVersion names the build in use.
func (f *Follower) servingVersion() string {
	if f.serving == nil {
		return "none"
	}
	return f.serving.Version
}

// refusedError means that a build itself is not acceptable, not that it could not be downloaded or
// stored.
type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

func refused(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// future is how far Created may be ahead of this machine's clock.
const future = 24 * time.Hour

// checkAge refuses a manifest that is older than the last one served, unless allowRollback is set.
// It also refuses one from the future, because all correct later ones would be older.
func checkAge(m, last *BuildManifest, allowRollback bool, now time.Time) error {
	if created := m.CreatedTime(); created.After(now.Add(future)) {
		return refused("the manifest was created at %s, and it is %s now: the clock of this machine, or of the one"+
			" that packed it, is wrong", m.Created, now.UTC().Format(time.RFC3339))
	}
	if last != nil && m.CreatedTime().Before(last.CreatedTime()) && !allowRollback {
		return refused("the manifest was created at %s, before the one in use (%s): to go back, pack the old folder"+
			" again, or use --allow-rollback", m.Created, last.Created)
	}
	return nil
}
