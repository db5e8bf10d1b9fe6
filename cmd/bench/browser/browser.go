// Package browser measures searches in the browser (search: browser) over the shipped listings, and
// compares them with Pagefind, which searches the pages of the same listings.
//
// The input is the content folder and a program built with the browser engine. The benchmark prints
// how many bytes a browser loads for the first answer, how long that answer takes with an empty and
// with a filled cache, and how long later answers take, each with its limit.
//
// The package serves the files itself: all share 1.6 Mbit/s, each starts 150 ms after its request,
// and text is compressed with gzip. browser.mjs emulates the phone.
//
//	bench browser -rounds 5
package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// The phone's network: Lighthouse's slow 4G.
const (
	bytesPerSecond = 1_600_000 / 8
	latency        = 150 * time.Millisecond
)

// What is aimed at on the phone, until the first answer with an empty cache.
const (
	aimBytes = 1_500_000
	aimCold  = 7_000 // milliseconds
)

// Limits on bytes and times.
const (
	maxBytes  = 1_320_000
	maxCold   = 12_000 // milliseconds
	maxCached = 1_500
	maxLater  = 30
	listings  = 550 // the size of the catalogue for which maxBytes is set
)

type options struct {
	content, program string
	rounds           int
}

// Benchmark defines the command bench browser.
var Benchmark = command.Benchmark{
	Name: "browser", Summary: "pages that search themselves, on an emulated phone, beside Pagefind",
	Timeout: 30 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.program, "program", "bin/catalog", "`program` with the engine for browsers")
		flags.IntVar(&o.rounds, "rounds", 5, "how often each is measured")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// engine holds the measurements of one engine: medians of the rounds, with times in milliseconds.
type engine struct {
	Cold, Cached float64 // from the first key press to the first answer
	Later, Worst float64 // of later answers: the median and the slowest
	Factor       float64 // how much slower the page runs than this machine
	Bytes        sent    // loaded until the first answer, with an empty cache
}

// engines holds the measurements of both engines on one device.
type engines struct{ Ours, Peer engine }

type sent struct {
	Total int
	Files map[string]int
}

func run(ctx context.Context, o options, out io.Writer) error {
	if o.rounds < 1 {
		return errors.New("-rounds must be at least 1")
	}
	if err := program.Require("bench-browser", "chromium", "node"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-browser-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // leftover temporary files are harmless
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	public, bundle := filepath.Join(dir, "public"), filepath.Join(dir, "bundle")
	count, err := build(ctx, &o, public, base)
	if err != nil {
		return err
	}
	host := &phoneNetwork{public: http.FileServer(http.Dir(public)),
		bundle: http.StripPrefix("/bundle", http.FileServer(http.Dir(bundle)))}
	server := &http.Server{Handler: host, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // returns when the server is closed
	defer func() { _ = server.Close() }()
	m, err := measure(ctx, dir, base, public, bundle, strconv.Itoa(o.rounds))
	if err != nil {
		return err
	}
	if err := printSizes(out, count, &m.Phone); err != nil {
		return err
	}
	if err := printDevices(out, o.rounds, &m); err != nil {
		return err
	}
	phone := &m.Phone.Ours
	return report.PrintAims(out, []report.Aim{
		{Name: "loaded until the first answer", Wanted: "at most " + kilobytes(aimBytes),
			Reached: kilobytes(phone.Bytes.Total), Met: phone.Bytes.Total <= aimBytes},
		{Name: "first answer on the phone", Wanted: "at most " + milliseconds(aimCold),
			Reached: milliseconds(phone.Cold), Met: phone.Cold <= aimCold},
	})
}

func kilobytes(n int) string        { return report.Fixed(float64(n)/1000, 0) + " KB" }
func milliseconds(n float64) string { return report.Fixed(n, 0) + " ms" }

// build builds a site that is searched in the browser, and returns the number of its listings.
func build(ctx context.Context, o *options, public, base string) (int, error) {
	c := exec.CommandContext(ctx, o.program, "build", "--json", "--pictures=off", "--content", o.content,
		"--out", public, "--base-url", base)
	c.Env = append(os.Environ(), "CATALOG_SEARCH=browser")
	built, err := c.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: run make bench-browser, which builds it with the engine", o.program, err)
	}
	var site struct{ Listings int }
	if err := json.Unmarshal(built, &site); err != nil {
		return 0, err
	}
	if site.Listings == 0 {
		return 0, fmt.Errorf("%s has no listings", o.content)
	}
	return site.Listings, nil
}

// devices holds the measurements of both engines on each device.
type devices struct{ Machine, Phone, Slowest engines }

// measure runs browser.mjs with Chromium. Temporary files go into dir.
func measure(ctx context.Context, dir string, args ...string) (m devices, err error) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return m, err
	}
	c := exec.CommandContext(ctx, "node", append([]string{"cmd/bench/browser/browser.mjs"}, args...)...)
	c.Env = append(os.Environ(), "CHROME_PATH="+chromium, "TMPDIR="+dir)
	var told bytes.Buffer
	c.Stderr = &told
	text, err := c.Output()
	if err != nil {
		return m, fmt.Errorf("browser.mjs: %w\n%s", err, told.String())
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("browser.mjs prints %q: %w", text, err)
	}
	return m, nil
}

