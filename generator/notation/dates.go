package notation

import (
	"cmp"
	_ "embed" // for the table of months
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
)

// A day such as 3/4/2026 can be read in two ways. The other days of its column say whether the day or the month comes
// first, or else the language of the catalogue.

// slashed matches a day with its year at the end, whose day and month may stand in either order.
var slashed = regexp.MustCompile(`\b([0-9]{1,2})(?:/([0-9]{1,2})/([0-9]{4}|[0-9]{2})|-([0-9]{1,2})-([0-9]{4}))\b`)

// The orders of slashed days. That of a column may be unknown, which is "".
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
)

// Ordered returns a text whose slashed days are written as YYYY-MM-DD. A day that can be read in two ways stays as it
// is if the order is unknown, and so does what is not a day.
func Ordered(order, text string) string {
	return slashed.ReplaceAllStringFunc(text, func(day string) string {
		order := cmp.Or(orderOf(day), order)
		m := slashed.FindStringSubmatch(day)
		first, second := m[1], m[2]+m[4]
		if order == MonthFirst {
			first, second = second, first
		}
		if when, wrong := Date(first + "." + second + "." + m[3] + m[5]); wrong == "" && order != "" {
			return when
		}
		return day
	})
}

// orderOf returns the order that a slashed day tells, or "".
func orderOf(day string) string {
	m := slashed.FindStringSubmatch(day)
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[2] + m[4])
	switch {
	case first > 12 && second <= 12:
		return DayFirst
	case second > 12 && first <= 12:
		return MonthFirst
	}
	return ""
}

// OrderIn returns the order of the slashed days in texts. lang is their language (BCP 47).
func OrderIn(texts []string, lang string) string {
	found := map[string]bool{}
	for _, text := range texts {
		for _, day := range slashed.FindAllString(text, -1) {
			found[orderOf(day)] = true
		}
	}
	switch {
	case found[DayFirst] != found[MonthFirst]:
		return map[bool]string{true: DayFirst, false: MonthFirst}[found[DayFirst]]
	case found[DayFirst], lang == "en":
		return ""
	case lang == "en-US":
		return MonthFirst
	}
	return DayFirst
}

// dateForms has the ways in which sources write days, months and years, and the form in which listings have them.
// Seconds may have decimals.
var dateForms = []struct {
	form    string
	layouts []string
}{
	{time.DateOnly, []string{"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2.1.06", "2 January 2006",
		"2. January 2006", "January 2, 2006", "January 2 2006", time.RFC3339, time.RFC1123, time.RFC1123Z,
		time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -0700 MST",
		"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05-0700"}},
	{"2006-01", []string{"2006-1", "2006/1", "1/2006", "1.2006", "January 2006", "January, 2006"}},
	{"2006", []string{"2006"}},
}

//go:embed months.txt
var monthsText string

// months has what may stand for each month besides its English name.
var months = table(monthsText)

// wordInDate matches a word, perhaps shortened.
var wordInDate = regexp.MustCompile(`\pL+\.?`)

// inEnglish returns a date with English months: 12. October 2025 for 12. Oktober 2025, and 12 October 2025 for 12 de
// octubre de 2025.
func inEnglish(text string) string {
	text = wordInDate.ReplaceAllStringFunc(text, func(word string) string {
		word = strings.ToLower(strings.TrimSuffix(word, "."))
		for i, names := range months {
			if slices.Contains(names, word) {
				return time.Month(i + 1).String()
			}
		}
		if word == "de" || word == "er" { // 1er mars
			return ""
		}
		return word
	})
	return strings.Join(strings.Fields(text), " ")
}

const (
	// noDay says that a program had no day to write.
	noDay = "it is what programs write where they know no day"
	// EitherMonth says that nothing tells in which order a day is written.
	EitherMonth = "either number may be the month"
)

// Date reads a day, a month or a year, and returns it in one of api.DateForms.
func Date(text string) (when, wrong string) {
	text = strings.TrimSpace(text)
	for _, text := range []string{text, inEnglish(text)} {
		for _, d := range dateForms {
			for _, layout := range d.layouts {
				t, err := time.Parse(layout, text)
				switch {
				case err != nil || t.Year() == 0:
				case t.Year() == 1 && t.YearDay() == 1 && d.form == time.DateOnly:
					return "", noDay
				default:
					return t.Format(d.form), ""
				}
			}
		}
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 100_000_000 {
		if seconds > 100_000_000_000 { // milliseconds
			seconds /= 1000
		}
		return string(api.DateOf(time.Unix(seconds, 0))), ""
	}
	if day := slashed.FindString(text); day == text && day != "" && orderOf(day) == "" {
		return "", EitherMonth
	}
	return "", "it is not a day, a month or a year that can be read in one way: write it as " + api.DateForms +
		", from the year 1 on"
}

// Day reads a day that a Date can be.
func Day(text string) (day, wrong string) {
	day, wrong = Date(text)
	if len(day) != len(time.DateOnly) && wrong != noDay && wrong != EitherMonth {
		return "", "it is not a day that can be read in one way: write it as YYYY-MM-DD"
	}
	if _, err := api.ParseDate(day); wrong == "" && err != nil {
		wrong = err.Error()
	}
	return day, wrong
}
