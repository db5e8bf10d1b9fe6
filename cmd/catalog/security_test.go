package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api/soak"
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

// TestSecurityNamesTests checks that every threat and bound in SECURITY.md has its
// countermeasure and names existing tests.
func TestSecurityNamesTests(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := testNames(t)
	for _, table := range []struct {
		heading                         string
		columns, measureColumn, minRows int // cells of a row, index of the cell with the countermeasure
	}{{"\n## Threats", 5, 3, 30}, {"\n## Bounds", 4, 1, 12}} {
		_, section, _ := strings.Cut(string(text), table.heading)
		section, _, _ = strings.Cut(section, "\n## ")
		rows := 0
		for line := range strings.Lines(section) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || strings.HasSuffix(line, "| tests |") {
				continue
			}
			rows++
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if len(cells) != table.columns || strings.TrimSpace(cells[table.measureColumn]) == "" {
				t.Errorf("a row has %d cells, or does not say what holds: %s", len(cells), line)
				continue
			}
			named := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[table.columns-1], -1)
			if len(named) == 0 {
				t.Errorf("no test shows it: %s", line)
			}
			for _, m := range named {
				if !names[m[1]] {
					t.Errorf("there is no test %s", m[1])
				}
			}
		}
		if rows < table.minRows {
			t.Errorf("only %d rows were seen below %q", rows, table.heading)
		}
	}
}
