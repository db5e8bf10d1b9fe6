package canonical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// special finds what some version of YAML may not take for text: an indicator, a
// number, a day or a time at the beginning, and ends of keys and beginnings of
// comments further on.
var special = regexp.MustCompile("^[-?:,\\[\\]{}#&*!|>'\"%@`+0-9 ]|^\\.[0-9_]|: | #|[: ]$")

// words are the texts that some version of YAML takes for a truth value, null, a
// number or a key with a meaning, in lower case.
var words = []string{"", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "=", "<<"}

// isPlain reports whether every parser reads a text as that text where it stands
// without quotes. Within brackets, in flow style, fewer texts may. See YAML 1.1,
// sections 9.1.3 and 10.2, with the types of https://yaml.org/type/, and YAML 1.2,
// sections 7.3.3 and 10.3.2.
func isPlain(text string, flow bool) bool {
	return !special.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) && !(flow && strings.ContainsAny(text, ",[]{}?")) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}
