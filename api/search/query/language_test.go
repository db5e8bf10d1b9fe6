package query

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
	"catalog.example/api/site"
)

var english = token.LanguageOf("en")

// openIn returns the index of a catalogue in another language.
func openIn(t *testing.T, lang string, taxonomy api.Taxonomy, projects ...api.ProjectDetail) *Engine {
	t.Helper()
	settings := site.Defaults()
	settings.Lang = lang
	file, err := index.Encode(index.Catalog{Settings: settings, Taxonomy: taxonomy, Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return New(ix)
}

// A catalogue in another language is searched with the stems and function words of that language. Words that are
// filler in English are not, and nothing is translated into English.
func TestLanguages(t *testing.T) {
	purposed := func(slug, purpose string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.Purpose, p.Jobs = purpose, nil })
	}
	taxonomy := apitest.Taxonomy()
	taxonomy.Synonyms = append(taxonomy.Synonyms, []string{"Gewässer", "stehendes Wasser"}, []string{"観察", "見る"})
	taxonomy.Translations = []api.Language{{Code: "de", Name: "German", Words: map[string]string{"kranich": "chat"}}}
	for lang, listings := range map[string][2]api.ProjectDetail{
		"de": {purposed("crane", "Abends kommen Kraniche an den See."), purposed("reed", "Ein Steg durch das Schilf für Kinder.")},
		"ja": {purposed("crane", "夕方に鶴が湖に来る"), purposed("reed", "葦の中の遊歩道で野鳥を観察する")},
	} {
		ix := openIn(t, lang, taxonomy, listings[0], listings[1])
		for query, want := range map[string]map[string][]string{
			"de": {
				"wo kann ich einen Kranich sehen": {"crane*"}, "Kranich": {"crane"}, "am See": {"crane"}, "Kind": {"reed"},
				"für die": {"crane", "reed"}, "Stege im Schilf": {"reed"},
			},
			"ja": {"観察": {"reed"}, "野鳥観察": {"reed*"}, "鶴": {"crane"}, "見る": {"reed"}, "湖に来る": {"crane"}},
		}[lang] {
			answer := searchText(ix, query)
			if got := slugs(answer); !slices.Equal(got, want) {
				t.Errorf("%s: %q finds %v, want %v; %+v", lang, query, got, want, answer.Warnings)
			}
			for _, w := range answer.Warnings {
				if w.Code == api.WarnTranslated {
					t.Errorf("%s: %q was translated: %s", lang, query, w.Message)
				}
			}
		}
	}
}

// Words with a role in English queries have none in other languages: "no" is Portuguese for "in the".
func TestEnglishRoles(t *testing.T) {
	named := func(slug, name, purpose string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.Name, p.Purpose, p.Jobs = name, purpose, nil })
	}
	ix := openIn(t, "pt", apitest.Taxonomy(), named("audacity", "Audacity", "Gravar um podcast."))
	p := ix.parse(&api.SearchQuery{Q: "gravar um podcast no Audacity because replace gravar to podcast"})
	if len(p.excluded) > 0 {
		t.Errorf("the query excludes %q", p.excluded)
	}
	for _, w := range p.words {
		if w.unwanted || w.clause > 0 || w.direction != 0 {
			t.Errorf("a word is read as %+v", w)
		}
	}
}

// A correction is found where the language ends words, and keeps what is written without spaces.
func TestCorrectionsInAnotherLanguage(t *testing.T) {
	bird := apitest.Listing("bird", func(p *api.ProjectDetail) { p.Purpose, p.Jobs = "Un oiseau bleu dans Whisper 野鳥観察", nil })
	for lang, queries := range map[string]map[string]string{
		"fr": {"l'oisaeu bleu": "l oiseau bleu"}, "ja": {"野鳥観察 whispre": "野鳥観察 whisper"},
	} {
		for query, want := range queries {
			answer := searchText(openIn(t, lang, apitest.Taxonomy(), bird), query)
			if got := answer.DidYouMean; got == nil || *got != want {
				t.Errorf("%s: %q is corrected to %v, want %q", lang, query, got, want)
			}
		}
	}
}

// A single character of a script without spaces is found wherever it is in a run. Names are found, too.
func TestSingleCharacters(t *testing.T) {
	var projects []api.ProjectDetail
	for slug, purpose := range map[string]string{"last": "公園の鶴", "first": "鶴が来る", "alone": "鶴 来る", "none": "公園が来る"} {
		projects = append(projects, apitest.Listing(slug, func(p *api.ProjectDetail) { p.Purpose, p.Jobs = purpose, nil }))
	}
	projects[0].Replaces = []string{"東京タワー"}
	taxonomy := apitest.Taxonomy()
	taxonomy.Products = append(taxonomy.Products, api.Product{Slug: "tower", Name: "東京タワー"})
	ix := openIn(t, "ja", taxonomy, projects...)
	for query, want := range map[string]string{"鶴": "alone first last", "鶴 公園": "last alone* first* none*", "東京タワー": projects[0].Slug} {
		answer := searchText(ix, query)
		got := slugs(answer)
		slices.Sort(got[min(1, len(got)):])
		if query == "鶴" {
			slices.Sort(got)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s finds %v, want %s", query, got, want)
		}
		if query == "東京タワー" && (len(answer.Products) != 1 || answer.Products[0].Alternatives != 1) {
			t.Errorf("it names %v", answer.Products)
		}
	}
}

