package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
)

// Words of a query of more than two that are in several texts are a partial match.
func TestCloseMatches(t *testing.T) {
	ix := open(t,
		apitest.Listing("near", func(p *api.ProjectDetail) { p.Prose = "It can translate subtitles." }),
		apitest.Listing("apart", func(p *api.ProjectDetail) {
			p.Purpose, p.Jobs, p.Stars = "Translates letters.", []string{"write subtitles"}, new(900)
		}),
		apitest.Listing("long", func(p *api.ProjectDetail) {
			p.Purpose = "Translates letters."
			p.Prose = "It writes subtitles. It likes birds."
		}),
	)
	if got := slugs(searchText(ix, "translate subtitles")); !slices.Equal(got, []string{"apart", "near", "long"}) {
		t.Errorf("two words: got %v", got)
	}
	answer := searchText(ix, "translate subtitles birds")
	if got := slugs(answer); len(got) == 0 || got[0] != "long*" {
		t.Errorf("three words: got %v", got)
	}
	if missing := answer.Hits[0].Match.Missing; len(missing) > 0 {
		t.Errorf("three words: the first lacks %v", missing)
	}
}

// "Text to speech" is never "speech to text".
func TestDirectedPhrases(t *testing.T) {
	taxonomy := apitest.Taxonomy()
	taxonomy.Synonyms = [][]string{{"text to speech", "tts", "read aloud"}, {"speech to text", "stt", "transcription"}}
	ix := openWith(t, taxonomy,
		apitest.Listing("reader", func(p *api.ProjectDetail) { p.Purpose = "Does text to speech." }),
		apitest.Listing("aloud", func(p *api.ProjectDetail) { p.Purpose = "Can read aloud." }),
		apitest.Listing("writer", func(p *api.ProjectDetail) { p.Purpose = "Does speech to text." }),
		apitest.Listing("mixed", func(p *api.ProjectDetail) { p.Purpose = "Speech of birds, and text of songs." }),
	)
	for query, want := range map[string][]string{
		"text to speech":     {"reader", "aloud"},
		"speech from a text": {"reader", "aloud"},
		"speech to text":     {"writer"},
		"text from speech":   {"writer"},
		"tts":                {"aloud", "reader"},
		"transcription":      {"writer"},
	} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// A platform is a requirement that facts or texts meet. What is named by the rest of the
// query keeps its tier.
func TestRequirements(t *testing.T) {
	paints := func(change func(*api.ProjectDetail)) func(*api.ProjectDetail) {
		return func(p *api.ProjectDetail) {
			p.Purpose, p.Platforms = "Paints an image.", []string{"linux"}
			if change != nil {
				change(p)
			}
		}
	}
	ix := open(t,
		apitest.Listing("other", paints(func(p *api.ProjectDetail) { p.Stars = new(900) })),
		apitest.Listing("fact", paints(func(p *api.ProjectDetail) { p.Platforms = []string{"macos"} })),
		apitest.Listing("told", paints(func(p *api.ProjectDetail) { p.Jobs = []string{"paint an image on a mac"} })),
		apitest.Listing("brush", paints(func(p *api.ProjectDetail) { p.Name, p.Aliases = "Brush", []string{"Old Brush"} })),
	)
	answer := searchText(ix, "image for my mac")
	if got := slugs(answer); !slices.Equal(got[:2], []string{"told", "fact"}) || !slices.Contains(got, "other*") || len(got) != 4 {
		t.Errorf("got %v", got)
	}
	if missing := answer.Hits[len(answer.Hits)-1].Match.Missing; !slices.Equal(missing, []string{"mac"}) {
		t.Errorf("the last lacks %v", missing)
	}
	for _, query := range []string{"brush mac", "old brush on a mac"} {
		first := searchText(ix, query).Hits[0]
		if first.Slug != "brush" || *first.Match.Tier != "name" || first.Match.Partial {
			t.Errorf("%q: the first is %s of tier %s, partial %t", query, first.Slug, *first.Match.Tier, first.Match.Partial)
		}
	}
}

// Who names a tool to leave it gets others of its category first. A query of nothing but
// the name looks for it.
func TestLeaving(t *testing.T) {
	ix := open(t,
		apitest.Listing("heavy", func(p *api.ProjectDetail) {
			p.Name, p.Category, p.Purpose, p.Stars = "Heavy", "speech", "Writes simple letters.", new(900)
		}),
		apitest.Listing("light", func(p *api.ProjectDetail) {
			p.Category, p.Purpose = "speech", "Writes simple notes."
		}),
		apitest.Listing("else", func(p *api.ProjectDetail) { p.Purpose = "Writes simple cards." }),
	)
	for query, want := range map[string]string{
		"heavy is too slow, writes simple": "light",
		"simple alternative to heavy":      "light",
		"something simpler than heavy":     "light",
		"heavy instead of light notes":     "heavy",
		"heavy alternative":                "heavy",
		"heavy":                            "heavy",
		"heavy writes simple letters":      "heavy",
	} {
		if got := searchText(ix, query).Hits[0].Slug; got != want {
			t.Errorf("%q: the first is %s, want %s", query, got, want)
		}
	}
}

// A query without technical words lifts what suits beginners.
func TestWhoAsks(t *testing.T) {
	taxonomy := apitest.Taxonomy()
	taxonomy.Words.Technical = []string{"api"}
	taxonomy.Facts = slices.Clone(taxonomy.Facts)
	at := slices.IndexFunc(taxonomy.Facts, func(f api.Fact) bool { return f.Key == "beginner" })
	taxonomy.Facts[at].Everyday = true
	ix := openWith(t, taxonomy,
		apitest.Listing("library", func(p *api.ProjectDetail) {
			p.Purpose, p.Stars = "Splits songs by an API.", new(900)
			p.FitNotes.Set("beginner", false)
		}),
		apitest.Listing("app", func(p *api.ProjectDetail) {
			p.Purpose = "Splits songs by an API."
			p.FitNotes.Set("beginner", true)
		}),
	)
	for query, want := range map[string]string{"split songs": "app", "split songs api": "library"} {
		if got := searchText(ix, query).Hits[0].Slug; got != want {
			t.Errorf("%q: the first is %s, want %s", query, got, want)
		}
	}
}

// Where several listings of a category match in part, its other listings are lifted.
func TestCategoriesLift(t *testing.T) {
	list := []api.ProjectDetail{
		apitest.Listing("lonely", func(p *api.ProjectDetail) { p.Purpose, p.Stars = "Knows birds.", new(900) }),
		apitest.Listing("one-of-them", func(p *api.ProjectDetail) { p.Purpose, p.Category = "Knows birds.", "speech" }),
	}
	for i := range 4 {
		list = append(list, apitest.Listing(fmt.Sprintf("singer-%d", i), func(p *api.ProjectDetail) {
			p.Purpose, p.Category = "Records singing.", "speech"
		}))
	}
	got := slugs(searchText(open(t, list...), "singing birds at dawn"))
	if lonely, other := slices.Index(got, "lonely*"), slices.Index(got, "one-of-them*"); other < 0 || lonely < other {
		t.Errorf("got %v", got)
	}
}

// Common English words and what has digits are not corrected, though no listing has them.
func TestRightWordsAreNotCorrected(t *testing.T) {
	ix := open(t,
		apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Runs a process with 1000 steps." }),
		apitest.Listing("b", func(p *api.ProjectDetail) { p.Purpose = "Paints pictures." }),
	)
	for query, want := range map[string]string{"princess": "", "10000": "", "procses": "process", "paint the pictrues for me": "paint the pictures for me"} {
		answer := searchText(ix, query)
		got := ""
		if answer.DidYouMean != nil {
			got = *answer.DidYouMean
		}
		if got != want {
			t.Errorf("%q: did you mean %q, want %q", query, got, want)
		}
	}
}

// An explanation says where each word was found, and adds up to the quality.
func TestExplain(t *testing.T) {
	ix := open(t,
		apitest.Listing("singer", func(p *api.ProjectDetail) {
			p.Purpose, p.Asks, p.Platforms = "Sings songs.", []string{"a birthday song for gran"}, []string{"linux"}
			p.Prose = "It sings a picture."
		}),
		apitest.Listing("other", func(p *api.ProjectDetail) { p.Category, p.Purpose = "speech", "Sings." }),
	)
	const query = "birthday songs image missing linux"
	e := ix.Explain(api.SearchQuery{Q: query, Limit: 5})
	if hits := searchText(ix, query).Hits; len(e.Hits) != len(hits) || hits[0].Slug != "singer" {
		t.Fatalf("explained are %+v", e.Hits)
	}
	var words []string
	for _, w := range e.Words {
		words = append(words, w.Text+" "+w.Role+" "+w.Fact)
	}
	if got, want := strings.Join(words, "; "), "birthday required ; songs required ; image required ; missing required ; linux required platform=linux"; got != want {
		t.Errorf("words are %q, want %q", got, want)
	}
	h := &e.Hits[0]
	for i, want := range []Evidence{
		{"word", "ask", "birthday song gran", ranking.fields[index.FieldAsk]},
		{"word", "purpose", "sings songs", ranking.fields[index.FieldPurpose]},
		{"synonym", "description", "sings picture", ranking.fields[index.FieldDescription] * ranking.synonym},
		{},
		{"fact", "", "platform=linux", ranking.fact},
	} {
		got := h.Words[i]
		switch {
		case want == Evidence{} && (len(got.Evidence) > 0 || got.Strength != 0):
			t.Errorf("%s is explained by %+v", got.Word, got)
		case want != Evidence{} && (len(got.Evidence) == 0 || got.Evidence[0] != want || got.Strength < want.Strength-1e-9):
			t.Errorf("%s is explained by %+v, want %+v", got.Word, got, want)
		}
	}
	for _, w := range h.Words {
		missing := 1.0 // the probability that the listing is not about the word
		for _, e := range w.Evidence {
			missing *= 1 - e.Strength
		}
		if math.Abs(w.Strength-(1-missing)) > 0.1 {
			t.Errorf("%s has strength %.3f, its evidence adds up to %.3f", w.Word, w.Strength, 1-missing)
		}
	}
	if h.Steps != looseGrading.steps || h.Grade != 0 || h.Category <= 0 || h.Close {
		t.Errorf("the parts of the first are %+v", h)
	}
	if e := ix.Explain(api.SearchQuery{Limit: 5}); len(e.Hits) != 2 || len(e.Hits[0].Words) > 0 {
		t.Errorf("without words: %+v", e)
	}
}

// Without the phrase in any listing, the words of a directed phrase are ordinary words, and
// none of them is corrected.
func TestDirectedPhraseThatNobodyHas(t *testing.T) {
	taxonomy := apitest.Taxonomy()
	taxonomy.Synonyms = [][]string{{"speech to text", "stt"}}
	answer := searchText(openWith(t, taxonomy,
		apitest.Listing("texts", func(p *api.ProjectDetail) { p.Purpose = "Reads texts and knows speech." }),
		apitest.Listing("texy", func(p *api.ProjectDetail) { p.Purpose = "Is texy." }),
	), "speech to text")
	if got := slugs(answer); !slices.Equal(got, []string{"texts"}) || answer.DidYouMean != nil {
		t.Errorf("got %v, did you mean %v", got, answer.DidYouMean)
	}
}

// What a query lacks is named once.
func TestMissingWordsOnce(t *testing.T) {
	ix := open(t, apitest.Listing("a", func(p *api.ProjectDetail) { p.Purpose = "Paints birds." }))
	hits := searchText(ix, "birds zebra zebra paints").Hits
	if len(hits) != 1 || !slices.Equal(hits[0].Match.Missing, []string{"zebra"}) {
		t.Errorf("got %+v", hits)
	}
}

// Words that say who or where the user is need not match, nor does what the user does not want to do.
func TestCircumstances(t *testing.T) {
	ix := open(t, apitest.Listing("letters", func(p *api.ProjectDetail) { p.Purpose = "Translates letters." }))
	for query, want := range map[string]string{
		"translate letters for a school":                         "letters",
		"translate letters on a small server":                    "letters",
		"translate letters of a server":                          "letters*",
		"translate letters of our small office":                  "letters",
		"translate letters in the company of my family":          "letters",
		"translate letters without sending them to my lawyer":    "letters",
		"translate letters for kids":                             "letters",
		"translate my grandmother's letters":                     "letters",
		"translate letters I tell my daughter":                   "letters",
		"translate hundreds of letters that I found":             "letters",
		"translate letters with kids":                            "letters*",
		"translate letters school":                               "letters*",
		"translate letters with my family":                       "letters*",
		"translate letters to our lawyer":                        "letters*",
		"translate letters without typing, for lawyers and such": "letters*", // a new clause
	} {
		if got := slugs(searchText(ix, query)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// Words such as "replace" need not match before the name of a product, and belong to the job before anything else.
func TestReplacingProducts(t *testing.T) {
	ix := open(t, apitest.Listing("talks", func(p *api.ProjectDetail) {
		p.Purpose, p.Replaces = "Talks about faces.", []string{"ChatGPT"}
	}))
	for query, want := range map[string]string{
		"replace chatgpt": "talks", "migrate from chatgpt": "talks", "replace chatgpt, talks": "talks",
		"replace faces": "talks*", "replace": "",
	} {
		if got := strings.Join(slugs(searchText(ix, query)), " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}
