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
	Project *api.Project
	Rows    []template.HTML
	Body    template.HTML
	Similar []template.HTML
	Sources []sourceView
}

type sourceView struct{ Field, Text, Link string }

// listing writes a listing's page and its JSON.
func (r *renderer) listing(l *content.Listing) error {
	view := listingView{
		Project: &l.Project,
		Body:    template.HTML(l.BodyHTML), // #nosec G203 -- rendered by goldmark without raw HTML
		Sources: sourceViews(l.Sources),
	}
	for _, row := range r.factRows(&l.Project) {
		text, err := r.fact(row)
		if err != nil {
			return err
		}
		view.Rows = append(view.Rows, text)
	}
	for _, slug := range l.Similar {
		entry, err := r.once[slug].entry()
		if err != nil {
			return err
		}
		view.Similar = append(view.Similar, entry)
	}
	crumbs := []crumbView{{"Categories", "/categories/"}}
	if c, ok := r.Content.Taxonomy.Category(l.Category); ok {
		crumbs = append(crumbs, crumbView{c.Name, "/categories/" + c.Slug + "/"})
	}
	err := r.page("project", pageView{
		Title: l.Name, Description: l.Purpose, Path: "/projects/" + l.Slug + "/",
		Crumbs: append(crumbs, crumbView{l.Name, ""}), Data: view, listing: l,
	})
	if err != nil {
		return err
	}
	return r.json("api/v1/projects/"+l.Slug+".json", l.ProjectDetail)
}

// fact renders a row of the table of facts. Most rows are the same for many
// listings and are rendered once.
func (r *renderer) fact(row factRow) (template.HTML, error) {
	key := row.Label
	for _, p := range row.Parts {
		key += "\x00" + p.Text + "\x00" + p.Link
	}
	if text, ok := r.facts.Load(key); ok {
		return text.(template.HTML), nil
	}
	text, err := r.partial("fact", row)
	if err == nil {
		r.facts.Store(key, text)
	}
	return text, err
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

// json writes a value as a JSON file, without white space.
func (r *renderer) json(name string, value any) error {
	out := r.buffer()
	defer r.buffers.Put(out)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return r.write(name, bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
