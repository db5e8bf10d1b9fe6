package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
)

// Each mistake in a definition of a fact is told with its place, what was given and
// what is allowed.
func TestDefinitionsOfFacts(t *testing.T) {
	t.Parallel()
	entry := func(lines ...string) string { return "- " + strings.Join(lines, "\n  ") + "\n" }
	yesNo := entry("key: quiet", "kind: yes-no", "label: Quiet", "meaning: It makes little noise.")
	for _, c := range []struct {
		about, facts string
		want         []string
	}{
		{"nothing wrong", yesNo, nil},
		{"nothing at all", "", nil},
		{"unknown kind", entry("key: a", "kind: flag", "label: A", "meaning: It is.", "lable: A"), []string{
			`2:9 kind: "flag" is no kind of fact; allowed are yes-no, choice, choices, number, text, texts`,
			`5:3 unknown key "lable"; allowed here: key, kind, label, group, meaning, values, unit, least, most, chip, filter, asked, suggested, sourced, checks`}},
		{"nothing said", entry("key: a", "kind: text"), []string{"1:3 label: is missing, but required", "1:3 meaning: is missing, but required"}},
		{"no key", entry("key: Is-It", "kind: text", "label: A", "meaning: It is."), []string{
			`1:8 key: "Is-It" is no key: write letters and digits, beginning with a small letter, such as minRamGb`}},
		{"twice", yesNo + yesNo, []string{`5:8 key: "quiet" is defined twice`}},
		{"choice without values", entry("key: a", "kind: choice", "label: A", "meaning: It is."), []string{
			"1:3 values: is missing: list what the fact may be, as - {slug: small, label: Small}"}},
		{"values of no choice", entry("key: a", "kind: number", "label: A", "meaning: It is.", "values: [{slug: x, label: X}]"), []string{
			"5:11 values: a fact of the kind number cannot have it: remove it"}},
		{"bad values", entry("key: a", "kind: choices", "label: A", "meaning: It is.", "values: [{slug: X Y, label: X}, {slug: z}, {slug: z, label: Z}]"), []string{
			`5:11 values: "X Y" is no slug: lower-case letters and digits are allowed, in groups joined by single hyphens`,
			`5:11 values: "z" has no label`, `5:11 values: "z" stands there twice`}},
		{"unit of a text", entry("key: a", "kind: text", "label: A", "meaning: It is.", "unit: GB", "least: 1", "most: 0"), []string{
			"5:9 unit: a fact of the kind text cannot have it: remove it", "6:10 least: 1 is more than most, 0",
			"6:10 least: a fact of the kind text cannot have it: remove it", "7:9 most: a fact of the kind text cannot have it: remove it"}},
		{"unknown chip", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "chip: {maybe: X}"), []string{
			`5:9 chip: "maybe" is no value here; allowed are 1, 0`}},
		{"taken parameter", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: limit}") +
			entry("key: b", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: maxA}") +
			entry("key: c", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: maxA}"), []string{
			`5:11 filter: the parameter "limit" is taken already`, `15:11 filter: the parameter "maxA" is taken already`}},
		{"taken keys", entry("key: archived", "kind: yes-no", "label: A", "meaning: It is.") +
			entry("key: toString", "kind: yes-no", "label: A", "meaning: It is.") +
			entry("key: price", "kind: yes-no", "label: A", "meaning: It is.") + // a search would mix them up
			entry("key: cost", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: price}") +
			entry("key: weight", "kind: yes-no", "label: A", "meaning: It is.", "filter: {parameter: reset}"), []string{
			`22:11 filter: the parameter "reset" is taken already`, `1:8 key: the name "archived" is taken already`,
			`5:8 key: the name "toString" is taken already`, `9:8 key: the name "price" is taken already`}},
		{"texts of values", entry("key: a", "kind: choice", "label: A", "meaning: It is.", `values: [{slug: x, label: "X\nY"}]`, `chip: {x: ""}`, `filter: {parameter: a, labels: {x: "a\nb"}}`), []string{
			`5:11 values: the label of "x" holds a line break or another control character; write one line`,
			`6:9 chip: the text of "x" is empty; remove it`,
			`7:11 filter: the text of "x" holds a line break or another control character; write one line`}},
		{"filter of a text", entry("key: a", "kind: texts", "label: A", "meaning: It is.", "filter: {parameter: a}"), []string{
			"5:11 filter: a fact of the kind texts cannot have it: remove it"}},
		{"number without match", entry("key: a", "kind: number", "label: A", "meaning: It is.", "filter: {parameter: maxA, match: below}"), []string{
			`5:11 filter: match: "below" is not allowed; a number needs at-most or at-least`}},
		{"half a mapping", entry("key: a", "kind: choice", "label: A", "meaning: It is.", "values: [{slug: x, label: X}]", `filter: {parameter: a, "0": [x, y]}`), []string{
			`6:11 filter: "y" is no value here; allowed are x`, `6:11 filter: both "0" and "1" must say what they find`}},
		{"wording for no value", entry("key: a", "kind: yes-no", "label: A", "meaning: It is.", `suggested: {"2": [much], "1": [" "]}`), []string{
			`5:14 suggested: "2" is no value here; allowed are 1, 0`, "5:34 suggested: an entry is empty; remove it"}},
		{"amount in words", entry("key: a", "kind: number", "label: A", "meaning: It is.", "asked: {many: [much]}"), []string{
			`5:10 asked: "many" is no value here; allowed are numbers and amount`}},
		{"amount without its number", entry("key: a", "kind: number", "label: A", "meaning: It is.", "suggested: {amount: [gb]}"), []string{
			`5:14 suggested: "gb" names no number: write "# gb", where # stands for it`}},
		{"amount of nothing", entry("key: a", "kind: number", "label: A", "meaning: It is.", "asked: {nan: [much], inf: [more]}", `suggested: {"1": ["#1 choice"]}`), []string{
			`5:10 asked: "inf" is no value here; allowed are numbers and amount`, `5:10 asked: "nan" is no value here; allowed are numbers and amount`,
			`6:14 suggested: "#1 choice" names no number: write "# 1 choice", where # stands for it`}},
		{"labels alike", entry("key: a", "kind: choice", "label: A", "meaning: It is.", "values: [{slug: x, label: X}, {slug: y, label: X}, {slug: z, label: unknown}]"), []string{
			`5:11 values: the label "X" stands for something else already`, `5:11 values: the label "unknown" stands for something else already`}},
		{"labels of a number", entry("key: a", "kind: number", "label: A", "meaning: It is.", "filter: {parameter: maxA, match: at-most, labels: {x: X}}"), []string{
			"5:11 filter: a fact of the kind number has no values to name here: remove them"}},
		{"compared with nothing", entry("key: a", "kind: number", "label: A", "meaning: It is.", "checks: {notAbove: b, needs: {c: [x]}}"), []string{
			`5:11 checks: needs: no fact has the key "c"`, `5:11 checks: notAbove: "b" is no number that this one can be compared with`}},
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

// Words and wordings are short texts, each with its place where it is not.
func TestWordsOfTheSubject(t *testing.T) {
	t.Parallel()
	_, findings := baseFolder().with("taxonomy/words.yml", "constraints: \"a\\nb\"\nfiller: [game, ' ']\nlanguages:\n  Go: [golang, '']\ncolours: [red]\n").
		with("taxonomy/platforms.yml", "- {slug: linux, name: Linux, suggested: ['']}\n- {slug: docker, name: Docker}\n").load(t, nil)
	got := texts(findings)
	for _, want := range []string{
		"taxonomy/platforms.yml:1:42: suggested: an entry is empty; remove it", "taxonomy/words.yml:1:14: constraints: ", "taxonomy/words.yml:2:16: filler: an entry is empty; remove it",
		"taxonomy/words.yml:4:16: Go: an entry is empty; remove it", `taxonomy/words.yml:5:1: unknown key "colours"; allowed here: constraints, shortlist, filler, weak, languages, licenses`,
	} {
		if !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, want) }) {
			t.Errorf("%q is missing from %q", want, got)
		}
	}
	if len(got) != 5 {
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
