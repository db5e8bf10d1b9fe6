package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/refresh"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

const (
	serviceTimeout = 30 * time.Second // of each request to a forge or registry
	// maxServiceWait is the longest single wait for a forge or registry. GitHub renews its rate limit
	// after an hour at most.
	maxServiceWait = 90 * time.Minute

	maxRequestsPerListing = 3  // to GitHub
	anonymousRequests     = 60 // that GitHub answers in an hour without a token

	// maxRefreshJobs is well below the 100 parallel requests that GitHub allows. GitHub asks for
	// far fewer.
	maxRefreshJobs = 16
)

// refreshFlags are the flags of catalog refresh.
type refreshFlags struct {
	dir, config, tokenEnv, cache, advisories string
	only                                     []string
	jobs                                     int
	dryRun, quiet, asJSON                    bool
}

const refreshHelp = `Asks GitHub, GitLab and Codeberg (the forges) about the repositories of the listings,
and writes what has changed into the front matter: stars and their date, archived,
the licence, the date of the latest commit or release, and the address of a repository
that was renamed. The front matter of a changed listing is formatted as by 'catalog
fmt'. Its other values and its comments do not change, and the text below stays the
same, byte for byte. Each file is replaced in one step, so an interrupted run leaves
no file half-written.

Asks package registries about the packages of the listing: npm, PyPI, Homebrew and
Docker Hub if an install link leads there, Go's module proxy and crates.io if a command
uses 'go install …@…' or 'cargo install'. A later release of a package becomes the
release of the listing if the package also has the release that was known. If it does
not, it has its own numbering, as clients of a tool often do. If no release was known,
that of a package is only reported. Homebrew gives no dates, so a version there that
seems later is only reported. So is a package that is gone. Pre-releases do not count,
nor do releases that were yanked from PyPI or crates.io. Packages of a listing are asked
about after its repository; a listing without a repository on a known forge is refreshed
by its packages alone.

A licence that a listing states more exactly than forges can (AGPL-3.0-only, MIT
OR Apache-2.0, LicenseRef-…) is kept. If the forge contradicts it, that is reported.
createdAt does not change, because the first commit is often older than the
repository. A listing whose repository is gone is reported, never deleted.

GitHub answers 60 requests an hour without a token, and 5,000 with one. The token
needs no permissions, and is sent to GitHub only. When a rate limit is used up, the
command waits and shows the time left. Answers are kept in the cache folder. With a
token, asking again does not count towards GitHub's rate limit if nothing has changed.

The exit status is 1 if a repository has vanished, or a listing or one of its packages
cannot be refreshed. All others are still refreshed. If 3 repositories or packages in a
row cannot be read from a forge or registry, the command stops asking it and lists what
it has skipped.

With --advisories, the command asks no service. It reads known vulnerabilities from an
export of OSV (https://google.github.io/osv.dev/data/#data-dumps): a zip of one
ecosystem, such as PyPI/all.zip, a zip of all, or a folder of such zips or of their
files. Advisories are matched with the packages of npm, PyPI, Go and crates.io to which
install links lead. Each listing with such a package tells of its advisories, and of the
day up to which the export goes. Advisories that were withdrawn do not count, and names
of the same vulnerability count once. If anything in the export cannot be read, the
first 100 mistakes are printed and no listing is changed.

CATALOG_GITHUB_API, CATALOG_GITLAB_API, CATALOG_CODEBERG_API, CATALOG_NPM_API,
CATALOG_GO_API, CATALOG_PYPI_API, CATALOG_CRATES_API, CATALOG_HOMEBREW_API and
CATALOG_DOCKER_HUB_API set other addresses for the APIs, such as the address of a
mirror.`

