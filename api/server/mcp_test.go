package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/mcp"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/site"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Messages as clients send them.
const (
	callSearch    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":{"q":"lantern"}}}`
	readLantern   = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://projects/paper-lantern-1"}}`
	listTools     = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	sayInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	pinged        = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

// message posts a message; headers are pairs of name and value, and replace those
// that clients send.
func (f *fixture) message(body string, headers ...string) reply {
	f.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header[http.CanonicalHeaderKey(headers[i])] = []string{headers[i+1]}
	}
	return f.send(r)
}

// toolAnswer is the answer to a call of a tool, or the error of the protocol.
type toolAnswer struct {
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	Error *struct {
		Code int
		Data api.ToolProblem
	}
}

// problem is that of a tool that failed.
func (a *toolAnswer) problem(t testing.TB) api.ToolProblem {
	t.Helper()
	var p api.ToolProblem
	if err := json.Unmarshal(a.Result.StructuredContent, &p); err != nil || !a.Result.IsError {
		t.Fatalf("no tool failed: %v", err)
	}
	return p
}

// keyed sends headers with each request.
type keyed struct {
	headers   map[string]string
	transport http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range k.headers {
		r.Header.Set(name, value)
	}
	return k.transport.RoundTrip(r)
}

// connectMCP connects the SDK's client to a server, with headers of the test.
func connectMCP(ctx context.Context, address string, headers map[string]string) (*sdk.ClientSession, error) {
	transport := &http.Transport{}
	context.AfterFunc(ctx, transport.CloseIdleConnections)
	return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: address + "/mcp", HTTPClient: &http.Client{Transport: keyed{headers, transport}}, MaxRetries: -1,
	}, nil)
}

// The SDK's client does all there is to do over real HTTP.
func TestMCPWithTheSDKsClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	site := httptest.NewServer(f.server.Handler())
	defer site.Close()
	c, err := connectMCP(t.Context(), site.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // there is nothing to end
	if info := c.InitializeResult(); !strings.HasPrefix(info.Instructions, "Catalog: ") || info.ServerInfo.Title != "Catalog" {
		t.Errorf("it says of itself %+v", info)
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != len(api.ToolNames) {
		t.Fatalf("%+v %v", tools, err)
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolSearch, Arguments: map[string]any{"q": "lantern", "limit": 3}})
	if err != nil || r.IsError {
		t.Fatalf("%+v %v", r, err)
	}
	one, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolProject, Arguments: map[string]any{"slug": "paper-lantern-2"}})
	if err != nil || one.IsError {
		t.Fatalf("%+v %v", one, err)
	}
	page, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "catalog://projects/paper-lantern-1"})
	if err != nil || page.Contents[0].Text != "# Paper Lantern 1" {
		t.Fatalf("%+v %v", page, err)
	}
	guide, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "catalog://llms.txt"})
	if err != nil || guide.Contents[0].Text != publicFiles["llms.txt"] {
		t.Fatalf("%+v %v", guide, err)
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: mcp.PromptShortlist, Arguments: map[string]string{"job": "draw"}}); err != nil {
		t.Error(err)
	}
	for _, want := range []struct {
		series string
		value  float64
	}{
		{`catalog_mcp_calls_total{call="search_catalog",outcome="ok"}`, 1}, {`catalog_mcp_calls_total{call="get_project",outcome="ok"}`, 1},
		{`catalog_mcp_calls_total{call="resource",outcome="ok"}`, 2}, {`catalog_mcp_calls_total{call="unknown",outcome="wrong"}`, 0}, {`catalog_searches_total`, 1},
	} {
		if got := f.value(t, want.series); got != want.value {
			t.Errorf("%s is %v, want %v", want.series, got, want.value)
		}
	}
	if !strings.Contains(f.log.String(), "path=/mcp status=200 route=mcp") {
		t.Errorf("the log is %s", f.log)
	}
}

