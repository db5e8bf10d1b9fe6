package importer

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"catalog.example/generator/content"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// Formats maps each format to the endings of its files. Markdown files that begin with front matter are read as
// front-matter.
var Formats = map[string][]string{
	"csv": {".csv"}, "tsv": {".tsv", ".tab"}, "json": {".json"}, "jsonl": {".jsonl", ".ndjson"},
	"yaml": {".yml", ".yaml", ".cff"}, "markdown": {".md", ".markdown"}, "front-matter": nil,
}

// maxSource is the maximum size of a file of a source, in bytes.
const maxSource = 256 << 20

// reader reads the entries of a source.
type reader struct {
	root    string
	m       *Map
	report  *Report
	entries []*entry

	// Of the file that is being read:
	file, below string // as messages name it, and below root
	text        []byte
	starts      []int // offset of each line
	last        place // for which at was called last
}

// place is a place in a file.
type place struct{ offset, line, column int }

// read reads all entries of a source. It returns an error if nothing can be read at all.
func read(ctx context.Context, root string, m *Map, report *Report, progress func(done, total int)) ([]*entry, error) {
	if strings.Contains(root, "://") {
		return nil, fmt.Errorf("source %s is an address: download it first, and give the file or folder", root)
	}
	r := &reader{root: root, m: m, report: report}
	files, err := r.files()
	if err != nil {
		return nil, err
	}
	for i, below := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.below, r.file = below, filepath.ToSlash(filepath.Join(root, filepath.FromSlash(below)))
		text, err := regular.ReadFile(r.file, maxSource)
		if wrong, irregular := errors.AsType[*regular.Error](err); irregular {
			report.tell(Skipped, r.file, nil, "a file cannot be read", "the file %s", wrong.Reason)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		r.readFile(text)
		progress(i+1, len(files))
	}
	return r.entries, nil
}

