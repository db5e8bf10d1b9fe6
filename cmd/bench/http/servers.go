//go:build linux

package http

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"catalog.example/cmd/bench/load"
	"catalog.example/cmd/bench/program"
)

// server is one of the compared servers.
type server int

// The servers.
const (
	ours   server = iota
	before        // the server of another commit, with -before
	floor         // net/http with the same answers in memory
	bare          // like floor, without our headers
	nginx         // nginx with the bodies as files
	serverCount
)

var serverNames = [serverCount]string{ours: "ours", before: "before", floor: "floor", bare: "bare floor",
	nginx: "nginx"}

// pinned returns a command that runs on the server's core.
func (b *bench) pinned(ctx context.Context, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(b.serverCore), name}, args...)...)
}

// start starts a catalog program as a server of the folder public.
func (b *bench) start(ctx context.Context, file, public string, more ...string) (*program.Server, error) {
	c := b.pinned(ctx, file, append([]string{"serve", "--public", public, "--addr", "127.0.0.1:0", "--log-level",
		"error"}, more...)...)
	c.Env = program.Unlimited()
	return program.StartListening(c)
}

// PartFloor is the name of the part that runs Floor.
const PartFloor = "http-floor"

// Floor serves the answers in the file that its only argument names: /<n> returns the n-th answer,
// /bare/<n> only its body, type and length. Like any handler it looks up the path, but it does
// nothing else.
func Floor(args []string, _ io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("want a file of answers")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	var answers []load.Answer
	if err := gob.NewDecoder(bufio.NewReader(file)).Decode(&answers); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	byPath := make(map[string]*load.Answer, 2*len(answers))
	for i := range answers {
		a := &answers[i]
		a.Header.Del("Date") // net/http writes a new one
		byPath["/"+strconv.Itoa(i)] = a
		header := http.Header{}
		for _, name := range []string{"Content-Type", "Content-Length"} {
			if v := a.Header.Values(name); len(v) > 0 {
				header[name] = v
			}
		}
		byPath["/bare/"+strconv.Itoa(i)] = &load.Answer{Status: a.Status, Header: header, Body: a.Body}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "listening on http://%s\n", listener.Addr()); err != nil {
		return err
	}
	server := http.Server{ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a, ok := byPath[r.URL.Path]
			if !ok {
				http.NotFound(w, r)
				return
			}
			header := w.Header()
			for name, values := range a.Header {
				header[name] = values
			}
			w.WriteHeader(a.Status)
			if len(a.Body) > 0 {
				_, _ = w.Write(a.Body) // the client may have disconnected
			}
		})}
	return server.Serve(listener)
}

func (b *bench) startFloor(ctx context.Context, answers []load.Answer) (*program.Server, error) {
	path := filepath.Join(b.dir, "answers.gob")
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gob.NewEncoder(file).Encode(answers), file.Close()); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return program.StartListening(b.pinned(ctx, self, PartFloor, path))
}

// startToReady starts our server several times, and returns the times from starting the process
// until /readyz first answers 200.
func (b *bench) startToReady(ctx context.Context, public string) ([]time.Duration, error) {
	var took []time.Duration
	for range b.starts {
		address, err := program.FreeAddress()
		if err != nil {
			return nil, err
		}
		c := exec.CommandContext(ctx, b.program, "serve", "--public", public, "--addr", address, "--log-level", "error")
		began := time.Now()
		p, err := program.StartAt(ctx, c, address, "/readyz")
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		p.Stop()
	}
	slices.Sort(took)
	return took, nil
}

