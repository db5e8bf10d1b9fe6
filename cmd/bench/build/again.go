//go:build linux

package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"catalog.example/cmd/bench/report"
)

// aimSecond is how long a build should take at most after one of 10,000 listings has changed.
const aimSecond = 1200 * time.Millisecond

// again measures builds after one listing has changed, alternating with cold builds, and prints the
// ratio.
func (b *bench) again(ctx context.Context) error {
	cache := b.path("cache")
	cold := &tool{name: "cold", output: b.path("out-again"),
		command: append(b.catalogBuild(b.path("catalog"), b.path("content"), b.path("out-again")), "--pictures=off",
			"--cache", cache)}
	second := &tool{name: "one listing changed", output: cold.output, command: cold.command}
	files, err := filepath.Glob(filepath.Join(b.path("content"), "projects", "*.md"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("no listings"), err)
	}
	for i := range b.runs {
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
		u, err := b.once(ctx, cold)
		if err != nil {
			return err
		}
		cold.usages = append(cold.usages, u)
		if err := replacePurpose(files[len(files)*(i+1)/(b.runs+1)],
			fmt.Sprintf("Was changed %d times since it was made.", i+1)); err != nil {
			return err
		}
		if u, err = Measure(ctx, second.command); err != nil {
			return fmt.Errorf("%s: %w", second.name, err)
		}
		second.usages = append(second.usages, u)
	}
	fmt.Fprintf(b.out, "\nbuilds with --cache, %d runs each in turn\n\n", b.runs)
	table := report.NewTable(b.out, "", "build", "best s", "median s", "CPU s", "peak MiB", "/ cold best", "/ median",
		"/ CPU")
	for _, t := range []*tool{cold, second} {
		table.Row(t.name, report.Fixed(t.best().Seconds(), 2), report.Fixed(t.median().Seconds(), 2),
			report.Fixed(t.cpu().Seconds(), 2), report.MiB(t.peak()),
			report.Fixed(ratio(t.best(), cold.best()), 3), report.Fixed(ratio(t.median(), cold.median()), 3),
			report.Fixed(ratio(t.cpu(), cold.cpu()), 3))
	}
	if err := table.Print(); err != nil {
		return err
	}
	median := second.median()
	b.aims = append(b.aims, report.Aim{Name: "one listing changed", Wanted: "at most " + report.Duration(aimSecond),
		Reached: report.Duration(median), Met: median <= aimSecond})
	return nil
}
