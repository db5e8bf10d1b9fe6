package content

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

// Each mistake in a definition of a fact is told with its place, what was given and
// what is allowed.
func TestDefinitionsOfFacts(t *testing.T) {
	t.Parallel()
	entry := func(lines ...string) string { return "- " + strings.Join(lines, "\n  ") + "\n" }
	yesNo := entry("key: quiet", "kind: yes-no", "label: Quiet", "meaning: It makes little noise.")
	setups := entry("key: setups", "kind: setups", "label: Memory", "meaning: It takes so much.")
	for _, c := range []struct {
		about, facts string
		want         []string
	}{
		{"nothing wrong", yesNo, nil},
		{"nothing at all", "", nil},
		{"unknown kind", entry("key: a", "kind: flag", "label: A", "meaning: It is.", "lable: A"), []string{
			`2:9 kind: "flag" is not a kind of fact: write one of yes-no, choice, choices, number, money, date, range, dates, place, text, texts, relation, link, picture, setups`,
			`5:3 unknown key "lable" (did you mean label?); allowed here: key, kind, label, group, meaning, values, unit, least, most, currency, inverse, sort, chip, filter, asked, suggested, searched, sourced, everyday, checks, derived, follows, suits, matters, cost`}},
		{"nothing said", entry("key: a", "kind: text"), []string{"1:3 label: is missing, but required"}},
		{"no key", entry("key: Is-It", "kind: text", "label: A", "meaning: It is."), []string{
			`1:8 key: "Is-It" is not a valid key: write at most 40 letters and digits, beginning with a lower-case letter, such as minRamGb`}},
		{"twice", yesNo + yesNo, []string{`5:8 key: "quiet" is defined twice`}},
		{"choice without values", entry("key: a", "kind: choice", "label: A", "meaning: It is."), []string{
			"1:3 values: is missing: list the values, such as - {slug: small, label: Small}"}},
		{"values of no choice", entry("key: a", "kind: number", "label: A", "meaning: It is.", "values: [{slug: x, label: X}]"), []string{
			"5:11 values: a fact of the kind number cannot have this key: remove it"}},
		{"bad values", entry("key: a", "kind: choices", "label: A", "meaning: It is.", "values: [{slug: X Y, label: X}, {slug: z}, {slug: z, label: Z}]"), []string{
			`5:11 values: "X Y" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`,
			`5:11 values: "z" has no label: add one`, `5:11 values: "z" is in the list twice: remove one of them`}},
		{"unit of a text", entry("key: a", "kind: text", "label: A", "meaning: It is.", "unit: GB", "least: 1", "most: 0"), []string{
			"5:9 unit: a fact of the kind text cannot have this key: remove it", "6:10 least: 1 is more than most, which is 0",
			"6:10 least: a fact of the kind text cannot have this key: remove it", "7:9 most: a fact of the kind text cannot have this key: remove it"}},
		{"unknown chip", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "chip: {maybe: X}"), []string{
			`5:9 chip: "maybe" is not allowed here: write one of 1, 0`}},
		{"searched labels of no choice", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "searched: false"), []string{
			"5:13 searched: a fact of the kind yes-no cannot have this key: remove it"}},
		{"suiting nobody", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", `suits: {maybe: X, "1": ""}`) +
			entry("key: b", "kind: number", "label: B", "meaning: It is.", `suits: {known: "for {value}"}`) +
			entry("key: c", "kind: text", "label: C", "meaning: It is.", `suits: {known: X}`), []string{
			`5:10 suits: "maybe" is not allowed here: write one of 1, 0`, `5:10 suits: the text of "1" is empty: remove it`,
			"10:10 suits: needs a filter, whose match says whether less or more is better: add one, or remove this key",
			"15:10 suits: a fact of the kind text cannot have this key: remove it"}},
		{"taken parameter", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: limit}") +
			entry("key: b", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: maxA}") +
			entry("key: c", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: maxA}"), []string{
			`5:11 filter: the parameter "limit" already exists: choose another name`, `15:11 filter: the parameter "maxA" already exists: choose another name`}},
		{"taken keys", entry("key: archived", "kind: yes-no", "label: A", "meaning: It is.") +
			entry("key: toString", "kind: yes-no", "label: A", "meaning: It is.") +
			entry("key: price", "kind: yes-no", "label: A", "meaning: It is.") + // a search would mix them up
			entry("key: cost", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: price}") +
			entry("key: weight", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: reset}"), []string{
			`22:11 filter: the parameter "reset" already exists: choose another name`, `1:8 key: "archived" is already a word of the program, or the parameter of another fact: choose another key`,
			`5:8 key: "toString" is already a word of the program, or the parameter of another fact: choose another key`, `9:8 key: "price" is already a word of the program, or the parameter of another fact: choose another key`}},
		{"texts of values", entry("key: a", "kind: choice", "label: A", "meaning: It is.", `values: [{slug: x, label: "X\nY"}]`, `chip: {x: ""}`, `filter: {parameter: a, labels: {x: "a\nb"}}`), []string{
			`5:11 values: the label of "x" contains a line break or another control character: write one line`,
			`6:9 chip: the text of "x" is empty: remove it`,
			`7:11 filter: the text of "x" contains a line break or another control character: write one line`}},
		{"filter of a text", entry("key: a", "kind: texts", "label: A", "meaning: It is.", "filter: {parameter: a}"), []string{
			"5:11 filter: a fact of the kind texts cannot have this key: remove it"}},
		{"number without match", entry("key: a", "kind: number", "label: A", "meaning: It is.", "filter: {parameter: maxA, match: below}"), []string{
			`5:11 filter: match: "below" is not allowed: for a fact of the kind number, write at-most or at-least`}},
		{"match of another kind", entry("key: a", "kind: date", "label: A", "meaning: It is.", "filter: {parameter: maxA, match: at-most}") +
			entry("key: b", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: b, match: before}"), []string{
			`10:11 filter: match: a fact of the kind yes-no cannot have this key: remove it`,
			`5:11 filter: match: "at-most" is not allowed: for a fact of the kind date, write before or after`}},
		{"money without or with a wrong currency", entry("key: a", "kind: money", "label: A", "meaning: It is.", "sort: true") +
			entry("key: b", "kind: money", "label: A", "meaning: It is.", "currency: Euro", "unit: EUR") +
			entry("key: c", "kind: number", "label: A", "meaning: It is.", "currency: EUR") +
			entry("key: d", "kind: money", "label: A", "meaning: It is.", "least: 0"), []string{
			`17:3 currency: is missing: amounts are compared in one currency only, so name it, such as EUR`,
			`10:13 currency: "Euro" is no currency: write a code of ISO 4217 in capitals, such as EUR`,
			`11:9 unit: a fact of the kind money cannot have this key: remove it`,
			`16:13 currency: a fact of the kind number cannot have this key: remove it`,
			`1:3 currency: is missing: amounts are compared in one currency only, so name it, such as EUR`}},
		{"orders", entry("key: popular", "kind: number", "label: A", "meaning: It is.", "sort: desc") +
			entry("key: b", "kind: text", "label: A", "meaning: It is.", "sort: asc") +
			entry("key: c", "kind: number", "label: A", "meaning: It is.", "sort: up") +
			entry("key: d", "kind: number", "label: A", "meaning: It is.", "sort: false") +
			entry("key: e", "kind: number", "label: A", "meaning: It is.", "sort: True"), []string{
			`25:9 sort: "True" is not allowed: write asc, desc or true, which is asc`,
			`10:9 sort: a fact of the kind text cannot have this key: remove it`,
			`15:9 sort: "up" is not allowed: write asc, desc or true, which is asc`,
			`1:8 key: "popular" is already the name of an order: choose another key, or remove sort`}},
		{"inverses", entry("key: a", "kind: relation", "label: A", "meaning: It is.", "inverse: B") +
			entry("key: b", "kind: text", "label: A", "meaning: It is.", "inverse: B"), []string{
			`10:12 inverse: a fact of the kind text cannot have this key: remove it`}},
		{"half a mapping", entry("key: a", "kind: choice", "label: A", "meaning: It is.", "values: [{slug: x, label: X}]", `filter: {parameter: a, "0": [x, y]}`), []string{
			`6:11 filter: "y" is not allowed here: write one of x`, `6:11 filter: "0" and "1" must be given together: list the values that each of them finds`}},
		{"wording for no value", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", `suggested: {"2": [much], "1": [" "]}`), []string{
			`5:14 suggested: "2" is not allowed here: write one of 1, 0`, "5:34 suggested: an entry is empty: remove it"}},
		{"amount in words", entry("key: a", "kind: number", "label: A", "meaning: It is.", "asked: {many: [much]}"), []string{
			`5:10 asked: "many" is not allowed here: write a number, or amount`}},
		{"amount without its number", entry("key: a", "kind: number", "label: A", "meaning: It is.", "suggested: {amount: [gb]}"), []string{
			`5:14 suggested: "gb" has no place for the number: write "# gb", where # stands for the number`}},
		{"words before the amount", entry("key: a", "kind: number", "label: A", "meaning: It is.", `suggested: {amount: ["under # euro"]}`), []string{
			`5:14 suggested: "under # euro" has words before the number: write "# euro"; a query may have words such as under, up to or at least before it, and they need no wording, so leave out "under"`}},
		{"amount of nothing", entry("key: a", "kind: number", "label: A", "meaning: It is.", "asked: {nan: [much], inf: [more]}", `suggested: {"1": ["#1 choice"]}`), []string{
			`5:10 asked: "inf" is not allowed here: write a number, or amount`, `5:10 asked: "nan" is not allowed here: write a number, or amount`,
			`6:14 suggested: "#1 choice" has no place for the number: write "# 1 choice", where # stands for the number`}},
		{"labels alike", entry("key: a", "kind: choice", "label: A", "meaning: It is.", "values: [{slug: x, label: X}, {slug: y, label: X}, {slug: z, label: unknown}]"), []string{
			`5:11 values: the label "X" already has another meaning: choose another label`, `5:11 values: the label "unknown" already has another meaning: choose another label`}},
		{"labels of a number", entry("key: a", "kind: number", "label: A", "meaning: It is.", "filter: {parameter: maxA, match: at-most, labels: {x: X}}"), []string{
			"5:11 filter: a fact of the kind number has no values that can be listed here: remove them"}},
		{"two lists of setups", setups + strings.ReplaceAll(setups, "key: setups", "key: others"), []string{
			"6:9 kind: another fact already has the kind setups: listings have only one list of setups"}},
		{"figure of no setups", entry("key: a", "kind: number", "label: A", "meaning: It is.", "derived: {of: ramGb, level: minimum}"), []string{
			"5:12 derived: needs a fact of the kind setups to be computed from: define one, or remove this key"}},
		{"wrong figures of setups", setups + entry("key: a", "kind: text", "label: A", "meaning: It is.", "derived: {of: ramGb, level: example}") +
			entry("key: b", "kind: text", "label: A", "meaning: It is.", "derived: {of: price}"), []string{
			"9:12 derived: a fact of the kind text cannot have this key: remove it", `9:12 derived: level: "example" is not allowed here: write minimum or recommended`,
			`14:12 derived: of: "price" is not allowed: write ramGb, vramGb or for`}},
		{"following nothing", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "follows: {b: [x], c: [x]}") +
			entry("key: c", "kind: choice", "label: C", "meaning: It is.", "values: [{slug: y, label: Y}]") +
			entry("key: d", "kind: number", "label: D", "meaning: It is.", "follows: {c: [y]}"), []string{
			"15:12 follows: a fact of the kind number cannot have this key: remove it", `5:12 follows: "x" is not allowed here: write one of y`,
			`5:12 follows: no fact of the kind choice has the key "b": write such a key, or installLinks`}},
		{"following unknown links", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "follows: {installLinks: [wheel]}"), []string{
			`5:12 follows: "wheel" is not allowed here: write one of docker, pip, npm, brew, binary, installer, helm, source, docs, store, extension`}},
		{"cost of a number and of no value", entry("key: a", "kind: number", "label: A", "meaning: It is.", `cost: {known: Dear.}`) +
			entry("key: b", "kind: yes-no", "label: B", "meaning: It is.", `cost: {yes: Free.}`), []string{
			"5:9 cost: a fact of the kind number cannot have this key: remove it", `10:9 cost: "yes" is not allowed here: write one of 1, 0`}},
		{"what matters, without a filter or of no value", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", `matters: {"1": Good}`) +
			entry("key: b", "kind: yes-no", "label: B", "meaning: It is.", "filter: {parameter: b}", `matters: {"2": Good, "1": " "}`), []string{
			"5:12 matters: the fact has no filter, so that nobody can choose by it: add a filter, or remove this key",
			`11:12 matters: "2" is not allowed here: write one of 1, 0`, "11:12 matters: the text of \"1\" is empty: remove it"}},
		{"a picture as other facts", entry("key: a", "kind: picture", "label: A", "meaning: It is.", "group: Looks", "chip: {known: X}", "filter: {parameter: a}", "sourced: true"), []string{
			"5:10 group: a fact of the kind picture cannot have this key: remove it", "6:9 chip: a fact of the kind picture cannot have this key: remove it",
			"7:11 filter: a fact of the kind picture cannot have this key: remove it", "8:12 sourced: a fact of the kind picture cannot have this key: remove it"}},
		{"compared with nothing", entry("key: a", "kind: number", "label: A", "meaning: It is.", "checks: {notAbove: b, needs: {c: [x]}}"), []string{
			`5:11 checks: needs: no fact has the key "c"`, `5:11 checks: notAbove: cannot compare this fact with "b": both must be facts of the kind number`}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			_, findings := baseFolder().with("taxonomy/facts.yml", c.facts).load(t, nil)
			got := []string{}
			for _, f := range findings {
				if f.File == "taxonomy/facts.yml" {
					got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message))
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
		})
	}
}

