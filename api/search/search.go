// Package search is the catalogue's search engine. Encode turns a Catalog (settings, taxonomy and
// listings) into the bytes of an index. Open turns these bytes into an Index, which lists, fetches
// and searches: it takes requests parsed by package api and returns JSON. The package uses neither
// HTTP nor files, and compiles to a small WebAssembly program for browsers (cmd/wasm).
//
// Three packages do the work:
//
//	token  splits texts into the words that are compared
//	index  writes, opens and reads the index file
//	query  answers queries with JSON
//
// # Alternatives
//
//   - Bleve, or another library: it ranks by BM25 over fields, so tiers, whole names and
//     hints would be workarounds. Its file is smaller, but it is many times slower when it
//     counts facets (make bench-search).
//   - SQLite FTS5: the same drawbacks, and each facet needs its own query. Without cgo, it
//     needs a translated C library.
//   - An inverted index that is decoded when it is opened (format 1): the time until the
//     first answer grows with the catalogue.
//   - Scoring every match (document at a time, WAND): total and facets need every match
//     anyway, and sets are cheaper for that. Only the first page needs grades.
//   - Compressed postings (varints, Roaring): most of the file is JSON, so little would be
//     gained. Arrays and bit maps can be intersected directly.
//   - An index of deletions, or an automaton, for misspelt words: the first is several times
//     as large as the dictionary; for two edits, the second is slower than comparing the
//     letters of words of similar length.
//   - Mapping the index file itself, or a hard link to it: if the file were truncated in
//     place, the process would die (SIGBUS).
//   - Embeddings: better for paraphrases, but a model takes up tens of megabytes and needs
//     milliseconds per query, and nobody can explain its order to an editor. Editors write
//     asks and synonyms in content/ instead.
//   - A table of near words from word vectors (GloVe), as weak evidence beside asks: every
//     weight and threshold that was tried gave slightly worse results for the judged queries,
//     because near words share a subject but not a meaning ("oven" is near "cake").
package search

import (
	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/query"
	"catalog.example/api/site"
)

// Index answers requests for lists, single projects and searches. It is immutable and safe for
// concurrent use.
type Index = query.Engine

// Open checks all bytes of an index file and returns its Index. The bytes must not change while
// Index.Index is reachable; no answer shares memory with them. Whatever the bytes, neither Open nor
// the Index panics. Errors wrap ErrUnusable.
func Open(file []byte) (*Index, error) { return engineOf(index.Open(file)) }

// OpenCompact is Open for the bytes of a compact index. The Index answers searches; its lists and
// single projects contain only the fields of hits.
func OpenCompact(file []byte) (*Index, error) { return engineOf(index.OpenCompact(file)) }

func engineOf(ix *index.Index, err error) (*Index, error) {
	if err != nil {
		return nil, err
	}
	return query.New(ix), nil
}

// Types of packages index and query that callers need.
type (
	Catalog      = index.Catalog
	Builder      = index.Builder
	Answer       = query.Answer
	Quote        = query.Quote
	Explanation  = query.Explanation
	ExplainedHit = query.ExplainedHit
	WordEvidence = query.WordEvidence
)

// Constants of package index.
const (
	FormatVersion = index.FormatVersion
	FileName      = index.FileName
	HeadSize      = index.HeadSize
)

// ErrUnusable is index.ErrUnusable.
var ErrUnusable = index.ErrUnusable

// CheckHead is index.CheckHead.
func CheckHead(head []byte, size int64) error { return index.CheckHead(head, size) }

// Encode is index.Encode.
func Encode(c Catalog) ([]byte, error) { return index.Encode(c) }

// BuilderOf is index.BuilderOf.
func BuilderOf(c Catalog) (*Builder, error) { return index.BuilderOf(c) }

// NewBuilder is index.NewBuilder.
func NewBuilder(s site.Settings, t api.Taxonomy) *Builder { return index.NewBuilder(s, t) }
