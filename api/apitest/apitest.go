// Package apitest checks answers of the catalogue's API against its OpenAPI document. Only
// tests import it.
//
// Parse takes an OpenAPI document from openapi.Document or from a server. It returns a
// Document, which wraps the handler or the transport of a test and checks every answer.
package apitest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// Document is an OpenAPI document that answers are checked against. Several
// goroutines may use it.
type Document struct {
	base      *url.URL                        // of servers[0]
	responses map[string]map[string]*response // of GET, by path and status
	problem   *jsonschema.Schema              // of problem details
}

// response is what the document says about the answers with one status.
type response struct {
	headers map[string]header
	bodies  map[string]*jsonschema.Schema // by content type
}

// header is what the document says about a header.
type header struct {
	required bool
	schema   *jsonschema.Schema
}

// parsedDocuments caches the documents that Parse has returned, by their text, because tests parse
// the same few again and again.
var parsedDocuments sync.Map // string → *Document

// Parse reads an OpenAPI document. The error names every way in which it departs
// from OpenAPI 3.1.
func Parse(document []byte) (*Document, error) {
	if d, ok := parsedDocuments.Load(string(document)); ok {
		return d.(*Document), nil
	}
	d, err := parse(document)
	if err != nil {
		return nil, err
	}
	parsedDocuments.Store(string(document), d)
	return d, nil
}

func parse(document []byte) (*Document, error) {
	var content map[string]any
	if err := json.Unmarshal(document, &content); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	closeSchemas(content)
	closed, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	spec, err := openapi3.NewLoader().LoadFromData(closed)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	if err := spec.Validate(context.Background(), openapi3.EnableMultiError(),
		openapi3.EnableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("the document is not OpenAPI 3.1: %w", err)
	}
	if len(spec.Servers) == 0 {
		return nil, errors.New("the OpenAPI document names no server")
	}
	base, err := url.Parse(spec.Servers[0].URL)
	if err != nil {
		return nil, fmt.Errorf("read the address of the server: %w", err)
	}
	d := &Document{base: base}
	return d, d.compile(content, spec)
}

// documentName is the name of the document while its schemas are compiled.
const documentName = "openapi.json"

// compile compiles the schemas of all responses to GET. The schemas of OpenAPI 3.1 are JSON Schemas
// 2020-12.
func (d *Document) compile(content map[string]any, spec *openapi3.T) error {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentName, content); err != nil {
		return err
	}
	var errs []error
	schema := func(pointer string) *jsonschema.Schema {
		compiled, err := compiler.Compile(documentName + pointer)
		errs = append(errs, err)
		return compiled
	}
	if spec.Components.Schemas["Problem"] != nil { // a document that describes only files has no problems
		d.problem = schema("#/components/schemas/Problem")
	}
	d.responses = map[string]map[string]*response{}
	for path, item := range spec.Paths.Map() {
		d.responses[path] = map[string]*response{}
		if item.Get == nil {
			continue
		}
		for status, described := range item.Get.Responses.Map() {
			pointer := cmp.Or(described.Ref, "#/paths/"+escapePointer(path)+"/get/responses/"+status)
			r := &response{map[string]header{}, map[string]*jsonschema.Schema{}}
			for name, h := range described.Value.Headers {
				r.headers[name] = header{h.Value.Required, schema(cmp.Or(h.Ref, pointer+"/headers/"+name) + "/schema")}
			}
			for contentType := range described.Value.Content {
				r.bodies[contentType] = schema(pointer + "/content/" + escapePointer(contentType) + "/schema")
			}
			d.responses[path][status] = r
		}
	}
	return errors.Join(errs...)
}

// escapePointer escapes a key of a JSON pointer (RFC 6901).
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// closeSchemas changes the schemas in a JSON value: a schema that names properties then allows no
// others. Clients have to ignore properties that they do not know, so the document allows others,
// but our own answers may not have any.
func closeSchemas(value any) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			closeSchemas(v)
		}
	case map[string]any:
		for _, v := range value {
			closeSchemas(v)
		}
		if _, named := value["properties"].(map[string]any); named && value["additionalProperties"] == nil {
			value["additionalProperties"] = false
		}
	}
}

