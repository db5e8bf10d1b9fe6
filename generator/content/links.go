package content

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// SiteLink is a link in a text to a page or another file of the site.
type SiteLink struct {
	Address string // as written
	// Line is that of the link in the file, from 1. Column is that of the address; 1 if it is on another line.
	Line, Column int
	// Path is the target, relative to the address of the site: "projects/ollama/"; "" is the home
	// page. Fragment is the part of the page that the link names; "" for none.
	Path, Fragment string
	// File is the file in the content folder that the address names; "" if the address names a
	// page.
	File string
	// Wrong says why the link cannot work on any site; "" if it can.
	Wrong string
}

// place says where a text is, so that its relative links can be resolved.
type place struct {
	file     string // below the content folder, with slashes
	path     string // of its page, relative to the address of the site
	settings *site.Settings
	headings []string // see Section.setAs
	// showsPictures says that the page shows pictures, which are those that there are.
	showsPictures bool
	pictures      []Picture
}

// scheme matches the scheme at the beginning of an absolute address (RFC 3986, section 3.1).
var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// baseName stands for the address of the site in the texts of pages.
const baseName = "{base_url}"

// onSite reports whether an address begins with the address of the site, however it is spelt, and
// returns the rest of the address.
func (p place) onSite(address string) (rest string, ok bool) {
	begins := func(rest string) bool { return rest == "" || strings.ContainsRune("/?#", rune(rest[0])) }
	if rest, ok := strings.CutPrefix(address, baseName); ok && begins(rest) {
		return rest, true
	}
	to, err := url.Parse(address)
	base, baseErr := url.Parse(p.settings.BaseURL)
	if err != nil || baseErr != nil || to.Host == "" || to.Scheme != "" && to.Scheme != base.Scheme ||
		!strings.EqualFold(hostOf(to, base.Scheme), hostOf(base, base.Scheme)) {
		return "", false
	}
	_, rest, _ = strings.Cut(address, "//")
	rest = rest[len(to.Host):]
	if to.User != nil {
		return "", false
	}
	rest, ok = strings.CutPrefix(rest, base.EscapedPath())
	return rest, ok && begins(rest)
}

// hostOf returns the host of an address without the default port of its scheme.
func hostOf(u *url.URL, scheme string) string {
	if port := u.Port(); port == map[string]string{"http": "80", "https": "443"}[scheme] {
		return u.Hostname()
	}
	return u.Host
}

// AsBrowsersRead returns an address without white space and control characters, which browsers
// ignore.
func AsBrowsersRead(address string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, address)
}

// resolve returns the target of an address, and the part after the path, such as "?a#b". ok is
// false if the target is on another site.
func (p place) resolve(address string) (link SiteLink, suffix string, ok bool) {
	link.Address = address
	rest := commonmark.Plain([]byte(address), false)
	below, onSite := p.onSite(rest)
	if onSite {
		rest = below
	} else if seen := AsBrowsersRead(rest); scheme.MatchString(seen) || strings.HasPrefix(seen, "//") {
		return link, "", false
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		end = i
	}
	to, err := url.PathUnescape(rest[:end])
	suffix = rest[end:]
	if _, fragment, found := strings.Cut(suffix, "#"); found && err == nil {
		link.Fragment, err = url.PathUnescape(fragment)
	}
	switch {
	case err != nil:
		link.Wrong = "is not a valid address: write % as %25"
	case address == "":
		link.Wrong = "leads nowhere: write an address, or remove the link"
	case onSite || strings.HasPrefix(to, "/"):
		link.Path = strings.TrimPrefix(to, "/")
	case to == "":
		link.Path = p.path
	default:
		p.resolveFile(&link, to)
	}
	return link, suffix, true
}

// resolveFile sets the target of a link from its relative path. The content folder counts as the
// root of the site, so ../categories/ in a listing leads to /categories/.
func (p place) resolveFile(link *SiteLink, to string) {
	file := path.Join(path.Dir(p.file), to)
	slug, isMarkdown := strings.CutSuffix(path.Base(file), ".md")
	switch {
	case file == ".":
		link.Path = ""
	case file == "..", strings.HasPrefix(file, "../"):
		link.Wrong = "leads out of the content folder, to a file that is not on the site: write its https address, " +
			"or remove the link"
	case strings.HasSuffix(to, "/"), path.Base(to) == ".", path.Base(to) == "..":
		link.Path = file + "/"
	case !isMarkdown:
		link.Path = file
	case path.Dir(file) == "pages":
		link.File, link.Path = file, slug+"/"
	default:
		link.File, link.Path = file, api.FolderProjects+"/"+slug+"/"
	}
}

