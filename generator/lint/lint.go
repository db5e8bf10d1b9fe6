// Package lint tells an editor what a catalog needs beyond what a build
// insists on: that texts have their headings, that purposes differ, that words
// are not empty, that facts are not old, that links lead somewhere.
//
// In goes a content folder that has been loaded; out come findings: warnings, but
// for links that are known to be dead and for texts that deceive their readers.
package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/content"
)

// Options say what to check.
type Options struct {
	// MaxAge is how old a fact may be before it is warned about; 0 for any age.
	MaxAge time.Duration
	Today  api.Date
	// Dir is the content folder, where the schema for editors lies; "" checks none.
	Dir string
}

// Rules describes every rule that findings name, here and in package content.
var Rules = map[string]string{
	"front-matter":     "The front matter is YAML with known keys, each once, and values of the right kind.",
	"encoding":         "Files are UTF-8.",
	"missing":          "A required key is there and filled.",
	"value":            "A value is one that the contract allows.",
	"slug":             "A file name is a slug.",
	"unique":           "Slugs, names, aliases and repositories are unique.",
	"link":             "Links to other listings lead to one.",
	"taxonomy":         "The taxonomy can be read.",
	"synonyms":         "A group of synonyms has at least two different entries.",
	"no-listings":      "There is a listing.",
	"no-description":   "A listing has a text.",
	"no-source":        "Facts that decide have a source.",
	"file":             "Files are regular files of a bounded size.",
	"not-read":         "Files whose names look like those of listings, pages or taxonomy are read.",
	"bounds":           "A text is one that can be rendered in a moment: its length, links, tables and nesting are bounded.",
	"headings":         "A text has the three headings, in order.",
	"length":           "A text has 80 to 180 words.",
	"jobs":             "A listing names 4 to 8 jobs.",
	"praise":           "Words praise instead of telling.",
	"similar-purpose":  "Two purposes are the same, or nearly.",
	"misspelt":         "A topic or product that is used once is near one that is used often.",
	"unused":           "A product or a group of synonyms has no use for any listing.",
	"schema":           "The schema that listings lead editors to is there and current.",
	"stale":            "A fact is older than --max-age.",
	"dead-link":        "A link answers that nothing is there.",
	"unreachable-link": "A link did not answer.",
	"instruction":      "Texts describe the tool, and do not speak to the model that reads them.",
	"hidden-text":      "What machines read, people see: no invisible characters, comments or hidden HTML.",
	"not-shown":        "Texts hold no HTML and no pictures, which pages leave out.",
	"smuggled-link":    "Links lead where they say: https, no credentials, no look-alike hosts, no text that names another host.",
}

// Check returns everything that the rules find in a loaded content folder,
// ordered by place.
func Check(c *content.Content, o Options) []content.Finding {
	findings := Published(c, runtime.GOMAXPROCS(0))
	names := newNames(c)
	for _, l := range c.Listings {
		findings = append(findings, checkHeadings(l)...)
		findings = append(findings, checkLength(l)...)
		findings = append(findings, checkJobs(l)...)
		findings = append(findings, checkPraise(l, names)...)
		findings = append(findings, checkAge(l, o)...)
	}
	findings = append(findings, checkPurposes(c.Listings)...)
	findings = append(findings, checkTopics(c.Listings)...)
	findings = append(findings, checkProducts(c)...)
	if len(c.Unread) == 0 { // those that could not be read may have the words
		findings = append(findings, checkSynonyms(c)...)
	}
	findings = append(findings, checkSchema(c, o.Dir)...)
	content.SortFindings(findings)
	return findings
}

// Headings are those of a listing's text, in order.
var Headings = []string{"What it does", "Good fit if", "Look elsewhere if"}

// headingLine is a heading of the second level.
var headingLine = regexp.MustCompile(`(?m)^##[ \t]+(.*?)[ \t]*#*[ \t]*\r?$`)

