// Package refresh updates the facts of listings. It asks forges (GitHub, GitLab,
// Codeberg) for stars, licence, archived, the latest commit or release and the
// current name of each repository, and registries (npm, PyPI and others, see
// Registries) for the latest release of each package. It reads known vulnerabilities
// from exports of OSV (advisories.go). It writes changes to the front matter.
//
// Its input is listings and forges, its output edited files and a Report. Front
// matter that changes is written in its canonical form, with its comments; the
// text below it stays byte for byte. Each file is replaced atomically. Requests
// are conditional (cache.go), few at a time, and respect rate limits
// (transport.go). Changes that matter to those who have chosen a tool are added to
// the history of facts (history.go). Nothing is deleted: repositories that are gone
// are reported.
package refresh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/generator/content"
	"catalog.example/generator/output"
)

// Options configure Run and Fetch.
type Options struct {
	Dir         string // the content folder
	FrontMatter *content.FrontMatter
	Forges      []Forge
	Jobs        int    // concurrent lookups at one service, at least 1
	DryRun      bool   // report changes, and write no listing
	Cache       string // folder of the cache of responses; "" for none

	// Timeout bounds each try of a request, MaxWait each wait. With a MaxWait of
	// 0 nothing is tried twice.
	Timeout, MaxWait time.Duration
	// Now and Wait replace the clock. Wait returns an error early if ctx ends.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
	// Progress is called after each listing, Waiting every second of a pause, both
	// from several goroutines. Either may be nil.
	Progress func(done, total int)
	Waiting  func(Wait)
}

// Target is a listing to refresh.
type Target struct {
	Slug          string
	File          string    // below the content folder, with slashes
	RepositoryURL string    // may be empty if the listing has packages
	Packages      []Package // none if the listings have no release
}

// Note is a message about a listing.
type Note struct {
	Slug    string `json:"slug"`
	File    string `json:"file"`
	Message string `json:"message"`
}

// Changed is a listing with its changes.
type Changed struct {
	Slug    string   `json:"slug"`
	File    string   `json:"file"`
	Changes []Change `json:"changes"`
}

// Skipped is what a run did not ask a service about, because MaxUnanswered repositories or packages
// in a row could not be read from it. Its lists are sorted.
type Skipped struct {
	Service  string   `json:"service"`  // such as GitHub
	Reason   string   `json:"reason"`   // the last failure
	Slugs    []string `json:"slugs"`    // of listings that were not checked, if the service is a forge
	Packages []string `json:"packages"` // names of packages, if it is a registry
}

// MaxUnanswered is the number of consecutive repositories or packages without an answer from a
// service after which the run stops sending it requests. The facts of a repository or package,
// a status below 500 and a response that is too large are answers. A used-up rate limit is not.
const MaxUnanswered = 3

// Report is the result of a run. Its lists are sorted by slug.
type Report struct {
	DryRun    bool      `json:"dryRun"`
	Offline   bool      `json:"-"`        // whether it is Export.Advise's, which asks no forge or registry
	Listings  int       `json:"listings"` // that were checked
	Unchanged int       `json:"unchanged"`
	Changed   []Changed `json:"changed"`
	Licenses  []Note    `json:"licenses"` // with a changed licence
	Renamed   []Note    `json:"renamed"`  // with a renamed repository
	Vanished  []Note    `json:"vanished"` // with a repository that is gone
	Failed    []Note    `json:"failed"`   // that could not be fetched or written
	Unread    []Note    `json:"unread"`   // with a package that could not be read; the rest was refreshed
	NoForge   []Note    `json:"noForge"`  // on an unknown host, and without packages
	Notes     []Note    `json:"notes"`    // for an editor to decide on
	// Skipped is empty if every service answered.
	Skipped []Skipped `json:"skipped"`
	// CacheProblem says why the cache could not be read or written, or is empty.
	CacheProblem string `json:"cacheProblem,omitempty"`
}

// newReport returns a report whose lists are empty, and not nil.
func newReport(dryRun bool) Report {
	return Report{DryRun: dryRun, Changed: []Changed{}, Licenses: []Note{}, Renamed: []Note{}, Vanished: []Note{},
		Failed: []Note{}, Unread: []Note{}, NoForge: []Note{}, Notes: []Note{}, Skipped: []Skipped{}}
}

