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

// Change is a field whose value changed. Values are strings, numbers, booleans,
// or nil for unknown.
type Change struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// plan says how facts change a listing.
type plan struct {
	edits   []canonical.Setting
	changes []Change // without changes that follow from another, such as those of sources
	notes   []string
}

// newPlan compares a listing with the facts of its repository. has reports
// whether listings of this catalogue have a field.
func newPlan(l *api.ProjectDetail, has func(key string) bool, loc location, facts *Facts, today api.Date) plan {
	var p plan
	for _, fact := range []struct {
		field   string
		compare func(*api.ProjectDetail, *Facts, api.Date)
	}{
		{"stars", p.compareStars}, {"archived", p.compareArchived}, {"license", p.compareLicense},
		{"updatedAt", p.compareUpdated}, {"release", p.compareRelease},
	} {
		if has(fact.field) {
			fact.compare(l, facts, today)
		}
	}
	p.compareRepository(l, loc, facts)
	return p
}

// setFact sets a field and its source.
func (p *plan) setFact(field string, old, value any, source string) {
	p.changes = append(p.changes, Change{field, old, value})
	p.set(value, field)
	p.set(source, "sources", field)
}

// set sets the value at a path of keys.
func (p *plan) set(value any, keys ...string) {
	p.edits = append(p.edits, canonical.Setting{Path: keys, Value: value})
}

// compareStars updates the day and the source even if the stars are the same.
func (p *plan) compareStars(l *api.ProjectDetail, facts *Facts, today api.Date) {
	same := l.Stars != nil && *l.Stars == facts.Stars
	source := facts.Source(today)
	switch {
	case !same:
		p.setFact("stars", orNil(l.Stars), facts.Stars, source)
		p.set(string(today), "starsAsOf")
	case l.StarsAsOf == nil || *l.StarsAsOf != today:
		p.changes = append(p.changes, Change{"starsAsOf", orNil((*string)(l.StarsAsOf)), string(today)})
		p.set(string(today), "starsAsOf")
		p.set(source, "sources", "stars")
	case l.Sources["stars"] != source:
		var old any
		if cited, ok := l.Sources["stars"]; ok {
			old = cited
		}
		p.changes = append(p.changes, Change{"sources.stars", old, source})
		p.set(source, "sources", "stars")
	}
}

// compareArchived keeps archived: true if an editor set it, because it also stands for abandoned
// tools.
func (p *plan) compareArchived(l *api.ProjectDetail, facts *Facts, today api.Date) {
	switch {
	case facts.Archived == nil, l.Archived != nil && *l.Archived == *facts.Archived:
	case l.Archived != nil && *l.Archived && !strings.HasPrefix(l.Sources["archived"], facts.Forge+" API"):
		p.notes = append(p.notes,
			fmt.Sprintf("archived is true, but %s says that the repository is not archived: left unchanged, because "+
				"the tool may be abandoned", facts.Forge))
	default:
		p.setFact("archived", orNil(l.Archived), *facts.Archived, facts.Source(today))
	}
}

func (p *plan) compareLicense(l *api.ProjectDetail, facts *Facts, today api.Date) {
	switch compareLicenses(l.License, facts.License) {
	case licenseNew:
		if after, deprecated := content.LicenseSuccessors(facts.License); deprecated {
			p.notes = append(p.notes,
				fmt.Sprintf("%s says that the licence is %s, which is deprecated in the SPDX list: read the licence, "+
					"and write %s", facts.Forge, facts.License, strings.Join(after, " or ")))
			return
		}
		p.setFact("license", orNil(l.License), facts.License, facts.Source(today))
	case licenseUnclear:
		p.notes = append(p.notes,
			fmt.Sprintf("license is %s, which is more exact than what forges report, but %s says %s: read the "+
				"licence, and decide", *l.License, facts.Forge, facts.License))
	}
}

// compareUpdated never sets an earlier day: an editor may know branches and
// releases that the forge does not count as latest.
func (p *plan) compareUpdated(l *api.ProjectDetail, facts *Facts, today api.Date) {
	day := facts.Updated
	switch {
	case day == "", l.UpdatedAt != nil && *l.UpdatedAt >= day:
	case l.CreatedAt != nil && *l.CreatedAt > day:
		p.notes = append(p.notes,
			fmt.Sprintf("the latest commit or release is from %s, which is before createdAt, %s: correct createdAt if "+
				"it is wrong", day, *l.CreatedAt))
	default:
		p.setFact("updatedAt", orNil((*string)(l.UpdatedAt)), string(day), facts.Source(today))
	}
}

// compareRelease never sets an earlier release: an editor may know one that the forge does
// not count as latest.
func (p *plan) compareRelease(l *api.ProjectDetail, facts *Facts, today api.Date) {
	latest := facts.Release
	if latest == nil || l.Release != nil && (*l.Release == *latest || l.Release.Date > latest.Date) {
		return
	}
	change := Change{"release", nil, latest.Version + " (" + string(latest.Date) + ")"}
	if l.Release != nil {
		change.Old = l.Release.Version + " (" + string(l.Release.Date) + ")"
	}
	p.changes = append(p.changes, change)
	p.set(latest.Version, "release", "version")
	p.set(string(latest.Date), "release", "date")
	p.set(facts.Source(today), "sources", "release")
}

// compareRepository follows a repository to its new name. Forges ignore the case
// of names.
func (p *plan) compareRepository(l *api.ProjectDetail, loc location, facts *Facts) {
	if strings.EqualFold(loc.repository, facts.Repository) {
		return
	}
	address := facts.URL + loc.rest
	if u, err := url.Parse(l.RepositoryURL); err == nil && u.Fragment != "" {
		address += "#" + u.Fragment
	}
	p.changes = append(p.changes, Change{"repositoryUrl", l.RepositoryURL, address})
	p.set(address, "repositoryUrl")
}

// orNil returns *p, or nil if p is nil.
func orNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// licenseMatch says how a forge's licence relates to a listing's.
type licenseMatch int

const (
	licenseSame    licenseMatch = iota // they agree, or the forge's is unknown
	licenseNew                         // the forge's replaces the listing's
	licenseUnclear                     // they differ, and the listing's is more exact
)

// compareLicenses compares a listing's licence, an SPDX expression or nil, with the single
// identifier that a forge detected, which may be empty. Forges guess from one file: they find the
// family of a GNU licence but not -only or -or-later, and only one of several licences. Such
// incomplete guesses count as agreement.
func compareLicenses(listing *string, forge string) licenseMatch {
	switch {
	case forge == "":
		return licenseSame
	case listing == nil:
		return licenseNew
	}
	e, _ := spdx.Parse(*listing)
	family := spdx.License{ID: forge}.Family()
	if slices.ContainsFunc(e.Licenses, func(license spdx.License) bool { return license.Family() == family }) {
		return licenseSame
	}
	if _, ok := e.SingleID(); ok {
		return licenseNew
	}
	return licenseUnclear
}
