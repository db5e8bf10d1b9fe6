// Command peers is SQLite FTS5 or Bleve, to be asked by benchrelevance: it
// reads the listings and then requests from its standard input, a line of JSON
// each, and answers each with a line. The file peer.go of benchrelevance
// describes the protocol.
//
//	peers fts5
//	peers bleve
//	peers speed fts5|bleve <folder>    for benchsearch: speed.go has its protocol
//
// It is a module of its own because of what these two need: the catalog's
// module would fetch and vet some forty modules more for one measurement.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// greeting, request and reply are the lines of the protocol.
type greeting struct {
	Documents []document `json:"documents"`
	StopWords []string   `json:"stopWords"`
}

func (g *greeting) stopWordSet() map[string]bool {
	set := map[string]bool{}
	for _, w := range g.StopWords {
		set[w] = true
	}
	return set
}

type request struct {
	Settings map[string]float64 `json:"settings"`
	Queries  []string           `json:"queries"`
	Limit    int                `json:"limit"`
}

type reply struct {
	Hits  [][]string `json:"hits"`
	Error string     `json:"error"`
}

// document is a listing.
type document struct {
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	Replaces    []string `json:"replaces"`
	Purpose     string   `json:"purpose"`
	Jobs        []string `json:"jobs"`
	Category    []string `json:"category"`
	Topics      []string `json:"topics"`
	Description string   `json:"description"`
}

// fields are the texts that are searched; the setting of the same name is the
// weight of each.
var fields = []string{"name", "aliases", "replaces", "purpose", "jobs", "category", "topics", "description"}

// texts returns the texts of the document in the order of fields.
func (d *document) texts() [][]string {
	return [][]string{{d.Name}, d.Aliases, d.Replaces, {d.Purpose}, d.Jobs, d.Category, d.Topics, {d.Description}}
}

// engine answers queries. Documents are most popular first, and ties go to the
// earlier one.
type engine interface {
	search(query string, settings map[string]float64, limit int) (slugs []string, err error)
	close() error
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(arguments []string, in io.Reader, out io.Writer) error {
	if len(arguments) == 3 && arguments[0] == "speed" {
		return runSpeed(arguments[1], arguments[2], in, out)
	}
	if len(arguments) != 1 {
		return errors.New("usage: peers fts5|bleve, or peers speed fts5|bleve <folder>")
	}
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var g greeting
	if err := lines.Decode(&g); err != nil {
		return fmt.Errorf("reading the listings: %w", err)
	}
	e, err := open(arguments[0], g)
	if err != nil {
		return err
	}
	defer e.close()
	if err := answers.Encode(reply{}); err != nil {
		return err
	}
	for {
		var r request
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(answer(e, r)); err != nil {
			return err
		}
	}
}

func open(name string, g greeting) (engine, error) {
	switch name {
	case "fts5":
		return openFTS5(g)
	case "bleve":
		return openBleve(g)
	}
	return nil, fmt.Errorf("no engine is called %q", name)
}

func answer(e engine, r request) reply {
	a := reply{Hits: make([][]string, len(r.Queries))}
	for i, q := range r.Queries {
		slugs, err := e.search(q, r.Settings, r.Limit)
		if err != nil {
			return reply{Error: fmt.Sprintf("%q: %v", q, err)}
		}
		a.Hits[i] = slugs
	}
	return a
}

// wordsOf splits a query at spaces, without stop words unless there are no
// others. stopWords may be nil.
func wordsOf(query string, stopWords map[string]bool) []string {
	all := strings.Fields(query)
	var words []string
	for _, w := range all {
		if !stopWords[strings.TrimRight(strings.ToLower(w), "?!.,;:")] {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return all
	}
	return words
}
