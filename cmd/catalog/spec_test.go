package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
)

// endpoints returns the paths of the operations.
func (s *testSite) endpoints() []string {
	return []string{api.PathProjects, api.PathProjects + "/" + s.content.Listings[0].Slug, api.PathSearch, api.PathOpenAPI}
}

// allProjects returns all pages of listProjects.
func (s *testSite) allProjects(t *testing.T) []api.Project {
	t.Helper()
	var all []api.Project
	for next := api.PathProjects + "?limit=100"; next != ""; {
		r := s.do(t, http.MethodGet, next)
		if r.status != http.StatusOK {
			t.Fatalf("%s answers %d", next, r.status)
		}
		all = append(all, projectsOf(t, r)...)
		if next = links(t, r.header)["next"]; len(all) > len(s.content.Listings) {
			t.Fatalf("%d listings and still a next page", len(all))
		}
	}
	return all
}

// projectsOf returns the listings in a response of listProjects or in a list page.
func projectsOf(t *testing.T, r reply) []api.Project {
	t.Helper()
	return decodeJSON[struct{ Projects []api.Project }](t, r.body).Projects
}

// mapStrings returns a text of each element of a list, such as its slug.
func mapStrings[T any](list []T, text func(*T) string) []string {
	all := make([]string, len(list))
	for i := range list {
		all[i] = text(&list[i])
	}
	return all
}

func projectSlug(p *api.Project) string { return p.Slug }
func hitSlug(h *api.Hit) string         { return h.Slug }

// byStars compares by the order of the list, independently of the code under test.
func byStars(a, b api.Project) int {
	stars := func(p api.Project) int {
		if p.Stars == nil {
			return -1
		}
		return *p.Stars
	}
	return cmp.Or(cmp.Compare(stars(b), stars(a)), strings.Compare(a.Slug, b.Slug))
}

// byAdded and byUpdated compare by orders of a search. A missing date is before all.
func byAdded(a, b api.Project) int {
	return cmp.Or(strings.Compare(string(b.AddedAt), string(a.AddedAt)), strings.Compare(dateText(b.CreatedAt), dateText(a.CreatedAt)), strings.Compare(a.Slug, b.Slug))
}

func byUpdated(a, b api.Project) int {
	return cmp.Or(strings.Compare(dateText(b.UpdatedAt), dateText(a.UpdatedAt)), strings.Compare(a.Slug, b.Slug))
}

func dateText(d *api.Date) string {
	if d == nil {
		return ""
	}
	return string(*d)
}

// specification checks the API against its specification, section by section.
func (s *testSite) specification(t *testing.T) {
	t.Run("what the service does", s.purpose)
	t.Run("resources", s.resources)
	t.Run("listProjects", s.listOperation)
	t.Run("getProject", s.projectOperation)
	t.Run("searchCatalog", s.searchOperation)
	t.Run("sort rules", s.sortOrders)
	t.Run("openapi", s.openAPIOperation)
	t.Run("authentication", s.authentication)
	t.Run("errors", s.errorFormat)
	t.Run("limits", s.speedLimits)
	t.Run("versioning", s.versioning)
}

