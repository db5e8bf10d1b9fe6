package index

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"catalog.example/api/soak"
)

// mapSet is a set as a Go map.
type mapSet map[int]bool

func randomSet(r *rand.Rand, docs int) (*Set, mapSet) {
	s, m := NewSet(docs), mapSet{}
	for range r.IntN(docs + 1) {
		d := r.IntN(docs)
		if r.IntN(3) == 0 {
			d = min(docs-1, d%70) // many in one block
		}
		s.Add(d)
		m[d] = true
	}
	return s, m
}

func (m mapSet) sorted() []int { return slices.Sorted(maps.Keys(m)) }

func members(s *Set) (list []int) {
	s.Each(func(doc int) bool { list = append(list, doc); return true })
	return list
}

func TestSetsAgreeWithMaps(t *testing.T) {
	soak.Long(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, docs := range []int{1, 63, 64, 65, 511, 512, 513, 5000, 40000} {
		for range 20 {
			a, inA := randomSet(r, docs)
			b, inB := randomSet(r, docs)
			check := func(name string, got *Set, want func(d int) bool) {
				t.Helper()
				m := mapSet{}
				for d := range docs {
					if want(d) {
						m[d] = true
					}
				}
				if !slices.Equal(members(got), m.sorted()) || got.Count() != len(m) {
					t.Fatalf("%s of %d listings: %d members, count %d, want %d", name, docs, len(members(got)), got.Count(), len(m))
				}
			}
			with := func(change func(s *Set)) *Set {
				s := NewSet(docs)
				s.CopyOf(a)
				change(s)
				return s
			}
			check("copy", with(func(*Set) {}), func(d int) bool { return inA[d] })
			check("union", with(func(s *Set) { s.Union(b) }), func(d int) bool { return inA[d] || inB[d] })
			check("intersection", with(func(s *Set) { s.Intersect(b) }), func(d int) bool { return inA[d] && inB[d] })
			check("difference", with(func(s *Set) { s.Subtract(b) }), func(d int) bool { return inA[d] && !inB[d] })
			check("clear", with(func(s *Set) { s.Clear() }), func(int) bool { return false })
			check("all", with(func(s *Set) { s.AddAll(docs) }), func(int) bool { return true })

			numbers := make([]uint32, 0, len(inB))
			for _, d := range inB.sorted() {
				numbers = append(numbers, uint32(d))
			}
			both := 0
			for d := range inA {
				if inB[d] {
					both++
				}
			}
			for _, asBitmap := range []bool{false, true} {
				l := List{}
				body := appendList(nil, numbers, asBitmap, docs)
				if asBitmap {
					l.bitmap = body
					if n := a.countBits(body); n != both {
						t.Fatalf("countBits: %d, want %d", n, both)
					}
				} else {
					l.Array = body
					if n := a.countArray(body, docs); n != both {
						t.Fatalf("countArray: %d, want %d", n, both)
					}
				}
				check("list", with(func(s *Set) { l.AddTo(s, docs) }), func(d int) bool { return inA[d] || inB[d] })
			}
		}
	}
}

// Listings beyond the last, as in a damaged file, are ignored.
func TestSetsIgnoreInvalidListings(t *testing.T) {
	for _, docs := range []int{1, 64, 100, 512} {
		s := NewSet(docs)
		s.addArray(binary.LittleEndian.AppendUint32(nil, uint32(docs)), docs)
		s.addArray(binary.LittleEndian.AppendUint32(nil, 1<<31), docs)
		full := make([]byte, 4096)
		for i := range full {
			full[i] = 0xff
		}
		s.addBits(full, docs)
		if s.Count() != docs {
			t.Errorf("%d of %d listings", s.Count(), docs)
		}
	}
}

func TestEachStopsEarly(t *testing.T) {
	s := NewSet(2000)
	s.AddAll(2000)
	n := 0
	s.Each(func(int) bool { n++; return n < 700 })
	if n != 700 {
		t.Errorf("%d visits", n)
	}
}
