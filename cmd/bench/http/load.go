//go:build linux

package http

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed cycle.lua
var cycleScript []byte

// figures are what wrk tells of one measurement.
type figures struct {
	requests       int
	took           time.Duration
	p50, p99, p999 time.Duration
	processor      time.Duration // what the server spent
}

// perRequest is the processor time of one request, which other work on the
// machine disturbs least.
func (f figures) perRequest() time.Duration {
	if f.requests == 0 {
		return 0
	}
	return f.processor / time.Duration(f.requests)
}

// perSecond is the throughput.
func (f figures) perSecond() float64 {
	if f.took <= 0 {
		return 0
	}
	return float64(f.requests) / f.took.Seconds()
}

// median returns the figures with the median throughput; of an even number, the
// lower of the middle two.
func median(rounds []figures) figures {
	if len(rounds) == 0 {
		return figures{}
	}
	sorted := slices.Clone(rounds)
	slices.SortFunc(sorted, func(a, b figures) int { return int(a.perSecond() - b.perSecond()) })
	return sorted[(len(sorted)-1)/2]
}

// asking is a request that is sent: a path, and the ETag that the client has, or
// "".
type asking struct{ path, etag string }

// load asks a server as fast as it answers. Every answer must be a success.
func (b *bench) load(ctx context.Context, address string, ask []asking) (figures, error) {
	script, list := filepath.Join(b.dir, "cycle.lua"), filepath.Join(b.dir, "asked.tsv")
	if err := os.WriteFile(script, cycleScript, 0o600); err != nil {
		return figures{}, err
	}
	var lines bytes.Buffer
	for _, a := range ask {
		fmt.Fprintf(&lines, "%s\t%s\n", a.path, a.etag)
	}
	if err := os.WriteFile(list, lines.Bytes(), 0o600); err != nil {
		return figures{}, err
	}
	c := exec.CommandContext(ctx, "taskset", "-c", strconv.Itoa(b.loadCore), "wrk", "-t", "1", "-c", strconv.Itoa(b.connections),
		"-d", strconv.Itoa(b.seconds)+"s", "--latency", "-s", script, "http://"+address, "--", list)
	text, err := c.CombinedOutput()
	if err != nil {
		return figures{}, fmt.Errorf("wrk: %w\n%s", err, text)
	}
	return parseFigures(string(text))
}

// parseFigures reads the line that cycle.lua prints.
func parseFigures(text string) (figures, error) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "figures ")
		if !ok {
			continue
		}
		var n [7]int
		fields := strings.Fields(rest)
		if len(fields) != len(n) {
			return figures{}, fmt.Errorf("wrk: %q has %d fields instead of %d", line, len(fields), len(n))
		}
		for i, f := range fields {
			var err error
			if n[i], err = strconv.Atoi(f); err != nil {
				return figures{}, fmt.Errorf("wrk: %w", err)
			}
		}
		if n[5] > 0 || n[6] > 0 {
			return figures{}, fmt.Errorf("wrk: %d answers are errors, %d requests failed", n[5], n[6])
		}
		if n[0] == 0 {
			return figures{}, errors.New("wrk: nothing was answered")
		}
		us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
		return figures{requests: n[0], took: us(n[1]), p50: us(n[2]), p99: us(n[3]), p999: us(n[4])}, nil
	}
	return figures{}, fmt.Errorf("wrk printed no figures:\n%s", text)
}
