package render

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// maxSitemap is the number of addresses allowed in a sitemap file (sitemaps.org).
const maxSitemap = 50_000

// sitemapURL is an entry of a sitemap (sitemaps.org).
type sitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// sitemap writes the addresses of all pages, with the day of their last change if it is
// known. Above maxSitemap addresses, it is an index of several files.
func (r *renderer) sitemap() error {
	var urls []sitemapURL
	add := func(path, day string) { urls = append(urls, sitemapURL{r.Settings.URL(path), day}) }
	// Each listing is in many collections, so its day is computed once.
	days, last := make(map[*content.Listing]string, len(r.Listings)), ""
	for _, l := range r.Listings {
		days[l] = changed(l)
		last = max(last, days[l])
	}
	for _, p := range []struct {
		path  string
		shown bool
		day   string // "" if it is unknown
	}{
		{"/", true, last}, {"/categories/", true, last}, {"/platforms/", r.view.HasPlatforms(), last}, {"/licenses/", r.view.Has("license"), last}, {"/alternatives/", r.view.Has("replaces"), last},
		{"/numbers/", true, last}, {"/search/", r.view.HasSearch(), last}, {"/docs/", true, ""},
	} {
		if p.shown {
			add(p.path, p.day)
		}
	}
	for _, p := range r.Content.Pages {
		add("/"+p.Slug+"/", "")
	}
	for _, k := range r.problemKinds() {
		add("/problems/"+k.Code+"/", "")
	}
	for _, c := range r.collections() {
		latest := ""
		for _, l := range c.listings() {
			latest = max(latest, days[l])
		}
		for page := 1; page <= c.pages(); page++ {
			add(c.pagePath(page), latest)
		}
	}
	for _, l := range r.Listings {
		add("/projects/"+l.Slug+"/", days[l])
	}
	if len(urls) <= maxSitemap {
		return r.xml("sitemap.xml", "urlset", urls, "url")
	}
	var files []sitemapURL
	for i := 0; i*maxSitemap < len(urls); i++ {
		name := fmt.Sprintf("sitemap-%d.xml", i+1)
		files = append(files, sitemapURL{Loc: r.Settings.URL("/" + name)})
		if err := r.xml(name, "urlset", urls[i*maxSitemap:min((i+1)*maxSitemap, len(urls))], "url"); err != nil {
			return err
		}
	}
	return r.xml("sitemap.xml", "sitemapindex", files, "sitemap")
}

// xml writes a sitemap or an index of sitemaps.
func (r *renderer) xml(name, root string, urls []sitemapURL, element string) error {
	out := bytes.NewBufferString(xml.Header)
	enc := xml.NewEncoder(out)
	start := xml.StartElement{Name: xml.Name{Local: root}, Attr: []xml.Attr{{Name: xml.Name{Local: "xmlns"}, Value: "http://www.sitemaps.org/schemas/sitemap/0.9"}}}
	err := enc.EncodeToken(start)
	for _, u := range urls {
		if err == nil {
			err = enc.EncodeElement(u, xml.StartElement{Name: xml.Name{Local: element}})
		}
	}
	if err == nil {
		err = enc.EncodeToken(start.End())
	}
	if err == nil {
		err = enc.Flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.file(name, out.Bytes())
}

// changed returns the day of the last known change of a listing's page: the latest of its
// dates.
func changed(l *content.Listing) string {
	day := l.AddedAt
	if l.StarsAsOf != nil {
		day = max(day, *l.StarsAsOf)
	}
	for _, source := range l.Sources {
		if d, ok, err := content.SourceDate(source); ok && err == nil {
			day = max(day, d)
		}
	}
	return string(day)
}

// robots writes robots.txt (RFC 9309), which allows everything.
func (r *renderer) robots() error {
	return r.write("robots.txt", fmt.Appendf(nil, `# People and their agents are welcome: this catalogue is public and read-only.
# Guide for agents: %s
# Description of the API: %s
User-agent: *
Allow: /

Sitemap: %s
`, r.Settings.URL("/llms.txt"), api.Address(&r.Settings, api.PathOpenAPI), r.Settings.URL("/sitemap.xml")))
}
