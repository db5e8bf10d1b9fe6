package importer

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	slashpath "path"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// Map says what of a source becomes which field of a listing.
type Map struct {
	// About says in a sentence what the map is for.
	About string `json:"about"`
	// Format is one of Formats; "" to go by the names of files.
	Format string `json:"format"`
	// Files has globs of the files below a folder; by default, all of the most frequent format.
	Files []string `json:"files"`
	// Entries has paths of the entries in a file; the first that leads to something counts. By default, a file is a
	// list or one entry.
	Entries []string `json:"entries"`
	// Key has paths of what identifies an entry from one import to the next; the first that has a value counts. By
	// default, it is the name.
	Key []string `json:"key"`
	// Source says where the facts were read, for licences, stars and facts with a source; "" for nowhere.
	Source string `json:"source"`
	// Base is the address against which relative links in texts are resolved; "" to make them plain text.
	Base string `json:"base"`
	// Skip leaves out the entries that have one of some values.
	Skip []Condition `json:"skip"`
	// Fields maps a key of front matter, fitNotes.KEY, installLinks.KIND or body to what becomes its value.
	Fields map[string]Field `json:"fields"`
	// Facts defines facts, as taxonomy/facts.yml does. A choice without values gets those of the source.
	Facts []api.Fact `json:"facts"`
	// Group is the heading above categories that the catalogue lacks.
	Group string `json:"group"`

	name    string // of its file, for messages
	entries []path
	key     []path
	facts   []*yaml.Node // the definitions of Facts as written
	keys    []string     // of Fields, in the order of the file
}

// Condition is a path with values.
type Condition struct {
	From string   `json:"from"`
	Is   []string `json:"is"` // empty for any value
	from path
}

// Field says what becomes the value of a field.
type Field struct {
	From    []string          `json:"from"`    // paths; the first that has a value is taken
	With    []string          `json:"with"`    // names of Functions, each with its argument after a space
	Values  map[string]string `json:"values"`  // what to write for a value of the source; "" for nothing
	Value   string            `json:"value"`   // what to write if there is no value; lists are separated by commas
	Unknown string            `json:"unknown"` // what to do with values that the taxonomy lacks: add or leave-out

	from []path
	with []call
}

//go:embed maps/*.yml
var shipped embed.FS

// Shipped returns the names of the shipped maps, with what each is for, which its first line says.
func Shipped() (names, about []string) {
	files, _ := fs.ReadDir(shipped, "maps") // it is embedded
	for _, f := range files {
		text, _ := shipped.ReadFile(slashpath.Join("maps", f.Name()))
		line, _, _ := strings.Cut(string(text), "\n")
		names, about = append(names, strings.TrimSuffix(f.Name(), ".yml")),
			append(about, strings.TrimPrefix(line, "about: "))
	}
	return names, about
}

// maxMap bounds the file of a map; settings have the same limit.
const maxMap = 64 << 10

// LoadMap reads a map: a file, or a shipped map by its name. The error lists all mistakes, a line each.
func LoadMap(name string) (*Map, error) {
	text, err := shipped.ReadFile(slashpath.Join("maps", name+".yml"))
	if err != nil {
		if text, err = regular.ReadText(name, maxMap); errors.Is(err, os.ErrNotExist) {
			names, _ := Shipped()
			return nil, fmt.Errorf("map %s: there is no such file and no such shipped map: write auto, a file, or "+
				"one of %s%s", name, strings.Join(names, ", "), spelling.Hint(name, names))
		} else if err != nil {
			return nil, fmt.Errorf("map %s: %w", name, err)
		}
	}
	return parseMap(name, text)
}

func parseMap(name string, text []byte) (*Map, error) {
	m := &Map{name: name}
	doc, problems := strictyaml.Parse(text, 1)
	if doc != nil {
		widen(doc.Node())
		problems = append(doc.Decode(m), m.check(doc)...)
	}
	if len(problems) == 0 {
		return m, nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", name, p.Line, p.Column, p.Message)
	}
	return nil, errors.New(strings.Join(lines, "\n"))
}

// widen writes out the short forms of fields: a path alone stands for {from: [path]}, and one path or function
// for a list of it.
func widen(doc *yaml.Node) {
	if doc == nil {
		return
	}
	list := func(n *yaml.Node) {
		if n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			inner := *n
			*n = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line, Column: n.Column,
				Content: []*yaml.Node{&inner}}
		}
	}
	list(child(doc, "files"))
	list(child(doc, "entries"))
	list(child(doc, "key"))
	if skip := child(doc, "skip"); skip != nil {
		for _, condition := range spread(skip) {
			list(child(condition, "is"))
		}
	}
	fields := child(doc, "fields")
	if fields == nil {
		return
	}
	for i := 1; i < len(fields.Content); i += 2 {
		n := fields.Content[i]
		if n.Kind == yaml.ScalarNode || n.Kind == yaml.SequenceNode {
			inner := *n
			*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
			addPair(n, "from", &inner)
		}
		list(child(n, "from"))
		list(child(n, "with"))
	}
}

