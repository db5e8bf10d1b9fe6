package search

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"catalog.example/api"
)

// A compact index is an index for browsers, which have to load it: a third of the size,
// compressed. It has the same sections as an index, except:
//
//   - A listing has only the JSON that hits have.
//   - The taxonomy lacks what no search needs.
//   - What follows from other sections is left out, and made on opening by the code that
//     makes it for an index: the spelling and stems of words, the postings, and where
//     things begin.
//   - Words are numbered by how often they occur, so that most take one byte.
const (
	sectionHits  = "hits"  // the JSON of each listing as in hits, a line each
	sectionWords = "words" // compactWords
)

// madeOnOpening are the sections that a compact index lacks.
var madeOnOpening = []string{
	sectionDocuments, sectionBounds, sectionParts, sectionSlugs, sectionSlugDocs, sectionTerms, sectionSpelling, sectionStems, sectionTermStems, sectionStemTerms,
	sectionPostings, sectionPostingsAt, sectionTexts, sectionTextsAt, sectionCategoryTexts, sectionCategoryTextsAt,
}

// compactWords are the words of an index and where they are.
type compactWords struct {
	terms      []compactTerm
	counts     []uint32 // how often each term occurs in texts
	docs       []compactDoc
	categories []compactDoc // the asks of categories
}

// compactTerm is a term without the bytes that it shares with the one before.
type compactTerm struct {
	shared uint32
	rest   string
}

// compactDoc has the words of a listing or a category. Places are ordered by term.
type compactDoc struct {
	texts  []compactText
	places []place
}

// compactText is a text: the upper bits of its head, and its words by their ranks. In
// fieldReplaces, the number is that of the product.
type compactText struct {
	kind  uint32
	words []uint32
}

// compactKindShift is that of textJoined: kinds are the field and whether it is joined.
const compactKindShift = textFieldShift - 1

func visitCompactWords(c *codec, w *compactWords) {
	visitList(c, &w.terms, func(c *codec, t *compactTerm) {
		c.unsigned(&t.shared)
		c.text(&t.rest)
	})
	visitList(c, &w.counts, (*codec).unsigned)
	visitList(c, &w.docs, visitCompactDoc)
	visitList(c, &w.categories, visitCompactDoc)
}

func visitCompactDoc(c *codec, d *compactDoc) {
	visitList(c, &d.texts, func(c *codec, t *compactText) {
		c.unsigned(&t.kind)
		visitList(c, &t.words, (*codec).unsigned)
	})
	before := uint32(0) // terms are written as differences
	visitList(c, &d.places, func(c *codec, p *place) {
		more, kind := p.term-before, uint32(p.class)
		c.unsigned(&more)
		c.unsigned(&kind)
		*p = place{before + more, class(kind)}
		before = p.term
	})
}

