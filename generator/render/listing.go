package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// listingView is what a listing's page shows.
type listingView struct {
	Project *api.ProjectDetail
	Rows    []factRow
	Body    template.HTML
	Similar []entryView
	Sources []sourceView
}

type sourceView struct{ Field, Text, Link string }

// listing writes a listing's page and its JSON.
func (r *renderer) listing(l *content.Listing) error {
	view := listingView{
		Project: &l.ProjectDetail,
		Rows:    r.factRows(&l.Project),
		Body:    template.HTML(l.BodyHTML), // #nosec G203 -- rendered by goldmark without raw HTML
		Sources: sourceViews(l.Sources),
	}
	for _, slug := range l.Similar {
		view.Similar = append(view.Similar, r.entries[slug])
	}
	crumbs := []crumbView{{"Categories", "/categories/"}}
	if c, ok := r.Content.Taxonomy.Category(l.Category); ok {
		crumbs = append(crumbs, crumbView{c.Name, "/categories/" + c.Slug + "/"})
	}
	err := r.page("project", pageView{
		Title: l.Name, Description: l.Purpose, Path: "/projects/" + l.Slug + "/",
		Crumbs: append(crumbs, crumbView{l.Name, ""}), Data: view,
	})
	if err != nil {
		return err
	}
	return r.json("api/v1/projects/"+l.Slug+".json", l.ProjectDetail)
}

func sourceViews(sources map[string]string) []sourceView {
	var views []sourceView
	for field, text := range sources {
		v := sourceView{Field: field, Text: text}
		if strings.HasPrefix(text, "https://") {
			v.Link, _, _ = strings.Cut(text, " ")
		}
		views = append(views, v)
	}
	slices.SortFunc(views, func(a, b sourceView) int { return strings.Compare(a.Field, b.Field) })
	return views
}

// json writes a value as a JSON file.
func (r *renderer) json(name string, value any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return r.file(name, bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
