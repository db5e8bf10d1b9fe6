package lint_test

import (
	"context"
	"strings"
	"testing"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// searchable is a listing with a purpose and asks that can be found.
func searchable(slug, category, purpose string, asks ...string) string {
	return strings.NewReplacer("purpose: Does "+words(slug, 8), "purpose: "+purpose, "category: chat", "category: "+category+
		"\nasks: [\""+strings.Join(asks, `", "`)+"\"]").Replace(listing(slug))
}

func TestCheckSearches(t *testing.T) {
	files := map[string]string{
		"taxonomy/categories.yml": `- {slug: chat, name: Chat, description: Talk., group: All}
- {slug: house, name: House, description: Homes., group: All}
`,
		"projects/lamp.md": searchable("lamp", "house", "Switches lamps on and off", "turn off lamps", "heating for landlord", "heating plan"),
		"projects/oven.md": searchable("oven", "chat", "Controls ovens", "heating times"),
		"projects/chat.md": searchable("chat", "chat", "Answers messages", "tell landlord", "read messages"),
	}
	for i := range 10 { // each says more of soup than the one whose ask it is
		files["projects/soup-"+string(rune('a'+i))+".md"] = searchable("soup-"+string(rune('a'+i)), "chat", "Cooks tomato soup", "tomato soup")
	}
	files["projects/late.md"] = searchable("late", "chat", "Measures tides", "when does the tide come", "tomato soup", "tide tables")
	c, _ := load(t, files, "")
	progress := 0
	findings, err := lint.CheckSearches(t.Context(), c, content.Options{Settings: site.Defaults()},
		lint.SearchOptions{Progress: func(done, total int) { progress = total - done }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
		if f.Rule.Name == rule.OwnSearch.Name && (f.File != "projects/late.md" || !strings.Contains(f.Message, `"tomato soup"`)) {
			t.Errorf("%s", f)
		}
	}
	for _, want := range []string{
		`projects/late.md:6:35: warning: asks: a search for "tomato soup" does not find the listing among its first 10 hits; the first is soup-a`,
		`projects/chat.md:6:8: warning: asks: the word "landlord" of "tell landlord" alone puts this listing first in a search for "heating for landlord", an ask of lamp`,
	} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("no finding begins with %q:\n%s", want, strings.Join(got, "\n"))
		}
	}
	if progress != 0 {
		t.Errorf("%d searches were not counted", progress)
	}

	few, err := lint.CheckSearches(t.Context(), c, content.Options{Settings: site.Defaults()}, lint.SearchOptions{Sample: 3})
	if err != nil || len(few) >= len(findings) {
		t.Errorf("three searches have %d findings, %v", len(few), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lint.CheckSearches(ended, c, content.Options{Settings: site.Defaults()}, lint.SearchOptions{}); err == nil {
		t.Error("the searches go on after the end")
	}
}

// Most of what the shipped listings say finds them.
func TestShippedSearches(t *testing.T) {
	c, _, settings := shippedContent(t)
	const sample = 500
	findings, err := lint.CheckSearches(t.Context(), c, content.Options{Settings: settings, Jobs: 2}, lint.SearchOptions{Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range findings {
		count[f.Rule.Name]++
	}
	t.Logf("of %d searches: %v", sample, count)
	if count[rule.OwnSearch.Name] > sample*3/100 || count[rule.StrayWord.Name] > sample*5/100 {
		t.Errorf("of %d searches, %d miss their listing and %d find another by a single word", sample, count[rule.OwnSearch.Name], count[rule.StrayWord.Name])
	}
}
