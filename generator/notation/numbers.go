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

const leastLarge = 100 // among whole numbers from here on, nothing is written with three decimals

// unitText matches what may stand behind a number; m2 is square metres.
const unitText = `[^0-9]*|[ck]?m[23]`

var (
	// numberText matches a number, perhaps with separators, between a sign of a currency and a unit.
	numberText = regexp.MustCompile(`^[~≈]?\s*[$€£¥]?\s*([-+]?[0-9][0-9.,'’\x{a0}\x{202f}\x{2009} _]*)\s*(` + unitText + `)$`)
	separator  = regexp.MustCompile(`[,'’\x{a0}\x{202f}\x{2009} _]`)
	inTwoWays  = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}([.,])[0-9]{3}$`)
	decimals   = regexp.MustCompile(`^[-+]?([0-9]+,([0-9]{1,2}|[0-9]{4,})|(0|[0-9]{4,}),[0-9]{3})$`)
	thousands  = regexp.MustCompile(`^[-+]?[0-9]{1,3}(` + separator.String() + `[0-9]{3})+(\.[0-9]+)?$`)
	dotted     = regexp.MustCompile(`^[-+]?[0-9]{1,3}(\.[0-9]{3}){2,}(,[0-9]+)?$|^[-+]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$`)
	spaced     = regexp.MustCompile(`^[-+]?[0-9]{1,3}(['’\x{a0}\x{202f}\x{2009} ][0-9]{3})+,[0-9]{1,2}$`)
	about      = regexp.MustCompile(`(?i)^(?:ca|circa|approx|about|etwa)\.?\s+([0-9].*\pL)`) // a unit: no ca. 1850
	figures    = regexp.MustCompile(figure)
)

// Number reads a number of a column in which decimals follow a sign.
func Number(text string, sign Decimal) (number, wrong string) {
	m := numberText.FindStringSubmatch(about.ReplaceAllString(strings.TrimSpace(text), "$1"))
	if m == nil {
		return "", "it is not one number"
	}
	digits := strings.TrimSpace(m[1])
	if m := inTwoWays.FindStringSubmatch(digits); m != nil {
		mark, means := m[1], ""
		switch {
		case sign == Unknown, sign == NotComma && mark == ".":
			return "", InTwoWays
		case sign == Decimal(mark):
			means = "."
		}
		digits = strings.Replace(digits, mark, means, 1)
	}
	switch {
	case decimals.MatchString(digits):
		digits = strings.ReplaceAll(digits, ",", ".")
	case thousands.MatchString(digits):
		digits = separator.ReplaceAllString(digits, "")
	case dotted.MatchString(digits):
		digits = strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", ".")
	case spaced.MatchString(digits): // 1 234,50
		whole, cents, _ := strings.Cut(digits, ",")
		digits = separator.ReplaceAllString(whole, "") + "." + cents
	}
	if n, err := strconv.ParseFloat(digits, 64); err == nil {
		return strconv.FormatFloat(n, 'f', -1, 64), ""
	}
	return "", "it is not one number"
}

// DecimalOf returns the sign before decimals in the numbers of texts. hasComma says whether that is a comma in their
// language.
func DecimalOf(texts []string, hasComma bool) Decimal {
	found, areLarge := map[Decimal]bool{}, true
	for _, text := range texts {
		for _, text := range figures.FindAllString(text, -1) {
			if number, wrong := Number(text, Unknown); wrong == "" {
				found[clearSign(text)] = true
				size, _ := strconv.ParseFloat(number, 64)
				areLarge = areLarge && size >= leastLarge
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
