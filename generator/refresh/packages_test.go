package refresh

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/generator/refresh/forgetest"
)

// answerFile returns a file of testdata.
func answerFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// link returns an install link, with a command unless that is empty.
func link(kind, url, command string) api.InstallLink {
	l := api.InstallLink{Kind: kind, Label: "Install", URL: url}
	if command != "" {
		l.Command = &command
	}
	return l
}

// add adds a listing without a repository, with a release, or none if version is empty, and
// install links.
func (w *workspace) add(t *testing.T, slug, version, day string, links ...api.InstallLink) {
	t.Helper()
	w.addText(t, slug, withRelease(replaced(listingText(""), "repositoryUrl: \n", ""), version, day), "", links...)
}

func (w *workspace) addText(t *testing.T, slug, text, repository string, links ...api.InstallLink) {
	t.Helper()
	w.write(t, slug, text)
	if w.registries == nil {
		var err error
		if w.registries, err = Registries(w.forge.Lookup); err != nil {
			t.Fatal(err)
		}
	}
	w.targets = append(w.targets, Target{slug, slug + ".md", repository, FindPackages(w.registries, links)})
}

// withRelease adds a release to a listing's text, unless the version is empty.
func withRelease(text, version, day string) string {
	if version == "" {
		return text
	}
	return replaced(text, "sources:", fmt.Sprintf("release:\n  version: %q\n  date: %s\nsources:", version, day))
}

// npmAnswer returns an answer of npm about the releases 1.0.0, 1.1.0 and another, the latest.
func npmAnswer(version, time string) string {
	return fmt.Sprintf(`{"name": "a", "dist-tags": {"latest": %q}, "versions": {"1.0.0": {}, "1.1.0": {}, %[1]q: {}}, "time": {%[1]q: %q}}`, version, time)
}

var npmLink = link("npm", "https://www.npmjs.com/package/a", "")