func newRefresh(env environment) *cobra.Command {
	var flags refreshFlags
	c := &cobra.Command{
		Use:   "refresh [--only SLUG...]",
		Short: "Update stars, licences, dates and releases from forges and package registries",
		Long:  refreshHelp,
		Example: `  GITHUB_TOKEN=… catalog refresh
  catalog refresh --advisories PyPI/all.zip
  catalog refresh --dry-run --only ollama jan`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return flags.run(c, env, args) },
	}
	addContentFlags(c, &flags.dir, &flags.config)
	f := c.Flags()
	f.StringSliceVar(&flags.only, "only", nil, "slugs of the listings to refresh, joined by commas (default: all)")
	f.StringVar(&flags.advisories, "advisories", "", advisoriesUsage)
	f.BoolVar(&flags.dryRun, "dry-run", false, "print what would change, and change no listing (default false)")
	f.StringVar(&flags.tokenEnv, "token-env", "GITHUB_TOKEN", "environment variable with the GitHub token")
	f.IntVar(&flags.jobs, "jobs", 4, "number of repositories or packages to ask one service about at once")
	f.StringVar(&flags.cache, "cache", "",
		"folder for answers; empty to keep none (default: catalog in the user's cache folder)")
	f.BoolVar(&flags.asJSON, "json", false, "print the result as JSON (default false)")
	f.BoolVar(&flags.quiet, "quiet", false, "print only what went wrong (default false)")
	return c
}

func (f *refreshFlags) run(c *cobra.Command, env environment, args []string) error {
	if len(args) > 0 && len(f.only) == 0 {
		return usageErrorf(c, "unknown argument %q: use --only to choose listings", args[0])
	}
	for _, name := range []string{"token-env", "jobs", "cache"} {
		if f.advisories != "" && c.Flags().Changed(name) {
			return usageErrorf(c, "--%s: --advisories asks no service: leave out one of them", name)
		}
	}
	if f.jobs < 1 || f.jobs > maxRefreshJobs {
		return usageErrorf(c, "--jobs %d: give a number from 1 to %d", f.jobs, maxRefreshJobs)
	}
	loaded, err := loadWithTaxonomy(c.Context(), env, f.dir, f.config)
	if err != nil {
		return err
	}
	registries, err := refresh.Registries(env.lookup)
	if err != nil {
		return usageErrorf(c, "%v", err)
	}
	asked := registries
	if !loaded.FrontMatter.Has("release") && f.advisories == "" {
		asked = nil // packages only tell releases and advisories
	}
	targets, err := chooseTargets(loaded, asked, append(f.only, args...), f.advisories != "")
	if err != nil {
		return usageErrorf(c, "%v", err)
	}
	if f.advisories != "" {
		return f.advise(c, env, loaded, registries, targets)
	}
	token, _ := env.lookup(f.tokenEnv)
	forges, err := refresh.Forges(env.lookup, strings.TrimSpace(token))
	if err != nil {
		return usageErrorf(c, "%v", err)
	}
	if !c.Flags().Changed("cache") {
		f.cache = userCacheDir(env)
	}
	o := refresh.Options{
		Dir: f.dir, FrontMatter: loaded.FrontMatter, Forges: forges, Jobs: f.jobs, DryRun: f.dryRun, Cache: f.cache,
		Timeout: serviceTimeout, MaxWait: maxServiceWait, Now: env.now, Wait: refresh.Sleep,
	}
	var bar *progress
	if !f.quiet {
		warnAboutRateLimit(env, token, f.tokenEnv, targets)
		bar = newProgress(env.stderr, env.now)
		d := newRefreshDisplay(env.stderr, bar, len(targets))
		o.Progress, o.Waiting = d.progress, d.waiting
	}
	report, err := refresh.Run(c.Context(), targets, o)
	bar.clear()
	return errors.Join(printReport(env, report, f.quiet, f.asJSON, err != nil), err)
}

