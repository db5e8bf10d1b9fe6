package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// json reads the JSON values of a text that begins at an offset of the file.
func (r *reader) json(offset int, text []byte) {
	for n := range r.jsonValues(offset, text) {
		r.document(n)
	}
}

// jsonLines reads a JSON value of each line.
func (r *reader) jsonLines() {
	offset := 0
	for line := range bytes.Lines(r.text) {
		r.json(offset, line)
		offset += len(line)
	}
}

// jsonValues iterates over the JSON values of a text with the offsets behind them. It tells of the first mistake, and
// ends there.
func (r *reader) jsonValues(offset int, text []byte) iter.Seq2[*yaml.Node, int] {
	return func(yield func(n *yaml.Node, end int) bool) {
		p := &jsonReader{json.NewDecoder(bytes.NewReader(text)), r, offset, text}
		p.UseNumber()
		n, err := p.value(0)
		for err == nil && yield(n, int(p.InputOffset())) {
			n, err = p.value(0)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			r.report.tell(Skipped, r.file, p.place(), "this is not JSON: %v", err)
		}
	}
}

// jsonReader reads JSON into nodes with positions.
type jsonReader struct {
	*json.Decoder
	r    *reader
	base int // offset of the text in the file
	text []byte
}

// place returns an empty scalar at the place of the next token.
func (p *jsonReader) place() *yaml.Node {
	begin := int(p.InputOffset())
	for begin < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[begin]) >= 0 {
		begin++
	}
	return p.r.at(p.base+begin, "")
}

// maxDepth is the maximum depth of JSON.
const maxDepth = 500

// value reads a value. It returns io.EOF only if there is none.
func (p *jsonReader) value(depth int) (*yaml.Node, error) {
	n := p.place()
	token, err := p.Token()
	switch t := token.(type) {
	case json.Delim:
		if n.Kind, n.Tag = yaml.SequenceNode, "!!seq"; t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		if depth > maxDepth {
			return nil, errors.New("it is nested too deeply")
		}
		for err == nil && p.More() {
			var inner *yaml.Node
			inner, err = p.value(depth + 1)
			n.Content = append(n.Content, inner)
		}
		if err == nil {
			_, err = p.Token()
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	case string:
		n.Value = t
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(t)
	case nil:
		n.Tag = "!!null"
	}
	return n, err
}

// toml reads the TOML of front matter, whose first line it counts as the first of the file.
func (r *reader) toml(text string) {
	var values map[string]any
	root := &yaml.Node{}
	err := toml.Unmarshal([]byte(text), &values)
	if err == nil {
		err = root.Encode(values)
	}
	if err != nil {
		line, column := 1, 1
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column = wrong.Position()
		}
		r.skip(line, column, "this is not TOML: "+strings.TrimPrefix(err.Error(), "toml: "))
		return
	}
	r.locate(root, 0)
	r.document(root)
}

// locate gives nodes of TOML places, because the library does not tell them: those of their keys, which are looked
// for from an offset on.
func (r *reader) locate(n *yaml.Node, offset int) {
	at := r.at(offset, "")
	n.Line, n.Column = at.Line, at.Column
	for i, inner := range n.Content {
		begin := offset
		if n.Kind == yaml.MappingNode {
			key := regexp.MustCompile(`\b` + regexp.QuoteMeta(n.Content[i-i%2].Value) + `["' \t]*[=.\]]`)
			if found := key.FindIndex(r.text[offset:]); found != nil {
				begin += found[0]
			}
		}
		r.locate(inner, begin)
	}
}
