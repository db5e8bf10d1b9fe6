package query

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/hardware"
)

// machineCatalog has a listing for each verdict on a machine with 8 GB of RAM.
func machineCatalog(t *testing.T) *Engine {
	t.Helper()
	with := func(slug string, stars int, gpu any, setups ...hardware.Setup) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.Name, p.Purpose, p.Stars = slug, "Chats about documents.", &stars
			p.FitNotes = apitest.FitNotes("gpu", gpu)
			p.FitNotes.SetSetups(apitest.Facts(), setups)
		})
	}
	least := func(use string, gb float64) hardware.Setup {
		return hardware.Setup{For: use, Level: hardware.LevelMinimum, RAMGb: &gb}
	}
	return openWith(t, apitest.ComputerTaxonomy(),
		with("large", 400, "none", least("everything", 64)),
		with("silent", 300, "optional"),
		with("small", 200, "none", least("everything", 4), hardware.Setup{For: "everything", Level: hardware.LevelRecommended, RAMGb: new(8.0)}, hardware.Setup{For: "7B models", Level: hardware.LevelExample, RAMGb: new(8.0)}),
		with("tiny", 100, "none", least("everything", 1)),
		with("pictures", 50, "required", hardware.Setup{For: "SDXL", Level: hardware.LevelMinimum, VRAMGb: new(10.0)}),
	)
}

func slugsOf(answer api.SearchResponse) (slugs []string) {
	for _, h := range answer.Hits {
		slugs = append(slugs, h.Slug)
	}
	return slugs
}

// An agent that names a computer is told to ask for its system, if that decides.
func TestSystemUnasked(t *testing.T) {
	taxonomy := apitest.ComputerTaxonomy()
	on := func(slug string, platforms ...string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.Name, p.Platforms = "The "+slug, platforms })
	}
	cards := map[string][]string{"linux": {"nvidia", "amd"}, "windows": {"nvidia", "amd"}, "macos": {"apple"}}
	taxonomy.Platforms = nil
	for _, slug := range []string{"linux", "macos", "windows", "android"} {
		taxonomy.Platforms = append(taxonomy.Platforms, api.Platform{Slug: slug, System: true, GPUVendors: cards[slug]})
	}
	ix := openWith(t, taxonomy, on("all", "linux", "macos", "windows"), on("pc", "linux", "windows"), on("mac", "macos"), on("silent"))
	for _, test := range []struct {
		machine hardware.Machine
		want    string
	}{
		{hardware.Machine{}, ""},
		{hardware.Machine{RAMGb: new(8.0)}, "Not every system runs The mac, The pc: say which it is, such as system=linux."},
		{hardware.Machine{RAMGb: new(8.0), System: "macos"}, ""},
		{hardware.Machine{GPUVendor: "nvidia"}, ""},
		{hardware.Machine{GPUVendor: "apple"}, ""},
	} {
		answer := search(ix, api.SearchQuery{Limit: 10, Filters: api.Filters{Machine: test.machine}})
		if got := warningOf(answer, api.WarnSystemUnasked); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.machine, got, test.want)
		}
	}
}

