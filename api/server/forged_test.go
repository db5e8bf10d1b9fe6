package server

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"catalog.example/api"
)

// forgeries are what a client may write into X-Forwarded-For to pass for others:
// each is the lines of one request.
func forgeries(attempt int) [][]string {
	fresh := fmt.Sprintf("203.0.113.%d", attempt%250)
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf("198.18.%d.%d", attempt%250, i))
	}
	return [][]string{
		{fresh}, {fresh + ":4711"}, {"[" + fresh + "]"}, {"  " + fresh + "\t"}, {"\t,\t" + fresh}, {fresh + ","}, {"," + fresh}, {",,,"}, {""}, {" "},
		{victim}, {victim + "," + victim}, {victim, victim}, {victim + ":80"}, {"::ffff:" + victim}, {"[::ffff:" + victim + "]:80"}, {"::" + victim},
		{victim6}, {"[" + victim6 + "]"}, {"[" + victim6 + "]:443"}, {victim6 + "%eth0"}, {"[" + victim6 + "%25eth0]:1"}, {victim6 + "%" + fresh},
		{"127.0.0.1"}, {"::1"}, {"0.0.0.0"}, {"::"}, {"255.255.255.255"}, {"10.0.0.1"}, {"10.0.0.2, 10.0.0.3"}, {"fd00::1"}, {"localhost"},
		{fmt.Sprintf("2001:db8:%x::1", attempt)}, {fmt.Sprintf("fe80::%x%%eth%d", attempt, attempt)}, {"203.0.113.007"}, {"0xcb007107"}, {"3405803783"}, {"203.0.113"},
		{"unknown"}, {"_hidden"}, {"for=" + victim}, {`"` + victim + `"`}, {victim + " "}, {victim + ";" + fresh}, {"\x00"}, {"\xff\xfe"}, {strings.Repeat("1", 9000)},
		{strings.Repeat(fresh+",", 1000) + victim}, {strings.Repeat(",", 9000)}, many, {strings.Join(many, ", ")}, {"[::1"}, {"]"}, {"[]"}, {"[]:80"}, {":80"}, {victim + ":"}, {victim + ":99999"},
	}
}

// The victim, in both worlds. Nobody else is charged to these.
const (
	victim  = "192.0.2.77"
	victim6 = "2001:db8:77::5"
)

