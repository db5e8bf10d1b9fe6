//go:build unix

package ratestore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"github.com/gomodule/redigo/redis"
)

// silent is a server that takes connections and says nothing.
type silent struct {
	address string
	// accepted and open count connections: all of them, and those that the other
	// side has not closed.
	accepted, open atomic.Int64
}

func startSilent(t *testing.T) *silent {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &silent{address: l.Addr().String()}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			connection, err := l.Accept()
			if err != nil {
				return
			}
			s.accepted.Add(1)
			s.open.Add(1)
			group.Go(func() {
				_, _ = io.Copy(io.Discard, connection) // until the other side closes it
				_ = connection.Close()
				s.open.Add(-1)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		group.Wait()
	})
	return s
}

// Whatever a call waits for, it ends with its context, and leaves nothing behind.
func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string // with the address in the place of the %s
		before    int    // calls that are under way and do not end
	}{
		{"TLS", "rediss://%s", 0},
		{"password", "redis://:hush@%s", 0},
		{"user", "redis://me:hush@%s", 0},
		{"database", "redis://%s/3", 0},
		{"answer", "redis://%s", 0},
		{"connection", "redis://%s", maxConnections},
	}
	ends := []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"time is up", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 20*time.Millisecond)
		}, context.DeadlineExceeded},
		{"nobody waits any more", context.WithCancel, context.Canceled},
	}
	for _, test := range tests {
		for _, how := range ends {
			t.Run(test.name+", "+how.name, func(t *testing.T) {
				t.Parallel()
				server := startSilent(t)
				a := askerOf(t, fmt.Sprintf(test.url, server.address))
				long, endLong := context.WithCancel(t.Context())
				defer endLong()
				var group sync.WaitGroup
				for range test.before {
					group.Go(func() {
						if _, err := a.take(long, "key", 1); !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
					})
				}
				await(t, "calls under way", func() bool { return server.accepted.Load() == int64(test.before) })

				ctx, end := how.end(t.Context())
				defer end()
				ended := make(chan error)
				go func() {
					_, err := a.take(ctx, "key", 1)
					ended <- err
				}()
				if how.want == context.Canceled {
					if test.before == 0 {
						await(t, "the call", func() bool { return server.accepted.Load() == 1 })
					}
					end()
				}
				select {
				case err := <-ended:
					if !errors.Is(err, how.want) {
						t.Errorf("the call ends with %v, want %v", err, how.want)
					}
				case <-time.After(patience):
					t.Fatal("the call does not end")
				}
				if n := server.accepted.Load(); n > int64(max(1, test.before)) {
					t.Errorf("%d connections were made", n)
				}
				endLong()
				group.Wait()
				if len(a.calls) != 0 || a.pool.ActiveCount() != 0 {
					t.Errorf("%d calls and %d connections are left", len(a.calls), a.pool.ActiveCount())
				}
				await(t, "closed", func() bool { return server.open.Load() == 0 })
			})
		}
	}
}

// Who waits for longer does not wait for longer than dialTimeout until there is a
// connection.
func TestConnectingTakesNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"rediss://%s", "redis://:hush@%s", "redis://%s/3"} {
		a := askerOf(t, fmt.Sprintf(url, startSilent(t).address))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := a.take(ctx, "key", 1)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Errorf("%s: %v, and of the caller's time: %v", url, err, ctx.Err())
		}
		cancel()
	}
}

// To be closed while calls are under way and wait, some of them for no longer, is
// no fault.
func TestCloseWhileCallsWait(t *testing.T) {
	t.Parallel()
	server := startSilent(t)
	for range 20 {
		a := newAsker(parse(t, "redis://"+server.address), nil)
		ctx, end := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 2 * maxConnections {
			group.Go(func() {
				if _, err := a.take(ctx, "key", 1); err == nil {
					t.Error("a call without an answer succeeds")
				}
			})
		}
		await(t, "calls under way", func() bool { return a.pool.ActiveCount() == maxConnections })
		group.Go(end)
		if err := a.close(); err != nil {
			t.Error(err)
		}
		group.Wait()
		if _, err := a.take(t.Context(), "key", 1); err == nil {
			t.Error("a call after the end succeeds")
		}
		await(t, "closed", func() bool { return server.open.Load() == 0 })
	}
}

