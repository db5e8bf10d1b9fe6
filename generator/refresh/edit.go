package refresh

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
	"go.yaml.in/yaml/v4"
)

// setting is a value to write into a listing's front matter.
type setting struct {
	path  []string // a key, or sources and a field
	value any      // string, int or bool
}

// text returns the value as YAML's plain style would have it.
func (s setting) text() string { return fmt.Sprint(s.value) }

func (s setting) name() string { return strings.Join(s.path, ".") }

// set returns a listing's file with values of its front matter set. Only the
// bytes of those values change: comments, the order of keys, quotes and line
// breaks stay. A key that is not there is put behind the key that precedes it in
// content.Keys. What cannot be done without touching anything else is an
// error, and so is front matter that does not decode.
func set(file []byte, settings []setting) ([]byte, error) {
	start, end, err := content.FrontMatterSpan(file)
	if err != nil {
		return nil, err
	}
	before := string(file[start:end])
	if err := decodable(before); err != nil {
		return nil, err
	}
	text := before
	// One after the other, each on a fresh parse: a listing has a handful of
	// settings, and places never have to be corrected for earlier ones.
	for _, s := range settings {
		if text, err = setOne(text, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	if err := verify(before, text, settings); err != nil {
		return nil, err
	}
	return slices.Concat(file[:start], []byte(text), file[end:]), nil
}

// decodable tells what keeps front matter from being read.
func decodable(text string) error {
	_, err := decode(text)
	return err
}

// decode reads front matter.
func decode(text string) (*api.ProjectDetail, error) {
	doc, problems := strictyaml.Parse([]byte(text), 2)
	var f api.ProjectDetail
	if doc != nil {
		problems = doc.Decode(&f)
	}
	if len(problems) > 0 {
		p := problems[0]
		return nil, fmt.Errorf("line %d:%d: %s; see catalog lint", p.Line, p.Column, p.Message)
	}
	return &f, nil
}

func parse(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the front matter is no mapping")
	}
	return doc.Content[0], nil
}

func setOne(text string, s setting) (string, error) {
	m, err := parse(text)
	if err != nil {
		return "", err
	}
	e := newEditor(text)
	for depth, key := range s.path {
		last := depth == len(s.path)-1
		k, v := find(m, key)
		switch {
		case k == nil:
			return e.insert(m, s.path[:depth], key, s.path[depth+1:], s.value)
		case last:
			return e.replace(k, v, inFlow(m), s.value)
		case isNull(v):
			value, err := flowMap(s.path[depth+1:], s.value)
			if err != nil {
				return "", err
			}
			return e.replaceText(k, v, value)
		case v.Kind != yaml.MappingNode:
			return "", fmt.Errorf("%s is no mapping", key)
		}
		m = v
	}
	return "", errors.New("no key is given")
}

// find returns a key of a mapping and its value, or nil.
func find(m *yaml.Node, key string) (k, v *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func inFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// editor finds values of a YAML text by the places that the YAML library tells.
type editor struct {
	text  string
	lines []int // where each line begins, in bytes
}

func newEditor(text string) *editor {
	e := &editor{text: text, lines: []int{0}}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		// The line breaks that the library counts: YAML 1.1's.
		if r == '\n' || r == '\r' && !strings.HasPrefix(text[i:], "\n") || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			e.lines = append(e.lines, i)
		}
	}
	return e
}

// offset returns the byte at which a node begins.
func (e *editor) offset(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(e.lines) {
		return 0, errors.New("the value's place is not known")
	}
	at := e.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(e.text[at:])
		if size == 0 {
			return 0, errors.New("the value's place is not known")
		}
		at += size
	}
	return at, nil
}

// replace puts a value in the place of another.
func (e *editor) replace(k, v *yaml.Node, flow bool, value any) (string, error) {
	if v.Kind != yaml.ScalarNode {
		return "", errors.New("is a list or a mapping, where one value is expected")
	}
	text, err := scalar(value, v.Style, flow)
	if err != nil {
		return "", err
	}
	return e.replaceText(k, v, text)
}

// replaceText puts a text in the place of a scalar.
func (e *editor) replaceText(k, v *yaml.Node, text string) (string, error) {
	start, err := e.offset(v)
	if err != nil {
		return "", err
	}
	if v.Value == "" && v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		// Nothing is written: the value's place is right behind the colon.
		head := strings.TrimRight(e.text[:start], " \t")
		if !strings.HasSuffix(head, ":") {
			return "", fmt.Errorf("write a value behind %s by hand: it has not even a colon", k.Value)
		}
		return head + " " + text + e.text[len(head):], nil
	}
	end, err := e.scalarEnd(v, k.Column-1)
	if err != nil {
		return "", err
	}
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		// What stands behind the indicator, a comment, stays.
		header := start + strings.IndexFunc(e.text[start:]+"\n", unicode.IsSpace)
		text += e.text[header:max(header, min(e.lineEnd(start), end))]
	}
	return e.text[:start] + text + e.text[end:], nil
}

