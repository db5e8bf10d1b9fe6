package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// barsShown is the number of bars in a chart with many values. One more bar shows all other values.
const barsShown = 10

// chartView is a chart of horizontal bars, and its table. Lengths are in units of the SVG.
type chartView struct {
	ID, Title, Note, Column string
	Unknown                 string // number of listings not drawn, because their value is unknown; "" for none
	Height                  int
	Bars                    []barView // of the table; the last is the unknown
	Drawn                   []barView
}

type barView struct {
	Label          string
	Count          int
	Percent        string
	Y, Text, Width int // y of the bar, baseline of its text, width of the bar
	After          int // x of the count
}

// The drawing is 440 units wide, so that its text is readable on a phone: labels end at 212,
// bars are from 220 to 395, counts follow them.
const (
	barHeight = 28
	barStart  = 220
	barRoom   = 175
)

// chart draws counts of listings in their order. The count of unknown values is stated but not
// drawn.
func (s numbersPage) chart(id, title, note, column string, labels []string, counts map[string]int) chartView {
	v := chartView{ID: id, Title: title, Note: note, Column: column}
	most := 1
	for _, l := range labels {
		if l != s.T(api.Unknown) {
			most = max(most, counts[l])
		}
	}
	for i, l := range labels {
		width := counts[l] * barRoom / most
		v.Bars = append(v.Bars, barView{
			Label: l, Count: counts[l],
			Percent: fmt.Sprintf("%.0f%%", float64(100*counts[l])/float64(max(len(s.Listings), 1))),
			Y:       i*barHeight + 4, Text: i*barHeight + 20, Width: max(width, 1), After: barStart + width + 8,
		})
	}
	v.Drawn = v.Bars
	if last := len(v.Bars) - 1; last >= 0 && v.Bars[last].Label == s.T(api.Unknown) {
		v.Drawn = v.Bars[:last]
		if n := v.Bars[last].Count; n > 0 {
			v.Unknown = s.N(n, "Unknown for {n} listing ({share}).", "Unknown for {n} listings ({share}).",
				"share", v.Bars[last].Percent)
		}
	}
	v.Height = len(v.Drawn)*barHeight + 4
	return v
}

// first returns the first labels in an order, then a label for the total of the others, and the
// label of unknown values if they were counted.
func (s numbersPage) first(counts map[string]int, others string, compare func(a, b string) int) []string {
	unknown := s.T(api.Unknown)
	labels := slices.SortedFunc(maps.Keys(counts), compare)
	labels = slices.DeleteFunc(labels, func(l string) bool { return l == unknown })
	if len(labels) > barsShown {
		for _, l := range labels[barsShown:] {
			counts[others] += counts[l]
		}
		labels = append(labels[:barsShown:barsShown], others)
	}
	if _, ok := counts[unknown]; ok {
		labels = append(labels, unknown)
	}
	return labels
}

