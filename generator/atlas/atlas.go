// Package atlas decides what a map of some places shows: which part of the world, and where its points are.
//
// A map of a small area, such as a town, shows no land, whose outlines are too coarse for it. It has a scale, and an
// overview beside it shows where in the world the area is.
//
// Maps are equirectangular. Each stretches degrees of longitude so that distances look right in its middle,
// and all have the same ratio of width to height. The outlines of land are in templates/assets/land.svg, in
// degrees; a test of this package makes that file.
//
// places.js draws the maps of filtered lists in the same way.
package atlas

import (
	"fmt"
	"math"
	"slices"

	"catalog.example/api"
)

const (
	// Ratio is the width of a map divided by its height. places.css has it, too.
	Ratio = 2
	// overviewHeight is the least height of an overview, and of a map of one place, in degrees. On a smaller part,
	// nobody would recognise the outlines.
	overviewHeight = 10
	// landHeight is the height from which on a map shows land, in degrees. On a smaller part, a place at a coast could
	// lie in the water.
	landHeight = 2
	// leastHeight is the height of the smallest part that a map shows, in degrees: about 200 metres.
	leastHeight = 0.002
	// longestScale is the share of the width of a map that its scale takes at most.
	longestScale = 0.25
	// margin is the least distance of places from each edge, as a share of what they extend over.
	margin = 0.15
	// worldFrom is the width, in degrees, from which on a map shows the whole world as people know it.
	worldFrom = 300
	// leastCosine bounds the stretch of maps near the poles.
	leastCosine = 0.2
	// apart is the least distance of points, in percent of the width. Nearer places share a point: on the
	// narrowest phones, points are 24 pixels apart, the least that fingers can tell apart (WCAG 2.5.8). A map
	// has at most about a hundred.
	apart = 100. / 12
	// beyond is how far, in degrees, the outlines of what crosses 180° east go on.
	beyond = 10
)

// Map is a map of some places.
type Map struct {
	// View is the part of the world that it shows, as a viewBox of SVG, in degrees. North is up, so
	// latitudes are negative.
	View string
	// Turns are the longitudes by which the outlines are shifted, each for a drawing of them: 0, and others where
	// the part is beyond 180° east or west. A map without land has none.
	Turns []int
	// Points are in the order of the places.
	Points []Point
	// Overview shows where in the world the part is, by one point; nil if the part is large enough for that, or if all
	// places are the same.
	Overview *Map
	// ScaleKM is the length of the scale in kilometres, and Scale that in percent of the width. They are zero without
	// an overview.
	ScaleKM, Scale float64
}

// Point is a point of a map.
type Point struct {
	X, Y   float64 // from the left and from the top, in percent of the width and the height
	Places []int   // the indices of its places; it lies at the first
}

// Of returns a map of some places, of which there is at least one.
func Of(places []api.Place) Map {
	overview := mapOf(areaOf(places, overviewHeight), places)
	a := areaOf(places, leastHeight)
	if a.height >= overviewHeight || areSame(places) {
		return overview
	}
	m := mapOf(a, places)
	x, y := areaOf(places, overviewHeight).position(a.middle())
	overview.Points = []Point{{X: round(x), Y: round(y)}}
	m.Overview = &overview
	west, east := a.middle(), a.middle()
	west.Longitude, east.Longitude = a.west, a.west+a.width
	across := west.KMTo(east)
	m.ScaleKM = scaleWithin(across * longestScale)
	m.Scale = round(m.ScaleKM / across * 100)
	return m
}

// mapOf returns the map of a part of the world.
func mapOf(a area, places []api.Place) Map {
	m := Map{View: fmt.Sprintf("%g %g %g %g", round(a.west), round(-a.north), round(a.width), round(a.height))}
	for _, turn := range []float64{-360, 0, 360} {
		if a.height >= landHeight && a.west < turn+180+beyond && a.west+a.width > turn-180 {
			m.Turns = append(m.Turns, int(turn))
		}
	}
	for i, p := range places {
		x, y := a.position(p)
		at := slices.IndexFunc(m.Points, func(of Point) bool {
			return math.Hypot(x-of.X, (y-of.Y)/Ratio) < apart
		})
		if at < 0 {
			at, m.Points = len(m.Points), append(m.Points, Point{X: x, Y: y})
		}
		m.Points[at].Places = append(m.Points[at].Places, i)
	}
	for i := range m.Points {
		p := &m.Points[i] // the edges cut no point
		p.X, p.Y = round(min(max(p.X, 3), 97)), round(min(max(p.Y, 6), 94))
	}
	return m
}

// areSame reports whether all places are at the same point.
func areSame(places []api.Place) bool {
	return !slices.ContainsFunc(places, func(p api.Place) bool {
		return p.Latitude != places[0].Latitude || normal(p.Longitude) != normal(places[0].Longitude)
	})
}

// scaleWithin returns the largest of 1, 2, 5, 10 and so on that is at most km, which may be below 1.
func scaleWithin(km float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(km)))
	for _, first := range []float64{5, 2} {
		if first*power <= km {
			return first * power
		}
	}
	return power
}

// round rounds to hundredths.
func round(n float64) float64 { return math.Round(n*100) / 100 }

// area is a part of the world: its western and northern edges and its extent, in degrees. It may cross 180°
// east; west is from -180 and below 180.
type area struct{ west, north, width, height float64 }

// world is the whole of it.
var world = area{-180, 90, 360, 180}

// middle returns the place in the middle.
func (a area) middle() api.Place {
	return api.Place{Latitude: a.north - a.height/2, Longitude: normal(a.west + a.width/2)}
}

// areaOf returns the smallest part of the world, with some margin, that has some places. least is its least height.
func areaOf(places []api.Place, least float64) area {
	west, across := arcOf(places)
	south, north := places[0].Latitude, places[0].Latitude
	for _, p := range places {
		south, north = min(south, p.Latitude), max(north, p.Latitude)
	}
	middle := (south + north) / 2
	cosine := max(math.Cos(middle*math.Pi/180), leastCosine)
	height := max(least, (north-south)*(1+2*margin), across*(1+2*margin)*cosine/Ratio)
	width := height * Ratio / cosine
	if width >= worldFrom || height >= world.height {
		return world
	}
	top := min(world.north, max(middle+height/2, height-world.north))
	return area{normal(west + across/2 - width/2), top, width, height}
}

// arcOf returns the western end and the extent of the shortest arc of longitudes that has all places: the
// circle without the widest gap between neighbours.
func arcOf(places []api.Place) (west, across float64) {
	longitudes := make([]float64, len(places))
	for i, p := range places {
		longitudes[i] = normal(p.Longitude)
	}
	slices.Sort(longitudes)
	west = longitudes[0]
	widest := west + 360 - longitudes[len(longitudes)-1]
	for i, l := range longitudes[1:] {
		if gap := l - longitudes[i]; gap > widest {
			west, widest = l, gap
		}
	}
	return west, 360 - widest
}

// normal returns a longitude from -180 and below 180.
func normal(longitude float64) float64 { return math.Mod(longitude+540, 360) - 180 }

// position returns where a place is: from the left and from the top, in percent of the width and the height.
func (a area) position(p api.Place) (x, y float64) {
	east := normal(p.Longitude-a.west-180) + 180 // of the western edge
	return east / a.width * 100, (a.north - p.Latitude) / a.height * 100
}
