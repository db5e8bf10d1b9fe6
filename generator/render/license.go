package render

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/labels"
)

// What a family of licences allows, in a sentence, after the licence texts and
// choosealicense.com. The sentences help to choose; they are not legal advice.
const (
	permissive = "Use, change and sell it, and build it into other products, even closed ones; keep the " +
		"licence notice."
	patents = "Use, change and sell it, and build it into other products, even closed ones; keep the " +
		"notices. Patent rights are granted."
	weakCopyleft = "Use it anywhere, even beside closed code; changes to its own files must be shared under " +
		"the same licence."
	library = "Use it anywhere, even linked from closed programs; changes to it must be shared under " +
		"the same licence."
	copyleft = "Use and change it freely; if you pass on a changed version, pass on its source under " +
		"the same licence."
	network = "Use and change it freely; if you pass on a changed version, or offer it over a network, " +
		"offer its source under the same licence."
	dedicated     = "Do what you want with it, without conditions."
	nonCommercial = "Share and change it with credit, but not for commercial purposes."
	credited      = "Share and change it for any purpose, with credit."
	businessTerms = "Read and change the source; its terms limit use in production until it becomes open " +
		"source later."
	noService  = "Use and change it, even at work; do not offer it to others as a hosted service."
	listed     = "A licence of the SPDX list that is not summed up here: read its text to see what it allows."
	ownTerms   = "Its makers' own terms: read them before you build on it."
	mixedTerms = "Several licences, with a choice between some: read how they combine before you build on it."
	noLicense  = "Unknown. Without a licence nobody may copy or change the code: ask its makers."
)

// licenseTerms maps SPDX identifiers to what they allow.
var licenseTerms = map[string]string{
	"MIT": permissive, "BSD-2-Clause": permissive, "BSD-3-Clause": permissive, "ISC": permissive,
	"PostgreSQL": permissive, "Zlib": permissive, "BSL-1.0": permissive, "PSF-2.0": permissive,
	"Apache-2.0": patents, "MulanPSL-2.0": patents,
	"MPL-2.0": weakCopyleft, "EPL-2.0": weakCopyleft,
	"LGPL-2.1-only": library, "LGPL-2.1-or-later": library, "LGPL-3.0-only": library, "LGPL-3.0-or-later": library,
	"GPL-2.0-only": copyleft, "GPL-2.0-or-later": copyleft, "GPL-3.0-only": copyleft, "GPL-3.0-or-later": copyleft,
	"AGPL-3.0-only": network, "AGPL-3.0-or-later": network,
	"Unlicense": dedicated, "CC0-1.0": dedicated, "0BSD": dedicated, "WTFPL": dedicated,
	"CC-BY-NC-4.0": nonCommercial, "CC-BY-NC-SA-4.0": nonCommercial, "CC-BY-4.0": credited,
	"BUSL-1.1": businessTerms, "FSL-1.1-MIT": businessTerms, "FSL-1.1-Apache-2.0": businessTerms,
	"Elastic-2.0": noService,
	"SSPL-1.0":    "Use and change it; if you offer it as a service, publish the source of the whole service.",
}

// LicenseSentence says what a listing's licence expression allows.
func (w *Words) LicenseSentence(p *api.Project) string {
	if p.License == nil {
		return w.T(noLicense)
	}
	e, ok := spdx.Parse(*p.License)
	together, choice := e.Has(spdx.And), e.Has(spdx.Or)
	switch {
	case !ok: // lint refuses it
		return w.T(ownTerms)
	case together && choice:
		return w.T(mixedTerms)
	case together:
		return w.T("Different parts have different licences:") + " " + w.licenseSentences(e.Licenses)
	case choice:
		return w.T("Choose one of these:") + " " + w.licenseSentences(e.Licenses)
	}
	return w.singleSentence(e.Licenses[0])
}

// licenseSentences says what each licence allows.
func (w *Words) licenseSentences(licenses []spdx.License) string {
	var parts []string
	for _, l := range licenses {
		s := w.singleSentence(l)
		parts = append(parts, l.String()+": "+LowerFirst(strings.TrimSuffix(s, ".")))
	}
	return strings.Join(parts, "; ") + "."
}

// singleSentence says what a licence allows, with or without an exception.
func (w *Words) singleSentence(l spdx.License) string {
	s, ok := licenseTerms[l.ID]
	switch {
	case !ok && l.IsRef():
		return w.T(ownTerms)
	case !ok:
		return w.T(listed)
	case l.Exception != "":
		return w.T(s) + " " + w.T("An exception widens this.")
	}
	return w.T(s)
}

// licenseRef matches terms that are not in SPDX's list.
var licenseRef = regexp.MustCompile(spdx.RefPrefix + `[^\s()]+`)

// LicenseName returns an expression as pages show it. Terms that are not in SPDX's list are
// in words: "Open WebUI licence (custom)" for "LicenseRef-Open-WebUI".
func (w *Words) LicenseName(expression string) string { return licenseName(w.Labels, expression) }

func licenseName(l *labels.Labels, expression string) string {
	return licenseRef.ReplaceAllStringFunc(expression, func(ref string) string {
		text := strings.ReplaceAll(strings.TrimPrefix(ref, spdx.RefPrefix), "-", " ")
		if strings.HasSuffix(text, " License") {
			return l.Text("{licence} (custom)", "licence", text)
		}
		return l.Text("{licence} licence (custom)", "licence", text)
	})
}

// LicenseSlug returns the slug of a licence expression: "mit-or-apache-2-0" for
// "MIT OR Apache-2.0".
func LicenseSlug(expression string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(strings.ToLower(expression), "+", "-plus") {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// LowerFirst returns a text with a lower-case first letter.
func LowerFirst(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:n]) + text[n:]
}

// SufficientLicenses returns the values of the filter license that find a listing.
func SufficientLicenses(p *api.Project) (list []string) {
	if p.License == nil {
		return nil
	}
	e, _ := spdx.Parse(*p.License)
	for _, l := range e.Sufficient() {
		list = append(list, l.String())
	}
	return list
}
