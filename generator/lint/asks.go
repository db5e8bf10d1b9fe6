package lint

import (
	"fmt"
	"slices"
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
	for _, l := range c.Listings {
		for _, name := range append([]string{l.Name}, l.Aliases...) {
			if isDistinctive(name) {
				names[strings.Join(search.Words(name), " ")] = l.Slug
			}
		}
	}
	users := map[string]int{} // how many listings have an ask
	for _, l := range c.Listings {
		for _, ask := range l.Asks {
			users[strings.Join(search.Words(ask), " ")]++
		}
	}
	var findings []content.Finding
	for _, l := range c.Listings {
		if n := len(l.Asks); n > 0 && (n < rule.MinAsks || n > rule.MaxAsks) {
			findings = append(findings, l.At(rule.Asks, fmt.Sprintf("asks: there are %d; %d to %d are asked for", n, rule.MinAsks, rule.MaxAsks), "asks"))
		}
		var known map[string]bool
		for i, ask := range l.Asks {
			if known == nil {
				known = wordSet(searchedText(c.Content, l))
			}
			words := search.Words(ask)
			phrase := strings.Join(words, " ")
			message := ""
			switch slug, name := namedIn(words, names); {
			case slug != "":
				message = fmt.Sprintf("%q names the listing %s (%s): people who ask so know it already", ask, slug, name)
			case !slices.ContainsFunc(words, func(w string) bool { return !known[w] }):
				message = fmt.Sprintf("%q has only words that the listing has already: say it in others, or remove it", ask)
			case users[phrase] > 1+rule.MaxSharedAsks:
				message = fmt.Sprintf("%q stands in %d listings: say what is asked of this one", ask, users[phrase])
			default:
				continue
			}
			findings = append(findings, l.At(rule.Asks, "asks: "+message, "asks", i))
		}
	}
	return findings
}

// isDistinctive reports whether a name is no common word: it has at least four letters, and
// a capital letter within, a digit, or several words, none of which is a function word.
// "LLM" and "Browser Use" are not: many asks have the words "llm" and "browser".
func isDistinctive(name string) bool {
	written := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '.' })
	return len(name) > 3 && len(search.Words(name)) >= len(written) && strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.")
}

// longestName is the number of words of the longest name that is looked for in an ask.
const longestName = 4

// namedIn returns the listing whose name stands in some words, and the name.
func namedIn(words []string, names map[string]string) (slug, name string) {
	for from := range words {
		for to := from + 1; to <= min(len(words), from+longestName); to++ {
			name := strings.Join(words[from:to], " ")
			if slug := names[name]; slug != "" {
				return slug, name
			}
		}
	}
	return "", ""
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range search.Words(text) {
		set[w] = true
	}
	return set
}
