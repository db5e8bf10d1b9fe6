package search

import (
	"cmp"
	"slices"
	"strings"

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

// cover is something in the index that answers some words of the query: a term,
// or a phrase of them.
type cover struct {
	from, to int     // the query's words from:to
	term     int     // number of the term under which it is listed
	phrase   []int   // the stems of a phrase, which a text has side by side; nil for a term
	quality  float64 // one of the match… constants
}

// literal tells whether the cover is the query's own word, written otherwise at
// most, and not another that means the same.
func (c *cover) literal() bool { return c.quality != matchSynonym && c.quality != matchStem }

// minPrefix is the shortest word that is completed: a single letter begins too
// much of everything.
const minPrefix = 2

// maxCompletions bounds how many words a prefix is completed to; of more, the
// most frequent are taken. Two letters begin more only in catalogs of hundreds
// of thousands of listings.
const maxCompletions = 8192

// covers finds everything in the index that answers words of the query, and the
// query with misspelt words corrected, "" where none was.
func (ix *Index) covers(list []cover, words []string) (covers []cover, corrected string) {
	respelt := slices.Clone(words)
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w)
	}
	unknown := 0
	for i := range words {
		before := len(list)
		list = ix.wordCovers(list, words, stems, i)
		// Neighbours joined: "open webui" finds "OpenWebUI".
		if i+1 < len(words) {
			if term, ok := ix.terms.find(words[i] + words[i+1]); ok {
				list = append(list, cover{i, i + 2, term, nil, matchWord})
			}
		}
		list = ix.synonymCovers(list, stems, i)
		if i+1 < len(words) && ix.begins(words[i]) {
			continue // only the last word is completed, but this one is no mistake
		}
		covered := slices.ContainsFunc(list, func(c cover) bool { return c.from <= i && i < c.to })
		if len(list) > before || covered {
			continue
		}
		if unknown++; unknown > maxRespelt {
			continue
		}
		near := ix.misspellings(words[i])
		for _, term := range near {
			list = append(list, cover{i, i + 1, term, nil, matchTypo})
		}
		if len(near) > 0 {
			respelt[i] = string(ix.terms.text(near[0]))
		}
	}
	if !slices.Equal(respelt, words) {
		corrected = strings.Join(respelt, " ")
	}
	return list, corrected
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
		list = append(list, cover{i, i + 1, word, nil, matchWord})
	} else {
		word = -1
	}
	for _, same := range ix.withStem(stems[i]) {
		if same != word {
			list = append(list, cover{i, i + 1, same, nil, matchStem})
		}
	}
	if i == len(words)-1 && len(words[i]) >= minPrefix {
		from, to := ix.terms.beginning(words[i])
		for _, term := range ix.mostFrequent(from, to, maxCompletions) {
			if term != word {
				list = append(list, cover{i, i + 1, term, nil, matchPrefix})
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
		frequencies := make([]int, len(terms))
		for i, t := range terms {
			frequencies[i] = ix.postings.frequency(t)
		}
		slices.SortFunc(terms, func(a, b int) int {
			return cmp.Or(cmp.Compare(frequencies[b-from], frequencies[a-from]), cmp.Compare(a, b))
		})
		terms = terms[:n]
	}
	return terms
}

// synonymCovers adds what means the same as the words of the query from the
// i-th on.
func (ix *Index) synonymCovers(list []cover, stems []string, i int) []cover {
	for n := min(ix.synonyms.longest, len(stems)-i); n > 0; n-- {
		for _, phrase := range ix.synonyms.others[strings.Join(stems[i:i+n], " ")] {
			if phrase.words == 1 {
				for _, term := range ix.withStem(phrase.stems[0]) {
					list = append(list, cover{i, i + n, term, nil, matchSynonym})
				}
				continue
			}
			term, ok := ix.terms.find(phrase.term)
			if !ok {
				continue
			}
			stems := make([]int, phrase.words)
			for k, s := range phrase.stems {
				stems[k], _ = ix.stems.find(s) // it has the phrase, so it has its stems
			}
			list = append(list, cover{i, i + n, term, stems, matchSynonym})
		}
	}
	return list
}

// maxRespelt bounds how many words of one query are looked for misspelt, which
// costs more than all else of a query: who types more unknown words at once
// writes another language.
const maxRespelt = 4

// stem returns the stem of a folded word (Snowball's English stemmer).
func stem(word string) string { return english.Stem(word, false) }
