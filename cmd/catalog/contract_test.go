package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// contract checks the API against the contract that completes the specification,
// section by section.
func (s *testSite) contract(t *testing.T) {
	t.Run("project", s.projectFields)
	t.Run("list", s.listAnswers)
	t.Run("search answer", s.searchAnswers)
	t.Run("facets", s.facetCounts)
	t.Run("verdicts", s.verdicts)
	t.Run("filters", s.filters)
	t.Run("ranking", s.ranking)
	t.Run("wrong requests", s.wrongRequests)
	t.Run("allowances", s.allowances)
	t.Run("HTTP", s.httpRules)
	t.Run("build output", s.buildOutput)
}

// Fields of listings and hits with their JSON types.
var (
	projectFields = map[string]string{
		"slug": "string", "name": "string", "aliases": "array", "purpose": "string", "jobs": "array", "category": "string",
		"alsoIn": "array", "topics": "array", "platforms": "array", "language": "string null", "license": "string null",
		"osiApproved": "boolean null", "stars": "number null", "starsAsOf": "string null", "replaces": "array",
		"fitNotes": "object", "estimate": "object null", "runsWith": "array", "installLinks": "array", "pageUrl": "string", "repositoryUrl": "string",
		"homepageUrl": "string null", "docsUrl": "string null", "archived": "boolean null", "addedAt": "string",
		"createdAt": "string null", "updatedAt": "string null", "checkedAt": "string null", "release": "object null", "upkeep": "string null", "upkeepAsOf": "string null",
	}
	detailFields   = map[string]string{"description": "string", "similar": "array", "sources": "object"}
	fitNotesFields = map[string]string{
		"docker": "boolean null", "beginner": "boolean null", "selfHosted": "boolean null", "gpu": "string null",
		"minRamGb": "number null", "recommendedRamGb": "number null", "minVramGb": "number null", "recommendedVramGb": "number null",
		"memoryFor": "string null", "worksOffline": "boolean null", "apiKey": "string null", "caveats": "array",
		"setups": "array", "arch": "array", "gpuVendors": "array", "modelRuns": "array", "telemetry": "string null", "openness": "string null",
	}
	hitFields = map[string]string{
		"slug": "string", "name": "string", "purpose": "string", "category": "string", "platforms": "array", "license": "string null",
		"osiApproved": "boolean null", "stars": "number null", "archived": "boolean null", "replaces": "array", "fitNotes": "object", "estimate": "object null",
		"pageUrl": "string", "repositoryUrl": "string", "updatedAt": "string null", "addedAt": "string", "upkeep": "string null", "match": "object", "fit": "object null",
	}
)

// checkFields checks that an object has exactly these keys, with these types.
func checkFields(t *testing.T, what string, value any, fields ...map[string]string) {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		t.Errorf("%s is no object: %v", what, value)
		return
	}
	known := map[string]bool{}
	for _, group := range fields {
		for name, types := range group {
			known[name] = true
			value, ok := object[name]
			if got := jsonType(value); !ok || !slices.Contains(strings.Fields(types), got) {
				t.Errorf("%s: %s is of the type %s (there: %v), want %s", what, name, got, ok, types)
			}
		}
	}
	for name := range object {
		if !known[name] {
			t.Errorf("%s has the key %s", what, name)
		}
	}
}

