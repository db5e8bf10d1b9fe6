package importer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// table reads a file of rows, of which one or two name the columns. One of separators stands between cells.
func (r *reader) table(separators string) {
	var header, names []string
	start, comma := r.header(separators)
	end, isLazy := len(r.text), false
	for base := start; base < len(r.text); {
		rows := csv.NewReader(bytes.NewReader(r.text[base:end]))
		rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, isLazy
		first := sort.SearchInts(r.starts, base) // lines before base
		row, err := rows.Read()
		for ; err == nil; row, err = rows.Read() {
			if below := joinNames(names, row); header == nil || below != nil {
				if names = row; below != nil {
					row, names = below, nil
				}
				header = columns(row)
				continue
			}
			var cells []*yaml.Node
			for i, text := range row {
				line, column := rows.FieldPos(i)
				cells = append(cells, r.at(r.starts[min(first+line, len(r.starts))-1]+column-1, text))
			}
			r.row(header, cells)
			names = nil
		}
		wrong, ok := errors.AsType[*csv.ParseError](err)
		if !ok { // the end of the text, or of one line
			base, end, isLazy = end, len(r.text), false
			continue
		}
		base = r.starts[min(first+wrong.StartLine, len(r.starts))-1]
		line, _, _ := strings.Cut(string(r.text[base:]), "\n")
		end = min(base+len(line)+1, len(r.text))
		open := strings.LastIndex(line, string(comma)+`"`) // perhaps of a cell of several lines
		isLazy = wrong.Err == csv.ErrBareQuote && wrong.Line == wrong.StartLine &&
			(open < 0 || strings.Contains(line[open+2:], `"`))
		if isLazy { // 12" in a cell is inches
			continue
		}
		r.skip(first+wrong.Line, wrong.Column, fmt.Sprintf("the row cannot be read, because a quotation mark is "+
			"missing or too many: put a cell with quotation marks in quotation marks, and double those in it; the "+
			"row is %q", strings.TrimSpace(line)))
		if base, end = end, len(r.text); header == nil { // without the names of the columns, rows mean nothing
			return
		}
	}
}

// header returns the offset of the line that names the columns, and what separates cells: what makes the most rows as
// long as that line, and else the longest ones.
func (r *reader) header(separators string) (offset int, separator rune) {
	given := r.starts[min(max(r.m.Header, 1), len(r.starts))-1]
	line, most, longest := 0, -1, 0
	for _, c := range separators {
		if at, rows, cells := headerLine(r.text[given:], c); rows > most || rows == most && cells > longest {
			line, most, longest, separator = at, rows, cells, c
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
// the first rows, how many of these have as many cells, if it has several, and how many it has.
func headerLine(text []byte, comma rune) (line, rows, length int) {
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
		return 1, 0, 0
	}
	for _, n := range cells {
		if n == cells[at] && n > 1 {
			rows++
		}
	}
	return lines[at], rows, cells[at]
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
		r.report.tell(LeftOut, r.file, cells[most], "%q: the row has %d cells, but the table has %d columns: put "+
			"cells with a separator in quotation marks, or name all columns", texts[most:], len(cells), most)
	}
	r.add(n, nil, "")
}

// columns returns the names of columns. A column without a name, or with one that is taken, gets a number.
func columns(row []string) (names []string) {
	taken := map[string]int{} // how many columns have the name
	for i, cell := range row {
		cell = cmp.Or(strings.Join(strings.Fields(cell), " "), fmt.Sprintf("column %d", i+1))
		name := cell
		for taken[name] > 0 {
			taken[cell]++
			name = fmt.Sprintf("%s %d", cell, taken[cell])
		}
		taken[name]++
		names = append(names, name)
	}
	return names
}

// joinNames returns the names of columns that stand in two rows, where a cell of the first one reaches over several
// columns: Size width below Size. It returns nil if the second row has something else.
func joinNames(above, below []string) (names []string) {
	if len(above) != len(below) || below[0] != "" || above[0] == "" {
		return nil
	}
	over, reaches := "", false
	for i, name := range below {
		over = cmp.Or(above[i], over)
		switch {
		case name == "":
			name = above[i]
		case isNumeral(name):
			return nil
		default:
			reaches = reaches || above[i] == ""
			name = over + " " + name
		}
		if names = append(names, name); i == len(below)-1 && !reaches {
			return nil
		}
	}
	return names
}

var (
	// sumText matches what tables call a row with sums, means and the like of their columns.
	sumText = regexp.MustCompile(`^\s*(?i:(?:grand |sub)?tota(?:l|le|al)s?|sums?|(?:gesamt)?summe|(?:ins)?gesamt|somme|` +
		`suma|somma|means?|averages?|avg|median|minimum|maximum|sd|std\.? ?dev\.?|standard deviation|mittel(?:wert)?|` +
		`durchschnitt|moyenne|media|promedio|gemiddelde|média)\s*:?\s*$`)
	// remarkText matches the beginning of a remark about the whole table.
	remarkText = regexp.MustCompile(`^\s*(?:(?i:sources?|notes?|remarks?|quellen?|anmerkung(?:en)?|hinweise?|fuentes?|` +
		`notas?|font[ei]|bron(?:nen)?|remarques?)\s*:|\*|\[[0-9]+\]\s)`)
)

// about returns the column and the text of the first filled cell if the row is none of the things: that cell names a
// sum or a mean, and the others are empty or numbers, but for a few, or it is a remark, and they are empty. It returns
// "" if the row is one of them.
func (e *entry) about() (column, text string) {
	numbers, texts := 0, 0
	for key, value := range yamlnode.Pairs(e.node) {
		cell := textOf(value)
		switch {
		case strings.TrimSpace(cell) == "":
		case column == "":
			column, text = quotedStep(key.Value), cell
		case isNumeral(cell):
			numbers++
		default:
			texts++
		}
	}
	columns := len(e.node.Content) / 2
	isSum := sumText.MatchString(text) && numbers > 0 && 4*texts <= columns
	if !isSum && !(remarkText.MatchString(text) && numbers+texts == 0 && columns > 1) {
		return "", ""
	}
	return column, text
}

// skipLast makes the map skip the last entries if they are sums or remarks, and returns the others.
func (g *guesser) skipLast(entries []*entry) []*entry {
	for len(entries) > 1 {
		column, text := entries[len(entries)-1].about()
		if column == "" {
			break
		}
		entries = entries[:len(entries)-1]
		g.skip = append(g.skip, yamlnode.Mapping(nil, "from", column, "is", text))
		g.because("skip: the last row, %q, is about the table", text)
	}
	return entries
}

// tellLast tells of the last listings if they are probably sums or remarks.
func tellLast(listings []*listing) {
	for _, l := range slices.Backward(listings) {
		column, text := l.about()
		if column == "" {
			return
		}
		l.tell(Noted, l.node, "the last row, %q, seems to be about the table, and becomes a listing: to leave it "+
			"out, write skip: [{from: %q, is: %[1]q}] into the map", text, column)
	}
}
