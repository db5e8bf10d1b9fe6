package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/site"
)

// Catalog is everything that an index holds.
type Catalog struct {
	Settings site.Settings
	Taxonomy api.Taxonomy
	// Projects may come in any order; the index keeps its own.
	Projects []api.ProjectDetail
	// Documents are what api.ProjectJSON returns for each of them, or nil: then Encode
	// makes them.
	Documents [][]byte
}

// Encode returns the index file of a catalog. The same catalog gives the same
// bytes.
func Encode(c Catalog) ([]byte, error) {
	b := NewBuilder(c.Settings, c.Taxonomy)
	if err := b.add(c.Projects, c.Documents); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if _, err := b.WriteTo(&file); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// Builder makes an index file of listings that are given to it in any order. The
// same listings give the same bytes. It keeps of a listing its JSON and the
// numbers of its words, so that a catalog larger than memory holds as values can
// be given in batches.
type Builder struct {
	settings site.Settings
	taxonomy api.Taxonomy
	phrases  phraseTable
	// numberFacts are those of the taxonomy.
	numberFacts []*api.Fact
	readers     []*reader
	docs        []*builtDoc
}

// NewBuilder returns a Builder of an index without listings.
func NewBuilder(s site.Settings, t api.Taxonomy) *Builder {
	b := &Builder{settings: s, taxonomy: t, phrases: synonymPhrases(t.Synonyms)}
	b.numberFacts = numberFacts(&b.taxonomy)
	for range runtime.GOMAXPROCS(0) {
		b.readers = append(b.readers, newReader(b))
	}
	return b
}

// The bounds of the format, which counts in 4 bytes.
const (
	maxDocuments     = 1<<31 - 1
	maxDocumentBytes = math.MaxUint32
)

// Add takes listings into the index.
func (b *Builder) Add(projects ...api.ProjectDetail) error { return b.add(projects, nil) }

func (b *Builder) add(projects []api.ProjectDetail, documents [][]byte) error {
	if len(b.docs)+len(projects) > maxDocuments {
		return fmt.Errorf("encode the index: more than %d listings", maxDocuments)
	}
	added := make([]builtDoc, len(projects))
	for i := range added {
		b.docs = append(b.docs, &added[i])
	}
	// Each reader has its own words, so that none waits for another.
	errs := make([]error, len(b.readers))
	parallel.All(len(b.readers), func(r int) {
		for i := r; i < len(projects); i += len(b.readers) {
			var document []byte
			if documents != nil {
				document = documents[i]
			}
			var err error
			if added[i], err = b.readers[r].read(projects[i].Normalized(), document); err != nil {
				errs[r] = fmt.Errorf("encode the index: listing %q: %w", projects[i].Slug, err)
				return
			}
			added[i].reader = r
		}
	})
	return errors.Join(errs...)
}

// builtDoc is what the Builder keeps of a listing.
type builtDoc struct {
	sortKeys
	reader   int // whose numbers texts and places hold
	document []byte
	parts    partsLine
	texts    []uint32 // as in texts.go
	places   []place  // of terms that are not in texts
	numbers  []any    // of numberFacts
	category string
	// Sets as a codec writes them: platforms, licences, and for each of facetFacts what
	// finds the listing.
	platforms, licenses, found string
}

// place is a class in which a listing has a term.
type place struct {
	term  uint32
	class class
}

// reader turns listings into numbers of words.
type reader struct {
	builder  *Builder
	terms    numbering
	products numbering
	// productTexts are the words of each product, and the words joined.
	productTexts [][]uint32
	functions    map[string]uint32 // function words that are the whole of a text
	facts        map[fact]uint32   // the terms of facts
	phraseStems  []string          // of each term, "" where no phrase of synonyms has it
	arena        []byte
	tokens       []string
	words        []uint32
}

// numbering numbers texts in the order in which they come.
type numbering struct {
	numbers map[string]uint32
	texts   []string
}

func (n *numbering) number(text string) (number uint32, known bool) {
	if i, known := n.numbers[text]; known {
		return i, true
	}
	i := uint32(len(n.texts)) // #nosec G115 -- words of listings that fit into memory
	// The text may be a part of a long one, which it would keep in memory.
	text = strings.Clone(text)
	n.numbers[text] = i
	n.texts = append(n.texts, text)
	return i, false
}

// isFunctionWord stands in a numbering for words that are not searched.
const isFunctionWord = math.MaxUint32

func newReader(b *Builder) *reader {
	r := &reader{
		builder: b, functions: map[string]uint32{}, facts: map[fact]uint32{},
		terms: numbering{numbers: map[string]uint32{}}, products: numbering{numbers: map[string]uint32{}},
	}
	for w := range functionWords {
		r.terms.numbers[w] = isFunctionWord
	}
	return r
}

// term returns the number of a term, isFunctionWord for a function word.
func (r *reader) term(text string) uint32 {
	n, known := r.terms.number(text)
	if !known {
		r.phraseStems = append(r.phraseStems, r.builder.phrases.stemOf(text))
	}
	return n
}

// functionWord returns the number of a function word in a text that has no other
// words.
func (r *reader) functionWord(text string) uint32 {
	n, known := r.functions[text]
	if !known {
		n = uint32(len(r.terms.texts)) // #nosec G115 -- words of listings that fit into memory
		r.functions[text] = n
		r.terms.texts = append(r.terms.texts, text)
		r.phraseStems = append(r.phraseStems, r.builder.phrases.stemOf(text))
	}
	return n
}

// arenaSize is how much memory for JSON is taken at a time.
const arenaSize = 4 << 20

// keep copies bytes to where many lie together, which spares the collector of
// garbage from looking at each.
func (r *reader) keep(b []byte) []byte {
	if len(b) > cap(r.arena)-len(r.arena) {
		r.arena = make([]byte, 0, max(arenaSize, len(b)))
	}
	from := len(r.arena)
	r.arena = append(r.arena, b...)
	return r.arena[from:len(r.arena):len(r.arena)]
}

// read takes over a listing; document is its JSON, or nil.
func (r *reader) read(p api.ProjectDetail, document []byte) (builtDoc, error) {
	if document == nil {
		made, err := api.ProjectJSON(&r.builder.settings, p)
		if err != nil {
			return builtDoc{}, err
		}
		document = r.keep(made)
	}
	parts, err := locateParts(document)
	if err != nil {
		return builtDoc{}, err
	}
	if uint64(len(document)) > maxDocumentBytes {
		return builtDoc{}, fmt.Errorf("%d bytes are more than %d", len(document), uint64(maxDocumentBytes))
	}
	d := builtDoc{
		sortKeys: sortKeysOf(&p.Project), document: document, parts: parts, category: p.Category,
	}
	for _, f := range r.builder.numberFacts {
		d.numbers = append(d.numbers, p.FitNotes.Get(f.Key))
	}
	r.readTexts(&d, &p)
	r.readFacets(&d, &p)
	return d, nil
}

// readTexts takes over what is searched of a listing.
func (r *reader) readTexts(d *builtDoc, p *api.ProjectDetail) {
	taxonomy := &r.builder.taxonomy
	if name := compact(p.Name); name != "" {
		r.place(d, name, classExact)
	}
	r.add(d, fieldName, p.Name)
	for _, a := range p.Aliases {
		r.add(d, fieldAlias, a)
	}
	for _, name := range p.Replaces {
		r.addProduct(d, name)
		if product, ok := taxonomy.Product(name); ok {
			for _, a := range product.Aliases {
				r.addProduct(d, a)
			}
		}
	}
	r.add(d, fieldPurpose, p.Purpose)
	for _, j := range p.Jobs {
		r.add(d, fieldJob, j)
	}
	if c, ok := taxonomy.Category(p.Category); ok {
		r.add(d, fieldCategory, c.Name)
	}
	r.add(d, fieldCategory, p.Category)
	for _, t := range p.Topics {
		r.add(d, fieldTopic, t)
	}
	r.add(d, fieldDescription, Prose(p.Description))
}

// wordsIn returns the numbers of the words of a text that are searched: all but
// function words, or all where it has no others. They hold until the next call.
func (r *reader) wordsIn(text string) []uint32 {
	r.tokens = appendWords(r.tokens[:0], Fold(text))
	r.words = r.words[:0]
	for _, w := range r.tokens {
		if n := r.term(w); n != isFunctionWord {
			r.words = append(r.words, n)
		}
	}
	if len(r.words) == 0 {
		for _, w := range r.tokens {
			r.words = append(r.words, r.functionWord(w))
		}
	}
	return r.words[:min(len(r.words), textCount)]
}

// text joins words.
func (r *reader) text(words []uint32, separator string) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = r.terms.texts[w]
	}
	return strings.Join(texts, separator)
}

