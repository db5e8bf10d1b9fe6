package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// commonProblems lists the problems with which any operation may answer.
var commonProblems = []api.ProblemKind{api.UnknownKey, api.URITooLong, api.RateLimited, api.Internal, api.Overloaded}

// The headers of answers. Only answers to requests that count against an allowance have the counted
// headers, so there are optional versions of these with the suffix IfCounted.
var (
	counted        = []string{"RateLimit-Policy", "RateLimit"}
	everywhere     = []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Request-Id"}
	successHeaders = slices.Concat([]string{"ETag", "Cache-Control", "Vary"}, counted, everywhere)
	movedHeaders   = slices.Concat([]string{"Location"}, counted, everywhere)
)

// IfCounted is the suffix in the component name of a header that may be missing.
const IfCounted = "-if-counted"

// ResponsePath is the prefix of references to responses in the components.
const ResponsePath = "#/components/responses/"

// responses describes every answer of the operation, ordered by status.
func (o *Operation) responses(e *examples) Ordered[Response] {
	names, unchanged := successHeaders, successHeaders
	if o.hasLink {
		names = append([]string{"Link"}, names...)
	}
	if o.ID != "searchCatalog" { // a 304 is sent without a search, which alone would tell the pages to link to
		unchanged = names
	}
	responses := Ordered[Response]{
		{"200", Response{Description: o.Summary + ".", Headers: headerReferences(names), Content: o.content()}},
		{"304", Response{
			Description: "The answer is still the one whose ETag is in If-None-Match.",
			Headers:     headerReferences(unchanged),
		}},
	}
	if o.ID == "getProject" {
		const moved = "The slug has changed: Location leads to the present one."
		responses.add("301", Response{Description: moved, Headers: headerReferences(movedHeaders)})
	}
	for _, kind := range o.problems {
		responses.add(strconv.Itoa(kind.Status), problemResponse(kind, e))
	}
	for _, kind := range commonProblems {
		responses.add(strconv.Itoa(kind.Status), Response{Ref: ResponsePath + kind.Code})
	}
	slices.SortStableFunc(responses, func(a, b Named[Response]) int { return strings.Compare(a.Name, b.Name) })
	return responses
}

func problemResponse(kind api.ProblemKind, e *examples) Response {
	return Response{
		Description: kind.Title + ". " + kind.Explanation,
		Headers:     problemHeaders(kind),
		Content:     map[string]Media{"application/problem+json": {reference("Problem"), e.problem(kind)}},
	}
}

func problemHeaders(kind api.ProblemKind) Ordered[ref] {
	names := slices.Clone(everywhere)
	switch kind.Status {
	case api.RateLimited.Status, api.Overloaded.Status:
		names = append(names, "Retry-After")
	case api.UnknownKey.Status:
		names = append(names, "WWW-Authenticate")
	}
	list := headerReferences(names)
	for _, name := range counted {
		if kind.Status < 500 {
			list.add(name, headerReference(name))
		} else { // may be sent before the request is counted
			list.add(name, headerReference(name+IfCounted))
		}
	}
	return list
}

func headerReferences(names []string) (list Ordered[ref]) {
	for _, name := range names {
		list.add(name, headerReference(name))
	}
	return list
}

func headerReference(component string) ref { return ref{"$ref": "#/components/headers/" + component} }

// componentHeaders describes the headers of answers. A response that lists a header must have it,
// unless the name of its component has the suffix IfCounted.
func componentHeaders(s *site.Settings) (list Ordered[Header]) {
	add := func(name, description, pattern, example string) {
		list.add(name, Header{
			Description: description, Required: !strings.HasSuffix(name, IfCounted),
			Schema: &jsonschema.Schema{Type: "string", Pattern: pattern}, Example: example,
		})
	}
	add("ETag", "Strong validator of the answer (RFC 9110, section 8.8.3).", `^"[^"]+"$`,
		`"5d41402abc4b2a76b9719d911017c592"`)
	add("Cache-Control", "How long the answer may be reused.", "", headers.CacheControl)
	add("Vary", "Request headers that the answer depends on.", "", headers.Vary)
	list.add("Link", Header{
		Description: "Absolute addresses of the pages `first`, `prev`, `next` and `last`, as far as they exist" +
			" (RFC 8288) and the header stays below 2,000 bytes.",
		Schema:  &jsonschema.Schema{Type: "string"},
		Example: fmt.Sprintf("<%s?limit=50&offset=0>; rel=\"first\"", s.URL(api.PathProjects)),
	})
	list.add("Retry-After", Header{
		Description: "Seconds to wait before sending the request again.", Required: true,
		Schema: &jsonschema.Schema{Type: "integer", Minimum: new(1.0)}, Example: 17,
	})
	add("Location", "Path of the present address.", "^/", api.PathProjects+"/present")
	add("WWW-Authenticate", "The scheme by which a key can be sent.", "^Bearer$", "Bearer")
	add("Access-Control-Allow-Origin", "Any origin may read the answer.", `^\*$`, "*")
	add("Access-Control-Expose-Headers", "Headers that scripts of other origins may read.", "", headers.ExposedHeaders)
	add("X-Request-Id", "Names the request in our logs: the id that was sent in X-Request-Id, or a new one.", "",
		"6QFPWLHTVXB7OQ5MZ4Q3WJ2KNE")
	policy := "anonymous"
	if s.SandboxKey != "" {
		policy = "anonymous|sandbox"
	}
	for _, suffix := range []string{"", IfCounted} {
		add("RateLimit-Policy"+suffix, "The allowance that the request counts against: its name, `q` requests in `w` "+
			"seconds (draft-ietf-httpapi-ratelimit-headers).",
			`^"(`+policy+`)";q=[0-9]+;w=60$`, fmt.Sprintf(`"anonymous";q=%d;w=60`, s.AnonymousPerMinute))
		add("RateLimit"+suffix,
			"What is left of the allowance: `r` requests now, and `t` seconds until more are allowed.",
			`^"(`+policy+`)";r=[0-9]+;t=[0-9]+$`, fmt.Sprintf(`"anonymous";r=%d;t=60`, s.AnonymousPerMinute-1))
	}
	return list
}
