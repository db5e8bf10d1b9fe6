package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// jsonLists returns the tasks for the default list and the pre-sorted JSON pages.
func (s *catalog) jsonLists() []Task {
	var tasks []Task
	task := func(name string, list api.ListPage, listings []*content.Listing) {
		list.Projects, list.Warnings = []json.RawMessage{}, []api.Warning{}
		key := func() memo.Key { return s.keyOf("list", list, listings) }
		tasks = append(tasks, Task{[]string{name}, key, func() error { return s.jsonList(name, list, listings) }})
	}
	limit := api.ListParameters[0].Default.(int)
	all := api.ListPage{ProjectList: api.ProjectList{Total: len(s.Listings), Limit: limit}}
	task(strings.TrimPrefix(api.FilePath(api.PathProjects), "/"), all, s.Listings[:min(limit, len(s.Listings))])
	add := func(name string, listings []*content.Listing) {
		pages := max(1, (len(listings)+api.ListPageSize-1)/api.ListPageSize)
		for page := 1; page <= pages; page++ {
			first := (page - 1) * api.ListPageSize
			list := api.ListPage{
				ProjectList: api.ProjectList{Total: len(listings), Limit: api.ListPageSize, Offset: first},
				Page:        page, Pages: pages,
			}
			if page < pages {
				next := s.Settings.URL(fmt.Sprintf("/api/v1/lists/%s/%d.json", name, page+1))
				list.Next = &next
			}
			shown := listings[first:min(first+api.ListPageSize, len(listings))]
			task(fmt.Sprintf("api/v1/lists/%s/%d.json", name, page), list, shown)
		}
	}
	add(api.SortPopular, s.Listings)
	add(api.SortNewest, s.newest())
	add(api.SortRecentlyUpdated, s.updated())
	for _, f := range s.Content.Taxonomy.SortFacts() {
		add(f.Key, orderedBy(f, s.Listings))
	}
	home := by(s.Listings, categoryOf)
	for _, c := range s.Content.Taxonomy.Categories {
		add("category/"+c.Slug, home[c.Slug])
	}
	return tasks
}

// orderedBy returns listings in the order of a fact.
func orderedBy(f *api.Fact, listings []*content.Listing) []*content.Listing {
	return slices.SortedFunc(slices.Values(listings), func(a, b *content.Listing) int {
		return cmp.Or(f.CompareFigures(f.Figure(a.FitNotes.Get(f.Key)), f.Figure(b.FitNotes.Get(f.Key))),
			strings.Compare(a.Slug, b.Slug))
	})
}

// jsonList writes a list of listings as JSON. It has page numbers unless it is the default list.
func (s *catalog) jsonList(name string, list api.ListPage, listings []*content.Listing) error {
	rows, err := s.eachRow(listings, func(r *render.Row) []byte { return r.JSON })
	if err != nil {
		return err
	}
	if list.Page == 0 {
		return s.writeLists(name, list.ProjectList, "projects", "}", rows)
	}
	return s.writeLists(name, list, "projects", "}", rows)
}

// eachRow returns the JSON that a function takes from the row of each listing.
func (s *catalog) eachRow(listings []*content.Listing, of func(*render.Row) []byte) ([][]byte, error) {
	list := make([][]byte, len(listings))
	for i, l := range listings {
		row, err := s.Rows.Of(l.Slug)
		if err != nil {
			return nil, err
		}
		list[i] = of(row)
	}
	return list, nil
}

// writeJSON writes a value as JSON.
func (s *catalog) writeJSON(name string, value any) error { return s.writeLists(name, value, "", "") }

// writeLists writes a value as JSON, with lists of encoded entries in place of the empty lists that
// are values of a key. end is missing from each entry. encoding/json would check each entry again.
func (s *catalog) writeLists(name string, value any, key, end string, lists ...[][]byte) error {
	text, err := api.JSON(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	var parts [][]byte // not joined, because a list may be large
	for _, list := range lists {
		// The key is not in a text, whose quotation marks are escaped.
		before, after, _ := bytes.Cut(text, []byte(`"`+key+`":[]`))
		parts, text = append(parts, before, []byte(`"`+key+`":[`)), after
		for i, entry := range list {
			if i > 0 {
				parts = append(parts, []byte(","))
			}
			parts = append(parts, entry, []byte(end))
		}
		parts = append(parts, []byte("]"))
	}
	return s.write(name, append(parts, text)...)
}
