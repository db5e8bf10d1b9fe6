package openapi

import (
	"cmp"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// operations returns the operations of the API. Without a search server, these are reads of files
// of the build output, which any host can serve.
func operations(s *site.Settings, t *api.Taxonomy, e *examples) []*Operation {
	list := &Operation{
		ID: "listProjects", path: api.PathProjects, Summary: "List projects" + popularFirst(s),
		Description: listDescription(s), Parameters: described(api.WithLanguage(api.ListParameters, s)),
		answer: Media{inViews("ProjectList", "BriefList"), e.list(50)}, hasLink: true,
		problems: []api.ProblemKind{api.InvalidParameter},
	}
	slug := inPath("slug", "Identifier of the listing, as `slug` in lists and hits.", slugSchema(), e.project.Slug)
	project := &Operation{
		ID: "getProject", path: api.PathProject, Summary: "Fetch one project",
		Description: "Fetches one listed project with its fit notes, description, similar listings and sources.",
		Parameters:  append([]Parameter{slug}, described(api.WithLanguage(api.ProjectParameters, s))...),
		answer:      Media{inViews("ProjectDetail", "BriefProject"), e.json(e.project)},
		problems:    []api.ProblemKind{api.InvalidParameter, api.UnknownProject},
	}
	title := object{{"title", apiTitle}, {"version", api.InterfaceVersion}}
	document := &Operation{
		ID: "getOpenAPI", path: api.PathOpenAPI, Summary: "Fetch this description",
		Description: "Returns the OpenAPI 3.1 description of this interface.",
		answer: Media{
			openObject("An OpenAPI 3.1 document.", "openapi", "info", "paths"),
			object{{"openapi", "3.1.0"}, {"info", title}, {"paths", object{}}},
		},
	}
	if s.HasServer() {
		if s.SearchBase() != s.BaseURL {
			only := " Only " + s.SearchURL + " reads the parameters in a query, such as `view`; files elsewhere " +
				"ignore them."
			list.Description += only
			project.Description += only
		}
		search := &Operation{
			ID: "searchCatalog", path: api.PathSearch, server: s.SearchURL, Summary: "Search and filter projects",
			Description: searchDescription(s, t),
			Parameters:  described(api.WithLanguage(api.SearchParameters(s, t), s)),
			answer:      Media{inViews("SearchResponse", "BriefSearchResponse"), e.search()}, hasLink: true,
			problems: list.problems,
		}
		return []*Operation{list, project, search, document}
	}
	project.Parameters, project.answer.Schema = []Parameter{slug}, reference("ProjectDetail")
	project.problems = []api.ProblemKind{api.UnknownProject}
	for _, o := range []*Operation{list, project, document} {
		o.path = api.FilePath(o.path)
	}
	list.Summary, list.Parameters = "List the first projects"+popularFirst(s), nil
	list.answer.Schema = reference("ProjectList")
	list.Description += " The rest is in `getList`."
	return append(append([]*Operation{list, project}, fileOperations(s, t, e)...), document)
}

// fileOperations returns the operations that exist only as files.
func fileOperations(s *site.Settings, t *api.Taxonomy, e *examples) []*Operation {
	const lines = "Returns the whole catalogue as lines of JSON. The first line describes the catalogue. " +
		"Each further line is a `ProjectDetail`."
	orders := enumOf(t.ListOrders())
	order := inPath("order", "The order of the list.", &jsonschema.Schema{Type: "string", Enum: orders}, api.SortNewest)
	category := inPath("category", "The category.",
		&jsonschema.Schema{Type: "string", Enum: enumOf(t.CategorySlugs())}, e.project.Category)
	page := inPath("page", "Pages count from 1; `pages` in the answer is how many there are.",
		&jsonschema.Schema{Type: "integer", Minimum: new(1.0)}, 1)
	none := []object{}
	return []*Operation{
		{
			ID: "getList", path: api.PathList, Summary: "Fetch a page of all projects",
			Description: "Returns up to 50 projects of a list in the order that the address names.",
			Parameters:  []Parameter{order, page}, answer: Media{reference("ListPage"), e.listPage()},
		},
		{
			ID: "getCategoryList", path: api.PathCategoryList, Summary: "Fetch a page of a category",
			Description: "Returns up to 50 of the projects whose home category it is" + popularFirst(s) + ".",
			Parameters:  []Parameter{category, page}, answer: Media{reference("ListPage"), e.listPage()},
		},
		{
			ID: "getTaxonomy", path: api.FilePath(api.PathTaxonomy), Summary: "Fetch categories, facts and products",
			Description: "Returns the values of categories, platforms, products and facts, " +
				"with how many projects have each.",
			answer: Media{
				openObject("The values of categories, products and facts, with counts.",
					"schemaVersion", "categories", "products", "facts"),
				object{{"schemaVersion", 1}, {"categories", none}, {"products", none}, {"facts", none}},
			},
		},
		{
			ID: "getCatalog", path: api.PathCatalog, Summary: "Fetch the whole catalogue",
			Description: "Returns all projects in one object" + popularFirst(s) +
				". `version` changes with the projects.",
			answer: Media{
				openObject("The whole catalogue; `projects` are of the type `ProjectDetail`.",
					"schemaVersion", "version", "title", "license", "total", "projects"),
				object{
					{"schemaVersion", 1}, {"version", "00000000000000000000000000000000"}, {"title", s.Title},
					{"license", nil}, {"total", 0}, {"projects", none},
				},
			},
		},
		{
			ID: "getCatalogLines", path: api.PathCatalogLines, Summary: "Fetch the whole catalogue, one project a line",
			Description: lines, mediaType: "application/jsonl",
			answer: Media{&jsonschema.Schema{Type: "string", Description: lines}, `{"schemaVersion":1,"total":0}`},
		},
	}
}

func inPath(name, description string, schema *jsonschema.Schema, example any) Parameter {
	return Parameter{Name: name, In: "path", Required: true, Description: description, Schema: schema, Example: example}
}

func slugSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: api.SlugPattern, MaxLength: new(api.MaxSlug)}
}

