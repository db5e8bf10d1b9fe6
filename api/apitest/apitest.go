// Package apitest checks answers of the catalog's API against its OpenAPI
// document, so that tests of any package can hold every answer they see to what
// the document promises.
//
// In goes an OpenAPI document, as openapi.Document makes it or as a server sends it;
// out comes a Document, which wraps the handler or the transport of a test. Only
// tests import this package.
package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// Document is an OpenAPI document that answers are checked against. Several
// goroutines may use it.
type Document struct {
	base    *url.URL // of servers[0]
	problem *jsonschema.Schema

	mu sync.Mutex // the validators' caches are filled as they work
	// strict takes a property or a header that the document does not name for an
	// error, open does not.
	strict, open validator.Validator
}

// parsedDocuments are the documents that Parse has returned, by their text. Tests
// read the same few documents again and again, and each takes a second with the
// race detector.
var parsedDocuments sync.Map // string → *Document

// Parse reads an OpenAPI document. The error names every way in which it departs
// from the schema of OpenAPI 3.1.
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
	// Descriptions beside a $ref may stay where they are. As an allOf, which is the
	// default, they would hide the properties of the $ref from the strict mode.
	settings := datamodel.NewDocumentConfiguration()
	settings.TransformSiblingRefs = false
	parsed, err := libopenapi.NewDocumentWithConfiguration(document, settings)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	// The keys of sources are free; one with a dot in it is written in brackets.
	// Content headers belong to HTTP and are not for
	// OpenAPI to describe.
	strict, errs := validator.NewValidator(parsed, config.WithFormatAssertions(), config.WithStrictMode(),
		config.WithStrictIgnorePaths("$.body.sources.**", "$.body.sources[**"),
		config.WithStrictIgnoredHeadersExtra("X-Content-Type-Options", "Content-Type", "Content-Length", "Content-Encoding", "Date"))
	if len(errs) > 0 {
		return nil, fmt.Errorf("build the OpenAPI document: %w", errors.Join(errs...))
	}
	open, errs := validator.NewValidator(parsed, config.WithFormatAssertions())
	if len(errs) > 0 {
		return nil, fmt.Errorf("build the OpenAPI document: %w", errors.Join(errs...))
	}
	if ok, found := strict.ValidateDocument(); !ok {
		var all []error
		for _, e := range found {
			all = append(all, e)
			for _, s := range e.SchemaValidationErrors {
				all = append(all, errors.New(s.Reason))
			}
		}
		return nil, fmt.Errorf("the document is not OpenAPI 3.1: %w", errors.Join(all...))
	}
	d := &Document{strict: strict, open: open}
	if d.base, err = baseOf(document); err != nil {
		return nil, err
	}
	if d.problem, err = problemSchema(document); err != nil {
		return nil, err
	}
	return d, nil
}

