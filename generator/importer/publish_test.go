package importer_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/generator/importer"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// guessed returns the map that is guessed for a source, without comments, and the reasons.
func guessed(t *testing.T, c *catalogue, file string) (text, reasons string) {
	t.Helper()
	whole, why, err := importer.Guess(t.Context(), filepath.Join(c.source, file), c.options())
	if err != nil {
		t.Fatal(err, why)
	}
	if plan := c.run(filepath.Join(c.source, file), string(whole)); plan.Count(importer.Skipped) > 1 {
		t.Errorf("an import with the map: %s", c.notes(plan))
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(whole), "\n"), func(s string) bool { return strings.Contains(s, "# ") })
	return strings.Join(lines, ""), strings.Join(why, "\n")
}

// TestGuessNested checks that the entries are things and not the pictures of each, and what is taken of their groups.
func TestGuessNested(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 20 {
		items = append(items, fmt.Sprintf(`{"id": "P%d", "title": "Dress %d", "maker": {"website": "https://%d.example"}, "tags": ["a", "b"],
 "category": {"slug": "c%d", "name": "Kind %d"}, "about": "It is sewn of cloth.", "images": [{"src": "a.jpg", "alt": "Front"}, {"src": "b.jpg", "alt": ""}, {"src": "c.jpg"}],
 "url": "/p/%d", "rating": {"avg": 4.%d}}`, i, i, i%3, i%3, i%3, i, i%5))
	}
	c := newCatalogue(t, map[string]string{"a.json": `{"meta": {"n": 20}, "items": [` + strings.Join(items, ",") + "]}"})
	text, reasons := guessed(t, c, "a.json")
	want(t, "the map", text, "key: id\n", "entries: items[]\n", "  category:\n    from: category.name\n", "  topics:\n    from: tags\n", "  label: Maker website\n", "parameter: minRatingAvg")
	want(t, "the reasons", reasons, "the longest list, with 20 entries", `not taken: "url" has addresses without a host`, `not taken: "images.src" names pictures`, `not taken: "images.alt" describes pictures`)
	if strings.Contains(text, "category.slug") || strings.Contains(text, "homepageUrl") {
		t.Errorf("the map is\n%s", text)
	}
}

// TestGuessAwesome checks what is taken of items of a list in Markdown.
func TestGuessAwesome(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.md": "# Books\n\n## Novels\n\n" + strings.Repeat("- [The Clock](https://a.example/1) by Ann Lee - A town loses its clock. `CC0` `pdf`\n"+
		"- [The River](https://a.example/2) by Bo Ek – A town finds its river. `CC-BY-4.0`\n", 1) +
		"\n## Essays\n\n- [On Salt](https://a.example/3) by Ann Lee - All about salt. `BSD-3`\n\n## Contributing\n\n- [Conduct](https://a.example/4)\n"})
	text, reasons := guessed(t, c, "a.md")
	want(t, "the map", text, "skip:\n- from: \"@section\"\n  is: Contributing\n", "  license:\n", "codes[0]", "    with: after - – —\n", "- after by By\n", "  label: By\n")
	want(t, "the reasons", reasons, "skip: what is below Contributing is about the list")
	want(t, "the clock", c.read(c.listing("the-clock")), "purpose: A town loses its clock.\n", "license: CC0-1.0\n", "  by: Ann Lee\n")
}

