package index

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// Definitions of facts that would prevent answers are refused.
func TestForgedFacts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*api.Taxonomy){
		"a choice of nothing":         func(t *api.Taxonomy) { t.Facts[0].Values = nil },
		"a parameter of every search": func(t *api.Taxonomy) { t.Facts[0].Filter.Parameter = "limit" },
		"a parameter twice":           func(t *api.Taxonomy) { t.Facts[0].Filter.Parameter = "docker" },
		"a bound that is no number":   func(t *api.Taxonomy) { t.Facts[1].Least = new(math.NaN()) },
		"a bound without end":         func(t *api.Taxonomy) { t.Facts[1].Most = new(math.Inf(1)) },
		"too many":                    func(t *api.Taxonomy) { t.Facts = append(t.Facts, make([]api.Fact, api.MaxFacts)...) },
	} {
		taxonomy := apitest.Taxonomy()
		change(&taxonomy)
		file, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: taxonomy, Projects: apitest.Listings(2)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(file); err == nil {
			t.Errorf("%s: the index was opened", name)
		}
	}
}

// Each combination takes memory, so there must not be more of them than listings.
func TestForgedCombinations(t *testing.T) {
	t.Parallel()
	full, _ := SmallFiles(t)
	file := withSection(t, full, sectionFacets, encode(&facetTables{Facts: make([][][]string, 1001)}))
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "combinations") {
		t.Errorf("opened: %v", err)
	}
}

// withSection returns a file with another content of a section.
func withSection(t testing.TB, file []byte, name string, content []byte) []byte {
	t.Helper()
	var names []string
	var contents [][]byte
	for _, p := range PartsOf(t, file) {
		names, contents = append(names, p.Name), append(contents, file[p.From:p.To])
		if p.Name == name {
			contents[len(contents)-1] = content
		}
	}
	return FileOf(t, names, contents)
}

// A list with a forged count is cut whole or refused, for any size of int.
func TestForgedCounts(t *testing.T) {
	b := bytes.Repeat([]byte{0xff}, 64)
	for _, extreme := range Extremes {
		for _, head := range []uint32{uint32(extreme), uint32(extreme) | bitmapFlag} {
			l, after, ok := cutList(b, head, 70)
			want := 4 * uint64(head)
			if head&bitmapFlag != 0 {
				want = 16
			}
			if ok != (want <= 64) || ok && uint64(len(l.Array)+len(l.bitmap)) != want || ok && uint64(len(after)) != 64-want {
				t.Errorf("%#x: %v, %d and %d bytes, %d left", head, ok, len(l.Array), len(l.bitmap), len(after))
			}
		}
		if n := Number(binary.LittleEndian.AppendUint32(nil, uint32(extreme))); n < 0 || uint32(n) != uint32(extreme) && n != math.MaxInt {
			t.Errorf("%#x is read as %#x", extreme, n)
		}
	}
}
