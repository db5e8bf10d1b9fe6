// Package peer describes the search engines that ours is compared with: the listings that they
// get, and the messages to engines that run in another process.
//
// Such a process reads messages from standard input, and answers each with a line of JSON on
// standard output.
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
	complaint bytes.Buffer // its standard error
}

// Start starts a peer. The caller must close it.
func Start(command *exec.Cmd) (*Process, error) {
	p := &Process{command: command}
	command.Stderr = &p.complaint
	// A peer that does not end after its input has ended is killed after this time.
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

// RoundTrip sends one message and decodes the answer into reply. If the peer no longer
// answers, the error includes its standard error, and the peer cannot be used again.
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
	// Standard error is complete only after the process has ended.
	_ = p.in.Close()
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	return fmt.Errorf("the peer gave up: %w\n%s", err, bytes.TrimSpace(p.complaint.Bytes()))
}

// Close ends the peer and waits until it has ended.
func (p *Process) Close() {
	_ = p.in.Close()
	// A peer should end when its input ends. One that does not is killed after a while.
	killed := time.AfterFunc(p.command.WaitDelay, func() { _ = p.command.Process.Kill() })
	_ = p.command.Wait()
	killed.Stop()
}
