// Package lint checks content by the rules of package rule. Package content checks the syntax and
// values of files. This package checks the other rules, which concern deceptive texts and links,
// headings, similar purposes, praise, old facts and dead links.
package lint

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search/token"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
)

// Load reads a content folder and checks it by all rules except those that need the network. The
// findings are sorted by position. If one of them is an error, the content cannot be built. Load
// reports facts that were read before the day oldest; "" means that no fact is too old. It returns
// an error if files cannot be read or ctx ends.
func Load(ctx context.Context, o content.Options, oldest api.Date) (*content.Content, []content.Finding, error) {
	c, findings, rest, err := Begin(ctx, o, oldest)
	if err != nil {
		return c, findings, err
	}
	more, err := rest(ctx)
	findings = append(findings, more...)
	content.SortFindings(findings)
	return c, findings, err
}

// Begin works like Load, but leaves the checks that compare all listings to the function rest.
// After a small change, these checks take most of the time. The content must not change before rest
// returns.
func Begin(ctx context.Context, o content.Options, oldest api.Date) (c *content.Content, findings []content.Finding,
	rest func(context.Context) ([]content.Finding, error), err error) {
	if c, findings, err = content.Load(ctx, o); err != nil {
		return nil, findings, nil, err
	}
	if slices.ContainsFunc(findings, func(f content.Finding) bool { return f.File == "taxonomy/"+content.FactsFile }) {
		o.Settings.Shares = nil // a fact may be missing because of a mistake in its definition
	}
	if err := checkShareKeys(c, o.Settings.Shares); err != nil {
		return nil, nil, nil, err
	}
	all := newCatalog(c, o, oldest)
	found, err := all.checkListings(ctx)
	findings = append(findings, content.Leveled(found, o.Settings.Rules)...)
	content.SortFindings(findings)
	return c, findings, func(ctx context.Context) ([]content.Finding, error) {
		found, err := all.checkTogether(ctx)
		return content.Leveled(found, o.Settings.Rules), err
	}, err
}

// LoadIn reads a content folder in one of the setting languages. It returns the findings about translations; main
// has those of the content in the main language. o.Last is the content in that language. The checks for good style
// are for the main language alone.
func LoadIn(ctx context.Context, o content.Options, lang string, main []content.Finding) (
	*content.Content, []content.Finding, error,
) {
	levels := o.Settings.Rules
	o.Settings, o.Language, o.Progress = o.Settings.In(lang), lang, nil
	o.Settings.Rules, o.Settings.Shares = nil, nil
	c, findings, _, err := Begin(ctx, o, "")
	if err != nil {
		return nil, nil, err
	}
	return c, content.Leveled(c.TranslationFindings(findings, main, lang), levels), nil
}

// catalog holds the content to check.
type catalog struct {
	*content.Content
	options content.Options
	// language is that of the content.
	language *token.Language
	oldest   api.Date       // facts read before this day are reported; "" for none
	names    *regexp.Regexp // see properNames
	// distinctive holds the names that asks must not contain.
	distinctive distinctiveNames
	key         memo.Key          // hash of everything that listings are checked against
	groups      [][][]string      // each group of synonyms, as the words of its phrases
	synonym     map[string]bool   // all words in groups of synonyms
	spaced      map[string]string // see spacedPhrases
	hostNames   map[string]bool   // names that look like hosts, in lower case
	words       []func() *wording // one function for each listing
	whole       bool              // see content.Content.IsWhole
}

func newCatalog(c *content.Content, o content.Options, oldest api.Date) *catalog {
	all := &catalog{Content: c, options: o, oldest: oldest, names: properNames(c),
		language: token.LanguageOf(o.Settings.Lang), synonym: map[string]bool{}, whole: c.IsWhole(),
		hostNames: hostNames(c), spaced: spacedPhrases(&c.Taxonomy)}
	all.distinctive = newDistinctiveNames(c.Listings, all.language)
	all.key = memo.KeyOf("lint", c.Key[:], fmt.Append(nil, oldest, "\n", all.names, "\n", all.distinctive.slugs, "\n",
		all.hostNames))
	for _, group := range c.Taxonomy.Synonyms {
		var phrases [][]string
		for _, phrase := range group {
			if words := all.language.Content(phrase); len(words) > 0 {
				phrases = append(phrases, words)
				for _, w := range words {
					all.synonym[w] = true
				}
			}
		}
		all.groups = append(all.groups, phrases)
	}
	for _, l := range c.Listings {
		all.words = append(all.words, sync.OnceValue(func() *wording { return all.wording(l) }))
	}
	return all
}