// byFrequency returns the terms, most frequent first.
func byFrequency(counts []uint32) []uint32 {
	terms := make([]uint32, len(counts))
	for i := range terms {
		terms[i] = uint32(i) // as many as counts
	}
	slices.SortFunc(terms, func(a, b uint32) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return terms
}

// EncodeCompact returns the compact index, for OpenCompact. Afterwards no listing may be
// added.
func (b *Builder) EncodeCompact() ([]byte, error) {
	full, err := b.sections()
	if err != nil {
		return nil, err
	}
	var compact []section
	var terms dictionary
	for _, s := range full {
		switch {
		case s.name == sectionTerms:
			terms, _ = openDictionary(slices.Concat(s.pieces...)) // as it was encoded
		case s.name == sectionTaxonomy:
			searched := searchedTaxonomy(b.taxonomy)
			compact = append(compact, oneSection(s.name, encode(&searched, visitTaxonomy)))
		case !slices.Contains(madeOnOpening, s.name):
			compact = append(compact, s)
		}
	}
	words := b.compactWords(&terms)
	compact = append(compact, oneSection(sectionWords, encode(&words, visitCompactWords)), oneSection(sectionHits, b.hits()))
	var file bytes.Buffer
	if _, err := write(&file, compact); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// searchedTaxonomy returns a taxonomy without what only pages need, and without the asks of
// categories, which are texts of the index.
func searchedTaxonomy(t api.Taxonomy) api.Taxonomy {
	t.Categories, t.Products, t.Hardware, t.Facts = slices.Clone(t.Categories), slices.Clone(t.Products), slices.Clone(t.Hardware), slices.Clone(t.Facts)
	for i := range t.Categories {
		t.Categories[i].Asks, t.Categories[i].Description = nil, ""
	}
	for i := range t.Products {
		t.Products[i].Misses, t.Products[i].Maker = "", ""
	}
	for i := range t.Hardware {
		t.Hardware[i].Source, t.Hardware[i].ShareSource = "", ""
	}
	for i := range t.Facts {
		t.Facts[i].Meaning = ""
	}
	return t
}

func (b *Builder) compactWords(terms *dictionary) compactWords {
	w := compactWords{terms: make([]compactTerm, terms.n), counts: make([]uint32, terms.n)}
	var before []byte
	for i := range w.terms {
		text := terms.text(i)
		shared := 0
		for shared < min(len(text), len(before)) && text[shared] == before[shared] {
			shared++
		}
		w.terms[i] = compactTerm{uint32(shared), string(text[shared:])} // bounded by the length of a term
		before = text
	}
	categories := b.sortedCategories()
	for _, d := range slices.Concat(b.docs, categories) {
		eachText(d.texts, func(head uint32, text []uint32) {
			if field(head>>textFieldShift) != fieldReplaces {
				for _, t := range text {
					w.counts[t]++
				}
			}
		})
	}
	ranks := make([]uint32, terms.n)
	for rank, term := range byFrequency(w.counts) {
		ranks[term] = uint32(rank) // as many as terms
	}
	w.docs, w.categories = compactDocs(b.docs, ranks), compactDocs(categories, ranks)
	return w
}

func compactDocs(docs []*builtDoc, ranks []uint32) []compactDoc {
	list := make([]compactDoc, len(docs))
	for i, d := range docs {
		eachText(d.texts, func(head uint32, text []uint32) {
			t := compactText{head >> compactKindShift, slices.Clone(text)}
			if field(head>>textFieldShift) != fieldReplaces {
				for k, term := range t.words {
					t.words[k] = ranks[term]
				}
			}
			list[i].texts = append(list[i].texts, t)
		})
		list[i].places = slices.Clone(d.places)
		slices.SortFunc(list[i].places, func(a, b place) int { return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.class, b.class)) })
		list[i].places = slices.Compact(list[i].places)
	}
	return list
}

func (b *Builder) hits() (lines []byte) {
	bodies, bounds, parts := encodeDocuments(b.docs)
	documents := documents{len(b.docs), slices.Concat(bodies...), bounds, parts}
	for i := range b.docs {
		lines = append(documents.appendHit(lines, i), "}\n"...)
	}
	return lines
}

// OpenCompact is Open for the bytes of a compact index. The Index answers searches; its lists
// and single projects have only what hits have.
func OpenCompact(file []byte) (*Index, error) {
	s, identity, err := readSections(file)
	if err != nil {
		return nil, err
	}
	var words compactWords
	if !decode(s[sectionWords], &words, visitCompactWords) {
		return nil, badSection(sectionWords, "does not decode")
	}
	made, err := words.sections(s)
	if err != nil && !errors.Is(err, ErrUnusable) {
		err = unusable("damaged: ", err.Error())
	}
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		s[m.name] = slices.Concat(m.pieces...)
	}
	return newIndex(s, identity, int64(len(file)))
}