func jsonType(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// The types of values in JSON, by kind of fact: in fitNotes, as the echo of a parameter, and as
// a facet; "" for none.
func factType(f *api.Fact) (key, types string) {
	switch f.Kind {
	case api.FactYesNo:
		return f.Key, "boolean null"
	case api.FactNumber:
		return f.Key, "number null"
	case api.FactChoice, api.FactText:
		return f.Key, "string null"
	}
	return f.Key, "array"
}

func echoType(f *api.Fact) (parameter, types string) {
	switch {
	case f.Filter == nil:
		return "", ""
	case f.Kind == api.FactNumber:
		return f.Filter.Parameter, "number null"
	case f.IsFlag():
		return f.Filter.Parameter, "boolean null"
	}
	return f.Filter.Parameter, "array null"
}

func facetType(f *api.Fact) (parameter, types string) {
	if f.Filter == nil || f.Kind == api.FactNumber {
		return "", ""
	}
	return f.Filter.Parameter, "array"
}

// added returns fields that the contract demands, and those of facts that have been added to
// the taxonomy since.
func (s *testSite) added(fields map[string]string, typeOf func(*api.Fact) (name, types string)) map[string]string {
	all := maps.Clone(fields)
	if all == nil {
		all = map[string]string{}
	}
	for i := range s.content.Taxonomy.Facts {
		if name, types := typeOf(&s.content.Taxonomy.Facts[i]); name != "" && all[name] == "" {
			all[name] = types
		}
	}
	return all
}

func (s *testSite) projectFields(t *testing.T) {
	slugPattern := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	t.Run("every key is present, in lists and single projects", func(t *testing.T) {
		for offset := 0; offset < len(s.content.Listings); offset += 100 {
			for _, p := range getJSON[struct{ Projects []any }](t, s, fmt.Sprintf("%s?limit=100&offset=%d", api.PathProjects, offset)).Projects {
				checkFields(t, "list item", p, projectFields)
				checkFields(t, "fit notes", p.(map[string]any)["fitNotes"], s.added(fitNotesFields, factType))
			}
		}
		for _, l := range s.content.Listings {
			p := getJSON[any](t, s, api.PathProjects+"/"+l.Slug)
			checkFields(t, l.Slug, p, projectFields, detailFields)
			checkFields(t, l.Slug, p.(map[string]any)["fitNotes"], s.added(fitNotesFields, factType))
		}
	})
	t.Run("values are within bounds", func(t *testing.T) {
		categories, platforms := s.parameter(t, "category").Allowed, s.parameter(t, "platform").Allowed
		for _, p := range s.allProjects(t) {
			switch {
			case !slugPattern.MatchString(p.Slug) || len(p.Slug) > 64 || p.Slug == "index":
				t.Errorf("the slug %q", p.Slug)
			case len([]rune(p.Purpose)) > 160 || p.Purpose == "":
				t.Errorf("%s: the purpose %q", p.Slug, p.Purpose)
			case !slices.Contains(categories, p.Category):
				t.Errorf("%s: the category %q", p.Slug, p.Category)
			case (p.Stars == nil) != (p.StarsAsOf == nil):
				t.Errorf("%s: stars or starsAsOf alone", p.Slug)
			}
			for fact, allowed := range map[string][]any{"gpu": {nil, "none", "optional", "required"}, "apiKey": {nil, "no", "optional", "yes"}} {
				if value := p.FitNotes.Get(fact); !slices.Contains(allowed, value) {
					t.Errorf("%s: %s is %v", p.Slug, fact, value)
				}
			}
			for _, c := range p.AlsoIn {
				if !slices.Contains(categories, c) || c == p.Category {
					t.Errorf("%s: also in %q", p.Slug, c)
				}
			}
			for _, platform := range p.Platforms {
				if !slices.Contains(platforms, platform) {
					t.Errorf("%s: the platform %q", p.Slug, platform)
				}
			}
			for _, link := range p.InstallLinks {
				if !strings.HasPrefix(link.URL, "https://") || link.Label == "" || !slices.Contains(strings.Fields("docker pip npm brew binary installer helm source docs store extension"), link.Kind) {
					t.Errorf("%s: the install link %+v", p.Slug, link)
				}
			}
			for _, d := range []string{string(p.AddedAt), dateText(p.StarsAsOf), dateText(p.CreatedAt), dateText(p.UpdatedAt)} {
				if d != "" && !regexp.MustCompile(`^20\d\d-\d\d-\d\d$|^19\d\d-\d\d-\d\d$`).MatchString(d) {
					t.Errorf("%s: the date %q", p.Slug, d)
				}
			}
		}
	})
	t.Run("shipped platforms", func(t *testing.T) {
		want := strings.Fields("linux macos windows docker kubernetes web android ios browser-extension")
		if got := s.parameter(t, "platform").Allowed; !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
	t.Run("similar are up to five other listings", func(t *testing.T) {
		related := 0
		for _, l := range s.content.Listings {
			similar := getJSON[api.ProjectDetail](t, s, api.PathProjects+"/"+l.Slug).Similar
			if len(similar) > 5 || slices.Contains(similar, l.Slug) || len(slices.Compact(slices.Sorted(slices.Values(similar)))) != len(similar) {
				t.Errorf("%s is similar to %v", l.Slug, similar)
			}
			for _, other := range similar {
				related++
				s.listing(t, other)
			}
		}
		if related < len(s.content.Listings) {
			t.Errorf("only %d relations were seen", related)
		}
	})
	t.Run("links between listings in a description are absolute", func(t *testing.T) {
		seen := 0
		for _, l := range s.content.Listings {
			text := getJSON[api.ProjectDetail](t, s, api.PathProjects+"/"+l.Slug).Description
			seen += strings.Count(text, "]("+s.base+"/projects/")
			if m := regexp.MustCompile(`\]\([^)]*\.md[)#]`).FindString(text); m != "" {
				t.Errorf("%s still links to a file: %s", l.Slug, m)
			}
		}
		if seen == 0 {
			t.Error("no link was seen")
		}
	})
}

func (s *testSite) listAnswers(t *testing.T) {
	total := len(s.content.Listings)
	t.Run("the envelope", func(t *testing.T) {
		checkFields(t, "the list", getJSON[any](t, s, api.PathProjects), map[string]string{"projects": "array", "total": "number", "limit": "number", "offset": "number", "warnings": "array"})
	})
	pageURL := func(limit, offset int) string {
		return fmt.Sprintf("%s%s?limit=%d&offset=%d", s.base, api.PathProjects, limit, offset)
	}
	last50 := (total - 1) / 50 * 50
	for _, test := range []struct {
		name, query string
		want        map[string]string
	}{
		{"first page", "", map[string]string{"first": pageURL(50, 0), "next": pageURL(50, 50), "last": pageURL(50, last50)}},
		{"middle page", "?offset=50", map[string]string{"first": pageURL(50, 0), "prev": pageURL(50, 0), "next": pageURL(50, 100), "last": pageURL(50, last50)}},
		{"last page", fmt.Sprintf("?offset=%d", last50), map[string]string{"first": pageURL(50, 0), "prev": pageURL(50, last50-50), "last": pageURL(50, last50)}},
		{"past the end", fmt.Sprintf("?offset=%d", last50+500), map[string]string{"first": pageURL(50, 0), "prev": pageURL(50, last50), "last": pageURL(50, last50)}},
		{"uneven offset", "?limit=10&offset=3", map[string]string{"first": pageURL(10, 0), "prev": pageURL(10, 0), "next": pageURL(10, 13), "last": pageURL(10, 3+(total-4)/10*10)}},
	} {
		t.Run("Link "+test.name, func(t *testing.T) {
			got := links(t, s.do(t, http.MethodGet, api.PathProjects+test.query).header)
			if asJSON(got) != asJSON(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
	t.Run("prev and first lead back", func(t *testing.T) {
		seen := 0
		for target := links(t, s.do(t, http.MethodGet, api.PathProjects).header)["last"]; target != ""; {
			r := s.do(t, http.MethodGet, target)
			seen += len(projectsOf(t, r))
			target = links(t, r.header)["prev"]
		}
		if seen != total {
			t.Errorf("%d of %d listings are seen backwards", seen, total)
		}
	})
}

func (s *testSite) searchAnswers(t *testing.T) {
	t.Run("the envelope and every hit have all keys", func(t *testing.T) {
		for _, path := range []string{api.PathSearch, searchPath("q", "image"), searchPath("q", "zzzzqqqq"), searchPath("category", "video", "limit", "50")} {
			answer := getJSON[map[string]any](t, s, path)
			checkFields(t, path, answer, map[string]string{"query": "object", "sort": "object", "total": "number", "limit": "number", "offset": "number", "products": "array", "hits": "array", "facets": "object", "didYouMean": "string null", "warnings": "array"})
			checkFields(t, "query", answer["query"], s.added(map[string]string{
				"q": "string null", "category": "array null", "platform": "array null", "license": "array null",
				"docker": "boolean null", "beginner": "boolean null", "gpu": "boolean null", "selfHosted": "boolean null", "limit": "number",
				"openSource": "boolean null", "upkeep": "array null", "offline": "boolean null", "apiKey": "array null", "ramGb": "number null", "vramGb": "number null",
				"arch": "string null", "gpuVendor": "string null", "system": "string null", "stated": "boolean null",
			}, echoType))
			checkFields(t, "sort", answer["sort"], map[string]string{"requested": "string null", "applied": "string", "deprecated": "boolean", "order": "string"})
			checkFields(t, "facets", answer["facets"], s.added(map[string]string{"category": "array", "platform": "array", "license": "array", "docker": "array", "beginner": "array", "gpu": "array", "selfHosted": "array", "openSource": "array", "upkeep": "array", "offline": "array", "apiKey": "array", "fit": "array"}, facetType))
			for _, hit := range answer["hits"].([]any) {
				checkFields(t, "hit", hit, hitFields)
				checkFields(t, "match", hit.(map[string]any)["match"], map[string]string{"tier": "string null", "partial": "boolean", "missing": "array"})
				checkFields(t, "fit notes", hit.(map[string]any)["fitNotes"], s.added(fitNotesFields, factType))
			}
		}
	})
	t.Run("query echoes what was understood", func(t *testing.T) {
		got := getJSON[struct{ Query json.RawMessage }](t, s, searchPath("q", "  chat with documents ", "category", "RAG-Knowledge,chat-interfaces", "platform", "Linux", "license", "mit,apache-2.0", "docker", "1", "beginner", "0", "gpu", "0", "selfHosted", "1", "limit", "7",
			"openSource", "1", "upkeep", "Active,slow", "offline", "1", "apiKey", "no,optional", "ramGb", "16", "vramGb", "5.5", "arch", "arm64", "gpuVendor", "apple", "system", "macos", "stated", "0")).Query
		want := `{"q":"chat with documents","category":["rag-knowledge","chat-interfaces"],"platform":["linux"],"license":["mit","apache-2.0"],"openSource":true,"upkeep":["active","slow"],"gpu":false,"docker":true,"beginner":false,"selfHosted":true,"offline":true,"apiKey":["no","optional"],` +
			`"ramGb":16,"vramGb":5.5,"arch":"arm64","gpuVendor":"apple","system":"macos","stated":false,"limit":7}`
		var echo map[string]any
		if err := json.Unmarshal(got, &echo); err != nil {
			t.Fatal(err)
		}
		for name := range s.added(nil, echoType) { // facts that have been added since
			if !strings.Contains(want, `"`+name+`":`) && echo[name] == nil {
				got = bytes.Replace(got, []byte(`"`+name+`":null,`), nil, 1)
			}
		}
		if string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("an empty q, category, platform, license or sort counts as absent", func(t *testing.T) {
		bare := s.search(t)
		empty := s.search(t, "q", " ", "category", "", "platform", "", "license", "", "sort", "")
		if asJSON(bare) != asJSON(empty) {
			t.Error("the answers differ")
		}
	})
	t.Run("tier is null where no q was given", func(t *testing.T) {
		for _, hit := range s.search(t, "category", "video").Hits {
			if hit.Match.Tier != nil || hit.Match.Partial {
				t.Errorf("%s: %+v", hit.Slug, hit.Match)
			}
		}
	})
	t.Run("total counts all that matched, before limit", func(t *testing.T) {
		one, fifty := s.search(t, "q", "translate", "limit", "1"), s.search(t, "q", "translate", "limit", "50")
		if one.Total != fifty.Total || len(one.Hits) != 1 || len(fifty.Hits) != min(50, fifty.Total) || asJSON(one.Facets) != asJSON(fifty.Facets) {
			t.Errorf("%d of %d, and %d of %d", len(one.Hits), one.Total, len(fifty.Hits), fifty.Total)
		}
	})
	t.Run("relevance without q is served as popular, and says so", func(t *testing.T) {
		answer := s.search(t, "sort", "relevance")
		if answer.Sort.Applied != api.SortPopular || *answer.Sort.Requested != api.SortRelevance || !warned(answer, api.WarnRelevanceNoQuery) {
			t.Errorf("%+v, %+v", answer.Sort, answer.Warnings)
		}
	})
	t.Run("the same request has the same response", func(t *testing.T) {
		for _, path := range []string{searchPath("q", "agent", "limit", "50"), searchPath("sort", "newest", "limit", "50")} {
			first, again := s.do(t, http.MethodGet, path).body, s.do(t, http.MethodGet, path).body
			if first != again {
				t.Errorf("%s has two answers", path)
			}
		}
	})
}

// verdicts checks that the verdicts of a search are those of package hardware.
func (s *testSite) verdicts(t *testing.T) {
	seen := map[hardware.Verdict]int{}
	for _, parameter := range []string{"ramGb=8", "vramGb=0", "vramGb=6"} {
		query, _, wrong := api.ParseSearch(parameter, s.parameters())
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		machine := s.content.Taxonomy.WithSystems(query.Filters.Machine)
		needs := map[string]hardware.Verdict{}
		for _, l := range s.content.Listings {
			n := s.content.Taxonomy.NeedsOf(&l.Project)
			needs[l.Slug] = machine.Judge(&n, nil).Verdict
		}
		got := map[string]hardware.Verdict{}
		for offset := 0; offset < len(needs); offset += 50 {
			for _, hit := range getJSON[api.SearchResponse](t, s, api.PathSearch+"?limit=50&offset="+strconv.Itoa(offset)+"&"+parameter).Hits {
				got[hit.Slug] = hit.Fit.Verdict
			}
		}
		for slug, want := range needs {
			seen[want]++
			if verdict := cmp.Or(got[slug], hardware.NeedsMore); verdict != want { // which is left out
				t.Errorf("%s with %s: %s, want %s", slug, parameter, verdict, want)
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("the verdicts are %v", seen)
	}
	t.Run("wording becomes filters, and is told", func(t *testing.T) {
		answer := s.search(t, "q", "make pictures on an RTX 3060 with 32 GB of RAM")
		if got := fmt.Sprintf("%v %v %v", answer.Query["ramGb"], answer.Query["vramGb"], answer.Query["gpuVendor"]); got != "32 12 nvidia" {
			t.Errorf("got %s", got)
		}
		told := 0
		for _, w := range answer.Warnings {
			if w.Code == api.WarnUnderstood {
				told++
			}
		}
		if told != 1 || len(answer.Hits) == 0 || answer.Hits[0].Fit == nil {
			t.Errorf("%d warnings, hits %+v", told, mapStrings(answer.Hits, hitSlug))
		}
	})
	t.Run("hardware", func(t *testing.T) {
		if n := len(s.content.Taxonomy.Hardware.Devices); n < 550 {
			t.Errorf("%d devices, and at least 550 are wanted", n)
		}
	})
}

// facetCounts filters by each value of each facet. The number of results must be
// the count of the value.
func (s *testSite) facetCounts(t *testing.T) {
	for _, base := range [][]string{
		{}, {"q", "agent"}, {"q", "image generation"}, {"q", "translate", "platform", "linux"}, {"category", "speech-to-text", "docker", "1"},
	} {
		t.Run(strings.Join(base, " "), func(t *testing.T) {
			answer := s.search(t, append([]string{"limit", "50"}, base...)...)
			full := 0
			for _, hit := range answer.Hits {
				if !hit.Match.Partial {
					full++
				}
			}
			if full < 3 {
				t.Fatalf("%d full matches show little", full)
			}
			values := 0
			facets := map[string]string{}
			for _, name := range []string{"apiKey", "beginner", "category", "docker", "fit", "gpu", "license", "offline", "openSource", "platform", "selfHosted", "upkeep"} {
				facets[name] = "array"
			}
			if names, want := slices.Sorted(maps.Keys(answer.Facets)), slices.Sorted(maps.Keys(s.added(facets, facetType))); !slices.Equal(names, want) {
				t.Errorf("the facets are %q, want %q", names, want)
			}
			for name, facet := range answer.Facets {
				if !slices.IsSortedFunc(facet, func(a, b api.FacetValue) int {
					if a.Count != b.Count {
						return b.Count - a.Count
					}
					return strings.Compare(a.Value, b.Value)
				}) {
					t.Errorf("%s: the values are in another order: %v", name, facet)
				}
				for _, v := range facet {
					values++
					// The value replaces the filter of its facet.
					filtered := s.search(t, append([]string{"limit", "50"}, append(slices.Clone(base), name, v.Value)...)...)
					got := filtered.Total
					if len(base) > 0 && base[0] == "q" && v.Count < 3 {
						// Partial matches are added if fewer than three match in full.
						got = 0
						for _, hit := range filtered.Hits {
							if !hit.Match.Partial {
								got++
							}
						}
					}
					if got != v.Count || got == 0 {
						t.Errorf("%s=%s counts %d, and %d are found with it", name, v.Value, v.Count, got)
					}
				}
			}
			if values < 10 {
				t.Errorf("only %d values were tried", values)
			}
		})
	}
}

func (s *testSite) filters(t *testing.T) {
	total := func(t *testing.T, parameters ...string) int {
		t.Helper()
		return s.search(t, parameters...).Total
	}
	t.Run("several values joined by commas mean any of them, without regard to case", func(t *testing.T) {
		if a, b, both := total(t, "category", "video"), total(t, "category", "translation"), total(t, "category", "Translation, VIDEO"); a == 0 || b == 0 || both != a+b {
			t.Errorf("%d and %d make %d", a, b, both)
		}
		windows, android, either := total(t, "platform", "windows"), total(t, "platform", "android"), total(t, "platform", "WINDOWS,android")
		if either > windows+android || either < max(windows, android) || either == windows {
			t.Errorf("%d and %d make %d", windows, android, either)
		}
		if a, b := total(t, "license", "MIT"), total(t, "license", "mit"); a == 0 || a != b {
			t.Errorf("MIT %d, mit %d", a, b)
		}
	})
	t.Run("category is the home category", func(t *testing.T) {
		for _, l := range s.content.Listings {
			if len(l.AlsoIn) > 0 {
				for _, hit := range s.search(t, "category", l.AlsoIn[0], "limit", "50").Hits {
					if hit.Category != l.AlsoIn[0] {
						t.Errorf("%s is of %s", hit.Slug, hit.Category)
					}
				}
				return
			}
		}
		t.Error("no listing is also in another category")
	})
	found := func(t *testing.T, l, license string) bool {
		t.Helper()
		answer := s.search(t, "q", s.listing(t, l).Name, "license", license, "limit", "50")
		return slices.ContainsFunc(answer.Hits, func(h api.Hit) bool { return h.Slug == l })
	}
	t.Run("license matches a leg of an OR, never of an AND", func(t *testing.T) {
		or, and := 0, 0
		for _, l := range s.content.Listings {
			if l.License == nil {
				continue
			}
			// This test supports one operator and no parentheses.
			if strings.Contains(*l.License, "(") {
				t.Fatalf("%s: this test does not know %s", l.Slug, *l.License)
			}
			if legs := strings.Split(*l.License, " OR "); len(legs) > 1 {
				or++
				for _, leg := range legs {
					if !found(t, l.Slug, leg) {
						t.Errorf("%s, %s, is not found by %s", l.Slug, *l.License, leg)
					}
				}
			}
			if legs := strings.Split(*l.License, " AND "); len(legs) > 1 {
				and++
				for _, leg := range legs {
					if found(t, l.Slug, leg) {
						t.Errorf("%s, %s, is found by %s", l.Slug, *l.License, leg)
					}
				}
				if !found(t, l.Slug, *l.License) {
					t.Errorf("%s is not found by %s", l.Slug, *l.License)
				}
			}
		}
		if or == 0 || and == 0 {
			t.Errorf("%d with OR and %d with AND show little", or, and)
		}
	})
	t.Run("AGPL-3.0 includes -only and -or-later, which exclude each other", func(t *testing.T) {
		family, only, later := total(t, "license", "AGPL-3.0"), total(t, "license", "AGPL-3.0-only"), total(t, "license", "AGPL-3.0-or-later")
		if only == 0 || later == 0 || family != only+later {
			t.Errorf("%d and %d make %d", only, later, family)
		}
	})
	t.Run("unknown matches neither 0 nor 1", func(t *testing.T) {
		for _, name := range []string{"docker", "beginner", "selfHosted"} {
			want := len(s.content.Listings)
			for _, l := range s.content.Listings {
				if l.FitNotes.Get(name) == nil {
					want--
				}
			}
			if got := total(t, name, "0") + total(t, name, "1"); got != want {
				t.Errorf("%s is known of %d listings, and %d are found by it", name, want, got)
			}
		}
	})
	t.Run("a licence that no listing has", func(t *testing.T) {
		answer := s.search(t, "license", "NASA-1.3")
		if answer.Total != 0 || !warned(answer, api.WarnUnknownLicense) {
			t.Errorf("%d hits, %+v", answer.Total, answer.Warnings)
		}
	})
}

func (s *testSite) ranking(t *testing.T) {
	t.Run("folding: spaces, hyphens, dots, case and diacritics do not count in names", func(t *testing.T) {
		for slug, spellings := range map[string][]string{
			"open-webui": {"open webui", "OpenWebUI", "open-webui", "OPEN WEBUI", "ópen wèbui", "ｏｐｅｎ ｗｅｂｕｉ"},
			"llama-cpp":  {"llama.cpp", "llamacpp", "llama cpp", "LLAMA-CPP"},
		} {
			if l := s.known(t, slug); l.Slug != slug && !slices.Contains(l.Formerly, slug) { // it has left
				words := strings.Fields(l.Name)
				slug, spellings = l.Slug, []string{l.Name, strings.ToUpper(l.Name), strings.Join(words, "-"), strings.Join(words, "")}
			} else {
				slug = l.Slug
			}
			for _, q := range spellings {
				if hits := s.search(t, "q", q).Hits; len(hits) == 0 || hits[0].Slug != slug || *hits[0].Match.Tier != api.TierExactName {
					t.Errorf("%q finds %s first", q, asJSON(hits[:min(1, len(hits))]))
				}
			}
		}
	})
	t.Run("filler alone is no q, with a warning", func(t *testing.T) {
		answer := s.search(t, "q", "best free open source tool")
		if answer.Query["q"] != nil || answer.Sort.Applied != api.SortPopular || !warned(answer, api.WarnOnlyFiller) || answer.Total != len(s.content.Listings) {
			t.Errorf("q %v, %+v, %d hits, %+v", answer.Query["q"], answer.Sort, answer.Total, answer.Warnings)
		}
	})
	t.Run("filler need not match", func(t *testing.T) {
		hits := s.search(t, "q", "best open source alternative to Otter.ai").Hits
		if len(hits) == 0 || !slices.Contains(hits[0].Replaces, "Otter.ai") || hits[0].Match.Partial {
			t.Errorf("%s", asJSON(hits[:min(1, len(hits))]))
		}
	})
	t.Run("products that q names have a page of the listings that replace them", func(t *testing.T) {
		for _, p := range s.content.Taxonomy.Products {
			alternatives := 0
			for _, l := range s.content.Listings {
				if slices.Contains(l.Replaces, p.Name) {
					alternatives++
				}
			}
			want := api.NamedProduct{Name: p.Name, PageURL: s.base + "/alternatives/" + p.Slug + "/", Alternatives: alternatives}
			if named := s.search(t, "q", "alternative to "+p.Name, "limit", "1").Products; !slices.Contains(named, want) {
				t.Errorf("%q names %v, want %v", p.Name, named, want)
			} else if page := s.do(t, http.MethodGet, want.PageURL); page.status != http.StatusOK {
				t.Errorf("%s: %d", want.PageURL, page.status)
			}
		}
	})
	t.Run("typos are corrected, and the spelling is suggested", func(t *testing.T) {
		corrected, typos := 0, map[string]string{"trnscribe": "transcribe", "trnslate": "translate", "asistant": "assistant", "imgaes": "images"}
		for typo, word := range typos {
			if answer := s.search(t, "q", typo); answer.DidYouMean != nil && *answer.DidYouMean == word && answer.Total > 0 {
				corrected++
			}
			if answer := s.search(t, "q", typo, "correct", "0"); answer.DidYouMean != nil || answer.Total != 0 {
				t.Errorf("%s as spelt: didYouMean %v, %d hits", typo, answer.DidYouMean, answer.Total)
			}
		}
		if corrected < len(typos)-1 { // a few typos seem to be words, and which ones changes with the content
			t.Errorf("%d of %d typos are corrected", corrected, len(typos))
		}
		if answer := s.search(t, "q", "transcribe"); answer.DidYouMean != nil {
			t.Errorf("a right spelling is corrected to %s", *answer.DidYouMean)
		}
	})
	t.Run("wording that asks for a fact suggests the filter", func(t *testing.T) {
		answer := s.search(t, "q", "transcribe meetings offline")
		if !slices.ContainsFunc(answer.Warnings, func(w api.Warning) bool {
			return w.Code == api.WarnSuggestFilter && w.Parameter == "offline" && w.Value == "1" && w.Message == `Listings that fit "offline" come first; offline=1 shows only these.`
		}) {
			t.Errorf("%+v", answer.Warnings)
		}
		if asJSON(mapStrings(answer.Hits, hitSlug)) == "[]" {
			t.Error("the words of a hint must match")
		}
	})
	t.Run("partial matches follow where fewer than 3 match in full", func(t *testing.T) {
		answer := s.search(t, "q", "whisper kubernetes lantern", "limit", "50")
		partial := 0
		for i, hit := range answer.Hits {
			if hit.Match.Partial {
				partial++
			} else if partial > 0 {
				t.Errorf("hit %d matches in full, below one that does not", i+1)
			}
		}
		if partial == 0 || len(answer.Hits)-partial >= 3 || !warned(answer, api.WarnPartialMatches) {
			t.Errorf("%d of %d in part, %+v", partial, len(answer.Hits), answer.Warnings)
		}
		for _, q := range []string{"whisper", "agent"} {
			for _, hit := range s.search(t, "q", q, "limit", "50").Hits {
				if hit.Match.Partial {
					t.Errorf("%q: %s matches in part", q, hit.Slug)
				}
			}
		}
	})
}

func (s *testSite) wrongRequests(t *testing.T) {
	known := s.content.Listings[0].Slug
	for _, w := range []struct{ name, target, parameter, message string }{
		{"limit of a list", api.PathProjects + "?limit=101", "limit", "from 1 to 100"},
		{"offset of a list", api.PathProjects + "?offset=-1", "offset", "at least 0"},
		{"limit of a search", searchPath("limit", "51"), "limit", "from 1 to 50"},
		{"docker", searchPath("docker", "yes"), "docker", `"yes" is neither 0 nor 1`},
		{"sort", searchPath("sort", "stars"), "sort", `"stars"`},
		{"category", searchPath("category", "nosuch"), "category", `"nosuch"`},
		{"category among others", searchPath("category", "video,nosuch"), "category", `"nosuch"`},
		{"platform", searchPath("platform", "toaster"), "platform", `"toaster"`},
		{"q too long", searchPath("q", strings.Repeat("a", 257)), "q", "at most 256"},
		{"q not UTF-8", api.PathSearch + "?q=%ff", "q", "UTF-8"},
		{"q badly encoded", api.PathSearch + "?q=%zz", "q", "percent-encoded"},
		{"a parameter given twice", api.PathSearch + "?q=a&q=b", "q", "more than once"},
		{"sort given twice", api.PathSearch + "?sort=popular&sort=newest", "sort", `"popular" and "newest"`},
		{"limit given twice", api.PathProjects + "?limit=5&limit=5", "limit", "more than once"},
		{"docker given twice", api.PathSearch + "?docker=1&docker=0", "docker", "more than once"},
		{"facets", searchPath("facets", "none"), "facets", `"none" is neither 0 nor 1`},
		{"correct", searchPath("correct", "no"), "correct", `"no" is neither 0 nor 1`},
		{"view", searchPath("view", "short"), "view", `"short" is not a known value`},
		{"view of a list", api.PathProjects + "?view=Brief", "view", `"Brief" is not a known value`},
		{"view of some listings", api.PathProjects + "?slugs=a&view=short", "view", `"short" is not a known value`},
		{"view given twice", searchPath("view", "brief") + "&view=full", "view", "more than once"},
		{"51 values joined", searchPath("license", strings.Repeat("MIT,", 50)+"MIT"), "license", "more than 50 values in one list"},
		{"51 values repeated", api.PathSearch + "?q=" + strings.Repeat("&platform=linux", 51), "platform", "more than 50 values in one list"},
		{"license", searchPath("license", "<MIT>"), "license", "SPDX"},
		{"RAM below zero", searchPath("ramGb", "-1"), "ramGb", "a number from 0 to 4096"},
		{"VRAM in words", searchPath("vramGb", "much"), "vramGb", `"much" is not a number`},
		{"architecture", searchPath("arch", "riscv"), "arch", `"riscv"`},
		{"maker of graphics cards", searchPath("gpuVendor", "matrox"), "gpuVendor", `"matrox"`},
		{"stated", searchPath("stated", "yes"), "stated", `"yes" is neither 0 nor 1`},
		{"openSource", searchPath("openSource", "2"), "openSource", `"2" is neither 0 nor 1`},
		{"upkeep", searchPath("upkeep", "active,dead"), "upkeep", `"dead": no such upkeep`},
		{"apiKey", searchPath("apiKey", "perhaps"), "apiKey", `"perhaps"`},
		{"offset of a search", searchPath("offset", "1001"), "offset", "from 0 to 1000"},
	} {
		t.Run("400 "+w.name, func(t *testing.T) {
			p, _ := s.problem(t, http.MethodGet, w.target, http.StatusBadRequest, "invalid-parameter")
			if len(p.Errors) != 1 || p.Errors[0].Parameter != w.parameter || !strings.Contains(p.Errors[0].Message, w.message) {
				t.Errorf("the errors are %+v", p.Errors)
			}
		})
	}
	t.Run("400 names every wrong parameter", func(t *testing.T) {
		p, _ := s.problem(t, http.MethodGet, searchPath("limit", "x", "docker", "x", "gpu", "x", "sort", "x", "platform", "x"), http.StatusBadRequest, "invalid-parameter")
		if got := mapStrings(p.Errors, func(e *api.ParameterError) string { return e.Parameter }); !slices.Equal(got, []string{"platform", "gpu", "docker", "sort", "limit"}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("q of 256 characters is allowed, and counted in characters", func(t *testing.T) {
		s.search(t, "q", strings.Repeat("é", 256))
	})
	t.Run("an unknown parameter is ignored, with a warning", func(t *testing.T) {
		answer := s.search(t, "q", "whisper", "catgory", "video")
		if !slices.ContainsFunc(answer.Warnings, func(w api.Warning) bool {
			return w.Code == api.WarnUnknownParameter && w.Parameter == "catgory" && strings.Contains(w.Message, `"category"`)
		}) {
			t.Errorf("%+v", answer.Warnings)
		}
		list := getJSON[api.ProjectList](t, s, api.PathProjects+"?ofset=1")
		if len(list.Projects) != 50 || len(list.Warnings) != 1 || list.Warnings[0].Code != api.WarnUnknownParameter || !strings.Contains(list.Warnings[0].Message, `"offset"`) {
			t.Errorf("a list with an unknown parameter has %d projects and the warnings %+v", len(list.Projects), list.Warnings)
		}
	})
	t.Run("no warning for tracking parameters", func(t *testing.T) {
		if w := s.search(t, "q", "whisper", "utm_source", "mail", "fbclid", "x").Warnings; len(w) > 0 {
			t.Errorf("%+v", w)
		}
		if w := getJSON[api.ProjectList](t, s, api.PathProjects+"?utm_source=mail").Warnings; w == nil || len(w) > 0 {
			t.Errorf("%+v", w)
		}
	})
	t.Run("lists may be joined by commas or repeated", func(t *testing.T) {
		joined, repeated := s.do(t, http.MethodGet, searchPath("category", "video,music-audio")), s.do(t, http.MethodGet, api.PathSearch+"?category=video&category=music-audio")
		if joined.status != http.StatusOK || joined.body != repeated.body {
			t.Errorf("joined: %d %s\nrepeated: %d %s", joined.status, joined.body, repeated.status, repeated.body)
		}
	})
	t.Run("facets=0 leaves the facets out", func(t *testing.T) {
		whole, short := getJSON[map[string]json.RawMessage](t, s, searchPath("q", "chat")), getJSON[map[string]json.RawMessage](t, s, searchPath("q", "chat", "facets", "0"))
		delete(whole, "facets")
		if asJSON(whole) != asJSON(short) {
			t.Errorf("%s, want %s", asJSON(short), asJSON(whole))
		}
	})
	t.Run("404 for an unknown slug suggests near ones", func(t *testing.T) {
		slug := s.known(t, "ollama").Slug
		p, _ := s.problem(t, http.MethodGet, api.PathProjects+"/"+slug[:1]+slug[2:], http.StatusNotFound, "unknown-project")
		if len(p.Suggestions) == 0 || len(p.Suggestions) > 3 || p.Suggestions[0] != slug {
			t.Errorf("%v", p.Suggestions)
		}
	})
	t.Run("404 below /api/ for unknown endpoints", func(t *testing.T) {
		for _, path := range []string{
			"/api/", "/api/v1/nosuch", "/api/v2/projects",
			"/api/v1/search.idx", "/api/v1/SEARCH", "/api/v1/lists/popular/999.json", "/api/v1/lists/nosuch/1.json", "/api/v1/../../catalog.yml", "/api/v1/%2e%2e/openapi.json",
		} {
			s.problem(t, http.MethodGet, path, http.StatusNotFound, "unknown-endpoint")
		}
	})
	t.Run("308 from a trailing slash", func(t *testing.T) {
		for _, path := range []string{"/api/v1/search", "/api/v1/projects", "/api/v1/projects/" + known, "/api/v1/openapi"} {
			r := s.getUnchecked(t, path+"/?limit=1")
			if location := r.header.Get("Location"); r.status != http.StatusPermanentRedirect || !strings.HasSuffix(location, path+"?limit=1") {
				t.Errorf("%s/: %d, %q", path, r.status, location)
			}
		}
	})
	t.Run("order: path, method, key, parameters", func(t *testing.T) {
		key := []string{"X-Api-Key", "nosuch"}
		s.problem(t, http.MethodPost, "/api/v1/nosuch", http.StatusNotFound, "unknown-endpoint", key...)
		s.problem(t, http.MethodPost, api.PathProjects+"?limit=0", http.StatusMethodNotAllowed, "method-not-allowed", key...)
		s.problem(t, http.MethodGet, api.PathProjects+"?limit=0", http.StatusUnauthorized, "unknown-key", key...)
		s.problem(t, http.MethodGet, api.PathProjects+"/nosuch", http.StatusUnauthorized, "unknown-key", key...)
	})
	t.Run("an empty header or another scheme is no key", func(t *testing.T) {
		for _, headers := range [][]string{{"X-Api-Key", ""}, {"Authorization", ""}, {"Authorization", "Basic bm86c3VjaA=="}, {"Authorization", "Bearer "}} {
			if r := s.do(t, http.MethodGet, api.PathProjects, headers...); r.status != http.StatusOK || !strings.Contains(r.header.Get("RateLimit-Policy"), "anonymous") {
				t.Errorf("%v: %d under %s", headers, r.status, r.header.Get("RateLimit-Policy"))
			}
		}
	})
	t.Run("414 between 8 KiB and the header limit", func(t *testing.T) {
		s.problem(t, http.MethodGet, api.PathSearch+"?x="+strings.Repeat("a", 9<<10), http.StatusRequestURITooLong, "uri-too-long")
	})
	t.Run("the type of each problem is a page that explains it", func(t *testing.T) {
		for _, kind := range api.ProblemKinds {
			if page := s.do(t, http.MethodGet, "/problems/"+kind.Code+"/"); page.status != http.StatusOK || !strings.Contains(page.body, kind.Title) {
				t.Errorf("the page of %s answers %d", kind.Code, page.status)
			}
		}
	})
}

func (s *testSite) allowances(t *testing.T) {
	t.Run("requests below /api/ count except OPTIONS, pages never", func(t *testing.T) {
		f, _ := s.withStoppedClock(t)
		left := func() string { return f.do(t, http.MethodGet, api.PathProjects+"?limit=1").header.Get("RateLimit") }
		if got := left(); got != `"anonymous";r=119;t=60` {
			t.Errorf("after one request RateLimit is %s", got)
		}
		f.do(t, http.MethodOptions, api.PathSearch)
		for _, path := range []string{"/", "/llms.txt", "/projects/" + f.content.Listings[0].Slug + "/", "/healthz", "/nosuch"} {
			if r := f.do(t, http.MethodGet, path); r.header.Get("RateLimit") != "" {
				t.Errorf("%s is counted", path)
			}
		}
		if got := left(); got != `"anonymous";r=118;t=60` {
			t.Errorf("after OPTIONS and pages RateLimit is %s", got)
		}
		f.do(t, http.MethodHead, api.PathSearch)
		f.do(t, http.MethodGet, "/api/v1/lists/popular/1.json")
		f.problem(t, http.MethodGet, "/api/nosuch", http.StatusNotFound, "unknown-endpoint")
		f.problem(t, http.MethodGet, searchPath("limit", "0"), http.StatusBadRequest, "invalid-parameter")
		f.problem(t, http.MethodGet, api.PathProjects, http.StatusUnauthorized, "unknown-key", "X-Api-Key", "nosuch")
		if got := left(); got != `"anonymous";r=112;t=60` {
			t.Errorf("after five more RateLimit is %s", got)
		}
		// The sandbox key has an allowance of its own.
		if got := f.do(t, http.MethodGet, api.PathProjects, "X-Api-Key", f.settings.SandboxKey).header.Get("RateLimit"); got != `"sandbox";r=599;t=60` {
			t.Errorf("with the key RateLimit is %s", got)
		}
	})
	t.Run("X-Forwarded-For of unknown clients is ignored", func(t *testing.T) {
		f, _ := s.withStoppedClock(t)
		f.do(t, http.MethodGet, api.PathProjects, "X-Forwarded-For", "192.0.2.1")
		if got := f.do(t, http.MethodGet, api.PathProjects, "X-Forwarded-For", "192.0.2.2").header.Get("RateLimit"); got != `"anonymous";r=118;t=60` {
			t.Errorf("RateLimit is %s", got)
		}
	})
}

func (s *testSite) httpRules(t *testing.T) {
	listing := s.content.Listings[0].Slug
	t.Run("HEAD everywhere: the headers of GET and no body", func(t *testing.T) {
		for _, path := range append(s.endpoints(), "/", "/llms.txt", "/projects/"+listing+"/", "/api/v1/lists/newest/1.json", "/sitemap.xml") {
			// Go's client requests gzip by default, but not for HEAD.
			get, head := s.do(t, http.MethodGet, path, "Accept-Encoding", "identity"), s.do(t, http.MethodHead, path, "Accept-Encoding", "identity")
			if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != get.header.Get("ETag") || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
				t.Errorf("%s: HEAD is answered %d with %v and %d bytes", path, head.status, head.header, len(head.body))
			}
		}
	})
	t.Run("OPTIONS everywhere; preflight allows the headers for a day", func(t *testing.T) {
		for _, path := range append(s.endpoints(), "/api/nosuch") {
			r := s.do(t, http.MethodOptions, path, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-api-key")
			if r.status != http.StatusNoContent || r.header.Get("Access-Control-Allow-Headers") != "Authorization, X-Api-Key, If-None-Match" || r.header.Get("Access-Control-Max-Age") != "86400" || r.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %d %v", path, r.status, r.header)
			}
		}
	})
	t.Run("ETag is strong; If-None-Match gives 304", func(t *testing.T) {
		seen := map[string]string{}
		for _, path := range append(s.endpoints(), searchPath("q", "whisper"), searchPath("q", "whisper", "limit", "11"), api.PathProjects+"?offset=1", "/", "/projects/"+listing+"/", "/api/v1/lists/popular/1.json") {
			etag := s.do(t, http.MethodGet, path).header.Get("ETag")
			if !regexp.MustCompile(`^"[^"]+"$`).MatchString(etag) || seen[etag] != "" {
				t.Errorf("%s has the ETag %s, as has %q", path, etag, seen[etag])
			}
			seen[etag] = path
			if r := s.do(t, http.MethodGet, path, "If-None-Match", `"other", `+etag); r.status != http.StatusNotModified || r.body != "" || r.header.Get("ETag") != etag {
				t.Errorf("%s with its ETag is answered %d", path, r.status)
			}
			if r := s.do(t, http.MethodGet, path, "If-None-Match", `"other"`); r.status != http.StatusOK {
				t.Errorf("%s with another ETag is answered %d", path, r.status)
			}
		}
	})
	t.Run("the ETag of a search follows from the query as understood", func(t *testing.T) {
		a := s.do(t, http.MethodGet, api.PathSearch+"?q=whisper&platform=LINUX").header.Get("ETag")
		b := s.do(t, http.MethodGet, api.PathSearch+"?platform=linux&limit=10&q=+whisper").header.Get("ETag")
		if a != b {
			t.Errorf("%s and %s", a, b)
		}
	})
	t.Run("pages carry a strict policy", func(t *testing.T) {
		for _, path := range []string{"/", "/search/", "/projects/" + listing + "/", "/nosuch"} {
			h := s.do(t, http.MethodGet, path).header
			policy := h.Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "script-src 'self'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: the policy is %q", path, policy)
			}
			for _, name := range []string{"Referrer-Policy", "Permissions-Policy"} {
				if h.Get(name) == "" {
					t.Errorf("%s: no %s", path, name)
				}
			}
			if h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: X-Content-Type-Options is %q", path, h.Get("X-Content-Type-Options"))
			}
		}
	})
	t.Run("/healthz and /readyz", func(t *testing.T) {
		for _, path := range []string{"/healthz", "/readyz"} {
			if r := s.do(t, http.MethodGet, path); r.status != http.StatusOK || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %v", path, r.status, r.header)
			}
		}
		for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
			if r := s.do(t, http.MethodGet, path); r.status != http.StatusNotFound {
				t.Errorf("%s answers %d on the public address", path, r.status)
			}
		}
	})
	t.Run("missing pages are answered 404 with a page", func(t *testing.T) {
		r := s.do(t, http.MethodGet, "/projects/nosuch/")
		if r.status != http.StatusNotFound || !strings.Contains(r.body, "<h1>") || r.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%d %v", r.status, r.header)
		}
	})
}

// file returns the text of a file of the build output.
func (s *testSite) file(t *testing.T, name string) string {
	t.Helper()
	return readText(t, filepath.Join(s.public, filepath.FromSlash(name)))
}

func (s *testSite) buildOutput(t *testing.T) {
	// sameJSON reports whether two JSON texts have the same value.
	sameJSON := func(t *testing.T, a, b string) bool {
		t.Helper()
		return asJSON(decodeJSON[any](t, a)) == asJSON(decodeJSON[any](t, b))
	}
	t.Run("the default list is what listProjects answers", func(t *testing.T) {
		if !sameJSON(t, s.file(t, "api/v1/projects/index.json"), s.do(t, http.MethodGet, api.PathProjects).body) {
			t.Error("they differ")
		}
	})
	t.Run("each single project is what getProject answers, also at its static address", func(t *testing.T) {
		for _, l := range s.content.Listings {
			answer := s.do(t, http.MethodGet, api.PathProjects+"/"+l.Slug).body
			if !sameJSON(t, s.file(t, "api/v1/projects/"+l.Slug+".json"), answer) {
				t.Errorf("%s differs", l.Slug)
			}
			if static := s.do(t, http.MethodGet, api.PathProjects+"/"+l.Slug+".json"); static.status != http.StatusOK || static.header.Get("Content-Type") != "application/json" || !sameJSON(t, static.body, answer) {
				t.Errorf("%s is answered %d at its static address, or differs there", l.Slug, static.status)
			}
		}
	})
	t.Run("the OpenAPI document is the one that is served", func(t *testing.T) {
		if !sameJSON(t, s.file(t, "api/v1/openapi.json"), s.do(t, http.MethodGet, api.PathOpenAPI).body) {
			t.Error("they differ")
		}
	})
	lists := map[string]func(*api.Project) bool{}
	for _, sort := range []string{api.SortPopular, api.SortNewest, api.SortRecentlyUpdated} {
		lists[sort] = func(*api.Project) bool { return true }
	}
	for _, c := range s.content.Taxonomy.Categories {
		lists["category/"+c.Slug] = func(p *api.Project) bool { return p.Category == c.Slug }
	}
	for name, matches := range lists {
		t.Run("pre-sorted pages of "+name, func(t *testing.T) {
			var want []api.Project
			for _, l := range s.content.Listings {
				if matches(&l.Project) {
					want = append(want, l.Project)
				}
			}
			compare := map[string]func(a, b api.Project) int{api.SortNewest: byAdded, api.SortRecentlyUpdated: byUpdated}[name]
			if compare == nil {
				compare = byStars
			}
			slices.SortFunc(want, compare)
			next := "/api/v1/lists/" + name + "/1.json"
			pages := max(1, (len(want)+49)/50)
			for page := 1; page <= pages; page++ {
				r := s.do(t, http.MethodGet, next)
				if r.status != http.StatusOK {
					t.Fatalf("%s answers %d", next, r.status)
				}
				checkFields(t, next, decodeJSON[any](t, r.body), map[string]string{
					"projects": "array", "total": "number", "limit": "number", "offset": "number", "warnings": "array", "page": "number", "pages": "number", "next": "string null",
				})
				list := decodeJSON[api.ListPage](t, r.body)
				from := (page - 1) * 50
				if list.Total != len(want) || list.Limit != 50 || list.Offset != from || list.Page != page || list.Pages != pages || (list.Next == nil) != (page == pages) {
					t.Errorf("%s: total %d, limit %d, offset %d, page %d of %d, next %v", next, list.Total, list.Limit, list.Offset, list.Page, list.Pages, list.Next)
				}
				if got := mapStrings(projectsOf(t, r), projectSlug); !slices.Equal(got, mapStrings(want[from:min(from+50, len(want))], projectSlug)) {
					t.Errorf("%s lists %v", next, got)
				}
				if name == api.SortPopular {
					answer := s.do(t, http.MethodGet, fmt.Sprintf("%s?limit=50&offset=%d", api.PathProjects, from))
					if asJSON(decodeJSON[struct{ Projects []any }](t, answer.body)) != asJSON(decodeJSON[struct{ Projects []any }](t, r.body)) {
						t.Errorf("%s and listProjects differ", next)
					}
				}
				if list.Next != nil {
					next = *list.Next
				}
			}
		})
	}
	t.Run("llms.txt has the format of llmstxt.org and names every parameter with its allowed values", func(t *testing.T) {
		text := s.file(t, "llms.txt")
		if !regexp.MustCompile(`\A# [^\n]+\n\n> [^\n]+\n\n`).MatchString(text) {
			t.Errorf("it begins %.200q", text)
		}
		prose, lists, _ := strings.Cut(text, "\n## ")
		if strings.Contains(prose[2:], "\n#") {
			t.Error("there is a heading before the lists of links")
		}
		for line := range strings.SplitSeq("## "+lists, "\n") {
			if line != "" && !regexp.MustCompile(`^## .+$|^- \[[^\]]+\]\(`+regexp.QuoteMeta(s.base)+`/[^)]*\)(: .+)?$`).MatchString(line) {
				t.Errorf("%q is neither a heading nor an absolute link", line)
			}
		}
		for _, p := range s.parameters() {
			_, after, found := strings.Cut(prose, "\n- `"+p.Name+"`: ")
			line, _, _ := strings.Cut(after, "\n")
			allowed := p.Allowed
			switch p.Kind {
			case api.KindFlag:
				allowed = []string{"0", "1"}
			case api.KindNumber:
				allowed = []string{"0", "4096"}
			case api.KindInteger:
				allowed = []string{strconv.Itoa(p.Min), strconv.Itoa(p.Max)}
			}
			for _, value := range allowed {
				if !found || !strings.Contains(line, value) {
					t.Errorf("%s: %q does not name %s", p.Name, line, value)
				}
			}
		}
		for _, want := range []string{"120 requests", "600 with the public sandbox key `" + s.settings.SandboxKey + "`", "counted for each client address", "search_catalog"} {
			if !strings.Contains(prose, want) {
				t.Errorf("it does not say %q", want)
			}
		}
	})
	t.Run("files for hosts and the server are not served", func(t *testing.T) {
		for _, path := range []string{"/api/v1/search.idx", "/_headers", "/_redirects", "/.gitkeep"} {
			if r := s.do(t, http.MethodGet, path); r.status != http.StatusNotFound {
				t.Errorf("%s answers %d", path, r.status)
			}
		}
	})
	t.Run("robots.txt names the sitemap", func(t *testing.T) {
		if text := s.file(t, "robots.txt"); !strings.Contains(text, "Sitemap: "+s.base+"/sitemap.xml\n") {
			t.Errorf("%q", text)
		}
	})
	t.Run("the OpenAPI document", s.openAPIFile)
}

func (s *testSite) openAPIFile(t *testing.T) {
	type schema struct {
		Type             any
		Default          any
		Minimum, Maximum *int
		Enum             []string
		Items            *struct{ Enum []string }
		MaxLength        int
	}
	type parameter struct {
		Name, In, Description string
		Required              bool
		Schema                schema
	}
	document := getJSON[struct {
		Paths map[string]struct {
			Get struct {
				OperationID string
				Parameters  []parameter
				Responses   map[string]json.RawMessage
			}
		}
		Security   []map[string][]string
		Components struct {
			SecuritySchemes map[string]struct{ Type, In, Name, Scheme string }
		}
	}](t, s, api.PathOpenAPI)

	number := func(n int) *int { return &n }
	want := map[string]schema{
		"listProjects limit":     {Type: "integer", Default: 50., Minimum: number(1), Maximum: number(100)},
		"listProjects offset":    {Type: "integer", Default: 0., Minimum: number(0)},
		"searchCatalog limit":    {Type: "integer", Default: 10., Minimum: number(1), Maximum: number(50)},
		"searchCatalog q":        {Type: "string", MaxLength: 256},
		"searchCatalog facets":   {Type: "string", Default: "1", Enum: []string{"0", "1"}},
		"searchCatalog correct":  {Type: "string", Default: "1", Enum: []string{"0", "1"}},
		"searchCatalog view":     {Type: "string", Default: "full", Enum: []string{"brief", "full"}},
		"listProjects view":      {Type: "string", Default: "full", Enum: []string{"brief", "full"}},
		"searchCatalog docker":   {Type: "string", Enum: []string{"0", "1"}},
		"searchCatalog beginner": {Type: "string", Enum: []string{"0", "1"}},
		"searchCatalog sort":     {Type: "string", Enum: []string{"relevance", "popular", "newest", "recently-updated", "trending"}},
		"searchCatalog category": {Type: "array", Items: &struct{ Enum []string }{s.parameter(t, "category").Allowed}},
		"searchCatalog platform": {Type: "array", Items: &struct{ Enum []string }{s.parameter(t, "platform").Allowed}},
		"searchCatalog license":  {Type: "array", Items: &struct{ Enum []string }{}},
		"listProjects slugs":     {Type: "array", Items: &struct{ Enum []string }{}},
		"searchCatalog offset":   {Type: "integer", Default: 0., Minimum: number(0), Maximum: number(1000)},
		"searchCatalog ramGb":    {Type: "number", Minimum: number(0), Maximum: number(4096)}, "searchCatalog vramGb": {Type: "number", Minimum: number(0), Maximum: number(4096)},
		"searchCatalog stated": {Type: "string", Enum: []string{"0", "1"}}, "searchCatalog openSource": {Type: "string", Enum: []string{"0", "1"}},
		"searchCatalog upkeep":  {Type: "array", Items: &struct{ Enum []string }{[]string{"active", "slow", "dormant", "archived"}}},
		"searchCatalog offline": {Type: "string", Enum: []string{"0", "1"}}, "searchCatalog apiKey": {Type: "array", Items: &struct{ Enum []string }{[]string{"no", "optional", "yes"}}},
		"searchCatalog arch": {Type: "string", Enum: []string{"amd64", "arm64"}}, "searchCatalog gpuVendor": {Type: "string", Enum: []string{"nvidia", "amd", "intel", "apple"}},
		"searchCatalog lang":   {Type: "string", Enum: []string{"en", "de", "fr", "es", "pt", "it", "zh", "ja"}},
		"searchCatalog system": {Type: "string", Enum: []string{"linux", "macos", "windows", "android", "ios"}},
	}
	want["getProject view"] = want["searchCatalog view"]
	seen := 0
	for path, item := range document.Paths {
		if !strings.HasPrefix(path, "/api/v1/") {
			t.Errorf("the path %s", path)
		}
		for _, p := range item.Get.Parameters {
			if p.In != "query" {
				continue
			}
			seen++
			name := item.Get.OperationID + " " + p.Name
			if i := slices.IndexFunc(s.parameters(), func(x api.Parameter) bool { return x.Name == p.Name }); want[name].Type == nil && i >= 0 && s.parameters()[i].Fact != nil {
				want[name] = p.Schema // of a fact that has been added since
			}
			if p.Required || p.Description == "" || asJSON(p.Schema) != asJSON(want[name]) {
				t.Errorf("%s is %+v, want %s", name, p, asJSON(want[name]))
			}
		}
		statuses := map[string][]string{
			"listProjects": {"400"}, "searchCatalog": {"400"}, "getProject": {"404"},
		}[item.Get.OperationID]
		for _, status := range append([]string{"200", "304", "401", "429", "500", "503"}, statuses...) {
			if item.Get.Responses[status] == nil {
				t.Errorf("%s has no response %s", item.Get.OperationID, status)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d parameters are described, want %d", seen, len(want))
	}
	if asJSON(document.Security[0]) != "{}" || len(document.Security) != 3 {
		t.Errorf("the security is %v", document.Security)
	}
	schemes := asJSON(document.Components.SecuritySchemes)
	if !strings.Contains(schemes, `"Scheme":"bearer"`) || !strings.Contains(schemes, `"Name":"X-Api-Key"`) {
		t.Errorf("the security schemes are %s", schemes)
	}
}

// TestBasePath serves the small content folder below a path, as behind a proxy that
// does not strip it.
func TestBasePath(t *testing.T) {
	t.Parallel()
	program, public := buildSmall(t)
	if status := run([]string{"build", "--quiet", "--content", "testdata/content", "--out", public, "--base-url", "http://tools.example.org/ai"}, testEnv()); status != exitOK {
		t.Fatalf("the exit status is %d", status)
	}
	server := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0")
	address := server.address(t, "listening on")
	for path, want := range map[string]string{
		"/ai/":                               `href="/ai/categories/"`,
		"/ai/projects/paper-lantern/":        `href="/ai/assets/style-`,
		"/ai/api/v1/projects/paper-lantern":  `"pageUrl":"http://tools.example.org/ai/projects/paper-lantern/"`,
		"/api/v1/projects/paper-lantern":     `"pageUrl":"http://tools.example.org/ai/projects/paper-lantern/"`,
		"/ai/api/v1/lists/popular/1.json":    `"slug":"paper-lantern"`,
		"/ai/llms.txt":                       "http://tools.example.org/ai/api/v1/search",
		"/ai/api/v1/openapi":                 `"url":"http://tools.example.org/ai"`,
		"/ai/sitemap.xml":                    "<loc>http://tools.example.org/ai/projects/paper-lantern/</loc>",
		"/ai/robots.txt":                     "http://tools.example.org/ai/sitemap.xml",
		"/ai/api/v1/projects?limit=1":        `"total":3`,
		"/ai/categories/speech-to-text":      "Willow Bridge",
		"/ai/api/v1/search?q=paper+lantern":  `"exact-name"`,
		"/ai/projects/paper-lantern?a=1&b=2": "Paper Lantern",
	} {
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s answers %d without %q: %v", path, response.StatusCode, want, err)
		}
	}
	response, err := http.Get(address + "/ai/api/v1/projects?limit=1")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if u, err := url.Parse(links(t, response.Header)["next"]); err != nil || u.Host != "tools.example.org" || u.Path != "/ai/api/v1/projects" {
		t.Errorf("the next page is %v: %v", u, err)
	}
}
