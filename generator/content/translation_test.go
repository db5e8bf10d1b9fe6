package content

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// translatedFolder returns a folder with translations into German.
func translatedFolder() folder {
	return baseFolder().
		with("taxonomy/facts.yml", "- {key: notes, kind: texts, label: Notes, meaning: What to know.}\n"+
			"- key: size\n  kind: choice\n  label: Size\n  meaning: How large.\n  values: [{slug: small, label: Small}, {slug: large, label: Large}]\n  chip: {small: Small}\n").
		with("taxonomy/facts.de.yml", "- {key: notes, label: Hinweise}\n- key: size\n  label: Size\n  values: [{slug: large, label: Groß}]\n  chip: {small: Klein}\n").
		with("taxonomy/categories.de.yml", "- {slug: chat-interfaces, name: Plaudern}\n- {slug: image-generation, name: Image Generation}\n").
		with("taxonomy/words.de.yml", "headings: [Was sie tut, \"Gut, wenn\", Woanders]\n").
		with("taxonomy/synonyms.de.yml", "- [reden, plaudern]\n").
		with("projects/ant.md", strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "\n---\n", "\nfitNotes:\n  notes: [Bites]\n  size: small\n---\n", 1)).
		with("projects/ant.de.md", "---\nname: Ameise\npurpose: Krabbelt.\nfitNotes:\n  notes: [Beißt]\n---\n## Was sie tut\n\nSiehe [Biene](bee.md).\n\n## gut, wenn\n\n- immer\n\n## Woanders\n\n- geheim\n").
		with("pages/about.de.md", "---\ntitle: Über uns\ndescription: Was das ist.\n---\nWorte.\n")
}

// loadIn loads a folder in the main language, and in German.
func (f folder) loadIn(t *testing.T) (main, german *Content, findings []string) {
	t.Helper()
	languages := func(o *Options) { o.Settings.Languages = []string{"de"} }
	main, wrong := f.load(t, languages)
	german, more := f.load(t, func(o *Options) {
		languages(o)
		o.Settings, o.Language = o.Settings.In("de"), "de"
	})
	return main, german, texts(append(wrong, marked(german.TranslationFindings(more, wrong, "de"))...))
}

// marked returns the findings without those about translations that are not marked.
func marked(findings []Finding) []Finding {
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.Rule.Name == rule.UnmarkedTranslation.Name })
}

// The texts of translations replace those that they translate. All else stays.
func TestTranslations(t *testing.T) {
	main, german, findings := translatedFolder().loadIn(t)
	same(t, findings, nil)
	if len(main.Listings) != 2 || len(main.Pages) != 1 || main.Listings[0].Name != "Ant" || main.Listings[0].Project.Untranslated != nil {
		t.Errorf("the main language has %d listings, %d pages, and %q", len(main.Listings), len(main.Pages), main.Listings[0].Name)
	}
	ant, bee := german.Listings[0], german.Listings[1]
	if ant.Slug != "ant" || ant.Name != "Ameise" || ant.Purpose != "Krabbelt." || ant.RepositoryURL != main.Listings[0].RepositoryURL || ant.Document.Untranslated == nil || len(ant.Document.Untranslated) > 0 {
		t.Errorf("the ant is %+v", ant.Project)
	}
	if got := ant.FitNotes.Get("notes"); !slices.Equal(got.([]string), []string{"Beißt"}) || ant.FitNotes.Get("size") != "small" {
		t.Errorf("the notes of the ant are %v", got)
	}
	if !strings.Contains(ant.HTML(), `<a href="/de/projects/bee/">Biene</a>`) || ant.Sections[0].Heading != "Was sie tut" {
		t.Errorf("the text of the ant is %s", ant.HTML())
	}
	if len(ant.Sections) != 3 || !ant.Sections[1].Is(api.HeadingFit) || ant.Sections[1].Is(api.HeadingWhat) || strings.Contains(ant.Prose, "geheim") ||
		!slices.Equal(german.FrontMatter.Headings(), []string{"Was sie tut", "Gut, wenn", "Woanders"}) || !slices.Equal(main.FrontMatter.Headings(), api.Headings) {
		t.Errorf("the sections of the ant are %+v; %q", ant.Sections, ant.Prose)
	}
	if bee.Name != "Bee" || !slices.Equal(bee.Document.Untranslated, []string{"purpose", BodyKey}) || !slices.Equal(bee.Project.Untranslated, []string{"purpose", "description"}) || bee.PageURL != "http://localhost:8080/de/projects/bee/" {
		t.Errorf("the bee is %q, not translated: %q", bee.Name, bee.Document.Untranslated)
	}
	x := &german.Taxonomy
	size := x.Fact("size")
	if x.Categories[0].Name != "Plaudern" || x.Categories[0].Description != main.Taxonomy.Categories[0].Description || x.Fact("notes").Label != "Hinweise" ||
		size.Label != "Size" || size.Values[0].Label != "Small" || size.Values[1].Label != "Groß" || size.Chip["small"] != "Klein" || x.Synonyms[0][0] != "reden" {
		t.Errorf("the taxonomy is %+v", x)
	}
	if p := german.Pages[0]; p.Title != "Über uns" || !strings.Contains(p.HTML(), "Worte.") || len(p.Untranslated) > 0 {
		t.Errorf("the page is %+v", p)
	}
}

