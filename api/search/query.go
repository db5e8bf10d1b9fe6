package search

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
)

// question is free text that has been understood.
type question struct {
	vocabulary *vocabulary
	words      []queryWord    // what listings are compared with, in order
	spoken     []string       // all its words but those of hints and filler phrases
	hints      []hint         // the facts that its wording asks for
	required   []requiredFact // the facts that some of its words may mean
	exact      string         // all its words joined, to compare with whole names
	// onlyHints tells that nothing but hints is left of it.
	onlyHints bool
	warnings  []api.Warning
}

// queryWord is a word of a query.
type queryWord struct {
	text string
	role wordRole
}

// wordRole tells what a word is to a query.
type wordRole uint8

const (
	roleNeeded wordRole = iota // a listing covers it, or matches in part
	roleWeak                   // need not match, and lifts less where it does
	roleHint                   // need not match, but lifts where it does
)

// requiredFact is a fact that the query's words from:to may mean.
type requiredFact struct {
	hint
	from, to int
}

// empty tells whether nothing is left to search for.
func (q *question) empty() bool { return len(q.words) == 0 }

// add appends the words of a text that carry meaning, and tells whether there
// were any.
func (q *question) add(role wordRole, text ...string) bool {
	before := len(q.words)
	for _, w := range text {
		if !functionWords[w] && (role != roleHint || !q.vocabulary.noise[w]) {
			q.words = append(q.words, queryWord{w, role})
		}
	}
	return len(q.words) > before
}

// texts returns the words without their roles.
func (q *question) texts() []string {
	list := make([]string, len(q.words))
	for i, w := range q.words {
		list[i] = w.text
	}
	return list
}

// understand takes free text apart into words that must match, words that need
// not, and hints. Where no word must match, all of them must.
func (v *vocabulary) understand(text string) question {
	all := tokens(text)
	q := question{vocabulary: v, exact: strings.Join(all, "")}
	if len(all) > api.MaxQueryWords {
		q.warnings = append(q.warnings, api.Warning{Code: api.WarnQueryTruncated, Parameter: "q",
			Message: "Only the first " + strconv.Itoa(api.MaxQueryWords) + " of " + strconv.Itoa(len(all)) + " words were used."})
		all = all[:api.MaxQueryWords]
	}
	needed := false
	for i := 0; i < len(all); {
		taken, needs := q.take(all[i:], i > 0 && all[i-1] == "without")
		needed = needed || needs
		i += taken
	}
	if !needed {
		q.onlyHints = len(q.hints) > 0
		for i := range q.words {
			q.words[i].role = roleNeeded
		}
	}
	return q
}

// take understands the words up to the next that means something of its own: it
// returns how many they are, and whether they must match. What is excluded by
// "without" is told by listings as well, so that it counts little.
func (q *question) take(rest []string, excluded bool) (taken int, needed bool) {
	if h, n := q.vocabulary.hintAt(rest); n > 0 {
		if h.required {
			from := len(q.words)
			needed = q.add(roleNeeded, rest[:n]...)
			q.required = append(q.required, requiredFact{h, from, len(q.words)})
			return n, needed
		}
		q.hints = append(q.hints, h)
		q.add(roleHint, rest[:n]...)
		if h.parameter != "" {
			q.warnings = append(q.warnings, api.Warning{Code: api.WarnSuggestFilter, Parameter: h.parameter,
				Message: strconv.Quote(strings.Join(rest[:n], " ")) + " lifts listings that fit; " + h.parameter + "=" + h.value + " insists on it."})
		}
		return n, false
	}
	if n := q.vocabulary.fillerAt(rest); n > 0 {
		return n, false
	}
	q.spoken = append(q.spoken, rest[0])
	if q.vocabulary.weak[rest[0]] || excluded {
		q.add(roleWeak, rest[0])
		return 1, false
	}
	return 1, q.add(roleNeeded, rest[0])
}

// Searched tells whether a folded word by itself is searched for, and not passed
// over as a function word, as filler or as the wording of a fact.
func (ix *Index) Searched(word string) bool {
	q := ix.vocabulary.understand(word)
	return len(q.words) == 1 && len(q.hints) == 0 && q.words[0].text == word
}

// hintAt returns the longest hint at the start of the words and its length.
func (v *vocabulary) hintAt(w []string) (hint, int) {
	if h, n := v.amountAt(w); n > 0 {
		return h, n
	}
	for n := min(v.longest, len(w)); n > 0; n-- {
		if h, ok := v.hints[strings.Join(w[:n], " ")]; ok {
			return h, n
		}
	}
	return hint{}, 0
}

// fillerAt returns how many words at the start are filler.
func (v *vocabulary) fillerAt(w []string) int {
	longest := 0
	for _, p := range v.filler {
		if len(p) > longest && len(p) <= len(w) && slices.Equal(p, w[:len(p)]) {
			longest = len(p)
		}
	}
	return longest
}
