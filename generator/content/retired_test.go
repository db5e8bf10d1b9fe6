package content

import (
	"slices"
	"testing"
)

func TestRetiredMistakes(t *testing.T) {
	t.Parallel()
	const good = "- {slug: gone, name: Gone, left: 2026-01-02, because: It is gone., category: chat-interfaces, formerly: [went]}\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{good, nil},
		{"", nil},
		{good + good, []string{
			`taxonomy/retired.yml:2:10: slug: "gone" is in this file twice: remove one of them`, `taxonomy/retired.yml:2:106: formerly: "went" is in this file twice: remove one of them`,
		}},
		{"- {slug: Gone, name: '', left: 2999-01-01, category: chat}\n", []string{
			`taxonomy/retired.yml:1:10: slug: "Gone" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`,
			`taxonomy/retired.yml:1:22: name: is missing, but required`, `taxonomy/retired.yml:1:32: left: 2999-01-01 is in the future: write a day up to today`,
			`taxonomy/retired.yml:1:54: category: "chat" is not a category: write one of taxonomy/categories.yml, or remove it`,
		}},
		{"- {slug: gone, name: Gone}\n- {slug: went, name: Went, left: soon, why: x}\n", []string{
			`taxonomy/retired.yml:1:3: left: is missing: write the day on which the listing left the catalogue`,
			`taxonomy/retired.yml:2:34: left: "soon" is not a date: write a real day as YYYY-MM-DD`,
			`taxonomy/retired.yml:2:40: unknown key "why"; allowed here: slug, name, left, because, category, formerly`,
		}},
		{"- {slug: ant, name: Ant, left: 2026-01-02, formerly: [emmet, bee]}\n", []string{
			`projects/ant.md:2:1: "ant" is an address of Ant, which has left the catalogue: choose another, or remove it from taxonomy/retired.yml, line 1`,
			`projects/bee.md:2:1: "bee" is an address of Ant, which has left the catalogue: choose another, or remove it from taxonomy/retired.yml, line 1`,
		}},
	} {
		_, findings := baseFolder().with("taxonomy/retired.yml", c.text).load(t, nil)
		if got := texts(findings); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%q, want\n%q", c.text, got, c.want)
		}
	}
}