// errToken reports that a forge rejects the token. It ends the run: every other
// request would fail, too.
var errToken = errors.New("does not accept the token")

// Run refreshes listings. Problems of single listings are in the report only. Run
// returns an error if ctx ends or a forge rejects the token, with the report of what was
// done before.
func Run(ctx context.Context, targets []Target, o Options) (Report, error) {
	o.setDefaults()
	cache, err := openCache(o.Cache)
	r := &run{options: &o, cache: cache, registries: map[*Registry]*client{}, report: newReport(o.DryRun)}
	if err != nil {
		r.report.CacheProblem = err.Error()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.total = len(targets)
	byForge := r.locateAll(targets)
	r.refreshAll(ctx, cancel, byForge)
	if err := cache.save(); err != nil {
		r.report.CacheProblem = err.Error()
	}
	r.report.sort()
	slices.SortStableFunc(r.history, func(a, b content.Change) int { return strings.Compare(a.Slug, b.Slug) })
	err = writeHistory(o.Dir, r.history)
	if ctx.Err() != nil {
		return r.report, errors.Join(context.Cause(ctx), err)
	}
	return r.report, err
}

// locateAll returns the targets by forge, those with packages alone under nil. It records those that
// have neither.
func (r *run) locateAll(targets []Target) map[*Forge][]job {
	byForge := map[*Forge][]job{}
	for _, t := range targets {
		switch loc, err := locate(r.options.Forges, t.RepositoryURL); {
		case len(t.Packages) > 0 && (t.RepositoryURL == "" || errors.Is(err, errNoForge)):
			byForge[nil] = append(byForge[nil], job{t, loc})
		case t.RepositoryURL == "": // front matter that cannot be read
			r.record(t, &r.report.Failed, "has no repositoryUrl: run catalog lint")
		case errors.Is(err, errNoForge):
			r.record(t, &r.report.NoForge, t.RepositoryURL)
		case err != nil:
			r.record(t, &r.report.Failed, err.Error())
		default:
			byForge[loc.forge] = append(byForge[loc.forge], job{t, loc})
		}
	}
	return byForge
}

// refreshAll refreshes the targets of all forges at the same time. An error that would fail
// every other request cancels ctx, with the error as its cause.
func (r *run) refreshAll(ctx context.Context, cancel context.CancelCauseFunc, byForge map[*Forge][]job) {
	forges := slices.Collect(maps.Keys(byForge))
	// The cause of ctx is the error.
	_ = parallel.Each(ctx, len(forges), len(forges), func(i int) error {
		jobs := byForge[forges[i]]
		var c *client // nil for packages alone
		if forges[i] != nil {
			c = newClient(&forges[i].Service, r.options, r.cache)
		}
		return parallel.Each(ctx, r.options.Jobs, len(jobs), func(j int) error {
			err := r.refresh(ctx, c, jobs[j])
			if err != nil {
				cancel(err)
			}
			return err
		})
	})
}

// Fetch fetches the facts of one repository. The error wraps ErrGone if there is no
// such repository.
func Fetch(ctx context.Context, address string, o Options) (Facts, error) {
	o.setDefaults()
	loc, err := locate(o.Forges, address)
	if err != nil {
		return Facts{}, err
	}
	c := newClient(&loc.forge.Service, &o, newCache())
	facts, err := loc.forge.facts(ctx, c, loc.repository, o.Now())
	if status, ok := goneStatus(err); ok {
		return Facts{}, fmt.Errorf("%w: %s returns %d %s", ErrGone, loc.forge.Name, status, http.StatusText(status))
	}
	if err != nil {
		return Facts{}, fmt.Errorf("%s: %w", loc.forge.Name, err)
	}
	facts.URL += loc.rest
	return facts, nil
}

// ErrGone reports that a repository does not exist, is private or was taken down.
var ErrGone = errors.New("no such repository")

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = Sleep
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if o.Waiting == nil {
		o.Waiting = func(Wait) {}
	}
}

// job is a listing and the location of its repository, whose forge is nil if it is not known.
type job struct {
	Target
	loc location
}

