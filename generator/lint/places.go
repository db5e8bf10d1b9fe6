package lint

import (
	"math"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// Limits for places that lie far from the others.
const (
	minPlaces   = 10   // fewer say nothing about where the others lie
	farKM       = 1000 // at least so far
	farDistance = 10   // and so many times the distance of most places
)

// checkPlaces warns of places that lie far from nearly all others. One of them would make the maps of lists show the
// world.
func checkPlaces(c *catalog, found *findings) {
	for i := range c.Taxonomy.Facts {
		f := &c.Taxonomy.Facts[i]
		if f.Kind != api.FactPlace {
			continue
		}
		var listings []*content.Listing
		var places []api.Place
		for _, l := range c.Listings {
			if p, ok := l.FitNotes.Get(f.Key).(api.Place); ok {
				listings, places = append(listings, l), append(places, p)
			}
		}
		if len(places) < minPlaces {
			continue
		}
		middle := medianPlace(places)
		distances := make([]float64, len(places))
		for i, p := range places {
			distances[i] = p.KMTo(middle)
		}
		limit := max(farKM, farDistance*median(distances))
		for i, p := range places {
			if distances[i] <= limit {
				continue
			}
			hint := ""
			turned := api.Place{Latitude: p.Longitude, Longitude: p.Latitude}
			if math.Abs(turned.Latitude) <= 90 && turned.KMTo(middle) <= limit {
				hint = "the latitude and the longitude are probably swapped; "
			}
			found.at(&listings[i].Document, rule.FarPlace, at("fitNotes", f.Key),
				"%s: is %.0f km from the middle of the others, of which half lie within %.0f km: %sif it is right, write "+
					"%s: \"off\" below rules in catalog.yml", f.Key, distances[i], median(distances), hint,
				rule.FarPlace.Name)
		}
	}
}

// medianPlace returns a place in the middle of most of some places.
func medianPlace(places []api.Place) api.Place {
	var latitudes, longitudes []float64
	for _, p := range places {
		latitudes = append(latitudes, p.Latitude)
		// Degrees from the first place do not break at 180° east.
		longitudes = append(longitudes, math.Remainder(p.Longitude-places[0].Longitude, 360))
	}
	return api.Place{Latitude: median(latitudes), Longitude: places[0].Longitude + median(longitudes)}
}

// median returns the middle one of some numbers.
func median(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
