//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// usage is what a run of a program cost.
type usage struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"`  // user and system
	Peak int64         `json:"peak"` // resident memory in bytes
}

// measureArgument makes this program run another one and report its usage.
const measureArgument = "-measure-child"

// measure runs a program and returns what it cost. The program is started by a
// fresh process of this one: Linux counts what a parent holds at the moment of
// starting a child towards the child's peak, and by then this process holds
// two sites.
func measure(ctx context.Context, args []string) (usage, error) {
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	c := exec.CommandContext(ctx, self, append([]string{measureArgument}, args...)...) // #nosec G204 -- this program
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Run(); err != nil {
		return usage{}, err
	}
	var u usage
	return u, json.Unmarshal(out.Bytes(), &u)
}

// measureMain is the fresh process.
func measureMain(args []string) int {
	c := exec.Command(args[0], args[1:]...) // #nosec G204 G702 -- given by measure
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	start := time.Now()
	err := c.Run()
	wall := time.Since(start)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	u := usage{Wall: wall, CPU: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.Peak = r.Maxrss << 10 // getrusage(2) counts in KiB
	}
	if err := json.NewEncoder(os.Stdout).Encode(u); err != nil {
		return 1
	}
	return 0
}
