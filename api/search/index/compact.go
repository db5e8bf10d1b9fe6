package index

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
)

// A compact index is an index for browsers, which have to load all of it: when compressed, it has a
// third of the size. It has the same sections as an index, except:
//
//   - Listings have only the JSON that hits contain.
//   - The settings and the taxonomy have only the parts that searches need.
//   - It omits sections that can be computed from others: the spelling and stems of words,
//     the postings, and tables of offsets. OpenCompact makes them with the same code as a
//     Builder.
//   - Words are numbered by frequency, so that most occurrences take one byte.
const (
	sectionHits  = "hits"  // the JSON of each listing as in hits, one per line
	sectionWords = "words" // compactWords
)

// compactWords holds the words of an index and where they occur.
type compactWords struct {
	// For each term: how many of its first bytes it shares with the term before, and how many bytes
	// follow. rest has the bytes that follow, for all terms.
	shared, lengths []uint32
	rest            string
	// For the stem of each term: how many bytes to cut off the end of the term, and how many to put
	// in their place. endings has these, for all stems.
	cuts, endingLengths []uint32
	endings             string
	counts              []uint32 // how often each term occurs in texts
	docs, categories    compactDocs
	categoryCount       uint32
}

// byFrequency returns the terms, most frequent first. most must not be less than the highest count.
func byFrequency(counts []uint32, most uint32) []uint32 {
	starts := make([]uint32, most+2) // where the terms with each count begin, from the highest count
	for _, n := range counts {
		starts[most-n+1]++
	}
	for i := range most + 1 {
		starts[i+1] += starts[i]
	}
	terms := make([]uint32, len(counts))
	for term, n := range counts {
		terms[starts[most-n]] = uint32(term) // term numbers fit in 32 bits
		starts[most-n]++
	}
	return terms
}

// EncodeCompact returns the compact index, for OpenCompact. No listings may be added afterwards.
func (b *Builder) EncodeCompact() ([]byte, error) {
	if err := b.make(); err != nil {
		return nil, err
	}
	settings, taxonomy, words := searchedSettings(b.settings), searchedTaxonomy(b.taxonomy), newCompactWords(&b.content)
	compact := maps.Clone(b.others)
	compact[sectionSettings], compact[sectionTaxonomy] = encode(&settings), encode(&taxonomy)
	hits, err := b.hits()
	if err != nil {
		return nil, err
	}
	compact[sectionWords], compact[sectionHits] = encode(&words), hits
	return slices.Concat(fileOf(compact.inOrder(nil))...), nil
}

// searchedSettings returns only the settings on which answers depend, because a compact index is
// public.
func searchedSettings(s site.Settings) site.Settings {
	return site.Settings{Lang: s.Lang, BaseURL: s.BaseURL, Search: s.Search, Without: s.Without, Optional: s.Optional}
}

// searchedTaxonomy returns a taxonomy without the parts that only pages need, and without the asks
// of categories, which the index has as texts.
func searchedTaxonomy(t api.Taxonomy) api.Taxonomy {
	t.Categories, t.Products, t.Facts = slices.Clone(t.Categories), slices.Clone(t.Products), slices.Clone(t.Facts)
	t.Hardware.Devices = slices.Clone(t.Hardware.Devices)
	for i := range t.Categories {
		t.Categories[i].Asks, t.Categories[i].Description = nil, ""
	}
	for i := range t.Products {
		t.Products[i].Misses, t.Products[i].Maker = "", ""
	}
	for i := range t.Hardware.Devices {
		d := &t.Hardware.Devices[i]
		d.Source, d.Shares = "", slices.Clone(d.Shares)
		for k := range d.Shares {
			d.Shares[k].Source = ""
		}
	}
	for i := range t.Facts {
		t.Facts[i].Meaning, t.Facts[i].Suits, t.Facts[i].Searched = "", nil, nil
	}
	t.Models.Measured, t.Models.Keeps.Because, t.Models.Keeps.Source, t.Models.Computers = "", "", "", nil
	t.Models.Sizes = slices.Clone(t.Models.Sizes)
	for i := range t.Models.Sizes {
		t.Models.Sizes[i].Model, t.Models.Sizes[i].Source = "", ""
	}
	return t
}

