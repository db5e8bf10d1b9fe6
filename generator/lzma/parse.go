package lzma

import (
	"math"
	"slices"
)

const (
	stretch   = 4096 // how many bytes are planned at once
	longMatch = 128  // a match of this length is taken without looking for cheaper steps
	refresh   = 512  // after how many bytes prices are computed again
)

// parser plans steps. It follows all ways to write the next bytes, and keeps the cheapest way to each place.
type parser struct {
	data   []byte
	model  *model
	finder *finder
	places []place
	end    int // the last place that a step leads to
	plan   []step

	sum    price // of what is counted just now
	fresh  int   // until where the prices below are used
	length [2][maxLength + 1]price
	slot   [4][64]price
	near   [4][128]price // of whole distances
	align  [16]price
}

// place is where steps lead: so many bytes after the beginning of a plan.
type place struct {
	price price
	from  int // the place before
	step  step
	// tail is not 0 if more steps follow step: a literal, unless step is one, and so many bytes at the distance used
	// last. Together they may be cheaper than the cheapest way to the place between.
	tail uint32
	context
}

// steps calls visit for the steps that lead to a place, the last one first.
func (p *place) steps(visit func(s step)) {
	if p.tail > 0 {
		visit(step{p.tail, 0})
		if p.step.what != literal {
			visit(step{1, literal})
		}
	}
	visit(p.step)
}

func newParser(data []byte, m *model) *parser {
	return &parser{data: data, model: m, finder: newFinder(data), places: make([]place, stretch+2*maxLength+2)}
}

// next returns steps for the bytes at pos. They are valid until the next call.
func (p *parser) next(pos int, c context) []step {
	if pos >= p.fresh {
		p.count()
		p.fresh = pos + refresh
	}
	p.places[0], p.end = place{context: c}, 0
	for i := 0; ; i++ {
		if i > 0 {
			if i == p.end || i == stretch { // all ways lead here, or this is far enough
				return p.wayTo(i)
			}
			at := &p.places[i]
			at.context = p.places[at.from].after(at.step)
			if at.tail > 0 {
				if at.step.what != literal {
					at.context = at.after(step{1, literal})
				}
				at.context = at.after(step{at.tail, 0})
			}
		}
		matches := p.finder.find(pos + i)
		if long, ok := p.long(pos, i, matches); ok {
			for k := range int(long.length) - 1 {
				p.finder.find(pos + i + 1 + k)
			}
			return append(p.wayTo(i), long)
		}
		p.literals(pos, i)
		p.repeats(pos, i)
		p.matches(pos, i, matches)
	}
}

// wayTo returns the cheapest steps to a place.
func (p *parser) wayTo(i int) []step {
	p.plan = p.plan[:0]
	for ; i > 0; i = p.places[i].from {
		p.places[i].steps(func(s step) { p.plan = append(p.plan, s) })
	}
	slices.Reverse(p.plan)
	return p.plan
}

// lead notes that a step, with its tail, leads from place i to another, if no cheaper way does.
func (p *parser) lead(i int, total price, s step, tail uint32) {
	to := i + int(s.length+tail)
	if tail > 0 && s.what != literal {
		to++
	}
	for ; p.end < to; p.end++ {
		p.places[p.end+1].price = math.MaxUint32
	}
	if total < p.places[to].price {
		p.places[to] = place{price: total, from: i, step: s, tail: tail}
	}
}

// tail considers the bytes at the distance used last, after a step and a literal. total is the price with the step.
func (p *parser) tail(pos, i int, total price, s step) {
	c, at := p.places[i].after(s), pos+i+int(s.length)
	p.sum = total
	if s.what != literal {
		if at >= len(p.data) {
			return
		}
		p.model.kind(&p.sum, &c, step{1, literal})
		p.model.literal(&p.sum, p.data, at, &c)
		c = c.after(step{1, literal})
		at++
	}
	back := int(c.reps[0]) + 1
	if back > at {
		return
	}
	if n := uint32(p.finder.common(at-back, at, 0)); n >= minLength { // at most maxLength
		p.model.kind(&p.sum, &c, step{n, 0})
		p.lead(i, p.sum+p.length[1][n], s, n)
	}
}

