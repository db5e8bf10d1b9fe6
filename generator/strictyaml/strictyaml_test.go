package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// tool has a field of every kind that a struct may be decoded into.
type tool struct {
	Name    string            `yaml:"name"`
	Stars   *int              `yaml:"stars"`
	Memory  *float64          `yaml:"memory"`
	Docker  *bool             `yaml:"docker"`
	Topics  []string          `yaml:"topics"`
	Fit     fit               `yaml:"fit"`
	Sources map[string]string `yaml:"sources"`
	Links   []link            `yaml:"links"`
	Ignored string
}

type fit struct {
	GPU *bool `yaml:"gpu"`
}

type link struct {
	Kind string `yaml:"kind"`
	URL  string `yaml:"url"`
}

const toolKeys = "name, stars, memory, docker, topics, fit, sources, links"

// read parses and decodes a text that begins on line 1.
func read(text string) (tool, []Problem) {
	var x tool
	doc, problems := Parse([]byte(text), 1)
	if doc != nil {
		problems = doc.Decode(&x)
	}
	return x, problems
}

// shown writes problems as line:column: message, as a person reads them.
func shown(problems []Problem) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message))
	}
	return list
}

func TestDecodeFillsEveryKind(t *testing.T) {
	const text = `# what a person writes
name: Paper Lantern
stars: 12
memory: 0.5
docker: true
topics: [chat, "2024", 2026-01-02]
fit: {gpu: false}
sources:
  stars: README (2026-01)
  "1": a key of digits
links:
  - kind: docs
    url: https://docs.example.org/#top
`
	x, problems := read(text)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", shown(problems))
	}
	stars, memory, yes, no := 12, 0.5, true, false
	want := tool{
		Name: "Paper Lantern", Stars: &stars, Memory: &memory, Docker: &yes,
		Topics: []string{"chat", "2024", "2026-01-02"}, Fit: fit{GPU: &no},
		Sources: map[string]string{"stars": "README (2026-01)", "1": "a key of digits"},
		Links:   []link{{"docs", "https://docs.example.org/#top"}},
	}
	if !reflect.DeepEqual(x, want) {
		t.Errorf("got %+v, want %+v", x, want)
	}
}

func TestDecodeLeavesAloneWhatIsNotSaid(t *testing.T) {
	for _, text := range []string{"", "\n \n", "# nothing but a comment\n", "---\n", "null\n", "name: null\nstars: ~\nmemory:\ntopics: null\nfit:\nsources: ~\nlinks:\n"} {
		seven := 7
		before := tool{Name: "before", Stars: &seven, Topics: []string{"kept"}}
		x := before
		doc, problems := Parse([]byte(text), 1)
		if doc == nil {
			t.Errorf("%q: %v", text, shown(problems))
			continue
		}
		if problems := doc.Decode(&x); len(problems) > 0 || !reflect.DeepEqual(x, before) {
			t.Errorf("%q: got %+v, problems %v", text, x, shown(problems))
		}
	}
}