// What messages and drafts say to write is canonical and right, and is said where something else stands.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, kind := range api.FactKinds {
		form := kind.Form()
		if !strings.HasPrefix(form, "{") {
			continue
		}
		load := func(value string) (dir string, findings []Finding) {
			folder := baseFolder().with("taxonomy/facts.yml", "- {key: x, kind: "+string(kind)+", label: X, meaning: An x.}\n").
				with("projects/ant.md", strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "---\nIt", "fitNotes:\n  x: "+value+"\n---\nIt", 1))
			_, findings = folder.load(t, nil)
			return folder.write(t), findings
		}
		dir, findings := load(form)
		if len(findings) > 0 && kind != api.FactPicture {
			t.Errorf("%s: %v", kind, findings)
		}
		settings := site.Defaults()
		matter, err := LoadFrontMatter(dir, &settings)
		if err != nil {
			t.Fatal(err)
		}
		_, after, err := matter.FormatFile(filepath.Join(dir, "projects/ant.md"))
		if err != nil || kind != api.FactPicture && !strings.Contains(string(after), form) {
			t.Errorf("%s: fmt makes %s of %s: %v", kind, after, form, err)
		}
		if _, findings = load("true"); len(findings) != 1 || !strings.HasSuffix(findings[0].Message, form) &&
			!strings.Contains(findings[0].Message, form+", or") {
			t.Errorf("%s: a wrong value is told %v", kind, findings)
		}
	}
}

