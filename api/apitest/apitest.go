// Package apitest checks answers of the catalog's API against its OpenAPI document. Only
// tests import it.
//
// Parse takes an OpenAPI document from openapi.Document or from a server. It returns a
// Document, which wraps the handler or the transport of a test and checks every answer.
package apitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/klauspost/compress/zstd"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// Document is an OpenAPI document that answers are checked against. Several
// goroutines may use it.
type Document struct {
	base *url.URL // of servers[0]
	spec *openapi3.T
}

// parsedDocuments are the documents that Parse has returned, by their text, because
// tests parse the same few again and again.
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
	if err := spec.Validate(context.Background(), openapi3.EnableMultiError(), openapi3.EnableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("the document is not OpenAPI 3.1: %w", err)
	}
	if len(spec.Servers) == 0 {
		return nil, errors.New("the OpenAPI document names no server")
	}
	base, err := url.Parse(spec.Servers[0].URL)
	if err != nil {
		return nil, fmt.Errorf("read the address of the server: %w", err)
	}
	return &Document{base: base, spec: spec}, nil
}

// closeSchemas changes the schemas in a JSON value: those that name properties allow
// no others. Clients have to ignore properties that they do not know, so the document
// leaves them open, but our own answers may not have any.
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
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s %s answered %d: %w\nbody: %.300s", request.Method, request.URL, response.StatusCode, err, body)
	}
	return nil
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

// describedPath returns the path as the document writes it.
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

// schemaOptions has all errors in one, without the schema in each.
var schemaOptions = []openapi3.SchemaValidationOption{
	openapi3.EnableJSONSchema2020(),
	openapi3.EnableFormatValidation(),
	openapi3.MultiErrors(),
	openapi3.SetSchemaErrorMessageCustomizer(func(err *openapi3.SchemaError) string {
		return "/" + strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
	}),
}

// undescribed are headers that the document need not describe: those of HTTP itself,
// and Cache-Control, which checkHeaders checks.
var undescribed = []string{"Cache-Control", "X-Content-Type-Options", "Content-Type", "Content-Length", "Content-Encoding", "Date"}

func (d *Document) checkDescribed(path string, response *http.Response, body []byte) []error {
	item := d.spec.Paths.Find(path)
	if item == nil || item.Get == nil {
		return []error{fmt.Errorf("the document does not describe GET %s", path)}
	}
	described := item.Get.Responses.Status(response.StatusCode)
	if described == nil {
		return []error{fmt.Errorf("the document does not describe the status %d", response.StatusCode)}
	}
	var errs []error
	names := slices.Concat(undescribed, slices.Collect(maps.Keys(described.Value.Headers)))
	for name := range response.Header {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			errs = append(errs, fmt.Errorf("the document does not describe the header %s", name))
		}
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: http.MethodGet},
			Route:   &routers.Route{Spec: d.spec, PathItem: item, Method: http.MethodGet, Operation: item.Get},
		},
		Status:  response.StatusCode,
		Header:  response.Header,
		Body:    io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{SchemaValidationOptions: schemaOptions},
	})
	return append(errs, err)
}

func (d *Document) checkProblem(response *http.Response, body []byte) []error {
	if got := response.Header.Get("Content-Type"); got != "application/problem+json" {
		return []error{fmt.Errorf("the content type is %q and not application/problem+json", got)}
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return []error{fmt.Errorf("the problem is not JSON: %w", err)}
	}
	schema := d.spec.Components.Schemas["Problem"]
	if schema == nil {
		return []error{errors.New("the document has no schema of problem details")}
	}
	if err := schema.Value.VisitJSON(value, schemaOptions...); err != nil {
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
