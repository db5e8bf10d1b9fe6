package peer

import (
	"slices"

	"catalog.example/api"
)

// Document is a listing as the peers get it: every text that our index searches, including the
// other names of replaced products.
type Document struct {
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	Replaces    []string `json:"replaces"`
	Purpose     string   `json:"purpose"`
	Jobs        []string `json:"jobs"`
	Category    []string `json:"category"` // name and slug
	Topics      []string `json:"topics"`
	Description string   `json:"description"`
}

// DocumentOf converts a listing to a document.
func DocumentOf(p api.ProjectDetail, taxonomy *api.Taxonomy) Document {
	p = p.Normalized()
	d := Document{
		Slug: p.Slug, Name: p.Name, Aliases: p.Aliases, Replaces: slices.Clone(p.Replaces), Purpose: p.Purpose,
		Jobs: p.Jobs, Category: []string{p.Category}, Topics: p.Topics,
		Description: p.Prose,
	}
	for _, name := range p.Replaces {
		if product, ok := taxonomy.Product(name); ok {
			d.Replaces = append(d.Replaces, product.Aliases...)
		}
	}
	if c, ok := taxonomy.Category(p.Category); ok {
		d.Category = append([]string{c.Name}, d.Category...)
	}
	return d
}

// Fields lists the names of the searched fields, in the order of [Document.ByField]. A peer's
// setting with the name of a field is the weight of that field.
var Fields = []string{"name", "aliases", "replaces", "purpose", "jobs", "category", "topics", "description"}

// ByField returns the texts of each field.
func (d *Document) ByField() [][]string {
	return [][]string{{d.Name}, d.Aliases, d.Replaces, {d.Purpose}, d.Jobs, d.Category, d.Topics, {d.Description}}
}

// Texts returns all texts of the document.
func (d *Document) Texts() []string { return slices.Concat(d.ByField()...) }