func checkHeadings(l *content.Listing) []content.Finding {
	var have []string
	for _, m := range headingLine.FindAllStringSubmatch(l.Body, -1) {
		have = append(have, m[1])
	}
	if slices.Equal(have, Headings) {
		return nil
	}
	message := fmt.Sprintf("the text must have the headings %s in this order; it has %s", quoted(Headings), quoted(have))
	return []content.Finding{l.InBody("headings", message, 1)}
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

func checkLength(l *content.Listing) []content.Finding {
	text := linkTarget.ReplaceAllString(headingLine.ReplaceAllString(l.Body, ""), "]")
	words := 0
	for _, w := range strings.Fields(text) {
		if strings.ContainsFunc(w, func(r rune) bool { return r != '-' && r != '*' }) {
			words++
		}
	}
	if words >= minWords && words <= maxWords {
		return nil
	}
	return []content.Finding{l.InBody("length", fmt.Sprintf("the text has %d words; %d to %d are asked for", words, minWords, maxWords), 1)}
}

// How many jobs a listing names.
const (
	minJobs = 4
	maxJobs = 8
)

func checkJobs(l *content.Listing) []content.Finding {
	if n := len(l.Jobs); n < minJobs || n > maxJobs {
		return []content.Finding{l.At(content.Warning, "jobs", fmt.Sprintf("jobs: there are %d; %d to %d are asked for", n, minJobs, maxJobs), "jobs")}
	}
	return nil
}

// checkShown warns of what pages leave out although it hides nothing.
func checkShown(d *content.Document) []content.Finding {
	var findings []content.Finding
	for _, h := range d.Pieces.HTML {
		if hides(h.Text) == "" && !strings.HasPrefix(h.Text, "</") { // its beginning is told
			findings = append(findings, d.InBodyAt(content.Warning, "not-shown",
				fmt.Sprintf("%q is HTML, which is not shown: write it in Markdown, or leave it out", firstLine(h.Text)), h.Offset))
		}
	}
	for _, l := range d.Pieces.Links {
		if l.Image {
			findings = append(findings, d.InBodyAt(content.Warning, "not-shown",
				fmt.Sprintf("the picture %q is not shown: say in words what it shows, or link to it", l.URL), l.Offset))
		}
	}
	return findings
}

func checkAge(l *content.Listing, o Options) []content.Finding {
	if o.MaxAge <= 0 {
		return nil
	}
	oldest := api.DateOf(o.Today.Time().Add(-o.MaxAge))
	var findings []content.Finding
	if l.StarsAsOf != nil && *l.StarsAsOf < oldest {
		findings = append(findings, l.At(content.Warning, "stale", fmt.Sprintf("stars: were read on %s; run: catalog refresh --only %s", *l.StarsAsOf, l.Slug), "starsAsOf"))
	}
	for field, source := range l.Sources {
		if day, ok, err := content.SourceDate(source); ok && err == nil && day < oldest && field != "stars" {
			findings = append(findings, l.At(content.Warning, "stale", fmt.Sprintf("%s: was read on %s; read it again", field, day), "sources", field))
		}
	}
	return findings
}

// checkTopics warns of topics that are written in two ways ("web-ui", "web
// ui"), and of topics that are used once and look like a misspelling of one
// that is used more often.
func checkTopics(listings []*content.Listing) []content.Finding {
	uses, first := map[string]int{}, map[string]*content.Listing{}
	for _, l := range listings {
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
	for _, l := range listings {
		for i, t := range l.Topics {
			near := usual[joined(t)]
			if near == t && uses[t] == 1 {
				near = misspelt(t, often)
			}
			if near != "" && near != t {
				findings = append(findings, l.At(content.Warning, "misspelt",
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
func checkProducts(c *content.Content) []content.Finding {
	used := map[string]int{}
	for _, l := range c.Listings {
		for _, p := range l.Replaces {
			used[p]++
		}
	}
	var findings []content.Finding
	for i, p := range c.Taxonomy.Products {
		if used[p.Name] == 0 && len(c.Unread) == 0 {
			findings = append(findings, c.InTaxonomy("products.yml", content.Warning, "unused", fmt.Sprintf("no listing replaces %q: name it in one, or remove it", p.Name), i))
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
			findings = append(findings, c.InTaxonomy("products.yml", content.Warning, "misspelt", fmt.Sprintf("%q is used once and differs little from %q", p.Name, near), i, "name"))
		}
	}
	return findings
}

// checkSynonyms warns of groups of which no entry occurs in any listing: they
// lead nowhere.
func checkSynonyms(c *content.Content) []content.Finding {
	vocabulary := map[string]bool{}
	for _, l := range c.Listings {
		for _, w := range search.Words(listingText(c, l)) {
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
			findings = append(findings, c.InTaxonomy("synonyms.yml", content.Warning, "unused", fmt.Sprintf("no listing has the words of any of %s", quoted(group)), i))
		}
	}
	return findings
}

// checkSchema warns of a schema that listings lead editors to, and that is not
// there or is not that of this program and taxonomy.
func checkSchema(c *content.Content, dir string) []content.Finding {
	i := slices.IndexFunc(c.Listings, func(l *content.Listing) bool { return l.SchemaLine() > 0 })
	if dir == "" || i < 0 {
		return nil
	}
	file := filepath.Join(dir, content.SchemaFile)
	remedy := "run: catalog schema > " + filepath.ToSlash(file)
	have, err := os.ReadFile(file) // #nosec G304 -- beside the listings
	if err != nil {
		l := c.Listings[i]
		return []content.Finding{{File: l.File, Line: l.SchemaLine(), Column: 1, Severity: content.Warning, Rule: "schema",
			Message: fmt.Sprintf("%s cannot be read, to which this leads editors: %s", content.SchemaFile, remedy)}}
	}
	want, err := content.Schema(&c.Taxonomy)
	if err != nil || bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), want) {
		return nil
	}
	return []content.Finding{{File: content.SchemaFile, Line: 1, Column: 1, Severity: content.Warning, Rule: "schema",
		Message: "is not current, so that editors check listings by old rules: " + remedy}}
}

// listingText is all that is searched of a listing.
func listingText(c *content.Content, l *content.Listing) string {
	category, _ := c.Taxonomy.Category(l.Category)
	return strings.Join(slices.Concat([]string{l.Name, l.Purpose, category.Name, l.Body}, l.Aliases, l.Jobs, l.Topics, l.Replaces), "\n")
}
