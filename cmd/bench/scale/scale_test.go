//go:build linux

package scale

import (
	"flag"
	"io"
	"os"
	"strconv"
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

// The table has a row for each size. A build of four times as many listings costs about four times as
// much: what grows with the square would cost much more.
func TestTable(t *testing.T) {
	soak.Long(t)
	t.Chdir("../../..")
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	run := Benchmark.Define(flags)
	if err := flags.Parse([]string{"-sizes", "250,1000", "-runs", "1", "-dir", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	table, last, _ := strings.Cut(out.String(), "\nAims\n")
	if !strings.Contains(last, "peak memory a listing, 1,000 listings") || !strings.Contains(last, "1,000 listings to 250") {
		t.Errorf("the aims are %q", last)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	rows := lines[len(lines)-2:]
	var files []string
	var perListing []float64
	for i, listings := range []string{"250", "1,000"} {
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
		milliseconds, err := strconv.ParseFloat(cells[6], 64)
		if err != nil {
			t.Fatal(err)
		}
		perListing = append(perListing, milliseconds)
	}
	if perListing[1] > 2*perListing[0] {
		t.Errorf("a listing costs %v ms of processor time among 250, %v ms among 1,000", perListing[0], perListing[1])
	}
	if files[0] == files[1] {
		t.Errorf("250 and 1,000 listings have %q files", files)
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
