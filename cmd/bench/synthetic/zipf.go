package synthetic

import (
	"math"
	"math/rand/v2"
)

// zipf draws ranks by Zipf's law with any exponent; math/rand/v2 has it for
// exponents above 1 only. The method is Walker's alias table (Vose 1991): every
// column holds the share of at most two ranks, so that a draw costs one column
// and one coin, however many ranks there are.
type zipf struct {
	first   uint64    // added to every rank
	keep    []float64 // by column: how often the column's own rank is drawn
	instead []int     // by column: what is drawn otherwise
}

// newZipf returns the law over the ranks from first to before count. The share
// of rank r, counted from 0, is as 1/(r+1)^exponent; with first above 0 it is
// the law of the whole under the condition that none of the ranks before is
// drawn.
func newZipf(exponent float64, first, count int) *zipf {
	n := count - first
	z := &zipf{first: uint64(first), keep: make([]float64, n), instead: make([]int, n)}
	sum := 0.0
	for i := range n {
		z.keep[i] = math.Pow(float64(first+i+1), -exponent)
		sum += z.keep[i]
	}
	var under, over []int
	for i := range n {
		z.keep[i] *= float64(n) / sum
		z.instead[i] = i
		if z.keep[i] < 1 {
			under = append(under, i)
		} else {
			over = append(over, i)
		}
	}
	for len(under) > 0 && len(over) > 0 {
		little, much := under[len(under)-1], over[len(over)-1]
		under = under[:len(under)-1]
		z.instead[little] = much
		if z.keep[much] -= 1 - z.keep[little]; z.keep[much] < 1 {
			over = over[:len(over)-1]
			under = append(under, much)
		}
	}
	// What is left differs from 1 by rounding alone, and its column is its own.
	return z
}

// draw returns a rank.
func (z *zipf) draw(random *rand.Rand) uint64 {
	column := random.IntN(len(z.keep))
	if random.Float64() >= z.keep[column] {
		column = z.instead[column]
	}
	return z.first + uint64(column)
}
