package search

import (
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
)

// worstRepetitions is how often each of the worst cases is timed.
const worstRepetitions = 200

// worstCase is a query that should cost more than any other of its form.
type worstCase struct {
	Name  string
	Query url.Values
}

// worstCases returns the queries that touch most, for this pool.
func (p *pool) worstCases(seed uint64) []worstCase {
	text := func(q string) url.Values { return url.Values{"q": {q}} }
	common := p.common[:min(len(p.common), api.MaxQueryWords)]
	everywhere := p.common[0]

	filtered := text(everywhere)
	p.filterAll(filtered)
	newest := url.Values{"sort": {api.SortNewest}}
	filteredOnly := maps.Clone(newest)
	p.filterAll(filteredOnly)
	largest := text(strings.Join(common, " "))
	largest.Set("limit", strconv.Itoa(limitOf(p.parameters).Max))

	return []worstCase{
		{"a word of every listing", text(everywhere)},
		{"256 characters of common words", text(p.longest())},
		{"16 common words, limit 50", largest},
		{"16 unknown words", text(strings.Join(p.unknown(api.MaxQueryWords, seed), " "))},
		{"one letter", text(p.commonBeginning(1))},
		{"two letters", text(p.commonBeginning(2))},
		{"all filters, a common word", filtered},
		{"all filters, no q, newest", filteredOnly},
		{"no q, newest", newest},
	}
}

// limitOf returns the parameter that says how many hits an answer has.
func limitOf(parameters []api.Parameter) *api.Parameter {
	at := slices.IndexFunc(parameters, func(p api.Parameter) bool { return p.Name == "limit" })
	return &parameters[at]
}

// longest is a query as long as the API takes: the commonest words, as many as
// are searched for, and further ones, which have to be read before they can be
// dropped.
func (p *pool) longest() string {
	q := p.common[0]
	for _, w := range p.common[1:] {
		if len(q)+1+len(w) <= api.MaxQueryLength {
			q += " " + w
		}
	}
	return q
}

// unknown returns words that are as long and made of the same letters as known
// ones, and so have many near ones, but that no listing has: the halves of known
// words in turned order.
func (p *pool) unknown(n int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 2))
	var list []string
	const longWord = 8 // two edits are tried from here on
	for _, at := range random.Perm(len(p.common)) {
		w := p.common[at]
		turned := w[len(w)/2:] + w[:len(w)/2]
		if len(w) >= longWord && p.found[turned] == 0 {
			if list = append(list, turned); len(list) == n {
				break
			}
		}
	}
	return list
}

// commonBeginning is what most words begin with, weighed by the listings that
// have them.
func (p *pool) commonBeginning(letters int) string {
	counts, best := map[string]int{}, ""
	for _, w := range p.common {
		if len(w) >= letters {
			counts[w[:letters]] += p.found[w]
		}
	}
	for beginning, n := range counts {
		if n > counts[best] || n == counts[best] && beginning < best {
			best = beginning
		}
	}
	return best
}

// filterAll sets every filter, to the values that most listings have: half of all
// values where several may be given, such as categories, and else one.
func (p *pool) filterAll(q url.Values) {
	for _, f := range p.facets {
		counts := map[string]int{}
		for i := range p.listings {
			for _, v := range f.values(&p.listings[i].Project) {
				counts[v]++
			}
		}
		values := byCount(counts)
		n := 1
		if f.takesSeveral() {
			n = (len(values) + 1) / 2
		}
		q[f.Name] = values[:n]
	}
}
