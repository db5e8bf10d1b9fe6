package all

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/report"
)

// The table has the aims of all parts, also if one fails. Each part is told what it needs.
func TestOneTable(t *testing.T) {
	var told []string
	fake := func(name string, fails error) command.Benchmark {
		return command.Benchmark{Name: name, Define: func(flags *flag.FlagSet) command.Run {
			before := flags.String("before", "", "")
			sizes := flags.String("sizes", "", "")
			flags.String("engines", "", "")
			content := flags.String(map[string]string{"build": "content", "search": "before-content"}[name], "", "")
			return func(_ context.Context, out io.Writer) error {
				told = append(told, name+" "+*before+" "+*content+" "+*sizes)
				return errors.Join(report.PrintAims(out, []report.Aim{
					{Name: "time", Wanted: "at most 1", Before: "2", Reached: "1", Met: true}}), fails)
			}
		}}
	}
	list := []command.Benchmark{fake("build", errors.New("broken")), fake("search", nil)}
	before := t.TempDir()
	programs := filepath.Join(before, "bin")
	for _, name := range []string{"catalog", "bench"} {
		if err := errors.Join(os.MkdirAll(programs, 0o755),
			os.WriteFile(filepath.Join(programs, name), nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	of := Of(list)
	run := of.Define(flags)
	if err := flags.Parse([]string{"-before", before, "-parts", "search,build,http"}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run(t.Context(), &out)
	if err == nil || !strings.Contains(err.Error(), "build: broken") || !strings.Contains(err.Error(), "http: it does not run") {
		t.Errorf("the error is %v", err)
	}
	content := filepath.Join(before, "content")
	if want := "build " + filepath.Join(programs, "catalog") + " " + content + " |search " + filepath.Join(programs, "bench") +
		" " + content + " real,10000,100000,1000000"; strings.Join(told, "|") != want {
		t.Errorf("the parts were told %q", told)
	}
	tables := strings.Split(out.String(), "Aims\n")
	if last := tables[len(tables)-1]; strings.Count(last, " 2 ") != 2 || !strings.Contains(last, "build: time") ||
		!strings.Contains(last, "search: time") {
		t.Errorf("the last table is %q", last)
	}
	flags = flag.NewFlagSet("", flag.ContinueOnError)
	run = of.Define(flags)
	if err := flags.Parse([]string{"-parts", "biuld"}); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "biuld") {
		t.Errorf("a wrong part: %v", err)
	}
	if err := flags.Parse([]string{"-parts", "build", "-before", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "build the program") {
		t.Errorf("a checkout without programs: %v", err)
	}
}
