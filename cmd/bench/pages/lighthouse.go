package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lighthouseProgram is the path of Lighthouse's command below its folder.
const lighthouseProgram = "node_modules/lighthouse/cli/index.js"

// chromiumFlags make Chromium run without a screen, even as root, and request nothing but the page.
const chromiumFlags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run " +
	"--disable-background-networking --disable-component-update --disable-sync"

// category is a Lighthouse category.
type category int

// The categories.
const (
	performance category = iota
	accessibility
	bestPractices
	seo
	categoryCount
)

// categories holds the names of the categories in reports and tables, and the wanted scores.
var categories = [categoryCount]struct {
	id, title string
	aim       float64
}{
	performance:   {"performance", "performance", 100},
	accessibility: {"accessibility", "accessibility", 100},
	bestPractices: {"best-practices", "best practices", 100},
	seo:           {"seo", "SEO", 100},
}

// metric is a measurement of how a page loads.
type metric int

// The metrics that make up the performance score (Lighthouse 12).
const (
	firstPaint metric = iota
	largestPaint
	blocking
	shift
	speedIndex
	metricCount
)

// metrics holds the audit, title and unit of each metric, and the value up to which Lighthouse
// calls it good on a phone.
var metrics = [metricCount]struct {
	id, title, unit string
	good            float64
}{
	firstPaint:   {"first-contentful-paint", "first paint", "ms", 1800},
	largestPaint: {"largest-contentful-paint", "largest paint", "ms", 2500},
	blocking:     {"total-blocking-time", "blocked", "ms", 200},
	shift:        {"cumulative-layout-shift", "shift", "", 0.1},
	speedIndex:   {"speed-index", "speed index", "ms", 3400},
}

// weight is a kind of file whose bytes are summed.
type weight int

// The kinds of files.
const (
	htmlWeight weight = iota
	cssWeight
	scriptWeight
	otherWeight
	weightCount
)

// visit holds the measurements of one visit to a page.
type visit struct {
	version string // Lighthouse's
	scores  [categoryCount]float64
	metrics [metricCount]float64 // in the units of metrics
	bytes   [weightCount]float64 // on the wire, headers included
	lost    []string             // audits that cost points
}

// attempts limits how often Lighthouse visits an address. Sometimes Lighthouse loses the beginning
// of a trace (NO_NAVSTART) and has to run again.
const attempts = 3

// measure makes Lighthouse visit an address in a new browser, with a new folder below dir.
func measure(ctx context.Context, o *options, dir, address string) (v visit, err error) {
	for range attempts {
		if v, err = measureOnce(ctx, o, dir, address); err == nil || !strings.Contains(err.Error(), "NO_NAVSTART") {
			break
		}
	}
	return v, err
}

func measureOnce(ctx context.Context, o *options, dir, address string) (visit, error) {
	var ids []string
	for _, c := range categories {
		ids = append(ids, c.id)
	}
	args := append([]string{filepath.Join(o.lighthouse, lighthouseProgram), address, "--output=json",
		"--output-path=stdout", "--quiet", "--no-enable-error-reporting",
		"--only-categories=" + strings.Join(ids, ","), "--chrome-flags=" + chromiumFlags}, devices[o.device]...)
	c := exec.CommandContext(ctx, "node", args...)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return visit{}, err
	}
	c.Env = append(os.Environ(), "CHROME_PATH="+chromium, "TMPDIR="+dir)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // Lighthouse then closes its browser
	c.WaitDelay = 10 * time.Second
	var out, told bytes.Buffer
	c.Stdout, c.Stderr = &out, &told
	if err := c.Run(); err != nil {
		return visit{}, fmt.Errorf("lighthouse: %w\n%s", err, told.String())
	}
	return readReport(out.Bytes())
}

// readReport reads the figures to print from Lighthouse's JSON. A report without them is an error.
func readReport(text []byte) (v visit, err error) {
	var report struct {
		LighthouseVersion string
		RuntimeError      struct{ Code, Message string }
		Categories        map[string]struct {
			Score     *float64
			AuditRefs []struct {
				ID     string
				Weight float64
			}
		}
		Audits map[string]struct {
			Title        string
			Score        *float64
			NumericValue *float64
			Details      json.RawMessage // its form depends on the audit
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return visit{}, fmt.Errorf("lighthouse's report: %w", err)
	}
	if report.RuntimeError.Code != "" {
		return visit{}, fmt.Errorf("lighthouse: %s: %s", report.RuntimeError.Code, report.RuntimeError.Message)
	}
	v.version = report.LighthouseVersion
	for i, c := range categories {
		got := report.Categories[c.id]
		if got.Score == nil {
			return visit{}, fmt.Errorf("lighthouse's report has no score of %s", c.id)
		}
		v.scores[i] = *got.Score * 100
		for _, ref := range got.AuditRefs {
			if a := report.Audits[ref.ID]; ref.Weight > 0 && a.Score != nil && *a.Score < 1 {
				v.lost = append(v.lost, fmt.Sprintf("%s %.2f: %s", ref.ID, *a.Score, a.Title))
			}
		}
	}
	for i, m := range metrics {
		a := report.Audits[m.id]
		if a.NumericValue == nil {
			return visit{}, fmt.Errorf("lighthouse's report has no %s", m.id)
		}
		v.metrics[i] = *a.NumericValue
	}
	v.bytes, err = weigh(report.Audits["network-requests"].Details)
	return v, err
}

// weigh sums the bytes that a page loads, by kind, from the details of Lighthouse's audit
// network-requests.
func weigh(details json.RawMessage) (weights [weightCount]float64, err error) {
	var requests struct {
		Items []struct {
			ResourceType string
			TransferSize float64
		}
	}
	if err := json.Unmarshal(details, &requests); err != nil {
		return weights, fmt.Errorf("lighthouse's report of requests: %w", err)
	}
	for _, item := range requests.Items {
		kind := otherWeight
		switch item.ResourceType {
		case "Document":
			kind = htmlWeight
		case "Stylesheet":
			kind = cssWeight
		case "Script":
			kind = scriptWeight
		}
		weights[kind] += item.TransferSize
	}
	if weights[htmlWeight] == 0 {
		return weights, errors.New("lighthouse's report names no document")
	}
	return weights, nil
}

// median returns a visit with the median of each figure. For an even number of visits, that is
// the worse of the two in the middle. Its lost audits are those that cost points in any visit.
func median(visits []visit) visit {
	m := visits[0]
	middle := func(of func(v *visit) float64, worse func(n int) int) float64 {
		var all []float64
		for i := range visits {
			all = append(all, of(&visits[i]))
		}
		slices.Sort(all)
		return all[worse(len(all))]
	}
	lower, upper := func(n int) int { return (n - 1) / 2 }, func(n int) int { return n / 2 }
	for i := range m.scores {
		m.scores[i] = middle(func(v *visit) float64 { return v.scores[i] }, lower)
	}
	for i := range m.metrics {
		m.metrics[i] = middle(func(v *visit) float64 { return v.metrics[i] }, upper)
	}
	for i := range m.bytes {
		m.bytes[i] = middle(func(v *visit) float64 { return v.bytes[i] }, upper)
	}
	// An audit's score may differ between visits. The worst is kept, which sorts first.
	m.lost = nil
	for _, v := range visits {
		m.lost = append(m.lost, v.lost...)
	}
	slices.Sort(m.lost)
	name := func(text string) string { id, _, _ := strings.Cut(text, " "); return id }
	m.lost = slices.CompactFunc(m.lost, func(a, b string) bool { return name(a) == name(b) })
	return m
}
