package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
)

// barsShown is how many bars a chart of many values has; what is left is one
// more.
const barsShown = 10

// chartView is a chart of horizontal bars, and its table. Lengths are units of
// the drawing's own.
type chartView struct {
	ID, Title, Note, Column string
	Height                  int
	Bars                    []barView
}

type barView struct {
	Label          string
	Count          int
	Percent        string
	Y, Text, Width int // of the bar; of the baseline of its text; of the bar
	After          int // where the count stands
}

// The drawing is 440 units wide, so that its text can be read on a telephone:
// labels to 142, bars from 150 to 390, counts after them.
const (
	barHeight = 28
	barStart  = 150
	barRoom   = 240
)

// chart draws counts, in the order given.
func chart(id, title, note, column string, labels []string, counts map[string]int) chartView {
	v := chartView{ID: id, Title: title, Note: note, Column: column, Height: len(labels)*barHeight + 4}
	most, sum := 1, 0
	for _, l := range labels {
		most = max(most, counts[l])
		sum += counts[l]
	}
	for i, l := range labels {
		width := counts[l] * barRoom / most
		v.Bars = append(v.Bars, barView{
			Label: l, Count: counts[l], Percent: fmt.Sprintf("%.0f%%", float64(100*counts[l])/float64(max(sum, 1))),
			Y: i*barHeight + 4, Text: i*barHeight + 20, Width: max(width, 1), After: barStart + width + 8,
		})
	}
	return v
}

// mostFirst returns the labels of the highest counts; the rest are counted as
// others.
func mostFirst(counts map[string]int, others string) []string {
	labels := make([]string, 0, len(counts))
	for l := range counts {
		if l != unknown {
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
	if counts[unknown] > 0 {
		labels = append(labels, unknown)
	}
	return labels
}

// numbers writes the catalog in charts.
func (r *renderer) numbers() error {
	licenses, gpus, memory, fresh, languages := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, l := range r.Listings {
		licenses[orUnknown(l.License)]++
		if l.FitNotes.GPU == nil {
			gpus[unknown]++
		} else {
			gpus[gpuTexts[*l.FitNotes.GPU]]++
		}
		memory[memoryBand(l.FitNotes.MinRAMGB)]++
		fresh[ageBand(l.UpdatedAt, r.latest)]++
		languages[orUnknown(l.Language)]++
	}
	charts := []chartView{
		chart("licences", "Licences", "The licence that its makers state.", "Licence", mostFirst(licenses, "all others"), licenses),
		chart("gpu", "Need of a GPU", "Optional: it runs without, and can use one.", "GPU", append([]string{gpuTexts[api.GPUNone], gpuTexts[api.GPUOptional], gpuTexts[api.GPURequired]}, unknown), gpus),
		chart("memory", "Least main memory", "As stated by the makers; most state none.", "RAM", append(slices.Clone(memoryBands), unknown), memory),
		chart("freshness", "Latest commit or release", "Before the newest fact of the catalogue, "+string(r.latest)+".", "Age", append(slices.Clone(ageBands), unknown), fresh),
		chart("languages", "Main language", "The language that most of the code is written in.", "Language", mostFirst(languages, "all others"), languages),
	}
	return r.page("numbers", pageView{
		Title: "The catalogue in numbers", Description: "Licences, need of a GPU, memory, freshness and languages of all listings, in charts and tables.", Path: "/numbers/",
		Crumbs: []crumbView{{"Numbers", ""}}, Data: struct {
			Count  int
			Charts []chartView
		}{len(r.Listings), charts},
	})
}

var memoryBands = []string{"up to 4 GB", "over 4 to 8 GB", "over 8 to 16 GB", "over 16 GB"}

func memoryBand(gb *float64) string {
	switch {
	case gb == nil:
		return unknown
	case *gb <= 4:
		return memoryBands[0]
	case *gb <= 8:
		return memoryBands[1]
	case *gb <= 16:
		return memoryBands[2]
	default:
		return memoryBands[3]
	}
}

var ageBands = []string{"within a month", "1 to 6 months", "6 to 12 months", "1 to 2 years", "over 2 years"}

// ageBand tells how long before the catalog's latest day an update was.
func ageBand(updated *api.Date, latest api.Date) string {
	if updated == nil {
		return unknown
	}
	from, err := time.Parse(time.DateOnly, string(*updated))
	to, err2 := time.Parse(time.DateOnly, string(latest))
	if err != nil || err2 != nil {
		return unknown
	}
	days := int(to.Sub(from).Hours() / 24)
	for i, limit := range []int{31, 183, 365, 730} {
		if days <= limit {
			return ageBands[i]
		}
	}
	return ageBands[len(ageBands)-1]
}
