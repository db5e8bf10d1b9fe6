package query

import (
	"math/bits"
	"slices"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// matched holds the listings that match a query.
type matched struct {
	tiers   [tierNone]*index.Set // listings that match in full, each in its strongest tier
	weak    *index.Set           // those that match in full but weakly, if few match well; they are in no tier
	levels  []*index.Set         // listings that match in part, best first; nil if enough match in full
	all     *index.Set
	passing *index.Set // the listings in all that pass the filters
}

// match finds the listings that match a query. It adds partial matches if fewer than enoughMatches
// full matches that are not weak pass the filters or, in an order other than relevance, if none does.
func (f *found) match(filters *filters, machine *machine, sort string) (m matched) {
	m.tiers = f.fullMatches()
	f.removeAsked(&m.tiers)
	weak := f.removeScattered(&m.tiers)
	if f.onlyHints {
		// Outside names, the words of hints do not count as matches.
		m.tiers[tierPurpose].Clear()
		m.tiers[tierDescription] = f.listingsWithAllHints(m.tiers)
	}
	m.all = f.s.emptySet()
	for _, set := range m.tiers {
		m.all.Union(set)
	}
	machine.judge(m.all)
	m.passing = filters.apply(m.all)
	m.weak = f.s.emptySet()
	enough := enoughMatches
	if sort != api.SortRelevance {
		enough, weak = 1, m.weak
	}
	weakPassing := f.s.copySet(weak)
	weakPassing.Intersect(m.passing)
	if m.passing.Count()-weakPassing.Count() >= enough {
		return m
	}
	m.weak = weak
	for _, set := range m.tiers {
		set.Subtract(weak)
	}
	if f.onlyHints {
		m.levels = f.listingsWithSomeHints(m.all)
	} else {
		m.levels = f.partialMatches(m.all)
	}
	m.all = f.s.copySet(m.all)
	for _, set := range m.levels {
		m.all.Union(set)
		machine.judge(set)
	}
	m.passing = filters.apply(m.all)
	return m
}

// listingsWithAllHints returns the listings that have every fact that the query
// suggests, except those that match by name.
func (f *found) listingsWithAllHints(full [tierNone]*index.Set) *index.Set {
	s := f.s.copySet(f.hintSets[0])
	for _, h := range f.hintSets[1:] {
		s.Intersect(h)
	}
	s.Subtract(full[tierExactName])
	s.Subtract(full[tierName])
	return s
}

// listingsWithSomeHints returns the listings that have some of the facts that the query suggests,
// in sets by the number of facts, highest first.
func (f *found) listingsWithSomeHints(exclude *index.Set) []*index.Set {
	byCount := make([]*index.Set, len(f.hintSets)) // index i: at least i+1 facts
	for i := range byCount {
		byCount[i] = f.s.emptySet()
	}
	for _, h := range f.hintSets {
		for i := len(byCount) - 1; i > 0; i-- {
			more := f.s.copySet(byCount[i-1])
			more.Intersect(h)
			byCount[i].Union(more)
		}
		byCount[0].Union(h)
	}
	slices.Reverse(byCount)
	seen := f.s.copySet(exclude)
	for _, s := range byCount {
		s.Subtract(seen)
		seen.Union(s)
	}
	return byCount
}

// fullMatches returns the listings that have every required word, each in its strongest tier. It
// relies on at least one word being required.
func (f *found) fullMatches() (tiers [tierNone]*index.Set) {
	exact := f.s.emptySet()
	f.s.addTerm(exact, f.exact)
	tiers[tierExactName] = exact
	stronger := f.s.copySet(exact)
	for t := tierName; t <= tierDescription; t++ {
		s, first := f.s.emptySet(), true
		for i := range f.words {
			switch {
			case f.words[i].role != roleRequired:
			case first:
				s.CopyOf(f.having(i, t))
				first = false
			default:
				s.Intersect(f.having(i, t))
			}
		}
		if t == tierName {
			s.Union(f.namedByTheRest())
		}
		if t < tierDescription {
			s.Subtract(f.unwanted)
		}
		s.Subtract(stronger)
		stronger.Union(s)
		tiers[t] = s
	}
	return tiers
}

// having returns the listings that have a word in the fields of tier t or a stronger one, or meet a
// requirement that the word states.
func (f *found) having(word int, t tier) *index.Set {
	s := f.lookups[word].tiers[t]
	for i := range f.required {
		if r := &f.required[i]; r.tier <= t && r.from <= word && word < r.to {
			s = f.s.copySet(s)
			s.Union(r.listings)
		}
	}
	return s
}

// statesRequirement reports whether a word states a requirement other than a category.
func (f *found) statesRequirement(word int) bool {
	return slices.ContainsFunc(f.required, func(r requirement) bool {
		return r.tier == tierName && r.from <= word && word < r.to
	})
}

// namedByTheRest returns the listings whose whole name is the query without the words that state
// requirements.
func (f *found) namedByTheRest() *index.Set {
	s := f.s.emptySet()
	name, stated := "", false
	for i, word := range f.words {
		if f.statesRequirement(i) {
			stated = true
		} else {
			name += word.text
		}
	}
	if stated {
		f.s.addNamed(s, name)
	}
	return s
}

// removeAsked removes the listings that have the words of a short query only in asks, which mention
// many things besides the main one. They are then only partial matches. Facts that the query names as
// well, or the user's computer, are more evidence. f.elsewhere has the listings with a required word
// or a synonym of one elsewhere; this adds those that replace a product.
func (f *found) removeAsked(tiers *[tierNone]*index.Set) {
	if f.elsewhere == nil {
		return
	}
	for i := range f.products {
		f.s.addList(f.elsewhere, &f.products[i].product.List)
	}
	tiers[tierPurpose].Intersect(f.elsewhere)
	tiers[tierDescription].Intersect(f.elsewhere)
}

// removeScattered removes a listing from its tier if no single text has every required word: many
// of the words are then there by accident, and the listing is only a partial match. It returns those
// that stay but match weakly. It skips a tier with too many listings to read: the words are common ones.
func (f *found) removeScattered(tiers *[tierNone]*index.Set) (weak *index.Set) {
	weak = f.s.emptySet()
	if n := bits.OnesCount32(f.requiredWords); f.onlyHints || n < 2 || n <= shortQuery && f.length < sentenceWords {
		return weak
	}
	for _, t := range []tier{tierPurpose, tierDescription} {
		if tiers[t].Count() > f.s.maxGraded {
			continue
		}
		scattered := f.s.emptySet()
		var read textsMatch
		tiers[t].Each(func(doc int) bool {
			if f.readTexts(doc, &read); !read.close {
				scattered.Add(doc)
			} else if f.textQuality(&read) < ranking.full {
				weak.Add(doc)
			}
			f.s.gradedBefore[doc] = f.gradeBy(doc, &read)
			return true
		})
		tiers[t].Subtract(scattered)
	}
	return weak
}

// The weights of a query's words are scaled to add up to less than partialScale, so that any sum
// fits in partialBits. The highest stepBits of a sum are the step.
const (
	partialBits  = 6
	partialScale = 1 << partialBits
	stepBits     = 3
	partialSteps = 1 << stepBits
)

// partialWord is a word, or what a match in a stronger tier adds to it.
type partialWord struct {
	weight   [partialBits]uint64 // element p: bit p of the weight, 64 times
	listings *index.Set
	block    *[index.BlockWords]uint64 // the members in the current block
}

func newPartialWord(weight uint8, listings *index.Set) partialWord {
	w := partialWord{listings: listings}
	for p := range w.weight {
		w.weight[p] = -uint64(weight >> p & 1)
	}
	return w
}

// partialMatches returns the listings that have some of the words, in sets by the weight of these
// words, highest first. It adds the weights of 64 listings at a time, bit by bit: for each word,
// the weight of a match in a description, then what a match in a stronger tier adds.
func (f *found) partialMatches(exclude *index.Set) []*index.Set {
	all := f.s.emptySet()
	var words []partialWord
	for i := range f.lookups {
		word := &f.lookups[i]
		all.Union(word.tiers[tierDescription])
		if f.words[i].role == roleHint {
			continue
		}
		scale := (partialScale - 1) * word.rarity / f.weightWithoutHints
		if !word.certain {
			scale *= ranking.guessedWord
		}
		description := uint8(scale * ranking.description)
		words = append(words, newPartialWord(description, word.tiers[tierDescription]),
			newPartialWord(uint8(scale)-description, word.tiers[tierPurpose]))
	}
	all.Subtract(exclude)
	steps := make([]*index.Set, partialSteps)
	for i := range steps {
		steps[i] = f.s.emptySet()
	}
	least := uint8(ranking.partial * partialScale)
	all.EachBlock(func(b int) {
		for i := range words {
			words[i].block = words[i].listings.Block(b)
		}
		for i, candidates := range all.Block(b) {
			if candidates == 0 {
				continue
			}
			sum := addWeights(words, i, candidates)
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
		same &= sum[p] ^ (bit - 1) // keeps the listings with the same bit
	}
	return step, same
}

// addWeights adds the weights of words for 64 listings, the i-th of the current block, as far as
// they are candidates. Element p of the sum has bit p of each listing's. The variables are in
// registers, where an array would be in memory.
func addWeights(words []partialWord, i int, candidates uint64) [partialBits]uint64 {
	var s0, s1, s2, s3, s4, s5 uint64
	add := func(sum, added, carry uint64) (s, c uint64) {
		either := sum ^ added
		return either ^ carry, sum&added | either&carry
	}
	for k := range words {
		members := words[k].block[i] & candidates
		if members == 0 {
			continue
		}
		w, carry := &words[k].weight, uint64(0)
		s0, carry = add(s0, members&w[0], carry)
		s1, carry = add(s1, members&w[1], carry)
		s2, carry = add(s2, members&w[2], carry)
		s3, carry = add(s3, members&w[3], carry)
		s4, carry = add(s4, members&w[4], carry)
		s5, _ = add(s5, members&w[5], carry)
	}
	return [partialBits]uint64{s0, s1, s2, s3, s4, s5}
}

// atLeast returns the listings with a sum of at least least.
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
