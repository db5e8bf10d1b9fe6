package search

import (
	"math"
	"runtime"
	"strconv"
	"sync"

	"catalog.example/api"
	"catalog.example/api/site"
)

// field is a part of a listing that is searched.
type field uint8

const (
	fieldName field = iota
	fieldAlias
	fieldReplaces
	fieldPurpose
	fieldJob
	fieldCategory
	fieldTopic
	fieldDescription
	fieldCount
)

// tier is the group of fields that a match lies in (contract 4).
type tier uint8

const (
	tierExactName tier = iota
	tierName
	tierPurpose
	tierDescription
	tierNone
)

// fieldTiers tells the tier of each field.
var fieldTiers = [fieldCount]tier{
	fieldName: tierName, fieldAlias: tierName, fieldReplaces: tierName,
	fieldPurpose: tierPurpose, fieldJob: tierPurpose,
	fieldCategory: tierDescription, fieldTopic: tierDescription, fieldDescription: tierDescription,
}

// Index answers lists, single projects and queries. It is immutable and safe
// for use by many goroutines. Its sections are read where they lie: nothing of
// a listing is decoded.
type Index struct {
	settings site.Settings
	taxonomy api.Taxonomy
	identity string
	size     int64

	n         int // listings, most popular first
	documents documents
	slugs     dictionary
	slugDocs  []byte
	terms     dictionary
	firstWord int // terms before it stand for facts and phrases
	spelling  wordsByLength
	stems     dictionary
	termStems []byte
	stemTerms []byte
	postings  postings
	texts     texts
	products  products
	facts     []byte
	numbers   []byte // see numberFacts
	orders    []byte
	facets    facetValues
	synonyms  synonyms
	// parameters are those of a search, vocabulary the words of queries.
	parameters []api.Parameter
	vocabulary *vocabulary
	// facetFacts and numberFacts are those of the taxonomy.
	facetFacts, numberFacts []*api.Fact

	maxGraded int       // see gradedOf
	work      sync.Pool // of *workspace
}

// sectionSize tells how long a section must be, in terms of other numbers.
type sectionSize struct {
	name string
	size uint64
}

// newIndex opens the sections of a checked file.
func newIndex(s sections, identity string, size int64) (*Index, error) {
	ix := &Index{identity: identity, size: size}
	var tables facetTables
	for _, part := range []struct {
		name    string
		decoded bool
	}{
		{sectionSettings, decode(s[sectionSettings], &ix.settings, visitSettings)},
		{sectionTaxonomy, decode(s[sectionTaxonomy], &ix.taxonomy, visitTaxonomy)},
		{sectionFacets, decode(s[sectionFacets], &tables, visitFacetTables)},
	} {
		if !part.decoded {
			return nil, badSection(part.name, "does not decode")
		}
	}
	for _, part := range []struct {
		name string
		into *dictionary
	}{{sectionSlugs, &ix.slugs}, {sectionTerms, &ix.terms}, {sectionStems, &ix.stems}} {
		var ok bool
		if *part.into, ok = openDictionary(s[part.name]); !ok {
			return nil, badSection(part.name, "is no dictionary")
		}
	}
	var ok bool
	if ix.spelling, ok = openSpelling(s[sectionSpelling]); !ok {
		return nil, badSection(sectionSpelling, "is no list of words")
	}
	ix.facetFacts, ix.numberFacts = facetFacts(&ix.taxonomy), numberFacts(&ix.taxonomy)
	// Numbers of 8 bytes: the sections of a forged file may ask for more than an int
	// of 4 bytes holds.
	n, terms, stems := uint64(ix.slugs.n), uint64(ix.terms.n), uint64(ix.stems.n)
	productsAt := s[sectionProductsAt]
	for _, want := range []sectionSize{
		{sectionBounds, 8 * (n + 1)}, {sectionParts, partsSize * n}, {sectionSlugDocs, 4 * n},
		{sectionTermStems, 4 * terms}, {sectionStemTerms, 4 * (stems + 1 + terms)}, {sectionPostingsAt, 4 * terms},
		{sectionTextsAt, 4 * (n + 1)}, {sectionFacts, factsSize * n}, {sectionNumbers, numberSize * n * uint64(len(ix.numberFacts))}, {sectionOrders, 16 * n},
		{sectionProductsAt, uint64(len(productsAt) / 4 * 4)}, {sectionPostings, uint64(len(s[sectionPostings]) / 4 * 4)},
	} {
		if got := uint64(len(s[want.name])); got != want.size {
			return nil, badSection(want.name, "has "+strconv.FormatUint(got, 10)+" bytes instead of "+strconv.FormatUint(want.size, 10))
		}
	}
	ix.n, ix.maxGraded = ix.slugs.n, maxGradedFor(ix.slugs.n)
	ix.parameters = api.SearchParameters(&ix.settings, &ix.taxonomy)
	if problem := ix.checkFacts(&tables); problem != "" {
		return nil, unusable("damaged: ", problem)
	}
	ix.documents = documents{n: ix.n, bodies: s[sectionDocuments], bounds: s[sectionBounds], parts: s[sectionParts]}
	ix.slugDocs, ix.termStems, ix.stemTerms = s[sectionSlugDocs], s[sectionTermStems], s[sectionStemTerms]
	ix.postings = postings{ix.n, s[sectionPostingsAt], s[sectionPostings]}
	ix.texts = texts{s[sectionTextsAt], s[sectionTexts]}
	ix.products = products{len(productsAt) / 4, ix.n, productsAt, s[sectionProducts]}
	ix.facts, ix.numbers, ix.orders = s[sectionFacts], s[sectionNumbers], s[sectionOrders]
	ix.facets = newFacetValues(ix, &tables)
	ix.firstWord = ix.terms.search(firstWord)
	ix.vocabulary = newVocabulary(&ix.taxonomy)
	ix.synonyms = newSynonyms(ix.taxonomy.Synonyms)
	ix.work.New = func() any { return newWorkspace(ix) }
	return ix, nil
}

