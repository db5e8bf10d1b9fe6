package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	jsonminify "github.com/tdewolff/minify/v2/json"
	"github.com/tdewolff/minify/v2/svg"
	"github.com/tdewolff/minify/v2/xml"
	"github.com/tdewolff/parse/v2"
	htmlparse "github.com/tdewolff/parse/v2/html"
)

func newMinifier() *minify.M {
	m := minify.New()
	m.Add("text/html", &html.Minifier{KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true})
	m.Add("text/css", &css.Minifier{})
	m.Add("application/javascript", &js.Minifier{})
	// Structured data is marshalled without white space.
	m.AddFunc("application/ld+json", func(_ *minify.M, w io.Writer, r io.Reader, _ map[string]string) error {
		_, err := io.Copy(w, r)
		return err
	})
	m.Add("application/json", &jsonminify.Minifier{KeepNumbers: true})
	m.Add("image/svg+xml", &svg.Minifier{})
	m.Add("text/xml", &xml.Minifier{})
	return m
}

// mediaTypes are the media types of files that are minified, by extension.
var mediaTypes = map[string]string{
	"html": "text/html", "css": "text/css", "js": "application/javascript",
	"json": "application/json", "svg": "image/svg+xml", "xml": "text/xml",
}

// Minify returns a file without needless white space, if there is a minifier for its extension.
func (t *Templates) Minify(name string, content []byte) ([]byte, error) {
	var out bytes.Buffer
	err := t.minify(&out, name, content)
	return out.Bytes(), err
}

func (t *Templates) minify(out *bytes.Buffer, name string, content []byte) error {
	mediaType, ok := mediaTypes[name[strings.LastIndexByte(name, '.')+1:]]
	if !ok {
		out.Write(content)
		return nil
	}
	start := out.Len()
	if err := t.minifier.Minify(mediaType, out, bytes.NewBuffer(content)); err != nil {
		return fmt.Errorf("minify %s: %w", name, err)
	}
	if minified := out.Bytes()[start:]; mediaType == "text/html" && bytes.Contains(minified, []byte("++")) {
		whole := keepNamesWhole(minified)
		out.Truncate(start)
		out.Write(whole)
	}
	return nil
}

// plusNames matches names such as C++ and Notepad++. Firefox breaks lines between the plus signs.
var plusNames = regexp.MustCompile(`[\pL\d]+\+\+`)

// keepNamesWhole returns HTML in which no line breaks within plusNames. The page code does the
// same with texts that it shows.
func keepNamesWhole(page []byte) []byte {
	out := make([]byte, 0, len(page)+256)
	onlyText := false // inside an element that contains only text
	for l := htmlparse.NewLexer(parse.NewInputBytes(bytes.Clone(page))); ; {
		kind, token := l.Next()
		switch kind {
		case htmlparse.ErrorToken: // the end: the lexer accepts everything
			return out
		case htmlparse.StartTagToken:
			switch string(l.Text()) {
			case "title", "script", "style", "option", "textarea":
				onlyText = true
			}
		case htmlparse.AttributeToken:
			// A part that was minified before may have such elements.
			isWhole := string(l.Text()) == "class" && string(l.AttrVal()) == `"whole"`
			onlyText = onlyText || isWhole
		case htmlparse.EndTagToken:
			onlyText = false
		case htmlparse.TextToken:
			if !onlyText {
				token = plusNames.ReplaceAll(token, []byte(`<span class="whole">$0</span>`))
			}
		}
		out = append(out, token...)
	}
}

// pageWriter minifies a page while a template writes it. Templates write each printed value with one
// call. A value that was already minified for other pages is copied, because minifying takes as
// long as rendering. Such a value is between block elements, where the surrounding text does not
// affect minification.
type pageWriter struct {
	templates *Templates
	ofPage    []template.HTML // minified values that not all pages have

	rest bytes.Buffer // not minified yet
	page bytes.Buffer
}

// Reset begins the page again.
func (w *pageWriter) Reset() {
	w.rest.Reset()
	w.page.Reset()
}

// minMinified is the least size of a value that is looked up among the minified ones, in bytes.
const minMinified = 128

// Write implements io.Writer.
func (w *pageWriter) Write(text []byte) (int, error) { return w.WriteString(string(text)) }

// WriteString implements io.StringWriter.
func (w *pageWriter) WriteString(text string) (int, error) {
	isMinified := len(text) >= minMinified && (w.templates.ofSite[text] ||
		slices.Contains(w.ofPage, template.HTML(text))) // #nosec G203 -- only compared
	if !isMinified {
		return w.rest.WriteString(text)
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	return w.page.WriteString(text)
}

func (w *pageWriter) flush() error {
	defer w.rest.Reset()
	return w.templates.minify(&w.page, "page.html", w.rest.Bytes())
}

// finish returns the whole page, until the writer is reset.
func (w *pageWriter) finish() ([]byte, error) {
	err := w.flush()
	return w.page.Bytes(), err
}
