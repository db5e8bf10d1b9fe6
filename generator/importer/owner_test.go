package importer_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrongPaths checks that a path that no entry has is an error with its place, and that nothing is written.
func TestWrongPaths(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[{"Name": "A", "Ticket price": "5", "tags": [], "by": null}, {"Name": "B"}]`})
	before := c.files()
	_, err := c.prepare(t.Context(), filepath.Join(c.source, "a.json"), `key: [nmae, id]
skip:
  - from: gone
fields:
  name: Nmae
  purpose: Name
  category: {from: Tikcet price, value: Others}
  fitNotes.price: Ticket prize
  fitNotes.school: {from: tags.name}
  topics: "tags[0].name"
  language: by.name
  docsUrl: [docs, Name]
  homepageUrl: "@section"
facts:
  - {key: price, kind: text, label: Price, meaning: Its price.}
  - {key: school, kind: text, label: School, meaning: Its school.}
`)
	if err == nil {
		t.Fatal("the map is accepted")
	}
	var got []string
	for line := range strings.Lines(err.Error()) {
		got = append(got, strings.TrimPrefix(strings.TrimSpace(line), c.dir+"/"))
	}
	wanted := []string{`map.yml:1:7: no entry of the source has "nmae"; did you mean Name?`,
		`map.yml:1:13: no entry of the source has "id": the source has Name, Ticket price, tags, by, @file, @folder, @path, @key, @body, @section`,
		`map.yml:3:11: no entry of the source has "gone": the source has Name, Ticket price, tags, by, @file, @folder, @path, @key, @body, @section`,
		`map.yml:5:9: no entry of the source has "Nmae"; did you mean Name?`,
		`map.yml:7:20: no entry of the source has "Tikcet price"; did you mean Ticket price?`,
		`map.yml:8:19: no entry of the source has "Ticket prize"; did you mean Ticket price?`}
	if !slices.Equal(got, wanted) {
		t.Errorf("the error is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
	if after := c.files(); !slices.Equal(before, after) {
		t.Errorf("the import has written: %q", after)
	}
}

// imported imports a table with the columns Name and V into the fact v, which a definition completes, and returns its
// value in the listing, or the note about it.
func imported(t *testing.T, field, fact string, texts ...string) (results []string) {
	t.Helper()
	rows := "Name,V\n"
	for i, text := range texts {
		rows += fmt.Sprintf("Thing %02d,%q\n", i, text)
	}
	c := newCatalogue(t, map[string]string{"a.csv": strings.ReplaceAll(rows, `\"`, `""`)})
	plan := c.run(c.source, "fields:\n  name: Name\n  purpose: Name\n  category: {value: All}\n  fitNotes.v: "+field+
		"\nfacts:\n  - {key: v, label: V, meaning: Its value., "+fact+"}\n")
	notes := c.notes(plan)
	for i, text := range texts {
		result := ""
		for line := range strings.Lines(c.read(c.listing(fmt.Sprintf("thing-%02d", i))) + notes) {
			if value, ok := strings.CutPrefix(line, "  v: "); ok {
				result = value
			}
			if _, note, ok := strings.Cut(line, fmt.Sprintf("a.csv:%d:10: left out: fitNotes.v %q: ", i+2, text)); ok {
				result += "! " + note
			}
		}
		results = append(results, strings.TrimSpace(result))
	}
	return results
}

// wantImported checks what becomes of texts: pairs of a text and its value or, after an exclamation mark, the beginning
// of the note about it.
func wantImported(t *testing.T, field, fact string, pairs ...[2]string) {
	t.Helper()
	var texts []string
	for _, pair := range pairs {
		texts = append(texts, pair[0])
	}
	for i, got := range imported(t, field, fact, texts...) {
		if wanted := pairs[i][1]; got != wanted && !(strings.HasPrefix(wanted, "!") && strings.HasPrefix(got, wanted)) {
			t.Errorf("%s %s: %q becomes %q, want %q", field, fact, pairs[i][0], got, wanted)
		}
	}
}

