package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
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
	"strings"
	"unicode/utf8"

	"catalog.example/generator/content"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// formats has the ways in which files are read, by their names, with the endings of the files, separated by spaces.
// Markdown files that begin with front matter are read as front-matter.
var formats = map[string]struct {
	endings string
	read    func(r *reader)
}{
	"csv":          {".csv", func(r *reader) { r.table(0) }},
	"front-matter": {"", (*reader).frontMatter},
	"json":         {".json", func(r *reader) { r.json(0, r.text) }},
	"jsonl":        {".jsonl .ndjson", (*reader).jsonLines},
	"markdown":     {".md .markdown", (*reader).markdown},
	"tsv":          {".tsv .tab", func(r *reader) { r.table('\t') }},
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
	starts      []int                 // offset of each line
	last        place                 // for which at was called last
	beside      map[string]*yaml.Node // what is known besides entries that follow
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
	var files []string
	counts := map[string]int{} // of files by format
	for _, glob := range globs {
		matched, err := doublestar.Glob(os.DirFS(r.root), glob, doublestar.WithFilesOnly())
		if err != nil {
			return nil, fmt.Errorf("map: files: %q: %w", glob, err)
		}
		for _, file := range matched {
			if !strings.HasPrefix(file, ".") && !strings.Contains(file, "/.") {
				files = append(files, file)
				counts[formatOf(file)]++
			}
		}
	}
	if delete(counts, ""); len(r.m.Files) == 0 {
		wanted := strings.Replace(r.m.Format, "front-matter", "markdown", 1)
		for _, format := range slices.Sorted(maps.Keys(counts)) {
			if r.m.Format == "" && counts[format] > counts[wanted] { // the most frequent
				wanted = format
			}
		}
		files = slices.DeleteFunc(files, func(file string) bool { return wanted == "" || formatOf(file) != wanted })
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
	text, _, _ := transform.Bytes(unicode.BOMOverride(transform.Nop), file) // Excel writes some tables in UTF-16
	r.text, r.starts, r.last, r.beside = text, []int{0}, place{}, nil
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			r.starts = append(r.starts, i+1)
		}
	}
	if p, bad := strictyaml.Encoding(text, 1); bad && (!utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0) {
		r.skip(p.Line, p.Column, p.Message)
		return
	}
	name := cmp.Or(r.m.Format, formatOf(r.file))
	if name == "markdown" && r.m.Format == "" && beginsMatter.Match(text) {
		name = "front-matter"
	}
	if f, known := formats[name]; known {
		f.read(r)
	} else {
		r.skip(1, 1, "the format of the file is not known: write format into the map")
	}
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
	r.last = place{offset, line, column + utf8.RuneCount(r.text[from:offset])}
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
					r.report.tell(Skipped, r.file, inner, "%q is not a group of keys with values", textOf(inner))
				}
			}
		})
		if found {
			return
		}
	}
	if len(r.m.Entries) > 0 {
		r.report.tell(Skipped, r.file, n, "there is nothing at the paths of entries: %s", r.m.Entries)
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
	r.entries = append(r.entries, &entry{r.report, r.file, n, extra, around})
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
		for n, end := range r.jsonValues(0, r.text) {
			below(end)
			r.document(n)
			break
		}
	default:
		r.skip(1, 1, "the file has no front matter: it must stand between lines --- or +++, or begin with {")
	}
}

// table reads a file of rows, of which one names the columns. comma separates cells; 0 to find that.
func (r *reader) table(comma rune) {
	var header []string
	start, comma := r.header(comma)
	for base := start; base < len(r.text); {
		rows := csv.NewReader(bytes.NewReader(r.text[base:]))
		rows.Comma, rows.FieldsPerRecord = comma, -1
		first := sort.SearchInts(r.starts, base) // lines before base
		row, err := rows.Read()
		for ; err == nil; row, err = rows.Read() {
			if header == nil {
				header = columns(row)
				continue
			}
			var cells []*yaml.Node
			for i, text := range row {
				line, column := rows.FieldPos(i)
				cells = append(cells, r.at(r.starts[min(first+line, len(r.starts))-1]+column-1, text))
			}
			r.row(header, cells)
		}
		wrong, ok := errors.AsType[*csv.ParseError](err)
		if !ok { // the end
			return
		}
		next := first + wrong.StartLine // the line after the one on which the row begins
		line, _, _ := strings.Cut(string(r.text[r.starts[min(next, len(r.starts))-1]:]), "\n")
		r.skip(first+wrong.Line, wrong.Column, fmt.Sprintf(
			"the row cannot be read: %v: put a cell with quotation marks in quotation marks, and double those in it; "+
				"the row is %q", wrong.Err, strings.TrimSpace(line)))
		if header == nil || next >= len(r.starts) { // without the names of the columns, rows mean nothing
			return
		}
		base = r.starts[next]
	}
}

