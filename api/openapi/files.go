package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// fileComponents are the types that become schemas where there is no search server.
var fileComponents = []reflect.Type{
	reflect.TypeFor[api.ProjectList](), reflect.TypeFor[api.ListPage](), reflect.TypeFor[api.Project](), reflect.TypeFor[api.ProjectDetail](),
	reflect.TypeFor[api.FactValues](), reflect.TypeFor[hardware.Setup](), reflect.TypeFor[hardware.Estimate](), reflect.TypeFor[api.InstallLink](), reflect.TypeFor[api.Release](), reflect.TypeFor[api.Warning](),
}

// fileOperations describes the files of the build output, which any host serves (contract 8).
func fileOperations(s *site.Settings, t *api.Taxonomy, e *examples) []operation {
	inPath := func(name, description string, schema object, example any) object {
		return object{{"name", name}, {"in", "path"}, {"required", true}, {"description", description}, {"schema", schema}, {"example", example}}
	}
	page := inPath("page", "Pages count from 1; `pages` in the answer is how many there are.", object{{"type", "integer"}, {"minimum", 1}}, 1)
	var categories []string
	for _, c := range t.Categories {
		categories = append(categories, c.Slug)
	}
	category := object{{"type", "string"}, {"enum", categories}}
	lines := "Returns the whole catalogue as lines of JSON. The first line describes the catalogue. Each further line is a `ProjectDetail`."
	return []operation{
		{
			id: "listProjects", path: api.FilePath(api.PathProjects), summary: "List the first projects, most popular first", description: listDescription(s) + " The rest is in `getList`.",
			answer: reference("schemas", "ProjectList"), example: e.list(),
		},
		{
			id: "getProject", path: api.FilePath(api.PathProject), summary: "Fetch one project", description: projectDescription,
			parameters: []object{slugParameter(e)}, answer: reference("schemas", "ProjectDetail"), example: e.json(e.project),
		},
		{
			id: "getList", path: api.PathList, summary: "Fetch a page of all projects", description: "Returns up to 50 projects of a list in the order that the address names.",
			parameters: []object{inPath("order", "The order of the list.", object{{"type", "string"}, {"enum", []string{api.SortPopular, api.SortNewest, api.SortRecentlyUpdated}}}, api.SortNewest), page},
			answer:     reference("schemas", "ListPage"), example: e.listPage(),
		},
		{
			id: "getCategoryList", path: api.PathCategoryList, summary: "Fetch a page of a category", description: "Returns up to 50 of the projects whose home category it is, most popular first.",
			parameters: []object{inPath("category", "The category.", category, e.project.Category), page},
			answer:     reference("schemas", "ListPage"), example: e.listPage(),
		},
		{
			id: "getTaxonomy", path: api.FilePath(api.PathTaxonomy), summary: "Fetch categories, facts and products", description: "Returns the values of categories, platforms, products and facts, with how many projects have each.",
			answer:  openObject("The values of categories, products and facts, with counts.", "schemaVersion", "categories", "products", "facts"),
			example: object{{"schemaVersion", 1}, {"categories", []object{}}, {"products", []object{}}, {"facts", []object{}}},
		},
		{
			id: "getCatalog", path: api.PathCatalog, summary: "Fetch the whole catalogue", description: "Returns all projects in one object, most popular first. `version` changes with the projects.",
			answer:  openObject("The whole catalogue; `projects` are of the type `ProjectDetail`.", "schemaVersion", "version", "title", "license", "total", "projects"),
			example: object{{"schemaVersion", 1}, {"version", "00000000000000000000000000000000"}, {"title", s.Title}, {"license", nil}, {"total", 0}, {"projects", []object{}}},
		},
		{
			id: "getCatalogLines", path: api.PathCatalogLines, summary: "Fetch the whole catalogue, one project a line", description: lines,
			mediaType: "application/jsonl", answer: object{{"type", "string"}, {"description", lines}}, example: `{"schemaVersion":1,"total":0}`,
		},
		descriptionOperation(api.FilePath(api.PathOpenAPI)),
	}
}

// openObject is the schema of an object whose members are described in words.
func openObject(description string, required ...string) object {
	return object{{"type", "object"}, {"description", description}, {"required", required}, {"additionalProperties", true}}
}

// fileResponses describes the answers of a static host: the file, or the host's own 404.
func (o *operation) fileResponses() object {
	return object{
		{"200", object{{"description", o.summary + "."}, {"content", o.content()}}},
		{"404", object{{"description", "There is no such file. The host answers with a page of its own."}}},
	}
}

func (e *examples) listPage() any {
	return api.ListPage{ProjectList: api.ProjectList{Projects: []json.RawMessage{e.json(e.project.Project)}, Total: 1, Limit: api.ListPageSize, Warnings: []api.Warning{}}, Page: 1, Pages: 1}
}

// fileText is the description of the document where there is no search server.
func fileText(s *site.Settings, t *api.Taxonomy) string {
	paragraphs := []string{
		s.Description,
		"All operations are reads (GET) of files: there are no parameters except those in the path, no keys and no allowances. Nothing can be changed through this interface, and there is no HTTP search.",
		"Intended use: " + strings.Join(t.FileSteps(s), " "),
		answerNotes(s),
		"The version of the interface is in the path.",
	}
	if s.SearchesInBrowser() {
		paragraphs[1] += " The pages search in the browser: " + s.URL("/search/") + " has the parameters `q`, `category` and others, and pages offer the tool `" + api.ToolSearch + "` to agents in the browser (WebMCP)."
	}
	return strings.Join(paragraphs, "\n\n")
}
