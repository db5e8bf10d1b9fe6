package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
	"catalog.example/api/search/query"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

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
				binary.LittleEndian.PutUint32(b[4*r.IntN(n):], uint32(index.Extremes[r.IntN(len(index.Extremes))]))
			}
		}
		return b
	}},
	{"a number of 8 bytes at an extreme", func(r *rand.Rand, b []byte) []byte {
		if n := len(b) / 8; n > 0 {
			binary.LittleEndian.PutUint64(b[8*r.IntN(n):], index.Extremes[r.IntN(len(index.Extremes))])
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

// original is an undamaged file and its sections.
type original struct {
	file  []byte
	parts []index.FilePart
	open  func([]byte) (*index.Index, error)
}

// originals returns an index and the compact index of the same listings.
func originals(t testing.TB) (full, compact original) {
	t.Helper()
	file, compactFile := index.SmallFiles(t)
	return original{file, index.PartsOf(t, file), index.Open}, original{compactFile, index.PartsOf(t, compactFile), index.OpenCompact}
}

// damage returns a changed file with the original checksums.
func (o *original) damage(r *rand.Rand) (file []byte, kind string) {
	if r.IntN(6) == 0 {
		return index.DamageTOC(r, bytes.Clone(o.file), len(o.parts)), "the table of contents"
	}
	if r.IntN(6) == 0 { // swap two sections, or their beginnings
		file = bytes.Clone(o.file)
		a, b := o.parts[r.IntN(len(o.parts))], o.parts[r.IntN(len(o.parts))]
		n := min(a.To-a.From, b.To-b.From)
		copy(file[a.From:a.From+n], o.file[b.From:])
		copy(file[b.From:b.From+n], o.file[a.From:a.From+n])
		return file, "two sections swapped"
	}
	d := damages[r.IntN(len(damages))]
	return d.do(r, bytes.Clone(o.file)), d.name
}

// forge returns a file with changed sections and valid checksums.
func (o *original) forge(t testing.TB, r *rand.Rand) (file []byte, kind string) {
	if r.IntN(8) == 0 {
		file = index.DamageTOC(r, bytes.Clone(o.file), len(o.parts))
		index.FixChecksums(file)
		return file, "the table of contents"
	}
	var names []string
	var contents [][]byte
	for _, p := range o.parts {
		names, contents = append(names, p.Name), append(contents, bytes.Clone(o.file[p.From:p.To]))
	}
	if r.IntN(8) == 0 {
		a, b := r.IntN(len(names)), r.IntN(len(names))
		contents[a], contents[b] = contents[b], contents[a]
		kind = fmt.Sprintf("%s and %s swapped, ", names[a], names[b])
	}
	for range 1 + r.IntN(2) {
		i := r.IntN(len(names))
		d := damages[r.IntN(len(damages))]
		contents[i] = d.do(r, contents[i])
		kind += names[i] + ": " + d.name + ", "
	}
	return index.FileOf(t, names, contents), kind
}

// everyFilter is a search with every filter.
func everyFilter(q, sort string) api.SearchQuery {
	return api.SearchQuery{Q: q, Sort: sort, Limit: 50, Filters: apitest.Filters("category=chat,speech&platform=linux,macos&license=MIT,AGPL-3.0&docker=0&beginner=1&gpu=0&selfHosted=1&maxRamGb=4&ramGb=16&vramGb=6&gpuVendor=nvidia&openSource=1&upkeep=active,slow")}
}

// indexCalls use every part of an index.
var indexCalls = []func(ix *query.Engine) int{
	func(ix *query.Engine) int { return len(ix.AppendList(nil, 0, 100)) },
	func(ix *query.Engine) int { return len(ix.AppendList(nil, 5, 1)) },
	func(ix *query.Engine) int {
		n := 0
		for i := range 9 {
			body, _ := ix.AppendProject(nil, fmt.Sprintf("p-%05d", i))
			n += len(body)
		}
		return n
	},
	func(ix *query.Engine) int { return len(ix.NearSlugs("p-0001", 3)) + len(ix.NearSlugs("pp00001", 3)) },
	searchCall(api.SearchQuery{Limit: 50}),
	searchCall(api.SearchQuery{Limit: 50, Sort: api.SortNewest}),
	searchCall(api.SearchQuery{Limit: 3, Sort: api.SortRecentlyUpdated, Filters: api.Filters{Values: map[string][]string{"category": {"chat"}}}}),
	searchCall(everyFilter("", "")),
	searchCall(api.SearchQuery{Limit: 50, Filters: apitest.Filters("ramGb=8")}),
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
	func(ix *query.Engine) int {
		e := ix.Explain(api.SearchQuery{Q: "heavy is too slow, chatgpt image stt on linux 8gb ram someone", Limit: 5})
		return len(e.Words) + len(e.Hits)
	},
	searchCall(api.SearchQuery{Q: "image 8gb ram no gpu offline on linux", Limit: 50}),
	searchCall(api.SearchQuery{Q: "no gpu easy", Limit: 50, Sort: api.SortPopular}),
	searchCall(api.SearchQuery{Q: "gpl licence typescript music", Limit: 2}),
	searchCall(api.SearchQuery{Q: "stt machine", Limit: 2, Sort: api.SortPopular}),
}

func searchCall(q api.SearchQuery) func(ix *query.Engine) int {
	return func(ix *query.Engine) int { return len(ix.AppendSearch(nil, q)) }
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
	if index.HasRaceDetector() {
		rounds /= 5
	}
	t.Logf("seed %d, %d files", seed, rounds)
	full, compact := originals(t)
	var next, refused, opened atomic.Int64
	before := index.AllocatedBytes()
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
	if each := (index.AllocatedBytes() - before) / uint64(rounds); each > 1<<20 {
		t.Errorf("%d bytes were taken for each file", each)
	}
}

// maxDuration bounds the time for a file, which is less than 1 ms on an idle machine.
const maxDuration = 2 * time.Minute

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
	read, err := o.open(file)
	switch {
	case err != nil:
		if !errors.Is(err, index.ErrUnusable) {
			t.Errorf("seed %d, file %d (%s): %v", seed, number, kind, err)
		}
		return false
	case !forged:
		t.Errorf("seed %d, file %d (%s): the damage is accepted", seed, number, kind)
		return false
	}
	ix := query.New(read)
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
		read, err := o.open(o.file)
		if err != nil {
			t.Fatal(err)
		}
		ix := query.New(read)
		for i, call := range indexCalls {
			if call(ix) == 0 {
				t.Errorf("call %d returns nothing", i)
			}
		}
	}
}

// FuzzSections checks that a file with any sections and valid checksums is refused, or
// answers all queries without a panic.
func FuzzSections(f *testing.F) {
	file, err := index.Encode(index.Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: apitest.Listings(70)})
	if err != nil {
		f.Fatal(err)
	}
	parts := index.PartsOf(f, file)
	for i := range parts {
		f.Add(uint8(i), uint32(0), []byte{0xff, 0xff, 0xff, 0xff})
		f.Add(uint8(i), uint32(9), []byte{0, 0, 0, 0x80})
	}
	f.Fuzz(func(t *testing.T, number uint8, at uint32, with []byte) {
		p := parts[int(number)%len(parts)]
		if p.From == p.To {
			return
		}
		damaged := bytes.Clone(file)
		s := damaged[p.From:p.To]
		copy(s[uint64(at)%uint64(len(s)):], with)
		index.FixChecksums(damaged)
		read, err := index.Open(damaged)
		if err != nil {
			if !errors.Is(err, index.ErrUnusable) || strings.Contains(err.Error(), "checksum") {
				t.Errorf("section %s: %v", p.Name, err)
			}
			return
		}
		ix := query.New(read)
		for _, q := range []api.SearchQuery{
			{Q: "chat image", Limit: 50}, {Q: "stt chatgpt imag", Limit: 50}, {Q: "p-00001 vidoe", Limit: 5, Sort: "newest"},
			{Limit: 50, Filters: api.Filters{Values: map[string][]string{"docker": {"0"}, "category": {"chat"}, "license": {"MIT"}, "platform": {"linux"}}}}, {Q: "tool 8gb on linux", Limit: 50},
		} {
			ix.AppendSearch(nil, q)
		}
		ix.AppendProject(nil, "p-00001")
		ix.AppendList(nil, 0, 100)
		ix.NearSlugs("p-00", 3)
	})
}

