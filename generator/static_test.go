package generator

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"catalog.example/api/search"
)

// staticFolder writes files into a new folder.
func staticFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestStaticFiles(t *testing.T) {
	files := map[string]string{
		"CNAME": "catalog.example\n", ".nojekyll": "", ".well-known/apple.json": "{ }\n", "fonts/a.woff2": "\x00\xff", "notes.css": "a  {  }", "projects/amber-chat/plan.pdf": "%PDF",
	}
	dir := staticFolder(t, files)
	for _, name := range leftovers {
		if err := os.WriteFile(filepath.Join(dir, "fonts", name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plain, _ := build(t, nil)
	out := filepath.Join(t.TempDir(), "public")
	o := optionsFor(out)
	o.Settings.Static = dir
	run := func() map[string]string {
		t.Helper()
		if _, err := Build(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return readTree(t, out)
	}
	want := readTree(t, plain)
	maps.Copy(want, files)
	tree := run()
	checkTree(t, "with static files", tree, want)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	o.Settings.Static = link
	checkTree(t, "by a link to the folder", run(), want)
	o.Settings.Static = dir
	if bytes.Contains([]byte(tree[search.FileName]), []byte(dir)) {
		t.Error("the index tells the folder of static files")
	}

	// An unchanged file keeps its time, a changed one is replaced, and a removed one goes
	// away, also one that the setting keep names.
	before, err := os.Stat(filepath.Join(out, "fonts", "a.woff2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CNAME", ".nojekyll", "projects/amber-chat/plan.pdf"} {
		delete(want, name)
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	want["notes.css"] = "b{}"
	if err := os.WriteFile(filepath.Join(dir, "notes.css"), []byte("b{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	checkTree(t, "after changes", run(), want)
	after, err := os.Stat(filepath.Join(out, "fonts", "a.woff2"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("an unchanged file is of %v, was of %v: %v", after.ModTime(), before.ModTime(), err)
	}
}

// Everything that is wrong is told at once, and nothing is written.
func TestStaticFilesThatAreRefused(t *testing.T) {
	dir := staticFolder(t, map[string]string{
		"robots.txt": "", "LLMS.txt": "", "favicon.ico": "", "projects": "", "sitemap.xml/a": "", "fine.txt": "", "404.html": "",
	})
	check := func(t *testing.T, dir string, want ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "public")
		o := optionsFor(out)
		o.Settings.Static = dir
		_, err := Build(t.Context(), o)
		if err == nil {
			t.Fatal("the folder is taken")
		}
		lines := strings.Split(err.Error(), "\n")
		slices.Sort(want)
		for i, line := range lines {
			if i >= len(want) || !strings.HasPrefix(line, "setting static: ") || !strings.Contains(line, want[i]) {
				t.Errorf("line %d is %q, want one of %q", i+1, line, want)
			}
		}
		if len(lines) != len(want) {
			t.Errorf("got %d lines, want %d", len(lines), len(want))
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("files were written")
		}
	}
	check(t, dir, "404.html: the build writes 404.html itself: change its template in the folder of overrides, or", "LLMS.txt: the build writes llms.txt itself: change its template",
		"favicon.ico: the build writes favicon.ico itself: put your file in the folder of overrides as assets/favicon.ico", "projects: the build writes projects/",
		"robots.txt: the build writes robots.txt itself: rename your file, or remove it", "sitemap.xml/a: the build writes sitemap.xml itself: ")

	dir = staticFolder(t, map[string]string{".env": "", ".git/config": "", "a/.htaccess": "", "assets/a.png": "", "b:c": "", "d\ne": "", "f\xff": "", "g/.catalog-manifest": "", "fine.txt": ""})
	if err := os.Truncate(filepath.Join(dir, "fine.txt"), maxStatic); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "large"), maxStatic+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("fine.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := openStatic(dir)
	for _, want := range []string{
		".env: it is hidden, and hidden files may be secrets: move it out of the folder; the only hidden files that are copied are .well-known and .nojekyll", ".git: it is hidden", "a/.htaccess: it is hidden", "g/.catalog-manifest: it is hidden",
		"assets: browsers cache the files below assets/", "b:c: its name contains a character", "d\ne: its name", "f\xff: its name", "large: it has 26214401 bytes, and Cloudflare Pages accepts at most 26214400: ",
		"link: it is a symbolic link", "pipe: it is neither a file nor a folder: remove it",
	} {
		if err == nil || !strings.Contains(err.Error(), "setting static: "+dir+"/"+want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "setting static: "); n != 11 {
		t.Errorf("%d entries are refused", n)
	}
	nowhere := filepath.Join(dir, "nowhere")
	check(t, nowhere, "there is no folder "+nowhere+": create it, or remove the setting")
	check(t, filepath.Join(dir, "large"), "large is not a folder: choose the folder")
}

// A file in the output folder that no build wrote is not replaced.
func TestStaticFileBesideAKeptOne(t *testing.T) {
	out := filepath.Join(t.TempDir(), "public")
	o := optionsFor(out)
	if _, err := Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "CNAME"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := readTree(t, out)
	o.Settings.Static = staticFolder(t, map[string]string{"CNAME": "catalog.example"})
	if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), `the build writes "CNAME", but the setting keep protects a file there`) {
		t.Errorf("the error is %v", err)
	}
	checkTree(t, "after an error", readTree(t, out), before)
}
