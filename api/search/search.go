// Package search is the catalogue's search engine. Encode turns settings, taxonomy and
// listings (a Catalog) into the bytes of an index. Open turns these bytes into an Index,
// which lists, fetches and searches: it takes requests parsed by package api and returns
// JSON. It uses no HTTP and no files, and compiles to a small WebAssembly program for browsers
// (cmd/wasm).
//
// The work is done by three packages:
//
//	token  from texts to the words that are compared
//	index  the file: writing it, opening it, what it has
//	query  from a query to the JSON of its answer
//
// # Alternatives
//
//   - Bleve, or another library: it ranks by BM25 over fields, so that tiers, whole names
//     and hints would be workarounds. Its file is smaller. It is many times slower when
//     facets are counted (make bench-search).
//   - SQLite FTS5: the same, and each facet needs a query. Without cgo it needs a translated
//     C library.
//   - An inverted index that is decoded on opening (format 1): the time until the first
//     answer grows with the catalogue.
//   - Scoring every match (document at a time, WAND): total and facets need every match
//     anyway, and sets are cheaper for that. Only the first page needs grades.
//   - Compressed postings (varints, Roaring): most of the file is JSON, so that little is
//     gained. Arrays and bit maps can be intersected directly.
//   - An index of deletions, or an automaton, for misspelt words: the first is several times
//     as large as the dictionary; the second is slower for two edits than comparing the
//     letters of words of similar length.
//   - Mapping the index file itself, or a hard link to it: truncating it in place would end
//     the process (SIGBUS).
//   - Embeddings: better for paraphrases, but a model has tens of megabytes and takes
//     milliseconds a query, and nobody can explain its order to an editor. Editors have
//     asks and synonyms in content/ instead.
//   - A table of near words from word vectors (GloVe), as weak evidence beside asks: every
//     weight and threshold that was tried made the judged queries a little worse, because
//     near words are of the same subject and not of the same sense ("oven" is near "cake").
package search

import (
	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/query"
	"catalog.example/api/site"
)

// Index answers lists, single projects and queries. It is immutable and safe for concurrent
// use.
type Index = query.Engine

// Open checks all bytes of an index file and returns its Index. The bytes must not change
// while Index.Index is reachable; no answer shares memory with them. For any bytes, neither
// Open nor the Index panics. Errors wrap ErrUnusable.
func Open(file []byte) (*Index, error) { return engineOf(index.Open(file)) }

// OpenCompact is Open for the bytes of a compact index. The Index answers searches; its lists
// and single projects have only what hits have.
func OpenCompact(file []byte) (*Index, error) { return engineOf(index.OpenCompact(file)) }

func engineOf(ix *index.Index, err error) (*Index, error) {
	if err != nil {
		return nil, err
	}
	return query.New(ix), nil
}

// The types of the two packages that callers need.
type (
	Catalog      = index.Catalog
	Builder      = index.Builder
	Explanation  = query.Explanation
	ExplainedHit = query.ExplainedHit
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