func newCompactWords(c *content) compactWords {
	w := compactWords{counts: make([]uint32, len(c.terms)), categoryCount: uint32(len(c.categories))} // there are few
	var rest, endings strings.Builder
	before := ""
	for i, text := range c.terms {
		shared := commonPrefix(text, before)
		w.shared = append(w.shared, uint32(shared)) // fits, like those below: limited by the length of a term
		w.lengths = append(w.lengths, uint32(len(text)-shared))
		rest.WriteString(text[shared:])
		shared = commonPrefix(text, c.stems[i])
		w.cuts = append(w.cuts, uint32(len(text)-shared))
		w.endingLengths = append(w.endingLengths, uint32(len(c.stems[i])-shared))
		endings.WriteString(c.stems[i][shared:])
		before = text
	}
	w.rest, w.endings = rest.String(), endings.String()
	for _, d := range slices.Concat(c.docs, c.categories) {
		eachText(d.texts, func(head textHead, text []uint32) {
			if head.field() != FieldReplaces {
				for _, t := range text {
					w.counts[t]++
				}
			}
		})
	}
	ranks := make([]uint32, len(c.terms))
	for rank, term := range byFrequency(w.counts, slices.Max(append(w.counts, 0))) {
		ranks[term] = uint32(rank) // fits: fewer than terms
	}
	w.docs, w.categories = newCompactDocs(c.docs, ranks), newCompactDocs(c.categories, ranks)
	return w
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (b *Builder) hits() (lines []byte, err error) {
	for i := range b.docs {
		var document []byte
		if document, err = b.appendDocument(nil, b.docs[i]); err != nil {
			return nil, err
		}
		bounds, parts := documentBounds(b.docs[i : i+1])
		documents := Documents{1, document, bounds, parts}
		lines = append(documents.AppendHit(lines, 0), "}\n"...)
	}
	return lines, nil
}

// OpenCompact is Open for the bytes of a compact index. The Index answers searches; its lists and
// single projects contain only the fields of hits.
func OpenCompact(file []byte) (*Index, error) {
	s, identity, err := readSections(file)
	if err != nil {
		return nil, err
	}
	var words compactWords
	if !decode(s[sectionWords], &words) {
		return nil, badSection(sectionWords, "cannot be decoded")
	}
	c, err := words.content(s)
	if err != nil {
		return nil, err
	}
	made, err := do(c.tasks())
	if err != nil {
		return nil, unusable("damaged: ", err.Error())
	}
	maps.Copy(s, made)
	return newIndex(s, identity, int64(len(file)))
}

// content returns the content of an index. s holds the sections of the compact index.
func (w *compactWords) content(s sections) (c content, err error) {
	if c.docs, err = hitDocs(s[sectionHits]); err != nil {
		return c, err
	}
	var ok bool
	c.terms, c.stems, ok = w.texts()
	// A term cannot occur more often than there are words.
	most := slices.Max(append(slices.Clone(w.counts), 0))
	if !ok || len(w.counts) != len(c.terms) || uint64(most) > uint64(len(w.docs.words)+len(w.categories.words)) ||
		uint64(w.categoryCount) > uint64(len(w.categories.heads)) ||
		len(s[sectionFacetNumbers]) != FacetColumns*facetNumberSize*len(c.docs) {
		return c, badSection(sectionWords, "does not fit the other sections")
	}
	products := newProducts(s, len(c.docs))
	ranked := byFrequency(w.counts, most)
	c.categories = make([]*builtDoc, w.categoryCount)
	for i := range c.categories {
		c.categories[i] = &builtDoc{}
	}
	if !w.docs.expand(c.docs, ranked, products.n) || !w.categories.expand(c.categories, ranked, products.n) {
		return c, badSection(sectionWords, "does not fit the other sections")
	}
	for i := range c.docs {
		number := facetNumber(s[sectionFacetNumbers], i) // in column 0
		if number >= len(c.categories) {
			return c, badSection(sectionFacetNumbers, "refers to a category that does not exist")
		}
		c.categoryOf = append(c.categoryOf, c.categories[number])
	}
	for i := range products.n {
		p := products.Get(i)
		words := make([]uint32, 0, p.Len()+1)
		for k := range p.Len() {
			words = append(words, uint32(Number(p.Terms[4*k:]))) // a number of 4 bytes
		}
		words = append(words, uint32(p.Joined)) // a number of 4 bytes
		if uint64(slices.Max(words)) >= uint64(len(c.terms)) {
			return c, badSection(sectionProducts, "refers to a word that does not exist")
		}
		c.products.words = append(c.products.words, words)
	}
	c.products.find(c.docs)
	return c, nil
}

// hitDocs returns listings with only their JSON and slugs.
func hitDocs(lines []byte) (docs []*builtDoc, err error) {
	for line := range bytes.Lines(lines) {
		d := &builtDoc{document: bytes.TrimSuffix(line, []byte("\n"))}
		end := uint32(max(0, len(d.document)-len("}")))  // limited by the file
		d.parts[0], d.parts[1], d.parts[2] = end, 1, end // the first part of a hit is all of it
		rest, ok := bytes.CutPrefix(d.document, []byte(`{"slug":"`))
		slug, _, closed := bytes.Cut(rest, []byte(`"`))
		if !ok || !closed {
			return nil, badSection(sectionHits, "has a listing without a slug")
		}
		d.order.slug = string(slug)
		docs = append(docs, d)
	}
	return docs, nil
}

// maxExpansion limits how many times longer terms and stems may be than their encoded form. Real
// ones are about 4 times as long.
const maxExpansion = 64

// texts returns the terms and the stem of each. ok is false if the encoded parts do not fit
// together.
func (w *compactWords) texts() (terms, stems []string, ok bool) {
	n := len(w.shared)
	if len(w.lengths) != n || len(w.cuts) != n || len(w.endingLengths) != n {
		return nil, nil, false
	}
	terms, stems = make([]string, n), make([]string, n)
	before, rest, endings := "", w.rest, w.endings
	left := maxExpansion * uint64(len(w.rest)+n) // bytes
	for i := range n {
		shared, length := uint64(w.shared[i]), uint64(w.lengths[i])
		if shared > uint64(len(before)) || length > uint64(len(rest)) {
			return nil, nil, false
		}
		term := rest[:length]
		if shared > 0 {
			term = before[:shared] + term
		}
		cut, ending := uint64(w.cuts[i]), uint64(w.endingLengths[i])
		if cut > uint64(len(term)) || ending > uint64(len(endings)) {
			return nil, nil, false
		}
		stem := term[:uint64(len(term))-cut]
		if ending > 0 {
			stem += endings[:ending]
		}
		size := uint64(len(term) + len(stem))
		if size > left { // a forged file, in which each long term shares all of the one before
			return nil, nil, false
		}
		left -= size
		terms[i], stems[i] = term, stem
		before, rest, endings = term, rest[length:], endings[ending:]
	}
	return terms, stems, true
}
