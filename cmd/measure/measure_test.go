package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api/hardware"
	"catalog.example/generator/strictyaml"
)

const shipped = "../../content"

// measuredIn returns the setups of a listing that were measured.
func measuredIn(t *testing.T, name string) (list []hardware.Setup) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	front, _, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	if !ok || !strings.Contains(front, "measured: {") {
		return nil
	}
	document, problems := strictyaml.Parse([]byte(front), 2)
	if document == nil {
		t.Fatal(name, problems)
	}
	var listing struct {
		Setups []hardware.Setup `json:"setups"`
	}
	document.Decode(&listing) // reports the other keys, which are checked elsewhere
	return slices.DeleteFunc(listing.Setups, func(s hardware.Setup) bool { return s.Measured == nil })
}

// Every recipe is valid, and every figure in a listing can be measured again.
func TestMeasuredSetupsHaveRecipes(t *testing.T) {
	t.Parallel()
	recipes, err := loadRecipes(shipped)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(shipped, "projects", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		slug := strings.TrimSuffix(filepath.Base(name), ".md")
		for _, s := range measuredIn(t, name) {
			i := slices.IndexFunc(recipes, func(r *Recipe) bool { return r.slug == slug })
			if i < 0 {
				t.Errorf("%s: %q is measured, but has no recipe: add content/%s/%s.yml", slug, s.For, recipeFolder, slug)
				continue
			}
			r := recipes[i]
			if r.For != s.For || r.Version != s.Measured.Version || r.jobText() != jobOf(s.Measured) ||
				r.ModelsElsewhere != s.ModelsElsewhere {
				t.Errorf("%s: the recipe is %q, version %s, %s; the listing says %q, version %s, %s", slug, r.For, r.Version,
					r.jobText(), s.For, s.Measured.Version, jobOf(s.Measured))
			}
		}
	}
}

func jobOf(m *hardware.Measured) string { return (&Recipe{Job: m.Job}).jobText() }

// All mistakes of all recipes are told at once, with their places.
func TestWrongRecipes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	files := map[string]string{
		"projects/one.md": "",
		"measure/one.yml": "for: a job\nregistry: pip\npackage: one\nversion: \"1\"\nrun: true\njobs: a job\n",
		"measure/two.yml": "for: a start\nregistry: go\npackage: two\nversion: v1\nscripts: true\nstart: two\n",
	}
	for name, text := range files {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := loadRecipes(folder)
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	got := strings.ReplaceAll(err.Error(), folder, "content")
	for _, want := range []string{
		`content/measure/one.yml:5:6: run: "true" is true or false, but a text is expected: put it in quotation marks`,
		`content/measure/one.yml:6:1: unknown key "jobs"`,
		`content/measure/one.yml:2:11: registry: "pip" is not allowed: write one of npm, debian, go`,
		"content/measure/two.yml:5:10: scripts: is only for npm: remove it",
		"content/measure/two.yml:6:8: start: start needs port or line, which say when it is ready, and they need start",
		"content/measure/two.yml:1:1: there is no listing content/projects/two.md: name the recipe as its listing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing: %s\nin:\n%s", want, got)
		}
	}
}

func TestFiguresAreRoundedUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		megabytes int64
		want      float64
	}{{1, 0.05}, {51, 0.05}, {52, 0.1}, {300, 0.3}, {1024, 1}, {1025, 1.1}, {2000, 2}} {
		if got := roundUp(test.megabytes<<20, gigabyteRAM); got != test.want {
			t.Errorf("%d MiB: got %v GB, want %v", test.megabytes, got, test.want)
		}
	}
}

