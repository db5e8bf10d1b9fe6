package snapshot

import (
	"strconv"
	"time"

	"catalog.example/api/search"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	snapshotInfo = prometheus.NewDesc("catalog_snapshot_info",
		"Always 1; the label names the build in use: its published version, or the hash of its index.",
		[]string{"version"}, nil)
	snapshotCreated = prometheus.NewDesc("catalog_snapshot_created_timestamp_seconds",
		"When the build in use was published, or if that is unknown, when its index was written, in seconds since"+
			" 1970. Its age is time() minus this.", nil, nil)
	indexInfo = prometheus.NewDesc("catalog_index_info",
		"Always 1; the labels name the index in use: a hash of its contents, and the version of its format.",
		[]string{"identity", "format"}, nil)
	indexListings = prometheus.NewDesc("catalog_index_listings", "Listings in the index in use.", nil, nil)
	indexSize     = prometheus.NewDesc("catalog_index_size_bytes",
		"Size of the index file when it was loaded.", nil, nil)
	indexModified = prometheus.NewDesc("catalog_index_modified_timestamp_seconds",
		"When the index file in use was written, in seconds since 1970. Its age is time() minus this.", nil, nil)
	indexLoaded = prometheus.NewDesc("catalog_index_loaded_timestamp_seconds",
		"When the index in use was loaded, in seconds since 1970.", nil, nil)
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

// Describe implements prometheus.Collector.
func (s *Source) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, to) }

// Collect implements prometheus.Collector: it tells what is known of the snapshot in use.
func (s *Source) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	s.reloads.Collect(to)
	snap := s.Current()
	gauge(snapshotInfo, 1, snap.Version())
	gauge(indexInfo, 1, snap.Index.Identity(), strconv.Itoa(search.FormatVersion))
	gauge(indexListings, float64(snap.Index.Len()))
	gauge(indexLoaded, unixSeconds(snap.Loaded))
	if created := snap.Created(); !created.IsZero() {
		gauge(snapshotCreated, unixSeconds(created))
	}
	if snap.IndexFile != nil {
		gauge(indexSize, float64(snap.IndexFile.Size()))
		gauge(indexModified, unixSeconds(snap.IndexFile.ModTime()))
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
