package importer

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// converter makes listings of entries.
type converter struct {
	m        *Map
	report   *Report
	settings *site.Settings
	taxonomy *api.Taxonomy
	facts    api.Taxonomy // those of the catalogue, and then those of the map
	matter   *content.FrontMatter
	today    api.Date
	noAdd    bool     // the taxonomy must not change
	required []string // the fields that every listing must have
	others   []string // the other fields of the map

	terms      map[string]term             // of the taxonomy and new ones
	added      map[string][]*yaml.Node     // to the files of the taxonomy
	options    map[string][]api.FactOption // of new facts, by key
	optionUses map[[2]string]int           // how often entries have them, by key and slug
	licenses   map[string][2]string        // results of license
	repeated   []*repeated                 // what is told once
}

// listing is an entry on its way to a listing.
type listing struct {
	*entry
	key, slug string
	values    map[string]any // by the key of a field; body is the text. Empty values are left out
	places    map[string]*yaml.Node
	// parts has what the source says of facts with parts: by the key of the fact and by the part, which is "" for all.
	parts map[string]map[string]value
	// related has the listings that facts name, as the source calls them, by the key of the fact.
	related map[string][]value
	called  string // its name in the source
	output  string // its file, below the content folder
	before  []byte // the text of its file, and the one to write
	text    []byte
	wrote   map[string]bool
	// countedToday says that the source does not say when it counted the stars.
	countedToday bool
}

// convert makes a listing of an entry, or returns nil.
func (c *converter) convert(e *entry) *listing {
	for _, s := range c.m.Skip {
		for _, n := range e.find(s.From) {
			if found := textOf(n); slices.Contains(s.Is, found) || len(s.Is) == 0 && found != "" {
				e.tell(Ignored, n, "the map skips entries whose %s is %q", s.From, found)
				return nil
			}
		}
	}
	l := &listing{entry: e, values: map[string]any{}, places: map[string]*yaml.Node{},
		parts: map[string]map[string]value{}, related: map[string][]value{}}
	before := len(c.report.notes)
	for _, key := range c.required {
		told := len(c.report.notes)
		if c.fill(l, key); l.values[key] != nil {
			continue
		}
		if len(c.report.notes) == told {
			c.tellMissing(l, key)
		}
		why := c.report.notes[told]
		why.kind = Skipped
		c.report.notes = append(c.report.notes[:before], why) // what else does not fit matters no more
		return nil
	}
	for _, key := range c.others {
		c.fill(l, key)
	}
	c.complete(l)
	return l
}

// tellMissing tells that an entry has no value for a required field.
func (c *converter) tellMissing(l *listing, key string) {
	name, remedy := "", ""
	if l.values["name"] != nil {
		name = fmt.Sprintf(" (%q)", l.values["name"])
	}
	switch key {
	case "repositoryUrl":
		remedy = ": write optional: [repositoryUrl] into catalog.yml to allow that"
	case "category":
		remedy = ": write value: Others below category in the map, for such entries"
	}
	l.tell(Skipped, l.node, "the entry has no %s, which every listing needs%s%s", key, name, remedy)
}

// fill fills in a field of a listing.
func (c *converter) fill(l *listing, key string) {
	if c.hasParts(key) {
		c.fillParts(l, key)
		return
	}
	if values := c.values(l.entry, key); len(values) > 0 {
		l.places[key] = values[0].node
		c.set(l, key, values)
	}
}

// values returns the values of a field in an entry.
func (c *converter) values(e *entry, key string) (values []value) {
	f := c.m.Fields[key]
	if len(f.Join) > 0 {
		values = c.joinedColumns(e, key)
	}
	for _, from := range f.From {
		if values = c.found(e, key, from); len(values) > 0 {
			break
		}
	}
	values = slices.DeleteFunc(values, func(v value) bool { return v.text == "" })
	for _, with := range f.With {
		if !c.readsItself(key, with) {
			values = c.apply(e, key, with, values)
		}
	}
	if len(values) == 0 && f.Value != "" {
		texts := []string{f.Value}
		if !c.hasParts(key) { // the alternative text of a picture may have commas
			texts = strings.Split(f.Value, ",")
		}
		for _, text := range texts {
			values = append(values, value{text: strings.TrimSpace(text), node: e.node, done: true})
		}
	}
	return values
}

