package content

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api/spdx"
	"catalog.example/generator/rule"
	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"
)

// maxLicense is the maximum length of a licence expression, in characters. Its slug is the name of
// a folder, in which each "+" (at most 15) becomes "-plus". File systems allow names of at most 255
// bytes.
const maxLicense = 120

// license checks the licence. It returns whether the Open Source Initiative approves it, according
// to the SPDX list. If the licence is not in that list, the listing decides.
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

var (
	//go:embed licence_names.txt
	gitHubText string
	//go:embed licence_successors.txt
	successorsText string

	gitHubNames = pairs(gitHubText)
	successors  = pairs(successorsText)
)

// pairs returns the lines of the form "key = value" in a text as a map.
func pairs(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			values[key] = value
		}
	}
	return values
}

// osiText lists the licences that the Open Source Initiative approves, according to the SPDX list
// in go-spdx. `make licences` writes it.
//
//go:embed osi.txt
var osiText string

var osiLicenses = strings.Fields(osiText)

// readLicense returns the SPDX expression that a given licence means, and advice on how to write
// the licence better, or "".
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
			" does not say whether later versions may be used: add -only or -or-later to the version, if the " +
			"makers say which"
	case expression != written:
		return expression, fmt.Sprintf("%s is read as %s: write that", quote(written), expression)
	}
	return expression, ""
}

// LicenseNamed returns the SPDX expression that a text means: an expression in any case, or a common name
// such as "MIT License" or "GPLv3". A name of a GNU licence that does not say whether later versions may be
// used becomes the identifier that does not say it either, such as GPL-3.0. wrong says why the text means
// no licence, or is "".
func LicenseNamed(text string) (expression, wrong string) {
	expression, _ = readLicense(strings.Join(strings.Fields(text), " "))
	if parsed, ok := spdx.Parse(expression); ok {
		for i, word := range parsed.Tokens {
			id, later := strings.CutSuffix(word, "+")
			if parsed.Tokens[i] = listedSpelling(id); later {
				parsed.Tokens[i] += "+"
			}
		}
		expression = strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(parsed.Tokens, " "))
		expression, _ = readLicense(expression)
	}
	if wrong = licenseProblem(expression); wrong == "" {
		return expression, ""
	}
	var meant []string
	if !strings.ContainsAny(text, ",;/|") { // a list of licences is not one licence
		meant = likelyLicenses(text)
	}
	if after, deprecated := LicenseSuccessors(expression); deprecated {
		meant = after
	}
	if len(meant) > 1 {
		meant = []string{strings.TrimSuffix(meant[0], "-only")}
	}
	if len(meant) == 1 && licenseProblem(meant[0]) == "" {
		return meant[0], ""
	}
	return "", wrong
}

// notListed reports whether a licence is neither in the SPDX list nor a LicenseRef-…. The argument
// is always a single licence that [spdx.Parse] has accepted, because the parser of go-spdx panics
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

// ListedLicense returns a licence, even a deprecated one, in the spelling of the SPDX list, or ""
// if the list does not contain it.
func ListedLicense(id string) string {
	if ok, listed := spdxlicenses.IsActiveLicense(id); ok {
		return listed
	}
	if ok, listed := spdxlicenses.IsDeprecatedLicense(id); ok {
		return listed
	}
	return ""
}

// listedSpelling returns a licence or exception in the spelling of the SPDX list, an operator in
// upper case, and any other word unchanged. SPDX ignores case (SPDX 2.3, annex D), but pages always
// use the same spelling.
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

// LicenseSuccessors reports whether an identifier, with or without a "+", is deprecated in the SPDX
// list, and returns the identifiers that replace it.
func LicenseSuccessors(word string) (list []string, deprecated bool) {
	id, later := strings.CutSuffix(word, "+")
	if ok, _ := spdxlicenses.IsDeprecatedLicense(word); !ok {
		if ok, _ := spdxlicenses.IsDeprecatedLicense(id); !ok {
			return nil, false
		}
	}
	if other, ok := successors[id]; ok {
		return []string{other}, true
	}
	for _, suffix := range []string{"-only", "-or-later"} {
		if ok, _ := spdxlicenses.IsActiveLicense(id + suffix); ok && (!later || suffix == "-or-later") {
			list = append(list, id+suffix)
		}
	}
	return list, true
}

// likelyLicenses suggests identifiers for a common name of a licence: "Apache 2.0", "GPLv3", "MIT
// License".
func likelyLicenses(expression string) []string {
	spelling := spdx.Spelling(expression)
	if len(spelling) == 0 || utf8.RuneCountInString(expression) > maxLicense {
		return nil
	}
	if strings.Join(spelling, " ") == "cc 0" {
		spelling = append(spelling, "1") // there is only one
	}
	for _, id := range slices.Concat(spdxlicenses.GetLicenses(), spdxlicenses.GetDeprecated()) {
		if slices.Equal(spdx.Spelling(id), spelling) {
			if after, deprecated := LicenseSuccessors(id); deprecated {
				return after
			}
			return []string{id}
		}
	}
	return nil
}

// osiApproved returns whether the Open Source Initiative approves a valid licence expression,
// according to the SPDX list. It returns nil if that is unknown, for example for a LicenseRef-…. In
// "licence WITH exception", only the licence matters, because exceptions only add permissions.
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
