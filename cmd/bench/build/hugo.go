//go:build linux

package build

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/cmd/bench/synthetic"
	"catalog.example/generator/content"
)

//go:embed all:hugo
var hugoFiles embed.FS

// siteSettings are the settings of our build, the same as in Hugo's site.
//
//go:embed catalog.yml
var siteSettings string

// writeHugoSite writes a Hugo site of the listings: its settings and templates,
// which are a translation of ours, and its content. What takes computing is given
// to Hugo with the content and spares it work that we do: similar listings and
// how they differ, what a licence allows, how old the latest release is, names of
// platforms, orders, absolute links in descriptions. Facts it shows by their
// definitions, as we do.
func writeHugoSite(dir string, t *api.Taxonomy, listings []builtListing) error {
	theme, err := fs.Sub(hugoFiles, "hugo")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, theme); err != nil {
		return err
	}
	newest := ranks(listings, search.CompareNewest)
	popular := ranks(listings, search.ComparePopular)
	if err := writeFile(dir, "content/projects/_index.md", "---\ntitle: Newest listings\ndescription: Every listing, those that joined the catalogue last first.\nurl: /newest/\n---\n"); err != nil {
		return err
	}
	licenses := map[string]string{}
	for i := range listings {
		p := &listings[i]
		if p.License != nil {
			licenses[licenseSlug(*p.License)] = *p.License
		}
		text := "---\n" + hugoFrontMatter(p, t, popular[p.Slug], newest[p.Slug]) + "---\n" + p.Description + "\n"
		if err := writeFile(dir, "content/projects/"+p.Slug+".md", text); err != nil {
			return err
		}
	}
	return errors.Join(writeFacts(dir, t), writeTerms(dir, t, licenses))
}

// hugoFact is the definition of a fact as Hugo's templates loop over it.
type hugoFact struct {
	api.Fact
	Param   string            `json:"param"`   // its key, which Hugo writes in lower case
	Labels  map[string]string `json:"labels"`  // of options, by slug
	Choices []hugoChoice      `json:"choices"` // of its filter
	Decides bool              `json:"decides"` // it is a filter
	Always  bool              `json:"always"`  // it is shown where it is unknown, too
}

type hugoChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// hugoGroup is a table of facts.
type hugoGroup struct {
	Name  string     `json:"name"`
	Facts []hugoFact `json:"facts"`
}

// writeFacts writes the definitions of facts, all of them and by their tables.
func writeFacts(dir string, t *api.Taxonomy) error {
	var facts []hugoFact
	var groups []hugoGroup
	for i := range t.Facts {
		f := &t.Facts[i]
		h := hugoFact{Fact: *f, Param: strings.ToLower(f.Key), Labels: map[string]string{}, Decides: f.IsCriterion()}
		h.Always = f.Kind == api.FactChoice || f.Kind == api.FactChoices || f.Kind == api.FactNumber && f.IsCriterion()
		for _, o := range f.Values {
			h.Labels[o.Slug] = o.Label
		}
		for _, value := range f.FilterValues() {
			h.Choices = append(h.Choices, hugoChoice{value, f.FilterLabel(value)})
		}
		facts = append(facts, h)
		if f.Group == "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g hugoGroup) bool { return g.Name == f.Group })
		if at < 0 {
			at, groups = len(groups), append(groups, hugoGroup{Name: f.Group})
		}
		groups[at].Facts = append(groups[at].Facts, h)
	}
	var errs []error
	for name, value := range map[string]any{"facts": facts, "groups": groups} {
		text, err := json.Marshal(value)
		errs = append(errs, err, writeFile(dir, "data/"+name+".json", string(text)))
	}
	return errors.Join(errs...)
}

// ranks numbers listings in an order, from 1, by slug.
func ranks(listings []builtListing, compare func(a, b *api.Project) int) map[string]int {
	sorted := slices.SortedFunc(func(yield func(*builtListing) bool) {
		for i := range listings {
			if !yield(&listings[i]) {
				return
			}
		}
	}, func(a, b *builtListing) int { return compare(&a.Project, &b.Project) })
	ranks := make(map[string]int, len(sorted))
	for i, p := range sorted {
		ranks[p.Slug] = i + 1
	}
	return ranks
}

