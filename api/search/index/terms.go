package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"catalog.example/api/parallel"
	"catalog.example/api/search/token"
)

// HasPrefix reports whether any term of the index begins with prefix.
func (ix *Index) HasPrefix(prefix string) bool {
	i := ix.Terms.search(prefix)
	return i < ix.Terms.N && strings.HasPrefix(string(ix.Terms.Text(i)), prefix)
}

// MostFrequent returns the n terms in from:to that most listings have, or all if there are no more
// than n.
func (ix *Index) MostFrequent(from, to, n int) []int {
	terms := make([]int, to-from)
	for i := range terms {
		terms[i] = from + i
	}
	if len(terms) > n {
		ix.sortByFrequency(terms)
		terms = terms[:n]
	}
	return terms
}

// sortByFrequency sorts terms by the number of listings that have them, descending,
// then by term number.
func (ix *Index) sortByFrequency(terms []int) {
	keys := make([]uint64, len(terms))
	for i, t := range terms {
		keys[i] = (math.MaxUint32-uint64(ix.Postings.Frequency(t)))<<32 | uint64(t)
	}
	slices.Sort(keys)
	for i, key := range keys {
		terms[i] = int(key & math.MaxUint32) // the number of a term
	}
}

// stemOfTerm returns the stem of a term, or "" if the term is not a word.
func stemOfTerm(term string, language *token.Language) string {
	if term < firstWord {
		return ""
	}
	return language.Stem(term)
}

// stemsOfTerms returns the stem of each term.
func stemsOfTerms(terms []string, language *token.Language) []string {
	stemOf := make([]string, len(terms))
	parallel.All(len(terms), func(i int) { stemOf[i] = stemOfTerm(terms[i], language) })
	return stemOf
}

// stemTables returns the dictionary of stems, the stem of each term, and the terms of each
// stem: n+1 offsets for n stems, then the numbers of the terms.
func stemTables(stemOf []string) (stems, termStems, stemTerms []byte) {
	members := make([]uint32, len(stemOf))
	for t := range members {
		members[t] = uint32(t) // fits: at most the number of terms
	}
	slices.SortFunc(members, func(a, b uint32) int {
		return cmp.Or(strings.Compare(stemOf[a], stemOf[b]), cmp.Compare(a, b))
	})
	var texts []string
	var starts []uint32
	numbers := make([]uint32, len(stemOf))
	for i, t := range members {
		if i == 0 || stemOf[t] != texts[len(texts)-1] {
			texts, starts = append(texts, stemOf[t]), append(starts, uint32(i)) // fits: at most the number of terms
		}
		numbers[t] = uint32(len(texts) - 1) // fits: at most the number of terms
	}
	starts = append(starts, uint32(len(members)))
	return encodeDictionary(texts), appendNumbers(nil, numbers), appendNumbers(appendNumbers(nil, starts), members)
}

// StemOf returns the number of a term's stem, or -1 if there is no such term.
func (ix *Index) StemOf(term int) int {
	if term >= ix.Terms.N {
		return -1 // a damaged file
	}
	return Number(ix.termStems[4*term:])
}

// WithStem returns the terms that have a stem.
func (ix *Index) WithStem(stem string) (terms []int) {
	i, ok := ix.Stems.Find(stem)
	if !ok || stem == "" {
		return nil
	}
	return ix.TermsWithStem(i)
}

// TermsWithStem is WithStem for the number of a stem.
func (ix *Index) TermsWithStem(stem int) (terms []int) {
	from, to := Number(ix.stemTerms[4*stem:]), Number(ix.stemTerms[4*stem+4:])
	members := ix.stemTerms[4*(ix.Stems.N+1):]
	for at := from; at < min(to, ix.Terms.N); at++ {
		if t := Number(members[4*at:]); t < ix.Terms.N {
			terms = append(terms, t)
		}
	}
	return terms
}
