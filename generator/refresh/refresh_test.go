package refresh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/refresh/forgetest"
)

// today is the day of the tests' clock.
const today = "2026-11-21"

// fakeClock is a clock that only waits move forward.
type fakeClock struct {
	mu     sync.Mutex
	time   time.Time
	waited time.Duration
}

func newFakeClock() *fakeClock {
	return &fakeClock{time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *fakeClock) wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
	c.waited += d
	return ctx.Err()
}

func (c *fakeClock) totalWait() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waited
}

// listingText returns the text of a listing with a repository URL.
func listingText(repository string) string {
	return `---
name: A tool # the name
license: MIT # said in LICENSE
osiApproved: true
stars: 10 # counted
starsAsOf: 2026-01-01
repositoryUrl: ` + repository + `
archived: false
addedAt: 2026-01-01
createdAt: 2020-01-01
updatedAt: 2026-01-01
sources: # where it was read
  license: LICENSE in the repository
  stars: a list (2026-01-01)
---
Does something.
`
}

// workspace is a content folder, a fake forge and a clock.
type workspace struct {
	forge   *forgetest.Forge
	clock   *fakeClock
	dir     string
	targets []Target
	options Options

	registries []Registry // nil before add
}

// newWorkspace makes a content folder of listings, a map from slug to repository
// URL, and a forge with repositories.
func newWorkspace(t *testing.T, listings map[string]string, repositories ...forgetest.Repository) *workspace {
	t.Helper()
	w := &workspace{forge: forgetest.New(repositories...), clock: newFakeClock(), dir: t.TempDir()}
	t.Cleanup(w.forge.Close)
	w.forge.Clock(w.clock.now)
	for slug, address := range listings {
		w.write(t, slug, listingText(address))
		w.targets = append(w.targets, Target{Slug: slug, File: slug + ".md", RepositoryURL: address})
	}
	slices.SortFunc(w.targets, func(a, b Target) int { return strings.Compare(a.Slug, b.Slug) })
	forges, err := Forges(w.forge.Lookup, "the-token")
	if err != nil {
		t.Fatal(err)
	}
	w.options = Options{
		Dir: w.dir, FrontMatter: frontMatter(), Forges: forges, Jobs: 4, Cache: filepath.Join(t.TempDir(), "a", "cache"),
		Timeout: time.Minute, MaxWait: 90 * time.Minute, Now: w.clock.now, Wait: w.clock.wait,
	}
	return w
}

// frontMatter returns that of the shipped catalogue.
func frontMatter() *content.FrontMatter {
	settings := site.Defaults()
	m, err := content.LoadFrontMatter("../../content", &settings)
	if err != nil {
		panic(err)
	}
	return m
}

