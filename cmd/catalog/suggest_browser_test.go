package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
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
	b.waitFor(t, `document.querySelector("#suggest-status a")?.pathname.startsWith("/projects/")`)

	b.do(t, chromedp.Clear(`[name="name"]`))
	values, err := json.Marshal(map[string]string{
		"name": "Größe: C++ # 1", "purpose": "Says \"yes\" - or no.", "license": "MIT", "category": s.content.Listings[0].Category,
		"repositoryUrl": "https://code.example.org/own/groesse", "jobs": "measure things\nyes",
		"text": "## What it does\n\nIt measures.", "source": "https://own.example/facts",
	})
	if err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, b, `(() => {
		const form = document.querySelector("#suggest-form");
		for (const d of form.querySelectorAll("details")) d.open = true;
		for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = true;
		for (const list of form.querySelectorAll("details select")) list.selectedIndex = 1;
		for (const [name, value] of Object.entries(`+string(values)+`)) form.elements[name].value = value;
		form.dataset.address = location.origin + "/about/?title={title}&file={file}&text={text}";
		form.elements.name.focus();
		return true;
	})()`)
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
	if file != "gro-e-c-plus-plus-1.md" {
		t.Errorf("the file is %q", file)
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
