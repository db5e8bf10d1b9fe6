//go:build unix

package ratestore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
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
	s := &silent{}
	s.address = processtest.StartTCP(t, func(connection net.Conn) {
		s.accepted.Add(1)
		s.open.Add(1)
		defer s.open.Add(-1)
		_, _ = io.Copy(io.Discard, connection) // until the other side closes it
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
		{"many answers", "redis://%s", 100},
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
				a := newRedisClient(parse(t, fmt.Sprintf(test.url, server.address)), nil)
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
				await(t, "calls under way", func() bool { return a.waiting() == test.before })

				ctx, end := how.end(t.Context())
				defer end()
				ended := make(chan error)
				go func() {
					_, err := a.take(ctx, "key", 1)
					ended <- err
				}()
				if how.want == context.Canceled {
					await(t, "the call", func() bool { return server.accepted.Load() == 1 })
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
				if n := server.accepted.Load(); n != 1 {
					t.Errorf("%d connections were made", n)
				}
				endLong()
				group.Wait()
				a.close()
				await(t, "closed", func() bool { return server.open.Load() == 0 })
			})
		}
	}
}

// waiting returns how many calls were made and not answered.
func (a *redisClient) waiting() int {
	c := a.current.Load()
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// Who waits for longer does not wait for longer than dialTimeout until there is a
// connection.
func TestConnectingTakesNoLongerThanItMay(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	for _, url := range []string{"rediss://%s", "redis://:hush@%s", "redis://%s/3"} {
		a := redisClientOf(t, fmt.Sprintf(url, startSilent(t).address))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := a.take(ctx, "key", 1)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Errorf("%s: %v, and of the caller's time: %v", url, err, ctx.Err())
		}
		cancel()
	}
}

// To be closed while calls are under way is no fault.
func TestCloseWhileCallsWait(t *testing.T) {
	t.Parallel()
	server := startSilent(t)
	for range 20 {
		a := newRedisClient(parse(t, "redis://"+server.address), nil)
		ctx, end := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if _, err := a.take(ctx, "key", 1); err == nil {
					t.Error("a call without an answer succeeds")
				}
			})
		}
		await(t, "calls under way", func() bool { return a.waiting() == 100 })
		group.Go(end)
		a.close()
		group.Wait()
		if _, err := a.take(t.Context(), "key", 1); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a call after the end: %v", err)
		}
		await(t, "closed", func() bool { return server.open.Load() == 0 })
	}
}

// fill makes n calls at once, of the keys from number first on.
func (a *redisClient) fill(t *testing.T, r *processtest.Redis, first, n int) {
	t.Helper()
	r.Pause()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if v, err := a.take(t.Context(), a.redisKey(numbered(first+i)), 10+i); err != nil || v != (Verdict{true, 9 + i, 60}) {
				t.Errorf("call %d: %+v, %v", i, v, err)
			}
		})
	}
	await(t, "calls under way", func() bool { return a.waiting() == n })
	r.Resume()
	group.Wait()
}

// However many calls are made at once, one connection carries them.
func TestCallsShareAConnection(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := redisClientOf(t, r.URL)
	if _, err := a.take(t.Context(), "key", 1); err != nil {
		t.Fatal(err)
	}
	a.fill(t, r, 0, 1000)
	a.fill(t, r, 1000, 1000)
	if n := len(clientsOf(r)); n != 1 {
		t.Errorf("Redis has %d connections, want 1", n)
	}
}

// What is answered too late is not taken for the answer to somebody else.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := redisClientOf(t, r.URL)
	const calls = 8
	if _, err := a.take(t.Context(), "key", 1); err != nil {
		t.Fatal(err)
	}
	a.fill(t, r, 0, calls)
	r.Pause()
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			if v, err := a.take(late, a.redisKey(numbered(100+i)), 1000); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a Redis that is paused answers %+v, %v", v, err)
			}
		})
	}
	group.Wait()
	a.fill(t, r, 200, calls) // these wait when the late answers come
	for i := range calls {
		if v, err := a.take(t.Context(), a.redisKey(numbered(300+i)), 20); err != nil || v != (Verdict{true, 19, 60}) {
			t.Errorf("call %d: %+v, %v", i, v, err)
		}
	}
}

// clientsOf returns the numbers that Redis gives its connections, but for that of
// the one who asks.
func clientsOf(r *processtest.Redis) map[string]bool {
	clients := map[string]bool{}
	for line := range strings.Lines(r.Tell("CLIENT", "LIST")) {
		id, rest, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
		if id != "" && !strings.Contains(rest, "cmd=client|list") {
			clients[id] = true
		}
	}
	return clients
}