// TestGuessTables checks names, units, years, numbers that are names, and what stands for missing descriptions.
func TestGuessTables(t *testing.T) {
	t.Parallel()
	museum := "accession_no\ttitle\tdepartment\tdescription\theight_cm\tacquired_year\tgallery_no\tmaterials\trecord_url\ttype_of\n"
	tools := "Tool,What it does,Language,Last release,Stars,Photo,Manual,Users min\n"
	huts := "Name;Art;Region;Höhe;Telefon;Betten;Beschreibung\n"
	for i := range 40 {
		about := []string{"It was found in a field and mended.", ""}[i%2]
		museum += fmt.Sprintf("A.%d\tBowl %d\t%s\t%s\t%d.5\t%d\t%d\t%s\thttps://m.example/%d\t%s\n", 100+i, i%5, []string{"Glass", "Wood"}[i%2], about, i, 1900+i, i%9,
			[]string{"silk", "wool", "silk; gold", "wood"}[i%4], i, []string{"old", "new", "lent"}[i%3])
		tools += fmt.Sprintf("tool%[1]d,Filters many files by their names,%[2]s,%[3]s,%[4]s,https://a.example/%[1]d.jpg,https://a.example/%[1]d,%[1]d\n", i, []string{"Go", "Rust"}[i%2], []string{"2024", "2025", ""}[i%3], []string{"1.2k", "340"}[i%2])
		huts += fmt.Sprintf("Haus %d;%s;%s;%s1.%03d m;+43 5%03d %05d;%d;%s\n", i, []string{"Alm", "Biwak"}[i%2], []string{"Ost", "West", "Süd"}[i%3], []string{"", "", "", "ca. "}[i%4], 100+i, 200+i, i, 10*i, about)
	}
	c := newCatalogue(t, map[string]string{"m.tsv": museum, "t.csv": tools, "h.csv": huts})
	text, _ := guessed(t, c, "m.tsv")
	want(t, "the map", text, "  name:\n    join:\n    - title\n    - accession_no\n    by: \", \"\n", "    join:\n    - department\n    - materials\n    - type_of\n    by: \", \"\n",
		"  category:\n    from: department\n", "  homepageUrl:\n    from: record_url\n",
		"  kind: number\n  label: Height\n", "  chip:\n    known: Height\n  sort: asc\n",
		"- key: acquiredYear\n  kind: date\n", "- key: galleryNo\n  kind: text\n", "- key: materials\n  kind: choices\n")
	want(t, "a bowl", c.read(c.listing("bowl-1-a-101")), "name: Bowl 1, A.101\n", "purpose: Wood, wool, new\n", "  heightCm: 1.5\n  acquiredYear: 1901\n")
	text, _ = guessed(t, c, "t.csv")
	want(t, "the map", text, "  category:\n    value: All\n", "  language:\n    from: Language\n", "  docsUrl:\n    from: Manual\n", "  label: Users min\n")
	if strings.Contains(text, "homepageUrl") || strings.Contains(text, "unit: min") {
		t.Errorf("the map is\n%s", text)
	}
	want(t, "a tool", c.read(c.listing("tool2")), "stars: 1200\n")
	text, _ = guessed(t, c, "h.csv")
	want(t, "the map", text, "- key: telefon\n  kind: text\n", "- key: hohe\n  kind: number\n  label: Höhe\n", "parameter: minBetten")
	want(t, "a hut", c.read(c.listing("haus-3")), "+43 5203 00003", "purpose: Biwak, Ost\n")
}

// TestGuessNames checks that a unique column is the name before one of something within, that the names of other
// entries are relations, that tags are no category, and that streets behind numbers are no units.
func TestGuessNames(t *testing.T) {
	t.Parallel()
	var items []string
	rows := "N° parcelle;Terrain;Adresse;Surface (m2);Date;Eau\n"
	for i := range 20 {
		items = append(items, fmt.Sprintf(`{"model": "Kestrel %d", "maker": {"name": "Maker %d"}, "tags": [["jazz", "travel"], "vintage, jazz"][0], "similar": ["Kestrel %d"], "weight": "%s"}`,
			i, i%3, (i+1)%20, []string{"4,1 kg", "3500 g", "7.8 lb"}[i%3]))
		items[i] = strings.Replace(items[i], `[["jazz", "travel"], "vintage, jazz"][0]`, []string{`["jazz", "travel"]`, `"vintage, jazz"`}[i%2], 1)
		rows += fmt.Sprintf("P-%d;Parcelle %d;%d %s;%d %s;%02d/11/2021;%s\n", i, i, i+1, []string{"rue Haute", "chemin des Lavoirs", "rue Basse"}[i%3], 50+i, []string{"m2", "m²"}[i%2], i+1, []string{"O", "N"}[i%2])
	}
	c := newCatalogue(t, map[string]string{"a.jsonl": strings.Join(items, "\n"), "b.csv": rows})
	text, _ := guessed(t, c, "a.jsonl")
	want(t, "the map", text, "  name:\n    from: model\n", "  category:\n    from: maker.name\n", "  topics:\n    from: tags\n    with: split\n", "  kind: relation\n", "  unit: kg\n")
	want(t, "a guitar", c.read(c.listing("kestrel-2")), "similar: [kestrel-3]\n", "topics: [jazz, travel]\n", "weight: 3.53802\n")
	c = newCatalogue(t, map[string]string{"b.csv": rows})
	c.edit(filepath.Join(c.dir, "catalog.yml"), "lang: en", "lang: fr")
	text, _ = guessed(t, c, "b.csv")
	want(t, "the map", text, "  name:\n    from: Terrain\n", "- key: adresse\n  kind: text\n", "  kind: number\n  label: Surface\n", "  unit: m²\n", "- key: date\n  kind: date\n")
	want(t, "a plot", c.read(c.listing("parcelle-2")), `adresse: "3 rue Basse"`, "surfaceM2: 52\n", "eau: true\n", "date: 2021-11-03\n")
}

