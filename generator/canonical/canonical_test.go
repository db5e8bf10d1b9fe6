package canonical

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"catalog.example/generator/strictyaml"
	"go.yaml.in/yaml/v4"
)

// sample is what the tests' texts hold.
type sample struct {
	Name     string            `json:"name"`
	Keywords []string          `json:"keywords"`
	Texts    []string          `json:"texts"`
	Day      *string           `json:"day"`
	Count    *int              `json:"count"`
	Size     *float64          `json:"size"`
	Open     *bool             `json:"open"`
	Inner    inner             `json:"inner"`
	Links    []link            `json:"links"`
	Notes    map[string]string `json:"notes"`
}

type inner struct {
	One  *bool    `json:"one"`
	Two  *string  `json:"two"`
	More []string `json:"more"`
}

type link struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

var samples = Form{
	Keys:   []string{"name", "keywords", "texts", "day", "count", "size", "open", "inner", "links", "notes", "one", "two", "more", "kind", "url"},
	Dates:  []string{"day"},
	Inline: []string{"keywords"},
	New:    func() any { return new(sample) },
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, want string
		settings           []Setting
	}{
		{"is canonical", "name: A text\nkeywords: [a, b]\n", "", nil},
		{"order of keys", "notes: {inner.more: a, texts: b, inner.one: c, other: d, name: e}\ninner:\n  more: []\n  one: true\nname: A\n",
			"name: A\ninner:\n  one: true\n  more: []\nnotes:\n  name: e\n  texts: b\n  inner.one: c\n  inner.more: a\n  other: d\n", nil},
		{"lists", "keywords:\n- a\n- 3d\n- two words\n- 'x, y'\ntexts: [one, \"two\", 'a, b', 'c: d']\n",
			"keywords: [a, \"3d\", two words, \"x, y\"]\ntexts:\n  - one\n  - two\n  - a, b\n  - \"c: d\"\n", nil},
		{"empty", "name: ''\nkeywords: [\n]\ntexts: ~\nday:\ninner: {  }\nlinks: []\nnotes: {}\n", "name: \"\"\nkeywords: []\ntexts: null\nday: null\ninner: {}\nlinks: []\nnotes: {}\n", nil},
		{"entries that are mappings", "links:\n- url: https://a.example/?b\n  kind: x\n- {kind: \"y\", url: 'https://a.example/#b'}\n",
			"links:\n  - {kind: x, url: \"https://a.example/?b\"}\n  - {kind: \"y\", url: https://a.example/#b}\n", nil},
		{"numbers", "count: +12\nsize: 1e3\n", "count: 12\nsize: 1000\n", nil},
		{"a fraction", "size: .50\n", "size: 0.5\n", nil},
		{"days", "name: 2026-01-02\nday: \"2026-01-02\"\nnotes: {day: 2026-13-32}\n", "name: \"2026-01-02\"\nday: 2026-01-02\nnotes:\n  day: \"2026-13-32\"\n", nil},
		{"texts over lines", "name: >-\n  a\n  b\ninner:\n  two: |\n    a\n    b\ntexts: [\"a\n  b\"]\n", "name: a b\ntexts:\n  - a b\ninner:\n  two: \"a\\nb\\n\"\n", nil},
		{"keys", "notes: {\"name\": a, 'a: b': c, yes: d, 01: e, ~: f}\n", "notes:\n  name: a\n  \"a: b\": c\n  \"yes\": d\n  \"01\": e\n  \"~\": f\n", nil},
		{"characters", "name: Ünï 🦙 – “x”\ntexts: [\"a\\u0085b\", \"\\ufeffa\", \"a\\u2028b\", \"a\\tb\", \"a\\u00a0b\"]\n",
			"name: \"Ünï \\U0001F999 – “x”\"\ntexts:\n  - \"a\\Nb\"\n  - \"\\uFEFF\\x61\"\n  - \"a\\Lb\"\n  - \"a\\tb\"\n  - \"a\u00a0b\"\n", nil},
		{"line breaks of Windows", "count: 1 # c\r\n\r\nname: 'A'\r\n", "name: A\r\ncount: 1 # c\r\n", nil},
		{"no line break at the end", "name: 'A'", "name: A\n", nil},

		{"comments", "# top\n\n# of a\nname: A # b\n\n# of texts\n\ntexts: # c\n  # of one\n  - one # d\n  # after one\n\n  - two\n  # after two\ninner: {one: true} # e\nkeywords: [a] # f\n# at the end\n",
			"# top\n# of a\nname: A # b\nkeywords: [a] # f\n# at the end\n\n# of texts\ntexts: # c\n  # of one\n  - one # d\n  # after one\n\n  - two\n  # after two\ninner: # e\n  one: true\n", nil},
		{"comments within values", "name: # a\n  # b\n  A # c\nkeywords: [a, # d\n  b]\ntexts: [one, # e\n  two] # f\n",
			"# b\n# a\n# c\nname: A\nkeywords:\n  - a # d\n  - b\ntexts: # f\n  - one # e\n  - two\n", nil},
		{"comments within mappings", "links:\n  # a\n  - kind: x # b\n    # c\n    url: z\n  - {kind: x, url: z} # d\n", "links:\n  # a\n  - kind: x # b\n    # c\n    url: z\n  - {kind: x, url: z} # d\n", nil},
		{"comments move with keys", "# of count\ncount: 1 # a\n# of name\nname: A # b\n", "# of name\nname: A # b\n# of count\ncount: 1 # a\n", nil},
		{"the modeline stays first", "# yaml-language-server: $schema=x\n# of count\ncount: 1\nname: A\n", "# yaml-language-server: $schema=x\nname: A\n# of count\ncount: 1\n", nil},
		{"the modeline comes first", "# of count\ncount: 1\n# yaml-language-server: $schema=x\nname: A\n", "# yaml-language-server: $schema=x\nname: A\n# of count\ncount: 1\n", nil},
		{"a comment on nothing", "notes: {} # a: b\ncount: # c\n", "count: null # c\nnotes: {} # a: b\n", nil},
		{"no comment", "name: \"a # b\"\nnotes: {a: b#c, d: '# e'}\n", "name: \"a # b\"\nnotes:\n  a: b#c\n  d: \"# e\"\n", nil},

		{"a number is set", "name: A\ncount: 12 # counted\n", "name: A\ncount: 3456 # counted\n", []Setting{{[]string{"count"}, 3456}}},
		{"true or false is set", "open: false\n", "open: true\n", []Setting{{[]string{"open"}, true}}},
		{"null is replaced", "count: null # ?\nopen:   # later\nname: ~\n", "name: B\ncount: 5 # ?\nopen: true # later\n",
			[]Setting{{[]string{"count"}, 5}, {[]string{"open"}, true}, {[]string{"name"}, "B"}}},
		{"a text is set", "name: \"M\\\"IT\"   # said\n", "name: GPL-3.0 # said\n", []Setting{{[]string{"name"}, "GPL-3.0"}}},
		{"a folded text is replaced", "name: >- # c\n  a\n\n  b\n# d\ncount: 1\n", "name: B # c\n# d\ncount: 1\n", []Setting{{[]string{"name"}, "B"}}},
		{"a day is set", "day: 2026-01-01\n", "day: 2026-11-21\n", []Setting{{[]string{"day"}, "2026-11-21"}}},
		{"texts that need quotes are set", "name: A\n", "name: \"12\"\nnotes:\n  name: \"a # b\"\n  day: \"2026-11-21\"\n",
			[]Setting{{[]string{"name"}, "12"}, {[]string{"notes", "day"}, "2026-11-21"}, {[]string{"notes", "name"}, "a # b"}}},
		{"a key is removed", "name: A\nnotes:\n  count: C\n  kind: K\n", "name: A\nnotes:\n  kind: K\n",
			[]Setting{{[]string{"notes", "count"}, Removed}, {[]string{"notes", "name"}, Removed}, {[]string{"count"}, Removed}}},
		{"a missing key", "name: A # a\n# of open\nopen: null\n", "name: A # a\ncount: 7\n# of open\nopen: null\n", []Setting{{[]string{"count"}, 7}}},
		{"missing keys that lead to it", "name: A\n", "name: A\nnotes:\n  count: C\n", []Setting{{[]string{"notes", "count"}, "C"}}},
		{"empty notes", "notes: {} # a\n", "notes: # a\n  count: C\n", []Setting{{[]string{"notes", "count"}, "C"}}},
		{"notes that are null", "notes: null # a\n", "notes: # a\n  open: B\n  other: D\n", []Setting{{[]string{"notes", "other"}, "D"}, {[]string{"notes", "open"}, "B"}}},
		{"a key twice", "count: 1\n", "count: 3\n", []Setting{{[]string{"count"}, 2}, {[]string{"count"}, 3}}},
		{"a value that is a key's name", "notes: {a: count, b: c}\n", "notes:\n  count: x\n  a: count\n  b: c\n", []Setting{{[]string{"notes", "count"}, "x"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := samples.Format([]byte(test.before), 2, test.settings...)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				test.want = test.before
			}
			if string(out) != test.want {
				t.Errorf("got\n%s\n%q\nwant\n%q", out, out, test.want)
			}
			if again, err := samples.Format(out, 2); err != nil || string(again) != string(out) {
				t.Errorf("a second time gives %v\n%s", err, again)
			}
		})
	}
}

