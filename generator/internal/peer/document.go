package peer

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
)

// Document is a listing as the peers get it: every text that our index
// searches, the other names of replaced products among them.
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

// DocumentOf returns a listing as a document.
func DocumentOf(p api.ProjectDetail, taxonomy *api.Taxonomy) Document {
	p = p.Normalized()
	d := Document{
		Slug: p.Slug, Name: p.Name, Aliases: p.Aliases, Replaces: slices.Clone(p.Replaces), Purpose: p.Purpose,
		Jobs: p.Jobs, Category: []string{p.Category}, Topics: p.Topics,
		Description: strings.TrimSpace(search.Prose(p.Description)),
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

// Texts returns every text of the document.
func (d *Document) Texts() []string {
	return slices.Concat([]string{d.Name, d.Purpose, d.Description}, d.Aliases, d.Replaces, d.Jobs, d.Category, d.Topics)
}
