package memo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"catalog.example/api/parallel"
	"catalog.example/generator/output"
	"catalog.example/generator/regular"
)

// The file has a line that names the format, and chunks. Each chunk has the hash of the program that wrote it, a
// checksum of its entries, their size, and the entries. Each entry is a key, a size and an encoded result.
const (
	format     = "catalog-memo 2\n"
	chunkHead  = len(Key{}) + 4 + 8
	chunkSize  = 16 << 20 // about
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
	// The texts of results are parts of the file, which nobody changes.
	rest, ok := strings.CutPrefix(textOf(file), format)
	for ok && rest != "" {
		rest, ok = s.readChunk(rest, program)
	}
	if ok {
		s.size = len(file)
	}
	return s, nil
}

// readChunk reads the first chunk of a text, and returns the others. ok is false if it is damaged, or of another
// program.
func (s *Store) readChunk(text string, program Key) (rest string, ok bool) {
	if len(text) < chunkHead || text[:len(program)] != string(program[:]) {
		return "", false
	}
	head, rest := []byte(text[len(program):chunkHead]), text[chunkHead:]
	size := binary.LittleEndian.Uint64(head[4:])
	if size > uint64(len(rest)) {
		return "", false
	}
	entries, rest := rest[:size], rest[size:]
	if binary.LittleEndian.Uint32(head) != crc32.Checksum(bytesOf(entries), crc32.MakeTable(polynomial)) {
		return "", false
	}
	for len(entries) >= entrySize {
		size := int(binary.LittleEndian.Uint32([]byte(entries[len(Key{}):entrySize])))
		if size > len(entries)-entrySize {
			return "", false
		}
		s.entries[Key([]byte(entries[:len(Key{})]))] = &entry{text: entries[entrySize : entrySize+size]}
		entries = entries[entrySize+size:]
	}
	return rest, entries == ""
}

// Save keeps the results that have been used since Open in the file. It adds new ones at its end, and writes the file
// again if more than a fifth of it would not be needed. If nothing is new, it does nothing.
func (s *Store) Save(name string, program Key) error {
	s.Forget()
	used, added := len(format)+chunkHead, map[Key]*entry{}
	for k, e := range s.entries {
		if e.text == "" {
			added[k] = e
		}
		used += entrySize + len(e.text)
	}
	if s.size > 0 && s.size-s.size/5 <= used {
		if len(added) == 0 {
			return nil
		}
		file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			err = errors.Join(writeChunks(file, added, program), file.Close())
		}
		if err == nil {
			return nil
		} // such as a full disk: writing the file again tells what is wrong
	}
	err := output.WriteCached(filepath.Dir(name), filepath.Base(name), func(w io.Writer) error {
		if _, err := io.WriteString(w, format); err != nil {
			return err
		}
		return writeChunks(w, s.entries, program)
	})
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// writeChunks writes entries. Each chunk is one call of Write, so that chunks of several builds do not mix.
func writeChunks(w io.Writer, entries map[Key]*entry, program Key) error {
	chunk := make([]byte, chunkHead, chunkHead+64<<10)
	write := func() error {
		copy(chunk, program[:])
		sum := crc32.Checksum(chunk[chunkHead:], crc32.MakeTable(polynomial))
		binary.LittleEndian.PutUint32(chunk[len(program):], sum)
		binary.LittleEndian.PutUint64(chunk[len(program)+4:], uint64(len(chunk)-chunkHead))
		_, err := w.Write(chunk)
		chunk = chunk[:chunkHead]
		return err
	}
	for keys := range slices.Chunk(slices.Collect(maps.Keys(entries)), encodedAtOnce) {
		for i, text := range encodeAll(entries, keys) {
			if len(text) > maxEntry {
				return fmt.Errorf("a result has %d bytes, and at most %d can be kept", len(text), maxEntry)
			}
			if len(chunk)+entrySize+len(text) > chunkSize {
				if err := write(); err != nil {
					return err
				}
			}
			chunk = binary.LittleEndian.AppendUint32(append(chunk, keys[i][:]...), uint32(len(text)))
			chunk = append(chunk, text...)
		}
	}
	return write()
}

// encodedAtOnce is how many entries are encoded on all cores before they are written.
const encodedAtOnce = 1 << 10

// encodeAll returns the encoded results for some keys.
func encodeAll(entries map[Key]*entry, keys []Key) [][]byte {
	texts := make([][]byte, len(keys))
	parallel.All(len(keys), func(i int) {
		if e := entries[keys[i]]; e.text != "" {
			texts[i] = bytesOf(e.text)
		} else {
			texts[i] = encode(nil, reflect.ValueOf(e.value))
		}
	})
	return texts
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

// textOf returns a text in the memory of bytes, and bytesOf bytes in the memory of a text. Neither may be changed
// afterwards.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) } // #nosec G103 -- see above

func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) } // #nosec G103 -- see above