// memoryAfterLoad returns the memory of our server after requests of every kind.
func (b *bench) memoryAfterLoad(ctx context.Context, s *builtSite, kinds []kind) (memory, error) {
	m := memory{listings: s.count}
	p, err := b.start(ctx, b.program, s.public)
	if err != nil {
		return m, err
	}
	defer p.Stop()
	for _, k := range kinds {
		ask := make([]load.Request, len(k.addresses))
		for i, a := range k.addresses {
			ask[i] = load.Request{Path: a}
		}
		if _, err := b.ask(ctx, p.Address, ask); err != nil {
			return m, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	// taskset replaces itself with the server, so this is the memory of the server.
	m.anonymous, err = p.Memory("RssAnon")
	return m, err
}

// ask sends requests to a server as fast as it answers. Any other answer than a success is an
// error.
func (b *bench) ask(ctx context.Context, address string, ask []load.Request) (load.Figures, error) {
	wrk := load.Wrk{Dir: b.dir, Core: strconv.Itoa(b.loadCore), Connections: b.connections, Seconds: b.seconds}
	f, err := wrk.Run(ctx, address, ask)
	return f, cmp.Or(ctx.Err(), err, f.Check())
}

// withETags returns the requests with the ETags of their answers.
func withETags(ask []load.Request, answers []load.Answer) []load.Request {
	held := slices.Clone(ask)
	for i := range held {
		held[i].ETag = answers[i].Header.Get("ETag")
	}
	return held
}

// withoutETags returns the requests without ETags.
func withoutETags(ask []load.Request) []load.Request {
	first := slices.Clone(ask)
	for i := range first {
		first[i].ETag = ""
	}
	return first
}

// contender is a server with its requests.
type contender struct {
	server  server
	process *program.Server // nil if each round starts a new one
	start   func() (*program.Server, error)
	ask     []load.Request
}

// compare measures one kind of request with every server in turn. Our server and the other commit's
// are restarted for each round, because the location of a process in memory changes its speed by up
// to 10%.
func (b *bench) compare(ctx context.Context, s *builtSite, k kind) (speed, error) {
	result := speed{kind: k}
	var more []string
	admin := ""
	if b.profile != "" {
		var err error
		if admin, err = program.FreeAddress(); err != nil {
			return result, err
		}
		more = []string{"--admin-addr", admin}
	}
	startOurs := func() (*program.Server, error) { return b.start(ctx, b.program, s.public, more...) }
	mine, err := startOurs()
	if err != nil {
		return result, err
	}
	defer mine.Stop()
	ask, bodies, answers, err := capture(ctx, mine.Address, k)
	if err != nil {
		return result, err
	}
	for i := range answers {
		result.bytes += int64(len(answers[i].Body))
	}
	result.bytes /= int64(len(answers))
	low, err := b.startFloor(ctx, answers)
	if err != nil {
		return result, err
	}
	defer low.Stop()
	files, err := load.StartFiles(ctx, filepath.Join(b.dir, "nginx"), strconv.Itoa(b.serverCore), bodies)
	if err != nil {
		return result, err
	}
	defer files.Stop()
	askFiles := load.Numbered("/", len(ask))
	if k.held {
		answers, err := load.Capture(ctx, files.Address, askFiles)
		if err != nil {
			return result, err
		}
		askFiles = withETags(askFiles, answers)
	}
	contenders := []contender{
		{server: ours, start: startOurs, ask: ask}, {server: floor, process: low, ask: load.Numbered("/", len(ask))},
		{server: bare, process: low, ask: load.Numbered("/bare/", len(ask))},
		{server: nginx, process: files, ask: askFiles},
	}
	if b.before != "" {
		other, err := b.otherCommit(ctx, s, k, ask)
		if err != nil {
			return result, fmt.Errorf("%s: %w", b.before, err)
		}
		contenders = append(contenders, other)
	}
	mine.Stop() // each round starts a new server, with the same address for profiles
	result.figures, err = b.takeTurns(ctx, contenders, admin)
	return result, err
}

// capture returns the requests of a kind, their answers with bodies, and the answers to measure.
// For a held kind, those are the answers to clients that already have the bodies.
func capture(ctx context.Context, address string, k kind) (ask []load.Request, bodies, answers []load.Answer,
	err error) {
	ask = make([]load.Request, len(k.addresses))
	for i, a := range k.addresses {
		ask[i].Path = a
	}
	if bodies, err = load.Capture(ctx, address, ask); err != nil || !k.held {
		return ask, bodies, bodies, err
	}
	ask = withETags(ask, bodies)
	answers, err = load.Capture(ctx, address, ask)
	return ask, bodies, answers, err
}

// otherCommit returns the other commit's server as a contender, with that server's ETags in the
// requests.
func (b *bench) otherCommit(ctx context.Context, s *builtSite, k kind, ask []load.Request) (contender, error) {
	start := func() (*program.Server, error) { return b.start(ctx, b.before, s.publicBefore) }
	if k.held {
		other, err := start()
		if err != nil {
			return contender{}, err
		}
		defer other.Stop()
		answers, err := load.Capture(ctx, other.Address, withoutETags(ask))
		if err != nil {
			return contender{}, err
		}
		ask = withETags(ask, answers)
	}
	return contender{server: before, start: start, ask: ask}, nil
}

// takeTurns measures servers in turn, and returns the median figures of each. If there is an admin
// address, the last round of our server is profiled.
func (b *bench) takeTurns(ctx context.Context, contenders []contender, admin string) (figures [serverCount]load.Figures,
	err error) {
	var rounds [serverCount][]load.Figures
	for round := range b.rounds {
		for _, c := range contenders {
			f, err := b.measure(ctx, c, admin != "" && round == b.rounds-1, admin)
			if err != nil {
				return figures, fmt.Errorf("%s: %w", serverNames[c.server], err)
			}
			rounds[c.server] = append(rounds[c.server], f)
		}
	}
	for i := range rounds {
		figures[i] = load.Median(rounds[i])
	}
	return figures, nil
}

// measure loads a server for one round. It takes a profile if profile is set and the server is
// ours.
func (b *bench) measure(ctx context.Context, c contender, profile bool, admin string) (load.Figures, error) {
	process := c.process
	if process == nil {
		started, err := c.start()
		if err != nil {
			return load.Figures{}, err
		}
		defer started.Stop()
		process = started
	}
	profiled := func() error { return nil }
	if c.server == ours && profile {
		profiled = b.takeProfile(ctx, admin)
	}
	f, err := b.loadProcess(ctx, process, c.ask)
	return f, errors.Join(err, profiled())
}

// loadProcess loads a server and measures the processor time that it uses.
func (b *bench) loadProcess(ctx context.Context, p *program.Server, ask []load.Request) (load.Figures, error) {
	began, err := p.ProcessorTime()
	if err != nil {
		return load.Figures{}, err
	}
	f, err := b.ask(ctx, p.Address, ask)
	if err != nil {
		return load.Figures{}, err
	}
	ended, err := p.ProcessorTime()
	f.Processor = ended - began
	return f, err
}

// takeProfile requests a profile from our server while it is measured. The function that it
// returns waits for the profile.
func (b *bench) takeProfile(ctx context.Context, admin string) func() error {
	done := make(chan error, 1)
	go func() {
		answers, err := load.Capture(ctx, admin,
			[]load.Request{{Path: fmt.Sprintf("/debug/pprof/profile?seconds=%d", b.seconds)}})
		if err == nil {
			err = os.WriteFile(b.profile, answers[0].Body, 0o600)
		}
		done <- err
	}()
	return func() error { return <-done }
}