// Categories under one heading stay together, even if only one of them is translated.
func TestTranslatedGroups(t *testing.T) {
	category := func(slug, name, group string) string {
		return "- {slug: " + slug + ", name: " + name + ", description: For tests., group: " + group + "}\n"
	}
	_, german, findings := translatedFolder().
		with("taxonomy/categories.yml", category("chat-interfaces", "Chat", "All")+category("b", "B", "All")+category("c", "C", "More")).
		with("taxonomy/categories.de.yml", "- {slug: b, name: Beh, group: Alle}\n").loadIn(t)
	var groups []string
	for _, c := range german.Taxonomy.Categories {
		groups = append(groups, c.Group)
	}
	if want := []string{"Alle", "Alle", "More"}; !slices.Equal(groups, want) {
		t.Errorf("the groups are %q, want %q", groups, want)
	}
	same(t, findings, []string{"taxonomy/categories.de.yml:1:1: warning: has no name of c, chat-interfaces: they stay in the main language; add them here, even if they are the same"})
}

// Texts of pictures and places are among those that are not translated, by their keys.
func TestUntranslatedFacts(t *testing.T) {
	facts := translatable{factsKey: {"view": textKeys("alt"), "where": textKeys("name"), "notes": nil}, "purpose": nil, "name": nil}
	main := "name: Ant\nfitNotes:\n  view: {file: a.png, alt: An ant}\n  where: {name: The hill, lat: 1}\n  notes: []\n"
	for text, want := range map[string][]string{
		"---\n---\n": {"fitNotes.view.alt", "fitNotes.where.name", BodyKey},
		"---\nfitNotes: {where: {name: Der Hügel}}\n---\nWorte.\n": {"fitNotes.view.alt"},
	} {
		doc, _ := strictyaml.Parse([]byte(main), 1)
		own := newTranslation("projects/ant.md", "de", []byte(text), facts)
		own.replace(doc, &split{body: []byte("Words.\n")})
		if !slices.Equal(own.untranslated, want) {
			t.Errorf("%q: got %q, want %q", text, own.untranslated, want)
		}
	}
}

