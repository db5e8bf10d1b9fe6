package relevance

import (
	"math"
	"slices"

	"catalog.example/cmd/bench/shipped"
)

// score holds the results of an engine over some queries: sums at first, and means once they have
// been divided by n.
type score struct {
	n       int
	ndcg    float64 // normalised discounted cumulative gain of the first five hits
	mrr     float64 // reciprocal rank of the first good hit; 0 if none of hitLimit hits is good
	first   float64 // 1 if the first hit is good
	third   float64 // 1 if one of the first three hits is good
	nothing float64 // 1 if there is no hit; our partial matches do not count as hits
}

// ndcgDepth is the number of hits that count for nDCG: those that a person sees at a glance,
// and that an agent passes on.
const ndcgDepth = 5

// figures holds the mean scores of an engine.
type figures struct {
	kinds   []string         // in the order of the judged set, without "nothing"
	byKind  map[string]score // including "nothing"
	overall score            // without "nothing"
}

// measure scores the hits for each query by their grades. Hits are slugs, best first.
func measure(queries []shipped.Query, hits [][]string) figures {
	f := figures{byKind: map[string]score{}}
	for i := range queries {
		q := &queries[i]
		if q.Kind != shipped.KindNothing && !slices.Contains(f.kinds, q.Kind) {
			f.kinds = append(f.kinds, q.Kind)
		}
		s := f.byKind[q.Kind]
		s.add(q, hits[i])
		f.byKind[q.Kind] = s
		if q.Kind != shipped.KindNothing {
			f.overall.add(q, hits[i])
		}
	}
	for kind, s := range f.byKind {
		f.byKind[kind] = s.mean()
	}
	f.overall = f.overall.mean()
	return f
}

func (s *score) add(q *shipped.Query, hits []string) {
	s.n++
	if len(hits) == 0 {
		s.nothing++
	}
	if ideal := idealGain(q.Grades); ideal > 0 {
		grades := make([]int, len(hits))
		for i, slug := range hits {
			grades[i] = q.Grades[slug]
		}
		s.ndcg += discountedGain(grades) / ideal
	}
	good := slices.IndexFunc(hits, func(slug string) bool { return q.Grades[slug] >= shipped.GoodGrade })
	if good < 0 {
		return
	}
	s.mrr += 1 / float64(good+1)
	if good < 1 {
		s.first++
	}
	if good < 3 {
		s.third++
	}
}

func (s score) mean() score {
	n := max(1, float64(s.n))
	return score{s.n, s.ndcg / n, s.mrr / n, s.first / n, s.third / n, s.nothing / n}
}

// discountedGain sums the gains of the first ndcgDepth grades, each discounted
// by the logarithm of its rank. The gain of a grade is 2^grade-1 (Burges et al.
// 2005), so that one exact answer outweighs two related ones.
func discountedGain(grades []int) float64 {
	sum := 0.0
	for i, grade := range grades[:min(ndcgDepth, len(grades))] {
		sum += (math.Exp2(float64(grade)) - 1) / math.Log2(float64(i+2))
	}
	return sum
}

// idealGain returns the discounted gain of the best possible order.
func idealGain(grades map[string]int) float64 {
	list := make([]int, 0, len(grades))
	for _, grade := range grades {
		list = append(list, grade)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return discountedGain(list)
}
