package api

import "strings"

// Link is the value of a fact of the kind link.
type Link struct {
	URL   string `json:"url" jsonschema:"Where it leads."`
	Label string `json:"label" jsonschema:"Link text."`
}

// linkForm is how front matter states a link.
const linkForm = "{label: The manual, url: https://example.org/manual}"

// SetShort implements strictyaml.Shorthand: an address stands for a link without a text of its own.
func (l *Link) SetShort(value any) (remedy string) {
	url, ok := value.(string)
	if !ok {
		return "write an address, or " + linkForm
	}
	l.URL = url
	return ""
}

// readLink gives a link without a text its address as text.
func readLink(_ *Fact, stated any) (any, []ValueProblem) {
	l := stated.(Link)
	if l.Label == "" {
		l.Label = Shorten(strings.TrimSuffix(strings.TrimPrefix(l.URL, "https://"), "/"), 80)
	}
	return l, nil
}

func (l Link) text(*Fact) string { return l.Label }

func (l Link) says(quote func(string) string) string { return quote(l.Label) + " " + l.URL }
