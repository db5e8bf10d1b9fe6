package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// percentile returns the smallest value that at least the share p of the values
// do not exceed (the nearest rank), 0 where there are none. The values are in
// ascending order.
func percentile[T any](sorted []T, p float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	// A little less, lest 0.999 of 1000 be rounded up to the last.
	rank := int(math.Ceil(p*float64(len(sorted)) - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// latencies are the percentiles that are shown.
type latencies struct {
	n                        int
	p50, p99, p999, max, sum time.Duration
}

func summarise(list []time.Duration) latencies {
	sorted := slices.Sorted(slices.Values(list))
	l := latencies{n: len(sorted), p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), p999: percentile(sorted, 0.999), max: percentile(sorted, 1)}
	for _, d := range sorted {
		l.sum += d
	}
	return l
}

func mean[T int | int64 | time.Duration](list []T) float64 {
	sum := 0.0
	for _, v := range list {
		sum += float64(v)
	}
	return sum / float64(max(1, len(list)))
}

// byCount returns the keys with the greatest counts first, equal ones in
// alphabetical order.
func byCount(counts map[string]int) []string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return keys
}

// thousands writes a number with commas between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// short writes a duration with three significant digits, in µs, ms or s.
func short(d time.Duration) string {
	value, unit := float64(d)/1e3, "µs"
	switch {
	case d >= time.Second:
		value, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		value, unit = float64(d)/1e6, "ms"
	}
	digits := 2
	switch {
	case value >= 100:
		digits = 0
	case value >= 10:
		digits = 1
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + unit
}

// times writes how often a fits b: 53× or 1.8×.
func times(a, b float64) string {
	if b == 0 {
		return "–"
	}
	digits := 1
	if a/b >= 10 {
		digits = 0
	}
	return strconv.FormatFloat(a/b, 'f', digits, 64) + "×"
}

func mib(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) }
