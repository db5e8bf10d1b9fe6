package apitest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
)

var taxonomy = api.Taxonomy{
	Categories: []api.Category{{Slug: "chat", Name: "Chat"}},
	Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}},
	Facts:      Facts(),
}

func document(t *testing.T) *Document {
	t.Helper()
	s := site.Defaults()
	raw, err := openapi.Document(s, &taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	emptyList   = `{"projects":[],"total":0,"limit":50,"offset":0,"warnings":[]}`
	emptySearch = `{"query":{"q":null,"category":null,"platform":null,"license":null,"openSource":null,"upkeep":null,"gpu":null,"maxRamGb":null,"docker":null,"beginner":null,"selfHosted":null,"ramGb":null,"vramGb":null,"arch":null,"gpuVendor":null,"stated":null,"limit":10},"sort":{"requested":"popular","applied":"popular","deprecated":false,"order":"o"},"total":0,"limit":10,"offset":0,"products":[],"hits":[],"didYouMean":null,"warnings":[]}`
	problemBody = `{"type":"http://localhost:8080/problems/unknown-endpoint/","title":"No","status":404,"detail":"d","code":"unknown-endpoint"}`
)

// answer is a handler that sends a fixed answer.
type answer struct {
	status  int
	headers map[string]string // changes to the headers of a valid answer; "" removes one
	body    string
}

func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	valid := map[string]string{
		"Content-Type": "application/json", "Cache-Control": headers.CacheControl, "Vary": headers.Vary,
		"ETag": `"1"`, "Link": "<http://localhost:8080/api/v1/projects>; rel=\"first\"", "X-Request-Id": "1",
		"RateLimit-Policy": `"anonymous";q=120;w=60`, "RateLimit": `"anonymous";r=119;t=60`,
		"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": headers.ExposedHeaders,
	}
	if a.status >= 400 {
		valid["Content-Type"], valid["Cache-Control"] = "application/problem+json", "no-store"
		delete(valid, "ETag")
		delete(valid, "Link")
		delete(valid, "Vary")
	}
	maps.Copy(valid, a.headers)
	for name, value := range valid {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func TestCheck(t *testing.T) {
	d := document(t)
	tests := []struct {
		name, path string
		answer     answer
		wantError  string // part of the error; "" for a valid answer
	}{
		{"right list", api.PathProjects, answer{200, nil, emptyList}, ""},
		{"page", "/projects/", answer{200, map[string]string{"RateLimit": ""}, "<p>"}, ""},
		{"missing property", api.PathProjects, answer{200, nil, `{"projects":[],"total":0,"limit":50}`}, "offset"},
		{"wrong type", api.PathProjects, answer{200, nil, `{"projects":[],"total":"0","limit":50,"offset":0}`}, "integer"},
		{"undescribed property", api.PathProjects, answer{200, nil, `{"projects":[],"total":0,"limit":50,"offset":0,"more":1}`}, "more"},
		{"right search", api.PathSearch, answer{200, nil, emptySearch}, ""},
		{"undescribed property of a property", api.PathSearch, answer{200, nil, strings.Replace(emptySearch, `"q":null`, `"q":null,"more":1`, 1)}, "more"},
		{"wrong project in a list", api.PathProjects, answer{200, nil, `{"projects":[{"slug":"A B"}],"total":0,"limit":50,"offset":0}`}, "slug"},
		{"not JSON", api.PathProjects, answer{200, nil, `oops`}, "decode"},
		{"missing header", api.PathProjects, answer{200, map[string]string{"ETag": ""}, emptyList}, "ETag"},
		{"malformed header", api.PathProjects, answer{200, map[string]string{"RateLimit": "119"}, emptyList}, "pattern"},
		{"undescribed header", api.PathProjects, answer{200, map[string]string{"X-Extra": "1"}, emptyList}, "X-Extra"},
		{"no allowance told", api.PathProjects, answer{200, map[string]string{"RateLimit": ""}, emptyList}, "RateLimit"},
		{"no CORS", "/api/nothing", answer{404, map[string]string{"Access-Control-Allow-Origin": ""}, problemBody}, "Allow-Origin"},
		{"undescribed status", api.PathProjects, answer{202, nil, emptyList}, "202"},
		{"wrong content type", api.PathProjects, answer{200, map[string]string{"Content-Type": "text/html"}, emptyList}, "text/html"},
		{"right undescribed path", "/api/nothing", answer{404, nil, problemBody}, ""},
		{"problem is not JSON", "/api/nothing", answer{404, nil, "404"}, "want object"},
		{"problem of another status", "/api/nothing", answer{405, nil, problemBody}, "status"},
		{"problem of another type", "/api/nothing", answer{404, nil, strings.Replace(problemBody, "localhost", "elsewhere", 1)}, "type"},
		{"problem of an unknown code", api.PathSearch, answer{400, nil, strings.ReplaceAll(strings.ReplaceAll(problemBody, "unknown-endpoint", "odd"), "404", "400")}, "code"},
		{"problem without detail", api.PathProjects + "/x", answer{404, nil, strings.Replace(problemBody, `"detail":"d",`, "", 1)}, "detail"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			request := httptest.NewRequest(http.MethodGet, test.path, nil)
			test.answer.ServeHTTP(recorder, request)
			response := recorder.Result()
			err := d.Check(request, response)
			switch {
			case test.wantError == "" && err != nil:
				t.Errorf("a valid answer is refused: %v", err)
			case test.wantError != "" && err == nil:
				t.Error("a wrong answer passes")
			case test.wantError != "" && !strings.Contains(err.Error(), test.wantError):
				t.Errorf("the error does not mention %q: %v", test.wantError, err)
			}
			if body, _ := io.ReadAll(response.Body); string(body) != test.answer.body {
				t.Errorf("the body afterwards is %q", body)
			}
		})
	}
}

// failures records what a wrapper reports.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()      {}
func (f *failures) Error(...any) { f.count++ }

func TestWrappersFailTheTest(t *testing.T) {
	d := document(t)
	for _, test := range []struct {
		answer answer
		want   int
	}{
		{answer{200, nil, emptyList}, 0},
		{answer{200, nil, `{}`}, 1},
	} {
		f := &failures{TB: t}
		d.Handler(f, test.answer).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, api.PathProjects, nil))
		if f.count != test.want {
			t.Errorf("Handler reported %d failures for %s, want %d", f.count, test.answer.body, test.want)
		}

		server := httptest.NewServer(test.answer)
		f = &failures{TB: t}
		client := &http.Client{Transport: d.Transport(f, nil)}
		response, err := client.Get(server.URL + api.PathProjects)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		server.Close()
		if f.count != test.want || string(body) != test.answer.body {
			t.Errorf("Transport reported %d failures, body %s; want %d", f.count, body, test.want)
		}
	}
}

func TestParseRefusesWhatIsNotOpenAPI(t *testing.T) {
	for _, document := range []string{
		`{}`,
		`{"openapi":"3.1.0","info":{"title":"no version"},"servers":[{"url":"http://a"}],"paths":{}}`,
	} {
		if _, err := Parse([]byte(document)); err == nil {
			t.Errorf("%s is accepted", document)
		}
	}
}