// Where nothing is found, advice names the language of the listings, unless the words seem to be in it.
func TestNothingFoundInAnotherLanguage(t *testing.T) {
	listing := apitest.Listing("a", func(*api.ProjectDetail) {})
	for _, test := range []struct{ lang, query, language string }{
		{"en", "xyzzyx", "English"}, {"en", "décor", "English"}, {"en", "giraffe", ""}, {"en", "who has fed my giraffe", ""},
		{"de", "xyzzyx", "German"}, {"de", "where is in Xyzzyx", "German"}, {"de", "wo ist Xyzzyx", ""},
		{"pl", "xyzzyx", "the language with the code pl"},
	} {
		want := api.Warning{Code: api.WarnNothingFound, Parameter: "q", Message: "No listing matches. Try fewer, more general words."}
		if test.language != "" {
			want.Message = "No listing matches. Listings are in " + test.language + ": try fewer, more general words in it."
			want.Value = test.lang
		}
		answer := searchText(openIn(t, test.lang, apitest.Taxonomy(), listing), test.query)
		if n := len(answer.Warnings); n == 0 || answer.Warnings[n-1] != want {
			t.Errorf("%s: %q has the warnings %+v, want %+v", test.lang, test.query, answer.Warnings, want)
		}
	}
}

// Warnings fit what listings are: tools do something, and other things are wanted.
func TestWarningsOfOtherSubjects(t *testing.T) {
	settings := site.Defaults()
	settings.Without = site.OptionalFields()
	named := func(slug, purpose string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) { p.Purpose, p.Jobs = purpose, nil })
	}
	file, err := index.Encode(index.Catalog{Settings: settings, Taxonomy: apitest.Taxonomy(),
		Projects: []api.ProjectDetail{named("a", "Counts loaves of bread."), named("b", "Paints letters."), named("c", "Sings.")}})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"count lettres loaves":       "No listing seems to be what is wanted; the nearest follow.",
		"bread instead of Monopolix": `No listing mentions "monopolix": describe what you want.`,
	} {
		answer := searchText(New(ix), query)
		if !slices.ContainsFunc(answer.Warnings, func(w api.Warning) bool { return w.Message == want }) {
			t.Errorf("%q has the warnings %+v, want %q", query, answer.Warnings, want)
		}
	}
}

// Listings are found by the labels of their choices, unless a label names what is missing, or the fact says no.
func TestLabelsOfChoices(t *testing.T) {
	no := false
	options := []api.FactOption{{Slug: "both", Label: "dice and cards"}, {Slug: "none", Label: "no luck"}}
	taxonomy := apitest.Taxonomy()
	taxonomy.Facts = []api.Fact{
		{Key: "luck", Kind: api.FactChoice, Label: "Luck", Values: options},
		{Key: "style", Kind: api.FactChoices, Label: "Style", Values: []api.FactOption{{Slug: "coop", Label: "Co-operative"}, {Slug: "solo", Label: "Alone"}}},
		{Key: "price", Kind: api.FactChoice, Label: "Price", Values: []api.FactOption{{Slug: "low", Label: "cheap"}}, Searched: &no},
	}
	game := func(slug, luck string, style ...string) api.ProjectDetail {
		return apitest.Listing(slug, func(p *api.ProjectDetail) {
			p.FitNotes = api.UnknownFacts(taxonomy.Facts)
			p.FitNotes.Set("luck", luck)
			p.FitNotes.Set("style", style)
			p.FitNotes.Set("price", "low")
		})
	}
	ix := openWith(t, taxonomy, game("yatzy", "both", "solo"), game("pandemic", "both", "coop", "solo"), game("go", "none"))
	for query, want := range map[string][]string{
		"dice": {"pandemic", "yatzy"}, "co-operative": {"pandemic"}, "alone with cards": {"pandemic", "yatzy"}, "luck": {}, "cheap": {},
	} {
		answer := searchText(ix, query)
		got := slugs(answer)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
		if len(answer.Hits) > 0 && *answer.Hits[0].Match.Tier != api.TierDescription {
			t.Errorf("%q matches by %s", query, *answer.Hits[0].Match.Tier)
		}
	}
}
