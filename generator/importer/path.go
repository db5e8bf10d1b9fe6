package importer

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// path leads from an entry to values in it: license.name, tags[0], links[].url, annotations."a.b/c".
type path struct {
	text  string
	steps []step
}

// step is one step of a path: a key, an entry of a list, or all entries.
type step struct {
	key   string
	index int // of an entry; negative counts from the end
	kind  stepKind
}

type stepKind int

const (
	keyStep stepKind = iota
	indexStep
	allStep
)

// parsePath parses a path. A full stop alone is the value itself.
func parsePath(text string) (path, error) {
	p := path{text: text}
	for rest := strings.TrimPrefix(text, "."); rest != ""; {
		switch {
		case rest[0] == '[':
			inner, after, closed := strings.Cut(rest[1:], "]")
			index, err := strconv.Atoi(inner)
			if !closed || inner != "" && err != nil {
				return p, fmt.Errorf("%q is not a path: write [] for all entries of a list, or [0] for the first", text)
			}
			kind := indexStep
			if inner == "" {
				kind = allStep
			}
			p.steps, rest = append(p.steps, step{index: index, kind: kind}), strings.TrimPrefix(after, ".")
		case rest[0] == '"':
			key, after, closed := strings.Cut(rest[1:], `"`)
			if !closed {
				return p, fmt.Errorf("%q is not a path: a quotation mark is not closed", text)
			}
			p.steps, rest = append(p.steps, step{key: key}), strings.TrimPrefix(after, ".")
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			p.steps, rest = append(p.steps, step{key: rest[:end]}), strings.TrimPrefix(rest[end:], ".")
		}
	}
	return p, nil
}

// entry is one thing that a source lists.
type entry struct {
	file string     // as messages name it
	node *yaml.Node // a mapping
	// extra has what is known besides the entry itself, by name: file, folder, key, body, section, sections.
	extra   map[string]*yaml.Node
	parents []*yaml.Node // the mappings around it, the innermost first
}

// find returns the values at a path. A path whose first step is @ and a name leads to what is known besides
// the entry, or to the mappings around it: @section, @parent.name, @parent.parent.name.
func (e *entry) find(p path) []*yaml.Node {
	if n := child(e.node, p.text); n != nil {
		return spread(n)
	}
	if len(p.steps) == 0 {
		return nil
	}
	nodes, steps := []*yaml.Node{e.node}, p.steps
	if name, beside := strings.CutPrefix(steps[0].key, "@"); beside {
		around := 0
		for len(steps) > 0 && (steps[0].key == "@parent" || around > 0 && steps[0].key == "parent") {
			around, steps = around+1, steps[1:]
		}
		switch {
		case around > len(e.parents) || around == 0 && e.extra[name] == nil:
			return nil
		case around > 0:
			nodes = e.parents[around-1 : around]
		default:
			nodes, steps = []*yaml.Node{e.extra[name]}, steps[1:]
		}
	}
	for _, s := range steps {
		var next []*yaml.Node
		for _, n := range nodes {
			next = append(next, s.from(n)...)
		}
		nodes = next
	}
	var values []*yaml.Node
	for _, n := range nodes {
		values = append(values, spread(n)...)
	}
	return values
}

// from returns what a step leads to. A key of a list is that key of each of its entries.
func (s step) from(n *yaml.Node) (list []*yaml.Node) {
	n = resolve(n)
	switch {
	case s.kind == indexStep && n.Kind == yaml.SequenceNode:
		i := s.index
		if i < 0 {
			i += len(n.Content)
		}
		if i >= 0 && i < len(n.Content) {
			return n.Content[i : i+1]
		}
	case s.kind == allStep && n.Kind == yaml.SequenceNode:
		return n.Content
	case s.kind == allStep && n.Kind == yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			list = append(list, n.Content[i])
		}
	case s.kind == keyStep && n.Kind == yaml.SequenceNode:
		for _, inner := range n.Content {
			list = append(list, s.from(inner)...)
		}
	case s.kind == keyStep:
		if value := child(n, s.key); value != nil {
			return []*yaml.Node{value}
		}
	}
	return list
}

// spread returns the entries of a list, or else the value itself.
func spread(n *yaml.Node) []*yaml.Node {
	if n = resolve(n); n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	return n.Content
}

// resolve follows aliases.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode || n.Kind == yaml.DocumentNode {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		} else {
			n = n.Content[0]
		}
	}
	return n
}

// child returns the value of a key in a mapping, or nil. It looks into mappings that are merged with <<.
func child(n *yaml.Node, key string) *yaml.Node { return mergedChild(n, key, maxMerges) }

// maxMerges bounds how deep mappings are merged, because a mapping may contain itself.
const maxMerges = 8

func mergedChild(n *yaml.Node, key string, merges int) *yaml.Node {
	if n == nil || merges == 0 {
		return nil
	}
	if n = resolve(n); n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		for _, merged := range spread(n.Content[i+1]) {
			if value := mergedChild(merged, key, merges-1); value != nil {
				return value
			}
		}
	}
	return nil
}

// textOf returns the text of a value; "" for nil, null, lists and mappings. A mapping with the key text, such as a
// cell of a table, has that text.
func textOf(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n = resolve(n); n.Kind == yaml.MappingNode {
		if n = child(n, "text"); n == nil {
			return ""
		}
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return ""
	}
	return n.Value
}

// eachEntry calls visit for each entry that a path leads to in a document. around has the mappings around an
// entry, and key is the key under which it stands in a mapping; "" in a list.
func eachEntry(n *yaml.Node, steps []step, around []*yaml.Node, key string,
	visit func(n *yaml.Node, around []*yaml.Node, key string)) {
	n = resolve(n)
	switch {
	case len(steps) == 0:
		visit(n, around, key)
	case steps[0].kind == allStep && n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			eachEntry(n.Content[i+1], steps[1:], around, n.Content[i].Value, visit)
		}
	default:
		if n.Kind == yaml.MappingNode {
			around = append([]*yaml.Node{n}, around...)
		}
		for _, next := range steps[0].from(n) {
			eachEntry(next, steps[1:], around, "", visit)
		}
	}
}
