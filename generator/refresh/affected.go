package refresh

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/osv"
)

// verdict says whether an advisory affects a version.
type verdict int

const (
	isUndecided verdict = iota
	isAffected
	isUnaffected
)

// comparedVersion returns the listing's release as packages number it, if it can be compared with the versions of a
// package at all.
func comparedVersion(l *api.ProjectDetail, p Package) *string {
	if l.Release == nil || !isRelease(l.Release.Version) {
		return nil
	}
	version := l.Release.Version
	if p.Registry.ecosystem != "Go" {
		version = strings.TrimPrefix(version, "v")
	}
	return &version
}

// sameNumbers reports whether the release of a listing is known to be one of the package: the package may have its
// own numbering, as clients of a tool often do. It is known if the release was read from the package's registry, or if
// the package is in a Go module at the top of the repository, whose versions are the tags there. name is that of the
// package in an advisory: of Go, that is the module.
func sameNumbers(l *api.ProjectDetail, p Package, name string) bool {
	source := l.Sources["release"]
	if strings.HasPrefix(source, p.Registry.Name+" API ") {
		return true
	}
	address, _, _ := strings.Cut(source, " ")
	for kind := range api.Registries {
		if p.Registry.find(&api.InstallLink{Kind: kind, URL: address}) == p.Name {
			return true
		}
	}
	if majorVersion.MatchString(path.Base(name)) {
		name = path.Dir(name)
	}
	return p.Registry.ecosystem == "Go" && strings.EqualFold("https://"+name, l.RepositoryURL)
}

// fixedIn returns the versions in which a vulnerability is fixed.
func fixedIn(a *osv.Affected) (list []string) {
	for _, r := range a.Ranges {
		for _, e := range r.Events {
			if r.Type != "GIT" && e.Fixed != "" && content.IsShortLine(e.Fixed) {
				list = append(list, e.Fixed)
			}
		}
	}
	return list
}

// verdictOf decides whether a version is affected, as https://ossf.github.io/osv-schema/#evaluation says. isNumbered
// reports whether the version is known to be one of the package. If it is not, it has to be among the versions that the
// advisory names.
func verdictOf(a *osv.Affected, version *string, isNumbered bool) verdict {
	if version == nil {
		return isUndecided
	}
	for _, v := range a.Versions {
		if strings.TrimPrefix(v, "v") == strings.TrimPrefix(*version, "v") {
			return isAffected
		}
	}
	if !isNumbered || len(a.Versions)+len(a.Ranges) == 0 {
		return isUndecided
	}
	decided := isUnaffected
	for i := range a.Ranges {
		switch verdict := inRange(&a.Ranges[i], *version); {
		case a.Ranges[i].Type == "GIT" && len(a.Versions)+len(a.Ranges) > 1: // the versions or other ranges say the same
		case verdict == isAffected:
			return isAffected
		case verdict == isUndecided:
			decided = isUndecided
		}
	}
	return decided
}

// inRange decides whether a range has a version.
func inRange(r *osv.Range, version string) verdict {
	if r.Type != "SEMVER" && r.Type != "ECOSYSTEM" {
		return isUndecided
	}
	type change struct {
		order    int // of the version to that of the event
		affected bool
		at       string
	}
	var changes []change
	for _, e := range r.Events {
		c := change{affected: e.Introduced != "", at: cmp.Or(e.Introduced, e.Fixed, e.LastAffected, e.Limit)}
		order, ok := compareWithEvent(version, c.at)
		if !ok {
			return isUndecided
		}
		if e.LastAffected != "" && order == 0 { // the version after it is the first that is not
			order = -1
		}
		c.order = order
		changes = append(changes, c)
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		order, _ := compareWithEvent(a.at, b.at)
		return order
	})
	state := isUnaffected
	for _, c := range changes {
		switch {
		case c.order < 0:
		case c.affected:
			state = isAffected
		default:
			state = isUnaffected
		}
	}
	return state
}

// compareWithEvent compares a version with that of an event. ok is false unless both are numbers, perhaps with the mark
// of a pre-release: other versions are ordered by rules of their ecosystem.
func compareWithEvent(version, event string) (order int, ok bool) {
	version, _, _ = strings.Cut(version, "+") // what follows does not count in an order of versions
	event, _, _ = strings.Cut(event, "+")
	_, restOfVersion := splitVersion(version)
	_, rest := splitVersion(event)
	order, ok = compareVersions(version, event)
	if ok = ok && isPlain(restOfVersion) && isPlain(rest); !ok || order != 0 {
		return order, ok
	}
	switch {
	case restOfVersion == rest:
		return 0, true
	case restOfVersion == "":
		return 1, true
	case rest == "":
		return -1, true
	}
	return 0, false // two pre-releases of the same version
}

// isPlain reports whether nothing but the mark of a pre-release follows the numbers of a version. A hyphen and a
// number are a later release at PyPI.
func isPlain(rest string) bool {
	mark, isMarked := strings.CutPrefix(rest, "-")
	return rest == "" || preRelease.MatchString(rest) || isMarked && strings.Trim(mark, "0123456789") != ""
}