// TestCurrencies checks that amounts keep the currency that the source gives them.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{{"5,00 €", "5"}, {"7,50", "7.5"}, {"£9.00", "{amount: 9, currency: GBP}"},
		{"$1,234.50", "{amount: 1234.5, currency: USD}"}, {"CHF 12", "{amount: 12, currency: CHF}"},
		{"CHF 12.–", "{amount: 12, currency: CHF}"}, {"12 CHF", "{amount: 12, currency: CHF}"},
		{"USD 5", "{amount: 5, currency: USD}"}, {"¥1200", "{amount: 1200, currency: JPY}"},
		{"12,50 €", "12.5"}, {"EUR 3", "3"}, {"CA$ 4", "{amount: 4, currency: CAD}"}, {"0", "0"}, {"-5 €", "-5"},
		{"1.234,50 €", "1234.5"}, {"US$ 5 USD", "{amount: 5, currency: USD}"},
		{"9 ₿", `! "₿" is no known sign or code of a currency`}, {"5 kr", `! "kr" may stand for DKK, ISK, NOK, SEK`},
		{"5 € CHF", `! "€ CHF" is no known sign`}, {"€ 5 CHF", "! it has two currencies, EUR and CHF"},
		{"8–12 €", "! it is not one amount of money"}, {"ask at the desk", "! it is not one amount of money"}}
	wantImported(t, "V", "kind: money, currency: EUR", pairs...)
	wantImported(t, "{from: V, with: number}", "kind: money, currency: EUR", pairs...)
	wantImported(t, "V", "kind: money, currency: CAD, most: 100", [2]string{"$5", "5"}, [2]string{"£5", "{amount: 5, currency: GBP}"},
		[2]string{"500", "! 500 is out of bounds: a number of at most 100 is allowed"})
	wantImported(t, "V", "kind: money, currency: SEK", [2]string{"5 kr.", "5"})
	wantImported(t, "V", "kind: money", [2]string{"5 €", "{amount: 5, currency: EUR}"}, [2]string{"5", "! the currency is missing"})
}

// TestOneBadValue checks that a value that cannot be written is left out alone, and what texts become that look like
// other values.
func TestOneBadValue(t *testing.T) {
	t.Parallel()
	const date = "! it is not a day, a month or a year"
	wantImported(t, "V", "kind: date", [2]string{"c. 1980", date}, [2]string{"May 5", date}, [2]string{"2026-02-30", date},
		[2]string{"0", date}, [2]string{"1e3", date}, [2]string{"yes", date}, [2]string{"~", date})
	wantImported(t, "V", "kind: text", [2]string{"007", `"007"`}, [2]string{"1e3", `"1e3"`}, [2]string{"yes", `"yes"`},
		[2]string{"~", `"~"`}, [2]string{"1899", `"1899"`}, [2]string{"0x1F", `"0x1F"`}, [2]string{"12:30", `"12:30"`}, [2]string{"2026-09-01", `"2026-09-01"`}, [2]string{"# 1", `"# 1"`}, [2]string{"a: b", `"a: b"`})
	wantImported(t, "V", "kind: link", [2]string{"https://a.example/1", "https://a.example/1"}, [2]string{"007", "! "}, [2]string{"yes", "! "})
	wantImported(t, "V", "kind: number", [2]string{"007", "7"}, [2]string{"1e3", "! it is not one number"}, [2]string{"~", "! it is not one number"})
	wantImported(t, "V", "kind: choice", [2]string{"yes", `"yes"`}, [2]string{"007", `"007"`})

	c := newCatalogue(t, map[string]string{"a.csv": "Name,T,L\nA,a:b \ue000,MIT\n"})
	plan := c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, topics: T, license: L}\n")
	want(t, "the listing", c.read(c.listing("a")), "license: MIT\n")
	want(t, "the notes", c.notes(plan), `a.csv:2:3: left out: topics "a:b \ue000": cannot be formatted`)
}

// TestDates checks that facts may be from long ago, and months and years, and that dates of the program may not.
func TestDates(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{{"1852", "1852"}, {"1899-12-31", "1899-12-31"}, {"sep 1970", "1970-09"}, {"2026-09", "2026-09"},
		{"0850", "850"}, {"09/1852", "1852-09"}, {"3 May 1852", "1852-05-03"}, {"0000", "! it is not a day"},
		{"03/04/1852", "! it is not a day"}, {"0001-01-01T00:00:00Z", "! it is what programs write"}, {"1852-05-03T10:00:00Z", "1852-05-03"}, {"0000-01-01", "! it is not a day"}}
	wantImported(t, "V", "kind: date", pairs...)
	wantImported(t, "{from: V, with: date}", "kind: date", pairs...)
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Made,Changed\nA,1852-01-01,2026-09\n"})
	plan := c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, createdAt: {from: Made, with: date}, updatedAt: {from: Changed, with: date}}\n")
	want(t, "the notes", c.notes(plan), `a.csv:2:3: left out: createdAt "1852-01-01": "1852-01-01" is before 1900`,
		`a.csv:2:14: left out: updatedAt "2026-09": it is not a day that can be read in one way`)
}
