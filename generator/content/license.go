package content

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api/spdx"
	"catalog.example/generator/rule"
	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"
)

// maxLicense bounds a licence expression. Its slug is the name of a folder, in which each "+" (at
// most 15) becomes "-plus". The name must stay below the 255 bytes that file systems allow.
const maxLicense = 120

// license checks the licence. It returns whether the Open Source Initiative approves it, according
// to the SPDX list, or to the listing if the licence is not in that list.
func (k *listingCheck) license() (approved *bool) {
	given := k.f.OSIApproved
	if k.f.License == nil {
		return given
	}
	expression, remark := readLicense(*k.f.License)
	if k.f.License = &expression; remark != "" {
		k.add(rule.LicenseName, at("license"), "%s", remark)
	}
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
		k.fail(at("osiApproved"),
			"%t contradicts the SPDX list, which says that the Open Source Initiative %s %s: remove the key, which "+
				"is for licences that are not in the list, or write the makers' own terms as LicenseRef-…", *given,
			verb, expression)
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
		return quote(expression) + " is not an SPDX licence expression" + hint +
			"; see https://spdx.org/licenses/, or write LicenseRef-… for other terms"
	}
	for _, word := range parsed.Tokens {
		id := strings.TrimSuffix(word, "+")
		if listed := listedSpelling(id); listed != id {
			return quote(id) + " is written " + quote(listed) + " in the SPDX list"
		}
		if after, deprecated := LicenseSuccessors(word); deprecated && !isGNU(word) {
			if len(after) == 0 {
				return quote(word) +
					" is deprecated in the SPDX list: see https://spdx.org/licenses/ for what to write now"
			}
			return quote(word) + " is deprecated in the SPDX list: write " + strings.Join(after, " or ")
		}
	}
	return ""
}

// isGNU reports whether an identifier of a GNU licence is deprecated because it does not say
// whether later versions may be used (GPL-3.0), or says so in an outdated way (GPL-3.0+).
func isGNU(word string) bool {
	id := strings.TrimSuffix(word, "+")
	only, _ := spdxlicenses.IsActiveLicense(id + "-only")
	later, _ := spdxlicenses.IsActiveLicense(id + "-or-later")
	return only && later
}

// readLicense returns the expression that a licence means, and a remark on how to write it better,
// or "".
func readLicense(written string) (expression, remark string) {
	expression = written
	if id, known := gitHubNames[strings.ToLower(written)]; known {
		expression = id
	}
	parsed, _ := spdx.Parse(expression)
	open := false
	for _, word := range parsed.Tokens {
		if id, later := strings.CutSuffix(word, "+"); later && isGNU(word) {
			expression = strings.ReplaceAll(expression, word, id+"-or-later")
		} else {
			open = open || isGNU(word)
		}
	}
	switch {
	case open:
		return expression, quote(written) +
			" does not say whether later versions may be used: write -only or -or-later behind the version, if the " +
			"makers say which"
	case expression != written:
		return expression, fmt.Sprintf("%s is read as %s: write that", quote(written), expression)
	}
	return expression, ""
}

