// Package query answers queries from an index: it takes an api.SearchQuery and returns the
// JSON of an api.SearchResponse.
//
// The source files, in the order of the steps:
//
//	engine.go     an index that answers queries
//	answer.go     the steps, one after the other
//	translate.go  from other languages to English
//	parse.go      from free text to words and hints (vocab.go)
//	computer.go   the user's computer, as the words of a query name it (lexicon.go)
//	quantity.go   numbers with units
//	phrases.go    tables of phrases
//	expand.go     from words to terms of the index (synonyms.go, table.go)
//	lookup.go     from terms to the listings that have each word
//	match.go      listings that have all words, or some of them
//	filter.go     filters (license.go: spellings of licences; count.go counts facets)
//	machine.go    which listings fit the computer
//	rank.go       the best of the listings that match
//	grade.go      how well a listing matches (the numbers are in weights.go)
//	textmatch.go  how well a text matches
//	named.go      products that a query names
//	write.go      the JSON of an answer (brief.go: of a brief one)
//	quote.go      what an answer copies from the index
//	explain.go    why a listing is where it is, for editors
//	scratch.go    the memory of one query, reused for the next
//
// Each step takes the value that the previous step returned: parsed, expanded, found, matched,
// hits, answer.
//
//  1. parse cuts out the words that name the user's computer. It sorts the others into
//     required words, weak words (which are optional), hints (facts that the wording
//     suggests), requirements (platforms, licences) and filler. It also counts clauses: what
//     is wanted comes first, circumstances follow. The words of general English are in
//     vocab.go, all others in the taxonomy.
//  2. expand finds the expansions of each word: the word itself, words with the same stem,
//     completions of the last word, two words joined, and synonyms. Only if hardly any
//     listing has these, and the word is not common English, does it look for the nearest
//     spellings.
//  3. lookUp fills three sets of listings for each word from the postings: the listings that
//     have it in names; in names, purpose, jobs or asks; and anywhere. Sets are bit maps that
//     record which blocks were touched, so that rare words cost little in large catalogues.
//  4. match intersects and adds sets. The full matches of a tier are the intersection of the
//     words' sets, without the matches of stronger tiers. If a query is a sentence, or has
//     more than shortQuery required words, these must be in one text, unless too many
//     listings match to read their texts. If few of these match well, the weak ones are ranked
//     with the partial matches. For partial matches, the words' weights, rounded to 6 bits, are
//     added for 64 listings at a time.
//  5. Filters are intersections with the sets of their values. Bounds read the column of a
//     number. Facets are counted from the members, the non-members or the lists of the
//     values, whichever is least work.
//  6. rank reads only the texts of listings that may be on the page. It finds expansions in a
//     small hash table behind a filter of filterSize bytes. Fields are combined as independent
//     evidence for a word: 1 - Π(1 - weight·quality). Words are weighted by rarity and clause.
//     The quality of a match also depends on the arrangement of the words in the best text,
//     on the facts of hints, and on whether the listing suits the user. The best listings of
//     its category raise a match. Qualities become grades in steps. Equal grades are
//     ordered by whether the listing fits the computer, then by hints, stars and slug.
//  7. The JSON is written by appending. Hits are copied from the documents.
//
// # Bounds
//
// A query has at most 16 words, 8,192 completions of the last word, and 4 corrected words. At most
// 512 listings of each tier are graded in a small catalogue, 64 in a large one. If more match, the
// most popular are chosen; for a query of one word, those that have it in the best places come
// first. Of the partial matches, the maxLoose that have most of the query are graded together. A
// query needs memory for some sets of one bit per listing, which is reused.
package query

import (
	"runtime"
	"slices"
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
	translations []index.Translation // nil unless the language is English
	productNames productNames
	licenses     licenseNames
	echoed       []echoedParameter
	briefFacts   []string // see api.Taxonomy.BriefFacts
	facetHeads   [][]countHead
	verdictHeads [verdictCount]countHead
	recent       recentMachines
	maxGraded    int       // see maxGradedFor
	pool         sync.Pool // of *scratch
}

// New returns an engine for an index.
func New(ix *index.Index) *Engine {
	taxonomy := ix.Taxonomy()
	e := &Engine{
		Index: ix, settings: ix.Settings(), taxonomy: taxonomy,
		vocabulary: newVocabulary(taxonomy, ix.Language), synonyms: newSynonyms(taxonomy.Synonyms, ix.Language),
		productNames: newProductNames(ix), licenses: newLicenseNames(ix.Facets.Values[index.FacetLicense]),
		echoed: echoedParameters(ix.Parameters()), briefFacts: taxonomy.BriefFacts(),
		facetHeads: newFacetHeads(ix.Facets.Values), maxGraded: maxGradedFor(ix.Len()),
	}
	for v := verdictFits; v < verdictCount; v++ {
		e.verdictHeads[v] = newCountHead(v.name())
	}
	if ix.Language.IsEnglish {
		e.translations = ix.Translations
	}
	e.pool.New = func() any { return newScratch(e) }
	return e
}

// Answer is the answer to a query.
type Answer struct {
	JSON   []byte  // behind what was in dst
	Total  int     // number of listings that match
	Quotes []Quote // the parts of JSON that are copied from the index, from first to last
}

// Search appends the JSON of the api.SearchResponse for a query to dst, or of the
// api.BriefSearchResponse if the query asks for that. The warnings in more follow those of the search.
func (e *Engine) Search(dst []byte, q api.SearchQuery, more ...api.Warning) Answer {
	defer runtime.KeepAlive(e)
	s := e.acquire()
	defer s.release()
	a := s.answer(&q)
	a.warnings = append(a.warnings, more...)
	return Answer{JSON: a.append(dst, &q), Total: a.total, Quotes: slices.Clone(s.quotes)}
}

// AppendSearch is Search without the number of matches and the quotes.
func (e *Engine) AppendSearch(dst []byte, q api.SearchQuery, more ...api.Warning) []byte {
	return e.Search(dst, q, more...).JSON
}

// IsSearched reports whether a folded word is searched for by itself: it is not a function word,
// filler or the wording of a fact.
func (e *Engine) IsSearched(word string) bool {
	p := e.vocabulary.parse(word, &hardware.Machine{}, nil)
	return len(p.words) == 1 && len(p.hints) == 0 && p.words[0].text == word
}