// joined returns the term of words that are written together.
func (r *reader) joined(words []uint32) uint32 {
	if len(words) == 1 {
		return words[0]
	}
	text := r.text(words, "")
	if n := r.term(text); n != isFunctionWord {
		return n
	}
	return r.functionWord(text)
}

func (r *reader) place(d *builtDoc, term string, c class) {
	n := r.term(term)
	if n == isFunctionWord {
		n = r.functionWord(term)
	}
	d.places = append(d.places, place{n, c})
}

// add takes over a text of a field.
func (r *reader) add(d *builtDoc, f field, text string) {
	words := r.wordsIn(text)
	if len(words) == 0 {
		return
	}
	d.texts = append(append(d.texts, textHead(f, false, len(words))), words...)
	r.addPhrases(d, f, words)
	// Names are also found with their words joined ("open webui" by "openwebui").
	if len(words) > 1 && fieldTiers[f] == tierName {
		d.texts = append(d.texts, textHead(f, true, 1), r.joined(words))
	}
}

// addProduct takes over the name of a replaced product.
func (r *reader) addProduct(d *builtDoc, name string) {
	words := r.wordsIn(name)
	if len(words) == 0 {
		return
	}
	n, known := r.products.number(r.text(words, " "))
	if !known {
		r.productTexts = append(r.productTexts, append(slices.Clone(words), r.joined(words)))
	}
	d.texts = append(d.texts, textHead(fieldReplaces, false, 1), n)
}