func (w *workspace) write(t *testing.T, slug, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, slug+".md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *workspace) read(t *testing.T, slug string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, slug+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *workspace) run(t *testing.T) Report {
	t.Helper()
	report, err := Run(t.Context(), w.targets, w.options)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// changedRepository differs from listingText in every fact.
func changedRepository(name string) forgetest.Repository {
	return forgetest.Repository{
		Name: name, Stars: 4321, Archived: true, License: "Apache-2.0",
		Commit: "2026-10-02T01:00:00+02:00", Release: "2026-09-03T00:00:00Z", Language: "Go", Topics: []string{"AI"},
	}
}

// unchangedRepository differs from listingText only in the day of its stars.
func unchangedRepository(name string) forgetest.Repository {
	return forgetest.Repository{Name: name, Stars: 10, License: "MIT", Commit: "2026-01-01T01:00:00Z"}
}

func replaced(text string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic(pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		forge, address, newAddress string
	}{
		{"GitHub", "https://github.com/old/tool", "https://github.com/new/Tool"},
		{"GitHub", "https://www.github.com/old/tool.git", "https://github.com/new/Tool"},
		{"GitHub", "https://github.com/old/tool/tree/main/part#readme", "https://github.com/new/Tool/tree/main/part#readme"},
		{"GitLab", "https://gitlab.com/group/inner/tool", "https://gitlab.com/new/Tool"},
		{"GitLab", "https://gitlab.com/group/inner/tool/-/tree/main", "https://gitlab.com/new/Tool/-/tree/main"},
		{"Codeberg", "https://codeberg.org/old/tool/", "https://codeberg.org/new/Tool"},
	} {
		t.Run(test.address, func(t *testing.T) {
			t.Parallel()
			repository := changedRepository("new/Tool")
			repository.FormerNames = []string{"old/tool", "group/inner/tool"}
			w := newWorkspace(t, map[string]string{"tool": test.address}, repository)
			report := w.run(t)
			source := test.forge + " API (" + today + ")"
			want := replaced(listingText(test.address),
				"MIT # said", "Apache-2.0 # said", "stars: 10 #", "stars: 4321 #", "starsAsOf: 2026-01-01", "starsAsOf: "+today,
				test.address, test.newAddress, "archived: false", "archived: true", "updatedAt: 2026-01-01", "updatedAt: 2026-10-01\nrelease:\n  version: v1\n  date: 2026-09-03",
				"LICENSE in the repository", source, "a list (2026-01-01)", source+"\n  archived: "+source+"\n  updatedAt: "+source+"\n  release: "+source)
			if got := w.read(t, "tool"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			changed := Report{
				Listings: 1,
				Changed: []Changed{{"tool", "tool.md", []Change{
					{"stars", 10, 4321}, {"archived", false, true}, {"license", "MIT", "Apache-2.0"},
					{"updatedAt", "2026-01-01", "2026-10-01"}, {"release", nil, "v1 (2026-09-03)"}, {"repositoryUrl", test.address, test.newAddress},
				}}},
				Licenses: []Note{{"tool", "tool.md", "MIT → Apache-2.0 (" + test.forge + ")"}},
				Renamed:  []Note{{"tool", "tool.md", test.address + " → " + test.newAddress}},
				Vanished: []Note{}, Failed: []Note{}, Unread: []Note{}, NoForge: []Note{}, Notes: []Note{}, Skipped: []Skipped{},
			}
			if !reflect.DeepEqual(report, changed) {
				t.Errorf("the report is\n%+v, want\n%+v", report, changed)
			}

			// A second run changes nothing.
			w.forge.Requests()
			w.targets[0].RepositoryURL = test.newAddress
			report = w.run(t)
			if report.Unchanged != 1 || len(report.Changed)+len(report.Failed)+len(report.Notes) > 0 {
				t.Errorf("the second report is %+v", report)
			}
			if got := w.read(t, "tool"); got != want {
				t.Errorf("the second run made\n%s", got)
			}
		})
	}
}

// TestFactsInListings checks how facts change a listing.
func TestFactsInListings(t *testing.T) {
	t.Parallel()
	const github = "GitHub API (" + today + ")"
	base := replaced(listingText("https://github.com/a/b"))
	dated := []string{"starsAsOf: 2026-01-01", "starsAsOf: " + today, "a list (2026-01-01)", github}
	for _, test := range []struct {
		name       string
		before     []string // edits of the listing
		repository func(*forgetest.Repository)
		after      []string // edits by the run, besides those of dated
		note       string
	}{
		{name: "nothing"},
		{name: "AGPL is the family of AGPL-only", before: []string{"MIT", "AGPL-3.0-only"}, repository: func(r *forgetest.Repository) { r.License = "AGPL-3.0" }},
		{name: "a licence unknown to the forge", repository: func(r *forgetest.Repository) { r.License = "NOASSERTION" }},
		{name: "an unknown licence", repository: func(r *forgetest.Repository) { r.License = "Mine-1.0" }},
		{name: "no licence", repository: func(r *forgetest.Repository) { r.License = "" }},
		{name: "a licence is found", before: []string{"MIT", "null", "  license: LICENSE in the repository\n", ""},
			after: []string{"null", "MIT", "  stars: " + github, "  license: " + github + "\n  stars: " + github}},
		{name: "a custom licence", before: []string{"MIT", "LicenseRef-Mine"}, note: "license is LicenseRef-Mine, which is more exact than what forges report, but GitHub says MIT"},
		{name: "a licence that the SPDX list has deprecated", repository: func(r *forgetest.Repository) { r.License = "GPL-3.0" },
			note: "GitHub says that the licence is GPL-3.0, which is deprecated in the SPDX list: read the licence, and write GPL-3.0-only or GPL-3.0-or-later"},
		{name: "one of two licences", before: []string{"MIT", "MIT OR Apache-2.0"}},
		{name: "archived by an editor", before: []string{"archived: false", "archived: true"}, note: "archived is true, but GitHub says"},
		{name: "no longer archived", before: []string{"archived: false", "archived: true", "a list (2026-01-01)", "a list (2026-01-01)\n  archived: GitHub API (2026-02-03)"},
			after: []string{"archived: true", "archived: false", "(2026-02-03)", "(" + today + ")"}},
		{name: "a release is newer than the commit", repository: func(r *forgetest.Repository) { r.Release = "2026-11-20T23:59:59Z" },
			after: []string{"updatedAt: 2026-01-01", "updatedAt: 2026-11-20\nrelease:\n  version: v1\n  date: 2026-11-20", github, github + "\n  updatedAt: " + github + "\n  release: " + github}},
		{name: "a release", repository: func(r *forgetest.Repository) { r.Release = "2025-05-05T00:00:00Z" },
			before: []string{"updatedAt: 2026-01-01", "updatedAt: 2026-01-01\nrelease:\n  version: v0.9\n  date: 2025-05-04"},
			after:  []string{"version: v0.9", "version: v1", "2025-05-04", "2025-05-05", github, github + "\n  release: " + github}},
		{name: "an earlier release", repository: func(r *forgetest.Repository) { r.Release = "2025-05-05T00:00:00Z" },
			before: []string{"updatedAt: 2026-01-01", "updatedAt: 2026-01-01\nrelease:\n  version: v2\n  date: 2025-05-06"}},
		{name: "a release of tomorrow", repository: func(r *forgetest.Repository) { r.Release = "2026-11-22T00:00:00Z" }},
		{name: "updated before", repository: func(r *forgetest.Repository) { r.Commit = "2025-01-01T00:00:00Z" }},
		{name: "a commit of tomorrow", repository: func(r *forgetest.Repository) { r.Commit = "2026-11-22T00:00:00Z" }},
		{name: "an empty repository", repository: func(r *forgetest.Repository) { r.Commit = "" }},
		{name: "updated before it was created", before: []string{"updatedAt: 2026-01-01", "updatedAt: null", "createdAt: 2020", "createdAt: 2026"},
			repository: func(r *forgetest.Repository) { r.Commit = "2025-05-05T00:00:00Z" }, note: "from 2025-05-05, which is before createdAt, 2026-01-01"},
		{name: "another case of the name", repository: func(r *forgetest.Repository) { r.Name = "A/B" }},
		{name: "createdAt is not changed", before: []string{"createdAt: 2020-01-01", "createdAt: null"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := unchangedRepository("a/b")
			if test.repository != nil {
				test.repository(&r)
			}
			w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/b"}, r)
			before := replaced(base, test.before...)
			w.write(t, "tool", before)
			report := w.run(t)
			want := replaced(replaced(before, dated...), test.after...)
			if got := w.read(t, "tool"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if len(report.Changed) != 1 || len(report.Failed) > 0 {
				t.Errorf("the report is %+v", report)
			}
			if notes := fmt.Sprint(report.Notes); test.note == "" && len(report.Notes) > 0 || !strings.Contains(notes, test.note) {
				t.Errorf("the notes are %s, want %q", notes, test.note)
			}
		})
	}
}

// A changed licence and an archived repository are added to the history of facts, and what was unknown
// is not.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a": "https://github.com/a/b", "b": "https://github.com/b/b", "c": "https://github.com/c/b"},
		changedRepository("a/b"), changedRepository("b/b"), unchangedRepository("c/b"))
	w.write(t, "b", replaced(w.read(t, "b"), "license: MIT", "license: null"))
	name := filepath.Join(w.dir, content.ChangesFile)
	const first = `{"day": "2026-01-02", "slug": "c", "field": "license", "from": null, "to": "MIT", "source": "x"}`
	if err := os.WriteFile(name, []byte(first), 0o600); err != nil { // without a line break at its end
		t.Fatal(err)
	}
	w.run(t)
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := first + "\n"
	for _, line := range []string{`"slug":"a","field":"archived","from":false,"to":true`, `"slug":"a","field":"license","from":"MIT","to":"Apache-2.0"`,
		`"slug":"b","field":"archived","from":false,"to":true`} {
		want += `{"day":"` + today + `",` + line + `,"source":"GitHub API (` + today + `)"}` + "\n"
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.run(t)
	if again, _ := os.ReadFile(name); string(again) != want {
		t.Errorf("a run without changes has changed the history:\n%s", again)
	}
}

// TestDryRun checks that changes are reported and not written.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/b"}, changedRepository("a/b"))
	before := w.read(t, "tool")
	w.options.DryRun = true
	dry := w.run(t)
	if w.read(t, "tool") != before {
		t.Error("the listing was written")
	}
	w.options.DryRun = false
	wet := w.run(t)
	if dry.DryRun, wet.DryRun = false, false; !reflect.DeepEqual(dry, wet) || len(wet.Changed) != 1 {
		t.Errorf("a dry run tells\n%+v, a real one\n%+v", dry, wet)
	}
}

// TestFaults checks the report of each fault, and that the listing is not changed.
func TestFaults(t *testing.T) {
	t.Parallel()
	hosts := map[string]string{"GitHub": "https://github.com/", "GitLab": "https://gitlab.com/", "Codeberg": "https://codeberg.org/"}
	for _, test := range []struct {
		fault    string
		times    int
		vanished string
		failed   string // if both are empty, the run succeeds
		forge    string // "" for all
		waited   time.Duration
	}{
		{fault: "404", vanished: "returns 404 Not Found"},
		{fault: "410", vanished: "returns 410 Gone"},
		{fault: "451", vanished: "returns 451 Unavailable For Legal Reasons"},
		{fault: "blocked", vanished: "returns 451", forge: "GitHub"},
		{fault: "403", failed: "the status is 403 Forbidden"},
		{fault: "500", failed: "the status is 500", waited: 7 * time.Second},
		{fault: "502", times: 1, waited: time.Second},
		{fault: "503", times: 3, waited: 7 * time.Second},
		{fault: "html", failed: "cannot read the response"},
		{fault: "truncated", failed: "cannot read the response"},
		{fault: "types", failed: "cannot read the response"},
		{fault: "empty", failed: "does not describe a repository"},
		{fault: "nothing", failed: "cannot read the response"},
		{fault: "cut-off", failed: "unexpected EOF", waited: 7 * time.Second},
		{fault: "cut-off", times: 1, waited: time.Second},
		{fault: "huge", failed: "larger than 8 MiB"},
		{fault: "hang", failed: "did not answer within", waited: 7 * time.Second},
		{fault: "primary", failed: "is used up until 2026-11-21 16:00 UTC", waited: 200 * time.Minute},
		{fault: "primary", times: 1, waited: 40 * time.Minute},
		{fault: "secondary", failed: "is used up until", waited: 31 * time.Minute},
		{fault: "secondary", times: 2, waited: 3 * time.Minute},
	} {
		for forge, host := range hosts {
			if test.forge != "" && test.forge != forge {
				continue
			}
			t.Run(fmt.Sprintf("%s at %s, %d times", test.fault, forge, test.times), func(t *testing.T) {
				t.Parallel()
				bad := changedRepository("a/bad")
				bad.Fault = forgetest.Fault{Kind: test.fault, Times: test.times}
				w := newWorkspace(t, map[string]string{"bad": host + "a/bad"}, bad)
				if test.fault == "hang" {
					w.options.Timeout = 20 * time.Millisecond
				}
				before := w.read(t, "bad")
				report := w.run(t)
				var got, want string
				switch {
				case test.vanished != "":
					got, want = fmt.Sprint(report.Vanished), host+"a/bad: "+forge+" "+test.vanished
				case test.failed != "":
					got, want = fmt.Sprint(report.Failed), test.failed
				default:
					got, want = fmt.Sprint(report.Changed), "4321"
				}
				if !strings.Contains(got, want) || len(report.Vanished)+len(report.Failed)+len(report.Changed) != 1 {
					t.Errorf("the report is %+v, want %q", report, want)
				}
				if len(report.Changed) == 0 && w.read(t, "bad") != before {
					t.Error("the listing was written")
				}
				if waited := w.clock.totalWait(); waited != test.waited {
					t.Errorf("waited %v, want %v", waited, test.waited)
				}
				// Without the fault a second run succeeds: no bad response was cached.
				w.forge.Set(changedRepository("a/bad"))
				w.options.Timeout = time.Minute
				if report := w.run(t); len(report.Changed)+report.Unchanged != 1 || !strings.Contains(w.read(t, "bad"), "stars: 4321") {
					t.Errorf("afterwards, the report is %+v", report)
				}
			})
		}
	}
}

// TestForgeGivesNoAnswers checks that a forge is asked no more after three repositories in a
// row without an answer, that the others are asked, and that an answer starts the count anew.
func TestForgeGivesNoAnswers(t *testing.T) {
	t.Parallel()
	const all = 10
	for _, test := range []struct {
		fault    string
		answers  int // every repository of this number answers; 0 for none
		jobs     int
		requests int // to GitHub; 0 for not counted
	}{
		{fault: "hang", jobs: 1},
		{fault: "cut-off", jobs: 1, requests: 3 * maxTries},
		{fault: "502", jobs: 1, requests: 3 * maxTries},
		{fault: "html", jobs: 1, requests: 3},
		{fault: "elsewhere", jobs: 1, requests: 3},
		{fault: "primary", jobs: 1, requests: 3 * maxRateLimited},
		{fault: "500", jobs: 4},
		{fault: "500", answers: 3, jobs: 1},
		{fault: "404", jobs: 1, requests: all},
		{fault: "403", jobs: 1, requests: all},
	} {
		t.Run(fmt.Sprintf("%s, every %d. answers, %d jobs", test.fault, test.answers, test.jobs), func(t *testing.T) {
			t.Parallel()
			listings := map[string]string{"on-gitlab": "https://gitlab.com/b/good", "zz-gitlab": "https://gitlab.com/b/good"}
			known := []forgetest.Repository{changedRepository("b/good")}
			for i := range all {
				r := changedRepository(fmt.Sprintf("a/r%02d", i))
				if test.answers == 0 || (i+1)%test.answers != 0 {
					r.Fault = forgetest.Fault{Kind: test.fault, Elsewhere: "http://127.0.0.1:1/"}
				}
				known, listings[fmt.Sprintf("r%02d", i)] = append(known, r), "https://github.com/"+r.Name
			}
			w := newWorkspace(t, listings, known...)
			w.options.Jobs = test.jobs
			if test.fault == "hang" {
				w.options.Timeout = 20 * time.Millisecond
			}
			report := w.run(t)
			requests, skipped := 0, 0
			for _, r := range w.forge.Requests() {
				if strings.HasPrefix(r.Path, "/github/") {
					requests++
				}
			}
			for _, s := range report.Skipped {
				skipped += len(s.Slugs)
				if s.Service != "GitHub" || s.Reason == "" || !slices.IsSorted(s.Slugs) {
					t.Errorf("skipped: %+v", s)
				}
			}
			if requests != test.requests && test.requests > 0 {
				t.Errorf("%d requests, want %d", requests, test.requests)
			}
			failed, want := len(report.Failed), all-MaxUnanswered
			if test.answers > 0 || test.requests == all {
				want = 0
			}
			if more := want - skipped; more < 0 || more >= test.jobs {
				t.Errorf("%d listings were skipped, want %d", skipped, want)
			}
			if got := failed + skipped + len(report.Vanished) + len(report.Changed); got != len(listings) || report.Listings != len(listings)-skipped {
				t.Errorf("%d of %d listings are in the report: %+v", got, len(listings), report)
			}
			for _, slug := range []string{"on-gitlab", "zz-gitlab"} {
				if !strings.Contains(w.read(t, slug), "stars: 4321") {
					t.Errorf("%s was not refreshed", slug)
				}
			}
		})
	}
}

// TestFaultsAreIsolated checks that a fault does not affect other listings.
func TestFaultsAreIsolated(t *testing.T) {
	t.Parallel()
	bad := changedRepository("a/bad")
	bad.Fault.Kind = "html"
	w := newWorkspace(t, map[string]string{
		"bad": "https://github.com/a/bad", "good": "https://github.com/a/good", "gone": "https://codeberg.org/a/gone", "elsewhere": "https://code.example.org/a/b",
		"short": "https://github.com/only", "broken": "https://github.com/a/good", "odd": "https://github.com/a/../../user",
	}, bad, changedRepository("a/good"))
	w.write(t, "broken", replaced(listingText("https://github.com/a/good"), "osiApproved: true", "osiApproved: perhaps"))
	var done []int
	var mu sync.Mutex
	w.options.Progress = func(n, total int) {
		mu.Lock()
		defer mu.Unlock()
		if done = append(done, n); total != 7 {
			t.Errorf("the total is %d", total)
		}
	}
	report := w.run(t)
	slices.Sort(done)
	if want := []int{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(done, want) {
		t.Errorf("progress was %v", done)
	}
	got := fmt.Sprintln(report.Changed[0].Slug, len(report.Changed), report.Vanished, report.NoForge, report.Failed)
	want := fmt.Sprintln("good", 1, "[{gone gone.md https://codeberg.org/a/gone: Codeberg returns 404 Not Found}]", "[{elsewhere elsewhere.md https://code.example.org/a/b}]",
		"[{bad bad.md cannot read the response: invalid character '<' looking for beginning of value} "+
			`{broken broken.md line 4:14: osiApproved: "perhaps" is not allowed: write true, false or null; run catalog lint} `+
			"{odd odd.md https://github.com/a/../../user is not the address of a repository} {short short.md https://github.com/only is not the address of a repository}]")
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestConditionalRequests checks that unchanged responses do not count against
// the rate limit, that changes are seen, and that a damaged cache is ignored.
func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"https://github.com/", "https://gitlab.com/", "https://codeberg.org/"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, map[string]string{"tool": host + "a/b"}, changedRepository("a/b"))
			statuses := func() (list []int) {
				for _, r := range w.forge.Requests() {
					list = append(list, r.Status)
				}
				slices.Sort(list)
				return slices.Compact(list)
			}
			w.run(t)
			if got := statuses(); !slices.Equal(got, []int{200}) {
				t.Fatalf("a first run is answered %v", got)
			}
			// A day later nothing has changed.
			w.clock.time = w.clock.time.Add(24 * time.Hour)
			w.forge.SetRateLimit(1)
			report := w.run(t)
			if got := statuses(); !slices.Equal(got, []int{304}) {
				t.Errorf("a second run is answered %v", got)
			}
			if text := w.read(t, "tool"); !strings.Contains(text, "stars: 4321 # counted\nstarsAsOf: 2026-11-22\n") || len(report.Changed) != 1 {
				t.Errorf("%+v makes\n%s", report, text)
			}
			w.forge.SetRateLimit(0)

			// One more star.
			repository := changedRepository("a/b")
			repository.Stars++
			w.forge.Set(repository)
			w.run(t)
			if got := statuses(); !slices.Equal(got, []int{200, 304}) || !strings.Contains(w.read(t, "tool"), "stars: 4322 ") {
				t.Errorf("a third run is answered %v and makes\n%s", got, w.read(t, "tool"))
			}

			for _, damage := range []string{"", "{", `{"version":1,"answers":{"x":7}}`, `{"version":0,"answers":{}}`} {
				if err := os.WriteFile(filepath.Join(w.options.Cache, cacheFile), []byte(damage), 0o600); err != nil {
					t.Fatal(err)
				}
				if report := w.run(t); len(report.Failed) > 0 || (report.CacheProblem == "") != strings.HasPrefix(damage, `{"version":0`) {
					t.Errorf("with a cache of %q: %+v", damage, report)
				}
				if got := statuses(); !slices.Equal(got, []int{200}) {
					t.Errorf("with a cache of %q, the answers are %v", damage, got)
				}
			}
			w.options.Cache = ""
			w.run(t)
			if got := statuses(); !slices.Equal(got, []int{200}) {
				t.Errorf("without a cache, the answers are %v", got)
			}
		})
	}
}

