package overrides

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api/site"
)

func TestIsOutdated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own, copied, shipped string // "" is nil
		want                 bool
	}{
		"nothing has changed":           {"a", "a", "a", false},
		"the owner's has changed":       {"b", "a", "a", false},
		"the shipped has changed":       {"a", "a", "b", true},
		"both have changed":             {"b", "a", "c", true},
		"both have changed to the same": {"b", "a", "b", false},
		"copied by hand":                {"b", "", "a", false},
		"the shipped is gone":           {"b", "a", "", true},
	} {
		text := func(s string) []byte {
			if s == "" {
				return nil
			}
			return []byte(s)
		}
		f := File{Own: text(c.own), Copied: text(c.copied), Shipped: text(c.shipped)}
		if got := f.IsOutdated(); got != c.want {
			t.Errorf("%s: outdated: %v", name, got)
		}
	}
}

// Each error is told, and nothing is written.
func TestExportTellsEveryConflict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"layout.html", "llms.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "meta.html")); err != nil {
		t.Fatal(err)
	}
	written, err := In(dir, &site.Settings{}).Export(nil, false)
	if err == nil || len(written) > 0 {
		t.Fatalf("%q were written: %v", written, err)
	}
	for _, want := range []string{"layout.html already exists", "llms.txt already exists", "meta.html: is a link to a file that does not exist"} {
		if !strings.Contains(err.Error(), filepath.Join(dir, want)) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
