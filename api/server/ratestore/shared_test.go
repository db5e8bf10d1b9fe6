//go:build unix

package ratestore

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// patience bounds how long a store may take to notice something, on a machine
// that is busy.
const patience = 30 * time.Second

// newShared returns a store that a busy machine does not make believe that Redis
// is gone, and that finds one that is back soon.
func newShared(t testing.TB, url string, change func(*Options)) (*Shared, *processtest.Output) {
	t.Helper()
	log := &processtest.Output{}
	o := Options{
		Endpoint: parse(t, url), Timeout: 5 * time.Second, ProbeInterval: 5 * time.Millisecond, MaxProbeInterval: 50 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	s := NewShared(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// await asks until something holds, less and less often, because some questions start a
// program.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; !holds(); pause = min(2*pause, 32*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v, still not: %s", patience, what)
		}
		time.Sleep(pause)
	}
}

// reached is logged at last by the prober that has found Redis at the start.
func reached(log *processtest.Output) func() bool {
	return func() bool { return strings.Contains(log.String(), "the rate store answers: ") }
}

func TestReplicasShareAllowances(t *testing.T) {
	t.Parallel()
	redis := processtest.StartRedis(t, processtest.RedisOptions{})
	const limit, clients = 120, 3
	var allowed [clients]atomic.Int64
	var group sync.WaitGroup
	var replicas []*Shared
	for range 3 {
		s, _ := newShared(t, redis.URL, nil)
		replicas = append(replicas, s)
		for range 4 {
			group.Go(func() {
				for i := range 60 * clients { // 720 of each client in all
					if s.Take(t.Context(), numbered(i%clients), limit).Allowed {
						allowed[i%clients].Add(1)
					}
				}
			})
		}
	}
	group.Wait()
	for i := range allowed {
		if n := allowed[i].Load(); n != limit {
			t.Errorf("client %d was answered %d times, want %d", i, n, limit)
		}
	}
	granted := int64(0)
	for i, s := range replicas {
		stats := s.Stats()
		if stats.State != InShared || s.Stats().State != InShared || stats.SharedDecisions != 720 || stats.LocalDecisions != 0 || stats.Errors != 0 || stats.Falls != 0 || stats.Clients != clients {
			t.Errorf("replica %d: %+v", i, stats)
		}
		for client := range clients { // what it keeps itself is what it granted
			local := s.o.Local
			granted += int64(local.clients[local.hash(numbered(client))].total())
		}
	}
	if granted != limit*clients {
		t.Errorf("the replicas granted %d requests in their own counts, want %d", granted, limit*clients)
	}
}

// permissions are all that the store needs (the documentation of --rate-store names them).
const permissions = "~catalog:allowance:* +evalsha +eval +time +get +set"

func TestTLSPasswordAndUser(t *testing.T) {
	t.Parallel()
	certificate := processtest.NewCertificate(t)
	tests := []struct {
		name    string
		o       processtest.RedisOptions
		connect func(url string) string // changes the address
		trust   bool
		want    State
		logged  string
	}{
		{name: "password", o: processtest.RedisOptions{Password: "hush-1"}, want: InShared},
		{name: "user", o: processtest.RedisOptions{User: "catalog", Password: "hush-1", Permissions: permissions}, want: InShared},
		{name: "TLS", o: processtest.RedisOptions{Certificate: certificate}, trust: true, want: InShared},
		{name: "TLS, user", o: processtest.RedisOptions{Certificate: certificate, User: "catalog", Password: "hush-1", Permissions: permissions}, trust: true, want: InShared},
		{name: "password that is not asked for yet", connect: func(url string) string { return strings.Replace(url, "//", "//:hush-1@", 1) }, want: InShared},
		{name: "wrong user", o: processtest.RedisOptions{User: "catalog", Password: "hush-1", Permissions: permissions}, connect: func(url string) string { return strings.Replace(url, "catalog:", "other:", 1) }, want: InLocal, logged: "WRONGPASS"},
		{name: "user in another database", o: processtest.RedisOptions{User: "catalog", Password: "hush-1", Permissions: permissions + " +select"}, connect: func(url string) string { return url + "/3" }, want: InShared},
		{name: "wrong password", o: processtest.RedisOptions{Password: "hush-1"}, connect: func(url string) string { return strings.Replace(url, "hush-1", "hush-2", 1) }, want: InLocal, logged: "WRONGPASS"},
		{name: "no password", o: processtest.RedisOptions{Password: "hush-1"}, connect: func(url string) string { return strings.Replace(url, ":hush-1@", "", 1) }, want: InLocal, logged: "NOAUTH"},
		{name: "user who may not write", o: processtest.RedisOptions{User: "catalog", Password: "hush-1", Permissions: strings.Replace(permissions, "+set", "", 1)}, want: InLocal, logged: "can't run this command"},
		{name: "untrusted certificate", o: processtest.RedisOptions{Certificate: certificate, Password: "hush-1"}, want: InLocal, logged: "certificate"},
		{name: "TLS without", o: processtest.RedisOptions{Certificate: certificate, Password: "hush-1"}, connect: func(url string) string { return strings.Replace(url, "rediss", "redis", 1) }, want: InLocal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := processtest.StartRedis(t, test.o).URL
			if test.connect != nil {
				url = test.connect(url)
			}
			s, log := newShared(t, url, func(o *Options) {
				if test.trust {
					o.TLS = certificate.Trust()
				}
			})
			for i, left := range []int{1, 0, 0} {
				if v := s.Take(t.Context(), numbered(0), 2); v.Allowed != (i < 2) || v.Left != left {
					t.Errorf("request %d: %+v", i, v)
				}
			}
			stats := s.Stats()
			if stats.State != test.want || (stats.SharedDecisions == 3) != (test.want == InShared) || stats.SharedDecisions+stats.LocalDecisions != 3 || (stats.Errors == 0) != (test.want == InShared) {
				t.Errorf("stats: %+v\n%s", stats, log)
			}
			defer func() { t.Log(log) }() // is shown if the test fails
			await(t, "log "+test.logged, func() bool { return strings.Contains(log.String(), test.logged) })
			if strings.Contains(log.String(), "hush") {
				t.Errorf("the log tells the password: %s", log)
			}
		})
	}
}

