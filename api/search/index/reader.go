package index

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/token"
)

// builtDoc is a listing in a Builder.
type builtDoc struct {
	order    ordered
	reader   int    // index of the reader that numbered the words in texts and places
	document []byte // nil if it is in the Builder's Store
	stored   uint64 // where it begins there
	size     uint32 // how long it is there
	parts    partBounds
	texts    []uint32  // as in texts.go
	places   []place   // of the terms that are not in texts
	figures  []float64 // of Builder.measured
	category string
	needs    string   // encoded hardware.Needs, without uses
	uses     []byte   // see appendUses
	runsWith []string // slugs
	former   []string // slugs
	// Encoded sets of platforms, of licences and, for each of facetFacts, of the filter values that
	// match the listing.
	platforms, licenses, matches string
}

// place is a class in which a listing has a term.
type place struct {
	term  uint32
	class Class
}

// reader turns the texts of listings into word numbers.
type reader struct {
	builder  *Builder
	terms    numbering
	products numbering
	// productTexts holds, for each product, the words of its name, then the words joined.
	productTexts [][]uint32
	phraseStems  []string // of each term; "" if no synonym phrase has this stem
	tokens       []string
	words        []uint32
	texts        []uint32          // the texts of the current listing
	places       []place           // its places
	encoded      map[string]string // encoded sets that listings share
	packed       []uint32          // for pack: 1 + the number in keptDoc of each term, 0 for none
}

// share returns an equal text. Many listings have the same sets: they are in memory only once.
func (r *reader) share(encoded []byte) string {
	if known, ok := r.encoded[string(encoded)]; ok {
		return known
	}
	text := string(encoded)
	r.encoded[text] = text
	return text
}

// numbering numbers texts in the order of their first use.
type numbering struct {
	numbers map[string]uint32
	texts   []string
}

func (n *numbering) number(text string) (number uint32, known bool) {
	if i, known := n.numbers[text]; known {
		return i, true
	}
	i := uint32(len(n.texts)) // fits: the texts are in memory
	// Without a copy, a word would keep the text that it is part of in memory.
	text = strings.Clone(text)
	n.numbers[text] = i
	n.texts = append(n.texts, text)
	return i, false
}

func newReader(b *Builder) *reader {
	return &reader{
		builder: b, terms: numbering{numbers: map[string]uint32{}}, products: numbering{numbers: map[string]uint32{}},
		encoded: map[string]string{},
	}
}

// term returns the number of a term.
func (r *reader) term(text string) uint32 {
	n, known := r.terms.number(text)
	if !known {
		r.phraseStems = append(r.phraseStems, r.builder.phrases.stemOf(text))
	}
	return n
}

// read returns the builtDoc of a listing. document is the listing's JSON; if it is nil, read makes
// the JSON. keep is Catalog.Keep for the listing, or nil.
func (r *reader) read(p api.ProjectDetail, document []byte, keep func(read func() []byte) []byte) (builtDoc, error) {
	if document == nil {
		encoded, err := api.ProjectJSON(&r.builder.settings, p)
		if err != nil {
			return builtDoc{}, err
		}
		document = slices.Clip(encoded)
	}
	parts, err := locateParts(document)
	if err != nil {
		return builtDoc{}, err
	}
	if uint64(len(document)) > maxDocumentBytes {
		return builtDoc{}, fmt.Errorf("%d bytes are more than %d", len(document), uint64(maxDocumentBytes))
	}
	d := builtDoc{
		order: orderedOf(&p.Project), document: document, parts: parts, category: p.Category, former: p.Formerly,
		runsWith: p.RunsWith,
		texts:    r.texts[:0], places: r.places[:0],
	}
	d.figures = figuresOf(r.builder.measured, &p.Project)
	r.readOrKept(&d, func() {
		r.readTexts(&d, &p)
		r.readFacets(&d, &p)
	}, keep)
	r.texts, r.places = d.texts, d.places // whose room the next listing uses
	d.texts, d.places = slices.Clone(d.texts), slices.Clone(d.places)
	return d, nil
}

// readTexts adds the texts of a listing to d.
func (r *reader) readTexts(d *builtDoc, p *api.ProjectDetail) {
	taxonomy := &r.builder.taxonomy
	if name := token.Join(p.Name); name != "" {
		r.addPlace(d, name, ClassExact)
	}
	r.addText(d, FieldName, p.Name)
	for _, a := range p.Aliases {
		r.addText(d, FieldAlias, a)
	}
	for _, name := range p.Replaces {
		r.addProduct(d, name)
		if product, ok := taxonomy.Product(name); ok {
			r.addFact(d, FactReplaces, product.Slug)
			for _, a := range product.Aliases {
				r.addProduct(d, a)
			}
		}
	}
	r.addText(d, FieldPurpose, p.Purpose)
	for _, j := range p.Jobs {
		r.addText(d, FieldJob, j)
	}
	for _, a := range p.Asks {
		r.addText(d, FieldAsk, a)
	}
	if category, known := taxonomy.Category(p.Category); known {
		r.addText(d, FieldCategory, category.Name)
	}
	r.addText(d, FieldCategory, p.Category)
	for _, t := range p.Topics {
		r.addText(d, FieldTopic, t)
	}
	for _, text := range taxonomy.SearchedTexts(p.FitNotes) {
		r.addText(d, FieldTopic, text)
	}
	for sentence := range token.Sentences(p.Prose) {
		r.addText(d, FieldDescription, sentence)
	}
}

