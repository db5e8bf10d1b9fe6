package server

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/site"
)

// jsonLines reads log lines that were written as JSON.
func jsonLines(t *testing.T, text string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, v)
	}
	return lines
}

func debugJSON(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestRequestLine(t *testing.T) {
	var out processtest.Output
	f := newFixture(t, func(o *options) { o.Logger = debugJSON(&out) })
	body := f.send(from("192.0.2.77:5000", "/api/v1/search?q=private", "X-Request-Id", "id-1", "User-Agent", "tester/1 "+strings.Repeat("x", 500))).body
	f.do(http.MethodHead, "/llms.txt")
	f.get("/no%1B%5B31m/%FFpage?x=1")
	lines := jsonLines(t, out.String())
	if len(lines) != 3 {
		t.Fatalf("three requests are %d lines: %s", len(lines), out.String())
	}
	for key, want := range map[string]any{
		"level": "DEBUG", "msg": "request", "method": "GET", "path": "/api/v1/search", "status": 200.0, "route": "searchCatalog",
		"bytes": float64(len(body)), "client": "192.0.2.0/24", "id": "id-1",
	} {
		if lines[0][key] != want {
			t.Errorf("%s is %v, want %v", key, lines[0][key], want)
		}
	}
	if ms, ok := lines[0]["ms"].(float64); !ok || ms < 0 || ms > 60_000 {
		t.Errorf("it took %v ms", lines[0]["ms"])
	}
	if agent, _ := lines[0]["agent"].(string); !strings.HasPrefix(agent, "tester/1 xxx") || len(agent) > maxShown+len("…") {
		t.Errorf("the agent is %q", agent)
	}
	if lines[1]["bytes"] != 0.0 || lines[1]["route"] != "page" || lines[1]["method"] != "HEAD" {
		t.Errorf("HEAD is logged as %v", lines[1])
	}
	if lines[2]["path"] != "/no%1B%5B31m/%FFpage" || lines[2]["status"] != 404.0 || lines[2]["route"] != "missingPage" {
		t.Errorf("a strange path is logged as %v", lines[2])
	}
}

// The access log has a line for each request while the settings ask for it, without the query.
func TestAccessLog(t *testing.T) {
	for setting, lines := range map[string]int{"": 0, site.Off: 0, site.On: 5} {
		var out processtest.Output
		f := newFixture(t, func(o *options) {
			o.AccessLog, o.Settings.AccessLog = slog.New(slog.NewJSONHandler(&out, nil)), setting
		})
		f.send(from("192.0.2.77:5000", "/api/v1/search?q=private"))
		for _, path := range []string{"/api/v1/search%3Fq=private", "/api/v1/search%3bq=private", "/api/v1/search&q=private", "/healthz"} {
			f.get(path)
		}
		got := jsonLines(t, out.String())
		if len(got) != lines {
			t.Errorf("%q: five requests are %d lines: %s", setting, len(got), out.String())
			continue
		}
		if lines > 0 && (got[0]["path"] != "/api/v1/search" || got[0]["client"] != "192.0.2.0/24" || got[0]["status"] != 200.0 || got[0]["time"] == nil || strings.Contains(out.String(), "private")) {
			t.Errorf("a request is logged as %v", got[0])
		}
	}
}

// A line is one line, whatever a client writes into it.
func TestLinesCannotBeForged(t *testing.T) {
	f := newFixture(t, nil)
	f.get("/a%0Alevel=ERROR%20msg=forged", "User-Agent", "x\" level=ERROR msg=forged\nlevel=ERROR msg=forged")
	if text := f.log.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, "\nlevel=ERROR") || strings.HasPrefix(text, "level=ERROR") {
		t.Errorf("the log is %q", text)
	}
}

