package importer

import (
	"fmt"
	"maps"
	slashpath "path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/spelling"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Some facts have values of several parts, such as an amount and a currency. A part may have a field of its own,
// fitNotes.KEY.PART; fitNotes.KEY alone may have all parts, in one text, in a list, or by their keys.

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

// besides are the parts that are no value by themselves: a name needs a place.
var besides = []string{"currency", "name", "alt", "source", "label"}

// otherNames has what sources call parts.
var otherNames = map[string]string{"lat": "latitude", "lng": "longitude", "lon": "longitude", "long": "longitude",
	"min": "from", "start": "from", "max": "to", "end": "to", "value": "amount", "text": "label"}

// factOf returns the fact of a field, the key of all its parts, and the part, which is "" for all of them; nil for
// a field that is no fact.
func (c *converter) factOf(key string) (f *api.Fact, whole, part string) {
	name, isFact := strings.CutPrefix(key, "fitNotes.")
	if !isFact {
		return nil, "", ""
	}
	name, part, _ = strings.Cut(name, ".")
	return c.facts.Fact(name), "fitNotes." + name, part
}

// hasParts reports whether a field is a fact with parts, or one of its parts.
func (c *converter) hasParts(key string) bool {
	f, _, _ := c.factOf(key)
	return partsOf(f) != nil
}

// checkPart returns what is wrong with the part of a fact that a field names, or "".
func checkPart(f *api.Fact, part string) string {
	known := partsOf(f)
	switch {
	case part == "" || slices.Contains(known, part):
		return ""
	case known == nil:
		return fmt.Sprintf("facts of the kind %s have no parts: write fitNotes.%s", f.Kind, f.Key)
	}
	return fmt.Sprintf("facts of the kind %s have no part %q: write one of %s%s", f.Kind, part,
		strings.Join(known, ", "), spelling.Hint(part, known))
}

// givenParts returns what a list or a mapping of a source says of the parts of a fact: a value, or several of a list.
func givenParts(f *api.Fact, n *yaml.Node) (values []value) {
	keys := partsOf(f)
	v := value{node: n, done: true, parts: map[string]string{}}
	add := func(key string, text *yaml.Node) {
		if other := otherNames[key]; other != "" && !slices.Contains(keys, key) {
			key = other
		}
		if text := strings.TrimSpace(textOf(text)); text != "" && slices.Contains(keys, key) {
			v.parts[key], v.text = text, strings.TrimPrefix(v.text+", "+text, ", ")
		}
	}
	isScalar := func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode }
	switch {
	case n.Kind == yaml.MappingNode:
		for key, text := range yamlnode.Pairs(n) {
			add(key.Value, text)
		}
	case len(n.Content) > 1 && len(n.Content) <= len(keys) && f.Kind != api.FactLink && f.Kind != api.FactPicture &&
		!slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return !isScalar(n) }):
		for i, text := range n.Content {
			add(keys[i], text)
		}
	default:
		for _, inner := range n.Content {
			if isScalar(inner) {
				values = append(values, value{text: strings.TrimSpace(textOf(inner)), node: inner})
			} else {
				values = append(values, givenParts(f, inner)...)
			}
		}
		return values
	}
	if len(v.parts) == 0 {
		return nil
	}
	return []value{v}
}

// fillParts notes a part, or all parts, of a fact that an entry has.
func (c *converter) fillParts(l *listing, key string) {
	_, whole, part := c.factOf(key)
	first := true
	for _, v := range c.values(l.entry, key) {
		v.text = strings.Join(strings.Fields(invisible.Remove(v.text)), " ")
		switch {
		case v.text == "":
		case !first:
			l.leaveOut(key, v, onlyOne)
		default:
			if l.parts[whole] == nil {
				l.parts[whole] = map[string]value{}
			}
			l.parts[whole][part], first = v, false
		}
	}
}

