//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goPackage is a package as `go list -json` describes it.
type goPackage struct {
	ImportPath    string
	Imports, Deps []string
}

// listPackages returns the packages of this module by import path.
func listPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "./...")
	command.Dir = "../.."
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]goPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// TestImportDirections checks the import rules of ARCHITECTURE.md: generator and
// api/server share only the build output and the types that describe it.
func TestImportDirections(t *testing.T) {
	t.Parallel()
	const module = "catalog.example/"
	packages := listPackages(t)
	below := func(folder string) []string {
		var paths []string
		for path := range packages {
			if path == module+folder || strings.HasPrefix(path, module+folder+"/") {
				paths = append(paths, path)
			}
		}
		if len(paths) == 0 {
			t.Fatalf("there is no package below %s", folder)
		}
		return paths
	}
	for _, rule := range []struct{ from, never string }{
		{"api", "generator"},
		{"api", "templates"},
		{"api", "cmd"},
		{"api/search", "api/server"},
		{"generator", "api/server"},
		{"generator", "cmd"},
		{"templates", "api"},
		{"templates", "generator"},
	} {
		t.Run(rule.from+" never imports "+rule.never, func(t *testing.T) {
			forbidden := below(rule.never)
			for _, path := range below(rule.from) {
				for _, imported := range packages[path].Deps {
					if slices.Contains(forbidden, imported) {
						t.Errorf("%s imports %s", path, imported)
					}
				}
			}
		})
	}
	// The contract and the engine use no HTTP and no files, so that they run in a browser.
	for _, path := range []string{"api", "api/search"} {
		t.Run(path+" uses no HTTP and no files", func(t *testing.T) {
			p, ok := packages[module+path]
			if !ok {
				t.Fatal("there is no such package")
			}
			for _, never := range []string{"net", "net/http", "os/exec"} {
				if slices.Contains(p.Deps, never) {
					t.Errorf("it depends on %s", never)
				}
			}
			for _, never := range []string{"io/fs", "net/url", "os", "path/filepath", "regexp"} {
				if slices.Contains(p.Imports, never) {
					t.Errorf("it imports %s", never)
				}
			}
		})
	}
	t.Run("the shipped program writes no manual pages", func(t *testing.T) {
		// cobra/doc imports libraries for YAML and Markdown.
		if slices.Contains(packages[module+"cmd/catalog"].Deps, "github.com/spf13/cobra/doc") {
			t.Error("it imports cobra/doc")
		}
	})
	forTests := []string{module + "api/apitest", module + "api/server/processtest", module + "api/soak"}
	for _, helper := range forTests {
		t.Run(helper+" is for tests", func(t *testing.T) {
			if _, ok := packages[helper]; !ok {
				t.Fatal("there is no such package")
			}
			for path, p := range packages {
				if !slices.Contains(forTests, path) && slices.Contains(p.Deps, helper) {
					t.Errorf("%s imports it", path)
				}
			}
		})
	}
}

// Code outside tests stays in small rooms. A tab counts as 4 columns. Texts in backquotes and
// directives cannot be broken, so their lines may be longer.
const (
	maxColumns       = 120
	maxFunctionLines = 60
	maxMethods       = 40
)

// TestSizes checks the lines, functions and types of all modules here.
func TestSizes(t *testing.T) {
	t.Parallel()
	methods := map[string]int{}
	files := 0
	err := filepath.WalkDir("../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../../")
		switch base := e.Name(); {
		case e.IsDir() && base != ".ci" && base != ".." && (base[0] == '.' || base == "testdata" || base == "node_modules"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files++
		for _, wrong := range oversized(t, name, text, methods) {
			t.Error(wrong)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, and at most %d are readable", name, n, maxMethods)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were seen", files)
	}
}

// oversized returns what is too long in a file, and counts the methods of its types.
func oversized(t *testing.T, name string, text []byte, methods map[string]int) (wrong []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	unbroken := map[int]bool{} // lines with texts in backquotes
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(literal.Value, "`") {
			for line := set.Position(n.Pos()).Line; line <= set.Position(n.End()).Line; line++ {
				unbroken[line] = true
			}
		}
		return true
	})
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if columns > maxColumns && !unbroken[number] && !strings.HasPrefix(line, "//go:") {
			wrong = append(wrong, fmt.Sprintf("%s:%d has %d columns, and at most %d are readable", name, number, columns, maxColumns))
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		at := set.Position(f.Pos())
		if lines := set.Position(f.End()).Line - at.Line + 1; lines > maxFunctionLines {
			wrong = append(wrong, fmt.Sprintf("%s: %s has %d lines, and at most %d are readable", at, f.Name, lines, maxFunctionLines))
		}
		if f.Recv != nil {
			methods[path.Dir(name)+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	return wrong
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// TestOversized checks that TestSizes would see what is too long.
func TestOversized(t *testing.T) {
	t.Parallel()
	long := "package p\n\n// " + strings.Repeat("x", maxColumns) + "\nfunc (a *T[int]) f() {" + strings.Repeat("\n", maxFunctionLines) + "}\n" +
		"const c = `" + strings.Repeat("x", maxColumns) + "`\n"
	methods := map[string]int{}
	wrong := oversized(t, "p/p.go", []byte(long), methods)
	want := []string{"p/p.go:3 has 123 columns, and at most 120 are readable", "p/p.go:4:1: f has 61 lines, and at most 60 are readable"}
	if !slices.Equal(wrong, want) || methods["p.T"] != 1 {
		t.Errorf("%q, methods %v", wrong, methods)
	}
}