// What is wrong with a translation is told at its place in the file of the translation.
func TestTranslationFindings(t *testing.T) {
	for _, c := range []struct {
		about, file, text string
		want              []string
	}{
		{"a fact", "projects/ant.de.md", "---\nname: Ameise\nstars: 3\nfitNotes:\n  size: small\n---\n", []string{
			"projects/ant.de.md:3:1: stars: is not a text, so it is the same in every language: remove it",
			"projects/ant.de.md:5:3: size: is not a text, so it is the same in every language: remove it"}},
		{"a key twice", "projects/bee.de.md", "---\nname: Biene\nname: Imme\n---\n", []string{
			"projects/bee.de.md:3:1: name: is repeated: remove one of them"}},
		{"a wrong text", "projects/bee.de.md", "---\npurpose: " + strings.Repeat("x", 161) + "\n---\n", []string{
			"projects/bee.de.md:2:10: purpose: has 161 characters: at most 160 are allowed"}},
		{"a list for a text", "projects/bee.de.md", "---\nfitNotes: [a]\n---\n", []string{
			"projects/bee.de.md:2:1: fitNotes: is not in the file that this one translates: add it there, or remove it here"}},
		{"a dead link", "projects/bee.de.md", "---\nname: Biene\n---\nSiehe\n[Wespe](wasp.md).\n", []string{
			"projects/bee.de.md:5:9: the link leads to wasp.md, but there is no such listing: correct the link or remove it"}},
		{"no front matter", "projects/bee.de.md", "Biene\n", []string{
			"projects/bee.de.md:1:1: the front matter is missing: the file must begin with a line ---"}},
		{"a listing that there is not", "projects/cat.de.md", "---\nname: Katze\n---\n", []string{
			"projects/cat.de.md:1:1: translates nothing, because there is no projects/cat.md: write that file, or remove this one"}},
		{"a page that there is not", "pages/terms.de.md", "---\ntitle: Bedingungen\n---\n", []string{
			"pages/terms.de.md:1:1: translates nothing, because there is no pages/terms.md: write that file, or remove this one"}},
		{"another language", "projects/bee.fr.md", "---\nname: Abeille\n---\n", []string{
			`projects/bee.fr.md:1:1: "bee.fr" is not a slug: use lower-case letters and digits, in groups joined by single hyphens; to translate bee, add fr to the setting languages`}},
		{"another language of the taxonomy", "taxonomy/categories.fr.yml", "[]\n", []string{
			"taxonomy/categories.fr.yml:1:1: warning: is not read; to translate categories, add fr to the setting languages"}},
		{"an entry that there is not", "taxonomy/categories.de.yml", "- {slug: chat-interfaces, name: Plaudern}\n- {slug: chats, name: Katzen}\n- {name: Hunde}\n", []string{
			`taxonomy/categories.de.yml:2:10: slug: "chats" is not in the file that this one translates: correct it, or remove the entry`,
			"taxonomy/categories.de.yml:3:3: the entry does not say what it translates: write the slug, or the key of a fact"}},
		{"an entry twice", "taxonomy/categories.de.yml", "- {slug: chat-interfaces, name: Plaudern}\n- {slug: chat-interfaces, name: Reden}\n", []string{
			`taxonomy/categories.de.yml:2:10: slug: there is another entry for "chat-interfaces": remove one of them`}},
		{"a file that is not read", "imports/list.de.yml", "a: b\n", []string{}},
		{"notes in another folder", "imports/notes.de.txt", "Notizen\n", []string{}},
		{"Markdown in another folder", "imports/notes.de.md", "Notizen\n", []string{
			"imports/notes.de.md:1:1: warning: is not read, because no glob in the setting include, which is [projects/**/*.md], matches: change include, or add a glob to exclude"}},
		{"what is no text of the taxonomy", "taxonomy/facts.de.yml", "- {key: size, kind: text, values: [{slug: huge, label: Riesig}]}\n", []string{
			"taxonomy/facts.de.yml:1:15: kind: is not a text, so it is the same in every language: remove it",
			`taxonomy/facts.de.yml:1:43: slug: "huge" is not in the file that this one translates: correct it, or remove the entry`}},
		{"a file without texts", "taxonomy/hardware.de.yml", "{}\n", []string{
			"taxonomy/hardware.de.yml:1:1: is not read, because nothing in taxonomy/hardware.yml is translated: remove it"}},
		{"too few headings", "taxonomy/words.de.yml", "headings: [Was]\n", []string{
			"taxonomy/words.de.yml:1:11: headings: has 1 texts: write 3, in place of What it does, Good fit if, Look elsewhere if"}},
		{"marks that are no hashes", "projects/bee.de.md", "---\nname: Biene\ntranslates:\n  name: abc\n  name: \"0123abcd\"\n---\n", []string{
			`projects/bee.de.md:4:9: translates.name: "abc" is not a hash, which has eight digits from 0 to f: remove it, and run catalog translated with this file`,
			"projects/bee.de.md:5:3: name: is repeated: remove one of them"}},
		{"marks that are a text", "projects/bee.de.md", "---\nname: Biene\ntranslates: all\n---\n", []string{
			"projects/bee.de.md:3:1: translates: must have keys of texts with the hashes that catalog translated writes: remove it, and run catalog translated with this file"}},
		{"a comma in braces", "taxonomy/categories.de.yml", "- {slug: chat-interfaces, name: Für das, was man sagt.}\n", []string{
			`taxonomy/categories.de.yml:1:42: "was man sagt." has no value: if it is part of a text with a comma, put the whole text in quotation marks, because within braces a comma ends it`}},
		{"a fact without a label", "taxonomy/facts.de.yml", "- {key: notes, label: Hinweise}\n", []string{
			"taxonomy/facts.de.yml:1:1: warning: has no label of size: they stay in the main language; add them here, even if they are the same"}},
		{"no YAML", "taxonomy/categories.de.yml", "- {slug: chat\n", nil},
		{"a page with the name of a language", "pages/de.md", "---\ntitle: A\ndescription: B.\n---\nC.\n", []string{
			"pages/de.md:1:1: /de/ is written by the build itself: choose another file name"}},
	} {
		_, _, got := translatedFolder().with(c.file, c.text).loadIn(t)
		if c.want == nil && c.text != "" {
			if len(got) != 1 || !strings.HasPrefix(got[0], c.file+":") {
				t.Errorf("%s: %q", c.about, got)
			}
			continue
		}
		t.Run(c.about, func(t *testing.T) { same(t, got, c.want) })
	}
}

