package main

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/server"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/soak"
	"catalog.example/generator"
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

// TestWorkedExample runs the steps for agents, as written in the README and on the page
// for agents, against the shipped catalogue, and compares the results with the page.
// A .curlrc sends requests for localhost:8080 to the test's own server.
func TestWorkedExample(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	settings.BaseURL = "http://localhost:8080" // as make run builds it
	public := filepath.Join(t.TempDir(), "public")
	if _, err := generator.Build(t.Context(), generator.Options{
		Content: "../../content", Out: public, Settings: settings, Pictures: generator.PicturesOff, Now: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	index, err := indexfile.Open(public)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Public: public, Index: index, Settings: index.Settings(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	httpServer := httptest.NewServer(s.Handler())
	t.Cleanup(httpServer.Close)
	_, port, err := net.SplitHostPort(httpServer.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte("connect-to = localhost:8080:127.0.0.1:"+port+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(line string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CURL_HOME=" + home}
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, output)
		}
		return string(output)
	}

	const address = "http://localhost:8080"
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

	if guide := run(steps[0]); !strings.HasPrefix(guide, "# "+settings.Title+"\n\n> ") {
		t.Errorf("the guide begins %.100q", guide)
	}
	answer := decodeJSON[api.SearchResponse](t, run(steps[1]))
	var got [][]string
	for _, hit := range answer.Hits {
		license, fit := *hit.License, "its makers do not say"
		if hit.OSIApproved != nil && !*hit.OSIApproved {
			license += ", not open source"
		}
		if hit.Fit.Verdict == hardware.Fits {
			fit = "yes"
		}
		got = append(got, []string{hit.Name, license, fit, hit.PageURL})
	}
	if output := tableRows(after); !slices.EqualFunc(output, got, slices.Equal) || len(got) < 3 || len(got) > 5 {
		t.Errorf("the page says %q, and what happens is %q", output, got)
	}
	tokens := (len(run(steps[1])) + 3) / 4
	if !strings.Contains(instructions, fmt.Sprintf("in %s tokens", formatThousands((tokens+49)/50*50))) {
		t.Errorf("the page does not say that the answer has %d tokens, rounded up to 50", tokens)
	}
	chosen := decodeJSON[api.ProjectDetail](t, run(steps[2]))
	if chosen.Slug != answer.Hits[0].Slug || chosen.Description == "" || len(chosen.Sources) == 0 {
		t.Errorf("the listing is %+v", chosen)
	}
}

// formatThousands formats a number with a comma before its last three digits.
func formatThousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