// sections makes the sections that a compact index lacks; s are those that it has.
func (w *compactWords) sections(s sections) ([]section, error) {
	docs, err := hitDocs(s[sectionHits])
	if err != nil {
		return nil, err
	}
	terms := make([]string, len(w.terms))
	before := ""
	for i, t := range w.terms {
		terms[i] = before[:min(int(t.shared), len(before))] + t.rest
		before = terms[i]
	}
	productsAt := s[sectionProductsAt]
	named := products{len(productsAt) / 4, len(docs), productsAt, s[sectionProducts]}
	categories := make([]*builtDoc, len(w.categories))
	for i := range categories {
		categories[i] = &builtDoc{}
	}
	if len(w.counts) != len(terms) || len(w.docs) != len(docs) || len(s[sectionFacts]) != factsSize*len(docs) ||
		!expandDocs(docs, w.docs, byFrequency(w.counts), named.n) || !expandDocs(categories, w.categories, byFrequency(w.counts), named.n) {
		return nil, badSection(sectionWords, "does not fit the other sections")
	}
	categoryOf := make([]*builtDoc, len(docs))
	for i := range docs {
		number := factsOf(s[sectionFacts], i).number(0)
		if number >= len(categories) {
			return nil, badSection(sectionFacts, "names a category that there is not")
		}
		categoryOf[i] = categories[number]
	}
	replaced := mergedProducts{words: make([][]uint32, named.n), docs: make([][]uint32, named.n)}
	for i := range named.n {
		p := named.get(i)
		for k := range p.len() {
			replaced.words[i] = append(replaced.words[i], uint32(readNumber(p.terms[4*k:]))) // a number of 4 bytes
		}
		replaced.words[i] = append(replaced.words[i], uint32(p.joined)) // a number of 4 bytes
		if slices.ContainsFunc(replaced.words[i], notBelow(len(terms))) {
			return nil, badSection(sectionProducts, "names a word that there is not")
		}
	}
	for i, d := range docs {
		eachText(d.texts, func(head uint32, text []uint32) {
			if field(head>>textFieldShift) == fieldReplaces {
				replaced.docs[text[0]] = append(replaced.docs[text[0]], uint32(i)) // as many as listings
			}
		})
	}
	postings, postingsAt, err := encodePostings(len(terms), docs, categoryOf, &replaced)
	if err != nil {
		return nil, err
	}
	texts, textsAt, err := encodeTexts(docs)
	if err != nil {
		return nil, err
	}
	categoryTexts, categoryTextsAt, err := encodeTexts(categories)
	if err != nil {
		return nil, err
	}
	slugs, slugDocs, err := encodeSlugs(docs)
	if err != nil {
		return nil, err
	}
	stems, termStems, stemTerms := stemTables(terms)
	bodies, bounds, parts := encodeDocuments(docs)
	return []section{
		{sectionDocuments, bodies}, oneSection(sectionBounds, bounds), oneSection(sectionParts, parts),
		{sectionSlugs, slugs}, oneSection(sectionSlugDocs, slugDocs),
		{sectionTerms, encodeDictionary(terms)}, oneSection(sectionSpelling, encodeSpelling(terms)),
		{sectionStems, stems}, oneSection(sectionTermStems, termStems), oneSection(sectionStemTerms, stemTerms),
		oneSection(sectionPostings, postings), oneSection(sectionPostingsAt, postingsAt),
		{sectionTexts, texts}, oneSection(sectionTextsAt, textsAt),
		{sectionCategoryTexts, categoryTexts}, oneSection(sectionCategoryTextsAt, categoryTextsAt),
	}, nil
}

// hitDocs returns listings with their JSON and slugs.
func hitDocs(lines []byte) (docs []*builtDoc, err error) {
	for line := range bytes.Lines(lines) {
		d := &builtDoc{document: bytes.TrimSuffix(line, []byte("\n"))}
		if d.parts, err = locateParts(d.document); err != nil {
			return nil, badSection(sectionHits, "is not JSON")
		}
		slug, _, ok := bytes.Cut(bytes.TrimPrefix(d.document, []byte(`{"slug":"`)), []byte(`"`))
		if !ok {
			return nil, badSection(sectionHits, "has a listing without a slug")
		}
		d.slug = string(slug)
		docs = append(docs, d)
	}
	return docs, nil
}

func notBelow(limit int) func(uint32) bool {
	return func(n uint32) bool { return uint64(n) >= uint64(limit) }
}

// expandDocs sets the texts and places of listings or categories. ok is false if they name
// terms or products that there are not.
func expandDocs(docs []*builtDoc, compact []compactDoc, terms []uint32, products int) (ok bool) {
	for i, d := range docs {
		for _, t := range compact[i].texts {
			f, limit := field(t.kind>>1), len(terms)
			if f == fieldReplaces {
				limit = products
			}
			if f >= fieldCount || f == fieldReplaces && len(t.words) != 1 || slices.ContainsFunc(t.words, notBelow(limit)) {
				return false
			}
			d.texts = append(append(d.texts, textHead(f, t.kind&1 != 0, len(t.words))), t.words...)
			if f != fieldReplaces {
				written := d.texts[len(d.texts)-len(t.words):]
				for k, rank := range written {
					written[k] = terms[rank]
				}
			}
		}
		d.places = compact[i].places
		if slices.ContainsFunc(d.places, func(p place) bool {
			return notBelow(len(terms))(p.term) || p.class >= classCount || p.class != classExact && p.class.field() == fieldReplaces
		}) {
			return false
		}
	}
	return true
}
