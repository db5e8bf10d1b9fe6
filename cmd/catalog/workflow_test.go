package main

import (
	"encoding/json"
	"fmt"
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
	repository := programRepository(t)
	site := filepath.Join(t.TempDir(), "site")
	if status := run([]string{"init", site, "--program", "file://" + repository + "@main"}, testEnv()); status != exitOK {
		t.Fatalf("catalog init: %d", status)
	}
	w := readWorkflow(t, site)
	base := startGithubPages(t, filepath.Join(site, "public"))
	first := w.runner(t, base)
	if out, err := first.run(t, false); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	commit := gitIn(t, repository, "rev-parse", "HEAD")
	if got := readText(t, first.output); got != "commit="+commit {
		t.Errorf("the program is %q, want %q", got, commit)
	}
	followLinks(t, base)
	b := newBrowser(t)
	if got := searchesFor(t, b, base, "a game for two without luck"); got != "Go" {
		t.Errorf("the search finds %q", got)
	}

	// The next run finds the program in the cache, and compiles nothing. A full commit is a
	// version, too.
	w.Env["CATALOG_VERSION"] = strings.TrimSpace(commit)
	second := w.runner(t, base)
	bin := filepath.Join("catalog", "bin")
	if err := os.CopyFS(filepath.Join(second.temp, bin), os.DirFS(filepath.Join(first.temp, bin))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(site, "public")); err != nil {
		t.Fatal(err)
	}
	if out, err := second.run(t, true); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(site, "public", "index.html")); err != nil || readText(t, second.output) != readText(t, first.output) {
		t.Errorf("%v; the program is %q", err, readText(t, second.output))
	}

	// Without an address, the first step says what to do.
	w.Env["CATALOG_REPOSITORY"] = ""
	if out, err := w.runner(t, base).run(t, false); err == nil || !strings.Contains(out, "CATALOG_REPOSITORY is empty: set it to the git address of the catalog program") {
		t.Errorf("without an address: %v\n%s", err, out)
	}
}

// workflow is the workflow of a new catalogue.
type workflow struct {
	site string
	Env  map[string]string
	Jobs map[string]struct{ Steps []struct{ If, Run string } }
}

func readWorkflow(t *testing.T, site string) *workflow {
	t.Helper()
	w := &workflow{site: site}
	if err := yaml.Load([]byte(readText(t, filepath.Join(site, ".github", "workflows", "catalog.yml"))), w); err != nil {
		t.Fatal(err)
	}
	return w
}

// runner stands for a machine that runs the steps of a workflow.
type runner struct {
	*workflow
	temp, path, output string
	environment        []string
}

func (w *workflow) runner(t *testing.T, base string) *runner {
	t.Helper()
	temp := t.TempDir()
	r := &runner{workflow: w, temp: temp, path: filepath.Join(temp, "path"), output: filepath.Join(temp, "output")}
	r.environment = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_PATH="+r.path, "GITHUB_OUTPUT="+r.output, "BASE_URL="+base)
	for name, value := range w.Env {
		r.environment = append(r.environment, name+"="+value)
	}
	return r
}

// run runs the commands of the job that builds, until one fails. It returns the output of
// that one.
func (r *runner) run(t *testing.T, cached bool) (string, error) {
	t.Helper()
	for _, step := range r.Jobs["build"].Steps {
		if cached && strings.Contains(step.If, "cache-hit != 'true'") {
			continue
		}
		command := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		command.Dir, command.Env = r.site, r.environment
		if added, err := os.ReadFile(r.path); err == nil {
			command.Env = append(command.Env, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"))
		}
		if out, err := command.CombinedOutput(); err != nil {
			return string(out), fmt.Errorf("%s: %w", step.Run, err)
		}
	}
	return "", nil
}

// gitIn runs git in a folder and returns its output.
func gitIn(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=test", "-c", "user.email=test@catalog.example"}, arguments...)...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// programRepository returns the folder of a git repository with the program.
func programRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	if soak.Full() {
		copyRepository(t, dir)
	} else {
		writeText(t, filepath.Join(dir, "Makefile"), "build:\n\tmkdir -p bin\n\tcd '"+moduleFolder(t)+"' && go build -tags engine -overlay '"+overlay(t)+"' -o '$(CURDIR)/bin/catalog' ./cmd/catalog\n")
	}
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "all")
	return dir
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
	for name, content := range map[string][]byte{"search.wasm.lzma": module.Program, "wasm_exec.js": module.Runtime} {
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
