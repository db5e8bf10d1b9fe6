package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// like makes a listing with these traits; listings are given most popular
// first.
func like(slug, category string, topics, replaces, jobs []string) *content.Listing {
	return &content.Listing{ProjectDetail: api.ProjectDetail{Project: api.Project{
		Slug: slug, Category: category, Topics: topics, Replaces: replaces, Jobs: jobs,
	}}}
}

func similarTo(t *testing.T, listings []*content.Listing, slug string) []string {
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
			like("x", "a", nil, nil, nil), like("y", "b", []string{"t"}, []string{"p"}, []string{"j"})}, []string{}},
		{"alone", []*content.Listing{like("x", "a", nil, nil, nil)}, []string{}},
		{"each trait counts", []*content.Listing{
			like("x", "a", []string{"t"}, []string{"p"}, []string{"j"}),
			like("category", "a", nil, nil, nil), like("topic", "b", []string{"t"}, nil, nil),
			like("product", "c", nil, []string{"p"}, nil), like("job", "d", nil, nil, []string{"J"})}, // folded
			[]string{"category", "topic", "product", "job"}},
		{"the same word as topic and as product is not shared", []*content.Listing{
			like("x", "a", []string{"chat"}, nil, nil), like("y", "b", nil, []string{"chat"}, []string{"chat"})}, []string{}},
		{"more is nearer", []*content.Listing{
			like("one", "b", []string{"s"}, nil, nil), like("x", "a", []string{"s", "t"}, nil, nil), like("two", "c", []string{"s", "t"}, nil, nil)},
			[]string{"two", "one"}},
		{"rare weighs more than frequent", []*content.Listing{
			like("frequent", "a", nil, nil, nil), like("x", "a", []string{"rare"}, nil, nil), like("rare", "b", []string{"rare"}, nil, nil),
			like("f2", "a", nil, nil, nil), like("f3", "a", nil, nil, nil), like("f4", "a", nil, nil, nil)},
			[]string{"rare", "frequent", "f2", "f3", "f4"}},
		{"at most five, the most popular of equals", []*content.Listing{
			like("s1", "a", nil, nil, nil), like("s2", "a", nil, nil, nil), like("s3", "a", nil, nil, nil), like("x", "a", nil, nil, nil),
			like("s4", "a", nil, nil, nil), like("s5", "a", nil, nil, nil), like("s6", "a", nil, nil, nil), like("s7", "a", nil, nil, nil)},
			[]string{"s1", "s2", "s3", "s4", "s5"}},
		{"a better one that comes late", []*content.Listing{
			like("s1", "a", nil, nil, nil), like("s2", "a", nil, nil, nil), like("s3", "a", nil, nil, nil), like("x", "a", []string{"t"}, nil, nil),
			like("s4", "a", nil, nil, nil), like("s5", "a", nil, nil, nil), like("s6", "a", nil, nil, nil), like("late", "a", []string{"t"}, nil, nil)},
			[]string{"late", "s1", "s2", "s3", "s4"}},
	} {
		if got := similarTo(t, c.listings, "x"); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}

// A category page that also shows a listing makes it like those at home there.
func TestSimilarThroughAnotherCategory(t *testing.T) {
	x, y := like("x", "a", nil, nil, nil), like("y", "b", nil, nil, nil)
	x.AlsoIn = []string{"b"}
	if got := similarTo(t, []*content.Listing{x, y}, "x"); !slices.Equal(got, []string{"y"}) {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(y.Similar, []string{"x"}) {
		t.Errorf("y is like %q", y.Similar)
	}
}

// Order of listings: stars, then slug; so ties in likeness are broken.
func TestSimilarTiesAreBrokenByStarsThenSlug(t *testing.T) {
	star := func(slug string, stars int) *content.Listing {
		l := like(slug, "a", nil, nil, nil)
		if stars >= 0 {
			l.Stars = &stars
		}
		return l
	}
	listings := inPopularOrder([]*content.Listing{star("none-a", -1), star("b", 5), star("x", 1), star("none-b", -1), star("a", 5), star("top", 9)})
	if got, want := similarTo(t, listings, "x"), []string{"top", "a", "b", "none-a", "none-b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The same listings are similar whatever the number of workers, none is similar
// to itself, and none is named twice.
func TestSimilarDoesNotDependOnJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(prefix string, of int) []string {
		var list []string
		for range random.IntN(4) {
			list = append(list, fmt.Sprint(prefix, random.IntN(of)))
		}
		return list
	}
	var listings []*content.Listing
	for i := range 300 {
		listings = append(listings, like(fmt.Sprintf("l%d", i), fmt.Sprint("c", random.IntN(9)), some("t", 40), some("p", 25), some("j", 200)))
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
