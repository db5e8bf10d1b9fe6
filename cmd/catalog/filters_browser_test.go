package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
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
- {key: deposit, kind: money, label: Deposit, group: Use, meaning: What one pays first., currency: EUR, chip: {known: deposit}, filter: {parameter: maxDeposit, match: at-most}, sort: desc}
- {key: since, kind: date, label: Made since, group: Use, meaning: When it was first made., chip: {known: since}, filter: {parameter: madeAfter, match: after}, sort: asc}
- {key: cups, kind: range, label: Cups, group: Use, meaning: For how many cups it grinds., unit: cups, chip: {known: for}, filter: {parameter: cups, match: within}}
- {key: sale, kind: dates, label: On sale, group: Use, meaning: When it is sold., chip: {known: sold}, filter: {parameter: soldOn, match: within}}
- {key: maker, kind: place, label: Maker, group: Use, meaning: Where it is made., filter: {parameter: near}}
`,
	"projects/crank.md":   grinder("Crank", "{manual: true, burrs: conical, noise: silent, brews: [filter], priceEur: 80, gramsPerMinute: 12.5, deposit: 2.5, since: 2019, cups: {from: 1, to: 2.5}, maker: {latitude: 52.52, longitude: 13.4, name: Berlin}, sale: {from: 2026-04, to: 2026-09-30}}"),
	"projects/motor.md":   grinder("Motor", "{manual: false, burrs: flat, noise: loud, brews: [espresso, filter], priceEur: 420, gramsPerMinute: 90, deposit: 42, since: 2020-06-15, cups: {from: -1, to: 2}, maker: {latitude: 53.55, longitude: 10, name: Hamburg}}"),
	"projects/mill.md":    grinder("Mill", "{manual: true, burrs: conical, noise: low, brews: [espresso], priceEur: 160.5, deposit: {amount: 1, currency: USD}, since: 2020-06, cups: {to: 2.25}, sale: {from: 2026, to: 2026}}"),
	"projects/unknown.md": grinder("Unknown", "{}"),
	"projects/more-1.md":  strings.Replace(grinder("More-1", "{deposit: 2.5}"), "09-02", "09-03", 1), // the newest
	"projects/more-2.md":  grinder("More-2", "{}"),                                                   // a shorter list has no filters
}

func grinder(name, facts string) string {
	return fmt.Sprintf("---\nname: %s\npurpose: Grinds coffee beans.\njobs: [grind coffee]\ncategory: grinders\nrepositoryUrl: https://code.example.org/%[1]s\naddedAt: 2026-09-02\nfitNotes: %s\n---\nIt grinds.\n", name, facts)
}

// builtChips are what the rows of the grinders show of facts, in a German catalogue.
const builtChips = "By hand|Price 80 EUR|deposit 2,50\u00a0€|since 2019|for 1–2,5 cups|sold 2026-04 – 2026-09-30 Espresso|Price 420 EUR|deposit 42\u00a0€|since 2020-06-15|for -1 – 2 cups By hand|Espresso|Price 160,5 EUR|deposit 1\u00a0$|since 2020-06|for ≤ 2,25 cups|sold 2026 – 2026"

// TestFactFilters filters lists and searches by facts of every kind in a browser. All
// must find what the API finds.
func TestFactFilters(t *testing.T) {
	t.Parallel()
	b, dir := newBrowser(t), t.TempDir()
	for name, text := range grinders {
		writeText(t, filepath.Join(dir, name), text)
	}
	s := newSite(t, dir, func(settings *site.Settings) { settings.Lang = "de" })
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
		{"maxDeposit", "2.5", "crank,more-1"},
		{"maxDeposit", "42", "crank,more-1,motor"}, // and none in dollars
		{"madeAfter", "2020", "mill,motor"},
		{"madeAfter", "2020-06-15", "motor"}, // the mill may have been made earlier in that month
		{"cups", "2", "crank,mill,motor"},
		{"cups", "2.5", "crank"},
		{"soldOn", "2026-09-30", "crank,mill"},
		{"soldOn", "2026-09", "crank,mill"},
		{"soldOn", "2026", "mill"},
		{"near", "52.4, 13.2", "crank"}, // 19 km away
		{"near", "52.52,13.4,254.4", "crank"},
		{"near", "52.52,13.4,254.6", "crank,motor"},
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
				b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 Einträge"))
				if !evaluate[bool](t, b, fmt.Sprintf(set+`(document.querySelector('input[type=checkbox][name=%[1]s][value="%[2]s"], :not([type=checkbox])[name=%[1]s]'), "%[2]s")`, test.parameter, test.value)) {
					t.Errorf("the filter of %s does not take the value", path)
				}
				b.waitFor(t, found(test.want)+fmt.Sprintf(` && new URLSearchParams(location.search).get(%q) === %q`, test.parameter, test.value))
			}
			b.report(t)
		})
	}
	// Lists and searches are ordered by facts, equal ones by slug, what is unknown or in another currency last.
	for _, test := range []struct{ key, want string }{{"deposit", "motor,crank,more-1,"}, {"since", "crank,mill,motor,"}} {
		for _, path := range []string{"/newest/", "/search/"} {
			b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 Einträge"))
			evaluate[bool](t, b, fmt.Sprintf(set+`(document.querySelector("[name=sort]"), %q)`, test.key))
			b.waitFor(t, fmt.Sprintf(`location.search === "?sort=%s" && [...document.querySelectorAll("#search-hits tbody th a")].map((a) => a.pathname.split("/")[2]).join().startsWith(%q)`, test.key, test.want))
		}
	}
	// The script writes figures as the build does.
	const chips = `["crank", "motor", "mill"].map((slug) => [...document.querySelectorAll("#search-hits a[href$='/" + slug + "/']")].map((a) => [...a.closest("tr").querySelectorAll(".fit .tag")].map((e) => e.textContent).join("|")).join()).join(" ")`
	b.do(t, chromedp.Navigate(s.base+"/newest/"), b.waitForStatus("6 Einträge"))
	if got := evaluate[string](t, b, chips); got != builtChips {
		t.Errorf("the build shows %q, want %q", got, builtChips)
	}
	evaluate[bool](t, b, set+`(document.querySelector("[name=sort]"), "name")`)
	b.waitFor(t, `location.search === "?sort=name"`)
	b.waitFor(t, chips+" === "+asJSON(builtChips)) // rows out of sight are drawn later
	// What is no date and no place stays in its field, with what to write, and is not asked; the API refuses it.
	for _, test := range []struct{ parameter, value, note string }{
		{"madeAfter", "May", "Made since: bitte so schreiben: 2026-09-01, 2026-09 oder 2026"},
		{"madeAfter", "2026-02-30", "Made since: bitte so schreiben: 2026-09-01, 2026-09 oder 2026"},
		{"madeAfter", "2026-13", "Made since: bitte so schreiben: 2026-09-01, 2026-09 oder 2026"},
		{"madeAfter", "0000", "Made since: bitte so schreiben: 2026-09-01, 2026-09 oder 2026"},
		{"near", "95,200", "Maker: bitte so schreiben: der Name eines Ortes, den das Feld anbietet, oder Breite,Länge,km"},
		{"near", "Atlantis", "Maker: bitte so schreiben: der Name eines Ortes, den das Feld anbietet, oder Breite,Länge,km"},
	} {
		if got := s.getUnchecked(t, searchPath(test.parameter, test.value)); got.status != 400 {
			t.Errorf("%s=%s is answered %d", test.parameter, test.value, got.status)
		}
		for _, path := range []string{"/newest/", "/search/"} {
			b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 Einträge"))
			evaluate[bool](t, b, fmt.Sprintf(set+`(document.querySelector("[name=%s]"), %q)`, test.parameter, test.value))
			b.waitFor(t, fmt.Sprintf(`document.querySelector("#search-notes p")?.textContent === %q && location.search === "" && document.querySelectorAll("#search-hits tbody th a").length === 6`, test.note))
		}
		b.report(t)
	}
	// A figure out of bounds stays in its field, with the reason, and is not asked.
	for _, path := range []string{"/newest/", "/search/"} {
		b.do(t, chromedp.Navigate(s.base+path), b.waitForStatus("6 Einträge"))
		evaluate[bool](t, b, set+`(document.querySelector("[name=maxPrice]"), "-5")`)
		b.waitFor(t, `document.querySelector("#search-notes p")?.textContent.startsWith("Price (EUR): ") && document.querySelector("[name=maxPrice]").value === "-5" && location.search === "" && document.querySelectorAll("#search-hits tbody th a").length === 6`)
		b.report(t)
	}
	b.do(t, chromedp.Navigate(s.base+"/compare/?slugs=crank,motor,unknown"), chromedp.WaitVisible("#compare table"))
	rows := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|"))`)
	for _, want := range []string{
		"Turned by hand (abweichend)|ja|nein|unbekannt", "Burrs (abweichend)|cones|discs|unbekannt", "Grinds for (abweichend)|Filter|Espresso, Filter|unbekannt",
		"Price (abweichend)|80 EUR|420 EUR|unbekannt", "Speed (abweichend)|12,5 g/min|90 g/min|unbekannt", "Deposit (abweichend)|2,50\u00a0€|42\u00a0€|unbekannt", "Cups (abweichend)|1–2,5 cups|-1 – 2 cups|unbekannt",
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("the comparison has no row %q, but %q", want, rows)
		}
	}
}