// TestRegistries reads an answer of each registry: testdata/README.md says which were recorded.
func TestRegistries(t *testing.T) {
	t.Parallel()
	const toml = "go/github.com/!burnt!sushi/toml/@v/"
	for _, test := range []struct {
		name     string
		answers  map[string]string // file by path
		link     api.InstallLink
		known    string // the version that the listing has
		release  string
		source   string
		note     string
		requests []string
	}{
		{"npm", map[string]string{"npm/chrome-devtools-mcp": "recorded/npm-chrome-devtools-mcp.json"}, link("npm", "https://www.npmjs.com/package/chrome-devtools-mcp", ""),
			"chrome-devtools-mcp-v1.7.0", "1.11.0 (2026-10-15)", "npm API", "", []string{"/npm/chrome-devtools-mcp"}},
		{"a scope of npm", map[string]string{"npm/@upstash%2Fcontext7-mcp": "recorded/npm-upstash-context7-mcp.json"}, link("npm", "https://www.npmjs.com/package/@upstash/context7-mcp?activeTab=versions", ""),
			"@upstash/context7-mcp@4.0.3", "4.1.1 (2026-09-14)", "npm API", "", []string{"/npm/@upstash%2Fcontext7-mcp"}},
		{"Go", map[string]string{toml + "list": "recorded/go-toml-list.txt", toml + "v1.6.0.info": "recorded/go-toml-v1.6.0.json"}, link("source", "https://toml.example/", "go install github.com/BurntSushi/toml/cmd/tomlv@latest"),
			"v1.5.0", "v1.6.0 (2025-12-18)", "Go modules API", "", []string{"/go/github.com/!burnt!sushi/toml/cmd/tomlv/@v/list", "/go/github.com/!burnt!sushi/toml/cmd/@v/list", "/" + toml + "list", "/" + toml + "v1.6.0.info"}},
		{"PyPI", map[string]string{"pypi/pypi/lantern/json": "made/pypi.json"}, link("pip", "https://pypi.org/project/lantern/1.2.0/", ""),
			"v1.3", "1.4.0 (2026-10-05)", "PyPI API", "", []string{"/pypi/pypi/lantern/json"}},
		{"crates.io", map[string]string{"crates/crates/lantern": "made/crates.json"}, link("docs", "https://lantern.example/", "cargo install --locked lantern"),
			"v1.3.0", "1.4.0 (2026-10-05)", "crates.io API", "", []string{"/crates/crates/lantern"}},
		{"a formula", map[string]string{"homebrew/formula/lantern.json": "made/homebrew-formula.json"}, link("brew", "https://formulae.brew.sh/formula/lantern", ""),
			"v1.3.0", "", "", "release is v1.3.0, but Homebrew formula/lantern has 1.4.0: if that is a later release", []string{"/homebrew/formula/lantern.json"}},
		{"a formula of an older line", map[string]string{"homebrew/formula/lantern@1.4.json": "made/homebrew-formula.json"}, link("brew", "https://formulae.brew.sh/formula/lantern@1.4", ""),
			"v1.3.0", "", "", "release is v1.3.0, but Homebrew formula/lantern@1.4 has 1.4.0", []string{"/homebrew/formula/lantern@1.4.json"}},
		{"a cask", map[string]string{"homebrew/cask/lantern.json": "made/homebrew-cask.json"}, link("brew", "https://formulae.brew.sh/cask/lantern#default", ""),
			"v1.3.0", "", "", "release is v1.3.0, but Homebrew cask/lantern has 1.4.0: if that is a later release", []string{"/homebrew/cask/lantern.json"}},
		{"a cask that is not newer", map[string]string{"homebrew/cask/lantern.json": "made/homebrew-cask.json"}, link("brew", "https://formulae.brew.sh/cask/lantern", ""),
			"1.4", "", "", "", []string{"/homebrew/cask/lantern.json"}},
		{"Docker Hub", map[string]string{"docker-hub/namespaces/a/repositories/lantern/tags": "made/docker-hub.json"}, link("docker", "https://hub.docker.com/r/a/lantern/tags", ""),
			"1.3.0", "1.4.0 (2026-10-05)", "Docker Hub API", "", []string{"/docker-hub/namespaces/a/repositories/lantern/tags"}},
		{"an official image", map[string]string{"docker-hub/namespaces/library/repositories/lantern/tags": "made/docker-hub.json"}, link("docker", "https://hub.docker.com/_/lantern", ""),
			"1.3.0", "1.4.0 (2026-10-05)", "Docker Hub API", "", []string{"/docker-hub/namespaces/library/repositories/lantern/tags"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, nil)
			var packages []forgetest.Package
			for path, file := range test.answers {
				packages = append(packages, forgetest.Package{Path: path, Answer: answerFile(t, file)})
			}
			w.forge.SetPackages(packages...)
			w.add(t, "tool", test.known, "2025-05-05", test.link)
			report := w.run(t)
			var paths []string
			for _, r := range w.forge.Requests() {
				paths = append(paths, r.Path)
			}
			if !slices.Equal(paths, test.requests) {
				t.Errorf("the requests are %q, want %q", paths, test.requests)
			}
			if text := w.read(t, "tool"); test.release != "" && !strings.Contains(text, "\n  release: "+test.source+" ("+today+")\n") {
				t.Errorf("the source is not %s:\n%s", test.source, text)
			}
			released := ""
			for _, changed := range report.Changed {
				for _, change := range changed.Changes {
					if change.Field == "release" {
						released = fmt.Sprint(change.New)
					}
				}
			}
			if notes := fmt.Sprint(report.Notes); released != test.release || (test.note == "") != (len(report.Notes) == 0) || !strings.Contains(notes, test.note) {
				t.Errorf("release %q, want %q; notes %s, want %q", released, test.release, notes, test.note)
			}
			if len(report.Unread)+len(report.Failed)+len(report.NoForge)+len(report.Skipped) > 0 || report.Listings != 1 {
				t.Errorf("the report is %+v", report)
			}
			// A second run changes nothing, and is answered from the cache.
			report = w.run(t)
			for _, r := range w.forge.Requests() {
				if r.Status != 304 && r.Status != 404 {
					t.Errorf("a second run is answered %d for %s", r.Status, r.Path)
				}
			}
			if report.Unchanged != 1 || (test.note == "") != (len(report.Notes) == 0) {
				t.Errorf("the second report is %+v", report)
			}
		})
	}
}

