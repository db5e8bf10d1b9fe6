package content

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/language"
)

// A translation is a file beside another, such as name.de.md beside name.md. It has texts in one of the languages
// of the setting languages, and nothing else. A load with Options.Language puts them in place of those of the
// other file. What a translation leaves out stays in the main language.

// splitName splits the name of a translation into that of the file which it translates, and the language, which is ""
// for a name without one.
func splitName(translation string) (main, lang string) {
	ext := path.Ext(translation)
	stem := strings.TrimSuffix(translation, ext)
	lang = strings.TrimPrefix(path.Ext(stem), ".")
	return strings.TrimSuffix(stem, "."+lang) + ext, lang
}

// LanguageOf returns the language of a translation.
func LanguageOf(translation string) string {
	_, lang := splitName(translation)
	return lang
}

// translationOf is splitName for a file that may be no translation. It returns "" for other names.
func translationOf(file string, languages []string) (main, lang string) {
	if main, lang = splitName(file); lang == "" || !slices.Contains(languages, lang) {
		return "", ""
	}
	return main, lang
}

// translationFile returns the name of a file's translation.
func translationFile(file, lang string) string {
	ext := path.Ext(file)
	return strings.TrimSuffix(file, ext) + "." + lang + ext
}

// withoutTranslations returns the files that translate no other.
func withoutTranslations(files []string, s *site.Settings) []string {
	return slices.DeleteFunc(files, func(file string) bool {
		_, lang := translationOf(file, s.Languages)
		return lang != ""
	})
}

// translatable says which keys of a mapping, or of the entries of a list, have texts. The value of a key with nil is
// replaced as a whole.
type translatable map[string]translatable

// textKeys returns a translatable with keys whose values are replaced as a whole.
func textKeys(keys ...string) translatable {
	t := translatable{}
	for _, key := range keys {
		t[key] = nil
	}
	return t
}

// pageTexts are the texts of the front matter of pages.
var pageTexts = textKeys("title", "description")

// listingTexts returns the texts of the front matter of listings.
func listingTexts(facts []api.Fact) translatable {
	t := textKeys("name", "aliases", "purpose", "jobs", "asks", "topics")
	t[factsKey] = translatable{}
	for i := range facts {
		switch f := &facts[i]; f.Kind {
		case api.FactText, api.FactTexts:
			t[factsKey][f.Key] = nil
		case api.FactPicture:
			t[factsKey][f.Key] = textKeys("alt")
		case api.FactPlace:
			t[factsKey][f.Key] = textKeys("name")
		}
	}
	return t
}

// taxonomyTexts are the texts of the files of the taxonomy. A translation of a file with nil replaces it as a
// whole.
var taxonomyTexts = map[string]translatable{
	CategoriesFile: textKeys("name", "description", "group", "asks"),
	PlatformsFile:  textKeys("name", "suggested"),
	ProductsFile:   textKeys("aliases", "misses"),
	SetsFile:       textKeys("name", "description"),
	SynonymsFile:   nil,
	WordsFile:      nil,
	FactsFile: {
		"label": nil, "group": nil, "meaning": nil, "unit": nil, "inverse": nil, "chip": nil, "asked": nil,
		"suggested": nil, "suits": nil, "matters": nil, "cost": nil, "values": textKeys("label"),
		"filter": textKeys("labels"),
	},
}

// textIn is a text of front matter.
type textIn struct {
	path       string // such as purpose or fitNotes.notes
	key, value *yaml.Node
}

// in returns the texts of a mapping.
func (t translatable) in(n *yaml.Node) (list []textIn) {
	for key, value := range yamlnode.Pairs(n) {
		switch below, isText := t[key.Value]; {
		case isText && below == nil:
			list = append(list, textIn{key.Value, key, value})
		case isText:
			for _, text := range below.in(value) {
				text.path = key.Value + "." + text.path
				list = append(list, text)
			}
		}
	}
	return list
}

