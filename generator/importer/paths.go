package importer

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Values of all sources are YAML nodes, because these know their line and column.

// textOf returns the text of a value; "" for nil, null, lists and mappings. A mapping with the key text, such as a
// cell of a table, has that text.
func textOf(n *yaml.Node) string {
	if n != nil && n.Kind == yaml.MappingNode {
		n = yamlnode.Child(n, "text")
	}
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return ""
	}
	return n.Value
}

// path leads from an entry to values in it: license.name, tags[0], links[].url, links[type=docs].url,
// annotations."a.b/c".
type path struct {
	text string
	// steps has keys, perhaps in quotation marks, and of lists [0] for an entry, [] for all, and [type=docs] for those
	// in which a key has a value.
	steps []string
}

// mustPath returns a path that is written without mistakes.
func mustPath(text string) (p path) {
	p.SetShort(text)
	return p
}

// String returns the path as the map writes it.
func (p path) String() string { return p.text }

// keys returns the keys of a path alone, without quotation marks: a.b for a[0].b.
func (p path) keys() string {
	isOfList := func(step string) bool { return step[0] == '[' }
	return strings.ReplaceAll(strings.Join(slices.DeleteFunc(slices.Clone(p.steps), isOfList), "."), `"`, "")
}

var stepPattern = regexp.MustCompile(`^(?:\[-?[0-9]*\]|\[[^\[\]"=]+=[^\[\]]+\]|"[^"]*"|[^.\["][^.\[]*)`)

// SetShort implements strictyaml.Shorthand. A full stop alone is the value itself.
func (p *path) SetShort(scalar any) (remedy string) {
	p.text = fmt.Sprint(scalar)
	for rest := strings.TrimPrefix(p.text, "."); rest != "" || p.text == ""; {
		step := stepPattern.FindString(rest)
		if step == "" {
			return "write a path with full stops between keys, [0] for the first entry of a list, [] for all, " +
				"[type=docs] for those whose type is docs, and quotation marks around a key with a full stop or a " +
				"bracket"
		}
		p.steps = append(p.steps, step)
		rest = strings.TrimPrefix(rest[len(step):], ".")
	}
	if _, ok := scalar.(string); !ok {
		return "put it in quotation marks"
	}
	return ""
}

// quotedStep returns a key as a step of a path.
func quotedStep(key string) string {
	if strings.ContainsAny(key, `.["`) || strings.HasPrefix(key, "@") {
		return `"` + key + `"`
	}
	return key
}

// keyAndValue returns the key and the value of a step such as [type=docs].
func keyAndValue(step string) (key, value string, ok bool) {
	if step[0] != '[' {
		return "", "", false
	}
	return strings.Cut(strings.Trim(step, "[]"), "=")
}

// walk calls visit for each value to which steps lead, with the mappings around it, the innermost first, and its key in
// a mapping, which is "" in a list. A key of a list is that key of each of its entries. A text is a list of one.
func walk(n *yaml.Node, steps []string, around []*yaml.Node, key string,
	visit func(n *yaml.Node, around []*yaml.Node, key string)) {
	if len(steps) == 0 {
		visit(n, around, key)
		return
	}
	step, rest := steps[0], steps[1:]
	if key, value, ok := keyAndValue(step); ok {
		for _, inner := range yamlnode.Spread(n) {
			if textOf(yamlnode.Child(inner, key)) == value {
				walk(inner, rest, around, "", visit)
			}
		}
		return
	}
	switch isList := n.Kind == yaml.SequenceNode; {
	case step == "[]" && n.Kind == yaml.ScalarNode && len(rest) == 0 && n.ShortTag() != "!!null":
		visit(n, around, key)
	case step == "[]" && !isList:
		for inner, value := range yamlnode.Pairs(n) {
			walk(value, rest, around, inner.Value, visit)
		}
	case isList && (step == "[]" || step[0] != '['):
		if step == "[]" {
			steps = rest
		}
		for _, inner := range n.Content {
			walk(inner, steps, around, "", visit)
		}
	case isList:
		i, _ := strconv.Atoi(strings.Trim(step, "[]"))
		if i < 0 {
			i += len(n.Content)
		}
		if i >= 0 && i < len(n.Content) {
			walk(n.Content[i], rest, around, "", visit)
		}
	case step[0] != '[':
		if value := yamlnode.Child(n, strings.Trim(step, `"`)); value != nil {
			walk(value, rest, append([]*yaml.Node{n}, around...), "", visit)
		}
	}
}

