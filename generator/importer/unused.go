package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// tellUnused tells what of the source a map with some fields does not read, and which values it names in vain. It tells
// nothing of a shipped map, which is for many sources.
func (p *Plan) tellUnused(m *Map, fields []*target, entries []*entry) {
	if m.shipped {
		return
	}
	if paths := unread(m, fields, entries); len(paths) > 0 {
		p.tell(NotUsed, m.name, nil, "no field of the map reads %s", strings.Join(paths, ", "))
	}
	var values []string
	var at *yaml.Node
	for _, t := range fields {
		for _, from := range slices.Sorted(maps.Keys(t.Values)) {
			if t.matched[from] {
				continue
			}
			if values = append(values, fmt.Sprintf("%s %q", t.key, from)); at == nil {
				line, column := m.doc.Position("fields", t.key, "values", from)
				at = &yaml.Node{Line: line, Column: column}
			}
		}
	}
	if at != nil {
		p.tell(NotUsed, m.name, at, "values names what the source does not have: %s", strings.Join(values, ", "))
	}
}

// readOf returns the values of an entry that a map reads. Those that it reads with all that is in them are true.
func readOf(m *Map, fields []*target, e *entry) map[*yaml.Node]bool {
	read := map[*yaml.Node]bool{}
	mark := func(paths []path, isWhole bool) {
		for _, p := range paths {
			for _, n := range e.findWhole(p) {
				for _, n := range append(yamlnode.Spread(n), n) {
					read[n] = read[n] || isWhole
				}
			}
		}
	}
	mark(m.Key, false)
	for _, s := range m.Skip {
		mark([]path{s.From}, false)
	}
	for _, t := range fields {
		mark(slices.Concat(t.From, t.Join), t.parts != nil && t.part == "")
	}
	return read
}

// isReadBy reports whether a field of the map, except for one, reads a text, or something in a group of keys.
func (m *Map) isReadBy(e *entry, n *yaml.Node, except string) bool {
	for key, f := range m.Fields {
		for _, p := range slices.Concat(f.From, f.Join) {
			isIt := func(found *yaml.Node) bool {
				return n.Kind == yaml.ScalarNode && found == n || slices.Contains(n.Content, found)
			}
			if key != except && slices.ContainsFunc(e.find(p), isIt) {
				return true
			}
		}
	}
	return false
}

// tellTexts tells of texts that stand where a path of a field leads further, unless a field reads them.
func (m *Map) tellTexts(e *entry, key string, p path) {
	n, steps := e.start(p)
	if n == nil || m.shipped {
		return
	}
	var texts []*yaml.Node
	for i := 1; i < len(steps) && texts == nil; i++ {
		walk(n, steps[:i], nil, "", func(n *yaml.Node, _ []*yaml.Node, _ string) {
			for _, n := range yamlnode.Spread(n) {
				if n.Kind == yaml.ScalarNode && !isNothing(textOf(n)) && !m.isReadBy(e, n, "") {
					texts = append(texts, n)
				}
			}
		})
	}
	for _, n := range texts {
		e.tell(LeftOut, n, "%s %q: it is a text, in which %s leads to nothing: add the path of the text to the map",
			key, textOf(n), p)
	}
}

// unread returns the paths of values that a map does not read: the outermost of each. What a cell of Markdown has
// besides its text counts as read.
func unread(m *Map, fields []*target, entries []*entry) (paths []string) {
	isRead, isKnown, outer := map[string]bool{}, map[string]bool{}, map[string]string{}
	var known []string
	for _, e := range entries {
		read, cells := readOf(m, fields, e), map[string]bool{"": isCell(e.node)}
		eachPath(e.node, "", maxPathDepth, func(path, key string, value *yaml.Node) bool {
			around := ""
			if path != key {
				around = strings.TrimSuffix(strings.TrimSuffix(path, quotedStep(key)), ".")
			}
			cells[path] = isCell(value)
			isEmpty := textOf(value) == "" && len(value.Content) == 0
			ofCell := cells[around] && (around != "" || slices.Contains([]string{"text", "url", "links"}, key))
			if !isEmpty && !ofCell && len(known) < maxPaths && !isKnown[path] {
				isKnown[path], known = true, append(known, path)
			}
			outer[path] = around
			isWhole := false
			for _, n := range append(yamlnode.Spread(value), value) {
				whole, has := read[n]
				for p := path; has && p != ""; p = outer[p] {
					isRead[p] = true
				}
				isWhole = isWhole || whole
			}
			return !isWhole
		})
	}
	for _, path := range known {
		if !isRead[path] && (outer[path] == "" || isRead[outer[path]]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// isCell reports whether a value is a cell or an item of Markdown.
func isCell(n *yaml.Node) bool {
	return yamlnode.Child(n, "codes") != nil && yamlnode.Child(n, "text") != nil
}
