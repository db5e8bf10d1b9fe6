package search

import (
	"math"
	"runtime"
	"slices"
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
	fieldAsk
	fieldCategory
	fieldCategoryAsk
	fieldTopic
	fieldDescription
	fieldCount
)

// tier is the group of fields in which a listing matches (contract 4).
type tier uint8

const (
	tierExactName tier = iota
	tierName
	tierPurpose
	tierDescription
	tierNone
)

// fieldTiers are the tiers of fields.
var fieldTiers = [fieldCount]tier{
	fieldName: tierName, fieldAlias: tierName, fieldReplaces: tierName,
	fieldPurpose: tierPurpose, fieldJob: tierPurpose, fieldAsk: tierPurpose,
	fieldCategory: tierDescription, fieldCategoryAsk: tierDescription, fieldTopic: tierDescription, fieldDescription: tierDescription,
}

// Index answers lists, single projects and queries. It is immutable and safe for
// concurrent use. Its sections are read in place: no listing is decoded.
type Index struct {
	settings site.Settings
	taxonomy api.Taxonomy
	identity string
	size     int64

	n             int // number of listings, most popular first
	documents     documents
	slugs         dictionary
	slugDocs      []byte
	terms         dictionary
	firstWord     int // terms before it are facts and phrases
	spelling      wordsByLength
	english       wordFilter
	stems         dictionary
	termStems     []byte
	stemTerms     []byte
	postings      postings
	texts         texts
	categoryTexts texts
	products      products
	facts         []byte
	numbers       []byte // see numberFacts
	orders        []byte
	facets        facetValues
	former        map[string]string // present slugs of former ones
	needs         needs
	recent        recentMachines
	synonyms      synonyms
	productNames  productNames

	parameters              []api.Parameter // of a search
	echoed                  []echoedParameter
	vocabulary              *vocabulary
	facetFacts, numberFacts []*api.Fact // of the taxonomy

	maxGraded  int       // see maxGradedFor
	workspaces sync.Pool // of *workspace
}

// sectionSize is the required size of a section in bytes.
type sectionSize struct {
	name string
	size uint64
}

// newIndex opens the sections of a checked file.
func newIndex(s sections, identity string, size int64) (*Index, error) {
	ix := &Index{identity: identity, size: size}
	var tables facetTables
	var ordinary []string
	for _, entry := range []struct {
		name    string
		decoded bool
	}{
		{sectionSettings, decode(s[sectionSettings], &ix.settings, visitSettings)},
		{sectionTaxonomy, decode(s[sectionTaxonomy], &ix.taxonomy, visitTaxonomy)},
		{sectionFacets, decode(s[sectionFacets], &tables, visitFacetTables)},
		{sectionFormer, decode(s[sectionFormer], &ix.former, visitTextMap)},
		{sectionOrdinary, decode(s[sectionOrdinary], &ordinary, visitTexts)},
		{sectionNeeds, decode(s[sectionNeeds], &ix.needs.distinct, visitNeedsTable)},
	} {
		if !entry.decoded {
			return nil, badSection(entry.name, "cannot be decoded")
		}
	}
	for _, entry := range []struct {
		name string
		into *dictionary
	}{{sectionSlugs, &ix.slugs}, {sectionTerms, &ix.terms}, {sectionStems, &ix.stems}} {
		var ok bool
		if *entry.into, ok = openDictionary(s[entry.name]); !ok {
			return nil, badSection(entry.name, "is not a dictionary")
		}
	}
	var ok bool
	if ix.spelling, ok = openSpelling(s[sectionSpelling]); !ok {
		return nil, badSection(sectionSpelling, "is not a list of words")
	}
	ix.facetFacts, ix.numberFacts = facetFacts(&ix.taxonomy, &ix.settings), numberFacts(&ix.taxonomy)
	// In a forged file, sizes may overflow an int of 4 bytes.
	n, terms, stems := uint64(ix.slugs.n), uint64(ix.terms.n), uint64(ix.stems.n)
	productsAt := s[sectionProductsAt]
	for _, want := range []sectionSize{
		{sectionBounds, 8 * (n + 1)}, {sectionParts, partsSize * n}, {sectionSlugDocs, 4 * n},
		{sectionTermStems, 4 * terms}, {sectionStemTerms, 4 * (stems + 1 + terms)}, {sectionPostingsAt, 4 * terms},
		{sectionTextsAt, 4 * (n + 1)}, {sectionFacts, factsSize * n}, {sectionNumbers, numberSize * n * uint64(len(ix.numberFacts))}, {sectionOrders, 16 * n}, {sectionNeedNumbers, 4 * n}, {sectionUsesAt, 4 * (n + 1)},
		{sectionProductsAt, uint64(len(productsAt) / 4 * 4)}, {sectionPostings, uint64(len(s[sectionPostings]) / 4 * 4)},
	} {
		if got := uint64(len(s[want.name])); got != want.size {
			return nil, badSection(want.name, "has "+strconv.FormatUint(got, 10)+" bytes instead of "+strconv.FormatUint(want.size, 10))
		}
	}
	ix.n, ix.maxGraded = ix.slugs.n, maxGradedFor(ix.slugs.n)
	ix.parameters = api.SearchParameters(&ix.settings, &ix.taxonomy)
	ix.echoed = echoedParameters(ix.parameters)
	if problem := ix.checkFacts(&tables); problem != "" {
		return nil, unusable("damaged: ", problem)
	}
	ix.documents = documents{n: ix.n, bodies: s[sectionDocuments], bounds: s[sectionBounds], parts: s[sectionParts]}
	ix.slugDocs, ix.termStems, ix.stemTerms = s[sectionSlugDocs], s[sectionTermStems], s[sectionStemTerms]
	ix.postings = postings{ix.n, s[sectionPostingsAt], s[sectionPostings]}
	ix.texts = texts{s[sectionTextsAt], s[sectionTexts]}
	ix.categoryTexts = texts{s[sectionCategoryTextsAt], s[sectionCategoryTexts]}
	ix.products = products{len(productsAt) / 4, ix.n, productsAt, s[sectionProducts]}
	ix.facts, ix.numbers, ix.orders = s[sectionFacts], s[sectionNumbers], s[sectionOrders]
	ix.needs.numbers, ix.needs.usesAt, ix.needs.allUses = s[sectionNeedNumbers], s[sectionUsesAt], s[sectionUses]
	ix.english = s[sectionEnglish]
	ix.facets = newFacetValues(ix, &tables)
	ix.firstWord = ix.terms.search(firstWord)
	ix.vocabulary = newVocabulary(&ix.taxonomy)
	ix.productNames = newProductNames(ix, ordinary)
	ix.synonyms = newSynonyms(ix.taxonomy.Synonyms)
	ix.workspaces.New = func() any { return newWorkspace(ix) }
	return ix, nil
}