// FuzzOpen checks that no bytes make Open panic, loop or read out of bounds.
func FuzzOpen(f *testing.F) {
	file, err := index.Encode(index.TwoListings())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:60])
	f.Add([]byte("CATALOG\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ix, err := index.Open(b)
		if err != nil {
			if !errors.Is(err, index.ErrUnusable) {
				t.Errorf("not ErrUnusable: %v", err)
			}
			return
		}
		query.New(ix).AppendSearch(nil, api.SearchQuery{Q: "a thing", Limit: 10})
	})
}

// An index and a compact index are not mistaken for each other.
func TestOpenCompactWantsACompactIndex(t *testing.T) {
	full, compact := originals(t)
	if _, err := index.OpenCompact(full.file); err == nil || !strings.Contains(err.Error(), "words") {
		t.Errorf("an index is opened as a compact one: %v", err)
	}
	if _, err := index.Open(compact.file); err == nil {
		t.Error("a compact index is opened as an index")
	}
}

// A compact index answers as the index of the same listings does.
func TestCompactIndexAnswersTheSame(t *testing.T) {
	for name, listings := range map[string][]api.ProjectDetail{"none": nil, "some": index.OddListings()} {
		fullFile, compactFile := index.EncodeListings(t, listings)
		a, err := index.Open(fullFile)
		if err != nil {
			t.Fatal(err)
		}
		b, err := index.OpenCompact(compactFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []api.SearchQuery{
			{Limit: 50}, {Q: "chat image rtx 3060", Limit: 50}, {Q: "chatgpt alternative", Limit: 9}, {Q: "chta vidoe", Limit: 9}, everyFilter("chat", ""), everyFilter("", api.SortNewest),
			{Q: "someone to keep me company", Limit: 9}, {Q: "who spoke when", Limit: 9},
		} {
			if got, want := query.New(b).AppendSearch(nil, q), query.New(a).AppendSearch(nil, q); !bytes.Equal(got, want) {
				t.Errorf("%s: %+v: got %s, want %s", name, q, got, want)
			}
		}
	}
}
