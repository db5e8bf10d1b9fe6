package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/search/index"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator/output"
	"catalog.example/generator/rule"
	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "update the golden files")

// small is a content folder with different listings: with every fact, without facts,
// archived, with a custom licence, with a long name, in a right-to-left script.
const small = "testdata/small"

// now is the time of the tests' builds.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// settings returns the settings of the tests' sites. The base address has a path, so
// that tests find links without it.
func settings() site.Settings {
	s := site.Defaults()
	s.Title, s.Description = "Small Catalogue", "A few tools & what is known of them."
	s.Contact, s.BaseURL = "mailto:owner@catalog.example", "https://catalog.example/tools"
	return s
}

func optionsFor(out string) Options {
	return Options{Content: small, Out: out, Settings: settings(), Now: now}
}

// build builds the small site with changed options into a new folder.
func build(t testing.TB, change func(*Options)) (out string, report Report) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "public")
	o := optionsFor(out)
	if change != nil {
		change(&o)
	}
	report, err := Build(t.Context(), o)
	if err != nil {
		t.Fatalf("%v\n%v", err, report.Findings)
	}
	return out, report
}

// readTree returns the files of a folder except its manifest: path with slashes →
// content.
func readTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == output.Manifest {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		tree[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// checkTree reports the differences between two builds.
func checkTree(t *testing.T, about string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok {
			t.Errorf("%s: %s is missing", about, name)
		} else if text != want[name] {
			t.Errorf("%s: %s differs: %s", about, name, difference(text, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is one too many", about, name)
		}
	}
}

// difference returns the first difference of two texts.
func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	excerpt := func(s string) string { return s[max(0, min(i, len(s))-60):min(len(s), i+100)] }
	return fmt.Sprintf("from byte %d on\n got …%q\nwant …%q", i, excerpt(got), excerpt(want))
}

// copyFolder returns a temporary copy of a folder.
func copyFolder(t *testing.T, dir string) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// goldenFiles maps each golden file to the output file with its content.
var goldenFiles = map[string]string{
	"home.html":           "index.html",
	"project.html":        "projects/amber-chat/index.html",
	"project-empty.html":  "projects/empty-hands/index.html",
	"project-menora.html": "projects/menora/index.html",
	"category.html":       "categories/chat/index.html",
	"product.html":        "alternatives/paid-chat/index.html",
	"overview.html":       "categories/index.html",
	"search.html":         "search/index.html",
	"compare.html":        "compare/index.html",
	"computer.html":       "computers/16gb-no-card/index.html",
	"computer.md":         "computers/16gb-no-card/index.html.md",
	"computers.md":        "computers/index.html.md",
	"saved.html":          "saved/index.html",
	"saved.md":            "saved/index.html.md",
	"numbers.html":        "numbers/index.html",
	"table.json":          "newest/table.json",
	"docs.html":           "docs/index.html",
	"problem.html":        "problems/rate-limited/index.html",
	"retired.html":        "projects/dim-lamp/index.html",
	"about.html":          "about/index.html",
	"404.html":            "404.html",
	"llms.txt":            "llms.txt",
	"llms-full.txt":       "llms-full.txt",
	"api-catalog.json":    ".well-known/api-catalog",
	"ai-catalog.json":     ".well-known/ai-catalog.json",
	"server-card.json":    ".well-known/mcp/server-card.json",
	"server.json":         ".well-known/mcp/server.json",
	"skills.json":         ".well-known/agent-skills/index.json",
	"skill.md":            ".well-known/agent-skills/small-catalogue/SKILL.md",
	"home.md":             "index.html.md",
	"project.md":          "projects/amber-chat/index.html.md",
	"project-empty.md":    "projects/empty-hands/index.html.md",
	"project-menora.md":   "projects/menora/index.html.md",
	"category.md":         "categories/chat/index.html.md",
	"category-empty.md":   "categories/nothing-yet/index.html.md",
	"product.md":          "alternatives/paid-chat/index.html.md",
	"overview.md":         "categories/index.html.md",
	"search.md":           "search/index.html.md",
	"compare.md":          "compare/index.html.md",
	"numbers.md":          "numbers/index.html.md",
	"docs.md":             "docs/index.html.md",
	"problem.md":          "problems/rate-limited/index.html.md",
	"retired.md":          "projects/dark-lamp/index.html.md",
	"about.md":            "about/index.html.md",
	"sitemap.xml":         "sitemap.xml",
	"robots.txt":          "robots.txt",
	"feed.xml":            "feed.xml",
	"feed-empty.xml":      "categories/nothing-yet/feed.xml",
	"opensearch.xml":      "opensearch.xml",
	"headers":             "_headers",
	"redirects":           "_redirects",
	"site.webmanifest":    "site.webmanifest",
	"badge.svg":           "badge/amber-chat.svg",
	"badge-menora.svg":    "badge/menora.svg",
	"embed.html":          "embed/amber-chat/index.html",
	"project-long.html":   "projects/every-word-of-a-very-long-name-stands-on-one-line-in-each-list-x/index.html",
	"category-empty.html": "categories/nothing-yet/index.html",
	"taxonomy.json":       "api/v1/taxonomy.json",
	"project.json":        "api/v1/projects/amber-chat.json",
	"list.json":           "api/v1/lists/popular/1.json",
	"default-list.json":   "api/v1/projects/index.json",
	"openapi.json":        "api/v1/openapi.json",
	"search.idx":          "api/v1/search.idx",
}

// assetHash matches the name of an asset, which contains a hash.
var assetHash = regexp.MustCompile(`(assets/[a-z]+-)[0-9a-f]{12}((?:\.[a-z]+)+)`)

func TestGolden(t *testing.T) {
	out, _ := build(t, nil)
	for name, file := range goldenFiles {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			got := assetHash.ReplaceAll(text, []byte("${1}HASH${2}"))
			goldenFile := filepath.Join("testdata", "golden", name)
			if *update {
				if err := os.WriteFile(goldenFile, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(goldenFile)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs from %s; if it should, run the test with -update: %s", file, goldenFile, difference(string(got), string(want)))
			}
		})
	}
}

func TestOutputIndependentOfJobs(t *testing.T) {
	soak.Long(t)
	first, report := build(t, func(o *Options) { o.Jobs = 1 })
	want := readTree(t, first)
	size := 0
	for _, text := range want {
		size += len(text)
	}
	if report.Listings != 6 || report.Files != int64(len(want)) || report.Bytes != int64(size) {
		t.Errorf("the report is %+v, there are %d files of %d bytes", report, len(want), size)
	}
	for _, jobs := range []int{2, 8, 0} {
		// Neither the clock nor an existing build may change the output.
		out, _ := build(t, func(o *Options) { o.Jobs, o.Now = jobs, now.AddDate(0, 3, 1) })
		checkTree(t, fmt.Sprintf("%d jobs", jobs), readTree(t, out), want)
		if !bytes.Equal(mustRead(t, out, output.Manifest), mustRead(t, first, output.Manifest)) {
			t.Errorf("%d jobs: the manifest differs", jobs)
		}
		if _, err := Build(t.Context(), optionsFor(out)); err != nil {
			t.Fatal(err)
		}
		checkTree(t, "built again", readTree(t, out), want)
	}
}

func TestInvalidContentWritesNothing(t *testing.T) {
	out, _ := build(t, nil)
	before := readTree(t, out)
	broken := copyFolder(t, small)
	page := "---\nname: Amber Chat\npurpose: Too.\ncategory: chat\nrepositoryUrl: http://code.example.org/x\naddedAt: 2026-11-23\n---\nText.\n"
	if err := os.WriteFile(filepath.Join(broken, "projects", "zebra.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "public")
	for _, dir := range []string{out, fresh} {
		o := optionsFor(dir)
		o.Content = broken
		report, err := Build(t.Context(), o)
		if invalid, ok := errors.AsType[*InvalidContentError](err); !ok || invalid.Errors != 3 {
			t.Fatalf("Build() = %v, want three errors", err)
		}
		var got []string
		for _, f := range report.Findings {
			if f.Rule.Severity == rule.Error { // the pages contain HTML, which is a warning
				got = append(got, f.String())
			}
		}
		want := []string{
			`projects/zebra.md:2:7: name: "Amber Chat" is taken by projects/amber-chat.md: choose another name, or remove one of the two listings`,
			`projects/zebra.md:5:16: repositoryUrl: "http://code.example.org/x" does not begin with https://: write https://code.example.org/x`,
			`projects/zebra.md:6:10: addedAt: 2026-11-23 is in the future: write a day up to today`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("findings %q, want %q", got, want)
		}
	}
	checkTree(t, "after a build with errors", readTree(t, out), before)
	checkEntries(t, filepath.Dir(out), "public")
	checkEntries(t, filepath.Dir(fresh))
	for n, want := range map[int]string{1: "the content has 1 error; nothing was written", 2: "the content has 2 errors; nothing was written"} {
		if got := (&InvalidContentError{n}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// checkEntries checks the entries of a folder.
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

// An interrupted build does not change the output folder.
func TestInterrupted(t *testing.T) {
	out, _ := build(t, nil)
	before := readTree(t, out)
	changed := copyFolder(t, small)
	if err := os.Remove(filepath.Join(changed, "projects", "more", "menora.md")); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped by a test")
	for _, stage := range []string{"before", "load", "write"} {
		for _, jobs := range []int{1, 4} {
			ctx, cancel := context.WithCancelCause(t.Context())
			o := optionsFor(out)
			o.Content, o.Jobs = changed, jobs
			o.Progress = func(current string, done, total int) {
				if current == stage && done >= 3 && done < total {
					cancel(stop)
				}
			}
			if stage == "before" {
				cancel(stop)
			}
			if _, err := Build(ctx, o); !errors.Is(err, stop) {
				t.Errorf("%s, %d jobs: Build() = %v", stage, jobs, err)
			}
			cancel(nil)
			checkTree(t, "interrupted at "+stage, readTree(t, out), before)
			checkEntries(t, filepath.Dir(out), "public")
		}
	}
}

func TestProgress(t *testing.T) {
	var load, write, total atomic.Int64
	build(t, func(o *Options) {
		o.Progress = func(stage string, done, n int) {
			switch stage {
			case "load":
				load.Add(1)
				if n != 6 {
					t.Errorf("loading %d of %d", done, n)
				}
			case "write":
				write.Add(1)
				total.Store(int64(n))
			default:
				t.Errorf("stage %q", stage)
			}
		}
	})
	if load.Load() != 6 || write.Load() == 0 || write.Load() != total.Load() {
		t.Errorf("%d loaded, %d of %d written", load.Load(), write.Load(), total.Load())
	}
}

func TestInvalidFolders(t *testing.T) {
	out := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "thesis.txt"), []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), optionsFor(out)); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("Build() = %v", err)
	}
	checkEntries(t, out, "thesis.txt")

	o := optionsFor(filepath.Join(t.TempDir(), "public"))
	o.Settings.Overrides = filepath.Join(t.TempDir(), "nowhere")
	if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), "overrides") {
		t.Errorf("missing overrides: %v", err)
	}
	o = optionsFor(filepath.Join(t.TempDir(), "public"))
	o.Content = filepath.Join(t.TempDir(), "nowhere")
	if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--content") {
		t.Errorf("missing content: %v", err)
	}
}

