// Package token turns texts into the words that a search compares: folded, without accents. A Language knows
// function words and stems.
package token

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns the form of a text that is compared: Unicode NFKC, lower case, no diacritics. It
// keeps characters other than letters and digits.
func Fold(s string) string {
	if isPlainASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range decomposed(strings.ToLower(composed(s))) {
		if !isDiacritic(r) {
			b.WriteRune(r)
		}
	}
	return composed(b.String())
}

// FoldForeign folds a text as in languages other than English: an apostrophe ends a word, and ß is ss.
func FoldForeign(text string) string { return Unelided(Fold(text)) }

// Unelided returns a text with a space for each apostrophe, and ss for ß.
func Unelided(text string) string { return unelided.Replace(text) }

var unelided = strings.NewReplacer("'", " ", "’", " ", "ß", "ss")

// optionalMarks lists the scripts whose nonspacing marks are optional: accents (inherited from the
// letter before), Hebrew points, Arabic vowel signs. In other scripts, such as Devanagari, Bengali,
// Tamil and Thai, a mark makes a different word.
var optionalMarks = []*unicode.RangeTable{
	unicode.Inherited, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic,
}

// The marks of voiced kana: with one, か becomes が, a different letter.
const (
	dakuten    = '\u3099'
	handakuten = '\u309a'
)

// isDiacritic reports whether Fold removes a rune of decomposed text: an optional mark, or
// a joiner, which only affects how letters are drawn.
func isDiacritic(r rune) bool {
	if unicode.Is(unicode.Join_Control, r) {
		return true
	}
	return unicode.Is(unicode.Mn, r) && unicode.In(r, optionalMarks...) && r != dakuten && r != handakuten
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// meanWordLength is the mean length in bytes of a word and the space after it.
const meanWordLength = 6

// Append appends the words of folded text.
func Append(list []string, folded string) []string {
	Each(folded, func(word string, _, _ int) { list = append(list, word) })
	return list
}

// Each visits the words of folded text, which are runs of letters and digits with their marks. A
// word takes up the bytes from start to end. An apostrophe does not end a word, and is removed:
// "don't" becomes "dont". So is the hyphen of "e-mail". The names C#, C++, .NET and the like are words
// with their signs.
func Each(folded string, visit func(word string, start, end int)) {
	start := -1
	hasInner := false // apostrophes or a hyphen, which are removed
	flush := func(end int) {
		if start < 0 {
			return
		}
		start, end = withSigns(folded, start, end)
		w := folded[start:end]
		if hasInner {
			w = inner.Replace(w)
		}
		if w != "" {
			visit(w, start, end)
		}
		start, hasInner = -1, false
	}
	for i, r := range folded {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case unicode.In(r, unicode.Mn, unicode.Mc) && start >= 0:
		case (r == '\'' || r == '’') && start >= 0:
			hasInner = true
		case r == '-' && start >= 0 && folded[start:i] == "e" && beginsWord(folded[i+1:]):
			hasInner = true
		default:
			flush(i)
		}
	}
	flush(len(folded))
}

// inner removes apostrophes and hyphens.
var inner = strings.NewReplacer("'", "", "’", "", "-", "")

// withSigns returns where the word at folded[start:end] begins and ends with the signs that belong to
// it: # or ++ behind a single letter (C#, F#, C++, g++), and the full stop of .NET.
func withSigns(folded string, start, end int) (int, int) {
	word, behind := folded[start:end], folded[end:]
	if len(word) == 1 && 'a' <= word[0] && word[0] <= 'z' {
		for _, sign := range []string{"#", "++"} {
			if rest, ok := strings.CutPrefix(behind, sign); ok && !beginsWord(rest) {
				return start, end + len(sign)
			}
		}
	}
	before, ok := strings.CutSuffix(folded[:start], ".")
	if ok && word == "net" && !endsWithWord(before) {
		return start - 1, end
	}
	return start, end
}

// beginsWord reports whether a text begins with a letter or digit.
func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// endsWithWord reports whether a text ends with a letter or digit.
func endsWithWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Of returns the folded words of a text.
func Of(text string) []string {
	folded := Fold(text)
	return Append(make([]string, 0, 1+len(folded)/meanWordLength), folded)
}

// Join folds a name and joins its words, so that "Open WebUI", "open-webui"
// and "OpenWebUI" become the same.
func Join(s string) string { return strings.Join(Of(s), "") }

// Sentences returns the sentences and lines of a text.
func Sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(text) {
			isStop := text[i] == '.' || text[i] == '?' || text[i] == '!'
			if text[i] == '\n' || isStop && i+1 < len(text) && text[i+1] == ' ' {
				if !yield(text[start:i]) {
					return
				}
				start = i + 1
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}
