package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTaskReadsFindings checks that the problem matcher of .vscode/tasks.json parses the
// output of lint.
func TestTaskReadsFindings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.vscode/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tasks []struct {
			Command        string
			ProblemMatcher struct {
				Pattern struct {
					Regexp                                string
					File, Line, Column, Severity, Message int
				}
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Tasks) != 1 || !strings.HasSuffix(file.Tasks[0].Command, "/cmd/catalog lint") {
		t.Fatalf("tasks %+v", file.Tasks)
	}
	pattern := file.Tasks[0].ProblemMatcher.Pattern
	matcher, err := regexp.Compile(pattern.Regexp)
	if err != nil {
		t.Fatal(err)
	}
	const listing = "---\nname: X\npurpose: Does.\ncategory: nosuch\nrepositoryUrl: https://code.example.org/x\naddedAt: 2026-01-01\n---\nText <!-- 1:2: hidden -->.\n"
	dir := contentWith(t, "x.md", listing)
	var printed strings.Builder
	env := testEnv()
	env.stdout = &printed
	if status := run([]string{"lint", "--content", dir}, env); status != exitError {
		t.Fatalf("the exit status is %d", status)
	}
	var got [][5]string
	for line := range strings.Lines(printed.String()) {
		m := matcher.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("%q is not read", line)
		}
		got = append(got, [5]string{m[pattern.File], m[pattern.Line], m[pattern.Column], m[pattern.Severity], m[pattern.Message]})
	}
	name := filepath.ToSlash(filepath.Join(dir, "projects", "x.md"))
	for _, want := range [][5]string{
		{name, "4", "11", "", `category: no category "nosuch" in taxonomy/categories.yml`},
		{name, "8", "6", "", `"<!-- 1:2: hidden -->" is a comment: machines read what people do not see; allowed is Markdown that shows`},
		{name, "8", "1", "warning", "the text has 5 words; 80 to 180 are asked for"},
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}
