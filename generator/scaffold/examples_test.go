package scaffold_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/generator/rule"
	"catalog.example/generator/scaffold"
)

// TestEmpty checks that an empty catalogue lacks nothing but listings, and mentions no board games.
func TestEmpty(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := scaffold.Write(t.Context(), dir, scaffold.Options{Title: "Instruments: old ones", Today: today, Empty: true}); err != nil {
		t.Fatal(err)
	}
	_, loaded, findings := load(t, dir)
	if len(findings) != 1 || findings[0].Rule.Name != rule.NoListings.Name || len(loaded.Listings) > 0 {
		t.Errorf("the findings are %v", findings)
	}
	got := files(t, dir)
	for _, name := range []string{"catalog.yml", "README.md", ".github/workflows/catalog.yml", "content/listing.schema.json",
		"content/pages/about.md", "content/taxonomy/categories.yml", "content/taxonomy/platforms.yml"} {
		if !slices.Contains(got, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range got {
		if strings.HasPrefix(name, ".") { // the same in every catalogue
			continue
		}
		if text := strings.ToLower(read(t, filepath.Join(dir, name))); strings.Contains(text, "game") || strings.Contains(text, "tool") ||
			strings.Contains(text, "<%") {
			t.Errorf("%s mentions games or tools, or has markup left in it", name)
		}
	}
}
