package generator

import (
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/apitest"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/engine"
	"catalog.example/generator/lzma"
)

// someEngine stands for the engine where it does not have to run.
var someEngine = &engine.Module{Program: lzma.Encode([]byte("program")), Runtime: []byte("globalThis.Go = class {};")}

// buildMode builds the small site with a value of the setting search.
func buildMode(t *testing.T, mode string) map[string]string {
	t.Helper()
	out, _ := build(t, func(o *Options) { o.Settings.Search, o.Engine = mode, someEngine })
	return readTree(t, out)
}

// siteAddress matches an absolute address of the small site in any text.
var siteAddress = regexp.MustCompile(regexp.QuoteMeta(testBase) + `/[^\s"'<>()\\,;` + "`" + `]*`)

// Where there is no search server, no file names what only a server has, and every address
// of the site that any file names is a file.
func TestFilesPromiseOnlyFiles(t *testing.T) {
	for mode, more := range map[string][]string{
		site.SearchInBrowser: nil,
		site.SearchNone:      {"/search/", "search_catalog", "opensearch", "role=\"search\"", "wasm", "invalid-parameter"},
	} {
		tree := buildMode(t, mode)
		absent := append([]string{"/api/v1/search", "/mcp", "/healthz", "Retry-After", "catalog-sandbox", "{search_url}", "Accept: text/markdown"}, more...)
		for name, text := range tree {
			if name == "api/v1/search.idx" || strings.HasPrefix(name, "assets/") || strings.HasSuffix(name, ".png") {
				continue
			}
			for _, words := range absent {
				if i := strings.Index(text, words); i >= 0 {
					t.Errorf("search %s: %s promises %s: …%.120q", mode, name, words, text[max(0, i-60):])
				}
			}
			for _, address := range siteAddress.FindAllString(html.UnescapeString(text), -1) {
				if !strings.Contains(address, "/projects/example/") && !hasFile(t, tree, address) { // an example of the OpenAPI document
					t.Errorf("search %s: %s names %s, which is no file", mode, name, address)
				}
			}
		}
		if _, ok := tree["search/index.html"]; ok != (mode == site.SearchInBrowser) {
			t.Errorf("search %s: there is a search page: %t", mode, ok)
		}
		if _, ok := tree["opensearch.xml"]; ok != (mode == site.SearchInBrowser) {
			t.Errorf("search %s: there is an opensearch.xml: %t", mode, ok)
		}
		if tree["api/v1/search.idx"] == "" {
			t.Errorf("search %s: the build has no index for a server", mode)
		}
	}
}

// hasFile reports whether an address of the small site is a file that a plain host serves.
// Parts in braces stand for any value.
func hasFile(t *testing.T, tree map[string]string, address string) bool {
	t.Helper()
	address = strings.TrimRight(address, ".:")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	name := strings.TrimPrefix(u.Path, "/tools/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	pattern := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(name, "*")
	if !strings.Contains(pattern, "*") {
		_, ok := tree[name]
		return ok
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(tree)), func(file string) bool {
		matches, err := path.Match(pattern, file)
		return err == nil && matches
	})
}

// The paths of the OpenAPI document are files.
func TestFilesAreDescribed(t *testing.T) {
	for _, mode := range []string{site.SearchInBrowser, site.SearchNone} {
		tree := buildMode(t, mode)
		var document struct {
			Paths      map[string]any
			Key        *string `json:"x-sandbox-key"`
			Security   []any
			Components map[string]any
		}
		if err := json.Unmarshal([]byte(tree["api/v1/openapi.json"]), &document); err != nil {
			t.Fatal(err)
		}
		checker, err := apitest.Parse([]byte(tree["api/v1/openapi.json"]))
		if err != nil {
			t.Fatal(err)
		}
		files := strings.NewReplacer("{slug}", "amber-chat", "{order}", "popular", "{category}", "chat", "{page}", "1")
		for path := range document.Paths {
			text, ok := tree[files.Replace(strings.TrimPrefix(path, "/"))]
			if !ok {
				t.Errorf("search %s: %s is described and no file", mode, path)
			} else if strings.HasSuffix(path, ".json") && checker.CheckJSON(path, []byte(text)) != nil {
				t.Errorf("search %s: %s: %v", mode, path, checker.CheckJSON(path, []byte(text)))
			}
		}
		if len(document.Paths) < 7 || document.Key != nil || document.Security != nil || len(document.Components) != 1 {
			t.Errorf("search %s: %d paths, the key %v, components %v", mode, len(document.Paths), document.Key, document.Components)
		}
	}
}

