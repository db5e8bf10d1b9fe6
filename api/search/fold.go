package search

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold brings text into the form in which it is compared: Unicode NFKC, lower
// case, no diacritics (contract 4). What is not a letter or a digit stays.
func Fold(s string) string {
	if isPlainASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(norm.NFKC.String(s))) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return norm.NFKC.String(b.String())
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// words splits folded text into its runs of letters and digits. An apostrophe
// within a word belongs to it and is dropped: "don't" is "dont".
func words(folded string) []string { return appendWords(nil, folded) }

// appendWords appends them.
func appendWords(list []string, folded string) []string {
	start := -1
	apostrophe := false
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := folded[start:end]
		if apostrophe {
			w = strings.NewReplacer("'", "", "’", "").Replace(w)
		}
		if w != "" {
			list = append(list, w)
		}
		start, apostrophe = -1, false
	}
	for i, r := range folded {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case (r == '\'' || r == '’') && start >= 0:
			apostrophe = true
		default:
			flush(i)
		}
	}
	flush(len(folded))
	return list
}

// tokens folds text and splits it into words.
func tokens(s string) []string { return words(Fold(s)) }

// compact folds a name and joins its words, so that "Open WebUI", "open-webui"
// and "OpenWebUI" become the same.
func compact(s string) string { return strings.Join(tokens(s), "") }

// Words returns the words of a text that are searched for: folded, without the
// function words of English.
func Words(text string) []string {
	return slices.DeleteFunc(tokens(text), func(w string) bool { return functionWords[w] })
}

// withoutTargets leaves the addresses of links out of Markdown: they name
// another page, and are no words of the text.
func withoutTargets(markdown string) string {
	if !strings.Contains(markdown, "](") {
		return markdown
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(markdown, "](")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte(']')
		_, markdown, _ = strings.Cut(after, ")")
	}
}