// joinedColumns returns one value made of those of several columns that an entry has.
func (c *converter) joinedColumns(e *entry, key string) []value {
	f := c.m.Fields[key]
	var texts []string
	var first value
	for _, from := range f.Join {
		for _, v := range c.found(e, key, from) {
			if v.text == "" || slices.Contains(nothingGiven, strings.ToLower(v.text)) {
				continue
			}
			if texts = append(texts, v.text); len(texts) == 1 {
				first = v
			}
			break
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []value{{text: strings.Join(texts, cmp.Or(f.By, " ")), node: first.node}}
}

// found returns the values of a field at a path of an entry.
func (c *converter) found(e *entry, key string, from path) (values []value) {
	fact, _, part := c.factOf(key)
	isWhole := part == "" && partsOf(fact) != nil
	for _, n := range e.findWhole(from) {
		if isWhole && n.Kind != yaml.ScalarNode {
			if given := givenParts(fact, n); given != nil {
				values = append(values, given...)
				continue
			}
		}
		for _, n := range yamlnode.Spread(n) {
			text := strings.TrimSpace(textOf(n))
			to, replaced := c.m.Fields[key].Values[text]
			switch {
			case text == "" && n.Kind == yaml.MappingNode && yamlnode.Child(n, "text") == nil:
				e.tell(LeftOut, n, "%s is a group of keys with values: name one of its keys in the map", key)
			case text == "":
			case replaced:
				values = append(values, value{text: to, node: n, done: true})
			case c.isNothing(e, key, value{text: text, node: n}):
			default:
				values = append(values, value{text: text, node: n})
			}
		}
	}
	return values
}

// readsItself reports whether values of a field are read with more care than a function reads them: the function number
// would drop a currency, and refuse a range.
func (c *converter) readsItself(key string, with call) bool {
	return c.hasParts(key) && (with.name == "number" || with.name == "date")
}

// nothingGiven has what lists write, in lower case, where they have no value.
var nothingGiven = []string{"unknown", "n/a", "none", "null", "nil", "tbd", "tba", "-", "–", "—", "?"}

// isNothing reports whether a value counts as nothing given, and counts it then. Names and texts may be any words, a
// fact may have an option such as none, and – means no where yes or no is asked.
func (c *converter) isNothing(e *entry, key string, v value) bool {
	if !slices.Contains(nothingGiven, strings.ToLower(v.text)) ||
		slices.Contains([]string{"name", "purpose", "body", "slug"}, key) {
		return false
	}
	fact, t := c.typeOf(key)
	if fact != nil && slices.ContainsFunc(fact.Values, func(o api.FactOption) bool { return o.Slug == v.text }) {
		return false
	}
	if _, wrong := readYesNo(v.text); t.Kind() == reflect.Bool && wrong == "" {
		return false
	}
	c.once("nothing", func(count int) {
		e.tell(Ignored, v.node, "%s %q and the like count as nothing given, %d times in all: to keep one, "+
			"write it into values of the field in the map", key, v.text, count)
	})
	return true
}

// typeOf returns the type of the values of a field, and the fact if it is one.
func (c *converter) typeOf(key string) (*api.Fact, reflect.Type) {
	if fact, _, part := c.factOf(key); fact != nil && part == "" {
		return fact, fact.Kind.StatedType()
	}
	if t := targets[key]; t != nil {
		return nil, t
	}
	return nil, reflect.TypeFor[string]()
}

// leaveOut tells of a value that does not fit.
func (e *entry) leaveOut(key string, v value, why string) {
	e.tell(LeftOut, v.node, "%s %q: %s", key, v.text, why)
}

// set sets a field to its values: a list to all that can be read, another field to the first.
func (c *converter) set(l *listing, key string, values []value) {
	whole := invisible.Remove(values[0].text)
	if key == "body" {
		c.body(l, values)
		return
	}
	for i := range values {
		values[i].text = oneLine(values[i].text)
	}
	values = slices.DeleteFunc(values, func(v value) bool { return v.text == "" })
	switch {
	case len(values) == 0:
	case key == "slug":
		l.slug = content.Slug(values[0].text, c.settings.Lang)
	case key == "license" && len(values) > 1:
		l.leaveOut(key, values[1], "it is a second licence: write any-of or all-of into the map")
	case key == "name", key == "purpose":
		c.line(l, key, values[0], whole)
		for _, v := range values[1:] {
			l.leaveOut(key, v, onlyOne)
		}
	default:
		c.setValues(l, key, values)
	}
	if kind, isLink := strings.CutPrefix(key, "installLinks."); isLink && l.values[key] != nil {
		links, _ := l.values["installLinks"].([]map[string]string)
		link := map[string]string{"kind": kind, "label": linkLabels[kind], "url": l.values[key].(string)}
		l.values["installLinks"], l.places["installLinks"] = append(links, link), l.places[key]
		delete(l.values, key)
	}
}

// onlyOne says why a value is left out.
const onlyOne = "the field has one value, and another comes first"

// setValues sets a field to what is read of values. Further categories go into alsoIn.
func (c *converter) setValues(l *listing, key string, values []value) {
	fact, t := c.typeOf(key)
	for _, v := range values {
		got, wrong := c.read(l, key, v)
		switch has := l.values[key]; {
		case wrong != "":
			l.leaveOut(key, v, wrong)
		case fact != nil && fact.Kind == api.FactRelation:
			l.related[key] = append(l.related[key], v)
			l.add(key, v.text, v.node)
		case t == reflect.TypeFor[[]string]():
			l.add(key, got.(string), v.node)
		case has == nil:
			l.values[key], l.places[key] = got, v.node
		case key == "category":
			l.add("alsoIn", got.(string), v.node)
		case has != got:
			l.leaveOut(key, v, onlyOne)
		}
	}
}

// add adds a text to a list, unless it is there already, or the listing has it as its name or category.
func (l *listing) add(key, text string, at *yaml.Node) {
	list, _ := l.values[key].([]string)
	other := map[string]string{"aliases": "name", "alsoIn": "category"}[key]
	switch {
	case slices.ContainsFunc(list, func(has string) bool { return strings.EqualFold(has, text) }):
	case other != "" && content.NameKey(text) == content.NameKey(fmt.Sprint(l.values[other])):
	default:
		l.values[key], l.places[key] = append(list, text), cmp.Or(l.places[key], at)
	}
}

// linkLabels are the labels of install links by kind.
var linkLabels = map[string]string{"docker": "Docker image", "pip": "Package on PyPI", "npm": "Package on npm",
	"brew": "Homebrew", "binary": "Downloads", "installer": "Installer", "helm": "Helm chart", "source": "Source code",
	"docs": "Installation", "store": "App store", "extension": "Extension"}

// read reads a value of a field, or of a list. wrong says why it cannot, or is "".
func (c *converter) read(l *listing, key string, v value) (got any, wrong string) {
	fact, t := c.typeOf(key)
	text := v.text
	switch {
	case termKinds[key] != "":
		return c.term(l, key, v)
	case fact != nil && fact.Kind.HasOptions():
		return c.option(fact, text)
	case key == "license":
		return c.license(text)
	case t.Kind() == reflect.Bool:
		text, wrong = readYesNo(text)
		return text == "true", wrong
	case t == reflect.TypeFor[api.Date]():
		return readDate(text)
	case strings.HasSuffix(key, "Url"), strings.HasPrefix(key, "installLinks."):
		return c.address(l.entry, key, v)
	case t.Kind() == reflect.Int:
		digits, _ := readNumber(text)
		if n, err := strconv.Atoi(digits); err == nil {
			return n, ""
		}
		return nil, "it is not a whole number"
	case fact != nil && fact.Kind == api.FactNumber:
		digits, wrong := readNumber(text)
		number, _ := strconv.ParseFloat(digits, 64)
		if wrong == "" {
			if _, problems := fact.Read(number); len(problems) > 0 {
				wrong = "it is out of bounds: " + api.NumberBounds(fact.Least, fact.Most) + " is allowed"
			}
		}
		return number, wrong
	case fact != nil && fact.Kind.IsDated():
		when, wrong := readWhen(text)
		return dateValue(when), wrong
	}
	switch {
	case !content.IsShortLine(text):
		return nil, "it is too long"
	case key == "formerly" && content.CheckSlug(text) != "":
		return nil, "it is not a slug"
	case key == "topics":
		text = strings.ToLower(text)
	}
	return text, ""
}

// line sets the name or the purpose, which it shortens where they are too long. The whole purpose becomes the
// text, unless the map fills that, too.
func (c *converter) line(l *listing, key string, v value, whole string) {
	most := content.MaxName
	if key == "purpose" {
		most = api.MaxPurpose
		v.text = plainText(v.text)
		if utf8.RuneCountInString(v.text) > most {
			v.text = firstSentence(v.text)
		}
	}
	if utf8.RuneCountInString(v.text) > most {
		v.text = string([]rune(v.text)[:most-1])
		if space := strings.LastIndexByte(v.text, ' '); space > most/2 {
			v.text = v.text[:space]
		}
		v.text = strings.TrimRight(v.text, " ,;:-–(") + "…"
		l.tell(Changed, v.node, "%s: shortened to %d characters: %q", key, most, whole)
	}
	if l.values[key] = v.text; key == "purpose" && v.text != plainText(whole) {
		c.body(l, []value{{text: whole, node: v.node}})
	}
}

// complete fills in what follows from other fields.
func (c *converter) complete(l *listing) {
	c.joinParts(l)
	if l.values["homepageUrl"] == l.values["repositoryUrl"] {
		delete(l.values, "homepageUrl")
	}
	if l.values["stars"] != nil && l.values["starsAsOf"] == nil {
		l.values["starsAsOf"], l.countedToday = string(c.today), true
	}
	for has, lacks := range map[string]string{"release.version": "release.date", "release.date": "release.version"} {
		if l.values[has] != nil && l.values[lacks] == nil {
			if l.places[lacks] == nil { // otherwise it has been told why
				l.tell(LeftOut, l.placeOf(has), "%s %q: a release needs %s, too", has, l.values[has], lacks)
			}
			delete(l.values, has)
		}
	}
	for key := range l.values {
		name, isFact := strings.CutPrefix(key, "fitNotes.")
		if c.m.Source != "" && (key == "license" || key == "stars" || isFact && c.facts.Fact(name).Sourced) {
			l.values["sources."+key] = c.m.Source
		}
	}
	for _, key := range c.m.Key {
		for _, n := range l.find(key) {
			l.key = cmp.Or(l.key, textOf(n))
		}
	}
	l.key = cmp.Or(l.key, content.NameKey(l.values["name"].(string)))
}

// oneLine returns a text without invisible characters, with one space between words.
func oneLine(text string) string { return strings.Join(strings.Fields(invisible.Remove(text)), " ") }
