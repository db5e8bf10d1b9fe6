package query

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
)

// parsed is the parsed free text of a query.
type parsed struct {
	vocabulary  *vocabulary
	all         []string      // the words of the text; at most api.MaxQueryWords
	words       []queryWord   // the words to match, in order
	freeWords   []string      // all words except those of hints and filler phrases
	hints       []hint        // the facts that the wording suggests
	required    []requirement // the facts that some of the words may mean
	computer    computer      // the user's computer, if hasComputer
	excluded    []string      // the joined names of listings that the user does not want: "not X"
	exact       string        // all words joined, for comparison with whole names
	technical   bool          // some word is used only by people who know the field
	unfinished  bool          // the last word is searched for, and may be incomplete
	length      int           // number of words, without those that name the user's computer
	clause      int           // the number of the clause being parsed
	avoiding    bool          // the words being parsed say what the user does not want to do
	hasComputer bool          // the text names the user's computer
	onlyHints   bool          // no word is required, and there are hints
	warnings    []api.Warning
}

// queryWord is a word of a query.
type queryWord struct {
	text   string
	role   wordRole
	clause int // from 0
	// direction is what the words between the previous word and this one indicate, or 0: see
	// directionWords.
	direction byte
	unwanted  bool // it may name the tool that the user wants to leave
}

// wordRole is the role of a word in a query.
type wordRole uint8

const (
	roleRequired wordRole = iota // a listing without it is a partial match
	roleWeak                     // optional; listings with it rank higher
	roleHint                     // the same, for a word of a hint
)

// requirement is a fact that the words from:to of the query may mean.
type requirement struct {
	hint
	tier     tier // the tier in which a listing with the fact matches
	from, to int
	listings *index.Set // those that have the fact; set by lookUp
}

// empty reports whether there is nothing to search for.
func (p *parsed) empty() bool { return len(p.words) == 0 }

// add appends the words that carry meaning, and reports whether there are any.
func (p *parsed) add(role wordRole, text ...string) bool {
	before := len(p.words)
	for _, w := range text {
		if !p.vocabulary.language.FunctionWords[w] && (role != roleHint || !p.vocabulary.noise[w]) {
			p.words = append(p.words, queryWord{text: w, role: role, clause: p.clause})
		}
	}
	return len(p.words) > before
}

// textsOf returns words without their roles.
func textsOf(words []queryWord) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.text
	}
	return list
}

// parse splits free text into required words, optional words and hints. If that leaves no required
// word, all words become required. given is the computer that the parameters name. isName reports
// whether joined words are the name of a listing: the words of a name do not mean the user's
// computer. It may be nil.
func (v *vocabulary) parse(text string, given *hardware.Machine, isName func(string) bool) parsed {
	whole := split(text, v.language)
	p := parsed{vocabulary: v}
	if isName == nil || !isName(v.language.Join(whole.words)) {
		p.computer, p.hasComputer = v.lexicon.computer(&whole, given)
	}
	if p.hasComputer {
		p.warnings, whole = p.computer.warnings, whole.without(p.computer.cut)
	}
	t, all := whole, whole.words
	var ignored []string
	if len(all) > api.MaxQueryWords {
		p.warnings = append(p.warnings, api.Warning{Code: api.WarnQueryTruncated, Parameter: "q",
			Message: "Only the first " + strconv.Itoa(api.MaxQueryWords) + " of " + strconv.Itoa(len(all)) +
				" words were used."})
		ignored, all = all[api.MaxQueryWords:], all[:api.MaxQueryWords]
		t.words = all
	}
	hasRequired := false
	var searched []string
	p.all = all
	unwanted, direction := v.unwantedWords(all), byte(0)
	for i := 0; i < len(all); {
		if n := v.excludedAt(all, i, isName); n > 0 {
			p.excluded = append(p.excluded, strings.Join(all[i:i+n], ""))
			i += n
			continue
		}
		before := len(p.words)
		taken, required := p.parseNext(&t, i)
		hasRequired = hasRequired || required
		if taken == 1 && v.clauses[all[i]] {
			p.beginClause()
		}
		for k := before; k < len(p.words); k++ {
			p.words[k].unwanted = unwanted[i]
		}
		if before < len(p.words) {
			if before > 0 {
				p.words[before].direction = direction
			}
			direction = 0
		} else if d := v.directions[all[i]]; d != 0 {
			direction = d
		}
		searched = append(searched, all[i:i+taken]...)
		i += taken
	}
	p.exact = v.language.Join(append(searched, ignored...))
	p.length = len(searched)
	p.unfinished = len(p.words) > 0 && p.words[len(p.words)-1].text == all[len(all)-1]
	p.technical = slices.ContainsFunc(all, func(word string) bool { return v.technical[word] })
	if !hasRequired {
		p.onlyHints = len(p.hints) > 0
		for i := range p.words {
			p.words[i].role = roleRequired
		}
	}
	return p
}