// wordNumbers returns the numbers of the words of a text. It omits function words, unless the text
// has no other words. The slice is valid until the next call.
func (r *reader) wordNumbers(text string) []uint32 {
	language := r.builder.language
	r.tokens = language.Append(r.tokens[:0], token.Fold(text))
	isFunctionWord := func(w string) bool { return language.FunctionWords[w] }
	onlyFunctionWords := !slices.ContainsFunc(r.tokens, func(w string) bool { return !isFunctionWord(w) })
	r.words = r.words[:0]
	for _, w := range r.tokens {
		if onlyFunctionWords || !isFunctionWord(w) {
			r.words = append(r.words, r.term(w))
		}
	}
	return r.words[:min(len(r.words), textCount)]
}

// textsOf returns the texts of words.
func (r *reader) textsOf(words []uint32) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = r.terms.texts[w]
	}
	return texts
}

// joinedTerm returns the number of the term that words form when written together.
func (r *reader) joinedTerm(words []uint32) uint32 {
	if len(words) == 1 {
		return words[0]
	}
	return r.term(r.builder.language.Join(r.textsOf(words)))
}

func (r *reader) addPlace(d *builtDoc, term string, c Class) {
	d.places = append(d.places, place{r.term(term), c})
}

// addText adds a text of a field.
func (r *reader) addText(d *builtDoc, f Field, text string) {
	words := r.wordNumbers(text)
	if len(words) == 0 {
		return
	}
	d.texts = append(append(d.texts, uint32(newTextHead(f, false, len(words)))), words...)
	r.addPhrases(d, f, words)
	// Names are also found with their words joined ("open webui" by "openwebui").
	if len(words) > 1 && f.isName() {
		d.texts = append(d.texts, uint32(newTextHead(f, true, 1)), r.joinedTerm(words))
	}
}

// addProduct adds the name of a replaced product.
func (r *reader) addProduct(d *builtDoc, name string) {
	words := r.wordNumbers(name)
	if len(words) == 0 {
		return
	}
	number := r.product(words, func() uint32 { return r.joinedTerm(words) })
	d.texts = append(d.texts, uint32(newTextHead(FieldReplaces, false, 1)), number)
}

// product returns the number of a product by the words of its name; joined returns the term of the words joined.
func (r *reader) product(words []uint32, joined func() uint32) uint32 {
	n, known := r.products.number(strings.Join(r.textsOf(words), " "))
	if !known {
		r.productTexts = append(r.productTexts, append(slices.Clone(words), joined()))
	}
	return n
}

// addPhrases adds the synonym phrases in a text.
func (r *reader) addPhrases(d *builtDoc, f Field, words []uint32) {
	for i, w := range words {
		if r.phraseStems[w] == "" {
			continue
		}
		for _, phrase := range r.builder.phrases.first[r.phraseStems[w]] {
			if i+len(phrase.Stems) <= len(words) && r.hasStems(words[i:], phrase.Stems) {
				r.addPlace(d, phrase.Term, ClassOf(f, len(phrase.Stems) == len(words)))
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

// The first bytes of terms that are not words, but values of filters and facts, or phrases.
const (
	termValue   = "\x01" // a value of a facet or another fact: see ValueTerm
	termLicense = "\x02" // a value of the parameter license, in lower case
	termPhrase  = "\x03" // the stems of a synonym phrase, joined by spaces
	firstWord   = "\x20" // all words sort after this
)

// addFact adds a value of a fact.
func (r *reader) addFact(d *builtDoc, name, value string) {
	r.addPlace(d, ValueTerm(name, value), ClassExact)
}

// readFacets adds the values of filters, facets and hints to d.
func (r *reader) readFacets(d *builtDoc, p *api.ProjectDetail) {
	r.addFact(d, FacetNames[FacetCategory], p.Category)
	platforms := distinct(p.Platforms)
	for _, platform := range platforms {
		r.addFact(d, FacetNames[FacetPlatform], platform)
	}
	var licenses, keys []string
	if p.License != nil {
		for _, l := range sufficientLicenses(*p.License) {
			licenses = append(licenses, l.String())
			keys = append(keys, l.Keys()...)
		}
	}
	licenses = distinct(licenses)
	for _, l := range licenses {
		r.addFact(d, FacetNames[FacetLicense], l)
	}
	for _, key := range distinct(keys) {
		r.addPlace(d, LicenseTerm(key), ClassExact)
	}
	var matches [][]string
	for _, f := range r.builder.searchFacts {
		value := p.SearchFact(f)
		values := f.MatchingFilterValues(value)
		for _, value := range values {
			r.addFact(d, FactName(f), value)
		}
		if f.IsOptionFlag() { // a hint may mean one of its options
			for _, slug := range f.Slugs(value) {
				r.addFact(d, FactName(f), slug)
			}
		}
		if f.Filter != nil && f.FilterValues() != nil {
			matches = append(matches, values)
		}
	}
	if p.Language != nil {
		r.addFact(d, "language", *p.Language)
	}
	if p.Archived != nil && *p.Archived {
		r.addFact(d, FactArchived, "1")
	}
	d.platforms, d.licenses = r.share(encode(&platforms)), r.share(encode(&licenses))
	d.matches = r.share(encode(&matches))
	needs := r.builder.taxonomy.NeedsOf(&p.Project)
	d.needs, d.uses = r.share(encode(&needs)), appendUses(nil, &needs)
}
