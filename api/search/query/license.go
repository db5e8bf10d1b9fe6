package query

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/spdx"
)

// licenseNames holds the licences that listings have, by their spelling.
type licenseNames []licenseName

type licenseName struct {
	spelling []string // see spdx.Spelling
	name     string   // a value of the parameter license
	isFamily bool     // GPL-3.0 for GPL-3.0-only and GPL-3.0-or-later
}

// newLicenseNames returns the names of the licences of listings. Expressions of several licences are left out.
func newLicenseNames(values []index.FacetValue) (list licenseNames) {
	for i := range values {
		e, ok := spdx.Parse(values[i].Value)
		if !ok {
			continue
		}
		id, ok := e.SingleID()
		if !ok {
			continue
		}
		list = append(list, licenseName{spdx.Spelling(id), id, false})
		family := id[:len(e.Licenses[0].Family())]
		if family != id && !slices.ContainsFunc(list, func(l licenseName) bool { return l.name == family }) {
			list = append(list, licenseName{spdx.Spelling(family), family, true})
		}
	}
	return list
}

// read returns the licence that a text is a spelling of, or "" if there is none, or more than one.
func (list licenseNames) read(text string) (name string) {
	spelling := spdx.Spelling(text)
	for i := range list {
		if l := &list[i]; len(spelling) > 0 && slices.Equal(l.spelling, spelling) {
			if name != "" {
				return ""
			}
			name = l.name
		}
	}
	return name
}

// near returns the licences of which a text may have the beginning, such as GPL-3.0-only for "GPL", or else those
// that begin with the same word.
func (list licenseNames) near(text string) (names []string) {
	spelling := spdx.Spelling(text)
	for n := len(spelling); n > 0 && len(names) == 0; n = min(n-1, 1) {
		for i := range list {
			l := &list[i]
			if !l.isFamily && len(l.spelling) >= n && slices.Equal(l.spelling[:n], spelling[:n]) {
				names = append(names, l.name)
			}
		}
	}
	return names
}

// readLicense returns the licence that a value of the parameter license means, whose spelling may be another. ok is
// false if no listing has it.
func (e *Engine) readLicense(value string) (license string, ok bool) {
	if _, ok := e.Terms.Find(index.LicenseTerm(value)); ok {
		return value, true
	}
	license = e.licenses.read(value)
	return license, license != ""
}

// checkLicenses adds warnings about licences that were taken for others, and about those that no listing has.
func (a *answer) checkLicenses(e *Engine, values []string) {
	var unknown, near []string
	for _, value := range values {
		switch license, ok := e.readLicense(value); {
		case !ok:
			unknown = append(unknown, value)
			near = append(near, e.licenses.near(value)...)
		case license != value:
			a.warn(api.WarnLicenseRead, "license", value+" was read as "+license+".")
		}
	}
	if len(unknown) == 0 {
		return
	}
	message := "No listing has the licence " + strings.Join(unknown, ", ") + "."
	if len(near) > 0 {
		slices.Sort(near)
		message += " Licences of listings: " + strings.Join(slices.Compact(near), ", ") + "."
	}
	a.warn(api.WarnUnknownLicense, "license", message)
}
