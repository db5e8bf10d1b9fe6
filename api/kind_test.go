package api

import (
	"reflect"
	"testing"
	"time"
)

// Examples keep the bounds of their definitions.
func TestExamplesInBounds(t *testing.T) {
	t.Parallel()
	half, ten := 0.5, 10.0
	for _, kind := range KindsWith(FactKind.HasBounds) {
		for _, f := range []Fact{{Most: &half}, {Least: &ten}, {Least: &half, Most: &ten}, {Least: &ten, Most: &ten}, {}} {
			f.Kind, f.Currency = kind, "EUR"
			low, high, ok := f.Figures(f.Example())
			if problems := append(f.outOfBounds(low), f.outOfBounds(high)...); !ok || low > high || len(problems) > 0 {
				t.Errorf("%s: the example is %v: %v", kind, f.Example(), problems)
			}
		}
	}
}

// A value of each kind has the Go type of its kind, a text and figures if searches compare it, and is decoded
// from its JSON without the definition.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, kind := range FactKinds {
		f := Fact{Key: "x", Kind: kind, Values: []FactOption{{"small", "Small"}}, Currency: "EUR"}
		value := f.Example()
		if empty := f.Kind.empty(); Known(empty) {
			t.Errorf("%s: %v is known", kind, empty)
		}
		if !Known(value) {
			continue // texts, pictures and setups have no example
		}
		if reflect.TypeOf(value) != kind.Type() {
			t.Errorf("%s: %#v is no %s", kind, value, kind.Type())
		}
		if text := f.Text(value); text == Unknown || text == "" {
			t.Errorf("%s: the text is %q", kind, text)
		}
		if low, high, ok := f.Figures(value); ok != kind.IsMeasured() || low > high && kind != FactPlace {
			t.Errorf("%s: the figures are %v to %v, %v", kind, low, high, ok)
		}
		text, err := JSON(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeFact(text); err != nil || !reflect.DeepEqual(got, value) {
			t.Errorf("%s: %s is decoded as %#v, %v", kind, text, got, err)
		}
	}
	for _, text := range []string{`{"a":1}`, `{}`, `{"amount":2}`, `{"from":1}`, `{"amount":2,"currency":"EUR","name":"X"}`} {
		if value, err := DecodeFact([]byte(text)); err == nil {
			t.Errorf("%s is decoded as %#v", text, value)
		}
	}
}

func TestDaysOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]float64{
		"1970-01-01": {0, 0}, "1970-02": {31, 58}, "1970": {0, 364}, "1972-02": {761, 789}, "1969-12-31": {-1, -1},
		"0001": {-719162, -718798}, "1852": {-43099, -42734},
	} {
		if first, last, ok := daysOf(text); !ok || first != want[0] || last != want[1] {
			t.Errorf("%s: %v to %v, %v, want %v", text, first, last, ok, want)
		}
	}
	for day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2110; day = day.AddDate(0, 0, 1) {
		if first, _, ok := daysOf(day.Format(time.DateOnly)); !ok || int64(first) != day.Unix()/86400 {
			t.Fatalf("%s is day %v, %v", day, first, ok)
		}
	}
	for _, text := range []string{"", "2026-13", "2026-02-30", "2026-02-29", "2026-00-10", "2026-01-00", "2026-01-01-01", "+026", "2026-1", "26", "2026-09-01T00:00", "May", "0000", "0000-12-31", "999"} {
		if _, _, ok := daysOf(text); ok {
			t.Errorf("%q is taken for a date", text)
		}
	}
}

// A year alone is a number, which has no zeros before it.
func TestStatedYears(t *testing.T) {
	t.Parallel()
	for year, want := range map[float64]string{1852: "1852", 850: "0850", 1: "0001", 0: "", -5: "", 10000: "", 1852.5: ""} {
		var d statedDate
		if remedy := d.SetShort(year); string(d) != want || (remedy == "") != (want != "") {
			t.Errorf("%v is %q: %q", year, d, remedy)
		}
	}
}

// What is unknown, or cannot be compared, comes last in both directions.
func TestOrderOfFacts(t *testing.T) {
	t.Parallel()
	for sort, want := range map[Direction]int{Ascending: -1, Descending: 1} {
		f := Fact{Key: "price", Kind: FactMoney, Currency: "EUR", Sort: sort}
		cheap, dear := f.Figure(Money{2.5, "EUR"}), f.Figure(Money{10, "EUR"})
		if got := f.CompareFigures(cheap, dear); got != want {
			t.Errorf("%s: the cheap one is compared as %d", sort, got)
		}
		for _, last := range []any{nil, Money{1, "USD"}} {
			if f.CompareFigures(cheap, f.Figure(last)) != -1 || f.CompareFigures(f.Figure(last), dear) != 1 || f.CompareFigures(f.Figure(last), f.Figure(nil)) != 0 {
				t.Errorf("%s: %v is not last", sort, last)
			}
		}
	}
}