func baseOf(document []byte) (*url.URL, error) {
	var header struct {
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal(document, &header); err != nil || len(header.Servers) == 0 {
		return nil, fmt.Errorf("the OpenAPI document names no server: %v", err)
	}
	return url.Parse(header.Servers[0].URL)
}

// problemSchema compiles the document's schema of problem details, for answers
// at paths that the document does not describe.
func problemSchema(document []byte) (*jsonschema.Schema, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const name = "urn:openapi"
	if err := c.AddResource(name, value); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	schema, err := c.Compile(name + "#/components/schemas/Problem")
	if err != nil {
		return nil, fmt.Errorf("compile the schema of problem details: %w", err)
	}
	return schema, nil
}

// Check returns what is wrong with an answer, or nil. An answer at a path that
// the document describes must be described by it: status, content type, body and
// headers. Below /api/ every error must be problem details (contract 5) and
// every answer must carry what contract 7 asks. Other answers pass. The body is
// read, and put back for the next reader.
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
	if body, err = decoded(body, response.Header.Get("Content-Encoding")); err != nil {
		return err
	}

	var wrong []error
	wrong = append(wrong, checkHeaders(request, response)...)
	switch {
	case request.Method == http.MethodHead || response.StatusCode == http.StatusNotModified || response.StatusCode == http.StatusNoContent:
		if len(body) > 0 {
			wrong = append(wrong, fmt.Errorf("a body of %d bytes where there must be none", len(body)))
		}
	case response.StatusCode >= 400:
		wrong = append(wrong, d.checkProblem(response, body)...)
	}
	if described, ok := describedPath(path); ok && request.Method == http.MethodGet {
		wrong = append(wrong, d.checkDescribed(described, response, body)...)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s answered %d: %w\nbody: %.300s", request.Method, request.URL, response.StatusCode, errors.Join(wrong...), body)
}

// decoded takes the content coding off a body.
func decoded(body []byte, coding string) ([]byte, error) {
	if len(body) == 0 { // that of HEAD, which tells the coding all the same
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

// apiPath returns the path below the base address, where it lies below /api/.
func (d *Document) apiPath(u *url.URL) (string, bool) {
	path := u.EscapedPath()
	if base := strings.TrimRight(d.base.EscapedPath(), "/"); base != "" {
		if below, ok := strings.CutPrefix(path, base+"/"); ok {
			path = "/" + below
		}
	}
	return path, path == "/api" || strings.HasPrefix(path, "/api/")
}

// describedPath returns the path as a request for a described operation: an
// endpoint's own, or that of some project.
func describedPath(path string) (string, bool) {
	switch path {
	case api.PathProjects, api.PathSearch, api.PathOpenAPI:
		return path, true
	}
	slug, ok := strings.CutPrefix(path, api.PathProjects+"/")
	if !ok || slug == "" || strings.Contains(slug, "/") || strings.HasSuffix(slug, ".json") {
		return "", false
	}
	// Any slug stands for all: the validator need not cope with odd ones.
	return api.PathProjects + "/some-project", true
}

func (d *Document) checkDescribed(path string, response *http.Response, body []byte) []error {
	plain, err := http.NewRequest(http.MethodGet, d.base.String()+path, nil)
	if err != nil {
		return []error{err}
	}
	copied := *response
	copied.Body = io.NopCloser(bytes.NewReader(body))
	copied.Header = decodable(response.Header)
	copied.Header.Del("Content-Encoding") // the body is decoded
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.strict
	if path == api.PathOpenAPI { // an OpenAPI document, whose schema is another's
		v = d.open
	}
	_, found := v.ValidateHttpResponse(plain, &copied)
	var wrong []error
	for _, e := range found {
		wrong = append(wrong, e)
		for _, s := range e.SchemaValidationErrors {
			wrong = append(wrong, fmt.Errorf("%s: %s", s.FieldPath, s.Reason))
		}
	}
	return wrong
}

// decodable returns the headers as the validator reads them: it decodes every
// value as JSON, so that the quotes of an ETag would be lost and a request id of
// digits would be a number. The content type it takes as it is, and Retry-After
// is a number.
func decodable(headers http.Header) http.Header {
	encoded := headers.Clone()
	for name, values := range encoded {
		if name == "Content-Type" || name == "Retry-After" {
			continue
		}
		for i, value := range values {
			quoted, err := json.Marshal(value)
			if err == nil { // a string always encodes
				values[i] = string(quoted)
			}
		}
	}
	return encoded
}

func (d *Document) checkProblem(response *http.Response, body []byte) []error {
	if got := response.Header.Get("Content-Type"); got != "application/problem+json" {
		return []error{fmt.Errorf("the content type is %q and not application/problem+json", got)}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return []error{fmt.Errorf("the problem is not JSON: %w", err)}
	}
	if err := d.problem.Validate(value); err != nil {
		return []error{err}
	}
	var p api.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		return []error{err}
	}
	var wrong []error
	if p.Status != response.StatusCode {
		wrong = append(wrong, fmt.Errorf("the problem's status is %d", p.Status))
	}
	if want := strings.TrimRight(d.base.String(), "/") + "/problems/" + p.Code + "/"; p.Type != want {
		wrong = append(wrong, fmt.Errorf("the problem's type is %s and not %s", p.Type, want))
	}
	return wrong
}

// checkHeaders checks what every answer below /api/ carries (contract 6 and 7),
// described or not.
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
	var wrong []error
	for name, value := range want {
		if got := response.Header.Get(name); got != value {
			wrong = append(wrong, fmt.Errorf("the header %s is %q and not %q", name, got, value))
		}
	}
	if response.StatusCode >= 500 { // perhaps before it was counted
		return wrong
	}
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		if counted := request.Method != http.MethodOptions; counted != (response.Header.Get(name) != "") {
			wrong = append(wrong, fmt.Errorf("the header %s is %q", name, response.Header.Get(name)))
		}
	}
	return wrong
}

// Handler returns a handler that answers as next does, and fails the test where
// an answer departs from the document.
func (d *Document) Handler(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Helper()
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		response := recorder.Result()
		if err := d.Check(r, response); err != nil {
			t.Error(err)
		}
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(recorder.Body.Bytes()) // a recorder or a connection of the test
	})
}

// Transport returns a transport that does as next does, or as
// http.DefaultTransport where next is nil, and fails the test where an answer
// departs from the document.
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
		_ = original.Close() // read whole; its bytes are in the new body
	}
	return response, nil
}
