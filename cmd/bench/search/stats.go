package search

import (
	"cmp"
	"slices"
	"time"

	"catalog.example/cmd/bench/report"
)

// latencies holds the percentiles to show.
type latencies struct {
	n                   int
	p50, p99, p999, max time.Duration
}

func summarise(list []time.Duration) latencies {
	sorted := slices.Sorted(slices.Values(list))
	return latencies{n: len(sorted), p50: report.Percentile(sorted, 0.5), p99: report.Percentile(sorted, 0.99),
		p999: report.Percentile(sorted, 0.999), max: report.Percentile(sorted, 1)}
}

// byCount returns the keys with the greatest counts first, and keys with equal counts in
// alphabetical order.
func byCount(counts map[string]int) []string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return keys
}
