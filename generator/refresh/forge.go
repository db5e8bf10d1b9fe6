package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Facts are what a forge knows about a repository.
type Facts struct {
	Forge      string // name of the forge, such as GitHub
	Repository string // its current name: owner/name
	URL        string // its address under that name
	Stars      int
	Archived   *bool        // nil if the forge does not say
	License    string       // SPDX identifier; may be empty
	Updated    api.Date     // latest commit of the default branch or release; may be empty
	Release    *api.Release // the latest; nil if there is none
	Language   string       // main programming language; may be empty
	Homepage   string       // as its owners wrote it; may be empty or not a URL
	Topics     []string     // in lower case
}

// Source returns the citation of a fact that was read on a day.
func (f *Facts) Source(day api.Date) string { return citation(f.Forge, day) }

// Forge is a service that hosts repositories.
type Forge struct {
	Service
	Host string // of repository URLs

	fetch fetcher
}

// fetcher fetches the facts of the repository owner/name from one kind of forge.
type fetcher func(ctx context.Context, c *client, repository string) (Facts, error)

// Forges returns the known forges. The environment variables CATALOG_GITHUB_API,
// CATALOG_GITLAB_API and CATALOG_CODEBERG_API replace the addresses of their
// APIs. token is GitHub's and may be empty.
func Forges(lookup func(string) (string, bool), token string) ([]Forge, error) {
	forges := []Forge{
		{Service: Service{Name: "GitHub", API: https("api.github.com"), variable: "CATALOG_GITHUB_API", Token: token,
			header: gitHubHeader}, Host: "github.com", fetch: fetchGitHub("per_page=1")},
		{Service: Service{Name: "GitLab", API: https("gitlab.com/api/v4"), variable: "CATALOG_GITLAB_API"},
			Host: "gitlab.com", fetch: fetchGitLab},
		{Service: Service{Name: "Codeberg", API: https("codeberg.org/api/v1"), variable: "CATALOG_CODEBERG_API"},
			Host: "codeberg.org", fetch: fetchGitHub("limit=1&stat=false&verification=false&files=false")},
	}
	for i := range forges {
		if err := forges[i].overrideAPI(lookup); err != nil {
			return nil, err
		}
	}
	return forges, nil
}

// repositoryName is a name with its owner or groups: owner/name.
var repositoryName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)

func isRepositoryName(name string) bool {
	return repositoryName.MatchString(name) && path.Clean("/"+name) == "/"+name
}

// location is a parsed repository URL.
type location struct {
	forge      *Forge
	repository string // owner/name
	rest       string // of the path, such as /tree/main/part
}

// errNoForge reports that no known forge has the repository's host.
var errNoForge = errors.New("the host of the repository is not GitHub, GitLab or Codeberg")

// locate parses a repository URL and finds its forge.
func locate(forges []Forge, address string) (location, error) {
	u, err := url.Parse(address)
	if err != nil {
		return location{}, fmt.Errorf("%q is not an address", address)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	i := slices.IndexFunc(forges, func(f Forge) bool { return f.Host == host })
	if i < 0 {
		return location{}, errNoForge
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	n := min(2, len(parts))
	if host == "gitlab.com" { // groups may be nested; /-/ ends them
		if n = slices.Index(parts, "-"); n < 0 {
			n = len(parts)
		}
	}
	name, rest := strings.TrimSuffix(strings.Join(parts[:n], "/"), ".git"), ""
	if !isRepositoryName(name) {
		return location{}, fmt.Errorf("%s is not the address of a repository", address)
	}
	if n < len(parts) {
		rest = "/" + strings.Join(parts[n:], "/")
	}
	return location{&forges[i], name, rest}, nil
}

// facts fetches and validates the facts of a repository.
func (forge *Forge) facts(ctx context.Context, c *client, repository string, now time.Time) (Facts, error) {
	return ask(ctx, c, func() (Facts, error) { return forge.fetchFacts(ctx, c, repository, now) })
}

func (forge *Forge) fetchFacts(ctx context.Context, c *client, repository string, now time.Time) (Facts, error) {
	f, err := forge.fetch(ctx, c, repository)
	if err != nil {
		return Facts{}, err
	}
	if !isRepositoryName(f.Repository) || f.Stars < 0 {
		return Facts{}, errNotRepository
	}
	f.Forge, f.URL = forge.Name, "https://"+forge.Host+"/"+f.Repository
	f.License = content.ListedLicense(f.License) // empty for NOASSERTION and similar values
	if f.Updated > api.DateOf(now) {
		f.Updated = "" // a commit may claim any date
	}
	if f.Release != nil && (f.Release.Date > api.DateOf(now) || !content.IsShortLine(f.Release.Version)) {
		f.Release = nil
	}
	for i := range f.Topics {
		f.Topics[i] = strings.ToLower(f.Topics[i])
	}
	return f, nil
}

// release is the latest release of a repository. It is zero if there is none.
type release struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
}

// setLatest sets the facts that follow from the latest commit and release.
func (f *Facts) setLatest(commit time.Time, latest release) {
	if last := later(commit, latest.Time); !last.IsZero() {
		f.Updated = api.DateOf(last)
	}
	if latest.Version != "" && !latest.Time.IsZero() {
		f.Release = &api.Release{Version: latest.Version, Date: api.DateOf(latest.Time)}
	}
}

// zeroIfMissing returns the zero value without an error if a repository is empty
// or has no release.
func zeroIfMissing[T any](value T, err error) (T, error) {
	if e, ok := errors.AsType[*statusError](err); ok && (e.status == http.StatusNotFound ||
		e.status == http.StatusConflict) {
		var zero T
		return zero, nil
	}
	return value, err
}

// first returns the first value of a list, or the zero value.
func first[T any](list []T) (value T) {
	if len(list) > 0 {
		value = list[0]
	}
	return value
}

// errNotRepository reports a response without the fields of a repository.
var errNotRepository = errors.New("the response does not describe a repository")

// mainLanguage returns the language with the largest share. In a tie, it returns the first by name.
func mainLanguage(shares map[string]float64) string {
	best := ""
	for name, share := range shares {
		if best == "" || cmp.Or(cmp.Compare(share, shares[best]), cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}
