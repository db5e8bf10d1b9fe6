package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/api/hardware"
)

// The page "About" tells how far estimates are from what makers state.
func TestEstimatesAreAsGoodAsTold(t *testing.T) {
	t.Parallel()
	step := func(text string) int {
		gb, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if gb == 0 { // below the first step
			return -1
		}
		at := slices.IndexFunc(hardware.Steps, func(s float64) bool { return s >= gb })
		if at < 0 {
			return len(hardware.Steps) - 1
		}
		return at
	}
	var below, less, same, more, above int
	listings := map[string]bool{}
	for line := range strings.Lines(readText(t, "testdata/estimates.tsv")) {
		cells := strings.Fields(line)
		if cells[0] == "#" {
			continue
		}
		listings[cells[0]] = true
		switch off := step(cells[3]) - step(cells[2]); {
		case off < -1:
			below++
		case off == -1:
			less++
		case off == 0:
			same++
		case off == 1:
			more++
		default:
			above++
		}
	}
	want := fmt.Sprintf("%d figures of %d listings", below+less+same+more+above, len(listings))
	table := fmt.Sprintf("| the step of the stated figure | %d |\n| one step more | %d |\n| one step less | %d |\n"+
		"| more than one step more | %d |\n| more than one step less | %d |\n", same, more, less, above, below)
	page := readText(t, "../../content/pages/about.md")
	if !strings.Contains(page, want) || !strings.Contains(page, table) {
		t.Errorf("about.md does not have %q and\n%s", want, table)
	}
}
