package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/generator/content"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"github.com/bmatcuk/doublestar/v4"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// formats has the ways in which files are read, by their names, with the endings of the files, separated by spaces.
// Markdown files that begin with front matter are read as front-matter.
var formats = map[string]struct {
	endings string
	read    func(r *reader)
}{
	"csv":          {".csv", func(r *reader) { r.table(",;\t|") }},
	"front-matter": {"", (*reader).frontMatter},
	"json":         {".json", func(r *reader) { r.json(0, r.text) }},
	"jsonl":        {".jsonl .ndjson", (*reader).jsonLines},
	"markdown":     {".md .markdown", (*reader).markdown},
	"tsv":          {".tsv .tab", func(r *reader) { r.table("\t") }},
	"yaml":         {".yml .yaml .cff", func(r *reader) { r.yaml(r.text) }},
}

// formatOf returns the name of the format of a file, or "".
func formatOf(file string) string {
	for name, f := range formats {
		if slices.Contains(strings.Fields(f.endings), strings.ToLower(slashpath.Ext(file))) {
			return name
		}
	}
	return ""
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
	starts      []int                              // offset of each line
	last        struct{ offset, line, column int } // the place for which at was called last
	beside      map[string]*yaml.Node              // what is known besides entries that follow
}

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
			r.skip(1, 1, "the file "+wrong.Reason)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		entries, notes := len(r.entries), len(report.notes)
		if r.readFile(text); len(r.entries) == entries && len(report.notes) == notes {
			r.skip(1, 1, "the file has no entries: a table needs rows below the names of its columns, a list entries, "+
				"and Markdown a list with links or a table")
		}
		progress(i+1, len(files))
	}
	for _, p := range m.Merged {
		r.fillDown(p)
	}
	return r.entries, nil
}