// TestRefusedSetting checks that a value that does not fit is refused for its own reason.
func TestRefusedSetting(t *testing.T) {
	t.Parallel()
	_, err := samples.Format([]byte("name: A\n"), 2, Setting{[]string{"count"}, "many"})
	if err == nil || !strings.Contains(err.Error(), `count: "many" is not a whole number`) {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, want string
		unread     bool
	}{
		{"count: [\n", "line 2:9: a value is missing here, or a bracket above is not closed; a text that begins with a comma or a bracket must be in quotation marks", true},
		{"name: A\ncuont: 1\n", `line 3:1: unknown key "cuont" (did you mean count?); allowed here: name, keywords, texts, day, count, size, open, inner, links, notes`, true},
		{"count: 1\ncount: 2\n", `line 3:1: key "count" is repeated; it is already on line 2: remove one of them`, true},
		{"count: many\n", `line 2:8: count: "many" is not a whole number: write only digits, without a unit`, true},
		{"name: &a b\n", "line 2:7: name: anchors (&) and aliases (*) are not supported: write the value in full, or put a text that begins with & or * in quotation marks", true},
		{"name: \xff\n", "line 2:7: the file is not valid UTF-8: the byte here is 0xff; save the file as UTF-8", true},
		{"", "line 2:1: there are no keys here", true},
		{"# nothing\n", "line 2:1: there are no keys here", true},
		{"null\n", "line 2:1: there are no keys here", true},
		// The YAML library loses these.
		{"name: A\nkeywords: [ # a\n  b]\n", "line 3:1: this comment would be lost: put it on a line of its own above a key", false},
		{"name: 'a # b'\ninner: { # c\n  one: true}\n", "line 3:1: this comment would be lost: put it on a line of its own above a key", false},
		{"name: \"A\n# yaml-language-server: x\nB\"\n", "line 2:1: a line that begins with # yaml-language-server is inside a value: write the value on one line", false},
		{"name: A\n# b\nlinks: [{kind: \ue000, url: 'a:b'}]\nsize: 1\n", "line 4:1: cannot be formatted without changing its meaning: write comments on lines of their own above keys, and simplify the values", false},
		{"links: [{kind: \ue000, url: 'a:b'}]\n", "line 2:1: cannot be formatted without changing its meaning: write comments on lines of their own above keys, and simplify the values", false},
	} {
		out, err := samples.Format([]byte(test.text), 2)
		var wrong *Error
		if !errors.As(err, &wrong) || err.Error() != test.want || wrong.Undecoded != test.unread {
			t.Errorf("%q gives %q, %v, want %s", test.text, out, err, test.want)
		}
	}
}

