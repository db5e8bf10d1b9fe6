package lint

import (
	"fmt"
	"strings"

	"catalog.example/api/search/token"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkAsks warns of a wrong number of asks, and of asks that do not help people to find the
// listing: those that name a listing, those whose words the listing already has elsewhere, and
// those that many listings have.
func checkAsks(c *catalog, found *findings) {
	users := make(map[string]int, rule.MinAsks*len(c.Listings)) // number of listings with each ask
	for i := range c.Listings {
		for _, ask := range c.words[i]().Asks {
			users[ask]++
		}
	}
	for i, l := range c.Listings {
		if n := len(l.Asks); n > 0 && (n < rule.MinAsks || n > rule.MaxAsks) {
			found.at(&l.Document, rule.AskCount, at("asks"), "asks: the listing has %d: write %d to %d", n,
				rule.MinAsks, rule.MaxAsks)
		}
		w := c.words[i]()
		var shared []int // asks that many other listings have
		for k, ask := range l.Asks {
			switch named := w.Named[k]; {
			case named != "":
				found.at(&l.Document, rule.Asks, at("asks", k), "asks: %q contains the name of the listing %s (%s): "+
					"write what people who do not know its name would ask", ask, c.distinctive.slugs[named], named)
			case w.Known[k]:
				found.at(&l.Document, rule.Asks, at("asks", k), "asks: %q has only words that the rest of the listing "+
					"already has: use other words, or remove it", ask)
			case users[w.Asks[k]] > 1+rule.MaxSharedAsks:
				shared = append(shared, k)
			}
		}
		if len(shared) > 0 {
			k, also := shared[0], ""
			if more := len(shared) - 1; more == 1 {
				also = ", and another of its asks is in many"
			} else if more > 1 {
				also = fmt.Sprintf(", and %d others of its asks are in many", more)
			}
			found.at(&l.Document, rule.Asks, at("asks", k), "asks: %q is in %d listings%s: write what people who need "+
				"this one would ask", l.Asks[k], users[w.Asks[k]], also)
		}
	}
}

// isDistinctive reports whether a name cannot be mistaken for common words. A distinctive name has
// at least four letters, no function words, and either several words, a digit, or a capital letter
// after its first letter. "LLM" and "Browser Use" are not distinctive: many asks have the words
// "llm" and "browser".
func isDistinctive(name string, words []string) bool {
	written := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '.' })
	return len(name) > 3 && len(words) > 0 && len(words) >= len(written) && strings.ContainsAny(name[1:],
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.")
}

// longestName is the maximum number of words of a name that is looked for in asks.
const longestName = 4

// distinctiveNames holds the names and aliases of listings that asks must not contain.
type distinctiveNames struct {
	slugs  map[string]string // slug by the words of the name
	begins map[string]bool   // first words of names
}

func newDistinctiveNames(listings []*content.Listing, language *token.Language) distinctiveNames {
	d := distinctiveNames{map[string]string{}, map[string]bool{}}
	for _, l := range listings {
		for _, name := range append([]string{l.Name}, l.Aliases...) {
			if words := language.Content(name); isDistinctive(name, words) {
				d.slugs[strings.Join(words, " ")] = l.Slug
				d.begins[words[0]] = true
			}
		}
	}
	return d
}

// in returns the first distinctive name among some words, or "".
func (d *distinctiveNames) in(words []string) string {
	for from := range words {
		if !d.begins[words[from]] {
			continue
		}
		for to := from + 1; to <= min(len(words), from+longestName); to++ {
			if name := strings.Join(words[from:to], " "); d.slugs[name] != "" {
				return name
			}
		}
	}
	return ""
}
