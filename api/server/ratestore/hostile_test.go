//go:build unix

package ratestore

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// honest is an answer that the script could give to any request with a limit of 5, and to
// probes.
const honest = "*3\r\n:1\r\n:3\r\n:60\r\n"

// says answers with these bytes.
func says(text string) func(net.Conn) error {
	return func(connection net.Conn) error {
		_, err := io.WriteString(connection, text)
		return err
	}
}

// errEnd ends a connection of a fake.
var errEnd = errors.New("the fake has said all")

// hostileAnswers are by what they are. TestGuard has more that never reach the library.
var hostileAnswers = map[string]func(net.Conn) error{
	"string":           says("+OK\r\n"),
	"error":            says("-ERR no\r\n"),
	"error of 1 MB":    says("-ERR " + strings.Repeat("x", 1<<20) + "\r\n"),
	"null":             says("*-1\r\n"),
	"array of two":     says("*2\r\n:1\r\n:3\r\n"),
	"array of four":    says("*4\r\n:1\r\n:3\r\n:60\r\n:60\r\n"),
	"array of letters": says("*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n"),
	"array of errors":  says("*3\r\n-ERR\r\n-ERR\r\n-ERR\r\n"),
	"long array":       says("*1000000\r\n"),
	"HTTP":             says("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
	"allowed 2":        says("*3\r\n:2\r\n:3\r\n:60\r\n"),
	"left -1":          says("*3\r\n:1\r\n:-1\r\n:60\r\n"),
	"left but refused": says("*3\r\n:0\r\n:1\r\n:60\r\n"),
	"reset 0":          says("*3\r\n:1\r\n:3\r\n:0\r\n"),
	"reset 61":         says("*3\r\n:1\r\n:3\r\n:61\r\n"),
	"nothing":          says(""),
	"half a reply":     says("*3\r\n:1\r\n"),
	"hangs up":         func(net.Conn) error { return errEnd },
	"hangs up in the middle": func(c net.Conn) error {
		return errors.Join(says("*3\r\n:1\r\n:3")(c), errEnd)
	},
	"never ends": func(c net.Conn) error {
		for {
			if err := says("+OK\r\n")(c); err != nil {
				return err
			}
		}
	},
}

// Whatever a Redis answers, the process answers requests in time, by its own counts; it is
// told once that it has lost its Redis, and finds it when it is itself again. At the end,
// nothing is left of it.
func TestHostileRedis(t *testing.T) {
	soak.Long(t)
	before := runtime.NumGoroutine()
	t.Run("answers", func(t *testing.T) {
		for name, answer := range hostileAnswers {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var turned atomic.Bool
				address := processtest.StartFakeRedis(t, func(c net.Conn) error {
					if turned.Load() {
						return answer(c)
					}
					return says(honest)(c)
				})
				s, log := newShared(t, "redis://"+address, func(o *Options) { o.Timeout = DefaultTimeout })
				// A machine that is busy may make the store lose even the honest one.
				await(t, "shared", func() bool { return s.Stats().State == InShared && reached(log)() })
				lost := s.Stats().Falls
				turned.Store(true)
				begun := time.Now()
				for i := range 8 {
					v := s.Take(t.Context(), numbered(0), 5)
					if v.Allowed != (i < 5) || v.Left != max(0, 4-i) || v.Reset < 1 || v.Reset > 60 {
						t.Errorf("request %d: %+v", i, v)
					}
				}
				// One of them waited, for 50 ms at most; the rest is for a busy machine.
				if took := time.Since(begun); took > 5*time.Second {
					t.Errorf("8 requests took %v", took)
				}
				probed := s.Stats().Errors + 2
				await(t, "probes that fail", func() bool { return s.Stats().Errors >= probed })
				if stats := s.Stats(); stats.State != InLocal || stats.Falls != lost+1 || stats.LocalDecisions == 0 {
					t.Errorf("stats: %+v", stats)
				}
				n := strings.Count(log.String(), "level=WARN")
				if n != int(lost)+1 || len(log.String()) > (int(lost)+2)*(1<<10) {
					t.Errorf("the loss is logged %d times: %s", n, log)
				}
				turned.Store(false)
				await(t, "rejoined", func() bool { return s.Stats().State == InShared })
			})
		}
	})
	await(t, "goroutines that end", func() bool { return runtime.NumGoroutine() <= before })
}

// Redis grants everything, as one does that is lost between any two requests: no client
// gets more of this replica than its allowance. It may also say more than it is asked for.
func TestRedisGrantsEverything(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{honest, honest + honest} {
		s, log := newShared(t, "redis://"+processtest.StartFakeRedis(t, says(answer)), nil)
		await(t, "reached", reached(log))
		var granted atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 100 {
					if s.Take(t.Context(), numbered(0), 120).Allowed {
						granted.Add(1)
					}
				}
			})
		}
		group.Wait()
		v := s.Take(t.Context(), numbered(0), 120)
		if granted.Load() != 120 || v.Allowed || v.Left != 0 || v.Reset < 1 || v.Reset > 60 {
			t.Errorf("%d requests were granted, want 120; one more: %+v", granted.Load(), v)
		}
		if stats := s.Stats(); stats.Errors != 0 {
			t.Errorf("stats: %+v\n%s", stats, log)
		}
	}
}