// On a narrow screen, the button that leads to the results leaves enough of each field beside it to be tapped (WCAG
// 2.2, 2.5.8), and hides no field that has the focus (2.4.11).
func TestButtonOverFilters(t *testing.T) {
	t.Parallel()
	s, b := newExample(t, "bird-watching"), newBrowser(t)
	b.do(t, chromedp.EmulateViewport(320, 640), chromedp.Navigate(s.base+"/newest/"), chromedp.WaitVisible("#facets summary"), chromedp.Click("#facets summary"))
	b.waitFor(t, `document.querySelector("#show").checkVisibility()`)
	covered := evaluate[[]string](t, b, `(() => {
		const wrong = new Set(), button = document.querySelector("#show");
		for (let y = 0; y < document.documentElement.scrollHeight; y += 5) {
			scrollTo(0, y);
			const top = button.getBoundingClientRect();
			for (const field of document.querySelectorAll("#facets :is(input, select)")) {
				const r = field.getBoundingClientRect(), isMet = r.top < top.bottom && r.bottom > top.top && r.left < top.right && r.right > top.left;
				const free = Math.max(top.left - r.left, r.right - top.right, top.top - r.top, r.bottom - top.bottom);
				if (isMet && free < 24) wrong.add(field.name + ": " + free);
			}
		}
		scrollTo(0, 0);
		return [...wrong];
	})()`)
	if len(covered) > 0 {
		t.Errorf("the button leaves too little of %q", covered)
	}
	b.do(t, chromedp.Focus("#facets summary"))
	fields := evaluate[int](t, b, `document.querySelectorAll("#facets :is(input, select)").length`)
	for range fields {
		b.press(t, "Tab", false)
		if !evaluate[bool](t, b, `(() => {
			const e = document.activeElement, r = e.getBoundingClientRect(), top = document.querySelector("#show").getBoundingClientRect();
			return !e.matches("#facets *") || e.id === "show" || r.bottom <= top.top || r.right <= top.left;
		})()`) {
			t.Errorf("the button is over %s, which has the focus", evaluate[string](t, b, `document.activeElement.name`))
		}
	}
}
