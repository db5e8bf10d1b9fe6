package query

import (
	"strings"

	"catalog.example/api/search/token"
)

// phraseTable maps phrases of words to values.
type phraseTable[T any] struct {
	values  map[string]T   // by the words of a phrase, joined by spaces
	longest map[string]int // the number of words of the longest phrase, by its first word
}

func newPhraseTable[T any]() phraseTable[T] { return phraseTable[T]{map[string]T{}, map[string]int{}} }

// add adds a phrase, unless the table already has it.
func (t *phraseTable[T]) add(words []string, value T) {
	key := strings.Join(words, " ")
	if _, known := t.values[key]; !known && key != "" {
		t.values[key] = value
		t.longest[words[0]] = max(t.longest[words[0]], len(words))
	}
}

// at returns the value of the longest phrase at the start of words, and the phrase's number of
// words, or 0 if there is none.
func (t *phraseTable[T]) at(words []string) (value T, n int) {
	if len(words) == 0 {
		return value, 0
	}
	for n := min(t.longest[words[0]], len(words)); n > 0; n-- {
		if value, ok := t.values[strings.Join(words[:n], " ")]; ok {
			return value, n
		}
	}
	return value, 0
}

// phrases returns a table of the comma-separated phrases in text.
func phrases(text string) phraseTable[bool] {
	t := newPhraseTable[bool]()
	for phrase := range strings.SplitSeq(text, ",") {
		t.add(token.Of(phrase), true)
	}
	return t
}
