//go:build unix

package ratestore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// honest is an answer that the script could give to any request with a limit of
// 5, and to probes.
const honest = "*3\r\n:1\r\n:3\r\n:60\r\n"

// turncoat is a Redis that answers honestly until it turns.
type turncoat struct {
	address string
	turned  atomic.Bool
}

// startTurncoat returns one that answers each command by answer once it has
// turned, until that fails.
func startTurncoat(t testing.TB, answer func(net.Conn) error) *turncoat {
	t.Helper()
	h := &turncoat{}
	h.address = processtest.StartTCP(t, func(connection net.Conn) {
		for in := bufio.NewReader(connection); ; {
			_, err := readCommand(in)
			if err == nil && h.turned.Load() {
				err = answer(connection)
			} else if err == nil {
				_, err = io.WriteString(connection, honest)
			}
			if err != nil {
				return
			}
		}
	})
	return h
}

// says answers with these bytes.
func says(text string) func(net.Conn) error {
	answer := []byte(text)
	return func(connection net.Conn) error {
		_, err := connection.Write(answer)
		return err
	}
}

// saysForEver answers with these bytes again and again.
func saysForEver(text string) func(net.Conn) error {
	answer := bytes.Repeat([]byte(text), 1+(64<<10)/len(text))
	return func(connection net.Conn) error {
		for {
			if _, err := connection.Write(answer); err != nil {
				return err
			}
		}
	}
}

// errEnd ends a connection of a fake.
var errEnd = errors.New("the fake has said all")

