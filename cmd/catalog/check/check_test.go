package check

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api/headers"
	"catalog.example/api/site"
)

// TestBuild judges the builds of answers.
func TestBuild(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	head := answer{address: "file", body: []byte(`{"version":"abc","total":1}`), header: http.Header{}}
	for name, c := range map[string]struct {
		build, base, old string
		answers          map[string]answer
		want             []string
	}{
		"another sitemap": {"", "https://catalog.example", ", of unknown age", map[string]answer{lines: head, sitemap: {address: "map", body: []byte("<urlset")}},
			[]string{"file has 1 listings, and map has 0"}},
		"another build on the server": {"", "", ", of unknown age", map[string]answer{lines: head, servedLines: {address: "other", body: []byte(`{"version":"def","total":1}`)}},
			[]string{"file has the version abc, and other has def"}},
		"the build by its archive":  {"123", "", ", listings abc, of unknown age", map[string]answer{lines: head, ready: {body: []byte("ok\nversion 12345\n")}}, nil},
		"the build by its listings": {"ab", "", ", listings abc, of unknown age", map[string]answer{lines: head, ready: {body: []byte("ok\nversion 12345\n")}}, nil},
		"a build that is not there": {"abd", "", ", listings abc, of unknown age", map[string]answer{lines: head, ready: {body: []byte("ok\nversion 12345\n")}},
			[]string{"version 12345, listings abc, of unknown age"}},
		"no index.json":         {"", "", ", of unknown age", map[string]answer{lines: head, sitemap: {body: []byte("<urlset")}}, nil},
		"the age of a file":     {"", "", ", 2 days old", map[string]answer{lines: {body: head.body, header: http.Header{"Last-Modified": {"Fri, 27 Nov 2026 11:00:00 GMT"}}}}, nil},
		"the age by the server": {"", "", ", 1 day old", map[string]answer{lines: head, ready: {body: []byte("ok\nversion abc\nage 90000 seconds\n")}}, nil},
	} {
		s := &session{o: Options{Build: c.build, Now: func() time.Time { return now }}, settings: site.Settings{BaseURL: c.base}}
		s.checkBuild(c.answers)
		if seen := s.Findings[0].Seen; !strings.HasPrefix(seen, "version ") || !strings.HasSuffix(seen, c.old) {
			t.Errorf("%s: %q, want %q", name, seen, c.old)
		}
		var got []string
		for _, f := range s.Findings {
			if f.Level != OK {
				got = append(got, f.Seen)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if fields := (&session{}).requests()[0].fields; len(fields) != 1 {
		t.Errorf("without index.json, the home page should have %v", fields)
	}
}

// TestCertificates judges certificates of 90 and of 6 days, and one whose authority ends earlier.
func TestCertificates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		days, left, authority time.Duration
		want                  string
	}{
		"new": {90, 80, 900, OK}, "old": {90, 13, 900, Warning}, "short": {6, 3, 900, OK}, "short and old": {6, 1, 900, Warning},
		"authority": {90, 80, 5, Warning},
	} {
		leaf := &x509.Certificate{NotAfter: now.Add(c.left * day), NotBefore: now.Add((c.left - c.days) * day)}
		s := &session{o: Options{Now: func() time.Time { return now }}}
		s.checkCertificate("", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf},
			VerifiedChains: [][]*x509.Certificate{{leaf, {NotAfter: now.Add(c.authority * day)}}}})
		if f := s.Findings[0]; f.Level != c.want || !strings.HasPrefix(f.Seen, days(min(c.left, c.authority)*day)+" left") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestRetryAfter says how long to wait.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"": "wait 60 seconds, ", "7": "wait 7 seconds, ", "Sun, 29 Nov 2026 12:00:00 GMT": "wait until Sun, 29 Nov 2026 12:00:00 GMT, "} {
		found := (&session{}).judge(t.Context(), &request{}, &answer{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {sent}}})
		if !strings.HasPrefix(found[0].Do, want) {
			t.Errorf("%q: %+v", sent, found)
		}
	}
}

// TestPolicies judges Content-Security-Policies of a right site and of wrong ones.
func TestPolicies(t *testing.T) {
	t.Parallel()
	const base = "https://catalog.example"
	policy := func(searchURL string) string {
		return headers.Page(&site.Settings{BaseURL: base + "/tools", SearchURL: searchURL})[0].Value
	}
	s := &session{base: base + "/tools", settings: site.Settings{BaseURL: base + "/tools"}}
	home := request{name: "home", fields: headers.Page(&s.settings)[:1]}
	for name, c := range map[string]struct {
		policies []string
		want     string
	}{
		"right":                  {[]string{policy("")}, OK},
		"search_url is base_url": {[]string{policy(base + "/tools")}, OK},
		"one more":               {[]string{policy(""), "default-src 'self'"}, Warning},
		"another":                {[]string{"default-src 'self'"}, Warning},
	} {
		a := answer{status: http.StatusOK, header: http.Header{"Content-Security-Policy": c.policies}}
		if found := s.judge(t.Context(), &home, &a); len(found) != 1 || found[0].Level != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