func TestMachineFilters(t *testing.T) {
	ix := machineCatalog(t)
	for _, test := range []struct {
		query   api.SearchQuery
		want    string
		verdict string // of each hit
		facet   string
	}{
		{api.SearchQuery{}, "large silent small tiny pictures", "", ""},
		// Without q, the order is popular, unless relevance is asked for: then the verdict comes first, and then stars. What
		// needs more is left out.
		{api.SearchQuery{Filters: apitest.Filters("ramGb=8")}, "silent small tiny pictures", "unknown fits fits unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Sort: api.SortRelevance, Filters: apitest.Filters("ramGb=8")}, "small tiny silent pictures", "fits fits unknown unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Sort: api.SortPopular, Filters: apitest.Filters("ramGb=8")}, "silent small tiny pictures", "unknown fits fits unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Filters: apitest.Filters("ramGb=8&stated=1")}, "small tiny", "fits fits", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Sort: api.SortRelevance, Filters: apitest.Filters("vramGb=0")}, "large small tiny silent", "fits fits fits unknown", "fits 3 unknown 1 needs-more 1"},
		// With q and by relevance, fits come first among equal grades, then stars.
		{api.SearchQuery{Q: "documents", Filters: apitest.Filters("ramGb=8")}, "small tiny silent pictures", "fits fits unknown unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Q: "documents", Sort: api.SortPopular, Filters: apitest.Filters("ramGb=8")}, "silent small tiny pictures", "unknown fits fits unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Q: "chats documents unheard", Filters: apitest.Filters("ramGb=8")}, "small tiny silent pictures", "fits fits unknown unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Q: "large", Filters: apitest.Filters("ramGb=8")}, "", "", "needs-more 1"},
		// Other facets and filters count what the machine does not rule out.
		{api.SearchQuery{Filters: apitest.Filters("ramGb=8&gpu=1")}, "silent pictures", "unknown unknown", "unknown 2"},
		{api.SearchQuery{Q: "documents with 8 gb of ram"}, "small tiny silent pictures", "fits fits unknown unknown", "fits 2 unknown 2 needs-more 1"},
		{api.SearchQuery{Q: "rtx 3060"}, "large small tiny pictures silent", "fits fits fits fits unknown", "fits 4 unknown 1"},
		// A machine reports a little less than it is sold with.
		{api.SearchQuery{Sort: api.SortRelevance, Filters: apitest.Filters("ramGb=7.6")}, "small tiny silent pictures", "fits fits unknown unknown", "fits 2 unknown 2 needs-more 1"},
	} {
		test.query.Limit = 50
		answer := search(ix, test.query)
		var verdicts, facet []string
		for _, h := range answer.Hits {
			if h.Fit != nil {
				verdicts = append(verdicts, string(h.Fit.Verdict))
			}
		}
		for _, f := range answer.Facets[api.FitFacet] {
			facet = append(facet, fmt.Sprint(f.Value, " ", f.Count))
		}
		slices.SortStableFunc(facet, func(a, b string) int {
			order := func(text string) int {
				verdict, _, _ := strings.Cut(text, " ")
				return slices.Index(hardware.Verdicts, hardware.Verdict(verdict))
			}
			return order(a) - order(b)
		})
		if got := strings.Join(slugsOf(answer), " "); got != test.want || strings.Join(verdicts, " ") != test.verdict || strings.Join(facet, " ") != test.facet {
			t.Errorf("%+v:\n got %s | %s | %s\nwant %s | %s | %s", test.query, got, strings.Join(verdicts, " "), strings.Join(facet, " "), test.want, test.verdict, test.facet)
		}
		if answer.Total != len(answer.Hits) {
			t.Errorf("%+v: total %d of %d hits", test.query, answer.Total, len(answer.Hits))
		}
	}
	hit := search(ix, api.SearchQuery{Q: "small", Filters: apitest.Filters("ramGb=8"), Limit: 1}).Hits[0]
	if got := strings.Join(hit.Fit.Setups, ","); got != "everything,7B models" {
		t.Errorf("setups that are met: got %s", got)
	}
}

