package search

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
	"catalog.example/api/spelling"
)

// randomListings makes listings that share many words, names and facts.
func randomListings(n int) []api.ProjectDetail {
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("chat image speech text voice video local model server agent search photo meeting transcribe paint summary translate document music game")
	some := func(low, high int) string {
		var list []string
		for range low + r.IntN(high-low+1) {
			// Squares make the first words frequent and the last rare.
			list = append(list, words[r.IntN(len(words))*r.IntN(len(words))/len(words)])
		}
		return strings.Join(list, " ")
	}
	setups := []hardware.Setup{
		{For: "small \"models\"", Level: hardware.LevelMinimum, RAMGb: new(8.0)}, {For: "large models", Level: hardware.LevelExample, RAMGb: new(64.0)},
		{For: "pictures", Level: hardware.LevelMinimum, VRAMGb: new(6.0), GPUVendor: new("nvidia")},
	}
	flag := func() any { return []any{nil, false, true}[r.IntN(3)] }
	list := make([]api.ProjectDetail, n)
	for i := range list {
		list[i] = listing(fmt.Sprintf("p-%05d", i), func(p *api.ProjectDetail) {
			p.Name = "Tool " + some(0, 2) + fmt.Sprint(i)
			p.Purpose = some(3, 8)
			p.Prose = some(10, 40) + " <b>&</b> \u2028 \"quoted\"\\ "
			if r.IntN(3) == 0 {
				p.Jobs = []string{some(1, 3), some(2, 4)}
			}
			if r.IntN(4) == 0 {
				p.Topics = []string{some(1, 1), some(1, 2)}
			}
			if r.IntN(5) == 0 {
				p.Replaces = []string{[]string{"ChatGPT", "Otter.ai", "Chat Video Studio"}[r.IntN(3)]}
			}
			if r.IntN(3) > 0 {
				p.Stars = new(r.IntN(50))
			}
			p.AddedAt = api.Date(fmt.Sprintf("2026-%02d-01", 1+r.IntN(9)))
			if r.IntN(2) == 0 {
				p.UpdatedAt = new(api.Date(fmt.Sprintf("2025-%02d-01", 1+r.IntN(9))))
			}
			p.Category = []string{"chat", "speech"}[r.IntN(2)]
			p.Platforms = []string{"linux", "macos"}[:r.IntN(3)]
			p.License = []*string{nil, new("MIT"), new("MIT OR Apache-2.0"), new("AGPL-3.0-only")}[r.IntN(4)]
			p.FitNotes = apitest.FitNotes("docker", flag(), "beginner", flag(), "selfHosted", flag(), "gpu", []any{nil, "none", "optional", "required"}[r.IntN(4)])
			p.FitNotes.SetSetups(apitest.Facts(), setups[:r.IntN(len(setups)+1)])
		})
	}
	return list
}

// Hits, lists and single projects have the same JSON as the listings.
func TestAnswersContainListings(t *testing.T) {
	projects := randomListings(40)
	ix := open(t, projects...)
	bySlug := map[string]api.ProjectDetail{}
	for _, p := range projects {
		bySlug[p.Slug] = p
	}
	var raw struct{ Hits []json.RawMessage }
	if err := json.Unmarshal(ix.AppendSearch(nil, api.SearchQuery{Limit: 50}), &raw); err != nil || len(raw.Hits) != 40 {
		t.Fatalf("%v, %d hits", err, len(raw.Hits))
	}
	for _, h := range raw.Hits {
		var hit api.Hit
		if err := json.Unmarshal(h, &hit); err != nil {
			t.Fatal(err)
		}
		p := bySlug[hit.Slug]
		want, _ := api.JSON(api.Hit{HitProject: p.HitProject(), Match: api.Match{Missing: []string{}}})
		if !bytes.Equal(h, want) {
			t.Errorf("hit\n%s\nwant\n%s", h, want)
		}
		body, _ := ix.AppendProject(nil, hit.Slug)
		if want, _ := api.JSON(p); !bytes.Equal(body, want) {
			t.Errorf("single project\n%s\nwant\n%s", body, want)
		}
	}
	for i, p := range listProjects(t, ix, 0, 50) {
		got, _ := api.JSON(p)
		if want, _ := api.JSON(bySlug[p.Slug].Project); !bytes.Equal(got, want) {
			t.Errorf("place %d of the list: %s, want %s", i, got, want)
		}
	}
}

