package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// american matches words in American spelling, and "catalog" and "license" as nouns: the
// program is called catalog, a field license.
var american = regexp.MustCompile(`\b(` +
	`\w*(?:authori|canonicali|categori|customi|emphasi|generali|initiali|locali|maximi|minimi|normali|optimi|organi|prioriti|recogni|saniti|seriali|speciali|standardi|summari|synchroni|tokeni|utili|visuali)z(?:e|es|ed|er|ers|ing|ation|ations)` +
	`|analyz(?:e|es|ed|er|ers|ing)|behaviors?|cancel(?:ed|ing)|centers?|centered|colors?|colored|defense|favorites?|fulfill?s|gray|judgments?|label(?:ed|ing)|model(?:ed|ing)|neighbors?|travel(?:ed|ing)` +
	`|(?i:an?|any|each|every|its|my|our|the|this|your) (?:\w+ )?(?:catalogs?|licenses?)` +
	`)\b`)

// names are texts that american matches and that others have set.
var names = regexp.MustCompile(`` +
	// the specification, and what is called after it
	`Catalog API|Lists catalog projects|Searches and filters the catalog|[Tt]he catalog cannot be changed|api-catalog|AI catalog` +
	// Kubernetes, licences, and words for something else than a text
	`|prefers-color-scheme|behavior:|Open Source License|Commercial License|under the mit license|organisation organization|(?:parameter|filter|field) license|catalog (?:command|program|of the site's APIs)`)

// TestSpelling checks that texts which people read are in British spelling: documents, pages,
// the content, messages of the program, and texts of pages. Code in them is left out.
func TestSpelling(t *testing.T) {
	t.Parallel()
	checked := 0
	check := func(file string, line int, text string) {
		checked++
		if word := american.FindString(names.ReplaceAllString(text, "")); word != "" {
			t.Errorf("%s:%d: %q", strings.TrimPrefix(file, "../../"), line, word)
		}
	}
	err := filepath.WalkDir("../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if slices.Contains([]string{"testdata", "node_modules", "public", "bin", "dist", "man", "bench"}, name) || len(name) > 2 && name[0] == '.' && name != ".github" {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			checkStrings(t, file, check)
		case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".yml") && name != "synonyms.yml" && name != "logos.yml" /* slugs */, strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".conf"), name == "llms.txt", name == "Makefile":
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(prose(string(text)), "\n") {
				check(file, i+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 10_000 {
		t.Errorf("only %d texts were checked", checked)
	}
}

// prose removes the code, addresses and data of a Markdown text, and keeps its lines.
func prose(text string) string {
	for _, code := range []string{
		"(?s)\n```.*?\n```", `<[^>\n]*>`, "`[^`\n]*`", `\]\([^)\n]*\)`, `https?://\S+`,
		// In front matter, asks are how people say it, and these keys hold names. The next are scripts in recipes.
		`(?m)^(?:aliases|alsoIn|category|replaces|topics|asks|sources|installLinks|license|releases?|formerly|environment|files|prepare|start|run):(?:.*\n(?:[ -].*\n)*)`, `(?m)^(?:- )?name: .*$`, `(?m)^(?:- )?  (?:asks|formerly|slug):.*\n(?:    .*\n)*`, `(?m)^- slug: .*$`,
	} {
		text = regexp.MustCompile(code).ReplaceAllStringFunc(text, func(found string) string {
			return strings.Repeat("\n", strings.Count(found, "\n"))
		})
	}
	return text
}

// checkStrings checks the texts in a Go file: strings of several words.
func checkStrings(t *testing.T, file string, check func(file string, line int, text string)) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if text, err := strconv.Unquote(s.Value); err == nil && strings.Contains(text, " ") {
				check(file, files.Position(s.Pos()).Line, prose(text))
			}
		}
		return true
	})
	for _, group := range parsed.Comments {
		check(file, files.Position(group.Pos()).Line, prose(strings.ReplaceAll(group.Text(), "\n", " ")))
	}
}