// Check returns everything that is wrong with an answer, or nil. At a path that the document
// describes, status, content type, body and headers must match the description. Below /api/, every
// error must be problem details and every answer must have the headers of the API. Other answers
// pass. Check restores the body that it reads.
func (d *Document) Check(request *http.Request, response *http.Response) error {
	path, ok := d.apiPath(request.URL)
	if !ok {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if body, err = decode(body, response.Header.Get("Content-Encoding")); err != nil {
		return err
	}

	errs := checkHeaders(request, response)
	switch {
	case request.Method == http.MethodHead || response.StatusCode == http.StatusNotModified ||
		response.StatusCode == http.StatusNoContent:
		if len(body) > 0 {
			errs = append(errs, fmt.Errorf("a body of %d bytes where there must be none", len(body)))
		}
	case response.StatusCode >= 400:
		errs = append(errs, d.checkProblem(response, body)...)
	}
	if described, ok := describedPath(path); ok && d.responses[described] != nil && request.Method == http.MethodGet {
		errs = append(errs, d.checkDescribed(described, response, body)...)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s %s answered %d: %w\nbody: %.300s", request.Method, request.URL, response.StatusCode, err,
			body)
	}
	return nil
}

// CheckJSON returns what is wrong with the JSON of a 200 answer at a described path, or nil.
func (d *Document) CheckJSON(path string, body []byte) error {
	ok := d.responses[path]["200"]
	if ok == nil || ok.bodies["application/json"] == nil {
		return fmt.Errorf("the document does not describe JSON at %s", path)
	}
	return checkBody(ok.bodies["application/json"], body)
}

// decode decodes the content coding of a body.
func decode(body []byte, coding string) ([]byte, error) {
	if len(body) == 0 { // answers to HEAD name the coding, too
		return body, nil
	}
	var reader io.Reader
	var err error
	switch coding {
	case "":
		return body, nil
	case "gzip":
		reader, err = gzip.NewReader(bytes.NewReader(body))
	case "br":
		reader = brotli.NewReader(bytes.NewReader(body))
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(body)); err == nil {
			defer z.Close()
			reader = z
		}
	default:
		err = errors.New("no such coding")
	}
	if err == nil {
		body, err = io.ReadAll(reader)
	}
	if err != nil {
		return nil, fmt.Errorf("decode the content coding %q: %w", coding, err)
	}
	return body, nil
}

// apiPath returns the path relative to the base address, and whether it is below /api/.
func (d *Document) apiPath(u *url.URL) (string, bool) {
	path := u.EscapedPath()
	if base := strings.TrimRight(d.base.EscapedPath(), "/"); base != "" {
		if relative, ok := strings.CutPrefix(path, base+"/"); ok {
			path = "/" + relative
		}
	}
	return path, path == "/api" || strings.HasPrefix(path, "/api/")
}

// describedPath returns the path as the document writes it: with {slug} in place of a slug.
func describedPath(path string) (string, bool) {
	switch path {
	case api.PathProjects, api.PathSearch, api.PathOpenAPI:
		return path, true
	}
	slug, ok := strings.CutPrefix(path, api.PathProjects+"/")
	if !ok || slug == "" || strings.Contains(slug, "/") || strings.HasSuffix(slug, ".json") {
		return "", false
	}
	return api.PathProjects + "/{slug}", true
}

// undescribed lists headers that the document need not describe: those of HTTP itself, and
// Cache-Control, which checkHeaders checks.
var undescribed = []string{"Cache-Control", "X-Content-Type-Options", "Content-Type", "Content-Length",
	"Content-Encoding", "Date"}

