//go:build linux

package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
)

const (
	// fewListings is the number of listings in the smaller site, about as many as are shipped.
	fewListings = 389
	// rounds is the number of times that a listing is saved.
	rounds = 9
	// rest is the pause between rounds. It gives a preview time to finish its work after showing a
	// page.
	rest = 2 * time.Second
	// between is the pause between two requests while waiting for a page.
	between = time.Millisecond
	// longestRound limits each wait.
	longestRound = time.Minute

	shownFewTarget  = 150 * time.Millisecond
	shownManyTarget = time.Second
	foundTarget     = 3 * time.Second
)

// preview is a server that shows listings while they are edited.
type preview struct {
	name     string
	listings string // the folder with their files
	command  func(address string) *exec.Cmd
	search   bool // whether it answers searches
	checks   bool // whether it prints a line when all findings are known
	cold     time.Duration
	target   time.Duration // for showing a page; 0 means none

	shown, found, checked []time.Duration // since a listing was saved
}

// previews measures and prints the time from saving a listing until its page shows the change,
// until a search finds it, and until all findings about the catalogue are printed.
func (b *bench) previews(ctx context.Context) error {
	few := b.path("content-few")
	loaded, err := shipped.Content(ctx, b.options.content)
	if err != nil {
		return err
	}
	listings := synthetic.Listings(synthetic.Options{
		Count: fewListings, Seed: b.seed, Taxonomy: &loaded.Taxonomy, BodyBytes: int(b.realSize.body) +
			insteadOfPicture,
	})
	if err := synthetic.WriteContent(few, b.options.content, listings); err != nil {
		return err
	}
	catalog := func(count int, content string, target time.Duration) (*preview, error) {
		p := &preview{name: fmt.Sprintf("catalog dev, %d listings", count),
			listings: filepath.Join(content, "projects"), search: true, checks: true, target: target}
		p.command = func(address string) *exec.Cmd {
			return exec.CommandContext(ctx, b.path("catalog"), "dev", "--content", content, "--config",
				b.path("catalog.yml"), "--addr", address)
		}
		cold := &tool{name: "cold", output: b.path("out-cold")}
		cold.command = append(b.catalogBuild(b.path("catalog"), content, cold.output), "--pictures=off", "--cache=")
		for range b.runs {
			u, err := b.once(ctx, cold)
			if err != nil {
				return nil, err
			}
			cold.usages = append(cold.usages, u)
		}
		p.cold = cold.median()
		return p, nil
	}
	small, err := catalog(fewListings, few, shownFewTarget)
	if err != nil {
		return err
	}
	large, err := catalog(b.listings, b.path("content"), shownManyTarget)
	if err != nil {
		return err
	}
	list := []*preview{small, large}
	if b.noHugo == nil {
		list = append(list, &preview{name: fmt.Sprintf("hugo server, %d listings", b.listings),
			listings: b.path("hugo/content/projects"), command: func(address string) *exec.Cmd {
				host, port, _ := strings.Cut(address, ":")
				return exec.CommandContext(ctx, b.path("hugo-bin/hugo"), "server", "--source", b.path("hugo"),
					"--cacheDir", b.path("hugo-cache"),
					"--renderToMemory", "--noBuildLock", "--bind", host, "--port", port, "--baseURL", "http://"+address)
			}})
	} else {
		fmt.Fprintln(b.out, "\nhugo is not there to compare with:", b.noHugo)
	}
	for _, p := range list {
		if err := b.follow(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return b.reportPreviews(list)
}

// checkCounter counts the lines that end the reports of catalog dev.
type checkCounter struct {
	line  []byte
	count atomic.Int64
}

func (c *checkCounter) Write(text []byte) (int, error) {
	for part := range bytes.Lines(text) {
		if c.line = append(c.line, part...); part[len(part)-1] != '\n' {
			continue
		}
		if bytes.HasPrefix(c.line, []byte("checked: ")) {
			c.count.Add(1)
		}
		c.line = c.line[:0]
	}
	return len(text), nil
}

// follow starts a preview, and saves listings while it runs. The first round is a warm-up and is
// not recorded.
func (b *bench) follow(ctx context.Context, p *preview) error {
	files, err := filepath.Glob(filepath.Join(p.listings, "*-*.md"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("no listings"), err)
	}
	address, err := program.FreeAddress()
	if err != nil {
		return err
	}
	c := p.command(address)
	checks := &checkCounter{}
	c.Stdout = checks
	server, err := program.StartAt(ctx, c, address, "/")
	if err != nil {
		return err
	}
	defer server.Stop()
	for i := range rounds + 1 {
		if err := sleep(ctx, rest); err != nil {
			return err
		}
		before := checks.count.Load()
		file := files[len(files)*(i+1)/(rounds+2)]
		slug := strings.TrimSuffix(filepath.Base(file), ".md")
		word := fmt.Sprintf("quxword%c", 'a'+i) // occurs in no other text
		if err := replacePurpose(file, "Was saved with "+word+" in it."); err != nil {
			return err
		}
		start := time.Now()
		shown, err := poll(ctx, start,
			func() (bool, error) { return answers(ctx, "http://"+address+"/projects/"+slug+"/", word) })
		if err != nil {
			return err
		}
		var found, checked time.Duration
		if p.search {
			if found, err = poll(ctx, start, func() (bool, error) {
				return answers(ctx, "http://"+address+"/api/v1/search?q="+word, `"slug":"`+slug+`"`)
			}); err != nil {
				return err
			}
		}
		if p.checks {
			if checked, err = poll(ctx, start, func() (bool, error) {
				return checks.count.Load() > before,
					nil
			}); err != nil {
				return err
			}
		}
		if i > 0 {
			p.shown, p.found, p.checked = append(p.shown, shown), append(p.found, found), append(p.checked, checked)
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// poll repeats a check until it succeeds, and returns the time since start.
func poll(ctx context.Context, start time.Time, ask func() (bool, error)) (time.Duration, error) {
	for {
		done, err := ask()
		took := time.Since(start)
		switch {
		case err != nil:
			return 0, err
		case done:
			return took, nil
		case took > longestRound:
			return 0, fmt.Errorf("nothing is shown after %v", took)
		}
		if err := sleep(ctx, between); err != nil {
			return 0, err
		}
	}
}

// answers reports whether the answer at an address contains a text.
func answers(ctx context.Context, address, text string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return bytes.Contains(body, []byte(text)), err
}

// reportPreviews prints a table, and returns an error if a target is missed.
func (b *bench) reportPreviews(list []*preview) error {
	fmt.Fprintf(b.out, "\nfrom saving a listing, median and slowest of %d rounds each\n\n", rounds)
	table := report.NewTable(b.out, "", "preview", "shown ms", "slowest", "found ms", "slowest", "all findings ms",
		"cold build ms", "shown / cold")
	ms := func(d time.Duration) string { return report.Fixed(float64(d.Microseconds())/1000, 0) }
	var missed error
	judge := func(p *preview, what string, took, target time.Duration) {
		if took > target {
			missed = errors.Join(missed, fmt.Errorf("%s: %s after %v; the target is %v", p.name, what,
				took.Round(time.Millisecond), target))
		}
	}
	for _, p := range list {
		cells := []string{p.name, ms(report.Median(p.shown)), ms(slices.Max(p.shown)), "", "", "", "", ""}
		if p.search {
			cells[3], cells[4] = ms(report.Median(p.found)), ms(slices.Max(p.found))
			judge(p, "found", report.Median(p.found), foundTarget)
		}
		if p.checks {
			cells[5] = ms(report.Median(p.checked))
		}
		if p.cold > 0 {
			cells[6], cells[7] = ms(p.cold), report.Fixed(ratio(report.Median(p.shown), p.cold), 3)
		}
		table.Row(cells...)
		if p.target > 0 {
			judge(p, "shown", report.Median(p.shown), p.target)
		}
	}
	if err := table.Print(); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nthe targets: shown after %v with %d listings and %v with %d, found after %v\n",
		shownFewTarget, fewListings, shownManyTarget, b.listings, foundTarget)
	return missed
}

// replacePurpose replaces the purpose in the file of a listing.
func replacePurpose(file, purpose string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, found := strings.Cut(string(text), "\npurpose: ")
	if !found {
		return fmt.Errorf("%s has no purpose", file)
	}
	_, after, _ = strings.Cut(after, "\n")
	return os.WriteFile(file, []byte(before+"\npurpose: "+purpose+"\n"+after), 0o644)
}