// sourceLink is a link in the source of a text, a bare address, or a link reference definition.
type sourceLink struct {
	ast.Node
	address []byte
	at      int // offset of the address in bytes; -1 if the address is elsewhere or has escapes
}

// linksOf returns the links and definitions of a parsed text, in order.
func linksOf(doc ast.Node, source []byte) (links []sourceLink) {
	for n := range nodes(doc) {
		switch n := n.(type) {
		case *ast.Link:
			at := -1
			if n.Reference == nil {
				at = indexOfAddress(n.Destination, source, endOfText(n))
			}
			links = append(links, sourceLink{n, n.Destination, at})
		case *ast.AutoLink:
			links = append(links, sourceLink{n, n.URL(source), -1})
		case *ast.LinkReferenceDefinition:
			from := max(n.Pos(), 0)
			from += max(bytes.Index(source[from:], []byte("]:")), 0)
			links = append(links, sourceLink{n, n.Destination, indexOfAddress(n.Destination, source, from)})
		}
	}
	return links
}

// linkImages replaces the images of a parsed text with links to them, so that no page loads
// pictures: whoever hosts a picture would see every reader. An image inside a link becomes plain
// text, and an image without a text is removed. linkImages returns the same changes as edits of the
// source. Images that the page shows stay.
func linkImages(doc ast.Node, source []byte, shown map[ast.Node]int) (edits []edit) {
	var images []*ast.Image
	for n := range nodes(doc) {
		_, isShown := shown[n]
		if image, ok := n.(*ast.Image); ok && !isShown {
			images = append(images, image)
		}
	}
	for _, image := range images {
		begin := max(image.Pos(), 0)
		inLink := commonmark.InLink(image)
		if at := indexOfAddress(image.Destination, source,
			max(endOfText(image), min(begin+len("!["), len(source)))); inLink && at >= 0 {
			if rest := restOfLink.FindIndex(source[at+len(image.Destination):]); rest != nil {
				edits = append(edits, edit{begin, begin + len("!["), ""},
					edit{bytes.LastIndex(source[:at], []byte("]")), at + len(image.Destination) + rest[1], ""})
			}
		} else if !inLink && source[begin] == '!' {
			edits = append(edits, edit{begin, begin + len("!"), ""})
		}
		parent := image.Parent()
		var within ast.Node // the node that receives the image's text
		if image.FirstChild() != nil && !inLink {
			link := ast.NewLink()
			link.Destination, link.Title, link.Reference = image.Destination, image.Title, image.Reference
			parent.InsertBefore(parent, image, link)
			within = link
		}
		for child := image.FirstChild(); child != nil; {
			next := child.NextSibling()
			if within != nil {
				within.AppendChild(within, child)
			} else {
				parent.InsertBefore(parent, image, child)
			}
			child = next
		}
		parent.RemoveChild(parent, image)
	}
	return edits
}

// edit is a replacement of a part of a text.
type edit struct {
	start, stop int
	text        string
}

// turnLinks changes the links of a parsed text that lead to files of the content folder or to paths
// of the site, so that they lead to the right pages wherever the site is hosted. It returns these
// links, and the source with their absolute addresses and the given edits.
func turnLinks(doc ast.Node, source []byte, edits []edit, p place) (links []SiteLink, absolute string) {
	for _, l := range linksOf(doc, source) {
		link, suffix, ok := p.resolve(string(l.address))
		if !ok {
			continue
		}
		link.Line, link.Column = lineOf(l.Node, source), 1
		if before := source[:max(l.at, 0)]; l.at >= 0 && 1+bytes.Count(before, []byte("\n")) == link.Line {
			link.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
		}
		// Escape the address, because renderers resolve escapes in it.
		to := "/" + addressEscapes.Replace((&url.URL{Path: link.Path}).EscapedPath()+suffix)
		if l.at >= 0 && link.Wrong == "" {
			edits = append(edits, edit{l.at, l.at + len(l.address), p.settings.URL(to)})
		}
		switch n := l.Node.(type) {
		case *ast.Link:
			links = append(links, link)
			if link.Wrong == "" {
				n.Destination = []byte(p.settings.BasePath() + to)
			}
		case *ast.AutoLink: // keep the address, because a bare link shows it
			links = append(links, link)
		}
	}
	return links, edited(source, edits)
}

