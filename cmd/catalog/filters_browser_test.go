package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// grinders is a content folder with a fact of each filterable kind.
var grinders = map[string]string{
	"taxonomy/categories.yml": "- {slug: grinders, name: Grinders, description: They grind coffee., group: Coffee}",
	"taxonomy/platforms.yml":  "[]",
	"taxonomy/products.yml":   "[]",
	"taxonomy/facts.yml": `
- {key: manual, kind: yes-no, label: Turned by hand, group: Use, meaning: Whether it has a crank., chip: {"1": By hand}, filter: {parameter: byHand}}
- {key: burrs, kind: choice, label: Burrs, group: Use, meaning: The shape of its burrs., values: [{slug: conical, label: cones}, {slug: flat, label: discs}], filter: {parameter: burrs}}
- key: noise
  kind: choice
  label: Noise
  group: Use
  meaning: How loud it is.
  values: [{slug: silent, label: silent}, {slug: low, label: low}, {slug: loud, label: loud}]
  filter: {parameter: loud, "0": [silent, low], "1": [loud], labels: {"0": lets others sleep, "1": wakes others}}
- {key: brews, kind: choices, label: Grinds for, group: Use, meaning: What it grinds for., values: [{slug: espresso, label: Espresso}, {slug: filter, label: Filter}], chip: {espresso: Espresso}, filter: {parameter: brews}}
- {key: priceEur, kind: number, label: Price, unit: EUR, group: Use, meaning: What it costs., least: 0, chip: {known: Price}, filter: {parameter: maxPrice, match: at-most}}
- {key: gramsPerMinute, kind: number, label: Speed, unit: g/min, group: Use, meaning: How fast it grinds., filter: {parameter: minSpeed, match: at-least}}
`,
	"projects/crank.md":   grinder("Crank", "{manual: true, burrs: conical, noise: silent, brews: [filter], priceEur: 80, gramsPerMinute: 12.5}"),
	"projects/motor.md":   grinder("Motor", "{manual: false, burrs: flat, noise: loud, brews: [espresso, filter], priceEur: 420, gramsPerMinute: 90}"),
	"projects/mill.md":    grinder("Mill", "{manual: true, burrs: conical, noise: low, brews: [espresso], priceEur: 160.5}"),
	"projects/unknown.md": grinder("Unknown", "{}"),
	"projects/more-1.md":  grinder("More-1", "{}"),
	"projects/more-2.md":  grinder("More-2", "{}"), // a shorter list has no filters
}

func grinder(name, facts string) string {
	return fmt.Sprintf("---\nname: %s\npurpose: Grinds coffee beans.\njobs: [grind coffee]\ncategory: grinders\nrepositoryUrl: https://code.example.org/%[1]s\naddedAt: 2026-09-02\nfitNotes: %s\n---\nIt grinds.\n", name, facts)
}

// TestFactFilters filters lists and searches by facts of every kind in a browser. All
// must find what the API finds.
func TestFactFilters(t *testing.T) {
	t.Parallel()
	b, dir := newBrowser(t), t.TempDir()
	for name, text := range grinders {
		writeText(t, filepath.Join(dir, name), text)
	}
	s := newSite(t, dir)
	found := func(slugs string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#search-hits:not([hidden]) tbody th a")].map((a) => a.pathname.split("/")[2]).sort().join() === %q`, slugs)
	}
	// set sets a control as a user does, and returns whether it has the value.
	const set = `((control, value) => {
		if (control.type === "checkbox") {
			control.click();
			return control.checked;
		}
		control.value = value;
		control.dispatchEvent(new Event("change", { bubbles: true }));
		return control.value === value;
	})`
	for _, test := range []struct{ parameter, value, want string }{
		{"byHand", "1", "crank,mill"},
		{"burrs", "conical", "crank,mill"},
		{"loud", "0", "crank,mill"},
		{"loud", "1", "motor"},
		{"brews", "filter", "crank,motor"},
		{"maxPrice", "160.5", "crank,mill"},
		{"minSpeed", "12.5", "crank,motor"},
	} {
		t.Run(test.parameter+"="+test.value, func(t *testing.T) {
			var slugs []string
			for _, hit := range s.search(t, test.parameter, test.value).Hits {
				slugs = append(slugs, hit.Slug)
			}
			slices.Sort(slugs)
			if got := strings.Join(slugs, ","); got != test.want {
				t.Errorf("the API finds %s, want %s", got, test.want)
			}
			// The category has all listings, so its file names those of /newest/.
			for _, path := range []string{"/newest/", "/categories/grinders/", "/search/"} {
				b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 listings"))
				if !evaluate[bool](t, b, fmt.Sprintf(set+`(document.querySelector('input[type=checkbox][name=%[1]s][value="%[2]s"], :not([type=checkbox])[name=%[1]s]'), "%[2]s")`, test.parameter, test.value)) {
					t.Errorf("the filter of %s does not take the value", path)
				}
				b.waitFor(t, found(test.want)+fmt.Sprintf(` && location.search === "?%s=%s"`, test.parameter, test.value))
			}
			b.report(t)
		})
	}
	// A figure out of bounds stays in its field, with the reason, and is not asked.
	for _, path := range []string{"/newest/", "/search/"} {
		b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 listings"))
		evaluate[bool](t, b, set+`(document.querySelector("[name=maxPrice]"), "-5")`)
		b.waitFor(t, `document.querySelector("#search-notes p")?.textContent.startsWith("Price (EUR): ") && document.querySelector("[name=maxPrice]").value === "-5" && location.search === "" && document.querySelectorAll("#search-hits tbody th a").length === 6`)
		b.report(t)
	}
	b.do(t, chromedp.Navigate(s.base+"/compare/?slugs=crank,motor,unknown"), chromedp.WaitVisible("#compare table"))
	rows := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|"))`)
	for _, want := range []string{
		"Turned by hand (differs)|yes|no|unknown", "Burrs (differs)|cones|discs|unknown", "Grinds for (differs)|Filter|Espresso, Filter|unknown",
		"Price (differs)|80 EUR|420 EUR|unknown",
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("the comparison has no row %q, but %q", want, rows)
		}
	}
}
