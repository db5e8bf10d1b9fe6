package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Whatever a request holds, as long as net/http takes it for one: never a fault,
// never a file that must not be served, and below /api/ an answer that the
// OpenAPI document allows.
func FuzzHandler(f *testing.F) {
	for _, seed := range [][5]string{
		{"GET", "/", "", "", ""},
		{"GET", "/api/v1/projects", "limit=5&offset=3", "X-Api-Key: catalog-sandbox", ""},
		{"HEAD", "/api/v1/projects/paper-lantern-1", "", "If-None-Match: *", "X-Request-Id: a"},
		{"GET", "/api/v1/projects/a%2Fb%00", "", "Authorization: Bearer nope", ""},
		{"GET", "/api/v1/search", "q=chat+with+pdf&docker=1&license=MIT,Apache-2.0&sort=newest&limit=3", "", ""},
		{"GET", "/api/v1/search", "q=%FF&category=&platform=linux&x=1&limit=99999999999999999999", "", ""},
		{"GET", "/api/v1/search", "gpu=0&selfHosted=1&beginner=0&sort=trending&q=no+gpu+8gb", "X-Forwarded-For: 1.2.3.4,,x", ""},
		{"OPTIONS", "/api/v1/openapi", "", "Access-Control-Request-Method: GET", ""},
		{"POST", "/api/v1/lists/popular/1.json", "", "", ""},
		{"GET", "/assets/..%2f..%5coutside.txt", "a=%zz", "", ""},
		{"GET", "//evil.example/%2e%2e", ";;;", "", ""},
		{"GET", "/api/v1/search.idx", "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	fixture := newFixture(f, func(o *options) { o.Logger = nil })
	f.Fuzz(func(t *testing.T, method, path, query, headerLine, anotherLine string) {
		if strings.ContainsAny(method+path+query, " \r\n") {
			return
		}
		raw := method + " " + path + "?" + query + " HTTP/1.1\r\nHost: a\r\n"
		for _, line := range []string{headerLine, anotherLine} {
			if strings.ContainsAny(line, "\r\n") {
				return
			}
			if line != "" {
				raw += line + "\r\n"
			}
		}
		request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw + "\r\n")))
		if err != nil {
			return // net/http answers 400 itself
		}
		request.RemoteAddr = "192.0.2.1:4000"
		fixture.clock.pass(time.Second) // within the allowance
		w := httptest.NewRecorder()
		fixture.document.Handler(t, fixture.server.Handler()).ServeHTTP(w, request)
		if w.Code >= 500 {
			t.Errorf("%q: %d %s", raw, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "secret") && !strings.Contains(raw, "secret") {
			t.Errorf("%q serves what it must not: %s", raw, w.Body)
		}
	})
}
