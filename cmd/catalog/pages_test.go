package main

import (
	"encoding/xml"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is a parsed page of the build output.
type page struct {
	path      string // below the base address
	ids       map[string]bool
	links     []string // of a and area elements, as written
	resources []string // that a browser loads by itself, and targets of forms
	noIndex   bool
	faults    []string // such as inline styles, scripts and handlers
	title     string
	h1Count   int // h1 elements
	canonical string
}

// pages parses every page of the build output, and returns them by path, without those that
// have moved.
func (s *testSite) pages(t *testing.T) map[string]*page {
	t.Helper()
	all := map[string]*page{}
	moved := map[string]bool{}
	for _, m := range s.content.Moves() {
		moved[m.From+"/index.html"] = true
	}
	err := fs.WalkDir(os.DirFS(s.public), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(name) != ".html" || moved[name] {
			return err
		}
		root, err := html.Parse(strings.NewReader(s.file(t, name)))
		if err != nil {
			return err
		}
		p := &page{path: "/" + strings.TrimSuffix(name, "index.html"), ids: map[string]bool{}}
		for n := range root.Descendants() {
			p.addNode(n)
		}
		all[p.path] = p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < len(s.content.Listings) {
		t.Fatalf("only %d pages were found", len(all))
	}
	return all
}

// addNode adds the information of one node to the page.
func (p *page) addNode(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
		if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
			p.faults = append(p.faults, n.Data+" has the attribute "+a.Key)
		}
	}
	if id := attributes["id"]; id != "" {
		if p.ids[id] {
			p.faults = append(p.faults, "the id "+id+" is there twice")
		}
		p.ids[id] = true
	}
	addResource := func(target string) {
		if target != "" {
			p.resources = append(p.resources, target)
		}
	}
	switch n.DataAtom {
	case atom.A, atom.Area:
		if target, ok := attributes["href"]; ok {
			p.links = append(p.links, target)
		}
	case atom.Link:
		if attributes["rel"] == "canonical" {
			p.canonical = attributes["href"]
			p.links = append(p.links, p.canonical)
		} else {
			addResource(attributes["href"])
		}
	case atom.Form:
		addResource(attributes["action"])
	case atom.Script:
		if _, ok := attributes["src"]; !ok && attributes["type"] != "application/ld+json" {
			p.faults = append(p.faults, "a script stands in the page")
		}
		addResource(attributes["src"])
	case atom.Style, atom.Iframe, atom.Object, atom.Embed, atom.Base:
		p.faults = append(p.faults, "there is an element "+n.Data)
	case atom.Img, atom.Source, atom.Video, atom.Audio, atom.Track, atom.Input:
		addResource(attributes["src"])
		addResource(attributes["poster"])
		for candidate := range strings.SplitSeq(attributes["srcset"], ",") {
			if fields := strings.Fields(candidate); len(fields) > 0 {
				addResource(fields[0])
			}
		}
		if n.DataAtom != atom.Img {
			break
		}
		if _, ok := attributes["alt"]; !ok {
			p.faults = append(p.faults, "an image has no alt")
		}
		if attributes["width"] == "" || attributes["height"] == "" {
			p.faults = append(p.faults, "an image has no size")
		}
	case atom.Meta:
		if strings.EqualFold(attributes["name"], "robots") && strings.Contains(attributes["content"], "noindex") {
			p.noIndex = true
		}
		if strings.EqualFold(attributes["http-equiv"], "refresh") {
			p.faults = append(p.faults, "it leads elsewhere by itself")
		}
	case atom.Title:
		if n.FirstChild != nil && n.Parent.DataAtom == atom.Head {
			p.title = n.FirstChild.Data
		}
	case atom.H1:
		p.h1Count++
	}
}

