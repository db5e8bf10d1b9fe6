package render

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// rowView is a listing as a row of a table. It copies the listing's fields, because
// templates are several times slower with fields of embedded structs.
type rowView struct {
	Site                         *siteView
	Slug, Name, Purpose, PageURL string
	License                      *string
	Stars                        *int
	UpdatedAt                    *api.Date
	Chips, Runs                  []string
	LicenseText                  string
	StarsText, Updated           string
	OwnTerms                     bool   // its terms are not open source
	State                        string // "archived", "dormant", or ""
}

func (r *renderer) row(p *api.Project) rowView {
	v := rowView{
		Site: &r.view, Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, PageURL: p.PageURL, License: p.License, Stars: p.Stars, UpdatedAt: p.UpdatedAt,
		LicenseText: r.t(api.Unknown), StarsText: "–", Updated: "–",
		Chips: r.Content.Taxonomy.Chips(p.FitNotes), OwnTerms: is(p.OSIApproved, false), State: r.stopped(p),
	}
	// A fact may be a platform, too; one chip is for both.
	v.Runs = slices.DeleteFunc(r.platformNames(p.Platforms), func(name string) bool { return slices.Contains(v.Chips, name) })
	if p.License != nil {
		v.LicenseText = r.licenseName(*p.License)
	}
	if p.Stars != nil {
		v.StarsText = thousands(*p.Stars)
	}
	if p.UpdatedAt != nil {
		v.Updated = string(*p.UpdatedAt)
	}
	return v
}

// platformNames returns the names of platforms.
func (r *renderer) platformNames(slugs []string) (names []string) {
	for _, slug := range slugs {
		if p, ok := r.Content.Taxonomy.Platform(slug); ok {
			names = append(names, p.Name)
		}
	}
	return names
}

// is reports whether a fact has a value.
func is(fact *bool, value bool) bool { return fact != nil && *fact == value }

// shortFacts returns the known facts that people choose by, in a few words each.
func (r *renderer) shortFacts(p *api.Project) (list []string) {
	if p.License != nil {
		list = append(list, licenseName(nil, *p.License))
	}
	if is(p.OSIApproved, false) {
		list = append(list, "not open source")
	}
	if s := p.Stopped(); s != "" {
		list = append(list, s)
	}
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		if v := p.FitNotes.Get(f.Key); chosenBy(f) && api.Known(v) {
			list = append(list, f.Phrase(v))
		}
	}
	if p.Stars != nil {
		list = append(list, fmt.Sprintf("%d stars", *p.Stars))
	}
	if p.UpdatedAt != nil {
		list = append(list, "updated "+string(*p.UpdatedAt))
	}
	return list
}

// differences returns how another listing differs from this one, in a few words each.
func (r *renderer) differences(one, other *content.Listing) (list []string) {
	if one.License != nil && other.License != nil && *one.License != *other.License {
		list = append(list, r.licenseName(*other.License))
	}
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		a, b := one.FitNotes.Get(f.Key), other.FitNotes.Get(f.Key)
		// "no" is shown only if this listing has "yes".
		if chosenBy(f) && api.Known(b) && !api.SameValue(a, b) && (b != false || a == true) {
			list = append(list, r.phrase(f, b))
		}
	}
	only := func(a, b []string) string {
		names := r.platformNames(slices.DeleteFunc(slices.Clone(a), func(slug string) bool { return slices.Contains(b, slug) }))
		// A platform that a chip names is left out.
		return strings.Join(slices.DeleteFunc(names, func(name string) bool { return r.isChip[name] }), ", ")
	}
	if also := only(other.Platforms, one.Platforms); also != "" {
		list = append(list, r.t("also on {platforms}", "platforms", also))
	}
	if missing := only(one.Platforms, other.Platforms); missing != "" && len(other.Platforms) > 0 {
		list = append(list, r.t("not on {platforms}", "platforms", missing))
	}
	if one.Language != nil && other.Language != nil && *one.Language != *other.Language {
		list = append(list, r.t("written in {language}", "language", *other.Language))
	}
	return list
}
