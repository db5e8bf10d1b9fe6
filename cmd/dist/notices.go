package main

import (
	"fmt"
	"slices"
	"strings"
)

// notices is the file with the licences and notices of all components.
const notices = "THIRD_PARTY_NOTICES.txt"

// writeNotices returns the licences and notices of all components: first a list, and then each text
// once, below the names of its components.
func writeNotices(version string, components []*component) []byte {
	var w strings.Builder
	_, _ = fmt.Fprintf(&w, "catalog %s contains works of others, under the licences below.\n\n", version)
	type source struct{ body, of string }
	var texts []source
	for _, c := range components {
		where := ""
		if len(c.parts) == 1 && c.parts["image"] {
			where = " (only in the container image)"
		}
		_, _ = fmt.Fprintf(&w, "%s %s: %s%s\n", c.title(), c.version, c.license, where)
		for _, t := range c.texts {
			of := fmt.Sprintf("%s %s, %s", c.title(), c.version, t.title)
			body := strings.Trim(t.body, "\n")
			if i := slices.IndexFunc(texts, func(s source) bool { return s.body == body }); i >= 0 {
				texts[i].of += "\n" + of
			} else {
				texts = append(texts, source{body, of})
			}
		}
	}
	for _, t := range texts {
		_, _ = fmt.Fprintf(&w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), t.of, t.body)
	}
	return []byte(w.String())
}

// title returns the name of a component as people know it.
func (c *component) title() string {
	switch c.name {
	case standard:
		return "The Go standard library"
	case scowl:
		return "The word lists of SCOWL"
	}
	return c.name
}
