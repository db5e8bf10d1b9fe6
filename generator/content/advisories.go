package content

import (
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
)

var advisoryID = regexp.MustCompile(api.AdvisoryIDPattern)

// IsAdvisoryID reports whether a text may be the identifier of an advisory.
func IsAdvisoryID(id string) bool { return advisoryID.MatchString(id) && len(id) <= maxName }

// advisories checks what the listing tells of the advisories of its packages. catalog refresh writes it.
func (k *listingCheck) advisories() {
	a := k.f.Advisories
	if a == nil || !k.Has(api.AdvisoriesKey) {
		return
	}
	if len(a.Read) == 0 && !k.undecodedAt(api.AdvisoriesKey) {
		k.fail(at(api.AdvisoriesKey, "read"), "is empty: name the packages whose advisories were read, or write null "+
			"for %s", api.AdvisoriesKey)
	}
	for i := range a.Read {
		p := &a.Read[i]
		path := func(key string) []any { return at(api.AdvisoriesKey, "read", i, key) }
		k.advisedPackage(p.Ecosystem, p.Package, path)
		k.requiredDate(p.AsOf, path("asOf"))
		k.optional(p.CheckedVersion, path("checkedVersion")...)
		switch n := len(a.Of(p)); {
		case p.Package == "":
		case a.ReadOf(p.Ecosystem, p.Package) != p:
			k.fail(path("package"), "%s is in the list twice: remove one of them", quote(p.Package))
		case p.Total < n || n > api.MaxAdvisories || p.Total > n && n < api.MaxAdvisories:
			k.fail(path("total"), "%d does not fit the %d advisories in known, which names all of them, or %d: run "+
				"catalog refresh --advisories again", p.Total, n, api.MaxAdvisories)
		}
	}
	for i := range a.Known {
		k.advisory(a, i)
	}
}

// advisory checks one of the known advisories.
func (k *listingCheck) advisory(a *api.Advisories, i int) {
	known := &a.Known[i]
	path := func(key string) []any { return at(api.AdvisoriesKey, "known", i, key) }
	k.advisedPackage(known.Ecosystem, known.Package, path)
	switch {
	case !IsAdvisoryID(known.ID):
		k.fail(path("id"), "%s is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx: write it as OSV does",
			quote(known.ID))
	case slices.ContainsFunc(a.Known[:i], func(other api.Advisory) bool {
		return other.ID == known.ID && other.Ecosystem == known.Ecosystem && other.Package == known.Package
	}):
		k.fail(path("id"), "%s is in the list twice: remove one of them", quote(known.ID))
	case known.Package != "" && a.ReadOf(known.Ecosystem, known.Package) == nil:
		k.fail(path("package"), "%s is not in read: add it there, or remove the advisory", quote(known.Package))
	}
	k.optional(known.Summary, path("summary")...)
	if known.Severity != nil {
		k.oneOf(*known.Severity, api.Severities, path("severity")...)
	}
	k.date(known.Published, path("published")...)
	k.requiredDate(known.Modified, path("modified"))
	k.distinct(known.Fixed, path("fixed")...)
}

// advisedPackage checks the ecosystem and the name of a package. path extends the path of the entry.
func (k *listingCheck) advisedPackage(ecosystem, name string, path func(key string) []any) {
	k.oneOf(ecosystem, api.Ecosystems, path("ecosystem")...)
	if strings.TrimSpace(name) == "" {
		k.fail(path("package"), "is missing: write the name of the package")
		return
	}
	k.failIf(textProblem(name, maxShort), path("package")...)
}

// requiredDate checks a date that must be present.
func (k *listingCheck) requiredDate(day api.Date, path []any) {
	if day == "" {
		k.fail(path, "is missing: write the day as YYYY-MM-DD")
		return
	}
	k.date(&day, path...)
}
