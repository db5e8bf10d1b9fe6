package page

import (
	"strings"
	"testing"

	"catalog.example/generator/content"
)

// No editorial page may have the name of a folder that the build writes.
func TestReservedNames(t *testing.T) {
	s := smallSite(t)
	tasks, err := Tasks(s, func(string, ...[]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, p := range s.Content.Pages {
		own[p.Slug] = true
	}
	for _, task := range tasks {
		for _, name := range task.Names {
			folder, _, isFolder := strings.Cut(name, "/")
			if isFolder && !own[folder] && !strings.HasPrefix(folder, ".") && !content.IsReserved(folder) {
				t.Errorf("%s: a page of the content may have the name %s", name, folder)
			}
		}
	}
}
