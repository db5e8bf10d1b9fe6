//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
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
