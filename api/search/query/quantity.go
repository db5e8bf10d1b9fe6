package query

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api/search/token"
)

// splitText is a text split into words, with the position of each word in the folded text.
type splitText struct {
	folded       string
	words        []string
	starts, ends []int // in bytes of folded
}

// split folds a text and splits it into words.
func split(text string, language *token.Language) splitText {
	t := splitText{folded: token.Fold(text)}
	language.Each(t.folded, func(word string, start, end int) {
		t.words, t.starts, t.ends = append(t.words, word), append(t.starts, start), append(t.ends, end)
	})
	return t
}

// without returns the text without some of its words.
func (t *splitText) without(cut []bool) splitText {
	rest := splitText{folded: t.folded}
	for i := range t.words {
		if !cut[i] {
			rest.words = append(rest.words, t.words[i])
			rest.starts, rest.ends = append(rest.starts, t.starts[i]), append(rest.ends, t.ends[i])
		}
	}
	return rest
}

// between returns what is written between word i and the next.
func (t *splitText) between(i int) string {
	if i < 0 || i+1 >= len(t.words) {
		return ""
	}
	return t.folded[t.ends[i]:t.starts[i+1]]
}

// quantity is a number in a text. It is read whole or not at all: "16,5" does not contain a 5.
type quantity struct {
	value float64
	// unit holds the letters that directly follow the number: "gb" in "16gb"; "" for none.
	unit string
	n    int // number of words it takes up
}

// quantitiesAt returns the quantities that the words from i on may mean, the longest first: a range
// ("8-16 gb", "4 to 8 players"), which counts as its lower end, and its first number alone.
func (t *splitText) quantitiesAt(i int) []quantity {
	if !startsWithDigit(t.words[i]) { // most words do not
		return nil
	}
	first, ok := t.numberAt(i)
	if !ok {
		return nil
	}
	if last, n := t.rangeAfter(i+first.n, first); n > 0 {
		unit := last.unit
		if unit == "" {
			unit = first.unit
		}
		return []quantity{{min(first.value, last.value), unit, first.n + n}, first}
	}
	return []quantity{first}
}

// maxDigits limits the digits of a number, so that a float64 can hold it.
const maxDigits = 9

// numberAt reads the number that begins at word i.
func (t *splitText) numberAt(i int) (q quantity, ok bool) {
	if before := t.between(i - 1); (before == "." || before == ",") && endsWithDigit(t.words[i-1]) {
		return quantity{}, false // the tail of a number
	}
	digits := digitsOf(t.words[i])
	q = quantity{unit: t.words[i][len(digits):], n: 1}
	fraction := ""
	for q.unit == "" && fraction == "" && i+q.n < len(t.words) && startsWithDigit(t.words[i+q.n]) {
		group := digitsOf(t.words[i+q.n])
		switch separator := t.between(i + q.n - 1); {
		case separator == "," && len(group) == 3 && digits != "0": // thousands
			digits += group
		case separator == "," || separator == ".":
			fraction = group
		default:
			group = ""
		}
		if group == "" {
			break
		}
		q.unit = t.words[i+q.n][len(group):]
		q.n++
	}
	after := t.between(i + q.n - 1)
	if q.unit == "" && (after == "." || after == ",") && startsWithDigit(t.words[i+q.n]) {
		return quantity{}, false // a version, such as 1.2.3
	}
	if len(digits) > maxDigits || len(fraction) > maxDigits || strings.ContainsAny(q.unit, "0123456789") {
		return quantity{}, false
	}
	value, err := strconv.ParseFloat(digits+"."+fraction+"0", 64)
	q.value = value
	return q, err == nil
}

// rangeWords may stand between the ends of a range.
var rangeWords = token.Set("to or")

// rangeAfter returns the upper end of a range whose lower end stands before word i, and the number
// of words from i to the end of the range. The number is 0 if there is no range.
func (t *splitText) rangeAfter(i int, lower quantity) (upper quantity, n int) {
	at := i
	isUnit := at < len(t.words) && !startsWithDigit(t.words[at]) && !rangeWords[t.words[at]]
	if lower.unit == "" && isUnit && t.isRange(at+1) {
		at++ // "8 gb - 16 gb"
	}
	isBetween := i-lower.n > 0 && t.words[i-lower.n-1] == "between"
	switch {
	case t.isRange(at):
	case at < len(t.words) && (rangeWords[t.words[at]] || t.words[at] == "and" && isBetween):
		at++
	default:
		return quantity{}, 0
	}
	if at >= len(t.words) || !startsWithDigit(t.words[at]) {
		return quantity{}, 0
	}
	upper, ok := t.numberAt(at)
	if !ok || upper.value < lower.value {
		return quantity{}, 0
	}
	return upper, at + upper.n - i
}

// isRange reports whether only a dash, slash or tilde stands between word i and the word before.
func (t *splitText) isRange(i int) bool {
	return slices.Contains([]string{"-", "–", "—", "/", "~"}, strings.TrimSpace(t.between(i-1)))
}

func startsWithDigit(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

func endsWithDigit(word string) bool {
	return word != "" && word[len(word)-1] >= '0' && word[len(word)-1] <= '9'
}

// digitsOf returns the digits at the start of a word.
func digitsOf(word string) string {
	return word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
}

// Words that compare, before and after a quantity. They are not searched for. They do not decide
// whether the quantity is an upper or a lower bound: the fact does.
var (
	comparisonsBefore = phrases(`
		at least, at most, at minimum, at max, a minimum of, a maximum of, minimum, maximum, min, max, up to, only,
		just, about, around, roughly, approximately, circa, exactly, under, below, less than, fewer than, no more
		than, not more than, over, above, more than, no less than, not less than, within, between, from`)
	comparisonsBehind = phrases(`
		or more, or less, or fewer, or better, or higher, or lower, or so, and up, and above, and more, plus,
		minimum, maximum, min, max, at least, at most, at minimum, at max, only, total, in total, tops`)
)
