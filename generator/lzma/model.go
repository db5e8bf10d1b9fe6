package lzma

import (
	"math"
	"math/bits"
)

// prob is the probability that a bit is 0, times 2048. It moves towards each bit that is written.
type prob uint16

const (
	probBits  = 11
	probShift = 5
)

// model has the probabilities of all bits.
type model struct {
	isMatch, isRep, isOlder, isThird, isFourth, isLong [states]prob
	slots                                              [4][64]prob // by the length
	near                                               [115]prob
	align                                              [16]prob
	lengths, repLengths                                lengthModel
	literals                                           [1 << literalBits][0x300]prob
}

// lengthModel has the probabilities of lengths.
type lengthModel struct {
	isOver8, isOver16 prob
	low, mid          [8]prob
	high              [256]prob
}

func newModel() *model {
	m := &model{}
	half := func(lists ...[]prob) {
		for _, list := range lists {
			for i := range list {
				list[i] = 1 << (probBits - 1)
			}
		}
	}
	half(m.isMatch[:], m.isRep[:], m.isOlder[:], m.isThird[:], m.isFourth[:], m.isLong[:], m.near[:], m.align[:])
	for i := range m.slots {
		half(m.slots[i][:])
	}
	for i := range m.literals {
		half(m.literals[i][:])
	}
	for _, l := range []*lengthModel{&m.lengths, &m.repLengths} {
		l.isOver8, l.isOver16 = 1<<(probBits-1), 1<<(probBits-1)
		half(l.low[:], l.mid[:], l.high[:])
	}
	return m
}

// sink takes bits: an encoder writes them, a price counts what they would take up.
type sink interface {
	bit(p *prob, bit uint32)
	direct(value uint32, n int) // the low n bits of value, which have no probabilities
}

// step gives the bits of a step to w.
func (m *model) step(w sink, data []byte, pos int, c *context, s step) {
	m.kind(w, c, s)
	switch {
	case s.what == literal:
		m.literal(w, data, pos, c)
	case s.what >= 4:
		m.lengths.length(w, s.length)
		m.distance(w, s.what-4, s.length)
	case s.length > 1:
		m.repLengths.length(w, s.length)
	}
}

// kind gives the bits that say what a step is.
func (m *model) kind(w sink, c *context, s step) {
	bit := func(list *[states]prob, is bool) {
		b := uint32(0)
		if is {
			b = 1
		}
		w.bit(&list[c.state], b)
	}
	bit(&m.isMatch, s.what != literal)
	if s.what == literal {
		return
	}
	bit(&m.isRep, s.what < 4)
	if s.what >= 4 {
		return
	}
	bit(&m.isOlder, s.what > 0)
	if s.what == 0 {
		bit(&m.isLong, s.length > 1)
		return
	}
	bit(&m.isThird, s.what > 1)
	if s.what > 1 {
		bit(&m.isFourth, s.what > 2)
	}
}

// literal gives the bits of the byte at pos. After a match, the byte that would have continued it is another than
// this one, which helps to guess this one.
func (m *model) literal(w sink, data []byte, pos int, c *context) {
	before := byte(0)
	if pos > 0 {
		before = data[pos-1]
	}
	probs := &m.literals[before>>(8-literalBits)]
	expected, mask := uint32(0), uint32(0)
	if c.state >= afterMatch {
		expected, mask = uint32(data[pos-1-int(c.reps[0])]), 0x100
	}
	for symbol := uint32(data[pos]) | 0x100; symbol < 0x10000; {
		expected <<= 1
		w.bit(&probs[mask+expected&mask+symbol>>8], symbol>>7&1)
		symbol <<= 1
		mask &^= expected ^ symbol
	}
}

func (m *lengthModel) length(w sink, length uint32) {
	n := length - minLength
	switch {
	case n < 8:
		w.bit(&m.isOver8, 0)
		tree(w, m.low[:], n, 3)
	case n < 16:
		w.bit(&m.isOver8, 1)
		w.bit(&m.isOver16, 0)
		tree(w, m.mid[:], n-8, 3)
	default:
		w.bit(&m.isOver8, 1)
		w.bit(&m.isOver16, 1)
		tree(w, m.high[:], n-16, 8)
	}
}

