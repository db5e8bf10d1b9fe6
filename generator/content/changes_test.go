package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMistakesInChanges(t *testing.T) {
	t.Parallel()
	const good = `{"day": "2026-01-02", "slug": "ant", "field": "license", "from": null, "to": "MIT", "source": "LICENSE"}` + "\n"
	at := func(messages ...string) (list []string) {
		for _, m := range messages {
			list = append(list, ChangesFile+":2:1: "+m)
		}
		return list
	}
	for _, c := range []struct {
		line string
		want []string // about the second line
	}{
		{"", nil},
		{strings.Replace(good, `null, "to": "MIT"`, `["a"], "to": ["a", "b"]`, 1), nil},
		{strings.Replace(good, "ant", "gone", 1), nil},
		{strings.Replace(good, "ant", "anz", 1), at(`slug: there is no listing "anz"; did you mean ant?`)},
		{strings.Replace(good, "2026-01-02", "2026-02-30", 1), at(`day: "2026-02-30" is not a date: write a real day as YYYY-MM-DD`)},
		{strings.Replace(good, "2026", "2999", 1), at(`day: 2999-01-02 is in the future: write a day up to today`)},
		{strings.Replace(good, "license", "licence", 1), at(`field: listings have no field "licence"; did you mean license?`)},
		{strings.Replace(good, `"MIT"`, `null`, 1), at(`from and to are the same: write what changed, or remove the line`)},
		{strings.Replace(good, `"MIT"`, `{"a": 1}`, 1), at(`to: is an object that is no value of this field: write a text, a number, true, false, null, a list of texts, or what the API has for the fact`)},
		{strings.Replace(good, `license", "from": null, "to": "MIT"`, `fitNotes.fee", "from": null, "to": {"amount": 2, "currency": "EUR"}`, 1), nil},
		{strings.Replace(good, `license", "from": null, "to": "MIT"`, `fitNotes.fee", "from": {}, "to": {"from": 1, "to": 2}`, 1), at(
			`from: is an object that is no value of this field: write a text, a number, true, false, null, a list of texts, or what the API has for the fact`,
			`to: is an object that is no value of this field: write a text, a number, true, false, null, a list of texts, or what the API has for the fact`)},
		{strings.Replace(good, `"MIT"`, `["a", 1]`, 1), at(`to: a list holds something other than texts: write texts in quotation marks`)},
		{strings.Replace(good, `"LICENSE"`, `""`, 1), at(`source: is missing: say where the new value was read`)},
		{strings.Replace(good, `"source"`, `"sauce"`, 1), at(`unknown field "sauce": write ` + changeForm)},
		{good[:30], at("is cut off: write " + changeForm)},
		{"license: MIT", at(`is not JSON, invalid character 'l' looking for beginning of value: write ` + changeForm)},
		{strings.TrimSpace(good) + good, at("has something after the change: write each change on a line of its own")},
		{strings.TrimSpace(good) + "}", at("has something after the change: write each change on a line of its own")},
		{strings.Replace(good, `"2026-01-02"`, `1`, 1), at("day: must be text: write " + changeForm)},
	} {
		folder := baseFolder().with("taxonomy/retired.yml", "- {slug: gone, name: Gone, left: 2026-01-02}\n").
			with("taxonomy/facts.yml", "- {key: fee, kind: money, label: Fee, meaning: What it costs.}\n")
		_, findings := folder.with(ChangesFile, good+c.line).load(t, nil)
		if got := texts(findings); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%q, want\n%q", c.line, got, c.want)
		}
	}
}

// The latest changes come first. They know their listing by its present and former slugs.
func TestChanges(t *testing.T) {
	t.Parallel()
	folder := baseFolder().with("taxonomy/retired.yml", "- {slug: gone, name: Gone, left: 2026-01-02}\n")
	folder["projects/ant.md"] = strings.Replace(folder["projects/ant.md"], "---\n", "---\nformerly: [emmet]\n", 1)
	c, findings := folder.with(ChangesFile, `{"day": "2026-01-02", "slug": "emmet", "field": "license", "from": null, "to": "MIT", "source": "a"}

{"day": "2026-02-02", "slug": "gone", "field": "archived", "from": false, "to": true, "source": "b"}
{"day": "2026-01-02", "slug": "bee", "field": "license", "from": "MIT", "to": null, "source": "c"}
{"day": "2026-01-02", "slug": "bee", "field": "license", "from": null, "to": "ISC", "source": "d"}
`).load(t, nil)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	var got []string
	for _, change := range c.Changes {
		slug := ""
		if change.Listing != nil {
			slug = change.Listing.Slug
		}
		got = append(got, fmt.Sprint(change.Name, " ", slug, " ", change.Source, change.Earlier))
	}
	if want := []string{"Gone  b0", "Bee bee d1", "Bee bee c0", "Ant ant a0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
