package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/artifact"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/site"
)

func TestNewRefuses(t *testing.T) {
	ix := newIndex(t, site.Defaults())
	public := t.TempDir()
	for name, test := range map[string]struct {
		change func(*options)
		want   string
	}{
		"no index":       {func(o *options) { o.Index = nil }, "search.idx does not exist; run: catalog build"},
		"no folder":      {func(o *options) { o.Build.Folder = filepath.Join(public, "nothing") }, "folder of pages"},
		"wrong settings": {func(o *options) { o.Settings.BaseURL = "catalog" }, "base_url"},
	} {
		o := options{Build: artifact.Build{Folder: public}, Index: ix, Settings: site.Defaults()}
		test.change(&o)
		if _, _, err := o.open(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	least := options{Build: artifact.Build{Folder: public}, Index: ix, Settings: site.Defaults()}
	if _, _, err := least.open(); err != nil {
		t.Errorf("the least options: %v", err)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A request that is being answered when the server is told to stop gets its
// answer; a new one finds nobody.
func TestRunLetsRequestsFinish(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	var hold atomic.Bool
	f := newFixture(t, func(o *options) {
		o.Now = func() time.Time {
			if hold.CompareAndSwap(true, false) { // the first one: probes ask for the time, too
				arrived <- struct{}{}
				<-proceed
			}
			return time.Time{}
		}
	})
	hold.Store(true)
	public, admin := listen(t), listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- f.server.Run(ctx, public, admin) }()

	answered := make(chan error, 1)
	go func() {
		response, err := http.Get("http://" + public.Addr().String() + "/api/v1/projects")
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			err = errors.Join(err, response.Body.Close())
			if response.StatusCode != 200 {
				err = fmt.Errorf("answered %d", response.StatusCode)
			}
		}
		answered <- err
	}()
	<-arrived
	response, err := http.Get("http://" + admin.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("the admin address: %d", response.StatusCode)
	}
	stop()
	for { // until the listener is closed
		c, err := net.Dial("tcp", public.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	select {
	case err := <-ran:
		t.Fatalf("the server stopped before its request was answered: %v", err)
	default:
	}
	close(proceed)
	if err := <-answered; err != nil {
		t.Errorf("the request in flight: %v", err)
	}
	if err := <-ran; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestRunReportsABrokenListener(t *testing.T) {
	f := newFixture(t, nil)
	public, admin := listen(t), listen(t)
	_ = public.Close()
	if err := f.server.Run(t.Context(), public, admin); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run: %v", err)
	}
	if _, err := net.Dial("tcp", admin.Addr().String()); err == nil {
		t.Error("the admin address is still open")
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	s := newFixture(t, nil).server
	for _, writeTimeout := range []time.Duration{writeTimeout, adminWriteTimeout} {
		h := httpServer(http.NotFoundHandler(), writeTimeout, s.log.Handler())
		got := []time.Duration{h.ReadHeaderTimeout, h.ReadTimeout, h.WriteTimeout, h.IdleTimeout}
		if want := []time.Duration{readHeaderTimeout, readTimeout, writeTimeout, idleTimeout}; !slices.Equal(got, want) {
			t.Errorf("the timeouts are %v, want %v", got, want)
		}
		if h.MaxHeaderBytes != maxHeaderBytes {
			t.Errorf("headers may have %d bytes, want %d", h.MaxHeaderBytes, maxHeaderBytes)
		}
	}
}

// The bounds that SECURITY.md names are those that hold.
func TestDocumentedBounds(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("until they are read | %.0f s |", readHeaderTimeout.Seconds()),
		fmt.Sprintf("the whole request | %.0f s |", readTimeout.Seconds()),
		fmt.Sprintf("until it is sent | %.0f s |", writeTimeout.Seconds()),
		fmt.Sprintf("without a request | %.0f s |", idleTimeout.Seconds()),
		fmt.Sprintf("request line and headers | %d KiB |", maxHeaderBytes>>10),
		fmt.Sprintf("| address | %d KiB |", maxURI>>10),
		fmt.Sprintf("in flight after a signal to stop | %.0f s |", shutdownTimeout.Seconds()),
		fmt.Sprintf("on the admin address | %.0f s |", adminWriteTimeout.Seconds()),
		fmt.Sprintf("`/metrics` | %.0f s, %d at once |", metricsTimeout.Seconds(), maxScrapes),
		fmt.Sprintf("%d,%03d requests are handled at once", DefaultMaxConcurrent/1000, DefaultMaxConcurrent%1000),
		fmt.Sprintf("at most %d MiB", maxUnsent>>20),
		fmt.Sprintf("a request waits for Redis | %d ms |", ratestore.DefaultTimeout.Milliseconds()),
		fmt.Sprintf("counts take at most %d MiB", ratestore.DefaultBound>>20),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("SECURITY.md does not say %q", want)
		}
	}
}

// Few connections may send large headers at once; one more is told to come again,
// and small requests are served meanwhile.
func TestLargeHeadersAreBounded(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	c, files := numbered(1)
	writeBuild(t, public, c, files)
	s, log := newBuilt(t, public, nil)
	listener := newConnections(listen(t), s.metrics, s.proxies)
	server := httpServer(s.Handler(), writeTimeout, s.log.Handler())
	server.ConnState = listener.follow
	server.ReadHeaderTimeout, server.ReadTimeout = patience, patience // held connections outlive the test
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		<-ended
	}()
	address := listener.Addr().String()
	start := "GET / HTTP/1.1\r\nHost: a\r\n"
	large := start + "X-A: " + strings.Repeat("a", 2*smallHeaders) + "\r\n"
	var held []net.Conn
	// Bytes are read in several pieces, as the end of headers in the same piece
	// shows that they were not unfinished.
	const piece = 1500
	send := func(c net.Conn, text string) {
		for len(text) > 0 {
			n, err := io.WriteString(c, text[:min(piece, len(text))])
			if err != nil {
				return // the server has refused and closed
			}
			text = text[n:]
		}
	}
	status := func(from int, text string) string {
		c := dialFrom(t, from, address)
		defer func() { _ = c.Close() }()
		send(c, text)
		wait := patience
		if text == large { // its end is waited for where it is not refused
			wait = time.Second
		}
		_ = c.SetReadDeadline(time.Now().Add(wait))
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			return err.Error()
		}
		return strings.Fields(line)[1]
	}
	// The server counts a connection when it has read what was sent. Until then
	// another one may take its place.
	counted := func() {
		t.Helper()
		eventually(t, "the connections that are held are counted, and no others", func() bool {
			return listener.large.used.Load() == int64(len(held))
		})
	}
	hold := func(client int) {
		t.Helper()
		counted()
		for range maxClientLargeHeaders {
			c := dialFrom(t, client, address)
			t.Cleanup(func() { _ = c.Close() })
			send(c, large)
			held = append(held, c)
		}
		counted()
	}
	f := &fixture{t: t, server: s.Server}
	refusals := func() float64 { return f.value(t, `catalog_http_overloaded_total{reason="headers"}`) }
	hold(0)
	eventually(t, "one more of the same client is refused", func() bool {
		return status(0, large) == "503"
	})
	if got := status(1, large+"\r\n"); got != "200" {
		t.Errorf("another client is answered %s", got)
	}
	for client := 1; len(held) < maxLargeHeaders; client++ {
		hold(client)
	}
	eventually(t, "one more is refused", func() bool {
		return status(maxLargeHeaders, large) == "503"
	})
	body := strings.Repeat(" ", smallHeaders+100)
	if got := status(maxLargeHeaders, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body)); got == "503" {
		t.Error("a body is taken for headers")
	}
	if refusals() == 0 {
		t.Error("the refusal is not counted")
	}
	if got := rawStatus(t, address, start+"\r\n"); got != "200" {
		t.Errorf("a small request is answered %s", got)
	}
	// Whoever ends its headers has its answer, and makes room.
	for i := range 3 {
		if _, err := io.WriteString(held[i], "\r\n"); err != nil {
			t.Fatal(err)
		}
		if response, err := http.ReadResponse(bufio.NewReader(held[i]), nil); err != nil || response.StatusCode != 200 {
			t.Errorf("a request with large headers is answered %v, %v", response, err)
		}
	}
	eventually(t, "there is room again", func() bool {
		return status(maxLargeHeaders, large+"\r\n") == "200"
	})
	for _, c := range held {
		_ = c.Close()
	}
	checkUnharmed(t, s.Server, log)
}

