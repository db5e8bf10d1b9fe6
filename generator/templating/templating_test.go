package templating

import (
	"bytes"
	"fmt"
	htmltemplate "html/template"
	"slices"
	"strings"
	"testing"
	"text/template"

	"golang.org/x/net/html"
)

type child struct{ Name, Link string }

func (c *child) Title() string { return strings.ToUpper(c.Name) }

type day string

func (d day) String() string { return "on " + string(d) }

type data struct {
	*child
	Text    string
	Number  int
	Absent  *string
	Present *string
	HTML    htmltemplate.HTML
	URL     htmltemplate.URL
	Script  htmltemplate.JS
	Day     day
	List    []child
	Nested  any
	Empty   []string
	Map     map[string]int
	Yes     bool
}

func (d *data) Has(name string) bool { return name == "text" }
func (d *data) Panics() string       { panic("it panics") }
func (d *data) Two() (string, bool)  { return d.Text, true }
func (d *data) Fails(fail bool) (int, error) {
	if fail {
		return 0, fmt.Errorf("it fails")
	}
	return 7, nil
}

var functions = map[string]any{
	"join":    func(values ...any) string { return fmt.Sprint(values...) },
	"twice":   func(n int) int { return 2 * n },
	"bold":    func(text string) htmltemplate.HTML { return htmltemplate.HTML("<b>" + text + "</b>") },
	"escaped": func(value any) string { return fmt.Sprintf("[%v]", value) },
}

// bodies are templates that use the language of templates in many ways.
var bodies = []string{
	`{{.Text}} {{.Number}} {{.Name}} {{.Title}} {{.Day}} {{.HTML}} {{.URL}} {{.Yes}} {{.Present}} {{.Absent}}`,
	`{{.}}{{.List}}{{.Map}}`,
	`<a href="{{.Text}}" title="{{.Text}}">{{.Text}}</a><a href="{{.Link}}/{{.Text}}?q={{.Text}}">`,
	`<a href="{{.URL}}" title="{{.HTML}}" data-n={{.Number}} {{.Text}}>`,
	`<a title='{{.Text}}' href='/{{.Text}}' onclick="f({{.Text}})" style="color: {{.Text}}">`,
	`<title>{{.Text}}{{.HTML}}</title><textarea>{{.Text}}</textarea><!-- {{.Text}} -->`,
	`<script>f({{.Text}}, {{.Number}}, {{.List}}, {{.Script}}, "{{.Text}}")</script>`,
	`<script type="application/ld+json">{{.Script}}</script><script type="application/ld+json">{{.Text}}</script>`,
	`{{if .Yes}}a{{else}}b{{end}}{{if .Absent}}a{{else if .Empty}}b{{else}}c{{end}}{{if not .Number}}a{{end}}`,
	`{{with .Present}}{{.}}{{$.Number}}{{end}}{{with .Nested}}{{.Name}} {{.Title}}{{else}}none{{end}}`,
	`{{range .List}}<{{.Name}} {{.Title}}>{{else}}none{{end}}{{range .Empty}}a{{else}}none{{end}}`,
	`{{range $i, $c := .List}}{{if $i}}, {{end}}{{$i}}{{$c.Name}}{{if eq $i 1}}{{break}}{{end}}{{end}}`,
	`{{range $c := .List}}{{if eq $c.Name "a<b"}}{{continue}}{{end}}{{.Name}}{{end}}`,
	`{{$n := 1}}{{range .List}}{{$n = twice $n}}{{$n}}{{end}}{{$n}}{{with $x := .Text}}{{$x}}{{end}}`,
	`{{template "other" .}}{{template "other" .Nested}}{{define "other"}}{{with .}}{{.Name}}{{end}}{{end}}`,
	`{{template "loop" .List}}{{define "loop"}}{{if .}}{{len .}}{{range .}}{{.Name}}{{end}}{{end}}{{end}}`,
	`{{block "part" .Text}}<i>{{.}}</i>{{end}}{{template "part" "&"}}{{template "part"}}`,
	`{{join .Text .Number "x" true}}{{.Text | join 1 | bold}}{{twice .Number | twice}}{{bold (join .Name)}}`,
	`{{.Has "text"}}{{if .Has "other"}}a{{else}}b{{end}}{{.Fails false}}{{(index .List 0).Name}}`,
	`{{and .Yes .Text}}{{or .Absent .Text}}{{ne .Number 3}}{{lt .Number 4}}{{ge .Text "a"}}{{eq .Number 1 3}}`,
	`{{le 1 .Number}}{{gt .Number 1}}{{len .Text}}{{print .Number .Text}}{{printf "%03d" .Number}}{{1.5}}{{'a'}}`,
	`{{.Map}}{{.Map.one}}{{range .Map}}{{.}}{{end}}{{range $k, $v := .Map}}{{$k}}{{$v}}{{end}}{{range 3}}{{.}}{{end}}`,
	`{{html .Text}}{{.Text | html}}{{urlquery .Text}}{{js .Text}}{{slice .Text 1 2}}`,
	`{{.Fails true}}`, `{{.Panics}}`, `{{.Two}}`, `{{with .Nested}}{{.Two}}{{end}}`, `{{.Missing}}`, `{{.Nested.Missing}}`, `{{template "self" .}}{{define "self"}}{{.Text}}{{end}}`,
	`{{.Absent.Foo}}`, `{{twice .Text}}`, `{{with .Text}}{{.Name}}{{end}}`, `a{{/* b */}}c{{- " d " -}} e`,
}

