package page

import "catalog.example/generator/render"

// partsPath is the path of the page of all parts, which only previews have.
const partsPath = "/_parts/"

// partsPage shows the parts of pages side by side, for owners who change colours, fonts or templates.
type partsPage struct{ *catalog }

// partsView is the view of the parts, with a few listings of the catalogue.
type partsView struct {
	render.List
	Tags []string // classes of tags
	Map  *mapView // nil for none
}

// tagKinds are the classes of tags.
var tagKinds = []string{"plain", "estimate", "likely", "fits", "unlikely", "needs-more", "unknown", "over"}

// sampleRows is the number of listings on the page.
const sampleRows = 4

func (s partsPage) show() (*render.Page, error) {
	list, err := s.Rows.List(s.Listings[:min(sampleRows, len(s.Listings))])
	if err != nil {
		return nil, err
	}
	return &render.Page{Kind: "parts", Title: "Parts", Path: partsPath, NoIndex: true, Crumbs: render.Crumbs("Parts"),
		Data:        partsView{list, tagKinds, mapOfAll(s.catalog)},
		Description: "What pages are made of. Only catalog dev shows this page."}, nil
}
