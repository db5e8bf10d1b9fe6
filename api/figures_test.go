package api

import (
	"math"
	"regexp"
	"strings"
	"testing"
)

// Texts that are no places, and how far places are from a circle around others.
func TestCircleOf(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(PlacePattern)
	for _, text := range []string{"", "52.52", "52.52,13.4,1,2", "91,0", "0,181", "1,2,-1", "1,2,-0", "1e1,2", "NaN,0", ",", "1,", "1.,2", "+1,2", "1,2\n", "1, 2 3",
		"Dublin", strings.Repeat("1", 16) + ",0"} {
		if c, ok := circleOf(text); ok {
			t.Errorf("%q is taken for %+v", text, c)
		}
		if pattern.MatchString(text) && text != "91,0" && text != "0,181" { // a pattern does not compare
			t.Errorf("the pattern matches %q", text)
		}
	}
	for _, c := range []struct {
		text                string
		latitude, longitude float64
		within              bool
	}{
		{"52.52, 13.4", 52.52, 13.4, true},                    // as maps copy it
		{" 52.5200066 ,13.404954000000012", 52.6, 13.4, true}, // as phones give it
		{"52.52,13.4", 52.8, 13.4, false},                     // 31 km
		{"52.52,13.4, 32", 52.8, 13.4, true},
		{"0,179.9", 0, -179.9, true}, // 22 km over the antimeridian
		{"90,0", 89.9, 180, true},    // 11 km beside the pole
		{"-90,0", 90, 0, false},
		{"-90,0,20016", 90, 0, true}, // half the way around the Earth
		{"1,2,0", 1, 2, true},
		{"1,2,0", 1, 2.00001, false},
		{"1,2,99999", math.NaN(), math.NaN(), false},
	} {
		circle, ok := circleOf(c.text)
		if !ok || !pattern.MatchString(c.text) {
			t.Errorf("%q is no place", c.text)
		}
		if got := circle.has(c.latitude, c.longitude); got != c.within {
			t.Errorf("%q has %v,%v: %v", c.text, c.latitude, c.longitude, got)
		}
	}
}

// Each way to compare with each span, whose ends are in it.
func TestBoundOf(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	spans := [][2]float64{{1, 1}, {1, 5}, {2, 3}, {3, 4}, {4, 9}, {6, 7}, {nan, nan}}
	for match, want := range map[string]string{
		// What of the spans passes, asked for 2 to 4.
		MatchAtMost: "x.xx...", MatchBefore: "x.xx...", MatchAtLeast: "..xxxx.", MatchAfter: "..xxxx.", MatchWithin: ".x.....",
	} {
		b, got := BoundOf(match, 2, 4), ""
		most, least, isMost, isLeast := b.Only()
		for _, span := range spans {
			allows := b.Allows(span[0], span[1])
			if isMost && allows != (span[1] <= most) || isLeast && allows != (span[0] >= least) {
				t.Errorf("%s: the only limit differs for %v", match, span)
			}
			got += map[bool]string{true: "x", false: "."}[allows]
		}
		if got != want || isMost == isLeast && match != MatchWithin {
			t.Errorf("%s allows %s, want %s (%v, %v)", match, got, want, isMost, isLeast)
		}
	}
}

func FuzzCircleOf(f *testing.F) {
	pattern := regexp.MustCompile(PlacePattern)
	f.Add("52.52, 13.4,10")
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := circleOf(text)
		if ok && (!pattern.MatchString(text) || !(c.km >= 0) || c.km > 0.001 && !c.has(c.latitude, c.longitude)) {
			t.Errorf("%q is taken for %+v", text, c)
		}
	})
}

func FuzzDaysOf(f *testing.F) {
	pattern := regexp.MustCompile(DatePattern)
	f.Add("2026-02-28")
	f.Fuzz(func(t *testing.T, text string) {
		first, last, ok := daysOf(text)
		if ok && (!pattern.MatchString(text) || first > last || last-first > 365) {
			t.Errorf("%q is taken for the days from %v to %v", text, first, last)
		}
	})
}
