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
	FactYesNo   FactKind = "yes-no"  // true or false: a bool
	FactChoice  FactKind = "choice"  // the slug of one of its options: a string
	FactChoices FactKind = "choices" // slugs of its options: a []string, empty if unknown
	FactNumber  FactKind = "number"  // a number in its unit: a float64
	FactText    FactKind = "text"    // a short text: a string
	FactTexts   FactKind = "texts"   // several short texts: a []string, empty if there are none
	FactPicture FactKind = "picture" // a picture of the content folder: a Picture
	FactSetups  FactKind = "setups"  // the setups of a listing: a []hardware.Setup, empty if there are none
)

// kind is what the loops over facts ask about the facts of a kind. A new kind is an entry of kinds and,
// if its values have parts, a type that implements valueWithParts.
type kind struct {
	name FactKind
	// new returns a pointer to a value as front matter states it. If stored is set, values of listings have
	// that type instead.
	new    func() any
	stored reflect.Type
	form   string // what to write in front matter, for drafts; "" if the definition says enough
	// isNamed is set if each value has a name in definitions, and hasOptions if Fact.Values lists the names.
	isNamed, hasOptions bool
	// isFree is set if values are texts and the like: no two listings have the same, so that nobody
	// compares or counts them.
	isFree bool
	// isApart is set if pages show the values by themselves, and not in tables.
	isApart bool
	// figures returns the numbers that a known value covers, which searches compare. matches are the ways
	// to compare them, as in FactFilter.Match. Both are nil if the values are not compared.
	figures func(f *Fact, value any) (low, high float64, ok bool)
	matches []string
	// problems says what is wrong with a known value, as far as its definition tells; nil for nothing.
	problems func(f *Fact, value any) []ValueProblem
	// example returns a value for examples; nil for none.
	example func(f *Fact) any
	hasUnit bool // Fact.Unit, Fact.Least and Fact.Most apply
	// hasAmounts is set if a query can name a figure: see FactAmount.
	hasAmounts bool
}

// kinds lists all kinds, in the order in which messages name them.
var kinds = []kind{
	{name: FactYesNo, new: newValue[bool], form: "true or false", isNamed: true,
		example: func(*Fact) any { return true }},
	{name: FactChoice, new: newValue[string], isNamed: true, hasOptions: true,
		example: func(f *Fact) any { return f.Values[0].Slug }},
	{name: FactChoices, new: newValue[[]string], isNamed: true, hasOptions: true,
		example: func(f *Fact) any { return []string{f.Values[0].Slug} }},
	{name: FactNumber, new: newValue[float64], figures: figureOfNumber, matches: []string{MatchAtMost, MatchAtLeast},
		hasUnit: true, hasAmounts: true, problems: problemsOfNumber, example: exampleNumber},
	{name: FactText, new: newValue[string], isFree: true},
	{name: FactTexts, new: newValue[[]string], isFree: true},
	{name: FactPicture, new: newValue[PictureFile], stored: reflect.TypeFor[Picture](), isFree: true, isApart: true,
		form: "{file: pictures/NAME.webp, alt: what one sees, source: where it is from}"},
	{name: FactSetups, new: newValue[[]hardware.Setup], isFree: true},
}

func newValue[T any]() any { return new(T) }

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
	// says is like text, for a value of a kind that is free: quote marks what the listing says in its own words.
	says(quote func(string) string) string
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
	switch of := k.of(); {
	case of.stored != nil:
		return of.stored
	case of.new != nil:
		return reflect.TypeOf(of.new()).Elem()
	}
	return reflect.TypeFor[string]() // of an unknown kind, in a damaged file
}

// Form says what to write in front matter, or returns "" if the definition says enough.
func (k FactKind) Form() string { return k.of().form }

// IsNamed reports whether each value has a name in definitions: 0 and 1, or the slug of an option.
func (k FactKind) IsNamed() bool { return k.of().isNamed }

// HasOptions reports whether the values are those that the definition lists.
func (k FactKind) HasOptions() bool { return k.of().hasOptions }

// IsFree reports whether values are texts and the like, which nobody compares or counts.
func (k FactKind) IsFree() bool { return k.of().isFree }

// IsApart reports whether pages show values by themselves, and not in tables.
func (k FactKind) IsApart() bool { return k.of().isApart }

// Matches returns the ways in which a filter can compare figures, as in FactFilter.Match; nil if values have none.
func (k FactKind) Matches() []string { return k.of().matches }

// IsMeasured reports whether searches compare the figures of values.
func (k FactKind) IsMeasured() bool { return k.of().figures != nil }

// HasUnit reports whether a definition may have a unit and bounds.
func (k FactKind) HasUnit() bool { return k.of().hasUnit }

// HasAmounts reports whether a query can name a figure: see FactAmount.
func (k FactKind) HasAmounts() bool { return k.of().hasAmounts }

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

func problemsOfNumber(f *Fact, value any) []ValueProblem {
	return f.outOfBounds(value.(float64))
}

// outOfBounds reports a number that the definition does not allow.
func (f *Fact) outOfBounds(n float64, path ...any) []ValueProblem {
	if f.Least != nil && n < *f.Least || f.Most != nil && n > *f.Most {
		return problem(fmt.Sprintf("%v is out of bounds: %s is allowed", n, NumberBounds(f.Least, f.Most)), path...)
	}
	return nil
}

func exampleNumber(f *Fact) any {
	if f.Least != nil {
		return *f.Least
	}
	return 1.0
}

// Problems says what is wrong with a value of a listing, as far as its definition tells.
func (f *Fact) Problems(value any) []ValueProblem {
	if k := f.Kind.of(); k.problems != nil && Known(value) {
		return k.problems(f, value)
	}
	return nil
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
		for _, text := range v {
			list = append(list, quote(text))
		}
	case []hardware.Setup:
		for i := range v {
			list = append(list, v[i].Says(quote))
		}
	case valueWithParts:
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

// decodeParts decodes an object.
func decodeParts(text []byte) (any, error) {
	for _, t := range FactTypes() {
		if t.Kind() != reflect.Struct {
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
