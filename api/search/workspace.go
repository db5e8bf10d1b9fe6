package search

// workspace is the memory for answering one query. A pool reuses it. Its size is
// bounded by the number of listings: a set takes one bit for each.
type workspace struct {
	ix *Index

	sets []*set // all sets allocated so far
	used int    // number of sets in use

	query              parsedQuery
	machine            machineFilter
	limit              int  // of hits, with those before the offset
	withoutFacets      bool // facets are not counted
	expansions         []expansion
	table              termTable
	words              []wordState
	weight             float64 // of all words
	weightWithoutHints float64 // of words that are not hints
	requiredWords      uint32  // bit i: word i is required
	partialNames       bool    // a listing may be named by part of its name
	hintSets           []*set  // the listings that have each hint
	required           []*set  // the listings that have each required fact
	archived           *set    // the listings that are archived
	unwanted           *set    // the listings that somebody wants to leave
	suited             *set    // the listings that suit who asks
	products           []productMatch
	named              []int       // the products that the query names: positions in the taxonomy
	productPosition    map[int]int // index into products by product number

	productScratch  []int // see productsOf
	scan            textScan
	match           textMatch
	read            textsMatch // of the listing being graded
	ranked          []ranked
	graded          []graded
	categoryMatches []categoryMatch // by the numbers of categories
	categories      []voters        // see bestOfCategories
	prefetched      byte            // see texts.prefetch
	hits            []hit
	lists           []list
	listKeys        []uint64 // see findLists
	gradedCount     int      // number of listings whose texts were read, for tests

	counts *counts
	sums   []int // one for each value of a facet
	facets [][]valueCount
}

func newWorkspace(ix *Index) *workspace {
	return &workspace{ix: ix, productPosition: map[int]int{}, counts: newCounts(&ix.facets), facets: make([][]valueCount, len(ix.facets.values))}
}

// acquire takes a workspace from the pool; release returns it.
func (ix *Index) acquire() *workspace {
	w, _ := ix.workspaces.Get().(*workspace)
	return w
}

func (w *workspace) release() {
	for _, s := range w.sets[:w.used] {
		s.clear()
	}
	w.used = 0
	w.expansions, w.words, w.products = w.expansions[:0], w.words[:0], w.products[:0]
	w.categoryMatches = w.categoryMatches[:0]
	w.hintSets, w.required = w.hintSets[:0], w.required[:0]
	w.hits, w.named, w.gradedCount = w.hits[:0], w.named[:0], 0
	clear(w.productPosition)
	w.ix.workspaces.Put(w)
}

// emptySet returns an empty set, valid until release.
func (w *workspace) emptySet() *set {
	if w.used == len(w.sets) {
		w.sets = append(w.sets, newSet(w.ix.n))
	}
	w.used++
	return w.sets[w.used-1]
}

// copySet returns a copy of s, valid until release.
func (w *workspace) copySet(s *set) *set {
	c := w.emptySet()
	c.copyOf(s)
	return c
}

// addList adds the listings of l to s.
func (w *workspace) addList(s *set, l *list) {
	l.addTo(s, w.ix.n)
}

// addTerm adds the listings of a fact or a whole name.
func (w *workspace) addTerm(s *set, term string) {
	if t, ok := w.ix.terms.find(term); ok {
		w.addTermNumber(s, t)
	}
}

// addTermNumber does the same for the number of a term.
func (w *workspace) addTermNumber(s *set, term int) {
	w.ix.postings.each(term, func(c class, l list) {
		if c == classExact {
			w.addList(s, &l)
		}
	})
}
