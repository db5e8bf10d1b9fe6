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
	"go.yaml.in/yaml/v4"
)

// converter makes listings of entries.
type converter struct {
	m        *Map
	report   *Report
	settings *site.Settings
	taxonomy *api.Taxonomy // with what the import adds
	matter   *content.FrontMatter
	today    api.Date
	add      additions
	noAdd    bool                 // the taxonomy must not change
	licenses map[string][2]string // results of license
}

// listing is an entry on its way to a listing.
type listing struct {
	*entry
	key, slug string
	values    map[string]any // by the key of a field; body is the text. Empty values are left out
	places    map[string]*yaml.Node
	file      string // below the content folder
	text      []byte // the file to write
	wrote     map[string]bool
	// countedToday says that the source does not say when it counted the stars.
	countedToday bool
}

// skipGroup begins the groups of notes about entries that the map skips.
const skipGroup = "skip "

// convert makes a listing of an entry, or returns nil.
func (c *converter) convert(e *entry) *listing {
	for _, s := range c.m.Skip {
		for _, n := range e.find(s.from) {
			if text := textOf(n); slices.Contains(s.Is, text) || len(s.Is) == 0 && text != "" {
				c.report.tell(Skipped, e.file, n, skipGroup+s.From, "the map skips entries whose %s is %q", s.From,
					text)
				return nil
			}
		}
	}
	l := &listing{entry: e, values: map[string]any{}, places: map[string]*yaml.Node{}}
	told, taxonomy, add := len(c.report.Notes), *c.taxonomy, c.add
	for _, key := range c.m.keys {
		if first, _, _ := strings.Cut(key, "."); key != "body" && key != "slug" && !c.matter.Has(first) &&
			first != "fitNotes" {
			continue // lint would refuse it; the reader was told once
		}
		values := c.values(e, key, c.m.Fields[key])
		if len(values) > 0 {
			l.places[key] = values[0].node
			c.set(l, key, values)
		}
	}
	if why, lacks := c.lacks(l, c.report.Notes[told:]); lacks {
		c.report.Notes = append(c.report.Notes[:told], why) // what else does not fit matters no more
		*c.taxonomy, c.add = taxonomy, add
		return nil
	}
	c.complete(l)
	return l
}

// lacks reports whether a listing lacks a required field, and why. notes are about the fields of the listing.
func (c *converter) lacks(l *listing, notes []Note) (why Note, lacks bool) {
	for _, key := range append(slices.Clone(required), "repositoryUrl") {
		if l.values[key] != nil || key == "repositoryUrl" && !c.matter.Requires(key) {
			continue
		}
		if i := slices.IndexFunc(notes, func(n Note) bool {
			return n.Kind == LeftOut && strings.HasPrefix(n.Group, key+" ")
		}); i >= 0 {
			why = notes[i]
			why.Kind = Skipped
			return why, true
		}
		remedy := ""
		if key == "repositoryUrl" {
			remedy = ": write optional: [repositoryUrl] into catalog.yml to allow that"
		}
		r := &Report{}
		r.tell(Skipped, l.entry.file, l.node, "no "+key, "the entry has no %s, which every listing needs%s%s", key,
			named(l), remedy)
		return r.Notes[0], true
	}
	return why, false
}

// complete fills in what follows from other fields.
func (c *converter) complete(l *listing) {
	if l.values["homepageUrl"] == l.values["repositoryUrl"] {
		delete(l.values, "homepageUrl")
	}
	if l.values["stars"] != nil && l.values["starsAsOf"] == nil {
		l.values["starsAsOf"], l.countedToday = string(c.today), true
	}
	if (l.values["release.version"] == nil) != (l.values["release.date"] == nil) {
		delete(l.values, "release.version")
		delete(l.values, "release.date")
	}
	if c.m.Source != "" {
		for key := range l.values {
			name, isFact := strings.CutPrefix(key, "fitNotes.")
			if key == "license" || key == "stars" || isFact && c.m.fact(c.taxonomy, name).Sourced {
				l.values["sources."+key] = c.m.Source
			}
		}
	}
	l.key = cmp.Or(c.keyOf(l), content.NameKey(l.values["name"].(string)))
}

// named returns the name of an entry for a message.
func named(l *listing) string {
	if name, ok := l.values["name"].(string); ok {
		return fmt.Sprintf(" (%q)", name)
	}
	return ""
}

