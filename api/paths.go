package api

import (
	"strings"

	"catalog.example/api/site"
)

// InterfaceVersion is the version in the OpenAPI document. Its major number is part of every path
// of the API: /api/v1.
const InterfaceVersion = "1.0.0"

// The paths of the API, below the base address.
const (
	PathProjects = "/api/v1/projects"        // listProjects
	PathProject  = "/api/v1/projects/{slug}" // getProject
	PathSearch   = "/api/v1/search"          // searchCatalog
	PathOpenAPI  = "/api/v1/openapi"         // getOpenAPI
	PathIndex    = "/api/v1/"                // links to everything below it
	PathTaxonomy = "/api/v1/taxonomy"        // categories, platforms, products and facts
)

// Paths that exist only as files of the build output.
const (
	PathCatalog      = "/api/v1/catalog.json"                          // all listings as one object
	PathCatalogLines = "/api/v1/catalog.jsonl"                         // all listings, one per line
	PathList         = "/api/v1/lists/{order}/{page}.json"             // pre-sorted pages
	PathCategoryList = "/api/v1/lists/category/{category}/{page}.json" // pre-sorted pages of a category
)

// FilePath returns the path of the file in the build output that answers a path of the API. Any
// static host can serve that file.
func FilePath(path string) string {
	switch path {
	case PathProjects:
		return PathProjects + "/index.json"
	case PathIndex:
		return PathIndex + "index.json"
	case PathProject, PathOpenAPI, PathTaxonomy:
		return path + ".json"
	}
	return path
}

// Paths returns the paths at which hosts serve a file of the build output: the inverse of FilePath.
// name has no leading slash. Paths returns none for instructions to hosts, such as _headers.
func Paths(name string) []string {
	path := "/" + name
	if folder, ok := strings.CutSuffix(path, "/index.html"); ok {
		return []string{folder + "/"}
	}
	if strings.HasPrefix(path, "/_") {
		return nil
	}
	for _, p := range []string{PathProjects, PathIndex, PathOpenAPI, PathTaxonomy} {
		if path == FilePath(p) {
			return []string{p, path}
		}
	}
	if short, ok := strings.CutSuffix(path, ".json"); ok && strings.HasPrefix(path, PathProjects+"/") {
		return []string{short, path}
	}
	return []string{path}
}

// Address returns the absolute address of a path of the API. Without a search server, it is the
// address of the file for that path.
func Address(s *site.Settings, path string) string {
	if !s.HasServer() {
		path = FilePath(path)
	}
	return s.URL(path)
}
