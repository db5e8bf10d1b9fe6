package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"catalog.example/api/hardware"
)

// FactKind is the type of a fact's values.
type FactKind string

// The kinds of facts. Each comment says how a value looks in front matter and JSON, and what Go
// type it has.
const (
	FactYesNo    FactKind = "yes-no"   // true or false: a bool
	FactChoice   FactKind = "choice"   // the slug of one of its options: a string
	FactChoices  FactKind = "choices"  // slugs of its options: a []string, empty if unknown
	FactNumber   FactKind = "number"   // a number in its unit: a float64
	FactMoney    FactKind = "money"    // an amount of money: a Money
	FactDate     FactKind = "date"     // a day, a month or a year: a string in one of DateForms
	FactRange    FactKind = "range"    // a range of numbers in its unit: a Range
	FactDates    FactKind = "dates"    // a range of dates: a Dates
	FactPlace    FactKind = "place"    // a place on Earth: a Place
	FactText     FactKind = "text"     // a short text: a string
	FactTexts    FactKind = "texts"    // several short texts: a []string, empty if there are none
	FactRelation FactKind = "relation" // slugs of other listings: a []string, empty if there are none
	FactLink     FactKind = "link"     // a link to another site: a Link
	FactPicture  FactKind = "picture"  // a picture of the content folder: a Picture
	FactSetups   FactKind = "setups"   // the setups of a listing: a []hardware.Setup, empty if there are none
)

// kind is what the loops over facts ask about the facts of a kind. A new kind is an entry of kinds and,
// if its values have parts, a type that implements valueWithParts.
type kind struct {
	name FactKind
	// stated is the Go type of values as front matter states them. If stored is set, values of listings have
	// that type instead.
	stated, stored reflect.Type
	// required lists the keys that front matter must have of a value that is an object. short is the JSON type of
	// another scalar that may stand for the value. Of dates it may stand for each end, as a year does.
	required []string
	short    string
	form     string // what to write in front matter, for drafts; "" if the definition says enough
	// isNamed is set if each value has a name in definitions, and hasOptions if Fact.Values lists the names.
	isNamed, hasOptions bool
	// isFree is set if values are in the words of a listing, names or addresses: answers in words and the command
	// line say them by themselves, apart from the line of facts, and they have no order.
	isFree bool
	// isApart is set if pages show the values by themselves, and not in tables.
	isApart bool
	// texts returns the texts of a known value by which searches find listings. It is nil if searches do not find them
	// by values.
	texts func(f *Fact, value any) []string
	// figures returns the numbers that a known value covers, which searches compare. matches are the ways
	// to compare them, as in FactFilter.Match. Both are nil if the values are not compared.
	figures func(f *Fact, value any) (low, high float64, ok bool)
	matches []string
	// read returns what a listing has for a value that its front matter states, and what is wrong with that, as
	// far as the definition tells. It returns nil for a value that cannot be kept. If it is nil, every value is
	// right.
	read func(f *Fact, stated any) (value any, problems []ValueProblem)
	// example returns a value for examples; nil for none.
	example func(f *Fact) any
	isDated bool // the figures are days: see daysOf
	isSpan  bool // the low and the high figure of a value may differ
	hasUnit bool // Fact.Unit applies
	// hasBounds is set if Fact.Least and Fact.Most apply, and a query can name a figure: see FactAmount.
	hasBounds bool
}