// chooseTargets returns the listings with the slugs in only, or all if only is empty. It leaves
// out listings with neither a repository nor packages, unless this catalogue requires a repository, or advised is set
// and they tell of advisories: of packages that they no longer have.
func chooseTargets(c *content.Content, registries []refresh.Registry, only []string, advised bool) (
	[]refresh.Target, error,
) {
	var targets []refresh.Target
	var slugs []string
	for i, l := range c.All() {
		slugs = append(slugs, l.Slug)
		packages := refresh.FindPackages(registries, l.InstallLinks)
		if i < len(c.Listings) && l.RepositoryURL == "" && len(packages) == 0 &&
			!c.FrontMatter.Requires("repositoryUrl") && !(advised && l.Advisories != nil) {
			continue
		}
		if len(only) == 0 || slices.Contains(only, l.Slug) {
			targets = append(targets, refresh.Target{Slug: l.Slug, File: l.File, RepositoryURL: l.RepositoryURL,
				Packages: packages})
		}
	}
	for _, slug := range only {
		if !slices.Contains(slugs, slug) {
			return nil, fmt.Errorf("--only: there is no listing %q%s", slug, spelling.Hint(slug, slugs))
		}
	}
	return targets, nil
}

// userCacheDir returns the default cache folder, or "" if the user has none.
func userCacheDir(env environment) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		env.note("catalog: warning: cannot keep the answers for the next run: %v; "+
			"choose a folder with --cache\n", err)
		return ""
	}
	return filepath.Join(dir, "catalog")
}

// warnAboutRateLimit prints a warning if a run without a token may exceed GitHub's
// rate limit.
func warnAboutRateLimit(env environment, token, tokenEnv string, targets []refresh.Target) {
	requests := 0
	for _, t := range targets {
		if strings.HasPrefix(t.RepositoryURL, "https://github.com/") {
			requests += maxRequestsPerListing
		}
	}
	if token == "" && requests > anonymousRequests {
		env.note("%s is not set: GitHub answers %d requests an hour without a token, and up to %d are needed\n",
			tokenEnv, anonymousRequests, requests)
	}
}

// refreshDisplay shows the progress of a run and its waits: a bar with a countdown on
// a terminal, otherwise one line for each wait.
type refreshDisplay struct {
	w     io.Writer
	bar   *progress // nil if w is not a terminal
	total int

	mu      sync.Mutex
	done    int
	printed map[string]bool // lines about waits
}

// refreshLabel is the label of the progress bar.
const refreshLabel = "refresh"

func newRefreshDisplay(w io.Writer, bar *progress, total int) *refreshDisplay {
	return &refreshDisplay{w: w, bar: bar, total: total, printed: map[string]bool{}}
}

func (d *refreshDisplay) progress(done, total int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = done
	d.bar.show(refreshLabel, done, total)
}

func (d *refreshDisplay) waiting(wait refresh.Wait) {
	d.mu.Lock()
	defer d.mu.Unlock()
	reason, left := wait.Service+": "+wait.Reason, wait.Left.Round(time.Second)
	if d.bar != nil {
		d.bar.showAs(refreshLabel, fmt.Sprintf("%s, %v left", reason, left), d.done, d.total)
		return
	}
	line := fmt.Sprintf("%s, continues at %s", invisible.Escape(reason), wait.Until.UTC().Format("15:04:05 UTC"))
	if !d.printed[line] {
		d.printed[line] = true
		_, _ = fmt.Fprintf(d.w, "%s (in %v)\n", line, left)
	}
}

// printReport prints a report. It returns errReported if a listing vanished, failed or was skipped,
// or a package could not be read.
func printReport(env environment, r refresh.Report, quiet, asJSON, interrupted bool) error {
	if r.CacheProblem != "" {
		env.note("catalog: cache: %s\n", invisible.Escape(r.CacheProblem))
	}
	var err error
	switch {
	case asJSON:
		err = printJSON(env, r)
	case quiet:
		printUnrefreshed(env.stderr, &r)
	default:
		err = env.print("%s", formatReport(r, terminalWidth(env.stdout)))
	}
	if err == nil && !interrupted && len(r.Vanished)+len(r.Failed)+len(r.Unread)+len(r.Skipped) > 0 {
		err = errReported
	}
	return err
}

