package page

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The form has a field for each key that a suggested listing can have, and its page is there only if the
// setting has a place for the text.
func TestSuggest(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", nil)
	s.Settings.SuggestURL = "https://forge.example/new?name={file}&value={text}"
	files := built(t, s)
	page := files["suggest/index.html"]
	var names []string
	for _, m := range regexp.MustCompile(`<(?:input|select|textarea)[^>]* name="?([A-Za-z.]+)`).FindAllStringSubmatch(page[strings.Index(page, "suggest-form"):], -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	want := []string{"name", "purpose", "category", "repositoryUrl", "homepageUrl", "license", "jobs", "platforms", "text",
		"fitNotes.gpu", "fitNotes.docker", "fitNotes.beginner", "fitNotes.languages", "fitNotes.caveats"}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("the form has no field %s: %q", name, names)
		}
	}
	if !strings.Contains(html.UnescapeString(page), s.Settings.SuggestURL) {
		t.Errorf("the page does not have the address %s", s.Settings.SuggestURL)
	}
	if !strings.Contains(html.UnescapeString(page), `"https://forge.example/new?name=&value="`) {
		t.Error("without scripts, the page leads nowhere")
	}
	if !strings.Contains(files["index.html"], `href="/suggest/"`) && !strings.Contains(files["index.html"], "href=/suggest/") {
		t.Error("the home page does not lead to the form")
	}

	s.Settings.SuggestURL = "https://forge.example/new?title={title}"
	if files := built(t, s); files["suggest/index.html"] != "" || strings.Contains(files["index.html"], "/suggest/") {
		t.Error("there is a form for an address without a place for its text")
	}
}
