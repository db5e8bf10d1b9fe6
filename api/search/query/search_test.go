package query

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/apitest"
)

// The tier is the strongest group of fields that has every word.
func TestTiers(t *testing.T) {
	ix := open(t,
		apitest.Listing("whisper", func(p *api.ProjectDetail) { p.Name = "Whisper"; p.Stars = new(1) }),
		apitest.Listing("whisper-cpp", func(p *api.ProjectDetail) { p.Name = "whisper.cpp"; p.Stars = new(50) }),
		apitest.Listing("subs", func(p *api.ProjectDetail) {
			p.Name = "Subs"
			p.Purpose = "Makes subtitles with whisper."
			p.Stars = new(900)
		}),
		apitest.Listing("texty", func(p *api.ProjectDetail) {
			p.Name = "Texty"
			p.Prose = "It can call whisper for you."
			p.Stars = new(9000)
		}),
		apitest.Listing("topical", func(p *api.ProjectDetail) { p.Topics = []string{"whisper"}; p.Stars = new(8000) }),
		apitest.Listing("nick", func(p *api.ProjectDetail) { p.Aliases = []string{"whisper nick"} }),
		apitest.Listing("alike", func(p *api.ProjectDetail) { p.Name = "Other" }),
	)
	answer := searchText(ix, "Whisper")
	want := []string{
		"whisper exact-name", "whisper-cpp name", "nick name", "subs purpose", "topical description", "texty description",
	}
	var got []string
	for _, h := range answer.Hits {
		got = append(got, h.Slug+" "+*h.Match.Tier)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if answer.Sort.Applied != api.SortRelevance || answer.Total != 6 {
		t.Errorf("sort %+v, total %d", answer.Sort, answer.Total)
	}
}

// A listing is found by the texts of its facts and the names of its places, unless their definition says no.
func TestTextsOfFactsMatchWords(t *testing.T) {
	at := func(slug, place string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.Purpose = "A museum of lamps."
			p.FitNotes = append(p.FitNotes, api.FactValue{Key: "where", Kind: api.FactPlace, Value: api.Place{Name: place}})
		})
	}
	taxonomy, no := apitest.Taxonomy(), false
	taxonomy.Facts = append(taxonomy.Facts, api.Fact{Key: "where", Kind: api.FactPlace},
		api.Fact{Key: "makers", Kind: api.FactTexts}, api.Fact{Key: "guide", Kind: api.FactText},
		api.Fact{Key: "missing", Kind: api.FactText, Searched: &no})
	of := func(slug, key string, value any) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.FitNotes = append(p.FitNotes, api.FactValue{Key: key, Value: value})
		})
	}
	ix := openWith(t, taxonomy, at("ant", "Paris"), at("bee", "Lyon"), at("cow", "Old York"),
		of("dog", "makers", []string{"Anna Berg", "Jo Hill"}), of("elk", "guide", "A tour by candlelight"),
		of("fox", "missing", "A tour by boat"))
	for query, want := range map[string]string{"museum in Paris": "ant", "york": "cow", "jo hill": "dog",
		"candlelight": "elk"} {
		if got := searchText(ix, query); len(got.Hits) == 0 || got.Hits[0].Slug != want || got.Hits[0].Match.Partial {
			t.Errorf("%q finds %v, want first %s", query, slugs(got), want)
		}
	}
	if got := searchText(ix, "boat"); len(got.Hits) > 0 {
		t.Errorf("a text that is not searched finds %v", slugs(got))
	}
}

// A name is found with any joining, accents and case of its words.
func TestExactNameFolding(t *testing.T) {
	ix := open(t,
		apitest.Listing("open-webui", func(p *api.ProjectDetail) { p.Name = "Open WebUI" }),
		apitest.Listing("cafe", func(p *api.ProjectDetail) { p.Name = "Café.AI" }),
		apitest.Listing("famous", func(p *api.ProjectDetail) {
			p.Name = "Famous"
			p.Aliases = []string{"open webui", "cafe ai"}
			p.Stars = new(1000000)
		}),
	)
	for query, first := range map[string]string{
		"Open WebUI": "open-webui", "openwebui": "open-webui", "open-webui": "open-webui", "OPEN WEB UI": "open-webui",
		"ＯｐｅｎＷｅｂＵＩ": "open-webui", "cafe ai": "cafe", "CAFÉ-AI": "cafe", "café.ai": "cafe",
	} {
		answer := searchText(ix, query)
		if len(answer.Hits) == 0 || answer.Hits[0].Slug != first || *answer.Hits[0].Match.Tier != api.TierExactName {
			t.Errorf("%q: got %v, want %s first as exact-name", query, slugs(answer), first)
		}
	}
}

