package render

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
)

// Words has the texts of pages in the words of the owner.
type Words struct {
	*labels.Labels
	settings *site.Settings
	taxonomy *api.Taxonomy
	chosenBy []*api.Fact     // those that ChosenBy reports
	isChip   map[string]bool // texts of chips
}

func newWords(in *Site, l *labels.Labels) *Words {
	w := &Words{Labels: l, settings: &in.Settings, taxonomy: &in.Content.Taxonomy, isChip: map[string]bool{}}
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		if ChosenBy(f) {
			w.chosenBy = append(w.chosenBy, f)
		}
		for _, chip := range f.Chip {
			w.isChip[chip] = true
		}
	}
	return w
}

// T returns a text in the words of the owner, with values in place of their names in braces.
func (w *Words) T(text string, values ...any) string { return w.Text(text, values...) }

// N is like T, for a text that contains a number: one is the English text for 1, and other the text
// for all other numbers.
func (w *Words) N(n int, one, other string, values ...any) string {
	return w.Count(n, one, other, values...)
}

// HasFit reports whether rows of lists have something to show of whom a listing suits: chips of facts, platforms, or
// what the reader's computer has to have.
func (w *Words) HasFit() bool {
	return w.HasPlatforms() || w.taxonomy.HasSetups() ||
		slices.ContainsFunc(w.taxonomy.Facts, func(f api.Fact) bool { return len(f.Chip) > 0 })
}

// HasPlatforms reports whether the taxonomy has platforms.
func (w *Words) HasPlatforms() bool {
	return w.settings.Has("platforms") && len(w.taxonomy.Platforms) > 0
}

// FactText returns a value of a fact in words.
func (w *Words) FactText(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok || !api.Known(v) || f.IsField() {
		return w.T(f.Text(v))
	}
	return f.Text(v)
}

// FactLabel returns the name of a fact. Names in the taxonomy are already in the owner's language.
func (w *Words) FactLabel(f *api.Fact) string { return w.OptionLabel(f, f.Label) }

// OptionLabel returns the label of an option of a fact.
func (w *Words) OptionLabel(f *api.Fact, label string) string {
	if f.IsField() {
		return w.T(label)
	}
	return label
}

// Phrase returns a fact in a few words.
func (w *Words) Phrase(f *api.Fact, v any) string {
	if _, ok := v.(bool); ok && len(f.Chips(v)) == 0 {
		return f.Label + ": " + w.FactText(f, v)
	}
	return f.Phrase(v)
}

// Translated returns texts in the words of the owner.
func (w *Words) Translated(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = w.T(text)
	}
	return list
}

// PlatformNames returns the names of platforms.
func (w *Words) PlatformNames(slugs []string) (names []string) {
	for _, slug := range slugs {
		if p, ok := w.taxonomy.Platform(slug); ok {
			names = append(names, p.Name)
		}
	}
	return names
}

// ShortFacts returns the known facts that people choose by, each in a few words.
func (w *Words) ShortFacts(p *api.Project) (list []string) {
	if p.License != nil {
		list = append(list, licenseName(nil, *p.License))
	}
	if Is(p.OSIApproved, false) {
		list = append(list, "not open source")
	}
	if s := p.Stopped(); s != "" {
		list = append(list, s)
	}
	for _, f := range w.chosenBy {
		if v := p.FitNotes.Get(f.Key); api.Known(v) {
			list = append(list, f.Phrase(v))
		}
	}
	if p.Stars != nil {
		list = append(list, fmt.Sprintf("%d stars", *p.Stars))
	}
	if p.UpdatedAt != nil {
		list = append(list, "updated "+string(*p.UpdatedAt))
	}
	return list
}

