//go:build unix

package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/soak"
)

// matcher is a problem matcher of Visual Studio Code.
type matcher struct {
	FileLocation []string
	Pattern      struct {
		Regexp                                string
		File, Line, Column, Severity, Message int
	}
	Background struct {
		ActiveOnStart              bool
		BeginsPattern, EndsPattern string
	}
}

// readTasks returns the problem matchers of a file of tasks, by the command without its
// program.
func readTasks(t *testing.T, name, program string) map[string]matcher {
	t.Helper()
	var file struct {
		Tasks []struct {
			Command        string
			IsBackground   bool
			ProblemMatcher matcher
		}
	}
	if err := json.Unmarshal([]byte(readText(t, name)), &file); err != nil {
		t.Fatal(err)
	}
	tasks := map[string]matcher{}
	for _, task := range file.Tasks {
		command, ours := strings.CutPrefix(task.Command, program+" ")
		if !ours || task.IsBackground != (command == "dev") || !slices.Equal(task.ProblemMatcher.FileLocation, []string{"relative", "${workspaceFolder}"}) {
			t.Errorf("task %+v", task)
		}
		tasks[command] = task.ProblemMatcher
	}
	if len(tasks) != 2 {
		t.Fatalf("tasks %+v", file.Tasks)
	}
	return tasks
}

// read returns file, line, column, severity and message of a line, or nil.
func (m matcher) read(t *testing.T, line string) []string {
	t.Helper()
	pattern, err := regexp.Compile(m.Pattern.Regexp)
	if err != nil {
		t.Fatal(err)
	}
	parts := pattern.FindStringSubmatch(line)
	if parts == nil {
		return nil
	}
	return []string{parts[m.Pattern.File], parts[m.Pattern.Line], parts[m.Pattern.Column], parts[m.Pattern.Severity], parts[m.Pattern.Message]}
}

// wrongListing has errors and a warning, which wrongFindings are.
const wrongListing = "---\nname: X\npurpose: Does.\ncategory: nosuch\nrepositoryUrl: https://code.example.org/x\naddedAt: 2026-01-01\n---\nPowerful <!-- 1:2: hidden -->.\n"

func wrongFindings(name string) [][]string {
	return [][]string{
		{name, "4", "11", "", `category: there is no category "nosuch" in taxonomy/categories.yml`},
		{name, "8", "10", "", `"<!-- 1:2: hidden -->" is a comment, which machines read but people do not see: write Markdown that pages show, or delete it`},
		{name, "8", "1", "warning", `"Powerful" is praise; say what it does instead`},
	}
}

// TestTaskReadsFindings checks that the problem matchers of .vscode/tasks.json, and of those
// that catalog init writes, parse the output of lint.
func TestTaskReadsFindings(t *testing.T) {
	t.Parallel()
	dir := contentWith(t, "x.md", wrongListing)
	var printed strings.Builder
	env := testEnv()
	env.stdout = &printed
	if status := run([]string{"lint", "--content", dir}, env); status != exitError {
		t.Fatalf("the exit status is %d", status)
	}
	for name, program := range map[string]string{"../../.vscode/tasks.json": "go run ./cmd/catalog", "../../generator/scaffold/shared/dot-vscode/tasks.json": "catalog"} {
		task := readTasks(t, name, program)["lint"]
		var got [][]string
		for line := range strings.Lines(printed.String()) {
			parts := task.read(t, strings.TrimSuffix(line, "\n"))
			if parts == nil {
				t.Fatalf("%q is not read", line)
			}
			got = append(got, parts)
		}
		expectFindings(t, got, wrongFindings(filepath.ToSlash(filepath.Join(dir, "projects", "x.md"))))
	}
}

func expectFindings(t *testing.T, got, want [][]string) {
	t.Helper()
	for _, finding := range want {
		if !slices.ContainsFunc(got, func(g []string) bool { return slices.Equal(g, finding) }) {
			t.Errorf("%q is not among %q", finding, got)
		}
	}
}

// TestTaskFollowsDev does with the output of catalog dev what Visual Studio Code does: it
// forgets findings where a check begins, and shows those up to its end.
func TestTaskFollowsDev(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	content := contentWith(t, "x.md", wrongListing)
	d := startDev(t, program, filepath.Dir(content), "--addr", "127.0.0.1:0")
	writeText(t, filepath.Join(content, "projects", "x.md"), strings.Replace(wrongListing, "Powerful", "Effortless", 1))
	changed := d.said(t, "^checked: ")
	for name, program := range map[string]string{"../../.vscode/tasks.json": "go run ./cmd/catalog", "../../generator/scaffold/shared/dot-vscode/tasks.json": "catalog"} {
		task := readTasks(t, name, program)["dev"]
		if !task.Background.ActiveOnStart {
			t.Error("the first check is not seen")
		}
		begins, ends := regexp.MustCompile(task.Background.BeginsPattern), regexp.MustCompile(task.Background.EndsPattern)
		want := wrongFindings("content/projects/x.md") // relative to the folder
		for _, report := range []string{d.first, changed} {
			var got [][]string
			active := false
			for line := range strings.SplitSeq(report, "\n") {
				switch {
				case begins.MatchString(line):
					got, active = nil, true
				case ends.MatchString(line):
					active = false
				case active:
					if parts := task.read(t, line); parts != nil {
						got = append(got, parts)
					}
				}
			}
			if active {
				t.Errorf("%q does not end", report)
			}
			expectFindings(t, got, want)
			if task.read(t, "Serving "+d.address+": open pages reload when you save a file.") != nil {
				t.Error("the address is read as a finding")
			}
			want[1][2], want[2][4] = "12", `"Effortless" is praise; say what it does instead`
		}
	}
}
