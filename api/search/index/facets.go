package index

import (
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/spdx"
)

// Facet is a filter whose values are counted: one of the constants below, or facetOfFact plus the
// index of a fact in facetFacts.
type Facet int

// The facets that are not facts.
const (
	FacetCategory Facet = iota
	FacetPlatform
	FacetLicense
	facetOfFact
)

// FacetNames holds the names of the facets that are not facts. Their parameters have the same
// names.
var FacetNames = [facetOfFact]string{"category", "platform", "license"}

// Column returns the column that has the values of a facet.
func (f Facet) Column() int { return int(min(f, facetOfFact)) }

// FactName returns the name of a fact in terms: its parameter, or its key if it has no parameter.
func FactName(f *api.Fact) string {
	if f.Filter != nil {
		return f.Filter.Parameter
	}
	return f.Key
}

// ValueTerm returns the term of the listings that match a value of a filter, or have a value of
// another fact.
func ValueTerm(name, value string) string { return termValue + name + "=" + value }

// TermText returns a term of a fact or licence as it is shown: "platform=linux".
func TermText(term string) string { return strings.TrimLeft(term, termValue+termLicense) }

// FactArchived names the fact that upstream is archived or abandoned.
const FactArchived = "archived"

// FactReplaces names the fact that a listing replaces a product. Its values are the slugs of
// products.
const FactReplaces = "replaces"

// LicenseTerm returns the term of the listings that match a value of the parameter license.
func LicenseTerm(license string) string { return termLicense + strings.ToLower(license) }

// sufficientLicenses returns the licences that each suffice, alone, to comply with an SPDX
// expression. If no single licence does, it returns the whole expression.
func sufficientLicenses(expression string) []spdx.License {
	e, _ := spdx.Parse(expression)
	if list := e.Sufficient(); len(list) > 0 {
		return list
	}
	return []spdx.License{{ID: expression}}
}

// FacetValues holds the values that facets count.
type FacetValues struct {
	Names  []string // of the facets
	Values [][]FacetValue
	Sets   []ValueSets // of each facet
	Lists  []ValueLists
}

// ValueSets says which values of a facet each number in its column stands for. A large catalogue has
// thousands of numbers, but few different sets of a facet's values.
type ValueSets struct {
	of       []uint32 // for each number, an index into distinct
	distinct [][]int  // indexes of values
}

// Len returns the number of numbers.
func (s *ValueSets) Len() int { return len(s.of) }

// Values returns the indexes of the values that a number stands for.
func (s *ValueSets) Values(number int) []int { return s.distinct[s.of[number]] }

// numberSets returns, for each set, its index in the list of distinct sets, and that list.
func numberSets(sets [][]string) (of []uint32, distinct [][]string) {
	of = make([]uint32, len(sets))
	known := map[string]int{}
	for i, set := range sets {
		key := strings.Join(set, "\x00")
		number, ok := known[key]
		if !ok {
			number = len(distinct)
			known[key] = number
			distinct = append(distinct, set)
		}
		of[i] = uint32(number) // fits: at most the number of listings
	}
	return of, distinct
}

// ValueLists says how large the lists of a facet's values are.
type ValueLists struct {
	Bitmaps  int  // how many lists are bit maps
	Entries  int  // how many listings all other lists have
	Overflow bool // there are more sets than can be numbered: only the lists are complete
}

// FacetValue is a value of a facet.
type FacetValue struct {
	Value string
	Total int  // number of listings that have it
	List  List // the listings
}

func compareValue(v FacetValue, name string) int { return strings.Compare(v.Value, name) }

func newFacetValues(ix *Index, t *facetTables) FacetValues {
	var v FacetValues
	add := func(facetName string, sets [][]string) {
		var values []FacetValue
		lists := ValueLists{Overflow: len(sets) > maxNumbered}
		of, different := numberSets(sets)
		for _, name := range distinct(slices.Concat(different...)) {
			if term, ok := ix.Terms.Find(ValueTerm(facetName, name)); ok {
				total := ix.Postings.Frequency(term)
				value := FacetValue{Value: name, Total: total}
				ix.Postings.Each(term, func(_ Class, l List) { value.List = l })
				values = append(values, value)
				if isDense(total, ix.n) {
					lists.Bitmaps++
				} else {
					lists.Entries += total
				}
			}
		}
		numbered := ValueSets{of, make([][]int, len(different))}
		for i, names := range different {
			for _, name := range names {
				if value, ok := slices.BinarySearchFunc(values, name, compareValue); ok {
					numbered.distinct[i] = append(numbered.distinct[i], value)
				}
			}
		}
		v.Names, v.Values, v.Sets = append(v.Names, facetName), append(v.Values, values), append(v.Sets, numbered)
		v.Lists = append(v.Lists, lists)
	}
	categories := make([][]string, len(t.Categories))
	for i, c := range t.Categories {
		categories[i] = []string{c}
	}
	add(FacetNames[FacetCategory], categories)
	add(FacetNames[FacetPlatform], t.Platforms)
	add(FacetNames[FacetLicense], t.Licenses)
	for i, f := range ix.facetFacts {
		values := make([][]string, len(t.Facts))
		for k, combination := range t.Facts {
			if i < len(combination) { // always, unless the file is damaged
				values[k] = combination[i]
			}
		}
		add(FactName(f), values)
	}
	return v
}

// In the file, the values that facets count are numbers of 2 bytes. There is a column for each of
// the following, with a number for each listing, so that a cache line holds many:
//
//	0  its category in facetTables
//	1  its set of platforms
//	2  its set of licences
//	3  its combination of filter values
//
// If a table has more than maxNumbered entries, those beyond get the number maxNumbered, and facets
// are counted only from the lists of their values.
const (
	facetNumberSize = 2
	maxNumbered     = 1<<16 - 1
	// FacetColumns is the number of columns.
	FacetColumns = 4
)

