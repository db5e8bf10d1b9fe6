package render

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// siteView is what every page shows of the site.
type siteView struct {
	Title, Description  string
	Contact             template.URL
	Base                string // path prefix of the site, "" or "/path"
	OriginTrial         string
	Style, Script, Icon string // paths of the assets, without a leading slash
	Pages               []linkView
	// Head, Header and Footer are the partial templates of these names, rendered:
	// they are the same on every page.
	Head, Header, Footer template.HTML
}

// pageView is what the layout shows, with what the page's own template shows in
// Data.
type pageView struct {
	Site        *siteView
	Title       string
	Description string
	Path        string // below the base, beginning with a slash
	Canonical   string
	NoIndex     bool // not for search engines
	Crumbs      []crumbView
	Meta        metaView
	Data        any

	listing *content.Listing // that the page is about; nil for none
	list    node             // structured data of the list that the page shows; nil for none
}

// crumbView is a step of the way to a page; the page itself has no path.
type crumbView struct{ Title, Path string }

// linkView is a link to another page, with a count and a note where it has
// them.
type linkView struct {
	Slug, Title, Path, Note string
	Count                   int
}

// entryView is a listing in a list of listings.
type entryView struct {
	Base, Slug, Name, Purpose string
	Facts                     []string
}

func (r *renderer) entry(p *api.Project) entryView {
	return entryView{r.view.Base, p.Slug, p.Name, p.Purpose, shortFacts(p)}
}

// shortFacts are the few facts that decide first whether a tool fits.
func shortFacts(p *api.Project) []string {
	var facts []string
	n := &p.FitNotes
	if p.License != nil {
		facts = append(facts, *p.License)
	}
	if n.GPU != nil {
		facts = append(facts, gpuTexts[*n.GPU])
	}
	if n.MinRAMGB != nil {
		facts = append(facts, "from "+gigabytes(*n.MinRAMGB)+" RAM")
	}
	if n.Docker != nil && *n.Docker {
		facts = append(facts, "Docker")
	}
	if n.Beginner != nil && *n.Beginner {
		facts = append(facts, "For beginners")
	}
	if p.Stars != nil {
		facts = append(facts, thousands(*p.Stars)+" stars")
	}
	if p.Archived != nil && *p.Archived {
		facts = append(facts, "Archived")
	}
	return facts
}

var gpuTexts = map[string]string{
	api.GPUNone: "No GPU", api.GPUOptional: "GPU optional", api.GPURequired: "GPU required",
}

func gigabytes(gb float64) string { return strconv.FormatFloat(gb, 'f', -1, 64) + " GB" }

// thousands writes a number with spaces between groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString("\u00a0")
		}
		b.WriteRune(d)
	}
	return b.String()
}

// factRow is a row of a listing's table of facts.
type factRow struct {
	Label string
	Parts []factPart
}

type factPart struct{ Text, Link string }

const unknown = "unknown"

// factRows are a listing's facts in the order in which people choose by them.
// Unknown facts are shown as unknown.
func (r *renderer) factRows(p *api.Project) []factRow {
	n := &p.FitNotes
	text := func(label, value string) factRow { return factRow{label, []factPart{{Text: value}}} }
	rows := []factRow{
		text("For beginners", yesNo(n.Beginner)),
		text("Self-hosted", yesNo(n.SelfHosted)),
		text("Docker", yesNo(n.Docker)),
		text("GPU", gpuText(n.GPU)),
		text("Memory", memoryText(n)),
		text("Works offline", yesNo(n.WorksOffline)),
		text("Paid API key", apiKeyText(n.APIKey)),
		{"Licence", r.licenseParts(p)},
		{"Platforms", r.platformParts(p)},
		{"Category", r.categoryParts(p)},
		{"Replaces", r.productParts(p)},
		text("Language", orUnknown(p.Language)),
		text("Stars", starsText(p)),
		text("First commit", orUnknown(p.CreatedAt)),
		text("Latest commit or release", orUnknown(p.UpdatedAt)),
		text("Archived", yesNo(p.Archived)),
		text("In this catalogue since", string(p.AddedAt)),
	}
	kept := rows[:0]
	for _, row := range rows {
		if len(row.Parts) > 0 {
			kept = append(kept, row)
		}
	}
	return kept
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return unknown
	case *b:
		return "yes"
	default:
		return "no"
	}
}

func orUnknown[T ~string](s *T) string {
	if s == nil {
		return unknown
	}
	return string(*s)
}

func gpuText(gpu *string) string {
	if gpu == nil {
		return unknown
	}
	return map[string]string{api.GPUNone: "no use for one", api.GPUOptional: "optional", api.GPURequired: "required"}[*gpu]
}

func apiKeyText(key *string) string {
	if key == nil {
		return unknown
	}
	return map[string]string{api.APIKeyNo: "not needed", api.APIKeyOptional: "optional", api.APIKeyYes: "needed"}[*key]
}

func memoryText(n *api.FitNotes) string {
	var parts []string
	for _, m := range []struct {
		text string
		gb   *float64
	}{
		{"%s RAM at least", n.MinRAMGB}, {"%s RAM recommended", n.RecommendedRAMGB},
		{"%s graphics memory at least", n.MinVRAMGB}, {"%s graphics memory recommended", n.RecommendedVRAMGB},
	} {
		if m.gb != nil {
			parts = append(parts, fmt.Sprintf(m.text, gigabytes(*m.gb)))
		}
	}
	if len(parts) == 0 {
		return unknown
	}
	text := strings.Join(parts, ", ")
	if n.MemoryFor != nil {
		text += " (stated for: " + *n.MemoryFor + ")"
	}
	return text
}

func starsText(p *api.Project) string {
	if p.Stars == nil {
		return unknown
	}
	return fmt.Sprintf("%s on %s", thousands(*p.Stars), *p.StarsAsOf)
}

func (r *renderer) licenseParts(p *api.Project) []factPart {
	if p.License == nil {
		return []factPart{{Text: unknown}}
	}
	parts := []factPart{{*p.License, r.view.Base + "/licenses/" + licenseSlug(*p.License) + "/"}}
	if p.OSIApproved != nil && !*p.OSIApproved {
		parts = append(parts, factPart{Text: "not approved by the Open Source Initiative"})
	}
	return parts
}

func (r *renderer) platformParts(p *api.Project) []factPart {
	if len(p.Platforms) == 0 {
		return []factPart{{Text: unknown}}
	}
	var parts []factPart
	for _, slug := range p.Platforms {
		if x, ok := r.Content.Taxonomy.Platform(slug); ok {
			parts = append(parts, factPart{x.Name, r.view.Base + "/platforms/" + slug + "/"})
		}
	}
	return parts
}

func (r *renderer) categoryParts(p *api.Project) []factPart {
	var parts []factPart
	for _, slug := range append([]string{p.Category}, p.AlsoIn...) {
		if x, ok := r.Content.Taxonomy.Category(slug); ok {
			parts = append(parts, factPart{x.Name, r.view.Base + "/categories/" + slug + "/"})
		}
	}
	return parts
}

func (r *renderer) productParts(p *api.Project) []factPart {
	var parts []factPart
	for _, name := range p.Replaces {
		if x, ok := r.Content.Taxonomy.Product(name); ok {
			parts = append(parts, factPart{name, r.view.Base + "/alternatives/" + x.Slug + "/"})
		}
	}
	return parts
}

// licenseSlug makes a path of a licence expression: "MIT OR Apache-2.0" is
// "mit-or-apache-2-0".
func licenseSlug(expression string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(strings.ToLower(expression), "+", "-plus") {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