// The label of a link is derived from its address, however long that is.
func TestLongLinks(t *testing.T) {
	t.Parallel()
	c, findings := baseFolder().with("taxonomy/facts.yml", "- {key: x, kind: link, label: X, meaning: An x.}\n").
		with("projects/ant.md", strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "---\nIt", "fitNotes:\n  x: https://code.example.org/"+strings.Repeat("a", 250)+"\n---\nIt", 1)).load(t, nil)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if label := c.Listings[0].FitNotes.Get("x").(api.Link).Label; !strings.HasPrefix(label, "code.example.org/aaa") || len(label) > 100 {
		t.Errorf("the label is %s", label)
	}
}

// Words and wordings are short texts, each with its place where it is not.
func TestWordsOfTheSubject(t *testing.T) {
	t.Parallel()
	_, findings := baseFolder().with("taxonomy/words.yml", "constraints: \"a\\nb\"\nfiller: [game, ' ']\nlanguages:\n  Go: [golang, '']\ncolours: [red]\ntechnical: [api, machine learning]\n").
		with("taxonomy/platforms.yml", "- {slug: linux, name: Linux, suggested: ['']}\n- {slug: docker, name: Docker}\n").load(t, nil)
	got := texts(findings)
	for _, want := range []string{
		"taxonomy/platforms.yml:1:42: suggested: an entry is empty: remove it", "taxonomy/words.yml:1:14: constraints: ", "taxonomy/words.yml:2:16: filler: an entry is empty: remove it",
		"taxonomy/words.yml:4:16: Go: an entry is empty: remove it", `taxonomy/words.yml:5:1: unknown key "colours"; allowed here: constraints, shortlist, filler, weak, technical, languages, licenses`,
		`taxonomy/words.yml:6:18: technical: "machine learning" is not one word of letters and digits`,
	} {
		if !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, want) }) {
			t.Errorf("%q is missing from %q", want, got)
		}
	}
	if len(got) != 6 {
		t.Errorf("there are %d findings: %q", len(got), got)
	}
}

