//go:build unix

package server

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/artifact"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/site"
)

// tally is how often answers came by status.
type tally map[int]int

// rateLimits are sane values of the header RateLimit with the allowance of 120.
var rateLimits = regexp.MustCompile(`^"anonymous";r=([0-9]|[1-9][0-9]|1[01][0-9]);t=([1-9]|[1-5][0-9]|60)$`)

// statusCounts sends requests to a server over sockets, and counts the answers. Their
// headers are to be sane.
func statusCounts(t *testing.T, address string, requests int) tally {
	t.Helper()
	got := tally{}
	for range requests {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/projects?limit=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		got[response.StatusCode]++
		if limit := response.Header.Get("RateLimit"); !rateLimits.MatchString(limit) {
			t.Errorf("status %d, RateLimit is %s", response.StatusCode, limit)
		}
		if after := response.Header.Get("Retry-After"); (after != "") != (response.StatusCode == http.StatusTooManyRequests) || after != "" && !regexp.MustCompile(`^([1-9]|[1-5][0-9]|60)$`).MatchString(after) {
			t.Errorf("status %d, Retry-After is %q", response.StatusCode, after)
		}
	}
	return got
}

// The whole server with a store that has a Redis of somebody else: every request
// is answered, and no client gets more than its allowance.
func TestServerWithAHostileRedis(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"a long array":           "*1000000\r\n",
		"an error of a megabyte": "-ERR " + strings.Repeat("x", 1<<20) + "\r\n",
		"left -2^63":             "*3\r\n:1\r\n:-9223372036854775808\r\n:60\r\n",
		"reset 2^63-1":           "*3\r\n:1\r\n:1\r\n:9223372036854775807\r\n",
		"everything is granted":  "*3\r\n:1\r\n:119\r\n:60\r\n",
		"silence":                "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := processtest.StartFakeRedis(t, func(connection net.Conn) error {
				_, err := io.WriteString(connection, answer)
				return err
			})
			endpoint, err := ratestore.ParseEndpoint("redis://" + address)
			if err != nil {
				t.Fatal(err)
			}
			log := &processtest.Output{}
			logger := slog.New(slog.NewTextHandler(log, nil))
			store := ratestore.NewShared(ratestore.Options{Endpoint: endpoint, Logger: logger})
			defer store.Close()
			f := newFixture(t, func(o *options) { o.RateStore, o.Logger = store, logger })
			s := httptest.NewServer(f.server.Handler())
			defer s.Close()
			if got := statusCounts(t, s.URL, 130); got[200] != 120 || got[429] != 10 {
				t.Errorf("of 130 requests: %v, want 120 answered and 10 refused", got)
			}
			if name == "everything is granted" {
				return
			}
			if up := f.value(t, `catalog_rate_store_up{store="redis"}`); up != 0 {
				t.Errorf("the store is up: %v", up)
			}
			if n := f.value(t, `catalog_rate_store_errors_total{store="redis"}`); n < 1 {
				t.Errorf("%v errors are counted", n)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != 1 || strings.Contains(log.String(), "level=ERROR") {
				t.Errorf("the log is %s", log)
			}
		})
	}
}

// The time of day is set back and forth by up to an hour, again and again:
// allowances hold all the same, nobody has to wait for longer, and nothing fails.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 12))
	var set atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(set.Load())) }
	jump := func() { set.Store(random.Int64N(int64(2*time.Hour)) - int64(time.Hour)) }
	trueTime := newClock()
	for _, test := range []struct {
		name  string
		store ratestore.Store // nil: the server's own
	}{
		{"the server's own store", nil},
		{"a store whose minutes pass", ratestore.NewMemory(0, trueTime.now)},
	} {
		folder := newFixture(t, nil).public
		settings := site.Defaults()
		o := options{Build: artifact.Build{Folder: folder}, Index: newIndex(t, settings), Settings: settings}
		o.Now, o.RateStore = now, test.store
		s, _, err := o.open()
		if err != nil {
			t.Fatal(err)
		}
		public := httptest.NewServer(s.Handler())
		defer public.Close()
		begun := time.Now()
		for minute := range 3 {
			got := tally{}
			for range 10 {
				jump()
				for status, n := range statusCounts(t, public.URL, 16) {
					got[status] += n
				}
			}
			if test.store == nil && minute > 0 {
				if time.Since(begun) < ratestore.Window && got[429] != 160 {
					t.Errorf("%s: of 160 requests after the allowance: %v", test.name, got)
				}
			} else if got[200] != 120 || got[429] != 40 {
				t.Errorf("%s, minute %d: of 160 requests: %v, want 120 answered and 40 refused", test.name, minute, got)
			}
			trueTime.pass(ratestore.Window)
		}
		response, err := http.Get(public.URL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: /readyz is %d", test.name, response.StatusCode)
		}
	}
}

// A client that closes its half of each connection, as soon as it has asked, is
// counted by all replicas together like any other.
func TestHalfClosedConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	endpoint, err := ratestore.ParseEndpoint(processtest.StartRedis(t, processtest.RedisOptions{}).URL)
	if err != nil {
		t.Fatal(err)
	}
	got := tally{}
	for range 2 {
		store := ratestore.NewShared(ratestore.Options{Endpoint: endpoint, Timeout: patience, Logger: slog.New(slog.DiscardHandler)})
		defer func() { _ = store.Close() }()
		eventually(t, "Redis is reached", func() bool { return store.Stats().State == ratestore.InShared })
		address := run(t, newFixture(t, func(o *options) { o.RateStore, o.Now = store, nil }).server)
		for range 130 {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(c, "GET /api/v1/projects?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n")
			if err := errors.Join(err, c.(*net.TCPConn).CloseWrite()); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			got[response.StatusCode]++
			_ = c.Close()
		}
	}
	if got[200] != 120 || got[429] != 140 {
		t.Errorf("two replicas answer %v", got)
	}
}
