package render

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"catalog.example/api"
)

// barsShown is the number of bars of a chart of many values. The other values are one more
// bar.
const barsShown = 10

// chartView is a chart of horizontal bars, and its table. Lengths are in units of the SVG.
type chartView struct {
	ID, Title, Note, Column string
	Unknown                 string // how many are not drawn, because it is unknown; "" if all are
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

// chart draws counts of listings in their order. What is unknown is told and not drawn.
func (r *renderer) chart(id, title, note, column string, labels []string, counts map[string]int) chartView {
	v := chartView{ID: id, Title: title, Note: note, Column: column}
	most := 1
	for _, l := range labels {
		if l != r.t(api.Unknown) {
			most = max(most, counts[l])
		}
	}
	for i, l := range labels {
		width := counts[l] * barRoom / most
		v.Bars = append(v.Bars, barView{
			Label: l, Count: counts[l], Percent: fmt.Sprintf("%.0f%%", float64(100*counts[l])/float64(max(len(r.Listings), 1))),
			Y: i*barHeight + 4, Text: i*barHeight + 20, Width: max(width, 1), After: barStart + width + 8,
		})
	}
	v.Drawn = v.Bars
	if last := len(v.Bars) - 1; last >= 0 && v.Bars[last].Label == r.t(api.Unknown) {
		v.Drawn = v.Bars[:last]
		if n := v.Bars[last].Count; n > 0 {
			v.Unknown = r.n(n, "Unknown for {n} listing ({share}).", "Unknown for {n} listings ({share}).", "share", v.Bars[last].Percent)
		}
	}
	v.Height = len(v.Drawn)*barHeight + 4
	return v
}

// mostFirst returns the labels with the highest counts, and the total of the others.
func (r *renderer) mostFirst(counts map[string]int, others string) []string {
	labels := make([]string, 0, len(counts))
	for l := range counts {
		if l != r.t(api.Unknown) {
			labels = append(labels, l)
		}
	}
	slices.SortFunc(labels, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	if len(labels) > barsShown {
		for _, l := range labels[barsShown:] {
			counts[others] += counts[l]
		}
		labels = append(labels[:barsShown:barsShown], others)
	}
	if counts[r.t(api.Unknown)] > 0 {
		labels = append(labels, r.t(api.Unknown))
	}
	return labels
}

// month returns the month of a day as YYYY-MM, or api.Unknown.
func (r *renderer) month(day *api.Date) string {
	if day == nil {
		return r.t(api.Unknown)
	}
	return string(*day)[:len("2026-11")]
}

// latestFirst returns the latest months, and the total of the earlier ones.
func (r *renderer) latestFirst(counts map[string]int) []string {
	labels := slices.DeleteFunc(slices.Collect(maps.Keys(counts)), func(l string) bool { return l == r.t(api.Unknown) })
	slices.Sort(labels)
	slices.Reverse(labels)
	if len(labels) > barsShown {
		before := r.t("before")
		for _, l := range labels[barsShown:] {
			counts[before] += counts[l]
		}
		labels = append(labels[:barsShown:barsShown], before)
	}
	return append(labels, r.t(api.Unknown))
}

// numbers writes the page of charts.
func (r *renderer) numbers() error {
	licenses, languages := map[string]int{}, map[string]int{}
	upkeep, checked, counted := map[string]int{}, map[string]int{}, map[string]int{}
	for _, l := range r.Listings {
		license := r.t(api.Unknown)
		if l.License != nil {
			license = r.licenseName(*l.License)
		}
		licenses[license]++
		languages[orUnknown(r, l.Language)]++
		upkeep[r.t(orUnknown(r, l.Upkeep))]++
		checked[r.month(l.CheckedAt)]++
		counted[r.month(l.StarsAsOf)]++
	}
	var charts []chartView
	if r.view.Has("license") {
		charts = append(charts, r.chart("licences", r.t("Licences"), r.t("The licence that its makers state."), r.t("Licence"), r.mostFirst(licenses, r.t("all others")), licenses))
	}
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		if !chosenBy(f) {
			continue
		}
		labels, counts := r.countFact(f)
		if r.saysLittle(labels, counts) {
			continue
		}
		note := f.Meaning
		if f.Kind == api.FactChoices {
			note += " " + r.t("A listing may count for several.")
		}
		charts = append(charts, r.chart("fact-"+f.Key, f.Label, note, f.Label, labels, counts))
	}
	if r.view.Has("updatedAt") {
		charts = append(charts, r.chart("upkeep", r.t("Upkeep"), r.t("Whether it was worked on when the facts were read.")+" "+r.t(api.UpkeepMeaning), r.t("Upkeep"), append(r.translated(api.UpkeepValues), r.t(api.Unknown)), upkeep))
	}
	charts = append(charts, r.chart("checked", r.t("Facts read"), r.t("The month in which somebody last read the facts at their sources. Unknown: nobody has since the listing was added."), r.t("Month"), r.latestFirst(checked), checked))
	if r.view.Has("stars") {
		charts = append(charts, r.chart("counted", r.t("Stars counted"), r.t("The month in which the stars were counted."), r.t("Month"), r.latestFirst(counted), counted))
	}
	if r.view.Has("language") {
		charts = append(charts, r.chart("languages", r.t("Main language"), r.t("The language that most of the code is written in."), r.t("Language"), r.mostFirst(languages, r.t("all others")), languages))
	}
	return r.page("numbers", pageView{
		Title: r.t("The catalogue in numbers"), Description: r.t("The facts of all listings in charts and tables."), Path: "/numbers/",
		Crumbs: []crumbView{{r.t("Numbers"), ""}}, Data: struct {
			Count  int
			Charts []chartView
		}{len(r.Listings), charts},
	})
}

// saysLittle reports whether nearly all listings have one known value, so that a chart tells
// nothing.
func (r *renderer) saysLittle(labels []string, counts map[string]int) bool {
	return len(r.Listings) > 50 && slices.ContainsFunc(labels, func(l string) bool {
		return l != r.t(api.Unknown) && counts[l]*100 > len(r.Listings)*98
	})
}

// countFact counts the listings with each value of a fact. A listing with several
// values counts for each of them.
func (r *renderer) countFact(f *api.Fact) (labels []string, counts map[string]int) {
	counts = map[string]int{}
	var numbers []float64
	for _, l := range r.Listings {
		switch v := l.FitNotes.Get(f.Key).(type) {
		case float64:
			numbers = append(numbers, v)
		case []string:
			for _, slug := range v {
				counts[r.factText(f, slug)]++
			}
			if len(v) == 0 {
				counts[r.t(api.Unknown)]++
			}
		default:
			counts[r.factText(f, v)]++
		}
	}
	switch f.Kind {
	case api.FactNumber:
		labels = r.bands(f, numbers, counts)
	case api.FactYesNo:
		labels = []string{r.factText(f, true), r.factText(f, false)}
	default:
		for _, o := range f.Values {
			labels = append(labels, o.Label)
		}
	}
	return append(labels, r.t(api.Unknown)), counts
}

// roundUp returns the next number with a short text, so that bands end at 5 and not at 4.4.
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
func (r *renderer) bands(f *api.Fact, numbers []float64, counts map[string]int) (labels []string) {
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
		label := r.t("up to {amount}", "amount", f.Text(end))
		switch {
		case least == most:
			label = f.Text(least)
		case i > 0 && i == len(ends)-1:
			label = r.t("over {amount}", "amount", f.Text(ends[i-1]))
		case i > 0:
			label = r.t("over {from} to {to}", "from", strings.TrimSuffix(f.Text(ends[i-1]), " "+f.Unit), "to", f.Text(end))
		}
		labels = append(labels, label)
		for len(numbers) > 0 && numbers[0] <= end {
			counts[label]++
			numbers = numbers[1:]
		}
	}
	return labels
}
