//go:build linux

package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"text/tabwriter"
	"time"
)

// speed is what one kind of request was measured to.
type speed struct {
	kind
	bytes   int64 // of the mean body
	figures [serverCount]figures
}

// ratio is the throughput of one server to that of another, 0 where that has
// none.
func (s *speed) ratio(of, to server) float64 {
	if base := s.figures[to].perSecond(); base > 0 {
		return s.figures[of].perSecond() / base
	}
	return 0
}

// processorRatio is how much work one server gets done in the processor time that
// another needs, 0 where either was not measured. Other work on the machine, which
// decides who waits for a core, disturbs it less than the throughput.
func (s *speed) processorRatio(of, to server) float64 {
	mine := s.figures[of].perRequest()
	if mine <= 0 {
		return 0
	}
	return float64(s.figures[to].perRequest()) / float64(mine)
}

// memory is what ours holds after the load.
type memory struct {
	listings  int
	anonymous int64 // bytes
}

// results are everything that was measured.
type results struct {
	speeds []speed
	memory []memory
	binary int64           // bytes
	ready  []time.Duration // sorted
}

// Aims of issue 5 for the process.
const (
	aimFew    = 64 << 20  // bytes of anonymous memory with the shipped listings
	aimMany   = 300 << 20 // with a hundred thousand
	aimBinary = 25 << 20  // bytes
	aimReady  = 50 * time.Millisecond
)

func (r *results) print(out io.Writer, o *options) error {
	fmt.Fprintf(out, "\n%s, %d listings, seed %d; one core for the server, one for the load; %d connections kept open, %d s, median of %d rounds\n",
		runtime.Version(), o.listings, o.seed, o.connections, o.seconds, o.rounds)
	fmt.Fprintln(out, "Whole search answers are kept nowhere: each is searched for and written anew.")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nasked for\taddresses\tbody B\tserver\trequests/s\tp50\tp99\tp99.9\tCPU/request\tto floor\tto bare floor\tto nginx\tCPU to floor\tCPU to nginx")
	for i := range r.speeds {
		s := &r.speeds[i]
		for v := range serverCount {
			f := s.figures[v]
			name, addresses, size := "", "", ""
			if v == ours {
				name, addresses, size = s.name, strconv.Itoa(len(s.addresses)), strconv.FormatInt(s.bytes, 10)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%v\t%v\t%v\t%v\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", name, addresses, size, serverNames[v],
				f.perSecond(), f.p50, f.p99, f.p999, f.perRequest().Round(100*time.Nanosecond), s.ratio(v, floor), s.ratio(v, bare), s.ratio(v, nginx), s.processorRatio(v, floor), s.processorRatio(v, nginx))
		}
	}
	fmt.Fprintln(w, "\naim\tasked\treached\t")
	for _, a := range r.aims() {
		verdict := "missed"
		if a.met {
			verdict = "met"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.name, a.asked, a.reached, verdict)
	}
	return w.Flush()
}

// aim is something that issue 5 asks for, and what was reached.
type aim struct {
	name, asked, reached string
	met                  bool
}

// aims returns those of what was measured.
func (r *results) aims() []aim {
	var list []aim
	for i := range r.speeds {
		s := &r.speeds[i]
		for _, to := range []server{floor, nginx} {
			if least, ok := s.aims[to]; ok {
				got := s.ratio(ours, to)
				list = append(list, aim{s.name + " to " + serverNames[to], fmt.Sprintf("at least %.2f", least), fmt.Sprintf("%.2f", got), got >= least})
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
		list = append(list, aim{"start to ready, median", "at most " + aimReady.String(), got.Round(100 * time.Microsecond).String(), got <= aimReady})
	}
	return list
}

// atMost is an aim in bytes.
func atMost(name string, got, most int64) aim {
	return aim{name, "at most " + mib(most), mib(got), got <= most}
}

func mib(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB" }