// TestCacheWriteError checks that the error is reported and the run succeeds.
func TestCacheWriteError(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/b"}, changedRepository("a/b"))
	w.options.Cache = filepath.Join(w.dir, "tool.md", "cache")
	if report := w.run(t); report.CacheProblem == "" || len(report.Changed) != 1 {
		t.Errorf("the report is %+v", report)
	}
}

// TestCacheWriteErrorDuringRun checks that a save that fails during a run is
// repeated at its end.
func TestCacheWriteErrorDuringRun(t *testing.T) {
	t.Parallel()
	const repositories = 20 // three responses of each are cached: 60
	listings, known := map[string]string{}, []forgetest.Repository{}
	for i := range repositories {
		name := fmt.Sprintf("a/b%d", i)
		listings[fmt.Sprintf("tool-%d", i)] = "https://github.com/" + name
		known = append(known, changedRepository(name))
	}
	for _, removed := range []bool{false, true} {
		w := newWorkspace(t, listings, known...)
		w.options.Jobs = 1
		blocker := filepath.Join(w.options.Cache, cacheFile, "x")
		var once sync.Once
		w.forge.OnRequest(func(*http.Request) {
			once.Do(func() {
				if err := os.MkdirAll(blocker, 0o700); err != nil {
					t.Error(err)
				}
			})
		})
		w.options.Progress = func(done, total int) {
			if removed && done == total {
				if err := os.RemoveAll(filepath.Dir(blocker)); err != nil {
					t.Error(err)
				}
			}
		}
		report := w.run(t)
		if len(report.Changed) != repositories || (report.CacheProblem == "") != removed {
			t.Errorf("blocker removed %t: %d changed, cache: %q", removed, len(report.Changed), report.CacheProblem)
		}
		if removed {
			if kept, err := openCache(w.options.Cache); err != nil || len(kept.entries) != 3*repositories {
				t.Errorf("%d answers are kept: %v", len(kept.entries), err)
			}
		}
	}
}

