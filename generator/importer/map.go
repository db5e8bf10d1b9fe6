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
	"catalog.example/generator/yamlnode"
	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// Map says what of a source becomes which field of a listing. One value may stand for a list.
type Map struct {
	// About says in a sentence what the map is for. A map that says it is for many sources, which may lack some of
	// the paths.
	About string `json:"about"`
	// Format says how files are read; "" to go by their names.
	Format string `json:"format"`
	// Header is the line of a CSV or TSV file that names the columns; 0 to find it.
	Header int `json:"header"`
	// Files has globs of the files below a folder; by default, all of the most frequent format.
	Files []string `json:"files"`
	// Entries has paths of the entries in a file; the first that leads to something counts. By default, a file is a
	// list or one entry.
	Entries []path `json:"entries"`
	// Merged has columns of merged cells, whose empty cells have the value above them.
	Merged []path `json:"merged"`
	// Key has paths of what identifies an entry from one import to the next; the first that has a value counts. By
	// default, it is the name.
	Key []path `json:"key"`
	// Source says where the facts were read, for licences, stars and facts with a source; "" for nowhere.
	Source string `json:"source"`
	// Base is the address against which relative links in texts are resolved, and addresses that begin with a slash;
	// "" to make the links plain text, and leave out the addresses.
	Base string `json:"base"`
	// Skip leaves out the entries that have one of some values.
	Skip []condition `json:"skip"`
	// Fields maps a key of front matter, fitNotes.KEY, installLinks.KIND or body to what becomes its value.
	Fields map[string]field `json:"fields"`
	// Facts defines facts, as taxonomy/facts.yml does. A choice without values gets those of the source.
	Facts []api.Fact `json:"facts"`
	// Group is the heading above categories that the catalogue lacks.
	Group string `json:"group"`

	name    string               // of its file, for messages
	doc     *strictyaml.Document // of its file
	shipped []byte               // the text of a copy, if it comes with the program
	keys    []string             // of Fields, in the order of the file
}

// condition is a path with values.
type condition struct {
	From path     `json:"from"`
	Is   []string `json:"is"` // empty for any value
}

// field says what becomes the value of a field of listings.
type field struct {
	From    []path            `json:"from"`    // the first that has a value is taken
	Join    []path            `json:"join"`    // if from has none: all values of these make one value
	By      string            `json:"by"`      // what stands between the parts of join; "" for a space
	With    []call            `json:"with"`    // functions
	Values  map[string]string `json:"values"`  // what to write for a value of the source; "" for nothing
	Value   string            `json:"value"`   // what to write if there is no value; lists are separated by commas
	Unknown string            `json:"unknown"` // what to do with values that the taxonomy lacks: add or leave-out
}

//go:embed maps/*.yml
var shipped embed.FS

// Shipped returns the names of the shipped maps, with what each is for, which its first line says.
func Shipped() (names, about []string) {
	files, _ := fs.ReadDir(shipped, "maps") // it is embedded
	for _, f := range files {
		text, _ := shipped.ReadFile(slashpath.Join("maps", f.Name()))
		line, _, _ := strings.Cut(string(text), "\n")
		names = append(names, strings.TrimSuffix(f.Name(), ".yml"))
		about = append(about, strings.TrimPrefix(line, "about: "))
	}
	return names, about
}

// maxMap bounds the file of a map; settings have the same limit.
const maxMap = 64 << 10

// LoadMap reads a map: a file, or a shipped map by its name. The error lists all mistakes, a line each.
func LoadMap(name string) (*Map, error) {
	m := &Map{name: name}
	text, err := shipped.ReadFile(slashpath.Join("maps", name+".yml"))
	if err == nil {
		m.shipped = fmt.Appendf(nil, "# A copy of the map %s. Without the line about, an import tells which paths and "+
			"columns it does not fit.\n%s", name, text)
	} else {
		text, err = regular.ReadText(name, maxMap)
	}
	if errors.Is(err, os.ErrNotExist) {
		names, _ := Shipped()
		return nil, fmt.Errorf("map %s: there is no such file and no such shipped map: write auto, a file, or "+
			"one of %s%s", name, strings.Join(names, ", "), spelling.Hint(name, names))
	}
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	doc, problems := strictyaml.Parse(text, 1)
	if m.doc = doc; doc != nil {
		m.widen()
		problems = doc.Decode(m)
	}
	var wrong []error
	for _, p := range problems {
		wrong = append(wrong, fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, p.Message))
	}
	if doc != nil {
		wrong = append(wrong, m.check()...)
	}
	return m, errors.Join(wrong...)
}