// Every request counts like one of the API, whatever it asks for.
func TestMCPCountsEveryRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute, o.Settings.SandboxPerMinute = 3, 5 })
	for i, text := range []string{listTools, sayInitialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		r := f.message(text)
		if r.status != 200 && r.status != 202 {
			t.Fatalf("%d: %s", r.status, r.body)
		}
		r.expect(t, "RateLimit", fmt.Sprintf(`"anonymous";r=%d;t=60`, 2-i))
	}
	for _, text := range []string{listTools, sayInitialize, pinged} {
		if a := decode[toolAnswer](t, f.message(text)); a.Error == nil || a.Error.Data.Code != "rate-limited" || a.Error.Data.RetryAfter != 60 {
			t.Errorf("with nothing left, %s is answered %+v", text, a)
		}
	}
	f.clock.pass(2 * ratestore.Window)
	f.message("garbage").expect(t, "RateLimit", `"anonymous";r=2;t=60`)
	f.get("/mcp").expect(t, "RateLimit", `"anonymous";r=1;t=60`)
	f.do("OPTIONS", "/mcp").expect(t, "RateLimit", "")
	f.clock.pass(2 * ratestore.Window)
	f.message(callSearch).expect(t, "RateLimit", `"anonymous";r=2;t=60`)
	f.message(readLantern).expect(t, "RateLimit", `"anonymous";r=1;t=60`)
	f.get("/api/v1/search").expect(t, "RateLimit", `"anonymous";r=0;t=60`) // one allowance for both doors
	f.clock.pass(20 * time.Second)

	r := f.message(callSearch)
	r.expect(t, "RateLimit", `"anonymous";r=0;t=40`)
	r.expect(t, "RateLimit-Policy", `"anonymous";q=3;w=60`)
	r.expect(t, "Retry-After", "40")
	r.expect(t, "Cache-Control", "no-store")
	refused := decode[toolAnswer](t, r)
	p := refused.problem(t)
	if r.status != 200 || p.Code != "rate-limited" || p.RetryAfter != 40 || !strings.Contains(refused.Result.Content[0].Text, "Try again in 40 seconds") {
		t.Errorf("%d %+v", r.status, p)
	}
	r = f.message(readLantern)
	if a := decode[toolAnswer](t, r); a.Error == nil || a.Error.Data.RetryAfter != 40 || a.Error.Data.Code != "rate-limited" {
		t.Errorf("%s", r.body)
	}
	if got := f.value(t, `catalog_allowance_rejections_total{policy="anonymous"}`); got != 3+2 {
		t.Errorf("%v rejections", got)
	}
	if got := f.value(t, `catalog_mcp_calls_total{call="search_catalog",outcome="refused"}`); got != 1 {
		t.Errorf("%v refusals", got)
	}

	f.message(callSearch, "X-Api-Key", "catalog-sandbox").expect(t, "RateLimit", `"sandbox";r=4;t=60`)
	f.message(callSearch, "Authorization", "Bearer catalog-sandbox").expect(t, "RateLimit", `"sandbox";r=3;t=60`)
	// A list is answered by none of its calls, and is one request.
	batch := f.message("["+callSearch+","+callSearch+"]", "X-Api-Key", "catalog-sandbox")
	batch.expect(t, "RateLimit", `"sandbox";r=2;t=60`)
	if batch.status != 400 || strings.Contains(batch.body, "Lantern") {
		t.Errorf("a batch is answered %d %s", batch.status, batch.body)
	}

	f.clock.pass(2 * ratestore.Window)
	for _, headers := range [][]string{{"X-Api-Key", "nope"}, {"Authorization", "Bearer nope"}, {"X-Api-Key", "catalog-sandbox", "Authorization", "Bearer nope"}} {
		r := f.message(listTools, headers...)
		if problem := decode[api.Problem](t, r); r.status != 401 || problem.Code != "unknown-key" {
			t.Errorf("%v: %d %s", headers, r.status, r.body)
		}
		r.expect(t, "WWW-Authenticate", "Bearer")
	}
	f.get("/api/v1/search").expect(t, "RateLimit", `"anonymous";r=0;t=60`) // the first after three wrong keys has no more
}