// TestToken checks that the token is sent to its forge only, even after a
// redirect, and that it is not stored.
func TestToken(t *testing.T) {
	t.Parallel()
	other := forgetest.New(changedRepository("a/moved"))
	t.Cleanup(other.Close)
	moved := changedRepository("a/moved")
	moved.Fault = forgetest.Fault{Kind: "elsewhere", Elsewhere: other.URL + "/github/repos/a/moved"}
	w := newWorkspace(t, map[string]string{"hub": "https://github.com/a/b", "lab": "https://gitlab.com/a/b", "berg": "https://codeberg.org/a/b", "moved": "https://github.com/a/moved"},
		changedRepository("a/b"), moved)
	report := w.run(t)
	for _, r := range w.forge.Requests() {
		want := ""
		if strings.HasPrefix(r.Path, "/github/") {
			want = "Bearer the-token"
		}
		if r.Authorization != want {
			t.Errorf("%s was sent the token %q", r.Path, r.Authorization)
		}
	}
	if requests := other.Requests(); len(requests) > 0 {
		t.Errorf("another host got requests: %+v", requests)
	}
	if failed := fmt.Sprint(report.Failed); !strings.Contains(failed, "redirects to another host") {
		t.Errorf("the failures are %s", failed)
	}
	cached, err := os.ReadFile(filepath.Join(w.options.Cache, cacheFile))
	if err != nil || strings.Contains(string(cached)+fmt.Sprint(report), "the-token") {
		t.Errorf("the token is kept: %v\n%s", err, cached)
	}
}