// translation is the translation of a Markdown file, which there need not be; nil in the main language.
type translation struct {
	file, main string
	texts      translatable
	exists     bool
	text       []byte
	split                // of the text
	wrong      []Finding // why it cannot be split
	// untranslated lists the texts that stay in the main language; see Document.Untranslated.
	untranslated []string
}

// newTranslation returns the translation of a file, which has a text.
func newTranslation(main, lang string, text []byte, texts translatable) *translation {
	t := &translation{file: translationFile(main, lang), main: main, texts: texts, exists: true, text: text}
	if p, bad := strictyaml.Encoding(text, 1); bad {
		t.wrong = []Finding{{t.file, p.Line, p.Column, rule.Encoding, p.Message}}
		return t
	}
	var message string
	if t.split, message = splitFrontMatter(text); message != "" {
		t.wrong = []Finding{{t.file, 1, 1, rule.FrontMatter, message}}
	}
	return t
}

// translation returns the translation of a Markdown file, or nil. It returns an error only if the file cannot be
// read.
func (l *loader) translation(file string, most int64, t translatable) (*translation, error) {
	lang := l.options.Language
	if lang == "" {
		return nil, nil
	}
	text, ok, err := l.read(translationFile(file, lang), most)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !ok {
		return &translation{main: file, texts: t}, nil
	}
	l.setTranslated(file)
	return newTranslation(file, lang, text, t), err
}

// setTranslated notes that a file has a translation.
func (l *loader) setTranslated(file string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.translated[file] = true
}

// key returns the text of the file, for keys. An empty file has another key than none.
func (t *translation) key() []byte {
	if t == nil || !t.exists {
		return nil
	}
	return append([]byte{1}, t.text...)
}

// setBody puts the text below the front matter in place of that of a file, if there is one.
func (t *translation) setBody(parts *split) {
	if t != nil && len(bytes.TrimSpace(t.body)) > 0 {
		parts.body, parts.bodyLine = t.body, t.bodyLine
	}
}

// replace puts the texts of the translation in place of those of a document, whose parts are given, and returns what
// is wrong with the translation.
func (t *translation) replace(doc *strictyaml.Document, parts *split) []Finding {
	if t == nil || doc == nil {
		return nil
	}
	own := t.open()
	own.checkVersion(doc.Root(), *parts)
	own.setUntranslated(doc.Root(), parts.body)
	own.mergeInto(doc.Root())
	t.setBody(parts)
	return own.findings
}

// BodyKey stands for the text below the front matter.
const BodyKey = "body"

// notShown are keys of texts that pages do not show, and of names, which need not be translated.
var notShown = []string{"name", "aliases", "asks", "topics", "description"}

// setUntranslated sets which of the texts of the main file the translation does not have.
func (own *openTranslation) setUntranslated(root *yaml.Node, body []byte) {
	there := map[string]bool{}
	for _, text := range own.texts.in(own.root) {
		there[text.path] = true
	}
	own.untranslated = []string{}
	for _, text := range own.texts.in(root) {
		isEmpty := text.value.Value == "" && len(text.value.Content) == 0
		if !isEmpty && !there[text.path] && !slices.Contains(notShown, text.path) {
			own.untranslated = append(own.untranslated, text.path)
		}
	}
	if len(bytes.TrimSpace(body)) > 0 && len(bytes.TrimSpace(own.body)) == 0 {
		own.untranslated = append(own.untranslated, BodyKey)
	}
}

// mergeTexts puts the texts of a YAML text, nil for none, in place of those of a document, and returns what is wrong
// with them. line is the line of its file on which the text begins.
func mergeTexts(into *yaml.Node, from *strictyaml.Document, file string, line int, t translatable) []Finding {
	m := merging{file: file, line: line}
	if from != nil && from.Root() != nil && into != nil {
		m.merge(into, from.Root(), t)
	}
	return m.findings
}

