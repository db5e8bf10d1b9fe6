package render

import (
	"fmt"
	"slices"

	"catalog.example/api"
)

// factGroup is a table of facts of one listing.
type factGroup struct {
	Name string
	Rows []factRow
}

// factRow is a row of a table of facts.
type factRow struct {
	Label string
	Mark  string // "yes", "no", "unknown", or "" for other values
	Parts []factPart
	Note  string // the meaning of the fact, in a sentence

	field  string // as in api.ProjectDetail.Sources
	source string // what it was read from; "" if not said
	judged bool   // known, chosen by, and without a source
}

type factPart struct{ Text, Link string }

// factGroups returns a listing's facts as tables, those that people choose by first. Only
// these are shown if they are unknown.
func (r *renderer) factGroups(p *api.ProjectDetail) (groups []factGroup) {
	text := func(label, value string) factRow { return marked(label, []factPart{{Text: value}}) }
	cited := func(field string, row factRow) factRow {
		row.field, row.source = field, p.Sources[field]
		return row
	}
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		v := p.FitNotes.Get(f.Key)
		// Setups and what follows from them have a table of their own.
		if f.Group == "" || !f.IsStated() || !chosenBy(f) && !api.Known(v) {
			continue
		}
		row := cited("fitNotes."+f.Key, text(f.Label, f.Text(v)))
		row.judged = row.source == "" && chosenBy(f) && api.Known(v)
		if f.Kind == api.FactYesNo {
			row.Mark = row.Parts[0].Text
		}
		at := slices.IndexFunc(groups, func(g factGroup) bool { return g.Name == f.Group })
		if at < 0 {
			at, groups = len(groups), append(groups, factGroup{Name: f.Group})
		}
		groups[at].Rows = append(groups[at].Rows, row)
	}
	about := factGroup{Name: "About this entry"}
	if r.view.Has("license") {
		about.Name = "Licence and maintenance"
	}
	add := func(field string, row factRow) {
		if r.view.Has(field) {
			about.Rows = append(about.Rows, cited(field, row))
		}
	}
	if platforms := cited("platforms", marked("Platforms", r.platformParts(&p.Project))); r.view.HasPlatforms() && len(groups) > 0 {
		groups[0].Rows = append(groups[0].Rows, platforms)
	} else if r.view.HasPlatforms() {
		add("platforms", platforms)
	}
	license := marked("Licence", r.licenseParts(&p.Project))
	license.Note = licenseSentence(&p.Project)
	if is(p.OSIApproved, false) {
		license.Note = "Not approved by the Open Source Initiative. " + license.Note
	}
	add("license", license)
	updated := text("Latest commit or release", orUnknown(p.LatestActivity()))
	updated.Note = upkeepSentence(&p.Project)
	add("updatedAt", updated)
	add("release", text("Latest release", releaseText(p.Release)))
	add("createdAt", text("First commit", orUnknown(p.CreatedAt)))
	add("archived", text("Archived", yesNo(p.Archived))) // no mark, because "yes" is bad news here
	stars := text("Stars", starsText(&p.Project))
	stars.Note = "Stars measure attention, not quality."
	add("stars", stars)
	add("language", text("Language", orUnknown(p.Language)))
	add("checkedAt", text("Facts read on", orUnknown(p.CheckedAt)))
	add("addedAt", text("In this catalogue since", string(p.AddedAt)))
	return append(groups, about)
}

// chosenBy reports whether people choose by a fact.
func chosenBy(f *api.Fact) bool {
	switch f.Kind {
	case api.FactYesNo, api.FactChoice, api.FactChoices:
		return true
	}
	return f.Kind == api.FactNumber && f.IsCriterion()
}

// marked returns a row with its mark.
func marked(label string, parts []factPart) factRow {
	row := factRow{Label: label, Parts: parts}
	if len(parts) == 1 && parts[0].Text == api.Unknown {
		row.Mark = api.Unknown
	}
	return row
}

// upkeepSentence says whether a tool is still worked on, or returns "" if that is unknown.
func upkeepSentence(p *api.Project) string {
	if p.Upkeep == nil || p.CheckedAt == nil {
		return ""
	}
	return map[string]string{
		api.UpkeepActive:   "Active: less than 6 months before the facts were read.",
		api.UpkeepSlow:     "Slow: 6 to 18 months before the facts were read.",
		api.UpkeepDormant:  "Dormant: more than 18 months before the facts were read.",
		api.UpkeepArchived: "Its repository is archived, or its makers have stopped.",
	}[*p.Upkeep]
}

func releaseText(release *api.Release) string {
	if release == nil {
		return api.Unknown
	}
	return release.Version + " on " + string(release.Date)
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return api.Unknown
	case *b:
		return "yes"
	default:
		return "no"
	}
}

func orUnknown[T ~string](s *T) string {
	if s == nil {
		return api.Unknown
	}
	return string(*s)
}

func starsText(p *api.Project) string {
	if p.Stars == nil {
		return api.Unknown
	}
	return fmt.Sprintf("%s on %s", thousands(*p.Stars), *p.StarsAsOf)
}

func (r *renderer) licenseParts(p *api.Project) []factPart {
	if p.License == nil {
		return []factPart{{Text: api.Unknown}}
	}
	return []factPart{{licenseName(*p.License), r.view.Base + "/licenses/" + licenseSlug(*p.License) + "/"}}
}

func (r *renderer) platformParts(p *api.Project) []factPart {
	if len(p.Platforms) == 0 {
		return []factPart{{Text: api.Unknown}}
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