// fill makes n calls at once, of the payers from number first on, so that there are
// n connections at least.
func (a *asker) fill(t *testing.T, r *processtest.Redis, first, n int) {
	t.Helper()
	r.Pause()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if v, err := a.take(t.Context(), a.key(numbered(first+i)), 10+i); err != nil || v != (Verdict{true, 9 + i, 60}) {
				t.Errorf("call %d: %+v, %v", i, v, err)
			}
		})
	}
	wanted := min(n, maxConnections)
	await(t, "calls under way", func() bool { return len(a.calls) == wanted && a.pool.ActiveCount() >= wanted })
	r.Resume()
	group.Wait()
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := askerOf(t, r.URL)
	a.fill(t, r, 0, 3*maxConnections)
	a.fill(t, r, 1000, 3*maxConnections)
	if n := a.pool.ActiveCount(); n != maxConnections {
		t.Errorf("there are %d connections, want %d", n, maxConnections)
	}
	if n := strings.Count(a.tell(t, "CLIENT", "LIST"), "\n"); n != maxConnections {
		t.Errorf("Redis has %d connections, want %d", n, maxConnections)
	}
}

// What is answered too late is not taken for the answer to somebody else.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := askerOf(t, r.URL)
	const calls = 8
	a.fill(t, r, 0, calls)
	r.Pause()
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			if v, err := a.take(late, a.key(numbered(100+i)), 1000); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a Redis that is paused answers %+v, %v", v, err)
			}
		})
	}
	group.Wait()
	a.fill(t, r, 200, calls) // these wait when the late answers come
	for i := range calls {
		if v, err := a.take(t.Context(), a.key(numbered(300+i)), 20); err != nil || v != (Verdict{true, 19, 60}) {
			t.Errorf("call %d: %+v, %v", i, v, err)
		}
	}
}

// clients returns the numbers that Redis gives its connections, but for a's own.
func (a *asker) clients(t testing.TB) map[string]bool {
	t.Helper()
	own, clients := a.tell(t, "CLIENT", "ID"), map[string]bool{}
	for line := range strings.Lines(a.tell(t, "CLIENT", "LIST")) {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
		if id != own {
			clients[id] = true
		}
	}
	return clients
}

// That Redis closes connections which were idle is nothing that anybody notices.
func TestIdleConnectionsThatRedisCloses(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	tests := []struct {
		name        string
		certificate *processtest.Certificate
		close       []any // the command
	}{
		{"killed", nil, []any{"CLIENT", "KILL", "TYPE", "normal"}},
		{"killed, with TLS", certificate, []any{"CLIENT", "KILL", "TYPE", "normal"}},
		{"idle for too long", nil, []any{"CONFIG", "SET", "timeout", 1}},
		{"idle for too long, with TLS", certificate, []any{"CONFIG", "SET", "timeout", 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := processtest.StartRedis(t, processtest.RedisOptions{Certificate: test.certificate})
			change := func(o *Options) {
				if test.certificate != nil {
					o.TLS = certificate.Trust()
				}
			}
			s, log := newShared(t, r.URL, change)
			await(t, "reached", reached(log))
			o := Options{}
			change(&o)
			other := newAsker(parse(t, r.URL), o.TLS)
			defer other.close() //nolint:errcheck // of a test
			for round := range 2 {
				s.asker.fill(t, r, 100*round, 8)
				before := other.clients(t)
				if len(before) < 8 {
					t.Fatalf("there are %d connections", len(before))
				}
				other.tell(t, test.close[0].(string), test.close[1:]...)
				await(t, "closed", func() bool { return len(other.clients(t)) == 0 })
				other.tell(t, "CONFIG", "SET", "timeout", 0)
				for i := range 20 {
					if v := s.Take(numbered(1000+round), 100); !v.Allowed || v.Left != 99-i {
						t.Errorf("request %d: %+v", i, v)
					}
				}
			}
			if stats := s.Stats(); stats.State != InShared || stats.SharedDecisions != 40 || stats.LocalDecisions != 0 || stats.Errors != 0 || stats.Falls != 0 {
				t.Errorf("stats: %+v\n%s", stats, log)
			}
		})
	}
}

