package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"github.com/yuin/goldmark/util"
)

// checkInvisible finds characters that nobody sees.
func checkInvisible(p piece) []content.Finding {
	var findings []content.Finding
	for i, r := range invisible.In(p.text) {
		findings = append(findings, p.at(rule.HiddenText, fmt.Sprintf("%sholds %U, which nobody sees but machines; allowed are characters that show: delete it", p.key, r), i))
	}
	return oneALine(findings)
}

// checkEntities finds entities in a text that stand for such characters. In code
// they stand for themselves: what counts is the page.
func checkEntities(d *content.Document) []content.Finding {
	var findings []content.Finding
	for range invisible.In(d.BodyHTML) {
		for _, at := range entity.FindAllStringIndex(d.Body, -1) {
			given := d.Body[at[0]:at[1]]
			for _, r := range string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(given)))) {
				if invisible.Is(r) {
					findings = append(findings, d.InBody(rule.HiddenText, fmt.Sprintf("%s stands for %U, which nobody sees but machines; allowed are characters that show: delete it", given, r), at[0]))
				}
			}
		}
		break
	}
	return findings
}

// entity is a character reference (CommonMark 0.31, section 2.5).
var entity = regexp.MustCompile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

// oneALine keeps the first finding of each line.
func oneALine(findings []content.Finding) []content.Finding {
	return slices.CompactFunc(findings, func(a, b content.Finding) bool { return a.Line == b.Line })
}

var (
	// textInAttribute is a tag whose attribute holds words and not an address or a name.
	textInAttribute = regexp.MustCompile(`(?i)<[a-z][^>]*\s(?:title|alt|aria-[a-z]+|data-[a-z-]+|content|value|placeholder|label|summary)\s*=\s*["']?[^\s"'>]`)

	htmlTag      = regexp.MustCompile(`<[^>]*>`)
	hidingMarkup = regexp.MustCompile(`(?i)<[a-z][^>]*(?:\shidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|transparent|#fff))`)
)

// checkUnshown finds what pages leave out and who reads the source, as by the
// API, has: HTML that hides text, and definitions of links that the text does not
// use, which is how comments are written in Markdown.
func checkUnshown(d *content.Document) []content.Finding {
	findings := checkEntities(d)
	for _, h := range d.Pieces.HTML {
		if what := hides(h.Text); what != "" {
			findings = append(findings, d.InBody(rule.HiddenText,
				fmt.Sprintf("%q is %s: machines read what people do not see; allowed is Markdown that shows", firstLine(h.Text), what), h.Offset))
		}
	}
	for _, i := range d.Pieces.Info {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q stands behind the language of a block of code: machines read what people do not see; leave only the language", firstLine(i.Text)), i.Offset))
	}
	for _, u := range d.Pieces.Unused {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q is a link that the text does not use: machines read what people do not see; use it, or leave it out", firstLine(u.Text)), u.Offset))
	}
	return findings
}

// hides says how raw HTML hides text, or "".
func hides(raw string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(raw), "<!--"):
		return "a comment"
	case strings.HasPrefix(strings.TrimSpace(raw), "<!"), strings.HasPrefix(strings.TrimSpace(raw), "<?"):
		return "a declaration or an instruction to programs"
	case textInAttribute.MatchString(raw):
		return "HTML with text in an attribute"
	case hidingMarkup.MatchString(raw):
		return "hidden HTML"
	case strings.TrimSpace(htmlTag.ReplaceAllString(raw, "")) != "":
		return "text in HTML, which pages leave out"
	}
	return ""
}

// firstLine returns the first line of a text that has one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// checkShown warns of what pages leave out although it hides nothing.
func checkShown(_ *catalog, l *content.Listing) []content.Finding { return notShown(&l.Document) }

func notShown(d *content.Document) []content.Finding {
	var findings []content.Finding
	for _, h := range d.Pieces.HTML {
		if hides(h.Text) == "" && !strings.HasPrefix(h.Text, "</") { // its beginning is told
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("%q is HTML, which is not shown: write it in Markdown, or leave it out", firstLine(h.Text)), h.Offset))
		}
	}
	for _, l := range d.Pieces.Links {
		if l.Image {
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("the picture %q is not shown: say in words what it shows, or link to it", l.URL), l.Offset))
		}
	}
	return findings
}
