package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/hardware"
)

// purpose returns a change that sets the purpose and stars of a listing.
func purpose(text string, stars int) func(*api.ProjectDetail) {
	return func(p *api.ProjectDetail) { p.Purpose, p.Stars = text, new(stars) }
}

// Within a tier, a better match comes before one with more stars.
func TestGrades(t *testing.T) {
	for _, test := range []struct {
		name, query   string
		better, worse func(*api.ProjectDetail)
	}{
		{"several fields before one", "karaoke",
			func(p *api.ProjectDetail) {
				p.Purpose, p.Jobs = "Makes karaoke.", []string{"sing karaoke"}
			},
			purpose("Makes karaoke.", 900)},
		{"words in one text before words in several", "translate subtitles",
			purpose("Translates subtitles.", 1),
			func(p *api.ProjectDetail) {
				p.Jobs, p.Stars = []string{"translate letters to friends", "write subtitles by hand"}, new(900)
				p.Purpose = ""
			}},
		{"a whole text before part of one", "split songs",
			func(p *api.ProjectDetail) { p.Jobs, p.Purpose, p.Stars = []string{"split songs"}, "", new(1) },
			func(p *api.ProjectDetail) {
				p.Jobs, p.Purpose, p.Stars = []string{"split songs of birds recorded in the forest at dawn"}, "", new(900)
			}},
		{"a word before its synonym", "picture",
			purpose("Paints a picture.", 1),
			purpose("Paints an image.", 900)},
		{"a weak word raises a match", "chart builder automatically",
			func(p *api.ProjectDetail) { p.Purpose, p.Topics = "Is a chart builder.", []string{"automatically"} },
			purpose("Is a chart builder.", 900)},
		{"the words of a hint raise a match", "chat offline",
			purpose("Lets you chat offline.", 1),
			purpose("Lets you chat anyway.", 900)},
		{"the fact of a hint raises a match", "chat offline",
			func(p *api.ProjectDetail) { p.Purpose = "Lets you chat."; p.FitNotes.Set("worksOffline", true) },
			purpose("Lets you chat.", 900)},
	} {
		got := slugs(searchText(open(t, apitest.Listing("xx-better", test.better), apitest.Listing("xx-worse", test.worse)), test.query))
		if !slices.Equal(got, []string{"xx-better", "xx-worse"}) {
			t.Errorf("%s: %q finds %v", test.name, test.query, got)
		}
	}
}

// A listing that has the words of a longer query by accident follows one that lacks a word and does the job, and is
// no partial match for that. If enough listings match well, it comes behind them, and no partial match is sought.
func TestAccidentalMatches(t *testing.T) {
	listings := []api.ProjectDetail{
		apitest.Listing("accident", func(p *api.ProjectDetail) {
			p.Purpose, p.Stars = "Writes letters.", new(900)
			p.Prose = "Was made on a ranch by drummers whose friends once sent sheep there, which graze behind a barn, and nobody counted them."
		}),
		apitest.Listing("lacks", func(p *api.ProjectDetail) {
			p.Purpose, p.Jobs = "Counts the sheep on a ranch.", []string{"count sheep"}
		}),
	}
	const query = "something that counts the sheep near my barn on the ranch"
	want := func(listings []api.ProjectDetail, want ...string) {
		t.Helper()
		ix := open(t, listings...)
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
		if got := slugs(search(ix, api.SearchQuery{Q: query, Sort: api.SortPopular, Limit: 50})); got[0] != "accident" {
			t.Errorf("by stars, %q finds %v", query, got)
		}
	}
	want(listings, "lacks*", "accident")
	for i := range enoughMatches {
		listings = append(listings, apitest.Listing(fmt.Sprintf("good-%d", i), func(p *api.ProjectDetail) {
			p.Purpose, p.Jobs = "Counts the sheep near a barn on a ranch.", []string{"count sheep near the barn on a ranch"}
		}))
	}
	want(listings, "good-0", "good-1", "good-2", "accident")
}