// The answer equals the JSON of encoding/json.
func TestAnswerEqualsEncodingJSON(t *testing.T) {
	ix := open(t, randomListings(60)...)
	for _, q := range []api.SearchQuery{
		{Limit: 3}, {Q: "chat \"image\" \\ \u2028 <&> \x7f \t é", Limit: 5}, {Q: "chta vidoe", Limit: 5},
		{Q: "image", Filters: api.Filters{Values: map[string][]string{"category": {"chat"}, "platform": {"linux"}, "license": {"MIT", "zlib\""}, "docker": {"0"}}}, Sort: "trending", Limit: 2},
		{Q: "image", Filters: filters("ramGb=8&arch=arm64"), Limit: 4, Offset: 2},
	} {
		text := ix.AppendSearch(nil, q, api.Warning{Code: "c", Parameter: "p", Message: "m\n\x01"})
		var answer api.SearchResponse
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&answer); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		// Query and facets are maps, whose order is not that of the answer.
		var got, want any
		again, _ := api.JSON(answer)
		if json.Unmarshal(text, &got) != nil || json.Unmarshal(again, &want) != nil || !reflect.DeepEqual(got, want) || len(text) != len(again) {
			t.Errorf("%+v:\ngot  %s\nwant %s", q, text, again)
		}
	}
}

// Counting facets from members, non-members or lists gives the same results.
func TestWaysOfCountingFacetsAgree(t *testing.T) {
	ix := open(t, randomListings(3000)...)
	r := rand.New(rand.NewPCG(7, 8))
	all := make([]facet, len(ix.facets.names))
	for f := range all {
		all[f] = facet(f)
	}
	for _, members := range []int{0, 1, 40, 1000, 1500, 2000, 2990, 3000} {
		w := ix.acquire()
		s := w.emptySet()
		for _, d := range r.Perm(ix.n)[:members] {
			s.add(d)
		}
		want := map[string]int{}
		s.each(func(doc int) bool {
			f := factsOf(ix.facts, doc)
			for facet, sets := range ix.facets.sets {
				for _, v := range sets[f.number(min(facet, factColumns-1))] {
					want[ix.facets.names[facet]+"="+ix.facets.values[facet][v].value]++
				}
			}
			return true
		})
		for _, lists := range []int{1, 1 << 20} { // with few lists they are used, with many they are not
			ix.facets.lists = lists
			w.countValues(s, all)
			got := map[string]int{}
			for f, values := range w.facets {
				last := 1 << 30
				for _, v := range values {
					if v.count() > last {
						t.Errorf("%s is out of order", ix.facets.names[f])
					}
					last = v.count()
					got[ix.facets.names[f]+"="+ix.facets.values[f][v.value()].value] = v.count()
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d members, %d lists: got %v, want %v", members, lists, got, want)
			}
		}
		w.release()
	}
}

// Sums of weights of 64 listings at a time equal the sums of each.
func TestAddWeight(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		var sum [partialBits]uint64
		var want [64]int
		for left := partialScale - 1; left > 0; {
			weight := r.IntN(min(left, 80) + 1)
			listings := r.Uint64()
			addWeight(&sum, uint8(weight), listings)
			for i := range want {
				if listings>>i&1 != 0 {
					want[i] += weight
				}
			}
			left -= weight + 1
		}
		least := uint8(r.IntN(partialScale))
		got := atLeast(&sum, least)
		for i, n := range want {
			if (got>>i&1 != 0) != (n >= int(least)) {
				t.Fatalf("listing %d has %d: at least %d is %v", i, n, least, got>>i&1)
			}
		}
		candidates := r.Uint64() | 1
		step, same := sameStep(&sum, candidates)
		for i, n := range want {
			if (same>>i&1 != 0) != (candidates>>i&1 != 0 && n>>(partialBits-stepBits) == step) {
				t.Fatalf("listing %d has %d: step %d, alike %v", i, n, step, same>>i&1)
			}
		}
	}
}

