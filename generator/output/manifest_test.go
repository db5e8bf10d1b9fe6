package output

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// keep is the default of the setting, and a folder that builds write to.
var keep = []string{".git", "CNAME", ".well-known/acme-challenge", "uploads"}

// keptFiles are the kept files of a target.
var keptFiles = files{
	".git/HEAD": "ref: refs/heads/gh-pages\n", ".git/objects/ab/cdef": "an object", ".git/empty/": "", "CNAME": "catalog.example\n",
	".well-known/acme-challenge/token": "proof", "uploads/a/b": "not ours",
}

// keptBuilds are builds that write beside keptFiles.
var keptBuilds = []files{
	with(firstBuild, ".well-known/api-catalog", "{}"),
	with(secondBuild, "uploads/built.txt", "ours, in a kept folder"),
	{index: "index 3", "projects": "a file now", "index.html/deep/file": "a folder now"},
	with(firstBuild, ".well-known/api-catalog", "{}"),
}

// targetAt returns a target with keep and an index.
func targetAt(target string) Target { return Target{Folder: target, Last: index, Keep: keep} }

// buildInto replaces a target by files and returns the first error.
func buildInto(to Target, tree files) error {
	s, err := Begin(to)
	if err != nil {
		return err
	}
	defer s.Abort()
	for name, content := range tree {
		if err := s.Write(name, []byte(content)); err != nil {
			return err
		}
	}
	return s.Commit()
}

func mustBuild(t *testing.T, to Target, tree files) {
	t.Helper()
	if err := buildInto(to, tree); err != nil {
		t.Fatal(err)
	}
}

func merge(a, b files) files {
	both := files{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// without returns the files of a that are not in b.
func without(a, b files) files {
	rest := files{}
	for name, content := range a {
		if _, both := b[name]; !both {
			rest[name] = content
		}
	}
	return rest
}

func lstat(t *testing.T, name string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestKeptEntriesStay(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	writeTree(t, target, keptFiles)
	git := lstat(t, filepath.Join(target, ".git"))
	for _, tree := range keptBuilds {
		mustBuild(t, targetAt(target), tree)
		checkTree(t, target, merge(keptFiles, tree))
		checkEntries(t, parent, "public")
	}
	if !os.SameFile(git, lstat(t, filepath.Join(target, ".git"))) {
		t.Error(".git was copied")
	}

	// Entries that are no longer kept are foreign.
	err := buildInto(Target{Folder: target, Last: index, Keep: []string{".git", "uploads/a", ".well-known/acme-challenge"}}, firstBuild)
	if err == nil || !strings.Contains(err.Error(), `no build wrote "CNAME": catalog deletes only files that it wrote: move these away, choose another folder with --out, or add them to the setting keep, which is [.git`) {
		t.Errorf("CNAME is not kept, and %v", err)
	}
	checkTree(t, target, merge(keptFiles, keptBuilds[len(keptBuilds)-1]))
}

// Kept entries appear and disappear between builds.
func TestKeptEntriesAppearLater(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, targetAt(target), keptBuilds[0])
	writeTree(t, target, keptFiles)
	mustBuild(t, targetAt(target), keptBuilds[1])
	checkTree(t, target, merge(keptFiles, keptBuilds[1]))
	for name := range keptFiles {
		if err := os.RemoveAll(filepath.Join(target, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".git", "uploads/a", ".well-known/acme-challenge"} {
		if err := os.RemoveAll(filepath.Join(target, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	mustBuild(t, targetAt(target), firstBuild)
	checkTree(t, target, with(firstBuild, ".well-known/", "")) // the folder of a kept path stays
	checkEntries(t, parent, "public")
}

// A build replaces kept entries only if a build wrote them.
func TestConflictsWithKeptEntries(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, targetAt(target), with(firstBuild, "CNAME", "of the build"))
	mustBuild(t, targetAt(target), with(secondBuild, "CNAME", "of the next"))
	checkTree(t, target, with(secondBuild, "CNAME", "of the next"))
	mustBuild(t, targetAt(target), secondBuild)
	checkTree(t, target, secondBuild)

	writeTree(t, target, keptFiles)
	for name, tree := range map[string]files{
		"CNAME":        {index: "3", "CNAME": "of the build"},
		"uploads":      {index: "3", "uploads": "a file in a kept folder's place"},
		"CNAME/file":   {index: "3", "CNAME/file": "a folder in a kept file's place"},
		"uploads/a/b":  {index: "3", "uploads/a/b": "a file in a kept folder", "fine": ""},
		".well-known":  {index: "3", ".well-known": "a file in the place of a folder that holds what is kept"},
		"uploads/a/b/": {index: "3", "uploads/a/b/c": "too deep"},
	} {
		err := buildInto(targetAt(target), tree)
		if err == nil || !strings.Contains(err.Error(), `the build writes "`+strings.TrimSuffix(name, "/")) || !strings.Contains(err.Error(), "the setting keep") {
			t.Errorf("%s: %v", name, err)
		}
		checkTree(t, target, merge(keptFiles, secondBuild))
		checkEntries(t, parent, "public")
	}
	s := stage(t, target+"-other", nil)
	for _, name := range []string{".git/HEAD", "a/.git", Manifest, innerStaging + "/x", "a\nb"} {
		if err := s.Write(name, nil); err == nil {
			t.Errorf("a build may write %q", name)
		}
	}
}

func TestForeignFilesError(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, targetAt(target), firstBuild)
	foreign := files{"note.txt": "mine", "projects/old/notes/a": "", "projects/old/notes/b": "", "about/": "", "api/v1/x\ny": ""}
	writeTree(t, target, foreign)
	err := buildInto(targetAt(target), secondBuild)
	const want = `: no build wrote "about/", "api/v1/x\ny", "note.txt", "projects/old/notes/": catalog deletes`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want …%s…", err, want)
	}
	checkTree(t, target, merge(firstBuild, foreign))
	for i := range 40 {
		writeTree(t, target, files{fmt.Sprintf("z%02d", i): ""})
	}
	err = buildInto(targetAt(target), secondBuild)
	if err == nil || !strings.Contains(err.Error(), `"z05" and 34 more: `) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// A foreign file that appears during a build is an error.
func TestForeignFileDuringBuild(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, targetAt(target), firstBuild)
	s := stage(t, target, secondBuild)
	writeTree(t, target, files{"projects/note.txt": "mine"})
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), `no build wrote "projects/note.txt"`) {
		t.Errorf("Commit() = %v", err)
	}
	checkTree(t, target, with(firstBuild, "projects/note.txt", "mine"))
	checkEntries(t, parent, "public")
}

// If it appears so late that it is in the old folder, that folder stays.
func TestRetireFolderWithForeignFile(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, targetAt(target), secondBuild)
	old := filepath.Join(parent, ".public.catalog-123")
	mustBuild(t, targetAt(old), firstBuild)
	writeTree(t, old, files{"projects/note.txt": "mine"})
	if err := retire(old); err == nil || !strings.Contains(err.Error(), old) {
		t.Errorf("retire() = %v", err)
	}
	for range 2 {
		mustBuild(t, targetAt(target), firstBuild)
		checkTree(t, old, files{"projects/note.txt": "mine"})
	}
	if err := os.RemoveAll(filepath.Join(old, "projects")); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, targetAt(target), secondBuild)
	checkEntries(t, parent, "public")
}

