//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
)

// TestContributing does what CONTRIBUTING.md says under "Add a tool in five minutes": it runs
// the commands in a copy of the catalogue, fills in the listing that is shown, and looks at its
// page. Lint must find nothing new.
func TestContributing(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	text := readText(t, "../../CONTRIBUTING.md")
	_, text, _ = strings.Cut(text, "\n## Add a tool in five minutes\n")
	text, _, found := strings.Cut(text, "\n### ")
	example := regexp.MustCompile("(?s)In full, `content/(projects/[^`]+)` becomes:\n\n```markdown\n(.*?\n)```\n").FindStringSubmatch(text)
	if !found || example == nil {
		t.Fatal("CONTRIBUTING.md shows no listing")
	}
	work := t.TempDir()
	dir, file := filepath.Join(work, "content"), filepath.Join(work, "content", filepath.FromSlash(example[1]))
	if err := errors.Join(os.CopyFS(dir, os.DirFS("../../content")), os.Mkdir(filepath.Join(work, "bin"), 0o755), os.Symlink(program, filepath.Join(work, "bin", "catalog"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"catalog.yml", ".gitignore"} {
		writeText(t, filepath.Join(work, name), readText(t, filepath.Join("../..", name)))
	}
	// Whoever follows the document to the letter has added the listing.
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	sh := func(commands string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "bash", "-e", "-c", commands)
		command.Dir = work
		command.Env = append(os.Environ(), "CATALOG_GITHUB_API=http://127.0.0.1:1", // no forge can be reached
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@catalog.example", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@catalog.example")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", commands, err, out)
		}
		return string(out)
	}
	sh("git init -q . && git add . && git commit -q -m Begin")

	var dev *devProcess
	slug := strings.TrimSuffix(filepath.Base(file), ".md")
	page := func(path, want string) {
		t.Helper()
		if !strings.Contains(text, "http://localhost:8080"+path) {
			t.Errorf("CONTRIBUTING.md does not say %s", path)
		}
		for deadline := time.Now().Add(testTimeout); ; {
			status, body := fetch(t, dev.address+path)
			if strings.Contains(body, want) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s does not come to show %q: %d %.500s", path, want, status, body)
			}
		}
	}
	did := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		commands := block[1]
		switch did[strings.Join(strings.Fields(commands)[:2], " ")] = true; {
		case commands == "make build\n": // the program is there
		case commands == "bin/catalog dev\n":
			dev = startDev(t, filepath.Join(work, "bin", "catalog"), work, "--addr", "127.0.0.1:0")
			page("/search/?q="+slug, "<main")
		case strings.HasPrefix(commands, "bin/catalog new "):
			sh(commands)
			page("/projects/"+slug+"/", `content/projects/`+slug+".md:") // what is missing
			writeText(t, file, example[2])
			page("/projects/"+slug+"/", regexp.MustCompile(`(?m)^purpose: (.*)$`).FindStringSubmatch(example[2])[1])
			if _, body := fetch(t, dev.address+"/api/v1/search?q="+slug); !strings.Contains(body, `"slug":"`+slug+`"`) {
				t.Errorf("the search does not find it: %.300s", body)
			}
		default:
			sh(commands)
		}
	}
	for _, want := range []string{"make build", "bin/catalog dev", "bin/catalog new", "bin/catalog fmt", "git switch"} {
		if !did[want] {
			t.Errorf("CONTRIBUTING.md does not run %s", want)
		}
	}
	if got := readText(t, file); got != example[2] {
		t.Errorf("catalog fmt writes the listing in another form:\n%s", got)
	}
	// A new listing may bring findings about others, too.
	for _, f := range lintFindings(t, dir) {
		t.Error(f)
	}
	if got := strings.TrimSpace(sh("git show --format= --name-only && git status --short")); got != "content/"+example[1] {
		t.Errorf("the commit and what is left are %q", got)
	}
	if status := dev.stop(t); status != exitOK {
		t.Errorf("catalog dev ends with status %d: %s", status, dev.stderr)
	}
}

// lintFindings returns what catalog lint finds in a content folder.
func lintFindings(t *testing.T, dir string) []content.Finding {
	t.Helper()
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	_, findings, err := lint.Load(t.Context(), content.Options{Dir: dir, Settings: settings, Jobs: 2, Today: api.DateOf(time.Now())}, "")
	if err != nil {
		t.Fatal(err)
	}
	return findings
}