// besideNames are the steps to what may be known besides an entry.
var besideNames = []string{"@file", "@folder", "@path", "@key", "@body", "@section", "@chapter", "@parent", "@struck"}

// entry is one thing that a source lists.
type entry struct {
	report *Report
	file   string     // as messages name it
	node   *yaml.Node // a mapping
	// beside has what is known besides the entry itself, by name: file, folder, path, key, body, section.
	beside  map[string]*yaml.Node
	parents []*yaml.Node // the mappings around it, the innermost first
	number  int          // among those of its line; 0 if that has no other
}

// tell adds a note about a value of the entry.
func (e *entry) tell(kind Kind, n *yaml.Node, format string, args ...any) {
	e.report.tell(kind, e.file, n, format, args...)
	e.report.notes[len(e.report.notes)-1].entry = e.number
}

// place says which entry of its file it is.
func (e *entry) place() string {
	if e.number > 0 {
		return fmt.Sprintf("entry %d in line %d of %q", e.number, e.node.Line, e.file)
	}
	return fmt.Sprintf("the entry in line %d of %q", e.node.Line, e.file)
}

// find returns the values at a path, those of a list one by one.
func (e *entry) find(p path) (values []*yaml.Node) {
	for _, n := range e.findWhole(p) {
		values = append(values, yamlnode.Spread(n)...)
	}
	return values
}

// findWhole returns the values at a path, of which some may be lists. A path whose first step is @ and a name leads to
// what is known besides the entry, or to the mappings around it: @section, @parent.name, @parent.parent.name.
func (e *entry) findWhole(p path) []*yaml.Node { return valuesAt(e.start(p)) }

// valuesAt returns the values to which steps lead.
func valuesAt(n *yaml.Node, steps []string) (values []*yaml.Node) {
	if n != nil {
		walk(n, steps, nil, "", func(n *yaml.Node, _ []*yaml.Node, _ string) { values = append(values, n) })
	}
	return values
}

// listOf returns the first list through which a path leads, or at which it ends, and the steps from its entries on. It
// returns nil if there is none, or if the path leads to one entry of it.
func (e *entry) listOf(p path) (list *yaml.Node, steps []string) {
	n, steps := e.start(p)
	for ; n != nil; n, steps = yamlnode.Child(n, strings.Trim(steps[0], `"`)), steps[1:] {
		switch isList := n.Kind == yaml.SequenceNode; {
		case isList && len(steps) > 0 && steps[0] == "[]":
			return n, steps[1:]
		case isList && (len(steps) == 0 || steps[0][0] != '['):
			return n, steps
		case len(steps) == 0 || steps[0][0] == '[':
			return nil, nil
		}
	}
	return nil, nil
}

// start returns the value at which a path begins, or nil, and the steps from there. A key of the entry that is written
// as the path comes first.
func (e *entry) start(p path) (n *yaml.Node, steps []string) {
	if whole := yamlnode.Child(e.node, p.text); whole != nil || len(p.steps) == 0 {
		return whole, nil
	}
	name, isBeside := strings.CutPrefix(p.steps[0], "@")
	if !isBeside {
		return e.node, p.steps
	}
	if n, steps = e.beside[name], p.steps[1:]; name != "parent" {
		return n, steps
	}
	for _, n = range e.parents {
		if len(steps) == 0 || steps[0] != "parent" {
			return n, steps
		}
		steps = steps[1:]
	}
	return nil, nil
}

