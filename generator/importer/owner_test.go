package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/generator/importer"
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
  installLinks.docs: "@chapter"
  body: "@parent"
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
		`map.yml:1:13: no entry of the source has "id": the source has Name, Ticket price, tags, by`,
		`map.yml:3:11: no entry of the source has "gone": the source has Name, Ticket price, tags, by`,
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
	pairs := [][2]string{{"5,00 €", "5"}, {"7,50", "7.5"}, {"$1,234.50", "{amount: 1234.5, currency: USD}"}, {"EUR 3", "3"},
		{"1 234,50 €", "1234.5"}, {"1,234 €", "! it may mean thousands"}, {"0.125 €", "0.125"}, {"0", "0"},
		{"1.234 €", "! it may mean thousands or three decimals"}, {"gratuit", "0"}, {"9 ₿", `! "₿" is no known sign or code of a currency`}}
	wantImported(t, "V", "kind: money, currency: EUR", pairs...)
	wantImported(t, "{from: V, with: number}", "kind: money, currency: EUR", pairs...)
	wantImported(t, "V", "kind: money, currency: CAD, most: 100", [2]string{"$5", "5"}, [2]string{"£5", "{amount: 5, currency: GBP}"},
		[2]string{"500", "! 500 is out of bounds: a number of at most 100 is allowed"})
	wantImported(t, "V", "kind: money", [2]string{"5 €", "{amount: 5, currency: EUR}"}, [2]string{"5", "! the currency is missing"})
}

// TestScales checks that numbers in words are read whole, or left out, and never without the word.
func TestScales(t *testing.T) {
	t.Parallel()
	wantImported(t, "V", "kind: number", [2]string{"1.2 million", "1200000"}, [2]string{"3 thousand", "3000"}, [2]string{"2.5k", "2500"}, [2]string{"3M", "3000000"}, [2]string{"950000", "950000"}, [2]string{"2 dozen", "24"},
		[2]string{"1.4 billion", "! the word or letter behind it stands for different numbers: write the number in digits"}, [2]string{"300 K", "! the word or letter"})
	wantImported(t, "V", "kind: number, unit: people", [2]string{"1.2 million", "1200000"}, [2]string{"3 thousand people", "3000"}, [2]string{"12 k", `! its unit is "k", and that of the fact is "people"`}, [2]string{"25 %", `! its unit is "%"`}, [2]string{"9 people", "9"})
	wantImported(t, "V", "kind: number, unit: million", [2]string{"1.2 million", "1.2"}, [2]string{"800 thousand", "0.8"}, [2]string{"3", "3"})
	wantImported(t, "V", "kind: number, unit: K", [2]string{"300 K", "300"}, [2]string{"20K", "20"})
	wantImported(t, "V", "kind: number, unit: km", [2]string{"10k", `! its unit is "k"`}, [2]string{"3 thousand km", "3000"}, [2]string{"5 km", "5"})
	wantImported(t, "V", "kind: number, unit: h", [2]string{"5 h per week", `! its unit is "h per week", and that of the fact is "h"`}, [2]string{"5 h", "5"}, [2]string{"6 h", "6"})
	wantImported(t, "V", "kind: number, unit: €/h", [2]string{"25 €/h", "25"}, [2]string{"7,50 €/h", "7.5"})
	wantImported(t, "V", "kind: range, unit: people", [2]string{"1–2 million", "{from: 1000000, to: 2000000}"}, [2]string{"up to 3 thousand people", "{to: 3000}"}, [2]string{"1–2 billion", "! the word or letter"})
	wantImported(t, "V", "kind: money, currency: EUR", [2]string{"1.2 million €", "1200000"}, [2]string{"$2.5K", "{amount: 2500, currency: USD}"}, [2]string{"25 €/h", `! it is an amount for each of something: to have such amounts, give the fact kind: number and unit: "€/h"`})
	wantImported(t, "{from: V, with: number}", "kind: text", [2]string{"1.2 million people", `"1200000"`})
	text, _ := guessed(t, newCatalogue(t, map[string]string{"a.csv": "Town,About,People\nA,It is a town by a river.,1.2 million\nB,It has two old bridges.,950000\nC,It lies on an island.,2 million\nD,It is the largest.,1 billion\n"}), "a.csv")
	if want(t, "the map", text, "kind: number"); strings.Contains(text, "unit") {
		t.Errorf("a word for a number is a unit:\n%s", text)
	}
	for _, unit := range []string{"Mio. €", "€ million", "bn €", "k€", "1000 €"} {
		c := newCatalogue(t, map[string]string{"a.csv": "Town,About,Cost (" + unit + ")\nA,It is a town by a river.,€ 12\nB,It has two old bridges.,€ 9.5\n"})
		if text, _ := guessed(t, c, "a.csv"); strings.Contains(text, "kind: money") {
			t.Errorf("amounts in %s are mere money:\n%s", unit, text)
		}
	}
}

// TestNumbersInTwoWays checks that the other numbers of a column, the map or the language decide what 1.357 is, and that
// it is left out where none does.
func TestNumbersInTwoWays(t *testing.T) {
	t.Parallel()
	const number, wrong = "kind: number", "! it may mean thousands or three decimals: if a comma stands before decimals"
	wantImported(t, "{from: V, with: number}", number, [2]string{"1.357 m", "1357"}, [2]string{"1448m", "1448"}, [2]string{"~2421", "2421"})
	wantImported(t, "V", number, [2]string{"1.020", wrong}, [2]string{"1,020", "1020"}, [2]string{"45", "45"}) // lang is en
	wantImported(t, `{from: V, with: "number ,"}`, number, [2]string{"1.020", "1020"}, [2]string{"1,020", "1.02"}, [2]string{"2.5", "2.5"})
	wantImported(t, `{from: V, values: {a: "1.357"}}`, number, [2]string{"a", "1.357"}, [2]string{"200", "200"})
	wantImported(t, "V", "kind: range", [2]string{"1.200–1.500", "{from: 1200, to: 1500}"}, [2]string{"900 to 1000", "{from: 900, to: 1000}"})
	wantImported(t, "V", "kind: range", [2]string{"1.200–1.500", wrong}, [2]string{"9 to 10", "{from: 9, to: 10}"})
	wantImported(t, `{from: V, with: number .}`, "kind: money, currency: EUR", [2]string{"1.250 €", "1.25"}, [2]string{"1,250 $", "{amount: 1250, currency: USD}"})
	wantImported(t, "V", "kind: money, currency: EUR", [2]string{"1.250 €", "1250"}, [2]string{"12,50 €", "12.5"})

	c := newCatalogue(t, map[string]string{"a.json": `[{"n": "A", "v": 1.357, "p": {"amount": 1.357}}, {"n": "B", "v": "1,357"}]`})
	c.edit(filepath.Join(c.dir, "catalog.yml"), "lang: en", "lang: de")
	plan := c.run(c.source, `fields: {name: n, purpose: n, category: {value: All}, fitNotes.v: v, fitNotes.p: p}
facts:
  - {key: v, kind: number, label: V, meaning: Its v.}
  - {key: p, kind: money, label: P, meaning: Its p., currency: EUR}
`)
	want(t, "A", c.read(c.listing("a")), "  v: 1.357\n  p: 1.357\n")
	want(t, "the notes", c.notes(plan), `left out: fitNotes.v "1,357": it may mean thousands`)
	_, err := c.prepare(t.Context(), c.source, "fields: {name: n, purpose: n, category: n, stars: {from: v, with: number x}}\n")
	if err == nil || !strings.Contains(err.Error(), `write number or number , or number .`) {
		t.Error(err)
	}
}

