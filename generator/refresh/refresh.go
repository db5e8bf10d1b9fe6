// Package refresh keeps listings true: it asks the forges where repositories
// live (GitHub, GitLab, Codeberg) for stars, licence, archived, the latest commit
// or release and the repository's present name, and writes what has changed into
// the listings' front matter.
//
// In go listings and forges; out come edited files and a Report. The front matter
// of a listing that changes is written in its canonical form, with its comments;
// the text below it stays byte for byte. Each file is replaced at once, so that at
// every moment it is either the old one or the new one. Forges are asked politely
// (courier.go): with the validators of earlier answers (cache.go), few requests at
// a time, and not while they ask for a pause. Nothing is ever deleted: what has
// vanished is reported.
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

// Options say what to refresh and how to ask.
type Options struct {
	Dir         string // the content folder
	FrontMatter *content.FrontMatter
	Forges      []Forge
	Jobs        int    // repositories of one forge asked for at once, at least 1
	DryRun      bool   // tell what would change, and write no listing
	Cache       string // folder that keeps validators between runs; "" for none

	// Transport sends the requests; nil for the usual one.
	Transport http.RoundTripper
	// Timeout bounds each try of a request, Patience the longest single wait
	// that a forge may ask for; without patience nothing is tried twice.
	Timeout, Patience time.Duration
	// Now and Wait are the clock: Wait returns early with an error where ctx
	// ends.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
	// Progress is called after each listing, Waiting about every second of a
	// pause that a forge has asked for, both from several goroutines; either may
	// be nil.
	Progress func(done, total int)
	Waiting  func(Wait)
}

// Target is a listing to refresh.
type Target struct {
	Slug          string
	File          string // below the content folder, with slashes
	RepositoryURL string
}

// About is something to say of a listing.
type About struct {
	Slug    string `json:"slug"`
	File    string `json:"file"`
	Message string `json:"message"`
}

// Changed is a listing with what has changed in it.
type Changed struct {
	Slug    string   `json:"slug"`
	File    string   `json:"file"`
	Changes []Change `json:"changes"`
}

// Report is what a run has found and done. Its lists are ordered by slug.
type Report struct {
	DryRun    bool      `json:"dryRun"`
	Listings  int       `json:"listings"` // that were looked at
	Unchanged int       `json:"unchanged"`
	Changed   []Changed `json:"changed"`
	Licenses  []About   `json:"licenses"` // whose licence changed
	Renamed   []About   `json:"renamed"`  // whose repository has another name
	Vanished  []About   `json:"vanished"` // whose repository is gone
	Failed    []About   `json:"failed"`   // which could not be asked for or written
	NoForge   []About   `json:"noForge"`  // whose host nobody knows how to ask
	Notes     []About   `json:"notes"`    // for an editor to decide
	// CacheProblem says why the cache could not be read or written; empty where
	// it could.
	CacheProblem string `json:"cacheProblem,omitempty"`
}

// errToken tells that a forge does not accept its token: every other request
// would be refused, too.
var errToken = errors.New("does not accept the token")

// Run refreshes listings. The error is that ctx ended, or that nothing can be
// asked at all; the report then tells what was done until then. What goes wrong
// with one listing is in the report alone.
func Run(ctx context.Context, targets []Target, o Options) (Report, error) {
	r := &run{o: &o, report: Report{DryRun: o.DryRun, Changed: []Changed{}, Licenses: []About{}, Renamed: []About{}, Vanished: []About{}, Failed: []About{}, NoForge: []About{}, Notes: []About{}}}
	o.setDefaults()
	memory, err := openCache(o.Cache)
	if err != nil {
		r.report.CacheProblem = err.Error()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	byForge := map[*Forge][]job{}
	r.total = len(targets)
	for _, t := range targets {
		switch at, err := locate(o.Forges, t.RepositoryURL); {
		case t.RepositoryURL == "": // front matter that cannot be read
			r.finish(t, func(report *Report, say func(string) About) {
				report.Failed = append(report.Failed, say("has no repositoryUrl; see catalog lint"))
			})
		case errors.Is(err, errNoForge):
			r.finish(t, func(report *Report, say func(string) About) {
				report.NoForge = append(report.NoForge, say(t.RepositoryURL))
			})
		case err != nil:
			r.finish(t, func(report *Report, say func(string) About) { report.Failed = append(report.Failed, say(err.Error())) })
		default:
			byForge[at.forge] = append(byForge[at.forge], job{t, at})
		}
	}
	callers := map[*Forge]*caller{}
	for forge := range byForge {
		if callers[forge], err = newCaller(forge, &o, memory); err != nil {
			return r.report, err
		}
	}
	forges := slices.Collect(maps.Keys(byForge))
	// The context tells why it ended.
	_ = parallel.Each(ctx, len(forges), len(forges), func(i int) error {
		jobs := byForge[forges[i]]
		return parallel.Each(ctx, o.Jobs, len(jobs), func(j int) error {
			err := r.listing(ctx, callers[forges[i]], jobs[j])
			if err != nil {
				cancel(err)
			}
			return err
		})
	})
	if err := memory.save(); err != nil {
		r.report.CacheProblem = err.Error()
	}
	r.report.order()
	if ctx.Err() != nil {
		return r.report, context.Cause(ctx)
	}
	return r.report, nil
}

// Ask asks for the facts of one repository. ErrGone is wrapped where there is
// none, errors of other kinds tell why there is no answer.
func Ask(ctx context.Context, address string, o Options) (Facts, error) {
	o.setDefaults()
	at, err := locate(o.Forges, address)
	if err != nil {
		return Facts{}, err
	}
	memory, err := openCache("")
	if err != nil {
		return Facts{}, err
	}
	s, err := newCaller(at.forge, &o, memory)
	if err != nil {
		return Facts{}, err
	}
	facts, err := s.facts(ctx, at.repository, o.Now())
	if status, ok := gone(err); ok {
		return Facts{}, fmt.Errorf("%w: %s answers %d %s", ErrGone, at.forge.Name, status, http.StatusText(status))
	}
	if err != nil {
		return Facts{}, fmt.Errorf("%s: %w", at.forge.Name, err)
	}
	facts.URL += at.rest
	return facts, nil
}

// ErrGone tells that a forge has no such repository, or not for everybody.
var ErrGone = errors.New("no such repository")

func (o *Options) setDefaults() {
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = Sleep
	}
}