func (s *testSite) purpose(t *testing.T) {
	t.Run("all operations are reads", func(t *testing.T) {
		for _, path := range s.endpoints() {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
				_, header := s.problem(t, method, path, http.StatusMethodNotAllowed, "method-not-allowed")
				if header.Get("Allow") != "GET, HEAD, OPTIONS" {
					t.Errorf("%s %s allows %q", method, path, header.Get("Allow"))
				}
			}
		}
	})
	t.Run("a listing links onward to its page and its repository", func(t *testing.T) {
		for _, p := range s.allProjects(t)[:20] {
			if page := s.do(t, http.MethodGet, p.PageURL); page.status != http.StatusOK || !strings.Contains(page.body, `href="`+p.RepositoryURL+`"`) {
				t.Errorf("the page %s answers %d, or does not link to %s", p.PageURL, page.status, p.RepositoryURL)
			}
		}
	})
	guide := s.do(t, http.MethodGet, "/llms.txt")
	t.Run("a guidance file for agents is plain text", func(t *testing.T) {
		if guide.status != http.StatusOK || guide.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("llms.txt answers %d as %s", guide.status, guide.header.Get("Content-Type"))
		}
	})
	t.Run("the guidance tells the intended usage", func(t *testing.T) {
		for _, want := range []string{
			"1. Call " + s.base + "/api/v1/search with the user's job and hardware constraints.",
			"2. Return 3 to 5 fits with `pageUrl` and licence/RAM facts.",
			"3. Use " + s.base + "/api/v1/projects/{slug} for one listing.",
			"never invent install steps", "Stars measure attention, not quality", "search_catalog", s.settings.SandboxKey,
		} {
			if !strings.Contains(guide.body, want) {
				t.Errorf("llms.txt does not say %q", want)
			}
		}
	})
	t.Run("the intended usage leads to a fit", func(t *testing.T) {
		fits := s.search(t, "q", "transcribe meetings", "gpu", "0", "limit", "5").Hits
		if len(fits) < 3 {
			t.Fatalf("only %d fits are found", len(fits))
		}
		for _, hit := range fits {
			p := getJSON[api.ProjectDetail](t, s, api.PathProjects+"/"+hit.Slug)
			if asJSON(p.Project.HitProject()) != asJSON(hit.HitProject) {
				t.Errorf("the hit and the project differ: %s, %s", asJSON(hit.HitProject), asJSON(p.Project.HitProject()))
			}
			if page := s.do(t, http.MethodGet, hit.PageURL); page.status != http.StatusOK {
				t.Errorf("the page of a fit, %s, answers %d", hit.PageURL, page.status)
			}
		}
	})
	t.Run("anonymous use is allowed and the key is optional", func(t *testing.T) {
		for _, path := range s.endpoints() {
			anonymous, keyed := s.do(t, http.MethodGet, path), s.do(t, http.MethodGet, path, "X-Api-Key", s.settings.SandboxKey)
			if anonymous.status != http.StatusOK || keyed.status != http.StatusOK || anonymous.body != keyed.body {
				t.Errorf("%s answers %d without a key and %d with it, or the answers differ", path, anonymous.status, keyed.status)
			}
		}
	})
	t.Run("pages offer search_catalog", func(t *testing.T) {
		// checkInBrowser calls the tool.
		page := s.do(t, http.MethodGet, "/").body
		_, after, _ := strings.Cut(page, `<script src="`)
		script, _, _ := strings.Cut(after, `"`)
		code := s.do(t, http.MethodGet, script)
		module := regexp.MustCompile(`[^"]*/assets/agents-\w+\.js`).FindString(code.body)
		if code := s.do(t, http.MethodGet, module); code.status != http.StatusOK || !strings.Contains(code.body, "registerTool") || !strings.Contains(code.body, `"search_catalog"`) {
			t.Errorf("the module %q of the script %q registers no search_catalog", module, script)
		}
	})
}

func (s *testSite) resources(t *testing.T) {
	listed := s.allProjects(t)
	t.Run("every listing has slug, stars or null, pageUrl, repositoryUrl, fit notes and install links", func(t *testing.T) {
		withStars, without := 0, 0
		for _, p := range listed {
			raw := decodeJSON[map[string]json.RawMessage](t, s.do(t, http.MethodGet, api.PathProjects+"/"+p.Slug).body)
			for _, field := range []string{"slug", "stars", "pageUrl", "repositoryUrl", "fitNotes", "installLinks"} {
				if raw[field] == nil {
					t.Errorf("%s lacks %s", p.Slug, field)
				}
			}
			if string(raw["stars"]) == "null" {
				without++
			} else {
				withStars++
			}
			if p.PageURL != s.base+"/projects/"+p.Slug+"/" || !strings.HasPrefix(p.RepositoryURL, "https://") {
				t.Errorf("%s leads to %s and %s", p.Slug, p.PageURL, p.RepositoryURL)
			}
		}
		if withStars < 30 || without < 3 {
			t.Errorf("%d listings with stars and %d without show little", withStars, without)
		}
	})
	t.Run("the facets are category, platform, license, docker and beginner", func(t *testing.T) {
		for parameter, value := range map[string]string{
			"category": listed[0].Category, "platform": "linux", "license": "MIT", "docker": "1", "beginner": "1",
		} {
			if n := s.search(t, parameter, value).Total; n == 0 || n >= len(listed) {
				t.Errorf("%s=%s lets %d of %d listings through", parameter, value, n, len(listed))
			}
		}
	})
}

