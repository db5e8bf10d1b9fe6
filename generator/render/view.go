package render

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"golang.org/x/text/language"
)

// SiteView is the part of a view that is the same on all pages: the settings, and what follows
// from them.
type SiteView struct {
	*site.Settings
	*Words
	Contact             template.URL
	Suggest             template.URL // where to suggest a listing
	Base                string       // path prefix of the site, "" or "/path"
	OriginTrial         string
	Style, Script, Icon string // paths of the assets, without a leading slash
	Engine              string // path of the engine's script; "" if pages do not search themselves
	Land                string // address of the outlines of land for maps, with the base; "" for no maps
	Pages               []Link
	HasChanges          bool // whether there is a page that says what changed
	HasNotices          bool // whether there is a NoticesFile
	HasSets             bool // whether there are sets
	HasNewProjects      bool // whether there is a page of the projects that were started last
	// Head, Header and Footer are the rendered partial templates of these names.
	Head, Header, Footer template.HTML
	Computer             template.HTML // the form "My computer"; "" if listings have no setups
	Note                 Markdown      // the note at the end of Markdown versions

	Dir string // attribute of the pages; "" for left to right
}

func newSiteView(in *Site, words *Words) SiteView {
	v := SiteView{
		Settings: &in.Settings, Words: words, Contact: OwnerLink(in.Settings.Contact), Base: in.Settings.BasePath(),
		OriginTrial: in.Settings.WebMCPOriginTrial, Dir: direction(in.Settings.Lang),
		HasChanges: len(in.Content.Changes) > 0,
		HasNotices: len(in.Content.Logos.Sets) > 0 || in.Content.PictureNotices != "" ||
			in.Content.Taxonomy.PlaceFact() != nil,
		HasSets: len(in.Content.Sets) > 0,
	}
	isDated := func(l *content.Listing) bool { return l.CreatedAt != nil }
	v.HasNewProjects = v.Has("createdAt") && slices.ContainsFunc(in.Content.Listings, isDated)
	if v.Suggest = OwnerLink(in.Settings.Suggest(v.SuggestText())); v.HasSuggestForm() {
		v.Suggest = template.URL(v.Base + site.SuggestPath) // #nosec G203 -- a path of this site
	}
	for _, p := range in.Content.Pages {
		v.Pages = append(v.Pages, Link{Slug: p.Slug, Title: p.Title})
	}
	return v
}

// OwnerLink marks an address of the settings as a safe link, because html/template refuses
// mailto: otherwise. Settings are checked, and what is filled in is escaped.
func OwnerLink(address string) template.URL {
	return template.URL(address) // #nosec G203 -- package validate allows http, https and mailto
}

// direction returns the value of the attribute dir for a language: "rtl", or "" for most.
func direction(lang string) string {
	tag, err := language.Parse(lang)
	if err != nil {
		return ""
	}
	switch script, _ := tag.Script(); script.String() {
	case "Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg":
		return "rtl"
	}
	return ""
}

// HasComputer reports whether pages have the form "My computer".
func (s *SiteView) HasComputer() bool { return s.Computer != "" }

// SuggestText is the text of the link to suggest a listing.
func (s *SiteView) SuggestText() string {
	if s.IsSoftware() {
		return s.T("Suggest a tool")
	}
	return s.T("Suggest a listing")
}

// Asks describes the input of a search. Question is the label of that input.
func (s *SiteView) Asks() string {
	switch {
	case s.Has("replaces"):
		return s.T("A job, name or product to replace")
	case s.IsSoftware():
		return s.T("A job or name")
	}
	return s.T("What you want, or a name")
}

// Question is the label of the input of a search.
func (s *SiteView) Question() string {
	if s.Has("replaces") {
		return s.T("What do you want to do, or replace?")
	}
	return s.T("What are you looking for?")
}

// ByStars returns the end of the sentence in llms-full.txt about the order of its listings.
func (s *SiteView) ByStars() string {
	if s.Has("stars") {
		return ", most starred first"
	}
	return ""
}

// About returns the title and the description; the description alone if it begins with the title.
func (s *SiteView) About() string {
	if strings.HasPrefix(strings.ToLower(s.Description), strings.ToLower(s.Title)) {
		return s.Description
	}
	return s.Title + ": " + s.Description
}

// Columns returns the number of columns of a table of listings.
func (s *SiteView) Columns() int {
	n := 2 // name and the box for the comparison
	if s.HasFit() {
		n++
	}
	for _, field := range []string{"license", "stars", "updatedAt"} {
		if s.Has(field) {
			n++
		}
	}
	return n
}

// Page is a page as its templates show it. The code of the page sets Kind, Title, Description,
// Path, Crumbs and Data, which is the view of its own template. Shared sets the other fields.
type Page struct {
	Site         *SiteView
	Title        string
	Description  string
	Path         string // below the base, beginning with a slash
	Canonical    string
	Alternates   []Alternate // the page in all languages; nil if the site has only one
	MarkdownPath string      // path of the Markdown version, with the base; "" for none
	NoIndex      bool        // whether search engines must not index it
	Kind         string      // the name of the page's own template
	Crumbs       []Crumb
	Breadcrumbs  template.HTML // the crumbs before the page itself
	Meta         metaView
	Data         any

	// Subject is structured data of what the page shows; nil for none.
	Subject Node
	// Feed is the path of the feed that the page links to, and FeedTitle its title. If it is "", only the head of
	// the page links to a feed, that of the site.
	Feed, FeedTitle string
	// Picture is the path of the page's own picture; "" for that of the site.
	Picture string
	// IsArticle says whether the page is about one thing.
	IsArticle bool
}

// Crumb is a breadcrumb. The last one is the page itself, without a path.
type Crumb struct{ Title, Path string }

// Crumbs returns breadcrumbs: pairs of a title and a path, and the title of the page itself.
func Crumbs(titlesAndPaths ...string) (crumbs []Crumb) {
	for i := 0; i < len(titlesAndPaths); i += 2 {
		c := Crumb{Title: titlesAndPaths[i]}
		if i+1 < len(titlesAndPaths) {
			c.Path = titlesAndPaths[i+1]
		}
		crumbs = append(crumbs, c)
	}
	return crumbs
}

// Link is a link to another page, with an optional count and note.
type Link struct {
	Slug, Title, Path, Note string
	Words                   string // other words that find it
	Icon                    string // see Shared.Icon
	Count                   int
}

// Thousands returns a number with spaces between groups of three digits.
func Thousands(n int) string {
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
