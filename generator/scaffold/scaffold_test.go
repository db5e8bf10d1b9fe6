package scaffold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/scaffold"
	"go.yaml.in/yaml/v4"
)

// today is an arbitrary day.
const today = api.Date("2026-11-20")

// wantFiles are the files of a new catalogue, sorted.
var wantFiles = []string{
	".github/workflows/catalog.yml", ".gitignore", ".vscode/tasks.json", "README.md", "catalog.yml",
	"content/listing.schema.json", "content/pages/about.md",
	"content/projects/backgammon.md", "content/projects/go.md", "content/projects/nine-mens-morris.md", "content/projects/pandemic.md",
	"content/taxonomy/categories.yml", "content/taxonomy/facts.yml", "content/taxonomy/synonyms.yml", "content/taxonomy/words.yml",
}

// write writes a catalogue with a title into a new folder.
func write(t *testing.T, title string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new")
	files, err := scaffold.Write(t.Context(), dir, scaffold.Options{Title: title, Today: today})
	if err != nil {
		t.Fatal(err)
	}
	if files != len(wantFiles) {
		t.Errorf("Write says %d files, want %d", files, len(wantFiles))
	}
	return dir
}

// load loads a new catalogue with its own settings.
func load(t *testing.T, dir string) (site.Settings, *content.Content, []content.Finding) {
	t.Helper()
	settings, err := generator.LoadSettings(filepath.Join(dir, "catalog.yml"), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	if problems := validate.Settings(&settings); len(problems) > 0 {
		t.Errorf("the settings are wrong: %v", problems)
	}
	yesterday := api.DateOf(today.Time().AddDate(0, 0, -1))
	loaded, findings, err := lint.Load(t.Context(), content.Options{Dir: filepath.Join(dir, "content"), Settings: settings, Jobs: 1, Today: today}, yesterday)
	if err != nil {
		t.Fatal(err)
	}
	return settings, loaded, findings
}

// files lists all files below a folder, sorted, with slashes.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// glob returns the only file below a folder that matches a pattern.
func glob(t *testing.T, dir, pattern string) string {
	t.Helper()
	names, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil || len(names) != 1 {
		t.Fatalf("%s are the files %q, %v; want one", pattern, names, err)
	}
	return names[0]
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, scaffold.Examples[0].Title)
	got := files(t, dir)
	slices.Sort(got)
	if !slices.Equal(got, wantFiles) {
		t.Errorf("the files are %q, want %q", got, wantFiles)
	}
	for _, name := range got {
		if text := read(t, filepath.Join(dir, name)); strings.Contains(text, "<%") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s has markup left in it, or no line break at its end", name)
		}
	}
	for _, name := range []string{".", "content", "content/projects"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & 0o055; got != 0o055 {
			t.Errorf("others cannot read the folder %s: %v", name, info.Mode())
		}
	}
}

// There are no findings, not even warnings.
func TestLintFindsNothing(t *testing.T) {
	t.Parallel()
	_, loaded, findings := load(t, write(t, scaffold.Examples[0].Title))
	for _, f := range findings {
		t.Error(f)
	}
	if len(loaded.Listings) != 4 || len(loaded.Taxonomy.Synonyms) == 0 {
		t.Errorf("%d listings, %d groups of synonyms: want four listings, and some groups", len(loaded.Listings), len(loaded.Taxonomy.Synonyms))
	}
}

// The facts demonstrate all features of definitions.
func TestFacts(t *testing.T) {
	t.Parallel()
	_, loaded, _ := load(t, write(t, scaffold.Examples[0].Title))
	var matches []string
	asked, suggested, chips := 0, 0, 0
	for _, f := range loaded.Taxonomy.Facts {
		if f.Filter != nil {
			matches = append(matches, f.Filter.Match)
		}
		asked, suggested, chips = asked+len(f.Asked), suggested+len(f.Suggested), chips+len(f.Chip)
	}
	definitions, err := filepath.Glob("examples/*/content/taxonomy/facts.yml")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, file := range definitions {
		all += read(t, file)
	}
	for _, kind := range api.FactKinds {
		if isShown := regexp.MustCompile(`\bkind: ` + string(kind) + `\b`).MatchString(all); isShown == (kind == api.FactSetups) { // which are for programs
			t.Errorf("an example has a fact of the kind %s: %t", kind, isShown)
		}
	}
	for _, match := range []string{api.MatchAtMost, api.MatchAtLeast} {
		if !slices.Contains(matches, match) {
			t.Errorf("no filter compares by %s", match)
		}
	}
	if asked == 0 || suggested == 0 || chips == 0 {
		t.Errorf("%d asked, %d suggested, %d chips: want some of each", asked, suggested, chips)
	}
	for _, f := range loaded.Taxonomy.Facts {
		if !slices.ContainsFunc(loaded.Listings, func(l *content.Listing) bool { return api.Known(l.FitNotes.Get(f.Key)) }) {
			t.Errorf("no listing knows the fact %s", f.Key)
		}
	}
}