// TestPackageReleases checks which release of a package becomes that of a listing whose forge knows
// a release, v1 of 2026-09-03, or none.
func TestPackageReleases(t *testing.T) {
	t.Parallel()
	const october, second = "2026-10-05T10:00:00Z", "2026-09-03T10:00:00Z"
	for _, test := range []struct {
		name    string
		version string // the listing's
		day     string
		forge   string // time of the forge's release v1
		answer  string // of npm
		release string // afterwards, "" for unchanged
		updated string
		note    string
	}{
		{name: "a later release", version: "v1.1.0", day: "2026-09-01", answer: npmAnswer("1.2.0", october), release: "1.2.0 (2026-10-05)", updated: "2026-10-05"},
		{name: "the first release", answer: npmAnswer("1.2.0", october), note: "release is unknown, but npm a has 1.2.0: if that is a later release of the tool, write it and its day"},
		{name: "after a pre-release", version: "v1.2.0-rc.1", day: "2026-09-01", answer: npmAnswer("1.2.0", october), release: "1.2.0 (2026-10-05)", updated: "2026-10-05"},
		{name: "after an edition", version: "v1.2.0-ultimate", day: "2026-09-01", answer: npmAnswer("1.2.0", october)},
		{name: "of the same day", version: "v1.1.0", day: "2026-10-05", answer: npmAnswer("1.2.0", october), release: "1.2.0 (2026-10-05)", updated: "2026-10-05"},
		{name: "of an earlier day", version: "v1.1.0", day: "2026-10-06", answer: npmAnswer("1.2.0", october)},
		{name: "the same with a prefix", version: "name-v1.2.0", day: "2026-08-01", answer: npmAnswer("1.2.0", october)},
		{name: "a lower one, of an older line", version: "v1.1.0", day: "2026-09-01", answer: npmAnswer("1.0.9", october)},
		{name: "numbered in its own way", version: "v0.9.4", day: "2026-09-01", answer: npmAnswer("1.2.0", october)},
		{name: "a listing's version without numbers", version: "Autumn", day: "2026-09-01", answer: npmAnswer("1.2.0", october)},
		{name: "a build number", version: "b7000", day: "2026-09-01", answer: npmAnswer("7001", october)},
		{name: "a pre-release", version: "v1.1.0", day: "2026-09-01", answer: npmAnswer("1.2.0-beta.1", october)},
		{name: "without a day", version: "v1.1.0", day: "2026-09-01", answer: npmAnswer("1.2.0", ""), note: "release is v1.1.0, but npm a has 1.2.0: if that is a later release"},
		{name: "without a day, first", answer: npmAnswer("1.2.0", "soon"), note: "release is unknown, but npm a has 1.2.0"},
		{name: "of tomorrow", version: "v1.1.0", day: "2026-09-01", answer: npmAnswer("1.2.0", "2026-11-22T00:00:00Z")},
		{name: "after the forge's", version: "v0.9", day: "2026-01-01", forge: second, answer: npmAnswer("1.2.0", october), release: "1.2.0 (2026-10-05)", updated: "2026-10-05"},
		{name: "the forge's is later", version: "v0.9", day: "2026-01-01", forge: "2026-10-06T00:00:00Z", answer: npmAnswer("1.2.0", october), release: "v1 (2026-10-06)", updated: "2026-10-06"},
		{name: "the same as the forge's", version: "1.0.0", day: "2026-09-01", forge: second, answer: npmAnswer("1.0.0", second), updated: "2026-09-03"},
		{name: "the forge names it again after a week", version: "1.0.0", day: "2026-08-27", forge: second, answer: npmAnswer("1.0.0", second), release: "v1 (2026-09-03)", updated: "2026-09-03"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, nil)
			repository, text := "", replaced(listingText(""), "repositoryUrl: \n", "")
			if test.forge != "" {
				repository = "https://github.com/a/b"
				known := unchangedRepository("a/b")
				known.Release = test.forge
				w.forge.Set(known)
				text = listingText(repository)
			}
			w.forge.SetPackages(forgetest.Package{Path: "npm/a", Answer: test.answer})
			before := withRelease(text, test.version, test.day)
			w.addText(t, "tool", before, repository, npmLink)
			report := w.run(t)
			var released, updated any = "", ""
			for _, changed := range report.Changed {
				for _, change := range changed.Changes {
					switch change.Field {
					case "release":
						released = change.New
					case "updatedAt":
						updated = change.New
					}
				}
			}
			if released != test.release || updated != test.updated {
				t.Errorf("release %v, want %s; updatedAt %v, want %s", released, test.release, updated, test.updated)
			}
			if notes := fmt.Sprint(report.Notes); test.note == "" && len(report.Notes) > 0 || !strings.Contains(notes, test.note) {
				t.Errorf("the notes are %s, want %q", notes, test.note)
			}
			if len(report.Failed)+len(report.Unread)+len(report.NoForge) > 0 {
				t.Errorf("the report is %+v", report)
			}
			if repository == "" && test.release == "" && w.read(t, "tool") != before {
				t.Errorf("the listing was written:\n%s", w.read(t, "tool"))
			}
		})
	}
}

