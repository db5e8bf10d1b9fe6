package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
)

var taxonomy = api.Taxonomy{
	Categories: []api.Category{{Slug: "chat-interfaces", Name: "Chat"}, {Slug: "image-generation", Name: "Images"}},
	Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}, {Slug: "macos", Name: "macOS"}, {Slug: "docker", Name: "Docker"}},
	Facts:      apitest.Facts(),
}

var searchParameters = func() []api.Parameter {
	settings := site.Defaults()
	return api.SearchParameters(&settings, &taxonomy)
}()

// openAPI has the parts of an OpenAPI document that these tests check.
type openAPI struct {
	OpenAPI string
	Info    struct {
		Title, Version, Description string
		Contact                     map[string]string
	}
	Servers    []struct{ URL string }
	SandboxKey *string `json:"x-sandbox-key"`
	Security   []map[string][]string
	Paths      map[string]struct {
		Servers []struct{ URL string }
		Get     operation
	}
	Components struct {
		SecuritySchemes map[string]map[string]string
		Responses       map[string]response
		Headers         map[string]struct{ Example any }
	}
}

type operation struct {
	OperationID, Description string
	Parameters               []parameter
	Responses                map[string]response
}

type parameter struct {
	Name, In, Description, Style string
	Required                     bool
	Explode                      *bool
	Example                      any
	Schema                       schema
}

type schema struct {
	Type                        string
	Default                     any
	Minimum, Maximum, MaxLength *int
	MaxItems                    *int
	Enum                        []string
	Items                       *schema
}

type response struct {
	Ref     string `json:"$ref"`
	Headers map[string]struct {
		Ref string `json:"$ref"`
	}
	Content map[string]struct{ Example json.RawMessage }
}

func document(t *testing.T, s site.Settings) (raw []byte, doc openAPI) {
	t.Helper()
	raw, err := openapi.Document(s, &taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return raw, doc
}

func settingsWith(change func(*site.Settings)) site.Settings {
	s := site.Defaults()
	change(&s)
	return s
}

// variants are settings that change the document's shape.
var variants = map[string]site.Settings{
	"default":       site.Defaults(),
	"no key":        settingsWith(func(s *site.Settings) { s.SandboxKey = "" }),
	"base path":     settingsWith(func(s *site.Settings) { s.BaseURL = "https://catalog.example/ai/tools" }),
	"search server": settingsWith(func(s *site.Settings) { s.SearchURL = "https://search.catalog.example" }),
	"mail contact":  settingsWith(func(s *site.Settings) { s.Contact = "mailto:catalog@catalog.example" }),
	"browser":       settingsWith(func(s *site.Settings) { s.Search = site.SearchInBrowser }),
	"no search":     settingsWith(func(s *site.Settings) { s.Search = site.SearchNone }),
	"no contact":    settingsWith(func(s *site.Settings) { s.Contact = "" }),
}

func TestDocumentIsOpenAPI31(t *testing.T) {
	for name, s := range variants {
		t.Run(name, func(t *testing.T) {
			raw, doc := document(t, s)
			if _, err := apitest.Parse(raw); err != nil {
				t.Fatal(err)
			}
			if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Catalog API" || doc.Info.Version != "1.0.0" || doc.Servers[0].URL != s.BaseURL {
				t.Errorf("the header is %+v, servers %v", doc.Info, doc.Servers)
			}
			if !strings.Contains(doc.Info.Description, s.Description) || strings.Contains(doc.Info.Description, "client address") != s.HasServer() {
				t.Errorf("the description is %q", doc.Info.Description)
			}
		})
	}
}

// With the search on another host, files ignore parameters, so that view=brief has to go there.
func TestDocumentSaysWhoReadsParameters(t *testing.T) {
	for name, s := range variants {
		_, doc := document(t, s)
		for _, path := range []string{api.PathProject, api.PathProjects} {
			if _, isFile := doc.Paths[api.FilePath(path)]; isFile {
				continue
			}
			says := strings.Contains(doc.Paths[path].Get.Description, "Only https://search.catalog.example reads the parameters")
			if says != (name == "search server") {
				t.Errorf("%s: %s: %v", name, path, says)
			}
		}
	}
}

