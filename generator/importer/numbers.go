package importer

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// unitText matches what may stand behind a number; m2 is square metres.
const unitText = `[^0-9]*|[ck]?m[23]`

var (
	// numberText matches a number, perhaps with separators, between a sign of a currency and a unit.
	numberText = regexp.MustCompile(`^[~≈]?\s*[$€£¥]?\s*([-+]?[0-9][0-9.,'’\x{a0}\x{202f}\x{2009} _]*)\s*(` + unitText + `)$`)
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

// learnForms notes how the columns of fields write numbers and days, and their units. lang is that of the catalogue.
func learnForms(fields []*target, entries []*entry, lang string) {
	for _, t := range fields {
		paths := slices.Concat(t.From, t.Join)
		with := map[string]string{} // the functions that say how a column is written
		for _, f := range t.With {
			with[f.name] = f.argument
		}
		number, isNumber := with["number"]
		if isNumber || t.isNumeric() {
			t.decimal = cmp.Or(decimal(number), decimalOf(entries, paths, lang))
		}
		t.learnUnit(entries)
		if t.isDated() {
			t.order = cmp.Or(with["date"], orderIn(entries, paths, lang))
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