// Without words to search for, hints order what fits alike, then stars, and archived listings are last. Other
// orders know no hints, and the warning does not say that they do.
func TestHintsWithoutWords(t *testing.T) {
	t.Parallel()
	with := func(slug string, stars int, beginner, archived bool) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			gb := 4.0
			p.Stars, p.Archived, p.FitNotes = &stars, &archived, apitest.FitNotes("beginner", beginner)
			p.FitNotes.SetSetups(apitest.Facts(), []hardware.Setup{{For: "everything", Level: hardware.LevelMinimum, RAMGb: &gb}})
		})
	}
	ix := openWith(t, apitest.ComputerTaxonomy(), with("old", 500, true, true), with("hard", 400, false, false), with("ours-a", 300, true, false),
		with("ours-b", 200, true, false), with("plain", 100, false, false))
	first, not := `Listings that fit "easy" come first; beginner=1 shows only these.`,
		`Listings that fit "easy" do not come first in this order; beginner=1 shows only these.`
	for _, test := range []struct {
		query         api.SearchQuery
		want, message string
	}{
		{api.SearchQuery{Q: "easy, 8 gb ram"}, "ours-a ours-b hard plain old", first},
		{api.SearchQuery{Q: "easy", Filters: apitest.Filters("ramGb=8")}, "ours-a ours-b hard plain old", first},
		{api.SearchQuery{Sort: api.SortRelevance, Filters: apitest.Filters("ramGb=8")}, "hard ours-a ours-b plain old", ""},
		{api.SearchQuery{Q: "easy, 8 gb ram", Limit: 3}, "ours-a ours-b hard", first},
		{api.SearchQuery{Q: "easy, 8 gb ram", Sort: api.SortPopular}, "old hard ours-a ours-b plain", not},
		{api.SearchQuery{Q: "easy"}, "old hard ours-a ours-b plain", not},
		{api.SearchQuery{Q: "easy listing", Sort: api.SortNewest}, "", not},
	} {
		test.query.Limit = cmp.Or(test.query.Limit, 50)
		answer := search(ix, test.query)
		if got := strings.Join(slugsOf(answer), " "); test.want != "" && got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.query, got, test.want)
		}
		message := ""
		for _, w := range answer.Warnings {
			if w.Code == api.WarnSuggestFilter {
				message += w.Message
			}
		}
		if message != test.message {
			t.Errorf("%+v:\n got %s\nwant %s", test.query, message, test.message)
		}
	}
}

// The answer says in words how it is ordered. Words that only name a computer are no words to rank by.
func TestOrderByVerdictIsTold(t *testing.T) {
	ix := machineCatalog(t)
	byFit := "What fits the computer first, then what likely fits, what is unknown, and what is unlikely to fit; " +
		"among equals, those that q hints at come first, and archived ones last, then by stars, highest first, unknown last."
	for _, test := range []struct {
		query          api.SearchQuery
		applied, order string
	}{
		{api.SearchQuery{}, api.SortPopular, "By stars, highest first; listings without star data last."},
		{api.SearchQuery{Filters: apitest.Filters("ramGb=8")}, api.SortPopular, "By stars, highest first; listings without star data last."},
		{api.SearchQuery{Q: "rtx 3060"}, api.SortRelevance, byFit},
		{api.SearchQuery{Sort: api.SortRelevance, Filters: apitest.Filters("ramGb=8")}, api.SortRelevance, byFit},
		{api.SearchQuery{Sort: api.SortPopular, Filters: apitest.Filters("ramGb=8")}, api.SortPopular, "By stars, highest first; listings without star data last."},
		{api.SearchQuery{Q: "documents", Filters: apitest.Filters("ramGb=8")}, api.SortRelevance, ix.taxonomy.SortOrder(&ix.settings, api.SortRelevance, true)},
	} {
		answer := search(ix, test.query)
		if answer.Sort.Applied != test.applied || answer.Sort.Order != test.order {
			t.Errorf("%+v: %+v", test.query, answer.Sort)
		}
		if len(answer.Warnings) > 0 && answer.Warnings[0].Code == api.WarnRelevanceNoQuery {
			t.Errorf("%+v: %+v", test.query, answer.Warnings)
		}
	}
}

// A computer is named as a way to relevance only in catalogues with setups.
func TestWhatRelevanceNeeds(t *testing.T) {
	t.Parallel()
	without := apitest.Taxonomy()
	without.Facts = slices.DeleteFunc(slices.Clone(without.Facts), func(f api.Fact) bool { return f.Kind == api.FactSetups || f.Derived != nil })
	for want, ix := range map[string]*Engine{"q": openWith(t, without, apitest.Listings(1)...), "q or a computer": machineCatalog(t)} {
		answer := search(ix, api.SearchQuery{Sort: api.SortRelevance, Limit: 1})
		if len(answer.Warnings) != 1 || answer.Warnings[0].Message != "relevance needs "+want+"; served as popular." {
			t.Errorf("%s: %+v", want, answer.Warnings)
		}
		parameters := ix.Parameters()
		i := slices.IndexFunc(parameters, func(p api.Parameter) bool { return p.Name == "sort" })
		if !strings.HasPrefix(parameters[i].Description, "If absent: relevance with q, else popular.") {
			t.Errorf("%s: %s", want, parameters[i].Description)
		}
	}
}

