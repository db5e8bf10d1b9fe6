package generator

import (
	"cmp"
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

// allTraits has the traits of all listings. Listings are numbered in their order.
type allTraits struct {
	of []listingTraits
	// with has the listings with each trait, ascending. Listings are files, so there are fewer than
	// 2^31.
	with    [][]int32
	weights []int // of each trait; whole numbers, so that sums do not depend on the order of addition
}

// listingTraits are the traits of a listing, the rarest first.
type listingTraits []int32

func traitsOfAll(listings []*content.Listing) *allTraits {
	all := &allTraits{of: make([]listingTraits, len(listings))}
	numbers := map[string]int32{}
	for i, l := range listings {
		for _, name := range traitsOf(l) {
			trait, known := numbers[name]
			if !known {
				trait = int32(len(all.with))
				numbers[name] = trait
				all.with = append(all.with, nil)
			}
			all.with[trait] = append(all.with[trait], int32(i))
			all.of[i] = append(all.of[i], trait)
		}
	}
	for _, list := range all.with {
		weight := int(1000 * math.Log(1+float64(len(listings))/float64(len(list))))
		all.weights = append(all.weights, weight)
	}
	for _, traits := range all.of {
		slices.SortFunc(traits, func(a, b int32) int { return cmp.Or(len(all.with[a])-len(all.with[b]), int(a-b)) })
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
// reach the best any more, even if they share all traits that are left, it looks for these traits
// only in those that it has met. So the most common traits, which most listings have, cost little.
func (s *similarity) best(i int) []int32 {
	s.candidates = s.candidates[:0]
	left := 0 // weight of the traits that are not counted yet
	for _, trait := range s.of[i] {
		left += s.weights[trait]
	}
	traits := s.of[i]
	for len(traits) > 0 && s.least() <= left {
		trait := traits[0]
		traits, left = traits[1:], left-s.weights[trait]
		for _, other := range s.with[trait] {
			if int(other) == i {
				continue
			}
			if s.scores[other] == 0 {
				s.candidates = append(s.candidates, other)
			}
			s.scores[other] += s.weights[trait]
		}
	}
	if least := s.least(); len(traits) > 0 {
		for _, other := range s.candidates {
			if s.scores[other]+left < least {
				continue
			}
			for _, trait := range traits {
				if _, has := slices.BinarySearch(s.with[trait], other); has {
					s.scores[other] += s.weights[trait]
				}
			}
		}
	}
	s.least()
	for _, other := range s.candidates {
		s.scores[other] = 0
	}
	return s.top
}

// least sets top, and returns the score of the last of maxSimilar listings, or 0 if there are fewer.
func (s *similarity) least() int {
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
	if len(s.top) < maxSimilar {
		return 0
	}
	return s.scores[s.top[maxSimilar-1]]
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
