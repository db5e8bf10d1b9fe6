// Command gosec reports what gosec finds in the Go files below the current folder,
// in all modules there: a line for each finding, and exit status 1 if there is one.
//
// The table exceptions disables rules that are wrong for this project. A comment with a
// rule and a reason excepts a line. A comment without both is a finding too:
//
//	#nosec G203 -- rendered by goldmark without raw HTML
//
// It does not use gosec's own command, which imports clients of several cloud services
// and takes minutes to compile. It is a module of its own, so that the main go.mod
// does not require gosec.
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

// exceptions are rules that are not checked in the files that a regular expression
// matches.
var exceptions = []gosec.PathExcludeRule{
	// The rule does not see the checks that bound converted numbers. Fuzz tests cover the check
	// of an index when it is opened.
	{Path: ".", Rules: []string{"G115"}},
	// All files that the program writes are public, and the umask applies.
	{Path: ".", Rules: []string{"G301", "G302", "G306"}},
	// Commands open files that the user chose. The server opens files that a request names only
	// through an os.Root.
	{Path: ".", Rules: []string{"G304", "G703", "G122"}},
	// Tests and benchmarks use their own programs, servers and databases, and need
	// reproducible randomness. cmd/dist runs the go command, git and the program that it has
	// compiled; cmd/measure runs bubblewrap, npm, apt and the go command, as recipes say; cmd/engines runs
	// container engines; engine/compile runs the go command.
	{
		Path:  `_test\.go$|/(processtest|forgetest|apitest|engine/compile)/|/cmd/(bench|dist|engines|measure)/`,
		Rules: []string{"G107", "G202", "G204", "G404", "G702", "G704", "G709", "G710"},
	},
}

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

// check returns the findings below a folder, in the order of files and lines.
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
	issues, metrics, fileErrors := analyzer.Report()
	filter, err := gosec.NewPathExclusionFilter(exceptions)
	if err != nil {
		return nil, err
	}
	issues, _ = filter.FilterIssues(issues)
	var findings []string
	for file, errs := range fileErrors {
		for _, e := range errs {
			findings = append(findings, fmt.Sprintf("%s:%d: %s", relative(root, file), e.Line, e.Err))
		}
	}
	slices.Sort(findings)
	slices.SortStableFunc(issues, compareIssues)
	for _, i := range issues {
		findings = append(findings, fmt.Sprintf("%s:%s: %s: %s", relative(root, i.File), i.Line, i.RuleID, i.What))
	}
	if metrics.NumFiles == 0 {
		return nil, fmt.Errorf("there is no Go file below %s", root)
	}
	return findings, nil
}

func compareIssues(a, b *issue.Issue) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(firstLine(a), firstLine(b)))
}

// firstLine returns the first line of an issue, which may be given as "47-48".
func firstLine(i *issue.Issue) int {
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
