package notation

import (
	"regexp"
	"strconv"
	"strings"
)

// A number such as 1.357 has three decimals for some, and is above a thousand for others. The other numbers of its
// column say which: those whose signs mean one thing only, or whole ones that are large.

// Decimal is the sign before decimals in the numbers of a column: a point, a comma, or one of these.
type Decimal string

// Where a number such as 1.357 is in a column whose numbers do not tell the sign, it depends on these what it is.
const (
	Unknown  Decimal = ""          // it cannot be read
	NotComma Decimal = "not comma" // it cannot be read with a point; a comma separates thousands
	Whole    Decimal = "none"      // all numbers are whole, and it is one of them
)

// InTwoWays says why a number cannot be read as one.
const InTwoWays = "it may mean thousands or three decimals"

const notOne = "it is not one number, such as 1234.5 or 12 kg"

const mostDigits = 15 // of which floating point keeps each

const leastLarge = 100 // among whole numbers from here on, nothing is written with three decimals

// roughWords are the words before numbers that are not exact.
const roughWords = `ca|c|circa|approx|about|around|etwa|rund|from|ab|from about|starting at`

// unitText matches what may stand behind a number, such as the mark of a footnote; m2 is square metres.
const unitText = `(?:[^0-9]*|[ck]?m[23])(?:\[[0-9]{1,2}\])?`

var (
	// numberText matches a number, perhaps with separators, between a sign of a currency and a unit.
	numberText = regexp.MustCompile(`^[~≈]?\s*[$€£¥]?\s*([-+]?[0-9][0-9.,'’\x{a0}\x{202f}\x{2009} _]*)\s*(` + unitText + `)$`)
	separator  = regexp.MustCompile(`[.,'’\x{a0}\x{202f}\x{2009} _]`)
	grouped    = regexp.MustCompile(`^[-+]?[0-9]{1,3}(` + separator.String() + `[0-9]{3})+$`)
	inTwoWays  = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}([.,])[0-9]{3}$`)
	// about matches what is not exact: from 25 €, ca. 30. Before four digits without a unit, it is a year: ca. 1850.
	about = regexp.MustCompile(`(?i)^(?:` + roughWords + `)\.?\s+` +
		`(\P{L}{0,3}[0-9].*\pL|[€$£]?\s?[0-9]{1,3}(?:\s*[€$£])?$)`)
	// upTo matches what says that a number is the upper end of a range.
	upTo = regexp.MustCompile(`(?i)^\s*` +
		`(?:(?:up to|bis zu|upp till|max|maximal|at most|höchstens)\.?\s|≤|<=?)\s*([0-9])`)
	// duration matches PT1H30M, 1 h 30 min and 1 h 30.
	duration = regexp.MustCompile(`(?i)^(?:PT(?:([0-9]+)H)?(?:([0-9]+)M)?|([0-9]+)\s*h\s*([0-9]{1,2})\s*(?:m(?:in)?)?)$`)
	// rating matches a number of points: 7.2/10. One without decimals may be a range.
	rating  = regexp.MustCompile(`^([0-9]+[.,][0-9]+)\s*/\s*(?:5|10|20|100)$`)
	figures = regexp.MustCompile(figure)
)

// exact returns a text without words such as about, and a duration in minutes.
func exact(text string) string {
	text = rating.ReplaceAllString(text, "$1")
	text = upTo.ReplaceAllString(about.ReplaceAllString(strings.TrimSpace(text), "$1"), "$1")
	if m := duration.FindStringSubmatch(text); m != nil && len(text) > len("PT") {
		hours, _ := strconv.Atoi(m[1] + m[3])
		minutes, _ := strconv.Atoi(m[2] + m[4])
		return strconv.Itoa(60*hours+minutes) + " min"
	}
	return text
}

// Number reads a number of a column in which decimals follow a sign: 1200000 of 1.2 million.
func Number(text string, sign Decimal) (number float64, wrong string) {
	m := numberText.FindStringSubmatch(exact(text))
	if m == nil {
		return 0, notOne
	}
	whole, fraction, isWhole := strings.TrimSpace(m[1]), "", false
	if m := inTwoWays.FindStringSubmatch(whole); m != nil {
		if sign == Unknown || sign == NotComma && m[1] == "." {
			return 0, InTwoWays
		}
		isWhole = sign != Decimal(m[1])
	}
	at := strings.LastIndexAny(whole, ".,")
	if at >= 0 && at+1 < len(whole) && strings.Count(whole, whole[at:at+1]) == 1 && !isWhole {
		whole, fraction = whole[:at], "."+whole[at+1:]
	}
	if grouped.MatchString(whole) {
		whole = separator.ReplaceAllString(whole, "")
	}
	number, err := strconv.ParseFloat(whole+fraction, 64)
	switch by, _ := Scale(m[2]); {
	case err != nil:
		return 0, notOne
	case by == 0:
		return 0, InTwoScales
	default:
		return rounded(number*by, mostDigits), ""
	}
}

// DecimalOf returns the sign before decimals in the numbers of texts. hasComma says whether that is a comma in their
// language.
func DecimalOf(texts []string, hasComma bool) Decimal {
	found, areLarge := map[Decimal]bool{}, true
	for _, text := range texts {
		for _, text := range figures.FindAllString(text, -1) {
			if number, wrong := Number(text, Unknown); wrong == "" {
				found[clearSign(text)] = true
				areLarge = areLarge && number >= leastLarge
			}
		}
	}
	switch {
	case found["."] && found[","]:
		return Unknown
	case found["."]:
		return "."
	case found[","]:
		return ","
	case found[Whole] && areLarge:
		return Whole
	case hasComma:
		return Unknown
	}
	return NotComma
}

// clearSign returns the sign before decimals that a number tells. A sign that it has twice separates thousands.
func clearSign(number string) Decimal {
	at := strings.LastIndexAny(number, ".,")
	switch {
	case at < 0:
		return Whole
	case strings.Count(number, number[at:at+1]) == 1:
		return Decimal(number[at : at+1])
	case number[at] == ',':
		return "."
	}
	return ","
}