// A server that repeats what it was sent: a Redis of before users does, and so
// do some proxies.
func TestRedisErrorsHidePassword(t *testing.T) {
	t.Parallel()
	address := processtest.StartTCP(t, func(connection net.Conn) {
		for in := bufio.NewReader(connection); ; {
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
			_, _ = fmt.Fprint(connection, "-ERR unknown command `AUTH`, with args beginning with: `hush/1`\r\n")
		}
	})
	s, log := newShared(t, "redis://:hush%2F1@"+address, nil)
	if v := s.Take(t.Context(), numbered(0), 1); !v.Allowed {
		t.Errorf("%+v", v)
	}
	await(t, "a warning", func() bool { return strings.Contains(log.String(), "WARN") })
	if text := log.String(); strings.Contains(text, "hush") || !strings.Contains(text, "unknown command") || !strings.Contains(text, "[password]") {
		t.Errorf("the log says %s", text)
	}
}

// Redis is killed in the middle of load, and comes back empty: nothing fails, and
// at no time does a client get more of this replica than its allowance.
func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	redis := processtest.StartRedis(t, processtest.RedisOptions{})
	now := &atomic.Int64{}
	clock := func() time.Time { return time.Unix(1000, now.Load()) }
	s, log := newShared(t, redis.URL, func(o *Options) { o.Local = NewMemory(0, clock) })
	await(t, "reached", reached(log))
	const limit, clients = 10, 200
	var granted [clients]atomic.Int64
	load := func(client, requests int) {
		for range requests {
			if s.Take(t.Context(), numbered(client), limit).Allowed {
				granted[client].Add(1)
			}
		}
	}
	check := func(when string, want int64) {
		t.Helper()
		for client := range clients {
			if n := granted[client].Load(); n != want {
				t.Errorf("%s, client %d was answered %d times, want %d", when, client, n, want)
			}
		}
	}
	all := func(requests int) {
		for client := range clients {
			load(client, requests)
		}
	}

	all(4)
	check("at first", 4)
	// The kill falls in the middle: it waits for the load, and the load goes on
	// until the fall is seen.
	begun, fallen := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for client := worker; client < clients; client += 4 {
				load(client, 1)
				if client == clients/2 {
					close(begun)
					<-fallen
				}
			}
		})
	}
	group.Go(func() {
		for other := clients; s.Stats().State == InShared; other++ {
			s.Take(t.Context(), numbered(other), limit)
		}
		close(fallen)
	})
	<-begun
	redis.Kill()
	group.Wait()
	check("after the kill", 5)
	all(3)
	check("without Redis", 8)
	if stats := s.Stats(); stats.State != InLocal || stats.Falls != 1 || stats.Rejoins != 0 || stats.LocalDecisions < 3*clients || stats.Errors == 0 {
		t.Errorf("without Redis: %+v", stats)
	}

	redis.Restart()
	await(t, "rejoined", func() bool { return s.Stats().State == InShared })
	before := s.Stats()
	all(5)
	check("after Redis came back without its counts", limit)
	after := s.Stats()
	if after.SharedDecisions-before.SharedDecisions != 5*clients || after.LocalDecisions != before.LocalDecisions || after.ScriptLoads != 2 {
		t.Errorf("of 5 requests of each client, none was to be decided without Redis: %+v, then %+v", before, after)
	}
	// A minute later, what Redis says holds: it knows of those 2.
	now.Store(int64(Window))
	all(limit)
	check("a minute after", 2*limit-2)

	text := log.String()
	for line, want := range map[string]int{"level=WARN": 1, "the rate store answers: ": 1, "answers again: ": 1, "level=": 3, "store=redis://" + redis.Address: 3} {
		if n := strings.Count(text, line); n != want {
			t.Errorf("%q is logged %d times, want %d: %s", line, n, want, text)
		}
	}
	if stats := s.Stats(); stats.Falls != 1 || stats.Rejoins != 1 {
		t.Errorf("at last: %+v", stats)
	}
}

