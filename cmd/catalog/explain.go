package main

import (
	"fmt"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
)

// maxEvidence is the number of places that are printed for each word.
const maxEvidence = 3

// formatExplanation says why each hit of an answer is at its position.
func formatExplanation(answer *api.SearchResponse, e search.Explanation) string {
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
		writeHit(&b, i+1, &answer.Hits[i], &e.Hits[i])
	}
	return b.String()
}

// writeHit writes the n-th hit and its explanation.
func writeHit(b *strings.Builder, n int, hit *api.Hit, h *search.ExplainedHit) {
	fmt.Fprintf(b, "\n%d. %s", n, hit.Slug)
	if hit.Match.Tier != nil {
		fmt.Fprintf(b, ": tier %s", *hit.Match.Tier)
	}
	if hit.Fit != nil {
		fmt.Fprintf(b, ", fit %s", hit.Fit.Verdict)
	}
	if h.Steps > 0 {
		fmt.Fprintf(b, ", grade %d of %d (0 is the best)", h.Grade, h.Steps)
	}
	b.WriteByte('\n')
	if hit.Match.Tier == nil {
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
