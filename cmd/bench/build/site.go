//go:build linux

package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/cmd/bench/report"
	"golang.org/x/net/html"
)

// site is what a tool has written.
type site struct {
	groups     [groups]count
	medianPage int64
	projects   map[string]any    // slug → its JSON
	shapes     map[string]string // slug → its page's elements, attributes and text
	markdown   map[string]string // slug → its page's Markdown version
	lists      map[string]string // path → the listings of a list, as a page or its markdown shows them
}

// count is how much there is of a kind of files.
type count struct{ files, bytes int64 }

// group is a kind of files.
type group int

// The kinds of files; what the first of them hold is compared.
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

// groupNames name the kinds for the table.
var groupNames = [groups]string{
	"listings: pages", "listings: Markdown versions", "listings: JSON", "lists: pages", "lists: Markdown versions", "other pages", "other Markdown versions",
	"lists: JSON", "lists: facts for filters", "search index", "llms.txt, llms-full.txt", "the rest",
}

var (
	projectFiles = regexp.MustCompile(`^(?:api/v1/projects/([a-z0-9-]+)\.json|projects/([a-z0-9-]+)/index\.(html|html\.md|json))$`)
	listFiles    = regexp.MustCompile(`^(?:(?:categories|platforms|licenses|alternatives)/[a-z0-9-]+|newest)/(?:p/)?(?:[0-9]+/)?index\.html(\.md)?$`)
)

// groupOf tells of which kind a file is, and whose: the slug of a listing, or the
// path of a list, which Hugo gives a p before the number of a page. Catalog writes
// api/v1/projects/<slug>.json, Hugo projects/<slug>/index.json.
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
		return kind, strings.Replace(name, "/p/", "/", 1)
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

// total is how much there is of all kinds.
func (s *site) total() count {
	var sum count
	for _, c := range s.groups {
		sum.files += c.files
		sum.bytes += c.bytes
	}
	return sum
}

// read takes stock of an output folder.
func (s *site) read(dir string, listings int) error {
	*s = site{projects: map[string]any{}, shapes: map[string]string{}, markdown: map[string]string{}, lists: map[string]string{}}
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
		if err := s.keep(kind, of, text); err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.shapes) != listings || len(s.projects) != listings || len(s.markdown) != listings {
		return fmt.Errorf("%d pages, %d markdown and %d JSON files of %d listings", len(s.shapes), len(s.markdown), len(s.projects), listings)
	}
	s.medianPage = report.Median(pages)
	return nil
}

// keep keeps what is compared of a file.
func (s *site) keep(kind group, of string, text []byte) (err error) {
	switch kind {
	case listingPage:
		s.shapes[of], err = shape(text, everything)
	case listingMarkdown:
		s.markdown[of] = markdownText(text)
	case listingJSON:
		var project map[string]any
		if err := json.Unmarshal(text, &project); err != nil {
			return err
		}
		s.projects[of] = withLowerCaseSources(project)
	case listPage:
		s.lists[of], err = shape(text, listingTable)
	case listMarkdown:
		s.lists[of] = strings.Join(listLine.FindAllString(beforeAlso(string(text)), -1), "")
	}
	return err
}

// withLowerCaseSources takes the case from the names of sources: Hugo lower-cases
// every key of its front matter.
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

var (
	listLine        = regexp.MustCompile(`(?m)^- \[.*\n`)
	markdownSources = regexp.MustCompile(`(?s)\n## Where each fact comes from\n\n.*?\n\n`)
	sourceTerm      = regexp.MustCompile(`(?m)^- [^:]*:`)
	assetHash       = regexp.MustCompile(`^/assets/([a-z]+)-[0-9a-f]{12}\.`)
	whiteSpace      = regexp.MustCompile(`\s+`)
	everything      = func(*html.Node) bool { return true }
	listingTable    = func(n *html.Node) bool { return n.Data == "table" && attribute(n, "id") == "table" }
)

// markdownText is a markdown but for the case of its sources' names and the number of
// empty lines between its parts.
func markdownText(text []byte) string {
	text = markdownSources.ReplaceAllFunc(text, func(part []byte) []byte {
		return sourceTerm.ReplaceAllFunc(part, bytes.ToLower)
	})
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// beforeAlso cuts off what a category shows besides its own listings: Hugo does
// not list it.
func beforeAlso(markdown string) string {
	before, _, _ := strings.Cut(markdown, "\n## ")
	return before
}

// siteAddress is where both sites say that they are.
const siteAddress = "http://localhost:8080"

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// shape is a page, or those elements of it that are wanted, as a browser reads it:
// the elements with their attributes, the text without white space, structured
// data whatever the order of its keys. The hashes in the names of assets, the case
// of sources' names, and whether a link within the site is absolute are left out.
func shape(page []byte, wanted func(*html.Node) bool) (string, error) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var walk func(n *html.Node, within bool) error
	walk = func(n *html.Node, within bool) error {
		element := n.Type == html.ElementNode
		within = within || element && wanted(n)
		if element && within {
			writeTag(&b, n)
		}
		if n.Type == html.TextNode && within {
			text, err := shownText(n)
			if err != nil {
				return err
			}
			b.WriteString(text)
		}
		for child := range n.ChildNodes() {
			if err := walk(child, within); err != nil {
				return err
			}
		}
		if element && within {
			b.WriteString("</" + n.Data + ">")
		}
		return nil
	}
	err = walk(doc, false)
	return b.String(), err
}