// addPhrases notes the phrases of synonyms that a text has.
func (r *reader) addPhrases(d *builtDoc, f field, words []uint32) {
	for i, w := range words {
		if r.phraseStems[w] == "" {
			continue
		}
		for _, phrase := range r.builder.phrases.first[r.phraseStems[w]] {
			if i+phrase.words <= len(words) && r.hasStems(words[i:], phrase.stems) {
				r.place(d, phrase.term, classOf(f, phrase.words == len(words)))
			}
		}
	}
}

func (r *reader) hasStems(words []uint32, stems []string) bool {
	for i, stem := range stems {
		if r.phraseStems[words[i]] != stem {
			return false
		}
	}
	return true
}

// Terms that begin with one of these bytes are no words: they stand for facts
// that filters ask for, or for phrases.
const (
	termValue   = "\x01" // of a facet or another fact: see valueTerm
	termLicense = "\x02" // what a license parameter finds, folded
	termPhrase  = "\x03" // stems of a phrase of synonyms, joined by spaces
	firstWord   = "\x20" // where words begin among the terms
)

// fact is a value of a fact; few have many listings.
type fact struct{ name, value string }

// placeFact notes that a fact of a listing has a value.
func (r *reader) placeFact(d *builtDoc, name, value string) {
	n, known := r.facts[fact{name, value}]
	if !known {
		n = r.term(valueTerm(name, value))
		r.facts[fact{strings.Clone(name), strings.Clone(value)}] = n
	}
	d.places = append(d.places, place{n, classExact})
}

