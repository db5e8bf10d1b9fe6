// Package lint checks content that package content has loaded by all other rules of
// package rule: that nothing deceives readers, that texts have their headings, that
// purposes differ, that words are not empty, that facts are not old, that links lead
// somewhere.
package lint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/content"
	"catalog.example/generator/parallel"
	"catalog.example/generator/rule"
)

// Load reads a content folder and checks it by every rule but those that need the
// network. The findings are ordered by place; with an error among them the content is
// not fit to build from. Facts that were read before oldest are told; "" tells none.
// The error is about reading files.
func Load(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, err := content.Load(ctx, o)
	if err != nil {
		return nil, findings, err
	}
	findings = append(findings, check(&catalog{c, o, oldest, newNames(c)})...)
	content.SortFindings(findings)
	return c, findings, nil
}

// catalog is what is checked.
type catalog struct {
	*content.Content
	options content.Options
	oldest  api.Date // facts from before are told; "" for none
	names   names
}

// listingChecks find what is wrong with one listing, checks with all of the catalog.
var (
	listingChecks = []func(*catalog, *content.Listing) []content.Finding{
		checkListingTexts, checkShown, checkAddresses, checkHeadings, checkLength, checkJobs, checkPraise, checkAge,
	}
	checks = []func(*catalog) []content.Finding{
		checkPages, checkTaxonomyTexts, checkPurposes, checkTopics, checkProducts, checkSynonyms, checkSchema,
	}
)

// check runs all checks, several at once.
func check(c *catalog) []content.Finding {
	found := make([][]content.Finding, len(checks)+len(c.Listings))
	// No call fails.
	_ = parallel.Each(context.Background(), c.options.Jobs, len(found), func(i int) error {
		if i < len(checks) {
			found[i] = checks[i](c)
			return nil
		}
		for _, check := range listingChecks {
			found[i] = append(found[i], check(c, c.Listings[i-len(checks)])...)
		}
		return nil
	})
	return slices.Concat(found...)
}

// checkHeadings warns of texts whose second headings are not those of every listing.
func checkHeadings(_ *catalog, l *content.Listing) []content.Finding {
	var have []string
	for _, h := range l.Pieces.Headings {
		have = append(have, h.Text)
	}
	if slices.Equal(have, api.Headings) {
		return nil
	}
	message := fmt.Sprintf("the text must have the headings %s in this order; it has %s", quoted(api.Headings), quoted(have))
	return []content.Finding{l.InBody(rule.Headings, message, 0)}
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return `"` + strings.Join(list, `", "`) + `"`
}

// The length of a listing's text in words, without its headings.
const (
	minWords = 80
	maxWords = 180
)

// linkTarget is the address of a Markdown link, which is no word.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

func checkLength(_ *catalog, l *content.Listing) []content.Finding {
	words := countWords(linkTarget.ReplaceAllString(l.Body, "]"))
	for _, h := range l.Pieces.Headings {
		words -= countWords("## " + h.Text)
	}
	if words >= minWords && words <= maxWords {
		return nil
	}
	return []content.Finding{l.InBody(rule.Length, fmt.Sprintf("the text has %d words; %d to %d are asked for", words, minWords, maxWords), 0)}
}

// countWords counts what stands between white space, but the marks of lists and
// emphasis.
func countWords(text string) int {
	n := 0
	for w := range strings.FieldsSeq(text) {
		if strings.Trim(w, "-*") != "" {
			n++
		}
	}
	return n
}

// How many jobs a listing names.
const (
	minJobs = 4
	maxJobs = 8
)

func checkJobs(_ *catalog, l *content.Listing) []content.Finding {
	if n := len(l.Jobs); n < minJobs || n > maxJobs {
		return []content.Finding{l.At(rule.Jobs, fmt.Sprintf("jobs: there are %d; %d to %d are asked for", n, minJobs, maxJobs), "jobs")}
	}
	return nil
}

// checkShown warns of what pages leave out although it hides nothing.
func checkShown(_ *catalog, l *content.Listing) []content.Finding { return notShown(&l.Document) }