func (s *testSite) listOperation(t *testing.T) {
	listed := s.allProjects(t)
	t.Run("order is stars, most first, null last, ties by slug", func(t *testing.T) {
		if !slices.IsSortedFunc(listed, byStars) {
			t.Error("the listings are in another order")
		}
		if listed[0].Stars == nil || listed[len(listed)-1].Stars != nil {
			t.Error("listings without star data are not last, or there are none")
		}
	})
	t.Run("paging by next gives every listing once", func(t *testing.T) {
		got := mapStrings(listed, projectSlug)
		slices.Sort(got)
		var want []string
		for _, l := range s.content.Listings { // ordered by slug
			want = append(want, l.Slug)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d listings are listed, and there are %d", len(got), len(want))
		}
	})
	type list struct {
		Projects             []api.Project
		Total, Limit, Offset int
	}
	for _, test := range []struct {
		name, query   string
		limit, offset int
	}{
		{"default limit is 50 and default offset 0", "", 50, 0},
		{"limit 1 is allowed", "?limit=1", 1, 0},
		{"limit 100 is allowed", "?limit=100", 100, 0},
		{"offset is allowed", "?limit=3&offset=7", 3, 7},
		{"offset 0 is allowed", "?offset=0", 50, 0},
		{"the last page is short", fmt.Sprintf("?limit=50&offset=%d", len(listed)-2), 50, len(listed) - 2},
		{"past the end is empty", fmt.Sprintf("?offset=%d", len(listed)), 50, len(listed)},
		{"far past the end is empty", "?offset=999999999", 50, 999999999},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := getJSON[list](t, s, api.PathProjects+test.query)
			if got.Total != len(listed) || got.Limit != test.limit || got.Offset != test.offset {
				t.Errorf("total, limit and offset are %d, %d and %d", got.Total, got.Limit, got.Offset)
			}
			from := min(test.offset, len(listed))
			want := listed[from:min(from+test.limit, len(listed))]
			if !slices.Equal(mapStrings(got.Projects, projectSlug), mapStrings(want, projectSlug)) {
				t.Errorf("the listings are %v, want %v", mapStrings(got.Projects, projectSlug), mapStrings(want, projectSlug))
			}
		})
	}
	for _, query := range []string{"limit=0", "limit=101", "limit=-1", "limit=ten", "limit=", "limit=1.5", "offset=-1", "offset=x", "limit=99999999999999999999"} {
		t.Run("out of bounds "+query, func(t *testing.T) {
			p, _ := s.problem(t, http.MethodGet, api.PathProjects+"?"+query, http.StatusBadRequest, "invalid-parameter")
			name, _, _ := strings.Cut(query, "=")
			if len(p.Errors) != 1 || p.Errors[0].Parameter != name || !strings.Contains(p.Errors[0].Message, "a whole number") {
				t.Errorf("the errors are %+v", p.Errors)
			}
		})
	}
}

func (s *testSite) projectOperation(t *testing.T) {
	t.Run("every listing is answered 200, as its content says", func(t *testing.T) {
		for _, l := range s.content.Listings {
			got := getJSON[api.ProjectDetail](t, s, api.PathProjects+"/"+l.Slug)
			want := l.Normalized()
			want.Similar = got.Similar // not part of the content
			if asJSON(got) != asJSON(want) {
				t.Errorf("%s is\n%s, want\n%s", l.Slug, asJSON(got), asJSON(want))
			}
		}
	})
	t.Run("an unknown slug is answered 404", func(t *testing.T) {
		known := s.content.Listings[0].Slug
		for _, slug := range []string{"no-such-project", known + "x", strings.ToUpper(known), "index", "..", "%00", known + "%2F", strings.Repeat("a", 500)} {
			s.problem(t, http.MethodGet, api.PathProjects+"/"+slug, http.StatusNotFound, "unknown-project")
		}
	})
}

