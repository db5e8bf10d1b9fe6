package strictyaml

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// nodes describes a node and those in it.
func nodes(n *yaml.Node) string {
	var out strings.Builder
	var walk func(n *yaml.Node, depth int)
	walk = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&out, "%*s%d %s %q style %d at %d:%d anchor %q\n", depth, "", n.Kind, n.ShortTag(), n.Value, n.Style,
			n.Line, n.Column, n.Anchor)
		for _, child := range n.Content {
			walk(child, depth+1)
		}
	}
	walk(n, 0)
	return out.String()
}

// checkQuick compares the nodes of quickly and of the library. It reports whether quickly read the
// text.
func checkQuick(t *testing.T, text []byte) bool {
	t.Helper()
	got, ok := quickly(text)
	if !ok {
		return false
	}
	d := &Document{text: text}
	if problems := d.parse(); len(problems) > 0 || d.root == nil {
		t.Fatalf("the library does not read what was read quickly: %v\n%s", problems, text)
	}
	if got, want := nodes(got), nodes(d.root); got != want {
		t.Fatalf("read quickly:\n%s\nthe library:\n%s\n%s", got, want, text)
	}
	return true
}

// frontMatters returns the front matter of the shipped listings.
func frontMatters(t *testing.T) (list [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../../content/projects/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d listings: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ = bytes.Cut(text, []byte("---\n"))
		text, _, _ = bytes.Cut(text, []byte("\n---\n"))
		list = append(list, append(text, '\n'))
	}
	return list
}

// Nearly all listings are in the form that is read quickly, and each is read as by the library.
func TestQuicklyReadListings(t *testing.T) {
	quick := 0
	list := frontMatters(t)
	for _, text := range list {
		if checkQuick(t, text) {
			quick++
		}
	}
	if quick < len(list)*95/100 {
		t.Errorf("%d of %d listings were read quickly", quick, len(list))
	}
}

// Deeply nested lists are left to the library, which bounds their depth.
func TestQuicklyReadDepth(t *testing.T) {
	for depth, want := range map[int]bool{1: true, maxFlowDepth: true, maxFlowDepth + 1: false, 30_000: false} {
		_, ok := quickly([]byte("a: " + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "\n"))
		if ok != want {
			t.Errorf("%d levels are read quickly: %v", depth, ok)
		}
	}
}

// Whatever is changed in a listing, it is read as by the library.
func TestQuicklyReadChanges(t *testing.T) {
	pieces := []string{"", " ", "  ", "- ", ": ", ":", "#", " #", "\"", "'", "[", "]", "{", "}", ",", ", ", "&a", "*a",
		"!t", "|", ">", "?", "? ", "%", "@", "`", "~", "null", "true", "no", "0", "07", "1_000", "1.5", "1e3", "0x1f", "-1",
		"2026-13-40", "2026-01-31", "<<", "---", "...", "é", "\u2028", "\u00a0", "\t", "\r", "\\", "\n", "\n  ", "\n- ", "=",
		".inf", "12:30", "a: b", "word"}
	random := rand.New(rand.NewPCG(1, 2))
	list := frontMatters(t)
	quick := 0
	for range 20_000 {
		lines := bytes.SplitAfter(list[random.IntN(len(list))], []byte("\n"))
		from := random.IntN(len(lines))
		text := bytes.Join(lines[from:min(from+1+random.IntN(6), len(lines))], nil)
		for range 1 + random.IntN(2) {
			at := random.IntN(len(text) + 1)
			end := min(at+random.IntN(3), len(text))
			text = []byte(string(text[:at]) + pieces[random.IntN(len(pieces))] + string(text[end:]))
		}
		if checkQuick(t, text) {
			quick++
		}
	}
	if quick < 1000 {
		t.Errorf("only %d texts were read quickly", quick)
	}
}
