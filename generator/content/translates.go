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

	"catalog.example/api/site"
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
	hash         func() string
}

// bodyHash returns the hash of the text below the front matter. Links to listings count as their texts, because
// catalog rename and catalog retire change them in translations, too. Where the site is does not matter.
func bodyHash(file string, main split) string {
	var edits []edit
	if len(pageBounds.check(file, main)) == 0 { // safe to parse
		for _, l := range (place{file: file, settings: &site.Settings{}}).listingLinks(main, 0) {
			if l.Close > 0 {
				edits = append(edits, edit{l.Open, l.Open + 1, ""}, edit{l.Text, l.Close, ""})
			} else {
				edits = append(edits, edit{l.Start, l.Stop, ""})
			}
		}
	}
	body := bytes.TrimSpace([]byte(edited(main.body, edits)))
	return hashOf(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))
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
	_, _ = h.Write(text) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// openTranslation is a translation with its parsed front matter.
type openTranslation struct {
	*translation
	merging               // has what is wrong
	root       *yaml.Node // the front matter without TranslatesKey; nil for none
	key, marks *yaml.Node // TranslatesKey with its value; nil for none
	noted      map[string]string
}

// open parses the translation.
func (t *translation) open() *openTranslation {
	own := &openTranslation{translation: t, noted: map[string]string{},
		merging: merging{file: t.file, line: frontMatterLine, findings: slices.Clone(t.wrong)}}
	doc, wrong := strictyaml.Parse(t.frontMatter, frontMatterLine)
	own.findings = append(own.findings, problems(t.file, wrong)...)
	if doc != nil {
		own.key, own.marks = yamlnode.Pair(doc.Root(), TranslatesKey)
		own.readMarks()
		doc.Remove(TranslatesKey)
		own.root = doc.Root()
	}
	return own
}

// mergeInto puts the texts in place of those of the main file.
func (own *openTranslation) mergeInto(main *yaml.Node) {
	if main != nil && own.root != nil {
		own.merging.merge(main, own.root, own.texts)
	}
}

// translatedTexts returns the texts that the translation has, with what they translate in the main file, of which root
// is the front matter.
func (own *openTranslation) translatedTexts(main split, root *yaml.Node) (list []translatedText) {
	from := map[string]textIn{}
	for _, text := range own.texts.in(root) {
		from[text.path] = text
	}
	for _, text := range own.texts.in(own.root) {
		what := translatedText{key: text.path, line: text.key.Line + frontMatterLine - 1, column: text.key.Column}
		there := from[text.path]
		if there.key != nil {
			what.mainLine = there.key.Line + frontMatterLine - 1
		}
		what.hash = func() string { return valueHash(there.value) }
		list = append(list, what)
	}
	if len(bytes.TrimSpace(own.body)) > 0 {
		hash := func() string { return bodyHash(own.main, main) }
		list = append(list, translatedText{BodyKey, own.bodyLine, 1, main.bodyLine, hash})
	}
	return list
}

// checkVersion reports texts of the main file that have changed since they were translated, and texts of the
// translation that do not say what they translate.
func (own *openTranslation) checkVersion(root *yaml.Node, main split) {
	if len(own.findings) > 0 || root == nil {
		return
	}
	var unmarked []string
	for _, text := range own.translatedTexts(main, root) {
		switch hash, ok := own.noted[text.key]; {
		case !ok:
			unmarked = append(unmarked, text.key)
		case hash != text.hash():
			where := own.main
			if text.mainLine > 0 {
				where = fmt.Sprintf("%s:%d", where, text.mainLine)
			}
			own.findings = append(own.findings, Finding{own.translation.file, text.line, text.column,
				rule.OutdatedTranslation,
				fmt.Sprintf("%s: has changed in %s since it was translated: correct the translation where it is no "+
					"longer right, then run catalog translated with this file", text.key, where)})
		}
	}
	if len(unmarked) > 0 {
		own.findings = append(own.findings, Finding{own.translation.file, 1, 1, rule.UnmarkedTranslation,
			fmt.Sprintf("does not say which version of %s it translates: if it is up to date (%s), run catalog "+
				"translated with this file, and lint will say when a text has changed", own.main,
				strings.Join(unmarked, ", "))})
	}
}

