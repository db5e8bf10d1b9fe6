package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"go.yaml.in/yaml/v4"
)

// Kind says what happened to a part of the source.
type Kind int

// The kinds, the most serious first.
const (
	Skipped Kind = iota // an entry or a file could not become a listing
	LeftOut             // a value did not become part of a listing
	Kept                // an edited value stays, although the source has changed, too
	Changed             // a value was changed to fit
	Ignored             // the map skips an entry, or it repeats another one
	Noted               // how the import reads a part of the source or of the map
	Added               // the import added something to the taxonomy
	NotUsed             // the map does not read a part of the source, or no part of the source is what the map names
	Edited              // an edited value stays, and the source says what it said before
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	return [...]string{"skipped", "left out", "kept", "changed", "ignored", "note", "added", "not used", "edited"}[k]
}

// note tells what happened to a part of the source.
type note struct {
	kind         Kind
	file         string
	line, column int // from 1
	entry        int // its number in the line; 0 if there is only one
	message      string
}

var (
	// quoted matches what a note quotes.
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// varying matches the parts in which notes about the same kind of mistake differ.
	varying = regexp.MustCompile(quoted.String() + `|[0-9]+`)
)

// Report collects notes.
type Report struct {
	notes    []note
	repeated []*repeated
}

// repeated is what happens to many values, and is told once, at the first of them.
type repeated struct {
	key   string
	count int
	tell  func(times string) // in place of {n}
}

// tell adds a note about a value of a file. A nil value stands for the whole file.
func (r *Report) tell(kind Kind, file string, n *yaml.Node, format string, args ...any) {
	line, column := 1, 1
	if n != nil {
		line, column = max(n.Line, 1), max(n.Column, 1)
	}
	r.notes = append(r.notes, note{kind, file, line, column, 0, fmt.Sprintf(format, args...)})
}

// tellOnce tells of what happens to many values, at the first of those with a key. {n} in format stands for the
// number of all.
func (e *entry) tellOnce(key string, kind Kind, n *yaml.Node, format string, args ...any) {
	i := slices.IndexFunc(e.report.repeated, func(x *repeated) bool { return x.key == key })
	if i < 0 {
		i, e.report.repeated = len(e.report.repeated), append(e.report.repeated, &repeated{key: key,
			tell: func(times string) { e.tell(kind, n, strings.Replace(format, "{n}", times, 1), args...) }})
	}
	e.report.repeated[i].count++
}

// tellRepeated tells what happened to many values.
func (r *Report) tellRepeated() {
	for _, x := range r.repeated {
		x.tell(strconv.Itoa(x.count))
	}
}

// Count returns the number of notes of a kind.
func (r *Report) Count(kind Kind) (n int) {
	for _, note := range r.notes {
		if note.kind == kind {
			n++
		}
	}
	return n
}

// maxOfGroup is the number of notes of a group that Lines returns.
const maxOfGroup = 3

// Lines returns the notes, a line each, the most serious first, and those about the same kind of mistake together.
// Unless all is true, it returns only the most frequent notes of each group, shortened, and what the others are about;
// it leaves out edits that stay.
func (r *Report) Lines(all bool) (lines []string) {
	var order []string
	groups := map[string][]note{}
	for _, n := range r.notes {
		if n.kind == Edited && !all {
			continue
		}
		group := n.kind.String() + varying.ReplaceAllString(n.message, "")
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], n)
	}
	slices.SortStableFunc(order, func(a, b string) int { return int(groups[a][0].kind - groups[b][0].kind) })
	for _, group := range order {
		if all {
			for _, n := range groups[group] {
				lines = append(lines, n.String())
			}
		} else {
			lines = append(lines, frequent(groups[group])...)
		}
	}
	return lines
}

// String returns the note as file:line:column: kind: message. JSON on one line has the number of the entry, too.
func (n note) String() string {
	place := fmt.Sprintf("%s:%d:%d", n.file, n.line, n.column)
	if n.entry > 0 {
		place += fmt.Sprintf(" (entry %d)", n.entry)
	}
	return strings.ReplaceAll(fmt.Sprintf("%s: %s: %s", place, n.kind, n.message), "\n", " ")
}

// frequent returns the most frequent notes of a group, with their number, and what the others are about.
func frequent(notes []note) (lines []string) {
	counts := map[string]int{}
	var different []note
	for _, n := range notes {
		if counts[n.message]++; counts[n.message] == 1 {
			different = append(different, n)
		}
	}
	slices.SortStableFunc(different, func(a, b note) int { return counts[b.message] - counts[a.message] })
	times := func(n note) string {
		if counts[n.message] == 1 {
			return ""
		}
		return fmt.Sprintf(" (%d times)", counts[n.message])
	}
	first := different
	if len(first) > maxOfGroup+1 {
		first = first[:maxOfGroup]
	}
	for _, n := range first {
		lines = append(lines, api.Shorten(n.String(), 300)+times(n))
	}
	var others []string
	for _, n := range different[len(first):] {
		others = append(others, quoted.FindString(n.message)+times(n))
	}
	if len(others) > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more like this: %s", len(others),
			api.Shorten(strings.Join(others, ", "), 300)))
	}
	return lines
}