func (s *testSite) searchOperation(t *testing.T) {
	firstHit := func(t *testing.T, q string) api.Hit {
		t.Helper()
		hits := s.search(t, "q", q).Hits
		if len(hits) == 0 {
			t.Fatalf("%q finds nothing", q)
		}
		return hits[0]
	}
	t.Run("q is a job", func(t *testing.T) {
		if hit := firstHit(t, "run a language model on my laptop"); hit.Category != "local-runtimes" {
			t.Errorf("the first hit is %s of %s", hit.Slug, hit.Category)
		}
	})
	t.Run("q is a tool name", func(t *testing.T) {
		l := s.known(t, "comfyui")
		if hit := firstHit(t, l.Name); hit.Slug != l.Slug || *hit.Match.Tier != api.TierExactName {
			t.Errorf("the first hit is %s by %s", hit.Slug, *hit.Match.Tier)
		}
	})
	t.Run("q is a proprietary product name", func(t *testing.T) {
		replaced := map[string]int{}
		for _, l := range s.content.Listings {
			for _, name := range l.Replaces {
				replaced[name]++
			}
		}
		if len(replaced) < 10 {
			t.Fatalf("only %d products are replaced", len(replaced))
		}
		for name := range replaced {
			answer := s.search(t, "q", name, "limit", "50")
			if answer.Query["q"] == nil {
				t.Errorf("%q is not searched for: %+v", name, answer.Warnings)
				continue
			}
			// Tools whose names match come first, then those that replace the product, then
			// those that only mention it.
			found := 0
			for i, hit := range answer.Hits {
				if slices.Contains(hit.Replaces, name) {
					found++
				} else if tier := *hit.Match.Tier; tier != api.TierExactName && tier != api.TierName && found < min(replaced[name], 50) {
					t.Errorf("%s: hit %d, %s, is above one that replaces it", name, i+1, hit.Slug)
					break
				}
			}
			if found < min(replaced[name], 20) {
				t.Errorf("%s is replaced by %d listings, and %d of them are found", name, replaced[name], found)
			}
		}
	})
	for _, test := range []struct {
		parameter, value string
		matches          func(*api.Project) bool
	}{
		{"category", "speech-to-text", func(p *api.Project) bool { return p.Category == "speech-to-text" }},
		{"platform", "android", func(p *api.Project) bool { return slices.Contains(p.Platforms, "android") }},
		{"license", "GPL-3.0-only", func(p *api.Project) bool { return p.License != nil && *p.License == "GPL-3.0-only" }},
		{"docker", "1", func(p *api.Project) bool { return p.FitNotes.Get("docker") == true }},
		{"docker", "0", func(p *api.Project) bool { return p.FitNotes.Get("docker") == false }},
		{"beginner", "1", func(p *api.Project) bool { return p.FitNotes.Get("beginner") == true }},
		{"beginner", "0", func(p *api.Project) bool { return p.FitNotes.Get("beginner") == false }},
		{"selfHosted", "1", func(p *api.Project) bool { return p.FitNotes.Get("selfHosted") == true }},
		{"gpu", "0", func(p *api.Project) bool {
			return slices.Contains([]any{"none", "optional"}, p.FitNotes.Get("gpu"))
		}},
		{"gpu", "1", func(p *api.Project) bool {
			return slices.Contains([]any{"optional", "required"}, p.FitNotes.Get("gpu"))
		}},
	} {
		t.Run("filter "+test.parameter+"="+test.value, func(t *testing.T) {
			var want []api.Project
			for _, l := range s.content.Listings {
				if test.matches(&l.Project) {
					want = append(want, l.Project)
				}
			}
			if len(want) == 0 {
				t.Fatal("no listing shows the filter")
			}
			slices.SortFunc(want, byStars)
			answer := s.search(t, test.parameter, test.value, "limit", "50")
			if answer.Total != len(want) {
				t.Errorf("%d listings match, want %d", answer.Total, len(want))
			}
			if got := mapStrings(answer.Hits, hitSlug); !slices.Equal(got, mapStrings(want[:min(50, len(want))], projectSlug)) {
				t.Errorf("the hits are %v", got)
			}
		})
	}
	for _, parameter := range []string{"docker", "beginner", "gpu", "selfHosted"} {
		for _, value := range []string{"2", "true", "", "01", "1,0"} {
			t.Run("0 or 1 "+parameter+"="+value, func(t *testing.T) {
				p, _ := s.problem(t, http.MethodGet, searchPath(parameter, value), http.StatusBadRequest, "invalid-parameter")
				if len(p.Errors) != 1 || !slices.Equal(p.Errors[0].Allowed, []string{"0", "1"}) {
					t.Errorf("the errors are %+v", p.Errors)
				}
			})
		}
	}
	t.Run("default limit is 10", func(t *testing.T) {
		for _, path := range []string{api.PathSearch, searchPath("q", "model")} {
			if answer := getJSON[api.SearchResponse](t, s, path); len(answer.Hits) != 10 || answer.Query["limit"] != 10.0 || answer.Total <= 10 {
				t.Errorf("%s has %d of %d hits with limit %v", path, len(answer.Hits), answer.Total, answer.Query["limit"])
			}
		}
	})
	for _, limit := range []int{1, 50} {
		t.Run(fmt.Sprintf("limit %d is allowed", limit), func(t *testing.T) {
			if n := len(s.search(t, "limit", strconv.Itoa(limit)).Hits); n != limit {
				t.Errorf("%d hits are answered", n)
			}
		})
	}
	for _, limit := range []string{"0", "51", "-1", "x", ""} {
		t.Run("limit out of bounds "+limit, func(t *testing.T) {
			p, _ := s.problem(t, http.MethodGet, searchPath("limit", limit), http.StatusBadRequest, "invalid-parameter")
			if len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, "a whole number from 1 to 50 is allowed") {
				t.Errorf("the errors are %+v", p.Errors)
			}
		})
	}
	t.Run("gpu and selfHosted are served, named in llms.txt, and left out of the description", func(t *testing.T) {
		guide := s.do(t, http.MethodGet, "/llms.txt").body
		described := s.do(t, http.MethodGet, api.PathOpenAPI).body
		for _, name := range []string{"gpu", "selfHosted"} {
			if s.search(t, name, "1").Total == len(s.content.Listings) {
				t.Errorf("%s filters nothing", name)
			}
			if !strings.Contains(guide, "\n- `"+name+"`: ") {
				t.Errorf("llms.txt does not name %s", name)
			}
			if strings.Contains(described, `"name":"`+name+`"`) {
				t.Errorf("the description has a parameter %s", name)
			}
		}
		for _, name := range []string{"q", "category", "platform", "license", "docker", "beginner", "sort", "limit"} {
			if !strings.Contains(described, `"name":"`+name+`"`) || !strings.Contains(guide, "\n- `"+name+"`: ") {
				t.Errorf("%s is not described, or not in llms.txt", name)
			}
		}
	})
}