// readFacets takes over what filters and facets ask of a listing.
func (r *reader) readFacets(d *builtDoc, p *api.ProjectDetail) {
	taxonomy := &r.builder.taxonomy
	r.placeFact(d, facetNames[facetCategory], p.Category)
	platforms := distinct(p.Platforms)
	for _, platform := range platforms {
		r.placeFact(d, facetNames[facetPlatform], platform)
	}
	var licenses, keys []string
	if p.License != nil {
		for _, l := range sufficientLicenses(*p.License) {
			licenses = append(licenses, l.String())
			keys = append(keys, licenseKeys(l)...)
		}
	}
	licenses = distinct(licenses)
	for _, l := range licenses {
		r.placeFact(d, facetNames[facetLicense], l)
	}
	for _, key := range distinct(keys) {
		r.place(d, licenseTerm(key), classExact)
	}
	var found [][]string
	for i := range taxonomy.Facts {
		f := &taxonomy.Facts[i]
		values := f.FoundBy(p.FitNotes.Get(f.Key))
		for _, value := range values {
			r.placeFact(d, factName(f), value)
		}
		if f.ByOption() { // wordings may ask for one of its options
			for _, slug := range f.Slugs(p.FitNotes.Get(f.Key)) {
				r.placeFact(d, factName(f), slug)
			}
		}
		if f.Filter != nil && f.FilterValues() != nil {
			found = append(found, append([]string{}, values...))
		}
	}
	if p.Language != nil {
		r.placeFact(d, "language", *p.Language)
	}
	if p.Archived != nil && *p.Archived {
		r.placeFact(d, factArchived, "1")
	}
	d.platforms, d.licenses = string(encode(&platforms, visitTexts)), string(encode(&licenses, visitTexts))
	d.found = string(encode(&found, visitTextSets))
}

// distinct returns the texts in order, each once.
func distinct(texts []string) []string {
	sorted := slices.Sorted(slices.Values(texts))
	return slices.Compact(sorted)
}

// WriteTo writes the index file. It implements io.WriterTo, and may be called
// once.
func (b *Builder) WriteTo(w io.Writer) (int64, error) {
	slices.SortFunc(b.docs, func(x, y *builtDoc) int { return x.comparePopular(&y.sortKeys) })
	sections, err := b.sections()
	if err != nil {
		return 0, fmt.Errorf("encode the index: %w", err)
	}
	n, err := writeFile(w, sections)
	if err != nil {
		return n, fmt.Errorf("write the index: %w", err)
	}
	return n, nil
}

// sections makes the sections of the file. What does not build on another is made
// at the same time.
func (b *Builder) sections() ([]section, error) {
	words := b.mergeTerms()
	if err := fits(words.terms); err != nil {
		return nil, err
	}
	tasks := []func() ([]section, error){
		func() ([]section, error) { return b.wordSections(words) }, // takes the longest
		func() ([]section, error) { return vocabularySections(words.terms), nil },
		b.columnSections, b.settingSections,
	}
	made, errs := make([][]section, len(tasks)), make([]error, len(tasks))
	parallel.All(len(tasks), func(i int) { made[i], errs[i] = tasks[i]() })
	return append(slices.Concat(made...), b.documentSections()...), errors.Join(errs...)
}

func (b *Builder) settingSections() ([]section, error) {
	return []section{
		oneSection(sectionSettings, encode(&b.settings, visitSettings)), oneSection(sectionTaxonomy, encode(&b.taxonomy, visitTaxonomy)),
	}, nil
}

func oneSection(name string, content []byte) section { return section{name, [][]byte{content}} }

// columnSections makes what is known of listings by their number.
func (b *Builder) columnSections() ([]section, error) {
	facets, facts := b.facets()
	slugs, slugDocs, err := b.slugs()
	return []section{
		oneSection(sectionFacets, facets), oneSection(sectionFacts, facts), oneSection(sectionNumbers, b.numbers()), oneSection(sectionOrders, b.orders()),
		{sectionSlugs, slugs}, oneSection(sectionSlugDocs, slugDocs),
	}, err
}

// vocabularySections makes what is known of words whatever listing has them.
func vocabularySections(terms []string) []section {
	stems, termStems, stemTerms := stemTables(terms)
	return []section{
		{sectionTerms, encodeDictionary(terms)}, oneSection(sectionSpelling, encodeSpelling(terms)),
		{sectionStems, stems}, oneSection(sectionTermStems, termStems), oneSection(sectionStemTerms, stemTerms),
	}
}

