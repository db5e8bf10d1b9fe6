package api

import (
	"cmp"
	"math"
	"slices"

	"catalog.example/api/site"
)

// The values of FactFilter.Match: what of the fact has to lie where, in relation to the parameter.
const (
	MatchAtMost  = "at-most"  // all of it is at most the parameter
	MatchAtLeast = "at-least" // all of it is at least the parameter
	MatchBefore  = "before"   // all of it is on or before the last day of the parameter
	MatchAfter   = "after"    // all of it is on or after the first day of the parameter
	MatchWithin  = "within"   // the parameter lies within it
	MatchNear    = "near"     // it is a place within some kilometres of the parameter
)

// matchTexts say in words how a filter compares.
var matchTexts = map[string]string{MatchAtMost: "it is at most", MatchAtLeast: "it is at least",
	MatchBefore: "it is on or before", MatchAfter: "it is on or after", MatchWithin: "it covers",
	MatchNear: "it is near"}

// Bound says between which figures the low and the high one of a value must lie or, of a place, in which circle.
type Bound struct {
	LowFrom, LowTo, HighFrom, HighTo float64

	circle *circle
}

// BoundOf returns the bound of a filter whose parameter covers the figures from low to high.
func BoundOf(match string, low, high float64) Bound {
	b := Bound{LowFrom: math.Inf(-1), LowTo: math.Inf(1), HighFrom: math.Inf(-1), HighTo: math.Inf(1)}
	switch match {
	case MatchAtLeast, MatchAfter:
		b.LowFrom = low
	case MatchWithin:
		b.LowTo, b.HighFrom = low, high
	default:
		b.HighTo = high
	}
	return b
}

// Allows reports whether the figures from low to high lie where they must. NaN lies nowhere.
func (b *Bound) Allows(low, high float64) bool {
	if b.circle != nil {
		return b.circle.has(low, high)
	}
	return low >= b.LowFrom && low <= b.LowTo && high >= b.HighFrom && high <= b.HighTo
}

// Only returns the limit of the bound if it has only one: isMost if the high figure may be at most `most`, isLeast if
// the low one must be at least `least`. Searches then compare one figure of each listing instead of two.
func (b *Bound) Only() (most, least float64, isMost, isLeast bool) {
	lowest, highest := math.Inf(-1), math.Inf(1)
	hasOther := b.circle != nil || b.LowTo != highest || b.HighFrom != lowest
	return b.HighTo, b.LowFrom, !hasOther && b.LowFrom == lowest, !hasOther && b.HighTo == highest
}

// Bound returns what the filters of a search ask of the figures of the fact; ok is false for nothing.
func (f *Fact) Bound(q *Filters) (b Bound, ok bool) {
	if f.Filter == nil || !f.Kind.IsMeasured() {
		return b, false
	}
	if f.Kind == FactPlace {
		c, ok := circleOf(q.First(f.Filter.Parameter))
		return Bound{circle: &c}, ok
	}
	low, ok := q.Numbers[f.Filter.Parameter]
	high := low
	if f.Kind.of().isDated {
		low, high, ok = daysOf(q.First(f.Filter.Parameter))
	}
	return BoundOf(f.Filter.Match, low, high), ok
}

// BoundAt returns the bound of a figure that a query names: as the filter has it or, without one, at most the figure.
func (f *Fact) BoundAt(figure float64) Bound {
	match := MatchAtMost
	if f.Filter != nil {
		match = f.Filter.Match
	}
	return BoundOf(match, figure, figure)
}

// Direction says which figures come first in an order.
type Direction string

// The directions of orders.
const (
	Ascending  Direction = "asc"
	Descending Direction = "desc"
)

// SetShort implements strictyaml.Shorthand: true stands for Ascending.
func (d *Direction) SetShort(value any) (remedy string) {
	switch value {
	case true, string(Ascending):
		*d = Ascending
	case string(Descending):
		*d = Descending
	case false:
	default:
		return "write asc, desc or true, which is asc"
	}
	return ""
}

// Figure returns the figure by which orders compare the value, or NaN for one that comes last.
func (f *Fact) Figure(value any) float64 {
	if low, _, ok := f.Figures(value); ok {
		return low
	}
	return math.NaN()
}

// CompareFigures compares figures of the fact in the direction of Sort; NaN comes last.
func (f *Fact) CompareFigures(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(b, a) // NaN is less than all others
	case f.Sort == Descending:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// SortFacts returns the facts that have an order of their own.
func (t *Taxonomy) SortFacts() (list []*Fact) {
	for i := range t.Facts {
		if f := &t.Facts[i]; f.Sort != "" {
			list = append(list, f)
		}
	}
	return list
}

// Sorts lists the values of the parameter sort: those of every catalogue, then the keys of SortFacts.
func (t *Taxonomy) Sorts() []string {
	list := slices.Clone(SortValues)
	for _, f := range t.SortFacts() {
		list = append(list, f.Key)
	}
	return list
}

// ListOrders lists the orders of the pre-sorted lists.
func (t *Taxonomy) ListOrders() []string {
	list := []string{SortPopular, SortNewest, SortRecentlyUpdated}
	for _, f := range t.SortFacts() {
		list = append(list, f.Key)
	}
	return list
}

// SortOrder describes the order of an applied sort in one sentence. hasWords reports whether the
// search has words: without any, all listings match alike, and relevance is whether they run on the
// computer of the search.
func (t *Taxonomy) SortOrder(s *site.Settings, applied string, hasWords bool) string {
	if f := t.Fact(applied); f != nil && f.Sort != "" {
		return "By " + f.Label + ", " + f.firstInOrder() + "; " + f.lastInOrder() + " last."
	}
	return sortOrder(s, applied, hasWords)
}

// firstInOrder says what comes first in the order of the fact.
func (f *Fact) firstInOrder() string {
	words := []string{"lowest first", "highest first"}
	if f.Kind.of().isDated {
		words = []string{"earliest first", "latest first"}
	}
	if f.Sort == Descending {
		return words[1]
	}
	return words[0]
}

// lastInOrder says what has no place in the order of the fact.
func (f *Fact) lastInOrder() string {
	if f.Kind == FactMoney {
		return "other currencies than " + f.Currency + " and unknown"
	}
	return "unknown"
}
