package page

import (
	"fmt"
	"slices"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// maxSitemap is the number of addresses allowed in a sitemap file (sitemaps.org).
const maxSitemap = 50_000

// sitemapPage is an address of a sitemap.
type sitemapPage struct {
	Address, Changed string // the day of the last change; "" if not known
	Alternates       []render.Alternate
}

// sitemapView is the view of a sitemap, or of an index of files.
type sitemapView struct {
	Pages         []sitemapPage
	Files         []string // addresses
	HasAlternates bool     // whether the site has several languages
}

// sitemap writes the sitemap of the site.
type sitemap struct{ *catalog }

// files writes the addresses of all pages, with the day of their last change if it is
// known. Above maxSitemap addresses, it is an index of several files.
func (s sitemap) files() error {
	var pages []sitemapPage
	add := func(path, day string) {
		pages = append(pages, sitemapPage{s.Settings.URL(path), day, s.Alternates(path)})
	}
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
	add("/compare/", "")
	if changes := s.Content.Changes; len(changes) > 0 {
		add(render.ChangesPath, string(changes[0].Day))
	}
	if s.View.HasSearch() {
		add("/search/", last)
	}
	if title, _ := questionsPage(s).title(); title != "" {
		add(questionsPath, last)
	}
	if s.Settings.HasSuggestForm() {
		add(site.SuggestPath, "")
	}
	add("/docs/", "")
	for _, p := range s.Content.Pages {
		add("/"+p.Slug+"/", "")
	}
	for _, k := range s.problemKinds() {
		add("/problems/"+k.Code+"/", "")
	}
	for _, p := range s.computers() {
		add(p.path(), last)
	}
	for _, c := range s.lists() {
		latest := ""
		for _, l := range c.listings {
			latest = max(latest, days[l])
		}
		for page := 1; page <= c.pages(); page++ {
			add(c.pagePath(page), latest)
		}
	}
	for _, l := range s.Listings {
		add("/projects/"+l.Slug+"/", days[l])
	}
	return s.split(pages)
}

// split writes a sitemap, or above maxSitemap addresses several and their index.
func (s sitemap) split(pages []sitemapPage) error {
	hasAlternates := s.Languages != nil
	most := maxSitemap / max(1, len(s.Languages)) // a file may have 50 MB, and an address names all languages
	if len(pages) <= most {
		return s.writeXML("sitemap.xml", "sitemap.xml", sitemapView{Pages: pages, HasAlternates: hasAlternates})
	}
	var files []string
	for part := range slices.Chunk(pages, most) {
		name := fmt.Sprintf("sitemap-%d.xml", len(files)+1)
		files = append(files, s.Settings.URL("/"+name))
		view := sitemapView{Pages: part, HasAlternates: hasAlternates}
		if err := s.writeXML(name, "sitemap.xml", view); err != nil {
			return err
		}
	}
	return s.writeXML("sitemap.xml", "sitemap.xml", sitemapView{Files: files})
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
