package canonical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// special matches texts that some version of YAML does not read as text: those that begin with an
// indicator, a number, a date or a time, or that contain something that ends a key or begins a
// comment.
var special = regexp.MustCompile("^[-?:,\\[\\]{}#&*!|>'\"%@`+0-9 ]|^\\.[0-9_]|: | #|[: ]$")

// words lists the texts, in lower case, that some YAML reader takes for a boolean, null, a number
// or a special key. Perl takes "inf" and "nan" for numbers, and yamljs takes "Infinity" for one.
var words = []string{"", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "inf",
	"infinity", "nan", "=", "<<"}

// isPlain reports whether every parser reads a text without quotes as that same text. Fewer texts
// are plain in flow style. See YAML 1.1, sections 9.1.3 and 10.2, with the types of
// https://yaml.org/type/, and YAML 1.2, sections 7.3.3 and 10.3.2.
func isPlain(text string, flow bool) bool {
	return !special.MatchString(text) && !numeric.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) &&
		!(flow && strings.ContainsAny(text, ",[]{}?")) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// numeric matches texts that some reader of YAML takes for a number or a time: 1_000, 12:30. The
// npm package yaml, in YAML 1.1 mode, reads E5 and a single point as NaN.
var numeric = regexp.MustCompile(`^[-+]?(0[xob][0-9A-Fa-f_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|[0-9_]*\.?[0-9_]+([eE][-+]?[0-9]+)?|\.|\.?[eE][-+]?[0-9]+)$`)

// Unquoted returns the unquoted texts of a parsed document that other parsers reject or read as
// something else. dates lists the paths of keys whose values are dates.
func Unquoted(doc *yaml.Node, dates []string) (texts []*yaml.Node) {
	var visit func(n *yaml.Node, path string, flow bool)
	visit = func(n *yaml.Node, path string, flow bool) {
		flow = flow || n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0
		plain := n.Kind == yaml.ScalarNode && n.Style == 0
		switch tag := n.ShortTag(); {
		case plain && tag == "!!timestamp" && !slices.Contains(dates, path),
			plain && tag == "!!str" && (slices.Contains(words, strings.ToLower(n.Value)) ||
				numeric.MatchString(n.Value) || flow && strings.Contains(n.Value, "?")):
			texts = append(texts, n)
		}
		for i, inner := range n.Content {
			at := path
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				at = strings.TrimPrefix(path+"."+n.Content[i-1].Value, ".")
			}
			visit(inner, at, flow)
		}
	}
	visit(doc, "", false)
	return texts
}
