package osv

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// All advisories of the tests are made up, in the form that https://ossf.github.io/osv-schema/ documents.

const today = "2026-11-21"

// minimal returns an advisory with the fields that each must have, and more of them.
func minimal(id, more string) string {
	return fmt.Sprintf(`{"schema_version": "1.7.0", "id": %q, "modified": "2026-10-01T02:03:04Z"%s}`, id, more)
}

// write writes files into a new folder: those below a name that ends in .zip into that zip.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, zips := t.TempDir(), map[string]*zip.Writer{}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if at, inner, ok := strings.Cut(name, ".zip/"); ok {
			path = filepath.Join(dir, filepath.FromSlash(at+".zip"))
			if zips[path] == nil {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				zips[path] = zip.NewWriter(f)
				t.Cleanup(func() { _ = f.Close() })
			}
			w, err := zips[path].Create(inner)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, z := range zips {
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns the advisories of an export with their groups.
func read(name string) (list []string, err error) {
	err = Read(context.Background(), name, today, func(group string, a *Advisory) {
		list = append(list, filepath.Base(group)+" "+a.ID)
	})
	slices.Sort(list)
	return list, err
}

func TestRead(t *testing.T) {
	dir := write(t, map[string]string{
		"PyPI/all.zip/TEST-1.json": minimal("TEST-1", ""), "PyPI/all.zip/TEST-2.json": minimal("TEST-2", `, "withdrawn": "2026-11-20T00:00:00.123456Z"`),
		"npm/TEST-3.json": minimal("TEST-3", `, "affected": [{"package": {"ecosystem": "Ubuntu:24.04:LTS", "name": "a"}}]`), "npm/ids.csv": "TEST-3\n",
	})
	for path, want := range map[string]string{
		"": "all.zip TEST-1, all.zip TEST-2, npm TEST-3", "PyPI/all.zip": "all.zip TEST-1, all.zip TEST-2", "npm": "npm TEST-3",
	} {
		if got, err := read(filepath.Join(dir, path)); err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%q: %s, %v; want %s", path, got, err, want)
		}
	}
}

// Whatever is wrong is told at once, each with its place.
func TestMistakes(t *testing.T) {
	package_ := func(ecosystem string) string {
		return fmt.Sprintf(`, "affected": [{"package": {"ecosystem": %q, "name": "a"}}]`, ecosystem)
	}
	files := map[string]struct{ text, want string }{
		"a.json":           {"{\"id\": \"TEST-1\",\n  \"modified\": }", "a.json:2:15: is not JSON, invalid character '}' looking for beginning of value"},
		"b.json":           {"", "b.json:1:1: is not JSON, unexpected end of JSON input"},
		"c.json":           {`{"id": 12}`, "c.json:1:9: id is of the kind number, which OSV does not write there"},
		"d.json":           {strings.Replace(minimal("TEST-1", ""), "1.7.0", "2.0.0", 1), `d.json: schema_version: "2.0.0" is not known: versions that begin with 1. are read`},
		"e.json":           {minimal("", package_("PyPI")), `e.json: id: "" is not the identifier of an advisory, such as GHSA-xxxx-xxxx-xxxx`},
		"f.json":           {`{"id": "TEST-1", "published": "1 May"` + package_("npm") + "}", `f.json: modified: "" is not a time from 1900 on, such as 2026-01-02T03:04:05Z`},
		"f.json ":          {"", `f.json: published: "1 May" is not a time from 1900 on, such as 2026-01-02T03:04:05Z`},
		"g.json":           {minimal("TEST-1", package_("Go")+`, "withdrawn": "2026-11-22T00:00:00Z"`), "g.json: withdrawn: 2026-11-22 is in the future"},
		"h.zip/h/1.json":   {minimal("TEST-1", package_("pypi")), `h.zip/h/1.json: affected: "pypi" is not an ecosystem of OSV: write PyPI`},
		"h.zip/2.json":     {"[]", "h.zip/2.json:1:1: the advisory is of the kind array, which OSV does not write there"},
		"i/broken.zip":     {"no zip", "i/broken.zip: cannot be read as a zip: zip: not a valid zip file; download it again"},
		"large/large.json": {`{"id": "` + strings.Repeat("x", maxAdvisory) + `"}`, "large/large.json: is larger than 16 MiB, which no advisory is"},
		"j.json":           {minimal("TEST-1", package_("npm")+`, "published": "0001-01-01T00:00:00Z"`), `j.json: published: "0001-01-01T00:00:00Z" is not a time from 1900 on, such as 2026-01-02T03:04:05Z`},
		"k.json":           {strings.Replace(minimal("TEST-1", package_("Hex")+`, "aliases": [1]`), "1.7.0", "2.0.0", 1), ""},
		"right.json":       {minimal("A TEST", package_("Made Up:1")+`, "published": "1 May"`), ""},
	}
	texts := map[string]string{}
	for name, f := range files {
		if !strings.HasSuffix(name, " ") {
			texts[name] = f.text
		}
	}
	dir := write(t, texts)
	_, err := read(dir)
	if err == nil {
		t.Fatal("there is no error")
	}
	told := strings.Split(err.Error(), "\n")
	for _, f := range files {
		if place := dir + "/" + f.want; f.want != "" && !slices.Contains(told, place) {
			t.Errorf("%q is missing", place)
		}
	}
	if n := len(files) - 2; len(told) != 1+n || !strings.HasPrefix(told[0], fmt.Sprintf("advisories: %d mistakes in %s, ", n, dir)) {
		t.Errorf("the error is\n%s", err)
	}
}

