package importer

import (
	"html"
	"net/url"
	"regexp"
	"strings"

	"catalog.example/api/invisible"
)

// body sets the text of a listing to Markdown that pages show.
func (c *converter) body(l *listing, values []value) {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.text)
	}
	text := shownMarkdown(strings.Join(texts, "\n\n"), c.m.Base)
	if text != "" {
		l.values["body"] = text
		l.places["body"] = values[0].node
	}
}

var (
	htmlComment = regexp.MustCompile(`<!--[\s\S]*?(-->|$)`)
	shortcode   = regexp.MustCompile(`\{\{[<%][\s\S]*?[%>]\}\}`)
	htmlLink    = regexp.MustCompile(`(?i)<a\s[^>]*href\s*=\s*["']?([^"'\s>]+)[^>]*>([\s\S]*?)</a>`)
	htmlImage   = regexp.MustCompile(`(?i)<img\s[^>]*>`)
	altText     = regexp.MustCompile(`(?i)\salt\s*=\s*"([^"]*)"`)
	htmlBreak   = regexp.MustCompile(`(?i)<br\s*/?>`)
	htmlItem    = regexp.MustCompile(`(?i)\s*<li[^>]*>\s*`)
	htmlHeading = regexp.MustCompile(`(?i)<h([1-6])[^>]*>([\s\S]*?)</h[1-6]>`)
	htmlBlock   = regexp.MustCompile(`(?i)</?(p|div|ul|ol|section|article|table|tr|details|summary|center)\b[^>]*>`)
	htmlStrong  = regexp.MustCompile(`(?i)</?(b|strong)(\s[^>]*)?>`)
	htmlCode    = regexp.MustCompile(`(?i)</?(code|kbd)(\s[^>]*)?>`)
	// htmlTag matches a tag, and not an address in angle brackets.
	htmlTag    = regexp.MustCompile(`</?[a-zA-Z][a-zA-Z0-9-]*(\s[^<>]*)?/?>`)
	blankLines = regexp.MustCompile(`\n{3,}`)
	fence      = regexp.MustCompile("^ {0,3}(```+|~~~+)([^`]*)$")
	fenceWord  = regexp.MustCompile(`^\s*([A-Za-z0-9_+#.-]*)`)
	// inlineLink matches a link or a picture, and codeSpan code in a line.
	inlineLink  = regexp.MustCompile(`(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(\s+["'][^)]*["'])?\s*\)`)
	codeSpan    = regexp.MustCompile("`[^`]*`")
	atxHeading  = regexp.MustCompile(`^(#{1,6})\s+(.*)$`)
	headingAttr = regexp.MustCompile(`\s*\{#[^}]*\}\s*$`)
)

// shownMarkdown returns Markdown that pages show in full. HTML becomes Markdown, comments and shortcodes go,
// relative links are resolved against base or become plain text, and headings begin at the second level.
func shownMarkdown(text, base string) string {
	text = invisible.Remove(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text))
	var out, prose []string
	top := 0 // the highest level of a heading
	flush := func() {
		if len(prose) > 0 {
			out = append(out, strings.Split(shownProse(strings.Join(prose, "\n"), base), "\n")...)
		}
		prose = nil
	}
	closing := ""
	for line := range strings.SplitSeq(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case closing == "" && m == nil:
			prose = append(prose, line)
		case closing == "":
			flush()
			closing = m[1]
			out = append(out, closing+strings.ToLower(fenceWord.FindStringSubmatch(m[2])[1]))
		case m != nil && strings.HasPrefix(m[1], closing) && strings.TrimSpace(m[2]) == "":
			out, closing = append(out, closing), ""
		default:
			out = append(out, line)
		}
	}
	if flush(); closing != "" {
		out = append(out, closing)
	}
	for _, demoting := range []bool{false, true} {
		inCode := false
		for i, line := range out {
			if fence.MatchString(line) {
				inCode = !inCode
			}
			m := atxHeading.FindStringSubmatch(line)
			switch {
			case m == nil || inCode:
			case !demoting && (top == 0 || len(m[1]) < top):
				top = len(m[1])
			case demoting:
				level := min(max(len(m[1])-top+2, 2), 6)
				out[i] = strings.Repeat("#", level) + " " + headingAttr.ReplaceAllString(m[2], "")
			}
		}
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.Join(out, "\n"), "\n\n"))
}

// shownProse returns Markdown outside code blocks as pages can show it.
func shownProse(text, base string) string {
	text = shortcode.ReplaceAllString(htmlComment.ReplaceAllString(text, ""), "")
	if strings.Contains(text, "<") {
		text = outsideCode(text, fromHTML)
	}
	return outsideCode(text, func(text string) string {
		return inlineLink.ReplaceAllStringFunc(text, func(link string) string {
			m := inlineLink.FindStringSubmatch(link)
			address := shownAddress(m[3], base)
			switch {
			case address == "":
				return m[2]
			case strings.TrimSpace(m[2]) == "":
				return "<" + address + ">"
			}
			return m[1] + "[" + m[2] + "](" + address + ")"
		})
	})
}

// outsideCode changes a text except for code in it.
func outsideCode(text string, change func(string) string) string {
	var b strings.Builder
	at := 0
	for _, span := range codeSpan.FindAllStringIndex(text, -1) {
		b.WriteString(change(text[at:span[0]]))
		b.WriteString(text[span[0]:span[1]])
		at = span[1]
	}
	b.WriteString(change(text[at:]))
	return b.String()
}

// shownAddress returns the absolute address of a link, or "".
func shownAddress(address, base string) string {
	u, err := url.Parse(html.UnescapeString(address))
	if err != nil {
		return ""
	}
	if from, err := url.Parse(base); err == nil && from.IsAbs() && !u.IsAbs() {
		u = from.ResolveReference(u)
	}
	if u.User != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
		return ""
	}
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String())
}

// fromHTML returns a text whose tags have become Markdown.
func fromHTML(text string) string {
	text = htmlLink.ReplaceAllString(text, "[$2]($1)")
	text = htmlImage.ReplaceAllStringFunc(text, func(tag string) string {
		if m := altText.FindStringSubmatch(tag); m != nil {
			return m[1]
		}
		return ""
	})
	text = htmlHeading.ReplaceAllStringFunc(text, func(tag string) string {
		m := htmlHeading.FindStringSubmatch(tag)
		return "\n\n" + strings.Repeat("#", int(m[1][0]-'0')) + " " + strings.TrimSpace(m[2]) + "\n\n"
	})
	text = htmlItem.ReplaceAllString(htmlBreak.ReplaceAllString(text, "\n"), "\n- ")
	text = htmlCode.ReplaceAllString(htmlStrong.ReplaceAllString(text, "**"), "`")
	text = htmlBlock.ReplaceAllString(text, "\n\n")
	return htmlTag.ReplaceAllString(text, "")
}
