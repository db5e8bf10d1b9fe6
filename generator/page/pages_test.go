package page

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// ready returns a site that writes nowhere.
func ready(t *testing.T, s *render.Site) *catalog {
	t.Helper()
	r, err := newCatalog(s, (&captured{files: map[string]string{}}).write)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDifferences(t *testing.T) {
	yes, mit, gpl, golang, rust := true, "MIT", "GPL-3.0-only", "Go", "Rust"
	s := smallSite(t)
	s.Content.Taxonomy.Platforms = append(s.Content.Taxonomy.Platforms, api.Platform{Slug: "ios", Name: "iOS"},
		api.Platform{Slug: "docker", Name: "Docker"})
	add(s, "one", func(p *api.ProjectDetail) {
		p.License, p.Language, p.Platforms = &mit, &golang, []string{"linux"}
		p.FitNotes.Set("gpu", "none")
		p.FitNotes.Set("docker", true)
		p.FitNotes.Set("beginner", true)
		p.FitNotes.Set("recommendedRamGb", 2.0)
	})
	add(s, "other", func(p *api.ProjectDetail) {
		p.License, p.Language, p.Platforms, p.Archived = &gpl, &rust, []string{"ios", "docker"}, &yes
		p.FitNotes.Set("gpu", "required")
		p.FitNotes.Set("minRamGb", 8.0)
		p.FitNotes.Set("docker", false)
		p.FitNotes.Set("recommendedRamGb", 16.0) // nobody chooses by it
	})
	add(s, "unknown", nil)
	r := ready(t, s)
	one, other, blank := s.Listings[0], s.Listings[1], s.Listings[2]
	want := []string{"GPL-3.0-only", "GPU required", "RAM from 8 GB", "Docker: no", "also on iOS", "not on Linux",
		"written in Rust"}
	if got := r.DifferencesOf(one, other); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// What is unknown is no difference, and neither is what is the same.
	for _, other := range []string{"one", "unknown"} {
		if got := r.DifferencesOf(one, r.bySlug[other]); len(got) > 0 {
			t.Errorf("one and %s differ in %q", other, got)
		}
	}
	if got := r.DifferencesOf(blank, one); !slices.Contains(got, "For beginners") {
		t.Errorf("what only the other is known to be: %q", got)
	}
	// They are the same only if something is known of both, and nothing of one alone.
	for about, test := range map[string]struct {
		a, b *content.Listing
		same bool
	}{
		"itself": {one, one, true}, "others": {one, other, false}, "unknown": {one, blank, false}, "nothing known": {blank, blank, false},
	} {
		if got := r.SameFacts(test.a, test.b); got != test.same {
			t.Errorf("%s: the facts are the same: %t", about, got)
		}
	}
	// A no says little of what one is not known to be.
	if got := r.DifferencesOf(blank, other); slices.Contains(got, "Docker: no") {
		t.Errorf("of a listing without facts: %q", got)
	}
}

// Periods end with the latest day of any fact.
func TestLatestFact(t *testing.T) {
	s := smallSite(t)
	if r := ready(t, s); r.latest != "" {
		t.Errorf("a catalog of nothing has facts of %s", r.latest)
	}
	for _, c := range []struct {
		day    api.Date
		change func(p *api.ProjectDetail, day *api.Date)
	}{
		{"2026-01-02", nil},
		{"2026-02-01", func(p *api.ProjectDetail, day *api.Date) { p.UpdatedAt = day }},
		{"2026-03-01", func(p *api.ProjectDetail, day *api.Date) { p.StarsAsOf = day }},
	} {
		add(s, "t"+string(c.day), func(p *api.ProjectDetail) {
			if c.change != nil {
				c.change(p, &c.day)
			}
		})
		if r := ready(t, s); r.latest != c.day {
			t.Errorf("the latest fact is of %s, want %s", r.latest, c.day)
		}
	}
}

// Every page of a long table is a few clicks away from every other.
func TestPageLinks(t *testing.T) {
	s := smallSite(t)
	for i := range 100*pageSize + 1 {
		add(s, fmt.Sprintf("t%d", i), nil)
	}
	r := ready(t, s)
	c := r.newList(newestPath, ungrouped(s.Listings))
	for page, want := range map[int]string{
		1: "[1] 2 3 … 100 101", 50: "1 2 … 48 49 [50] 51 52 … 100 101", 101: "1 2 … 99 100 [101]",
	} {
		var text []string
		for _, l := range c.pageLinks(page) {
			if l.Gap {
				text = append(text, "…")
			}
			if l.Path == "" {
				text = append(text, fmt.Sprintf("[%d]", l.Number))
			} else {
				text = append(text, fmt.Sprint(l.Number))
			}
		}
		if got := strings.Join(text, " "); got != want {
			t.Errorf("page %d: %s, want %s", page, got, want)
		}
	}
}

func TestJobsToStartFrom(t *testing.T) {
	s := smallSite(t)
	for i, jobs := range [][]string{{"rare"}, {"often", "rare too"}, {"Often"}} {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) { p.Jobs = jobs })
	}
	add(s, "elsewhere", func(p *api.ProjectDetail) { p.Category, p.Jobs = "video", []string{"cut videos"} })
	if got := (homePage{ready(t, s)}).jobs(); !slices.Equal(got, []string{"often", "cut videos"}) {
		t.Errorf("jobs to start from are %q", got)
	}
}

