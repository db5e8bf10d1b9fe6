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
	"catalog.example/api/search/index"
	"catalog.example/cmd/bench/synthetic"
)

//go:embed all:hugo
var hugoFiles embed.FS

// siteSettings holds the settings of our build. They match those of Hugo's site.
//
//go:embed catalog.yml
var siteSettings string

// writeHugoSite writes a Hugo site for the listings: settings, content, and templates, which make
// simpler pages than ours. The front matter includes values that our build computes: similar
// listings, upkeep, platform names, positions in lists, and absolute links in descriptions. Hugo's
// templates render facts from their definitions, as our build does.
func writeHugoSite(dir string, t *api.Taxonomy, listings []api.ProjectDetail) error {
	theme, err := fs.Sub(hugoFiles, "hugo")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, theme); err != nil {
		return err
	}
	newest := ranks(listings, index.CompareNewest)
	popular := ranks(listings, index.ComparePopular)
	if err := writeFile(dir, "content/projects/_index.md",
		"---\ntitle: Newest listings\ndescription: Every listing, those that joined the catalogue last first.\nurl: "+
			"/newest/\n---\n"); err != nil {
		return err
	}
	for i := range listings {
		p := &listings[i]
		text := "---\n" + hugoFrontMatter(p, t, popular[p.Slug], newest[p.Slug]) + "---\n" + p.Description + "\n"
		if err := writeFile(dir, "content/projects/"+p.Slug+".md", text); err != nil {
			return err
		}
	}
	return errors.Join(writeFacts(dir, t), writeTerms(dir, t, listings))
}

// hugoFact is the definition of a fact in the form that Hugo's templates read.
type hugoFact struct {
	api.Fact
	Param   string            `json:"param"`   // its key, which Hugo writes in lower case
	Labels  map[string]string `json:"labels"`  // by the slug of the option
	Choices []hugoChoice      `json:"choices"` // the options of its filter
	Decides bool              `json:"decides"` // whether it is a filter
	Always  bool              `json:"always"`  // whether it is shown even if unknown
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

// writeFacts writes the definitions of all facts, once as a list and once grouped into tables.
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

// ranks returns each listing's position in an order, counted from 1, by slug.
func ranks(listings []api.ProjectDetail, compare func(a, b *api.Project) int) map[string]int {
	sorted := slices.Clone(listings)
	slices.SortFunc(sorted, func(a, b api.ProjectDetail) int { return compare(&a.Project, &b.Project) })
	ranks := make(map[string]int, len(sorted))
	for i := range sorted {
		ranks[sorted[i].Slug] = i + 1
	}
	return ranks
}

// writeTerms writes the pages of categories, products and other groups of listings, and the names
// that listing pages show for them. Like us, Hugo writes no page for a product that no listing
// replaces.
func writeTerms(dir string, t *api.Taxonomy, listings []api.ProjectDetail) error {
	licenses, replaced := map[string]string{}, map[string]bool{}
	for i := range listings {
		if l := listings[i].License; l != nil {
			licenses[licenseSlug(*l)] = *l
		}
		for _, name := range listings[i].Replaces {
			replaced[name] = true
		}
	}
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
		errs = append(errs, term("platforms", p.Slug, "Listings for "+p.Name, "What runs on "+p.Name+
			", most starred first."))
	}
	for slug, expression := range licenses {
		errs = append(errs, term("licenses", slug, expression, "Listings under "+expression+", most starred first."))
	}
	for _, p := range t.Products {
		if !replaced[p.Name] {
			continue
		}
		errs = append(errs, term("alternatives", p.Slug, "Open-source alternatives to "+p.Name,
			fmt.Sprintf("What you can run yourself instead of %s by %s.", p.Name, p.Maker)))
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

// hugoFrontMatter returns the front matter of a listing for Hugo. Two keys that mean something else
// to Hugo are renamed. Values that Hugo needs are added: taxonomies, the listing's positions in the
// two orders, and texts that the templates would otherwise have to compute.
func hugoFrontMatter(p *api.ProjectDetail, t *api.Taxonomy, popular, newest int) string {
	var b strings.Builder
	ours := strings.Replace(synthetic.FrontMatter(p), "name: ", "title: ", 1)
	b.WriteString(strings.Replace(ours, "\naliases:", "\notherNames:", 1))
	list := func(key string, values ...string) { fmt.Fprintf(&b, "%s: %s\n", key, flowList(values)) }
	list("categories", append([]string{p.Category}, p.AlsoIn...)...)
	if p.License != nil {
		list("licenses", licenseSlug(*p.License))
	}
	var products, platforms []string
	for _, name := range p.Replaces {
		product, _ := t.Product(name)
		products = append(products, product.Slug)
	}
	for _, slug := range p.Platforms {
		platform, _ := t.Platform(slug)
		platforms = append(platforms, platform.Name)
	}
	list("alternatives", products...)
	list("platformNames", platforms...)
	list("similar", p.Similar...)
	list("runsWith", p.RunsWith...)
	upkeep, asOf := "null", "null"
	if p.Upkeep != nil {
		upkeep = *p.Upkeep
	}
	if p.UpkeepAsOf != nil {
		asOf = `"` + string(*p.UpkeepAsOf) + `"`
	}
	// Alternatives are ordered by whether they are open source, then by their weight.
	openness := 3
	if p.OSIApproved != nil {
		openness = map[bool]int{true: 1, false: 2}[*p.OSIApproved]
	}
	if p.Estimate == nil { // else our front matter has it
		b.WriteString("estimate: null\n")
	}
	fmt.Fprintf(&b, "upkeep: %s\nupkeepAsOf: %s\nnewest: %d\nweight: %d\nalternatives_weight: %d\n", upkeep, asOf,
		newest, popular, openness)
	return b.String()
}

// flowList returns texts as a YAML list on one line.
func flowList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

var noLetters = regexp.MustCompile(`[^a-z0-9]+`)

// licenseSlug returns the part of a path that names a licence's page.
func licenseSlug(expression string) string {
	return noLetters.ReplaceAllString(strings.ToLower(expression), "-")
}
