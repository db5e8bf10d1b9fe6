package search

// work is the memory that answering one query takes. It is used again for the
// next, and bounded by the number of listings: a set takes a bit for each.
type work struct {
	ix *Index

	sets []*set // all that were made
	used int    // how many of them are in use

	question question
	limit    int  // of hits
	noFacets bool // they are not counted
	covers   []cover
	table    termTable
	words    []wordState
	weight   float64 // of all words
	asked    float64 // of those that are no hints
	naming   bool    // a part of a name is enough to name a listing
	phrases  []int   // covers that are phrases
	hintSets []*set  // the listings that have each hint
	required []*set  // the listings that have each required fact
	archived *set    // the listings that are archived
	products []productMatch
	product  map[int]int // where a product is in products

	listed    []int // see productsOf
	scan      textScan
	match     textMatch
	matches   [maxWords]wordMatch // of the listing that is graded
	ranked    []uint64            // see rankKey
	fetched   byte                // see texts.fetch
	hits      []hit
	layers    []list
	layerKeys []uint64 // see findLayers
	graded    int      // listings whose texts were looked at; tests bound it

	counts *counts
	sums   []int // of the values of a facet
	facets [][]valueCount
}

func newWork(ix *Index) *work {
	return &work{ix: ix, product: map[int]int{}, counts: newCounts(&ix.facets), facets: make([][]valueCount, len(ix.facets.values))}
}

// begin takes the memory for a query; end gives it back.
func (ix *Index) begin() *work {
	w, _ := ix.work.Get().(*work)
	return w
}

func (w *work) end() {
	for _, s := range w.sets[:w.used] {
		s.clear()
	}
	w.used = 0
	w.covers, w.words, w.phrases, w.products = w.covers[:0], w.words[:0], w.phrases[:0], w.products[:0]
	w.hintSets, w.required = w.hintSets[:0], w.required[:0]
	w.hits, w.graded = w.hits[:0], 0
	clear(w.product)
	w.ix.work.Put(w)
}

// set returns an empty set, which is the query's until it ends.
func (w *work) set() *set {
	if w.used == len(w.sets) {
		w.sets = append(w.sets, newSet(w.ix.n))
	}
	w.used++
	return w.sets[w.used-1]
}

// with returns a new set that is a copy of another.
func (w *work) with(s *set) *set {
	c := w.set()
	c.copyOf(s)
	return c
}

// addList adds the listings of a list to a set.
func (w *work) addList(s *set, l *list) {
	l.addTo(s, w.ix.n)
}

// addTerm adds the listings that a term of facts or names lists.
func (w *work) addTerm(s *set, term string) {
	if t, ok := w.ix.terms.find(term); ok {
		w.addPlain(s, t)
	}
}

// addPlain adds the listings that a term of that number lists.
func (w *work) addPlain(s *set, term int) {
	w.ix.postings.each(term, func(c class, l list) {
		if c == classExact {
			w.addList(s, &l)
		}
	})
}
