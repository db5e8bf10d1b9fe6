package search

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/peer"
	"catalog.example/cmd/bench/synthetic"
)

// Shares of the queries. Three in ten of each kind also have filters.
const (
	filteredShare = 0.30
	misspeltShare = 0.10
	nameShare     = 0.20
)

// The kinds of queries for which latency is shown.
const (
	kindNames    = "names"
	kindMisspelt = "misspelt"
	kindFiltered = "filtered" // with filters, of any other kind
	kindMachine  = "with a computer"
)

// wordKinds lists the kinds of queries by number of words.
var wordKinds = []string{"1 word", "2 words", "3 words", "4 words"}

// query is one query of the benchmark.
type query struct {
	url.Values // the parameters of the API
	Kind       string
	Filtered   bool
}

// machineQueries returns the filtered queries, with a computer instead of their filters.
func machineQueries(queries []query) (list []string) {
	for i := range queries {
		if queries[i].Filtered {
			list = append(list, url.Values{"q": queries[i].Values["q"]}.Encode()+"&"+
				synthetic.Computers[len(list)%len(synthetic.Computers)])
		}
	}
	return list
}

// is reports whether the query belongs to a row of the table of kinds. Queries with filters belong
// to the row of the filtered ones. If they are names or misspelt, they also belong to the row of
// that kind.
func (q *query) is(kind string) bool {
	switch kind {
	case kindFiltered:
		return q.Filtered
	case kindNames, kindMisspelt:
		return q.Kind == kind
	}
	return q.Kind == kind && !q.Filtered
}

// poolSize is the number of listings from which queries are drawn: enough for every word of
// the vocabulary, and the same for all sizes from 10,000 on, so that these get the same
// queries.
const poolSize = 10_000

// pool is the source of random queries.
type pool struct {
	listings   []api.ProjectDetail
	taxonomy   *api.Taxonomy
	parameters []api.Parameter
	facets     []facet // of the parameters
	// words is an index without listings. It is used to find out which words a search skips.
	words *search.Index
	// spoken holds every occurrence of the words of found, so that words are drawn as often as they
	// occur in the texts.
	spoken []string
	// found counts the listings with each word that our search does not skip and that is not a
	// function word.
	found map[string]int
	// common lists the words of found, most frequent first.
	common []string
}

// newPool returns a pool of up to size listings of a corpus.
func newPool(c *corpus, size int) (*pool, error) {
	p := &pool{taxonomy: &c.taxonomy, parameters: c.parameters, facets: facetsOf(c.parameters), found: map[string]int{}}
	empty, err := search.Encode(search.Catalog{Settings: site.Defaults(), Taxonomy: c.taxonomy})
	if err != nil {
		return nil, err
	}
	if p.words, err = search.Open(empty); err != nil {
		return nil, err
	}
	stop := map[string]bool{}
	for _, w := range peer.StopWords() {
		stop[w] = true
	}
	for l := range c.first(min(c.count, size)) {
		p.listings = append(p.listings, l)
		d := peer.DocumentOf(l, p.taxonomy)
		seen := map[string]bool{}
		for _, text := range append(slices.Concat(d.Jobs, d.Topics), d.Purpose) {
			p.take(text, stop, seen, true)
		}
		for line := range strings.Lines(d.Description) {
			p.take(line, stop, seen, true)
		}
	}
	for w := range p.found {
		p.common = append(p.common, w)
	}
	slices.SortFunc(p.common, func(a, b string) int {
		if p.found[a] != p.found[b] {
			return p.found[b] - p.found[a]
		}
		return strings.Compare(a, b)
	})
	return p, nil
}

// take adds the words of a text to the pool. seen holds the words of the same listing that were
// already counted.
func (p *pool) take(text string, stop, seen map[string]bool, spoken bool) {
	for w := range tokens(text) {
		passed, known := stop[w]
		if !known {
			// Words that our search skips would make its queries too cheap.
			passed = len(w) < 2 || w[0] <= '9' || !p.words.IsSearched(w)
			stop[w] = passed
		}
		if passed {
			continue
		}
		if spoken {
			p.spoken = append(p.spoken, w)
		}
		if !seen[w] {
			seen[w] = true
			p.found[w]++
		}
	}
}

// redraws limits how often an unsuitable value is drawn again.
const redraws = 1000