// keyOf returns what identifies an entry from one import to the next, or "".
func (c *converter) keyOf(l *listing) string {
	for _, key := range c.m.key {
		for _, n := range l.find(key) {
			if text := textOf(n); text != "" {
				return text
			}
		}
	}
	return ""
}

// values returns the values of a field in an entry.
func (c *converter) values(e *entry, key string, f Field) (values []value) {
	for _, from := range f.from {
		for _, n := range e.find(from) {
			if text := strings.TrimSpace(textOf(n)); text != "" {
				values = append(values, value{text: text, node: n})
			} else if n.Kind == yaml.MappingNode && child(n, "text") == nil {
				c.report.tell(LeftOut, e.file, n, key+" is a mapping",
					"%s is a group of keys with values: name one of its keys in the map", key)
			}
		}
		if len(values) > 0 {
			break
		}
	}
	if len(f.Values) > 0 {
		kept := values[:0]
		for _, v := range values {
			if to, ok := f.Values[v.text]; ok {
				v.text, v.done = to, true
			}
			if v.text != "" {
				kept = append(kept, v)
			}
		}
		values = kept
	}
	for _, with := range f.with {
		values = c.apply(e, key, with, values)
	}
	if len(values) == 0 && f.Value != "" {
		for part := range strings.SplitSeq(f.Value, ",") {
			values = append(values, value{text: strings.TrimSpace(part), node: e.node, done: true})
		}
	}
	return values
}

// leaveOut tells of a value that does not fit.
func (c *converter) leaveOut(l *listing, key string, v value, why string) {
	c.report.tell(LeftOut, l.entry.file, v.node, key+" "+why[:min(len(why), 12)], "%s %q: %s", key, v.text, why)
}

// set sets a field to values. Only the first value counts for a field that has one.
func (c *converter) set(l *listing, key string, values []value) {
	if key == "body" {
		c.body(l, values)
		return
	}
	for i := range values {
		values[i].text = strings.Join(strings.Fields(invisible.Remove(values[i].text)), " ")
	}
	values = slices.DeleteFunc(values, func(v value) bool { return v.text == "" })
	if len(values) == 0 {
		return
	}
	first, kind, _ := strings.Cut(key, ".")
	t := targets[key]
	switch {
	case first == "fitNotes":
		c.fact(l, key, kind, values)
	case first == "installLinks":
		c.installLink(l, kind, values)
	case slices.Contains([]string{"category", "alsoIn", "platforms", "replaces"}, key):
		c.terms(l, key, values)
	case key == "name" || key == "purpose":
		c.line(l, key, values[0])
	case key == "slug":
		l.slug = content.Slug(values[0].text, c.settings.Lang)
	case key == "license":
		if len(values) > 1 {
			c.leaveOut(l, key, values[1], "it is a second licence: write any-of or all-of into the map")
			return
		}
		if expression, wrong := c.license(values[0].text); wrong != "" {
			c.leaveOut(l, key, values[0], wrong)
		} else {
			l.values[key] = expression
		}
	case t == reflect.TypeFor[[]string]():
		c.list(l, key, values)
	case t.Kind() == reflect.Bool, t.Kind() == reflect.Int:
		c.scalar(l, key, values[0], t.Kind())
	case t == reflect.TypeFor[api.Date]():
		c.date(l, key, values[0])
	case strings.HasSuffix(key, "Url"):
		if wrong := content.CheckAddress(values[0].text); wrong != "" {
			c.leaveOut(l, key, values[0], "it "+wrong)
		} else {
			l.values[key] = values[0].text
		}
	case !content.IsShortLine(values[0].text):
		c.leaveOut(l, key, values[0], "it is too long")
	default:
		l.values[key] = values[0].text
	}
}

// maxNameLength is the maximum length of a name, in characters.
const maxNameLength = 80

// line sets the name or the purpose, which it shortens where they are too long. The whole purpose becomes the
// text, unless there is another.
func (c *converter) line(l *listing, key string, v value) {
	whole, most := v.text, maxNameLength
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
		c.report.tell(Changed, l.entry.file, v.node, key+" too long", "%s: shortened to %d characters: %q", key, most,
			whole)
	}
	if l.values[key] = v.text; key == "purpose" && v.text != plainText(whole) && l.values["body"] == nil {
		c.body(l, []value{{text: whole, node: v.node}})
	}
}

