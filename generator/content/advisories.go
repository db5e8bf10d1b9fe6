package content

import (
	"regexp"

	"catalog.example/api"
)

var (
	advisoryID     = regexp.MustCompile(api.AdvisoryIDPattern)
	packageVersion = regexp.MustCompile(api.PackageVersionPattern)
)

// IsAdvisoryID reports whether a text may be the identifier of an advisory.
func IsAdvisoryID(id string) bool { return advisoryID.MatchString(id) && len(id) <= maxName }

// IsPackageVersion reports whether a text may be the version in which a vulnerability is fixed.
func IsPackageVersion(version string) bool { return packageVersion.MatchString(version) }

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
		k.oneOf(p.Ecosystem, api.Ecosystems, path("ecosystem")...)
		k.filled(p.Package, maxShort, path("package")...)
		k.requiredDate(p.AsOf, path("asOf"))
		k.optional(p.CheckedVersion, path("checkedVersion")...)
		switch n := len(a.Of(p)); {
		case p.Package == "":
		case a.ReadOf(p.Ecosystem, p.Package) != p:
			k.fail(path("package"), "%s is in the list twice: remove one of them", quote(p.Package))
		case p.Total < n:
			k.fail(path("total"), "%d is too low: known names %d", p.Total, n)
		}
	}
	for i := range a.Known {
		known := &a.Known[i]
		path := func(key string) []any { return at(api.AdvisoriesKey, "known", i, key) }
		if !IsAdvisoryID(known.ID) {
			k.fail(path("id"), "%s is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx: write it as OSV "+
				"does", quote(known.ID))
		}
		if a.ReadOf(known.Ecosystem, known.Package) == nil {
			k.fail(path("package"), "%s is not in read: add it there, or remove the advisory",
				quote(known.Ecosystem+" "+known.Package))
		}
		k.optional(known.Summary, path("summary")...)
		if known.Severity != nil {
			k.oneOf(*known.Severity, api.Severities, path("severity")...)
		}
		k.date(known.Published, path("published")...)
		k.requiredDate(known.Modified, path("modified"))
		k.distinct(known.Fixed, path("fixed")...)
		for j, version := range known.Fixed {
			if entryProblem(version) == "" && !IsPackageVersion(version) {
				k.fail(append(path("fixed"), j), "%s is not the version of a package, such as 1.2.3: write it as OSV "+
					"does", quote(version))
			}
		}
	}
}

// requiredDate checks a date that must be present.
func (k *listingCheck) requiredDate(day api.Date, path []any) {
	if day == "" {
		k.fail(path, "is missing: write the day as YYYY-MM-DD")
		return
	}
	k.date(&day, path...)
}
