package query

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
)

func TestTranslate(t *testing.T) {
	list := openWith(t, apitest.Taxonomy()).translations
	known := func(word string) bool {
		return strings.Contains(" for image brief mit whisper the translate ", " "+word+" ")
	}
	for text, want := range map[string]string{
		"": "", "image": "", "translate the image": "", "qwertz": "", "für die": "", "brief": "", "the brief for whisper": "",
		"Bilder":                            "",
		"Bilde übersetzen":                  "German: image translate",
		"ich möchte Bilds Übersetzen":       "German: image translate",
		"Ubersetze den Brief":               "German: translate den letter",
		"zeichnen, ohne Grafikkarte, 16 GB": "German: draw, no gpu, 16 gb",
		"brief vertalen":                    "Dutch: letter translate",
		"我想翻译图片":                            "Chinese: translate image",
		"whisper翻译信":                        "Chinese: whisper translate letters",
		"未知":                                "",
		"zeichnen rtx":                      "",
		"l'brief zeichnen":                  "German: l letter draw",
		"Zeichnen für grösse":               "German: draw grosse", // filler goes
		"bríef":                             "German: letter",      // with an accent it is not English
		"bríef for whisper":                 "",                    // but the rest is
	} {
		got, ok := translate(list, text, known, func(words []string, i int) bool {
			return text == "zeichnen rtx" && words[i] == "zeichnen"
		})
		if answer := ""; ok {
			if answer = got.Name + ": " + got.text; answer != want {
				t.Errorf("%q: %q, want %q", text, answer, want)
			}
		} else if want != "" {
			t.Errorf("%q is not translated, want %q", text, want)
		}
		if isEnglish(text, known) && want != "" {
			t.Errorf("%q seems to be English", text)
		}
	}
	if !isEnglish("translate the image", known) {
		t.Error("English does not seem to be English")
	}
}

// A query in another language finds what the English one finds, with filters that its words mean, and
// says how it was read. Its words are not corrected.
func TestOtherLanguages(t *testing.T) {
	ix := open(t,
		apitest.Listing("letters", func(p *api.ProjectDetail) { p.Purpose = "Translates letters." }),
		apitest.Listing("images", func(p *api.ProjectDetail) { p.Purpose = "Translates text in an image." }),
		apitest.Listing("brief", func(p *api.ProjectDetail) { p.Name, p.Purpose = "Bildübersetzen", "Makes tea." }),
	)
	answer := searchText(ix, "Bilde übersetzen")
	if got := slugs(answer); len(got) == 0 || got[0] != "images" || !hasWarning(answer, api.WarnTranslated) || answer.DidYouMean != nil {
		t.Errorf("got %v, %v, did you mean %v", got, answer.Warnings, answer.DidYouMean)
	}
	if answer.Query["q"] != "Bilde übersetzen" {
		t.Errorf("the answer echoes %v", answer.Query["q"])
	}
	if answer := searchText(ix, "bildübersetzen"); len(answer.Hits) != 1 || hasWarning(answer, api.WarnTranslated) {
		t.Errorf("a name: got %v, %v", slugs(answer), answer.Warnings)
	}
	// If most words are English, the others may be misspelt.
	mixed := searchText(ix, "translates text in an imaeg übersetzen")
	if mixed.DidYouMean == nil || !strings.Contains(*mixed.DidYouMean, " image ") || !hasWarning(mixed, api.WarnTranslated) {
		t.Errorf("mixed: %v, did you mean %v", mixed.Warnings, mixed.DidYouMean)
	}
	if answer := searchText(ix, "translate letters"); hasWarning(answer, api.WarnTranslated) {
		t.Errorf("English: %v", answer.Warnings)
	}
}

// With the parameter lang, words that English has, too, are read as words of that language.
func TestLang(t *testing.T) {
	ix := open(t,
		apitest.Listing("letters", func(p *api.ProjectDetail) { p.Purpose = "Writes a letter." }),
		apitest.Listing("short", func(p *api.ProjectDetail) { p.Purpose = "Gives a brief." }),
	)
	for lang, want := range map[string]string{"": "short", "en": "short", "de": "letters", "nl": "letters", "zh": "short"} {
		answer := search(ix, api.SearchQuery{Q: "brief", Lang: lang, Limit: 1})
		if got := slugs(answer); !slices.Equal(got, []string{want}) ||
			hasWarning(answer, api.WarnTranslated) != (want == "letters") {
			t.Errorf("lang=%s: got %v, warnings %v", lang, got, answer.Warnings)
		}
	}
}

// A word with which the name of a device begins is only left as it is where the device is named.
func TestTranslateBesideDevices(t *testing.T) {
	taxonomy := apitest.ComputerTaxonomy()
	taxonomy.Translations = []api.Language{{Code: "xx", Name: "X", Words: map[string]string{"raspberry": "my", "carta": "letter"}}}
	ix := openWith(t, taxonomy, apitest.Listing("letters", nil))
	for query, want := range map[string]string{"raspberry carta": "my letter", "raspberry pi 5 carta": "raspberry pi 5 letter"} {
		message := warningOf(searchText(ix, query), api.WarnTranslated)
		if want := strconv.Quote(query) + " was read as " + strconv.Quote(want) + " (X)."; message != want {
			t.Errorf("%q: got %q, want %q", query, message, want)
		}
	}
}
