package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api/hardware"
)

// MaxFacts is the most facts that a catalogue may define.
const MaxFacts = 40

// Fact defines one fact of fitNotes: an entry of taxonomy/facts.yml. Everything shown about a fact
// follows from its definition.
//
// A definition refers to the values of a yes-no fact as "1" and "0", to the options of a choice by
// their slugs, and to any number or text as "known".
type Fact struct {
	Key     string       `json:"key"`     // its name in fitNotes, in camelCase
	Kind    FactKind     `json:"kind"`    // one of FactKinds
	Label   string       `json:"label"`   // its name for people
	Group   string       `json:"group"`   // heading of the table that shows it; "" for none
	Meaning string       `json:"meaning"` // one sentence; "" if the label says enough
	Values  []FactOption `json:"values"`  // the options of a choice or choices
	Unit    string       `json:"unit"`    // of a number or a range; "" for none
	Least   *float64     `json:"least"`   // of a number, a range or money
	Most    *float64     `json:"most"`    // of a number, a range or money
	// Currency is that of money which names no other, and the only one that filters and orders compare
	// (ISO 4217).
	Currency string `json:"currency"`
	// Inverse is the label of the fact on the pages of the listings that a relation names; "" for none.
	Inverse string `json:"inverse"`
	// Sort gives the fact an order of its own, sort=KEY; "" for none.
	Sort Direction `json:"sort"`
	// Chip maps a value to the short text that rows of lists show for it. A number or text is
	// appended to its chip. A value without a chip is not shown in rows.
	Chip   map[string]string `json:"chip"`
	Filter *FactFilter       `json:"filter"` // the search parameter; nil for none
	// Asked and Suggested map a value of the fact or its filter to the wordings in a query that
	// require or suggest it. For a kind with bounds, the key is an amount, or FactAmount for the number in
	// the wording: "# gb ram" matches any number before "gb ram".
	Asked     map[string][]string `json:"asked"`
	Suggested map[string][]string `json:"suggested"`
	// Searched says whether searches find listings by the values; nil means true. See Taxonomy.SearchedTexts.
	Searched *bool `json:"searched"`
	Sourced  bool  `json:"sourced"` // a listing with a value must give its source
	// Everyday marks the yes-no fact that is true for listings meant for people who do not know the
	// field. Such listings rank higher for a query without a word of Words.Technical.
	Everyday bool       `json:"everyday"`
	Checks   FactChecks `json:"checks"`
	// Derived is set if the fact follows from the setups; listings do not state it.
	Derived *hardware.Derivation `json:"derived"`
	// Follows is set if the fact, a yes-no, follows from choices: it is true if each of these facts has
	// one of the values here, false if one of them has another value, and unknown otherwise. Listings do
	// not state it. For LinksKey, the values are kinds of install links, of which a listing may have
	// several: one is enough.
	Follows map[string][]string `json:"follows"`
	// Suits maps a value to a short text that says for whom a listing with the value is the right one; see
	// Taxonomy.Suits. Several values may have the same text, as they offer the same. In the text of a number,
	// or of the RAM of setups, {value} stands for the figure.
	Suits map[string]string `json:"suits"`
	// Matters maps values of the filter to what somebody who chooses would say of them, such as "Works
	// offline". They are offered on the page that asks what matters, and their filters come first.
	Matters map[string]string `json:"matters"`
	// Cost maps a value to a sentence about what that means for the cost of use.
	Cost map[string]string `json:"cost"`

	locale Locale // how Text writes figures; see WithLocale
}

// WithLocale returns the fact with texts whose figures are written as a locale does.
func (f Fact) WithLocale(l Locale) Fact {
	f.locale = l
	return f
}

// CostOf says what the facts mean for the cost of use, in sentences; "" if nothing is known.
func (t *Taxonomy) CostOf(p *Project) string {
	var sentences []string
	for i := range t.Facts {
		f := &t.Facts[i]
		for _, slug := range f.Slugs(p.FitNotes.Get(f.Key)) {
			if sentence := f.Cost[slug]; sentence != "" {
				sentences = append(sentences, sentence)
			}
		}
	}
	return strings.Join(sentences, " ")
}

// LinksKey is the key in Fact.Follows for the kinds of a listing's install links.
const LinksKey = "installLinks"

// FactOption is a value that a fact may have.
type FactOption struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
}

