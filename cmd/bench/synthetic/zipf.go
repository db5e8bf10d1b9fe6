package synthetic

import (
	"math"
	"math/rand/v2"
)

// zipf draws ranks by Zipf's law with any exponent; math/rand/v2 only supports exponents above 1.
// The method is Walker's alias table (Vose 1991): every column stands for at most two ranks, so
// that a draw takes constant time.
type zipf struct {
	first   uint64    // added to every rank
	keep    []float64 // by column: the probability of the column's own rank
	instead []int     // by column: the other rank
}

// newZipf returns a distribution over the ranks from first to count-1. The share of rank r, counted
// from 0, is proportional to 1/(r+1)^exponent.
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
	// The remaining columns differ from 1 only by rounding, so each keeps its own rank.
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
