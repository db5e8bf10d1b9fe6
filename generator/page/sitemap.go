package page

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

// sitemap is the map of the site.
type sitemap struct{ *catalog }

// files writes the addresses of all pages, with the day of their last change if it is
// known. Above maxSitemap addresses, it is an index of several files.
func (s sitemap) files() error {
	var urls []sitemapURL
	add := func(path, day string) { urls = append(urls, sitemapURL{s.Settings.URL(path), day}) }
	// Each listing is in many lists, so its day is computed once.
	days, last := make(map[*content.Listing]string, len(s.Listings)), ""
	for _, l := range s.Listings {
		days[l] = changed(l)
		last = max(last, days[l])
	}
	add("/", last)
	for _, o := range s.overviews() {
		add(o.path, last)
	}
	add("/numbers/", last)
	if s.View.HasSearch() {
		add("/search/", last)
	}
	add("/docs/", "")
	for _, p := range s.Content.Pages {
		add("/"+p.Slug+"/", "")
	}
	for _, k := range s.problemKinds() {
		add("/problems/"+k.Code+"/", "")
	}
	for _, c := range s.lists() {
		latest := ""
		for _, l := range c.listings() {
			latest = max(latest, days[l])
		}
		for page := 1; page <= c.pages(); page++ {
			add(c.pagePath(page), latest)
		}
	}
	for _, l := range s.Listings {
		add("/projects/"+l.Slug+"/", days[l])
	}
	return s.split(urls)
}

// split writes a sitemap, or above maxSitemap addresses several and their index.
func (s sitemap) split(urls []sitemapURL) error {
	if len(urls) <= maxSitemap {
		return s.file("sitemap.xml", "urlset", urls, "url")
	}
	var files []sitemapURL
	for i := 0; i*maxSitemap < len(urls); i++ {
		name := fmt.Sprintf("sitemap-%d.xml", i+1)
		files = append(files, sitemapURL{Loc: s.Settings.URL("/" + name)})
		if err := s.file(name, "urlset", urls[i*maxSitemap:min((i+1)*maxSitemap, len(urls))], "url"); err != nil {
			return err
		}
	}
	return s.file("sitemap.xml", "sitemapindex", files, "sitemap")
}

// file writes a sitemap or an index of sitemaps.
func (s sitemap) file(name, root string, urls []sitemapURL, element string) error {
	out := bytes.NewBufferString(xml.Header)
	enc := xml.NewEncoder(out)
	schema := xml.Attr{Name: xml.Name{Local: "xmlns"}, Value: "http://www.sitemaps.org/schemas/sitemap/0.9"}
	start := xml.StartElement{Name: xml.Name{Local: root}, Attr: []xml.Attr{schema}}
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
	text, err := s.Minify(name, out.Bytes())
	if err != nil {
		return err
	}
	return s.write(name, text)
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
func (s discovery) robots() error {
	return s.write("robots.txt", fmt.Appendf(nil, ""+
		`# People and their agents are welcome: this catalogue is public and read-only.
# Guide for agents: %s
# Description of the API: %s
User-agent: *
Allow: /

Sitemap: %s
`, s.Settings.URL("/llms.txt"), api.Address(&s.Settings, api.PathOpenAPI), s.Settings.URL("/sitemap.xml")))
}