func TestWordsMatch(t *testing.T) {
	ix := open(t,
		apitest.Listing("meet", func(p *api.ProjectDetail) { p.Jobs = []string{"transcribe meetings"} }),
		apitest.Listing("stt", func(p *api.ProjectDetail) { p.Purpose = "Does speech to text." }),
		apitest.Listing("chatty", func(p *api.ProjectDetail) { p.Replaces = []string{"ChatGPT"} }),
		apitest.Listing("draw", func(p *api.ProjectDetail) { p.Purpose = "Paints an image." }),
		apitest.Listing("hub", func(p *api.ProjectDetail) { p.Name = "LibreChat" }),
	)
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"transcribing a meeting", []string{"meet"}},           // stems
		{"transcription", []string{"stt"}},                     // synonym that is a phrase
		{"speech to text", []string{"stt"}},                    // function words need not match
		{"picture", []string{"draw"}},                          // synonym
		{"libre chat", []string{"hub", "chatty*"}},             // joined; a category alone is too little
		{"chatgpt alternative", []string{"chatty"}},            // filler
		{"gpt4o", []string{"chatty"}},                          // alias of a product
		{"transcr", []string{"meet"}},                          // prefix of the last word
		{"meetigns", []string{"meet"}},                         // transposition
		{"best open source tool for images", []string{"draw"}}, // filler and stem
		{"xyzzy", []string{}},
		{"mee", []string{"meet"}},
		{"mxe", []string{}},                             // too short for a mistake
		{"transcriptions", []string{"stt"}},             // stem of a synonym
		{"text speech", []string{"stt"}},                // a text's words in another order
		{"transcribe a meeting fast", []string{"meet"}}, // a word that fits any job need not match
	} {
		if got := slugs(searchText(ix, test.query)); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.query, got, test.want)
		}
	}
}

// Asks are searched like jobs, weigh less, and are in no answer. One or two words that a listing has only
// in an ask are a partial match.
func TestAsks(t *testing.T) {
	ix := open(t,
		apitest.Listing("asked", func(p *api.ProjectDetail) { p.Asks = []string{"a butler for my house"}; p.Stars = new(900) }),
		apitest.Listing("job", func(p *api.ProjectDetail) { p.Jobs = []string{"be a butler for a house"} }),
	)
	answer := searchText(ix, "butler for the house")
	if got := slugs(answer); !slices.Equal(got, []string{"job", "asked*"}) {
		t.Errorf("got %v", got)
	}
	answer = searchText(ix, "an offline butler for the house") // names a fact as well
	if got := slugs(answer); !slices.Equal(got, []string{"job", "asked"}) {
		t.Errorf("got %v, %+v", got, answer.Hits)
	}
	if got := slugs(searchText(ix, "keep me company")); !slices.Equal(got, []string{"asked", "job"}) {
		t.Errorf("an ask of their category finds %v", got)
	}
	if body, _ := ix.AppendProject(nil, "asked"); bytes.Contains(body, []byte("butler")) {
		t.Errorf("the answer has the asks: %s", body)
	}
}

// Only words that no listing has are corrected, and the correction is suggested.
func TestTyposOnlyForUnknownWords(t *testing.T) {
	ix := open(t,
		apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Sends mail." }),
		apitest.Listing("b", func(p *api.ProjectDetail) { p.Purpose = "Sends a maid." }),
		apitest.Listing("c", func(p *api.ProjectDetail) { p.Purpose = "Finds difference." }),
	)
	if got := slugs(searchText(ix, "mail")); !slices.Equal(got, []string{"a"}) {
		t.Errorf("a known word found %v", got)
	}
	answer := searchText(ix, "diffrence")
	if !slices.Equal(slugs(answer), []string{"c"}) || answer.DidYouMean == nil || *answer.DidYouMean != "difference" {
		t.Errorf("got %v, did you mean %v", slugs(answer), answer.DidYouMean)
	}
	if answer := search(ix, api.SearchQuery{Q: "diffrence", Limit: 5, AsSpelt: true}); len(answer.Hits) > 0 || answer.DidYouMean != nil {
		t.Errorf("as spelt: got %v, did you mean %v", slugs(answer), answer.DidYouMean)
	}
	if answer := searchText(ix, "mail"); answer.DidYouMean != nil {
		t.Errorf("a known word is corrected to %q", *answer.DidYouMean)
	}
}

// A word known only in another form is searched for, and so is a spelling that finds more.
func TestDidYouMean(t *testing.T) {
	list := []api.ProjectDetail{apitest.Listing("speaches", func(p *api.ProjectDetail) { p.Name = "Speaches" })}
	for i := range 9 {
		list = append(list, apitest.Listing(fmt.Sprintf("s-%d", i), func(p *api.ProjectDetail) { p.Purpose = "Recognises speech in noise." }))
	}
	ix := open(t, list...)
	for query, want := range map[string]string{"speach": "speech", "speaches": "", "speech": "", "speach noice": "speech noise"} {
		answer := searchText(ix, query)
		if got := answer.DidYouMean; (got == nil) != (want == "") || got != nil && *got != want {
			t.Errorf("%q: did you mean %v, want %q", query, got, want)
		}
	}
	if got := slugs(searchText(ix, "speach")); len(got) != 10 || got[0] != "speaches" {
		t.Errorf("speach finds %v", got)
	}
}

// A query that no listing matches well enough, such as one in another language, gets a
// warning with advice and no accidental correction.
func TestNothingFound(t *testing.T) {
	ix := open(t,
		apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Website builder for images." }),
		apitest.Listing("b", func(p *api.ProjectDetail) { p.Purpose = "Generates images." }),
	)
	for _, q := range []string{"Bilder generieren", "画像生成", "bildre"} {
		answer := searchText(ix, q)
		if len(answer.Hits) > 0 || answer.DidYouMean != nil || !hasWarning(answer, api.WarnNothingFound) {
			t.Errorf("%q: %v, did you mean %v, warnings %v", q, slugs(answer), answer.DidYouMean, answer.Warnings)
		}
	}
	for _, q := range []api.SearchQuery{{Limit: 5}, {Q: "imgaes", Limit: 5}, {Q: "images", Filters: api.Filters{Values: map[string][]string{"license": {"MIT"}}}, Limit: 5}} {
		if answer := search(ix, q); hasWarning(answer, api.WarnNothingFound) {
			t.Errorf("%+v: warnings %v", q, answer.Warnings)
		}
	}
	if answer := searchText(ix, "imgaes"); answer.DidYouMean == nil || *answer.DidYouMean != "images" {
		t.Errorf("imgaes: did you mean %v", answer.DidYouMean)
	}
}

