package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If an entry cannot be moved, the moved ones are removed, and existing files stay.
func TestMoveIntoIsAllOrNothing(t *testing.T) {
	t.Parallel()
	stage, target := t.TempDir(), t.TempDir()
	writeFile := func(text string, path ...string) {
		name := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	writeFile("new", stage, "a", "file")
	writeFile("new", stage, "b")
	writeFile("new", stage, "c")
	writeFile("old", target, "c")
	if err := moveInto(stage, target); err == nil || !strings.Contains(err.Error(), "another program has just created c there") {
		t.Errorf("the error is %v", err)
	}
	entries, err := os.ReadDir(target)
	if err != nil || len(entries) != 1 || entries[0].Name() != "c" {
		t.Errorf("the target holds %v, %v; want c alone", entries, err)
	}
	if text, err := os.ReadFile(filepath.Join(target, "c")); err != nil || string(text) != "old" {
		t.Errorf("c holds %q, %v", text, err)
	}
}
