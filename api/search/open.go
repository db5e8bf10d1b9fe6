package search

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// FileName is where an index lies below the build output.
const FileName = "api/v1/search.idx"

// inMemory is the size up to which an index file is read into memory. A larger
// one is copied to a file that nobody else can reach, and mapped: whatever is
// done to the original, even cutting it short in place, does not matter to an
// open index.
const inMemory = 64 << 20

// Open reads the index of a build output folder.
func Open(publicDir string) (*Index, error) {
	path := filepath.Join(publicDir, filepath.FromSlash(FileName))
	ix, err := openFile(path, inMemory)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, unusable("%s does not exist; run: catalog build --out %s", path, publicDir)
	case errors.Is(err, ErrUnusable):
		return nil, fmt.Errorf("%s: %w; run: catalog build --out %s", path, err, publicDir)
	case err != nil:
		return nil, unusable("%v", err)
	}
	return ix, nil
}

// openFile opens an index file; one of more than most bytes is mapped.
func openFile(path string, most int64) (*Index, error) {
	file, err := os.Open(path) // #nosec G304 -- the operator names the folder
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, unusable("this is not a file")
	}
	size := info.Size()
	start := make([]byte, min(size, maxTocSize))
	if _, err := io.ReadFull(file, start); err != nil {
		return nil, unusable("damaged: it is cut short")
	}
	if _, _, err := readTOC(start, uint64(size)); err != nil { // #nosec G115 -- not negative
		return nil, err // before any room is taken for it
	}
	if size > most {
		if ix, err := openMapped(file, start, size); !errors.Is(err, errors.ErrUnsupported) {
			return ix, err
		}
	}
	content := make([]byte, size)
	return decode(content, start, func(offset, length uint64) (uint32, error) {
		block := content[offset : offset+length]
		if _, err := file.ReadAt(block, int64(offset)); err != nil { // #nosec G115 -- within the file
			return 0, errCutShort(err)
		}
		return crc(block), nil
	})
}

func errCutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("damaged: it is cut short")
	}
	return err
}

// openMapped copies the sections of a file into a private one, checking them on
// the way, and maps that.
func openMapped(file *os.File, start []byte, size int64) (*Index, error) {
	private, err := newPrivateFile(filepath.Dir(file.Name()), size)
	if err != nil {
		return nil, err
	}
	defer private.Close()                                                                                  // the mapping stays
	entries, identity, err := checkFile(start, uint64(size), func(offset, length uint64) (uint32, error) { // #nosec G115 -- not negative
		const step = 256 << 10 // stays in a core's own cache between reading, checking and writing
		buffer := make([]byte, min(length, step))
		var sum uint32
		for done := uint64(0); done < length; {
			b := buffer[:min(step, length-done)]
			at := int64(offset + done) // #nosec G115 -- within the file
			if _, err := file.ReadAt(b, at); err != nil {
				return 0, errCutShort(err)
			}
			sum = crc32.Update(sum, castagnoli, b)
			if _, err := private.WriteAt(b, at); err != nil {
				return 0, fmt.Errorf("copy the index: %w", err)
			}
			done += uint64(len(b))
		}
		return sum, nil
	})
	if err != nil {
		return nil, err
	}
	content, err := mapFile(private, size)
	if err != nil {
		return nil, fmt.Errorf("map the index: %w", err)
	}
	ix, err := openSections(content, entries, identity)
	if err != nil {
		unmapFile(content)
		return nil, err
	}
	// Methods of Index hold it until they return, and return copies only.
	runtime.AddCleanup(ix, unmapFile, content)
	return ix, nil
}

// Decode checks the bytes of an index file whole and makes an Index of them,
// which keeps them. Whatever the bytes hold, it returns an error or an Index, and
// never panics.
func Decode(file []byte) (*Index, error) {
	return decode(file, file[:min(len(file), maxTocSize)], func(offset, length uint64) (uint32, error) {
		return crc(file[offset : offset+length]), nil
	})
}

func decode(file, start []byte, read func(offset, length uint64) (uint32, error)) (*Index, error) {
	entries, identity, err := checkFile(start, uint64(len(file)), read)
	if err != nil {
		return nil, err
	}
	return openSections(file, entries, identity)
}

func openSections(file []byte, entries []tocEntry, identity string) (*Index, error) {
	s, err := cut(file, entries)
	if err != nil {
		return nil, err
	}
	return newIndex(s, identity, int64(len(file)))
}
