package content

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// SVGNamespace is the XML namespace of SVG.
const SVGNamespace = "http://www.w3.org/2000/svg"

// svgShapes lists the elements that a logo may have in its root element, with their attributes.
var svgShapes = map[string][]string{
	"g": {}, "path": {"d"}, "circle": {"cx", "cy", "r"}, "ellipse": {"cx", "cy", "rx", "ry"},
	"rect": {"x", "y", "width", "height", "rx", "ry"}, "line": {"x1", "y1", "x2", "y2"},
	"polyline": {"points"}, "polygon": {"points"},
}

// svgValues are what the attributes of a logo may have as values. Those that are not here are numbers.
// There is one colour, that of the text around the logo.
var svgValues = map[string]*regexp.Regexp{
	"d":               regexp.MustCompile(`^[MmLlHhVvCcSsQqTtAaZz0-9eE ,.+-]+$`),
	"points":          regexp.MustCompile(`^[0-9eE ,.+-]+$`),
	"fill":            regexp.MustCompile(`^(none|currentColor)$`),
	"stroke":          regexp.MustCompile(`^(none|currentColor)$`),
	"fill-rule":       regexp.MustCompile(`^(evenodd|nonzero)$`),
	"stroke-linecap":  regexp.MustCompile(`^(butt|round|square)$`),
	"stroke-linejoin": regexp.MustCompile(`^(miter|round|bevel)$`),
	"stroke-width":    svgNumber,
}

var svgNumber = regexp.MustCompile(`^-?[0-9]*\.?[0-9]+$`)

// SVGRoot is how the text of a logo begins.
const SVGRoot = `<svg xmlns="` + SVGNamespace + `" viewBox="0 0 24 24"`

// svgEnd is how it ends.
var svgEnd = []byte("</svg>")

// CheckSVG returns what is wrong with the text of a logo, and the line; "" if it is a drawing of 24 by 24
// in one colour, with shapes only. Everything else is refused: scripts, styles, links, texts,
// references, comments, entities.
func CheckSVG(text []byte) (line int, message string) {
	d := xml.NewDecoder(bytes.NewReader(text))
	if !bytes.HasPrefix(text, []byte(SVGRoot)) {
		return 1, "does not begin with " + SVGRoot + ": write it so, without a declaration or comment before it"
	}
	depth, shapes := 0, 0
	for {
		token, err := d.Token()
		line, _ = d.InputPos()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return line, fmt.Sprintf("is not XML: %v", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if message = svgElement(t, depth); message != "" {
				return line, message
			}
			if depth++; t.Name.Local != "svg" && t.Name.Local != "g" {
				shapes++
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return line, "has text, which logos may not have: remove it"
			}
		default:
			return line, "has a comment, a declaration or the like: remove it"
		}
	}
	if shapes == 0 || bytes.Count(text, []byte("<svg")) != 1 || !bytes.HasSuffix(bytes.TrimSpace(text), svgEnd) {
		return line, "is not one drawing with shapes: write one svg element with a path or another shape in it"
	}
	return 0, ""
}

// svgElement returns what is wrong with an element of a logo, or "".
func svgElement(e xml.StartElement, depth int) string {
	own, known := svgShapes[e.Name.Local]
	if depth == 0 && e.Name.Local == "svg" {
		own, known = []string{"xmlns", "viewBox"}, true
	}
	if !known || e.Name.Space != SVGNamespace {
		return fmt.Sprintf("has an element %s, which is not allowed: draw with path, g, circle, ellipse, rect, line, "+
			"polyline and polygon", quote(e.Name.Local))
	}
	for _, a := range e.Attr {
		name, isOwn := a.Name.Local, false
		for _, one := range own {
			isOwn = isOwn || one == name
		}
		allowed, isStyle := svgValues[name]
		if a.Name.Space != "" || !isOwn && (!isStyle || name == "d" || name == "points") {
			return fmt.Sprintf("has an attribute %s of %s, which is not allowed: remove it", quote(name), e.Name.Local)
		}
		if depth == 0 && isOwn { // compared with SVGRoot
			continue
		}
		if allowed == nil {
			allowed = svgNumber
		}
		if !allowed.MatchString(a.Value) {
			return fmt.Sprintf("%s=%s of %s is not allowed: it has to match %s", name, quote(a.Value), e.Name.Local,
				strings.Trim(allowed.String(), "^$"))
		}
	}
	return ""
}