// FactFilter is the search parameter of a fact.
type FactFilter struct {
	Parameter string `json:"parameter"`
	Described *bool  `json:"described"` // listed in the OpenAPI document; nil means true
	// Zero and One are the options of a choice that 0 and 1 match. Without them, the
	// parameter takes slugs.
	Zero []string `json:"0"`
	One  []string `json:"1"`
	// Matches maps a value of the parameter of a choice to the options that it finds. A value that
	// is not a key finds only the option with that slug.
	Matches map[string][]string `json:"matches"`
	// Match says how figures are compared with the parameter: one of Kind.Matches.
	Match string `json:"match"`
	// Labels describe what each value of the parameter matches. The default is the
	// fact's own labels.
	Labels map[string]string `json:"labels"`
}

// FactChecks holds the rules by which lint checks a fact against the rest of a listing.
type FactChecks struct {
	NotAbove string              `json:"notAbove"` // key of the number that this number may not exceed
	Needs    map[string][]string `json:"needs"`    // if this fact is known: the allowed values of other facts, by key
	// Links lists kinds of install links. If the fact is true, a listing must have a link of one of
	// these kinds, or a link with a command.
	Links []string `json:"links"`
	// OSIApproved maps a value of the fact to the value that osiApproved must then have.
	OSIApproved map[string]bool `json:"osiApproved"`
}

// FactAmount is the key for the number in a wording. FactKnown is the key of the chip for any
// number or text.
const (
	FactAmount = "amount"
	FactKnown  = "known"
)

// isOptionFlag reports whether the parameter takes 0 and 1, each for some options of a choice.
func (f *FactFilter) isOptionFlag() bool { return len(f.Zero)+len(f.One) > 0 }

// finds returns the options of a choice that a value of the parameter finds.
func (f *FactFilter) finds(value string) []string {
	options, ok := f.Matches[value]
	switch {
	case f.isOptionFlag() && value == "0":
		return f.Zero
	case f.isOptionFlag() && value == "1":
		return f.One
	case ok:
		return options
	}
	return []string{value}
}

// isDescribed reports whether the OpenAPI document describes the parameter.
func (f *FactFilter) isDescribed() bool { return f.Described == nil || *f.Described }

// MeaningOf returns the meaning of a fact, or else its label as a sentence.
func MeaningOf(f *Fact) string { return cmp.Or(f.Meaning, f.Label+".") }