// A page of another site reaches nothing, by whatever name it got here.
func TestMCPOrigins(t *testing.T) {
	t.Parallel()
	origins := func(list string) func(*options) {
		parsed, err := ParseOrigins(list)
		if err != nil {
			t.Fatal(err)
		}
		return func(o *options) {
			o.MCPOrigins, o.Settings.BaseURL, o.Settings.SearchURL = parsed, "https://Catalog.example:443/tools", "https://search.example"
		}
	}
	f, listed, open := newFixture(t, origins("")), newFixture(t, origins("https://app.example, http://[2001:db8::1]:81")), newFixture(t, origins("*"))
	for _, test := range []struct {
		name         string
		f            *fixture
		host, origin string
		allowed      bool
	}{
		{"no browser", f, "catalog.example", "", true},
		{"its own pages", f, "catalog.example", "https://catalog.example", true},
		{"its own pages, behind a proxy", f, "10.0.0.7:8080", "https://catalog.example", true},
		{"its own pages, with the port", f, "catalog.example", "https://catalog.example:443", true},
		{"the search server's", f, "search.example", "https://search.example", true},
		{"by a name of the loopback", f, "localhost:9000", "http://localhost:9000", true},
		{"by an address of the loopback", f, "127.0.0.1:9000", "http://127.0.0.1:9000", true},
		{"by IPv6", f, "[::1]:9000", "http://[::1]:9000", true},
		{"another site", f, "catalog.example", "https://elsewhere.example", false},
		{"another site on the loopback", f, "localhost:9000", "https://elsewhere.example", false},
		{"another port of the loopback", f, "localhost:9000", "http://localhost:9001", false},
		{"DNS rebinding", f, "evil.example:9000", "http://evil.example:9000", false},
		{"a name that only looks like the loopback", f, "localhost.evil.example", "http://localhost.evil.example", false},
		{"another scheme", f, "catalog.example", "http://catalog.example", false},
		{"a name below", f, "catalog.example", "https://sub.catalog.example", false},
		{"a name behind", f, "catalog.example", "https://catalog.example.evil.example", false},
		{"a sandboxed page", f, "catalog.example", "null", false},
		{"garbage", f, "catalog.example", "%zz", false},
		{"a path", f, "catalog.example", "https://catalog.example/", false},
		{"a listed one", listed, "catalog.example", "https://app.example", true},
		{"a listed one in other letters", listed, "catalog.example", "HTTPS://APP.example", true},
		{"a listed address", listed, "catalog.example", "http://[2001:db8::1]:81", true},
		{"one that is not listed", listed, "catalog.example", "https://app2.example", false},
		{"any", open, "catalog.example", "https://elsewhere.example", true},
		{"null with any", open, "catalog.example", "null", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			headers := []string{"Host", test.host}
			if test.origin != "" {
				headers = append(headers, "Origin", test.origin)
			}
			r := test.f.message(callSearch, headers...)
			want := 200
			if !test.allowed {
				want = 403
				if problem := decode[api.Problem](t, r); problem.Code != "origin-refused" || strings.Contains(r.body, "Lantern") {
					t.Errorf("%s", r.body)
				}
				r.expect(t, "Access-Control-Allow-Origin", "")
				r.expect(t, "RateLimit", "") // nobody pays for what another site does
			}
			if r.status != want {
				t.Errorf("%d: %.200s", r.status, r.body)
			}
			r.expect(t, "Vary", "Origin")
			switch {
			case test.allowed && test.f == open:
				r.expect(t, "Access-Control-Allow-Origin", "*")
			case test.allowed && test.origin != "":
				r.expect(t, "Access-Control-Allow-Origin", test.origin)
				r.expect(t, "Access-Control-Expose-Headers", "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
			}
		})
	}
	below := httptest.NewRequest(http.MethodPost, "/tools/mcp", strings.NewReader(listTools)) // the base address has a path
	below.Header["Content-Type"], below.Header["Accept"] = []string{"application/json"}, []string{"*/*"}
	if r := f.send(below); r.status != 200 {
		t.Errorf("below the base address: %d", r.status)
	}
	two := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(callSearch))
	two.Header["Origin"] = []string{"https://catalog.example", "https://elsewhere.example"}
	if r := f.send(two); r.status != 403 {
		t.Errorf("two origins: %d", r.status)
	}
	preflight := f.do(http.MethodOptions, "/mcp", "Origin", "https://catalog.example", "Access-Control-Request-Method", "POST")
	if preflight.status != 204 {
		t.Errorf("the preflight is answered %d", preflight.status)
	}
	preflight.expect(t, "Access-Control-Allow-Origin", "https://catalog.example")
	preflight.expect(t, "Access-Control-Allow-Methods", "POST, OPTIONS")
	preflight.expect(t, "Access-Control-Allow-Headers", mcpRequestHeaders)
	if r := f.do(http.MethodOptions, "/mcp", "Origin", "https://elsewhere.example"); r.status != 403 {
		t.Errorf("the preflight of another site is answered %d", r.status)
	}
}

