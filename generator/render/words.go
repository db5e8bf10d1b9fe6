package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/templates"
)

// apiTexts are texts of package api that pages show. Programs get them in English.
var apiTexts = append([]string{
	api.Unknown, "yes", "no",
	api.UpkeepActive, api.UpkeepSlow, api.UpkeepDormant, api.UpkeepArchived, api.UpkeepMeaning,
	hardware.LevelMinimum, hardware.LevelRecommended, hardware.LevelExample,
}, api.InstallKinds...)

// Words has the texts of pages in the words of the owner.
type Words struct {
	*labels.Labels
	settings *site.Settings
	taxonomy *api.Taxonomy
	isChip   map[string]bool // texts of chips
}

func newWords(in *Site, l *labels.Labels) *Words {
	w := &Words{Labels: l, settings: &in.Settings, taxonomy: &in.Content.Taxonomy, isChip: map[string]bool{}}
	for _, f := range w.taxonomy.Facts {
		for _, chip := range f.Chip {
			w.isChip[chip] = true
		}
	}
	return w
}

// T returns a text in the words of the owner, with values in place of their names in braces.
func (w *Words) T(text string, values ...any) string { return w.Text(text, values...) }

// N is T for a text that counts: one is the English text for 1, and other for all others.
func (w *Words) N(n int, one, other string, values ...any) string {
	return w.Count(n, one, other, values...)
}

// HasPlatforms reports whether the taxonomy has platforms.
func (w *Words) HasPlatforms() bool {
	return w.settings.Has("platforms") && len(w.taxonomy.Platforms) > 0
}

// loadLabels reads the owner's labels. It warns of texts that no page has, and of a language
// into which texts are not translated.
func loadLabels(in *Site) (*labels.Labels, error) {
	l, known, problems, err := readLabels(in)
	if err != nil || in.Warn == nil {
		return l, err
	}
	for _, p := range problems {
		if rule.UnusedLabel.At(in.Settings.Rules).Severity != rule.Off {
			in.Warn(labels.At(p))
		}
	}
	if missing := l.Missing(known); !strings.HasPrefix(in.Settings.Lang, "en") && len(missing) > 0 {
		const named = 3
		others := ""
		if len(missing) > named {
			others = " and others"
		}
		in.Warn(fmt.Sprintf("%d of %d texts of pages have no translation into %s, and are English: %q%s; "+
			"`catalog templates export labels.yml` gives you all of them",
			len(missing), len(known), in.Settings.Lang, missing[:min(named, len(missing))], others))
	}
	return l, nil
}

// readLabels reads the owner's labels, which are nil if there are none, and returns the texts
// that pages have. Warnings are about texts that no page has.
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
	for _, text := range programTexts(in) {
		if _, ok := known[text]; !ok {
			known[text] = false
		}
	}
	if l, warnings, err = labels.Parse(own, in.Settings.Lang, known); err != nil {
		return nil, nil, nil, fmt.Errorf("setting overrides: %w", err)
	}
	return l, known, warnings, nil
}