// The name of a product that no listing mentions is not another form of a common word, and is said to
// be unknown. It may be a misspelt name.
func TestUnknownProduct(t *testing.T) {
	ix := open(t,
		apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Draws on a canvas and describes the picture." }),
		apitest.Listing("b", func(p *api.ProjectDetail) { p.Name, p.Purpose = "Sketchpal", "Draws on a canvas." }),
	)
	for query, want := range map[string][]string{
		"canva alternative": nil, "alternative to canva": nil, "descript replacement": nil, "instead of canva for drawing": {"b*", "a*"},
		"sketchpel alternative": {"b"}, "alternative to sketchp": {"b"}, "canvas alternative": {"b", "a"}, "draw": {"b", "a"},
	} {
		answer := searchText(ix, query)
		if got := slugs(answer); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
		if unknown := strings.Contains(query, "canva ") || strings.HasSuffix(query, "canva") || strings.Contains(query, "descript"); hasWarning(answer, api.WarnUnknownProduct) != unknown {
			t.Errorf("%q: warnings %v", query, answer.Warnings)
		}
	}
}

// What a query excludes by name comes last, and is no evidence. A fact that it excludes is no hint.
func TestNegation(t *testing.T) {
	ix := open(t,
		apitest.Listing("ollama", func(p *api.ProjectDetail) { p.Name, p.Purpose, p.Stars = "Ollama", "Runs models.", new(900) }),
		apitest.Listing("docked", func(p *api.ProjectDetail) {
			p.Purpose, p.FitNotes = "Runs models beside Ollama.", apitest.FitNotes("docker", true)
		}),
		apitest.Listing("starred", func(p *api.ProjectDetail) { p.Purpose, p.Stars = "Runs models.", new(90) }),
	)
	for query, want := range map[string][]string{
		"run models, not ollama":              {"starred", "docked", "ollama"},
		"run models without Ollama":           {"starred", "docked", "ollama"},
		"run models, not with Ollama":         {"starred", "docked", "ollama"},
		"run models without using the Ollama": {"starred", "docked", "ollama"},
		"not ollama, run models":              {"starred", "docked", "ollama"},
		"without docker, run models":          {"ollama", "starred", "docked"},
		"run models other than ollama":        {"starred", "docked", "ollama"},
		"run models, doesn't need docker":     {"ollama", "starred", "docked"},
		"run models, I don't want any docker": {"ollama", "starred", "docked"},
		"docker-free, run models":             {"ollama", "starred", "docked"},
		"run models in docker":                {"docked", "ollama", "starred"},
		"run models but not in docker":        {"ollama", "starred", "docked"},
		"run models but not in a docker":      {"ollama", "starred", "docked"},
		"not ollama":                          {"ollama", "docked"},
	} {
		answer := searchText(ix, query)
		if got := slugs(answer); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
		if hasWarning(answer, api.WarnSuggestFilter) != (query == "run models in docker") {
			t.Errorf("%q: warnings %v", query, answer.Warnings)
		}
	}
}

