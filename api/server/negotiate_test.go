package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrefersMarkdown(t *testing.T) {
	for _, test := range []struct {
		name   string
		accept []string
		want   bool
	}{
		{"nothing", nil, false},
		{"empty", []string{""}, false},
		{"Markdown", []string{"text/markdown"}, true},
		{"in other case", []string{"Text/MarkDown"}, true},
		{"anything", []string{"*/*"}, false},
		{"any text", []string{"text/*"}, false},
		{"HTML", []string{"text/html"}, false},
		{"a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"}, false},
		{"an agent that names both", []string{"text/markdown, text/html, */*"}, true},
		{"an agent that names Markdown last", []string{"text/html, text/markdown"}, true},
		{"Markdown less than HTML", []string{"text/markdown;q=0.8, text/html"}, false},
		{"Markdown more than HTML", []string{"text/html;q=0.8, text/markdown;q=0.9"}, true},
		{"Markdown less than anything", []string{"text/markdown;q=0.5, */*"}, false},
		{"HTML less than anything", []string{"text/markdown;q=0.5, */*, text/html;q=0.4"}, true},
		{"HTML more than any text", []string{"text/markdown;q=0.5, text/*;q=0.2, text/html;q=0.6"}, false},
		{"any text counts for more than anything", []string{"text/markdown;q=0.5, */*;q=0.9, text/*;q=0.2"}, true},
		{"Markdown ruled out", []string{"text/markdown;q=0"}, false},
		{"Markdown ruled out, and all else", []string{"text/markdown;q=0, text/html;q=0"}, false},
		{"with a parameter", []string{"text/markdown;variant=CommonMark;q=0.9, text/html;q=0.8"}, true},
		{"with spaces", []string{" text/markdown ; q=0.9 , text/html ; q=0.8 "}, true},
		{"on several lines", []string{"text/html;q=0.8", "text/markdown"}, true},
		{"a malformed weight", []string{"text/markdown;q=2, text/html"}, false},
		{"another type", []string{"text/markdownish, application/text/markdown, markdown"}, false},
		{"in a quoted parameter", []string{`text/html;x="a,text/markdown", */*`}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := prefersMarkdown(http.Header{"Accept": test.accept}); got != test.want {
				t.Errorf("%q: %t", test.accept, got)
			}
		})
	}
}

func TestPagesAsMarkdown(t *testing.T) {
	for _, base := range []string{"", "/tools"} {
		f := newFixture(t, func(o *options) { o.Settings.BaseURL += base })
		for path, file := range map[string]string{
			"/": "index.html", "/index.html": "index.html", "/projects/paper-lantern-1/": "projects/paper-lantern-1/index.html",
		} {
			target := base + path
			page := f.get(target, "Accept", "text/html,*/*;q=0.8")
			markdown := f.get(target, "Accept", "text/markdown, text/html;q=0.9")
			for _, r := range []struct {
				reply
				body, contentType string
			}{{page, publicFiles[file], "text/html; charset=utf-8"}, {markdown, publicFiles[file+".md"], "text/markdown; charset=utf-8"}} {
				if r.status != 200 || r.reply.body != r.body {
					t.Errorf("%s: %d %q, want %q", target, r.status, r.reply.body, r.body)
				}
				r.expect(t, "Content-Type", r.contentType)
				r.expect(t, "Vary", "Accept, Accept-Encoding")
				r.expect(t, "Cache-Control", "public, max-age=60, stale-while-revalidate=86400")
				if policy := r.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
					t.Errorf("%s has the policy %q", target, policy)
				}
			}
			// Each has its own ETag, and neither matches the other.
			etags := map[string]string{"text/html": page.header.Get("ETag"), "text/markdown": markdown.header.Get("ETag")}
			for accept := range etags {
				for kind, tag := range etags {
					r := f.get(target, "Accept", accept, "If-None-Match", tag)
					want := 200
					if kind == accept {
						want = 304
					}
					if r.status != want {
						t.Errorf("%s as %s with the ETag of %s: %d, want %d", target, accept, kind, r.status, want)
					}
					r.expect(t, "Vary", "Accept, Accept-Encoding")
				}
			}
			if head := f.do(http.MethodHead, target, "Accept", "text/markdown"); head.header.Get("ETag") != etags["text/markdown"] || head.body != "" {
				t.Errorf("HEAD %s: %v %q", target, head.header, head.body)
			}
			// The address with .md always returns Markdown.
			r := f.get(base+"/"+file+".md", "Accept", "text/html")
			if r.status != 200 || r.body != publicFiles[file+".md"] || r.header.Get("ETag") != etags["text/markdown"] {
				t.Errorf("%s.md: %d %q", file, r.status, r.body)
			}
			r.expect(t, "Content-Type", "text/markdown; charset=utf-8")
			r.expect(t, "Vary", "Accept-Encoding")
			r.expect(t, "Link", "<http://localhost:8080"+base+"/"+strings.TrimSuffix(file, "index.html")+`>; rel="canonical"`)
		}
	}
}