// A Redis that keeps its connections and says nothing: the requests of that
// moment wait for as long as they may, and none after them.
func TestSilentRedis(t *testing.T) {
	t.Parallel()
	redis := processtest.StartRedis(t, processtest.RedisOptions{})
	const timeout, atOnce, later = 300 * time.Millisecond, 20, 1000
	s, log := newShared(t, redis.URL, func(o *Options) {
		o.Timeout, o.ProbeInterval, o.MaxProbeInterval = timeout, time.Hour, time.Hour
	})
	await(t, "reached", reached(log))
	redis.Pause()
	var longest atomic.Int64
	var group sync.WaitGroup
	for i := range atOnce {
		group.Go(func() {
			begun := time.Now()
			if v := s.Take(t.Context(), numbered(i), 2); !v.Allowed || v.Left != 1 {
				t.Errorf("request %d: %+v", i, v)
			}
			if took := int64(time.Since(begun)); took > longest.Load() {
				longest.Store(took) // about the longest, which is enough
			}
		})
	}
	group.Wait()
	if took := time.Duration(longest.Load()); took < timeout || took > 10*timeout {
		t.Errorf("requests waited for up to %v, want about %v", took, timeout)
	}
	begun := time.Now()
	for i := range later {
		s.Take(t.Context(), numbered(i), 2)
	}
	// If they waited, all of them did.
	if took := time.Since(begun); took > later*timeout/10 {
		t.Errorf("%d more requests took %v", later, took)
	}
	if stats := s.Stats(); stats.State != InLocal || stats.Errors > atOnce || stats.LocalDecisions != atOnce+later || stats.Falls != 1 {
		t.Errorf("stats: %+v", stats)
	}
	redis.Resume()
}

// While Redis is gone, there is one prober, whose questions become rarer; and
// one that is back only for a while does not make them frequent again.
func TestProbesAreFew(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	var connections atomic.Int64
	address := processtest.StartTCP(t, func(net.Conn) { connections.Add(1) })
	s, _ := newShared(t, "redis://"+address, func(o *Options) { o.ProbeInterval, o.MaxProbeInterval = 20*time.Millisecond, 200*time.Millisecond })
	await(t, "local", func() bool { return s.Stats().State == InLocal })
	begun, before := time.Now(), connections.Load()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := 0; time.Since(begun) < time.Second; i++ {
				s.Take(t.Context(), numbered(i), 1000)
			}
		})
	}
	group.Wait()
	// 20, 40, 80, 160, 200… ms, each halved at the least.
	if n := connections.Load() - before; n < 1 || n > 16 {
		t.Errorf("in a second, Redis was asked %d times", n)
	}
	if stats := s.Stats(); stats.Falls != 1 || stats.Errors > 30 {
		t.Errorf("stats: %+v", stats)
	}
}

// FLUSHALL between bursts: Redis has lost what was granted, and each replica
// keeps to the allowance by its own count.
func TestRedisEmptied(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	const limit = 120
	for n := range 2 {
		s, log := newShared(t, r.URL, nil)
		await(t, "reached", reached(log))
		granted := 0
		for range 5 {
			for range 2 * limit / 3 {
				v := s.Take(t.Context(), numbered(0), limit)
				if v.Allowed {
					granted++
				}
				if v.Left < 0 || v.Left > limit-granted || v.Reset < 1 || v.Reset > 60 {
					t.Fatalf("after %d requests: %+v", granted, v)
				}
			}
			r.Tell("FLUSHALL")
		}
		if stats := s.Stats(); granted != limit || stats.State != InShared || stats.Falls != 0 {
			t.Errorf("replica %d granted %d requests, want %d: %+v", n, granted, limit, stats)
		}
	}
}

