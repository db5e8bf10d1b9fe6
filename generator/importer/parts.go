package importer

import (
	"cmp"
	"fmt"
	slashpath "path"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Some facts have values of several parts, such as an amount and a currency. A part may have a field of its own,
// fitNotes.KEY.PART; fitNotes.KEY alone may have all parts, in one text, in a list, or by their keys.

// target is what a field of the map fills: a field of listings, a fact, or a part of a fact.
type target struct {
	field                // what the map says
	key     string       // of the field
	kind    reflect.Type // of its values
	fact    *api.Fact    // nil if it is none
	whole   string       // the key of all parts of the fact
	part    string       // of the fact; "" for all of it
	further bool         // whether a field before it fills the same fact, and then this one, too
	parts   []string     // the keys of all parts that values of the fact have; nil for none

	matched map[string]bool  // the keys of values that a value of the source has
	decimal notation.Decimal // how numbers of its column are written
	order   string           // of the slashed days of its column
	usual   string           // the unit of most of them, if none has that of the fact
	// least and most are the least and the greatest number of those with a unit, in that of the fact.
	least, most float64
	others      []string // the units that are converted into that of the fact
}

// newTarget returns what a field of the map fills.
func (c *converter) newTarget(key string) *target {
	t := &target{field: c.Map.Fields[key], key: key, kind: targets[key], whole: key, matched: map[string]bool{}}
	if name, isFact := strings.CutPrefix(key, "fitNotes."); isFact {
		name, t.part, _ = strings.Cut(name, ".")
		t.fact, t.whole = c.facts.Fact(name), "fitNotes."+name
	}
	if t.fact != nil {
		if t.kind = t.fact.Kind.StatedType(); t.kind.Kind() == reflect.Struct {
			for _, field := range strictyaml.Fields(t.kind) {
				t.parts = append(t.parts, field.Key)
			}
		}
	}
	t.kind = cmp.Or(t.kind, reflect.TypeFor[string]()) // an address of an installation
	return t
}

// checkFact returns why the map cannot fill a fact, or a part of one, or "".
func (c *converter) checkFact(t *target) string {
	name := strings.TrimPrefix(t.whole, "fitNotes.")
	switch {
	case t.fact == nil || c.NoTaxonomy && c.loaded.Taxonomy.Fact(name) == nil:
		return fmt.Sprintf("the catalogue has no fact %q: define it below facts in the map, or in taxonomy/%s", name,
			content.FactsFile)
	case t.fact.Kind == api.FactSetups:
		return fmt.Sprintf("facts of the kind %s cannot be imported: remove the field", t.fact.Kind)
	case t.part != "" && t.parts == nil:
		return fmt.Sprintf("facts of the kind %s have no parts: write %s", t.fact.Kind, t.whole)
	case t.part != "" && !slices.Contains(t.parts, t.part):
		return fmt.Sprintf("facts of the kind %s have no part %q: write one of %s%s", t.fact.Kind, t.part,
			strings.Join(t.parts, ", "), spelling.Hint(t.part, t.parts))
	}
	return ""
}

// besides are the parts that are no value by themselves: a name needs a place.
var besides = []string{"currency", "name", "alt", "source", "label"}

// otherNames has what sources call parts.
var otherNames = map[string]string{"lat": "latitude", "lng": "longitude", "lon": "longitude", "long": "longitude",
	"min": "from", "start": "from", "max": "to", "end": "to", "value": "amount", "text": "label"}

// cents are the units of amounts that are a hundredth of their currency.
var cents = []string{"cent", "cents", "minor", "pence"}

// spread returns the values in a list one by one. A list of the parts of a fact is one value, which becomes a mapping.
func (t *target) spread(n *yaml.Node) []*yaml.Node {
	isGroup := func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }
	mayBe := n.Kind == yaml.SequenceNode && t.part == "" && len(n.Content) > 1 && len(n.Content) <= len(t.parts)
	if !mayBe || slices.ContainsFunc(n.Content, isGroup) || t.fact.Kind == api.FactLink ||
		t.fact.Kind == api.FactPicture {
		return yamlnode.Spread(n)
	}
	whole := yamlnode.Mapping(n)
	for i, text := range n.Content {
		yamlnode.Add(whole, t.parts[i], text)
	}
	return []*yaml.Node{whole}
}

// givenParts returns what a mapping of a source says of the parts of a fact. It tells of keys that are no parts.
func (t *target) givenParts(e *entry, n *yaml.Node) (v value, ok bool) {
	v = value{node: n, done: true, parts: map[string]string{}}
	if t.part != "" {
		return v, false
	}
	var others []string
	for k, part := range yamlnode.Pairs(n) {
		key, text := k.Value, strings.TrimSpace(textOf(part))
		if other := otherNames[key]; other != "" && !slices.Contains(t.parts, key) {
			key = other
		}
		switch {
		case text == "" && part.Kind == yaml.ScalarNode:
		case key == "unit" && slices.Contains(cents, strings.ToLower(text)):
			v.inCents = true
		case !slices.Contains(t.parts, key):
			others = append(others, k.Value)
		default:
			v.parts[key], v.text = text, strings.TrimPrefix(v.text+", "+text, ", ")
			if isNumber(part) {
				v.decimal = "."
			}
		}
	}
	for _, key := range others {
		if len(v.parts) > 0 {
			e.tellOnce(t.whole+"."+key, LeftOut, yamlnode.Child(n, key), "%s: facts of the kind %s have no part %q, "+
				"{n} times in all: check that the value is right without it", t.whole, t.fact.Kind, key)
		}
	}
	return v, len(v.parts) > 0
}

