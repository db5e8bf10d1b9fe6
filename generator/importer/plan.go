package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/memo"
	"catalog.example/generator/output"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// plan plans the files of an import: it tries them in a copy of the content folder, and mends what lint refuses.
func (c *converter) plan(ctx context.Context, listings []*listing) error {
	stage, err := os.MkdirTemp("", "catalog-import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	if err := output.CopyFolder(c.Dir, stage); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t := &trial{converter: c, stage: stage, at: map[string]*listing{}}
	if err := t.extendTaxonomy(); err != nil {
		return err
	}
	if _, err := os.Stat(c.Path(content.SchemaFile)); err == nil {
		t.schema = "# yaml-language-server: $schema=../" + content.SchemaFile + "\n"
	}
	for i, l := range listings {
		if err := t.place(l); err != nil {
			return err
		}
		c.Progress("listings", i+1, len(listings))
	}
	if err := t.check(ctx); err != nil {
		return err
	}
	return t.finish()
}

// trial is an import that is tried in a copy of the content folder.
type trial struct {
	*converter
	stage  string
	schema string              // the first line of a new listing
	at     map[string]*listing // the listings of the import by file
}

// extendTaxonomy writes what the import adds to the taxonomy and changes there, and checks it.
func (t *trial) extendTaxonomy() (err error) {
	if err := t.regroup(); err != nil {
		return err
	}
	for _, file := range taxonomyFiles {
		name, text := "taxonomy/"+file, t.texts[file]
		if len(t.added[file]) > 0 {
			text, err = canonical.AppendEntries(text, t.added[file])
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case len(text) == 0:
			continue
		}
		t.texts[file] = text
		t.Write(name, text)
		if err := t.stageFile(name, text); err != nil {
			return err
		}
	}
	if t.matter, err = content.LoadFrontMatter(t.stage, &t.Content.Settings); err != nil {
		if wrong, ok := errors.AsType[*content.WrongTaxonomy](err); ok {
			return t.wrongTaxonomy(wrong.Findings)
		}
	}
	return err
}

// wrongTaxonomy returns the error about mistakes in the taxonomy as it would be: at their places in the map, if they
// come from there.
func (t *trial) wrongTaxonomy(findings []content.Finding) error {
	var wrong []error
	doc, _ := strictyaml.Parse(t.texts[content.FactsFile], 1)
	for _, f := range findings {
		var path []any
		if f.File == factsName && doc != nil {
			path = pathTo(doc.Root(), f.Line, f.Column)
		}
		var d *definition
		if path != nil {
			d = t.definitions[textOf(yamlnode.Child(doc.Root().Content[path[0].(int)], "key"))]
		}
		switch {
		case f.Rule.Severity != rule.Error, !strings.HasPrefix(f.File, "taxonomy/"):
		case d != nil:
			wrong = append(wrong, t.Map.errorAt(f.Message, append([]any{"facts", d.index}, path[1:]...)...))
		default:
			wrong = append(wrong, fmt.Errorf("the import would make the taxonomy wrong: %s: correct the map or "+
				"the source", f))
		}
	}
	return errors.Join(wrong...)
}

// pathTo returns the path to the outermost value that begins at a place or, if none does, to the innermost one that
// begins before it or whose key does.
func pathTo(n *yaml.Node, line, column int) []any {
	last := -1
	for i, inner := range n.Content {
		isBefore := inner.Line < line || inner.Line == line && inner.Column <= column
		if isBefore && (n.Kind == yaml.SequenceNode || i%2 == 0) {
			last = i
		}
	}
	switch {
	case last < 0, n.Line == line && n.Column == column:
		return nil
	case n.Kind == yaml.SequenceNode:
		return append([]any{last}, pathTo(n.Content[last], line, column)...)
	}
	return append([]any{n.Content[last].Value}, pathTo(n.Content[last+1], line, column)...)
}

// place finds the file of a listing, and writes it to the copy.
func (t *trial) place(l *listing) error {
	existing, last := t.present[l.slug], t.last.entries[l.key]
	switch {
	case existing != nil:
		text, err := os.ReadFile(t.Path(existing.File))
		if err != nil {
			return err
		}
		l.slug, l.output = existing.Slug, parse(existing.File, text)
	case last.Slug != "":
		t.now.entries[l.key] = last
		t.Deleted++
		return nil
	default:
		l.output = parse("projects/"+l.slug+".md", fmt.Appendf(nil, "---\n%sname: null\n---\n", t.schema))
		l.output.isNew = true
	}
	if l.output.root == nil {
		return fmt.Errorf("%s cannot be read: correct it first; catalog lint says what is wrong",
			t.Path(l.output.name))
	}
	t.at[l.output.name] = l
	return t.write(l)
}

// write merges a listing with its file, and writes that to the copy.
func (t *trial) write(l *listing) error {
	told, isFirst := len(t.notes), l.wrote == nil
	err := t.merge(l)
	if !isFirst {
		t.notes = t.notes[:told]
	}
	switch {
	case err == nil:
		return t.stageFile(l.output.name, l.text)
	case t.leaveOutUnwritable(l):
		return t.write(l)
	}
	return t.drop(l, reasonOf(err))
}

// leaveOutUnwritable leaves out the values that cannot be written even by themselves. It reports whether there are any.
func (t *trial) leaveOutUnwritable(l *listing) (found bool) {
	for _, key := range slices.Sorted(maps.Keys(l.values)) {
		if !l.wrote[key] || key == "body" || slices.Contains(t.required, key) {
			continue
		}
		setting := canonical.Setting{Path: pathOf(key), Value: l.values[key]}
		if _, err := t.matter.Format(l.output.text, setting); err != nil {
			l.tell(LeftOut, l.placeOf(key), "%s %s: %s", key, shown(setting.Value), reasonOf(err))
			delete(l.values, key)
			found = true
		}
	}
	return found
}

// reasonOf returns why a listing cannot be written.
func reasonOf(err error) string {
	if wrong, ok := errors.AsType[*canonical.Error](err); ok {
		return wrong.Problems[0].Message
	}
	return err.Error()
}

// drop leaves out a listing that cannot be written. A listing of the catalogue stays as it is.
func (t *trial) drop(l *listing, why string) error {
	l.tell(Skipped, l.node, "%q cannot be a listing: %s", l.values["name"], why)
	delete(t.at, l.output.name)
	delete(t.now.entries, l.key)
	if l.output.isNew {
		return os.RemoveAll(filepath.Join(t.stage, filepath.FromSlash(l.output.name)))
	}
	if last := t.last.entries[l.key]; last.Slug != "" { // not if it was matched by its name
		t.now.entries[l.key] = last
	}
	return t.stageFile(l.output.name, l.output.text)
}

// stageFile writes a file of the copy.
func (t *trial) stageFile(name string, text []byte) error {
	return output.WriteNew(filepath.Join(t.stage, filepath.FromSlash(name)), text)
}

// maxRounds bounds how often listings are mended. Leaving out a value can make another wrong.
const maxRounds = 8

// check mends listings until lint has no errors about what the import writes.
func (t *trial) check(ctx context.Context) error {
	options := t.Content
	options.Dir, options.Memo = t.stage, memo.New()
	options.Progress = func(done, total int) { t.Progress("checks", done, total) }
	for round := 1; ; round++ {
		loaded, findings, _, err := lint.Begin(ctx, options, "")
		if err != nil {
			return err
		}
		options.Last = loaded
		if err := t.wrongTaxonomy(findings); err != nil {
			return err
		}
		wrong := map[string][]content.Finding{} // by file
		for _, f := range findings {
			isFixed := rule.IsFixed(f.Rule.Name) // the others are about how complete a listing is
			if isFixed && f.Rule.Severity == rule.Error && t.at[f.File] != nil {
				wrong[f.File] = append(wrong[f.File], f)
			}
		}
		again := false
		for _, file := range slices.Sorted(maps.Keys(wrong)) {
			changed, err := t.mendAll(t.at[file], wrong[file], round >= maxRounds)
			if err != nil {
				return err
			}
			again = again || changed
		}
		if again {
			continue
		}
		if t.schema != "" {
			text, err := loaded.FrontMatter.Schema()
			if err != nil {
				return err
			}
			t.Write(content.SchemaFile, text)
		}
		return nil
	}
}

// mendAll mends a listing by the findings about it. With last, it leaves the listing out instead.
func (t *trial) mendAll(l *listing, findings []content.Finding, last bool) (changed bool, err error) {
	lines := map[int]bool{}
	for _, f := range slices.Backward(findings) { // the last first, so that lines stay right
		if lines[f.Line] && f.Rule.Name != rule.Link.Name {
			continue
		}
		lines[f.Line] = true
		did, fatal := t.mend(l, f)
		if changed = changed || did; fatal || changed && last {
			return true, t.drop(l, f.Message)
		}
	}
	if changed {
		err = t.write(l)
	}
	return changed, err
}

// mend leaves out the value that a finding is about. fatal says that the listing cannot be without it. It
// changes nothing if the import has not written the value.
func (t *trial) mend(l *listing, f content.Finding) (changed, fatal bool) {
	now := parse("", l.text)
	first := bytes.Count(bytes.TrimSuffix(l.text, now.body), []byte("\n")) + 1 // the line of the body
	if f.Line >= first || f.Rule.Name == rule.Bounds.Name {
		if l.wrote["body"] {
			mendBody(l, f, max(f.Line-first, 0))
		}
		return l.wrote["body"], false
	}
	key, item := "", -1
	for depth, step := range pathTo(now.root, f.Line-1, math.MaxInt) { // to what begins last in the line
		if i, isItem := step.(int); isItem {
			item = i
			break
		}
		if depth < 2 {
			key = strings.TrimPrefix(fmt.Sprint(key, ".", step), ".")
		}
	}
	switch {
	case !l.wrote[key]:
		return false, key == "" && l.output.isNew // such as a slug that is taken
	case key == "addedAt" || slices.Contains(t.required, key):
		return true, true
	}
	value := l.values[key]
	if value == nil { // another finding about it has been told
		return true, false
	}
	list, isList := value.([]string)
	if isList && item >= 0 && item < len(list) && len(list) > 1 && now.field(key).Style&yaml.FlowStyle == 0 {
		value = list[item]
		l.values[key] = slices.Delete(slices.Clone(list), item, item+1)
	} else {
		delete(l.values, key)
	}
	l.tell(LeftOut, l.placeOf(key), "%s %s: %s", key, shown(value), strings.TrimPrefix(f.Message, key+": "))
	return true, false
}

// anyLink matches more links in Markdown than commonmark.Shown changes: what that leaves stays dead.
var anyLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// maxBody is the length to which a text that is too long is cut, in bytes: a little below the bound.
const maxBody = content.MaxBody - 200

// mendBody mends a line of the text of a listing. The links of a line with a dead link become plain text. Otherwise,
// the paragraph is left out, and all below it if that is too much.
func mendBody(l *listing, f content.Finding, line int) {
	text := l.values["body"].(string)
	lines := strings.SplitAfter(text, "\n")
	line = min(line, len(lines)-1)
	if f.Rule.Name == rule.Link.Name {
		lines[line] = anyLink.ReplaceAllString(lines[line], "$1")
		l.values["body"] = strings.Join(lines, "")
		return
	}
	at, isBound := len(strings.Join(lines[:line], "")), f.Rule.Name == rule.Bounds.Name
	if isBound && line == 0 && len(text) > maxBody { // the text as a whole is too long
		at = maxBody
	}
	start, end := max(strings.LastIndex(text[:at], "\n\n"), 0), strings.Index(text[at:], "\n\n")+at
	if isBound || end < at {
		end = len(text)
	}
	kept := strings.TrimSpace(text[:start] + text[end:])
	if strings.Count(kept, "\n```")%2 != strings.Count(text, "\n```")%2 { // a block of code was cut
		kept += "\n```"
	}
	if delete(l.values, "body"); kept != "" {
		l.values["body"] = kept
	}
	l.tell(LeftOut, l.placeOf("body"), "body %q: %s", strings.TrimSpace(text[start:end]), f.Message)
}

// finish plans the files of all listings, and what the next import must know.
func (t *trial) finish() error {
	for _, file := range slices.Sorted(maps.Keys(t.at)) {
		l := t.at[file]
		t.Edits += l.edits
		switch {
		case l.output.isNew:
			t.New++
		case len(l.wrote) > 0:
			t.Updated++
		default:
			t.Same++
		}
		t.Write(file, l.text)
	}
	for key, w := range t.last.entries {
		x := t.present[w.Slug]
		if _, ok := t.now.entries[key]; ok || x == nil { // it is gone from both sides
			continue
		}
		if t.now.entries[key] = w; !t.unfit[key] {
			t.Left = append(t.Left, x.Slug)
		}
	}
	slices.Sort(t.Left)
	t.tellIdle()
	source, err := filepath.Abs(t.Source)
	if err != nil {
		return err
	}
	t.now.from = content.Import{List: cmp.Or(t.Map.Source, filepath.Base(source)), Imported: t.Today}
	if len(t.Files) == 0 && t.now.from.List == t.last.from.List { // nothing came of the list today
		t.now.from = t.last.from
		for key, w := range t.now.entries { // fields that the map does not take may have changed
			w.Entry = cmp.Or(t.last.entries[key].Entry, w.Entry)
			t.now.entries[key] = w
		}
	}
	if has, err := os.ReadFile(t.Path(MapFile(t.Name))); t.Map.shipped != nil && !bytes.Equal(has, t.Map.shipped) {
		if t.OwnMap = MapFile(t.Name); errors.Is(err, fs.ErrNotExist) {
			t.Write(t.OwnMap, t.Map.shipped)
		}
	}
	text, err := t.now.text()
	if err == nil {
		t.Write(stateFile(t.Name), text)
	}
	return err
}
