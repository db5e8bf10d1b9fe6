package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"slices"
	"strings"
	"text/template/parse"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/openapi"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/labels"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/templates"
	"golang.org/x/text/language"
)

// apiTexts are texts of package api that pages show. Programs get them in English.
var apiTexts = append([]string{
	api.Unknown, "yes", "no", api.UpkeepActive, api.UpkeepSlow, api.UpkeepDormant, api.UpkeepArchived, api.UpkeepMeaning,
	hardware.LevelMinimum, hardware.LevelRecommended, hardware.LevelExample,
}, api.InstallKinds...)

// t returns a text in the words of the owner, with values in place of their names in braces.
func (r *renderer) t(text string, values ...any) string { return r.labels.Text(text, values...) }

// n is t for a text that counts: one is the English text for 1, and other for all others.
func (r *renderer) n(n int, one, other string, values ...any) string {
	return r.labels.Count(n, one, other, values...)
}

// loadLabels reads the owner's labels. It warns of texts that no page has, and of a language
// into which texts are not translated.
func (r *renderer) loadLabels() error {
	l, known, problems, err := r.readLabels()
	if err != nil {
		return err
	}
	r.labels = l
	var warnings []string
	for _, p := range problems {
		if rule.UnusedLabel.At(r.Settings.Rules).Severity != rule.Off {
			warnings = append(warnings, labels.At(p))
		}
	}
	if missing := r.labels.Missing(known); !strings.HasPrefix(r.Settings.Lang, "en") && len(missing) > 0 {
		const named = 3
		text := fmt.Sprintf("%d of %d texts of pages have no translation into %s, and are English: %q", len(missing), len(known), r.Settings.Lang, missing[:min(named, len(missing))])
		if len(missing) > named {
			text += " and others"
		}
		warnings = append(warnings, text+"; `catalog templates export labels.yml` gives you all of them")
	}
	for _, w := range warnings {
		if r.Warn != nil {
			r.Warn(w)
		}
	}
	return nil
}

// readLabels reads the owner's labels, which are nil if there are none, and returns the texts
// that pages have. Warnings are about texts that no page has.
func (r *renderer) readLabels() (l *labels.Labels, known map[string]bool, warnings []strictyaml.Problem, err error) {
	own, err := fs.ReadFile(r.Templates, labels.File)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	shipped, err := fs.ReadFile(templates.Shipped(), labels.File)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	if string(own) == string(shipped) {
		if strings.HasPrefix(r.Settings.Lang, "en") {
			return nil, nil, nil, nil
		}
		own = nil
	}
	if known, err = labels.Known(shipped); err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	for _, text := range r.programTexts() {
		if _, ok := known[text]; !ok {
			known[text] = false
		}
	}
	if l, warnings, err = labels.Parse(own, r.Settings.Lang, known); err != nil {
		return nil, nil, nil, fmt.Errorf("setting overrides: %w", err)
	}
	return l, known, warnings, nil
}

// CheckLabels returns what is wrong with the labels of a site's owner: mistakes, which stop a
// build, or else texts that no page has.
func CheckLabels(site *Site) (mistakes, warnings []strictyaml.Problem, err error) {
	r := &renderer{Site: site}
	_, _, warnings, err = r.readLabels()
	if wrong, ok := errors.AsType[labels.Error](err); ok {
		return wrong, nil, nil
	}
	return nil, warnings, err
}

// direction returns the value of the attribute dir for a language: "rtl", or "" for most.
func direction(lang string) string {
	tag, err := language.Parse(lang)
	if err != nil {
		return ""
	}
	switch script, _ := tag.Script(); script.String() {
	case "Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg":
		return "rtl"
	}
	return ""
}

// htmlFunctions are the functions of HTML templates.
func (r *renderer) htmlFunctions() template.FuncMap {
	return template.FuncMap{
		// t is a text of the page, count one that counts. Values of the type template.HTML are
		// printed as they are.
		"t": func(text string, values ...any) any { return filled(r.labels.Form(text), values) },
		"count": func(n int, one, other string, values ...any) any {
			return filled(r.labels.CountForm(n, one, other), append([]any{"n", n}, values...))
		},
		// a is a link, code is inline code.
		"a": func(address, text any) template.HTML {
			return withValues(`<a href="{address}">{text}</a>`, "{address}", template.HTMLEscaper(address), "{text}", template.HTMLEscaper(text))
		},
		"code": func(text any) template.HTML {
			return withValues("<code>{text}</code>", "{text}", template.HTMLEscaper(text))
		},
	}
}

