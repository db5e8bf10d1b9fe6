package search

import (
	"math/bits"
	"slices"
)

// withEveryHint returns the listings that have every fact that the query asks
// for, without those that bear the name it says.
func (w *work) withEveryHint(full [tierNone]*set) *set {
	s := w.with(w.hintSets[0])
	for _, h := range w.hintSets[1:] {
		s.intersect(h)
	}
	s.subtract(full[tierExactName])
	s.subtract(full[tierName])
	return s
}

// withSomeHints returns the listings that have some of the facts that the query
// asks for, those that have most first, without the given ones.
func (w *work) withSomeHints(but *set) []*set {
	having := make([]*set, len(w.hintSets)) // at least so many facts and one
	for i := range having {
		having[i] = w.set()
	}
	for _, h := range w.hintSets {
		for i := len(having) - 1; i > 0; i-- {
			more := w.with(having[i-1])
			more.intersect(h)
			having[i].union(more)
		}
		having[0].union(h)
	}
	slices.Reverse(having)
	seen := w.with(but)
	for _, s := range having {
		s.subtract(seen)
		seen.union(s)
	}
	return having
}

// full returns the listings that have every word that is needed, by tier, each in
// its strongest. There is such a word, or nothing would be asked.
func (w *work) full() (tiers [tierNone]*set) {
	exact := w.set()
	w.addTerm(exact, w.question.exact)
	tiers[tierExactName] = exact
	stronger := w.with(exact)
	for t := tierName; t <= tierDescription; t++ {
		var s *set
		for i := range w.words {
			switch {
			case w.words[i].role != roleNeeded:
			case s == nil:
				s = w.with(w.words[i].tiers[t])
			default:
				s.intersect(w.words[i].tiers[t])
			}
		}
		s.subtract(stronger)
		stronger.union(s)
		tiers[t] = s
	}
	return tiers
}

// partialScale is what the weights of a query's words are brought to in sum:
// rounded down, those of any part of them are a number of partialBits, of which
// the highest stepBits are the step.
const (
	partialBits  = 6
	partialScale = 1 << partialBits
	stepBits     = 3
	partialSteps = 1 << stepBits
)

// partial returns the listings that have some of the words, by how much of the
// query's weight they cover, most first, without the given ones. The weights are
// added for 64 listings at a time, bit by bit: for each word what a description
// counts, then what the stronger tiers count more.
func (w *work) partial(but *set) []*set {
	all := w.set()
	type part struct {
		weight uint8
		having *set
	}
	var parts []part
	for i := range w.words {
		word := &w.words[i]
		all.union(word.tiers[tierDescription])
		if word.role == roleHint {
			continue
		}
		scale := (partialScale - 1) * word.rarity / w.asked
		if !word.sure {
			scale *= guessWeight
		}
		description := uint8(scale * descriptionShare)
		parts = append(parts, part{description, word.tiers[tierDescription]}, part{uint8(scale) - description, word.tiers[tierPurpose]})
	}
	all.subtract(but)
	steps := make([]*set, partialSteps)
	for i := range steps {
		steps[i] = w.set()
	}
	share := float64(partialShare)
	least := uint8(share * partialScale)
	blocks := make([]*[blockWords]uint64, len(parts))
	eachBlock(all.blocks, func(b int) {
		for i := range parts {
			blocks[i] = parts[i].having.block(b)
		}
		for i, wanted := range all.block(b) {
			if wanted == 0 {
				continue
			}
			var sum [partialBits]uint64 // bit p of the weight of each of 64 listings
			for k, having := range blocks {
				if have := having[i] & wanted; have != 0 {
					addWeight(&sum, parts[k].weight, have)
				}
			}
			for wanted &= atLeast(&sum, least); wanted != 0; {
				step, alike := highestBits(&sum, wanted)
				steps[step].block(b)[i] |= alike
				steps[step].blocks[b/64] |= 1 << (b % 64)
				wanted &^= alike
			}
		}
	})
	slices.Reverse(steps)
	return steps
}

// highestBits returns the step of the first of some listings, and those that
// share it.
func highestBits(sum *[partialBits]uint64, listings uint64) (step int, alike uint64) {
	first := bits.TrailingZeros64(listings)
	alike = listings
	for p := partialBits - 1; p >= partialBits-stepBits; p-- {
		bit := sum[p] >> first & 1
		step = step<<1 | int(bit)
		alike &= sum[p] ^ (bit - 1) // the plane, or its complement for 0
	}
	return step, alike
}

// addWeight adds a weight to the sums of the listings whose bit is set.
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

// atLeast returns the listings whose sum is at least so much.
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