// widen notes the keys of fields, and writes short forms out: a path or several alone stand for {from: paths}, and one
// value for a list of it.
func (m *Map) widen() {
	m.doc.Node() // parses comments, too, which definitions of facts keep
	root := m.doc.Root()
	widenLists(root, "files", "entries", "merged", "key")
	for _, condition := range yamlnode.Spread(yamlnode.Child(root, "skip")) {
		widenLists(condition, "is")
	}
	for key, field := range yamlnode.Pairs(yamlnode.Child(root, "fields")) {
		m.keys = append(m.keys, key.Value)
		if field.Kind != yaml.MappingNode {
			inner := *field
			*field = *yamlnode.Mapping(&inner, "from", &inner)
		}
		widenLists(field, "from", "join", "with")
		asTexts(field, "values", "value")
	}
}

// asTexts makes texts of numbers, and of true and false, as they are written.
func asTexts(n *yaml.Node, keys ...string) {
	for _, key := range keys {
		value := yamlnode.Child(n, key)
		if value == nil {
			continue
		}
		for _, inner := range append([]*yaml.Node{value}, value.Content...) {
			if slices.Contains([]string{"!!int", "!!float", "!!bool"}, inner.ShortTag()) {
				inner.Tag = "!!str"
			}
		}
	}
}

// widenLists makes lists of values that stand alone.
func widenLists(n *yaml.Node, keys ...string) {
	for _, key := range keys {
		value := yamlnode.Child(n, key)
		if value != nil && value.Kind == yaml.ScalarNode && value.ShortTag() != "!!null" {
			inner := *value
			*value = *yamlnode.List(&inner)
		}
	}
}

// check checks a map beyond the form of its values.
func (m *Map) check() (wrong []error) {
	fail := func(message string, at ...any) { wrong = append(wrong, m.errorAt(message, at...)) }
	if names := slices.Sorted(maps.Keys(formats)); m.Format != "" && !slices.Contains(names, m.Format) {
		fail(fmt.Sprintf("format: %q is not allowed: write one of %s", m.Format, strings.Join(names, ", ")), "format")
	}
	if m.Header < 0 {
		fail("header: lines are counted from 1", "header")
	}
	for i, glob := range m.Files {
		if !doublestar.ValidatePattern(glob) {
			fail(fmt.Sprintf("files: %q is not a glob", glob), "files", i)
		}
	}
	for i, c := range m.Skip {
		if len(c.From.steps) == 0 {
			fail("skip: from is missing: say which column or path has the value", "skip", i)
		}
	}
	for _, key := range m.keys {
		if message := checkTarget(key); message != "" {
			fail(message, "fields", key)
		}
		f := m.Fields[key]
		if !slices.Contains([]string{"", "add", "leave-out"}, f.Unknown) {
			fail(fmt.Sprintf("unknown: %q is not allowed: write add or leave-out", f.Unknown), "fields", key, "unknown")
		}
		switch {
		case len(f.From) == 0 && len(f.Join) == 0 && f.Value == "":
			fail("has neither from, join nor value: say which column or path it comes from", "fields", key)
		case f.By != "" && len(f.Join) == 0:
			fail("by: there is no join: write join: [column, column], or remove it", "fields", key, "by")
		}
	}
	for _, key := range required {
		misspelt := slices.ContainsFunc(m.keys, func(k string) bool {
			return targets[k] == nil && slices.Contains(spelling.Nearest(k, required, 1), key)
		})
		if !slices.Contains(m.keys, key) && !misspelt {
			fail("fields: "+key+" is missing, but every listing has one: say what it comes from", "fields")
		}
	}
	return wrong
}

// errorAt returns an error about a place in the map.
func (m *Map) errorAt(message string, at ...any) error {
	line, column := m.doc.Position(at...)
	return fmt.Errorf("%s:%d:%d: %s", m.name, line, column, message)
}

// required are the fields that every listing has. The category is last, because it is added only for a listing.
var required = []string{"name", "purpose", "category"}

// targets has the types of the fields that a map can fill.
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
	case first == "fitNotes" && rest != "", first == "installLinks" && slices.Contains(api.InstallKinds, rest):
		return ""
	case first == "installLinks":
		return fmt.Sprintf("%q is not a field: write installLinks. and one of %s", key,
			strings.Join(api.InstallKinds, ", "))
	case targets[key] == nil:
		names := slices.Sorted(maps.Keys(targets))
		return fmt.Sprintf("%q is not a field that can be imported: write one of %s, installLinks.KIND or "+
			"fitNotes.KEY%s", key, strings.Join(names, ", "), spelling.Hint(key, names))
	}
	return ""
}
