//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProjectFile(t *testing.T) {
	for name, want := range map[string][2]string{
		"projects/aider/index.html":         {"aider", "html"},
		"projects/aider/index.json":         {"aider", "json"},
		"api/v1/projects/aider.json":        {"aider", "json"},
		"api/v1/projects/index.json":        {"", ""},
		"projects/aider/index.html.md":      {"", ""},
		"categories/video/index.html":       {"", ""},
		"api/v1/lists/popular/1.json":       {"", ""},
		"projects/aider/further/index.html": {"", ""},
	} {
		if slug, kind := projectFile(name); slug != want[0] || kind != want[1] {
			t.Errorf("%s: %q, %q; want %q", name, slug, kind, want)
		}
	}
}

// The comparison must see every kind of difference, or its table says nothing.
func TestSitesThatDiffer(t *testing.T) {
	const page = "<header>ours</header><main id=main><h1>Aider</h1>\n<p>Edits &amp; commits</p></main>"
	const json = `{"slug":"aider","stars":null,"sources":{"fitNotes.gpu":"README"}}`
	for _, c := range []struct{ name, page, json, want string }{
		{"nothing but header, white space and case of sources", "<main><h1>Aider</h1><p>Edits &amp;\ncommits</p></main>", strings.Replace(json, "fitNotes", "fitnotes", 1), ""},
		{"text", strings.Replace(page, "Edits", "Changes", 1), json, "the page of aider"},
		{"a value", page, strings.Replace(json, "null", "1", 1), "the JSON of aider"},
		{"a key less", page, strings.Replace(json, `"stars":null,`, "", 1), "the JSON of aider"},
		{"no main part", "<p>Aider</p>", json, "the page of aider"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, other := readSite(t, page, json), readSite(t, c.page, c.json)
			err := ours.equal(&other)
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func readSite(t *testing.T, page, json string) site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"index.html": page, "index.json": json} {
		if err := writeFile(dir, "projects/aider/"+name, text); err != nil {
			t.Fatal(err)
		}
	}
	var s site
	if err := s.read(dir, 1); err != nil {
		t.Fatal(err)
	}
	if err := new(site).read(dir, 2); err == nil {
		t.Error("a missing listing is not noticed")
	}
	return s
}

func TestMeasure(t *testing.T) {
	// The child holds 64 MiB; this process is told of the child's memory alone.
	const held = 64 << 20
	script := filepath.Join(t.TempDir(), "hold")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec head -c 67108864 /dev/zero | tail -c 67108864 > /dev/null\n"), 0o700); err != nil { // #nosec G306 -- to be run
		t.Fatal(err)
	}
	u, err := measure(t.Context(), []string{script})
	if err != nil {
		t.Fatal(err)
	}
	if u.Peak < held || u.Peak > 2*held || u.Wall <= 0 || u.Wall > time.Minute {
		t.Errorf("measured %+v for a program that holds %d bytes", u, held)
	}
	if _, err := measure(t.Context(), []string{"false"}); err == nil {
		t.Error("a program that fails is taken for one that ran")
	}
}

// TestMain lets measure start this test binary as it starts the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == measureArgument {
		os.Exit(measureMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}