func (s *testSite) sortOrders(t *testing.T) {
	tiers := map[string]int{}
	for i, tier := range api.Tiers {
		tiers[tier] = i
	}
	t.Run("1 with q and without sort, best match; exact names, then names, purpose, description", func(t *testing.T) {
		seen := map[string]bool{}
		for _, q := range []string{"whisper", "agent", "translate", "speech recognition", "llm", "open webui", "image generation", "chatgpt", "vector database", "ollama"} {
			answer := s.search(t, "q", q, "limit", "50")
			if answer.Sort.Applied != api.SortRelevance || answer.Sort.Requested != nil {
				t.Errorf("%q: the sort is %+v", q, answer.Sort)
			}
			before, partial := 0, false
			for i, hit := range answer.Hits {
				rank := tiers[*hit.Match.Tier]
				if hit.Match.Partial {
					if !partial {
						partial, before = true, 0
					}
				} else if partial {
					t.Errorf("%q: hit %d, %s, matches in full and is below one that does not", q, i+1, hit.Slug)
				}
				if rank < before && !hit.Match.Partial { // partial matches are ordered by weight before tier
					t.Errorf("%q: hit %d, %s, is of tier %s and below %s", q, i+1, hit.Slug, *hit.Match.Tier, api.Tiers[before])
				}
				before = rank
				seen[*hit.Match.Tier] = true
			}
		}
		if len(seen) != len(api.Tiers) {
			t.Errorf("only the tiers %v were seen", seen)
		}
	})
	t.Run("1 every listing's exact name puts it first", func(t *testing.T) {
		for _, l := range s.content.Listings {
			for _, q := range []string{l.Name, "  " + strings.ToUpper(l.Name) + " "} {
				answer := s.search(t, "q", q, "limit", "1")
				if len(answer.Hits) == 0 || answer.Hits[0].Slug != l.Slug || *answer.Hits[0].Match.Tier != api.TierExactName {
					t.Errorf("%q finds %s", q, asJSON(answer.Hits))
				}
			}
		}
	})
	t.Run("2 without q and sort, popular", func(t *testing.T) {
		answer := s.search(t, "limit", "50")
		if answer.Sort.Applied != api.SortPopular || answer.Sort.Requested != nil {
			t.Errorf("the sort is %+v", answer.Sort)
		}
		listed := s.allProjects(t)
		if !slices.Equal(mapStrings(answer.Hits, hitSlug), mapStrings(listed[:50], projectSlug)) {
			t.Error("the order is not that of listProjects")
		}
	})
	t.Run("3 trending is deprecated and served exactly as popular", func(t *testing.T) {
		for _, q := range []string{"", "agent", "translate documents"} {
			trending, popular := s.search(t, "q", q, "sort", "trending"), s.search(t, "q", q, "sort", "popular")
			if asJSON(trending.Hits) != asJSON(popular.Hits) || trending.Total != popular.Total || asJSON(trending.Facets) != asJSON(popular.Facets) {
				t.Errorf("%q: trending and popular differ", q)
			}
			if trending.Sort.Applied != api.SortPopular || !trending.Sort.Deprecated || *trending.Sort.Requested != api.SortTrending || popular.Sort.Deprecated {
				t.Errorf("%q: the sorts are %+v and %+v", q, trending.Sort, popular.Sort)
			}
			if !warned(trending, api.WarnDeprecatedSort) || warned(popular, api.WarnDeprecatedSort) {
				t.Errorf("%q: the warnings are %+v and %+v", q, trending.Warnings, popular.Warnings)
			}
		}
	})
	for _, order := range []struct {
		rule, sort string
		compare    func(a, b api.Project) int
		known      func(api.Project) bool // false for listings that come last
	}{
		{"4 popular", api.SortPopular, byStars, func(p api.Project) bool { return p.Stars != nil }},
		{"5 newest", api.SortNewest, byAdded, func(api.Project) bool { return true }},
		{"5 recently-updated", api.SortRecentlyUpdated, byUpdated, func(p api.Project) bool { return p.UpdatedAt != nil }},
	} {
		t.Run(order.rule, func(t *testing.T) {
			// A search has no offset, so check the order within each category, and the first
			// hits overall.
			for _, category := range append([]string{""}, s.parameter(t, "category").Allowed...) {
				var want []api.Project
				for _, l := range s.content.Listings {
					if category == "" || l.Category == category {
						want = append(want, l.Project)
					}
				}
				slices.SortFunc(want, order.compare)
				answer := s.search(t, "category", category, "sort", order.sort, "limit", "50")
				if answer.Sort.Applied != order.sort || *answer.Sort.Requested != order.sort {
					t.Errorf("the sort is %+v", answer.Sort)
				}
				if got := mapStrings(answer.Hits, hitSlug); !slices.Equal(got, mapStrings(want[:min(50, len(want))], projectSlug)) {
					t.Errorf("%s: the order is %v", category, got)
				}
			}
			// With q, the same order applies to the matches.
			answer := s.search(t, "q", "agent", "sort", order.sort, "limit", "50")
			if answer.Total < 10 {
				t.Fatalf("%d matches show little", answer.Total)
			}
			for i := range answer.Hits[1:] {
				a, b := s.listing(t, answer.Hits[i].Slug), s.listing(t, answer.Hits[i+1].Slug)
				if order.compare(a, b) >= 0 {
					t.Errorf("%s is before %s", a.Slug, b.Slug)
				}
			}
		})
	}
	t.Run("4 listings without star data come last", func(t *testing.T) {
		for _, c := range s.content.Taxonomy.Categories {
			hits := s.search(t, "category", c.Slug, "sort", api.SortPopular, "limit", "50").Hits
			unknown := false
			for _, h := range hits {
				if unknown && h.Stars != nil {
					t.Errorf("%s: %s is below one without star data", c.Slug, h.Slug)
				}
				unknown = unknown || h.Stars == nil
			}
		}
	})
	t.Run("unknown sort", func(t *testing.T) {
		p, _ := s.problem(t, http.MethodGet, searchPath("sort", "best"), http.StatusBadRequest, "invalid-parameter")
		if len(p.Errors) != 1 || !slices.Equal(p.Errors[0].Allowed, []string{"relevance", "popular", "newest", "recently-updated", "trending"}) {
			t.Errorf("the errors are %+v", p.Errors)
		}
	})
}

