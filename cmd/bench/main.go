// Command bench compares catalog with other programs that do the same job.
//
//	bench agents     whether a scripted agent hands on what is right
//	bench all        the aims of several of them in one table
//	bench browser    pages that search themselves, compared with Pagefind
//	bench build      builds, compared with Hugo
//	bench http       the server, compared with nginx and a bare net/http server
//	bench pages      pages in Lighthouse, compared with its own limits
//	bench relevance  the order of search results, compared with other search engines
//	bench replicas   several servers behind nginx, also during updates and with shared counts
//	bench scale      builds of more and more listings
//	bench search     the speed of the search, compared with other search engines
//	bench tokens     how many tokens an agent reads, for each way of getting facts
//	bench yaml       decoding of front matter, compared with other YAML libraries
//
// Each is also a make target, such as make bench-build, which installs the other programs. The
// benchmarks are a separate module, so that the product does not depend on modules that only they
// need.
package main

import (
	"maps"
	"os"

	"catalog.example/cmd/bench/all"
	"catalog.example/cmd/bench/browser"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/engine"
	"catalog.example/cmd/bench/pages"
	"catalog.example/cmd/bench/relevance"
	"catalog.example/cmd/bench/search"
	"catalog.example/cmd/bench/tokens"
	"catalog.example/cmd/bench/yaml"
)

// single lists the benchmarks that run on every system. On Linux, linuxBenchmarks are added.
var single = append([]command.Benchmark{
	tokens.Agents, browser.Benchmark, pages.Benchmark, relevance.Benchmark, search.Benchmark, tokens.Benchmark,
	yaml.Benchmark,
}, linuxBenchmarks...)

// benchmarks lists all subcommands.
var benchmarks = append([]command.Benchmark{all.Of(single)}, single...)

// parts maps names to the tasks that this program performs in processes that it starts.
var parts = map[string]command.Part{search.PartOurs: search.Ours, search.PartPeer: engine.Speed}

func main() {
	maps.Copy(parts, linuxParts)
	os.Exit(command.Main(benchmarks, parts, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
