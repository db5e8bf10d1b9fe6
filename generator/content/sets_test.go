package content

import (
	"slices"
	"testing"
)

// A set is chosen by the filters of a search, and each mistake in them is told.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		sets string
		want []string
	}{
		{"- {slug: linux, name: Linux, description: All of Linux., search: platform=linux}\n", []string{}},
		{"- {slug: Linux, name: Linux, description: '', search: platform=beos&q=chat&view=brief}\n- {slug: two, name: Linux, description: Two., search: ''}\n", []string{
			`taxonomy/sets.yml:1:10: "Linux" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`,
			"taxonomy/sets.yml:1:43: description: is missing, but required",
			`taxonomy/sets.yml:1:55: search: platform: "beos": no such platform; allowed: linux, docker`,
			`taxonomy/sets.yml:1:55: search: sets have no filter "q"`,
			`taxonomy/sets.yml:1:55: search: sets have no filter "view"`,
			`taxonomy/sets.yml:2:21: name: "Linux" is in this file twice: change one of them`,
			"taxonomy/sets.yml:2:55: search: is missing, but required",
		}},
	} {
		loaded, findings := baseFolder().with("taxonomy/sets.yml", c.sets).load(t, nil)
		got := []string{}
		for _, f := range findings {
			if f.File == "taxonomy/sets.yml" {
				got = append(got, f.String())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
		if len(c.want) == 0 && (len(loaded.Sets) != 1 || !slices.Equal(loaded.Sets[0].Filters.Values["platform"], []string{"linux"})) {
			t.Errorf("the set is %+v", loaded.Sets)
		}
	}
}
