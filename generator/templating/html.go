package templating

import (
	"html/template"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template/parse"
	"unicode/utf8"
)

// place is a place of HTML with a printed value. html/template escapes the value by its place: it
// adds functions to the action.
type place struct {
	template string
	// plain are the beginnings of texts that need no escaping if none of their bytes does. If it is
	// nil, html/template prints every text.
	plain []string
	// each says that the escape of a byte does not depend on other bytes. Otherwise, html/template
	// prints the texts that need escaping.
	each bool
	// raw are bytes that need no escaping here, though html/template escapes them.
	raw string
	// letters reports whether the letters beyond ASCII stay as they are.
	letters func(text string) bool
}

var places = []place{
	{`{{.}}`, []string{""}, true, `"'+>`, always},
	{`<title>{{.}}</title>`, []string{""}, true, `"'+>`, always},
	{`<p title="{{.}}">`, []string{""}, true, "", areCharacters},
	{`<a href="{{.}}">`, []string{"/", "https://"}, false, "", never},
	{`<a href="/{{.}}">`, []string{""}, false, "", never},
	{`<a href="/?q={{.}}">`, []string{""}, false, "", never},
	{`<p {{.}}>`, nil, false, "", never},
	{`<script type="application/ld+json">{{.}}</script>`, nil, false, "", never},
}

func always(string) bool { return true }
func never(string) bool  { return false }

// areCharacters reports whether a text has only characters. html/template escapes some other code
// points in attributes.
func areCharacters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0xFDD0 && r <= 0xFFFF })
}

// htmlPrinters returns printers for the functions that html/template adds to printed values. They
// leave values that are hard to escape to html/template.
var htmlPrinters = sync.OnceValues(func() (map[string]Printer, error) {
	printers := map[string]Printer{}
	for _, p := range places {
		e, err := newEscaper(p)
		if err != nil {
			return nil, err
		}
		printers[e.functions] = e.print
	}
	return printers, nil
})

// escaper prints values in a place of HTML.
type escaper struct {
	place
	template      *template.Template
	functions     string       // joined by "|"
	safe          reflect.Type // values of this type are printed as they are; nil for none
	before, after string       // the text around the value
	// escaped holds what html/template makes of each byte of ASCII.
	escaped [utf8.RuneSelf]string
}

func newEscaper(p place) (*escaper, error) {
	e := &escaper{place: p}
	var err error
	if e.template, err = template.New("").Parse(p.template); err != nil {
		return nil, err
	}
	if err := e.template.Execute(io.Discard, ""); err != nil { // adds the functions
		return nil, err
	}
	for _, n := range e.template.Tree.Root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			if e.functions == "" {
				e.before = string(n.Text)
			} else {
				e.after = string(n.Text)
			}
		case *parse.ActionNode:
			e.functions = namesOf(n.Pipe.Cmds[1:])
		}
	}
	e.safe = safe[e.functions]
	for b := range e.escaped {
		if len(p.plain) == 0 {
			break
		}
		text, err := e.execute(p.plain[0] + string(rune(b)))
		if err != nil {
			return nil, err
		}
		e.escaped[b] = strings.TrimPrefix(text, p.plain[0])
		if strings.Contains(p.raw, string(rune(b))) {
			e.escaped[b] = string(rune(b))
		}
	}
	return e, nil
}

// execute returns a value as html/template prints it.
func (e *escaper) execute(value any) (string, error) {
	var out strings.Builder
	err := e.template.Execute(&out, value)
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), e.before), e.after), err
}

var (
	intType = reflect.TypeFor[int]()
	// safe are the types of values that the functions of html/template print as they are.
	safe = map[string]reflect.Type{
		"_html_template_htmlescaper":    reflect.TypeFor[template.HTML](),
		"_html_template_jsvalescaper":   reflect.TypeFor[template.JS](),
		"_html_template_htmlnamefilter": reflect.TypeFor[template.HTMLAttr](),
	}
)

func (e *escaper) print(w Writer, v reflect.Value) bool {
	v, isNil := indirect(v)
	if !v.IsValid() || isNil {
		return false
	}
	switch t := v.Type(); {
	case t == e.safe:
		written(w.WriteString(v.String()))
		return true
	case t == intType && e.each:
		return plain(w, v)
	case v.Kind() == reflect.String && isText(t) && e.text(w, v.String()):
		return true
	}
	text, err := e.execute(v.Interface())
	if err != nil {
		return false
	}
	written(w.WriteString(text))
	return true
}

// isText reports whether html/template prints values of a string type as text: not if the type says
// that they are safe, or says how they are printed.
func isText(t reflect.Type) bool { return t.PkgPath() != "html/template" && !printsItself(t) }

// text prints a text, unless it is left to html/template.
func (e *escaper) text(w Writer, text string) bool {
	begins := func(plain string) bool { return strings.HasPrefix(text, plain) }
	if text != "" && !slices.ContainsFunc(e.plain, begins) || e.plain == nil {
		return false
	}
	isASCII, isPlain, size := true, true, len(text)
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			isASCII = false
		case len(e.escaped[b]) != 1 || e.escaped[b][0] != b:
			isPlain = false
			size += len(e.escaped[b]) - 1
		}
	}
	switch {
	case !isASCII && !e.letters(text):
		return false
	case isPlain:
		written(w.WriteString(text))
		return true
	case !e.each:
		return false
	}
	escaped := make([]byte, 0, size)
	for i := range len(text) {
		if b := text[i]; b < utf8.RuneSelf {
			escaped = append(escaped, e.escaped[b]...)
		} else {
			escaped = append(escaped, b)
		}
	}
	written(w.Write(escaped))
	return true
}
