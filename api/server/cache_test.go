package server

import (
	"fmt"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// representationOf returns one of a file of that many bytes.
func representationOf(size int) *representation {
	return &representation{tag: "tag", contentType: "text/plain", size: int64(size), shrinks: true, body: make([]byte, size)}
}

func named(name string) cacheKey { return cacheKey{source: source{kind: fromFile, name: name}} }

// all returns everything that is kept.
func (c *representationCache) all() map[cacheKey]*representation {
	all := map[cacheKey]*representation{}
	for _, lru := range []*simplelru.LRU[cacheKey, *representation]{c.lru, c.once} {
		for _, key := range lru.Keys() {
			all[key], _ = lru.Peek(key)
		}
	}
	return all
}

// check compares the bytes that the cache counts with those that it holds.
func (c *representationCache) check(t *testing.T) {
	t.Helper()
	bytes := 0
	for _, rep := range c.all() {
		bytes += rep.memory()
	}
	if bytes != c.bytes || bytes > c.most {
		t.Errorf("%d representations of %d bytes are kept, %d are counted; at most %d are allowed", c.lru.Len(), bytes, c.bytes, c.most)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newRepresentationCache(16 * (representationBytes + 1000))
	for i := range 1000 {
		c.keep(named(fmt.Sprint(i)), representationOf(i%1200))
		c.check(t)
	}
	if n := c.lru.Len(); n < 14 {
		t.Errorf("only %d are kept", n)
	}
	c.keep(named("huge"), representationOf(2*(representationBytes+1000)))
	if c.get(named("huge")) != nil {
		t.Error("one of more than an eighth of the room is kept")
	}
}

func TestCacheEvictsLeastRecentlyUsed(t *testing.T) {
	c := newRepresentationCache(10 * (representationBytes + 100))
	for i := range 10 {
		c.keep(named(fmt.Sprint(i)), representationOf(100))
	}
	if c.get(named("0")) == nil {
		t.Fatal("the first one is gone")
	}
	other := representationOf(100)
	c.keep(named("2"), other) // in the place of what is there
	c.keep(named("new"), representationOf(100))
	for name, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "new": true} {
		if got := c.get(named(name)) != nil; got != want {
			t.Errorf("%s is kept: %v", name, got)
		}
	}
	if c.get(named("2")) != other {
		t.Error("what was replaced is kept")
	}
	c.check(t)
}

// What was asked for once makes room for all others, however long ago they were asked for.
func TestCacheEvictsWhatWasAskedOnce(t *testing.T) {
	c := newRepresentationCache(10 * (representationBytes + 100))
	asked := func(i int) string { return fmt.Sprint("once ", i) }
	c.keep(named("old"), representationOf(100))
	for i := range 20 {
		rep := representationOf(100)
		rep.once = true
		c.keep(named(asked(i)), rep)
		c.check(t)
	}
	for name, want := range map[string]bool{"old": true, asked(10): false, asked(11): true, asked(19): true} {
		if got := c.get(named(name)) != nil; got != want {
			t.Errorf("%s is kept: %v", name, got)
		}
	}
	c.keep(named(asked(11)), representationOf(100)) // asked for again
	for i := range 8 {
		c.keep(named(fmt.Sprint(i)), representationOf(100))
		c.check(t)
	}
	for name, want := range map[string]bool{"old": true, asked(11): true, asked(19): false, "7": true} {
		if got := c.get(named(name)) != nil; got != want {
			t.Errorf("in the end, %s is kept: %v", name, got)
		}
	}
}

// Answers are kept without what the index has, packed if they are asked for again, and not less exact.
func TestKeptAnswers(t *testing.T) {
	f := quietFixture(t)
	const target = "/api/v1/search?q=lantern"
	want := f.get(target)
	kept := func() *representation {
		for key, rep := range f.server.reps.cache.all() {
			if key.source.kind == fromAnswer && key.coding == identity {
				return rep
			}
		}
		return nil
	}
	rep := kept()
	if rep == nil || !rep.once || rep.body != nil || rep.answer.isPacked || 2*len(rep.answer.text) > len(want.body) {
		t.Fatalf("asked once: %+v", rep)
	}
	once := rep.memory()
	for range 3 {
		if got := f.get(target); got.body != want.body || got.header.Get("ETag") != want.header.Get("ETag") {
			t.Errorf("%s", got.body)
		}
		if rep := kept(); rep == nil || rep.once || rep.body != nil || !rep.answer.isPacked || rep.memory() >= once {
			t.Errorf("asked again: %+v", rep)
		}
	}
}

func TestCacheForMany(t *testing.T) {
	c := newRepresentationCache(20 * representationBytes)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 500 {
				key := named(fmt.Sprint((i * (g + 1)) % 40))
				if c.get(key) == nil {
					c.keep(key, representationOf(i%200))
				}
			}
		})
	}
	all.Wait()
	c.check(t)
}

// Whatever is asked for, the server keeps no more than it may.
func TestServerKeepsWithinBound(t *testing.T) {
	f := quietFixture(t)
	f.server.reps.cache.most = 64 << 10
	for i := range 300 {
		f.get(fmt.Sprintf("/api/v1/projects?limit=%d&offset=%d", 1+i%100, i), "Accept-Encoding", "zstd")
		f.get(fmt.Sprintf("/api/v1/projects/paper-lantern-%d", i), "Accept-Encoding", "gzip")
	}
	f.server.reps.cache.check(t)
	if f.server.reps.cache.lru.Len() < 10 {
		t.Errorf("only %d representations are kept", f.server.reps.cache.lru.Len())
	}
}