// texts are values that need escaping in different places.
var texts = []string{
	"", "plain", "https://a.example/b?c=d&e=f#g", "/a b", "javascript:alert(1)", "mailto:a@b.example", "//a.example",
	`a & b < c > d "e" 'f' + g`, "C++", "naïve 漢字 🙂", "\x00", "\xff\xfe", "\ufdd0\uffff\ufffd", "a\u2028b", "100 %", "%41%4",
	"</script>", "<!--", "`${a}`", "{{.}}", "-->", "a\tb\nc", "x:y", "a/b:c", "HTTPS://A.example",
}

func example(text string) *data {
	return &data{
		child: &child{text, "https://a.example"}, Text: text, Number: 3, Present: &text, Yes: true, Day: day(text),
		HTML: htmltemplate.HTML("<i>" + text + "</i>"), URL: htmltemplate.URL(text), Script: `{"a":1}`,
		List: []child{{"a<b", ""}, {text, text}, {"c", ""}}, Nested: &child{text, ""}, Map: map[string]int{"one": 1, "two": 2},
	}
}

// result is what an execution printed, with its error.
func result(out fmt.Stringer, err error) string {
	if err != nil {
		return "!error: " + err.Error()
	}
	return out.String()
}

// tokens returns the tags and texts of HTML as browsers read them.
func tokens(page string) (list []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for z.Next() != html.ErrorToken {
		t := z.Token()
		list = append(list, fmt.Sprintf("%d %q %q", t.Type, t.Data, t.Attr))
	}
	return list
}

// TestHTML compares what this package and html/template print. In texts, this package does not escape
// what needs no escaping there.
func TestHTML(t *testing.T) {
	compare := func(body, text, got, want string) {
		if got != want && (strings.HasPrefix(got+want, "!") || !slices.Equal(tokens(got), tokens(want))) {
			t.Errorf("%s of %q: %q, want %q", body, text, got, want)
		}
	}
	left := int64(0)
	for _, body := range bodies {
		standard, err := htmltemplate.New("page").Funcs(functions).Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		set, err := HTML(standard, htmltemplate.Must(standard.Clone()), functions)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			var want, got bytes.Buffer
			values := example(text)
			wanted := result(&want, standard.Execute(&want, values))
			compare(body, text, result(&got, set.Execute(&got, "page", values)), wanted)
		}
		left += set.Left()
	}
	if all := int64(len(bodies) * len(texts)); left > all*2/3 {
		t.Errorf("%d of %d executions were left to html/template", left, all)
	}
}

// TestText is like TestHTML, for text/template.
func TestText(t *testing.T) {
	escape := functions["escaped"].(func(any) string)
	for _, body := range bodies {
		for _, body := range []string{body, strings.ReplaceAll(body, "}}", " | escaped}}")} {
			standard, err := template.New("page").Funcs(functions).Parse(body)
			if err != nil {
				continue // not every action can be escaped
			}
			set := Text(standard, functions, "escaped", Escaping(escape))
			for _, text := range texts {
				var want, got bytes.Buffer
				values := example(text)
				wanted := result(&want, standard.Execute(&want, values))
				if is := result(&got, set.Execute(&got, "page", values)); is != wanted {
					t.Errorf("%s of %q: %q, want %q", body, text, is, wanted)
				}
			}
		}
	}
}