// TestPublishable checks that a catalogue made by the commands alone has a page about it that is finished, and that lint
// only advises, once, to describe the categories. The page says on which day listings last came of the list.
func TestPublishable(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"lutes.csv": "Lute,Family\nOne,Plucked\nTwo,Bowed\nThree,Plucked\nFour,Bowed\nFive,Plucked\nSix,Bowed\n"})
	guessed(t, c, "lutes.csv")
	loaded, findings, err := lint.Load(t.Context(), c.options(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) != 1 || findings[0].Rule.Name != rule.Unwritten.Name || !strings.HasSuffix(findings[0].Message, ": plucked, bowed") {
		t.Errorf("the findings are %v", findings)
	}
	want(t, "the page", loaded.Pages[0].Body, "Things, with the facts to choose by.", "`lutes.csv` (last imported on 2026-11-29)", "shown as unknown")
	if got := loaded.Taxonomy.Categories[0].Description; got != "Five, One and Three." {
		t.Errorf("the category is described as %q", got)
	}
	for _, last := range []string{"2026-11-29", "2026-12-01"} { // nothing has changed on the next day, and then there is a lute more
		c.today = "2026-12-01"
		guessed(t, c, "lutes.csv")
		want(t, "the state", c.read(filepath.Join(c.dir, "content", "imports", "things.jsonl")), `{"list":"lutes.csv","imported":"`+last+`"}`)
		c.edit(filepath.Join(c.source, "lutes.csv"), "Six,Bowed", "Six,Bowed\nSeven,Bowed")
	}
}

// TestGuessMixed checks columns whose values are not all of one form, and what is no number, no choice and no
// programming language.
func TestGuessMixed(t *testing.T) {
	t.Parallel()
	huts, courses := "Hut,Valley,Beds,Walk,Market,Note,Built,From,Weight (g),Filter (mm),Score,Rent\n", ""
	for i := range 40 {
		huts += fmt.Sprintf("Hut %d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", i, []string{"Ost", "West"}[i%2], []string{"12", "40", "ca. 30", "8 + 20", "60"}[i%5], []string{"2 h", "2–3 h", "up to 90 min", "1 h 30"}[i%4],
			[]string{"8–13 Uhr", "7:00 - 12:30", "10–18 Uhr", "8-12"}[i%4], []string{"Bring a dog.", "No dogs please."}[i%2], []string{"1890", "c. 1920", "1955", "2001"}[i%4], []string{"from 25 €", "38 €"}[i%2],
			[]string{"80", "", "95", ""}[i%4], []string{"49", "52"}[i%2], []string{"7.2/10", "8.5", "9"}[i%3], []string{"40 €", "35 €", "closed"}[i%3])
		courses += fmt.Sprintf(`{"code": "C%d", "name": "Course %d", "field": "%s", "language": "%s", "lecturers": [{"name": "Ann Lee"}, {"name": "Bo Ek"}], "needs": ["C%d"], "prerequisites": ["C%d"], "countries": "%s"}`+"\n",
			i, i, []string{"Law", "Art"}[i%2], []string{"en", "de"}[i/20], i/2, (i+1)%40, []string{"Peru, Chile", "Peru", "Chile / Cuba", "Cuba"}[i%4])
	}
	c := newCatalogue(t, map[string]string{"huts.csv": huts, "courses.jsonl": courses})
	text, _ := guessed(t, c, "huts.csv")
	want(t, "the map", text, "- key: beds\n  kind: number\n", "  parameter: minBeds\n", "- key: walk\n  kind: range\n", "- key: market\n  kind: choice\n", "- key: note\n  kind: text\n",
		"- key: built\n  kind: choice\n", "- key: from\n  kind: money\n", "- key: score\n  kind: number\n", "parameter: minScore", "- key: rent\n  kind: money\n")
	if n := strings.Count(text, "  sort: asc\n"); n != 3 || strings.Contains(text[strings.Index(text, "- key: weight"):strings.Index(text, "- key: filter")], "sort") {
		t.Errorf("%d facts have an order, or the wrong ones:\n%s", n, text)
	}
	want(t, "a hut", c.read(c.listing("hut-2")), "  beds: 30\n", "walk: {to: 1.5}\n", "  from: 25\n")
	c = newCatalogue(t, map[string]string{"courses.jsonl": courses})
	text, _ = guessed(t, c, "courses.jsonl")
	want(t, "the map", text, "key: code\n", "  label: Lecturers\n", "- key: prerequisites\n  kind: relation\n", "- key: countries\n  kind: choices\n", "  label: Language\n")
	if strings.Contains(text, "\n  language:") {
		t.Errorf("a spoken language is one of programs:\n%s", text)
	}
}

