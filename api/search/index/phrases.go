package index

import (
	"slices"
	"strings"

	"catalog.example/api/search/token"
)

// Phrase is a phrase of a synonym group.
type Phrase struct {
	Text  string
	Stems []string
	Term  string // in the index, if the phrase has several words
}

// phraseTable holds the synonym phrases of several words.
type phraseTable struct {
	first map[string][]Phrase // by their first stem
	stems map[string]bool     // the stems of all phrases
	// language is that of the index.
	language *token.Language
}

// stemOf returns the stem of a word, or "" if no phrase has it.
func (t *phraseTable) stemOf(word string) string {
	if s := t.language.Stem(word); t.stems[s] {
		return s
	}
	return ""
}

// PhrasesOf returns the distinct phrases of each synonym group. It omits phrases of one word and
// function words: without these, the word has a wider meaning.
func PhrasesOf(groups [][]string, language *token.Language) [][]Phrase {
	known := map[string]string{} // the stems of words: most occur in several phrases
	stemOf := func(word string) string {
		stem, ok := known[word]
		if !ok {
			stem = language.Stem(word)
			known[word] = stem
		}
		return stem
	}
	lists := make([][]Phrase, len(groups))
	for i, group := range groups {
		for _, text := range group {
			words := language.Of(text)
			stems := make([]string, 0, len(words))
			for _, w := range words {
				if !language.FunctionWords[w] {
					stems = append(stems, stemOf(w))
				}
			}
			if len(stems) == 0 || len(stems) == 1 && len(words) > 1 {
				continue
			}
			p := Phrase{text, stems, termPhrase + strings.Join(stems, " ")}
			if !slices.ContainsFunc(lists[i], func(q Phrase) bool { return q.Term == p.Term }) {
				lists[i] = append(lists[i], p)
			}
		}
	}
	return lists
}

func synonymPhrases(groups [][]string, language *token.Language) phraseTable {
	table := phraseTable{map[string][]Phrase{}, map[string]bool{}, language}
	for _, phrases := range PhrasesOf(groups, language) {
		for _, p := range phrases {
			list := table.first[p.Stems[0]]
			if len(p.Stems) == 1 || slices.ContainsFunc(list, func(q Phrase) bool { return q.Term == p.Term }) {
				continue
			}
			table.first[p.Stems[0]] = append(list, p)
			for _, stem := range p.Stems {
				table.stems[stem] = true
			}
		}
	}
	return table
}
