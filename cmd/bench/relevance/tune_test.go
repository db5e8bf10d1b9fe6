package relevance

import (
	"errors"
	"maps"
	"slices"
	"testing"
)

func TestTuneFindsTheTop(t *testing.T) {
	steps := []float64{0, 1, 2, 3, 4, 5, 6}
	knobs := []knob{{"x", 0, steps}, {"y", 0, steps}, {"z", 0, onOff}}
	tried := 0
	settings, score, err := tune(knobs, func(s map[string]float64) (float64, error) {
		tried++
		// The best x depends on y, so that one round is not enough.
		dx, dy := s["x"]-s["y"], s["y"]-4
		return s["z"] - dx*dx/4 - dy*dy, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"x": 4, "y": 4, "z": 1}; !maps.Equal(settings, want) || score != 1 {
		t.Errorf("found %v with %v, want %v with 1", settings, score, want)
	}
	if bound := 1 + maxRounds*(4+4+1); tried > bound {
		t.Errorf("tried %d settings, want at most %d", tried, bound)
	}
}

// A knob without effect stays where it is: settings that mean nothing would
// look as if they did.
func TestTuneLeavesEqualsAlone(t *testing.T) {
	settings, _, err := tune([]knob{{"x", 1, []float64{0, 1, 2}}}, func(map[string]float64) (float64, error) { return 0.5, nil })
	if err != nil || settings["x"] != 1 {
		t.Errorf("x is turned to %v (error %v), want 1", settings["x"], err)
	}
}

func TestTuneStopsAtAnError(t *testing.T) {
	broken := errors.New("broken")
	for failing := range 3 {
		tried := 0
		_, _, err := tune([]knob{{"x", 0, onOff}, {"y", 0, onOff}}, func(map[string]float64) (float64, error) {
			if tried++; tried > failing {
				return 0, broken
			}
			return 0, nil
		})
		if !errors.Is(err, broken) || tried != failing+1 {
			t.Errorf("error %v after %d trials, want %v after %d", err, tried, broken, failing+1)
		}
	}
}

func TestNearSteps(t *testing.T) {
	k := knob{steps: []float64{0, 1, 2, 4, 8, 16}}
	for value, want := range map[float64][]float64{
		0: {1, 2}, 1: {0, 2, 4}, 4: {1, 2, 8, 16}, 16: {4, 8}, 3: {1, 2, 4, 8}, 99: {8, 16},
	} {
		if got := nearSteps(k, value); !slices.Equal(got, want) {
			t.Errorf("near %v: %v, want %v", value, got, want)
		}
	}
}

// Tuning starts from the steps, and a knob named twice would lose one value.
func TestKnobs(t *testing.T) {
	for _, p := range peers {
		if got := len(p.settings()); got != len(p.knobs) {
			t.Errorf("%s: %d settings from %d knobs", p.name, got, len(p.knobs))
		}
		for _, k := range p.knobs {
			if !slices.IsSorted(k.steps) || len(k.steps) < 2 {
				t.Errorf("%s: the steps of %s are %v, want them ascending", p.name, k.name, k.steps)
			}
			if !slices.Contains(k.steps, k.value) {
				t.Errorf("%s: %s is %v, which is none of its steps %v", p.name, k.name, k.value, k.steps)
			}
		}
	}
}
