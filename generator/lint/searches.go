package lint

import (
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
	Jobs int // how many searches run at once; at least 1
	// Sample is how many of the searches are made, spread evenly; 0 for all.
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
	listing int
	path    []any // in the front matter
	text    string
	hits    int // how many hits the listing must be among
}

// ownSearches lists what should find each listing: its asks, its jobs and the products that it replaces.
func ownSearches(c *content.Content) (list []own) {
	for i, l := range c.Listings {
		add := func(key string, texts []string, hits int) {
			for k, text := range texts {
				list = append(list, own{i, at(key, k), text, hits})
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
	*content.Content
	index *search.Index
	// halves are indexes in which each listing has only its even or only its odd asks. A search for an
	// ask in the half without it shows what people find whose words nobody has foreseen.
	halves [2]*search.Index
	slugs  map[string]int // the numbers of the listings

	mu     sync.Mutex
	missed []content.Finding
	stray  map[strayWord][]own
}

// strayWord is a word by which alone a listing comes first in searches for asks of other categories.
type strayWord struct {
	listing, ask int // the listing's ask with the word
	word         string
}

// CheckSearches searches for the asks, jobs and replaced products of all listings. It warns of a listing
// that is not among the first hits for its own words, and of an ask by one word of which its listing comes
// first for an ask of another category. It returns an error only if ctx ends or no index can be made.
func CheckSearches(
	ctx context.Context, c *content.Content, s content.Options, o SearchOptions,
) ([]content.Finding, error) {
	a := searchAudit{Content: c, slugs: map[string]int{}, stray: map[strayWord][]own{}}
	for i, l := range c.Listings {
		a.slugs[l.Slug] = i
	}
	var err error
	if a.index, err = a.indexOf(s, func(int) bool { return true }); err != nil {
		return nil, err
	}
	for half := range a.halves {
		if a.halves[half], err = a.indexOf(s, func(ask int) bool { return ask%2 == half }); err != nil {
			return nil, err
		}
	}
	list := ownSearches(c)
	if n := len(list); o.Sample > 0 && o.Sample < n {
		sample := make([]own, o.Sample)
		for i := range sample {
			sample[i] = list[i*n/o.Sample]
		}
		list = sample
	}
	done := 0
	err = parallel.Each(ctx, max(1, o.Jobs), len(list), func(i int) error {
		err := a.check(list[i])
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
func (a *searchAudit) indexOf(s content.Options, has func(ask int) bool) (*search.Index, error) {
	catalog := search.Catalog{Settings: s.Settings, Taxonomy: a.Taxonomy}
	for _, l := range a.Listings {
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
func (a *searchAudit) check(o own) error {
	q := api.SearchQuery{Q: o.text, Limit: o.hits, NoFacets: true}
	slugs, err := a.search(a.index, q)
	if err != nil {
		return err
	}
	l := a.Listings[o.listing]
	if !slices.Contains(slugs, l.Slug) {
		first := "nothing"
		if len(slugs) > 0 {
			first = slugs[0]
		}
		missed := l.At(rule.OwnSearch, fmt.Sprintf(
			"%s: a search for %q does not find the listing among its first %d hits; the first is %s: say it in words "+
				"that fit this listing better than others, or remove it", o.path[0], o.text, o.hits, first), o.path...)
		a.mu.Lock()
		a.missed = append(a.missed, missed)
		a.mu.Unlock()
	}
	if o.path[0] != "asks" {
		return nil
	}
	return a.checkFirst(o, q)
}

// checkFirst searches for an ask where its listing does not have it, and looks for a word of one ask by
// which alone a listing of another category comes first.
func (a *searchAudit) checkFirst(o own, q api.SearchQuery) error {
	ask, _ := o.path[1].(int)
	half := a.halves[1-ask%2]
	slugs, err := a.search(half, q)
	if err != nil || len(slugs) == 0 {
		return err
	}
	l := a.Listings[o.listing]
	first, known := a.slugs[slugs[0]]
	if !known || a.isNear(l, a.Listings[first]) {
		return nil
	}
	for _, word := range half.Explain(q).Hits[0].Words {
		ask := a.askOf(first, word)
		if ask < 0 {
			continue
		}
		without := q
		without.Q = strings.Join(slices.DeleteFunc(token.Of(q.Q), func(w string) bool { return w == word.Word }), " ")
		better, err := a.search(half, without)
		if err != nil {
			return err
		}
		if len(better) > 0 && a.isNear(l, a.Listings[a.slugs[better[0]]]) {
			key := strayWord{first, ask, word.Word}
			a.mu.Lock()
			a.stray[key] = append(a.stray[key], o)
			a.mu.Unlock()
			return nil
		}
	}
	return nil
}

// isNear reports whether a listing may well be found by the words of another: they share a category, or
// one is similar to the other.
func (a *searchAudit) isNear(l, other *content.Listing) bool {
	return l.Category == other.Category || slices.Contains(l.AlsoIn, other.Category) ||
		slices.Contains(other.AlsoIn, l.Category) || slices.Contains(l.Similar, other.Slug)
}

// askOf returns the number of the only ask in which a listing has a word, or -1 if it has the word also
// elsewhere, or in several asks.
func (a *searchAudit) askOf(listing int, word search.WordEvidence) int {
	if len(word.Evidence) != 1 || word.Evidence[0].Field != "ask" {
		return -1
	}
	return slices.IndexFunc(a.Listings[listing].Asks, func(ask string) bool {
		return strings.Join(token.Content(ask), " ") == word.Evidence[0].Text
	})
}

// search returns the slugs of the hits.
func (a *searchAudit) search(index *search.Index, q api.SearchQuery) (slugs []string, err error) {
	var answer struct {
		Hits []struct {
			Slug string `json:"slug"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(index.AppendSearch(nil, q), &answer); err != nil {
		return nil, err
	}
	for _, hit := range answer.Hits {
		slugs = append(slugs, hit.Slug)
	}
	return slugs, nil
}

// strayFindings returns a finding for each stray word, with one search that it disturbs.
func (a *searchAudit) strayFindings() (findings []content.Finding) {
	for key, disturbed := range a.stray {
		slices.SortFunc(disturbed, func(x, y own) int {
			return strings.Compare(a.Listings[x.listing].Slug+" "+x.text, a.Listings[y.listing].Slug+" "+y.text)
		})
		l, more := a.Listings[key.listing], ""
		if n := len(disturbed) - 1; n > 0 {
			more = fmt.Sprintf(", and for %d more", n)
		}
		ask := disturbed[0]
		findings = append(findings, l.At(rule.StrayWord, fmt.Sprintf(
			"asks: by the word %q of %q alone, this listing comes first for an ask of %s, %q%s: use words of the job",
			key.word, l.Asks[key.ask], a.Listings[ask.listing].Slug, ask.text, more), at("asks", key.ask)...))
	}
	return findings
}