// TestRefusedToken checks that a rejected token ends the run.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	listings := map[string]string{}
	var repositories []forgetest.Repository
	for i := range 40 {
		r := changedRepository(fmt.Sprintf("a/t%d", i))
		r.Fault.Kind = "401"
		repositories = append(repositories, r)
		listings[fmt.Sprintf("t%d", i)] = "https://github.com/" + r.Name
	}
	w := newWorkspace(t, listings, repositories...)
	_, err := Run(t.Context(), w.targets, w.options)
	if !errors.Is(err, errToken) || strings.Contains(err.Error(), "the-token") {
		t.Errorf("the error is %v", err)
	}
	if n := len(w.forge.Requests()); n > w.options.Jobs {
		t.Errorf("%d requests were sent", n)
	}
}

// TestRateLimit checks that a run waits for each reset of the rate limit, and
// reports the waits.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	for _, jobs := range []int{1, 4} {
		t.Run(fmt.Sprint(jobs), func(t *testing.T) {
			t.Parallel()
			testRateLimit(t, jobs)
		})
	}
}

func testRateLimit(t *testing.T, jobs int) {
	listings := map[string]string{}
	var repositories []forgetest.Repository
	for i := range 30 {
		r := changedRepository(fmt.Sprintf("a/t%d", i))
		repositories = append(repositories, r)
		listings[fmt.Sprintf("t%d", i)] = "https://github.com/" + r.Name
	}
	w := newWorkspace(t, listings, repositories...)
	w.options.Jobs = jobs
	var mu sync.Mutex
	var waits []Wait
	w.options.Waiting = func(x Wait) {
		mu.Lock()
		defer mu.Unlock()
		waits = append(waits, x)
	}
	w.forge.SetRateLimit(25)
	report := w.run(t)
	if len(report.Changed) != 30 {
		t.Errorf("the report is %+v", report)
	}
	// 90 requests at 25 an hour take three more hours.
	if passed := w.clock.now().Sub(newFakeClock().time); passed < 3*time.Hour || passed > 3*time.Hour+time.Minute {
		t.Errorf("%v passed", passed)
	}
	refused := 0
	for _, r := range w.forge.Requests() {
		if r.Status == 403 {
			refused++
		}
	}
	// The last response of an hour holds requests back: only those that were under
	// way are refused.
	if refused > 3*(jobs-1) {
		t.Errorf("%d requests were refused", refused)
	}
	if len(waits) == 0 || waits[0].Service != "GitHub" || waits[0].Reason != "the rate limit is used up" || waits[0].Left > time.Hour || waits[0].Until.Before(newFakeClock().time.Add(59*time.Minute)) {
		t.Fatalf("the waits are %+v", waits[:min(3, len(waits))])
	}
	if len(waits) < 3*3590 {
		t.Errorf("%d seconds were counted down", len(waits))
	}

	// With little patience the run fails without waiting.
	w.options.MaxWait, w.options.Cache = time.Minute, ""
	w.forge.SetRateLimit(5)
	before := w.clock.now()
	report = w.run(t)
	if len(report.Failed) == 0 || !strings.Contains(report.Failed[0].Message, "the rate limit of GitHub is used up until 2026-11-21 1") || w.clock.now() != before {
		t.Errorf("without patience the report is %+v", report.Failed)
	}
}

