package importer

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"go.yaml.in/yaml/v4"
)

// isNumeral reports whether a text can be read as one number, perhaps with a unit.
func isNumeral(text string) bool {
	_, wrong := notation.Number(text, notation.Whole)
	return wrong == ""
}

// divided returns a function that reads a number and divides it.
func divided(by float64) each {
	return one(func(_ *converter, v value, _ string) (string, string) {
		number, wrong := notation.Number(v.text, v.decimal)
		return strconv.FormatFloat(number/by, 'f', -1, 64), wrong
	})
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
		with := map[string]string{} // the functions that say how a column is written
		for _, f := range t.With {
			with[f.name] = f.argument
		}
		number, hasNumber := with["number"]
		if !hasNumber && !t.isNumeric() && !t.isDated() {
			continue
		}
		texts := textsAt(entries, slices.Concat(t.From, t.Join))
		t.order = cmp.Or(with["date"], notation.OrderIn(texts, lang))
		t.decimal = cmp.Or(notation.Decimal(number), notation.DecimalOf(texts, content.DecimalMark(lang) == ","))
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

// learnUnit notes the unit of most numbers with one, unless some have that of the fact, or one that is converted into
// that; and the least and the greatest of the numbers that have.
func (t *target) learnUnit(texts []string) {
	if t.fact == nil || !t.fact.Kind.HasUnit() {
		return
	}
	counts, all := map[string]int{}, 0
	var known []float64 // the numbers that are in the unit of the fact, or are converted into it
	for _, text := range texts {
		for _, f := range notation.Figures(text) {
			if f.Unit == "" {
				continue
			}
			all++
			counts[f.Unit]++
			number, wrong := t.convert(f, t.decimal)
			if wrong != "" || !notation.IsUnit(f.Unit, t.fact.Unit) && !t.isOther(f.Unit) {
				continue
			}
			known = append(known, number)
			if short := notation.ShortUnit(f.Unit); t.isOther(short) && !slices.Contains(t.others, short) {
				t.others = append(t.others, short)
			}
		}
	}
	if len(known) > 0 {
		t.least, t.most = slices.Min(known), slices.Max(known)
		return
	}
	for unit, count := range counts {
		if 2*count > all {
			t.usual = unit
		}
	}
}

// convert returns a number in the unit of the fact.
func (t *target) convert(f notation.Figure, sign notation.Decimal) (number float64, wrong string) {
	number, wrong = notation.Number(f.Number, sign)
	return notation.Convert(number, f.Unit, t.fact.Unit), wrong
}

// isOther reports whether numbers of a unit are converted into that of the fact.
func (t *target) isOther(unit string) bool {
	return unit != "" && !notation.IsUnit(unit, t.fact.Unit) && notation.Factor(unit, t.fact.Unit) != 0
}

// inUnit returns a value of which all numbers are in the unit of the fact, or what is wrong with its unit.
func (t *target) inUnit(e *entry, v value) (value, string) {
	if !t.fact.Kind.HasUnit() || v.done && v.parts == nil {
		return v, ""
	}
	if t.fact.Kind == api.FactRange && notation.ShortUnit(t.fact.Unit) != "s" {
		v.text = notation.Decade(v.text)
	}
	texts, isConverted := map[string]string{"": v.text}, false
	if v.parts != nil {
		texts = maps.Clone(v.parts)
	}
	for part, text := range texts {
		var numbers []string
		for _, f := range notation.Figures(text) {
			if wrong := t.wrongUnit(e, v, f.Unit); wrong != "" {
				return v, wrong
			}
			number, wrong := t.convert(f, v.decimal)
			if wrong != "" { // it is told when the number is read
				return v, ""
			}
			settled := t.doubtful(e, v, f.Unit, number)
			by, _ := notation.Scale(f.Unit)
			isConverted = isConverted || t.isOther(f.Unit) || settled != number || by != 1
			numbers = append(numbers, strconv.FormatFloat(settled, 'f', -1, 64))
		}
		if texts[part] = cmp.Or(strings.Join(numbers, "–"), text); notation.IsUpTo(text) {
			texts[part] = "≤" + texts[part]
		}
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
	switch by, _ := notation.Scale(unit); {
	case unit == "", notation.IsUnit(unit, t.fact.Unit):
	case by == 0, unit == "K" && t.fact.Unit == "":
		return notation.InTwoScales
	case t.isOther(unit):
		e.tellOnce(t.key+" "+unit, Changed, v.node, "%s %q and the like: %s is converted into %s, {n} times in all",
			t.key, v.text, unit, cmp.Or(t.fact.Unit, "a number"))
	case notation.IsUnit(unit, t.usual):
		if t.fact.Unit != "" {
			e.tellOnce(t.key+" unit", Noted, v.node, "%s %q: the unit of most numbers is %q, {n} times in all, and "+
				"that of the fact is %q: correct its definition if they are not the same", t.key, v.text, unit,
				t.fact.Unit)
		}
	case t.fact.Unit != "":
		return fmt.Sprintf(notation.OtherUnit, unit, t.fact.Unit)
	default:
		e.tellOnce(t.key+" unit", Ignored, v.node, "%s %q: the unit %q is not that of all other numbers, {n} times in "+
			"all: write the unit of the fact into its definition, and values with another are converted or left out",
			t.key, v.text, unit)
	}
	return ""
}

// tellInexact tells of numbers that are not exact, and reports whether one is. A range may have its upper end alone.
func (t *target) tellInexact(e *entry, v value) bool {
	is := notation.IsInexact(v.text)
	if is && (t.fact.Kind != api.FactRange || !notation.IsUpTo(v.text)) {
		e.tellOnce(t.key+" inexact", Noted, v.node, "%s %q and the like are not exact: the number alone is taken, {n} "+
			"times in all", t.key, v.text)
	}
	return is
}

// doubtful tells of numbers that are not exact, and of those without a unit that are far from those with one. Of these,
// it returns the number in another unit that the column has, if they are near the others in that one alone.
func (t *target) doubtful(e *entry, v value, unit string, number float64) float64 {
	const far = 10
	isFar := unit == "" && t.most > 0 && number != 0 && (number > far*t.most || number < t.least/far)
	if !t.tellInexact(e, v) && isFar {
		kind, unit, but := Noted, t.fact.Unit, "but it"
		near := slices.DeleteFunc(slices.Clone(t.others), func(unit string) bool {
			n := notation.Convert(number, unit, t.fact.Unit)
			return n > 2*t.most || n < t.least/2
		})
		if len(near) == 1 {
			kind, unit, but = Changed, near[0], "and as "+unit+" it"
			number = notation.Convert(number, unit, t.fact.Unit)
		}
		e.tellOnce(t.key+" far", kind, v.node, "%s %q counts as %s, because it has no unit, %s is far from the "+
			"numbers that have one, which are from %g to %g %s; {n} times in all: write the unit into the list if it "+
			"is another", t.key, v.text, unit, but, t.least, t.most, t.fact.Unit)
	}
	return number
}
