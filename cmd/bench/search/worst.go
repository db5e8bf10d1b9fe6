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

// worstRepetitions is the number of times that each of the worst cases is timed.
const worstRepetitions = 200

// worstCase is a query that should cost more than any other of its form.
type worstCase struct {
	Name  string
	Query url.Values
}

// worstCases returns the queries that should cause the most work for this pool.
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

// limitOf returns the parameter that limits the number of hits in an answer.
func limitOf(parameters []api.Parameter) *api.Parameter {
	at := slices.IndexFunc(parameters, func(p api.Parameter) bool { return p.Name == "limit" })
	return &parameters[at]
}

// longest returns a query of the API's maximum length, made of the most common words. It has more
// words than are searched, because the surplus must be read before it can be dropped.
func (p *pool) longest() string {
	q := p.common[0]
	for _, w := range p.common[1:] {
		if len(q)+1+len(w) <= api.MaxQueryLength {
			q += " " + w
		}
	}
	return q
}

// unknown returns words that no listing has: known words with their halves swapped. They have the
// length and the letters of known words, so many known words are similar.
func (p *pool) unknown(n int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 2))
	var list []string
	const longWord = 8 // words of at least this length are searched with up to two edits
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

// commonBeginning returns the most common beginning of words, weighted by the listings that
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

// filterAll sets every filter to the most frequent values: half of all values if several are
// allowed, such as categories, otherwise one.
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
