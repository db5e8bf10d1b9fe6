package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const index = "api/v1/search.idx"

// files maps paths with slashes to contents.
type files map[string]string

// readTree returns every file below a folder except its manifest, and every empty
// folder as a path that ends with a slash.
func readTree(t *testing.T, dir string) files {
	t.Helper()
	tree := files{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == Manifest {
			return nil
		}
		if e.IsDir() {
			entries, err := os.ReadDir(file)
			if len(entries) == 0 {
				tree[name+"/"] = ""
			}
			return err
		}
		content, err := os.ReadFile(file)
		tree[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// writeTree writes files below a folder; a name that ends with a slash is a folder.
func writeTree(t *testing.T, dir string, tree files) {
	t.Helper()
	for name, content := range tree {
		file := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(file)
		if strings.HasSuffix(name, "/") {
			folder = file
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder == file {
			continue
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func checkTree(t *testing.T, dir string, want files) {
	t.Helper()
	got := readTree(t, dir)
	if !maps.Equal(got, want) {
		t.Errorf("%s holds %v, want %v", filepath.Base(dir), got, want)
	}
}

// stage begins a build and stages files.
func stage(t *testing.T, target string, tree files) *Stage {
	t.Helper()
	s, err := Begin(targetAt(target))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Abort)
	for name, content := range tree {
		if err := s.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// build replaces the target by files.
func build(t *testing.T, target string, tree files) {
	t.Helper()
	if err := stage(t, target, tree).Commit(); err != nil {
		t.Fatal(err)
	}
}

// checkEntries checks the entries of a folder: there must be no staging folder and no
// temporary file.
func checkEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

var (
	firstBuild  = files{index: "index 1", "index.html": "home 1", "projects/old/index.html": "old", "api/v1/lists/1.json": "[1]"}
	secondBuild = files{index: "index 2", "index.html": "home 2", "projects/new/index.html": "new", "about/index.html": "about"}
)

// clashingBuilds are builds that replace files by folders and folders by files.
var clashingBuilds = []files{
	firstBuild,
	secondBuild,
	{index: "index 3", "projects": "a file now", "index.html/deep/file": "a folder now", "about/index.html": "about"},
	{index: "index 4", "projects/new/index.html": "new", "index.html": "home 4"},
	{index: "index 5"},
}

func TestFilesMovedOneByOne(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	kept := files{Placeholder: "kept", "lost+found/#12": "found by a check of the file system"}
	writeTree(t, target, kept)
	for _, tree := range clashingBuilds {
		s := stage(t, target, tree)
		s.stagedBeside = false // prevents the exchange
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		checkTree(t, target, with(with(tree, Placeholder, "kept"), "lost+found/#12", kept["lost+found/#12"]))
		checkEntries(t, parent, "public")
	}
}

func TestFirstBuild(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "far", "public")
	s := stage(t, target, firstBuild)
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target is there before the build is done: %v", err)
	}
	if n, bytes := s.Written(); n != 4 || bytes != int64(len("index 1home 1old[1]")) {
		t.Errorf("Written() = %d files, %d bytes", n, bytes)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, firstBuild)
	checkEntries(t, filepath.Dir(target), "public")
	for name, want := range map[string]fs.FileMode{target: 0o755 | fs.ModeDir, filepath.Join(target, "api"): 0o755 | fs.ModeDir, filepath.Join(target, "index.html"): 0o644} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v: a web server runs as another user", name, info.Mode(), want)
		}
	}
	// After Commit, Abort does nothing: the path of the staging folder may be another
	// build's.
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Abort()
	if _, err := os.Stat(s.dir); err != nil {
		t.Error(err)
	}
	checkTree(t, target, firstBuild)
}

func TestNextBuild(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	writeTree(t, target, files{Placeholder: "kept under version control\n"})
	build(t, target, firstBuild)

	s := stage(t, target, secondBuild)
	held, err := os.OpenRoot(target) // as a reader of the old build
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	checkTree(t, target, with(firstBuild, Placeholder, "kept under version control\n"))
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, with(secondBuild, Placeholder, "kept under version control\n"))
	checkEntries(t, parent, "public")

	// The folders are exchanged: the reader still has the old one.
	if content, err := held.ReadFile("index.html"); err == nil {
		t.Errorf("the reader of the old folder reads %q: files were moved one by one", content)
	}
}

func with(tree files, name, content string) files {
	return merge(tree, files{name: content})
}

func TestAbortLeavesEverything(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	build(t, target, firstBuild)
	s := stage(t, target, secondBuild)
	s.Abort()
	checkTree(t, target, firstBuild)
	checkEntries(t, parent, "public")
}

func TestForeignFilesAreRefused(t *testing.T) {
	for name, tree := range map[string]files{
		"documents":                     {"thesis.txt": "years of work"},
		"folder":                        {"photos/": ""},
		"beside the placeholder":        {Placeholder: "", "notes.md": "mine"},
		"a folder in the index's place": {"api/v1/": ""},
		"a staging folder and a file":   {innerStaging + "/x": "half", "mine": ""},
		"a build without a manifest":    firstBuild,
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			target := filepath.Join(parent, "home")
			writeTree(t, target, tree)
			s, err := Begin(targetAt(target))
			if err == nil {
				s.Abort()
				t.Fatal("a folder with foreign files is taken")
			}
			if !strings.Contains(err.Error(), target) || !strings.Contains(err.Error(), "move these away") {
				t.Errorf("%q does not say which folder, or not what to do", err)
			}
			if _, old := tree[index]; old != strings.Contains(err.Error(), "an older version") {
				t.Errorf("%q: an earlier version wrote it: %t", err, old)
			}
			checkTree(t, target, tree)
			checkEntries(t, parent, "home")
		})
	}
	for name, tree := range map[string]files{
		"an empty folder":              {},
		"with the placeholder":         {Placeholder: ""},
		"a new file system":            {"lost+found/": "", Placeholder: ""},
		"what a killed build has left": {innerStaging + "/x": "half"},
		"a first build that was killed while files were moved": {Manifest: manifestFormat + "\n- - about/index.html\n- - index.html\n", "index.html": "new"},
		"an empty manifest": {Manifest: ""},
	} {
		t.Run(name, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "public")
			writeTree(t, target, with(tree, "x/", ""))
			if err := os.Remove(filepath.Join(target, "x")); err != nil {
				t.Fatal(err)
			}
			build(t, target, secondBuild)
			want := secondBuild
			if _, ok := tree[Placeholder]; ok {
				want = with(want, Placeholder, "")
			}
			if _, ok := tree["lost+found/"]; ok {
				want = with(want, "lost+found/", "")
			}
			checkTree(t, target, want)
		})
	}
}

