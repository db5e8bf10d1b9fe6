package importer

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// A number such as 1.357 has three decimals for some, and is above a thousand for others. The other numbers of its
// column say which: those whose signs mean one thing only, or whole ones that are large.

// decimal is the sign before decimals in the numbers of a column: a point, a comma, or one of these.
type decimal string

const (
	unknown  decimal = ""
	notComma decimal = "not comma" // no number tells, but the language of the catalogue does not have commas there
	none     decimal = "none"      // all numbers are whole
)

const leastLarge = 100 // among whole numbers from here on, nothing is written with three decimals

var (
	// numberText matches a number, perhaps with separators, between a sign of a currency and a unit.
	numberText = regexp.MustCompile(`^[~≈]?\s*[$€£¥]?\s*([-+]?[0-9][0-9.,'’\x{a0}\x{202f}\x{2009} _]*)\s*([^0-9]*)$`)
	separator  = regexp.MustCompile(`[,'’\x{a0}\x{202f}\x{2009} _]`)
	inTwoWays  = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}([.,])[0-9]{3}$`)
	decimals   = regexp.MustCompile(`^[-+]?([0-9]+,([0-9]{1,2}|[0-9]{4,})|(0|[0-9]{4,}),[0-9]{3})$`)
	thousands  = regexp.MustCompile(`^[-+]?[0-9]{1,3}(` + separator.String() + `[0-9]{3})+(\.[0-9]+)?$`)
	dotted     = regexp.MustCompile(`^[-+]?[0-9]{1,3}(\.[0-9]{3}){2,}(,[0-9]+)?$|^[-+]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$`)
	spaced     = regexp.MustCompile(`^[-+]?[0-9]{1,3}(['’\x{a0}\x{202f}\x{2009} ][0-9]{3})+,[0-9]{1,2}$`)
	about      = regexp.MustCompile(`(?i)^(?:ca|circa|approx|about|etwa)\.?\s+([0-9].*\pL)`) // a unit: no ca. 1850
	figures    = regexp.MustCompile(figure)
)

// readNumber reads a number of a column that may be a number.
func readNumber(text string) (number, wrong string) { return numberOf(text, none) }

// numberOf reads a number of a column in which decimals follow a sign.
func numberOf(text string, sign decimal) (number, wrong string) {
	m := numberText.FindStringSubmatch(about.ReplaceAllString(strings.TrimSpace(text), "$1"))
	if m == nil {
		return "", "it is not one number"
	}
	digits := strings.TrimSpace(m[1])
	if m := inTwoWays.FindStringSubmatch(digits); m != nil {
		mark, means := m[1], ""
		switch {
		case sign == unknown, sign == notComma && mark == ".":
			return "", `it may mean thousands or three decimals: if a comma stands before decimals in this column, ` +
				`write with: "number ," into the map, or else with: "number ."`
		case sign == decimal(mark):
			means = "."
		}
		digits = strings.Replace(digits, mark, means, 1)
	}
	switch {
	case decimals.MatchString(digits):
		digits = strings.ReplaceAll(digits, ",", ".")
	case thousands.MatchString(digits):
		digits = separator.ReplaceAllString(digits, "")
	case dotted.MatchString(digits):
		digits = strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", ".")
	case spaced.MatchString(digits): // 1 234,50
		whole, cents, _ := strings.Cut(digits, ",")
		digits = separator.ReplaceAllString(whole, "") + "." + cents
	}
	if n, err := strconv.ParseFloat(digits, 64); err == nil {
		return strconv.FormatFloat(n, 'f', -1, 64), ""
	}
	return "", "it is not one number"
}

// readFigure reads a number as listings have it.
func readFigure(v value) (number float64, wrong string) {
	digits, wrong := numberOf(v.text, v.decimal)
	number, _ = strconv.ParseFloat(digits, 64)
	return number, wrong
}

// hundredth is the function cents of values that are no money.
func hundredth(_ *converter, v value, _ string) ([]string, string) {
	number, wrong := readFigure(v)
	return []string{strconv.FormatFloat(number/100, 'f', -1, 64)}, wrong
}

// isNumber reports whether JSON or YAML say that a value is a number.
func isNumber(n *yaml.Node) bool {
	tag := n.ShortTag()
	return n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float")
}

// isNumeric reports whether values of a field are read as numbers.
func (t *target) isNumeric() bool {
	return t.parts != nil || t.kind.Kind() == reflect.Int || t.fact != nil && t.fact.Kind == api.FactNumber
}

// learnNumbers notes how the columns of fields write numbers, and their units. lang is the language of the catalogue.
func learnNumbers(fields []*target, entries []*entry, lang string) {
	for _, t := range fields {
		t.learnUnit(entries)
		i := slices.IndexFunc(t.With, func(f call) bool { return f.name == "number" })
		switch {
		case i >= 0 && t.With[i].argument != "":
			t.decimal = decimal(t.With[i].argument)
		case i >= 0 || t.isNumeric():
			t.decimal = decimalOf(entries, slices.Concat(t.From, t.Join), lang)
		}
	}
}

// decimalOf returns the sign before decimals at some paths of entries.
func decimalOf(entries []*entry, paths []path, lang string) decimal {
	found := map[decimal]bool{}
	areLarge := true
	eachText(entries, paths, func(text string) {
		for _, text := range figures.FindAllString(text, -1) {
			if number, wrong := numberOf(text, unknown); wrong == "" {
				sign := clearSign(text)
				found[sign] = true
				size, _ := strconv.ParseFloat(number, 64)
				areLarge = areLarge && size >= leastLarge
			}
		}
	})
	switch {
	case found["."] && found[","]:
		return unknown
	case found["."]:
		return "."
	case found[","]:
		return ","
	case found[none] && areLarge:
		return none
	case content.DecimalMark(lang) == ",":
		return unknown
	}
	return notComma
}

// eachText visits the texts at some paths of entries, also those in lists and mappings. Numbers of JSON are none.
func eachText(entries []*entry, paths []path, visit func(text string)) {
	var into func(n *yaml.Node)
	into = func(n *yaml.Node) {
		for _, inner := range n.Content {
			into(inner)
		}
		if n.Kind == yaml.ScalarNode && !isNumber(n) { // programs write points
			visit(n.Value)
		}
	}
	for _, e := range entries {
		for _, p := range paths {
			for _, n := range e.findWhole(p) {
				into(n)
			}
		}
	}
}

// clearSign returns the sign before decimals that a number tells. A sign that it has twice separates thousands.
func clearSign(number string) decimal {
	at := strings.LastIndexAny(number, ".,")
	switch {
	case at < 0:
		return none
	case strings.Count(number, number[at:at+1]) == 1:
		return decimal(number[at : at+1])
	case number[at] == ',':
		return "."
	}
	return ","
}

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