// filled puts values into a text: as a string, which templates escape, or as HTML if a value
// is HTML.
func filled(text string, values []any) any {
	isHTML := false
	for i := 1; i < len(values); i += 2 {
		if _, ok := values[i].(template.HTML); ok {
			isHTML = true
		}
	}
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		value := textOfAny(values[i+1])
		if _, ok := values[i+1].(template.HTML); isHTML && !ok {
			value = template.HTMLEscapeString(value)
		}
		pairs = append(pairs, "{"+fmt.Sprint(values[i])+"}", value)
	}
	if isHTML {
		return withValues(template.HTMLEscapeString(text), pairs...)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// withValues returns HTML with values, which are HTML too, in place of their names.
func withValues(html string, namesAndValues ...string) template.HTML {
	return template.HTML(strings.NewReplacer(namesAndValues...).Replace(html)) // #nosec G203 -- the callers escape
}

// filledMarkdown is filled for Markdown.
func filledMarkdown(text string, values []any) markdown {
	var marks, pairs []string
	for i := 0; i+1 < len(values); i += 2 {
		mark := string(rune(0xE000 + i)) // of the Private Use Area, which texts do not have
		marks = append(marks, "{"+fmt.Sprint(values[i])+"}", mark)
		pairs = append(pairs, mark, string(escape(values[i+1])))
	}
	escaped := commonmark.Text(strings.NewReplacer(marks...).Replace(text))
	return markdown(strings.NewReplacer(pairs...).Replace(escaped))
}

// filledHTML is filled for values that are HTML.
func filledHTML(text string, values ...any) template.HTML {
	html, _ := filled(text, values).(template.HTML)
	return html
}

// programTexts returns the texts of the API's description and problems, which pages show.
func (r *renderer) programTexts() (list []string) {
	for _, k := range api.ProblemKinds {
		list = append(list, k.Title, k.Explanation)
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, member := range v {
				text, isText := member.(string)
				switch {
				case isText && (key == "description" || key == "summary"):
					list = append(list, strings.Split(text, "\n\n")...)
				case key != "example":
					walk(member)
				}
			}
		case []any:
			for _, member := range v {
				walk(member)
			}
		}
	}
	var document any
	if text, err := openapi.Document(r.Settings, &r.Content.Taxonomy); err == nil && json.Unmarshal(text, &document) == nil {
		walk(document)
	}
	for _, p := range r.searchParameters() {
		list = append(list, p.Description, p.Text())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// factText returns a value of a fact in words.
func (r *renderer) factText(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok || !api.Known(v) {
		return r.t(f.Text(v))
	}
	return f.Text(v)
}

// factLabel returns the name of a fact. Those of the taxonomy are in the owner's language.
func (r *renderer) factLabel(f *api.Fact) string { return r.optionLabel(f, f.Label) }

// optionLabel returns the label of an option of a fact.
func (r *renderer) optionLabel(f *api.Fact, label string) string {
	if f.IsField() {
		return r.t(label)
	}
	return label
}

// phrase returns a fact in a few words.
func (r *renderer) phrase(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok && len(f.Chips(v)) == 0 {
		return f.Label + ": " + r.factText(f, v)
	}
	return f.Phrase(v)
}

// translated returns texts in the words of the owner.
func (r *renderer) translated(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = r.t(text)
	}
	return list
}

// placeProof makes the template "fact" print the source of a value, or that it was judged, after
// the value, so that owners' templates need not know of it.
func placeProof(t *template.Template) {
	if t == nil || t.Tree == nil {
		return
	}
	proof := template.Must(template.New("proof").Parse("{{.Proof}}")).Tree.Root.Nodes[0]
	at := 1 + slices.IndexFunc(t.Tree.Root.Nodes, func(n parse.Node) bool {
		called, ok := n.(*parse.TemplateNode)
		return ok && called.Name == "parts"
	})
	if at == 0 { // an owner's template shows values without it
		at = len(t.Tree.Root.Nodes)
	}
	t.Tree.Root.Nodes = slices.Insert(t.Tree.Root.Nodes, at, proof)
}