// merging merges the texts of one file.
type merging struct {
	file     string
	line     int // on which its YAML begins
	findings []Finding
}

func (m *merging) fail(n *yaml.Node, format string, args ...any) {
	m.findings = append(m.findings,
		Finding{m.file, n.Line + m.line - 1, n.Column, rule.Translation, fmt.Sprintf(format, args...)})
}

// idKeys name the entries of lists.
var idKeys = []string{"slug", "key"}

func (m *merging) merge(into, from *yaml.Node, t translatable) {
	switch {
	case into.Kind == yaml.MappingNode && from.Kind == yaml.MappingNode:
		m.mergeMapping(into, from, t)
	case into.Kind == yaml.SequenceNode && from.Kind == yaml.SequenceNode:
		seen := map[string]bool{}
		for _, entry := range from.Content {
			m.mergeEntry(into, entry, t, seen)
		}
	default:
		m.fail(from, "has another form than what it translates: write texts below the same keys")
	}
}

func (m *merging) mergeMapping(into, from *yaml.Node, t translatable) {
	seen := map[string]bool{}
	for key, value := range yamlnode.Pairs(from) {
		below, isText := t[key.Value]
		main := yamlnode.Child(into, key.Value)
		switch {
		case slices.Contains(idKeys, key.Value) && main != nil && main.Value == value.Value:
			// It names the entry.
		case !isText:
			m.fail(key, "%s", cmp.Or(strictyaml.CommaHint(from, key, value),
				key.Value+": is not a text, so it is the same in every language: remove it"))
		case seen[key.Value]:
			m.fail(key, "%s: is repeated: remove one of them", key.Value)
		case below != nil && main == nil:
			m.fail(key, "%s: is not in the file that this one translates: add it there, or remove it here", key.Value)
		case below != nil:
			m.merge(main, value, below)
		case main != nil:
			*main = *value
		default:
			into.Content = append(into.Content, key, value)
		}
		seen[key.Value] = true
	}
}

// groupKey is the key of a heading above several entries.
const groupKey = "group"

// mergeTaxonomy puts the texts of the translation of a file of the taxonomy in place of those of the file, and returns
// what is wrong with the translation, and what it lacks.
func mergeTaxonomy(into *yaml.Node, from *strictyaml.Document, file string, t translatable) []Finding {
	headings := valuesOf(into, groupKey)
	findings := mergeTexts(into, from, file, 1, t)
	keepGroups(into, headings)
	for _, key := range []string{"name", "label"} {
		if _, has := t[key]; !has || from == nil || len(findings) > 0 {
			continue
		}
		translated := valuesOf(from.Root(), key)
		var lacking []string
		for name := range valuesOf(into, key) {
			if _, ok := translated[name]; !ok {
				lacking = append(lacking, name)
			}
		}
		if slices.Sort(lacking); len(lacking) > 0 {
			findings = append(findings, Finding{file, 1, 1, rule.IncompleteTranslation,
				fmt.Sprintf("has no %s of %s: they stay in the main language; add them here, even if they are the same",
					key, strings.Join(lacking, ", "))})
		}
	}
	return findings
}

// entriesOf visits the entries of a list with a value of a key, and their names.
func entriesOf(list *yaml.Node, key string, visit func(name string, value *yaml.Node)) {
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for _, entry := range list.Content {
		for _, id := range idKeys {
			name, value := yamlnode.Child(entry, id), yamlnode.Child(entry, key)
			if name != nil && value != nil {
				visit(name.Value, value)
			}
		}
	}
}

// valuesOf returns the values of a key of the entries of a list, by the names of the entries.
func valuesOf(list *yaml.Node, key string) map[string]string {
	values := map[string]string{}
	entriesOf(list, key, func(name string, value *yaml.Node) { values[name] = value.Value })
	return values
}

