package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/rule"
)

// markdownCode returns the lines of the fenced code blocks of a Markdown text, and its
// code spans.
func markdownCode(markdown string) []string {
	var code []string
	fenced := false
	for line := range strings.SplitSeq(markdown, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			line, _, _ = strings.Cut(line, " # ")
			code = append(code, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ ")))
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
			code = append(code, m[1])
		}
	}
	return code
}

// withoutCode removes the code from a Markdown text.
func withoutCode(markdown string) string {
	return regexp.MustCompile("(?s)```.*?```|`[^`]+`").ReplaceAllString(markdown, "")
}

// TestDocuments checks that the make targets, commands, flags, packages and files named in
// the documents and on the pages about the project exist.
func TestDocuments(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../content/pages/*.md")
	if err != nil || len(pages) < 6 {
		t.Fatalf("the pages are %q, %v", pages, err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			// Their links lead to other pages of the site, which TestShipped follows.
			checkDocument(t, regexp.MustCompile(`\]\((\.\./|\{)`).ReplaceAllString(readText(t, page), "](https://catalog.example/"), "")
		})
	}
	for _, name := range []string{"README.md", "WALKTHROUGH.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "AGENTS.md", "api/README.md", "cmd/README.md", "generator/README.md", "templates/README.md"} {
		t.Run(name, func(t *testing.T) {
			text := readText(t, filepath.Join("../..", name))
			seen := checkDocument(t, text, "")
			if name == "README.md" && (seen.targets < 2 || seen.commands < 5 || seen.links < 3) {
				t.Errorf("only %+v were seen", seen)
			}
			if lines := strings.Count(text, "\n"); name == "README.md" && lines > 120 {
				t.Errorf("it has %d lines, and at most 120 are read", lines)
			}
		})
	}
}

// TestSettingsAreExplained checks that the page for operators explains every setting with its
// default, and no other.
func TestSettingsAreExplained(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(readText(t, "../../content/pages/operators.md"), "\n## Settings\n")
	explained := map[string]string{} // the defaults by key
	for _, row := range tableRows(text) {
		keys, defaults := strings.Split(row[0], ", "), strings.Split(row[1], ", ")
		for i, key := range keys {
			explained[strings.Trim(key, "`")] = row[1]
			if len(keys) == len(defaults) {
				explained[strings.Trim(key, "`")] = defaults[i]
			}
		}
	}
	defaults := reflect.ValueOf(site.Defaults())
	for i := range defaults.NumField() {
		key := defaults.Type().Field(i).Tag.Get("json")
		got, ok := explained[key]
		delete(explained, key)
		want := fmt.Sprint(defaults.Field(i).Interface())
		if list, isList := defaults.Field(i).Interface().([]string); isList {
			want = strings.Join(list, ", ")
		}
		if defaults.Field(i).Kind() == reflect.Map {
			want = ""
		}
		if key == "base_url" { // no page may name localhost:8080, because it would hide a wrong base_url
			want = "port 8080 of localhost"
		}
		// Texts such as "none" and "of the program" stand for empty and long defaults.
		if !ok || want != "" && strings.ReplaceAll(got, "`", "") != want && got != "of the program" {
			t.Errorf("%s: the page has %q, want its default %q", key, got, want)
		}
	}
	if len(explained) > 0 {
		t.Errorf("there are no settings %v", explained)
	}
}

// TestChosenRulesAreExplained checks that the page for editors explains every rule that is off
// unless a catalogue chooses it, and that the settings which it shows are valid.
func TestChosenRulesAreExplained(t *testing.T) {
	t.Parallel()
	page := readText(t, "../../content/pages/editors.md")
	for _, r := range rule.All {
		if row := fmt.Sprintf("| `%s` | %s |\n", r.Name, r.Meaning); r.Severity == rule.Off && !strings.Contains(page, row) {
			t.Errorf("the page has no row %s", row)
		}
	}
	example := regexp.MustCompile("(?s)```yaml\n(rules: .*?)```").FindStringSubmatch(page)
	if example == nil {
		t.Fatal("the page shows no settings")
	}
	name := filepath.Join(t.TempDir(), "catalog.yml")
	writeText(t, name, example[1])
	if _, err := generator.LoadSettings(name, func(string) (string, bool) { return "", false }); err != nil {
		t.Error(err)
	}
}

// TestKindsAreExplained checks that the page for editors, and the facts of a new catalogue, name every kind of
// fact, and the page every way in which filters compare.
func TestKindsAreExplained(t *testing.T) {
	t.Parallel()
	page, scaffold := readText(t, "../../content/pages/editors.md"), readText(t, "../../generator/scaffold/examples/board-games/content/taxonomy/facts.yml")
	for _, kind := range api.FactKinds {
		if !strings.Contains(page, fmt.Sprintf("`%s`", kind)) {
			t.Errorf("the page does not name the kind %s", kind)
		}
		if kind != api.FactSetups && !regexp.MustCompile(fmt.Sprintf(`#.*\b%s\b`, kind)).MatchString(scaffold) {
			t.Errorf("the facts of a new catalogue do not name the kind %s", kind)
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\|.*$", kind)).FindString(page)
		for _, match := range kind.Matches() {
			if !strings.Contains(row, fmt.Sprintf("`%s`", match)) {
				t.Errorf("the row of the kind %s does not name %s: %q", kind, match, row)
			}
		}
	}
}

// TestReadmeFigures checks that the figures of the README are on the page of measurements.
func TestReadmeFigures(t *testing.T) {
	t.Parallel()
	page, found := readText(t, "../../content/pages/measurements.md"), 0
	for _, row := range tableRows(readText(t, "../../README.md")) {
		if !strings.Contains(row[2], "measurements.md") {
			continue
		}
		for _, figure := range regexp.MustCompile(`\d+[.,]\d+|\d{3,}`).FindAllString(row[1], -1) {
			if found++; !strings.Contains(page, figure) {
				t.Errorf("%q: the page of measurements does not have %s", row[0], figure)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d figures were seen", found)
	}
}

// named counts what a document names.
type named struct{ targets, commands, links int }

// checkDocument checks the make targets, commands, flags, packages and files that a Markdown
// text names. The root is what leads from the text to the root of the repository.
func checkDocument(t *testing.T, text, root string) named {
	t.Helper()
	targets := makeTargets(t)
	var seen named
	for _, piece := range markdownCode(text) {
		for _, m := range regexp.MustCompile(`\bmake ([a-z][a-z0-9-]*)`).FindAllStringSubmatch(piece, -1) {
			seen.targets++
			if !targets[m[1]] {
				t.Errorf("`%s`: the Makefile has no target %s", piece, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`(?:^|[ /;&|(])catalog ([a-z].*)`).FindAllStringSubmatch(piece, -1) {
			seen.commands++
			checkCommandLine(t, piece, strings.Fields(m[1]))
		}
		if m := regexp.MustCompile(`^--[a-z][a-z-]*`).FindString(piece); m != "" && !anyCommandHas(m) {
			t.Errorf("`%s`: no command has this flag", piece)
		}
		if regexp.MustCompile(`^(deploy|templates|cmd|api|generator)/[\w./-]*$`).MatchString(piece) {
			if _, err := os.Stat(filepath.Join("../..", piece)); err != nil && !strings.HasPrefix(piece, "api/v1/") {
				t.Errorf("there is no %s", piece)
			}
		}
		if m := regexp.MustCompile(`^go test .*?(\./[a-z/]+)`).FindStringSubmatch(piece); m != nil {
			if files, err := filepath.Glob(filepath.Join("../..", m[1], "*_test.go")); err != nil || len(files) == 0 {
				t.Errorf("`%s`: %s has no tests (%v)", piece, m[1], err)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutCode(text), -1) {
		target, _, _ := strings.Cut(m[1], "#")
		if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		seen.links++
		file, inside := strings.CutPrefix(target, root)
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(file))); err != nil || !inside {
			t.Errorf("the link to %s leads nowhere", m[1])
		}
	}
	return seen
}

// makeTargets returns the targets of the Makefile.
func makeTargets(t *testing.T) map[string]bool {
	t.Helper()
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(readText(t, "../../Makefile"), -1) {
		targets[m[1]] = true
	}
	return targets
}

// TestReadmesNameEverything checks the tables of packages in the folders' README.md, and that
// go.mod says of each module that it requires directly what it is for.
func TestReadmesNameEverything(t *testing.T) {
	t.Parallel()
	packages := map[string]bool{}
	err := filepath.WalkDir("../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); name == "testdata" || name == "node_modules" || len(name) > 2 && name[0] == '.' {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != "../.." {
				return fs.SkipDir // a module of its own
			}
		} else if strings.HasSuffix(file, ".go") {
			packages[filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), "../../"))] = true
		}
		return nil
	})
	if err != nil || len(packages) < 10 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	for name := range packages {
		folder, _, _ := strings.Cut(name, "/")
		if folder == "templates" { // what the generator renders with
			folder = "generator"
		}
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + name + "`[^|]* \\|").MatchString(readText(t, filepath.Join("../..", folder, "README.md"))) {
			t.Errorf("the table of packages in %s/README.md has no row for %s", folder, name)
		}
	}
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+(?: // (.*))?$`).FindAllStringSubmatch(readText(t, "../../go.mod"), -1)
	if len(required) < 10 {
		t.Fatalf("only %d requirements were seen in go.mod", len(required))
	}
	for _, m := range required {
		if m[2] == "" {
			t.Errorf("go.mod does not say what %s is for: write it beside the version", m[1])
		}
	}
}

// checkCommandLine checks that the command and the flags of a command line exist.
func checkCommandLine(t *testing.T, piece string, words []string) {
	t.Helper()
	root := newRoot(testEnv())
	command, _, err := root.Find(words)
	if err != nil || command == root {
		t.Errorf("`%s`: there is no command %s", piece, words[0])
		return
	}
	command.InitDefaultHelpFlag()
	for _, word := range words {
		word = strings.TrimLeft(word, "[(")
		if !strings.HasPrefix(word, "--") {
			continue
		}
		flag := regexp.MustCompile(`^--[a-z-]*`).FindString(word)
		if command.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
			t.Errorf("`%s`: %s has no flag %s", piece, command.CommandPath(), flag)
		}
	}
}

func anyCommandHas(flag string) bool {
	has := flag == "--help"
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		has = has || c.Flags().Lookup(strings.TrimPrefix(flag, "--")) != nil
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(testEnv()))
	return has
}
