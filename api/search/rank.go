package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

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

// candidate is a listing that has any word of the query.
type candidate struct {
	doc   int
	words []wordMatch // one for each word of the query
	texts []textMatch // the texts that have any of them
}

// textMatch is what one text of a listing has of the query.
type textMatch struct {
	text int    // index into doc.fields
	has  uint32 // bit i: the text has word i of the query
}

// findings is all that the index knows about a query's words.
type findings struct {
	question   question
	rarity     []float64 // of each word
	weight     float64   // their sum
	candidates []candidate
}

// find looks up the words of a question in every listing.
func (ix *Index) find(q question, covers []cover) findings {
	f := findings{question: q, rarity: make([]float64, len(q.words))}
	at := map[int]int{} // document → position in f.candidates
	frequency := make([]int, len(q.words))
	for _, c := range covers {
		ix.eachText(c.phrase, func(d, text int) {
			i, known := at[d]
			if !known {
				i = len(f.candidates)
				at[d] = i
				f.candidates = append(f.candidates, candidate{doc: d, words: make([]wordMatch, len(q.words))})
			}
			found := &f.candidates[i]
			m := wordMatch{true, ix.tierOf(d, text, q.words), fieldWeights[ix.docs[d].fields[text].field] * c.quality}
			for w := c.from; w < c.to; w++ {
				if !found.words[w].found {
					frequency[w]++
				}
				if m.better(found.words[w]) {
					found.words[w] = m
				}
			}
			found.note(text, c)
		})
	}
	for w, df := range frequency {
		f.rarity[w] = ix.rarity(df)
		f.weight += f.rarity[w]
	}
	return f
}

// note remembers that a text answers the words of a cover.
func (c *candidate) note(text int, of cover) {
	i := slices.IndexFunc(c.texts, func(t textMatch) bool { return t.text == text })
	if i < 0 {
		i = len(c.texts)
		c.texts = append(c.texts, textMatch{text: text})
	}
	for w := of.from; w < of.to; w++ {
		c.texts[i].has |= 1 << w
	}
}

// tierOf returns the tier of a text for a query. The name of a replaced product
// is a name only where the query says all of it: "speech to text" is a job, not
// half of the product "Google Cloud Speech-to-Text".
func (ix *Index) tierOf(d, text int, words []string) tier {
	t := &ix.docs[d].fields[text]
	if t.field == fieldReplaces && !ix.saysAll(words, t.words) {
		return tierDescription
	}
	return fieldTiers[t.field]
}

// saysAll tells whether the query has every word of a product's name, as it is,
// joined, misspelt, or begun by the last word.
func (ix *Index) saysAll(query, name []string) bool {
	if strings.Join(query, "") == strings.Join(name, "") {
		return true
	}
	for _, n := range name {
		if !slices.ContainsFunc(query, func(q string) bool {
			return q == n || strings.HasPrefix(n, q) && q == query[len(query)-1] || !ix.has(q) && api.EditDistance(q, n) <= 2
		}) {
			return strings.Contains(" "+strings.Join(query, " ")+" ", " "+strings.Join(name, "")+" ")
		}
	}
	return true
}

// eachText calls visit for every text that has the words of the phrase side by
// side.
func (ix *Index) eachText(phrase []string, visit func(doc, text int)) {
	for _, p := range ix.terms[phrase[0]].postings {
		if len(phrase) == 1 || containsPhrase(ix.docs[p.doc].fields[p.text].words, phrase) {
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
	for _, c := range f.candidates {
		if exact[c.doc] {
			continue
		}
		m := match{doc: c.doc, tier: tierName, hints: ix.hintsOf(c.doc, f.question.hints)}
		covered, quality, missing := 0.0, 0.0, 0
		for w, found := range c.words {
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
		m.grade = gradeOf((ix.arrangement(&c, m.tier, &f, covered) + quality/covered) / 2)
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

// How the words of a query stand in the texts of a listing: most counts that
// they stand together in one text, then that they stand side by side, then that
// they are all of it.
const (
	arrangedTogether = 0.5
	arrangedPhrase   = 0.25
	arrangedWhole    = 0.25
)

// arrangement tells how well the matched words of a query are gathered in one
// text of the listing's tier or a stronger one: 0 to 1. covered is the weight
// of all that matched.
func (ix *Index) arrangement(c *candidate, t tier, f *findings, covered float64) float64 {
	best := 0.0
	for _, x := range c.texts {
		if ix.tierOf(c.doc, x.text, f.question.words) > t {
			continue
		}
		weight := 0.0
		for w := range f.question.words {
			if x.has&(1<<w) != 0 {
				weight += f.rarity[w]
			}
		}
		share := weight / covered
		score := arrangedTogether * share
		words := ix.docs[c.doc].fields[x.text].words
		if n := bits.OnesCount32(x.has); n > 1 && containsPhrase(words, f.question.words) || n == 1 && len(f.question.words) == 1 {
			score += arrangedPhrase
		}
		if len(words) == bits.OnesCount32(x.has) {
			score += arrangedWhole * share
		}
		best = max(best, score)
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
