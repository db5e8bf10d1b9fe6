package query

import (
	"slices"
	"strings"

	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// expansion is a term or phrase of the index that matches some words of the query.
type expansion struct {
	from, to  int     // the query's words from:to
	term      int     // its number in the dictionary
	phrase    []int   // the adjacent stems of a phrase; nil for a term
	quality   float64 // how likely the words are meant: 1 for the word itself
	synonym   bool    // a synonym of the words
	corrected bool    // found by correcting the words
	literal   bool    // the word itself, perhaps completed, joined or respelt
}

// minPrefix is the length in bytes of the shortest word that is completed. Too many
// words begin with any one letter.
const minPrefix = 2

// maxCompletions bounds the completions of a prefix; the most frequent are taken.
// Only catalogues of hundreds of thousands of listings have more for two letters.
const maxCompletions = 8192

// expand finds the expansions of all words of the query. It returns the words with those
// misspelt corrected, or nil if there were none or they are wanted asSpelt.
func (w *scratch) expand(words []string, asSpelt bool) (corrected []string) {
	ix := w.ix
	w.expansions = w.expandWords(w.expansions, words, func(int) bool { return true })
	if asSpelt {
		return nil
	}
	var known [maxWords]bool
	for _, e := range w.expansions {
		for i := e.from; i < e.to; i++ {
			known[i] = true
		}
	}
	corrections, unknown := slices.Clone(words), 0
	for i, word := range words {
		// Only the last word is completed, but no prefix of a known word is corrected.
		if known[i] || (i+1 < len(words) || !w.query.unfinished) && len(word) >= minPrefix && ix.HasPrefix(word) || !ix.isDoubtful(word) {
			continue
		}
		if unknown++; unknown > maxCorrected {
			break
		}
		similar := ix.Corrections(word, ix.vocabulary.weak)
		for _, term := range similar {
			w.expansions = append(w.expansions, expansion{from: i, to: i + 1, term: term, quality: ranking.typo, corrected: true, literal: true})
		}
		if len(similar) > 0 {
			corrections[i] = string(ix.Terms.Text(similar[0]))
		}
	}
	for i := range words {
		if known[i] && unknown < maxCorrected {
			if better := w.betterSpelling(words, i); better != "" {
				corrections[i] = better
				unknown++
			}
		}
	}
	if slices.Equal(corrections, words) {
		return nil
	}
	w.expandCorrected(words, corrections)
	return corrections
}

// expandWords adds the expansions of words, of single ones only if wanted says so. A
// directed phrase is a unit: its words by themselves do not match.
func (w *scratch) expandWords(list []expansion, words []string, wanted func(i int) bool) []expansion {
	ix, stems := w.ix, token.Stems(words)
	unit := make([]bool, len(words))
	for _, d := range ix.synonyms.directedIn(stems, w.query.words) {
		before := len(list)
		if term, phrase := ix.phraseStems(&d.phrase); phrase != nil {
			list = append(list, expansion{from: d.from, to: d.to, term: term, phrase: phrase, quality: 1, literal: true})
		}
		list = ix.phraseExpansions(list, stems, w.query.words, d.from, d.to)
		for i := d.from; i < d.to && len(list) > before; i++ {
			unit[i] = true
		}
	}
	for i := range words {
		if wanted(i) && !unit[i] {
			list = ix.wordExpansions(list, words, stems, i, w.query.unfinished)
		}
		list = ix.joinedExpansions(list, words, i)
		for n := min(len(stems)-i, ix.synonyms.longest[stems[i]]); n > 0; n-- {
			list = ix.phraseExpansions(list, stems, w.query.words, i, i+n)
		}
	}
	return list
}

// withCorrections returns a query with some of its words corrected. It keeps the others, of
// which some are not searched for.
func withCorrections(text string, words, corrected []string) string {
	all := token.Of(text)
	for i, next := 0, 0; i < len(all) && next < len(words); i++ {
		if all[i] == words[next] {
			all[i] = corrected[next]
			next++
		}
	}
	return strings.Join(all, " ")
}

// isDoubtful reports whether a word that no listing has may be misspelt: common English
// words are not, and what has digits is rather a number or the name of a version.
func (ix *Engine) isDoubtful(word string) bool {
	return !ix.English.Has(word) && !strings.ContainsAny(word, "0123456789")
}

// A word that no listing has in this form, and at most maxDoubtful listings in another
// form, may be a misspelling of one that betterRatio times as many have. Both are searched
// for.
const (
	maxDoubtful = 2
	betterRatio = 4
)

// betterSpelling returns a likelier spelling of the i-th word, or "".
func (w *scratch) betterSpelling(words []string, i int) string {
	if _, exact := w.ix.Terms.Find(words[i]); exact || !w.ix.isDoubtful(words[i]) {
		return ""
	}
	listings := 0
	for _, e := range w.expansions {
		if e.from <= i && i < e.to {
			listings += w.ix.Postings.Frequency(e.term)
		}
	}
	if listings > maxDoubtful {
		return ""
	}
	similar := w.ix.Corrections(words[i], w.ix.vocabulary.weak)
	if len(similar) == 0 || w.ix.Postings.Frequency(similar[0]) < betterRatio*listings {
		return ""
	}
	return string(w.ix.Terms.Text(similar[0]))
}

// expandCorrected adds the expansions of corrected words, including their stems and
// synonyms.
func (w *scratch) expandCorrected(words, corrections []string) {
	list := w.expandWords(nil, corrections, func(i int) bool { return corrections[i] != words[i] })
	for _, e := range list {
		if !slices.Equal(words[e.from:e.to], corrections[e.from:e.to]) {
			e.quality *= ranking.typo
			e.corrected = true
			w.expansions = append(w.expansions, e)
		}
	}
}

// joinedExpansions adds the word that the i-th word and the next form when written
// together: "open webui" finds "OpenWebUI".
func (ix *Engine) joinedExpansions(list []expansion, words []string, i int) []expansion {
	if i+1 < len(words) {
		if term, ok := ix.Terms.Find(words[i] + words[i+1]); ok {
			list = append(list, expansion{from: i, to: i + 2, term: term, quality: 1, literal: true})
		}
	}
	return list
}

// wordExpansions adds the i-th word of the query, the words with its stem and, if it
// is the last word of an unfinished query, the words that begin with it.
func (ix *Engine) wordExpansions(list []expansion, words, stems []string, i int, unfinished bool) []expansion {
	word, known := ix.Terms.Find(words[i])
	if known {
		list = append(list, expansion{from: i, to: i + 1, term: word, quality: 1, literal: true})
	} else {
		word = -1
	}
	for _, other := range ix.WithStem(stems[i]) {
		if other != word {
			list = append(list, expansion{from: i, to: i + 1, term: other, quality: ranking.stem})
		}
	}
	if unfinished && i == len(words)-1 && len(words[i]) >= minPrefix {
		from, to := ix.Terms.PrefixRange(words[i])
		for _, term := range ix.MostFrequent(from, to, maxCompletions) {
			if term != word {
				list = append(list, expansion{from: i, to: i + 1, term: term, quality: ranking.prefix, literal: true})
			}
		}
	}
	return list
}

// phraseExpansions adds the synonyms of the words from:to.
func (ix *Engine) phraseExpansions(list []expansion, stems []string, words []queryWord, from, to int) []expansion {
	for _, phrase := range ix.synonyms.of(stems[from:to], words[from:to]) {
		e := expansion{from: from, to: to, quality: ranking.synonym, synonym: true}
		if len(phrase.Stems) == 1 {
			for _, e.term = range ix.WithStem(phrase.Stems[0]) {
				list = append(list, e)
			}
			continue
		}
		if e.term, e.phrase = ix.phraseStems(&phrase); e.phrase != nil {
			list = append(list, e)
		}
	}
	return list
}

// phraseStems returns the term of a phrase and its stems, or nil if no listing has it.
func (ix *Engine) phraseStems(phrase *index.Phrase) (term int, stems []int) {
	term, ok := ix.Terms.Find(phrase.Term)
	if !ok {
		return 0, nil
	}
	for _, s := range phrase.Stems {
		stem, _ := ix.Stems.Find(s) // found: the index has the phrase
		stems = append(stems, stem)
	}
	return term, stems
}

// maxCorrected bounds how many words of a query are corrected. Correcting is the most
// expensive step, and a query with more unknown words is in another language.
const maxCorrected = 4
