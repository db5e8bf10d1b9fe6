package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"

	"catalog.example/api"
	"catalog.example/api/openapi"
	"catalog.example/generator/content"
)

// problemView is the view of the page of an error code.
type problemView struct {
	api.ProblemKind
	Example string // indented JSON
}

// problemKinds returns the problems that the site may answer with. Without a search server,
// the configurations in deploy/ answer with some.
func (r *renderer) problemKinds() []api.ProblemKind {
	if r.Settings.HasServer() {
		return api.ProblemKinds
	}
	kinds := []api.ProblemKind{api.UnknownEndpoint, api.UnknownProject}
	if r.Settings.SearchesInBrowser() {
		kinds = append(kinds, api.InvalidParameter)
	}
	return kinds
}

func (r *renderer) problem(k api.ProblemKind) error {
	english := k
	k.Title, k.Explanation = r.t(k.Title), r.t(k.Explanation)
	var example bytes.Buffer
	if err := json.Indent(&example, openapi.ExampleProblem(&r.Settings, &r.Content.Taxonomy, english).JSON(), "", "  "); err != nil {
		return fmt.Errorf("page of problem %s: %w", k.Code, err)
	}
	return r.page("problem", pageView{
		Title: k.Title, Description: k.Explanation, Path: "/problems/" + k.Code + "/",
		Crumbs: []crumbView{{r.t("API"), "/docs/"}, {k.Code, ""}}, Data: problemView{k, example.String()},
	})
}

func (r *renderer) editorial(p *content.Page) error {
	return r.page("page", pageView{
		Title: p.Title, Description: p.Description, Path: "/" + p.Slug + "/", Crumbs: []crumbView{{p.Title, ""}},
		Data: struct {
			Title string
			Body  template.HTML
			Prose markdown // what Body renders, for the Markdown version
		}{p.Title, template.HTML(p.HTML()), markdown(content.MarkdownOf(p.Sections))}, // #nosec G203 -- rendered by goldmark without raw HTML
	})
}

// moved writes the page at an address that has changed, for hosts without redirects.
func (r *renderer) moved(m api.Move) error {
	text, err := fs.ReadFile(r.Templates, "moved.html")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	t, err := template.New("moved").Funcs(r.htmlFunctions()).Parse(string(text))
	if err != nil {
		return fmt.Errorf("templates: moved.html: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, struct{ To, Lang, Dir string }{r.Settings.URL("/" + m.To + "/"), r.view.Lang, r.view.Dir}); err != nil {
		return fmt.Errorf("templates: moved.html: %w", err)
	}
	return r.file(m.From+"/index.html", out.Bytes())
}

// retired writes the page at the address of a listing that has left.
func (r *renderer) retired(x *content.Retired, slug string) error {
	category, _ := r.Content.Taxonomy.Category(x.Category)
	title := r.t("{name} is no longer listed", "name", x.Name)
	return r.page("retired", pageView{
		Title: title, Description: r.t("{name} left the catalogue on {date}.", "name", x.Name, "date", x.Left), Path: "/" + api.FolderProjects + "/" + slug + "/", NoIndex: true,
		Crumbs: []crumbView{{x.Name, ""}},
		Data: struct {
			*content.Retired
			Category api.Category
		}{x, category},
	})
}

func (r *renderer) notFound() error {
	return r.page("404", pageView{Title: r.t("Not found"), Description: r.t("There is no such page."), Path: "/404.html", NoIndex: true})
}
