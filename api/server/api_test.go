package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
)

func TestListProjects(t *testing.T) {
	f := newFixture(t, nil)
	const list = "http://localhost:8080/api/v1/projects"
	link := func(limit, offset int, relation string) string {
		return fmt.Sprintf(`<%s?limit=%d&offset=%d>; rel="%s"`, list, limit, offset, relation)
	}
	tests := []struct {
		query               string
		limit, offset       int
		first, items        int // number of the first listing, how many
		prev, next, lastPos int // offsets; -1: no such link
	}{
		{"", 50, 0, 1, 12, -1, -1, 0},
		{"?limit=5", 5, 0, 1, 5, -1, 5, 10},
		{"?limit=5&offset=5", 5, 5, 6, 5, 0, 10, 10},
		{"?limit=5&offset=10", 5, 10, 11, 2, 5, -1, 10},
		{"?limit=4&offset=8", 4, 8, 9, 4, 4, -1, 8},
		{"?limit=5&offset=3", 5, 3, 4, 5, 0, 8, 8},
		{"?limit=1&offset=11", 1, 11, 12, 1, 10, -1, 11},
		{"?limit=5&offset=12", 5, 12, 0, 0, 7, -1, 7},
		{"?limit=5&offset=100", 5, 100, 0, 0, 10, -1, 10},
		{"?limit=100&offset=99", 100, 99, 0, 0, 0, -1, 0},
		{"?offset=9223372036854775807", 50, 9223372036854775807, 0, 0, 7, -1, 7},
		{"?limit=2&colour=red", 2, 0, 1, 2, -1, 2, 10},
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) {
			r := f.get("/api/v1/projects" + test.query)
			body := decode[struct {
				Projects             []api.Project
				Total, Limit, Offset int
			}](t, r)
			if r.status != 200 || body.Total != projectCount || body.Limit != test.limit || body.Offset != test.offset || len(body.Projects) != test.items {
				t.Fatalf("%d: %s", r.status, r.body)
			}
			if test.items > 0 && body.Projects[0].Slug != fmt.Sprintf("paper-lantern-%d", test.first) {
				t.Errorf("the first project is %s", body.Projects[0].Slug)
			}
			if test.items == 0 && !strings.Contains(r.body, `"projects":[]`) {
				t.Errorf("the empty list is %s", r.body)
			}
			links := []string{link(test.limit, 0, "first")}
			if test.prev >= 0 {
				links = append(links, link(test.limit, test.prev, "prev"))
			}
			if test.next >= 0 {
				links = append(links, link(test.limit, test.next, "next"))
			}
			links = append(links, link(test.limit, test.lastPos, "last"))
			r.expect(t, "Link", strings.Join(links, ", "))
		})
	}
}

func TestFollowingNextVisitsEveryProjectOnce(t *testing.T) {
	f := newFixture(t, nil)
	seen := map[string]bool{}
	for target := "/api/v1/projects?limit=5"; target != ""; {
		r := f.get(target)
		for _, p := range decode[struct{ Projects []api.Project }](t, r).Projects {
			if seen[p.Slug] {
				t.Fatalf("%s comes twice", p.Slug)
			}
			seen[p.Slug] = true
		}
		target = ""
		for part := range strings.SplitSeq(r.header.Get("Link"), ", ") {
			if address, ok := strings.CutSuffix(part, `>; rel="next"`); ok {
				target = strings.TrimPrefix(address, "<http://localhost:8080")
			}
		}
	}
	if len(seen) != projectCount {
		t.Errorf("%d projects were seen, want %d", len(seen), projectCount)
	}
}

func TestListLinksOfAnEmptyCatalog(t *testing.T) {
	got := pageLinks("http://a/p?", 5, 7, 0, 1000)
	want := `<http://a/p?limit=5&offset=0>; rel="first", <http://a/p?limit=5&offset=0>; rel="prev", <http://a/p?limit=5&offset=0>; rel="last"`
	if got != want {
		t.Errorf("the links are %s, want %s", got, want)
	}
}

// The pages of a search are linked, with all of its parameters; none begins beyond the
// largest offset.
func TestSearchLinks(t *testing.T) {
	f := newFixture(t, nil)
	seen := map[string]bool{}
	target := "/api/v1/search?q=lantern&platform=linux,docker&sort=newest&facets=0&correct=0&limit=7"
	for pages := 0; target != "" && pages < 100; pages++ {
		r := f.get(target)
		for _, h := range decode[api.SearchResponse](t, r).Hits {
			seen[h.Slug] = true
		}
		target = ""
		for part := range strings.SplitSeq(r.header.Get("Link"), ", ") {
			if address, ok := strings.CutSuffix(part, `>; rel="next"`); ok {
				target = strings.TrimPrefix(address, "<http://localhost:8080")
				if !strings.HasPrefix(target, "/api/v1/search?q=lantern&platform=linux,docker&sort=newest&facets=0&correct=0&limit=7&offset=") {
					t.Fatalf("the next page is %s", target)
				}
			}
		}
	}
	if total := decode[api.SearchResponse](t, f.get("/api/v1/search?q=lantern&platform=linux,docker&sort=newest&facets=0&correct=0&limit=7")).Total; len(seen) != total || total < 10 {
		t.Errorf("%d hits were seen, of %d", len(seen), total)
	}
	// A long query leaves room for fewer links, or for none. The next page comes first.
	for _, test := range []struct {
		q         string
		relations string
	}{
		{strings.Repeat("x", 200), "first prev next last"}, {strings.Repeat("é", 120), "prev next"},
		{strings.Repeat("漢", 150), "next"}, {strings.Repeat("漢", 256), ""},
	} {
		var relations []string
		links := pageLinks("http://localhost:8080/api/v1/search?q="+url.QueryEscape(test.q)+"&", 1, 2, 9, 1000)
		for _, m := range regexp.MustCompile(`rel="([^"]*)"`).FindAllStringSubmatch(links, -1) {
			relations = append(relations, m[1])
		}
		if got := strings.Join(relations, " "); got != test.relations || len(links) > 2000 {
			t.Errorf("%.10s…: %q in %d characters, want %q", test.q, got, len(links), test.relations)
		}
	}
	got := pageLinks("http://a/s?", 50, 1000, 5000, api.MaxSearchOffset)
	want := `<http://a/s?limit=50&offset=0>; rel="first", <http://a/s?limit=50&offset=950>; rel="prev"`
	if got != want {
		t.Errorf("the links are %s, want %s", got, want)
	}
}

