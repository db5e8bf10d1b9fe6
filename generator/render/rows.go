package render

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// RowSet has the rows of a site's listings. Each is rendered once, when it is first requested.
type RowSet struct {
	rows map[string]func() (*Row, error) // by slug
}

// Row holds the forms of a listing that files with several listings show.
type Row struct {
	HTML    template.HTML // the row of tables
	Line    Markdown      // the line of Markdown lists
	Related template.HTML // the entry on pages of similar listings
	Brief   Markdown      // the same for Markdown versions: link and purpose
	Facts   []byte        // what filters of tables read, as JSON
	JSON    []byte        // an api.Project, without the closing brace
}

// List is a list of listings.
type List struct {
	Rows  template.HTML
	Lines Markdown // what Rows renders, for the Markdown version
}

func newRowSet(s *Shared) *RowSet {
	set := &RowSet{rows: make(map[string]func() (*Row, error), len(s.Listings))}
	for _, l := range s.Listings {
		set.rows[l.Slug] = sync.OnceValues(func() (*Row, error) {
			key := memo.KeyOf("row", s.Key[:], l.Key[:])
			return memo.Of(s.Memo, key, func() (*Row, error) { return s.renderRow(l) })
		})
	}
	return set
}

// Of returns the row of a listing.
func (r *RowSet) Of(slug string) (*Row, error) { return r.rows[slug]() }

// List returns a list of listings.
func (r *RowSet) List(listings []*content.Listing) (List, error) {
	var rows, lines strings.Builder
	list, ofRows, ofLines := make([]*Row, len(listings)), 0, 0
	for i, l := range listings {
		row, err := r.Of(l.Slug)
		if err != nil {
			return List{}, err
		}
		list[i] = row
		ofRows, ofLines = ofRows+len(row.HTML), ofLines+len(row.Line)+1
	}
	rows.Grow(ofRows)
	lines.Grow(ofLines)
	for _, row := range list {
		rows.WriteString(string(row.HTML))
		lines.WriteString(string(row.Line))
		lines.WriteByte('\n')
	}
	return List{template.HTML(rows.String()), Markdown(lines.String())}, nil // #nosec G203 -- rendered by html/template
}

func (s *Shared) renderRow(l *content.Listing) (*Row, error) {
	view, row := s.row(&l.Project), &Row{}
	var err error
	if row.HTML, err = s.Partial("row", view); err != nil {
		return nil, err
	}
	if row.Line, err = s.MarkdownPartial("row", view); err != nil {
		return nil, err
	}
	if row.Related, err = s.Partial("related", view); err != nil {
		return nil, err
	}
	stopped := ""
	if view.State != "" {
		stopped = " (" + commonmark.Text(view.State) + ")"
	}
	row.Brief = Markdown(commonmark.Link(l.Name, l.PageURL) + stopped + ": " + commonmark.Text(l.Purpose))
	if row.Facts, err = s.tableRow(&l.Project); err != nil {
		return nil, err
	}
	detail, err := l.JSON(&s.Settings, s.Memo)
	if err != nil {
		return nil, err
	}
	row.JSON, err = api.ListItem(detail)
	return row, err
}

// rowView is a listing as a row of a table. It copies the listing's fields, because
// templates are several times slower with fields of embedded structs.
type rowView struct {
	Site                         *SiteView
	Logo                         Logo
	Slug, Name, Purpose, PageURL string
	License                      *string
	Stars                        *int
	UpdatedAt                    *api.Date
	PurposeLang                  string      // the language of Purpose, if it is not that of the page
	Picture                      *rowPicture // nil but for the layout cards
	Chips, Runs                  []string
	Tags                         []rowTag // Chips, with what they are
	LicenseText                  string
	LicenseClass                 string // "unknown", or "id" for a single identifier, which does not break
	StarsText, Updated           string
	OwnTerms                     bool   // its terms are not open source
	State                        string // "archived", "dormant", or ""
}

// identifier matches an identifier of a licence that could break at a hyphen, and that is short enough for any screen.
var identifier = regexp.MustCompile(`^[^ -]{1,20}-[^ ]{1,20}$`)

// rowPicture is a picture of a listing.
type rowPicture struct {
	*api.Picture
	Path string // of the picture, with the base
	Lang string // the language of its alternative text, if it is not that of the page
}

// PicturePath returns the path of a picture of this site, with the base.
func (s *Shared) PicturePath(p *api.Picture) string {
	return s.View.Base + strings.TrimPrefix(p.URL, s.Settings.URL(""))
}

// rowTag is a fact in a row.
type rowTag struct {
	Text       string
	IsEstimate bool // nobody states it
}

