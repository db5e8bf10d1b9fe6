package importer

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"go.yaml.in/yaml/v4"
)

// Kind says what happened to a part of the source.
type Kind int

// The kinds, the most serious first.
const (
	Skipped  Kind = iota // an entry or a file did not become a listing
	LeftOut              // a value did not become part of a listing
	Kept                 // an edited value stays, although the source has changed, too
	Changed              // a value was changed to fit
	Assigned             // the import added something to the catalogue
)

// kindNames describe Kinds.
var kindNames = []string{"skipped", "left out", "kept", "changed", "added"}

// String implements fmt.Stringer.
func (k Kind) String() string { return kindNames[k] }

// Note tells what happened to a part of the source.
type Note struct {
	Kind         Kind
	File         string
	Line, Column int    // from 1
	Group        string // notes with the same group are of the same kind
	Message      string
}

// String returns the note as file:line:column: message.
func (n Note) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", n.File, n.Line, n.Column, n.Kind, n.Message)
}

// Report collects notes.
type Report struct{ Notes []Note }

// tell adds a note about a value of a file. A nil value stands for the whole file.
func (r *Report) tell(kind Kind, file string, n *yaml.Node, group, format string, args ...any) {
	line, column := 1, 1
	if n != nil {
		line, column = max(n.Line, 1), max(n.Column, 1)
	}
	r.Notes = append(r.Notes, Note{kind, file, line, column, group, fmt.Sprintf(format, args...)})
}

// Count returns the number of notes of a kind.
func (r *Report) Count(kind Kind) (n int) {
	for _, note := range r.Notes {
		if note.Kind == kind {
			n++
		}
	}
	return n
}

// maxOfGroup is the number of notes of a group that Lines returns.
const maxOfGroup = 3

// Lines returns the notes, a line each, the most serious first, and those of a group together. Unless all is
// true, it returns only the first notes of each group, shortened, and says how many more there are.
func (r *Report) Lines(all bool) (lines []string) {
	var order []string
	groups := map[string][]Note{}
	for _, n := range r.Notes {
		key := fmt.Sprint(n.Kind, " ", n.Group)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], n)
	}
	slices.SortStableFunc(order, func(a, b string) int { return int(groups[a][0].Kind - groups[b][0].Kind) })
	for _, key := range order {
		for i, n := range groups[key] {
			line := strings.ReplaceAll(n.String(), "\n", " ")
			if !all {
				line = api.Shorten(line, 300)
			}
			if more := len(groups[key]) - i; i == maxOfGroup && more > 1 && !all {
				lines = append(lines, fmt.Sprintf("… and %d more like this", more))
				break
			}
			lines = append(lines, line)
		}
	}
	return lines
}