// hostileAnswers are by what they are.
var hostileAnswers = map[string]func(net.Conn) error{
	// All types of RESP2 and RESP3 but an array of three numbers.
	"simple string":         says("+OK\r\n"),
	"empty simple string":   says("+\r\n"),
	"error":                 says("-ERR no\r\n"),
	"empty error":           says("-\r\n"),
	"number":                says(":1\r\n"),
	"bulk string":           says("$5\r\nhello\r\n"),
	"empty bulk string":     says("$0\r\n\r\n"),
	"null bulk string":      says("$-1\r\n"),
	"null array":            says("*-1\r\n"),
	"empty array":           says("*0\r\n"),
	"array of bulk strings": says("*3\r\n$1\r\n1\r\n$1\r\n3\r\n$2\r\n60\r\n"),
	"array of strings":      says("*3\r\n+1\r\n+3\r\n+60\r\n"),
	"array of errors":       says("*3\r\n-ERR\r\n-ERR\r\n-ERR\r\n"),
	"array of arrays":       says("*3\r\n*3\r\n:1\r\n:3\r\n:60\r\n:3\r\n:60\r\n"),
	"null":                  says("_\r\n"),
	"boolean":               says("#t\r\n"),
	"double":                says(",1.5\r\n"),
	"big number":            says("(3492890328409238509324850943850943825024385\r\n"),
	"bulk error":            says("!21\r\nSYNTAX invalid syntax\r\n"),
	"verbatim string":       says("=15\r\ntxt:Some string\r\n"),
	"map":                   says("%1\r\n+a\r\n:1\r\n"),
	"set":                   says("~3\r\n:1\r\n:3\r\n:60\r\n"),
	"push":                  says(">3\r\n:1\r\n:3\r\n:60\r\n"),
	"attribute":             says("|1\r\n+a\r\n:1\r\n" + honest),
	"streamed string":       says("$?\r\n;4\r\nHell\r\n;0\r\n"),
	"streamed array":        says("*?\r\n:1\r\n:3\r\n:60\r\n.\r\n"),
	"unknown type":          says("@3\r\n"),

	// Lengths.
	"bulk string of 2^63-2": says("$9223372036854775806\r\n"),
	"bulk string of 2^63":   says("$9223372036854775808\r\n"),
	"bulk string of 1 TB":   says("$1000000000000\r\n"),
	"bulk string of -2":     says("$-2\r\n"),
	"array of 2 billion":    says("*2000000000\r\n"),
	"array of 2^63-1":       says("*9223372036854775807\r\n"),
	"array of -3":           says("*-3\r\n"),
	"map of 2 billion":      says("%2000000000\r\n"),
	"bulk error of 1 TB":    says("!1000000000000\r\n"),
	"array of two":          says("*2\r\n:1\r\n:3\r\n"),
	"array of four":         says("*4\r\n:1\r\n:3\r\n:60\r\n:60\r\n"),
	"length of many digits": says("*" + strings.Repeat("0", 100_000) + "3\r\n"),
	"deep array":            says(strings.Repeat("*1\r\n", 1_000_000)),
	"endless depth":         saysForEver("*1\r\n"),
	"endless array":         saysForEver("*2000000000\r\n:1\r\n"),
	"endless line":          saysForEver("+a"),
	"endless zeros":         saysForEver("\x00"),
	"endless number":        func(c net.Conn) error { _ = says("*3\r\n:")(c); return saysForEver("1")(c) },
	"endless error":         func(c net.Conn) error { _ = says("-ERR ")(c); return saysForEver("no ")(c) },
	"error of 1 MB":         says("-ERR " + strings.Repeat("x", 1<<20) + "\r\n"),

	// Numbers that are none, or no verdict.
	"letters":                says("*3\r\n:a\r\n:b\r\n:c\r\n"),
	"no digits":              says("*3\r\n:\r\n:\r\n:\r\n"),
	"fractions":              says("*3\r\n:1.0\r\n:3.0\r\n:60.0\r\n"),
	"beyond 64 bits":         says("*3\r\n:1\r\n:99999999999999999999\r\n:60\r\n"),
	"allowed -1":             says("*3\r\n:-1\r\n:3\r\n:60\r\n"),
	"allowed 2":              says("*3\r\n:2\r\n:3\r\n:60\r\n"),
	"left -2^63":             says("*3\r\n:1\r\n:-9223372036854775808\r\n:60\r\n"),
	"left -1":                says("*3\r\n:1\r\n:-1\r\n:60\r\n"),
	"left 2^31":              says("*3\r\n:1\r\n:2147483648\r\n:60\r\n"),
	"left 2^63-1":            says("*3\r\n:1\r\n:9223372036854775807\r\n:60\r\n"),
	"refused with some left": says("*3\r\n:0\r\n:1\r\n:60\r\n"),
	"reset 0":                says("*3\r\n:1\r\n:3\r\n:0\r\n"),
	"reset 61":               says("*3\r\n:1\r\n:3\r\n:61\r\n"),
	"reset -1":               says("*3\r\n:1\r\n:3\r\n:-1\r\n"),
	"reset 2^63-1":           says("*3\r\n:1\r\n:3\r\n:9223372036854775807\r\n"),

	// Framing.
	"bare line ends": says("*3\n:1\n:3\n:60\n"),
	"empty line":     says("\r\n" + honest),
	"HTTP":           says("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
	"TLS alert":      says("\x15\x03\x01\x00\x02\x02\x46"),
	"nothing":        says(""),
	"half a reply":   says("*3\r\n:1\r\n"),
	"hangs up":       func(net.Conn) error { return errEnd },
	"hangs up in the middle": func(c net.Conn) error {
		_ = says("*3\r\n:1\r\n:3")(c)
		return errEnd
	},
	"resets": func(c net.Conn) error {
		_ = c.(*net.TCPConn).SetLinger(0)
		return errEnd
	},
	"drips": func(c net.Conn) error {
		for i := range len(honest) {
			// Each wait ends with the connection, which the caller closes.
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				return errEnd
			}
			if err := says(honest[i : i+1])(c); err != nil {
				return err
			}
		}
		return errEnd
	},
}

