package soak

import "testing"

func TestRounds(t *testing.T) {
	tenth := 20
	if testing.Short() {
		tenth = 2
	}
	for _, c := range []struct {
		variable string
		all      int
		want     int
	}{{"", 200, tenth}, {"", 5, 1}, {"1", 200, 200}} {
		t.Setenv(Variable, c.variable)
		if got := Rounds(c.all); got != c.want {
			t.Errorf("with %s=%q, Rounds(%d) = %d, want %d", Variable, c.variable, c.all, got, c.want)
		}
	}
}
