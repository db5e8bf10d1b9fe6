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

// answers are what services say about a listing's tool.
type answers struct {
	loc      location
	facts    *Facts           // nil if the repository is on no known forge
	packages []packageRelease // in the order of the listing's links; without a version if there is no release
	notes    []string         // about packages
}

// newPlan compares a listing with answers. has reports whether listings of this catalogue have a
// field.
func newPlan(l *api.ProjectDetail, has func(key string) bool, a *answers, today api.Date) plan {
	p := plan{notes: a.notes}
	for _, fact := range []struct {
		field   string
		compare func(*api.ProjectDetail, *Facts, api.Date)
	}{
		{"stars", p.compareStars}, {"archived", p.compareArchived}, {"license", p.compareLicense},
	} {
		if a.facts != nil && has(fact.field) {
			fact.compare(l, a.facts, today)
		}
	}
	latest := chooseRelease(l, a, today)
	if has("updatedAt") {
		p.compareUpdated(l, a, &latest, today)
	}
	if has("release") {
		p.compareRelease(l, &latest)
		p.notePackages(a, &latest)
	}
	if a.facts != nil {
		p.compareRepository(l, a.loc, a.facts)
	}
	return p
}

// note adds a note for an editor.
func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
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
		p.note("archived is true, but %s says that the repository is not archived: left unchanged, because the tool "+
			"may be abandoned", facts.Forge)
	default:
		p.setFact("archived", orNil(l.Archived), *facts.Archived, facts.Source(today))
	}
}

func (p *plan) compareLicense(l *api.ProjectDetail, facts *Facts, today api.Date) {
	switch compareLicenses(l.License, facts.License) {
	case licenseNew:
		if after, deprecated := content.LicenseSuccessors(facts.License); deprecated {
			p.note("%s says that the licence is %s, which is deprecated in the SPDX list: read the licence, and write "+
				"%s", facts.Forge, facts.License, strings.Join(after, " or "))
			return
		}
		p.setFact("license", orNil(l.License), facts.License, facts.Source(today))
	case licenseUnclear:
		p.note("license is %s, which is more exact than what forges report, but %s says %s: read the licence, and "+
			"decide", *l.License, facts.Forge, facts.License)
	}
}

// compareUpdated never sets an earlier day: an editor may know branches and
// releases that the forge does not count as latest.
func (p *plan) compareUpdated(l *api.ProjectDetail, a *answers, latest *latestRelease, today api.Date) {
	var day api.Date
	source := ""
	if a.facts != nil {
		day, source = a.facts.Updated, a.facts.Source(today)
	}
	if latest.source != "" && latest.Date > day {
		day, source = latest.Date, latest.source
	}
	switch {
	case day == "", l.UpdatedAt != nil && *l.UpdatedAt >= day:
	case l.CreatedAt != nil && *l.CreatedAt > day:
		p.note("the latest commit or release is from %s, which is before createdAt, %s: correct createdAt if it is "+
			"wrong", day, *l.CreatedAt)
	default:
		p.setFact("updatedAt", orNil((*string)(l.UpdatedAt)), string(day), source)
	}
}

// latestRelease is the latest release that is known of a tool.
type latestRelease struct {
	*api.Release        // nil if none is known
	source       string // "" if it is the listing's
}

// chooseRelease returns the listing's release, or a later one of its repository or its packages. It
// never chooses an earlier one: an editor may know one that the forge does not count as latest. A
// package may have its own numbering, so it has to have the release that is known.
func chooseRelease(l *api.ProjectDetail, a *answers, today api.Date) latestRelease {
	latest := latestRelease{Release: l.Release}
	if a.facts != nil && a.facts.Release != nil && (latest.Release == nil ||
		a.facts.Release.Date >= latest.Date && !isSameRelease(a.facts.Release, latest.Release)) {
		latest = latestRelease{a.facts.Release, a.facts.Source(today)}
	}
	for i := range a.packages {
		r := &a.packages[i]
		if latest.Release != nil && r.Date != "" && r.Date >= latest.Date && r.isHigher(latest.Version) &&
			r.has(latest.Version) {
			latest = latestRelease{&r.Release, citation(r.Registry.Name, today)}
		}
	}
	return latest
}

// isHigher reports whether the numbers of the release are higher than those of another version, or
// are those of a pre-release.
func (r *packageRelease) isHigher(version string) bool {
	order, ok := compareVersions(r.Version, version)
	return ok && (order > 0 || order == 0 && isPreRelease(version))
}

// has reports whether the package has a release with the numbers of another version. If it has
// none, it is numbered in its own way, such as a client of the tool.
func (r *packageRelease) has(version string) bool {
	return slices.ContainsFunc(r.versions, func(v string) bool {
		order, ok := compareVersions(v, version)
		return ok && order == 0
	})
}

// compareRelease sets the latest release unless it is the listing's.
func (p *plan) compareRelease(l *api.ProjectDetail, latest *latestRelease) {
	if latest.source == "" {
		return
	}
	change := Change{"release", nil, latest.Version + " (" + string(latest.Date) + ")"}
	if l.Release != nil {
		change.Old = l.Release.Version + " (" + string(l.Release.Date) + ")"
	}
	p.changes = append(p.changes, change)
	p.set(latest.Version, "release", "version")
	p.set(string(latest.Date), "release", "date")
	p.set(latest.source, "sources", "release")
}

// notePackages notes releases that seem to be later than the latest that is known, if the registry
// does not state their day or earlier versions, or if no release is known.
func (p *plan) notePackages(a *answers, latest *latestRelease) {
	for i := range a.packages {
		r := &a.packages[i]
		if r.Version == "" || latest.Release != nil && r.Date != "" && len(r.versions) > 0 {
			continue // there is none, or chooseRelease could decide
		}
		known := "unknown"
		if latest.Release != nil {
			if r.Date != "" && r.Date < latest.Date || !r.isHigher(latest.Version) {
				continue
			}
			known = latest.Version
		}
		p.note("release is %s, but %s has %s: if that is a later release of the tool, write it and its day", known,
			r.Package, r.Version)
	}
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
