package importer

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// converter makes listings of entries.
type converter struct {
	Options
	*Plan
	loaded      *content.Content            // the catalogue
	present     map[string]*content.Listing // by their slugs, present and former
	last, now   *state                      // what the last import wrote, and what this one writes
	matter      *content.FrontMatter        // with the facts of the map, once they are defined
	facts       api.Taxonomy                // those of the catalogue, and then those of the map
	texts       map[string][]byte           // of the files of the taxonomy, as they will be
	definitions map[string]*definition      // of the facts of the map, by key
	required    []string                    // the fields that every listing must have
	targets     []*target                   // of the map, those of the required fields first

	terms    map[string]term         // of the taxonomy and new ones
	chapters map[string]string       // the first heading above a section that is a category, by its slug
	added    map[string][]*yaml.Node // to the files of the taxonomy
	unfit    map[string]bool         // keys of the entries that cannot be listings
	skipped  map[string]bool         // keys and names of the entries that the map skips
	licenses map[string][2]string    // results of license

	// The names and slugs that are taken. The owner of a name, whose entry the source does not have, is nil if only a
	// listing of the source has it.
	names map[string]*content.Listing
	slugs map[string]bool
	keys  map[string]string // in the last import, by the slugs of listings that it wrote
}

// listing is an entry on its way to a listing.
type listing struct {
	*entry
	key, slug string
	values    map[string]any // by the key of a field; body is the text. Empty values are left out
	places    map[string]*yaml.Node
	// related has the listings that facts name, as the source calls them, by the key of the fact.
	related map[string][]value
	called  string // its name in the source
	// countedToday says that the source does not say when it counted the stars.
	countedToday bool

	output *file           // the file that it becomes
	text   []byte          // of the file after the import
	wrote  map[string]bool // the fields that the import writes
	edits  int             // how many values stay because somebody has edited them
}

// convert makes a listing of an entry, or returns nil.
func (c *converter) convert(e *entry) *listing {
	for _, s := range c.Map.Skip {
		for _, n := range e.find(s.From) {
			if found := textOf(n); slices.Contains(s.Is, found) || len(s.Is) == 0 && found != "" {
				e.tell(Ignored, n, "the map skips entries whose %s is %q", s.From, found)
				for _, key := range slices.Concat(c.Map.Key, c.Map.Fields["name"].From) {
					for _, n := range e.find(key) {
						c.skipped[textOf(n)] = true
					}
				}
				return nil
			}
		}
	}
	l := &listing{entry: e, values: map[string]any{}, places: map[string]*yaml.Node{}, related: map[string][]value{}}
	before := len(c.notes)
	for _, t := range c.targets {
		told := len(c.notes)
		if c.fill(l, t); l.values[t.key] != nil || !slices.Contains(c.required, t.key) {
			continue
		}
		if len(c.notes) == told {
			l.tellMissing(t.key)
		}
		why := c.notes[told]
		why.kind = Skipped
		c.notes = append(c.notes[:before], why) // what else does not fit matters no more
		c.unfit[c.keyOf(l)] = true
		return nil
	}
	c.complete(l)
	return l
}

// tellMissing tells that an entry has no value for a required field.
func (l *listing) tellMissing(key string) {
	remedy := map[string]string{"repositoryUrl": "write optional: [repositoryUrl] into catalog.yml to allow that",
		"category": "write value: Others below category in the map, for such entries",
		"name":     "if it is one of the things, let the map take name from several columns: name: [Name, Title]",
		"purpose":  "let the map take purpose from several columns, such as purpose: [Description, Name]"}[key]
	name, _ := l.values["name"].(string)
	for _, value := range yamlnode.Pairs(l.node) { // rows of remarks and sums have no name
		name = cmp.Or(name, oneLine(textOf(value)))
	}
	if name != "" {
		name = fmt.Sprintf(" (%q)", api.Shorten(name, content.MaxName))
	}
	l.tell(Skipped, l.node, "the entry has no %s, which every listing needs%s: %s", key, name, remedy)
}

// fill fills in a field of a listing.
func (c *converter) fill(l *listing, t *target) {
	switch {
	case t.further:
	case t.parts != nil:
		c.fillParts(l, t)
	default:
		if values := c.values(l.entry, t); len(values) > 0 {
			l.places[t.key] = values[0].node
			c.set(l, t, values)
		}
	}
}

