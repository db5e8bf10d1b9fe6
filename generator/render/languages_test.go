package render

import (
	"testing"

	"catalog.example/api/site"
)

// A language whose name is not known has that of its tag.
func TestNamesOfLanguages(t *testing.T) {
	list := LanguagesOf(&site.Settings{Lang: "en", Languages: []string{"de", "oc"}})
	for i, want := range []string{"English", "Deutsch", "oc"} {
		if list[i].Name != want {
			t.Errorf("%s has the name %q, want %q", list[i].Tag, list[i].Name, want)
		}
	}
}
