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
	listingsWith := map[string][]int32{} // trait → indexes of listings, ascending
	traits := make([][]string, len(listings))
	for i, l := range listings {
		traits[i] = traitsOf(l)
		for _, t := range traits[i] {
			listingsWith[t] = append(listingsWith[t], int32(i)) // listings are files; there are fewer than 2^31
		}
	}
	// Weights are integers, so that sums do not depend on the order of addition.
	weights := make(map[string]int, len(listingsWith))
	for t, list := range listingsWith {
		weights[t] = int(1000 * math.Log(1+float64(len(listings))/float64(len(list))))
	}
	workers := max(jobs, 1)
	return parallel.Each(ctx, workers, workers, func(worker int) error {
		scores := make([]int, len(listings))
		var candidates []int32
		for i := worker; i < len(listings); i += workers {
			candidates = candidates[:0]
			for _, t := range traits[i] {
				weight := weights[t]
				for _, other := range listingsWith[t] {
					if scores[other] == 0 {
						candidates = append(candidates, other)
					}
					scores[other] += weight
				}
			}
			listings[i].Similar = mostSimilar(listings, i, candidates, scores)
			for _, other := range candidates {
				scores[other] = 0
			}
		}
		return nil
	})
}

// mostSimilar returns the slugs of the candidates with the highest scores, except i.
func mostSimilar(listings []*content.Listing, i int, candidates []int32, scores []int) []string {
	var best []int32 // at most maxSimilar, highest score first
	for _, c := range candidates {
		if int(c) == i {
			continue
		}
		rank := len(best)
		for rank > 0 && (scores[c] > scores[best[rank-1]] || scores[c] == scores[best[rank-1]] && c < best[rank-1]) {
			rank--
		}
		if rank < maxSimilar {
			best = slices.Insert(best, rank, c)
			best = best[:min(len(best), maxSimilar)]
		}
	}
	slugs := make([]string, len(best))
	for k, c := range best {
		slugs[k] = listings[c].Slug
	}
	return slugs
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