// Whatever a Redis answers, the process lives, takes no more memory than for any
// answer, and answers requests in time, by its own counts; it is told once that it
// has lost its Redis, and finds it when it is itself again.
func TestHostileRedis(t *testing.T) {
	soak.Long(t)
	// Not beside other tests: what is allocated is measured.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t.Run("answers", func(t *testing.T) {
		for name, answer := range hostileAnswers {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := startTurncoat(t, answer)
				s, log := newShared(t, "redis://"+h.address, func(o *Options) { o.Timeout = DefaultTimeout })
				// A machine that is busy may make the store lose even the honest one.
				await(t, "shared", func() bool { return s.State() == InShared && reached(log)() })
				lost := s.Stats().Falls
				h.turned.Store(true)
				begun := time.Now()
				for i := range 8 {
					if v := s.Take(t.Context(), numbered(0), 5); v.Allowed != (i < 5) || v.Left != max(0, 4-i) || v.Reset < 1 || v.Reset > 60 {
						t.Errorf("request %d: %+v", i, v)
					}
				}
				// One of them waited, for 50 ms at most; the rest is for a busy machine.
				if took := time.Since(begun); took > 5*time.Second {
					t.Errorf("8 requests took %v", took)
				}
				stats := s.Stats()
				if stats.State != InLocal || stats.Falls != lost+1 || stats.Errors == 0 || stats.LocalDecisions == 0 {
					t.Errorf("stats: %+v", stats)
				}
				probed := stats.Errors + 2
				await(t, "probes that fail", func() bool { return s.Stats().Errors >= probed })
				if stats := s.Stats(); stats.State != InLocal || stats.Falls != lost+1 {
					t.Errorf("after probes: %+v", stats)
				}
				if n := strings.Count(log.String(), "level=WARN"); n != int(lost)+1 || len(log.String()) > (int(lost)+2)*(1<<10) {
					t.Errorf("the loss is logged %d times: %s", n, log)
				}
				h.turned.Store(false)
				await(t, "rejoined", func() bool { return s.State() == InShared })
			})
		}
	})
	runtime.ReadMemStats(&after)
	took := (after.TotalAlloc - before.TotalAlloc) >> 10
	t.Logf("%d answers, %d KiB allocated in all", len(hostileAnswers), took)
	if most := uint64(len(hostileAnswers)) << 10; took > most {
		t.Errorf("%d KiB were allocated, want at most %d", took, most)
	}
}

// What is unusual and yet an answer is taken.
func TestUnusualAnswers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(net.Conn) error{
		"byte by byte": func(c net.Conn) error {
			for i := range len(honest) {
				if err := says(honest[i : i+1])(c); err != nil {
					return err
				}
			}
			return nil
		},
		"more than was asked for": says(honest + honest),
		"closed after it":         func(c net.Conn) error { _ = says(honest)(c); return errEnd },
		"refused":                 says("*3\r\n:0\r\n:0\r\n:1\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startTurncoat(t, answer)
			s, log := newShared(t, "redis://"+h.address, nil)
			await(t, "reached", reached(log))
			h.turned.Store(true)
			for i := range 20 {
				if v := s.Take(t.Context(), numbered(i), 5); v.Allowed != (name != "refused") || v.Left > 3 {
					t.Errorf("request %d: %+v", i, v)
				}
			}
			if stats := s.Stats(); stats.State != InShared || stats.Errors != 0 {
				t.Errorf("stats: %+v\n%s", stats, log)
			}
		})
	}
}

// Redis grants everything, as one does that is lost between any two requests: no
// client gets more of this replica than its allowance.
func TestRedisGrantsEverything(t *testing.T) {
	t.Parallel()
	h := startTurncoat(t, says(honest))
	s, log := newShared(t, "redis://"+h.address, nil)
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
	if n := granted.Load(); n != 120 {
		t.Errorf("%d requests were granted, want 120", n)
	}
	if v := s.Take(t.Context(), numbered(0), 120); v.Allowed || v.Left != 0 || v.Reset < 1 || v.Reset > 60 {
		t.Errorf("one more: %+v", v)
	}
}