// TestOneBadValue checks that a value that cannot be written is left out alone, and what texts become that look like
// other values.
func TestOneBadValue(t *testing.T) {
	t.Parallel()
	const date = "! it is not a day, a month or a year"
	wantImported(t, "V", "kind: date", [2]string{"c. 1980", date}, [2]string{"0", date}, [2]string{"yes", date}, [2]string{"~", date})
	wantImported(t, "V", "kind: text", [2]string{"007", `"007"`}, [2]string{"1e3", `"1e3"`}, [2]string{"yes", `"yes"`},
		[2]string{"~", `"~"`}, [2]string{"1899", `"1899"`}, [2]string{"0x1F", `"0x1F"`}, [2]string{"12:30", `"12:30"`}, [2]string{"2026-09-01", `"2026-09-01"`}, [2]string{"# 1", `"# 1"`}, [2]string{"a: b", `"a: b"`})
	wantImported(t, "V", "kind: link", [2]string{"https://a.example/1", "https://a.example/1"}, [2]string{"007", "! "}, [2]string{"yes", "! "})
	wantImported(t, "V", "kind: number", [2]string{"007", "7"}, [2]string{"1e3", "! it is not one number"}, [2]string{"~", "! it is not one number"})
	wantImported(t, "V", "kind: number, unit: m", [2]string{"3 kg", `! its unit is "kg", and that of the fact is "m"`}, [2]string{"3 yds", "2.7432"}, [2]string{"3 m", "3"},
		[2]string{"4", "4"}, [2]string{"5 m (about)", "5"}, [2]string{"6 m high", "6"}, [2]string{"9 m / s", `! its unit is "m / s"`})
	wantImported(t, "V", "kind: number, unit: pieces", [2]string{"3 Stück", "3"}, [2]string{"4 Stück", "4"}, [2]string{"5 kg", `! its unit is "kg"`})
	wantImported(t, "V", "kind: choice", [2]string{"yes", `"yes"`}, [2]string{"007", `"007"`})

	units := newCatalogue(t, map[string]string{"a.csv": "Name,V\nA,3 m\nB,4 m\nE,7 m\nC,5 yds\nD,6 ft\n"})
	plan := units.run(units.source, "fields: {name: Name, purpose: Name, category: {value: All}, fitNotes.v: V}\nfacts: [{key: v, kind: number, label: V, meaning: V.}]\n")
	want(t, "the notes", units.notes(plan), `a.csv:5:3: ignored: fitNotes.v "5 yds": the unit "yds" is not that of all other numbers, 2 times in all`)
	others := newCatalogue(t, map[string]string{"a.csv": "Name,V\nA,3 Stück\nB,4 Stück\n"})
	plan = others.run(others.source, "fields: {name: Name, purpose: Name, category: {value: All}, fitNotes.v: V}\nfacts: [{key: v, kind: number, unit: pieces, label: V, meaning: V.}]\n")
	want(t, "the notes", others.notes(plan), `a.csv:2:3: note: fitNotes.v "3 Stück": the unit of most numbers is "Stück", 2 times in all, and that of the fact is "pieces": correct its definition if they are not the same`)

	far := newCatalogue(t, map[string]string{"a.jsonl": `{"n": "A", "v": "4,1 kg"}` + "\n" + `{"n": "B", "v": "1500 g"}` + "\n" + `{"n": "C", "v": 3424}` + "\n" + `{"n": "D", "v": "~ 3 kg"}` + "\n" + `{"n": "E", "v": 2}`})
	plan = far.run(far.source, "fields: {name: n, purpose: n, category: {value: All}, fitNotes.v: v}\nfacts: [{key: v, kind: number, unit: kg, label: V, meaning: V.}]\n")
	want(t, "the notes", far.notes(plan), `a.jsonl:2:17: changed: fitNotes.v "1500 g" and the like: g is converted into kg, 1 times in all`, `a.jsonl:4:17: note: fitNotes.v "~ 3 kg" and the like are not exact`,
		`a.jsonl:3:17: changed: fitNotes.v "3424" counts as g, because it has no unit, and as kg it is far from the numbers that have one, which are from 1.5 to 4.1 kg; 1 times in all`)
	want(t, "the listing", far.read(far.listing("c")), "v: 3.424\n")
	none := newCatalogue(t, map[string]string{"a.csv": "n,v\nA,4 kg\nB,1 kg\nC,3424\n"})
	plan = none.run(none.source, "fields: {name: n, purpose: n, category: {value: All}, fitNotes.v: v}\nfacts: [{key: v, kind: number, unit: kg, label: V, meaning: V.}]\n")
	want(t, "the notes", none.notes(plan), `a.csv:4:3: note: fitNotes.v "3424" counts as kg, because it has no unit, but it is far from the numbers that have one, which are from 1 to 4 kg; 1 times in all`)

	c := newCatalogue(t, map[string]string{"a.csv": "Name,T,L\nA,a:b \ue000,MIT\n"})
	plan = c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, topics: T, license: L}\n")
	want(t, "the listing", c.read(c.listing("a")), "license: MIT\n")
	want(t, "the notes", c.notes(plan), `a.csv:2:3: left out: topics "a:b \ue000": cannot be formatted`)
}

// TestDates checks that facts may be from long ago, and months and years, and that dates of the program may not.
func TestDates(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{{"1852", "1852"}, {"1899-12-31", "1899-12-31"}, {"sep 1970", "1970-09"}, {"0850", "850"},
		{"03/04/1852", "! either number may be the month: write with: date dmy"}, {"0001-01-01T00:00:00Z", "! it is what programs write"}}
	wantImported(t, "V", "kind: date", pairs...)
	wantImported(t, "{from: V, with: date}", "kind: date", pairs...)
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Made,Changed\nA,1852-01-01,2026-09\n"})
	plan := c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, createdAt: {from: Made, with: date}, updatedAt: {from: Changed, with: date}}\n")
	want(t, "the notes", c.notes(plan), `a.csv:2:3: left out: createdAt "1852-01-01": "1852-01-01" is before 1900`,
		`a.csv:2:14: left out: updatedAt "2026-09": it is not a day that can be read in one way`)
}

// TestOfLanguage checks that the days of a column say whether the day or the month comes first, or else the language of
// the catalogue, or the map; and that O is yes in French.
func TestOfLanguage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ lang, with, kind, days, want string }{
		{"en", "date", "date", "21/01/2022 5/6/2021 03/2014 31/02/2011", "2022-01-21 2021-06-05 2014-03 !"},
		{"de", "date", "date", "1/21/2022 5/6/21", "2022-01-21 2021-05-06"},
		{"en", "date", "date", "21/01/2022 1/21/2022 5/6/2021", "2022-01-21 2022-01-21 !"},
		{"en", "date", "date", "5/6/2021 1-2-2021", "! !"},
		{"en-US", "date", "date", "5/6/2021 1-2-2021", "2021-05-06 2021-01-02"},
		{"fr", "date", "date", "5/6/2021 1-2-2021", "2021-06-05 2021-02-01"},
		{"en", "date dmy", "date", "5/6/2021", "2021-06-05"},
		{"fr", "date mdy", "date", "5/6/2021 25/6/2021", "2021-05-06 2021-06-25"},
		{"fr", "yes-no", "yes-no", "O n", "true false"}, {"en", "yes-no", "yes-no", "O n", "! false"},
		{"fr", "", "dates", "5/6/2021–7/6/2021", "{from:2021-06-05,to:2021-06-07}"},
	} {
		c := newCatalogue(t, nil)
		c.edit(filepath.Join(c.dir, "catalog.yml"), "lang: en", "lang: "+test.lang)
		rows := "Name,V\n"
		for i, day := range strings.Fields(test.days) {
			rows += fmt.Sprintf("T%d,%s\n", i, day)
		}
		c.write(filepath.Join(c.source, "a.csv"), rows)
		plan := c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, fitNotes.v: {from: V, with: ["+
			test.with+"]}}\nfacts:\n  - {key: v, kind: "+test.kind+", label: V, meaning: Its V., group: Facts}\n")
		for i, wanted := range strings.Fields(test.want) {
			_, got, _ := strings.Cut(c.read(c.listing(fmt.Sprintf("t%d", i))), "fitNotes:\n  v:")
			got, _, _ = strings.Cut(got, "addedAt")
			got = strings.Join(strings.Fields(strings.ReplaceAll(got, ": ", ":")), "")
			if got != strings.TrimPrefix(wanted, "!") {
				t.Errorf("%+v: %d is %q, want %q\n%s", test, i, got, wanted, c.notes(plan))
			}
		}
	}
}

