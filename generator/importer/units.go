package importer

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"catalog.example/api"
)

// measure is a unit of a quantity, and how much of the first one it is.
type measure struct {
	quantity int
	size     float64
}

// measures has the units that are converted into each other, by their short forms.
var measures = func() map[string]measure {
	all := map[string]measure{}
	for i, quantity := range []string{
		"m 1 mm .001 cm .01 dm .1 km 1000 in .0254 ft .3048 yd .9144 mi 1609.344",
		"g 1 mg .001 kg 1000 t 1e6 oz 28.349523125 lb 453.59237",
		"l 1 ml .001 cl .01 dl .1 hl 100 m³ 1000",
		"s 1 ms .001 min 60 h 3600 d 86400",
		"m² 1 cm² .0001 ha 10000 km² 1e6 ft² .09290304 acre 4046.8564224",
	} {
		words := strings.Fields(quantity)
		for at := 0; at < len(words); at += 2 {
			size, _ := strconv.ParseFloat(words[at+1], 64)
			all[words[at]] = measure{i, size}
		}
	}
	return all
}()

// shortUnits has the short forms of units, by other names in lower case without an s at the end.
var shortUnits = map[string]string{"hour": "h", "hr": "h", "stunde": "h", "stunden": "h", "std": "h", "heure": "h",
	"minute": "min", "minuten": "min", "second": "s", "sec": "s", "sekunden": "s", "day": "d", "tag": "d", "jour": "d",
	"metre": "m", "meter": "m", "mètre": "m", "kilometre": "km", "kilometer": "km", "centimetre": "cm",
	"centimeter": "cm", "millimetre": "mm", "millimeter": "mm", "yard": "yd", "inch": "in", "inche": "in", `"`: "in",
	"″": "in", "''": "in", "foot": "ft", "feet": "ft", "'": "ft", "′": "ft", "mile": "mi", "litre": "l", "liter": "l",
	"gram": "g", "gramme": "g", "kilo": "kg", "kilogram": "kg", "tonne": "t", "ounce": "oz", "pound": "lb", "m2": "m²",
	"qm": "m²", "sqm": "m²", "cm2": "cm²", "km2": "km²", "sq ft": "ft²", "ft2": "ft²", "hectare": "ha", "hektar": "ha",
	"m3": "m³"}

// shortUnit returns a unit in its short form, without a remark.
func shortUnit(unit string) string {
	unit = strings.TrimSuffix(withoutRemark(unit), ".")
	if code, wrong := currencyNamed(unit, ""); wrong == "" {
		unit = code
	}
	if unit = strings.ToLower(unit); len(unit) > len("ms") { // which are no metres
		unit = strings.TrimSuffix(unit, "s")
	}
	return cmp.Or(shortUnits[unit], unit)
}

// withoutRemark returns a unit without what stands in brackets or behind a comma: km of km (one way).
func withoutRemark(unit string) string {
	if i := strings.IndexAny(unit, "([,;"); i >= 0 {
		unit = unit[:i]
	}
	return strings.TrimSpace(unit)
}

// factor returns by what a number of a unit is multiplied for another unit of the same quantity; 0 if it is none. A
// unit may have more words behind it: m high.
func factor(unit, into string) float64 {
	from, isKnown := measures[shortUnit(unit)]
	to, isAlso := measures[shortUnit(into)]
	first, more, _ := strings.Cut(unit, " ")
	switch {
	case isKnown && isAlso && from.quantity == to.quantity:
		return from.size / to.size
	case more != "" && !strings.Contains(more, "/"):
		return factor(first, into)
	}
	return 0
}

// isUnit reports whether a unit of a source is a known one, perhaps abbreviated, or with more words behind it: m high.
// A rate, such as h / week, is another unit than h.
func isUnit(unit, known string) bool {
	const abbreviation = 3 // letters at least: min is minutes, and m may be metres
	a, b := shortUnit(unit), shortUnit(known)
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) >= abbreviation && strings.HasPrefix(b, a) && !strings.Contains(b, "/") {
		return true
	}
	first, more, _ := strings.Cut(unit, " ")
	return more != "" && !strings.Contains(more, "/") && isUnit(first, known)
}

// figureOf is a number of a text with its unit: kg, h / week. A remark in brackets or behind a comma is none, and
// neither are signs alone, such as 12+.
type figureOf struct{ number, unit string }

// figuresIn returns the number of a text, or those of a range. If only the second one has a unit, it is that of both.
func figuresIn(text string) (found []figureOf) {
	if m := rangeText.FindStringSubmatch(text); m != nil {
		found = []figureOf{{m[1], cmp.Or(m[2], m[4])}, {m[3], m[4]}}
	} else if m := numberText.FindStringSubmatch(text); m != nil {
		found = []figureOf{{m[1], m[2]}}
	}
	for i, f := range found {
		f.unit = withoutRemark(f.unit)
		if !strings.ContainsFunc(f.unit, unicode.IsLetter) && shortUnits[f.unit] == "" {
			f.unit = ""
		}
		found[i] = f
	}
	return found
}

// hasUnit reports whether a number or a range may have a unit.
func (t *target) hasUnit() bool {
	return t.fact != nil && (t.fact.Kind == api.FactNumber || t.fact.Kind == api.FactRange)
}

