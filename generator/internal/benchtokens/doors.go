package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/mcp"
	"catalog.example/api/search"
	"catalog.example/generator"
)

// sampleSize is how many of the judged queries are asked: every so-manyth of
// those that should find something.
const sampleSize = 30

// limit is how many hits are asked for: as many as are shown to a user (spec 1).
const limit = 5

// query is what is read of a line of the judged set.
type query struct {
	Kind   string         `json:"kind"`
	Text   string         `json:"query"`
	Grades map[string]int `json:"grades"`
}

// best returns the slug of the listing that was judged best; ties go to the first
// by name.
func (q *query) best() string {
	best := ""
	for slug, grade := range q.Grades {
		if best == "" || grade > q.Grades[best] || grade == q.Grades[best] && slug < best {
			best = slug
		}
	}
	return best
}

// site is a build of the shipped content.
type site struct {
	public  string
	index   *search.Index
	queries []query
	tools   *toolAnswers
	mcp     *mcp.Server
}

// door is a way to the facts. read returns what an agent reads by it for a query,
// in bytes.
type door struct {
	name string
	read func(s *site, i int) (int, error)
}

// doors are the ways that agents know. One that is added here is measured, shown
// and tested.
var doors = []door{
	{"`llms.txt`, once", func(s *site, _ int) (int, error) { return s.file("llms.txt") }},
	{"`/api/v1/search` with `limit=5`", (*site).search},
	{"`llms.txt`, then that search", func(s *site, i int) (int, error) { return sum(s, i, (*site).guide, (*site).search) }},
	{"`tools/list` over MCP, once", func(s *site, _ int) (int, error) { return s.listTools() }},
	{"`search_catalog` over MCP, `limit=5`", (*site).callTool},
	{"`search_catalog` in the browser (WebMCP), `limit=5`", func(s *site, i int) (int, error) { return s.tools.Bytes[i], nil }},
	{"Markdown page of the best fit's category", func(s *site, i int) (int, error) { return s.category(i, "index.html.md") }},
	{"Markdown page of the best fit", func(s *site, i int) (int, error) { return s.file("projects/" + s.queries[i].best() + "/index.html.md") }},
	{"the same listing by `/api/v1/projects/{slug}`", func(s *site, i int) (int, error) { return s.file("api/v1/projects/" + s.queries[i].best() + ".json") }},
}

func sum(s *site, i int, parts ...func(*site, int) (int, error)) (total int, err error) {
	for _, part := range parts {
		n, err := part(s, i)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func (s *site) guide(int) (int, error) { return s.file("llms.txt") }

// file returns the size of a file of the build output.
func (s *site) file(name string) (int, error) {
	info, err := os.Stat(filepath.Join(s.public, filepath.FromSlash(name)))
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// category returns the size of a file of the category of the best fit.
func (s *site) category(i int, name string) (int, error) {
	slug := s.queries[i].best()
	text, ok := s.index.AppendProject(nil, slug)
	if !ok {
		return 0, fmt.Errorf("query %q: no listing has the slug %q", s.queries[i].Text, slug)
	}
	var p api.Project
	if err := json.Unmarshal(text, &p); err != nil {
		return 0, err
	}
	return s.file("categories/" + p.Category + "/" + name)
}

func (s *site) search(i int) (int, error) {
	answer, err := s.answer(s.queries[i].Text)
	return len(answer), err
}

// answer returns the body of the answer to a search.
func (s *site) answer(text string) ([]byte, error) {
	raw := url.Values{"q": {text}, "limit": {fmt.Sprint(limit)}}.Encode()
	q, warnings, wrong := api.ParseSearch(raw, s.index.Taxonomy().Vocabulary())
	if len(wrong) > 0 {
		return nil, fmt.Errorf("query %q: %s", text, wrong[0].Message)
	}
	return s.index.AppendSearch(nil, q, warnings...), nil
}

// row is what one door costs, in tokens.
type row struct {
	name          string
	median, worst int
}

// open builds the content into a folder, and reads the queries.
func open(ctx context.Context, dir, content, judged string) (*site, error) {
	s := &site{public: filepath.Join(dir, "public")}
	_, err := generator.Build(ctx, generator.Options{
		Content: content, Out: s.public, Settings: api.DefaultSettings(), Pictures: generator.PicturesNever, Now: time.Now(),
	})
	if err != nil {
		return nil, err
	}
	if s.index, err = search.Open(s.public); err != nil {
		return nil, err
	}
	if s.mcp, err = s.mcpServer(); err != nil {
		return nil, err
	}
	s.queries, err = sample(judged)
	return s, err
}

// measure builds the content and walks through every door.
func measure(ctx context.Context, content, judged string) ([]row, error) {
	dir, err := os.MkdirTemp("", "benchtokens-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	s, err := open(ctx, dir, content, judged)
	if err != nil {
		return nil, err
	}
	if s.tools, err = askTool(ctx, s); err != nil {
		return nil, err
	}
	var rows []row
	for _, d := range doors {
		var tokens []int
		for i := range s.queries {
			n, err := d.read(s, i)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
			tokens = append(tokens, (n+tokenBytes-1)/tokenBytes)
		}
		slices.Sort(tokens)
		rows = append(rows, row{d.name, tokens[len(tokens)/2], tokens[len(tokens)-1]})
	}
	return rows, nil
}

// tokenBytes is about how many bytes a token stands for.
const tokenBytes = 4

// sample reads the judged queries and returns those that are asked.
func sample(file string) ([]query, error) {
	text, err := os.ReadFile(file) // #nosec G304 -- the user names the file
	if err != nil {
		return nil, err
	}
	var all []query
	for line := range bytes.Lines(text) {
		var q query
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(q.Grades) > 0 {
			all = append(all, q)
		}
	}
	if len(all) < sampleSize {
		return nil, errors.New(file + " holds too few queries")
	}
	queries := make([]query, sampleSize)
	for i := range queries {
		queries[i] = all[i*len(all)/sampleSize]
	}
	return queries, nil
}

// rounded rounds up to 50.
func rounded(tokens int) int { return (tokens + 49) / 50 * 50 }

// table writes the rows as a Markdown table.
func table(rows []row) string {
	var out strings.Builder
	out.WriteString("| door | tokens, median | tokens, worst |\n| --- | ---: | ---: |\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %d | %d |\n", r.name, rounded(r.median), rounded(r.worst))
	}
	return out.String()
}
