package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"catalog.example/api/soak"
)

// comboBox is a search box that suggests, in a browser.
type comboBox struct {
	*browser
	path, field, form string
	picks             bool // what is chosen is added to the page, and not opened
}

const grindCoffee = "grind coffee" // finds all listings of grinders

// TestCombobox uses the search boxes that suggest by the keys of the ARIA Authoring Practices
// Guide: each is an editable combobox with list autocomplete.
func TestCombobox(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	c, dir := newPageChecker(t), t.TempDir()
	for name, text := range grinders {
		writeText(t, filepath.Join(dir, name), text)
	}
	s := newSite(t, dir)
	for _, box := range []comboBox{
		{path: "/", field: "#q", form: "#ask-form"}, {path: "/numbers/", field: "#site-search", form: "header form"},
		{path: "/projects/crank/", field: "#site-search", form: "header form"}, {path: "/compare/", field: "#add", form: "#compare-form", picks: true},
	} {
		box.browser = c.browser
		t.Run(box.field+" on "+box.path, func(t *testing.T) {
			box.checkKeys(t, s.base)
			c.checkAccessibility(t, false)
			box.checkWays(t, s.base)
			box.report(t)
		})
	}
}

// open opens the page of the box, and writes into it.
func (c *comboBox) open(t *testing.T, base, text string) {
	t.Helper()
	c.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(base+c.path), chromedp.WaitVisible("main h1"), chromedp.Click(c.field))
	c.write(t, text)
	c.waitFor(t, c.is(-1, 6))
}

// is is a condition: the box shows the hits, the first of which is the option at 0. The option at
// chosen is chosen: -1 for none. The focus stays in the field.
func (c *comboBox) is(chosen, hits int) string {
	return fmt.Sprintf(`((field, chosen) => {
		const list = document.getElementById(field.getAttribute("aria-controls")), options = [...(list?.querySelectorAll("[role=option]") ?? [])];
		const active = field.getAttribute("aria-activedescendant"), at = options.findIndex((o) => o.id === active), selected = options.filter((o) => o.ariaSelected === "true");
		const isWhole = active ? at >= 0 && selected.length === 1 && selected[0] === options[at] : !selected.length;
		return field.role === "combobox" && field.ariaAutoComplete === "list" && field.ariaExpanded === "true" && list.role === "listbox" && list.checkVisibility() &&
			options.filter((o) => o.querySelector("bdi")).length === %d && options.every((o) => o.tabIndex === -1) && isWhole && document.activeElement === field && at === (chosen < -1 ? options.length + 1 + chosen : chosen);
	})(document.querySelector(%q), %d)`, hits, c.field, chosen)
}

// checkKeys presses the keys of the pattern.
func (c *comboBox) checkKeys(t *testing.T, base string) {
	const last = -2 // the option, for is
	closed := fmt.Sprintf(`document.querySelector(%q).ariaExpanded === "false" && !document.querySelector(".suggestions")?.checkVisibility()`, c.field)
	caret := func(at int) string {
		return fmt.Sprintf(`document.querySelector(%q).selectionStart === %d`, c.field, at)
	}
	const loaded = `performance.getEntriesByType("resource").some((r) => r.name.includes("/suggest-"))`
	c.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(base+c.path), chromedp.WaitVisible("main h1"))
	c.waitFor(t, closed+` && document.readyState === "complete"`)
	if evaluate[bool](t, c.browser, loaded) {
		t.Error("the suggestions are loaded before anybody comes to the field")
	}
	c.do(t, chromedp.Click(c.field))
	c.write(t, grindCoffee)
	c.waitFor(t, c.is(-1, 6))
	c.waitFor(t, fmt.Sprintf(`document.querySelector(%q).textContent === "6 of 6 listings below"`, c.form+" [role=status]"))
	for _, step := range []struct{ key, then string }{
		{"ArrowDown", c.is(0, 6)}, {"ArrowDown", c.is(1, 6)}, {"ArrowUp", c.is(0, 6)}, {"ArrowUp", c.is(-1, 6)}, {"ArrowUp", c.is(last, 6)},
		{"ArrowDown", c.is(-1, 6)}, {"ArrowDown", c.is(0, 6)}, {"Home", c.is(-1, 6) + ` && ` + caret(0)},
		{"ArrowDown", c.is(0, 6)}, {"End", c.is(-1, 6) + ` && ` + caret(len(grindCoffee))},
		{"ArrowDown", c.is(0, 6)}, {"Escape", closed + fmt.Sprintf(` && document.querySelector(%q).value === %q`, c.field, grindCoffee)},
		{"ArrowUp", c.is(last, 6)}, {"Escape", closed}, {"ArrowDown", c.is(0, 6)}, {"s", c.is(-1, 6)}, {"ArrowDown", c.is(0, 6)},
	} {
		c.press(t, step.key, false)
		c.waitFor(t, step.then)
	}
	c.press(t, "Tab", false)
	c.waitFor(t, closed+fmt.Sprintf(` && document.activeElement === document.querySelector(%q)`, c.form+" button"))
	c.press(t, "Tab", true)
	c.press(t, "ArrowDown", false)
	c.waitFor(t, c.is(0, 6)) // and stays open
}

// checkWays goes on from the box: without an option, with one, and with the pointer.
func (c *comboBox) checkWays(t *testing.T, base string) {
	c.open(t, base, grindCoffee)
	c.press(t, "Enter", false)
	if c.picks {
		c.waitFor(t, fmt.Sprintf(`document.querySelector("#compare-status").textContent.startsWith("No listing is named") && document.querySelector(%q).ariaExpanded === "false"`, c.field))
	} else {
		c.waitFor(t, `location.pathname === "/search/" && location.search === "?q=grind+coffee"`)
	}
	ways := map[string]func(){
		"keys": func() {
			c.press(t, "ArrowDown", false)
			c.waitFor(t, c.is(0, 6))
			c.press(t, "Enter", false)
		},
		"pointer": func() { // where the option is: a later answer may draw it anew
			at := evaluate[[]float64](t, c.browser, `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(".suggestions [role=option]").getBoundingClientRect())`)
			c.do(t, chromedp.MouseClickXY(at[0], at[1]))
		},
	}
	for way, choose := range ways {
		c.open(t, base, grindCoffee)
		slug := evaluate[string](t, c.browser, `document.querySelector(".suggestions [role=option]").pathname.split("/")[2]`)
		choose()
		if c.picks {
			c.waitFor(t, fmt.Sprintf(`location.search === "?slugs=%s" && document.activeElement === document.querySelector(%q) && document.activeElement.ariaExpanded === "false"`, slug, c.field))
		} else {
			c.waitFor(t, fmt.Sprintf(`location.pathname === "/projects/%s/" && document.readyState === "complete"`, slug))
		}
		if strings.Contains(evaluate[string](t, c.browser, `location.href`), "add=") {
			t.Errorf("by %s, the form is submitted, too", way)
		}
	}
}
