// Package openapi makes the OpenAPI document of a catalogue (spec 4.4, contract 8), and the
// JSON Schemas of the arguments and answers of tools for agents. Both are made from the
// types and parameters of package api, so that they match the server.
package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
)

// Document returns the OpenAPI 3.1 description of the API (spec 4.4, contract 8) as
// compact JSON. The same arguments give the same bytes.
//
// Parameters come from ListParameters and SearchParameters, their enums from the
// taxonomy, schemas from the Go types, problems from ProblemKinds. With an empty sandbox
// key no key is accepted, and the document has no key and no security scheme. Without a
// search server, it describes the files of the build output.
func Document(s site.Settings, t *api.Taxonomy) ([]byte, error) {
	e := newExamples(&s, t)
	paths := object{}
	list := operations
	if !s.HasServer() {
		list = fileOperations
	}
	for _, o := range list(&s, t, e) {
		paths = append(paths, member{o.path, o.pathItem(&s, e)})
	}
	componentSchemas, err := schemas{&s, t}.components()
	if err != nil {
		return nil, fmt.Errorf("make the OpenAPI document: %w", err)
	}
	components := object{{"schemas", componentSchemas}}
	if s.HasServer() {
		components = append(components, member{"headers", componentHeaders(&s)}, member{"responses", componentResponses(e)})
	}
	document := object{
		{"openapi", "3.1.0"},
		{"info", infoObject(&s, t)},
		{"servers", []object{{{"url", s.BaseURL}}}},
		{"tags", []object{{{"name", catalogTag}, {"description", "All operations. The catalogue is read-only."}}}},
	}
	if s.HasServer() && s.SandboxKey != "" {
		components = append(components, member{"securitySchemes", securitySchemes(&s)})
		document = append(document,
			member{"x-sandbox-key", s.SandboxKey},
			// Any of these suffices; the empty one is anonymous access.
			member{"security", []object{{}, {{bearerScheme, []string{}}}, {{headerScheme, []string{}}}}},
		)
	}
	document = append(document,
		member{"paths", paths},
		member{"components", components},
		member{"externalDocs", object{{"description", "The interface, explained for people"}, {"url", s.URL("/docs/")}}},
	)
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	return body, nil
}

// object is a JSON object with its members in order, so that the document's bytes never
// vary.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

const (
	catalogTag   = "catalog"
	bearerScheme = "sandboxBearer"
	headerScheme = "sandboxApiKey"
)

// infoObject returns the info of the document (spec 4.4). Its description tells an agent
// what to know before the first request.
func infoObject(s *site.Settings, t *api.Taxonomy) object {
	contact := object{{"name", s.Title}}
	if email, ok := strings.CutPrefix(s.Contact, "mailto:"); ok {
		contact = append(contact, member{"email", email})
	} else if s.Contact != "" {
		contact = append(contact, member{"url", s.Contact})
	}
	return object{
		{"title", "Catalog API"},
		{"version", api.InterfaceVersion},
		{"summary", "The public, read-only interface of " + s.Title + "."},
		{"description", infoText(s, t)},
		{"contact", contact},
	}
}

func infoText(s *site.Settings, t *api.Taxonomy) string {
	if !s.HasServer() {
		return fileText(s, t)
	}
	paragraphs := []string{
		s.Description,
		"All operations are reads (GET; HEAD works too, without a body). Nothing can be changed through this interface.",
		"Intended use: " + strings.Join(t.Steps("`searchCatalog`", "Call `getProject` for one listing."), " "),
		answerNotes(s),
		allowanceText(s),
		"Errors are problem details (RFC 9457, `application/problem+json`); `code` is stable and `type` leads to a page that explains it. An unknown query parameter is ignored, and `warnings` says so. A list of values may be joined by commas or repeated (`category=a&category=b`); any other parameter given twice is an error.",
		"Answers have a strong `ETag`. Send it back in `If-None-Match`: an unchanged answer is 304 without a body. Any origin may read the answers from a browser.",
		"The version of the interface is in the path. One deprecation is in force: `sort=trending` is served exactly as `sort=popular`.",
	}
	return strings.Join(paragraphs, "\n\n")
}

// answerNotes tells agents what to know about answers.
func answerNotes(s *site.Settings) string {
	text := "Send people to `pageUrl`"
	if s.Has("repositoryUrl") {
		text += " and `repositoryUrl`"
	}
	if s.Has("installLinks") {
		text += "; pass on the install links and never invent install steps"
	}
	if s.Has("stars") {
		text += ". Stars measure attention, not quality"
	}
	return text + ". A null fact is unknown, never \"no\"."
}

