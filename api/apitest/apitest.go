// Package apitest checks answers of the catalog's API against its OpenAPI document. Only
// tests import it.
//
// Parse takes an OpenAPI document from openapi.Document or from a server. It returns a
// Document, which wraps the handler or the transport of a test and checks every answer.
package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	base    *url.URL // URL of servers[0]
	problem *jsonschema.Schema

	mu sync.Mutex // guards the validators, which fill their caches
	// strict rejects properties and headers that the document does not name; lenient
	// accepts them.
	strict, lenient validator.Validator
}

// parsedDocuments caches what Parse returned. Tests parse the same few documents many
// times, and each takes a second with the race detector.
var parsedDocuments sync.Map // string → *Document

// Parse parses an OpenAPI document. The error lists all violations of the schema of
// OpenAPI 3.1.
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
	// By default, a description beside a $ref becomes an allOf, which hides the properties
	// of the $ref from strict mode.
	configuration := datamodel.NewDocumentConfiguration()
	configuration.TransformSiblingRefs = false
	parsed, err := libopenapi.NewDocumentWithConfiguration(document, configuration)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	// sources may have any keys; paths write those with a dot in brackets. OpenAPI does
	// not describe the content headers of HTTP.
	strict, errs := validator.NewValidator(parsed, config.WithFormatAssertions(), config.WithStrictMode(),
		config.WithStrictIgnorePaths("$.body.sources.**", "$.body.sources[**"),
		config.WithStrictIgnoredHeadersExtra("X-Content-Type-Options", "Content-Type", "Content-Length", "Content-Encoding", "Date"))
	if len(errs) > 0 {
		return nil, fmt.Errorf("build the OpenAPI document: %w", errors.Join(errs...))
	}
	lenient, errs := validator.NewValidator(parsed, config.WithFormatAssertions())
	if len(errs) > 0 {
		return nil, fmt.Errorf("build the OpenAPI document: %w", errors.Join(errs...))
	}
	if ok, validationErrors := strict.ValidateDocument(); !ok {
		var errs []error
		for _, e := range validationErrors {
			errs = append(errs, e)
			for _, s := range e.SchemaValidationErrors {
				errs = append(errs, errors.New(s.Reason))
			}
		}
		return nil, fmt.Errorf("the document is not OpenAPI 3.1: %w", errors.Join(errs...))
	}
	d := &Document{strict: strict, lenient: lenient}
	if d.base, err = baseURL(document); err != nil {
		return nil, err
	}
	if d.problem, err = problemSchema(document); err != nil {
		return nil, err
	}
	return d, nil
}

func baseURL(document []byte) (*url.URL, error) {
	var parsed struct {
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal(document, &parsed); err != nil || len(parsed.Servers) == 0 {
		return nil, fmt.Errorf("the OpenAPI document names no server: %v", err)
	}
	return url.Parse(parsed.Servers[0].URL)
}

// problemSchema compiles the document's schema of problem details. It is for answers at
// paths that the document does not describe.
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

// Check returns everything that is wrong with an answer, or nil. At a path that the
// document describes, status, content type, body and headers must match it. Below /api/,
// every error must be problem details (contract 5) and every answer must have the headers
// of contract 7. Other answers pass. Check restores the body that it reads.
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
	case request.Method == http.MethodHead || response.StatusCode == http.StatusNotModified || response.StatusCode == http.StatusNoContent:
		if len(body) > 0 {
			errs = append(errs, fmt.Errorf("a body of %d bytes where there must be none", len(body)))
		}
	case response.StatusCode >= 400:
		errs = append(errs, d.checkProblem(response, body)...)
	}
	if described, ok := describedPath(path); ok && request.Method == http.MethodGet {
		errs = append(errs, d.checkDescribed(described, response, body)...)
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s answered %d: %w\nbody: %.300s", request.Method, request.URL, response.StatusCode, errors.Join(errs...), body)
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

// describedPath returns a path of the document's operation for a path, and whether there
// is one.
func describedPath(path string) (string, bool) {
	switch path {
	case api.PathProjects, api.PathSearch, api.PathOpenAPI:
		return path, true
	}
	slug, ok := strings.CutPrefix(path, api.PathProjects+"/")
	if !ok || slug == "" || strings.Contains(slug, "/") || strings.HasSuffix(slug, ".json") {
		return "", false
	}
	// One slug stands for all, because the validator does not handle unusual ones.
	return api.PathProjects + "/some-project", true
}

func (d *Document) checkDescribed(path string, response *http.Response, body []byte) []error {
	request, err := http.NewRequest(http.MethodGet, d.base.String()+path, nil)
	if err != nil {
		return []error{err}
	}
	copied := *response
	copied.Body = io.NopCloser(bytes.NewReader(body))
	copied.Header = encodeHeaders(response.Header)
	copied.Header.Del("Content-Encoding") // the body is decoded
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.strict
	if path == api.PathOpenAPI { // the document does not describe OpenAPI documents in full
		v = d.lenient
	}
	_, validationErrors := v.ValidateHttpResponse(request, &copied)
	var errs []error
	for _, e := range validationErrors {
		errs = append(errs, e)
		for _, s := range e.SchemaValidationErrors {
			errs = append(errs, fmt.Errorf("%s: %s", s.FieldPath, s.Reason))
		}
	}
	return errs
}

// encodeHeaders encodes header values as JSON strings, because the validator decodes them
// as JSON: an ETag would lose its quotes, and a request id of digits would be a number. It
// leaves Content-Type, which the validator does not decode, and Retry-After, a number.
func encodeHeaders(headers http.Header) http.Header {
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
	var errs []error
	if p.Status != response.StatusCode {
		errs = append(errs, fmt.Errorf("the problem's status is %d", p.Status))
	}
	if want := strings.TrimRight(d.base.String(), "/") + "/problems/" + p.Code + "/"; p.Type != want {
		errs = append(errs, fmt.Errorf("the problem's type is %s and not %s", p.Type, want))
	}
	return errs
}

// checkHeaders checks the headers of every answer below /api/ (contract 6 and 7), whether
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
