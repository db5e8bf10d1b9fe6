package snapshot

import (
	"strconv"
	"time"

	"catalog.example/api/search"
	"github.com/prometheus/client_golang/prometheus"
)

// Results of replacing a build.
const (
	resultSuccess = "success"
	resultRefused = "refused"
)

func newReloads() *prometheus.CounterVec {
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_index_reloads_total",
		Help: "Reloads of the index, by result: success, or refused if the new index is unusable and the old one" +
			" stays in use.",
	}, []string{"result"})
	reloads.WithLabelValues(resultSuccess)
	reloads.WithLabelValues(resultRefused)
	return reloads
}

// Describe implements prometheus.Collector. It describes nothing, because labels of the metrics change
// with the build.
func (s *Source) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (s *Source) Collect(to chan<- prometheus.Metric) {
	gauge := func(name, help string, value float64, labels prometheus.Labels) {
		desc := prometheus.NewDesc(name, help, nil, labels)
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
	s.reloads.Collect(to)
	snap := s.Current()
	gauge("catalog_snapshot_info",
		"Always 1; the label names the build in use: its published version, or the hash of its index.",
		1, prometheus.Labels{"version": snap.Version()})
	gauge("catalog_index_info",
		"Always 1; the labels name the index in use: a hash of its contents, and the version of its format.",
		1, prometheus.Labels{"identity": snap.Index.Identity(), "format": strconv.Itoa(search.FormatVersion)})
	gauge("catalog_index_listings", "Listings in the index in use.", float64(snap.Index.Len()), nil)
	gauge("catalog_index_loaded_timestamp_seconds",
		"When the index in use was loaded, in seconds since 1970.", unixSeconds(snap.Loaded), nil)
	if created := snap.Created(); !created.IsZero() {
		gauge("catalog_snapshot_created_timestamp_seconds",
			"When the build in use was published, or if that is unknown, when its index was written, in seconds since"+
				" 1970. Its age is time() minus this.", unixSeconds(created), nil)
	}
	if snap.IndexFile != nil {
		gauge("catalog_index_size_bytes",
			"Size of the index file when it was loaded.", float64(snap.IndexFile.Size()), nil)
		gauge("catalog_index_modified_timestamp_seconds",
			"When the index file in use was written, in seconds since 1970. Its age is time() minus this.",
			unixSeconds(snap.IndexFile.ModTime()), nil)
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
