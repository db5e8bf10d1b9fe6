// Package labels replaces the texts of pages with translations, and with the site owner's own texts.
//
// Templates and code write a text in English where it is shown. The owner's labels.yml, in the
// folder of overrides, maps texts to others: to translate pages, or to say something in other
// words. A text that is not in the file is as in the program's own translation, or else in English.
//
//	Search: Suchen
//	"A page of {title}": "Eine Seite von {title}"
//	"{n} listings": {one: "{n} Eintrag", other: "{n} Einträge"}
//
// Braces hold names of values. A text with a number {n} can have a form for each plural category of
// the language (CLDR): zero, one, two, few, many, other.
package labels

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"catalog.example/api/spelling"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"catalog.example/templates"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// File is the name of the labels file in the folder of overrides.
const File = templates.Labels

// Labels maps the texts of pages to other texts. A nil *Labels maps none.
type Labels struct {
	language language.Tag
	texts    map[string]forms
	below    *Labels // has the texts that texts leaves in English
}

// Over returns labels that have the texts of below for those that l leaves in English.
func (l *Labels) Over(below *Labels) *Labels { return &Labels{l.language, l.texts, below} }

// forms maps plural categories to the forms of a text. A text without plural forms has the key "".
type forms map[string]string

// categories names the plural categories of CLDR.
var categories = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
	plural.Many: "many", plural.Other: "other"}

// Text returns a text in the words of labels, with names in braces replaced with values. values
// alternates names and values.
func (l *Labels) Text(text string, values ...any) string {
	return Fill(l.Form(text), values...)
}

// Form returns a text in the words of labels, without replacing the names of values in it.
func (l *Labels) Form(text string) string {
	if f := l.Forms(text); f != nil {
		return f[""]
	}
	return text
}

// Count returns the form of a text for the number n, which the text calls {n}. one is the English
// text for 1, and other is the English text for all other numbers. The key of the forms of labels is
// other.
func (l *Labels) Count(n int, one, other string, values ...any) string {
	return Fill(l.CountForm(n, one, other), append([]any{"n", n}, values...)...)
}

// CountForm works like Count, but does not fill in values.
func (l *Labels) CountForm(n int, one, other string) string {
	if f := l.Forms(other); f != nil {
		category := categories[plural.Cardinal.MatchPlural(l.language, n, 0, 0, 0, 0)]
		if form, ok := f[category]; ok {
			return form
		}
		return f["other"]
	}
	if n == 1 {
		return one
	}
	return other
}

// Forms returns all the forms of a text, for a program that chooses among them. The keys are plural
// categories, or "" for a text without plural forms. It returns nil if the text is only in English.
func (l *Labels) Forms(text string) map[string]string {
	if l == nil {
		return nil
	}
	if !l.translates(text) {
		if f := l.below.Forms(text); f != nil {
			return f
		}
	}
	return l.texts[text]
}

// translates reports whether the owner has translated a text. A single word may be the same in both
// languages, so a replacement that repeats it counts as a translation.
func (l *Labels) translates(text string) bool {
	f := l.texts[text]
	same := f[""] == text || f["other"] == text
	return f != nil && !(same && strings.Contains(text, " "))
}

// Prose returns a text in the words of labels. If they do not have it, it is translated by its parts, as far as they
// have these: a sentence, or several that follow each other.
func (l *Labels) Prose(text string) string {
	sentences := strings.SplitAfter(text, ". ")
	for i := 0; i < len(sentences); i++ {
		for end := len(sentences); end > i; end-- {
			part := strings.Join(sentences[i:end], "")
			said := strings.TrimSuffix(part, " ")
			form, ok := l.Forms(said)[""]
			if !ok { // a title, for example, has no full stop by itself
				said = strings.TrimSuffix(said, ".")
				form, ok = l.Forms(said)[""]
			}
			if ok {
				sentences = slices.Replace(sentences, i, end, form+strings.TrimPrefix(part, said))
				break
			}
		}
	}
	return strings.Join(sentences, "")
}

// Fill replaces names in braces with values. values alternates names and values.
func Fill(text string, values ...any) string {
	var out strings.Builder
	for len(values) > 0 {
		before, rest, _ := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			break
		}
		out.WriteString(before)
		text = rest
		i := 0
		for i+1 < len(values) && values[i] != name {
			i += 2
		}
		if i+1 < len(values) {
			fmt.Fprint(&out, values[i+1])
			text = after
		} else {
			out.WriteByte('{')
		}
	}
	return out.String() + text
}

// Names matches a name in braces in a text.
var Names = regexp.MustCompile(`\{[a-z]+\}`)

// Error holds the mistakes in a file of labels.
type Error []strictyaml.Problem

// Error implements error. It lists every mistake on its own line.
func (e Error) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = At(p)
	}
	return strings.Join(lines, "\n")
}

// At returns a mistake and its position as one line of text.
func At(p strictyaml.Problem) string {
	return fmt.Sprintf("%s:%d:%d: %s", File, p.Line, p.Column, p.Message)
}

