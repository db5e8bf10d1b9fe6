// Package query answers queries from an index: it takes an api.SearchQuery and returns the
// JSON of an api.SearchResponse.
//
// The source files, in the order of the steps:
//
//	engine.go     an index that answers queries
//	answer.go     the steps, one after the other
//	parse.go      from free text to words and hints (vocab.go)
//	computer.go   the user's computer in the words of a query (lexicon.go)
//	quantity.go   numbers with units
//	phrases.go    tables of phrases
//	expand.go     from words to terms of the index (synonyms.go, table.go)
//	lookup.go     from terms to the listings that have each word
//	match.go      listings that have all words, or some
//	filter.go     filters (count.go counts facets)
//	machine.go    which listings fit the computer
//	rank.go       the best of the listings that match
//	grade.go      how well a listing matches (weights.go has the numbers)
//	textmatch.go  how well a text matches
//	named.go      products that a query names
//	write.go      the JSON of an answer
//	explain.go    why a listing is where it is, for editors
//	scratch.go    the memory of one query, reused for the next
//
// Each step takes the value that the step before it returned: parsed, expanded, found, matched,
// hits, answer.
//
//  1. parse cuts out the words that name the user's computer, and sorts the others into
//     required words, weak words that are optional, hints (facts that the wording suggests),
//     requirements (platforms, licences) and filler, and counts clauses: what is wanted comes
//     first, circumstances follow. General English is in vocab.go, the rest in the taxonomy.
//  2. expand finds the expansions of each word: the word, words with its stem, its
//     completions if it is the last, two words joined, synonyms. Only if hardly any listing
//     has them, and the word is no common English word, it looks for the nearest spellings.
//  3. lookUp fills three sets of listings for each word from the postings: those that have
//     it in names; in names, purpose, jobs or asks; anywhere. Sets are bit maps that record
//     which blocks were touched, so that rare words cost little in large catalogues.
//  4. match intersects and adds sets. Full matches of a tier are the intersection of the
//     words' sets, without those of stronger tiers. Queries of more than shortQuery required
//     words, and sentences, want them in one text, unless too many listings match to read
//     them. Partial matches come from adding the words' weights, rounded to 6 bits, for 64
//     listings at a time.
//  5. Filters are intersections with the sets of their values. Bounds read the column of a
//     number. Facets are counted from the members, the non-members or the lists of the
//     values, whichever are fewest.
//  6. rank reads the texts of the listings that may be on the page, and of no others. It
//     finds expansions by a small hash table behind a filter of filterBits bits. Fields are
//     combined as independent evidence for a word: 1 - Π(1 - weight·quality). Words are
//     weighed by rarity and clause. The arrangement of the words in the best text, the facts
//     of hints, and whether the listing suits who asks complete the quality. Partial matches
//     are lifted by the best of their category. Qualities become grades in steps; equal
//     grades are ordered by whether they fit the computer, hints, stars and slug.
//  7. The JSON is written by appending. Hits are copied from the documents.
//
// # Bounds
//
// A query has at most 16 words, 8,192 completions of the last, and 4 corrected words. In a
// small catalogue, 512 listings of each tier are graded; in a large one 64. If more match one
// word, those that have it in the best places are chosen, else the most popular. Of partial
// matches, maxLoose with most of the query are graded together. The memory of a query is some
// sets of one bit for each listing, and is reused.
package query

import (
	"runtime"
	"sync"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
	"catalog.example/api/site"
)

// Engine is an index that answers queries. It is safe for concurrent use.
type Engine struct {
	*index.Index
	settings     site.Settings
	taxonomy     *api.Taxonomy
	vocabulary   *vocabulary
	synonyms     synonyms
	productNames productNames
	echoed       []echoedParameter
	recent       recentMachines
	maxGraded    int       // see maxGradedFor
	pool         sync.Pool // of *scratch
}

// New returns an engine for an index.
func New(ix *index.Index) *Engine {
	taxonomy := ix.Taxonomy()
	e := &Engine{
		Index: ix, settings: ix.Settings(), taxonomy: taxonomy,
		vocabulary: newVocabulary(taxonomy), synonyms: newSynonyms(taxonomy.Synonyms),
		productNames: newProductNames(ix), echoed: echoedParameters(ix.Parameters()), maxGraded: maxGradedFor(ix.Len()),
	}
	e.pool.New = func() any { return newScratch(e) }
	return e
}

// Search appends the JSON of the api.SearchResponse to a query, and returns how many listings
// match. The warnings in more follow its own.
func (e *Engine) Search(dst []byte, q api.SearchQuery, more ...api.Warning) (answer []byte, total int) {
	defer runtime.KeepAlive(e)
	s := e.acquire()
	defer s.release()
	a := s.answer(&q)
	a.warnings = append(a.warnings, more...)
	return a.append(dst, &q), a.total
}

// AppendSearch is Search without the number.
func (e *Engine) AppendSearch(dst []byte, q api.SearchQuery, more ...api.Warning) []byte {
	answer, _ := e.Search(dst, q, more...)
	return answer
}

// IsSearched reports whether a folded word by itself is searched for: it is not a
// function word, filler or the wording of a fact.
func (e *Engine) IsSearched(word string) bool {
	p := e.vocabulary.parse(word, &hardware.Machine{}, nil)
	return len(p.words) == 1 && len(p.hints) == 0 && p.words[0].text == word
}
