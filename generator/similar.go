package generator

import (
	"context"
	"math"
	"slices"

	"catalog.example/api/parallel"
	"catalog.example/api/search/token"
	"catalog.example/generator/content"
)

// maxSimilar bounds the similar listings of a listing.
const maxSimilar = 5

// addSimilar sets Similar of each listing to the listings that share the most jobs, topics,
// replaced products and categories with it. Rare traits weigh more. Ties are broken by the order of
// the listings: stars, then slug. It returns an error only if ctx ends.
func addSimilar(ctx context.Context, listings []*content.Listing, jobs int) error {
	all := traitsOfAll(listings)
	workers := max(jobs, 1)
	return parallel.Each(ctx, workers, workers, func(worker int) error {
		s := &similarity{allTraits: all, scores: make([]int, len(listings))}
		for i := worker; i < len(listings); i += workers {
			best := s.best(i)
			listings[i].Similar = make([]string, len(best))
			for k, other := range best {
				listings[i].Similar[k] = listings[other].Slug
			}
		}
		return nil
	})
}

// copySimilar sets Similar of listings to that of the same listings in the main language. Which listings are similar
// does not depend on the language, and jobs that are translated in part cannot be compared.
func copySimilar(listings, main []*content.Listing) {
	of := make(map[string][]string, len(main))
	for _, l := range main {
		of[l.Slug] = l.Similar
	}
	there := make(map[string]bool, len(listings))
	for _, l := range listings {
		there[l.Slug] = true
	}
	for _, l := range listings {
		l.Similar = slices.DeleteFunc(slices.Clone(of[l.Slug]), func(slug string) bool { return !there[slug] })
		if l.Similar == nil {
			l.Similar = []string{}
		}
	}
}

// allTraits has the traits of all listings. Listings are numbered in their order, traits from the rarest
// on.
type allTraits struct {
	of [][]int32 // the traits of each listing, ascending
	// with has the listings with each trait, ascending. Listings are files, so there are fewer than
	// 2^31.
	with    [][]int32
	weights []int // of each trait; whole numbers, so that sums do not depend on the order of addition
}

func traitsOfAll(listings []*content.Listing) *allTraits {
	var with [][]int32
	numbers := map[string]int32{}
	for i, l := range listings {
		for _, name := range traitsOf(l) {
			trait, known := numbers[name]
			if !known {
				trait = int32(len(with))
				numbers[name] = trait
				with = append(with, nil)
			}
			with[trait] = append(with[trait], int32(i))
		}
	}
	slices.SortStableFunc(with, func(a, b []int32) int { return len(a) - len(b) })
	all := &allTraits{of: make([][]int32, len(listings)), with: with}
	for trait, list := range with {
		weight := int(1000 * math.Log(1+float64(len(listings))/float64(len(list))))
		all.weights = append(all.weights, weight)
		for _, i := range list {
			all.of[i] = append(all.of[i], int32(trait))
		}
	}
	return all
}

// similarity finds similar listings, one after the other.
type similarity struct {
	*allTraits
	scores     []int   // of the candidates; 0 for other listings
	candidates []int32 // listings that share a trait
	top        []int32 // the best of them
}

// best returns the listings that are most similar to a listing, the best first.
//
// It counts traits from the rarest to the most common. When the listings that it has not met cannot
// reach the best any more, even if they share all traits that are left, it takes no more, and drops
// those that it has met as soon as they cannot either. In the end there are so few that their own traits
// are looked at instead of all listings with a common trait.
func (s *similarity) best(i int) []int32 {
	s.candidates, s.top = s.candidates[:0], s.top[:0]
	left := 0 // weight of the traits that are not counted yet
	for _, trait := range s.of[i] {
		left += s.weights[trait]
	}
	traits := s.of[i]
	for len(traits) > 0 {
		least := s.least(traits)
		isOpen := least <= left
		if !isOpen {
			s.drop(least - left)
			if len(s.with[traits[0]]) > lookedAt*len(s.candidates) {
				break
			}
		}
		trait := traits[0]
		traits, left = traits[1:], left-s.weights[trait]
		for _, other := range s.with[trait] {
			if s.scores[other] == 0 {
				if !isOpen || int(other) == i {
					continue
				}
				s.candidates = append(s.candidates, other)
			}
			s.scores[other] += s.weights[trait]
		}
		s.rank()
	}
	for _, other := range s.candidates {
		s.scores[other] += s.shared(traits, s.of[other])
	}
	s.rank()
	for _, other := range s.candidates {
		s.scores[other] = 0
	}
	return s.top
}

// lookedAt is how many listings with a trait are counted in the time in which the traits of one listing
// are looked at.
const lookedAt = 20

// drop removes the candidates below a score.
func (s *similarity) drop(least int) {
	kept := s.candidates[:0]
	for _, other := range s.candidates {
		if s.scores[other] >= least {
			kept = append(kept, other)
		} else {
			s.scores[other] = 0
		}
	}
	s.candidates = kept
}

// least returns a score that maxSimilar listings reach if these traits are counted, too; 0 if there
// are fewer. These are the best so far.
func (s *similarity) least(left []int32) int {
	if len(s.top) < maxSimilar {
		return 0
	}
	least := math.MaxInt
	for _, other := range s.top {
		least = min(least, s.scores[other]+s.shared(left, s.of[other]))
	}
	return least
}

// shared returns the weight of the traits that are in both lists, which ascend.
func (s *similarity) shared(a, b []int32) (weight int) {
	for len(a) > 0 && len(b) > 0 {
		last, other := a[len(a)-1], b[len(b)-1]
		if last == other {
			weight += s.weights[last]
		}
		if last >= other {
			a = a[:len(a)-1]
		}
		if other >= last {
			b = b[:len(b)-1]
		}
	}
	return weight
}

// rank sets top.
func (s *similarity) rank() {
	s.top = s.top[:0]
	for _, c := range s.candidates {
		rank := len(s.top)
		for rank > 0 && (s.scores[c] > s.scores[s.top[rank-1]] ||
			s.scores[c] == s.scores[s.top[rank-1]] && c < s.top[rank-1]) {
			rank--
		}
		if rank < maxSimilar {
			s.top = slices.Insert(s.top, rank, c)
			s.top = s.top[:min(len(s.top), maxSimilar)]
		}
	}
}

// traitsOf returns the distinct traits by which listings are compared.
func traitsOf(l *content.Listing) []string {
	var traits []string
	add := func(kind string, values ...string) {
		for _, value := range values {
			traits = append(traits, kind+value)
		}
	}
	add("category:", l.Category)
	add("category:", l.AlsoIn...)
	add("topic:", l.Topics...)
	add("product:", l.Replaces...)
	for _, j := range l.Jobs {
		add("job:", token.Fold(j))
	}
	slices.Sort(traits)
	return slices.Compact(traits)
}
