// Package memo keeps results between builds. The Key of a result is the hash of everything that it
// depends on. A result is never out of date, because its key changes with anything that it depends
// on.
//
// A Store is in memory. Open and Save keep it in a file (file.go, codec.go). Save adds new results to
// the end of the file. It drops those that have not been used since Open, once they are more than a fifth
// of the file. The file may be deleted at any time. Parts of it that are damaged or were written by
// another program are not read.
package memo

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"sync"
)

// Key is the hash of what a result depends on: 128 bits are enough to avoid collisions.
type Key [16]byte

// KeyOf returns the key of a result: the hash of its kind and of everything that it depends on.
func KeyOf(kind string, parts ...[]byte) Key {
	h := sha256.New()
	var size [8]byte
	write := func(part []byte) { // prefix the length, so that ("ab", "c") and ("a", "bc") differ
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

// Store keeps results. A nil Store keeps none. It is safe for concurrent use. Its values must not
// be changed.
type Store struct {
	mu      sync.Mutex
	entries map[Key]*entry
	size    int // of the file, if it is as Save left it; 0 otherwise
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

// Get returns the result for a key, if the store has it.
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

// Put stores a result.
func Put[T any](s *Store, k Key, result T) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[k] = &entry{value: result, used: true}
}

// Of returns the result for a key. If the store does not have it, Of calls make and stores the
// result. Errors are not stored.
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

// Forget drops the results that have not been used since the last call.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, e := range s.entries {
		if !e.used {
			delete(s.entries, k)
		}
		e.used = false
	}
}
