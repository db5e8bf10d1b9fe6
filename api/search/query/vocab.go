package query

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// weakWords holds general words, mostly verbs and adjectives, that fit any job, and those for whom a job is done:
// "my grandmother's photos" are photos. They are optional, but listings that have them rank higher.
var weakWords = token.Set(`
	run runs running turn turns turning put puts putting see sees seeing take takes taking keep keeps keeping no
	not going come comes work works working create creates creating build builds building show shows showing try
	tell tells told goes found made kept shown gives giving ask set sets start stop say says said call called
	handle handles support supports allow allows enable enables automate automatic automatically own personal
	rid new old simple simply small big large huge little tiny long short high low fast faster quick quickly
	easy easily easier simpler lighter smaller bigger larger full whole real near one two three four five six
	seven eight nine ten twenty thirty fifty hundred hundreds thousand thousands dozen dozens several many more
	most few lots lot bunch pile bit multiple single various different same other others another ways kind sort
	type types part place time times day days month months year years people person user users everyone anyone
	somebody again always never ever still already yet now today once together apart away down off back around
	across inside within between behind before after during while until per each every only both either else
	even often really actually enough whatsoever obviously online modern latest nice cool proper properly
	correct right able possible mine yours ours myself yourself theirs clone
	aunt aunts brother brothers dad dads daughter daughters father fathers grandfather grandfathers grandma
	grandmas grandmother grandmothers grandpa grandpas husband husbands mom moms mother mothers mum mums sister
	sisters son sons uncle uncles wife wifes`)

// clauseWords begin a clause that says for whom, where, when or why something is wanted.
var clauseWords = token.Set(`
	for with on from in while because so at before when without that but after if by who which where since`)

// settingWords name who or where the user is. Behind a preposition and an article or possessive, as in "of our office",
// "for a school", "for kids" or "on a small server", they need not match: few listings say for whom they are, and most
// suit anybody.
var (
	settingWords = token.Set(`
		association business charity choir church classroom club community company department family firm flat home
		house household institute kindergarten nonprofit office organisation organization parish practice school
		university village workplace
		child children colleagues grandparents kids parents pupils students teachers`)
	machineWords        = token.Set("box homelab laptop nas pc server vps workstation") // behind "on"
	settingArticles     = token.Set("a an my our the their your his her")
	settingPrepositions = token.Set("across among around at for from in inside of to within")
)

const leavingPhrases = `
	instead of, alternative to, alternatives to, replacement for, substitute for, replace, replacing, than, leaving,
	ditch, ditching, migrate from, migrating from, migrate off, switch from, switching from, move off, tired of,
	sick of`

// Phrases before and after the name of a tool that the user wants to leave.
var (
	leavingBefore = phrases(leavingPhrases)
	leavingBehind = token.Set(`
		alternative alternatives replacement replacements substitute too overkill bloated`)
)

// longestUnwanted is the maximum number of words in the name of a tool that the user wants to
// leave.
const longestUnwanted = 3

// unwantedWords reports, for each word of a query, whether it may be part of the name of a tool
// that the user wants to leave.
func (v *vocabulary) unwantedWords(all []string) []bool {
	unwanted := make([]bool, len(all))
	for i, word := range all {
		if _, n := v.leavingBefore.at(all[i:]); n > 0 {
			for k := i + n; k < min(len(all), i+n+longestUnwanted) && !v.language.FunctionWords[all[k]]; k++ {
				unwanted[k] = true
			}
			continue
		}
		if v.leavingBehind[word] {
			end := i
			if end > 1 && (all[end-1] == "is" || all[end-1] == "s") {
				end--
			}
			for k := end - 1; k >= max(0, end-longestUnwanted) && !v.language.FunctionWords[all[k]]; k-- {
				unwanted[k] = true
			}
		}
	}
	return unwanted
}