func TestTargetIsAFile(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	writeTree(t, filepath.Dir(target), files{"public": "a file"})
	if s, err := Begin(targetAt(target)); err == nil {
		s.Abort()
		t.Error("a file is taken for a folder")
	}
	checkTree(t, filepath.Dir(target), files{"public": "a file"})
}

func TestLeftoversOfKilledBuilds(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "pub[1]*") // as a glob it matches other names
	build(t, target, firstBuild)
	active := stage(t, target, secondBuild)
	writeTree(t, parent, files{
		".pub[1]*.catalog-123/index.html": "left by a killed build",
		".pub[1]*.catalog-124/":           "",
		".pub1x.catalog-125/index.html":   "another target's",
		".pub[1]*.other":                  "not a staging folder",
		"pub[1]*/.catalog-staging/x":      "left inside the target",
	})
	next := stage(t, target, with(secondBuild, "index.html", "home 3"))
	for name, want := range map[string]bool{
		".pub[1]*.catalog-123": false, ".pub[1]*.catalog-124": false, "pub[1]*/.catalog-staging": false,
		".pub1x.catalog-125": true, ".pub[1]*.other": true, filepath.Base(active.dir): true, filepath.Base(next.dir): true,
	} {
		if _, err := os.Stat(filepath.Join(parent, name)); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", name, err == nil, want)
		}
	}

	// The active build has lost nothing.
	if err := active.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, secondBuild)
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, with(secondBuild, "index.html", "home 3"))
	checkEntries(t, parent, ".pub1x.catalog-125", ".pub[1]*.other", "pub[1]*")
}