// CheckLabels returns what is wrong with the labels of a site's owner: mistakes, which stop a
// build, or else texts that no page has.
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
		// t is a text of the page, count one that counts. Values of the type template.HTML are
		// printed as they are.
		"t": func(text string, values ...any) any { return filled(w.Form(text), values) },
		"count": func(n int, one, other string, values ...any) any {
			return filled(w.CountForm(n, one, other), append([]any{"n", n}, values...))
		},
		// a is a link, code is inline code.
		"a": func(address, text any) template.HTML {
			return withValues(`<a href="{address}">{text}</a>`,
				"{address}", template.HTMLEscaper(address), "{text}", template.HTMLEscaper(text))
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

// MarkdownText is T for Markdown versions: values of the type Markdown are printed as they are.
func (w *Words) MarkdownText(text string, values ...any) Markdown {
	return filledMarkdown(w.Form(text), values)
}

// filledMarkdown is filled for Markdown.
func filledMarkdown(text string, values []any) Markdown {
	var marks, pairs []string
	for i := 0; i+1 < len(values); i += 2 {
		mark := string(rune(0xE000 + i)) // of the Private Use Area, which texts do not have
		marks = append(marks, "{"+fmt.Sprint(values[i])+"}", mark)
		pairs = append(pairs, mark, string(escape(values[i+1])))
	}
	escaped := commonmark.Text(strings.NewReplacer(marks...).Replace(text))
	return Markdown(strings.NewReplacer(pairs...).Replace(escaped))
}

// FilledHTML is filled for values that are HTML.
func FilledHTML(text string, values ...any) template.HTML {
	html, _ := filled(text, values).(template.HTML)
	return html
}

// programTexts returns the texts of the API's description and problems, which pages show.
func programTexts(in *Site) (list []string) {
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
	text, err := openapi.Document(in.Settings, &in.Content.Taxonomy)
	if err == nil && json.Unmarshal(text, &document) == nil {
		walk(document)
	}
	for _, p := range api.SearchParameters(&in.Settings, &in.Content.Taxonomy) {
		list = append(list, p.Description, p.Text())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// FactText returns a value of a fact in words.
func (w *Words) FactText(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok || !api.Known(v) {
		return w.T(f.Text(v))
	}
	return f.Text(v)
}

// FactLabel returns the name of a fact. Those of the taxonomy are in the owner's language.
func (w *Words) FactLabel(f *api.Fact) string { return w.OptionLabel(f, f.Label) }

// OptionLabel returns the label of an option of a fact.
func (w *Words) OptionLabel(f *api.Fact, label string) string {
	if f.IsField() {
		return w.T(label)
	}
	return label
}

// Phrase returns a fact in a few words.
func (w *Words) Phrase(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok && len(f.Chips(v)) == 0 {
		return f.Label + ": " + w.FactText(f, v)
	}
	return f.Phrase(v)
}

// Translated returns texts in the words of the owner.
func (w *Words) Translated(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = w.T(text)
	}
	return list
}

// PlatformNames returns the names of platforms.
func (w *Words) PlatformNames(slugs []string) (names []string) {
	for _, slug := range slugs {
		if p, ok := w.taxonomy.Platform(slug); ok {
			names = append(names, p.Name)
		}
	}
	return names
}

// ShortFacts returns the known facts that people choose by, in a few words each.
func (w *Words) ShortFacts(p *api.Project) (list []string) {
	if p.License != nil {
		list = append(list, licenseName(nil, *p.License))
	}
	if Is(p.OSIApproved, false) {
		list = append(list, "not open source")
	}
	if s := p.Stopped(); s != "" {
		list = append(list, s)
	}
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		if v := p.FitNotes.Get(f.Key); ChosenBy(f) && api.Known(v) {
			list = append(list, f.Phrase(v))
		}
	}
	if p.Stars != nil {
		list = append(list, fmt.Sprintf("%d stars", *p.Stars))
	}
	if p.UpdatedAt != nil {
		list = append(list, "updated "+string(*p.UpdatedAt))
	}
	return list
}

// DifferencesOf returns how another listing differs from this one, in a few words each.
func (w *Words) DifferencesOf(one, other *content.Listing) (list []string) {
	if one.License != nil && other.License != nil && *one.License != *other.License {
		list = append(list, w.LicenseName(*other.License))
	}
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		a, b := one.FitNotes.Get(f.Key), other.FitNotes.Get(f.Key)
		// "no" is shown only if this listing has "yes".
		if ChosenBy(f) && api.Known(b) && !api.SameValue(a, b) && (b != false || a == true) {
			list = append(list, w.Phrase(f, b))
		}
	}
	only := func(a, b []string) string {
		slugs := slices.DeleteFunc(slices.Clone(a), func(slug string) bool { return slices.Contains(b, slug) })
		names := w.PlatformNames(slugs)
		// A platform that a chip names is left out.
		return strings.Join(slices.DeleteFunc(names, func(name string) bool { return w.isChip[name] }), ", ")
	}
	if also := only(other.Platforms, one.Platforms); also != "" {
		list = append(list, w.T("also on {platforms}", "platforms", also))
	}
	if missing := only(one.Platforms, other.Platforms); missing != "" && len(other.Platforms) > 0 {
		list = append(list, w.T("not on {platforms}", "platforms", missing))
	}
	if one.Language != nil && other.Language != nil && *one.Language != *other.Language {
		list = append(list, w.T("written in {language}", "language", *other.Language))
	}
	return list
}

// Stopped says that a listing is no longer worked on, or returns "".
func (w *Words) Stopped(p *api.Project) string {
	if s := p.Stopped(); s != "" {
		return w.T(s)
	}
	return ""
}

// FieldLabel returns the name of a field of Sources in words.
func (w *Words) FieldLabel(field string) string {
	if key, ok := strings.CutPrefix(field, "fitNotes."); ok {
		if f := w.taxonomy.Fact(key); f != nil {
			return f.Label
		}
	}
	label, ok := map[string]string{
		"homepageUrl": w.T("Homepage"), "docsUrl": w.T("Documentation"), "repositoryUrl": w.T("Source repository"),
		"osiApproved": w.T("Open source"), "license": w.T("Licence"), "stars": w.T("Stars"),
		"archived": w.T("Archived"), "release": w.T("Latest release"), "createdAt": w.T("First commit"),
		"updatedAt": w.T("Latest commit or release"), "language": w.T("Language"), "platforms": w.T("Platforms"),
		"replaces": w.T("Instead of"), "installLinks": w.T("Install"), api.SetupsKey: w.T("RAM and VRAM"),
	}[field]
	if !ok {
		label = strings.ToUpper(field[:1]) + field[1:]
	}
	return label
}

// FitTexts returns the facts of a listing that are lists of texts.
func (w *Words) FitTexts(p *api.Project) (list []Texts) {
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		texts, ok := p.FitNotes.Get(f.Key).([]string)
		if ok && f.Kind == api.FactTexts && f.Group == "" && len(texts) > 0 {
			list = append(list, Texts{Label: f.Label, List: texts, Key: f.Key})
		}
	}
	return list
}

// ChosenBy reports whether people choose by a fact.
func ChosenBy(f *api.Fact) bool {
	switch f.Kind {
	case api.FactYesNo, api.FactChoice, api.FactChoices:
		return true
	}
	return f.Kind == api.FactNumber && f.IsCriterion()
}

// OrUnknown returns a text, or that it is unknown.
func OrUnknown[T ~string](w *Words, s *T) string {
	if s == nil {
		return w.T(api.Unknown)
	}
	return string(*s)
}

// Texts is a fact that is a list of texts, which is not in a table.
type Texts struct {
	Label string
	List  []string
	Key   string
}
