package render

import (
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/labels"
)

// What a family of licences allows, in a sentence, after the licence texts and
// choosealicense.com. The sentences help to choose; they are not legal advice.
const (
	permissive    = "Use, change and sell it, and build it into other products, even closed ones; keep the licence notice."
	patents       = "Use, change and sell it, and build it into other products, even closed ones; keep the notices. Patent rights are granted."
	weakCopyleft  = "Use it anywhere, even beside closed code; changes to its own files must be shared under the same licence."
	library       = "Use it anywhere, even linked from closed programs; changes to it must be shared under the same licence."
	copyleft      = "Use and change it freely; if you pass on a changed version, pass on its source under the same licence."
	network       = "Use and change it freely; if you pass on a changed version, or offer it over a network, offer its source under the same licence."
	dedicated     = "Do what you want with it, without conditions."
	nonCommercial = "Share and change it with credit, but not for commercial purposes."
	credited      = "Share and change it for any purpose, with credit."
	businessTerms = "Read and change the source; its terms limit use in production until it becomes open source later."
	noService     = "Use and change it, even at work; do not offer it to others as a hosted service."
	listed        = "A licence of the SPDX list that is not summed up here: read its text to see what it allows."
	ownTerms      = "Its makers' own terms: read them before you build on it."
	mixedTerms    = "Several licences, with a choice between some: read how they combine before you build on it."
	noLicense     = "Unknown. Without a licence nobody may copy or change the code: ask its makers."
)

// licenseTerms maps SPDX identifiers to what they allow.
var licenseTerms = map[string]string{
	"MIT": permissive, "BSD-2-Clause": permissive, "BSD-3-Clause": permissive, "ISC": permissive, "PostgreSQL": permissive, "Zlib": permissive, "BSL-1.0": permissive, "PSF-2.0": permissive,
	"Apache-2.0": patents, "MulanPSL-2.0": patents,
	"MPL-2.0": weakCopyleft, "EPL-2.0": weakCopyleft,
	"LGPL-2.1-only": library, "LGPL-2.1-or-later": library, "LGPL-3.0-only": library, "LGPL-3.0-or-later": library,
	"GPL-2.0-only": copyleft, "GPL-2.0-or-later": copyleft, "GPL-3.0-only": copyleft, "GPL-3.0-or-later": copyleft,
	"AGPL-3.0-only": network, "AGPL-3.0-or-later": network,
	"Unlicense": dedicated, "CC0-1.0": dedicated, "0BSD": dedicated, "WTFPL": dedicated,
	"CC-BY-NC-4.0": nonCommercial, "CC-BY-NC-SA-4.0": nonCommercial, "CC-BY-4.0": credited,
	"BUSL-1.1": businessTerms, "FSL-1.1-MIT": businessTerms, "FSL-1.1-Apache-2.0": businessTerms,
	"Elastic-2.0": noService, "SSPL-1.0": "Use and change it; if you offer it as a service, publish the source of the whole service.",
}

// licenseSentence says what a listing's licence expression allows.
func (r *renderer) licenseSentence(p *api.Project) string {
	if p.License == nil {
		return r.t(noLicense)
	}
	e, ok := spdx.Parse(*p.License)
	together, choice := e.Has(spdx.And), e.Has(spdx.Or)
	switch {
	case !ok: // lint refuses it
		return r.t(ownTerms)
	case together && choice:
		return r.t(mixedTerms)
	case together:
		return r.t("Different parts have different licences:") + " " + r.licenseSentences(e.Licenses)
	case choice:
		return r.t("Choose one of these:") + " " + r.licenseSentences(e.Licenses)
	}
	return r.singleSentence(e.Licenses[0])
}

// licenseSentences says what each licence allows.
func (r *renderer) licenseSentences(licenses []spdx.License) string {
	var parts []string
	for _, l := range licenses {
		s := r.singleSentence(l)
		parts = append(parts, l.String()+": "+lowerFirst(strings.TrimSuffix(s, ".")))
	}
	return strings.Join(parts, "; ") + "."
}

// singleSentence says what a licence allows, with or without an exception.
func (r *renderer) singleSentence(l spdx.License) string {
	s, ok := licenseTerms[l.ID]
	switch {
	case !ok && l.IsRef():
		return r.t(ownTerms)
	case !ok:
		return r.t(listed)
	case l.Exception != "":
		return r.t(s) + " " + r.t("An exception widens this.")
	}
	return r.t(s)
}

// licenseRef matches terms that are not in SPDX's list.
var licenseRef = regexp.MustCompile(spdx.RefPrefix + `[^\s()]+`)

// licenseName returns an expression as pages show it. Terms that are not in SPDX's list are
// in words: "Open WebUI licence (custom)" for "LicenseRef-Open-WebUI". licenseName of the
// page code does the same.
func (r *renderer) licenseName(expression string) string { return licenseName(r.labels, expression) }

func licenseName(l *labels.Labels, expression string) string {
	return licenseRef.ReplaceAllStringFunc(expression, func(ref string) string {
		text := strings.ReplaceAll(strings.TrimPrefix(ref, spdx.RefPrefix), "-", " ")
		if strings.HasSuffix(text, " License") {
			return l.Text("{licence} (custom)", "licence", text)
		}
		return l.Text("{licence} licence (custom)", "licence", text)
	})
}

// licenseSlug returns the slug of a licence expression: "mit-or-apache-2-0" for
// "MIT OR Apache-2.0".
func licenseSlug(expression string) string {
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
