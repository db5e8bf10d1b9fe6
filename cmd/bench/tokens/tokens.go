// Package tokens measures how much an agent reads to get 3 to 5 fitting listings with their facts,
// through each interface of a catalogue.
//
// The input is the shipped content folder and a sample of the judged queries. The benchmark prints
// a Markdown table of tokens: the median and the worst of the sample. A token counts as 4
// uncompressed bytes, about the mean for English, Markdown and JSON in all language models. Figures
// are rounded up to a multiple of 50, so that small changes in the content do not affect them.
//
//	bench tokens
//
// The page for agents shows the table, and a test checks that it is up to date.
package tokens

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/mcp"
	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/generator"
)

// Benchmark defines the command bench tokens.
var Benchmark = command.Benchmark{
	Name: "tokens", Summary: "what an agent reads to get 3 to 5 fits, by each way to the facts",
	Timeout: 10 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		content := flags.String("content", "content", "shipped content `folder`")
		judged := flags.String("judged", "api/search/testdata/judged.jsonl", "judged set, a `file`")
		return func(ctx context.Context, out io.Writer) error {
			if err := program.Require("bench-tokens", "node"); err != nil {
				return err
			}
			rows, err := measure(ctx, *content, *judged)
			if err != nil {
				return err
			}
			_, err = io.WriteString(out, table(rows))
			return err
		}
	},
}

// sampleSize is the number of judged queries in the sample.
const sampleSize = 30

// limit is the number of requested hits: as many as an agent shows a user.
const limit = 5

// builtSite is a build of the shipped content.
type builtSite struct {
	public  string
	index   *search.Index
	queries []shipped.Query
	tools   *toolAnswers
	mcp     *mcp.Server
}

// way is an interface to the facts. read returns the bytes that an agent reads through it for
// a query.
type way struct {
	name string
	read func(s *builtSite, i int) (int, error)
}

// ways lists the interfaces that agents know. All of them are measured, shown and tested.
var ways = []way{
	{"`llms.txt`, once", func(s *builtSite, _ int) (int, error) { return s.file("llms.txt") }},
	{"`/api/v1/search` with `limit=5&view=brief`", searchIn(api.ViewBrief)},
	{"`llms.txt`, then that search", func(s *builtSite, i int) (int, error) {
		return sum(s, i, (*builtSite).guide, searchIn(api.ViewBrief))
	}},
	{"`/api/v1/search` with `limit=5`", searchIn(api.ViewFull)},
	{"`tools/list` over MCP, once", func(s *builtSite, _ int) (int, error) { return s.listTools() }},
	{"`search_catalog` over MCP, `limit=5`", searchTool(api.ViewBrief)},
	{"`search_catalog` over MCP, `limit=5`, `view=full`", searchTool(api.ViewFull)},
	{"`search_catalog` in the browser (WebMCP), `limit=5`",
		func(s *builtSite, i int) (int, error) { return s.tools.Bytes[i], nil }},
	{"Markdown page of the best fit's category",
		func(s *builtSite, i int) (int, error) { return s.category(i, "index.html.md") }},
	{"Markdown page of the best fit", func(s *builtSite, i int) (int, error) {
		return s.file("projects/" + s.queries[i].Best() + "/index.html.md")
	}},
	{"the same listing by `/api/v1/projects/{slug}`", func(s *builtSite, i int) (int, error) {
		return s.file("api/v1/projects/" + s.queries[i].Best() + ".json")
	}},
	{"`get_project` over MCP, or `/api/v1/projects/{slug}?view=brief`", func(s *builtSite, i int) (int, error) {
		return s.callTool(api.ToolProject, map[string]any{"slug": s.queries[i].Best()})
	}},
	{"`compare_projects` over MCP, the first 3 hits", compareTool},
}

