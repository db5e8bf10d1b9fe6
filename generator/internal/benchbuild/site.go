//go:build linux

package main

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
	"strings"

	"catalog.example/api"
)

// site is what a tool has written.
type site struct {
	files, bytes int64
	medianPage   int64
	projects     map[string]any    // slug → its JSON
	texts        map[string]string // slug → the text of its page, without white space
}

// read takes stock of an output folder.
func (s *site) read(dir string, listings int) error {
	*s = site{projects: map[string]any{}, texts: map[string]string{}}
	var pages []int64
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s.files++
		s.bytes += info.Size()
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		slug, kind := projectFile(filepath.ToSlash(rel))
		if kind == "" {
			return nil
		}
		content, err := os.ReadFile(file) // #nosec G304 G122 -- below dir, which this program wrote
		if err != nil {
			return err
		}
		if kind == "html" {
			pages = append(pages, info.Size())
			s.texts[slug] = pageText(content)
			return nil
		}
		var project map[string]any
		if err := json.Unmarshal(content, &project); err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		s.projects[slug] = withLowerCaseSources(project)
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.texts) != listings || len(s.projects) != listings {
		return fmt.Errorf("%d pages and %d JSON files of %d listings", len(s.texts), len(s.projects), listings)
	}
	s.medianPage = median(pages)
	return nil
}

// projectFile tells whose page or JSON a file is: kind is "html", "json" or "".
// Catalog writes api/v1/projects/<slug>.json, Hugo projects/<slug>/index.json.
func projectFile(name string) (slug, kind string) {
	if rest, ok := strings.CutPrefix(name, "api/v1/projects/"); ok && rest != "index.json" {
		return strings.TrimSuffix(rest, ".json"), "json"
	}
	parts := strings.Split(name, "/")
	if len(parts) == 3 && parts[0] == "projects" {
		switch parts[2] {
		case "index.html":
			return parts[1], "html"
		case "index.json":
			return parts[1], "json"
		}
	}
	return "", ""
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
	mainElement = regexp.MustCompile(`(?s)<main.*</main>`)
	sourceTerms = regexp.MustCompile(`<dt>[^<]*</dt>`)
	tags        = regexp.MustCompile(`<[^>]*>`)
)

// pageText is what a reader sees of a page between header and footer.
func pageText(page []byte) string {
	text := mainElement.Find(page)
	text = sourceTerms.ReplaceAllFunc(text, bytes.ToLower) // see withLowerCaseSources
	text = tags.ReplaceAll(text, nil)
	return strings.Join(strings.Fields(html.UnescapeString(string(text))), "")
}

// equal tells where two sites differ.
func (s *site) equal(other *site) error {
	for slug, project := range s.projects {
		if !reflect.DeepEqual(project, other.projects[slug]) {
			a, _ := json.Marshal(project)
			b, _ := json.Marshal(other.projects[slug])
			return fmt.Errorf("the JSON of %s is\n%s\nand\n%s", slug, b, a)
		}
		if s.texts[slug] == "" || s.texts[slug] != other.texts[slug] {
			return fmt.Errorf("the page of %s says\n%s\nand\n%s", slug, other.texts[slug], s.texts[slug])
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
		content, err := os.ReadFile(file) // #nosec G304 -- below dir
		if err != nil {
			return nil, err
		}
		var p api.ProjectDetail
		if err := json.Unmarshal(content, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
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
		text, err := os.ReadFile(file) // #nosec G304 -- below content
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
	return medians{median(listings), median(bodies), median(pages)}, nil
}