// mostFirst returns the labels with the highest counts.
func (s numbersPage) mostFirst(counts map[string]int) []string {
	return s.first(counts, s.T("all others"), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// latestFirst returns the latest months.
func (s numbersPage) latestFirst(counts map[string]int) []string {
	counts[s.T(api.Unknown)] += 0 // unknown has a row even if its count is 0
	return s.first(counts, s.T("before"), func(a, b string) int { return strings.Compare(b, a) })
}

// month returns the month of a day as YYYY-MM, or api.Unknown.
func (s numbersPage) month(day *api.Date) string {
	if day == nil {
		return s.T(api.Unknown)
	}
	return string(*day)[:len("2026-11")]
}

// numbersPage has charts of the facts of all listings.
type numbersPage struct{ *catalog }

func (s numbersPage) show() (*render.Page, error) {
	return &render.Page{
		Kind: "numbers", Title: s.T("The catalogue in numbers"), Path: "/numbers/",
		Description: s.T("The facts of all listings in charts and tables."), Crumbs: render.Crumbs(s.T("Numbers")),
		Data: struct {
			Count  int
			Charts []chartView
		}{len(s.Listings), s.charts()},
	}, nil
}

func (s numbersPage) charts() (charts []chartView) {
	unknown := s.T(api.Unknown)
	count := func(of func(l *content.Listing) string) map[string]int {
		counts := map[string]int{}
		for _, l := range s.Listings {
			counts[of(l)]++
		}
		return counts
	}
	add := func(id, title, note, column string, labels []string, counts map[string]int) {
		charts = append(charts, s.chart(id, title, note, column, labels, counts))
	}
	if s.View.Has("license") {
		counts := count(func(l *content.Listing) string {
			if l.License == nil {
				return unknown
			}
			return s.LicenseName(*l.License)
		})
		note := s.T("The licence that its makers state.")
		add("licences", s.T("Licences"), note, s.T("Licence"), s.mostFirst(counts), counts)
	}
	for i := range s.Content.Taxonomy.Facts {
		f := &s.Content.Taxonomy.Facts[i]
		// What covers several figures, or has no currency of its own, has no band.
		if !render.ChosenBy(f) || f.Kind.IsSpan() || f.Kind == api.FactMoney && f.Currency == "" {
			continue
		}
		labels, counts := s.countFact(f)
		if s.saysLittle(labels, counts) {
			continue
		}
		note := f.Meaning
		if f.Kind == api.FactChoices {
			note += " " + s.T("A listing may count for several.")
		}
		add("fact-"+f.Key, f.Label, note, f.Label, labels, counts)
	}
	if s.View.Has("updatedAt") {
		counts := count(func(l *content.Listing) string { return s.T(render.OrUnknown(s.Words, l.Upkeep)) })
		note := s.T("Whether it was still maintained when we last looked.") + " " + s.T(api.UpkeepMeaning)
		add("upkeep", s.T("Upkeep"), note, s.T("Upkeep"), append(s.Translated(api.UpkeepValues), unknown), counts)
	}
	checked := count(func(l *content.Listing) string { return s.month(l.CheckedAt) })
	note := s.T("The month in which somebody last read the facts at their sources. " +
		"Unknown: nobody has since the listing was added.")
	add("checked", s.T("Facts read"), note, s.T("Month"), s.latestFirst(checked), checked)
	if s.View.Has("stars") {
		counts := count(func(l *content.Listing) string { return s.month(l.StarsAsOf) })
		note := s.T("The month in which the stars were counted.")
		add("counted", s.T("Stars counted"), note, s.T("Month"), s.latestFirst(counts), counts)
	}
	if s.View.Has("language") {
		counts := count(func(l *content.Listing) string { return render.OrUnknown(s.Words, l.Language) })
		note := s.T("The language that most of the code is written in.")
		add("languages", s.T("Main language"), note, s.T("Language"), s.mostFirst(counts), counts)
	}
	return charts
}

// saysLittle reports whether nearly all listings have the same known value, so that a chart would
// say nothing.
func (s numbersPage) saysLittle(labels []string, counts map[string]int) bool {
	return len(s.Listings) > 50 && slices.ContainsFunc(labels, func(l string) bool {
		return l != s.T(api.Unknown) && counts[l]*100 > len(s.Listings)*98
	})
}

// countFact counts the listings with each value of a fact. A listing with several
// values counts for each of them.
func (s numbersPage) countFact(f *api.Fact) (labels []string, counts map[string]int) {
	counts = map[string]int{}
	otherCurrency := s.T("in another currency")
	var numbers []float64
	for _, l := range s.Listings {
		value := l.FitNotes.Get(f.Key)
		if figure, _, ok := f.Figures(value); ok {
			numbers = append(numbers, figure)
			continue
		}
		switch v := value.(type) {
		case []string:
			for _, slug := range v {
				counts[s.FactText(f, slug)]++
			}
			if len(v) == 0 {
				counts[s.T(api.Unknown)]++
			}
		case api.Money:
			counts[otherCurrency]++
		default:
			counts[s.FactText(f, v)]++
		}
	}
	switch {
	case f.Kind.IsMeasured():
		labels = s.bands(f, numbers, counts)
		if counts[otherCurrency] > 0 {
			labels = append(labels, otherCurrency)
		}
	case f.Kind == api.FactYesNo:
		labels = []string{s.FactText(f, true), s.FactText(f, false)}
	default:
		for _, o := range f.Values {
			labels = append(labels, o.Label)
		}
	}
	return append(labels, s.T(api.Unknown)), counts
}

// roundUp rounds up to a number with few digits, so that bands end at 5 and not at 4.4.
func roundUp(x float64) float64 {
	if x <= 0 {
		return x
	}
	scale := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 1.2, 1.5, 1.6, 2, 2.4, 2.5, 3, 3.2, 4, 5, 6, 6.4, 8} {
		// Multiplying by a tenth is not exact.
		if end := math.Round(step*scale*1e9) / 1e9; end >= x {
			return end
		}
	}
	return 10 * scale
}

// bands counts numbers in up to four bands that end at round numbers near the quartiles.
func (s numbersPage) bands(f *api.Fact, numbers []float64, counts map[string]int) (labels []string) {
	if len(numbers) == 0 {
		return nil
	}
	slices.Sort(numbers)
	last := len(numbers) - 1
	least, most := numbers[0], numbers[last]
	var ends []float64
	for quarter := 1; quarter <= 4; quarter++ {
		ends = append(ends, roundUp(numbers[last*quarter/4]))
	}
	ends = slices.Compact(ends)
	for i, end := range ends {
		label := s.T("up to {amount}", "amount", f.FigureText(end))
		switch {
		case least == most:
			label = f.FigureText(least)
		case i > 0 && i == len(ends)-1:
			label = s.T("over {amount}", "amount", f.FigureText(ends[i-1]))
		case i > 0:
			from := strings.TrimSuffix(f.FigureText(ends[i-1]), " "+f.Unit)
			label = s.T("over {from} to {to}", "from", from, "to", f.FigureText(end))
		}
		labels = append(labels, label)
		for len(numbers) > 0 && numbers[0] <= end {
			counts[label]++
			numbers = numbers[1:]
		}
	}
	return labels
}
