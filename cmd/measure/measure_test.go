package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
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
	if !ok {
		t.Fatalf("%s has no front matter", name)
	}
	if !strings.Contains(front, "measured") { // the others need not be parsed
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

// Every recipe is valid, every figure in a listing can be measured again, and every recipe has been
// measured.
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
	measured := map[*Recipe]int{}
	for _, name := range names {
		slug := strings.TrimSuffix(filepath.Base(name), ".md")
		for _, s := range measuredIn(t, name) {
			i := slices.IndexFunc(recipes, func(r *Recipe) bool { return r.slug == slug })
			if i < 0 {
				t.Errorf("%s: %q is measured, but has no recipe: add content/%s/%s.yml", slug, s.For, recipeFolder, slug)
				continue
			}
			r := recipes[i]
			measured[r]++
			if r.For != s.For || r.Version != s.Measured.Version || r.jobText() != jobOf(s.Measured) ||
				r.ModelsElsewhere != s.ModelsElsewhere {
				t.Errorf("%s: the recipe is %q, version %s, %s, modelsElsewhere %t; the listing says %q, version %s, %s, "+
					"modelsElsewhere %t", slug, r.For, r.Version, r.jobText(), r.ModelsElsewhere, s.For, s.Measured.Version,
					jobOf(s.Measured), s.ModelsElsewhere)
			}
		}
	}
	for _, r := range recipes {
		if n := measured[r]; n != 1 {
			t.Errorf("%s: the listing has %d measured setups instead of 1: make measure ARGS='-write %s'", r.slug, n, r.slug)
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
		"measure/two.yml": "for: a start\nregistry: go\npackage: two\nversion: -v1\nwith: [three, -x]\nscripts: true\n" +
			"start: two\n",
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
		"content/measure/two.yml:4:10: version: may not begin with a hyphen",
		"content/measure/two.yml:5:7: with: may not begin with a hyphen",
		"content/measure/two.yml:5:7: with: is only for npm and debian: remove it",
		"content/measure/two.yml:6:10: scripts: is only for npm: remove it",
		"content/measure/two.yml:7:8: start: start and port need each other: it is ready when something answers at port",
		"content/measure/two.yml:1:1: there is no listing content/projects/two.md: name the recipe as its listing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing: %s\nin:\n%s", want, got)
		}
	}
}

// Wrong arguments are refused before anything is installed.
func TestWrongArguments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-runs", "0"}, "-runs 0: write 1 or more"},
		{[]string{"-content", shipped, "one", "two"}, "no recipe for one, two: write ../../content/measure/SLUG.yml"},
	} {
		if err := run(t.Context(), test.args, io.Discard, io.Discard); err == nil || err.Error() != test.want {
			t.Errorf("%v: got %v, want %s", test.args, err, test.want)
		}
	}
}

// Whatever an installation fails at, the next one neither trusts nor uses what is left of earlier
// ones.
func TestFailedInstall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, registry := range registries {
		folder := t.TempDir()
		if err := os.MkdirAll(filepath.Join(folder, "apt", "one"), 0o750); err != nil {
			t.Fatal(err)
		}
		left := []string{filepath.Join(folder, "one.done"), filepath.Join(folder, "apt", "one", "old.deb")}
		for _, name := range left {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := &install{recipe: &Recipe{Registry: registry, Package: "one", Version: "1", slug: "one"},
			folder: filepath.Join(folder, "one"), shared: folder, log: io.Discard}
		if err := p.ensure(ctx); err == nil {
			t.Errorf("%s: no error", registry)
		}
		if registry != debian {
			left = left[:1]
		}
		for _, name := range left {
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s is left (%v)", registry, name, err)
			}
		}
	}
}

func TestLimitIsNamed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := runScript(ctx, "prepare", "exec sleep 60", io.Discard, nil)
	if err == nil || err.Error() != "prepare: not done after 3m0s" {
		t.Errorf("got %v", err)
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
	without, body := "---\nname: One\naddedAt: 2026-11-01\n", "---\nsetups: in the text\n"
	if got, err := withSetup(without+body, "  - {}\n"); err != nil || got != without+"setups:\n  - {}\n"+body {
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
		f := &Figures{Started: 100 << 20, Peak: 130 << 20, Ready: 1500 * time.Millisecond, Disk: 30e6, runs: 1}
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
		s.Measured.How != "largest memory in 1 run (PSS of all its processes, or RSS of one); 100 MB when started, ready after 1.5 s" {
		t.Errorf("got %+v, %+v", s, s.Measured)
	}
	if err := os.WriteFile(name, []byte("---\nname: One\nname: Two\nname: Three\n---\nText\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = write(folder, r, &Figures{}, "2026-11-22")
	if err == nil || !strings.Contains(err.Error(), name+":3:1: ") || !strings.Contains(err.Error(), name+":4:1: ") {
		t.Errorf("got %v, want both mistakes", err)
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
		{"/v1beta/models/mock:generateContent", `{}`, `"text":"The mock model answers."`},
		{"/v1beta/models/mock:streamGenerateContent", `{}`, "data: {"},
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
	job := "j"
	want := Recipe{For: "a", Registry: npm, Package: "p", Version: "1", With: []string{"w@1"}, Node: "24", Scripts: true,
		Uses: []string{"java"}, Environment: map[string]string{"A": "b"}, Files: map[string]string{"f": "text"},
		Prepare: "p", Start: "s", Port: 80, Run: "r", Job: &job, ModelsElsewhere: true}
	for field, value := range reflect.ValueOf(want).Fields() {
		if field.IsExported() && value.IsZero() {
			t.Errorf("%s has no value in this test", field.Name)
		}
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Recipe
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v (%v)", got, want, err)
	}
}