// checkPaths returns an error for each field, key and condition of the map whose paths lead nowhere in the whole
// source, unless the map is for many sources.
func (m *Map) checkPaths(entries []*entry) error {
	if m.About != "" || len(entries) == 0 {
		return nil
	}
	var wrong []error
	leads := func(p path) bool { return slices.ContainsFunc(entries, func(e *entry) bool { return e.reaches(p) }) }
	check := func(paths []path, at ...any) {
		if len(paths) == 0 || slices.ContainsFunc(paths, leads) {
			return
		}
		for i, p := range paths {
			wrong = append(wrong, m.errorAt(notInSource(entries, p), append(slices.Clone(at), i)...))
		}
	}
	check(m.Key, "key")
	for i := range m.Merged {
		check(m.Merged[i:i+1], "merged")
	}
	for i, c := range m.Skip {
		check([]path{c.From}, "skip", i, "from")
	}
	for _, key := range m.keys {
		check(m.Fields[key].From, "fields", key, "from")
		for i, p := range m.Fields[key].Join {
			check([]path{p}, "fields", key, "join", i)
		}
	}
	return errors.Join(wrong...)
}

// notInSource says that no entry has a path, and what could be meant.
func notInSource(entries []*entry, p path) string {
	known := knownPaths(entries)
	what := spelling.Hint(p.text, append(known, besideNames...))
	if what == "" {
		what = ": the source has " + api.Shorten(strings.Join(known, ", "), 200)
	}
	return fmt.Sprintf("no entry of the source has %q%s", p.text, what)
}

// reaches reports whether a path leads to a value, or ends at null, at an empty list or behind the end of a list, or
// leads to what some entries have besides themselves.
func (e *entry) reaches(p path) bool {
	if len(p.steps) == 1 && slices.Contains(besideNames, p.steps[0]) {
		return true
	}
	n, steps := e.start(p)
	for i := len(steps); i >= 0; i-- {
		for _, n := range valuesAt(n, steps[:i]) {
			isList := n.Kind == yaml.SequenceNode
			if i == len(steps) || isList && (len(n.Content) == 0 || steps[i][0] == '[') ||
				n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
				return true
			}
		}
	}
	return false
}

// The number of paths that are collected, and how deep they are.
const (
	maxPaths     = 500
	maxPathDepth = 3
)

// spot is the value of a key in an entry.
type spot struct {
	path, around string // its path, and that of the mapping that has the key, "" for the entry
	key          string
	value        *yaml.Node
}

// eachSpot visits the values of keys in a value, and what is in them if visit returns true. The key text of what is in
// it is left out, because it has the text of that.
func eachSpot(n *yaml.Node, around string, depth int, visit func(spot) bool) {
	for _, n := range yamlnode.Spread(n) {
		for k, value := range yamlnode.Pairs(n) {
			s := spot{strings.TrimPrefix(around+"."+quotedStep(k.Value), "."), around, k.Value, value}
			switch {
			case around != "" && s.key == "text":
				continue
			case around == "" && !strings.ContainsAny(s.key, `["@`): // a full stop needs no quotation marks
				s.path = s.key
			}
			if visit(s) && depth > 1 {
				eachSpot(value, s.path, depth-1, visit)
			}
		}
	}
}

// hash returns a hash of the texts of an entry.
func (e *entry) hash() string {
	var texts []string
	eachSpot(e.node, "", maxPathDepth, func(s spot) bool {
		for _, n := range yamlnode.Spread(s.value) {
			texts = append(texts, s.path, textOf(n))
		}
		return true
	})
	return hashOfValue(texts)
}

// knownPaths returns the paths in entries, in the order of the source.
func knownPaths(entries []*entry) (paths []string) {
	seen := map[string]bool{}
	for _, e := range entries {
		eachSpot(e.node, "", maxPathDepth, func(s spot) bool {
			if !seen[s.path] && len(paths) < maxPaths {
				seen[s.path], paths = true, append(paths, s.path)
			}
			return true
		})
	}
	return paths
}

