package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"catalog.example/api"
)

// builtDoc is what the Builder keeps of a listing.
type builtDoc struct {
	sortKeys
	reader   int // whose numbers texts and places hold
	document []byte
	parts    partBounds
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
	i := uint32(len(n.texts)) // words of listings that fit into memory
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
		n = uint32(len(r.terms.texts)) // words of listings that fit into memory
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
			found = append(found, values)
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
