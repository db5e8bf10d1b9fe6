package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkTopics warns of topics that are spelt in two ways ("web-ui", "web ui"), and of topics that
// are used only once and look like a misspelling of another topic.
func checkTopics(c *catalog, found *findings) {
	uses, first := map[string]int{}, map[string]*content.Listing{}
	for _, l := range c.Listings {
		for _, t := range l.Topics {
			uses[t]++
			if first[t] == nil || l.AddedAt < first[t].AddedAt {
				first[t] = l
			}
		}
	}
	preferred := map[string]string{} // most used, or else oldest, spelling of each topic without separators
	var frequent []string
	for _, t := range slices.Sorted(maps.Keys(uses)) {
		key := separators.Replace(t)
		if best, ok := preferred[key]; !ok ||
			cmp.Or(uses[t]-uses[best], strings.Compare(string(first[best].AddedAt), string(first[t].AddedAt))) > 0 {
			preferred[key] = t
		}
		if uses[t] > 1 {
			frequent = append(frequent, t)
		}
	}
	for _, l := range c.Listings {
		for i, t := range l.Topics {
			suggestion := preferred[separators.Replace(t)]
			if suggestion == t && uses[t] == 1 && c.whole {
				suggestion = correction(t, frequent)
			}
			if suggestion != "" && suggestion != t {
				found.at(&l.Document, rule.Misspelt, at("topics", i),
					"topics: %q (used %s) is spelt nearly like %q (used %s, first by %s): did you mean that?", t,
					times(uses[t]), suggestion, times(uses[suggestion]), first[suggestion].Slug)
			}
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// The minimum lengths of words in which one or two wrong letters are recognised.
const (
	minLengthOneTypo  = 8
	minLengthTwoTypos = 16
)

// correction returns the word in a list that the given word probably misspells, or "". Both words
// must have the same first and last letter, so that a plural does not count as a misspelling.
func correction(word string, list []string) string {
	allowed := 0
	switch n := len(word); {
	case n >= minLengthTwoTypos:
		allowed = 2
	case n >= minLengthOneTypo:
		allowed = 1
	}
	for distance := 1; distance <= allowed; distance++ {
		for _, candidate := range list {
			if d := len(candidate) - len(word); d <= distance && -d <= distance && candidate[0] == word[0] &&
				candidate[len(candidate)-1] == word[len(word)-1] && digitsOf(candidate) == digitsOf(word) &&
				spelling.Distance(word, candidate) == distance {
				return candidate
			}
		}
	}
	return ""
}

var separators = strings.NewReplacer("-", "", " ", "", "_", "")

// digitsOf returns the digits of a word. Words with different digits, such as versions, are not
// misspellings of each other.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// checkProducts warns of products that no listing replaces, and of products that only one listing
// replaces and whose names look like a misspelling of another product's name.
func checkProducts(c *catalog, found *findings) {
	if !c.whole { // the unread listings may replace such products
		return
	}
	used := map[string]int{}
	for _, l := range c.Listings {
		for _, p := range l.Replaces {
			used[p]++
		}
	}
	var frequent []string // names of products that several listings replace
	for _, p := range c.Taxonomy.Products {
		if used[p.Name] > 1 {
			frequent = append(frequent, strings.ToLower(p.Name))
		}
	}
	for i, p := range c.Taxonomy.Products {
		switch used[p.Name] {
		case 0:
			found.inTaxonomy(c, content.ProductsFile, rule.Unused, at(i),
				"no listing replaces %q: add it to replaces in a listing, or remove it here", p.Name)
		case 1:
			if suggestion := correction(strings.ToLower(p.Name), frequent); suggestion != "" {
				found.inTaxonomy(c, content.ProductsFile, rule.Misspelt, at(i, "name"),
					"%q is used once and is spelt nearly like %q: did you mean that?", p.Name, suggestion)
			}
		}
	}
}

// checkSynonyms warns of a group of synonyms if none of its phrases occurs in any listing.
func checkSynonyms(c *catalog, found *findings) {
	if !c.whole { // the unread listings may contain the words
		return
	}
	used := map[string]bool{} // words of synonyms that listings contain
	for i := range c.Listings {
		for _, w := range c.words[i]().Synonyms {
			used[w] = true
		}
	}
	for i, phrases := range c.groups {
		if !slices.ContainsFunc(phrases, func(words []string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !used[w] })
		}) {
			found.inTaxonomy(c, content.SynonymsFile, rule.Unused, at(i),
				"no listing contains any of %s: remove the group, or change its phrases",
				quoted(c.Taxonomy.Synonyms[i]))
		}
	}
}

// searchedText returns the searchable text of a listing.
func searchedText(c *content.Content, l *content.Listing) string {
	category, _ := c.Taxonomy.Category(l.Category)
	return strings.Join(slices.Concat([]string{l.Name, l.Purpose, category.Name, l.Body}, l.Aliases, l.Jobs, l.Topics,
		l.Replaces), "\n")
}

// placeholder is in the page about a new catalogue until its owner writes the page.
const placeholder = "Write it for your readers."

// checkUnwritten warns of categories that nobody has described, in one finding, of facts without a meaning, and of a
// page that is still as catalog init wrote it.
func checkUnwritten(c *catalog, found *findings) {
	for _, p := range c.Pages {
		if at := strings.Index(p.Body, placeholder); at >= 0 {
			found.inBody(&p.Document, rule.Unwritten, at,
				"this is still what catalog init wrote: write the page for your readers, in the language of the "+
					"catalogue")
		}
	}
	for i, f := range c.Taxonomy.Facts {
		if f.Meaning == "" {
			found.inTaxonomy(c, content.FactsFile, rule.Meanings, at(i), "meaning: the fact %s has none: say in a "+
				"sentence what it is", f.Key)
		}
	}
	var slugs []string
	for _, i := range c.Undescribed() {
		slugs = append(slugs, c.Taxonomy.Categories[i].Slug)
	}
	if len(slugs) > 0 {
		found.inTaxonomy(c, content.CategoriesFile, rule.Unwritten, at(c.Undescribed()[0]), "no description: pages "+
			"show the names of the first listings instead. Where a name does not say enough, write a sentence that a "+
			"beginner understands: %s", strings.Join(slugs, ", "))
	}
}
