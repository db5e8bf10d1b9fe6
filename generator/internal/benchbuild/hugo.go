//go:build linux

package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/synthetic"
)

//go:embed all:hugo
var hugoFiles embed.FS

// writeHugoSite writes a Hugo site of the listings: its settings and templates,
// which are a translation of ours, and its content. Similar is filled in, and
// links in descriptions are absolute: both spare Hugo work that we do.
func writeHugoSite(dir string, t *api.Taxonomy, listings []api.ProjectDetail) error {
	theme, err := fs.Sub(hugoFiles, "hugo")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, theme); err != nil {
		return err
	}
	listings = slices.Clone(listings)
	slices.SortFunc(listings, func(a, b api.ProjectDetail) int { return search.ComparePopular(&a.Project, &b.Project) })
	if err := writeFile(dir, "content/projects/_index.md", "---\ntitle: Newest listings\nurl: /newest/\n---\n"); err != nil {
		return err
	}
	for i := range listings {
		p := &listings[i]
		text := "---\n" + hugoFrontMatter(p, i+1) + "---\n" + p.Description + "\n"
		if err := writeFile(dir, "content/projects/"+p.Slug+".md", text); err != nil {
			return err
		}
	}
	term := func(taxonomy, slug, title, description string) error {
		return writeFile(dir, "content/"+taxonomy+"/"+slug+"/_index.md",
			fmt.Sprintf("---\ntitle: %q\ndescription: %q\n---\n", title, description))
	}
	for _, c := range t.Categories {
		if err := term("categories", c.Slug, c.Name, c.Description); err != nil {
			return err
		}
	}
	for _, p := range t.Platforms {
		if err := term("platforms", p.Slug, p.Name, "What runs on "+p.Name+", most starred first."); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(dir, name, text string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { // #nosec G301 -- nothing secret
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644) // #nosec G306 -- nothing secret
}

// hugoFrontMatter is the front matter that we build from, with two keys renamed
// that mean something else to Hugo, and with what Hugo needs besides: taxonomies,
// its order (weight), the day of joining as date, and texts that its templates
// would have to compute.
func hugoFrontMatter(p *api.ProjectDetail, rank int) string {
	var b strings.Builder
	ours := strings.Replace(synthetic.FrontMatter(p), "name: ", "title: ", 1)
	b.WriteString(strings.Replace(ours, "\naliases:", "\notherNames:", 1))
	list := func(key string, values ...string) {
		quoted := make([]string, len(values))
		for i, v := range values {
			quoted[i] = strconv.Quote(v)
		}
		fmt.Fprintf(&b, "%s: [%s]\n", key, strings.Join(quoted, ", "))
	}
	list("categories", append([]string{p.Category}, p.AlsoIn...)...)
	if p.License != nil {
		list("licenses", *p.License)
	}
	list("alternatives", p.Replaces...)
	list("similar", p.Similar...)
	if p.Stars != nil {
		fmt.Fprintf(&b, "starsText: %q\n", thousands(*p.Stars))
	}
	fmt.Fprintf(&b, "date: %s\nweight: %d\n", p.AddedAt, rank)
	return b.String()
}

// thousands writes a number with no-break spaces between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u00a0" + digits[i:]
	}
	return digits
}