func (s *Shared) row(p *api.Project) rowView {
	v := rowView{
		Site: &s.View, Logo: s.ListingLogo(p), Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, PageURL: p.PageURL,
		License: p.License, Stars: p.Stars, UpdatedAt: p.UpdatedAt,
		LicenseText: s.T(api.Unknown), LicenseClass: "unknown", StarsText: "–", Updated: "–",
		Chips: s.taxonomy.Chips(p.FitNotes), OwnTerms: Is(p.OSIApproved, false), State: s.Stopped(p),
	}
	for i := range p.FitNotes {
		fact := &p.FitNotes[i]
		if shown, ok := fact.Value.(api.Picture); ok && s.Settings.HasCards() {
			lang := s.Languages.Fallback(p.Untranslated, "fitNotes."+fact.Key)
			v.Picture = &rowPicture{&shown, s.PicturePath(&shown), lang}
			break
		}
	}
	v.PurposeLang = s.Languages.Fallback(p.Untranslated, "purpose")
	stated := len(v.Chips)
	v.Chips = append(v.Chips, s.BriefEstimate(p)...)
	for i, text := range v.Chips {
		isEstimate := i >= stated
		if isEstimate { // no line breaks between a figure and its unit
			text = strings.Replace(text, " GB", "\u00a0GB", 1)
		}
		v.Tags = append(v.Tags, rowTag{text, isEstimate})
	}
	// A fact may also be a platform. One chip is enough for both.
	v.Runs = slices.DeleteFunc(s.PlatformNames(p.Platforms), func(name string) bool {
		return slices.Contains(v.Chips, name)
	})
	if p.License != nil {
		v.LicenseText, v.LicenseClass = s.LicenseName(*p.License), ""
		if identifier.MatchString(v.LicenseText) {
			v.LicenseClass = "id"
		}
	}
	if p.Stars != nil {
		v.StarsText = Thousands(*p.Stars)
	}
	if p.UpdatedAt != nil {
		v.Updated = string(*p.UpdatedAt)
	}
	return v
}

// TableFile is the file with the facts of a list's listings. The page script loads it
// when the first filter is set, so that it can filter all pages of a table without the
// search server.
const TableFile = "table.json"

// tableRow holds what rows and filters of lists need of a listing: the fields of a search hit, and
// the words that the search box of a list finds. Unknown facts are left out.
type tableRow struct {
	Slug        string             `json:"slug"`
	Name        string             `json:"name"`
	Purpose     string             `json:"purpose"`
	Fallback    []string           `json:"untranslated,omitempty"`
	Words       []string           `json:"words,omitempty"` // other names, also of products; jobs, topics, texts of facts
	Replaces    []string           `json:"replaces,omitempty"`
	Category    string             `json:"category"`
	License     *string            `json:"license,omitempty"`
	Licenses    []string           `json:"licenses,omitzero"` // what the filter compares, if not License
	OSIApproved *bool              `json:"osiApproved,omitempty"`
	Platforms   []string           `json:"platforms,omitempty"`
	FitNotes    api.FactValues     `json:"fitNotes"`
	Estimate    *hardware.Estimate `json:"estimate,omitempty"`
	RunsWith    []string           `json:"runsWith,omitempty"`
	Archived    bool               `json:"archived,omitempty"`
	Upkeep      *string            `json:"upkeep,omitempty"`
	Stars       *int               `json:"stars,omitempty"`
	UpdatedAt   *api.Date          `json:"updatedAt,omitempty"`
	AddedAt     api.Date           `json:"addedAt"`
	Logo        string             `json:"logo,omitempty"` // its name
}

// tableRow returns the tableRow of a listing as JSON.
func (s *Shared) tableRow(p *api.Project) ([]byte, error) {
	facts := s.scriptFacts(p, func(f *api.Fact) bool {
		return f.IsCriterion() || s.isNeed(f) || f.Kind == api.FactPlace ||
			f.Kind == api.FactPicture && s.Settings.HasCards()
	})
	words := slices.Concat(p.Aliases, p.Jobs, p.Topics, s.taxonomy.SearchedTexts(p.FitNotes))
	for _, name := range p.Replaces {
		if product, ok := s.taxonomy.Product(name); ok {
			words = append(words, product.Aliases...)
		}
	}
	row := tableRow{
		Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, Fallback: p.Untranslated, Words: words, Replaces: p.Replaces,
		Category: p.Category,
		License:  p.License, OSIApproved: p.OSIApproved, Platforms: p.Platforms, FitNotes: facts,
		Estimate: p.Estimate, RunsWith: p.RunsWith, Archived: Is(p.Archived, true), Upkeep: p.Upkeep,
		Stars: p.Stars, UpdatedAt: p.UpdatedAt, AddedAt: p.AddedAt,
		Logo: s.logos.listings[p.Slug],
	}
	if licenses := SufficientLicenses(p); p.License != nil && !slices.Equal(licenses, []string{*p.License}) {
		row.Licenses = append([]string{}, licenses...) // not nil, even if no single licence is enough
	}
	text, err := api.JSON(row)
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", p.Slug, err)
	}
	return text, nil
}
