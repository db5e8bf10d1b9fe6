package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// tableRows returns the rows of the first table of a Markdown text, without its header.
func tableRows(markdown string) (rows [][]string) {
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.Trim(strings.TrimSpace(cell), "`"))
		}
		rows = append(rows, cells)
	}
	return rows[min(2, len(rows)):]
}

// checkWorkedExample runs the steps for agents, as written in the README and on the page
// for agents, with the address of the site. What the page shows must be among the first hits,
// in their order, so that listings may come and go.
func (s *testSite) checkWorkedExample(t *testing.T) {
	const address = "http://localhost:8080" // of the README
	run := func(line string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, address, s.base))
		command.Env = []string{"PATH=" + os.Getenv("PATH")}
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, output)
		}
		return string(output)
	}

	page := strings.NewReplacer("{base_url}", address, "{search_url}", address).Replace(readText(t, "../../content/pages/agents.md"))
	instructions, _, _ := strings.Cut(page, "\n## ")
	_, block, _ := strings.Cut(instructions, "```sh\n")
	block, after, _ := strings.Cut(block, "```\n")
	if !strings.Contains(readText(t, "../../README.md"), "```sh\n"+block+"```\n") {
		t.Error("the page for agents has other steps than the README")
	}
	steps := strings.Split(strings.TrimSpace(block), "\n")
	if len(steps) != 3 {
		t.Fatalf("there are %d steps, want three: %q", len(steps), steps)
	}

	if guide := run(steps[0]); !strings.HasPrefix(guide, "# "+s.settings.Title+"\n\n> ") {
		t.Errorf("the guide begins %.100q", guide)
	}
	answer := decodeJSON[api.BriefSearchResponse](t, run(steps[1]))
	if n := len(answer.Hits); n < 3 || n > 5 {
		t.Errorf("the second step finds %d listings", n)
	}
	var got [][]string
	for _, hit := range decodeJSON[api.BriefSearchResponse](t, run(strings.Replace(steps[1], "limit=5", "limit=15", 1))).Hits {
		license, fit := hit.License, "its makers do not say"
		if hit.Openness != "" {
			license += ", " + hit.Openness
		}
		if hit.Fit.Verdict == hardware.Fits {
			fit = "yes"
		}
		got = append(got, []string{hit.Name, license, fit, strings.Replace(hit.PageURL, s.base, address, 1)})
	}
	found, at := 0, 0
	for _, row := range tableRows(after) {
		if i := slices.IndexFunc(got[at:], func(hit []string) bool { return slices.Equal(hit, row) }); i >= 0 {
			found, at = found+1, at+i+1
		} else {
			t.Logf("the page says %q, and what happens is %q", row, got)
		}
	}
	if rows := len(tableRows(after)); rows < 3 || rows > 5 || found < 3 {
		t.Errorf("the page shows %d listings, and the answer begins %q", rows, got)
	}
	tokens := (len(run(steps[1])) + 3) / 4
	m := regexp.MustCompile(`in (\d+) tokens`).FindStringSubmatch(instructions)
	if m == nil {
		t.Fatal("the page does not say how many tokens the answer has")
	}
	if said, _ := strconv.Atoi(m[1]); 10*max(said-tokens, tokens-said) > tokens {
		t.Errorf("the page says that the answer has %d tokens, and it has %d", said, tokens)
	}
	chosen := decodeJSON[api.ProjectDetail](t, run(strings.Replace(steps[2], "curl ", "curl -L ", 1)))
	if chosen.Description == "" || len(chosen.Sources) == 0 {
		t.Errorf("the listing is %+v", chosen)
	}
}
