package render

import (
	"html/template"
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
	Note  string        // the meaning of the fact, in a sentence
	Proof template.HTML // its source, or that it was judged; see placeProof

	field  string // as in api.ProjectDetail.Sources
	source string // what it was read from; "" if not said
	judged bool   // known, chosen by, and without a source
}

type factPart struct{ Text, Link string }

// factGroups returns a listing's facts as tables, those that people choose by first. Only
// these are shown if they are unknown.
func (r *renderer) factGroups(p *api.ProjectDetail) (groups []factGroup) {
	text := func(label, value string) factRow { return r.marked(label, []factPart{{Text: value}}) }
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
		row := cited("fitNotes."+f.Key, text(f.Label, r.factText(f, v)))
		row.judged = row.source == "" && chosenBy(f) && api.Known(v)
		if f.Kind == api.FactYesNo {
			row.Mark = f.Text(v)
		}
		at := slices.IndexFunc(groups, func(g factGroup) bool { return g.Name == f.Group })
		if at < 0 {
			at, groups = len(groups), append(groups, factGroup{Name: f.Group})
		}
		groups[at].Rows = append(groups[at].Rows, row)
	}
	about := factGroup{Name: r.t("About this listing")}
	if r.view.Has("license") {
		about.Name = r.t("Licence and maintenance")
	}
	add := func(field string, row factRow) {
		if r.view.Has(field) {
			about.Rows = append(about.Rows, cited(field, row))
		}
	}
	if platforms := cited("platforms", r.marked(r.t("Platforms"), r.platformParts(&p.Project))); r.view.HasPlatforms() && len(groups) > 0 {
		groups[0].Rows = append(groups[0].Rows, platforms)
	} else if r.view.HasPlatforms() {
		add("platforms", platforms)
	}
	license := r.marked(r.t("Licence"), r.licenseParts(&p.Project))
	license.Note = r.licenseSentence(&p.Project)
	if is(p.OSIApproved, false) {
		license.Note = r.t("Not approved by the Open Source Initiative.") + " " + license.Note
	}
	add("license", license)
	updated := text(r.t("Latest commit or release"), orUnknown(r, p.LatestActivity()))
	updated.Note = r.upkeepSentence(&p.Project)
	add("updatedAt", updated)
	add("release", text(r.t("Latest release"), r.releaseText(p.Release)))
	add("createdAt", text(r.t("First commit"), orUnknown(r, p.CreatedAt)))
	add("archived", text(r.t("Archived"), r.yesNo(p.Archived))) // no mark, because "yes" is bad news here
	stars := text(r.t("Stars"), r.starsText(&p.Project))
	stars.Note = r.t("Stars measure attention, not quality.")
	add("stars", stars)
	add("language", text(r.t("Language"), orUnknown(r, p.Language)))
	add("checkedAt", text(r.t("Facts read on"), orUnknown(r, p.CheckedAt)))
	add("addedAt", text(r.t("In this catalogue since"), string(p.AddedAt)))
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
func (r *renderer) marked(label string, parts []factPart) factRow {
	row := factRow{Label: label, Parts: parts}
	if len(parts) == 1 && parts[0].Text == r.t(api.Unknown) {
		row.Mark = api.Unknown
	}
	return row
}

// upkeepSentence says whether a tool is still worked on, or returns "" if that is unknown.
func (r *renderer) upkeepSentence(p *api.Project) string {
	if p.Upkeep == nil || p.CheckedAt == nil {
		return ""
	}
	switch *p.Upkeep {
	case api.UpkeepActive:
		return r.t("Active: less than 6 months before the facts were read.")
	case api.UpkeepSlow:
		return r.t("Slow: 6 to 18 months before the facts were read.")
	case api.UpkeepDormant:
		return r.t("Dormant: more than 18 months before the facts were read.")
	}
	return r.t("Its repository is archived, or its makers have stopped.")
}

func (r *renderer) releaseText(release *api.Release) string {
	if release == nil {
		return r.t(api.Unknown)
	}
	return r.t("{version} on {day}", "version", release.Version, "day", release.Date)
}

func (r *renderer) yesNo(b *bool) string {
	switch {
	case b == nil:
		return r.t(api.Unknown)
	case *b:
		return r.t("yes")
	default:
		return r.t("no")
	}
}

func orUnknown[T ~string](r *renderer, s *T) string {
	if s == nil {
		return r.t(api.Unknown)
	}
	return string(*s)
}

func (r *renderer) starsText(p *api.Project) string {
	if p.Stars == nil {
		return r.t(api.Unknown)
	}
	return r.t("{stars} on {day}", "stars", thousands(*p.Stars), "day", *p.StarsAsOf)
}

func (r *renderer) licenseParts(p *api.Project) []factPart {
	if p.License == nil {
		return []factPart{{Text: r.t(api.Unknown)}}
	}
	return []factPart{{r.licenseName(*p.License), r.view.Base + "/licenses/" + licenseSlug(*p.License) + "/"}}
}

func (r *renderer) platformParts(p *api.Project) []factPart {
	if len(p.Platforms) == 0 {
		return []factPart{{Text: r.t(api.Unknown)}}
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
