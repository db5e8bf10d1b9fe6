package refresh

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/osv"
)

// comparedVersion returns the listing's release as packages of an ecosystem number it. It is nil if there is none, or
// if it cannot be compared with the versions of packages.
func comparedVersion(l *api.ProjectDetail, ecosystem string) *string {
	if l.Release == nil || !isRelease(l.Release.Version) {
		return nil
	}
	version := l.Release.Version
	if ecosystem != "Go" {
		version = strings.TrimPrefix(version, "v")
	}
	return &version
}

// sameNumbers reports whether the release of a listing is known to be one of the package: a package may have its own
// numbering, as clients of a tool often do. It is known if the release was read from the package's registry, or if the
// package is a Go module at the top of the repository, whose versions are the tags there. name is that of the package
// in an advisory: of Go, that is the module.
func sameNumbers(l *api.ProjectDetail, p Package, name string) bool {
	if p.Registry.ecosystem == "Go" { // another module above the package has its own versions
		return strings.EqualFold("https://"+majorVersion.ReplaceAllString(name, ""), l.RepositoryURL)
	}
	source := l.Sources["release"]
	if strings.HasPrefix(source, p.Registry.Name+" API ") { // this does not say which package was read
		return len(FindPackages([]Registry{*p.Registry}, l.InstallLinks)) == 1
	}
	address, _, _ := strings.Cut(source, " ")
	for kind := range api.Registries {
		if p.Registry.find(&api.InstallLink{Kind: kind, URL: address}) == p.Name {
			return true
		}
	}
	return false
}

// fixedIn returns the versions in which a vulnerability is fixed.
func fixedIn(a *osv.Affected) (list []string) {
	for _, r := range a.Ranges {
		for _, e := range r.Events {
			if r.Type != "GIT" && content.IsPackageVersion(e.Fixed) {
				list = append(list, e.Fixed)
			}
		}
	}
	return list
}

// isAffected decides whether a version is affected, as https://ossf.github.io/osv-schema/#evaluation says; nil if that
// is not known, because the version is not known to be numbered as the package is, or cannot be compared.
func isAffected(a *osv.Affected, version *string, isNumbered bool) *bool {
	if version == nil || !isNumbered {
		return nil
	}
	var found []*bool
	if len(a.Versions) > 0 {
		isVersion := func(v string) bool { return strings.TrimPrefix(v, "v") == strings.TrimPrefix(*version, "v") }
		found = append(found, new(slices.ContainsFunc(a.Versions, isVersion)))
	}
	for i := range a.Ranges {
		if a.Ranges[i].Type != "GIT" { // commits, which say nothing of versions
			found = append(found, inRange(&a.Ranges[i], *version))
		}
	}
	return mostUrgent(found)
}

// mostUrgent returns the most urgent of some answers to whether a version is affected; nil if there are none.
func mostUrgent(answers []*bool) *bool {
	if len(answers) == 0 {
		return nil
	}
	return slices.MaxFunc(answers, func(a, b *bool) int { return urgency(a) - urgency(b) })
}

// urgency orders answers: yes before unknown before no.
func urgency(affected *bool) int {
	switch {
	case affected == nil:
		return 1
	case *affected:
		return 2
	}
	return 0
}

// inRange decides whether a version is in a range: the last event up to it begins the range.
func inRange(r *osv.Range, version string) *bool {
	begins := func(e osv.Event) bool { return e.Introduced != "" }
	if r.Type != "SEMVER" && r.Type != "ECOSYSTEM" || !slices.ContainsFunc(r.Events, begins) {
		return nil
	}
	last, within := "", false
	for _, e := range r.Events {
		if e.Limit == "*" { // infinity
			continue
		}
		at := cmp.Or(e.Introduced, e.Fixed, e.LastAffected, e.Limit)
		order, ok := compareWithEvent(version, at)
		if !ok {
			return nil
		}
		if order < 0 || order == 0 && e.LastAffected != "" {
			continue
		}
		if order, ok = compareWithEvent(at, cmp.Or(last, at)); !ok {
			return nil
		}
		if order >= 0 {
			last, within = at, begins(e)
		}
	}
	return &within
}

// compareWithEvent compares a version with that of an event. ok is false unless both are numbers, perhaps with the mark
// of a pre-release: other versions are ordered by rules of their ecosystem.
func compareWithEvent(version, event string) (order int, ok bool) {
	version, _, _ = strings.Cut(version, "+") // what follows does not count in an order of versions
	event, _, _ = strings.Cut(event, "+")
	_, mark := splitVersion(version)
	_, markOfEvent := splitVersion(event)
	order, ok = compareVersions(version, event)
	if ok = ok && isPlain(mark) && isPlain(markOfEvent); !ok || order != 0 || mark == markOfEvent {
		return order, ok
	}
	return min(len(markOfEvent), 1) - min(len(mark), 1), mark == "" || markOfEvent == ""
}

// isPlain reports whether nothing but the mark of a pre-release follows the numbers of a version. A hyphen and a
// number are a later release at PyPI.
func isPlain(rest string) bool {
	mark, isMarked := strings.CutPrefix(rest, "-")
	return rest == "" || preRelease.MatchString(rest) || isMarked && strings.Trim(mark, "0123456789") != ""
}
