// Package yamlnode makes and reads nodes of YAML.
package yamlnode

import (
	"iter"

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
