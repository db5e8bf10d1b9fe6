package strictyaml

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Encoding returns a problem if a text is not UTF-8, or if it has characters that no YAML or
// Markdown file may have. It counts lines from firstLine.
func Encoding(text []byte, firstLine int) (Problem, bool) {
	if len(text) >= 2 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff) {
		return Problem{firstLine, 1, "the file is UTF-16: save it as UTF-8"}, true
	}
	unseen := func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r) || r == 0xFFFE || r == 0xFFFF
	}
	if utf8.Valid(text) && !bytes.ContainsFunc(text, unseen) {
		return Problem{}, false
	}
	if !utf8.Valid(text) && bytes.IndexByte(text, 0) >= 0 {
		return Problem{firstLine, 1, "this is not a text file: replace it with one in UTF-8, or remove it"}, true
	}
	for i, l := range splitLines(text) {
		column := 0
		for j, r := range l {
			column++
			if _, size := utf8.DecodeRuneInString(l[j:]); r == utf8.RuneError && size == 1 {
				message := fmt.Sprintf("the file is not valid UTF-8: the byte here is 0x%02x; save the file as UTF-8",
					l[j])
				return Problem{firstLine + i, column, message}, true
			}
			if unseen(r) {
				message := fmt.Sprintf("there is an invisible character here (%U): remove it", r)
				return Problem{firstLine + i, column, message}, true
			}
		}
	}
	return Problem{}, false
}
