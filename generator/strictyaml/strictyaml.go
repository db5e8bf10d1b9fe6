// Package strictyaml decodes YAML into Go structs and reports every mistake at once, each with its
// line and column.
//
// The strict decoding of the YAML library stops at the first repeated key and does not keep
// positions. So this package walks the library's nodes itself. Parse returns a Document, which
// decodes values and can tell their positions to later checks.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"catalog.example/api/spelling"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Problem is a mistake in a YAML text.
type Problem struct {
	Line, Column int // from 1, in the file
	Message      string
}

// Document is a parsed YAML text.
type Document struct {
	node   *yaml.Node // the document node, with comments; nil until needed if quickly read the text
	root   *yaml.Node // the top-level value; nil for an empty text
	offset int        // number of lines of the file before the text
	text   []byte
	// keys caches the values of long mappings by key, for Position.
	keys map[*yaml.Node]map[string]*yaml.Node

	// Lost says whether Decode left out the value of a known key. Repeated lists the lines of
	// repeated keys.
	Lost     bool
	Repeated []int
	// Meant lists the known keys that unknown keys probably misspell.
	Meant []string
}

// Parse parses one YAML document. firstLine is the line of the file on which the text begins, from
// 1. If the text is not YAML, Parse returns problems and no document.
func Parse(text []byte, firstLine int) (*Document, []Problem) {
	d := &Document{offset: firstLine - 1, text: text}
	if root, ok := quickly(text); ok {
		d.root = root
		return d, nil
	}
	if problem, bad := Encoding(text, firstLine); bad {
		return nil, []Problem{problem}
	}
	problems := d.parse()
	if len(problems) > 0 {
		return nil, problems
	}
	return d, nil
}

// parse parses the text with the YAML library.
func (d *Document) parse() []Problem {
	// yaml.Load would fail for a text that contains only comments, and would not say where a second
	// document begins.
	loader, err := yaml.NewLoader(bytes.NewReader(d.text))
	if err != nil {
		return []Problem{d.syntaxProblem(err)}
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return []Problem{d.syntaxProblem(err)}
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return []Problem{{second.Line + d.offset, second.Column,
			"a second document begins here: remove the line ---"}}
	case !errors.Is(err, io.EOF):
		return []Problem{d.syntaxProblem(err)}
	}
	// For an empty document, the library returns a null positioned after the text.
	if top := doc.Content; len(top) > 0 && (top[0].Kind != yaml.ScalarNode || top[0].Value != "" || top[0].Style != 0) {
		d.root, d.node = top[0], &doc
	}
	return nil
}

// Root returns the top-level value, or nil for an empty text. It may have no comments.
func (d *Document) Root() *yaml.Node { return d.root }

// Node returns the document as the YAML library parsed it, or nil for an empty text. A
// caller may change it before Decode.
func (d *Document) Node() *yaml.Node {
	if d.node == nil && d.root != nil {
		d.parse() // was read without it, so there are no problems
	}
	return d.node
}

// Remove removes keys, with their values, from the top-level mapping.
func (d *Document) Remove(keys ...string) {
	if d.root == nil || d.root.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(d.root.Content); {
		if slices.Contains(keys, d.root.Content[i].Value) {
			d.root.Content = slices.Delete(d.root.Content, i, i+2)
		} else {
			i += 2
		}
	}
}

// Entries returns the first line of each part of the document that is checked by itself, in order.
// These parts are the keys of a top-level mapping, the entries of a top-level list, and the entries
// of lists in the top-level value.
func (d *Document) Entries() (lines []int) {
	if d.root == nil {
		return nil
	}
	add := func(n *yaml.Node) { lines = append(lines, n.Line+d.offset) }
	for i, n := range d.root.Content {
		switch {
		case d.root.Kind == yaml.SequenceNode, d.root.Kind == yaml.MappingNode && i%2 == 0:
			add(n)
		case n.Kind == yaml.SequenceNode:
			for _, entry := range n.Content {
				add(entry)
			}
		}
	}
	return lines
}

// syntaxProblem converts a parser error to a Problem. The position of the Problem is always within
// the text.
func (d *Document) syntaxProblem(err error) Problem {
	p := SyntaxProblem(err, d.text)
	p.Line += d.offset
	return p
}

