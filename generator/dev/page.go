package dev

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/rule"
)

// script reloads a page and shows its findings. style styles the findings.
var (
	//go:embed dev.js
	script []byte
	//go:embed dev.css
	style []byte
)

// emptyPage is the page of a listing that cannot be shown.
var emptyPage = plainPage("Nothing to show yet", "<p>This page appears when the errors above are corrected.</p>")

// errorPage returns the page for a template that could not be rendered.
func errorPage(err error) []byte {
	return plainPage("This page cannot be rendered", "<pre>"+template.HTMLEscapeString(err.Error())+"</pre>")
}

// plainPage returns a page that no template makes.
func plainPage(heading, body string) []byte {
	return fmt.Appendf(nil, `<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>%[1]s</title></head>`+
		`<body><main><h1>%[1]s</h1>%[2]s</main></body></html>`, heading, body)
}

// hashOf returns a hash that differs between versions of a page.
func hashOf(text []byte) string {
	sum := memo.KeyOf("page", text)
	return hex.EncodeToString(sum[:])
}

// maxShown is the number of findings about other files that a page shows.
const maxShown = 5

// findingView is a finding on a page.
type findingView struct {
	IsError bool
	Place   string       // file:line:column
	Editor  template.URL // address that opens the place in Visual Studio Code
	Message string
}

// findingsTemplate is the bar at the top of a page.
var findingsTemplate = template.Must(template.New("findings").Parse(
	`{{with .Problem}}<p class="error"><strong>error</strong> {{.}}</p>{{end}}{{range .Shown}}<p class="{{if .IsError}}error{{else}}warning{{end}}"><strong>{{if .IsError}}error{{else}}warning{{end}}</strong> <a href="{{.Editor}}">{{.Place}}</a> {{.Message}}</p>{{end}}{{with .More}}<p>{{.}}</p>{{end}}`))

// findings returns the findings for the page at a path as HTML: all findings about its own file,
// then some errors in other files.
func (s *site) findings(now *state, page string) []byte {
	own := now.draft.Source(strings.TrimSuffix(page, "index.html"))
	view := struct {
		Problem string
		Shown   []findingView
		More    string
	}{}
	if now.draft.Err != nil {
		view.Problem = invisible.EscapeLines(now.draft.Err.Error())
	}
	rank := func(f content.Finding) int {
		switch {
		case f.File == own && f.Rule.Severity == rule.Error:
			return 0
		case f.File == own:
			return 1
		case f.Rule.Severity == rule.Error:
			return 2
		}
		return 3
	}
	list := slices.Clone(now.findings)
	slices.SortStableFunc(list, func(a, b content.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	var count [4]int // findings by rank
	for _, f := range list {
		count[rank(f)]++
	}
	shown := count[0] + count[1] + min(count[2], maxShown)
	for _, f := range list[:shown] {
		file := path.Join(filepath.ToSlash(s.options.Preview.Content), f.File)
		v := findingView{IsError: f.Rule.Severity == rule.Error, Place: fmt.Sprintf("%s:%d:%d", file, f.Line, f.Column),
			Message: invisible.EscapeLines(f.Message)}
		if absolute, err := filepath.Abs(file); err == nil {
			place := fmt.Sprintf("%s:%d:%d", filepath.ToSlash(absolute), f.Line, f.Column)
			address := url.URL{Scheme: "vscode", Host: "file", Path: place}
			v.Editor = template.URL(address.String()) // #nosec G203 -- an escaped address of a file
		}
		view.Shown = append(view.Shown, v)
	}
	if more := len(list) - shown; more > 0 {
		view.More = fmt.Sprintf("The terminal shows %s and %s in other files.",
			api.Count(more-count[3], "error"), api.Count(count[3], "warning"))
	}
	var out bytes.Buffer
	if err := findingsTemplate.Execute(&out, view); err != nil {
		return []byte(template.HTMLEscapeString(err.Error()))
	}
	return out.Bytes()
}

// withFindings inserts the findings and the script into a page.
func withFindings(text, findings []byte, hash string) []byte {
	head := fmt.Appendf(nil, `<link rel="stylesheet" href="%s"><script src="%s" data-hash="%s" defer></script>`, pathStyle, pathScript, hash)
	hidden := ""
	if len(findings) == 0 {
		hidden = " hidden"
	}
	bar := fmt.Appendf(nil, `<aside id="dev-findings" role="status" aria-label="Findings of catalog dev"%s>%s</aside>`, hidden, findings)
	text = insert(text, []byte("</head>"), head)
	if at := bytes.Index(text, []byte("<body")); at >= 0 {
		if end := bytes.IndexByte(text[at:], '>'); end >= 0 {
			return slices.Concat(text[:at+end+1], bar, text[at+end+1:])
		}
	}
	return append(bar, text...)
}

// insert inserts a part before the first mark in a text, or before the whole text.
func insert(text, mark, part []byte) []byte {
	at := max(bytes.Index(text, mark), 0)
	return slices.Concat(text[:at], part, text[at:])
}