// joinParts sets the facts of a listing whose parts have been noted.
func (c *converter) joinParts(l *listing) {
	for _, key := range slices.Sorted(maps.Keys(l.parts)) {
		f, _, _ := c.factOf(key)
		given := l.parts[key]
		texts, wrong := c.textsOf(f, given)
		if wrong != "" {
			l.leaveOut(key, given[""], wrong)
			continue
		}
		at, isWhole := given[""]
		var all []string
		isGiven := false
		for _, part := range partsOf(f) {
			all = append(all, texts[part])
			if isGiven = isGiven || texts[part] != "" && !slices.Contains(besides, part); !isWhole && at.node == nil {
				at.node = given[part].node
			}
		}
		if at.text == "" {
			at.text = strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ", ")
		}
		if isGiven {
			c.setParts(l, key, f, texts, at)
		}
	}
}

// textsOf returns the texts of the parts of a fact. What the whole value says comes before the fields of parts.
func (c *converter) textsOf(f *api.Fact, given map[string]value) (texts map[string]string, wrong string) {
	texts = map[string]string{}
	for part, v := range given {
		if part != "" {
			texts[part] = v.text
		}
	}
	whole, isWhole := given[""]
	if !isWhole {
		return texts, ""
	}
	own := whole.parts
	if own == nil {
		usual := f.Currency
		if code, wrong := currencyNamed(texts["currency"], f.Currency); wrong == "" {
			usual = code
		}
		own, wrong = splitValue(f, whole.text, usual)
	}
	maps.Copy(texts, own)
	return texts, wrong
}

// setParts sets a fact to the value that the texts of its parts make.
func (c *converter) setParts(l *listing, key string, f *api.Fact, texts map[string]string, at value) {
	switch {
	case f.Kind == api.FactPlace && texts["name"] == "":
		texts["name"] = l.values["name"].(string)
	case f.Kind == api.FactPicture && texts["source"] == "" && c.m.Source != "":
		texts["source"] = c.m.Source
	}
	parts := map[string]any{}
	for _, part := range partsOf(f) {
		if texts[part] == "" {
			continue
		}
		got, wrong := readPart(f, part, texts[part])
		if part == "url" {
			got, wrong = c.address(l.entry, key, value{text: texts[part], node: at.node})
		}
		if wrong != "" {
			if own, ok := l.parts[key][part]; ok && own.text == texts[part] {
				key, at = key+"."+part, own
			}
			l.leaveOut(key, at, wrong)
			return
		}
		parts[part] = got
	}
	value := short(f, parts)
	if wrong := checkFact(f, value); wrong != "" {
		l.leaveOut(key, at, wrong+swapped(parts))
		return
	}
	l.values[key], l.places[key] = value, at.node
}

// swapped says if a latitude and a longitude are probably swapped.
func swapped(parts map[string]any) string {
	latitude, _ := parts["latitude"].(float64)
	longitude, isPlace := parts["longitude"].(float64)
	if isPlace && (latitude > 90 || latitude < -90) && longitude <= 90 && longitude >= -90 {
		return ": the latitude, which is from south to north, and the longitude may be swapped"
	}
	return ""
}

// readPart reads a part of a value.
func readPart(f *api.Fact, part, text string) (value any, wrong string) {
	switch {
	case part == "currency":
		return currencyNamed(text, f.Currency)
	case part == "latitude", part == "longitude":
		return readDegrees(text)
	case part == "file":
		return "pictures/" + slashpath.Base(strings.ReplaceAll(text, `\`, "/")), ""
	case f.Kind == api.FactDates:
		when, wrong := readWhen(text)
		return dateValue(when), wrong
	case f.Kind == api.FactMoney, f.Kind == api.FactRange:
		digits, wrong := readNumber(text)
		number, _ := strconv.ParseFloat(digits, 64)
		return number, wrong
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
	switch {
	case f.Kind == api.FactMoney && f.Currency != "" && (parts["currency"] == nil || parts["currency"] == f.Currency):
		return parts["amount"]
	case f.Kind == api.FactRange && parts["from"] == parts["to"]:
		return parts["from"]
	case f.Kind == api.FactLink && len(parts) == 1:
		return parts["url"]
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
