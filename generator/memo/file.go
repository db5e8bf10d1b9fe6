package memo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"

	"catalog.example/generator/output"
	"catalog.example/generator/regular"
)

// The file has a line that names the format, the hash of the program, a checksum of the rest, and
// the entries. Each entry is a key, a size and an encoded result.
const (
	format     = "catalog-memo 1\n"
	headSize   = len(format) + len(Key{}) + 4
	entrySize  = len(Key{}) + 4
	maxEntry   = 1 << 30
	polynomial = crc32.Castagnoli
)

// Open reads a Store from a file. program is the hash of the running program. Results of other
// programs are dropped. It returns an error only if the file cannot be read.
func Open(name string, program Key) (*Store, error) {
	s := New()
	file, err := regular.ReadFile(name, math.MaxInt64-1)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	if len(file) < headSize || string(file[:len(format)]) != format || Key(file[len(format):headSize-4]) != program ||
		binary.LittleEndian.Uint32(file[headSize-4:]) != crc32.Checksum(file[headSize:], crc32.MakeTable(polynomial)) {
		return s, nil
	}
	for rest := string(file[headSize:]); len(rest) >= entrySize; {
		size := int(binary.LittleEndian.Uint32([]byte(rest[len(Key{}):entrySize])))
		if size > len(rest)-entrySize {
			return New(), nil
		}
		s.entries[Key([]byte(rest[:len(Key{})]))] = &entry{text: rest[entrySize : entrySize+size]}
		rest = rest[entrySize+size:]
	}
	return s, nil
}

// Save replaces the file with the results that have been used since Open. If they are the same as
// Open read, it does nothing.
func (s *Store) Save(name string, program Key) error {
	s.Forget()
	if !s.changed {
		return nil
	}
	size := headSize
	for _, e := range s.entries {
		size += entrySize + len(e.text)
	}
	file := append(make([]byte, 0, size+size/8), format...)
	file = append(file, program[:]...)
	file = append(file, 0, 0, 0, 0)
	for k, e := range s.entries {
		file = append(append(file, k[:]...), 0, 0, 0, 0)
		start := len(file)
		if e.text != "" {
			file = append(file, e.text...)
		} else {
			file = encode(file, reflect.ValueOf(e.value))
		}
		if len(file)-start > maxEntry {
			return fmt.Errorf("cache: a result has %d bytes, and at most %d can be kept", len(file)-start, maxEntry)
		}
		binary.LittleEndian.PutUint32(file[start-4:], uint32(len(file)-start))
	}
	binary.LittleEndian.PutUint32(file[headSize-4:], crc32.Checksum(file[headSize:], crc32.MakeTable(polynomial)))
	if err := output.WriteCached(filepath.Dir(name), filepath.Base(name), file); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	s.changed = false
	return nil
}

// Program returns the hash of the running program.
func Program() (Key, error) {
	name, err := os.Executable()
	if err != nil {
		return Key{}, fmt.Errorf("cache: %w", err)
	}
	program, err := os.ReadFile(name)
	if err != nil {
		return Key{}, fmt.Errorf("cache: read the program: %w", err)
	}
	return KeyOf("program", program), nil
}
