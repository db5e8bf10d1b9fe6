// Package mcp is a Model Context Protocol server for agents. It has the tools of api.Tools,
// the Markdown of listings as resources, and a prompt.
//
// Messages arrive by HTTP (Streamable HTTP, without sessions) or on a pair of streams. The server
// answers each from a Snapshot, which is one build as it is served. Names, parameters, checks and
// problems are the same as in the API (package api). The package does not handle keys, rate limits
// or client addresses. The caller can refuse messages with Options.Refusal.
//
//	mcp.go        the server, and what happens to every message
//	tools.go      the tools: arguments in, results out
//	text.go       full results in words
//	plain.go      text of listings without HTML and invisible characters
//	resources.go  the Markdown of listings, in pages
//	message.go    checks messages before the SDK reads them
//	stdio.go      messages on a pair of streams, one a line
//	prompt.go     a prompt for the three steps of a choice
//
// The official Go SDK, here called sdk, implements the protocol itself.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServerName is the name of the server. Registries put the name of its operator before
// it (deploy/server.json).
const ServerName = "catalog"

// MaxMessage bounds a message, in bytes. A search with every parameter takes a tenth of it;
// the rest is for information that clients send about themselves.
const MaxMessage = 64 << 10

// Snapshot is one build that messages are answered from. It never changes.
type Snapshot struct {
	index    *search.Index
	settings site.Settings
	read     func(name string) ([]byte, error)
	tools    []tool
}

// NewSnapshot returns the snapshot of an index and the settings in effect. read returns a file of
// the build output by its name with slashes. Its error is fs.ErrNotExist if the file is missing.
func NewSnapshot(ix *search.Index, settings site.Settings, read func(name string) ([]byte, error)) *Snapshot {
	snap := &Snapshot{index: ix, settings: settings, read: read}
	snap.tools = snap.newTools()
	return snap
}

// Outcome is how a call ended.
type Outcome string

// The ways in which a call ends.
const (
	OutcomeOK      Outcome = "ok"
	OutcomeWrong   Outcome = "wrong"   // wrong arguments, or an unknown tool, listing or resource
	OutcomeRefused Outcome = "refused" // the allowance was used up
	OutcomeFault   Outcome = "fault"   // a fault in the server
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{OutcomeOK, OutcomeWrong, OutcomeRefused, OutcomeFault}

// Names of calls for Options.Observe that are not tools.
const (
	CallResource = "resource" // resources/read
	CallUnknown  = "unknown"  // a tool that does not exist
)

// Calls lists all values of call with which Options.Observe is called.
var Calls = append(slices.Clone(api.ToolNames), CallResource, CallUnknown)

// Options configures a Server. All fields are required.
type Options struct {
	// Snapshot returns the build that answers a message. The context comes from the HTTP request or
	// from Run.
	Snapshot func(context.Context) *Snapshot
	// Refusal returns the problem that answers a message of any kind if the allowance is used up,
	// else nil.
	Refusal func(context.Context) *api.ToolProblem
	// Observe is called after each call; call is one of Calls.
	Observe func(call string, outcome Outcome)
	// Fault gets the cause of a fault, and the stack of a panic. It returns the problem that
	// answers the message, which must not name the cause.
	Fault func(ctx context.Context, cause any, stack []byte) *api.Problem
}

// Server answers messages. Any number of goroutines may use it.
type Server struct {
	o       Options
	sdk     *sdk.Server
	handler http.Handler
}

// New returns a server with these options.
func New(o Options) *Server {
	s := &Server{o: o}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: ServerName, Version: api.InterfaceVersion}, &sdk.ServerOptions{
		// No changes are announced: a client that asks again sees the newest build.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{},
			Prompts: &sdk.PromptCapabilities{}},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs = cacheMillis },
	})
	for _, name := range api.ToolNames {
		// The schemas in tools/list depend on the snapshot: see applySnapshot.
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, s.callTool)
	}
	s.sdk.AddResourceTemplate(projectTemplate(), s.readResource)
	s.sdk.AddResource(guideResource(), s.readResource)
	s.sdk.AddPrompt(&sdk.Prompt{Name: PromptShortlist}, s.shortlist)
	s.sdk.AddReceivingMiddleware(s.receive)
	s.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxMessage,
			// The caller of this package checks Origin. Behind a proxy on the same machine, honest
			// requests have the Host of the public site.
			DisableLocalhostProtection: true,
		})
	return s
}

// cacheMillis is how long clients may cache lists and resources, in milliseconds: as long as
// answers of the API.
const cacheMillis = 60_000

// ServeHTTP answers one message that was sent by POST (Streamable HTTP of MCP 2025-03-26
// and later) and that passed Check. It never streams.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Run answers the messages of one client, each a line of JSON, until the client closes in
// or ctx is cancelled. The error is nil if the client closed in. A malformed line is
// answered with an error of JSON-RPC.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.sdk.Run(ctx, newStdio(in, out))
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("answer messages on standard input: %w", err)
	}
	return err
}