// values returns the values of a field in an entry.
func (c *converter) values(e *entry, t *target) (values []value) {
	told := len(c.notes)
	values = c.given(e, t)
	toldOfFrom := len(c.notes)
	values = c.applyAll(e, t, slices.DeleteFunc(values, func(v value) bool { return v.text == "" }))
	if len(values) > 0 {
		return values
	}
	if joined := c.joined(e, t); len(joined) > 0 {
		c.notes = slices.Delete(c.notes, told, toldOfFrom) // join has what from cannot read
		before := len(c.notes)
		if values = c.applyAll(e, t, joined); len(values) == 0 && len(t.From) > 0 {
			c.notes, values = c.notes[:before], joined // the functions are for from
		}
	}
	for _, from := range t.From {
		if len(values) == 0 {
			c.Map.tellTexts(e, t.key, from)
		}
	}
	if len(values) == 0 && t.Value != "" {
		texts := []string{t.Value}
		if t.parts == nil { // the alternative text of a picture may have commas
			texts = strings.Split(t.Value, ",")
		}
		for _, text := range texts {
			values = append(values, value{text: strings.TrimSpace(text), node: e.node, done: true, decimal: "."})
		}
	}
	return values
}

// applyAll applies the functions of a field to values.
func (c *converter) applyAll(e *entry, t *target, values []value) []value {
	for _, with := range t.With {
		// Facts are read with more care than by these functions: number would drop a currency, and refuse a range.
		switch isMoney := t.fact != nil && t.fact.Kind == api.FactMoney; {
		case with.name == "number" && t.isNumeric(), with.name == "date" && t.parts != nil:
		case with.name == "cents" && isMoney:
			for i, v := range values {
				values[i].inCents = v.inCents || !v.done || v.parts != nil
			}
		default:
			values = c.apply(e, t, with, values)
		}
	}
	return values
}

