package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/token"
	"catalog.example/api/site"
)

// openIndex builds and opens an index of some listings.
func openIndex(t testing.TB, projects ...api.ProjectDetail) *Index {
	t.Helper()
	file, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// Words of any length are corrected, preferably to words with the same first letter.
func TestMisspellings(t *testing.T) {
	var list []api.ProjectDetail
	for _, w := range strings.Fields("mail maid snail transcription interoperability chat hat wörterbuch balconies falconets") {
		list = append(list, apitest.Listing("x-"+token.Join(w), func(p *api.ProjectDetail) { p.Name = "Named " + w }))
	}
	ix := openIndex(t, list...)
	for word, want := range map[string]string{
		"maul": "mail", "aid": "", "znail": "snail", "transcripton": "transcription", "trnascriptoin": "transcription",
		"gransvription": "transcription", "interopperabillity": "interoperability", "hatt": "hat", "jchat": "chat", "chta": "chat",
		"wortebruch": "worterbuch", "xxxxxxxx": "",
		// Two mistakes, the first letter right, before one in the first letter.
		"falconies": "falconets",
	} {
		var got string
		if near := ix.Corrections(word, nil); len(near) > 0 {
			got = string(ix.Terms.Text(near[0]))
		}
		if got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

// A word of very common letters is compared with a bounded number of words.
func TestMisspellingsAreBounded(t *testing.T) {
	var list []api.ProjectDetail
	for i := range 200 {
		list = append(list, apitest.Listing(fmt.Sprintf("p-%d", i), func(p *api.ProjectDetail) {
			var words []string
			for k := range 100 { // the same letters in other orders
				letters := []byte("etaoinsrlc")
				r := rand.New(rand.NewPCG(uint64(i), uint64(k)))
				r.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
				words = append(words, string(letters))
			}
			p.Prose = strings.Join(words, " ")
		}))
	}
	ix := openIndex(t, list...)
	budget := maxCandidates
	for range ix.similar(&budget, "etaoinsrcl", 2, ix.firstWord, ix.Terms.N) {
	}
	if budget > 0 || budget < -10 || ix.Terms.N < 2*maxCandidates {
		t.Errorf("%d of %d are left, of %d words", budget, maxCandidates, ix.Terms.N)
	}
}

// The same listings in batches and in any order give the same file.
func TestBuilderIgnoresOrder(t *testing.T) {
	projects := apitest.Listings(500)
	want, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	r.Shuffle(len(projects), func(i, j int) { projects[i], projects[j] = projects[j], projects[i] })
	b := NewBuilder(site.Defaults(), apitest.Taxonomy())
	for batch := range slices.Chunk(projects, 77) {
		if err := b.Add(batch...); err != nil {
			t.Fatal(err)
		}
	}
	var got bytes.Buffer
	if n, err := b.WriteTo(&got); err != nil || n != int64(got.Len()) {
		t.Fatalf("%d of %d bytes: %v", n, got.Len(), err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("the order shows in the file")
	}
}

// A Builder that keeps listings in a file writes the same bytes, and says so if it cannot.
func TestKeepIn(t *testing.T) {
	projects := apitest.Listings(700)
	for i := range projects {
		projects[i].Prose = strings.Repeat(projects[i].Prose+" ", 1+i%40) // several blocks, which end anywhere
	}
	c := Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: projects}
	want, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	builder := func(s Store) *Builder {
		b := NewBuilder(c.Settings, c.Taxonomy)
		b.KeepIn(s)
		return b
	}
	store, err := os.Create(filepath.Join(t.TempDir(), "listings"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	b := builder(store)
	for batch := range slices.Chunk(projects, 99) {
		if err := b.Add(batch...); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var got bytes.Buffer
		if _, err := b.WriteTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("other bytes: %v", err)
		}
	}
	if n := len(want); n < 2*blockSize {
		t.Errorf("%d bytes are too few for this test", n)
	}
	compact, err := b.EncodeCompact()
	if err != nil {
		t.Fatal(err)
	}
	inMemory, err := BuilderOf(c)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := inMemory.EncodeCompact(); err != nil || !bytes.Equal(compact, again) {
		t.Errorf("another compact index: %v", err)
	}
	if err := builder(struct {
		io.Writer
		io.ReaderAt
	}{fullDisk{}, store}).Add(projects[0]); err == nil || !strings.Contains(err.Error(), errFull.Error()) {
		t.Errorf("no room: %v", err)
	}
	if err := store.Truncate(100); err != nil {
		t.Fatal(err)
	}
	if _, err := b.WriteTo(io.Discard); err == nil {
		t.Error("the listings are gone, and it says nothing")
	}
}

func TestBuilderRefuses(t *testing.T) {
	b := NewBuilder(site.Defaults(), apitest.Taxonomy())
	if err := b.Add(apitest.Listing("a", nil), apitest.Listing("a", nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), `"a" occurs twice`) {
		t.Errorf("a slug twice: %v", err)
	}
	full := NewBuilder(site.Defaults(), apitest.Taxonomy())
	if err := full.Add(apitest.Listing("a", nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := full.WriteTo(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("no room: %v", err)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestLicenses(t *testing.T) {
	for expression, want := range map[string]struct{ sufficient, keys []string }{
		"MIT":                         {[]string{"MIT"}, []string{"mit"}},
		"AGPL-3.0-or-later OR MIT":    {[]string{"AGPL-3.0-or-later", "MIT"}, []string{"agpl-3.0", "agpl-3.0-or-later", "mit"}},
		"GPL-2.0-only WITH Classpath": {[]string{"GPL-2.0-only WITH Classpath"}, []string{"gpl-2.0", "gpl-2.0-only", "gpl-2.0-only with classpath"}},
		"MIT AND Apache-2.0":          {[]string{"MIT AND Apache-2.0"}, []string{"mit and apache-2.0"}},
		"GPL-2.0-only WITH x AND MIT": {[]string{"GPL-2.0-only WITH x AND MIT"}, []string{"gpl-2.0-only with x and mit"}},
		"MIT OR":                      {[]string{"MIT OR"}, []string{"mit or"}},
	} {
		var sufficient, keys []string
		for _, l := range sufficientLicenses(expression) {
			sufficient = append(sufficient, l.String())
			keys = append(keys, l.Keys()...)
		}
		if keys = distinct(keys); !slices.Equal(sufficient, want.sufficient) || !slices.Equal(keys, want.keys) {
			t.Errorf("%s: got %q and %q, want %q", expression, sufficient, keys, want)
		}
	}
}