// TestParts checks values of several parts in one text.
func TestParts(t *testing.T) {
	t.Parallel()
	wantImported(t, "V", "kind: place", [2]string{"13.4 E, 52.52 N", "{name: Thing 00, latitude: 52.52, longitude: 13.4}"},
		[2]string{"47.5 N, 11.5 O", "! O is the east for some"}, [2]string{"Berlin", "! it is no latitude and longitude"},
		[2]string{"139.7, 35.7", "! 139.7 is out of bounds: a number from -90 to 90 is allowed: the latitude, which is from south to north, and the longitude may be swapped"},
		[2]string{"10, 200", "! 200 is out of bounds: a number from -180 to 180 is allowed"})
	ranges := [][2]string{{"10-12 h", "{from: 10, to: 12}"}, {"12", "12"}, {"1,5 bis 2,5", "{from: 1.5, to: 2.5}"}, {"1.000-2.000", "{from: 1000, to: 2000}"},
		{"12-10 h", "! 12 is more than to, which is 10"}, {"6-8 h / week", `! its unit is "h / week"`}, {"about 30 hours", "30"}, {"some hours", "! it is neither a range"}}
	wantImported(t, "V", "kind: range, unit: hours", ranges...)
	wantImported(t, "{from: V, with: number}", "kind: range, unit: hours", ranges...)
	wantImported(t, "V", "kind: range, unit: m", [2]string{"3 m – 4 M", "{from: 3, to: 4}"}, [2]string{"3–4 kg", `! its unit is "kg", and that of the fact is "m"`},
		[2]string{"3 yds – 4 m", "{from: 2.7432, to: 4}"}, [2]string{"90–110 mm", "{from: 0.09, to: 0.11}"}, [2]string{"5", "5"})
	wantImported(t, "V", "kind: range", [2]string{"1930s", "{from: 1930, to: 1939}"}, [2]string{"1972s", "1972"})
	wantImported(t, "V", "kind: number, unit: mm", [2]string{"25.5 in", "647.7"}, [2]string{`25.5"`, "647.7"}, [2]string{"64,8 cm", "648"}, [2]string{"650", "650"})
	wantImported(t, "V", "kind: dates", [2]string{"2026-04-01 – 2026-09-30", "{from: 2026-04-01, to: 2026-09-30}"}, [2]string{"from May 2026 to Sep 2026", "{from: 2026-05, to: 2026-09}"},
		[2]string{"1852-1899", "{from: 1852, to: 1899}"}, [2]string{"1. März 2026 – 3. Mai 2026", "{from: 2026-03-01, to: 2026-05-03}"}, [2]string{"1852", "{from: 1852, to: 1852}"},
		[2]string{"2027 – 2026", "! 2027 is after to, which is 2026"}, [2]string{"spring – summer", "! it is not a day, a month or a year"})
	c := newCatalogue(t, map[string]string{"a.csv": "Name,W\nB,\"47,5° N; 11,5° O\"\n"})
	c.edit(filepath.Join(c.dir, "catalog.yml"), "lang: en", "lang: de")
	c.run(c.source, "fields: {name: Name, purpose: Name, category: {value: All}, fitNotes.w: W}\nfacts:\n  - {key: w, kind: place, label: W, meaning: Its place.}\n")
	want(t, "B", c.read(c.listing("b")), "{name: B, latitude: 47.5, longitude: 11.5}")
}

