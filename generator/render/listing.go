package render

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
)

// listingView is the view of a listing's page.
type listingView struct {
	Project *api.Project
	State   string // as in rowView
	Closed  bool   // its terms are not open source
	Notices []noticeView
	// Replaces and Categories stand below the purpose.
	Replaces, Categories []factPart
	ReplacesSource       *sourceView
	Groups               []groupTexts
	Setups               []setupRow
	SetupsSource         *sourceView
	Estimate             string // what editors judge it to need, in words; "" for none
	Needs                string // what computer.js reads; "" if listings have no setups
	Texts                []textsView
	Links                []linkView // to source and homepage, for the Markdown version
	Fit, About           []bodyPart // parts of the description: whom it suits, and the others
	Prose                markdown   // what Fit and About render, for the Markdown version
	Install              []installView
	HasCommand           bool
	HasJudged            bool   // whether a fact in Groups was judged
	Release              string // the latest release and its day; "" if not known
	Similar              []similarView
	Compare              string       // path of its comparison with similar listings
	Sources              []sourceView // of what has no place of its own
	Report               template.URL // address for reports of wrong facts; "" for none
}

// noticeView is what a reader should know before anything else.
type noticeView struct {
	Title, Text, Link, LinkText string
}

// installView is an install link with the name of the package that it leads to.
type installView struct {
	*api.InstallLink
	Package string // "" for none
}

// groupTexts is a table of facts with rendered rows.
type groupTexts struct {
	Name  string
	Rows  template.HTML
	Lines markdown // what Rows renders, for the Markdown version
}

// textsView is a fact that is a list of texts, which is not in a table.
type textsView struct {
	Label  string
	List   []string
	Source *sourceView // nil for none
	key    string
}

// similarView is a similar listing with its differences.
type similarView struct {
	Related     template.HTML // the listing itself
	Differences template.HTML // "" for none
	Line        markdown      // all of it for the Markdown version
}

// relatedView is a listing on the page of a similar one.
type relatedView struct{ Base, Slug, Name, Purpose, State string }

// bodyPart is a section of a listing's text.
type bodyPart struct {
	Class string // "good", "elsewhere", or "" for any other
	HTML  template.HTML
}

// sourceView is what a fact was read from.
type sourceView struct {
	Of   string // what it is the source of, in words
	Text string // the citation
	Link string // its address; "" for none
	Day  string // on which it was read; "" if not said
}

// newSourceView returns a source, or nil if there is no citation.
func newSourceView(of, citation string) *sourceView {
	if citation == "" {
		return nil
	}
	v := &sourceView{Of: of, Text: citation}
	if strings.HasPrefix(citation, "https://") {
		v.Link, v.Day, _ = strings.Cut(citation, " ")
		v.Day = strings.Trim(v.Day, "()")
	}
	return v
}

