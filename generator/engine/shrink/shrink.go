// Package shrink makes the search engine for browsers smaller: it takes out of a WebAssembly program of Go what only
// stack traces show. The linker has no option for this. Garbage collection, growing stacks, panics and recover use the
// rest of these tables.
package shrink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// release is the Go release whose tables this package knows. They are in runtime/symtab.go and runtime/runtime2.go.
const release = "go1.26"

// errUnknown is for a program whose tables this package does not know.
var errUnknown = errors.New("the program was not compiled by " + release + ", or its tables are not as expected: " +
	"adapt package shrink to this release")

// Program returns a program without the names of functions and files, and without line numbers.
func Program(wasm []byte) ([]byte, error) {
	if len(wasm) < 8 {
		return nil, errUnknown
	}
	small := slices.Clone(wasm[:8]) // magic number and version
	isKnown, isShrunk := false, false
	for rest := wasm[8:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errUnknown
		}
		section := rest[1+n : 1+n+int(size)] // fits: a part of rest
		rest = rest[1+n+len(section):]
		switch id {
		case customSection:
			isProducers := bytes.Contains(section, []byte("producers"))
			isKnown = isKnown || isProducers && bytes.Contains(section, []byte(release))
		case dataSection:
			m, ok := readMemory(section)
			if !ok || !m.shrink() {
				return nil, errUnknown
			}
			section, isShrunk = m.write(), true
		}
		small = binary.AppendUvarint(append(small, id), uint64(len(section)))
		small = append(small, section...)
	}
	if !isKnown || !isShrunk {
		return nil, errUnknown
	}
	return small, nil
}

// Numbers of sections.
const (
	customSection = 0
	dataSection   = 11
)

// memory is what the memory of a program begins with.
type memory []byte

// maxMemory bounds the memory that a program may begin with.
const maxMemory = 1 << 28

// readMemory reads a data section: how many segments there are; of each, the number of its memory, the expression for
// its address, and its bytes.
func readMemory(section []byte) (m memory, ok bool) {
	rest := section
	number := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			rest = nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	for count := number(); count > 0; count-- {
		if len(rest) < 3 || rest[0] != 0 || rest[1] != 0x41 { // i32.const
			return nil, false
		}
		rest = rest[2:]
		address := number() // signed: bit 6 of the last byte is the sign, which is 0
		if len(rest) == 0 || rest[0] != 0x0B {
			return nil, false
		}
		rest = rest[1:]
		size := number()
		if size > uint64(len(rest)) || address > maxMemory {
			return nil, false
		}
		if end := int(address) + int(size); end > len(m) {
			m = append(m, make([]byte, end-len(m))...)
		}
		copy(m[address:], rest[:size])
		rest = rest[size:]
	}
	return m, len(rest) == 0
}

// minGap is for how many zeros a new segment begins.
const minGap = 32

// write returns the data section, without zeros.
func (m memory) write() []byte {
	var segments []byte
	count := 0
	for at := 0; at < len(m); {
		if m[at] == 0 {
			at++
			continue
		}
		end := at
		for zeros := 0; end+zeros < len(m) && zeros < minGap; {
			if m[end+zeros] == 0 {
				zeros++
			} else {
				end, zeros = end+zeros+1, 0
			}
		}
		segments = append(segments, 0, 0x41)
		segments = append(appendSigned(segments, at), 0x0B)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, m[at:end]...)
		count, at = count+1, end
	}
	return append(binary.AppendUvarint(nil, uint64(count)), segments...)
}

// appendSigned appends a number that is not negative as signed LEB128.
func appendSigned(dst []byte, n int) []byte {
	for ; n >= 0x40; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}
