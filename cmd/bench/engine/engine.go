// Package engine searches the listings with SQLite FTS5 and with Bleve.
//
// An engine from [Open] works in memory and returns only the order of the results. [Speed] returns
// complete results from an index on disk, and measures how long that takes. The folder also
// contains the Node.js programs that search with MiniSearch and Pagefind.
package engine

import (
	"fmt"
	"strings"

	"catalog.example/cmd/bench/peer"
)

// Engine answers queries.
type Engine interface {
	// Search returns the slugs of at most limit listings, best first. Listings with the same score
	// keep the order of the documents.
	Search(query string, settings map[string]float64, limit int) (slugs []string, err error)
	Close() error
}

// Open creates the engine with the given name, fts5 or bleve, and fills it with documents.
func Open(name string, documents []peer.Document) (Engine, error) {
	switch name {
	case "fts5":
		return openFTS5(documents)
	case "bleve":
		return openBleve(documents)
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// stopWords returns the set of English stop words.
func stopWords() map[string]bool {
	set := map[string]bool{}
	for _, w := range peer.StopWords() {
		set[w] = true
	}
	return set
}

// wordsOf splits a query at spaces. It leaves out stop words, unless there are no other words.
// stopWords may be nil to keep all words.
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
