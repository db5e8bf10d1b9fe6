package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// errorAt returns an error about a place in the map.
func (m *Map) errorAt(message string, at ...any) error {
	if m.doc == nil {
		return fmt.Errorf("map: %s", message)
	}
	line, column := m.doc.Position(at...)
	return fmt.Errorf("%s:%d:%d: %s", m.name, line, column, message)
}

// checkPaths returns an error for each field, key and condition of the map whose paths lead nowhere in the whole
// source. A shipped map is for many sources, of which some lack optional parts.
func (m *Map) checkPaths(entries []*entry) error {
	if m.shipped || len(entries) == 0 {
		return nil
	}
	var wrong []error
	check := func(paths []path, at ...any) {
		if len(paths) == 0 || slices.ContainsFunc(paths, func(p path) bool { return leadsSomewhere(entries, p) }) {
			return
		}
		for i, p := range paths {
			wrong = append(wrong, m.errorAt(notInSource(entries, p), append(slices.Clone(at), i)...))
		}
	}
	check(m.Key, "key")
	for i, c := range m.Skip {
		check([]path{c.From}, "skip", i, "from")
	}
	for _, key := range m.keys {
		check(m.Fields[key].From, "fields", key, "from")
		for i, p := range m.Fields[key].Join {
			if !leadsSomewhere(entries, p) {
				wrong = append(wrong, m.errorAt(notInSource(entries, p), "fields", key, "join", i))
			}
		}
	}
	return errors.Join(wrong...)
}

// notInSource says that no entry has a path, and what could be meant.
func notInSource(entries []*entry, p path) string {
	known := knownPaths(entries)
	what := spelling.Hint(p.text, known)
	if what == "" {
		what = ": the source has " + api.Shorten(strings.Join(known, ", "), 200)
	}
	return fmt.Sprintf("no entry of the source has %q%s", p.text, what)
}

// leadsSomewhere reports whether an entry has something at a path, if only null or an empty list on the way.
func leadsSomewhere(entries []*entry, p path) bool {
	if len(p.steps) == 1 && slices.Contains(besideNames, p.steps[0]) {
		return true
	}
	return slices.ContainsFunc(entries, func(e *entry) bool {
		if yamlnode.Child(e.node, p.text) != nil {
			return true
		}
		n, steps := e.start(p)
		return n != nil && reaches(n, steps)
	})
}

// reaches reports whether steps lead to a value, or end at null, at an empty list, or behind the end of a list.
func reaches(n *yaml.Node, steps []string) (found bool) {
	for i := len(steps); i > 0 && !found; i-- {
		walk(n, steps[:i], nil, "", func(n *yaml.Node, _ []*yaml.Node, _ string) {
			isList := n.Kind == yaml.SequenceNode
			found = found || i == len(steps) || isList && (len(n.Content) == 0 || steps[i][0] == '[') ||
				n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
		})
	}
	return found
}

// The number of paths that are collected, and how deep they are.
const (
	maxPaths     = 500
	maxPathDepth = 3
)

// knownPaths returns the paths in entries, in the order of the source.
func knownPaths(entries []*entry) (paths []string) {
	seen := map[string]bool{}
	var visit func(n *yaml.Node, path string, depth int)
	visit = func(n *yaml.Node, path string, depth int) {
		for _, n := range yamlnode.Spread(n) {
			for k, value := range yamlnode.Pairs(n) {
				inner := k.Value
				if path != "" {
					inner = path + "." + quotedStep(k.Value)
				}
				if !seen[inner] && len(paths) < maxPaths {
					seen[inner], paths = true, append(paths, inner)
				}
				if depth < maxPathDepth {
					visit(value, inner, depth+1)
				}
			}
		}
	}
	for _, e := range entries {
		visit(e.node, "", 1)
	}
	return append(paths, besideNames...)
}
