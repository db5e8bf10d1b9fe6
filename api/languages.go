package api

import (
	"slices"
	"strings"

	"catalog.example/api/site"
)

// PathLanguages is the path of the file with Languages. Sites in one language do not have it.
const PathLanguages = "/api/v1/languages.json"

// Languages lists the languages of a site, the main one first.
type Languages struct {
	Languages []SiteLanguage `json:"languages"`
}

// SiteLanguage is a language of a site.
type SiteLanguage struct {
	Language string `json:"language"` // a tag (BCP 47)
	Name     string `json:"name"`     // in the language itself
	BaseURL  string `json:"baseUrl"`  // the address below which its pages and its API are
}

// LanguageParameter returns the parameter that chooses the language of an answer, in a catalogue that has several. The
// main one is the first.
func LanguageParameter(languages []string) Parameter {
	return Parameter{Name: "in", Kind: KindChoice, Allowed: languages, EmptyIsAbsent: true, NotForTools: true,
		Description: "Language of the answer, and of q. What has not been translated is in " + languages[0] +
			". If absent: " + languages[0] + "."}
}

// WithLanguage returns the parameters of an operation with the one that chooses the language, if the site has several
// and the settings are those of the main one.
func WithLanguage(list []Parameter, s *site.Settings) []Parameter {
	if len(s.Languages) == 0 || slices.Contains(s.Languages, s.Lang) {
		return list
	}
	return append(slices.Clone(list), LanguageParameter(append([]string{s.Lang}, s.Languages...)))
}

// CutLanguage cuts the parameter that chooses the language from a query string. lang is its value, which is "" if it
// is absent or wrong.
func CutLanguage(rawQuery string, in Parameter) (lang, rest string, errs []ParameterError) {
	var kept []string
	for pair := range strings.SplitSeq(rawQuery, "&") {
		before, _, _ := strings.Cut(pair, "=")
		if name, _ := unescape(before); name != in.Name {
			kept = append(kept, pair)
		}
	}
	p := parseQuery(rawQuery, []Parameter{in})
	return p.values[in.Name], strings.Join(kept, "&"), p.sortedErrors()
}