// listing writes a listing's page and its JSON.
func (r *renderer) listing(l *content.Listing) error {
	sources := maps.Clone(l.Sources)
	take := func(field, of string) *sourceView {
		defer delete(sources, field)
		return newSourceView(of, sources[field])
	}
	view := listingView{
		Project: &l.Project, State: r.stopped(&l.Project), Closed: is(l.OSIApproved, false), Notices: r.notices(&l.ProjectDetail),
		Prose:    markdown(content.MarkdownOf(l.Sections)),
		Replaces: r.productParts(&l.Project), Categories: r.categoryParts(&l.Project), ReplacesSource: take("replaces", r.t("what it replaces")),
		Report: ownerLink(r.Settings.Report(r.t("Wrong fact: {name} ({slug})", "name", l.Name, "slug", l.Slug), l.PageURL)), Texts: r.texts(&l.Project),
	}
	for i := range view.Texts {
		view.Texts[i].Source = take("fitNotes."+view.Texts[i].key, view.Texts[i].Label)
	}
	for i := range l.Sections {
		html := template.HTML(l.Sections[i].HTML) // #nosec G203 -- rendered by goldmark without raw HTML
		switch {
		case l.Sections[i].Is(api.HeadingFit):
			view.Fit = append(view.Fit, bodyPart{"good", html})
		case l.Sections[i].Is(api.HeadingElsewhere):
			view.Fit = append(view.Fit, bodyPart{"elsewhere", html})
		default:
			view.About = append(view.About, bodyPart{"", html})
		}
	}
	if r.view.Has("installLinks") {
		for i := range l.InstallLinks {
			view.Install = append(view.Install, installView{&l.InstallLinks[i], l.InstallLinks[i].Package()})
			view.HasCommand = view.HasCommand || l.InstallLinks[i].Command != nil
		}
	}
	if l.Release != nil {
		view.Release = r.releaseText(l.Release)
	}
	if r.Content.Taxonomy.HasSetups() {
		var err error
		if view.Needs, err = r.needsJSON(&l.Project); err != nil {
			return fmt.Errorf("facts of %s: %w", l.Slug, err)
		}
		view.Setups = r.setupRows(&l.Project)
		view.SetupsSource = take("setups", r.t("RAM and VRAM"))
		view.Estimate = r.estimate(l.Estimate)
	}
	for _, link := range []struct {
		title   string
		address *string
	}{{r.t("Source repository"), &l.RepositoryURL}, {r.t("Homepage"), l.HomepageURL}, {r.t("Documentation"), l.DocsURL}} {
		if link.address != nil && *link.address != "" {
			view.Links = append(view.Links, linkView{Title: link.title, Path: *link.address})
		}
	}
	for _, group := range r.factGroups(&l.ProjectDetail) {
		texts := groupTexts{Name: group.Name}
		var rows, lines strings.Builder
		for i := range group.Rows {
			row := &group.Rows[i]
			delete(sources, row.field)
			view.HasJudged = view.HasJudged || row.judged
			text, err := r.fact(row)
			if err != nil {
				return err
			}
			rows.WriteString(string(text.row))
			lines.WriteString(string(text.line))
			lines.WriteByte('\n')
		}
		texts.Rows = template.HTML(rows.String()) // #nosec G203 -- rendered by html/template
		texts.Lines = markdown(lines.String())
		view.Groups = append(view.Groups, texts)
	}
	for _, field := range slices.Sorted(maps.Keys(sources)) {
		view.Sources = append(view.Sources, *newSourceView(r.fieldLabel(field), sources[field]))
	}
	slugs := []string{l.Slug}
	for _, slug := range l.Similar {
		other := r.bySlug[slug]
		v, err := r.similar(l, other)
		if err != nil {
			return err
		}
		view.Similar = append(view.Similar, v)
		if len(slugs) < preloaded {
			slugs = append(slugs, slug)
		}
	}
	view.Compare = r.view.Base + "/compare/?slugs=" + strings.Join(slugs, ",")
	crumbs := []crumbView{{r.t("Categories"), "/categories/"}}
	if c, ok := r.Content.Taxonomy.Category(l.Category); ok {
		crumbs = append(crumbs, crumbView{c.Name, "/categories/" + c.Slug + "/"})
	}
	err := r.page("project", pageView{
		Title: l.Name, Description: l.Purpose, Path: "/projects/" + l.Slug + "/",
		Crumbs: append(crumbs, crumbView{l.Name, ""}), Data: view, listing: l,
	})
	if err != nil {
		return err
	}
	text, err := l.JSON(&r.Settings)
	if err != nil {
		return err
	}
	return r.write("api/v1/projects/"+l.Slug+".json", text)
}