// Many requests at once are no reason to believe that Redis is gone: all of them
// wait for it at the same time, and not for each other.
func TestManyRequestsOfASlowRedis(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	const delay = 200 * time.Millisecond
	address := processtest.StartTCP(t, func(connection net.Conn) {
		in := bufio.NewReader(connection)
		var group sync.WaitGroup
		defer group.Wait()
		for {
			if _, err := readCommand(in); err != nil {
				return
			}
			group.Add(1)
			time.AfterFunc(delay, func() {
				defer group.Done()
				_, _ = io.WriteString(connection, honest)
			})
		}
	})
	// In 2 seconds, ten answers can come one after another.
	s, log := newShared(t, "redis://"+address, func(o *Options) { o.Timeout = 2 * time.Second })
	await(t, "reached", reached(log))
	var group sync.WaitGroup
	for i := range 1000 {
		group.Go(func() {
			if v := s.Take(t.Context(), numbered(i), 5); !v.Allowed || v.Left != 3 {
				t.Errorf("request %d: %+v", i, v)
			}
		})
	}
	group.Wait()
	if stats := s.Stats(); stats.SharedDecisions != 1000 || stats.Falls != 0 || stats.Errors != 0 {
		t.Errorf("stats: %+v\n%s", stats, log)
	}
}

// Who hangs up before Redis has answered does not make the others lose it.
func TestCallersGiveUp(t *testing.T) {
	t.Parallel()
	asked, silent := make(chan struct{}), make(chan struct{})
	h := startTurncoat(t, func(connection net.Conn) error {
		asked <- struct{}{}
		<-silent
		return says(honest)(connection)
	})
	s, log := newShared(t, "redis://"+h.address, nil)
	await(t, "reached", reached(log))
	h.turned.Store(true)
	ctx, giveUp := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if v := s.Take(ctx, numbered(0), 20); !v.Allowed || v.Left > 3 || v.Reset < 1 || v.Reset > 60 {
				t.Errorf("%+v", v) // 3 are left by the count that is shared
			}
		})
	}
	<-asked
	await(t, "calls", func() bool { return s.redis.waiting() == 10 })
	giveUp()
	h.turned.Store(false)
	close(silent)
	group.Wait()
	if v := s.Take(t.Context(), numbered(0), 20); !v.Allowed || v.Left != 3 {
		t.Errorf("the next: %+v", v)
	}
	if stats := s.Stats(); stats.State != InShared || stats.SharedDecisions != 11 || stats.LocalDecisions != 0 || stats.Falls != 0 || stats.Errors != 0 {
		t.Errorf("stats: %+v\n%s", stats, log)
	}
}

// Of whatever bytes, those alone are read as a reply that are one, and those alone
// taken as a verdict that can be.
func FuzzReplies(f *testing.F) {
	for _, text := range []string{
		honest, honest + honest, "-NOSCRIPT No matching script. Please use EVAL.\r\n" + honest, "*3\r\n:0\r\n:0\r\n:1\r\n", "*3\r\n:1\r\n:-1\r\n:61\r\n", "*3\r\n:1\r\n:5\r\n:60\r\n",
		"$9223372036854775806\r\n", "*2000000000\r\n", "*1\r\n*1\r\n*1\r\n", "+OK\r\n", "-\r\n", "\r\n", "*3\r\n:1\r\n:2", "*3\n:1\n:2\n:3\n",
	} {
		f.Add([]byte(text), 5)
	}
	f.Add(bytes.Repeat([]byte("-x"), maxLine), 1)
	number := `:([+-]?[0-9]+)\r\n`
	replies := regexp.MustCompile(`^(?:-[^\n]*\r\n|\*3\r\n` + number + number + number + ")")
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = max(1, limit)
		in := bufio.NewReaderSize(bytes.NewReader(text), maxLine)
		for rest := text; ; {
			n, err := readReply(in)
			_, refused := errors.AsType[redisError](err)
			if err != nil && !refused {
				return
			}
			found := replies.FindSubmatch(rest)
			if found == nil {
				t.Fatalf("%q is read as %v, %v", rest, n, err)
			}
			rest = rest[len(found[0]):]
			if refused {
				continue
			}
			for i := range n {
				if want, err := strconv.ParseInt(string(found[1+i]), 10, 64); err != nil || n[i] != want {
					t.Fatalf("%q is read as %v", found[0], n)
				}
			}
			v, err := verdictOf(n, limit)
			if err == nil && (v.Left < 0 || v.Left >= limit || v.Reset < 1 || v.Reset > 60 || !v.Allowed && v.Left > 0) {
				t.Fatalf("%q is taken as %+v, of %d", found[0], v, limit)
			}
		}
	})
}
