package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
	"catalog.example/api/site"
	"github.com/prometheus/client_golang/prometheus"
)

// writeBuild writes a build that tells its number in the description of the site.
func writeBuild(t *testing.T, folder string, number int) {
	t.Helper()
	settings := site.Defaults()
	settings.Description = fmt.Sprintf("Build %d.", number)
	license := "MIT"
	index, err := search.Encode(search.Catalog{
		Settings: settings,
		Taxonomy: api.Taxonomy{
			Categories: []api.Category{{Slug: "chat-interfaces", Name: "Chat interfaces"}},
			Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}},
			Facts:      apitest.Facts(),
		},
		Projects: []api.ProjectDetail{{Project: api.Project{
			Slug: "paper-lantern", Name: "Paper Lantern", Purpose: "Chat with documents.", Category: "chat-interfaces",
			Platforms: []string{"linux"}, License: &license, FitNotes: apitest.FitNotes(), AddedAt: "2026-01-01",
			PageURL: settings.URL("/projects/paper-lantern/"), RepositoryURL: "https://code.example/paper-lantern",
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, filepath.FromSlash(search.FileName))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, index, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// writeLanguages writes a build in two languages.
func writeLanguages(t *testing.T, folder string, number int, other string) {
	t.Helper()
	writeBuild(t, folder, number)
	writeBuild(t, filepath.Join(folder, "de"), number)
	text := fmt.Sprintf(`{"languages":[{"language":"en"},{"language":%q}]}`, other)
	if err := os.WriteFile(filepath.Join(folder, api.PathLanguages[1:]), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// If a build is refused, its files are not served in any language.
func TestRefusedInAllLanguages(t *testing.T) {
	dir := t.TempDir()
	good, bad, current := filepath.Join(dir, "good"), filepath.Join(dir, "bad"), filepath.Join(dir, "current")
	writeLanguages(t, good, 1, "de")
	writeLanguages(t, bad, 2, "de")
	if err := errors.Join(os.WriteFile(filepath.Join(bad, "de", "secret"), nil, 0o644),
		os.Truncate(filepath.Join(bad, filepath.FromSlash(search.FileName)), 1000), os.Symlink("good", current)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Options{Build: artifact.Build{Folder: current}})
	if err != nil {
		t.Fatal(err)
	}
	remove(t, current)
	if err := os.Symlink("bad", current); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err == nil {
		t.Error("the damaged build is not refused")
	}
	if _, err := s.Current().Languages["de"].Stat("secret"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of the refused build: %v", err)
	}
}

// Another time of the same build leaves all languages those of one snapshot.
func TestSwitchToTheSameBuildInAllLanguages(t *testing.T) {
	dir := t.TempDir()
	writeLanguages(t, dir, 1, "de")
	s, err := Open(Options{Build: artifact.Build{Folder: dir}, Override: func(s site.Settings) (site.Settings, error) {
		s.Lang = "de" // must not take the place of the other language
		return s, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Switch(artifact.Build{Folder: dir}); err != nil {
		t.Fatal(err)
	}
	now := s.Current()
	if now.Languages["en"] != now || now.Languages["de"] == nil || now.Languages["de"].Languages["en"] != now {
		t.Errorf("the languages are %v", now.Languages)
	}
}

// A list of languages cannot lead to another folder.
func TestWrongLanguages(t *testing.T) {
	for _, name := range []string{"../de", "api", ""} {
		dir := t.TempDir()
		writeLanguages(t, dir, 1, name)
		if _, err := Open(Options{Build: artifact.Build{Folder: dir}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// reloads returns how many reloads had a result.
func reloads(t *testing.T, s *Source, result string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == "catalog_index_reloads_total" && metric.GetLabel()[0].GetValue() == result {
				return metric.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no reloads with the result %s are counted", result)
	return 0
}

// TestDamagedBuildIsRefused puts what is no build in place of one: that is told once,
// counted, and the build before stays in use.
func TestDamagedBuildIsRefused(t *testing.T) {
	t.Parallel()
	rewrite := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, public string) {
			file := filepath.Join(public, filepath.FromSlash(search.FileName))
			content, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, change(content), 0o644) // in place
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, damage := range map[string]func(t *testing.T, public string){
		"cut short":       rewrite(func(b []byte) []byte { return b[:len(b)/2] }),
		"emptied":         rewrite(func([]byte) []byte { return nil }),
		"another file":    rewrite(func([]byte) []byte { return []byte("<!doctype html><title>Not found</title>") }),
		"one bit flipped": rewrite(func(b []byte) []byte { b[len(b)*3/4] ^= 1; return b }),
		"zeroes":          rewrite(func(b []byte) []byte { clear(b); return b }),
		"index removed": func(t *testing.T, public string) {
			remove(t, filepath.Join(public, filepath.FromSlash(search.FileName)))
		},
		"folder removed": func(t *testing.T, public string) { remove(t, public) },
		"a file instead": func(t *testing.T, public string) {
			remove(t, public)
			if err := os.WriteFile(public, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			public := filepath.Join(t.TempDir(), "public")
			writeBuild(t, public, 1)
			var log bytes.Buffer
			s, err := Open(Options{Build: artifact.Build{Folder: public}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			count := func(result string) float64 { return reloads(t, s, result) }
			first := s.Current()
			want := first.Index.AppendSearch(nil, api.SearchQuery{Q: "chat", Limit: 5})
			damage(t, public)
			w := &watch{source: s, public: public}
			w.look()
			if !w.waiting {
				t.Fatal("the damage is not noticed")
			}
			for range 3 { // it is tried once, however often it is looked at
				w.look()
			}
			if count(resultSuccess) != 0 || count(resultRefused) != 1 {
				t.Errorf("%v reloads and %v refusals were counted", count(resultSuccess), count(resultRefused))
			}
			if w.refused.IsZero() {
				t.Error("the build is never tried again")
			}
			if err := s.Reload(); !errors.Is(err, search.ErrUnusable) {
				t.Errorf("asked for, it is not refused: %v", err)
			}
			const line = `level=ERROR msg="the new build was refused; still serving the previous one" error=`
			if lines := strings.Count(log.String(), line); lines != 2 {
				t.Errorf("two attempts are %d lines: %s", lines, &log)
			}
			if got := s.Current().Index.AppendSearch(nil, api.SearchQuery{Q: "chat", Limit: 5}); s.Current() != first || string(got) != string(want) {
				t.Errorf("build 1 is not in use any more, or answers %s", got)
			}

			// What is whole again is put into use.
			remove(t, public)
			writeBuild(t, public, 2)
			w.look()
			w.look()
			if got := s.Current().Settings.Description; count(resultSuccess) != 1 || got != "Build 2." {
				t.Errorf("%v reloads were counted; %q is in use\n%s", count(resultSuccess), got, &log)
			}
			if !w.refused.IsZero() {
				t.Error("a build that is in use is to be tried again")
			}
		})
	}
}

// An error of the folder is never taken for a file that is missing: callers answer 503 to one
// and 404 to the other.
func TestFolderErrorsAreNoMissingFiles(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	writeBuild(t, public, 1)
	s, err := Open(Options{Build: artifact.Build{Folder: public}})
	if err != nil {
		t.Fatal(err)
	}
	snap := s.Current()
	if _, err := snap.Open("nothing"); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrFolder) {
		t.Errorf("a file that is missing: %v", err)
	}
	remove(t, public)
	_, statErr := snap.Stat("nothing")
	_, openErr := snap.Open("nothing")
	for _, err := range []error{statErr, openErr} {
		if !errors.Is(err, ErrFolder) || errors.Is(err, os.ErrNotExist) {
			t.Errorf("a folder that is missing: %v", err)
		}
	}
}
