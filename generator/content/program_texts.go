package content

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/labels"
)

// The texts that the program puts into a catalogue in place of its owner.
const (
	allCategories = "All categories"
	facts         = "Facts"
	fewNames      = "{names} and {last}."
	manyNames     = "{names} and {n} more."
	noNames       = "There is nothing here yet."
	listImported  = "{list} (last imported on {day})"
	madeOfLists   = "Listings were made from {lists}. Editors may have changed them since."
	report        = "Report a wrong fact"
)

// ProgramTexts has all of these texts.
var ProgramTexts = [...]string{allCategories, facts, fewNames, manyNames, noNames, listImported, madeOfLists, report}

// ImportedGroup returns the group of categories that an import adds if nothing names another, in a language.
func ImportedGroup(lang string) string { return programText(lang, allCategories, allCategories) }

// ImportedFacts returns the group of facts of a map that was guessed, in a language; "" if it is not known.
func ImportedFacts(lang string) string { return programText(lang, facts, "") }

// programText returns one of ProgramTexts in a language: other if the program does not know the language, because
// English sentences must not stand on its pages.
func programText(lang, text, other string, values ...any) string {
	l, known, err := labels.Translation(lang)
	if err != nil { // TestGerman reads all translations
		l = &labels.Labels{}
	}
	if base, _, _ := strings.Cut(lang, "-"); base != "" && base != "en" && len(known) == 0 {
		return other
	}
	return l.Text(text, values...)
}

// Undescribed returns the indices of the categories that nobody has described. Load describes them by the names of
// their first listings.
func (c *Content) Undescribed() []int { return c.taxonomy.undescribed }

// describe describes the categories that nobody has described.
func (c *Content) describe(lang string) {
	c.Taxonomy.Categories = slices.Clone(c.Taxonomy.Categories) // the taxonomy may be that of another load
	for _, i := range c.Undescribed() {
		x := &c.Taxonomy.Categories[i]
		var names []string
		for _, l := range c.Listings {
			if l.Category == x.Slug {
				names = append(names, l.Name)
			}
		}
		x.Description = api.Shorten(sentenceOf(names, lang), maxDescription)
	}
}

// sentenceOf returns a sentence with the first of some names, and how many there are besides.
func sentenceOf(names []string, lang string) string {
	const shown = 3
	n := len(names)
	switch {
	case n == 0:
		return programText(lang, noNames, "…")
	case n == 1:
		return names[0] + "."
	case n <= shown+1: // and not: 1 more
		return programText(lang, fewNames, strings.Join(names, ", ")+".", "names", strings.Join(names[:n-1], ", "),
			"last", names[n-1])
	}
	all := strings.Join(names[:shown], ", ")
	return programText(lang, manyNames, all+" …", "names", all, "n", n-shown)
}
