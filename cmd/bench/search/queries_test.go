package search

import (
	"context"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/generator/content"
)

// shippedContent is the content folder, from here.
const shippedContent = "../../../content"

// loadShipped reads the content folder once for all tests.
var loadShipped = sync.OnceValues(func() (*content.Content, error) {
	return shipped.Content(context.Background(), shippedContent)
})

func testCorpus(t *testing.T, size string) *corpus {
	t.Helper()
	loaded, err := loadShipped()
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpusOf(loaded, size, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testPool(t *testing.T, size string) *pool {
	t.Helper()
	p, err := newPool(testCorpus(t, size), 500)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestQueriesHaveTheirShares(t *testing.T) {
	for _, size := range []string{realSize, "2000"} {
		p := testPool(t, size)
		const n = 2000
		queries, err := p.draw(n, 7)
		if err != nil {
			t.Fatal(err)
		}
		counts, seen := map[string]int{}, map[string]bool{}
		for i := range queries {
			q := &queries[i]
			if q.Get("q") == "" || q.Has("limit") || q.Has("sort") {
				t.Fatalf("%s: %+v: want words, and neither limit nor sort", size, q)
			}
			counts[q.Kind]++
			if filters := q.filters(p.facets); (len(filters) > 0) != q.Filtered || len(filters) > 3 {
				t.Errorf("%s: %+v has the filters %v", size, q, filters)
			}
			if q.Filtered {
				counts[kindFiltered]++
				counts[kindFiltered+" "+q.Kind]++
			}
			key := q.Encode()
			if seen[key] {
				t.Errorf("%s: %s comes twice", size, key)
			}
			seen[key] = true
			if at := slices.Index(wordKinds, q.Kind); at >= 0 && len(strings.Fields(q.Get("q"))) != at+1 {
				t.Errorf("%s: %q is of kind %s", size, q.Get("q"), q.Kind)
			}
		}
		for kind, want := range map[string]int{
			kindNames: n / 5, kindMisspelt: n / 10, kindFiltered: n * 3 / 10,
			wordKinds[0]: n * 7 / 40, wordKinds[1]: n * 7 / 40, wordKinds[2]: n * 7 / 40, wordKinds[3]: n * 7 / 40,
			kindFiltered + " " + kindNames: n * 3 / 50, kindFiltered + " " + kindMisspelt: n * 3 / 100, kindFiltered + " " + wordKinds[0]: n * 21 / 400,
		} {
			if got := counts[kind]; got < want-1 || got > want+1 {
				t.Errorf("%s: %d of %d are of kind %s, want %d", size, got, n, kind, want)
			}
		}
	}
}

func TestSameSeedSameQueries(t *testing.T) {
	draw := func(size string, seed uint64) []query {
		queries, err := testPool(t, size).draw(300, seed)
		if err != nil {
			t.Fatal(err)
		}
		return queries
	}
	first := draw("500", 1)
	if !reflect.DeepEqual(first, draw("500", 1)) {
		t.Error("the same seed gives different queries")
	}
	if reflect.DeepEqual(first, draw("500", 2)) {
		t.Error("another seed gives the same queries")
	}
	// Costs of different sizes can only be compared where the questions are equal.
	if !reflect.DeepEqual(first, draw("1000000", 1)) {
		t.Error("as many listings as the pool holds are asked other queries than a million")
	}
}

// Every filter is used alone, with others, and the lists with two values.
func TestFiltersOfEachKind(t *testing.T) {
	p := testPool(t, "2000")
	queries, err := p.draw(8000, 1)
	if err != nil {
		t.Fatal(err)
	}
	alone, together, double, values := map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range queries {
		filters := queries[i].filters(p.facets)
		for name, list := range filters {
			if len(filters) == 1 {
				alone[name]++
			}
			for other := range filters {
				if other < name {
					together[other+" "+name]++
				}
			}
			if len(list) > 1 {
				double[name]++
			}
			values[name+list[0]] = true
		}
	}
	// Values that few listings have are drawn by chance only.
	has := map[string]int{}
	for i := range p.listings {
		for _, f := range p.facets {
			list := f.values(&p.listings[i].Project)
			has[f.Name] += min(1, len(list))
			for _, value := range list {
				has[f.Name+value]++
			}
		}
	}
	rare := func(key string) bool { return 20*has[key] < len(p.listings) }
	for i, f := range p.facets {
		if rare(f.Name) {
			continue
		}
		if alone[f.Name] == 0 {
			t.Errorf("%s is never the only filter", f.Name)
		}
		for _, other := range p.facets[i+1:] {
			if !rare(other.Name) && together[min(f.Name, other.Name)+" "+max(f.Name, other.Name)] == 0 {
				t.Errorf("%s and %s never come together", f.Name, other.Name)
			}
		}
		if (double[f.Name] > 0) != f.takesSeveral() {
			t.Errorf("%s has two values %d times", f.Name, double[f.Name])
		}
		if f.Fact == nil {
			continue
		}
		for _, value := range f.Fact.FilterValues() {
			if !values[f.Name+value] && !rare(f.Name+value) {
				t.Errorf("the filter %s=%s is never used", f.Name, value)
			}
		}
	}
	if len(p.facets) < 7 {
		t.Errorf("there are the facets %v", p.facets)
	}
}

// Words are drawn as often as the texts hold them.
func TestWordsFollowTheTexts(t *testing.T) {
	p := testPool(t, "2000")
	shares := map[string]int{}
	for _, w := range p.spoken {
		shares[w]++
	}
	d := &drawer{pool: p, random: rand.New(rand.NewPCG(1, 1))}
	const draws = 100_000
	drawn := map[string]int{}
	for _, w := range d.words(draws) {
		drawn[w]++
	}
	for _, w := range byCount(shares)[:20] {
		want := draws * float64(shares[w]) / float64(len(p.spoken))
		if math.Abs(float64(drawn[w])-want) > 5*math.Sqrt(want) {
			t.Errorf("%q is drawn %d times, want %.0f", w, drawn[w], want)
		}
	}
	if shares["the"] > 0 || shares["elsewhere"] > p.found["elsewhere"]/2 {
		t.Error("function words or headings are drawn")
	}
}

func TestMisspeltWordsAreOneEditAway(t *testing.T) {
	p := testPool(t, "1000")
	queries, err := p.draw(1000, 3)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range queries {
		if queries[i].Kind != kindMisspelt {
			continue
		}
		seen++
		unknown := slices.DeleteFunc(strings.Fields(queries[i].Get("q")), func(w string) bool { return p.found[w] > 0 })
		if len(unknown) != 1 {
			t.Errorf("%q has the unknown words %q, want one", queries[i].Get("q"), unknown)
			continue
		}
		if !slices.ContainsFunc(p.common, func(w string) bool { return oneEdit(unknown[0], w) }) {
			t.Errorf("%q: no word is one edit away from %q", queries[i].Get("q"), unknown[0])
		}
	}
	if seen != 100 {
		t.Errorf("%d misspelt queries of 1000", seen)
	}
}

func TestEdit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	lengths := map[int]int{}
	for _, w := range []string{"workflow", "aabb", "zzzy", "mp3x"} {
		for range 500 {
			wrong := edit(w, random)
			if !oneEdit(w, wrong) {
				t.Fatalf("%q is not one edit from %q", wrong, w)
			}
			lengths[len(wrong)-len(w)]++
		}
	}
	if lengths[-1] < 300 || lengths[0] < 700 || lengths[1] < 300 {
		t.Errorf("changes of length: %v, want all three", lengths)
	}
}

// oneEdit tells whether a and b differ by one letter that is left out, added,
// replaced, or swapped with its neighbour.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1:
		return a[i:] == b[i+1:]
	case len(b) != len(a) || i == len(a):
		return false
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func TestQueriesRunOut(t *testing.T) {
	if _, err := testPool(t, "1").draw(1000, 1); err == nil || !strings.Contains(err.Error(), "run out") {
		t.Errorf("a thousand different queries from one listing: %v", err)
	}
}

func TestFacets(t *testing.T) {
	options := func(slugs ...string) (list []api.FactOption) {
		for _, slug := range slugs {
			list = append(list, api.FactOption{Slug: slug})
		}
		return list
	}
	settings := site.Defaults()
	facts := []api.Fact{
		{Key: "docker", Kind: api.FactYesNo, Filter: &api.FactFilter{Parameter: "docker"}},
		{Key: "beginner", Kind: api.FactYesNo, Filter: &api.FactFilter{Parameter: "easy"}},
		{Key: "offline", Kind: api.FactYesNo},
		{Key: "gpu", Kind: api.FactChoice, Values: options("none", "optional"), Filter: &api.FactFilter{Parameter: "gpu", Zero: []string{"none", "optional"}, One: []string{"optional"}}},
		{Key: "boiler", Kind: api.FactChoice, Values: options("single", "dual"), Filter: &api.FactFilter{Parameter: "boiler"}},
		{Key: "vendors", Kind: api.FactChoices, Values: options("a", "b"), Filter: &api.FactFilter{Parameter: "vendor"}},
		{Key: "ram", Kind: api.FactNumber, Filter: &api.FactFilter{Parameter: "ram", Match: api.MatchAtMost}},
	}
	facets := facetsOf(api.SearchParameters(&settings, &api.Taxonomy{Facts: facts}))
	license, approved, upkeep := "MIT OR Apache-2.0", true, api.UpkeepSlow
	p := api.Project{Category: "chat", Platforms: []string{"linux"}, License: &license, OSIApproved: &approved, Upkeep: &upkeep, FitNotes: api.UnknownFacts(facts)}
	for key, value := range map[string]any{"docker": true, "offline": true, "gpu": "optional", "boiler": "dual", "vendors": []string{"a", "b"}, "ram": 8.0} {
		p.FitNotes.Set(key, value)
	}
	type description struct {
		values          []string
		single, several bool // of a listing; in a query
	}
	want := map[string]description{
		"category": {[]string{"chat"}, true, true}, "platform": {[]string{"linux"}, false, true}, "license": {[]string{"MIT", "Apache-2.0"}, false, true},
		"openSource": {[]string{"1"}, true, false}, "upkeep": {[]string{"slow"}, true, true}, "docker": {[]string{"1"}, true, false}, "easy": {nil, true, false}, "gpu": {[]string{"0", "1"}, false, false},
		"boiler": {[]string{"dual"}, true, true}, "vendor": {[]string{"a", "b"}, false, true},
	}
	got := map[string]description{}
	for _, f := range facets {
		got[f.Name] = description{f.values(&p), f.forPeer().Single, f.takesSeveral()}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	license = "GPL-2.0-only AND MIT"
	if got := facets[2].values(&p); got != nil {
		t.Errorf("of an AND: %v, want none", got)
	}
}

func TestWorstCases(t *testing.T) {
	for _, size := range []string{realSize, "1000"} {
		p := testPool(t, size)
		cases := map[string]url.Values{}
		for _, w := range p.worstCases(1) {
			cases[w.Name] = w.Query
		}
		if w := cases["a word of every listing"].Get("q"); p.found[w] != len(p.listings) {
			t.Errorf("%s: %d of %d listings have %q", size, p.found[w], len(p.listings), w)
		}
		q := cases["256 characters of common words"].Get("q")
		if len(q) > api.MaxQueryLength || len(q) < api.MaxQueryLength-3 || !strings.HasPrefix(q, cases["16 common words, limit 50"].Get("q")) {
			t.Errorf("%s: %d characters: %s", size, len(q), q)
		}
		if n := len(strings.Fields(cases["16 common words, limit 50"].Get("q"))); n != 16 || cases["16 common words, limit 50"].Get("limit") != "50" {
			t.Errorf("%s: %d words", size, n)
		}
		unknown := strings.Fields(cases["16 unknown words"].Get("q"))
		if len(unknown) != 16 || slices.ContainsFunc(unknown, func(w string) bool { return p.found[w] > 0 || len(w) < 8 }) {
			t.Errorf("%s: unknown words %q", size, unknown)
		}
		if one, two := cases["one letter"].Get("q"), cases["two letters"].Get("q"); len(one) != 1 || len(two) != 2 {
			t.Errorf("%s: %q and %q", size, one, two)
		}
		for _, name := range []string{"all filters, a common word", "all filters, no q, newest"} {
			q := query{Values: cases[name]}
			if n := len(q.filters(p.facets)); n != len(p.facets) {
				t.Errorf("%s: %s has %d filters", size, name, n)
			}
		}
		if q := cases["no q, newest"]; q.Has("q") || q.Get("sort") != api.SortNewest {
			t.Errorf("%s: %+v", size, q)
		}
	}
}