// Names that differ only by a sign are different words.
func TestSigns(t *testing.T) {
	ix := open(t,
		apitest.Listing("c", func(p *api.ProjectDetail) { p.Language = new("C") }),
		apitest.Listing("cpp", func(p *api.ProjectDetail) { p.Language = new("C++") }),
		apitest.Listing("csharp", func(p *api.ProjectDetail) { p.Purpose = "A chat for .NET, in C#." }),
		apitest.Listing("network", func(p *api.ProjectDetail) { p.Purpose = "Draws the net of a cube, in steps of grade C." }),
	)
	for query, want := range map[string][]string{"C#": {"csharp"}, ".net": {"csharp"}, "net of a cube": {"network"}} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// If the best partial match hardly matches, the answer says that no listing does this.
func TestWeakMatches(t *testing.T) {
	var list []api.ProjectDetail
	for i := range 20 {
		list = append(list, apitest.Listing(fmt.Sprintf("t-%02d", i), func(p *api.ProjectDetail) {
			p.Purpose = "Translates letters."
		}))
	}
	list = append(list, apitest.Listing("recipes", func(p *api.ProjectDetail) {
		p.Purpose, p.License = "Translates what you say by a recipe that you write down once.", new("MIT")
	}))
	ix := open(t, list...)
	for query, weak := range map[string]bool{"banana bread recipe": true, "translate my letters to grandmother": false, "letters": false} {
		answer := searchText(ix, query)
		if len(answer.Hits) == 0 || hasWarning(answer, api.WarnWeakMatches) != weak {
			t.Errorf("%q: %d hits, warnings %v", query, len(answer.Hits), answer.Warnings)
		}
		if weak && hasWarning(answer, api.WarnPartialMatches) {
			t.Errorf("%q: two warnings about the same", query)
		}
	}
	filtered := search(ix, api.SearchQuery{Q: "banana bread recipe", Limit: 5, Filters: api.Filters{Values: map[string][]string{"license": {"MIT"}}}})
	if len(filtered.Warnings) != 1 || !strings.Contains(filtered.Warnings[0].Message, "that passes the filters") {
		t.Errorf("what filters hide may do it: %+v", filtered.Warnings)
	}
	if popular := search(ix, api.SearchQuery{Q: "banana bread recipe", Sort: api.SortPopular, Limit: 5}); hasWarning(popular, api.WarnWeakMatches) {
		t.Error("an order without qualities has weak matches")
	}
}

// A correction that finds nothing better than the words as spelt is neither used nor shown.
func TestUselessCorrections(t *testing.T) {
	var list []api.ProjectDetail
	for i := range 20 {
		list = append(list, apitest.Listing(fmt.Sprintf("t-%02d", i), func(p *api.ProjectDetail) { p.Purpose = "Translates letters." }))
	}
	list = append(list, apitest.Listing("bread", func(p *api.ProjectDetail) { p.Purpose = "Counts loaves of bread." }))
	ix := open(t, list...)
	for _, test := range []struct {
		query, want string // the correction, or ""
		warning     string // a code, or ""
	}{
		{"braed", "bread", ""},
		{"count braed loaves", "count bread loaves", ""},
		{"count lettres loaves", "", api.WarnWeakMatches},            // the best match has no letters
		{"banana braed dinosaur zeppelin", "", api.WarnNothingFound}, // with bread, only weak matches
		{"banana lettres dinosaur zeppelin braed", "", api.WarnNothingFound},
	} {
		for _, sort := range []string{"", api.SortNewest} {
			answer := search(ix, api.SearchQuery{Q: test.query, Sort: sort, Limit: 5})
			got := ""
			if answer.DidYouMean != nil {
				got = *answer.DidYouMean
			}
			if got != test.want || sort == "" && test.warning != "" && !hasWarning(answer, test.warning) {
				t.Errorf("%q by %q: did you mean %q, warnings %v; want %q, %s", test.query, sort, got, answer.Warnings, test.want, test.warning)
			}
			if test.want != "" {
				continue
			}
			spelt := search(ix, api.SearchQuery{Q: test.query, Sort: sort, Limit: 5, AsSpelt: true})
			if !slices.Equal(slugs(answer), slugs(spelt)) || answer.Total != spelt.Total {
				t.Errorf("%q by %q finds %v, and as spelt %v", test.query, sort, slugs(answer), slugs(spelt))
			}
		}
	}
}

func TestPartialMatches(t *testing.T) {
	ix := open(t,
		apitest.Listing("both", func(p *api.ProjectDetail) { p.Purpose = "Translates subtitles." }),
		apitest.Listing("rare", func(p *api.ProjectDetail) { p.Purpose = "Writes subtitles." }),
		apitest.Listing("common", func(p *api.ProjectDetail) { p.Purpose = "Translates letters." }),
		apitest.Listing("common2", func(p *api.ProjectDetail) { p.Purpose = "Translates books." }),
		apitest.Listing("none", nil),
	)
	answer := searchText(ix, "translate subtitles")
	if got := slugs(answer); !slices.Equal(got, []string{"both", "rare*", "common*", "common2*"}) {
		t.Errorf("got %v", got)
	}
	if answer.Total != 4 || !hasWarning(answer, api.WarnPartialMatches) {
		t.Errorf("total %d, warnings %v", answer.Total, answer.Warnings)
	}
	// The warning speaks of the hits of the page.
	for page, want := range map[[2]int]string{{0, 1}: "", {0, 2}: "Few listings", {1, 2}: "None of these"} {
		answer := search(ix, api.SearchQuery{Q: "translate subtitles", Offset: page[0], Limit: page[1]})
		if message := warningOf(answer, api.WarnPartialMatches); want == "" && message != "" || !strings.HasPrefix(message, want) {
			t.Errorf("page %v: %q, want %q", page, message, want)
		}
	}
	// A listing with all words in different texts lacks none.
	scattered := searchText(open(t, apitest.Listing("apart", func(p *api.ProjectDetail) {
		p.Purpose, p.Jobs = "Translates letters.", []string{"write subtitles", "feed birds"}
	})), "translate subtitles birds")
	if got := slugs(scattered); !slices.Equal(got, []string{"apart*"}) || hasWarning(scattered, api.WarnPartialMatches) {
		t.Errorf("in different texts: %v, warnings %v", got, scattered.Warnings)
	}
	// Other orders have partial matches only if there is no full match.
	popular := search(ix, api.SearchQuery{Q: "translate subtitles", Sort: api.SortPopular, Limit: 10})
	if got := slugs(popular); !slices.Equal(got, []string{"both"}) {
		t.Errorf("by popularity: got %v", got)
	}
	popular = search(ix, api.SearchQuery{Q: "translate subtitles overnight", Sort: api.SortPopular, Limit: 10})
	if got := slugs(popular); !slices.Equal(got, []string{"both*", "common*", "common2*", "rare*"}) {
		t.Errorf("by popularity, nothing in full: got %v", got)
	}
}

// With three full matches, no partial matches are added.
func TestEnoughFullMatches(t *testing.T) {
	var list []api.ProjectDetail
	for i := range 3 {
		list = append(list, apitest.Listing(fmt.Sprintf("full-%d", i), func(p *api.ProjectDetail) { p.Purpose = "Translates subtitles." }))
	}
	list = append(list, apitest.Listing("part", func(p *api.ProjectDetail) { p.Purpose = "Writes subtitles." }))
	ix := open(t, list...)
	if got := slugs(searchText(ix, "translate subtitles")); len(got) != 3 {
		t.Errorf("got %v", got)
	}
}

// An archived tool comes after the others of its tier and grade, with or without hints,
// but before those of weaker tiers.
func TestArchivedIsRankedLower(t *testing.T) {
	paints := func(archived bool, stars int, purpose string) func(*api.ProjectDetail) {
		return func(p *api.ProjectDetail) {
			p.Name, p.Purpose, p.Stars, p.Archived = "Brush", purpose, &stars, &archived
			p.FitNotes.Set("gpu", "none")
		}
	}
	ix := open(t,
		apitest.Listing("gone", paints(true, 900, "Paints an image.")),
		apitest.Listing("live", paints(false, 10, "Paints an image.")),
		apitest.Listing("unknown", func(p *api.ProjectDetail) { p.Name, p.Purpose, p.Stars = "Brush", "Paints an image.", new(5) }),
		apitest.Listing("other", func(p *api.ProjectDetail) { p.Prose, p.Stars = "It can paint an image, too.", new(5000) }),
	)
	for query, want := range map[string][]string{
		"paint an image":        {"live", "unknown", "gone", "other"},
		"paint an image no gpu": {"live", "gone", "unknown", "other"}, // hints count for the grade
		"brush":                 {"live", "unknown", "gone"},          // exact names
		"no gpu":                {"live", "gone"},                     // hints alone
	} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
	popular := search(ix, api.SearchQuery{Q: "brush", Sort: api.SortPopular, Limit: 5})
	if got := slugs(popular); got[0] != "gone" {
		t.Errorf("by popularity: got %v", got)
	}
}

// Hints raise listings within tier and grade, and their words are optional.
func TestHints(t *testing.T) {
	base := func(change func(*api.ProjectDetail)) func(*api.ProjectDetail) {
		return func(p *api.ProjectDetail) {
			p.Purpose = "Paints an image."
			if change != nil {
				change(p)
			}
		}
	}
	ix := open(t,
		apitest.Listing("famous", base(func(p *api.ProjectDetail) {
			p.Stars = new(100000)
			p.FitNotes.Set("gpu", "required")
			p.FitNotes.Set("minRamGb", 32.0)
		})),
		apitest.Listing("light", base(func(p *api.ProjectDetail) {
			p.FitNotes.Set("gpu", "none")
			p.FitNotes.Set("minRamGb", 4.0)
			p.FitNotes.Set("docker", true)
			p.FitNotes.Set("beginner", true)
			p.FitNotes.Set("worksOffline", true)
			p.Platforms = []string{"macos"}
		})),
	)
	for _, query := range []string{
		"image no gpu", "image without a GPU", "image 8gb", "image 8 gb ram", "image offline", "image for beginners", "image docker", "image 4GB VRAM",
	} {
		answer := searchText(ix, query)
		if got := slugs(answer); !slices.Equal(got, []string{"light", "famous"}) {
			t.Errorf("%q: got %v", query, got)
		}
	}
	if got := slugs(searchText(ix, "image")); got[0] != "famous" {
		t.Errorf("without a hint: got %v", got)
	}
	if !hasWarning(searchText(ix, "image no gpu"), api.WarnSuggestFilter) {
		t.Error("the filter is not suggested")
	}
	if answer := searchText(ix, "image low vram"); hasWarning(answer, api.WarnSuggestFilter) {
		t.Errorf("a filter is suggested that does not find all that fits: %v", answer.Warnings)
	}
}

// The name of a product may be a function word, such as "Make".
func TestNameOfFunctionWords(t *testing.T) {
	ix := open(t,
		apitest.Listing("flows", func(p *api.ProjectDetail) { p.Replaces = []string{"Make"} }),
		apitest.Listing("other", func(p *api.ProjectDetail) { p.Stars = new(2) }),
	)
	for _, q := range []string{"make", "Make", "alternative to Make", "open source alternative to make"} {
		answer := searchText(ix, q)
		if answer.Query["q"] == nil || !slices.Equal(slugs(answer), []string{"flows"}) || *answer.Hits[0].Match.Tier != api.TierName {
			t.Errorf("%q finds %v, warnings %v", q, slugs(answer), answer.Warnings)
		}
	}
	if answer := searchText(ix, "make me"); answer.Query["q"] != nil {
		t.Errorf("%q is taken for a name: %v", "make me", slugs(answer))
	}
}

func TestFillerOnlyQuery(t *testing.T) {
	ix := open(t, apitest.Listing("a", func(p *api.ProjectDetail) { p.Stars = new(1) }), apitest.Listing("b", func(p *api.ProjectDetail) { p.Stars = new(2) }))
	for _, q := range []string{"the best", "open source", "I want to", "!?", "alternative to"} {
		answer := searchText(ix, q)
		if answer.Query["q"] != nil || answer.Sort.Applied != api.SortPopular || !hasWarning(answer, api.WarnOnlyFiller) || !slices.Equal(slugs(answer), []string{"b", "a"}) {
			t.Errorf("%q: q %v, sort %s, hits %v, warnings %v", q, answer.Query["q"], answer.Sort.Applied, slugs(answer), answer.Warnings)
		}
		if answer.Hits[0].Match.Tier != nil {
			t.Errorf("%q: a tier without q", q)
		}
	}
}

func TestSearched(t *testing.T) {
	ix := open(t)
	for word, want := range map[string]bool{"chat": true, "quickly": true, "rust": true, "the": false, "free": false, "docker": false, "8gb": false, "": false} {
		if got := ix.IsSearched(word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}

func TestLongQueryIsTruncated(t *testing.T) {
	ix := open(t, apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "word" }))
	answer := searchText(ix, strings.Repeat("word ", 16)+"missing")
	if !slices.Equal(slugs(answer), []string{"a"}) || !hasWarning(answer, api.WarnQueryTruncated) {
		t.Errorf("got %v, %v", slugs(answer), answer.Warnings)
	}
}

func hasWarning(answer api.SearchResponse, code string) bool { return warningOf(answer, code) != "" }

// warningOf returns the message of the first warning with a code, or "".
func warningOf(answer api.SearchResponse, code string) string {
	for _, w := range answer.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	return ""
}

func TestSorts(t *testing.T) {
	ix := open(t,
		apitest.Listing("b-none", func(p *api.ProjectDetail) { p.AddedAt = "2026-03-01" }),
		apitest.Listing("a-none", func(p *api.ProjectDetail) { p.AddedAt = "2026-03-01"; p.CreatedAt = new(api.Date("2020-01-01")) }),
		apitest.Listing("many", func(p *api.ProjectDetail) { p.Stars = new(10); p.UpdatedAt = new(api.Date("2025-01-01")) }),
		apitest.Listing("zero", func(p *api.ProjectDetail) { p.Stars = new(0); p.UpdatedAt = new(api.Date("2026-01-01")) }),
		apitest.Listing("also-ten", func(p *api.ProjectDetail) { p.Stars = new(10); p.AddedAt = "2026-02-01" }),
	)
	for _, test := range []struct {
		sort, applied string
		want          []string
		deprecated    bool
	}{
		{"", api.SortPopular, []string{"also-ten", "many", "zero", "a-none", "b-none"}, false},
		{"popular", api.SortPopular, []string{"also-ten", "many", "zero", "a-none", "b-none"}, false},
		{"trending", api.SortPopular, []string{"also-ten", "many", "zero", "a-none", "b-none"}, true},
		{"relevance", api.SortPopular, []string{"also-ten", "many", "zero", "a-none", "b-none"}, false},
		{"newest", api.SortNewest, []string{"a-none", "b-none", "also-ten", "many", "zero"}, false},
		{"recently-updated", api.SortRecentlyUpdated, []string{"zero", "many", "a-none", "also-ten", "b-none"}, false},
	} {
		answer := search(ix, api.SearchQuery{Sort: test.sort, Limit: 10})
		if got := slugs(answer); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.sort, got, test.want)
		}
		if answer.Sort.Applied != test.applied || answer.Sort.Deprecated != test.deprecated || answer.Sort.Order == "" {
			t.Errorf("%s: %+v", test.sort, answer.Sort)
		}
		if (answer.Sort.Requested == nil) != (test.sort == "") {
			t.Errorf("%s: requested %v", test.sort, answer.Sort.Requested)
		}
	}
}

