package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// only returns the translation from a language, or none.
func only(list []index.Translation, code string) []index.Translation {
	for i := range list {
		if list[i].Code == code {
			return list[i : i+1]
		}
	}
	return nil
}

// The weights of a word that is in the table as it is, and of one that only shares a stem with a word
// there.
const (
	weightExact = 3
	weightStem  = 2
)

// translateAt returns the English of the longest phrase at the start of words, each of which a space follows, its
// number of words, or 0, and the weight of each. Filler is not another form of a word.
func translateAt(t *index.Translation, words string) (english string, n, weight int) {
	if phrase, english := t.Longest(words); phrase != "" {
		return english, strings.Count(phrase, " "), weightExact
	}
	word, _, _ := strings.Cut(words, " ")
	if t.IsFiller(word) {
		return "", 1, 0
	}
	if english = t.OfStem(word); english != "" {
		return english, 1, weightStem
	}
	return "", 0, 0
}

// accented returns the folded words of a text that are written with other letters than those of ASCII:
// they are not English, even if without accents they would be.
func accented(text string) map[string]bool {
	var words map[string]bool
	for _, word := range strings.Fields(token.Unelided(strings.ToLower(text))) {
		if !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
			continue
		}
		for _, folded := range token.Of(word) {
			if words == nil {
				words = map[string]bool{}
			}
			words[folded] = true
		}
	}
	return words
}

// translated is a text in English, and how much of it was translated.
type translated struct {
	*index.Translation
	text string
	// words is the weight of the words or, without spaces, the number of characters that mean something
	// in the language and nothing in English; filler is the number of words without a meaning of their own.
	words, filler int
	// accented is the part of words that only an accent tells from English ("résumé"), english the number of
	// English words that were not translated, and foreign the number of words of the language.
	accented, english, foreign int
}

// isMixed reports whether more of the words are English than of the language: "remove backgroud from fotos".
func (t *translated) isMixed() bool { return t.english > t.foreign+t.filler }

// isLikely reports whether the text was in the language: a few accents are no evidence in a text that is
// English otherwise.
func (t *translated) isLikely() bool {
	return t.words > 0 && t.text != "" && (t.words > t.accented || t.filler > 0 || t.english == 0)
}

// translate returns a query in English. ok is false if it does not seem to be in another language. known
// reports whether a folded word is common English, or a word of a listing; isDevice, whether a word
// is of the name of a device, which is not translated.
func translate(
	list []index.Translation, text string, known func(string) bool, isDevice func(words []string, i int) bool,
) (best translated, ok bool) {
	if len(list) == 0 {
		return best, false
	}
	folded, written := token.FoldForeign(text), accented(text)
	hasSpaces := !strings.ContainsFunc(folded, token.IsSpaceless)
	for i := range list {
		if list[i].Spaceless == hasSpaces {
			continue
		}
		t := translated{Translation: &list[i]}
		if hasSpaces {
			t.withSpaces(folded, known, written, isDevice)
		} else {
			t.withoutSpaces(folded)
		}
		if t.words > best.words || t.words == best.words && t.filler > best.filler {
			best = t
		}
	}
	return best, best.isLikely()
}

// isEnglish reports whether no word of a text is evidence of another language: all are known, and none was written
// with an accent.
func isEnglish(text string, known func(string) bool) bool {
	if len(accented(text)) > 0 {
		return false
	}
	is := true
	token.Each(token.FoldForeign(text), func(word string, _, _ int) { is = is && known(word) })
	return is
}

// isInLanguage reports whether a text seems to be in the language of the listings: no word is evidence against
// English, or one is a function word of another language, and not of English. The common words of English are not
// all known: short ones are not among them.
func (s *scratch) isInLanguage(text string) bool {
	if s.Language.IsEnglish {
		return isEnglish(text, func(w string) bool { return len(w) < index.ShortestEnglish || s.isKnown(w) })
	}
	ofEnglish := token.LanguageOf("en").FunctionWords
	return slices.ContainsFunc(s.Language.Of(text), func(w string) bool {
		return s.Language.FunctionWords[w] && !ofEnglish[w]
	})
}

// withSpaces translates a folded text of a language with spaces between words. The words of written had
// an accent.
func (t *translated) withSpaces(
	folded string, known func(string) bool, written map[string]bool, isDevice func(words []string, i int) bool,
) {
	var words []string
	var starts, ends []int
	token.Each(folded, func(word string, start, end int) {
		words, starts, ends = append(words, word), append(starts, start), append(ends, end)
	})
	var out strings.Builder
	copied := 0
	replace := func(from, to int, by string) {
		out.WriteString(folded[copied:starts[from]])
		out.WriteString(by)
		copied = ends[to-1]
	}
	i, rest := 0, index.Spaced(words)
	skip := func(n int) {
		for range n {
			rest = rest[len(words[i])+1:]
			i++
		}
	}
	for i < len(words) {
		english, n, weight := translateAt(t.Translation, rest)
		if n == 0 || weight > 0 && isDevice(words, i) {
			if n == 0 && !written[words[i]] && known(words[i]) {
				t.english++
			}
			skip(1)
			continue
		}
		replace(i, i+n, english)
		for _, word := range words[i : i+n] {
			switch {
			case known(word) && !written[word]:
			case t.IsFiller(word):
				t.filler++
			default:
				t.foreign++
				t.words += weight
				if known(word) {
					t.accented += weight
				}
			}
		}
		skip(n)
	}
	out.WriteString(folded[copied:])
	t.text = strings.Join(strings.Fields(out.String()), " ")
}

// withoutSpaces translates a folded text of a language without spaces between words. It leaves out
// the characters that it does not know.
func (t *translated) withoutSpaces(folded string) {
	var out strings.Builder
	for folded != "" {
		phrase, english := t.Longest(folded)
		if phrase != "" {
			out.WriteString(" " + english + " ")
			if english != "" {
				t.words += utf8.RuneCountInString(phrase)
			}
		} else {
			r, n := utf8.DecodeRuneInString(folded)
			if phrase = folded[:n]; token.IsSpaceless(r) {
				r = ' '
			}
			out.WriteRune(r)
		}
		folded = folded[len(phrase):]
	}
	t.text = strings.Join(strings.Fields(out.String()), " ")
}
