//go:build !linux

package main

import "catalog.example/cmd/bench/command"

var (
	linuxBenchmarks []command.Benchmark
	linuxParts      map[string]command.Part
)