func notShown(d *content.Document) []content.Finding {
	var findings []content.Finding
	for _, h := range d.Pieces.HTML {
		if hides(h.Text) == "" && !strings.HasPrefix(h.Text, "</") { // its beginning is told
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("%q is HTML, which is not shown: write it in Markdown, or leave it out", firstLine(h.Text)), h.Offset))
		}
	}
	for _, l := range d.Pieces.Links {
		if l.Image {
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("the picture %q is not shown: say in words what it shows, or link to it", l.URL), l.Offset))
		}
	}
	return findings
}

// checkAge warns of facts that were read long ago.
func checkAge(c *catalog, l *content.Listing) []content.Finding {
	var findings []content.Finding
	if l.StarsAsOf != nil && *l.StarsAsOf < c.oldest {
		findings = append(findings, l.At(rule.Stale, fmt.Sprintf("stars: were read on %s; run: catalog refresh --only %s", *l.StarsAsOf, l.Slug), "starsAsOf"))
	}
	for field, source := range l.Sources {
		if day, ok, err := content.SourceDate(source); ok && err == nil && day < c.oldest && field != "stars" {
			findings = append(findings, l.At(rule.Stale, fmt.Sprintf("%s: was read on %s; read it again", field, day), "sources", field))
		}
	}
	return findings
}

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
			if api.EditDistance(given, word) == distance {
				return word
			}
		}
	}
	return ""
}

// joined is a word without what separates its parts.
func joined(s string) string { return strings.NewReplacer("-", "", " ", "", "_", "").Replace(s) }

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
	var findings []content.Finding
	for i, p := range c.Taxonomy.Products {
		if used[p.Name] == 0 && len(c.Unread) == 0 {
			findings = append(findings, c.InTaxonomy("products.yml", rule.Unused, fmt.Sprintf("no listing replaces %q: name it in one, or remove it", p.Name), i))
		}
		if used[p.Name] != 1 {
			continue
		}
		var others []string
		for j, other := range c.Taxonomy.Products {
			if j != i && used[other.Name] > 1 {
				others = append(others, strings.ToLower(other.Name))
			}
		}
		if near := misspelt(strings.ToLower(p.Name), others); near != "" {
			findings = append(findings, c.InTaxonomy("products.yml", rule.Misspelt, fmt.Sprintf("%q is used once and differs little from %q", p.Name, near), i, "name"))
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
	vocabulary := map[string]bool{}
	for _, l := range c.Listings {
		for _, w := range search.Words(listingText(c.Content, l)) {
			vocabulary[w] = true
		}
	}
	var findings []content.Finding
	for i, group := range c.Taxonomy.Synonyms {
		known := slices.ContainsFunc(group, func(phrase string) bool {
			words := search.Words(phrase)
			return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !vocabulary[w] })
		})
		if !known {
			findings = append(findings, c.InTaxonomy("synonyms.yml", rule.Unused, fmt.Sprintf("no listing has the words of any of %s", quoted(group)), i))
		}
	}
	return findings
}

// checkSchema warns of a schema that listings lead editors to, and that is not
// there or is not that of this program and taxonomy.
func checkSchema(c *catalog) []content.Finding {
	i := slices.IndexFunc(c.Listings, func(l *content.Listing) bool { return l.SchemaLine() > 0 })
	if i < 0 {
		return nil
	}
	file := filepath.Join(c.options.Dir, content.SchemaFile)
	remedy := "run: catalog schema > " + filepath.ToSlash(file)
	have, err := os.ReadFile(file) // #nosec G304 -- beside the listings
	if err != nil {
		l := c.Listings[i]
		return []content.Finding{{File: l.File, Line: l.SchemaLine(), Column: 1, Rule: rule.Schema,
			Message: fmt.Sprintf("%s cannot be read, to which this leads editors: %s", content.SchemaFile, remedy)}}
	}
	want, err := content.Schema(&c.Taxonomy)
	if err != nil || bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), want) {
		return nil
	}
	return []content.Finding{{File: content.SchemaFile, Line: 1, Column: 1, Rule: rule.Schema,
		Message: "is not current, so that editors check listings by old rules: " + remedy}}
}

// listingText is all that is searched of a listing.
func listingText(c *content.Content, l *content.Listing) string {
	category, _ := c.Taxonomy.Category(l.Category)
	return strings.Join(slices.Concat([]string{l.Name, l.Purpose, category.Name, l.Body}, l.Aliases, l.Jobs, l.Topics, l.Replaces), "\n")
}