// lineEnd returns where the line of a place ends, before its line break.
func (e *editor) lineEnd(at int) int {
	next, _ := slices.BinarySearch(e.lines, at+1)
	if next == len(e.lines) {
		return len(e.text)
	}
	return at + len(strings.TrimRight(e.text[at:e.lines[next]], "\r\n\u0085\u2028\u2029"))
}

// nextLine returns where the line behind a place begins.
func (e *editor) nextLine(at int) int {
	next, _ := slices.BinarySearch(e.lines, at+1)
	if next == len(e.lines) {
		return len(e.text)
	}
	return e.lines[next]
}

// scalarEnd returns the byte behind a scalar; indent is the indentation of the
// mapping that it stands in.
func (e *editor) scalarEnd(n *yaml.Node, indent int) (int, error) {
	start, err := e.offset(n)
	if err != nil {
		return 0, err
	}
	rest := e.text[start:]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return start + i + 1, nil
			}
		}
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if !strings.HasPrefix(rest[i+1:], "'") {
				return start + i + 1, nil
			}
			i++
		}
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return e.blockEnd(start, indent), nil
	default:
		// A plain scalar is what it says, but that lines are folded.
		at := start
		for _, word := range strings.Fields(n.Value) {
			at += len(e.text[at:]) - len(strings.TrimLeftFunc(e.text[at:], unicode.IsSpace))
			if !strings.HasPrefix(e.text[at:], word) {
				return 0, errors.New("the value's end is not known")
			}
			at += len(word)
		}
		return at, nil
	}
	return 0, errors.New("the value's end is not known")
}

// blockEnd returns the byte behind a literal or folded scalar, without the
// blank lines below it.
func (e *editor) blockEnd(start, indent int) int {
	end := start + strings.IndexFunc(e.text[start:]+"\n", unicode.IsSpace)
	inner := 0 // indentation of the scalar's lines
	for _, r := range e.text[start:end] {
		if r >= '1' && r <= '9' {
			inner = indent + int(r-'0')
		}
	}
	if comment := strings.TrimSpace(e.text[end:e.lineEnd(start)]); comment != "" {
		end = e.lineEnd(start)
	}
	for at := e.nextLine(start); at < len(e.text); at = e.nextLine(at) {
		line := e.text[at:e.lineEnd(at)]
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if depth == len(line) {
			continue
		}
		if inner == 0 {
			inner = max(depth, indent+1)
		}
		if depth < inner {
			break
		}
		end = e.lineEnd(at)
	}
	return end
}

// end returns the byte behind any value.
func (e *editor) end(n *yaml.Node, indent int) (int, error) {
	if n.Kind == yaml.ScalarNode {
		return e.scalarEnd(n, indent)
	}
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return 0, errors.New("anchors are not supported")
	}
	start, err := e.offset(n)
	if err != nil {
		return 0, err
	}
	at := start + 1 // behind the bracket
	if len(n.Content) > 0 {
		if at, err = e.end(n.Content[len(n.Content)-1], n.Column-1); err != nil {
			return 0, err
		}
	}
	if !inFlow(n) {
		return at, nil
	}
	for at < len(e.text) {
		switch c := e.text[at]; {
		case c == '}' || c == ']':
			return at + 1, nil
		case c == '#':
			at = e.nextLine(at)
		case c == ' ', c == '\t', c == '\n', c == '\r', c == ',', c == ':':
			at++
		default:
			return 0, errors.New("a bracket is not where it is expected")
		}
	}
	return 0, errors.New("a bracket is not closed")
}

// insert adds a key to a mapping that stands at a path; below are keys inside
// of the new one, which the value belongs to.
func (e *editor) insert(m *yaml.Node, path []string, key string, below []string, value any) (string, error) {
	if len(m.Content) == 0 {
		text, err := flowMap(append([]string{key}, below...), value)
		if err != nil {
			return "", err
		}
		at, err := e.offset(m)
		if err != nil {
			return "", err
		}
		return e.text[:at+1] + strings.Trim(text, "{}") + e.text[at+1:], nil
	}
	before := m.Content[len(m.Content)-2:]
	rank := rankOf(path, key)
	best := -1
	for i := 0; i+1 < len(m.Content); i += 2 {
		if r := rankOf(path, m.Content[i].Value); r < rank && r > best {
			best, before = r, m.Content[i:i+2]
		}
	}
	at, err := e.end(before[1], m.Content[0].Column-1)
	if err != nil {
		return "", err
	}
	if inFlow(m) {
		text, err := flowMap(append([]string{key}, below...), value)
		if err != nil {
			return "", err
		}
		return e.text[:at] + ", " + text[1:len(text)-1] + e.text[at:], nil
	}
	line := e.nextLine(at)
	if before[1].Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		// Blank lines below such a text may belong to it.
		for line < len(e.text) && strings.TrimSpace(e.text[line:e.lineEnd(line)]) == "" {
			line = e.nextLine(line)
		}
	}
	return e.insertLines(line, m.Content[0].Column-1, key, below, value)
}

