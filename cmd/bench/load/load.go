// Package load sends requests to a server as fast as it answers, with wrk from Debian, and reads
// wrk's measurements.
package load

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed cycle.lua
var cycleScript []byte

// Figures holds the results of one measurement.
type Figures struct {
	Requests       int
	Took           time.Duration
	P50, P99, P999 time.Duration
	Refused        int           // answers whose status is an error
	Failed         int           // requests that got no answer
	Processor      time.Duration // of the server, if measured
}

// PerRequest returns the mean processor time of a request. Other work on the machine affects this
// figure least.
func (f Figures) PerRequest() time.Duration {
	if f.Requests == 0 {
		return 0
	}
	return f.Processor / time.Duration(f.Requests)
}

// PerSecond returns the throughput in requests per second.
func (f Figures) PerSecond() float64 {
	if f.Took <= 0 {
		return 0
	}
	return float64(f.Requests) / f.Took.Seconds()
}

// Check returns an error unless every answer is a success.
func (f Figures) Check() error {
	if f.Refused > 0 || f.Failed > 0 {
		return fmt.Errorf("wrk: %d answers are errors, %d requests failed", f.Refused, f.Failed)
	}
	return nil
}

// Median returns the figures with the median throughput. For an even number of figures, it
// returns the lower of the middle two.
func Median(rounds []Figures) Figures {
	if len(rounds) == 0 {
		return Figures{}
	}
	sorted := slices.Clone(rounds)
	slices.SortFunc(sorted, func(a, b Figures) int { return cmp.Compare(a.PerSecond(), b.PerSecond()) })
	return sorted[(len(sorted)-1)/2]
}

// Request is the path of a request, and the ETag that the client already has, or "".
type Request struct{ Path, ETag string }

// Wrk configures wrk.
type Wrk struct {
	Dir         string // for temporary files
	Core        string // the core of wrk, or "" for any
	Connections int    // connections that stay open
	Seconds     int
}

// Run sends requests to a server. If the context ends early, it returns the figures up to then.
func (w Wrk) Run(ctx context.Context, address string, ask []Request) (Figures, error) {
	script, list := filepath.Join(w.Dir, "cycle.lua"), filepath.Join(w.Dir, "asked.tsv")
	if err := os.WriteFile(script, cycleScript, 0o600); err != nil {
		return Figures{}, err
	}
	var lines bytes.Buffer
	for _, a := range ask {
		fmt.Fprintf(&lines, "%s\t%s\n", a.Path, a.ETag)
	}
	if err := os.WriteFile(list, lines.Bytes(), 0o600); err != nil {
		return Figures{}, err
	}
	args := onCore(w.Core, "wrk", "-t", "1", "-c", strconv.Itoa(w.Connections), "-d", strconv.Itoa(w.Seconds)+"s",
		"--latency", "-s", script, "http://"+address, "--", list)
	var text bytes.Buffer
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdout, c.Stderr = &text, &text
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) } // wrk stops and prints
	c.WaitDelay = time.Minute
	if err := c.Run(); err != nil && ctx.Err() == nil {
		return Figures{}, fmt.Errorf("wrk: %w\n%s", err, text.String())
	}
	return parse(text.String())
}

// parse reads the line that cycle.lua prints.
func parse(text string) (Figures, error) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "figures ")
		if !ok {
			continue
		}
		var n [7]int
		fields := strings.Fields(rest)
		if len(fields) != len(n) {
			return Figures{}, fmt.Errorf("wrk: %q has %d fields instead of %d", line, len(fields), len(n))
		}
		for i, f := range fields {
			var err error
			if n[i], err = strconv.Atoi(f); err != nil {
				return Figures{}, fmt.Errorf("wrk: %w", err)
			}
		}
		if n[0] == 0 {
			return Figures{}, errors.New("wrk: nothing was answered")
		}
		us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
		return Figures{Requests: n[0], Took: us(n[1]), P50: us(n[2]), P99: us(n[3]), P999: us(n[4]), Refused: n[5],
			Failed: n[6]}, nil
	}
	return Figures{}, fmt.Errorf("wrk printed no figures:\n%s", text)
}

// Answer is a server's answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Capture requests every address from a server and returns the answers.
func Capture(ctx context.Context, address string, ask []Request) ([]Answer, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	answers := make([]Answer, len(ask))
	for i, a := range ask {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+a.Path, nil)
		if err != nil {
			return nil, err
		}
		want := http.StatusOK
		if a.ETag != "" {
			request.Header.Set("If-None-Match", a.ETag)
			want = http.StatusNotModified
		}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, err
		}
		if response.StatusCode != want {
			return nil, fmt.Errorf("%s is answered %d instead of %d", a.Path, response.StatusCode, want)
		}
		answers[i] = Answer{response.StatusCode, response.Header, body}
	}
	return answers, nil
}
