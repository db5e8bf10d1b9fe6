package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"catalog.example/cmd/bench/peer"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	api "github.com/blevesearch/bleve_index_api"
)

// speedBleve is a Bleve index on disk. Each field supports no more than it must: texts are only
// searched, facets only filtered and counted, and the JSON is only stored.
type speedBleve struct {
	index  bleve.Index
	facets []peer.Facet
	words  bleves // builds queries
	count  int
}

// storedField is the field with the JSON of a hit.
const storedField = "json"

// facetField returns the name of a facet's field. The prefix is needed because "category" is also
// the name of a text field.
func facetField(name string) string { return "facet_" + name }

func openSpeedBleve(dir string, facets []peer.Facet) (speedEngine, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = api.BM25Scoring
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	add := func(name string, f mapping.FieldMapping) {
		f.IncludeInAll, f.IncludeTermVectors = false, false
		m.DefaultMapping.AddFieldMappingsAt(name, &f)
	}
	for _, name := range peer.Fields {
		add(name, mapping.FieldMapping{Type: "text", Analyzer: "en", Index: true})
	}
	for _, f := range facets {
		add(facetField(f.Name), mapping.FieldMapping{Type: "text", Analyzer: keyword.Name, Index: true,
			DocValues: true})
	}
	add(storedField, mapping.FieldMapping{Type: "text", Analyzer: keyword.Name, Store: true})
	index, err := bleve.NewUsing(filepath.Join(dir, "bleve"), m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	return &speedBleve{index: index, facets: facets, words: bleves{stopWords: stopWords()}}, nil
}

func (e *speedBleve) add(listings []peer.SpeedListing) error {
	batch := e.index.NewBatch()
	for i := range listings {
		l := &listings[i]
		values := map[string]any{storedField: l.JSON}
		for at, texts := range l.ByField() {
			values[peer.Fields[at]] = texts
		}
		for name, list := range l.Facets {
			values[facetField(name)] = list
		}
		if err := batch.Index(idOf(e.count), values); err != nil {
			return fmt.Errorf("%s: %w", l.Slug, err)
		}
		e.count++
	}
	return e.index.Batch(batch)
}

// finish merges the segments into one, because every segment is searched separately.
func (e *speedBleve) finish() error {
	inner, err := e.index.Advanced()
	if err != nil {
		return err
	}
	s, ok := inner.(*scorch.Scorch)
	if !ok {
		return errors.New("the index is not Bleve's scorch")
	}
	return s.ForceMerge(context.Background(), nil)
}

func (e *speedBleve) close() error { return e.index.Close() }

// maxFacetValues is greater than the number of values of any facet.
const maxFacetValues = 100

func (e *speedBleve) answer(q peer.SpeedQuery, settings map[string]float64, limit int) ([]byte, int, int, error) {
	r := bleve.NewSearchRequestOptions(e.query(q, settings), limit, 0, false)
	r.Fields = []string{storedField}
	if settings["facets"] != 0 {
		for _, f := range e.facets {
			r.AddFacet(f.Name, bleve.NewFacetRequest(facetField(f.Name), maxFacetValues))
		}
	}
	found, err := e.index.Search(r)
	if err != nil {
		return nil, 0, 0, err
	}
	hits := make([]string, len(found.Hits))
	for i, hit := range found.Hits {
		text, ok := hit.Fields[storedField].(string)
		if !ok {
			return nil, 0, 0, fmt.Errorf("hit %s has no JSON", hit.ID)
		}
		hits[i] = text
	}
	var facets map[string][]facetCount
	if settings["facets"] != 0 {
		facets = map[string][]facetCount{}
		for name, result := range found.Facets {
			for _, t := range result.Terms.Terms() {
				facets[name] = append(facets[name], facetCount{t.Term, t.Count})
			}
		}
	}
	total := int(found.Total) // a count of listings, so it fits an int
	body, err := speedAnswer(total, hits, facets)
	return body, total, len(hits), err
}

func (e *speedBleve) query(q peer.SpeedQuery, settings map[string]float64) query.Query {
	var parts []query.Query
	switch words := wordsOf(strings.ToLower(q.Q), e.words.stopWords); {
	case len(words) == 0:
	case settings["all"] != 0:
		for _, w := range words {
			parts = append(parts, bleve.NewDisjunctionQuery(inFields(w, "", settings)...))
		}
	default:
		parts = append(parts, e.words.disjunction(q.Q, settings))
	}
	for name, values := range q.Filters {
		var any []query.Query
		for _, v := range values {
			term := bleve.NewTermQuery(v)
			term.SetField(facetField(name))
			term.SetBoost(0)
			any = append(any, term)
		}
		parts = append(parts, bleve.NewDisjunctionQuery(any...))
	}
	switch len(parts) {
	case 0:
		return bleve.NewMatchAllQuery()
	case 1:
		return parts[0]
	}
	return bleve.NewConjunctionQuery(parts...)
}