// What is known of a listing without a translation does not hide an empty translation.
func TestEmptyTranslationAfterNone(t *testing.T) {
	f, store := translatedFolder(), memo.New()
	load := func() []string {
		_, findings := f.load(t, func(o *Options) {
			o.Settings.Languages = []string{"de"}
			o.Settings, o.Language, o.Memo = o.Settings.In("de"), "de", store
		})
		return texts(marked(findings))
	}
	same(t, load(), nil)
	f["projects/bee.de.md"] = ""
	same(t, load(), []string{"projects/bee.de.md:1:1: the front matter is missing: the file must begin with a line ---"})
}

// marked returns the folder with the translations of the ant and of the page marked as up to date.
func (f folder) marked(t *testing.T, again bool) folder {
	t.Helper()
	main, _, _ := f.loadIn(t)
	dir, now := f.write(t), maps.Clone(f)
	for _, name := range main.Translated() {
		_, after, err := main.MarkTranslated(dir, name, again)
		if err != nil {
			t.Fatal(err)
		}
		now[name] = string(after)
	}
	return now
}

// A translation that is marked as up to date is outdated once a text that it translates changes, and only then.
func TestOutdatedTranslations(t *testing.T) {
	ready := translatedFolder().with("pages/linked.md", "---\ntitle: Links\ndescription: Some.\n---\nThe [ant][g] and [two\nlines](../projects/ant.md).\n\n[g]: ../projects/ant.md\n").
		with("pages/linked.de.md", "---\ntitle: Links\n---\nWorte.\n").marked(t, false)
	if text := ready["projects/ant.de.md"]; !regexp.MustCompile(`\A---\nname: Ameise\npurpose: .*\nfitNotes:\n  notes: .*\ntranslates:\n  name: "\w{8}"\n  purpose: "\w{8}"\n  fitNotes.notes: "\w{8}"\n  body: "\w{8}"\n---\n## Was`).MatchString(text) {
		t.Errorf("the marked translation is %s", text)
	}
	if again := ready.marked(t, true); !maps.Equal(again, ready) {
		t.Errorf("marked again, it is %s", again["projects/ant.de.md"])
	}
	const remedy = " since it was translated: correct the translation where it is no longer right, then run catalog translated with this file"
	for _, c := range []struct {
		about, file, from, to string
		want                  []string
	}{
		{"nothing", "projects/ant.md", "Ant", "Ant", nil},
		{"how it is written", "projects/ant.md", "notes: [Bites]", "notes:\n    - \"Bites\"", nil},
		{"a fact that is no text", "projects/ant.md", "size: small", "size: large", nil},
		{"a fact", "projects/ant.md", "Bites", "Stings", []string{
			"projects/ant.de.md:5:3: warning: fitNotes.notes: has changed in projects/ant.md:8" + remedy}},
		{"two texts", "projects/ant.md", "ights the way.", "ights.", []string{
			"projects/ant.de.md:3:1: warning: purpose: has changed in projects/ant.md:3" + remedy,
			"projects/ant.de.md:12:1: warning: body: has changed in projects/ant.md:11" + remedy}},
		{"a text that is gone", "projects/ant.md", "  notes: [Bites]\n", "", []string{
			"projects/ant.de.md:5:3: warning: fitNotes.notes: has changed in projects/ant.md" + remedy}},
		{"a page", "pages/about.md", "Text.", "Texts.", []string{
			"pages/about.de.md:9:1: warning: body: has changed in pages/about.md:5" + remedy}},
		{"a link", "pages/about.md", "Text.", "[Text](../projects/ant.md).", nil},
		{"a link with a title", "pages/about.md", "Text.", "[Text](../projects/ant.md \"The ant\").", nil},
		{"a link that leads elsewhere", "pages/about.md", "Text.", "[Text](https://code.example.org/README.md).", []string{
			"pages/about.de.md:9:1: warning: body: has changed in pages/about.md:5" + remedy}},
		{"the target of a reference", "pages/linked.md", "[g]: ../projects/ant.md", "[g]: ../projects/bee.md", nil},
		{"the target over two lines", "pages/linked.md", "lines](../projects/ant.md)", "lines](../projects/bee.md)", nil},
	} {
		now := maps.Clone(ready)
		if now[c.file] = strings.ReplaceAll(now[c.file], c.from, c.to); c.from != c.to && now[c.file] == ready[c.file] {
			t.Fatalf("%s: %s has no %q", c.about, c.file, c.from)
		}
		t.Run(c.about, func(t *testing.T) {
			_, _, got := now.loadIn(t)
			slices.Sort(got)
			want := slices.Clone(c.want)
			slices.Sort(want)
			if same(t, got, want); len(want) == 0 {
				return
			}
			// Nothing but a mark of this very translation settles it.
			_, _, got = now.marked(t, false).loadIn(t)
			slices.Sort(got)
			same(t, got, want)
			_, _, got = now.marked(t, true).loadIn(t)
			same(t, got, nil)
		})
	}
}

