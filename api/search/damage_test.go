package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// extremes are numbers at which arithmetic may overflow.
var extremes = []uint64{0, 1, 2, 7, 8, 63, 64, 65, 1 << 15, 1<<16 - 1, 1 << 16, 1<<27 - 1, 1 << 29, 1<<30 - 1, 1 << 30,
	1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 8, 1<<64 - 1}

// randomPart returns a random part of some bytes.
func randomPart(r *rand.Rand, b []byte, most int) []byte {
	if len(b) == 0 {
		return nil
	}
	from := r.IntN(len(b))
	return b[from : from+r.IntN(min(most, len(b)-from)+1)]
}

// damages are ways to change the bytes of a file or section.
var damages = []struct {
	name string
	do   func(r *rand.Rand, b []byte) []byte
}{
	{"bits flipped", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(8) {
			if len(b) > 0 {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
		}
		return b
	}},
	{"bytes overwritten", func(r *rand.Rand, b []byte) []byte {
		for part := randomPart(r, b, 64); len(part) > 0; part = part[1:] {
			part[0] = byte(r.Uint32())
		}
		return b
	}},
	{"a page zeroed", func(r *rand.Rand, b []byte) []byte {
		clear(randomPart(r, b, 4096))
		return b
	}},
	{"cut short", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b)+1)] }},
	{"made longer", func(r *rand.Rand, b []byte) []byte { return append(b, make([]byte, 1+r.IntN(64))...) }},
	{"a block twice", func(r *rand.Rand, b []byte) []byte { return append(b, randomPart(r, b, 512)...) }},
	{"a block over another", func(r *rand.Rand, b []byte) []byte {
		copy(randomPart(r, b, 512), bytes.Clone(randomPart(r, b, 512)))
		return b
	}},
	{"a block removed", func(r *rand.Rand, b []byte) []byte {
		part := randomPart(r, b, 64)
		from := len(b) - cap(part)
		return append(b[:max(from, 0)], b[max(from, 0)+len(part):]...)
	}},
	{"a number of 4 bytes at an extreme", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(3) {
			if n := len(b) / 4; n > 0 {
				binary.LittleEndian.PutUint32(b[4*r.IntN(n):], uint32(extremes[r.IntN(len(extremes))]))
			}
		}
		return b
	}},
	{"a number of 8 bytes at an extreme", func(r *rand.Rand, b []byte) []byte {
		if n := len(b) / 8; n > 0 {
			binary.LittleEndian.PutUint64(b[8*r.IntN(n):], extremes[r.IntN(len(extremes))])
		}
		return b
	}},
	{"numbers increased or decreased", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(4) {
			if n := len(b) / 4; n > 0 {
				at := b[4*r.IntN(n):]
				binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)+uint32(r.IntN(65))-32)
			}
		}
		return b
	}},
}

// damageTOC changes the table of contents of a file.
func damageTOC(r *rand.Rand, file []byte, sections int) []byte {
	line := func() []byte { return file[headerSize+tocEntrySize*r.IntN(sections):][:tocEntrySize] }
	switch r.IntN(5) {
	case 0: // swap two entries
		a, b := line(), line()
		old := bytes.Clone(a)
		copy(a, b)
		copy(b, old)
	case 1: // swap two names
		a, b := line()[:nameSize], line()[:nameSize]
		old := bytes.Clone(a)
		copy(a, b)
		copy(b, old)
	case 2:
		copy(line(), line())
	case 3: // an offset or a length
		binary.LittleEndian.PutUint64(line()[16+8*r.IntN(2):], extremes[r.IntN(len(extremes))])
	case 4: // version, number of sections
		binary.LittleEndian.PutUint32(file[8+4*r.IntN(2):], uint32(extremes[r.IntN(len(extremes))]))
	}
	return file
}

// original is an undamaged file and its sections.
type original struct {
	file  []byte
	parts []section
	open  func([]byte) (*Index, error)
}

