// Package atlas decides what a map of some places shows: which part of the world, and where its points are.
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
	// leastHeight is the height of the smallest part that a map shows, in degrees. On a smaller part, nobody
	// would recognise the outlines.
	leastHeight = 10
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
	// the part is beyond 180° east or west.
	Turns []int
	// Points are in the order of the places.
	Points []Point
}

// Point is a point of a map.
type Point struct {
	X, Y   float64 // from the left and from the top, in percent of the width and the height
	Places []int   // the indices of its places; it lies at the first
}

// Of returns a map of some places, of which there is at least one.
func Of(places []api.Place) Map {
	a := areaOf(places)
	m := Map{View: fmt.Sprintf("%g %g %g %g", round(a.west), round(-a.north), round(a.width), round(a.height))}
	for _, turn := range []float64{-360, 0, 360} {
		if a.west < turn+180+beyond && a.west+a.width > turn-180 {
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

// round rounds to hundredths.
func round(n float64) float64 { return math.Round(n*100) / 100 }

// area is a part of the world: its western and northern edges and its extent, in degrees. It may cross 180°
// east; west is from -180 and below 180.
type area struct{ west, north, width, height float64 }

// world is the whole of it.
var world = area{-180, 90, 360, 180}

// areaOf returns the smallest part of the world, with some margin, that has some places.
func areaOf(places []api.Place) area {
	west, across := arcOf(places)
	south, north := places[0].Latitude, places[0].Latitude
	for _, p := range places {
		south, north = min(south, p.Latitude), max(north, p.Latitude)
	}
	middle := (south + north) / 2
	cosine := max(math.Cos(middle*math.Pi/180), leastCosine)
	height := max(leastHeight, (north-south)*(1+2*margin), across*(1+2*margin)*cosine/Ratio)
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
