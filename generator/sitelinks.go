package generator

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/spelling"
	"catalog.example/generator/content"
	"catalog.example/generator/page"
	"catalog.example/generator/render"
	"catalog.example/generator/rule"
	"golang.org/x/net/publicsuffix"
)

// sitePaths is the set of paths at which a site has something, without their leading slash.
type sitePaths map[string]bool

// pathsOf returns the paths of the files that tasks write, and of the owner's static files.
func pathsOf(tasks []page.Task, static []string) sitePaths {
	names := slices.Clone(static)
	for i := range tasks {
		names = append(names, tasks[i].Names...)
	}
	paths := sitePaths{}
	for _, name := range names {
		paths[name] = true
		for _, path := range api.Paths(name) {
			paths[strings.TrimPrefix(path, "/")] = true
		}
	}
	return paths
}

// page returns the path of the page that hosts serve at a path. ok is false if the site has nothing
// there.
func (p sitePaths) page(path string) (page string, ok bool) {
	page = strings.TrimSuffix(strings.TrimSuffix(path, ".html.md"), ".html")
	if trimmed, isIndex := strings.CutSuffix(page, "index"); isIndex && trimmed != path {
		page = trimmed
	}
	switch {
	case p[path] || path == "":
		return page, true
	case p[path+"/"]:
		return path + "/", true
	}
	return page, false
}

// checkSiteLinks finds links in texts to pages and parts of pages that the site does not have.
func checkSiteLinks(s *render.Site, paths sitePaths) (findings []content.Finding, err error) {
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
	pages := sync.OnceValue(paths.byName)
	suggestions := 0
	suggest := func(nearest func() string) string {
		if suggestions++; suggestions > content.MaxSuggestions {
			return ""
		}
		return nearest()
	}
	for _, d := range all {
		for _, link := range d.Links {
			page, ok := paths.page(link.Path)
			target := documents[page]
			message := ""
			switch {
			case link.Wrong != "", !ok && link.File != "": // already reported
			case !ok && s.Settings.HasServer() && slices.Contains([]string{api.PathSearch, "/mcp"}, "/"+link.Path):
			case !ok && strings.HasPrefix("/"+link.Path, s.Settings.BasePath()+"/") && s.Settings.BasePath() != "":
				message = fmt.Sprintf("paths are relative to %s: write %s", s.Settings.BaseURL,
					strings.TrimPrefix("/"+link.Path, s.Settings.BasePath()))
			case !ok:
				message = fmt.Sprintf("the site has nothing at /%s%s", link.Path,
					suggest(func() string { return nearPage(link, pages()) }))
			case strings.EqualFold(link.Fragment, "top"), strings.HasPrefix(link.Fragment, ":~:"): // on every page
			case link.Fragment != "" && target != nil && !slices.Contains(target.IDs, link.Fragment) &&
				!parts[link.Fragment]:
				message = fmt.Sprintf("its page has no heading #%s%s", link.Fragment,
					suggest(func() string { return nearHeading(link.Fragment, target.IDs) }))
			}
			if message != "" {
				findings = append(findings, content.Finding{File: d.File, Line: link.Line, Column: link.Column,
					Rule: rule.Link, Message: fmt.Sprintf("the link to %q leads nowhere: %s", link.Address, message)})
			}
		}
	}
	return findings, nil
}

// byName returns the pages by the last name of their paths, without the home page and the pages for
// other sites.
func (p sitePaths) byName() map[string]string {
	pages := map[string]string{}
	for page := range p {
		if !strings.HasSuffix(page, "/") || headers.IsEmbed(page) {
			continue
		}
		name := path.Base(page)
		if other, taken := pages[name]; !taken || page < other {
			pages[name] = page
		}
	}
	return pages
}

// nearPage says which page's path ends in a similar name, or what else to do.
func nearPage(wrong content.SiteLink, pages map[string]string) string {
	if host, _, _ := strings.Cut(wrong.Address, "/"); !strings.EqualFold(path.Ext(host), ".md") {
		if suffix, isDomain := publicsuffix.PublicSuffix(strings.ToLower(host)); isDomain && suffix != host {
			if bad, _ := content.CheckAddress("https://" + wrong.Address); bad == "" {
				return "; for another site, write https://" + wrong.Address
			}
		}
	}
	name := strings.ToLower(path.Base(wrong.Path))
	name = strings.TrimSuffix(name, path.Ext(name))
	if near := spelling.Nearest(name, slices.Sorted(maps.Keys(pages)), 1); len(near) > 0 {
		return "; did you mean /" + pages[near[0]] + "?"
	}
	return "; correct the link or remove it"
}

// nearHeading says which heading of a page the fragment probably means, or which headings the page
// has.
func nearHeading(fragment string, ids []string) string {
	if near := spelling.Nearest(strings.ToLower(fragment), ids, 1); len(near) > 0 {
		return "; did you mean #" + near[0] + "?"
	}
	if len(ids) == 0 {
		return "; its text has no headings"
	}
	return "; its text has #" + strings.ReplaceAll(api.List(ids, 8), ", ", ", #")
}

// identifier matches an identifier of an element in a template.
var identifier = regexp.MustCompile(`\sid=["']?([A-Za-z][A-Za-z0-9_-]*)`)

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
