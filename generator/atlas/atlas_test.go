package atlas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"catalog.example/api"
)

// placesAt returns places at latitudes and longitudes, in turn.
func placesAt(degrees ...float64) (list []api.Place) {
	for i := 0; i < len(degrees); i += 2 {
		list = append(list, api.Place{Latitude: degrees[i], Longitude: degrees[i+1]})
	}
	return list
}

func TestMaps(t *testing.T) {
	for name, test := range map[string]struct {
		places []api.Place
		view   string
		turns  string
		points string
	}{
		"one place":               {placesAt(0, 10), "0 -5 20 10", "[0]", "[{50 50 [0]}]"},
		"one place in the north":  {placesAt(60, 10), "-10 -65 40 10", "[0]", "[{50 50 [0]}]"},
		"two far apart":           {placesAt(10, 0, -10, 20), "-16 -13 52 26", "[0]", "[{30.77 11.54 [0]} {69.23 88.46 [1]}]"},
		"nearly the same place":   {placesAt(0, 10, 0.1, 10.1, 3, 10), "6.15 -3.45 7.8 3.9", "[0]", "[{49.36 88.46 [0 1]} {49.36 11.54 [2]}]"},
		"across 180° east":        {placesAt(0, 175, 0, -175), "173.5 -3.25 13 6.5", "[0 360]", "[{11.54 50 [0]} {88.46 50 [1]}]"},
		"at 180° and -180°":       {placesAt(0, 180, 0, -180), "170 -5 20 10", "[0 360]", "[{50 50 [0 1]}]"},
		"just west of 180° east":  {placesAt(0, 179.5), "169.5 -5 20 10", "[0 360]", "[{50 50 [0]}]"},
		"just east of 180° east":  {placesAt(0, -179.5), "170.5 -5 20 10", "[0 360]", "[{50 50 [0]}]"},
		"the North Pole":          {placesAt(90, 0), "-50 -90 100 10", "[0]", "[{50 6 [0]}]"},
		"the South Pole":          {placesAt(-90, 120), "70 80 100 10", "[0]", "[{50 94 [0]}]"},
		"both poles":              {placesAt(90, 0, -90, 0), "-180 -90 360 180", "[-360 0]", "[{50 6 [0]} {50 94 [1]}]"},
		"all around the equator":  {placesAt(0, -180, 0, -90, 0, 0, 0, 90), "-180 -90 360 180", "[-360 0]", "[{3 50 [0]} {25 50 [1]} {50 50 [2]} {75 50 [3]}]"},
		"opposite ends of a line": {placesAt(0, -90, 0, 90), "-117 -58.5 234 117", "[0]", "[{11.54 50 [0]} {88.46 50 [1]}]"},
	} {
		m := Of(test.places)
		if m.View != test.view || fmt.Sprint(m.Turns) != test.turns || fmt.Sprint(m.Points) != test.points {
			t.Errorf("%s: view %q, turns %v, points %v; want %q, %s, %s", name, m.View, m.Turns, m.Points, test.view, test.turns, test.points)
		}
	}
}

// TestSmallAreas checks that a map of a small area has a scale, an overview, and land only if that is not too coarse.
func TestSmallAreas(t *testing.T) {
	for name, test := range map[string]struct {
		places             []api.Place
		km, scale          float64
		overview, overAt   string
		turnsOfOverview    string
		hasLand, hasScaled bool
	}{
		"one place":            {placesAt(48, 2, 48, 362), 0, 0, "", "", "", true, false},
		"a continent":          {placesAt(40, 0, 50, 20), 0, 0, "", "", "", true, false},
		"a country":            {placesAt(50, 5, 53, 8), 200, 23.09, "-9.56 -56.5 32.13 10", "50 50", "[0]", true, true},
		"a town":               {placesAt(48.1, 2.1, 48.11, 2.14), 0.5, 12.95, "-12.86 -53.11 29.95 10", "50 50", "[0]", false, true},
		"a campus":             {placesAt(48.1, 2.1, 48.101, 2.1), 0.1, 22.48, "-12.87 -53.1 29.95 10", "50 50", "[0]", false, true},
		"on both sides of 180": {placesAt(-17, 179.99, -17, -179.99), 0.5, 18.08, "169.54 12 20.91 10", "50 50", "[0 360]", false, true},
	} {
		m := Of(test.places)
		if m.ScaleKM != test.km || m.Scale != test.scale || (len(m.Turns) > 0) != test.hasLand || (m.Overview != nil) != test.hasScaled {
			t.Errorf("%s: %+v", name, m)
		}
		if o := m.Overview; o != nil && (o.View != test.overview || fmt.Sprintf("%g %g", o.Points[0].X, o.Points[0].Y) != test.overAt || len(o.Points) != 1 || fmt.Sprint(o.Turns) != test.turnsOfOverview) {
			t.Errorf("%s: the overview is %+v", name, *o)
		}
	}
}

// TestManyPlaces checks that each place is at one point, in the order of the places, that points are apart and within
// the map, and that thousands of places have few.
func TestManyPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, extent := range []float64{0.0001, 0.01, 3, 20, 180} {
		var degrees []float64
		for range 3000 {
			degrees = append(degrees, (r.Float64()-0.5)*extent, 170+(r.Float64()-0.5)*2*extent)
		}
		m := Of(placesAt(degrees...))
		if len(m.Points) > 120 {
			t.Errorf("%g degrees: %d points", extent, len(m.Points))
		}
		seen, last := map[int]bool{}, -1
		for _, p := range m.Points {
			if p.X < 3 || p.X > 97 || p.Y < 6 || p.Y > 94 {
				t.Errorf("%g degrees: a point at %g, %g", extent, p.X, p.Y)
			}
			if p.Places[0] <= last {
				t.Errorf("%g degrees: points are not in the order of the places", extent)
			}
			last = p.Places[0]
			for _, i := range p.Places {
				seen[i] = true
			}
		}
		if len(seen) != 3000 {
			t.Errorf("%g degrees: %d places are on the map", extent, len(seen))
		}
	}
}
