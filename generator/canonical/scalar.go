package canonical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// isSpecial reports whether some version of YAML does not read a text as text: it begins with an
// indicator, a number, a date or a time, or contains something that ends a key or begins a
// comment.
func isSpecial(text string) bool {
	return begins(text, "-?:,[]{}#&*!|>'\"%@`+0123456789 ") ||
		strings.HasPrefix(text, ".") && begins(text[1:], "0123456789_") ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") ||
		strings.HasSuffix(text, ":") || strings.HasSuffix(text, " ")
}

// begins reports whether a text begins with one of some ASCII characters.
func begins(text, characters string) bool {
	return text != "" && strings.IndexByte(characters, text[0]) >= 0
}

// words lists the texts, in lower case, that some YAML reader takes for a boolean, null, a number
// or a special key. Perl takes "inf" and "nan" for numbers, and yamljs takes "Infinity" for one.
var words = []string{"", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "inf",
	"infinity", "nan", "=", "<<"}

// isPlain reports whether every parser reads a text without quotes as that same text. Fewer texts
// are plain in flow style. See YAML 1.1, sections 9.1.3 and 10.2, with the types of
// https://yaml.org/type/, and YAML 1.2, sections 7.3.3 and 10.3.2.
func isPlain(text string, flow bool) bool {
	return !isSpecial(text) && !isNumeric(text) && !slices.Contains(words, strings.ToLower(text)) &&
		!(flow && strings.ContainsAny(text, ",[]{}?")) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// numeric matches texts that some reader of YAML takes for a number or a time: 1_000, 12:30. The
// npm package yaml, in YAML 1.1 mode, reads E5 and a single point as NaN.
var numeric = regexp.MustCompile(`^[-+]?(0[xob][0-9A-Fa-f_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|[0-9_]*\.?[0-9_]+([eE][-+]?[0-9]+)?|\.|\.?[eE][-+]?[0-9]+)$`)

// isNumeric reports whether a text matches numeric, which is slow.
func isNumeric(text string) bool {
	return begins(text, "-+.0123456789_eE") && numeric.MatchString(text)
}

// Unquoted returns the unquoted texts of a parsed value that other parsers reject or read as something
// else. dates lists the paths of keys whose values are dates.
func Unquoted(root *yaml.Node, dates []string) (texts []*yaml.Node) {
	var visit func(n *yaml.Node, path []string, flow bool)
	visit = func(n *yaml.Node, path []string, flow bool) {
		if n.Kind == yaml.ScalarNode {
			if n.Style == 0 && isMisread(n, path, flow, dates) {
				texts = append(texts, n)
			}
			return
		}
		flow = flow || n.Style&yaml.FlowStyle != 0
		for i, inner := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				visit(inner, append(path, n.Content[i-1].Value), flow)
			} else {
				visit(inner, path, flow)
			}
		}
	}
	visit(root, nil, false)
	return texts
}

// isMisread reports whether other parsers misread an unquoted text at a path.
func isMisread(n *yaml.Node, path []string, flow bool, dates []string) bool {
	switch n.ShortTag() {
	case "!!timestamp":
		return !slices.Contains(dates, strings.Join(path, "."))
	case "!!str":
		return len(n.Value) <= len("infinity") && slices.Contains(words, strings.ToLower(n.Value)) ||
			isNumeric(n.Value) ||
			flow && strings.Contains(n.Value, "?")
	}
	return false
}
