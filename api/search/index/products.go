package index

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/search/english"
	"catalog.example/api/search/token"
)

// builtProducts holds the products that listings replace, by their numbers.
type builtProducts struct {
	words [][]uint32 // the terms of each: the words of its name, then the words joined
	docs  [][]uint32 // the listings that replace each
}

// productWords returns the words of each product, for builtProducts.
func (b *Builder) productWords(words, products mergedTexts) [][]uint32 {
	list := make([][]uint32, len(products.terms))
	for r, reader := range b.readers {
		for i, text := range reader.productTexts {
			numbers := make([]uint32, len(text))
			for k, term := range text {
				numbers[k] = words.numbers[r][term]
			}
			list[products.numbers[r][i]] = numbers
		}
	}
	return list
}

// find finds the listings that replace each product.
func (p *builtProducts) find(docs []*builtDoc) {
	p.docs = make([][]uint32, len(p.words))
	for i, d := range docs {
		doc := uint32(i) // at most maxDocuments
		eachText(d.texts, func(head textHead, text []uint32) {
			if head.field() != FieldReplaces {
				return
			}
			list := &p.docs[text[0]]
			if n := len(*list); n == 0 || (*list)[n-1] != doc {
				*list = append(*list, doc)
			}
		})
	}
}

// addDocs adds the listings that replace the products in an array of numbers of 4 bytes.
func (p *builtProducts) addDocs(listings *Set, array []byte) {
	for ; len(array) >= 4; array = array[4:] {
		for _, doc := range p.docs[Number(array)] {
			listings.Add(int(doc))
		}
	}
}

// encode returns the section of products and where each product begins. docs is the number of
// listings.
func (p *builtProducts) encode(docs int) (body, starts []byte) {
	for i, words := range p.words {
		starts = binary.LittleEndian.AppendUint32(starts, uint32(len(body)/4)) // fits: smaller than the postings
		body = binary.LittleEndian.AppendUint32(body, uint32(len(words)-1))    // limited by textCount
		body = appendNumbers(body, words)
		count := uint32(len(p.docs[i])) // at most maxDocuments
		dense := isDense(len(p.docs[i]), docs)
		if dense {
			count |= bitmapFlag
		}
		body = binary.LittleEndian.AppendUint32(body, count)
		body = appendList(body, p.docs[i], dense, docs)
	}
	return body, starts
}

// Products gives access to the names of replaced products, which several listings may
// share.
//
// In the file, a product consists of numbers of 4 bytes: how many words its name has, the words,
// the words joined as one term, and the listings as a count (perhaps with bitmapFlag) and an array
// or a bit map.
type Products struct {
	n      int
	docs   int
	starts []byte
	body   []byte
}

func newProducts(s sections, docs int) Products {
	at := s[sectionProductsAt]
	return Products{len(at) / 4, docs, at, s[sectionProducts]}
}

// Product is the name of a replaced product and the listings that replace it.
type Product struct {
	Terms  []byte // numbers of 4 bytes
	Joined int
	List   List
}

// Len returns the number of words of the name.
func (p *Product) Len() int { return len(p.Terms) / 4 }

// Get returns the i-th product. In a damaged file it may have no words.
func (p *Products) Get(i int) (found Product) {
	if i >= p.n {
		return Product{}
	}
	start := uint64(binary.LittleEndian.Uint32(p.starts[4*i:])) * 4
	if start+4 > uint64(len(p.body)) {
		return Product{}
	}
	rest := p.body[start:]
	words := uint64(binary.LittleEndian.Uint32(rest))
	if 4*words+12 > uint64(len(rest)) {
		return Product{}
	}
	found.Terms, rest = rest[4:4+4*words], rest[4+4*words:]
	found.Joined = Number(rest)
	var ok bool
	if found.List, _, ok = cutList(rest[8:], binary.LittleEndian.Uint32(rest[4:]), p.docs); !ok {
		return Product{}
	}
	return found
}

// ordinaryNames returns the names of products, folded and joined, that usually mean something else
// in a query: common English words, such as "pocket", very short names, and aliases that name the
// maker of several products.
func ordinaryNames(t *api.Taxonomy) (list []string) {
	common, madeBy := map[string]bool{}, map[string]int{}
	for word := range english.Words() {
		common[word] = true
	}
	for i := range t.Products {
		madeBy[token.Join(t.Products[i].Maker)]++
	}
	for i := range t.Products {
		p := &t.Products[i]
		for _, name := range NamesOf(p) {
			words := token.Of(name)
			if n := len(words) - 1; n > 0 && slices.Contains(t.Words.Weak, words[n]) {
				words = words[:n] // "Read AI" is as ordinary as "read"
			}
			word := strings.Join(words, "")
			isMaker := madeBy[word] > 1 && word != token.Join(p.Name)
			if common[word] || utf8.RuneCountInString(word) < english.ShortestWord || isMaker {
				list = append(list, token.Join(name))
			}
		}
	}
	return list
}

// NamesOf returns the name of a product, then its aliases.
func NamesOf(p *api.Product) []string { return append([]string{p.Name}, p.Aliases...) }