// If several full matches are of one category, the others of it come before equal matches of another.
func TestCategoryOfFullMatches(t *testing.T) {
	in := func(slug, category, purpose string, stars int) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.Category, p.Purpose, p.Stars = category, purpose, new(stars) })
	}
	ix := open(t,
		in("first", "speech", "Dubs films.", 1), in("second", "speech", "Dubs films.", 1),
		in("third", "speech", "Dubs films and writes letters to all of your friends.", 1),
		in("other", "chat", "Dubs films and writes letters to all of your friends.", 900),
	)
	if got := slugs(searchText(ix, "dub films")); !slices.Equal(got, []string{"first", "second", "third", "other"}) {
		t.Errorf("got %v", got)
	}
}

// A synonym of a name does not match as a name. Nor does part of a name in a query of
// general words and hints.
func TestNameMatches(t *testing.T) {
	ix := open(t,
		apitest.Listing("image-box", func(p *api.ProjectDetail) { p.Name = "Image Box" }),
		apitest.Listing("chat-box", func(p *api.ProjectDetail) { p.Name = "Chatter Box"; p.Aliases = []string{"assistant box"} }),
		apitest.Listing("assistant", func(p *api.ProjectDetail) { p.Name = "Assistant" }),
		apitest.Listing("helper", func(p *api.ProjectDetail) { p.Purpose = "An assistant that helps."; p.Platforms = []string{"windows"} }),
	)
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"image", []string{"image-box name"}},
		{"picture", []string{"image-box description"}},
		{"assistant", []string{"assistant exact-name", "chat-box name", "helper purpose"}},
		{"assistant on windows", []string{"assistant name", "helper purpose"}},
		{"assistant box on windows", []string{"chat-box name"}},
	} {
		var got []string
		for _, h := range searchText(ix, test.query).Hits {
			if !h.Match.Partial {
				got = append(got, h.Slug+" "+*h.Match.Tier)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.query, got, test.want)
		}
	}
}