// TestPackageWritten checks the text of a listing whose package has a later release, and that a dry
// run does not write it.
func TestPackageWritten(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil, unchangedRepository("a/b"))
	w.forge.SetPackages(forgetest.Package{Path: "npm/a", Answer: npmAnswer("1.2.0", "2026-10-05T23:00:00-02:00")})
	before := withRelease(listingText("https://github.com/a/b"), "v1.1.0", "2026-01-01")
	w.addText(t, "tool", before, "https://github.com/a/b", npmLink)
	w.options.DryRun = true
	dry := w.run(t)
	if w.read(t, "tool") != before {
		t.Error("a dry run wrote the listing")
	}
	w.options.DryRun = false
	wet := w.run(t)
	if dry.DryRun = false; !reflect.DeepEqual(dry, wet) {
		t.Errorf("a dry run tells\n%+v, a real one\n%+v", dry, wet)
	}
	const source = "npm API (" + today + ")"
	want := replaced(before, "starsAsOf: 2026-01-01", "starsAsOf: "+today, "updatedAt: 2026-01-01", "updatedAt: 2026-10-06", `version: "v1.1.0"`+"\n  date: 2026-01-01", "version: \"1.2.0\"\n  date: 2026-10-06",
		"a list (2026-01-01)", "GitHub API ("+today+")\n  updatedAt: "+source+"\n  release: "+source)
	if got := w.read(t, "tool"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSeveralPackages checks that the highest of several packages of the same numbers is taken, and
// that a client with numbers of its own is not.
func TestSeveralPackages(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	w.forge.SetPackages(forgetest.Package{Path: "npm/a", Answer: npmAnswer("1.2.0", "2026-10-05T00:00:00Z")},
		forgetest.Package{Path: "npm/client", Answer: `{"dist-tags": {"latest": "3.0.0"}, "versions": {"2.0.0": {}, "3.0.0": {}}, "time": {"3.0.0": "2026-10-07T00:00:00Z"}}`},
		forgetest.Package{Path: "pypi/pypi/a/json", Answer: `{"info": {"version": "1.3.0"}, "urls": [{"upload_time_iso_8601": "2026-10-06T00:00:00Z"}], "releases": {"1.2.0": [], "1.3.0": []}}`})
	w.add(t, "tool", "v1.1.0", "2026-01-01", link("npm", "https://www.npmjs.com/package/client", ""), npmLink, npmLink, link("pip", "https://pypi.org/project/a/", ""))
	w.run(t)
	if text := w.read(t, "tool"); !strings.Contains(text, "version: \"1.3.0\"\n  date: 2026-10-06\n") || !strings.Contains(text, "release: PyPI API ("+today+")") {
		t.Errorf("the listing is\n%s", text)
	}
	if n := len(w.forge.Requests()); n != 3 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestWithdrawnReleases checks that a withdrawn release is ignored.
func TestWithdrawnReleases(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	w.forge.SetPackages(
		forgetest.Package{Path: "pypi/pypi/a/json", Answer: `{"info": {"version": "1.3.0", "yanked": true}, "urls": [], "releases": {"1.2.0": [], "1.3.0": []}}`},
		forgetest.Package{Path: "pypi/pypi/b/json", Answer: `{"info": {"version": "1.3.0"}, "urls": [{"upload_time_iso_8601": "2026-10-06T00:00:00Z", "yanked": true}], "releases": {"1.2.0": []}}`},
		forgetest.Package{Path: "crates/crates/c", Answer: `{"crate": {"name": "c"}, "versions": [{"num": "1.3.0", "created_at": "2026-10-06T00:00:00Z", "yanked": true}, {"num": "1.2.0", "created_at": "2026-10-05T00:00:00Z"}]}`})
	for _, l := range []api.InstallLink{link("pip", "https://pypi.org/project/a/", ""), link("pip", "https://pypi.org/project/b/", ""), link("docs", "https://c.example/", "cargo install c")} {
		w.add(t, "tool"+fmt.Sprint(len(w.targets)), "1.2.0", "2026-01-01", l)
	}
	if report := w.run(t); report.Unchanged != 3 || len(report.Notes)+len(report.Unread) > 0 {
		t.Errorf("the report is %+v", report)
	}
}

// TestPackageFaults checks what is told of packages that cannot be read, and that the facts of the
// forge are written nevertheless.
func TestPackageFaults(t *testing.T) {
	t.Parallel()
	later := npmAnswer("1.2.0", "2026-10-05T00:00:00Z")
	for _, test := range []struct {
		fault  string
		times  int
		answer string
		note   string // for an editor
		unread string
		waited time.Duration
	}{
		{fault: "404", note: "npm a: the status is 404 Not Found: correct the install link, or remove it"},
		{fault: "410", note: "npm a: the status is 410 Gone"},
		{fault: "huge", note: "npm a: the response is larger than 1 MiB: look for its latest release there"},
		{fault: "401", unread: "npm a: the status is 401 Unauthorized"},
		{fault: "500", unread: "npm a: the status is 500", waited: 7 * time.Second},
		{fault: "502", times: 1, waited: time.Second},
		{fault: "html", unread: "npm a: cannot read the response"},
		{fault: "empty", unread: "npm a: the response does not describe a package"},
		{fault: "nothing", unread: "npm a: cannot read the response"},
		{answer: `{"dist-tags": {"latest": 7}}`, unread: "npm a: cannot read the response"},
		{fault: "primary", unread: "npm a: the rate limit of npm is used up until 2026-11-21 16:00 UTC", waited: 200 * time.Minute},
		{fault: "primary", times: 1, waited: 40 * time.Minute},
		{fault: "secondary", times: 2, waited: 3 * time.Minute},
		{fault: "elsewhere", unread: "npm a: npm redirects to another host, 127.0.0.1:1: such redirects are not followed"},
	} {
		t.Run(fmt.Sprint(test.fault, test.answer, test.times), func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, nil, unchangedRepository("a/b"))
			p := forgetest.Package{Path: "npm/a", Answer: later, Fault: forgetest.Fault{Kind: test.fault, Times: test.times, Elsewhere: "http://127.0.0.1:1/a"}}
			if test.answer != "" {
				p.Answer = test.answer
			}
			w.forge.SetPackages(p)
			w.addText(t, "tool", withRelease(listingText("https://github.com/a/b"), "1.1.0", "2026-01-01"), "https://github.com/a/b", npmLink)
			w.registries[0].maxResponse = 1 << 20
			report := w.run(t)
			if !strings.Contains(w.read(t, "tool"), "starsAsOf: "+today) || len(report.Changed) != 1 || len(report.Failed) > 0 {
				t.Errorf("the facts of the forge were not written: %+v", report)
			}
			notes, unread := fmt.Sprint(report.Notes), fmt.Sprint(report.Unread)
			if !strings.Contains(notes, test.note) || !strings.Contains(unread, test.unread) ||
				(test.note == "") != (len(report.Notes) == 0) || (test.unread == "") != (len(report.Unread) == 0) {
				t.Errorf("notes %s, want %q; unread %s, want %q", notes, test.note, unread, test.unread)
			}
			if ok := strings.Contains(w.read(t, "tool"), `version: "1.2.0"`); ok != (test.note+test.unread == "") {
				t.Errorf("the listing is\n%s", w.read(t, "tool"))
			}
			if waited := w.clock.totalWait(); waited != test.waited {
				t.Errorf("waited %v, want %v", waited, test.waited)
			}
			for _, r := range w.forge.Requests() {
				if strings.HasPrefix(r.Path, "/npm/") && r.Authorization != "" {
					t.Error("npm was sent a token")
				}
			}
		})
	}
}