// TestConcurrentRequests checks that Jobs bounds the requests under way.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	listings := map[string]string{}
	var repositories []forgetest.Repository
	for i := range 20 {
		r := changedRepository(fmt.Sprintf("a/t%d", i))
		repositories = append(repositories, r)
		listings[fmt.Sprintf("t%d", i)] = "https://github.com/" + r.Name
	}
	w := newWorkspace(t, listings, repositories...)
	w.options.Jobs = 3
	// The first three requests are held until further ones had time to arrive.
	var mu sync.Mutex
	underway, maxUnderway, once := 0, 0, sync.Once{}
	open := make(chan struct{})
	w.forge.OnRequest(func(r *http.Request) {
		if r.URL.Path == "/probe" {
			return
		}
		mu.Lock()
		underway++
		maxUnderway = max(maxUnderway, underway)
		if underway == 3 {
			once.Do(func() {
				go func() {
					defer close(open)
					for range 100 {
						if response, err := http.Get(w.forge.URL + "/probe"); err != nil {
							t.Error(err)
						} else if err := response.Body.Close(); err != nil {
							t.Error(err)
						}
					}
				}()
			})
		}
		mu.Unlock()
		<-open
		mu.Lock()
		underway--
		mu.Unlock()
	})
	if report := w.run(t); len(report.Changed) != 20 {
		t.Errorf("the report is %+v", report)
	}
	if maxUnderway != 3 {
		t.Errorf("%d requests were under way at once, want 3", maxUnderway)
	}
}

