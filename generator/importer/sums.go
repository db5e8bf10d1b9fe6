package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/generator/yamlnode"
)

// sumText matches what tables call a row with the sums of their columns.
var sumText = regexp.MustCompile(`^\s*(?i:(?:grand )?totals?|sum|(?:gesamt)?summe|(?:ins)?gesamt)\s*:?\s*$`)

// sum returns the column and the text of the first filled cell if that names a sum, and the others are empty or
// numbers, but for a few; "" if not.
func (e *entry) sum() (column, text string) {
	cells, numbers, texts := 0, 0, 0
	for key, value := range yamlnode.Pairs(e.node) {
		cell := textOf(value)
		_, wrong := readNumber(cell)
		switch cells++; {
		case strings.TrimSpace(cell) == "":
		case column != "" && wrong == "":
			numbers++
		case column != "":
			texts++
		case !sumText.MatchString(cell):
			return "", ""
		default:
			column, text = quotedStep(key.Value), cell
		}
	}
	if numbers == 0 || 4*texts > cells {
		return "", ""
	}
	return column, text
}

// skipSums makes the map skip the last entries if they are sums, and returns the others.
func (g *guesser) skipSums(entries []*entry) []*entry {
	for len(entries) > 1 {
		column, text := entries[len(entries)-1].sum()
		if column == "" {
			break
		}
		entries = entries[:len(entries)-1]
		g.skip = append(g.skip, yamlnode.Mapping(nil, "from", column, "is", text))
		g.reasons = append(g.reasons, fmt.Sprintf("skip: the last row, %q, is the sum of the others", text))
	}
	return entries
}

// tellSums tells of the last listings if they are probably sums.
func tellSums(listings []*listing) {
	for _, l := range slices.Backward(listings) {
		column, text := l.sum()
		if column == "" {
			return
		}
		l.tell(Noted, l.node, "the last row, %q, looks like the sum of the others, and becomes a listing: to leave it "+
			"out, write skip: [{from: %q, is: %[1]q}] into the map", text, column)
	}
}