// listing returns a listing of the content by slug.
func (s *testSite) listing(t *testing.T, slug string) api.Project {
	t.Helper()
	for _, l := range s.content.Listings {
		if l.Slug == slug {
			return l.Project
		}
	}
	t.Fatalf("%s is in an answer and not in the content", slug)
	return api.Project{}
}

func warned(answer api.SearchResponse, code string) bool {
	return slices.ContainsFunc(answer.Warnings, func(w api.Warning) bool { return w.Code == code })
}

func (s *testSite) openAPIOperation(t *testing.T) {
	r := s.do(t, http.MethodGet, api.PathOpenAPI)
	document := decodeJSON[struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Servers []struct{ URL string }
		Key     string `json:"x-sandbox-key"`
		Paths   map[string]struct{ Get struct{ OperationID string } }
	}](t, r.body)
	for _, check := range []struct{ name, got, want string }{
		{"OpenAPI 3.1", document.OpenAPI[:4], "3.1."},
		{"title", document.Info.Title, "Catalog API"},
		{"interface version", document.Info.Version, "1.0.0"},
		{"server address", document.Servers[0].URL, s.base},
		{"sandbox key", document.Key, s.settings.SandboxKey},
		{"listProjects", document.Paths["/api/v1/projects"].Get.OperationID, "listProjects"},
		{"getProject", document.Paths["/api/v1/projects/{slug}"].Get.OperationID, "getProject"},
		{"searchCatalog", document.Paths["/api/v1/search"].Get.OperationID, "searchCatalog"},
		{"content type", r.header.Get("Content-Type"), "application/json"},
	} {
		t.Run(check.name, func(t *testing.T) {
			if check.got != check.want {
				t.Errorf("%q, want %q", check.got, check.want)
			}
		})
	}
}

