package notation_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/generator/notation"
)

// wantRead checks what is read of texts: pairs of a text and its value or, after an exclamation mark, the beginning of
// what is wrong with it.
func wantRead(t *testing.T, read func(text string) (value any, wrong string), pairs ...[2]string) {
	t.Helper()
	for _, pair := range pairs {
		value, wrong := read(pair[0])
		got := fmt.Sprint(value)
		if wrong != "" {
			got = "!" + wrong
		}
		if got != pair[1] && !(wrong != "" && pair[1] != "" && strings.HasPrefix(got, pair[1])) {
			t.Errorf("%q is read as %q, want %q", pair[0], got, pair[1])
		}
	}
}

// inOrder returns a reader of the parts of a value that writes them by their names.
func inOrder(parts map[string]string, wrong string) (value any, _ string) {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		texts = append(texts, parts[name])
	}
	return strings.Join(texts, "|"), wrong
}

func TestDates(t *testing.T) {
	t.Parallel()
	wantRead(t, func(text string) (any, string) { return notation.Date(text) },
		[2]string{"2026-11-29T10:00:00+02:00", "2026-11-29"}, [2]string{"29.11.2026", "2026-11-29"},
		[2]string{"29 Nov 2026", "2026-11-29"}, [2]string{"Nov 29, 2026", "2026-11-29"}, [2]string{"1.4.26", "2026-04-01"},
		[2]string{"20261129", "2026-11-29"}, [2]string{"1700000000", "2023-11-14"}, [2]string{"1700000000000", "2023-11-14"},
		[2]string{"12. Oktober 2025", "2025-10-12"}, [2]string{"12 de octubre de 2025", "2025-10-12"},
		[2]string{"1er juillet 2024", "2024-07-01"}, [2]string{"15. Sept. 2025", "2025-09-15"},
		[2]string{"März 2026", "2026-03"}, [2]string{"déc. 1999", "1999-12"}, [2]string{"sep 1970", "1970-09"},
		[2]string{"09/1852", "1852-09"}, [2]string{"1852", "1852"}, [2]string{"0850", "0850"},
		[2]string{"11/12/2020", "!either number may be the month"}, [2]string{"0000-01-01", "!it is not a day"},
		[2]string{"2026-02-30", "!it is not a day"}, [2]string{"c. 1980", "!it is not a day"}, [2]string{"1e3", "!it is not"},
		[2]string{"0001-01-01T00:00:00Z", "!it is what programs write where they know no day"})
	wantRead(t, func(text string) (any, string) { return notation.Day(text) }, [2]string{"3 May 1952", "1952-05-03"},
		[2]string{"1852-01-01", `!"1852-01-01" is before 1900`}, [2]string{"2026-09", "!it is not a day that can be read"})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	sign := notation.NotComma
	number := func(text string) (any, string) {
		number, wrong := notation.Number(text, sign)
		return strconv.FormatFloat(number, 'f', -1, 64), wrong
	}
	wantRead(t, number, [2]string{"1,234 g", "1234"}, [2]string{"1.234.567", "1234567"}, [2]string{"1.234,5", "1234.5"},
		[2]string{"12 500", "12500"}, [2]string{"80,5 cm", "80.5"}, [2]string{"$3.50", "3.5"}, [2]string{"~40", "40"},
		[2]string{"-2", "-2"}, [2]string{"1'000", "1000"}, [2]string{"1 234,50", "1234.5"}, [2]string{"ca. 30 m", "30"}, [2]string{"7.2/10", "7.2"},
		[2]string{"0,125", "0.125"}, [2]string{"1234,567", "1234.567"}, [2]string{"007", "7"},
		[2]string{"2 to 4", "!it is not one number"}, [2]string{"1/2", "!it is not"}, [2]string{"ca. 1850", "!it is not"},
		[2]string{"1.357", "!it may mean thousands or three decimals"})
	wantRead(t, number, [2]string{"1.2 million", "1200000"}, [2]string{"1,2 Mio.", "1200000"}, [2]string{"2.3 millions d'euros", "2300000"},
		[2]string{"3 tausend", "3000"}, [2]string{"12.34k", "12340"}, [2]string{"2M", "2000000"}, [2]string{"2 m", "2"}, [2]string{"300 K", "300"},
		[2]string{"3 dozen eggs", "36"}, [2]string{"1.4 billion", "!the word or letter behind it"}, [2]string{"2 thousand million", "2000000000"},
		[2]string{"3 mil millones", "!the word"}, [2]string{"2 Millionen", "2000000"}, [2]string{"5 Milliarden €", "5000000000"})
	for text, want := range map[string]string{"1.357 m;1448m;~2421": "1357", "1.357;1,357;2,5": "1357",
		"1.357;1,357;1,234,567": "1.357", "1.357;45": "!it may mean", "1.357;2,5;2.5": "!it may mean"} {
		texts := strings.Split(text, ";")
		sign = notation.DecimalOf(texts, false)
		wantRead(t, number, [2]string{texts[0], want})
	}
	if got := notation.DecimalOf([]string{"1,357", "45"}, true); got != notation.Unknown {
		t.Errorf("where commas stand before decimals, 1,357 is read as with %q", got)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	wantRead(t, func(text string) (any, string) { return notation.Figures(text), "" }, [2]string{"3 kg", "[{3 kg}]"},
		[2]string{"8+", "[{8 }]"}, [2]string{"5 m (about)", "[{5 m}]"}, [2]string{"3 m – 4 M", "[{3 m} {4 M}]"},
		[2]string{"6-8 h / week", "[{6 h / week} {8 h / week}]"}, [2]string{"77,4 m2", "[{77,4 m2}]"}, [2]string{`25.5"`, `[{25.5 "}]`})
	for text, want := range map[string]float64{"1500 g kg": 1.5, "7.8 lb kg": 3.53802, "25.5 in mm": 647.7, "64.8 cm mm": 648, "1 mile km": 1.609344,
		"2 ha m²": 20000, "90 min hours": 1.5, "3 m2 m²": 3, "5 kg m": 5, "12345678 g kg": 12345.678,
		"800 thousand million": .8, "5 percent %": 5, "5 ‰ %": .5} {
		words := strings.Fields(text)
		number, _ := strconv.ParseFloat(words[0], 64)
		if got := notation.Convert(number, words[1], words[2]); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for pair, want := range map[string]bool{"min. minutes": true, "Minute minutes": true, "h minutes": false, "hrs hours": true,
		"m hours": false, "ms m": false, "€ EUR": true, "CHF EUR": false, "yards yd": true, "m/s m": false, "% percent": true, "% kg": false} {
		unit, known, _ := strings.Cut(pair, " ")
		if got := notation.IsUnit(unit, known); got != want {
			t.Errorf("whether %q is %q: %v", unit, known, got)
		}
	}
	if !notation.IsUnit("m high", "m") || notation.IsUnit("m / s", "m") || notation.IsUnit("h per week", "h") ||
		notation.Factor("min per day", "h") != 0 {
		t.Error("words behind a unit")
	}
	for units, want := range map[string]float64{"million kg;kg": 1e6, "thousand g;kg": 1, "million people;": 1e6, "million people;people": 1e6, "million;kg": 1e6,
		"k;km": 0, "k;GB": 0, "M;m": 1, "billion;": 0, "million;US$": 1e6, "km;thousand km": .001, "kg;thousand km": 0, ";million": 0} {
		unit, into, _ := strings.Cut(units, ";")
		if got := notation.Factor(unit, into); got != want {
			t.Errorf("%s is multiplied by %v, want %v", units, got, want)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	usual := "EUR"
	read := func(text string) (any, string) { return inOrder(notation.Money(text, usual)) }
	wantRead(t, read, [2]string{"5,00 €", "5,00|EUR"}, [2]string{"7,50", "7,50"}, [2]string{"£9.00", "9.00|GBP"},
		[2]string{"$1,234.50", "1,234.50|USD"}, [2]string{"CHF 12.–", "12|CHF"}, [2]string{"12 CHF", "12|CHF"},
		[2]string{"CA$ 4", "4|CAD"}, [2]string{"gratuit", "0"}, [2]string{"from 25 €", "25|EUR"}, [2]string{"ab €5", "5|EUR"}, [2]string{"approx. 9", "9"}, [2]string{" Free ", "0"}, [2]string{"¥1200", "1200|JPY"}, [2]string{"US$ 5 USD", "5|USD"}, [2]string{"-5 €", "-5|EUR"},
		[2]string{"1.2 million €", "1.2 million|EUR"}, [2]string{"1,5 Mio. €", "1,5 Mio.|EUR"}, [2]string{"$12K", "12 k|USD"}, [2]string{"12 k€", "12 k|EUR"}, [2]string{"£1.2m", "1.2 M|GBP"}, [2]string{"3 m", `!"m" is no known`}, [2]string{"5 Kč", "5|CZK"},
		[2]string{"3 billion USD", "!the word or letter behind it"}, [2]string{"25 €/h", "!it is an amount for each of something"}, [2]string{"25 € pro Tag", "!it is an amount for each"},
		[2]string{"9 ₿", `!"₿" is no known sign or code of a currency`}, [2]string{"5 € CHF", `!"€ CHF" is no known sign`},
		[2]string{"5 kr", `!"kr" may stand for DKK, ISK, NOK, SEK`}, [2]string{"€ 5 CHF", "!it has two currencies, EUR and CHF"},
		[2]string{"8–12 €", "!it is not one amount of money"}, [2]string{"ask", "!it is not one amount of money"})
	usual = "CAD"
	wantRead(t, read, [2]string{"$5", "5|CAD"})
	usual = "SEK"
	wantRead(t, read, [2]string{"5 kr.", "5|SEK"})
}

func TestRanges(t *testing.T) {
	t.Parallel()
	wantRead(t, func(text string) (any, string) { return inOrder(notation.Range(text, "hours")) },
		[2]string{"10-12 h", "10|12"}, [2]string{"8–10", "8|10"}, [2]string{"8 to 10", "8|10"}, [2]string{"12", "12|12"},
		[2]string{"8 h – 10 h", "8|10"}, [2]string{"1,5 bis 2,5", "1,5|2,5"}, [2]string{"-5 – -2", "-5|-2"},
		[2]string{"4...6", "4|6"}, [2]string{"4 à 6", "4|6"}, [2]string{"6-8 h / week", `!its unit is "h / week"`},
		[2]string{"about 30 hours", "30|30"}, [2]string{"up to 1 h 30 min", "90"}, [2]string{"up to 10", "10"}, [2]string{"≤ 4 h", "4"}, [2]string{"1 h 30", "90|90"}, [2]string{"ca. 30", "30|30"}, [2]string{"PT45M", "45|45"}, [2]string{"7 [1]", "7|7"}, [2]string{"1-2-3", "!it is neither a range"})
	wantRead(t, func(text string) (any, string) { return inOrder(notation.Dates(text)) },
		[2]string{"2026-04-01 – 2026-09-30", "2026-04-01|2026-09-30"}, [2]string{"from May 2026 to Sep 2026", "May 2026|Sep 2026"},
		[2]string{"1852-1899", "1852|1899"}, [2]string{"1.4.2026 - 30.9.2026", "1.4.2026|30.9.2026"}, [2]string{"1852", "1852|1852"},
		[2]string{"01.06.26-15.10.26", "01.06.26|15.10.26"}, [2]string{"2026-04-01/2026-09-30", "2026-04-01|2026-09-30"},
		[2]string{"1 – 2 – 3", "!it is not one range of dates"})
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	lang := "en"
	read := func(text string) (any, string) {
		parts, wrong := notation.Place(text)
		var degrees []any
		for _, part := range []string{"latitude", "longitude"} {
			if wrong == "" {
				var number any
				number, wrong = notation.Degrees(parts[part], lang)
				degrees = append(degrees, number)
			}
		}
		return degrees, wrong
	}
	for _, text := range []string{"52.52, 13.4", "52.52,13.4", "52.52 13.4", "52,52; 13,4", "52,52 13,4", "geo:52.52,13.4",
		"(52.52, 13.4)", "52.52° N, 13.4° E", "N 52.52 E 13.4", "13.4 E, 52.52 N", `52° 31' 12" N 13° 24' 0" E`,
		"52°31′12″N, 13°24′00″E", "52° 31.2' N, 13° 24' E", "13.4° Ost 52.52° Nord"} {
		wantRead(t, read, [2]string{text, "[52.52 13.4]"})
	}
	wantRead(t, read, [2]string{"33.9 S, 18.4 E", "[-33.9 18.4]"}, [2]string{"-22.9, -43.2", "[-22.9 -43.2]"},
		[2]string{"47.5 N, 11.5 O", "!O is the east for some"}, [2]string{"Berlin", "!it is no latitude and longitude"},
		[2]string{"52.52", "!it is no latitude and longitude"})
	for lang = range map[string]bool{"de": true, "es": true} {
		wantRead(t, read, [2]string{"47,5° N; 11,5° O", map[string]string{"de": "[47.5 11.5]", "es": "[47.5 -11.5]"}[lang]})
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	wantRead(t, func(text string) (any, string) { return notation.YesNo(text) }, [2]string{"Yes", "true"}, [2]string{"x", "true"},
		[2]string{"✓", "true"}, [2]string{"0", "false"}, [2]string{"–", "false"}, [2]string{"nein", "false"}, [2]string{"maybe", "!it is neither"})
	wantRead(t, func(text string) (any, string) { return notation.FirstSentence(text), "" },
		[2]string{"It has e.g. two. And three.", "It has e.g. two."}, [2]string{"J. Doe made it! Yes", "J. Doe made it!"},
		[2]string{"Runs v1.2 of it", "Runs v1.2 of it"}, [2]string{"これは本。次。", "これは本。"},
		[2]string{`He said "no." Then he left.`, `He said "no."`})
}
