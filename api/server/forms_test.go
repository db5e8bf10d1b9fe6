package server

import (
	"fmt"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

func formOf(size int) *form {
	f := newForm("tag", "text/plain", int64(size), true)
	f.body = make([]byte, size)
	return f
}

func named(name string) formKey { return formKey{source: source{kind: fromFile, name: name}} }

// check compares the bytes that a store counts with those that it holds.
func (k *forms) check(t *testing.T) {
	t.Helper()
	var bytes int64
	for e := k.byUse.Front(); e != nil; e = e.Next() {
		kept, _ := e.Value.(*keptForm)
		bytes += kept.form.memory()
		if k.byKey[kept.key] != e {
			t.Errorf("%v is not found", kept.key)
		}
	}
	if bytes != k.bytes || bytes > k.most || len(k.byKey) != k.byUse.Len() {
		t.Errorf("%d bytes in %d forms, %d are counted in %d; at most %d are allowed", bytes, k.byUse.Len(), k.bytes, len(k.byKey), k.most)
	}
}

func TestFormsAreBounded(t *testing.T) {
	k := newForms(16 * (formBytes + 1000))
	for i := range 1000 {
		k.keep(named(fmt.Sprint(i)), formOf(i%1200))
		k.check(t)
	}
	if n := len(k.byKey); n < 14 {
		t.Errorf("only %d forms are kept", n)
	}
	k.keep(named("huge"), formOf(2*(formBytes+1000)))
	if key := named("huge"); k.get(&key) != nil {
		t.Error("a form of more than an eighth of the room is kept")
	}
}

func TestFormsLeastRecentlyUsed(t *testing.T) {
	k := newForms(10 * (formBytes + 100))
	for i := range 10 {
		k.keep(named(fmt.Sprint(i)), formOf(100))
	}
	used := named("0")
	if k.get(&used) == nil {
		t.Fatal("the first form is gone")
	}
	other := formOf(100)
	k.keep(named("2"), other) // in the place of what is there
	k.keep(named("new"), formOf(100))
	for name, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "new": true} {
		key := named(name)
		if got := k.get(&key) != nil; got != want {
			t.Errorf("%s is kept: %v", name, got)
		}
	}
	if key := named("2"); k.get(&key) != other {
		t.Error("the old form is kept")
	}
	k.check(t)
}

func TestFormsTogether(t *testing.T) {
	k := newForms(20 * formBytes)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 500 {
				key := named(fmt.Sprint((i * (g + 1)) % 40))
				if k.get(&key) == nil {
					k.keep(key, formOf(i%200))
				}
			}
		})
	}
	all.Wait()
	k.check(t)
}

// Whatever is asked for, the server keeps no more than it may.
func TestServerKeepsWithinBound(t *testing.T) {
	f := quietFixture(t)
	f.server.forms.most = 64 << 10
	for i := range 300 {
		f.get(fmt.Sprintf("/api/v1/projects?limit=%d&offset=%d", 1+i%100, i), "Accept-Encoding", "zstd")
		f.get(fmt.Sprintf("/api/v1/projects/paper-lantern-%d", i), "Accept-Encoding", "gzip")
	}
	f.server.forms.check(t)
	if len(f.server.forms.byKey) < 10 {
		t.Errorf("only %d forms are kept", len(f.server.forms.byKey))
	}
}

// A form of one index is not that of another, and what is unknown is not kept.
func TestFormsOfAnIndex(t *testing.T) {
	f := quietFixture(t)
	f.get("/api/v1/projects/paper-lantern-1")
	f.get("/api/v1/projects/nope")
	key := formKey{edition: f.server.current.Load().identity, source: source{kind: fromProject, name: "paper-lantern-1"}}
	if f.server.forms.get(&key) == nil {
		t.Error("a project is not kept")
	}
	for _, other := range []formKey{
		{edition: "another", source: key.source}, {edition: key.edition, source: source{kind: fromProject, name: "nope"}},
		{edition: key.edition, source: key.source, coding: gzipCoding},
	} {
		if f.server.forms.get(&other) != nil {
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
		before := searches()
		r := f.get(target, headers...)
		if after := searches(); r.status != 200 || after != before+1 {
			t.Fatalf("%d: %v searches became %v", r.status, before, after)
		}
		for range 3 {
			held := f.get(target, append(headers, "If-None-Match", r.header.Get("ETag"))...)
			if held.status != 304 {
				t.Errorf("in %q with its ETag: %d", accept, held.status)
			}
			held.expect(t, "ETag", r.header.Get("ETag"))
		}
		if after := searches(); after != before+1 {
			t.Errorf("in %q, answers that were not modified cost %v searches", accept, after-before-1)
		}
	}
}

// Two queries that differ anywhere have different tags, however their parts are
// cut.
func TestSearchTags(t *testing.T) {
	settings := site.Defaults()
	facts := func(parameter string, values ...string) api.SearchQuery {
		return api.SearchQuery{Facts: map[string][]string{parameter: values}}
	}
	seen := map[string]int{}
	for i, q := range []struct {
		query    api.SearchQuery
		warnings []api.Warning
	}{
		{api.SearchQuery{}, nil},
		{api.SearchQuery{Q: "a"}, nil},
		{api.SearchQuery{Q: "a "}, nil},
		{api.SearchQuery{Category: []string{"a"}}, nil},
		{api.SearchQuery{Platform: []string{"a"}}, nil},
		{api.SearchQuery{License: []string{"a"}}, nil},
		{api.SearchQuery{License: []string{"a", "b"}}, nil},
		{api.SearchQuery{License: []string{"b", "a"}}, nil},
		{api.SearchQuery{License: []string{"a 1 b"}}, nil},
		{api.SearchQuery{Category: []string{"a"}, Platform: []string{"b"}}, nil},
		{api.SearchQuery{Category: []string{"a", "b"}}, nil},
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
