package canonical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// special matches texts that some version of YAML does not read as text: those that begin
// with an indicator, number, date or time, or that contain the end of a key or the beginning
// of a comment.
var special = regexp.MustCompile("^[-?:,\\[\\]{}#&*!|>'\"%@`+0-9 ]|^\\.[0-9_]|: | #|[: ]$")

// words are the texts, in lower case, that some version of YAML reads as a boolean, null, a
// number or a special key.
var words = []string{"", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "=", "<<"}

// isPlain reports whether every parser reads a text without quotes as that text. In flow
// style, fewer texts are plain. See YAML 1.1, sections 9.1.3 and 10.2, with the types of
// https://yaml.org/type/, and YAML 1.2, sections 7.3.3 and 10.3.2.
func isPlain(text string, flow bool) bool {
	return !special.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) && !(flow && strings.ContainsAny(text, ",[]{}?")) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}