// TestGarbageOfRegistries checks that no registry's answer without the fields of a package is read as
// one without a release.
func TestGarbageOfRegistries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path string
		link api.InstallLink
	}{
		{"npm/a", npmLink},
		{"go/a.example/b/@v/list", link("docs", "https://a.example/", "go install a.example/b@latest")},
		{"pypi/pypi/a/json", link("pip", "https://pypi.org/project/a/", "")},
		{"crates/crates/a", link("docs", "https://a.example/", "cargo install a")},
		{"homebrew/formula/a.json", link("brew", "https://formulae.brew.sh/formula/a", "")},
		{"docker-hub/namespaces/a/repositories/b/tags", link("docker", "https://hub.docker.com/r/a/b", "")},
	} {
		for _, answer := range []string{"{}", "<!doctype html>", "[]", `"`} {
			w := newWorkspace(t, nil)
			w.forge.SetPackages(forgetest.Package{Path: test.path, Answer: answer})
			w.add(t, "tool", "1.0", "2026-01-01", test.link)
			if report := w.run(t); len(report.Unread) != 1 || report.Unchanged != 1 {
				t.Errorf("%s with %s: %+v", test.path, answer, report)
			}
		}
	}
}

// TestModuleWithoutVersions checks a module that the proxy knows and that has no release.
func TestModuleWithoutVersions(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	w.forge.SetPackages(forgetest.Package{Path: "go/a.example/b/@v/list", Answer: "v0.1.0-pre\n"})
	w.add(t, "known", "1.0", "2026-01-01", link("docs", "https://a.example/", "go install a.example/b/cmd/c@latest"))
	w.add(t, "unknown", "1.0", "2026-01-01", link("docs", "https://a.example/", "go install a.example/d@latest"))
	report := w.run(t)
	if len(report.Notes) != 1 || report.Notes[0].Slug != "unknown" || !strings.Contains(report.Notes[0].Message, "Go modules a.example/d: the status is 404") {
		t.Errorf("the notes are %+v", report.Notes)
	}
}

