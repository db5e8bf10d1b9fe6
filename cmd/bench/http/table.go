//go:build linux

package http

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"catalog.example/cmd/bench/load"
	"catalog.example/cmd/bench/report"
)

// speed holds the measurements of one kind of request.
type speed struct {
	kind
	bytes   int64 // mean size of a body
	figures [serverCount]load.Figures
}

// ratio returns the throughput of one server relative to that of another, or 0 if the other has
// none.
func (s *speed) ratio(of, to server) float64 {
	if base := s.figures[to].PerSecond(); base > 0 {
		return s.figures[of].PerSecond() / base
	}
	return 0
}

// processorRatio returns how many requests one server answers in the processor time that another
// needs for one, or 0 if either was not measured. Other work on the machine affects it less than it
// affects throughput.
func (s *speed) processorRatio(of, to server) float64 {
	mine := s.figures[of].PerRequest()
	if mine <= 0 {
		return 0
	}
	return float64(s.figures[to].PerRequest()) / float64(mine)
}

// memory is the memory of our server after the load.
type memory struct {
	listings  int
	anonymous int64 // bytes
}

// results holds all measurements.
type results struct {
	speeds []speed
	memory []memory
	binary int64           // bytes
	ready  []time.Duration // sorted
}

// Aims for the process.
const (
	aimFew    = 48 << 20  // bytes of anonymous memory with the shipped listings
	aimMany   = 300 << 20 // with a hundred thousand
	aimBinary = 25 << 20  // bytes
	aimReady  = 50 * time.Millisecond
)

func (r *results) print(out io.Writer, o *options) error {
	fmt.Fprintf(out, "\n%s, %d listings, seed %d; one core for the server, one for the load; %d connections stay "+
		"open, %d s, median of %d rounds\n",
		runtime.Version(), o.listings, o.seed, o.connections, o.seconds, o.rounds)
	fmt.Fprintln(out, "Results of searches are not cached, except those asked before.")
	t := report.NewTable(out, "", "asked for", "addresses", "body B", "server", "requests/s", "p50", "p99", "p99.9",
		"CPU/request",
		"to floor", "to bare floor", "to nginx", "CPU to floor", "CPU to nginx")
	for i := range r.speeds {
		s := &r.speeds[i]
		for v := range serverCount {
			f := s.figures[v]
			if v == before && o.before == "" {
				continue
			}
			name, addresses, size := "", "", ""
			if v == ours {
				name, addresses, size = s.name, strconv.Itoa(len(s.addresses)), strconv.FormatInt(s.bytes, 10)
			}
			t.Row(name, addresses, size, serverNames[v], report.Fixed(f.PerSecond(), 0),
				report.Duration(f.P50), report.Duration(f.P99), report.Duration(f.P999),
				report.Duration(f.PerRequest()),
				report.Fixed(s.ratio(v, floor), 2), report.Fixed(s.ratio(v, bare), 2),
				report.Fixed(s.ratio(v, nginx), 2),
				report.Fixed(s.processorRatio(v, floor), 2), report.Fixed(s.processorRatio(v, nginx), 2))
		}
	}
	if err := t.Print(); err != nil {
		return err
	}
	if o.before != "" {
		t := report.NewTable(out, "Now, divided by before (above 1: ours is faster now)", "asked for", "requests/s",
			"work in the same CPU time")
		for i := range r.speeds {
			s := &r.speeds[i]
			t.Row(s.name, report.Fixed(s.ratio(ours, before), 3), report.Fixed(s.processorRatio(ours, before), 3))
		}
		if err := t.Print(); err != nil {
			return err
		}
	}
	return report.PrintAims(out, r.aims())
}

// aims compares the measurements with their aims.
func (r *results) aims() []report.Aim {
	var list []report.Aim
	for i := range r.speeds {
		s := &r.speeds[i]
		for _, to := range []server{floor, nginx} {
			if least, ok := s.aims[to]; ok {
				got := s.ratio(ours, to)
				list = append(list, report.Aim{Name: s.name + " to " + serverNames[to],
					Wanted: fmt.Sprintf("at least %.2f", least), Reached: fmt.Sprintf("%.2f", got), Met: got >= least})
			}
		}
	}
	for i, m := range r.memory {
		most := int64(aimFew)
		if i > 0 {
			most = aimMany
		}
		list = append(list, atMost(fmt.Sprintf("anonymous memory, %d listings", m.listings), m.anonymous, most))
	}
	list = append(list, atMost("binary", r.binary, aimBinary))
	if n := len(r.ready); n > 0 {
		got := r.ready[n/2]
		list = append(list, report.Aim{Name: "start to ready, median", Wanted: "at most " + aimReady.String(),
			Reached: got.Round(100 * time.Microsecond).String(), Met: got <= aimReady})
	}
	return list
}

// atMost returns an aim that limits a number of bytes.
func atMost(name string, got, most int64) report.Aim {
	return report.Aim{Name: name, Wanted: "at most " + mib(most), Reached: mib(got), Met: got <= most}
}

func mib(n int64) string { return report.MiB(n) + " MiB" }