// wordSections makes what tells which listings have which words.
func (b *Builder) wordSections(words merged) ([]section, error) {
	products := b.mergeProducts(words)
	productsBody, productsAt := b.encodeProducts(products)
	b.renumber(words, products)
	postings, postingsAt, err := b.postings(len(words.terms), products)
	if err != nil {
		return nil, err
	}
	texts, textsAt, err := b.texts()
	return []section{
		oneSection(sectionProducts, productsBody), oneSection(sectionProductsAt, productsAt),
		oneSection(sectionPostings, postings), oneSection(sectionPostingsAt, postingsAt),
		{sectionTexts, texts}, oneSection(sectionTextsAt, textsAt),
	}, err
}

func (b *Builder) documentSections() []section {
	documents, bounds, parts := b.documents()
	return []section{oneSection(sectionBounds, bounds), oneSection(sectionParts, parts), {sectionDocuments, documents}}
}

// fits tells whether texts are few and short enough for a dictionary.
func fits(texts []string) error {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	if uint64(size) > math.MaxUint32 {
		return fmt.Errorf("the words take %d bytes, more than the format's %d", size, uint32(math.MaxUint32))
	}
	return nil
}

// facets numbers categories and sets and returns the tables, and the column of facts.
func (b *Builder) facets() (tables, facts []byte) {
	number := func(of func(*builtDoc) string) (map[string]uint32, []string) {
		numbers := map[string]uint32{}
		for i := range b.docs {
			numbers[of(b.docs[i])] = 0
		}
		texts := make([]string, 0, len(numbers))
		for t := range numbers {
			texts = append(texts, t)
		}
		slices.Sort(texts)
		for i, t := range texts {
			numbers[t] = uint32(i) // #nosec G115 -- at most one a listing
		}
		return numbers, texts
	}
	categories, categoryNames := number(func(d *builtDoc) string { return d.category })
	platforms, platformSets := number(func(d *builtDoc) string { return d.platforms })
	licenses, licenseSets := number(func(d *builtDoc) string { return d.licenses })
	found, combinations := number(func(d *builtDoc) string { return d.found })
	t := facetTables{categoryNames, sets(platformSets, visitTexts), sets(licenseSets, visitTexts), sets(combinations, visitTextSets)}
	for _, d := range b.docs {
		f := newFacts([factColumns]uint32{categories[d.category], platforms[d.platforms], licenses[d.licenses], found[d.found]})
		facts = binary.LittleEndian.AppendUint64(facts, uint64(f))
	}
	return encode(&t, visitFacetTables), facts
}

// sets reads sets that a codec wrote.
func sets[T any](texts []string, visit func(*codec, *T)) []T {
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

// orders returns, for newest and then for recently-updated, the listings in
// order and the rank of each listing.
func (b *Builder) orders() []byte {
	column := make([]byte, 0, 16*len(b.docs))
	for _, compare := range []func(x, y *sortKeys) int{(*sortKeys).compareNewest, (*sortKeys).compareUpdated} {
		order := make([]uint32, len(b.docs))
		for i := range order {
			order[i] = uint32(i) // #nosec G115 -- at most maxDocuments
		}
		slices.SortFunc(order, func(x, y uint32) int { return compare(&b.docs[x].sortKeys, &b.docs[y].sortKeys) })
		ranks := make([]uint32, len(b.docs))
		for rank, doc := range order {
			ranks[doc] = uint32(rank) // #nosec G115 -- at most maxDocuments
		}
		column = appendNumbers(appendNumbers(column, order), ranks)
	}
	return column
}

func appendNumbers(dst []byte, numbers []uint32) []byte {
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

func (b *Builder) slugs() ([][]byte, []byte, error) {
	order := make([]uint32, len(b.docs))
	for i := range order {
		order[i] = uint32(i) // #nosec G115 -- at most maxDocuments
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.docs[x].slug, b.docs[y].slug) })
	slugs := make([]string, len(order))
	for i, doc := range order {
		slugs[i] = b.docs[doc].slug
		if i > 0 && slugs[i] == slugs[i-1] {
			return nil, nil, fmt.Errorf("the slug %q occurs twice", slugs[i])
		}
	}
	return encodeDictionary(slugs), appendNumbers(nil, order), fits(slugs)
}