func (d *Document) checkDescribed(path string, got *http.Response, body []byte) []error {
	described := d.responses[path][strconv.Itoa(got.StatusCode)]
	if described == nil {
		return []error{fmt.Errorf("the document does not describe the status %d of GET %s", got.StatusCode, path)}
	}
	var errs []error
	names := slices.Concat(undescribed, slices.Collect(maps.Keys(described.headers)))
	for name := range got.Header {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			errs = append(errs, fmt.Errorf("the document does not describe the header %s", name))
		}
	}
	for name, h := range described.headers {
		if err := h.check(got.Header.Get(name)); err != nil {
			errs = append(errs, fmt.Errorf("the header %s: %w", name, err))
		}
	}
	if len(described.bodies) == 0 {
		return errs
	}
	contentType, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type")) // "" is not described either
	schema := described.bodies[contentType]
	if schema == nil {
		return append(errs, fmt.Errorf("the document does not describe the content type %q",
			got.Header.Get("Content-Type")))
	}
	return append(errs, checkBody(schema, body))
}

// check checks the value of the header; "" means that it is missing.
func (h header) check(text string) error {
	if text == "" {
		if h.required {
			return errors.New("it is missing")
		}
		return nil
	}
	var value any = text
	if h.schema.Types != nil && !slices.Contains(h.schema.Types.ToStrings(), "string") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = n
		}
	}
	return h.schema.Validate(value)
}

// checkBody checks a body against the schema of its content type.
func checkBody(schema *jsonschema.Schema, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("decode the body: %w", err)
	}
	return schema.Validate(value)
}

func (d *Document) checkProblem(response *http.Response, body []byte) []error {
	if got := response.Header.Get("Content-Type"); got != "application/problem+json" {
		return []error{fmt.Errorf("the content type is %q and not application/problem+json", got)}
	}
	if d.problem != nil {
		if err := checkBody(d.problem, body); err != nil {
			return []error{err}
		}
	}
	var p api.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		return []error{err}
	}
	var errs []error
	if p.Status != response.StatusCode {
		errs = append(errs, fmt.Errorf("the problem's status is %d", p.Status))
	}
	if want := strings.TrimRight(d.base.String(), "/") + "/problems/" + p.Code + "/"; p.Type != want {
		errs = append(errs, fmt.Errorf("the problem's type is %s and not %s", p.Type, want))
	}
	return errs
}

// checkHeaders checks the headers of every answer below /api/, whether
// the document describes its path or not.
func checkHeaders(request *http.Request, response *http.Response) []error {
	want := map[string]string{
		"Access-Control-Allow-Origin":   "*",
		"Access-Control-Expose-Headers": headers.ExposedHeaders,
	}
	switch {
	case response.StatusCode == http.StatusOK || response.StatusCode == http.StatusNotModified:
		want["Cache-Control"], want["Vary"] = headers.CacheControl, headers.Vary
	case response.StatusCode >= 400:
		want["Cache-Control"] = "no-store"
	}
	var errs []error
	for name, value := range want {
		if got := response.Header.Get(name); got != value {
			errs = append(errs, fmt.Errorf("the header %s is %q and not %q", name, got, value))
		}
	}
	if response.StatusCode >= 500 { // may be sent before the request is counted
		return errs
	}
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		if counted := request.Method != http.MethodOptions; counted != (response.Header.Get(name) != "") {
			errs = append(errs, fmt.Errorf("the header %s is %q", name, response.Header.Get(name)))
		}
	}
	return errs
}

// Handler wraps a handler. It fails the test if an answer does not match the document.
func (d *Document) Handler(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Helper()
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		response := recorder.Result()
		if err := d.Check(r, response); err != nil {
			t.Error(err)
		}
		maps.Copy(w.Header(), response.Header)
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(recorder.Body.Bytes()) // fails only if the test's client is gone
	})
}

// Transport wraps a transport, or http.DefaultTransport if next is nil. It fails the test
// if an answer does not match the document.
func (d *Document) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return checkingTransport{t, d, next}
}

type checkingTransport struct {
	t        testing.TB
	document *Document
	next     http.RoundTripper
}

// RoundTrip sends the request and checks the answer.
func (c checkingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	original := response.Body
	if err := c.document.Check(r, response); err != nil {
		c.t.Error(err)
	}
	if response.Body != original {
		_ = original.Close() // read to the end; the new body has its bytes
	}
	return response, nil
}