// TestRegistryGivesNoAnswers checks that a registry is no longer asked after three packages in a row
// without an answer, not even by those that wait for their turn, and that all listings are refreshed
// by their forges.
func TestRegistryGivesNoAnswers(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil, unchangedRepository("a/b"))
	w.options.Jobs = 1
	var packages []forgetest.Package
	for i := range 6 {
		packages = append(packages, forgetest.Package{Path: fmt.Sprintf("npm/p%d", i), Fault: forgetest.Fault{Kind: "html"}})
		address := []string{"https://github.com/a/b", "https://codeberg.org/a/b"}[i%2]
		w.addText(t, fmt.Sprintf("t%d", i), listingText(address), address, link("npm", fmt.Sprintf("https://www.npmjs.com/package/p%d", i), ""), link("pip", "https://pypi.org/project/x/", ""))
	}
	w.forge.SetPackages(packages...)
	report := w.run(t)
	if len(report.Changed) != 6 || report.Listings != 6 || len(report.Unread) != MaxUnanswered || len(report.Notes) != 6 {
		t.Errorf("the report is %+v", report)
	}
	if len(report.Skipped) != 1 || report.Skipped[0].Service != "npm" || report.Skipped[0].Reason == "" || len(report.Skipped[0].Packages) != 3 || len(report.Skipped[0].Slugs) > 0 {
		t.Errorf("skipped: %+v", report.Skipped)
	}
}

// TestLargeAnswers checks that a response that is too large counts as an answer.
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	w.options.Jobs = 1
	var packages []forgetest.Package
	for i := range MaxUnanswered + 1 {
		packages = append(packages, forgetest.Package{Path: fmt.Sprintf("npm/p%d", i), Answer: npmAnswer("1.0.0", today+"T00:00:00Z")})
		w.add(t, fmt.Sprintf("t%d", i), "1.1.0", "2026-01-01", link("npm", fmt.Sprintf("https://www.npmjs.com/package/p%d", i), ""))
	}
	w.forge.SetPackages(packages...)
	w.registries[0].maxResponse = 10
	if report := w.run(t); len(report.Notes) != MaxUnanswered+1 || len(report.Skipped) > 0 {
		t.Errorf("the report is %+v", report)
	}
}

