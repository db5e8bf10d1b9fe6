package content

import (
	"fmt"
	"strings"
	"testing"
)

// A category that nobody has described has the names of its first listings, in the language of the catalogue.
func TestUndescribedCategories(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lang     string
		listings int
		want     string
	}{
		{"en", 0, "There is nothing here yet."}, {"en", 1, "Ant 1."}, {"en", 2, "Ant 1 and Ant 2."},
		{"en", 4, "Ant 1, Ant 2, Ant 3 and Ant 4."}, {"en-GB", 5, "Ant 1, Ant 2, Ant 3 and 2 more."},
		{"de-AT", 2, "Ant 1 und Ant 2."}, {"de", 6, "Ant 1, Ant 2, Ant 3 und 3 weitere."},
		{"fr", 0, "…"}, {"fr", 3, "Ant 1, Ant 2, Ant 3."}, {"fr", 5, "Ant 1, Ant 2, Ant 3 …"},
	} {
		f := baseFolder().with("taxonomy/categories.yml", "- {slug: chat-interfaces, name: Chat, description: To chat with., group: Text}\n- {slug: ants, name: Ants, group: Text}\n")
		for i := range test.listings {
			text := listingNamed(fmt.Sprint("Ant ", i+1), fmt.Sprint("https://code.example.org/ant", i))
			f.with(fmt.Sprintf("projects/ant-%d.md", i), strings.Replace(text, "chat-interfaces", "ants", 1))
		}
		c, findings := f.load(t, func(o *Options) { o.Settings.Lang = test.lang })
		if got := c.Taxonomy.Categories; got[1].Description != test.want || got[0].Description != "To chat with." || len(c.Undescribed()) != 1 {
			t.Errorf("%s: %q, want %q; %v", test.lang, got[1].Description, test.want, findings)
		}
	}
}

// The page about a catalogue says what the settings and the imports know, and nothing of what they do not.
func TestNamesInPages(t *testing.T) {
	t.Parallel()
	page := "---\ntitle: About\ndescription: What this is.\n---\n{description}\n\n{imports}\n\n{report}\n"
	const lute = `{"list":"lutes.csv","imported":"2026-11-30"}` + "\n" + `{"key":"lute","slug":"lute","fields":{}}` + "\n"
	for _, test := range []struct{ lang, lists, contact, want string }{
		{"en", "", "", "Ways to chat."},
		{"en", lute, "https://x.example/help", "Ways to chat.\n\nListings were made from `lutes.csv` (last imported on 2026-11-30). Editors may have changed them since.\n\n[Report a wrong fact](https://x.example/help)."},
		{"de", strings.Replace(lute, "lutes.csv", "https://x.example/a.csv (2026-11-29)", 1), "", "Ways to chat.\n\nEinträge stammen aus [x.example/a.csv](https://x.example/a.csv) (zuletzt importiert am 2026-11-30). Die Redaktion kann sie seitdem geändert haben."},
		{"fr", lute, "https://x.example/help", "Ways to chat.\n\n`lutes.csv`, 2026-11-30."},
		{"en", "no line of an import\n", "", "Ways to chat."},
	} {
		f := baseFolder().with("pages/about.md", page).with("imports/lutes.jsonl", test.lists)
		c, findings := f.load(t, func(o *Options) {
			s := &o.Settings
			s.Lang, s.Contact, s.Description = test.lang, test.contact, "Ways to chat."
		})
		if got := strings.TrimSpace(c.Pages[0].Body); got != test.want {
			t.Errorf("%s: %q, want %q; %v", test.lang, got, test.want, findings)
		}
	}
}
