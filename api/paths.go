package api

// InterfaceVersion is the version in the OpenAPI document (spec 9). The prefix of the
// paths has its major number.
const InterfaceVersion = "1.0.0"

// The paths of the API (spec 4), below the base address.
const (
	PathProjects = "/api/v1/projects"        // listProjects
	PathProject  = "/api/v1/projects/{slug}" // getProject
	PathSearch   = "/api/v1/search"          // searchCatalog
	PathOpenAPI  = "/api/v1/openapi"         // getOpenAPI
	PathIndex    = "/api/v1/"                // links to everything below it (contract 11)
	PathTaxonomy = "/api/v1/taxonomy"        // categories, platforms, products and facts
)