// numbersOf returns the page of charts of some listings without facts.
func numbersOf(listings int) numbersPage {
	in := &render.Site{Listings: make([]*content.Listing, listings)}
	return numbersPage{&catalog{Shared: &render.Shared{Site: in, Words: &render.Words{}}}}
}

func TestBands(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		labels  []string
		counts  map[string]int
	}{
		{nil, nil, map[string]int{}},
		{[]float64{3}, []string{"3 GB"}, map[string]int{"3 GB": 1}},
		{[]float64{4, 4, 4}, []string{"4 GB"}, map[string]int{"4 GB": 3}},
		{[]float64{8, 2}, []string{"up to 2 GB", "over 2 GB"}, map[string]int{"up to 2 GB": 1, "over 2 GB": 1}},
		{[]float64{4.4, 4.4}, []string{"4.4 GB"}, map[string]int{"4.4 GB": 2}},
		{[]float64{2, 4, 4, 4.4, 33}, []string{"up to 4 GB", "over 4 to 5 GB", "over 5 GB"},
			map[string]int{"up to 4 GB": 3, "over 4 to 5 GB": 1, "over 5 GB": 1}},
		{[]float64{4.1, 4.4}, []string{"up to 5 GB"}, map[string]int{"up to 5 GB": 2}},
		{[]float64{64, 0.5, 4, 4, 8, 8, 16, 32}, []string{"up to 4 GB", "over 4 to 8 GB", "over 8 to 16 GB",
			"over 16 GB"},
			map[string]int{"up to 4 GB": 3, "over 4 to 8 GB": 2, "over 8 to 16 GB": 1, "over 16 GB": 2}},
	} {
		counts := map[string]int{}
		if labels := numbersOf(0).bands(&api.Fact{Unit: "GB"}, c.numbers, counts); !slices.Equal(labels, c.labels) ||
			!maps.Equal(counts, c.counts) {
			t.Errorf("%v: %q, %v, want %q, %v", c.numbers, labels, counts, c.labels, c.counts)
		}
	}
}

// Each listing is counted, also one whose amount has another currency.
func TestCountMoney(t *testing.T) {
	r, f := numbersOf(4), &api.Fact{Key: "fee", Kind: api.FactMoney, Currency: "EUR"}
	for i, value := range []any{api.Money{Amount: 2, Currency: "EUR"}, api.Money{Amount: 1, Currency: "USD"},
		api.Money{Amount: 1, Currency: "GBP"}, nil} {
		r.Listings[i] = &content.Listing{}
		r.Listings[i].FitNotes = api.FactValues{{Key: "fee", Kind: api.FactMoney, Value: value}}
	}
	labels, counts := r.countFact(f)
	if !slices.Equal(labels, []string{"2 EUR", "in another currency", api.Unknown}) ||
		!maps.Equal(counts, map[string]int{"2 EUR": 1, "in another currency": 2, api.Unknown: 1}) {
		t.Errorf("%q %v", labels, counts)
	}
}

// A chart that is nearly one bar is left out, and what is unknown is no bar.
func TestCharts(t *testing.T) {
	labels := []string{"yes", "no", api.Unknown}
	for _, test := range []struct {
		yes, no, unknown int
		want             bool
	}{{606, 4, 0, true}, {548, 52, 10, false}, {3, 3, 604, false}, {3, 0, 0, false}} {
		r := numbersOf(test.yes + test.no + test.unknown)
		if got := r.saysLittle(labels, map[string]int{"yes": test.yes, "no": test.no,
			api.Unknown: test.unknown}); got != test.want {
			t.Errorf("%+v: says little: %t", test, got)
		}
	}
	r := numbersOf(10)
	v := r.chart("a", "A", "", "A", labels, map[string]int{"yes": 3, "no": 1, api.Unknown: 6})
	if len(v.Drawn) != 2 || len(v.Bars) != 3 || v.Drawn[0].Width != barRoom ||
		v.Unknown != "Unknown for 6 listings (60%)." || v.Height != 2*barHeight+4 {
		t.Errorf("the chart is %+v", v)
	}
}

