package api

import (
	"slices"
	"strconv"
	"strings"
)

// ProblemKind is a kind of error answer.
type ProblemKind struct {
	Code   string // stable, machine-readable; also the last path segment of its page
	Status int    // HTTP status
	Title  string // short, the same for every occurrence
	// Explanation is a few sentences for the problem's page.
	Explanation string
}

// The problems of the API and the MCP server.
var (
	InvalidParameter = ProblemKind{"invalid-parameter", 400, "A parameter is not valid",
		"One or more parameters are outside their bounds or hold a value that is not allowed. Every wrong parameter " +
			"is named in errors, with what was given and what is allowed. Correct them and send the request again."}
	UnknownKey = ProblemKind{"unknown-key", 401, "The API key is unknown",
		"The request has a key that this service does not know, or two different keys. Anonymous reads need no key: " +
			"leave the header out, or send the public sandbox key."}
	UnknownProject = ProblemKind{"unknown-project", 404, "No such project",
		"No listing has this slug. If there are similar slugs, suggestions lists them. The search endpoint finds " +
			"listings by name."}
	UnknownEndpoint = ProblemKind{"unknown-endpoint", 404, "No such endpoint",
		"Nothing is served at this path. The machine-readable description at /api/v1/openapi lists every endpoint."}
	MethodNotAllowed = ProblemKind{"method-not-allowed", 405, "The method is not allowed",
		"All operations are reads. The Allow header lists the allowed methods."}
	URITooLong = ProblemKind{"uri-too-long", 414, "The address is too long",
		"The address of the request is longer than 8 KiB. A query of at most 256 characters never needs that much."}
	OriginRefused = ProblemKind{"origin-refused", 403, "This origin may not use the MCP server",
		"A page of another site sent a message to the MCP server. The server accepts messages from this site's own " +
			"pages, from programs other than browsers, and from the origins that its operator lists with " +
			"--mcp-origins. The API below /api/ answers every origin."}
	BodyTooLarge = ProblemKind{"body-too-large", 413, "The message is too large",
		"The body of a message to the MCP server is larger than 64 KiB. A call never needs that much."}
	RateLimited = ProblemKind{"rate-limited", 429, "The allowance is used up",
		"More requests came in 60 seconds than the allowance permits. Wait for the number of seconds in Retry-After. " +
			"The public sandbox key has a higher allowance."}
	Overloaded = ProblemKind{"overloaded", 503, "The server is busy",
		"The server is already answering as many requests as it can at once. Wait for the number of seconds in " +
			"Retry-After, then send the request again."}
	Internal = ProblemKind{"internal", 500, "Something went wrong here",
		"The fault is ours. Tell us the request id in the answer, and we can find out what happened."}
)

// ProblemKinds lists every kind, in the order in which requests are checked.
var ProblemKinds = []ProblemKind{URITooLong, UnknownEndpoint, OriginRefused, MethodNotAllowed, UnknownKey, BodyTooLarge,
	RateLimited, InvalidParameter, UnknownProject, Overloaded, Internal}

// MCPProblems lists the kinds that only the MCP server uses. The OpenAPI document does not describe
// that server.
var MCPProblems = []ProblemKind{OriginRefused, BodyTooLarge}

// ParameterError is one wrong parameter of a request.
type ParameterError struct {
	Parameter string   `json:"parameter" jsonschema:"Name of the parameter."`
	Message   string   `json:"message" jsonschema:"What was given and what is allowed."`
	Allowed   []string `json:"allowed,omitempty" jsonschema:"The allowed values, if they can be listed."`
}

// Problem is an error answer, application/problem+json (RFC 9457). It
// implements error, so that handlers can return it.
type Problem struct {
	Type        string           `json:"type" jsonschema:"Address of a page that explains the kind of problem."`
	Title       string           `json:"title" jsonschema:"The kind of problem in a few words."`
	Status      int              `json:"status" jsonschema:"The HTTP status of the answer."`
	Detail      string           `json:"detail" jsonschema:"What happened this time."`
	Code        string           `json:"code" jsonschema:"The kind of problem: stable and machine-readable."`
	Errors      []ParameterError `json:"errors,omitempty" jsonschema:"With invalid-parameter: every wrong parameter."`
	Suggestions []string         `json:"suggestions,omitempty" jsonschema:"With unknown-project: similar slugs, if there are any."`
	RequestID   string           `json:"requestId,omitempty" jsonschema:"With internal: names the request in our logs."`
}

// NewProblem returns a problem of a kind. detail says what happened this time. WithBase sets Type.
func NewProblem(kind ProblemKind, detail string) *Problem {
	return &Problem{Title: kind.Title, Status: kind.Status, Detail: detail, Code: kind.Code}
}

// NewInvalidParameters returns the problem that names every wrong parameter of a request. errs must
// not be empty.
func NewInvalidParameters(errs []ParameterError) *Problem {
	names := make([]string, len(errs))
	for i, e := range errs {
		names[i] = e.Parameter
	}
	count := "1 parameter is"
	if len(errs) > 1 {
		count = strconv.Itoa(len(errs)) + " parameters are"
	}
	problem := NewProblem(InvalidParameter, count+" not valid: "+strings.Join(names, ", ")+".")
	problem.Errors = errs
	return problem
}

// MaxSuggestions is the maximum length of Problem.Suggestions for one unknown slug.
const MaxSuggestions = 3

// NewUnknownProject returns the problem for slugs that no listing has, with similar ones. near returns up to n
// slugs that are similar to one.
func NewUnknownProject(near func(slug string, n int) []string, slugs ...string) *Problem {
	quoted := make([]string, len(slugs))
	for i, slug := range slugs {
		quoted[i] = quote(slug)
	}
	noun := "slug "
	if len(slugs) > 1 {
		noun = "slugs "
	}
	problem := NewProblem(UnknownProject, "No listing has the "+noun+strings.Join(quoted, ", ")+".")
	for _, slug := range slugs {
		for _, similar := range near(slug, max(1, MaxSuggestions/len(slugs))) {
			if !slices.Contains(problem.Suggestions, similar) {
				problem.Suggestions = append(problem.Suggestions, similar)
			}
		}
	}
	return problem
}

// WithBase sets Type to the kind's page below the site's base address and returns p.
func (p *Problem) WithBase(baseURL string) *Problem {
	p.Type = baseURL + "/problems/" + p.Code + "/"
	return p
}

// Error returns the code and the detail.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// JSON returns the body of the answer.
func (p *Problem) JSON() []byte {
	b := AppendString([]byte(`{"type":`), p.Type)
	b = AppendString(append(b, `,"title":`...), p.Title)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(p.Status), 10)
	b = AppendString(append(b, `,"detail":`...), p.Detail)
	b = AppendString(append(b, `,"code":`...), p.Code)
	for i, e := range p.Errors {
		if i == 0 {
			b = append(b, `,"errors":[`...)
		} else {
			b = append(b, ',')
		}
		b = AppendString(append(b, `{"parameter":`...), e.Parameter)
		b = AppendString(append(b, `,"message":`...), e.Message)
		if len(e.Allowed) > 0 {
			b = AppendStrings(append(b, `,"allowed":`...), e.Allowed)
		}
		b = append(b, '}')
		if i == len(p.Errors)-1 {
			b = append(b, ']')
		}
	}
	if len(p.Suggestions) > 0 {
		b = AppendStrings(append(b, `,"suggestions":`...), p.Suggestions)
	}
	if p.RequestID != "" {
		b = AppendString(append(b, `,"requestId":`...), p.RequestID)
	}
	return append(b, '}')
}
