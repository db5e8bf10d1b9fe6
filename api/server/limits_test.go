package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"catalog.example/api/soak"
)

// A client that does not read its answer is cut off when the time for sending it
// is over.
func TestUnreadAnswersAreCut(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	f := newFixture(t, nil)
	const size = 32 << 20 // more than the buffers of any socket hold
	if err := os.WriteFile(filepath.Join(f.public, "large.bin"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(f.public, "large.bin"), size); err != nil {
		t.Fatal(err)
	}
	public := httptest.NewUnstartedServer(f.server.Handler())
	public.Config = httpServer(f.server.Handler(), 2*time.Second, f.server.log.Handler())
	public.Start()
	defer public.Close()
	c, err := net.Dial("tcp", public.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, "GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	var begin [1]byte
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(c, begin[:]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the answer is given up", func() bool { return f.server.metrics.inFlight.Load() == 0 })
	if n, _ := io.Copy(io.Discard, c); n == 0 || n >= size {
		t.Errorf("%d bytes of %d came", n, size)
	}
}

// Whoever piles up scrapes of /metrics is turned away.
func TestScrapesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	slow := &slowCollector{arrived: make(chan struct{}), proceed: make(chan struct{})}
	f.server.metrics.registry.MustRegister(slow)
	admin := f.server.AdminHandler()
	scrape := func() int {
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
		return w.Code
	}
	var scrapes sync.WaitGroup
	for range maxScrapes {
		scrapes.Go(func() {
			if status := scrape(); status != 200 {
				t.Errorf("a scrape within the bound is answered %d", status)
			}
		})
		select {
		case <-slow.arrived:
		case <-time.After(patience):
			t.Fatal("a scrape within the bound does not begin")
		}
	}
	if status := scrape(); status != http.StatusServiceUnavailable {
		t.Errorf("one scrape too many is answered %d", status)
	}
	close(slow.proceed)
	scrapes.Wait()
}

// slowCollector has no metrics, and takes its time to say so.
type slowCollector struct{ arrived, proceed chan struct{} }

// Describe implements prometheus.Collector.
func (*slowCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *slowCollector) Collect(chan<- prometheus.Metric) {
	c.arrived <- struct{}{}
	<-c.proceed
}
