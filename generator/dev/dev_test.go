package dev

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"catalog.example/api/headers"
	settingsof "catalog.example/api/site"
	"catalog.example/generator"
)

// patience bounds each wait. No test waits that long.
const patience = 30 * time.Second

// served is a copy of the small catalogue that Run serves.
type served struct {
	t       *testing.T
	dir     string // holds content, look, static and catalog.yml
	address string
	lines   chan string // printed
}

// serve serves a copy of the small catalogue until the test ends, and returns when it is
// checked. change changes the files before.
func serve(t *testing.T, change func(s *served)) *served {
	t.Helper()
	s := &served{t: t, dir: t.TempDir(), lines: make(chan string, 1000)}
	if err := os.CopyFS(s.path("content"), os.DirFS("../testdata/small")); err != nil {
		t.Fatal(err)
	}
	s.write("catalog.yml", "title: Small\nstatic: "+s.path("static")+"\noverrides: "+s.path("look")+"\n")
	s.write("static/robots-extra.txt", "a static file")
	s.write("look/pages/404.html", `{{define "main"}}<h1>No such page</h1>{{end}}`)
	if change != nil {
		change(s)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = "http://" + listener.Addr().String()
	settings := func() (settingsof.Settings, error) {
		settings, err := generator.LoadSettings(s.path("catalog.yml"), func(string) (string, bool) { return "", false })
		settings.BaseURL = s.address
		return settings, err
	}
	read, write := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			s.lines <- lines.Text()
		}
		close(s.lines)
	}()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, listener, Options{
			Preview: generator.PreviewOptions{Content: s.path("content"), Settings: settings, Now: func() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) }},
			Folders: func() []string {
				return []string{s.path("content"), s.path("catalog.yml"), s.path("look"), s.path("static")}
			},
			API: fakeAPI, Out: write,
		})
		_ = write.Close()
	}()
	t.Cleanup(func() {
		stop()
		go func() { // so that printing does not block the end
			for {
				if _, more := <-s.lines; !more {
					return
				}
			}
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("it does not end")
		}
	})
	s.checked()
	s.said(`^Serving ` + s.address + `: `)
	return s
}

