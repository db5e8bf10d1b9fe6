// Package notation reads dates, numbers, amounts of money, places, and other values as people write them in lists.
// What a function cannot read, it returns as wrong: the end of a sentence about the text.
package notation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table returns the words between commas in each line of a text, except in remarks, which begin with #.
func table(text string) (lines [][]string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Split(strings.TrimSpace(line), ", "))
		}
	}
	return lines
}

// YesNo reads a yes or no.
func YesNo(text string) (yesNo, wrong string) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "yes", "y", "true", "t", "1", "x", "✓", "✔", "✔️", "✅", "on", "ja", "oui", "sí", "si":
		return "true", ""
	case "no", "n", "false", "f", "0", "-", "–", "—", "✗", "✘", "❌", "off", "nein", "non":
		return "false", ""
	}
	return "", "it is neither yes nor no"
}

var (
	sentenceEnd = regexp.MustCompile(`。|([^\s]*[.!?…])[)"'”’\]]* `)
	// abbreviation matches a word that ends with a full stop, but no sentence: an initial, or one of these.
	abbreviation = regexp.MustCompile(`(?i)^(.|e\.g|i\.e|etc|vs|incl|approx|inc|ltd|dr|mr|st|no)\.$`)
)

// FirstSentence returns the first sentence of a text, on one line.
func FirstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, m := range sentenceEnd.FindAllStringSubmatchIndex(text, -1) {
		next, _ := utf8.DecodeRuneInString(text[m[1]:])
		if m[2] < 0 || !unicode.IsLower(next) && !abbreviation.MatchString(text[m[2]:m[3]]) {
			return strings.TrimSpace(text[:m[1]])
		}
	}
	return text
}
