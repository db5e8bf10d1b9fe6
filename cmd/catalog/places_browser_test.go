package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/scaffold"
)

// newExample builds the site of an example of catalog init, whose folder of content may be changed before.
func newExample(t *testing.T, name string, changes ...func(content string)) *testSite {
	t.Helper()
	e, err := scaffold.ExampleNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := scaffold.Write(t.Context(), dir, scaffold.Options{Example: e, Today: "2026-11-01"}); err != nil {
		t.Fatal(err)
	}
	settings, err := generator.LoadSettings(filepath.Join(dir, "catalog.yml"), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(filepath.Join(dir, "content"))
	}
	return newSite(t, filepath.Join(dir, "content"), func(s *site.Settings) {
		settings.BaseURL = s.BaseURL
		*s = settings
	})
}

// drawing describes the map of a page with its overview, and points the listings of its points.
const (
	drawing = `[...document.querySelectorAll(".map, .map *")].map((e) => [e.localName, e.classList, e.children.length ? "" : e.textContent, ...["viewBox", "href", "aria-label", "data-of", "x", "y", "x1", "x2", "cx", "cy", "r", "dy", "text-anchor", "lang"].map((key) => e.getAttribute(key))].join(" ")).join("\n")`
	points  = `[...document.querySelectorAll(".map a:not([hidden])")].map((a) => a.dataset.of).join()`
)

var degrees = regexp.MustCompile(`(latitude|longitude): [0-9.]+`)

