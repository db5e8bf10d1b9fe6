package canonical

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// document arranges a parsed text whose top-level value is a mapping.
func (f *Form) document(doc *yaml.Node) {
	root := doc.Content[0]
	f.arrange(root, "", false)
	if n := len(root.Content); n > 0 {
		first, last := root.Content[0], root.Content[n-2]
		joinComments(&first.HeadComment, &doc.HeadComment, &root.HeadComment, &root.LineComment, &first.HeadComment)
		joinComments(&last.FootComment, &last.FootComment, &root.FootComment, &doc.FootComment)
	}
}

// arrange orders the keys of the value at a path, sets its style, and places its comments. flow
// says whether to write the value on one line, which is possible only if it has no comments.
func (f *Form) arrange(n *yaml.Node, path string, flow bool) {
	if n.Kind == yaml.ScalarNode {
		f.scalar(n, path, flow)
		return
	}
	flow = len(n.Content) == 0 || (flow || slices.Contains(f.Inline, path)) && !slices.ContainsFunc(n.Content,
		hasComment)
	if n.Tag, n.Style = "", 0; flow {
		n.Style = yaml.FlowStyle
	}
	switch n.Kind {
	case yaml.MappingNode:
		pairs := slices.Collect(slices.Chunk(slices.Clone(n.Content), 2))
		slices.SortStableFunc(pairs,
			func(a, b []*yaml.Node) int { return slices.Compare(f.places(a[0].Value), f.places(b[0].Value)) })
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

// places returns the rank of each part of a key in the order of the form. Keys that the form does
// not list come last.
func (f *Form) places(key string) (places []int) {
	for part := range strings.SplitSeq(key, ".") {
		n := len(f.Keys) + 1
		places = append(places, (slices.Index(f.Keys, part)+n)%n)
	}
	return places
}

// hasComment reports whether there is a comment at or inside a value.
func hasComment(n *yaml.Node) bool {
	comments, _ := commentsAndValues(n)
	return len(comments) > 0
}

// scalar gives a scalar a style in which all parsers read it the same way.
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
		if !slices.Contains(f.Dates, path) || !isDate(n.Value) {
			text(n, flow)
			return
		}
	}
	n.Tag, n.Style = "", 0
}

// isDate reports whether a text is a day or a month.
func isDate(text string) bool {
	_, day := time.Parse(time.DateOnly, text)
	_, month := time.Parse("2006-01", text)
	return day == nil || month == nil
}

// text sets the style of a text.
func text(n *yaml.Node, flow bool) {
	n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	if isPlain(n.Value, flow) {
		n.Tag, n.Style = "", 0
		if flow {
			n.Value = strings.ReplaceAll(n.Value, ":", colon)
		}
	}
}

// placeComments moves the comments of an entry to its first node, which is a key or the list item
// itself. A comment of one line may follow the key or value.
func placeComments(begin, value *yaml.Node) {
	joinComments(&begin.HeadComment, &begin.HeadComment, &value.HeadComment)
	joinComments(&begin.FootComment, &begin.FootComment, &value.FootComment)
	behind := &begin.LineComment
	inline := value.Kind == yaml.ScalarNode || value.Style == yaml.FlowStyle
	if inline {
		behind = &value.LineComment
	}
	joinComments(behind, &begin.LineComment, &value.LineComment)
	if strings.Contains(*behind, "\n") || begin == value && !inline {
		joinComments(&begin.HeadComment, &begin.HeadComment, behind)
	}
}

// joinComments moves comments to one place, without blank lines.
func joinComments(to *string, from ...*string) {
	var all []string
	for _, comment := range from {
		all = append(all, lines(*comment)...)
		*comment = ""
	}
	*to = strings.Join(all, "\n")
}
