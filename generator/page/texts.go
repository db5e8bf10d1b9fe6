package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"

	"catalog.example/api"
	"catalog.example/api/openapi"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// problemView is the view of the page of an error code.
type problemView struct {
	api.ProblemKind
	Example string // indented JSON
}

// problemKinds returns the problems with which the site may answer. Without a search server, some
// of them still come from the configurations in deploy/.
func (s *catalog) problemKinds() []api.ProblemKind {
	if s.Settings.HasServer() {
		return api.ProblemKinds
	}
	kinds := []api.ProblemKind{api.UnknownEndpoint, api.UnknownProject}
	if s.Settings.SearchesInBrowser() {
		kinds = append(kinds, api.InvalidParameter)
	}
	return kinds
}

// problemPage explains an error of the API.
type problemPage struct {
	*catalog
	kind api.ProblemKind
}

func (s problemPage) show() (*render.Page, error) {
	k := s.kind
	k.Title, k.Explanation = s.T(k.Title), s.T(k.Explanation)
	var example bytes.Buffer
	problem := openapi.ExampleProblem(&s.Settings, &s.Content.Taxonomy, s.kind)
	if err := json.Indent(&example, problem.JSON(), "", "  "); err != nil {
		return nil, fmt.Errorf("page of problem %s: %w", k.Code, err)
	}
	return &render.Page{
		Kind: "problem", Title: k.Title, Description: k.Explanation, Path: "/problems/" + k.Code + "/",
		Crumbs: render.Crumbs(s.T("API"), "/docs/", k.Code), Data: problemView{k, example.String()},
	}, nil
}

// textPage is a page of content/pages.
type textPage struct {
	*catalog
	text *content.Page
}

func (s textPage) show() (*render.Page, error) {
	p := s.text
	html := template.HTML(p.HTML()) // #nosec G203 -- rendered by goldmark without raw HTML
	var notices []noticeView
	if len(p.Untranslated) > 0 {
		notices = append(notices, untranslated(s.catalog))
	}
	return &render.Page{
		Kind: "page", Title: p.Title, Description: p.Description, Path: "/" + p.Slug + "/",
		Crumbs: render.Crumbs(p.Title),
		Data: struct {
			Title   string
			Body    template.HTML
			Prose   render.Markdown // what Body renders, for the Markdown version
			Lang    textLanguages
			Notices []noticeView
		}{p.Title, html, render.Markdown(content.MarkdownOf(p.Sections)), fallback(s.catalog, &p.Document), notices},
	}, nil
}

// textLanguages has the language of each text of a document that is not translated; "" for the others.
type textLanguages struct{ Title, Purpose, Jobs, Body string }

// fallback returns the languages of the texts of a document.
func fallback(s *catalog, d *content.Document) (l textLanguages) {
	for key, lang := range map[string]*string{
		"title": &l.Title, "purpose": &l.Purpose, "jobs": &l.Jobs, content.BodyKey: &l.Body,
	} {
		*lang = s.Languages.Fallback(d.Untranslated, key)
	}
	return l
}

// untranslated says that a document is not translated, or not all of it.
func untranslated(s *catalog) noticeView {
	return noticeView{Title: s.T("Not all of this page has been translated."),
		Text: s.T("The rest is in another language: {language}.", "language", s.Languages[0].Name)}
}

// moved writes the page at an address that has changed, for hosts without redirects.
func (s *catalog) moved(m api.Move) error {
	text, err := s.Moved(s.Settings.URL("/" + m.To + "/"))
	if err != nil {
		return err
	}
	return s.write(m.From+"/index.html", text)
}

// retiredPage takes the place of the page of a retired listing.
type retiredPage struct {
	*catalog
	listing *content.Retired
	slug    string
}

func (s retiredPage) path() string { return "/" + api.FolderProjects + "/" + s.slug + "/" }

func (s retiredPage) show() (*render.Page, error) {
	l := s.listing
	category, _ := s.Content.Taxonomy.Category(l.Category)
	return &render.Page{
		Kind: "retired", Title: s.T("{name} is no longer listed", "name", l.Name), Path: s.path(), NoIndex: true,
		Description: s.T("{name} left the catalogue on {date}.", "name", l.Name, "date", l.Left),
		Crumbs:      render.Crumbs(l.Name),
		Data: struct {
			*content.Retired
			Category api.Category
		}{l, category},
	}, nil
}

// notFoundPage is the page that hosts serve if there is nothing at an address.
type notFoundPage struct{ *catalog }

func (s notFoundPage) show() (*render.Page, error) {
	return &render.Page{
		Kind: "404", Title: s.T("Not found"), Description: s.T("There is no such page."), Path: "/404.html",
		NoIndex: true, Data: struct{ Groups []groupView }{s.categoryGroups()},
	}, nil
}
