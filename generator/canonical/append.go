package canonical

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// AppendEntries returns the text of a YAML list with more entries. It leaves the text as it is, and quotes new texts
// that some parser would read as another value.
func AppendEntries(before []byte, entries []*yaml.Node) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: entries}
	if _, values := commentsAndValues(list); strings.Contains(values, colon) {
		return nil, errors.New("an entry contains U+E000, a private-use character: remove it")
	}
	quote(list, false)
	added, err := dump(list)
	if err != nil {
		return nil, err
	}
	after := slices.Clone(before)
	if len(after) > 0 && after[len(after)-1] != '\n' {
		after = append(after, '\n')
	}
	after = append(after, added...)
	// Check the result, because the list may be written in another way, such as indented or in brackets.
	if n := count(before); n < 0 || count(after) != n+len(entries) {
		return nil, errors.New("entries cannot be added: write each entry as - slug: … at the beginning of a line")
	}
	return after, nil
}

// SetInEntry returns the text of a YAML list whose entry i, a mapping, has other values at some keys; nil removes a
// key. It leaves the other entries as they are.
func SetInEntry(before []byte, i int, values map[string]*yaml.Node) ([]byte, error) {
	doc, _ := strictyaml.Parse(before, 1)
	wrong := errors.New("an entry cannot be changed: write each entry as - key: … at the beginning of a line")
	if count(before) <= i {
		return nil, wrong
	}
	entries, lines := doc.Root().Content, bytes.SplitAfter(before, []byte("\n"))
	begin, end := entries[i].Line-1, len(lines)
	if i+1 < len(entries) {
		end = entries[i+1].Line - 1
	}
	for end > begin+1 && (len(bytes.TrimSpace(lines[end-1])) == 0 || lines[end-1][0] == '#') { // of the next entry
		end--
	}
	var entry yaml.Node
	err := yaml.Load(bytes.Join(lines[begin:end], nil), &entry)
	if err != nil || entry.Content[0].Kind != yaml.SequenceNode || len(entry.Content[0].Content) != 1 {
		return nil, wrong
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		setKey(entry.Content[0].Content[0], key, values[key])
	}
	quote(&entry, false)
	text, err := dump(&entry)
	if err != nil {
		return nil, err
	}
	after := slices.Concat(bytes.Join(lines[:begin], nil), []byte(text), bytes.Join(lines[end:], nil))
	if count(after) != len(entries) {
		return nil, wrong
	}
	return after, nil
}

// setKey sets the value of a key of a mapping; nil removes the key.
func setKey(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			if n.Content[i+1] = value; value == nil {
				n.Content = slices.Delete(n.Content, i, i+2)
			}
			return
		}
	}
	yamlnode.Add(n, key, value)
}

// quote sets the style of the texts in a node that have none.
func quote(n *yaml.Node, flow bool) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" {
		text(n, flow)
	}
	for _, inner := range n.Content {
		quote(inner, flow || n.Style&yaml.FlowStyle != 0)
	}
}

// count returns the number of entries of a YAML list, 0 for an empty text, and -1 for anything else.
func count(text []byte) int {
	doc, problems := strictyaml.Parse(text, 1)
	switch {
	case len(problems) > 0:
	case doc.Root() == nil:
		return 0
	case doc.Root().Kind == yaml.SequenceNode:
		return len(doc.Root().Content)
	}
	return -1
}