func TestFiltersAndFacets(t *testing.T) {
	ix := open(t,
		apitest.Listing("one", func(p *api.ProjectDetail) {
			p.License = new("MIT OR Apache-2.0")
			p.Platforms = []string{"linux", "macos"}
			p.Upkeep = new(api.UpkeepActive)
			p.FitNotes = apitest.FitNotes("docker", true, "gpu", "optional", "beginner", false, "selfHosted", true)
		}),
		apitest.Listing("two", func(p *api.ProjectDetail) {
			p.License = new("AGPL-3.0-or-later")
			p.Category = "speech"
			p.AlsoIn = []string{"chat"}
			p.Platforms = []string{"linux"}
			p.Upkeep = new(api.UpkeepDormant)
			p.FitNotes = apitest.FitNotes("docker", false, "gpu", "required", "selfHosted", true)
		}),
		apitest.Listing("three", func(p *api.ProjectDetail) {
			p.License = new("MIT AND BUSL-1.1")
			p.FitNotes = apitest.FitNotes("gpu", "none", "minRamGb", 8.0)
		}),
		apitest.Listing("four", func(p *api.ProjectDetail) { p.License = new("AGPL-3.0-only") }),
	)
	for _, test := range []struct {
		name  string
		query api.SearchQuery
		want  []string
	}{
		{"home category only", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"chat"}}}}, []string{"four", "one", "three"}},
		{"any category", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"chat", "speech"}}}}, []string{"four", "one", "three", "two"}},
		{"platform", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"platform": {"macos"}}}}, []string{"one"}},
		{"leg of an OR", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"apache-2.0"}}}}, []string{"one"}},
		{"never a leg of an AND", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"MIT"}}}}, []string{"one"}},
		{"the whole expression", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"mit and busl-1.1"}}}}, []string{"three"}},
		{"family", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"AGPL-3.0"}}}}, []string{"four", "two"}},
		{"member of a family", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"AGPL-3.0-only"}}}}, []string{"four"}},
		{"docker", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"docker": {"1"}}}}, []string{"one"}},
		{"no docker", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"docker": {"0"}}}}, []string{"two"}},
		{"not for beginners", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"beginner": {"0"}}}}, []string{"one"}},
		{"without a GPU", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"gpu": {"0"}}}}, []string{"one", "three"}},
		{"can use a GPU", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"gpu": {"1"}}}}, []string{"one", "two"}},
		{"upkeep", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"upkeep": {"slow", "active"}}}}, []string{"one"}},
		{"self-hosted", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"selfHosted": {"1"}}}}, []string{"one", "two"}},
		{"at most so much memory", api.SearchQuery{Filters: apitest.Filters("maxRamGb=8")}, []string{"three"}},
		{"several", api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"selfHosted": {"1"}, "gpu": {"0"}, "platform": {"linux"}}}}, []string{"one"}},
	} {
		test.query.Limit = 10
		answer := search(ix, test.query)
		if got := slugs(answer); !slices.Equal(got, test.want) || answer.Total != len(test.want) {
			t.Errorf("%s: got %v (total %d), want %v", test.name, got, answer.Total, test.want)
		}
	}
	facets := search(ix, api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"platform": {"linux"}, "gpu": {"1"}}}, Limit: 10}).Facets
	got, _ := json.Marshal(facets)
	want := `{"beginner":[{"value":"0","count":1}],"category":[{"value":"chat","count":1},{"value":"speech","count":1}],` +
		`"docker":[{"value":"0","count":1},{"value":"1","count":1}],"fit":[],"gpu":[{"value":"1","count":2},{"value":"0","count":1}],` +
		`"license":[{"value":"AGPL-3.0-or-later","count":1},{"value":"Apache-2.0","count":1},{"value":"MIT","count":1}],"openSource":[],` +
		`"platform":[{"value":"linux","count":2},{"value":"macos","count":1}],"selfHosted":[{"value":"1","count":2}],"upkeep":[{"value":"active","count":1},{"value":"dormant","count":1}]}`
	if string(got) != want {
		t.Errorf("facets:\ngot  %s\nwant %s", got, want)
	}
	answer := search(ix, api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"Zlib"}}}, Limit: 10})
	if answer.Total != 0 || !hasWarning(answer, api.WarnUnknownLicense) {
		t.Errorf("unknown licence: total %d, warnings %v", answer.Total, answer.Warnings)
	}
}