// TestCommentsSurvive puts comments and blank lines everywhere.
func TestCommentsSurvive(t *testing.T) {
	t.Parallel()
	text := []string{
		"name: A", "keywords:", "  - a", "  - b", "texts: [a,", "  b", "  ]", "inner:", "  more: []", "  one: true", "  two:", "   x",
		"links:", "- {kind: x,", "  url: y}", "- kind: z", "  url: w", "notes:", "    a: >-", "      folded", "    b: \"quoted", "      text\"", "count:", "  12", "day: ", "open: null",
	}
	formatted := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		var source strings.Builder
		var comments []string
		comment := func() string {
			comments = append(comments, fmt.Sprintf("# comment %d", 100+len(comments)))
			return comments[len(comments)-1]
		}
		for _, line := range text {
			if r.IntN(10) == 0 {
				source.WriteString("\n")
			}
			if r.IntN(8) == 0 {
				source.WriteString(strings.Repeat("  ", r.IntN(3)) + comment() + "\n")
			}
			source.WriteString(line)
			if r.IntN(8) == 0 && !strings.HasSuffix(line, "folded") && !strings.HasSuffix(line, "quoted") {
				source.WriteString(" " + comment())
			}
			source.WriteString("\n")
		}
		out, err := samples.Format([]byte(source.String()), 1, Setting{[]string{"count"}, 13}, Setting{[]string{"notes", "name"}, "B"})
		if wrong := (*Error)(nil); errors.As(err, &wrong) && wrong.Undecoded {
			continue // a comment has ended a text
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source.String())
		}
		formatted++
		for _, c := range comments {
			if strings.Count(string(out), c) != 1 {
				t.Fatalf("seed %d: %s is lost:\n%s\ngives\n%s", seed, c, source.String(), out)
			}
		}
		if again, err := samples.Format(out, 1); err != nil || string(again) != string(out) {
			t.Fatalf("seed %d:\n%s\nand a second time %v\n%s", seed, out, err, again)
		}
	}
	if formatted < 1000 {
		t.Errorf("only %d texts could be read", formatted)
	}
}

