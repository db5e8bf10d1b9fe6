// Package spelling finds the likely correct spelling of a misspelt text. It uses the optimal
// string alignment distance: the number of insertions, deletions, substitutions and
// transpositions of neighbours.
package spelling

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest returns up to n candidates that a misspelt text most likely stands for, nearest first.
// First come candidates at a distance of at most a third of the longer text's bytes, then those
// that contain the text or are contained in it. Case is ignored. It returns none for a text of
// more than 64 bytes.
func Nearest(text string, candidates []string, n int) []string {
	text = strings.ToLower(text)
	if text == "" || len(text) > maxPattern {
		return nil
	}
	type match struct {
		candidate string
		distance  int
	}
	var best []match // at most n
	p := NewPattern(text)
	for _, c := range candidates {
		lower := strings.ToLower(c)
		maxDistance := max(1, max(len(text), len(lower))/3)
		m := match{c, p.Distance(lower, maxDistance)}
		switch {
		case m.distance <= maxDistance:
		case len(text) >= 3 && (strings.Contains(lower, text) || len(lower) >= 3 && strings.Contains(text, lower)):
			m.distance = maxDistance + 1
		default:
			continue
		}
		i, _ := slices.BinarySearchFunc(best, m, func(a, b match) int {
			return cmp.Or(a.distance-b.distance, strings.Compare(a.candidate, b.candidate))
		})
		if i < n {
			best = slices.Insert(best[:min(len(best), n-1)], i, m)
		}
	}
	var names []string
	for _, m := range best {
		names = append(names, m.candidate)
	}
	return names
}

// Hint returns "; did you mean …?" with the candidate that a misspelt text most likely stands
// for, or "" if there is none.
func Hint(text string, candidates []string) string {
	if near := Nearest(text, candidates, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// Distance returns the optimal string alignment distance of a and b in runes. If both have
// more than 64 runes, it returns 0 if they are equal, else the length of the longer one.
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
	return NewPattern(a).Distance(b, m)
}

// maxPattern is the maximum length of a pattern in runes: one bit for each.
const maxPattern = 64

// Pattern is a text that others are compared with. It stores the positions of each letter as
// bits, so that a whole row of the table of distances is computed at once (H. Hyyrö, A bit-vector
// algorithm for computing Levenshtein and Damerau edit distances, 2003).
type Pattern struct {
	length int
	ascii  [utf8.RuneSelf]uint64
	others []rune // the text, if it has letters that are not ASCII
}

// NewPattern returns the pattern of a text of at most 64 runes.
func NewPattern(text string) *Pattern {
	var p Pattern
	for _, r := range text {
		if r < utf8.RuneSelf {
			p.ascii[r] |= 1 << p.length
		} else {
			p.others = []rune(text)
		}
		p.length++
	}
	return &p
}

// positions returns the positions of a letter in the pattern, as bits.
func (p *Pattern) positions(r rune) (bits uint64) {
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

// Distance returns the optimal string alignment distance of the pattern and a text, or any
// number above maxDistance if it is above that.
func (p *Pattern) Distance(text string, maxDistance int) int {
	remaining := utf8.RuneCountInString(text)
	distance := p.length
	if p.length == 0 {
		return remaining
	}
	if max(remaining-distance, distance-remaining) > maxDistance {
		return maxDistance + 1
	}
	// Each bit says how a cell of the row differs from the one above: one more (up) or one
	// less (down).
	up, down, diagonal, previous := ^uint64(0), uint64(0), uint64(0), uint64(0)
	last := uint64(1) << (p.length - 1)
	for _, r := range text {
		positions := p.positions(r)
		transposed := ((^diagonal & positions) << 1) & previous
		diagonal = ((positions & up) + up) ^ up | positions | down | transposed
		more, less := down|^(diagonal|up), diagonal&up
		if more&last != 0 {
			distance++
		}
		if less&last != 0 {
			distance--
		}
		if remaining--; distance-remaining > maxDistance {
			return maxDistance + 1 // each remaining rune lowers the distance by one at most
		}
		more, less = more<<1|1, less<<1
		up, down, previous = less|^(diagonal|more), diagonal&more, positions
	}
	return distance
}
