package query

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// translator reads queries in other languages as English ones, word by word, by the tables of the
// taxonomy.
type translator []translation

// translation has the tables of a language, which are made when a query is first read in that language.
type translation struct {
	*api.Language
	once sync.Once
	// A language with spaces between words has these. words maps phrases to English ones.
	words phraseTable[string]
	// forms maps single words to English ones, without each of the endings that they have.
	forms map[string]string
	// filler has the words without a meaning of their own.
	filler map[string]bool
	// Other languages have these. spaceless maps phrases to English ones, and filler to "". longest is
	// the length in bytes of the longest.
	spaceless map[string]string
	longest   int
}

func newTranslator(languages []api.Language) translator {
	list := make(translator, len(languages))
	for i := range languages {
		list[i].Language = &languages[i]
	}
	return list
}

func (t *translation) make() {
	if t.Spaceless {
		t.fillSpaceless()
	} else {
		t.fill()
	}
}

// only returns the tables of a language.
func (list translator) only(code string) translator {
	for i := range list {
		if list[i].Code == code {
			return list[i : i+1]
		}
	}
	return nil
}

func (t *translation) fillSpaceless() {
	t.spaceless = make(map[string]string, len(t.Filler)+len(t.Words))
	add := func(phrase, english string) {
		t.spaceless[phrase], t.longest = english, max(t.longest, len(phrase))
	}
	for _, word := range foldAll(t.Filler) {
		add(word, "")
	}
	phrases := slices.Sorted(maps.Keys(t.Words)) // two may be the same when folded
	for i, folded := range foldAll(phrases) {
		add(folded, t.Words[phrases[i]])
	}
}

func (t *translation) fill() {
	t.words = newPhraseTable[string]()
	t.forms, t.filler = make(map[string]string, len(t.Words)), make(map[string]bool, len(t.Filler))
	for _, word := range foldAll(t.Filler) {
		t.filler[word] = true
	}
	phrases := slices.Sorted(maps.Keys(t.Words))
	for i, folded := range foldAll(phrases) {
		english, words := t.Words[phrases[i]], token.Append(nil, folded)
		t.words.add(words, english)
		if len(words) != 1 {
			continue
		}
		for stem := range t.stems(words[0]) {
			if _, known := t.forms[stem]; !known {
				t.forms[stem] = english
			}
		}
	}
}

// minStem is the length in bytes that a word keeps without its ending.
const minStem = 4

// stems yields a word, and the word without each of the endings that it has, the shortest first.
func (t *translation) stems(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(word) {
			return
		}
		for _, ending := range slices.Backward(t.Endings) {
			if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= minStem && !yield(stem) {
				return
			}
		}
	}
}

// The weights of a word that is in the table as it is, and of one that only shares a stem with a word
// there.
const (
	weightExact = 3
	weightStem  = 2
)

// at returns the English of the longest phrase at the start of words, its number of words, or 0, and
// the weight of each. Filler is not another form of a word.
func (t *translation) at(words []string) (english string, n, weight int) {
	if english, n = t.words.at(words); n > 0 {
		return english, n, weightExact
	}
	if t.filler[words[0]] {
		return "", 1, 0
	}
	for stem := range t.stems(words[0]) {
		if english, ok := t.forms[stem]; ok {
			return english, 1, weightStem
		}
	}
	return "", 0, 0
}

// foldForeign folds a text as in other languages: an apostrophe ends a word, and ß is ss.
func foldForeign(text string) string { return unelided.Replace(token.Fold(text)) }

// foldAll is foldForeign for each text. It folds all in one go, because the engine in the browser asks the browser
// each time, which takes longer than folding.
func foldAll(texts []string) []string {
	if folded := strings.Split(foldForeign(strings.Join(texts, "\n")), "\n"); len(folded) == len(texts) {
		return folded
	}
	folded := make([]string, len(texts)) // a text has several lines, or there is none
	for i, text := range texts {
		folded[i] = foldForeign(text)
	}
	return folded
}

var unelided = strings.NewReplacer("'", " ", "’", " ", "ß", "ss")

// accented returns the folded words of a text that are written with other letters than those of ASCII:
// they are not English, even if without accents they would be.
func accented(text string) map[string]bool {
	var words map[string]bool
	for _, word := range strings.Fields(unelided.Replace(strings.ToLower(text))) {
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
	*api.Language
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
func (list translator) translate(
	text string, known func(string) bool, isDevice func(words []string, i int) bool,
) (best translated, ok bool) {
	if len(list) == 0 {
		return best, false
	}
	folded, written := foldForeign(text), accented(text)
	hasSpaces := !strings.ContainsFunc(folded, token.IsSpaceless)
	for i := range list {
		if list[i].Spaceless == hasSpaces {
			continue
		}
		list[i].once.Do(list[i].make)
		var t translated
		if hasSpaces {
			t = list[i].withSpaces(folded, known, written, isDevice)
		} else {
			t = list[i].withoutSpaces(folded)
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
	token.Each(foldForeign(text), func(word string, _, _ int) { is = is && known(word) })
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
func (t *translation) withSpaces(
	folded string, known func(string) bool, written map[string]bool, isDevice func(words []string, i int) bool,
) translated {
	var words []string
	var starts, ends []int
	token.Each(folded, func(word string, start, end int) {
		words, starts, ends = append(words, word), append(starts, start), append(ends, end)
	})
	result := translated{Language: t.Language}
	var out strings.Builder
	copied := 0
	replace := func(from, to int, by string) {
		out.WriteString(folded[copied:starts[from]])
		out.WriteString(by)
		copied = ends[to-1]
	}
	for i := 0; i < len(words); {
		english, n, weight := t.at(words[i:])
		if n == 0 || weight > 0 && isDevice(words, i) {
			if n == 0 && !written[words[i]] && known(words[i]) {
				result.english++
			}
			i++
			continue
		}
		replace(i, i+n, english)
		for _, word := range words[i : i+n] {
			switch {
			case known(word) && !written[word]:
			case t.filler[word]:
				result.filler++
			default:
				result.foreign++
				result.words += weight
				if known(word) {
					result.accented += weight
				}
			}
		}
		i += n
	}
	out.WriteString(folded[copied:])
	result.text = strings.Join(strings.Fields(out.String()), " ")
	return result
}

// withoutSpaces translates a folded text of a language without spaces between words. It leaves out
// the characters that it does not know.
func (t *translation) withoutSpaces(folded string) translated {
	result := translated{Language: t.Language}
	var out strings.Builder
	for at := 0; at < len(folded); {
		n := min(t.longest, len(folded)-at)
		for ; n > 0; n-- {
			if english, ok := t.spaceless[folded[at:at+n]]; ok {
				out.WriteString(" " + english + " ")
				if english != "" {
					result.words += utf8.RuneCountInString(folded[at : at+n])
				}
				break
			}
		}
		if n == 0 {
			var r rune
			if r, n = utf8.DecodeRuneInString(folded[at:]); token.IsSpaceless(r) {
				r = ' '
			}
			out.WriteRune(r)
		}
		at += n
	}
	result.text = strings.Join(strings.Fields(out.String()), " ")
	return result
}
