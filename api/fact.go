package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FactKind is what the values of a fact are.
type FactKind string

// The kinds of facts, and what a value is in front matter, in JSON and in Go.
const (
	FactYesNo   FactKind = "yes-no"  // true or false: a bool
	FactChoice  FactKind = "choice"  // the slug of one of its options: a string
	FactChoices FactKind = "choices" // slugs of its options: a []string, empty where unknown
	FactNumber  FactKind = "number"  // a number in its unit: a float64
	FactText    FactKind = "text"    // a short text: a string
	FactTexts   FactKind = "texts"   // several short texts: a []string, empty where there are none
)

// FactKinds lists all kinds.
var FactKinds = []FactKind{FactYesNo, FactChoice, FactChoices, FactNumber, FactText, FactTexts}

// MaxFacts bounds how many facts a catalog defines (contract 9).
const MaxFacts = 40

// Fact defines one fact of fitNotes (contract 9): an entry of taxonomy/facts.yml.
// Whatever is said of a fact anywhere follows from its definition.
//
// Where a definition speaks of values, those of a yes-no fact are "1" and "0", those of
// a choice its slugs. The only value of a number is "known", which stands for any.
type Fact struct {
	Key     string       `json:"key"`     // its name in fitNotes, in camelCase
	Kind    FactKind     `json:"kind"`    // one of FactKinds
	Label   string       `json:"label"`   // its name for people
	Group   string       `json:"group"`   // heading of the table that shows it; "" for none
	Meaning string       `json:"meaning"` // one sentence
	Values  []FactOption `json:"values"`  // of a choice or choices
	Unit    string       `json:"unit"`    // of a number; "" for none
	Least   *float64     `json:"least"`   // of a number
	Most    *float64     `json:"most"`    // of a number
	// Chip is what stands for a value by itself, as in rows of lists; a number follows
	// its text. A value without one is not shown in rows.
	Chip   map[string]string `json:"chip"`
	Filter *FactFilter       `json:"filter"` // the parameter of a search; nil for none
	// Asked and Suggested are wordings in a query that require or suggest a value of the
	// fact or of its filter; of a number, an amount, or FactAmount for the number in the
	// wording. "# gb ram" is any number and the words behind it.
	Asked     map[string][]string `json:"asked"`
	Suggested map[string][]string `json:"suggested"`
	Sourced   bool                `json:"sourced"` // a listing that knows it must say where it was read
	Checks    FactChecks          `json:"checks"`
}

// FactOption is a value that a fact may have.
type FactOption struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
}

// FactFilter is the search parameter of a fact.
type FactFilter struct {
	Parameter string `json:"parameter"`
	Described *bool  `json:"described"` // in the OpenAPI document; nil means true
	// Zero and One are the options of a choice that 0 and 1 find. Without them, the
	// parameter takes slugs.
	Zero []string `json:"0"`
	One  []string `json:"1"`
	// Match is how a number is compared with the parameter: MatchAtMost or MatchAtLeast.
	Match string `json:"match"`
	// Labels say what each value of the parameter finds; the fact's own labels where
	// there are none.
	Labels map[string]string `json:"labels"`
}

// The values of FactFilter.Match: the fact is at most, or at least, what is asked for.
const (
	MatchAtMost  = "at-most"
	MatchAtLeast = "at-least"
)

// FactChecks are what lint compares a fact with.
type FactChecks struct {
	NotAbove string              `json:"notAbove"` // the number that this one may not exceed
	Needs    map[string][]string `json:"needs"`    // a listing that knows this fact has one of these values of those
}

// FactAmount stands for the number that a wording names; FactKnown is the key of what
// stands before any number.
const (
	FactAmount = "amount"
	FactKnown  = "known"
)

// isDescribed tells whether the OpenAPI document describes the parameter.
func (f *FactFilter) isDescribed() bool { return f.Described == nil || *f.Described }

// Slugs returns what a value is called in definitions: "1" or "0", the slugs of a
// choice, nothing where it is unknown, and FactKnown for a number or a text.
func (f *Fact) Slugs(value any) []string {
	switch v := value.(type) {
	case bool:
		return flagSlugs[flagText(v)]
	case []string:
		if f.Kind == FactChoices {
			return v
		}
	case string:
		if f.Kind == FactChoice {
			return []string{v}
		}
	}
	if Known(value) {
		return []string{FactKnown}
	}
	return nil
}

// flagSlugs are what Slugs returns for yes and no. They are shared, because Slugs is called
// for each listing and filter of a build: nobody may change them.
var flagSlugs = map[string][]string{"0": {"0"}, "1": {"1"}}