// run is the state of a Run.
type run struct {
	options *Options
	cache   *cache
	total   int

	mu         sync.Mutex
	report     Report
	skipped    int
	registries map[*Registry]*client
	history    []content.Change // to be written at the end
}

// record counts a listing as checked, and adds messages about it to a list of the report.
func (r *run) record(t Target, list *[]Note, messages ...string) {
	r.mu.Lock()
	r.report.Listings++
	for _, message := range messages {
		*list = append(*list, Note{t.Slug, t.File, message})
	}
	done := r.report.Listings + r.skipped
	r.mu.Unlock()
	r.options.Progress(done, r.total)
}

// skip records a listing as not checked, because its forge does not answer.
func (r *run) skip(forge string, reason error, slug string) {
	r.mu.Lock()
	r.skipped++
	done := r.report.Listings + r.skipped
	s := r.skippedOf(forge, reason)
	s.Slugs = append(s.Slugs, slug)
	r.mu.Unlock()
	r.options.Progress(done, r.total)
}

// skipPackage records a package as not read, because its registry does not answer.
func (r *run) skipPackage(p Package, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.skippedOf(p.Registry.Name, reason)
	s.Packages = append(s.Packages, p.Name)
}

// skippedOf returns what was skipped of a service. The caller holds the lock.
func (r *run) skippedOf(service string, reason error) *Skipped {
	i := slices.IndexFunc(r.report.Skipped, func(s Skipped) bool { return s.Service == service })
	if i < 0 {
		i = len(r.report.Skipped)
		r.report.Skipped = append(r.report.Skipped, Skipped{service, reason.Error(), []string{}, []string{}})
	}
	return &r.report.Skipped[i]
}

// refresh asks about the repository and the packages of a listing, and updates it. c is nil for
// packages alone. An error ends the run.
func (r *run) refresh(ctx context.Context, c *client, j job) error {
	a := answers{loc: j.loc}
	if c != nil {
		facts, err := j.loc.forge.facts(ctx, c, j.loc.repository, r.options.Now())
		if ctx.Err() != nil {
			return nil // the listing was not checked
		}
		if err != nil {
			return r.recordFailure(c, j, err)
		}
		a.facts = &facts
	}
	unread := r.askPackages(ctx, j, &a)
	if ctx.Err() != nil {
		return nil
	}
	updated := r.change(j, func(l *api.ProjectDetail) plan {
		return newPlan(l, r.options.FrontMatter.Has, &a, api.DateOf(r.options.Now()))
	})
	if updated {
		r.mu.Lock()
		r.report.Unread = append(r.report.Unread, unread...)
		r.mu.Unlock()
	}
	return nil
}

// change changes a listing as planOf says, and records the changes. It reports whether that was possible.
func (r *run) change(j job, planOf func(*api.ProjectDetail) plan) bool {
	p, err := r.update(j, planOf)
	if err != nil {
		r.record(j.Target, &r.report.Failed, err.Error())
		return false
	}
	r.recordChanges(j, p.changes)
	if !r.options.DryRun {
		r.mu.Lock()
		r.history = append(r.history, p.history(j.Slug, api.DateOf(r.options.Now()))...)
		r.mu.Unlock()
	}
	r.record(j.Target, &r.report.Notes, p.notes...)
	return true
}

// recordFailure records why the facts of a repository could not be fetched. The error that it
// returns ends the run.
func (r *run) recordFailure(c *client, j job, err error) error {
	status, vanished := goneStatus(err)
	statusErr, answered := errors.AsType[*statusError](err)
	gaveUp, skipped := errors.AsType[gaveUpError](err)
	switch {
	case skipped:
		r.skip(c.Name, gaveUp.error, j.Slug)
	case vanished:
		r.record(j.Target, &r.report.Vanished,
			fmt.Sprintf("%s: %s returns %d %s", j.RepositoryURL, c.Name, status, http.StatusText(status)))
	case answered && statusErr.status == http.StatusUnauthorized && c.Token != "":
		return fmt.Errorf("%s %w: %w; set another token, or remove it", c.Name, errToken, err)
	default:
		r.record(j.Target, &r.report.Failed, err.Error())
	}
	return nil
}

