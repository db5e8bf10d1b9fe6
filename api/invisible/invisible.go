// Package invisible finds invisible characters. They can hide text from people while programs
// and models still read it.
//
// Its functions take a text, and return the positions of such characters, the text without
// them, or the text with escapes for a terminal. The tables are those of package unicode.
package invisible

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Is reports whether a character is invisible: a control other than white space, a format
// character, or a Default_Ignorable_Code_Point (Unicode DerivedCoreProperties), such as
// changes of direction, fillers, joiners, variation selectors and tags.
func Is(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' ' && !unicode.IsSpace(r)
	case r < 0xa0:
		return r != 0x85 // next line (NEL), which is white space
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r) // such as the Arabic number sign, which is visible
}

const (
	nonJoiner     = 0x200c
	joiner        = 0x200d
	emojiSelector = 0xfe0f
	keycap        = 0x20e3
)

// Find returns the invisible characters of a text that can be removed, with their byte
// positions. It omits those that the text needs: single joiners within words of scripts
// that use them and between emoji, and the selector that shows a symbol as an emoji.
func Find(text string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		before := rune(0)
		for i, r := range text {
			if r >= ' ' && r < 0x7f {
				before = r
				continue
			}
			if Is(r) && !isNeeded(before, r, text[i+utf8.RuneLen(r):]) {
				if !yield(i, r) {
					return
				}
				r = 0
			}
			before = r
		}
	}
}

// isNeeded reports whether the text needs the invisible character r between the character
// before it (0 if that one is removed) and the rest.
func isNeeded(before, r rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case nonJoiner:
		return isJoining(before) && isJoining(after)
	case joiner:
		return isJoining(before) && isJoining(after) ||
			(unicode.Is(emoji, before) || before == emojiSelector) && unicode.Is(emoji, after)
	case emojiSelector:
		return unicode.Is(emoji, before) || after == keycap && (before >= '0' && before <= '9' || before == '#' ||
			before == '*')
	}
	return false
}

// isJoining reports whether a character is a letter or mark whose shape a joiner changes.
func isJoining(r rune) bool {
	return r >= 0x600 && unicode.In(r, joiningScripts...) && unicode.In(r, unicode.Letter, unicode.Mark) && !Is(r)
}

// joiningScripts are the scripts that use joiners (Unicode 15, sections 9.2 and 12.1), and
// the vowel signs of Arabic, which belong to no script.
var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar,
	unicode.Khmer,
	{R16: []unicode.Range16{{Lo: 0x64b, Hi: 0x655, Stride: 1}, {Lo: 0x670, Hi: 0x670, Stride: 1}}},
}

// emoji holds the blocks that contain emoji (Unicode emoji-data.txt), including the other arrows
// and signs in these blocks.
var emoji = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0xa9, Hi: 0xa9, Stride: 1}, {Lo: 0xae, Hi: 0xae, Stride: 1}, {Lo: 0x203c, Hi: 0x203c, Stride: 1},
		{Lo: 0x2049, Hi: 0x2049, Stride: 1}, {Lo: 0x2122, Hi: 0x2122, Stride: 1}, {Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2194, Hi: 0x21aa, Stride: 1}, {Lo: 0x231a, Hi: 0x23fa, Stride: 1}, {Lo: 0x24c2, Hi: 0x24c2, Stride: 1},
		{Lo: 0x25aa, Hi: 0x27bf, Stride: 1}, {Lo: 0x2934, Hi: 0x2935, Stride: 1}, {Lo: 0x2b05, Hi: 0x2b55, Stride: 1},
		{Lo: 0x3030, Hi: 0x3030, Stride: 1}, {Lo: 0x303d, Hi: 0x303d, Stride: 1}, {Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32:         []unicode.Range32{{Lo: 0x1f000, Hi: 0x1faff, Stride: 1}},
	LatinOffset: 2,
}

// Remove returns a text without the characters that Find finds. If there are any, it also replaces
// invalid UTF-8, so that stray bytes on both sides of a removed character cannot form a new one.
func Remove(text string) string {
	found := false
	for range Find(text) {
		found = true
		break
	}
	if !found {
		return text
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	var kept strings.Builder
	start := 0
	for i, r := range Find(text) {
		kept.WriteString(text[start:i])
		start = i + utf8.RuneLen(r)
	}
	kept.WriteString(text[start:])
	return kept.String()
}

// Escape returns a text for one line of a terminal. Characters that Find finds, line breaks,
// tabs and bytes that are not UTF-8 become escapes such as \n, \x1b or \u202e.
func Escape(text string) string { return escape(text, "") }

// EscapeLines is Escape for several lines: it keeps line breaks and tabs.
func EscapeLines(text string) string { return escape(text, "\n\t") }

func escape(text, allowed string) string {
	invisible := map[int]bool{}
	for i := range Find(text) {
		invisible[i] = true
	}
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && text[i] != "\ufffd"[0]:
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case strings.ContainsRune(allowed, r):
			out.WriteRune(r)
		case invisible[i], unicode.IsControl(r), r == 0x2028, r == 0x2029: // the line and paragraph separators
			quoted := fmt.Sprintf("%+q", r)
			out.WriteString(quoted[1 : len(quoted)-1])
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