// beginClause ends the clause that is being parsed, if it has words, and what the user wants to avoid.
func (p *parsed) beginClause() {
	p.avoiding = false
	if len(p.words) > 0 {
		p.clause++
	}
}

// excludedAt returns the number of words in the name of a listing that begins at word i and follows a
// negation, or 0. A query that is only "not X" searches for X.
func (v *vocabulary) excludedAt(all []string, i int, isName func(string) bool) int {
	if isName == nil || v.negationAt(all[:i]) < 0 {
		return 0
	}
	for n := min(longestUnwanted, len(all)-i); n > 0; n-- {
		if (i > 1 || i+n < len(all)) && isName(strings.Join(all[i:i+n], "")) {
			return n
		}
	}
	return 0
}

// parse parses the text of a query. A text of only function words and filler may still be a name.
func (e *Engine) parse(q *api.SearchQuery) parsed {
	p := e.vocabulary.parse(q.Q, &q.Filters.Machine, e.isName)
	if p.empty() {
		p.words = e.nameOf(&p)
	}
	e.weakenLeaving(&p)
	return p
}

// weakenLeaving makes words such as "replace" and "migrate from" optional before the name of a product: it is the
// product that listings mention. "Replace a face" is a job.
func (e *Engine) weakenLeaving(p *parsed) {
	for i := range p.all {
		_, n := e.vocabulary.leavingBefore.at(p.all[i:])
		if n == 0 || i+n == len(p.all) {
			continue
		}
		if name, _ := e.productNames.at(p.all[i+n:]); name == nil {
			continue
		}
		isLeaving := func(w queryWord) bool { return slices.Contains(p.all[i:i+n], w.text) }
		if !slices.ContainsFunc(p.words, func(w queryWord) bool { return w.role == roleRequired && !isLeaving(w) }) {
			continue
		}
		for k := range p.words {
			if isLeaving(p.words[k]) {
				p.words[k].role = roleWeak
			}
		}
	}
}

// nameOf returns the words of a query of only function words and filler if they are a name: "make"
// is also a product, and "The Game" a game. It returns nil if neither a listing nor a product that
// a listing replaces has that name.
func (e *Engine) nameOf(p *parsed) []queryWord {
	// The index omits the function words of a name, unless it has no other words.
	filler := slices.DeleteFunc(slices.Clone(p.all), func(w string) bool { return e.Language.FunctionWords[w] })
	for _, words := range [][]string{p.freeWords, filler} {
		if len(words) == 0 {
			continue
		}
		term, ok := e.Terms.Find(e.Language.Join(words))
		if !ok {
			continue
		}
		for _, f := range []index.Field{index.FieldName, index.FieldAlias, index.FieldReplaces} {
			if e.Postings.HasClass(term, index.ClassOf(f, true)) {
				p.words = nil
				for _, w := range words {
					p.words = append(p.words, queryWord{text: w, role: roleRequired})
				}
				return p.words
			}
		}
	}
	return nil
}

// isName reports whether joined words are the whole name of a listing.
func (e *Engine) isName(joined string) bool {
	term, ok := e.Terms.Find(joined)
	return ok && e.Postings.HasClass(term, index.ClassExact)
}

