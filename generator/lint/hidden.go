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

// checkInvisible finds invisible characters.
func checkInvisible(f textField) []content.Finding {
	var findings []content.Finding
	for i, r := range invisible.Find(f.text) {
		findings = append(findings,
			f.finding(rule.HiddenText,
				fmt.Sprintf("%scontains %U, which machines read but people do not see: delete it", f.key, r), i))
	}
	return firstPerLine(findings)
}

// checkEntities finds entities that stand for invisible characters, if the rendered page contains
// any. It checks the page first because entities in code are not resolved.
func checkEntities(d *content.Document) []content.Finding {
	var findings []content.Finding
	for range invisible.Find(d.HTML()) {
		for _, match := range entity.FindAllStringIndex(d.Body, -1) {
			reference := d.Body[match[0]:match[1]]
			for _, r := range string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(reference)))) {
				if invisible.Is(r) {
					findings = append(findings,
						d.InBody(rule.HiddenText,
							fmt.Sprintf("%s stands for %U, which machines read but people do not see: delete it",
								reference, r), match[0]))
				}
			}
		}
		break
	}
	return findings
}

// entity matches a character reference (CommonMark 0.31, section 2.5).
var entity = regexp.MustCompile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

// firstPerLine keeps the first finding of each line.
func firstPerLine(findings []content.Finding) []content.Finding {
	return slices.CompactFunc(findings, func(a, b content.Finding) bool { return a.Line == b.Line })
}

var (
	// textAttribute matches a tag with an attribute that contains prose.
	textAttribute = regexp.MustCompile(`(?i)<[a-z][^>]*\s(?:title|alt|aria-[a-z]+|data-[a-z-]+|content|value|placeholder|label|summary)\s*=\s*["']?[^\s"'>]`)

	htmlTag      = regexp.MustCompile(`<[^>]*>`)
	hidingMarkup = regexp.MustCompile(`(?i)<[a-z][^>]*(?:\shidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|transparent|#fff))`)
)

// checkHidden finds text that pages do not show but the API does: in HTML, in the
// info strings of code blocks, and in unused link definitions, which serve as
// comments in Markdown.
func checkHidden(d *content.Document) []content.Finding {
	findings := checkEntities(d)
	for _, h := range d.Parts.HTML {
		if kind := hiddenKind(h.Text); kind != "" {
			findings = append(findings, d.InBody(rule.HiddenText,
				fmt.Sprintf("%q is %s, which machines read but people do not see: write Markdown that pages show, or "+
					"delete it", firstLine(h.Text), kind), h.Offset))
		}
	}
	for _, i := range d.Parts.Info {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q follows the language of a code block, where machines read it but people do not see it: "+
				"leave only the language", firstLine(i.Text)), i.Offset))
	}
	for _, u := range d.Parts.Unused {
		findings = append(findings, d.InBody(rule.HiddenText,
			fmt.Sprintf("%q is a link definition that the text does not use; machines read it but people do not see "+
				"it: use it, or delete it", firstLine(u.Text)), u.Offset))
	}
	return findings
}

// hiddenKind describes how raw HTML hides text, or returns "".
func hiddenKind(raw string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(raw), "<!--"):
		return "a comment"
	case strings.HasPrefix(strings.TrimSpace(raw), "<!"), strings.HasPrefix(strings.TrimSpace(raw), "<?"):
		return "a declaration or an instruction to programs"
	case textAttribute.MatchString(raw):
		return "HTML with text in an attribute"
	case hidingMarkup.MatchString(raw):
		return "hidden HTML"
	case strings.TrimSpace(htmlTag.ReplaceAllString(raw, "")) != "":
		return "text in HTML"
	}
	return ""
}

// firstLine returns the first line of a text, without white space around it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// checkShown warns of harmless HTML and pictures, which pages leave out, and of headings and
// links that people with a screen reader cannot use.
func checkShown(_ *catalog, l *content.Listing) []content.Finding {
	return shownFindings(&l.Document)
}

func shownFindings(d *content.Document) []content.Finding {
	var findings []content.Finding
	for _, h := range d.Parts.HTML {
		if hiddenKind(h.Text) == "" && !strings.HasPrefix(h.Text, "</") { // the start tag is already reported
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("%q is HTML, which pages do not show: write it in Markdown, or remove it",
					firstLine(h.Text)), h.Offset))
		}
	}
	for _, h := range d.Parts.Misplaced {
		findings = append(findings,
			d.InBody(rule.HeadingLevel,
				fmt.Sprintf("the heading %q is of a level that does not fit here: begin at ##, because the title of "+
					"the page is #, and skip no level", h.Text), h.Offset))
	}
	for _, u := range d.Parts.Unnamed {
		findings = append(findings,
			d.InBody(rule.LinkText, fmt.Sprintf("the link to %s has no text: say where it leads", u.Text), u.Offset))
	}
	for _, l := range d.Parts.Links {
		if l.Image {
			findings = append(findings, d.InBody(rule.NotShown,
				fmt.Sprintf("pages do not show the picture %q, but a link to it: say in words what it shows", l.URL),
				l.Offset))
		}
	}
	return findings
}
