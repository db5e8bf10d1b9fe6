package render

import (
	_ "embed" // for the sentences about licences
	"regexp"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/labels"
)

// What a listing's terms allow, where no sentence of licences.txt fits.
const (
	listed     = "A licence of the SPDX list that is not summed up here: read its text to see what it allows."
	ownTerms   = "Its makers' own terms: read them before you build on it."
	mixedTerms = "Several licences, with a choice between some: read how they combine before you build on it."
	noLicense  = "Unknown. Without a licence nobody may copy or change it: ask its makers."
)

// licenseSentences says what families of licences allow, based on the licence texts and
// choosealicense.com. The sentences help to choose; they are not legal advice. Below each sentence
// are the SPDX identifiers of its licences.
//
//go:embed licences.txt
var licenseSentences string

// licenseTerms maps SPDX identifiers to what they allow.
var licenseTerms = func() map[string]string {
	terms, sentence := map[string]string{}, ""
	for line := range strings.Lines(licenseSentences) {
		ids, isList := strings.CutPrefix(line, "\t")
		if !isList {
			sentence = strings.TrimSpace(line)
			continue
		}
		for id := range strings.FieldsSeq(ids) {
			terms[id] = sentence
		}
	}
	return terms
}()

// LicenseSentence says what a listing's licence expression allows.
func (w *Words) LicenseSentence(p *api.Project) string {
	if p.License == nil {
		return w.T(noLicense)
	}
	e, ok := spdx.Parse(*p.License)
	together, choice := e.Has(spdx.And), e.Has(spdx.Or)
	switch {
	case !ok: // lint rejects such an expression
		return w.T(ownTerms)
	case together && choice:
		return w.T(mixedTerms)
	case together:
		return w.T("Different parts have different licences:") + " " + w.sentences(e.Licenses)
	case choice:
		return w.T("Choose one of these:") + " " + w.sentences(e.Licenses)
	}
	return w.singleSentence(e.Licenses[0])
}

// sentences says what each licence allows.
func (w *Words) sentences(licenses []spdx.License) string {
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
