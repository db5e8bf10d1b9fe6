package lint

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search"
	"catalog.example/api/search/token"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// SearchOptions configures CheckSearches.
type SearchOptions struct {
	// Sample is for tests: how many of the searches to make, spread evenly; 0 for all.
	Sample int
	// Progress is called with the number of searches made so far and their number; it may be nil.
	Progress func(done, total int)
}

// ownHits is how many hits a listing must be among if one searches in its own words. All listings that
// replace a product must be among the first productHits of a search for it.
const (
	ownHits     = 10
	productHits = 50
)

// own is something that a listing says, which should find it.
type own struct {
	*content.Listing
	key  string // in the front matter: the n-th value of a list
	n    int
	text string
	hits int // how many hits the listing must be among
}

// ownSearches lists what should find each listing: its asks, its jobs and the products that it replaces.
func ownSearches(listings []*content.Listing) (list []own) {
	for _, l := range listings {
		add := func(key string, texts []string, hits int) {
			for n, text := range texts {
				list = append(list, own{l, key, n, text, hits})
			}
		}
		add("asks", l.Asks, ownHits)
		add("jobs", l.Jobs, ownHits)
		add("replaces", l.Replaces, productHits)
	}
	return list
}

// searchAudit makes the searches of CheckSearches.
type searchAudit struct {
	index *search.Index
	// halves are indexes in which each listing has only its even or only its odd asks. A search for an
	// ask in the half without it shows what people find whose words nobody has foreseen.
	halves [2]*search.Index
	bySlug map[string]*content.Listing

	mu     sync.Mutex
	missed []content.Finding
	stray  map[strayWord][]own
}

// strayWord is a word that alone puts a listing first in searches for asks of other categories.
type strayWord struct {
	*content.Listing
	ask  int // the ask of the listing with the word
	word string
}

