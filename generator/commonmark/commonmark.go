// Package commonmark writes untrusted texts, addresses, code and Markdown as safe CommonMark
// (0.31). Text, addresses and code cannot begin a heading, a link or HTML.
//
// It escapes only characters that would be markup, because agents read the source. It leaves out
// invisible characters (package invisible).
//
// Shown and Line read Markdown that was written for another program.
package commonmark

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api/invisible"
)

// Text returns a text as one line of Markdown, for the beginning of a block or inside one. It
// collapses white space.
func Text(text string) string {
	text = strings.TrimSpace(text)
	if isPlain(text) {
		return text
	}
	return escapeStart(strings.TrimSpace(string(appendText(make([]byte, 0, len(text)+8), text))))
}

// plainBytes says which bytes a text that needs no escaping may have, and which of them it may begin with.
var plainBytes, plainStarts = func() (all, starts [256]bool) {
	for _, c := range []byte(`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,.;/'"?%(`) {
		all[c], starts[c] = true, true
	}
	for _, c := range []byte(" 0123456789-+=#):") {
		all[c] = true
	}
	return all, starts
}()

// isPlain reports whether a text needs no escaping. This is true of most texts.
func isPlain(text string) bool {
	for i := range len(text) {
		if !plainBytes[text[i]] {
			return false
		}
	}
	return text == "" || plainStarts[text[0]] && !strings.Contains(text, "  ")
}

// appendText appends a text as Markdown inside a block. It collapses each run of white space, also
// at the ends, to one space.
func appendText(dst []byte, text string) []byte {
	text = invisible.Remove(text)
	size := 0
	for i := 0; i < len(text); i += size {
		if size = 1; isWord(text[i]) {
			dst = append(dst, text[i])
			continue
		}
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		c := text[i : i+size]
		switch {
		case unicode.IsSpace(r) && !strings.ContainsRune("\u00a0\u202f\u2009", r): // spaces used in numbers
			dst = appendSpace(dst)
			continue
		case strings.ContainsRune("\\`*[]", r),
			r == '_' && !insideWord(text, i),
			r == '@' && insideWord(text, i), // otherwise ai@7.0.77 would become an email address
			r == '~' && (strings.HasPrefix(text[i+1:], "~") || strings.HasSuffix(text[:i], "~")):
			dst = append(dst, '\\')
		case r == '<':
			c = "&lt;"
		case r == '&' && i+1 < len(text) && (text[i+1] == '#' || isLetter(text[i+1])):
			c = "&amp;"
		}
		dst = append(dst, c...)
	}
	return dst
}

// escapeStart returns a line of Markdown that is safe at the beginning of a block. It escapes
// characters that would begin a heading, a list, a quotation or a table, or underline a heading.
func escapeStart(line string) string {
	if line == "" {
		return line
	}
	marks := func(end int) bool { return end == len(line) || line[end] == ' ' } // whether a list marker ends here
	switch line[0] {
	case '#', '=', '>', '|', ':':
		return `\` + line
	case '-', '+':
		if marks(1) || line[1] == '-' {
			return `\` + line
		}
	}
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')') && marks(digits+1) {
		return line[:digits] + `\` + line[digits:]
	}
	return line
}

func appendSpace(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ' ' {
		return dst
	}
	return append(dst, ' ')
}

// insideWord reports whether the byte at i is between letters or digits. There, an at sign is
// markup, but an underscore is not.
func insideWord(text string, i int) bool {
	return i > 0 && i+1 < len(text) && isWord(text[i-1]) && isWord(text[i+1])
}

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Link returns a link. The address must already have been checked. Characters that would end the
// link are percent-encoded.
func Link(text, address string) string {
	return "[" + Text(text) + "](" + Address(address) + ")"
}

// Address returns an address for use in a link or a text. Characters that would end a link or be
// markup are percent-encoded (RFC 3986, section 2.1).
func Address(address string) string {
	special := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>[]\\\"`*|", r) }
	if !strings.ContainsFunc(address, special) {
		return address
	}
	var out []byte
	for _, c := range []byte(address) {
		if special(rune(c)) {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// Code returns a text as a code span of one line.
func Code(text string) string {
	text = strings.Join(strings.FieldsFunc(invisible.Remove(text), unicode.IsSpace), " ")
	if text == "" {
		return ""
	}
	fence := fenceOf(text, 1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Fence returns a code block. language may be ""; it is left out unless it is a single word.
func Fence(language, code string) string {
	if strings.ContainsFunc(language, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+-#.", r)
	}) {
		language = ""
	}
	// A lone carriage return also ends a line. The text after it would then be outside the
	// quotation or list that contains the block.
	code = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(code)
	code = strings.TrimRight(invisible.Remove(code), "\n")
	fence := fenceOf(code, 3)
	return fence + language + "\n" + code + "\n" + fence
}

// fenceOf returns backticks for a fence: at least least, and more than the text has in a row.
func fenceOf(text string, least int) string {
	fence := strings.Repeat("`", least)
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