// call is the state of one message while the SDK answers it.
type call struct {
	snapshot *Snapshot
	name     string // one of Calls, or "" for other messages
	outcome  Outcome
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// receive handles every message. It takes a snapshot, passes the message to the SDK, and fills in
// the parts of the result that depend on the snapshot. It recovers from panics, which would end the
// program, because the SDK answers in its own goroutine.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		c := &call{outcome: OutcomeOK, snapshot: s.o.Snapshot(ctx)}
		defer func() {
			if cause := recover(); cause != nil {
				problem := s.o.Fault(ctx, cause, debug.Stack())
				c.outcome = OutcomeFault
				result, err = problemResult(method, c.snapshot, &api.ToolProblem{Problem: *problem})
			}
			if c.name != "" {
				s.o.Observe(c.name, c.outcome)
			}
		}()
		ctx = context.WithValue(ctx, callKey{}, c)
		c.name = observedCall(method, request)
		if refusal := s.o.Refusal(ctx); refusal != nil {
			c.outcome = OutcomeRefused
			return problemResult(method, c.snapshot, refusal)
		}
		offset, err := takeCursor(method, request)
		if err != nil {
			return nil, err
		}
		if result, err = next(ctx, method, request); err == nil {
			applySnapshot(result, c.snapshot, offset)
			return result, nil
		}
		if c.name != "" && c.outcome == OutcomeOK { // the SDK has no such tool or resource
			c.outcome = OutcomeWrong
		}
		if params, ok := request.GetParams().(*sdk.ReadResourceParams); ok && c.outcome == OutcomeWrong {
			err = noResource(params.URI)
		}
		return nil, err
	}
}

// Methods that this package handles by name (MCP, schema).
const (
	methodCallTool      = "tools/call"
	methodReadResource  = "resources/read"
	methodListResources = "resources/list"
)

// observedCall returns the call of a message, one of Calls, or "" for other messages.
func observedCall(method string, request sdk.Request) string {
	switch method {
	case methodReadResource:
		return CallResource
	case methodCallTool:
		params, ok := request.GetParams().(*sdk.CallToolParamsRaw)
		if ok && slices.Contains(Calls, params.Name) && params.Name != CallResource {
			return params.Name
		}
		return CallUnknown
	}
	return ""
}

// applySnapshot fills in the parts of a result that depend on the snapshot.
func applySnapshot(result sdk.Result, snap *Snapshot, offset int) {
	switch r := result.(type) {
	case *sdk.InitializeResult:
		r.ServerInfo, r.Instructions = snap.implementation(), snap.instructions()
	case *sdk.DiscoverResult:
		r.Meta, r.Instructions = sdk.Meta{sdk.MetaKeyServerInfo: snap.implementation()}, snap.instructions()
	case *sdk.ListToolsResult:
		r.Tools = snap.listTools()
	case *sdk.ListPromptsResult:
		r.Prompts = []*sdk.Prompt{shortlistPrompt(snap.settings.Wanted())}
	case *sdk.ListResourcesResult:
		r.Resources, r.NextCursor = snap.resources(offset)
	}
}

// implementation describes the server in the handshakes of old and of new versions of the protocol.
func (snap *Snapshot) implementation() *sdk.Implementation {
	return &sdk.Implementation{
		Name: ServerName, Title: snap.settings.Title, Description: snap.settings.Description,
		Version: api.InterfaceVersion, WebsiteURL: snap.settings.URL("/"),
	}
}

// instructions returns the text that a client may give its model before the first call.
func (snap *Snapshot) instructions() string {
	fetch, unlikely := "Call "+api.ToolProject+" for one listing.", ""
	if api.NamesComputer(snap.index.Parameters()) {
		unlikely = fmt.Sprintf("Leave out what is unlikely to fit; if fewer than %d are left, ask once more with "+
			"limit %d. ", api.ToolLimit, 2*api.ToolLimit)
	}
	return snap.settings.Title + ": " + snap.settings.Description + " Read-only. " +
		strings.Join(snap.index.Taxonomy().Steps(&snap.settings, api.ToolSearch, fetch), " ") +
		" " + api.ToolCompare + " says which suits whom. Ask in " + snap.settings.LanguageName() + ". Pass on links. " +
		snap.ifHas("installLinks", noSteps) +
		unlikely +
		"A null fact is unknown: say so. Brief answers leave out what is unknown or no obstacle. " +
		snap.ifHas("stars", attention) + api.Untrusted
}

// noSteps is part of the instructions if listings have install links; attention is, if they have
// stars.
const (
	noSteps   = "Never invent install steps. "
	attention = "Stars measure attention, not quality. "
)

// ifHas returns a text if listings have a field, and "" otherwise.
func (snap *Snapshot) ifHas(field, text string) string {
	if !snap.settings.Has(field) {
		return ""
	}
	return text
}

// untrustedMeta marks results that contain text of listings. The protocol has no standard key
// for this. A host that knows this key can separate such text from instructions.
func untrustedMeta() sdk.Meta { return sdk.Meta{"example.catalog/untrusted": true} }

// problemResult answers a message with a problem: a tool call with a failed result, any
// other message with an error of the protocol.
func problemResult(method string, snap *Snapshot, p *api.ToolProblem) (sdk.Result, error) {
	if method == methodCallTool {
		return toolProblem(snap, p), nil
	}
	return nil, protocolError(snap, p)
}

// protocolError answers a message that is not a tool call.
func protocolError(snap *Snapshot, p *api.ToolProblem) error {
	p.WithBase(snap.settings.BaseURL)
	body, err := api.JSON(p)
	if err != nil {
		return err
	}
	code := int64(jsonrpc.CodeInternalError)
	if p.Status < http.StatusInternalServerError {
		code = codeRefused
	}
	return &jsonrpc.Error{Code: code, Message: p.Detail, Data: body}
}

// codeRefused is the JSON-RPC code of a valid message that is refused. JSON-RPC reserves
// -32000 to -32099 for servers.
const codeRefused = -32000
