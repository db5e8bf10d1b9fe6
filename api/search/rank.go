package search

import (
	"cmp"
	"slices"

	"catalog.example/api"
)

// match is a listing that answers a query.
type match struct {
	doc     int
	tier    tier
	grade   int // 0 best to gradeSteps-1
	hints   int // how many of the query's hints it has
	partial bool
	covered int // partial matches: how much of the query's weight, in coveredSteps
}

const (
	// gradeSteps is how many steps of match quality there are within a tier
	// (contract 4).
	gradeSteps = 16
	// coveredSteps is how finely partial matches are told apart by the weight
	// they cover, so that a rounding error never outranks the tier.
	coveredSteps = 8
	// enoughMatches is how many listings must cover every word for partial
	// matches to be left away (contract 4).
	enoughMatches = 3
	// partialWeight is the least share of the query's weight that a partial
	// match covers (contract 4).
	partialWeight = 0.25
)

// wordMatch is the best place where a listing has a word of the query.
type wordMatch struct {
	found   bool
	tier    tier
	quality float64 // field weight times how well the word matches
}

// better tells whether m is a stronger place than o.
func (m wordMatch) better(o wordMatch) bool {
	return !o.found || m.tier < o.tier || m.tier == o.tier && m.quality > o.quality
}

// findings is all that the index knows about a query's words.
type findings struct {
	question question
	rarity   []float64     // of each word
	weight   float64       // their sum
	docs     []int         // listings that have any of the words
	words    [][]wordMatch // for each of docs: one for each word
}

// find looks up the words of a question in every listing.
func (ix *Index) find(q question, covers []cover) findings {
	f := findings{question: q, rarity: make([]float64, len(q.words))}
	at := map[int]int{} // document → position in f.docs
	frequency := make([]int, len(q.words))
	for _, c := range covers {
		ix.eachText(c.phrase, func(d, text int) {
			i, known := at[d]
			if !known {
				i = len(f.docs)
				at[d] = i
				f.docs = append(f.docs, d)
				f.words = append(f.words, make([]wordMatch, len(q.words)))
			}
			fld := ix.docs[d].fields[text].field
			m := wordMatch{true, fieldTiers[fld], fieldWeights[fld] * c.quality}
			for w := c.from; w < c.to; w++ {
				if !f.words[i][w].found {
					frequency[w]++
				}
				if m.better(f.words[i][w]) {
					f.words[i][w] = m
				}
			}
		})
	}
	for w, df := range frequency {
		f.rarity[w] = ix.rarity(df)
		f.weight += f.rarity[w]
	}
	return f
}

// eachText calls visit for every text that has all words of the phrase.
func (ix *Index) eachText(phrase []string, visit func(doc, text int)) {
	first := ix.terms[phrase[0]].postings
	for _, p := range first {
		in := true
		for _, w := range phrase[1:] {
			if !slices.Contains(ix.docs[p.doc].fields[p.text].words, w) {
				in = false
				break
			}
		}
		if in {
			visit(int(p.doc), int(p.text))
		}
	}
}

// matches returns the listings that answer the question in full, and those
// that do in part, unordered.
func (ix *Index) matches(f findings) (full, partial []match) {
	exact := map[int]bool{}
	for _, d := range ix.exact[f.question.exact] {
		exact[d] = true
		full = append(full, match{doc: d, tier: tierExactName, hints: ix.hintsOf(d, f.question.hints)})
	}
	for i, d := range f.docs {
		if exact[d] {
			continue
		}
		m := match{doc: d, tier: tierName, hints: ix.hintsOf(d, f.question.hints)}
		covered, quality, missing := 0.0, 0.0, 0
		for w, found := range f.words[i] {
			if !found.found {
				missing++
				continue
			}
			m.tier = max(m.tier, found.tier)
			covered += f.rarity[w]
			quality += f.rarity[w] * found.quality
		}
		share := covered / f.weight
		if missing > 0 && share < partialWeight {
			continue
		}
		arrangement := ix.arrangement(d, m.tier, f.question.words)
		m.grade = gradeOf((arrangement + quality/covered) / 2)
		if missing > 0 {
			m.partial = true
			m.covered = int(share * coveredSteps)
			partial = append(partial, m)
		} else {
			full = append(full, m)
		}
	}
	return full, partial
}

func gradeOf(quality float64) int {
	return gradeSteps - 1 - min(gradeSteps-1, int(quality*gradeSteps))
}

// How the words of a query stand in a text.
const (
	arrangedWhole     = 1.0  // they are the whole text
	arrangedPhrase    = 0.75 // side by side, in order
	arrangedTogether  = 0.5  // all of them somewhere in it
	arrangedScattered = 0.0  // in different texts
)

// arrangement tells how the words stand in the texts of a listing's tier: the
// best that any text has.
func (ix *Index) arrangement(d int, t tier, words []string) float64 {
	best := arrangedScattered
	for _, text := range ix.docs[d].fields {
		if fieldTiers[text.field] > t {
			continue
		}
		switch {
		case slices.Equal(text.words, words):
			return arrangedWhole
		case containsPhrase(text.words, words):
			best = max(best, arrangedPhrase)
		case containsAll(text.words, words):
			best = max(best, arrangedTogether)
		}
	}
	return best
}

func containsPhrase(text, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(text); i++ {
		if slices.Equal(text[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

func containsAll(text, words []string) bool {
	for _, w := range words {
		if !slices.Contains(text, w) {
			return false
		}
	}
	return true
}

func (ix *Index) hintsOf(d int, hints []hint) int {
	n := 0
	for _, h := range hints {
		if h.holds(&ix.docs[d].project) {
			n++
		}
	}
	return n
}

// compareMatches is the order of sort=relevance (contract 4). Documents are
// numbered by stars (null last) and slug, so that their number is the last tie
// break.
func compareMatches(a, b match) int {
	if a.partial != b.partial {
		if a.partial {
			return 1
		}
		return -1
	}
	return cmp.Or(
		cmp.Compare(b.covered, a.covered),
		cmp.Compare(a.tier, b.tier),
		cmp.Compare(a.grade, b.grade),
		cmp.Compare(b.hints, a.hints),
		cmp.Compare(a.doc, b.doc),
	)
}

// compareBy returns the order of another sort.
func (ix *Index) compareBy(sort string) func(a, b match) int {
	compare := ComparePopular
	switch sort {
	case api.SortNewest:
		compare = CompareNewest
	case api.SortRecentlyUpdated:
		compare = CompareRecentlyUpdated
	}
	return func(a, b match) int { return compare(&ix.docs[a.doc].project, &ix.docs[b.doc].project) }
}