func TestNoLineAboveDebug(t *testing.T) {
	var out bytes.Buffer
	f := newFixture(t, func(o *options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	f.get("/api/v1/projects")
	f.get("/api/nothing")
	if out.Len() > 0 {
		t.Errorf("at level info the log has %s", &out)
	}
}

// Keys are presented in every way that there is, right and wrong, over a real
// connection, with answers of every kind; none is in any log at any level.
func TestKeysAreNeverLogged(t *testing.T) {
	const known, unknown = "sandbox-0KEY0-known", "somebodys-0KEY0-elsewhere"
	var out processtest.Output
	var armed atomic.Bool
	f := newFixture(t, func(o *options) {
		o.Logger, o.LogClient, o.Settings.SandboxKey = debugJSON(&out), LogClientFull, known
		o.Now = func() time.Time {
			if armed.Load() {
				panic("a fault")
			}
			return newClock().at
		}
	})
	public := httptest.NewUnstartedServer(f.server.Handler())
	public.Config = httpServer(f.server.Handler(), writeTimeout, f.server.log.Handler())
	public.Start()
	defer public.Close()
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + unknown))
	var headers []string
	for _, key := range []string{known, unknown} {
		headers = append(headers,
			"Authorization: Bearer "+key, "Authorization: bearer   "+key, "Authorization: "+key, "Authorization: Basic "+basic, "Authorization: Token "+key,
			"Authorization: Digest username=\"a\", response=\""+key+"\"", "Proxy-Authorization: Basic "+basic,
			"X-Api-Key: "+key, "x-API-key:"+key, "X-Api-Key: "+key+", "+key, "X-Api-Key: "+key+"\r\nAuthorization: Bearer "+unknown, "X-Api-Key: "+key+"\r\nX-Api-Key: "+unknown,
			"Api-Key: "+key, "Cookie: key="+key, "Referer: https://elsewhere.example/?key="+key, "X-Forwarded-For: "+key,
			"X-Api-Key: "+key+"\r\nX-Request-Id: "+key, "Authorization: Bearer "+key+"\r\nX-Request-Id: "+key,
			"X-Api-Key : "+key, "X-Api-Key: "+key+"\x01", // which net/http refuses
		)
	}
	targets := []string{
		"/api/v1/projects", "/api/v1/projects/nope", "/api/v1/search?limit=0", "/api/nothing", "/", "/nothing", "/healthz",
		"/api/v1/search?key=" + unknown + "&api_key=" + known + "&access_token=" + unknown, "/api/v1/projects?limit=" + unknown, "/?" + known,
		"http://user:" + unknown + "@localhost/api/v1/projects",
	}
	ask := func(target, header string) {
		c, err := net.Dial("tcp", public.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := io.WriteString(c, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"+header+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatalf("%s with %q: %v", target, header, err)
		}
	}
	for _, target := range targets {
		for _, header := range headers {
			ask(target, header)
		}
	}
	armed.Store(true)
	for _, header := range headers[:8] {
		ask(targets[0], header)
	}
	public.Close() // every line is written when every connection is done
	text := out.String()
	if lines := strings.Count(text, "\n"); lines < len(targets)*(len(headers)-4) {
		t.Errorf("only %d lines are logged", lines)
	}
	if !strings.Contains(text, `"msg":"panic"`) {
		t.Error("no panic is logged")
	}
	for _, secret := range []string{"0KEY0", basic} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("the log tells %q: …%s…", secret, text[max(0, at-200):min(len(text), at+100)])
		}
	}
}

// An id that is a key is not repeated, and is replaced by a new one.
func TestRequestIDIsNotAKey(t *testing.T) {
	f := newFixture(t, nil)
	for _, header := range [][]string{{"X-Api-Key", "catalog-sandbox"}, {"Authorization", "Bearer catalog-sandbox"}} {
		r := f.get("/api/v1/projects", append(header, "X-Request-Id", "catalog-sandbox")...)
		if got := r.header.Get("X-Request-Id"); got == "catalog-sandbox" || !isSafeID(got) {
			t.Errorf("%s: the id is %q", header[0], got)
		}
	}
}

