package main

import (
	"slices"
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	thousand := make([]int, 1000)
	for i := range thousand {
		thousand[i] = i + 1
	}
	tests := []struct {
		list []int
		p    float64
		want int
	}{
		{nil, 0.5, 0},
		{[]int{7}, 0, 7},
		{[]int{7}, 0.5, 7},
		{[]int{7}, 1, 7},
		{[]int{1, 2}, 0.5, 1},
		{[]int{1, 2, 3}, 0.5, 2},
		{[]int{1, 2, 3}, 0.67, 3},
		{thousand, 0.5, 500},
		{thousand, 0.99, 990},
		{thousand, 0.999, 999},
		{thousand, 0.9991, 1000},
		{thousand, 1, 1000},
	}
	for _, test := range tests {
		if got := percentile(test.list, test.p); got != test.want {
			t.Errorf("%g of %d values: %d, want %d", test.p, len(test.list), got, test.want)
		}
	}
}

func TestSummarise(t *testing.T) {
	var list []time.Duration
	for i := range 2000 {
		list = append(list, time.Duration(2000-i))
	}
	want := latencies{n: 2000, p50: 1000, p99: 1980, p999: 1998, max: 2000, sum: 2001000}
	if got := summarise(list); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if list[0] != 2000 {
		t.Error("the latencies were sorted in place: they are in the order of the queries")
	}
	if got := mean(list); got != 1000.5 {
		t.Errorf("mean %v, want 1000.5", got)
	}
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		thousands(0): "0", thousands(999): "999", thousands(1000): "1,000", thousands(1234567): "1,234,567",
		short(0): "0.00 µs", short(1500): "1.50 µs", short(12345): "12.3 µs", short(123456): "123 µs",
		short(1234567): "1.23 ms", short(59 * time.Second): "59.0 s", short(999 * time.Millisecond): "999 ms",
		times(5, 2): "2.5×", times(53, 1): "53×", times(1, 0): "–", times(1, 4): "0.2×", mib(3 << 19): "1.5",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := byCount(map[string]int{"b": 2, "a": 2, "c": 3}); !slices.Equal(got, []string{"c", "a", "b"}) {
		t.Errorf("by count: %v", got)
	}
}
