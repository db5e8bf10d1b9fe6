package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// newListing returns a listing with these traits. Listings are passed in order of
// popularity.
func newListing(slug, category string, topics, replaces, jobs []string) *content.Listing {
	return &content.Listing{ProjectDetail: api.ProjectDetail{Project: api.Project{
		Slug: slug, Category: category, Topics: topics, Replaces: replaces, Jobs: jobs,
	}}}
}

func similarSlugs(t *testing.T, listings []*content.Listing, slug string) []string {
	t.Helper()
	if err := addSimilar(t.Context(), listings, 2); err != nil {
		t.Fatal(err)
	}
	for _, l := range listings {
		if l.Slug == slug {
			return l.Similar
		}
	}
	t.Fatalf("no listing %s", slug)
	return nil
}

func TestSimilar(t *testing.T) {
	for _, c := range []struct {
		about    string
		listings []*content.Listing
		want     []string // similar to "x"
	}{
		{"nothing in common", []*content.Listing{
			newListing("x", "a", nil, nil, nil), newListing("y", "b", []string{"t"}, []string{"p"}, []string{"j"})}, []string{}},
		{"alone", []*content.Listing{newListing("x", "a", nil, nil, nil)}, []string{}},
		{"each trait counts", []*content.Listing{
			newListing("x", "a", []string{"t"}, []string{"p"}, []string{"j"}),
			newListing("category", "a", nil, nil, nil), newListing("topic", "b", []string{"t"}, nil, nil),
			newListing("product", "c", nil, []string{"p"}, nil), newListing("job", "d", nil, nil, []string{"J"})}, // folded
			[]string{"category", "topic", "product", "job"}},
		{"the same word as topic and as product is not shared", []*content.Listing{
			newListing("x", "a", []string{"chat"}, nil, nil), newListing("y", "b", nil, []string{"chat"}, []string{"chat"})}, []string{}},
		{"more is nearer", []*content.Listing{
			newListing("one", "b", []string{"s"}, nil, nil), newListing("x", "a", []string{"s", "t"}, nil, nil), newListing("two", "c", []string{"s", "t"}, nil, nil)},
			[]string{"two", "one"}},
		{"rare weighs more than frequent", []*content.Listing{
			newListing("frequent", "a", nil, nil, nil), newListing("x", "a", []string{"rare"}, nil, nil), newListing("rare", "b", []string{"rare"}, nil, nil),
			newListing("f2", "a", nil, nil, nil), newListing("f3", "a", nil, nil, nil), newListing("f4", "a", nil, nil, nil)},
			[]string{"rare", "frequent", "f2", "f3", "f4"}},
		{"at most five, the most popular of equals", []*content.Listing{
			newListing("s1", "a", nil, nil, nil), newListing("s2", "a", nil, nil, nil), newListing("s3", "a", nil, nil, nil), newListing("x", "a", nil, nil, nil),
			newListing("s4", "a", nil, nil, nil), newListing("s5", "a", nil, nil, nil), newListing("s6", "a", nil, nil, nil), newListing("s7", "a", nil, nil, nil)},
			[]string{"s1", "s2", "s3", "s4", "s5"}},
		{"a better one that comes late", []*content.Listing{
			newListing("s1", "a", nil, nil, nil), newListing("s2", "a", nil, nil, nil), newListing("s3", "a", nil, nil, nil), newListing("x", "a", []string{"t"}, nil, nil),
			newListing("s4", "a", nil, nil, nil), newListing("s5", "a", nil, nil, nil), newListing("s6", "a", nil, nil, nil), newListing("late", "a", []string{"t"}, nil, nil)},
			[]string{"late", "s1", "s2", "s3", "s4"}},
	} {
		if got := similarSlugs(t, c.listings, "x"); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}

// A category page that also shows a listing makes it like those at home there.
func TestSimilarThroughAnotherCategory(t *testing.T) {
	x, y := newListing("x", "a", nil, nil, nil), newListing("y", "b", nil, nil, nil)
	x.AlsoIn = []string{"b"}
	if got := similarSlugs(t, []*content.Listing{x, y}, "x"); !slices.Equal(got, []string{"y"}) {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(y.Similar, []string{"x"}) {
		t.Errorf("y is similar to %q", y.Similar)
	}
}

func TestSimilarTies(t *testing.T) {
	star := func(slug string, stars int) *content.Listing {
		l := newListing(slug, "a", nil, nil, nil)
		if stars >= 0 {
			l.Stars = &stars
		}
		return l
	}
	listings := sortedByPopularity([]*content.Listing{star("none-a", -1), star("b", 5), star("x", 1), star("none-b", -1), star("a", 5), star("top", 9)})
	if got, want := similarSlugs(t, listings, "x"), []string{"top", "a", "b", "none-a", "none-b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The result does not depend on the number of workers, and contains no duplicates and
// not the listing itself.
func TestSimilarIndependentOfJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(prefix string, n int) []string {
		var list []string
		for range random.IntN(4) {
			list = append(list, fmt.Sprint(prefix, random.IntN(n)))
		}
		return list
	}
	var listings []*content.Listing
	for i := range 300 {
		listings = append(listings, newListing(fmt.Sprintf("l%d", i), fmt.Sprint("c", random.IntN(9)), some("t", 40), some("p", 25), some("j", 200)))
	}
	var want [][]string
	for _, jobs := range []int{1, 2, 8, 1000, 0} {
		if err := addSimilar(t.Context(), listings, jobs); err != nil {
			t.Fatal(err)
		}
		for i, l := range listings {
			unique := slices.Compact(slices.Sorted(slices.Values(l.Similar)))
			if len(l.Similar) > maxSimilar || len(unique) != len(l.Similar) || slices.Contains(l.Similar, l.Slug) {
				t.Fatalf("%s is similar to %q", l.Slug, l.Similar)
			}
			if jobs == 1 {
				want = append(want, l.Similar)
			} else if !slices.Equal(l.Similar, want[i]) {
				t.Fatalf("%d jobs: %s is similar to %q, with one job to %q", jobs, l.Slug, l.Similar, want[i])
			}
		}
	}
}