// merged are the sorted texts of all readers, and for each reader's number of a
// text its place among them.
type merged struct {
	terms   []string
	numbers [][]uint32
}

func merge(numberings []*numbering) merged {
	var m merged
	for _, n := range numberings {
		m.terms = append(m.terms, n.texts...)
	}
	slices.Sort(m.terms)
	m.terms = slices.Compact(m.terms)
	all := make(map[string]uint32, len(m.terms))
	for i, t := range m.terms {
		all[t] = uint32(i) // #nosec G115 -- fits checked
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

func (b *Builder) mergeTerms() merged {
	var all []*numbering
	for _, r := range b.readers {
		all = append(all, &r.terms)
	}
	return merge(all)
}

// mergedProducts are the products of all readers with their words as numbers of
// terms, and the listings of each.
type mergedProducts struct {
	merged
	words [][]uint32 // the words of each, and last the words joined
	docs  [][]uint32
}

func (b *Builder) mergeProducts(words merged) mergedProducts {
	var all []*numbering
	for _, r := range b.readers {
		all = append(all, &r.products)
	}
	p := mergedProducts{merged: merge(all)}
	p.words, p.docs = make([][]uint32, len(p.terms)), make([][]uint32, len(p.terms))
	for r, reader := range b.readers {
		for i, text := range reader.productTexts {
			numbers := make([]uint32, len(text))
			for k, term := range text {
				numbers[k] = words.numbers[r][term]
			}
			p.words[p.numbers[r][i]] = numbers
		}
	}
	for doc := range b.docs {
		eachText(b.docs[doc].texts, func(head uint32, text []uint32) {
			if field(head>>textFieldShift) != fieldReplaces { // #nosec G115 -- 4 bits
				return
			}
			list := &p.docs[p.numbers[b.docs[doc].reader][text[0]]]
			if n := len(*list); n == 0 || (*list)[n-1] != uint32(doc) { // #nosec G115 -- at most maxDocuments
				*list = append(*list, uint32(doc)) // #nosec G115 -- at most maxDocuments
			}
		})
	}
	return p
}

// eachText visits the texts of a listing.
func eachText(texts []uint32, visit func(head uint32, text []uint32)) {
	for len(texts) > 0 {
		n := texts[0] & textCount
		visit(texts[0], texts[1:1+n])
		texts = texts[1+n:]
	}
}

func (b *Builder) encodeProducts(p mergedProducts) (body, at []byte) {
	for i := range p.terms {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(body)/4)) // #nosec G115 -- smaller than the postings, which are checked
		words := p.words[i]
		body = binary.LittleEndian.AppendUint32(body, uint32(len(words)-1)) // #nosec G115 -- bounded by textCount
		body = appendNumbers(body, words)
		count := uint32(len(p.docs[i])) // #nosec G115 -- at most maxDocuments
		dense := isDense(len(p.docs[i]), len(b.docs))
		if dense {
			count |= bitmapFlag
		}
		body = binary.LittleEndian.AppendUint32(body, count)
		body = appendList(body, p.docs[i], dense, len(b.docs))
	}
	return body, at
}