// files returns the files of the source below its root, sorted. If the source is a file, that is "".
func (r *reader) files() ([]string, error) {
	info, err := os.Stat(r.root)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if !info.IsDir() {
		return []string{""}, nil
	}
	globs := r.m.Files
	if len(globs) == 0 {
		globs = []string{"**"}
	}
	byFormat := map[string][]string{}
	for _, glob := range globs {
		matched, err := doublestar.Glob(os.DirFS(r.root), glob, doublestar.WithFilesOnly())
		if err != nil {
			return nil, fmt.Errorf("map: files: %q: %w", glob, err)
		}
		for _, file := range matched {
			hidden := strings.HasPrefix(file, ".") || strings.Contains(file, "/.")
			if format := formatOf(file); !hidden && (format != "" || len(r.m.Files) > 0) {
				byFormat[format] = append(byFormat[format], file)
			}
		}
	}
	var files []string
	for format, list := range byFormat {
		// Without globs, the files of the most frequent format are the source.
		if len(r.m.Files) > 0 || format == r.m.Format || r.m.Format == "front-matter" && format == "markdown" {
			files = append(files, list...)
		} else if r.m.Format == "" && (len(list) > len(files) ||
			len(list) == len(files) && format < formatOf(files[0])) {
			files = list
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("source %s has no files that match %v: correct files in the map, or give another folder",
			r.root, globs)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// formatOf returns the format of a file by its name, or "".
func formatOf(name string) string {
	for format, endings := range Formats {
		if slices.Contains(endings, strings.ToLower(slashpath.Ext(name))) {
			return format
		}
	}
	return ""
}

// readFile reads the entries of one file.
func (r *reader) readFile(text []byte) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	r.text, r.starts, r.last = text, lineStarts(text), place{}
	if p, bad := strictyaml.Encoding(text, 1); bad && !utf8.Valid(text) {
		r.skip(p.Line, p.Column, "a file is not UTF-8", p.Message)
		return
	}
	format := r.m.Format
	if format == "" {
		format = formatOf(r.file)
	}
	if format == "markdown" && r.m.Format == "" && slices.ContainsFunc([]string{"---", "+++", "{"},
		func(begin string) bool { return bytes.HasPrefix(text, []byte(begin)) }) {
		format = "front-matter"
	}
	switch format {
	case "csv", "tsv":
		r.table(format)
	case "json":
		r.json(0, text)
	case "jsonl":
		for i, start := range r.starts {
			end := len(text)
			if i+1 < len(r.starts) {
				end = r.starts[i+1]
			}
			if line := text[start:end]; len(bytes.TrimSpace(line)) > 0 {
				r.json(start, line)
			}
		}
	case "yaml":
		r.yaml(text, nil)
	case "front-matter":
		r.frontMatter()
	case "markdown":
		r.markdown()
	default:
		r.skip(1, 1, "a file has no known format", "the format of the file is not known: write format into the map")
	}
}

// skip tells of a part of the file that cannot be read.
func (r *reader) skip(line, column int, group, message string) {
	r.report.tell(Skipped, r.file, &yaml.Node{Line: line, Column: column}, group, "%s", message)
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// at returns a scalar that stands at an offset of the file.
func (r *reader) at(offset int, value string) *yaml.Node {
	offset = min(max(offset, 0), len(r.text))
	line := sort.SearchInts(r.starts, offset+1)
	from, column := r.starts[line-1], 1
	if r.last.line == line && r.last.offset <= offset { // a whole file may be one line
		from, column = r.last.offset, r.last.column
	}
	r.last = place{offset, line, column + utf8.RuneCount(r.text[from:offset])}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: line, Column: r.last.column}
}

// document adds the entries of a parsed document. beside has what is known besides them.
func (r *reader) document(n *yaml.Node, beside map[string]*yaml.Node) {
	n = resolve(n)
	paths := slices.Clone(r.m.entries)
	if len(paths) == 0 {
		paths = []path{{}}
		if n.Kind == yaml.SequenceNode {
			paths = []path{{steps: []step{{kind: allStep}}}}
		}
	}
	found := 0
	for _, p := range paths {
		eachEntry(n, p.steps, nil, "", func(inner *yaml.Node, around []*yaml.Node, key string) {
			if found++; resolve(inner).Kind != yaml.MappingNode {
				r.report.tell(Skipped, r.file, inner, "an entry is not a group of keys with values",
					"%q is not a group of keys with values", textOf(inner))
				return
			}
			r.add(resolve(inner), around, key, beside)
		})
		if found > 0 {
			return
		}
	}
	r.report.tell(Skipped, r.file, n, "a file has no entries", "there is nothing at the paths of entries: %s",
		strings.Join(r.m.Entries, ", "))
}

// add adds an entry.
func (r *reader) add(n *yaml.Node, around []*yaml.Node, key string, beside map[string]*yaml.Node) {
	name := slashpath.Base(r.file)
	stem := strings.TrimSuffix(name, slashpath.Ext(name))
	folder := slashpath.Base(slashpath.Dir(r.file))
	if stem == "index" || stem == "_index" { // a page of Hugo with its own folder
		stem, folder = folder, slashpath.Base(slashpath.Dir(slashpath.Dir(r.file)))
	}
	extra := map[string]*yaml.Node{}
	for k, v := range beside {
		extra[k] = v
	}
	for k, v := range map[string]string{"file": stem, "folder": folder, "path": r.below, "key": key} {
		if v != "" {
			extra[k] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v, Line: n.Line, Column: n.Column}
		}
	}
	r.entries = append(r.entries, &entry{r.file, n, extra, around})
}

// yaml reads one or more YAML documents.
func (r *reader) yaml(text []byte, beside map[string]*yaml.Node) {
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	for err == nil {
		var doc yaml.Node
		if err = loader.Load(&doc); err == nil && len(doc.Content) > 0 && resolve(&doc).ShortTag() != "!!null" {
			r.document(&doc, beside)
		}
	}
	if !errors.Is(err, io.EOF) {
		p := strictyaml.SyntaxProblem(err, text)
		r.skip(p.Line, p.Column, "a file is not YAML", p.Message)
	}
}

// frontMatter reads a Markdown file with YAML, TOML or JSON at its top.
func (r *reader) frontMatter() {
	text := string(r.text)
	matter, body, ok := content.Split(r.text)
	begin := len(r.text) - len(body)
	beside := func() map[string]*yaml.Node {
		return map[string]*yaml.Node{"body": r.at(min(begin, len(text)-1), strings.TrimSpace(text[begin:]))}
	}
	switch end := strings.Index(text, "\n+++"); {
	case ok:
		r.yaml(append([]byte("\n"), matter...), beside()) // a line for the ---, so that positions are right
	case strings.HasPrefix(text, "+++") && end > 0:
		begin = end + len("\n+++")
		n, line, message := parseTOML(text[:end])
		if message != "" {
			r.skip(line, 1, "front matter is not TOML that can be read", message)
			return
		}
		r.document(n, beside())
	case strings.HasPrefix(text, "{"):
		p := &jsonParser{Decoder: json.NewDecoder(strings.NewReader(text)), r: r, text: r.text}
		n, err := p.value(0)
		if err != nil {
			r.jsonError(p, err)
			return
		}
		begin = int(p.InputOffset())
		r.document(n, beside())
	default:
		r.skip(1, 1, "a file has no front matter", "the file has no front matter: it does not begin with a line ---")
	}
}

// json reads the JSON values of a text that begins at an offset of the file.
func (r *reader) json(offset int, text []byte) {
	p := &jsonParser{Decoder: json.NewDecoder(bytes.NewReader(text)), r: r, base: offset, text: text}
	for {
		n, err := p.value(0)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.jsonError(p, err)
			return
		}
		r.document(n, nil)
	}
}

