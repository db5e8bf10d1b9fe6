package server

import (
	"strings"
	"testing"
)

// Browsers without JavaScript show the page that searches as it is sent, so it has the words of its address.
func TestWordsOnTheSearchPage(t *testing.T) {
	const page = `<form><input id="q" name="q" type="search"></form>`
	f := newFixture(t, func(o *options) { writeFiles(t, o.Build.Folder, map[string]string{searchFile: page}) })
	filled := func(value string) string { return strings.Replace(page, ` type=`, ` value="`+value+`" type=`, 1) }
	for target, want := range map[string]string{
		"/search/":                               page,
		"/search/?q=":                            page,
		"/search/?q=+&docker=1":                  page,
		"/search/?q=chat+app&docker=1":           filled("chat app"),
		"/search/index.html?q=a":                 filled("a"),
		"/search/?q=%22%3E%3Cscript%3E%26%27":    filled("&#34;&gt;&lt;script&gt;&amp;&#39;"),
		"/search/?q=%ffna%C3%AFve":               filled("naïve"),
		"/search/?q=" + strings.Repeat("é", 300): filled(strings.Repeat("é", 256)),
		"/search/?q=a&x=%zz":                     filled("a"),
		"/?q=a":                                  publicFiles["index.html"],
	} {
		r := f.get(target)
		if r.status != 200 || r.body != want {
			t.Errorf("%.60s: %d %s, want %s", target, r.status, r.body, want)
		}
		r.expect(t, "Content-Type", "text/html; charset=utf-8")
		r.expect(t, "Vary", "Accept, Accept-Encoding")
		if r.header.Get("Content-Security-Policy") == "" || r.header.Get("Cache-Control") != f.get("/").header.Get("Cache-Control") {
			t.Errorf("%.60s has the headers %v", target, r.header)
		}
		if again := f.get(target, "If-None-Match", r.header.Get("ETag")); again.status != 304 || again.body != "" {
			t.Errorf("%.60s with its ETag: %d %s", target, again.status, again.body)
		}
	}
	if one, other := f.get("/search/?q=a"), f.get("/search/?q=b"); one.header.Get("ETag") == other.header.Get("ETag") {
		t.Error("two pages have one tag")
	}
	// A page of the owner's without such a field is sent as it is.
	writeFiles(t, f.public, map[string]string{searchFile: "<p>ours"})
	if r := f.get("/search/?q=a"); r.status != 200 || r.body != "<p>ours" {
		t.Errorf("without the field: %d %s", r.status, r.body)
	}
}