// openObject returns the schema of an object whose members only the description explains.
func openObject(description string, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: description, Required: required, AdditionalProperties: &jsonschema.Schema{},
	}
}

// inViews returns the schema of an answer that has a full form and, with view=brief, a brief one.
func inViews(full, brief string) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{reference(full), reference(brief)}}
}

// popularFirst is the end of a sentence about the order of a list; "" if listings have no stars.
func popularFirst(s *site.Settings) string {
	if !s.Has("stars") {
		return ""
	}
	return ", most popular first"
}

func listDescription(s *site.Settings) string {
	if !s.Has("stars") {
		return "Lists catalog projects in the order of their slugs."
	}
	return "Lists catalog projects ordered by stars, most popular first. " +
		"Listings without star data come last, with `stars` null; ties are ordered by slug."
}

func searchDescription(s *site.Settings, t *api.Taxonomy) string {
	text := "Searches and filters the catalog. Preferred for shortlists for a " + s.Wanted()
	switch {
	case !s.Has("replaces"):
	case s.IsSoftware():
		text += " or for a proprietary tool being replaced"
	default:
		text += " or for a product being replaced"
	}
	text += ". Where `q` is given and `sort` is absent, matches rank: exact names; then names and aliases; " +
		"then purpose; then category and description"
	if s.Has("stars") {
		text += "; stars only break ties"
	}
	text += ". Where both are absent, the order is `popular`."
	if t.HasSetups() {
		text += " With `sort=relevance` and a computer, `q` may be absent: what runs on the computer comes first."
	}
	return text
}

// content describes the 200 body of the operation.
func (o *Operation) content() map[string]Media {
	return map[string]Media{cmp.Or(o.mediaType, "application/json"): o.answer}
}

// fileResponses describes the answers of a static host: the file, or a 404 page of the host.
func (o *Operation) fileResponses() Ordered[Response] {
	return Ordered[Response]{
		{"200", Response{Description: o.Summary + ".", Content: o.content()}},
		{"404", Response{Description: "There is no such file. The host answers with a page of its own."}},
	}
}