// list sets a list of short texts without repetitions.
func (c *converter) list(l *listing, key string, values []value) {
	var list []string
	seen := map[string]bool{}
	for _, v := range values {
		if key == "topics" {
			v.text = strings.ToLower(v.text)
		}
		folded := strings.ToLower(v.text)
		switch {
		case seen[folded]:
		case key == "aliases" && content.NameKey(v.text) == content.NameKey(fmt.Sprint(l.values["name"])):
		case !content.IsShortLine(v.text):
			c.leaveOut(l, key, v, "it is too long")
		case key == "formerly" && content.CheckSlug(v.text) != "":
			c.leaveOut(l, key, v, "it is not a slug")
		default:
			list = append(list, v.text)
		}
		seen[folded] = true
	}
	if len(list) > 0 {
		l.values[key] = list
	}
}

// scalar sets a boolean or a whole number.
func (c *converter) scalar(l *listing, key string, v value, kind reflect.Kind) {
	if kind == reflect.Bool {
		text, wrong := readYesNo(v.text)
		if wrong != "" {
			c.leaveOut(l, key, v, "it is neither yes nor no")
			return
		}
		l.values[key] = text == "true"
		return
	}
	text, _ := readNumber(v.text)
	if n, err := strconv.Atoi(text); err == nil {
		l.values[key] = n
	} else {
		c.leaveOut(l, key, v, "it is not a whole number")
	}
}

func (c *converter) date(l *listing, key string, v value) {
	day, wrong := readDate(v.text)
	switch {
	case wrong != "":
		c.leaveOut(l, key, v, wrong)
	case api.Date(day) > c.today:
		c.leaveOut(l, key, v, "it is in the future")
	default:
		l.values[key] = day
	}
}

// linkLabels are the labels of install links by kind.
var linkLabels = map[string]string{"docker": "Docker image", "pip": "Package on PyPI", "npm": "Package on npm",
	"brew": "Homebrew", "binary": "Downloads", "installer": "Installer", "helm": "Helm chart", "source": "Source code",
	"docs": "Installation", "store": "App store", "extension": "Extension"}

// installLink adds an install link.
func (c *converter) installLink(l *listing, kind string, values []value) {
	if wrong := content.CheckAddress(values[0].text); wrong != "" {
		c.leaveOut(l, "installLinks", values[0], "it "+wrong)
		return
	}
	list, _ := l.values["installLinks"].([]map[string]string)
	l.values["installLinks"] = append(list,
		map[string]string{"kind": kind, "label": linkLabels[kind], "url": values[0].text})
	l.places["installLinks"] = values[0].node
}

// fact sets a fact.
func (c *converter) fact(l *listing, key, fact string, values []value) {
	f := c.m.fact(c.taxonomy, fact)
	v := values[0]
	switch f.Kind {
	case api.FactYesNo:
		c.scalar(l, key, v, reflect.Bool)
	case api.FactNumber, api.FactMoney, api.FactRange:
		text, wrong := readNumber(v.text)
		number, err := strconv.ParseFloat(text, 64)
		switch {
		case wrong != "" || err != nil:
			c.leaveOut(l, key, v, "it is not one number")
		case f.Least != nil && number < *f.Least || f.Most != nil && number > *f.Most:
			c.leaveOut(l, key, v, "it is out of bounds: "+api.NumberBounds(f.Least, f.Most)+" is allowed")
		default:
			l.values[key] = number
		}
	case api.FactChoice, api.FactChoices:
		var slugs []string
		for _, v := range values {
			if slug := c.option(l, key, f, v); slug != "" && !slices.Contains(slugs, slug) {
				slugs = append(slugs, slug)
			}
		}
		if f.Kind == api.FactChoice && len(slugs) > 0 {
			l.values[key] = slugs[0]
		} else if len(slugs) > 0 {
			l.values[key] = slugs
		}
	case api.FactTexts, api.FactRelation:
		c.list(l, key, values)
	default:
		if !content.IsShortLine(v.text) {
			c.leaveOut(l, key, v, "it is too long")
			return
		}
		l.values[key] = v.text
	}
}
