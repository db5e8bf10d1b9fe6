package query

import (
	"slices"
	"strings"

	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// synonyms holds the synonym groups of the taxonomy, by stems.
type synonyms struct {
	// alternatives maps the phraseKey or directedKey of a phrase to the other phrases of its
	// groups.
	alternatives map[string][]index.Phrase
	// longest maps each stem to the length in words of the longest phrase that contains it.
	longest map[string]int
	// directed maps the directedKey of each phrase with a direction to the phrase.
	directed map[string]index.Phrase
}

func newSynonyms(groups [][]string, language *token.Language) synonyms {
	s := synonyms{map[string][]index.Phrase{}, map[string]int{}, map[string]index.Phrase{}}
	for _, list := range index.PhrasesOf(groups, language) {
		for i, from := range list {
			key := phraseKey(from.Stems)
			if directed := directionOf(from, language); directed != "" {
				key = directed
				s.directed[key] = from
			}
			for _, stem := range from.Stems {
				s.longest[stem] = max(s.longest[stem], len(from.Stems))
			}
			for j, to := range list {
				if i != j {
					s.alternatives[key] = append(s.alternatives[key], to)
				}
			}
		}
	}
	return s
}

// directionOf returns the directedKey of a phrase, or "" if it has no direction.
func directionOf(phrase index.Phrase, language *token.Language) string {
	if !language.IsEnglish || len(phrase.Stems) < 2 {
		return ""
	}
	words := language.Of(phrase.Text)
	for i, w := range words {
		if d := directionWords[w]; d != 0 {
			left := language.Stems(language.Content(strings.Join(words[:i], " ")))
			right := language.Stems(language.Content(strings.Join(words[i+1:], " ")))
			if len(left) > 0 && len(right) > 0 {
				return directedKey(left, right, d)
			}
		}
	}
	return ""
}

// directedKey returns the same key for "X to Y" and "Y from X".
func directedKey(left, right []string, direction byte) string {
	if direction == '<' {
		left, right = right, left
	}
	return strings.Join(left, " ") + " > " + strings.Join(right, " ")
}

// directedKeyOf returns the directedKey of consecutive words of a query with these stems, or ""
// unless the words have exactly one direction.
func directedKeyOf(stems []string, words []queryWord) (key string) {
	for i := 1; i < len(words); i++ {
		if d := words[i].direction; d != 0 {
			if key != "" {
				return ""
			}
			key = directedKey(stems[:i], stems[i:], d)
		}
	}
	return key
}

// of returns the synonyms of consecutive words of a query.
func (s *synonyms) of(stems []string, words []queryWord) []index.Phrase {
	if key := directedKeyOf(stems, words); key != "" {
		if list := s.alternatives[key]; list != nil {
			return list
		}
	}
	return s.alternatives[phraseKey(stems)]
}

// directedSpan is a directed phrase that the words from:to of a query mean.
type directedSpan struct {
	from, to int
	phrase   index.Phrase
}

// directedIn returns the directed phrases of a query from left to right, without overlaps.
func (s *synonyms) directedIn(stems []string, words []queryWord) (list []directedSpan) {
	for i := 0; i < len(words); {
		n := min(len(words)-i, s.longest[stems[i]])
		for ; n > 1; n-- {
			if p, ok := s.directed[directedKeyOf(stems[i:i+n], words[i:i+n])]; ok {
				list = append(list, directedSpan{i, i + n, p})
				break
			}
		}
		i += max(n, 1)
	}
	return list
}

// phraseKey returns the same key for the same stems in any order, because "edit a PDF" is what a
// "PDF editor" does.
func phraseKey(stems []string) string {
	switch {
	case len(stems) == 1:
		return stems[0]
	case slices.IsSorted(stems):
		return strings.Join(stems, " ")
	}
	return strings.Join(slices.Sorted(slices.Values(stems)), " ")
}
