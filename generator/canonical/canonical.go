// Package canonical writes YAML in one form, which every parser of YAML 1.1 or 1.2 reads as
// the same values.
//
// Format takes a text that package strictyaml decodes and returns a text with the same
// values and comments:
//
//   - Each key is on its own line, in a fixed order. List items are below their key.
//   - Lists of keywords, such as [linux, macos], are on one line, and so are mappings in
//     lists, unless they contain comments. An empty list is [], and an unknown value is null.
//   - A text is on one line, in double quotes if it needs quotes.
//   - A comment is above or after its key or item. The line "# yaml-language-server: …" comes
//     first.
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
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Form describes the canonical form of one kind of text.
type Form struct {
	// Keys lists the keys of all mappings in order. A key such as a.b is the key b in the mapping
	// a.
	Keys []string
	// Dates lists the paths of dates, which are written without quotes. The path a.b is b in the
	// mapping a.
	Dates []string
	// Inline lists the paths of lists that are written on one line.
	Inline []string
	// New returns a pointer to a new value that such a text can be decoded into.
	New func() any
}

// Setting is a value to write into a text.
type Setting struct {
	Path  []string // the keys that lead to the value
	Value any      // string, int, bool, nil, or lists, maps and structs of such; or Removed
}

// Removed is the value of a Setting that removes a key. A value of nil keeps the key, and empties it.
var Removed any = removal{}

type removal struct{}

// Error says why a text cannot be written in canonical form.
type Error struct {
	Problems  []strictyaml.Problem // at least one
	Undecoded bool                 // whether the text could not be decoded
}

// Error implements error.
func (e *Error) Error() string {
	p := e.Problems[0]
	return fmt.Sprintf("line %d:%d: %s", p.Line, p.Column, p.Message)
}

// Format returns a text in canonical form, with the given values set. firstLine is the line of the
// file on which the text begins. All line breaks become like the first one. To be safe, Format
// decodes the result: it returns an error if any other value changed or a comment is lost. Errors
// are of type *Error.
func (f *Form) Format(text []byte, firstLine int, settings ...Setting) ([]byte, error) {
	whole := strings.ReplaceAll(string(text), "\r\n", "\n")
	top := modeline.FindAllString(whole, -1)
	source := modeline.ReplaceAllString(whole, "") // keep the line break, so that line numbers stay the same
	doc, decoded, problems := f.decode(source, firstLine)
	if len(problems) > 0 {
		return nil, &Error{problems, true}
	}
	if len(top) > 1 || len(top) == 1 && !strings.HasPrefix(whole, top[0]) { // the modeline is below a key
		if _, other, _ := f.decode(whole, firstLine); !reflect.DeepEqual(other, decoded) {
			return nil, failed(firstLine, false,
				"a line that begins with # yaml-language-server is inside a value: write the value on one line")
		}
	}
	node := doc.Node()
	if node == nil || node.Content[0].Kind != yaml.MappingNode {
		return nil, failed(firstLine, true, "there are no keys here")
	}
	comments, values := commentsAndValues(node)
	// Every # is in a comment or a value. If the text has more than those contain, the YAML library
	// has lost a comment.
	if strings.Count(source, "#") > strings.Count(strings.Join(comments, "")+values, "#") {
		return nil, failed(firstLine+lostLine(source, comments, values), false,
			"this comment would be lost: put it on a line of its own above a key")
	}
	keys := node.Content[0].Content
	for _, s := range settings {
		set(node.Content[0], s.Path, s.Value)
	}
	want := decoded
	if len(settings) > 0 {
		want = f.New()
		if problems := doc.Decode(want); len(problems) > 0 {
			return nil, &Error{problems, false}
		}
	}
	f.document(node)
	out, err := dump(node)
	if err != nil {
		return nil, failed(firstLine, false, err.Error())
	}
	result := strings.Join(append(top, out), "\n")
	if result == whole { // the text is already in canonical form
		return text, nil
	}
	written, got, problems := f.decode(out, firstLine)
	var kept []string
	if len(problems) == 0 {
		kept, _ = commentsAndValues(written.Node())
	}
	if len(problems) > 0 || !reflect.DeepEqual(want, got) || !slices.Equal(comments, kept) {
		return nil, f.formatError(source, firstLine, keys)
	}
	if first, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasSuffix(first, []byte("\r")) {
		result = strings.ReplaceAll(result, "\n", "\r\n")
	}
	return []byte(result), nil
}

