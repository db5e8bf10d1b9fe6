//go:build linux

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/cmd/bench/command"
)

// Each benchmark has a make target, a line in the comment of this command, and one
// in CONTRIBUTING.md.
func TestBenchmarksHaveTargets(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	makefile, comment, document := read("../../Makefile"), read("main.go"), read("../../CONTRIBUTING.md")
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^bench-([a-z]+):`).FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
	}
	for _, b := range benchmarks {
		if !slices.Contains(targets, b.Name) {
			t.Errorf("the Makefile has no target bench-%s", b.Name)
		}
		if !strings.Contains(comment, "//\tbench "+b.Name+" ") {
			t.Errorf("the comment of this command does not list %s", b.Name)
		}
		if !strings.Contains(document, "`make bench-"+b.Name+"`") {
			t.Errorf("CONTRIBUTING.md does not name make bench-%s", b.Name)
		}
	}
	if len(targets) != len(benchmarks) {
		t.Errorf("the Makefile has the targets %q for %d benchmarks", targets, len(benchmarks))
	}
	for name := range parts {
		if slices.ContainsFunc(benchmarks, func(b command.Benchmark) bool { return b.Name == name }) {
			t.Errorf("%s is a benchmark and a part", name)
		}
	}
}
