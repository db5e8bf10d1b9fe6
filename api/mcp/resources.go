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
	"catalog.example/api/search"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// URIs of resources. They are not the addresses of pages, because a client on standard input may be
// unable to reach those. The protocol reserves https for resources that clients can fetch
// themselves.
const (
	projectPrefix = "catalog://projects/"
	guideURI      = "catalog://llms.txt"
)

const (
	markdownType = "text/markdown"
	guideFile    = "llms.txt"
	// The Markdown of a listing is the file listingFolder + slug + listingFile.
	listingFolder, listingFile = "projects/", "/index.html.md"
)

// projectTemplate describes the URIs of listings.
func projectTemplate() *sdk.ResourceTemplate {
	return &sdk.ResourceTemplate{
		Name: "project", Title: "A listing", URITemplate: projectPrefix + "{slug}", MIMEType: markdownType,
		Description: "The page of a listing as Markdown. " + api.Untrusted, Meta: untrustedMeta(),
	}
}

func guideResource() *sdk.Resource {
	return &sdk.Resource{
		Name: guideFile, Title: "Guide for agents", URI: guideURI, MIMEType: "text/plain",
		Description: "How to use the catalogue: steps, parameters, allowances.",
	}
}

// resourcesPage is the number of listings in a page of resources/list.
const resourcesPage = 50

// resources returns a page of the list of resources and the cursor of the next page ("" on the
// last). The page begins after offset listings. The guide comes first, then the listings, most
// popular first.
func (snap *Snapshot) resources(offset int) (list []*sdk.Resource, next string) {
	if offset == 0 {
		list = append(list, guideResource())
	}
	var projects []api.Project
	body := append(snap.index.AppendList([]byte{'['}, offset, resourcesPage), ']')
	if err := json.Unmarshal(body, &projects); err != nil {
		panic(fmt.Errorf("decode the list of the index: %w", err)) // the index is damaged; Server.receive recovers
	}
	for _, p := range projects {
		list = append(list, &sdk.Resource{
			Name: p.Slug, Title: plain(p.Name), URI: projectPrefix + p.Slug, MIMEType: markdownType,
			Description: plain(p.Purpose),
		})
	}
	if offset += len(projects); offset < snap.index.Len() && len(projects) > 0 {
		next = encodeCursor(offset)
	}
	return list, next
}

// encodeCursor encodes the number of listings before a page. Clients must treat cursors as opaque,
// so this one is not readable.
func encodeCursor(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("listings:" + strconv.Itoa(offset)))
}

var cursorPattern = regexp.MustCompile(`^listings:([1-9][0-9]{0,9})$`)

// takeCursor removes our cursor from a request for resources, because the SDK would reject
// it, and returns its offset.
func takeCursor(method string, request sdk.Request) (offset int, err error) {
	params, ok := request.GetParams().(*sdk.ListResourcesParams)
	if method != methodListResources || !ok || params == nil || params.Cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(params.Cursor)
	m := cursorPattern.FindSubmatch(text)
	if err != nil || m == nil {
		return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: "the cursor is not from this server: send the request without a cursor"}
	}
	params.Cursor = ""
	return strconv.Atoi(string(m[1]))
}

// Reads reports whether the tools read a file of a build, by its path.
func Reads(name string) bool {
	return name == search.FileName || name == guideFile ||
		strings.HasPrefix(name, listingFolder) && strings.HasSuffix(name, listingFile)
}

// readResource answers resources/read from the files of the build.
func (s *Server) readResource(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c, uri := callFrom(ctx), request.Params.URI
	name, kind := guideFile, guideResource().MIMEType
	if slug, ok := strings.CutPrefix(uri, projectPrefix); ok {
		if present, ok := c.snapshot.index.PresentSlug(slug); ok {
			slug = present
		}
		// Only a slug of the index becomes part of a path.
		if _, ok := c.snapshot.index.AppendProject(nil, slug); !ok {
			return nil, notFound(c, uri)
		}
		name, kind = listingFolder+slug+listingFile, markdownType
	} else if uri != guideURI {
		return nil, notFound(c, uri)
	}
	content, err := c.snapshot.read(name)
	if errors.Is(err, fs.ErrNotExist) { // a build without Markdown, or a build that is being replaced
		return nil, notFound(c, uri)
	}
	if err != nil {
		c.outcome = OutcomeFault
		return nil, protocolError(c.snapshot, &api.ToolProblem{Problem: *s.o.Fault(ctx, err, nil)})
	}
	return &sdk.ReadResourceResult{
		Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: string(content), Meta: untrustedMeta()}},
	}, nil
}

func notFound(c *call, uri string) error {
	c.outcome = OutcomeWrong
	return noResource(uri)
}

// noResource returns the error for a missing resource. The error of the SDK quotes the URI as Go
// does: a control character in the URI would make invalid JSON, and end the connection.
func noResource(uri string) error {
	data, err := api.JSON(map[string]string{"uri": uri})
	if err != nil { // a string always encodes
		panic(err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found", Data: data}
}
