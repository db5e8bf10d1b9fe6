// Package lzma compresses the files that browsers load to search. The program becomes more than a quarter smaller than
// with gzip, and the index a sixth. The format is that of `xz --format=lzma`: a header of 13 bytes, then symbols in a
// range code. There is no end marker, as the header has the size, and there are no position bits.
// templates/assets/unlzma.js decompresses the files.
//
// # Alternatives
//
//   - gzip, which browsers decompress themselves: the files are larger.
//   - Brotli or Zstandard: hosts may compress with them, but few do it as well as a program that takes its time, and
//     not all browsers can decompress them for a script.
//   - A module that writes LZMA: those in Go do not look for the cheapest way to write a text (see parser), and their
//     files are larger.
package lzma

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// literalBits is how many bits of the byte before choose the model of a literal.
const literalBits = 3

const headerSize = 13

// Encode compresses data. It is slow: about 1 MB a second.
func Encode(data []byte) []byte {
	header := binary.LittleEndian.AppendUint32([]byte{literalBits}, 1<<max(12, bits.Len(uint(len(data)))))
	header = binary.LittleEndian.AppendUint64(header, uint64(len(data)))
	m, e := newModel(), encoder{out: header, span: 1<<32 - 1, pending: 1}
	p := newParser(data, m)
	c := context{}
	for pos := 0; pos < len(data); {
		for _, s := range p.next(pos, c) {
			m.step(&e, data, pos, &c, s)
			c = c.after(s)
			pos += int(s.length)
		}
	}
	return e.end()
}

// Size returns the size of what is in a file, in bytes.
func Size(file []byte) (int, error) {
	if len(file) < headerSize || file[0] != literalBits {
		return 0, errors.New("is not a file that Encode has written")
	}
	return int(binary.LittleEndian.Uint64(file[headerSize-8:])), nil // it was in memory
}

// A step writes the next bytes of a text.
type step struct {
	length uint32 // of the bytes, at most maxLength
	// what is literal, or less than 4 for the distance of that number among those used last, or 4 more than a
	// distance. A distance of 0 refers to the byte before.
	what uint32
}

const (
	literal   = 1<<32 - 1
	minLength = 2
	maxLength = 273
)

// context is what the next step depends on.
type context struct {
	state uint8     // which kinds of steps were the last ones
	reps  [4]uint32 // the distances used last
}

// states is the number of states. In those from afterMatch on, the step before was not a literal.
const (
	states     = 12
	afterMatch = 7
)

// after returns the context after a step.
func (c context) after(s step) context {
	choose := func(afterLiteral, otherwise uint8) {
		if c.state < afterMatch {
			c.state = afterLiteral
		} else {
			c.state = otherwise
		}
	}
	switch {
	case s.what == literal:
		c.state = [states]uint8{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[c.state]
	case s.what >= 4:
		c.reps = [4]uint32{s.what - 4, c.reps[0], c.reps[1], c.reps[2]}
		choose(7, 10)
	case s.length == 1:
		choose(9, 11)
	default:
		used := c.reps[s.what]
		copy(c.reps[1:], c.reps[:s.what])
		c.reps[0] = used
		choose(8, 11)
	}
	return c
}
