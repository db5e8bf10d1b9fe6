//go:build unix

package server

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/artifact"
	"catalog.example/api/site"
)

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(syscall.TimevalToNsec(r.Utime) + syscall.TimevalToNsec(r.Stime))
}

// Searches that were asked before, and pages, cost clearly less than searches that nobody asked. The
// margin is wide, because other work may disturb the test.
func TestWhatIsKnownCostsLess(t *testing.T) {
	_, public := shipped(t)
	var o options
	o.Build, o.Settings = artifact.Build{Folder: public}, site.Defaults()
	o.Override = func(s site.Settings) (site.Settings, error) {
		s.AnonymousPerMinute = site.MaxAllowance
		return s, nil
	}
	server, _, err := o.open()
	if err != nil {
		t.Fatal(err)
	}
	const asked = 300
	cost := func(target func(i int) string) time.Duration {
		h, w := server.Handler(), &sink{header: http.Header{}}
		begin := processorTime(t)
		for i := range asked {
			clear(w.header)
			if h.ServeHTTP(w, from("192.0.2.1:1", target(i))); w.status != http.StatusOK {
				t.Fatalf("%s: status %d", target(i), w.status)
			}
		}
		return processorTime(t) - begin
	}
	search := func(i int) string { return fmt.Sprintf("/api/v1/search?q=chat+with+documents&offset=%d", i) }
	again := func(i int) string { return search(i % 10) }
	page := func(int) string { return "/projects/ollama/" }
	fresh := cost(search)
	cost(again)
	for what, took := range map[string]time.Duration{"a search asked before": cost(again), "a page": cost(page)} {
		if ratio := float64(took) / float64(fresh); ratio > 0.5 {
			t.Errorf("%s costs %.2f of a search that nobody asked", what, ratio)
		} else {
			t.Logf("%s costs %.2f of a search that nobody asked", what, ratio)
		}
	}
}