// Both views have addresses, tags and links of their own.
func TestViews(t *testing.T) {
	f := newFixture(t, nil)
	type answer struct {
		Hits, Projects []api.BriefHit
		Total          int
	}
	for _, target := range []string{
		"/api/v1/search?q=lantern&limit=5", "/api/v1/search?q=lantern&ramGb=8&vramGb=0&limit=5", "/api/v1/search?q=lantern+zebras&limit=3", "/api/v1/search?q=xyzzyx&", "/api/v1/search?platform=linux&offset=3&limit=2",
		"/api/v1/projects?limit=3&offset=1", "/api/v1/projects?offset=100000", "/api/v1/projects?slugs=paper-lantern-9,paper-lantern-2,nosuch", "/api/v1/projects?nosuch=1&limit=2",
	} {
		full, brief := f.get(target+"&view=full"), f.get(target+"&view=brief")
		absent := f.get(target)
		if full.status != 200 || brief.status != 200 || absent.body != full.body || absent.header.Get("ETag") != full.header.Get("ETag") {
			t.Errorf("%s: %d, %d; full is not the default: %s", target, full.status, brief.status, absent.body)
		}
		if full.header.Get("ETag") == brief.header.Get("ETag") || strings.Contains(brief.body, "null") {
			t.Errorf("%s: the tags are %s and %s: %s", target, full.header.Get("ETag"), brief.header.Get("ETag"), brief.body)
		}
		a, b := decode[answer](t, full), decode[answer](t, brief)
		slug := func(x, y api.BriefHit) bool { return x.Slug == y.Slug && x.PageURL == y.PageURL }
		if !slices.EqualFunc(a.Hits, b.Hits, slug) || !slices.EqualFunc(a.Projects, b.Projects, slug) || a.Total != b.Total {
			t.Errorf("%s: %s\nin full\n%s", target, brief.body, full.body)
		}
		for part := range strings.SplitSeq(brief.header.Get("Link"), ", ") {
			if !strings.Contains(part, "view=brief") || strings.Contains(part, "facets=") {
				t.Errorf("%s links to %s", target, part)
			}
		}
		if strings.Contains(full.header.Get("Link"), "view=") {
			t.Errorf("%s in full links to %s", target, full.header.Get("Link"))
		}
		again := f.get(target+"&view=brief", "If-None-Match", brief.header.Get("ETag"))
		if again.status != 304 {
			t.Errorf("%s: the tag of a brief answer gives %d", target, again.status)
		}
		if same := f.get(target + "&view=brief&facets=0"); strings.Contains(target, "/search") && same.header.Get("ETag") != brief.header.Get("ETag") {
			t.Errorf("%s: facets=0 changes the tag of a brief answer", target)
		}
	}
	for _, target := range []string{"/api/v1/search?view=short", "/api/v1/projects?view=short", "/api/v1/projects/paper-lantern-2?view=short", "/api/v1/projects?slugs=a&view=BRIEF"} {
		p := decode[api.Problem](t, f.get(target))
		if p.Code != "invalid-parameter" || len(p.Errors) != 1 || p.Errors[0].Parameter != "view" || !slices.Equal(p.Errors[0].Allowed, []string{"brief", "full"}) {
			t.Errorf("%s: %+v", target, p)
		}
	}
	if r := f.get("/api/v1/search?q=lantern&view="); r.status != 200 || !strings.Contains(r.body, `"facets"`) {
		t.Errorf("an empty view: %d %s", r.status, r.body)
	}
}

