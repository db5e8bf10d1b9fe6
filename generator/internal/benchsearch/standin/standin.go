// Package search stands in for api/search until its builder lands: the same
// names over the index that is there now. To remove it, delete this folder and
// import catalog.example/api/search instead.
package search

import (
	"io"

	"catalog.example/api"
	now "catalog.example/api/search"
)

// FileName is where an index lies below the build output.
const FileName = now.FileName

// Builder collects listings.
type Builder struct{ catalog now.Catalog }

// NewBuilder returns an empty builder.
func NewBuilder(settings api.Settings, taxonomy api.Taxonomy) *Builder {
	return &Builder{now.Catalog{Settings: settings, Taxonomy: taxonomy}}
}

// Add takes listings, in any order.
func (b *Builder) Add(projects ...api.ProjectDetail) error {
	b.catalog.Projects = append(b.catalog.Projects, projects...)
	return nil
}

// WriteTo writes the index file.
func (b *Builder) WriteTo(w io.Writer) (int64, error) {
	file, err := now.Encode(b.catalog)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(file)
	return int64(n), err
}

// Index answers queries.
type Index struct{ index *now.Index }

// Open opens the index of a build output folder.
func Open(publicDir string) (*Index, error) {
	index, err := now.Open(publicDir)
	if err != nil {
		return nil, err
	}
	return &Index{index}, nil
}

// AppendSearch appends the JSON answer.
func (ix *Index) AppendSearch(dst []byte, q api.SearchQuery) []byte {
	body, _ := ix.Measure(dst, q)
	return body
}

// Cost is what a query touched.
type Cost struct{ Postings, Graded int }

// Measure appends the JSON answer and tells its cost; here, the matches.
func (ix *Index) Measure(dst []byte, q api.SearchQuery) ([]byte, Cost) {
	answer := ix.index.Search(q)
	body, err := answer.JSON()
	if err != nil {
		panic(err) // an answer holds nothing that JSON cannot
	}
	return append(dst, body...), Cost{Postings: answer.Total, Graded: answer.Total}
}
