//go:build linux

package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"catalog.example/cmd/bench/command"
)

// usage is what a run of a program cost.
type usage struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"`  // user and system
	Peak int64         `json:"peak"` // resident memory in bytes
}

// PartUsage is the part of the program that runs another program and prints what
// it used.
const PartUsage = "build-usage"

// measure runs a program and returns what it used. A new process of this program
// starts it: Linux counts the memory that a parent has at the moment of starting a
// child as the child's peak, and by then this process holds two sites.
func measure(ctx context.Context, args []string) (usage, error) {
	c, err := command.Self(ctx, PartUsage, args...)
	if err != nil {
		return usage{}, err
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Run(); err != nil {
		return usage{}, err
	}
	var u usage
	return u, json.Unmarshal(out.Bytes(), &u)
}

// Usage runs the program that the arguments name and prints its usage as JSON.
func Usage(args []string, _ io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("want a program")
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	start := time.Now()
	err := c.Run()
	wall := time.Since(start)
	if err != nil {
		return err
	}
	u := usage{Wall: wall, CPU: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.Peak = r.Maxrss << 10 // getrusage(2) counts in KiB
	}
	return json.NewEncoder(out).Encode(u)
}
