package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/generator/rule"
)

// minSimilarity is the Jaccard index, in percent, at which two purposes count as nearly the same.
const minSimilarity = 80

// maxNear is the number of similar purposes after which the search for the most similar one stops.
// It bounds the time for a catalogue whose purposes all follow one pattern.
const maxNear = 20

// purpose is the set of words in the purpose of one or more listings.
type purpose struct {
	words    []int // ranks of the words by rarity, the rarest first
	listings []int // sorted
	group    int   // another purpose in the same group of similar ones, or itself
}

// near is the most similar one of the purposes before a given purpose.
type near struct {
	purpose int // -1 for none
	share   float64
}

// checkPurposes reports purposes that are nearly the same. In each group of them, it reports every
// listing but the first, and names the most similar listing before it.
func checkPurposes(c *catalog, found *findings) {
	purposes := purposesOf(c)
	nearest := nearestPurposes(purposes)
	sizes := map[int]int{} // number of listings in each group
	for i := range purposes {
		sizes[rootOf(purposes, i)] += len(purposes[i].listings)
	}
	report := func(listing, other int, share float64, size int) {
		alike := ""
		if others := size - 2; others == 1 {
			alike = ", and like that of another listing"
		} else if others > 1 {
			alike = fmt.Sprintf(", and like those of %d other listings", others)
		}
		found.at(&c.Listings[listing].Document, rule.SimilarPurpose, at("purpose"),
			"purpose: is nearly the same as that of %s (%.0f%% of the words)%s: say how they differ",
			c.Listings[other].Slug, share*100, alike)
	}
	for i := range purposes {
		list, size := purposes[i].listings, sizes[rootOf(purposes, i)]
		if n := nearest[i]; n.purpose >= 0 {
			report(list[0], purposes[n.purpose].listings[0], n.share, size)
		}
		for _, listing := range list[1:] {
			report(listing, list[0], 1, size)
		}
	}
}

// rootOf returns the index of the purpose that represents the group of a given purpose.
func rootOf(purposes []purpose, i int) int {
	for purposes[i].group != i {
		purposes[i].group = purposes[purposes[i].group].group
		i = purposes[i].group
	}
	return i
}

// nearestPurposes returns, for each purpose, the most similar one before it, and groups similar
// purposes.
func nearestPurposes(purposes []purpose) []near {
	nearest := make([]near, len(purposes))
	// Two purposes that are nearly the same share at least one of their rarest words.
	with := map[int][]int{} // indices of purposes by each of their rarest words
	compared := make([]int, len(purposes))
	for i := range purposes {
		p := &purposes[i]
		best, found := near{-1, 0}, 0
		rarest := p.words[:len(p.words)-leastCommon(len(p.words))+1]
		for _, word := range rarest {
			for _, j := range with[word] {
				if found == maxNear {
					break
				}
				if compared[j] == i+1 {
					continue
				}
				compared[j] = i + 1
				if share := jaccard(p.words, purposes[j].words); 100*share >= minSimilarity {
					found++
					if share > best.share {
						best = near{j, share}
					}
					purposes[rootOf(purposes, j)].group = rootOf(purposes, i)
				}
			}
		}
		for _, word := range rarest {
			with[word] = append(with[word], i)
		}
		nearest[i] = best
	}
	return nearest
}

// purposesOf returns the distinct purposes of listings, in the order of the listings.
func purposesOf(c *catalog) (list []purpose) {
	known := map[string]int{} // index in list by the words of a purpose
	uses := map[string]int{}  // number of purposes with each word
	var texts [][]string
	for i := range c.Listings {
		words := c.words[i]().Purpose
		if len(words) == 0 {
			continue
		}
		key := strings.Join(words, " ")
		at, ok := known[key]
		if !ok {
			at = len(list)
			known[key] = at
			list = append(list, purpose{group: at})
			texts = append(texts, words)
			for _, word := range words {
				uses[word]++
			}
		}
		list[at].listings = append(list[at].listings, i)
	}
	rarest := slices.SortedFunc(maps.Keys(uses), func(a, b string) int {
		return cmp.Or(uses[a]-uses[b], strings.Compare(a, b))
	})
	rank := make(map[string]int, len(rarest))
	for i, word := range rarest {
		rank[word] = i
	}
	for i, words := range texts {
		for _, word := range words {
			list[i].words = append(list[i].words, rank[word])
		}
		slices.Sort(list[i].words)
	}
	return list
}

// leastCommon returns how many words a purpose of n words must share with another one for the two
// to be nearly the same.
func leastCommon(n int) int { return (minSimilarity*n + 99) / 100 }

// jaccard returns the Jaccard index of two sorted sets of words.
func jaccard(a, b []int) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
