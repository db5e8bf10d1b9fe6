package query

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// expansion is a term or phrase of the index that matches some words of the query.
type expansion struct {
	from, to  int     // the query's words from:to
	term      int     // its number in the dictionary
	phrase    []int   // the adjacent stems of a phrase; nil for a term
	quality   float64 // how likely it is what the query means: 1 for the word itself
	synonym   bool    // it is a synonym of the words
	corrected bool    // found by correcting the words
	literal   bool    // it is the word itself, perhaps completed, joined or respelt
}

// minPrefix is the length in bytes of the shortest word that is completed. A single letter begins
// too many words.
const minPrefix = 2

// firstWord sorts after the terms that are no words, and before all words.
const firstWord = " "

// maxCompletions limits the completions of a prefix to the most frequent. Only catalogues of
// hundreds of thousands of listings have more for two letters.
const maxCompletions = 8192

// expanded is a parsed query with the terms that match its words.
type expanded struct {
	parsed
	expansions []expansion
	table      *termTable // of the expansions
	correction string     // the query with the words that seem misspelt corrected, or ""
	respelt    uint32     // bit i: word i has another spelling in correction
	// unknownNames are the words of the query that seem to name a product which no listing mentions.
	unknownNames []string
}

// expand finds the terms that match the words of a query. It also corrects words that seem
// misspelt, unless the request wants them as spelt.
func (s *scratch) expand(p parsed, q *api.SearchQuery) expanded {
	words := textsOf(p.words)
	x := expanded{parsed: p, table: &s.table}
	x.expansions = s.expandWords(s.expansions[:0], &p, words, func(int) bool { return true })
	if !q.AsSpelt {
		if corrected := x.correct(s.Engine, words); !slices.Equal(corrected, words) {
			x.correction = s.withCorrections(q.Q, words, corrected)
			for i := range words {
				if corrected[i] != words[i] {
					x.respelt |= 1 << i
				}
			}
			x.expandCorrected(s.Engine, words, corrected)
		}
	}
	for i := range words {
		isFound := func(e expansion) bool { return e.from <= i && i < e.to }
		if s.isUnknownName(&p.words[i]) && !slices.ContainsFunc(x.expansions, isFound) {
			x.unknownNames = append(x.unknownNames, words[i])
		}
	}
	s.expansions = x.expansions
	s.table.fill(s.Index, x.expansions)
	return x
}

// isUnknownName reports whether a word seems to name a tool that the user wants to leave, but no
// listing has it. Other forms of such a word mean something else: "canvas" is not Canva.
func (e *Engine) isUnknownName(w *queryWord) bool {
	_, known := e.Terms.Find(w.text)
	return w.unwanted && !known && e.isDoubtful(w.text)
}

// isPartOfName reports whether a term is in the name of a listing or of a product.
func (e *Engine) isPartOfName(term int) bool {
	for _, f := range []index.Field{index.FieldName, index.FieldAlias, index.FieldReplaces} {
		if e.Postings.HasClass(term, index.ClassOf(f, false)) || e.Postings.HasClass(term, index.ClassOf(f, true)) {
			return true
		}
	}
	return false
}

// correct returns the words with the misspelt ones corrected. If no listing has a word, it also
// adds the corrections of that word as expansions.
func (x *expanded) correct(e *Engine, words []string) (corrections []string) {
	var known [maxWords]bool
	for _, expansion := range x.expansions {
		for i := expansion.from; i < expansion.to; i++ {
			known[i] = true
		}
	}
	corrections = slices.Clone(words)
	unknown := 0
	for i, word := range words {
		// Only the last word is completed, but a beginning of a known word is never corrected.
		isName := e.isUnknownName(&x.words[i])
		isBegun := !isName && (i+1 < len(words) || !x.unfinished) && len(word) >= minPrefix && e.HasPrefix(word)
		if known[i] || isBegun || !e.isDoubtful(word) {
			continue
		}
		if unknown++; unknown > maxCorrected {
			break
		}
		similar := e.Corrections(word, e.vocabulary.weak)
		if isName {
			similar = slices.DeleteFunc(similar, func(term int) bool { return !e.isPartOfName(term) })
		}
		for _, term := range similar {
			x.expansions = append(x.expansions,
				expansion{from: i, to: i + 1, term: term, quality: ranking.typo, corrected: true, literal: true})
		}
		if len(similar) > 0 {
			corrections[i] = string(e.Terms.Text(similar[0]))
		}
	}
	for i := range words {
		if known[i] && unknown < maxCorrected {
			if better := x.betterSpelling(e, words[i], i); better != "" {
				corrections[i] = better
				unknown++
			}
		}
	}
	return corrections
}