func printDevices(out io.Writer, rounds int, m *devices) error {
	for _, device := range []struct {
		name     string
		measured *engines
	}{
		{"this machine", &m.Machine},
		{fmt.Sprintf("a phone as Lighthouse has it: the thread of the page is %.1f times slower, workers are not",
			m.Phone.Ours.Factor), &m.Phone},
		{fmt.Sprintf("all threads of the page are %.1f times slower", m.Slowest.Ours.Factor), &m.Slowest},
	} {
		fmt.Fprintf(out, "\n%s; medians of %d rounds\n", device.name, rounds)
		if err := printTimes(out, device.measured); err != nil {
			return err
		}
	}
	return nil
}

func printSizes(out io.Writer, count int, m *engines) error {
	scaled := 0
	for name, n := range m.Ours.Bytes.Files {
		if strings.HasSuffix(name, ".idx.lzma") {
			n = n * listings / count
		}
		scaled += n
	}
	fmt.Fprintf(out, "\n%d listings; 1.6 Mbit/s with 150 ms; what is loaded until the first answer\n", count)
	table := report.NewTable(out, "", "on the wire", "ours", "Pagefind", "ours to it", "wanted", "")
	table.Row("all", kilobytes(m.Ours.Bytes.Total), kilobytes(m.Peer.Bytes.Total),
		report.Fixed(float64(m.Ours.Bytes.Total)/float64(m.Peer.Bytes.Total), 2), "", "")
	table.Row(fmt.Sprintf("with the index of %d listings", listings), kilobytes(scaled), "", "",
		"≤ "+kilobytes(maxBytes), report.Verdict(scaled <= maxBytes))
	return table.Print()
}

func printTimes(out io.Writer, m *engines) error {
	table := report.NewTable(out, "", "time", "ours", "Pagefind", "ours to it", "wanted", "")
	for _, row := range []struct {
		name              string
		ours, peer, limit float64
	}{
		{"first answer, empty cache", m.Ours.Cold, m.Peer.Cold, maxCold},
		{"first answer, from the cache", m.Ours.Cached, m.Peer.Cached, maxCached},
		{"later answers, median of 30", m.Ours.Later, m.Peer.Later, maxLater},
		{"later answers, slowest of 30", m.Ours.Worst, m.Peer.Worst, maxLater},
	} {
		table.Row(row.name, milliseconds(row.ours), milliseconds(row.peer),
			report.Fixed(row.ours/row.peer, 2), "≤ "+milliseconds(row.limit),
			report.Verdict(row.ours <= row.limit))
	}
	return table.Print()
}

// phoneNetwork serves files as if over a phone's network: all share bytesPerSecond, and each is
// delayed by latency. It counts the bytes sent.
type phoneNetwork struct {
	public, bundle http.Handler
	mu             sync.Mutex
	free           time.Time // when the line is free again
	sent           sent
}

func (n *phoneNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/sent" {
		n.mu.Lock()
		text, err := json.Marshal(n.sent)
		n.sent = sent{}
		n.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(text) // the client may have disconnected
		return
	}
	handler, inBundle := n.public, strings.HasPrefix(r.URL.Path, "/bundle/")
	if inBundle {
		handler = n.bundle
	}
	var answer bufferedAnswer
	handler.ServeHTTP(&answer, r)
	body := answer.body.Bytes()
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	if isText(answer.Header().Get("Content-Type")) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body) // writing to a bytes.Buffer cannot fail
		_ = z.Close()
		body = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	if strings.Contains(r.URL.Path, "/assets/") || inBundle {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	time.Sleep(latency)
	w.WriteHeader(answer.status)
	for len(body) > 0 {
		size := min(len(body), 4096)
		n.wait(r.URL.Path, size)
		if _, err := w.Write(body[:size]); err != nil {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		body = body[size:]
	}
}

// wait waits until the line has sent size more bytes, and counts them.
func (n *phoneNetwork) wait(path string, size int) {
	n.mu.Lock()
	n.free = time.Now().Add(max(0, time.Until(n.free))).Add(time.Duration(size) * time.Second / bytesPerSecond)
	until := n.free
	if n.sent.Files == nil {
		n.sent.Files = map[string]int{}
	}
	n.sent.Files[path] += size
	n.sent.Total += size
	n.mu.Unlock()
	time.Sleep(time.Until(until))
}

func isText(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "application/json") ||
		strings.HasPrefix(contentType, "application/javascript")
}

// bufferedAnswer keeps an answer in memory.
type bufferedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *bufferedAnswer) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

// WriteHeader implements http.ResponseWriter.
func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *bufferedAnswer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.body.Write(p)
}
