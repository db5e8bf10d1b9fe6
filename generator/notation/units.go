package notation

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"
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

// ShortUnit returns a unit in its short form, without a remark.
func ShortUnit(unit string) string {
	unit = strings.TrimSuffix(withoutRemark(unit), ".")
	if code, wrong := Currency(unit, ""); wrong == "" {
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

// Factor returns by what a number of a unit is multiplied for another unit of the same quantity; 0 if it is none. A
// unit may have more words behind it: m high.
func Factor(unit, into string) float64 {
	from, isKnown := measures[ShortUnit(unit)]
	to, isAlso := measures[ShortUnit(into)]
	first, more, _ := strings.Cut(unit, " ")
	switch {
	case isKnown && isAlso && from.quantity == to.quantity:
		return from.size / to.size
	case more != "" && !strings.Contains(more, "/"):
		return Factor(first, into)
	}
	return 0
}

// IsUnit reports whether a unit of a source is a known one, perhaps abbreviated, or with more words behind it: m high.
// A rate, such as h / week, is another unit than h.
func IsUnit(unit, known string) bool {
	const abbreviation = 3 // letters at least: min is minutes, and m may be metres
	a, b := ShortUnit(unit), ShortUnit(known)
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) >= abbreviation && strings.HasPrefix(b, a) && !strings.Contains(b, "/") {
		return true
	}
	first, more, _ := strings.Cut(unit, " ")
	return more != "" && !strings.Contains(more, "/") && IsUnit(first, known)
}

// Figure is a number of a text with its unit: kg, h / week. A remark in brackets or behind a comma is none, and
// neither are signs alone, such as 12+.
type Figure struct{ Number, Unit string }

// Figures returns the number of a text, or those of a range. If only the second one has a unit, it is that of both.
func Figures(text string) (found []Figure) {
	text = exact(text)
	if m := rangeText.FindStringSubmatch(text); m != nil {
		found = []Figure{{m[1], cmp.Or(m[2], m[4])}, {m[3], m[4]}}
	} else if m := numberText.FindStringSubmatch(text); m != nil {
		found = []Figure{{m[1], m[2]}}
	}
	for i, f := range found {
		f.Number, f.Unit = strings.TrimSpace(f.Number), withoutRemark(f.Unit)
		if !strings.ContainsFunc(f.Unit, unicode.IsLetter) && shortUnits[f.Unit] == "" {
			f.Unit = ""
		}
		found[i] = f
	}
	return found
}

// Convert returns a number in another unit of the same quantity, or as it is if there is no such unit.
func Convert(number float64, from, into string) float64 {
	by := Factor(from, into)
	if by == 0 || IsUnit(from, into) {
		return number
	}
	const exact = 7 // digits: a mile has 1.609344 km
	digits := len(strconv.FormatFloat(number, 'f', -1, 64))
	number, _ = strconv.ParseFloat(strconv.FormatFloat(number*by, 'g', max(exact, digits), 64), 64)
	return number
}

var decade = regexp.MustCompile(`^([0-9]{3})0s$`)

// Decade returns the range of years of a decade, such as 1930–1939 for 1930s, or else the text.
func Decade(text string) string { return decade.ReplaceAllString(text, "${1}0–${1}9") }

var inexact = regexp.MustCompile(`^\s*[~≈]|` + about.String() + `|` + upTo.String() + `|\+\s*$`)

// IsInexact reports whether a text says that its number is not exact: ~ 3 kg, ca. 3 kg, up to 3 kg, 5+.
func IsInexact(text string) bool { return inexact.MatchString(text) }

// IsUpTo reports whether a text says the upper end of a range alone: up to 90 min.
func IsUpTo(text string) bool { return upTo.MatchString(text) }
