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
	// directed are the phrases with a direction by their directedKey.
	directed map[string]synonymPhrase
}

// synonymPhrase is a phrase of a synonym group.
type synonymPhrase struct {
	words int
	// directed is the directedKey of a phrase such as "text to speech", or "".
	directed string
	stems    []string
	term     string // in the index, if it has several words
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
		p := synonymPhrase{len(stems), directionOf(text), stems, termPhrase + strings.Join(stems, " ")}
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
			key := phraseKey(from.stems)
			if from.directed != "" {
				key = from.directed
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

// directionOf returns the directedKey of a phrase, or "".
func directionOf(phrase string) string {
	words := tokens(phrase)
	for i, w := range words {
		if d := directionWords[w]; d != 0 {
			left, right := stemsOf(Words(strings.Join(words[:i], " "))), stemsOf(Words(strings.Join(words[i+1:], " ")))
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

// directedKeyOf returns the directedKey of consecutive words of a query by their stems, or ""
// if they do not tell one direction.
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
func (s *synonyms) of(stems []string, words []queryWord) []synonymPhrase {
	if key := directedKeyOf(stems, words); key != "" {
		if list := s.alternatives[key]; list != nil {
			return list
		}
	}
	return s.alternatives[phraseKey(stems)]
}

// directedSpan is a directed phrase in the words from:to of a query.
type directedSpan struct {
	from, to int
	phrase   synonymPhrase
}

// directedIn returns the directed phrases of a query from the first on, without overlap.
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