// What lies at the key of a client and is none of ours costs nobody anything: the
// client has its allowance, and counts take its place.
func TestRedisValuesNotCounts(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	s, log := newShared(t, r.URL, nil)
	await(t, "reached", reached(log))
	n, requests := 0, uint64(0)
	for _, test := range []struct{ what, call string }{
		{"a word", "'SET', KEYS[1], 'list'"},
		{"nothing", "'SET', KEYS[1], ''"},
		{"one byte too few", "'SET', KEYS[1], struct.pack('<I4I4I4', 2^31, 1, 1):sub(2)"},
		{"one byte too many", "'SET', KEYS[1], struct.pack('<I4I4I4', 2^31, 1, 1)..'x'"},
		{"letters", "'SET', KEYS[1], ('abcd'):rep(3)"},
		{"many letters", "'SET', KEYS[1], ('abcd'):rep(300000)"},
		{"more slots than a window has", "'SET', KEYS[1], struct.pack('<I4I4I4', 2^31, 1, 1):rep(62)"},
		{"a slot without requests", "'SET', KEYS[1], struct.pack('<I4I4I4', 2^31, 1, 0)"},
		{"a slot that ends beyond its second", "'SET', KEYS[1], struct.pack('<I4I4I4', 2^31, 1000000, 1)"},
		{"an old slot", "'SET', KEYS[1], struct.pack('<I4I4I4', 1, 1, 1)"},
		{"a list", "'LPUSH', KEYS[1], 'a', 'b'"},
		{"a set", "'SADD', KEYS[1], 'a', 'b'"},
		{"a sorted set", "'ZADD', KEYS[1], '1', 'a'"},
		{"a hash", "'HSET', KEYS[1], 'a', 'b'"},
		{"a stream", "'XADD', KEYS[1], '*', 'a', 'b'"},
	} {
		n++
		key := s.redis.redisKey(numbered(n))
		r.Tell("EVAL", "return redis.call("+test.call+")", "1", key)
		for i := range 3 {
			requests++
			if v := s.Take(t.Context(), numbered(n), 2); v.Allowed != (i < 2) || v.Left != max(0, 1-i) || v.Reset < 1 || v.Reset > 60 {
				t.Errorf("%s: request %d: %+v", test.what, i, v)
			}
		}
		if kind := r.Tell("TYPE", key); kind != "string" {
			t.Errorf("%s: a %s lies there", test.what, kind)
		}
		if ttl, err := strconv.Atoi(r.Tell("PTTL", key)); err != nil || ttl <= 0 || ttl > 61_000 {
			t.Errorf("%s: it is held for %d ms, %v", test.what, ttl, err)
		}
	}
	if stats := s.Stats(); stats.State != InShared || stats.SharedDecisions != requests || stats.Errors != 0 || stats.Falls != 0 {
		t.Errorf("stats: %+v\n%s", stats, log)
	}

	// Counts without a time to live are counts.
	n++
	key := s.redis.redisKey(numbered(n))
	s.Take(t.Context(), numbered(n), 3)
	r.Tell("PERSIST", key)
	if v := s.Take(t.Context(), numbered(n), 3); !v.Allowed || v.Left != 1 {
		t.Errorf("without a time to live: %+v", v)
	}
	if ttl, err := strconv.Atoi(r.Tell("PTTL", key)); err != nil || ttl <= 0 {
		t.Errorf("it is held for %d ms, %v", ttl, err)
	}
}

// A thousand requests of a client at once, to two replicas: the allowance, exactly.
func TestAThousandRequestsAtOnce(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	const limit, requests = 120, 1000
	var replicas []*Shared
	for range 2 {
		s, log := newShared(t, r.URL, nil)
		await(t, "reached", reached(log))
		replicas = append(replicas, s)
	}
	var granted atomic.Int64
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range requests {
		group.Go(func() {
			<-begin
			v := replicas[i%2].Take(t.Context(), numbered(0), limit)
			if v.Allowed {
				granted.Add(1)
			}
			if v.Left < 0 || v.Left >= limit || v.Reset < 1 || v.Reset > 60 {
				t.Errorf("%+v", v)
			}
		})
	}
	close(begin)
	group.Wait()
	if n := granted.Load(); n != limit {
		t.Errorf("%d requests were granted, want %d", n, limit)
	}
	for i, s := range replicas {
		if stats := s.Stats(); stats.SharedDecisions != requests/2 || stats.LocalDecisions != 0 || stats.Errors != 0 || stats.Falls != 0 {
			t.Errorf("replica %d: %+v", i, stats)
		}
	}
}

