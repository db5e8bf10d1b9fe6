package search

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api/parallel"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemOfTerm returns the stem of a term, or "" if the term is no word.
func stemOfTerm(term string) string {
	if term < firstWord {
		return ""
	}
	return stem(term)
}

// stemsOfTerms returns the stem of each term.
func stemsOfTerms(terms []string) []string {
	stemOf := make([]string, len(terms))
	const chunk = 1024
	parallel.All((len(terms)+chunk-1)/chunk, func(i int) {
		for t := i * chunk; t < min(len(terms), (i+1)*chunk); t++ {
			stemOf[t] = stemOfTerm(terms[t])
		}
	})
	return stemOf
}

// stemTables returns the dictionary of stems, the stem of each term, and the terms of each
// stem: n+1 offsets for n stems, then the numbers of the terms.
func stemTables(stemOf []string) (stems [][]byte, termStems, stemTerms []byte) {
	members := make([]uint32, len(stemOf))
	for t := range members {
		members[t] = uint32(t) // as many as terms
	}
	slices.SortFunc(members, func(a, b uint32) int { return cmp.Or(strings.Compare(stemOf[a], stemOf[b]), cmp.Compare(a, b)) })
	var texts []string
	var starts []uint32
	numbers := make([]uint32, len(stemOf))
	for i, t := range members {
		if i == 0 || stemOf[t] != texts[len(texts)-1] {
			texts, starts = append(texts, stemOf[t]), append(starts, uint32(i)) // as many as terms
		}
		numbers[t] = uint32(len(texts) - 1) // as many as terms
	}
	starts = append(starts, uint32(len(members)))
	return encodeDictionary(texts), appendNumbers(nil, numbers), appendNumbers(appendNumbers(nil, starts), members)
}

// stemOf returns the number of a term's stem.
func (ix *Index) stemOf(term int) int {
	if term >= ix.terms.n {
		return -1 // a damaged file
	}
	return readNumber(ix.termStems[4*term:])
}

// withStem returns the terms that have a stem.
func (ix *Index) withStem(stem string) (terms []int) {
	i, ok := ix.stems.find(stem)
	if !ok || stem == "" {
		return nil
	}
	return ix.termsWithStem(i)
}

// termsWithStem returns the terms that have the stem with a number.
func (ix *Index) termsWithStem(stem int) (terms []int) {
	from, to := readNumber(ix.stemTerms[4*stem:]), readNumber(ix.stemTerms[4*stem+4:])
	members := ix.stemTerms[4*(ix.stems.n+1):]
	for at := from; at < min(to, ix.terms.n); at++ {
		if t := readNumber(members[4*at:]); t < ix.terms.n {
			terms = append(terms, t)
		}
	}
	return terms
}

// stem returns the English stem of a folded word (Snowball's Porter 2).
func stem(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// stemsOf returns the stem of each word.
func stemsOf(list []string) []string {
	stems := make([]string, len(list))
	for i, w := range list {
		stems[i] = stem(w)
	}
	return stems
}

// phraseKey returns the same key for stems in any order, because "edit a PDF" is what
// a "PDF editor" does.
func phraseKey(stems []string) string {
	if len(stems) == 1 {
		return stems[0]
	}
	return strings.Join(slices.Sorted(slices.Values(stems)), " ")
}
