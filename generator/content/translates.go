package content

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"catalog.example/generator/canonical"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// The translation of a listing or page has a hash of each text of the main file that it translates, as that text was
// when it was translated. If the main file has another text now, lint says so. This needs no history of the files.

// TranslatesKey is the key of a translation with these hashes, by the keys of the texts.
const TranslatesKey = "translates"

// hashPattern matches a hash: 32 bits are enough to tell two versions of a text apart.
var hashPattern = regexp.MustCompile(`^[0-9a-f]{8}$`)

// translatedText is a text that a translation has.
type translatedText struct {
	key          string // such as purpose, fitNotes.notes or body
	line, column int    // of it in the translation
	mainLine     int    // of the text in the main file; 0 if there is none
	hash         string // of that text
}

// linkToListing matches a link to a listing in Markdown.
var linkToListing = regexp.MustCompile(`\[([^\]\n]*)\]\([^)\s]*\.md(#[^)\s]*)?\)`)

// bodyHash returns the hash of the text below the front matter. Links to listings count as their texts, because
// catalog rename and catalog retire change them in translations, too.
func bodyHash(body []byte) string {
	body = bytes.ReplaceAll(bytes.TrimSpace(body), []byte("\r\n"), []byte("\n"))
	return hashOf(linkToListing.ReplaceAll(body, []byte("$1")))
}

// valueHash returns the hash of a value of front matter, which does not depend on how it is written; nil is none.
func valueHash(n *yaml.Node) string {
	var text []byte
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		text = fmt.Appendf(text, "%d %d %q\n", n.Kind, len(n.Content), n.Value)
		for _, below := range n.Content {
			add(below)
		}
	}
	if n != nil {
		add(n)
	}
	return hashOf(text)
}

func hashOf(text []byte) string {
	h := fnv.New32a()
	h.Write(text)
	return fmt.Sprintf("%08x", h.Sum32())
}

// openTranslation is a translation with its parsed front matter.
type openTranslation struct {
	split
	root *yaml.Node // nil for no keys
}

// open parses the translation. ok is false if it cannot be read, which setTexts reports.
func (t *translation) open() (own openTranslation, ok bool) {
	if _, bad := strictyaml.Encoding(t.text, 1); bad {
		return own, false
	}
	parts, message := splitFrontMatter(t.text)
	if message != "" {
		return own, false
	}
	doc, _ := strictyaml.Parse(parts.frontMatter, frontMatterLine)
	if doc == nil || doc.Root() != nil && doc.Root().Kind != yaml.MappingNode {
		return own, false
	}
	return openTranslation{parts, doc.Root()}, true
}

// value returns the value of a top-level key with the key, or nil.
func (own *openTranslation) value(name string) (key, value *yaml.Node) {
	return pairOf(own.root, name)
}

