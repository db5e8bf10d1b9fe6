package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"catalog.example/api"
	"github.com/google/jsonschema-go/jsonschema"
)

// API is an OpenAPI document (OpenAPI 3.1.0, section 4.8). Encoding the same API always gives
// the same bytes.
type API struct {
	OpenAPI      string                `json:"openapi"`
	Info         Info                  `json:"info"`
	Servers      []map[string]string   `json:"servers"`
	Tags         []map[string]string   `json:"tags"`
	SandboxKey   string                `json:"x-sandbox-key,omitempty"`
	Security     []map[string][]string `json:"security,omitempty"`
	Paths        Ordered[PathItem]     `json:"paths"`
	Components   Components            `json:"components"`
	ExternalDocs map[string]string     `json:"externalDocs"`
}

// Info is the information that an agent needs before the first request.
type Info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Summary     string            `json:"summary"`
	Description string            `json:"description"` // paragraphs
	Contact     map[string]string `json:"contact"`
}

// PathItem is a path with its only operation.
type PathItem struct {
	Servers []map[string]string `json:"servers,omitempty"` // if they differ from the document's servers
	Get     *Operation          `json:"get"`
}

// Operation is the read of a path.
type Operation struct {
	ID          string            `json:"operationId"`
	Tags        []string          `json:"tags"`
	Summary     string            `json:"summary"`
	Description string            `json:"description"`
	Parameters  []Parameter       `json:"parameters,omitempty"`
	Responses   Ordered[Response] `json:"responses"` // by status

	path      string
	server    string // base address of the operation; "" for the one of the document
	mediaType string // of the 200 body; "" for application/json
	answer    Media
	hasLink   bool              // answers have a Link header
	problems  []api.ProblemKind // besides commonProblems
}

// Parameter is a path or query parameter.
type Parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"`
	Required    bool               `json:"required"`
	Description string             `json:"description"`
	Style       string             `json:"style,omitempty"`
	Explode     bool               `json:"explode,omitempty"`
	Schema      *jsonschema.Schema `json:"schema"`
	Example     any                `json:"example,omitempty"`
}

// Response is an answer, or a reference to an answer in the components.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Headers     Ordered[ref]     `json:"headers,omitempty"`
	Content     map[string]Media `json:"content,omitempty"` // by media type; at most one
}

// Media describes a body.
type Media struct {
	Schema  *jsonschema.Schema `json:"schema"`
	Example any                `json:"example"`
}

// Components holds the parts that several operations share.
type Components struct {
	Schemas         Schemas                      `json:"schemas"`
	Headers         Ordered[Header]              `json:"headers,omitempty"`
	Responses       Ordered[Response]            `json:"responses,omitempty"` // by the code of a problem
	SecuritySchemes map[string]map[string]string `json:"securitySchemes,omitempty"`
}

// Header is a header of an answer.
type Header struct {
	Description string             `json:"description"`
	Required    bool               `json:"required"`
	Schema      *jsonschema.Schema `json:"schema"`
	Example     any                `json:"example"`
}

// Ordered is a JSON object whose members keep their order.
type Ordered[T any] []Named[T]

// Named is a member of an Ordered.
type Named[T any] struct {
	Name  string
	Value T
}

// Schemas holds schemas by name.
type Schemas = Ordered[*jsonschema.Schema]

// object is a JSON object with values of any type.
type object = Ordered[any]

// ref refers to a component.
type ref map[string]string

func (o *Ordered[T]) add(name string, value T) { *o = append(*o, Named[T]{name, value}) }

// Get returns the member with that name, or the zero value.
func (o Ordered[T]) Get(name string) (value T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return value
}

// MarshalJSON writes the members in order.
func (o Ordered[T]) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		b.Write(append(api.AppendString(nil, m.Name), ':'))
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
