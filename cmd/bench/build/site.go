//go:build linux

package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/cmd/bench/report"
)

// site is the output of a tool.
type site struct {
	groups     [groups]count
	medianPage int64
	projects   map[string]any      // slug → its JSON
	lists      map[string][]string // path of a list page → slugs of its listings
	markdown   map[string][]string // path of a list page → slugs in its Markdown version
}

// count is a number of files and their total size.
type count struct{ files, bytes int64 }

// group is a kind of files.
type group int

// The kinds of files. Contents are compared only for the kinds up to lastCompared.
const (
	listingPage group = iota
	listingMarkdown
	listingJSON
	listPage
	listMarkdown
	otherPage
	otherMarkdown
	listJSON
	filterTable
	searchIndex
	agentGuide
	theRest
	groups

	lastCompared = listMarkdown
)

// groupNames holds the names of the kinds in the table.
var groupNames = [groups]string{
	"listings: pages", "listings: Markdown versions", "listings: JSON", "lists: pages", "lists: Markdown versions",
	"other pages", "other Markdown versions",
	"lists: JSON", "lists: facts for filters", "search index", "llms.txt, llms-full.txt", "the rest",
}

var (
	projectFiles = regexp.MustCompile(
		`^(?:api/v1/projects/([a-z0-9-]+)\.json|projects/([a-z0-9-]+)/index\.(html|html\.md|json))$`)
	listFiles = regexp.MustCompile(
		`^(?:(?:categories|platforms|licenses|alternatives)/[a-z0-9-]+|newest)/(?:p/)?(?:[0-9]+/)?index\.html(\.md)?$`)
)

// groupOf returns the kind of a file and what it belongs to: the slug of a listing or the path of a
// list page. The paths of the tools differ: Hugo puts p/ before a page number, and writes the JSON
// of a listing to projects/<slug>/index.json; catalog writes it to api/v1/projects/<slug>.json.
func groupOf(name string) (kind group, of string) {
	if m := projectFiles.FindStringSubmatch(name); m != nil && name != "api/v1/projects/index.json" {
		switch m[3] {
		case "html":
			return listingPage, m[2]
		case "html.md":
			return listingMarkdown, m[2]
		default:
			return listingJSON, m[1] + m[2]
		}
	}
	if m := listFiles.FindStringSubmatch(name); m != nil {
		kind = listPage
		if m[1] != "" {
			kind = listMarkdown
		}
		return kind, strings.Replace(strings.TrimSuffix(name, ".md"), "/p/", "/", 1)
	}
	switch {
	case strings.HasSuffix(name, ".html"):
		return otherPage, ""
	case strings.HasSuffix(name, ".md"):
		return otherMarkdown, ""
	case strings.HasPrefix(name, "api/v1/lists/"), name == "api/v1/projects/index.json":
		return listJSON, ""
	case strings.HasSuffix(name, "/table.json"):
		return filterTable, ""
	case name == "api/v1/search.idx":
		return searchIndex, ""
	case strings.HasPrefix(name, "llms"):
		return agentGuide, ""
	}
	return theRest, ""
}

// total returns the number and size of all files.
func (s *site) total() count {
	var sum count
	for _, c := range s.groups {
		sum.files += c.files
		sum.bytes += c.bytes
	}
	return sum
}

// wanted is a text that the page and the Markdown version of a listing must contain.
type wanted struct{ what, text string }

// wantedOf returns the texts that pages of a listing must contain whatever their design.
func wantedOf(p *api.ProjectDetail, facts []api.Fact) []wanted {
	list := []wanted{{"name", p.Name}, {"purpose", p.Purpose}}
	for _, job := range p.Jobs {
		list = append(list, wanted{"job", job})
	}
	for _, l := range p.InstallLinks {
		list = append(list, wanted{"install link", l.URL})
	}
	for field, source := range p.Sources {
		if address, _, _ := strings.Cut(source, " "); strings.HasPrefix(address, "https://") {
			list = append(list, wanted{"source of " + field, address})
		}
	}
	for i := range facts {
		// Figures derived from setups are shown beside the setups, without a label of their own.
		if f := &facts[i]; f.Derived == nil && api.Known(p.FitNotes.Get(f.Key)) {
			list = append(list, wanted{"label of " + f.Key, f.Label})
		}
	}
	return list
}

