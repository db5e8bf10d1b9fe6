package tokens

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/hardware"
	"catalog.example/cmd/bench/shipped"
)

// The page for agents shows what is measured. Every judged listing exists.
func TestAgents(t *testing.T) {
	var out bytes.Buffer
	const judged = "../../../api/search/testdata/requests.jsonl"
	if err := runAgents(t.Context(), "../../../content", judged, false, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../content/pages/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out.String(), "\n\n")
	if !same(string(page), table) {
		t.Errorf("agents.md does not show what is measured; put this table there (make bench-agents):\n%s", table)
	}
	requests, err := readRequests(judged)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := shipped.Content(t.Context(), "../../../content")
	if err != nil {
		t.Fatal(err)
	}
	slugs := map[string]bool{}
	for _, l := range loaded.Listings {
		slugs[l.Slug] = true
	}
	kept := 0
	for i := range requests {
		r := &requests[i]
		for _, slug := range slices.Concat(r.Right, r.CannotRun, r.Others) {
			if !slugs[slug] {
				t.Errorf("%s: there is no listing %s", r.ID, slug)
			}
		}
		if r.Part == "held-out" {
			kept++
		}
	}
	if len(requests) != 60 || kept != 30 {
		t.Errorf("%d requests, %d kept aside", len(requests), kept)
	}
}

// A request is served by three right listings. It misleads only by a listing that is said to fit.
func TestResult(t *testing.T) {
	fits, likely := handed{Slug: "c"}, handed{Slug: "c"}
	fits.Fit.Verdict, likely.Fit.Verdict = hardware.Fits, hardware.Likely
	r := request{Right: []string{"a", "b", "d"}, CannotRun: []string{"c"}, Others: []string{"e"}}
	var got result
	got.add(&r, []handed{{Slug: "a"}, {Slug: "b"}, {Slug: "d"}, likely}, 400)
	got.add(&r, []handed{{Slug: "a"}, {Slug: "b"}, fits, {Slug: "e"}, {Slug: "x"}}, 4)
	if got.requests != 2 || got.served != 1 || got.misled != 1 || got.right != 5 || got.all != 9 || got.unjudged != 1 || !slices.Equal(got.tokens, []int{100, 1}) {
		t.Errorf("%+v", got)
	}
}