func TestOverridesReplaceTemplates(t *testing.T) {
	overrides := t.TempDir()
	if err := os.MkdirAll(filepath.Join(overrides, "pages"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(overrides, "pages", "404.html"), []byte(`{{define "main"}}<p>Gone fishing{{end}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	plain, _ := build(t, nil)
	out, _ := build(t, func(o *Options) { o.Settings.Overrides = overrides })
	want, got := readTree(t, plain), readTree(t, out)
	if !strings.Contains(got["404.html"], "Gone fishing") || !strings.Contains(got["404.html"], "<title>") {
		t.Errorf("404.html is %q", got["404.html"])
	}
	for _, name := range []string{"404.html", search.FileName} { // the index holds the settings
		delete(want, name)
		delete(got, name)
	}
	checkTree(t, "everything else", got, want)
}

// Static files and the search server return the same JSON.
func TestIndexAndFilesAgree(t *testing.T) {
	out, _ := build(t, nil)
	ix, err := indexfile.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	tree := readTree(t, out)
	want := settings()
	want.Without = []string{api.AdvisoriesKey} // because no listing has them
	if !reflect.DeepEqual(ix.Settings(), want) {
		t.Errorf("the index holds the settings %+v, want %+v", ix.Settings(), want)
	}
	slugs := 0
	for name, text := range tree {
		slug, ok := strings.CutPrefix(name, "api/v1/projects/")
		if slug = strings.TrimSuffix(slug, ".json"); !ok || slug == "index" {
			continue
		}
		slugs++
		served, ok := ix.AppendProject(nil, slug)
		if !ok {
			t.Errorf("%s is not in the index", slug)
			continue
		}
		if string(served) != text {
			t.Errorf("%s: the index answers %s, the file says %s", slug, served, text)
		}
	}
	if ix.Len() != 6 || slugs != 6 {
		t.Errorf("%d listings in the index, %d files", ix.Len(), slugs)
	}

	var list api.ProjectList
	if err := json.Unmarshal([]byte(tree["api/v1/projects/index.json"]), &list); err != nil {
		t.Fatal(err)
	}
	if list.Total != 6 || list.Limit != 50 || list.Offset != 0 || len(list.Projects) != 6 {
		t.Errorf("the default list is %+v", list)
	}
	for i, served := range listItems(t, ix, 50) {
		if !bytes.Equal(served, list.Projects[i]) {
			t.Errorf("place %d of the default list: the index answers %s, the file says %s", i, served, list.Projects[i])
		}
	}
	got, _ := readListPage(t, []byte(tree["api/v1/lists/popular/1.json"]))
	long := "every-word-of-a-very-long-name-stands-on-one-line-in-each-list-x"
	if want := []string{"amber-chat", "cold-storage", long, "menora", "borrowed-light", "empty-hands"}; !slices.Equal(got, want) {
		t.Errorf("popular: %q, want %q", got, want)
	}
	got, _ = readListPage(t, []byte(tree["api/v1/lists/newest/1.json"]))
	if want := []string{"borrowed-light", long, "amber-chat", "empty-hands", "cold-storage", "menora"}; !slices.Equal(got, want) {
		t.Errorf("newest: %q, want %q", got, want)
	}
	got, _ = readListPage(t, []byte(tree["api/v1/lists/recently-updated/1.json"]))
	if want := []string{"amber-chat", long, "cold-storage", "borrowed-light", "empty-hands", "menora"}; !slices.Equal(got, want) {
		t.Errorf("recently updated: %q, want %q", got, want)
	}
	if got, page := readListPage(t, []byte(tree["api/v1/lists/category/nothing-yet/1.json"])); len(got) != 0 || page.Total != 0 || page.Pages != 1 || page.Next != nil {
		t.Errorf("a category without listings: %q, %+v", got, page)
	}
}

// readListPage reads a page of a list and returns its slugs.
func readListPage(t *testing.T, text []byte) ([]string, api.ListPage) {
	t.Helper()
	var page api.ListPage
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	slugs := []string{}
	for _, raw := range page.Projects {
		var p api.Project
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		slugs = append(slugs, p.Slug)
	}
	return slugs, page
}

// generateContent writes a content folder of n listings, tool-000 and on. Every
// tenth has no stars; pairs have the same number.
func generateContent(t *testing.T, n int) string {
	t.Helper()
	dir := copyFolder(t, small)
	if err := os.RemoveAll(filepath.Join(dir, "projects")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "pages")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "projects"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("---\nname: Tool %d\npurpose: Does job %d.\ncategory: %s\nrepositoryUrl: https://code.example.org/tool-%d\naddedAt: 2026-01-%02d\n",
			i, i, []string{"chat", "speech", "speech", "speech"}[i%4], i, 1+i%28)
		if i%10 != 0 {
			text += fmt.Sprintf("stars: %d\nstarsAsOf: 2026-08-22\nsources: {stars: list}\n", i/2)
		}
		if i%3 != 0 {
			text += fmt.Sprintf("updatedAt: 2026-0%d-01\n", 1+i%8)
		}
		if err := os.WriteFile(filepath.Join(dir, "projects", fmt.Sprintf("tool-%03d.md", i)), []byte(text+"---\nText.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// listItems returns the first n listings as JSON of lists.
func listItems(t *testing.T, ix *search.Index, n int) (items []json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(append(ix.AppendList([]byte("["), 0, n), ']'), &items); err != nil {
		t.Fatal(err)
	}
	return items
}

func TestListPages(t *testing.T) {
	soak.Long(t)
	const n = 120
	out, report := build(t, func(o *Options) { o.Content = generateContent(t, n) })
	if report.Listings != n {
		t.Fatalf("%d listings", report.Listings)
	}
	ix, err := indexfile.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	projects := map[string]api.Project{}
	for _, raw := range listItems(t, ix, n) {
		var p api.Project
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		projects[p.Slug] = p
	}
	for _, c := range []struct {
		name    string
		total   int
		compare func(a, b *api.Project) int
	}{
		{"popular", n, index.ComparePopular},
		{"newest", n, index.CompareNewest},
		{"recently-updated", n, index.CompareRecentlyUpdated},
		{"category/chat", n / 4, index.ComparePopular},
		{"category/speech", n * 3 / 4, index.ComparePopular},
		{"category/retrieval", 0, index.ComparePopular},
	} {
		var all []string
		next := fmt.Sprintf("https://catalog.example/tools/api/v1/lists/%s/1.json", c.name)
		pages := max(1, (c.total+49)/50)
		for number := 1; next != ""; number++ {
			path, ok := strings.CutPrefix(next, "https://catalog.example/tools/")
			if !ok {
				t.Fatalf("%s: the next page is %s", c.name, next)
			}
			text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(path)))
			if err != nil {
				t.Fatal(err)
			}
			slugs, page := readListPage(t, text)
			if page.Page != number || page.Pages != pages || page.Total != c.total || page.Limit != 50 || page.Offset != 50*(number-1) {
				t.Errorf("%s: page %d says page %d of %d, total %d, limit %d, offset %d", c.name, number, page.Page, page.Pages, page.Total, page.Limit, page.Offset)
			}
			if full := number < pages; full && len(slugs) != 50 {
				t.Errorf("%s: page %d holds %d listings", c.name, number, len(slugs))
			}
			all = append(all, slugs...)
			if next = ""; page.Next != nil {
				next = *page.Next
			}
			if (page.Next == nil) != (number == pages) {
				t.Errorf("%s: page %d of %d leads to %v", c.name, number, pages, page.Next)
			}
		}
		if _, err := os.Stat(filepath.Join(out, "api", "v1", "lists", filepath.FromSlash(c.name), fmt.Sprintf("%d.json", pages+1))); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a page behind the last: %v", c.name, err)
		}
		if len(all) != c.total {
			t.Errorf("%s: %d listings, want %d", c.name, len(all), c.total)
		}
		for i := 1; i < len(all); i++ {
			a, b := projects[all[i-1]], projects[all[i]]
			if c.compare(&a, &b) >= 0 {
				t.Errorf("%s: %s comes before %s", c.name, a.Slug, b.Slug)
			}
		}
	}
	// The order is by stars, then slug, those without stars last.
	popular, _ := readListPage(t, mustRead(t, out, "api/v1/lists/popular/1.json"))
	if want := []string{"tool-118", "tool-119", "tool-116", "tool-117"}; !slices.Equal(popular[:4], want) {
		t.Errorf("the most popular are %q, want %q", popular[:4], want)
	}
	last, _ := readListPage(t, mustRead(t, out, "api/v1/lists/popular/3.json"))
	if want := []string{"tool-001", "tool-000", "tool-010"}; !slices.Equal(last[7:10], want) {
		t.Errorf("where stars end: %q, want %q", last[7:10], want)
	}
	// HTML pages have 100 listings.
	if text := string(mustRead(t, out, "newest/2/index.html")); strings.Count(text, `<th scope="row">`) != 20 || !strings.Contains(text, `rel="prev" href="/tools/newest/"`) {
		t.Errorf("the second page of the newest has %d listings", strings.Count(text, `<th scope="row">`))
	}
}

func mustRead(t *testing.T, out, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// link matches the target of a link in a page.
var link = regexp.MustCompile(` (?:href|src|action)="([^"]*)"`)

// bodyExample matches an example in the documentation, which has made-up links.
var bodyExample = regexp.MustCompile(`(?s)<pre class="example".*?</pre>|<dd>.*?</dd>`)

// exists reports whether the output has a file for a path below the base.
func exists(tree map[string]string, path string) bool {
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	switch {
	case path == "api/v1/search", path == "mcp":
		return true // answered by the server
	case path == "api/v1/projects":
		path += "/index.json"
	case path == "api/v1/":
		path += "index.json"
	case strings.HasPrefix(path, "api/v1/") && !strings.Contains(path[strings.LastIndexByte(path, '/'):], "."):
		path += ".json"
	case path == "" || strings.HasSuffix(path, "/"):
		path += "index.html"
	}
	_, ok := tree[path]
	return ok
}

// templated matches an address with a part in braces, which is to be replaced.
var templated = regexp.MustCompile(`"url":"[^"]*\{[^"]*"`)

// fencedCode matches a code block in Markdown.
var fencedCode = regexp.MustCompile("(?ms)^(```+)[a-z]*$.*?^```+$")

// Every internal link leads to a file of the output.
func TestLinks(t *testing.T) {
	out, _ := build(t, nil)
	tree := readTree(t, out)
	checked := 0
	check := func(from, path string) {
		checked++
		if !exists(tree, path) {
			t.Errorf("%s leads to %s, which does not exist", from, path)
		}
	}
	absolute := regexp.MustCompile("https://catalog\\.example/tools(/[^\\s\"'`)<>\\\\{}]*)")
	for name, text := range tree {
		if strings.HasSuffix(name, ".html") {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				path, internal := strings.CutPrefix(m[1], "/tools/")
				if internal {
					check(name, path)
				} else if !strings.HasPrefix(m[1], "https://") && !strings.HasPrefix(m[1], "mailto:") && !strings.HasPrefix(m[1], "#") {
					t.Errorf("%s leads to %q", name, m[1])
				}
			}
		}
		text = bodyExample.ReplaceAllString(text, "")
		if name == "api/v1/index.json" {
			text = templated.ReplaceAllString(text, "")
		}
		if strings.HasSuffix(name, "openapi.json") || strings.HasSuffix(name, ".idx") {
			continue // its examples have made-up links
		}
		if strings.HasSuffix(name, ".md") {
			text = fencedCode.ReplaceAllString(text, "")
		}
		for _, m := range absolute.FindAllStringSubmatch(html.UnescapeString(text), -1) {
			switch path := strings.TrimRight(m[1][1:], ".,:"); {
			case path == "api/v1/projects/" || path == "projects/": // followed by {slug}
			case name == ".well-known/api-catalog" && slices.Contains([]string{"api/v1/", "mcp", "healthz"}, path): // answered by the server
			default:
				check(name, path)
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d links were found", checked)
	}
}

func TestSitemap(t *testing.T) {
	out, _ := build(t, nil)
	tree := readTree(t, out)
	var sitemap struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(tree["sitemap.xml"]), &sitemap); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, u := range sitemap.URLs {
		path, ok := strings.CutPrefix(u.Loc, "https://catalog.example/tools/")
		if _, twice := named[path]; twice || !ok || !exists(tree, path) {
			t.Errorf("the sitemap names %s (twice: %t)", u.Loc, twice)
		}
		named[path] = u.LastMod
	}
	for name, text := range tree {
		path, isPage := strings.CutSuffix(name, "index.html")
		if !isPage {
			continue
		}
		if strings.Contains(text, `<meta name="robots" content="noindex">`) {
			if _, ok := named[path]; ok {
				t.Errorf("the sitemap names %s, which is not for search engines", name)
			}
			continue
		}
		if _, ok := named[path]; !ok {
			t.Errorf("the sitemap does not name %s", name)
		}
		if want := `<link rel="canonical" href="https://catalog.example/tools/` + path + `">`; !strings.Contains(text, want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
	// The latest of addedAt and the days of the sources.
	for path, want := range map[string]string{
		"projects/amber-chat/": "2026-11-20", "projects/menora/": "2026-11-18", "projects/borrowed-light/": "2026-11-21",
		"categories/chat/": "2026-11-20", "categories/nothing-yet/": "", "": "2026-11-21", "alternatives/": "2026-11-21", "docs/": "",
	} {
		if named[path] != want {
			t.Errorf("%q was last changed on %q, want %q", path, named[path], want)
		}
	}
	if !strings.Contains(tree["404.html"], `<meta name="robots" content="noindex">`) {
		t.Error("404.html may be listed by search engines")
	}
}

// Content cannot add markup.
func TestTextIsEscaped(t *testing.T) {
	out, _ := build(t, func(o *Options) {
		o.Settings.Title = `<b>"Title"</b>`
		o.Settings.Description = "</title><script>alert(1)</script>"
		o.Settings.SandboxKey = "</script><script>alert(1)"
	})
	pages := 0
	for name, text := range readTree(t, out) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		pages++
		for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
			tag := z.Token()
			inline := tag.Data == "script" && !slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool {
				return a.Key == "src" || a.Key == "type" && a.Val == "application/ld+json" // not executed
			})
			style := slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == "style" || strings.HasPrefix(a.Key, "on") })
			// The Content-Security-Policy forbids the last two anyway.
			if tag.Type == html.StartTagToken && (tag.Data == "b" || inline || style) {
				t.Errorf("%s holds %s", name, tag)
			}
		}
	}
	if pages < 30 {
		t.Errorf("only %d pages were looked at", pages)
	}
	page := string(mustRead(t, out, "projects/menora/index.html"))
	for _, want := range []string{"מנורה AI “lamp” — ランプ", "كل شيء: speech to text", "תמלול &lt;הקלטה"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
