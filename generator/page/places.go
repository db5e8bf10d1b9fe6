package page

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/atlas"
	"catalog.example/generator/content"
)

// mapView is a map as the template "map" draws it.
type mapView struct {
	Title  string // what it shows, for people who do not see it
	Land   string // address of the outlines of land
	View   string // the part of the world that it shows; see atlas.Map
	Turns  []int  // longitudes to which the outlines are shifted
	Points []mapPoint
	Scale  *mapScale // nil for none
	// Overview is a map with one point, which shows where a small area is; nil for none.
	Overview *mapView
	Shown    int // of All listings, how many have a place; not on the page of a listing
	All      int
}

// mapScale is the scale of a map.
type mapScale struct {
	From, To float64 // in percent of the width
	Label    string
}

// scaleFrom is where a scale begins, in percent of the width.
const scaleFrom = 3

// mapPoint is a point of a map with what it says.
type mapPoint struct {
	X, Y   float64
	Radius int    // in pixels
	Anchor string // which end of its label is at the point: text-anchor of SVG
	Lift   string // how far the label is above it: dy of SVG
	Name   string // what it stands for
	Label  mapLabel
	Link   string // "" on the page of a listing
	Count  int    // of its listings; 0 for one
	Of     string // the slugs of its listings, separated by spaces
	places []int  // see atlas.Point
}

// mapLabel is the name of a point in at most maxLabel letters. Place is the name of a place within it, if that is in
// another language than the page: Lang.
type mapLabel struct{ Before, Place, After, Lang string }

// maxLabel is the number of letters in a label that fit on the map of a narrow phone. places.js has it, too.
const maxLabel = 28

// setName sets the name and the label. lang is the language of the place in the name; "" for that of the page.
func (p *mapPoint) setName(name, place, lang string) {
	p.Name = name
	shown, end := name, ""
	if letters := []rune(name); len(letters) > maxLabel {
		shown, end = strings.TrimSpace(string(letters[:maxLabel-1])), "…"
	}
	from, to := len(shown), len(shown)
	if at := strings.Index(name, place); lang != "" && at >= 0 {
		from, to = min(at, to), min(at+len(place), to)
	}
	p.Label = mapLabel{shown[:from], shown[from:to], shown[to:] + end, lang}
}

// newMapView returns a map of some places, whose points have no names.
func newMapView(s *catalog, title string, places []api.Place) *mapView {
	m := atlas.Of(places)
	v := viewOf(&m, title, s.View.Land)
	if m.Overview != nil {
		v.Overview = viewOf(m.Overview, "", s.View.Land)
		v.Scale = &mapScale{scaleFrom, math.Round((scaleFrom+m.Scale)*100) / 100, s.T("{n} km", "n", int(m.ScaleKM))}
		if m.ScaleKM < 1 {
			v.Scale.Label = s.T("{n} m", "n", int(math.Round(m.ScaleKM*1000)))
		}
	}
	return v
}

// viewOf returns the view of a map. land is the address of the outlines.
func viewOf(m *atlas.Map, title, land string) *mapView {
	v := &mapView{Title: title, Land: land, View: m.View, Turns: m.Turns}
	for _, p := range m.Points {
		point := mapPoint{X: p.X, Y: p.Y, Radius: 7, Anchor: "middle", Lift: "-1.2em", places: p.Places}
		switch {
		case p.X < 100./3:
			point.Anchor = "start"
		case p.X > 200./3:
			point.Anchor = "end"
		}
		if p.Y < 20 {
			point.Lift = "2em"
		}
		v.Points = append(v.Points, point)
	}
	return v
}

// mapOf returns a map of the listings of a list; nil if none has a place. Points lead to their listings.
// Those of several listings lead to the list, filtered by place if it has that filter; places.js then draws a map
// of these.
func (l *list) mapOf() *mapView {
	f := l.Content.Taxonomy.PlaceFact()
	if f == nil {
		return nil
	}
	var listings []*content.Listing
	var places []api.Place
	for _, one := range l.listings {
		if p, ok := one.FitNotes.Get(f.Key).(api.Place); ok {
			listings, places = append(listings, one), append(places, p)
		}
	}
	if len(places) == 0 {
		return nil
	}
	v := newMapView(l.catalog, l.T("Map"), places)
	v.Shown, v.All = len(places), l.total()
	for i := range v.Points {
		point := &v.Points[i]
		of, first := point.places, point.places[0]
		point.Of = listings[first].Slug
		if len(of) == 1 {
			point.Link = l.View.Base + projectsPath + point.Of + "/"
			point.setName(listings[first].Name, "", "")
			continue
		}
		var slugs []string
		km := 0.
		for _, other := range of {
			slugs = append(slugs, listings[other].Slug)
			km = max(km, places[first].KMTo(places[other]))
		}
		point.Of, point.Count, point.Link = strings.Join(slugs, " "), len(of), l.View.Base+l.path
		point.Radius = max(11, 5+3*len(strconv.Itoa(len(of)))) // the figures are within it
		if l.filters != nil && f.Filter != nil {
			point.Link += "?" + f.Filter.Parameter + "=" + places[first].Around(km)
		}
		point.Link += "#search-hits"
		name := places[first].Name
		point.setName(l.N(len(of), "{n} listing around {place}", "{n} listings around {place}", "place", name), name,
			l.Languages.Fallback(listings[first].Document.Untranslated, "fitNotes."+f.Key))
	}
	return v
}

// mapOfAll returns a map of all listings; nil if none has a place.
func mapOfAll(s *catalog) *mapView {
	lists := s.lists()
	return lists[slices.IndexFunc(lists, func(l *list) bool { return l.path == newestPath })].places()
}

// placeView is a place of a listing.
type placeView struct {
	Fact, Name, Coordinates string
	Lang                    string // the language of Name, if it is not that of the page
	Link                    string // what follows geo: in an address, for programs with maps
}

// places returns the places of a listing, and a map of them; nil for none.
func (s listingPage) places() (list []placeView, v *mapView) {
	var places []api.Place
	var names []string
	for i := range s.l.FitNotes {
		fact := &s.l.FitNotes[i]
		if p, ok := fact.Value.(api.Place); ok {
			key := "fitNotes." + fact.Key
			list = append(list, placeView{s.FieldLabel(key), p.Name, p.Coordinates(", "),
				s.Languages.Fallback(s.l.Document.Untranslated, key), p.Coordinates(",")})
			places, names = append(places, p), append(names, p.Name)
		}
	}
	if list == nil {
		return nil, nil
	}
	v = newMapView(s.catalog, s.T("Map: {places}", "places", strings.Join(names, ", ")), places)
	for i := range v.Points {
		first := v.Points[i].places[0]
		v.Points[i].setName(names[first], names[first], list[first].Lang)
	}
	return list, v
}
