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

// keep is what the settings keep by default, and a folder in which builds write.
var keep = []string{".git", "CNAME", ".well-known/acme-challenge", "uploads"}

// checkout is what a target holds besides the files of builds.
var checkout = files{
	".git/HEAD": "ref: refs/heads/gh-pages\n", ".git/objects/ab/cdef": "an object", ".git/empty/": "", "CNAME": "catalog.example\n",
	".well-known/acme-challenge/token": "proof", "uploads/a/b": "not ours",
}

// keptBuilds are builds that write beside what is kept.
var keptBuilds = []files{
	with(firstBuild, ".well-known/api-catalog", "{}"),
	with(secondBuild, "uploads/built.txt", "ours, in a kept folder"),
	{index: "index 3", "projects": "a file now", "index.html/deep/file": "a folder now"},
	with(firstBuild, ".well-known/api-catalog", "{}"),
}

// into is a target with the default settings and an index.
func into(target string) Target { return Target{Folder: target, Last: index, Keep: keep} }

// buildInto puts files into a target's place and returns the error of the first
// step that fails.
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

func plus(a, b files) files {
	both := files{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// less returns the files that are not among the others.
func less(a, b files) files {
	rest := files{}
	for name, content := range a {
		if _, both := b[name]; !both {
			rest[name] = content
		}
	}
	return rest
}

// inode tells a file from a copy of it.
func inode(t *testing.T, name string) fs.FileInfo {
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
	writeTree(t, target, checkout)
	git := inode(t, filepath.Join(target, ".git"))
	for _, tree := range keptBuilds {
		mustBuild(t, into(target), tree)
		sameTree(t, target, plus(checkout, tree))
		onlyIn(t, parent, "public")
	}
	if !os.SameFile(git, inode(t, filepath.Join(target, ".git"))) {
		t.Error(".git was copied")
	}

	// What is kept no more is no build's.
	err := buildInto(Target{Folder: target, Last: index, Keep: []string{".git", "uploads/a", ".well-known/acme-challenge"}}, firstBuild)
	if err == nil || !strings.Contains(err.Error(), `no build wrote "CNAME": catalog deletes nothing that it did not write: move it away, name another folder with --out, or add it to the setting keep, which is [.git`) {
		t.Errorf("CNAME is not kept, and %v", err)
	}
	sameTree(t, target, plus(checkout, keptBuilds[len(keptBuilds)-1]))
}

// Where something is kept comes and goes between builds.
func TestKeptEntriesComeLater(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, into(target), keptBuilds[0])
	writeTree(t, target, checkout)
	mustBuild(t, into(target), keptBuilds[1])
	sameTree(t, target, plus(checkout, keptBuilds[1]))
	for name := range checkout {
		if err := os.RemoveAll(filepath.Join(target, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".git", "uploads/a", ".well-known/acme-challenge"} {
		if err := os.RemoveAll(filepath.Join(target, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	mustBuild(t, into(target), firstBuild)
	sameTree(t, target, with(firstBuild, ".well-known/", "")) // in which something is kept, as a rule
	onlyIn(t, parent, "public")
}

// What a build writes where something is kept that no build wrote is an error,
// and what a build wrote there is replaced.
func TestBuildWritesWhatIsKept(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, into(target), with(firstBuild, "CNAME", "of the build"))
	mustBuild(t, into(target), with(secondBuild, "CNAME", "of the next"))
	sameTree(t, target, with(secondBuild, "CNAME", "of the next"))
	mustBuild(t, into(target), secondBuild)
	sameTree(t, target, secondBuild)

	writeTree(t, target, checkout)
	for name, tree := range map[string]files{
		"CNAME":        {index: "3", "CNAME": "of the build"},
		"uploads":      {index: "3", "uploads": "a file in a kept folder's place"},
		"CNAME/file":   {index: "3", "CNAME/file": "a folder in a kept file's place"},
		"uploads/a/b":  {index: "3", "uploads/a/b": "a file in a kept folder", "fine": ""},
		".well-known":  {index: "3", ".well-known": "a file in the place of a folder that holds what is kept"},
		"uploads/a/b/": {index: "3", "uploads/a/b/c": "too deep"},
	} {
		err := buildInto(into(target), tree)
		if err == nil || !strings.Contains(err.Error(), `the build writes "`+strings.TrimSuffix(name, "/")) || !strings.Contains(err.Error(), "the setting keep") {
			t.Errorf("%s: %v", name, err)
		}
		sameTree(t, target, plus(checkout, secondBuild))
		onlyIn(t, parent, "public")
	}
	s := stage(t, target+"-other", nil)
	for _, name := range []string{".git/HEAD", "a/.git", Manifest, insideStaging + "/x", "a\nb"} {
		if err := s.Write(name, nil); err == nil {
			t.Errorf("a build may write %q", name)
		}
	}
}

func TestRefusalNamesWhatIsThere(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, into(target), firstBuild)
	foreign := files{"note.txt": "mine", "projects/old/notes/a": "", "projects/old/notes/b": "", "about/": "", "api/v1/x\ny": ""}
	writeTree(t, target, foreign)
	err := buildInto(into(target), secondBuild)
	const want = `: no build wrote "about/", "api/v1/x\ny", "note.txt", "projects/old/notes/": catalog deletes`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want …%s…", err, want)
	}
	sameTree(t, target, plus(firstBuild, foreign))
	for i := range 40 {
		writeTree(t, target, files{fmt.Sprintf("z%02d", i): ""})
	}
	err = buildInto(into(target), secondBuild)
	if err == nil || !strings.Contains(err.Error(), `"z05" and 34 more: `) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// A file that comes while a build is at work is no less the user's.
func TestFileComesDuringTheBuild(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, into(target), firstBuild)
	s := stage(t, target, secondBuild)
	writeTree(t, target, files{"projects/note.txt": "mine"})
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), `no build wrote "projects/note.txt"`) {
		t.Errorf("Commit() = %v", err)
	}
	sameTree(t, target, with(firstBuild, "projects/note.txt", "mine"))
	onlyIn(t, parent, "public")
}

// Where it comes so late that it goes with the old folder, it stays there.
func TestRetiredFolderWithSomethingLeft(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "public")
	mustBuild(t, into(target), secondBuild)
	old := filepath.Join(parent, ".public.catalog-123")
	mustBuild(t, into(old), firstBuild)
	writeTree(t, old, files{"projects/note.txt": "mine"})
	if err := retire(old); err == nil || !strings.Contains(err.Error(), old) {
		t.Errorf("retire() = %v", err)
	}
	for range 2 {
		mustBuild(t, into(target), firstBuild)
		sameTree(t, old, files{"projects/note.txt": "mine"})
	}
	if err := os.RemoveAll(filepath.Join(old, "projects")); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, into(target), secondBuild)
	onlyIn(t, parent, "public")
}