// A translation that is not marked says so once. What it translates later is marked without the rest.
func TestUnmarkedTranslations(t *testing.T) {
	unmarked := func(f folder) (list []string) {
		_, findings := f.load(t, func(o *Options) {
			o.Settings.Languages = []string{"de"}
			o.Settings, o.Language = o.Settings.In("de"), "de"
		})
		for _, finding := range findings {
			if finding.Rule.Name == rule.UnmarkedTranslation.Name {
				list = append(list, finding.String())
			}
		}
		return list
	}
	says := func(main, texts string) string {
		return ":1:1: warning: does not say which version of " + main + " it translates: if it is up to date (" + texts +
			"), run catalog translated with this file, and lint will say when a text has changed"
	}
	same(t, unmarked(translatedFolder()), []string{
		"pages/about.de.md" + says("pages/about.md", "title, description, body"),
		"projects/ant.de.md" + says("projects/ant.md", "name, purpose, fitNotes.notes, body")})
	f := translatedFolder().marked(t, false)
	same(t, unmarked(f), nil)
	f["projects/ant.de.md"] = strings.Replace(f["projects/ant.de.md"], "\nname:", "\njobs: [krabbeln]\nname:", 1)
	same(t, unmarked(f), []string{"projects/ant.de.md" + says("projects/ant.md", "jobs")})
	mark := regexp.MustCompile(`  body: "\w{8}"`)
	before := mark.FindString(f["projects/ant.de.md"])
	f["projects/ant.md"] += "\nMore.\n"
	f = f.marked(t, false)
	same(t, unmarked(f), nil)
	if after := mark.FindString(f["projects/ant.de.md"]); after != before || before == "" || after == mark.FindString(f.marked(t, true)["projects/ant.de.md"]) {
		t.Errorf("the mark of the text below was %q and is %q", before, after)
	}
}

// Marks are written beside every other key, in files of all kinds, or not at all.
func TestMarkTranslatedFiles(t *testing.T) {
	for _, c := range []struct{ about, text, want string }{
		{"no keys", "---\n---\nWorte.\n", "---\ntranslates:\n  body: \"HASH\"\n---\nWorte.\n"},
		{"other marks before a comment", "---\ntranslates:\n  name: \"00000000\"\n# Tiere\nname: Imme\n---\n", "---\n# Tiere\nname: Imme\ntranslates:\n  name: \"HASH\"\n---\n"},
		{"line breaks of Windows", "---\r\nname: Imme\r\n---\r\n", "---\r\nname: Imme\r\ntranslates:\r\n  name: \"HASH\"\r\n---\r\n"},
		{"nothing translated", "---\n# Nichts\n---\n", "---\n# Nichts\n---\n"},
		{"keys in braces", "---\n{name: Imme}\n---\n", "2: the key translates cannot be added here: write each key of the front matter on a line of its own"},
		{"comments at marks", "---\nname: Imme\ntranslates:\n  # Anna hat\n  name: \"00000000\" # sie gelesen\n---\n", "---\nname: Imme\n# Anna hat\n# sie gelesen\ntranslates:\n  name: \"HASH\"\n---\n"},
		{"a key twice", "---\nname: Imme\nname: Biene\n---\n", "3: name: is repeated: remove one of them"},
		{"a fact", "---\nstars: 3\n---\n", "2: stars: is not a text"},
		{"no front matter", "Imme\n", "1: the front matter is missing"},
		{"no marks", "---\nname: Imme\ntranslates: [name]\n---\n", "3: translates: must have keys of texts"},
	} {
		f := translatedFolder().with("projects/bee.de.md", c.text)
		main, _, _ := f.loadIn(t)
		_, after, err := main.MarkTranslated(f.write(t), "projects/bee.de.md", true)
		got := regexp.MustCompile(`"\w{8}"`).ReplaceAllString(string(after), `"HASH"`)
		if wrong, ok := errors.AsType[*canonical.Error](err); ok {
			got = fmt.Sprintf("%d: %s", wrong.Problems[0].Line, wrong.Problems[0].Message)
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.about, got, c.want)
		}
	}
}
