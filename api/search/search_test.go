package search

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// A file that Encode writes is opened and answers; so does a compact one, with the same bytes.
func TestOpen(t *testing.T) {
	c := Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: []api.ProjectDetail{
		apitest.Listing("painter", func(p *api.ProjectDetail) { p.Purpose = "Paints pictures." }),
		apitest.Listing("singer", func(p *api.ProjectDetail) { p.Purpose = "Sings songs." }),
	}}
	file, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckHead(file, int64(len(file))); err != nil {
		t.Error(err)
	}
	ix, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	found := ix.Search(nil, api.SearchQuery{Q: "songs", Limit: 5})
	answer := found.JSON
	if found.Total != 1 || !strings.Contains(string(answer), `"slug":"singer"`) {
		t.Errorf("%d hits: %s", found.Total, answer)
	}
	b, err := BuilderOf(c)
	if err != nil {
		t.Fatal(err)
	}
	if file, err = b.EncodeCompact(); err != nil {
		t.Fatal(err)
	}
	if ix, err = OpenCompact(file); err != nil {
		t.Fatal(err)
	}
	if again := ix.AppendSearch(nil, api.SearchQuery{Q: "songs", Limit: 5}); !bytes.Equal(again, answer) {
		t.Errorf("the compact index answers %s", again)
	}
	if _, err := Open(file[:100]); !errors.Is(err, ErrUnusable) {
		t.Errorf("a part of a file: %v", err)
	}
}
