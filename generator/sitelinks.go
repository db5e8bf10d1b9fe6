package generator

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
	"catalog.example/generator/rule"
)

// siteFiles are the paths of all files of a site.
type siteFiles map[string]bool

// filesOf returns the files that tasks write, and the owner's.
func filesOf(tasks []render.Task, static []string) siteFiles {
	files := siteFiles{}
	for i := range tasks {
		for _, name := range tasks[i].Names {
			files[name] = true
		}
	}
	for _, name := range static {
		files[name] = true
	}
	return files
}

// page returns the path of the page at a path, as hosts find it. ok is false if the site has
// neither a page nor a file there.
func (f siteFiles) page(path string) (page string, ok bool) {
	page = strings.TrimSuffix(strings.TrimSuffix(path, ".md"), "index.html")
	switch {
	case f[path]:
		return page, true
	case path != "" && !strings.HasSuffix(path, "/"):
		page += "/"
	}
	return page, f[page+"index.html"]
}

// checkSiteLinks finds links in texts to pages and parts of pages that the site does not have.
func checkSiteLinks(s *render.Site, files siteFiles) (findings []content.Finding, err error) {
	documents := map[string]*content.Document{} // by path of their pages
	var all []*content.Document
	for _, l := range s.Listings {
		documents[api.FolderProjects+"/"+l.Slug+"/"] = &l.Document
		all = append(all, &l.Document)
	}
	for _, p := range s.Content.Pages {
		documents[p.Slug+"/"] = &p.Document
		all = append(all, &p.Document)
	}
	parts, err := templateIDs(s.Templates)
	if err != nil {
		return nil, err
	}
	suggestions := 0
	suggest := func(nearest func() string) string {
		if suggestions++; suggestions > content.MaxSuggestions {
			return ""
		}
		return nearest()
	}
	for _, d := range all {
		for _, link := range d.Links {
			page, ok := files.page(link.Path)
			target := documents[page]
			message := ""
			switch {
			case link.Wrong != "":
			case !ok && s.Settings.HasServer() && slices.Contains([]string{strings.TrimPrefix(api.PathSearch, "/"), "mcp"}, link.Path):
			case !ok:
				message = fmt.Sprintf("the site has nothing at /%s%s", link.Path, suggest(func() string { return files.near(link.Path) }))
			case link.Fragment != "" && target != nil && !slices.Contains(target.IDs, link.Fragment) && !parts[link.Fragment]:
				message = fmt.Sprintf("its page has no heading #%s%s", link.Fragment, suggest(func() string { return nearHeading(link.Fragment, target.IDs) }))
			}
			if message != "" {
				findings = append(findings, content.Finding{File: d.File, Line: link.Line, Column: 1, Rule: rule.Link, Message: fmt.Sprintf("the link to %q leads nowhere: %s", link.Address, message)})
			}
		}
	}
	return findings, nil
}

// near says which page has a similar name at the end of its path, or is "".
func (f siteFiles) near(wrong string) string {
	last := func(page string) string { return path.Base("/" + page) }
	pages := map[string]string{} // by that name
	for name := range f {
		page, isPage := strings.CutSuffix(name, "/index.html")
		if other, taken := pages[last(page)]; isPage && (!taken || page < other) {
			pages[last(page)] = page
		}
	}
	name := strings.ToLower(last(wrong))
	name = strings.TrimSuffix(strings.TrimSuffix(name, path.Ext(name)), "/")
	if near := spelling.Nearest(name, slices.Sorted(maps.Keys(pages)), 1); len(near) > 0 {
		return "; did you mean /" + pages[near[0]] + "/?"
	}
	return ""
}

// nearHeading says which of the headings of a page are meant, or which it has.
func nearHeading(fragment string, ids []string) string {
	if near := spelling.Nearest(strings.ToLower(fragment), ids, 1); len(near) > 0 {
		return "; did you mean #" + near[0] + "?"
	}
	const most = 8
	switch n := len(ids); {
	case n == 0:
		return "; its text has no headings"
	case n > most:
		return fmt.Sprintf("; its text has #%s and %d more", strings.Join(ids[:most], ", #"), n-most)
	}
	return "; its text has #" + strings.Join(ids, ", #")
}

// identifier matches an identifier of an element in a template.
var identifier = regexp.MustCompile(`\bid="?([A-Za-z][A-Za-z0-9_-]*)`)

// templateIDs returns the identifiers in the templates of listings and pages.
func templateIDs(templates fs.FS) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, name := range []string{"layout.html", "partials.html", "pages/project.html", "pages/page.html"} {
		text, err := fs.ReadFile(templates, name)
		if err != nil {
			return nil, err
		}
		for _, m := range identifier.FindAllSubmatch(text, -1) {
			ids[string(m[1])] = true
		}
	}
	return ids, nil
}
