package importer

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseTOML parses the part of TOML (1.0) that front matter uses: keys with texts, numbers, dates, booleans
// and lists of them, and [tables]. Its first line is +++. On failure, it returns the line and a message.
func parseTOML(text string) (root *yaml.Node, line int, message string) {
	root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 2, Column: 1}
	into := root
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		first := i
		rest := strings.TrimSpace(lines[i])
		switch {
		case rest == "" || rest[0] == '#':
			continue
		case strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "[["):
			into = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: i + 1, Column: 1}
			addPair(root, strings.Trim(rest, "[] \t"), into)
			continue
		}
		key, value, found := strings.Cut(rest, "=")
		value = strings.TrimSpace(value)
		for strings.HasPrefix(value, "[") && !strings.HasSuffix(value, "]") && i+1 < len(lines) {
			i++
			value += " " + strings.TrimSpace(lines[i])
		}
		for _, quotes := range []string{`"""`, "'''"} {
			for strings.HasPrefix(value, quotes) && strings.Count(value, quotes) < 2 && i+1 < len(lines) {
				i++
				value += "\n" + lines[i]
			}
		}
		n := tomlValue(value)
		if !found || n == nil {
			return nil, first + 1, "TOML is read only as far as keys with texts, numbers, dates and lists of them, " +
				"and [tables]: convert the files with: hugo convert toYAML"
		}
		n.Line, n.Column = first+1, strings.Index(lines[first], "=")+2
		for _, inner := range n.Content {
			inner.Line, inner.Column = n.Line, n.Column
		}
		addPair(into, strings.Trim(strings.TrimSpace(key), `"'`), n)
	}
	return root, 0, ""
}

func addPair(into *yaml.Node, key string, value *yaml.Node) {
	into.Content = append(into.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: value.Line, Column: 1}, value)
}

// tomlValue returns a value, or nil.
func tomlValue(text string) *yaml.Node {
	for _, quotes := range []string{`"""`, "'''"} {
		if inner, ok := strings.CutPrefix(text, quotes); ok && strings.HasSuffix(inner, quotes) {
			value := strings.TrimPrefix(strings.TrimSuffix(inner, quotes), "\n")
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
		}
	}
	if strings.HasPrefix(text, "[[") || strings.HasPrefix(text, "{") || text == "" {
		return nil
	}
	// Such a value is written in the same way in YAML; a comment after it is one there, too.
	var doc yaml.Node
	if yaml.Load([]byte(text), &doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind == yaml.MappingNode {
		return nil
	}
	return doc.Content[0]
}