// What is kept for one index is not found for another, and what is unknown is not kept.
func TestCacheOfAnIndex(t *testing.T) {
	f := quietFixture(t)
	f.get("/api/v1/projects/paper-lantern-1")
	f.get("/api/v1/projects/nope")
	key := cacheKey{snapshot: f.server.current().Identity, source: source{kind: fromProject, name: "paper-lantern-1"}}
	if f.server.reps.cache.get(key) == nil {
		t.Error("a project is not kept")
	}
	for _, other := range []cacheKey{
		{snapshot: "another", source: key.source}, {snapshot: key.snapshot, source: source{kind: fromProject, name: "nope"}},
		{snapshot: key.snapshot, source: key.source, coding: gzipCoding},
	} {
		if f.server.reps.cache.get(other) != nil {
			t.Errorf("%v is kept", other)
		}
	}
}

// A client that has the answer to a search costs no search, in whichever coding
// it has it.
func TestNotModifiedNeverSearches(t *testing.T) {
	f := quietFixture(t)
	const target = "/api/v1/search?q=lantern&platform=linux"
	searches := func() float64 { return f.value(t, "catalog_searches_total") }
	for _, accept := range []string{"", "gzip", "br", "zstd"} {
		var headers []string
		if accept != "" {
			headers = []string{"Accept-Encoding", accept}
		}
		r := f.get(target, headers...)
		if r.status != 200 {
			t.Fatalf("%d", r.status)
		}
		before := searches()
		for range 3 {
			held := f.get(target, append(headers, "If-None-Match", r.header.Get("ETag"))...)
			if held.status != 304 {
				t.Errorf("in %q with its ETag: %d", accept, held.status)
			}
			held.expect(t, "ETag", r.header.Get("ETag"))
		}
		if after := searches(); after != before {
			t.Errorf("in %q, answers that were not modified cost %v searches", accept, after-before)
		}
	}
}

// An answer that is asked for again is kept, and is the same in every coding as when it was made.
func TestAnswersAskedAgain(t *testing.T) {
	f := quietFixture(t)
	for _, target := range []string{
		"/api/v1/search?q=lantern&platform=linux", "/api/v1/search?q=lantern&nonsense=1", "/api/v1/search?q=zzzz",
		"/api/v1/projects?slugs=paper-lantern-1,nope", "/api/v1/projects?limit=2&nonsense=1",
	} {
		for _, accept := range []string{"identity", "gzip", "br", "zstd", "identity;q=0, gzip"} {
			fresh := quietFixture(t).get(target, "Accept-Encoding", accept)
			for range 4 {
				again := f.get(target, "Accept-Encoding", accept)
				for _, name := range []string{"ETag", "Content-Encoding", "Content-Type", "Link", "Vary", "Cache-Control"} {
					if got, want := again.header.Get(name), fresh.header.Get(name); got != want {
						t.Errorf("%s in %s: %s is %q, want %q", target, accept, name, got, want)
					}
				}
				if again.status != fresh.status || again.body != fresh.body {
					t.Errorf("%s in %s: %d %q, want %d %q", target, accept, again.status, again.body, fresh.status, fresh.body)
				}
			}
		}
	}
	if n := f.value(t, "catalog_searches_total"); n != 3 { // each of them once

		t.Errorf("%v searches", n)
	}
}

// Two queries that differ anywhere have different tags, however their parts are
// cut.
func TestSearchTags(t *testing.T) {
	settings := site.Defaults()
	facts := func(parameter string, values ...string) api.SearchQuery {
		return api.SearchQuery{Filters: api.Filters{Values: map[string][]string{parameter: values}}}
	}
	seen := map[string]int{}
	for i, q := range []struct {
		query    api.SearchQuery
		warnings []api.Warning
	}{
		{api.SearchQuery{}, nil},
		{api.SearchQuery{Q: "a"}, nil},
		{api.SearchQuery{Q: "a "}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"a"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"platform": {"a"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"a"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"a", "b"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"b", "a"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"license": {"a 1 b"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"a"}, "platform": {"b"}}}}, nil},
		{api.SearchQuery{Filters: api.Filters{Values: map[string][]string{"category": {"a", "b"}}}}, nil},
		{facts("docker", "1"), nil},
		{facts("docker", "0"), nil},
		{facts("beginner", "1"), nil},
		{facts("gpu", "1"), nil},
		{facts("gpu", "1", "0"), nil},
		{facts("selfHosted", "1"), nil},
		{api.SearchQuery{Sort: "popular"}, nil},
		{api.SearchQuery{Limit: 1}, nil},
		{api.SearchQuery{Limit: 10}, nil},
		{api.SearchQuery{}, []api.Warning{{Code: "c", Parameter: "p", Message: "m"}}},
		{api.SearchQuery{}, []api.Warning{{Code: "c", Parameter: "pm", Message: ""}}},
		{api.SearchQuery{}, []api.Warning{{Code: "c", Parameter: "p", Message: "m"}, {Code: "c", Parameter: "p", Message: "m"}}},
	} {
		tag := searchTag("1 test", api.SearchParameters(&settings, &taxonomy), &q.query, q.warnings)
		if other, ok := seen[tag]; ok {
			t.Errorf("queries %d and %d have one tag", other, i)
		}
		if len(tag) != 2*tagBytes {
			t.Errorf("query %d has the tag %s", i, tag)
		}
		seen[tag] = i
	}
}