// CheckSearches searches for the asks, jobs and replaced products of all listings. It warns of a listing
// that is not among the first hits for its own words, and of an ask with a word that alone puts its
// listing first in a search for an ask of another category. It returns an error only if ctx ends or no
// index can be made.
func CheckSearches(
	ctx context.Context, c *content.Content, s content.Options, o SearchOptions,
) ([]content.Finding, error) {
	a := searchAudit{bySlug: map[string]*content.Listing{}, stray: map[strayWord][]own{}}
	for _, l := range c.Listings {
		a.bySlug[l.Slug] = l
	}
	var err error
	if a.index, err = indexOf(c, s, func(int) bool { return true }); err != nil {
		return nil, err
	}
	for half := range a.halves {
		if a.halves[half], err = indexOf(c, s, func(ask int) bool { return ask%2 == half }); err != nil {
			return nil, err
		}
	}
	list := ownSearches(c.Listings)
	if n := len(list); o.Sample > 0 && o.Sample < n {
		sample := make([]own, o.Sample)
		for i := range sample {
			sample[i] = list[i*n/o.Sample]
		}
		list = sample
	}
	done := 0
	err = parallel.Each(ctx, max(1, s.Jobs), len(list), func(i int) error {
		err := a.check(&list[i])
		a.mu.Lock()
		defer a.mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, len(list))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	findings := append(a.missed, a.strayFindings()...)
	content.SortFindings(findings)
	return findings, nil
}

// indexOf returns an index in which the listings have only some of their asks.
func indexOf(c *content.Content, s content.Options, has func(ask int) bool) (*search.Index, error) {
	catalog := search.Catalog{Settings: s.Settings, Taxonomy: c.Taxonomy}
	for _, l := range c.Listings {
		p := l.ProjectDetail
		p.Asks = nil
		for k, ask := range l.Asks {
			if has(k) {
				p.Asks = append(p.Asks, ask)
			}
		}
		catalog.Projects = append(catalog.Projects, p)
	}
	file, err := search.Encode(catalog)
	if err != nil {
		return nil, err
	}
	return search.Open(file)
}

// check makes one search, and a second one for an ask.
func (a *searchAudit) check(o *own) error {
	q := api.SearchQuery{Q: o.text, Limit: o.hits, Brief: true}
	slugs, err := slugsOf(a.index, q)
	if err != nil {
		return err
	}
	if !slices.Contains(slugs, o.Slug) {
		first := append(slugs, "nothing")[0]
		missed := o.At(rule.OwnSearch, fmt.Sprintf(
			"%s: a search for %q does not find the listing among its first %d hits; the first is %s: say it in words "+
				"that fit this listing better than others, or remove it", o.key, o.text, o.hits, first),
			at(o.key, o.n)...)
		a.mu.Lock()
		a.missed = append(a.missed, missed)
		a.mu.Unlock()
	}
	if o.key != "asks" {
		return nil
	}
	return a.checkFirst(o, q)
}

// checkFirst searches for an ask where its listing does not have it, and looks for a word of one ask that
// alone puts a listing of another category first.
func (a *searchAudit) checkFirst(o *own, q api.SearchQuery) error {
	half := a.halves[1-o.n%2]
	slugs, err := slugsOf(half, q)
	if err != nil || len(slugs) == 0 || isNear(o.Listing, a.bySlug[slugs[0]]) {
		return err
	}
	first := a.bySlug[slugs[0]]
	for _, word := range half.Explain(q).Hits[0].Words {
		ask := askOf(first, word, half.Language)
		if ask < 0 {
			continue
		}
		without := q
		rest := slices.DeleteFunc(half.Language.Of(q.Q), func(w string) bool { return w == word.Word })
		without.Q = strings.Join(rest, " ")
		better, err := slugsOf(half, without)
		if err != nil {
			return err
		}
		if len(better) > 0 && isNear(o.Listing, a.bySlug[better[0]]) {
			key := strayWord{first, ask, word.Word}
			a.mu.Lock()
			a.stray[key] = append(a.stray[key], *o)
			a.mu.Unlock()
			return nil
		}
	}
	return nil
}

// isNear reports whether a listing may well be found by the words of another: they share a category, or
// one is similar to the other.
func isNear(l, other *content.Listing) bool {
	return l.Category == other.Category || slices.Contains(l.AlsoIn, other.Category) ||
		slices.Contains(other.AlsoIn, l.Category) || slices.Contains(l.Similar, other.Slug)
}

// askOf returns the number of the only ask in which a listing has a word, or -1 if it has the word also
// elsewhere, or in several asks.
func askOf(l *content.Listing, word search.WordEvidence, language *token.Language) int {
	if len(word.Evidence) != 1 || word.Evidence[0].Field != "ask" {
		return -1
	}
	return slices.IndexFunc(l.Asks, func(ask string) bool {
		return strings.Join(language.Content(ask), " ") == word.Evidence[0].Text
	})
}

// slugsOf returns the slugs of the hits of a search.
func slugsOf(index *search.Index, q api.SearchQuery) (slugs []string, err error) {
	var answer api.BriefSearchResponse
	if err := json.Unmarshal(index.AppendSearch(nil, q), &answer); err != nil {
		return nil, err
	}
	for i := range answer.Hits {
		slugs = append(slugs, answer.Hits[i].Slug)
	}
	return slugs, nil
}

// strayFindings returns a finding for each stray word, with one search that it disturbs.
func (a *searchAudit) strayFindings() (findings []content.Finding) {
	for key, disturbed := range a.stray {
		ask := slices.MinFunc(disturbed, func(x, y own) int {
			return cmp.Or(strings.Compare(x.Slug, y.Slug), strings.Compare(x.text, y.text))
		})
		more := ""
		if n := len(disturbed) - 1; n > 0 {
			more = fmt.Sprintf(", and in %d more", n)
		}
		findings = append(findings, key.At(rule.StrayWord, fmt.Sprintf(
			"asks: the word %q of %q alone puts this listing first in a search for %q, an ask of %s%s: use words "+
				"of the job",
			key.word, key.Asks[key.ask], ask.text, ask.Slug, more), at("asks", key.ask)...))
	}
	return findings
}