// What is written is in canonical form and replaces what was written before.
func TestWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "taxonomy"), os.DirFS(filepath.Join(shipped, "taxonomy"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "projects"), 0o750); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "projects", "one.md")
	without := "---\nname: One\naddedAt: 2026-11-01\n---\nText\n"
	if got, err := withSetup(without, "  - {}\n"); err != nil || got != "---\nname: One\naddedAt: 2026-11-01\nsetups:\n  - {}\n---\nText\n" {
		t.Errorf("got %s, %v", got, err)
	}
	text := "---\nname: One\nsetups:\n  - {for: all, ramGb: 2, source: README}\naddedAt: 2026-11-01\n---\nText\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	job := "answers: one chat"
	r := &Recipe{For: "one chat", Registry: debian, Package: "one", Version: "1.10", Start: "one", Job: &job,
		ModelsElsewhere: true, slug: "one"}
	for _, day := range []string{"2026-11-20", "2026-11-21"} {
		f := &Figures{Started: 100 << 20, Peak: 130 << 20, Ready: 1500 * time.Millisecond, Disk: 30e6, runs: 2}
		if err := write(folder, r, f, day); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	setups := measuredIn(t, name)
	if len(setups) != 1 || !strings.HasPrefix(string(got), strings.TrimSuffix(text, "addedAt: 2026-11-01\n---\nText\n")) {
		t.Fatalf("got %s", got)
	}
	s := setups[0]
	if *s.RAMGb != 0.15 || *s.DiskGb != 0.05 || s.Level != hardware.LevelExample || !s.ModelsElsewhere ||
		s.Measured.Version != "1.10" || s.Measured.Date != "2026-11-21" || *s.Measured.Job != job ||
		s.Measured.How != "largest memory in 2 runs (PSS of all its processes, or RSS of one); 100 MB when started, ready after 1.5 s" {
		t.Errorf("got %+v, %+v", s, s.Measured)
	}
}

func TestSumLeavesOutDescendants(t *testing.T) {
	t.Parallel()
	list := []process{{2, 1, 10}, {3, 2, 20}, {4, 3, 40}, {5, 4, 80}, {6, 2, 160}}
	if got := sum(list); got != 310 {
		t.Errorf("all: got %d", got)
	}
	if got := sum(list, 3); got != 170 {
		t.Errorf("without 3 and what it started: got %d", got)
	}
}

func TestProcIsRead(t *testing.T) {
	t.Parallel()
	if got := parentIn([]byte("12 (a) b) S 7 12 12 0")); got != 7 {
		t.Errorf("parent: got %d", got)
	}
	if got := pssIn([]byte("55d0-7ffe ---p 00000000 00:00 0 [rollup]\nRss:  2048 kB\nPss:  1000 kB\nPss_Dirty: 9 kB\n")); got != 1024000 {
		t.Errorf("PSS: got %d", got)
	}
}

// The mock model says the same in every interface, as a whole and as a stream.
func TestMockModel(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go serveModel(listener)
	for _, test := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{}`, `"content":"The mock model answers."`},
		{"/v1/chat/completions", `{"stream": true}`, "data: [DONE]"},
		{"/v1/chat/completions", `{"tools": [{"function": {"name": "attempt_completion"}}]}`, `"name":"attempt_completion"`},
		{"/v1/responses", `{}`, `"text":"The mock model answers."`},
		{"/v1/responses", `{"stream": true}`, "event: response.completed"},
		{"/v1/messages", `{}`, `"text":"The mock model answers."`},
		{"/v1/messages", `{"stream": true}`, "event: message_stop"},
		{"/v1beta/models/mock:generateContent", `{}`, `"text":"The mock model answers."`},
		{"/v1beta/models/mock:streamGenerateContent", `{}`, "data: {"},
		{"/v1/embeddings", `{"input": ["a", "b"]}`, `"index":1`},
	} {
		answer, err := http.Post("http://"+listener.Addr().String()+test.path, "application/json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !strings.Contains(string(text), test.want) {
			t.Errorf("%s %s: got %s, want %s (%v)", test.path, test.body, text, test.want, err)
		}
	}
}

// What goes into the sandbox comes back as it was.
func TestRecipeAsJSON(t *testing.T) {
	t.Parallel()
	want := Recipe{For: "a", Registry: npm, Package: "p", Version: "1", Port: 80, Start: "s", Environment: map[string]string{"A": "b"}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Recipe
	if err := json.Unmarshal(text, &got); err != nil || got.Port != want.Port || got.Environment["A"] != "b" {
		t.Errorf("got %+v, %v", got, err)
	}
}
