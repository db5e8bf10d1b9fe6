package content

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// ListingLink is a link to a listing in the text of a file.
type ListingLink struct {
	Slug string
	Line int // of the file, from 1
	// Start and Stop are where the slug is in the file, in bytes; 0 if it is written with
	// escapes.
	Start, Stop int
	// Open, Text and Close are where a link begins, the end of its text, and its end: the file
	// between Open+1 and Text is what readers see. They are 0 for a link whose address is
	// elsewhere in the text, and for the definition of such an address.
	Open, Text, Close int
}

// Forms of addresses that lead to a listing: its file, and its page.
var (
	addressOfFile = regexp.MustCompile(`^(?:\./|\.\./projects/)?([a-z0-9-]+)\.md(?:#.*)?$`)
	addressOfPage = regexp.MustCompile(`^(?:\.\./|/|\{base_url\}/)projects/([a-z0-9-]+)(?:/(?:index\.html(?:\.md)?)?)?(?:[#?].*)?$`)
)

// plainMarkdown parses a text as markdown does, and leaves its links as they are.
var plainMarkdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify)).Parser()

// restOfLink matches what follows the address of a link, to its end.
var restOfLink = regexp.MustCompile(`^[^\s()<>]*>?(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)`)

// ListingLinks returns the links to listings in the text of a listing's or page's file. The
// text is "" if the file has no front matter.
func ListingLinks(file []byte) (links []ListingLink) {
	parts, message := splitFrontMatter(file)
	if message != "" {
		return nil
	}
	body := parts.body
	begin := len(file) - len(body)
	doc := plainMarkdown.Parse(text.NewReader(body))
	add := func(n ast.Node, destination []byte, from int, inline bool) {
		m := addressOfFile.FindSubmatchIndex(destination)
		if m == nil {
			m = addressOfPage.FindSubmatchIndex(destination)
		}
		if m == nil {
			return
		}
		link := ListingLink{Slug: string(destination[m[2]:m[3]]), Line: parts.bodyLine + lineOf(n, body) - 1}
		if at := indexOfAddress(destination, body, from); at >= 0 {
			link.Start, link.Stop = begin+at+m[2], begin+at+m[3]
			if rest := restOfLink.FindIndex(body[at+m[3]:]); inline && rest != nil {
				link.Open, link.Close = begin+max(n.Pos(), 0), begin+at+m[3]+rest[1]
				link.Text = begin + bytes.LastIndex(body[:at], []byte("]"))
			}
		}
		links = append(links, link)
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if n.Reference == nil {
				add(n, n.Destination, endOfText(n), true)
			}
		case *ast.LinkReferenceDefinition:
			from := max(n.Pos(), 0)
			add(n, n.Destination, from+max(strings.Index(string(body[from:]), "]:"), 0), false)
		}
		return ast.WalkContinue, nil
	})
	return links
}