// DifferencesOf returns how other differs from one, in a few words for each difference.
func (w *Words) DifferencesOf(one, other *content.Listing) (list []string) {
	if one.License != nil && other.License != nil && *one.License != *other.License {
		list = append(list, w.LicenseName(*other.License))
	}
	for _, f := range w.chosenBy {
		a, b := one.FitNotes.Get(f.Key), other.FitNotes.Get(f.Key)
		// "no" is shown only if this listing has "yes".
		if api.Known(b) && !reflect.DeepEqual(a, b) && (b != false || a == true) {
			list = append(list, w.Phrase(f, b))
		}
	}
	only := func(a, b []string) string {
		slugs := slices.DeleteFunc(slices.Clone(a), func(slug string) bool { return slices.Contains(b, slug) })
		names := w.PlatformNames(slugs)
		// A platform that a chip names is left out.
		return strings.Join(slices.DeleteFunc(names, func(name string) bool { return w.isChip[name] }), ", ")
	}
	if also := only(other.Platforms, one.Platforms); also != "" {
		list = append(list, w.T("also on {platforms}", "platforms", also))
	}
	if missing := only(one.Platforms, other.Platforms); missing != "" && len(other.Platforms) > 0 {
		list = append(list, w.T("not on {platforms}", "platforms", missing))
	}
	if one.Language != nil && other.Language != nil && *one.Language != *other.Language {
		list = append(list, w.T("written in {language}", "language", *other.Language))
	}
	return list
}

// SameFacts reports whether two listings have the same facts by which people choose, of which at least one is known.
func (w *Words) SameFacts(one, other *content.Listing) bool {
	pairs := [][2]any{{one.Platforms, other.Platforms}}
	for _, texts := range [][2]*string{{one.License, other.License}, {one.Language, other.Language}} {
		if texts[0] != nil || texts[1] != nil {
			pairs = append(pairs, [2]any{texts[0], texts[1]})
		}
	}
	for _, f := range w.chosenBy {
		pairs = append(pairs, [2]any{one.FitNotes.Get(f.Key), other.FitNotes.Get(f.Key)})
	}
	known := false
	for _, pair := range pairs {
		switch of := [2]bool{api.Known(pair[0]), api.Known(pair[1])}; {
		case of == [2]bool{}:
		case of[0] != of[1] || !reflect.DeepEqual(pair[0], pair[1]):
			return false
		default:
			known = true
		}
	}
	return known
}

// Stopped says that a listing is no longer maintained, or returns "".
func (w *Words) Stopped(p *api.Project) string {
	return w.T(p.Stopped())
}

// FieldLabel returns the name of a field of Sources in words.
func (w *Words) FieldLabel(field string) string {
	if key, ok := strings.CutPrefix(field, "fitNotes."); ok {
		if f := w.taxonomy.Fact(key); f != nil {
			return f.Label
		}
	}
	label, ok := map[string]string{
		"name": w.T("Name"), "homepageUrl": w.T("Homepage"), "docsUrl": w.T("Documentation"),
		"repositoryUrl": w.T("Source repository"),
		"osiApproved":   w.T("Open source"), "license": w.T("Licence"), "stars": w.T("Stars"),
		"archived": w.T("Archived"), "release": w.T("Latest release"), "createdAt": w.T("First commit"),
		"updatedAt": w.T("Latest commit or release"), "language": w.T("Language"), "platforms": w.T("Platforms"),
		"replaces": w.T("Instead of"), "installLinks": w.T("Install"), api.SetupsKey: w.T("RAM and VRAM"),
		api.RunsWithKey: w.T("Runs models with"), api.AdvisoriesKey: w.T("Known vulnerabilities"),
	}[field]
	if !ok {
		label = strings.ToUpper(field[:1]) + field[1:]
	}
	return label
}

// FitTexts returns the facts of a listing that are lists of texts.
func (w *Words) FitTexts(p *api.Project) (list []Texts) {
	for i := range w.taxonomy.Facts {
		f := &w.taxonomy.Facts[i]
		texts, ok := p.FitNotes.Get(f.Key).([]string)
		if ok && f.Kind == api.FactTexts && f.Group == "" && len(texts) > 0 {
			list = append(list, Texts{Label: f.Label, List: texts, Key: f.Key})
		}
	}
	return list
}

// ChosenBy reports whether people choose by a fact.
func ChosenBy(f *api.Fact) bool {
	return f.Kind.IsNamed() || f.Kind.IsMeasured() && f.IsCriterion()
}

// OrUnknown returns a text, or the word for unknown.
func OrUnknown[T ~string](w *Words, s *T) string {
	if s == nil {
		return w.T(api.Unknown)
	}
	return string(*s)
}

// Texts is a fact that is a list of texts, which is not in a table.
type Texts struct {
	Label string
	List  []string
	Key   string
}
