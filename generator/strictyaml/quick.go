package strictyaml

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Listings have a usual form: keys, lists and texts of one line each. Reading it takes a fraction of
// the time that the YAML library takes. quickly reads that form, and leaves all other YAML to the
// library. It returns the same nodes as the library, but without comments.

// errOther is returned for YAML in any other form.
var errOther = errors.New("the YAML library must read it")

// quickly returns the top-level mapping of a text, or false.
func quickly(text []byte) (*yaml.Node, bool) {
	if !isUsual(text) {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	q := &quickReader{lines: make([]quickLine, 0, len(lines))}
	for i, line := range lines {
		isComment := strings.HasPrefix(line, "#") && len(q.lines) == 0
		if isComment {
			continue
		}
		rest := strings.TrimLeft(line, " ")
		if rest == "" || strings.HasSuffix(rest, " ") {
			return nil, false
		}
		q.lines = append(q.lines, quickLine{i + 1, len(line) - len(rest), rest})
	}
	if len(q.lines) == 0 || q.lines[0].indent > 0 {
		return nil, false
	}
	n, err := q.mapping(0)
	return n, err == nil && q.at == len(q.lines)
}

// isUsual reports whether a text has only characters that quickly knows: no escapes, tabs and control
// characters, and no line breaks beyond ASCII.
func isUsual(text []byte) bool {
	isASCII := true
	for _, b := range text {
		if b < ' ' && b != '\n' || b == '\\' || b == 0x7f {
			return false
		}
		isASCII = isASCII && b < utf8.RuneSelf
	}
	return isASCII || utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool {
		return r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xfffd && r <= 0xffff
	})
}

type quickReader struct {
	lines []quickLine
	at    int // the next line
}

type quickLine struct {
	number, indent int
	text           string // without the indentation
}

// mapping reads the keys with an indentation.
func (q *quickReader) mapping(indent int) (*yaml.Node, error) {
	first := q.lines[q.at]
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: first.number, Column: indent + 1}
	for q.at < len(q.lines) && q.lines[q.at].indent == indent {
		line := q.lines[q.at]
		key, rest, ok := strings.Cut(line.text, ":")
		if !ok || !isKey(key) {
			return nil, errOther
		}
		n.Content = append(n.Content, scalarNode(key, "!!str", line.number, indent+1))
		q.at++
		value, err := q.valueOf(line, len(key)+1, rest)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, value)
	}
	if q.at < len(q.lines) && q.lines[q.at].indent > indent {
		return nil, errOther
	}
	return n, nil
}

// valueOf reads the value of a key: the rest of its line, which begins at an offset, or the lines
// below it.
func (q *quickReader) valueOf(line quickLine, offset int, rest string) (*yaml.Node, error) {
	if rest != "" {
		if rest[0] != ' ' || len(rest) < 2 || rest[1] == ' ' {
			return nil, errOther
		}
		return oneLine(line, offset+1)
	}
	if q.at == len(q.lines) || q.lines[q.at].indent <= line.indent {
		return nil, errOther
	}
	next := q.lines[q.at]
	if strings.HasPrefix(next.text, "- ") {
		return q.sequence(next.indent)
	}
	return q.mapping(next.indent)
}

// sequence reads a list whose entries are on a line each.
func (q *quickReader) sequence(indent int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: q.lines[q.at].number, Column: indent + 1}
	for q.at < len(q.lines) && q.lines[q.at].indent == indent {
		line := q.lines[q.at]
		if !strings.HasPrefix(line.text, "- ") || len(line.text) < 3 || line.text[2] == ' ' {
			return nil, errOther
		}
		q.at++
		value, err := oneLine(line, 2)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, value)
	}
	if q.at < len(q.lines) && q.lines[q.at].indent > indent {
		return nil, errOther
	}
	return n, nil
}

// oneLine reads a value that ends with its line and begins at an offset.
func oneLine(line quickLine, offset int) (*yaml.Node, error) {
	f := &flowReader{line: line, at: offset}
	n, err := f.value("")
	if err == nil && f.at < len(line.text) {
		err = errOther
	}
	return n, err
}

// flowReader reads values within a line.
type flowReader struct {
	line  quickLine
	at    int
	depth int // of collections
}

// maxFlowDepth bounds how deeply collections on a line are nested. Listings have at most two levels, and
// the library refuses very many.
const maxFlowDepth = 4

// column returns the present column, from 1.
func (f *flowReader) column() int {
	return f.line.indent + utf8.RuneCountInString(f.line.text[:f.at]) + 1
}

