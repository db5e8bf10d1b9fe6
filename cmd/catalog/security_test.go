package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testNames returns the names of all tests and fuzz targets of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestSecurityNamesTests checks that every threat in SECURITY.md names what
// stops it, and tests that exist.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Who may send what")
	section, _, _ = strings.Cut(section, "\n## ")
	names := testNames(t)
	threats := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who sends") || strings.HasPrefix(line, "| ---") {
			continue
		}
		threats++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || len(strings.TrimSpace(cells[3])) < 20 {
			t.Errorf("a threat has %d cells, or nothing stops it: %s", len(cells), line)
			continue
		}
		named := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[4], -1)
		if len(named) == 0 {
			t.Errorf("no test shows what stops it: %s", line)
		}
		for _, m := range named {
			if !names[m[1]] {
				t.Errorf("there is no test %s", m[1])
			}
		}
	}
	if threats < 10 {
		t.Errorf("only %d threats were seen", threats)
	}
}