func sum(s *builtSite, i int, parts ...func(*builtSite, int) (int, error)) (total int, err error) {
	for _, part := range parts {
		n, err := part(s, i)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func (s *builtSite) guide(int) (int, error) { return s.file("llms.txt") }

// file returns the size of a file of the build output.
func (s *builtSite) file(name string) (int, error) {
	info, err := os.Stat(filepath.Join(s.public, filepath.FromSlash(name)))
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// category returns the size of a file in the folder of the best fit's category.
func (s *builtSite) category(i int, name string) (int, error) {
	slug := s.queries[i].Best()
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

// searchIn returns a function that searches by HTTP.
func searchIn(view string) func(*builtSite, int) (int, error) {
	return func(s *builtSite, i int) (int, error) {
		answer, err := s.answer(s.queries[i].Text, view)
		return len(answer), err
	}
}

// answer returns the body of the answer to a search.
func (s *builtSite) answer(text, view string) ([]byte, error) {
	raw := url.Values{"q": {text}, "limit": {fmt.Sprint(limit)}, "view": {view}}.Encode()
	q, warnings, wrong := api.ParseSearch(raw, s.index.Parameters())
	if len(wrong) > 0 {
		return nil, fmt.Errorf("query %q: %s", text, wrong[0].Message)
	}
	return s.index.AppendSearch(nil, q, warnings...), nil
}

// row holds the costs of one way, in tokens.
type row struct {
	name          string
	median, worst int
}

// build builds the content into a folder.
func build(ctx context.Context, dir, content string) (*builtSite, error) {
	s := &builtSite{public: filepath.Join(dir, "public")}
	_, err := generator.Build(ctx, generator.Options{
		Content: content, Out: s.public, Settings: site.Defaults(), Pictures: generator.PicturesOff, Now: time.Now(),
	})
	if err != nil {
		return nil, err
	}
	if s.index, err = indexfile.Open(s.public); err != nil {
		return nil, err
	}
	s.mcp = s.mcpServer()
	return s, nil
}

// open builds the content into a folder and reads the queries.
func open(ctx context.Context, dir, content, judged string) (*builtSite, error) {
	s, err := build(ctx, dir, content)
	if err != nil {
		return nil, err
	}
	loaded, err := shipped.Content(ctx, content)
	if err != nil {
		return nil, err
	}
	all, err := shipped.Judged(judged, shipped.Projects(loaded))
	if err != nil {
		return nil, err
	}
	s.queries, err = sample(all)
	return s, err
}

// measure builds the content and measures every way.
func measure(ctx context.Context, content, judged string) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench-tokens-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := open(ctx, dir, content, judged)
	if err != nil {
		return nil, err
	}
	if s.tools, err = askTool(ctx, s); err != nil {
		return nil, err
	}
	var rows []row
	for _, d := range ways {
		var tokens []int
		for i := range s.queries {
			n, err := d.read(s, i)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
			tokens = append(tokens, tokensOf(n))
		}
		slices.Sort(tokens)
		rows = append(rows, row{d.name, tokens[len(tokens)/2], tokens[len(tokens)-1]})
	}
	return rows, nil
}

// tokenBytes is the approximate number of bytes of a token.
const tokenBytes = 4

// tokensOf returns the number of tokens of a text, by its bytes.
func tokensOf(bytes int) int { return (bytes + tokenBytes - 1) / tokenBytes }

// mixes is a factor that spreads the hashes of similar texts (Knuth's multiplicative hash).
const mixes = 2654435761

// sample returns a sample of the queries that should find something. Queries are chosen by a hash
// of their ids, so that a removed query changes only one entry of the sample.
func sample(all []shipped.Query) ([]shipped.Query, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(q shipped.Query) bool { return q.Best() == "" })
	if len(all) < sampleSize {
		return nil, fmt.Errorf("%d judged queries find something, %d are needed", len(all), sampleSize)
	}
	slices.SortFunc(all, func(a, b shipped.Query) int { return cmp.Compare(a.Hash()*mixes, b.Hash()*mixes) })
	return all[:sampleSize], nil
}

// rounded rounds up to a multiple of 50.
func rounded(tokens int) int { return (tokens + 49) / 50 * 50 }

// table writes the rows as a Markdown table.
func table(rows []row) string {
	var out strings.Builder
	out.WriteString("| way | tokens, median | tokens, worst |\n| --- | ---: | ---: |\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %d | %d |\n", r.name, rounded(r.median), rounded(r.worst))
	}
	return out.String()
}