// Slugs returns a value as definitions refer to it: "1" or "0", the slugs of a choice, FactKnown
// for any other known value, and nil if it is unknown. Do not modify the result.
func (f *Fact) Slugs(value any) []string {
	switch v := value.(type) {
	case bool:
		if v {
			return yesSlugs
		}
		return noSlugs
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

// yesSlugs and noSlugs are shared by all calls of Slugs, which runs for each listing and
// filter of a build.
var yesSlugs, noSlugs = []string{"1"}, []string{"0"}

// Known reports whether the value of a fact is known. An empty list is unknown.
func Known(value any) bool {
	switch v := value.(type) {
	case []string:
		return len(v) > 0
	case []hardware.Setup:
		return len(v) > 0
	}
	return value != nil
}

// IsStated reports whether listings state the fact below fitNotes. The other facts are the setups,
// which have a key of their own, and what follows from them or from other facts.
func (f *Fact) IsStated() bool {
	return f.Kind != FactSetups && f.Derived == nil && len(f.Follows) == 0
}

// IsInTable reports whether pages show the fact in a table. They show setups, pictures and, without a group, lists of
// texts by themselves. Figures without a group that follow from setups are shown with these.
func (f *Fact) IsInTable() bool {
	if f.Group == "" {
		return f.IsStated() && !f.Kind.IsApart() && f.Kind != FactTexts
	}
	return f.IsStated() || len(f.Follows) > 0
}

// SetFollowing sets the facts that follow from the install links and from other facts of the listing. If
// such a fact is unknown, the values that OSIApproved leaves it (see FactChecks) decide.
func (p *Project) SetFollowing(facts []Fact) {
	t := Taxonomy{Facts: facts}
	for i := range facts {
		if f := &facts[i]; len(f.Follows) > 0 {
			p.FitNotes.Set(f.Key, p.following(f, &t))
		}
	}
}

// following returns the value of a fact with Follows: a bool, or nil if unknown.
func (p *Project) following(f *Fact, t *Taxonomy) any {
	known := true
	for key, allowed := range f.Follows {
		var possible []string
		if key == LinksKey {
			possible = p.linkedWith(allowed)
		} else {
			possible = p.FitNotes.possible(t.Fact(key), p.OSIApproved)
		}
		some, all := false, len(possible) > 0
		for _, slug := range possible {
			isAllowed := slices.Contains(allowed, slug)
			some, all = some || isAllowed, all && isAllowed
		}
		if !some && len(possible) > 0 {
			return false
		}
		known = known && all
	}
	if !known {
		return nil
	}
	return true
}

// linkedWith returns the kind of the first install link that is one of some kinds, else that of the first
// with which something can be installed. Links to the documentation or the source leave open what
// else there is.
func (p *Project) linkedWith(kinds []string) []string {
	var others []string
	for i := range p.InstallLinks {
		kind := p.InstallLinks[i].Kind
		switch {
		case slices.Contains(kinds, kind):
			return []string{kind}
		case p.InstallLinks[i].Installs():
			others = append(others, kind)
		}
	}
	return others
}

// possible returns the options of a choice that a listing may have: the one that it has or, if that is
// unknown, those that osiApproved leaves. f is nil if its definition is wrong.
func (v FactValues) possible(f *Fact, osiApproved *bool) []string {
	if f == nil {
		return nil
	}
	if slug, ok := v.Get(f.Key).(string); ok {
		return []string{slug}
	}
	return slices.DeleteFunc(f.Options(), func(slug string) bool {
		approved, ok := f.Checks.OSIApproved[slug]
		return ok && osiApproved != nil && approved != *osiApproved
	})
}

// Unknown is shown in place of an unknown value.
const Unknown = "unknown"

// Text returns a value in words: "yes", the labels of options, "8 GB", or Unknown.
func (f *Fact) Text(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return f.Amount(f.locale.number(v))
	case string:
		return f.labelOf(v)
	case []string:
		if len(v) > 0 {
			return f.joinLabels(v, ", ")
		}
	case []hardware.Setup:
		if len(v) > 0 {
			return hardware.Text(v)
		}
	case valueWithParts:
		return v.text(f)
	}
	return Unknown
}

// Amount returns a number with the unit of the fact.
func (f *Fact) Amount(number string) string { return strings.TrimSpace(number + " " + f.Unit) }

// joinLabels returns the labels of options, joined.
func (f *Fact) joinLabels(slugs []string, separator string) string {
	labels := make([]string, len(slugs))
	for i, slug := range slugs {
		labels[i] = f.labelOf(slug)
	}
	return strings.Join(labels, separator)
}

// unlabelled lists the slugs of options which say that something is missing. Their labels are not searched: "luck" must
// not find a game whose label is "No luck".
var unlabelled = []string{"none", "no"}

// searchedLabels returns the labels of a choice by which searches find listings.
func (f *Fact) searchedLabels(value any) (labels []string) {
	for _, slug := range f.Slugs(value) {
		if !slices.Contains(unlabelled, slug) {
			labels = append(labels, f.labelOf(slug))
		}
	}
	return labels
}

// SearchedTexts returns the texts of the facts of a listing by which searches find it: labels of choices, texts and
// names of places.
func (t *Taxonomy) SearchedTexts(values FactValues) (texts []string) {
	for i := range t.Facts {
		f := &t.Facts[i]
		value := values.Get(f.Key)
		if Known(value) && f.IsStated() && f.Kind.IsSearched() && (f.Searched == nil || *f.Searched) {
			texts = append(texts, f.Kind.of().texts(f, value)...)
		}
	}
	return texts
}

// labelOf returns the label of the option with a slug, or the text itself if there is no such
// option.
func (f *Fact) labelOf(slug string) string {
	if i := slices.IndexFunc(f.Values, func(o FactOption) bool { return o.Slug == slug }); i >= 0 {
		return f.Values[i].Label
	}
	return slug
}

// Chips returns the texts that rows of lists show for a value; none if the definition has no chip
// for it.
func (f *Fact) Chips(value any) (list []string) {
	for _, slug := range f.Slugs(value) {
		chip, ok := f.Chip[slug]
		switch {
		case !ok:
		case !f.Kind.IsNamed():
			list = append(list, chipWith(chip, f.Text(value)))
		default:
			list = append(list, chip)
		}
	}
	return list
}

// chipValue stands for the number or text in a chip.
const chipValue = "{value}"

// chipWith returns a chip with the value in place of chipValue, or at the end if the chip has none.
func chipWith(chip, value string) string {
	if strings.Contains(chip, chipValue) {
		return strings.ReplaceAll(chip, chipValue, value)
	}
	return strings.TrimSpace(chip + " " + value)
}

// KnownChip returns the chip of a number or text fact with text in place of the value, or "" if it has no
// chip.
func (f *Fact) KnownChip(text string) string {
	chip, ok := f.Chip[FactKnown]
	if !ok {
		return ""
	}
	return chipWith(chip, text)
}

// Phrase returns the fact and its value in words: its chips, or "label: value".
func (f *Fact) Phrase(value any) string {
	if chips := f.Chips(value); len(chips) > 0 && len(chips) == len(f.Slugs(value)) {
		return strings.Join(chips, ", ")
	}
	return f.Label + ": " + f.Text(value)
}

// IsCriterion reports whether people choose by the fact: it is shown in rows, or is a filter or an order.
func (f *Fact) IsCriterion() bool { return f.Filter != nil || len(f.Chip) > 0 || f.Sort != "" }

// IsFlag reports whether the parameter of the fact takes 0 and 1.
func (f *Fact) IsFlag() bool {
	return f.Kind == FactYesNo || f.Filter != nil && f.Filter.isOptionFlag()
}

// IsOptionFlag reports whether the parameter takes 0 and 1, each for some options of a choice.
func (f *Fact) IsOptionFlag() bool { return f.IsFlag() && f.Kind != FactYesNo }

// FilterValues returns the values of the fact's parameter, or of the fact itself if it has
// no parameter; nil if the values have no names.
func (f *Fact) FilterValues() []string {
	switch {
	case f.IsFlag():
		return []string{"1", "0"}
	case f.Kind.HasOptions():
		return f.Options()
	}
	return nil
}

// Options returns the slugs of Values.
func (f *Fact) Options() []string {
	return texts(f.Values, func(o *FactOption) string { return o.Slug })
}

// FilterLabel describes what a value of the parameter matches.
func (f *Fact) FilterLabel(value string) string {
	if f.Filter != nil && f.Filter.Labels[value] != "" {
		return f.Filter.Labels[value]
	}
	switch {
	case f.Kind == FactYesNo:
		return f.Text(value == "1")
	case !f.IsFlag():
		return f.labelOf(value)
	}
	return f.joinLabels(f.Filter.finds(value), " or ")
}

// MatchingFilterValues returns the values of the parameter that find a listing with the given value
// of the fact. Without a parameter, it returns the slugs of the value. It returns nil if the values have no names.
func (f *Fact) MatchingFilterValues(value any) (matching []string) {
	slugs := f.Slugs(value)
	switch {
	case f.Kind == FactYesNo:
		return slugs
	case !f.Kind.HasOptions():
		return nil
	case f.Filter == nil || !f.IsFlag() && len(f.Filter.Matches) == 0:
		return slugs
	}
	values := f.Options()
	if f.IsFlag() {
		values = []string{"0", "1"}
	}
	for _, value := range values {
		found := f.Filter.finds(value)
		if slices.ContainsFunc(slugs, func(slug string) bool { return slices.Contains(found, slug) }) {
			matching = append(matching, value)
		}
	}
	return matching
}

// parameter returns the search parameter of the fact, which must have a Filter.
func (f *Fact) parameter() Parameter {
	p := Parameter{Name: f.Filter.Parameter, Fact: f, Undescribed: !f.Filter.isDescribed()}
	finds := ""
	switch {
	case f.Kind.IsDated():
		p.Kind, p.EmptyIsAbsent = KindDate, true
		finds = " Finds listings where " + matchTexts[f.Filter.Match] + " the given day, month or year."
	case f.Kind == FactPlace:
		p.Kind, p.EmptyIsAbsent = KindPlace, true
		finds = " Finds listings within some kilometres of a place: by default " + strconv.Itoa(DefaultKM) + "."
	case f.Kind.IsMeasured():
		p.Kind, p.Least, p.Most, p.EmptyIsAbsent = KindNumber, f.Least, f.Most, true
		finds = " Finds listings where " + matchTexts[f.Filter.Match] + " the given number" + f.measure() + "."
	case f.IsFlag():
		p.Kind = KindFlag
		if f.Kind != FactYesNo || f.Filter.Labels != nil {
			finds = " 1: " + f.FilterLabel("1") + "; 0: " + f.FilterLabel("0") + "."
		}
	default:
		p.Kind, p.Allowed, p.EmptyIsAbsent = KindChoices, f.FilterValues(), true
		for _, value := range p.Allowed {
			others := slices.DeleteFunc(slices.Clone(f.Filter.Matches[value]),
				func(option string) bool { return option == value })
			if len(others) > 0 {
				finds += " " + value + " (" + f.FilterLabel(value) + ") also finds " +
					strings.Join(others, " and ") + "."
			}
		}
	}
	first, _, _ := strings.Cut(MeaningOf(f), ". ")
	p.Description, p.Short = MeaningOf(f)+finds, strings.TrimSuffix(first, ".")+"."+finds
	if f.IsFlag() && f.Kind != FactYesNo { // both values are in words
		p.Short = strings.TrimPrefix(finds, " ")
	}
	return p
}

// measure says in what the parameter of the fact is: ", in GB", or "" for just a number.
func (f *Fact) measure() string {
	switch {
	case f.Currency != "":
		return ", in " + f.Currency + "; amounts in another currency are not compared"
	case f.Unit != "":
		return ", in " + f.Unit
	}
	return ""
}

// FactValue is the value of one fact of a listing.
type FactValue struct {
	Key   string
	Kind  FactKind // "" if it was read from JSON
	Value any      // of the type Kind.Type(); nil if unknown
	// Derived is set if the value follows from the setups or from other facts.
	Derived bool
}

// FactValues holds all facts of a listing, in the order of their definitions. Its JSON is an
// object.
type FactValues []FactValue

// UnknownFacts returns the facts of a listing with all values unknown.
func UnknownFacts(facts []Fact) FactValues {
	values := make(FactValues, len(facts))
	for i, f := range facts {
		values[i] = FactValue{Key: f.Key, Kind: f.Kind, Value: f.Kind.empty(), Derived: !f.IsStated()}
	}
	return values
}

// Get returns the value of the fact with a key, or nil if it is unknown.
func (v FactValues) Get(key string) any {
	for i := range v {
		if v[i].Key == key {
			return v[i].Value
		}
	}
	return nil
}

// Set changes the value of a fact. It does nothing if v lacks the key.
func (v FactValues) Set(key string, value any) {
	for i := range v {
		if v[i].Key == key {
			v[i].Value = value
		}
	}
}

// MappingKeys returns the keys that front matter may use for facts.
func (v FactValues) MappingKeys() []string {
	keys := make([]string, 0, len(v))
	for i := range v {
		if !v[i].Derived {
			keys = append(keys, v[i].Key)
		}
	}
	return keys
}

// MappingHint says what to write instead of a key that is not one of MappingKeys, or "".
func (v FactValues) MappingHint(key string) string {
	i := slices.IndexFunc(v, func(x FactValue) bool { return x.Key == key && x.Derived })
	switch {
	case i < 0:
	case v[i].Kind == FactYesNo:
		return key + " follows from other facts: remove it"
	default:
		return key + " is computed from setups: write the figure there, such as " + SetupsKey +
			": [{for: the program itself, ramGb: 8}] at the top level"
	}
	return ""
}

// MappingValue returns a pointer to a new value of the fact's Go type. The key must be
// one of MappingKeys.
func (v FactValues) MappingValue(key string) any {
	i := slices.IndexFunc(v, func(x FactValue) bool { return x.Key == key })
	return reflect.New(v[i].Kind.StatedType()).Interface()
}

// SetMapping sets a fact to a value that MappingValue returned.
func (v FactValues) SetMapping(key string, value any) {
	if texts, ok := value.(*[]string); ok { // an empty list is not nil
		v.Set(key, append([]string{}, *texts...))
		return
	}
	v.Set(key, reflect.ValueOf(value).Elem().Interface())
}

// MarshalJSON encodes the facts as an object, in order. It encodes strings itself, because each
// call of encoding/json would allocate an encoder.
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
			if setups, ok := value.([]hardware.Setup); ok && setups == nil {
				value = []hardware.Setup{}
			}
			encoded, err := JSON(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Key, err)
			}
			b = append(b, encoded...)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON decodes an object and keeps the order of its members.
func (v *FactValues) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	start, err := d.Token()
	switch {
	case err != nil:
		return err
	case start == nil: // null changes nothing, as everywhere in encoding/json
		return nil
	case start != json.Delim('{'):
		return fmt.Errorf("facts are %v, not an object", start)
	}
	*v = FactValues{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return err
		}
		value, err := DecodeFact(text)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*v = append(*v, FactValue{Key: fmt.Sprint(key), Value: value})
	}
	return nil
}