// header returns the offset of the line that names the columns, and what separates cells: what makes the most rows as
// long as that line, or else what is most frequent in the first line.
func (r *reader) header(comma rune) (offset int, separator rune) {
	given := r.starts[min(max(r.m.Header, 1), len(r.starts))-1]
	separators := []rune{comma}
	if comma == 0 {
		separators = separatorsIn(r.text[given:])
	}
	line, most := 0, -1
	for _, c := range separators {
		if at, rows := headerLine(r.text[given:], c); rows > most {
			line, most, separator = at, rows, c
		}
	}
	if r.m.Header > 0 {
		return given, separator
	}
	offset = r.starts[line-1]
	if above := bytes.Trim(r.text[:offset], "\"\t\r\n ,;|"); len(above) > 0 {
		r.report.tell(Noted, r.file, &yaml.Node{Line: line}, "line %d is taken for the names of the columns, "+
			"because most cells above it are empty: if another line has them, write header: and its number into "+
			"the map", line)
	}
	return offset, separator
}

// headerLine returns the line of the first row in which at least half as many cells are filled as in the fullest of
// the first rows, and how many of these have as many cells, if it has several.
func headerLine(text []byte, comma rune) (line, rows int) {
	table := csv.NewReader(bytes.NewReader(text))
	table.Comma, table.FieldsPerRecord, table.LazyQuotes = comma, -1, true
	var lines, cells, filled []int
	for row, err := table.Read(); err == nil && len(lines) < 20; row, err = table.Read() {
		line, _ := table.FieldPos(0)
		lines, cells = append(lines, line), append(cells, len(row))
		filled = append(filled, len(slices.DeleteFunc(row, func(s string) bool { return strings.TrimSpace(s) == "" })))
	}
	at := slices.IndexFunc(filled, func(n int) bool { return 2*n >= slices.Max(filled) })
	if at < 0 {
		return 1, 0
	}
	for _, n := range cells {
		if n == cells[at] && n > 1 {
			rows++
		}
	}
	return lines[at], rows
}

// row adds a row of a table as an entry, unless all its cells are empty.
func (r *reader) row(header []string, cells []*yaml.Node) {
	n := yamlnode.Mapping(cells[0])
	var texts []string
	for i, c := range cells {
		if texts = append(texts, textOf(c)); i < len(header) {
			yamlnode.Add(n, header[i], c)
		}
	}
	if strings.TrimSpace(strings.Join(texts, "")) == "" {
		return
	}
	if most := len(header); most < len(cells) {
		r.report.tell(LeftOut, r.file, cells[most], "%q: the row has %d cells, but the table has %d columns",
			texts[most:], len(cells), most)
	}
	r.add(n, nil, "")
}

// columns returns the names of columns. A column without a name, or with one that is taken, gets a number.
func columns(row []string) (names []string) {
	taken, numbers := map[string]bool{}, map[string]int{}
	for i, cell := range row {
		cell = strings.Join(strings.Fields(cell), " ")
		name := cmp.Or(cell, fmt.Sprintf("column %d", i+1))
		for taken[name] {
			numbers[cell]++
			name = fmt.Sprintf("%s %d", cell, numbers[cell]+1)
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

var quotedCell = regexp.MustCompile(`"[^"]*"`)

// separatorsIn returns what may separate the cells of a CSV file, the most frequent in its first line first.
func separatorsIn(text []byte) []rune {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	line = quotedCell.ReplaceAll(line, nil)
	count := func(comma rune) int { return bytes.Count(line, []byte(string(comma))) }
	list := []rune(",;\t|")
	slices.SortStableFunc(list, func(a, b rune) int { return count(b) - count(a) })
	return list
}
