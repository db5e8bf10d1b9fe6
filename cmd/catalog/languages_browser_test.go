package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/chromedp/chromedp"
)

// TestLanguagesInBrowser goes from a page to the same page in another language by keyboard, and searches there, with
// a server and without one.
func TestLanguagesInBrowser(t *testing.T) {
	t.Parallel()
	for _, search := range []string{site.SearchByServer, site.SearchInBrowser} {
		t.Run(search, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/content")); err != nil {
				t.Fatal(err)
			}
			const text = "---\nname: Papierlaterne\npurpose: Unterhält sich mit Unterlagen.\n---\nEine Laterne.\n"
			if err := os.WriteFile(filepath.Join(dir, "projects", "paper-lantern.de.md"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := newSite(t, dir, func(s *site.Settings) { s.Search, s.Languages = search, []string{"de"} })
			b := newBrowser(t)
			b.do(t, chromedp.Navigate(s.base+"/projects/paper-lantern/"), chromedp.Focus(`nav.languages a[hreflang=de]`))
			b.press(t, "Enter", false)
			b.waitFor(t, `location.pathname === "/de/projects/paper-lantern/" && document.documentElement.lang === "de" && document.querySelector("h1 bdi").textContent === "Papierlaterne"`)
			b.do(t, chromedp.Navigate(s.base+"/de/search/?q=Unterlage"))
			b.waitFor(t, `document.querySelector("#search-hits tbody th a")?.pathname === "/de/projects/paper-lantern/"`)
			// What is not translated says its language, in rows that the page code draws, too.
			b.waitFor(t, `document.querySelector("#search-hits tbody th p").lang === ""`)
			b.do(t, chromedp.Navigate(s.base+"/de/search/?q=kettle"))
			b.waitFor(t, `document.querySelector("#search-hits tbody th a")?.pathname === "/de/projects/copper-kettle/" && document.querySelector("#search-hits tbody th p").lang === "en"`)
			b.do(t, chromedp.Navigate(s.base+"/de/compare/?slugs=copper-kettle,paper-lantern"))
			b.waitFor(t, `[...document.querySelectorAll("#compare tbody tr")].some((tr) => [...tr.cells].slice(1).map((td) => td.lang).join() === "en,")`)
			// Brief answers to agents in the browser name what is not translated.
			b.waitFor(t, `document.modelContext.getTools().then((tools) => tools.length >= 3)`)
			if brief := b.callTool(t, api.ToolProject, `{slug: "copper-kettle"}`); !strings.Contains(brief, `"untranslated":["purpose"`) {
				t.Errorf("the tool answers %s", brief)
			}
		})
	}
}

// TestSavedInLanguages saves and ticks listings in two languages: they are one list, which each language shows in its
// own words.
func TestSavedInLanguages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	const text = "---\nname: Papierlaterne\npurpose: Unterhält sich mit Unterlagen.\n---\nEine Laterne.\n"
	if err := os.WriteFile(filepath.Join(dir, "projects", "paper-lantern.de.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, dir, func(s *site.Settings) { s.Languages = []string{"de"} })
	b := newBrowser(t)
	// Release 1.1.0 kept a list for each language.
	b.do(t, chromedp.Navigate(s.base+"/"))
	evaluate[bool](t, b, `(localStorage.setItem("saved /de", JSON.stringify([{ slug: "willow-bridge", name: "Willow Bridge", day: "2026-09-01" }])), true)`)
	b.do(t, chromedp.Navigate(s.base+"/de/saved/"))
	b.waitFor(t, is(savedRows, "Willow Bridge")+` && localStorage.getItem("saved /de") === null`)
	b.do(t, chromedp.Click(`#saved tbody tr:last-child button`))
	save := func(page string) {
		t.Helper()
		b.do(t, chromedp.Navigate(s.base+page), chromedp.WaitVisible(".acts button"), chromedp.Focus(".acts button"))
		b.press(t, "Enter", false)
		b.waitFor(t, `document.querySelector(".acts [role=status]").textContent !== ""`)
	}
	save("/projects/paper-lantern/")
	save("/de/projects/copper-kettle/")
	b.do(t, chromedp.Click(".choose input"))
	b.show(t, s, "", "Copper Kettle, Paper Lantern")
	b.waitFor(t, `document.querySelector("#tray bdi").textContent === "Copper Kettle"`)
	b.do(t, chromedp.Focus(`nav.languages a[hreflang=de]`))
	b.press(t, "Enter", false)
	b.waitFor(t, `location.pathname === "/de/saved/" && `+is(savedRows, "Copper Kettle, Papierlaterne"))
	b.waitFor(t, `document.querySelector("#saved tbody a[href$='paper-lantern/']").pathname === "/de/projects/paper-lantern/"`)
	b.do(t, chromedp.Click(`#saved tbody tr:last-child button`))
	b.show(t, s, "", "Copper Kettle")
}
