package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/content"
	"catalog.example/generator/internal/peer"
)

// oursName is what the catalog's own search is called in tables and flags.
const oursName = "ours"

// loadCatalog reads a content folder as a build does.
func loadCatalog(ctx context.Context, dir string) (*search.Catalog, error) {
	loaded, findings, err := content.Load(ctx, content.Options{
		Dir: dir, Settings: api.DefaultSettings(), Jobs: 2, Today: api.DateOf(time.Now()),
	})
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Severity == content.Error {
			return nil, fmt.Errorf("the content has errors, the first: %s", f)
		}
	}
	catalog := &search.Catalog{Settings: api.DefaultSettings(), Taxonomy: loaded.Taxonomy}
	for _, l := range loaded.Listings {
		catalog.Projects = append(catalog.Projects, l.ProjectDetail)
	}
	return catalog, nil
}

// askOurs answers the queries from an index that was written and read back.
func askOurs(catalog *search.Catalog, queries []query) ([][]string, error) {
	file, err := search.Encode(*catalog)
	if err != nil {
		return nil, err
	}
	index, err := search.Decode(file)
	if err != nil {
		return nil, err
	}
	hits := make([][]string, len(queries))
	for i, q := range queries {
		answer, err := index.Search(api.SearchQuery{Q: q.Text, Limit: hitLimit})
		if err != nil {
			return nil, err
		}
		for _, h := range answer.Hits {
			hits[i] = append(hits[i], h.Slug)
		}
	}
	return hits, nil
}

// documentsOf returns the listings, most popular first, so that an engine that
// breaks ties by position breaks them as we do.
func documentsOf(catalog *search.Catalog) []peer.Document {
	projects := slices.Clone(catalog.Projects)
	slices.SortFunc(projects, func(a, b api.ProjectDetail) int { return search.ComparePopular(&a.Project, &b.Project) })
	documents := make([]peer.Document, len(projects))
	for i, p := range projects {
		documents[i] = peer.DocumentOf(p, &catalog.Taxonomy)
	}
	return documents
}

// askNamed answers the queries with the engine of that name.
func askNamed(ctx context.Context, name string, o options, catalog *search.Catalog, documents []peer.Document, queries []query) ([][]string, error) {
	if name == oursName {
		return askOurs(catalog, queries)
	}
	spec, _ := peerNamed(name)
	p, err := spec.start(ctx, o.peers, documents)
	if err != nil {
		return nil, err
	}
	defer p.close()
	settings := spec.settings()
	if err := p.checkNames(settings); err != nil {
		return nil, err
	}
	return p.ask(settings, texts(queries))
}

func texts(queries []query) []string {
	list := make([]string, len(queries))
	for i, q := range queries {
		list[i] = q.Text
	}
	return list
}
