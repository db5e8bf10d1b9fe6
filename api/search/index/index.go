// Package index defines the index file. Encode, or a Builder, makes it from settings, taxonomy and
// listings. Open reads it in place: it decodes only the settings, the taxonomy and small tables.
// Package query answers searches from the terms of an index, the listings that have them, and the
// texts and facets of the listings.
//
// A file begins with the version of its format, the identity of its content and a table of
// contents. The sections follow. The checksum of a section is computed from the checksums of its
// blocks, so that all cores can check it. Open rejects a file of another version or with a wrong
// byte. Numbers are little-endian and read in place.
//
// Each source file writes and reads one part:
//
//	build.go       from listings to sections (reader.go: one listing)
//	store.go       listings kept in a file while an index is built
//	format.go      sections and checksums
//	codec.go       settings, taxonomy, tables
//	translations.go words of other languages
//	index.go       an opened index
//	compact.go     the smaller index for browsers
//	documents.go   the JSON of each listing, and the parts of it that hits contain
//	dictionary.go  sorted, numbered texts: words, stems, slugs
//	terms.go       words that share a stem or a beginning
//	phrases.go     phrases of several words in synonym groups
//	spelling.go    corrections of misspelt words; common English words, which need none
//	postings.go    the listings that have a term, by field
//	set.go         sets of listings as bits
//	texts.go       the words of each listing, and the asks of each category
//	products.go    names of replaced products
//	facets.go      values of listings for filters, facets and hints
//	needs.go       what the setups of listings need
//	runners.go     which listings run the models of others
//	order.go       the orders of lists
package index

import (
	"runtime"
	"slices"
	"strconv"

	"catalog.example/api"
	"catalog.example/api/search/token"
	"catalog.example/api/site"
)

// Field is a part of a listing that is searched.
type Field uint8

// The fields, in the order in which their texts are stored.
const (
	FieldName Field = iota
	FieldAlias
	FieldReplaces
	FieldPurpose
	FieldJob
	FieldAsk
	FieldCategory
	FieldCategoryAsk
	FieldTopic
	FieldDescription
	FieldCount
)

// isName reports whether a field contains names of the listing.
func (f Field) isName() bool { return f == FieldName || f == FieldAlias }

// Index is an opened index file. It is immutable and safe for concurrent use. The listings are read
// in place, never decoded.
type Index struct {
	settings site.Settings
	Language *token.Language // that of the settings
	taxonomy api.Taxonomy
	// Translations has the languages of queries other than that of the settings. Those in the taxonomy have no words.
	Translations []Translation
	identity     string
	size         int64

	n             int           // number of listings, most popular first
	Documents     Documents     // the JSON of each listing
	slugs         Dictionary    // the slugs, sorted
	slugDocs      []byte        // the listing of each slug
	Terms         Dictionary    // words, facts, licences and synonym phrases
	firstWord     int           // the terms before it are facts, licences and phrases
	spelling      wordsByLength // the words, for corrections
	English       WordFilter    // common English words that no listing has
	Stems         Dictionary
	termStems     []byte   // the stem of each term
	stemTerms     []byte   // the terms of each stem
	Postings      Postings // the listings that have each term
	Texts         Texts    // the words of each listing
	CategoryTexts Texts    // the asks of each category
	Products      Products // the products that listings replace
	facetNumbers  []byte   // see FacetNumber
	figures       []byte   // see Figure
	orders        []byte
	Facets        FacetValues       // the values that facets count
	former        map[string]string // maps former slugs to present ones
	Needs         Needs             // what listings require of a computer
	Runners       Runners           // which listings run the models of others
	Ordinary      []string          // names of products that usually mean something else: see ordinaryNames

	parameters []api.Parameter // of searches
	facetFacts []*api.Fact     // facts whose values are counted
	sortFacts  []*api.Fact     // facts with an order of their own
	Measured   []MeasuredFact
}

