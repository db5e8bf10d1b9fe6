package index

import (
	"encoding/binary"
	"strings"

	"catalog.example/api/spelling"
)

// Dictionary is a sorted list of n distinct texts, each identified by its index. In the file it is
//
//	8       n, and zeros
//	4 n+4   0 and the end of each text, and zeros up to a multiple of 8
//	8 n     the first 8 bytes of each text as a number in the same order, so that a
//	        look-up mostly compares numbers that are near each other
//	…       the texts
type Dictionary struct {
	N     int
	ends  []byte
	keys  []byte
	texts []byte
}

// encodeDictionary encodes sorted, distinct texts of less than 4 GiB in total.
func encodeDictionary(texts []string) []byte {
	n, size := len(texts), 0
	for _, t := range texts {
		size += len(t)
	}
	b := make([]byte, 0, 8+4*(n+2)+8*n+size)
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	b = binary.LittleEndian.AppendUint32(b, 0)
	end := 0
	for _, t := range texts {
		end += len(t)
		b = binary.LittleEndian.AppendUint32(b, uint32(end)) // fits: the Builder checks the total
	}
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	for _, t := range texts {
		b = binary.LittleEndian.AppendUint64(b, sortKey(t))
	}
	for _, t := range texts {
		b = append(b, t...)
	}
	return b
}

// open opens the dictionary of a section, and reports whether it is valid.
func (d *Dictionary) open(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	n := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if n > uint64(len(b)/12) {
		return false
	}
	d.N = int(n)
	ends := int(align(4*n + 4)) // n is limited by the length of b
	if len(b) < ends+8*d.N {
		return false
	}
	d.ends, b = b[:ends], b[ends:]
	d.keys, d.texts = b[:8*d.N], b[8*d.N:]
	return true
}

// sortKey returns the first 8 bytes of a text as a number with the same order.
func sortKey(s string) uint64 {
	var first [8]byte
	copy(first[:], s)
	return binary.BigEndian.Uint64(first[:])
}

func (d *Dictionary) key(i int) uint64 { return binary.LittleEndian.Uint64(d.keys[8*i:]) }

// Text returns the i-th text. In a damaged file, it may be empty.
func (d *Dictionary) Text(i int) []byte { return between(d.ends, d.texts, i, 1) }

// search returns the number of the first text that is not less than s.
func (d *Dictionary) search(s string) int {
	key := sortKey(s)
	low, high := 0, d.N
	for low < high {
		middle := int(uint(low+high) >> 1)
		k := d.key(middle)
		if k < key || k == key && string(d.Text(middle)) < s {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Find returns the number of a text.
func (d *Dictionary) Find(s string) (int, bool) {
	i := d.search(s)
	return i, i < d.N && string(d.Text(i)) == s
}

// PrefixRange returns the range of texts that begin with prefix.
func (d *Dictionary) PrefixRange(prefix string) (from, to int) {
	from = d.search(prefix)
	if next := successor(prefix); next != "" {
		return from, max(from, d.search(next))
	}
	return from, d.N
}

// successor returns the first text that sorts after all texts that begin with prefix, or "" if
// there is none.
func successor(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 {
		if last := len(b) - 1; b[last] < 0xff {
			b[last]++
			return string(b)
		}
		b = b[:len(b)-1]
	}
	return ""
}

// maxCompared limits the texts that nearest compares, so that it takes less than a millisecond
// whatever the size of the dictionary.
const maxCompared = 1 << 11

// nearest returns up to n texts of which s is most likely a misspelling, in the order of
// spelling.Nearest. In a large dictionary, it compares s only with the texts around it, which begin
// with the same letters.
func (d *Dictionary) nearest(s string, n int) []string {
	s = strings.ToLower(s)
	first := max(0, min(d.search(s)-maxCompared/2, d.N-maxCompared))
	candidates := make([]string, min(d.N, maxCompared))
	for i := range candidates {
		candidates[i] = string(d.Text(first + i))
	}
	return spelling.Nearest(s, candidates, n)
}
