package index

import (
	"cmp"
	"slices"
)

// compactDocs holds the texts and places of listings, or of categories with their asks. Numbers of a kind are
// together, because they compress better.
type compactDocs struct {
	// heads has for each listing or category: how many texts it has; for each text, the upper bits of its head, and
	// how many words it has; how many places it has.
	heads []uint32
	// words has the ranks of the words of all texts. A text of FieldReplaces has the number of its product instead.
	words []uint32
	// terms has for each place the difference between its term and the one before. classes has its class.
	terms, classes []uint32
}

// compactKindShift is where the kind of a text begins in its head: the joined bit, then the field.
const compactKindShift = textFieldShift - 1

func newCompactDocs(docs []*builtDoc, ranks []uint32) (c compactDocs) {
	for _, d := range docs {
		count := len(c.heads)
		c.heads = append(c.heads, 0)
		eachText(d.texts, func(head textHead, text []uint32) {
			c.heads[count]++
			c.heads = append(c.heads, uint32(head>>compactKindShift), uint32(len(text))) // limited by the head
			for _, n := range text {
				if head.field() != FieldReplaces {
					n = ranks[n]
				}
				c.words = append(c.words, n)
			}
		})
		places := slices.Clone(d.places)
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.class, b.class))
		})
		places = slices.Compact(places)
		c.heads = append(c.heads, uint32(len(places))) // limited by the number of terms
		before := uint32(0)
		for _, p := range places {
			c.terms, c.classes = append(c.terms, p.term-before), append(c.classes, uint32(p.class))
			before = p.term
		}
	}
	return c
}

// expander takes numbers from compactDocs.
type expander struct {
	compactDocs
	ranked   []uint32 // terms
	products int
	failed   bool // the numbers do not fit
}

// next takes the first n numbers of a list.
func (e *expander) next(list *[]uint32, n uint32) []uint32 {
	if uint64(n) > uint64(len(*list)) {
		e.failed = true
		return make([]uint32, min(n, 1))
	}
	first := (*list)[:n]
	*list = (*list)[n:]
	return first
}

// expand sets the texts and places of listings or categories. ok is false if the numbers do not fit the listings, or
// refer to terms or products that do not exist. ranked has the terms by their ranks.
func (c *compactDocs) expand(docs []*builtDoc, ranked []uint32, products int) (ok bool) {
	e := expander{compactDocs: *c, ranked: ranked, products: products}
	texts := make([]uint32, 0, len(c.heads)+len(c.words)) // of all listings or categories
	places := make([]place, 0, len(c.terms))
	for _, d := range docs {
		first := len(texts)
		for count := e.next(&e.heads, 1)[0]; count > 0 && !e.failed; count-- {
			texts = e.appendText(texts)
		}
		d.texts = texts[first:len(texts):len(texts)]
		first = len(places)
		count := e.next(&e.heads, 1)[0]
		terms, classes := e.next(&e.terms, count), e.next(&e.classes, count)
		if e.failed {
			return false
		}
		term := uint32(0)
		for i, class := range classes {
			term += terms[i]
			if uint64(term) >= uint64(len(ranked)) || class >= uint32(classCount) || Class(class).isOfProduct() {
				return false
			}
			places = append(places, place{term, Class(class)})
		}
		d.places = places[first:len(places):len(places)]
	}
	return len(e.heads) == 0 && len(e.words) == 0 && len(e.terms) == 0 && len(e.classes) == 0
}

// appendText appends the head and the terms of a text.
func (e *expander) appendText(texts []uint32) []uint32 {
	head := e.next(&e.heads, 2)
	if e.failed {
		return texts
	}
	kind, n := head[0], head[1]
	f := Field(kind >> 1)
	if kind >= 2*uint32(FieldCount) || n > textCount || f == FieldReplaces && n != 1 {
		e.failed = true
		return texts
	}
	texts = append(texts, uint32(newTextHead(f, kind&1 != 0, int(n))))
	for _, rank := range e.next(&e.words, n) {
		if f == FieldReplaces {
			e.failed = e.failed || uint64(rank) >= uint64(e.products)
			texts = append(texts, rank)
			continue
		}
		if uint64(rank) >= uint64(len(e.ranked)) {
			e.failed = true
			return texts
		}
		texts = append(texts, e.ranked[rank])
	}
	return texts
}