func TestParseOrigins(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"app.example", "https://", "https://app.example/x", "https://app.example/", "ftp://app.example", "null", "https://a.example https://b.example", "https://*.example\x00", "https://u@app.example", "https://app.example?"} {
		if o, err := ParseOrigins(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, o)
		}
	}
	o, err := ParseOrigins(" https://App.example:443 ,,http://b.example:80,http://c.example:8080")
	if want := "https://app.example http://b.example http://c.example:8080"; err != nil || o.any || strings.Join(o.list, " ") != want {
		t.Errorf("%+v %v", o, err)
	}
}

// What is no message of the protocol is refused, in a bounded way, and the next
// one is answered.
func TestMCPMessages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute = 1000 })
	many := func(n int) string { return "[" + strings.Repeat(pinged+",", n-1) + pinged + "]" }
	for _, test := range []struct {
		name, body string
		headers    []string
		status     int
		says       string
	}{
		{"a list", listTools, nil, 200, "search_catalog"},
		{"a version", listTools, []string{"MCP-Protocol-Version", "2025-11-25"}, 200, "search_catalog"},
		{"the first version", listTools, []string{"MCP-Protocol-Version", "2024-11-05"}, 200, "search_catalog"},
		{"an unknown version", listTools, []string{"MCP-Protocol-Version", "2020-01-01"}, 400, "Unsupported protocol version"},
		{"no version", listTools, []string{"MCP-Protocol-Version", "x\x7f"}, 400, ""},
		{"a version to come", listTools, []string{"MCP-Protocol-Version", "2999-01-01"}, 400, ""},
		{"a version that the body lacks", listTools, []string{"MCP-Protocol-Version", "2026-07-28"}, 400, ""},
		{"a session that there is not", listTools, []string{"Mcp-Session-Id", "abc"}, 200, "search_catalog"},
		{"a stream that there is not", listTools, []string{"Last-Event-ID", "abc"}, 400, ""},
		{"nothing", "", nil, 400, ""},
		{"no JSON", "hello", nil, 400, ""},
		{"half of a message", callSearch[:40], nil, 400, ""},
		{"bytes", "\x00\xff\xfe", nil, 400, ""},
		{"depth", strings.Repeat("[", 60000), nil, 400, ""},
		{"depth in arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":` + strings.Repeat(`{"q":`, 900) + "1" + strings.Repeat("}", 900) + `}}`, nil, 200, "invalid-parameter"},
		{"more depth in arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":` + strings.Repeat(`{"q":`, 9000) + "1" + strings.Repeat("}", 9000) + `}}`, nil, 400, "depth"},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"catalog/drop"}`, nil, 400, ""},
		{"no id", `{"jsonrpc":"2.0","method":"tools/list"}`, nil, 400, ""},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 400, ""},
		{"params that are null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, nil, 200, `"error"`},
		{"params of another kind", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, nil, 200, `"error"`},
		{"null", "null", nil, 400, "the message is not a JSON object: send one with jsonrpc"},
		{"a beginning without params", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, nil, 200, `"code":-32602,"message":"params of initialize must be a JSON object"`},
		{"a beginning with other params", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[1]}`, nil, 200, `"code":-32602,"message":"params of initialize must be a JSON object"`},
		{"a cursor of another kind", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, nil, 200, `"message":"cursor of tools/list must be a string"`},
		{"a version of another kind", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil, 200, `"code":-32602,"message":"protocolVersion of initialize must be a string"`},
		{"a client's name of another kind", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":5}}}`, nil, 200, `"code":-32602,"message":"clientInfo.name of initialize must be a string"`},
		{"capabilities of another kind", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":"x"}}`, nil, 200, `"message":"capabilities of initialize must be an object"`},
		{"other data of another kind", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}`, nil, 200, `"code":-32602,"message":"_meta of ping must be an object"`},
		{"what to complete of another kind", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":"x"}}`, nil, 200, `"code":-32602,"message":"ref of completion/complete must be an object"`},
		{"a reference that is none", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"x"}}}`, nil, 200, `"message":"params of completion/complete are not as the protocol has them"`},
		{"a method of another kind", `{"jsonrpc":"2.0","id":1,"method":["ping"]}`, nil, 400, `"id":1,"error":{"code":-32600,"message":"the method must be a string"`},
		{"a method that is null", `{"jsonrpc":"2.0","id":1,"method":null}`, nil, 400, "the method must be a string"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, nil, 400, `"id":1,"error":{"code":-32600,"message":"the message has no method"`},
		{"another JSON-RPC", `{"jsonrpc":2,"id":1,"method":"ping"}`, nil, 400, `"id":1,"error":{"code":-32600,"message":"jsonrpc must be \"2.0\""`},
		{"an error of another kind", `{"jsonrpc":"2.0","id":1,"error":5}`, nil, 400, `"id":1,"error":{"code":-32600,"message":"the message is not as JSON-RPC 2.0 has it"`},
		{"arguments of a prompt of another kind", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x","arguments":{"job":5}}}`, nil, 200, `"message":"the arguments of a prompt must be strings"`},
		{"a long method", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 2000) + `"}`, nil, 400, `"message":"the method has 2000 characters: at most 1000 are allowed"`},
		{"a long name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 2000) + `"}}`, nil, 200, `"message":"name of tools/call has 2000 characters: at most 1000 are allowed"`},
		{"a client that takes JSON only", listTools, []string{"Accept", "application/json"}, 200, "search_catalog"},
		{"a client that says nothing", listTools, []string{"Accept", ""}, 200, "search_catalog"},
		{"a client that takes streams only", listTools, []string{"Accept", "text/event-stream"}, 200, "search_catalog"},
		{"an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, nil, 200, "unknown tool"},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		{"a batch", many(2), nil, 400, "batches are not supported: send each message by itself"},
		{"a batch of the version that has them", many(1), []string{"MCP-Protocol-Version", "2025-03-26"}, 400, `"code":-32600`},
		{"an empty batch", "[]", nil, 400, "batches"},
		{"a batch with a byte behind it", many(17) + "x", nil, 400, `"code":-32700`},
		{"a call with a byte behind it", callSearch + "x", nil, 400, "the message has more text after its JSON value, at byte 110: send one JSON object at a time"},
		{"two calls", callSearch + "\n" + callSearch, nil, 400, "one JSON object at a time"},
		{"white space around it", " \r\n\t" + pinged + " \r\n\t", nil, 200, "result"},
		{"a byte order mark", "\ufeff" + pinged, nil, 400, `"code":-32700`},
		{"an invalid character in a text", strings.Replace(callSearch, "lantern", "lan\xfftern", 1), nil, 400, "UTF-8"},
		{"a text", `"ping"`, nil, 400, "not a JSON object"},
		{"an address that is none", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://\u0001\""}}`, nil, 200, "Resource not found"},
		{"a prompt that is none", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"\u0001\""}}`, nil, 200, `"error"`},
		{"a tool that is none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0001\""}}`, nil, 200, `"error"`},
		{"a completion", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"shortlist"},"argument":{"name":"job","value":"x"}}}`, nil, 200, `"error"`},
		{"a level of logging", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, nil, 200, ""},
		{"a subscription", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"catalog://llms.txt"}}`, nil, 200, `"error"`},
		{"another type", listTools, []string{"Content-Type", "text/plain"}, 415, ""},
		{"a form", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "-32600"},
		{"a client that takes nothing", listTools, []string{"Accept", "text/html"}, 400, "Accept"},
		{"the largest", listTools + strings.Repeat(" ", mcp.MaxMessage-len(listTools)), nil, 200, "search_catalog"},
		{"larger than the largest", listTools + strings.Repeat(" ", mcp.MaxMessage-len(listTools)+1), nil, 413, "body-too-large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := f.message(test.body, test.headers...)
			if r.status != test.status || !strings.Contains(r.body, test.says) {
				t.Errorf("%d: %.300s", r.status, r.body)
			}
			r.expect(t, "X-Content-Type-Options", "nosniff")
			if r.status >= 400 && !json.Valid([]byte(r.body)) {
				t.Errorf("the answer is no JSON: %.300s", r.body)
			}
			if len(r.body) > 64<<10 {
				t.Errorf("the answer has %d bytes", len(r.body))
			}
			if next := f.message(pinged); next.status != 200 {
				t.Errorf("after it, %d: %s", next.status, next.body)
			}
		})
	}
	// What the protocol has words for is told in them.
	for message, want := range map[string]string{
		"hello":                          `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`,
		`{"id":7,"method":"tools/list"}`: `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":"a","method":"catalog/drop"}`:     `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"catalog/drop"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		// An id comes back as it was sent, or not at all.
		`{"jsonrpc":"2.0","id":9007199254740991,"method":"drop"}`:   `{"jsonrpc":"2.0","id":9007199254740991,"error":{"code":-32601,`,
		`{"jsonrpc":"2.0","id":-9007199254740991,"method":"drop"}`:  `{"jsonrpc":"2.0","id":-9007199254740991,"error":{"code":-32601,`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:   `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id 9007199254740993 cannot be repeated exactly: use a string, or a whole number from -9007199254740991 to 9007199254740991 without`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`:                `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:               `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:               `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`:           `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"drop\"}": `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`,
	} {
		if r := f.message(message); r.status != 400 || !strings.HasPrefix(r.body, want) {
			t.Errorf("%s is answered %d %s", message, r.status, r.body)
		}
	}
	for _, id := range []string{"0", "-1", "9007199254740991", `""`, `"é\u0001"`, `"` + strings.Repeat("a", 1000) + `"`} {
		if r := f.message(strings.Replace(pinged, "1", id, 1)); r.status != 200 || !strings.Contains(r.body, `"id":`+id+`,`) {
			t.Errorf("the id %s is answered %d %s", id, r.status, r.body)
		}
	}
	for _, method := range []string{"GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE"} {
		r := f.do(method, "/mcp")
		if r.status != 405 {
			t.Errorf("%s: %d", method, r.status)
		}
		r.expect(t, "Allow", "POST, OPTIONS")
	}
	if got := f.value(t, "catalog_http_panics_total"); got != 0 {
		t.Errorf("%v panics", got)
	}
	if strings.Contains(f.log.String(), "level=ERROR") {
		t.Errorf("the log has faults: %s", f.log)
	}
}

// The newest protocol has no handshake: each message tells what it needs.
func TestMCPWithoutAHandshake(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	headers := func(method, name string) []string {
		list := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
		if name != "" {
			list = append(list, "Mcp-Name", name)
		}
		return list
	}
	r := f.message(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`, headers("server/discover", "")...)
	if r.status != 200 || !strings.Contains(r.body, "Read-only.") || !strings.Contains(r.body, `"title":"Catalog"`) {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r = f.message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":{"q":"lantern"},`+meta+`}}`, headers("tools/call", "search_catalog")...)
	if r.status != 200 || !strings.Contains(r.body, "Paper Lantern 1") {
		t.Errorf("%d: %s", r.status, r.body)
	}
	// A subscription would be held open; there is nothing to tell, and it ends.
	r = f.message(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["catalog://llms.txt"]},`+meta+`}}`, headers("subscriptions/listen", "")...)
	if r.status != 200 || strings.Contains(r.body, "toolsListChanged") {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r = f.message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":{},`+meta+`}}`, headers("tools/call", "get_project")...)
	if r.status != 400 {
		t.Errorf("a name that differs from the header's: %d: %s", r.status, r.body)
	}
}

// answersTo writes bytes to a server and reads answers until the connection ends
// or n have come.
func answersTo(t *testing.T, address, bytes string, n int) (statuses []int, closed bool) {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }() // nothing more is sent
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, bytes); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(connection)
	for len(statuses) < n {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return statuses, true
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		statuses, closed = append(statuses, response.StatusCode), response.Close
		if closed {
			break
		}
	}
	return statuses, closed
}

