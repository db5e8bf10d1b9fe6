package main

import (
	"os"
	"syscall"
)

// maxRSS returns the largest resident set of an ended process and of those that it waited for, in
// bytes. It covers processes that are too short to be seen by looking now and then.
func maxRSS(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