// negationWords say that what follows is not wanted. Those of afterNegation may stand between: "not on a
// Mac", "without using Docker", "doesn't need Docker". A verb follows those of negatedVerbs, and "not" behind one of
// auxiliaries.
var (
	negationWords = token.Set("not without no except excluding minus dont doesnt cant cannot avoid avoiding")
	negatedVerbs  = token.Set("dont doesnt cant cannot")
	auxiliaries   = token.Set("do does did is are was can could will would should may")
	afterNegation = token.Set(`
		on in for with using use a an the any need needs needing require requires requiring want wants wanting`)
)

// directionWords give the direction of a conversion: "speech to text" and "text from speech" mean
// the same, "text to speech" does not.
var directionWords = map[string]byte{"to": '>', "into": '>', "from": '<'}

// hintNoise holds words of hints that are too general to be searched for.
var hintNoise = token.Set("less low little old weak easy dummies free")

// fillerPhrases are phrases that people may add to any query in a catalogue; they are not searched
// for. The taxonomy adds filler phrases for its subject.
const fillerPhrases = `
	alternative to, alternatives to, replacement for, instead of, similar to, i want to, i need to, how can i,
	how do i, is there, alternative, alternatives, replacement, substitute, best, good, great, better, top,
	free, recommend, recommended, recommendation, find, myself, equivalent`

// hint is a fact that a query's wording suggests. Within a tier, listings that have the fact rank
// higher.
type hint struct {
	parameter string // the filter for the fact, or ""
	value     string
	wording   string // the words of the query
	// A listing has the fact if it is listed under any of terms, or is within any of
	// bounds. A term that ends in anyAfter is a prefix.
	terms  []string
	bounds []figureBound
	// required means that a full match must have either the fact or the words.
	required bool
}

// anyAfter at the end of a term makes it a prefix.
const anyAfter = "*"

// vocabulary holds the phrases with a special role in queries of a catalogue.
type vocabulary struct {
	language *token.Language
	hints    phraseTable[hint] // by their wording
	amounts  phraseTable[hint] // the hints that begin with a number, by the words after the number
	longest  int               // number of words in the longest key of hints and amounts
	filler   phraseTable[bool]
	weak     map[string]bool
	noise    map[string]bool // see hintNoise
	// These have only English words, which mean something else in other languages.
	leavingBefore, namedAfter                      phraseTable[bool]
	leavingBehind, namedBefore, negations, clauses map[string]bool
	settings, machines                             map[string]bool
	directions                                     map[string]byte
	// technical holds words that only people who know the field use. If a query has none of them,
	// listings that have the fact whose term is everyday rank higher.
	technical map[string]bool
	everyday  string
	lexicon   *lexicon // nil if listings have no setups
}

// newVocabulary returns the vocabulary of a taxonomy. A wording that belongs to two facts means
// either.
func newVocabulary(t *api.Taxonomy, language *token.Language) *vocabulary {
	v := &vocabulary{
		language: language, hints: newPhraseTable[hint](), amounts: newPhraseTable[hint](),
		filler: newPhraseTable[bool](), weak: map[string]bool{}, noise: map[string]bool{},
		lexicon: newLexicon(t, language), technical: map[string]bool{},
	}
	if language.IsEnglish {
		v.filler, v.weak, v.noise = phrases(fillerPhrases), maps.Clone(weakWords), maps.Clone(hintNoise)
		v.leavingBefore, v.leavingBehind = leavingBefore, leavingBehind
		v.namedAfter, v.namedBefore = namedAfter, namedBefore
		v.negations, v.clauses, v.directions = negationWords, clauseWords, directionWords
		v.settings, v.machines = settingWords, machineWords
	}
	for _, text := range t.Words.Technical {
		v.technical[token.Fold(text)] = true
	}
	for _, text := range t.Words.Filler {
		v.filler.add(language.Of(text), true)
	}
	for _, text := range t.Words.Weak {
		v.weak[token.Fold(text)] = true
	}
	measured := index.MeasuredFacts(t)
	for i := range t.Facts {
		f := &t.Facts[i]
		if f.Everyday && len(v.technical) > 0 {
			v.everyday = index.ValueTerm(index.FactName(f), "1")
		}
		for _, value := range slices.Sorted(maps.Keys(f.Suggested)) {
			v.addFact(f, measured, value, false, f.Suggested[value])
		}
		for _, value := range slices.Sorted(maps.Keys(f.Asked)) {
			v.addFact(f, measured, value, true, f.Asked[value])
		}
	}
	for _, p := range t.Platforms {
		name := index.FacetNames[index.FacetPlatform]
		terms := []string{index.ValueTerm(name, p.Slug)}
		v.add(p.Suggested, hint{parameter: name, value: p.Slug, required: true, terms: terms})
	}
	for language, texts := range t.Words.Languages {
		v.add(texts, hint{required: true, terms: []string{index.ValueTerm("language", language)}})
	}
	for family, texts := range t.Words.Licenses {
		v.add(texts, hint{required: true, terms: []string{index.LicenseTerm(family) + anyAfter}})
	}
	return v
}

