package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// filterView is a control that filters listings.
type filterView struct {
	Name     string // of the form's field
	Label    string
	IsNumber bool       // else there are Choices
	Bound    string     // of a number: "at most" or "at least"
	Least    string     // of a number; "" for no bound
	Most     string     // of a number; "" for no bound
	IsYesNo  bool       // the choices are yes and no
	Choices  []linkView // Slug is the value, Title says what it finds
	known    int        // how many listings have the fact
}

// factFilter returns the filter for a fact, with a name for the form, and with counts of
// listings.
func factFilter(f *api.Fact, name string, lists ...[]*content.Listing) filterView {
	v := filterView{Name: name, Label: f.Label, IsNumber: f.Kind == api.FactNumber, IsYesNo: f.Kind == api.FactYesNo}
	counts := map[string]int{}
	for _, list := range lists {
		for _, l := range list {
			value := l.FitNotes.Get(f.Key)
			if api.Known(value) {
				v.known++
			}
			for _, found := range f.MatchingFilterValues(value) {
				counts[found]++
			}
		}
	}
	if v.IsNumber {
		v.Bound = "at most"
		if f.Filter != nil && f.Filter.Match == api.MatchAtLeast {
			v.Bound = "at least"
		}
		if f.Unit != "" {
			v.Label += " (" + f.Unit + ")"
		}
		v.Least, v.Most = boundText(f.Least), boundText(f.Most)
		return v
	}
	for _, value := range f.FilterValues() {
		v.Choices = append(v.Choices, linkView{Slug: value, Title: f.FilterLabel(value), Count: counts[value]})
	}
	if f.IsFlag() && !v.IsYesNo { // the modest value comes first, as in the options of a choice
		slices.Reverse(v.Choices)
	}
	return v
}

func boundText(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// tableFilters returns the filters for facts of a table of listings. Every choice finds a
// listing.
func (r *renderer) tableFilters(lists ...[]*content.Listing) []filterView {
	var filters []filterView
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		// The form "My computer" asks for what follows from setups.
		if !f.IsCriterion() || f.Derived != nil {
			continue
		}
		v := factFilter(f, "fact-"+f.Key, lists...)
		v.Choices = slices.DeleteFunc(v.Choices, func(c linkView) bool { return c.Count == 0 || v.IsYesNo && c.Slug == "0" })
		if len(v.Choices) > 0 || v.IsNumber && v.known > 0 {
			filters = append(filters, v)
		}
	}
	return filters
}

// tableFile is the file with the facts of a collection's listings. The page script loads it
// when the first filter is set, so that it can filter all pages of a table without the
// search server.
const tableFile = "table.json"

// tableRow is a listing for rows and filters of tables: a part of a hit, without unknown
// facts.
type tableRow struct {
	Slug        string         `json:"slug"`
	Name        string         `json:"name"`
	Purpose     string         `json:"purpose"`
	License     *string        `json:"license,omitempty"`
	OSIApproved *bool          `json:"osiApproved,omitempty"`
	Platforms   []string       `json:"platforms,omitempty"`
	FitNotes    api.FactValues `json:"fitNotes"`
	Archived    bool           `json:"archived,omitempty"`
	Stars       *int           `json:"stars,omitempty"`
	UpdatedAt   *api.Date      `json:"updatedAt,omitempty"`
}

// facetRow returns the tableRow of a listing as JSON.
func (r *renderer) facetRow(p *api.Project) ([]byte, error) {
	facts := r.scriptFacts(p, func(f *api.Fact) bool { return f.IsCriterion() || r.isNeed(f) })
	row, err := api.JSON(tableRow{p.Slug, p.Name, p.Purpose, p.License, p.OSIApproved, p.Platforms, facts, is(p.Archived, true), p.Stars, p.UpdatedAt})
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", p.Slug, err)
	}
	return row, nil
}

// table writes the tableFile of a collection: its own listings, then those of other categories.
func (r *renderer) table(c *collection) error {
	out := r.buffer()
	defer r.buffers.Put(out)
	out.WriteByte('[')
	for i, l := range append(c.listings[:len(c.listings):len(c.listings)], c.also...) {
		row, err := r.fragments[l.Slug].facets()
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(row)
	}
	out.WriteByte(']')
	return r.write(strings.TrimPrefix(c.path, "/")+tableFile, out.Bytes())
}