// Other spellings of a licence are taken for it, if they can mean no other.
func TestLicenseSpellings(t *testing.T) {
	licensed := func(slug, license string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.License = new(license) })
	}
	ix := open(t, licensed("later", "GPL-3.0-or-later"), licensed("only", "GPL-3.0-only"), licensed("mit", "MIT OR LicenseRef-X"),
		licensed("own", "LicenseRef-Apache-2.0"), licensed("apache", "Apache-2.0"))
	for value, want := range map[string]struct{ slugs, code, message string }{
		"GPL-3.0-or-later":   {slugs: "later"},
		"GPL-3.0+":           {"later", api.WarnLicenseRead, "GPL-3.0+ was read as GPL-3.0-or-later."},
		"GPLv3":              {"later only", api.WarnLicenseRead, "GPLv3 was read as GPL-3.0."},
		"GPL-3.0":            {slugs: "later only"},
		"MIT License":        {"mit", api.WarnLicenseRead, "MIT License was read as MIT."},
		"apache 2":           {"apache", api.WarnLicenseRead, "apache 2 was read as Apache-2.0."},
		"GPL":                {"", api.WarnUnknownLicense, "No listing has the licence GPL. Licences of listings: GPL-3.0-only, GPL-3.0-or-later."},
		"GPL-2.0-only":       {"", api.WarnUnknownLicense, "No listing has the licence GPL-2.0-only. Licences of listings: GPL-3.0-only, GPL-3.0-or-later."},
		"Zlib":               {"", api.WarnUnknownLicense, "No listing has the licence Zlib."},
		"the licence":        {"", api.WarnUnknownLicense, "No listing has the licence the licence."},
		"LicenseRef-Nothing": {"", api.WarnUnknownLicense, "No listing has the licence LicenseRef-Nothing."},
	} {
		answer := search(ix, api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {value}}}, Limit: 10})
		got := slugs(answer)
		slices.Sort(got)
		if strings.Join(got, " ") != want.slugs || want.code == "" != (len(answer.Warnings) == 0) ||
			want.code != "" && warningOf(answer, want.code) != want.message {
			t.Errorf("%s: got %v, warnings %v", value, got, answer.Warnings)
		}
		if echo, _ := json.Marshal(answer.Query); !strings.Contains(string(echo), strconv.Quote(value)) {
			t.Errorf("%s: the echo is %s", value, echo)
		}
	}
}

