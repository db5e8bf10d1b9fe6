package api

import "testing"

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "four": "four", "fives": "five…", "öäüß": "öäüß", "öäüßé": "öäüß…", "ö\xff\xff\xff": "ö\xff\xff\xff",
	} {
		if got := Shorten(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 errors", 1: "1 error", 2: "2 errors"} {
		if got := Count(n, "error"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true,
		"": false, "localhost.example": false, "10.0.0.1": false, "::": false, "::ffff:127.0.0.1": true,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}
