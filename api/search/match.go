package search

import (
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
	"github.com/kljensen/snowball/english"
)

// How well an occurrence matches a word of the query.
const (
	matchWord    = 1.0
	matchStem    = 0.9
	matchPrefix  = 0.8
	matchSynonym = 0.75
	matchTypo    = 0.5
)

// cover is a phrase of listings' words that answers some words of the query.
type cover struct {
	from, to int      // the query's words from:to
	phrase   []string // the words a text must have, all of them
	quality  float64  // one of the match… constants
}

// minPrefix is the shortest word that is completed: a single letter begins too
// much of everything.
const minPrefix = 2

// covers returns everything in the vocabulary that answers words of the query,
// and the query with misspelt words corrected, "" where none was.
func (ix *Index) covers(words []string) (list []cover, corrected string) {
	respelt := slices.Clone(words)
	for i := range words {
		before := len(list)
		list = ix.wordCovers(list, words, i)
		// Neighbours joined: "open webui" finds "OpenWebUI".
		if i+1 < len(words) {
			if joined := words[i] + words[i+1]; ix.has(joined) {
				list = append(list, cover{i, i + 2, []string{joined}, matchWord})
			}
		}
		for n := min(ix.longestSynonym, len(words)-i); n > 0; n-- {
			for _, phrase := range ix.synonyms[strings.Join(words[i:i+n], " ")] {
				list = append(list, cover{i, i + n, phrase, matchSynonym})
			}
		}
		if i+1 < len(words) && ix.begins(words[i]) {
			continue // only the last word is completed, but this one is no mistake
		}
		covered := slices.ContainsFunc(list, func(c cover) bool { return c.from <= i && i < c.to })
		if len(list) > before || covered {
			continue
		}
		near := ix.misspellings(words[i])
		for _, w := range near {
			list = append(list, cover{i, i + 1, []string{w}, matchTypo})
		}
		if len(near) > 0 {
			respelt[i] = near[0]
		}
	}
	if !slices.Equal(respelt, words) {
		corrected = strings.Join(respelt, " ")
	}
	return list, corrected
}

// begins tells whether any word of the vocabulary begins with the given one.
func (ix *Index) begins(word string) bool {
	at, _ := slices.BinarySearch(ix.sorted, word)
	return len(word) >= minPrefix && at < len(ix.sorted) && strings.HasPrefix(ix.sorted[at], word)
}

func (ix *Index) has(word string) bool { _, ok := ix.terms[word]; return ok }

// wordCovers adds the words that are the i-th word of the query, have its stem,
// or begin with it where it is the last.
func (ix *Index) wordCovers(list []cover, words []string, i int) []cover {
	word := words[i]
	if ix.has(word) {
		list = append(list, cover{i, i + 1, []string{word}, matchWord})
	}
	for _, same := range ix.stems[english.Stem(word, false)] {
		if same != word {
			list = append(list, cover{i, i + 1, []string{same}, matchStem})
		}
	}
	if i == len(words)-1 && len(word) >= minPrefix {
		at, _ := slices.BinarySearch(ix.sorted, word)
		for ; at < len(ix.sorted) && strings.HasPrefix(ix.sorted[at], word); at++ {
			if ix.sorted[at] != word {
				list = append(list, cover{i, i + 1, []string{ix.sorted[at]}, matchPrefix})
			}
		}
	}
	return list
}

// Letters that a word must have for one and for two mistakes in it to be
// forgiven; shorter ones are too near to other words.
const (
	oneMistakeFrom  = 4
	twoMistakesFrom = 8
)

// letterMask has a bit for each letter that a word holds. An edit changes at
// most two of them, which tells most words apart without comparing them.
func letterMask(word string) uint32 {
	var mask uint32
	for _, r := range word {
		mask |= 1 << (uint32(r) % 32) // #nosec G115 -- a rune is not negative
	}
	return mask
}

// misspellings returns the words of the vocabulary that the given one is most
// likely meant to be, most frequent first among the nearest. The first letter
// is taken as right unless nothing else is found.
func (ix *Index) misspellings(word string) []string {
	letters, mask := len([]rune(word)), letterMask(word)
	allowed := 0
	switch {
	case letters >= twoMistakesFrom:
		allowed = 2
	case letters >= oneMistakeFrom:
		allowed = 1
	}
	for distance := 1; distance <= allowed; distance++ {
		var sameFirst, other []string
		for i, candidate := range ix.sorted {
			if bits.OnesCount32(ix.masks[i]^mask) > 2*distance {
				continue
			}
			if api.EditDistance(word, candidate) != distance {
				continue
			}
			if candidate[0] == word[0] {
				sameFirst = append(sameFirst, candidate)
			} else {
				other = append(other, candidate)
			}
		}
		for _, near := range [][]string{sameFirst, other} {
			if len(near) > 0 {
				slices.SortStableFunc(near, func(a, b string) int {
					return len(ix.terms[b].postings) - len(ix.terms[a].postings)
				})
				return near
			}
		}
	}
	return nil
}