// TestRegistryIsolated checks that packages are not asked about if the forge does not tell the
// facts of the repository, and that one whose host is unknown is refreshed by its packages.
func TestRegistryIsolated(t *testing.T) {
	t.Parallel()
	bad := unchangedRepository("a/bad")
	bad.Fault.Kind = "html"
	w := newWorkspace(t, nil, bad)
	w.forge.SetPackages(forgetest.Package{Path: "npm/a", Answer: npmAnswer("1.2.0", "2026-10-05T00:00:00Z")})
	for slug, address := range map[string]string{"bad": "https://github.com/a/bad", "gone": "https://github.com/a/gone", "elsewhere": "https://code.example.org/a/b"} {
		w.addText(t, slug, withRelease(listingText(address), "1.1.0", "2026-01-01"), address, npmLink)
	}
	w.addText(t, "none", listingText("https://code.example.org/a/b"), "https://code.example.org/a/b")
	report := w.run(t)
	if got := fmt.Sprintln(len(report.Changed), report.Changed[0].Slug, report.Failed[0].Slug, report.Vanished[0].Slug, report.NoForge[0].Slug, report.Listings); got != "1 elsewhere bad gone none 4\n" {
		t.Errorf("the report is %+v", report)
	}
}

// TestOddPackageNames checks that a name that no registry allows is not asked for.
func TestOddPackageNames(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	for _, l := range []api.InstallLink{
		link("pip", "https://pypi.org/project/..", ""), link("pip", "https://pypi.org/project/%2e%2e%2fsimple", ""), link("pip", "https://pypi.org/project/a%20b", ""),
		link("npm", "https://www.npmjs.com/package/@a/..", ""), link("npm", "https://www.npmjs.com/package/ä", ""), link("docker", "https://hub.docker.com/r/a%3Fb/c", ""),
		link("docs", "https://a.example/", "go install a.example/../b@latest"),
	} {
		w.add(t, fmt.Sprintf("t%d", len(w.targets)), "1.1.0", "2026-01-01", l)
	}
	report := w.run(t)
	if n := len(w.forge.Requests()); n > 0 || len(report.Notes) != len(w.targets) {
		t.Errorf("%d requests were sent; the notes are %q", n, report.Notes)
	}
	for _, note := range report.Notes {
		if !strings.Contains(note.Message, "is not the name of a package: correct the install link") {
			t.Errorf("the note is %+v", note)
		}
	}
}

func TestFindPackages(t *testing.T) {
	t.Parallel()
	registries, err := Registries(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		link api.InstallLink
		want string
	}{
		{npmLink, "npm a"},
		{link("npm", "https://www.npmjs.com/package/%40a/b/v/1.0.0", ""), "npm @a/b"},
		{link("npm", "https://github.com/a/b#install", "npm install a"), ""},
		{link("docs", "https://www.npmjs.com/package/a", ""), ""},
		{link("docker", "https://hub.docker.com/r/a/b/tags?page=2", ""), "Docker Hub a/b"},
		{link("docker", "https://ghcr.io/a/b", ""), ""},
		{link("docs", "https://a.example/", "go install github.com/a/b/...@latest"), "Go modules github.com/a/b"},
		{link("docs", "https://a.example/", "go install -tags extra -ldflags=-s a.example/b/v2/cmd/b@v2.1.0"), "Go modules a.example/b/v2/cmd/b"},
		{link("docs", "https://a.example/", "go install ./... && npm install a/b@1"), ""},
		{link("docs", "https://a.example/", "go install ."), ""},
		{link("docs", "https://a.example/", "cargo install a-b_c"), "crates.io a-b_c"},
		{link("docs", "https://a.example/", "cargo install --locked a@1.2.0 --features x"), "crates.io a"},
		{link("docs", "https://a.example/", "cargo install --git https://a.example/b"), ""},
		{link("docs", "https://a.example/", "cargo install a --git https://a.example/b"), ""},
		{link("source", "https://a.example/", "cargo install --path ."), ""},
	} {
		got := ""
		for _, p := range FindPackages(registries, []api.InstallLink{test.link, test.link}) {
			got += p.String()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.link, got, test.want)
		}
	}
}