// read reads an output folder. It returns an error if files are missing, or if the page or the
// Markdown version of a listing lacks one of the texts given for its slug.
func (s *site) read(dir string, listings int, texts map[string][]wanted) error {
	*s = site{projects: map[string]any{}, lists: map[string][]string{}, markdown: map[string][]string{}}
	var pages []int64
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		kind, of := groupOf(filepath.ToSlash(rel))
		s.groups[kind].files++
		s.groups[kind].bytes += int64(len(text))
		if kind == listingPage {
			pages = append(pages, int64(len(text)))
		}
		if err := s.keep(kind, of, text, texts[of]); err != nil {
			return fmt.Errorf("%s %w", rel, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(pages) != listings || len(s.projects) != listings || s.groups[listingMarkdown].files != int64(listings) {
		return fmt.Errorf("%d pages, %d Markdown and %d JSON files of %d listings", len(pages),
			s.groups[listingMarkdown].files, len(s.projects), listings)
	}
	s.medianPage = report.Median(pages)
	return nil
}

// checkLists returns an error if the Markdown version of a list does not begin with the listings on
// its page. Related listings may follow.
func (s *site) checkLists() error {
	named := 0
	for of, slugs := range s.lists {
		named += len(slugs)
		if got := s.markdown[of]; len(got) < len(slugs) || !slices.Equal(got[:len(slugs)], slugs) {
			return fmt.Errorf("the list %s names %v, and its Markdown version %v", of, slugs, got)
		}
	}
	if named < len(s.projects) || len(s.markdown) != len(s.lists) {
		return fmt.Errorf("%d pages of lists name %d listings, and %d have a Markdown version", len(s.lists), named,
			len(s.markdown))
	}
	return nil
}

// keep stores the parts of a file that are compared, and checks that the file contains the texts.
func (s *site) keep(kind group, of string, file []byte, texts []wanted) error {
	text := string(file)
	switch kind {
	case listingPage:
		text = html.UnescapeString(mainOf(text))
		fallthrough
	case listingMarkdown:
		for _, w := range texts {
			if !strings.Contains(text, w.text) {
				return fmt.Errorf("lacks the %s: %s", w.what, w.text)
			}
		}
	case listingJSON:
		var project map[string]any
		if err := json.Unmarshal(file, &project); err != nil {
			return fmt.Errorf("is not JSON: %w", err)
		}
		s.projects[of] = withLowerCaseSources(project)
	case listPage:
		// The first table is the list. Others may show related listings.
		table, _, _ := strings.Cut(mainOf(text), "</table>")
		s.lists[of] = listed(table)
	case listMarkdown:
		s.markdown[of] = listed(text)
	}
	return nil
}

// mainOf returns the main element of a page.
func mainOf(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	main, _, _ = strings.Cut(main, "</main>")
	return main
}

// listingLink matches a link to a listing, on a page or in Markdown. Its first group is the
// slug.
var listingLink = regexp.MustCompile(`["(](?:http://localhost:8080)?/projects/([a-z0-9-]+)/(?:index\.html\.md)?[")]`)

// listed returns the slugs of the listings that a text links to, in order.
func listed(text string) (slugs []string) {
	for _, m := range listingLink.FindAllStringSubmatch(text, -1) {
		slugs = append(slugs, m[1])
	}
	return slices.Compact(slugs)
}

// withLowerCaseSources lower-cases the keys of a listing's sources, because Hugo lower-cases every
// key of its front matter.
func withLowerCaseSources(project map[string]any) map[string]any {
	if sources, ok := project["sources"].(map[string]any); ok {
		lower := map[string]any{}
		for k, v := range sources {
			lower[strings.ToLower(k)] = v
		}
		project["sources"] = lower
	}
	return project
}

// equal returns an error for the first difference between the listings' JSON or the lists of two
// sites.
func (s *site) equal(other *site) error {
	for slug, project := range s.projects {
		if !reflect.DeepEqual(project, other.projects[slug]) {
			a, _ := json.Marshal(project)
			b, _ := json.Marshal(other.projects[slug])
			return fmt.Errorf("the JSON of %s is\n%s\nand\n%s", slug, b, a)
		}
	}
	if err := errors.Join(s.checkLists(), other.checkLists()); err != nil {
		return err
	}
	if len(s.lists) != len(other.lists) {
		return fmt.Errorf("there are %d and %d pages of lists", len(other.lists), len(s.lists))
	}
	for of, slugs := range s.lists {
		if theirs, ok := other.lists[of]; !ok || !slices.Equal(slugs, theirs) {
			return fmt.Errorf("the list %s names %v and %v", of, theirs, slugs)
		}
	}
	return nil
}

// readProjects reads the listings that a build wrote.
func readProjects(dir string) ([]api.ProjectDetail, error) {
	files, err := filepath.Glob(filepath.Join(dir, "api/v1/projects/*.json"))
	if err != nil {
		return nil, err
	}
	var list []api.ProjectDetail
	for _, file := range files {
		if filepath.Base(file) == "index.json" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var p api.ProjectDetail
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// measureContent returns the median sizes of the listings in a content folder and of the pages
// built from them.
func measureContent(content, built string) (medians, error) {
	var listings, bodies, pages []int64
	files, err := filepath.Glob(filepath.Join(content, "projects", "*.md"))
	if err != nil || len(files) == 0 {
		return medians{}, errors.Join(err, fmt.Errorf("no listings in %s", content))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return medians{}, err
		}
		_, body, _ := bytes.Cut(text, []byte("\n---\n"))
		info, err := os.Stat(filepath.Join(built, "projects", strings.TrimSuffix(filepath.Base(file), ".md"),
			"index.html"))
		if err != nil {
			return medians{}, err
		}
		listings, bodies, pages = append(listings, int64(len(text))), append(bodies, int64(len(body))),
			append(pages, info.Size())
	}
	return medians{report.Median(listings), report.Median(bodies), report.Median(pages)}, nil
}
