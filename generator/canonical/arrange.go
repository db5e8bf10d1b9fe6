package canonical

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// document arranges a parsed text whose top value is a mapping.
func (f *Form) document(doc *yaml.Node) {
	root := doc.Content[0]
	f.arrange(root, "", false)
	if n := len(root.Content); n > 0 {
		first, last := root.Content[0], root.Content[n-2]
		move(&first.HeadComment, &doc.HeadComment, &root.HeadComment, &root.LineComment, &first.HeadComment)
		move(&last.FootComment, &last.FootComment, &root.FootComment, &doc.FootComment)
	}
}

// arrange orders the keys of a value, and gives all within it its style and every
// comment its place. path leads to the value. In flow style everything stands on one
// line, but where there are comments within.
func (f *Form) arrange(n *yaml.Node, path string, flow bool) {
	if n.Kind == yaml.ScalarNode {
		f.scalar(n, path, flow)
		return
	}
	flow = len(n.Content) == 0 || (flow || slices.Contains(f.Inline, path)) && !slices.ContainsFunc(n.Content, hasComment)
	if n.Tag, n.Style = "", 0; flow {
		n.Style = yaml.FlowStyle
	}
	switch n.Kind {
	case yaml.MappingNode:
		pairs := slices.Collect(slices.Chunk(slices.Clone(n.Content), 2))
		slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return slices.Compare(f.places(a[0].Value), f.places(b[0].Value)) })
		n.Content = slices.Concat(pairs...)
		for _, pair := range pairs {
			f.arrange(pair[1], strings.TrimPrefix(path+"."+pair[0].Value, "."), flow)
			text(pair[0], flow)
			placeComments(pair[0], pair[1])
		}
	case yaml.SequenceNode:
		for _, e := range n.Content {
			f.arrange(e, path, flow || e.Kind == yaml.MappingNode)
			placeComments(e, e)
		}
	}
}

// places returns where each part of a key stands among the keys. One that the form
// does not have comes last.
func (f *Form) places(key string) (places []int) {
	for part := range strings.SplitSeq(key, ".") {
		n := len(f.Keys) + 1
		places = append(places, (slices.Index(f.Keys, part)+n)%n)
	}
	return places
}

// hasComment reports whether there is a comment on a value, or within it.
func hasComment(n *yaml.Node) bool {
	comments, _ := gather(n)
	return len(comments) > 0
}

// scalar gives a scalar the style in which all parsers read it alike.
func (f *Form) scalar(n *yaml.Node, path string, flow bool) {
	switch n.ShortTag() {
	case "!!bool":
	case "!!null":
		n.Value = "null"
	case "!!int", "!!float":
		if number, err := strconv.ParseFloat(n.Value, 64); err == nil {
			n.Value = strconv.FormatFloat(number, 'f', -1, 64)
		}
	default:
		if _, err := time.Parse(time.DateOnly, n.Value); err != nil || !slices.Contains(f.Days, path) {
			text(n, flow)
			return
		}
	}
	n.Tag, n.Style = "", 0
}

// text gives a text its style.
func text(n *yaml.Node, flow bool) {
	n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	if isPlain(n.Value, flow) {
		n.Tag, n.Style = "", 0
		if flow {
			n.Value = strings.ReplaceAll(n.Value, ":", colon)
		}
	}
}

// placeComments gives the comments of an entry to the node that it begins with: a
// key, or the entry of a list itself. One line may stand behind the key or value.
func placeComments(begin, value *yaml.Node) {
	move(&begin.HeadComment, &begin.HeadComment, &value.HeadComment)
	move(&begin.FootComment, &begin.FootComment, &value.FootComment)
	behind := &begin.LineComment
	inline := value.Kind == yaml.ScalarNode || value.Style == yaml.FlowStyle
	if inline {
		behind = &value.LineComment
	}
	move(behind, &begin.LineComment, &value.LineComment)
	if strings.Contains(*behind, "\n") || begin == value && !inline {
		move(&begin.HeadComment, &begin.HeadComment, behind)
	}
}

// move joins comments in one place, without blank lines.
func move(to *string, from ...*string) {
	var all []string
	for _, comment := range from {
		all = append(all, lines(*comment)...)
		*comment = ""
	}
	*to = strings.Join(all, "\n")
}