// formatReport formats a report for people: a table of changes, lists of listings that need a
// look, and a summary line.
func formatReport(r refresh.Report, width int) string {
	var b strings.Builder
	if len(r.Changed) > 0 {
		b.WriteString(changesTable(r.Changed, width) + "\n\n")
	}
	printNotes(&b, "Licence changed", r.Licenses)
	printNotes(&b, "Renamed", r.Renamed)
	printNotes(&b, "For you to decide", r.Notes)
	printNotes(&b, "No known forge", r.NoForge)
	skipped := printUnrefreshed(&b, &r)
	would := ""
	if r.DryRun {
		would = "would be "
	}
	packages := len(r.Unread)
	for _, s := range r.Skipped {
		packages += len(s.Packages)
	}
	unread := ""
	if packages > 0 {
		unread = fmt.Sprintf("; %s could not be read", api.Count(packages, "package"))
	}
	asked := ""
	if !r.Offline {
		asked = fmt.Sprintf(" %d without a known forge, %d vanished,", len(r.NoForge), len(r.Vanished))
		unread = fmt.Sprintf(", %d skipped%s", skipped, unread)
	}
	fmt.Fprintf(&b, "%s: %d %schanged, %d unchanged,%s %d failed%s\n", api.Count(r.Listings+skipped, "listing"),
		len(r.Changed), would, r.Unchanged, asked, len(r.Failed), unread)
	return b.String()
}

// printUnrefreshed prints what could not be refreshed, and returns the number of listings that were skipped.
func printUnrefreshed(w io.Writer, r *refresh.Report) (skipped int) {
	printNotes(w, "Vanished; nothing was changed", r.Vanished)
	printNotes(w, "Failed; nothing was changed", r.Failed)
	printNotes(w, "Packages that could not be read; the rest was refreshed", r.Unread)
	return printSkipped(w, r.Skipped)
}

// printNotes prints a titled list, or nothing if it is empty.
func printNotes(w io.Writer, title string, list []refresh.Note) {
	if len(list) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "%s:\n", title)
	for _, a := range list {
		_, _ = fmt.Fprintf(w, "  %s: %s\n", invisible.Escape(a.Slug), invisible.Escape(a.Message))
	}
	_, _ = fmt.Fprintln(w)
}

// maxNames is how many slugs or packages are printed for each service that gave no answers.
const maxNames = 20

// printSkipped prints what was not asked about, and returns the number of listings in it.
func printSkipped(w io.Writer, list []refresh.Skipped) (n int) {
	for _, s := range list {
		n += len(s.Slugs)
		kind, names, of := "repositories", s.Slugs, "listing"
		if len(s.Packages) > 0 {
			kind, names, of = "packages", s.Packages, "package"
		}
		shown := invisible.Escape(api.List(names, maxNames))
		if len(names) > maxNames {
			shown += ", which --json lists"
		}
		_, _ = fmt.Fprintf(w, "Skipped, because %d %s in a row could not be read from %s (the last: %s):\n"+
			"  %s: %s\n\n", refresh.MaxUnanswered, kind, s.Service, invisible.Escape(s.Reason),
			api.Count(len(names), of), shown)
	}
	return n
}

// Widths in the table of changes, in columns.
const (
	slugWidth     = 28
	fieldWidth    = 14
	minValueWidth = 14
)

func changesTable(list []refresh.Changed, width int) string {
	value := table.ColumnConfig{WidthMax: max(minValueWidth, (width-slugWidth-fieldWidth-4*borderWidth)/2)}
	t := newTable(table.ColumnConfig{WidthMax: slugWidth}, table.ColumnConfig{WidthMax: fieldWidth}, value, value)
	t.AppendHeader(table.Row{"Listing", "Field", "Old", "New"})
	for _, changed := range list {
		for i, c := range changed.Changes {
			slug := changed.Slug
			if i > 0 {
				slug = ""
			}
			t.AppendRow(table.Row{invisible.Escape(slug), c.Field, invisible.Escape(refresh.FormatValue(c.Old)),
				invisible.Escape(refresh.FormatValue(c.New))})
		}
	}
	return t.Render()
}
