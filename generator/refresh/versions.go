package refresh

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
)

// releaseVersion matches the version of a release in a registry. A pre-release, such as 1.0.0-rc.1,
// 1.0rc1 or a pseudo-version of Go, does not match.
var releaseVersion = regexp.MustCompile(`^v?[0-9]+(?:\.[0-9]+)*(?:\.post[0-9]+)?$`)

func isRelease(version string) bool { return releaseVersion.MatchString(version) }

// releases returns the versions of releases.
func releases(versions []string) []string {
	return slices.DeleteFunc(versions, func(version string) bool { return !isRelease(version) })
}

// numbered matches the numbers of a version, which a prefix may precede: 1.2.3, v1.2.3, name-v1.2.3,
// @scope/name@1.2.3.
var numbered = regexp.MustCompile(`(?:^|[^0-9A-Za-z.]|^[vV]|[^0-9A-Za-z][vV])([0-9]+(?:\.[0-9]+)*)`)

// splitVersion returns the numbers of a version without zeros at their end, and what follows them.
// The numbers are nil if the version has none.
func splitVersion(version string) (numbers []int, rest string) {
	m := numbered.FindStringSubmatchIndex(version)
	if m == nil {
		return nil, ""
	}
	for part := range strings.SplitSeq(version[m[2]:m[3]], ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, "" // too large
		}
		numbers = append(numbers, n)
	}
	for len(numbers) > 1 && numbers[len(numbers)-1] == 0 {
		numbers = numbers[:len(numbers)-1]
	}
	return numbers, version[m[3]:]
}

// compareVersions compares the numbers of two versions. ok is false if one of them has none.
func compareVersions(a, b string) (order int, ok bool) {
	x, _ := splitVersion(a)
	y, _ := splitVersion(b)
	return slices.Compare(x, y), x != nil && y != nil
}

// preRelease matches what follows the numbers of a pre-release.
var preRelease = regexp.MustCompile(`(?i)^(?:[-._]?(?:alpha|beta|pre|preview|rc|dev)[-._0-9]*|[ab][0-9]+)$`)

func isPreRelease(version string) bool {
	_, rest := splitVersion(version)
	return preRelease.MatchString(rest)
}

// highest returns the highest of some versions, or "" if there is none. Of 1.2 and 1.2.0, which are
// equal, it returns the longer: images often have both.
func highest(versions []string) string {
	best := ""
	for _, v := range versions {
		order, ok := compareVersions(v, best)
		if best == "" || ok && (order > 0 || order == 0 && len(v) > len(best)) {
			best = v
		}
	}
	return best
}

// sameReleaseDays is how many days apart two services may publish the same release.
const sameReleaseDays = 7

// isSameRelease reports whether two services name the same release: their versions differ in the
// prefix at most, and their days by less than a week.
func isSameRelease(a, b *api.Release) bool {
	x, restOfX := splitVersion(a.Version)
	y, restOfY := splitVersion(b.Version)
	if a.Version != b.Version && (x == nil || !slices.Equal(x, y) || restOfX != restOfY) {
		return false
	}
	if a.Date == b.Date {
		return true
	}
	s, errS := time.Parse(time.DateOnly, string(a.Date))
	t, errT := time.Parse(time.DateOnly, string(b.Date))
	return errS == nil && errT == nil && s.Sub(t).Abs() < sameReleaseDays*24*time.Hour
}
