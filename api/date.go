package api

import (
	"fmt"
	"time"
)

// Date is a day, written YYYY-MM-DD (RFC 3339 full-date). Comparing dates as strings
// compares the days.
type Date string

// dateLayout is RFC 3339's full-date.
const dateLayout = "2006-01-02"

// firstYear is the year of the earliest valid Date. Earlier ones are taken for placeholders, such
// as a program's zero time.
const firstYear = 1900

// ParseDate returns an error unless s is a real day from 1900 on, written YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(dateLayout, s)
	if err != nil {
		return "", fmt.Errorf("%q is not a date: write a real day as YYYY-MM-DD", s)
	}
	if t.Year() < firstYear {
		return "", fmt.Errorf("%q is before %d: write the real day, or omit it if it is unknown", s, firstYear)
	}
	return Date(s), nil
}

// DateOf returns the day of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(dateLayout)) }

// Time returns the first instant of the day in UTC, or the zero time for a Date
// that ParseDate rejects.
func (d Date) Time() time.Time {
	t, err := time.Parse(dateLayout, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}