// newIndex opens the sections of a checked file.
func newIndex(s sections, identity string, size int64) (*Index, error) {
	ix := &Index{identity: identity, size: size}
	var tables facetTables
	var translations [][]string
	if err := ix.decode(s, &tables, &translations); err != nil {
		return nil, err
	}
	var ok bool
	if ix.Translations, ok = newTranslations(ix.taxonomy.Translations, translations); !ok {
		return nil, badSection(sectionTranslations, "does not fit the languages")
	}
	ix.n, ix.Language = ix.slugs.N, token.LanguageOf(ix.settings.Lang)
	ix.facetFacts, ix.Measured = facetFacts(&ix.taxonomy, &ix.settings), MeasuredFacts(&ix.taxonomy)
	ix.sortFacts = ix.taxonomy.SortFacts()
	ix.parameters = api.SearchParameters(&ix.settings, &ix.taxonomy)
	if err := ix.checkSizes(s); err != nil {
		return nil, err
	}
	if problem := ix.checkFacts(&tables); problem != "" {
		return nil, unusable("damaged: ", problem)
	}
	ix.Documents = Documents{n: ix.n, bodies: s[sectionDocuments], bounds: s[sectionBounds], parts: s[sectionParts]}
	ix.slugDocs, ix.termStems, ix.stemTerms = s[sectionSlugDocs], s[sectionTermStems], s[sectionStemTerms]
	ix.Postings = Postings{ix.n, s[sectionPostingsAt], s[sectionPostings]}
	ix.Texts = Texts{s[sectionTextsAt], s[sectionTexts]}
	ix.CategoryTexts = Texts{s[sectionCategoryTextsAt], s[sectionCategoryTexts]}
	ix.Products = newProducts(s, ix.n)
	ix.facetNumbers, ix.figures, ix.orders = s[sectionFacetNumbers], s[sectionFigures], s[sectionOrders]
	ix.Needs.numbers, ix.Needs.usesAt, ix.Needs.allUses = s[sectionNeedNumbers], s[sectionUsesAt], s[sectionUses]
	ix.Runners.numbers, ix.Runners.at = s[sectionRunnerNumbers], s[sectionRunnersAt]
	ix.Runners.find(ix)
	ix.English = s[sectionEnglish]
	ix.Facets = newFacetValues(ix, &tables)
	ix.firstWord = ix.Terms.search(firstWord)
	return ix, nil
}

// decode decodes the sections that are not read in place, and opens the dictionaries.
func (ix *Index) decode(s sections, tables *facetTables, translations *[][]string) error {
	for _, entry := range []struct {
		name string
		ok   bool
	}{
		{sectionSettings, decode(s[sectionSettings], &ix.settings)},
		{sectionTaxonomy, decode(s[sectionTaxonomy], &ix.taxonomy)},
		{sectionTranslations, decode(s[sectionTranslations], translations)},
		{sectionFacets, decode(s[sectionFacets], tables)},
		{sectionFormer, decode(s[sectionFormer], &ix.former)},
		{sectionOrdinary, decode(s[sectionOrdinary], &ix.Ordinary)},
		{sectionNeeds, decode(s[sectionNeeds], &ix.Needs.Distinct)},
		{sectionRunners, decode(s[sectionRunners], &ix.Runners.slugs)},
		{sectionSlugs, ix.slugs.open(s[sectionSlugs])},
		{sectionTerms, ix.Terms.open(s[sectionTerms])},
		{sectionStems, ix.Stems.open(s[sectionStems])},
		{sectionSpelling, ix.spelling.open(s[sectionSpelling])},
	} {
		if !entry.ok {
			return badSection(entry.name, "cannot be decoded")
		}
	}
	return nil
}

// checkSizes checks the sizes of sections. It computes with uint64, because the sizes that a forged
// file requires may overflow a 32-bit int.
func (ix *Index) checkSizes(s sections) error {
	n, terms, stems := uint64(ix.n), uint64(ix.Terms.N), uint64(ix.Stems.N)
	for _, want := range []struct {
		name string
		size uint64
	}{
		{sectionBounds, 8 * (n + 1)}, {sectionParts, uint64(partsSize) * n}, {sectionSlugDocs, 4 * n},
		{sectionTermStems, 4 * terms}, {sectionStemTerms, 4 * (stems + 1 + terms)}, {sectionPostingsAt, 4 * terms},
		{sectionTextsAt, 4 * (n + 1)}, {sectionFacetNumbers, FacetColumns * facetNumberSize * n},
		{sectionOrders, 8 * n * uint64(2+len(ix.sortFacts))},
		{sectionFigures, figureSize * n * uint64(figureColumns(ix.Measured))},
		{sectionNeedNumbers, 4 * n}, {sectionUsesAt, 4 * (n + 1)}, {sectionRunnersAt, 4 * (n + 1)},
		{sectionProductsAt, uint64(len(s[sectionProductsAt]) / 4 * 4)},
		{sectionPostings, uint64(len(s[sectionPostings]) / 4 * 4)},
	} {
		if got := uint64(len(s[want.name])); got != want.size {
			sizes := strconv.FormatUint(got, 10) + " bytes instead of " + strconv.FormatUint(want.size, 10)
			return badSection(want.name, "has "+sizes)
		}
	}
	return nil
}

