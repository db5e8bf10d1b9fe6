package search

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"catalog.example/api/parallel"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemTables returns the dictionary of stems, the stem of each term, and the terms of each
// stem: n+1 offsets for n stems, then the numbers of the terms.
func stemTables(terms []string) (stems [][]byte, termStems, stemTerms []byte) {
	stemOf := make([]string, len(terms))
	const chunk = 1024
	parallel.All((len(terms)+chunk-1)/chunk, func(i int) {
		for t := i * chunk; t < min(len(terms), (i+1)*chunk); t++ {
			if terms[t] >= firstWord {
				stemOf[t] = stem(terms[t])
			}
		}
	})
	texts := distinct(stemOf)
	numbers := make(map[string]uint32, len(texts))
	for i, s := range texts {
		numbers[s] = uint32(i) // as many as terms
	}
	members := make([][2]uint32, len(terms))
	for t, s := range stemOf {
		members[t] = [2]uint32{numbers[s], uint32(t)}
		termStems = binary.LittleEndian.AppendUint32(termStems, numbers[s])
	}
	slices.SortFunc(members, func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	starts, all := make([]uint32, len(texts)+1), make([]uint32, len(members))
	for i, m := range members {
		starts[m[0]+1]++
		all[i] = m[1]
	}
	for i := range texts {
		starts[i+1] += starts[i]
	}
	return encodeDictionary(texts), termStems, appendNumbers(appendNumbers(nil, starts), all)
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
