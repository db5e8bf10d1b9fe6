package generator

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"catalog.example/api/site"
)

// fakeEnv returns a lookup of environment variables.
func fakeEnv(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		text, ok := variables[name]
		return text, ok
	}
}

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site.yml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSettingsFile(t *testing.T) {
	name := settingsFile(t, `# all keys
title: Tools
description: A site.
contact: mailto:owner@catalog.example
base_url: https://catalog.example/tools
search: server
search_url: https://search.catalog.example
sandbox_key: ""
anonymous_per_minute: 7
sandbox_per_minute: 70
include: ["projects/*.md", "more/**/*.md"]
exclude:
  - "**/drafts/**"
overrides: look
static: files/static
jobs: [" mend a bike ", cook]
lang: pt-BR
languages: [en, de]
webmcp_origin_trial: token
without: [stars]
optional: [repositoryUrl]
keep: [.git, uploads/]
`)
	got, err := LoadSettings(name, fakeEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := site.Settings{
		Title: "Tools", Description: "A site.", Contact: "mailto:owner@catalog.example", BaseURL: "https://catalog.example/tools",
		Search: site.SearchByServer, SearchURL: "https://search.catalog.example", SandboxKey: "", AnonymousPerMinute: 7, SandboxPerMinute: 70,
		Include: []string{"projects/*.md", "more/**/*.md"}, Exclude: []string{"**/drafts/**"},
		Overrides: filepath.Join(filepath.Dir(name), "look"), Static: filepath.Join(filepath.Dir(name), "files", "static"), Jobs: []string{"mend a bike", "cook"}, Lang: "pt-BR", Languages: []string{"en", "de"}, WebMCPOriginTrial: "token", Without: []string{"stars"}, Optional: []string{"repositoryUrl"}, Keep: []string{".git", "uploads/"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSettingsWithoutFile(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := LoadSettings("", fakeEnv(nil))
	if err != nil || !reflect.DeepEqual(got, site.Defaults()) {
		t.Errorf("without %s: %+v, %v", DefaultSettingsFile, got, err)
	}
	for _, text := range []string{"", "# all as it comes\n", "title: null\ninclude:\n"} {
		if err := os.WriteFile(DefaultSettingsFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := LoadSettings("", fakeEnv(nil)); err != nil || !reflect.DeepEqual(got, site.Defaults()) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if err := os.WriteFile(DefaultSettingsFile, []byte("title: Found\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := LoadSettings("", fakeEnv(nil)); err != nil || got.Title != "Found" {
		t.Errorf("%s in this folder: %q, %v", DefaultSettingsFile, got.Title, err)
	}
	if _, err := LoadSettings("elsewhere.yml", fakeEnv(nil)); err == nil || !strings.Contains(err.Error(), "elsewhere.yml") || !strings.Contains(err.Error(), "--config") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := LoadSettings(".", fakeEnv(nil)); err == nil {
		t.Error("a folder is taken for a settings file")
	}
}

func TestEnvironmentOverridesFile(t *testing.T) {
	name := settingsFile(t, "title: Of the file\nbase_url: https://catalog.example\nanonymous_per_minute: 7\ninclude: [a.md]\noverrides: look\n")
	absolute := filepath.Join(t.TempDir(), "elsewhere")
	got, err := LoadSettings(name, fakeEnv(map[string]string{
		"CATALOG_TITLE": "Of the environment", "CATALOG_ANONYMOUS_PER_MINUTE": "9", "CATALOG_INCLUDE": "b/*.md, c/*.md,", "CATALOG_OVERRIDES": absolute, "TITLE": "not ours",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := site.Defaults()
	want.Title, want.BaseURL, want.AnonymousPerMinute, want.Include, want.Overrides = "Of the environment", "https://catalog.example", 9, []string{"b/*.md", "c/*.md"}, absolute
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, err := LoadSettings(name, fakeEnv(map[string]string{"CATALOG_SANDBOX_KEY": ""})); err != nil || got.SandboxKey != "" {
		t.Errorf("an empty variable is a value: key %q, %v", got.SandboxKey, err)
	}
	got, err = LoadSettings(name, fakeEnv(map[string]string{"CATALOG_RULES": "praise=off, misses=error", "CATALOG_SHARES": "asks=90"}))
	if err != nil || !reflect.DeepEqual(got.Rules, map[string]string{"praise": "off", "misses": "error"}) || !reflect.DeepEqual(got.Shares, map[string]int{"asks": 90}) {
		t.Errorf("rules %v, shares %v, %v", got.Rules, got.Shares, err)
	}
	for variable, want := range map[string]string{
		"CATALOG_RULES=praise": `CATALOG_RULES: "praise" has no value`, "CATALOG_RULES=link=off,prase=off": "setting rules: link: a build would publish something broken or harmful without this rule, so it cannot be off: remove it from rules\nsetting rules: prase: there is no such rule; did you mean praise?",
		"CATALOG_SHARES=asks=all": `CATALOG_SHARES: "all" is not a whole number`,
	} {
		key, value, _ := strings.Cut(variable, "=")
		if _, err := LoadSettings(name, fakeEnv(map[string]string{key: value})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", variable, err)
		}
	}
	if _, err := LoadSettings(name, fakeEnv(map[string]string{"CATALOG_SANDBOX_PER_MINUTE": "many"})); err == nil || !strings.Contains(err.Error(), "CATALOG_SANDBOX_PER_MINUTE") {
		t.Errorf("an invalid number: %v", err)
	}
}

func TestInvalidSettings(t *testing.T) {
	const keys = "title, description, headline, contact, report_url, suggest_url, base_url, search, offline, search_url, sandbox_key, anonymous_per_minute, sandbox_per_minute, access_log, include, exclude, overrides, accent, font, layout, static, jobs, lang, languages, data_license, content_signal, webmcp_origin_trial, without, optional, keep, rules, shares"
	for _, c := range []struct {
		about, text string
		want        []string // each behind the file's name
	}{
		{"unknown key", "title: A\nbaseurl: https://catalog.example\n", []string{`:2:1: unknown key "baseurl" (did you mean base_url?); allowed here: ` + keys}},
		{"repeated key", "title: A\ntitle: B\n", []string{`:2:1: key "title" is repeated; it is already on line 1: remove one of them`}},
		{"no YAML", "title: A\ninclude: [\n", []string{":2:11: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"}},
		{"no mapping", "- title\n", []string{":1:1: is a list, but keys with values are expected"}},
		{"wrong kind", "anonymous_per_minute: many\n", []string{`:1:23: anonymous_per_minute: "many" is not a whole number: write only digits, without a unit`}},
		{"out of bounds", "title: A\nanonymous_per_minute: 0\n", []string{":2:23: anonymous_per_minute: 0 is out of bounds: 1 to 1000000000 are allowed"}},
		{"forms", "report_url: https://forge.example/new?t={titel}\nsuggest_url: forge.example/new?t={title}\n", []string{
			`:1:13: report_url: "https://forge.example/new?t={titel}" contains an unknown placeholder: use only {title}, {page}`,
			`:2:14: suggest_url: "forge.example/new?t={title}" is not an http, https or mailto: address, such as https://forge.example/you/catalog/issues/new?title={title}`}},
		{"a form of another", "suggest_url: https://forge.example/new?page={page}\nreport_url: https://forge.example/a b\n", []string{
			`:1:14: suggest_url: "https://forge.example/new?page={page}" contains an unknown placeholder: use only {title}, {file}, {text}`,
			`:2:13: report_url: "https://forge.example/a b" is not an address, or contains a character that must be percent-encoded`}},
		{"no address", "base_url: catalog.example\n", []string{`:1:11: base_url: "catalog.example" is not an absolute http or https address, such as https://catalog.example`}},
		{"nothing included", "include: []\n", []string{":1:10: include: is empty, so no listing would be found: write a glob such as projects/**/*.md"}},
		{"what is kept", "title: A\nkeep:\n  - /etc\n  - ../x\n  - ''\n  - '*.html'\n  - a/./b\n  - a\\b\n  - C:/x\n  - .catalog-manifest\n", []string{
			`:3:5: keep: "/etc" is not a plain path in the output folder: give one, such as .well-known/acme-challenge`,
			`:4:5: keep: "../x" is not a plain path in the output folder: give one, such as .well-known/acme-challenge`,
			`:5:5: keep: "" is empty: give the path of a file or folder in the output folder, such as .git`,
			`:6:5: keep: "*.html" contains *, ?, [ or a backslash: patterns are not allowed; list each file or folder, with slashes`,
			`:7:5: keep: "a/./b" is not a plain path in the output folder: give one, such as .well-known/acme-challenge`,
			`:8:5: keep: "a\\b" contains *, ?, [ or a backslash: patterns are not allowed; list each file or folder, with slashes`,
			`:9:5: keep: "C:/x" is not a plain path in the output folder: give one, such as .well-known/acme-challenge`,
			`:10:5: keep: ".catalog-manifest" begins with .catalog-: only builds use such names`}},
		{"rules and shares", "rules: {categry-size: warning, link: off, misses: maybe, praise: off}\nshares: {asks: 101, jobs: 100}\n", []string{
			`:1:8: rules: misses: "maybe" is not a level: write one of off, warning, error`,
			`:1:23: rules: categry-size: there is no such rule; did you mean category-size?`,
			`:1:38: rules: link: a build would publish something broken or harmful without this rule, so it cannot be off: remove it from rules`,
			`:2:9: shares: asks: 101 is out of bounds: 1 to 100 percent are allowed`}},
		{"uses of the content", "content_signal: search=yes, ai-train=maybe, search=no, all=yes\n", []string{`:1:17: content_signal: "ai-train=maybe": write each of search, ai-input, ai-train at most once, followed by =yes or =no`, `:1:17: content_signal: "search=no": write each of search, ai-input, ai-train at most once, followed by =yes or =no`, `:1:17: content_signal: "all=yes": write each of search, ai-input, ai-train at most once, followed by =yes or =no`}},
		{"key that cannot travel", "sandbox_key: two words\n", []string{`:1:14: sandbox_key: contains ' ': use only visible ASCII characters other than quotation marks and backslashes`}},
		{"all at once", "titel: A\ntitle: ''\nbase_url: ftp://catalog.example\nsandbox_per_minute: 1e3\ncontact: nobody\n", []string{
			`:1:1: unknown key "titel" (did you mean title?); allowed here: ` + keys,
			":2:8: title: is empty: give the site a name",
			`:3:11: base_url: "ftp://catalog.example" is not an absolute http or https address, such as https://catalog.example`,
			`:4:21: sandbox_per_minute: "1e3" is not a whole number: write only digits, without a unit`,
			`:5:10: contact: "nobody" is not an http, https or mailto: address`}},
	} {
		t.Run(c.about, func(t *testing.T) {
			name := settingsFile(t, c.text)
			_, err := LoadSettings(name, fakeEnv(nil))
			if err == nil {
				t.Fatal("the settings are taken")
			}
			want := name + strings.Join(c.want, "\n"+name)
			if err.Error() != want {
				t.Errorf("\n got %s\nwant %s", err, want)
			}
		})
	}
}

func TestSettingsNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe.yml"), filepath.Join(dir, "large.yml")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(large, make([]byte, 64<<10+1), 0o600)); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{pipe: "is a named pipe", dir: "is a folder", large: "at most 65536 are allowed", "/dev/zero": "is a device"} {
		if _, err := LoadSettings(file, fakeEnv(nil)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--config") {
			t.Errorf("%s: %v, want that it %s", file, err, want)
		}
	}
}

// Overrides that are not regular files are reported and not read.
func TestOverridesNotFiles(t *testing.T) {
	for name, c := range map[string]struct {
		make func(file string) error
		want string
	}{
		"pipe":   {func(f string) error { return syscall.Mkfifo(f, 0o600) }, "assets/style.css: is a named pipe: only regular files are read"},
		"device": {func(f string) error { return os.Symlink("/dev/zero", f) }, "assets/style.css: is a device: only regular files are read"},
		"large":  {func(f string) error { return os.WriteFile(f, make([]byte, 1<<20+1), 0o600) }, "assets/style.css: has 1048577 bytes: at most 1048576 are allowed"},
	} {
		o := optionsFor(filepath.Join(t.TempDir(), "public"))
		o.Settings.Overrides = t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(o.Settings.Overrides, "assets"), 0o700), c.make(filepath.Join(o.Settings.Overrides, "assets", "style.css"))); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "setting overrides: folder "+o.Settings.Overrides) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