func (s *testSite) authentication(t *testing.T) {
	key := s.settings.SandboxKey
	for _, test := range []struct {
		name    string
		headers []string
		policy  string
	}{
		{"anonymous: no credentials", nil, `"anonymous";q=120;w=60`},
		{"sandbox key as a bearer token", []string{"Authorization", "Bearer " + key}, `"sandbox";q=600;w=60`},
		{"sandbox key in X-Api-Key", []string{"X-Api-Key", key}, `"sandbox";q=600;w=60`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, path := range s.endpoints() {
				r := s.do(t, http.MethodGet, path, test.headers...)
				if r.status != http.StatusOK || r.header.Get("RateLimit-Policy") != test.policy {
					t.Errorf("%s answers %d under the policy %s", path, r.status, r.header.Get("RateLimit-Policy"))
				}
			}
		})
	}
	t.Run("rule 2: an unknown key is answered 401", func(t *testing.T) {
		for _, headers := range [][]string{
			{"Authorization", "Bearer nosuch"}, {"X-Api-Key", "nosuch"}, {"X-Api-Key", key + "x"}, {"X-Api-Key", strings.ToUpper(key)},
			{"Authorization", "Bearer nosuch", "X-Api-Key", key}, {"Authorization", "Bearer " + key, "X-Api-Key", "nosuch"},
		} {
			for _, path := range s.endpoints() {
				if _, header := s.problem(t, http.MethodGet, path, http.StatusUnauthorized, "unknown-key", headers...); header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%v: WWW-Authenticate is %q", headers, header.Get("WWW-Authenticate"))
				}
			}
		}
	})
	t.Run("rule 3: the sandbox key is public and documented", func(t *testing.T) {
		for _, path := range []string{"/llms.txt", "/docs/", api.PathOpenAPI} {
			if !strings.Contains(s.do(t, http.MethodGet, path).body, key) {
				t.Errorf("%s does not name the key", path)
			}
		}
	})
	t.Run("rule 5: with the key, rate-limit headers are returned", func(t *testing.T) {
		if left := s.do(t, http.MethodGet, api.PathProjects, "X-Api-Key", key).header.Get("RateLimit"); !strings.HasPrefix(left, `"sandbox";r=`) {
			t.Errorf("RateLimit is %q", left)
		}
	})
}

