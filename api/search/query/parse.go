package query

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/token"
)

// parsedQuery is the parsed free text of a query.
type parsed struct {
	vocabulary  *vocabulary
	all         []string       // the words of the text, at most api.MaxQueryWords
	words       []queryWord    // the words to match, in order
	freeWords   []string       // all words except those of hints and filler phrases
	hints       []hint         // the facts that its wording suggests
	required    []requiredFact // the facts that some of its words may mean
	computer    computer       // the user's computer, if hasComputer
	exact       string         // all words joined, to compare with whole names
	technical   bool           // it has a word of people who know the field
	unfinished  bool           // its last word is searched for, and may be typed in part
	length      int            // number of its words, without those that name the user's computer
	clause      int            // the number of the clause being parsed
	hasComputer bool           // the text names the user's computer
	onlyHints   bool           // no word is required, and there are hints
	warnings    []api.Warning
}

// queryWord is a word of a query.
type queryWord struct {
	text   string
	role   wordRole
	clause int // from 0
	// direction is the direction that the words since the last one tell, or 0: see
	// directionWords.
	direction byte
	unwanted  bool // it may name what somebody wants to leave
}

// wordRole is the role of a word in a query.
type wordRole uint8

const (
	roleRequired wordRole = iota // a listing without it is a partial match
	roleWeak                     // optional; raises a match
	roleHint                     // optional; raises a match
)

// requiredFact is a fact that the words from:to of the query may mean.
type requiredFact struct {
	hint
	tier     tier // the strongest of a listing with the fact
	from, to int
}

// empty reports whether there is nothing to search for.
func (q *parsed) empty() bool { return len(q.words) == 0 }

// add appends the words that carry meaning, and reports whether there are any.
func (q *parsed) add(role wordRole, text ...string) bool {
	before := len(q.words)
	for _, w := range text {
		if !token.FunctionWords[w] && (role != roleHint || !q.vocabulary.noise[w]) {
			q.words = append(q.words, queryWord{text: w, role: role, clause: q.clause})
		}
	}
	return len(q.words) > before
}

// textsOf returns words without their roles.
func textsOf(words []queryWord) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.text
	}
	return list
}

// parse splits free text into required words, optional words and hints. If no word is
// required, all of them are. given is the computer that the parameters name. isName reports
// whether words, joined, are the name of a listing: no word of a name means the user's
// computer. It may be nil.
func (v *vocabulary) parse(text string, given *hardware.Machine, isName func(string) bool) parsed {
	whole := split(text)
	q := parsed{vocabulary: v}
	if isName == nil || !isName(strings.Join(whole.words, "")) {
		q.computer, q.hasComputer = v.lexicon.computer(&whole, given)
	}
	if q.hasComputer {
		q.warnings = q.computer.warnings
		whole = whole.without(q.computer.cut)
	}
	t, all := whole, whole.words
	var ignored []string
	if len(all) > api.MaxQueryWords {
		q.warnings = append(q.warnings, api.Warning{Code: api.WarnQueryTruncated, Parameter: "q",
			Message: "Only the first " + strconv.Itoa(api.MaxQueryWords) + " of " + strconv.Itoa(len(all)) + " words were used."})
		ignored, all = all[api.MaxQueryWords:], all[:api.MaxQueryWords]
		t.words = all
	}
	hasRequired := false
	var searched []string
	q.all = all
	unwanted, direction := unwantedWords(all), byte(0)
	for i := 0; i < len(all); {
		before := len(q.words)
		taken, required := q.parseNext(&t, i)
		hasRequired = hasRequired || required
		if taken == 1 && clauseWords[all[i]] && len(q.words) > 0 {
			q.clause++
		}
		for k := before; k < len(q.words); k++ {
			q.words[k].unwanted = unwanted[i]
		}
		if before < len(q.words) {
			if before > 0 {
				q.words[before].direction = direction
			}
			direction = 0
		} else if d := directionWords[all[i]]; d != 0 {
			direction = d
		}
		searched = append(searched, all[i:i+taken]...)
		i += taken
	}
	q.exact = strings.Join(append(searched, ignored...), "")
	q.length = len(searched)
	q.unfinished = len(q.words) > 0 && q.words[len(q.words)-1].text == all[len(all)-1]
	q.technical = slices.ContainsFunc(all, func(word string) bool { return v.technical[word] })
	if !hasRequired {
		q.onlyHints = len(q.hints) > 0
		for i := range q.words {
			q.words[i].role = roleRequired
		}
	}
	return q
}

// parseNext parses the hint, filler phrase or word that begins with the word i. It returns how
// many words that took, and whether they are required. A word after "without" is weak, because
// listings name such things too.
func (q *parsed) parseNext(t *splitText, i int) (taken int, required bool) {
	rest := t.words[i:]
	if h, n := q.vocabulary.hintAt(t, i); n > 0 {
		if h.required {
			from := len(q.words)
			required = q.add(roleRequired, rest[:n]...)
			q.required = append(q.required, requiredFact{h, tierName, from, len(q.words)})
			return n, required
		}
		q.hints = append(q.hints, h)
		q.add(roleHint, rest[:n]...)
		if h.parameter != "" {
			q.warnings = append(q.warnings, api.Warning{Code: api.WarnSuggestFilter, Parameter: h.parameter, Value: h.value,
				Message: "Listings that fit " + strconv.Quote(strings.Join(rest[:n], " ")) + " come first; " + h.parameter + "=" + h.value + " shows only these."})
		}
		return n, false
	}
	if n := q.vocabulary.comparisonAt(t, i); n > 0 {
		return n, false
	}
	if n := q.vocabulary.fillerAt(rest); n > 0 {
		return n, false
	}
	q.freeWords = append(q.freeWords, rest[0])
	if q.vocabulary.weak[rest[0]] || i > 0 && t.words[i-1] == "without" {
		q.add(roleWeak, rest[0])
		return 1, false
	}
	return 1, q.add(roleRequired, rest[0])
}

// IsSearched reports whether a folded word by itself is searched for: it is not a
// function word, filler or the wording of a fact.
func (ix *Engine) IsSearched(word string) bool {
	q := ix.vocabulary.parse(word, &hardware.Machine{}, nil)
	return len(q.words) == 1 && len(q.hints) == 0 && q.words[0].text == word
}

// hintAt returns the longest hint that begins with the word i, and its length in words.
func (v *vocabulary) hintAt(t *splitText, i int) (hint, int) {
	if h, n := v.amountAt(t, i); n > 0 {
		return h, n
	}
	words := t.words[i:]
	for n := min(v.longest, len(words)); n > 0; n-- {
		if h, ok := v.hints[strings.Join(words[:n], " ")]; ok {
			return h, n
		}
	}
	return hint{}, 0
}

// fillerAt returns the length of the longest filler phrase at the start of words.
func (v *vocabulary) fillerAt(words []string) int { return phraseAt(v.filler, words) }
