package api

import "strings"

// statedDate is how front matter states the value of a fact of the kind date: a day, a month or a year.
type statedDate string

// DateForms are the forms of the value of a fact of the kind date.
const DateForms = "YYYY-MM-DD, YYYY-MM or YYYY"

// DatePattern matches DateForms.
const DatePattern = `^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$`

// SetShort implements strictyaml.Shorthand: a year alone is a number.
func (d *statedDate) SetShort(value any) (remedy string) {
	text, ok := value.(string)
	if year, isNumber := value.(float64); isNumber {
		text, ok = Locale{}.number(year), true
		text = strings.Repeat("0", max(0, len("YYYY")-len(text))) + text // YAML reads 0850 as another number
	}
	if _, _, isDate := daysOf(text); !ok || !isDate {
		return "write a real day, month or year as " + DateForms + ", from the year 1 on"
	}
	*d = statedDate(text)
	return ""
}

func readDate(_ *Fact, stated any) (any, []ValueProblem) { return string(stated.(statedDate)), nil }

// daysOf returns the numbers of the first and the last day of a text in one of DateForms, counted from 1970. Museums
// opened and people lived before firstYear, so every year from 1 on is right, in the Gregorian calendar. Package
// time would make the WebAssembly program larger.
func daysOf(text string) (first, last float64, ok bool) {
	parts, numbers := strings.Split(text, "-"), []int{0, 1, 1}
	if len(parts) > len(numbers) {
		return 0, 0, false
	}
	for i, part := range parts {
		if length := []int{4, 2, 2}[i]; len(part) != length || !isDigits(part, length) {
			return 0, 0, false
		}
		numbers[i] = clampedInt(part)
	}
	year, month, day := numbers[0], numbers[1], numbers[2]
	begin, end := dayNumber(year, month, day), dayNumber(year, month, day+1)
	switch inMonth := dayNumber(year, month+1, 1) - dayNumber(year, month, 1); {
	case year < 1 || month < 1 || month > 12 || day < 1 || day > inMonth:
		return 0, 0, false
	case len(parts) == 1:
		end = dayNumber(year+1, 1, 1)
	case len(parts) == 2:
		end = dayNumber(year, month+1, 1)
	}
	return float64(begin), float64(end - 1), true
}

// dayNumber counts the days from 1970 to a day of the Gregorian calendar. Month 13 is the next January.
func dayNumber(year, month, day int) int {
	if month > 12 {
		year, month = year+1, month-12
	}
	if month <= 2 { // a year begins in March, so that a leap day is its last
		year, month = year-1, month+12
	}
	const to1970 = 719468 // days from March of the year 0
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - to1970
}

func figuresOfDate(_ *Fact, value any) (first, last float64, ok bool) {
	text, _ := value.(string)
	return daysOf(text)
}