func (s *testSite) errorFormat(t *testing.T) {
	t.Run("401 for an unknown key", func(t *testing.T) {
		s.problem(t, http.MethodGet, api.PathProjects, http.StatusUnauthorized, "unknown-key", "X-Api-Key", "nosuch")
	})
	t.Run("404 for an unknown slug", func(t *testing.T) {
		s.problem(t, http.MethodGet, api.PathProjects+"/nosuch", http.StatusNotFound, "unknown-project")
	})
}

// withStoppedClock returns a copy of the site with a server of its own whose clock only
// the test advances, so that rate limits can be reached.
func (s *testSite) withStoppedClock(t *testing.T) (*testSite, *stoppedClock) {
	t.Helper()
	clock := &stoppedClock{current: time.Now()}
	return s.withHandler(t, s.server(t, clock.now).Handler()), clock
}

func (s *testSite) speedLimits(t *testing.T) {
	for _, test := range []struct {
		scope   string
		limit   int
		headers []string
	}{
		{"anonymous requests: 120 per minute", 120, nil},
		{"requests with the sandbox key: 600 per minute", 600, []string{"X-Api-Key", s.settings.SandboxKey}},
	} {
		t.Run(test.scope, func(t *testing.T) {
			f, clock := s.withStoppedClock(t)
			paths := f.endpoints()
			for i := range test.limit {
				r := f.do(t, http.MethodGet, paths[1], test.headers...)
				if want := fmt.Sprintf(";r=%d;", test.limit-1-i); r.status != http.StatusOK || !strings.Contains(r.header.Get("RateLimit"), want) {
					t.Fatalf("request %d is answered %d, RateLimit %s, want %s", i+1, r.status, r.header.Get("RateLimit"), want)
				}
			}
			for _, path := range paths {
				_, header := f.problem(t, http.MethodGet, path, http.StatusTooManyRequests, "rate-limited", test.headers...)
				if header.Get("Retry-After") != "60" || !strings.Contains(header.Get("RateLimit"), ";r=0;t=60") {
					t.Errorf("%s: Retry-After is %s, RateLimit is %s", path, header.Get("Retry-After"), header.Get("RateLimit"))
				}
			}
			// Pages do not count. An unknown key is answered 401, not 429.
			if r := f.do(t, http.MethodGet, "/"); r.status != http.StatusOK {
				t.Errorf("the home page answers %d", r.status)
			}
			f.problem(t, http.MethodGet, paths[1], http.StatusUnauthorized, "unknown-key", "X-Api-Key", "nosuch")
			clock.advance(59 * time.Second)
			f.problem(t, http.MethodGet, paths[1], http.StatusTooManyRequests, "rate-limited", test.headers...)
			clock.advance(time.Second)
			if r := f.do(t, http.MethodGet, paths[1], test.headers...); r.status != http.StatusOK {
				t.Errorf("after a minute the answer is %d", r.status)
			}
		})
	}
	// Sections 4.1 and 4.3 check the bounds of limit and offset.
}

func (s *testSite) versioning(t *testing.T) {
	t.Run("the version is in the path", func(t *testing.T) {
		for _, path := range s.endpoints() {
			if !strings.HasPrefix(path, "/api/v1") {
				t.Errorf("%s", path)
			}
			for _, other := range []string{"/api/v2", "/api"} {
				s.problem(t, http.MethodGet, strings.Replace(path, "/api/v1", other, 1), http.StatusNotFound, "unknown-endpoint")
			}
		}
	})
	t.Run("one deprecation is in force", func(t *testing.T) {
		if text := s.do(t, http.MethodGet, api.PathOpenAPI).body; !strings.Contains(text, "trending is deprecated and served exactly as popular") {
			t.Error("the description does not say that trending is deprecated")
		}
	})
}