// tellUnused tells what of the source a map with some fields does not read, and which values it names in vain. It tells
// nothing of a map for many sources.
func (p *Plan) tellUnused(m *Map, fields []*target, entries []*entry) {
	if m.About != "" {
		return
	}
	if paths := unread(m, fields, entries); len(paths) > 0 {
		p.tell(NotUsed, m.name, nil, "no field of the map reads %s", strings.Join(paths, ", "))
	}
	var values []string
	var at *yaml.Node
	for _, t := range fields {
		for _, from := range slices.Sorted(maps.Keys(t.Values)) {
			if t.matched[from] {
				continue
			}
			if values = append(values, fmt.Sprintf("%s %q", t.key, from)); at == nil {
				line, column := m.doc.Position("fields", t.key, "values", from)
				at = &yaml.Node{Line: line, Column: column}
			}
		}
	}
	if at != nil {
		p.tell(NotUsed, m.name, at, "values names what the source does not have: %s", strings.Join(values, ", "))
	}
}

// isReadBy reports whether a field of the map, except for one, reads a text, or something in a group of keys.
func (m *Map) isReadBy(e *entry, n *yaml.Node, except string) bool {
	for key, f := range m.Fields {
		for _, p := range slices.Concat(f.From, f.Join) {
			isIt := func(found *yaml.Node) bool {
				return n.Kind == yaml.ScalarNode && found == n || slices.Contains(n.Content, found)
			}
			if key != except && slices.ContainsFunc(e.find(p), isIt) {
				return true
			}
		}
	}
	return false
}

// tellTexts tells of texts that stand where a path of a field leads further, unless a field reads them.
func (m *Map) tellTexts(e *entry, key string, p path) {
	n, steps := e.start(p)
	if n == nil || m.About != "" {
		return
	}
	var texts []*yaml.Node
	for i := 1; i < len(steps) && texts == nil; i++ {
		for _, at := range valuesAt(n, steps[:i]) {
			for _, n := range yamlnode.Spread(at) {
				if n.Kind == yaml.ScalarNode && !isNothing(textOf(n)) && !m.isReadBy(e, n, "") {
					texts = append(texts, n)
				}
			}
		}
	}
	for _, n := range texts { // quoted paths make notes about many fields one group
		e.tell(LeftOut, n, "%q is a text, in which %q, the path of %q, leads to nothing: add the path of the text to "+
			"the map", textOf(n), p, key)
	}
}

// unread returns the paths of values that a map does not read: the outermost of each. What a cell of Markdown has
// besides its text counts as read.
func unread(m *Map, fields []*target, entries []*entry) (paths []string) {
	var read, whole []string // the paths of the map, and those of which it reads all that is in a value
	add := func(p path) {
		read = append(read, p.keys(), p.text) // a key may look like a path
		for i, step := range p.steps {
			if key, _, ok := keyAndValue(step); ok {
				read = append(read, path{steps: append(slices.Clone(p.steps[:i]), key)}.keys())
			}
		}
	}
	for _, p := range m.Key {
		add(p)
	}
	for _, s := range m.Skip {
		add(s.From)
	}
	for _, t := range fields {
		for _, p := range slices.Concat(t.From, t.Join) {
			if add(p); t.parts != nil && t.part == "" || strings.HasSuffix(p.text, "[]") {
				whole = append(whole, p.keys())
			}
		}
	}
	isRead := func(path string) bool {
		path = strings.ReplaceAll(path, `"`, "")
		return slices.ContainsFunc(read, func(p string) bool { return strings.HasPrefix(p+".", path+".") }) ||
			slices.ContainsFunc(whole, func(p string) bool { return strings.HasPrefix(path, p+".") })
	}
	isKnown := map[string]bool{}
	for _, e := range entries {
		isItem := isCell(e.node)
		eachSpot(e.node, "", maxPathDepth, func(s spot) bool {
			isEmpty := textOf(s.value) == "" && len(s.value.Content) == 0
			if isItem && slices.Contains([]string{"text", "url", "links"}, s.key) {
				return false
			}
			if !isEmpty && !isKnown[s.path] && len(isKnown) < maxPaths {
				isKnown[s.path] = true
				if !isRead(s.path) && (s.around == "" || isRead(s.around)) {
					paths = append(paths, s.path)
				}
			}
			return !isCell(s.value)
		})
	}
	return paths
}

// isCell reports whether a value is a cell or an item of Markdown.
func isCell(n *yaml.Node) bool {
	return yamlnode.Child(n, "text") != nil && (yamlnode.Child(n, "codes") != nil || yamlnode.Child(n, "links") != nil)
}