// fillDown writes into empty cells of a column what stands above them in the same file.
func (r *reader) fillDown(column path) {
	above, file := "", ""
	for _, e := range r.entries {
		n := yamlnode.Child(e.node, column.keys())
		if e.file != file {
			file, above = e.file, ""
		}
		if above = cmp.Or(textOf(n), above); n != nil && n.Kind == yaml.ScalarNode {
			n.Value = above
		}
	}
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
	var files []string
	byFormat := map[string][]string{}
	for _, glob := range globs {
		matched, _ := doublestar.Glob(os.DirFS(r.root), glob, doublestar.WithFilesOnly()) // the map has been checked
		for _, file := range matched {
			if !strings.HasPrefix(file, ".") && !strings.Contains(file, "/.") {
				files = append(files, file)
				byFormat[formatOf(file)] = append(byFormat[formatOf(file)], file)
			}
		}
	}
	if len(r.m.Files) == 0 {
		delete(byFormat, "")
		files = byFormat[strings.Replace(r.m.Format, "front-matter", "markdown", 1)]
		for _, format := range slices.Sorted(maps.Keys(byFormat)) {
			if r.m.Format == "" && len(byFormat[format]) > len(files) { // the most frequent
				files = byFormat[format]
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("source %s has no files that match %v: correct files in the map, or give another folder",
			r.root, globs)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// readFile reads the entries of one file.
func (r *reader) readFile(file []byte) {
	text, _, _ := transform.Bytes(utf16.BOMOverride(transform.Nop), file) // Excel writes some tables in UTF-16
	name := cmp.Or(r.m.Format, formatOf(r.file))
	if ansi, ok := fromANSI(text); ok && (name == "csv" || name == "tsv") {
		text = ansi
		r.report.tell(Noted, r.file, nil, "the file is not UTF-8, and is read as Windows-1252, in which Excel saves "+
			"tables: if letters are wrong, save it as UTF-8")
	}
	if !bytes.ContainsRune(text, '\n') { // programs for the Mac end lines with a carriage return
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	r.text, r.starts, r.last.line, r.beside = text, []int{0}, 0, nil
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			r.starts = append(r.starts, i+1)
		}
	}
	if spreadsheet.MatchString(r.file) {
		r.skip(1, 1, "this is a spreadsheet: save it as CSV")
		return
	}
	if p, bad := strictyaml.Encoding(text, 1); bad && (!utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0) {
		r.skip(p.Line, p.Column, p.Message)
		return
	}
	if name == "markdown" && r.m.Format == "" && beginsMatter.Match(text) {
		name = "front-matter"
	}
	if f, known := formats[name]; known {
		f.read(r)
	} else {
		r.skip(1, 1, "the format of the file is not known: write format into the map")
	}
}

// spreadsheet matches the names of files that are tables, but no text.
var spreadsheet = regexp.MustCompile(`(?i)\.(xlsx?|xlsm|ods|numbers)$`)

// fromANSI returns a text that is Windows-1252, and reports whether it may be: a text with letters in UTF-8 is that,
// with a mistake.
func fromANSI(text []byte) (ansi []byte, ok bool) {
	isOther := func(r rune) bool { return r == 0 || r > unicode.MaxASCII && r != utf8.RuneError }
	if bytes.ContainsFunc(text, isOther) {
		return nil, false
	}
	ansi, err := charmap.Windows1252.NewDecoder().Bytes(text)
	return ansi, err == nil && !utf8.Valid(text) && !bytes.ContainsRune(ansi, utf8.RuneError)
}

// skip tells of a part of the file that cannot be read.
func (r *reader) skip(line, column int, message string) {
	r.report.tell(Skipped, r.file, &yaml.Node{Line: line, Column: column}, "%s", message)
}

// at returns a scalar that stands at an offset of the file.
func (r *reader) at(offset int, value string) *yaml.Node {
	offset = min(max(offset, 0), len(r.text))
	line := sort.SearchInts(r.starts, offset+1)
	from, column := r.starts[line-1], 1
	if r.last.line == line && r.last.offset <= offset { // a whole file may be one line
		from, column = r.last.offset, r.last.column
	}
	r.last.offset, r.last.line, r.last.column = offset, line, column+utf8.RuneCount(r.text[from:offset])
	return yamlnode.Scalar(value, &yaml.Node{Line: line, Column: r.last.column})
}

// document adds the entries of a parsed document.
func (r *reader) document(n *yaml.Node) {
	paths := r.m.Entries
	if len(paths) == 0 {
		paths = []path{{}}
	}
	for _, p := range paths {
		found := false
		walk(n, p.steps, nil, "", func(inner *yaml.Node, around []*yaml.Node, key string) {
			for _, inner := range yamlnode.Spread(inner) { // courses stands for courses[]
				if found = true; inner.Kind == yaml.MappingNode {
					r.add(inner, around, key)
				} else {
					r.report.tell(Skipped, r.file, inner, "%q is not a group of keys with values: let entries in the "+
						"map lead to the list of the things", textOf(inner))
				}
			}
		})
		if found {
			return
		}
	}
	if len(r.m.Entries) > 0 {
		r.report.tell(Skipped, r.file, n, "there is nothing at the paths of entries, %s: correct them in the map",
			r.m.Entries)
	}
}

// add adds an entry.
func (r *reader) add(n *yaml.Node, around []*yaml.Node, key string) {
	folder, name := slashpath.Split(r.file)
	stem := strings.TrimSuffix(name, slashpath.Ext(name))
	if stem == "index" || stem == "_index" { // a page of Hugo with its own folder
		folder, stem = slashpath.Split(slashpath.Clean(folder))
	}
	extra := map[string]*yaml.Node{}
	maps.Copy(extra, r.beside)
	for k, v := range map[string]string{"file": stem, "folder": slashpath.Base(folder), "path": r.below, "key": key} {
		if v != "" {
			extra[k] = yamlnode.Scalar(v, n)
		}
	}
	number := 0
	if last := len(r.entries) - 1; last >= 0 && r.entries[last].file == r.file && r.entries[last].node.Line == n.Line {
		r.entries[last].number = max(r.entries[last].number, 1)
		number = r.entries[last].number + 1
	}
	r.entries = append(r.entries, &entry{r.report, r.file, n, extra, around, number})
}

// yaml reads one or more YAML documents.
func (r *reader) yaml(text []byte) {
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	for err == nil {
		var doc yaml.Node
		if err = loader.Load(&doc); err == nil && len(doc.Content) > 0 && doc.Content[0].ShortTag() != "!!null" {
			r.document(yamlnode.WithoutAliases(doc.Content[0]))
		}
	}
	if !errors.Is(err, io.EOF) {
		p := strictyaml.SyntaxProblem(err, text)
		r.skip(p.Line, p.Column, p.Message)
	}
}

// beginsMatter matches the beginning of front matter in YAML, TOML or JSON.
var beginsMatter = regexp.MustCompile(`\A(---|\+\+\+|\{)`)

// frontMatter reads a Markdown file with YAML, TOML or JSON at its top.
func (r *reader) frontMatter() {
	text := string(r.text)
	below := func(begin int) { // the front matter
		body := strings.TrimLeft(text[begin:], " \t\r\n")
		r.beside = map[string]*yaml.Node{"body": r.at(min(len(text)-len(body), len(text)-1), strings.TrimSpace(body))}
	}
	matter, body, ok := content.Split(r.text)
	end := strings.Index(text, "\n+++")
	switch {
	case ok:
		below(len(text) - len(body))
		r.yaml(append([]byte("\n"), matter...)) // a line for the ---, so that positions are right
	case strings.HasPrefix(text, "+++") && end > 0:
		below(end + len("\n+++"))
		r.toml(text[len("+++"):end])
	case strings.HasPrefix(text, "{"):
		decoder, end := json.NewDecoder(bytes.NewReader(r.text)), len(text)
		if decoder.Decode(&json.RawMessage{}) == nil { // otherwise the mistake is told
			end = int(decoder.InputOffset())
		}
		below(end)
		r.json(0, r.text[:end])
	default:
		r.skip(1, 1, "the file has no front matter: it must stand between lines --- or +++, or begin with {")
	}
}

// json reads the JSON values of a text that begins at an offset of the file. It tells of the first mistake, and ends
// there.
func (r *reader) json(offset int, text []byte) {
	p := &jsonReader{json.NewDecoder(bytes.NewReader(text)), r, offset, text}
	p.UseNumber()
	n, err := p.value(0)
	for ; err == nil; n, err = p.value(0) {
		r.document(n)
	}
	if !errors.Is(err, io.EOF) {
		r.report.tell(Skipped, r.file, p.place(), "this is not JSON: %v", err)
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

// jsonReader reads JSON into nodes with positions.
type jsonReader struct {
	*json.Decoder
	r    *reader
	base int // offset of the text in the file
	text []byte
}

// place returns an empty scalar at the place of the next token.
func (p *jsonReader) place() *yaml.Node {
	rest := bytes.TrimLeft(p.text[p.InputOffset():], " \t\r\n,:")
	return p.r.at(p.base+len(p.text)-len(rest), "")
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

// locate gives nodes of TOML the places of their keys, which it looks for, because the library does not tell them.
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
