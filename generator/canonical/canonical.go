// Package canonical writes YAML in one form, which every parser of YAML 1.1 or
// 1.2 reads as the same values.
//
// In goes a text that package strictyaml decodes; out comes a text with the same
// values and the same comments:
//
//   - Keys stand one a line in a fixed order, entries of lists below their key.
//   - Lists of keywords, such as [linux, macos], stand on one line, and so does a
//     mapping that is an entry of a list, unless comments stand within. An empty list
//     is [], an unknown value null.
//   - A text stands on one line, in double quotes where it needs quotes.
//   - A comment stands above or behind the key or entry that it is about. A line
//     "# yaml-language-server: …" comes first.
package canonical

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"catalog.example/generator/strictyaml"
	"go.yaml.in/yaml/v4"
)

// Form says how the texts of one kind are written.
type Form struct {
	// Keys are the keys of all mappings in the order in which they are written. A
	// key such as a.b has the place of a, and there that of b.
	Keys []string
	// Days are the paths of values that are days, which stand without quotes. A path
	// such as a.b leads to b in the mapping a.
	Days []string
	// Inline are the paths of lists that stand on one line.
	Inline []string
	// New returns a pointer to what such texts are decoded into.
	New func() any
}

// Setting is a value to write into a text.
type Setting struct {
	Path  []string // the keys that lead to it
	Value any      // string, int or bool
}

// Error tells what keeps a text from being written in its form.
type Error struct {
	Problems []strictyaml.Problem // at least one
	Unread   bool                 // the text could not be decoded to begin with
}

// Error implements error.
func (e *Error) Error() string {
	p := e.Problems[0]
	return fmt.Sprintf("line %d:%d: %s", p.Line, p.Column, p.Message)
}

