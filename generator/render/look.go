package render

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"catalog.example/api/site"
)

// leastContrast is the least contrast of a text with its ground (WCAG 2.2, 1.4.3).
const leastContrast = 4.5

// fonts maps the values of the setting font to fonts of the reader's system.
var fonts = map[string]string{
	site.FontSerif:   `ui-serif, "Iowan Old Style", Charter, Georgia, serif`,
	site.FontRounded: `ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, "Arial Rounded MT Bold", sans-serif`,
	site.FontMono:    `ui-monospace, "Cascadia Code", Menlo, Consolas, monospace`,
}

// look returns the rules that follow from the settings accent and font. style is the text of style.css,
// which has the grounds.
func look(s *site.Settings, style string) (rules string, err error) {
	var out strings.Builder
	if accent, ok := parseColour(s.Accent); ok {
		light, dark, _ := strings.Cut(style, "@media (prefers-color-scheme: dark)")
		if len(grounds(light)) < 2 || len(grounds(dark)) < 2 {
			err = errors.New("assets/style.css: the setting accent needs --page and --raised as #rrggbb, for light " +
				"and for dark pages: write them so, or remove accent and set --accent and --link in assets/extra.css")
		}
		set := func(c colour) string { return fmt.Sprintf(":root { --accent: %s; --link: %[1]s; }", c) }
		fmt.Fprintf(&out, "%s\n@media (prefers-color-scheme: dark) { %s }\n",
			set(accent.readable(colour{}, grounds(light))), set(accent.readable(colour{1, 1, 1}, grounds(dark))))
	}
	if font := fonts[s.Font]; font != "" {
		fmt.Fprintf(&out, "body { font-family: %s; }\n", font)
	}
	return out.String(), err
}

// ground matches the colours on which texts stand.
var ground = regexp.MustCompile(`--(?:page|raised):\s*(#[0-9A-Fa-f]{6})\b`)

// grounds returns the colours on which texts stand in a part of a stylesheet.
func grounds(style string) (list []colour) {
	for _, m := range ground.FindAllStringSubmatch(style, -1) {
		c, _ := parseColour(m[1])
		list = append(list, c)
	}
	return list
}

// colour is red, green and blue of sRGB, from 0 to 1.
type colour [3]float64

// parseColour parses #rrggbb.
func parseColour(text string) (c colour, ok bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	if err != nil || len(text) != len("#rrggbb") {
		return c, false
	}
	for i := range c {
		c[i] = float64(n>>(8*(2-i))&255) / 255
	}
	return c, true
}

// String returns the colour as #rrggbb.
func (c colour) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0]*255)), int(math.Round(c[1]*255)), int(math.Round(c[2]*255)))
}

// luminance is the relative luminance of WCAG 2.2.
func (c colour) luminance() (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		if c[i] <= 0.04045 {
			sum += weight * c[i] / 12.92
		} else {
			sum += weight * math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// contrast returns the contrast of two colours, from 1 to 21 (WCAG 2.2).
func (c colour) contrast(other colour) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// readable mixes the colour with another one, as little as is needed to read it on all grounds.
func (c colour) readable(with colour, grounds []colour) colour {
	mixed := c
	for share := 0.0; share <= 1; share += 0.01 {
		for i := range mixed {
			mixed[i] = math.Round((c[i]*(1-share)+with[i]*share)*255) / 255
		}
		least := math.Inf(1)
		for _, g := range grounds {
			least = min(least, mixed.contrast(g))
		}
		if least >= leastContrast {
			break
		}
	}
	return mixed
}
