package api

import (
	"slices"
	"strings"

	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// MaxSuits is the most reasons that Suits gives for a listing.
const MaxSuits = 3

// Suit says for whom a listing is the right one beside certain others, such as "for people who do not
// program". At least one of the others is known not to offer it.
type Suit struct {
	Fact *Fact // what it follows from; see IsBuiltIn
	// Phrase is a text of Fact.Suits. It may contain {value}, which stands for Values.
	Phrase string
	Values []string // an amount, or the names of platforms
	// Basis says where a figure for RAM comes from: one of hardware.Bases. It is "" for anything else.
	Basis string
}

// IsBuiltIn reports whether the phrase is one of BuiltInSuits, and not of the catalogue.
func (s *Suit) IsBuiltIn() bool { return s.Fact.IsSystems() || s.Fact.IsField() }

// BuiltInSuits lists the phrases of the facts that are fields of listings, and of operating systems.
func BuiltInSuits() []string {
	list := []string{systemsFact.Suits[""]}
	for i := range fieldFacts {
		for _, phrase := range fieldFacts[i].Suits {
			if !slices.Contains(list, phrase) {
				list = append(list, phrase)
			}
		}
	}
	return list
}

// Text returns the reason in English: "on 8 GB of RAM (estimated)", "on macOS and Windows".
func (s *Suit) Text() string {
	values, last := strings.Join(s.Values, ", "), len(s.Values)-1
	if last > 0 {
		values = strings.Join(s.Values[:last], ", ") + " and " + s.Values[last]
	}
	text := strings.ReplaceAll(s.Phrase, chipValue, values)
	if s.Basis != "" {
		text += " (" + s.Basis + ")"
	}
	return text
}

// systemsFact stands for the operating systems of a listing, which are a field and no fact.
var systemsFact = Fact{Key: "platforms", Kind: FactChoices, Suits: map[string]string{"": "on {value}"}}

// IsSystems reports whether the fact, one of SuitFacts, stands for the operating systems of a listing.
func (f *Fact) IsSystems() bool { return f == &systemsFact }

// SuitFacts returns the facts that Suits reads, the most telling first: the fact marked Fact.Everyday, the
// other facts with phrases in the order of their definitions, the operating systems, and fields.
func (t *Taxonomy) SuitFacts(s *site.Settings) (list []*Fact) {
	for i := range t.Facts {
		switch f := &t.Facts[i]; {
		case len(f.Suits) == 0:
		case f.Everyday:
			list = slices.Insert(list, 0, f)
		default:
			list = append(list, f)
		}
	}
	if s.Has(systemsFact.Key) && len(t.SystemSlugs()) > 0 {
		list = append(list, &systemsFact)
	}
	for i := range fieldFacts {
		if f := &fieldFacts[i].Fact; len(f.Suits) > 0 && s.HasKey(f.Key) {
			list = append(list, f)
		}
	}
	return list
}

// Suits says for each of several listings for whom it is the right one, in at most MaxSuits reasons, the
// most telling first. What is unknown of a listing is no reason for another. templates/assets/compare.js does
// the same; testdata/suits.json has cases for both.
func (t *Taxonomy) Suits(s *site.Settings, listings []*Project) [][]Suit {
	all := make([][]Suit, len(listings))
	if len(listings) < 2 {
		return all
	}
	offers := make([]offer, len(listings))
	for _, f := range t.SuitFacts(s) {
		for i, p := range listings {
			offers[i] = t.offerOf(f, p)
		}
		for i := range offers {
			if len(all[i]) < MaxSuits {
				all[i] = append(all[i], offers[i].beyond(f, offers)...)
				all[i] = all[i][:min(len(all[i]), MaxSuits)]
			}
		}
	}
	return all
}

// offer is what a listing offers by a fact. Without values, nothing is known.
type offer struct {
	// values are the slugs of the fact, an amount in words, or the names of the operating systems that the
	// listing names.
	values []string
	// also has operating systems on which people can use the listing, whether or not it names them.
	also   []string
	amount float64
	basis  string // as in Suit
}

func (t *Taxonomy) offerOf(f *Fact, p *Project) offer {
	switch {
	case f.IsSystems():
		return t.systemsOffer(p)
	case f.Kind == FactSetups:
		return memoryOffer(p)
	}
	value := p.SearchFact(f)
	if amount, ok := value.(float64); ok {
		return offer{values: []string{f.Text(value)}, amount: amount}
	}
	return offer{values: f.Slugs(value)}
}

func (t *Taxonomy) systemsOffer(p *Project) (o offer) {
	all, _ := t.SystemsOf(p.Platforms)
	for i := range t.Platforms {
		switch system := &t.Platforms[i]; {
		case !system.System:
		case slices.Contains(p.Platforms, system.Slug):
			o.values = append(o.values, system.Name)
		case slices.Contains(all, system.Slug):
			o.also = append(o.also, system.Name)
		}
	}
	return o
}

// memoryOffer returns the least RAM that a listing needs on any computer. It is unknown if the figure leaves
// out the model, because others' figures have it. So does an estimate if other programs run the models, or
// all setups say so.
func memoryOffer(p *Project) (o offer) {
	// Systems and cards do not matter on any computer.
	needs := hardware.Needs{Setups: p.FitNotes.Setups(), Estimate: p.Estimate}
	least, use := (&hardware.Machine{}).Least(&needs)
	hasModel := func(s hardware.Setup) bool { return !s.ModelsElsewhere }
	switch {
	case least.RAMGb == 0,
		least.RAMBasis != hardware.BasisEstimated && !hasModel(needs.Setups[use]),
		least.RAMBasis == hardware.BasisEstimated && (len(p.RunsWith) > 0 ||
			len(needs.Setups) > 0 && !slices.ContainsFunc(needs.Setups, hasModel)):
		return o
	}
	return offer{values: []string{hardware.FormatGb(least.RAMGb) + " GB"}, amount: least.RAMGb, basis: least.RAMBasis}
}

// muchRAM is how many times as much RAM another listing needs at least, so that needing less is a reason. The
// sizes in which memory is sold are about that far apart.
const muchRAM = 1.5

// beyond returns the reasons for an offer beside others, which may include it.
func (o *offer) beyond(f *Fact, others []offer) (list []Suit) {
	lacked := func(has func(*offer) bool) bool {
		return slices.ContainsFunc(others, func(x offer) bool { return len(x.values) > 0 && !has(&x) })
	}
	switch {
	case len(o.values) == 0:
		return nil
	case f.IsSystems():
		var only []string
		for _, name := range o.values {
			if lacked(func(x *offer) bool { return slices.Contains(x.values, name) || slices.Contains(x.also, name) }) {
				only = append(only, name)
			}
		}
		if len(only) > 0 {
			list = append(list, Suit{Fact: f, Phrase: f.Suits[""], Values: only})
		}
		return list
	case f.Kind == FactSetups || f.Kind == FactNumber:
		if lacked(func(x *offer) bool { return !o.isBetter(f, x) }) {
			list = append(list, Suit{Fact: f, Phrase: f.Suits[FactKnown], Values: o.values, Basis: o.basis})
		}
		return list
	}
	for _, slug := range o.values {
		phrase := f.Suits[slug]
		said := func(x string) bool { return f.Suits[x] == phrase }
		if phrase != "" && !slices.ContainsFunc(list, func(s Suit) bool { return s.Phrase == phrase }) &&
			lacked(func(x *offer) bool { return slices.ContainsFunc(x.values, said) }) {
			list = append(list, Suit{Fact: f, Phrase: phrase})
		}
	}
	return list
}

// isBetter reports whether an amount suits more people than another: less if the fact's filter finds what is
// at most a number, else more.
func (o *offer) isBetter(f *Fact, other *offer) bool {
	switch {
	case f.Kind == FactSetups:
		return other.amount >= muchRAM*o.amount
	case f.Filter.Match == MatchAtMost:
		return o.amount < other.amount
	}
	return o.amount > other.amount
}