func TestEditedFilesAreTheBuilds(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, into(target), firstBuild)
	if err := os.WriteFile(filepath.Join(target, "index.html"), []byte("homE 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(target, "projects/old/index.html")); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, into(target), firstBuild)
	sameTree(t, target, firstBuild)
}

// A link in the place of a folder that builds wrote leads to what they did not.
func TestLinkInTheBuildsPlace(t *testing.T) {
	parent := t.TempDir()
	target, elsewhere := filepath.Join(parent, "public"), filepath.Join(parent, "elsewhere")
	mustBuild(t, into(target), firstBuild)
	if err := os.Rename(filepath.Join(target, "projects"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(target, "projects")); err != nil {
		t.Fatal(err)
	}
	if err := buildInto(into(target), secondBuild); err == nil || !strings.Contains(err.Error(), `no build wrote "projects"`) {
		t.Errorf("got %v", err)
	}
	sameTree(t, elsewhere, files{"old/index.html": "old"})
}

func TestManifest(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, into(target), files{index: "index", "b c/d": "", "a": "abc"})
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
		if err := buildInto(into(target), firstBuild); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(about)+" of "+Manifest+" is damaged") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(filepath.Join(target, Manifest)); err != nil {
		t.Fatal(err)
	}
	if err := buildInto(into(target), firstBuild); err == nil || !strings.Contains(err.Error(), "earlier version") {
		t.Errorf("without a manifest: %v", err)
	}
}

