package content

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"catalog.example/generator/strictyaml"
)

// pageEntry is the front matter of an editorial page.
type pageEntry struct {
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
}

// reservedPages are the top-level names that the build itself writes.
var reservedPages = map[string]bool{
	"projects": true, "categories": true, "platforms": true, "licenses": true, "alternatives": true, "newest": true,
	"search": true, "docs": true, "problems": true, "api": true, "assets": true, "compare": true, "numbers": true, "mcp": true, "404": true,
}

// page reads and checks an editorial page. The error is about reading only.
func (l *loader) page(file string) (*Page, error) {
	text, err := fs.ReadFile(l.root, file)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	p := &Page{Slug: strings.TrimSuffix(path.Base(file), ".md"), File: file}
	if message := ValidSlug(p.Slug); message != "" {
		l.find(Finding{file, 1, 1, Error, "slug", message})
	}
	if reservedPages[p.Slug] {
		l.find(Finding{file, 1, 1, Error, "slug", fmt.Sprintf("/%s/ is written by the build itself: choose another file name", p.Slug)})
	}
	if !utf8.Valid(text) {
		l.find(Finding{file, 1, 1, Error, "encoding", "the file is not valid UTF-8"})
		return p, nil
	}
	parts, message := splitFrontMatter(text)
	if message != "" {
		l.find(Finding{file, 1, 1, Error, "front-matter", message})
		return p, nil
	}
	doc, syntax := strictyaml.Parse(parts.frontMatter, 2)
	if doc == nil {
		l.find(problems(file, syntax)...)
		return p, nil
	}
	var entry pageEntry
	l.find(problems(file, doc.Decode(&entry))...)
	for key, value := range map[string]string{"title": entry.Title, "description": entry.Description} {
		if strings.TrimSpace(value) == "" {
			l.find(source{file, doc}.at(Error, "missing", key+": is missing, but required", key))
		}
	}
	p.Title, p.Description = entry.Title, entry.Description
	body := renderMarkdown(parts.body, "/"+p.Slug+"/", &l.options.Settings)
	p.BodyHTML, p.BodyMarkdown = body.html, body.markdown
	p.links = body.below(parts.bodyLine)
	return p, nil
}
