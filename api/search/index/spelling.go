package index

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"catalog.example/api/search/english"
	"catalog.example/api/spelling"
)

// letterMask returns a mask with a bit set for each letter of a word; several letters share one of
// the 32 bits. An edit changes at most two bits, so masks rule out most pairs of words without a
// comparison.
func letterMask(word string) uint32 {
	var mask uint32
	for _, r := range word {
		mask |= 1 << (uint32(r) % 32)
	}
	return mask
}

// wordsByLength lists the words by their length in runes, and words of the same length in the order
// of terms. Corrections can thus be looked for among words of similar length, at first those with
// the same first letter. In the file it is
//
//	4 × (lengthCount + 1)  where the words of each length begin, and their end
//	4 n                    the letter mask of each word
//	4 n                    the term of each word
//
// Words of lengthCount runes or more are omitted.
type wordsByLength struct {
	n      int
	starts []byte
	masks  []byte
	terms  []byte
}

// lengthCount is 1 + the length in runes of the longest word in wordsByLength.
const lengthCount = 48

// encodeSpelling encodes the section for sorted terms. Those before firstWord are not
// words.
func encodeSpelling(terms []string) []byte {
	var starts [lengthCount + 1]uint32
	lengths := make([]int, len(terms)) // lengthCount if the term is too long, or not a word
	for t, text := range terms {
		lengths[t] = lengthCount
		if n := utf8.RuneCountInString(text); text >= firstWord && n < lengthCount {
			lengths[t] = n
			starts[n+1]++
		}
	}
	for i := range lengthCount {
		starts[i+1] += starts[i]
	}
	masks, numbers := make([]uint32, starts[lengthCount]), make([]uint32, starts[lengthCount])
	next := starts
	for t, n := range lengths {
		if n < lengthCount {
			masks[next[n]], numbers[next[n]] = letterMask(terms[t]), uint32(t) // term numbers fit in 32 bits
			next[n]++
		}
	}
	return appendNumbers(appendNumbers(appendNumbers(nil, starts[:]), masks), numbers)
}

// open opens the words of a section, and reports whether it is valid.
func (s *wordsByLength) open(b []byte) bool {
	const head = 4 * (lengthCount + 1)
	if len(b) < head || (len(b)-head)%8 != 0 {
		return false
	}
	n := (len(b) - head) / 8
	*s = wordsByLength{n, b[:head], b[head : head+4*n], b[head+4*n:]}
	return true
}

func (s *wordsByLength) term(i int) int { return Number(s.terms[4*i:]) }

// ofLength returns the range of words of a length.
func (s *wordsByLength) ofLength(n int) (from, to int) {
	if n < 0 || n >= lengthCount {
		return 0, 0
	}
	from, to = Number(s.starts[4*n:]), Number(s.starts[4*n+4:])
	to = min(to, s.n) // a damaged file may have any number
	return min(from, to), to
}

// termRange returns the part of the range from:to, which has words of one length, whose terms are
// in fromTerm:toTerm.
func (s *wordsByLength) termRange(from, to, fromTerm, toTerm int) (int, int) {
	first := func(term int) int {
		return from + sort.Search(to-from, func(i int) bool { return s.term(from+i) >= term })
	}
	least := first(fromTerm)
	return least, max(least, first(toTerm))
}

// One edit is corrected in words of at least minOneEdit letters, and two in words of at least
// minTwoEdits. Shorter words are too similar to others.
const (
	minOneEdit  = 4
	minTwoEdits = 8
	maxEdits    = 2
)

// maxCandidates limits how many words with similar letters a word is compared with. A catalogue of
// 100,000 listings has fewer, except for words of very common letters, whose comparison would take
// milliseconds.
const maxCandidates = 1 << 12

// Corrections returns the terms that are the fewest edits away from a misspelt word, the most
// frequent first, without the words in except. Terms with another first letter are considered only
// if no term with the same first letter is found.
func (ix *Index) Corrections(word string, except map[string]bool) []int {
	letters := utf8.RuneCountInString(word)
	allowed := 0
	switch {
	case letters >= minTwoEdits:
		allowed = maxEdits
	case letters >= minOneEdit:
		allowed = 1
	}
	_, first := utf8.DecodeRuneInString(word)
	from, to := ix.Terms.PrefixRange(word[:first])
	pattern, budget := spelling.NewPattern(word), maxCandidates
	for _, ranges := range [][][2]int{{{from, to}}, {{ix.firstWord, from}, {to, ix.Terms.N}}} {
		for edits := 1; edits <= allowed; edits++ {
			var found []int
			for _, r := range ranges {
				for term := range ix.similar(&budget, word, edits, r[0], r[1]) {
					text := string(ix.Terms.Text(term))
					if pattern.Distance(text, edits) <= edits && !except[text] {
						found = append(found, term)
					}
				}
			}
			if len(found) > 0 {
				ix.sortByFrequency(found)
				return found
			}
		}
	}
	return nil
}

// similar returns the terms in fromTerm:toTerm that may be at most the given number of edits away
// from a word. It subtracts 1 from budget for each, and stops when budget is used up.
func (ix *Index) similar(budget *int, word string, edits, fromTerm, toTerm int) iter.Seq[int] {
	mask, letters := letterMask(word), utf8.RuneCountInString(word)
	return func(yield func(int) bool) {
		for length := letters - edits; length <= letters+edits; length++ {
			from, to := ix.spelling.ofLength(length)
			from, to = ix.spelling.termRange(from, to, fromTerm, toTerm)
			for i, masks := from, ix.spelling.masks[4*from:4*to]; len(masks) >= 4; i, masks = i+1, masks[4:] {
				if bits.OnesCount32(binary.LittleEndian.Uint32(masks)^mask) > 2*edits {
					continue
				}
				if *budget--; *budget < 0 {
					return
				}
				if term := ix.spelling.term(i); term < ix.Terms.N && !yield(term) { // true unless damaged
					return
				}
			}
		}
	}
}

// ShortestEnglish is the length of the shortest words in Index.English.
const ShortestEnglish = english.ShortestWord

// WordFilter is a set of words as a Bloom filter: it reports every word that was put in, and about
// one in 300 others. A misspelt word that it reports by mistake is not corrected. Which words these
// are depends on the content.
type WordFilter []byte

const (
	filterBitsPerWord = 12
	filterHashes      = 7
)

// newWordFilter returns a filter that contains words.
func newWordFilter(words []string) WordFilter {
	f := make(WordFilter, (filterBitsPerWord*len(words)+7)/8)
	for _, w := range words {
		for _, bit := range f.bits(w) {
			f[bit/8] |= 1 << (bit % 8)
		}
	}
	return f
}

// bits returns the bits of a word. The filter must not be empty.
func (f WordFilter) bits(word string) (bits [filterHashes]uint64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // never fails
	sum := h.Sum64()
	step := sum>>32 | 1
	for i := range bits {
		bits[i] = (sum + uint64(i)*step) % (8 * uint64(len(f)))
	}
	return bits
}

// Has reports whether a word is in the filter. It is sometimes true for a word that is not.
func (f WordFilter) Has(word string) bool {
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

// englishFilter returns a filter of the common English words that are not terms. Such a word in a
// query is not a misspelling, though no listing has it.
func englishFilter(terms []string) []byte {
	var words []string
	for word := range english.Words() {
		if _, found := slices.BinarySearch(terms, word); !found {
			words = append(words, word)
		}
	}
	return newWordFilter(words)
}
