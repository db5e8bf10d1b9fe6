package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// written is what an import wrote for an entry, or as the definition of a fact: one line of its file.
type written struct {
	content.Import                   // of the first line alone
	Key            string            `json:"key,omitempty"`
	Slug           string            `json:"slug,omitempty"`
	Entry          string            `json:"entry,omitempty"`  // the hash of all that the source says of it
	Fact           string            `json:"fact,omitempty"`   // its key, in place of Key and Slug
	Fields         map[string]string `json:"fields,omitempty"` // the hash of each value
}

// stateFile returns the name of the file that keeps what an import wrote, below the content folder.
func stateFile(name string) string { return content.ImportsFolder + "/" + name + ".jsonl" }

// MapFile returns the name of the file that keeps the map of an import, below the content folder.
func MapFile(name string) string { return content.ImportsFolder + "/" + name + ".yml" }

// state is what an import wrote, by key.
type state struct {
	from           content.Import // of which list it was, and when
	entries, facts map[string]written
}

// followKeys finds entries that have another key because the map was corrected, such as to take the name from another
// column, and moves what the last import noted of them to that key. It knows them by all that the source says of them.
func (s *state) followKeys(listings []*listing, byKey map[string]*listing) {
	keys := map[string]string{} // of the last import, by entry; "" for several
	for key, w := range s.entries {
		if _, isTwice := keys[w.Entry]; isTwice || w.Entry == "" {
			key = ""
		}
		keys[w.Entry] = key
	}
	for _, l := range listings {
		entry := l.entry.hash()
		if key := keys[entry]; key != "" && byKey[key] == nil && s.entries[l.key].Slug == "" {
			s.moveKey(key, l.key)
			keys[entry] = ""
		}
	}
}

// moveKey notes that an entry has another key than at the last import.
func (s *state) moveKey(from, to string) {
	w := s.entries[from]
	delete(s.entries, from)
	w.Key = to
	s.entries[to] = w
}

// readState reads what an import wrote last. A missing file is no error.
func readState(name string) (*state, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &state{entries: map[string]written{}, facts: map[string]written{}}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var w written
		if err := json.Unmarshal(line, &w); err == nil && number == 1 && w.List != "" {
			s.from = w.Import
			continue
		} else if err != nil || w.Fact == "" && (w.Key == "" || w.Slug == "") {
			return nil, fmt.Errorf("%s:%d:1: this is no line of an import: restore the file, or remove it; "+
				"without it, the next import only fills in what is empty", name, number)
		}
		if w.Fact != "" {
			s.facts[w.Fact] = w
		} else {
			s.entries[w.Key] = w
		}
	}
	return s, nil
}