// expandWords adds the expansions of words. It expands a word by itself only if wanted(i). A
// directed phrase is a unit: its words by themselves do not match.
func (e *Engine) expandWords(list []expansion, p *parsed, words []string, wanted func(i int) bool) []expansion {
	stems := e.Language.Stems(words)
	unit := make([]bool, len(words))
	for _, d := range e.synonyms.directedIn(stems, p.words) {
		before := len(list)
		if term, phrase := e.phraseStems(&d.phrase); phrase != nil {
			found := expansion{from: d.from, to: d.to, term: term, phrase: phrase, quality: 1, literal: true}
			list = append(list, found)
		}
		list = e.phraseExpansions(list, stems, p.words, d.from, d.to)
		for i := d.from; i < d.to && len(list) > before; i++ {
			unit[i] = true
		}
	}
	for i := range words {
		if wanted(i) && !unit[i] {
			list = e.wordExpansions(list, p, words, stems, i)
		}
		list = e.joinedExpansions(list, words, i)
		for n := min(len(stems)-i, e.synonyms.longest[stems[i]]); n > 0; n-- {
			list = e.phraseExpansions(list, stems, p.words, i, i+n)
		}
	}
	return list
}

// withCorrections returns a query with some of its words corrected. It keeps the other words,
// including those that are not searched for.
func (e *Engine) withCorrections(text string, words, corrected []string) string {
	var b strings.Builder
	folded, next, last := token.Fold(text), 0, 0
	b.Grow(len(folded) + maxWords) // corrections are of similar length
	e.Language.Each(folded, func(word string, start, end int) {
		if b.Len() > 0 && start > last {
			b.WriteByte(' ')
		}
		written := word
		if len(word) > end-start { // a pair of characters, whose second begins the next pair
			written = folded[start:end]
		}
		if next < len(words) && word == words[next] {
			if corrected[next] != word {
				written = corrected[next]
			}
			next++
		}
		b.WriteString(written)
		last = end
	})
	return b.String()
}

// isKnown reports whether a folded word is common English, or a word of a listing.
func (e *Engine) isKnown(word string) bool {
	_, ok := e.Terms.Find(word)
	return ok || e.English.Has(word)
}

// isDoubtful reports whether a word that no listing has may be misspelt. Common English words are
// spelt correctly, and a word with digits is probably a number or a version.
func (e *Engine) isDoubtful(word string) bool {
	return !e.English.Has(word) && !strings.ContainsAny(word, "0123456789")
}

// A word may be misspelt if no listing has it exactly as typed, and at most maxDoubtful listings
// have another form of it. If at least betterRatio times as many listings have a similar word, the
// search covers both.
const (
	maxDoubtful = 2
	betterRatio = 4
)

// betterSpelling returns a likelier spelling of the i-th word, or "".
func (x *expanded) betterSpelling(e *Engine, word string, i int) string {
	if _, exact := e.Terms.Find(word); exact || !e.isDoubtful(word) {
		return ""
	}
	listings := 0
	for _, expansion := range x.expansions {
		if expansion.from <= i && i < expansion.to {
			listings += e.Postings.Frequency(expansion.term)
		}
	}
	if listings > maxDoubtful {
		return ""
	}
	similar := e.Corrections(word, e.vocabulary.weak)
	if len(similar) == 0 || e.Postings.Frequency(similar[0]) < betterRatio*listings {
		return ""
	}
	return string(e.Terms.Text(similar[0]))
}