// A connection is only kept if its message was read to the end. The rest of a half-read
// body could be parsed as another request.
func TestMCPConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	site := httptest.NewServer(f.server.Handler())
	defer site.Close()
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
	whole := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(listTools), listTools)
	for _, test := range []struct {
		name, bytes string
		answers     int
		want        string
	}{
		{"messages one after another", whole + whole + whole, 3, "[200 200 200] false"},
		{"a message in chunks", head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(listTools), listTools) + whole, 2, "[200] true"},
		{"a message that is announced as too large", head + "Content-Length: 70000\r\n\r\n" + strings.Repeat(" ", 70000) + whole, 2, "[413] true"},
		{"one that turns out to be", head + "Transfer-Encoding: chunked\r\n\r\n11170\r\n" + strings.Repeat(" ", 70000) + "\r\n0\r\n\r\n" + whole, 2, "[413] true"},
		{"a wrong key", strings.Replace(whole, "Accept:", "X-Api-Key: nope\r\nAccept:", 1) + whole, 2, "[401] true"},
		{"another site", strings.Replace(whole, "Accept:", "Origin: http://elsewhere.example\r\nAccept:", 1) + whole, 2, "[403] true"},
		{"a length and chunks", head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + whole, 2, "[400] true"},
		{"a body of another path", strings.Replace(whole, "/mcp", "/api/v1/search", 1) + whole, 2, "[405] true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			statuses, closed := answersTo(t, site.URL, test.bytes, test.answers)
			if got := fmt.Sprintf("%v %v", statuses, closed); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	// One that is cut short costs nothing but itself.
	connection, err := net.Dial("tcp", strings.TrimPrefix(site.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, head+"Content-Length: 500\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil || response.StatusCode != 400 || !response.Close {
		t.Errorf("%+v %v", response, err)
	}
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	if used := f.server.messages.bodies.used.Load(); used != 0 {
		t.Errorf("%d bytes of messages are not given back", used)
	}
}

// Messages that are being read have bounds of their own, and take no slot.
func TestMCPBodiesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.server.messages.bodies.most = firstRead
	site := httptest.NewServer(f.server.Handler())
	defer site.Close()
	slow, sender := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL+"/mcp", slow)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "*/*")
	answered := make(chan error, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			err = response.Body.Close()
			if response.StatusCode != 200 {
				err = errors.Join(err, fmt.Errorf("the slow one is answered %d", response.StatusCode))
			}
		}
		answered <- err
	}()
	if _, err := io.WriteString(sender, listTools[:5]); err != nil {
		t.Fatal(err)
	}
	// It is there once it has taken its memory.
	for deadline := time.Now().Add(patience); f.server.messages.bodies.used.Load() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the slow one does not come")
		}
		<-time.After(time.Millisecond)
	}
	if used := f.server.slots.used.Load(); used != 0 {
		t.Errorf("%d slots are held", used)
	}
	r := f.message(listTools)
	if r.status != 503 || decode[api.Problem](t, r).Code != "overloaded" {
		t.Errorf("%d: %s", r.status, r.body)
	}
	r.expect(t, "Retry-After", "1")
	if got := f.value(t, `catalog_http_overloaded_total{reason="bodies"}`); got != 1 {
		t.Errorf("%v are turned away", got)
	}
	if _, err := io.WriteString(sender, listTools[5:]); err != nil {
		t.Fatal(err)
	}
	if err := sender.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if r := f.message(listTools); r.status != 200 {
		t.Errorf("afterwards %d", r.status)
	}
	f.server.slots.most = 0
	if r := f.message(listTools); r.status != 503 {
		t.Errorf("without slots %d", r.status)
	}
}