// fakeAPI says how large the index is, and what was asked.
func fakeAPI(d *generator.Draft, index []byte) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"title":%q,"index":%t,"path":%q}`, d.Settings.Title, len(index) > 0, r.URL.Path)
	}), nil
}

func (s *served) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// write replaces a file in one step, so that it is checked once: a file that is written in
// place is empty for a moment, and may be checked as such.
func (s *served) write(name, text string) {
	s.t.Helper()
	file, beside := s.path(name), filepath.Join(s.t.TempDir(), "saved")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(beside, []byte(text), 0o644), os.Rename(beside, file)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) edit(name, old, with string) {
	s.t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil || !strings.Contains(string(text), old) {
		s.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	s.write(name, strings.Replace(string(text), old, with, 1))
}

// said waits until a line is printed, and returns those before it.
func (s *served) said(pattern string) (before []string) {
	s.t.Helper()
	want := regexp.MustCompile(pattern)
	for deadline := time.After(patience); ; {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("it has ended without %q; it said %q", pattern, before)
			}
			if want.MatchString(line) {
				return append(before, line)
			}
			before = append(before, line)
		case <-deadline:
			s.t.Fatalf("it does not say %q but %q", pattern, before)
		}
	}
}

// checked waits for the end of a report, and returns it.
func (s *served) checked() string { s.t.Helper(); return strings.Join(s.said(`^checked: `), "\n") }

func (s *served) get(path string) (response *http.Response, body string) {
	s.t.Helper()
	client := &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(s.address + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(text)
}

// page returns a page, and its findings.
func (s *served) page(path string) (body, findings string) {
	s.t.Helper()
	_, body = s.get(path)
	m := regexp.MustCompile(`(?s)<body[^>]*><aside id="dev-findings"[^>]*>(.*?)</aside>`).FindStringSubmatch(body)
	if m == nil {
		s.t.Fatalf("%s has no findings at its top: %s", path, body)
	}
	return body, m[1]
}

// open opens a page as a browser does, and returns the events that it gets, each as
// "name: data".
func (s *served) open(path string) chan string {
	s.t.Helper()
	body, _ := s.page(path)
	m := regexp.MustCompile(`<script src="/_dev/dev.js" data-hash="([0-9a-f]+)" defer></script>`).FindStringSubmatch(body)
	if m == nil {
		s.t.Fatalf("%s has no script: %s", path, body)
	}
	ctx, stop := context.WithCancel(s.t.Context())
	s.t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+pathEvents+"?"+url.Values{"page": {path}, "hash": {m[1]}}.Encode(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		s.t.Fatalf("events are %s", got)
	}
	events := make(chan string, 100)
	go func() {
		defer close(events)
		defer response.Body.Close()
		name, data := "", []string{}
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			switch key, value, _ := strings.Cut(lines.Text(), ":"); key {
			case "event":
				name = strings.TrimSpace(value)
			case "data":
				data = append(data, strings.TrimPrefix(value, " "))
			case "":
				events <- name + ": " + strings.Join(data, "\n")
				name, data = "", nil
			}
		}
	}()
	return events
}

// expect waits for the next event that contains a text.
func (s *served) expect(events chan string, want string) {
	s.t.Helper()
	var got []string
	for deadline := time.After(patience); ; {
		select {
		case event, ok := <-events:
			if !ok {
				s.t.Fatalf("the events end without %q: %q", want, got)
			}
			if strings.Contains(event, want) {
				return
			}
			got = append(got, event)
		case <-deadline:
			s.t.Fatalf("no event has %q: %q", want, got)
		}
	}
}

func mustContain(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
}

const (
	amber  = "content/projects/amber-chat.md"
	light  = "content/projects/borrowed-light.md"
	folder = "/projects/borrowed-light/"
)

func TestOpenPageFollowsItsListing(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	body, _ := s.page(folder)
	mustContain(t, body, `<link rel="stylesheet" href="/_dev/dev.css">`, "It listens and writes.")
	events := s.open(folder)

	// A change of what another page shows is none of this page's.
	s.edit(amber, "Needs <8 GB> of disk", "Needs <9 GB> of disk")
	if report := s.checked(); !strings.HasPrefix(report, "checking "+s.path(amber)+"\n") {
		t.Errorf("the report begins %q", report)
	}
	if body, _ := s.page("/projects/amber-chat/"); !strings.Contains(body, "&lt;9 GB> of disk") {
		t.Error("the other page is not the new one")
	}
	s.edit(light, "It listens and writes.", "It listens, and writes it down.")
	for event := range events { // the server ends them after reload
		if strings.HasPrefix(event, "reload") {
			break
		}
		if !strings.HasPrefix(event, "findings: ") {
			t.Errorf("event %q", event)
		}
	}
	body, _ = s.page(folder)
	mustContain(t, body, "It listens, and writes it down.")

	// The page that is loaded is as new as the event said, and is not reloaded again.
	s.checked()
	events = s.open(folder)
	s.edit(amber, "Needs <9 GB> of disk", "Needs <8 GB> of disk")
	s.checked()
	for len(events) > 0 {
		if event := <-events; strings.HasPrefix(event, "reload") {
			t.Error("the page reloads though it has not changed")
		}
	}
}

func TestListingWithErrorKeepsItsLastForm(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	events := s.open(folder)
	s.edit(light, "category: speech", `category: "<b>none"`)
	s.expect(events, `no category`)
	report := s.checked()
	mustContain(t, report, s.path(light)+":6:11: category: there is no category \"<b>none\"", "\nchecked: 1 error, ")
	body, findings := s.page(folder)
	mustContain(t, findings, `<p class="error"><strong>error</strong> <a href="vscode://file`, "borrowed-light.md:6:11</a> category: there is no category &#34;&lt;b&gt;none&#34;")
	mustContain(t, body, "It listens and writes.")
	// Other pages say it too, after their own findings.
	if _, findings = s.page("/projects/amber-chat/"); !strings.Contains(findings, "borrowed-light.md:6:11") {
		t.Errorf("another page says %s", findings)
	}
	s.edit(light, `category: "<b>none"`, "category: speech")
	for event := range events {
		if strings.HasPrefix(event, "findings: ") && !strings.Contains(event, "no category") {
			break
		}
		if !strings.HasPrefix(event, "findings: ") {
			t.Errorf("event %q", event)
		}
	}
	if _, findings = s.page(folder); strings.Contains(findings, "no category") {
		t.Errorf("what is mended stays: %s", findings)
	}
}