// checkFacts returns a problem in the definitions of facts, the parameters or the tables that would
// prevent answers, or "".
func (ix *Index) checkFacts(tables *facetTables) string {
	if n := len(ix.taxonomy.Facts); n > api.MaxFacts {
		return strconv.Itoa(n) + " facts are defined"
	}
	for i := range ix.taxonomy.Facts {
		f := &ix.taxonomy.Facts[i]
		if f.Kind.HasOptions() && len(f.Values) == 0 {
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
	if n := len(ix.Needs.Distinct); n > ix.n || n == 0 && ix.n > 0 {
		return strconv.Itoa(ix.n) + " listings have " + strconv.Itoa(n) + " different needs"
	}
	// newFacetValues makes a list of this length for each fact. Each listing has one combination.
	if n := len(tables.Facts); n > ix.n {
		return strconv.Itoa(ix.n) + " listings have " + strconv.Itoa(n) + " combinations of facts"
	}
	return ""
}

// Settings returns the settings in the index. They are not checked: a server must check them with
// package validate.
func (ix *Index) Settings() site.Settings { return ix.settings }

// Taxonomy returns the taxonomy in the index. It must not be changed.
func (ix *Index) Taxonomy() *api.Taxonomy { return &ix.taxonomy }

// Parameters returns the parameters of a search. They must not be changed.
func (ix *Index) Parameters() []api.Parameter { return ix.parameters }

// Identity returns a hexadecimal hash of the content of the index.
func (ix *Index) Identity() string { return ix.identity }

// Size returns the length of the index file in bytes.
func (ix *Index) Size() int64 { return ix.size }

// Len returns the number of listings.
func (ix *Index) Len() int { return ix.n }

// AppendList appends up to limit listings, from offset on, in the order of sort=popular. Each is
// the JSON of an api.Project; they are separated by commas.
func (ix *Index) AppendList(dst []byte, offset, limit int) []byte {
	defer runtime.KeepAlive(ix)
	return ix.appendItems(dst, ix.Page(offset, limit))
}

// Page returns the numbers of up to limit listings, from offset on.
func (ix *Index) Page(offset, limit int) []int {
	offset = min(max(offset, 0), ix.n)
	limit = min(max(limit, 0), ix.n-offset)
	docs := make([]int, limit)
	for i := range docs {
		docs[i] = offset + i
	}
	return docs
}

func (ix *Index) appendItems(dst []byte, docs []int) []byte {
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = ix.Documents.appendListItem(dst, doc)
	}
	return dst
}

// AppendListings appends the listings with the given slugs, in the same form and order as
// AppendList. It returns how many it appended, and the slugs that no listing has.
func (ix *Index) AppendListings(dst []byte, slugs []string) (list []byte, n int, unknown []string) {
	defer runtime.KeepAlive(ix)
	docs, unknown := ix.Find(slugs)
	return ix.appendItems(dst, docs), len(docs), unknown
}

// Find returns the numbers of the listings with the given slugs, in the order of AppendList, and the
// slugs that no listing has.
func (ix *Index) Find(slugs []string) (docs []int, unknown []string) {
	defer runtime.KeepAlive(ix)
	for _, slug := range slugs {
		if doc, ok := ix.docOf(slug); ok {
			docs = append(docs, doc)
		} else {
			unknown = append(unknown, slug)
		}
	}
	slices.Sort(docs)
	return docs, unknown
}

// docOf returns the number of the listing with a slug.
func (ix *Index) docOf(slug string) (doc int, ok bool) {
	i, ok := ix.slugs.Find(slug)
	if !ok {
		return 0, false
	}
	doc = Number(ix.slugDocs[4*i:])
	return doc, doc < ix.n // always, unless the file is damaged
}

// AppendProject appends the JSON of the api.ProjectDetail with the slug, and reports whether there
// is such a listing.
func (ix *Index) AppendProject(dst []byte, slug string) ([]byte, bool) {
	defer runtime.KeepAlive(ix)
	doc, ok := ix.docOf(slug)
	if !ok {
		return dst, false
	}
	return append(dst, ix.Documents.Body(doc)...), true
}

// PresentSlug returns the present slug of the listing that formerly had the slug former.
func (ix *Index) PresentSlug(former string) (slug string, ok bool) {
	slug, ok = ix.former[former]
	return slug, ok
}

// PresentSlugs returns slugs, each once, with present ones in place of former ones, and a warning about each former
// one. parameter is that of the request.
func (ix *Index) PresentSlugs(parameter string, slugs ...string) (present []string, warnings []api.Warning) {
	defer runtime.KeepAlive(ix)
	for _, slug := range slugs {
		_, isPresent := ix.docOf(slug)
		if now, ok := ix.former[slug]; ok && !isPresent {
			warnings = append(warnings, api.FormerValue(parameter, slug, now))
			slug = now
		}
		if !slices.Contains(present, slug) {
			present = append(present, slug)
		}
	}
	return present, warnings
}

// Moves returns all addresses that have changed, in no particular order.
func (ix *Index) Moves() []api.Move {
	moves := ix.taxonomy.Moves()
	for former, slug := range ix.former {
		moves = append(moves, api.MovesTo(api.FolderProjects, slug, []string{former})...)
	}
	return moves
}

// NearSlugs returns up to n slugs of which slug is most likely a misspelling, nearest first.
func (ix *Index) NearSlugs(slug string, n int) []string {
	defer runtime.KeepAlive(ix)
	return ix.slugs.nearest(slug, n)
}
