package token

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Language is what the language of a catalogue decides about the comparison of words.
type Language struct {
	// IsEnglish says whether it is English. A search knows more English words than FunctionWords.
	IsEnglish bool
	// FunctionWords has the folded words that have no meaning of their own in a query.
	FunctionWords map[string]bool
	// elides means that an apostrophe ends a word, as in "l'oiseau".
	elides bool
	// isSpaceless means that the language has no spaces between words, so that pairs of neighbouring
	// characters are compared.
	isSpaceless bool
	stemmer     stemmer
}

// stemmer finds stems by an algorithm of Snowball.
type stemmer struct {
	stem func(*snowballstem.Env) bool // nil for none
	// accents are pairs of an ending as Fold leaves it, and with the accent that the algorithm expects.
	accents []string
	// exceptions maps words to the stems that they have in place of those of the algorithm.
	exceptions map[string]string
}

// LanguageOf returns the language of a tag, such as "en" or "pt-BR" (BCP 47). The words of a language without
// a stemmer are compared as they are written. The tag "" is that of English.
func LanguageOf(tag string) *Language {
	base, _, _ := strings.Cut(strings.ToLower(cmp.Or(tag, "en")), "-")
	return &Language{
		IsEnglish: base == "en", FunctionWords: Set(Fold(functionWords[base])), stemmer: stemmers[base],
		elides: base == "fr" || base == "it", isSpaceless: base == "zh" || base == "ja" || base == "th",
	}
}

// Append appends the words of folded text.
func (l *Language) Append(list []string, folded string) []string {
	l.Each(folded, func(word string, _, _ int) { list = append(list, word) })
	return list
}

// Each visits the words of folded text, as the function Each does. In a language without spaces, it visits each
// pair of neighbouring characters instead. A pair that another follows takes up only its first character.
func (l *Language) Each(folded string, visit func(word string, start, end int)) {
	if l.elides {
		folded = elided.Replace(folded)
	}
	if !l.isSpaceless {
		Each(folded, visit)
		return
	}
	Each(folded, func(word string, start, end int) {
		if len(word) < end-start { // it had an apostrophe or a hyphen
			visit(word, start, end)
			return
		}
		eachPair(word, func(from, to, end int) { visit(word[from:to], start+from, start+end) })
	})
}

// elided replaces apostrophes with as many bytes.
var elided = strings.NewReplacer("'", " ", "’", "   ")

// eachPair visits the pairs of neighbouring characters of a script without spaces, and the rest of a word in one
// piece. A part of the word goes from from to to, and takes up the bytes until end.
func eachPair(word string, visit func(from, to, end int)) {
	var starts []int // of characters, which include their marks
	for i, r := range word {
		if !unicode.In(r, unicode.Mn, unicode.Mc) {
			starts = append(starts, i)
		}
	}
	n, starts := len(starts), append(starts, len(word))
	isPaired := func(i int) bool {
		r, _ := utf8.DecodeRuneInString(word[starts[i]:])
		return IsSpaceless(r)
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && isPaired(to) == isPaired(from) {
			to++
		}
		last := to - 2
		if !isPaired(from) || last < from {
			visit(starts[from], starts[to], starts[to])
		} else {
			for i := from; i < last; i++ {
				visit(starts[i], starts[i+2], starts[i+1])
			}
			visit(starts[last], starts[to], starts[to])
		}
		from = to
	}
}

// IsSpaceless reports whether a character is of a script without spaces between words.
func IsSpaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || r == 'ー' // of no script
}

// IsHalf reports whether a word is a single character of a script without spaces, which is half of each pair that has
// it.
func (l *Language) IsHalf(word string) bool {
	if !l.isSpaceless {
		return false
	}
	r, size := utf8.DecodeRuneInString(word)
	isMark := func(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Mc) }
	return IsSpaceless(r) && strings.TrimLeftFunc(word[size:], isMark) == ""
}

// Join joins the words of a text, so that it does not matter how they were separated: see the function Join.
func (l *Language) Join(words []string) string {
	if !l.isSpaceless {
		return strings.Join(words, "")
	}
	var joined strings.Builder
	for i, word := range words {
		if i > 0 {
			_, size := utf8.DecodeLastRuneInString(words[i-1])
			shared := words[i-1][len(words[i-1])-size:]
			if r, _ := utf8.DecodeRuneInString(shared); IsSpaceless(r) {
				word = strings.TrimPrefix(word, shared)
			}
		}
		joined.WriteString(word)
	}
	return joined.String()
}

// Of returns the folded words of a text.
func (l *Language) Of(text string) []string {
	folded := Fold(text)
	return l.Append(make([]string, 0, 1+len(folded)/meanWordLength), folded)
}

// Content returns the folded words of a text without function words.
func (l *Language) Content(text string) []string {
	return slices.DeleteFunc(l.Of(text), func(w string) bool { return l.FunctionWords[w] })
}

// Stem returns the stem of a folded word.
func (l *Language) Stem(word string) string {
	s := &l.stemmer
	if s.stem == nil {
		return word
	}
	if stem, ok := s.exceptions[word]; ok {
		return stem
	}
	for pair := range slices.Chunk(s.accents, 2) {
		if root, ok := strings.CutSuffix(word, pair[0]); ok {
			word = root + pair[1]
			break
		}
	}
	env := snowballstem.NewEnv(word)
	s.stem(env)
	if l.IsEnglish {
		return env.Current()
	}
	return Fold(env.Current())
}

// Stems returns the stem of each word.
func (l *Language) Stems(list []string) []string {
	stems := make([]string, len(list))
	for i, w := range list {
		stems[i] = l.Stem(w)
	}
	return stems
}

// Set returns a set of the words in a text.
func Set(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
