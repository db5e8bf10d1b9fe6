package refresh

import (
	"cmp"
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"catalog.example/api"
)

func findNPM(l *api.InstallLink) string {
	if strings.HasPrefix(strings.Replace(l.Package(), "%40", "@", 1), "@") {
		return linked(l, "npm", 2)
	}
	return linked(l, "npm", 1)
}

// fetchNPM uses the registry API of npm: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md
func fetchNPM(ctx context.Context, c *client, name string) (published, error) {
	type document struct {
		DistTags struct {
			Latest string `json:"latest"`
		} `json:"dist-tags"`
		Time     map[string]any      `json:"time"` // of a version: a time
		Versions map[string]struct{} `json:"versions"`
	}
	return fetch(ctx, c, "/"+strings.Replace(name, "/", "%2F", 1), func(d document) (published, error) {
		if d.DistTags.Latest == "" {
			return published{}, errNotPackage
		}
		text, _ := d.Time[d.DistTags.Latest].(string)
		day, _ := time.Parse(time.RFC3339, text) // zero if it is missing
		return published{release{d.DistTags.Latest, day}, releases(slices.Sorted(maps.Keys(d.Versions)))}, nil
	})
}

// publishedOn returns the releases among versions, and the highest of them as the latest.
func publishedOn(days map[string]time.Time) published {
	versions := releases(slices.Sorted(maps.Keys(days)))
	latest := highest(versions)
	return published{release{latest, days[latest]}, versions}
}

// goInstall matches the package that a command installs with Go.
var goInstall = regexp.MustCompile(`\bgo install(?: [^ @;&|]+)*? ([^ @;&|]+/[^ @;&|]+)@`)

func findGo(l *api.InstallLink) string { return strings.TrimSuffix(installed(l, goInstall), "/...") }

// fetchGo uses the protocol of Go's module proxies: https://go.dev/ref/mod#goproxy-protocol. The
// module of a package is the longest prefix of its path of which the proxy lists a release.
func fetchGo(ctx context.Context, c *client, name string) (published, error) {
	var exists bool
	var gone error
	for module := name; strings.Contains(module, "/"); module = path.Dir(module) {
		base := "/" + escapeModule(module) + "/@v/"
		versions, err := fetch(ctx, c, base+"list", func(list string) ([]string, error) {
			versions := strings.Fields(list)
			if slices.ContainsFunc(versions, func(v string) bool { return !strings.HasPrefix(v, "v") }) {
				return nil, errNotPackage
			}
			return releases(versions), nil
		})
		switch _, isGone := goneStatus(err); {
		case isGone:
			gone = err
			continue
		case err != nil:
			return published{}, err
		case len(versions) == 0:
			exists = true
			continue
		}
		latest, err := fetch(ctx, c, base+highest(versions)+".info", func(info struct {
			Version string
			Time    time.Time
		}) (release, error) {
			return release(info), nil
		})
		return published{latest, versions}, err
	}
	if exists {
		return published{}, nil
	}
	return published{}, gone
}