// draw draws n different queries in random order. The same pool and seed give the same
// queries.
func (p *pool) draw(n int, seed uint64) ([]query, error) {
	d := &drawer{pool: p, random: rand.New(rand.NewPCG(seed, 1))}
	queries := make([]query, 0, n)
	kinds := kindsOf(n)
	seen := map[string]bool{}
	for i, kind := range kinds {
		q, key := query{}, ""
		for range redraws {
			q = d.query(kind, d.filteredAt(i, kinds))
			if key = q.Encode(); !seen[key] {
				break
			}
		}
		if seen[key] {
			return nil, fmt.Errorf("%d listings do not give %d different queries: %s run out", len(p.listings), n, kind)
		}
		seen[key] = true
		queries = append(queries, q)
	}
	d.random.Shuffle(n, func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	return queries, nil
}

// kindsOf returns the kinds of n queries in their shares, grouped by kind.
func kindsOf(n int) []string {
	kinds := make([]string, 0, n)
	for range int(float64(n)*nameShare + 0.5) {
		kinds = append(kinds, kindNames)
	}
	for range int(float64(n)*misspeltShare + 0.5) {
		kinds = append(kinds, kindMisspelt)
	}
	words := n - len(kinds)
	for i := range words {
		kinds = append(kinds, wordKinds[i*len(wordKinds)/words])
	}
	return kinds
}

// drawer draws queries from a pool.
type drawer struct {
	*pool
	random *rand.Rand
}

// filteredAt spreads the filtered queries evenly over each kind. The i-th query is filtered if
// i times the share passes a whole number.
func (d *drawer) filteredAt(i int, kinds []string) bool {
	within := i - slices.Index(kinds, kinds[i])
	return int(float64(within+1)*filteredShare+0.5) > int(float64(within)*filteredShare+0.5)
}

func pick[T any](d *drawer, list []T) T { return list[d.random.IntN(len(list))] }

func (d *drawer) query(kind string, filtered bool) query {
	text := ""
	switch kind {
	case kindNames:
		text = d.name()
	case kindMisspelt:
		text = d.misspell(d.words(1 + d.random.IntN(len(wordKinds))))
	default:
		text = strings.Join(d.words(1+slices.Index(wordKinds, kind)), " ")
	}
	q := query{Values: url.Values{"q": {text}}, Kind: kind, Filtered: filtered}
	if filtered {
		d.filter(q.Values)
	}
	return q
}

func (d *drawer) words(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = pick(d, d.spoken)
	}
	return list
}

// name returns a name or an alias of a listing, half of them in lower case, as people type.
func (d *drawer) name() string {
	l := pick(d, d.listings)
	name := pick(d, append([]string{l.Name}, l.Aliases...))
	if d.random.IntN(2) == 0 {
		name = strings.ToLower(name)
	}
	return name
}

// misspell makes one edit in one of the words, so that no listing has the edited word. It skips
// words of fewer than four letters, because their misspellings are ambiguous. If there are no other
// words, it draws new words, a limited number of times.
func (d *drawer) misspell(words []string) string {
	for range redraws {
		at := d.random.IntN(len(words))
		if w := words[at]; len(w) >= 4 {
			if wrong := edit(w, d.random); d.found[wrong] == 0 {
				words[at] = wrong
				return strings.Join(words, " ")
			}
		}
		words = d.words(len(words))
	}
	return strings.Join(words, " ")
}

// edit removes, adds or replaces a letter, or swaps two different neighbours.
func edit(w string, random *rand.Rand) string {
	at := random.IntN(len(w) - 1)
	switch random.IntN(4) {
	case 0:
		return w[:at] + w[at+1:]
	case 1:
		return w[:at+1] + string(rune('a'+random.IntN(26))) + w[at+1:] // a letter, because IntN is below 26
	case 2:
		other := byte('a' + random.IntN(25)) // one of 25 letters; w[at] is skipped below
		if other >= w[at] {
			other++
		}
		return w[:at] + string(other) + w[at+1:]
	}
	for w[at] == w[at+1] {
		if at++; at == len(w)-1 {
			return w[1:]
		}
	}
	return w[:at] + string([]byte{w[at+1], w[at]}) + w[at+2:]
}

// filter sets one to three filters, each to a value of a random listing, so that frequent values
// are frequent in queries. A fifth of the filters that take several values have two.
func (d *drawer) filter(q url.Values) {
	n := 1
	switch x := d.random.IntN(10); {
	case x >= 9:
		n = 3
	case x >= 6:
		n = 2
	}
	for _, at := range d.random.Perm(len(d.facets)) {
		if n == 0 {
			return
		}
		f := d.facets[at]
		values := d.valueOf(f)
		if values == nil {
			continue
		}
		n--
		if f.takesSeveral() && d.random.IntN(5) == 0 {
			if second := d.valueOf(f); second[0] != values[0] {
				values = append(values, second...)
			}
		}
		q[f.Name] = values
	}
}

// valueOf returns a value of a facet, from the first listing that has one, starting at a random
// listing. It returns nil if no listing has one.
func (d *drawer) valueOf(f facet) []string {
	start := d.random.IntN(len(d.listings))
	for i := range d.listings {
		l := &d.listings[(start+i)%len(d.listings)]
		if values := f.values(&l.Project); len(values) > 0 {
			return []string{pick(d, values)}
		}
	}
	return nil
}

// filters returns the filters of a query as the values of each facet. Any one value of a facet is
// enough.
func (q *query) filters(facets []facet) map[string][]string {
	m := map[string][]string{}
	for _, f := range facets {
		if values, ok := q.Values[f.Name]; ok {
			m[f.Name] = values
		}
	}
	return m
}
