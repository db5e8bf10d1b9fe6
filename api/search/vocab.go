package search

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
)

// functionWords of English carry no meaning of their own in a query (contract 4).
var functionWords = wordSet(`a about all also am an and any are as at be been but by can could did do does for from
	get give had has have help her here him his how i if in into is it its just like look looking lets let make me my
	need needs of on onto or our out over please s she should so some something someone such t than that the their them
	then there these they thing things this those to up us use used using very via want wants was way we were what whats when where
	which who whose whom why will with without would you your should must may might shall wanna gonna im ive id dont doesnt cant isnt only also too though although because since per`)

// weakWords fit any job: verbs and adjectives that say little of what is wanted.
// They need not match, but lift where they do.
var weakWords = wordSet(`run runs running turn turns turning put puts putting see sees seeing take takes taking keep keeps keeping
	let no not going come comes work works working create creates creating build builds building show shows showing try tell tells told
	give gives giving ask set sets start stop say says said call called handle handles support supports allow allows enable enables
	automate automatic automatically own personal
	new old simple simply small big large huge little tiny long short high low fast faster quick quickly easy easily easier full whole real near
	one two three several many more most few lots lot bunch pile bit multiple single various different same other others another
	way ways kind sort type types part place time times day days month months year years people person user users everyone anyone somebody
	again always never ever still already yet now today once together apart away down off back up around across inside within between behind
	before after during while until per each every only both either else even often really actually just
	online modern latest nice cool proper properly correct right able possible per
	mine yours ours myself yourself theirs clone`)

// hintNoise are words of hints that listings use of anything.
var hintNoise = wordSet("less low little old weak easy dummies free")

// fillerPhrases are what people add to any query in a catalog; they need not match
// (contract 4). Those of the subject are in the taxonomy.
var fillerPhrases = phrases(`alternative to, alternatives to, replacement for, instead of, similar to,
	i want to, i need to, how can i, how do i, is there,
	alternative, alternatives, replacement, substitute, best, good, great, better, top, free,
	recommend, recommended, recommendation, find, myself, equivalent`)

// hint is a fact that a query's wording asks for: it lifts listings that have
// it, within their tier (contract 4).
type hint struct {
	parameter string // the filter that would insist on it, "" where there is none
	value     string
	// terms are those of the index any of which lists the listings that have the
	// fact; a term that ends in anyAfter stands for all that begin like it.
	terms []string
	// bounds are numbers of which a listing has any.
	bounds []numberBound
	// required tells that words of the query mean the fact, and nothing less will
	// do: a listing answers them by having the fact or by having the words.
	required bool
}

// anyAfter ends a term that stands for all that begin like it.
const anyAfter = "*"

// vocabulary holds the words of a catalog that ask for facts, or for nothing.
type vocabulary struct {
	hints   map[string]hint // by their wording
	longest int             // number of words of the longest wording
	// amounts are the hints whose wording begins with a number, by the rest of it.
	amounts map[string]hint
	filler  [][]string
	weak    map[string]bool
	noise   map[string]bool // see hintNoise
}

// newVocabulary makes the vocabulary of a taxonomy. A wording that two facts have
// stands for either of them.
func newVocabulary(t *api.Taxonomy) *vocabulary {
	v := &vocabulary{
		hints: map[string]hint{}, amounts: map[string]hint{}, filler: slices.Clone(fillerPhrases),
		weak: maps.Clone(weakWords), noise: maps.Clone(hintNoise),
	}
	for _, text := range t.Words.Filler {
		v.filler = append(v.filler, tokens(text))
	}
	for _, text := range t.Words.Weak {
		v.weak[Fold(text)] = true
	}
	numbers := numberFacts(t)
	for i := range t.Facts {
		f := &t.Facts[i]
		for _, value := range slices.Sorted(maps.Keys(f.Suggested)) {
			v.addFact(f, slices.Index(numbers, f), value, false, f.Suggested[value])
		}
		for _, value := range slices.Sorted(maps.Keys(f.Asked)) {
			v.addFact(f, slices.Index(numbers, f), value, true, f.Asked[value])
		}
	}
	for _, p := range t.Platforms {
		v.add(p.Suggested, hint{parameter: facetNames[facetPlatform], value: p.Slug, terms: []string{valueTerm(facetNames[facetPlatform], p.Slug)}})
	}
	// Unlike a platform, a language or a licence is seldom told in the texts of a
	// listing.
	for language, texts := range t.Words.Languages {
		v.add(texts, hint{required: true, terms: []string{valueTerm("language", language)}})
	}
	for family, texts := range t.Words.Licenses {
		v.add(texts, hint{required: true, terms: []string{licenseTerm(family) + anyAfter}})
	}
	return v
}

// addFact takes in the wordings of a value of a fact; column is its place among
// numberFacts.
func (v *vocabulary) addFact(f *api.Fact, column int, value string, required bool, texts []string) {
	h := hint{value: value, required: required}
	if f.Filter != nil && (f.Kind == api.FactNumber || slices.Contains(f.FilterValues(), value)) {
		h.parameter = f.Filter.Parameter
	}
	if f.Kind != api.FactNumber {
		h.terms = []string{valueTerm(factName(f), value)}
	} else {
		n, _ := strconv.ParseFloat(value, 64) // 0 for FactAmount
		h.bounds = []numberBound{{column, n, f.Filter != nil && f.Filter.Match == api.MatchAtLeast, value == api.FactAmount}}
	}
	v.add(texts, h)
}

func (v *vocabulary) add(texts []string, h hint) {
	for _, text := range texts {
		words, into := tokens(text), v.hints
		if strings.HasPrefix(text, "#") && len(words) > 0 {
			into = v.amounts
			v.noise[words[0]] = true
		}
		key := strings.Join(words, " ")
		if other, ok := into[key]; ok {
			other.required = other.required || h.required
			other.terms, other.bounds = slices.Concat(other.terms, h.terms), slices.Concat(other.bounds, h.bounds)
			if other.parameter != h.parameter || other.value != h.value {
				other.parameter = "" // no filter insists on either
			}
			into[key] = other
		} else if key != "" {
			into[key] = h
		}
		v.longest = max(v.longest, len(words))
	}
}

// amountAt reads a number with its unit at the start of the words: "8gb", "8 gb ram".
// It returns the hint and how many words it takes, or 0.
func (v *vocabulary) amountAt(w []string) (hint, int) {
	if c := w[0][0]; c < '0' || c > '9' { // most words
		return hint{}, 0
	}
	digits := strings.TrimRight(w[0], "abcdefghijklmnopqrstuvwxyz")
	amount, err := strconv.ParseFloat(digits, 64)
	if err != nil || amount <= 0 || amount > 1<<20 {
		return hint{}, 0
	}
	unit, own := w[1:], 0
	if letters := w[0][len(digits):]; letters != "" {
		unit, own = append([]string{letters}, w[1:]...), 1
	}
	for n := min(v.longest, len(unit)); n > 0; n-- {
		h, ok := v.amounts[strings.Join(unit[:n], " ")]
		if !ok {
			continue
		}
		h.bounds = slices.Clone(h.bounds)
		for i := range h.bounds {
			if h.bounds[i].named {
				h.value, h.bounds[i].bound = digits, amount
			}
		}
		return h, 1 + n - own
	}
	return hint{}, 0
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

func phrases(text string) [][]string {
	var list [][]string
	for p := range strings.SplitSeq(text, ",") {
		list = append(list, tokens(p))
	}
	return list
}
