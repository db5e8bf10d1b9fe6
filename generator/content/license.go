package content

import (
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api/spdx"
	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"
)

// maxLicense bounds a licence expression. Its slug is the name of a folder, in which each of
// at most 15 "+" becomes "-plus", and has to stay below the 255 bytes of file systems.
const maxLicense = 120

// license checks the licence, and returns whether the Open Source Initiative approves it:
// by the SPDX list, or by the listing for licences that are not in the list.
func (k *listingCheck) license() (approved *bool) {
	given := k.f.OSIApproved
	if k.f.License == nil {
		return given
	}
	expression := *k.f.License
	if message := licenseProblem(expression); message != "" {
		k.fail(at("license"), "%s", message)
		return given
	}
	listed := osiApproved(expression)
	switch {
	case listed == nil:
		return given
	case given != nil && *given != *listed:
		verb := "does not approve"
		if *listed {
			verb = "approves"
		}
		k.fail(at("osiApproved"), "%t contradicts the SPDX list, which says that the Open Source Initiative %s %s: remove the key, which is for licences that are not in the list, or write the makers' own terms as LicenseRef-…", *given, verb, expression)
	}
	return listed
}

// licenseProblem returns what is wrong with a licence expression, or "".
func licenseProblem(expression string) string {
	if expression == "" {
		return emptyMessage
	}
	if message := textProblem(expression, maxLicense); message != "" {
		return message
	}
	if expression != strings.Join(strings.Fields(expression), " ") {
		return quote(expression) + " has white space other than single spaces between words: remove it"
	}
	parsed, ok := spdx.Parse(expression)
	if !ok || slices.ContainsFunc(parsed.Licenses, notListed) {
		hint := ""
		if near := likelyLicenses(expression); len(near) > 0 {
			hint = " (did you mean " + strings.Join(near, " or ") + "?)"
		}
		return quote(expression) + " is not an SPDX licence expression" + hint + "; see https://spdx.org/licenses/, or write LicenseRef-… for other terms"
	}
	for _, word := range parsed.Tokens {
		id := strings.TrimSuffix(word, "+")
		if listed := listedSpelling(id); listed != id {
			return quote(id) + " is written " + quote(listed) + " in the SPDX list"
		}
		if after, deprecated := LicenseSuccessors(word); deprecated {
			if len(after) == 0 {
				return quote(word) + " is deprecated in the SPDX list: see https://spdx.org/licenses/ for what to write now"
			}
			return quote(word) + " is deprecated in the SPDX list: write " + strings.Join(after, " or ")
		}
	}
	return ""
}

// notListed reports whether a licence is neither in the SPDX list nor a LicenseRef-….
// It asks go-spdx for single licences that passed [spdx.Parse], because the parser of go-spdx
// panics on unclosed brackets and on a DocumentRef-… without a LicenseRef-….
func notListed(l spdx.License) bool {
	ok, _ := spdxexp.ValidateLicenses([]string{l.String()})
	return !ok
}

// ListedLicense returns a licence as the SPDX list spells it, also a deprecated one, or "" if
// it is not in the list.
func ListedLicense(id string) string {
	if ok, listed := spdxlicenses.IsActiveLicense(id); ok {
		return listed
	}
	if ok, listed := spdxlicenses.IsDeprecatedLicense(id); ok {
		return listed
	}
	return ""
}

// listedSpelling returns a licence or exception as the SPDX list spells it, an operator in
// upper case, and other words unchanged. SPDX ignores case (SPDX 2.3, annex D), but pages
// show one spelling.
func listedSpelling(id string) string {
	if listed := ListedLicense(id); listed != "" {
		return listed
	}
	if ok, listed := spdxlicenses.IsException(id); ok {
		return listed
	}
	if operator, ok := spdx.Operator(id); ok {
		return operator
	}
	return id
}