// What a link leads to is read if the link is the export itself. In a folder, it would be missing without notice.
func TestLinks(t *testing.T) {
	dir := write(t, map[string]string{"PyPI/TEST-1.json": minimal("TEST-1", ""), "npm/TEST-2.json": minimal("TEST-2", "")})
	link := filepath.Join(t.TempDir(), "export")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if list, err := read(link); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	for _, name := range []string{"npm", "TEST-2.json"} {
		to := filepath.Join(dir, "PyPI", name)
		if err := os.Symlink(filepath.Join(dir, "npm"), to); err != nil {
			t.Fatal(err)
		}
		if _, err := read(dir); err == nil || !strings.Contains(err.Error(), to+": is not a regular file: put the file itself there, or remove this") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestManyMistakes(t *testing.T) {
	files := map[string]string{}
	for i := range maxMistakes + 7 {
		files[fmt.Sprintf("all.zip/%d.json", i)] = "{"
	}
	_, err := read(write(t, files))
	if err == nil || strings.Count(err.Error(), "\n") != maxMistakes+1 || !strings.HasPrefix(err.Error(), "advisories: 107 mistakes in ") || !strings.HasSuffix(err.Error(), "\nand 7 more") {
		t.Errorf("the error is %v", err)
	}
}

func TestNoExport(t *testing.T) {
	dir := write(t, map[string]string{"empty/readme.txt": "", "one.json": minimal("TEST-1", "")})
	for path, want := range map[string]string{
		"one.json": "is neither a folder nor a .zip: give the export of an ecosystem", "none": "no such file", "empty": "has no .json of an advisory",
	} {
		if list, err := read(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), want) || list != nil {
			t.Errorf("%s: %v, %v; want %q", path, list, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Read(ctx, dir, today, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context, the error is %v", err)
	}
}

// More is not unpacked than the bound allows.
func TestTooMuch(t *testing.T) {
	dir := write(t, map[string]string{"all.zip/1.json": minimal("TEST-1", ""), "all.zip/2.json": minimal("TEST-2", "")})
	n := 0
	r := reader{ctx: t.Context(), latest: today, visit: func(string, *Advisory) { n++ }, left: 100}
	if err := r.file(filepath.Join(dir, "all.zip")); err == nil || !strings.Contains(err.Error(), "more than 64 GiB of advisories") || n != 1 {
		t.Errorf("the error is %v after %d advisories", err, n)
	}
}

func TestSeverity(t *testing.T) {
	for specific, want := range map[string]string{
		`{"severity": "HIGH"}`: "high", `{"severity": "Medium"}`: "moderate", `{"severity": "MODERATE"}`: "moderate", `{"severity": "urgent"}`: "",
		`{"severity": 7}`: "", `{"severity": {"a": 1}}`: "", `[]`: "", `{}`: "", "null": "",
	} {
		var a Advisory
		if err := json.Unmarshal([]byte(`{"database_specific": `+specific+`}`), &a); err != nil {
			t.Fatal(err)
		}
		if got := a.Severity(); got != want {
			t.Errorf("%s gives %q, want %q", specific, got, want)
		}
	}
}

// FuzzDecode looks for texts that are refused without a place, or that end the program.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{minimal("TEST-1", ""), "{\n\"id\": 1}", "[", "", "null", "{\"affected\": [{\"package\": {\"ecosystem\": \"npm\"}}]}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := reader{latest: today}
		var a Advisory
		if ok := r.decode("a.json", []byte(text), &a); ok != (len(r.told) == 0) {
			t.Errorf("%q is right: %v, with the mistakes %q", text, ok, r.told)
		}
		for _, wrong := range r.told {
			if !strings.HasPrefix(wrong, "a.json:") {
				t.Errorf("%q is refused without a place: %q", text, wrong)
			}
		}
		_ = a.Severity()
	})
}