// TestPartsOfJSON checks values of several parts in lists and mappings.
func TestPartsOfJSON(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[
 {"n": "A", "r": {"from": 2, "to": 4}, "d": ["2026-04", "2026-09"], "m": {"amount": 9.5, "currency": "GBP"}, "w": {"lat": 52.5, "lng": 13.4, "name": "Berlin"}, "l": {"url": "https://a.example/", "label": "A"}},
 {"n": "B", "r": [2, 4], "d": {"start": 1852, "end": "1853"}, "m": 5.125, "w": [52.5, 13.4], "l": "https://b.example/"},
 {"n": "C", "r": {"least": 2}, "d": ["soon", "later"], "m": {"amount": "x"}, "w": {"lat": 1}},
 {"n": "D", "m": {"amount": 1799, "currency": "USD", "unit": "cents"}, "k": 250},
 {"n": "E", "m": {"amount": 17, "unit": "metre"}, "k": "$250"},
 {"n": "F", "m": {"amount": 17, "unit": "metre", "tax": 3}, "k": "free"}
]`})
	plan := c.run(c.source, `fields: {name: n, purpose: n, category: {value: All}, fitNotes.r: r, fitNotes.d: d, fitNotes.m: m, fitNotes.w: w, fitNotes.l: l, fitNotes.k: {from: k, with: cents, values: {free: 3}}}
facts:
  - {key: k, kind: money, label: K, meaning: Some cents., currency: EUR}
  - {key: r, kind: range, label: R, meaning: A range.}
  - {key: d, kind: dates, label: D, meaning: Some dates.}
  - {key: m, kind: money, label: M, meaning: Some money., currency: EUR}
  - {key: w, kind: place, label: W, meaning: A place.}
  - {key: l, kind: link, label: L, meaning: A link.}
`)
	want(t, "A", c.read(c.listing("a")), "fitNotes:\n  r: {from: 2, to: 4}\n  d: {from: 2026-04, to: 2026-09}\n  m: {amount: 9.5, currency: GBP}\n"+
		"  w: {name: Berlin, latitude: 52.5, longitude: 13.4}\n  l: {label: A, url: https://a.example/}\n")
	want(t, "B", c.read(c.listing("b")), "fitNotes:\n  r: {from: 2, to: 4}\n  d: {from: 1852, to: 1853}\n  m: 5.125\n  w: {name: B, latitude: 52.5, longitude: 13.4}\n  l: https://b.example/\n")
	want(t, "D", c.read(c.listing("d")), "  m: {amount: 17.99, currency: USD}\n", "  k: 2.5\n")
	want(t, "F", c.read(c.listing("f")), "  k: 3\n")
	want(t, "E", c.read(c.listing("e")), "  m: 17\n", "  k: {amount: 2.5, currency: USD}\n")
	want(t, "the notes", c.notes(plan), `a.json:6:41: left out: fitNotes.m: facts of the kind money have no part "unit", 2 times in all: check that the value is right without it`,
		`fitNotes.m: facts of the kind money have no part "tax", 1 times in all`, `a.json:4:18: left out: fitNotes.r is a group of keys with values: name one of its keys in the map`,
		`a.json:4:37: left out: fitNotes.d "soon, later": it is not a day, a month or a year`, `a.json:4:61: left out: fitNotes.m "x": it is not one number`,
		`a.json:4:83: left out: fitNotes.w "1": needs a latitude, a longitude and a name`)
	if again := c.run(c.source, c.read(filepath.Join(c.dir, "map.yml"))); len(again.Changes()) > 0 {
		t.Errorf("a second import changes %v", again.Changes())
	}
}

// TestFieldsOfParts checks values whose parts are columns of their own.
func TestFieldsOfParts(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Lat,Lon,City,Price,Cur,Photo,What one sees,From,To\n" +
		"A,52.5,13.4,Berlin,9,GBP,img/a.png?w=800,A red house at noon,2,4\nB,13.4,152.5,Tokyo,9,Tolar,gone.png,A blue house at night,4,2\nC,,,Nowhere,,EUR,,A house at dawn,,\nD,152.5,13.4,X,$3,CAD,,,5,\n"})
	picture, err := os.ReadFile("../scaffold/examples/bird-watching/content/pictures/lake.png")
	if err != nil {
		t.Fatal(err)
	}
	c.write(filepath.Join(c.dir, "content", "pictures", "a.png"), string(picture))
	const fields = `fields:
  name: Name
  purpose: Name
  category: {value: All}
  fitNotes.where.latitude: Lat
  fitNotes.where.longitude: Lon
  fitNotes.where.name: City
  fitNotes.price: Price
  fitNotes.price.currency: Cur
  fitNotes.photo: Photo
  fitNotes.photo.alt: What one sees
  fitNotes.photo.source: {value: "A photo of ours, 2026"}
  fitNotes.players.from: From
  fitNotes.players.to: To
facts:
  - {key: where, kind: place, label: Where, meaning: Where it is.}
  - {key: price, kind: money, label: Price, meaning: What it costs., currency: EUR}
  - {key: photo, kind: picture, label: Photo, meaning: What it looks like.}
  - {key: players, kind: range, label: Players, meaning: How many play.}
`
	plan := c.run(c.source, fields)
	want(t, "A", c.read(c.listing("a")), "  where: {name: Berlin, latitude: 52.5, longitude: 13.4}\n  price: {amount: 9, currency: GBP}\n  photo:\n"+
		"    file: pictures/a.png\n    alt: A red house at noon\n    source: A photo of ours, 2026\n  players: {from: 2, to: 4}\n")
	want(t, "B", c.read(c.listing("b")), "fitNotes:\n  where: {name: Tokyo, latitude: 13.4, longitude: 152.5}\naddedAt")
	want(t, "C", c.read(c.listing("c")), "category: all\naddedAt")
	want(t, "D", c.read(c.listing("d")), "fitNotes:\n  price: {amount: 3, currency: CAD}\naddedAt")
	want(t, "the notes", c.notes(plan), `a.csv:3:22: left out: fitNotes.price.currency "Tolar": "Tolar" is no known sign`,
		`a.csv:3:28: left out: fitNotes.photo "pictures/gone.png": file: the content folder has no file`,
		`a.csv:3:59: left out: fitNotes.players "4, 2": 4 is more than to, which is 2`, `a.csv:5:3: left out: fitNotes.where "152.5, 13.4, X": 152.5 is out of bounds`,
		`a.csv:5:25: left out: fitNotes.players "5": needs its upper end`)
	_, err = c.prepare(t.Context(), c.source, strings.NewReplacer("where.latitude", "where.lattitude", "name: Name", "name: Name\n  fitNotes.what.x: Name").Replace(fields)+
		"  - {key: what, kind: text, label: What, meaning: What it is.}\n")
	if err == nil {
		t.Fatal("unknown parts are accepted")
	}
	want(t, "the error", err.Error(), `map.yml:6:29: fitNotes.where.lattitude: facts of the kind place have no part "lattitude": write one of latitude, longitude, name; did you mean latitude?`,
		`map.yml:3:20: fitNotes.what.x: facts of the kind text have no parts: write fitNotes.what`)
}

// TestRelations checks that a relation finds listings by their slug, their name and the key of their entry.
func TestRelations(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[
 {"id": "c1", "n": "Basics"},
 {"id": "c2", "n": "Basics", "k": "Art"},
 {"id": "c3", "n": "Film & Sound", "f": ["c1", "film-again", "C9"]},
 {"id": "c4", "n": "Film again", "f": ["film &  sound", "Basics", "nothing", "Own", "c3"]},
 {"id": "own", "n": "c3"}
]`})
	c.write(filepath.Join(c.dir, "content", "taxonomy", "categories.yml"), "- {slug: all, name: All, description: All of them., group: All}\n")
	c.write(c.listing("mine"), "---\nname: Own\npurpose: Is my own.\ncategory: all\naddedAt: 2020-01-01\n---\n")
	const fields = `key: id
fields: {name: n, purpose: n, category: {from: k, value: All}, fitNotes.follows: f}
facts:
  - {key: follows, kind: relation, label: Follows, meaning: What comes before.}
`
	plan := c.run(c.source, fields)
	want(t, "film-and-sound", c.read(c.listing("film-and-sound")), "  follows: [basics, film-again]\n")
	want(t, "film-again", c.read(c.listing("film-again")), "  follows: [film-and-sound, mine, c3]\n")
	want(t, "the notes", c.notes(plan), `a.json:4:62: left out: fitNotes.follows "C9": no listing has this slug or name, and no entry this key`,
		`a.json:5:57: left out: fitNotes.follows "Basics": several listings have this name: write the slug, which is one of basics, basics-art`,
		`left out: fitNotes.follows "nothing": no listing`)
	if again := c.run(c.source, fields); len(again.Changes()) > 0 {
		t.Errorf("a second import changes %v", again.Changes())
	}
	if err := os.Remove(c.listing("film-again")); err != nil {
		t.Fatal(err)
	}
	c.edit(c.listing("film-and-sound"), "[basics, film-again]", "[basics]")
	want(t, "the notes", c.notes(c.run(c.source, fields)), `left out: fitNotes.follows "film-again": no listing has this slug`)
	want(t, "the notes", c.notes(c.run(c.source, fields+"skip: [{from: id, is: c1}]\n")),
		`a.json:4:42: note: fitNotes.follows "c1" and the like are entries that the map skips, 2 times in all`)
}