// Parse reads an owner's labels. known holds the texts that pages have; its value is true for texts
// with plural forms. The error is an Error if the file has mistakes. The warnings are about texts
// that no page has.
func Parse(text []byte, lang string, known map[string]bool) (l *Labels, warnings []strictyaml.Problem, err error) {
	tag, err := language.Parse(lang)
	if err != nil {
		return nil, nil, fmt.Errorf("setting lang: %w", err)
	}
	doc, problems := strictyaml.Parse(text, 1)
	if doc == nil {
		return nil, nil, Error(problems)
	}
	r := &reader{labels: &Labels{language: tag, texts: map[string]forms{}}, known: known}
	if root := doc.Root(); root != nil {
		r.read(root)
	}
	if len(r.problems) > 0 {
		return r.labels, r.warnings, Error(r.problems)
	}
	return r.labels, r.warnings, nil
}

// Translation returns the program's translation into a language, and which texts it has: none if there is none. Besides
// those of pages, a translation has texts that only some catalogues show, and sentences for Prose. The results must not
// be changed.
func Translation(lang string) (l *Labels, known map[string]bool, err error) {
	if kept, ok := translations.Load(lang); ok {
		t := kept.(translation)
		return t.labels, t.known, nil
	}
	text := templates.Translation(lang)
	if known, err = Known(text); err != nil {
		return nil, nil, err
	}
	if l, _, err = Parse(text, lang, known); err == nil {
		translations.Store(lang, translation{l, known})
	}
	return l, known, err
}

// translations keeps the results of Translation, because a preview asks for them after each change.
var translations sync.Map

type translation struct {
	labels *Labels
	known  map[string]bool
}

// reader reads the YAML nodes of a labels file.
type reader struct {
	labels   *Labels
	known    map[string]bool
	problems []strictyaml.Problem
	warnings []strictyaml.Problem
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, strictyaml.Problem{Line: n.Line, Column: n.Column,
		Message: fmt.Sprintf(format, args...)})
}

func (r *reader) read(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		r.fail(root, "is not a mapping: write a text of a page, a colon and your text")
		return
	}
	lines := map[string]int{}
	for key, value := range yamlnode.Pairs(root) {
		if line, ok := lines[key.Value]; ok {
			r.fail(key, "%q is repeated; it is already on line %d: remove one of them", key.Value, line)
			continue
		}
		lines[key.Value] = key.Line
		r.text(key, value)
	}
}

// text reads the replacement of one text, with its forms.
func (r *reader) text(key, value *yaml.Node) {
	counts, ok := r.known[key.Value]
	if !ok {
		warning := fmt.Sprintf("no page has the text %q, so its replacement has no effect", key.Value)
		if near := spelling.Nearest(key.Value, slices.Sorted(maps.Keys(r.known)), 1); len(near) > 0 {
			warning += fmt.Sprintf("; did you mean %q?", near[0])
		}
		r.warnings = append(r.warnings, strictyaml.Problem{Line: key.Line, Column: key.Column, Message: warning})
		return
	}
	f := forms{}
	switch {
	case value.Kind == yaml.ScalarNode && counts:
		r.form(key, value, f, "other")
	case value.Kind == yaml.ScalarNode:
		r.form(key, value, f, "")
	case value.Kind == yaml.MappingNode && counts:
		for category, form := range yamlnode.Pairs(value) {
			if !slices.Contains(slices.Collect(maps.Values(categories)), category.Value) {
				r.fail(category, "%q is not a plural category: write one of zero, one, two, few, many, other",
					category.Value)
				continue
			}
			r.form(key, form, f, category.Value)
		}
		if _, ok := f["other"]; !ok {
			r.fail(value, "%q has no form for all other numbers: add other", key.Value)
		}
	case value.Kind == yaml.MappingNode:
		r.fail(value, "%q has no number, so it has only one form: write a text", key.Value)
	default:
		r.fail(value, "%q has no text: write one after the colon", key.Value)
	}
	r.labels.texts[key.Value] = f
}

// form reads one form of a text. It must contain the same names of values, except that some plural
// forms may leave out {n}.
func (r *reader) form(key, value *yaml.Node, f forms, category string) {
	if value.Kind != yaml.ScalarNode || strings.TrimSpace(value.Value) == "" || value.Tag == "!!null" {
		r.fail(value, "%q has no text: write one after the colon", key.Value)
		return
	}
	want, got := Names.FindAllString(key.Value, -1), Names.FindAllString(value.Value, -1)
	for _, name := range got {
		if !slices.Contains(want, name) {
			remedy := "remove it"
			if len(want) > 0 {
				remedy = "write one of " + strings.Join(want, ", ")
			}
			r.fail(value, "%s is not a value of %q: %s", name, key.Value, remedy)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) && !(name == "{n}" && category != "" && category != "other") {
			r.fail(value, "%s of %q is missing: write it where the value belongs", name, key.Value)
		}
	}
	f[category] = value.Value
}

// Missing returns the known texts, sorted, that labels leave in English, and with no part translated.
func (l *Labels) Missing(known map[string]bool) (list []string) {
	for _, text := range slices.Sorted(maps.Keys(known)) {
		if !l.translates(text) && l.below.Forms(text) == nil && l.Prose(text) == text {
			list = append(list, text)
		}
	}
	return list
}

// Known returns the texts in a shipped file of labels. The value is true for texts with plural
// forms.
func Known(shipped []byte) (map[string]bool, error) {
	doc, problems := strictyaml.Parse(shipped, 1)
	if doc == nil {
		return nil, Error(problems)
	}
	known := map[string]bool{}
	if root := doc.Root(); root != nil {
		for key, value := range yamlnode.Pairs(root) {
			known[key.Value] = value.Kind == yaml.MappingNode
		}
	}
	return known, nil
}
