// Package strictyaml decodes YAML into Go structs and reports every mistake at
// once, each with its line and column.
//
// The YAML library parses; this package walks the library's nodes. It does so
// because the library's own strict decoding stops at the first repeated key and
// forgets where a value stood, while an editor wants all mistakes in one go and
// the checks that come later (does this category exist?) want to point at the
// value they are about.
//
// In goes text; out come a filled struct, mistakes, and a Document that knows
// the place of every value.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Problem is one mistake in a YAML text.
type Problem struct {
	Line, Column int // from 1, in the file
	Message      string
}

// Document is a parsed YAML text.
type Document struct {
	root   *yaml.Node // the top value; nil for an empty text
	offset int        // lines of the file before the text
}

// Parse parses one YAML document. firstLine is the line of the file on which
// the text begins, from 1. A text that is not YAML gives one problem and no
// document.
func Parse(text []byte, firstLine int) (*Document, []Problem) {
	d := &Document{offset: firstLine - 1}
	// A loader rather than yaml.Load, which takes a text of nothing but comments
	// for an error and does not tell where a second document begins.
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, []Problem{d.syntaxProblem(text, err)}
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return d, nil
	case err != nil:
		return nil, []Problem{d.syntaxProblem(text, err)}
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, []Problem{{second.Line + d.offset, second.Column, "is not valid YAML: a second document begins here; one is expected"}}
	case !errors.Is(err, io.EOF):
		return nil, []Problem{d.syntaxProblem(text, err)}
	}
	// A document of nothing has a null that the library places behind the text.
	if top := doc.Content; len(top) > 0 && (top[0].Kind != yaml.ScalarNode || top[0].Value != "" || top[0].Style != 0) {
		d.root = top[0]
	}
	return d, nil
}

// syntaxProblem places a parser's error. The place is within the text even
// where the parser complains about the text's end.
func (d *Document) syntaxProblem(text []byte, err error) Problem {
	var list *yaml.LoadErrors
	var one *yaml.LoadError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		one = list.Errors[0]
	} else if !errors.As(err, &one) {
		return Problem{d.offset + 1, 1, "is not valid YAML: " + err.Error()}
	}
	message := "is not valid YAML: " + one.Message
	if one.Mark.Line == 0 { // a character that the parser could not even read
		line, column := firstForbidden(text)
		return Problem{line + d.offset, column, message}
	}
	lines := splitLines(text)
	if one.Mark.Line > len(lines) {
		return Problem{len(lines) + d.offset, utf8.RuneCountInString(lines[len(lines)-1]) + 1, message}
	}
	return Problem{one.Mark.Line + d.offset, max(one.Mark.Column, 1), message}
}

// firstForbidden returns where the first character stands that no YAML text may
// hold: a control character, or bytes that are not UTF-8.
func firstForbidden(text []byte) (line, column int) {
	for i, l := range splitLines(text) {
		column := 0
		for j, r := range l {
			column++
			_, size := utf8.DecodeRuneInString(l[j:])
			if r == utf8.RuneError && size == 1 || r < ' ' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
				return i + 1, column
			}
		}
	}
	return 1, 1
}

// lineBreaks makes the line breaks of YAML alike.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines returns a text's lines as the YAML library counts them; there is
// at least one.
func splitLines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(lineBreaks.Replace(string(text)), "\n"), "\n")
}

// Position returns where the value at a path stands: keys are strings, places
// in lists are ints. A path that leads nowhere gives the place of the deepest
// value on it, so that a missing key is reported where it should have been.
func (d *Document) Position(path ...any) (line, column int) {
	if d.root == nil {
		return d.offset + 1, 1
	}
	n := d.root
walk:
	for _, step := range path {
		switch step := step.(type) {
		case string:
			for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
				if n.Content[i].Value == step {
					n = n.Content[i+1]
					continue walk
				}
			}
			break walk
		case int:
			if n.Kind != yaml.SequenceNode || step >= len(n.Content) {
				break walk
			}
			n = n.Content[step]
		}
	}
	return n.Line + d.offset, n.Column
}