func flagText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Known tells whether the value of a fact is known; of texts, whether there are any.
func Known(value any) bool {
	list, several := value.([]string)
	return value != nil && (!several || len(list) > 0)
}

// SameValue tells whether two values of a fact are the same.
func SameValue(a, b any) bool {
	if x, ok := a.([]string); ok {
		y, ok := b.([]string)
		return ok && slices.Equal(x, y)
	}
	if _, ok := b.([]string); ok {
		return false
	}
	return a == b
}

// Unknown is what is shown in the place of a value that is unknown.
const Unknown = "unknown"

// Text says a value in words: "yes", the labels of options, "8 GB".
func (f *Fact) Text(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return strings.TrimSpace(strconv.FormatFloat(v, 'f', -1, 64) + " " + f.Unit)
	case string:
		return f.labelOf(v)
	case []string:
		if len(v) > 0 {
			labels := make([]string, len(v))
			for i, text := range v {
				labels[i] = f.labelOf(text)
			}
			return strings.Join(labels, ", ")
		}
	}
	return Unknown
}

// labelOf returns the label of an option, or a text as it is.
func (f *Fact) labelOf(slug string) string {
	if i := slices.IndexFunc(f.Values, func(o FactOption) bool { return o.Slug == slug }); i >= 0 {
		return f.Values[i].Label
	}
	return slug
}

// Chips returns what rows of lists show of a value; nothing where the definition has
// no chip for it.
func (f *Fact) Chips(value any) (list []string) {
	for _, slug := range f.Slugs(value) {
		chip, ok := f.Chip[slug]
		switch {
		case !ok:
		case f.Kind == FactNumber || f.Kind == FactText:
			list = append(list, strings.TrimSpace(chip+" "+f.Text(value)))
		default:
			list = append(list, chip)
		}
	}
	return list
}

// Phrase says a fact by itself: its chips, or its label and the value.
func (f *Fact) Phrase(value any) string {
	if chips := f.Chips(value); len(chips) > 0 && len(chips) == len(f.Slugs(value)) {
		return strings.Join(chips, ", ")
	}
	return f.Label + ": " + f.Text(value)
}

// Decides tells whether people choose by the fact: it is shown in rows, or can be
// filtered by.
func (f *Fact) Decides() bool { return f.Filter != nil || len(f.Chip) > 0 }

// Flag tells whether the parameter of the fact is 0 or 1.
func (f *Fact) Flag() bool {
	return f.Kind == FactYesNo || f.Filter != nil && len(f.Filter.Zero)+len(f.Filter.One) > 0
}

// ByOption tells whether 0 and 1 find options of a choice.
func (f *Fact) ByOption() bool { return f.Flag() && f.Kind != FactYesNo }

// FilterValues are the values that the parameter of the fact can have, or without a
// parameter those of the fact; nil for a number and for texts.
func (f *Fact) FilterValues() []string {
	switch {
	case f.Flag():
		return []string{"1", "0"}
	case f.Kind == FactChoice || f.Kind == FactChoices:
		return f.Options()
	}
	return nil
}

// Options returns the slugs that a choice or choices may have.
func (f *Fact) Options() []string {
	slugs := make([]string, len(f.Values))
	for i, o := range f.Values {
		slugs[i] = o.Slug
	}
	return slugs
}

// FilterLabel says what a value of the parameter finds.
func (f *Fact) FilterLabel(value string) string {
	if f.Filter != nil && f.Filter.Labels[value] != "" {
		return f.Filter.Labels[value]
	}
	switch {
	case f.Kind == FactYesNo:
		return f.Text(value == "1")
	case !f.Flag():
		return f.labelOf(value)
	}
	found := f.Filter.Zero
	if value == "1" {
		found = f.Filter.One
	}
	labels := make([]string, len(found))
	for i, slug := range found {
		labels[i] = f.labelOf(slug)
	}
	return strings.Join(labels, " or ")
}

// FoundBy returns the values of the parameter that find a listing with that value of
// the fact, or without a parameter the value itself; nil for a number and for texts.
func (f *Fact) FoundBy(value any) []string {
	slugs := f.Slugs(value)
	switch f.Kind {
	case FactNumber, FactText, FactTexts:
		return nil
	case FactChoice, FactChoices:
		if !f.Flag() {
			return slugs
		}
		var found []string
		has := func(options []string) bool {
			return slices.ContainsFunc(slugs, func(s string) bool { return slices.Contains(options, s) })
		}
		if has(f.Filter.Zero) {
			found = append(found, "0")
		}
		if has(f.Filter.One) {
			found = append(found, "1")
		}
		return found
	}
	return slugs
}