// job is a listing and where its repository lies.
type job struct {
	Target
	at place
}

// run is the state of a Run.
type run struct {
	o     *Options
	total int

	mu     sync.Mutex
	report Report
}

// finish records a listing that has been looked at. do is given a function that
// makes an About of the listing.
func (r *run) finish(t Target, do func(report *Report, say func(message string) About)) {
	r.mu.Lock()
	r.report.Listings++
	do(&r.report, func(message string) About { return About{t.Slug, t.File, message} })
	done := r.report.Listings
	r.mu.Unlock()
	if r.o.Progress != nil {
		r.o.Progress(done, r.total)
	}
}

// listing asks for one repository and writes its listing. The error is one that
// ends the run.
func (r *run) listing(ctx context.Context, s *caller, j job) error {
	facts, err := s.facts(ctx, j.at.repository, r.o.Now())
	if ctx.Err() != nil {
		return nil // neither looked at nor failed
	}
	status, vanished := gone(err)
	var answered *statusError
	switch {
	case vanished:
		r.finish(j.Target, func(report *Report, say func(string) About) {
			report.Vanished = append(report.Vanished, say(fmt.Sprintf("%s: %s answers %d %s", j.RepositoryURL, s.Name, status, http.StatusText(status))))
		})
		return nil
	case errors.As(err, &answered) && answered.status == http.StatusUnauthorized && s.Token != "":
		return fmt.Errorf("%s %w: %w", s.Name, errToken, err)
	}
	var p plan
	if err == nil {
		p, err = r.write(j, &facts)
	}
	r.finish(j.Target, func(report *Report, say func(string) About) {
		if err != nil {
			report.Failed = append(report.Failed, say(err.Error()))
			return
		}
		for _, note := range p.notes {
			report.Notes = append(report.Notes, say(note))
		}
		if len(p.changes) == 0 {
			report.Unchanged++
			return
		}
		report.Changed = append(report.Changed, Changed{j.Slug, j.File, p.changes})
		if p.license != nil {
			report.Licenses = append(report.Licenses, say(fmt.Sprintf("%s → %v (%s)", Shown(p.license.Old), p.license.New, s.Name)))
		}
		if p.moved != nil {
			report.Renamed = append(report.Renamed, say(fmt.Sprintf("%v → %v", p.moved.Old, p.moved.New)))
		}
	})
	return nil
}

// write brings a listing's file up to date. The file is read only now: while
// forges were asked, and waited for, an editor may have worked on it.
func (r *run) write(j job, facts *Facts) (plan, error) {
	name := filepath.Join(r.o.Dir, filepath.FromSlash(j.File))
	file, f, err := r.o.FrontMatter.ReadFile(name)
	if err != nil {
		return plan{}, fmt.Errorf("%w; see catalog lint", err)
	}
	if f.RepositoryURL != j.RepositoryURL {
		return plan{}, errors.New("its repositoryUrl was changed while the forge was asked: run it again")
	}
	p := planFor(f, r.o.FrontMatter.Has, j.at, facts, api.DateOf(r.o.Now()))
	if len(p.settings) == 0 {
		return p, nil
	}
	edited, err := r.o.FrontMatter.Format(file, p.settings...)
	if err != nil || r.o.DryRun {
		return p, err
	}
	return p, output.WriteLinked(name, edited)
}

// order sorts the lists of a report: listings finish in any order.
func (r *Report) order() {
	slices.SortFunc(r.Changed, func(a, b Changed) int { return strings.Compare(a.Slug, b.Slug) })
	for _, list := range [][]About{r.Licenses, r.Renamed, r.Vanished, r.Failed, r.NoForge, r.Notes} {
		slices.SortStableFunc(list, func(a, b About) int { return strings.Compare(a.Slug, b.Slug) })
	}
}

// Shown returns a value of a Change as people read it.
func Shown(value any) string {
	if value == nil {
		return "unknown"
	}
	return fmt.Sprint(value)
}
