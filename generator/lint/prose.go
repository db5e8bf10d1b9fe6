package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

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

// linkTarget is the address of a Markdown link, which is no word.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

func checkLength(_ *catalog, l *content.Listing) []content.Finding {
	words := countWords(linkTarget.ReplaceAllString(l.Body, "]"))
	for _, h := range l.Pieces.Headings {
		words -= countWords(h.Text)
	}
	if words >= rule.MinWords && words <= rule.MaxWords {
		return nil
	}
	return []content.Finding{l.InBody(rule.Length, fmt.Sprintf("the text has %d words; %d to %d are asked for", words, rule.MinWords, rule.MaxWords), 0)}
}

// countWords counts what stands between white space, but the marks of headings, lists
// and emphasis.
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
		return []content.Finding{l.At(rule.Jobs, fmt.Sprintf("jobs: there are %d; %d to %d are asked for", n, rule.MinJobs, rule.MaxJobs), "jobs")}
	}
	return nil
}

// praise are words that say nothing about a tool but that someone likes it.
var praise = []string{
	`powerful`, `seamless(?:ly)?`, `robust`, `cutting[- ]edge`, `state[- ]of[- ]the[- ]art`, `blazing(?:ly)?`, `revolutionary`,
	`game[- ]chang(?:er|ing)`, `next[- ]gen(?:eration)?`, `world[- ]class`, `effortless(?:ly)?`, `comprehensive`, `best[- ]in[- ]class`,
	`unleash(?:es|ed)?`, `supercharg(?:e|es|ed)`, `leverag(?:e|es|ed|ing)`, `unlocks?`, `empower(?:s|ed|ing)?`, `innovative`, `ultimate`,
	`all[- ]in[- ]one`, `feature[- ]rich`, `production[- ]ready`, `enterprise[- ]grade`, `lightning[- ]fast`, `elevates?`, `intuitive`,
	`versatile`, `sleek`, `amazing`, `awesome`, `delightful`, `hassle[- ]free`, `turnkey`, `top[- ]notch`, `unparalleled`, `unmatched`,
}

// praiseHere matches praise at the beginning of a text, and praiseBegins are the first
// three letters of praise: the expression is slow, and most words begin otherwise.
var (
	praiseHere   = regexp.MustCompile(`^(?i:` + strings.Join(praise, "|") + `)\b`)
	praiseBegins = func() map[[3]byte]bool {
		begins := map[[3]byte]bool{}
		for _, word := range praise {
			begins[[3]byte([]byte(word))] = true
		}
		return begins
	}()
)

// findPraise returns the places of praise in a text, in bytes from its beginning.
func findPraise(text string) (places [][2]int) {
	inWord := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
		if letter && !inWord && i+3 <= len(text) && praiseBegins[[3]byte{c | 0x20, text[i+1] | 0x20, text[i+2] | 0x20}] {
			if at := praiseHere.FindStringIndex(text[i:]); at != nil {
				places = append(places, [2]int{i, i + at[1]})
			}
		}
		inWord = letter
	}
	return places
}

// names are proper names of the catalog, which may hold any word.
type names struct{ pattern *regexp.Regexp }

// newNames gathers the names of listings and products, longest first, so that
// the longest is taken out of a text.
func newNames(c *content.Content) names {
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
		return names{}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return names{regexp.MustCompile(`(?i)` + strings.Join(list, "|"))}
}

// blank replaces the names in a text by as many underscores, so that places
// stay the same.
func (n names) blank(text string) string {
	if n.pattern == nil {
		return text
	}
	return n.pattern.ReplaceAllStringFunc(text, func(name string) string { return strings.Repeat("_", len(name)) })
}

// checkPraise warns of praise, but within names.
func checkPraise(c *catalog, l *content.Listing) []content.Finding {
	find := func(text string) [][2]int {
		if len(findPraise(text)) == 0 {
			return nil
		}
		return findPraise(c.names.blank(text))
	}
	var findings []content.Finding
	say := func(text, key string, path ...any) {
		if at := find(text); len(at) > 0 {
			findings = append(findings, l.At(rule.Praise, fmt.Sprintf("%s: %q is praise; say what it does instead", key, text[at[0][0]:at[0][1]]), path...))
		}
	}
	say(l.Purpose, "purpose", "purpose")
	for i, j := range l.Jobs {
		say(j, "jobs", "jobs", i)
	}
	for _, fact := range l.FitNotes {
		if texts, ok := fact.Value.([]string); ok {
			for i, text := range texts {
				say(text, fact.Key, "fitNotes", fact.Key, i)
			}
		}
	}
	for _, at := range find(l.Body) {
		findings = append(findings, l.InBody(rule.Praise, fmt.Sprintf("%q is praise; say what it does instead", l.Body[at[0]:at[1]]), at[0]))
	}
	return findings
}

// similarFrom is the share of words that two purposes must have in common to
// be called nearly the same.
const similarFrom = 0.8

// checkPurposes finds purposes that are repeated, or nearly so. Only purposes
// that share a word that few have are compared.
func checkPurposes(c *catalog) []content.Finding {
	listings := c.Listings
	words := make([][]string, len(listings))
	having := map[string][]int{}
	for i, l := range listings {
		w := search.Words(l.Purpose)
		slices.Sort(w)
		words[i] = slices.Compact(w)
		for _, word := range words[i] {
			having[word] = append(having[word], i)
		}
	}
	var findings []content.Finding
	for i, l := range listings {
		// Purposes that are alike in 8 of 10 words share one of the rarest third.
		rare := slices.Clone(words[i])
		slices.SortStableFunc(rare, func(a, b string) int { return len(having[a]) - len(having[b]) })
		compared := map[int]bool{}
		for _, word := range rare[:(len(rare)+2)/3] {
			for _, j := range having[word] {
				if j >= i || compared[j] {
					continue
				}
				compared[j] = true
				if share := jaccard(words[i], words[j]); share >= similarFrom {
					findings = append(findings, l.At(rule.SimilarPurpose,
						fmt.Sprintf("purpose: says nearly the same as that of %s (%.0f %% of the words): say what sets them apart", listings[j].Slug, share*100), "purpose"))
				}
			}
		}
	}
	return findings
}

// jaccard returns the share of the words of two ordered sets that are in both.
func jaccard(a, b []string) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
		case 0:
			both++
			i++
			j++
		case -1:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
