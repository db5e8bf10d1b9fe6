package content

import (
	"slices"
	"testing"
)

const (
	logoSet  = "sets:\n- {slug: own, name: Own, version: '1', license: MIT, source: 'https://example.org/own'}\n"
	logoText = SVGRoot + "><path d=\"M1 1h2\"/></svg>\n"
)

// Each mistake in the table of logos, and in its files, is told with its place.
func TestLogos(t *testing.T) {
	for _, c := range []struct {
		logos string
		want  []string
	}{
		{logoSet + "logos:\n- {name: ant, set: own, listings: [ant], products: [paid-chat], categories: [chat-interfaces], platforms: [linux]}\n", []string{}},
		{"sets:\n- {slug: own, name: '', version: '1', license: Mine!, source: 'ftp://example.org'}\nlogos:\n- {name: ant, set: own, listings: [ant]}\n", []string{
			"taxonomy/logos.yml:2:21: name: is missing, but required",
			`taxonomy/logos.yml:2:48: license: "Mine!" is not an SPDX licence expression; see https://spdx.org/licenses/, or write LicenseRef-… for other terms`,
			`taxonomy/logos.yml:2:63: source: "ftp://example.org" does not begin with https://: write an address such as https://example.org/page`,
		}},
		{logoSet + "logos:\n- {name: ant, set: other, listings: [ant, aunt]}\n- {name: bee, set: own, listings: [ant], platforms: [linus]}\n- {name: ant, set: own}\n", []string{
			"logos/unused.svg:1:1: warning: is not used: name it in taxonomy/logos.yml, or remove it",
			`taxonomy/logos.yml:4:20: set: "other" is not one of the sets at the top of this file`,
			`taxonomy/logos.yml:4:43: listings: there is no listing "aunt"; did you mean ant?: correct it, or remove it`,
			"taxonomy/logos.yml:5:10: name: there is no file logos/bee.svg: add it, or remove the entry",
			`taxonomy/logos.yml:5:36: listings: "ant" has the logo ant, too: remove one of them`,
			`taxonomy/logos.yml:5:54: platforms: taxonomy/platforms.yml has no "linus"; did you mean linux?: correct it, or remove it`,
			"taxonomy/logos.yml:6:3: logos: is the logo of nothing: name listings, products, categories or platforms, or remove it and its file",
			`taxonomy/logos.yml:6:10: name: "ant" is in this file twice: remove one of them`,
		}},
	} {
		f := baseFolder().with("taxonomy/logos.yml", c.logos).with("logos/ant.svg", logoText).with("logos/own.txt", "Terms.\n")
		if len(c.want) > 3 {
			f = f.with("logos/unused.svg", logoText)
		}
		loaded, findings := f.load(t, nil)
		got := []string{}
		for _, one := range findings {
			got = append(got, one.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
		if len(c.want) == 0 && (len(loaded.Logos.List) != 1 || string(loaded.Logos.List[0].SVG) != logoText || loaded.Logos.Sets[0].Terms != "Terms.\n") {
			t.Errorf("the logos are %+v", loaded.Logos)
		}
	}
}

// A logo that is not only shapes is refused, and so are a large one and a set without its licence.
func TestLogoFiles(t *testing.T) {
	f := baseFolder().with("taxonomy/logos.yml", logoSet+"logos:\n- {name: ant, set: own, listings: [ant]}\n")
	f = f.with("logos/ant.svg", SVGRoot+">\n<script/></svg>\n")
	_, findings := f.load(t, nil)
	var got []string
	for _, one := range findings {
		got = append(got, one.String())
	}
	if want := []string{
		`logos/ant.svg:2:1: has an element "script", which is not allowed: draw with path, g, circle, ellipse, rect, line, polyline and polygon`,
		"taxonomy/logos.yml:2:10: slug: the text of the licence is missing: add it as logos/own.txt",
	}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
