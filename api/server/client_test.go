package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestClient(t *testing.T) {
	trusted := newProxies([]netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("::ffff:172.16.0.0/108"),
	})
	tests := []struct {
		name, remote string
		forwarded    []string // lines
		want         string
	}{
		{"direct", "192.0.2.7:4000", nil, "192.0.2.7"},
		{"direct IPv6 is its /64", "[2001:db8:1:2:3:4:5:6]:4000", nil, "2001:db8:1:2::"},
		{"IPv4 mapped into IPv6", "[::ffff:192.0.2.7]:4000", nil, "192.0.2.7"},
		{"zone", "[fe80::1%eth0]:4000", nil, "fe80::"},
		{"forged by a stranger", "192.0.2.7:4000", []string{"203.0.113.1"}, "192.0.2.7"},
		{"forged in a trusted network's name", "192.0.2.7:4000", []string{"10.0.0.1"}, "192.0.2.7"},
		{"proxy without the header", "10.0.0.1:4000", nil, "10.0.0.1"},
		{"proxy with an empty header", "10.0.0.1:4000", []string{""}, "10.0.0.1"},
		{"one proxy", "10.0.0.1:4000", []string{"203.0.113.1"}, "203.0.113.1"},
		{"forged before one proxy", "10.0.0.1:4000", []string{"198.51.100.9, 203.0.113.1"}, "203.0.113.1"},
		{"forged as a proxy", "10.0.0.1:4000", []string{"198.51.100.9, 10.0.0.3, 203.0.113.1"}, "203.0.113.1"},
		{"two proxies", "10.0.0.1:4000", []string{"198.51.100.9, 203.0.113.1, 10.0.0.2"}, "203.0.113.1"},
		{"two lines are one list", "10.0.0.1:4000", []string{"198.51.100.9", "203.0.113.1, 10.0.0.2"}, "203.0.113.1"},
		{"only proxies", "10.0.0.1:4000", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"garbage stops at the last known hop", "10.0.0.1:4000", []string{"203.0.113.1, what, 10.0.0.2"}, "10.0.0.2"},
		{"garbage only", "10.0.0.1:4000", []string{"unknown"}, "10.0.0.1"},
		{"empty element", "10.0.0.1:4000", []string{"203.0.113.1,"}, "10.0.0.1"},
		{"with ports", "10.0.0.1:4000", []string{"203.0.113.1:99, [fd00::2]:80"}, "203.0.113.1"},
		{"IPv6 in brackets", "10.0.0.1:4000", []string{"[2001:db8::5]"}, "2001:db8::"},
		{"IPv6 without", "10.0.0.1:4000", []string{"2001:db8::5"}, "2001:db8::"},
		{"mapped proxy network", "172.16.5.5:4000", []string{"203.0.113.1"}, "203.0.113.1"},
		{"mapped hop", "10.0.0.1:4000", []string{"::ffff:203.0.113.1"}, "203.0.113.1"},
		{"Unix socket", "@", nil, "invalid IP"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = test.remote
			for _, line := range test.forwarded {
				r.Header.Add("X-Forwarded-For", line)
			}
			if got := trusted.client(r).String(); got != test.want {
				t.Errorf("the client is %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzForwardedFor(f *testing.F) {
	f.Add("203.0.113.1, 10.0.0.2")
	f.Add("[::1]:80,,%,fe80::1%x")
	trusted := newProxies([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	f.Fuzz(func(t *testing.T, line string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = "192.0.2.7:4000"
		r.Header["X-Forwarded-For"] = []string{line}
		if got := trusted.client(r).String(); got != "192.0.2.7" {
			t.Errorf("a stranger's header made the client %s", got)
		}
		r.RemoteAddr = "10.0.0.1:4000"
		if got := trusted.client(r); !got.IsValid() || got.Zone() != "" || got.Is4In6() {
			t.Errorf("behind a proxy, the client is %v", got)
		}
	})
}

func TestIdentify(t *testing.T) {
	const known = "catalog-sandbox"
	tests := []struct {
		name    string
		headers http.Header
		want    policy
		ok      bool
	}{
		{"no header", http.Header{}, anonymous, true},
		{"bearer", http.Header{"Authorization": {"Bearer catalog-sandbox"}}, sandbox, true},
		{"scheme in any case", http.Header{"Authorization": {"bEARER   catalog-sandbox "}}, sandbox, true},
		{"header", http.Header{"X-Api-Key": {"catalog-sandbox"}}, sandbox, true},
		{"both", http.Header{"Authorization": {"Bearer catalog-sandbox"}, "X-Api-Key": {"catalog-sandbox"}}, sandbox, true},
		{"twice the same", http.Header{"X-Api-Key": {known, known}}, sandbox, true},
		{"empty header", http.Header{"X-Api-Key": {""}, "Authorization": {""}}, anonymous, true},
		{"bearer of nothing", http.Header{"Authorization": {"Bearer"}}, anonymous, true},
		{"another scheme", http.Header{"Authorization": {"Basic Y2F0YWxvZzpzYW5kYm94"}}, anonymous, true},
		{"another scheme beside a key", http.Header{"Authorization": {"Basic eA=="}, "X-Api-Key": {known}}, sandbox, true},
		{"unknown bearer", http.Header{"Authorization": {"Bearer nope"}}, anonymous, false},
		{"unknown header", http.Header{"X-Api-Key": {"nope"}}, anonymous, false},
		{"key in another case", http.Header{"X-Api-Key": {"Catalog-Sandbox"}}, anonymous, false},
		{"beginning of the key", http.Header{"X-Api-Key": {"catalog"}}, anonymous, false},
		{"differ, known first", http.Header{"Authorization": {"Bearer catalog-sandbox"}, "X-Api-Key": {"nope"}}, anonymous, false},
		{"differ, known last", http.Header{"Authorization": {"Bearer nope"}, "X-Api-Key": {known}}, anonymous, false},
		{"one of several values unknown", http.Header{"X-Api-Key": {known, "nope"}}, anonymous, false},
		{"two bearers, one unknown", http.Header{"Authorization": {"Bearer catalog-sandbox", "Bearer nope"}}, anonymous, false},
		{"list in one value", http.Header{"X-Api-Key": {"catalog-sandbox, catalog-sandbox"}}, anonymous, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := identify(test.headers, known); got != test.want || ok != test.ok {
				t.Errorf("identify is %v, %v; want %v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestIdentifyWithoutAKey(t *testing.T) {
	for _, headers := range []http.Header{{"X-Api-Key": {"catalog-sandbox"}}, {"Authorization": {"Bearer x"}}} {
		if _, ok := identify(headers, ""); ok {
			t.Errorf("%v is taken for a known key", headers)
		}
	}
	if p, ok := identify(http.Header{"X-Api-Key": {""}}, ""); p != anonymous || !ok {
		t.Errorf("an empty header is %v, %v", p, ok)
	}
}
