package search

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"catalog.example/api/spelling"
)

// letterMask has a bit for each letter that a word holds, as many as there are
// bits; other letters share them. An edit changes at most two, which tells most
// words apart without comparing them.
func letterMask(word string) uint32 {
	var mask uint32
	for _, r := range word {
		mask |= 1 << (uint32(r) % 32)
	}
	return mask
}

// wordsByLength lists the words by their length in runes, and those of one length in
// the order of terms, so that a search for a misspelt word looks at words of
// about its length and, first, its first letter alone. It lies in the file as
//
//	4 × (spelledLengths + 1)  where the words of each length begin, and their end
//	4 n                       the letter mask of each word
//	4 n                       the term of each word
//
// Words longer than the longest length are in none of them.
type wordsByLength struct {
	n     int
	at    []byte
	masks []byte
	terms []byte
}

// spelledLengths is one more than the runes of the longest word that is
// corrected.
const spelledLengths = 48

// encodeSpelling writes the section for sorted terms, of which those before
// firstWord are no words.
func encodeSpelling(terms []string) []byte {
	type word struct{ length, term int }
	var words []word
	for t, text := range terms {
		if n := utf8.RuneCountInString(text); text >= firstWord && n < spelledLengths {
			words = append(words, word{n, t})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.length, b.length) })
	var starts [spelledLengths + 1]uint32
	masks, numbers := make([]uint32, len(words)), make([]uint32, len(words))
	for i, w := range words {
		starts[w.length+1]++
		masks[i], numbers[i] = letterMask(terms[w.term]), uint32(w.term)
	}
	for i := range spelledLengths {
		starts[i+1] += starts[i]
	}
	return appendNumbers(appendNumbers(appendNumbers(nil, starts[:]), masks), numbers)
}

// openSpelling returns the words of a section, or false where the section
// cannot be one.
func openSpelling(b []byte) (wordsByLength, bool) {
	const head = 4 * (spelledLengths + 1)
	if len(b) < head || (len(b)-head)%8 != 0 {
		return wordsByLength{}, false
	}
	n := (len(b) - head) / 8
	return wordsByLength{n, b[:head], b[head : head+4*n], b[head+4*n:]}, true
}

func (s *wordsByLength) term(i int) int { return number(s.terms[4*i:]) }

// ofLength returns where the words of a length lie.
func (s *wordsByLength) ofLength(n int) (from, to int) {
	if n < 0 || n >= spelledLengths {
		return 0, 0
	}
	from, to = number(s.at[4*n:]), number(s.at[4*n+4:])
	to = min(to, s.n) // in a damaged file they may be anything
	return min(from, to), to
}

// within returns where, of the words from:to of one length, those lie whose
// terms are fromTerm:toTerm.
func (s *wordsByLength) within(from, to, fromTerm, toTerm int) (int, int) {
	first := func(term int) int {
		low, high := from, to
		for low < high {
			middle := int(uint(low+high) >> 1)
			if s.term(middle) < term {
				low = middle + 1
			} else {
				high = middle
			}
		}
		return low
	}
	from = first(fromTerm)
	return from, max(from, first(toTerm))
}

// Letters that a word must have for one and for two mistakes in it to be
// forgiven; shorter ones are too near to other words.
const (
	oneMistakeFrom  = 4
	twoMistakesFrom = 8
	twoMistakes     = 2
)

// mostSpelled is how many words of the vocabulary one word is compared with, of
// those that have nearly the same letters. A mistake in a catalog of 100,000
// listings is found among fewer; only a word of letters that most words have takes
// more, and it would take milliseconds.
const mostSpelled = 1 << 12

// misspellings returns the words of the vocabulary that the given one is most
// likely meant to be, most frequent first among the nearest. The first letter
// is taken as right unless nothing else is found.
func (ix *Index) misspellings(word string) []int {
	letters := utf8.RuneCountInString(word)
	allowed := 0
	switch {
	case letters >= twoMistakesFrom:
		allowed = twoMistakes
	case letters >= oneMistakeFrom:
		allowed = 1
	}
	_, first := utf8.DecodeRuneInString(word)
	from, to := ix.terms.prefixRange(word[:first])
	room := mostSpelled
	for _, ranges := range [][][2]int{{{from, to}}, {{ix.firstWord, from}, {to, ix.terms.n}}} {
		for edits := 1; edits <= allowed; edits++ {
			var near []int
			for _, r := range ranges {
				near = ix.spelledLike(near, &room, word, letters, edits, r[0], r[1])
			}
			if len(near) > 0 {
				ix.sortByFrequency(near)
				return near
			}
		}
	}
	return nil
}

// within tells whether two words are at most so many edits apart, as
// spelling.Distance counts them. Nearly all that are compared are not, and most of
// these are told apart by their first letters.
func within(a string, b []byte, edits int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] && a[0] < utf8.RuneSelf {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] && a[len(a)-1] < utf8.RuneSelf {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a) == 0 && len(b) == 0:
		return true
	case len(a) > 0 && a[0] >= utf8.RuneSelf || len(b) > 0 && b[0] >= utf8.RuneSelf:
		return spelling.Distance(a, string(b)) <= edits // letters of several bytes are few
	case edits == 0:
		return false
	case len(a) > 0 && within(a[1:], b, edits-1), len(b) > 0 && within(a, b[1:], edits-1):
		return true
	case len(a) > 0 && len(b) > 0 && within(a[1:], b[1:], edits-1):
		return true
	default:
		return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && within(a[2:], b[2:], edits-1)
	}
}

// spelledLike adds the terms of a range that are at most so many edits from a
// word of so many letters, and takes the words that it compares from room.
func (ix *Index) spelledLike(found []int, room *int, word string, letters, edits, fromTerm, toTerm int) []int {
	mask := letterMask(word)
	for length := letters - edits; length <= letters+edits; length++ {
		from, to := ix.spelling.ofLength(length)
		from, to = ix.spelling.within(from, to, fromTerm, toTerm)
		for i, masks := from, ix.spelling.masks[4*from:4*to]; len(masks) >= 4; i, masks = i+1, masks[4:] {
			if bits.OnesCount32(binary.LittleEndian.Uint32(masks)^mask) > 2*edits {
				continue
			}
			if *room--; *room < 0 {
				return found
			}
			term := ix.spelling.term(i)
			if term >= ix.terms.n {
				continue // a damaged file
			}
			// Nobody who means a rare word writes a common one.
			if text := ix.terms.text(term); within(word, text, edits) && !ix.vocabulary.weak[string(text)] {
				found = append(found, term)
			}
		}
	}
	return found
}
