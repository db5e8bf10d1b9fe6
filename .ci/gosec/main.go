// Command gosec reports what gosec finds in the module in the current folder: a
// line for each finding, and exit status 1 where there is one. An exception is a
// comment on the line, with its rule and its reason:
//
//	#nosec G304 -- the operator names the folder
//
// One without either is a finding too. It is gosec's rules without gosec's own
// command, which brings along the clients of several cloud services and takes
// minutes to compile; and it is a module of its own, so that the catalog's go.mod
// stays what the catalog needs.
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
)

func main() {
	findings, err := check(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosec:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// check returns the findings in the module in a folder, in the order of files
// and lines.
func check(folder string) ([]string, error) {
	root, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	packages, err := gosec.PackagePaths(filepath.Join(root, "..."), nil)
	if err != nil {
		return nil, err
	}
	config := gosec.NewConfig()
	config.SetGlobal(gosec.NoSecRequireRules, "true")
	config.SetGlobal(gosec.NoSecRequireJustification, "true")
	analyzer := gosec.NewAnalyzer(config, false, false, false, runtime.GOMAXPROCS(0), log.New(io.Discard, "", 0))
	analyzer.LoadRules(rules.Generate(false).RulesInfo())
	analyzer.LoadAnalyzers(analyzers.Generate(false).AnalyzersInfo())
	// With the tag man, the program also has the command that writes manual pages.
	if err := analyzer.Process([]string{"man"}, packages...); err != nil {
		return nil, err
	}
	issues, metrics, broken := analyzer.Report()
	var findings []string
	for file, errors := range broken {
		for _, e := range errors {
			findings = append(findings, fmt.Sprintf("%s:%d: %s", relative(root, file), e.Line, e.Err))
		}
	}
	slices.Sort(findings)
	slices.SortStableFunc(issues, byPlace)
	for _, i := range issues {
		findings = append(findings, fmt.Sprintf("%s:%s: %s: %s", relative(root, i.File), i.Line, i.RuleID, i.What))
	}
	if metrics.NumFiles == 0 {
		return nil, fmt.Errorf("there is no Go file below %s", root)
	}
	return findings, nil
}

func byPlace(a, b *issue.Issue) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(lineOf(a), lineOf(b)))
}

// lineOf returns the first line of an issue, which may be given as "47-48".
func lineOf(i *issue.Issue) int {
	first, _, _ := strings.Cut(i.Line, "-")
	n, _ := strconv.Atoi(first) // 0 sorts first
	return n
}

func relative(root, file string) string {
	if name, err := filepath.Rel(root, file); err == nil {
		return name
	}
	return file
}
