package indexfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search"
	"catalog.example/api/site"
)

// listings is how many the index of the tests has.
const listings = 300

// kinds are limits by which an index of the tests is read, or mapped.
var kinds = map[string]limits{"read": defaultLimits, "mapped": {}}

// indexBytes returns an index file.
func indexBytes(t *testing.T) []byte {
	t.Helper()
	c := search.Catalog{Settings: site.Defaults(), Taxonomy: api.Taxonomy{Categories: []api.Category{{Slug: "chat", Name: "Chat"}}, Facts: apitest.Facts()}}
	for i := range listings {
		slug := fmt.Sprintf("chat-%d", i)
		c.Projects = append(c.Projects, api.ProjectDetail{Project: api.Project{
			Slug: slug, Name: slug, Purpose: "Chats with you about images.", Category: "chat", FitNotes: apitest.FitNotes(), AddedAt: "2026-01-01",
		}})
	}
	file, err := search.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// write puts an index file into a build output folder.
func write(t *testing.T, public string, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(public, filepath.FromSlash(search.FileName))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	public := t.TempDir()
	_, err := Open(public)
	if !errors.Is(err, search.ErrUnusable) || !strings.Contains(err.Error(), "catalog build") || strings.Contains(err.Error(), "\n") {
		t.Errorf("missing: %v", err)
	}
	file := indexBytes(t)
	other := bytes.Clone(file)
	other[8] = 99
	for text, content := range map[string][]byte{
		"not an index": []byte("hello"), "version 99": other, "cut short": file[:len(file)-1], "checksum": append(bytes.Clone(file[:len(file)-1]), 'x'),
	} {
		write(t, public, content)
		if _, err := Open(public); !errors.Is(err, search.ErrUnusable) || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "catalog build") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	path := write(t, public, file)
	if ix, err := Open(public); err != nil || ix.Len() != listings {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(public); !errors.Is(err, search.ErrUnusable) || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: %v", err)
	}
}

// A damaged file is refused, whether it is read or mapped.
func TestDamagedFileIsNoticed(t *testing.T) {
	t.Parallel()
	file := indexBytes(t)
	for i := 0; i < len(file); i += len(file) / 50 {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x20
		path := write(t, t.TempDir(), damaged)
		for name, l := range kinds {
			if _, err := open(path, l); !errors.Is(err, search.ErrUnusable) {
				t.Errorf("%s, byte %d changed: %v", name, i, err)
			}
		}
	}
}

// An open index does not know what becomes of its file: it may be rewritten, cut short in
// place, or deleted.
func TestIndexOutlivesItsFile(t *testing.T) {
	t.Parallel()
	content := indexBytes(t)
	for name, ruin := range map[string]func(path string) error{
		"cut short": func(path string) error { return os.Truncate(path, 10) },
		"emptied":   func(path string) error { return os.Truncate(path, 0) },
		"rewritten": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte{0xff}, len(content)), 0o644) },
		"deleted":   os.Remove,
	} {
		for kind, l := range kinds {
			t.Run(name+" when "+kind, func(t *testing.T) {
				path := write(t, t.TempDir(), content)
				ix, err := open(path, l)
				if err != nil {
					t.Fatal(err)
				}
				if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
					t.Errorf("the private copy has a name: %v", left)
				}
				query := api.SearchQuery{Q: "chat image", Limit: 50}
				before := ix.AppendSearch(nil, query)
				if err := ruin(path); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					runtime.GC() // nothing that is still needed is let go of
					if after := ix.AppendSearch(nil, query); !bytes.Equal(after, before) {
						t.Fatalf("before\n%s\nafter\n%s", before, after)
					}
				}
				if n := bytes.Count(ix.AppendList(nil, 0, listings), []byte(`"slug":`)); n != listings {
					t.Errorf("%d listings", n)
				}
			})
		}
	}
}
