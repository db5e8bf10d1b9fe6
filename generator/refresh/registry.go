package refresh

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Registry is a service that publishes packages.
type Registry struct {
	Service

	// find returns the package that an install link leads to or installs, or "". For Go modules
	// it is a package's path, for Homebrew formula/NAME or cask/NAME, for Docker Hub OWNER/NAME.
	find  func(*api.InstallLink) string
	fetch packageFetcher
	// ecosystem is the registry's name at OSV, one of api.Ecosystems; "" for none.
	ecosystem string
}

// packageFetcher fetches what one registry says about a package.
type packageFetcher func(ctx context.Context, c *client, name string) (published, error)

// published is what a registry says about a package. Pre-releases are left out, and so are releases
// that were yanked from PyPI or crates.io.
type published struct {
	Latest   release  `json:"latest"`   // Version is empty if there is none, Time zero if no day is stated
	Versions []string `json:"versions"` // empty if the registry does not list them
}

// maxPackageResponse bounds what is read of the answer of a registry, in bytes. npm and PyPI
// describe each version of a package, some of which have thousands.
const maxPackageResponse = 32 << 20

// cratesInterval is the least time between two requests that the crawler policy of crates.io asks
// for.
const cratesInterval = time.Second

// Registries returns the known registries. The environment variables CATALOG_NPM_API,
// CATALOG_GO_API, CATALOG_PYPI_API, CATALOG_CRATES_API, CATALOG_HOMEBREW_API and
// CATALOG_DOCKER_HUB_API replace the addresses of their APIs.
func Registries(lookup func(string) (string, bool)) ([]Registry, error) {
	registries := []Registry{
		{Service{Name: "npm", API: https("registry.npmjs.org"), variable: "CATALOG_NPM_API"}, findNPM, fetchNPM, "npm"},
		{Service{Name: "Go modules", API: https("proxy.golang.org"), variable: "CATALOG_GO_API"},
			findGo, fetchGo, "Go"},
		{Service{Name: "PyPI", API: https("pypi.org"), variable: "CATALOG_PYPI_API"}, findPyPI, fetchPyPI, "PyPI"},
		{Service{Name: "crates.io", API: https("crates.io/api/v1"), variable: "CATALOG_CRATES_API",
			interval: cratesInterval}, findCrate, fetchCrate, "crates.io"},
		{Service{Name: "Homebrew", API: https("formulae.brew.sh/api"), variable: "CATALOG_HOMEBREW_API"},
			findHomebrew, fetchHomebrew, ""},
		{Service{Name: "Docker Hub", API: https("hub.docker.com/v2"), variable: "CATALOG_DOCKER_HUB_API"},
			findDocker, fetchDocker, ""},
	}
	for i := range registries {
		registries[i].maxResponse = maxPackageResponse
		if err := registries[i].overrideAPI(lookup); err != nil {
			return nil, err
		}
	}
	return registries, nil
}

// Package is a package of a registry.
type Package struct {
	Registry *Registry
	Name     string
}

// String returns the name of the registry and of the package.
func (p Package) String() string { return p.Registry.Name + " " + p.Name }

// FindPackages returns the packages that install links lead to, and those that their commands
// install with Go or Cargo: each once, whatever its spelling, in the order of the links.
func FindPackages(registries []Registry, links []api.InstallLink) []Package {
	var packages []Package
	for i := range links {
		for r := range registries {
			p := Package{&registries[r], registries[r].find(&links[i])}
			isSame := func(q Package) bool { return q.Registry == p.Registry && q.key() == p.key() }
			if p.Name != "" && !slices.ContainsFunc(packages, isSame) {
				packages = append(packages, p)
			}
		}
	}
	return packages
}

// linked returns the first n elements of the name of the package that a link of a kind leads to.
// What follows may be a version or a tab of the registry's page.
func linked(l *api.InstallLink, kind string, n int) string {
	if l.Kind != kind {
		return ""
	}
	name, _, _ := strings.Cut(l.Package(), "?")
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	elements := strings.Split(name, "/")
	return strings.Join(elements[:min(n, len(elements))], "/")
}

// installed returns the package that the command of a link installs: the first group of a pattern, or "".
func installed(l *api.InstallLink, pattern *regexp.Regexp) string {
	if l.Command != nil {
		if m := pattern.FindStringSubmatch(*l.Command); m != nil {
			return m[1]
		}
	}
	return ""
}

// packageName matches the names that registries allow: none needs escaping in an address, but for
// the slash and the @ of npm's scopes.
var packageName = regexp.MustCompile(`^@?[A-Za-z0-9_][A-Za-z0-9_.~+@-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.~+@-]*)*$`)

var (
	// errPackageName reports a name that no registry allows.
	errPackageName = errors.New("is not the name of a package")
	// errNotPackage reports a response without the fields of a package.
	errNotPackage = errors.New("the response does not describe a package")
)

// packageRelease is the latest release of a package.
type packageRelease struct {
	Package
	api.Release          // Date is empty if the registry states none
	versions    []string // empty if the registry does not list them
}

// latest fetches and validates the latest release of a package. Its version is empty if there is
// none.
func (p Package) latest(ctx context.Context, c *client, now time.Time) (packageRelease, error) {
	if !packageName.MatchString(p.Name) {
		return packageRelease{}, errPackageName
	}
	answer, err := ask(ctx, c, func() (published, error) { return p.Registry.fetch(ctx, c, p.Name) })
	r := packageRelease{Package: p, versions: answer.Versions}
	if err != nil || !isRelease(answer.Latest.Version) || !content.IsShortLine(answer.Latest.Version) {
		return r, err
	}
	if !answer.Latest.Time.IsZero() {
		r.Date = api.DateOf(answer.Latest.Time)
	}
	if r.Date <= api.DateOf(now) { // a later one is a mistake
		r.Version = answer.Latest.Version
	}
	return r, nil
}