// TestPlain goes through texts that some version of YAML takes for something else.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{
		"a", "A text.", "it's", `say "x"`, "a, b", "x]", "a#b", "a:b", "https://a.example/x#y", "C++", "node.js", ".NET", ".env", "~/x", "nope", "Nose", "yesterday", "onward", "infinite", "nano", "e", "E5x", "e-5-a", "..", "<b>", "a & b", "a = b", "é", "a - b", "a ? b", "$x", "(a)", "/a", "_a", "\\a",
	} {
		if !isPlain(plain, false) {
			t.Errorf("%q needs no quotes", plain)
		}
	}
	for _, quoted := range []string{
		"", " ", " a", "a ", "y", "Y", "n", "yes", "Yes", "YES", "no", "No", "on", "ON", "off", "true", "False", "null", "NULL", "~",
		"0", "12", "-1", "+1", "010", "0o17", "0x1F", "0b11", "1_000", "190:20:30", "1:30", "1.5", ".5", "._1", "-.5", "1e3", ".inf", "-.INF", "+.inf", ".NaN", "NaN", "inf", "Infinity", ".", "+.", "._", "E5", "e-12", ".e5", "3d", "2026-01-02", "2026-01-02T03:04:05Z", "2026-1-2 3:4:5",
		"=", "<<", "-", "- a", "-a", "?", "? a", ":", ": a", ":a", ",a", "[a", "]", "{a", "}", "#a", "# a", "&a", "*a", "!a", "|a", ">a", "'a'", `"a"`, "%a", "@a", "`a`", "---", "a b:",
		"a: b", "a:", "a #b", "a # b", "a\tb", "a\nb", "a\rb", "\x00", "a\x7f", "a\u0085b", "a\u00a0b", "a\u2028b", "a\u2029b", "\ufeffa", "a\u200bb", "a\u202eb", "\ue000",
	} {
		if isPlain(quoted, false) {
			t.Errorf("%q needs quotes", quoted)
		}
	}
	for _, text := range []string{"a, b", "a]", "a}", "x[1]", "what?", "a{b"} {
		if !isPlain(text, false) || isPlain(text, true) {
			t.Errorf("%q needs quotes within brackets alone", text)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  string
	}{
		{"A: B", `"A: B"`}, {"a, b", "a, b"}, {"", `""`}, {"12", `"12"`}, {"a\nb", `"a\nb"`},
		{[]string(nil), "[]"}, {[]string{"a", "b c", "d, e", "no", "f:g"}, `[a, b c, "d, e", "no", f:g]`},
	} {
		if got, err := Value(test.value); err != nil || got != test.want {
			t.Errorf("%q becomes %s, %v, want %s", test.value, got, err, test.want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("# a\n\n# b\ntexts: # c\n# d\n- a # e\n  # f\n- b\n# g\n\ncount: # h\n  1\n\n# i\n")
	f.Add("{name: A, # a\n keywords: [ # b\n  c, # d\n # e\n ]} # f\n")
	f.Add("links:\n  # a\n  - kind: # b\n      x # c\n    # d\n    url: y\n# e\n  # f\n\n")
	f.Add("? name # a\n: B # c\nnotes:\r\n  # d\r\n  a: >- # e\r\n    f\r\n  # g\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		before := new(sample)
		doc, problems := strictyaml.Parse([]byte(strings.ReplaceAll(text, "\r\n", "\n")), 2)
		readable := doc != nil && doc.Node() != nil && doc.Node().Content[0].Kind == yaml.MappingNode && len(doc.Decode(before)) == 0 && len(problems) == 0
		out, err := samples.Format([]byte(text), 2)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Undecoded == readable {
				t.Errorf("%v, though it can be read: %t", err, readable)
			}
			if readable && !strings.Contains(text, "#") {
				t.Errorf("without a comment, %v", err)
			}
			return
		}
		after := new(sample)
		if doc, problems := strictyaml.Parse(out, 2); doc == nil || len(doc.Decode(after)) > 0 || !reflect.DeepEqual(before, after) {
			t.Errorf("%+v becomes %+v: %v\n%s", before, after, problems, out)
		}
		if again, err := samples.Format(out, 2); err != nil || string(again) != string(out) {
			t.Errorf("once\n%q, twice\n%q: %v", out, again, err)
		}
	})
}

// FuzzTexts writes any texts, as values, keys and entries of lists on one line and
// over several.
func FuzzTexts(f *testing.F) {
	f.Add("a: b", "- c", "# d")
	f.Add("yes", "2026-01-02", "é\u2028🦙\ufeff")
	f.Add("", " ", "\x00\xff")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if strings.Contains(a+b+c, colon) {
			return // which is refused
		}
		source, err := yaml.Dump(map[string]any{
			"name": a, "keywords": []string{a, b, c}, "texts": []string{c, b, a}, "links": []map[string]string{{"kind": b, "url": c}}, "notes": map[string]string{a: b, b: c, "x" + c: a},
		})
		want, got := new(sample), new(sample)
		if doc, problems := strictyaml.Parse(source, 1); err != nil || doc == nil || len(problems) > 0 || len(doc.Decode(want)) > 0 {
			return
		}
		out, err := samples.Format(source, 1)
		if err != nil {
			t.Fatalf("%v\n%q", err, source)
		}
		doc, problems := strictyaml.Parse(out, 1)
		if doc == nil || len(doc.Decode(got)) > 0 || !reflect.DeepEqual(want, got) {
			t.Fatalf("%+v becomes %+v: %v\n%s", want, got, problems, out)
		}
		if lines := strings.Count(string(out), "\n"); lines != 9+len(want.Notes) && !strings.Contains(string(out), "\n  ? ") {
			t.Errorf("%d lines:\n%s", lines, out)
		}
		if again, err := samples.Format(out, 1); err != nil || string(again) != string(out) {
			t.Errorf("once\n%q, twice\n%q: %v", out, again, err)
		}
	})
}