// TestAddresses checks addresses without a scheme, with other letters, and with http.
func TestAddresses(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Web\nA,www.a.example\nB,b.example/x?y=1\nC,https://münze.example/\nD,http://d.example\nE,see facebook\nF,javascript:alert(1)\n" +
		"G,g@h.example\nH,a.b.c.example:8443/\nI,käse.example\nJ,https://j.example/straße?q=ü\nK,index.html\nL,ftp://l.example\n"})
	const fields = "fields: {name: Name, purpose: Name, category: {value: All}, homepageUrl: Web, fitNotes.web: Web}\nfacts:\n  - {key: web, kind: link, label: Web, meaning: Its site.}\n"
	plan := c.run(c.source, fields)
	for name, address := range map[string]string{"a": "https://www.a.example", "b": "https://b.example/x?y=1", "c": "https://xn--mnze-0ra.example/", "h": "https://a.b.c.example:8443/",
		"i": "https://xn--kse-qla.example", "j": "https://j.example/stra%C3%9Fe?q=%C3%BC"} {
		want(t, name, c.read(c.listing(name)), "homepageUrl: "+address+"\n", "  web: "+address+"\n")
	}
	notes := c.notes(plan)
	want(t, "the notes", notes, `a.csv:2:3: changed: homepageUrl "www.a.example" and the like have no scheme: they begin with https:// now, 8 times in all`,
		`a.csv:4:3: changed: homepageUrl "https://münze.example/" and the like have letters that addresses must not have: they are encoded now, 6 times in all`,
		`a.csv:5:3: left out: homepageUrl "http://d.example": it does not begin with https://: if the sites of your list have it, write with: https into the map`,
		`a.csv:5:3: left out: fitNotes.web "http://d.example": it does not`, `a.csv:6:3: left out: homepageUrl "see facebook": it does not begin with https://`,
		`a.csv:7:3: left out: homepageUrl "javascript:alert(1)"`, `a.csv:8:3: left out: homepageUrl "g@h.example"`, `a.csv:12:3: left out: homepageUrl "index.html"`, `a.csv:13:3: left out: homepageUrl "ftp://l.example": it does not begin with https://`)
	c.run(c.source, strings.Replace(fields, "homepageUrl: Web", "homepageUrl: {from: Web, with: https}", 1))
	want(t, "D", c.read(c.listing("d")), "homepageUrl: https://d.example\n")
}

// TestBase checks that the base of a map completes addresses.
func TestBase(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Web\nA,/p/1147\nB,//b.example/x\nC,c.html\n"})
	const fields = "fields: {name: Name, purpose: Name, category: {value: All}, homepageUrl: Web, fitNotes.l: Web}\n" +
		"facts: [{key: l, kind: link, label: L, meaning: L.}]\n"
	want(t, "the notes", c.notes(c.run(c.source, fields)),
		`a.csv:2:3: left out: homepageUrl "/p/1147": it does not begin with https://: write base:`)
	c.run(c.source, "base: https://a.example/list/\n"+fields)
	want(t, "A", c.read(c.listing("a")), "homepageUrl: https://a.example/p/1147\n", "l: https://a.example/p/1147\n")
	want(t, "B", c.read(c.listing("b")), "homepageUrl: https://b.example/x\n")
	if strings.Contains(c.read(c.listing("c")), "homepageUrl") {
		t.Error("the name of a file becomes an address")
	}
}

// TestJoin checks texts made of several columns.
func TestJoin(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.csv": "Name,Kind,City,Note\nA,museum,Graz,\nB,n/a,York,\nC,garden,,\nD,,,\nE,a,b,Is it.\n"})
	plan := c.run(c.source, `fields:
  name: {join: [Name, City]}
  purpose: {from: Note, join: [Kind, City], by: " in ", values: {museum: Museum, garden: 65}}
  category: {value: All}
`)
	want(t, "A", c.read(c.listing("a-graz")), "name: A Graz\npurpose: Museum in Graz\n")
	want(t, "B", c.read(c.listing("b-york")), "purpose: York\n")
	want(t, "C", c.read(c.listing("c")), "purpose: \"65\"\n")
	want(t, "E", c.read(c.listing("e-b")), "purpose: Is it.\n")
	want(t, "the notes", c.notes(plan), `a.csv:5:1: skipped: the entry has no purpose, which every listing needs ("D")`)
	_, err := c.prepare(t.Context(), c.source, "fields:\n  name: {from: Name, join: [Name]}\n  purpose: {from: Name, by: x}\n  category: {value: All}\n")
	if err == nil {
		t.Fatal("the map is accepted")
	}
	want(t, "the error", err.Error(), "map.yml:3:29: by: there is no join")
	_, err = c.prepare(t.Context(), c.source, "fields:\n  name: {join: [Name, Citty]}\n  purpose: Name\n  category: {value: All}\n")
	if err == nil || !strings.Contains(err.Error(), `map.yml:2:23: no entry of the source has "Citty"; did you mean City?`) {
		t.Error(err)
	}
	c = newCatalogue(t, map[string]string{"a.csv": "Name,Kind,Note\nA,Hut,Good – PDF\nB,Hut,Just words\nC,Hut – Inn,\nD,Hut,n/a – \n"})
	c.run(c.source, `fields:
  name: Name
  purpose: {from: Note, with: [after –, lower], join: [Name, Kind], by: ", "}
  category: {value: All}
`)
	for slug, purpose := range map[string]string{"a": "pdf", "b": "B, Hut", "c": "inn", "d": "D, Hut"} {
		want(t, slug, c.read(c.listing(slug)), "purpose: "+purpose+"\n")
	}
}

// TestJoinLists checks that join loses no values of entries in different forms.
func TestJoinLists(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[{"n": "A", "s": ["S", "M", "L"]}, {"n": "B", "s": "one size"}, {"n": "C", "s": {"from": 34, "to": 52}}, {"n": "D", "s": null}]`})
	plan := c.run(c.source, `fields:
  name: n
  purpose: n
  category: {value: All}
  fitNotes.a: {join: "s[]", by: "–"}
  fitNotes.b: {join: [s, s.from], by: "–"}
  fitNotes.c: "s[]"
  fitNotes.d: {from: s, join: [s.from, s.to], by: "–"}
facts:
  - {key: d, kind: texts, label: D, meaning: D.}
  - {key: a, kind: text, label: A, meaning: A.}
  - {key: b, kind: text, label: B, meaning: B.}
  - {key: c, kind: texts, label: C, meaning: C.}
`)
	want(t, "A", c.read(c.listing("a")), "a: S–M–L\n", "b: S–M–L\n", "    - S\n    - M\n    - L\n")
	want(t, "B", c.read(c.listing("b")), "a: one size\n", "b: one size\n", "    - one size\n")
	want(t, "C", c.read(c.listing("c")), "a: \"34–52\"\n", "b: \"34\"\n", "    - \"34\"\n    - \"52\"\n")
	want(t, "C", c.read(c.listing("c")), "    - \"34–52\"\n")
	if plan.Count(importer.LeftOut) > 0 {
		t.Error("what join reads is told as left out")
	}
}

// TestLostForms checks that values of other forms than the paths of the map are told, unless another field reads them.
func TestLostForms(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[{"n": "A", "s": "one size", "t": "x", "w": "z"}, {"n": "B", "s": {"from": 34, "to": 52}, "t": {"u": "y"}, "v": {"from": 1, "to": 2}, "w": ["z", "z"]}]`})
	notes := c.notes(c.run(c.source, `fields:
  name: n
  purpose: n
  category: {value: All}
  fitNotes.a: {join: [n, s.from]}
  fitNotes.b: s.to
  fitNotes.c: t.u
  fitNotes.d: t
  fitNotes.e: {join: [v, v.from]}
  fitNotes.f: "w[].x"
facts:
  - {key: f, kind: text, label: F, meaning: F.}
  - {key: e, kind: text, label: E, meaning: E.}
  - {key: a, kind: text, label: A, meaning: A.}
  - {key: b, kind: text, label: B, meaning: B.}
  - {key: c, kind: text, label: C, meaning: C.}
  - {key: d, kind: text, label: D, meaning: D.}
`))
	want(t, "the notes", notes, `a.json:1:18 (entry 1): left out: "one size" is a text, in which "s.from", the path of "fitNotes.a", leads to nothing`,
		`a.json:1:18 (entry 1): left out: "one size" is a text, in which "s.to", the path of "fitNotes.b"`, "left out: fitNotes.e is a group of keys with values")
	if strings.Count(notes, `left out: "z"`) != 3 || strings.Count(notes, "left out") != 6 {
		t.Errorf("what another field reads is told:\n%s", notes)
	}
}

