// Package shipped reads the inputs of the benchmarks: the shipped content and the judged
// queries.
package shipped

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// Content reads a content folder as a build does. It returns an error if the content has
// errors.
func Content(ctx context.Context, dir string) (*content.Content, error) {
	loaded, findings, err := content.Load(ctx, content.Options{
		Dir: dir, Settings: site.Defaults(), Jobs: runtime.GOMAXPROCS(0), Today: api.DateOf(time.Now()),
	})
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Rule.Severity == rule.Error {
			return nil, fmt.Errorf("the content has errors, the first: %s", f)
		}
	}
	return loaded, nil
}

// Projects returns the listings of a content folder.
func Projects(loaded *content.Content) []api.ProjectDetail {
	projects := make([]api.ProjectDetail, len(loaded.Listings))
	for i := range loaded.Listings {
		projects[i] = loaded.Listings[i].ProjectDetail
	}
	return projects
}

// WithoutAsks returns listings and a taxonomy without asks, so that all engines search the same
// texts, although the peers do not read asks.
func WithoutAsks(projects []api.ProjectDetail, taxonomy api.Taxonomy) ([]api.ProjectDetail, api.Taxonomy) {
	projects, taxonomy.Categories = slices.Clone(projects), slices.Clone(taxonomy.Categories)
	for i := range projects {
		projects[i].Asks = nil
	}
	for i := range taxonomy.Categories {
		taxonomy.Categories[i].Asks = nil
	}
	return projects, taxonomy
}

// KindNothing is the kind of the queries that should find nothing.
const KindNothing = "nothing"

// MaxGrade is the grade of an exact match. GoodGrade is the least grade that counts as a
// success.
const (
	MaxGrade  = 3
	GoodGrade = 2
)

// Query is one line of the judged set. The README beside the set explains the grades.
type Query struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Text string `json:"query"`
	// English is the meaning of a query in another language; "" otherwise.
	English string         `json:"english,omitempty"`
	Grades  map[string]int `json:"grades"` // by slug; 0 if absent
}

// HeldOut reports whether the query is used only for measuring. A third of the queries are held
// out, chosen by a hash of the id, so that a change of the set does not move other queries.
func (q *Query) HeldOut() bool { return q.Hash()%3 == 0 }

// Hash returns the hash of the id (FNV-1a).
func (q *Query) Hash() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(q.ID)) // writing to a hash cannot fail
	return h.Sum32()
}

// Best returns the slug with the highest grade, or "" if no grade is above 0. Of equal grades,
// it returns the first slug in alphabetical order.
func (q *Query) Best() string {
	best := ""
	for _, slug := range slices.Sorted(maps.Keys(q.Grades)) {
		if q.Grades[slug] > q.Grades[best] {
			best = slug
		}
	}
	return best
}

// Judged reads the judged set for some listings. Former slugs are replaced by the present ones. A
// listing that was removed is ignored, because it would count against every engine. So is a query
// that only such listings answered well. The error lists all mistakes.
func Judged(file string, projects []api.ProjectDetail) ([]Query, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	slugs := map[string]string{}
	for i := range projects {
		for _, slug := range append(projects[i].Formerly, projects[i].Slug) {
			slugs[slug] = projects[i].Slug
		}
	}
	return parseJudged(file, data, slugs)
}

// parseJudged parses a judged set. slugs maps all slugs of listings to the present ones.
func parseJudged(file string, data []byte, slugs map[string]string) ([]Query, error) {
	var (
		queries []Query
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
		var q Query
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
		best, present := 0, map[string]int{}
		for _, slug := range slices.Sorted(maps.Keys(q.Grades)) {
			grade := q.Grades[slug]
			if grade < 0 || grade > MaxGrade {
				complain("%s has grade %d; grades are 0 to %d", slug, grade, MaxGrade)
			}
			best = max(best, grade)
			if now, ok := slugs[slug]; ok {
				present[now] = max(present[now], grade)
			}
		}
		if nothing := q.Kind == KindNothing; nothing && best > 0 {
			complain("a query of kind %s has no grades", KindNothing)
		} else if !nothing && best < GoodGrade {
			complain("no listing has grade %d or better, so that no engine could succeed", GoodGrade)
		}
		q.Grades = present
		if q.Kind == KindNothing || present[q.Best()] >= GoodGrade {
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 && len(wrong) == 0 {
		return nil, fmt.Errorf("%s: no queries", file)
	}
	return queries, errors.Join(wrong...)
}
