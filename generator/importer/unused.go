package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// tellUnused tells what of the source the map does not read, and which values the map names in vain. A shipped map is
// for many sources.
func (c *converter) tellUnused(entries []*entry) {
	if c.Map.shipped {
		return
	}
	if paths := c.unread(entries); len(paths) > 0 {
		c.tell(NotUsed, c.Map.name, nil, "no field of the map reads %s", strings.Join(paths, ", "))
	}
	var values []string
	var at *yaml.Node
	for _, t := range c.allTargets() {
		for _, from := range slices.Sorted(maps.Keys(t.Values)) {
			if t.matched[from] {
				continue
			}
			if values = append(values, fmt.Sprintf("%s %q", t.key, from)); at == nil {
				line, column := c.Map.doc.Position("fields", t.key, "values", from)
				at = &yaml.Node{Line: line, Column: column}
			}
		}
	}
	if at != nil {
		c.tell(NotUsed, c.Map.name, at, "values names what the source does not have: %s", strings.Join(values, ", "))
	}
}

// readOf returns the values of an entry that the map reads. Those that it reads with all that is in them are true.
func (c *converter) readOf(e *entry) map[*yaml.Node]bool {
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
	mark(c.Map.Key, false)
	for _, s := range c.Map.Skip {
		mark([]path{s.From}, false)
	}
	for _, t := range c.allTargets() {
		mark(slices.Concat(t.From, t.Join), t.parts != nil && t.part == "")
	}
	return read
}

// unread returns the paths of values that the map does not read: the outermost of each. What a cell of Markdown has
// besides its text counts as read.
func (c *converter) unread(entries []*entry) (paths []string) {
	isRead, isKnown, outer := map[string]bool{}, map[string]bool{}, map[string]string{}
	var known []string
	for _, e := range entries {
		read, cells := c.readOf(e), map[string]bool{"": isCell(e.node)}
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