// TestUnfilledFacts checks that facts that no field fills are told, and not added.
func TestUnfilledFacts(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `{"meta": 1, "courses": [{"n": "A", "x": 1}, {"n": "B"}]}`})
	plan := c.run(c.source, `entries: courses
fields: {name: n, purpose: n, category: {value: All}, fitNotes.x: x}
facts:
  - {key: x, kind: number, label: X, meaning: Its x.}
  - {key: where, kind: place, label: Where, meaning: Where it is.}
`)
	if plan.New != 2 {
		t.Errorf("%d listings: entries: courses does not stand for courses[]", plan.New)
	}
	want(t, "the notes", c.notes(plan), `map.yml:5:5: note: the fact "where": it is not added, because no field of the map fills it`, `added: the fact "x" (number)`)
	if facts := c.read(filepath.Join(c.dir, "content", "taxonomy", "facts.yml")); strings.Contains(facts, "where") {
		t.Errorf("the facts are\n%s", facts)
	}
}

// TestLegend checks licences of badges and of emoji that a legend explains, and texts that stand in brackets or behind a dash.
func TestLegend(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.md": "- [A](https://a.example) (Ann Lee, 2019) 🟢 – Sings well. :star:\n" +
		"- [B](https://b.example) by Bo 🔴 📹 – Hums. ![GPLv3](https://x.example/l.svg)\n- C: <https://c.example> by Cy ![new](https://x.example/n.svg)\n"})
	plan := c.run(c.source, `fields:
  name: name
  purpose: {from: description, with: [after – —, no-emoji], value: A thing.}
  category: {value: All}
  license: {from: text, with: emoji, values: {🟢: CC-BY-4.0, 🔴: LicenseRef-all-rights-reserved, ":star:": "", 📹: ""}}
  fitNotes.by: {from: description, with: ["after by (", "before , ) –", no-emoji]}
  fitNotes.badge: badges
facts:
  - {key: by, kind: text, label: By, meaning: Who made it.}
  - {key: badge, kind: text, label: Badge, meaning: Its badge.}
`)
	want(t, "A", c.read(c.listing("a")), "purpose: Sings well.\n", "license: CC-BY-4.0\n", "  by: Ann Lee\n")
	want(t, "B", c.read(c.listing("b")), "purpose: Hums.\n", "license: LicenseRef-all-rights-reserved\n", "  by: Bo\n  badge: GPLv3\n")
	want(t, "C", c.read(c.listing("c")), "name: C\npurpose: A thing.\n", "  by: Cy\n  badge: new\n")
	if plan.Count(importer.LeftOut) > 0 {
		t.Error(c.notes(plan))
	}
	_, err := c.prepare(t.Context(), c.source, "fields: {name: name, purpose: name, category: {from: name, with: [after, brackets all]}}\n")
	if err == nil {
		t.Fatal("the map is accepted")
	}
	want(t, "the error", err.Error(), `"after" is not allowed: write after …`, `"brackets all" is not allowed: write brackets or brackets first or brackets last`)
}

// TestTwice checks entries that stand in several sections, headings below several others, and keys that two have.
func TestTwice(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.md": "# L\n\n## Podcasts\n\n### Free\n\n- [Alpha](https://a.example)\n- [Beta](https://b.example) - Second.\n- [Gamma](https://g.example)\n\n## Courses\n\n### Free\n\n" +
		"- [Delta](https://d.example) - Fourth.\n\n### Paid\n\n- [Alpha](https://a.example) - First.\n- [Beta](https://b.example) - Another text.\n- [Gamma](https://other.example)\n"})
	plan := c.run(c.source, "fields: {name: name, purpose: [description, name], category: \"@section\", homepageUrl: url}\n")
	want(t, "alpha", c.read(c.listing("alpha")), "purpose: First.\ncategory: free\nalsoIn: [paid]\n")
	want(t, "beta", c.read(c.listing("beta")), "purpose: Second.\ncategory: free\nalsoIn: [paid]\n")
	want(t, "gamma", c.read(c.listing("gamma-paid")), "homepageUrl: https://other.example\n")
	want(t, "the notes", c.notes(plan), `a.md:19:3: ignored: "Alpha" repeats the entry in line 7`, `a.md:20:3: left out: purpose "Another text."`,
		`a.md:13:1: note: the heading "Free" stands below "Podcasts" and "Courses", and is one category, with 1 entries of the second: to tell them apart, write category: {join: ["@chapter", "@section"], by: ": "}`)

	c = newCatalogue(t, map[string]string{"a.csv": "ID,Name,Town,Price\n1,Plot 1 in Graz,Graz,5\n1,Plot 1 in Graz,Graz,6\n2,Plot 2 in Linz,Linz,7\n"})
	const m = "key: ID\nfields: {name: Name, purpose: Name, category: Town, fitNotes.p: Price}\nfacts:\n  - {key: p, kind: number, label: P, meaning: Its P., group: Facts}\n"
	want(t, "the notes", c.notes(c.run(c.source, m)), `a.csv:3:1: note: "Plot 1 in Graz" has the key "1" of the entry in line 2`, `this one becomes "Plot 1 in Graz (2)"`)
	c.write(filepath.Join(c.source, "a.csv"), "ID,Name,Town,Price\n1,Plot 1 in Graz,Graz,5\n2,Plot 2 in Linz,,7\n")
	if plan := c.run(c.source, m); !slices.Equal(plan.Left, []string{"plot-1-in-graz-2"}) {
		t.Errorf("no longer in the source: %q\n%s", plan.Left, c.notes(plan))
	}
}

// TestValuesOfFunctions checks that values of the map are compared with what functions make, too.
func TestValuesOfFunctions(t *testing.T) {
	t.Parallel()
	wantImported(t, "{from: V, with: lower, values: {occupee: occupée, Libre: free}}", "kind: text", [2]string{"Occupee", "occupée"}, [2]string{"Libre", "free"}, [2]string{"Autre", "autre"})
	wantImported(t, "{from: V, with: brackets, values: {dead since 2021: no}}", "kind: yes-no", [2]string{"A (dead since 2021)", "false"}, [2]string{"B (yes)", "true"}, [2]string{"C", ""})
}