// repeat returns for how many bytes those at place i equal those at a distance used before.
func (p *parser) repeat(pos, i, rep int) int {
	at, back := pos+i, int(p.places[i].reps[rep])+1
	if back > at {
		return 0
	}
	return p.finder.common(at-back, at, 0)
}

// long returns a step for so many bytes that no other need be considered.
func (p *parser) long(pos, i int, matches []match) (s step, ok bool) {
	for rep := range 4 {
		if n := p.repeat(pos, i, rep); n >= longMatch {
			return step{uint32(n), uint32(rep)}, true // at most maxLength; less than 4
		}
	}
	if len(matches) == 0 {
		return step{}, false
	}
	longest := matches[len(matches)-1]
	return step{longest.length, longest.distance + 4}, longest.length >= longMatch
}

// kind returns the price of a place, with that of the kind of a step from there.
func (p *parser) kind(i int, s step) price {
	p.sum = p.places[i].price
	p.model.kind(&p.sum, &p.places[i].context, s)
	return p.sum
}

// literals considers a literal, and its byte at the distance used last.
func (p *parser) literals(pos, i int) {
	s := step{1, literal}
	p.kind(i, s)
	p.model.literal(&p.sum, p.data, pos+i, &p.places[i].context)
	p.lead(i, p.sum, s, 0)
	p.tail(pos, i, p.sum, s)
	if back := int(p.places[i].reps[0]) + 1; back <= pos+i && p.data[pos+i] == p.data[pos+i-back] {
		s = step{1, 0}
		p.lead(i, p.kind(i, s), s, 0)
	}
}

// repeats considers the distances used before.
func (p *parser) repeats(pos, i int) {
	for rep := range uint32(4) {
		n := p.repeat(pos, i, int(rep))
		if n < minLength {
			continue
		}
		total := p.kind(i, step{minLength, rep})
		for length := uint32(minLength); length <= uint32(n); length++ { // at most maxLength
			p.lead(i, total+p.length[1][length], step{length, rep}, 0)
		}
		p.tail(pos, i, total+p.length[1][n], step{uint32(n), rep}) // at most maxLength
	}
}

// matches considers other distances: for each length, the shortest.
func (p *parser) matches(pos, i int, matches []match) {
	length := uint32(minLength)
	for _, m := range matches {
		total := p.kind(i, step{length, m.distance + 4})
		for ; length <= m.length; length++ {
			p.lead(i, total+p.length[0][length]+p.distance(m.distance, length), step{length, m.distance + 4}, 0)
		}
		total += p.length[0][m.length] + p.distance(m.distance, m.length)
		p.tail(pos, i, total, step{m.length, m.distance + 4})
	}
}

func (p *parser) distance(distance, length uint32) price {
	kind := min(length-minLength, 3)
	if distance < uint32(len(p.near[0])) {
		return p.near[kind][distance]
	}
	slot, n := slotOf(distance)
	return p.slot[kind][slot] + price(16*(n-4)) + p.align[distance&15]
}

// count computes the prices of lengths and distances.
func (p *parser) count() {
	of := func(write func()) price {
		p.sum = 0
		write()
		return p.sum
	}
	for kind, m := range []*lengthModel{&p.model.lengths, &p.model.repLengths} {
		for length := minLength; length <= maxLength; length++ {
			p.length[kind][length] = of(func() { m.length(&p.sum, uint32(length)) })
		}
	}
	for kind := range uint32(4) {
		for slot := range uint32(64) {
			p.slot[kind][slot] = of(func() { tree(&p.sum, p.model.slots[kind][:], slot, 6) })
		}
		for distance := range uint32(len(p.near[0])) {
			p.near[kind][distance] = of(func() { p.model.distance(&p.sum, distance, kind+minLength) })
		}
	}
	for low := range uint32(16) {
		p.align[low] = of(func() { reverseTree(&p.sum, p.model.align[:], low, 4) })
	}
}