// parameter returns the search parameter of a fact that has one.
func (f *Fact) parameter() Parameter {
	p := Parameter{Name: f.Filter.Parameter, Fact: f, Undescribed: !f.Filter.isDescribed(), Description: f.Meaning}
	switch {
	case f.Kind == FactNumber:
		bound := "at most"
		if f.Filter.Match == MatchAtLeast {
			bound = "at least"
		}
		unit := ""
		if f.Unit != "" {
			unit = ", in " + f.Unit
		}
		p.Kind, p.Least, p.Most, p.EmptyIsAbsent = KindNumber, f.Least, f.Most, true
		p.Description += " Finds listings where it is " + bound + " the given number" + unit + ". Unknown matches nothing."
	case f.Flag():
		p.Kind = KindFlag
		p.Description += " 1: " + f.FilterLabel("1") + "; 0: " + f.FilterLabel("0") + ". Unknown matches neither."
	default:
		p.Kind, p.Allowed, p.EmptyIsAbsent = KindChoices, f.FilterValues(), true
		p.Description += " " + severalMean
	}
	return p
}

// FactValue is a fact of a listing.
type FactValue struct {
	Key   string
	Kind  FactKind // "" where it was read from JSON
	Value any      // as told at FactKind; nil where unknown
}

// FactValues are all facts of a listing, in the order of their definitions. As JSON
// they are an object.
type FactValues []FactValue

// UnknownFacts returns the facts of a listing of which none is known.
func UnknownFacts(facts []Fact) FactValues {
	values := make(FactValues, len(facts))
	for i, f := range facts {
		values[i] = FactValue{Key: f.Key, Kind: f.Kind}
		if f.Kind == FactChoices || f.Kind == FactTexts {
			values[i].Value = []string{}
		}
	}
	return values
}

// Get returns the value of a fact, nil where it is unknown.
func (v FactValues) Get(key string) any {
	for i := range v {
		if v[i].Key == key {
			return v[i].Value
		}
	}
	return nil
}

// Set changes the value of a fact that is there.
func (v FactValues) Set(key string, value any) {
	for i := range v {
		if v[i].Key == key {
			v[i].Value = value
		}
	}
}

// MappingKeys lists the keys that front matter may have here.
func (v FactValues) MappingKeys() []string {
	keys := make([]string, len(v))
	for i := range v {
		keys[i] = v[i].Key
	}
	return keys
}

// MappingValue returns a pointer to a new value of the Go type that a fact has.
func (v FactValues) MappingValue(key string) any {
	i := slices.IndexFunc(v, func(x FactValue) bool { return x.Key == key })
	switch v[i].Kind {
	case FactYesNo:
		return new(bool)
	case FactNumber:
		return new(float64)
	case FactChoices, FactTexts:
		return new([]string)
	}
	return new(string)
}

// SetMapping takes over a value that MappingValue has returned.
func (v FactValues) SetMapping(key string, value any) {
	switch p := value.(type) {
	case *bool:
		v.Set(key, *p)
	case *float64:
		v.Set(key, *p)
	case *[]string:
		v.Set(key, append([]string{}, *p...))
	case *string:
		v.Set(key, *p)
	}
}

// MarshalJSON writes the facts as an object, in their order. Texts are written here:
// each call of encoding/json would make an encoder.
func (v FactValues) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 32*len(v)+2), '{')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, x.Key), ':')
		switch value := x.Value.(type) {
		case nil:
			b = append(b, "null"...)
		case bool:
			b = strconv.AppendBool(b, value)
		case string:
			b = AppendString(b, value)
		case []string:
			if value == nil {
				value = []string{}
			}
			b = AppendStrings(b, value)
		default:
			text, err := JSON(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Key, err)
			}
			b = append(b, text...)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object, in its order.
func (v *FactValues) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	start, err := d.Token()
	switch {
	case err != nil:
		return err
	case start == nil: // null changes nothing, as everywhere in encoding/json
		return nil
	case start != json.Delim('{'):
		return fmt.Errorf("facts are %v, and no object", start)
	}
	*v = FactValues{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return err
		}
		if list, ok := value.([]any); ok {
			texts := make([]string, len(list))
			for i, one := range list {
				texts[i] = fmt.Sprint(one)
			}
			value = texts
		}
		*v = append(*v, FactValue{Key: fmt.Sprint(key), Value: value})
	}
	return nil
}