// longAgo is before every build of the tests.
var longAgo = time.Date(2020, 2, 2, 20, 20, 20, 123456789, time.UTC)

func TestUnchangedFilesKeepTheirTime(t *testing.T) {
	next := plus(firstBuild, files{"index.html": "home 2", "new": "new", "private": "unchanged"})
	for name, target := range map[string]func(t *testing.T) string{
		"exchanged": func(t *testing.T) string { return filepath.Join(t.TempDir(), "public") },
		"moved": func(t *testing.T) string {
			target := filepath.Join(t.TempDir(), "public")
			writeTree(t, target, checkout)
			return target
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := target(t)
			mustBuild(t, into(target), with(firstBuild, "private", "unchanged"))
			for name := range with(firstBuild, "private", "") {
				if err := os.Chtimes(filepath.Join(target, filepath.FromSlash(name)), longAgo, longAgo); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(filepath.Join(target, "private"), 0o600); err != nil {
				t.Fatal(err)
			}
			indexBefore := inode(t, filepath.Join(target, filepath.FromSlash(index)))
			for range 2 {
				mustBuild(t, into(target), next)
				indexNow := inode(t, filepath.Join(target, filepath.FromSlash(index)))
				if os.SameFile(indexBefore, indexNow) {
					t.Error("the index is the same file: a server would not notice the build")
				}
				indexBefore = indexNow
				for name, content := range next {
					info := inode(t, filepath.Join(target, filepath.FromSlash(name)))
					unchanged := firstBuild[name] == content || name == "private"
					if info.ModTime().Equal(longAgo) != unchanged {
						t.Errorf("%s has the time %v; unchanged: %t", name, info.ModTime(), unchanged)
					}
					if runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
						t.Errorf("%s has mode %v", name, info.Mode())
					}
				}
			}

			// A file that was changed in place, with its old time, is written anew.
			home := filepath.Join(target, "index.html")
			if err := os.WriteFile(home, []byte("homE 2"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(home, longAgo, longAgo); err != nil {
				t.Fatal(err)
			}
			mustBuild(t, into(target), next)
			if content, err := os.ReadFile(home); err != nil || string(content) != "home 2" || inode(t, home).ModTime().Equal(longAgo) {
				t.Errorf("it holds %q, %v", content, err)
			}
		})
	}
}

// A file that a build writes twice must not be written into the file of the build
// before, which it shares while it is staged.
func TestWriteTwice(t *testing.T) {
	target := filepath.Join(t.TempDir(), "public")
	mustBuild(t, into(target), firstBuild)
	s := stage(t, target, firstBuild)
	if err := s.Write("index.html", []byte("home 2")); err != nil {
		t.Fatal(err)
	}
	sameTree(t, target, firstBuild)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	sameTree(t, target, with(firstBuild, "index.html", "home 2"))
}

func TestTargetThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, files{"file": "x"})
	for link, to := range map[string]string{"dangling": "nowhere", "loop": "loop", "tofile": "file"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"file": "it is a file: name a folder with --out", "tofile": "it is a file: name", "file/below": "a part of the path is a file: name another folder with --out",
		"dangling": "it is a link to nowhere, where there is no folder: make that folder, or remove the link", "loop": "it is a link to loop",
	} {
		err := buildInto(into(filepath.Join(dir, name)), firstBuild)
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

// A build removes its own staging folders and nothing that is only called like
// them.
func TestOnlyStagingFoldersAreCleanedUp(t *testing.T) {
	dir := t.TempDir()
	target := into(filepath.Join(dir, "public"))
	live := into(filepath.Join(dir, "live"))
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

// Files of builds that are no files are told, and neither waited for nor removed.
func TestPipesInTheBuildsPlace(t *testing.T) {
	for _, name := range []string{Placeholder, Manifest, insideStaging} {
		target := into(filepath.Join(t.TempDir(), "public"))
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