// value reads a value. A plain one ends before any byte of end, or with the line.
func (f *flowReader) value(end string) (*yaml.Node, error) {
	if f.at == len(f.line.text) {
		return nil, errOther
	}
	switch c := f.line.text[f.at]; c {
	case '[', '{':
		return f.collection(c)
	case '"', '\'':
		return f.quoted(c)
	}
	return f.plain(end)
}

// quoted reads a text in quotation marks that has none in it.
func (f *flowReader) quoted(mark byte) (*yaml.Node, error) {
	column := f.column()
	text, after, ok := strings.Cut(f.line.text[f.at+1:], string(mark))
	if !ok || strings.HasPrefix(after, string(mark)) {
		return nil, errOther
	}
	n := scalarNode(text, "!!str", f.line.number, column)
	n.Style = yaml.DoubleQuotedStyle
	if mark == '\'' {
		n.Style = yaml.SingleQuotedStyle
	}
	f.at = len(f.line.text) - len(after)
	return n, nil
}

// plain reads a text without quotation marks.
func (f *flowReader) plain(end string) (*yaml.Node, error) {
	column, text := f.column(), f.line.text[f.at:]
	if i := strings.IndexAny(text, end); i >= 0 {
		text = text[:i]
	}
	tag, ok := tagOf(text)
	if !ok || !isPlain(text) || end != "" && strings.ContainsAny(text, "?[]{}") {
		return nil, errOther
	}
	f.at += len(text)
	return scalarNode(text, tag, f.line.number, column), nil
}

// collection reads a list in brackets, or keys with values in braces.
func (f *flowReader) collection(open byte) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	n.Line, n.Column = f.line.number, f.column()
	closing := "]"
	if open == '{' {
		n.Kind, n.Tag, closing = yaml.MappingNode, "!!map", "}"
	}
	f.at++
	if f.depth++; f.depth > maxFlowDepth {
		return nil, errOther
	}
	defer func() { f.depth-- }()
	if strings.HasPrefix(f.line.text[f.at:], closing) {
		f.at++
		return n, nil
	}
	for {
		if open == '{' {
			key, _, ok := strings.Cut(f.line.text[f.at:], ": ")
			if !ok || !isKey(key) {
				return nil, errOther
			}
			n.Content = append(n.Content, scalarNode(key, "!!str", f.line.number, f.column()))
			f.at += len(key) + 2
		}
		value, err := f.value("," + closing)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, value)
		switch rest := f.line.text[f.at:]; {
		case strings.HasPrefix(rest, closing):
			f.at++
			return n, nil
		case strings.HasPrefix(rest, ", ") && !strings.HasPrefix(rest, ",  "):
			f.at += 2
		default:
			return nil, errOther
		}
	}
}

func scalarNode(value, tag string, line, column int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Line: line, Column: column}
}

// isKey reports whether a text is a key that is a plain word.
func isKey(text string) bool {
	if text == "" || !isLetter(text[0]) || isSpecial(text) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isPlain reports whether YAML reads a text without quotation marks as it is.
func isPlain(text string) bool {
	return strings.TrimSpace(text) == text && !strings.HasSuffix(text, ":") && !strings.Contains(text, ": ") &&
		!strings.Contains(text, " #")
}

// tagOf returns the tag of a plain text. It knows texts that begin with a letter or a slash, numbers
// and days.
func tagOf(text string) (tag string, ok bool) {
	switch {
	case text == "":
		return "", false
	case text == "true" || text == "false":
		return "!!bool", true
	case text == "null":
		return "!!null", true
	case isLetter(text[0]) || text[0] == '/' || text[0] >= utf8.RuneSelf:
		return "!!str", !isSpecial(text)
	case isNumber(text):
		return "!!int", true
	}
	whole, fraction, found := strings.Cut(text, ".")
	if found && isNumber(whole) && isDigits(fraction) {
		return "!!float", true
	}
	_, err := time.Parse(time.DateOnly, text)
	return "!!timestamp", err == nil
}

// isNumber reports whether a text is a whole number without zeros at its beginning.
func isNumber(text string) bool {
	return text == "0" || isDigits(text) && text[0] != '0' && len(text) < 19
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isSpecial reports whether a word may be another value than a text in some version of YAML.
func isSpecial(text string) bool {
	return len(text) <= len("false") && slices.Contains(specialWords, strings.ToLower(text))
}

var specialWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
