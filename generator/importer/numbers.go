package importer

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"go.yaml.in/yaml/v4"
)

// readNumber reads a number of a column that may be one of numbers.
func readNumber(text string) (number, wrong string) { return notation.Number(text, notation.Whole) }

// numberOf returns the digits of a number.
func numberOf(v value) (number, wrong string) {
	if number, wrong = notation.Number(v.text, v.decimal); wrong == notation.InTwoWays {
		wrong += `: if a comma stands before decimals in this column, write with: "number ," into the map, or else ` +
			`with: "number ."`
	}
	return number, wrong
}

// readFigure reads a number as listings have it.
func readFigure(v value) (number float64, wrong string) {
	digits, wrong := numberOf(v)
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
		i := slices.IndexFunc(t.With, func(f call) bool { return f.name == "number" })
		if i < 0 && !t.isNumeric() {
			continue
		}
		texts := textsAt(entries, slices.Concat(t.From, t.Join))
		t.decimal = notation.DecimalOf(texts, content.DecimalMark(lang) == ",")
		if i >= 0 && t.With[i].argument != "" {
			t.decimal = notation.Decimal(t.With[i].argument)
		}
		t.learnUnit(texts)
	}
}

// textsAt returns the texts at some paths of entries, also those in lists and mappings. Numbers of JSON are none.
func textsAt(entries []*entry, paths []path) (texts []string) {
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		for _, inner := range n.Content {
			add(inner)
		}
		if n.Kind == yaml.ScalarNode && !isNumber(n) { // programs write points
			texts = append(texts, n.Value)
		}
	}
	for _, e := range entries {
		for _, p := range paths {
			for _, n := range e.findWhole(p) {
				add(n)
			}
		}
	}
	return texts
}

// hasUnit reports whether a number or a range may have a unit.
func (t *target) hasUnit() bool {
	return t.fact != nil && (t.fact.Kind == api.FactNumber || t.fact.Kind == api.FactRange)
}

// learnUnit notes the unit of most numbers with one, unless some have that of the fact.
func (t *target) learnUnit(texts []string) {
	if !t.hasUnit() {
		return
	}
	counts, all := map[string]int{}, 0
	for _, text := range texts {
		for _, unit := range notation.Units(text) {
			all++
			counts[unit]++
		}
	}
	for unit, count := range counts {
		if notation.IsUnit(unit, t.fact.Unit) {
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
		for _, unit := range notation.Units(text) {
			switch {
			case notation.IsUnit(unit, t.fact.Unit):
			case notation.IsUnit(unit, t.usual):
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