// TestCancel ends runs that wait for a rate limit or a response.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"primary", "hang", "500"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			bad := changedRepository("a/bad")
			bad.Fault.Kind = fault
			w := newWorkspace(t, map[string]string{"bad": "https://github.com/a/bad", "good": "https://codeberg.org/a/good"}, bad, changedRepository("a/good"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			goodDone := make(chan struct{})
			w.options.Progress = func(int, int) { close(goodDone) }
			stop := func() { <-goodDone; cancel() }
			if fault == "hang" {
				go stop()
			} else {
				w.options.Wait = func(ctx context.Context, _ time.Duration) error {
					stop()
					return Sleep(ctx, time.Hour)
				}
			}
			report, err := Run(ctx, w.targets, w.options)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			if report.Listings != 1 || len(report.Changed) != 1 || report.Changed[0].Slug != "good" {
				t.Errorf("the report is %+v", report)
			}
			if w.read(t, "bad") != listingText("https://github.com/a/bad") {
				t.Error("the listing that was not asked for was written")
			}
			if kept, err := openCache(w.options.Cache); err != nil || len(kept.entries) == 0 {
				t.Errorf("the answers are not kept: %v", err)
			}
		})
	}
}

// TestListingsEditedDuringRun checks that no edit is lost.
func TestListingsEditedDuringRun(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"kept": "https://github.com/a/b", "moved": "https://github.com/a/c", "removed": "https://github.com/a/d"}, changedRepository("a/b"), changedRepository("a/c"), changedRepository("a/d"))
	var once sync.Once
	text := replaced(listingText("https://github.com/a/b"), "A tool", "Another tool", "stars: 10", "stars: 9")
	w.forge.OnRequest(func(*http.Request) {
		once.Do(func() {
			w.write(t, "kept", text)
			w.write(t, "moved", listingText("https://github.com/a/e"))
			if err := os.Remove(filepath.Join(w.dir, "removed.md")); err != nil {
				t.Error(err)
			}
		})
	})
	report := w.run(t)
	if got := w.read(t, "kept"); !strings.Contains(got, "name: Another tool # the name") || !strings.Contains(got, "stars: 4321 ") {
		t.Errorf("the edited listing is\n%s", got)
	}
	if w.read(t, "moved") != listingText("https://github.com/a/e") {
		t.Error("facts of another repository were written")
	}
	if failed := fmt.Sprint(report.Failed); len(report.Failed) != 2 || !strings.Contains(failed, "its repositoryUrl changed") || !strings.Contains(failed, "no such file") {
		t.Errorf("the failures are %s", failed)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "removed.md")); err == nil {
		t.Error("a removed listing is there again")
	}
}

// A listing that would have a mistake afterwards stays as it is.
func TestListingsStayReadable(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/tool"}, changedRepository("a/tool"))
	text := listingText("https://github.com/a/tool")
	text += strings.Repeat("x", 64<<10-len(text)-1) + "\n" // as large as a listing may be
	w.write(t, "tool", text)
	if report := w.run(t); len(report.Failed) != 1 || !strings.HasPrefix(report.Failed[0].Message, "would have ") || len(report.Changed) != 0 {
		t.Errorf("the report is %+v", report)
	}
	if w.read(t, "tool") != text {
		t.Error("the listing was changed")
	}
}

// TestCanonicalForm checks that a changed listing is written in canonical form,
// with its comments, line breaks and text, and an unchanged one is not written.
func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	const text = "Does something.\r\n\n---\nstars: 1 # not front matter\xff"
	w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/b"}, unchangedRepository("a/b"))
	before := "\ufeff---\r\nrepositoryUrl: 'https://github.com/a/b'\r\n# of the name\r\nname:   \"A tool\"\r\nsources: {license: LICENSE}\r\nlicense: MIT # said\r\n" +
		"addedAt: 2026-01-01\r\narchived: false\r\nupdatedAt: 2026-01-01\r\nstars: 9\r\n--- \r\n" + text
	want := "\ufeff---\r\n# of the name\r\nname: A tool\r\nlicense: MIT # said\r\nstars: 10\r\nstarsAsOf: 2026-11-21\r\nrepositoryUrl: https://github.com/a/b\r\n" +
		"archived: false\r\naddedAt: 2026-01-01\r\nupdatedAt: 2026-01-01\r\nsources:\r\n  license: LICENSE\r\n  stars: GitHub API (2026-11-21)\r\n--- \r\n" + text
	w.write(t, "tool", before)
	if report := w.run(t); len(report.Changed) != 1 || w.read(t, "tool") != want {
		t.Errorf("%+v: got\n%q, want\n%q", report, w.read(t, "tool"), want)
	}
	odd := strings.Replace(want, "name: A tool", "name:   'A tool'", 1)
	w.write(t, "tool", odd)
	if report := w.run(t); report.Unchanged != 1 || w.read(t, "tool") != odd {
		t.Errorf("%+v: a listing without news was written:\n%q", report, w.read(t, "tool"))
	}
	// A listing that would lose a comment is reported and not written.
	lossy := replaced(want, "stars: 10", "stars: 9", "name: A tool\r\n", "name: A tool\r\ntopics: [ # a\r\n  b]\r\n")
	w.write(t, "tool", lossy)
	if report := w.run(t); len(report.Failed) != 1 || !strings.Contains(report.Failed[0].Message, "line 4:1: this comment would be lost") || w.read(t, "tool") != lossy {
		t.Errorf("%+v makes\n%q", report, w.read(t, "tool"))
	}
}