// A build says what is missing and how to get it, and writes nothing.
func TestNoEngine(t *testing.T) {
	if engine.Embedded() != nil {
		t.Fatal("tests are built without the engine")
	}
	o := optionsFor(t.TempDir() + "/public")
	o.Settings.Search = site.SearchInBrowser
	_, err := Build(t.Context(), o)
	if err == nil {
		t.Fatal("a build without the engine succeeds")
	}
	for _, words := range []string{"setting search: browser", "make build", "server or none"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not name %s", err, words)
		}
	}
}

// Pages name the settings' addresses for readers, and only those that are set.
func TestAddressesInPages(t *testing.T) {
	folder := copyFolder(t, small)
	page := "---\ntitle: Ask\ndescription: How to ask.\n---\n[Report it]({report_url}) or [suggest one]({suggest_url}).\n"
	if err := os.WriteFile(filepath.Join(folder, "pages", "ask.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := build(t, func(o *Options) {
		o.Content, o.Settings.ReportURL, o.Settings.Contact = folder, "https://forge.example/new?listing={page}&x={title}", "mailto:owner@catalog.example"
	})
	text := readTree(t, out)["ask/index.html"]
	for _, want := range []string{`href="https://forge.example/new?listing=&amp;x="`, `href="mailto:owner@catalog.example"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	o := optionsFor(t.TempDir() + "/public")
	o.Content, o.Settings.Contact = folder, ""
	report, err := Build(t.Context(), o)
	var wrong []string
	for _, f := range report.Findings {
		if f.File == "pages/ask.md" && f.Line == 5 {
			wrong = append(wrong, f.Message)
		}
	}
	if err == nil || len(wrong) != 2 || !strings.Contains(wrong[0], "set report_url or contact") || !strings.Contains(wrong[1], "set suggest_url or contact") {
		t.Errorf("%q, %v", wrong, err)
	}
}

// A page is built with the values of search that it names.
func TestPagesOfASearch(t *testing.T) {
	folder := copyFolder(t, small)
	page := "---\ntitle: Ask\ndescription: How to ask.\nsearch: [server]\n---\n{search_url}/api/v1/search\n"
	if err := os.WriteFile(filepath.Join(folder, "pages", "ask.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]bool{site.SearchByServer: true, site.SearchInBrowser: false, site.SearchNone: false} {
		out, _ := build(t, func(o *Options) { o.Content, o.Settings.Search, o.Engine = folder, mode, someEngine })
		tree := readTree(t, out)
		if _, ok := tree["ask/index.html"]; ok != want || strings.Contains(tree["index.html"], "/ask/") != want || strings.Contains(tree["sitemap.xml"], "/ask/") != want {
			t.Errorf("search %s: the page is there, %t, or linked", mode, ok)
		}
	}
	// A page for all of them cannot name the server where there is none.
	if err := os.WriteFile(filepath.Join(folder, "pages", "ask.md"), []byte(strings.Replace(page, "search: [server]\n", "", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o := optionsFor(t.TempDir() + "/public")
	o.Content, o.Settings.Search = folder, site.SearchNone
	report, err := Build(t.Context(), o)
	if err == nil || !slices.ContainsFunc(report.Findings, func(f content.Finding) bool {
		return f.File == "pages/ask.md" && f.Line == 5 && strings.Contains(f.Message, "search: [server]")
	}) {
		t.Errorf("%v, %v", err, report.Findings)
	}
}
