package search

import (
	"slices"
	"strings"
)

// synonyms are the groups of the taxonomy, by stems.
type synonyms struct {
	// others maps the phraseKey of a phrase to the phrases that mean the same.
	others map[string][]synonymPhrase
	// longest is, for each stem of a phrase, the number of words of the longest that
	// has it.
	longest map[string]int
}

// synonymPhrase is one phrase of a group.
type synonymPhrase struct {
	words int
	stems []string
	term  string // under which the index lists where it occurs, if it has several words
}

// phraseTable holds the phrases of several words.
type phraseTable struct {
	first map[string][]synonymPhrase // by their first stem
	stems map[string]bool            // all stems of them
}

// stemOf returns the stem of a word that phrases have, else "".
func (t *phraseTable) stemOf(word string) string {
	if s := stem(word); t.stems[s] {
		return s
	}
	return ""
}

// phrasesOf returns the phrases of a group, each once. A phrase of which function
// words leave one word would make that word mean too much.
func phrasesOf(group []string) (list []synonymPhrase) {
	for _, text := range group {
		stems := stemsOf(Words(text))
		if len(stems) == 0 || len(stems) == 1 && len(tokens(text)) > 1 {
			continue
		}
		p := synonymPhrase{len(stems), stems, termPhrase + strings.Join(stems, " ")}
		if !slices.ContainsFunc(list, func(q synonymPhrase) bool { return q.term == p.term }) {
			list = append(list, p)
		}
	}
	return list
}

func newSynonyms(groups [][]string) synonyms {
	s := synonyms{map[string][]synonymPhrase{}, map[string]int{}}
	for _, group := range groups {
		list := phrasesOf(group)
		for i, from := range list {
			key := phraseKey(from.stems)
			for _, stem := range from.stems {
				s.longest[stem] = max(s.longest[stem], from.words)
			}
			for j, to := range list {
				if i != j {
					s.others[key] = append(s.others[key], to)
				}
			}
		}
	}
	return s
}

func synonymPhrases(groups [][]string) phraseTable {
	table := phraseTable{map[string][]synonymPhrase{}, map[string]bool{}}
	for _, group := range groups {
		for _, p := range phrasesOf(group) {
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
