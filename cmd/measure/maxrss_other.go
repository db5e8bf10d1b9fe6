//go:build !linux

package main

import "os"

// maxRSS returns 0: the sandbox runs on Linux only.
func maxRSS(*os.ProcessState) int64 { return 0 }
