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
		f := newFixture(t, func(o *Options) { o.Settings.BaseURL += base })
		for path, file := range map[string]string{
			"/": "index.html", "/index.html": "index.html", "/projects/paper-lantern-1/": "projects/paper-lantern-1/index.html",
		} {
			target := base + path
			page := f.get(target, "Accept", "text/html,*/*;q=0.8")
			twin := f.get(target, "Accept", "text/markdown, text/html;q=0.9")
			for _, r := range []struct {
				reply
				body, contentType string
			}{{page, publicFiles[file], "text/html; charset=utf-8"}, {twin, publicFiles[file+".md"], "text/markdown; charset=utf-8"}} {
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
			// Each has an ETag of its own, and neither stands for the other.
			of := map[string]string{"text/html": page.header.Get("ETag"), "text/markdown": twin.header.Get("ETag")}
			for accept := range of {
				for kind, tag := range of {
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
			if head := f.do(http.MethodHead, target, "Accept", "text/markdown"); head.header.Get("ETag") != of["text/markdown"] || head.body != "" {
				t.Errorf("HEAD %s: %v %q", target, head.header, head.body)
			}
			// By its own name it is what it is, whatever is asked for.
			r := f.get(base+"/"+file+".md", "Accept", "text/html")
			if r.status != 200 || r.body != publicFiles[file+".md"] || r.header.Get("ETag") != of["text/markdown"] {
				t.Errorf("%s.md: %d %q", file, r.status, r.body)
			}
			r.expect(t, "Content-Type", "text/markdown; charset=utf-8")
			r.expect(t, "Vary", "Accept-Encoding")
			r.expect(t, "Link", "<http://localhost:8080"+base+"/"+strings.TrimSuffix(file, "index.html")+`>; rel="canonical"`)
		}
	}
}

// A page without a twin, and what is not there, is HTML however it is asked for.
func TestPagesWithoutTwin(t *testing.T) {
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
	// What is no page is what it is.
	r = f.get("/llms.txt", "Accept", "text/markdown")
	r.expect(t, "Content-Type", "text/plain; charset=utf-8")
	r.expect(t, "Vary", "Accept-Encoding")

	// One whose file is gone between two requests is HTML again.
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
		`<http://localhost:8080/tools/llms.txt>; rel="service-doc"; type="text/plain", ` +
		`<http://localhost:8080/tools/.well-known/api-catalog>; rel="api-catalog"`
	f := newFixture(t, func(o *Options) { o.Settings.BaseURL += "/tools" })
	for _, target := range []string{"/tools/", "/tools/api", "/tools/api/", "/tools/api/v1/", "/tools/api/v2/projects"} {
		for _, accept := range []string{"*/*", "text/markdown"} {
			f.get(target, "Accept", accept).expect(t, "Link", want)
		}
	}
	f.get("/tools/projects/paper-lantern-1/").expect(t, "Link", "")
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