// check checks a map and parses its paths and functions.
func (m *Map) check(doc *strictyaml.Document) (problems []strictyaml.Problem) {
	fail := func(message string, at ...any) {
		line, column := doc.Position(at...)
		problems = append(problems, strictyaml.Problem{Line: line, Column: column, Message: message})
	}
	parse := func(text string, at ...any) path {
		p, err := parsePath(text)
		if err != nil {
			fail(err.Error(), at...)
		}
		return p
	}
	if _, ok := Formats[m.Format]; !ok && m.Format != "" {
		known := strings.Join(slices.Sorted(maps.Keys(Formats)), ", ")
		fail(fmt.Sprintf("format: %q is not allowed: write one of %s", m.Format, known), "format")
	}
	for i, glob := range m.Files {
		if !doublestar.ValidatePattern(glob) {
			fail(fmt.Sprintf("files: %q is not a glob", glob), "files", i)
		}
	}
	for i, text := range m.Entries {
		m.entries = append(m.entries, parse(text, "entries", i))
	}
	for i, text := range m.Key {
		m.key = append(m.key, parse(text, "key", i))
	}
	for i := range m.Skip {
		m.Skip[i].from = parse(m.Skip[i].From, "skip", i, "from")
	}
	if fields := child(doc.Root(), "fields"); fields != nil {
		for i := 0; i < len(fields.Content); i += 2 {
			m.keys = append(m.keys, fields.Content[i].Value)
		}
	}
	for _, key := range m.keys {
		m.checkField(key, fail, parse)
	}
	for _, key := range required {
		misspelt := slices.ContainsFunc(m.keys, func(k string) bool {
			return targets[k] == nil && slices.Contains(spelling.Nearest(k, required, 1), key)
		})
		if _, ok := m.Fields[key]; !ok && !misspelt {
			fail("fields: "+key+" is missing, but every listing has one: say what it comes from", "fields")
		}
	}
	if facts := child(doc.Root(), "facts"); facts != nil {
		m.facts = spread(facts)
	}
	return problems
}

// checkField checks a field of a map.
func (m *Map) checkField(key string, fail func(message string, at ...any), parse func(text string, at ...any) path) {
	f := m.Fields[key]
	if message := checkTarget(key); message != "" {
		fail(message, "fields", key)
	}
	for i, text := range f.From {
		f.from = append(f.from, parse(text, "fields", key, "from", i))
	}
	for i, text := range f.With {
		c, message := parseCall(text)
		if f.with = append(f.with, c); message != "" {
			fail("with: "+message, "fields", key, "with", i)
		}
	}
	if len(f.From) == 0 && f.Value == "" {
		fail("has neither from nor value: say which column or path it comes from", "fields", key)
	}
	if !slices.Contains([]string{"", "add", "leave-out"}, f.Unknown) {
		fail(fmt.Sprintf("unknown: %q is not allowed: write add or leave-out", f.Unknown), "fields", key, "unknown")
	}
	m.Fields[key] = f
}

// required are the fields that every listing has.
var required = []string{"name", "purpose", "category"}

// targets has the kinds of the fields that a map can fill.
var targets = func() map[string]reflect.Type {
	all := map[string]reflect.Type{"body": reflect.TypeFor[string](), "slug": reflect.TypeFor[string](),
		"release.version": reflect.TypeFor[string](), "release.date": reflect.TypeFor[api.Date]()}
	for _, f := range strictyaml.Fields(reflect.TypeFor[api.ProjectDetail]()) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if k := t.Kind(); k == reflect.String || k == reflect.Bool || k == reflect.Int ||
			t == reflect.TypeFor[[]string]() {
			all[f.Key] = t
		}
	}
	delete(all, api.RunsWithKey) // it names listings
	return all
}()

// checkTarget returns what is wrong with the key of a field, or "".
func checkTarget(key string) string {
	first, rest, _ := strings.Cut(key, ".")
	switch {
	case first == "fitNotes" && rest != "":
		return ""
	case first == "installLinks" && slices.Contains(api.InstallKinds, rest):
		return ""
	case first == "installLinks":
		return fmt.Sprintf("%q is not a field: write installLinks. and one of %s", key, strings.Join(api.InstallKinds,
			", "))
	case targets[key] == nil:
		names := slices.Sorted(maps.Keys(targets))
		return fmt.Sprintf("%q is not a field that can be imported: write one of %s, installLinks.KIND or "+
			"fitNotes.KEY%s", key, strings.Join(names, ", "), spelling.Hint(key, names))
	}
	return ""
}

// fact returns the definition of a fact in the catalogue, or else in the map; nil if there is none.
func (m *Map) fact(taxonomy *api.Taxonomy, key string) (fact *api.Fact) {
	if fact = taxonomy.Fact(key); fact != nil {
		return fact
	}
	for i := range m.Facts {
		if m.Facts[i].Key == key {
			return &m.Facts[i]
		}
	}
	return nil
}