// TestGuessRepeated checks what is taken of a table whose names are not all different, of checksums, of addresses of
// repositories with another name, of prices for a time, and of names that are given twice.
func TestGuessRepeated(t *testing.T) {
	t.Parallel()
	table := "Sort,Kind,Commit,Where,Fee\n"
	json := ""
	for i := range 40 {
		table += fmt.Sprintf("Bean %d,%s,%040x,https://github.com/a/b%d,%s\n", i%30, []string{"Pole", "Bush"}[i%2], i, i,
			[]string{"25 €/h", "40 € / day", "free"}[i%3])
		json += fmt.Sprintf(`{"name": "n%[1]d", "full_name": "n%[1]d", "about": "It turns wheel %[1]d.", "after": "n%[2]d"}`+"\n", i, i/2)
	}
	text, reasons := guessed(t, newCatalogue(t, map[string]string{"a.csv": table}), "a.csv")
	want(t, "the map", text, "  name:\n    from: Sort\n", "  repositoryUrl:\n    from: Where\n    with: repository\n")
	want(t, "the reasons", reasons, `not taken: "Commit" has checksums`, `the one with the most is taken: "Sort"`)
	if strings.Contains(text, "split") {
		t.Errorf("the map is\n%s", text)
	}
	text, reasons = guessed(t, newCatalogue(t, map[string]string{"a.jsonl": json}), "a.jsonl")
	want(t, "the map", text, "- key: after\n  kind: relation\n")
	want(t, "the reasons", reasons, `not taken: "full_name" has the values of "name" again`)
	text, _ = guessed(t, newCatalogue(t, map[string]string{"a.csv": "Pris;Färg;Typ;Beskrivning;Namn\n9;blå;Ros;Doftar och blommar länge.;Åsa\n" +
		"8;röd;Ros;Tål skugga och blommar tidigt.;Eva\n7;röd;Lin;Blommar i juni med små blå blommor.;Ida\n"}), "a.csv")
	want(t, "the map", text, "    from: Namn\n", "    from: Beskrivning\n", "    from: Typ\n")
	text, _ = guessed(t, newCatalogue(t, map[string]string{"a.csv": "Brand,Model,About\nZed,A1,It cuts thick wood.\nZed,A2,It cuts hard stone.\nYork,A3,It cuts cloth.\n"}), "a.csv")
	want(t, "the map", text, "  name:\n    join:\n    - Brand\n    - Model\n    by: \" \"\n")
	_, why, _ := importer.Guess(t.Context(), filepath.Join(newCatalogue(t, map[string]string{"b.csv": "A,B\n1,2\n1,2\n"}).source, "b.csv"), newCatalogue(t, nil).options())
	want(t, "the reasons", strings.Join(why, "\n"), "name: no column has one")
}

// TestGuessOfText checks that the first sentence of the text is the purpose of pages without a description.
func TestGuessOfText(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	for i := range 20 {
		pages[fmt.Sprintf("content/dish-%d.md", i)] = fmt.Sprintf("+++\ntitle = \"Dish %d\"\ncategories = [\"C%d\"]\nimage = \"images/the-dish-of-the-day-%d.jpg\"\n+++\nDish %d is warm. Eat it with a spoon of cream, and with bread from the day before.\n", i, i%3, i, i)
	}
	c := newCatalogue(t, pages)
	text, _ := guessed(t, c, "content")
	want(t, "the map", text, "    from: \"@body\"\n    with:\n    - plain\n    - first-sentence\n", "  body:\n")
	want(t, "a dish", c.read(c.listing("dish-4")), "purpose: Dish 4 is warm.\n", "Eat it with")
}