// Pages without a Markdown version and missing pages are HTML whatever Accept says.
func TestPagesWithoutMarkdown(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/a%20b/", "Accept", "text/markdown")
	if r.status != 200 || r.body != publicFiles["a b/index.html"] {
		t.Errorf("%d %q", r.status, r.body)
	}
	r.expect(t, "Content-Type", "text/html; charset=utf-8")
	r.expect(t, "Vary", "Accept, Accept-Encoding") // a build may add one
	if r := f.get("/nothing/", "Accept", "text/markdown"); r.status != 404 || r.body != publicFiles["404.html"] {
		t.Errorf("%d %q", r.status, r.body)
	}
	// Accept does not matter for files that are not pages.
	r = f.get("/llms.txt", "Accept", "text/markdown")
	r.expect(t, "Content-Type", "text/plain; charset=utf-8")
	r.expect(t, "Vary", "Accept-Encoding")

	// A page whose Markdown is removed between two requests is HTML again.
	if r := f.get("/", "Accept", "text/markdown"); r.body != publicFiles["index.html.md"] {
		t.Fatalf("%d %q", r.status, r.body)
	}
	if err := os.Remove(filepath.Join(f.public, "index.html.md")); err != nil {
		t.Fatal(err)
	}
	if r := f.get("/", "Accept", "text/markdown"); r.status != 200 || r.body != publicFiles["index.html"] {
		t.Errorf("%d %q", r.status, r.body)
	}
}

func TestDiscoveryLinks(t *testing.T) {
	const want = `<http://localhost:8080/tools/api/v1/openapi>; rel="service-desc"; type="application/json", ` +
		`<http://localhost:8080/tools/docs/>; rel="service-doc"; type="text/html", ` +
		`<http://localhost:8080/tools/llms.txt>; rel="describedby"; type="text/plain", ` +
		`<http://localhost:8080/tools/.well-known/api-catalog>; rel="api-catalog"`
	f := newFixture(t, func(o *options) { o.Settings.BaseURL += "/tools" })
	for _, target := range []string{"/tools/api", "/tools/api/", "/tools/api/v2/projects"} {
		f.get(target).expect(t, "Link", want)
	}
	f.get("/tools/").expect(t, "Link", want+`, <http://localhost:8080/tools/index.html.md>; rel="alternate"; type="text/markdown"`)
	f.get("/tools/", "Accept", "text/markdown").expect(t, "Link", `<http://localhost:8080/tools/>; rel="canonical"`)
	f.get("/tools/projects/paper-lantern-1/").expect(t, "Link", `<http://localhost:8080/tools/llms.txt>; rel="describedby"; type="text/plain", `+
		`<http://localhost:8080/tools/projects/paper-lantern-1/index.html.md>; rel="alternate"; type="text/markdown"`)
	// Lists lead to their pages, as before.
	if link := f.get("/tools/api/v1/projects?limit=5").header.Get("Link"); strings.Contains(link, "service-desc") || !strings.Contains(link, `rel="next"`) {
		t.Errorf("a list leads to %s", link)
	}
}

func FuzzPrefersMarkdown(f *testing.F) {
	for _, seed := range []string{"text/markdown", "text/markdown;q=0.5, text/html;q=0.4", `a/b;x=",";q=1`, ";;,,;q=,q", "*/*;q=1.0000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if prefersMarkdown(http.Header{"Accept": {accept}}) && !strings.Contains(strings.ToLower(accept), "text/markdown") {
			t.Errorf("%q names no Markdown", accept)
		}
	})
}

func TestAcceptance(t *testing.T) {
	tests := []struct {
		lines           []string
		best            coding
		refusesIdentity bool // takes no body without a coding
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
		if got := a.best(); got != test.best || a.refusesIdentity() != test.refusesIdentity {
			t.Errorf("%q: %s, refuses identity %v", test.lines, codingNames[got], a.refusesIdentity())
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
