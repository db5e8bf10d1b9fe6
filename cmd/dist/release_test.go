package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// released is a release of the files of this checkout, from a folder of its own.
type released struct{ root, out string }

// shared is the release that several tests look at.
var shared struct {
	once sync.Once
	released
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.root != "" {
		_ = os.RemoveAll(filepath.Dir(shared.root))
	}
	os.Exit(code)
}

// linux are the platforms of the image. To compile for more takes minutes.
var linux = []platform{{"linux", "amd64"}, {"linux", "arm64"}}

// sharedRelease returns a release for Linux. It is made once.
func sharedRelease(t *testing.T) released {
	t.Helper()
	soak.Long(t)
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "dist-test-")
		if err != nil {
			shared.err = err
			return
		}
		shared.released = released{filepath.Join(dir, "checkout"), filepath.Join(dir, "dist")}
		copyCheckout(t, shared.root)
		shared.err = release(t.Context(), testOptions(t, shared.released, linux))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.released
}

const testVersion = "v0.0.1-test"

func testOptions(t *testing.T, r released, p []platform) options {
	return options{
		root: r.root, out: r.out, version: testVersion, source: "https://catalog.example/source",
		platforms: p, epoch: "1795000000", log: t.Output(),
	}
}

// copyCheckout copies the files that git tracks or would track, and compiles the engine.
func copyCheckout(t *testing.T, to string) {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			continue // deleted, or a folder
		}
		writeFile(t, filepath.Join(to, name), text)
	}
	engine := exec.CommandContext(t.Context(), processtest.Installed(t, "make", "make"), "-C", to, "engine")
	engine.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") })
	if out, err := engine.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// readFolder returns the files of a folder by name.
func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

// unpack unpacks an archive with the system's own programs.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestArchive unpacks the archive for this computer, and looks for everything in it.
func TestArchive(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	folder := filepath.Join(unpack(t, filepath.Join(r.out, "catalog_"+testVersion+"_linux_amd64.tar.gz")), "catalog_"+testVersion+"_linux_amd64")
	for name, part := range map[string]string{
		"CHANGELOG.md": "## Unreleased", "LICENSE": "Apache License", "README.md": "make run",
		notices:                    "github.com/spf13/cobra",
		"completions/catalog.bash": "__start_catalog", "completions/catalog.fish": "complete -c catalog",
		"completions/catalog.ps1": "Register-ArgumentCompleter", "completions/_catalog": "#compdef catalog",
		"man/catalog.1": `"Nov 2026" "catalog ` + testVersion + `"`, "man/catalog-serve.1": ".SH SYNOPSIS",
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s has no %s: %v", name, part, err)
		}
	}
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		return
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(folder, "catalog"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "catalog "+testVersion+", 2026-11-18, index format ") {
		t.Errorf("catalog version says %q, %v", out, err)
	}
	// The program has the engine: a site that searches in the browser can be built.
	build := exec.CommandContext(t.Context(), filepath.Join(folder, "catalog"), "build", "--quiet", "--content", "../catalog/testdata/content", "--out", filepath.Join(t.TempDir(), "public"))
	build.Env = append(os.Environ(), "CATALOG_SEARCH=browser")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestChecksums runs sha256sum over a release.
func TestChecksums(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", checksums)
	check.Dir = r.out
	out, err := check.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for name := range readFolder(t, r.out) {
		if name != checksums && !strings.Contains(string(out), name+": OK\n") {
			t.Errorf("%s is not checked", name)
		}
	}
}

// TestReproducible makes a second release from another folder, and compares all bytes.
func TestReproducible(t *testing.T) {
	t.Parallel()
	first := sharedRelease(t)
	dir := t.TempDir()
	second := released{filepath.Join(dir, "another folder", "with a longer name"), filepath.Join(dir, "out")}
	copyCheckout(t, second.root)
	if err := release(t.Context(), testOptions(t, second, linux)); err != nil {
		t.Fatal(err)
	}
	compareReleases(t, first, second)
}

// TestSoakReproducible makes two whole releases, the second with an empty build cache.
func TestSoakReproducible(t *testing.T) {
	if !soak.Full() {
		t.Skip("compiles for six platforms twice: make soak runs it")
	}
	dir := t.TempDir()
	first := released{filepath.Join(dir, "a"), filepath.Join(dir, "dist-a")}
	second := released{filepath.Join(dir, "another folder"), filepath.Join(dir, "dist-b")}
	for _, r := range []released{first, second} {
		copyCheckout(t, r.root)
		begin := time.Now()
		if err := release(t.Context(), testOptions(t, r, platforms)); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s took %s", r.out, time.Since(begin))
		t.Setenv("GOCACHE", filepath.Join(dir, "cache"))
	}
	compareReleases(t, first, second)
	if files := readFolder(t, first.out); len(files) != len(platforms)+3 {
		t.Errorf("the release has %d files", len(files))
	}
}

func compareReleases(t *testing.T, first, second released) {
	t.Helper()
	a, b := readFolder(t, first.out), readFolder(t, second.out)
	if len(a) != len(b) || len(a) < 5 {
		t.Errorf("there are %d files, and then %d", len(a), len(b))
	}
	for name, text := range a {
		if b[name] != text {
			t.Errorf("%s differs", name)
		}
	}
}

