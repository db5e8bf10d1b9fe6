package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
)

// unitsIn returns what stands behind the number of a text, or behind those of a range: kg, h / week. A remark in
// brackets or behind a comma is none, and neither are signs alone, such as 12+.
func unitsIn(text string) (units []string) {
	var found []string
	if m := rangeText.FindStringSubmatch(text); m != nil {
		found = []string{m[2], m[4]}
	} else if m := numberText.FindStringSubmatch(text); m != nil {
		found = m[2:]
	}
	for _, unit := range found {
		if unit = withoutRemark(unit); strings.ContainsFunc(unit, unicode.IsLetter) {
			units = append(units, unit)
		}
	}
	return units
}

// withoutRemark returns a unit without what stands in brackets or behind a comma: km of km (one way).
func withoutRemark(unit string) string {
	if i := strings.IndexAny(unit, "([,;"); i >= 0 {
		unit = unit[:i]
	}
	return strings.TrimSpace(unit)
}

// shortUnits has the short forms of common units whose names do not begin with three letters of these.
var shortUnits = map[string]string{"hour": "h", "hr": "h", "stunde": "h", "stunden": "h", "std": "h", "metre": "m",
	"meter": "m", "kilometre": "km", "kilometer": "km", "centimetre": "cm", "centimeter": "cm", "millimetre": "mm",
	"millimeter": "mm", "yard": "yd", "litre": "l", "liter": "l", "gram": "g", "kilogram": "kg"}

// isUnit reports whether a unit of a source is a known one, perhaps abbreviated, or with more words behind it: m high.
// A rate, such as h / week, is another unit than h.
func isUnit(unit, known string) bool {
	const abbreviation = 3 // letters at least: min is minutes, and m may be metres
	plain := func(unit string) string {
		unit = strings.TrimSuffix(withoutRemark(unit), ".")
		if code, wrong := currencyNamed(unit, ""); wrong == "" {
			unit = code
		}
		if unit = strings.ToLower(unit); len(unit) > len("ms") { // which are no metres
			unit = strings.TrimSuffix(unit, "s")
		}
		return cmp.Or(shortUnits[unit], unit)
	}
	a, b := plain(unit), plain(known)
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) >= abbreviation && strings.HasPrefix(b, a) && !strings.Contains(b, "/") {
		return true
	}
	first, more, _ := strings.Cut(unit, " ")
	return more != "" && !strings.Contains(more, "/") && isUnit(first, known)
}

// hasUnit reports whether a number or a range may have a unit.
func (t *target) hasUnit() bool {
	return t.fact != nil && (t.fact.Kind == api.FactNumber || t.fact.Kind == api.FactRange)
}

// learnUnit notes the unit of most numbers with one, unless some have that of the fact.
func (t *target) learnUnit(entries []*entry) {
	if !t.hasUnit() {
		return
	}
	counts := map[string]int{}
	all := 0
	eachText(entries, slices.Concat(t.From, t.Join), func(text string) {
		for _, unit := range unitsIn(text) {
			all++
			counts[unit]++
		}
	})
	for unit, count := range counts {
		if isUnit(unit, t.fact.Unit) {
			t.usual = ""
			return
		}
		if 2*count > all {
			t.usual = unit
		}
	}
}

// wrongUnit returns what is wrong with the unit of a value, or "". It tells once if units differ and the fact has none,
// and if most values have another unit than the fact.
func (t *target) wrongUnit(e *entry, v value) string {
	if !t.hasUnit() || v.done && v.parts == nil {
		return ""
	}
	for _, text := range append(slices.Sorted(maps.Values(v.parts)), v.text) {
		for _, unit := range unitsIn(text) {
			switch {
			case isUnit(unit, t.fact.Unit):
			case isUnit(unit, t.usual):
				if t.fact.Unit != "" {
					e.tellOnce(t.key+" unit", Noted, v.node, "%s %q: the unit of most numbers is %q, {n} times in "+
						"all, and that of the fact is %q: correct its definition if they are not the same", t.key,
						v.text, unit, t.fact.Unit)
				}
			case t.fact.Unit != "":
				return fmt.Sprintf("its unit is %q, and that of the fact is %q", unit, t.fact.Unit)
			default:
				e.tellOnce(t.key+" unit", Ignored, v.node, "%s %q: the unit %q is not that of all other numbers, {n} "+
					"times in all: write the unit of the fact into its definition, and values with another are left "+
					"out", t.key, v.text, unit)
			}
		}
	}
	return ""
}