func TestHeaderLimit(t *testing.T) {
	f := newFixture(t, nil)
	public := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- f.server.Run(ctx, public, nil) }()
	for target, status := range map[string]string{
		"/api/v1/search?q=" + strings.Repeat("a", 100):     "200",
		"/api/v1/search?q=" + strings.Repeat("a", 300):     "400",
		"/api/v1/search?q=" + strings.Repeat("a", 20<<10):  "414",
		"/api/v1/search?q=" + strings.Repeat("a", 100<<10): "431",
		"/api/v1/search?q=%zz":                             "400",
		"/api/%zz":                                         "400", // by net/http
	} {
		if got := rawStatus(t, public.Addr().String(), "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); got != status {
			t.Errorf("%.60s…: %s, want %s", target, got, status)
		}
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// dialFrom connects from an address of the loopback network, one for each client.
func dialFrom(t *testing.T, client int, address string) net.Conn {
	t.Helper()
	local := net.TCPAddrFromAddrPort(netip.AddrPortFrom(processtest.Client(client), 0))
	c, err := (&net.Dialer{LocalAddr: local, Timeout: patience}).Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rawStatus sends bytes as they are and returns the status of the answer.
func rawStatus(t *testing.T, address, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	// The server may answer and close before it has read everything.
	_, _ = io.WriteString(c, request)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(line)[1]
}

func TestAdminHandler(t *testing.T) {
	f := newFixture(t, nil)
	admin := f.server.AdminHandler()
	for target, status := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/debug/pprof/": 200, "/debug/pprof/cmdline": 200, "/debug/pprof/goroutine": 200, "/": 404, "/api/v1/projects": 404,
	} {
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+target, nil))
		if w.Code != status {
			t.Errorf("%s: %d, want %d", target, w.Code, status)
		}
	}
	if r := f.get("/debug/pprof/"); r.status != 404 {
		t.Errorf("profiles on the public address: %d", r.status)
	}
}