func TestEditedFilesAreReplaced(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, targetAt(target), firstBuild)
	if err := os.WriteFile(filepath.Join(target, "index.html"), []byte("homE 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(target, "projects/old/index.html")); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, targetAt(target), firstBuild)
	checkTree(t, target, firstBuild)
}

// A link that replaced a folder of a build is foreign.
func TestFolderReplacedByLink(t *testing.T) {
	parent := t.TempDir()
	target, elsewhere := filepath.Join(parent, "public"), filepath.Join(parent, "elsewhere")
	mustBuild(t, targetAt(target), firstBuild)
	if err := os.Rename(filepath.Join(target, "projects"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(target, "projects")); err != nil {
		t.Fatal(err)
	}
	if err := buildInto(targetAt(target), secondBuild); err == nil || !strings.Contains(err.Error(), `no build wrote "projects"`) {
		t.Errorf("got %v", err)
	}
	checkTree(t, elsewhere, files{"old/index.html": "old"})
}

func TestManifest(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, targetAt(target), files{index: "index", "b c/d": "", "a": "abc"})
	got, err := os.ReadFile(filepath.Join(target, Manifest))
	// printf abc | sha256sum
	const want = manifestFormat + `
ba7816bf8f01cfea414140de5dae2223 3 a
1bc04b5291c26a46d918139138b992d2 5 api/v1/search.idx
e3b0c44298fc1c149afbf4c8996fb924 0 b c/d
`
	if err != nil || string(got) != want {
		t.Errorf("got\n%s, want\n%s%v", got, want, err)
	}
	for about, text := range map[string]string{
		"line 1": "something else\n", "line 2": manifestFormat + "\nab 3\n", "line 3": manifestFormat + "\n- - a\n- - ../b\n",
		"line 2 ": manifestFormat + "\n- - .git/HEAD\n", "line 2  ": manifestFormat + "\nba7816bf8f01cfea414140de5dae2223 3 cut-sho",
	} {
		if err := os.WriteFile(filepath.Join(target, Manifest), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := buildInto(targetAt(target), firstBuild); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(about)+" of "+Manifest+" is damaged") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(filepath.Join(target, Manifest)); err != nil {
		t.Fatal(err)
	}
	if err := buildInto(targetAt(target), firstBuild); err == nil || !strings.Contains(err.Error(), "older version") {
		t.Errorf("without a manifest: %v", err)
	}
}

// longAgo is before every build.
var longAgo = time.Date(2020, 2, 2, 20, 20, 20, 123456789, time.UTC)

func TestUnchangedFilesKeepTheirTime(t *testing.T) {
	next := merge(firstBuild, files{"index.html": "home 2", "new": "new", "private": "unchanged"})
	for name, target := range map[string]func(t *testing.T) string{
		"exchanged": func(t *testing.T) string { return filepath.Join(t.TempDir(), "public") },
		"moved": func(t *testing.T) string {
			target := filepath.Join(t.TempDir(), "public")
			writeTree(t, target, keptFiles)
			return target
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := target(t)
			mustBuild(t, targetAt(target), with(firstBuild, "private", "unchanged"))
			for name := range with(firstBuild, "private", "") {
				if err := os.Chtimes(filepath.Join(target, filepath.FromSlash(name)), longAgo, longAgo); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(filepath.Join(target, "private"), 0o600); err != nil {
				t.Fatal(err)
			}
			indexBefore := lstat(t, filepath.Join(target, filepath.FromSlash(index)))
			for range 2 {
				mustBuild(t, targetAt(target), next)
				indexNow := lstat(t, filepath.Join(target, filepath.FromSlash(index)))
				if os.SameFile(indexBefore, indexNow) {
					t.Error("the index is the same file: a server would not notice the build")
				}
				indexBefore = indexNow
				for name, content := range next {
					info := lstat(t, filepath.Join(target, filepath.FromSlash(name)))
					unchanged := firstBuild[name] == content || name == "private"
					if info.ModTime().Equal(longAgo) != unchanged {
						t.Errorf("%s has the time %v; unchanged: %t", name, info.ModTime(), unchanged)
					}
					if runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
						t.Errorf("%s has mode %v", name, info.Mode())
					}
				}
			}

			// A file that was edited and got its old time back is replaced.
			home := filepath.Join(target, "index.html")
			if err := os.WriteFile(home, []byte("homE 2"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(home, longAgo, longAgo); err != nil {
				t.Fatal(err)
			}
			mustBuild(t, targetAt(target), next)
			if content, err := os.ReadFile(home); err != nil || string(content) != "home 2" || lstat(t, home).ModTime().Equal(longAgo) {
				t.Errorf("it holds %q, %v", content, err)
			}
		})
	}
}

// The staged file is a hard link to the old one, which a second write must not
// change.
func TestWriteTwice(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, targetAt(target), firstBuild)
	s := stage(t, target, firstBuild)
	if err := s.Write("index.html", []byte("home 2")); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, firstBuild)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, with(firstBuild, "index.html", "home 2"))
}

