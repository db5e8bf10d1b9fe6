package search

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/cmd/bench/peer"
	"github.com/kljensen/snowball/english"
)

// Before anything is timed, this file checks that every engine finds the listings; an empty index
// would be the fastest. For some words it counts the listings that contain them, without any
// engine. The number that an engine finds must be at least that of listings with the word itself,
// and at most that of listings with any word that begins with it or has the same stem. Engines
// differ in which of those they find.

const (
	// checkWords is the number of checked words.
	checkWords = 50
	// checkTolerance is the share of words whose totals may be outside the bounds, because an
	// engine gives them another meaning ("offline") or stems them differently.
	checkTolerance = 0.1
)

// bounds holds the least and the greatest allowed number of listings in an answer.
type bounds struct{ Least, Most int }

type wordCounts map[string]bounds

// checkedWords chooses words of medium frequency, spread over the vocabulary, that have no
// meaning in the taxonomy (synonyms, products, platforms).
func (p *pool) checkedWords() []string {
	special := map[string]bool{}
	mark := func(texts ...string) {
		for _, text := range texts {
			for w := range tokens(text) {
				special[english.Stem(w, false)] = true
			}
		}
	}
	for _, group := range p.taxonomy.Synonyms {
		mark(group...)
	}
	for _, product := range p.taxonomy.Products {
		mark(append(product.Aliases, product.Name)...)
	}
	for _, c := range p.taxonomy.Categories {
		mark(c.Name, c.Slug)
	}
	for _, platform := range p.taxonomy.Platforms {
		mark(platform.Name, platform.Slug)
	}
	for _, l := range p.listings {
		mark(append(slices.Clone(l.Aliases), l.Name)...)
	}
	var list []string
	for _, w := range p.common {
		// Skip words with an ending that stemmers change.
		if n := p.found[w]; len(w) >= 5 && n >= 2 && n <= len(p.listings)/10 && !special[english.Stem(w, false)] &&
			english.Stem(w, false) == w && !strings.ContainsAny(w[len(w)-1:], "yeis") {
			list = append(list, w)
		}
	}
	if len(list) <= checkWords {
		return list
	}
	spread := make([]string, checkWords)
	for i := range spread {
		spread[i] = list[i*len(list)/checkWords]
	}
	return spread
}

// wordCounter counts, for each of some words, the listings that contain it.
type wordCounter struct {
	counts wordCounts
	// byBeginning holds the words by their first letters, so that most tokens are skipped at once.
	byBeginning map[string][]string
}

// beginning is the number of letters that a word and its stem always share.
const beginning = 3

func newWordCounter(words []string) *wordCounter {
	c := &wordCounter{counts: wordCounts{}, byBeginning: map[string][]string{}}
	for _, w := range words {
		c.counts[w] = bounds{}
		c.byBeginning[w[:beginning]] = append(c.byBeginning[w[:beginning]], w)
	}
	return c
}

func (c *wordCounter) take(p api.ProjectDetail, taxonomy *api.Taxonomy) {
	if len(c.counts) == 0 {
		return
	}
	d := peer.DocumentOf(p, taxonomy)
	exact, near := map[string]bool{}, map[string]bool{}
	for _, text := range d.Texts() {
		for t := range tokens(text) {
			if len(t) < beginning {
				continue
			}
			for _, w := range c.byBeginning[t[:beginning]] {
				if t == w {
					exact[w] = true
				}
				if strings.HasPrefix(t, w) || english.Stem(t, false) == w {
					near[w] = true
				}
			}
		}
	}
	for w := range near {
		b := c.counts[w]
		if b.Most++; exact[w] {
			b.Least++
		}
		c.counts[w] = b
	}
}

// check returns the number of words for which an engine's total is right, and an error if they are
// too few.
func (c wordCounts) check(words []string, totals []int) (right int, err error) {
	if len(words) == 0 {
		return 0, fmt.Errorf("there are no words to check with")
	}
	var wrong []string
	for i, w := range words {
		if b := c[w]; totals[i] >= b.Least && totals[i] <= b.Most && b.Least > 0 {
			right++
		} else {
			wrong = append(wrong, fmt.Sprintf("%q: %d, not %d to %d", w, totals[i], b.Least, b.Most))
		}
	}
	if float64(len(wrong)) > checkTolerance*float64(len(words)) {
		return right, fmt.Errorf(
			"finds other listings than there are for %d of %d words, so that measuring it says nothing: %s",
			len(wrong), len(words), strings.Join(wrong[:min(len(wrong), 5)], "; "))
	}
	return right, nil
}
