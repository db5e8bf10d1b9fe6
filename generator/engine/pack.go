package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"catalog.example/generator/lzma"
)

// Pack compresses a program of WebAssembly, as `go build` writes it with GOOS=js, for
// Module.Program. The linker of Go leaves out short runs of zeros, and writes tens of thousands
// of data segments. One segment with the zeros takes a tenth less when it is compressed.
func Pack(program []byte) ([]byte, error) {
	joined, err := joinSegments(program)
	if err != nil {
		return nil, fmt.Errorf("the program is not WebAssembly as Go writes it: %w", err)
	}
	return lzma.Encode(joined), nil
}

const (
	sectionData      = 11
	sectionDataCount = 12
	opI32Const       = 0x41
	opEnd            = 0x0b
	maxImage         = 64 << 20 // bytes of memory that segments may fill
)

var errEnd = errors.New("it ends within a section")

// joinSegments returns the program with one data segment in place of all.
func joinSegments(program []byte) ([]byte, error) {
	const header = "\x00asm\x01\x00\x00\x00"
	if len(program) < len(header) || string(program[:len(header)]) != header {
		return nil, errors.New("it does not begin with its version")
	}
	joined := []byte(header)
	for rest := program[len(header):]; len(rest) > 0; {
		id := rest[0]
		body, after, err := readBytes(rest[1:])
		switch {
		case err != nil:
			return nil, err
		case id == sectionDataCount:
			return nil, errors.New("it counts its data segments")
		case id == sectionData:
			if body, err = joinData(body); err != nil {
				return nil, err
			}
		}
		joined = appendBytes(append(joined, id), body)
		rest = after
	}
	return joined, nil
}

// joinData returns the body of a data section with one segment. Segments fill memory in their
// order: where two overlap, the later one stays.
func joinData(body []byte) ([]byte, error) {
	count, rest, err := readNumber(body)
	if err != nil {
		return nil, err
	}
	var image []byte // of memory, from address 0
	first := uint64(maxImage)
	for range count {
		if len(rest) < 2 || rest[0] != 0 || rest[1] != opI32Const {
			return nil, errors.New("a data segment has no constant address in the first memory")
		}
		address, after, err := readNumber(rest[2:])
		if err != nil {
			return nil, err
		}
		negative := rest[len(rest)-len(after)-1]&0x40 != 0 // the sign of a signed LEB128
		if negative || len(after) == 0 || after[0] != opEnd {
			return nil, errors.New("the address of a data segment is not one positive number")
		}
		data, after, err := readBytes(after[1:])
		if err != nil {
			return nil, err
		}
		end := address + uint64(len(data))
		if end > maxImage {
			return nil, fmt.Errorf("a data segment ends at %d, behind %d", end, maxImage)
		}
		if more := int(end) - len(image); more > 0 {
			image = append(image, make([]byte, more)...)
		}
		copy(image[address:], data)
		first = min(first, address)
		rest = after
	}
	if len(rest) > 0 {
		return nil, errors.New("its data section has more than its segments")
	}
	if count == 0 {
		return body, nil
	}
	joined := appendAddress([]byte{1, 0, opI32Const}, first)
	return appendBytes(append(joined, opEnd), image[first:]), nil
}

// readNumber reads an unsigned LEB128, and returns what follows it.
func readNumber(text []byte) (n uint64, after []byte, err error) {
	n, size := binary.Uvarint(text)
	if size <= 0 || n > 1<<32-1 {
		return 0, nil, errEnd
	}
	return n, text[size:], nil
}

// readBytes reads bytes behind their number, and returns what follows them.
func readBytes(text []byte) (body, after []byte, err error) {
	n, rest, err := readNumber(text)
	if err != nil || n > uint64(len(rest)) {
		return nil, nil, errEnd
	}
	return rest[:n], rest[n:], nil
}

// appendBytes appends bytes behind their number.
func appendBytes(to, body []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(body))), body...)
}

// appendAddress appends an address below 2³¹ as a signed LEB128.
func appendAddress(to []byte, address uint64) []byte {
	to = binary.AppendUvarint(to, address)
	if last := len(to) - 1; to[last]&0x40 != 0 {
		to[last] |= 0x80
		to = append(to, 0)
	}
	return to
}