// Twenty clients ask while one build after another is put in place: no answer
// fails, and none is of two builds.
func TestMCPReload(t *testing.T) {
	t.Parallel()
	const clients, builds, calls = 20, 6, 5
	public := t.TempDir() + "/public"
	put := func(n int) {
		c, files := numbered(n)
		files["projects/paper-lantern-1/index.html.md"] = fmt.Sprintf("build %d", n)
		writeBuild(t, public, c, files)
	}
	put(1)
	s, log := newBuilt(t, public, nil)
	site := httptest.NewServer(s.Handler())
	defer site.Close()
	var asking sync.WaitGroup
	var answers, newest atomic.Int64
	ready := make(chan struct{}, clients)
	for range clients {
		asking.Go(func() {
			c, err := connectMCP(t.Context(), site.URL, nil)
			if err != nil {
				t.Error(err)
				ready <- struct{}{}
				return
			}
			defer func() { _ = c.Close() }() // there is nothing to end
			ready <- struct{}{}
			for done := 0; done < calls || newest.Load() < builds; done++ {
				n, err := askBuild(t.Context(), c)
				if err != nil {
					t.Error(err)
					return
				}
				answers.Add(1)
				for seen := newest.Load(); int64(n) > seen && !newest.CompareAndSwap(seen, int64(n)); seen = newest.Load() {
				}
			}
		})
	}
	for range clients {
		<-ready
	}
	for n := 2; n <= builds; n++ {
		put(n)
		if err := s.Reload(); err != nil {
			t.Error(err)
		}
	}
	asking.Wait()
	t.Logf("%d answers over %d builds", answers.Load(), builds)
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log has faults: %s", log)
	}
}

