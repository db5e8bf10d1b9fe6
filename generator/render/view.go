package render

import (
	"html/template"
	"strconv"
	"strings"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
)

// siteView is the part of a view that is the same on all pages.
type siteView struct {
	Title, Description  string
	Contact             template.URL
	Suggest             template.URL // where to suggest a listing
	Base                string       // path prefix of the site, "" or "/path"
	OriginTrial         string
	Style, Script, Icon string // paths of the assets, without a leading slash
	Engine              string // path of the engine's script; "" if pages do not search themselves
	Pages               []linkView
	// Head, Header and Footer are the rendered partial templates of these names.
	Head, Header, Footer template.HTML
	Computer             template.HTML // the form "My computer"; "" if listings have no setups
	Note                 markdown      // the note at the end of Markdown versions

	Lang, Dir string // attributes of the pages; Dir is "" for left to right

	settings  *site.Settings
	labels    *labels.Labels
	platforms int // number of platforms
}

// Has reports whether listings have a field.
func (s *siteView) Has(field string) bool { return s.settings.Has(field) }

// HasSearch reports whether pages can search.
func (s *siteView) HasSearch() bool { return s.settings.HasSearch() }

// HasServer reports whether there is a search server.
func (s *siteView) HasServer() bool { return s.settings.HasServer() }

// HasComputer reports whether pages have the form "My computer".
func (s *siteView) HasComputer() bool { return s.Computer != "" }

// HasPlatforms reports whether the taxonomy has platforms.
func (s *siteView) HasPlatforms() bool { return s.Has("platforms") && s.platforms > 0 }

// IsSoftware reports whether listings are software, which has a repository.
func (s *siteView) IsSoftware() bool { return s.Has("repositoryUrl") }

// t is renderer.t.
func (s *siteView) t(text string) string { return s.labels.Text(text) }

// SuggestText is the text of the link to suggest a listing.
func (s *siteView) SuggestText() string {
	if s.IsSoftware() {
		return s.t("Suggest a tool")
	}
	return s.t("Suggest a listing")
}

// Asks describes the input of a search, Question is its label.
func (s *siteView) Asks() string {
	if s.Has("replaces") {
		return s.t("A job, name or product to replace")
	}
	return s.t("A job or name")
}

// Question is the label of the input of a search.
func (s *siteView) Question() string {
	if s.Has("replaces") {
		return s.t("What do you want to do, or replace?")
	}
	return s.t("What are you looking for?")
}

// ByStars is the end of a sentence of llms-full.txt about the order of its listings.
func (s *siteView) ByStars() string {
	if s.Has("stars") {
		return ", most starred first"
	}
	return ""
}

// Columns returns the number of columns of a table of listings.
func (s *siteView) Columns() int {
	n := 3 // name, fit and the box for the comparison
	for _, field := range []string{"license", "stars", "updatedAt"} {
		if s.Has(field) {
			n++
		}
	}
	return n
}

// pageView is the view of the layout. Data is the view of the page's own template.
type pageView struct {
	Site         *siteView
	Title        string
	Description  string
	Path         string // below the base, beginning with a slash
	Canonical    string
	MarkdownPath string // path of the Markdown version, with the base; "" for none
	NoIndex      bool   // whether search engines must not index it
	Kind         string // the name of the page's own template
	Crumbs       []crumbView
	Breadcrumbs  template.HTML // the crumbs before the page itself
	Meta         metaView
	Data         any

	listing  *content.Listing // the subject of the page; nil for none
	minified []template.HTML  // values of Data that are minified already
	list     node             // structured data of the list that the page shows; nil for none
}

// crumbView is a breadcrumb. The last one is the page itself, without a path.
type crumbView struct{ Title, Path string }

// linkView is a link to another page, with an optional count and note.
type linkView struct {
	Slug, Title, Path, Note string
	Words                   string // other words that find it
	Count                   int
}

// thousands returns a number with spaces between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString("\u00a0")
		}
		b.WriteRune(d)
	}
	return b.String()
}
