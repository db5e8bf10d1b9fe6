package query

import (
	"math/bits"
	"slices"

	"catalog.example/api/search/index"
)

// listingsWithAllHints returns the listings that have every fact that the query
// suggests, except those that match by name.
func (w *scratch) listingsWithAllHints(full [tierNone]*index.Set) *index.Set {
	s := w.copySet(w.hintSets[0])
	for _, h := range w.hintSets[1:] {
		s.Intersect(h)
	}
	s.Subtract(full[tierExactName])
	s.Subtract(full[tierName])
	return s
}

// listingsWithSomeHints returns the listings that have some of the facts that the
// query suggests, in sets by the number of facts, most first.
func (w *scratch) listingsWithSomeHints(exclude *index.Set) []*index.Set {
	byCount := make([]*index.Set, len(w.hintSets)) // index i: at least i+1 facts
	for i := range byCount {
		byCount[i] = w.emptySet()
	}
	for _, h := range w.hintSets {
		for i := len(byCount) - 1; i > 0; i-- {
			more := w.copySet(byCount[i-1])
			more.Intersect(h)
			byCount[i].Union(more)
		}
		byCount[0].Union(h)
	}
	slices.Reverse(byCount)
	seen := w.copySet(exclude)
	for _, s := range byCount {
		s.Subtract(seen)
		seen.Union(s)
	}
	return byCount
}

// fullMatches returns the listings that have every required word, each in its strongest
// tier. A query that is searched for has a required word.
func (w *scratch) fullMatches() (tiers [tierNone]*index.Set) {
	exact := w.emptySet()
	w.addTerm(exact, w.query.exact)
	tiers[tierExactName] = exact
	stronger := w.copySet(exact)
	for t := tierName; t <= tierDescription; t++ {
		s := w.emptySet()
		s.AddAll(w.ix.Len())
		for i := range w.words {
			if w.words[i].role == roleRequired {
				s.Intersect(w.having(i, t))
			}
		}
		if t == tierName {
			s.Union(w.namedByTheRest())
		}
		if t < tierDescription {
			s.Subtract(w.unwanted)
		}
		s.Subtract(stronger)
		stronger.Union(s)
		tiers[t] = s
	}
	return tiers
}

// having returns the listings that have a word in the fields of a tier or of a stronger
// one, or meet the requirement that it states.
func (w *scratch) having(word int, t tier) *index.Set {
	s := w.words[word].tiers[t]
	for i, r := range w.query.required {
		if r.tier <= t && r.from <= word && word < r.to {
			s = w.copySet(s)
			s.Union(w.required[i])
		}
	}
	return s
}

// namedByTheRest returns the listings of which a whole name is what the query has beside its
// requirements (contract 4).
func (w *scratch) namedByTheRest() *index.Set {
	s := w.emptySet()
	name, stated := "", false
	for i, word := range w.query.words {
		if slices.ContainsFunc(w.query.required, func(r requiredFact) bool { return r.tier == tierName && r.from <= i && i < r.to }) {
			stated = true
		} else {
			name += word.text
		}
	}
	if stated {
		w.addNamed(s, name)
	}
	return s
}

// shortQuery is the largest number of required words of a query that a listing may have in
// different texts and still match in full.
const shortQuery = 2

// sentenceWords is how many words, with weak ones and filler, make a sentence: also of two
// required words it wants both in one text.
const sentenceWords = 4

// removeScattered removes the listings whose words are in different texts from the tiers:
// where no text says the query, many of its words are there by accident. They are partial
// matches. If a tier has too many listings to read, its words are common ones.
func (w *scratch) removeScattered(tiers *[tierNone]*index.Set) {
	if n := bits.OnesCount32(w.requiredWords); w.query.onlyHints || n < 2 || n <= shortQuery && w.query.length < sentenceWords {
		return
	}
	for _, t := range []tier{tierPurpose, tierDescription} {
		if tiers[t].Count() > w.ix.maxGraded {
			continue
		}
		scattered := w.emptySet()
		tiers[t].Each(func(doc int) bool {
			if w.readTexts(doc); !w.read.close {
				scattered.Add(doc)
			}
			return true
		})
		tiers[t].Subtract(scattered)
	}
}

// The weights of a query's words are scaled to add up to less than partialScale, so
// that any sum has partialBits. Its highest stepBits are the step.
const (
	partialBits  = 6
	partialScale = 1 << partialBits
	stepBits     = 3
	partialSteps = 1 << stepBits
)

// partialMatches returns the listings that have some of the words, in sets by the
// weight of these words, highest first. The weights of 64 listings are added at a time,
// bit by bit: for each word the weight of a description, then what stronger tiers add.
func (w *scratch) partialMatches(exclude *index.Set) []*index.Set {
	all := w.emptySet()
	type part struct {
		weight   uint8
		listings *index.Set
	}
	var parts []part
	for i := range w.words {
		word := &w.words[i]
		all.Union(word.tiers[tierDescription])
		if word.role == roleHint {
			continue
		}
		scale := (partialScale - 1) * word.rarity / w.weightWithoutHints
		if !word.certain {
			scale *= ranking.guessedWord
		}
		description := uint8(scale * ranking.description)
		parts = append(parts, part{description, word.tiers[tierDescription]}, part{uint8(scale) - description, word.tiers[tierPurpose]})
	}
	all.Subtract(exclude)
	steps := make([]*index.Set, partialSteps)
	for i := range steps {
		steps[i] = w.emptySet()
	}
	least := uint8(ranking.partial * partialScale)
	blocks := make([]*[index.BlockWords]uint64, len(parts))
	all.EachBlock(func(b int) {
		for i := range parts {
			blocks[i] = parts[i].listings.Block(b)
		}
		for i, candidates := range all.Block(b) {
			if candidates == 0 {
				continue
			}
			var sum [partialBits]uint64 // bit p of the weight of each of 64 listings
			for k, listings := range blocks {
				if members := listings[i] & candidates; members != 0 {
					addWeight(&sum, parts[k].weight, members)
				}
			}
			for candidates &= atLeast(&sum, least); candidates != 0; {
				step, same := sameStep(&sum, candidates)
				steps[step].AddWord(b*index.BlockWords+i, same)
				candidates &^= same
			}
		}
	})
	slices.Reverse(steps)
	return steps
}

// sameStep returns the step of the first listing, and the listings with the same step.
func sameStep(sum *[partialBits]uint64, listings uint64) (step int, same uint64) {
	first := bits.TrailingZeros64(listings)
	same = listings
	for p := partialBits - 1; p >= partialBits-stepBits; p-- {
		bit := sum[p] >> first & 1
		step = step<<1 | int(bit)
		same &= sum[p] ^ (bit - 1) // the plane, or its complement for 0
	}
	return step, same
}

// addWeight adds weight to the sums of the given listings.
func addWeight(sum *[partialBits]uint64, weight uint8, listings uint64) {
	carry := uint64(0)
	for p := range sum {
		add := uint64(0)
		if weight>>p&1 != 0 {
			add = listings
		}
		s := sum[p]
		sum[p] = s ^ add ^ carry
		carry = s&add | carry&(s^add)
	}
}

// atLeast returns the listings whose sum is at least least.
func atLeast(sum *[partialBits]uint64, least uint8) uint64 {
	equal, greater := ^uint64(0), uint64(0)
	for p := len(sum) - 1; p >= 0; p-- {
		if least>>p&1 == 0 {
			greater |= equal & sum[p]
			equal &^= sum[p]
		} else {
			equal &= sum[p]
		}
	}
	return greater | equal
}