// A Redis that answers, but with a refusal, has failed: its connections are not
// used again, neither those that were refused nor those that were idle.
func TestRedisThatRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		says           string
		refuse, permit [][]any
	}{
		{"OOM", [][]any{{"CONFIG", "SET", "maxmemory", 1}}, [][]any{{"CONFIG", "SET", "maxmemory", 0}}},
		{"READONLY", [][]any{{"REPLICAOF", "127.0.0.1", 1}}, [][]any{{"REPLICAOF", "NO", "ONE"}}},
		{"MASTERDOWN", [][]any{{"CONFIG", "SET", "replica-serve-stale-data", "no"}, {"REPLICAOF", "127.0.0.1", 1}}, [][]any{{"REPLICAOF", "NO", "ONE"}}},
		{"NOPERM", [][]any{{"ACL", "SETUSER", "default", "-evalsha"}}, [][]any{{"ACL", "SETUSER", "default", "+evalsha"}}},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			t.Parallel()
			r := processtest.StartRedis(t, processtest.RedisOptions{})
			s, log := newShared(t, r.URL, nil)
			await(t, "reached", reached(log))
			other := askerOf(t, r.URL)
			tell := func(commands [][]any) {
				for _, command := range commands {
					other.tell(t, command[0].(string), command[1:]...)
				}
			}
			s.asker.fill(t, r, 0, 8)
			before := other.clients(t)

			tell(test.refuse)
			if _, err := newAskerThatCloses(t, r.URL).take(t.Context(), "catalog:allowance:one", 5); !isReply(err, test.says) {
				t.Errorf("Redis says %v, want %s", err, test.says)
			}
			if v := s.Take(numbered(1000), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request that Redis refuses: %+v", v)
			}
			await(t, "a probe that fails", func() bool { return s.Stats().Errors > 1 })
			if stats := s.Stats(); stats.State != InLocal || stats.Falls != 1 || stats.LocalDecisions != 1 {
				t.Errorf("refused: %+v", stats)
			}
			tell(test.permit)
			await(t, "rejoined", func() bool { return s.State() == InShared })
			if v := s.Take(numbered(1001), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request after that: %+v", v)
			}
			if stats := s.Stats(); stats.SharedDecisions != 1 || stats.Rejoins != 1 {
				t.Errorf("rejoined: %+v", stats)
			}
			await(t, "none of the connections from before", func() bool {
				for id := range other.clients(t) {
					if before[id] {
						return false
					}
				}
				return true
			})
			if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, test.says) {
				t.Errorf("the log says %s", text)
			}
		})
	}
}

// newAskerThatCloses checks, at the end, that no connection is kept after a call
// that was refused.
func newAskerThatCloses(t *testing.T, url string) *asker {
	a := askerOf(t, url)
	t.Cleanup(func() {
		if n := a.pool.ActiveCount(); n != 0 {
			t.Errorf("%d connections are kept on which calls were refused", n)
		}
	})
	return a
}

// One connection is enough for calls one after another, also where Redis does not
// have the script.
func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	for _, shown := range []*processtest.Certificate{nil, certificate} {
		a := newAsker(parse(t, processtest.StartRedis(t, processtest.RedisOptions{Certificate: shown}).URL), certificate.Trust())
		before := a.tell(t, "CLIENT", "ID")
		for range 3 {
			a.tell(t, "SCRIPT", "FLUSH")
			for range 3 {
				if _, err := a.take(t.Context(), "key", 10); err != nil {
					t.Fatal(err)
				}
			}
		}
		if after := a.tell(t, "CLIENT", "ID"); after != before || a.loads.Load() != 3 {
			t.Errorf("after %d loads, connection %s is followed by %s", a.loads.Load(), before, after)
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	url := processtest.StartRedis(t, processtest.RedisOptions{}).URL
	a := askerOf(t, url+"/3")
	if _, err := a.take(t.Context(), "key", 10); err != nil {
		t.Fatal(err)
	}
	if databases := askerOf(t, url).tell(t, "INFO", "keyspace"); strings.Count(databases, "db") != 1 || !strings.Contains(databases, "db3:keys=1,") {
		t.Errorf("the databases are %s", databases)
	}
}

// A Redis of before users knows AUTH with a password alone.
func TestPasswordOfARedisBeforeUsers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{
		"AUTH default hush": "-ERR wrong number of arguments for 'auth' command",
		"AUTH hush":         "+OK",
		"EVALSHA " + redis.NewScript(1, takeScript).Hash() + " 1 key 10": "*3\r\n:1\r\n:9\r\n:60",
	}
	var asked []string
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		connection, err := l.Accept()
		if err != nil {
			return
		}
		defer connection.Close() //nolint:errcheck // of a test
		for in := bufio.NewScanner(connection); in.Scan(); {
			var words, size int
			if _, err := fmt.Sscanf(in.Text(), "*%d", &words); err != nil {
				t.Error(err)
				return
			}
			var command []string
			for range words {
				in.Scan()
				if _, err := fmt.Sscanf(in.Text(), "$%d", &size); err != nil || !in.Scan() || len(in.Text()) != size {
					t.Errorf("%q has not %d bytes: %v", in.Text(), size, err)
					return
				}
				command = append(command, in.Text())
			}
			asked = append(asked, strings.Join(command, " "))
			answer, known := answers[asked[len(asked)-1]]
			if !known {
				answer = "-ERR unknown command"
			}
			if _, err := io.WriteString(connection, answer+"\r\n"); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	a := newAsker(parse(t, "redis://:hush@"+l.Addr().String()), nil)
	v, err := a.take(t.Context(), "key", 10)
	if err != nil || v != (Verdict{true, 9, 60}) {
		t.Errorf("%+v, %v", v, err)
	}
	_ = a.close()
	_ = l.Close()
	<-ended
	if len(asked) != 3 {
		t.Errorf("it is asked %q", asked)
	}
}
