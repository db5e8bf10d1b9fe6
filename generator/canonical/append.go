package canonical

import (
	"errors"
	"slices"
	"strings"

	"catalog.example/generator/strictyaml"
	"go.yaml.in/yaml/v4"
)

// AppendEntries returns the text of a YAML list with more entries. It leaves the text as it is, and quotes new texts
// that some parser would read as another value.
func AppendEntries(before []byte, entries []*yaml.Node) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: entries}
	if _, values := commentsAndValues(list); strings.Contains(values, colon) {
		return nil, errors.New("an entry contains U+E000, a private-use character: remove it")
	}
	quote(list, false)
	added, err := dump(list)
	if err != nil {
		return nil, err
	}
	after := slices.Clone(before)
	if len(after) > 0 && after[len(after)-1] != '\n' {
		after = append(after, '\n')
	}
	after = append(after, added...)
	// Check the result, because the list may be written in another way, such as indented or in brackets.
	if n := count(before); n < 0 || count(after) != n+len(entries) {
		return nil, errors.New("entries cannot be added: write each entry as - slug: … at the beginning of a line")
	}
	return after, nil
}

// quote sets the style of the texts in a node that have none.
func quote(n *yaml.Node, flow bool) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" {
		text(n, flow)
	}
	for _, inner := range n.Content {
		quote(inner, flow || n.Style&yaml.FlowStyle != 0)
	}
}

// count returns the number of entries of a YAML list, 0 for an empty text, and -1 for anything else.
func count(text []byte) int {
	doc, problems := strictyaml.Parse(text, 1)
	switch {
	case len(problems) > 0:
	case doc.Root() == nil:
		return 0
	case doc.Root().Kind == yaml.SequenceNode:
		return len(doc.Root().Content)
	}
	return -1
}