// Listings are examples for new ones: they name the schema, link to others and are
// in canonical form.
func TestListings(t *testing.T) {
	t.Parallel()
	dir := write(t, scaffold.Examples[0].Title)
	_, loaded, _ := load(t, dir)
	link := regexp.MustCompile(`\]\(([a-z0-9-]+)\.md\)`)
	for _, l := range loaded.Listings {
		name := filepath.Join(dir, "content", filepath.FromSlash(l.File))
		text := read(t, name)
		if !strings.HasPrefix(text, "---\n# yaml-language-server: $schema=../"+content.SchemaFile+"\n") {
			t.Errorf("%s does not name the schema", l.File)
		}
		if len(link.FindAllString(text, -1)) == 0 {
			t.Errorf("%s links to no other listing", l.File)
		}
		if l.AddedAt != today {
			t.Errorf("%s joined on %s, want %s", l.File, l.AddedAt, today)
		}
		if before, after, err := loaded.FrontMatter.FormatFile(name); err != nil || !bytes.Equal(before, after) {
			t.Errorf("catalog fmt would change %s: %v", l.File, err)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	dir := write(t, scaffold.Examples[0].Title)
	_, loaded, _ := load(t, dir)
	want, err := loaded.FrontMatter.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if read(t, filepath.Join(dir, "content", content.SchemaFile)) != string(want) {
		t.Error("the schema is not that of the taxonomy")
	}
}

// build builds a new catalogue with a title and returns its output folder.
func build(t *testing.T, title string) (public string, settings site.Settings) {
	t.Helper()
	dir := write(t, title)
	settings, _, _ = load(t, dir)
	public = filepath.Join(dir, "public")
	report, err := generator.Build(t.Context(), generator.Options{Content: filepath.Join(dir, "content"), Out: public, Settings: settings, Now: today.Time()})
	if err != nil {
		t.Fatalf("%v: %v", err, report.Findings)
	}
	if report.Listings != 4 || len(report.Findings) > 0 {
		t.Errorf("%d listings with findings %v, want 4 and none", report.Listings, report.Findings)
	}
	return public, settings
}

func TestBuildAndServe(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	const title = "Blank Pages & Co"
	public, settings := build(t, title)
	pages := 0
	for _, name := range files(t, public) {
		if strings.HasSuffix(name, ".html") {
			pages++
			if !strings.Contains(html.UnescapeString(read(t, filepath.Join(public, filepath.FromSlash(name)))), title) {
				t.Errorf("%s does not name the catalogue", name)
			}
		}
	}
	if pages < 20 {
		t.Errorf("only %d pages were looked at", pages)
	}
	for name, want := range map[string]string{
		"llms.txt":            "# Blank Pages & Co\n\n> Board games, with the facts to choose by.\n",
		"index.html":          "4 listings with facts and their sources",
		"api/v1/openapi.json": `Board games, with the facts to choose by.`,
	} {
		if !strings.Contains(read(t, filepath.Join(public, filepath.FromSlash(name))), want) {
			t.Errorf("%s does not hold %q", name, want)
		}
	}
	if !strings.Contains(read(t, filepath.Join(public, glob(t, public, "assets/agents-*.js"))), "Blank Pages & Co") {
		t.Error("the tool search_catalog does not say what it searches")
	}

	site := serve(t, public)
	for _, test := range []struct{ query, first string }{
		{"q=go", "go"},
		{"q=weiqi", "go"},
		{"q=the+mill+game", "nine-mens-morris"},
		{"q=a+co-op+board+game", "pandemic"},
		{"q=collaborative", "pandemic"},
		{"q=without+luck", "go"},
		{"q=a+game+for+4+players", "pandemic"},
		{"q=45+minutes", "pandemic"},
		{"q=doubling+cube", "backgammon"},
		{"players=4", "pandemic"},
		{"maxMinutes=60&cooperative=0", "nine-mens-morris"},
		{"luck=dice,both", "backgammon"},
		{"mechanic=territory", "go"},
	} {
		if answer := getSearch(t, site, api.PathSearch+"?"+test.query); answer.Total == 0 || answer.Hits[0].Match.Partial || answer.Hits[0].Slug != test.first {
			t.Errorf("%s: %d hits, the first of %+v; want %s first, in full", test.query, answer.Total, answer.Hits, test.first)
		}
	}
	if answer := getSearch(t, site, api.PathSearch+"?q=two+players+without+luck"); answer.Total != 2 {
		t.Errorf("%d games for two without luck, want Go and Nine Men's Morris alone", answer.Total)
	}
	for _, job := range settings.Jobs {
		if answer := getSearch(t, site, api.PathSearch+"?q="+url.QueryEscape(job)); answer.Total == 0 || answer.Hits[0].Match.Partial {
			t.Errorf("the home page offers %q, which finds %d listings, none in full", job, answer.Total)
		}
	}
	if facets := getSearch(t, site, api.PathSearch).Facets; len(facets["luck"]) != 3 || len(facets["platform"])+len(facets["license"]) > 0 {
		t.Errorf("the facets are %v, want those of the facts", facets)
	}
	// The example searches of the build and the README have results.
	examples := map[string]string{
		"llms.txt":        `\(http://localhost:8080(/api/v1/search\?[^)]*)\)`,
		"docs/index.html": `'http://localhost:8080(/api/v1/search\?[^']*)'`,
		"../README.md":    `'http://localhost:8080(/api/v1/search\?[^']*)'`,
	}
	for name, pattern := range examples {
		m := regexp.MustCompile(pattern).FindStringSubmatch(html.UnescapeString(read(t, filepath.Join(public, filepath.FromSlash(name)))))
		if m == nil {
			t.Errorf("%s shows no search", name)
			continue
		}
		if answer := getSearch(t, site, m[1]); answer.Total == 0 || answer.Hits[0].Match.Partial || answer.Query["q"] == nil {
			t.Errorf("%s shows the search %s, which finds %d listings", name, m[1], answer.Total)
		}
	}
}

// serve serves the build output as catalog serve does.
func serve(t *testing.T, public string) *httptest.Server {
	t.Helper()
	source, err := snapshot.Open(snapshot.Options{Build: artifact.Build{Folder: public}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(server.Options{Snapshot: source.Current})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(srv.Handler())
	t.Cleanup(site.Close)
	return site
}

func getSearch(t *testing.T, site *httptest.Server, path string) api.SearchResponse {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := site.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // the body was read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer api.SearchResponse
	if err := json.Unmarshal(body, &answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d: %.300s", path, response.StatusCode, body)
	}
	return answer
}

// Titles are escaped in the settings and the README.
func TestTitle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ title, heading string }{
		{"Espresso Machines", "# Espresso Machines"},
		{"No: 1 # a {title}", `# No: 1 \# a {title}`},
		{`"Quoted" *and* <b>bold</b>`, `# "Quoted" \*and\* \<b\>bold\</b\>`},
		{"yes", "# yes"},
		{"42", "# 42"},
		{"<% .Today %>", `# \<% .Today %\>`},
		{"Édition Ω", "# Édition Ω"},
	} {
		t.Run(test.title, func(t *testing.T) {
			t.Parallel()
			dir := write(t, test.title)
			settings, _, findings := load(t, dir)
			if settings.Title != test.title || len(findings) > 0 {
				t.Errorf("the title is %q, findings %v", settings.Title, findings)
			}
			if heading, _, _ := strings.Cut(read(t, filepath.Join(dir, "README.md")), "\n"); heading != test.heading {
				t.Errorf("the README begins with %q, want %q", heading, test.heading)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, title, want string
		prepare           func(t *testing.T, dir string)
	}{
		{"not empty", "T", `is not empty: it contains "notes.txt": choose a new folder, or empty this one`, func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, ".git", "config"))
			writeFile(t, filepath.Join(dir, "notes.txt"))
		}},
		{"a file", "T", "new is a file: choose another folder", func(t *testing.T, dir string) { writeFile(t, dir) }},
		{"link to nowhere", "T", "is a link to a folder that does not exist", func(t *testing.T, dir string) {
			if err := os.Symlink("gone", dir); err != nil {
				t.Fatal(err)
			}
		}},
		{"no title", " ", "is empty: give the catalogue a name", nil},
		{"white space", "T ", "begins or ends with white space", nil},
		{"two lines", "T\nT", "write one line", nil},
		{"long title", strings.Repeat("é", 81), "is longer than 80 characters", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "new")
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			before := listEntries(t, parent)
			_, err := scaffold.Write(t.Context(), dir, scaffold.Options{Title: test.title, Today: today})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
			if after := listEntries(t, parent); !slices.Equal(before, after) {
				t.Errorf("there is %q, want %q as before", after, before)
			}
		})
	}
}