// notices returns what a reader should know first: that the tool is no longer worked on, and
// that its terms are not open source.
func (r *renderer) notices(p *api.ProjectDetail) (list []noticeView) {
	switch p.Stopped() {
	case api.UpkeepArchived:
		list = append(list, noticeView{Title: r.t("Archived."), Text: r.t("Its repository is archived, or its makers have stopped. Bugs and security holes are no longer fixed.")})
	case api.UpkeepDormant:
		list = append(list, noticeView{Title: r.t("Dormant."), Text: r.t("Its latest commit or release was on {latest}, more than 18 months before its facts were read on {day}.", "latest", *p.LatestActivity(), "day", *p.CheckedAt)})
	}
	if !r.view.Has("license") || !is(p.OSIApproved, false) {
		return list
	}
	n := noticeView{Title: r.t("Not open source."), Text: r.licenseSentence(&p.Project)}
	for i := range r.Content.Taxonomy.Facts {
		// The fact that says how open the code is may not contradict osiApproved.
		if f := &r.Content.Taxonomy.Facts[i]; f.Checks.OSIApproved != nil && api.Known(p.FitNotes.Get(f.Key)) {
			n.Title = r.t("Not open source: {openness}.", "openness", r.factText(f, p.FitNotes.Get(f.Key)))
		}
	}
	if source := newSourceView("", p.Sources["license"]); source != nil && source.Link != "" {
		n.Link, n.LinkText = source.Link, r.t("Read the licence")
	}
	return append(list, n)
}

// stopped says that a listing is no longer worked on, or returns "".
func (r *renderer) stopped(p *api.Project) string {
	if s := p.Stopped(); s != "" {
		return r.t(s)
	}
	return ""
}

// fieldLabel returns the name of a field of Sources in words.
func (r *renderer) fieldLabel(field string) string {
	if key, ok := strings.CutPrefix(field, "fitNotes."); ok {
		if f := r.Content.Taxonomy.Fact(key); f != nil {
			return f.Label
		}
	}
	label, ok := map[string]string{
		"homepageUrl": r.t("Homepage"), "docsUrl": r.t("Documentation"), "repositoryUrl": r.t("Source repository"), "osiApproved": r.t("Open source"), "license": r.t("Licence"), "stars": r.t("Stars"),
		"archived": r.t("Archived"), "release": r.t("Latest release"), "createdAt": r.t("First commit"), "updatedAt": r.t("Latest commit or release"), "language": r.t("Language"), "platforms": r.t("Platforms"), "replaces": r.t("Instead of"), "installLinks": r.t("Install"), api.SetupsKey: r.t("RAM and VRAM"),
	}[field]
	if !ok {
		label = strings.ToUpper(field[:1]) + field[1:]
	}
	return label
}

// texts returns the facts of a listing that are lists of texts.
func (r *renderer) texts(p *api.Project) (list []textsView) {
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		if texts, ok := p.FitNotes.Get(f.Key).([]string); ok && f.Kind == api.FactTexts && f.Group == "" && len(texts) > 0 {
			list = append(list, textsView{Label: f.Label, List: texts, key: f.Key})
		}
	}
	return list
}

// similar returns a similar listing for the page of another.
func (r *renderer) similar(one, other *content.Listing) (v similarView, err error) {
	if v.Related, err = r.fragments[other.Slug].related(); err != nil {
		return v, err
	}
	list := r.differences(one, other)
	line := string(r.fragments[other.Slug].brief())
	if len(list) > 0 {
		line += " " + string(filledMarkdown(r.labels.Form("Differs: {differences}."), []any{"differences", joined(list)}))
	} else {
		line += " " + commonmark.Text(r.t("The facts are the same."))
	}
	v.Line = markdown(line)
	for _, text := range list {
		tag, err := r.partial("difference", text)
		if err != nil {
			return v, err
		}
		v.Differences += tag
	}
	return v, nil
}

// factTexts is a fact as a row of a table and as a line of Markdown.
type factTexts struct {
	row  template.HTML
	line markdown
}

// fact renders a row of a table of facts, with the source that it was read from, or that it was
// judged.
func (r *renderer) fact(row *factRow) (texts factTexts, err error) {
	name, view := "source", any(newSourceView(row.Label, row.source))
	if row.judged {
		name, view = "judged", nil
	}
	if row.judged || row.source != "" {
		if row.Proof, err = r.partial(name, view); err != nil {
			return texts, err
		}
		proof, err := r.markdownPartial(name, view)
		if err != nil {
			return texts, err
		}
		texts.line = " (" + proof + ")"
	}
	if texts.row, err = r.partial("fact", row); err != nil {
		return texts, err
	}
	line, err := r.markdownPartial("fact", row)
	texts.line = line + texts.line
	return texts, err
}