// factsProblem tells what is wrong with the definitions of facts, or the tables of
// facets, in a way that answers could not be made from them.
func (ix *Index) checkFacts(tables *facetTables) string {
	if n := len(ix.taxonomy.Facts); n > api.MaxFacts {
		return strconv.Itoa(n) + " facts are defined"
	}
	for i := range ix.taxonomy.Facts {
		f := &ix.taxonomy.Facts[i]
		if (f.Kind == api.FactChoice || f.Kind == api.FactChoices) && len(f.Values) == 0 {
			return "the fact " + strconv.Quote(f.Key) + " has no values"
		}
	}
	names := make([]string, len(ix.parameters))
	for i, p := range ix.parameters {
		names[i] = p.Name
	}
	if len(distinct(names)) < len(names) {
		return "two parameters have one name"
	}
	// Each fact has a list of all combinations, of which a listing has one.
	if n := len(tables.Facts); n > ix.n {
		return strconv.Itoa(ix.n) + " listings have " + strconv.Itoa(n) + " combinations of facts"
	}
	return ""
}

// Settings returns the settings that the build stored. They are not checked: whoever
// serves by them asks package validate.
func (ix *Index) Settings() site.Settings { return ix.settings }

// Taxonomy returns the vocabulary that the build stored. It must not be changed.
func (ix *Index) Taxonomy() *api.Taxonomy { return &ix.taxonomy }

// Parameters returns the parameters of a search. They must not be changed.
func (ix *Index) Parameters() []api.Parameter { return ix.parameters }

// Identity returns a hexadecimal text that differs between indexes of different
// content.
func (ix *Index) Identity() string { return ix.identity }

// Size returns the length of the index file in bytes.
func (ix *Index) Size() int64 { return ix.size }

// Len returns the number of listings.
func (ix *Index) Len() int { return ix.n }

// AppendList appends up to limit listings from offset on in the order of
// sort=popular, each the JSON of an api.Project, with commas between them.
// Past the end it appends nothing.
func (ix *Index) AppendList(dst []byte, offset, limit int) []byte {
	defer runtime.KeepAlive(ix)
	offset = min(max(offset, 0), ix.n)
	limit = min(max(limit, 0), ix.n-offset)
	for i := range limit {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = ix.documents.appendListItem(dst, offset+i)
	}
	return dst
}

// AppendProject appends the JSON of the api.ProjectDetail of that slug; it tells
// whether there is one.
func (ix *Index) AppendProject(dst []byte, slug string) ([]byte, bool) {
	defer runtime.KeepAlive(ix)
	i, ok := ix.slugs.find(slug)
	if !ok {
		return dst, false
	}
	doc := readNumber(ix.slugDocs[4*i:])
	if doc >= ix.n {
		return dst, false // a damaged file
	}
	return append(dst, ix.documents.body(doc)...), true
}

// NearSlugs returns up to n slugs that the given one is most likely a
// misspelling of, nearest first.
func (ix *Index) NearSlugs(slug string, n int) []string {
	defer runtime.KeepAlive(ix)
	return ix.slugs.nearest(slug, n)
}

// rarity is the inverse document frequency of a word that occurs in df
// listings: greater than 0, at most for words that none has.
func (ix *Index) rarity(df int) float64 {
	return math.Log1p(float64(ix.n) / (float64(df) + 0.5))
}
