package importer

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/strictyaml"
	"go.yaml.in/yaml/v4"
)

// Some facts have values of several parts, such as an amount and a currency. One text may have all parts.

// partsOf returns the keys of the parts that values of a fact have; nil if they have none.
func partsOf(f *api.Fact) (keys []string) {
	if f == nil || f.Kind.StatedType().Kind() != reflect.Struct {
		return nil
	}
	for _, field := range strictyaml.Fields(f.Kind.StatedType()) {
		keys = append(keys, field.Key)
	}
	return keys
}

// fillParts notes the parts of a fact that an entry has.
func (c *converter) fillParts(l *listing, key string) {
	for i, v := range c.values(l.entry, key) {
		v.text = strings.Join(strings.Fields(invisible.Remove(v.text)), " ")
		if i > 0 && v.text != "" {
			l.leaveOut(key, v, onlyOne)
		}
		if i == 0 && v.text != "" {
			l.parts[key] = v
		}
	}
}

// joinParts sets the facts of a listing whose parts have been noted.
func (c *converter) joinParts(l *listing) {
	for _, key := range slices.Sorted(maps.Keys(l.parts)) {
		f, _ := c.typeOf(key)
		v := l.parts[key]
		value, wrong := c.joined(f, v)
		if wrong != "" {
			l.leaveOut(key, v, wrong)
			continue
		}
		l.values[key], l.places[key] = value, v.node
	}
}

// joined returns the value of a fact with parts.
func (c *converter) joined(f *api.Fact, v value) (value any, wrong string) {
	texts, wrong := splitMoney(v.text, f.Currency)
	if wrong != "" {
		return nil, wrong
	}
	parts := map[string]any{}
	for part, text := range texts {
		if parts[part], wrong = readPart(f, part, text); wrong != "" {
			return nil, wrong
		}
	}
	value = short(f, parts)
	return value, checkFact(f, value)
}

// readPart reads a part of a value.
func readPart(f *api.Fact, part, text string) (value any, wrong string) {
	switch part {
	case "amount":
		digits, wrong := readNumber(text)
		number, _ := strconv.ParseFloat(digits, 64)
		return number, wrong
	case "currency":
		return currencyNamed(text, f.Currency)
	}
	return text, ""
}

// dateValue returns a date as listings have it: a year alone is a number.
func dateValue(when string) any {
	if year, err := strconv.Atoi(when); err == nil {
		return year
	}
	return when
}

// short returns the short form of a value, if it has one.
func short(f *api.Fact, parts map[string]any) any {
	if f.Kind == api.FactMoney && f.Currency != "" && (parts["currency"] == nil || parts["currency"] == f.Currency) {
		return parts["amount"]
	}
	return parts
}

// checkFact returns what is wrong with a value of a fact, or "". It reads the value as listings are read.
func checkFact(f *api.Fact, value any) (wrong string) {
	text, err := yaml.Dump(map[string]any{f.Key: value})
	if err != nil {
		return err.Error()
	}
	into := reflect.New(reflect.MapOf(reflect.TypeFor[string](), f.Kind.StatedType()))
	doc, problems := strictyaml.Parse(text, 1)
	if doc != nil {
		problems = doc.Decode(into.Interface())
	}
	if len(problems) > 0 {
		message := strings.TrimPrefix(problems[0].Message, f.Key+": ")
		if _, remedy, ok := strings.Cut(message, `" is not allowed: `); ok { // the note has the value already
			return remedy
		}
		return message
	}
	if _, wrongs := f.Read(into.Elem().MapIndex(reflect.ValueOf(f.Key)).Interface()); len(wrongs) > 0 {
		return wrongs[0].Message
	}
	return ""
}
