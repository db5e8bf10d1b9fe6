package lzma

import "encoding/binary"

// match is an earlier place with the same bytes.
type match struct{ length, distance uint32 }

const (
	hashBits = 17
	depth    = 32 // how many earlier places are compared at most
)

// finder finds matches. The places whose next 4 bytes have the same hash are a binary tree, ordered by what follows
// them; its root is the last of them. Places are numbered from 1, and 0 is none.
type finder struct {
	data     []byte
	by2      [1 << 16]uint32       // the last place by its next 2 bytes
	by3, by4 [1 << hashBits]uint32 // by the hash of 3 bytes; roots of trees
	children [][2]uint32           // of each place: what is less, and what is greater
	found    []match
}

func newFinder(data []byte) *finder {
	return &finder{data: data, children: make([][2]uint32, len(data))}
}

// common returns for how many bytes the places a and b are equal, if the first n are. a is before b.
func (f *finder) common(a, b, n int) int {
	limit := min(maxLength, len(f.data)-b)
	for n < limit && f.data[a+n] == f.data[b+n] {
		n++
	}
	return n
}

// find returns matches of the bytes at pos, each longer and further away than the one before. It must be called once
// for each place, in order. The matches are valid until the next call.
func (f *finder) find(pos int) []match {
	f.found = f.found[:0]
	if len(f.data)-pos < 4 {
		return nil
	}
	next := binary.LittleEndian.Uint32(f.data[pos:])
	hash := func(n uint32) uint32 { return n * 0x9E3779B1 >> (32 - hashBits) }
	two, three, root := &f.by2[next&0xFFFF], &f.by3[hash(next<<8)], &f.by4[hash(next)]
	f.consider(pos, *two)
	f.consider(pos, *three)
	place := uint32(pos + 1) // files are smaller than 4 GiB
	child := *root
	*two, *three, *root = place, place, place
	f.insert(pos, child)
	return f.found
}

// consider adds a place to the matches, if it is a longer one.
func (f *finder) consider(pos int, place uint32) {
	if place > 0 {
		f.add(pos, place, f.common(int(place)-1, pos, 0))
	}
}

func (f *finder) add(pos int, place uint32, n int) {
	longest := uint32(minLength - 1)
	if len(f.found) > 0 {
		longest = f.found[len(f.found)-1].length
	}
	if uint32(n) > longest {
		f.found = append(f.found, match{uint32(n), uint32(pos) - place}) // pos+1-place, less 1
	}
}

// insert makes pos the root of a tree, and divides it into what is less and what is greater.
func (f *finder) insert(pos int, root uint32) {
	limit := min(maxLength, len(f.data)-pos)
	less, greater := &f.children[pos][0], &f.children[pos][1]
	lessCommon, greaterCommon := 0, 0 // with what was added there last
	for range depth {
		if root == 0 {
			break
		}
		at := int(root) - 1
		n := f.common(at, pos, min(lessCommon, greaterCommon))
		f.add(pos, root, n)
		if n == limit { // the same bytes: pos takes its place
			*less, *greater = f.children[at][0], f.children[at][1]
			return
		}
		if f.data[at+n] < f.data[pos+n] {
			*less, less, lessCommon = root, &f.children[at][1], n
			root = *less
		} else {
			*greater, greater, greaterCommon = root, &f.children[at][0], n
			root = *greater
		}
	}
	*less, *greater = 0, 0
}
