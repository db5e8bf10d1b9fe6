//go:build unix

package ratestore

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
)

func parse(t testing.TB, text string) Endpoint {
	t.Helper()
	e, err := ParseEndpoint(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		want  Endpoint
		shown string
	}{
		{"redis://cache", Endpoint{addresses: []string{"cache:6379"}}, "redis://cache:6379"},
		{" redis://cache/\n", Endpoint{addresses: []string{"cache:6379"}}, "redis://cache:6379"},
		{"rediss://cache.example:6380/3", Endpoint{addresses: []string{"cache.example:6380"}, db: 3, tls: true}, "rediss://cache.example:6380/3"},
		{"redis://:secret@[::1]:7000/0", Endpoint{addresses: []string{"[::1]:7000"}, password: "secret"}, "redis://[::1]:7000"},
		{"redis://me:se%2Fc%40ret@cache", Endpoint{addresses: []string{"cache:6379"}, user: "me", password: "se/c@ret"}, "redis://cache:6379"},
		{
			"rediss://me:secret@a?addr=b&addr=%5B::1%5D:7000",
			Endpoint{addresses: []string{"a:6379", "b:6379", "[::1]:7000"}, user: "me", password: "secret", tls: true},
			"rediss://a:6379?addr=b%3A6379&addr=%5B%3A%3A1%5D%3A7000",
		},
		{
			"redis://:secret@a/2?master_name=my&addr=b:7&sentinel_username=you&sentinel_password=se%26cret",
			Endpoint{addresses: []string{"a:26379", "b:7"}, password: "secret", master: "my", sentinelUser: "you", sentinelPassword: "se&cret", db: 2},
			"redis://a:26379/2?addr=b%3A7&master_name=my",
		},
	} {
		e, err := ParseEndpoint(test.text)
		if err != nil || !reflect.DeepEqual(e, test.want) {
			t.Errorf("%q: %+v, %v", test.text, e, err)
		}
		if e.HasPassword() != strings.Contains(test.text, "@") {
			t.Errorf("%q has a password: %v", test.text, e.HasPassword())
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if shown := fmt.Sprintf(verb, e); shown != test.shown {
				t.Errorf("%q is shown as %q by %s, want %q", test.text, shown, verb, test.shown)
			}
		}
		if again := parse(t, e.String()); again.String() != e.String() {
			t.Errorf("%q is read as %q", e, again)
		}
	}
}