// Has tells whether the top mapping has the key, even with the value null.
func (d *Document) Has(key string) bool {
	if d.root == nil || d.root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if d.root.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Decode fills the struct, slice or map that into points at. Struct fields are
// named by their yaml tags; a field without one is left alone. Unknown and
// repeated keys, values of the wrong kind, anchors, aliases and tags are mistakes.
// null leaves a field as it was. The problems are in the order of the text.
func (d *Document) Decode(into any) []Problem {
	w := walker{offset: d.offset}
	v := reflect.ValueOf(into).Elem()
	if d.root != nil {
		w.value(d.root, v, "")
	}
	slices.SortStableFunc(w.problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return w.problems
}

type walker struct {
	offset   int
	problems []Problem
}

func (w *walker) fail(n *yaml.Node, format string, args ...any) {
	w.problems = append(w.problems, Problem{n.Line + w.offset, n.Column, fmt.Sprintf(format, args...)})
}

// label puts the name of a key before a message about its value.
func label(key string) string {
	if key == "" {
		return ""
	}
	return key + ": "
}

func (w *walker) value(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		w.fail(n, "%sanchors and aliases are not supported; write the value out", label(key))
		return
	}
	if n.Style&yaml.TaggedStyle != 0 {
		w.fail(n, "%stags such as %s are not supported; write the plain value", label(key), n.Tag)
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if v.Kind() == reflect.Pointer {
		filled := reflect.New(v.Type().Elem())
		before := len(w.problems)
		w.value(n, filled.Elem(), key)
		if len(w.problems) == before {
			v.Set(filled)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		w.mapping(n, v, key)
	case reflect.Map:
		w.dictionary(n, v, key)
	case reflect.Slice:
		w.sequence(n, v, key)
	default:
		w.scalar(n, v, key)
	}
}

func (w *walker) mapping(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.MappingNode {
		w.fail(n, "%sis %s, but keys with values are expected", label(key), describe(n))
		return
	}
	fields := fieldsOf(v.Type())
	w.eachKey(n, func(k, value *yaml.Node) {
		i := slices.IndexFunc(fields, func(f namedField) bool { return f.name == k.Value })
		if i < 0 {
			w.fail(k, "unknown key %q; allowed here: %s", k.Value, names(fields))
			return
		}
		w.value(value, v.Field(fields[i].index), k.Value)
	})
}

// eachKey calls visit for each key of a mapping that is a plain text and stands
// there for the first time.
func (w *walker) eachKey(n *yaml.Node, visit func(k, value *yaml.Node)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0 || k.ShortTag() == "!!merge" {
			w.fail(k, "a key must be a plain word")
			continue
		}
		repeated := false
		for j := 0; j < i; j += 2 {
			if n.Content[j].Kind == yaml.ScalarNode && n.Content[j].Value == k.Value {
				w.fail(k, "key %q is repeated; it stands on line %d already", k.Value, n.Content[j].Line+w.offset)
				repeated = true
				break
			}
		}
		if !repeated {
			visit(k, n.Content[i+1])
		}
	}
}

func (w *walker) dictionary(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.MappingNode {
		w.fail(n, "%sis %s, but keys with values are expected", label(key), describe(n))
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	w.eachKey(n, func(k, value *yaml.Node) {
		element := reflect.New(v.Type().Elem()).Elem()
		w.value(value, element, k.Value)
		m.SetMapIndex(reflect.ValueOf(k.Value), element)
	})
	v.Set(m)
}

func (w *walker) sequence(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.SequenceNode {
		w.fail(n, "%sis %s, but a list is expected", label(key), describe(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if item.Kind == yaml.ScalarNode && item.ShortTag() == "!!null" && item.Style&yaml.TaggedStyle == 0 {
			w.fail(item, "%sa list may not hold an empty entry", label(key))
			continue
		}
		w.value(item, list.Index(i), key)
	}
	v.Set(list)
}

func (w *walker) scalar(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.ScalarNode {
		w.fail(n, "%sis %s, but %s is expected", label(key), describe(n), kindName(v.Kind()))
		return
	}
	tag := n.ShortTag()
	switch v.Kind() {
	case reflect.String:
		if tag != "!!str" && tag != "!!timestamp" {
			w.fail(n, "%s%q is %s, but a text is expected; put it in quotes", label(key), n.Value, describe(n))
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" || tag != "!!bool" {
			w.fail(n, "%s%q is not allowed; write true, false or null", label(key), n.Value)
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Int:
		i, err := strconv.ParseInt(n.Value, 10, 64)
		if tag != "!!int" || err != nil {
			w.fail(n, "%s%q is not a whole number", label(key), n.Value)
			return
		}
		v.SetInt(i)
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if tag != "!!int" && tag != "!!float" || err != nil { // as it is for .inf and .nan
			w.fail(n, "%s%q is not a number", label(key), n.Value)
			return
		}
		v.SetFloat(f)
	default:
		panic("strictyaml: no decoding into " + v.Type().String())
	}
}

// describe names what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a truth value"
	}
	return "a text"
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}

// namedField is a struct field with its key.
type namedField struct {
	name  string
	index int
}

// fieldsOf returns the fields of a struct that have a yaml tag, in order.
func fieldsOf(t reflect.Type) []namedField {
	var list []namedField
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			list = append(list, namedField{name, i})
		}
	}
	return list
}

func names(fields []namedField) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return strings.Join(list, ", ")
}