// Queries at the same time share the verdicts on their machines, of which there are more than
// an index remembers. Each answer is as that of an index that was asked nothing before.
func TestRecentMachinesAreShared(t *testing.T) {
	shared, alone := machineCatalog(t), machineCatalog(t)
	var queries []api.SearchQuery
	var want []string
	for ram := range 2 * len(shared.recent.machines) {
		for _, more := range []string{"", "&vramGb=0", "&vramGb=8&gpuVendor=nvidia", "&system=macos&arch=arm64"} {
			q := api.SearchQuery{Q: "documents", Limit: 50, Filters: apitest.Filters(fmt.Sprintf("ramGb=%d%s", ram, more))}
			queries = append(queries, q)
			for i := range alone.recent.machines {
				alone.recent.machines[i].Store(nil)
			}
			want = append(want, string(alone.AppendSearch(nil, q)))
		}
	}
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(40, seed))
			for range 5 {
				for _, i := range random.Perm(len(queries)) {
					if got := string(shared.AppendSearch(nil, queries[i])); got != want[i] {
						t.Errorf("%+v: %s, want %s", queries[i].Filters, got, want[i])
						return
					}
				}
			}
		})
	}
	all.Wait()
}

// All pages of an answer together are the answer, in any order and catalogue size.
func TestOffsets(t *testing.T) {
	list := apitest.Listings(700)
	ix := open(t, list...)
	for _, q := range []api.SearchQuery{
		{Filters: apitest.Filters("ramGb=8")},
		{Q: "chat"}, {Q: "image speech"}, {Q: "chat", Filters: apitest.Filters("ramGb=8")}, {Q: "music game overnight"}, {Q: "no gpu easy"}, {}, {Q: "chat", Sort: api.SortNewest},
	} {
		q.Limit = 50
		var whole, pages []string
		for q.Offset = 0; q.Offset <= 650; q.Offset += 50 {
			whole = append(whole, slugsOf(search(ix, q))...)
		}
		q.Limit = 13
		for q.Offset = 0; q.Offset < 700; q.Offset += 13 {
			answer := search(ix, q)
			if answer.Limit != 13 || answer.Offset != q.Offset {
				t.Fatalf("%+v: limit %d, offset %d", q, answer.Limit, answer.Offset)
			}
			pages = append(pages, slugsOf(answer)...)
			if answer.Total != len(whole) {
				t.Fatalf("%+v: total %d, but all pages have %d", q, answer.Total, len(whole))
			}
		}
		if !slices.Equal(whole, pages) {
			t.Errorf("%+v: pages of 13 and of 50 differ", q)
		}
		slices.Sort(pages)
		if len(slices.Compact(pages)) != len(whole) {
			t.Errorf("%+v: a listing is on two pages", q)
		}
	}
}