// distance gives the bits of a distance: its slot, which has its two upper bits and how many follow; then these.
func (m *model) distance(w sink, distance, length uint32) {
	slot, n := slotOf(distance)
	tree(w, m.slots[min(length-minLength, 3)][:], slot, 6)
	if slot < 4 {
		return
	}
	base := (2 | slot&1) << n
	if rest := distance - base; slot < 14 {
		reverseTree(w, m.near[base-slot:], rest, n)
	} else {
		w.direct(rest>>4, n-4)
		reverseTree(w, m.align[:], rest&15, 4)
	}
}

// slotOf returns the slot of a distance, and how many bits follow it.
func slotOf(distance uint32) (slot uint32, n int) {
	if distance < 4 {
		return distance, 0
	}
	n = bits.Len32(distance) - 2
	return uint32(2*(n+1)) | distance>>n&1, n
}

// tree gives the low n bits of value, the highest first. Each depends on all before.
func tree(w sink, probs []prob, value uint32, n int) {
	node := uint32(1)
	for n--; n >= 0; n-- {
		b := value >> n & 1
		w.bit(&probs[node], b)
		node = node<<1 | b
	}
}

// reverseTree is tree with the lowest bit first.
func reverseTree(w sink, probs []prob, value uint32, n int) {
	node := uint32(1)
	for ; n > 0; n-- {
		w.bit(&probs[node], value&1)
		node, value = node<<1|value&1, value>>1
	}
}

// encoder writes bits as a number in a range that each bit narrows.
type encoder struct {
	out     []byte
	low     uint64 // where the range begins; the upper bits are a carry
	span    uint32 // its size
	cache   byte   // the last byte, to which a carry may be added
	pending int    // how many bytes a carry may change: cache, and bytes of 255
}

func (e *encoder) bit(p *prob, bit uint32) {
	bound := e.span >> probBits * uint32(*p)
	if bit == 0 {
		e.span = bound
		*p += (1<<probBits - *p) >> probShift
	} else {
		e.low += uint64(bound)
		e.span -= bound
		*p -= *p >> probShift
	}
	e.fill()
}

func (e *encoder) direct(value uint32, n int) {
	for n--; n >= 0; n-- {
		e.span >>= 1
		e.low += uint64(e.span) * uint64(value>>n&1)
		e.fill()
	}
}

func (e *encoder) fill() {
	for e.span < 1<<24 {
		e.span <<= 8
		e.shift()
	}
}

// shift writes the bytes that no carry can change any more.
func (e *encoder) shift() {
	if carry := byte(e.low >> 32); e.low < 0xFF<<24 || carry > 0 {
		for last := e.cache; e.pending > 0; e.pending-- {
			e.out = append(e.out, last+carry)
			last = 0xFF
		}
		e.cache = byte(e.low >> 24) // the upper bits are the carry
	}
	e.pending++
	e.low = e.low & (1<<24 - 1) << 8
}

// end returns the file.
func (e *encoder) end() []byte {
	for range 5 {
		e.shift()
	}
	return e.out
}

// price counts what bits take up, in sixteenths of a bit.
type price uint32

// bitPrices has the price of a bit by the upper 7 bits of its probability.
var bitPrices = func() (prices [1 << 7]price) {
	for i := range prices {
		prices[i] = price(math.Round(-16 * math.Log2((float64(i)+0.5)/float64(len(prices)))))
	}
	return prices
}()

func (s *price) bit(p *prob, bit uint32) {
	likely := uint32(*p)
	if bit != 0 {
		likely = 1<<probBits - 1 - likely
	}
	*s += bitPrices[likely>>(probBits-7)]
}

func (s *price) direct(_ uint32, n int) { *s += price(16 * n) }
