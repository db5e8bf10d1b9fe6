package search

import (
	"hash/fnv"
	"slices"

	"catalog.example/api/search/english"
)

// wordFilter is a set of words as a Bloom filter: it has every word that was put in, and
// about one in 300 others. A misspelt word that seems to be in it is not corrected.
// Which words these are changes with the content.
type wordFilter []byte

const (
	filterBitsPerWord = 12
	filterHashes      = 7
)

// newWordFilter returns a filter with some words.
func newWordFilter(words []string) wordFilter {
	f := make(wordFilter, (filterBitsPerWord*len(words)+7)/8)
	for _, w := range words {
		for _, bit := range f.bits(w) {
			f[bit/8] |= 1 << (bit % 8)
		}
	}
	return f
}

// bits returns the bits of a word. The filter must not be empty.
func (f wordFilter) bits(word string) (bits [filterHashes]uint64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // never fails
	sum := h.Sum64()
	step := sum>>32 | 1
	for i := range bits {
		bits[i] = (sum + uint64(i)*step) % (8 * uint64(len(f)))
	}
	return bits
}

// has reports whether a word is in the filter, or seems to be.
func (f wordFilter) has(word string) bool {
	if len(f) == 0 {
		return false
	}
	for _, bit := range f.bits(word) {
		if f[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}

// englishFilter returns the section of the common English words that are no terms. A word
// of a query that is one of them is not misspelt, though no listing has it.
func englishFilter(terms []string) []byte {
	var words []string
	for word := range english.Words() {
		if _, found := slices.BinarySearch(terms, word); !found {
			words = append(words, word)
		}
	}
	return newWordFilter(words)
}