// Format returns a text in its form, with values set. firstLine is the line of the
// file on which the text begins. Line breaks are those of the text's first line.
// The result is decoded and compared: nothing changes in what the text says but
// what is set, and no comment is lost. Errors are of type *Error.
func (f *Form) Format(text []byte, firstLine int, settings ...Setting) ([]byte, error) {
	source := strings.ReplaceAll(string(text), "\r\n", "\n")
	top := modeline.FindAllString(source, -1)
	source = modeline.ReplaceAllString(source, "") // the line stays, so that others keep their numbers
	doc, decoded, problems := f.decode(source, firstLine)
	if len(problems) > 0 {
		return nil, &Error{problems, true}
	}
	if len(top) > 0 {
		if _, whole, _ := f.decode(strings.ReplaceAll(string(text), "\r\n", "\n"), firstLine); !reflect.DeepEqual(whole, decoded) {
			return nil, failed(firstLine, false, "a line that begins with # yaml-language-server stands within a value: write the value on one line")
		}
	}
	node := doc.Node()
	if node == nil || node.Content[0].Kind != yaml.MappingNode {
		return nil, failed(firstLine, true, "no key stands here")
	}
	comments, values := gather(node)
	// Every # stands in a comment or in a value. If there are more, the YAML library
	// has lost a comment.
	if strings.Count(source, "#") > strings.Count(strings.Join(comments, "")+values, "#") {
		return nil, failed(firstLine+lostLine(source, comments, values), false, "this comment would be lost: put it on a line of its own above a key")
	}
	keys := node.Content[0].Content
	for _, s := range settings {
		set(node.Content[0], s.Path, s.Value)
	}
	want := f.New()
	doc.Decode(want)
	f.document(node)
	out, err := dump(node)
	if err != nil {
		return nil, failed(firstLine, false, err.Error())
	}
	written, got, problems := f.decode(out, firstLine)
	var kept []string
	if len(problems) == 0 {
		kept, _ = gather(written.Node())
	}
	if len(problems) > 0 || !reflect.DeepEqual(want, got) || !slices.Equal(comments, kept) {
		return nil, f.unwritten(source, firstLine, keys)
	}
	out = strings.Join(append(top, out), "\n")
	if first, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasSuffix(first, []byte("\r")) {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return []byte(out), nil
}

// decode decodes a text.
func (f *Form) decode(text string, firstLine int) (doc *strictyaml.Document, into any, problems []strictyaml.Problem) {
	into = f.New()
	if doc, problems = strictyaml.Parse([]byte(text), firstLine); doc != nil {
		problems = doc.Decode(into)
	}
	return doc, into, problems
}

// unwritten tells that a text cannot be written, at the first of its keys that cannot
// be written by itself. keys are those at its top, each with its value.
func (f *Form) unwritten(text string, firstLine int, keys []*yaml.Node) error {
	all := strings.SplitAfter(text, "\n")
	for i := 0; i < len(keys); i += 2 {
		from, to := keys[i].Line-1, len(all)
		if i+2 < len(keys) {
			to = keys[i+2].Line - 1
		}
		if to-from == len(all) || to > len(all) { // the only key, or line breaks of another kind
			break
		}
		_, err := f.Format([]byte(strings.Join(all[from:to], "")), firstLine+from)
		if wrong, ok := errors.AsType[*Error](err); ok && !wrong.Unread {
			return err
		}
	}
	return failed(firstLine, false, "cannot be written in canonical form without a change: write comments on lines of their own above keys, and values in a simpler way")
}

func failed(line int, unread bool, message string) error {
	return &Error{[]strictyaml.Problem{{Line: line, Column: 1, Message: message}}, unread}
}

// gather returns the lines of all comments below a node, in alphabetical order,
// and all scalars.
func gather(n *yaml.Node) (comments []string, values string) {
	comments, values = lines(n.HeadComment, n.LineComment, n.FootComment), n.Value
	for _, inner := range n.Content {
		c, v := gather(inner)
		comments, values = append(comments, c...), values+v
	}
	slices.Sort(comments)
	return comments, values
}

// lines returns the lines of comments, without blank ones.
func lines(comments ...string) []string {
	list := strings.Split(strings.Join(comments, "\n"), "\n")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return slices.DeleteFunc(list, func(line string) bool { return line == "" })
}

// lostLine returns the first line, from 0, with a # that is neither of a comment
// nor of a value.
func lostLine(text string, comments []string, values string) int {
	for i, line := range strings.Split(text, "\n") {
		if at := strings.IndexByte(line, '#'); at >= 0 && !slices.Contains(comments, strings.TrimSpace(line[at:])) && !strings.Contains(values, strings.TrimRight(line[at:], "'\" ,]}")) {
			return i
		}
	}
	return 0
}

// set puts a value into a mapping, below keys that are made where they are
// missing. Comments stay.
func set(n *yaml.Node, path []string, value any) {
	if len(path) == 0 {
		tag := map[reflect.Kind]string{reflect.String: "!!str", reflect.Bool: "!!bool", reflect.Int: "!!int"}[reflect.TypeOf(value).Kind()]
		n.Kind, n.Tag, n.Value, n.Style, n.Content = yaml.ScalarNode, tag, fmt.Sprint(value), 0, nil
		return
	}
	if n.Kind != yaml.MappingNode { // null
		n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "!!map", "", 0
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			set(n.Content[i+1], path[1:], value)
			return
		}
	}
	added := &yaml.Node{}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}, added)
	set(added, path[1:], value)
}

// Value returns a text or a list of texts as a value that stands behind a key.
func Value(value any) (string, error) {
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return "", err
	}
	if _, values := gather(&n); strings.Contains(values, colon) {
		return "", fmt.Errorf("%q holds U+E000, a character for private use", values)
	}
	new(Form).arrange(&n, "", n.Kind == yaml.SequenceNode)
	out, err := dump(&n)
	return strings.TrimSuffix(out, "\n"), err
}

// dump writes what has been arranged.
func dump(n *yaml.Node) (string, error) {
	out, err := yaml.Dump(n, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	return strings.ReplaceAll(string(out), colon, ":"), err
}

// colon stands for a colon of a plain text within brackets, such as an address,
// until it is written: the library would put such a text in quotes. It is a
// character for private use, which no plain text holds.
const colon = "\ue000"

// modeline is a comment that editors look for at the top of a file.
var modeline = regexp.MustCompile(`(?m)^# yaml-language-server:.*$`)