// listingChecks check one listing at a time. catalogChecks check the whole catalogue.
var (
	listingChecks = []func(*catalog, *content.Listing, *findings){
		checkListingTexts, checkAddresses, checkHeadings, checkLength, checkJobs, checkInstallLinks, checkSetups,
		checkUnknownGPU, checkPraise, checkVerb, checkAge, checkSourceDays,
	}
	catalogChecks = []func(*catalog, *findings){
		checkPages, checkTaxonomyTexts, checkPurposes, checkTopics, checkAsks, checkProducts, checkSynonyms,
		checkSchema, checkCategories, checkMisses, checkShares, checkSets,
		checkUnwritten, checkPlaces,
	}
)

// findings collects the findings of checks.
type findings struct {
	list   []content.Finding
	levels map[string]string // the setting rules
}

func (f *findings) add(list ...content.Finding) { f.list = append(f.list, list...) }

// at adds a finding about the value at a path in a document's front matter. It skips rules that are
// off, because finding the position takes long, and values that could not be decoded, which have been reported.
func (f *findings) at(d *content.Document, r rule.Rule, path []any, format string, args ...any) {
	if r.At(f.levels).Severity != rule.Off {
		found := d.At(r, fmt.Sprintf(format, args...), path...)
		if !d.IsReported(found.Line) {
			f.add(found)
		}
	}
}

// inBody adds a finding about the text of a document at an offset in bytes.
func (f *findings) inBody(d *content.Document, r rule.Rule, offset int, format string, args ...any) {
	f.add(d.InBody(r, fmt.Sprintf(format, args...), offset))
}

// inTaxonomy adds a finding about the value at a path in a file of the taxonomy.
func (f *findings) inTaxonomy(c *catalog, file string, r rule.Rule, path []any, format string, args ...any) {
	f.add(c.InTaxonomy(file, r, fmt.Sprintf(format, args...), path...))
}

// at builds a path.
func at(path ...any) []any { return path }

// checkListings runs the checks of single listings. It returns an error only if ctx ends.
func (c *catalog) checkListings(ctx context.Context) ([]content.Finding, error) {
	found := make([][]content.Finding, len(c.Listings))
	err := parallel.Each(ctx, c.options.Jobs, len(found), func(i int) error {
		l := c.Listings[i]
		var err error
		found[i], err = memo.Of(c.options.Memo, memo.KeyOf("lint", c.key[:], l.Key[:]),
			func() ([]content.Finding, error) {
				listing := findings{levels: c.options.Settings.Rules}
				for _, check := range listingChecks {
					check(c, l, &listing)
				}
				return listing.list, nil
			})
		return err
	})
	return slices.Concat(found...), err
}

// checkTogether runs the checks of the whole catalogue. It returns an error only if ctx ends.
func (c *catalog) checkTogether(ctx context.Context) ([]content.Finding, error) {
	n := len(c.Listings)
	found := make([][]content.Finding, len(catalogChecks))
	err := parallel.Each(ctx, c.options.Jobs, n+len(found), func(i int) error {
		if i < n {
			c.words[i]() // compute the words, which the checks need
		} else {
			all := findings{levels: c.options.Settings.Rules}
			catalogChecks[i-n](c, &all)
			found[i-n] = all.list
		}
		return nil
	})
	return slices.Concat(found...), err
}

// wording holds the words of a listing that catalogChecks compare.
type wording struct {
	Purpose  []string // distinct words, sorted
	Synonyms []string // words of synonyms in the searchable text
	Asks     []string // words of each ask, with spaces between them
	Known    []bool   // for each ask, whether the searchable text has all its words
	Named    []string // for each ask, the name of a listing in it; "" for none
}

// wording returns the words of a listing, from the memo if it has them.
func (c *catalog) wording(l *content.Listing) *wording {
	w, _ := memo.Of(c.options.Memo, memo.KeyOf("wording", c.key[:], l.Key[:]),
		func() (*wording, error) { return newWording(c, l), nil })
	return w
}

func newWording(c *catalog, l *content.Listing) *wording {
	w := &wording{Purpose: c.language.Content(l.Purpose)}
	slices.Sort(w.Purpose)
	w.Purpose = slices.Compact(w.Purpose)
	asks := make([][]string, len(l.Asks))
	unknown := map[string]bool{} // words of asks, as long as the searchable text is not known to have them
	for i, ask := range l.Asks {
		asks[i] = c.language.Content(ask)
		w.Asks = append(w.Asks, strings.Join(asks[i], " "))
		w.Named = append(w.Named, c.distinctive.in(asks[i]))
		for _, word := range asks[i] {
			unknown[word] = true
		}
	}
	for _, word := range c.language.Content(searchedText(c.Content, l)) {
		delete(unknown, word)
		if c.synonym[word] && !slices.Contains(w.Synonyms, word) {
			w.Synonyms = append(w.Synonyms, word)
		}
	}
	for _, words := range asks {
		w.Known = append(w.Known, !slices.ContainsFunc(words, func(word string) bool { return unknown[word] }))
	}
	return w
}
