package render

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api/site"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Language is a language that a site has pages in.
type Language struct {
	Tag  string // as in the settings
	Name string // in the language itself
	Base string // the address below which its pages are, without a slash at its end
}

// LanguagesOf returns the languages of a site. The settings are those of the main language.
func LanguagesOf(s *site.Settings) (list Languages) {
	if len(s.Languages) == 0 {
		return nil
	}
	add := func(tag, base string) {
		list = append(list, Language{tag, cmp.Or(display.Self.Name(language.Make(tag)), tag), base})
	}
	add(s.Lang, s.BaseURL)
	for _, tag := range s.Languages {
		add(tag, s.In(tag).BaseURL)
	}
	return list
}

// Languages are the languages of a site, the main one first; nil if it has only one.
type Languages []Language

// Fallback returns the language of a text, by its key, if it or a text below it, such as the name of a place, is among
// the untranslated ones; "" for that of the page.
func (l Languages) Fallback(untranslated []string, key string) string {
	isIt := func(other string) bool { return other == key || strings.HasPrefix(other, key+".") }
	if len(l) == 0 || !slices.ContainsFunc(untranslated, isIt) {
		return ""
	}
	return l[0].Tag
}

// Alternate is a page in one of the languages of the site.
type Alternate struct {
	Language
	URL       string
	IsCurrent bool // whether it is the page itself
}

// Alternates returns the page at a path in all languages of the site; nil if it has only one.
func (s *Shared) Alternates(path string) (list []Alternate) {
	for _, l := range s.Languages {
		list = append(list, Alternate{l, l.Base + path, l.Tag == s.Settings.Lang})
	}
	return list
}
