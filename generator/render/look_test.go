package render

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// Whatever colour an owner chooses, links can be read on all grounds, in light and dark.
func TestLook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../templates/assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	style := string(text)
	lightStyle, darkStyle, _ := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	for _, accent := range []string{"#7a1f5c", "#ffff00", "#000000", "#FFFFFF", "#00ff00", "#0000ff", "#808080"} {
		rules, err := look(&site.Settings{Accent: accent}, style)
		if err != nil {
			t.Error(err)
		}
		set := regexp.MustCompile(`--link: (#[0-9a-f]{6})`).FindAllStringSubmatch(rules, -1)
		if len(set) != 2 {
			t.Fatalf("%s: %s", accent, rules)
		}
		for i, part := range []string{lightStyle, darkStyle} {
			c, _ := parseColour(set[i][1])
			if on := grounds(part); len(on) != 2 || c.contrast(on[0]) < leastContrast || c.contrast(on[1]) < leastContrast {
				t.Errorf("%s becomes %s, which cannot be read on %v", accent, c, on)
			}
		}
	}
	// A colour that can be read stays as it is.
	if rules, _ := look(&site.Settings{Accent: "#7a1f5c"}, style); !strings.HasPrefix(rules, ":root { --accent: #7a1f5c; --link: #7a1f5c; }") {
		t.Error(rules)
	}
	for _, font := range site.Fonts {
		if rules, _ := look(&site.Settings{Font: font}, style); strings.Contains(rules, "font-family") != (font != site.FontSans) {
			t.Errorf("%s: %q", font, rules)
		}
	}
	if rules, err := look(&site.Settings{}, ""); rules != "" || err != nil {
		t.Errorf("without settings, the look is %q: %v", rules, err)
	}
	// Grounds may be written otherwise. Where there are none, nothing could be computed.
	const media = "@media (prefers-color-scheme: dark) { :root { --page:#111111; --raised: #222222 } }"
	for style, isRight := range map[string]bool{":root { --page:#FFFFFF; --raised: #EEEEEE }" + media: true,
		":root { --page: white; --raised: #EEEEEE }" + media: false, ":root { --page:#FFFFFF; --raised: #EEEEEE }": false} {
		if _, err := look(&site.Settings{Accent: "#ffff00"}, style); (err == nil) != isRight {
			t.Errorf("%s: %v", style, err)
		}
	}
}
