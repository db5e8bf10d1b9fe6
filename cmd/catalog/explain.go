package main

import (
	"fmt"
	"io"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
)

// maxEvidence is how many places are printed for each word.
const maxEvidence = 3

// printExplanation prints why each hit is where it is.
func printExplanation(w io.Writer, e search.Explanation, answer api.SearchResponse) error {
	if more, err := printWarnings(w, answer); err != nil || !more {
		return err
	}
	var b strings.Builder
	if len(e.Words) > 0 {
		b.WriteString("Words of the query and their weights:\n")
	}
	for _, word := range e.Words {
		fmt.Fprintf(&b, "  %-16s %.2f  %s", invisible.Escape(word.Text), word.Weight, word.Role)
		if word.Fact != "" {
			fmt.Fprintf(&b, ", or %s", invisible.Escape(word.Fact))
		}
		b.WriteByte('\n')
	}
	if e.Everyday {
		b.WriteString("No word is technical: listings for beginners rank higher.\n")
	}
	for i := range e.Hits {
		writeHit(&b, i+1, &e.Hits[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeHit writes the explanation of the n-th hit.
func writeHit(b *strings.Builder, n int, h *search.ExplainedHit) {
	fmt.Fprintf(b, "\n%d. %s", n, h.Slug)
	if h.Tier != "" {
		fmt.Fprintf(b, ": tier %s", h.Tier)
	}
	if h.Fit != "" {
		fmt.Fprintf(b, ", fit %s", h.Fit)
	}
	if h.Steps > 0 {
		fmt.Fprintf(b, ", grade %d of %d (0 is the best)", h.Grade, h.Steps)
	}
	b.WriteByte('\n')
	if h.Tier == "" {
		return
	}
	fmt.Fprintf(b, "   quality %.3f: %.3f by itself, %.3f from its category\n", h.Quality, h.Own, h.Category)
	for _, word := range h.Words {
		fmt.Fprintf(b, "   %-16s %.2f", invisible.Escape(word.Word), word.Strength)
		if len(word.Evidence) == 0 {
			b.WriteString("  missing")
		}
		for k, e := range word.Evidence[:min(len(word.Evidence), maxEvidence)] {
			if k > 0 {
				fmt.Fprintf(b, "\n   %21s", "")
			}
			fmt.Fprintf(b, "  %s", e.Kind)
			if e.Field != "" {
				fmt.Fprintf(b, " in %s", e.Field)
			}
			fmt.Fprintf(b, " %.2f: %s", e.Strength, invisible.Escape(e.Text))
		}
		if more := len(word.Evidence) - maxEvidence; more > 0 {
			fmt.Fprintf(b, "\n   %21s  and %d more", "", more)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "   arrangement      %.2f", h.Arrangement)
	for _, note := range []struct {
		is   bool
		text string
	}{
		{h.Close, "one text has every required word"}, {h.Hints > 0, fmt.Sprintf("suggested facts: %d", h.Hints)},
		{h.Suits, "for beginners"}, {h.Unmet, "does not meet a requirement"},
		{h.Unwanted, "is the product that the query wants to replace"},
	} {
		if note.is {
			b.WriteString("; " + note.text)
		}
	}
	b.WriteByte('\n')
}
