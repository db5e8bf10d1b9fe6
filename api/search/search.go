// Package search is the catalog's search engine. In go settings, taxonomy and listings
// (a Catalog); out come the bytes of an index. From these bytes it makes an Index, which
// lists, fetches and searches: in go requests that package api has understood, out come
// answers as JSON, ranked as section 4 of the contract asks. It knows no HTTP and no
// files, and compiles to a small program for browsers (cmd/wasm).
//
// How an index lies in its bytes; each file writes and reads its part:
//
//	build.go       from listings to sections (reader.go: one listing)
//	format.go      sections and checksums
//	codec.go       settings, taxonomy, tables
//	index.go       the opened sections
//	documents.go   the JSON of each listing, and the parts that hits repeat
//	dictionary.go  sorted texts with numbers: words, stems, slugs
//	stems.go       words that share a stem
//	spelling.go    words like a misspelt one
//	postings.go    which listings have a word, by place
//	texts.go       the words of each listing
//	products.go    names of replaced products
//	facts.go       what filters, facets and hints ask of a listing
//	order.go       the orders of lists
//
// How a query is answered, in this order:
//
//	answer.go      from a query to the JSON of its answer
//	fold.go        how text becomes words
//	query.go       from free text to words and hints (vocab.go, synonyms.go)
//	covers.go      from words to what answers them in the index
//	look.go        from these to the listings that have each word
//	partial.go     listings that have all words, or some
//	rank.go        tiers, grades, and the best of many listings
//	match.go       one text compared with the query
//	facets.go      filters and counts
//	set.go         sets of listings as bits
//	work.go        the memory of one query, used again for the next
package search