// gitHubNames are the names, in lower case, by which GitHub shows licences, with their
// identifiers (https://choosealicense.com/appendix/).
var gitHubNames = map[string]string{
	"academic free license v3.0": "AFL-3.0", "apache license 2.0": "Apache-2.0", "artistic license 2.0": "Artistic-2.0",
	"blue oak model license 1.0.0": "BlueOak-1.0.0", "boost software license 1.0": "BSL-1.0",
	`bsd 2-clause "simplified" license`: "BSD-2-Clause", `bsd 3-clause "new" or "revised" license`: "BSD-3-Clause",
	"bsd 3-clause clear license":               "BSD-3-Clause-Clear",
	`bsd 4-clause "original" or "old" license`: "BSD-4-Clause", "bsd zero clause license": "0BSD",
	"bsd-2-clause plus patent license":                           "BSD-2-Clause-Patent",
	"cecill free software license agreement v2.1":                "CECILL-2.1",
	"creative commons attribution 4.0 international":             "CC-BY-4.0",
	"creative commons attribution share alike 4.0 international": "CC-BY-SA-4.0",
	"creative commons zero v1.0 universal":                       "CC0-1.0",
	"do what the f*ck you want to public license":                "WTFPL", "eclipse public license 1.0": "EPL-1.0",
	"eclipse public license 2.0":         "EPL-2.0",
	"educational community license v2.0": "ECL-2.0", "european union public license 1.1": "EUPL-1.1",
	"european union public license 1.2":      "EUPL-1.2",
	"gnu affero general public license v3.0": "AGPL-3.0", "gnu free documentation license v1.3": "GFDL-1.3",
	"gnu general public license v2.0": "GPL-2.0",
	"gnu general public license v3.0": "GPL-3.0", "gnu lesser general public license v2.1": "LGPL-2.1",
	"gnu lesser general public license v3.0": "LGPL-3.0",
	"isc license":                            "ISC", "latex project public license v1.3c": "LPPL-1.3c",
	"microsoft public license": "MS-PL", "microsoft reciprocal license": "MS-RL",
	"mit license": "MIT", "mit no attribution": "MIT-0", "mozilla public license 2.0": "MPL-2.0",
	"mulan permissive software license, version 2": "MulanPSL-2.0",
	"open data commons open database license v1.0": "ODbL-1.0", "open software license 3.0": "OSL-3.0",
	"postgresql license": "PostgreSQL", "sil open font license 1.1": "OFL-1.1",
	"the unlicense": "Unlicense", "universal permissive license v1.0": "UPL-1.0",
	"university of illinois/ncsa open source license": "NCSA", "vim license": "Vim", "zlib license": "Zlib",
}

// notListed reports whether a licence is neither in the SPDX list nor a LicenseRef-…. It passes
// only single licences that [spdx.Parse] accepts to go-spdx, because the parser of go-spdx panics
// on unclosed brackets and on a DocumentRef-… without a LicenseRef-….
func notListed(l spdx.License) bool {
	if l.IsRef() && l.Exception != "" { // go-spdx does not accept this combination
		listed, _ := spdxlicenses.IsException(l.Exception)
		l.Exception = ""
		return !listed || notListed(l)
	}
	ok, _ := spdxexp.ValidateLicenses([]string{l.String()})
	return !ok
}

// ListedLicense returns a licence as the SPDX list spells it, even if it is deprecated, or "" if it
// is not in the list.
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
	"eCos-2.0":                         "GPL-2.0-or-later WITH eCos-exception-2.0",
	"wxWindows":                        "LGPL-2.0-or-later WITH WxWindows-exception-3.1",
	"GPL-2.0-with-GCC-exception":       "GPL-2.0-or-later WITH GCC-exception-2.0",
	"GPL-2.0-with-autoconf-exception":  "GPL-2.0-or-later WITH Autoconf-exception-2.0",
	"GPL-2.0-with-bison-exception":     "GPL-2.0-or-later WITH Bison-exception-2.2",
	"GPL-2.0-with-classpath-exception": "GPL-2.0-only WITH Classpath-exception-2.0",
	"GPL-2.0-with-font-exception":      "GPL-2.0-only WITH Font-exception-2.0",
	"GPL-3.0-with-GCC-exception":       "GPL-3.0-only WITH GCC-exception-3.1",
	"GPL-3.0-with-autoconf-exception":  "GPL-3.0-only WITH Autoconf-exception-3.0",
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
// according to the SPDX list. It returns nil if that is unknown, for example for a LicenseRef-….
// Exceptions only add permissions, so for "licence WITH exception" the licence decides.
func osiApproved(expression string) *bool {
	e, _ := spdx.Parse(expression)
	approved := e.Judge(func(l spdx.License) spdx.Truth {
		id := strings.TrimSuffix(l.ID, "+")
		if isGNU(id) {
			id += "-only"
		}
		switch ok, id := spdxlicenses.IsActiveLicense(id); {
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