func TestNewListingAppears(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	if response, body := s.get("/projects/fresh-bread/"); response.StatusCode != http.StatusNotFound || !strings.Contains(body, "No such page") {
		t.Errorf("no listing: %d %s", response.StatusCode, body)
	}
	s.write("content/projects/fresh-bread.md", "---\nname: Fresh Bread\npurpose: Bakes.\ncategory: nosuch\nrepositoryUrl: https://code.example.org/bread\naddedAt: 2026-11-01\n---\nText.\n")
	s.checked()
	response, body := s.get("/projects/fresh-bread/")
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", response.StatusCode)
	}
	mustContain(t, body, "Nothing to show yet", "fresh-bread.md:4:11</a> category: there is no category")
	events := s.open("/projects/fresh-bread/")
	s.edit("content/projects/fresh-bread.md", "nosuch", "chat")
	s.expect(events, "reload: ")
	if response, body = s.get("/projects/fresh-bread/"); response.StatusCode != http.StatusOK || !strings.Contains(body, "<bdi>Fresh Bread</bdi>") {
		t.Errorf("mended: %d %s", response.StatusCode, body)
	}
	if err := os.Remove(s.path("content/projects/fresh-bread.md")); err != nil {
		t.Fatal(err)
	}
	s.checked()
	s.checked()
	if response, body = s.get("/projects/fresh-bread/"); response.StatusCode != http.StatusNotFound || !strings.Contains(body, "No such page") {
		t.Errorf("removed: %d %s", response.StatusCode, body)
	}
}

func TestPagesStayWhileTheRestIsBroken(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, c := range []struct{ file, old, with, want string }{
		{"catalog.yml", "title: Small", "titel: Small", "titel"},
		{"content/taxonomy/categories.yml", "slug: chat", "slug: Chat Room", "Chat Room"},
		{"look/pages/404.html", "{{define", "{{defin", "404.html"},
	} {
		events := s.open(folder)
		s.edit(c.file, c.old, c.with)
		s.expect(events, c.want)
		// The first check may have begun before the edit.
		for !strings.Contains(s.checked(), c.want) {
		}
		body, findings := s.page(folder)
		mustContain(t, findings, `class="error"`, c.want)
		mustContain(t, body, "It listens and writes.")
		if _, api := s.get("/api/v1/search"); !strings.Contains(api, `"index":true`) {
			t.Errorf("with %s broken the search says %s", c.file, api)
		}
		s.edit(c.file, c.with, c.old)
		// The check that comes next may have begun before. If none mends the page, the wait for
		// another one fails.
		for s.checked(); ; s.checked() {
			if _, findings := s.page(folder); !strings.Contains(findings, `class="error"`) {
				break
			}
		}
	}
	// An error that shows only when a page is rendered is that page's.
	s.edit("look/pages/404.html", "No such page", "{{.Nonesuch.Thing}}")
	s.checked()
	if response, body := s.get("/nowhere/"); response.StatusCode != http.StatusInternalServerError && response.StatusCode != http.StatusNotFound || !strings.Contains(body, "dev-findings") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

func TestBrokenFromTheBeginning(t *testing.T) {
	t.Parallel()
	s := serve(t, func(s *served) { s.edit("catalog.yml", "title: Small", "titel: Small") })
	body, findings := s.page(folder)
	mustContain(t, body, "Nothing to show yet")
	mustContain(t, findings, "titel")
	if response, body := s.get("/api/v1/search"); response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "search is not available") {
		t.Errorf("the search answers %d %s", response.StatusCode, body)
	}
	events := s.open(folder)
	s.edit("catalog.yml", "titel: Small", "title: Small")
	s.expect(events, "reload: ")
	body, _ = s.page(folder)
	mustContain(t, body, "It listens and writes.")
}

