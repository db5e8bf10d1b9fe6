package search

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
)

// question is free text that has been understood.
type question struct {
	words    []string // the words that listings must have, in order
	spoken   []string // all its words but those of hints and filler phrases
	hints    []hint   // the facts that its wording asks for
	exact    string   // all its words joined, to compare with whole names
	warnings []api.Warning
}

// empty tells whether nothing is left to search for.
func (q *question) empty() bool { return len(q.words) == 0 }

// understand takes free text apart into words that must match, hints, and
// words that need not match. Words that are only hints or filler are searched
// for after all where nothing else is left of a query that names a fact.
func understand(text string) question {
	all := tokens(text)
	q := question{exact: strings.Join(all, "")}
	if len(all) > api.MaxQueryWords {
		q.warnings = append(q.warnings, api.Warning{Code: api.WarnQueryTruncated, Parameter: "q",
			Message: fmt.Sprintf("Only the first %d of %d words were used.", api.MaxQueryWords, len(all))})
		all = all[:api.MaxQueryWords]
	}
	var hinted []string
	for i := 0; i < len(all); {
		rest := all[i:]
		if h, n := hintAt(rest); n > 0 {
			q.hints = append(q.hints, h)
			hinted = append(hinted, rest[:n]...)
			if h.parameter != "" {
				q.warnings = append(q.warnings, api.Warning{Code: api.WarnSuggestFilter, Parameter: h.parameter,
					Message: fmt.Sprintf("%q lifts listings that fit; %s=%s insists on it.", strings.Join(rest[:n], " "), h.parameter, h.value)})
			}
			i += n
			continue
		}
		if n := fillerAt(rest); n > 0 {
			i += n
			continue
		}
		q.spoken = append(q.spoken, rest[0])
		if !functionWords[rest[0]] {
			q.words = append(q.words, rest[0])
		}
		i++
	}
	if q.empty() {
		for _, w := range hinted {
			if !functionWords[w] {
				q.words = append(q.words, w)
			}
		}
	}
	return q
}

// hintAt returns the longest hint at the start of the words and its length.
func hintAt(w []string) (hint, int) {
	if h, n := memoryHint(w); n > 0 {
		return h, n
	}
	for n := min(longestHint, len(w)); n > 0; n-- {
		if h, ok := hintPhrases[strings.Join(w[:n], " ")]; ok {
			return h, n
		}
	}
	return hint{}, 0
}

// fillerAt returns how many words at the start are filler.
func fillerAt(w []string) int {
	longest := 0
	for _, p := range fillerPhrases {
		if len(p) > longest && len(p) <= len(w) && slices.Equal(p, w[:len(p)]) {
			longest = len(p)
		}
	}
	return longest
}
