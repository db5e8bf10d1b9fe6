package page

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/render"
)

// questioned is a site whose listings answer the questions.
func questioned(t *testing.T) *render.Site {
	s := smallSite(t)
	tax := &s.Content.Taxonomy
	tax.Categories = append(tax.Categories, api.Category{Slug: "voice", Name: "Voice", Group: "Text"},
		api.Category{Slug: "empty", Name: "Empty", Group: "Text"}, api.Category{Slug: "maps", Name: "Maps", Group: "Places"})
	for i := range tax.Facts {
		if f := &tax.Facts[i]; f.Key == "docker" {
			f.Matters = map[string]string{"1": "Comes as a container"}
		}
	}
	for slug, category := range map[string]string{"a": "chat", "b": "voice", "c": "maps"} {
		add(s, slug, func(p *api.ProjectDetail) {
			p.Category, p.Platforms = category, []string{"linux"}
			p.FitNotes.Set("docker", slug == "a")
		})
	}
	return s
}

// Each answer is a value of a parameter of the search, so that the form needs no script.
func TestQuestions(t *testing.T) {
	s := questioned(t)
	page := built(t, s)["choose/index.html"]
	parameters := api.SearchParameters(&s.Settings, &s.Content.Taxonomy)
	var given []string
	for _, m := range regexp.MustCompile(`<input type="(?:radio|checkbox)" name="([^"]*)" value(?:="([^"]*)")?`).
		FindAllStringSubmatch(page, -1) {
		name, value := html.UnescapeString(m[1]), html.UnescapeString(m[2])
		given = append(given, name+"="+value)
		q, warnings, errs := api.ParseSearch(url.Values{name: {value}}.Encode(), parameters)
		if len(errs) > 0 || len(warnings) > 0 {
			t.Errorf("%s=%s: %v, %v", name, value, errs, warnings)
		}
		if value != "" && len(q.Filters.Values[name]) == 0 {
			t.Errorf("%s=%s does not filter", name, value)
		}
	}
	want := []string{"category=", "category=chat,voice", "category=chat", "category=voice", "category=maps", "platform=",
		"platform=linux", "docker=1"}
	if !slices.Equal(given, want) {
		t.Errorf("the answers are %q, want %q", given, want)
	}
}

// Pages say how many questions there are, and do not offer a single one.
func TestNumberOfQuestions(t *testing.T) {
	s := questioned(t)
	for _, title := range []string{"Three questions", "Two questions", ""} {
		files := built(t, s)
		page := title != "" && strings.Contains(files["choose/index.html"], "<h1>"+title+"</h1>")
		offered := strings.Contains(files["index.html"], `/choose/">Not sure what to ask? `+title+"</a>") &&
			strings.Contains(files["search/index.html"], ` data-questions="`+title+`"`)
		if page != (title != "") || offered != page || title == "" && (files["choose/index.html"] != "" || strings.Contains(files["index.html"], "/choose/")) {
			t.Errorf("%q: the page is there: %t, and offered: %t", title, page, offered)
		}
		if title == "Two questions" {
			s.Settings.Without = []string{"platforms"}
		}
		for i := range s.Content.Taxonomy.Facts {
			s.Content.Taxonomy.Facts[i].Matters = nil
		}
	}
}

// Where pages do not search, there are no questions.
func TestNoQuestionsWithoutSearch(t *testing.T) {
	s := questioned(t)
	s.Settings.Search = site.SearchNone
	files := built(t, s)
	if files["choose/index.html"] != "" || regexp.MustCompile(`href="[^"]*/choose/`).MatchString(files["index.html"]) {
		t.Error("there are questions that lead nowhere")
	}
}
