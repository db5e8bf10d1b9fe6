package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/labels"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/templates"
)

// apiTexts are texts of package api that pages show. Programs get them in English.
var apiTexts = append([]string{
	api.Unknown, "yes", "no",
	api.UpkeepActive, api.UpkeepSlow, api.UpkeepDormant, api.UpkeepArchived, api.UpkeepMeaning,
	api.KeptUp,
	hardware.LevelMinimum, hardware.LevelRecommended, hardware.LevelExample,
}, slices.Concat(api.InstallKinds, api.Severities, suitTexts)...)

// loadLabels reads the labels of a site. It warns of texts of the owner's that no page has, and of a language
// into which texts are not translated.
func loadLabels(in *Site) (*labels.Labels, error) {
	l, known, problems, err := readLabels(in)
	if err != nil || in.Warn == nil || l == nil {
		return l, err
	}
	for _, p := range problems {
		if rule.UnusedLabel.At(in.Settings.Rules).Severity != rule.Off {
			in.Warn(renamed{errors.New(labels.At(p)), in.Language}.Error())
		}
	}
	// Texts with words of the catalogue are not counted: in a German catalogue, some are German.
	fixed := fixedTexts(&in.Settings)
	for _, text := range programTexts(&in.Settings, &in.Content.Taxonomy) {
		if _, ok := slices.BinarySearch(fixed, text); !ok && !slices.Contains(in.Untranslated, text) {
			delete(known, text)
		}
	}
	if missing := l.Missing(known); !strings.HasPrefix(in.Settings.Lang, "en") && len(missing) > 0 {
		const named = 3
		others := ""
		if len(missing) > named {
			others = " and others"
		}
		file := templates.LabelsIn(in.Language)
		in.Warn(fmt.Sprintf("%d of %d texts of pages have no translation into %s, and are English: %q%s; translate "+
			"them in %s in the folder of overrides, which `catalog templates export %s` begins with all texts of pages",
			len(missing), len(known), in.Settings.Lang, missing[:min(named, len(missing))], others, file, file))
	}
	return l, nil
}

// readLabels reads the owner's labels, over those of the program for the language, and returns known, the texts that
// pages have. Both are nil if pages show the shipped English texts. Warnings are about texts that no page has.
func readLabels(in *Site) (l *labels.Labels, known map[string]bool, warnings []strictyaml.Problem, err error) {
	own, err := fs.ReadFile(in.Templates, labels.File)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	shipped, err := fs.ReadFile(templates.Shipped(), labels.File)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	if string(own) == string(shipped) {
		if strings.HasPrefix(in.Settings.Lang, "en") {
			return nil, nil, nil, nil
		}
		own = nil
	}
	if known, err = labels.Known(shipped); err != nil {
		return nil, nil, nil, fmt.Errorf("templates: %w", err)
	}
	for _, text := range slices.Concat(in.Untranslated, programTexts(&in.Settings, &in.Content.Taxonomy)) {
		if _, ok := known[text]; !ok {
			known[text] = false
		}
	}
	translated, translatable, err := labels.Translation(in.Settings.Lang)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("translation into %s: %w", in.Settings.Lang, err)
	}
	all := maps.Clone(known)
	maps.Copy(all, translatable) // an owner may have copied the translation
	if l, warnings, err = labels.Parse(own, in.Settings.Lang, all); err != nil {
		return nil, nil, nil, fmt.Errorf("setting overrides: %w", renamed{err, in.Language})
	}
	return l.Over(translated), known, warnings, nil
}

// renamed is an error about labels, with the name of the file of a language.
type renamed struct {
	error
	lang string
}

// Error implements error.
func (e renamed) Error() string {
	return strings.ReplaceAll(e.error.Error(), labels.File+":", templates.LabelsIn(e.lang)+":")
}

// Unwrap returns the error with the name of the shipped file.
func (e renamed) Unwrap() error { return e.error }

// TranslateSettings puts the owner's words in place of the texts of the settings of a site in another language.
func TranslateSettings(in *Site) error {
	s := &in.Settings
	s.Jobs = slices.Clone(s.Jobs)
	texts := []*string{&s.Title, &s.Headline, &s.Description}
	for i := range s.Jobs {
		texts = append(texts, &s.Jobs[i])
	}
	for _, text := range texts {
		if *text != "" {
			in.Untranslated = append(in.Untranslated, *text)
		}
	}
	l, _, _, err := readLabels(in)
	if _, wrong := errors.AsType[labels.Error](err); wrong { // is reported by what uses the labels
		return nil
	}
	for _, text := range texts {
		*text = l.Text(*text)
	}
	return err
}

