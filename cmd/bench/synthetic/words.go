package synthetic

import "strings"

// The vocabulary has ranks from 0, most frequent first. English words come first, so that
// queries of real words find something. Invented words follow.
const (
	// vocabularySize is about the number of words that an educated person uses.
	vocabularySize = 20_000
	// zipfExponent is a little lower than that of prose (1), because listings have different
	// subjects. The share of the word of rank r is proportional to 1/(r+1)^0.9.
	zipfExponent = 0.9
)

var functionWords = strings.Fields(`the a and of to in for with it on is or that your as from you by are an at not its
	can when one be each which than without into where this only them all`)

var contentWords = strings.Fields(`model text image audio local agent code server chat speech search data document web
	video voice language browser workflow memory pipeline training inference desktop prompt embedding vector graph note
	file page plugin terminal editor translation transcript summary meeting photo music song picture table report email
	calendar task automation scheduler crawler scraper extraction parser index retrieval ranking evaluation benchmark
	dataset annotation label quantization adapter checkpoint cluster gateway proxy router cache queue dashboard metric
	trace log alert privacy offline mobile container install update backup sync export import template theme theorem
	question answer lesson quiz tutor game character story scene camera robot sensor home assistant wake keyboard
	subtitle caption lip face pose mask segment upscale restore colour style sketch diagram slide spreadsheet formula
	database query schema migration test review commit branch issue release notebook kernel library framework toolkit
	compiler runtime phone laptop card small large fast slow open private shared simple whole plain quick every several
	runs reads writes turns keeps makes finds shows learns sends takes gives`)

// word returns the word of a rank.
func word(rank uint64) string {
	if rank < uint64(len(functionWords)) {
		return functionWords[rank]
	}
	rank -= uint64(len(functionWords))
	if rank < uint64(len(contentWords)) {
		return contentWords[rank]
	}
	rank -= uint64(len(contentWords))
	// The step gives words of neighbouring ranks different spellings. It has no common factor with
	// the number of syllable triples, so that each triple is used once, and a misspelt word has
	// about one neighbour, as in English. Invented words end in a consonant, unlike names. None of
	// these consonants makes a suffix that a stemmer removes.
	const step, closing = 7_919, "nmkpg"
	return coin(rank*step, 3) + string(closing[rank%uint64(len(closing))])
}

const syllableCount = 60

// coin writes a number as syllables, each a consonant and a vowel.
func coin(n uint64, syllables int) string {
	const consonants, vowels = "bdfgklmprstv", "aeiou"
	b := make([]byte, 0, 2*syllables+1)
	for range syllables {
		s := n % syllableCount
		n /= syllableCount
		b = append(b, consonants[s/5], vowels[s%5])
	}
	return string(b)
}

var nameSuffixes = []string{"Studio", "AI", "Flow", "Desk"}

var verbs = []string{"transcribe", "translate", "summarise", "generate", "search", "edit", "train", "label",
	"chat about", "automate", "convert", "compare"}

var objects = []string{"files with", "from", "for", "into", "beside", "without"}

var languages = []string{"Python", "TypeScript", "C++", "Rust", "Go", "JavaScript", "Java", "Kotlin"}

var languageWeights = []int{55, 19, 7, 6, 5, 3, 2, 1}

// licenses lists licence terms. With licenseWeights, they are as frequent as in the shipped
// listings.
var licenses = []struct {
	expression string
	approved   bool
}{
	{"Apache-2.0", true}, {"MIT", true}, {"AGPL-3.0-only", true}, {"GPL-3.0-only", true}, {"BSD-3-Clause", true},
	{"GPL-3.0-or-later", true}, {"AGPL-3.0-or-later", true}, {"MIT OR Apache-2.0", true}, {"MPL-2.0", true},
	{"CC-BY-NC-4.0", false}, {"LicenseRef-Sustainable-Use", false},
}

var licenseWeights = []int{39, 34, 8, 5, 3, 2, 2, 2, 1, 2, 2}
