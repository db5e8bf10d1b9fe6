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
	Name    string            `json:"name"`
	Stars   *int              `json:"stars"`
	Memory  *float64          `json:"memory"`
	Docker  *bool             `json:"docker"`
	Topics  []string          `json:"topics"`
	Fit     fit               `json:"fit"`
	Sources map[string]string `json:"sources"`
	Links   []link            `json:"links"`
	Ignored string
}

type fit struct {
	GPU *bool `json:"gpu"`
}

type link struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
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

func TestDecodeKeepsUnsetFields(t *testing.T) {
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
	unknown := func(place, key, hint string) string {
		return fmt.Sprintf("%s: unknown key %q%s; allowed here: %s", place, key, hint, toolKeys)
	}
	for _, c := range []struct {
		about, text string
		want        []string
	}{
		{"unknown key", "name: a\nnmae: b\n", []string{unknown("2:1", "nmae", " (did you mean name?)")}},
		{"a field without a tag is no key", "Ignored: x\n", []string{unknown("1:1", "Ignored", "")}},
		{"keys know no other case", "Name: x\n", []string{unknown("1:1", "Name", " (did you mean name?)")}},
		{"unknown key within", "fit:\n  gpu: true\n  cpu: true\n", []string{`3:3: unknown key "cpu" (did you mean gpu?); allowed here: gpu`}},
		{"unknown key in a list", "links:\n- {kind: docs, link: x}\n", []string{`2:16: unknown key "link"; allowed here: kind, url`}},
		{"a comma in braces", "links:\n- {kind: by day, by night, url: x}\n", []string{`2:18: "by night" has no value: if it is part of a text with a comma, put the whole text in quotation marks, because within braces a comma ends it`}},
		{"null is no key", "~: x\n", []string{unknown("1:1", "~", "")}},
		{"columns count letters", "{é: 1, name: 2}", []string{unknown("1:2", "é", ""), `1:14: name: "2" is a number, but a text is expected: put it in quotation marks`}},

		{"repeated key", "name: a\nstars: 1\nname: b\n", []string{`3:1: key "name" is repeated; it is already on line 1: remove one of them`}},
		{"repeated key, thrice", "name: a\nname: b\nname: c\n", []string{
			`2:1: key "name" is repeated; it is already on line 1: remove one of them`, `3:1: key "name" is repeated; it is already on line 1: remove one of them`}},
		{"repeated key after null", "name: ~\nname: b\n", []string{`2:1: key "name" is repeated; it is already on line 1: remove one of them`}},
		{"repeated key of another spelling", "name: a\n'name': b\n", []string{`2:1: key "name" is repeated; it is already on line 1: remove one of them`}},
		{"repeated key within", "fit: {gpu: true, gpu: true}\n", []string{`1:18: key "gpu" is repeated; it is already on line 1: remove one of them`}},
		{"repeated key of free keys", "sources:\n  a: x\n  a: y\n", []string{`3:3: key "a" is repeated; it is already on line 2: remove one of them`}},

		{"number for a text", "name: 12\n", []string{`1:7: name: "12" is a number, but a text is expected: put it in quotation marks`}},
		{"truth for a text", "name: true\n", []string{`1:7: name: "true" is true or false, but a text is expected: put it in quotation marks`}},
		{"list for a text", "name:\n  - a\n", []string{"2:3: name: is a list, but a text is expected"}},
		{"mapping for a text", "name: {a: b}\n", []string{"1:7: name: is a mapping, but a text is expected: a text that contains \": \" or begins with { must be in quotation marks"}},
		{"text for a number", "stars: many\n", []string{`1:8: stars: "many" is not a whole number: write only digits, without a unit`}},
		{"quoted number", "stars: '12'\n", []string{`1:8: stars: "12" is not a whole number: write only digits, without a unit`}},
		{"fraction for a whole number", "stars: 1.5\n", []string{`1:8: stars: "1.5" is not a whole number: write only digits, without a unit`}},
		{"separated digits", "stars: 1_000\n", []string{`1:8: stars: "1_000" is not a whole number: write 1000`}},
		{"octal in YAML 1.1", "stars: 0123\n", []string{`1:8: stars: "0123" begins with a zero, and some programs read it as octal: write 123`}},
		{"hexadecimal", "stars: 0x10\n", []string{`1:8: stars: "0x10" is not a whole number: write only digits, without a unit`}},
		{"number too large", "stars: 99999999999999999999\n", []string{`1:8: stars: "99999999999999999999" is too large`}},
		{"list for a whole number", "stars: [1]\n", []string{"1:8: stars: is a list, but a whole number is expected"}},
		{"text for a fraction", "memory: 8 GB\n", []string{`1:9: memory: "8 GB" is not a number: write only digits, without a unit`}},
		{"infinity", "memory: .inf\n", []string{`1:9: memory: ".inf" is not a number: write only digits, without a unit`}},
		{"not a number", "memory: .nan\n", []string{`1:9: memory: ".nan" is not a number: write only digits, without a unit`}},
		{"fraction too large", "memory: 1e400\n", []string{`1:9: memory: "1e400" is not a number: write only digits, without a unit`}},
		{"mapping for a fraction", "memory: {}\n", []string{"1:9: memory: is a mapping, but a number is expected"}},
		{"yes for true", "docker: yes\n", []string{`1:9: docker: "yes" is not allowed: write true, false or null`}},
		{"True for true", "docker: True\n", []string{`1:9: docker: "True" is not allowed: write true, false or null`}},
		{"1 for true", "docker: 1\n", []string{`1:9: docker: "1" is not allowed: write true, false or null`}},
		{"quoted true", "docker: \"true\"\n", []string{`1:9: docker: "true" is not allowed: write true, false or null`}},
		{"list for true or false", "docker: []\n", []string{"1:9: docker: is a list, but true or false is expected"}},
		{"text for a list", "topics: chat\n", []string{"1:9: topics: is a text, but a list is expected: write [chat]"}},
		{"mapping for a list", "links: {kind: docs}\n", []string{"1:8: links: is a mapping, but a list is expected: begin each entry with \"- \", or write [a, b]"}},
		{"number in a list of texts", "topics: [a, 2]\n", []string{`1:13: topics: "2" is a number, but a text is expected: put it in quotation marks`}},
		{"list in a list", "topics:\n  - a\n  - [b]\n", []string{"3:5: topics: is a list, but a text is expected"}},
		{"empty entries in a list", "topics:\n- a\n-\n- ~\n", []string{"3:2: topics: a list cannot have an empty entry: remove it", "4:3: topics: a list cannot have an empty entry: remove it"}},
		{"text for a mapping", "fit: good\n", []string{"1:6: fit: is a text, but keys with values are expected: write {gpu: …}"}},
		{"list for free keys", "sources: [a]\n", []string{"1:10: sources: is a list, but keys with values are expected"}},
		{"number under a free key", "sources: {a: 1}\n", []string{`1:14: a: "1" is a number, but a text is expected: put it in quotation marks`}},
		{"text in a list of mappings", "links: [docs]\n", []string{"1:9: links: is a text, but keys with values are expected: write {kind: …, url: …}"}},
		{"list at the top", "- name\n", []string{"1:1: is a list, but keys with values are expected"}},
		{"text at the top", "name\n", []string{"1:1: is a text, but keys with values are expected"}},

		{"anchor and alias", "name: &a x\ntopics: [*a]\n", []string{
			"1:7: name: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks", "2:10: topics: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks"}},
		{"anchor on a mapping", "fit: &f {gpu: true}\n", []string{"1:6: fit: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks"}},
		{"alias as a mapping", "links: [&l {kind: docs}]\nfit: *l\n", []string{
			"1:9: links: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks", "2:6: fit: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks"}},
		{"anchor and alias as keys", "&a name: x\n*a : y\n", []string{"1:1: a key must be a plain word", "2:1: a key must be a plain word"}},
		{"merge key", "fit: {gpu: true}\n<<: {name: x}\n", []string{"2:1: a key must be a plain word"}},
		{"quoted, it is no merge key", "'<<': x\n", []string{unknown("1:1", "<<", "")}},
		{"list as a key", "? [name]\n: x\n", []string{"1:3: a key must be a plain word"}},
		{"tag", "name: !!str 12\n", []string{"1:7: name: tags such as !!str are not supported: write the plain value, or put a text that begins with ! in quotation marks"}},
		{"tag that hides a value", "name: !!null Paper Lantern\n", []string{"1:7: name: tags such as !!null are not supported: write the plain value, or put a text that begins with ! in quotation marks"}},
		{"tag in a list", "topics: [!!null chat]\n", []string{"1:10: topics: tags such as !!null are not supported: write the plain value, or put a text that begins with ! in quotation marks"}},
		{"tag on a key", "!!str name: x\n", []string{"1:1: a key must be a plain word"}},

		{"not closed", "name: [a, b", []string{`1:7: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`}},
		{"not closed, with more lines", "name: [a,\nstars: 1\n", []string{`1:7: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`}},
		{"colon in a value", "name: a: b\n", []string{`1:8: a text that contains ": " must be in quotation marks: write name: "a: b"`}},
		{"tab as indentation", "fit:\n\tgpu: true\n", []string{"2:1: there is a tab where spaces are expected: indent with spaces"}},
		{"alias of nothing", "name: *nothing\n", []string{"1:7: a text that begins with * must be in quotation marks"}},
		{"control character", "name: a\ntopics: [é\x00]\n", []string{"2:11: there is an invisible character here (U+0000): remove it"}},
		{"not UTF-8", "name: a\nstars: \x80\n", []string{"2:8: the file is not valid UTF-8: the byte here is 0x80; save the file as UTF-8"}},
		{"two documents", "name: a\n---\nname: b\n", []string{"2:1: a second document begins here: remove the line ---"}},
		{"a second document that is broken", "name: a\n---\nname: [\n", []string{"3:8: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"}},
		{"another version of YAML", "%YAML 1.9\n---\nname: a\n", []string{"1:1: is not valid YAML: put texts with special characters in quotation marks, and begin all keys of a mapping in the same column"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, problems := read(c.text)
			if got := shown(problems); !slices.Equal(got, c.want) {
				t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

// What people get wrong when they edit by hand, in words that say what to type,
// at the character that is in the way.
func TestMistakesSayWhatToType(t *testing.T) {
	around := " must be in quotation marks"
	for _, c := range []struct {
		about, text, want string
	}{
		{"colon and space in a text", "name: Chat: the tool\n", `1:11: a text that contains ": " must be in quotation marks: write name: "Chat: the tool"`},
		{"colon and space behind quotation marks of another shape", "name: “Chat: the tool”\n", `1:12: a text that contains ": " must be in quotation marks: write name: "“Chat: the tool”"`},
		{"colon and space, with quotation marks", "name: a \"b\" c: d\n", `1:14: a text that contains ": " must be in quotation marks: write name: 'a "b" c: d'`},
		{"a key on the line of another", "fit: gpu: true\n", `1:9: a text that contains ": " must be in quotation marks: write fit: "gpu: true"`},
		{"single quotation mark not closed", "name: 'abc\nstars: 1\n", "1:7: the quotation mark ' is not closed: add another at the end of the text"},
		{"double quotation mark not closed", "name: a\ntopics: [a, \"b]\nstars: 1\n", `2:13: the quotation mark " is not closed: add another at the end of the text`},
		{"double quotation mark not closed before others", "name: \"a\ntopics:\n  - b\n  - \"c\"\n", `1:7: the quotation mark " is not closed: add another at the end of the text`},
		{"apostrophe within single quotation marks", "name: 'it's'\n", `1:11: the text continues after the closing ': put the whole text in quotation marks that it does not contain`},
		{"double quotation marks within double ones", "name: \"say \"hi\"\"\n", `1:13: the text continues after the closing ": put the whole text in quotation marks that it does not contain`},
		{"text behind quotation marks", "name: \"a\" b\n", `1:11: the text continues after the closing ": put the whole text in quotation marks that it does not contain`},
		{"backslash", "name: \"C:\\Users\"\n", `1:12: \ has a special meaning in double quotation marks: write \\, or use single quotation marks`},
		{"another backslash", "name: \"a\\qb\"\n", `1:9: \ has a special meaning in double quotation marks: write \\, or use single quotation marks`},
		{"square bracket not closed", "topics: [a, b\nstars: 1\n", `1:9: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`},
		{"square bracket not closed, at the end", "topics: [a, b", `1:9: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`},
		{"square bracket with nothing in it", "topics: [", "1:10: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"},
		{"comment in square brackets", "topics: [a #1, b]\nstars: 1\n", `1:9: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`},
		{"curly bracket not closed", "fit: {gpu: true\nstars: 1\n", `1:6: { is not closed: add } after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`},
		{"quotation mark in square brackets", "topics: [a, 'b'c, d]\n", `1:9: [ is not closed: add ] after the last entry; texts with brackets, commas, quotes or " #" must be in quotation marks`},
		{"two commas", "topics: [a,, b]\n", `1:12: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks`},
		{"closing bracket first", "name: ]x\n", "1:7: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks"},
		{"text behind a closing bracket", "topics: [a] b\n", `1:13: the text continues after the closing ]: put the whole text in quotation marks that it does not contain`},
		{"text behind a closing curly bracket", "fit: {gpu: true} x\n", `1:18: the text continues after the closing }: put the whole text in quotation marks that it does not contain`},
		{"tab as indentation", "fit:\n\tgpu: true\n", "2:1: there is a tab where spaces are expected: indent with spaces"},
		{"tab behind spaces", "fit:\n  \tgpu: true\n", "2:3: there is a tab where spaces are expected: indent with spaces"},
		{"tab before the first key", "\tname: x\n", "1:1: there is a tab where spaces are expected: indent with spaces"},
		{"at sign first", "name: @me\n", "1:7: a text that begins with @" + around},
		{"backtick first", "name: `x`\n", "1:7: a text that begins with `" + around},
		{"percent sign first", "name: %x\n", "1:7: a text that begins with %" + around},
		{"percent sign before a key", "%name: x\n", `1:1: a text that begins with % must be in quotation marks`},
		{"ampersand first", "name: &x\n", "1:7: name: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks"},
		{"ampersand and space first", "name: & x\n", "1:7: a text that begins with &" + around},
		{"star first", "name: *x\n", "1:7: a text that begins with *" + around},
		{"bold text", "name: **bold** x\n", "1:7: a text that begins with *" + around},
		{"star and space first", "name: * x\n", "1:7: a text that begins with *" + around},
		{"exclamation mark first", "name: !x\n", "1:7: name: tags such as !x are not supported: write the plain value, or put a text that begins with ! in quotation marks"},
		{"exclamation mark and space first", "name: ! x\n", "1:7: name: tags such as ! are not supported: write the plain value, or put a text that begins with ! in quotation marks"},
		{"bar first", "name: | x\n", "1:7: a text that begins with | must be in quotation marks; begin a text of several lines on the next line"},
		{"greater-than sign first", "name: >x\n", "1:7: a text that begins with > must be in quotation marks; begin a text of several lines on the next line"},
		{"question mark and space first", "name: ? x\n", "1:7: a text that begins with ?" + around},
		{"hyphen and space first", "name: - x\n", `1:7: put a text that begins with "- " in quotation marks; begin the first entry of a list on a line of its own`},
		{"hyphen without a space", "topics:\n- a\n-b\n", `3:1: "-b" is not a key with a value: write ": " after a key, and "- " before an entry; indent a text that continues from the line above`},
		{"hyphens without spaces", "topics:\n  -a\n  -b\n", `2:3: topics: is a text, but a list is expected: a space is missing after the hyphen: write "- a"`},
		{"entry indented too little", "topics:\n  - a\n - b\n", `3:2: this line is indented by 1 space, which matches no line above it: begin it in the same column as the other keys or entries`},
		{"wrapped text with a dash", "name: Turns words into text\n  - all from one file.\n", ""},
		{"entry indented too far", "topics:\n  - a\n    - b\n", `3:5: topics: "- b" is read as part of the text above: indent it like the entry above`},
		{"entry indented too far below a wrapped one", "topics:\n  - a\n    and more\n    - b\n  - c\n", `4:5: topics: "- b" is read as part of the text above: indent it like the entry above`},
		{"key indented too far", "name: x\n  stars: 1\n", "2:3: this line is indented by 2 spaces, but the key above already has a value: begin it in the same column as the other keys"},
		{"key indented too little", "fit:\n  gpu: true\n name: x\n", `3:2: this line is indented by 1 space, which matches no line above it: begin it in the same column as the other keys or entries`},
		{"first key indented", " name: x\nstars: 1\n", `2:1: this line begins further to the left than the first key: begin it in the same column as the other keys`},
		{"key of an entry indented too little", "links:\n- kind: docs\n url: x\n", `3:2: this line is indented by 1 space, which matches no line above it: begin it in the same column as the other keys or entries`},
		{"entry below a key", "links:\n  kind: docs\n  - url: x\n", `3:3: this line is indented by 2 spaces, which matches no line above it: begin it in the same column as the other keys or entries`},
		{"key below a list", "- a\nname: x\n", `2:1: the lines above are a list: begin this line with "- ", or indent it if it belongs to the entry above`},
		{"no colon", "name x\nstars: 1\n", `1:1: "name x" is not a key with a value: write ": " after the key`},
		{"no space behind the colon", "name:x\nstars: 1\n", `1:1: "name:x" is not a key with a value: write ": " after the key`},
		{"no colon on the last line", "name: x\nstars 1\n", `2:1: "stars 1" is not a key with a value: write ": " after a key, and "- " before an entry; indent a text that continues from the line above`},
		{"prose", "name: x\njust words\n", `2:1: "just words" is not a key with a value: write ": " after a key, and "- " before an entry; indent a text that continues from the line above`},
		{"comment without a space", "name: Ranks #1 in speed\n", `1:13: name: "#1 in speed" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`},
		{"nothing but a comment without a space", "name: #1\n", `1:7: name: "#1" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`},
		{"comment without a space in a list", "topics:\n - a\n - b #2\n", `3:6: topics: "#2" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`},
		{"comment without a space on a second line", "name: a\n  b #1\n", `2:5: name: "#1" is read as a comment: put the whole text in quotation marks, or write a space after the # of a comment`},
		{"no-break space before a key", "name: a\n\u00a0stars: 1\n", "2:1: there is an unusual space (U+00A0) before the key: use ordinary spaces"},
		{"control character", "name: a\x1bb\n", "1:8: there is an invisible character here (U+001B): remove it"},
		{"delete character", "name: a\x7f\n", "1:8: there is an invisible character here (U+007F): remove it"},
		{"invalid UTF-8", "name: a\nstars: \xff\n", "2:8: the file is not valid UTF-8: the byte here is 0xff; save the file as UTF-8"},
		{"a picture", "\x89PNG\r\n\x00\x01", "1:1: this is not a text file: replace it with one in UTF-8, or remove it"},
		{"UTF-16", "\xff\xfen\x00a\x00", "1:1: the file is UTF-16: save it as UTF-8"},
		{"UTF-16 of the other order", "\xfe\xff\x00n\x00a", "1:1: the file is UTF-16: save it as UTF-8"},
		{"number for people", "stars: 1,200\n", `1:8: stars: "1,200" is not a whole number: write 1200`},
		{"number with a unit", "stars: 1.2k\n", `1:8: stars: "1.2k" is not a whole number: write only digits, without a unit`},
		{"fraction with a comma", "memory: 0,5\n", `1:9: memory: "0,5" is not a number: write 0.5`},
		{"text for a list", "topics: chat\n", "1:9: topics: is a text, but a list is expected: write [chat]"},
		{"braces for a list", "topics: {a, b}\n", `1:9: topics: is a mapping, but a list is expected: begin each entry with "- ", or write [a, b]`},
		{"entry that is a key", "topics: [a, b: c]\n", `1:13: topics: is a mapping, but a text is expected: a text that contains ": " or begins with { must be in quotation marks`},
		{"list for a text", "name:\n  - a\n", "2:3: name: is a list, but a text is expected"},
		{"number for a text", "name: 2024\n", `1:7: name: "2024" is a number, but a text is expected: put it in quotation marks`},
		{"yes for true", "docker: yes\n", `1:9: docker: "yes" is not allowed: write true, false or null`},
		{"on for true", "docker: on\n", `1:9: docker: "on" is not allowed: write true, false or null`},
		{"key twice", "name: a\nname: b\n", `2:1: key "name" is repeated; it is already on line 1: remove one of them`},
		{"second document", "name: a\n---\nstars: 1\n", "2:1: a second document begins here: remove the line ---"},
		{"a date needs no quotation marks", "name: 2026-01-02\n", ""},
		{"neither do yes, no, on and off where a text is wanted", "name: off\n", ""},
		{"Windows line ends", "name: a\r\nstars: 1\r\n", ""},
		{"byte order mark", "\ufeffname: a\n", ""},
		{"comment behind a text", "name: Ranks # first\n", ""},
		{"comment behind quotation marks", "name: \"a\" #1\n", ""},
		{"comment behind a list", "topics: [a, b] #1\n", ""},
		{"wrapped entry", "topics:\n  - a\n    and more\n  - b\n", ""},
		{"hyphen in a text", "name: fast - and small\n", ""},
		{"sharp without a space", "name: C#\n", ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, problems := read(c.text)
			if got := strings.Join(shown(problems), "\n"); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
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
		`1:7: name: "1" is a number, but a text is expected: put it in quotation marks`,
		`2:1: unknown key "colour"; allowed here: ` + toolKeys,
		`3:8: stars: "many" is not a whole number: write only digits, without a unit`,
		`4:1: key "name" is repeated; it is already on line 1: remove one of them`,
		`6:8: gpu: "maybe" is not allowed: write true, false or null`,
		`7:3: unknown key "cpu" (did you mean gpu?); allowed here: gpu`,
		`9:5: topics: is a list, but a text is expected`,
		`10:4: topics: a list cannot have an empty entry: remove it`,
		`12:12: kind: "2" is a number, but a text is expected: put it in quotation marks`,
		`12:15: unknown key "href"; allowed here: kind, url`,
		`13:17: key "a" is repeated; it is already on line 13: remove one of them`,
		`14:9: docker: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks`,
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
	if got, want := shown(problems), []string{`6:8: stars: "x" is not a whole number: write only digits, without a unit`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if x.Name != "a\nb\n" || !slices.Equal(x.Topics, []string{"chat"}) {
		t.Errorf("got name %q, topics %q", x.Name, x.Topics)
	}
}

// The place is that of the file, of which the text is a part.
func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"name: 1\nname: 2\n":  `[11:7: name: "1" is a number, but a text is expected: put it in quotation marks 12:1: key "name" is repeated; it is already on line 11: remove one of them]`,
		"name: [\n":           "[11:8: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks]",
		"a: b\n---\n":         "[12:1: a second document begins here: remove the line ---]",
		"name: a\n\nx: \x01b": "[13:4: there is an invisible character here (U+0001): remove it]",
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
		"name: a #1\n", "topics:\n - a\n   - b #2\n", "name: “a: b”\n", "topics: [a\n, 'b", "fit:\n\tgpu: x", " name: x\nstars", "- a\nb: c", "%a\n", "name: ! x", "name: \"\\q\"",
		"\xff\xfea", "name: é\n # x\n  é #é\n", "a: *\n", "a: >x\n", "name: [\n\n\n",
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