// A listing in brief has what get_project says over MCP, and a tag of its own.
func TestBriefProject(t *testing.T) {
	f := newFixture(t, nil)
	const target = "/api/v1/projects/paper-lantern-2"
	brief, full := f.get(target+"?view=brief"), f.get(target+"?view=full")
	answer := decode[struct {
		Result struct{ Content []struct{ Text string } }
	}](t, f.message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project","arguments":{"slug":"paper-lantern-2"}}}`))
	if brief.status != 200 || len(answer.Result.Content) != 1 || brief.body != answer.Result.Content[0].Text {
		t.Errorf("%d %s\nwant %+v", brief.status, brief.body, answer)
	}
	if plain := f.get(target); full.body != plain.body || len(brief.body) >= len(plain.body) || brief.header.Get("ETag") == plain.header.Get("ETag") {
		t.Errorf("%d and %d bytes, %s", len(brief.body), len(full.body), brief.header.Get("ETag"))
	}
	if again := f.get(target+"?view=brief", "If-None-Match", brief.header.Get("ETag")); again.status != 304 || again.body != "" {
		t.Errorf("the tag of a brief answer gives %d", again.status)
	}
	if r := f.get("/api/v1/projects/paper-lanter-2?view=brief"); r.status != 404 || !strings.Contains(r.body, "paper-lantern-2") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// Listings are fetched by their slugs, in the order of the list.
func TestListOfSlugs(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/api/v1/projects?slugs=paper-lantern-9,paper-lantern-2,nosuch&slugs=paper-lantern-2,Paper-Lantern-5")
	list := decode[api.ProjectList](t, r)
	var got []string
	for _, p := range list.Projects {
		var project api.Project
		if err := json.Unmarshal(p, &project); err != nil {
			t.Fatal(err)
		}
		got = append(got, project.Slug)
	}
	var want []string
	for _, p := range decode[api.ProjectList](t, f.get("/api/v1/projects?limit=100")).Projects {
		var project api.Project
		if err := json.Unmarshal(p, &project); err != nil {
			t.Fatal(err)
		}
		if slices.Contains([]string{"paper-lantern-9", "paper-lantern-2", "paper-lantern-5"}, project.Slug) {
			want = append(want, project.Slug)
		}
	}
	if r.status != 200 || !slices.Equal(got, want) || list.Total != 3 || len(want) != 3 {
		t.Errorf("%d: got %q, want %q; total %d", r.status, got, want, list.Total)
	}
	if len(list.Warnings) != 1 || list.Warnings[0].Code != api.WarnUnknownSlug || !strings.Contains(list.Warnings[0].Message, `"nosuch"`) {
		t.Errorf("warnings: %+v", list.Warnings)
	}
	if again := f.get("/api/v1/projects?slugs=paper-lantern-9"); again.header.Get("ETag") == r.header.Get("ETag") {
		t.Error("two lists have one tag")
	}
	for target, want := range map[string]string{
		"/api/v1/projects?slugs=":                 "names no listing: give 1 to 20 slugs",
		"/api/v1/projects?limit=5&slugs=,%20,":    "names no listing: give 1 to 20 slugs",
		"/api/v1/projects?slugs=a&limit=5":        "cannot be combined",
		"/api/v1/projects?offset=1&slugs=a":       "cannot be combined",
		"/api/v1/projects?slugs=" + manySlugs(21): "has 21 slugs: at most 20",
		"/api/v1/projects?slugs=" + manySlugs(51): "more than 50 values",
	} {
		if r := f.get(target); r.status != 400 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	if r := f.get("/api/v1/projects?slugs=" + strings.Repeat(strings.Repeat("a", 60)+",", 17) + manySlugs(3)); len(r.header.Get("Link")) > 2000 {
		t.Errorf("the Link header has %d characters", len(r.header.Get("Link")))
	}
	if r := f.get("/api/v1/projects?slugs=" + manySlugs(20)); r.status != 200 {
		t.Errorf("20 slugs: %d %s", r.status, r.body)
	}
}

// manySlugs returns different slugs, joined by commas.
func manySlugs(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("s%d", i)
	}
	return strings.Join(list, ",")
}

func TestGetProject(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/api/v1/projects/paper-lantern-12")
	p := decode[api.ProjectDetail](t, r)
	if r.status != 200 || p.Slug != "paper-lantern-12" || p.Stars != nil || p.Description != "Text." {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r.expect(t, "Content-Type", "application/json")
}

func TestUnknownProjectSuggestsNearSlugs(t *testing.T) {
	f := newFixture(t, nil)
	for _, slug := range []string{"paper-lantren-1", "PAPER-LANTERN-1", "paper%20lantern", ".", "..", "%2e%2e", "a%2Fb", "%00", "%FF", "index", "paper-lantern-1.xml", "nothing.json", strings.Repeat("x", 3000)} {
		r := f.get("/api/v1/projects/" + slug)
		p := decode[api.Problem](t, r)
		if r.status != 404 || p.Code != "unknown-project" || len(p.Suggestions) > 3 {
			t.Errorf("%.40s: %d %s", slug, r.status, r.body)
		}
		if slug == "paper-lantren-1" && (len(p.Suggestions) == 0 || p.Suggestions[0] != "paper-lantern-1") {
			t.Errorf("near %s there are %q", slug, p.Suggestions)
		}
		if len(r.body) > 2000 {
			t.Errorf("%.40s: the answer has %d bytes", slug, len(r.body))
		}
	}
}

// Unknown parameters of the list are told of, and change nothing else; answers
// with and without a warning are never taken for each other.
func TestListWarnsOfUnknownParameters(t *testing.T) {
	f := newFixture(t, nil)
	plain := f.get("/api/v1/projects?limit=2")
	warned := f.get("/api/v1/projects?limit=2&category=a&ofset=4")
	body := decode[api.ProjectList](t, warned)
	if warned.status != 200 || len(body.Warnings) != 2 || body.Warnings[0].Parameter != "category" ||
		body.Warnings[1].Code != api.WarnUnknownParameter || !strings.Contains(body.Warnings[1].Message, `"offset"`) {
		t.Errorf("%d: %+v", warned.status, body.Warnings)
	}
	if got, want := warned.header.Get("Link"), plain.header.Get("Link"); got != want || got == "" {
		t.Errorf("the Link header is %q, without the unknown parameters %q", got, want)
	}
	without := warned.body[:strings.LastIndex(warned.body, `"warnings":[`)] + `"warnings":[]}`
	if without != plain.body {
		t.Errorf("beside its warnings, the answer is\n%s\nnot\n%s", without, plain.body)
	}
	other := f.get("/api/v1/projects?limit=2&slugs=a,b")
	tags := []string{plain.header.Get("ETag"), warned.header.Get("ETag"), other.header.Get("ETag")}
	if tags[0] == tags[1] || tags[1] == tags[2] || tags[0] == tags[2] {
		t.Errorf("answers with other warnings have the ETags %q", tags)
	}
	for path, tag := range map[string]string{"/api/v1/projects?limit=2": tags[1], "/api/v1/projects?limit=2&category=a": tags[0]} {
		if r := f.get(path, "If-None-Match", tag); r.status != 200 {
			t.Errorf("%s is %d for the ETag of an answer with other warnings", path, r.status)
		}
	}
	if r := f.get("/api/v1/projects?limit=2&category=a&ofset=4", "If-None-Match", tags[1]); r.status != 304 || r.header.Get("ETag") != tags[1] {
		t.Errorf("%d with %q", r.status, r.header.Get("ETag"))
	}
	// What mailings and advertisements add is not told, and is the same answer.
	if r := f.get("/api/v1/projects?limit=2&utm_source=mail&fbclid=x"); r.body != plain.body || r.header.Get("ETag") != tags[0] {
		t.Errorf("with utm_source: %s", r.body)
	}
}

func TestFacetsCanBeLeftOut(t *testing.T) {
	f := newFixture(t, nil)
	for _, query := range []string{"", "q=lantern", "q=lantern&platform=linux&sort=newest", "license=MIT&docker=1"} {
		whole := f.get("/api/v1/search?" + query)
		said := f.get("/api/v1/search?facets=1&" + query)
		short := f.get("/api/v1/search?facets=0&" + query)
		if said.body != whole.body || said.header.Get("ETag") != whole.header.Get("ETag") {
			t.Errorf("%q: facets=1 is another answer than the default", query)
		}
		if short.header.Get("ETag") == whole.header.Get("ETag") {
			t.Errorf("%q: with and without facets have one ETag", query)
		}
		head, rest, ok := strings.Cut(whole.body, `"facets":{`)
		_, tail, ok2 := strings.Cut(rest, `]},"didYouMean"`)
		if want := head + `"didYouMean"` + tail; !ok || !ok2 || short.body != want {
			t.Errorf("%q: facets=0 answers\n%s\nwant\n%s", query, short.body, want)
		}
	}
}

func TestListsMayBeRepeated(t *testing.T) {
	f := newFixture(t, nil)
	joined := f.get("/api/v1/search?platform=linux,docker&license=MIT,Apache-2.0")
	repeated := f.get("/api/v1/search?license=MIT&platform=linux&license=Apache-2.0&platform=docker")
	if joined.status != 200 || repeated.body != joined.body || repeated.header.Get("ETag") != joined.header.Get("ETag") {
		t.Errorf("%d: %s\n%d: %s", joined.status, joined.body, repeated.status, repeated.body)
	}
}

func TestSearchCatalog(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/api/v1/search?q=paper+lantern+3&limit=2")
	body := decode[api.SearchResponse](t, r)
	if r.status != 200 || len(body.Hits) != 2 || body.Hits[0].Slug != "paper-lantern-3" {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r = f.get("/api/v1/search?sort=trending&q=&catgory=x")
	body = decode[api.SearchResponse](t, r)
	if r.status != 200 || !body.Sort.Deprecated || body.Sort.Applied != "popular" || body.Total != projectCount || len(body.Hits) != 10 {
		t.Errorf("%d: %s", r.status, r.body)
	}
	last := body.Warnings[len(body.Warnings)-1]
	if last.Code != api.WarnUnknownParameter || last.Parameter != "catgory" || !strings.Contains(last.Message, `"category"`) {
		t.Errorf("the warnings are %+v", body.Warnings)
	}
	if r = f.get("/api/v1/search?gpu=1&selfHosted=0&category=Chat-Interfaces,image-generation"); r.status != 200 {
		t.Errorf("%d: %s", r.status, r.body)
	}
	if r = f.get("/api/v1/search?license=Unheard-Of-1.0"); r.status != 200 || len(decode[api.SearchResponse](t, r).Warnings) != 1 {
		t.Errorf("%d: %s", r.status, r.body)
	}
}

func TestDescribe(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/api/v1/openapi")
	want, err := openapi.Document(site.Defaults(), &taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	if r.status != 200 || r.body != string(want) {
		t.Errorf("%d: %.200s", r.status, r.body)
	}
}

// Every wrong request that this server can answer, and the problem it gets.
func TestWrongRequests(t *testing.T) {
	f := newFixture(t, nil)
	tests := []struct {
		name, method, target string
		headers              []string
		status               int
		code                 string
		parameters           string // those named in errors
	}{
		{"limit not an integer", "GET", "/api/v1/projects?limit=ten", nil, 400, "invalid-parameter", "limit"},
		{"limit empty", "GET", "/api/v1/projects?limit=", nil, 400, "invalid-parameter", "limit"},
		{"limit too small", "GET", "/api/v1/projects?limit=0", nil, 400, "invalid-parameter", "limit"},
		{"limit too large", "GET", "/api/v1/projects?limit=101", nil, 400, "invalid-parameter", "limit"},
		{"offset negative", "GET", "/api/v1/projects?offset=-1", nil, 400, "invalid-parameter", "offset"},
		{"offset beyond negative integers", "GET", "/api/v1/projects?offset=-9223372036854775809", nil, 400, "invalid-parameter", "offset"},
		{"search limit too large", "GET", "/api/v1/search?limit=51", nil, 400, "invalid-parameter", "limit"},
		{"flags", "GET", "/api/v1/search?docker=2&beginner=true&gpu=yes&selfHosted=", nil, 400, "invalid-parameter", "gpu docker beginner selfHosted"},
		{"unknown sort", "GET", "/api/v1/search?sort=best", nil, 400, "invalid-parameter", "sort"},
		{"unknown category", "GET", "/api/v1/search?category=chat", nil, 400, "invalid-parameter", "category"},
		{"one unknown platform of two", "GET", "/api/v1/search?platform=linux,beos", nil, 400, "invalid-parameter", "platform"},
		{"q too long", "GET", "/api/v1/search?q=" + strings.Repeat("%C3%A4", 257), nil, 400, "invalid-parameter", "q"},
		{"q not UTF-8", "GET", "/api/v1/search?q=%FF", nil, 400, "invalid-parameter", "q"},
		{"q not encoded", "GET", "/api/v1/search?q=100%", nil, 400, "invalid-parameter", "q"},
		{"given twice", "GET", "/api/v1/search?q=a&q=a", nil, 400, "invalid-parameter", "q"},
		{"several at once", "GET", "/api/v1/search?limit=0&sort=x&q=a&q=b", nil, 400, "invalid-parameter", "q sort limit"},
		{"unknown slug", "GET", "/api/v1/projects/nope", nil, 404, "unknown-project", ""},
		{"api", "GET", "/api", nil, 404, "unknown-endpoint", ""},
		{"api/", "GET", "/api/", nil, 404, "unknown-endpoint", ""},
		{"version", "GET", "/api/v1", nil, 404, "unknown-endpoint", ""},
		{"of another version", "GET", "/api/v2/projects", nil, 404, "unknown-endpoint", ""},
		{"below a project", "GET", "/api/v1/projects/paper-lantern-1/stars", nil, 404, "unknown-endpoint", ""},
		{"empty segment", "GET", "/api//v1/projects", nil, 404, "unknown-endpoint", ""},
		{"another case", "GET", "/api/v1/Projects", nil, 404, "unknown-endpoint", ""},
		{"search.idx", "GET", "/api/v1/search.idx", nil, 404, "unknown-endpoint", ""},
		{"search.idx encoded", "GET", "/api/v1/search%2Eidx", nil, 404, "unknown-endpoint", ""},
		{"missing JSON page", "GET", "/api/v1/lists/popular/2.json", nil, 404, "unknown-endpoint", ""},
		{"folder", "GET", "/api/v1/lists/popular", nil, 404, "unknown-endpoint", ""},
		{"folder with slash", "GET", "/api/v1/lists/popular/", nil, 404, "unknown-endpoint", ""},
		{"hidden JSON", "GET", "/api/v1/.hidden.json", nil, 404, "unknown-endpoint", ""},
		{"up and out", "GET", "/api/v1/lists/../../../../outside.json", nil, 404, "unknown-endpoint", ""},
		{"up and out, encoded", "GET", "/api/v1/lists/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2foutside.json", nil, 404, "unknown-endpoint", ""},
		{"POST", "POST", "/api/v1/search", nil, 405, "method-not-allowed", ""},
		{"DELETE of a JSON page", "DELETE", "/api/v1/openapi.json", nil, 405, "method-not-allowed", ""},
		{"invented method", "BREW", "/api/v1/projects", nil, 405, "method-not-allowed", ""},
		{"unknown key", "GET", "/api/v1/projects", []string{"X-Api-Key", "nope"}, 401, "unknown-key", ""},
		{"unknown bearer", "GET", "/api/v1/search", []string{"Authorization", "Bearer nope"}, 401, "unknown-key", ""},
		{"keys that differ", "GET", "/api/v1/openapi", []string{"Authorization", "Bearer catalog-sandbox", "X-Api-Key", "nope"}, 401, "unknown-key", ""},
		{"unknown key at a JSON page", "GET", "/api/v1/openapi.json", []string{"X-Api-Key", "nope"}, 401, "unknown-key", ""},
		{"long address", "GET", "/api/v1/search?q=" + strings.Repeat("a", 9000), nil, 414, "uri-too-long", ""},
		// The order: path, method, key, allowance, parameters.
		{"path before method", "POST", "/api/v1/nothing", nil, 404, "unknown-endpoint", ""},
		{"path before key", "GET", "/api/v1/nothing", []string{"X-Api-Key", "nope"}, 404, "unknown-endpoint", ""},
		{"method before key", "POST", "/api/v1/projects", []string{"X-Api-Key", "nope"}, 405, "method-not-allowed", ""},
		{"key before parameters", "GET", "/api/v1/projects?limit=0", []string{"X-Api-Key", "nope"}, 401, "unknown-key", ""},
		{"key before slug", "GET", "/api/v1/projects/nope", []string{"X-Api-Key", "nope"}, 401, "unknown-key", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := f.do(test.method, test.target, test.headers...)
			p := decode[api.Problem](t, r)
			if r.status != test.status || p.Code != test.code || p.Status != test.status || p.Title == "" || p.Detail == "" {
				t.Fatalf("%d: %s", r.status, r.body)
			}
			var named []string
			for _, e := range p.Errors {
				named = append(named, e.Parameter)
			}
			if got := strings.Join(named, " "); got != test.parameters {
				t.Errorf("errors name %q, want %q", got, test.parameters)
			}
			r.expect(t, "Content-Type", "application/problem+json")
			r.expect(t, "Cache-Control", "no-store")
			r.expect(t, "ETag", "")
			want := map[int]string{405: "GET, HEAD, OPTIONS"}[test.status]
			r.expect(t, "Allow", want)
			want = map[int]string{401: "Bearer"}[test.status]
			r.expect(t, "WWW-Authenticate", want)
			if strings.Contains(r.body, "secret") {
				t.Errorf("what must not be served is: %s", r.body)
			}
			f.clock.pass(time.Second)
		})
	}
}

func TestUnusualValidRequests(t *testing.T) {
	f := newFixture(t, nil)
	for _, test := range []struct {
		target  string
		headers []string
	}{
		{"/api/v1/search?q=&category=&platform=&license=&sort=", nil},
		{"/api/v1/search?colour=red", nil},
		{"/api/v1/projects", []string{"X-Api-Key", ""}},
		{"/api/v1/projects", []string{"Authorization", "Basic eDp5"}},
		{"/api/v1/projects", []string{"Authorization", "Bearer catalog-sandbox", "X-Api-Key", "catalog-sandbox"}},
		{"/%61pi/v1/%70rojects/paper%2Dlantern-1", nil},
		{"/api/v1/search?q=" + strings.Repeat("%C3%A4", 256), nil},
	} {
		if r := f.get(test.target, test.headers...); r.status != 200 {
			t.Errorf("%s %q: %d %s", test.target, test.headers, r.status, r.body)
		}
	}
}

func TestJSONPages(t *testing.T) {
	f := newFixture(t, nil)
	for _, name := range []string{
		"api/v1/openapi.json", "api/v1/projects/index.json", "api/v1/projects/paper-lantern-1.json",
		"api/v1/lists/popular/1.json", "api/v1/lists/category/chat/1.json",
	} {
		r := f.get("/" + name)
		if r.status != 200 || r.body != publicFiles[name] {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		r.expect(t, "Content-Type", "application/json")
		r.expect(t, "Vary", "Accept-Encoding, Authorization, X-Api-Key")
		if again := f.get("/"+name, "If-None-Match", r.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s with its ETag: %d", name, again.status)
		}
	}
}

func TestHeadersOfAPIAnswers(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{"/api/v1/projects", "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=chat", "/api/v1/openapi", "/api/v1/openapi.json"} {
		first := f.get(target)
		second := f.get(target, "If-None-Match", first.header.Get("ETag"))
		if first.status != 200 || second.status != 304 || second.body != "" {
			t.Fatalf("%s: %d, then %d", target, first.status, second.status)
		}
		for _, r := range []reply{first, second} {
			r.expect(t, "Access-Control-Allow-Origin", "*")
			r.expect(t, "Access-Control-Expose-Headers", "RateLimit, RateLimit-Policy, Link, ETag, Retry-After")
			r.expect(t, "Cache-Control", "public, max-age=60, stale-while-revalidate=86400")
			r.expect(t, "Vary", "Accept-Encoding, Authorization, X-Api-Key")
			r.expect(t, "X-Content-Type-Options", "nosniff")
			r.expect(t, "ETag", first.header.Get("ETag"))
			if !strings.Contains(target, "search") {
				r.expect(t, "Link", first.header.Get("Link"))
			}
			r.expect(t, "RateLimit-Policy", `"anonymous";q=120;w=60`)
			r.expect(t, "Set-Cookie", "")
		}
		if etag := first.header.Get("ETag"); len(etag) != 34 || etag[0] != '"' {
			t.Errorf("%s: the ETag is %s", target, etag)
		}
	}
}

func TestIfNoneMatch(t *testing.T) {
	f := newFixture(t, nil)
	const target = "/api/v1/projects/paper-lantern-1"
	etag := f.get(target).header.Get("ETag")
	tests := []struct {
		lines  []string
		status int
	}{
		{nil, 200},
		{[]string{etag}, 304},
		{[]string{"W/" + etag}, 304},
		{[]string{"*"}, 304},
		{[]string{`"other", ` + etag}, 304},
		{[]string{`"other"`, etag}, 304},
		{[]string{`"with, comma",` + etag + `,"more"`}, 304},
		{[]string{`"other"`}, 200},
		{[]string{strings.Trim(etag, `"`)}, 200},
		{[]string{""}, 200},
		{[]string{`,,,`}, 200},
	}
	for _, test := range tests {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			var headers []string
			for _, line := range test.lines {
				headers = append(headers, "If-None-Match", line)
			}
			if r := f.do(method, target, headers...); r.status != test.status {
				t.Errorf("%s with %q: %d, want %d", method, test.lines, r.status, test.status)
			}
		}
	}
	if r := f.get("/api/v1/projects/nope", "If-None-Match", "*"); r.status != 404 {
		t.Errorf("an unknown project with *: %d", r.status)
	}
}

func TestETags(t *testing.T) {
	f := newFixture(t, nil)
	etag := func(target string) string { t.Helper(); return f.get(target).header.Get("ETag") }
	same := [][2]string{
		{"/api/v1/search?q=chat&limit=10", "/api/v1/search?q=%63hat"},
		{"/api/v1/search?docker=1&q=chat", "/api/v1/search?q=chat&docker=1"},
		{"/api/v1/search?q=", "/api/v1/search"},
		{"/api/v1/search?category=CHAT-INTERFACES", "/api/v1/search?category=chat-interfaces"},
		{"/api/v1/projects", "/api/v1/projects?offset=0&limit=50&utm_source=x"},
	}
	for _, pair := range same {
		if etag(pair[0]) != etag(pair[1]) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
	different := []string{
		"/api/v1/search", "/api/v1/search?q=chat", "/api/v1/search?q=Chat", "/api/v1/search?limit=9", "/api/v1/search?sort=popular",
		"/api/v1/search?docker=1", "/api/v1/search?docker=0", "/api/v1/search?beginner=1", "/api/v1/search?odd=1", "/api/v1/search?odder=1",
		"/api/v1/projects", "/api/v1/projects?limit=10", "/api/v1/projects?offset=10", "/api/v1/projects/paper-lantern-1", "/api/v1/openapi",
	}
	seen := map[string]string{}
	for _, target := range different {
		tag := etag(target)
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s have one ETag", target, other)
		}
		seen[tag] = target
	}
	// Another index or program may answer otherwise, the same ones answer the same.
	same1 := newFixture(t, nil)
	other := newFixture(t, func(o *options) { o.Settings.Title = "Another" })
	next := newFixture(t, func(o *options) { o.Version = "next" })
	for _, target := range []string{"/api/v1/search?q=chat", "/api/v1/projects"} {
		if got := same1.get(target).header.Get("ETag"); got != etag(target) {
			t.Errorf("%s: the same index has another ETag", target)
		}
		if got := other.get(target).header.Get("ETag"); got == etag(target) {
			t.Errorf("%s: another index has the same ETag", target)
		}
		if got := next.get(target).header.Get("ETag"); got == etag(target) {
			t.Errorf("%s: another program has the same ETag", target)
		}
	}
}

func TestHEAD(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{
		"/api/v1/projects", "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=chat", "/api/v1/openapi", "/api/v1/openapi.json",
		"/api/v1/projects/nope", "/api/v1/projects?limit=0", "/api/nothing", "/", "/nothing", "/llms.txt", "/healthz",
	} {
		get, head := f.get(target), f.do(http.MethodHead, target)
		if head.status != get.status || head.body != "" {
			t.Errorf("%s: HEAD is %d with %q, GET is %d", target, head.status, head.body, get.status)
		}
		head.expect(t, "Content-Length", strconv.Itoa(len(get.body)))
		for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "Link", "RateLimit-Policy", "Content-Security-Policy"} {
			head.expect(t, name, get.header.Get(name))
		}
	}
}

func TestOPTIONS(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{"/api/v1/projects", "/api/v1/search?limit=0", "/api/nothing", "/api/v1/projects/nope", "/api/v1/openapi.json"} {
		r := f.do(http.MethodOptions, target, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-api-key", "X-Api-Key", "nope")
		if r.status != 204 || r.body != "" {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
		r.expect(t, "Allow", "GET, HEAD, OPTIONS")
		r.expect(t, "Access-Control-Allow-Origin", "*")
		r.expect(t, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		r.expect(t, "Access-Control-Allow-Headers", "Authorization, X-Api-Key, If-None-Match")
		r.expect(t, "Access-Control-Max-Age", "86400")
		r.expect(t, "RateLimit", "")
		r.expect(t, "Content-Length", "")
	}
	for _, target := range []string{"/", "/nothing", "/llms.txt", "/healthz"} {
		r := f.do(http.MethodOptions, target)
		if r.status != 204 {
			t.Errorf("%s: %d", target, r.status)
		}
		r.expect(t, "Allow", "GET, HEAD, OPTIONS")
		r.expect(t, "Access-Control-Allow-Origin", "")
	}
	if r := f.get("/api/v1/projects"); r.header.Get("RateLimit") != `"anonymous";r=119;t=60` {
		t.Errorf("after OPTIONS, %s is left", r.header.Get("RateLimit"))
	}
}

func TestAnonymousAllowance(t *testing.T) {
	f := newFixture(t, nil)
	// All of these count, wrong or not.
	targets := []string{"/api/v1/projects", "/api/nothing", "/api/v1/search?limit=0", "/api/v1/projects/nope", "/api", "/api/v1/openapi.json"}
	for i := range 120 {
		r := f.get(targets[i%len(targets)])
		if r.status == 429 {
			t.Fatalf("request %d is refused", i+1)
		}
		r.expect(t, "RateLimit", fmt.Sprintf(`"anonymous";r=%d;t=60`, 119-i))
	}
	f.clock.pass(17 * time.Second)
	r := f.get("/api/v1/projects?limit=0") // allowance before parameters
	if p := decode[api.Problem](t, r); r.status != 429 || p.Code != "rate-limited" {
		t.Fatalf("request 121: %d %s", r.status, r.body)
	}
	r.expect(t, "Retry-After", "43")
	r.expect(t, "RateLimit", `"anonymous";r=0;t=43`)
	r.expect(t, "RateLimit-Policy", `"anonymous";q=120;w=60`)
	r.expect(t, "Access-Control-Allow-Origin", "*")

	// What is checked before the allowance is answered as ever.
	for target, status := range map[string]int{"/api/nothing": 404, "/api/v1/search": 429, "/": 200, "/llms.txt": 200, "/nothing": 404, "/healthz": 200, "/readyz": 200} {
		if r := f.get(target); r.status != status {
			t.Errorf("%s with nothing left: %d, want %d", target, r.status, status)
		}
	}
	if r := f.do(http.MethodPost, "/api/v1/search"); r.status != 405 {
		t.Errorf("POST with nothing left: %d", r.status)
	}
	if r := f.do(http.MethodOptions, "/api/v1/search"); r.status != 204 {
		t.Errorf("OPTIONS with nothing left: %d", r.status)
	}
	r = f.get("/api/v1/search", "X-Api-Key", "nope")
	if r.status != 401 {
		t.Errorf("an unknown key with nothing left: %d", r.status)
	}
	r.expect(t, "RateLimit", `"anonymous";r=0;t=43`)

	// The sandbox allowance is another one, and other clients have their own.
	if r := f.get("/api/v1/search", "X-Api-Key", "catalog-sandbox"); r.status != 200 {
		t.Errorf("with the sandbox key: %d", r.status)
	}
	f.clock.pass(43 * time.Second)
	if r := f.get("/api/v1/search"); r.status != 200 {
		t.Errorf("after Retry-After: %d", r.status)
	}
}

func TestUnknownKeysCountAsAnonymous(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute = 2 })
	for i, want := range []string{"1", "0", "0"} {
		r := f.get("/api/v1/projects", "Authorization", "Bearer nope")
		if r.status != 401 {
			t.Fatalf("request %d: %d", i, r.status)
		}
		r.expect(t, "RateLimit", `"anonymous";r=`+want+`;t=60`)
	}
	if r := f.get("/api/v1/projects"); r.status != 429 {
		t.Errorf("after two unknown keys: %d", r.status)
	}
}

func from(address, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr = address
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestAllowancePerClient(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute, o.Settings.SandboxPerMinute = 1, 2 })
	key := []string{"X-Api-Key", "catalog-sandbox"}
	tests := []struct {
		address string
		headers []string
		status  int
	}{
		{"192.0.2.1:1", nil, 200},
		{"192.0.2.1:2", nil, 429},
		{"192.0.2.2:1", nil, 200},
		{"192.0.2.1:3", key, 200},
		{"192.0.2.1:4", key, 200},
		{"192.0.2.1:5", key, 429},
		{"192.0.2.2:2", key, 200}, // one client does not starve another
		{"[2001:db8::1]:1", nil, 200},
		{"[2001:db8::2]:1", nil, 429}, // same /64
		{"[2001:db8:0:1::2]:1", nil, 200},
		{"192.0.2.3:1", []string{"X-Forwarded-For", "203.0.113.1"}, 200},
		{"192.0.2.3:1", []string{"X-Forwarded-For", "203.0.113.2"}, 429}, // forged
	}
	for i, test := range tests {
		if r := f.send(from(test.address, "/api/v1/projects", test.headers...)); r.status != test.status {
			t.Errorf("request %d, of %s %q: %d, want %d", i, test.address, test.headers, r.status, test.status)
		}
	}
	r := f.send(from("192.0.2.9:1", "/api/v1/projects", key...))
	r.expect(t, "RateLimit-Policy", `"sandbox";q=2;w=60`)
	r.expect(t, "RateLimit", `"sandbox";r=1;t=60`)
}

func TestSandboxScopeKeyIsShared(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.SandboxPerMinute, o.SandboxScope = 2, ScopeKey })
	for i, status := range []int{200, 200, 429} {
		if r := f.send(from(fmt.Sprintf("192.0.2.%d:1", i), "/api/v1/projects", "X-Api-Key", "catalog-sandbox")); r.status != status {
			t.Errorf("request %d: %d, want %d", i, r.status, status)
		}
	}
	if r := f.send(from("192.0.2.1:1", "/api/v1/projects")); r.status != 200 {
		t.Errorf("anonymous: %d", r.status)
	}
}

func TestTrustedProxies(t *testing.T) {
	f := newFixture(t, func(o *options) {
		o.Settings.AnonymousPerMinute = 1
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	for i, test := range []struct {
		forwarded string
		status    int
	}{
		{"203.0.113.1", 200}, {"203.0.113.1", 429}, {"203.0.113.2", 200}, {"198.51.100.1, 203.0.113.2", 429}, {"nonsense", 200}, {"more nonsense", 429},
	} {
		if r := f.send(from("10.1.1.1:1", "/api/v1/projects", "X-Forwarded-For", test.forwarded)); r.status != test.status {
			t.Errorf("request %d, of %s: %d, want %d", i, test.forwarded, r.status, test.status)
		}
	}
}

func TestNoSandboxKey(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.SandboxKey = "" })
	for _, headers := range [][]string{{"X-Api-Key", "catalog-sandbox"}, {"Authorization", "Bearer x"}} {
		if r := f.get("/api/v1/projects", headers...); r.status != 401 {
			t.Errorf("%q: %d", headers, r.status)
		}
	}
	if r := f.get("/api/v1/projects", "X-Api-Key", ""); r.status != 200 {
		t.Errorf("an empty header: %d", r.status)
	}
	if r := f.get("/api/v1/openapi"); strings.Contains(r.body, "x-sandbox-key") {
		t.Error("the document names a key")
	}
}

func TestBasePath(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.BaseURL = "https://catalog.example/ai/tools" })
	for target, status := range map[string]int{
		"/ai/tools/api/v1/projects": 200, "/api/v1/projects": 200, "/ai/tools/api/v1/search": 200, "/ai/tools/api/nothing": 404,
		"/ai/tools/": 200, "/": 200, "/ai/tools/llms.txt": 200, "/llms.txt": 200, "/ai/tools/healthz": 200, "/healthz": 200,
		"/ai/llms.txt": 404, "/ai/toolsx/": 404, "/ai/tools/ai/tools/": 404,
	} {
		if r := f.get(target); r.status != status {
			t.Errorf("%s: %d, want %d", target, r.status, status)
		}
	}
	for target, location := range map[string]string{
		"/ai/tools": "/ai/tools/", "/ai/tools?a=b": "/ai/tools/?a=b",
		"/ai/tools/projects/paper-lantern-1": "/ai/tools/projects/paper-lantern-1/",
		"/projects/paper-lantern-1":          "/ai/tools/projects/paper-lantern-1/",
	} {
		r := f.get(target)
		if r.status != 308 {
			t.Errorf("%s: %d", target, r.status)
		}
		r.expect(t, "Location", location)
	}
	r := f.get("/api/v1/projects?limit=12")
	r.expect(t, "Link", `<https://catalog.example/ai/tools/api/v1/projects?limit=12&offset=0>; rel="first", <https://catalog.example/ai/tools/api/v1/projects?limit=12&offset=0>; rel="last"`)
	if p := decode[api.Problem](t, f.get("/api/nothing")); p.Type != "https://catalog.example/ai/tools/problems/unknown-endpoint/" {
		t.Errorf("the problem's type is %s", p.Type)
	}
}