// askBuild calls a tool and returns the build that answered, which all parts of the
// answer must name.
func askBuild(ctx context.Context, c *sdk.ClientSession) (n int, err error) {
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: api.ToolSearch, Arguments: map[string]any{"q": "extra", "limit": 50, "view": "full"}})
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return 0, err
	}
	var list api.Shortlist
	if err := json.Unmarshal(body, &list); err != nil || r.IsError || len(list.Hits) == 0 {
		return 0, fmt.Errorf("%w: %s", err, body)
	}
	n = list.Total // a build has as many as its number
	text := r.Content[0].(*sdk.TextContent).Text
	if want := fmt.Sprintf("of %d listing", n); !strings.Contains(text, want) || strings.Count(text, fmt.Sprintf("build %d.", n)) != len(list.Hits) {
		return 0, fmt.Errorf("%d hits of %d, and the text is %s", len(list.Hits), n, text)
	}
	for _, h := range list.Hits {
		if !strings.HasSuffix(h.Purpose, fmt.Sprintf("build %d.", n)) {
			return 0, fmt.Errorf("%d hits, one of which is %s", n, h.Purpose)
		}
	}
	return n, nil
}

// A fault of ours tells its id and nothing else, and the server lives.
func TestMCPFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	e := f.server.current()
	whole := e.MCP
	e.MCP = &mcp.Snapshot{} // without tools
	r := f.message(callSearch, "X-Request-Id", "abc-1")
	a := decode[toolAnswer](t, r)
	if p := a.problem(t); r.status != 200 || p.Code != "internal" || p.RequestID != "abc-1" || strings.Contains(r.body, "index out of range") {
		t.Errorf("%d %s", r.status, r.body)
	}
	e.MCP = whole
	if !strings.Contains(f.log.String(), "index out of range") {
		t.Errorf("the log is %s", f.log)
	}
	if got := f.value(t, "catalog_http_panics_total"); got != 1 {
		t.Errorf("%v panics", got)
	}
	if r := f.message(callSearch); r.status != 200 || strings.Contains(r.body, "isError") {
		t.Errorf("%d: %s", r.status, r.body)
	}
}

