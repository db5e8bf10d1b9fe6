package search

import (
	"math"
	"slices"
	"strings"
)

// How well an occurrence matches a word of the query, as measured.
const (
	matchWord    = 1.0
	matchStem    = 0.95
	matchPrefix  = 0.6
	matchSynonym = 0.6
	matchTypo    = 0.5
)

// cover is something in the index that answers some words of the query: a term,
// or a phrase of them.
type cover struct {
	from, to int     // the query's words from:to
	term     int     // number of the term under which it is listed
	phrase   []int   // the stems of a phrase, which a text has side by side; nil for a term
	quality  float64 // one of the match… constants, or their product
	synonym  bool    // it means the same in other words
	guess    bool    // the query's words were taken for misspelt
	literal  bool    // it is the query's own word, written otherwise at most
}

// minPrefix is the shortest word that is completed: a single letter begins too
// much of everything.
const minPrefix = 2

// maxCompletions bounds how many words a prefix is completed to; of more, the
// most frequent are taken. Two letters begin more only in catalogs of hundreds
// of thousands of listings.
const maxCompletions = 8192

// findCovers finds everything in the index that answers words of the query, and
// returns the query with misspelt words corrected, "" where none was.
func (w *work) findCovers(words []string) (corrected string) {
	ix, stems := w.ix, stemsOf(words)
	for i := range words {
		w.covers = ix.wordCovers(w.covers, words, stems, i)
		w.covers = ix.joinedCovers(w.covers, words, i)
		w.covers = ix.synonymCovers(w.covers, stems, i)
	}
	var known [maxWords]bool
	for _, c := range w.covers {
		for i := c.from; i < c.to; i++ {
			known[i] = true
		}
	}
	respelt, unknown := slices.Clone(words), 0
	for i, word := range words {
		// Only the last word is completed, but another that begins one is no mistake.
		if known[i] || i+1 < len(words) && ix.begins(word) {
			continue
		}
		if unknown++; unknown > maxRespelt {
			break
		}
		near := ix.misspellings(word)
		for _, term := range near {
			w.covers = append(w.covers, cover{from: i, to: i + 1, term: term, quality: matchTypo, guess: true, literal: true})
		}
		if len(near) > 0 {
			respelt[i] = string(ix.terms.text(near[0]))
		}
	}
	if !slices.Equal(respelt, words) {
		w.respeltCovers(words, respelt)
	}
	for i := range words {
		if known[i] && unknown < maxRespelt {
			if better := w.betterSpelling(words, i); better != "" {
				respelt[i] = better
				unknown++
			}
		}
	}
	if slices.Equal(respelt, words) {
		return ""
	}
	return strings.Join(respelt, " ")
}

// A word that no listing has as it is, and at most doubted listings in another
// form, may be a mistake for one that moreOften times as many have. It is asked
// back, and not answered: it is known, after all.
const (
	doubted   = 2
	moreOften = 4
)

// betterSpelling returns what the i-th word may have been meant to be, or "".
func (w *work) betterSpelling(words []string, i int) string {
	if _, exact := w.ix.terms.find(words[i]); exact {
		return ""
	}
	having := 0
	for _, c := range w.covers {
		if c.from <= i && i < c.to {
			having += w.ix.postings.frequency(c.term)
		}
	}
	if having > doubted {
		return ""
	}
	near := w.ix.misspellings(words[i])
	if len(near) == 0 || w.ix.postings.frequency(near[0]) < moreOften*having {
		return ""
	}
	return string(w.ix.terms.text(near[0]))
}

// respeltCovers adds what answers the corrected words as it would answer them
// had they been written right: their stems and synonyms.
func (w *work) respeltCovers(words, respelt []string) {
	var list []cover
	stems := stemsOf(respelt)
	for i := range respelt {
		if respelt[i] != words[i] {
			list = w.ix.wordCovers(list, respelt, stems, i)
		}
		list = w.ix.joinedCovers(list, respelt, i)
		list = w.ix.synonymCovers(list, stems, i)
	}
	for _, c := range list {
		if !slices.Equal(words[c.from:c.to], respelt[c.from:c.to]) {
			c.quality *= matchTypo
			c.guess = true
			w.covers = append(w.covers, c)
		}
	}
}

// joinedCovers adds the word that two neighbours are when written as one: "open
// webui" finds "OpenWebUI".
func (ix *Index) joinedCovers(list []cover, words []string, i int) []cover {
	if i+1 < len(words) {
		if term, ok := ix.terms.find(words[i] + words[i+1]); ok {
			list = append(list, cover{from: i, to: i + 2, term: term, quality: matchWord, literal: true})
		}
	}
	return list
}

// begins tells whether any word of the vocabulary begins with the given one.
func (ix *Index) begins(word string) bool {
	at := ix.terms.search(word)
	return len(word) >= minPrefix && at < ix.terms.n && strings.HasPrefix(string(ix.terms.text(at)), word)
}

// wordCovers adds the words that are the i-th word of the query, have its stem,
// or begin with it where it is the last.
func (ix *Index) wordCovers(list []cover, words, stems []string, i int) []cover {
	word, known := ix.terms.find(words[i])
	if known {
		list = append(list, cover{from: i, to: i + 1, term: word, quality: matchWord, literal: true})
	} else {
		word = -1
	}
	for _, same := range ix.withStem(stems[i]) {
		if same != word {
			list = append(list, cover{from: i, to: i + 1, term: same, quality: matchStem})
		}
	}
	if i == len(words)-1 && len(words[i]) >= minPrefix {
		from, to := ix.terms.beginning(words[i])
		for _, term := range ix.mostFrequent(from, to, maxCompletions) {
			if term != word {
				list = append(list, cover{from: i, to: i + 1, term: term, quality: matchPrefix, literal: true})
			}
		}
	}
	return list
}

// mostFrequent returns up to n terms of a range, those of most listings where
// there are more.
func (ix *Index) mostFrequent(from, to, n int) []int {
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

// sortByFrequency orders terms by how many listings have them, most first, then by
// number.
func (ix *Index) sortByFrequency(terms []int) {
	keys := make([]uint64, len(terms))
	for i, t := range terms {
		keys[i] = (math.MaxUint32-uint64(ix.postings.frequency(t)))<<32 | uint64(t)
	}
	slices.Sort(keys)
	for i, key := range keys {
		terms[i] = int(key & math.MaxUint32) // a term's number
	}
}

// synonymCovers adds what means the same as the words of the query from the
// i-th on.
func (ix *Index) synonymCovers(list []cover, stems []string, i int) []cover {
	for n := min(len(stems)-i, ix.synonyms.longest[stems[i]]); n > 0; n-- {
		for _, phrase := range ix.synonyms.others[phraseKey(stems[i:i+n])] {
			c := cover{from: i, to: i + n, quality: matchSynonym, synonym: true}
			if phrase.words == 1 {
				for _, c.term = range ix.withStem(phrase.stems[0]) {
					list = append(list, c)
				}
				continue
			}
			var ok bool
			if c.term, ok = ix.terms.find(phrase.term); !ok {
				continue
			}
			for _, s := range phrase.stems {
				stem, _ := ix.stems.find(s) // it has the phrase, so it has its stems
				c.phrase = append(c.phrase, stem)
			}
			list = append(list, c)
		}
	}
	return list
}

// maxRespelt bounds how many words of one query are looked for misspelt, which
// costs more than all else of a query: who types more unknown words at once
// writes another language.
const maxRespelt = 4
