package api

import (
	"slices"
	"strings"
)

// maxNearestInput bounds the text that Nearest compares: longer input is a
// mistake of another kind, and comparing takes time by its square.
const maxNearestInput = 64

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
	var found []near
	for _, c := range candidates {
		lower := strings.ToLower(c)
		allowed := max(1, max(len(given), len(lower))/3)
		distance := EditDistance(given, lower)
		switch {
		case distance <= allowed:
		case len(given) >= 3 && (strings.Contains(lower, given) || len(lower) >= 3 && strings.Contains(given, lower)):
			distance = allowed + 1
		default:
			continue
		}
		found = append(found, near{c, distance})
	}
	slices.SortStableFunc(found, func(a, b near) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.candidate, b.candidate)
	})
	var names []string
	for _, f := range found[:min(n, len(found))] {
		names = append(names, f.candidate)
	}
	return names
}

// EditDistance returns the optimal string alignment distance of a and b, in
// runes: insertions, deletions, substitutions and transpositions of neighbours
// each count one.
func EditDistance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	var rows [3][distanceRow]int // most texts are short: no memory is taken for them
	before, above, row := rows[0][:], rows[1][:], rows[2][:]
	if n := len(rb) + 1; n > distanceRow {
		before, above, row = make([]int, n), make([]int, n), make([]int, n)
	}
	for j := range rb {
		above[j+1] = j + 1
	}
	for i, ca := range ra {
		row[0] = i + 1
		for j, cb := range rb {
			cost := 1
			if ca == cb {
				cost = 0
			}
			row[j+1] = min(row[j]+1, above[j+1]+1, above[j]+cost)
			if i > 0 && j > 0 && ca == rb[j-1] && ra[i-1] == cb {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(rb)]
}

// distanceRow is how many letters, and one, EditDistance compares without taking
// memory.
const distanceRow = 65
