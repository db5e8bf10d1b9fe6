package index

import (
	"bytes"
	"fmt"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// An index of listings that were read before has the same bytes as one of listings that are read again, whatever else
// has changed.
func TestKeptListings(t *testing.T) {
	projects := apitest.Listings(300)
	for i := range projects {
		projects[i].Replaces = []string{fmt.Sprintf("Some product %d", i%7)}
	}
	kept := map[string][]byte{}
	encode := func(projects []api.ProjectDetail, keep Keep) []byte {
		t.Helper()
		c := Catalog{Settings: site.Defaults(), Taxonomy: apitest.Taxonomy(), Projects: projects, Keep: keep}
		file, err := Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	compare := func(projects []api.ProjectDetail, wantRead int) {
		t.Helper()
		read := 0
		texts := make([][]byte, len(projects)) // readers work at the same time, so the map is changed afterwards
		got := encode(projects, func(i int, make func() []byte) []byte {
			if texts[i] = kept[projects[i].Slug]; texts[i] == nil {
				texts[i] = make()
			}
			return texts[i]
		})
		for i, text := range texts {
			if slug := projects[i].Slug; kept[slug] == nil {
				kept[slug] = text
				read++
			}
		}
		if !bytes.Equal(got, encode(projects, nil)) {
			t.Error("the index differs from one that is made from nothing")
		}
		if read != wantRead {
			t.Errorf("%d listings were read, want %d", read, wantRead)
		}
	}
	compare(projects, len(projects))
	compare(projects, 0)
	changed := append([]api.ProjectDetail{}, projects[100:]...) // words and products of some are gone
	changed[0].Purpose, changed[0].Name = "Counts quokkas", "Quokka Counter"
	delete(kept, changed[0].Slug)
	compare(changed, 1)
}
