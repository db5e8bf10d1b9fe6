//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"go.yaml.in/yaml/v4"
)

// clone is a copy of the shipped content in a git repository of its own.
type clone struct {
	t    *testing.T
	dir  string
	last *content.Content // as it was checked last
}

// newClone copies the files that `make check-content` and `make changed-pages` read.
func newClone(t *testing.T) *clone {
	c := &clone{t: t, dir: t.TempDir()}
	if err := os.CopyFS(filepath.Join(c.dir, "content"), os.DirFS("../../content")); err != nil {
		t.Fatal(err)
	}
	// Somebody may have followed the documents to the letter.
	name, _ := exampleListing(t)
	if err := os.Remove(filepath.Join(c.dir, "content", name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, name := range []string{"catalog.yml", "Makefile", ".gitignore"} {
		writeText(t, filepath.Join(c.dir, name), readText(t, filepath.Join("../..", name)))
	}
	c.sh("git init -q -b main . && git add . && git commit -q -m Begin")
	return c
}

// run runs commands as bash does in a workflow, with the program as bin/catalog.
func (c *clone) run(commands string) (string, error) {
	program, err := exec.LookPath("catalog")
	if err != nil {
		c.t.Fatal(err)
	}
	command := exec.CommandContext(c.t.Context(), "bash", "-e", "-o", "pipefail", "-c", commands)
	command.Dir = c.dir
	command.Env = append(os.Environ(), "CATALOG="+program, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@catalog.example", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@catalog.example",
		"GITHUB_OUTPUT="+filepath.Join(c.t.TempDir(), "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(c.dir, ".git", "summary"), "MAKEFLAGS=-e -s --no-print-directory")
	out, err := command.CombinedOutput()
	return string(out), err
}

func (c *clone) sh(commands string) string {
	c.t.Helper()
	out, err := c.run(commands)
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	return out
}

// contribute commits what was changed, as a pull request does, and runs the steps of the
// workflow for pull requests that change only content.
func (c *clone) contribute() {
	c.t.Helper()
	c.sh("$CATALOG fmt && git add . && git commit -q -m Contribute")
	for _, step := range contentSteps(c.t) {
		out := c.sh(step)
		if strings.Contains(step, "check-content") && !strings.HasSuffix(out, " listings, 0 errors, 0 warnings\n") {
			c.t.Error(out)
		}
	}
}

// load loads the content.
func (c *clone) load() {
	c.t.Helper()
	loaded, findings, err := content.Load(c.t.Context(), content.Options{Dir: filepath.Join(c.dir, "content"), Settings: site.Defaults(), Jobs: 2, Today: api.DateOf(time.Now())})
	if err != nil || content.HasErrors(findings) {
		c.t.Fatal(err, findings)
	}
	c.last = loaded
}

// changed returns a page that the workflow keeps for reviewers.
func (c *clone) changed(path string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "changed", filepath.FromSlash(path), "index.html"))
	if err != nil {
		c.t.Errorf("the page is not kept: %v", err)
	}
	return string(text)
}

// edit replaces a text of a file.
func (c *clone) edit(name string, pairs ...string) {
	c.t.Helper()
	file := filepath.Join(c.dir, "content", filepath.FromSlash(name))
	text := readText(c.t, file)
	if with := strings.NewReplacer(pairs...).Replace(text); with != text {
		writeText(c.t, file, with)
		return
	}
	c.t.Errorf("%s has none of %q", name, pairs)
}

// leaving returns listings that others link, and that can go without a finding: other listings
// replace the same products, no topic is left with one use, and their categories stay large
// enough.
func (c *clone) leaving(n int) (list []*content.Listing) {
	c.t.Helper()
	links, products, sizes, topics := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, l := range c.last.Listings {
		for _, link := range c.last.FrontMatter.ListingLinks(l.File, []byte("---\n---\n"+l.Body)) {
			links[link.Slug]++
		}
		for _, p := range l.Replaces {
			products[p]++
		}
		for _, topic := range l.Topics {
			topics[topic]++
		}
		sizes[l.Category]++
	}
	for _, l := range c.last.Listings {
		needed := slices.ContainsFunc(l.Replaces, func(p string) bool { return products[p] < 3 }) ||
			slices.ContainsFunc(l.Topics, func(topic string) bool { return topics[topic] == 2 })
		if !needed && links[l.Slug] > 0 && sizes[l.Category] > 2*rule.MinCategory && len(list) < n {
			list = append(list, l)
			sizes[l.Category]--
			for _, p := range l.Replaces {
				products[p]--
			}
			for _, topic := range l.Topics {
				topics[topic]--
			}
		}
	}
	if len(list) < n {
		c.t.Fatalf("only %d listings can go", len(list))
	}
	return list
}

// exampleListing returns the name and the text of the listing that CONTRIBUTING.md shows.
func exampleListing(t *testing.T) (name, text string) {
	t.Helper()
	m := regexp.MustCompile("(?s)In full, `content/(projects/[^`]+)` becomes:\n\n```markdown\n(.*?\n)```\n").FindStringSubmatch(readText(t, "../../CONTRIBUTING.md"))
	if m == nil {
		t.Fatal("CONTRIBUTING.md shows no listing")
	}
	return m[1], m[2]
}

// contentSteps returns the commands with which the workflow checks content.
func contentSteps(t *testing.T) (steps []string) {
	t.Helper()
	_, job, _ := strings.Cut(readText(t, "../../.github/workflows/ci.yml"), "\n  content:\n")
	job, _, _ = strings.Cut(job, "\n  test:\n")
	for _, m := range regexp.MustCompile(`(?m)^ +- run: (.*)$`).FindAllStringSubmatch(job, -1) {
		steps = append(steps, strings.Trim(m[1], "'"))
	}
	if len(steps) != 3 || !strings.HasPrefix(steps[0], "make check-content FORMAT=github") {
		t.Fatalf("the workflow checks content with %q", steps)
	}
	return steps
}

// TestContributions makes every kind of contribution as the documents say, and checks it as
// the workflow does. Then the site with all of them must pass the tests of the shipped one.
func TestContributions(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	c := newClone(t)

	// The example of CONTRIBUTING.md, byte for byte.
	example := []string{"", "", ""}
	example[1], example[2] = exampleListing(t)
	file := filepath.Join(c.dir, "content", example[1])
	// What is wrong is said with file and line, and stops the workflow.
	writeText(t, file, regexp.MustCompile(`(?s)\nasks:.*?\ncategory:`).ReplaceAllString(example[2], "\ncategory:"))
	out, err := c.run(contentSteps(t)[0])
	if want := "::warning file=content/" + example[1] + ",line=3,col=1,title=share::"; err == nil || !strings.Contains(out, want) {
		t.Errorf("without asks: %v %s", err, out)
	}
	writeText(t, file, strings.Replace(example[2], "alsoIn: [data-analysis]", "alsoIn:   [data-analysis]", 1))
	if out, err := c.run("$CATALOG lint --strict"); err == nil || !strings.Contains(out, "the front matter is not in its canonical form from this line on") {
		t.Errorf("another form: %v %s", err, out)
	}
	writeText(t, file, example[2])

	// Another address, by the command and by hand.
	c.load()
	gone := c.leaving(5)
	c.sh("$CATALOG rename " + gone[0].Slug + " " + gone[0].Slug + "-renamed")
	c.sh("cd content && git mv " + gone[1].File + " projects/" + gone[1].Slug + "-moved.md && grep -rl '(" + gone[1].Slug + "\\.md' . | xargs sed -i 's/(" + gone[1].Slug + "\\.md/(" + gone[1].Slug + "-moved.md/g'")
	c.edit("projects/"+gone[1].Slug+"-moved.md", "\npurpose: ", "\nformerly: ["+gone[1].Slug+"]\npurpose: ")

	// Listings that go.
	c.sh("$CATALOG retire " + gone[2].Slug + " --because 'Its repository is gone.'")
	c.sh("$CATALOG retire " + gone[3].Slug + " --to " + gone[4].Slug)

	// A fact.
	c.edit("taxonomy/facts.yml", "- key: telemetry\n", `- key: addedByTest
  kind: choice
  label: Added by a test
  group: Licence and maintenance
  meaning: What a test says of it.
  values:
    - {slug: none, label: nothing}
    - {slug: some, label: something}
  filter: {parameter: addedByTest}
- key: telemetry
`)
	c.edit(example[1], "  telemetry: null\n", "  addedByTest: none\n  telemetry: null\n")

	// A category with as many listings as one has.
	c.load()
	var asks strings.Builder
	for i := range rule.MinCategoryAsks {
		fmt.Fprintf(&asks, "    - which of these %d old dialects is it\n", i+2)
	}
	categories := filepath.Join(c.dir, "content", "taxonomy", "categories.yml")
	group := c.last.Taxonomy.Categories[0].Group
	writeText(t, categories, readText(t, categories)+"- slug: added-by-test\n  name: Added by a test\n  description: Programs for people who study how languages work.\n  group: "+group+"\n  asks:\n"+asks.String())
	c.edit(example[1], "category: ml-frameworks", "category: added-by-test")
	for _, l := range c.leaving(rule.MinCategory - 1) {
		c.edit(l.File, "\ncategory: "+l.Category+"\n", "\ncategory: added-by-test\n")
	}
	c.sh("$CATALOG schema > content/listing.schema.json")
	c.contribute()

	// Reviewers see the changed pages.
	address := strings.TrimSuffix(example[1], ".md")
	for path, want := range map[string]string{
		address:                    regexp.MustCompile(`(?m)^name: (.*)$`).FindStringSubmatch(example[2])[1],
		"projects/" + gone[2].Slug: "Its repository is gone.",
		"categories/added-by-test": "Programs for people who study how languages work.",
	} {
		if page := c.changed(path); !strings.Contains(page, want) {
			t.Errorf("the page %s has no %q: %.300s", path, want, page)
		}
	}
	if summary := readText(t, filepath.Join(c.dir, ".git", "summary")); !strings.Contains(summary, "new\t"+address+"/index.html\t") {
		t.Errorf("the summary is %.600s", summary)
	}

	s := newSite(t, filepath.Join(c.dir, "content"))
	for name, test := range map[string]func(*testing.T){"specification": s.specification, "contract": s.contract, "pages": s.checkPages, "markup": s.checkMarkup, "MCP costs": s.checkMCPCosts} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// A pull request that changes only content is checked as such, and any other is tested.
func TestScopeOfPullRequests(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Needs string
			If    string
			Steps []struct{ ID, Run string }
		}
	}
	if err := yaml.Load([]byte(readText(t, "../../.github/workflows/ci.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	if content, test := workflow.Jobs["content"], workflow.Jobs["test"]; content.Needs != "scope" || test.Needs != "scope" ||
		content.If != "needs.scope.outputs.content == 'only'" || test.If != "${{ !cancelled() && needs.scope.outputs.content != 'only' }}" || test.Steps[len(test.Steps)-1].Run != ".ci/run" {
		t.Errorf("the jobs are %+v", workflow.Jobs)
	}
	scope := workflow.Jobs["scope"].Steps[1]
	for files, want := range map[string]string{"content/projects/a.md": "content=only\n", "content/projects/a.md main.go": "", "contents.txt": "", "content/projects/b.md content/taxonomy/c.yml content/listing.schema.json": "content=only\n", "content/pages/d.md": ""} {
		dir, output := t.TempDir(), filepath.Join(t.TempDir(), "output")
		writeText(t, output, "")
		command := exec.CommandContext(t.Context(), "bash", "-e", "-c", "git init -q -b main . && git commit -q --allow-empty -m Begin && git switch -q -c change && mkdir -p content/projects content/taxonomy content/pages && touch "+files+
			" && git add . && git commit -q -m Change && git switch -q main && git commit -q --allow-empty -m Meanwhile && git merge -q --no-ff -m Merge change && "+scope.Run)
		command.Dir = dir
		command.Env = append(os.Environ(), "GITHUB_OUTPUT="+output, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@catalog.example", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@catalog.example")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", files, err, out)
		}
		if got := readText(t, output); got != want {
			t.Errorf("%s: %q, want %q", files, got, want)
		}
	}
}
