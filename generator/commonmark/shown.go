package commonmark

import (
	"html"
	"net/url"
	"regexp"
	"strings"

	"catalog.example/api/invisible"
)

var (
	fence      = regexp.MustCompile("^ {0,3}(```+|~~~+)\\s*([A-Za-z0-9_+#.-]*)([^`]*)$")
	blankLines = regexp.MustCompile(`\n([ \t]*\n)+`)
	// inlineLink matches a link or a picture, and codeSpan code in a line.
	inlineLink = regexp.MustCompile(`(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]` +
		`\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(\s+["'][^)]*["'])?\s*\)`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
	atxHeading = regexp.MustCompile(`(?m)^(#{1,6})[ \t]+(.*?)([ \t]*\{#[^}\n]*\}[ \t]*)?$`)
	notShown   = regexp.MustCompile(`<!--[\s\S]*?(-->|$)|\{\{[<%][\s\S]*?[%>]\}\}`)
)

// htmlRules says what becomes of HTML, in order. The last one removes other tags, and keeps addresses in angle
// brackets.
var htmlRules = []struct {
	html     *regexp.Regexp
	markdown string
}{
	{regexp.MustCompile(`(?i)<a\s[^>]*href\s*=\s*["']?([^"'\s>]+)[^>]*>([\s\S]*?)</a>`), "[$2]($1)"},
	{regexp.MustCompile(`(?i)<img\s[^>]*?\balt\s*=\s*"([^"]*)"[^>]*>`), "$1"},
	{regexp.MustCompile(`(?i)<h[1-6][^>]*>\s*([\s\S]*?)\s*</h[1-6]>`), "\n\n## $1\n\n"},
	{regexp.MustCompile(`(?i)<br\s*/?>`), "\n"},
	{regexp.MustCompile(`(?i)\s*<li[^>]*>\s*`), "\n- "},
	{regexp.MustCompile(`(?i)</?(b|strong)(\s[^>]*)?>`), "**"},
	{regexp.MustCompile(`(?i)</?(code|kbd)(\s[^>]*)?>`), "`"},
	{regexp.MustCompile(`(?i)</?(p|div|ul|ol|section|article|table|tr|details|summary|center)\b[^>]*>`), "\n\n"},
	{regexp.MustCompile(`</?[a-zA-Z][a-zA-Z0-9-]*(\s[^<>]*)?/?>`), ""},
}

// Shown returns Markdown that pages show in full. HTML becomes Markdown, comments and shortcodes go,
// relative links are resolved against base or become plain text, and headings begin at the second level.
func Shown(text, base string) string {
	text = invisible.Remove(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text))
	var parts []string // prose and blocks of code by turns
	var part []string  // its lines
	closing := ""
	end := func(last string) {
		parts, part = append(parts, strings.Join(append(part, last), "")), nil
	}
	for line := range strings.Lines(text + "\n") {
		switch m := fence.FindStringSubmatch(strings.TrimSuffix(line, "\n")); {
		case closing == "" && m != nil:
			end("")
			closing, part = m[1], []string{m[1] + strings.ToLower(m[2]) + "\n"}
		case m != nil && strings.HasPrefix(m[1], closing) && m[2]+strings.TrimSpace(m[3]) == "":
			end(closing + "\n")
			closing = ""
		default:
			part = append(part, line)
		}
	}
	end(closing)
	top := 6 // the highest level of a heading
	for i := 0; i < len(parts); i += 2 {
		parts[i] = shownProse(parts[i], base)
		for _, m := range atxHeading.FindAllStringSubmatch(parts[i], -1) {
			top = min(top, len(m[1]))
		}
	}
	for i := 0; i < len(parts); i += 2 {
		prose := blankLines.ReplaceAllString("\n"+parts[i], "\n\n")[1:] // a line ends before it
		parts[i] = atxHeading.ReplaceAllStringFunc(prose, func(heading string) string {
			m := atxHeading.FindStringSubmatch(heading)
			return strings.Repeat("#", min(len(m[1])-top+2, 6)) + " " + m[2]
		})
	}
	return strings.TrimSpace(strings.Join(parts, ""))
}

// shownProse returns Markdown outside code blocks as pages can show it.
func shownProse(text, base string) string {
	text = notShown.ReplaceAllString(text, "")
	if strings.Contains(text, "<") {
		text = outsideCode(text, func(text string) string {
			for _, rule := range htmlRules {
				text = rule.html.ReplaceAllString(text, rule.markdown)
			}
			return text
		})
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

var (
	markdownImage = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	markdownLink  = regexp.MustCompile(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`)
	anyTag        = regexp.MustCompile(`</?[a-zA-Z][^<>]*>|<!--[\s\S]*?-->`)
	emphasis      = regexp.MustCompile("(\\*\\*|__|~~|`+)([^*_~`]+)(\\*\\*|__|~~|`+)")
	startMarks    = regexp.MustCompile(`(?m)^\s{0,3}(#{1,6}|[-*+>]|\d+\.)\s+`)
)

// Line returns the text that people see of Markdown or HTML, on one line.
func Line(text string) string {
	text = markdownLink.ReplaceAllString(markdownImage.ReplaceAllString(text, "$1"), "$1")
	text = emphasis.ReplaceAllString(startMarks.ReplaceAllString(anyTag.ReplaceAllString(text, " "), ""), "$2")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}
