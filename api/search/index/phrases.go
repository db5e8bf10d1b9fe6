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

// PhrasesOf returns the distinct phrases of a synonym group. It omits phrases of one word and
// function words: without these, the word has a wider meaning.
func PhrasesOf(group []string, language *token.Language) (list []Phrase) {
	for _, text := range group {
		words := language.Of(text)
		all := len(words)
		stems := language.Stems(slices.DeleteFunc(words, func(w string) bool { return language.FunctionWords[w] }))
		if len(stems) == 0 || len(stems) == 1 && all > 1 {
			continue
		}
		p := Phrase{text, stems, termPhrase + strings.Join(stems, " ")}
		if !slices.ContainsFunc(list, func(q Phrase) bool { return q.Term == p.Term }) {
			list = append(list, p)
		}
	}
	return list
}

func synonymPhrases(groups [][]string, language *token.Language) phraseTable {
	table := phraseTable{map[string][]Phrase{}, map[string]bool{}, language}
	for _, group := range groups {
		for _, p := range PhrasesOf(group, language) {
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
