package lint

import (
	"regexp"
	"strings"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"github.com/yuin/goldmark/util"
)

// checkInvisible reports the first invisible character of each line.
func checkInvisible(f textField, found *findings) {
	reported := 0
	for i, r := range invisible.Find(f.text) {
		finding := f.finding(rule.HiddenText, i, "contains %U, which machines read but people do not see: delete it", r)
		if finding.Line != reported {
			found.add(finding)
		}
		reported = finding.Line
	}
}

// checkEntities reports entities that stand for invisible characters. It first checks whether the
// rendered page contains such a character, because entities in code are not resolved.
func checkEntities(d *content.Document, found *findings) {
	if html := d.HTML(); invisible.Remove(html) == html {
		return
	}
	for _, match := range entity.FindAllStringIndex(d.Body, -1) {
		reference := d.Body[match[0]:match[1]]
		for _, r := range string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(reference)))) {
			if invisible.Is(r) {
				found.inBody(d, rule.HiddenText, match[0],
					"%s stands for %U, which machines read but people do not see: delete it", reference, r)
			}
		}
	}
}

// entity matches a character reference (CommonMark 0.31, section 2.5).
var entity = regexp.MustCompile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

var (
	// textAttribute matches a tag with an attribute that may contain prose.
	textAttribute = regexp.MustCompile(`(?i)<[a-z][^>]*\s(?:title|alt|aria-[a-z]+|data-[a-z-]+|content|value|placeholder|label|summary)\s*=\s*["']?[^\s"'>]`)

	htmlTag      = regexp.MustCompile(`<[^>]*>`)
	hidingMarkup = regexp.MustCompile(`(?i)<[a-z][^>]*(?:\shidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|transparent|#fff))`)
)

// checkParts reports text that the API returns but pages do not show: in HTML, in the info strings
// of code blocks, and in unused link definitions, which serve as comments in Markdown. It warns of
// harmless HTML and of pictures, which pages do not show, and of headings and links that people
// with a screen reader cannot use.
func checkParts(d *content.Document, found *findings) {
	checkEntities(d, found)
	for _, h := range d.Parts.HTML {
		if kind := hiddenKind(h.Text); kind != "" {
			found.inBody(d, rule.HiddenText, h.Offset, "%q is %s, which machines read but people do not see: "+
				"write Markdown that pages show, or delete it", firstLine(h.Text), kind)
		} else if !strings.HasPrefix(h.Text, "</") { // the start tag has been reported
			found.inBody(d, rule.NotShown, h.Offset,
				"%q is HTML, which pages do not show: write it in Markdown, or remove it", firstLine(h.Text))
		}
	}
	for _, i := range d.Parts.Info {
		found.inBody(d, rule.HiddenText, i.Offset, "%q follows the language of a code block, where machines read it "+
			"but people do not see it: write only the language", i.Text)
	}
	for _, u := range d.Parts.Unused {
		found.inBody(d, rule.HiddenText, u.Offset, "%q is a link definition that the text does not use; machines "+
			"read it but people do not see it: use it, or delete it", firstLine(u.Text))
	}
	for _, h := range d.Parts.Misplaced {
		found.inBody(d, rule.HeadingLevel, h.Offset, "the heading %q has the wrong level: "+
			"begin at ##, because the title of the page is #, and do not skip a level", h.Text)
	}
	for _, u := range d.Parts.Unnamed {
		found.inBody(d, rule.LinkText, u.Offset, "the link to %s has no text: say where it leads", u.Text)
	}
	instead := ""
	if strings.HasPrefix(d.File, "pages/") {
		instead = ", or show a file of the content folder: ../" + content.PicturesFolder + "/NAME.webp"
	}
	for _, l := range d.Parts.Links {
		if l.Image {
			found.inBody(d, rule.NotShown, l.Offset,
				"pages show a link instead of the picture %q: say in words what it shows%s", l.URL, instead)
		}
	}
}

// hiddenKind says how raw HTML hides text, or returns "".
func hiddenKind(raw string) string {
	trimmed := strings.TrimSpace(raw)
	switch {
	case strings.HasPrefix(trimmed, "<!--"):
		return "a comment"
	case strings.HasPrefix(trimmed, "<!"), strings.HasPrefix(trimmed, "<?"):
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

// firstLine returns the first line of a trimmed text, without white space around it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