func TestLoggedClients(t *testing.T) {
	tests := []struct {
		how                        ClientLog
		remote, forwarded, address string
	}{
		{ClientLog(0), "192.0.2.77:1", "", "192.0.2.0/24"},
		{LogClientShort, "192.0.2.77:1", "", "192.0.2.0/24"},
		{LogClientShort, "[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1::/48"},
		{LogClientShort, "[::ffff:192.0.2.77]:1", "", "192.0.2.0/24"},
		{LogClientShort, "10.0.0.1:1", "198.51.100.9", "198.51.100.0/24"},
		{LogClientShort, "192.0.2.77:1", "198.51.100.9", "192.0.2.0/24"}, // forged
		{LogClientShort, "@", "", ""},
		{LogClientFull, "192.0.2.77:1", "", "192.0.2.77"},
		{LogClientFull, "[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1:2:3:4:5:6"},
		{LogClientFull, "10.0.0.1:1", "198.51.100.9", "198.51.100.9"},
		{LogClientNone, "192.0.2.77:1", "", ""},
	}
	for _, test := range tests {
		var out processtest.Output
		f := newFixture(t, func(o *options) {
			o.Logger, o.LogClient, o.TrustedProxies = debugJSON(&out), test.how, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		})
		r := from(test.remote, "/")
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		f.send(r)
		if got, _ := jsonLines(t, out.String())[0]["client"].(string); got != test.address {
			t.Errorf("%q, from %s for %q: %q, want %q", test.how, test.remote, test.forwarded, got, test.address)
		}
		if test.how != LogClientFull && (strings.Contains(out.String(), ".2.77") || strings.Contains(out.String(), ":5:6")) {
			t.Errorf("%q: the address is told: %s", test.how, out.String())
		}
	}
}

// failing is a connection whose other end has gone.
type failing struct{ http.ResponseWriter }

func (failing) Write([]byte) (int, error) {
	return 0, &net.OpError{
		Op: "write", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 77), Port: 5000}, Err: syscall.EPIPE,
	}
}

// The errors of connections hold both addresses; the log has neither.
func TestUnsentAnswersHideClient(t *testing.T) {
	f := newFixture(t, nil)
	f.server.Handler().ServeHTTP(failing{httptest.NewRecorder()}, from("192.0.2.77:5000", "/api/v1/projects"))
	text := f.log.String()
	if !strings.Contains(text, `msg="answer not sent"`) || !strings.Contains(text, "broken pipe") || strings.Contains(text, "192.0.2.77") {
		t.Errorf("the log is %s", text)
	}
}

// panicking is a connection on which writing fails as nothing should.
type panicking struct {
	http.ResponseWriter
	reason error
}

func (w panicking) Write([]byte) (int, error) { panic(w.reason) }

// A panic after the answer was decided is logged, and cuts the connection
// without a line of net/http's, which would hold the client's address.
func TestPanicsWhileWriting(t *testing.T) {
	for _, test := range []struct {
		reason error
		lines  int
	}{{errors.New("private"), 1}, {http.ErrAbortHandler, 0}} {
		f := newFixture(t, nil)
		func() {
			defer func() {
				if reason := recover(); reason != http.ErrAbortHandler {
					t.Errorf("%v leaves the handler as %v", test.reason, reason)
				}
			}()
			f.server.Handler().ServeHTTP(panicking{httptest.NewRecorder(), test.reason}, httptest.NewRequest(http.MethodGet, "/api/v1/projects", nil))
		}()
		if got := strings.Count(f.log.String(), "msg=panic"); got != test.lines {
			t.Errorf("%v is logged %d times: %s", test.reason, got, f.log.String())
		}
		if in, memory := f.server.metrics.inFlight.Load(), f.server.unsent.used.Load(); in != 0 || memory != 0 {
			t.Errorf("%d requests are in flight with %d bytes", in, memory)
		}
	}
}

// What a client sent is cut between characters.
func TestShorten(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ü", maxShown)
	if got := shorten(text + "ü and more"); got != text+"…" {
		t.Errorf("a long text: %q", got)
	}
	if got := shorten("a\xffb"); got != "a\uFFFDb" {
		t.Errorf("no UTF-8: %q", got)
	}
}