// replaced has the successors of deprecated identifiers that do not follow from their names
// (https://spdx.org/licenses/).
var replaced = map[string]string{
	"BSD-2-Clause-FreeBSD": "BSD-2-Clause", "BSD-2-Clause-NetBSD": "BSD-2-Clause", "Nunit": "zlib-acknowledgement",
	"StandardML-NJ": "SMLNJ", "bzip2-1.0.5": "bzip2-1.0.6",
	"eCos-2.0": "GPL-2.0-or-later WITH eCos-exception-2.0", "wxWindows": "LGPL-2.0-or-later WITH WxWindows-exception-3.1",
	"GPL-2.0-with-GCC-exception": "GPL-2.0-or-later WITH GCC-exception-2.0", "GPL-2.0-with-autoconf-exception": "GPL-2.0-or-later WITH Autoconf-exception-2.0",
	"GPL-2.0-with-bison-exception": "GPL-2.0-or-later WITH Bison-exception-2.2", "GPL-2.0-with-classpath-exception": "GPL-2.0-only WITH Classpath-exception-2.0",
	"GPL-2.0-with-font-exception": "GPL-2.0-only WITH Font-exception-2.0",
	"GPL-3.0-with-GCC-exception":  "GPL-3.0-only WITH GCC-exception-3.1", "GPL-3.0-with-autoconf-exception": "GPL-3.0-only WITH Autoconf-exception-3.0",
}

// LicenseSuccessors returns the identifiers that replace a deprecated one, with or without
// a "+", and whether it is deprecated in the SPDX list.
func LicenseSuccessors(word string) (list []string, deprecated bool) {
	id, later := strings.CutSuffix(word, "+")
	if ok, _ := spdxlicenses.IsDeprecatedLicense(word); !ok {
		if ok, _ := spdxlicenses.IsDeprecatedLicense(id); !ok {
			return nil, false
		}
	}
	if other, ok := replaced[id]; ok {
		return []string{other}, true
	}
	for _, suffix := range []string{"-only", "-or-later"} {
		if ok, _ := spdxlicenses.IsActiveLicense(id + suffix); ok && (!later || suffix == "-or-later") {
			list = append(list, id+suffix)
		}
	}
	return list, true
}

// likelyLicenses returns suggestions for common names of licences: "Apache 2.0", "GPLv3",
// "MIT License".
func likelyLicenses(expression string) []string {
	key := licenseKey(expression)
	if key == "" || utf8.RuneCountInString(expression) > maxLicense {
		return nil
	}
	for _, ids := range [][]string{spdxlicenses.GetLicenses(), spdxlicenses.GetDeprecated()} {
		for _, id := range ids {
			if k := licenseKey(id); k == key || k == key+"0" {
				if after, deprecated := LicenseSuccessors(id); deprecated {
					return after
				}
				return []string{id}
			}
		}
	}
	return nil
}

// licenseKey returns the same key for different spellings of a licence.
func licenseKey(name string) string {
	name = strings.ToLower(name)
	for _, word := range []string{"licence", "license", "version", "the ", "gnu "} {
		name = strings.ReplaceAll(name, word, "")
	}
	var key strings.Builder
	for i, r := range name {
		followed := i+1 < len(name) && name[i+1] >= '0' && name[i+1] <= '9'
		if r >= 'a' && r <= 'z' && (r != 'v' || !followed) || r >= '0' && r <= '9' || r == '+' {
			key.WriteRune(r)
		}
	}
	return key.String()
}

// osiApproved returns whether the Open Source Initiative approves a valid licence expression,
// by the SPDX list, or nil if that is unknown, as for a LicenseRef-…. Exceptions add
// permissions, so in a WITH the licence decides.
func osiApproved(expression string) *bool {
	e, _ := spdx.Parse(expression)
	approved := e.Judge(func(l spdx.License) spdx.Truth {
		switch ok, id := spdxlicenses.IsActiveLicense(strings.TrimSuffix(l.ID, "+")); {
		case !ok:
			return spdx.Unknown
		case slices.Contains(osiLicenses, id):
			return spdx.Yes
		}
		return spdx.No
	})
	if approved == spdx.Unknown {
		return nil
	}
	return new(approved == spdx.Yes)
}
