package query

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/hardware"
	"catalog.example/api/search/token"
)

// briefCatalog has listings with each part of a brief hit.
func briefCatalog(t testing.TB) *Engine {
	t.Helper()
	taxonomy := apitest.ComputerTaxonomy()
	options := func(slugs ...string) (list []api.FactOption) {
		for _, slug := range slugs {
			list = append(list, api.FactOption{Slug: slug, Label: slug})
		}
		return list
	}
	taxonomy.Facts = append(taxonomy.Facts,
		api.Fact{Key: api.OpennessKey, Kind: api.FactChoice, Label: "Openness", Meaning: "Openness.", Values: options("open-source", "open-core")},
		api.Fact{Key: api.ModelLicenseKey, Kind: api.FactChoice, Label: "Models", Meaning: "Models.", Values: options("open", "restricted")})
	listing := func(slug string, set func(p *api.ProjectDetail)) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.Name, p.Purpose, p.License, p.OSIApproved = slug, "Chats about documents.", new("MIT"), new(true)
			p.FitNotes = api.UnknownFacts(taxonomy.Facts)
			set(p)
		})
	}
	setups := func(p *api.ProjectDetail, list ...hardware.Setup) { p.FitNotes.SetSetups(taxonomy.Facts, list) }
	return openWith(t, taxonomy,
		listing("plain", func(p *api.ProjectDetail) {
			p.Stars = new(900)
			p.FitNotes.Set(api.OpennessKey, "open-source")
			p.FitNotes.Set(api.ModelLicenseKey, "open")
			p.FitNotes.Set(api.GPUKey, "optional")
			p.FitNotes.Set(api.CaveatsKey, []string{`Says "no" \ often`, "Documents are sent to a service", "Cannot chat"})
			p.Upkeep = new(api.UpkeepActive)
			setups(p, hardware.Setup{For: `small "models"`, Level: hardware.LevelMinimum, RAMGb: new(4.0)}, hardware.Setup{For: "large", Level: hardware.LevelExample, RAMGb: new(8.0)})
		}),
		listing("bound", func(p *api.ProjectDetail) {
			p.Stars, p.RunsWith = new(800), []string{"plain"}
			p.FitNotes.Set(api.OpennessKey, "open-core")
			p.FitNotes.Set(api.ModelLicenseKey, "restricted")
			p.FitNotes.Set(api.GPUKey, "required")
			p.Upkeep = new(api.UpkeepDormant)
			p.Estimate = &hardware.Estimate{RAMGb: new(2.0), VRAMGb: new(6.0), Because: "a guess"}
		}),
		listing("gone", func(p *api.ProjectDetail) {
			p.Stars, p.License, p.OSIApproved, p.Archived = new(700), nil, new(false), new(true)
			setups(p, hardware.Setup{For: "one chat", Level: hardware.LevelExample, RAMGb: new(16.0), Measured: &hardware.Measured{Job: new("chats")}})
		}),
		listing("other", func(p *api.ProjectDetail) { p.Purpose, p.Replaces = "Paints pictures.", []string{"Painter"} }),
	)
}

// searchAs answers a query string in a view.
func searchAs(t *testing.T, ix *Engine, raw, view string) []byte {
	t.Helper()
	q, warnings, wrong := api.ParseSearch(raw+"&view="+view, ix.Parameters())
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return ix.AppendSearch(nil, q, warnings...)
}