func newOriginal(t testing.TB) original {
	t.Helper()
	full, _ := originals(t)
	return full
}

// originals returns an index and the compact index of the same listings.
func originals(t testing.TB) (full, compact original) {
	t.Helper()
	projects := randomListings(9)
	for i := range projects {
		projects[i].Replaces = []string{"ChatGPT", "Chat Video Studio"}[:i%3]
		projects[i].Aliases = []string{"stt machine", "heavy"}[:i%3]
		projects[i].Archived = new(i%4 == 0)
		projects[i].FitNotes.Set("minRamGb", float64(i))
	}
	file, compactFile := encodeBoth(t, Catalog{Settings: site.Defaults(), Taxonomy: testTaxonomy(), Projects: projects})
	return originalOf(t, file, Open), originalOf(t, compactFile, OpenCompact)
}

func originalOf(t testing.TB, file []byte, open func([]byte) (*Index, error)) original {
	t.Helper()
	entries, _, err := readTOC(file[:min(len(file), maxTocSize)], uint64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	o := original{file: file, open: open}
	for _, e := range entries {
		o.parts = append(o.parts, oneSection(e.name, file[e.offset:e.offset+e.length]))
	}
	return o
}

// damage returns a changed file with the original checksums.
func (o *original) damage(r *rand.Rand) (file []byte, kind string) {
	if r.IntN(6) == 0 {
		return damageTOC(r, bytes.Clone(o.file), len(o.parts)), "the table of contents"
	}
	if r.IntN(6) == 0 { // swap two sections, or their beginnings
		file = bytes.Clone(o.file)
		entries, _, _ := readTOC(o.file[:min(len(o.file), maxTocSize)], uint64(len(o.file)))
		a, b := entries[r.IntN(len(entries))], entries[r.IntN(len(entries))]
		n := min(a.length, b.length)
		copy(file[a.offset:a.offset+n], o.file[b.offset:])
		copy(file[b.offset:b.offset+n], o.file[a.offset:a.offset+n])
		return file, "two sections swapped"
	}
	d := damages[r.IntN(len(damages))]
	return d.do(r, bytes.Clone(o.file)), d.name
}

// forge returns a file with changed sections and valid checksums.
func (o *original) forge(t testing.TB, r *rand.Rand) (file []byte, kind string) {
	if r.IntN(8) == 0 {
		file = damageTOC(r, bytes.Clone(o.file), len(o.parts))
		fixChecksums(file)
		return file, "the table of contents"
	}
	parts := append([]section(nil), o.parts...)
	if r.IntN(8) == 0 {
		a, b := &parts[r.IntN(len(parts))], &parts[r.IntN(len(parts))]
		a.pieces, b.pieces = b.pieces, a.pieces
		kind = fmt.Sprintf("%s and %s swapped, ", a.name, b.name)
	}
	for range 1 + r.IntN(2) {
		s := &parts[r.IntN(len(parts))]
		d := damages[r.IntN(len(damages))]
		s.pieces = [][]byte{d.do(r, bytes.Join(s.pieces, nil))}
		kind += s.name + ": " + d.name + ", "
	}
	var b bytes.Buffer
	if _, err := writeFile(&b, parts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), kind
}

// everyFilter is a search with every filter.
func everyFilter(q, sort string) api.SearchQuery {
	return api.SearchQuery{Q: q, Sort: sort, Limit: 50, Filters: filters("category=chat,speech&platform=linux,macos&license=MIT,AGPL-3.0&docker=0&beginner=1&gpu=0&selfHosted=1&maxRamGb=4&ramGb=16&vramGb=6&gpuVendor=nvidia&openSource=1&upkeep=active,slow")}
}

// indexCalls use every part of an index.
var indexCalls = []func(ix *Index) int{
	func(ix *Index) int { return len(ix.AppendList(nil, 0, 100)) },
	func(ix *Index) int { return len(ix.AppendList(nil, 5, 1)) },
	func(ix *Index) int {
		n := 0
		for i := range 9 {
			body, _ := ix.AppendProject(nil, fmt.Sprintf("p-%05d", i))
			n += len(body)
		}
		return n
	},
	func(ix *Index) int { return len(ix.NearSlugs("p-0001", 3)) + len(ix.NearSlugs("pp00001", 3)) },
	searchCall(api.SearchQuery{Limit: 50}),
	searchCall(api.SearchQuery{Limit: 50, Sort: api.SortNewest}),
	searchCall(api.SearchQuery{Limit: 3, Sort: api.SortRecentlyUpdated, Filters: api.Filters{Values: map[string][]string{"category": {"chat"}}}}),
	searchCall(everyFilter("", "")),
	searchCall(api.SearchQuery{Limit: 50, Filters: filters("ramGb=8")}),
	searchCall(api.SearchQuery{Q: "chat image rtx 3060", Limit: 50, Offset: 3}),
	searchCall(everyFilter("chat image", "")),
	searchCall(everyFilter("chat", api.SortNewest)),
	searchCall(api.SearchQuery{Q: "chat image", Limit: 50}),
	searchCall(api.SearchQuery{Q: "tool chat3", Limit: 50}),
	searchCall(api.SearchQuery{Q: "chta vidoe transcirbe", Limit: 50}),
	searchCall(api.SearchQuery{Q: "picture stt speech to text im", Limit: 50}),
	searchCall(api.SearchQuery{Q: "who spoke when", Limit: 50, Filters: api.Filters{Values: map[string][]string{"license": {"MIT"}}}}),
	searchCall(api.SearchQuery{Q: "chatgpt alternative chat video studio", Limit: 50}),
	searchCall(api.SearchQuery{Q: "heavy is too slow for chat with images and company", Limit: 50}),
	func(ix *Index) int {
		e := ix.Explain(api.SearchQuery{Q: "heavy is too slow, chatgpt image stt on linux 8gb ram someone", Limit: 5})
		return len(e.Words) + len(e.Hits)
	},
	searchCall(api.SearchQuery{Q: "image 8gb ram no gpu offline on linux", Limit: 50}),
	searchCall(api.SearchQuery{Q: "no gpu easy", Limit: 50, Sort: api.SortPopular}),
	searchCall(api.SearchQuery{Q: "gpl licence typescript music", Limit: 2}),
	searchCall(api.SearchQuery{Q: "stt machine", Limit: 2, Sort: api.SortPopular}),
}

func searchCall(q api.SearchQuery) func(ix *Index) int {
	return func(ix *Index) int { return len(ix.AppendSearch(nil, q)) }
}

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
		taxonomy := testTaxonomy()
		change(&taxonomy)
		file, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: taxonomy, Projects: randomListings(2)})
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
	parts := newOriginal(t).parts
	for i := range parts {
		if parts[i].name == sectionFacets {
			parts[i].pieces = [][]byte{encode(&facetTables{Facts: make([][][]string, 1001)}, visitFacetTables)}
		}
	}
	var file bytes.Buffer
	if _, err := writeFile(&file, parts); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file.Bytes()); err == nil || !strings.Contains(err.Error(), "combinations") {
		t.Errorf("opened: %v", err)
	}
}

