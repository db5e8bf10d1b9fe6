package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkHeadings warns of texts whose headings are not exactly those that every listing has.
func checkHeadings(_ *catalog, l *content.Listing) []content.Finding {
	var got []string
	for _, s := range l.Sections {
		if s.Offset >= 0 {
			got = append(got, s.Heading)
		}
	}
	if slices.Equal(got, api.Headings) {
		return nil
	}
	message := fmt.Sprintf("the text must have the headings %s in this order, but it has %s", quoted(api.Headings),
		quoted(got))
	return []content.Finding{l.InBody(rule.Headings, message, 0)}
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return `"` + strings.Join(list, `", "`) + `"`
}

// linkTarget matches the URL of a Markdown link, which is not counted as a word.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

func checkLength(_ *catalog, l *content.Listing) []content.Finding {
	words := countWords(linkTarget.ReplaceAllString(l.Body, "]"))
	for _, s := range l.Sections {
		words -= countWords(s.Heading)
	}
	if words >= rule.MinWords && words <= rule.MaxWords {
		return nil
	}
	message := fmt.Sprintf("the text has %s: write %d to %d", api.Count(words, "word"), rule.MinWords, rule.MaxWords)
	return []content.Finding{l.InBody(rule.Length, message, 0)}
}

// countWords counts words, without the markers of headings, lists and emphasis.
func countWords(text string) int {
	n := 0
	for w := range strings.FieldsSeq(text) {
		if strings.Trim(w, "#=-*") != "" {
			n++
		}
	}
	return n
}

func checkJobs(_ *catalog, l *content.Listing) []content.Finding {
	if n := len(l.Jobs); n < rule.MinJobs || n > rule.MaxJobs {
		return []content.Finding{l.At(rule.Jobs, fmt.Sprintf("jobs: the listing has %d: write %d to %d", n,
			rule.MinJobs, rule.MaxJobs), "jobs")}
	}
	return nil
}

// praise are words that praise a tool without describing it.
var praise = []string{
	`powerful`, `seamless(?:ly)?`, `robust`, `cutting[- ]edge`, `state[- ]of[- ]the[- ]art`, `blazing(?:ly)?`,
	`revolutionary`,
	`game[- ]chang(?:er|ing)`, `next[- ]gen(?:eration)?`, `world[- ]class`, `effortless(?:ly)?`, `comprehensive`,
	`best[- ]in[- ]class`,
	`unleash(?:es|ed)?`, `supercharg(?:e|es|ed)`, `leverag(?:e|es|ed|ing)`, `unlocks?`, `empower(?:s|ed|ing)?`,
	`innovative`, `ultimate`,
	`all[- ]in[- ]one`, `feature[- ]rich`, `production[- ]ready`, `enterprise[- ]grade`, `lightning[- ]fast`,
	`elevates?`, `intuitive`,
	`versatile`, `sleek`, `amazing`, `awesome`, `delightful`, `hassle[- ]free`, `turnkey`, `top[- ]notch`,
	`unparalleled`, `unmatched`,
}

// praiseAtStart matches praise at the beginning of a text. The expression is slow,
// so praisePrefixes, the first three letters of praise, excludes most words.
var (
	praiseAtStart  = regexp.MustCompile(`^(?i:` + strings.Join(praise, "|") + `)\b`)
	praisePrefixes = func() map[[3]byte]bool {
		prefixes := map[[3]byte]bool{}
		for _, word := range praise {
			prefixes[[3]byte([]byte(word))] = true
		}
		return prefixes
	}()
)

// findPraise returns the beginning and end of each praise in a text, in bytes.
func findPraise(text string) (matches [][2]int) {
	inWord := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
		if letter && !inWord && i+3 <= len(text) &&
			praisePrefixes[[3]byte{c | 0x20, text[i+1] | 0x20, text[i+2] | 0x20}] {
			if match := praiseAtStart.FindStringIndex(text[i:]); match != nil {
				matches = append(matches, [2]int{i, i + match[1]})
			}
		}
		inWord = letter
	}
	return matches
}

// properNames are names in the catalogue, which may contain any word.
type properNames struct{ pattern *regexp.Regexp }

// newProperNames returns the names of listings and products that contain praise. Longer names come
// first, so that the longest one matches.
func newProperNames(c *content.Content) properNames {
	var list []string
	add := func(name string) {
		if len(findPraise(name)) > 0 {
			list = append(list, regexp.QuoteMeta(name))
		}
	}
	for _, l := range c.Listings {
		add(l.Name)
		add(l.Slug)
		for _, a := range l.Aliases {
			add(a)
		}
	}
	for _, p := range c.Taxonomy.Products {
		add(p.Name)
	}
	if len(list) == 0 {
		return properNames{}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return properNames{regexp.MustCompile(`(?i)` + strings.Join(list, "|"))}
}

// String returns the same text for the same names.
func (n properNames) String() string {
	if n.pattern == nil {
		return ""
	}
	return n.pattern.String()
}

// mask replaces names in a text with underscores of the same length.
func (n properNames) mask(text string) string {
	if n.pattern == nil {
		return text
	}
	return n.pattern.ReplaceAllStringFunc(text, func(name string) string { return strings.Repeat("_", len(name)) })
}

// checkPraise warns of praise outside of names.
func checkPraise(c *catalog, l *content.Listing) []content.Finding {
	find := func(text string) [][2]int {
		if len(findPraise(text)) == 0 {
			return nil
		}
		return findPraise(c.names.mask(text))
	}
	var findings []content.Finding
	checkText := func(text, key string, path ...any) {
		if matches := find(text); len(matches) > 0 {
			findings = append(findings, l.At(rule.Praise, fmt.Sprintf("%s: %q is praise; say what it does instead", key,
				text[matches[0][0]:matches[0][1]]), path...))
		}
	}
	checkText(l.Purpose, "purpose", "purpose")
	for i, j := range l.Jobs {
		checkText(j, "jobs", "jobs", i)
	}
	for i, a := range l.Asks {
		checkText(a, "asks", "asks", i)
	}
	for _, fact := range l.FitNotes {
		if texts, ok := fact.Value.([]string); ok {
			for i, text := range texts {
				checkText(text, fact.Key, "fitNotes", fact.Key, i)
			}
		}
	}
	for _, match := range find(l.Body) {
		findings = append(findings, l.InBody(rule.Praise, fmt.Sprintf("%q is praise; say what it does instead",
			l.Body[match[0]:match[1]]), match[0]))
	}
	return findings
}