func TestRequestID(t *testing.T) {
	f := newFixture(t, nil)
	for _, id := range []string{"a", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "Root=1-67891233-abcdef012345678912345678", strings.Repeat("x", 64)} {
		f.get("/api/v1/projects", "X-Request-Id", id).expect(t, "X-Request-Id", id)
	}
	seen := map[string]bool{}
	for _, ids := range [][]string{nil, {""}, {"a b"}, {"a\tb"}, {"ä"}, {"a\x00"}, {`"><script>`}, {strings.Repeat("x", 65)}, {"one", "two"}} {
		var headers []string
		for _, id := range ids {
			headers = append(headers, "X-Request-Id", id)
		}
		got := f.get("/nothing", headers...).header.Get("X-Request-Id")
		if !isSafeID(got) || len(got) < 16 || seen[got] {
			t.Errorf("for %q the id is %q", ids, got)
		}
		seen[got] = true
	}
}

func TestLogs(t *testing.T) {
	f := newFixture(t, nil)
	f.get("/api/v1/search?q=private&key=catalog-sandbox", "X-Request-Id", "id-1", "Authorization", "Bearer catalog-sandbox")
	f.get("/api/v1/projects", "X-Api-Key", "unknown-and-private")
	f.get("/healthz")
	text := f.log.String()
	for _, want := range []string{"level=DEBUG msg=request method=GET path=/api/v1/search status=200", "id=id-1", "status=401", "level=DEBUG msg=request method=GET path=/healthz"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q: %s", want, text)
		}
	}
	for _, not := range []string{"private", "catalog-sandbox"} {
		if strings.Contains(text, not) {
			t.Errorf("the log tells %q: %s", not, text)
		}
	}
	if lines := strings.Count(text, "\n"); lines != 3 {
		t.Errorf("three requests are %d lines: %s", lines, text)
	}
}

