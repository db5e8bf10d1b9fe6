package api

import "time"

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
	}
	if _, _, isDate := daysOf(text); !ok || !isDate {
		return "write a real day, month or year as " + DateForms + ", from 1900 on"
	}
	*d = statedDate(text)
	return ""
}

func readDate(_ *Fact, stated any) (any, []ValueProblem) { return string(stated.(statedDate)), nil }

// daysOf returns the numbers of the first and the last day of a text in one of DateForms, counted from 1970.
func daysOf(text string) (first, last float64, ok bool) {
	for _, form := range []struct {
		layout       string
		months, days int // how long it is
	}{{dateLayout, 0, 1}, {"2006-01", 1, 0}, {"2006", 12, 0}} {
		start, err := time.Parse(form.layout, text)
		if err != nil || start.Year() < firstYear {
			continue
		}
		day := func(t time.Time) float64 { return float64(t.Unix() / (24 * 60 * 60)) }
		return day(start), day(start.AddDate(0, form.months, form.days)) - 1, true
	}
	return 0, 0, false
}

func figuresOfDate(_ *Fact, value any) (first, last float64, ok bool) {
	text, _ := value.(string)
	return daysOf(text)
}
