// Package peer describes the search engines that ours is compared with: what they
// are given, and how those that run in a process of their own are asked.
//
// Such a process reads messages from its standard input and answers on its
// standard output, a line of JSON for each.
package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Process is a running peer.
type Process struct {
	command   *exec.Cmd
	in        io.WriteCloser
	out       *json.Decoder
	complaint bytes.Buffer // what it wrote to standard error
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