func TestParseEndpointHidesPassword(t *testing.T) {
	t.Parallel()
	for text, said := range map[string]string{
		"": "", "secret": "", "cache:6379": "", "http://:secret@cache": "", "redis:secret@cache": "", "redis://": "", "redis:///secret": "", "redis://:secret@": "",
		"redis://:sec/ret@cache": "", "redis://:sec#ret@cache": "", "redis://:sec?ret@cache": "", "redis://:sec%ret@cache": "", "redis://:sec ret@cache": "", "redis://:secret@cache:port": "",
		"redis://:secret@cache:0": "", "redis://:secret@cache:65536": "", "redis://:secret@cache/secret": "", "redis://:secret@cache/-1": "", "redis://:secret@cache/1/2": "",
		"redis://secret@cache": "", "redis://:secret@cache?": "", "redis://\x7f:secret@cache": "", "redis://cache?addr=": "", "redis://cache?addr=::1": "", "redis://cache?addr=a/secret": "",
		"redis://cache?password=secret": "a parameter is unknown", "rediss://:secret@cache?skip_verify=true": "a parameter is unknown",
		"redis://cache?master_name=": "a parameter is unknown, empty", "redis://cache?master_name=a&master_name=b": "a parameter is unknown, empty or repeated",
		"redis://cache/1?addr=b": "a Redis Cluster has only database 0", "redis://cache?sentinel_password=secret": "need master_name",
		"redis://cache?master_name=a&sentinel_username=secret": "",
	} {
		e, err := ParseEndpoint(text)
		if err == nil || !reflect.DeepEqual(e, Endpoint{}) {
			t.Errorf("%q is taken as %v", text, e)
		} else if message := err.Error(); strings.Contains(message, "secret") || strings.Contains(message, "ret@") || !strings.Contains(message, said) || !strings.Contains(message, "give redis://") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// redisClientOf returns one that asks the Redis with that address.
func redisClientOf(t testing.TB, url string) *redisClient {
	t.Helper()
	a := newRedisClient(parse(t, url), nil, 0)
	t.Cleanup(a.close)
	return a
}

// timeOf returns the time by a Redis's own clock.
func timeOf(t testing.TB, r *processtest.Redis) time.Time {
	t.Helper()
	var second, micro int64
	if _, err := fmt.Sscan(r.Tell("TIME"), &second, &micro); err != nil {
		t.Fatal(err)
	}
	return time.Unix(second, micro*1000)
}

// base is a time, in microseconds since 1970, at which a second begins.
const base = 1_700_000_000_000_000

// at asks as the script would answer at that time after base.
func (a *redisClient) at(t testing.TB, p Key, limit int, at time.Duration) Verdict {
	t.Helper()
	a.now = func() time.Time { return time.UnixMicro(base).Add(at) }
	v, err := a.take(t.Context(), a.redisKey(p), limit)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestScriptKeepsTheLimit(t *testing.T) {
	t.Parallel()
	a, n := redisClientOf(t, processtest.StartRedis(t, processtest.RedisOptions{}).URL), 0
	checkLimit(t, 30, func() taker {
		n++
		p := numbered(n)
		return func(limit int, at time.Duration) Verdict { return a.at(t, p, limit, at) }
	})
}

// The script and Memory decide alike.
func TestScriptAnswersAsMemoryDoes(t *testing.T) {
	t.Parallel()
	a := redisClientOf(t, processtest.StartRedis(t, processtest.RedisOptions{}).URL)
	m := NewMemory(0, nil)
	random := rand.New(rand.NewPCG(11, 11))
	now, allowed := time.Duration(0), 0
	for request := range 5000 {
		now += time.Duration(random.Int64N(1_200_000)) * time.Microsecond
		if random.IntN(200) == 0 {
			now += time.Duration(random.IntN(90)) * time.Second
		}
		p, limit := numbered(random.IntN(3)), 10
		want, got := m.take(p, limit, now), a.at(t, p, limit, now)
		if got != want {
			t.Fatalf("request %d, at %v: Redis answers %+v, memory %+v", request, now, got, want)
		}
		if got.Allowed {
			allowed++
		}
	}
	if allowed < 1000 || allowed > 4000 {
		t.Errorf("%d of 5000 requests were allowed: the simulation shows little", allowed)
	}
}

// A clock that is set back neither forgets requests nor keeps them for longer
// than a window.
func TestRedisClockSetBack(t *testing.T) {
	t.Parallel()
	a := redisClientOf(t, processtest.StartRedis(t, processtest.RedisOptions{}).URL)
	for n, back := range []time.Duration{time.Microsecond, 500 * time.Millisecond, time.Second, 30 * time.Second, time.Hour} {
		p, now := numbered(n), 2*time.Hour+900*time.Millisecond
		a.at(t, p, 3, now-10*time.Second)
		a.at(t, p, 3, now)
		now -= back
		if v := a.at(t, p, 3, now); !v.Allowed || v.Left != 0 {
			t.Errorf("set back by %v, the third request: %+v", back, v)
		}
		if v := a.at(t, p, 3, now); v.Allowed || v.Reset > 60 {
			t.Errorf("set back by %v, the fourth: %+v", back, v)
		}
		if v := a.at(t, p, 2, now+59*time.Second); v.Allowed {
			t.Errorf("set back by %v, 59 seconds later: %+v", back, v)
		}
		if v := a.at(t, p, 1, now+60*time.Second); !v.Allowed {
			t.Errorf("set back by %v, a minute later: %+v", back, v)
		}
	}
	// One that only asks, and is refused, waits no longer than a minute either.
	p := numbered(100)
	a.at(t, p, 1, 2*time.Hour)
	for second := range 60 {
		if v := a.at(t, p, 1, time.Duration(second)*time.Second); v.Allowed || v.Reset != 60-second {
			t.Fatalf("%d seconds after the clock was set back: %+v", second, v)
		}
	}
	if v := a.at(t, p, 1, time.Minute); !v.Allowed {
		t.Errorf("a minute after the clock was set back: %+v", v)
	}
}

// The time that matters is that of Redis: none is sent.
func TestScriptTakesRedisTime(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := redisClientOf(t, r.URL)
	key := a.redisKey(keyOf("192.0.2.1"))
	before := timeOf(t, r)
	if v, err := a.take(t.Context(), key, 2); err != nil || v != (Verdict{true, 1, 60}) {
		t.Fatalf("%+v, %v", v, err)
	}
	// Asked with a time 60 seconds after the call and one before it, the request is
	// gone and is not.
	after := timeOf(t, r)
	a.now = func() time.Time { return before.Add(Window - time.Microsecond) }
	if v, err := a.take(t.Context(), key, 1); err != nil || v.Allowed {
		t.Errorf("within the window: %+v, %v", v, err)
	}
	a.now = func() time.Time { return after.Add(Window) }
	if v, err := a.take(t.Context(), key, 1); err != nil || !v.Allowed {
		t.Errorf("after the window: %+v, %v", v, err)
	}
}

// What Redis holds of a client: few bytes, not for long, and not its address.
func TestRedisKeysAreHashed(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{Password: "secret-1"})
	a := redisClientOf(t, r.URL)
	p := keyOf("203.0.113.77")
	for second := range 200 {
		for range 3 {
			a.at(t, p, 600, time.Duration(second)*time.Second)
		}
	}
	key := r.Tell("KEYS", "*")
	if key != a.redisKey(p) || !strings.HasPrefix(key, keyPrefix) {
		t.Fatalf("the keys are %q", key)
	}
	if n := r.Tell("STRLEN", key); n != "720" {
		t.Errorf("after 200 seconds, %s bytes are held, want 60 slots of 12", n)
	}
	if ttl, err := strconv.Atoi(r.Tell("PTTL", key)); err != nil || ttl <= 0 || ttl > 61_000 {
		t.Errorf("they are held for %d ms, %v", ttl, err)
	}
	t.Logf("a client takes %s bytes of Redis's memory at most", r.Tell("MEMORY", "USAGE", key))
	once := a.redisKey(numbered(1))
	a.now = nil
	if _, err := a.take(t.Context(), once, 600); err != nil {
		t.Fatal(err)
	}
	t.Logf("one that asked once, %s", r.Tell("MEMORY", "USAGE", once))

	// Keys differ by client, policy and password, and by nothing else.
	again, other := redisClientOf(t, r.URL), redisClientOf(t, strings.Replace(r.URL, "secret-1", "secret-2", 1))
	different := map[string]string{
		a.redisKey(p): "one", a.redisKey(keyOf("203.0.113.78")): "another client", a.redisKey(NewKey(1, netip.MustParseAddr("203.0.113.77"))): "another policy", other.redisKey(p): "another password",
	}
	if len(different) != 4 || again.redisKey(p) != a.redisKey(p) {
		t.Errorf("keys: %v, and again %s", different, again.redisKey(p))
	}
}

func TestOneRoundTrip(t *testing.T) {
	t.Parallel()
	r := processtest.StartRedis(t, processtest.RedisOptions{})
	a := redisClientOf(t, r.URL)
	calls := func(command string) string {
		_, rest, found := strings.Cut(r.Tell("INFO", "commandstats"), "cmdstat_"+command+":calls=")
		if !found {
			return "0"
		}
		calls, _, _ := strings.Cut(rest, ",")
		return calls
	}
	take := func(n int) {
		for range n {
			if _, err := a.take(t.Context(), a.redisKey(numbered(0)), 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	take(100)
	// A connection begins with nothing that this Redis or its user may not know.
	if info := r.Tell("INFO", "errorstats"); strings.Count(info, "errorstat_") != 1 || !strings.Contains(info, "errorstat_NOSCRIPT:count=1") {
		t.Errorf("100 requests are answered with errors: %s", info)
	}
	if calls("evalsha") != "100" || calls("eval") != "1" || a.loads.Load() != 1 {
		t.Errorf("100 requests: %s calls by hash, %s of the script, %d counted", calls("evalsha"), calls("eval"), a.loads.Load())
	}
	r.Tell("SCRIPT", "FLUSH") // as a restart does
	take(100)
	if calls("evalsha") != "200" || calls("eval") != "2" || a.loads.Load() != 2 {
		t.Errorf("200 requests: %s calls by hash, %s of the script, %d counted", calls("evalsha"), calls("eval"), a.loads.Load())
	}
}
