package render

import (
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// suitTexts are the texts of package api that say for whom a listing is the right one.
var suitTexts = append(api.BuiltInSuits(), hardware.Bases...)

// SuitTexts says for whom each of several listings is the right one beside the others: some phrases each, the
// most telling first.
func (w *Words) SuitTexts(listings []*api.Project) [][]string {
	all := make([][]string, len(listings))
	for i, suits := range w.taxonomy.Suits(w.settings, listings) {
		for k := range suits {
			all[i] = append(all[i], w.suitText(&suits[k]))
		}
	}
	return all
}

// suitText returns a phrase in the words of the owner. Phrases of the taxonomy are already in these.
func (w *Words) suitText(s *api.Suit) string {
	translated := *s
	if s.IsBuiltIn() {
		translated.Phrase = w.T(s.Phrase)
	}
	translated.Basis = w.T(s.Basis)
	if last := len(s.Values) - 1; last > 0 {
		translated.Values = []string{w.T("{list} and {last}", "list", strings.Join(s.Values[:last], ", "), "last",
			s.Values[last])}
	}
	return translated.Text()
}

// scriptSuits is what the page code needs to say the same.
type scriptSuits struct {
	Facts   []scriptSuit      `json:"facts"` // the most telling first
	Systems []scriptSystem    `json:"systems"`
	Basis   map[string]string `json:"basis"` // labels of hardware.Bases
	And     string            `json:"and"`   // joins {list} and {last}
	Decimal string            `json:"decimal,omitempty"`
}

// scriptSuit is a fact with its phrases: by value, as JSON writes it, or by "" for any other value.
type scriptSuit struct {
	Key   string            `json:"key"`
	Kind  api.FactKind      `json:"kind"` // "" for operating systems
	Field bool              `json:"field,omitempty"`
	Less  bool              `json:"less,omitempty"` // of a number: less is better
	Text  string            `json:"text,omitempty"` // of a number, which {value} stands for
	Says  map[string]string `json:"says"`
}

// scriptSystem is a platform with operating systems.
type scriptSystem struct {
	Slug string   `json:"slug"`
	Name string   `json:"name,omitempty"` // of an operating system
	On   []string `json:"on,omitempty"`   // the operating systems that another platform is on
}

// newScriptSuits returns the table of phrases in the words of the owner.
func (w *Words) newScriptSuits() scriptSuits {
	table := scriptSuits{Systems: []scriptSystem{}, Basis: map[string]string{}, Facts: []scriptSuit{},
		And: w.T("{list} and {last}"), Decimal: w.decimal()}
	for _, basis := range hardware.Bases {
		table.Basis[basis] = w.T(basis)
	}
	for _, p := range w.taxonomy.Platforms {
		if p.System {
			table.Systems = append(table.Systems, scriptSystem{Slug: p.Slug, Name: p.Name})
		} else if len(p.On) > 0 {
			table.Systems = append(table.Systems, scriptSystem{Slug: p.Slug, On: p.On})
		}
	}
	written := map[string]string{"1": "true", "0": "false", api.FactKnown: ""}
	for _, f := range w.taxonomy.SuitFacts(w.settings) {
		fact := scriptSuit{Key: f.Key, Kind: f.Kind, Field: f.IsField(), Says: map[string]string{}}
		if f.IsSystems() {
			fact.Kind, fact.Field = "", true
		}
		if f.Kind == api.FactNumber {
			fact.Less, fact.Text = f.Filter.Match == api.MatchAtMost, f.Amount("{value}")
		}
		for value, phrase := range f.Suits {
			if slug, ok := written[value]; ok && !f.Kind.HasOptions() {
				value = slug
			}
			if fact.Field {
				phrase = w.T(phrase)
			}
			fact.Says[value] = phrase
		}
		table.Facts = append(table.Facts, fact)
	}
	return table
}