// TestNotUsed checks what is told of a source that the map does not read, and of values that it names in vain.
func TestNotUsed(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[
 {"n": "A", "sku": 1, "sizes": {"from": 34, "to": 52}, "image": {"src": "", "alt": "x"}, "p": {"amount": 1, "currency": "EUR"}, "tags": [{"name": "a", "id": 1}], "e": null},
 {"n": "B", "sizes": {"min": 1, "max": {"cm": 2}}, "a.b": 1, "e": []},
 {"n": "C", "sizes": "S / M; L"}
]`, "b.md": "- [A](https://a.example) - Sings. `MIT`\n\n| N | P | Q |\n| --- | --- | --- |\n| [B](https://b.example) | `x` | y |\n"})
	const fields = `fields:
  name: n
  purpose: n
  category: {value: All}
  topics: {from: ["tags[].name", image.src]}
  fitNotes.p: p
  fitNotes.sizes: {from: [sizes.from, sizes.min, sizes], with: [split /, split ;], values: {M: medium, XL: large, "S / M": x}}
facts:
  - {key: p, kind: money, label: P, meaning: Its p.}
  - {key: sizes, kind: choices, label: Sizes, meaning: Its sizes.}
`
	plan := c.run(filepath.Join(c.source, "a.json"), fields)
	want(t, "C", c.read(c.listing("c")), "sizes: [s, medium, l]\n")
	lines := strings.Join(plan.Lines(false), "\n")
	want(t, "the notes", lines, "map.yml:1:1: not used: no field of the map reads sku, sizes.to, image.alt, tags.id, sizes.max, a.b\n",
		`map.yml:7:124: not used: values names what the source does not have: fitNotes.sizes "S / M", fitNotes.sizes "XL"`)
	plan = c.run(filepath.Join(c.source, "b.md"), "fields: {name: [name, N], purpose: [name, N.url], category: {value: All}}\n")
	want(t, "the notes", strings.Join(plan.Lines(false), "\n"), "reads codes, description, P, Q")
}

// TestEntriesOfLists checks that each entry of a list has the first of several paths that it has, and that a path may
// name the entries that it leads to.
func TestEntriesOfLists(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[
 {"n": "A", "by": [{"family": "Lee"}, {"team": "Band"}, "Bo", {"family": "Oh", "team": "Trio"}], "ids": [{"type": "url", "value": "x"}, {"type": "isbn", "value": "1-2"}]},
 {"n": "B", "by": [{"team": "Duo"}, {"of": "x"}], "ids": [{"type": "url", "value": "y"}], "isbn": "3-4"},
 {"n": "C", "by": {"team": "Solo"}, "ids": {"type": "isbn", "value": "5-6"}}
]`})
	const m = `fields:
  name: n
  purpose: n
  category: {value: All}
  fitNotes.by: [by.family, by.team, by]
  fitNotes.isbn: ["ids[type=isbn].value", isbn]
facts:
  - {key: by, kind: texts, label: By, meaning: Who plays.}
  - {key: isbn, kind: text, label: ISBN, meaning: Its number.}
`
	lines := strings.Join(c.run(filepath.Join(c.source, "a.json"), m).Lines(false), "\n")
	want(t, "A", c.read(c.listing("a")), "    - Lee\n    - Band\n    - Bo\n    - Oh\n", "  isbn: \"1-2\"\n")
	want(t, "B", c.read(c.listing("b")), "    - Duo\n", "  isbn: \"3-4\"\n")
	want(t, "C", c.read(c.listing("c")), "    - Solo\n", "  isbn: \"5-6\"\n")
	want(t, "the notes", lines, `a.json:3:37: left out: fitNotes.by is a group of keys with values: name one of its keys in the map`,
		"no field of the map reads by.of")
	wrong := strings.Replace(m, "type=isbn", "=isbn", 1)
	if _, err := c.prepare(t.Context(), c.source, wrong); err == nil || !strings.Contains(err.Error(), "[type=docs]") {
		t.Errorf("a condition without a key gives %v", err)
	}
	if _, err := c.prepare(t.Context(), c.source, strings.Replace(m, "ids[type", "uds[type", 1)); err != nil {
		t.Errorf("one of two paths that leads nowhere gives %v", err)
	}
}

// TestGuessNothing guesses maps of sources without a list, and of one that cannot be read.
func TestGuessNothing(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `{"name": "A", "about": "One thing alone."}`, "latin.yml": "Name: K\xf6ln\n"})
	_, reasons, err := importer.Guess(t.Context(), filepath.Join(c.source, "a.json"), c.options())
	if want(t, "the reasons", strings.Join(reasons, "\n"), "the source has no list: the whole of it counts as one entry"); err != nil {
		t.Error(err)
	}
	_, reasons, err = importer.Guess(t.Context(), filepath.Join(c.source, "latin.yml"), c.options())
	if err == nil || err.Error() != "no map is written" || len(reasons) != 1 || !strings.Contains(reasons[0], "latin.yml:1:8: skipped: the file is not valid UTF-8") {
		t.Errorf("%q, %v", reasons, err)
	}
}

// TestGuessKinds checks the kinds of columns of which a few values are odd, and that a second guess takes the facts that
// the first one made.
func TestGuessKinds(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("Name,Family,Ticket,Opened,Where,Hours,Seats,Lift,Guide,Since,Cloth,Beds,Sewn\n")
	for i := range 20 {
		ticket, opened, where, hours, seats, lift := "5,00 €", "sep 1852", "52.5, 13.45", "8–10 h", "120", "yes"
		if i == 7 {
			ticket, opened, where, hours, seats, lift = "ask", "c. 1845", "by the lake", "long", "many", "perhaps"
		}
		if i == 9 {
			ticket = "£4"
		}
		fmt.Fprintf(&rows, "Thing %d,%s,%q,%s,%q,%s,%s,%s,%s,%s,%q,%q,%s\n", i, []string{"One kind", "Another kind"}[i%2], ticket, opened, where, hours, seats, lift,
			[]string{"Ann", "Bob"}[i/2%2], []string{"c. ", "", "", ""}[i%4]+strconv.Itoa(1850+i),
			[]string{"1,8 m", "2,25 m"}[i%2], []string{"12 (6 up, 6 down)", "8, of which 4 up"}[i%2],
			[]string{"May 2020", "2021-05-04T10:00:00Z", "04/05/2022", "1612137600", "3 May 2020"}[i%5])
	}
	rows.WriteString("Total,,,,,,2400,,,,36,,\n")
	c := newCatalogue(t, map[string]string{"a.csv": rows.String()})
	text, reasons, err := importer.Guess(t.Context(), c.source, c.options())
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(reasons, "\n")
	want(t, "the reasons", all, "fact ticket, money: ", `many values are amounts of money, but 1 of 20 are not, such as "ask"`, "fact opened, date: ",
		"fact where, place: ", "fact hours, range: ", "fact seats, number: ", "fact lift, yes-no: ", `1 of 20 are not, such as "perhaps"`, "fact guide, choice: ",
		"fact since, text: ", `many values are numbers, but 5 of 20 are not, such as "c. 1850"`,
		"fact cloth, number: ", "fact beds, choice: ", `fact sewn, date: 20 of 20 entries have it, such as "May 2020": all values are dates`, `skip: the last row, "Total", is about the table`)
	want(t, "the map", string(text), "currency: EUR", "unit: h", "match: near", "match: within")
	plan := c.run(c.source, string(text))
	want(t, "a listing", c.read(c.listing("thing-9")), "  ticket: {amount: 4, currency: GBP}\n  opened: 1852-09\n", "  hours: {from: 8, to: 10}\n  seats: 120\n  lift: true\n  guide: ann\n")
	want(t, "the notes", c.notes(plan), `left out: fitNotes.ticket "ask"`, `left out: fitNotes.lift "perhaps"`, `left out: fitNotes.sewn "04/05/2022"`, `ignored: the map skips entries whose Name is "Total"`)
	again, reasons, err := importer.Guess(t.Context(), c.source, c.options())
	if err != nil || strings.Contains(string(again), "facts:") || strings.Contains(string(again), "Value") {
		t.Errorf("%v; the second map is\n%s", err, again)
	}
	want(t, "the reasons", strings.Join(reasons, "\n"), "fact ticket, money: 20 of 20 entries have it, such as \"5,00 €\": the catalogue has a fact of this name")
	if plan = c.run(c.source, string(again)); len(plan.Changes()) > 0 {
		t.Errorf("an import with the second map changes %v", plan.Changes())
	}
}

