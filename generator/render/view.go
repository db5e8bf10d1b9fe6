package render

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

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
	Note                 markdown // the same of twins
}

// pageView is what the layout shows, with what the page's own template shows in
// Data.
type pageView struct {
	Site        *siteView
	Title       string
	Description string
	Path        string // below the base, beginning with a slash
	Canonical   string
	Twin        string // path of the Markdown twin, with the base; "" for none
	NoIndex     bool   // not for search engines
	Kind        string // the name of the page's own template
	Crumbs      []crumbView
	Way         template.HTML // the crumbs before the page itself
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

// factGroup is a table of facts of one listing.
type factGroup struct {
	Name string
	Rows []factRow
}

// factRow is a row of a listing's table of facts.
type factRow struct {
	Label string
	Mark  string // "yes", "no", "unknown", or "" where the fact is none of these
	Parts []factPart
	Note  string // a sentence that says what the fact means
}

type factPart struct{ Text, Link string }

const unknown = "unknown"

// factGroups are a listing's facts in the order in which people choose by them.
// Unknown facts are shown as unknown.
func (r *renderer) factGroups(p *api.Project) []factGroup {
	n := &p.FitNotes
	marked := func(label string, parts []factPart) factRow {
		row := factRow{Label: label, Parts: parts}
		if parts[0].Text == unknown {
			row.Mark = unknown
		}
		return row
	}
	text := func(label, value string) factRow { return marked(label, []factPart{{Text: value}}) }
	flag := func(label string, fact *bool) factRow {
		row := text(label, yesNo(fact))
		row.Mark = row.Parts[0].Text
		return row
	}
	memory := text("Memory", memoryText(n))
	memory.Note = memoryNote(n)
	license := marked("Licence", r.licenseParts(p))
	license.Note = licenseSentence(p)
	if is(p.OSIApproved, false) {
		license.Note = "Not approved by the Open Source Initiative. " + license.Note
	}
	stars := text("Stars", starsText(p))
	stars.Note = "Stars measure attention, not quality."
	updated := text("Latest commit or release", orUnknown(p.UpdatedAt))
	if p.UpdatedAt != nil {
		updated.Note = age(*p.UpdatedAt, r.latest)
	}
	archived := text("Archived", yesNo(p.Archived)) // a yes here is no good news: no mark
	groups := []factGroup{
		{"Will it fit?", []factRow{
			text("GPU", gpuText(n.GPU)),
			memory,
			marked("Platforms", r.platformParts(p)),
			flag("Docker", n.Docker),
			flag("For beginners", n.Beginner),
			flag("Self-hosted", n.SelfHosted),
			flag("Works offline", n.WorksOffline),
			text("Paid API key", apiKeyText(n.APIKey)),
		}},
		{"Is it allowed, and alive?", []factRow{
			license,
			updated,
			text("First commit", orUnknown(p.CreatedAt)),
			archived,
			stars,
			text("Language", orUnknown(p.Language)),
			text("In this catalogue since", string(p.AddedAt)),
		}},
	}
	for i := range groups {
		kept := groups[i].Rows[:0]
		for _, row := range groups[i].Rows {
			if len(row.Parts) > 0 {
				kept = append(kept, row)
			}
		}
		groups[i].Rows = kept
	}
	return groups
}

// age tells how old a day is on a later one, the latest that any fact of the
// catalog names: a build says the same whenever it runs.
func age(day, latest api.Date) string {
	from, err := time.Parse(time.DateOnly, string(day))
	to, err2 := time.Parse(time.DateOnly, string(latest))
	if err != nil || err2 != nil {
		return ""
	}
	days := int(to.Sub(from).Hours() / 24)
	switch {
	case days < 45:
		return "Active: within weeks of the newest facts here."
	case days < 365:
		return fmt.Sprintf("%d months before the newest facts here (%s).", (days+15)/30, latest)
	case days < 2*365:
		return fmt.Sprintf("Quiet: over a year before the newest facts here (%s).", latest)
	default:
		return fmt.Sprintf("Quiet: over %d years before the newest facts here (%s).", days/365, latest)
	}
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
	return strings.Join(parts, ", ")
}

// memoryNote tells what the makers state the memory for; "" where they do not.
func memoryNote(n *api.FitNotes) string {
	if n.MemoryFor == nil || memoryText(n) == unknown {
		return ""
	}
	return "Stated for: " + *n.MemoryFor
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
	return []factPart{{*p.License, r.view.Base + "/licenses/" + licenseSlug(*p.License) + "/"}}
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