// Answers are compressed for clients that take it.
func TestMCPAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	plain := f.message(callSearch)
	plain.expect(t, "Content-Encoding", "")
	small := f.message(callSearch, "Accept-Encoding", "gzip")
	small.expect(t, "Content-Encoding", "gzip")
	if len(small.body) >= len(plain.body) {
		t.Errorf("%d bytes are %d", len(plain.body), len(small.body))
	}
}

// On standard input there is no allowance, and a client that closes it ends the
// server.
func TestRunMCP(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute = 1 })
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- f.server.RunMCP(t.Context(), in, out) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolSearch, Arguments: map[string]any{}})
		if err != nil || r.IsError {
			t.Fatalf("%+v %v", r, err)
		}
	}
	_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "rm"})
	if rpc := (*jsonrpc.Error)(nil); !errors.As(err, &rpc) {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// No bytes break the way of a message.
func FuzzMCPMessage(f *testing.F) {
	for _, seed := range []string{callSearch, readLantern, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://projects/\u0001"}}`, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"shortlist","arguments":{"job":"x"}}}`, listTools, sayInitialize, "[" + pinged + "," + callSearch + "]", callSearch + "x", `{"jsonrpc":"2.0","id":"\ud800","method":"x"}`, `{"jsonrpc":"2.0","id":{},"method":""}`, `{"jsonrpc":"2.0","id":1e99,"method":"tools/call","params":{"name":"get_project","arguments":{"slug":"x"}}}`} {
		f.Add(seed, "2025-11-25")
	}
	fixture := newFixture(f, nil)
	f.Fuzz(func(t *testing.T, body, version string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header["Content-Type"], r.Header["Accept"], r.Header["Mcp-Protocol-Version"] = []string{"application/json"}, []string{"*/*"}, []string{version}
		w := httptest.NewRecorder()
		fixture.server.Handler().ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		fixture.clock.pass(ratestore.Window)
	})
}

// What a call costs beside the same search by the API.
func BenchmarkMCPSearch(b *testing.B) {
	f := newFixture(b, func(o *options) { o.Settings.AnonymousPerMinute = site.MaxAllowance })
	handler := f.server.Handler()
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(callSearch))
		r.Header["Content-Type"], r.Header["Accept"] = []string{"application/json"}, []string{"*/*"}
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}
