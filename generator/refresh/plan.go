package refresh

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
)

// Change is a field whose value is another one now. Values are strings,
// numbers, truth values, or nil for unknown.
type Change struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// plan is what facts mean for a listing.
type plan struct {
	settings []canonical.Setting
	changes  []Change // without what merely follows from another, such as sources
	license  *Change
	moved    *Change // of repositoryUrl
	notes    []string
}

// planFor compares the fields that a listing has with what a forge said of its
// repository on a day.
func planFor(f *api.ProjectDetail, has func(key string) bool, at place, facts *Facts, today api.Date) plan {
	var p plan
	if has("stars") {
		p.stars(f, facts, today)
	}
	if has("archived") {
		p.archived(f, facts, today)
	}
	if has("license") {
		p.licence(f, facts, today)
	}
	if has("updatedAt") {
		p.updated(f, facts, today)
	}
	p.repository(f, at, facts)
	return p
}

// fact sets a field and where it was read.
func (p *plan) fact(field string, old, value any, source string) Change {
	change := Change{field, old, value}
	p.changes = append(p.changes, change)
	p.set(value, field)
	p.set(source, "sources", field)
	return change
}

// set sets the value that keys lead to.
func (p *plan) set(value any, keys ...string) {
	p.settings = append(p.settings, canonical.Setting{Path: keys, Value: value})
}

// stars are read anew each time: that they are the same is news of today, too.
func (p *plan) stars(f *api.ProjectDetail, facts *Facts, today api.Date) {
	same := f.Stars != nil && *f.Stars == facts.Stars
	source := facts.Source(today)
	switch {
	case !same:
		p.fact("stars", value(f.Stars), facts.Stars, source)
		p.set(string(today), "starsAsOf")
	case f.StarsAsOf == nil || *f.StarsAsOf != today:
		p.changes = append(p.changes, Change{"starsAsOf", value((*string)(f.StarsAsOf)), string(today)})
		p.set(string(today), "starsAsOf")
		p.set(source, "sources", "stars")
	case f.Sources["stars"] != source:
		p.changes = append(p.changes, Change{"sources.stars", value(sourceOf(f, "stars")), source})
		p.set(source, "sources", "stars")
	}
}

// archived is true for abandoned tools, too, which is an editor's judgement: it
// is not taken back because a repository is merely not archived.
func (p *plan) archived(f *api.ProjectDetail, facts *Facts, today api.Date) {
	switch {
	case facts.Archived == nil, f.Archived != nil && *f.Archived == *facts.Archived:
	case f.Archived != nil && *f.Archived && !strings.HasPrefix(f.Sources["archived"], facts.Forge+" API"):
		p.notes = append(p.notes, fmt.Sprintf("archived is true, but %s says that the repository is not archived: left as it is, for it may be abandoned", facts.Forge))
	default:
		p.fact("archived", value(f.Archived), *facts.Archived, facts.Source(today))
	}
}

func (p *plan) licence(f *api.ProjectDetail, facts *Facts, today api.Date) {
	switch judgeLicense(f.License, facts.License) {
	case licenseNew:
		if after, deprecated := content.LicenseSuccessors(facts.License); deprecated {
			p.notes = append(p.notes, fmt.Sprintf("%s says that the license is %s, which the SPDX list has deprecated: read the licence, and write %s", facts.Forge, facts.License, strings.Join(after, " or ")))
			return
		}
		change := p.fact("license", value(f.License), facts.License, facts.Source(today))
		p.license = &change
	case licenseDoubt:
		p.notes = append(p.notes, fmt.Sprintf("license is %s, which is more exact than forges are, but %s says %s: read the licence, and decide", *f.License, facts.Forge, facts.License))
	}
}

// updated never goes back: what was read from the repository itself knows
// branches and releases that the forge does not count as latest.
func (p *plan) updated(f *api.ProjectDetail, facts *Facts, today api.Date) {
	day := facts.Updated
	switch {
	case day == "", f.UpdatedAt != nil && *f.UpdatedAt >= day:
	case f.CreatedAt != nil && *f.CreatedAt > day:
		p.notes = append(p.notes, fmt.Sprintf("the latest commit or release is of %s, before createdAt %s: one of them is wrong", day, *f.CreatedAt))
	default:
		p.fact("updatedAt", value((*string)(f.UpdatedAt)), string(day), facts.Source(today))
	}
}

// repository follows a repository to its new name. Names that differ in case
// alone are the same to forges.
func (p *plan) repository(f *api.ProjectDetail, at place, facts *Facts) {
	if strings.EqualFold(at.repository, facts.Repository) {
		return
	}
	address := facts.URL + at.rest
	if u, err := url.Parse(f.RepositoryURL); err == nil && u.Fragment != "" {
		address += "#" + u.Fragment
	}
	change := Change{"repositoryUrl", f.RepositoryURL, address}
	p.moved = &change
	p.changes = append(p.changes, change)
	p.set(address, "repositoryUrl")
}

// value returns what a pointer leads to, nil for nil.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// sourceOf returns the source of a field, nil where none is given.
func sourceOf(f *api.ProjectDetail, field string) *string {
	if s, ok := f.Sources[field]; ok {
		return &s
	}
	return nil
}

// verdict is what a forge's licence means for a listing's.
type verdict int

const (
	licenseSame  verdict = iota // nothing is to be done
	licenseNew                  // the forge's is written
	licenseDoubt                // they differ, and the listing's was written with more care
)

// judgeLicense compares a listing's licence, an SPDX expression or nil, with
// the single identifier that a forge has recognised, which may be empty. Forges
// guess by one file: they tell the family of the GNU licences but not -only from
// -or-later, one of several licences, or what a licence of its own makers is
// based on. All that agrees with the listing.
func judgeLicense(listing *string, forge string) verdict {
	switch {
	case forge == "":
		return licenseSame
	case listing == nil:
		return licenseNew
	}
	e, _ := spdx.Parse(*listing)
	family := spdx.License{ID: forge}.Family()
	if slices.ContainsFunc(e.Licenses, func(l spdx.License) bool { return l.Family() == family }) {
		return licenseSame
	}
	if _, ok := e.SingleID(); ok {
		return licenseNew
	}
	return licenseDoubt
}