// Brief answers say what decides.
func TestBrief(t *testing.T) {
	ix := briefCatalog(t)
	const page = `"pageUrl":"http://localhost:8080/projects/`
	for raw, want := range map[string]string{
		"q=chats": `{"query":{"q":"chats"},"total":4,"hits":[` +
			`{"slug":"plain","name":"plain","purpose":"Chats about documents.","license":"MIT","memory":{"ramGb":4,"ramBasis":"stated","for":"small \"models\""},"caveat":"Cannot chat",PAGE"},` +
			`{"slug":"bound","name":"bound","purpose":"Chats about documents.","license":"MIT","openness":"open-core","modelLicense":"restricted","upkeep":"dormant","gpu":"required","memory":{"ramGb":2,"ramBasis":"estimated","vramGb":6,"vramBasis":"estimated"},PAGE"},` +
			`{"slug":"gone","name":"gone","purpose":"Chats about documents.","openness":"not open source","upkeep":"archived","memory":{"ramGb":16,"ramBasis":"measured","for":"one chat"},PAGE"},` +
			`{"slug":"other","name":"other","purpose":"Paints pictures.","license":"MIT",PAGE"}],"warnings":[]}`,
		"ramGb=8&vramGb=0&limit=5&q=documents": `{"query":{"q":"documents","ramGb":8,"vramGb":0},"total":2,"hits":[` +
			`{"slug":"plain","name":"plain","purpose":"Chats about documents.","license":"MIT","memory":{"ramGb":4,"ramBasis":"stated","for":"small \"models\""},"fit":{"verdict":"fits","setups":["small \"models\""],"largestModel":{"name":"large","memoryGb":6.5,"runner":"plain"}},"caveat":"Documents are sent to a service",PAGE"},` +
			`{"slug":"gone","name":"gone","purpose":"Chats about documents.","openness":"not open source","upkeep":"archived","memory":{"ramGb":16,"ramBasis":"measured","for":"one chat"},"fit":{"verdict":"unlikely","unmet":["one chat"]},PAGE"}],"warnings":[]}`,
		"vramGb=8&gpuVendor=nvidia&sort=popular&limit=2": `{"query":{"vramGb":8,"gpuVendor":"nvidia"},"total":4,"hits":[` +
			`{"slug":"plain","name":"plain","purpose":"Chats about documents.","license":"MIT","memory":{"ramGb":4,"ramBasis":"stated","for":"small \"models\""},"fit":{"verdict":"fits","unasked":["ramGb"],"largestModel":{"name":"large","memoryGb":6.5,"runner":"plain"}},"caveat":"Says \"no\" \\ often",PAGE"},` +
			`{"slug":"bound","name":"bound","purpose":"Chats about documents.","license":"MIT","openness":"open-core","modelLicense":"restricted","upkeep":"dormant","gpu":"required","memory":{"ramGb":2,"ramBasis":"estimated","vramGb":6,"vramBasis":"estimated"},"fit":{"verdict":"likely","estimate":{"because":"a guess"}},PAGE"}],"warnings":[]}`,
		"q=paints+zebras": `{"query":{"q":"paints zebras"},"total":1,"hits":[{"slug":"other","name":"other","purpose":"Paints pictures.","license":"MIT",PAGE","match":{"partial":true,"missing":["zebras"]}}],` +
			`"warnings":[{"code":"weak-matches","parameter":"q","message":"No listing seems to do this; the nearest follow."}]}`,
		"q=xyzzyx&gpu=0&category=chat": `{"query":{"q":"xyzzyx","category":["chat"],"gpu":false},"total":0,"hits":[],"warnings":[{"code":"nothing-found","parameter":"q","message":"No listing matches. Listings are in English: try fewer, more general words in it.","value":"en"}]}`,
	} {
		got := string(searchAs(t, ix, raw, api.ViewBrief))
		for _, slug := range []string{"plain", "bound", "gone", "other"} {
			got = strings.ReplaceAll(got, page+slug+`/"`, `PAGE"`)
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", raw, got, want)
		}
	}
}