// pairOf returns a key of a mapping with its value, or nil.
func pairOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	for key, value = range yamlnode.Pairs(n) {
		if key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// translatedTexts returns the texts that a translation has, with hashes of what they translate in the main file, of
// which root is the front matter.
func (t *translation) translatedTexts(own *openTranslation, main split, root *yaml.Node) (list []translatedText) {
	var walk func(into, from *yaml.Node, t translatable, path string)
	walk = func(into, from *yaml.Node, t translatable, path string) {
		for key, value := range yamlnode.Pairs(from) {
			below, isText := t[key.Value]
			text := translatedText{key: path + key.Value, line: key.Line + frontMatterLine - 1, column: key.Column}
			mainKey, other := pairOf(into, key.Value)
			if mainKey != nil {
				text.mainLine = mainKey.Line + frontMatterLine - 1
			}
			switch {
			case !isText:
			case below != nil && value.Kind == yaml.MappingNode:
				walk(other, value, below, text.key+".")
			case below == nil:
				text.hash = valueHash(other)
				list = append(list, text)
			}
		}
	}
	walk(root, own.root, t.texts, "")
	if len(bytes.TrimSpace(own.body)) > 0 {
		list = append(list, translatedText{BodyKey, own.bodyLine, 1, main.bodyLine, bodyHash(main.body)})
	}
	return list
}

// checkVersion reports texts of a document that have changed since they were translated, and texts of the
// translation that do not say what they translate.
func (t *translation) checkVersion(doc *strictyaml.Document, main split) []Finding {
	if t == nil || doc.Root() == nil {
		return nil
	}
	own, ok := t.open()
	if !ok {
		return nil
	}
	m := merging{file: t.file, line: frontMatterLine}
	noted := m.notedHashes(&own)
	if len(m.findings) > 0 {
		return m.findings
	}
	file := t.main()
	var unmarked []string
	for _, text := range t.translatedTexts(&own, main, doc.Root()) {
		switch hash, ok := noted[text.key]; {
		case !ok:
			unmarked = append(unmarked, text.key)
		case hash != text.hash:
			where := file
			if text.mainLine > 0 {
				where = fmt.Sprintf("%s:%d", file, text.mainLine)
			}
			m.findings = append(m.findings, Finding{t.file, text.line, text.column, rule.OutdatedTranslation,
				fmt.Sprintf("%s: has changed in %s since it was translated: correct the translation where it is no "+
					"longer right, then run catalog translated with this file", text.key, where)})
		}
	}
	if len(unmarked) > 0 {
		m.findings = append(m.findings, Finding{t.file, 1, 1, rule.UnmarkedTranslation,
			fmt.Sprintf("does not say which version of %s it translates: if it is up to date (%s), run catalog "+
				"translated with this file, and lint will say when a text has changed", file,
				strings.Join(unmarked, ", "))})
	}
	return m.findings
}

// main returns the file that the translation translates.
func (t *translation) main() string {
	return strings.TrimSuffix(t.file, "."+LanguageOf(t.file)+path.Ext(t.file)) + path.Ext(t.file)
}

// LanguageOf returns the language of a translation.
func LanguageOf(translation string) string {
	return strings.TrimPrefix(path.Ext(strings.TrimSuffix(translation, path.Ext(translation))), ".")
}

// notedHashes returns the hashes in the key translates, by key. It reports other values.
func (m *merging) notedHashes(own *openTranslation) map[string]string {
	noted := map[string]string{}
	key, value := own.value(TranslatesKey)
	if key == nil {
		return noted
	}
	const mend = "remove it, and run catalog translated with this file"
	if value.Kind != yaml.MappingNode {
		m.fail(key, "%s: must have keys of texts with the hashes that catalog translated writes: %s", key.Value, mend)
		return noted
	}
	for pair := range slices.Chunk(value.Content, 2) {
		name, hash := pair[0], pair[1]
		switch {
		case noted[name.Value] != "":
			m.fail(name, "%s: is repeated: remove one of them", name.Value)
		case hash.Kind != yaml.ScalarNode || !hashPattern.MatchString(hash.Value):
			m.fail(hash, "%s.%s: %s is not a hash, which has eight digits from 0 to f: %s", key.Value, name.Value,
				quote(hash.Value), mend)
		}
		noted[name.Value] = hash.Value
	}
	return noted
}

// MarkTranslated returns the text of the translation of a listing or page, before and after it is marked as up to
// date. With again, it is marked for all of its texts; otherwise for those that do not say yet what they translate.
// Errors are of type *canonical.Error, or come from the file system.
func (c *Content) MarkTranslated(dir, file string, again bool) (before, after []byte, err error) {
	t := translation{file: file, texts: pageTexts}
	if path.Dir(file) != "pages" {
		t.texts = listingTexts(c.Taxonomy.Facts)
	}
	read := func(name string) []byte {
		text, failed := regular.ReadText(filepath.Join(dir, filepath.FromSlash(name)), maxPage)
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		return text
	}
	text := read(t.main())
	t.text = read(file)
	if err != nil {
		return nil, nil, err
	}
	main, message := splitFrontMatter(text)
	doc, wrong := strictyaml.Parse(main.frontMatter, frontMatterLine)
	if message != "" || len(wrong) > 0 {
		return nil, nil, unformatted(1, t.main()+" cannot be read: run catalog lint, and correct it first")
	}
	own, ok := t.open()
	if !ok {
		return nil, nil, unformatted(1, "it cannot be read: run catalog lint, and correct it first")
	}
	m := merging{file: file, line: frontMatterLine}
	noted := m.notedHashes(&own)
	if len(m.findings) > 0 {
		f := m.findings[0]
		problem := strictyaml.Problem{Line: f.Line, Column: f.Column, Message: f.Message}
		return nil, nil, &canonical.Error{Problems: []strictyaml.Problem{problem}, Undecoded: true}
	}
	var lines []byte
	for _, text := range t.translatedTexts(&own, main, doc.Root()) {
		if old, ok := noted[text.key]; ok && !again {
			text.hash = old
		}
		lines = fmt.Appendf(lines, "  %s: %q\n", text.key, text.hash)
	}
	after, err = own.withHashes(t.text, lines)
	return t.text, after, err
}

// withHashes returns the text of a translation with other lines below the key translates, which comes last.
func (own *openTranslation) withHashes(file, lines []byte) ([]byte, error) {
	start := bytes.IndexByte(file, '\n') + 1 // after the line ---
	rest := file[start+len(own.frontMatter):]
	matter := slices.Collect(bytes.Lines(own.frontMatter))
	if key, value := own.value(TranslatesKey); key != nil {
		last := key.Line
		for _, n := range value.Content {
			last = max(last, n.Line)
		}
		matter = slices.Delete(matter, key.Line-1, last)
	}
	eol := []byte("\n")
	if bytes.HasSuffix(own.frontMatter, []byte("\r\n")) {
		eol = []byte("\r\n")
	}
	if len(lines) > 0 {
		lines = append([]byte(TranslatesKey+":\n"), lines...)
	}
	text := slices.Concat(slices.Concat(matter...), bytes.ReplaceAll(lines, []byte("\n"), eol))
	if _, wrong := strictyaml.Parse(text, frontMatterLine); len(wrong) > 0 {
		return nil, unformatted(frontMatterLine, "the key "+TranslatesKey+" cannot be added here: write each key of "+
			"the front matter on a line of its own")
	}
	return slices.Concat(file[:start], text, rest), nil
}
