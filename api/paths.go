package api

// InterfaceVersion is the version of the interface that the OpenAPI document
// declares (spec 9). The path prefix carries its first number.
const InterfaceVersion = "1.0.0"

// The paths of the interface (spec 4), below the base address.
const (
	PathProjects = "/api/v1/projects"        // listProjects
	PathProject  = "/api/v1/projects/{slug}" // getProject
	PathSearch   = "/api/v1/search"          // searchCatalog
	PathOpenAPI  = "/api/v1/openapi"         // getOpenAPI
)