// joined returns one value made of all those of several columns that an entry has.
func (c *converter) joined(e *entry, t *target) []value {
	var texts []string
	var at *yaml.Node
	for _, from := range t.Join {
		found := c.found(e, t, e.findWhole(from))
		if len(found) == 0 {
			c.Map.tellTexts(e, t.key, from)
		}
		for _, v := range found {
			if !isNothing(v.text) {
				texts, at = append(texts, v.text), cmp.Or(at, v.node)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []value{{text: strings.Join(texts, cmp.Or(t.By, " ")), node: at, decimal: t.decimal}}
}

// given returns the values at the first path of a field that has any. Where neighbouring paths lead through one list,
// each entry of the list has the values of the first path that has any in it.
func (c *converter) given(e *entry, t *target) (values []value) {
	for from := t.From; len(from) > 0 && len(values) == 0; {
		list, _ := e.listOf(from[0])
		together := 1
		for list != nil && t.parts == nil && together < len(from) {
			if other, _ := e.listOf(from[together]); other != list {
				break
			}
			together++
		}
		if together == 1 {
			values = c.found(e, t, e.findWhole(from[0]))
		} else {
			for _, n := range list.Content {
				values = append(values, c.givenIn(e, t, n, from[:together])...)
			}
		}
		from = from[together:]
	}
	return values
}

// givenIn returns the values at the first path that has any in an entry of a list.
func (c *converter) givenIn(e *entry, t *target, n *yaml.Node, from []path) []value {
	for _, p := range from {
		_, steps := e.listOf(p)
		if values := c.found(e, t, valuesAt(n, steps)); len(values) > 0 {
			return values
		}
	}
	return nil
}

// found returns the values of a field in values of an entry, of which some may be lists.
func (c *converter) found(e *entry, t *target, in []*yaml.Node) (values []value) {
	for _, n := range in {
		for _, n := range t.spread(n) {
			v := value{text: strings.TrimSpace(textOf(n)), node: n}
			text := v.text
			given, isGiven := t.givenParts(e, n)
			switch v = t.replaced(v); {
			case isGiven:
				values = append(values, given)
			case v.done:
				values = append(values, v)
			case text == "" && n.Kind == yaml.MappingNode && yamlnode.Child(n, "text") == nil:
				if !c.Map.isReadBy(e, n, t.key) {
					e.tell(LeftOut, n, "%s is a group of keys with values: name one of its keys in the map", t.key)
				}
			case text == "":
			case !e.countsAsNothing(t, v):
				values = append(values, v)
			}
		}
	}
	for i, v := range values {
		if values[i].decimal = cmp.Or(v.decimal, t.decimal); isNumber(v.node) {
			values[i].decimal = "."
		}
		if t.isDated() {
			values[i].text = notation.Ordered(t.order, v.text)
			for part, text := range v.parts {
				v.parts[part] = notation.Ordered(t.order, text)
			}
		}
	}
	return values
}

// replaced returns what the map says in place of a value, or the value.
func (t *target) replaced(v value) value {
	if to, ok := t.Values[v.text]; ok {
		t.matched[v.text] = true
		return value{text: to, node: v.node, done: true, decimal: "."}
	}
	return v
}

// nothingGiven has what lists write, in lower case, where they have no value.
var nothingGiven = []string{"", "unknown", "n/a", "none", "null", "nil", "tbc", "tbd", "tba", "k. a.",
	"k.a.", "-", "–", "—", "?"}

func isNothing(text string) bool { return slices.Contains(nothingGiven, strings.ToLower(text)) }

// countsAsNothing reports whether a value counts as nothing given, and tells of it then. Names and texts may be any
// words, a fact may have an option such as none, and – means no where yes or no is asked.
func (e *entry) countsAsNothing(t *target, v value) bool {
	if !isNothing(v.text) || slices.Contains([]string{"name", "purpose", "body", "slug"}, t.key) || t.fact != nil &&
		slices.ContainsFunc(t.fact.Values, func(o api.FactOption) bool { return o.Slug == v.text }) {
		return false
	}
	if _, wrong := notation.YesNo(v.text); t.kind.Kind() == reflect.Bool && wrong == "" {
		return false
	}
	e.tellOnce("nothing", Noted, v.node, "%s %q and the like count as nothing given, {n} times in all: to keep one, "+
		"write it into values of the field in the map", t.key, v.text)
	return true
}

// remedies says what the map can say about texts that may mean two things.
var remedies = map[string]string{
	notation.EitherMonth: ": write with: date dmy or with: date mdy into the map",
	notation.InTwoWays: `: if a comma stands before decimals in this column, write with: "number ," into the map, ` +
		`or else with: "number ."`,
	notation.InTwoScales: ": write the number in digits, or the unit of the fact into its definition",
}

// leaveOut tells of a value that does not fit.
func (e *entry) leaveOut(key string, v value, why string) {
	e.tell(LeftOut, v.node, "%s %q: %s%s", key, v.text, why, remedies[why])
}

// onlyOne says why a value is left out.
const onlyOne = "the field has one value, and another comes first: if both count, make one text of them with join"

// set sets a field to its values: a list to all that can be read, another field to the first.
func (c *converter) set(l *listing, t *target, values []value) {
	if t.key == "body" {
		c.body(l, values)
		return
	}
	whole := invisible.Remove(values[0].text)
	for i := range values {
		values[i].text = oneLine(values[i].text)
	}
	values = slices.DeleteFunc(values, func(v value) bool { return v.text == "" })
	switch {
	case len(values) == 0:
	case t.key == "slug":
		l.slug = content.Slug(values[0].text, c.Content.Settings.Lang)
	case t.key == "license" && len(values) > 1:
		l.leaveOut(t.key, values[1], "it is a second licence: write any-of or all-of into the map")
	case t.key == "name", t.key == "purpose":
		c.line(l, t.key, values[0], whole)
		for _, v := range values[1:] {
			l.leaveOut(t.key, v, onlyOne)
		}
	default:
		for _, v := range values {
			c.setValue(l, t, v)
		}
	}
	if kind, isLink := strings.CutPrefix(t.key, "installLinks."); isLink && l.values[t.key] != nil {
		links, _ := l.values["installLinks"].([]map[string]string)
		link := map[string]string{"kind": kind, "label": linkLabels[kind], "url": l.values[t.key].(string)}
		l.values["installLinks"], l.places["installLinks"] = append(links, link), l.places[t.key]
		delete(l.values, t.key)
	}
}

// setValue sets a field to what is read of a value, or adds that to a list. Further categories go into alsoIn.
func (c *converter) setValue(l *listing, t *target, v value) {
	got, wrong := c.read(l, t, v)
	switch has := l.values[t.key]; {
	case wrong != "":
		l.leaveOut(t.key, v, wrong)
	case t.fact != nil && t.fact.Kind == api.FactRelation:
		l.related[t.key] = append(l.related[t.key], v)
		l.add(t.key, v.text, v.node)
	case t.kind == reflect.TypeFor[[]string]():
		l.add(t.key, got.(string), v.node)
	case has == nil:
		l.values[t.key], l.places[t.key] = got, v.node
	case t.key == "category":
		l.add("alsoIn", got.(string), v.node)
	case has != got:
		l.leaveOut(t.key, v, onlyOne)
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
func (c *converter) read(l *listing, t *target, v value) (got any, wrong string) {
	key, fact, text := t.key, t.fact, v.text
	switch {
	case termKinds[key] != nil:
		return c.term(l, t, v)
	case fact != nil && fact.Kind.HasOptions():
		return c.option(fact, text)
	case key == "license":
		return c.license(text)
	case t.kind.Kind() == reflect.Bool:
		text, wrong = c.yesNo(text)
		return text == "true", wrong
	case t.kind == reflect.TypeFor[api.Date]():
		return notation.Day(text)
	case strings.HasSuffix(key, "Url"), strings.HasPrefix(key, "installLinks."):
		return c.address(l.entry, key, v)
	case t.kind.Kind() == reflect.Int:
		number, wrong := notation.Number(strings.ReplaceAll(text, "K", "k"), v.decimal) // counts are in no kelvin
		if number != math.Trunc(number) {
			wrong = "it is not a whole number, such as 1,234 or 1.2k"
		}
		return int(number), wrong
	case fact != nil && fact.Kind == api.FactNumber:
		if v, wrong = t.inUnit(l.entry, v); wrong != "" {
			return nil, wrong
		}
		number, wrong := notation.Number(v.text, v.decimal)
		if _, problems := fact.Read(number); wrong == "" && len(problems) > 0 {
			wrong = "it is out of bounds: " + api.NumberBounds(fact.Least, fact.Most) + " is allowed"
		}
		return number, wrong
	case fact != nil && fact.Kind.IsDated():
		return readDateValue(text)
	case !content.IsShortLine(text):
		return nil, "it is too long for a line: let body take it, or shorten it with first-sentence"
	case key == "formerly" && content.CheckSlug(text) != "":
		return nil, "it is not a slug, such as red-fox: let the map make one of it with slug"
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
		v.text = commonmark.Line(v.text)
		if utf8.RuneCountInString(v.text) > most {
			v.text = notation.FirstSentence(v.text)
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
	if l.values[key] = v.text; key == "purpose" && v.text != commonmark.Line(whole) {
		c.body(l, []value{{text: whole, node: v.node}})
	}
}

// body sets the text of a listing to Markdown that pages show.
func (c *converter) body(l *listing, values []value) {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.text)
	}
	if text := commonmark.Shown(strings.Join(texts, "\n\n"), c.Map.Base); text != "" {
		l.values["body"], l.places["body"] = text, values[0].node
	}
}

// complete fills in what follows from other fields.
func (c *converter) complete(l *listing) {
	if l.values["homepageUrl"] == l.values["repositoryUrl"] {
		delete(l.values, "homepageUrl")
	}
	if l.values["stars"] != nil && l.values["starsAsOf"] == nil {
		l.values["starsAsOf"], l.countedToday = string(c.Today), true
	}
	for has, lacks := range map[string]string{"release.version": "release.date", "release.date": "release.version"} {
		if l.values[has] != nil && l.values[lacks] == nil {
			if l.places[lacks] == nil { // otherwise it has been told why
				l.tell(LeftOut, l.placeOf(has), "%s %q: a release needs %s, too: fill that in the map, or remove this",
					has, l.values[has], lacks)
			}
			delete(l.values, has)
		}
	}
	day, _, _ := content.SourceDate(c.Map.Source) // lint tells what is wrong with it
	for key := range l.values {
		name, isFact := strings.CutPrefix(key, "fitNotes.")
		if c.Map.Source != "" && (key == "license" || key == "stars" || isFact && c.hasSource(c.facts.Fact(name))) {
			l.values["sources."+key] = c.Map.Source
			if l.values["checkedAt"] == nil && strings.Contains(c.Map.Source, "("+string(day)+")") { // no month
				l.values["checkedAt"] = string(day)
			}
		}
	}
	l.key = c.keyOf(l)
}

// keyOf returns the key of the entry of a listing; "" if it has neither key nor name.
func (c *converter) keyOf(l *listing) (text string) {
	for _, key := range c.Map.Key {
		for _, n := range l.find(key) {
			text = cmp.Or(text, textOf(n))
		}
	}
	name, _ := l.values["name"].(string)
	return cmp.Or(text, content.NameKey(name))
}

// hasSource reports whether the source of the map becomes that of a fact. A picture has its own.
func (c *converter) hasSource(f *api.Fact) bool {
	return f.Sourced || f.Kind != api.FactPicture && strings.Contains(c.Map.Source, "https://")
}

// oneLine returns a text without invisible characters, with one space between words.
func oneLine(text string) string { return strings.Join(strings.Fields(invisible.Remove(text)), " ") }