// facetColumn returns a column of the section for n listings.
func facetColumn(section []byte, column, n int) []byte {
	size := facetNumberSize * n
	return section[column*size : (column+1)*size]
}

// facetNumber reads the number of a listing from a column.
func facetNumber(column []byte, doc int) int {
	return int(binary.LittleEndian.Uint16(column[facetNumberSize*doc:]))
}

// FacetNumber returns the number of a listing in a column.
func (ix *Index) FacetNumber(column, doc int) int {
	return facetNumber(facetColumn(ix.facetNumbers, column, ix.n), doc)
}

// CountFacetNumbers adds to counts how many members of a set have each number of a column. It skips
// numbers that counts has no room for, which occur only in damaged files.
func (ix *Index) CountFacetNumbers(counts []int, column int, set *Set) {
	numbers := facetColumn(ix.facetNumbers, column, ix.n)
	eachBlock(set.blocks, func(b int) {
		for i, members := range set.Block(b) {
			of64 := numbers[min((b*BlockWords+i)*64*facetNumberSize, len(numbers)):]
			for ; members != 0; members &= members - 1 {
				if n := facetNumber(of64, bits.TrailingZeros64(members)); n < len(counts) {
					counts[n]++
				}
			}
		}
	})
}

// facetTables holds what the numbers of facets mean.
type facetTables struct {
	Categories []string
	Platforms  [][]string // distinct sets
	Licenses   [][]string // distinct sets; see sufficientLicenses
	// Facts holds distinct combinations: for each of facetFacts, the values of its parameter that
	// match the listing.
	Facts [][][]string
}

// facetFacts returns the facts whose values are counted.
func facetFacts(t *api.Taxonomy, s *site.Settings) (list []*api.Fact) {
	for _, f := range t.SearchFacts(s) {
		if f.Filter != nil && f.FilterValues() != nil {
			list = append(list, f)
		}
	}
	return list
}

// MeasuredFact is a fact whose figures searches compare, or order by. The file has columns with a float64 for
// each listing; NaN means unknown.
type MeasuredFact struct {
	*api.Fact
	Low, High int // columns; the same if values are single figures
}

// MeasuredFacts returns the facts whose figures searches compare, or order by.
func MeasuredFacts(t *api.Taxonomy) (list []MeasuredFact) {
	next := 0
	for i := range t.Facts {
		f := &t.Facts[i]
		if !f.Kind.IsMeasured() || f.Filter == nil && f.Sort == "" && len(f.Asked)+len(f.Suggested) == 0 {
			continue
		}
		m := MeasuredFact{Fact: f, Low: next, High: next}
		if f.Kind.IsSpan() {
			m.High++
		}
		list, next = append(list, m), m.High+1
	}
	return list
}

// figureColumns returns the number of columns of facts.
func figureColumns(facts []MeasuredFact) int {
	if len(facts) == 0 {
		return 0
	}
	return facts[len(facts)-1].High + 1
}

// figuresOf returns the figures of a listing, by column.
func figuresOf(facts []MeasuredFact, p *api.Project) []float64 {
	figures := make([]float64, figureColumns(facts))
	for _, f := range facts {
		low, high, ok := f.Figures(p.FitNotes.Get(f.Key))
		if !ok {
			low, high = math.NaN(), math.NaN()
		}
		figures[f.High], figures[f.Low] = high, low
	}
	return figures
}

const figureSize = 8

// Figure returns a listing's figure in a column of MeasuredFacts.
func (ix *Index) Figure(column, doc int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(ix.figures[(column*ix.n+doc)*figureSize:]))
}

// facets numbers the categories and sets of listings. It returns the facetTables and the columns.
func (b *Builder) facets() (tables, columns []byte) {
	columns = make([]byte, 0, FacetColumns*facetNumberSize*len(b.docs))
	column := func(text func(*builtDoc) string) []string {
		numbers, texts := numberTexts(b.docs, text)
		for _, d := range b.docs {
			columns = binary.LittleEndian.AppendUint16(columns, uint16(min(numbers[text(d)], maxNumbered)))
		}
		return texts
	}
	t := facetTables{
		Categories: column(func(d *builtDoc) string { return d.category }),
		Platforms:  decodeSets[[]string](column(func(d *builtDoc) string { return d.platforms })),
		Licenses:   decodeSets[[]string](column(func(d *builtDoc) string { return d.licenses })),
		Facts:      decodeSets[[][]string](column(func(d *builtDoc) string { return d.matches })),
	}
	return encode(&t), columns
}

// numberTexts numbers the distinct texts of listings in sorted order.
func numberTexts(docs []*builtDoc, text func(*builtDoc) string) (numbers map[string]uint32, texts []string) {
	numbers = map[string]uint32{}
	for _, d := range docs {
		numbers[text(d)] = 0
	}
	texts = slices.Sorted(maps.Keys(numbers))
	for i, t := range texts {
		numbers[t] = uint32(i) // at most one per listing
	}
	return numbers, texts
}

// decodeSets decodes sets that a codec encoded.
func decodeSets[T any](texts []string) []T {
	list := make([]T, len(texts))
	for i, t := range texts {
		decode([]byte(t), &list[i])
	}
	return list
}

// figures returns the columns of b.measured.
func (b *Builder) figures() []byte {
	n := figureColumns(b.measured)
	columns := make([]byte, 0, figureSize*n*len(b.docs))
	for i := range n {
		for _, d := range b.docs {
			columns = binary.LittleEndian.AppendUint64(columns, math.Float64bits(d.figures[i]))
		}
	}
	return columns
}
