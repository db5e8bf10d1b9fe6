package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search/token"
	"catalog.example/api/site"
)

// Catalog is the content of an index.
type Catalog struct {
	Settings site.Settings
	Taxonomy api.Taxonomy
	// Projects may be in any order; the index sorts them.
	Projects []api.ProjectDetail
	// Documents holds the result of api.ProjectJSON for each project, normalised. If it is nil,
	// Encode makes them.
	Documents [][]byte
	// Keep keeps what is read in the listings, for other builds; nil for nothing.
	Keep Keep
}

// Encode returns the index file of a catalogue. The same catalogue gives the same bytes.
func Encode(c Catalog) ([]byte, error) {
	b, err := BuilderOf(c)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if _, err := b.WriteTo(&file); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// BuilderOf returns a Builder with the listings of a catalogue.
func BuilderOf(c Catalog) (*Builder, error) {
	b := NewBuilder(c.Settings, c.Taxonomy)
	return b, b.add(c.Projects, c.Documents, c.Keep)
}

// Builder makes an index file from listings in any order. The same listings give the same bytes. It
// keeps only what the index needs of each listing, mainly its JSON and word numbers, so that a
// large catalogue can be added in batches.
type Builder struct {
	settings site.Settings
	taxonomy api.Taxonomy
	language *token.Language
	phrases  phraseTable

	searchFacts []*api.Fact // of the taxonomy
	measured    []MeasuredFact
	readers     []*reader
	docs        []*builtDoc
	store       Store // nil if the JSON of listings is in memory
	storedBytes uint64
	// The content, its sections, and the other sections of the file, once make has made them.
	content      content
	made, others sections
}

// NewBuilder returns a Builder of an index without listings.
func NewBuilder(s site.Settings, t api.Taxonomy) *Builder {
	b := &Builder{settings: s, taxonomy: t, language: token.LanguageOf(s.Lang)}
	b.phrases = synonymPhrases(t.Synonyms, b.language)
	b.searchFacts, b.measured = b.taxonomy.SearchFacts(&b.settings), MeasuredFacts(&b.taxonomy)
	for range runtime.GOMAXPROCS(0) {
		b.readers = append(b.readers, newReader(b))
	}
	return b
}

// The limits of the format, whose counts have 4 bytes.
const (
	maxDocuments     = 1<<31 - 1
	maxDocumentBytes = math.MaxUint32
)

// checkCount returns an error if n is more than 4 bytes can count. of says what is counted.
func checkCount(n uint64, of string) error {
	if n > math.MaxUint32 {
		return errors.New(strconv.FormatUint(n, 10) + " " + of + " are more than the format's " +
			strconv.FormatUint(math.MaxUint32, 10))
	}
	return nil
}

// Add adds listings to the index. Errors name the slug.
func (b *Builder) Add(projects ...api.ProjectDetail) error { return b.add(projects, nil, nil) }

func (b *Builder) add(projects []api.ProjectDetail, documents [][]byte, keep Keep) error {
	if documents != nil && len(documents) != len(projects) {
		return fmt.Errorf("encode the index: there are %d documents for %d listings", len(documents), len(projects))
	}
	if len(b.docs)+len(projects) > maxDocuments {
		return fmt.Errorf("encode the index: more than %d listings", maxDocuments)
	}
	added := make([]builtDoc, len(projects))
	for i := range added {
		b.docs = append(b.docs, &added[i])
	}
	// Each reader numbers words on its own, so no locks are needed.
	errs := make([]error, len(b.readers))
	parallel.All(len(b.readers), func(r int) {
		for i := r; i < len(projects); i += len(b.readers) {
			var document []byte
			if documents != nil {
				document = documents[i]
			}
			var keepOne func(func() []byte) []byte
			if keep != nil {
				keepOne = func(read func() []byte) []byte { return keep(i, read) }
			}
			var err error
			if added[i], err = b.readers[r].read(projects[i].Normalized(), document, keepOne); err != nil {
				errs[r] = fmt.Errorf("encode the index: listing %q: %w", projects[i].Slug, err)
				return
			}
			added[i].reader = r
		}
	})
	if err := errors.Join(errs...); err != nil || b.store == nil {
		return err
	}
	if err := b.storeDocuments(added); err != nil {
		return fmt.Errorf("encode the index: %w", err)
	}
	return nil
}

// distinct returns the distinct texts, sorted.
func distinct(texts []string) []string {
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// WriteTo writes the index file. It implements io.WriterTo. No listings may be added afterwards.
func (b *Builder) WriteTo(w io.Writer) (written int64, err error) {
	err = b.eachPart(func(part []byte) error {
		n, err := w.Write(part)
		written += int64(n)
		if err != nil {
			return fmt.Errorf("write the index: %w", err)
		}
		return nil
	})
	return written, err
}

// Parts returns the parts of the file, which must not be changed.
func (b *Builder) Parts() (list [][]byte, err error) {
	err = b.eachPart(func(part []byte) error {
		list = append(list, part)
		return nil
	})
	return list, err
}

// eachPart visits the parts of the file.
func (b *Builder) eachPart(visit func(part []byte) error) error {
	if err := b.make(); err != nil {
		return err
	}
	all := maps.Clone(b.made)
	maps.Copy(all, b.others)
	var inParts map[string]*parts
	if b.store != nil {
		inParts = b.storedParts()
	}
	return eachPart(all.inOrder(inParts), visit)
}

// make makes the sections of the file, unless it has already made them.
func (b *Builder) make() (err error) {
	if b.made != nil {
		return nil
	}
	slices.SortFunc(b.docs, func(x, y *builtDoc) int { return comparePopular(&x.order, &y.order) })
	categories := b.readCategories()
	var terms, products []*numbering
	for _, r := range b.readers {
		terms, products = append(terms, &r.terms), append(products, &r.products)
	}
	words, names := merge(terms), merge(products)
	if err := checkSize(words.terms); err != nil {
		return fmt.Errorf("encode the index: %w", err)
	}
	c := &b.content
	*c = content{terms: words.terms, docs: b.docs, inParts: b.store != nil}
	c.stems = stemsOfTerms(words.terms, b.language)
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		c.categories = append(c.categories, categories[name])
	}
	for _, d := range b.docs {
		c.categoryOf = append(c.categoryOf, categories[d.category])
	}
	renumber(slices.Concat(c.docs, c.categories), words, names)
	c.products.words = b.productWords(words, names)
	c.products.find(c.docs)
	if b.made, err = do(c.tasks()); err == nil {
		b.others, err = do([]task{b.columnSections, b.otherSections})
	}
	if err != nil {
		return fmt.Errorf("encode the index: %w", err)
	}
	return nil
}

// task makes some sections of a file.
type task func() (sections, error)

// do runs tasks in parallel, and returns all their sections.
func do(tasks []task) (sections, error) {
	results, errs := make([]sections, len(tasks)), make([]error, len(tasks))
	parallel.All(len(tasks), func(i int) { results[i], errs[i] = tasks[i]() })
	all := sections{}
	for _, made := range results {
		maps.Copy(all, made)
	}
	return all, errors.Join(errs...)
}

// content is what the largest sections are made from. A compact index stores it in another form
// instead, and OpenCompact makes the sections.
type content struct {
	terms      []string    // sorted
	stems      []string    // of the terms
	docs       []*builtDoc // with the merged numbers of terms and products
	categories []*builtDoc // the asks of each category, by category number
	categoryOf []*builtDoc // for each listing, the asks of its category
	products   builtProducts
	inParts    bool // the sections of storedParts are not made
}

// tasks returns the tasks that make the sections of the content.
func (c *content) tasks() []task {
	return []task{
		func() (sections, error) { // takes the longest
			postings, at, err := c.encodePostings()
			return sections{sectionPostings: postings, sectionPostingsAt: at}, err
		},
		func() (sections, error) {
			at, err := textsAt(c.docs)
			if c.inParts || err != nil {
				return sections{sectionTextsAt: at}, err
			}
			return sections{sectionTexts: encodeTexts(c.docs), sectionTextsAt: at}, nil
		},
		func() (sections, error) {
			at, err := textsAt(c.categories)
			if err != nil {
				return nil, err
			}
			texts := encodeTexts(c.categories)
			return sections{sectionCategoryTexts: texts, sectionCategoryTextsAt: at}, nil
		},
		func() (sections, error) {
			stems, termStems, stemTerms := stemTables(c.stems)
			return sections{
				sectionTerms:    encodeDictionary(c.terms),
				sectionSpelling: encodeSpelling(c.terms),
				sectionStems:    stems, sectionTermStems: termStems,
				sectionStemTerms: stemTerms,
			}, nil
		},
		func() (sections, error) {
			slugs, slugDocs, err := encodeSlugs(c.docs)
			bounds, parts := documentBounds(c.docs)
			made := sections{
				sectionSlugs: slugs, sectionSlugDocs: slugDocs, sectionBounds: bounds, sectionParts: parts,
			}
			if !c.inParts {
				made[sectionDocuments] = encodeDocuments(c.docs)
			}
			return made, err
		},
	}
}

// columnSections makes the sections that have a value for each listing, and their tables.
func (b *Builder) columnSections() (sections, error) {
	facets, facts := b.facets()
	needs, needNumbers := b.needs()
	uses, usesAt, err := b.uses()
	slugs, runners, runnersAt := b.runners()
	return sections{
		sectionFacets: facets, sectionFacetNumbers: facts,
		sectionFigures: b.figures(), sectionOrders: b.orders(),
		sectionNeeds: needs, sectionNeedNumbers: needNumbers,
		sectionUses: uses, sectionUsesAt: usesAt,
		sectionRunners: slugs, sectionRunnerNumbers: runners, sectionRunnersAt: runnersAt,
	}, err
}

// otherSections makes the sections of settings, taxonomy, products, former slugs and common English
// words.
func (b *Builder) otherSections() (sections, error) {
	former := map[string]string{}
	for _, d := range b.docs {
		for _, slug := range d.former {
			former[slug] = d.order.slug
		}
	}
	ordinary, translations := ordinaryNames(&b.taxonomy), translationLists(b.taxonomy.Translations)
	products, productsAt := b.content.products.encode(len(b.docs))
	return sections{
		sectionOrdinary: encode(&ordinary),
		sectionFormer:   encode(&former),
		sectionSettings: encode(&b.settings),
		sectionTaxonomy: encode(&b.taxonomy), sectionTranslations: encode(&translations),
		sectionProducts: products, sectionProductsAt: productsAt,
		sectionEnglish: englishFilter(b.content.terms),
	}, nil
}

// checkSize returns an error if texts are, in total, too long for a dictionary.
func checkSize(texts []string) error {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	return checkCount(uint64(size), "bytes of words")
}

func appendNumbers(dst []byte, numbers []uint32) []byte {
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

// encodeSlugs returns the dictionary of slugs, and the listing of each slug.
func encodeSlugs(docs []*builtDoc) (dictionary, slugDocs []byte, err error) {
	order := make([]uint32, len(docs))
	for i := range order {
		order[i] = uint32(i) // at most maxDocuments
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(docs[x].order.slug, docs[y].order.slug) })
	slugs := make([]string, len(order))
	for i, doc := range order {
		slugs[i] = docs[doc].order.slug
		if i > 0 && slugs[i] == slugs[i-1] {
			return nil, nil, errors.New("the slug " + strconv.Quote(slugs[i]) + " occurs twice")
		}
	}
	return encodeDictionary(slugs), appendNumbers(nil, order), checkSize(slugs)
}

// mergedTexts holds the sorted texts of several numberings. For each numbering, numbers maps the
// number of a text to its index in terms.
type mergedTexts struct {
	terms   []string
	numbers [][]uint32
}

func merge(numberings []*numbering) mergedTexts {
	var m mergedTexts
	for _, n := range numberings {
		m.terms = append(m.terms, n.texts...)
	}
	slices.Sort(m.terms)
	m.terms = slices.Compact(m.terms)
	all := make(map[string]uint32, len(m.terms))
	for i, t := range m.terms {
		all[t] = uint32(i)
	}
	for _, n := range numberings {
		numbers := make([]uint32, len(n.texts))
		for i, t := range n.texts {
			numbers[i] = all[t]
		}
		m.numbers = append(m.numbers, numbers)
	}
	return m
}

// renumber replaces the readers' numbers in the texts and places of listings and categories by the
// merged numbers of terms and products.
func renumber(docs []*builtDoc, words, products mergedTexts) {
	parallel.All(len(docs), func(i int) {
		d := docs[i]
		terms := words.numbers[d.reader]
		eachText(d.texts, func(head textHead, text []uint32) {
			if head.field() == FieldReplaces {
				text[0] = products.numbers[d.reader][text[0]]
				return
			}
			for k, t := range text {
				text[k] = terms[t]
			}
		})
		for k := range d.places {
			d.places[k].term = terms[d.places[k].term]
		}
	})
}

// The asks of a category apply to all its listings, so they are stored and matched only once. In
// the file, they have the form of texts.go, in the order of the categories in facetTables.

// readCategories reads the asks of all categories that have listings, as if each category were a
// listing itself.
func (b *Builder) readCategories() map[string]*builtDoc {
	categories := map[string]*builtDoc{}
	for _, d := range b.docs {
		if categories[d.category] != nil {
			continue
		}
		asks := &builtDoc{}
		if category, known := b.taxonomy.Category(d.category); known {
			for _, ask := range category.Asks {
				b.readers[0].addText(asks, FieldCategoryAsk, ask)
			}
		}
		categories[d.category] = asks
	}
	return categories
}