// writeTerms writes the pages of what listings are grouped by, and the names that
// listings' pages show of it.
func writeTerms(dir string, t *api.Taxonomy, licenses map[string]string) error {
	names := struct {
		Categories map[string]string `json:"categories"`
		Platforms  map[string]string `json:"platforms"`
	}{map[string]string{}, map[string]string{}}
	term := func(taxonomy, slug, title, description string) error {
		return writeFile(dir, "content/"+taxonomy+"/"+slug+"/_index.md",
			fmt.Sprintf("---\ntitle: %q\ndescription: %q\n---\n", title, description))
	}
	var errs []error
	for _, c := range t.Categories {
		names.Categories[c.Slug] = c.Name
		errs = append(errs, term("categories", c.Slug, c.Name, c.Description))
	}
	for _, p := range t.Platforms {
		names.Platforms[p.Slug] = p.Name
		errs = append(errs, term("platforms", p.Slug, "Listings for "+p.Name, "What runs on "+p.Name+", most starred first."))
	}
	for slug, expression := range licenses {
		errs = append(errs, term("licenses", slug, expression, "Listings under "+expression+", most starred first."))
	}
	for _, p := range t.Products {
		errs = append(errs, term("alternatives", p.Slug, "Open-source alternatives to "+p.Name, fmt.Sprintf("What you can run yourself instead of %s by %s.", p.Name, p.Maker)))
	}
	text, err := json.Marshal(names)
	return errors.Join(append(errs, err, writeFile(dir, "data/names.json", string(text)))...)
}

func writeFile(dir, name, text string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// hugoFrontMatter is the front matter that we build from, with two keys renamed
// that mean something else to Hugo, and with what Hugo needs besides: taxonomies,
// its places in the two orders, and texts that its templates would have to
// compute.
func hugoFrontMatter(p *builtListing, t *api.Taxonomy, popular, newest int) string {
	var b strings.Builder
	ours := strings.Replace(synthetic.FrontMatter(&p.ProjectDetail), "name: ", "title: ", 1)
	b.WriteString(strings.Replace(ours, "\naliases:", "\notherNames:", 1))
	list := func(key string, values ...string) { fmt.Fprintf(&b, "%s: %s\n", key, flowList(values)) }
	list("categories", p.Category)
	if p.License != nil {
		list("licenses", licenseSlug(*p.License))
	}
	var products, platforms, differences []string
	for _, name := range p.Replaces {
		product, _ := t.Product(name)
		products = append(products, product.Slug)
	}
	for _, slug := range p.Platforms {
		platform, _ := t.Platform(slug)
		platforms = append(platforms, platform.Name)
	}
	for _, one := range p.differences {
		differences = append(differences, flowList(one))
	}
	list("alternatives", products...)
	list("platformNames", platforms...)
	list("similar", p.Similar...)
	fmt.Fprintf(&b, "differences: [%s]\n", strings.Join(differences, ", "))
	if p.Stars != nil {
		fmt.Fprintf(&b, "starsText: %q\n", thousands(*p.Stars))
	}
	upkeep := "null"
	if p.Upkeep != nil {
		upkeep = *p.Upkeep
	}
	fmt.Fprintf(&b, "licenseNote: %q\nupdatedNote: %q\nchanged: %q\nupkeep: %s\nnewest: %d\nweight: %d\n",
		p.licenseNote, p.updatedNote, changed(&p.ProjectDetail), upkeep, newest, popular)
	return b.String()
}

// flowList is a list of texts in YAML, on one line.
func flowList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// changed is the latest day that a listing's facts name as that of their reading.
func changed(p *api.ProjectDetail) api.Date {
	day := p.AddedAt
	if p.StarsAsOf != nil {
		day = max(day, *p.StarsAsOf)
	}
	for _, source := range p.Sources {
		if d, ok, err := content.SourceDate(source); ok && err == nil {
			day = max(day, d)
		}
	}
	return day
}

var noLetters = regexp.MustCompile(`[^a-z0-9]+`)

// licenseSlug is the path of a licence's page.
func licenseSlug(expression string) string {
	return noLetters.ReplaceAllString(strings.ToLower(expression), "-")
}

// thousands writes a number with no-break spaces between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u00a0" + digits[i:]
	}
	return digits
}