// fillParts fills in a fact with parts from all of its fields.
func (c *converter) fillParts(l *listing, whole *target) {
	given := map[string]value{} // by part; that of "" has all parts
	for _, t := range c.targets {
		if t.whole != whole.whole {
			continue
		}
		for _, v := range c.values(l.entry, t) {
			v.text = oneLine(v.text)
			inUnit, wrong := t.inUnit(l.entry, v)
			switch {
			case v.text == "":
			case wrong != "":
				l.leaveOut(t.key, v, wrong)
			case given[t.part].text != "":
				l.leaveOut(t.key, v, onlyOne)
			default:
				given[t.part] = inUnit
			}
		}
	}
	at, isWhole := given[""]
	if delete(given, ""); isWhole && at.parts == nil {
		usual, wrong := notation.Currency(given["currency"].text, whole.fact.Currency)
		if wrong != "" {
			usual = whole.fact.Currency
		}
		if at.parts, wrong = whole.split(at, usual); wrong != "" {
			l.leaveOut(whole.whole, at, wrong)
			return
		}
		if whole.fact.Kind == api.FactMoney {
			whole.tellInexact(l.entry, at)
		}
	}
	for part, text := range at.parts { // they come before the fields of parts
		given[part] = value{text: text, node: at.node, decimal: at.decimal, inCents: at.inCents}
	}
	var all []string
	isGiven := false
	for _, part := range whole.parts {
		if v := given[part]; v.text != "" {
			isGiven = isGiven || !slices.Contains(besides, part)
			all, at.node = append(all, v.text), cmp.Or(at.node, v.node)
		}
	}
	at.text = cmp.Or(at.text, strings.Join(all, ", "))
	if isGiven {
		c.setParts(l, whole, given, at)
	}
}

// setParts sets a fact to the value that its parts make. at has what the source says of all of them.
func (c *converter) setParts(l *listing, t *target, given map[string]value, at value) {
	key, f := t.whole, t.fact
	switch {
	case f.Kind == api.FactPlace && given["name"].text == "":
		given["name"] = value{text: l.values["name"].(string)}
	case f.Kind == api.FactPicture && given["source"].text == "":
		given["source"] = value{text: c.Map.Source}
	}
	parts := map[string]any{}
	for _, part := range t.parts {
		v := given[part]
		if v.text == "" {
			continue
		}
		got, wrong := c.readPart(l.entry, t, part, v)
		if wrong != "" {
			if at.parts[part] == "" { // it has a field of its own
				key, at = key+"."+part, v
			}
			l.leaveOut(key, at, wrong)
			return
		}
		parts[part] = got
	}
	value := short(f, parts)
	if wrong := checkValue(f, value); wrong != "" {
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
func (c *converter) readPart(e *entry, t *target, part string, v value) (got any, wrong string) {
	switch kind := t.fact.Kind; {
	case part == "url":
		return c.address(e, t.whole, v)
	case part == "currency":
		return notation.Currency(v.text, t.fact.Currency)
	case part == "latitude", part == "longitude":
		return notation.Degrees(v.text, c.Content.Settings.Lang)
	case part == "file":
		text, _, _ := strings.Cut(v.text, "?") // of an address
		return "pictures/" + slashpath.Base(strings.ReplaceAll(text, `\`, "/")), ""
	case kind == api.FactDates:
		return readDateValue(v.text)
	case kind == api.FactMoney, kind == api.FactRange:
		number, wrong := notation.Number(v.text, v.decimal)
		if v.inCents {
			number /= 100
		}
		return number, wrong
	}
	return v.text, ""
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

// checkValue returns what is wrong with a value of a fact, or "". It reads the value as listings are read.
func checkValue(f *api.Fact, value any) (wrong string) {
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

// split returns the parts of a text that has all of a value. usual is the currency of amounts without one.
func (t *target) split(v value, usual string) (parts map[string]string, wrong string) {
	switch kind := t.fact.Kind; {
	case kind == api.FactMoney && isNumber(v.node):
		return map[string]string{"amount": v.text}, ""
	case kind == api.FactMoney:
		return notation.Money(v.text, usual)
	case kind == api.FactRange:
		return notation.Range(v.text, t.fact.Unit)
	case kind == api.FactDates:
		return notation.Dates(v.text)
	case kind == api.FactPlace:
		return notation.Place(v.text)
	}
	return map[string]string{t.parts[0]: v.text}, "" // the file of a picture, or the address of a link
}
