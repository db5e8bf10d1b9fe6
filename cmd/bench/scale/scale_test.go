//go:build linux

package scale

import (
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"catalog.example/cmd/bench/build"
	"catalog.example/cmd/bench/command"
)

func TestMain(m *testing.M) {
	command.RunPart(map[string]command.Part{build.PartUsage: build.Usage})
	os.Exit(m.Run())
}

// The table has a row for each size.
func TestTable(t *testing.T) {
	soak.Long(t)
	t.Chdir("../../..")
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	run := Benchmark.Define(flags)
	if err := flags.Parse([]string{"-sizes", "20,100", "-runs", "1", "-dir", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	table, last, _ := strings.Cut(out.String(), "\nAims\n")
	if !strings.Contains(last, "peak memory a listing, 100 listings") || !strings.Contains(last, "100 listings to 20") {
		t.Errorf("the aims are %q", last)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	rows := lines[len(lines)-2:]
	var files []string
	for i, listings := range []string{"20", "100"} {
		cells := strings.Fields(rows[i])
		if len(cells) != 9 || cells[0] != listings {
			t.Fatalf("the row of %s listings is %q in\n%s", listings, rows[i], out.String())
		}
		for _, cell := range cells[1:] {
			if strings.Trim(cell, "0.") == "" {
				t.Errorf("%s listings: a figure is 0 in %q", listings, rows[i])
			}
		}
		files = append(files, cells[1])
	}
	if files[0] == files[1] {
		t.Errorf("20 and 100 listings have %q files", files)
	}
}

func TestSizes(t *testing.T) {
	if counts, err := parseSizes("100,1000"); err != nil || len(counts) != 2 || counts[1] != 1000 {
		t.Errorf("the sizes are %v, %v", counts, err)
	}
	for _, list := range []string{"", "0", "-1", "100,", "x", "99999999999"} {
		if _, err := parseSizes(list); err == nil {
			t.Errorf("-sizes %q is accepted", list)
		}
	}
}

func TestCountOfMissingFolder(t *testing.T) {
	if _, err := count(t.TempDir() + "/none"); err == nil {
		t.Error("a folder that does not exist is counted")
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	run := Benchmark.Define(flags)
	if err := flags.Parse([]string{"-runs", "0"}); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard); err == nil {
		t.Error("-runs 0 is accepted")
	}
}