func TestInvalidTargets(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, files{"file": "x"})
	for link, to := range map[string]string{"dangling": "nowhere", "loop": "loop", "tofile": "file"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"file": "it is a file: choose a folder with --out", "tofile": "it is a file: choose", "file/below": "a part of the path is a file, not a folder: choose another folder with --out",
		"dangling": "it is a link to nowhere, which does not exist: create that folder, or remove the link", "loop": "it is a link to loop",
	} {
		err := buildInto(targetAt(filepath.Join(dir, name)), firstBuild)
		if err == nil || !strings.Contains(err.Error(), "output folder "+filepath.Join(dir, name)+": ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want …%s…", name, err, want)
		}
	}
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{"dangling", "file", "loop", "tofile"}) {
		t.Errorf("the folder holds %q: %v", names, err)
	}
}

// Links and folders with similar names stay.
func TestOnlyStagingFoldersAreCleanedUp(t *testing.T) {
	dir := t.TempDir()
	target := targetAt(filepath.Join(dir, "public"))
	live := targetAt(filepath.Join(dir, "live"))
	mustBuild(t, live, firstBuild)
	mustBuild(t, target, firstBuild)
	others := files{".public.catalog-backup/notes": "mine", ".public.catalog-2026-copy/" + Manifest: "catalog-manifest 1\n- - notes\n", ".public.catalog-2026-copy/notes": "mine"}
	writeTree(t, dir, others)
	for _, link := range []string{".public.catalog-live", ".public.catalog-123"} {
		if err := os.Symlink("live", filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	writeTree(t, dir, files{".public.catalog-456/half": "of a build that was killed"})
	mustBuild(t, target, secondBuild)
	for name, text := range others {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for name, text := range firstBuild {
		if got, err := os.ReadFile(filepath.Join(live.Folder, filepath.FromSlash(name))); err != nil || string(got) != text {
			t.Errorf("live/%s holds %q, %v", name, got, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".public.catalog-456")); !os.IsNotExist(err) {
		t.Errorf("the staging folder of a killed build is still there: %v", err)
	}
}

// Pipes with names of builds are reported, and neither read nor removed.
func TestNamedPipesInOutput(t *testing.T) {
	for _, name := range []string{Placeholder, Manifest, innerStaging} {
		target := targetAt(filepath.Join(t.TempDir(), "public"))
		mustBuild(t, target, firstBuild)
		file := filepath.Join(target.Folder, name)
		_ = os.Remove(file)
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := buildInto(target, secondBuild); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
}