// checkPages checks every page of the build output, and follows every internal link.
func (s *testSite) checkPages(t *testing.T) {
	pages := s.pages(t)

	t.Run("every pageUrl is a page", func(t *testing.T) {
		for _, p := range s.allProjects(t) {
			if pages[strings.TrimPrefix(p.PageURL, s.base)] == nil {
				t.Errorf("%s is no page", p.PageURL)
			}
		}
	})
	t.Run("a page that has moved leads to the present one", func(t *testing.T) {
		for _, m := range s.content.Moves() {
			target := s.base + "/" + m.To + "/"
			for _, want := range []string{`<link rel="canonical" href="` + target + `">`, `content="0; url=` + target + `"`} {
				if text := s.file(t, m.From+"/index.html"); !strings.Contains(text, want) {
					t.Errorf("%s has no %s", m.From, want)
				}
			}
			if r := s.do(t, http.MethodGet, "/"+m.From+"/"); r.status != http.StatusMovedPermanently || r.header.Get("Location") != strings.TrimPrefix(target, s.base) && r.header.Get("Location") != target {
				t.Errorf("%s answers %d and leads to %q", m.From, r.status, r.header.Get("Location"))
			}
			if pages["/"+m.To+"/"] == nil {
				t.Errorf("%s leads to %s, which is no page", m.From, m.To)
			}
		}
	})
	t.Run("a listing that has left has a page that says so, and no other", func(t *testing.T) {
		for i := range s.content.Retired {
			for _, slug := range s.content.Retired[i].Slugs() {
				if p := pages["/projects/"+slug+"/"]; p == nil || !p.noIndex || !strings.Contains(p.title, s.content.Retired[i].Name) {
					t.Errorf("the page of %s is %+v", slug, p)
				}
				s.problem(t, http.MethodGet, api.PathProjects+"/"+slug, http.StatusNotFound, "unknown-project")
				if strings.Contains(s.file(t, "sitemap.xml"), "/projects/"+slug+"/") {
					t.Errorf("the sitemap has %s", slug)
				}
			}
		}
	})
	t.Run("every page has one title, one heading and its own address", func(t *testing.T) {
		titles := map[string]string{}
		for _, address := range slices.Sorted(maps.Keys(pages)) {
			p := pages[address]
			if p.title == "" || p.h1Count != 1 {
				t.Errorf("%s has the title %q and %d first headings", address, p.title, p.h1Count)
			}
			if other := titles[p.title]; other != "" && !p.noIndex {
				t.Errorf("%s and %s have the title %q", address, other, p.title)
			}
			if !p.noIndex {
				titles[p.title] = address
			}
			if want := s.base + address; !p.noIndex && p.canonical != want {
				t.Errorf("%s says that its address is %q", address, p.canonical)
			}
		}
	})
	t.Run("no page runs or shows what its policy forbids", func(t *testing.T) {
		for address, p := range pages {
			for _, text := range p.faults {
				t.Errorf("%s: %s", address, text)
			}
		}
	})
	t.Run("no page loads anything from elsewhere", func(t *testing.T) {
		seen := map[string]bool{}
		for address, p := range pages {
			for _, target := range p.resources {
				u := s.resolve(t, address, target)
				if !strings.HasPrefix(u.String(), s.base+"/") {
					t.Errorf("%s loads %s", address, target)
					continue
				}
				seen[u.String()] = true
			}
		}
		for target := range seen {
			r := s.do(t, http.MethodGet, target)
			if r.status != http.StatusOK {
				t.Errorf("%s answers %d", target, r.status)
			}
			if elsewhere := regexp.MustCompile(`url\(|@import|https?://[^/]*\.(js|css|woff2?|png)`).FindString(r.body); strings.HasSuffix(target, ".css") && elsewhere != "" {
				t.Errorf("%s loads more: %s", target, elsewhere)
			}
		}
		if len(seen) < 4 {
			t.Errorf("only %v is loaded", seen)
		}
	})
	t.Run("every internal link leads to a page and an existing fragment", func(t *testing.T) {
		answered := map[string]int{}
		for address, p := range pages {
			if len(p.links) < 5 && !strings.HasPrefix(address, "/embed/") {
				t.Errorf("%s has only %d links", address, len(p.links))
			}
			for _, target := range p.links {
				u := s.resolve(t, address, target)
				if u.Scheme+"://"+u.Host != s.base {
					if u.Scheme != "https" && u.Scheme != "mailto" {
						t.Errorf("%s links to %s", address, target)
					}
					continue
				}
				fragment := u.Fragment
				u.Fragment = ""
				if other := pages[u.Path]; other != nil {
					if fragment != "" && !other.ids[fragment] {
						t.Errorf("%s links to %s, where there is no %s", address, target, fragment)
					}
					continue
				}
				if answered[u.String()] == 0 {
					answered[u.String()] = s.do(t, http.MethodGet, u.String()).status
				}
				if answered[u.String()] != http.StatusOK {
					t.Errorf("%s links to %s, which answers %d", address, target, answered[u.String()])
				}
			}
		}
	})
	t.Run("every page is linked to from another", func(t *testing.T) {
		linked := map[string]bool{}
		for address, p := range pages {
			for _, target := range p.links {
				if u := s.resolve(t, address, target); u.Path != address {
					linked[u.Path] = true
				}
			}
		}
		for address, p := range pages {
			if !linked[address] && !p.noIndex {
				t.Errorf("nothing links to %s", address)
			}
		}
	})
	t.Run("every address in llms.txt answers", func(t *testing.T) {
		targets := regexp.MustCompile(`\]\((https?://[^)]+)\)`).FindAllStringSubmatch(s.file(t, "llms.txt"), -1)
		for _, m := range targets {
			if r := s.do(t, http.MethodGet, m[1]); r.status != http.StatusOK {
				t.Errorf("%s answers %d", m[1], r.status)
			}
		}
		if len(targets) < 10 {
			t.Errorf("only %d addresses were found", len(targets))
		}
	})
	t.Run("examples name this site", func(t *testing.T) {
		err := fs.WalkDir(os.DirFS(s.public), ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !slices.Contains([]string{".html", ".md", ".txt"}, path.Ext(name)) || strings.HasPrefix(name, "projects/") {
				return err
			}
			for _, wrong := range []string{"localhost:8080", "{base_url}", "{search_url}"} {
				if strings.Contains(s.file(t, name), wrong) {
					t.Errorf("%s speaks of %s", name, wrong)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if want := s.base + "/api/v1/search?q="; !strings.Contains(s.file(t, "agents/index.html"), want) || !strings.Contains(s.file(t, "docs/index.html"), want) {
			t.Errorf("no example of a search begins with %s", want)
		}
	})
	t.Run("the list of the newest shows when each listing was added", func(t *testing.T) {
		for name, pattern := range map[string]string{
			"newest/index.html":    `Added on (\d{4}-\d\d-\d\d)|<th scope="row">(?:<(?:img|i) [^>]*>(?:</i>)?)?<a href="/projects/([a-z0-9-]+)/"`,
			"newest/index.html.md": `(?m)^## Added on (\d{4}-\d\d-\d\d)$|^- \[[^\]]+\]\(\S*/projects/([a-z0-9-]+)/`,
		} {
			day, rows := "", 0
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(s.file(t, name), -1) {
				if m[1] != "" {
					day = m[1]
				} else if rows++; day != string(s.listing(t, m[2]).AddedAt) {
					t.Errorf("%s: %s stands below the day %q", name, m[2], day)
				}
			}
			if rows != 100 {
				t.Errorf("%s: %d listings were found", name, rows)
			}
		}
	})
	t.Run("the sitemap lists exactly the pages", func(t *testing.T) {
		var sitemap struct {
			XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
			URLs    []struct {
				Loc     string `xml:"loc"`
				LastMod string `xml:"lastmod"`
			} `xml:"url"`
		}
		if err := xml.Unmarshal([]byte(s.file(t, "sitemap.xml")), &sitemap); err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, u := range sitemap.URLs {
			address := strings.TrimPrefix(u.Loc, s.base)
			if listed[address] || pages[address] == nil || pages[address].noIndex {
				t.Errorf("%s is listed twice, is no page, or one that is not for search engines", u.Loc)
			}
			if u.LastMod != "" && !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(u.LastMod) {
				t.Errorf("%s was last changed on %q", u.Loc, u.LastMod)
			}
			listed[address] = true
		}
		for address, p := range pages {
			if !listed[address] && !p.noIndex {
				t.Errorf("%s is not listed", address)
			}
		}
	})
}

// resolve returns the absolute address of a link on a page.
func (s *testSite) resolve(t *testing.T, address, target string) *url.URL {
	t.Helper()
	base, err := url.Parse(s.base + address)
	if err != nil {
		t.Fatal(err)
	}
	u, err := base.Parse(target)
	if err != nil {
		t.Fatalf("%s links to %q: %v", address, target, err)
	}
	return u
}
