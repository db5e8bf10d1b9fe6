package refresh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// head and tail make a listing's file of front matter.
const (
	head = "---\n"
	tail = "---\n## What it does\n\nstars: 1 # not front matter\n"
)

func settingOf(path string, value any) setting {
	if field, ok := strings.CutPrefix(path, "sources."); ok {
		return setting{[]string{"sources", field}, value}
	}
	return setting{[]string{path}, value}
}

func TestSet(t *testing.T) {
	t.Parallel()
	const source = "GitHub API (2026-11-21)"
	for _, test := range []struct {
		name         string
		before, want string // nothing is wanted of what is refused
		settings     []setting
	}{
		{"a number", "name: A\nstars: 12\n", "name: A\nstars: 3456\n", []setting{settingOf("stars", 3456)}},
		{"a truth value", "archived: false\n", "archived: true\n", []setting{settingOf("archived", true)}},
		{"null", "stars: null # ?\n", "stars: 5 # ?\n", []setting{settingOf("stars", 5)}},
		{"a tilde", "stars: ~\n", "stars: 5\n", []setting{settingOf("stars", 5)}},
		{"nothing", "stars:\nname: A\n", "stars: 5\nname: A\n", []setting{settingOf("stars", 5)}},
		{"nothing but a comment", "stars:   # later\nname: A\n", "stars: 5   # later\nname: A\n", []setting{settingOf("stars", 5)}},
		{"nothing, at the end", "name: A\nstars:\n", "name: A\nstars: 5\n", []setting{settingOf("stars", 5)}},
		{"nothing, in braces", "sources: {stars: , license: B}\n", "sources: {stars: C , license: B}\n", []setting{settingOf("sources.stars", "C")}},
		{"double quotes", "license: \"M\\\"IT\"   # said\n", "license: \"GPL-3.0\"   # said\n", []setting{settingOf("license", "GPL-3.0")}},
		{"single quotes", "license: 'it''s' # 'x'\n", "license: 'MIT' # 'x'\n", []setting{settingOf("license", "MIT")}},
		{"white space and a quoted key", "\"stars\"  :    12   \n", "\"stars\"  :    7   \n", []setting{settingOf("stars", 7)}},
		{"a value on the next line", "stars:\n  # counted\n  12 # so\n", "stars:\n  # counted\n  7 # so\n", []setting{settingOf("stars", 7)}},
		{"a question mark", "? stars\n: 12\n", "? stars\n: 7\n", []setting{settingOf("stars", 7)}},
		{"a text over lines", "sources:\n  stars: a list\n    of many # c\n  license: B\n", "sources:\n  stars: C # c\n  license: B\n", []setting{settingOf("sources.stars", "C")}},
		{"a quoted text over lines", "license: \"M\n  IT\" # c\n", "license: \"X\" # c\n", []setting{settingOf("license", "X")}},
		{"a folded text", "sources:\n  stars: >- # c\n    a list\n\n    of many\n  # d\n  license: B\n", "sources:\n  stars: C # c\n  # d\n  license: B\n", []setting{settingOf("sources.stars", "C")}},
		{"a literal text, indented as told", "sources:\n  stars: |2-\n      a\n    b\n\n  license: B\n", "sources:\n  stars: C\n\n  license: B\n", []setting{settingOf("sources.stars", "C")}},
		{"the lines of Windows", "name: A\r\nstars: 12 # c\r\nlicense:\r\n", "name: A\r\nstars: 7 # c\r\nlicense: MIT\r\n", []setting{settingOf("stars", 7), settingOf("license", "MIT")}},
		{"letters before it", "name: Ünï 🦙\nsources: {name: \"ñ…\", stars: Öl} # é\n", "name: Ünï 🦙\nsources: {name: \"ñ…\", stars: C} # é\n", []setting{settingOf("sources.stars", "C")}},
		{"another kind of line break", "name: A # x\u2028stars: 12\n", "name: A # x\u2028stars: 7\n", []setting{settingOf("stars", 7)}},
		{"all in braces", "{name: A, stars: 12, sources: {}}\n", "{name: A, stars: 7, starsAsOf: 2026-11-21, sources: {stars: C}}\n",
			[]setting{settingOf("stars", 7), settingOf("starsAsOf", "2026-11-21"), settingOf("sources.stars", "C")}},
		{"a text that braces would break", "sources: {stars: A}\n", "sources: {stars: \"a, b\"}\n", []setting{settingOf("sources.stars", "a, b")}},
		{"a text that looks like a number", "license: MIT\n", "license: \"12\"\n", []setting{settingOf("license", "12")}},
		{"a text that looks like a comment", "license: MIT\n", "license: \"a # b\"\n", []setting{settingOf("license", "a # b")}},

		{"a missing key", "name: A\nlicense: MIT # c\n# of docs\ndocsUrl: null\n", "name: A\nlicense: MIT # c\nstars: 7\n# of docs\ndocsUrl: null\n", []setting{settingOf("stars", 7)}},
		{"a missing key behind lists", "name: A\ntopics:\n  - a\n  - b # c\n\ndocsUrl: null\n", "name: A\ntopics:\n  - a\n  - b # c\nstars: 7\n\ndocsUrl: null\n", []setting{settingOf("stars", 7)}},
		{"a missing key behind brackets", "topics: [a,\n  b, # c\n] # d\nreplaces: []\n", "topics: [a,\n  b, # c\n] # d\nstars: 7\nreplaces: []\n", []setting{settingOf("stars", 7)}},
		{"a mapping for a text", "fitNotes:\n  caveats:\n  - {a: b}\n", "", nil},
		{"a missing key that comes first", "starsAsOf: null\nname: A\n", "starsAsOf: null\nname: A\nlicense: MIT\n", []setting{settingOf("license", "MIT")}},
		{"a missing key before all others", "sources: {}\ndocsUrl: null\n", "sources: {}\ndocsUrl: null\nstars: 7\n", []setting{settingOf("stars", 7)}},
		{"a missing key, indented", "  name: A\n  sources:\n      license: B\n", "  name: A\n  stars: 7\n  sources:\n      license: B\n      stars: C\n", []setting{settingOf("stars", 7), settingOf("sources.stars", "C")}},
		{"a missing key, on Windows", "name: A\r\nsources: {}\r\n", "name: A\r\nstars: 7\r\nsources: {}\r\n", []setting{settingOf("stars", 7)}},
		{"a missing key behind a literal text", "purpose: |+\n  a\n\nsources: {}\n", "purpose: |+\n  a\n\nstars: 7\nsources: {}\n", []setting{settingOf("stars", 7)}},
		{"no sources", "name: A\narchived: false # c\n", "name: A\narchived: false # c\nsources:\n  stars: " + source + "\n", []setting{settingOf("sources.stars", source)}},
		{"empty sources", "sources: {} # license: LICENSE\n", "sources: {stars: " + source + "} # license: LICENSE\n", []setting{settingOf("sources.stars", source)}},
		{"sources of nothing", "sources: # c\n", "sources: {stars: " + source + ", archived: B} # c\n", []setting{settingOf("sources.stars", source), settingOf("sources.archived", "B")}},
		{"sources that are null", "sources: null # c\n", "sources: {stars: C} # c\n", []setting{settingOf("sources.stars", "C")}},
		{"sources in braces", "sources: {license: B,} # c\n", "sources: {license: B, stars: C,} # c\n", []setting{settingOf("sources.stars", "C")}},
		{"sources over lines", "sources: {\n  license: \"}\", # b\n  # c\n}\n", "sources: {\n  license: \"}\", stars: C, # b\n  # c\n}\n", []setting{settingOf("sources.stars", "C")}},
		{"the order of sources", "sources:\n  license: A\n  fitNotes.docker: B\n  updatedAt: C\n", "sources:\n  license: A\n  stars: S\n  fitNotes.docker: B\n  archived: D\n  updatedAt: C\n",
			[]setting{settingOf("sources.archived", "D"), settingOf("sources.stars", "S")}},
		{"a key twice", "stars: 1\n", "stars: 3\n", []setting{settingOf("stars", 2), settingOf("stars", 3)}},
		{"nothing to do", "name:   A # c\n", "name:   A # c\n", nil},

		// What cannot be done is refused.
		{"a list for a value", "license: [MIT]\n", "", []setting{settingOf("license", "X")}},
		{"a value for a mapping", "sources: none\n", "", []setting{settingOf("sources.stars", "X")}},
		{"an anchor", "license: &a MIT\n", "", []setting{settingOf("license", "X")}},
		{"a tag", "license: !!str MIT\n", "", []setting{settingOf("license", "X")}},
		{"a key twice in the file", "stars: 1\nstars: 2\n", "", []setting{settingOf("stars", 3)}},
		{"no colon", "sources: {stars}\n", "", []setting{settingOf("sources.stars", "X")}},
		{"no YAML", "stars: [\n", "", []setting{settingOf("stars", 3)}},
		{"an unknown key", "star: 1\n", "", []setting{settingOf("stars", 3)}},
		{"nothing at all", "", "", []setting{settingOf("stars", 3)}},
		{"a text of two lines", "license: MIT\n", "", []setting{settingOf("license", "a\nb")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, around := range [][2]string{{head, tail}, {"\ufeff--- \r\n", "--- \r\n\ufeff"}, {head, "---"}} {
				got, err := set([]byte(around[0]+test.before+around[1]), test.settings)
				if test.want == "" {
					if err == nil {
						t.Fatalf("was not refused: %q", got)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if want := around[0] + test.want + around[1]; string(got) != want {
					t.Fatalf("got\n%q, want\n%q", got, want)
				}
			}
		})
	}
	for _, file := range []string{"", "name: A\n", "---\nname: A\n"} {
		if _, err := set([]byte(file), nil); err == nil {
			t.Errorf("%q has no front matter, but was edited", file)
		}
	}
}

// TestVerify checks the last look at an edited text, which must not depend on
// the edit having gone right.
func TestVerify(t *testing.T) {
	t.Parallel()
	stars := []setting{settingOf("stars", 7), settingOf("sources.stars", "S")}
	for _, test := range []struct {
		before, after string
		ok            bool
	}{
		{"name: A\nstars: 1\n", "name: A\nstars: 7\nsources: {stars: S}\n", true},
		{"stars:\nsources: {stars: B, license: C}\n", "stars: 7\nsources: {stars: S, license: C}\n", true},
		{"name: A\nstars: 1\n", "name: B\nstars: 7\nsources: {stars: S}\n", false},
		{"name: A\nstars: 1\n", "stars: 7\nsources: {stars: S}\n", false},
		{"name: A\nstars: 1\n", "name: A\nlicense: MIT\nstars: 7\nsources: {stars: S}\n", false},
		{"name: A\nlicense: B\nstars: 1\n", "license: B\nname: A\nstars: 7\nsources: {stars: S}\n", false},
		{"license: null\nstars: 1\n", "license: \"null\"\nstars: 7\nsources: {stars: S}\n", false},
		{"sources: {license: C}\nstars: 1\n", "sources: {stars: S}\nstars: 7\n", false},
		{"topics: [a, b]\nstars: 1\n", "topics: [a]\nstars: 7\nsources: {stars: S}\n", false},
		{"stars: 1\n", "stars: 7\n", false},
		{"stars: 1\n", "stars: 8\nsources: {stars: S}\n", false},
		{"stars: 1\n", "stars: 7\nsources: {stars: 12}\n", false},
		{"stars: 1\n", "stars: 7\nstars: 7\nsources: {stars: S}\n", false},
		{"stars: 1\n", "stars: [\n", false},
	} {
		if err := verify(test.before, test.after, stars); (err == nil) != test.ok {
			t.Errorf("%q to %q: %v", test.before, test.after, err)
		}
	}
}

// piece is a part of a file that a test has put together, with what is expected
// in its place afterwards.
type piece struct{ before, after string }

// TestSetChangesNothingElse writes listings in random order and format, with
// comments everywhere, and compares every byte.
func TestSetChangesNothingElse(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7)) // #nosec G404 -- a test's randomness must repeat
		pieces, settings := randomListing(r)
		var before, want strings.Builder
		for _, p := range pieces {
			before.WriteString(p.before)
			want.WriteString(p.after)
		}
		got, err := set([]byte(before.String()), settings)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before.String())
		}
		if string(got) != want.String() {
			t.Fatalf("seed %d:\n%s\ngives\n%s\nwant\n%s", seed, before.String(), got, want.String())
		}
	}
}

