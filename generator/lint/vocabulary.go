package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/api/search"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkTopics warns of topics that are written in two ways ("web-ui", "web
// ui"), and of topics that are used once and look like a misspelling of one
// that is used more often.
func checkTopics(c *catalog) []content.Finding {
	uses, first := map[string]int{}, map[string]*content.Listing{}
	for _, l := range c.Listings {
		for _, t := range l.Topics {
			uses[t]++
			if first[t] == nil || l.AddedAt < first[t].AddedAt {
				first[t] = l
			}
		}
	}
	usual := map[string]string{} // joined form → the way most listings write it, or the oldest one
	var often []string
	for _, t := range slices.Sorted(maps.Keys(uses)) {
		if best, ok := usual[joined(t)]; !ok || cmp.Or(uses[t]-uses[best], strings.Compare(string(first[best].AddedAt), string(first[t].AddedAt))) > 0 {
			usual[joined(t)] = t
		}
		if uses[t] > 1 {
			often = append(often, t)
		}
	}
	var findings []content.Finding
	for _, l := range c.Listings {
		for i, t := range l.Topics {
			near := usual[joined(t)]
			if near == t && uses[t] == 1 {
				near = misspelt(t, often)
			}
			if near != "" && near != t {
				findings = append(findings, l.At(rule.Misspelt,
					fmt.Sprintf("topics: did you mean %q (used %s, first by %s) by %q (used %s)?", near, times(uses[near]), first[near].Slug, t, times(uses[t])), "topics", i))
			}
		}
	}
	return findings
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Words from so many letters on can be misspelt by one and by two letters and
// still be told from other words.
const (
	oneLetterFrom  = 8
	twoLettersFrom = 16
)

// misspelt returns the word of the list that the given one is most likely meant
// to be, or "": one that differs in a letter between the first and the last. A
// plural is no misspelling.
func misspelt(given string, list []string) string {
	allowed := 0
	switch n := len(given); {
	case n >= twoLettersFrom:
		allowed = 2
	case n >= oneLetterFrom:
		allowed = 1
	}
	for distance := 1; distance <= allowed; distance++ {
		for _, word := range list {
			if d := len(word) - len(given); d > distance || -d > distance {
				continue
			}
			if word[0] != given[0] || word[len(word)-1] != given[len(given)-1] || digitsOf(word) != digitsOf(given) {
				continue
			}
			if spelling.Distance(given, word) == distance {
				return word
			}
		}
	}
	return ""
}

// joined is a word without what separates its parts.
func joined(s string) string { return separators.Replace(s) }

var separators = strings.NewReplacer("-", "", " ", "", "_", "")

// digitsOf keeps versions apart: "whisper-2" is no misspelling of "whisper-3".
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// checkProducts warns of products that no listing replaces, and of one that a
// single listing replaces and whose name is near that of one that more do.
func checkProducts(c *catalog) []content.Finding {
	used := map[string]int{}
	for _, l := range c.Listings {
		for _, p := range l.Replaces {
			used[p]++
		}
	}
	var often []string // names of products that several listings replace
	for _, p := range c.Taxonomy.Products {
		if used[p.Name] > 1 {
			often = append(often, strings.ToLower(p.Name))
		}
	}
	var findings []content.Finding
	for i, p := range c.Taxonomy.Products {
		if used[p.Name] == 0 && len(c.Unread) == 0 {
			findings = append(findings, c.InTaxonomy(content.ProductsFile, rule.Unused, fmt.Sprintf("no listing replaces %q: name it in one, or remove it", p.Name), i))
		}
		if used[p.Name] != 1 {
			continue
		}
		if near := misspelt(strings.ToLower(p.Name), often); near != "" {
			findings = append(findings, c.InTaxonomy(content.ProductsFile, rule.Misspelt, fmt.Sprintf("%q is used once and differs little from %q", p.Name, near), i, "name"))
		}
	}
	return findings
}

// checkSynonyms warns of groups of which no entry occurs in any listing: they
// lead nowhere.
func checkSynonyms(c *catalog) []content.Finding {
	if len(c.Unread) > 0 { // those that could not be read may have the words
		return nil
	}
	unused := make(map[int][][]string, len(c.Taxonomy.Synonyms)) // the words of the groups' phrases
	missing := map[string]bool{}                                 // those of these words that no listing has
	for i, group := range c.Taxonomy.Synonyms {
		unused[i] = [][]string{}
		for _, phrase := range group {
			if words := search.Words(phrase); len(words) > 0 {
				unused[i] = append(unused[i], words)
				for _, w := range words {
					missing[w] = true
				}
			}
		}
	}
	for _, l := range c.Listings {
		before := len(missing)
		for _, w := range search.Words(listingText(c.Content, l)) {
			delete(missing, w)
		}
		if len(missing) == before {
			continue
		}
		maps.DeleteFunc(unused, func(_ int, phrases [][]string) bool {
			return slices.ContainsFunc(phrases, func(words []string) bool {
				return !slices.ContainsFunc(words, func(w string) bool { return missing[w] })
			})
		})
		if len(unused) == 0 {
			break
		}
	}
	var findings []content.Finding
	for i := range unused {
		findings = append(findings, c.InTaxonomy(content.SynonymsFile, rule.Unused, fmt.Sprintf("no listing has the words of any of %s", quoted(c.Taxonomy.Synonyms[i])), i))
	}
	return findings
}

// listingText is all that is searched of a listing.
func listingText(c *content.Content, l *content.Listing) string {
	category, _ := c.Taxonomy.Category(l.Category)
	return strings.Join(slices.Concat([]string{l.Name, l.Purpose, category.Name, l.Body}, l.Aliases, l.Jobs, l.Topics, l.Replaces), "\n")
}
