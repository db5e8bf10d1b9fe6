package index

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// What tests of a damaged index need, which also ask it queries.

// Extremes are numbers at which arithmetic may overflow.
var Extremes = []uint64{0, 1, 2, 7, 8, 63, 64, 65, 1 << 15, 1<<16 - 1, 1 << 16, 1<<27 - 1, 1 << 29, 1<<30 - 1, 1 << 30,
	1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 8, 1<<64 - 1}

// FilePart is a section of a file: its name and the bytes that it takes there.
type FilePart struct {
	Name     string
	From, To uint64
}

// PartsOf returns the sections of a file in their order.
func PartsOf(t testing.TB, file []byte) (list []FilePart) {
	t.Helper()
	entries, _, err := readTOC(file[:min(len(file), maxTocSize)], uint64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, FilePart{e.name, e.offset, e.offset + e.length})
	}
	return list
}

// FileOf returns a file with the sections of these names and contents.
func FileOf(t testing.TB, names []string, contents [][]byte) []byte {
	t.Helper()
	var sections []section
	for i, name := range names {
		sections = append(sections, section{name: name, content: contents[i]})
	}
	return slices.Concat(fileOf(sections)...)
}

// DamageTOC changes the table of contents of a file.
func DamageTOC(r *rand.Rand, file []byte, sections int) []byte {
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
		binary.LittleEndian.PutUint64(line()[16+8*r.IntN(2):], Extremes[r.IntN(len(Extremes))])
	case 4: // version, number of sections
		binary.LittleEndian.PutUint32(file[8+4*r.IntN(2):], uint32(Extremes[r.IntN(len(Extremes))]))
	}
	return file
}

// FixChecksums sets the checksums of a file whose sections were changed.
func FixChecksums(file []byte) {
	start := file[:min(len(file), maxTocSize)]
	if len(start) < headerSize {
		return
	}
	n := min(Number(start[12:]), maxSections)
	end := headerSize + n*tocEntrySize
	if len(file) < end+4 {
		return
	}
	for i := range n {
		line := file[headerSize+i*tocEntrySize:]
		offset, length := binary.LittleEndian.Uint64(line[16:]), binary.LittleEndian.Uint64(line[24:])
		if offset > uint64(len(file)) || length > uint64(len(file))-offset {
			continue
		}
		binary.LittleEndian.PutUint32(line[32:], checksum(file[offset:offset+length]))
	}
	binary.LittleEndian.PutUint32(file[end:], crc(file[:end]))
}

// EncodeListings returns the index and the compact index of some listings.
func EncodeListings(t testing.TB, projects []api.ProjectDetail) (full, compact []byte) {
	t.Helper()
	b, err := BuilderOf(Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := b.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if compact, err = b.EncodeCompact(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), compact
}

// TwoListings is the content of the smallest index that has two listings.
func TwoListings() Catalog {
	return Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: []api.ProjectDetail{
		apitest.Listing("b", nil), apitest.Listing("a", func(p *api.ProjectDetail) { p.Stars = new(4) }),
	}}
}

// OddListings are listings of which some have names and texts that are written in odd ways.
func OddListings() []api.ProjectDetail {
	return append(apitest.Listings(300), apitest.Listing("odd", func(p *api.ProjectDetail) {
		p.Name, p.Aliases, p.Replaces = "Do It", []string{"it", "naïve büro"}, []string{"ChatGPT", "Otter.ai", "gpt4o"}
		p.Jobs = []string{"do it", "who spoke when"}
		p.Prose = "A sentence. Another one with speech to text.\n\n- and a list"
	}))
}

// SmallFiles returns an index and the compact index of the same few listings.
func SmallFiles(t testing.TB) (full, compact []byte) {
	t.Helper()
	projects := apitest.Listings(9)
	for i := range projects {
		projects[i].Replaces = []string{"ChatGPT", "Chat Video Studio"}[:i%3]
		projects[i].Aliases = []string{"stt machine", "heavy"}[:i%3]
		projects[i].Archived = new(i%4 == 0)
		projects[i].FitNotes.Set("minRamGb", float64(i))
	}
	return EncodeListings(t, projects)
}

// HasRaceDetector reports whether the race detector is on, which makes this test five times
// slower. `make test` also runs it without, on 32 bits.
func HasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// AllocatedBytes returns how many bytes were allocated on the heap so far.
func AllocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