// edited returns a text after edits, of which those within another are left out.
func edited(source []byte, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.start >= at {
			out.Write(source[at:e.start])
			out.WriteString(e.text)
			at = e.stop
		}
	}
	out.Write(source[at:])
	return out.String()
}

var addressEscapes = strings.NewReplacer("&", "&amp;", `\`, "%5C")

// ListingLink is a link to a listing in the text of a file.
type ListingLink struct {
	Slug string
	Line int // in the file, from 1
	// Start and Stop are the offsets of the slug in the file, in bytes; 0 if the slug has escapes.
	Start, Stop int
	// Open, Text and Close are the offsets of the beginning of the link, the end of its text, and
	// the end of the link. Readers see the part between Open+1 and Text. All three are 0 for a link
	// whose address is elsewhere in the text, and for the definition of such an address.
	Open, Text, Close int
}

// restOfLink matches the rest of a link after its address.
var restOfLink = regexp.MustCompile(`^>?(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)`)

// ListingLinks returns the links to listings in the file of a listing or page. name is the path of
// the file below the content folder. A file without front matter counts as having no text.
func (m *FrontMatter) ListingLinks(name string, file []byte) (links []ListingLink) {
	parts, message := splitFrontMatter(file)
	if message != "" {
		return nil
	}
	return place{file: name, settings: m.settings}.listingLinks(parts, len(file)-len(parts.body))
}

// listingLinks returns the links to listings in the text below a front matter, which begins at an offset.
func (p place) listingLinks(parts split, begin int) (links []ListingLink) {
	body := parts.body
	for _, l := range linksOf(markdown.Parser().Parse(text.NewReader(body)), body) {
		if n, ok := l.Node.(*ast.Link); ok && n.Reference != nil { // its definition is in this list, too
			continue
		}
		to, _, _ := p.resolve(string(l.address))
		folder, rest, _ := strings.Cut(to.Path, "/")
		slug, _, _ := strings.Cut(rest, "/")
		if folder != api.FolderProjects || slug == "" {
			continue
		}
		link := ListingLink{Slug: slug, Line: parts.bodyLine + lineOf(l.Node, body) - 1}
		written, _, _ := strings.Cut(string(l.address), "#")
		written, _, _ = strings.Cut(written, "?")
		in := strings.LastIndex(written, slug+".md")
		if to.File == "" {
			in = strings.LastIndex(written, folder+"/"+slug)
			if in >= 0 {
				in += len(folder) + 1
			}
		}
		if l.at >= 0 && in >= 0 {
			link.Start = begin + l.at + in
			link.Stop = link.Start + len(slug)
			if _, inline := l.Node.(*ast.Link); inline {
				end := l.at + len(l.address)
				if rest := restOfLink.FindIndex(body[end:]); rest != nil {
					link.Open, link.Close = begin+max(l.Pos(), 0), begin+end+rest[1]
					link.Text = begin + bytes.LastIndex(body[:l.at], []byte("]"))
				}
			}
		}
		links = append(links, link)
	}
	return links
}

// addressBegins matches the characters between the text of a link, or the label of a definition,
// and its address.
var addressBegins = regexp.MustCompile("^[`*_~]*\\](?:\\(|:)\\s*<?$")

// indexOfAddress returns the position in the source, at or after the offset from, where an address
// is written, or -1 if it has escapes.
func indexOfAddress(address, source []byte, from int) int {
	at := bytes.Index(source[from:], address)
	if at < 0 || !addressBegins.Match(source[from:from+at]) {
		return -1
	}
	return from + at
}

// endOfText returns the end of the last text in a node. If there is none, it returns the beginning
// of the node.
func endOfText(n ast.Node) int {
	end := max(n.Pos(), 0) + 1
	for n := range nodes(n) {
		switch n := n.(type) {
		case *ast.Text:
			end = max(end, n.Segment.Stop)
		case *ast.RawHTML:
			end = max(end, n.Segments.At(n.Segments.Len()-1).Stop)
		}
	}
	return end
}
