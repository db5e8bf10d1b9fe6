package render

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/labels"
	"catalog.example/templates"
)

var updateLabels = flag.Bool("update-labels", false, "write templates/labels.yml")

// labelsHead is the beginning of the shipped file.
const labelsHead = `# The texts of the pages. To translate or change some, copy them into labels.yml in the folder
# of overrides, and write yours after the colon:
#
#   Search: Suchen
#   "{n} listings": {one: "{n} Eintrag", other: "{n} Einträge"}
#
# Braces hold values. A text that counts has a form for each plural category of the language
# (CLDR): zero, one, two, few, many, other. Texts of the API's description on /docs/ and
# /problems/ can be replaced in the same way. The setting lang names the language. German needs no
# translation, because the program has one: catalog templates export writes it.
#
# Written by: go test ./generator/render -run Labels -update-labels
`

// shownTexts returns the texts of templates, page code and code, each with its form for 1 or
// "" if it does not count.
func shownTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	quoted := func(s string) string {
		text, err := strconv.Unquote(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return text
	}
	const literal = `("(?:[^"\\]|\\.)*")`
	text := regexp.MustCompile(`[({]t ` + literal + `|\bt\(` + literal)
	count := regexp.MustCompile(`[({]count \S+ ` + literal + ` ` + literal + `|\bn\([^"]+, ` + literal + `, ` + literal)
	err := fs.WalkDir(templates.Shipped(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		source, err := fs.ReadFile(templates.Shipped(), name)
		for _, m := range text.FindAllStringSubmatch(string(source), -1) {
			texts[quoted(m[1]+m[2])] = ""
		}
		for _, m := range count.FindAllStringSubmatch(string(source), -1) {
			texts[quoted(m[2]+m[4])] = quoted(m[1] + m[3])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../page/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, pages...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			var literal func(e ast.Expr) string // of a string, or of several with + between them
			literal = func(e ast.Expr) string {
				switch e := e.(type) {
				case *ast.BasicLit:
					if e.Kind == token.STRING {
						return quoted(e.Value)
					}
				case *ast.BinaryExpr:
					return literal(e.X) + literal(e.Y)
				}
				return ""
			}
			argument := func(i int) string {
				if i < len(call.Args) {
					return literal(call.Args[i])
				}
				return ""
			}
			switch selector.Sel.Name {
			case "T", "Text", "Form":
				if text := argument(0); text != "" {
					texts[text] = ""
				}
			case "N":
				if other := argument(2); other != "" {
					texts[other] = argument(1)
				}
			}
			return true
		})
	}
	for _, list := range [][]string{apiTexts, slices.Collect(maps.Values(licenseTerms)), {listed, ownTerms,
		mixedTerms, noLicense}} {
		for _, text := range list {
			texts[text] = ""
		}
	}
	return texts
}

// labels.yml has every text of the pages, so that owners see what can be replaced.
func TestLabelsFileIsCurrent(t *testing.T) {
	var want bytes.Buffer
	want.WriteString(labelsHead)
	texts := shownTexts(t)
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		quoted := string(api.AppendString(nil, text))
		if one := texts[text]; one != "" {
			fmt.Fprintf(&want, "%s: {one: %s, other: %s}\n", quoted, api.AppendString(nil, one), quoted)
		} else {
			fmt.Fprintf(&want, "%s: %s\n", quoted, quoted)
		}
	}
	const file = "../../templates/labels.yml"
	if *updateLabels {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not current: run go test ./generator/render -run Labels -update-labels", file)
	}
}

// alike are texts that are the same in German.
var alike = []string{"API", "In", "Link", "Mac", "Markdown", "Name", "Offline", "Parameter", "RAM in GB", "System",
	"Text", "VRAM in GB", "brew", "docker", "helm", "npm", "pip", "{gb} GB", "{gb} GB RAM", "{gb} GB VRAM", "{n} km", "{n} m"}

// subsets returns all subsets of a set.
func subsets(set []string) (all [][]string) {
	for chosen := range 1 << len(set) {
		var one []string
		for i, name := range set {
			if chosen>>i&1 == 1 {
				one = append(one, name)
			}
		}
		all = append(all, one)
	}
	return all
}

// The German translation is complete, because the documents promise it: whoever adds a text adds it to
// templates/labels/de.yml, too.
func TestGerman(t *testing.T) {
	shipped, err := fs.ReadFile(templates.Shipped(), labels.File)
	if err != nil {
		t.Fatal(err)
	}
	known, err := labels.Known(shipped)
	if err != nil {
		t.Fatal(err)
	}
	german, _, err := labels.Translation("de-AT")
	if err != nil { // tells of values that a text lacks, too
		t.Fatal(err)
	}
	for _, text := range (&labels.Labels{}).Over(german).Missing(known) {
		t.Errorf("templates/labels/de.yml lacks %q", text)
	}
	// The texts of the API's description vary with the fields that listings have.
	texts := map[string]bool{}
	for _, search := range []string{site.SearchByServer, site.SearchNone} {
		for _, fields := range subsets([]string{"stars", "replaces", "license", "installLinks", "platforms", "repositoryUrl"}) {
			settings := site.Defaults()
			settings.Search, settings.Without, settings.Languages = search, fields, []string{"de"}
			settings = settings.In("de")
			for _, text := range fixedTexts(&settings) {
				texts[text] = !strings.Contains(text, "–") // which stands for a word of the catalogue
			}
		}
	}
	for text := range texts {
		for sentence := range strings.SplitAfterSeq(text, ". ") {
			if texts[text] && len(sentence) > len("1. ") && strings.Contains(german.Prose(text), sentence) {
				t.Errorf("templates/labels/de.yml lacks %q of %q", sentence, text)
			}
		}
	}
	for text, counts := range known {
		forms := german.Forms(text)
		if _, ok := forms["one"]; forms != nil && ok != counts {
			t.Errorf("%q has the forms %q", text, forms)
		}
		for _, form := range forms {
			if form == text != slices.Contains(alike, text) {
				t.Errorf("%q is %q", text, form)
			}
			if strings.ContainsAny(form, "\"”") || strings.Count(form, "„") != strings.Count(form, "“") {
				t.Errorf("%q has quotation marks that are not German", form)
			}
		}
	}
}
