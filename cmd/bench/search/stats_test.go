package search

import (
	"slices"
	"testing"
	"time"
)

func TestSummarise(t *testing.T) {
	var list []time.Duration
	for i := range 2000 {
		list = append(list, time.Duration(2000-i))
	}
	want := latencies{n: 2000, p50: 1000, p99: 1980, p999: 1998, max: 2000}
	if got := summarise(list); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if list[0] != 2000 {
		t.Error("the latencies were sorted in place: they are in the order of the queries")
	}
}

func TestByCount(t *testing.T) {
	if got := byCount(map[string]int{"b": 2, "a": 2, "c": 3}); !slices.Equal(got, []string{"c", "a", "b"}) {
		t.Errorf("by count: %v", got)
	}
}