// learnUnit notes the unit of most numbers with one, unless some have that of the fact, or one that is converted into
// that; and the least and the greatest of the numbers that have.
func (t *target) learnUnit(entries []*entry) {
	if !t.hasUnit() {
		return
	}
	counts, all, isKnown := map[string]int{}, 0, false
	eachText(entries, slices.Concat(t.From, t.Join), func(text string) {
		for _, f := range figuresIn(text) {
			if f.unit == "" {
				continue
			}
			all++
			counts[f.unit]++
			number, wrong := t.convert(f, t.decimal)
			if wrong != "" || !isUnit(f.unit, t.fact.Unit) && t.factor(f.unit) == 1 {
				continue
			}
			if !isKnown {
				t.least, t.most, isKnown = number, number, true
			}
			t.least, t.most = min(t.least, number), max(t.most, number)
		}
	})
	for unit, count := range counts {
		if 2*count > all && !isKnown {
			t.usual = unit
		}
	}
}

// convert returns a number in the unit of the fact.
func (t *target) convert(f figureOf, sign decimal) (number float64, wrong string) {
	digits, wrong := numberOf(f.number, sign)
	number, _ = strconv.ParseFloat(digits, 64)
	if by := t.factor(f.unit); by != 1 {
		const exact = 7 // digits: a mile has 1.609344 km
		number, _ = strconv.ParseFloat(strconv.FormatFloat(number*by, 'g', max(exact, len(digits)), 64), 64)
	}
	return number, wrong
}

// factor returns by what a number of a unit is multiplied for that of the fact; 1 if it is the same, or no such unit.
func (t *target) factor(unit string) float64 {
	if unit == "" || isUnit(unit, t.fact.Unit) {
		return 1
	}
	return cmp.Or(factor(unit, t.fact.Unit), 1)
}

var (
	decade  = regexp.MustCompile(`^([0-9]{3})0s$`)
	inexact = regexp.MustCompile(`^\s*[~≈]|` + about.String() + `|\+\s*$`)
)

// inUnit returns a value of which all numbers are in the unit of the fact, or what is wrong with its unit.
func (t *target) inUnit(e *entry, v value) (value, string) {
	if !t.hasUnit() || v.done && v.parts == nil {
		return v, ""
	}
	m := decade.FindStringSubmatch(v.text)
	if m != nil && t.fact.Kind == api.FactRange && shortUnit(t.fact.Unit) != "s" {
		v.text = m[1] + "0–" + m[1] + "9"
	}
	texts, isConverted := map[string]string{"": v.text}, false
	if v.parts != nil {
		texts = maps.Clone(v.parts)
	}
	for part, text := range texts {
		var numbers []string
		for _, f := range figuresIn(text) {
			if wrong := t.wrongUnit(e, v, f.unit); wrong != "" {
				return v, wrong
			}
			number, wrong := t.convert(f, v.decimal)
			if wrong != "" { // it is told when the number is read
				return v, ""
			}
			t.tellDoubtful(e, v, f.unit, number)
			isConverted = isConverted || t.factor(f.unit) != 1
			numbers = append(numbers, strconv.FormatFloat(number, 'f', -1, 64))
		}
		texts[part] = cmp.Or(strings.Join(numbers, "–"), text)
	}
	switch {
	case !isConverted:
	case v.parts != nil:
		v.parts, v.decimal = texts, "."
	default:
		v.text, v.decimal = texts[""], "."
	}
	return v, ""
}

// wrongUnit returns what is wrong with the unit of a value, or "". It tells once if units differ and the fact has none,
// if most values have another unit than the fact, and if numbers are converted.
func (t *target) wrongUnit(e *entry, v value, unit string) string {
	switch {
	case unit == "", isUnit(unit, t.fact.Unit):
	case t.factor(unit) != 1:
		e.tellOnce(t.key+" "+unit, Changed, v.node, "%s %q and the like: %s is converted into %s, {n} times in all",
			t.key, v.text, unit, t.fact.Unit)
	case isUnit(unit, t.usual):
		if t.fact.Unit != "" {
			e.tellOnce(t.key+" unit", Noted, v.node, "%s %q: the unit of most numbers is %q, {n} times in all, and "+
				"that of the fact is %q: correct its definition if they are not the same", t.key, v.text, unit,
				t.fact.Unit)
		}
	case t.fact.Unit != "":
		return fmt.Sprintf("its unit is %q, and that of the fact is %q", unit, t.fact.Unit)
	default:
		e.tellOnce(t.key+" unit", Ignored, v.node, "%s %q: the unit %q is not that of all other numbers, {n} times in "+
			"all: write the unit of the fact into its definition, and values with another are converted or left out",
			t.key, v.text, unit)
	}
	return ""
}

// tellDoubtful tells of numbers that are not exact, and of those without a unit that are far from those with one.
func (t *target) tellDoubtful(e *entry, v value, unit string, number float64) {
	const far = 10
	switch {
	case inexact.MatchString(v.text):
		e.tellOnce(t.key+" inexact", Noted, v.node, "%s %q and the like are not exact: the number alone is taken, {n} "+
			"times in all", t.key, v.text)
	case unit == "" && t.most > 0 && number != 0 && (number > far*t.most || number < t.least/far):
		e.tellOnce(t.key+" far", Noted, v.node, "%s %q counts as %s, because it has no unit, but it is far from the "+
			"numbers that have one, which are from %g to %g %[3]s; {n} times in all: write the unit into the list if "+
			"it is another", t.key, v.text, t.fact.Unit, t.least, t.most)
	}
}