// Many requests of a slow Redis wait for it at the same time, and not for each other. Who
// hangs up before it has answered does not make the others lose it.
func TestManyRequestsOfASlowRedis(t *testing.T) {
	t.Parallel()
	var waiting atomic.Int64
	everybody := make(chan struct{})
	var slow atomic.Bool
	const requests = 100
	address := processtest.StartFakeRedis(t, func(c net.Conn) error {
		if slow.Load() {
			if waiting.Add(1) == requests {
				close(everybody)
			}
			<-everybody
		}
		return says(honest)(c)
	})
	s, log := newShared(t, "redis://"+address, func(o *Options) { o.Timeout = patience })
	await(t, "reached", reached(log))
	slow.Store(true)
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	var group sync.WaitGroup
	for i := range requests {
		group.Go(func() {
			if v := s.Take([]context.Context{ctx, t.Context()}[i%2], numbered(i), 5); !v.Allowed || v.Left != 3 {
				t.Errorf("request %d: %+v", i, v)
			}
		})
	}
	group.Wait()
	if stats := s.Stats(); stats.SharedDecisions != requests || stats.Falls != 0 || stats.Errors != 0 {
		t.Errorf("stats: %+v\n%s", stats, log)
	}
}

// What is answered too late is not taken for the answer to somebody else.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	c := redisClientOf(t, r.URL)
	take := func(ctx context.Context, client, limit int) (Verdict, error) {
		return c.take(ctx, c.redisKey(numbered(client)), limit)
	}
	if _, err := take(t.Context(), 0, 1); err != nil {
		t.Fatal(err)
	}
	r.Pause()
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if v, err := take(late, 100+i, 1000); err == nil {
				t.Errorf("a Redis that is paused answers %+v", v)
			}
		})
	}
	group.Wait()
	for i := range 8 { // these wait when the late answers come
		group.Go(func() {
			if v, err := take(t.Context(), 200+i, 10+i); err != nil || v != (Verdict{true, 9 + i, 60}) {
				t.Errorf("call %d: %+v, %v", i, v, err)
			}
		})
	}
	r.Resume()
	group.Wait()
}

// A Redis that answers, but with a refusal, has failed: its connections are not used again.
func TestRefusingRedis(t *testing.T) {
	t.Parallel()
	for says, commands := range map[string][]string{ // what makes Redis refuse, and permit again
		"OOM":      {"CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"},
		"READONLY": {"REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"},
		"NOPERM":   {"ACL SETUSER default -evalsha", "ACL SETUSER default +evalsha"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			r := processtest.StartRedis(t, processtest.RedisOptions{})
			s, log := newShared(t, r.URL, nil)
			await(t, "reached", reached(log))
			r.Tell(strings.Fields(commands[0])...)
			if v := s.Take(t.Context(), numbered(1000), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request that Redis refuses: %+v", v)
			}
			await(t, "a probe that fails", func() bool { return s.Stats().Errors > 1 })
			if stats := s.Stats(); stats.State != InLocal || stats.Falls != 1 || stats.LocalDecisions != 1 {
				t.Errorf("refused: %+v", stats)
			}
			r.Tell(strings.Fields(commands[1])...)
			await(t, "rejoined", func() bool { return s.Stats().State == InShared })
			if v := s.Take(t.Context(), numbered(1001), 5); !v.Allowed || v.Left != 4 {
				t.Errorf("a request after that: %+v", v)
			}
			if stats := s.Stats(); stats.SharedDecisions != 1 || stats.Rejoins != 1 {
				t.Errorf("rejoined: %+v", stats)
			}
			if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, says) || !strings.Contains(text, "does not run the script") {
				t.Errorf("the log says %s", text)
			}
		})
	}
}

// What is logged tells an engine that cannot run the script from one that cannot be reached.
func TestWhatIsWrongWithTheStore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ answer, says string }{
		"an engine without scripts":  {"-ERR unknown command 'evalsha'\r\n", "unknown command 'evalsha'"},
		"a script that fails":        {"-ERR Error running script: attempt to index global 'struct'\r\n", "global 'struct'"},
		"numbers that cannot be":     {"*3\r\n:1\r\n:-1\r\n:1\r\n", "numbers that the script cannot return"},
		"an end of the conversation": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := processtest.StartFakeRedis(t, func(c net.Conn) error {
				if test.answer == "" {
					return io.EOF
				}
				return says(test.answer)(c)
			})
			s, log := newShared(t, "redis://"+address, nil)
			await(t, "lost", func() bool { return s.Stats().Falls == 1 && strings.Contains(log.String(), "level=WARN") })
			answers := test.says != ""
			text := log.String()
			if strings.Contains(text, "the rate store does not run the script") != answers || strings.Contains(text, "the rate store cannot be reached") == answers || !strings.Contains(text, test.says) {
				t.Errorf("the log says %s", text)
			}
		})
	}
}

// That Redis closes connections which were idle is nothing that anybody notices.
func TestRedisClosesIdleConnections(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	for _, shown := range []*processtest.Certificate{nil, certificate} {
		r := processtest.StartRedis(t, processtest.RedisOptions{Certificate: shown})
		s, log := newShared(t, r.URL, func(o *Options) { o.TLS = certificate.Trust() })
		await(t, "reached", reached(log))
		for round := range 4 {
			var group sync.WaitGroup
			for i := range 20 { // on several connections
				group.Go(func() {
					if v := s.Take(t.Context(), numbered(20*round+i), 100); !v.Allowed || v.Left != 99 {
						t.Errorf("request %d: %+v", i, v)
					}
				})
			}
			group.Wait()
			r.Tell("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		}
		stats := s.Stats()
		if stats.State != InShared || stats.SharedDecisions != 80 || stats.LocalDecisions != 0 || stats.Errors != 0 {
			t.Errorf("stats: %+v\n%s", stats, log)
		}
	}
}
