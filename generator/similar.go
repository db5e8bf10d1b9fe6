package generator

import (
	"context"
	"math"
	"slices"

	"catalog.example/api/parallel"
	"catalog.example/api/search"
	"catalog.example/generator/content"
)

// maxSimilar is how many similar listings a listing names (contract 2).
const maxSimilar = 5

// addSimilar fills in each listing's similar ones: those that share jobs,
// topics, replaced products and the category with it. What few listings have
// weighs more. Ties are broken by the order of the listings, which is stars,
// then slug. The error is that ctx ended.
func addSimilar(ctx context.Context, listings []*content.Listing, jobs int) error {
	having := map[string][]int32{} // trait → listings that have it, ascending
	traits := make([][]string, len(listings))
	for i, l := range listings {
		traits[i] = traitsOf(l)
		for _, t := range traits[i] {
			having[t] = append(having[t], int32(i)) // listings are files; there are fewer than 2^31
		}
	}
	// Weights are whole numbers, so that their sum does not depend on the order
	// of adding.
	weights := make(map[string]int, len(having))
	for t, list := range having {
		weights[t] = int(1000 * math.Log(1+float64(len(listings))/float64(len(list))))
	}
	workers := max(jobs, 1)
	return parallel.Each(ctx, workers, workers, func(w int) error {
		shared := make([]int, len(listings))
		var touched []int32
		for i := w; i < len(listings); i += workers {
			touched = touched[:0]
			for _, t := range traits[i] {
				weight := weights[t]
				for _, other := range having[t] {
					if shared[other] == 0 {
						touched = append(touched, other)
					}
					shared[other] += weight
				}
			}
			listings[i].Similar = strongest(listings, i, touched, shared)
			for _, other := range touched {
				shared[other] = 0
			}
		}
		return nil
	})
}

// strongest returns the slugs of the listings that share most with listing i.
func strongest(listings []*content.Listing, i int, candidates []int32, shared []int) []string {
	var best []int32 // at most maxSimilar, strongest first
	for _, c := range candidates {
		if int(c) == i {
			continue
		}
		at := len(best)
		for at > 0 && (shared[c] > shared[best[at-1]] || shared[c] == shared[best[at-1]] && c < best[at-1]) {
			at--
		}
		if at < maxSimilar {
			best = slices.Insert(best, at, c)
			best = best[:min(len(best), maxSimilar)]
		}
	}
	slugs := make([]string, len(best))
	for k, c := range best {
		slugs[k] = listings[c].Slug
	}
	return slugs
}

// traitsOf are the things by which a listing can be like another, each once.
func traitsOf(l *content.Listing) []string {
	traits := []string{"category:" + l.Category}
	for _, c := range l.AlsoIn {
		traits = append(traits, "category:"+c)
	}
	for _, t := range l.Topics {
		traits = append(traits, "topic:"+t)
	}
	for _, p := range l.Replaces {
		traits = append(traits, "product:"+p)
	}
	for _, j := range l.Jobs {
		traits = append(traits, "job:"+search.Fold(j))
	}
	slices.Sort(traits)
	return slices.Compact(traits)
}