func TestFilesHaveTheirTypes(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, c := range []struct{ path, contentType, want string }{
		{"/", "text/html; charset=utf-8", "Small"},
		{"/robots-extra.txt", "text/plain; charset=utf-8", "a static file"},
		{"/projects/amber-chat/index.html.md", "text/markdown; charset=utf-8", "# Amber Chat"},
		{"/api/v1/lists/newest/1.json", "application/json", "borrowed-light"},
		{"/site.webmanifest", "application/manifest+json", "Small"},
		{"/feed.xml", "application/atom+xml", "<feed"},
		{"/llms.txt", "text/plain; charset=utf-8", "Small"},
		{"/badge/amber-chat.svg", "image/svg+xml", "Listed: Small"},
		{"/embed/amber-chat/", "text/html; charset=utf-8", "Amber Chat"},
		{pathScript, "text/javascript; charset=utf-8", "EventSource"},
		{pathStyle, "text/css; charset=utf-8", "#dev-findings"},
		{"/api/v1/search?q=x", "application/json", `{"title":"Small","index":true,"path":"/api/v1/search"}`},
		{"/mcp", "application/json", `"path":"/mcp"`},
	} {
		response, body := s.get(c.path)
		if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != c.contentType || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %q %.200s", c.path, response.StatusCode, got, body)
		}
		if got := response.Header.Get("Cache-Control"); got != "no-store" && c.want[0] != '{' {
			t.Errorf("%s may be cached: %q", c.path, got)
		}
		policy := response.Header.Get("Content-Security-Policy")
		isFramed, hasFindings := strings.HasSuffix(policy, "frame-ancestors *"), strings.Contains(body, "dev-findings")
		isEmbed := strings.HasPrefix(c.path, "/embed/")
		if isFramed != isEmbed || hasFindings && isEmbed {
			t.Errorf("%s has the policy %q and findings: %t", c.path, policy, hasFindings)
		}
	}
	for path, want := range map[string]string{"/projects/amber-chat": "/projects/amber-chat/", "//projects/amber-chat": "/projects/amber-chat/"} {
		if response, _ := s.get(path); response.StatusCode != http.StatusFound || response.Header.Get("Location") != want {
			t.Errorf("%s leads to %q: %d", path, response.Header.Get("Location"), response.StatusCode)
		}
	}
	s.write("static/robots-extra.txt", "another static file")
	s.checked()
	if _, body := s.get("/robots-extra.txt"); body != "another static file" {
		t.Errorf("the static file is %q", body)
	}
}

// TestSearchIsThatOfTheLastDraft asks while an index is made and drafts replace each other.
func TestSearchIsThatOfTheLastDraft(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			response, err := http.Get(s.address + "/api/v1/search")
			if err != nil {
				t.Error(err)
				return
			}
			if response.StatusCode != http.StatusOK {
				t.Errorf("the search answers %d", response.StatusCode)
			}
			_ = response.Body.Close()
		}
	}()
	titles := []string{"Small", "One", "Two", "Three", "Four"}
	for i, title := range titles[1:] {
		s.edit("catalog.yml", "title: "+titles[i], "title: "+title)
		s.checked()
		if _, body := s.get("/api/v1/search"); !strings.Contains(body, title) {
			t.Errorf("after %s the search is of %s", title, body)
		}
	}
	<-done
}

func TestFindingsAreEscaped(t *testing.T) {
	t.Parallel()
	p := generator.NewPreview(generator.PreviewOptions{
		Content: "../testdata/small", Now: time.Now,
		Settings: func() (settingsof.Settings, error) {
			return settingsof.Settings{}, errors.New("first <line>\nsecond\u202e\r\nthird\x1b[31m")
		},
	})
	d, err := p.Update(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{options: Options{}}
	got := string(s.findings(&state{draft: d}, "/"))
	mustContain(t, got, "first &lt;line&gt;\nsecond")
	for _, bad := range []string{"\u202e", "\x1b", "\r", "<line>"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in %q", bad, got)
		}
	}
}

func TestReportNamesFewFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "checking the catalogue"},
		{[]string{"a"}, "checking a"},
		{[]string{"a", "b", "c"}, "checking a, b, c"},
		{[]string{"a", "b", "c", "d", "e"}, "checking a, b, c and 2 more"},
	} {
		if got := beginning(c.names); got != c.want {
			t.Errorf("%q: %q", c.names, got)
		}
	}
}

func TestReportCountsErrors(t *testing.T) {
	t.Parallel()
	one := errors.New("one")
	for want, err := range map[string]error{"0 errors": nil, "1 error": one, "2 errors": errors.Join(one, one)} {
		draft := &generator.Draft{Err: err}
		if got := ending(&state{draft: draft}, 0); !strings.HasPrefix(got, "checked: "+want+", ") {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// Below the path of a language, the API answers as at the root, and there are pages for other sites.
func TestPathsOfTheAPI(t *testing.T) {
	draft := &generator.Draft{}
	draft.Languages = []string{"de"}
	now := &state{draft: draft}
	if !headers.IsEmbed(now.inLanguage("de/embed/a/index.html")) || headers.IsEmbed(now.inLanguage("fr/embed/a/index.html")) {
		t.Error("the pages for other sites are not those below /embed/ and /de/embed/")
	}
	for path, want := range map[string]string{
		"/api/v1/search": "/api/v1/search", "/de/api/v1/search": "/api/v1/search", "/mcp": "/mcp", "/de/mcp": "/mcp",
		"/": "", "/de/": "", "/a/b/api/v1/": "", "/apis": "", "/fr/api/v1/search": "", "/de/fr/mcp": "",
	} {
		if got := now.apiPath(path); got != want {
			t.Errorf("%s is answered as %q, want %q", path, got, want)
		}
	}
}