// TestGuessPairs checks that two columns with the parts of a value become one fact, and what names, addresses, purposes
// and related entries are taken.
func TestGuessPairs(t *testing.T) {
	t.Parallel()
	var items []string
	rows := "Hütte;Bemerkung;Breite;Länge;Preis;Hoehe (m)\n"
	for i := range 12 {
		title, note, price := fmt.Sprintf("Thing %d", i), "A long remark about it and others.", `{"amount": 12.5, "currency": "EUR"}`
		if i == 3 {
			title, note, price = "", "", `"£4"`
		}
		items = append(items, fmt.Sprintf(`{"id": %d, "title": %q, "by": {"name": "Maker %d", "url": "https://maker.example"}, "url": "https://a.example/%d",
 "about": %q, "price": %s, "size": {"from": %d, "to": 52}, "open": {"start": "2026-04-%02d", "end": "2026-09"}, "at": {"lat": 52.%d, "lng": 13.4},
 "image": {"src": "%d.png", "alt": "What one sees."}, "rating": {"avg": %d.5}, "related": [%d, 77]}`,
			1000+i, title, i, i, note, price, 30+i, i+1, i, i, i, 1000+(i+1)%12))
		rows += fmt.Sprintf("Haus %d;%s;47,%05d;11,%05d;%s;%d\n", i, note, 100*i+7, 200*i, []string{"12 €", "ab 15 €", "CHF 9", "20 EUR"}[i%4], 1000+i)
	}
	c := newCatalogue(t, map[string]string{"a.json": "[" + strings.Join(items, ",\n") + "]", "b.csv": rows})
	guess := func(file string, parts ...string) {
		text, _ := guessed(t, c, file)
		want(t, "the map", text, parts...)
	}
	guess("a.json", "key: id\n", "  name:\n    from: title\n", "  purpose:\n    from:\n    - about\n    - title\n", "  homepageUrl:\n    from: url\n",
		"  fitNotes.price:\n    from: price\n", "  fitNotes.size:\n    from: size\n", "  fitNotes.open:\n    from: open\n", "  fitNotes.at:\n    from: at\n",
		"- key: price\n  kind: money\n  label: Price\n  group: Facts\n",
		"- key: size\n  kind: range\n", "- key: open\n  kind: dates\n", "- key: at\n  kind: place\n", "- key: image\n  kind: picture\n  label: Image\n",
		"- key: related\n  kind: relation\n", "- key: ratingAvg\n  kind: number\n  label: Rating avg\n")
	want(t, "thing 1", c.read(c.listing("thing-1")), "  related: [thing-2]\n", "  price: 12.5\n", "  at: {name: Thing 1, latitude: 52.1, longitude: 13.4}\n")
	guess("b.csv", "  fitNotes.ort.latitude:\n    from: Breite\n", "  fitNotes.ort.longitude:\n    from: Länge\n", "- key: ort\n  kind: place\n", "- key: preis\n  kind: money\n")
	want(t, "haus 1", c.read(c.listing("haus-1")), "  ort: {name: Haus 1, latitude: 47.00107, longitude: 11.002}\n")
}

// TestGuessOfOwners checks first maps of lists as their owners have them: what is nothing to list is skipped, and facts are
// what people compare.
func TestGuessOfOwners(t *testing.T) {
	t.Parallel()
	const dams = "Dams,,,,\n,,,,\nCountry,Dam,Size,,Cost\n,,Height (m),Length (m),(million US$)\n"
	var rows, seeds, objects strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "%s,Dam of %c,%d%s,\"1,%d0 [2]\",\"$ 1,%d0\"\n", map[int]string{0: "Norway", 6: "Chad"}[i], 'A'+i, 50+i, []string{"*", "[1]", "¹", ""}[i%4], i+10, i+10)
		fmt.Fprintf(&seeds, "NG-%d\t%s\tLatin %d\t%s\t%s\t%s\t%s\n", i, []string{"", "Röd sort " + string(rune('a'+i))}[min(i, 1)], i%5, []string{"Kål", "kål", "KÅL", "Rot"}[i%4],
			[]string{"49:-", "29:50", "39,00 kr"}[i%3], []string{"ca 35 cm", "upp till 2 m", "20–80 cm"}[i%3], []string{"häck / kruka", "kruka", "häck", `12" kruka`}[i%4])
		fmt.Fprintf(&objects, `{"objectId": %d, "title": "Night %d", "titles": [{"type": "primary"}%s], "kind": %q, "credit": %q, "hall": {"number": %q}, "isOnView": true, "url": "http://a.example/%d",
			"prep": %q, "related": [%d]},`, 100+i, i%3, strings.Repeat(`, {"type": "other"}`, i%2), []string{"Print", "Vase"}[i%2], []string{"Gift of A, 1931", "Bought, 1978"}[i%2], []string{"12", "3A"}[i%2], i,
			[]string{"PT45M", "1 h 15 min", "10 min"}[i%3], 100+(i+1)%12)
	}
	c := newCatalogue(t, map[string]string{
		"dams.csv":       dams + rows.String() + "Total,,,\"1,234\",\n[1] Above the foundation.,,,,\n",
		"seeds.tsv":      "Nr\tNamn\tLatin\tOdling\tPris\tHöjd\tPlats\n" + seeds.String(),
		"museum.json":    `{"data": [` + strings.TrimSuffix(objects.String(), ",") + "]}",
		"blog/_index.md": "---\ntitle: Blog\n---\n", "blog/a.md": "---\ntitle: One post\ntags: [a]\n---\n",
		"blog/b.md": "---\ntitle: Two posts\ndraft: true\n---\n"})
	for _, test := range []struct {
		file, lang, listing string
		reasons, parts      []string
	}{
		{"dams.csv", "en", "dam-of-b", []string{`merged: most cells of "Country" are empty`, `name: the first column whose values are different: "Dam"`,
			"fact sizeHeightM, number", "fact sizeLengthM, number", "fact costMillionUs, number"},
			[]string{"category: norway\n", "  sizeHeightM: 51\n", "  sizeLengthM: 1110\n", "  costMillionUs: 1110\n"}},
		{"seeds.tsv", "sv", "rod-sort-b", []string{`name: the name of "Namn"`, `category: a column with 2 values: "Odling"`, "fact pris, money",
			"fact hojd, range", "fact plats, choices"}, []string{"  pris: 29.5\n", "  hojd: {to: 200}\n", "  plats: [kruka]\n"}},
		{"museum.json", "en", "night-1-101", []string{`name: many are the same, so "objectId" is added`, `category: the name of "kind"`, "fact credit, choice: ",
			"fact hallNumber, text: ", "; most begin with http://, which becomes https://", "fact prep, number: ", "fact related, relation: "},
			[]string{`  hallNumber: "3A"`, "homepageUrl: https://a.example/1\n", "  prep: 75\n", "  related: [night-2-102]\n"}},
		{"blog", "en", "one-post", []string{"skip: _index.md is about a folder", "skip: what has draft: true is not ready"}, nil},
	} {
		t.Run(test.file, func(t *testing.T) {
			o := c.options()
			o.Settings.Lang = test.lang
			text, reasons, err := importer.Guess(t.Context(), filepath.Join(c.source, test.file), o)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "the reasons", strings.Join(reasons, "\n"), test.reasons...)
			plan := c.run(filepath.Join(c.source, test.file), string(text))
			want(t, "the listing", c.read(c.listing(test.listing)), test.parts...)
			if test.file == "dams.csv" {
				want(t, "the notes", c.notes(plan), `dams.csv:17:1: ignored: the map skips entries whose Country is "Total"`,
					`dams.csv:18:1: ignored: the map skips entries whose Country is "[1] Above the foundation."`)
			}
		})
	}
}