// TestLinkedFile checks that a symbolic link to a listing stays one.
func TestLinkedFile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"tool": "https://github.com/a/b"}, changedRepository("a/b"))
	link := filepath.Join(w.dir, "link.md")
	if err := os.Symlink("tool.md", link); err != nil {
		t.Fatal(err)
	}
	w.targets[0].File = "link.md"
	w.run(t)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(w.read(t, "tool"), "4321") {
		t.Errorf("%v %v\n%s", info, err, w.read(t, "tool"))
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil, changedRepository("a/b"), forgetest.Repository{Name: "a/slow", Fault: forgetest.Fault{Kind: "503"}}, forgetest.Repository{Name: "a/far", Fault: forgetest.Fault{Kind: "primary"}})
	w.options.MaxWait = 0
	facts, err := Fetch(t.Context(), "https://codeberg.org/A/b", w.options)
	archived := true
	want := Facts{Forge: "Codeberg", Repository: "a/b", URL: "https://codeberg.org/a/b", Stars: 4321, Archived: &archived, License: "Apache-2.0", Updated: "2026-10-01", Release: &api.Release{Version: "v1", Date: "2026-09-03"}, Language: "Go", Topics: []string{"ai"}}
	if err != nil || !reflect.DeepEqual(facts, want) {
		t.Errorf("got %+v %v, want %+v", facts, err, want)
	}
	if _, err := Fetch(t.Context(), "https://github.com/a/none", w.options); !errors.Is(err, ErrGone) {
		t.Errorf("of no repository: %v", err)
	}
	w.forge.Requests()
	for address, want := range map[string]string{
		"https://github.com/a/slow":    "GitHub: the status is 503 Service Unavailable",
		"https://gitlab.com/a/far":     "GitLab: the rate limit of GitLab is used up until 2026-11-21 12:40 UTC",
		"https://code.example.org/a/b": "the host of the repository is not GitHub, GitLab or Codeberg",
	} {
		if _, err := Fetch(t.Context(), address, w.options); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
	if n := len(w.forge.Requests()); n != 2 || w.clock.totalWait() != 0 {
		t.Errorf("without patience %d requests were sent in %v", n, w.clock.totalWait())
	}
}

func TestForges(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{
		"https://forge.example/api/": true, "http://127.0.0.1:1/x": true, "http://[::1]:1": true, "http://localhost": true,
		"http://forge.example/api": false, "forge.example": false, "https://": false, "ftp://127.0.0.1/": false, "%": false, "": true,
	} {
		forges, err := Forges(func(key string) (string, bool) { return address, key == "CATALOG_CODEBERG_API" }, "")
		if (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil && address != "" && (forges[2].API.String() != strings.TrimRight(address, "/") || forges[0].API.String() != "https://api.github.com") {
			t.Errorf("%q gives %+v", address, forges)
		}
	}
}

func TestCompareLicenses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		listing, forge string
		want           licenseMatch
	}{
		{"", "", licenseSame}, {"", "MIT", licenseNew}, {"MIT", "", licenseSame}, {"MIT", "MIT", licenseSame}, {"mit", "MIT", licenseSame},
		{"MIT", "Apache-2.0", licenseNew}, {"AGPL-3.0-only", "AGPL-3.0", licenseSame}, {"AGPL-3.0-or-later", "AGPL-3.0", licenseSame},
		{"AGPL-3.0", "AGPL-3.0-only", licenseSame}, {"GPL-2.0+", "GPL-2.0", licenseSame}, {"GPL-3.0-only", "AGPL-3.0", licenseNew}, {"GPL-3.0-only", "GPL-2.0", licenseNew},
		{"MIT OR Apache-2.0", "Apache-2.0", licenseSame}, {"(MIT OR Apache-2.0) AND BSD-3-Clause", "BSD-3-Clause", licenseSame}, {"MIT OR Apache-2.0", "GPL-3.0", licenseUnclear},
		{"GPL-3.0-only WITH Classpath-exception-2.0", "GPL-3.0", licenseSame}, {"GPL-3.0-only WITH Classpath-exception-2.0", "MIT", licenseUnclear},
		{"LicenseRef-Mine", "Apache-2.0", licenseUnclear},
	} {
		var listing *string
		if test.listing != "" {
			listing = &test.listing
		}
		if got := compareLicenses(listing, test.forge); got != test.want {
			t.Errorf("%q and %q: %v, want %v", test.listing, test.forge, got, test.want)
		}
	}
}

func TestMainLanguage(t *testing.T) {
	t.Parallel()
	if got := mainLanguage(map[string]float64{"A": 10, "C": 45, "B": 45}); got != "B" {
		t.Errorf("got %q", got)
	}
	if got := mainLanguage(nil); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestRetryAfterDate checks a Retry-After with a date, within and beyond the
// patience.
func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ahead  time.Duration
		status int
		waited time.Duration
		want   string
	}{
		{5 * time.Minute, 503, 5 * time.Minute, ""},
		{5 * time.Minute, 429, 5 * time.Minute, ""},
		{24 * time.Hour, 503, 0, "the status is 503"},
		{24 * time.Hour, 429, 0, "is used up until 2026-11-22 12:00 UTC"},
	} {
		c := newFakeClock()
		var mu sync.Mutex
		first := true
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if first {
				first = false
				w.Header().Set("Retry-After", c.now().Add(test.ahead).Format(http.TimeFormat))
				w.WriteHeader(test.status)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(server.Close)
		forges, err := Forges(func(string) (string, bool) { return server.URL, true }, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Fetch(t.Context(), "https://codeberg.org/a/b", Options{Forges: forges, Timeout: time.Minute, MaxWait: time.Hour, Now: c.now, Wait: c.wait})
		if test.want == "" && !errors.Is(err, ErrGone) || err == nil || !strings.Contains(err.Error(), test.want) || c.totalWait() != test.waited {
			t.Errorf("%d in %v: %v after %v", test.status, test.ahead, err, c.totalWait())
		}
	}
}
