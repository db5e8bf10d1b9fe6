package api

import (
	"math"
	"regexp"
	"testing"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	berlin := Place{Latitude: 52.52, Longitude: 13.4}
	for _, test := range []struct {
		to Place
		km float64
	}{
		{berlin, 0}, {Place{Latitude: 53.55, Longitude: 10}, 254.5}, {Place{Latitude: -52.52, Longitude: -166.6}, math.Pi * earthKM},
	} {
		if got := berlin.KMTo(test.to); math.Abs(got-test.km) > 0.05 {
			t.Errorf("%v is %g km away, want %g", test.to, got, test.km)
		}
	}
	pattern := regexp.MustCompile(PlacePattern)
	for want, p := range map[string]Place{
		"52.52,13.4,4": berlin, "-0.123457,-180,4": {Latitude: -0.12345678, Longitude: -180}, "90,0.000001,4": {Latitude: 90, Longitude: 0.000001},
	} {
		got := p.Around(3)
		if c, ok := circleOf(got); got != want || !pattern.MatchString(got) || !ok || !c.has(p.Latitude, p.Longitude) {
			t.Errorf("around %v is %q, want %q", p, got, want)
		}
	}
}

func TestMiddleOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ places, want []float64 }{
		{[]float64{52.52, 13.4}, []float64{52.52, 13.4}},
		{[]float64{52, 13, 53, 14}, []float64{52.5, 13.5}},
		{[]float64{-17, 179, -18, -179.5}, []float64{-17.5, 179.75}},
	} {
		var places []Place
		for at := 0; at < len(test.places); at += 2 {
			places = append(places, Place{test.places[at], test.places[at+1], "here"})
		}
		if got, want := MiddleOf(places), (Place{test.want[0], test.want[1], "here"}); got != want {
			t.Errorf("the middle of %v is %v, want %v", test.places, got, want)
		}
	}
}