// TestLanguageOfPlaces checks that the names of places on a map say their language where they are not translated, as
// the build draws the map and as the page code does. The map is one of a small area.
func TestLanguageOfPlaces(t *testing.T) {
	t.Parallel()
	s := newExample(t, "bird-watching", func(content string) {
		editFile(t, content, "projects/alder-marsh.de.md", func(text string) string {
			return regexp.MustCompile(`(?m)^  (where|fitNotes.where.name): .*\n`).ReplaceAllString(text, "")
		})
		// All places lie in one town, at a hundredth of their distances.
		files, err := filepath.Glob(filepath.Join(content, "projects", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text := readText(t, file)
			writeText(t, file, degrees.ReplaceAllStringFunc(text, func(match string) string {
				n, err := strconv.ParseFloat(strings.Fields(match)[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf("%s %.6f", strings.Fields(match)[0], 50+n/100)
			}))
		}
	})
	b := newBrowser(t)
	b.do(t, chromedp.Navigate(s.base+"/de/newest/"), b.waitForStatus("8 Einträge"))
	built := evaluate[string](t, b, drawing)
	if !strings.Contains(built, "\ntext  2 km ") {
		t.Errorf("the map of a town has no scale:\n%s", built)
	}
	if !regexp.MustCompile(`\ntspan  car park at +en(\n|$)`).MatchString(built) {
		t.Errorf("the build does not say the language of a place:\n%s", built)
	}
	b.tabTo(t, false, `e.dataset?.of?.startsWith("alder-marsh")`)
	b.press(t, "Enter", false)
	b.waitFor(t, points+` === "alder-marsh,mirror-lake"`)
	evaluate[bool](t, b, `(document.querySelector("#facets .clear").click(), true)`)
	b.waitFor(t, points+`.split(",").length === 6`)
	if got := evaluate[string](t, b, drawing); got != built {
		t.Errorf("the page code draws\n%s\nand the build\n%s", got, built)
	}
	b.report(t)
}

// TestMaps checks the maps of a catalogue of places: their accessibility and width, the way through them by keyboard,
// and that filters of the list change them.
func TestMaps(t *testing.T) {
	t.Parallel()
	s := newExample(t, "bird-watching")
	g := &gate{Handler: s.server(t, (&steppingClock{current: s.builtAt, step: time.Second}).now).Handler()}
	served := s.withHandler(t, g)
	c := newPageChecker(t)
	const drawn = `document.querySelector(".map use").getBBox().width > 300` // degrees; 0 until the outlines are there
	c.checkVisits(t, served.base, g, map[string][]visit{
		"home": {{path: "/", ready: drawn}}, "project": {{path: "/projects/crane-bay/", ready: drawn}},
		"collection": {{path: "/categories/wetland/", ready: drawn}},
	})

	b := newBrowser(t)
	// Points are reached in the order of the list, and after them the list.
	b.do(t, chromedp.EmulateViewport(360, 740), chromedp.Navigate(s.base+"/newest/"), b.waitForStatus("8 listings"))
	b.waitFor(t, drawn)
	b.checkWidth(t, 360)
	var slugs, labels []string
	b.tabTo(t, false, `e.matches(".map a")`)
	for evaluate[bool](t, b, `document.activeElement.matches(".map a")`) {
		slugs = append(slugs, strings.Fields(evaluate[string](t, b, `document.activeElement.dataset.of`))[0])
		label := `[...document.activeElement.querySelectorAll("text")].filter((e) => getComputedStyle(e).opacity === "1").at(-1)`
		labels = append(labels, evaluate[string](t, b, label+".textContent"))
		if got := evaluate[string](t, b, `(() => {
			const map = document.querySelector(".map").getBoundingClientRect(), label = `+label+`.getBoundingClientRect();
			return label.left >= map.left && label.right <= map.right && label.top >= map.top && label.bottom <= map.bottom ? "" : JSON.stringify([map, label]);
		})()`); got != "" {
			t.Errorf("the label %q is not within the map: %s", labels[len(labels)-1], got)
		}
		b.press(t, "Tab", false)
	}
	listed := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits tbody th a")].map((a) => a.pathname.split("/")[2])`)
	if want := []string{"alder-marsh", "crane-bay", "gull-head", "heron-meadow", "owl-quarry", "stone-wood"}; !slices.Equal(slugs, want) || !slices.Equal(listed[:2], want[:2]) {
		t.Errorf("the points are %q, labelled %q; the list is %q", slugs, labels, listed)
	}
	if labels[0] != "2 listings around car park…" || labels[1] != "Crane Bay" {
		t.Errorf("the labels are %q", labels)
	}
	// The link before the map passes it by.
	b.tabTo(t, true, `e.matches("figure .skip")`)
	b.press(t, "Enter", false)
	b.tabTo(t, false, `e.closest("#search-hits")`)

	// A point of several listings leads to them, on a map of these alone. The page code draws maps as the build does.
	built := evaluate[string](t, b, drawing)
	b.tabTo(t, true, `e.dataset?.of?.startsWith("alder-marsh")`)
	b.press(t, "Enter", false)
	b.waitFor(t, `location.search.startsWith("?near=47.84,16.77,") && document.querySelector("#search-status").textContent.startsWith("2 of 8") && `+points+` === "alder-marsh,mirror-lake"`)
	b.waitFor(t, `document.querySelector(".overview svg").getAttribute("viewBox") === "1.86 -52.8 29.77 10" && document.querySelector(".scale").textContent === "5 km"`)
	const caption = `document.querySelector("#below-map").textContent`
	b.waitFor(t, caption+` === "On the map: 2 of 2"`)
	evaluate[bool](t, b, `(document.querySelector("#facets .clear").click(), true)`)
	b.waitFor(t, points+`.split(",").length === 6 && `+caption+` === "On the map: 8 of 8"`)
	if got := evaluate[string](t, b, drawing); got != built {
		t.Errorf("the page code draws\n%s\nand the build\n%s", got, built)
	}
	// A point stands for those of its listings that pass, and keeps the filters of the list.
	const point = `document.querySelector(".map a[data-of*=mirror-lake]")`
	for query, want := range map[string]string{
		"?q=ducks": "Mirror Lake, /projects/mirror-lake/, ",
		"?q=a":     "2 listings around car park at Alder Marsh, /newest/, ?q=a&near=47.84,16.77,10",
	} {
		b.do(t, chromedp.Navigate(s.base+"/newest/"+query))
		b.waitFor(t, `((a, to) => [a.getAttribute("aria-label"), to.pathname, to.search].join(", "))(`+point+`, new URL(`+point+`.getAttribute("href"), location)) === "`+want+`"`)
	}

	// The filter by place takes names, with a distance. The address has the coordinates, and a visit shows the name.
	const near = `document.querySelector("[name=near]")`
	b.do(t, chromedp.Navigate(s.base+"/newest/"), b.waitForStatus("8 listings"))
	for _, step := range []struct{ set, want string }{
		{near + `.value = "Eastern Shore"`, "?near=47.76,16.72,25|2 of 8 listings|Where: Eastern Shore, 25 km ×"},
		{`document.querySelector("#f-near-km").value = "5"`, "?near=47.76,16.72,5|1 of 8 listings|Where: Eastern Shore, 5 km ×"},
		{near + `.value = "47.76,16.72,30"`, "?near=47.76,16.72,30|2 of 8 listings|Where: 47.76,16.72,30 ×"},
	} {
		evaluate[bool](t, b, `(`+step.set+`, `+near+`.dispatchEvent(new Event("change", { bubbles: true })))`)
		b.waitFor(t, `[location.search, document.querySelector("#search-status").textContent, document.querySelector(".chosen").textContent].join("|") === "`+step.want+`"`)
	}
	b.do(t, chromedp.Navigate(s.base+"/search/?near=47.5,16.5,100"))
	b.waitFor(t, near+`.value === "47.5,16.5" && document.querySelector(".chosen").textContent === "Where: 47.5,16.5, 100 km ×"`)
	b.do(t, chromedp.Navigate(s.base+"/search/?near=47.76,16.72,7"))
	b.waitFor(t, near+`.value === "eastern shore" && document.querySelector("#f-near-km").value === "7" && document.querySelector(".chosen").textContent === "Where: eastern shore, 7 km ×"`)
	b.do(t, chromedp.Navigate(s.base+"/newest/"))
	// A point of one listing leads to its page, which has the coordinates.
	b.tabTo(t, true, `e.dataset?.of === "crane-bay"`)
	b.press(t, "Enter", false)
	b.waitFor(t, `location.pathname === "/projects/crane-bay/" && document.querySelector("figcaption a[href='geo:54.43,12.72']")?.textContent === "54.43, 12.72" && document.querySelectorAll(".map circle").length === 1`)
	b.report(t)
}
