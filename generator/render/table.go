package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// rowView is a listing as a row of a table. The listing's own fields are copied
// rather than embedded: templates find promoted fields several times slower.
type rowView struct {
	Base                         string
	Slug, Name, Purpose, PageURL string
	License                      *string
	Stars                        *int
	UpdatedAt                    *api.Date
	Hardware, Fit, Runs          []string
	LicenseText                  string
	StarsText, Updated           string
	OwnTerms, IsOver             bool // terms that are not open source; archived upstream
}

func (r *renderer) row(p *api.Project) rowView {
	v := rowView{
		Base: r.view.Base, Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, PageURL: p.PageURL, License: p.License, Stars: p.Stars, UpdatedAt: p.UpdatedAt,
		LicenseText: "unknown", StarsText: "–", Updated: "–",
		OwnTerms: p.OSIApproved != nil && !*p.OSIApproved, IsOver: is(p.Archived, true),
	}
	n := &p.FitNotes
	if n.GPU != nil {
		v.Hardware = append(v.Hardware, gpuTexts[*n.GPU])
	}
	if n.MinRAMGB != nil {
		v.Hardware = append(v.Hardware, "from "+gigabytes(*n.MinRAMGB)+" RAM")
	}
	if n.MinVRAMGB != nil {
		v.Hardware = append(v.Hardware, "from "+gigabytes(*n.MinVRAMGB)+" VRAM")
	}
	for _, f := range []struct {
		fact *bool
		text string
	}{{n.Beginner, "For beginners"}, {n.Docker, "Docker"}, {n.WorksOffline, "Offline"}} {
		if is(f.fact, true) {
			v.Fit = append(v.Fit, f.text)
		}
	}
	for _, slug := range p.Platforms {
		if x, ok := r.Content.Taxonomy.Platform(slug); ok && slug != "docker" { // told under fit
			v.Runs = append(v.Runs, x.Name)
		}
	}
	if p.License != nil {
		v.LicenseText = licenseName(*p.License)
	}
	if p.Stars != nil {
		v.StarsText = thousands(*p.Stars)
	}
	if p.UpdatedAt != nil {
		v.Updated = string(*p.UpdatedAt)
	}
	return v
}

// is tells whether a fact is known to have a value.
func is(fact *bool, value bool) bool { return fact != nil && *fact == value }

// tableFile is the name of the facts of a collection's listings, beside its
// pages. The page code loads it when the first filter is set, so that a table of
// many pages is filtered as a whole without the search server.
const tableFile = "table.json"

// facetRow returns a listing as the page code reads it, an array: slug, name,
// purpose, licence (null where unknown), whether the licence is open source,
// platforms, GPU need (null where unknown), least RAM and graphics memory in GB
// (null where unknown), the letters of what it is known to be (d Docker,
// b for beginners, s self-hosted, o works offline, a archived), stars (null
// where unknown), day of the latest commit or release (null where unknown).
func facetRow(p *api.Project) ([]byte, error) {
	n := &p.FitNotes
	var known strings.Builder
	for _, f := range []struct {
		fact   *bool
		letter byte
	}{{n.Docker, 'd'}, {n.Beginner, 'b'}, {n.SelfHosted, 's'}, {n.WorksOffline, 'o'}, {p.Archived, 'a'}} {
		if is(f.fact, true) {
			known.WriteByte(f.letter)
		}
	}
	row, err := json.Marshal([]any{
		p.Slug, p.Name, p.Purpose, p.License, p.OSIApproved, p.Platforms, n.GPU, n.MinRAMGB, n.MinVRAMGB, known.String(), p.Stars, p.UpdatedAt,
	})
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", p.Slug, err)
	}
	return row, nil
}

// table writes the facts of a collection's listings, those at home first.
func (r *renderer) table(c *collection) error {
	out := r.buffer()
	defer r.buffers.Put(out)
	out.WriteByte('[')
	for i, l := range append(c.listings[:len(c.listings):len(c.listings)], c.also...) {
		row, err := r.once[l.Slug].facets()
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

// differences tells, in a few words each, how another listing differs from one:
// what a reader of the one's page wants to know of the other.
func (r *renderer) differences(one, other *content.Listing) []string {
	var list []string
	a, b := &one.FitNotes, &other.FitNotes
	if one.License != nil && other.License != nil && *one.License != *other.License {
		list = append(list, *other.License)
	}
	if b.GPU != nil && (a.GPU == nil || *a.GPU != *b.GPU) {
		list = append(list, gpuTexts[*b.GPU])
	}
	if b.MinRAMGB != nil && (a.MinRAMGB == nil || *a.MinRAMGB != *b.MinRAMGB) {
		list = append(list, "from "+gigabytes(*b.MinRAMGB)+" RAM")
	}
	for _, f := range []struct {
		a, b    *bool
		yes, no string
	}{
		{a.Beginner, b.Beginner, "for beginners", "not for beginners"}, {a.Docker, b.Docker, "Docker", "no Docker"},
		{a.SelfHosted, b.SelfHosted, "self-hosted", "not self-hosted"}, {a.WorksOffline, b.WorksOffline, "works offline", "needs a network"},
		{one.Archived, other.Archived, "archived", ""},
	} {
		switch {
		case is(f.b, true) && !is(f.a, true):
			list = append(list, f.yes)
		case is(f.b, false) && is(f.a, true) && f.no != "":
			list = append(list, f.no)
		}
	}
	var also []string
	for _, slug := range other.Platforms {
		if x, ok := r.Content.Taxonomy.Platform(slug); ok && slug != "docker" && !slices.Contains(one.Platforms, slug) {
			also = append(also, x.Name)
		}
	}
	if len(also) > 0 {
		list = append(list, "also on "+strings.Join(also, ", "))
	}
	var missing []string
	for _, slug := range one.Platforms {
		if x, ok := r.Content.Taxonomy.Platform(slug); ok && slug != "docker" && !slices.Contains(other.Platforms, slug) {
			missing = append(missing, x.Name)
		}
	}
	if len(missing) > 0 && len(other.Platforms) > 0 {
		list = append(list, "not on "+strings.Join(missing, ", "))
	}
	if one.Language != nil && other.Language != nil && *one.Language != *other.Language {
		list = append(list, "written in "+*other.Language)
	}
	return list
}