// Redis's clock is set back and forth by up to an hour while two replicas share
// it: neither ever grants more than the allowance in 60 seconds of true time, a
// client that keeps asking is served again within 61 seconds of the last jump and
// of its last request, and without jumps the two keep to the allowance together.
func TestRedisClockJumps(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	const limit = 5
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		jumps := seed%4 != 0
		var elapsed, set atomic.Int64
		var replicas [2]*Shared
		for i := range replicas {
			s, log := newShared(t, r.URL, func(o *Options) {
				o.Local = NewMemory(0, func() time.Time { return time.Unix(1000, elapsed.Load()) })
			})
			await(t, "reached", reached(log))
			s.redis.now = func() time.Time { return time.UnixMicro(base).Add(time.Duration(elapsed.Load() + set.Load())) }
			replicas[i] = s
		}
		p := numbered(int(seed))
		var granted [2][]time.Duration
		within := func(i int, now time.Duration) (n int) {
			for _, at := range granted[i] {
				if at > now-Window {
					n++
				}
			}
			return n
		}
		// since is the last jump or grant, but for a client that has not asked since
		// then: Redis sees a jump when it is asked.
		since, asked := time.Duration(0), false
		for step := range 300 {
			now := time.Duration(elapsed.Add(random.Int64N(int64(4 * time.Second))))
			if jumps && random.IntN(30) == 0 {
				to := []time.Duration{time.Hour, -time.Hour, 65 * time.Second, -65 * time.Second, -time.Second, 0}
				set.Store(int64(to[random.IntN(len(to))]))
				asked = false
			}
			for range random.IntN(4) {
				if !asked {
					since, asked = now, true
				}
				i := random.IntN(2)
				v := replicas[i].Take(t.Context(), p, limit)
				if v.Left < 0 || v.Left >= limit || v.Reset < 1 || v.Reset > 60 {
					t.Fatalf("seed %d, step %d: %+v", seed, step, v)
				}
				if v.Allowed {
					granted[i], since = append(granted[i], now), now
				} else if now-since > Window+time.Second {
					t.Fatalf("seed %d, step %d: refused at %v, %v after the last jump or grant", seed, step, now, now-since)
				}
				if within(i, now) > limit || !jumps && within(0, now)+within(1, now) > limit {
					t.Fatalf("seed %d, step %d: at %v, the replicas have granted %d and %d in 60 seconds", seed, step, now, within(0, now), within(1, now))
				}
			}
		}
		for i, s := range replicas {
			if stats := s.Stats(); stats.Falls != 0 || stats.Errors != 0 || len(granted[i]) < 2*limit {
				t.Errorf("seed %d, replica %d granted %d: %+v", seed, i, len(granted[i]), stats)
			}
		}
	}
}

func TestCloseEndsInTime(t *testing.T) {
	t.Parallel()
	redis := processtest.StartRedis(t, processtest.RedisOptions{})
	for _, gone := range []bool{false, true} {
		s := NewShared(Options{Endpoint: parse(t, redis.URL), ProbeInterval: time.Hour})
		if gone {
			redis.Kill()
			await(t, "local", func() bool { s.Take(t.Context(), numbered(0), 1000); return s.Stats().State == InLocal })
		}
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("Close does not end")
		}
		if v := s.Take(t.Context(), numbered(1), 1); !v.Allowed {
			t.Errorf("after Close: %+v", v)
		}
	}
}

func BenchmarkShared(b *testing.B) {
	s, log := newShared(b, processtest.StartRedis(b, processtest.RedisOptions{}).URL, nil)
	await(b, "reached", reached(log))
	for _, test := range []struct {
		name    string
		clients int
	}{{"one client that is refused", 1}, {"a million clients", 1_000_000}} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				s.Take(b.Context(), numbered(i%test.clients), 120)
			}
		})
		b.Run(test.name+", at once", func(b *testing.B) {
			b.SetParallelism(16)
			var next atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					s.Take(b.Context(), numbered(int(next.Add(1))%test.clients), 120)
				}
			})
		})
	}
	if stats := s.Stats(); stats.Errors > 0 {
		b.Errorf("stats: %+v", stats)
	}
}
