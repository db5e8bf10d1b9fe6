package api

import (
	"net/url"
	"testing"
)

// unescape does the same as url.QueryUnescape.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{"", "a+b", "%41%zz", "%", "%4", "%c3%a9+%2B", "%+1", "%0x", "% 1", "a%00b", "%_1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := url.QueryUnescape(text)
		if got, ok := unescape(text); ok != (err == nil) || got != want {
			t.Errorf("%q becomes %q, %v; want %q, %v", text, got, ok, want, err)
		}
	})
}
