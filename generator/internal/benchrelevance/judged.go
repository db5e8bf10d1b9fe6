package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"

	"catalog.example/api/search"
)

// kindNothing is the kind of the queries that should find nothing.
const kindNothing = "nothing"

// maxGrade is the grade of a listing that is exactly what was wanted; goodGrade
// is the least grade that counts as a success.
const (
	maxGrade  = 3
	goodGrade = 2
)

// query is one line of the judged set; the README beside it tells how grades
// were given.
type query struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Text   string         `json:"query"`
	Grades map[string]int `json:"grades"` // by slug; 0 where absent
}

// heldOut tells whether the query is kept aside from tuning: a third of the
// ids, by hash, so that the rule outlives changes of the set.
func (q *query) heldOut() bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(q.ID)) // a hash never fails
	return h.Sum32()%3 == 0
}

// loadJudged reads the judged set and checks it against the listings: a slug
// that no listing has would count against every engine for ever. All mistakes
// are told at once.
func loadJudged(file string, catalog *search.Catalog) ([]query, error) {
	data, err := os.ReadFile(file) // #nosec G304 -- the user names the file
	if err != nil {
		return nil, err
	}
	slugs := map[string]bool{}
	for i := range catalog.Projects {
		slugs[catalog.Projects[i].Slug] = true
	}
	return parseJudged(file, data, slugs)
}

func parseJudged(file string, data []byte, slugs map[string]bool) ([]query, error) {
	var (
		queries []query
		wrong   []error
		line    int
		ids     = map[string]bool{}
	)
	complain := func(format string, a ...any) {
		wrong = append(wrong, fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, a...)))
	}
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var q query
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&q); err != nil {
			complain("%v", err)
			continue
		}
		if q.ID == "" || q.Kind == "" || q.Text == "" {
			complain("id, kind and query must not be empty")
		}
		if ids[q.ID] {
			complain("the id %q occurs twice", q.ID)
		}
		ids[q.ID] = true
		best := 0
		for _, slug := range sortedSlugs(q.Grades) {
			grade := q.Grades[slug]
			if !slugs[slug] {
				complain("no listing has the slug %q", slug)
			}
			if grade < 0 || grade > maxGrade {
				complain("%s has grade %d; grades are 0 to %d", slug, grade, maxGrade)
			}
			best = max(best, grade)
		}
		if nothing := q.Kind == kindNothing; nothing && best > 0 {
			complain("a query of kind %s has no grades", kindNothing)
		} else if !nothing && best < goodGrade {
			complain("no listing has grade %d or better, so that no engine could succeed", goodGrade)
		}
		queries = append(queries, q)
	}
	if len(queries) == 0 && len(wrong) == 0 {
		return nil, fmt.Errorf("%s: no queries", file)
	}
	return queries, errors.Join(wrong...)
}

func sortedSlugs(grades map[string]int) []string {
	list := make([]string, 0, len(grades))
	for slug := range grades {
		list = append(list, slug)
	}
	slices.Sort(list)
	return list
}
