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
	"runtime"
	"syscall"
	"time"

	"catalog.example/cmd/bench/command"
)

// Cost is the resource usage of one run of a program.
type Cost struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"`  // user and system
	Peak int64         `json:"peak"` // resident memory in bytes
}

// PartUsage is the name of the part that runs another program and prints its resource usage.
const PartUsage = "build-usage"

// Measure runs a program and returns its resource usage. On Linux, a child's peak includes the
// memory that its parent had when it started the child. This process holds two sites in memory by
// then, so a new process of this program starts the measured one.
func Measure(ctx context.Context, args []string) (Cost, error) {
	c, err := command.Self(ctx, PartUsage, args...)
	if err != nil {
		return Cost{}, err
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Run(); err != nil {
		return Cost{}, err
	}
	var u Cost
	return u, json.Unmarshal(out.Bytes(), &u)
}

// Usage runs the program that the arguments name and prints its usage as JSON.
func Usage(args []string, _ io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("want a program")
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	// If a timeout kills this process, the program must end too. The kernel signals it when the
	// thread that started it ends, so this thread must not end early.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	err := c.Run()
	wall := time.Since(start)
	if err != nil {
		return err
	}
	u := Cost{Wall: wall, CPU: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.Peak = r.Maxrss << 10 // getrusage(2) counts in KiB
	}
	return json.NewEncoder(out).Encode(u)
}