// text returns the file of what an import wrote.
func (s *state) text() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s.from); err != nil {
		return nil, err
	}
	for _, lines := range []map[string]written{s.entries, s.facts} {
		for _, key := range slices.Sorted(maps.Keys(lines)) {
			if err := encoder.Encode(lines[key]); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

// hashOf returns a hash of a value in YAML; "" for null, an empty text and an empty list or mapping.
func hashOf(n *yaml.Node) string {
	form := plainForm(n)
	if form == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(form))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// plainForm returns a value in a form that does not depend on how YAML writes it; "" if it is empty.
func plainForm(n *yaml.Node) (form string) {
	switch {
	case n == nil || n.ShortTag() == "!!null" || n.Kind == yaml.ScalarNode && n.Value == "":
	case n.Kind == yaml.SequenceNode:
		for _, inner := range n.Content {
			form += "[" + plainForm(inner) + "]"
		}
	case n.Kind == yaml.MappingNode:
		var parts []string
		for key, value := range yamlnode.Pairs(n) {
			if inner := plainForm(value); inner != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", key.Value, inner))
			}
		}
		slices.Sort(parts)
		return strings.Join(parts, ",")
	case n.ShortTag() == "!!bool":
		return n.Value
	default:
		if number, err := strconv.ParseFloat(n.Value, 64); err == nil && isNumber(n) {
			return strconv.FormatFloat(number, 'f', -1, 64)
		}
		return strconv.Quote(n.Value)
	}
	return form
}

// hashOfValue returns the hash of a value of a listing.
func hashOfValue(value any) string {
	var n yaml.Node
	if value == nil || n.Encode(value) != nil {
		return ""
	}
	return hashOf(&n)
}

// file is the file of a listing.
type file struct {
	name       string // below the content folder
	isNew      bool
	text, body []byte
	root       *yaml.Node // the front matter; nil if it cannot be read
}

// parse returns the file of a listing.
func parse(name string, text []byte) *file {
	f := &file{name: name, text: text}
	var matter []byte
	var doc yaml.Node
	matter, f.body, _ = content.Split(text)
	if yaml.Load(matter, &doc) == nil && len(doc.Content) > 0 {
		f.root = doc.Content[0]
	}
	return f
}

// field returns the value of a field, or nil.
func (f *file) field(key string) *yaml.Node {
	if key == "body" {
		return yamlnode.Scalar(string(bytes.TrimSpace(f.body)), nil)
	}
	n := f.root
	for _, step := range pathOf(key) {
		n = yamlnode.Child(n, step)
	}
	return n
}

// pathOf returns the path of a field: that of fitNotes.docker has two steps.
func pathOf(key string) []string { return strings.SplitN(key, ".", 2) }

// written returns what is noted of a listing beside its fields.
func (l *listing) written() written {
	return written{Key: l.key, Slug: l.slug, Entry: l.entry.hash(), Fields: map[string]string{}}
}

// merge sets the text of a listing after the import. Only what nobody has edited changes: a field whose value has the
// hash that the last import noted. It tells of edited fields.
func (t *trial) merge(l *listing) (err error) {
	last, now := t.last.entries[l.key], l.written()
	l.text, l.wrote, l.edits = l.output.text, map[string]bool{}, 0
	fields := maps.Clone(l.values)
	for key := range last.Fields {
		if fields[key] == nil {
			fields[key] = nil // it may have to go
		}
	}
	if l.output.isNew {
		fields["addedAt"] = cmp.Or[any](fields["addedAt"], string(t.Today))
	}
	var settings []canonical.Setting
	for _, key := range slices.SortedFunc(maps.Keys(fields), sourcesLast) {
		of, isSource := strings.CutPrefix(key, "sources.")
		if isSource && fields[of] == nil {
			fields[key] = nil
		}
		value := fields[key]
		was, is, will := last.Fields[key], hashOf(l.output.field(key)), hashOfValue(value)
		if isSource && fields[of] == nil && !l.wrote[of] && hashOf(l.output.field(of)) != "" || // that of an edit
			key == "starsAsOf" && l.countedToday && was != "" && last.Fields["stars"] == hashOfValue(fields["stars"]) {
			now.Fields[key] = was // or each import would change the listing
			continue
		}
		if key != "addedAt" && will != "" {
			now.Fields[key] = will
		}
		if t.Fresh && was != "" {
			was = is
		}
		switch kind := fate(was, is, will); {
		case kind == Ignored || key == "addedAt" && is != "":
		case kind == Edited:
			l.edits++
			l.tell(Edited, l.placeOf(key), "%s: the edit in %q stays; the source says %s", key, l.output.name,
				shown(value))
		case kind == Kept:
			l.edits++
			l.tell(Kept, l.placeOf(key), "%s: %q has been edited, and the source has changed, too: the edit stays; "+
				"the source says %s", key, l.output.name, shown(value))
		default:
			if l.wrote[key] = true; isSource {
				value = cmp.Or(value, canonical.Removed)
			}
			settings = append(settings, canonical.Setting{Path: pathOf(key), Value: value})
		}
	}
	settings = slices.DeleteFunc(settings, func(s canonical.Setting) bool { return s.Path[0] == "body" })
	if len(l.wrote) > 0 {
		l.text, err = t.format(l.output.text, settings...)
	}
	if l.wrote["body"] {
		if l.text = bytes.TrimSuffix(l.text, parse("", l.text).body); fields["body"] != nil {
			l.text = fmt.Appendf(l.text, "%s\n", fields["body"])
		}
	}
	t.now.entries[l.key] = now
	return err
}

// sourcesLast compares keys of fields: sources come behind the facts of which they are.
func sourcesLast(a, b string) int {
	isSource := func(key string) int { return strings.Count(key[:min(len(key), len("sources."))], "sources.") }
	return cmp.Or(isSource(a)-isSource(b), strings.Compare(a, b))
}

// format returns the text of a listing with other values. If what it has does not fit the definitions of facts as they
// will be, these values are emptied first.
func (t *trial) format(text []byte, settings ...canonical.Setting) ([]byte, error) {
	after, err := t.matter.Format(text, settings...)
	if err == nil {
		return after, nil
	}
	empty := slices.Clone(settings)
	for i := range empty {
		if empty[i].Value != canonical.Removed {
			empty[i].Value = nil
		}
	}
	if text, wrong := t.loaded.FrontMatter.Format(text, empty...); wrong == nil {
		return t.matter.Format(text, settings...)
	}
	return nil, err
}

// fate says what becomes of a value, by hashes of what the last import wrote, what it is and what it will be: it is
// Changed; an edit stays (Edited, or Kept if the source has changed, too); or nothing is to be done (Ignored).
func fate(was, is, will string) Kind {
	switch {
	case is == will:
		return Ignored
	case is == was:
		return Changed
	case will == was:
		return Edited
	}
	return Kept
}

// placeOf returns where the source has a field.
func (l *listing) placeOf(key string) *yaml.Node { return cmp.Or(l.places[key], l.node) }

// shown returns a value for a message.
func shown(value any) string {
	if value == nil {
		return "nothing"
	}
	if list, ok := value.([]string); ok {
		value = strings.Join(list, ", ")
	}
	if parts, ok := value.(map[string]any); ok && parts["file"] != nil {
		value = parts["file"]
	} else if ok {
		var texts []string
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			texts = append(texts, fmt.Sprintf("%s: %v", part, parts[part]))
		}
		value = strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%q", fmt.Sprint(value))
}
