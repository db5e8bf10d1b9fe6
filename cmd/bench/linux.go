//go:build linux

package main

import (
	"catalog.example/cmd/bench/build"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/http"
	"catalog.example/cmd/bench/replicas"
	"catalog.example/cmd/bench/scale"
)

// These depend on taskset, /proc, or the units of Linux system calls.
var (
	linuxBenchmarks = []command.Benchmark{build.Benchmark, http.Benchmark, replicas.Benchmark, scale.Benchmark}
	linuxParts      = map[string]command.Part{build.PartUsage: build.Usage, http.PartFloor: http.Floor}
)