// keepGroups keeps the entries together that are under one heading in the main language. The first translation of
// the heading counts for all of them. main has the headings in the main language.
func keepGroups(list *yaml.Node, main map[string]string) {
	translated := map[string]string{}
	entriesOf(list, groupKey, func(name string, heading *yaml.Node) {
		if old := main[name]; heading.Value != old && translated[old] == "" {
			translated[old] = heading.Value
		}
	})
	entriesOf(list, groupKey, func(name string, heading *yaml.Node) {
		if to := translated[main[name]]; to != "" {
			heading.Value = to
		}
	})
}

// mergeEntry merges an entry of a list into the entry of the same name. seen has the names of the entries before it.
func (m *merging) mergeEntry(list, entry *yaml.Node, t translatable, seen map[string]bool) {
	for _, id := range idKeys {
		name := yamlnode.Child(entry, id)
		if name == nil {
			continue
		}
		if seen[name.Value] {
			m.fail(name, "%s: there is another entry for %s: remove one of them", id, quote(name.Value))
			return
		}
		seen[name.Value] = true
		for _, other := range list.Content {
			if same := yamlnode.Child(other, id); same != nil && same.Value == name.Value {
				m.merge(other, entry, t)
				return
			}
		}
		m.fail(name, "%s: %s is not in the file that this one translates: correct it, or remove the entry", id,
			quote(name.Value))
		return
	}
	m.fail(entry, "the entry does not say what it translates: write the slug, or the key of a fact")
}

// checkTranslation returns the file that a translation translates, and reports if there is no such file. main is ""
// for a file that translates no other, or what is not read.
func (l *loader) checkTranslation(file string) (main string) {
	main, lang := translationOf(file, l.options.Settings.Languages)
	switch folder, ending := path.Dir(main), path.Ext(main); {
	case lang != "" && (folder == "taxonomy" && ending == ".yml" || folder == "pages" && ending == ".md"):
	case lang == "" || !isListing(main, &l.options.Settings):
		return ""
	}
	t, isTaxonomy := taxonomyTexts[path.Base(main)]
	isTaxonomy = isTaxonomy && path.Dir(file) == "taxonomy"
	_, err := fs.Stat(l.root, main)
	switch {
	case path.Dir(file) == "taxonomy" && !isTaxonomy:
		l.find(Finding{file, 1, 1, rule.Translation,
			"is not read, because nothing in " + main + " is translated: remove it"})
	case errors.Is(err, fs.ErrNotExist) && (!isTaxonomy || t != nil):
		l.find(Finding{file, 1, 1, rule.Translation,
			"translates nothing, because there is no " + main + ": write that file, or remove this one"})
	}
	return main
}

// translationHint is a hint for a name that has the form of a translation's, or "".
func translationHint(stem string) string {
	lang := strings.TrimPrefix(path.Ext(stem), ".")
	if _, err := language.Parse(lang); err != nil || lang == "" {
		return ""
	}
	return fmt.Sprintf("; to translate %s, add %s to the setting languages", strings.TrimSuffix(stem, "."+lang), lang)
}

// TranslationFindings returns those of the findings of a load with Options.Language that are about translations:
// errors, and warnings about what they lack and which versions they translate. Of other files, the load in the main
// language has found the same, which main lists. Findings name the translations, whose lines they have.
func (c *Content) TranslationFindings(findings, main []Finding, lang string) (list []Finding) {
	known := map[string]bool{}
	for _, f := range main {
		known[f.String()] = true
	}
	for _, f := range findings {
		isWarning := slices.Contains([]string{rule.OutdatedTranslation.Name,
			rule.UnmarkedTranslation.Name, rule.IncompleteTranslation.Name}, f.Rule.Name)
		if !isWarning && f.Rule.Severity != rule.Error || known[f.String()] {
			continue
		}
		if c.translated[f.File] {
			f.File = translationFile(f.File, lang)
		}
		list = append(list, f)
	}
	return list
}
