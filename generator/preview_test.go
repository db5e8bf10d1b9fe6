package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/content"
)

// newPreview returns a preview of a content folder with the tests' settings.
func newPreview(content string, change func(*site.Settings)) *Preview {
	return NewPreview(PreviewOptions{
		Content: content, Now: func() time.Time { return now },
		Settings: func() (site.Settings, error) {
			s := settings()
			if change != nil {
				change(&s)
			}
			return s, nil
		},
	})
}

func draftOf(t *testing.T, p *Preview) *Draft {
	t.Helper()
	d, err := p.Update(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDraftHasTheFilesOfABuild(t *testing.T) {
	out, report := build(t, nil)
	d := draftOf(t, newPreview(small, nil))
	if d.Err != nil {
		t.Fatal(d.Err)
	}
	if got := len(d.Findings) + len(d.Rest()); got != len(report.Findings) {
		t.Errorf("%d findings, a build has %d", got, len(report.Findings))
	}
	for name, want := range readTree(t, out) {
		text, err := d.File(name)
		if name == search.FileName {
			text, err = d.Index()
		}
		if err != nil || string(text) != want {
			t.Errorf("%s: error %v; %s", name, err, difference(string(text), want))
		}
	}
	if _, err := d.File("nothing.html"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if got := d.Source("/projects/amber-chat/"); got != "projects/amber-chat.md" {
		t.Error(got)
	}
}

// A listing with an error keeps its last form without, and a taxonomy with one keeps all.
func TestDraftKeepsTheLastForm(t *testing.T) {
	dir := copyFolder(t, small)
	listing, categories := filepath.Join(dir, "projects/amber-chat.md"), filepath.Join(dir, "taxonomy/categories.yml")
	p := newPreview(dir, nil)
	const page, purpose = "projects/amber-chat/index.html", "purpose: Chats with models"
	shows := func(want string, findings int) {
		t.Helper()
		d := draftOf(t, p)
		text, err := d.File(page)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the page does not show %q: %v", want, err)
		}
		if got := content.CountErrors(d.Findings); got != findings {
			t.Errorf("%d errors, want %d: %v", got, findings, d.Findings)
		}
	}
	shows("Chats with models", 0)
	edit(t, listing, purpose, "purpose: Talks with models")
	shows("Talks with models", 0)
	edit(t, listing, "category: chat", "category: nosuch")
	edit(t, listing, "purpose: Talks", "purpose: Whispers")
	shows("Talks with models", 1)
	edit(t, categories, "name: Chat apps", "nam: Chat apps")
	shows("Talks with models", 2) // the name that is missing is the misspelt key
	edit(t, categories, "nam: Chat apps", "name: Chat apps")
	edit(t, listing, "category: nosuch", "category: chat")
	shows("Whispers with models", 0)
}

func edit(t *testing.T, file, old, with string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, with, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