func TestComputerInWords(t *testing.T) {
	ix := machineCatalog(t)
	for _, test := range []struct {
		query, left, filters string // the words that are searched for, and the parameters
	}{
		{"chat 8 gb of ram", "chat", "ramGb=8"},
		{"chat 8gb of RAM", "chat", "ramGb=8"},
		{"chat on a laptop with 16GB", "chat", "ramGb=16"},
		{"1.5 GB of RAM", "", "ramGb=1.5"},
		{"6 gb of vram, 32 gb of ram", "", "ramGb=32 vramGb=6"},
		{"chat, no graphics card", "chat", "vramGb=0"},
		{"chat with a 2 GB file", "chat 2 file", ""}, // a hint in this taxonomy
		// An amount of data is not searched for, unless it is all that there is.
		{"chat with a 2 TB file", "chat file", ""},
		{"chat about 500mb of letters", "chat letters", ""},
		{"1.5 tb", "1 5 tb", ""},
		{"chat 5g", "chat 5g", ""},
		// "Go" is French for gigabytes beside a word for memory, and behind a computer.
		{"chat 32 go ram", "chat", "ramGb=32"},
		{"chat 8 go of vram", "chat 8 go vram", ""},
		{"chat 8 go vram", "chat", "vramGb=8"},
		{"laptop with 16 go, chat", "chat", "ramGb=16"},
		{"chat 16go ram", "chat", "ramGb=16"},
		{"chat 32 go", "chat 32 go", ""},
		{"laptop with 17 go, chat", "laptop 17 go chat", ""},
		{"0 gb of ram", "ram", ""},
		{"0 gb vram chat", "chat", "vramGb=0"},
		{"99999 gb of ram", "99999 ram", ""},
		{"RTX 3060 chat", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"rtx3060 chat", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"geforce rtx-3060", "", "vramGb=12 gpuVendor=nvidia"},
		{"RTX 3060 Ti", "", "vramGb=8 gpuVendor=nvidia"},
		{"rtx 3060ti", "", "vramGb=8 gpuVendor=nvidia"},
		{"RTX 3060 8GB", "", "vramGb=8 gpuVendor=nvidia"},
		{"RTX 3060 8 GB VRAM", "", "vramGb=8 gpuVendor=nvidia"},
		{"3060 with 8 gb", "", "vramGb=8 gpuVendor=nvidia"},
		{"laptop 3060 chat", "chat", "vramGb=12 gpuVendor=nvidia"}, // "a 3060 word chat" has a plain number
		{"a 3060 word chat", "3060 word chat", ""},
		{"laptop 3060 word chat", "laptop 3060 word chat", ""},
		{"a pc 3060 pages long", "pc 3060 pages long", ""},
		{"laptop 8th generation 8gb chat", "chat", "ramGb=8"},
		{"RTX 3060 10GB", "", "vramGb=10 gpuVendor=nvidia"},
		{"RTX 3060 64GB", "", "ramGb=64 vramGb=12 gpuVendor=nvidia"},
		{"rtx 3060 and 32 gb of ram", "", "ramGb=32 vramGb=12 gpuVendor=nvidia"},
		{"top a 10 list", "10 list", ""},
		{"A10", "", "vramGb=24 gpuVendor=nvidia"},
		// Nobody said how much memory it has, and it is sold with several amounts.
		{"m2 chat", "chat", "gpuVendor=apple arch=arm64"},
		{"M2 16GB", "", "ramGb=16 vramGb=12 gpuVendor=apple arch=arm64"},
		{"16gb m2 chat", "chat", "ramGb=16 vramGb=12 gpuVendor=apple arch=arm64"},
		{"m2 with 16 gb of ram", "", "ramGb=16 vramGb=12 gpuVendor=apple arch=arm64"},
		{"m2 chat 24gb memory", "chat", "ramGb=24 vramGb=18 gpuVendor=apple arch=arm64"},
		{"Raspberry Pi 5", "", "vramGb=0 arch=arm64"},
		{"raspberry pi 5 4gb", "", "ramGb=4 vramGb=0 arch=arm64"},
		{"raspberry chat", "raspberry chat", ""},
		{"chat macbook air", "chat", "system=macos"},
		{"chat macbook air 2022 with 16 gb", "chat", "ramGb=16 system=macos"},
		{"chat macbook air m2", "chat", "gpuVendor=apple arch=arm64 system=macos"},
		{"apps about macbook air repairs", "apps macbook air repairs", ""},
		// Graphics in a processor are no graphics card, but there may be one besides.
		{"chat uhd 620", "chat", "vramGb=0 arch=amd64"},
		{"chat uhd 620, rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia arch=amd64"},
		{"chat uhd 620 and nvidia gpu", "chat", "gpuVendor=nvidia arch=amd64"},
		{"chat uhd 620 16 gb", "chat", "ramGb=16 vramGb=0 arch=amd64"},
		// Words that describe the computer are never searched for.
		{"chat nvidia geforce rtx 3060 laptop gpu", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"Dell XPS 13 32GB chat", "chat", "ramGb=32"},
		{"chat i7-12700H 16GB", "chat", "ramGb=16 arch=amd64"},
		{"chat thinkpad t480 16gb", "chat", "ramGb=16"},
		{"chat on a thinkpad", "chat", ""},
		{"dell chat", "dell chat", ""},
		{"chat macbook 8gb", "chat", "ramGb=8 system=macos"},
		{"chat pixel 9", "chat", "ramGb=12 arch=arm64 system=android"},
		{"chat pixel 9 256gb", "chat", "ramGb=12 arch=arm64 system=android"},
		{"chat m2 ultra", "chat", ""},
		{"chat 2x rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat dual rtx 3060s", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat at least 16gb ram", "chat", "ramGb=16"},
		{"chat max 8 gb ram", "chat", "ramGb=8"},
		{"chat 8gb ram or more", "chat", "ramGb=8"},
		{"chat 16gbram", "chat", "ramGb=16"},
		{"chat 16 ram", "chat", "ramGb=16"},
		{"ram 16gb vram 8gb chat", "chat", "ramGb=16 vramGb=8"},
		{"chat laptop 16gb 512gb ssd", "chat", "ramGb=16"},
		{"m2 maven chat", "m2 maven chat", ""},
		{"chat 2 x rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat 2× nvidia rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat 2 x 16 gb ram", "chat", "ramGb=32"},
		{"chat 2×16gb ram", "chat", "ramGb=32"},
		{"chat 2x 16 gb ram", "chat", "ramGb=32"},
		{"chat 2 x 2 matrix", "chat 2 x 2 matrix", ""},
		// A card that is not there, or must not be needed, may have an article or none.
		{"chat dont have gpu", "chat", "vramGb=0"},
		{"chat doesn't need a gpu", "chat", "vramGb=0"},
		{"chat, no need for any dedicated gpu", "chat", "vramGb=0"},
		{"chat without needing a graphics card", "chat", "vramGb=0"},
		{"chat no need for docker", "chat no", ""},
		// Who has no card of one maker may have another.
		{"chat no nvidia gpu", "chat", "vramGb=0"},
		{"chat no nvidia gpu, m2 16 gb", "chat", "ramGb=16 vramGb=12 gpuVendor=apple arch=arm64"},
		{"chat without an amd gpu, rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat igpu", "chat", "vramGb=0"},
		{"chat igpu, rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat rtx 3060, cpu only", "chat", "vramGb=0 gpuVendor=nvidia"},
		// The memory of all cards is no RAM, and only that of one counts.
		{"chat 2x3060 24gb", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat dual nvidia rtx 3060 (24 gb vram)", "chat", "vramGb=12 gpuVendor=nvidia"},
		{"chat 4 x rtx 3060, 32 gb", "chat", "vramGb=8 gpuVendor=nvidia"},
		{"chat 2x3060 8gb", "chat", "vramGb=8 gpuVendor=nvidia"},
		{"chat 2x3060 24gb ram", "chat", "ramGb=24 vramGb=12 gpuVendor=nvidia"},
		{"chat 2x3060 64gb", "chat", "ramGb=64 vramGb=12 gpuVendor=nvidia"},
		// The clock of memory belongs to it.
		{"chat 16 gb ddr4 3200", "chat", "ramGb=16"},
		{"chat 32gb ddr4-3200 mhz", "chat", "ramGb=32"},
		{"chat 16gb ddr4 3200mhz", "chat", "ramGb=16"},
		{"chat 16 gb ram 3 speakers", "chat 3 speakers", "ramGb=16"},
		// Words that devices print are words of the job right after one.
		{"image generation 8 GB VRAM", "image generation", "vramGb=8"},
		{"text generation nvidia rtx 3060", "text generation", "vramGb=12 gpuVendor=nvidia"},
		{"chat laptop gpu 6gb", "chat", "vramGb=6"},
		{"chat mhz rtx 3060", "chat", "vramGb=12 gpuVendor=nvidia"}, // one that is no word of jobs
		{"object storage on raspberry pi 5 4gb", "object storage", "ramGb=4 vramGb=0 arch=arm64"},
		{"chat a10 generation 2, 16 gb ram, 512 gb storage", "chat", "ramGb=16 vramGb=24 gpuVendor=nvidia"},
		// A number is read whole or not at all, a range as its lower end.
		{"chat 16,5 gb ram", "chat", "ramGb=16.5"},
		{"chat 512 MB RAM", "chat", "ramGb=0.5"},
		{"chat 1 TB RAM", "chat", "ramGb=1024"},
		{"chat 8-16 gb ram", "chat", "ramGb=8"},
		{"chat 8 to 16 gb ram", "chat", "ramGb=8"},
		{"chat 4/8 gb ram", "chat", "ramGb=4"},
		{"chat 1e3gb ram", "chat 1e3gb ram", ""},
		{"chat v1.8 gb ram", "chat v1 8 gb ram", ""},
	} {
		query := ix.vocabulary.parse(test.query, &hardware.Machine{}, nil)
		var got []string
		for _, name := range hardware.Parameters {
			if value := query.computer.machine.Get(name); value != "" {
				got = append(got, name+"="+value)
			}
		}
		var left []string
		for _, w := range query.words {
			left = append(left, w.text)
		}
		if strings.Join(left, " ") != test.left || strings.Join(got, " ") != test.filters {
			t.Errorf("%q: got %q and %s, want %q and %s", test.query, left, got, test.left, test.filters)
		}
		told := ""
		for _, w := range query.warnings {
			if w.Code == api.WarnUnderstood {
				told += w.Message
			}
		}
		for _, filter := range got {
			if !strings.Contains(told, filter) {
				t.Errorf("%q: the warnings do not tell %s: %s", test.query, filter, told)
			}
		}
	}
}

// FuzzComputer reads any text: words are cut or left, and figures are within bounds.
func FuzzComputer(f *testing.F) {
	taxonomy := apitest.ComputerTaxonomy()
	l := newLexicon(&taxonomy, english)
	for _, seed := range []string{
		"chat 2x rtx 3060 ti (0x2504) 16,5 gb ram", "8-16gb vram or m2 ultra", "no dedicated graphics card", "between 8 and 16 gb", "2x16gb ram", "16 gb;ram:8", "1.2.3 gb ram", "9999999999 gb ram",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := split(text[:min(len(text), api.MaxQueryLength)], l.language)
		c, ok := l.computer(&words, &hardware.Machine{})
		if !ok {
			return
		}
		left := words.without(c.cut)
		if len(c.cut) != len(words.words) || len(left.words) >= len(words.words) || len(c.warnings) == 0 {
			t.Errorf("of %q, %q are left, with %d warnings", words.words, left.words, len(c.warnings))
		}
		for _, figure := range []*float64{c.machine.RAMGb, c.machine.VRAMGb, c.read.RAMGb, c.read.VRAMGb} {
			if figure != nil && (*figure < 0 || *figure > 16*hardware.MaxGb) {
				t.Errorf("%q has %v GB", text, *figure)
			}
		}
	})
}

// The warnings say how a figure was read, and that the memory of one card counts.
func TestComputerWarnings(t *testing.T) {
	ix := machineCatalog(t)
	for _, test := range []struct {
		query api.SearchQuery
		want  string
	}{
		{api.SearchQuery{Q: "chat 15.5 gb ram"}, `"15.5 gb ram" was understood as ramGb=15.5; 15.5 GB counts as 16 GB, the size that is sold.`},
		{api.SearchQuery{Filters: apitest.Filters("ramGb=125")}, "ramGb=125: 125 GB counts as 128 GB, the size that is sold."},
		{api.SearchQuery{Q: "chat 2x rtx 3060"}, `"2x rtx 3060" was understood as vramGb=12, gpuVendor=nvidia. Only the memory of one card counts.`},
		{api.SearchQuery{Q: "chat m2"}, `"m2" was understood as gpuVendor=apple, arch=arm64. It does not say how much memory there is: add it, such as 16 GB RAM.`},
		{api.SearchQuery{Q: "chat uhd 620"}, `"uhd 620" was understood as vramGb=0, arch=amd64. Graphics in a processor are no graphics card.`},
		{api.SearchQuery{Q: "chat m2 ultra"}, `"m2 ultra" does not say how much memory there is: add it, such as 16 GB RAM.`},
	} {
		var got []string
		for _, w := range search(ix, test.query).Warnings {
			got = append(got, w.Message)
		}
		if !slices.Contains(got, test.want) {
			t.Errorf("%+v: got %q, want %q", test.query, got, test.want)
		}
	}
}

// A parameter that is given wins over the wording of q, and a name is no hardware.
func TestComputerYields(t *testing.T) {
	ix := openWith(t, apitest.ComputerTaxonomy(), apitest.Listing("m2", func(p *api.ProjectDetail) { p.Name = "M2" }), apitest.Listing("chat", nil))
	answer := search(ix, api.SearchQuery{Q: "tool with 8 gb of ram on rtx 3060", Filters: apitest.Filters("ramGb=32&vramGb=4"), Limit: 5})
	if got := fmt.Sprintf("%v %v %v", answer.Query["ramGb"], answer.Query["vramGb"], answer.Query["gpuVendor"]); got != "32 4 nvidia" {
		t.Errorf("got %s", got)
	}
	if want := `"8 gb of ram on rtx 3060" was understood as gpuVendor=nvidia. The parameters override what it says about ramGb and vramGb.`; len(answer.Warnings) == 0 || answer.Warnings[0].Message != want {
		t.Errorf("warnings: %+v", answer.Warnings)
	}
	answer = search(ix, api.SearchQuery{Q: "M2", Limit: 5})
	if got := slugsOf(answer); !slices.Equal(got, []string{"m2"}) || answer.Query["ramGb"] != nil {
		t.Errorf("the name M2: got %v with %v", got, answer.Query)
	}
}

// A hit names the largest size of model that the machine runs with the listing, and what runs it:
// one of its runners, or a listing that others name itself.
func TestLargestModelOfHits(t *testing.T) {
	listing := func(slug, gpu string, estimate float64, runsWith ...string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.Purpose, p.FitNotes, p.RunsWith = "Chats about documents.", apitest.FitNotes("gpu", gpu), runsWith
			p.Estimate = &hardware.Estimate{RAMGb: &estimate, VRAMGb: new(0.0), Because: "a test"}
		})
	}
	ix := openWith(t, apitest.ComputerTaxonomy(),
		listing("alone", "none", 1), listing("page", "none", 4, "runner"), listing("runner", "optional", 8), listing("server", "none", 1, "cards", "runner"),
		listing("cards", "required", 8),
	)
	for _, test := range []struct{ query, want string }{
		{"", ""},
		{"arch=arm64", "alone: none, cards: none, page: none, runner: none, server: none"},
		// Of 8 GB, the system keeps 1 GB; the page itself takes 4 GB.
		{"ramGb=8&vramGb=0", "alone: none, page: small with runner, runner: large with runner, server: small with runner"},
		{"ramGb=9&vramGb=0", "alone: none, page: small with runner, runner: large with runner, server: large with runner"},
		{"ramGb=4&vramGb=8&gpuVendor=nvidia", "alone: none, cards: large with cards, page: large with runner, runner: large with runner, server: large with cards"},
	} {
		var got []string
		for _, h := range search(ix, api.SearchQuery{Filters: apitest.Filters(test.query), Limit: 10}).Hits {
			switch {
			case h.Fit == nil:
			case h.Fit.LargestModel == nil:
				got = append(got, h.Slug+": none")
			default:
				got = append(got, h.Slug+": "+h.Fit.LargestModel.Name+" with "+h.Fit.LargestModel.Runner)
			}
		}
		if slices.Sort(got); strings.Join(got, ", ") != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.query, strings.Join(got, ", "), test.want)
		}
	}
}