// kinds lists all kinds, in the order in which messages name them.
var kinds = []kind{
	{name: FactYesNo, stated: reflect.TypeFor[bool](), form: "true or false", isNamed: true,
		example: func(*Fact) any { return true }},
	{name: FactChoice, stated: reflect.TypeFor[string](), isNamed: true, hasOptions: true,
		texts: (*Fact).searchedLabels, example: func(f *Fact) any { return f.Values[0].Slug }},
	{name: FactChoices, stated: reflect.TypeFor[[]string](), isNamed: true, hasOptions: true,
		texts: (*Fact).searchedLabels, example: func(f *Fact) any { return []string{f.Values[0].Slug} }},
	{name: FactNumber, stated: reflect.TypeFor[float64](),
		figures: figureOfNumber, matches: []string{MatchAtMost, MatchAtLeast},
		hasUnit: true, hasBounds: true, read: readNumber, example: exampleNumber},
	{name: FactMoney, stated: reflect.TypeFor[statedMoney](), stored: reflect.TypeFor[Money](), form: moneyForm,
		required: []string{"amount"}, short: "number",
		figures: figuresOfMoney, matches: []string{MatchAtMost, MatchAtLeast}, hasBounds: true,
		read: readMoney, example: exampleMoney},
	{name: FactDate, stated: reflect.TypeFor[statedDate](), stored: reflect.TypeFor[string](), form: DateForms,
		short:   "integer",
		figures: figuresOfDate, matches: []string{MatchBefore, MatchAfter}, isDated: true, isSpan: true, read: readDate,
		example: func(*Fact) any { return "2026-09-01" }},
	{name: FactRange, stated: reflect.TypeFor[statedRange](), stored: reflect.TypeFor[Range](), form: rangeForm,
		required: []string{"to"}, short: "number",
		figures: figuresOfRange, matches: []string{MatchWithin, MatchAtMost, MatchAtLeast}, isSpan: true, hasUnit: true,
		hasBounds: true, read: readRange, example: exampleRange},
	{name: FactDates, stated: reflect.TypeFor[statedDates](), stored: reflect.TypeFor[Dates](), form: datesForm,
		required: []string{"from", "to"}, short: "integer",
		figures: figuresOfDates, matches: []string{MatchWithin, MatchBefore, MatchAfter}, isDated: true, isSpan: true,
		read: readDates, example: func(*Fact) any { return Dates{"2026-04-01", "2026-09-30"} }},
	{name: FactPlace, stated: reflect.TypeFor[statedPlace](), stored: reflect.TypeFor[Place](), form: placeForm,
		required: []string{"latitude", "longitude", "name"}, isFree: true,
		texts:   func(_ *Fact, value any) []string { return []string{value.(Place).Name} },
		figures: figuresOfPlace, matches: []string{MatchNear}, isSpan: true, read: readPlace,
		example: func(*Fact) any { return Place{52.52, 13.4, "Berlin"} }},
	{name: FactText, stated: reflect.TypeFor[string](), isFree: true,
		texts: func(_ *Fact, value any) []string { return []string{value.(string)} }},
	{name: FactTexts, stated: reflect.TypeFor[[]string](), isFree: true,
		texts: func(_ *Fact, value any) []string { return value.([]string) }},
	{name: FactRelation, stated: reflect.TypeFor[[]string](), isFree: true, form: "[slug-of-a-listing]"},
	{name: FactLink, stated: reflect.TypeFor[Link](), isFree: true, form: linkForm,
		required: []string{"url"}, short: "string", read: readLink,
		example: func(*Fact) any { return Link{"https://example.example/manual", "The manual"} }},
	{name: FactPicture, stated: reflect.TypeFor[PictureFile](), stored: reflect.TypeFor[Picture](),
		isFree: true, isApart: true,
		form: pictureForm},
	{name: FactSetups, stated: reflect.TypeFor[[]hardware.Setup](), isFree: true},
}

// ValueProblem is a mistake in the value of a fact.
type ValueProblem struct {
	Path    []any // from the value to the wrong part: keys and indices
	Message string
}

// problem returns the problem of one part of a value, or of all of it.
func problem(message string, path ...any) []ValueProblem { return []ValueProblem{{path, message}} }

// valueWithParts is implemented by the values of facts that are structs.
type valueWithParts interface {
	// text returns the value in words.
	text(f *Fact) string
}

// of returns what the loops ask about a kind; an unknown kind has nothing.
func (k FactKind) of() *kind {
	if i := slices.IndexFunc(kinds, func(x kind) bool { return x.name == k }); i >= 0 {
		return &kinds[i]
	}
	return &kind{}
}

// KindsWith lists the kinds that satisfy is.
func KindsWith(is func(FactKind) bool) (list []FactKind) {
	for i := range kinds {
		if is(kinds[i].name) {
			list = append(list, kinds[i].name)
		}
	}
	return list
}

// FactKinds lists all kinds.
var FactKinds = KindsWith(func(FactKind) bool { return true })

// Type returns the Go type of the known values in listings.
func (k FactKind) Type() reflect.Type {
	if t := k.of().stored; t != nil {
		return t
	}
	return k.StatedType()
}

// Form says what to write in front matter, or returns "" if the definition says enough.
func (k FactKind) Form() string { return k.of().form }

// StatedForms returns the keys that front matter must have of a value that is an object, and the JSON type of
// another scalar that may stand for a value, or, of dates, for each text in it; "" for none.
func (f *Fact) StatedForms() (required []string, short string) {
	k := f.Kind.of()
	if f.Kind == FactMoney && f.Currency == "" { // a number alone would have no currency
		return append(k.required, "currency"), ""
	}
	return k.required, k.short
}

// IsNamed reports whether each value has a name in definitions: 0 and 1, or the slug of an option.
func (k FactKind) IsNamed() bool { return k.of().isNamed }

// HasOptions reports whether the values are those that the definition lists.
func (k FactKind) HasOptions() bool { return k.of().hasOptions }

// IsSearched reports whether searches find listings by their values, unless Fact.Searched is false.
func (k FactKind) IsSearched() bool { return k.of().texts != nil }

// IsFree reports whether answers say values by themselves, apart from the line of facts. They have no order.
func (k FactKind) IsFree() bool { return k.of().isFree }

// IsApart reports whether pages show values by themselves, and not in tables.
func (k FactKind) IsApart() bool { return k.of().isApart }

// Matches returns the ways in which a filter can compare figures, as in FactFilter.Match; nil if values have none.
func (k FactKind) Matches() []string { return k.of().matches }

// IsMeasured reports whether searches compare the figures of values.
func (k FactKind) IsMeasured() bool { return k.of().figures != nil }

// IsDated reports whether the figures are days.
func (k FactKind) IsDated() bool { return k.of().isDated }