// randomListing makes up a file that has every key which is then set.
func randomListing(r *rand.Rand) ([]piece, []setting) {
	newline := pick(r, "\n", "\r\n")
	var pieces []piece
	same := func(text string) { pieces = append(pieces, piece{text, text}) }
	comment := func() string { return pick(r, "", " ", "  # c", " # stars: 1", " # 'é\" {🦙") }
	between := func() string {
		return pick(r, "", "", newline, "# license: MIT"+newline, "   # x"+newline+newline)
	}
	quoted := func(text string) func(string) string {
		switch r.IntN(3) {
		case 0:
			return func(s string) string { return s }
		case 1:
			return func(s string) string { return "'" + s + "'" }
		}
		return func(s string) string { return `"` + s + `"` }
	}
	var settings []setting
	change := func(key string, text string, value any, isText bool) {
		quote := func(s string) string { return s }
		if isText {
			quote = quoted(text)
		}
		switch r.IntN(5) {
		case 0: // nothing is written yet
			pieces = append(pieces, piece{"", " " + plainScalar(value)})
		case 1:
			same(pick(r, " ", "   "))
			pieces = append(pieces, piece{pick(r, "null", "~"), plainScalar(value)})
		default:
			same(pick(r, " ", "   "))
			pieces = append(pieces, piece{quote(text), quote(fmt.Sprint(value))})
		}
		settings = append(settings, settingOf(key, value))
	}
	same("---" + newline)
	entries := []func(){
		func() { same("name: " + pick(r, "Ünï", "'a: b'", `"x # y"`)) },
		func() { same("topics: [a, 'b, c', ü]") },
		func() { same("jobs:" + newline + "  - one" + newline + "  # c" + newline + "  - two") },
		func() { same("purpose: >-" + newline + "  folds" + newline + newline + "  over lines") },
		func() { same("license:"); change("license", "MIT", "Apache-2.0", true) },
		func() { same("stars:"); change("stars", "12", 4567, false) },
		func() { same("starsAsOf:"); change("starsAsOf", "2026-01-02", "2026-11-21", true) },
		func() { same("archived:"); change("archived", "false", true, false) },
		func() {
			same("repositoryUrl:")
			change("repositoryUrl", "https://a.example/b/c", "https://a.example/d/e", true)
		},
		func() {
			same("sources:")
			indent := strings.Repeat(" ", 1+r.IntN(4))
			fields := []string{"license", "stars", "updatedAt", "fitNotes.gpu"}
			r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
			for i, field := range fields {
				if i == 0 {
					same(comment())
				}
				same(newline + between() + indent + field + ":")
				if field == "fitNotes.gpu" {
					same(" README")
				} else {
					change("sources."+field, "a list (2026-01-02)", "GitHub API (2026-11-21)", true)
				}
				same(comment())
			}
		},
	}
	r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	for _, entry := range entries {
		same(between())
		entry()
		// A comment right behind a folded text would be part of it.
		if last := pieces[len(pieces)-1].before; !strings.HasSuffix(last, "lines") {
			same(comment())
		}
		same(newline)
	}
	same(pick(r, "---", "--- ") + newline + "stars: 1" + newline)
	r.Shuffle(len(settings), func(i, j int) { settings[i], settings[j] = settings[j], settings[i] })
	return pieces, settings
}

