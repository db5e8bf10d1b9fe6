package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// StateFolder is the folder below the content folder that keeps what imports wrote last.
const StateFolder = "imports"

// written is what an import wrote for an entry: one line of its file.
type written struct {
	Key    string            `json:"key"`
	Slug   string            `json:"slug"`
	Fields map[string]string `json:"fields"` // the hash of each value
}

// readState reads what an import wrote last, by key. A missing file is no error.
func readState(name string) (map[string]written, error) {
	state := map[string]written{}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var w written
		if err := json.Unmarshal(line, &w); err != nil || w.Key == "" || w.Slug == "" {
			return nil, fmt.Errorf("%s:%d:1: this is no line of an import: restore the file, or remove it; without "+
				"it, the next import only fills in what is empty", name, number)
		}
		state[w.Key] = w
	}
	return state, nil
}

// stateText returns the file of what an import wrote.
func stateText(state map[string]written) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, key := range slices.Sorted(maps.Keys(state)) {
		if err := encoder.Encode(state[key]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// hashOf returns a hash of a value in YAML; "" for null, an empty text and an empty list or mapping.
func hashOf(n *yaml.Node) string {
	var b strings.Builder
	appendValue(&b, n)
	if b.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(b.String()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// appendValue writes a value in a form that does not depend on how YAML writes it.
func appendValue(b *strings.Builder, n *yaml.Node) {
	if n == nil {
		return
	}
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.MappingNode:
		var parts []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			var part strings.Builder
			if appendValue(&part, n.Content[i+1]); part.Len() > 0 {
				parts = append(parts, fmt.Sprintf("%q:%s", n.Content[i].Value, part.String()))
			}
		}
		slices.Sort(parts)
		b.WriteString(strings.Join(parts, ","))
	case n.Kind == yaml.SequenceNode:
		for _, inner := range n.Content {
			b.WriteByte('[')
			appendValue(b, inner)
			b.WriteByte(']')
		}
	case tag == "!!null" || n.Value == "":
	case tag == "!!bool":
		b.WriteString(n.Value)
	case tag == "!!int" || tag == "!!float":
		value := n.Value
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(number, 'f', -1, 64)
		}
		b.WriteString(value)
	default:
		fmt.Fprintf(b, "%q", n.Value)
	}
}

// hashOfValue returns the hash of a value of a listing.
func hashOfValue(value any) string {
	var n yaml.Node
	if value == nil || n.Encode(value) != nil {
		return ""
	}
	return hashOf(&n)
}

// present is a listing as it is in the content folder.
type present struct {
	text, body []byte
	root       *yaml.Node // the front matter
}

// readListing reads a listing.
func readListing(name string) (*present, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	matter, body, ok := content.Split(text)
	var doc yaml.Node
	if err := yaml.Load(matter, &doc); !ok || err != nil || len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s cannot be read: correct it first; catalog lint says what is wrong", name)
	}
	return &present{text, body, doc.Content[0]}, nil
}

// field returns the value of a field, or nil.
func (p *present) field(key string) *yaml.Node {
	if key == "body" {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimSpace(string(p.body))}
	}
	n := p.root // nil for a new listing
	for _, step := range pathOf(key) {
		if n == nil {
			return nil
		}
		n = child(n, step)
	}
	return n
}

// pathOf returns the path of a field: that of fitNotes.docker has two steps.
func pathOf(key string) []string { return strings.SplitN(key, ".", 2) }

// merge returns the text of a listing after an import. Only what nobody has edited changes: a field whose value
// has the hash that the last import noted. It tells of edited fields that changed in the source, too.
// last is what the last import wrote; p is nil for a new listing.
func (c *converter) merge(l *listing, p *present, last written, schema string) (text []byte, now written, err error) {
	now = written{Key: l.key, Slug: l.slug, Fields: map[string]string{}}
	l.wrote = map[string]bool{}
	fields := maps.Clone(l.values)
	if p == nil {
		p = &present{text: []byte("---\n" + schema + "name: null\n---\n")}
		if fields["addedAt"] == nil {
			fields["addedAt"] = string(c.today)
		}
	}
	var settings []canonical.Setting
	body := []byte(strings.TrimSpace(string(p.body)))
	keys := slices.Sorted(maps.Keys(fields))
	for _, key := range slices.Sorted(maps.Keys(last.Fields)) {
		if fields[key] == nil {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		value := fields[key]
		was, is, will := last.Fields[key], hashOf(p.field(key)), hashOfValue(value)
		if key == "starsAsOf" && l.countedToday && was != "" && last.Fields["stars"] == hashOfValue(fields["stars"]) {
			now.Fields[key] = was // otherwise each import would change the listing
			continue
		}
		if key != "addedAt" && will != "" {
			now.Fields[key] = will
		}
		switch {
		case is == will || key == "addedAt" && is != "":
		case is != was && will == was: // edited, and unchanged in the source
		case is != was:
			c.report.tell(Kept, l.entry.file, l.placeOf(key), "edited "+key,
				"%s: %s has been edited, and the source has changed, too: the edit stays; the source says %s", key,
				l.file, shown(value))
		case key == "body":
			body, l.wrote[key] = []byte(fmt.Sprint(value)), true
			if value == nil {
				body = nil
			}
		default:
			l.wrote[key] = true
			settings = append(settings, canonical.Setting{Path: pathOf(key), Value: value})
		}
	}
	if len(l.wrote) == 0 {
		return p.text, now, nil
	}
	if text, err = c.matter.Format(p.text, settings...); err != nil {
		return nil, now, err
	}
	if l.wrote["body"] {
		_, old, _ := content.Split(text)
		text = append(bytes.TrimSuffix(text, old), body...)
		if len(body) > 0 {
			text = append(text, '\n')
		}
	}
	return text, now, nil
}

// placeOf returns where the source has a field.
func (l *listing) placeOf(key string) *yaml.Node {
	if n := l.places[key]; n != nil {
		return n
	}
	return l.node
}

// shown returns a value for a message.
func shown(value any) string {
	if value == nil {
		return "nothing"
	}
	if list, ok := value.([]string); ok {
		value = strings.Join(list, ", ")
	}
	return fmt.Sprintf("%q", fmt.Sprint(value))
}

// stateFile returns the name of the file that keeps what an import wrote.
func stateFile(dir, name string) string { return filepath.Join(dir, StateFolder, name+".jsonl") }
