// Package memo keeps results between builds. Each is kept by a Key, the hash of all that it
// depends on, so a result is never out of date: if something changes, its key does.
//
// A Store is read from a file with Open, and written with Save, which drops what was not
// asked for since. The file may be deleted at any time. A file that is damaged, or of another
// program, counts as empty.
package memo

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"catalog.example/generator/output"
	"catalog.example/generator/regular"
)

// Key is the hash of what a result depends on: 128 bits are enough to avoid collisions.
type Key [16]byte

// KeyOf returns the key of a kind of result and of all that it depends on.
func KeyOf(kind string, parts ...[]byte) Key {
	h := sha256.New()
	var size [8]byte
	write := func(part []byte) { // with its length, so that ("ab", "c") is not ("a", "bc")
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	write([]byte(kind))
	for _, part := range parts {
		write(part)
	}
	return Key(h.Sum(nil)[:len(Key{})])
}

// Store keeps results. A nil Store keeps none. It is safe for concurrent use; its values
// must not be changed.
type Store struct {
	mu      sync.Mutex
	entries map[Key]*entry
	changed bool // since Open
}

// entry is a result: its value, or its encoded form, or both.
type entry struct {
	once  sync.Once
	value any
	text  string // encoded; "" if it was not read from a file
	used  bool
}

// New returns an empty Store.
func New() *Store { return &Store{entries: map[Key]*entry{}} }

// Get returns a kept result.
func Get[T any](s *Store, k Key) (result T, ok bool) {
	if s == nil {
		return result, false
	}
	s.mu.Lock()
	e := s.entries[k]
	if e != nil {
		e.used = true
	}
	s.mu.Unlock()
	if e == nil {
		return result, false
	}
	e.once.Do(func() {
		if e.value == nil {
			var decoded T
			if decode(e.text, reflect.ValueOf(&decoded).Elem()) == nil {
				e.value = decoded
			}
		}
	})
	result, ok = e.value.(T)
	return result, ok
}

// Put keeps a result.
func Put[T any](s *Store, k Key, result T) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[k] = &entry{value: result, used: true}
	s.changed = true
}

// Of returns a kept result, or makes and keeps it. Errors are not kept.
func Of[T any](s *Store, k Key, make func() (T, error)) (T, error) {
	if result, ok := Get[T](s, k); ok {
		return result, nil
	}
	result, err := make()
	if err == nil {
		Put(s, k, result)
	}
	return result, err
}

// Len returns the number of results.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// Forget drops the results that were not asked for since the last call.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, e := range s.entries {
		if !e.used {
			delete(s.entries, k)
			s.changed = true
		}
		e.used = false
	}
}

// The file has a line that names the format, the hash of the program, a checksum of what
// follows, and the entries: the key, the size, the encoded result.
const (
	format     = "catalog-memo 1\n"
	headSize   = len(format) + len(Key{}) + 4
	entrySize  = len(Key{}) + 4
	maxEntry   = 1 << 30
	polynomial = crc32.Castagnoli
)

// Open reads a Store from a file. program is the hash of the program, whose results are not
// those of another. The error is about reading only.
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

// Save writes the results that were asked for since Open, in place of the file. If they are
// those that Open read, it does nothing.
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
			return fmt.Errorf("cache: a result has %d bytes", len(file)-start)
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
