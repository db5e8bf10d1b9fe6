package query

import (
	"catalog.example/api/search/index"
)

// weights holds the numbers that the ranking uses. They were tuned on the training queries of the
// judged set (make bench-relevance); the held-out queries only measure the result. A probability is
// how likely a listing is about a word that it has.
type weights struct {
	// fields holds the probabilities by field. They are low enough that a word in several fields
	// counts more than a word in one.
	fields [index.FieldCount]float64
	// Factors that lower the probability:
	stem, prefix, synonym, typo float64 // the text has a different word from the query's
	nameSynonym                 float64 // a synonym of the word is in a name
	partOfProduct               float64 // the query has only part of a replaced product's name
	nameAmongOthers             float64 // the word is in a name, and the query has other words; see nameFactor

	fact float64 // the probability for a word, if the listing has the fact that it may mean

	// guessedWord is the weight of a corrected word in partial matches, relative to a correctly
	// spelt word. An unknown word may resemble another by accident.
	guessedWord float64
	// clauses holds the weight of a word by its clause; the last applies to all later clauses. A
	// query first names what is wanted, and then for whom, where and why.
	clauses [6]float64
	// hint is the weight of a fact that the wording suggests.
	hint float64

	arrangement float64 // the share of the arrangement in the quality of a match
	// unmet is the factor for the quality of a listing that contradicts a requirement.
	unmet float64
	// unwanted is the factor for the quality of the tool that the user wants to leave.
	unwanted float64
	// category is the weight with which the quality of its category is added to a listing's own, in partial
	// matches, and categoryOfFull in full ones, which need it less. A category's quality is the mean over
	// its best listings; voters is the number of these.
	category, categoryOfFull float64
	voters                   int
	// everyday is added to the quality of a listing that suits people who do not know the field, if
	// the query has no technical word.
	everyday float64

	// full is the least quality of texts with which a full match of a longer query is not weak. Weak ones often
	// have its words by accident, and a listing that lacks a word may do the job better.
	full float64
	// partial is the smallest share of the query's weight that a partial match may have. With a
	// lower value, queries that should find nothing find something. With a higher one, long
	// questions in everyday words lose their answers.
	partial float64
	// If no listing matches in full and the best partial match has at most the quality weak, the answer
	// warns that no listing does the job. A higher value warns about more queries without an answer, but
	// also about more that have one.
	weak float64
	// description is the share of a word's weight that counts in a partial match if only the
	// description, category or topics have the word: many words of a description are incidental.
	description float64
}

var ranking = weights{
	fields: [index.FieldCount]float64{
		index.FieldName: 1, index.FieldAlias: 0.7, index.FieldReplaces: 0.9,
		index.FieldPurpose: 0.45, index.FieldJob: 0.37, index.FieldAsk: 0.35,
		index.FieldCategory: 0.2, index.FieldCategoryAsk: 0.25, index.FieldTopic: 0.4, index.FieldDescription: 0.2,
	},
	stem: 0.8, prefix: 0.45, synonym: 0.4, typo: 0.7,
	nameSynonym: 0.5, partOfProduct: 0.2, nameAmongOthers: 0.2,
	fact:        0.3,
	guessedWord: 0.3,
	clauses:     [...]float64{1, 0.9, 0.8, 0.7, 0.65, 0.6},
	hint:        1.5,
	arrangement: 0.5,
	unmet:       0.5, unwanted: 0.05,
	category: 0.3, categoryOfFull: 0.1, voters: 5,
	everyday: 0.03,
	full:     0.4, partial: 0.15, weak: 0.22, description: 0.28,
}

const (
	// enoughMatches is the number of close matches that makes partial matches unnecessary.
	enoughMatches = 3
	// generalShare is the share of all listings that must have a word for it to be general. A
	// general word matches as a name only if it is the whole name.
	generalShare = 0.1
)

// The weights of the parts of an arrangement: how many words are in the same text, how near they
// are to each other, and how much of the text they make up.
const (
	arrangedTogether = 0.4
	arrangedNear     = 0.3
	arrangedWhole    = 0.3
)

// maxGap is how many words may lie between two words that count as near each other.
const maxGap = 3

// shortQuery is the largest number of required words that a full match may have in different texts.
const shortQuery = 2

// sentenceWords is how many words, including weak ones and filler, make a query a sentence. Even if
// a sentence has only two required words, a full match must have both in the same text.
const sentenceWords = 4

// At most maxGraded listings of a tier are graded. Larger catalogues grade fewer, but at least
// minGraded, so that grading takes less time than the rest of the query, which grows with the
// catalogue. If a tier has more listings, the most popular are graded; for a query of one word,
// those that have it in the best places come first.
const (
	maxGraded     = 512
	minGraded     = 64
	gradedProduct = 1 << 18 // number of listings in the catalogue times number graded
)

// maxLoose is how many of the matches that are not close are graded together: those that have most
// of the query. A higher limit hardly changes the results of judged queries.
const maxLoose = 64

// maxLooseBehind replaces maxLoose if there are also close matches.
const maxLooseBehind = 16

// maxGradedFor returns how many listings of a tier are graded in a catalogue of the given size.
func maxGradedFor(listings int) int {
	return min(maxGraded, max(minGraded, gradedProduct/max(1, listings)))
}