// One in forgedShare mutated files has valid checksums. If such a file can be opened, it
// gets callsPerIndex calls.
const (
	forgedShare   = 8
	callsPerIndex = 6
)

// TestSoakMutatedIndexes opens files that are damaged in many ways. Files with wrong
// checksums are refused. Others are refused, or answer without a panic in bounded time
// and memory.
func TestSoakMutatedIndexes(t *testing.T) {
	const seed = 20261122
	rounds := soak.Rounds(1_000_000)
	if hasRaceDetector() {
		rounds /= 5
	}
	t.Logf("seed %d, %d files", seed, rounds)
	full, compact := originals(t)
	var next, refused, opened atomic.Int64
	before := allocatedBytes()
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			var number int64
			watch := time.AfterFunc(maxDuration, func() { panic(fmt.Sprintf("file %d of seed %d takes more than %v", number, seed, maxDuration)) })
			defer watch.Stop()
			for number = next.Add(1); number <= int64(rounds) && !t.Failed(); number = next.Add(1) {
				watch.Reset(maxDuration)
				o := full
				if number%2 == 0 {
					o = compact
				}
				if o.testMutated(t, seed, uint64(number)) {
					opened.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d refused, %d opened", refused.Load(), opened.Load())
	if opened.Load() < int64(rounds)/(10*forgedShare) {
		t.Errorf("only %d files were opened", opened.Load())
	}
	if each := (allocatedBytes() - before) / uint64(rounds); each > 1<<20 {
		t.Errorf("%d bytes were taken for each file", each)
	}
}

// hasRaceDetector reports whether the race detector is on, which makes this test five times
// slower. `make test` also runs it without, on 32 bits.
func hasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// maxDuration bounds the time for a file, which is less than 1 ms on an idle machine.
const maxDuration = 2 * time.Minute

// allocatedBytes returns how many bytes were allocated on the heap so far.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// testMutated makes the file with a number, and reports whether it could be opened.
func (o *original) testMutated(t *testing.T, seed, number uint64) (opened bool) {
	r := rand.New(rand.NewPCG(seed, number))
	var kind string
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("seed %d, file %d (%s): %v\n%s", seed, number, kind, cause, debug.Stack())
		}
	}()
	var file []byte
	forged := r.IntN(forgedShare) == 0
	if forged {
		file, kind = o.forge(t, r)
	} else if file, kind = o.damage(r); bytes.Equal(file, o.file) {
		return false // nothing changed after all
	}
	ix, err := o.open(file)
	switch {
	case err != nil:
		if !errors.Is(err, ErrUnusable) {
			t.Errorf("seed %d, file %d (%s): %v", seed, number, kind, err)
		}
		return false
	case !forged:
		t.Errorf("seed %d, file %d (%s): the damage is accepted", seed, number, kind)
		return false
	}
	for range callsPerIndex {
		if n := indexCalls[r.IntN(len(indexCalls))](ix); n > 1<<20 {
			t.Errorf("seed %d, file %d (%s): an answer has %d bytes", seed, number, kind, n)
		}
	}
	return true
}