func TestLimitAndTotal(t *testing.T) {
	var list []api.ProjectDetail
	for i := range 30 {
		list = append(list, apitest.Listing(fmt.Sprintf("p-%02d", i), nil))
	}
	answer := search(open(t, list...), api.SearchQuery{Limit: 7})
	if len(answer.Hits) != 7 || answer.Total != 30 {
		t.Errorf("%d hits of %d", len(answer.Hits), answer.Total)
	}
}

func TestListAndProject(t *testing.T) {
	ix := open(t, apitest.Listing("a", nil), apitest.Listing("b", func(p *api.ProjectDetail) { p.Stars = new(3) }))
	list := listProjects(t, ix, 0, 50)
	if len(list) != 2 || list[0].Slug != "b" {
		t.Errorf("%+v", list)
	}
	for _, r := range [][3]int{{2, 5, 0}, {99, 5, 0}, {-1, 1, 1}, {1, -1, 0}, {1, 9, 1}} {
		if got := len(listProjects(t, ix, r[0], r[1])); got != r[2] {
			t.Errorf("AppendList(%d, %d): %d listings, want %d", r[0], r[1], got, r[2])
		}
	}
	if _, ok := ix.AppendProject(nil, "c"); ok {
		t.Error("found c")
	}
	var keys map[string]any
	body, _ := ix.AppendProject(nil, "a")
	if err := json.Unmarshal(body, &keys); err != nil || len(keys) != 35 {
		t.Errorf("%v: %d keys, want 31 of a project and 4 of its detail: %s", err, len(keys), body)
	}
}

