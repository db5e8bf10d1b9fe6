// Package search is the catalog's index: it is written by a build into one
// file, opened by the server and the command line, and answers queries ranked
// as the contract's section 4 asks.
//
// In goes a Catalog (settings, taxonomy, listings); out comes a file, and from
// the file an Index that lists, fetches and searches. The package knows no
// HTTP and no file but its own.
//
//	format.go   the file: sections, checksums, reading and writing
//	fold.go     how text becomes words
//	vocab.go    words that ask for facts, or for nothing
//	license.go  which licences alone suffice
//	index.go    what is kept in memory, sorts and filters
//	query.go    from free text to words, phrases and hints
//	rank.go     from words to ordered matches
package search

import "catalog.example/api"

// Catalog is everything that an index holds.
type Catalog struct {
	Settings api.Settings
	Taxonomy api.Taxonomy
	// Projects may come in any order; the index keeps its own.
	Projects []api.ProjectDetail
}
