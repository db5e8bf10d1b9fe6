// Package search is the catalog's index: it is written by a build into one
// file, opened by the server and the command line, and answers queries ranked
// as the contract's section 4 asks.
//
// In goes a Catalog (settings, taxonomy, listings); out comes a file, and from
// the file an Index that lists, fetches and searches. The package knows no
// HTTP and no file but its own.
//
//	build.go       from listings to the sections of a file
//	format.go      the file: sections, checksums
//	open.go        reading a file, or mapping a private copy of a large one (map_*.go)
//	index.go       the opened sections
//	dictionary.go  sorted texts with numbers: words, stems, slugs
//	postings.go    which listings have a word, by place
//	texts.go       the words of each listing
//	documents.go   the JSON of each listing, and the parts that hits repeat
//	facts.go       what filters, facets and hints ask of a listing
//	set.go         sets of listings as bits
//
//	fold.go        how text becomes words
//	vocab.go       words that ask for facts, or for nothing
//	query.go       from free text to words and hints
//	covers.go      from words to what answers them in the index
//	spelling.go    words like a misspelt one
//	rank.go        from these to tiers, grades and partial matches
//	facets.go      filters and counts
//	order.go       the other orders
//	answer.go      from a query to the JSON of its answer (json.go)
//	work.go        the memory of one query, used again for the next
package search