// writeTag writes the begin of an element, its attributes by name.
func writeTag(b *strings.Builder, n *html.Node) {
	slices.SortFunc(n.Attr, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
	b.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		if n.Data == "a" && a.Key == "href" {
			a.Val = strings.TrimPrefix(a.Val, siteAddress)
		}
		fmt.Fprintf(b, " %s=%q", a.Key, whiteSpace.ReplaceAllString(assetHash.ReplaceAllString(a.Val, "/assets/$1."), ""))
	}
	b.WriteString(">")
}

// shownText is a text without white space.
func shownText(n *html.Node) (string, error) {
	if n.Parent.Data == "script" && attribute(n.Parent, "type") == "application/ld+json" {
		var value any
		if err := json.Unmarshal([]byte(n.Data), &value); err != nil {
			return "", fmt.Errorf("structured data: %w", err)
		}
		sorted, err := json.Marshal(value)
		return string(sorted), err
	}
	text := whiteSpace.ReplaceAllString(n.Data, "")
	if n.Parent.Data == "dt" {
		text = strings.ToLower(text) // see withLowerCaseSources
	}
	return text, nil
}

// equal tells where two sites differ.
func (s *site) equal(other *site) error {
	for slug, project := range s.projects {
		if !reflect.DeepEqual(project, other.projects[slug]) {
			a, _ := json.Marshal(project)
			b, _ := json.Marshal(other.projects[slug])
			return fmt.Errorf("the JSON of %s is\n%s\nand\n%s", slug, b, a)
		}
	}
	for _, c := range []struct {
		what         string
		ours, theirs map[string]string
	}{{"the page of", s.shapes, other.shapes}, {"the Markdown version of", s.markdown, other.markdown}, {"the list", s.lists, other.lists}} {
		if len(c.ours) != len(c.theirs) {
			return fmt.Errorf("there are %d and %d times %s …", len(c.theirs), len(c.ours), c.what)
		}
		for of, text := range c.ours {
			if theirs := c.theirs[of]; text == "" || text != theirs {
				at := 0
				for at < min(len(text), len(theirs)) && text[at] == theirs[at] {
					at++
				}
				return fmt.Errorf("%s %s says\n%s\nand\n%s", c.what, of, around(theirs, at), around(text, at))
			}
		}
	}
	return nil
}

// around is the part of a text where it begins to differ.
func around(text string, at int) string {
	return text[max(0, at-100):min(len(text), at+200)]
}

// builtListing is a listing with what its page tells beyond its JSON.
type builtListing struct {
	api.ProjectDetail
	differences              [][]string // of the similar listings
	licenseNote, updatedNote string     // what the licence allows; how old the latest release is
}

var (
	licenseRow  = regexp.MustCompile(`<th scope="row">Licence</th><td[^>]*>.*?<p>(.*?)</p>`)
	updatedRow  = regexp.MustCompile(`<th scope="row">Latest commit or release</th><td>[0-9-]*<p>(.*?)</p>`)
	differ      = regexp.MustCompile(`<p class="differ">(.*?)</p>`)
	differently = regexp.MustCompile(`<span class="tag">(.*?)</span>`)
)

// readProjects reads the listings that a build wrote.
func readProjects(dir string) ([]builtListing, error) {
	files, err := filepath.Glob(filepath.Join(dir, "api/v1/projects/*.json"))
	if err != nil {
		return nil, err
	}
	var list []builtListing
	for _, file := range files {
		if filepath.Base(file) == "index.json" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var p builtListing
		if err := json.Unmarshal(text, &p.ProjectDetail); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		page, err := os.ReadFile(filepath.Join(dir, "projects", p.Slug, "index.html"))
		if err != nil {
			return nil, err
		}
		first := func(row *regexp.Regexp) string {
			if m := row.FindSubmatch(page); m != nil {
				return html.UnescapeString(string(m[1]))
			}
			return ""
		}
		p.licenseNote, p.updatedNote = first(licenseRow), first(updatedRow)
		for _, m := range differ.FindAllSubmatch(page, -1) {
			var texts []string
			for _, tag := range differently.FindAllSubmatch(m[1], -1) {
				texts = append(texts, html.UnescapeString(string(tag[1])))
			}
			p.differences = append(p.differences, texts)
		}
		if len(p.differences) != len(p.Similar) {
			return nil, fmt.Errorf("the page of %s shows how %d of %d similar listings differ", p.Slug, len(p.differences), len(p.Similar))
		}
		list = append(list, p)
	}
	return list, nil
}

// measureContent returns the median sizes of a content folder and of the pages
// built from it.
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
		info, err := os.Stat(filepath.Join(built, "projects", strings.TrimSuffix(filepath.Base(file), ".md"), "index.html"))
		if err != nil {
			return medians{}, err
		}
		listings, bodies, pages = append(listings, int64(len(text))), append(bodies, int64(len(body))), append(pages, info.Size())
	}
	return medians{report.Median(listings), report.Median(bodies), report.Median(pages)}, nil
}