// Write accepts missing folders, empty ones, repositories and links to empty folders.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, parent string) (dir string)
	}{
		{"missing parents", func(_ *testing.T, parent string) string { return filepath.Join(parent, "a", "b", "new") }},
		{"empty", func(t *testing.T, parent string) string {
			dir := filepath.Join(parent, "new")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
		{"repository", func(t *testing.T, parent string) string {
			dir := filepath.Join(parent, "new")
			writeFile(t, filepath.Join(dir, ".git", "config"))
			return dir
		}},
		{"link", func(t *testing.T, parent string) string {
			if err := os.Mkdir(filepath.Join(parent, "real"), 0o755); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(parent, "new")
			if err := os.Symlink("real", dir); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := test.prepare(t, parent)
			before, _ := os.Stat(dir)
			if _, err := scaffold.Write(t.Context(), dir, scaffold.Options{Title: "T", Today: today}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range files(t, dir+"/") {
				if !strings.HasPrefix(name, ".git/") {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, wantFiles) {
				t.Errorf("the files are %q, want %q", got, wantFiles)
			}
			// An existing folder is not replaced.
			if after, err := os.Stat(dir); err != nil || before != nil && !os.SameFile(before, after) {
				t.Errorf("the folder is another than before, %v", err)
			}
			for _, name := range listEntries(t, parent) {
				if strings.Contains(name, ".catalog-init-") {
					t.Errorf("%s is left over", name)
				}
			}
		})
	}
}

// An interrupted Write leaves nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parent := t.TempDir()
	_, err := scaffold.Write(ctx, filepath.Join(parent, "new"), scaffold.Options{Title: "T", Today: today})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if left := listEntries(t, parent); len(left) > 0 {
		t.Errorf("%q is left over", left)
	}
}

// The workflow runs the commands of the README, and gets the program from a git address.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	dir := write(t, scaffold.Examples[0].Title)
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct {
			Needs string
			Steps []struct {
				Uses, Run string
				With      map[string]any
			}
		}
	}
	if err := yaml.Load([]byte(read(t, filepath.Join(dir, ".github/workflows/catalog.yml"))), &workflow); err != nil {
		t.Fatal(err)
	}
	if repository, version := workflow.Env["CATALOG_REPOSITORY"], workflow.Env["CATALOG_VERSION"]; repository != "${{ vars.CATALOG_REPOSITORY }}" || version != "${{ vars.CATALOG_VERSION }}" {
		t.Errorf("the program is %q in version %q, want variables of the repository", repository, version)
	}
	if search := workflow.Env["CATALOG_SEARCH"]; search != site.SearchInBrowser {
		t.Errorf("the workflow builds with search: %s", search)
	}
	var steps []string
	path := any(nil)
	for _, s := range workflow.Jobs["build"].Steps {
		step := s.Run
		if s.Uses != "" {
			step, _, _ = strings.Cut(s.Uses, "@")
		}
		if strings.Contains(step, "git fetch") {
			step = "fetch the program"
		}
		steps = append(steps, step)
		if step == "actions/upload-pages-artifact" {
			path = s.With["path"]
		}
	}
	want := []string{
		"actions/checkout", "fetch the program", "actions/cache", "actions/setup-go", `make -C "$RUNNER_TEMP/catalog" build`, "catalog lint",
		"actions/configure-pages", `catalog build --base-url "$BASE_URL"`, "actions/upload-pages-artifact",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("the steps are %q, want %q", steps, want)
	}
	if path != "public" {
		t.Errorf("the workflow keeps %v, want public", path)
	}
	if publish := workflow.Jobs["publish"]; publish.Needs != "build" || len(publish.Steps) != 1 {
		t.Errorf("the job publish is %+v", publish)
	}
}

// writeFile writes a file and its parent folders.
func writeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("here first\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listEntries lists all entries below a folder with their types.
func listEntries(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && name != dir {
			list = append(list, name+" "+e.Type().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