// renumber brings the texts and places of all listings to the numbers of the
// merged terms and products.
func (b *Builder) renumber(words merged, products mergedProducts) {
	parallel.All(len(b.docs), func(i int) {
		d := b.docs[i]
		terms := words.numbers[d.reader]
		eachText(d.texts, func(head uint32, text []uint32) {
			if field(head>>textFieldShift) == fieldReplaces { // #nosec G115 -- 4 bits
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

// eachPlace visits every class in which a listing has a term, some several
// times. Products are left out.
func (d *builtDoc) eachPlace(visit func(term uint32, c class)) {
	for _, p := range d.places {
		visit(p.term, p.class)
	}
	eachText(d.texts, func(head uint32, text []uint32) {
		f := field(head >> textFieldShift) // #nosec G115 -- 4 bits
		if f == fieldReplaces {
			return
		}
		c := classOf(f, len(text) == 1)
		for _, t := range text {
			visit(t, c)
		}
	})
}

// eachPlace visits every class in which a product has a term.
func (p *mergedProducts) eachPlace(visit func(product, term uint32, c class)) {
	for i, words := range p.words {
		last := len(words) - 1
		for _, w := range words[:last] {
			visit(uint32(i), w, classOf(fieldReplaces, last == 1)) // #nosec G115 -- bounded by the words
		}
		visit(uint32(i), words[last], classOf(fieldReplaces, true)) // #nosec G115 -- bounded by the words
	}
}

// inverter turns "this listing has these terms" into "this term is had by these
// listings". Lists are numbered by term and class.
type inverter struct {
	masks  []uint32 // the classes of each term
	first  []uint32 // the number of each term's first list
	counts []uint32 // of each list
	last   []uint32 // what was added to each list last, and one
	starts []uint64 // where each list begins in numbers
	all    []uint32 // of all lists
}

func (v *inverter) list(term uint32, c class) uint32 {
	return v.first[term] + uint32(bits.OnesCount32(v.masks[term]&(1<<c-1))) // #nosec G115 -- at most 32
}

func (v *inverter) count(n, term uint32, c class) {
	if l := v.list(term, c); v.last[l] != n+1 {
		v.last[l] = n + 1
		v.counts[l]++
	}
}

func (v *inverter) put(n, term uint32, c class) {
	if l := v.list(term, c); v.last[l] != n+1 {
		v.last[l] = n + 1
		v.all[v.starts[l]+uint64(v.counts[l])] = n
		v.counts[l]++
	}
}

// invert makes the lists. each is called three times and visits the same.
func invert(terms int, each func(visit func(n, term uint32, c class))) *inverter {
	v := &inverter{masks: make([]uint32, terms), first: make([]uint32, terms+1)}
	each(func(_, term uint32, c class) { v.masks[term] |= 1 << c })
	for t, mask := range v.masks {
		v.first[t+1] = v.first[t] + uint32(bits.OnesCount32(mask)) // #nosec G115 -- fewer than numbers in the postings
	}
	lists := v.first[terms]
	v.counts, v.last, v.starts = make([]uint32, lists), make([]uint32, lists), make([]uint64, lists+1)
	each(v.count)
	for l, n := range v.counts {
		v.starts[l+1] = v.starts[l] + uint64(n)
	}
	v.all = make([]uint32, v.starts[lists])
	clear(v.counts)
	clear(v.last)
	each(v.put)
	return v
}

// numbers returns the numbers of a list.
func (v *inverter) numbers(l uint32) []uint32 { return v.all[v.starts[l]:v.starts[l+1]] }

// postings writes the postings of all terms.
func (b *Builder) postings(terms int, products mergedProducts) (body, at []byte, err error) {
	v := invert(terms, func(visit func(n, term uint32, c class)) {
		for i := range b.docs {
			b.docs[i].eachPlace(func(term uint32, c class) { visit(uint32(i), term, c) }) // #nosec G115 -- at most maxDocuments
		}
		products.eachPlace(visit)
	})
	had := newSet(len(b.docs))
	at = make([]byte, 0, 4*terms)
	body = make([]byte, 0, 4*len(v.all)+12*terms)
	for t := range uint32(terms) { // #nosec G115 -- fits checked
		if uint64(len(body)/4) > math.MaxUint32 {
			return nil, nil, fmt.Errorf("the postings take more than the format's %d numbers", uint32(math.MaxUint32))
		}
		at = binary.LittleEndian.AppendUint32(at, uint32(len(body)/4)) // #nosec G115 -- checked
		body = binary.LittleEndian.AppendUint32(body, v.masks[t])
		body = binary.LittleEndian.AppendUint32(body, b.frequency(had, v, t, products))
		dense := func(l uint32, c class) bool {
			return (c == classExact || c.field() != fieldReplaces) && isDense(len(v.numbers(l)), len(b.docs))
		}
		v.eachList(t, func(l uint32, c class) {
			count := uint32(len(v.numbers(l))) // #nosec G115 -- at most maxDocuments
			if dense(l, c) {
				count |= bitmapFlag
			}
			body = binary.LittleEndian.AppendUint32(body, count)
		})
		v.eachList(t, func(l uint32, c class) { body = appendList(body, v.numbers(l), dense(l, c), len(b.docs)) })
	}
	return body, at, nil
}

// eachList visits the lists of a term.
func (v *inverter) eachList(term uint32, visit func(l uint32, c class)) {
	l := v.first[term]
	for mask := v.masks[term]; mask != 0; l, mask = l+1, mask&(mask-1) {
		visit(l, class(bits.TrailingZeros32(mask))) // #nosec G115 -- below 32
	}
}

// frequency counts the listings that have a term in any class.
func (b *Builder) frequency(had *set, v *inverter, term uint32, p mergedProducts) uint32 {
	if first := v.first[term]; v.first[term+1] == first+1 && v.masks[term] != 1<<classOf(fieldReplaces, true) && v.masks[term] != 1<<classOf(fieldReplaces, false) {
		return uint32(len(v.numbers(first))) // #nosec G115 -- at most maxDocuments
	}
	defer had.clear()
	v.eachList(term, func(l uint32, c class) {
		for _, n := range v.numbers(l) {
			if c == classExact || c.field() != fieldReplaces {
				had.add(int(n))
				continue
			}
			for _, doc := range p.docs[n] {
				had.add(int(doc))
			}
		}
	})
	return uint32(had.count()) // #nosec G115 -- at most maxDocuments
}

// texts returns the texts of the listings, and where those of each begin.
func (b *Builder) texts() (pieces [][]byte, at []byte, err error) {
	total := uint64(0)
	at = make([]byte, 0, 4*len(b.docs)+4)
	var piece []byte
	for i := range b.docs {
		at = binary.LittleEndian.AppendUint32(at, uint32(total)) // #nosec G115 -- checked below
		if cap(piece)-len(piece) < 4*len(b.docs[i].texts) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, max(arenaSize, 4*len(b.docs[i].texts)))
		}
		piece = appendNumbers(piece, b.docs[i].texts)
		total += uint64(len(b.docs[i].texts))
		if total > math.MaxUint32 {
			return nil, nil, fmt.Errorf("the texts take more than the format's %d words", uint32(math.MaxUint32))
		}
	}
	return append(pieces, piece), binary.LittleEndian.AppendUint32(at, uint32(total)), nil // #nosec G115 -- checked
}

func (b *Builder) documents() (pieces [][]byte, bounds, parts []byte) {
	offset := uint64(0)
	for i := range b.docs {
		d := b.docs[i]
		pieces = append(pieces, d.document)
		bounds = binary.LittleEndian.AppendUint64(bounds, offset)
		offset += uint64(len(d.document))
		parts = appendNumbers(parts, d.parts[:])
	}
	return pieces, binary.LittleEndian.AppendUint64(bounds, offset), parts
}

// stemTables returns the dictionary of stems, the stem of each term, and the
// terms of each stem: for each stem and one more where its terms begin among
// the numbers of terms that follow.
func stemTables(terms []string) (stems [][]byte, termStems, stemTerms []byte) {
	stemOf := make([]string, len(terms))
	const chunk = 1024
	parallel.All((len(terms)+chunk-1)/chunk, func(i int) {
		for t := i * chunk; t < min(len(terms), (i+1)*chunk); t++ {
			if terms[t] >= firstWord {
				stemOf[t] = stem(terms[t])
			}
		}
	})
	texts := distinct(stemOf)
	numbers := make(map[string]uint32, len(texts))
	for i, s := range texts {
		numbers[s] = uint32(i) // #nosec G115 -- as many as terms
	}
	members := make([][2]uint32, len(terms))
	for t, s := range stemOf {
		members[t] = [2]uint32{numbers[s], uint32(t)} // #nosec G115 -- fits checked
		termStems = binary.LittleEndian.AppendUint32(termStems, numbers[s])
	}
	slices.SortFunc(members, func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	starts, all := make([]uint32, len(texts)+1), make([]uint32, len(members))
	for i, m := range members {
		starts[m[0]+1]++
		all[i] = m[1]
	}
	for i := range texts {
		starts[i+1] += starts[i]
	}
	return encodeDictionary(texts), termStems, appendNumbers(appendNumbers(nil, starts), all)
}
