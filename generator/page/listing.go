package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// listingView is the view of a listing's page.
type listingView struct {
	Project *api.Project
	Logo    render.Logo
	State   string // as in rowView
	Closed  bool   // its terms are not open source
	Notices []noticeView
	Lang    textLanguages
	// Replaces and Categories are shown below the purpose.
	Replaces, Categories []factPart
	ReplacesSource       *sourceView
	Groups               []factGroup
	Setups               []setupRow
	SetupsSource         *sourceView
	Estimate             string            // what it needs, as editors judge, in words; "" for none
	NeedsAttribute       template.HTMLAttr // what computer.js reads; "" if listings have no setups
	Pictures             []pictureView
	Places               []placeView
	Map                  *mapView // of its places; nil for none
	Texts                []textsView
	Links                []render.Link   // to source and homepage, for the Markdown version
	Fit, About           []bodyPart      // parts of the description: whom it suits, and the others
	Prose                render.Markdown // what Fit and About render, for the Markdown version
	Install              []installView
	HasCommand           bool
	Release              string            // the latest release and its day; "" if not known
	Advised              []advisedView     // known vulnerabilities of its packages; none if nobody has looked
	Cost                 string            // what is known of the cost of use, in sentences; "" for nothing
	History              []changeOfListing // the latest changes of its facts
	Similar              []similarView
	Compare              string       // path of its comparison with similar listings
	Which                []whichView  // which of the compared listings is for whom
	Sources              []sourceView // those that are not shown beside a fact
	Report               template.URL // address for reports of wrong facts; "" for none
	Badge                string       // address of its badge
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

// changeOfListing is a change of a fact of the listing.
type changeOfListing struct {
	Day api.Date
	changeView
}

// maxHistory is the number of changes on the page of a listing.
const maxHistory = 10

// history returns the latest changes of the listing's facts.
func (s listingPage) history() (list []changeOfListing) {
	changes := s.changes[s.l.Slug]
	for _, c := range changes[:min(maxHistory, len(changes))] {
		list = append(list, changeOfListing{c.Day, changesPage{s.catalog}.changeView(c)})
	}
	return list
}

// HasJudged reports whether a fact in Groups was judged.
func (v *listingView) HasJudged() bool {
	return slices.ContainsFunc(v.Groups, func(g factGroup) bool {
		return slices.ContainsFunc(g.Facts, func(r factRow) bool { return r.Judged })
	})
}

// textsView is a fact that is a list of texts, which is not in a table.
type textsView struct {
	render.Texts
	Lang   string      // the language of the texts, if it is not that of the page
	Source *sourceView // nil for none
}

// pictureView is a fact of the kind picture.
type pictureView struct {
	*api.Picture
	Label  string
	Path   string // of the picture, with the base
	Lang   string // the language of its alternative text, if it is not that of the page
	Source *sourceView
}

// pictures returns the pictures of a listing.
func (s listingPage) pictures() (list []pictureView) {
	for i := range s.l.FitNotes {
		fact := &s.l.FitNotes[i]
		if p, ok := fact.Value.(api.Picture); ok {
			key := "fitNotes." + fact.Key
			label, lang := s.FieldLabel(key), s.Languages.Fallback(s.l.Document.Untranslated, key)
			list = append(list, pictureView{&p, label, s.PicturePath(&p), lang, newSourceView(label, p.Source)})
		}
	}
	return list
}

// similarView is a similar listing with its differences.
type similarView struct {
	Related template.HTML   // the listing itself
	Brief   render.Markdown // the same for the Markdown version
	Differs []string        // in words
	IsSame  bool            // whether all that is known is the same
}

// whichView says for whom a listing is the right one.
type whichView struct {
	Name  string
	Suits string // phrases
}

// bodyPart is a section of a listing's text.
type bodyPart struct {
	Class string // "good", "elsewhere", or "" for any other
	HTML  template.HTML
}

// sourceView is the source of a fact.
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

// listingPage is the page of a listing.
type listingPage struct {
	*catalog
	l *content.Listing
	// sources holds, by field, the sources of the listing that take has not returned yet.
	sources map[string]string
}

// take returns the source of a field, to be shown beside that field. It returns nil if there is
// none.
func (s listingPage) take(field, of string) *sourceView {
	defer delete(s.sources, field)
	return newSourceView(of, s.sources[field])
}

func (s listingPage) path() string { return "/projects/" + s.l.Slug + "/" }

func (s listingPage) dataFile() string { return "api/v1/projects/" + s.l.Slug + ".json" }

// files writes the page, its JSON, and what other sites show of the listing.
func (s listingPage) files() error {
	if err := s.writePage(s); err != nil {
		return err
	}
	text, err := s.l.JSON(&s.Settings, s.Memo)
	if err != nil {
		return err
	}
	if err := s.write(s.dataFile(), text); err != nil {
		return err
	}
	return s.badges()
}

func (s listingPage) show() (*render.Page, error) {
	view, err := s.view()
	if err != nil {
		return nil, fmt.Errorf("page of %s: %w", s.l.Slug, err)
	}
	crumbs := render.Crumbs(s.T("Categories"), categoriesPath)
	if c, ok := s.Content.Taxonomy.Category(s.l.Category); ok {
		crumbs = append(crumbs, render.Crumb{Title: c.Name, Path: categoriesPath + c.Slug + "/"})
	}
	return &render.Page{
		Kind: "project", Title: s.l.Name, Description: s.l.Purpose, Path: s.path(),
		Crumbs: append(crumbs, render.Crumb{Title: s.l.Name}), Data: view,
		Subject: withPictures(s.subject(s.l), s.l.FitNotes.Pictures()), Picture: s.picturePath(s.path()),
		IsArticle: true,
	}, nil
}

func (s listingPage) view() (*listingView, error) {
	l := s.l
	s.sources = maps.Clone(l.Sources)
	wrong := s.T("Wrong fact: {name} ({slug})", "name", l.Name, "slug", l.Slug)
	v := &listingView{
		Project: &l.Project, Logo: s.ListingLogo(&l.Project), State: s.Stopped(&l.Project),
		Closed:  render.Is(l.OSIApproved, false),
		Notices: s.notices(), Lang: fallback(s.catalog, &l.Document), Links: s.links(),
		Replaces: s.productParts(), Categories: s.categoryParts(),
		ReplacesSource: s.take("replaces", s.T("what it replaces")),
		Report:         render.OwnerLink(s.Settings.Report(wrong, l.PageURL)),
		Badge:          s.Settings.URL("/" + badgeFile(l.Slug)),
	}
	for _, t := range s.FitTexts(&l.Project) {
		key := "fitNotes." + t.Key
		lang := s.Languages.Fallback(l.Document.Untranslated, key)
		v.Texts = append(v.Texts, textsView{t, lang, s.take(key, t.Label)})
	}
	v.Pictures = s.pictures()
	v.Places, v.Map = s.places()
	s.addDescription(v)
	if s.View.Has("installLinks") {
		for i := range l.InstallLinks {
			v.Install = append(v.Install, installView{&l.InstallLinks[i], l.InstallLinks[i].Package()})
			v.HasCommand = v.HasCommand || l.InstallLinks[i].Command != nil
		}
	}
	if l.Release != nil {
		v.Release = s.releaseText()
	}
	if s.Content.Taxonomy.HasSetups() {
		var err error
		if v.NeedsAttribute, err = s.NeedsAttribute(&l.Project); err != nil {
			return nil, err
		}
		v.Setups, v.SetupsSource = s.setupRows(), s.take("setups", s.T("RAM and VRAM"))
		v.Estimate = s.Estimate(l.Estimate)
	}
	v.Advised = s.advised()
	v.Groups, v.Cost, v.History = s.factGroups(), s.Content.Taxonomy.CostOf(&l.Project), s.history()
	for _, field := range slices.Sorted(maps.Keys(s.sources)) {
		v.Sources = append(v.Sources, *newSourceView(s.FieldLabel(field), s.sources[field]))
	}
	return v, s.addSimilar(v)
}

// addDescription adds the parts of the listing's text.
func (s listingPage) addDescription(v *listingView) {
	v.Prose = render.Markdown(content.MarkdownOf(s.l.Sections))
	for i := range s.l.Sections {
		html := template.HTML(s.l.Sections[i].HTML) // #nosec G203 -- rendered by goldmark without raw HTML
		switch {
		case s.l.Sections[i].Is(api.HeadingFit):
			v.Fit = append(v.Fit, bodyPart{"good", html})
		case s.l.Sections[i].Is(api.HeadingElsewhere):
			v.Fit = append(v.Fit, bodyPart{"elsewhere", html})
		default:
			v.About = append(v.About, bodyPart{"", html})
		}
	}
}

// addSimilar adds the similar listings, and the address of the comparison with the first, with what it says of
// which is for whom.
func (s listingPage) addSimilar(v *listingView) error {
	slugs, compared := []string{s.l.Slug}, []*api.Project{&s.l.Project}
	for _, slug := range s.l.Similar {
		row, err := s.Rows.Of(slug)
		if err != nil {
			return err
		}
		differs := s.DifferencesOf(s.l, s.bySlug[slug])
		v.Similar = append(v.Similar, similarView{row.Related, row.Brief, differs,
			len(differs) == 0 && s.SameFacts(s.l, s.bySlug[slug])})
		if len(slugs) < preloaded {
			slugs, compared = append(slugs, slug), append(compared, &s.bySlug[slug].Project)
		}
	}
	for i, suits := range s.SuitTexts(compared) {
		if len(suits) > 0 {
			v.Which = append(v.Which, whichView{compared[i].Name, strings.Join(suits, ", ")})
		}
	}
	// Reasons for one alone, or the same for all that have some, do not answer which to take.
	if !slices.ContainsFunc(v.Which, func(w whichView) bool { return w.Suits != v.Which[0].Suits }) {
		v.Which = nil
	}
	v.Compare = s.View.Base + "/compare/?slugs=" + strings.Join(slugs, ",")
	return nil
}

// links returns the links to source and homepage.
func (s listingPage) links() (list []render.Link) {
	add := func(title string, address *string) {
		if address != nil && *address != "" {
			list = append(list, render.Link{Title: title, Path: *address})
		}
	}
	add(s.T("Source repository"), &s.l.RepositoryURL)
	add(s.T("Homepage"), s.l.HomepageURL)
	add(s.T("Documentation"), s.l.DocsURL)
	return list
}

// notices returns what a reader should know first: that the texts are in another language, that the tool is no
// longer maintained, or that its terms are not open source.
func (s listingPage) notices() (list []noticeView) {
	p := &s.l.ProjectDetail
	if len(s.l.Untranslated) > 0 {
		list = append(list, untranslated(s.catalog))
	}
	switch p.Stopped() {
	case api.UpkeepArchived:
		text := s.T("Its repository is archived, or its makers have stopped. " +
			"Bugs and security holes are no longer fixed.")
		list = append(list, noticeView{Title: s.T("Archived."), Text: text})
	case api.UpkeepDormant:
		text := s.T("Its latest commit or release was on {latest}. "+
			"On {day}, when we last looked, that was more than 18 months ago.",
			"latest", *p.LatestActivity(), "day", *p.UpkeepAsOf)
		list = append(list, noticeView{Title: s.T("Dormant."), Text: text})
	}
	if !render.Is(p.OSIApproved, false) {
		return list
	}
	n := noticeView{Title: s.T("Not open source."), Text: s.LicenseSentence(&p.Project)}
	for i := range s.Content.Taxonomy.Facts {
		// The fact about how open the code is must not contradict osiApproved.
		if f := &s.Content.Taxonomy.Facts[i]; f.Checks.OSIApproved != nil && api.Known(p.FitNotes.Get(f.Key)) {
			n.Title = s.T("Not open source: {openness}.", "openness", s.FactText(f, p.FitNotes.Get(f.Key)))
		}
	}
	if source := newSourceView("", p.Sources["license"]); source != nil && source.Link != "" {
		n.Link, n.LinkText = source.Link, s.T("Read the licence")
	}
	return append(list, n)
}

// setupRow is a row of the table of setups.
type setupRow struct {
	For, Takes, Level string
	Measured          string      // how it was measured, in a sentence; "" if it was not
	Source            *sourceView // nil if it is among the listing's sources
}

// setupRows returns the setups of a listing for its page.
func (s listingPage) setupRows() (rows []setupRow) {
	for _, setup := range s.l.FitNotes.Setups() {
		row := setupRow{For: setup.For, Level: s.T(setup.Level), Takes: s.Hardware(&setup)}
		if setup.Measured != nil {
			row.Level, row.Measured = s.T("measured"), s.Measured(setup.Measured)
		}
		if setup.Source != nil {
			row.Source = newSourceView(setup.For, *setup.Source)
		}
		rows = append(rows, row)
	}
	return rows
}
