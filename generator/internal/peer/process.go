// Package peer runs the search engines that ours is compared with.
//
// A peer is a process that is asked over its standard input and output, one
// line of JSON each way. In go listings as Documents, and whatever messages the
// comparison wants answered; out come the answers. The sources of the peers lie
// in benchrelevance's folder peers, a Go module of its own, so that neither
// Bleve nor SQLite is among what the catalog's own module has to fetch, vet and
// build.
package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Process is a running peer.
type Process struct {
	command   *exec.Cmd
	in        io.WriteCloser
	out       *json.Decoder
	complaint bytes.Buffer // what it wrote to standard error
}

// Build compiles the Go program of the peers, whose sources lie in dir, into
// the folder scratch and returns its file. The error holds what the compiler
// said.
func Build(ctx context.Context, dir, scratch string) (string, error) {
	program := filepath.Join(scratch, "peers")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".") // #nosec G204 -- fixed program
	build.Dir = dir
	// The peers are a module of their own, whatever workspace surrounds it.
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", dir, err, text)
	}
	return program, nil
}

// Start starts a peer. It must be closed.
func Start(command *exec.Cmd) (*Process, error) {
	p := &Process{command: command}
	command.Stderr = &p.complaint
	// A peer that does not end when its input does is killed after this.
	command.WaitDelay = 5 * time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, json.NewDecoder(out)
	return p, command.Start()
}

// RoundTrip sends one message and decodes the answer into reply. The error of a
// peer that no longer answers holds what it said last; such a peer is of no
// further use.
func (p *Process) RoundTrip(message, reply any) error {
	if err := json.NewEncoder(p.in).Encode(message); err != nil {
		return p.ended(err)
	}
	if err := p.out.Decode(reply); err != nil {
		return p.ended(err)
	}
	return nil
}

func (p *Process) ended(err error) error {
	// Only after the process has ended is all of its complaint there.
	_ = p.in.Close()
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	return fmt.Errorf("the peer gave up: %w\n%s", err, bytes.TrimSpace(p.complaint.Bytes()))
}

// Close ends the peer and waits until it has ended.
func (p *Process) Close() {
	_ = p.in.Close()
	// Ending its input ends a peer; one that lingers is killed with it.
	killed := time.AfterFunc(p.command.WaitDelay, func() { _ = p.command.Process.Kill() })
	_ = p.command.Wait()
	killed.Stop()
}