// If too many listings match to grade all, the first hits are still the best.
func TestFirstHitsWithFewGraded(t *testing.T) {
	projects := randomListings(3000)
	exact, few := open(t, projects...), open(t, projects...)
	exact.maxGraded, few.maxGraded = len(projects), 100
	for _, q := range []string{"chat", "image", "transcribe", "chatgpt", "imag", "speach", "studio", "chat no gpu", "otter ai"} {
		query := api.SearchQuery{Q: q, Limit: 10}
		a, b := search(exact, query), search(few, query)
		if !slices.Equal(slugs(a), slugs(b)) || a.Total != b.Total {
			t.Errorf("%q: %d of %v, graded in part: %d of %v", q, a.Total, slugs(a), b.Total, slugs(b))
		}
		w := few.acquire()
		w.decide(&query)
		if w.gradedCount > 4*100 {
			t.Errorf("%q: %d are graded", q, w.gradedCount)
		}
		w.release()
	}
}

// Every sort is a total order, whether few or many listings match.
func TestSortsAreTotal(t *testing.T) {
	projects := randomListings(2000)
	ix := open(t, projects...)
	for sort, compare := range map[string]func(a, b *api.Project) int{
		api.SortPopular: ComparePopular, api.SortNewest: CompareNewest, api.SortRecentlyUpdated: CompareRecentlyUpdated,
	} {
		for _, category := range [][]string{nil, {"chat"}} {
			for _, license := range [][]string{nil, {"AGPL-3.0"}} {
				for _, q := range []string{"", "tool", "game chat", "tool1999"} {
					answer := search(ix, api.SearchQuery{Q: q, Sort: sort, Filters: api.Filters{Values: map[string][]string{"category": category, "license": license}}, Limit: 50})
					if len(answer.Hits) != min(50, answer.Total) {
						t.Errorf("%s %q: %d hits of %d", sort, q, len(answer.Hits), answer.Total)
					}
					for i := 1; i < len(answer.Hits); i++ {
						a, b := findProject(projects, answer.Hits[i-1].Slug), findProject(projects, answer.Hits[i].Slug)
						if compare(a, b) >= 0 {
							t.Errorf("%s %q: %s stands before %s", sort, q, a.Slug, b.Slug)
						}
					}
				}
			}
		}
	}
}

func findProject(list []api.ProjectDetail, slug string) *api.Project {
	i := slices.IndexFunc(list, func(p api.ProjectDetail) bool { return p.Slug == slug })
	return &list[i].Project
}

