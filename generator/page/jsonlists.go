package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// jsonLists returns the tasks for the default list and the pre-sorted JSON pages.
func (s *catalog) jsonLists() []Task {
	var tasks []Task
	task := func(name string, list any, listings []*content.Listing) {
		key := func() memo.Key { return s.keyOf("list", list, listings) }
		tasks = append(tasks, Task{[]string{name}, key, func() error { return s.jsonList(name, list, listings) }})
	}
	limit := api.ListParameters[0].Default.(int)
	all := api.ProjectList{Projects: noProjects, Warnings: noWarnings, Total: len(s.Listings), Limit: limit}
	task(strings.TrimPrefix(api.FilePath(api.PathProjects), "/"), all, s.Listings[:min(limit, len(s.Listings))])
	add := func(name string, listings []*content.Listing) {
		pages := max(1, (len(listings)+api.ListPageSize-1)/api.ListPageSize)
		for page := 1; page <= pages; page++ {
			first := (page - 1) * api.ListPageSize
			list := api.ListPage{
				ProjectList: api.ProjectList{
					Projects: noProjects, Warnings: noWarnings,
					Total: len(listings), Limit: api.ListPageSize, Offset: first,
				},
				Page: page, Pages: pages,
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
	home := by(s.Listings, categoryOf)
	for _, c := range s.Content.Taxonomy.Categories {
		add("category/"+c.Slug, home[c.Slug])
	}
	return tasks
}

// noProjects and noWarnings are the empty lists of a file that jsonList fills.
var (
	noProjects = []json.RawMessage{}
	noWarnings = []api.Warning{}
)

// jsonList writes a list as JSON with listings as its projects. Each listing is in several
// lists, so its JSON is made once and copied, not passed to the encoder, which would check
// it again for every list.
func (s *catalog) jsonList(name string, list any, listings []*content.Listing) error {
	envelope, err := api.JSON(list)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	rest, ok := bytes.CutPrefix(envelope, []byte(`{"projects":[]`))
	if !ok {
		return fmt.Errorf("encode %s: the list does not begin with its projects", name)
	}
	var out bytes.Buffer
	out.WriteString(`{"projects":[`)
	for i, l := range listings {
		if i > 0 {
			out.WriteByte(',')
		}
		row, err := s.Rows.Of(l.Slug)
		if err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		out.Write(row.JSON)
	}
	out.WriteByte(']')
	out.Write(rest)
	return s.write(name, out.Bytes())
}
