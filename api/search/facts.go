package search

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"catalog.example/api"
	"catalog.example/api/site"
)

// facts hold what facets count of a listing. In the file they take factsSize bytes for
// each listing, so that a cache line holds several:
//
//	2  number of its category in facetTables
//	2  number of its set of platforms
//	2  number of its set of licences
//	2  number of its combination of filter values
//
// If there are more than maxNumbered of one, those beyond have the number maxNumbered,
// and facets are counted from the lists of their values only.
type facts uint64

const (
	factsSize   = 8
	maxNumbered = 1<<16 - 1
	// factColumns is how many numbers facts have.
	factColumns = 4
)

func newFacts(numbers [factColumns]uint32) (f facts) {
	for i, n := range numbers {
		f |= facts(min(n, maxNumbered)) << (16 * i)
	}
	return f
}

// number returns one of the numbers.
func (f facts) number(column int) int { return int(f >> (16 * column) & maxNumbered) }

// factsOf reads the facts of a listing.
func factsOf(column []byte, doc int) facts {
	return facts(binary.LittleEndian.Uint64(column[doc*factsSize:]))
}

// facetTables hold the values for the numbers in facts.
type facetTables struct {
	Categories []string
	Platforms  [][]string // distinct sets
	Licenses   [][]string // distinct sets of licences that alone suffice
	// Facts are distinct combinations: for each fact of facetFacts, the values of its
	// parameter that find the listing.
	Facts [][][]string
}

// facetFacts are the facts whose values are counted.
func facetFacts(t *api.Taxonomy, s *site.Settings) (list []*api.Fact) {
	for _, f := range t.SearchFacts(s) {
		if f.Filter != nil && f.FilterValues() != nil {
			list = append(list, f)
		}
	}
	return list
}

// numberFacts are the facts whose numbers are compared with those of queries. The file
// has a column for each, with a float64 for each listing; NaN means unknown.
func numberFacts(t *api.Taxonomy) (list []*api.Fact) {
	for i := range t.Facts {
		if f := &t.Facts[i]; f.Kind == api.FactNumber && (f.Filter != nil || len(f.Asked)+len(f.Suggested) > 0) {
			list = append(list, f)
		}
	}
	return list
}

const numberSize = 8

// numberBound is an upper or lower bound for the number of a fact.
type numberBound struct {
	column    int // index of the fact in numberFacts
	bound     float64
	atLeast   bool
	fromQuery bool // the bound is a number in the query
}

// allows reports whether n is within the bound; NaN is not.
func (b numberBound) allows(n float64) bool {
	if b.atLeast {
		return n >= b.bound
	}
	return n <= b.bound
}

// appendNumber appends the number of a fact, or NaN if it has none.
func appendNumber(dst []byte, value any) []byte {
	n, ok := value.(float64)
	if !ok {
		n = math.NaN()
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(n))
}

// addWithin adds the listings within a bound to s.
func (w *workspace) addWithin(s *set, b numberBound) {
	column := w.ix.numbers[b.column*w.ix.n*numberSize:]
	for doc := range w.ix.n {
		if b.allows(math.Float64frombits(binary.LittleEndian.Uint64(column[doc*numberSize:]))) {
			s.add(doc)
		}
	}
}

// facets numbers categories and sets. It returns the tables and the column of facts.
func (b *Builder) facets() (tables, facts []byte) {
	categories, categoryNames := numberTexts(b.docs, func(d *builtDoc) string { return d.category })
	platforms, platformSets := numberTexts(b.docs, func(d *builtDoc) string { return d.platforms })
	licenses, licenseSets := numberTexts(b.docs, func(d *builtDoc) string { return d.licenses })
	matchedValues, combinations := numberTexts(b.docs, func(d *builtDoc) string { return d.matches })
	t := facetTables{categoryNames, decodeSets(platformSets, visitTexts), decodeSets(licenseSets, visitTexts), decodeSets(combinations, visitTextSets)}
	for _, d := range b.docs {
		f := newFacts([factColumns]uint32{categories[d.category], platforms[d.platforms], licenses[d.licenses], matchedValues[d.matches]})
		facts = binary.LittleEndian.AppendUint64(facts, uint64(f))
	}
	return encode(&t, visitFacetTables), facts
}

// numberTexts numbers the distinct texts of listings in their order.
func numberTexts(docs []*builtDoc, text func(*builtDoc) string) (numbers map[string]uint32, texts []string) {
	numbers = map[string]uint32{}
	for _, d := range docs {
		numbers[text(d)] = 0
	}
	texts = slices.Sorted(maps.Keys(numbers))
	for i, t := range texts {
		numbers[t] = uint32(i) // at most one a listing
	}
	return numbers, texts
}

// decodeSets decodes sets that a codec encoded.
func decodeSets[T any](texts []string, visit func(*codec, *T)) []T {
	list := make([]T, len(texts))
	for i, t := range texts {
		decode([]byte(t), &list[i], visit)
	}
	return list
}

// numbers returns the columns of numberFacts.
func (b *Builder) numbers() []byte {
	columns := make([]byte, 0, numberSize*len(b.numberFacts)*len(b.docs))
	for i := range b.numberFacts {
		for _, d := range b.docs {
			columns = appendNumber(columns, d.numbers[i])
		}
	}
	return columns
}