func plainScalar(value any) string { return fmt.Sprint(value) }

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// FuzzSet checks, for any front matter, that setting a value twice is setting it
// once, that it is then there, and that nothing but one stretch of bytes
// changed, which holds no comment and no other value.
func FuzzSet(f *testing.F) {
	f.Add("name: A\nstars: 1 # c\nsources:\n  license: B\n", uint8(0))
	f.Add("{name: A, sources: {}}\n", uint8(1))
	f.Add("sources:\n  stars: >- # c\n    d\n  # e\n", uint8(1))
	f.Add("? license\n: 'x''y'\n\n# z\n", uint8(2))
	f.Add("license: \"a\\\n  b\"\r\nsources: # {}\r\n", uint8(2))
	choices := []setting{settingOf("stars", 987654), settingOf("sources.stars", "GitHub API (2026-11-21)"), settingOf("license", "GPL-3.0"), settingOf("archived", true)}
	f.Fuzz(func(t *testing.T, front string, choice uint8) {
		s := choices[int(choice)%len(choices)]
		file := head + front + "\n---\nbody"
		got, err := set([]byte(file), []setting{s})
		if err != nil {
			return
		}
		again, err := set(got, []setting{s})
		if err != nil || string(again) != string(got) {
			t.Fatalf("once\n%q, twice\n%q: %v", got, again, err)
		}
		from, to := 0, 0
		for from < min(len(file), len(got)) && file[from] == got[from] {
			from++
		}
		for to < min(len(file), len(got))-from && file[len(file)-1-to] == got[len(got)-1-to] {
			to++
		}
		lost := file[from : len(file)-to]
		// A plain text holds neither a comment nor a key; others may look as if.
		if !strings.ContainsAny(file, "\"'>|") && (strings.Contains(lost, " #") || strings.Contains(lost, "\n#") || strings.Contains(lost, ": ")) {
			t.Fatalf("%q was written over:\n%q\n%q", lost, file, got)
		}
		old, changed := values(t, frontOf(t, []byte(file))), values(t, frontOf(t, got))
		for path, value := range old {
			if path != s.name() && changed[path] != value && !strings.HasPrefix(s.name(), path+".") {
				t.Errorf("%s was %q and is %q", path, value, changed[path])
			}
		}
		if changed[s.name()] != s.text() {
			t.Errorf("%s is %q", s.name(), changed[s.name()])
		}
	})
}

// frontOf returns the front matter of a file.
func frontOf(t *testing.T, file []byte) string {
	t.Helper()
	start, end, err := content.FrontMatterSpan(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(file[start:end])
}

// values lists what a text says, by a way of its own.
func values(t *testing.T, text string) map[string]string {
	t.Helper()
	var tree any
	if err := yaml.Load([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(append(slices.Clone(path), k), inner)
			}
		case map[any]any: // where a key is no text
			for k, inner := range v {
				name, isText := k.(string)
				if !isText {
					name = fmt.Sprintf("%T %v", k, k) // 0 and 0.0 are two keys
				}
				walk(append(slices.Clone(path), name), inner)
			}
		case []any:
			for i, inner := range v {
				walk(append(slices.Clone(path), fmt.Sprint(i)), inner)
			}
		default:
			list[strings.Join(path, ".")] = fmt.Sprint(v)
		}
	}
	walk(nil, tree)
	return list
}
