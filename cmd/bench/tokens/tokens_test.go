package tokens

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
)

// near is what a figure of a document may differ from what is measured, in percent: answers
// change a little with each listing that comes or goes.
const near = 10

// same reports whether a text has a measured text with figures that are near.
func same(text, measured string) bool {
	figures := regexp.MustCompile(`\d[\d,]*`)
	shape := regexp.MustCompile(figures.ReplaceAllString(regexp.QuoteMeta(measured), `(\d[\d,]*)`))
	m := shape.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	for i, want := range figures.FindAllString(measured, -1) {
		a, _ := strconv.Atoi(strings.ReplaceAll(m[i+1], ",", ""))
		b, _ := strconv.Atoi(strings.ReplaceAll(want, ",", ""))
		if 100*max(a-b, b-a) > near*b {
			return false
		}
	}
	return true
}

// The README and the page for agents show nearly what is measured, and it is within the
// bounds, which leave room for more facts and longer listings.
func TestTableIsMeasured(t *testing.T) {
	rows, err := measure(t.Context(), "../../../content", "../../../api/search/testdata/judged.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const page = "../../../content/pages/agents.md"
	if want := table(rows); !same(read(page), "\n\n"+want+"\n") {
		t.Errorf("%s does not show what is measured; put this table there (make bench-tokens):\n%s", page, want)
	}
	short := fmt.Sprintf("%s tokens by HTTP, %s over MCP, %s in the browser", report.Thousands(rounded(rows[1].median)), report.Thousands(rounded(rows[5].median)), report.Thousands(rounded(rows[7].median)))
	if !same(read("../../../README.md"), short) {
		t.Errorf("the README does not say %q", short)
	}
	for _, r := range rows {
		most := map[string]int{ways[0].name: 1450, ways[1].name: 800, ways[3].name: 4200, ways[4].name: 1350, ways[5].name: 950, ways[6].name: 3650, ways[7].name: 800}[r.name]
		if r.median < 100 || r.worst < r.median || most > 0 && r.worst > most {
			t.Errorf("%s costs %d, and %d in the worst case; at most %d", r.name, r.median, r.worst, most)
		}
	}
}

// The sample is spread over all kinds of queries that find something.
func TestSample(t *testing.T) {
	loaded, err := shipped.Content(t.Context(), "../../../content")
	if err != nil {
		t.Fatal(err)
	}
	all, err := shipped.Judged("../../../api/search/testdata/judged.jsonl", shipped.Projects(loaded))
	if err != nil {
		t.Fatal(err)
	}
	queries, err := sample(all)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, q := range queries {
		if !slices.Contains(kinds, q.Kind) {
			kinds = append(kinds, q.Kind)
		}
		if q.Best() == "" || q.Grades[q.Best()] < 1 {
			t.Errorf("%q finds nothing", q.Text)
		}
	}
	if len(queries) != sampleSize || len(kinds) < 10 {
		t.Errorf("%d queries of the kinds %q", len(queries), kinds)
	}
	if _, err := sample(queries[1:]); err == nil {
		t.Error("too few queries pass for a sample")
	}
}

// The tools of the pages say what they are: they read, and what they answer was written
// by others.
func TestToolsOfThePages(t *testing.T) {
	s, err := open(t.Context(), t.TempDir(), "../../../content", "../../../api/search/testdata/judged.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := askTool(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range answers.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations["readOnlyHint"] || !tool.Annotations["untrustedContentHint"] || tool.Title == "" {
			t.Errorf("the tool is %+v", tool)
		}
	}
	if !slices.Equal(names, api.ToolNames) {
		t.Errorf("the tools are %q", names)
	}
	if !slices.Equal(answers.Views, []string{api.ViewBrief, api.ViewFull}) {
		t.Errorf("the tool asks for %q", answers.Views)
	}
}

func TestRounded(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 50, 50: 50, 51: 100, 1999: 2000} {
		if got := rounded(n); got != want {
			t.Errorf("rounded(%d) = %d, want %d", n, got, want)
		}
	}
}
