package api

// Range is the value of a fact of the kind range.
type Range struct {
	From *float64 `json:"from" jsonschema:"The least number; null if only the greatest is known."`
	To   float64  `json:"to" jsonschema:"The greatest number."`
}

// statedRange is how front matter states a Range: as an object, or as the only number.
type statedRange struct {
	From *float64 `json:"from"`
	To   *float64 `json:"to"`
}

// rangeForm is how front matter states a range.
const rangeForm = "{from: 2, to: 4}"

// SetShort implements strictyaml.Shorthand.
func (r *statedRange) SetShort(value any) (remedy string) {
	n, ok := value.(float64)
	if !ok {
		return "write " + rangeForm + ", or a number"
	}
	r.From, r.To = &n, &n
	return ""
}

// readRange checks a statedRange, and returns the Range.
func readRange(f *Fact, stated any) (any, []ValueProblem) {
	r := stated.(statedRange)
	switch {
	case r.To == nil:
		return nil, problem("needs its upper end: write " + rangeForm)
	case r.From == nil:
		return Range{nil, *r.To}, f.outOfBounds(*r.To, "to")
	case *r.From > *r.To:
		return nil, problem(Locale{}.number(*r.From)+" is more than to, which is "+Locale{}.number(*r.To)+
			": write the lesser first", "from")
	}
	problems := f.outOfBounds(*r.From, "from")
	if *r.From != *r.To {
		problems = append(problems, f.outOfBounds(*r.To, "to")...)
	}
	return Range{r.From, *r.To}, problems
}

// figuresOfRange returns both ends. Without a lower one, the range begins at 0.
func figuresOfRange(_ *Fact, value any) (low, high float64, ok bool) {
	r, ok := value.(Range)
	if low = min(0, r.To); r.From != nil {
		low = *r.From
	}
	return low, r.To, ok
}

func exampleRange(f *Fact) any {
	least := f.within(1)
	return Range{&least, f.within(least + 2)}
}

func (r Range) text(f *Fact) string {
	if r.From == nil {
		return "≤ " + f.Amount(f.locale.number(r.To))
	}
	if *r.From == r.To {
		return f.Amount(f.locale.number(r.To))
	}
	dash := "–"
	if *r.From < 0 { // its sign would run into the dash
		dash = " – "
	}
	return f.Amount(f.locale.number(*r.From) + dash + f.locale.number(r.To))
}

// Dates is the value of a fact of the kind dates.
type Dates struct {
	From string `json:"from" jsonschema:"The first day, month or year."`
	To   string `json:"to" jsonschema:"The last day, month or year."`
}

// statedDates is how front matter states Dates.
type statedDates struct {
	From statedDate `json:"from"`
	To   statedDate `json:"to"`
}

// datesForm is how front matter states a range of dates.
const datesForm = "{from: 2026-04-01, to: 2026-09-30}"

// SetShort implements strictyaml.Shorthand: no scalar stands for two dates.
func (*statedDates) SetShort(any) (remedy string) { return "write " + datesForm }

// readDates checks statedDates, and returns the Dates.
func readDates(f *Fact, stated any) (any, []ValueProblem) {
	s := stated.(statedDates)
	d := Dates{string(s.From), string(s.To)}
	if d.From == "" || d.To == "" {
		return nil, problem("needs both ends: write " + datesForm)
	}
	if first, last, _ := figuresOfDates(f, d); first > last {
		return nil, problem(d.From+" is after to, which is "+d.To+": write the earlier date first", "from")
	}
	return d, nil
}

// figuresOfDates returns the first and the last day.
func figuresOfDates(_ *Fact, value any) (first, last float64, ok bool) {
	d, _ := value.(Dates)
	first, _, isFrom := daysOf(d.From)
	_, last, isTo := daysOf(d.To)
	return first, last, isFrom && isTo
}

func (d Dates) text(*Fact) string { return d.From + " – " + d.To }
