package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/cmd/bench/peer"
)

// speedFacets are the facets of speedListings.
var speedFacets = []peer.Facet{{Name: "category", Single: true}, {Name: "platform"}, {Name: "license"}, {Name: "docker", Single: true}}

func speedListings() []peer.SpeedListing {
	var list []peer.SpeedListing
	for i, d := range testDocuments() {
		platforms := []string{"linux", "web"}[:1+i%2]
		docker := []string{fmt.Sprint(i % 2)}
		list = append(list, peer.SpeedListing{
			Document: d, JSON: `{"slug":"` + d.Slug + `"}`,
			Facets: map[string][]string{"category": {"chat"}, "platform": platforms, "docker": docker, "license": {"MIT"}},
		})
	}
	return list
}

// speedSettings are plain settings without prefixes.
func speedSettings(set map[string]float64) map[string]float64 {
	m := plain()
	m["prefix"], m["facets"] = 0, 1
	for k, v := range set {
		m[k] = v
	}
	return m
}

// Both engines give the same answers: hits, totals and facets, with filters and
// without.
func TestSpeedAnswers(t *testing.T) {
	type answer struct {
		Total  int
		Hits   []struct{ Slug string }
		Facets map[string][]facetCount
	}
	all := map[string][]string{"docker": {"1"}, "platform": {"web", "linux"}, "category": {"chat"}, "license": {"MIT"}}
	tests := []struct {
		name  string
		q     peer.SpeedQuery
		set   map[string]float64
		limit int
		want  []string // slugs, in any order
		total int
		web   int // count of the platform
	}{
		{"one word", peer.SpeedQuery{Q: "whisper"}, nil, 10, []string{"whisper"}, 1, 0},
		{"any of two", peer.SpeedQuery{Q: "whisper chat"}, nil, 10, []string{"webui", "whisper"}, 2, 1},
		{"all of two", peer.SpeedQuery{Q: "whisper chat"}, map[string]float64{"all": 1}, 10, nil, 0, 0},
		{"all, in different fields", peer.SpeedQuery{Q: "whisper transcribe"}, map[string]float64{"all": 1}, 10, []string{"whisper"}, 1, 0},
		{"filtered", peer.SpeedQuery{Q: "whisper chat", Filters: all}, nil, 10, []string{"webui"}, 1, 1},
		{"filtered away", peer.SpeedQuery{Q: "whisper", Filters: map[string][]string{"category": {"none"}}}, nil, 10, nil, 0, 0},
		{"no words", peer.SpeedQuery{Filters: map[string][]string{"docker": {"0"}}}, nil, 10, []string{"popular", "whisper"}, 2, 0},
		{"nothing asked", peer.SpeedQuery{}, nil, 10, []string{"popular", "webui", "whisper"}, 3, 1},
		{"limit", peer.SpeedQuery{Q: "transcribe"}, nil, 1, []string{"whisper"}, 2, 0},
	}
	for _, name := range []string{"fts5", "bleve"} {
		e, err := openSpeed(name, t.TempDir(), speedFacets)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		if err := e.add(speedListings()); err != nil {
			t.Fatal(err)
		}
		if err := e.finish(); err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			for _, facets := range []float64{0, 1} {
				settings := speedSettings(test.set)
				settings["facets"] = facets
				body, total, hits, err := e.answer(test.q, settings, test.limit)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, test.name, err)
				}
				var got answer
				if err := json.Unmarshal(body, &got); err != nil {
					t.Fatalf("%s, %s: %v", name, test.name, err)
				}
				var slugs []string
				for _, h := range got.Hits {
					slugs = append(slugs, h.Slug)
				}
				slices.Sort(slugs)
				if !slices.Equal(slugs, test.want) || hits != len(test.want) {
					t.Errorf("%s, %s: hits %v (%d), want %v", name, test.name, slugs, hits, test.want)
				}
				if facets == 0 {
					if got.Facets != nil {
						t.Errorf("%s, %s: facets although none were asked for", name, test.name)
					}
					continue
				}
				web := 0
				for _, v := range got.Facets["platform"] {
					if v.Value == "web" {
						web = v.Count
					}
				}
				if total != test.total || got.Total != test.total || web != test.web {
					t.Errorf("%s, %s: total %d and %d of web, want %d and %d", name, test.name, total, web, test.total, test.web)
				}
			}
		}
	}
}

func TestSpeed(t *testing.T) {
	list := speedListings()
	ask := func(budget time.Duration, texts ...string) peer.SpeedMessage {
		r := peer.SpeedRequest{Settings: speedSettings(nil), Limit: 10, Budget: budget}
		for _, q := range texts {
			r.Queries = append(r.Queries, peer.SpeedQuery{Q: q})
		}
		return peer.SpeedMessage{Ask: &r}
	}
	for _, name := range []string{"fts5", "bleve"} {
		var in, out strings.Builder
		lines := json.NewEncoder(&in)
		for _, m := range []peer.SpeedMessage{
			{Facets: speedFacets}, {Listings: list[:1]}, {Listings: list[1:]}, {Finish: true},
			ask(time.Minute, "the whisper", "unheard", "transcribe"), ask(0, "whisper", "whisper"),
		} {
			if err := lines.Encode(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := Speed([]string{name, t.TempDir()}, strings.NewReader(in.String()), &out); err != nil {
			t.Fatal(err)
		}
		var replies []peer.SpeedReply
		for d := json.NewDecoder(strings.NewReader(out.String())); d.More(); {
			var r peer.SpeedReply
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if r.Error != "" {
				t.Errorf("%s: %s", name, r.Error)
			}
			replies = append(replies, r)
		}
		if len(replies) != 6 {
			t.Fatalf("%s: %d replies to 6 messages", name, len(replies))
		}
		replies = replies[1:]
		if replies[0].Elapsed <= 0 || replies[2].Bytes < 1000 {
			t.Errorf("%s: added in %v, %d bytes", name, replies[0].Elapsed, replies[2].Bytes)
		}
		if r := replies[3]; !slices.Equal(r.Totals, []int{1, 0, 2}) || len(r.Took) != 3 || r.Hits != 3 {
			t.Errorf("%s: %+v, want the totals 1, 0, 2", name, r)
		}
		if r := replies[4]; len(r.Took) != 1 {
			t.Errorf("%s: %d queries without a budget, want it to end after the first", name, len(r.Took))
		}
	}
	for _, arguments := range [][]string{{"fts5"}, {"lucene", t.TempDir()}} {
		if err := Speed(arguments, strings.NewReader(`{"finish":true}`), &strings.Builder{}); err == nil {
			t.Errorf("%q gives no error", arguments)
		}
	}
}