// Begin may find the staging folder of another build before that is locked.
func TestConcurrentBuilds(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	const builds, rounds = 8, 25
	var wg sync.WaitGroup
	errs := make(chan error, builds*rounds)
	for b := range builds {
		wg.Go(func() {
			for r := range rounds {
				id := fmt.Sprintf("%d-%d", b, r)
				s, err := Begin(targetAt(target))
				if err != nil {
					errs <- fmt.Errorf("begin %s: %w", id, err)
					continue
				}
				for _, name := range []string{"a/1", "a/2", index} {
					if err := s.Write(name, []byte(id)); err != nil {
						errs <- fmt.Errorf("write %s: %w", id, err)
					}
				}
				s.Abort()
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	checkEntries(t, parent)
}

func TestConcurrentWrites(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	s := stage(t, target, nil)
	want := files{index: "index"}
	for i := range 200 {
		want[fmt.Sprintf("projects/%d/%d/index.html", i%7, i)] = fmt.Sprint(i)
	}
	var wg sync.WaitGroup
	for name, content := range want {
		wg.Go(func() {
			if err := s.Write(name, []byte(content)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, _ := s.Written(); n != int64(len(want)) {
		t.Errorf("Written() = %d files, want %d", n, len(want))
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, want)
}

func TestWriteInvalidNames(t *testing.T) {
	parent := t.TempDir()
	s := stage(t, filepath.Join(parent, "public"), nil)
	for _, name := range []string{"", ".", "..", "../escaped", "a/../../escaped", "/absolute", "a//b", "a/", "./a"} {
		if err := s.Write(name, []byte("x")); err == nil {
			t.Errorf("Write(%q) is taken", name)
		}
	}
	if n, bytes := s.Written(); n != 0 || bytes != 0 {
		t.Errorf("Written() = %d, %d", n, bytes)
	}
	s.Abort()
	checkEntries(t, parent)
}

func TestConflicts(t *testing.T) {
	s := stage(t, filepath.Join(t.TempDir(), "public"), files{"a": "", "b/c/d": "", "b/c/e": "", "Robots.txt": ""})
	want := map[string]string{"a": "a", "A": "a", "a/x/y": "a", "b": "b/c/d", "b/c": "b/c/d", "b/c/d": "b/c/d", "robots.TXT": "Robots.txt", "robots.txt/x": "Robots.txt"}
	names := []string{"b/d", "b/c/f", "c", "aa", "b/cc"}
	for name := range want {
		names = append(names, name)
	}
	if got := s.Conflicts(names); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteErrors(t *testing.T) {
	s := stage(t, filepath.Join(t.TempDir(), "public"), files{"a": "a file"})
	if err := s.Write("a/b", []byte("x")); err == nil || !strings.Contains(err.Error(), "a/b") {
		t.Errorf("a file in a folder's place: %v", err)
	}
	if err := s.Write("c/d", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Write("c", []byte("x")); err == nil || !strings.Contains(err.Error(), "write c") {
		t.Errorf("a folder in a file's place: %v", err)
	}
}

// The link stays; the folder that it leads to is replaced.
func TestTargetIsALink(t *testing.T) {
	parent := t.TempDir()
	real, link := filepath.Join(parent, "releases", "current"), filepath.Join(parent, "public")
	build(t, real, firstBuild)
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	build(t, link, secondBuild)
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	checkTree(t, real, secondBuild)
	checkEntries(t, parent, "public", "releases")
	checkEntries(t, filepath.Dir(real), "current")
}

func TestRelativeTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	build(t, "public", firstBuild)
	build(t, "./public/", secondBuild)
	checkTree(t, "public", secondBuild)
	checkEntries(t, ".", "public")
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "catalog.1")
	for _, c := range []struct {
		content string
		chmod   fs.FileMode // before writing; 0 for none
		want    fs.FileMode
	}{
		{"new", 0, 0o644},
		{"again, and longer than before", 0, 0o644},
		{"", 0o640, 0o640},
		{"mine alone", 0o600, 0o600},
		{"for all to write", 0o666, 0o666},
	} {
		if c.chmod != 0 {
			if err := os.Chmod(name, c.chmod); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteFile(name, []byte(c.content)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != c.want {
			t.Errorf("%q: mode %v, want %v", c.content, info.Mode(), c.want)
		}
		checkTree(t, dir, files{"catalog.1": c.content})
	}
}

// A reader sees the complete old or new content.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	long := func(c string) []byte { return []byte(strings.Repeat(c, 1<<20)) }
	if err := WriteFile(name, long("a")); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 30 {
			if err := WriteFile(name, long(string(rune('a'+i%3)))); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for reads := 0; ; reads++ {
			content, err := os.ReadFile(name)
			if err != nil || len(content) != 1<<20 || strings.Count(string(content), string(content[:1])) != 1<<20 {
				t.Errorf("a reader saw %d bytes, %v", len(content), err)
				return
			}
			select {
			case <-done:
				if reads > 0 {
					return
				}
			default:
			}
		}
	})
	wg.Wait()
	checkEntries(t, dir, "file")
}

func TestWriteFileError(t *testing.T) {
	dir := t.TempDir()
	before := files{"taken/by/a/folder": "x"}
	writeTree(t, dir, before)
	for _, name := range []string{"taken", "no/such/folder/file"} {
		if err := WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("y")); err == nil {
			t.Errorf("WriteFile(%q) succeeds", name)
		}
		checkTree(t, dir, before)
	}
}

// TestReplace checks that files are written and removed, and that all is restored if one of them cannot be.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		text, err := os.ReadFile(file(name))
		if err != nil {
			return "none"
		}
		return string(text)
	}
	for _, name := range []string{"old", "gone"} {
		if err := os.WriteFile(file(name), []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change := []Text{{Name: file("old"), Content: []byte("after")}, {Name: file("new/file"), Content: []byte("after")}}
	if err := Replace(t.Context(), change, []string{file("gone"), file("missing")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removing a missing file gives %v", err)
	}
	if read("old") != "before" || read("new/file") != "none" || read("gone") != "before" {
		t.Errorf("the files are %q, %q, %q", read("old"), read("new/file"), read("gone"))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, files := range [][]Text{change, nil} {
		if err := Replace(ended, files, []string{file("gone")}); !errors.Is(err, context.Canceled) || read("old") != "before" || read("gone") != "before" {
			t.Errorf("in an ended context: %v, %q, %q", err, read("old"), read("gone"))
		}
	}
	if err := Replace(t.Context(), change, []string{file("gone")}); err != nil {
		t.Fatal(err)
	}
	if read("old") != "after" || read("new/file") != "after" || read("gone") != "none" {
		t.Errorf("the files are %q, %q, %q", read("old"), read("new/file"), read("gone"))
	}
}

// TestCopyFolder copies a folder with a link to itself and one to the folder around it.
func TestCopyFolder(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(from, "inner"), 0o755), os.Symlink(from, filepath.Join(from, "self")),
		os.Symlink("..", filepath.Join(from, "inner", "up"))); err != nil {
		t.Fatal(err)
	}
	err := CopyFolder(from, to)
	names, err2 := filepath.Glob(filepath.Join(to, "*", "*"))
	all, err3 := filepath.Glob(filepath.Join(to, "*"))
	if err := errors.Join(err, err2, err3); err != nil || len(names) != 0 || len(all) != 1 {
		t.Errorf("%q and %q are copied, %v", all, names, err)
	}
}
