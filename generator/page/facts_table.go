package page

import (
	"cmp"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// factGroup is a table of facts of one listing.
type factGroup struct {
	Name  string
	Facts []factRow
}

// factRow is a row of a table of facts.
type factRow struct {
	Label  string
	Mark   string // "yes", "no", "unknown", or "" for other values
	Parts  []factPart
	Lang   string      // the language of Parts, if it is not that of the page
	Note   string      // the meaning of the fact, in a sentence
	Source *sourceView // source of the fact; nil if not stated
	Judged bool        // known, used for choosing, and without a source
}

type factPart struct {
	Text, Link string
	IsAway     bool // the link leads to another site
}

// factGroups returns a listing's facts as tables. Facts that people choose by come first, and are
// shown even if they are unknown. Other unknown facts are left out.
func (s listingPage) factGroups() (groups []factGroup) {
	p := &s.l.ProjectDetail
	for i := range s.Content.Taxonomy.Facts {
		f := &s.Content.Taxonomy.Facts[i]
		v := p.FitNotes.Get(f.Key)
		if !f.IsInTable() || !render.ChosenBy(f) && !api.Known(v) {
			continue
		}
		row := s.cited("fitNotes."+f.Key, s.marked(f.Label, s.factParts(f, v)))
		row.Judged = s.hasSources && row.Source == nil && f.IsStated() && render.ChosenBy(f) && api.Known(v)
		row.Lang = s.Languages.Fallback(s.l.Document.Untranslated, "fitNotes."+f.Key)
		if f.Kind == api.FactYesNo {
			row.Mark = f.Text(v)
		}
		groups = s.withRow(groups, f, row)
	}
	groups = s.withInverses(groups)
	about := factGroup{Name: s.T("About this listing")}
	if s.View.Has("license") {
		about.Name = s.T("Licence and maintenance")
	}
	if s.View.HasPlatforms() {
		into := &about
		if len(groups) > 0 {
			into = &groups[0]
		}
		into.Facts = append(into.Facts, s.cited("platforms", s.marked(s.T("Platforms"), s.platformParts())))
	}
	if len(groups) > 0 {
		groups[0].Facts = append(groups[0].Facts, s.runnerRows()...)
	}
	about.Facts = append(about.Facts, s.aboutRows()...)
	return append(groups, about)
}

// withInverses adds the listings that name this one in relations, below the headings of these.
func (s listingPage) withInverses(groups []factGroup) []factGroup {
	for i := range s.Content.Taxonomy.Facts {
		f := &s.Content.Taxonomy.Facts[i]
		naming := s.Naming(f.Key, s.l.Slug)
		if f.Inverse != "" && len(naming) > 0 {
			groups = s.withRow(groups, f, s.namingRow(f.Inverse, naming))
		}
	}
	return groups
}

// withRow adds a row to the table of a fact.
func (s listingPage) withRow(groups []factGroup, f *api.Fact, row factRow) []factGroup {
	name := cmp.Or(f.Group, s.T("Facts"))
	at := slices.IndexFunc(groups, func(g factGroup) bool { return g.Name == name })
	if at < 0 {
		at, groups = len(groups), append(groups, factGroup{Name: name})
	}
	groups[at].Facts = append(groups[at].Facts, row)
	return groups
}

// namingRow returns a row with the first listings that name this one.
func (s listingPage) namingRow(label string, naming []*content.Listing) factRow {
	var parts []factPart
	for _, l := range naming[:min(shownUsers, len(naming))] {
		parts = append(parts, s.linked(l.Name, projectsPath, l.Slug))
	}
	row := s.marked(label, parts)
	if more := len(naming) - len(parts); more > 0 {
		row.Note = s.N(more, "And {n} more listing.", "And {n} more listings.")
	}
	return row
}

// namedParts returns the names of listings, with links.
func (s listingPage) namedParts(slugs []string) (parts []factPart) {
	for _, slug := range slugs {
		if l := s.bySlug[slug]; l != nil {
			parts = append(parts, s.linked(l.Name, projectsPath, slug))
		}
	}
	return parts
}

// factParts returns a value of a fact in words, with its links.
func (s listingPage) factParts(f *api.Fact, value any) []factPart {
	if to, ok := value.(api.Link); ok {
		return []factPart{{Text: to.Label, Link: to.URL, IsAway: true}}
	}
	if slugs, ok := value.([]string); ok && f.Kind == api.FactRelation {
		return s.namedParts(slugs)
	}
	return []factPart{{Text: s.FactText(f, value)}}
}

// shownUsers is the number of listings that the page of a program shows of those whose models it
// runs.
const shownUsers = 12

// runnerRows says which listings run the models of the listing, and whose models it runs.
func (s listingPage) runnerRows() (rows []factRow) {
	if parts := s.namedParts(s.l.RunsWith); len(parts) > 0 {
		rows = append(rows, s.cited(api.RunsWithKey, s.marked(s.T("Runs models with"), parts)))
	}
	if users := s.Users(s.l.Slug); len(users) > 0 {
		rows = append(rows, s.namingRow(s.T("Runs models of"), users))
	}
	return rows
}

// aboutRows returns the facts that every catalogue has, unless its settings leave them out.
func (s listingPage) aboutRows() (rows []factRow) {
	p := &s.l.ProjectDetail
	add := func(field, note string, row factRow) {
		if s.View.Has(field) {
			row.Note = note
			rows = append(rows, s.cited(field, row))
		}
	}
	terms := s.LicenseSentence(&p.Project)
	if render.Is(p.OSIApproved, false) {
		terms = s.T("Not approved by the Open Source Initiative.") + " " + terms
	}
	add("license", terms, s.marked(s.T("Licence"), s.licenseParts()))
	latest := render.OrUnknown(s.Words, p.LatestActivity())
	add("updatedAt", s.upkeepSentence(), s.row(s.T("Latest commit or release"), latest))
	add("release", "", s.row(s.T("Latest release"), s.releaseText()))
	add("createdAt", "", s.row(s.T("First commit"), render.OrUnknown(s.Words, p.CreatedAt)))
	add("archived", "", s.row(s.T("Archived"), s.yesNo(p.Archived))) // no mark, because "yes" is bad news here
	add("stars", s.T("Stars measure attention, not quality."), s.row(s.T("Stars"), s.starsText()))
	add("language", "", s.row(s.T("Language"), render.OrUnknown(s.Words, p.Language)))
	add("checkedAt", "", s.row(s.T("Facts read on"), render.OrUnknown(s.Words, p.CheckedAt)))
	add("addedAt", "", s.row(s.T("In this catalogue since"), string(p.AddedAt)))
	return rows
}

// cited returns a row with the source of a field.
func (s listingPage) cited(field string, row factRow) factRow {
	row.Source = s.take(field, row.Label)
	return row
}

// row returns a row with a text, or with "unknown" for "".
func (s listingPage) row(label, value string) factRow {
	return s.marked(label, []factPart{{Text: cmp.Or(value, s.T(api.Unknown))}})
}

// marked returns a row with its mark. A row without parts is marked unknown.
func (s listingPage) marked(label string, parts []factPart) factRow {
	if len(parts) == 0 {
		return s.row(label, "")
	}
	row := factRow{Label: label, Parts: parts}
	if len(parts) == 1 && parts[0].Text == s.T(api.Unknown) {
		row.Mark = api.Unknown
	}
	return row
}

// releaseText returns the latest release and its day, or "".
func (s listingPage) releaseText() string {
	if s.l.Release == nil {
		return ""
	}
	return s.T("{version} on {day}", "version", s.l.Release.Version, "day", s.l.Release.Date)
}

// upkeepSentence says whether a tool is still worked on, or returns "" if that is unknown.
func (s listingPage) upkeepSentence() string {
	p := s.l
	if p.Upkeep == nil {
		return ""
	}
	switch *p.Upkeep {
	case api.UpkeepActive:
		return s.T("Active: less than 6 months old on {day}, when we last looked.", "day", *p.UpkeepAsOf)
	case api.UpkeepSlow:
		return s.T("Slow: 6 to 18 months old on {day}, when we last looked.", "day", *p.UpkeepAsOf)
	case api.UpkeepDormant:
		return s.T("Dormant: more than 18 months old on {day}, when we last looked.", "day", *p.UpkeepAsOf)
	}
	return s.T("Its repository is archived, or its makers have stopped.")
}

// yesNo returns "yes" or "no" in the words of the owner, or "".
func (s listingPage) yesNo(b *bool) string {
	if b == nil {
		return ""
	}
	return s.FactText(&api.Fact{}, *b)
}

// starsText returns the stars and the day on which they were read, or "".
func (s listingPage) starsText() string {
	if s.l.Stars == nil {
		return ""
	}
	return s.T("{stars} on {day}", "stars", render.Thousands(*s.l.Stars), "day", *s.l.StarsAsOf)
}

func (s listingPage) licenseParts() []factPart {
	if s.l.License == nil {
		return nil
	}
	return []factPart{s.linked(s.LicenseName(*s.l.License), licensesPath, render.LicenseSlug(*s.l.License))}
}

// linked returns a name with a link to its list.
func (s listingPage) linked(name, overview, slug string) factPart {
	return factPart{Text: name, Link: s.View.Base + overview + slug + "/"}
}

func (s listingPage) platformParts() (parts []factPart) {
	for _, slug := range s.l.Platforms {
		p, _ := s.Content.Taxonomy.Platform(slug)
		parts = append(parts, s.linked(p.Name, platformsPath, slug))
	}
	return parts
}

func (s listingPage) categoryParts() (parts []factPart) {
	for _, slug := range append([]string{s.l.Category}, s.l.AlsoIn...) {
		c, _ := s.Content.Taxonomy.Category(slug)
		parts = append(parts, s.linked(c.Name, categoriesPath, slug))
	}
	return parts
}

func (s listingPage) productParts() (parts []factPart) {
	for _, name := range s.l.Replaces {
		p, _ := s.Content.Taxonomy.Product(name)
		parts = append(parts, s.linked(name, alternativesPath, p.Slug))
	}
	return parts
}