// A licence or a programming language in a query matches as a fact or as a word.
func TestFactsMatchWords(t *testing.T) {
	ix := open(t,
		apitest.Listing("fact", func(p *api.ProjectDetail) { p.Purpose = "A terminal chat."; p.Language = new("Rust") }),
		apitest.Listing("told", func(p *api.ProjectDetail) { p.Purpose = "A terminal chat in Rust." }),
		apitest.Listing("other", func(p *api.ProjectDetail) {
			p.Purpose = "A terminal chat."
			p.Language, p.License = new("Go"), new("Apache-2.0")
		}),
	)
	for query, want := range map[string][]string{
		"terminal chat rust":           {"told", "fact", "other*"},
		"terminal chat apache licence": {"other", "told*", "fact*"},
		"terminal chat in golang":      {"other", "fact*", "told*"},
	} {
		got := slugs(searchText(ix, query))
		slices.Sort(got[1:])
		slices.Sort(want[1:])
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// A query of hints only orders listings by how many of them they have.
func TestHintsOnly(t *testing.T) {
	ix := open(t,
		apitest.Listing("none", func(p *api.ProjectDetail) { p.Stars = new(900); p.FitNotes.Set("gpu", "required") }),
		apitest.Listing("one", func(p *api.ProjectDetail) { p.Stars = new(90); p.FitNotes.Set("gpu", "optional") }),
		apitest.Listing("both", func(p *api.ProjectDetail) {
			p.FitNotes = apitest.FitNotes("gpu", "none", "minRamGb", 2.0)
		}),
		apitest.Listing("both-stars", func(p *api.ProjectDetail) {
			p.Stars, p.FitNotes = new(9), apitest.FitNotes("gpu", "none", "minRamGb", 4.0)
		}),
		apitest.Listing("named", func(p *api.ProjectDetail) { p.Name = "Gpu Ram" }),
	)
	for query, want := range map[string][]string{
		"runs without gpu 4gb ram": {"both-stars", "both", "one*"},
		"no gpu":                   {"one", "both-stars", "both"},
		"gpu less":                 {"one", "both-stars", "both"},
	} {
		answer := searchText(ix, query)
		got := slices.DeleteFunc(slugs(answer), func(slug string) bool { return slug == "named" })
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
		if answer.Query["q"] == nil || answer.Sort.Applied != api.SortRelevance {
			t.Errorf("%q is not searched for", query)
		}
	}
}

// A query finds nothing if listings match only a small part of it.
func TestWeakMatchesAreOmitted(t *testing.T) {
	var list []api.ProjectDetail
	for _, words := range []string{"chart size", "size of a dress rehearsal", "number of pages", "layer of paint"} {
		list = append(list, apitest.Listing(strings.ReplaceAll(words, " ", "-"), func(p *api.ProjectDetail) {
			p.Name, p.Prose = "Some", "It has a "+words+"."
		}))
	}
	ix := open(t, list...)
	for _, query := range []string{"wedding gown size chart", "plumber at night", "divorce lawyer fees"} {
		if got := slugs(searchText(ix, query)); len(got) > 0 {
			t.Errorf("%q finds %v", query, got)
		}
	}
	if got := slugs(searchText(ix, "chart size")); len(got) == 0 {
		t.Error("known words find nothing")
	}
}

// A corrected word has synonyms too. Weak words are not corrections.
func TestCorrections(t *testing.T) {
	ix := open(t,
		apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Paints a picture." }),
		apitest.Listing("b", func(p *api.ProjectDetail) { p.Purpose = "Paints an image." }),
		apitest.Listing("c", func(p *api.ProjectDetail) { p.Purpose = "It shows what it knows." }),
	)
	for query, want := range map[string][]string{"pictrue": {"a", "b"}, "shoes": {}} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// Synonym phrases match in any order of their stems. A phrase of one word and function
// words is not a synonym.
func TestSynonymPhrases(t *testing.T) {
	if a, b := phraseKey(english.Stems([]string{"editing", "images"})), phraseKey(english.Stems([]string{"image", "edit"})); a != b {
		t.Errorf("%q and %q differ", a, b)
	}
	ix := open(t, apitest.Listing("who", func(p *api.ProjectDetail) { p.Purpose = "Does diarization." }))
	for query, found := range map[string]bool{"speaker labels": true, "label speakers": true, "spoke": false} {
		if got := len(searchText(ix, query).Hits) > 0; got != found {
			t.Errorf("%q is found: %t", query, got)
		}
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		query string
		want  string // words; weak ones in brackets, those of hints in braces
		hints int
	}{
		{"how can I summarise meetings", "summarise meetings", 0},
		{"what can I use to run a chatbot quickly", "[run] chatbot [quickly]", 0},
		{"is there something that lets me clone a voice", "[clone] voice", 0},
		{"run fast", "run fast", 0},
		{"ocr without python", "ocr [python]", 0},
		{"editor without a subscription", "editor [subscription]", 0},
		{"editor, no subscription", "editor [no] [subscription]", 0},
		{"editor but not another subscription", "editor [not] [another] subscription", 0},
		{"editor that does not spy", "editor [not] spy", 0},
		{"editor that doesn't spy", "editor spy", 0},
		{"editor that doesn't need python", "editor [python]", 0},
		{"scraper except python", "scraper [except] [python]", 0},
		{"not python", "[not] python", 0},
		{"no-code scraper", "[no] code scraper", 0},
		{"image generation on cpu only", "image generation {cpu}", 1},
		{"chat 8gb ram old laptop", "chat {8gb} {ram} {laptop}", 2},
		{"llm with a 4gb graphics card", "llm {4gb} {graphics} {card}", 1},
		{"llm low vram", "llm {vram}", 1},
		{"chatbot on my own computer", "chatbot {own} {computer}", 1},
		{"translate for android phone", "translate android phone", 0},
		{"chat app for my m1 mac", "chat m1 mac", 0},
		{"gateway in go", "gateway go", 0},
		{"editor mit licensed", "editor mit licensed", 0},
	} {
		q := open(t).vocabulary.parse(test.query, &hardware.Machine{}, nil)
		var got []string
		for _, w := range q.words {
			got = append(got, []string{w.text, "[" + w.text + "]", "{" + w.text + "}"}[w.role])
		}
		if text := strings.Join(got, " "); text != test.want || len(q.hints) != test.hints {
			t.Errorf("%q: got %s and %d hints, want %s and %d", test.query, text, len(q.hints), test.want, test.hints)
		}
	}
}

// Adjacent words in query order are nearest, then those with words between them or in
// reverse order. Words farther apart are not near.
func TestNearness(t *testing.T) {
	type place struct{ position, length, from, to int }
	word := func(w, position int) place { return place{position, 1, w, w + 1} }
	for _, test := range []struct {
		name   string
		places []place
		want   float64
	}{
		{"adjacent", []place{word(0, 4), word(1, 5)}, 1},
		{"one between", []place{word(0, 4), word(1, 6)}, 0.5},
		{"reverse order", []place{word(1, 4), word(0, 5)}, 0.5},
		{"three between", []place{word(0, 4), word(1, 8)}, 0.25},
		{"four between", []place{word(0, 4), word(1, 9)}, 0},
		{"the nearest of several", []place{word(0, 0), word(0, 4), word(1, 5)}, 1},
		{"one phrase for both", []place{{3, 1, 0, 2}}, 1},
		{"one is missing", []place{word(0, 4)}, 0},
		{"at the beginning", []place{word(0, 0), word(1, 1)}, 1},
	} {
		var scan textScan
		for _, p := range test.places {
			scan.add(&expansion{from: p.from, to: p.to, quality: 1}, p.position, p.length)
		}
		if got := scan[1].near; got != test.want {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}

// An arrangement is better with more words, nearer words and no other words.
func TestArrangement(t *testing.T) {
	f := &found{lookups: []lookup{{rarity: 2}, {rarity: 2}}, weight: 4}
	arrangement := func(share float64, positions ...int) float64 {
		var scan textScan
		for i, position := range positions {
			scan.add(&expansion{from: i, to: i + 1, quality: 1}, position, 1)
		}
		return f.arrangement(&scan, share)
	}
	for _, test := range []struct {
		name          string
		better, worse float64
	}{
		{"near before apart", arrangement(0.2, 0, 1), arrangement(0.2, 0, 9)},
		{"whole before a part", arrangement(1, 0, 1), arrangement(0.2, 0, 1)},
		{"both before one", arrangement(0.2, 0, 9), arrangement(0.1, 0)},
		{"at most 1", 1.0000001, arrangement(1, 0, 1)},
	} {
		if test.better <= test.worse {
			t.Errorf("%s: %g, not more than %g", test.name, test.better, test.worse)
		}
	}
}

// A listing whose name is filler is found by it, and other queries pass over the filler.
func TestNameOfFiller(t *testing.T) {
	ix := open(t,
		apitest.Listing("open", func(p *api.ProjectDetail) { p.Name = "Open Source" }),
		apitest.Listing("best", func(p *api.ProjectDetail) { p.Name = "The Best" }),
		apitest.Listing("draw", func(p *api.ProjectDetail) { p.Purpose = "Draws a picture." }),
	)
	for query, want := range map[string]string{"open source": "open", "Open-Source": "open", "the best": "best", "best open source tool to draw a picture": "draw"} {
		answer := searchText(ix, query)
		if got := slugs(answer); len(got) == 0 || got[0] != want || want != "draw" && (answer.Hits[0].Match.Tier == nil || *answer.Hits[0].Match.Tier != api.TierExactName) {
			t.Errorf("%q: got %v, want %s first", query, got, want)
		}
	}
}
