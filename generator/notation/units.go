package notation

import (
	"cmp"
	_ "embed" // for the table of units
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

//go:embed units.txt
var unitsText string

// measure says how much of the basic unit of its quantity a unit is.
type measure struct {
	size  float64
	basic string
}

// measures has the units that are converted into each other, by their short forms, and shortUnits has these forms by
// other names.
var measures, shortUnits = func() (map[string]measure, map[string]string) {
	all, short := map[string]measure{}, map[string]string{}
	for _, words := range table(unitsText) {
		size, basic, _ := strings.Cut(words[1], " ")
		number, _ := strconv.ParseFloat(size, 64)
		all[words[0]] = measure{number, basic}
		for _, name := range words[2:] {
			short[name] = words[0]
		}
	}
	return all, short
}()

var firstWord = regexp.MustCompile(`^\pL*`)

// Scale returns by how much the first words of a unit multiply the number before it, and the others: a million and €
// for Mio. €. It returns 0 if a word stands for several numbers.
func Scale(unit string) (by float64, rest string) {
	word := firstWord.FindString(unit)
	rest = strings.TrimLeft(unit[len(word):], ". ")
	if len(word) > 1 {
		word = ShortUnit(word)
	}
	m := measures[word]
	if m.basic != "×" {
		return 1, unit
	}
	by, rest = Scale(rest)
	return m.size * by, rest
}

// rounded returns a number with at most some digits, without what floating point adds.
func rounded(number float64, digits int) float64 {
	number, _ = strconv.ParseFloat(strconv.FormatFloat(number, 'g', digits, 64), 64)
	return number
}

// InTwoScales says why a number cannot be read: billion is another number in English than in German, and K may be
// kelvin where no unit is known.
const InTwoScales = "the word or letter behind it stands for different numbers"

// OtherUnit says why a number cannot be read. It formats its unit and that of the fact.
const OtherUnit = "its unit is %q, and that of the fact is %q, into which it cannot be converted"

// ShortUnit returns a unit in its short form, without a remark.
func ShortUnit(unit string) string {
	unit = strings.TrimSuffix(withoutRemark(unit), ".")
	if code, wrong := Currency(unit, ""); wrong == "" {
		unit = code
	}
	if unit = strings.ToLower(unit); len(unit) > len("ms") { // which are no metres
		unit = strings.TrimSuffix(unit, "s")
	}
	return cmp.Or(shortUnits[unit], unit)
}

// withoutRemark returns a unit without what stands in brackets or behind a comma: km of km (one way).
func withoutRemark(unit string) string {
	if i := strings.IndexAny(unit, "([,;"); i >= 0 {
		unit = unit[:i]
	}
	return strings.TrimSpace(unit)
}

// rate matches what makes a unit one of something else: h / week, € per day.
var rate = regexp.MustCompile(`/|(?i)\b(?:per|pro|par|por)\b`)

// Factor returns by what a number of a unit is multiplied for another unit of the same quantity; 0 if it is none. A
// unit may have more words behind it, m high, and one that multiplies before it, million kg. A letter such as k
// multiplies only numbers without a unit: 5k may be 5 km.
func Factor(unit, into string) float64 {
	by, of := Scale(unit)
	per, in := Scale(into)
	isLetter := len(firstWord.FindString(unit)) == 1 && into != ""
	switch {
	case unit == "" || by == 1 && per == 1 || isLetter:
	case by*per == 0:
		return 0
	case of == "", into == "", IsUnit(of, in):
		return by / per
	default:
		return by / per * Factor(of, in)
	}
	from, isKnown := measures[ShortUnit(unit)]
	to, isAlso := measures[ShortUnit(into)]
	first, more, _ := strings.Cut(unit, " ")
	switch {
	case isKnown && isAlso && from.basic == to.basic:
		return from.size / to.size
	case more != "" && !rate.MatchString(more):
		return Factor(first, into)
	}
	return 0
}

// IsUnit reports whether a unit of a source is a known one, perhaps abbreviated, or with more words behind it: m high.
// A rate, such as h / week, is another unit than h.
func IsUnit(unit, known string) bool {
	const abbreviation = 3 // letters at least: min is minutes, and m may be metres
	a, b := ShortUnit(unit), ShortUnit(known)
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == b || len(a) >= abbreviation && strings.HasPrefix(b, a) && !rate.MatchString(b) {
		return true
	}
	first, more, _ := strings.Cut(unit, " ")
	return more != "" && !rate.MatchString(more) && IsUnit(first, known)
}

// Figure is a number of a text with its unit: kg, h / week. A remark in brackets or behind a comma is none, and
// neither are signs alone, such as 12+.
type Figure struct{ Number, Unit string }

// Figures returns the number of a text, or those of a range. If only the second one has a unit, it is that of both.
func Figures(text string) (found []Figure) {
	text = exact(text)
	if m := rangeText.FindStringSubmatch(text); m != nil {
		found = []Figure{{m[1], cmp.Or(m[2], m[4])}, {m[3], m[4]}}
	} else if m := numberText.FindStringSubmatch(text); m != nil {
		found = []Figure{{m[1], m[2]}}
	}
	for i, f := range found {
		f.Number, f.Unit = strings.TrimSpace(f.Number), withoutRemark(f.Unit)
		isSign := shortUnits[f.Unit] != "" || measures[f.Unit].size > 0 // such as " and %
		if !strings.ContainsFunc(f.Unit, unicode.IsLetter) && !isSign {
			f.Unit = ""
		}
		found[i] = f
	}
	return found
}

// Convert returns a number in another unit of the same quantity, or as it is if there is no such unit.
func Convert(number float64, from, into string) float64 {
	by := Factor(from, into)
	if by == 0 || IsUnit(from, into) {
		return number
	}
	const exact = 7 // digits: a mile has 1.609344 km
	digits := len(strconv.FormatFloat(number, 'f', -1, 64))
	return rounded(number*by, max(exact, digits))
}

var decade = regexp.MustCompile(`^([0-9]{3})0s$`)

// Decade returns the range of years of a decade, such as 1930–1939 for 1930s, or else the text.
func Decade(text string) string { return decade.ReplaceAllString(text, "${1}0–${1}9") }

var inexact = regexp.MustCompile(`^\s*[~≈]|` + about.String() + `|` + upTo.String() + `|\+\s*$`)

// IsInexact reports whether a text says that its number is not exact: ~ 3 kg, ca. 3 kg, up to 3 kg, 5+.
func IsInexact(text string) bool { return inexact.MatchString(text) }

// IsUpTo reports whether a text says the upper end of a range alone: up to 90 min.
func IsUpTo(text string) bool { return upTo.MatchString(text) }