// Words of any length are corrected, preferably to words with the same first letter.
func TestMisspellings(t *testing.T) {
	var list []api.ProjectDetail
	for _, w := range strings.Fields("mail maid snail transcription interoperability chat hat wörterbuch balconies falconets") {
		list = append(list, listing("x-"+compact(w), func(p *api.ProjectDetail) { p.Name = "Named " + w }))
	}
	ix := open(t, list...)
	for word, want := range map[string]string{
		"maul": "mail", "aid": "", "znail": "snail", "transcripton": "transcription", "trnascriptoin": "transcription",
		"gransvription": "transcription", "interopperabillity": "interoperability", "hatt": "hat", "jchat": "chat", "chta": "chat",
		"wortebruch": "worterbuch", "xxxxxxxx": "",
		// Two mistakes, the first letter right, before one in the first letter.
		"falconies": "falconets",
	} {
		var got string
		if near := ix.corrections(word); len(near) > 0 {
			got = string(ix.terms.text(near[0]))
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
		list = append(list, listing(fmt.Sprintf("p-%d", i), func(p *api.ProjectDetail) {
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
	ix := open(t, list...)
	budget := maxCandidates
	ix.appendSimilar(nil, &budget, "etaoinsrcl", 10, 2, ix.firstWord, ix.terms.n)
	if budget > 0 || budget < -10 || ix.terms.n < 2*maxCandidates {
		t.Errorf("%d of %d are left, of %d words", budget, maxCandidates, ix.terms.n)
	}
}

// withinEdits agrees with spelling.Distance.
func TestWithinEditsAgreesWithDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	letters := []rune("abcé")
	word := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	near := 0
	for range 200_000 {
		a, b := word(), word()
		distance := spelling.Distance(a, b)
		for edits := range 3 {
			if got := withinEdits(a, []byte(b), edits); got != (distance <= edits) {
				t.Fatalf("%q and %q within %d: %v, their distance is %d", a, b, edits, got, distance)
			}
		}
		if distance <= 2 {
			near++
		}
	}
	if near < 1000 {
		t.Errorf("only %d pairs are near", near)
	}
}

// fixChecksums sets the checksums of a file whose sections were changed.
func fixChecksums(file []byte) {
	start := file[:min(len(file), maxTocSize)]
	if len(start) < headerSize {
		return
	}
	n := min(readNumber(start[12:]), maxSections)
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
		s := section{pieces: [][]byte{file[offset : offset+length]}}
		sum, _ := s.sums(nil)
		binary.LittleEndian.PutUint32(line[32:], sum)
	}
	binary.LittleEndian.PutUint32(file[end:], crc(file[:end]))
}

// FuzzSections checks that a file with any sections and valid checksums is refused, or
// answers all queries without a panic.
func FuzzSections(f *testing.F) {
	file, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: testTaxonomy(), Projects: randomListings(70)})
	if err != nil {
		f.Fatal(err)
	}
	entries, _, err := readTOC(file[:maxTocSize], uint64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	for i := range entries {
		f.Add(uint8(i), uint32(0), []byte{0xff, 0xff, 0xff, 0xff})
		f.Add(uint8(i), uint32(9), []byte{0, 0, 0, 0x80})
	}
	f.Fuzz(func(t *testing.T, number uint8, at uint32, with []byte) {
		e := entries[int(number)%len(entries)]
		if e.length == 0 {
			return
		}
		damaged := bytes.Clone(file)
		s := damaged[e.offset : e.offset+e.length]
		copy(s[uint64(at)%e.length:], with)
		fixChecksums(damaged)
		ix, err := Open(damaged)
		if err != nil {
			if !errors.Is(err, ErrUnusable) || strings.Contains(err.Error(), "checksum") {
				t.Errorf("section %s: %v", e.name, err)
			}
			return
		}
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

// The same listings in batches and in any order give the same file.
func TestBuilderIgnoresOrder(t *testing.T) {
	projects := randomListings(500)
	want, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: testTaxonomy(), Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	r.Shuffle(len(projects), func(i, j int) { projects[i], projects[j] = projects[j], projects[i] })
	b := NewBuilder(site.Defaults(), testTaxonomy())
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

func TestBuilderRefuses(t *testing.T) {
	b := NewBuilder(site.Defaults(), testTaxonomy())
	if err := b.Add(listing("a", nil), listing("a", nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), `"a" occurs twice`) {
		t.Errorf("a slug twice: %v", err)
	}
	full := NewBuilder(site.Defaults(), testTaxonomy())
	if err := full.Add(listing("a", nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := full.WriteTo(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("no room: %v", err)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// Function words can form a name when joined, or be a whole text.
func TestTextsOfFunctionWords(t *testing.T) {
	ix := open(t,
		listing("into", func(p *api.ProjectDetail) { p.Name = "In To" }),
		listing("doit", func(p *api.ProjectDetail) { p.Aliases = []string{"do", "it"}; p.Jobs = []string{"do it"} }),
	)
	if got := slugs(searchText(ix, "into")); !slices.Equal(got, []string{"into"}) {
		t.Errorf("into: %v", got)
	}
	if got := slugs(searchText(ix, "do")); !slices.Equal(got, []string{"doit"}) {
		t.Errorf("do: %v", got)
	}
}