// Without setups, brief hits have the known facts by which readers choose.
func TestBriefFacts(t *testing.T) {
	taxonomy := apitest.Taxonomy()
	filter := func(parameter string, match string) *api.FactFilter {
		return &api.FactFilter{Parameter: parameter, Match: match}
	}
	taxonomy.Facts = []api.Fact{
		{Key: "strings", Kind: api.FactNumber, Label: "Strings", Meaning: "Strings.", Filter: filter("maxStrings", api.MatchAtMost)},
		{Key: "shop", Kind: api.FactPlace, Label: "Shop", Meaning: "Shop.", Filter: filter("near", api.MatchNear)},
		{Key: "tuned", Kind: api.FactYesNo, Label: "Tuned", Meaning: "Tuned.", Chip: map[string]string{"1": "Tuned"}},
		{Key: "price", Kind: api.FactMoney, Currency: "EUR", Label: "Price", Meaning: "Price.", Sort: "asc"},
		{Key: "story", Kind: api.FactText, Label: "Story", Meaning: "Story."},
		{Key: api.CaveatsKey, Kind: api.FactTexts, Label: "Caveats", Meaning: "Caveats.", Searched: new(true)},
	}
	listing := func(slug string, facts map[string]any) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.Name, p.Purpose = slug, "Makes music."
			p.FitNotes = api.UnknownFacts(taxonomy.Facts)
			for key, value := range facts {
				p.FitNotes.Set(key, value)
			}
		})
	}
	ix := openWith(t, taxonomy,
		listing("fiddle", map[string]any{"strings": 4.0, "shop": api.Place{Latitude: 1.5, Longitude: 2, Name: `"A", {B}`}, "tuned": false, "story": "long", api.CaveatsKey: []string{"loud"}}),
		listing("harp", map[string]any{"price": api.Money{Amount: 2.5, Currency: "EUR"}}),
		listing("voice", nil))
	const page = `"pageUrl":"http://localhost:8080/projects/`
	want := `{"slug":"fiddle","name":"fiddle","purpose":"Makes music.","fitNotes":{"strings":4,"shop":{"latitude":1.5,"longitude":2,"name":"\"A\", {B}"},"tuned":false},"caveat":"loud",` + page + `fiddle/"},` +
		`{"slug":"harp","name":"harp","purpose":"Makes music.","fitNotes":{"price":{"amount":2.5,"currency":"EUR"}},` + page + `harp/"},` +
		`{"slug":"voice","name":"voice","purpose":"Makes music.",` + page + `voice/"}`
	if got := string(ix.AppendBriefList(nil, 0, 5)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A brief answer decodes, has no nulls, and has the hits of the full answer with the same verdicts.
func TestBriefAgreesWithFull(t *testing.T) {
	ix := briefCatalog(t)
	for _, raw := range []string{
		"", "q=chats", "q=chats&limit=1&offset=1", "gpu=1", "q=documents&license=MIT", "q=chat&ramGb=8", "ramGb=4&vramGb=0", "q=chats+on+16+GB+RAM", "q=chats+zebra+stripes",
		"q=dokuments", "q=painter+alternative", "q=nothing+at+all+xyzzy", "facets=1&q=chats", "nosuch=1", "sort=trending", "q=chats&stated=1&ramGb=16",
	} {
		text := searchAs(t, ix, raw, api.ViewBrief)
		if strings.Contains(string(text), "null") {
			t.Errorf("%s has nulls: %s", raw, text)
		}
		var full api.SearchResponse
		var brief api.BriefSearchResponse
		if err := json.Unmarshal(searchAs(t, ix, raw, api.ViewFull), &full); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &brief); err != nil {
			t.Fatalf("%s: %v: %s", raw, err, text)
		}
		var got, want []string
		for _, h := range brief.Hits {
			verdict, partial := "", ""
			if h.Fit != nil {
				verdict = string(h.Fit.Verdict)
			}
			if h.Match != nil {
				partial = " partial"
			}
			got = append(got, h.Slug+" "+h.PageURL+" "+h.License+" "+h.Upkeep+" "+verdict+partial)
		}
		for _, h := range full.Hits {
			verdict, partial, license := "", "", ""
			if h.Fit != nil {
				verdict = string(h.Fit.Verdict)
			}
			if h.Match.Partial {
				partial = " partial"
			}
			if h.License != nil {
				license = *h.License
			}
			want = append(want, h.Slug+" "+h.PageURL+" "+license+" "+h.Stopped()+" "+verdict+partial)
		}
		corrected := ""
		if full.DidYouMean != nil {
			corrected = *full.DidYouMean
		}
		if !slices.Equal(got, want) || brief.Total != full.Total || !slices.Equal(brief.Warnings, full.Warnings) ||
			!slices.Equal(brief.Products, full.Products) || brief.DidYouMean != corrected {
			t.Errorf("%s:\n%s\nof the full answer\n%q", raw, text, want)
		}
		for name, value := range brief.Query {
			if a, b := mustJSON(t, value), mustJSON(t, full.Query[name]); a != b {
				t.Errorf("%s: %s was understood as %s, and in full as %s", raw, name, a, b)
			}
		}
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The caveat is the first that has a word of the query, in any form, or else the first.
func TestChosenCaveat(t *testing.T) {
	ix := briefCatalog(t)
	for q, want := range map[string]string{
		"": `Says "no" \ often`, "chatting": "Cannot chat", "a document": "Documents are sent to a service", "with the tool": `Says "no" \ often`,
		"xyzzy": `Says "no" \ often`, "much memory": "Running takes much memory",
	} {
		s := ix.acquire()
		a := s.answer(&api.SearchQuery{Q: q, Limit: 5, Brief: true, NoFacets: true})
		caveats := `["Says \"no\" \\ often","Documents are sent to a service","Cannot chat","Running takes much memory"]`
		if got := string(chosenCaveat([]byte(caveats), a.caveatWords(), english)); got != mustJSON(t, want) {
			t.Errorf("%q: %s, want %s", q, got, want)
		}
		s.release()
	}
	for text, want := range map[string]bool{
		"Documents!": true, "DOCUMENTED": true, "a document": true, "documentation": false, "Dökumente, document": true, "Élan documents": true, "no": false, "": false, "docu ment": false, "élan": true, "documenting": true,
	} {
		if got := sharesWord([]byte(text), []string{"document", "elan"}, english); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !sharesWord([]byte("雨と鶴の公園"), []string{"公園"}, token.LanguageOf("ja")) {
		t.Error("a pair of characters within a text is not found")
	}
	for _, damaged := range []string{"", "[]", `["`, `["a`, `["a\`, "null"} {
		if got := chosenCaveat([]byte(damaged), []string{"a"}, english); got != nil {
			t.Errorf("%s: %s", damaged, got)
		}
	}
}

// Lists in brief have the listings of full ones.
func TestBriefLists(t *testing.T) {
	ix := briefCatalog(t)
	for _, page := range [][2]int{{0, 10}, {1, 2}, {9, 5}} {
		var full []api.Project
		var brief []api.BriefHit
		if err := json.Unmarshal(append(ix.AppendList([]byte("["), page[0], page[1]), ']'), &full); err != nil {
			t.Fatal(err)
		}
		text := append(ix.AppendBriefList([]byte("["), page[0], page[1]), ']')
		if err := json.Unmarshal(text, &brief); err != nil || strings.Contains(string(text), "null") {
			t.Fatalf("%v: %s", err, text)
		}
		if !slices.EqualFunc(full, brief, func(p api.Project, b api.BriefHit) bool { return p.Slug == b.Slug && p.PageURL == b.PageURL }) {
			t.Errorf("%v: %s", page, text)
		}
	}
	list, n, unknown := ix.AppendBriefListings(nil, []string{"other", "nosuch", "plain"})
	if n != 2 || !slices.Equal(unknown, []string{"nosuch"}) || !strings.HasPrefix(string(list), `{"slug":"plain",`) || !strings.Contains(string(list), `},{"slug":"other",`) {
		t.Errorf("%d, %q: %s", n, unknown, list)
	}
}

// BenchmarkViews compares the views of a search.
func BenchmarkViews(b *testing.B) {
	ix := briefCatalog(b)
	for _, view := range []string{api.ViewFull, api.ViewBrief} {
		b.Run(view, func(b *testing.B) {
			b.ReportAllocs()
			q, _, _ := api.ParseSearch("q=chats&ramGb=8&facets=0&view="+view, ix.Parameters())
			var room []byte
			for b.Loop() {
				room = ix.AppendSearch(room[:0], q)
			}
		})
	}
}

// The memory of a brief hit is that of the use by which it fits.
func TestMemoryAgreesWithTheVerdict(t *testing.T) {
	ix := open(t, apitest.Listing("voices", func(p *api.ProjectDetail) {
		p.Purpose = "Clones voices."
		p.FitNotes = apitest.FitNotes("gpu", "optional")
		p.FitNotes.SetSetups(apitest.Facts(), []hardware.Setup{{For: "the program", RAMGb: new(8.0), Level: hardware.LevelMinimum}})
		p.Estimate = &hardware.Estimate{VRAMGb: new(4.0), Because: "a voice model"}
	}))
	none := hardware.Machine{}
	laptop := hardware.Machine{RAMGb: new(16.0), VRAMGb: new(0.0)}
	for _, c := range []struct {
		computer hardware.Machine
		want     string
	}{
		{none, `"memory":{"ramGb":8,"ramBasis":"stated","vramGb":4,"vramBasis":"estimated","for":"the program"}`},
		{laptop, `"memory":{"ramGb":8,"ramBasis":"stated","for":"the program"},"fit":{"verdict":"fits","setups":["the program"]`},
	} {
		body := string(ix.AppendSearch(nil, api.SearchQuery{Q: "clone voices", Limit: 5, Brief: true, Filters: api.Filters{Machine: c.computer}}))
		if !strings.Contains(body, c.want) {
			t.Errorf("%s, without %s", body, c.want)
		}
	}
}