// checkFacts returns a problem in the definitions of facts or the tables of facets that
// would prevent answers, or "".
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
		return "two parameters have the same name"
	}
	if n := len(ix.needs.distinct); n > ix.n || n == 0 && ix.n > 0 {
		return strconv.Itoa(ix.n) + " listings have " + strconv.Itoa(n) + " different needs"
	}
	// Each fact has a list of all combinations, and each listing has one of these.
	if n := len(tables.Facts); n > ix.n {
		return strconv.Itoa(ix.n) + " listings have " + strconv.Itoa(n) + " combinations of facts"
	}
	return ""
}

// Settings returns the settings that the build stored. They are not checked: a server
// must check them with package validate.
func (ix *Index) Settings() site.Settings { return ix.settings }

// Taxonomy returns the vocabulary that the build stored. It must not be changed.
func (ix *Index) Taxonomy() *api.Taxonomy { return &ix.taxonomy }

// Parameters returns the parameters of a search. They must not be changed.
func (ix *Index) Parameters() []api.Parameter { return ix.parameters }

// Identity returns a hexadecimal hash of the content of the index.
func (ix *Index) Identity() string { return ix.identity }

// Size returns the length of the index file in bytes.
func (ix *Index) Size() int64 { return ix.size }

// Len returns the number of listings.
func (ix *Index) Len() int { return ix.n }

// AppendList appends up to limit listings from offset on in the order of sort=popular,
// each as the JSON of an api.Project, separated by commas. It appends none past the end.
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

// AppendListings appends the listings with these slugs as AppendList does, in the order of
// sort=popular. It returns how many there are, and the slugs that no listing has.
func (ix *Index) AppendListings(dst []byte, slugs []string) (list []byte, n int, unknown []string) {
	defer runtime.KeepAlive(ix)
	var docs []int
	for _, slug := range slugs {
		if doc, ok := ix.docOf(slug); ok {
			docs = append(docs, doc)
		} else {
			unknown = append(unknown, slug)
		}
	}
	slices.Sort(docs)
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = ix.documents.appendListItem(dst, doc)
	}
	return dst, len(docs), unknown
}

// docOf returns the number of the listing with a slug.
func (ix *Index) docOf(slug string) (doc int, ok bool) {
	i, ok := ix.slugs.find(slug)
	if !ok {
		return 0, false
	}
	doc = readNumber(ix.slugDocs[4*i:])
	return doc, doc < ix.n // always, unless the file is damaged
}

// AppendProject appends the JSON of the api.ProjectDetail with the slug, and reports
// whether there is one.
func (ix *Index) AppendProject(dst []byte, slug string) ([]byte, bool) {
	defer runtime.KeepAlive(ix)
	doc, ok := ix.docOf(slug)
	if !ok {
		return dst, false
	}
	return append(dst, ix.documents.body(doc)...), true
}

// PresentSlug returns the slug of the listing that had another slug formerly.
func (ix *Index) PresentSlug(former string) (slug string, ok bool) {
	slug, ok = ix.former[former]
	return slug, ok
}

// Moves returns all addresses that have changed, in no particular order.
func (ix *Index) Moves() []api.Move {
	moves := ix.taxonomy.Moves()
	for former, slug := range ix.former {
		moves = append(moves, api.MovesTo(api.FolderProjects, slug, []string{former})...)
	}
	return moves
}

// NearSlugs returns up to n slugs that slug is most likely a misspelling of, nearest
// first.
func (ix *Index) NearSlugs(slug string, n int) []string {
	defer runtime.KeepAlive(ix)
	return ix.slugs.nearest(slug, n)
}

// rarity returns the inverse document frequency of a word that df listings have. It is
// greater than 0, and highest for words that no listing has.
func (ix *Index) rarity(df int) float64 {
	return math.Log1p(float64(ix.n) / (float64(df) + 0.5))
}
