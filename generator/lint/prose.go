package lint

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkHeadings warns of a text whose headings are not exactly those that every listing has. A
// heading of a wrong level, which checkParts reports, is not missing.
func checkHeadings(c *catalog, l *content.Listing, found *findings) {
	want := c.FrontMatter.Headings()
	var all []content.Passage
	for _, s := range l.Sections {
		if s.Offset >= 0 {
			all = append(all, content.Passage{Text: s.Heading, Offset: s.Offset})
		}
	}
	for _, h := range l.Parts.Misplaced {
		if slices.Contains(want, h.Text) {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b content.Passage) int { return a.Offset - b.Offset })
	var got []string
	for _, h := range all {
		got = append(got, h.Text)
	}
	if !slices.Equal(got, want) {
		found.inBody(&l.Document, rule.Headings, 0, "the text must have the headings %s in this order, but it has %s",
			quoted(want), quoted(got))
	}
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return `"` + strings.Join(list, `", "`) + `"`
}

// linkTarget matches the URL of a Markdown link, which does not count as a word.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

func checkLength(_ *catalog, l *content.Listing, found *findings) {
	words := countWords(linkTarget.ReplaceAllString(l.Body, "]"))
	for _, s := range l.Sections {
		words -= countWords(s.Heading)
	}
	if words < rule.MinWords || words > rule.MaxWords {
		found.inBody(&l.Document, rule.Length, 0, "the text has %s: write %d to %d", api.Count(words, "word"),
			rule.MinWords, rule.MaxWords)
	}
}

// countWords counts words. Markers of headings, lists and emphasis do not count.
func countWords(text string) int {
	n := 0
	for w := range strings.FieldsSeq(text) {
		if strings.Trim(w, "#=-*") != "" {
			n++
		}
	}
	return n
}

func checkJobs(_ *catalog, l *content.Listing, found *findings) {
	if n := len(l.Jobs); n < rule.MinJobs || n > rule.MaxJobs {
		found.at(&l.Document, rule.Jobs, at("jobs"), "jobs: the listing has %d: write %d to %d", n, rule.MinJobs,
			rule.MaxJobs)
	}
}

// praise lists words that praise a tool without describing it, as regular expressions.
var praise = []string{
	`powerful`, `seamless(?:ly)?`, `robust`, `cutting[- ]edge`, `state[- ]of[- ]the[- ]art`, `blazing(?:ly)?`,
	`revolutionary`, `game[- ]chang(?:er|ing)`, `next[- ]gen(?:eration)?`, `world[- ]class`, `effortless(?:ly)?`,
	`comprehensive`, `best[- ]in[- ]class`, `unleash(?:es|ed)?`, `supercharg(?:e|es|ed)`, `leverag(?:e|es|ed|ing)`,
	`unlocks?`, `empower(?:s|ed|ing)?`, `innovative`, `ultimate`, `all[- ]in[- ]one`, `feature[- ]rich`,
	`production[- ]ready`, `enterprise[- ]grade`, `lightning[- ]fast`, `elevates?`, `intuitive`, `versatile`, `sleek`,
	`amazing`, `awesome`, `delightful`, `hassle[- ]free`, `turnkey`, `top[- ]notch`, `unparalleled`, `unmatched`,
	`unrival(?:l)?ed`, `industry[- ]leading`, `market[- ]leading`, `best[- ]of[- ]breed`, `bleeding[- ]edge`,
	`user[- ]friendly`, `easy[- ]to[- ]use`, `frictionless(?:ly)?`, `battle[- ]tested`, `mission[- ]critical`,
	`one[- ]stop`, `stunning(?:ly)?`, `the next level`, `like never before`,
}

// praiseAtStart matches praise at the beginning of a text. It has an expression for each three letters that praise
// begins with, because one expression for all of it is slow.
var praiseAtStart = sync.OnceValue(func() map[[3]byte]*regexp.Regexp {
	words := map[[3]byte][]string{}
	for _, word := range praise {
		prefix := [3]byte([]byte(word))
		words[prefix] = append(words[prefix], word)
	}
	expressions := map[[3]byte]*regexp.Regexp{}
	for prefix, list := range words {
		expressions[prefix] = regexp.MustCompile(`^(?i:` + strings.Join(list, "|") + `)\b`)
	}
	return expressions
})

// findPraise returns the beginning and end, in bytes, of each word of praise in a text.
func findPraise(text string) (matches [][2]int) {
	praise, inWord := praiseAtStart(), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := isWordByte(c)
		if letter && !inWord && i+3 <= len(text) {
			if words := praise[[3]byte{c | 0x20, text[i+1] | 0x20, text[i+2] | 0x20}]; words != nil {
				if match := words.FindStringIndex(text[i:]); match != nil {
					matches = append(matches, [2]int{i, i + match[1]})
				}
			}
		}
		inWord = letter
	}
	return matches
}

// properNames returns an expression that matches the names in the catalogue that contain praise, or
// nil if there are none. Longer names come first, so that the longest one matches.
func properNames(c *content.Content) *regexp.Regexp {
	var names []string
	for _, l := range c.Listings {
		names = append(append(names, l.Name, l.Slug), l.Aliases...)
	}
	for _, p := range c.Taxonomy.Products {
		names = append(names, p.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(findPraise(name)) == 0 })
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return regexp.MustCompile(`(?i)` + strings.Join(names, "|"))
}

// praiseIn works like findPraise, but passes over names.
func (c *catalog) praiseIn(text string) [][2]int {
	matches := findPraise(text)
	if len(matches) > 0 && c.names != nil {
		return findPraise(c.names.ReplaceAllStringFunc(text, func(name string) string {
			return strings.Repeat("_", len(name))
		}))
	}
	return matches
}

// checkPraisedKey warns of praise in a text of the front matter.
func (c *catalog) checkPraisedKey(d *content.Document, found *findings, text, key string, path ...any) {
	if matches := c.praiseIn(text); len(matches) > 0 {
		found.at(d, rule.Praise, path, "%s: %q is praise; say what it does instead", key,
			text[matches[0][0]:matches[0][1]])
	}
}

// checkPraisedBody warns of praise in the text below the front matter, outside code in backticks.
func (c *catalog) checkPraisedBody(d *content.Document, found *findings) {
	for _, match := range c.praiseIn(d.Body) {
		line := d.Body[strings.LastIndexByte(d.Body[:match[0]], '\n')+1 : match[0]]
		if strings.Count(line, "`")%2 == 1 {
			continue
		}
		found.inBody(d, rule.Praise, match[0], "%q is praise; say what it does instead", d.Body[match[0]:match[1]])
	}
}

// checkPraise warns of praise outside names.
func checkPraise(c *catalog, l *content.Listing, found *findings) {
	check := func(text, key string, path ...any) {
		c.checkPraisedKey(&l.Document, found, text, key, path...)
	}
	check(l.Purpose, "purpose", "purpose")
	for i, j := range l.Jobs {
		check(j, "jobs", "jobs", i)
	}
	for i, a := range l.Asks {
		check(a, "asks", "asks", i)
	}
	for _, fact := range l.FitNotes {
		if texts, ok := fact.Value.([]string); ok {
			for i, text := range texts {
				check(text, fact.Key, "fitNotes", fact.Key, i)
			}
		}
	}
	c.checkPraisedBody(&l.Document, found)
}