// A wrong fact is reported, and a listing suggested, where the owner wants it.
func TestReportAWrongFact(t *testing.T) {
	const escapedPage = "https%3A%2F%2Fcatalog.example%2Fprojects%2Fant%2F"
	for _, c := range []struct{ contact, report, suggest, wantReport, wantSuggest string }{
		{"mailto:us@catalog.example", "", "", `"mailto:us@catalog.example?subject=Wrong%20fact%3A%20ant%20%28ant%29"`,
			`"mailto:us@catalog.example?subject=Suggest%20a%20tool"`},
		{"https://catalog.example/contact?to=us#form", "", "",
			`"https://catalog.example/contact?to=us&amp;subject=Wrong%20fact%3A%20ant%20%28ant%29#form"`,
			`"https://catalog.example/contact?to=us&amp;subject=Suggest%20a%20tool#form"`},
		{"mailto:us@catalog.example",
			"https://forge.example/new?template=wrong-fact.yml&title={title}&listing={page}",
			"https://forge.example/new?title={title}",
			`"https://forge.example/new?template=wrong-fact.yml&amp;title=Wrong%20fact%3A%20ant%20%28ant%29&amp;listing=` + escapedPage + `"`, `"https://forge.example/new?title=Suggest%20a%20tool"`},
		{"", "", "https://forge.example/new", "", `"https://forge.example/new"`},
		{"", "", "", "", ""},
	} {
		s := smallSite(t)
		s.Settings.Contact, s.Settings.ReportURL, s.Settings.SuggestURL = c.contact, c.report, c.suggest
		s.Settings.BaseURL = "https://catalog.example"
		add(s, "ant", nil)
		text := built(t, s)["projects/ant/index.html"]
		if !strings.Contains(text, c.wantReport) || strings.Contains(text,
			"Report a wrong fact") != (c.wantReport != "") {
			t.Errorf("%q, %q: the page has no %s", c.contact, c.report, c.wantReport)
		}
		if !strings.Contains(text, c.wantSuggest) || strings.Contains(text, "Suggest a tool") != (c.wantSuggest != "") {
			t.Errorf("%q, %q: the page has no %s", c.contact, c.suggest, c.wantSuggest)
		}
	}
}

// Pages are light: what a visitor's first page loads is bounded.
func TestAssetsAreSmall(t *testing.T) {
	for name, content := range ready(t, smallSite(t)).Assets {
		limit, ok := map[string]int{".css": 16 << 10, ".js": 20 << 10, ".svg": 1 << 10}[path.Ext(name)]
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !ok || packed.Len() > limit || packed.Len() < 100 {
			t.Errorf("%s has %d bytes compressed, of %d", name, packed.Len(), limit)
		}
	}
}

// The shipped templates use only what package templating supports, because the standard packages are
// slow.
func TestTemplatesAreQuick(t *testing.T) {
	site := smallSite(t)
	for _, slug := range []string{"one", "two"} {
		add(site, slug, func(p *api.ProjectDetail) { p.Similar = []string{"one"} })
	}
	s := ready(t, site)
	for _, p := range append(s.pageTasks(), s.fileTasks()...) {
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range s.Listings {
		if err := (listingPage{catalog: s, l: l}).files(); err != nil {
			t.Fatal(err)
		}
	}
	if err := (llms{s}).files(); err != nil {
		t.Fatal(err)
	}
	if n := s.Left(); n > 0 {
		t.Errorf("%d executions of templates were left to the standard packages", n)
	}
}

// An estimate is called one on the page of its listing, in its Markdown version and in the file of all
// listings.
func TestEstimatesAreCalledSo(t *testing.T) {
	s := smallSite(t)
	s.Content.Taxonomy.Facts = append(s.Content.Taxonomy.Facts,
		api.Fact{Key: api.SetupsKey, Kind: api.FactSetups, Label: "RAM and VRAM", Group: "Will it fit?"})
	gb, none := 4., 0.
	add(s, "ant", func(p *api.ProjectDetail) {
		p.Estimate = &hardware.Estimate{RAMGb: &gb, VRAMGb: &none, Because: "a small server"}
	})
	files := built(t, s)
	for _, name := range []string{"projects/ant/index.html", "projects/ant/index.html.md", "llms-full.txt"} {
		const want = "Estimated by our editors, not stated by its makers: 4 GB RAM, no graphics card (a small server)."
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not have %q", name, want)
		}
	}
}