// That Redis closes connections which were idle is nothing that anybody notices.
func TestRedisClosesIdleConnections(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	kill, expire := []string{"CLIENT", "KILL", "TYPE", "normal"}, []string{"CONFIG", "SET", "timeout", "1"}
	tests := []struct {
		name        string
		certificate *processtest.Certificate
		close       []string // the command
	}{
		{"killed", nil, kill},
		{"killed, with TLS", certificate, kill},
		{"idle for too long", nil, expire},
		{"idle for too long, with TLS", certificate, expire},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := processtest.StartRedis(t, processtest.RedisOptions{Certificate: test.certificate})
			s, log := newShared(t, r.URL, func(o *Options) {
				if test.certificate != nil {
					o.TLS = certificate.Trust()
				}
			})
			await(t, "reached", reached(log))
			for round := range 4 {
				if len(clientsOf(r)) != 1 {
					t.Fatalf("the connections are %v", clientsOf(r))
				}
				r.Tell(test.close...)
				await(t, "closed", func() bool { return len(clientsOf(r)) == 0 })
				r.Tell("CONFIG", "SET", "timeout", "0")
				for i := range 20 {
					if v := s.Take(t.Context(), numbered(1000+round), 100); !v.Allowed || v.Left != 99-i {
						t.Errorf("request %d: %+v", i, v)
					}
				}
			}
			if stats := s.Stats(); stats.State != InShared || stats.SharedDecisions != 80 || stats.LocalDecisions != 0 || stats.Errors != 0 || stats.Falls != 0 {
				t.Errorf("stats: %+v\n%s", stats, log)
			}
		})
	}
}

// A Redis that answers, but with a refusal, has failed: its connection is not used
// again.
func TestRefusingRedis(t *testing.T) {
	t.Parallel()
	tests := []struct {
		says           string
		refuse, permit []string
	}{
		{"OOM", []string{"CONFIG SET maxmemory 1"}, []string{"CONFIG SET maxmemory 0"}},
		{"READONLY", []string{"REPLICAOF 127.0.0.1 1"}, []string{"REPLICAOF NO ONE"}},
		{"MASTERDOWN", []string{"CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"}, []string{"REPLICAOF NO ONE"}},
		{"NOPERM", []string{"ACL SETUSER default -evalsha"}, []string{"ACL SETUSER default +evalsha"}},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			t.Parallel()
			r := processtest.StartRedis(t, processtest.RedisOptions{})
			s, log := newShared(t, r.URL, nil)
			await(t, "reached", reached(log))
			tell := func(commands []string) {
				for _, command := range commands {
					r.Tell(strings.Fields(command)...)
				}
			}
			before := clientsOf(r)

			tell(test.refuse)
			if _, err := redisClientOf(t, r.URL).take(t.Context(), "catalog:allowance:one", 5); !isRedisError(err, test.says) {
				t.Errorf("Redis says %v, want %s", err, test.says)
			}
			if v := s.Take(t.Context(), numbered(1000), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request that Redis refuses: %+v", v)
			}
			await(t, "a probe that fails", func() bool { return s.Stats().Errors > 1 })
			if stats := s.Stats(); stats.State != InLocal || stats.Falls != 1 || stats.LocalDecisions != 1 {
				t.Errorf("refused: %+v", stats)
			}
			tell(test.permit)
			await(t, "rejoined", func() bool { return s.State() == InShared })
			if v := s.Take(t.Context(), numbered(1001), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request after that: %+v", v)
			}
			if stats := s.Stats(); stats.SharedDecisions != 1 || stats.Rejoins != 1 {
				t.Errorf("rejoined: %+v", stats)
			}
			await(t, "none of the connections from before", func() bool {
				for id := range clientsOf(r) {
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

// One connection is enough for calls one after another, also where Redis does not
// have the script.
func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	for _, shown := range []*processtest.Certificate{nil, certificate} {
		r := processtest.StartRedis(t, processtest.RedisOptions{Certificate: shown})
		a := newRedisClient(parse(t, r.URL), certificate.Trust())
		var first map[string]bool
		for range 3 {
			r.Tell("SCRIPT", "FLUSH")
			for range 3 {
				if _, err := a.take(t.Context(), "key", 10); err != nil {
					t.Fatal(err)
				}
				if now := clientsOf(r); first == nil {
					first = now
				} else if len(now) != 1 || !maps.Equal(now, first) {
					t.Errorf("after %d loads, connections %v are followed by %v", a.loads.Load(), first, now)
				}
			}
		}
		if a.loads.Load() != 3 {
			t.Errorf("the script was loaded %d times", a.loads.Load())
		}
		a.close()
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := redisClientOf(t, r.URL+"/3")
	if _, err := a.take(t.Context(), "key", 10); err != nil {
		t.Fatal(err)
	}
	if databases := r.Tell("INFO", "keyspace"); strings.Count(databases, "db") != 1 || !strings.Contains(databases, "db3:keys=1,") {
		t.Errorf("the databases are %s", databases)
	}
}

// A Redis of before users knows AUTH with a password alone.
func TestPasswordOfARedisBeforeUsers(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"AUTH default hush":                 "-ERR wrong number of arguments for 'auth' command",
		"AUTH hush":                         "+OK",
		"EVALSHA " + takeHash + " 1 key 10": "*3\r\n:1\r\n:9\r\n:60",
	}
	var asked []string
	ended := make(chan struct{})
	address := processtest.StartTCP(t, func(connection net.Conn) {
		defer close(ended)
		for in := bufio.NewReader(connection); ; {
			command, err := readCommand(in)
			if err != nil {
				return
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
	})
	a := newRedisClient(parse(t, "redis://:hush@"+address), nil)
	v, err := a.take(t.Context(), "key", 10)
	if err != nil || v != (Verdict{true, 9, 60}) {
		t.Errorf("%+v, %v", v, err)
	}
	a.close()
	<-ended
	if len(asked) != 3 {
		t.Errorf("it is asked %q", asked)
	}
}