func (r *reader) jsonError(p *jsonParser, err error) {
	r.report.tell(Skipped, r.file, r.at(p.base+p.next(), ""), "a text is not JSON", "this is not JSON: %v", err)
}

// jsonParser parses JSON into nodes with positions.
type jsonParser struct {
	*json.Decoder
	r    *reader
	base int // offset of the text in the file
	text []byte
}

// maxDepth is the maximum depth of JSON.
const maxDepth = 500

// next returns the offset of the next value.
func (p *jsonParser) next() int {
	begin := int(p.InputOffset())
	for begin < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[begin]) >= 0 {
		begin++
	}
	return begin
}

// value parses the next value.
func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	p.UseNumber()
	begin := p.next()
	token, err := p.Token()
	if err != nil {
		return nil, err
	}
	n := p.r.at(p.base+begin, "")
	switch t := token.(type) {
	case json.Delim:
		if n.Kind, n.Tag = yaml.SequenceNode, "!!seq"; t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		if depth > maxDepth {
			return nil, errors.New("it is nested too deeply")
		}
		for p.More() {
			inner, err := p.value(depth + 1)
			if err != nil {
				return nil, noEnd(err)
			}
			n.Content = append(n.Content, inner)
		}
		_, err = p.Token()
	case string:
		n.Value = t
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(t)
	case nil:
		n.Tag = "!!null"
	}
	return n, noEnd(err)
}

// noEnd returns an error that is not io.EOF, for a text that ends inside a value.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// table reads a file of rows, whose first row names the columns.
func (r *reader) table(format string) {
	comma := '\t'
	if format == "csv" {
		comma = commaOf(r.text)
	}
	var header []string
	for base := 0; base < len(r.text); {
		rows := csv.NewReader(bytes.NewReader(r.text[base:]))
		rows.Comma, rows.FieldsPerRecord = comma, -1
		first := sort.SearchInts(r.starts, base) // lines before base
		for {
			row, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
				r.skip(first+wrong.Line, wrong.Column, "a row has wrong quotation marks",
					fmt.Sprintf("the row cannot be read: %v; the row is %q", wrong.Err, r.line(first+wrong.StartLine)))
				if base = len(r.text); first+wrong.StartLine < len(r.starts) {
					base = r.starts[first+wrong.StartLine]
				}
				break
			}
			if header == nil {
				header = columns(row)
				continue
			}
			r.row(header, row, func(i int) *yaml.Node {
				line, column := rows.FieldPos(i)
				return r.at(r.starts[min(first+line, len(r.starts))-1]+column-1, row[i])
			})
		}
	}
}

// line returns a line of the file, counted from 1.
func (r *reader) line(number int) string {
	start := r.starts[min(number, len(r.starts))-1]
	line, _, _ := strings.Cut(string(r.text[start:]), "\n")
	return strings.TrimSpace(line)
}

// row adds a row of a table. cell returns a cell with its position.
func (r *reader) row(header, row []string, cell func(i int) *yaml.Node) {
	if !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return
	}
	n := cell(0)
	n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	for i := range row {
		if i >= len(header) {
			r.report.tell(LeftOut, r.file, cell(i), "a row has more cells than columns",
				"%[3]q: the row has %[1]d cells, but the table has %[2]d columns", len(row), len(header), row[i:])
			break
		}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: header[i]}, cell(i))
	}
	r.add(n, nil, "", nil)
}

// columns returns the names of columns. A column without a name, or with one that is taken, gets a number.
func columns(row []string) []string {
	var names []string
	for i, name := range row {
		name = strings.Join(strings.Fields(name), " ")
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		for n := 2; slices.Contains(names, name); n++ {
			name = fmt.Sprintf("%s %d", strings.Join(strings.Fields(row[i]), " "), n)
		}
		names = append(names, name)
	}
	return names
}

// commaOf returns the character that separates the cells of a CSV file: the most frequent in its first line.
func commaOf(text []byte) rune {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	best := ','
	for _, r := range ";\t|" {
		if bytes.Count(line, []byte(string(r))) > bytes.Count(line, []byte(string(best))) {
			best = r
		}
	}
	return best
}
