package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"catalog.example/api/soak"
	"catalog.example/generator/engine/enginetest"
)

// TestSoakWorkflow runs the commands of the workflow that `catalog init` writes, and
// searches the site that it publishes by the rules of GitHub Pages. `make soak` clones this
// repository and builds the program with its Makefile. Otherwise a repository whose Makefile
// builds faster stands for it, with the engine that other tests have compiled.
func TestSoakWorkflow(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	site, temp := filepath.Join(t.TempDir(), "site"), t.TempDir()
	if status := run([]string{"init", site}, testEnv()); status != exitOK {
		t.Fatalf("catalog init: %d", status)
	}
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Load([]byte(readText(t, filepath.Join(site, ".github", "workflows", "catalog.yml"))), &workflow); err != nil {
		t.Fatal(err)
	}
	base := startGithubPages(t, filepath.Join(site, "public"))
	path := filepath.Join(temp, "path")
	workflow.Env["CATALOG_REPOSITORY"] = programRepository(t)
	environment := append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_PATH="+path, "BASE_URL="+base)
	for name, value := range workflow.Env {
		environment = append(environment, name+"="+value)
	}
	for _, step := range workflow.Jobs["build"].Steps {
		command := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		command.Dir, command.Env = site, environment
		if added, err := os.ReadFile(path); err == nil {
			command.Env = append(command.Env, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"))
		}
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.Run, err, out)
		}
	}
	followLinks(t, base)
	b := newBrowser(t)
	if got := searchesFor(t, b, base, "a game for two without luck"); got != "Go" {
		t.Errorf("the search finds %q", got)
	}
}

// programRepository returns the address of a git repository with the program.
func programRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=test", "-c", "user.email=test@catalog.example"}, arguments...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", arguments, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	if soak.Full() {
		copyRepository(t, dir)
	} else {
		writeText(t, filepath.Join(dir, "Makefile"), "build:\n\tmkdir -p bin\n\tcd '"+moduleFolder(t)+"' && go build -tags engine -overlay '"+overlay(t)+"' -o '$(CURDIR)/bin/catalog' ./cmd/catalog\n")
	}
	git("add", "-A")
	git("commit", "-q", "-m", "all")
	return "file://" + dir
}

// moduleFolder returns the folder of this module.
func moduleFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// overlay returns an overlay of go build that puts the engine into its place.
func overlay(t *testing.T) string {
	t.Helper()
	dir, module := t.TempDir(), enginetest.Compile(t)
	replace := map[string]string{}
	for name, content := range map[string][]byte{"search.wasm.gz": module.Program, "wasm_exec.js": module.Runtime} {
		file := filepath.Join(dir, name)
		writeText(t, file, string(content))
		replace[filepath.Join(moduleFolder(t), "generator", "engine", name)] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	writeText(t, file, string(text))
	return file
}

// copyRepository copies the files of this repository that git has or would add.
func copyRepository(t *testing.T, to string) {
	t.Helper()
	from := moduleFolder(t)
	out, err := exec.CommandContext(t.Context(), "git", "-C", from, "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		name = filepath.FromSlash(strings.TrimSpace(name))
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			continue // deleted and not committed yet
		}
		writeText(t, filepath.Join(to, name), string(text))
	}
}

// followLinks follows every address of the site in llms.txt.
func followLinks(t *testing.T, base string) {
	t.Helper()
	guide := fetchFrom(t, base+"/llms.txt")
	links := regexp.MustCompile(regexp.QuoteMeta(base)+`/[^\s()\x60,{]+[^\s()\x60,{.:]`).FindAllString(guide.body, -1)
	if guide.status != 200 || len(links) < 8 {
		t.Errorf("llms.txt: %d, %q", guide.status, links)
	}
	for _, address := range links {
		if strings.Contains(guide.body, address+"{") {
			continue // to be filled in
		}
		if r := fetchFrom(t, address); r.status != 200 {
			t.Errorf("%s: %d", address, r.status)
		}
	}
}
