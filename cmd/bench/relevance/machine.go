package relevance

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
)

// machines lists the computers to search with, as search parameters.
var machines = []string{
	"ramGb=16", "ramGb=8&vramGb=0", "ramGb=32&vramGb=12&gpuVendor=nvidia",
	"ramGb=8&vramGb=5.3&gpuVendor=apple&arch=arm64",
}

// machineResult holds the scores of queries with and without a computer. Both scores count only
// listings that do not need more than the computer has.
type machineResult struct {
	machine       string
	without, with score
}

// measureMachines runs the queries that have an answer and name no computer, with and without
// each computer.
func measureMachines(catalog *search.Catalog, queries []shipped.Query) (results []machineResult, err error) {
	index, err := open(catalog)
	if err != nil {
		return nil, err
	}
	for _, parameters := range machines {
		parsed, _, wrong := api.ParseSearch(parameters, index.Parameters())
		if len(wrong) > 0 {
			return nil, fmt.Errorf("%s: %s", parameters, wrong[0].Message)
		}
		r := machineResult{machine: parameters}
		enough := enoughFor(catalog, parsed.Filters.Machine)
		for _, q := range queries {
			possible := q
			possible.Grades = map[string]int{}
			for slug, grade := range q.Grades {
				if enough[slug] {
					possible.Grades[slug] = grade
				}
			}
			if q.Kind == shipped.KindNothing || idealGain(possible.Grades) == 0 {
				continue
			}
			without, namesComputer, err := slugsOf(index, api.SearchQuery{Q: q.Text, Limit: maxHits})
			if err != nil {
				return nil, err
			}
			if namesComputer {
				continue
			}
			with, _, err := slugsOf(index, api.SearchQuery{Q: q.Text, Limit: maxHits, Filters: parsed.Filters})
			if err != nil {
				return nil, err
			}
			r.without.add(&possible, slices.DeleteFunc(without, func(slug string) bool { return !enough[slug] }))
			r.with.add(&possible, with)
		}
		r.without, r.with = r.without.mean(), r.with.mean()
		results = append(results, r)
	}
	return results, nil
}

// maxHits is the greatest number of hits that a search returns.
const maxHits = 50

// slugsOf returns the hits of a query, and whether its words name a computer.
func slugsOf(index *search.Index, q api.SearchQuery) (slugs []string, namesComputer bool, err error) {
	q.NoFacets = true
	var answer struct {
		Hits []struct {
			Slug string `json:"slug"`
		} `json:"hits"`
		Warnings []api.Warning `json:"warnings"`
	}
	if err := json.Unmarshal(index.AppendSearch(nil, q), &answer); err != nil {
		return nil, false, err
	}
	for _, h := range answer.Hits {
		slugs = append(slugs, h.Slug)
	}
	return slugs, slices.ContainsFunc(answer.Warnings,
		func(w api.Warning) bool { return w.Code == api.WarnUnderstood }), nil
}

// enoughFor returns the listings that do not need more than a machine has.
func enoughFor(catalog *search.Catalog, m hardware.Machine) map[string]bool {
	reader := catalog.Taxonomy.Hardware.SizeReader()
	m = catalog.Taxonomy.WithSystems(reader.Read(m))
	enough := map[string]bool{}
	for i := range catalog.Projects {
		p := &catalog.Projects[i].Project
		needs := catalog.Taxonomy.NeedsOf(p)
		judgement := m.Judge(&needs, nil)
		enough[p.Slug] = judgement.Verdict != hardware.NeedsMore
	}
	return enough
}

// printMachines prints the figures with each computer, and their ratios to those without.
func printMachines(out io.Writer, results []machineResult) error {
	t := report.NewTable(out, "", "with a computer", "n", "nDCG@5", "without", "ratio", "success@1", "without", "ratio")
	for _, r := range results {
		t.Row(r.machine, fmt.Sprint(r.with.n), report.Fixed(r.with.ndcg, 3), report.Fixed(r.without.ndcg, 3),
			report.Fixed(r.with.ndcg/r.without.ndcg, 3),
			report.Fixed(r.with.first, 3), report.Fixed(r.without.first, 3), report.Fixed(r.with.first/r.without.first,
				3))
	}
	return t.Print()
}