// parseNext parses the hint, comparison, filler phrase or word that begins at word i. It returns
// the number of words parsed, and whether they are required. A thing after a negation
// is weak, because listings also mention things that they do without. A fact that a negation excludes ("not on
// Windows", "no Docker") is no hint: most listings with it can also be used without it.
func (p *parsed) parseNext(t *splitText, i int) (taken int, required bool) {
	rest := t.words[i:]
	if h, n := p.vocabulary.hintAt(t, i); n > 0 && h.bounds == nil && p.vocabulary.isNegated(t, i, n) {
		return n, false
	} else if n > 0 {
		if h.required {
			from := len(p.words)
			required = p.add(roleRequired, rest[:n]...)
			p.required = append(p.required, requirement{hint: h, tier: tierName, from: from, to: len(p.words)})
			return n, required
		}
		h.wording = strings.Join(rest[:n], " ")
		p.hints = append(p.hints, h)
		p.add(roleHint, rest[:n]...)
		return n, false
	}
	if n := p.vocabulary.comparisonAt(t, i); n > 0 {
		return n, false
	}
	if _, n := p.vocabulary.filler.at(rest); n > 0 {
		return n, false
	}
	v := p.vocabulary
	if n := v.dataAt(t, i); n > 0 && n < len(t.words) {
		return n, false
	}
	p.freeWords = append(p.freeWords, rest[0])
	isWithout := v.isWithout(t, i)
	p.avoiding = p.avoiding || isWithout && t.words[i-1] == "without" && strings.HasSuffix(rest[0], "ing")
	if v.weak[rest[0]] || v.negations[rest[0]] || isWithout || p.avoiding || v.isSetting(t.words, i) {
		p.add(roleWeak, rest[0])
		return 1, false
	}
	return 1, p.add(roleRequired, rest[0])
}

// dataAt returns the number of words of an amount of data that begins at word i, or 0: "500 gb of photos". They are
// not searched for: listings name gigabytes of something else.
func (v *vocabulary) dataAt(t *splitText, i int) int {
	if v.lexicon == nil || !startsWithDigit(t.words[i]) {
		return 0
	}
	it, n := amountAt(t, i)
	if isWeight := strings.HasSuffix(t.words[i+max(n, 1)-1], "g"); !it.hasUnit || isWeight { // "100 g", "5G"
		return 0
	}
	return n
}

// negationAt returns the position of the negation with which words end, perhaps with words of afterNegation behind
// it, or -1.
func (v *vocabulary) negationAt(before []string) int {
	i := len(before) - 1
	for i >= 0 && afterNegation[before[i]] {
		i--
	}
	isOtherThan := len(v.negations) > 0 && i > 0 && before[i-1] == "other" && before[i] == "than"
	if i < 0 || !v.negations[before[i]] && !isOtherThan {
		return -1
	}
	return i
}

// isWithout reports whether word i is a thing that is not wanted, and not a verb, a part of a name such as "no-code",
// or all that is asked for.
func (v *vocabulary) isWithout(t *splitText, i int) bool {
	at := v.negationAt(t.words[:i])
	if at < 0 || t.between(at) == "-" || at == 0 && i+1 == len(t.words) {
		return false
	}
	isOfVerb := negatedVerbs[t.words[at]] || t.words[at] == "not" && at > 0 && auxiliaries[t.words[at-1]]
	return !isOfVerb || at+1 < i
}

// isSetting reports whether word i says who or where the user is: "of our office", "for a small school", "on my
// server". "Chat with my family", "a school timetable" and "logs of a server" are jobs.
func (v *vocabulary) isSetting(all []string, i int) bool {
	isMachine := v.machines[all[i]]
	if !v.settings[all[i]] && !isMachine {
		return false
	}
	at := i - 1
	for at >= 0 && v.weak[all[at]] {
		at--
	}
	if isMachine {
		return at > 0 && settingArticles[all[at]] && all[at-1] == "on"
	}
	isPlural := strings.HasSuffix(all[i], "s") || all[i] == "children"
	return at > 0 && settingArticles[all[at]] && settingPrepositions[all[at-1]] ||
		at > 0 && isPlural && all[at] == "for" // "for kids" alone looks for kids
}

// isNegated reports whether the n words from i on are not wanted: "no Docker", "Docker-free".
func (v *vocabulary) isNegated(t *splitText, i, n int) bool {
	isFree := len(v.negations) > 0 && i+n < len(t.words) && t.words[i+n] == "free" && t.between(i+n-1) == "-"
	return isFree || v.negationAt(t.words[:i]) >= 0
}

// hintAt returns the hint that begins at word i and its length in words, or 0. An amount comes
// before other hints.
func (v *vocabulary) hintAt(t *splitText, i int) (hint, int) {
	if h, n := v.amountAt(t, i); n > 0 {
		return h, n
	}
	return v.hints.at(t.words[i:])
}
