package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
	"golang.org/x/net/html"
)

// pagecheck is the folder with the npm packages and scripts that check pages.
const pagecheck = "testdata/pagecheck"

// checkMarkup checks the pages of the build output by html-validate's rules. The
// exceptions, with reasons, are in markup.mjs. Most pages have the shapes of others: of the
// same shapes, one page is checked, and `make soak` checks all.
func (s *testSite) checkMarkup(t *testing.T) {
	// The validator must find these errors, to show that it works.
	wrong := t.TempDir()
	writeText(t, filepath.Join(wrong, "wrong.html"), `<!doctype html><html lang="en"><title>Wrong</title><p><section id="a"></section><section id="a"></section>`)
	if text := strings.Join(validateMarkup(t, wrong, htmlFiles(t, wrong)), "\n"); !strings.Contains(text, "no-dup-id") || !strings.Contains(text, "wrong.html:1:") {
		t.Errorf("of a wrong page the faults are %q", text)
	}

	all := htmlFiles(t, s.public)
	if want := len(s.pages(t)) + len(s.content.Moves()); len(all) != want {
		t.Errorf("%d pages of %d were found", len(all), want)
	}
	names := all
	if !soak.Full() {
		seen := shapes{}
		names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !seen.add(s.file(t, name)) })
	}
	for _, fault := range validateMarkup(t, s.public, names) {
		t.Error(fault)
	}
	t.Logf("%d of %d pages were checked", len(names), len(all))
}

// TestSoakMarkup checks the markup of all pages of the shipped catalogue with `make soak`.
func TestSoakMarkup(t *testing.T) {
	t.Parallel()
	if !soak.Full() {
		newSite(t, smallContent(t)).checkMarkup(t)
		return
	}
	newSite(t, "../../content").checkMarkup(t)
}

// htmlFiles returns the names of the pages in a folder, in order.
func htmlFiles(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".html" {
			names = append(names, name)
		}
		return err
	})
	if err != nil || names == nil {
		t.Fatalf("pages in %s: %v", folder, err)
	}
	return names
}

// validateMarkup returns the faults of pages in a folder.
func validateMarkup(t *testing.T, folder string, names []string) []string {
	t.Helper()
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	result := decodeJSON[struct {
		Pages  int
		Faults []string
	}](t, string(runPagecheck(t, list, "markup.mjs", folder)))
	if result.Pages != len(names) {
		t.Fatalf("%d pages of %d were checked", result.Pages, len(names))
	}
	return result.Faults
}

// runPagecheck runs a script of pagecheck with Node.js and returns its standard output.
func runPagecheck(t *testing.T, stdin []byte, script string, args ...string) []byte {
	t.Helper()
	script = filepath.Join(pagecheck, script)
	command := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), append([]string{script}, args...)...)
	command.Stdin = bytes.NewReader(stdin)
	out, err := command.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Log(string(exit.Stderr))
		}
		t.Fatalf("node %s: %v: install what it needs with `make deps`", script, err)
	}
	return out
}

// shapes are the shapes of markup in the pages seen so far. A shape is a tag with the tags
// around it and the tag before it, its attributes, and what rules ask of their values. Two
// pages with the same shapes obey or break the same rules.
type shapes map[string]bool

var (
	voidElements = regexp.MustCompile(`^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$`)
	// The values of these attributes differ without a difference for rules.
	freeValues        = regexp.MustCompile(`^(href|src|id|for|alt|title|content|value|datetime|aria-label|aria-labelledby|aria-describedby|aria-controls|data-.*|action|name|width|height|x|y|d|viewbox)$`)
	references        = regexp.MustCompile(`^(for|aria-labelledby|aria-describedby|aria-controls|list)$`)
	plainID           = regexp.MustCompile(`^[A-Za-z][\w:.-]*$`)
	specialCharacters = regexp.MustCompile(`&#?\w*;?|[<>]`)
)

// add adds the shapes of a page, and reports whether one is new.
func (s shapes) add(text string) (added bool) {
	note := func(parts ...string) {
		shape := strings.Join(parts, " ")
		added = added || !s[shape]
		s[shape] = true
	}
	var open []string // elements around the token
	before := ""
	seen := map[string]bool{} // attributes that should be unique
	var wanted [][2]string    // references to ids
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(z.Raw())
		token := z.Token()
		around := strings.Join(open, ">")
		if kind == html.TextToken {
			for _, special := range specialCharacters.FindAllString(raw, -1) {
				note("text", special)
			}
			if strings.TrimSpace(raw) != "" {
				note(around, before, "text")
				before = "text"
			}
			continue
		}
		shape := kind.String() + " " + token.Data
		for _, a := range token.Attr {
			shape += " " + a.Key
			switch {
			case !freeValues.MatchString(a.Key):
				shape += "=" + a.Val
			case strings.TrimSpace(a.Val) == "":
				shape += "=blank"
			}
			if a.Key == "id" && (seen["id "+a.Val] || !plainID.MatchString(a.Val)) || a.Key == "aria-label" && seen[token.Data+a.Val] {
				shape += " again or odd"
			}
			seen["id "+a.Val] = seen["id "+a.Val] || a.Key == "id"
			seen[token.Data+a.Val] = seen[token.Data+a.Val] || a.Key == "aria-label"
			if references.MatchString(a.Key) {
				for id := range strings.FieldsSeq(a.Val) {
					wanted = append(wanted, [2]string{a.Key, id})
				}
			}
		}
		note(around, before, shape)
		before = kind.String() + " " + token.Data
		switch {
		case kind == html.StartTagToken && !voidElements.MatchString(token.Data):
			open = append(open, token.Data)
		case kind == html.EndTagToken:
			for i := range slices.Backward(open) {
				if open[i] == token.Data {
					open = open[:i]
					break
				}
			}
		}
	}
	for _, w := range wanted {
		if !seen["id "+w[1]] {
			note("nothing has the id of", w[0])
		}
	}
	return added
}