// SyntaxProblem explains why the YAML library could not parse a text.
func SyntaxProblem(err error, text []byte) Problem {
	var list *yaml.LoadErrors
	var one *yaml.LoadError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		one = list.Errors[0]
	} else if !errors.As(err, &one) {
		return Problem{1, 1, "is not valid YAML: " + err.Error()}
	}
	return explain(one, splitLines(text))
}

// lineBreaks replaces all line breaks of YAML with "\n".
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines returns the lines of a text as the YAML library counts them, and always at least one.
func splitLines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(lineBreaks.Replace(string(text)), "\n"), "\n")
}

// Position returns the line and column of the value at a path, in which keys are strings and
// indices are ints. For a missing value, it returns the position of the deepest value that exists
// on the path.
func (d *Document) Position(path ...any) (line, column int) {
	if d.root == nil {
		return d.offset + 1, 1
	}
	n := d.root
	for _, step := range path {
		var next *yaml.Node
		if key, isKey := step.(string); isKey {
			next = d.valueOf(n, key)
		} else if i := step.(int); n.Kind == yaml.SequenceNode && i < len(n.Content) {
			next = n.Content[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.Line + d.offset, n.Column
}

// valueOf returns the value of a key in a mapping, or nil. If the key is repeated, it returns the
// first value.
func (d *Document) valueOf(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	values, ok := d.keys[n]
	if !ok {
		values = make(map[string]*yaml.Node, len(n.Content)/2)
		for key, value := range yamlnode.Pairs(n) {
			if _, repeated := values[key.Value]; !repeated {
				values[key.Value] = value
			}
		}
		if d.keys == nil {
			d.keys = map[*yaml.Node]map[string]*yaml.Node{}
		}
		d.keys[n] = values
	}
	return values[key]
}

// Has reports whether the top-level mapping has a key, even if its value is null. Further keys name
// a key in a nested mapping.
func (d *Document) Has(keys ...string) bool {
	n := d.root
	for _, key := range keys {
		if n == nil {
			return false
		}
		n = d.valueOf(n, key)
	}
	return n != nil
}

// HasValue reports whether the top-level mapping has the key with a value other than null.
func (d *Document) HasValue(key string) bool { return d.Has(key) && !isNull(d.valueOf(d.root, key)) }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// Decode fills the struct, slice or map that into points to. Fields lists the fields of a struct
// that it fills; the others stay unchanged, and so do fields whose value is null. Unknown and
// repeated keys, values of the wrong kind, anchors, aliases and tags are problems. The problems are
// in the order of the text.
func (d *Document) Decode(into any) []Problem {
	d.Lost, d.Repeated, d.Meant = false, nil, nil
	w := walker{Document: d}
	if d.root != nil {
		w.value(d.root, reflect.ValueOf(into).Elem(), "")
	}
	slices.SortStableFunc(w.problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return w.problems
}

// walker decodes the values of a document.
type walker struct {
	*Document
	problems []Problem
	lines    []string   // of the text; nil until needed
	entry    *yaml.Node // the list entry whose decoding began last
}

// fail reports a problem with a value that is therefore not decoded.
func (w *walker) fail(n *yaml.Node, format string, args ...any) {
	w.Lost = true
	w.report(n.Line, n.Column, format, args...)
}

// report reports a problem at a position in the text.
func (w *walker) report(line, column int, format string, args ...any) {
	w.problems = append(w.problems, Problem{line + w.offset, column, fmt.Sprintf(format, args...)})
}

// label returns the beginning of a message about a value: "key: ", or "".
func label(key string) string {
	if key == "" {
		return ""
	}
	return key + ": "
}

func (w *walker) value(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		w.fail(n, "%sanchors (&) and aliases (*) are not supported: write the value in full, or put a text that "+
			"begins with & or * in quotation marks", label(key))
		return
	}
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" {
		w.fail(n, "%stags such as %s are not supported: write the plain value, or put a text that begins with ! in "+
			"quotation marks", label(key), n.Tag)
		return
	}
	null := isNull(n)
	if n.Kind == yaml.ScalarNode && (null || v.Kind() == reflect.String) {
		w.checkTruncated(n, v, key)
	}
	if null {
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
	if m, ok := v.Interface().(Mapping); ok {
		w.keyed(n, m, key)
		return
	}
	if short, ok := v.Addr().Interface().(Shorthand); ok && n.Kind == yaml.ScalarNode {
		w.short(n, short, key)
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

// maxNamedKeys is how many keys a message names at most that asks for a mapping.
const maxNamedKeys = 6

func (w *walker) mapping(n *yaml.Node, v reflect.Value, key string) {
	known := Fields(v.Type())
	if n.Kind != yaml.MappingNode && key != "" && len(known) <= maxNamedKeys {
		w.fail(n, "%sis %s, but keys with values are expected: write {%s: …}", label(key), describe(n),
			strings.Join(keys(known), ": …, "))
		return
	}
	w.eachKey(n, key, func(k, value *yaml.Node) {
		i := slices.IndexFunc(known, func(f Field) bool { return f.Key == k.Value })
		if i < 0 {
			w.report(k.Line, k.Column, "%s", cmp.Or(CommaHint(n, k, value), w.unknownKey(k.Value, keys(known))))
			return
		}
		w.value(value, v.FieldByIndex(known[i].index), k.Value)
	})
}

// Mapping is implemented by values that are decoded from a mapping whose keys are known only at run
// time.
type Mapping interface {
	MappingKeys() []string
	// MappingHint returns advice for a key that is not one of MappingKeys, or "".
	MappingHint(key string) string
	// MappingValue returns a pointer to a new value for a key. Once that value is decoded,
	// SetMapping stores it.
	MappingValue(key string) any
	SetMapping(key string, value any)
}

func (w *walker) keyed(n *yaml.Node, m Mapping, key string) {
	known := m.MappingKeys()
	w.eachKey(n, key, func(k, value *yaml.Node) {
		if !slices.Contains(known, k.Value) {
			w.report(k.Line, k.Column, "%s",
				cmp.Or(CommaHint(n, k, value), m.MappingHint(k.Value), w.unknownKey(k.Value, known)))
			return
		}
		into := reflect.ValueOf(m.MappingValue(k.Value))
		before := len(w.problems)
		w.value(value, into.Elem(), k.Value)
		if len(w.problems) == before && !isNull(value) {
			m.SetMapping(k.Value, into.Interface())
		}
	})
}

// Shorthand is implemented by pointers to values that one scalar may stand for, such as 2.5 for {amount: 2.5}.
type Shorthand interface {
	// SetShort sets the value to what a scalar stands for: a float64, a bool or a string. If it stands for
	// none, it returns what to write instead.
	SetShort(scalar any) (remedy string)
}

func (w *walker) short(n *yaml.Node, into Shorthand, key string) {
	var scalar any = n.Value
	switch n.ShortTag() {
	case "!!int", "!!float":
		if w.octal(n, key) {
			return
		}
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil {
			scalar = f
		}
	case "!!bool":
		if n.Value == "true" || n.Value == "false" { // True and TRUE stay texts, as scalar refuses them
			scalar = n.Value == "true"
		}
	}
	if remedy := into.SetShort(scalar); remedy != "" {
		w.fail(n, "%s%q is not allowed: %s", label(key), short(n.Value), remedy)
	}
}

// eachKey calls visit for each key of a mapping that is a plain text and not repeated, with its
// value. key is the key whose value is the mapping.
func (w *walker) eachKey(n *yaml.Node, key string, visit func(k, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		w.fail(n, "%sis %s, but keys with values are expected", label(key), describe(n))
		return
	}
	lineOf := make(map[string]int, len(n.Content)/2)
	isEntry, repeats := n == w.entry, false
	for k, value := range yamlnode.Pairs(n) {
		if k.Kind != yaml.ScalarNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0 || k.ShortTag() == "!!merge" {
			w.fail(k, "a key must be a plain word")
			continue
		}
		if r, _ := utf8.DecodeRuneInString(k.Value); r > unicode.MaxASCII && unicode.IsSpace(r) {
			w.fail(k, "there is an unusual space (%U) before the key: use ordinary spaces", r)
			continue
		}
		if line, repeated := lineOf[k.Value]; repeated {
			remedy := "remove one of them"
			if isEntry {
				remedy += `, or begin another entry of the list with "- "`
			}
			if !isEntry || !repeats { // report only one key of an entry: its other keys are repeated, too
				w.fail(k, "key %q is repeated; it is already on line %d: %s", k.Value, line+w.offset, remedy)
			}
			repeats = true
			w.Repeated = append(w.Repeated, k.Line+w.offset)
			continue
		}
		lineOf[k.Value] = k.Line
		visit(k, value)
	}
}

func (w *walker) dictionary(n *yaml.Node, v reflect.Value, key string) {
	m := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	w.eachKey(n, key, func(k, value *yaml.Node) {
		element := reflect.New(v.Type().Elem()).Elem()
		w.value(value, element, k.Value)
		m.SetMapIndex(reflect.ValueOf(k.Value), element)
	})
	if n.Kind == yaml.MappingNode {
		v.Set(m)
	}
}

func (w *walker) sequence(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.SequenceNode {
		w.fail(n, "%sis %s, but a list is expected%s", label(key), describe(n), listHint(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if isNull(item) && item.Style&yaml.TaggedStyle == 0 {
			w.fail(item, "%sa list cannot have an empty entry: remove it", label(key))
			continue
		}
		w.entry = item
		w.value(item, list.Index(i), key)
	}
	v.Set(list)
}

func (w *walker) scalar(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.ScalarNode {
		hint := ""
		if n.Kind == yaml.MappingNode && v.Kind() == reflect.String {
			hint = `: a text that contains ": " or begins with { must be in quotation marks`
		}
		w.fail(n, "%sis %s, but %s is expected%s", label(key), describe(n), kindName(v.Kind()), hint)
		return
	}
	tag := n.ShortTag()
	switch v.Kind() {
	case reflect.String:
		if tag != "!!str" && tag != "!!timestamp" {
			w.fail(n, "%s%q is %s, but a text is expected: put it in quotation marks", label(key), n.Value, describe(n))
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" || tag != "!!bool" {
			w.fail(n, "%s%q is not allowed: write true, false or null", label(key), short(n.Value))
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Int:
		if w.octal(n, key) {
			return
		}
		i, err := strconv.ParseInt(n.Value, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			w.fail(n, "%s%q is too large", label(key), short(n.Value))
			return
		}
		if tag != "!!int" || err != nil {
			w.fail(n, "%s%q is not a whole number%s", label(key), short(n.Value), digitsHint(n.Value))
			return
		}
		v.SetInt(i)
	case reflect.Float64:
		if w.octal(n, key) {
			return
		}
		f, err := strconv.ParseFloat(n.Value, 64)
		if tag != "!!int" && tag != "!!float" || err != nil { // ParseFloat rejects .inf and .nan
			w.fail(n, "%s%q is not a number%s", label(key), short(n.Value), digitsHint(n.Value))
			return
		}
		v.SetFloat(f)
	default:
		panic("strictyaml: no decoding into " + v.Type().String())
	}
}

// zeros matches a number that begins with a zero, which YAML 1.1 reads as octal: 0123 is 83.
var zeros = regexp.MustCompile(`^([-+]?)0+([0-9].*)$`)

// octal reports a number that begins with a zero as a problem, and returns whether it is one.
func (w *walker) octal(n *yaml.Node, key string) bool {
	m := zeros.FindStringSubmatch(n.Value)
	if m != nil {
		w.fail(n, "%s%q begins with a zero, and some programs read it as octal: write %s", label(key), short(n.Value),
			short(m[1]+m[2]))
	}
	return m != nil
}

// listHint says how to write a value as a list.
func listHint(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return `: begin each entry with "- ", or write [a, b]`
	case strings.HasPrefix(n.Value, "-"):
		first, _, _ := strings.Cut(n.Value[1:], " -")
		return `: a space is missing after the hyphen: write "- ` + short(strings.TrimSpace(first)) + `"`
	}
	return ": write [" + short(n.Value) + "]"
}

// digitsHint says how to write a number with separators or units in YAML.
func digitsHint(value string) string {
	if whole, fraction, found := strings.Cut(value, ","); found && len(fraction) != len("000") {
		value = whole + "." + fraction
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return ": write " + short(value)
		}
	}
	digits := strings.NewReplacer(",", "", " ", "", "_", "", "'", "", "\u00a0", "", "\u202f", "").Replace(value)
	if _, err := strconv.ParseFloat(digits, 64); err != nil || digits == value {
		return ": write only digits, without a unit"
	}
	return ": write " + short(digits)
}

// checkTruncated reports a text that YAML reads differently from what its author meant. One case is
// a "#" after a space with text directly after it, which begins a comment in YAML. The other is a
// list item that is indented more than the item above, which YAML reads as part of that item's
// text.
func (w *walker) checkTruncated(n *yaml.Node, v reflect.Value, key string) {
	for v.Kind() == reflect.Pointer {
		v = reflect.New(v.Type().Elem()).Elem()
	}
	if v.Kind() != reflect.String ||
		n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return
	}
	if w.node == nil {
		return // quickly reads no such text
	}
	joined := n == w.entry && strings.Contains(n.Value, "- ")
	if !joined && !bytes.Contains(w.text, []byte(" #")) && !bytes.Contains(w.text, []byte("\t#")) {
		return
	}
	if w.lines == nil {
		w.lines = splitLines(w.text)
	}
	left := n.Value // the part of the value that has not been found in the lines yet
	for i := n.Line - 1; i >= 0 && i < len(w.lines); i++ {
		line := w.lines[i]
		if i == n.Line-1 {
			runes := []rune(line)
			line = string(runes[min(max(n.Column-1, 0), len(runes)):])
		} else if trimmed := strings.TrimSpace(line); n == w.entry && strings.HasPrefix(trimmed, "- ") &&
			strings.HasPrefix(left, "- ") {
			w.report(i+1, utf8.RuneCountInString(line[:strings.Index(line, "-")])+1,
				"%s%q is read as part of the text above: indent it like the entry above", label(key), short(trimmed))
			return
		}
		text, comment, commented := cutComment(line)
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(left, text) {
			return // this line belongs to another value
		}
		left = strings.TrimLeft(left[len(text):], " \n")
		if left != "" {
			continue
		}
		if commented && comment != "" && !strings.ContainsAny(comment[:1], " \t#!") {
			w.report(i+1, utf8.RuneCountInString(strings.TrimSuffix(w.lines[i], comment)), `%s"#%s" is read as a `+
				"comment: put the whole text in quotation marks, or write a space after the # of a comment",
				label(key), short(comment))
		}
		return
	}
}

// cutComment splits a line before its comment.
func cutComment(line string) (text, comment string, found bool) {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

// describe returns the kind of a node in words, for messages.
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
		return "true or false"
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

// Field is a struct field that Decode fills.
type Field struct {
	Key   string
	Type  reflect.Type
	index []int // for reflect.Value.FieldByIndex
}

// Of returns the value of this field in the struct v.
func (f Field) Of(v reflect.Value) reflect.Value { return v.FieldByIndex(f.index) }

// Fields returns the fields of a struct type that Decode fills, in order: those with a JSON name
// (encoding/json), including fields of embedded structs. A yaml tag replaces the JSON name; the tag
// "-" excludes the field.
func Fields(t reflect.Type) []Field {
	if known, ok := fields.Load(t); ok {
		return known.([]Field)
	}
	var list []Field
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(cmp.Or(f.Tag.Get("yaml"), f.Tag.Get("json")), ",")
		if key != "" && key != "-" {
			list = append(list, Field{key, f.Type, f.Index})
		}
	}
	fields.Store(t, list)
	return list
}

// fields caches the results of Fields, because computing them takes as long as decoding a listing.
var fields sync.Map // reflect.Type → []Field

func keys(fields []Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Key
	}
	return list
}

// CommaHint returns the message for an unknown key without a value in braces, or "". Nearly always it is the end of a
// text with a comma.
func CommaHint(mapping, key, value *yaml.Node) string {
	if mapping.Style&yaml.FlowStyle == 0 || key.Kind != yaml.ScalarNode || !isNull(value) || value.Value != "" {
		return ""
	}
	return fmt.Sprintf("%q has no value: if it is part of a text with a comma, put the whole text in quotation marks, "+
		"because within braces a comma ends it", short(key.Value))
}

// unknownKey returns the message for an unknown key, with the known key that it probably misspells.
func (w *walker) unknownKey(key string, known []string) string {
	hint := ""
	if near := spelling.Nearest(key, known, 1); len(near) > 0 {
		w.Meant = append(w.Meant, near[0])
		hint = " (did you mean " + near[0] + "?)"
	}
	allowed := "; allowed here: " + strings.Join(known, ", ")
	if len(known) == 0 {
		allowed = "; no key is allowed here"
	}
	return fmt.Sprintf("unknown key %q%s%s", key, hint, allowed)
}