// askPackages adds the latest releases of a listing's packages to a, and notes for an editor. It
// returns the packages that could not be read.
func (r *run) askPackages(ctx context.Context, j job, a *answers) (unread []Note) {
	for _, p := range j.Packages {
		latest, err := p.latest(ctx, r.registry(p.Registry), r.options.Now())
		status, gone := goneStatus(err)
		_, tooLarge := errors.AsType[tooLargeError](err)
		gaveUp, skipped := errors.AsType[gaveUpError](err)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			a.packages = append(a.packages, latest)
		case skipped:
			r.skipPackage(p, gaveUp.error)
		case gone:
			a.notes = append(a.notes, fmt.Sprintf("%s: the status is %d %s: correct the install link, or remove it", p,
				status, http.StatusText(status)))
		case errors.Is(err, errPackageName):
			a.notes = append(a.notes, fmt.Sprintf("%s: %q %v: correct the install link", p.Registry.Name, p.Name, err))
		case tooLarge:
			a.notes = append(a.notes, fmt.Sprintf("%s: %v: look for its latest release there", p, err))
		default:
			unread = append(unread, Note{j.Slug, j.File, fmt.Sprintf("%s: %v", p, err)})
		}
	}
	return unread
}

// registry returns the client of a registry.
func (r *run) registry(registry *Registry) *client {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.registries[registry]
	if !ok {
		c = newClient(&registry.Service, r.options, r.cache)
		r.registries[registry] = c
	}
	return c
}

// recordChanges adds the changes of a listing to the report.
func (r *run) recordChanges(j job, changes []Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(changes) == 0 {
		r.report.Unchanged++
		return
	}
	r.report.Changed = append(r.report.Changed, Changed{j.Slug, j.File, changes})
	for _, c := range changes {
		message := fmt.Sprintf("%s → %v", FormatValue(c.Old), c.New)
		switch c.Field {
		case "license":
			r.report.Licenses = append(r.report.Licenses, Note{j.Slug, j.File, message + " (" + j.loc.forge.Name + ")"})
		case "repositoryUrl":
			r.report.Renamed = append(r.report.Renamed, Note{j.Slug, j.File, message})
		}
	}
}

// update changes a listing's file. It reads the file now, because an editor may have changed it since the run began.
func (r *run) update(j job, planOf func(*api.ProjectDetail) plan) (plan, error) {
	name := filepath.Join(r.options.Dir, filepath.FromSlash(j.File))
	file, listing, err := r.options.FrontMatter.ReadFile(name)
	if err != nil {
		return plan{}, fmt.Errorf("%w; run catalog lint", err)
	}
	if listing.RepositoryURL != j.RepositoryURL {
		return plan{}, errors.New("its repositoryUrl changed during this run: run the command again")
	}
	p := planOf(listing)
	if len(p.edits) == 0 {
		return p, nil
	}
	edited, err := r.options.FrontMatter.Format(file, p.edits...)
	if err == nil {
		err = r.options.FrontMatter.CheckEdit(j.File, file, edited, content.LatestDay(r.options.Now()))
	}
	if err != nil || r.options.DryRun {
		return p, err
	}
	return p, output.WriteFile(name, edited)
}

// sort sorts the lists of a report: listings finish in any order.
func (r *Report) sort() {
	slices.SortFunc(r.Changed, func(a, b Changed) int { return strings.Compare(a.Slug, b.Slug) })
	for _, list := range [][]Note{r.Licenses, r.Renamed, r.Vanished, r.Failed, r.Unread, r.NoForge, r.Notes} {
		slices.SortStableFunc(list, func(a, b Note) int { return strings.Compare(a.Slug, b.Slug) })
	}
	slices.SortFunc(r.Skipped, func(a, b Skipped) int { return strings.Compare(a.Service, b.Service) })
	for _, s := range r.Skipped {
		slices.Sort(s.Slugs)
		slices.Sort(s.Packages)
	}
}

// FormatValue returns a value of a Change as text for people.
func FormatValue(value any) string {
	if value == nil {
		return "unknown"
	}
	return fmt.Sprint(value)
}
