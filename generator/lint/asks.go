package lint

import (
	"fmt"
	"strings"

	"catalog.example/api/search"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkAsks warns of asks that find nothing new or too much (contract 12): the wrong number of
// them, names of listings, only words that the listing has already, and phrases of many
// listings.
func checkAsks(c *catalog) []content.Finding {
	names := map[string]string{} // words of a name → slug
	begins := map[string]bool{}  // first words of names
	for _, l := range c.Listings {
		for _, name := range append([]string{l.Name}, l.Aliases...) {
			if words := search.Words(name); isDistinctive(name, words) {
				names[strings.Join(words, " ")] = l.Slug
				begins[words[0]] = true
			}
		}
	}
	users := map[string]int{} // how many listings have an ask
	for i := range c.Listings {
		for _, ask := range c.words[i]().Asks {
			users[ask]++
		}
	}
	var findings []content.Finding
	for i, l := range c.Listings {
		if n := len(l.Asks); n > 0 && (n < rule.MinAsks || n > rule.MaxAsks) {
			findings = append(findings, l.At(rule.Asks, fmt.Sprintf("asks: there are %d; %d to %d are asked for", n, rule.MinAsks, rule.MaxAsks), "asks"))
		}
		w := c.words[i]()
		for k, ask := range l.Asks {
			phrase := w.Asks[k]
			message := ""
			switch slug, name := namedIn(phrase, names, begins); {
			case slug != "":
				message = fmt.Sprintf("%q names the listing %s (%s): people who ask so know it already", ask, slug, name)
			case w.Known[k]:
				message = fmt.Sprintf("%q has only words that the listing has already: say it in others, or remove it", ask)
			case users[phrase] > 1+rule.MaxSharedAsks:
				message = fmt.Sprintf("%q stands in %d listings: say what is asked of this one", ask, users[phrase])
			default:
				continue
			}
			findings = append(findings, l.At(rule.Asks, "asks: "+message, "asks", k))
		}
	}
	return findings
}

// isDistinctive reports whether a name is no common word: it has at least four letters, and
// a capital letter within, a digit, or several words, none of which is a function word.
// "LLM" and "Browser Use" are not: many asks have the words "llm" and "browser".
func isDistinctive(name string, words []string) bool {
	written := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '.' })
	return len(name) > 3 && len(words) > 0 && len(words) >= len(written) && strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.")
}

// longestName is the number of words of the longest name that is looked for in an ask.
const longestName = 4

// namedIn returns the listing whose name stands in an ask, and the name. begins has the first
// words of names.
func namedIn(ask string, names map[string]string, begins map[string]bool) (slug, name string) {
	words := strings.Fields(ask)
	for from := range words {
		if !begins[words[from]] {
			continue
		}
		for to := from + 1; to <= min(len(words), from+longestName); to++ {
			name := strings.Join(words[from:to], " ")
			if slug := names[name]; slug != "" {
				return slug, name
			}
		}
	}
	return "", ""
}