// TestNothingHalfWritten checks that a failed release leaves the one before, and no other
// folder; and that a folder that is not a release is never replaced.
func TestNothingHalfWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "checkout") // without code, so that nothing compiles
	writeFile(t, filepath.Join(root, "CHANGELOG.md"), []byte("# Changelog\n"))
	writeFile(t, filepath.Join(root, "generator", "engine", "search.wasm.lzma"), nil)
	o := testOptions(t, released{root, filepath.Join(dir, "dist")}, linux)
	writeFile(t, filepath.Join(o.out, checksums), []byte("old"))
	if err := release(t.Context(), o); err == nil || !strings.Contains(err.Error(), "compile for linux/amd64") {
		t.Errorf("an empty checkout: %v", err)
	}
	if files := readFolder(t, o.out); len(files) != 1 || files[checksums] != "old" {
		t.Errorf("the release before is now %q", files)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("something is left over: %v, %v", entries, err)
	}
	o.out = filepath.Join(dir, "mine")
	writeFile(t, filepath.Join(o.out, "notes.txt"), []byte("mine"))
	if err := release(t.Context(), o); err == nil || !strings.Contains(err.Error(), "so `make dist` did not write it") {
		t.Errorf("somebody's folder: %v", err)
	}
}

// TestReplace checks that a new release takes the place of the one before.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, files := filepath.Join(dir, "dist"), filepath.Join(dir, "files")
	for i, want := range []string{"first", "second"} {
		writeFile(t, filepath.Join(files, want), nil)
		if err := replace(out, files, filepath.Join(dir, "old"+want)); err != nil {
			t.Fatal(err)
		}
		if got := readFolder(t, out); len(got) != 1 || got[want] != "" {
			t.Errorf("release %d: %q", i, got)
		}
	}
}

// TestErrors checks that what cannot be released says why, before anything is compiled.
func TestErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const changelog = "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-11-26\n\n- Something.\n\n## 1.2.2 - soon\n\n- x\n\n## 1.2.1 - 2026-11-20\n\n## 1.2.0\n"
	writeFile(t, filepath.Join(dir, "CHANGELOG.md"), []byte(changelog))
	for _, c := range []struct{ version, epoch, want string }{
		{"", "1795000000", `the version "" is not allowed`},
		{"v1 0", "1795000000", "is not allowed: begin with a letter or digit"},
		{"-v1", "1795000000", "is not allowed: begin with a letter or digit"},
		{"v1.0.0+build", "1795000000", "is not allowed: begin with a letter or digit"},
		{"v1.2.4", "1795000000", "CHANGELOG.md has no heading for v1.2.4: write `## 1.2.4 - `"},
		{"1.2.4", "1795000000", "no heading"},
		{"v1.2.3-rc.1", "1795000000", "no heading"},
		{"v1.2.2", "1795000000", "has no day"},
		{"v1.2.0", "1795000000", "has no day"},
		{"v1.2.1", "1795000000", "nothing below the heading"},
		{"v1.2.3", "", "set SOURCE_DATE_EPOCH"},
		{"v1.2.3", "yesterday", "must be in seconds since 1970"},
		{"v1.2.3", "0", "must be in seconds since 1970"},
		// What git says of a commit after a tag, or without one, needs no heading.
		{"v1.2.4-3-g25ed458", "1795000000", "is not compiled: run `make dist`"},
		{"25ed458-dirty", "1795000000", "is not compiled: run `make dist`"},
		{"v1.2.3", "1795000000", "is not compiled: run `make dist`"},
	} {
		o := testOptions(t, released{dir, filepath.Join(dir, "dist")}, linux)
		o.version, o.epoch = c.version, c.epoch
		if err := release(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("version %q, time %q: %v, want %s", c.version, c.epoch, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dist")); err == nil {
		t.Error("something was written")
	}
	if err := run(t.Context(), []string{"v1.0.0"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "only flags") {
		t.Errorf("an argument: %v", err)
	}
	if err := run(t.Context(), []string{"-platform", "linux/mips"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("an unknown platform: %v", err)
	}
}

// TestChangelogIsReady checks that the changelog has the form that a release needs.
func TestChangelogIsReady(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := headingPattern.FindAllStringSubmatch(string(text), -1)
	if len(headings) == 0 || headings[0][1] != "Unreleased" {
		t.Fatalf("the first heading is not `## Unreleased`: %q", headings)
	}
	for _, h := range headings[1:] {
		number, _, _ := strings.Cut(h[1], " - ")
		if err := checkChangelog(string(text), "v"+number); err != nil || tagPattern.FindString(number) == "" {
			t.Errorf("the heading %q is not `## 1.0.0 - 2026-11-26`: %v", h[1], err)
		}
	}
}

// TestMakefileRunsDist checks that make compiles the engine first, and hands on the version.
func TestMakefileRunsDist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("\ndist: engine\n\tgo build -C cmd/dist -o ../../bin/dist .\n\tbin/dist -version '$(VERSION)' ")) {
		t.Error("make dist does not run cmd/dist after make engine")
	}
}

// decode decodes JSON without unknown fields.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