// There are at most api.MaxFacts.
func TestTooManyFacts(t *testing.T) {
	t.Parallel()
	var facts strings.Builder
	for i := range api.MaxFacts + 1 {
		fmt.Fprintf(&facts, "- {key: f%d, kind: text, label: F, meaning: It is.}\n", i)
	}
	_, findings := baseFolder().with("taxonomy/facts.yml", facts.String()).load(t, nil)
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "41 facts are defined: at most 40 are allowed") {
		t.Errorf("got %v", findings)
	}
}

// Names of hardware and wordings of the user's computer are checked.
func TestHardware(t *testing.T) {
	t.Parallel()
	const facts = "- {key: setups, kind: setups, label: Memory, meaning: It takes so much.}\n" +
		"- {key: arch, kind: choices, label: Processors, meaning: They are these., values: [{slug: arm64, label: ARM}]}\n" +
		"- {key: gpuVendors, kind: choices, label: Cards, meaning: They are these., values: [{slug: nvidia, label: NVIDIA}]}\n"
	const right = "devices:\n" +
		"- {name: RTX 3060, aliases: ['3060'], kind: card, vendor: nvidia, memoryGb: [12, 8], source: https://example.org/3060}\n" +
		"- {name: Board, kind: computer, arch: arm64, memoryGb: [4], source: https://example.org/board}\n" +
		"- {name: Handset, kind: phone, arch: arm64, system: android, memoryGb: [8], source: https://example.org/phone}\n" +
		"- {name: i7, kind: processor, arch: arm64, source: https://example.org/i7}\n"
	for _, c := range []struct {
		about, hardware string
		want            []string
	}{
		{"nothing wrong", right + "sizes: {ramGb: [4, 8]}\nwords: {ram: [ram], cardOf: {nvidia: [geforce]}, system: {android: [android phone]}, filter: {vramGb=0: [no gpu], gpuVendor=nvidia: [nvidia card], arch=arm64: [arm], system=android: [a droid]}}", nil},
		{"no facts of these", strings.Replace(right, "nvidia", "matrox", 1), []string{`2:59: vendor: "matrox" is not allowed: write one of nvidia`}},
		{"names twice", right + "- {name: rtx-3060, kind: card, vendor: nvidia, memoryGb: [4], source: https://example.org/3060}", []string{
			`6:10: name: "rtx-3060" is already a name of RTX 3060: remove one of them`}},
		{"no kind, no memory", "devices:\n- {name: A, kind: fridge, source: http://example.org}\n- {name: B, kind: card, vendor: nvidia, source: https://example.org}", []string{
			`2:19: kind: "fridge" is not allowed: write one of card, processor, computer, phone, series`,
			`2:35: source: "http://example.org" does not begin with https://: write the https address of a page that states it`,
			"3:3: memoryGb: is missing: list the sizes sold, in gigabytes, the usual one first"}},
		{"a phone without a system", "devices:\n- {name: A, kind: phone, arch: arm64, source: https://example.org}", []string{"2:3: system: is missing: write one of linux, android"}},
		{"memory", "devices:\n- {name: A, kind: card, vendor: nvidia, memoryGb: [0, 8, 8], source: https://example.org/}", []string{
			"2:51: memoryGb: 0 is out of bounds: a number from 0.01 to 4096 is allowed", "2:51: memoryGb: 8 is in the list twice: remove one of them"}},
		{"shares", "devices:\n- {name: A, kind: computer, arch: arm64, vendor: nvidia, memoryGb: [8], unified: true, shares: [{share: 2}, {share: 0.5, source: https://example.org/}], source: https://example.org/}\n" +
			"- {name: B, kind: computer, arch: arm64, memoryGb: [8], shares: [{share: 0.5, source: https://example.org/b}], source: https://example.org/}", []string{
			"share: 2 is out of bounds: the part of the memory that the GPU may use must be more than 0 and at most 1",
			`source: "" does not begin with https://: write the https address of a page that states it`,
			"fromGb: 0 is not more than the one before it: write the smallest first",
			"shares: is only for unified memory: remove it, or write unified: true"}},
		{"a word in two lists", "words: {brand: [mac], system: {linux: [Mac]}}", []string{`linux: "Mac" is also in brand, but can have only one meaning: remove one of the two`}},
		{"sizes", "sizes: {ramGb: [4, 2, 9999]}", []string{"1:16: ramGb: 2 is not more than the size before it: write each size once, the smallest first", "ramGb: 9999 is out of bounds"}},
		{"words", "words: {ram: ['']}", []string{"1:15: ram: an entry is empty: remove it"}},
		{"makers and systems", "words: {cardOf: {matrox: [millennium]}, system: {beos: [beos box]}}", []string{`matrox: "matrox" is not allowed: write one of nvidia`, `beos: "beos" is not allowed: write one of linux, android`}},
		{"parameters", "words: {filter: {price=1: [cheap], ramGb: [much ram], vramGb=no: [none], arch=mips: [old], system=beos: [be]}}", []string{
			`"price" is not a parameter of the user's computer: write one of ramGb, vramGb, gpuVendor, arch, system`,
			"has no value: write one after it, such as ramGb=0", `"no" is not a number`, `"mips" is not allowed: write one of arm64`, `"beos" is not allowed: write one of linux, android`}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			_, findings := baseFolder().with("taxonomy/facts.yml", facts).with("taxonomy/hardware.yml", c.hardware).with("taxonomy/platforms.yml", "- {slug: linux, name: Linux, system: true}\n- {slug: docker, name: Docker}\n- {slug: android, name: Android, system: true}\n").load(t, nil)
			var got []string
			for _, f := range findings {
				if strings.Contains(f.File, "hardware") {
					got = append(got, fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message))
				}
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want) }) {
					t.Errorf("%q is missing", want)
				}
			}
			if len(got) != len(c.want) || t.Failed() {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// modelsFacts are the facts that taxonomy/models.yml needs.
const modelsFacts = "- {key: setups, kind: setups, label: Memory, meaning: It takes so much.}\n" +
	"- {key: gpuVendors, kind: choices, label: Cards, meaning: They are these., values: [{slug: nvidia, label: NVIDIA}]}\n"

// modelsFile is taxonomy/models.yml with nothing wrong in it.
const modelsFile = "contextTokens: 8192\nprocessGb: 0.6\nmeasured: On a card.\n" +
	"keeps: {ramGb: 4, vramGb: 0.5, because: A guess., source: https://example.org/system}\nsizes:\n" +
	"- {name: 1B, parameters: 1.24, bits: 4.5, layers: 16, heads: 8, headSize: 64, model: Small, source: https://example.org/small}\n" +
	"- {name: 8B, parameters: 8, bits: 4.5, layers: 32, heads: 8, headSize: 128, measuredGb: 4.8, model: Large, source: https://example.org/large}\n" +
	"computers:\n- {slug: plain, name: a plain computer, ramGb: 8, vramGb: 0, system: linux}\n"

func TestModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, old, new string
		want            []string
	}{
		{"nothing wrong", "", "", nil},
		{"no sizes", modelsFile[strings.Index(modelsFile, "sizes"):strings.Index(modelsFile, "computers")], "", []string{"sizes: is missing: list the sizes of models, the smallest first, or remove the file"}},
		{"order", "parameters: 8,", "parameters: 1,", []string{
			"7:26: parameters: this size is not larger than the one before it: order sizes by parameters, then by bits"}},
		{"a name twice", "name: 8B", "name: 1B", []string{`7:10: name: "1B" is in the list twice: remove one of them`}},
		{"less than the arithmetic", "measuredGb: 4.8", "measuredGb: 4", []string{"7:89: measuredGb: 4 is less than its parameters take, which is 4.6 GB: correct one of them"}},
		{"bounds", "layers: 16, heads: 8", "layers: 0, heads: 9000", []string{"layers: 0 is out of bounds: a number from 1 to 2000 is allowed", "heads: 9000 is out of bounds"}},
		{"no address", "https://example.org/small", "a page", []string{`source: "a page" does not begin with https://: write the https address of a page that states its layers and heads`}},
		{"no reason", ", because: A guess.", "", []string{"because: is missing, but required"}},
		{"a computer of another system", "system: linux", "system: beos", []string{`system: "beos" is not allowed: write one of linux, android`}},
		{"a computer without memory", "ramGb: 8, vramGb: 0, system", "system", []string{"ramGb: is missing: say how much memory the computer has"}},
		{"an unknown device", "system: linux", "device: Toaster", []string{`device: there is no device "Toaster" in taxonomy/hardware.yml`}},
		{"an unknown maker", "system: linux", "gpuVendor: matrox", []string{`gpuVendor: "matrox" is not allowed: write one of nvidia`}},
		{"no slug", "slug: plain", "slug: Not Plain", []string{`slug: "Not Plain" is not a slug`}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			_, findings := baseFolder().with("taxonomy/facts.yml", modelsFacts).with("taxonomy/models.yml", strings.Replace(modelsFile, c.old, c.new, 1)).
				with("taxonomy/platforms.yml", "- {slug: linux, name: Linux, system: true}\n- {slug: docker, name: Docker}\n- {slug: android, name: Android, system: true}\n").load(t, nil)
			var got []string
			for _, f := range findings {
				if strings.Contains(f.File, "models") {
					got = append(got, fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message))
				}
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want) }) {
					t.Errorf("%q is missing", want)
				}
			}
			if len(got) != len(c.want) || t.Failed() {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// A listing names other listings that run its models.
func TestRunsWith(t *testing.T) {
	t.Parallel()
	const more = "purpose: Does one thing.\ncategory: chat-interfaces\nrepositoryUrl: https://code.example.org/"
	listing := func(name, lines string) string {
		return "---\nname: " + name + "\n" + more + name + "\naddedAt: 2026-01-01\n" + lines + "---\nText.\n"
	}
	for _, c := range []struct{ about, models, line, want string }{
		{"nothing wrong", modelsFile, "runsWith: [runner]", ""},
		{"misspelt", modelsFile, "runsWith: [runer]", `7:12: runsWith: there is no listing "runer": did you mean runner?`},
		{"nothing near", modelsFile, "runsWith: [zzzzzzz]", `runsWith: there is no listing "zzzzzzz": write the slug of a listing, or remove it`},
		{"a former slug", modelsFile, "runsWith: [walker]", `runsWith: there is no listing "walker": it is now runner`},
		{"a retired one", modelsFile, "runsWith: [strider]", `runsWith: there is no listing "strider": it has left the catalogue, so remove it`},
		{"itself", modelsFile, "runsWith: [page]", `runsWith: "page" is the listing itself: name the other listings that run its models, or remove it`},
		{"twice", modelsFile, "runsWith: [runner, runner]", `runsWith: "runner" is in the list twice: remove one of them`},
		{"no models", "", "runsWith: [runner]", "runsWith: listings of this catalogue do not have this key, because taxonomy/models.yml has no sizes: remove the key, or add sizes"},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			folder := baseFolder().with("taxonomy/facts.yml", modelsFacts).with("taxonomy/platforms.yml", "- {slug: linux, name: Linux, system: true}\n- {slug: docker, name: Docker}\n").
				with("taxonomy/retired.yml", "- {slug: strider, name: Strider, left: 2026-01-02}\n").
				with("projects/page.md", listing("page", c.line+"\n")).with("projects/runner.md", listing("runner", "formerly: [walker]\n"))
			if c.models != "" {
				folder = folder.with("taxonomy/models.yml", c.models)
			}
			_, findings := folder.load(t, nil)
			var got []string
			for _, f := range findings {
				if strings.Contains(f.File, "page.md") {
					got = append(got, fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message))
				}
			}
			if text := strings.Join(got, "\n"); !strings.HasSuffix(text, c.want) || len(got) > 1 || c.want == "" && text != "" {
				t.Errorf("got %s\nwant %s", text, c.want)
			}
		})
	}
}
