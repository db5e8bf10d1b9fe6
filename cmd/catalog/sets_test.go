package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// checkSets compares the page of each set with the search that it is defined by: what fits, or likely
// fits, and is neither archived nor dormant.
func (s *testSite) checkSets(t *testing.T) {
	if len(s.content.Sets) < 10 {
		t.Errorf("there are %d sets", len(s.content.Sets))
	}
	for _, set := range s.content.Sets {
		var want []string
		for offset, total := 0, 1; offset < total; offset += 50 {
			answer := getJSON[api.SearchResponse](t, s, api.PathSearch+"?"+set.Search+"&facets=0&limit=50&offset="+strconv.Itoa(offset))
			total = answer.Total
			for i := range answer.Hits {
				h := &answer.Hits[i]
				runs := h.Fit == nil || h.Fit.Verdict == hardware.Fits || h.Fit.Verdict == hardware.Likely
				if h.Stopped() == "" && runs {
					want = append(want, h.Slug)
				}
			}
		}
		var got []string
		text := readText(t, filepath.Join(s.public, "sets", set.Slug, "index.html.md"))
		for _, m := range regexp.MustCompile(`/projects/([a-z0-9-]+)/\)`).FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		slices.Sort(want)
		slices.Sort(got)
		// The first page of a long list has 100.
		isPart := len(got) == 100 && !slices.ContainsFunc(got, func(slug string) bool { return !slices.Contains(want, slug) })
		if !isPart && !slices.Equal(got, want) || len(got) < 5 {
			t.Errorf("%s: the page has %d listings, and %s finds %d", set.Slug, len(got), set.Search, len(want))
		}
	}
}
