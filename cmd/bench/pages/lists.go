package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"catalog.example/cmd/bench/report"
)

// listSteps is the output of lists.mjs: the times for ordering and filtering a list.
type listSteps struct {
	Rows  int
	Steps []struct {
		Name string
		// In milliseconds: our page, its longest task after that, List.js with all rows drawn, and with 50 drawn.
		Ours, Later, Peer, PeerPaged float64
	}
}

// listLimit is the time limit of a step, in milliseconds.
const listLimit = 50

// measureLists orders and filters a list of the site in a browser on a slow processor.
func measureLists(ctx context.Context, o *options, dir, base string) (steps listSteps, err error) {
	c := exec.CommandContext(ctx, "node", filepath.Join(o.lighthouse, "lists.mjs"), base, strconv.Itoa(3*o.rounds))
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return steps, err
	}
	c.Env = append(os.Environ(), "CHROME_PATH="+chromium, "TMPDIR="+dir)
	var told bytes.Buffer
	c.Stderr = &told
	out, err := c.Output()
	if err != nil {
		return steps, fmt.Errorf("lists.mjs: %w\n%s", err, told.String())
	}
	if err := json.Unmarshal(out, &steps); err != nil {
		return steps, fmt.Errorf("lists.mjs prints %q: %w", out, err)
	}
	return steps, nil
}

// printLists prints the table of the steps.
func printLists(out io.Writer, l *listSteps) error {
	fmt.Fprintf(out, "\nA list of %d rows, on a processor slowed down 4 times, until what is in sight is painted; at "+
		"most %d ms are wanted\n", l.Rows, listLimit)
	table := report.NewTable(out, "", "step", "ours", "longest task later", "List.js, 50 rows drawn", "ours to it",
		"List.js, all drawn", "ours to it", "")
	for _, s := range l.Steps {
		later := "below 50 ms" // browsers tell of longer tasks only
		if s.Later > 0 {
			later = figure(s.Later, "ms")
		}
		table.Row(s.Name, figure(s.Ours, "ms"), later,
			figure(s.PeerPaged, "ms"), report.Fixed(s.Ours/s.PeerPaged, 2),
			figure(s.Peer, "ms"), report.Fixed(s.Ours/s.Peer, 2),
			report.Verdict(s.Ours <= listLimit && s.Later <= listLimit))
	}
	return table.Print()
}
