package search

import (
	"slices"
	"strings"
)

// synonyms are the synonym groups of the taxonomy, by stems.
type synonyms struct {
	// alternatives maps the phraseKey of a phrase to the phrases that mean the same.
	alternatives map[string][]synonymPhrase
	// longest maps each stem to the number of words of the longest phrase with it.
	longest map[string]int
	// directed are the ordered phrases by their keys.
	directed map[string]synonymPhrase
}

// synonymPhrase is a phrase of a synonym group.
type synonymPhrase struct {
	words int
	// ordered means that the order of the words matters: "text to speech".
	ordered bool
	stems   []string
	term    string // in the index, if it has several words
}

// phraseTable holds the phrases of several words.
type phraseTable struct {
	first map[string][]synonymPhrase // by their first stem
	stems map[string]bool            // all their stems
}

// stemOf returns the stem of a word if a phrase has it, or "".
func (t *phraseTable) stemOf(word string) string {
	if s := stem(word); t.stems[s] {
		return s
	}
	return ""
}

// groupPhrases returns the distinct phrases of a group. It omits phrases of one word and
// function words, because that word alone means more.
func groupPhrases(group []string) (list []synonymPhrase) {
	for _, text := range group {
		stems := stemsOf(Words(text))
		if len(stems) == 0 || len(stems) == 1 && len(tokens(text)) > 1 {
			continue
		}
		p := synonymPhrase{len(stems), isDirected(text), stems, termPhrase + strings.Join(stems, " ")}
		if !slices.ContainsFunc(list, func(q synonymPhrase) bool { return q.term == p.term }) {
			list = append(list, p)
		}
	}
	return list
}

func newSynonyms(groups [][]string) synonyms {
	s := synonyms{map[string][]synonymPhrase{}, map[string]int{}, map[string]synonymPhrase{}}
	for _, group := range groups {
		list := groupPhrases(group)
		for i, from := range list {
			key := from.key()
			if from.ordered {
				s.directed[key] = from
			}
			for _, stem := range from.stems {
				s.longest[stem] = max(s.longest[stem], from.words)
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

func synonymPhrases(groups [][]string) phraseTable {
	table := phraseTable{map[string][]synonymPhrase{}, map[string]bool{}}
	for _, group := range groups {
		for _, p := range groupPhrases(group) {
			list := table.first[p.stems[0]]
			if p.words == 1 || slices.ContainsFunc(list, func(q synonymPhrase) bool { return q.term == p.term }) {
				continue
			}
			table.first[p.stems[0]] = append(list, p)
			for _, stem := range p.stems {
				table.stems[stem] = true
			}
		}
	}
	return table
}

// isDirected reports whether a phrase says what becomes what, as "text to speech" does.
func isDirected(phrase string) bool {
	words := tokens(phrase)
	for i, w := range words {
		if (w == "to" || w == "into") && i > 0 && i+1 < len(words) {
			return true
		}
	}
	return false
}

// key is what the phrase is looked up by.
func (p *synonymPhrase) key() string {
	if p.ordered {
		return directedKey(p.stems)
	}
	return phraseKey(p.stems)
}

func directedKey(stems []string) string { return ">" + strings.Join(stems, " ") }

// of returns the synonyms of a phrase of a query.
func (s *synonyms) of(stems []string) []synonymPhrase {
	if list := s.alternatives[directedKey(stems)]; list != nil {
		return list
	}
	return s.alternatives[phraseKey(stems)]
}
