package generator

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/site"
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