// escapeModule writes capital letters as an exclamation mark and the small letter, because the
// caches of proxies may ignore case.
func escapeModule(module string) string {
	var b strings.Builder
	for _, r := range module {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func findPyPI(l *api.InstallLink) string { return linked(l, "pip", 1) }

// fetchPyPI uses the JSON API of PyPI: https://docs.pypi.org/api/json/. It may lose "releases" some
// day; the release is then a note, because versions is empty.
func fetchPyPI(ctx context.Context, c *client, name string) (published, error) {
	type file struct {
		Uploaded time.Time `json:"upload_time_iso_8601"`
		Yanked   bool      `json:"yanked"`
	}
	type document struct {
		Info struct {
			Version string `json:"version"`
			Yanked  bool   `json:"yanked"`
		} `json:"info"`
		URLs     []file                `json:"urls"` // of Info.Version
		Releases map[string][]struct{} `json:"releases"`
	}
	return fetch(ctx, c, "/pypi/"+name+"/json", func(d document) (published, error) {
		if d.Info.Version == "" {
			return published{}, errNotPackage
		}
		answer := published{Versions: releases(slices.Sorted(maps.Keys(d.Releases)))}
		kept := slices.DeleteFunc(d.URLs, func(f file) bool { return f.Yanked })
		if d.Info.Yanked || len(kept) == 0 && len(d.URLs) > 0 {
			return answer, nil
		}
		answer.Latest.Version = d.Info.Version
		for _, f := range kept { // files may be added later
			if answer.Latest.Time.IsZero() || f.Uploaded.Before(answer.Latest.Time) {
				answer.Latest.Time = f.Uploaded
			}
		}
		return answer, nil
	})
}

// cargoInstall matches the crate that a command installs with Cargo.
var cargoInstall = regexp.MustCompile(`\bcargo install(?: --(?:locked|force))* ([A-Za-z][A-Za-z0-9_-]*)(?:@[^ ]+)?(?: |$)`)

func findCrate(l *api.InstallLink) string {
	if l.Command != nil && (strings.Contains(*l.Command, " --git") || strings.Contains(*l.Command, " --path")) {
		return ""
	}
	return installed(l, cargoInstall)
}

// fetchCrate uses the API of crates.io: https://crates.io/api/openapi.json
func fetchCrate(ctx context.Context, c *client, name string) (published, error) {
	type document struct {
		Crate struct {
			Name string `json:"name"`
		} `json:"crate"`
		Versions []struct {
			Num       string    `json:"num"`
			CreatedAt time.Time `json:"created_at"`
			Yanked    bool      `json:"yanked"`
		} `json:"versions"`
	}
	return fetch(ctx, c, "/crates/"+name, func(d document) (published, error) {
		if d.Crate.Name == "" {
			return published{}, errNotPackage
		}
		days := map[string]time.Time{}
		for _, v := range d.Versions {
			if !v.Yanked {
				days[v.Num] = v.CreatedAt
			}
		}
		return publishedOn(days), nil
	})
}

func findHomebrew(l *api.InstallLink) string {
	name := linked(l, "brew", 1)
	if name == "" {
		return ""
	}
	if strings.Contains(l.URL, "/cask/") {
		return "cask/" + name
	}
	return "formula/" + name
}

// fetchHomebrew uses the JSON API of Homebrew, which states no days:
// https://formulae.brew.sh/docs/api/
func fetchHomebrew(ctx context.Context, c *client, name string) (published, error) {
	type document struct {
		Versions struct {
			Stable string `json:"stable"`
		} `json:"versions"` // of a formula
		Version string `json:"version"` // of a cask; a build may follow a comma
	}
	return fetch(ctx, c, "/"+name+".json", func(d document) (published, error) {
		version, _, _ := strings.Cut(cmp.Or(d.Versions.Stable, d.Version), ",")
		if version == "" {
			return published{}, errNotPackage
		}
		return published{Latest: release{Version: version}}, nil
	})
}

func findDocker(l *api.InstallLink) string {
	name := linked(l, "docker", 1)
	if name != "" && strings.Contains(l.URL, "/_/") { // an official image, which has no owner
		return "library/" + name
	}
	return linked(l, "docker", 2)
}

// fetchDocker uses the API of Docker Hub: https://docs.docker.com/reference/api/hub/latest/. The
// hundred latest tags are read. A tag counts if it is a version with a dot: a number alone, such as
// 3 or 20261101, is moved from release to release or names a day.
func fetchDocker(ctx context.Context, c *client, name string) (published, error) {
	type document struct {
		Results []struct {
			Name   string    `json:"name"`
			Pushed time.Time `json:"tag_last_pushed"`
		} `json:"results"`
	}
	owner, image, _ := strings.Cut(name, "/")
	address := "/namespaces/" + owner + "/repositories/" + image + "/tags?page_size=100"
	return fetch(ctx, c, address, func(d document) (published, error) {
		if d.Results == nil {
			return published{}, errNotPackage
		}
		days := map[string]time.Time{}
		for _, tag := range d.Results {
			if strings.Contains(tag.Name, ".") {
				days[tag.Name] = tag.Pushed
			}
		}
		return publishedOn(days), nil
	})
}
