// Package yamlnode makes and reads nodes of YAML.
package yamlnode

import (
	"iter"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Scalar returns a text at the place of another node, which may be nil.
func Scalar(text string, at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if at != nil {
		n.Line, n.Column = at.Line, at.Column
	}
	return n
}

// Mapping returns a mapping at the place of another node, which may be nil. See Add.
func Mapping(at *yaml.Node, pairs ...any) *yaml.Node {
	n := Scalar("", at)
	n.Kind, n.Tag = yaml.MappingNode, "!!map"
	Add(n, pairs...)
	return n
}

// Add adds keys with values to a mapping. A value is a node or a text; nil and an empty text are left out.
func Add(n *yaml.Node, pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		value, _ := pairs[i+1].(*yaml.Node)
		if text, ok := pairs[i+1].(string); ok && text != "" {
			value = Scalar(text, n)
		}
		if value != nil {
			n.Content = append(n.Content, Scalar(pairs[i].(string), value), value)
		}
	}
}

// List returns a list, or nil if it has no entries.
func List(entries ...*yaml.Node) *yaml.Node {
	if len(entries) == 0 {
		return nil
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: entries, Line: entries[0].Line,
		Column: entries[0].Column}
}

// Pairs iterates over the keys of a mapping with their values. There are none in nil and in other nodes.
func Pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Pair returns a key of a mapping with its value, or nil.
func Pair(n *yaml.Node, name string) (key, value *yaml.Node) {
	for key, value = range Pairs(n) {
		if key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// Child returns the value of a key in a mapping, or nil.
func Child(n *yaml.Node, key string) *yaml.Node {
	_, value := Pair(n, key)
	return value
}

// Spread returns the entries of a list, none for nil, or else the value itself.
func Spread(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	}
	return []*yaml.Node{n}
}

// WithoutAliases replaces aliases in a YAML document by what they stand for, and copies what is merged with <<.
func WithoutAliases(n *yaml.Node) *yaml.Node { return withoutAliases(n, map[*yaml.Node]bool{}) }

// withoutAliases is WithoutAliases. seen has the values with anchors, because one may contain itself.
func withoutAliases(n *yaml.Node, seen map[*yaml.Node]bool) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if seen[n] {
		return n
	}
	if n.Anchor != "" {
		seen[n] = true
	}
	for i, inner := range n.Content {
		n.Content[i] = withoutAliases(inner, seen)
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		merges := Spread(n.Content[i+1])
		n.Content = slices.Delete(n.Content, i, i+2)
		i -= 2
		for _, merged := range merges {
			for key, value := range Pairs(merged) {
				if Child(n, key.Value) == nil {
					n.Content = append(n.Content, key, value)
				}
			}
		}
	}
	return n
}
