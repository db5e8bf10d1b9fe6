package server

import (
	"net/http"
	"testing"
)

func TestAcceptance(t *testing.T) {
	tests := []struct {
		lines   []string
		best    coding
		insists bool // takes no body without a coding
	}{
		{nil, identity, false},
		{[]string{""}, identity, false},
		{[]string{"gzip"}, gzipCoding, false},
		{[]string{"GZip"}, gzipCoding, false},
		{[]string{"x-gzip"}, gzipCoding, false},
		{[]string{"br"}, brotliCoding, false},
		{[]string{"zstd"}, zstdCoding, false},
		{[]string{"gzip, deflate, br, zstd"}, zstdCoding, false},
		{[]string{"gzip, deflate, br"}, brotliCoding, false},
		{[]string{"gzip", "br"}, brotliCoding, false}, // two lines are one list
		{[]string{" gzip ;q=1.0 ,\tbr;q=0.9"}, gzipCoding, false},
		{[]string{"gzip;q=0.5, br;Q=0.501"}, brotliCoding, false},
		{[]string{"gzip;q=0.5, br;q=0.5"}, brotliCoding, false},
		{[]string{"gzip; q=0.001"}, gzipCoding, false},
		{[]string{"gzip;q=0"}, identity, false},
		{[]string{"gzip;q=0.000, br;q=0."}, identity, false},
		{[]string{"gzip;q=0.5, identity"}, identity, false},
		{[]string{"gzip;q=0.5, identity;q=0.6"}, identity, false},
		{[]string{"gzip;q=0.6, identity;q=0.5"}, gzipCoding, false},
		{[]string{"gzip, identity"}, gzipCoding, false},
		{[]string{"*"}, zstdCoding, false},
		{[]string{"*;q=0.5"}, zstdCoding, false},
		{[]string{"zstd;q=0, *"}, brotliCoding, false},
		{[]string{"zstd;q=0, br;q=0, gzip;q=0, *"}, identity, false},
		{[]string{"gzip;q=0.2, *;q=0.1"}, gzipCoding, false},
		{[]string{"gzip, identity;q=0"}, gzipCoding, true},
		{[]string{"gzip, *;q=0"}, gzipCoding, true},
		{[]string{"*, identity;q=0"}, zstdCoding, true},
		{[]string{"identity, *;q=0"}, identity, false},
		{[]string{"identity;q=0"}, identity, false}, // nothing of ours is left: better than nothing
		{[]string{"*;q=0"}, identity, false},
		{[]string{"deflate, compress"}, identity, false},
		{[]string{"gzipped"}, identity, false},
		{[]string{"gzip;q=2"}, identity, false},
		{[]string{"gzip;q=1.001"}, identity, false},
		{[]string{"gzip;q=0.1234"}, identity, false},
		{[]string{"gzip;q=-1"}, identity, false},
		{[]string{"gzip;q="}, identity, false},
		{[]string{"gzip;level=9"}, identity, false},
		{[]string{"gzip;q=x, br"}, brotliCoding, false},
		{[]string{",,;,gzip,"}, gzipCoding, false},
		{[]string{"gzip, gzip;q=0"}, identity, false}, // the last counts
	}
	for _, test := range tests {
		a := acceptanceOf(http.Header{"Accept-Encoding": test.lines})
		if got := a.best(); got != test.best || a.insists() != test.insists {
			t.Errorf("%q: %s, insists %v", test.lines, codingNames[got], a.insists())
		}
	}
}

func TestHeldCoding(t *testing.T) {
	const tag = "00112233445566778899aabbccddeeff"
	tests := []struct {
		accept, held string
		coding       coding
		ok           bool
	}{
		{"", `"` + tag + `"`, identity, true},
		{"", `W/"` + tag + `"`, identity, true},
		{"zstd", `"` + tag + `"`, identity, true}, // what it has will do
		{"zstd", `"` + tag + `-zstd"`, zstdCoding, true},
		{"gzip, zstd", `"` + tag + `-gzip"`, gzipCoding, true},
		{"br", `"other", W/"` + tag + `-br"`, brotliCoding, true},
		{"br", `*`, brotliCoding, true},
		{"", `*`, identity, true},
		{"gzip", `"` + tag + `-br"`, identity, false}, // it would not be sent that
		{"", `"` + tag + `-gzip"`, identity, false},
		{"gzip, identity;q=0", `"` + tag + `"`, identity, false},
		{"identity;q=0", `"` + tag + `"`, identity, true}, // which is what it would be sent
		{"gzip", `"` + tag + `-gzip-gzip"`, identity, false},
		{"gzip", `"` + tag + `-"`, identity, false},
		{"gzip", `"` + tag + `-deflate"`, identity, false},
		{"gzip", `"` + tag, identity, false},
		{"gzip", `"x` + tag + `"`, identity, false},
		{"gzip", tag, identity, false},
		{"gzip", `"`, identity, false},
		{"gzip", "", identity, false},
	}
	for _, test := range tests {
		h := http.Header{"If-None-Match": {test.held}}
		if test.accept != "" {
			h.Set("Accept-Encoding", test.accept)
		}
		a := acceptanceOf(h)
		if got, ok := heldCoding(h, tag, &a); got != test.coding || ok != test.ok {
			t.Errorf("%s with Accept-Encoding %q: %s, %v", test.held, test.accept, codingNames[got], ok)
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip, br;q=0.5, *;q=0", "identity;q=0", ";;q=,", "*;q=1.000", "zstd;q=0.0001"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a := acceptanceOf(http.Header{"Accept-Encoding": {line}})
		for c, weight := range a {
			if weight < 0 || weight > maxWeight {
				t.Errorf("%q: %s weighs %d", line, codingNames[c], weight)
			}
		}
		if best := a.best(); best != identity && a[best] == 0 {
			t.Errorf("%q: %s is sent and not taken", line, codingNames[best])
		}
	})
}
