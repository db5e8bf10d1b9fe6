// Package spelling finds what a misspelt text was meant to be: by the optimal string
// alignment distance, which counts insertions, deletions, substitutions and
// transpositions of neighbours.
package spelling

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNearestInput bounds the text that Nearest compares: longer input is a
// mistake of another kind.
const maxNearestInput = maxPattern

// Nearest returns up to n of the candidates that given is most likely a
// misspelling of, nearest first: those that contain it or begin alike, and
// those within a third of its letters by optimal string alignment distance.
func Nearest(given string, candidates []string, n int) []string {
	given = strings.ToLower(given)
	if given == "" || len(given) > maxNearestInput {
		return nil
	}
	type near struct {
		candidate string
		distance  int
	}
	var best []near // at most n
	var p pattern
	p.set(given)
	for _, c := range candidates {
		lower := strings.ToLower(c)
		allowed := max(1, max(len(given), len(lower))/3)
		found := near{c, p.distance(lower, allowed)}
		switch {
		case found.distance <= allowed:
		case len(given) >= 3 && (strings.Contains(lower, given) || len(lower) >= 3 && strings.Contains(given, lower)):
			found.distance = allowed + 1
		default:
			continue
		}
		at, _ := slices.BinarySearchFunc(best, found, func(a, b near) int {
			return cmp.Or(a.distance-b.distance, strings.Compare(a.candidate, b.candidate))
		})
		if at < n {
			best = slices.Insert(best[:min(len(best), n-1)], at, found)
		}
	}
	var names []string
	for _, f := range best {
		names = append(names, f.candidate)
	}
	return names
}

// Distance returns the optimal string alignment distance of a and b, in
// runes: insertions, deletions, substitutions and transpositions of neighbours
// each count one. Of two texts of more than 64 runes it tells only whether they
// are the same: otherwise the distance is the length of the longer one.
func Distance(a, b string) int {
	if a == b {
		return 0
	}
	n, m := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if n > m {
		a, b, n, m = b, a, m, n
	}
	if n > maxPattern {
		return m
	}
	var p pattern
	p.set(a)
	return p.distance(b, m)
}

// maxPattern is how many runes a pattern may have: a bit for each.
const maxPattern = 64

// pattern is a text that others are compared with. For each letter it has the
// places where the letter stands, as bits, so that a row of the table of
// distances is computed at once (H. Hyyrö, A bit-vector algorithm for computing
// Levenshtein and Damerau edit distances, 2003).
type pattern struct {
	length int
	ascii  [utf8.RuneSelf]uint64
	others []rune // the text, if it has letters that are not ASCII
}

// set makes it the pattern of a text of at most maxPattern runes.
func (p *pattern) set(text string) {
	for _, r := range text {
		if r < utf8.RuneSelf {
			p.ascii[r] |= 1 << p.length
		} else {
			p.others = []rune(text)
		}
		p.length++
	}
}

// places returns where a letter stands in the pattern.
func (p *pattern) places(r rune) (bits uint64) {
	if r < utf8.RuneSelf {
		return p.ascii[r]
	}
	for i, other := range p.others {
		if other == r {
			bits |= 1 << i
		}
	}
	return bits
}

// distance returns the optimal string alignment distance of the pattern and a
// text, or any number above most where it is more than that.
func (p *pattern) distance(text string, most int) int {
	left := utf8.RuneCountInString(text)
	distance := p.length
	if p.length == 0 {
		return left
	}
	if max(left-distance, distance-left) > most {
		return most + 1
	}
	// Each bit tells how a cell of the row differs from the one above: by one more
	// (up) or one less (down).
	up, down, diagonal, before := ^uint64(0), uint64(0), uint64(0), uint64(0)
	last := uint64(1) << (p.length - 1)
	for _, r := range text {
		at := p.places(r)
		swapped := ((^diagonal & at) << 1) & before
		diagonal = ((at & up) + up) ^ up | at | down | swapped
		more, less := down|^(diagonal|up), diagonal&up
		if more&last != 0 {
			distance++
		}
		if less&last != 0 {
			distance--
		}
		if left--; distance-left > most {
			return most + 1 // what is left of the text cannot bring it down
		}
		more, less = more<<1|1, less<<1
		up, down, before = less|^(diagonal|more), diagonal&more, at
	}
	return distance
}