// IsSpan reports whether the low and the high figure of a value may differ.
func (k FactKind) IsSpan() bool { return k.of().isSpan }

// HasUnit reports whether a definition may have a unit.
func (k FactKind) HasUnit() bool { return k.of().hasUnit }

// HasBounds reports whether a definition may have a least and a greatest value, and a query can name a figure: see
// FactAmount.
func (k FactKind) HasBounds() bool { return k.of().hasBounds }

// StatedType returns the Go type of values as front matter states them.
func (k FactKind) StatedType() reflect.Type {
	if t := k.of().stated; t != nil {
		return t
	}
	return reflect.TypeFor[string]() // of an unknown kind, in a damaged file
}

// empty returns the value of a fact about which nothing is known: nil, or an empty list.
func (k FactKind) empty() any {
	if t := k.Type(); t.Kind() == reflect.Slice {
		return reflect.MakeSlice(t, 0, 0).Interface()
	}
	return nil
}

// FactTypes lists the Go types of the values of facts, each once.
func FactTypes() (list []reflect.Type) {
	for _, k := range FactKinds {
		if t := k.Type(); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// figureOfNumber returns the only figure of a number.
func figureOfNumber(_ *Fact, value any) (low, high float64, ok bool) {
	n, ok := value.(float64)
	return n, n, ok
}

func readNumber(f *Fact, stated any) (any, []ValueProblem) {
	return stated, f.outOfBounds(stated.(float64))
}

// outOfBounds reports a number that the definition does not allow.
func (f *Fact) outOfBounds(n float64, path ...any) []ValueProblem {
	if f.Least != nil && n < *f.Least || f.Most != nil && n > *f.Most {
		return problem(Locale{}.number(n)+" is out of bounds: "+NumberBounds(f.Least, f.Most)+" is allowed", path...)
	}
	return nil
}

func exampleNumber(f *Fact) any { return f.within(1) }

// within returns the figure closest to n that the definition allows.
func (f *Fact) within(n float64) float64 {
	if f.Most != nil {
		n = min(n, *f.Most)
	}
	if f.Least != nil {
		n = max(n, *f.Least)
	}
	return n
}

// Read returns what a listing has for a value that its front matter states, and what is wrong with that, as far
// as the definition tells. The value is nil if it cannot be kept.
func (f *Fact) Read(stated any) (value any, problems []ValueProblem) {
	if k := f.Kind.of(); k.read != nil && Known(stated) {
		return k.read(f, stated)
	}
	return stated, nil
}

// Example returns a value for examples, or the unknown one.
func (f *Fact) Example() any {
	if k := f.Kind.of(); k.example != nil {
		return k.example(f)
	}
	return f.Kind.empty()
}

// Figures returns the numbers that a value covers, from low to high, which are equal for a single number. ok
// is false if searches do not compare the value, or it is unknown.
func (f *Fact) Figures(value any) (low, high float64, ok bool) {
	if k := f.Kind.of(); k.figures != nil && Known(value) {
		return k.figures(f, value)
	}
	return 0, 0, false
}

// Says returns a known value of a free kind in words, an entry each. quote marks what the listing says in its own
// words.
func (f *Fact) Says(value any, quote func(string) string) (list []string) {
	switch v := value.(type) {
	case string:
		list = append(list, quote(v))
	case []string:
		if f.Kind == FactRelation { // slugs are not words of the listing
			return v
		}
		for _, text := range v {
			list = append(list, quote(text))
		}
	case []hardware.Setup:
		for i := range v {
			list = append(list, v[i].Says(quote))
		}
	case interface {
		says(func(string) string) string
	}: // Place, Link and Picture
		list = append(list, v.says(quote))
	}
	return list
}

// DecodeFact decodes the JSON of a value without its definition. A list of objects becomes setups, any
// other list a []string, and an object the first type of FactTypes that has all its keys.
func DecodeFact(text []byte) (value any, err error) {
	if list := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("[")), " \t\r\n"); len(list) < len(text) &&
		bytes.HasPrefix(list, []byte("{")) {
		var setups []hardware.Setup
		err = json.Unmarshal(text, &setups)
		return setups, err
	}
	if bytes.HasPrefix(text, []byte("{")) {
		return decodeParts(text)
	}
	if err = json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	if list, ok := value.([]any); ok {
		texts := make([]string, len(list))
		for i, item := range list {
			texts[i] = fmt.Sprint(item)
		}
		value = texts
	}
	return value, nil
}

// FactOf returns the value of a fact that encoding/json has decoded into maps and lists.
func FactOf(decoded any) (value any, err error) {
	text, err := JSON(decoded)
	if err != nil {
		return nil, err
	}
	return DecodeFact(text)
}

// decodeParts decodes an object.
func decodeParts(text []byte) (any, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	for _, t := range FactTypes() {
		if t.Kind() != reflect.Struct || len(given) != t.NumField() {
			continue
		}
		value := reflect.New(t)
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if d.Decode(value.Interface()) == nil {
			return value.Elem().Interface(), nil
		}
	}
	return nil, fmt.Errorf("%s is no value of a fact", text)
}