func listProjects(t *testing.T, ix *Engine, offset, limit int) (list []api.Project) {
	t.Helper()
	text := append(ix.AppendList([]byte("["), offset, limit), ']')
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return list
}

// FuzzSearch checks that no free text makes the search panic or return hits out of order.
func FuzzSearch(f *testing.F) {
	ix := open(f,
		apitest.Listing("open-webui", func(p *api.ProjectDetail) {
			p.Name = "Open WebUI"
			p.Jobs = []string{"chat with documents", "transcribe meetings"}
			p.Replaces = []string{"ChatGPT"}
			p.FitNotes.Set("minRamGb", 8.0)
		}),
		apitest.Listing("whisper", func(p *api.ProjectDetail) { p.Purpose = "Does speech to text with an image."; p.Stars = new(5) }),
		apitest.Listing("part", func(p *api.ProjectDetail) { p.Prose = "Transcribes images quickly." }),
	)
	for _, seed := range []string{"open web ui", "stt 8gb no gpu", "don't", "ﬁle ½ ǅ", "chatgpt alternative", "\x00\xff", strings.Repeat("a b ", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if utf8.RuneCountInString(q) > api.MaxQueryLength {
			return // refused before it gets here
		}
		answer := search(ix, api.SearchQuery{Q: q, Limit: 50})
		if answer.Total != len(answer.Hits) {
			t.Errorf("total %d, %d hits", answer.Total, len(answer.Hits))
		}
		partial := false
		for _, h := range answer.Hits {
			if partial && !h.Match.Partial {
				t.Error("a full match after a partial one")
			}
			partial = h.Match.Partial
		}
	})
}

// A hint suggests a filter only if that finds exactly the listings that the hint raises.
func TestSuggestedFilterIsEquivalent(t *testing.T) {
	t.Parallel()
	taxonomy := apitest.Taxonomy()
	taxonomy.Facts = append(taxonomy.Facts, api.Fact{
		Key: "noise", Kind: api.FactChoice, Values: []api.FactOption{{Slug: "low"}, {Slug: "high"}}, Filter: &api.FactFilter{Parameter: "noise"},
		Suggested: map[string][]string{"low": {"silent", "audible"}, "high": {"audible"}},
	})
	ix := openWith(t, taxonomy, apitest.Listings(9)...)
	for q, want := range map[string]string{
		"chat no gpu": "gpu=0", "chat 8 gb ram": "maxRamGb=8", "chat silent": "noise=low", // each by a parameter's value
		"chat low vram": "", "chat 8 gb vram": "", // of two facts, and an option that is no value of the parameter
		"chat audible": "", // of two values
	} {
		var got string
		for _, w := range searchText(ix, q).Warnings {
			if w.Code == api.WarnSuggestFilter {
				got += w.Parameter + "=" + w.Value
				if !strings.HasSuffix(w.Message, " come first; "+got+" shows only these.") {
					t.Errorf("%s: %s", q, w.Message)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	for filters, suggested := range map[string]bool{"gpu=0": false, "gpu=1": true, "noise=low": true} {
		if got := hasWarning(search(ix, api.SearchQuery{Q: "chat no gpu", Filters: apitest.Filters(filters)}), api.WarnSuggestFilter); got != suggested {
			t.Errorf("%s: gpu=0 is suggested: %t", filters, got)
		}
	}
	given := api.SearchQuery{Q: "chat 8 gb ram", Filters: api.Filters{Numbers: map[string]float64{"maxRamGb": 8}}}
	if hasWarning(search(ix, given), api.WarnSuggestFilter) {
		t.Error("a number that is given already is suggested")
	}
}

// A word in any script finds its listing, but not one whose word has other vowels.
func TestWordsOfAnyScript(t *testing.T) {
	ix := open(t,
		apitest.Listing("hindi", func(p *api.ProjectDetail) { p.Aliases = []string{"हिन्दी अनुवाद"} }),
		apitest.Listing("thai", func(p *api.ProjectDetail) { p.Aliases = []string{"ที่นี่"} }),
		apitest.Listing("japanese", func(p *api.ProjectDetail) { p.Aliases = []string{"がか"} }),
		apitest.Listing("arabic", func(p *api.ProjectDetail) { p.Aliases = []string{"العَرَبِيَّة"} }),
	)
	for query, want := range map[string][]string{
		"हिन्दी": {"hindi"}, "हन्द": {}, "ที่นี่": {"thai"}, "がか": {"japanese"}, "かか": {}, "العربية": {"arabic"},
	} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}