func allowanceText(s *site.Settings) string {
	text := fmt.Sprintf("Without a key, each client address (an IPv4 address or an IPv6 /64) may send %d requests in any 60 seconds.", s.AnonymousPerMinute)
	if s.SandboxKey == "" {
		return text + " No keys are issued: a request with a key is answered 401."
	}
	return text + fmt.Sprintf(" With the public sandbox key `%s`, in `Authorization: Bearer` or `X-Api-Key`, it may send %d. Because the key is public, its allowance is counted for each client address, too. An unknown key is answered 401: to read without a key, leave the header out.",
		s.SandboxKey, s.SandboxPerMinute)
}

func securitySchemes(s *site.Settings) object {
	description := fmt.Sprintf("Optional. The public sandbox key, `%s`: %d requests in any 60 seconds for each client address.", s.SandboxKey, s.SandboxPerMinute)
	return object{
		{bearerScheme, object{{"type", "http"}, {"scheme", "bearer"}, {"description", description}}},
		{headerScheme, object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-Api-Key"}, {"description", description}}},
	}
}

// operation describes one endpoint.
type operation struct {
	id, path, summary, description string
	parameters                     []object
	mediaType                      string            // of the 200 body; "" means application/json
	answer                         object            // schema of the 200 body
	example                        any               // a 200 body
	hasLink                        bool              // answers have a Link header
	problems                       []api.ProblemKind // besides commonProblems
	server                         string            // base address of the operation if it differs from BaseURL
}

// commonProblems are possible answers of every operation.
var commonProblems = []api.ProblemKind{api.UnknownKey, api.URITooLong, api.RateLimited, api.Internal, api.Overloaded}

func operations(s *site.Settings, t *api.Taxonomy, e *examples) []operation {
	return []operation{
		{
			id: "listProjects", path: api.PathProjects,
			summary:     "List projects, most popular first",
			description: listDescription(s),
			parameters:  queryParameters(api.ListParameters),
			answer:      reference("schemas", "ProjectList"), example: e.list(),
			hasLink: true, problems: []api.ProblemKind{api.InvalidParameter},
		},
		{
			id: "getProject", path: api.PathProject,
			summary:     "Fetch one project",
			description: projectDescription,
			parameters:  []object{slugParameter(e)},
			answer:      reference("schemas", "ProjectDetail"), example: e.json(e.project),
			problems: []api.ProblemKind{api.UnknownProject},
		},
		{
			id: "searchCatalog", path: api.PathSearch,
			summary:     "Search and filter projects",
			description: searchDescription(s),
			parameters:  queryParameters(api.SearchParameters(s, t)),
			answer:      reference("schemas", "SearchResponse"), example: e.search(), hasLink: true,
			problems: []api.ProblemKind{api.InvalidParameter},
			server:   s.SearchURL,
		},
		descriptionOperation(api.PathOpenAPI),
	}
}

const projectDescription = "Fetches one listed project with its fit notes, description, similar listings and sources."

func slugParameter(e *examples) object {
	return object{
		{"name", "slug"}, {"in", "path"}, {"required", true},
		{"description", "Identifier of the listing, as `slug` in lists and hits."},
		{"schema", object{{"type", "string"}, {"pattern", api.SlugPattern}, {"maxLength", api.MaxSlug}}},
		{"example", e.project.Slug},
	}
}

func descriptionOperation(path string) operation {
	return operation{
		id: "getOpenAPI", path: path,
		summary:     "Fetch this description",
		description: "Returns the OpenAPI 3.1 description of this interface.",
		answer:      openObject("An OpenAPI 3.1 document.", "openapi", "info", "paths"),
		example:     object{{"openapi", "3.1.0"}, {"info", object{{"title", "Catalog API"}, {"version", api.InterfaceVersion}}}, {"paths", object{}}},
	}
}

func listDescription(s *site.Settings) string {
	if !s.Has("stars") {
		return "Lists catalog projects in the order of their slugs."
	}
	return "Lists catalog projects ordered by stars, most popular first. Listings without star data come last, with `stars` null; ties are ordered by slug."
}

func searchDescription(s *site.Settings) string {
	text := "Searches and filters the catalog. Preferred for shortlists for a job"
	if s.Has("replaces") {
		text += " or for a proprietary tool being replaced"
	}
	text += ". Where `q` is given and `sort` is absent, matches rank: exact names; then names and aliases; then purpose; then category and description"
	if s.Has("stars") {
		text += "; stars only break ties"
	}
	return text + ". Where both are absent, the order is `popular`."
}

func (o *operation) pathItem(s *site.Settings, e *examples) object {
	get := object{
		{"operationId", o.id},
		{"tags", []string{catalogTag}},
		{"summary", o.summary},
		{"description", o.description},
	}
	if len(o.parameters) > 0 {
		get = append(get, member{"parameters", o.parameters})
	}
	if s.HasServer() {
		get = append(get, member{"responses", o.responses(e)})
	} else {
		get = append(get, member{"responses", o.fileResponses()})
	}
	item := object{}
	if o.server != "" && o.server != s.BaseURL {
		item = append(item, member{"servers", []object{{{"url", o.server}}}})
	}
	return append(item, member{"get", get})
}

// content describes the 200 body of the operation.
func (o *operation) content() object {
	return object{{cmp.Or(o.mediaType, "application/json"), object{{"schema", o.answer}, {"example", o.example}}}}
}

// responses describes every answer of the operation, by status.
func (o *operation) responses(e *examples) object {
	headers, unchanged := successHeaders, successHeaders
	if o.hasLink {
		headers = append([]string{"Link"}, headers...)
	}
	if o.id != "searchCatalog" { // whose pages are not known before it is answered
		unchanged = headers
	}
	responses := object{
		{"200", object{
			{"description", o.summary + "."},
			{"headers", headerReferences(headers)},
			{"content", o.content()},
		}},
		{"304", object{
			{"description", "The answer is still the one whose ETag is in If-None-Match."},
			{"headers", headerReferences(unchanged)},
		}},
	}
	if o.id == "getProject" {
		responses = append(responses, member{"301", object{
			{"description", "The slug has changed: Location leads to the present one."},
			{"headers", headerReferences([]string{"Location", "RateLimit-Policy", "RateLimit", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Request-Id"})},
		}})
	}
	for _, kind := range o.problems {
		responses = append(responses, member{strconv.Itoa(kind.Status), problemResponse(kind, e)})
	}
	for _, kind := range commonProblems {
		responses = append(responses, member{strconv.Itoa(kind.Status), reference("responses", kind.Code)})
	}
	slices.SortStableFunc(responses, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return responses
}

func componentResponses(e *examples) object {
	responses := object{}
	for _, kind := range commonProblems {
		responses = append(responses, member{kind.Code, problemResponse(kind, e)})
	}
	return responses
}

func problemResponse(kind api.ProblemKind, e *examples) object {
	return object{
		{"description", kind.Title + ". " + kind.Explanation},
		{"headers", problemHeaders(kind)},
		{"content", object{{"application/problem+json", object{
			{"schema", reference("schemas", "Problem")},
			{"example", e.problem(kind)},
		}}}},
	}
}

// successHeaders are the headers of every 200 and 304 (contract 7).
var successHeaders = []string{"ETag", "Cache-Control", "Vary", "RateLimit-Policy", "RateLimit", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Request-Id"}

// problemHeaders returns the headers of a problem (contract 5 and 7).
func problemHeaders(kind api.ProblemKind) object {
	names := []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Request-Id"}
	switch kind.Status {
	case api.RateLimited.Status, api.Overloaded.Status:
		names = append(names, "Retry-After")
	case api.UnknownKey.Status:
		names = append(names, "WWW-Authenticate")
	}
	if kind.Status >= 500 { // may be sent before the request is counted
		headers := headerReferences(names)
		for _, name := range countedHeaders {
			headers = append(headers, member{name, reference("headers", name+ifCounted)})
		}
		return headers
	}
	return headerReferences(append(names, countedHeaders...))
}

// countedHeaders are in answers to requests that were counted. Those with the suffix
// ifCounted are their optional versions.
var countedHeaders = []string{"RateLimit-Policy", "RateLimit"}

const ifCounted = "-if-counted"

func headerReferences(names []string) object {
	headers := object{}
	for _, name := range names {
		headers = append(headers, member{name, reference("headers", name)})
	}
	return headers
}

// componentHeaders describes the headers of answers (contract 6 and 7). Responses that
// list a header require it, except for those with the suffix ifCounted.
func componentHeaders(s *site.Settings) object {
	text := func(name, description, pattern, example string) member {
		schema := object{{"type", "string"}}
		if pattern != "" {
			schema = append(schema, member{"pattern", pattern})
		}
		required := !strings.HasSuffix(name, ifCounted)
		return member{name, object{{"description", description}, {"required", required}, {"schema", schema}, {"example", example}}}
	}
	policies := "anonymous"
	if s.SandboxKey != "" {
		policies = "anonymous|sandbox"
	}
	first := fmt.Sprintf("<%s?limit=50&offset=0>; rel=\"first\"", s.URL(api.PathProjects))
	headers := object{
		text("ETag", "Strong validator of the answer (RFC 9110, section 8.8.3).", `^"[^"]+"$`, `"5d41402abc4b2a76b9719d911017c592"`),
		text("Cache-Control", "How long the answer may be reused.", "", headers.CacheControl),
		text("Vary", "Request headers that the answer depends on.", "", headers.Vary),
		text("Link", "Absolute addresses of the pages `first`, `prev`, `next` and `last`, as far as they exist (RFC 8288).", "", first),
		{"Retry-After", object{{"description", "Seconds to wait before sending the request again."}, {"required", true}, {"schema", object{{"type", "integer"}, {"minimum", 1}}}, {"example", 17}}},
		text("Location", "Path of the present address.", "^/", api.PathProjects+"/present"),
		text("WWW-Authenticate", "The scheme by which a key can be sent.", "^Bearer$", "Bearer"),
		text("Access-Control-Allow-Origin", "Any origin may read the answer.", `^\*$`, "*"),
		text("Access-Control-Expose-Headers", "Headers that scripts of other origins may read.", "", headers.ExposedHeaders),
		text("X-Request-Id", "Names the request in our logs: the id that was sent in X-Request-Id, or a new one.", "", "6QFPWLHTVXB7OQ5MZ4Q3WJ2KNE"),
	}
	for _, suffix := range []string{"", ifCounted} {
		headers = append(headers,
			text("RateLimit-Policy"+suffix, "The allowance that the request counts against: its name, `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).",
				`^"(`+policies+`)";q=[0-9]+;w=60$`, fmt.Sprintf(`"anonymous";q=%d;w=60`, s.AnonymousPerMinute)),
			text("RateLimit"+suffix, "What is left of the allowance: `r` requests now, and `t` seconds until more are allowed.",
				`^"(`+policies+`)";r=[0-9]+;t=[0-9]+$`, fmt.Sprintf(`"anonymous";r=%d;t=60`, s.AnonymousPerMinute-1)))
	}
	return headers
}

// queryParameters describes all parameters except those that are Undescribed.
func queryParameters(parameters []api.Parameter) []object {
	var described []object
	for _, p := range parameters {
		if p.Undescribed {
			continue
		}
		parameter := object{{"name", p.Name}, {"in", "query"}, {"required", false}, {"description", p.Text()}}
		if p.Kind == api.KindChoices { // name=a&name=b; name=a,b works too
			parameter = append(parameter, member{"style", "form"}, member{"explode", true})
		}
		described = append(described, append(parameter, member{"schema", parameterSchema(&p)}))
	}
	return described
}

func parameterSchema(p *api.Parameter) object {
	schema := object{}
	switch p.Kind {
	case api.KindInteger:
		schema = append(schema, member{"type", "integer"}, member{"minimum", p.Min})
		if p.HasMax {
			schema = append(schema, member{"maximum", p.Max})
		}
	case api.KindNumber:
		schema = append(schema, member{"type", "number"})
		if p.Least != nil {
			schema = append(schema, member{"minimum", *p.Least})
		}
		if p.Most != nil {
			schema = append(schema, member{"maximum", *p.Most})
		}
	case api.KindFlag:
		schema = append(schema, member{"type", "string"}, member{"enum", []string{"0", "1"}})
	case api.KindChoice:
		schema = append(schema, member{"type", "string"}, member{"enum", p.Allowed})
	case api.KindChoices:
		items := object{{"type", "string"}}
		if len(p.Allowed) > 0 {
			items = append(items, member{"enum", p.Allowed})
		}
		schema = append(schema, member{"type", "array"}, member{"items", items}, member{"maxItems", api.MaxListValues})
	default:
		schema = append(schema, member{"type", "string"}, member{"maxLength", api.MaxQueryLength})
	}
	if p.Default != nil {
		schema = append(schema, member{"default", p.Default})
	}
	return schema
}