// A page of another site reaches the admin address only by a name that leads there
// (DNS rebinding). Metrics and profiles are for those who ask by an IP address, by
// localhost or by a listed name; probes are for all.
func TestAdminHosts(t *testing.T) {
	f := newFixture(t, func(o *options) { o.AdminHosts = []string{"Metrics.internal", "catalog-0"} })
	public, admin := listen(t), listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- f.server.Run(ctx, public, admin) }()
	for host, allowed := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:9090": true, "[::1]:9090": true, "[::1]": true, "192.0.2.1:80": true, "[fe80::1%25eth0]:9090": true,
		"localhost": true, "LocalHost:9090": true, "localhost.:9090": true,
		"metrics.internal": true, "metrics.internal:9090": true, "METRICS.INTERNAL.": true, "catalog-0:9090": true,
		"rebound.example": false, "rebound.example:9090": false, "localhost.rebound.example": false, "127.0.0.1.rebound.example": false, "notlocalhost": false,
		"catalog-1": false, "internal": false, "x.metrics.internal": false, "2130706433": false, "0x7f.1": false,
		"": true, // no browser sends that
	} {
		for target, status := range map[string]string{"/metrics": "200", "/debug/pprof/": "200", "/debug/pprof/cmdline": "200", "/nothing": "404", "/healthz": "200", "/readyz": "200"} {
			if !allowed && target != "/healthz" && target != "/readyz" {
				status = "421"
			}
			if got := rawStatus(t, admin.Addr().String(), "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n"); got != status {
				t.Errorf("%s of %q is answered %s, want %s", target, host, got, status)
			}
		}
	}
	w := httptest.NewRecorder()
	f.server.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://rebound.example/metrics", nil))
	if !strings.Contains(w.Body.String(), "--admin-hosts") {
		t.Errorf("the refusal does not say what to do: %s", w.Body)
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