func (f *Form) decode(text string, firstLine int) (doc *strictyaml.Document, into any, problems []strictyaml.Problem) {
	into = f.New()
	if doc, problems = strictyaml.Parse([]byte(text), firstLine); doc != nil {
		problems = doc.Decode(into)
	}
	return doc, into, problems
}

// formatError returns the error for a text that cannot be written. It looks for the first top-level
// key that cannot be written even by itself, and returns the error for that key.
func (f *Form) formatError(text string, firstLine int, keys []*yaml.Node) error {
	all := strings.SplitAfter(text, "\n")
	for i := 0; i < len(keys); i += 2 {
		from, to := keys[i].Line-1, len(all)
		if i+2 < len(keys) {
			to = keys[i+2].Line - 1
		}
		if to-from == len(all) || to > len(all) { // this key is the whole text, or YAML counts more lines
			break
		}
		_, err := f.Format([]byte(strings.Join(all[from:to], "")), firstLine+from)
		if wrong, ok := errors.AsType[*Error](err); ok && !wrong.Undecoded {
			return err
		}
	}
	return failed(firstLine, false,
		"cannot be formatted without changing its meaning: write comments on lines of their own above keys, and "+
			"simplify the values")
}

func failed(line int, unread bool, message string) error {
	return &Error{[]strictyaml.Problem{{Line: line, Column: 1, Message: message}}, unread}
}

// commentsAndValues returns the lines of all comments in a node, in alphabetical order, and the
// text of all scalars in it.
func commentsAndValues(n *yaml.Node) (comments []string, values string) {
	comments, values = lines(n.HeadComment, n.LineComment, n.FootComment), n.Value
	for _, inner := range n.Content {
		c, v := commentsAndValues(inner)
		comments, values = append(comments, c...), values+v
	}
	slices.Sort(comments)
	return comments, values
}

// lines returns the lines of comments, except blank ones.
func lines(comments ...string) []string {
	list := strings.Split(strings.Join(comments, "\n"), "\n")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return slices.DeleteFunc(list, func(line string) bool { return line == "" })
}

// lostLine returns the first line, counted from 0, that has a # outside all comments and values.
func lostLine(text string, comments []string, values string) int {
	for i, line := range strings.Split(text, "\n") {
		if at := strings.IndexByte(line, '#'); at >= 0 && !slices.Contains(comments, strings.TrimSpace(line[at:])) &&
			!strings.Contains(values, strings.TrimRight(line[at:], "'\" ,]}")) {
			return i
		}
	}
	return 0
}

// set sets the value at a path in a mapping, and adds missing keys, or removes the last key. It keeps comments.
func set(n *yaml.Node, path []string, value any) {
	if len(path) == 0 {
		before := *n
		_ = n.Encode(value) // all types of Setting.Value can be encoded
		n.HeadComment, n.LineComment, n.FootComment = before.HeadComment, before.LineComment, before.FootComment
		for i, entry := range n.Content {
			if at := slices.IndexFunc(before.Content, func(old *yaml.Node) bool {
				return old.Kind == yaml.ScalarNode && old.Value == entry.Value
			}); at >= 0 {
				n.Content[i] = before.Content[at]
			}
		}
		return
	}
	if n.Kind != yaml.MappingNode { // the value is null: make it a mapping
		n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "!!map", "", 0
	}
	at := yamlnode.Child(n, path[0])
	if value == Removed && (at == nil || len(path) == 1) {
		setKey(n, path[0], nil)
		return
	}
	if at == nil {
		at = &yaml.Node{}
		yamlnode.Add(n, path[0], at)
	}
	set(at, path[1:], value)
}

// Value returns a text or a list of texts as YAML that can be written after a key.
func Value(value any) (string, error) {
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return "", err
	}
	if _, values := commentsAndValues(&n); strings.Contains(values, colon) {
		return "", fmt.Errorf("%q contains U+E000, a private-use character", values)
	}
	new(Form).arrange(&n, "", n.Kind == yaml.SequenceNode)
	out, err := dump(&n)
	return strings.TrimSuffix(out, "\n"), err
}

// dump returns an arranged document as YAML.
func dump(n *yaml.Node) (string, error) {
	out, err := yaml.Dump(n, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	return strings.ReplaceAll(string(out), colon, ":"), err
}

// colon stands for a colon in an unquoted text in brackets, such as an address, until the document
// is written. Otherwise the library would quote the text. It is a private-use character, which
// unquoted texts do not contain.
const colon = "\ue000"

// modeline matches a comment for editors at the top of a file.
var modeline = regexp.MustCompile(`(?m)^# yaml-language-server:.*$`)
