package search

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
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
	ix, err := openFile(path, inMemory, func(copyRest func()) { go copyRest() })
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

// openFile opens an index file; one of more than most bytes is mapped. What can
// wait until the index answers is handed to background.
func openFile(path string, most int64, background func(func())) (*Index, error) {
	file, err := os.Open(path) // #nosec G304 -- the operator names the folder
	if err != nil {
		return nil, err
	}
	keep := false
	defer func() {
		if !keep {
			_ = file.Close() // it was only read
		}
	}()
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
		if ix, err := openMapped(file, start, size, background); !errors.Is(err, errors.ErrUnsupported) {
			keep = err == nil // until the rest is copied
			return ix, err
		}
	}
	content := append(make([]byte, 0, size), start...)
	if _, err := io.ReadFull(file, content[len(start):size]); err != nil {
		return nil, unusable("%v", errCutShort(err))
	}
	return Decode(content[:size])
}

func errCutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("damaged: it is cut short")
	}
	return err
}

// openMapped checks the sections of a file, copies them into a private one, and
// maps that. The JSON of listings, most of the file, is copied in the background:
// until then listings are read from the file itself, which takes longer, and
// nothing else of it is needed any more.
func openMapped(file *os.File, start []byte, size int64, background func(func())) (*Index, error) {
	private, err := newPrivateFile(filepath.Dir(file.Name()), size)
	if err != nil {
		return nil, err
	}
	keep := false
	defer func() {
		if !keep {
			_ = private.Close() // whatever was written is not needed
		}
	}()
	entries, _, err := readTOC(start, uint64(size)) // #nosec G115 -- not negative
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(entries, func(e tocEntry) bool { return e.name == sectionDocuments })
	if at < 0 {
		return nil, unusable("damaged: the section %q is missing", sectionDocuments)
	}
	listings := &entries[at]
	later := make([]uint32, listings.blocks())
	entries, identity, err := checkFile(start, uint64(size), func(offset, length uint64) (uint32, error) { // #nosec G115 -- not negative
		if offset < listings.offset || offset >= listings.offset+listings.length {
			return copyBlock(private, file, offset, length)
		}
		sum, err := copyBlock(nil, file, offset, length)
		later[(offset-listings.offset)/blockSize] = sum
		return sum, err
	})
	if err != nil {
		return nil, err
	}
	for _, g := range gaps(entries) {
		if _, err := copyBlock(private, file, g.from, g.to-g.from); err != nil {
			return nil, unusable("%v", err)
		}
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
	rest := &uncopied{file: file, offset: int64(listings.offset)} // #nosec G115 -- within the file
	ix.documents.uncopied = rest
	// Methods of Index hold it until they return, and return copies only.
	runtime.AddCleanup(ix, unmapFile, content)
	keep = true
	background(func() { rest.copyTo(private, listings.length, later) })
	return ix, nil
}

// copyBlock reads a block and returns its checksum; it writes it to the same
// place of another file, if there is one.
func copyBlock(to, from *os.File, offset, length uint64) (uint32, error) {
	const step = 256 << 10 // stays in a core's own cache between reading, checking and writing
	buffer := make([]byte, min(length, step))
	var sum uint32
	for done := uint64(0); done < length; {
		b := buffer[:min(step, length-done)]
		at := int64(offset + done) // #nosec G115 -- within the file
		if _, err := from.ReadAt(b, at); err != nil {
			return 0, errCutShort(err)
		}
		sum = crc32.Update(sum, castagnoli, b)
		if to != nil {
			if _, err := to.WriteAt(b, at); err != nil {
				return 0, fmt.Errorf("copy the index: %w", err)
			}
		}
		done += uint64(len(b))
	}
	return sum, nil
}

// uncopied are listings that are still read from the file that was opened.
type uncopied struct {
	file   *os.File
	offset int64
	copied atomic.Bool // they are in the mapped file
	failed atomic.Bool // they never will be
}

// copyTo copies the listings to where the mapped file has room for them, if they
// are still what was checked.
func (u *uncopied) copyTo(private *os.File, length uint64, sums []uint32) {
	defer private.Close() // the mapping stays
	var changed atomic.Bool
	onAllCores(len(sums), func(i int) {
		from := uint64(i) * blockSize                                                              // #nosec G115 -- not negative
		sum, err := copyBlock(private, u.file, uint64(u.offset)+from, min(blockSize, length-from)) // #nosec G115 -- not negative
		if err != nil || sum != sums[i] {
			changed.Store(true)
		}
	})
	if changed.Load() {
		u.failed.Store(true) // the file stays open for what can still be read
		return
	}
	u.copied.Store(true)
	_ = u.file.Close() // it was only read; a reader that comes late looks again
}

// read returns bytes of the listings, or false where they are in the mapping by
// now. It panics where the file was changed before it was copied: that answer
// cannot be given.
func (u *uncopied) read(from, to uint64) ([]byte, bool) {
	if u.copied.Load() {
		return nil, false
	}
	b := make([]byte, to-from)
	_, err := u.file.ReadAt(b, u.offset+int64(from)) // #nosec G115 -- within the file
	switch {
	case err == nil:
		return b, true
	case u.copied.Load():
		return nil, false
	default:
		panic(fmt.Errorf("read a listing from the index: the file was changed while it was opened: %w", err))
	}
}

// Decode checks the bytes of an index file whole and makes an Index of them,
// which keeps them. Whatever the bytes hold, it returns an error or an Index, and
// never panics.
func Decode(file []byte) (*Index, error) {
	entries, identity, err := checkFile(file[:min(len(file), maxTocSize)], uint64(len(file)), func(offset, length uint64) (uint32, error) {
		return crc(file[offset : offset+length]), nil
	})
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