func TestMistakes(t *testing.T) {
	unknown := func(place, key string) string {
		return fmt.Sprintf("%s: unknown key %q; allowed here: %s", place, key, toolKeys)
	}
	for _, c := range []struct {
		about, text string
		want        []string
	}{
		{"unknown key", "name: a\nnmae: b\n", []string{unknown("2:1", "nmae")}},
		{"a field without a tag is no key", "Ignored: x\n", []string{unknown("1:1", "Ignored")}},
		{"keys know no other case", "Name: x\n", []string{unknown("1:1", "Name")}},
		{"unknown key within", "fit:\n  gpu: true\n  cpu: true\n", []string{`3:3: unknown key "cpu"; allowed here: gpu`}},
		{"unknown key in a list", "links:\n- {kind: docs, link: x}\n", []string{`2:16: unknown key "link"; allowed here: kind, url`}},
		{"null is no key", "~: x\n", []string{unknown("1:1", "~")}},
		{"columns count letters", "{é: 1, name: 2}", []string{unknown("1:2", "é"), `1:14: name: "2" is a number, but a text is expected; put it in quotes`}},

		{"repeated key", "name: a\nstars: 1\nname: b\n", []string{`3:1: key "name" is repeated; it stands on line 1 already`}},
		{"repeated key, thrice", "name: a\nname: b\nname: c\n", []string{
			`2:1: key "name" is repeated; it stands on line 1 already`, `3:1: key "name" is repeated; it stands on line 1 already`}},
		{"repeated key after null", "name: ~\nname: b\n", []string{`2:1: key "name" is repeated; it stands on line 1 already`}},
		{"repeated key of another spelling", "name: a\n'name': b\n", []string{`2:1: key "name" is repeated; it stands on line 1 already`}},
		{"repeated key within", "fit: {gpu: true, gpu: true}\n", []string{`1:18: key "gpu" is repeated; it stands on line 1 already`}},
		{"repeated key of free keys", "sources:\n  a: x\n  a: y\n", []string{`3:3: key "a" is repeated; it stands on line 2 already`}},

		{"number for a text", "name: 12\n", []string{`1:7: name: "12" is a number, but a text is expected; put it in quotes`}},
		{"truth for a text", "name: true\n", []string{`1:7: name: "true" is a truth value, but a text is expected; put it in quotes`}},
		{"list for a text", "name:\n  - a\n", []string{"2:3: name: is a list, but a text is expected"}},
		{"mapping for a text", "name: {a: b}\n", []string{"1:7: name: is a mapping, but a text is expected"}},
		{"text for a number", "stars: many\n", []string{`1:8: stars: "many" is not a whole number`}},
		{"quoted number", "stars: '12'\n", []string{`1:8: stars: "12" is not a whole number`}},
		{"fraction for a whole number", "stars: 1.5\n", []string{`1:8: stars: "1.5" is not a whole number`}},
		{"separated digits", "stars: 1_000\n", []string{`1:8: stars: "1_000" is not a whole number`}},
		{"hexadecimal", "stars: 0x10\n", []string{`1:8: stars: "0x10" is not a whole number`}},
		{"number too large", "stars: 99999999999999999999\n", []string{`1:8: stars: "99999999999999999999" is not a whole number`}},
		{"list for a whole number", "stars: [1]\n", []string{"1:8: stars: is a list, but a whole number is expected"}},
		{"text for a fraction", "memory: 8 GB\n", []string{`1:9: memory: "8 GB" is not a number`}},
		{"infinity", "memory: .inf\n", []string{`1:9: memory: ".inf" is not a number`}},
		{"not a number", "memory: .nan\n", []string{`1:9: memory: ".nan" is not a number`}},
		{"fraction too large", "memory: 1e400\n", []string{`1:9: memory: "1e400" is not a number`}},
		{"mapping for a fraction", "memory: {}\n", []string{"1:9: memory: is a mapping, but a number is expected"}},
		{"yes for true", "docker: yes\n", []string{`1:9: docker: "yes" is not allowed; write true, false or null`}},
		{"True for true", "docker: True\n", []string{`1:9: docker: "True" is not allowed; write true, false or null`}},
		{"1 for true", "docker: 1\n", []string{`1:9: docker: "1" is not allowed; write true, false or null`}},
		{"quoted true", "docker: \"true\"\n", []string{`1:9: docker: "true" is not allowed; write true, false or null`}},
		{"list for a truth value", "docker: []\n", []string{"1:9: docker: is a list, but true or false is expected"}},
		{"text for a list", "topics: chat\n", []string{"1:9: topics: is a text, but a list is expected"}},
		{"mapping for a list", "links: {kind: docs}\n", []string{"1:8: links: is a mapping, but a list is expected"}},
		{"number in a list of texts", "topics: [a, 2]\n", []string{`1:13: topics: "2" is a number, but a text is expected; put it in quotes`}},
		{"list in a list", "topics:\n  - a\n  - [b]\n", []string{"3:5: topics: is a list, but a text is expected"}},
		{"empty entries in a list", "topics:\n- a\n-\n- ~\n", []string{"3:2: topics: a list may not hold an empty entry", "4:3: topics: a list may not hold an empty entry"}},
		{"text for a mapping", "fit: good\n", []string{"1:6: fit: is a text, but keys with values are expected"}},
		{"list for free keys", "sources: [a]\n", []string{"1:10: sources: is a list, but keys with values are expected"}},
		{"number under a free key", "sources: {a: 1}\n", []string{`1:14: a: "1" is a number, but a text is expected; put it in quotes`}},
		{"text in a list of mappings", "links: [docs]\n", []string{"1:9: links: is a text, but keys with values are expected"}},
		{"list at the top", "- name\n", []string{"1:1: is a list, but keys with values are expected"}},
		{"text at the top", "name\n", []string{"1:1: is a text, but keys with values are expected"}},

		{"anchor and alias", "name: &a x\ntopics: [*a]\n", []string{
			"1:7: name: anchors and aliases are not supported; write the value out", "2:10: topics: anchors and aliases are not supported; write the value out"}},
		{"anchor on a mapping", "fit: &f {gpu: true}\n", []string{"1:6: fit: anchors and aliases are not supported; write the value out"}},
		{"alias as a mapping", "links: [&l {kind: docs}]\nfit: *l\n", []string{
			"1:9: links: anchors and aliases are not supported; write the value out", "2:6: fit: anchors and aliases are not supported; write the value out"}},
		{"anchor and alias as keys", "&a name: x\n*a : y\n", []string{"1:1: a key must be a plain word", "2:1: a key must be a plain word"}},
		{"merge key", "fit: {gpu: true}\n<<: {name: x}\n", []string{"2:1: a key must be a plain word"}},
		{"quoted, it is no merge key", "'<<': x\n", []string{unknown("1:1", "<<")}},
		{"list as a key", "? [name]\n: x\n", []string{"1:3: a key must be a plain word"}},
		{"tag", "name: !!str 12\n", []string{"1:7: name: tags such as !!str are not supported; write the plain value"}},
		{"tag that hides a value", "name: !!null Paper Lantern\n", []string{"1:7: name: tags such as !!null are not supported; write the plain value"}},
		{"tag in a list", "topics: [!!null chat]\n", []string{"1:10: topics: tags such as !!null are not supported; write the plain value"}},
		{"tag on a key", "!!str name: x\n", []string{"1:1: a key must be a plain word"}},

		{"not closed", "name: [a, b", []string{"1:12: is not valid YAML: did not find expected ',' or ']'"}},
		{"not closed, with more lines", "name: [a,\nstars: 1\n", []string{"2:9: is not valid YAML: did not find expected ',' or ']'"}},
		{"colon in a value", "name: a: b\n", []string{"1:8: is not valid YAML: mapping values are not allowed in this context"}},
		{"tab as indentation", "fit:\n\tgpu: true\n", []string{"2:1: is not valid YAML: found character that cannot start any token"}},
		{"alias of nothing", "name: *nothing\n", []string{"1:7: is not valid YAML: unknown anchor 'nothing' referenced"}},
		{"control character", "name: a\ntopics: [é\x00]\n", []string{"2:11: is not valid YAML: control characters are not allowed (value: 0)"}},
		{"not UTF-8", "name: a\nstars: \x80\n", []string{"2:8: is not valid YAML: invalid leading UTF-8 octet (value: 128)"}},
		{"two documents", "name: a\n---\nname: b\n", []string{"2:1: is not valid YAML: a second document begins here; one is expected"}},
		{"a second document that is broken", "name: a\n---\nname: [\n", []string{"3:8: is not valid YAML: did not find expected node content"}},
		{"another version of YAML", "%YAML 1.9\n---\nname: a\n", []string{"1:1: is not valid YAML: found incompatible YAML document"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, problems := read(c.text)
			if got := shown(problems); !slices.Equal(got, c.want) {
				t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

// An editor wants the whole list, in the order of the text.
func TestAllMistakesAtOnce(t *testing.T) {
	const text = `name: 1
colour: red
stars: many
name: again
fit:
  gpu: maybe
  cpu: true
topics:
  - [a]
  -
links:
  - {kind: 2, href: x}
sources: {a: b, a: c}
docker: &d true
`
	want := []string{
		`1:7: name: "1" is a number, but a text is expected; put it in quotes`,
		`2:1: unknown key "colour"; allowed here: ` + toolKeys,
		`3:8: stars: "many" is not a whole number`,
		`4:1: key "name" is repeated; it stands on line 1 already`,
		`6:8: gpu: "maybe" is not allowed; write true, false or null`,
		`7:3: unknown key "cpu"; allowed here: gpu`,
		`9:5: topics: is a list, but a text is expected`,
		`10:4: topics: a list may not hold an empty entry`,
		`12:12: kind: "2" is a number, but a text is expected; put it in quotes`,
		`12:15: unknown key "href"; allowed here: kind, url`,
		`13:17: key "a" is repeated; it stands on line 13 already`,
		`14:9: docker: anchors and aliases are not supported; write the value out`,
	}
	x, problems := read(text)
	if got := shown(problems); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if x.Docker != nil || x.Stars != nil || x.Fit.GPU != nil {
		t.Errorf("a value that is wrong was kept: %+v", x)
	}
}

func TestWindowsLineEndings(t *testing.T) {
	x, problems := read("name: |\r\n  a\r\n  b\r\ntopics:\r\n  - chat\r\nstars: x\r\n")
	if got, want := shown(problems), []string{`6:8: stars: "x" is not a whole number`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if x.Name != "a\nb\n" || !slices.Equal(x.Topics, []string{"chat"}) {
		t.Errorf("got name %q, topics %q", x.Name, x.Topics)
	}
}

// The place is that of the file, of which the text is a part.
func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"name: 1\nname: 2\n":  `[11:7: name: "1" is a number, but a text is expected; put it in quotes 12:1: key "name" is repeated; it stands on line 11 already]`,
		"name: [\n":           "[11:8: is not valid YAML: did not find expected node content]",
		"a: b\n---\n":         "[12:1: is not valid YAML: a second document begins here; one is expected]",
		"name: a\n\nx: \x01b": "[13:4: is not valid YAML: control characters are not allowed (value: 1)]",
	} {
		doc, problems := Parse([]byte(text), 11)
		if doc != nil {
			problems = doc.Decode(new(tool))
		}
		if got := fmt.Sprint(shown(problems)); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestPosition(t *testing.T) {
	const text = `name: a
topics: [x, yy, z]
fit:
  gpu: true
links:
  - kind: docs
    url: there
  - {kind: pip}
empty:
`
	doc, problems := Parse([]byte(text), 3)
	if doc == nil {
		t.Fatal(shown(problems))
	}
	for _, c := range []struct {
		path         []any
		line, column int
	}{
		{nil, 3, 1},
		{[]any{"name"}, 3, 7},
		{[]any{"topics"}, 4, 9},
		{[]any{"topics", 2}, 4, 17},
		{[]any{"fit", "gpu"}, 6, 8},
		{[]any{"links", 0, "url"}, 9, 10},
		{[]any{"links", 1, "kind"}, 10, 12},
		// What is not there is reported where it should have been.
		{[]any{"missing"}, 3, 1},
		{[]any{"fit", "missing"}, 6, 3},
		{[]any{"links", 1, "url"}, 10, 5},
		{[]any{"links", 2, "url"}, 8, 3},
		{[]any{"name", "below a text"}, 3, 7},
		{[]any{"fit", 0}, 6, 3},
	} {
		if line, column := doc.Position(c.path...); line != c.line || column != c.column {
			t.Errorf("Position(%v) = %d:%d, want %d:%d", c.path, line, column, c.line, c.column)
		}
	}
	for key, want := range map[string]bool{"name": true, "empty": true, "gpu": false, "missing": false} {
		if got := doc.Has(key); got != want {
			t.Errorf("Has(%q) = %t", key, got)
		}
	}

	for _, text := range []string{"", "- name\n"} { // neither has keys
		doc, problems := Parse([]byte(text), 3)
		if doc == nil {
			t.Fatal(shown(problems))
		}
		if line, column := doc.Position("name"); line != 3 || column != 1 || doc.Has("name") {
			t.Errorf("%q: Position = %d:%d, Has = %t", text, line, column, doc.Has("name"))
		}
	}
}

// FuzzDecode looks for texts that make the decoder panic or complain about a
// place that is not in the text.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"name: a\nstars: 1\nmemory: .5\ndocker: true\ntopics: [a, 'b']\nfit: {gpu: no}\nsources: {a: b}\nlinks:\n- {kind: x, url: y}\n",
		"a: &a [*a]\n<<: *a\n", "? [x]\n: y\n", "name: |\r\n  a\r\nstars: x", "\ufeffname: 1", "l: [", "name: \x00", "---\n---\n",
		"name: !!binary aGk=", "%YAML 1.2\n---\n", "name: a\u2028stars: b", "# only\n", "{é: 1}",
	} {
		f.Add(text, 1)
		f.Add(text, 20)
	}
	f.Fuzz(func(t *testing.T, text string, first int) {
		first = 1 + (first&0x7fffffff)%1000
		doc, problems := Parse([]byte(text), first)
		if (doc == nil) != (len(problems) > 0) {
			t.Fatalf("a document and problems %v", problems)
		}
		if doc != nil {
			problems = doc.Decode(new(tool))
			line, column := doc.Position("links", 0, "url")
			problems = append(problems, Problem{line, column, "position"})
		}
		lines := splitLines([]byte(text))
		for _, p := range problems {
			i := p.Line - first
			if i < 0 || i >= len(lines) || p.Column < 1 || p.Column > utf8.RuneCountInString(lines[i])+1 || p.Message == "" {
				t.Errorf("problem %+v is not within the %d lines from %d on", p, len(lines), first)
			}
		}
	})
}
