package render

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"regexp"
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
	m.Add(templateType, &html.Minifier{
		KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true, TemplateDelims: html.GoTemplateDelims,
	})
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

// templateType is the media type under which the minifier knows templates of HTML.
const templateType = "text/x-template"

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
	if err := t.minifier.Minify(mediaType, out, bytes.NewBuffer(content)); err != nil {
		return fmt.Errorf("minify %s: %w", name, err)
	}
	return nil
}

// plusNames matches names such as C++ and Notepad++. Firefox breaks lines between the plus signs.
var plusNames = regexp.MustCompile(`[\pL\d]+\+\+`)

// keepNamesWhole returns HTML in which no line breaks within plusNames. It may change the page in place. The page
// code does the same with texts that it shows.
func keepNamesWhole(page []byte) []byte {
	if !bytes.Contains(page, []byte("++")) {
		return page
	}
	out := make([]byte, 0, len(page)+256)
	onlyText := false // inside an element that contains only text
	for l := htmlparse.NewLexer(parse.NewInputBytes(page)); ; {
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
			if !onlyText && bytes.Contains(token, []byte("++")) {
				token = plusNames.ReplaceAll(token, []byte(`<span class="whole">$0</span>`))
			}
		}
		out = append(out, token...)
	}
}

// minifiedFiles has the files of a folder of templates, minified. So pages, which are made from them,
// need not be minified one by one.
type minifiedFiles struct {
	fs.FS
	templates *Templates
}

// ReadFile implements fs.ReadFileFS.
func (f minifiedFiles) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(f.FS, name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = f.templates.minifier.Minify(templateType, &out, bytes.NewReader(text))
	return out.Bytes(), err
}