// addFact adds the wordings for a value of a fact.
func (v *vocabulary) addFact(f *api.Fact, measured []index.MeasuredFact, value string, required bool, texts []string) {
	h := hint{value: value, required: required}
	if f.Filter != nil && (f.Kind.IsMeasured() || slices.Contains(f.FilterValues(), value)) {
		h.parameter = f.Filter.Parameter
	}
	i := slices.IndexFunc(measured, func(m index.MeasuredFact) bool { return m.Fact == f })
	if i < 0 {
		h.terms = []string{index.ValueTerm(index.FactName(f), value)}
	} else {
		n, _ := strconv.ParseFloat(value, 64) // 0 for FactAmount
		h.bounds = []figureBound{{fact: measured[i], Bound: f.BoundAt(n), fromQuery: value == api.FactAmount}}
	}
	v.add(texts, h)
}

func (v *vocabulary) add(texts []string, h hint) {
	for _, text := range texts {
		words, hints := v.language.Of(text), &v.hints
		if strings.HasPrefix(text, "#") && len(words) > 0 {
			hints = &v.amounts
			v.noise[words[0]] = true
		}
		key := strings.Join(words, " ")
		if existing, ok := hints.values[key]; ok {
			existing.required = existing.required || h.required
			existing.terms = slices.Concat(existing.terms, h.terms)
			existing.bounds = slices.Concat(existing.bounds, h.bounds)
			if existing.parameter != h.parameter || existing.value != h.value {
				existing.parameter = "" // no filter stands for both
			}
			hints.values[key] = existing
		} else {
			hints.add(words, h)
		}
		v.longest = max(v.longest, len(words))
	}
}

// amountAt parses an amount, a number with a unit, that begins at word i: "45 minutes", "2 to 4
// players". It returns the hint and its number of words, or 0.
func (v *vocabulary) amountAt(t *splitText, i int) (hint, int) {
	for _, q := range t.quantitiesAt(i) {
		unit, joined := t.words[i+q.n:], 0
		if q.unit != "" {
			unit, joined = append([]string{q.unit}, unit...), 1
		}
		h, n := v.amounts.at(unit)
		if n == 0 || q.value <= 0 {
			continue
		}
		h.bounds = slices.Clone(h.bounds)
		for i := range h.bounds {
			if h.bounds[i].fromQuery {
				h.value = strconv.FormatFloat(q.value, 'f', -1, 64)
				h.bounds[i].Bound = h.bounds[i].fact.BoundAt(q.value)
			}
		}
		return h, q.n + n - joined
	}
	return hint{}, 0
}

// comparisonAt returns the number of words in the comparison that begins at word i, beside an
// amount: "at least" in "at least 4 players", "or less" in "45 minutes or less". It returns 0 if
// there is none.
func (v *vocabulary) comparisonAt(t *splitText, i int) int {
	if len(v.amounts.values) == 0 {
		return 0
	}
	if _, n := comparisonsBefore.at(t.words[i:]); n > 0 && i+n < len(t.words) {
		if _, k := v.amountAt(t, i+n); k > 0 {
			return n
		}
	}
	_, n := comparisonsBehind.at(t.words[i:])
	for k := i - 1; n > 0 && k >= 0 && k >= i-v.longest-1; k-- {
		if _, taken := v.amountAt(t, k); taken > 0 && k+taken == i {
			return n
		}
	}
	return 0
}