// A fault is told by its request id and nothing else.
func TestFaults(t *testing.T) {
	for name, fault := range map[string]func(){
		"panic":       func() { panic("private") },
		"nil pointer": func() { var s *Server; _ = s.o.SandboxScope },
	} {
		t.Run(name, func(t *testing.T) {
			armed := false
			f := newFixture(t, func(o *options) {
				fixed := o.Now
				o.Now = func() time.Time {
					if armed {
						fault()
					}
					return fixed()
				}
			})
			armed = true
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/api/v1/projects", nil)
			r.Header.Set("X-Request-Id", "id-1")
			f.handler.ServeHTTP(w, r)
			want := api.NewProblem(api.Internal, "The fault is ours. Tell us the request id.").WithBase("http://localhost:8080")
			want.RequestID = "id-1"
			if w.Code != 500 || w.Body.String() != string(want.JSON()) {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
			for header, value := range map[string]string{
				"Content-Type": "application/problem+json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*", "X-Request-Id": "id-1",
			} {
				if got := w.Header().Get(header); got != value {
					t.Errorf("the header %s is %q", header, got)
				}
			}
			if text := f.log.String(); !strings.Contains(text, "level=ERROR msg=panic id=id-1") || !strings.Contains(text, "api_test.go") {
				t.Errorf("the log lacks the panic and its stack: %s", text)
			}
		})
	}
}

// An error that is no problem is a fault too, after the request was counted.
func TestErrorsBecomeInternal(t *testing.T) {
	f := newFixture(t, nil)
	f.server.current().Files.Close()
	r := f.get("/api/v1/lists/popular/1.json")
	if p := decode[api.Problem](t, r); r.status != 500 || p.RequestID == "" || strings.Contains(r.body, "closed") {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r = f.get("/llms.txt")
	if r.status != 500 || strings.Contains(r.body, "closed") || !strings.Contains(r.body, r.header.Get("X-Request-Id")) {
		t.Errorf("%d: %s", r.status, r.body)
	}
	if !strings.Contains(f.log.String(), "closed") {
		t.Errorf("the log lacks the reason: %s", f.log.String())
	}
	if r := f.get("/api/v1/projects"); r.status != 200 {
		t.Errorf("the API without pages: %d", r.status)
	}
}

// The answers are those of the index: not escaped twice, not wrapped.
func TestBodiesMatchTheIndex(t *testing.T) {
	f := newFixture(t, nil)
	want, _ := f.server.current().Index.AppendProject(nil, "paper-lantern-1")
	if r := f.get("/api/v1/projects/paper-lantern-1"); r.body != string(want) {
		t.Errorf("%s is not %s", r.body, want)
	}
	list := decode[struct{ Projects []json.RawMessage }](t, f.get("/api/v1/projects?limit=1"))
	if want := f.server.current().Index.AppendList(nil, 0, 1); string(list.Projects[0]) != string(want) {
		t.Errorf("%s is not %s", list.Projects[0], want)
	}
}
