package index

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/token"
)

// Translation has the words of another language, folded.
type Translation struct {
	*api.Language
	filler           []string // sorted
	phrases, english []string // by phrase; a space follows each word where the language has spaces between words
}

// minStem is the length in bytes that a word keeps without its ending.
const minStem = 4

// translationLists has the lists of a Translation for each language, one after the other.
func translationLists(languages []api.Language) (lists [][]string) {
	for i := range languages {
		l := &languages[i]
		var filler []string
		pairs := make([][2]string, 0, len(l.Words))
		add := func(text, english string) {
			if text = token.FoldForeign(text); !l.Spaceless {
				text = Spaced(token.Append(nil, text))
			}
			if text != "" {
				pairs = append(pairs, [2]string{text, english})
			}
		}
		for text, english := range l.Words {
			add(text, english)
		}
		for _, word := range l.Filler {
			if l.Spaceless {
				add(word, "")
			} else {
				filler = append(filler, token.FoldForeign(word))
			}
		}
		slices.Sort(filler)
		slices.SortFunc(pairs, func(a, b [2]string) int {
			return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(b[1], a[1]))
		})
		var phrases, english []string
		for k, pair := range pairs {
			if k == 0 || pair[0] != pairs[k-1][0] { // two may be the same when folded, and either is right
				phrases, english = append(phrases, pair[0]), append(english, pair[1])
			}
		}
		lists = append(lists, filler, phrases, english)
	}
	return lists
}

// newTranslations is the reverse of translationLists. ok is false if the lists do not fit the languages.
func newTranslations(languages []api.Language, lists [][]string) (list []Translation, ok bool) {
	for i := range languages {
		if len(lists) < 3 || len(lists[1]) != len(lists[2]) {
			return nil, false
		}
		list = append(list, Translation{&languages[i], lists[0], lists[1], lists[2]})
		lists = lists[3:]
	}
	return list, len(lists) == 0
}

// Spaced returns words with a space behind each.
func Spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + " "
}

// IsFiller reports whether a folded word has no meaning of its own.
func (t *Translation) IsFiller(word string) bool {
	_, is := slices.BinarySearch(t.filler, word)
	return is
}

// Longest returns the longest phrase that a folded text begins with, and its English, or "" twice. In a language with
// spaces between words, one must follow each word of the text. The English of filler is "".
func (t *Translation) Longest(text string) (phrase, english string) {
	for text != "" {
		i, found := slices.BinarySearch(t.phrases, text)
		if found {
			return text, t.english[i]
		}
		if i == 0 {
			break
		}
		before := t.phrases[i-1]
		shared := commonPrefix(text, before)
		if shared == len(before) {
			return before, t.english[i-1]
		}
		text = text[:shared] // any phrase that the text begins with is within what both share
	}
	return "", ""
}

// OfStem returns the English of a phrase of one word that differs from a folded word by endings only, or "". The word
// has an ending of its own, or the phrase has one.
func (t *Translation) OfStem(word string) string {
	if english := t.withStem(word); english != "" {
		return english
	}
	for _, ending := range slices.Backward(t.Endings) {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= minStem {
			if english := t.withStem(stem); english != "" {
				return english
			}
		}
	}
	return ""
}

// withStem returns the English of the first phrase of one word that is a stem, or one with an ending.
func (t *Translation) withStem(stem string) string {
	i, _ := slices.BinarySearch(t.phrases, stem)
	for ; i < len(t.phrases); i++ {
		ending, ok := strings.CutPrefix(t.phrases[i], stem)
		if !ok {
			break
		}
		if ending == " " || len(stem) >= minStem && slices.Contains(t.Endings, strings.TrimSuffix(ending, " ")) {
			return t.english[i]
		}
	}
	return ""
}