// otherHeaders name clients too, to servers that believe them.
var otherHeaders = []string{"Forwarded", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Forwarded", "X-Originating-Ip", "Client-Ip", "X-Forwarded-Host"}

// TestForgedClients sends every forgery, from strangers and through proxies that
// add what they see: the forger is charged for each request and for no more than
// the allowance answered, and the victim has the whole of theirs.
func TestForgedClients(t *testing.T) {
	t.Parallel()
	const limit = 5
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	// append tells how the proxies hand the header on.
	type way func(lines []string) []string
	asIs := func(lines []string) []string { return lines }
	added := func(seen string) way { // to the last line
		return func(lines []string) []string {
			return append(append([]string{}, lines[:len(lines)-1]...), lines[len(lines)-1]+", "+seen)
		}
	}
	line := func(seen ...string) way { // as lines of their own
		return func(lines []string) []string { return append(append([]string{}, lines...), seen...) }
	}
	for _, test := range []struct {
		name, remote string
		proxies      []netip.Prefix
		way          way
	}{
		{"a stranger, no proxies trusted", "198.51.100.66:4000", nil, asIs},
		{"a stranger, others trusted", "198.51.100.66:4000", trusted, asIs},
		{"a stranger by IPv6", "[2001:db8:66::1]:4000", trusted, asIs},
		{"a stranger by mapped IPv4", "[::ffff:198.51.100.66]:4000", trusted, asIs},
		{"a stranger with a zone", "[fe80::66%eth0]:4000", trusted, asIs},
		{"a stranger who adds what a proxy would", "198.51.100.66:4000", trusted, added("10.0.0.1")},
		{"an untrusted proxy", "172.16.0.1:4000", trusted, added("198.51.100.66")},
		{"a proxy, nothing trusted", "10.0.0.1:4000", nil, added("198.51.100.66")},
		{"a proxy that appends", "10.0.0.1:4000", trusted, added("198.51.100.66")},
		{"a proxy that adds a line", "10.0.0.1:4000", trusted, line("198.51.100.66")},
		{"a proxy that adds a port", "10.0.0.1:4000", trusted, added("198.51.100.66:5000")},
		{"a proxy that maps", "10.0.0.1:4000", trusted, added("::ffff:198.51.100.66")},
		{"a proxy by IPv6", "[fd00::1]:4000", trusted, added("[2001:db8:66::1]:5000")},
		{"a proxy that tells a zone", "10.0.0.1:4000", trusted, added("fe80::66%eth0")},
		{"two proxies", "10.0.0.1:4000", trusted, added("198.51.100.66, 10.0.0.2")},
		{"two proxies, a line each", "10.0.0.1:4000", trusted, line("198.51.100.66", "fd00::2")},
		{"a proxy that does not know", "10.0.0.1:4000", trusted, added("unknown")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(o *options) {
				o.Settings.AnonymousPerMinute, o.TrustedProxies, o.Logger = limit, test.proxies, nil
			})
			ask := func(remote string, lines []string, others string) int {
				r := from(remote, "/api/v1/projects?limit=1")
				r.Header["X-Forwarded-For"] = lines
				for _, name := range otherHeaders {
					if others != "" {
						r.Header.Set(name, others)
					}
				}
				w := httptest.NewRecorder()
				f.server.Handler().ServeHTTP(w, r)
				return w.Code
			}
			answered, refused := 0, 0
			for attempt := range 5 {
				for _, lines := range forgeries(attempt) {
					switch status := ask(test.remote, test.way(lines), fmt.Sprintf("203.0.113.%d", refused%250)); status {
					case 200:
						answered++
					case 429:
						refused++
					default:
						t.Fatalf("%q is answered %d", lines, status)
					}
				}
			}
			if answered != limit {
				t.Errorf("the forger had %d answers of %d, want %d", answered, answered+refused, limit)
			}
			if clients := f.value(t, "catalog_allowance_clients"); clients != 1 {
				t.Errorf("one forger is counted as %v clients", clients)
			}
			// The victim comes as this site's clients come.
			remote, lines := victim+":4000", []string(nil)
			if len(test.proxies) > 0 {
				remote, lines = "10.0.0.1:4000", []string{victim}
			}
			for i := range limit {
				if status := ask(remote, lines, ""); status != 200 {
					t.Errorf("request %d of the victim is answered %d", i, status)
				}
			}
			if status := ask("["+victim6+"]:1", nil, ""); status != 200 {
				t.Errorf("the victim by IPv6 is answered %d", status)
			}
		})
	}
}

// Who sends many X-Forwarded-For over a real connection is whom the connection is
// of: the header cannot be hidden from the server, nor smuggled in.
func TestForgedOverTheWire(t *testing.T) {
	t.Parallel()
	const limit = 5
	public := t.TempDir()
	c, files := numbered(1)
	c.Settings.AnonymousPerMinute = limit
	writeBuild(t, public, c, files)
	s, _ := newBuilt(t, public, nil)
	address := run(t, s.Server)
	answered := 0
	for i, header := range []string{
		"X-Forwarded-For: 203.0.113.1", "x-forwarded-for: 203.0.113.2", "X-FORWARDED-FOR:203.0.113.3", "X-Forwarded-For:\r\n 203.0.113.4", "X-Forwarded-For: 203.0.113.5\r\nX-Forwarded-For: 203.0.113.6",
		"X_Forwarded_For: 203.0.113.7", "Connection: X-Forwarded-For\r\nX-Forwarded-For: 203.0.113.8", "X-A: a\nX-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.10", "Host: 203.0.113.11",
		"X-Forwarded-For: 203.0.113.12, 127.0.0.1", "X-Forwarded-For: ::ffff:203.0.113.13",
	} {
		if !strings.HasPrefix(header, "Host") {
			header += "\r\nHost: a"
		}
		replies, err := exchangeRaw(address, "GET "+api.PathProjects+"?limit=1 HTTP/1.1\r\n"+header+"\r\n\r\n")
		if err != nil || len(replies) != 1 {
			t.Fatalf("%q: %v, %v", header, replies, err)
		}
		if replies[0].status == 200 {
			answered++
		}
		if want := 200; i >= limit {
			want = 429
			if replies[0].status != want {
				t.Errorf("%q is answered %d, want %d", header, replies[0].status, want)
			}
		}
	}
	if answered != limit {
		t.Errorf("%d requests were answered, want %d", answered, limit)
	}
}
