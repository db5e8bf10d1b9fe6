package engine

import (
	"errors"
	"fmt"
	"strings"

	"catalog.example/cmd/bench/peer"
	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // registers the English analyser
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search/query"
	api "github.com/blevesearch/bleve_index_api"
)

// bleves holds two Bleve indexes in memory, one for each scoring model, because an index has only
// one model.
type bleves struct {
	bm25, tfidf bleve.Index
	slugs       map[string]string // by id
	stopWords   map[string]bool
}

func openBleve(documents []peer.Document) (Engine, error) {
	e := &bleves{slugs: map[string]string{}, stopWords: stopWords()}
	for i, d := range documents {
		e.slugs[idOf(i)] = d.Slug
	}
	var err error
	if e.bm25, err = fillBleve(api.BM25Scoring, documents); err != nil {
		return nil, err
	}
	if e.tfidf, err = fillBleve(api.TFIDFScoring, documents); err != nil {
		return nil, errors.Join(err, e.bm25.Close())
	}
	return e, nil
}

// idOf returns the id of the document at a position. Ids sort in the order of documents, so
// that they break ties.
func idOf(i int) string { return fmt.Sprintf("%08d", i) }

func fillBleve(scoring string, documents []peer.Document) (bleve.Index, error) {
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = "en"
	m.ScoringModel = scoring
	index, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for i := range documents {
		data := map[string]any{}
		for at, texts := range documents[i].ByField() {
			data[peer.Fields[at]] = texts
		}
		if err := batch.Index(idOf(i), data); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", documents[i].Slug, err), index.Close())
		}
	}
	if err := index.Batch(batch); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

func (e *bleves) Close() error { return errors.Join(e.bm25.Close(), e.tfidf.Close()) }

func (e *bleves) Search(text string, settings map[string]float64, limit int) ([]string, error) {
	index := e.tfidf
	if settings["bm25"] != 0 {
		index = e.bm25
	}
	r := bleve.NewSearchRequestOptions(e.disjunction(text, settings), limit, 0, false)
	r.SortBy([]string{"-_score", "_id"})
	found, err := index.Search(r)
	if err != nil {
		return nil, err
	}
	slugs := make([]string, len(found.Hits))
	for i, hit := range found.Hits {
		slugs[i] = e.slugs[hit.ID]
	}
	return slugs, nil
}

// disjunction returns a query for any word in any field. Words match exactly or misspelt; the last
// word also matches as a prefix. Bleve's score for a disjunction also depends on the share of its
// parts that match. With the setting byWord the parts are words, otherwise fields.
func (e *bleves) disjunction(text string, settings map[string]float64) query.Query {
	words := wordsOf(strings.ToLower(text), e.stopWords)
	if len(words) == 0 {
		return bleve.NewMatchNoneQuery()
	}
	last := words[len(words)-1]
	if settings["byWord"] == 0 {
		return bleve.NewDisjunctionQuery(inFields(text, last, settings)...)
	}
	var parts []query.Query
	for i, w := range words {
		begun := ""
		if i == len(words)-1 {
			begun = last
		}
		parts = append(parts, bleve.NewDisjunctionQuery(inFields(w, begun, settings)...))
	}
	return bleve.NewDisjunctionQuery(parts...)
}

// inFields returns queries that search every field with a boost for a text and, unless begun is
// empty, for words that begin with begun.
func inFields(text, begun string, settings map[string]float64) []query.Query {
	var list []query.Query
	for _, field := range peer.Fields {
		boost := settings[field]
		if boost == 0 {
			continue
		}
		match := bleve.NewMatchQuery(text)
		match.SetField(field)
		match.SetBoost(boost)
		list = append(list, match)
		if settings["fuzzy"] > 0 {
			fuzzy := bleve.NewMatchQuery(text)
			fuzzy.SetField(field)
			fuzzy.SetFuzziness(int(settings["fuzziness"]))
			fuzzy.SetPrefix(1) // people rarely misspell the first letter
			fuzzy.SetBoost(boost * settings["fuzzy"])
			list = append(list, fuzzy)
		}
		if settings["prefix"] > 0 && begun != "" {
			prefix := bleve.NewPrefixQuery(begun)
			prefix.SetField(field)
			prefix.SetBoost(boost * settings["prefix"])
			list = append(list, prefix)
		}
	}
	return list
}
