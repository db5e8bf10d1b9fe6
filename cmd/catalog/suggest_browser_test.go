package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"github.com/chromedp/chromedp"
)

// TestSuggest fills in the form with which people suggest a listing. What it writes is a listing in
// canonical form, without mistakes.
func TestSuggest(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	const folder = "testdata/content"
	s := newSite(t, folder, func(s *site.Settings) { s.SuggestURL = "https://forge.example/new?text={text}" })
	b := newBrowser(t)
	b.do(t, chromedp.Navigate(s.base+"/suggest/"))
	b.waitFor(t, `document.querySelector("#suggest-file code").textContent.startsWith("---")`)

	b.do(t, chromedp.SendKeys(`[name="name"]`, "Paper Lantern"))
	b.press(t, "Tab", false)
	b.waitFor(t, `document.querySelector("#suggest-status a")?.pathname === "/projects/paper-lantern/"`)
	if asked := evaluate[int](t, b, `performance.getEntriesByType("resource").filter((r) => r.name.includes("/api/v1/search")).length`); asked != 0 {
		t.Errorf("the name was sent to the search %d times", asked)
	}
	letters := evaluate[string](t, b, `document.querySelector("#suggest-form").dataset.letters`)

	b.do(t, chromedp.Clear(`[name="name"]`))
	values, err := json.Marshal(map[string]string{
		"name": "Größe: C++ # 1", "purpose": "Says \"yes\" - or no.", "license": "MIT", "category": s.content.Listings[0].Category,
		"repositoryUrl": "https://code.example.org/own/groesse", "jobs": "measure things\nyes",
		"text": "## What it does\n\nIt measures." + strings.Repeat(" And more.", 120), "source": "https://own.example/facts",
	})
	if err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, b, `(() => {
		const form = document.querySelector("#suggest-form");
		for (const d of form.querySelectorAll("details")) d.open = true;
		for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = true;
		for (const box of form.querySelectorAll('details [type=radio][value=""]')) box.closest("fieldset").querySelectorAll("input")[1].checked = true;
		for (const [name, value] of Object.entries(`+string(values)+`)) form.elements[name].value = value;
		form.dataset.address = "mailto:us@own.example?subject={title}&body={text}";
		form.elements.name.focus();
		return true;
	})()`)
	b.press(t, "Enter", false)
	b.waitFor(t, `document.querySelector("#suggest-status a")?.protocol === "mailto:"`) // a mail would be cut
	evaluate[bool](t, b, `(document.querySelector("#suggest-form").dataset.address = location.origin + "/about/?title={title}&file={file}&text={text}", true)`)
	b.press(t, "Enter", false)
	b.waitFor(t, `location.pathname === "/about/"`)
	query, err := url.ParseQuery(evaluate[string](t, b, `location.search.slice(1)`))
	if err != nil {
		t.Fatal(err)
	}
	if got := query.Get("title"); got != "New listing: Größe: C++ # 1" {
		t.Errorf("the title is %q", got)
	}
	file := query.Get("file")
	if file != "grosse-c-plus-plus-1.md" {
		t.Errorf("the file is %q", file)
	}
	// Names of files are those that catalog new gives. A mail has lines as RFC 6068 says, and is not too long.
	names := []string{"Größe", "R&D  @ Home", "Don't", "Æther øl", "Łódź", "Москва", "Ὀδυσσέας", "Αθήνα", "ﬁne ½", "a_b.c", "ĳ ŉ ſ", "--x--"}
	slugs := evaluate[[]string](t, b, `(() => { `+strings.ReplaceAll(readText(t, "../../templates/assets/propose.js"), "export ", "")+`
		return [...`+asJSON(names)+`, "北京", "Index"].map((name) => slugOf(name, `+asJSON(letters)+`)); })()`)
	for i, name := range names {
		if want := content.Slug(name, s.settings.Lang); slugs[i] != want {
			t.Errorf("%s: the file is %s, want %s", name, slugs[i], want)
		}
	}
	for _, slug := range slugs[len(names):] {
		if !strings.HasPrefix(slug, "new-listing-") || content.CheckSlug(slug) != "" {
			t.Errorf("a name without letters is %s", slug)
		}
	}

	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "projects", file)
	writeText(t, name, query.Get("text"))
	_, after, err := s.content.FrontMatter.FormatFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != query.Get("text") {
		t.Errorf("in canonical form, this is\n%s\nbut the form wrote\n%s", after, query.Get("text"))
	}
	_, findings, err := generator.Check(t.Context(), content.Options{Dir: dir, Settings: s.settings, Jobs: 1,
		Today: api.DateOf(s.builtAt)}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if filepath.Base(f.File) == file && f.Rule.Name != "asks" {
			t.Error(f)
		}
	}
}