func TestRegistryAddresses(t *testing.T) {
	t.Parallel()
	for i, key := range []string{"CATALOG_NPM_API", "CATALOG_GO_API", "CATALOG_PYPI_API", "CATALOG_CRATES_API", "CATALOG_HOMEBREW_API", "CATALOG_DOCKER_HUB_API"} {
		registries, err := Registries(func(k string) (string, bool) { return "https://mirror.example/x/", k == key })
		if err != nil || registries[i].API.String() != "https://mirror.example/x" {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := Registries(func(k string) (string, bool) { return "http://mirror.example", k == key }); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestInterval checks that crates.io gets one request a second, and others get them at once.
func TestInterval(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]time.Duration{"cargo install": 2 * time.Second, "go install": 0} {
		w := newWorkspace(t, nil)
		w.options.Jobs = 1
		for i := range 3 {
			name := fmt.Sprintf(" c%d", i)
			if kind == "go install" {
				name = fmt.Sprintf(" a.example/c%d@latest", i)
			}
			w.add(t, fmt.Sprintf("t%d", i), "1.1.0", "2026-01-01", link("docs", "https://a.example/", kind+name))
		}
		if w.run(t); w.clock.totalWait() != want {
			t.Errorf("%s: waited %v, want %v", kind, w.clock.totalWait(), want)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want string
	}{
		{"1.2.3", "v1.2.3", "="}, {"1.2", "1.2.0", "="}, {"name-v1.2.3", "1.2.3", "="}, {"@a/b7@4.0.3", "4.0.3", "="}, {"deepagents==0.7.8", "0.7.8", "="},
		{"1.10", "1.9", ">"}, {"V1.4.4", "1.4.3", ">"}, {"release/2.0", "1", ">"}, {"2.7-ultimate", "2.7.1", "<"}, {"2026.11.1", "2026.9", ">"},
		{"b7000", "7000", "?"}, {"Autumn", "1", "?"}, {"", "1", "?"}, {"99999999999999999999", "1", "?"},
	} {
		order, ok := compareVersions(test.a, test.b)
		got := "?"
		if ok {
			got = string("<=>"[order+1])
		}
		if got != test.want {
			t.Errorf("%q %s %q, want %s", test.a, got, test.b, test.want)
		}
	}
	if got := highest([]string{"1.1.9", "1.2", "1.2.0", "1.1.10"}); got != "1.2.0" {
		t.Errorf("the highest is %s", got)
	}
	for version, want := range map[string]bool{"1": true, "v1.2.3": true, "0.9.post1": true, "1.0rc1": false, "1.0.0-rc.1": false,
		"v0.0.0-20170130214531-35136c09d8da": false, "v2.0.0+incompatible": false, "latest": false, "1.2.3-alpine": false, "": false} {
		if isRelease(version) != want {
			t.Errorf("%q is a release: %t", version, !want)
		}
	}
	for _, test := range []struct {
		a, b api.Release
		want bool
	}{
		{api.Release{Version: "v1.2.0", Date: "2026-10-01"}, api.Release{Version: "1.2.0", Date: "2026-10-07"}, true},
		{api.Release{Version: "v1.2.0", Date: "2026-10-01"}, api.Release{Version: "1.2.0", Date: "2026-10-08"}, false},
		{api.Release{Version: "v1.2.0-rc.1", Date: "2026-10-01"}, api.Release{Version: "v1.2.0", Date: "2026-10-02"}, false},
		{api.Release{Version: "Autumn", Date: "2026-10-01"}, api.Release{Version: "Winter", Date: "2026-10-01"}, false},
		{api.Release{Version: "Autumn", Date: "2026-10-01"}, api.Release{Version: "Autumn", Date: "2026-10-01"}, true},
	} {
		if isSameRelease(&test.a, &test.b) != test.want {
			t.Errorf("%v and %v are the same: %t", test.a, test.b, !test.want)
		}
	}
}