func TestDocumentIsDeterministicAndCompact(t *testing.T) {
	raw, _ := document(t, site.Defaults())
	for range 5 {
		if again, _ := document(t, site.Defaults()); !bytes.Equal(raw, again) {
			t.Fatal("the same settings gave other bytes")
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil || !bytes.Equal(compact.Bytes(), raw) {
		t.Errorf("the document is not compact: %v", err)
	}
}

func TestDocumentOfNoTaxonomyIsOpenAPI31(t *testing.T) {
	raw, err := openapi.Document(site.Defaults(), &api.Taxonomy{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apitest.Parse(raw); err != nil {
		t.Error(err)
	}
}

// The document has exactly the parameters of the handlers, with their defaults, bounds and
// values.
func TestDescribedParameters(t *testing.T) {
	_, doc := document(t, site.Defaults())
	for path, known := range map[string][]api.Parameter{api.PathProjects: api.ListParameters, api.PathSearch: searchParameters} {
		described := doc.Paths[path].Get.Parameters
		var want []string
		for _, k := range known {
			i := slices.IndexFunc(described, func(p parameter) bool { return p.Name == k.Name })
			if k.Undescribed {
				if i >= 0 {
					t.Errorf("%s: %s is described", path, k.Name)
				}
				continue
			}
			want = append(want, k.Name)
			if i < 0 {
				t.Errorf("%s: %s is not described", path, k.Name)
				continue
			}
			checkParameter(t, path, k, described[i])
		}
		if len(described) != len(want) {
			t.Errorf("%s: %d parameters are described, want %v", path, len(described), want)
		}
	}
}

func checkParameter(t *testing.T, path string, k api.Parameter, p parameter) {
	t.Helper()
	if p.In != "query" || p.Required || p.Description != k.Text() {
		t.Errorf("%s: %s is %+v", path, k.Name, p)
	}
	switch k.Kind {
	case api.KindInteger:
		s := p.Schema
		if s.Type != "integer" || fmt.Sprint(s.Default) != fmt.Sprint(k.Default) || s.Minimum == nil || *s.Minimum != k.Min {
			t.Errorf("%s: %s has the schema %+v", path, k.Name, s)
		}
		if k.HasMax != (s.Maximum != nil) || k.HasMax && *s.Maximum != k.Max {
			t.Errorf("%s: %s has the maximum %v", path, k.Name, s.Maximum)
		}
	case api.KindFlag:
		if p.Schema.Default != k.Default {
			t.Errorf("%s: %s has the default %v", path, k.Name, p.Schema.Default)
		}
		if !slices.Equal(p.Schema.Enum, []string{"0", "1"}) {
			t.Errorf("%s: %s allows %q", path, k.Name, p.Schema.Enum)
		}
	case api.KindChoice:
		if !slices.Equal(p.Schema.Enum, k.Allowed) {
			t.Errorf("%s: %s allows %q", path, k.Name, p.Schema.Enum)
		}
	case api.KindChoices:
		if p.Schema.Type != "array" || p.Style != "form" || p.Explode == nil || !*p.Explode || p.Schema.MaxItems == nil || *p.Schema.MaxItems != api.MaxListValues || !slices.Equal(p.Schema.Items.Enum, k.Allowed) {
			t.Errorf("%s: %s is %+v of %+v", path, k.Name, p, p.Schema.Items)
		}
	case api.KindText:
		if p.Schema.MaxLength == nil || *p.Schema.MaxLength != api.MaxQueryLength {
			t.Errorf("%s: %s has the longest value %v", path, k.Name, p.Schema.MaxLength)
		}
	}
}

func TestDocumentSaysThatTrendingIsDeprecated(t *testing.T) {
	_, doc := document(t, site.Defaults())
	for _, p := range doc.Paths[api.PathSearch].Get.Parameters {
		if p.Name == "sort" && !strings.Contains(p.Description, "trending is deprecated") {
			t.Errorf("sort is described as %q", p.Description)
		}
	}
}

func TestOperationsAndResponses(t *testing.T) {
	_, doc := document(t, site.Defaults())
	operations := map[string]struct {
		id       string
		statuses string
	}{
		api.PathProjects: {"listProjects", "200 304 400 401 414 429 500 503"},
		api.PathProject:  {"getProject", "200 301 304 400 401 404 414 429 500 503"},
		api.PathSearch:   {"searchCatalog", "200 304 400 401 414 429 500 503"},
		api.PathOpenAPI:  {"getOpenAPI", "200 304 401 414 429 500 503"},
	}
	for path, want := range operations {
		get := doc.Paths[path].Get
		statuses := strings.Join(slices.Sorted(maps.Keys(get.Responses)), " ")
		if get.OperationID != want.id || statuses != want.statuses {
			t.Errorf("%s is %s with the responses %s, want %s with %s", path, get.OperationID, statuses, want.id, want.statuses)
		}
	}
	if len(doc.Paths) != len(operations) {
		t.Errorf("%d paths are described, want %d", len(doc.Paths), len(operations))
	}
}

// The example of each answer, with the examples of its headers, is valid.
func TestExamplesValidate(t *testing.T) {
	for name, s := range variants {
		raw, doc := document(t, s)
		checker, err := apitest.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		for path, item := range doc.Paths {
			for status, r := range item.Get.Responses {
				t.Run(fmt.Sprintf("%s %s %s", name, path, status), func(t *testing.T) {
					if example, ok := r.Content["application/json"]; !s.HasServer() {
						if ok && checker.CheckJSON(path, example.Example) != nil {
							t.Error(checker.CheckJSON(path, example.Example))
						}
						return
					}
					if err := checker.Check(exampleAnswer(t, &doc, path, status, r)); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

func exampleAnswer(t *testing.T, doc *openAPI, path, status string, r response) (*http.Request, *http.Response) {
	t.Helper()
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		r = doc.Components.Responses[name]
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		t.Fatal(err)
	}
	answer := &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
	for contentType, content := range r.Content {
		if len(content.Example) == 0 {
			t.Fatal("there is no example")
		}
		answer.Header.Set("Content-Type", contentType)
		answer.Body = io.NopCloser(bytes.NewReader(content.Example))
	}
	for name, header := range r.Headers {
		described, ok := doc.Components.Headers[strings.TrimPrefix(header.Ref, "#/components/headers/")]
		if !ok {
			t.Fatalf("the header %s refers to nothing", name)
		}
		answer.Header.Set(name, fmt.Sprint(described.Example))
	}
	if code >= 400 {
		answer.Header.Set("Cache-Control", "no-store")
	}
	request, err := http.NewRequest(http.MethodGet, doc.Servers[0].URL+strings.ReplaceAll(path, "{slug}", "example-notes"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return request, answer
}

func TestKeysInTheDocument(t *testing.T) {
	_, doc := document(t, site.Defaults())
	if doc.SandboxKey == nil || *doc.SandboxKey != "catalog-sandbox" {
		t.Errorf("x-sandbox-key is %v", doc.SandboxKey)
	}
	var schemes []string
	for _, s := range doc.Components.SecuritySchemes {
		schemes = append(schemes, s["type"]+" "+s["scheme"]+s["in"]+" "+s["name"])
	}
	slices.Sort(schemes)
	if want := []string{"apiKey header X-Api-Key", "http bearer "}; !slices.Equal(schemes, want) {
		t.Errorf("the security schemes are %q, want %q", schemes, want)
	}
	if len(doc.Security) != 3 || len(doc.Security[0]) != 0 {
		t.Errorf("security is %v: anonymous access and either header", doc.Security)
	}

	_, doc = document(t, variants["no key"])
	if doc.SandboxKey != nil || doc.Security != nil || doc.Components.SecuritySchemes != nil {
		t.Errorf("without a key, the document names %v, %v, %v", doc.SandboxKey, doc.Security, doc.Components.SecuritySchemes)
	}
}

func TestSearchServerInTheDocument(t *testing.T) {
	_, doc := document(t, variants["search server"])
	if got := doc.Paths[api.PathSearch].Servers; len(got) != 1 || got[0].URL != "https://search.catalog.example" {
		t.Errorf("the servers of search are %v", got)
	}
	if got := doc.Paths[api.PathProjects].Servers; got != nil {
		t.Errorf("the servers of the list are %v", got)
	}
}

// The schema accepts a project without any known fact, and rejects wrong values.
func TestSchemasAllowNull(t *testing.T) {
	raw, doc := document(t, site.Defaults())
	checker, err := apitest.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	bare := api.ProjectDetail{Project: api.Project{
		Slug: "bare", FitNotes: api.UnknownFacts(taxonomy.Facts), PageURL: "https://a.example/", RepositoryURL: "https://b.example/", AddedAt: "2026-01-02",
	}}.Normalized()
	body, err := json.Marshal(bare)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		body  string
		valid bool
	}{
		{string(body), true},
		{strings.Replace(string(body), `"gpu":null`, `"gpu":"maybe"`, 1), false},
		{strings.Replace(string(body), `"aliases":[]`, `"aliases":null`, 1), false},
		{strings.Replace(string(body), `"caveats":[]`, `"caveats":null`, 1), false},
		{strings.Replace(string(body), `"2026-01-02"`, `"2026-13-02"`, 1), false},
		{strings.Replace(string(body), `"slug":"bare"`, `"slug":"Bare"`, 1), false},
		{strings.Replace(string(body), `"stars":null`, `"stars":-1`, 1), false},
	} {
		request, answer := exampleAnswer(t, &doc, api.PathProject, "200", doc.Paths[api.PathProject].Get.Responses["200"])
		answer.Body = io.NopCloser(strings.NewReader(test.body))
		if err := checker.Check(request, answer); (err == nil) != test.valid {
			t.Errorf("valid %v: %v: %s", test.valid, err, test.body)
		}
	}
}
