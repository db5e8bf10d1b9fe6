package content

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/canonical"
)

// TestFormat checks what is around the front matter; see package canonical for the
// rest.
func TestFormat(t *testing.T) {
	t.Parallel()
	const before = "sources:\n    fitNotes.gpu: b\n    stars: a list # c\nstars: 1\nstarsAsOf: '2026-01-02'\ninstallLinks: [{url: 'https://a.example/', kind: docs, label: Docs}]\nname: \"A\"\ntopics:\n- one\n- two words\nfitNotes: {apiKey: no, gpu: none}\n"
	const after = "name: A\ntopics: [one, two words]\nstars: 7\nstarsAsOf: 2026-01-02\nfitNotes:\n  gpu: none\n  apiKey: \"no\"\ninstallLinks:\n  - {kind: docs, label: Docs, url: https://a.example/}\nsources:\n  stars: C # c\n  fitNotes.gpu: b\n"
	settings := []canonical.Setting{{Path: []string{"stars"}, Value: 7}, {Path: []string{"sources", "stars"}, Value: "C"}}
	for _, around := range [][2]string{
		{"---\n", "---\n## What it does\n\nstars: 1 # not front matter\n"}, {"\ufeff--- \n", "--- \r\n\ufeff\r\xff"}, {"---\n", "---"},
	} {
		for _, newline := range []string{"\n", "\r\n"} {
			lines := strings.NewReplacer("\n", newline)
			got, err := shippedFrontMatter.Format([]byte(around[0]+lines.Replace(before)+around[1]), settings...)
			if err != nil {
				t.Fatal(err)
			}
			if want := around[0] + lines.Replace(after) + around[1]; string(got) != want {
				t.Errorf("got\n%q, want\n%q", got, want)
			}
			if again, err := shippedFrontMatter.Format(got); err != nil || string(again) != string(got) {
				t.Errorf("a second time: %v\n%q", err, again)
			}
		}
	}
	for _, file := range []string{"", "name: A\n", "---\nname: A\n", "---\n---\n", "---\nnme: A\n---\n"} {
		got, err := shippedFrontMatter.Format([]byte(file))
		if wrong := (*canonical.Error)(nil); !errors.As(err, &wrong) || !wrong.Undecoded {
			t.Errorf("%q becomes %q, %v", file, got, err)
		}
	}
}

func TestFormatFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.md")
	if err := os.WriteFile(large, make([]byte, maxListing+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, large} {
		_, _, err := shippedFrontMatter.FormatFile(name)
		if wrong := (*canonical.Error)(nil); !errors.As(err, &wrong) || wrong.Problems[0].Line != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := shippedFrontMatter.FormatFile(filepath.Join(dir, "none.md")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A draft is canonical, with every comment of its template.
func TestDraftIsCanonical(t *testing.T) {
	t.Parallel()
	stars, archived := 7, false
	full := DraftFacts{
		Topics: []string{"go", "two words", "a, b"}, Language: "C++", License: "MIT", Stars: &stars, HomepageURL: "https://a.example/", Archived: &archived,
		UpdatedAt: "2026-01-01", Source: "GitHub API (2026-01-02)",
	}
	for _, facts := range []DraftFacts{{}, full} {
		for _, name := range awkwardNames {
			facts.Name, facts.RepositoryURL, facts.Today = name, "https://code.example.org/x", today
			draft, err := shippedFrontMatter.NewDraft("../../content", facts)
			if err != nil {
				t.Fatal(err)
			}
			if formatted, err := shippedFrontMatter.Format(draft.Text); err != nil || string(formatted) != string(draft.Text) {
				t.Errorf("%q: fmt would change the draft: %v\n%s\n%s", name, err, draft.Text, formatted)
			}
			for line := range strings.Lines(draftText) {
				_, comment, found := strings.Cut(strings.TrimSpace(line), " # ")
				if found && !strings.Contains(comment, "{{") && !strings.Contains(string(draft.Text), " # "+comment+"\n") {
					t.Errorf("%q: the comment %q is lost:\n%s", name, comment, draft.Text)
				}
			}
		}
	}
}

// FuzzFormatSets sets a value in any front matter: it is then there, all else is as
// before, and setting it again changes nothing.
func FuzzFormatSets(f *testing.F) {
	f.Add("name: A\nstars: 1 # c\nsources:\n  license: B\n", uint8(0))
	f.Add("{name: A, sources: {}}\n", uint8(1))
	f.Add("sources:\n  stars: >- # c\n    d\n  # e\n", uint8(1))
	f.Add("? license\n: 'x''y'\n\n# z\n", uint8(2))
	f.Add("license: \"a\\\n  b\"\r\nsources: # {}\r\n", uint8(2))
	choices := []struct {
		setting canonical.Setting
		apply   func(*api.ProjectDetail)
	}{
		{canonical.Setting{Path: []string{"stars"}, Value: 987654}, func(f *api.ProjectDetail) { stars := 987654; f.Stars = &stars }},
		{canonical.Setting{Path: []string{"sources", "stars"}, Value: "yes"}, func(f *api.ProjectDetail) {
			if f.Sources == nil {
				f.Sources = map[string]string{}
			}
			f.Sources["stars"] = "yes"
		}},
		{canonical.Setting{Path: []string{"license"}, Value: "1.0"}, func(f *api.ProjectDetail) { license := "1.0"; f.License = &license }},
		{canonical.Setting{Path: []string{"archived"}, Value: true}, func(f *api.ProjectDetail) { archived := true; f.Archived = &archived }},
	}
	f.Fuzz(func(t *testing.T, front string, choice uint8) {
		c := choices[int(choice)%len(choices)]
		file := []byte("---\n" + front + "\n---\nbody")
		got, err := shippedFrontMatter.Format(file, c.setting)
		if err != nil {
			return
		}
		want := decoded(t, file)
		c.apply(want)
		if have := decoded(t, got); !reflect.DeepEqual(have, want) {
			t.Errorf("%q\nbecomes\n%q\n%+v, want\n%+v", file, got, have, want)
		}
		if again, err := shippedFrontMatter.Format(got, c.setting); err != nil || !slices.Equal(again, got) {
			t.Errorf("once\n%q, twice\n%q: %v", got, again, err)
		}
	})
}

// decoded returns the front matter of a file.
func decoded(t *testing.T, file []byte) *api.ProjectDetail {
	t.Helper()
	var f api.ProjectDetail
	_, _, wrong := decodeFrontMatter("", bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), nil, &f)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return &f
}
