package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"catalog.example/api/server/ratestore"
)

// blocked is a rate store that answers when it is told to.
type blocked struct {
	ratestore.Store
	asked, proceed chan struct{}
}

func (b blocked) Take(ctx context.Context, p ratestore.Key, limit int) ratestore.Verdict {
	b.asked <- struct{}{}
	<-b.proceed
	return b.Store.Take(ctx, p, limit)
}

// A request holds a slot while it is counted, so that a slow rate store does not pile up
// requests.
func TestCountingHoldsASlot(t *testing.T) {
	for _, target := range []string{"/api/v1/search", "/mcp"} {
		store := blocked{ratestore.NewMemory(0, nil), make(chan struct{}), make(chan struct{})}
		f := newFixture(t, func(o *options) { o.MaxConcurrent, o.RateStore = 1, store })
		ask := func() int {
			w := httptest.NewRecorder()
			f.server.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, target, strings.NewReader("{}")))
			return w.Code
		}
		var first sync.WaitGroup
		first.Go(func() { ask() })
		<-store.asked
		if status := ask(); status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d while another request is counted", target, status)
		}
		close(store.proceed)
		first.Wait()
		if used := f.server.slots.used.Load(); used != 0 {
			t.Errorf("%s: %d slots are in use", target, used)
		}
	}
}

// TestTargetsAnsweredByTheMux sends what http.ServeMux would answer by itself: each
// response is ours.
func TestTargetsAnsweredByTheMux(t *testing.T) {
	for _, test := range []struct {
		base, method, target string
		status               int
	}{
		{"", "GET", "//", 404}, {"", "GET", "//api/v1/search", 404}, {"", "GET", "/api//v1/search", 404}, {"", "GET", "/projects/../llms.txt", 404},
		{"", "GET", "/./llms.txt", 404}, {"", "GET", "/api/v1/./search", 404}, {"", "GET", "/api/v1/projects/..", 404}, {"", "GET", "/api", 404},
		{"", "CONNECT", "*", 405}, {"", "CONNECT", "/", 405}, {"", "OPTIONS", "//x", 204},
		{"/a/b", "GET", "/a/b/llms.txt", 200}, {"/a/b", "GET", "/a%2Fb/llms.txt", 404}, {"/a/b", "GET", "/a%2Fb/api/v1/search", 404}, {"/a/b", "GET", "/%61/b/llms.txt", 200},
		{"/a/b", "GET", "/a/b/api/v1/projects/x%2Fy", 404}, {"/a/b", "GET", "/a/bc/llms.txt", 404}, {"/a/b", "GET", "/a/b", 308}, {"/a/b", "GET", "/a/b//llms.txt", 404},
	} {
		f := newFixture(t, func(o *options) { o.Settings.BaseURL += test.base })
		r := httptest.NewRequest(test.method, "/", nil)
		if test.target == "*" {
			r.RequestURI, r.URL.Path = "*", ""
		} else {
			r = httptest.NewRequest(test.method, test.target, nil)
		}
		w := httptest.NewRecorder()
		f.server.Handler().ServeHTTP(w, r)
		if w.Code != test.status || w.Header().Get("X-Request-Id") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s below %q: %d, %v", test.method, test.target, test.base, w.Code, w.Header())
		}
	}
}