// insertLines adds a key of a block mapping before the line that begins at a
// place, with the line breaks of the line before it.
func (e *editor) insertLines(line, indent int, key string, below []string, value any) (string, error) {
	text, err := scalar(value, 0, false)
	if err != nil {
		return "", err
	}
	newline := "\n"
	if strings.HasSuffix(e.text[:line], "\r\n") {
		newline = "\r\n"
	}
	var b strings.Builder
	b.WriteString(e.text[:line])
	if !strings.HasSuffix(e.text[:line], "\n") {
		b.WriteString(newline)
	}
	for i, k := range append([]string{key}, below...) {
		if i > 0 {
			b.WriteString(newline)
		}
		b.WriteString(strings.Repeat(" ", indent+2*i) + k + ":")
	}
	b.WriteString(" " + text + newline + e.text[line:])
	return b.String(), nil
}

// flowMap writes a value below one or more keys as a mapping in braces.
func flowMap(path []string, value any) (string, error) {
	text, err := scalar(value, 0, true)
	if err != nil {
		return "", err
	}
	for _, key := range slices.Backward(path) {
		text = "{" + key + ": " + text + "}"
	}
	return text, nil
}

// keyOrder are the keys of front matter, of fitNotes too, in the order in which
// they are written.
var keyOrder = func() (list []string) {
	for _, key := range content.Keys {
		list = append(list, key[strings.LastIndexByte(key, '.')+1:])
	}
	return list
}()

// rankOf returns where a key belongs among the keys of its mapping; sources has
// the order of the fields that it is about.
func rankOf(path []string, key string) int {
	if len(path) > 0 && path[0] == "sources" {
		if field, inner, ok := strings.Cut(key, "."); ok {
			return slices.Index(keyOrder, field)*100 + slices.Index(keyOrder, inner)
		}
	}
	return slices.Index(keyOrder, key) * 100
}

// scalar writes a value as YAML: in the quotes that style tells of, else plain,
// and in double quotes where a plain text would be read as something else.
func scalar(value any, style yaml.Style, flow bool) (string, error) {
	text, isText := value.(string)
	if !isText {
		return fmt.Sprint(value), nil
	}
	if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
		return "", fmt.Errorf("%q is no text of one line", text)
	}
	switch {
	case style&yaml.SingleQuotedStyle != 0:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'", nil
	case style&yaml.DoubleQuotedStyle == 0 && plain(text, flow):
		return text, nil
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`, nil
}

// plain tells whether a text can be written without quotes.
func plain(text string, flow bool) bool {
	if flow && strings.ContainsAny(text, ",[]{}") {
		return false
	}
	var read struct {
		Key yaml.Node `yaml:"key"`
	}
	if err := yaml.Load([]byte("key: "+text+"\n"), &read); err != nil {
		return false
	}
	tag := read.Key.ShortTag()
	return read.Key.Kind == yaml.ScalarNode && read.Key.Value == text && (tag == "!!str" || tag == "!!timestamp") &&
		read.Key.Style == 0 && read.Key.Anchor == "" && read.Key.LineComment == ""
}

// leaf is a value with the keys and places that lead to it.
type leaf struct{ path, kind, value string }

// leaves lists all values of a tree in the order of the text, but those at the
// settings' paths and, where they may have to be made, the mappings around them.
func leaves(n *yaml.Node, path string, settings []setting) []leaf {
	for _, s := range settings {
		if path == "/"+strings.Join(s.path, "/") {
			return nil
		}
	}
	var list []leaf
	if !slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix("/"+strings.Join(s.path, "/"), path+"/") }) {
		list = append(list, leaf{path, n.ShortTag(), n.Value})
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			list = append(list, leaves(n.Content[i+1], path+"/"+n.Content[i].Value, settings)...)
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			list = append(list, leaves(c, path+"/"+strconv.Itoa(i), settings)...)
		}
	}
	return list
}

// verify reads what has been written and tells where anything else changed than
// was meant to.
func verify(before, after string, settings []setting) error {
	if err := decodable(after); err != nil {
		return fmt.Errorf("the edited front matter cannot be read: %w", err)
	}
	old, err := parse(before)
	if err != nil {
		return err
	}
	changed, err := parse(after)
	if err != nil {
		return err
	}
	if !slices.Equal(leaves(old, "", settings), leaves(changed, "", settings)) {
		return errors.New("the front matter is written in a way that cannot be edited in place: edit it by hand")
	}
	for i, s := range settings {
		if slices.ContainsFunc(settings[i+1:], func(later setting) bool { return slices.Equal(later.path, s.path) }) {
			continue
		}
		n := changed
		for _, key := range s.path {
			if _, n = find(n, key); n == nil {
				return fmt.Errorf("%s could not be written", s.name())
			}
		}
		if n.Value != s.text() {
			return fmt.Errorf("%s could not be written: it reads %q", s.name(), n.Value)
		}
	}
	return nil
}