// With an undamaged file, every call returns something.
func TestIndexCallsReturnSomething(t *testing.T) {
	full, compact := originals(t)
	for _, o := range []original{full, compact} {
		ix, err := o.open(o.file)
		if err != nil {
			t.Fatal(err)
		}
		for i, call := range indexCalls {
			if call(ix) == 0 {
				t.Errorf("call %d returns nothing", i)
			}
		}
	}
}

// A list with a forged count is cut whole or refused, for any size of int.
func TestForgedCounts(t *testing.T) {
	b := bytes.Repeat([]byte{0xff}, 64)
	for _, extreme := range extremes {
		for _, head := range []uint32{uint32(extreme), uint32(extreme) | bitmapFlag} {
			l, after, ok := cutList(b, head, 70)
			want := 4 * uint64(head)
			if head&bitmapFlag != 0 {
				want = 16
			}
			if ok != (want <= 64) || ok && uint64(len(l.array)+len(l.bitmap)) != want || ok && uint64(len(after)) != 64-want {
				t.Errorf("%#x: %v, %d and %d bytes, %d left", head, ok, len(l.array), len(l.bitmap), len(after))
			}
			if l.count < 0 {
				t.Errorf("%#x: a count of %d", head, l.count)
			}
		}
		if n := readNumber(binary.LittleEndian.AppendUint32(nil, uint32(extreme))); n < 0 || uint32(n) != uint32(extreme) && n != math.MaxInt {
			t.Errorf("%#x is read as %#x", extreme, n)
		}
	}
}
