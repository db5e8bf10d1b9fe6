package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"catalog.example/api"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Addresses of resources. They are not those of the pages: a page's address is a
// setting, and one that a client can reach is not known on standard input. The
// protocol asks for https only where clients can fetch it by themselves.
const (
	projectPrefix = "catalog://projects/"
	guideURI      = "catalog://llms.txt"
)

const (
	markdownType = "text/markdown"
	guideFile    = "llms.txt"
)

// projectTemplate tells clients how resources of listings are addressed.
func projectTemplate() *sdk.ResourceTemplate {
	return &sdk.ResourceTemplate{
		Name: "project", Title: "A listing", URITemplate: projectPrefix + "{slug}", MIMEType: markdownType,
		Description: "The page of a listing as Markdown. " + untrusted, Meta: untrustedMeta(),
	}
}

func guideResource() *sdk.Resource {
	return &sdk.Resource{
		Name: guideFile, Title: "Guide for agents", URI: guideURI, MIMEType: "text/plain",
		Description: "How the catalogue is asked: steps, parameters, allowances.",
	}
}

// resourcesPage is how many resources a page of resources/list has.
const resourcesPage = 50

// resources returns a page of the list of resources, which begins with that many
// listings passed over: the guide, then the listings, most popular first; and the
// cursor of the next page, "" on the last.
func (e *Snapshot) resources(offset int) (list []*sdk.Resource, next string) {
	if offset == 0 {
		list = append(list, guideResource())
	}
	var projects []api.Project
	body := append(e.index.AppendList([]byte{'['}, offset, resourcesPage), ']')
	if err := json.Unmarshal(body, &projects); err != nil {
		panic(fmt.Errorf("decode the list of the index: %w", err)) // a damaged file; see Server.receive
	}
	for _, p := range projects {
		list = append(list, &sdk.Resource{
			Name: p.Slug, Title: plain(p.Name), URI: projectPrefix + p.Slug, MIMEType: markdownType, Description: plain(p.Purpose),
		})
	}
	if offset += len(projects); offset < e.index.Len() && len(projects) > 0 {
		next = cursorOf(offset)
	}
	return list, next
}

// A cursor is the number of listings before the page. Clients are to take it for
// opaque, and so it looks.
func cursorOf(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("listings:" + strconv.Itoa(offset)))
}

var cursorPattern = regexp.MustCompile(`^listings:([1-9][0-9]{0,9})$`)

// takeCursor takes the cursor out of a request for resources, where the SDK would
// look for one of its own, and returns how many listings it passes over.
func takeCursor(method string, request sdk.Request) (offset int, err error) {
	params, ok := request.GetParams().(*sdk.ListResourcesParams)
	if method != methodListResources || !ok || params == nil || params.Cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(params.Cursor)
	m := cursorPattern.FindSubmatch(text)
	if err != nil || m == nil {
		return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of this server: ask without one"}
	}
	params.Cursor = ""
	return strconv.Atoi(string(m[1]))
}

// readResource answers resources/read from the files of the build.
func (s *Server) readResource(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	t, uri := turnOf(ctx), request.Params.URI
	name, kind := guideFile, guideResource().MIMEType
	if slug, ok := strings.CutPrefix(uri, projectPrefix); ok {
		// Only a slug of the index becomes part of a path.
		if _, ok := t.snapshot.index.AppendProject(nil, slug); !ok {
			return nil, notFound(t, uri)
		}
		name, kind = "projects/"+slug+"/index.html.md", markdownType
	} else if uri != guideURI {
		return nil, notFound(t, uri)
	}
	content, err := t.snapshot.read(name)
	if errors.Is(err, fs.ErrNotExist) { // a build without Markdown, or one that is just replaced
		return nil, notFound(t, uri)
	}
	if err != nil {
		t.outcome = OutcomeFault
		return nil, protocolError(t.snapshot, &api.ToolProblem{Problem: *s.o.Fault(ctx, err, nil)})
	}
	return &sdk.ReadResourceResult{
		Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: string(content), Meta: untrustedMeta()}},
	}, nil
}

func notFound(t *turn, uri string) error {
	t.outcome = OutcomeWrong
	return noResource(uri)
}

// noResource is the SDK's error of a resource that there is not, with its data in
// JSON whatever the address holds. That of the SDK quotes it as Go does, so that an
// address with a control character would end the conversation.
func noResource(uri string) error {
	data, err := api.JSON(map[string]string{"uri": uri})
	if err != nil { // a text
		panic(err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found", Data: data}
}