// CheckLabels checks the labels of a site's owner. It returns mistakes, which stop a build, or else
// warnings about texts that no page has.
func CheckLabels(in *Site) (mistakes, warnings []strictyaml.Problem, err error) {
	_, _, warnings, err = readLabels(in)
	if wrong, ok := errors.AsType[labels.Error](err); ok {
		return wrong, nil, nil
	}
	return nil, warnings, err
}

// htmlFunctions are the functions of HTML templates.
func (w *Words) htmlFunctions() template.FuncMap {
	return template.FuncMap{
		// t translates a text of the page, count a text that contains a number. Values of the type
		// template.HTML are printed as they are.
		"t": func(text string, values ...any) any { return filled(w.Form(text), values) },
		"count": func(n int, one, other string, values ...any) any {
			return filled(w.CountForm(n, one, other), append([]any{"n", n}, values...))
		},
		// a is a link, code is inline code.
		"a":    func(address, text any) template.HTML { return HTMLf(`<a href="%s">%s</a>`, address, text) },
		"code": code,
		// prose is text with code between backticks.
		"prose": func(text string) (html template.HTML) {
			for i, part := range strings.Split(text, "`") {
				if i%2 == 1 {
					html += code(part)
				} else {
					html += HTMLf("%s", part)
				}
			}
			return html
		},
	}
}

// HTMLf returns HTML in a format, which is a constant. Values are escaped.
func HTMLf(format string, values ...any) template.HTML {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = template.HTMLEscaper(v)
	}
	return template.HTML(fmt.Sprintf(format, escaped...)) // #nosec G203 -- the values are escaped
}

// code returns inline code.
func code(text any) template.HTML { return HTMLf("<code>%s</code>", text) }

// filled puts values into a text: as a string, which templates escape, or as HTML if a value
// is HTML.
func filled(text string, values []any) any {
	isHTML := false
	for i := 1; i < len(values); i += 2 {
		if _, ok := values[i].(template.HTML); ok {
			isHTML = true
		}
	}
	texts := slices.Clone(values)
	for i := 1; i < len(values); i += 2 {
		value := textOfAny(values[i])
		if _, ok := values[i].(template.HTML); isHTML && !ok {
			value = template.HTMLEscapeString(value)
		}
		texts[i] = value
	}
	if isHTML {
		html := labels.Fill(template.HTMLEscapeString(text), texts...)
		return template.HTML(html) // #nosec G203 -- each part is escaped
	}
	return labels.Fill(text, texts...)
}

// filledMarkdown is like filled, for Markdown versions: values of the type Markdown are printed as they are.
func filledMarkdown(text string, values []any) Markdown {
	marks := slices.Clone(values)
	for i := 1; i < len(values); i += 2 {
		marks[i] = string(rune(0xE000 + i)) // of the Private Use Area, which texts do not have
	}
	filled := commonmark.Text(labels.Fill(text, marks...))
	for i := 1; i < len(values); i += 2 {
		filled = strings.ReplaceAll(filled, marks[i].(string), string(escape(values[i])))
	}
	return Markdown(filled)
}

// FilledHTML is like filled, for values that are HTML.
func FilledHTML(text string, values ...any) template.HTML {
	html, _ := filled(text, values).(template.HTML)
	return html
}

// fixedTexts returns those of programTexts that are the same in each catalogue with the same fields.
func fixedTexts(s *site.Settings) []string {
	other := *s
	other.Title, other.Description, other.BaseURL, other.SandboxKey = "–", "–", "–", "–"
	other.AnonymousPerMinute, other.SandboxPerMinute, other.Languages = -1, -1, nil
	return programTexts(&other, &api.Taxonomy{})
}

// programTexts returns the texts of the API's description and problems, which pages show. They are sorted.
func programTexts(s *site.Settings, taxonomy *api.Taxonomy) (list []string) {
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
	text, err := openapi.Document(*s, taxonomy)
	if err == nil && json.Unmarshal(text, &document) == nil {
		walk(document)
	}
	for _, p := range api.SearchParameters(s, taxonomy) {
		note := strings.TrimSpace(strings.TrimPrefix(p.Text(), p.Description))
		list = append(list, p.Description, p.Text(), note)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(text string) bool { return text == "" })
}