// expandCorrected adds the expansions of corrected words, including their stems and
// synonyms.
func (x *expanded) expandCorrected(e *Engine, words, corrections []string) {
	list := e.expandWords(nil, &x.parsed, corrections, func(i int) bool { return corrections[i] != words[i] })
	for _, expansion := range list {
		if !slices.Equal(words[expansion.from:expansion.to], corrections[expansion.from:expansion.to]) {
			expansion.quality *= ranking.typo
			expansion.corrected = true
			x.expansions = append(x.expansions, expansion)
		}
	}
}

// joinedExpansions adds the term that the i-th word and the next make when written together: "open
// webui" finds "OpenWebUI".
func (e *Engine) joinedExpansions(list []expansion, words []string, i int) []expansion {
	if i+1 < len(words) {
		if term, ok := e.Terms.Find(words[i] + words[i+1]); ok {
			list = append(list, expansion{from: i, to: i + 2, term: term, quality: 1, literal: true})
		}
	}
	return list
}

// wordExpansions adds the i-th word of the query, other words with the same stem and, if it is the
// last word of an unfinished query, the words that begin with it: only names, if it is a word itself or
// seems to be a name.
func (e *Engine) wordExpansions(list []expansion, p *parsed, words, stems []string, i int) []expansion {
	word, known := e.Terms.Find(words[i])
	isName := i < len(p.words) && e.isUnknownName(&p.words[i])
	if known {
		list = append(list, expansion{from: i, to: i + 1, term: word, quality: 1, literal: true})
	} else {
		word = -1
	}
	for _, other := range e.WithStem(stems[i]) {
		if other != word && !isName {
			list = append(list, expansion{from: i, to: i + 1, term: other, quality: ranking.stem})
		}
	}
	if e.Language.IsHalf(words[i]) {
		list = e.pairExpansions(list, words[i], i, word)
	} else if p.unfinished && i == len(words)-1 && len(words[i]) >= minPrefix {
		from, to := e.Terms.PrefixRange(words[i])
		for _, term := range e.MostFrequent(from, to, maxCompletions) {
			if term != word && (!known && !isName || e.isPartOfName(term)) {
				list = append(list, expansion{from: i, to: i + 1, term: term, quality: ranking.prefix, literal: true})
			}
		}
	}
	return list
}

// pairExpansions adds the words, except one, that begin or end with a single character of a script without spaces.
func (e *Engine) pairExpansions(list []expansion, half string, i, except int) []expansion {
	for term, _ := e.Terms.Find(firstWord); term < e.Terms.N && len(list) < maxCompletions; term++ {
		text := string(e.Terms.Text(term))
		if term != except && (strings.HasPrefix(text, half) || strings.HasSuffix(text, half)) {
			list = append(list, expansion{from: i, to: i + 1, term: term, quality: ranking.prefix, literal: true})
		}
	}
	return list
}

// phraseExpansions adds the synonyms of the words from:to.
func (e *Engine) phraseExpansions(list []expansion, stems []string, words []queryWord, from, to int) []expansion {
	for _, phrase := range e.synonyms.of(stems[from:to], words[from:to]) {
		x := expansion{from: from, to: to, quality: ranking.synonym, synonym: true}
		if len(phrase.Stems) == 1 {
			for _, x.term = range e.WithStem(phrase.Stems[0]) {
				list = append(list, x)
			}
			continue
		}
		if x.term, x.phrase = e.phraseStems(&phrase); x.phrase != nil {
			list = append(list, x)
		}
	}
	return list
}

// phraseStems returns the term of a phrase and the numbers of its stems. stems is nil if no listing
// has the phrase.
func (e *Engine) phraseStems(phrase *index.Phrase) (term int, stems []int) {
	term, ok := e.Terms.Find(phrase.Term)
	if !ok {
		return 0, nil
	}
	for _, s := range phrase.Stems {
		stem, _ := e.Stems.Find(s) // always found, because the index has the phrase
		stems = append(stems, stem)
	}
	return term, stems
}

// maxCorrected limits how many words of a query are corrected. Correcting is the most expensive
// step, and a query with more unknown words is probably in another language.
const maxCorrected = 4