// readMarks reads the hashes in the key translates. It reports other values.
func (own *openTranslation) readMarks() {
	const mend = "remove it, and run catalog translated with this file"
	if own.key != nil && own.marks.Kind != yaml.MappingNode {
		own.fail(own.key, "%s: must have keys of texts with the hashes that catalog translated writes: %s",
			TranslatesKey, mend)
	}
	for name, hash := range yamlnode.Pairs(own.marks) {
		switch {
		case own.noted[name.Value] != "":
			own.fail(name, "%s: is repeated: remove one of them", name.Value)
		case hash.Kind != yaml.ScalarNode || !hashPattern.MatchString(hash.Value):
			own.fail(hash, "%s.%s: %s is not a hash, which has eight digits from 0 to f: %s", TranslatesKey, name.Value,
				quote(hash.Value), mend)
		}
		own.noted[name.Value] = hash.Value
	}
}

// Translated returns the translations of listings and pages, which can be marked.
func (c *Content) Translated() (files []string) {
	for main, list := range c.Translations {
		if path.Ext(main) == ".md" {
			files = append(files, list...)
		}
	}
	slices.Sort(files)
	return files
}

// MarkTranslated returns the text of the translation of a listing or page, before and after it is marked as up to
// date. With again, it is marked for all of its texts; otherwise for those that do not say yet what they translate.
// Errors are of type *canonical.Error, or come from the file system.
func (c *Content) MarkTranslated(dir, file string, again bool) (before, after []byte, err error) {
	texts := pageTexts
	if path.Dir(file) != "pages" {
		texts = listingTexts(c.Taxonomy.Facts)
	}
	read := func(name string) []byte {
		text, failed := regular.ReadText(filepath.Join(dir, filepath.FromSlash(name)), maxPage)
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		return text
	}
	mainFile, lang := splitName(file)
	main, message := splitFrontMatter(read(mainFile))
	before = read(file)
	if err != nil {
		return nil, nil, err
	}
	doc, wrong := strictyaml.Parse(main.frontMatter, frontMatterLine)
	if message != "" || len(wrong) > 0 {
		return nil, nil, unformatted(1, mainFile+" cannot be read: run catalog lint, and correct it first")
	}
	own := newTranslation(mainFile, lang, before, texts).open()
	var lines []byte
	for _, text := range own.translatedTexts(main, doc.Root()) {
		hash, ok := own.noted[text.key]
		if !ok || again {
			hash = text.hash()
		}
		lines = fmt.Appendf(lines, "  %s: %q\n", text.key, hash)
	}
	own.mergeInto(doc.Root())
	if len(own.findings) > 0 {
		failed := &canonical.Error{Undecoded: true}
		for _, f := range own.findings {
			failed.Problems = append(failed.Problems,
				strictyaml.Problem{Line: f.Line, Column: f.Column, Message: f.Message})
		}
		return nil, nil, failed
	}
	after, err = own.withHashes(lines)
	return before, after, err
}

// withHashes returns the text of the translation with other lines below the key translates, which comes last.
// Comments between the lines before stay, above that key.
func (own *openTranslation) withHashes(lines []byte) ([]byte, error) {
	start := bytes.IndexByte(own.text, '\n') + 1 // after the line ---
	rest := own.text[start+len(own.frontMatter):]
	matter := slices.Collect(bytes.Lines(own.frontMatter))
	if own.key != nil {
		first, last := own.key.Line-1, own.key.Line
		for _, n := range own.marks.Content {
			last = max(last, n.Line)
		}
		var comments [][]byte
		for _, line := range matter[first:last] {
			if i := bytes.IndexByte(line, '#'); i >= 0 {
				comments = append(comments, line[i:])
			}
		}
		matter = slices.Replace(matter, first, last, comments...)
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
	return slices.Concat(own.text[:start], text, rest), nil
}
