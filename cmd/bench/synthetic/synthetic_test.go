package synthetic

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// shipped is the content folder whose taxonomy and pages synthetic ones take.
const shipped = "../../../content"

func load(t *testing.T, dir string) (*content.Content, []content.Finding) {
	t.Helper()
	settings := site.Defaults()
	settings.BaseURL = "http://localhost:8080"
	c, findings, err := lint.Load(t.Context(), content.Options{Dir: dir, Settings: settings, Jobs: 2, Today: "2027-01-01"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return c, findings
}

func TestContentIsValidAndSaysWhatWasMade(t *testing.T) {
	real, _ := load(t, shipped)
	made := slices.Collect(Listings(Options{Count: 500, Seed: 1, Taxonomy: &real.Taxonomy}))
	dir := filepath.Join(t.TempDir(), "content")
	if err := WriteContent(dir, shipped, slices.Values(made)); err != nil {
		t.Fatal(err)
	}
	got, findings := load(t, dir)
	for _, f := range findings {
		// Lint may remark on products that none of so few listings replaces.
		if strings.HasPrefix(f.File, "projects/") || f.Rule.Severity == rule.Error {
			t.Error(f)
		}
	}
	want := map[string]api.ProjectDetail{}
	for _, p := range made {
		want[p.Slug] = p
	}
	if len(got.Listings) != 500 || len(want) != 500 {
		t.Fatalf("%d files with %d slugs, want 500 of each", len(got.Listings), len(want))
	}
	for _, l := range got.Listings {
		made := want[l.Slug]
		// The description's links were made absolute by loading.
		l.Description, made.Description = "", ""
		if !reflect.DeepEqual(l.ProjectDetail, made) {
			t.Fatalf("the file says\n%+v\nbut made was\n%+v", l.ProjectDetail, made)
		}
	}
}

func TestSameOptionsSameListings(t *testing.T) {
	real, _ := load(t, shipped)
	take := func(seed uint64) []api.ProjectDetail {
		return slices.Collect(Listings(Options{Count: 20, Seed: seed, Taxonomy: &real.Taxonomy}))
	}
	if !reflect.DeepEqual(take(1), take(1)) {
		t.Error("the same seed gives different listings")
	}
	if reflect.DeepEqual(take(1), take(2)) {
		t.Error("another seed gives the same listings")
	}
}

func TestLengthsFollowTheShippedListings(t *testing.T) {
	real, _ := load(t, shipped)
	made := slices.Collect(Listings(Options{Count: 400, Seed: 1, Taxonomy: &real.Taxonomy}))
	dir := t.TempDir()
	if err := WriteContent(dir, shipped, slices.Values(made)); err != nil {
		t.Fatal(err)
	}
	wantFile, gotFile := medianSize(t, shipped), medianSize(t, dir)
	if gotFile < wantFile || gotFile > wantFile*5/4 {
		t.Errorf("the median listing has %d bytes, the shipped one %d: want at least that and at most a quarter more", gotFile, wantFile)
	}
	for _, p := range made {
		if n := len(p.Description); n < DefaultBodyBytes || n > DefaultBodyBytes+200 {
			t.Errorf("%s: description of %d bytes, want %d and less than a sentence more", p.Slug, n, DefaultBodyBytes)
		}
	}
}

// medianSize is the median size of a content folder's listings.
func medianSize(t *testing.T, dir string) int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "projects", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings in %s: %v", dir, err)
	}
	sizes := make([]int64, len(files))
	for i, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = info.Size()
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

func TestNamesAreUnique(t *testing.T) {
	real, _ := load(t, shipped)
	m := newMaker(Options{Count: 100_000, Seed: 7, Taxonomy: &real.Taxonomy})
	seen := map[string]bool{}
	for i := range m.Count {
		name := m.name(i)
		if seen[name] {
			t.Fatalf("the name %q comes twice", name)
		}
		if message := content.CheckSlug(slugOf(name)); message != "" {
			t.Fatal(message)
		}
		seen[name] = true
	}
}

func TestTopicsFollowZipf(t *testing.T) {
	real, _ := load(t, shipped)
	counts := map[string]int{}
	for p := range Listings(Options{Count: 2000, Seed: 1, Taxonomy: &real.Taxonomy}) {
		for _, topic := range p.Topics {
			counts[topic]++
		}
	}
	var sorted []int
	for _, n := range counts {
		sorted = append(sorted, n)
	}
	slices.SortFunc(sorted, func(a, b int) int { return b - a })
	if first, hundredth := sorted[0], sorted[100]; first < 2*hundredth || first > 400 {
		t.Errorf("the first topic is on %d of 2000 listings and the hundredth on %d: want a head, but no topic everywhere", first, hundredth)
	}
	if once := len(sorted) - slices.Index(sorted, 1); once < len(sorted)/3 {
		t.Errorf("%d of %d topics occur once: want a long tail", once, len(sorted))
	}
}

// Words differ, so that the vocabulary has the size that it says.
func TestVocabularyHasNoWordTwice(t *testing.T) {
	ranks := map[string]uint64{}
	for rank := range uint64(vocabularySize) {
		if before, twice := ranks[word(rank)]; twice {
			t.Fatalf("ranks %d and %d are both %q", before, rank, word(rank))
		}
		ranks[word(rank)] = rank
	}
}

// A rank is drawn as often as Zipf's law says, and so is the tail beyond it.
func TestZipfDrawsByItsLaw(t *testing.T) {
	const count, draws = 20_000, 400_000
	for _, first := range []int{0, 45} {
		z := newZipf(0.9, first, count)
		random := rand.New(rand.NewPCG(1, 2))
		drawn := make([]int, count)
		for range draws {
			drawn[z.draw(random)]++
		}
		sum := 0.0
		for r := first; r < count; r++ {
			sum += math.Pow(float64(r+1), -0.9)
		}
		for low, high := first, first+1; low < count; low, high = high, min(count, 4*high) {
			want, got := 0.0, 0
			for r := low; r < high; r++ {
				want += draws * math.Pow(float64(r+1), -0.9) / sum
				got += drawn[r]
			}
			// Five standard deviations.
			if off := math.Abs(float64(got) - want); off > 5*math.Sqrt(want) {
				t.Errorf("from rank %d: ranks %d to %d are drawn %d times, want %.0f", first, low, high-1, got, want)
			}
		}
		for r := range first {
			if drawn[r] > 0 {
				t.Errorf("from rank %d: rank %d is drawn", first, r)
			}
		}
	}
}

func TestScalarsSurviveYAML(t *testing.T) {
	for text, want := range map[string]string{
		"plain words, with a comma": "plain words, with a comma",
		"no":                        `"no"`,
		"key: value":                `"key: value"`,
		"https://a.example/":        "https://a.example/",
		"# not a comment":           `"# not a comment"`,
		"8 GB":                      `"8 GB"`,
	} {
		if got := scalar(text); got != want {
			t.Errorf("scalar(%q) = %s, want %s", text, got, want)
		}
	}
	if got := flowScalar("a, b"); !strings.HasPrefix(got, `"`) {
		t.Errorf("flowScalar leaves a comma bare: %s", got)
	}
}

func TestImpossibleOptionsPanic(t *testing.T) {
	real, _ := load(t, shipped)
	for name, o := range map[string]Options{
		"too many":    {Count: MaxCount + 1, Taxonomy: &real.Taxonomy},
		"negative":    {Count: -1, Taxonomy: &real.Taxonomy},
		"no taxonomy": {Count: 1, Taxonomy: &api.Taxonomy{}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Listings(o)
		})
	}
}
