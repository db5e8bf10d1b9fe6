package load

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	got, err := parse("Running 3s test\n  1 threads\nfigures 30000 3000000 150 900 4000 0 0\n")
	if err != nil || got.PerSecond() != 10_000 || got.P50 != 150*time.Microsecond || got.P99 != 900*time.Microsecond || got.P999 != 4*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                                   "no figures",
		"figures 1 2 3\n":                    "3 fields",
		"figures 1 2 3 4 5 6 x\n":            "invalid syntax",
		"figures 10 1000000 1 1 1 3 0\n":     "3 answers are errors",
		"figures 10 1000000 1 1 1 0 2\n":     "2 requests failed",
		"figures 0 1000000 0 0 0 0 0\n":      "nothing was answered",
		"nofigures 10 1000000 1 1 1 0 0\n":   "no figures",
		"figures 10 1000000 1 1 1 0 0 9 9\n": "9 fields",
	} {
		f, err := parse(text)
		if err == nil {
			err = f.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct{ rounds, want []int }{
		{nil, []int{0}}, {[]int{5}, []int{5}}, {[]int{9, 1, 5}, []int{5}}, {[]int{8, 2, 6, 4}, []int{4}}, {[]int{2, 1}, []int{1}},
	} {
		var rounds []Figures
		for _, n := range test.rounds {
			rounds = append(rounds, Figures{Requests: n, Took: time.Second})
		}
		if got := Median(rounds); got.Requests != test.want[0] {
			t.Errorf("of %v: %d, want %d", test.rounds, got.Requests, test.want[0])
		}
	}
}

func TestFigures(t *testing.T) {
	f := Figures{Requests: 500, Took: 2 * time.Second, Processor: time.Second}
	if f.PerSecond() != 250 || f.PerRequest() != 2*time.Millisecond {
		t.Errorf("%v a second, %v each", f.PerSecond(), f.PerRequest())
	}
	var none Figures
	if none.PerSecond() != 0 || none.PerRequest() != 0 {
		t.Error("nothing was measured")
	}
}
