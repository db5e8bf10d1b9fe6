package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"catalog.example/api/parallel"
)

// The index file.
//
//	offset  bytes  what
//	0       8      magic "CATALOG\n"
//	8       4      format version, little-endian like every number here
//	12      4      number of sections
//	16      16     the identity of the index: the hash of the hashes of each
//	               block of each section
//	32      40 n   table of contents: for each section its name (16 bytes, padded
//	               with zeros), offset from the start of the file (8), length (8),
//	               checksum (4), zero (4)
//	32+40n  4      CRC-32C of everything before
//	…              the sections in the table's order, each padded with zeros to
//	               begin at a multiple of 8
//
// A section's checksum is the CRC-32C of the CRC-32C of each block of blockSize bytes, so
// that any number of cores can check it.
//
// FormatVersion history:
//
//	1  settings, taxonomy and listings as JSON; words were indexed on opening
//	2  listings as JSON with the bounds of their parts, a dictionary, postings,
//	   texts as numbers of words, columns and orders: nothing is made on opening
//	3  words keep the vowel signs of scripts that need them, and voiced kana;
//	   a term lists what is archived
//	4  facts are those that the taxonomy defines
//	5  settings, taxonomy and the tables of facets are written by a codec; the
//	   identity has 16 bytes
//	6  the needs of listings, for searches that name a machine
//	7  facts are checked against install links and licences; asks are searched
//	8  products say what people who leave them would miss
//	9  sentences of descriptions are texts of their own; technical words; common
//	   English words
//	10 how many listings replace each product, for queries that name it
//	11 hits have their upkeep
//	12 settings say where searches are answered
//	13 settings without the folder of overrides, with the language of pages
//	14 setups of a system, and with models elsewhere; estimates; the words that describe
//	   computers, and the sizes of memory
const FormatVersion = 14

// FileName is the path of an index in the build output.
const FileName = "api/v1/search.idx"

const (
	magic         = "CATALOG\n"
	headerSize    = 32
	tocEntrySize  = 40
	nameSize      = 16
	maxSections   = 64
	alignment     = 8
	blockSize     = 1 << 20
	maxTocSize    = headerSize + maxSections*tocEntrySize + 4
	identityStart = 16
)

// The names of sections.
const (
	sectionSettings        = "settings"         // site.Settings, see codec.go
	sectionTaxonomy        = "taxonomy"         // api.Taxonomy
	sectionFacets          = "facets"           // facetTables
	sectionDocuments       = "documents"        // the JSON of each listing, most popular first
	sectionBounds          = "bounds"           // n+1 offsets of 8 bytes for n documents
	sectionParts           = "parts"            // bounds of the parts of each, see documents.go
	sectionSlugs           = "slugs"            // dictionary of slugs
	sectionSlugDocs        = "slug-docs"        // the listing of each slug: 4 bytes
	sectionTerms           = "terms"            // dictionary of words, facts, licences and phrases of synonyms
	sectionSpelling        = "spelling"         // words by length, see spelling.go
	sectionEnglish         = "english"          // wordFilter of common words that no listing has
	sectionStems           = "stems"            // dictionary of stems
	sectionTermStems       = "term-stems"       // the stem of each term: 4 bytes
	sectionStemTerms       = "stem-terms"       // the terms of each stem
	sectionPostings        = "postings"         // see postings.go
	sectionPostingsAt      = "postings-at"      // where the postings of each term begin
	sectionTexts           = "texts"            // see texts.go
	sectionTextsAt         = "texts-at"         // where the texts of each listing begin
	sectionCategoryTexts   = "category-asks"    // the asks of categories, in the same form
	sectionCategoryTextsAt = "category-asks-at" // where those of each category begin
	sectionProducts        = "products"         // see products.go
	sectionProductsAt      = "products-at"      // where each product begins
	sectionOrdinary        = "ordinary"         // names of products, see products.go
	sectionFacetNumbers    = "facts"            // see facets.go
	sectionNumbers         = "numbers"          // columns of numberFacts
	sectionOrders          = "orders"           // see order.go
	sectionFormer          = "former"           // the present slugs of former ones
	sectionNeeds           = "needs"            // distinct hardware.Needs, see needs.go
	sectionNeedNumbers     = "need-numbers"     // the needs of each listing: 4 bytes
	sectionUses            = "uses"             // what the setups of each listing are for
	sectionUsesAt          = "uses-at"          // where the uses of each listing begin
)

// fileOrder is the order of sections in a file.
var fileOrder = []string{
	sectionProducts, sectionProductsAt, sectionPostings, sectionPostingsAt, sectionTexts, sectionTextsAt,
	sectionCategoryTexts, sectionCategoryTextsAt, sectionTerms, sectionSpelling, sectionEnglish, sectionStems,
	sectionTermStems, sectionStemTerms, sectionFacets, sectionFacetNumbers, sectionNumbers, sectionOrders, sectionNeeds,
	sectionNeedNumbers, sectionUses, sectionUsesAt, sectionSlugs, sectionSlugDocs, sectionOrdinary, sectionFormer,
	sectionSettings, sectionTaxonomy, sectionBounds, sectionParts, sectionDocuments, sectionWords, sectionHits,
}

// newHash returns the hash for identities. 128 bits are enough to avoid collisions. It need
// not protect against forgery: whoever can write the index decides what is served. SHA-256
// would add half a megabyte to the WebAssembly program.
func newHash() hash.Hash { return fnv.New128a() }

const hashSize = 16

// castagnoli is the table of CRC-32C, for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrUnusable is wrapped by every error of Open and CheckHead: the file is not an index,
// is damaged, or has another version.
var ErrUnusable = errors.New("index cannot be used")

func unusable(reason ...string) error { return &unusableError{strings.Join(reason, "")} }

// badSection returns the error for a damaged section.
func badSection(name, what string) error {
	return unusable("damaged: the section ", strconv.Quote(name), " ", what)
}

// unusableError is an ErrUnusable with its reason. The code that opens and queries an index
// avoids package fmt, which would make the WebAssembly program larger.
type unusableError struct{ reason string }

// Error implements error.
func (e *unusableError) Error() string { return ErrUnusable.Error() + ": " + e.reason }

// Unwrap implements errors.Unwrap.
func (e *unusableError) Unwrap() error { return ErrUnusable }

// section is a part of a file to write, as consecutive pieces.
type section struct {
	name   string
	pieces [][]byte
}

func (s *section) length() (n uint64) {
	for _, p := range s.pieces {
		n += uint64(len(p))
	}
	return n
}

// blocks returns the pieces of each block of blockSize bytes.
func (s *section) blocks() [][][]byte {
	blocks := make([][][]byte, (s.length()+blockSize-1)/blockSize)
	offset := 0
	for _, p := range s.pieces {
		for len(p) > 0 {
			n := min(len(p), blockSize-offset%blockSize)
			blocks[offset/blockSize] = append(blocks[offset/blockSize], p[:n])
			offset += n
			p = p[n:]
		}
	}
	return blocks
}

// checksum returns the checksum of a section.
func (s *section) checksum() uint32 {
	blocks := s.blocks()
	sums := make([]uint32, len(blocks))
	parallel.All(len(blocks), func(i int) {
		for _, piece := range blocks[i] {
			sums[i] = crc32.Update(sums[i], castagnoli, piece)
		}
	})
	return crc(appendNumbers(nil, sums))
}

// appendHashes appends the hashes of the blocks of a section.
func (s *section) appendHashes(dst []byte) []byte {
	blocks := s.blocks()
	hashes := make([][hashSize]byte, len(blocks))
	parallel.All(len(blocks), func(i int) {
		h := newHash()
		for _, piece := range blocks[i] {
			h.Write(piece)
		}
		h.Sum(hashes[i][:0])
	})
	for i := range hashes {
		dst = append(dst, hashes[i][:]...)
	}
	return dst
}

func align(offset uint64) uint64 { return (offset + alignment - 1) / alignment * alignment }

// writeFile writes the header, the table of contents and the sections.
func writeFile(w io.Writer, sections []section) (int64, error) {
	var toc, hashes []byte
	offset := align(uint64(headerSize + tocEntrySize*len(sections) + 4))
	for i := range sections {
		s := &sections[i]
		var name [nameSize]byte
		copy(name[:], s.name)
		hashes = s.appendHashes(hashes)
		toc = append(toc, name[:]...)
		toc = binary.LittleEndian.AppendUint64(toc, offset)
		toc = binary.LittleEndian.AppendUint64(toc, s.length())
		toc = binary.LittleEndian.AppendUint32(toc, s.checksum())
		toc = binary.LittleEndian.AppendUint32(toc, 0)
		offset = align(offset + s.length())
	}
	head := []byte(magic)
	head = binary.LittleEndian.AppendUint32(head, FormatVersion)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(sections)))
	identity := newHash()
	identity.Write(hashes)
	head = append(identity.Sum(head), toc...)
	head = binary.LittleEndian.AppendUint32(head, crc(head))

	if buffer, ok := w.(*bytes.Buffer); ok {
		buffer.Grow(int(min(offset, 1<<30)))
	}
	var written int64
	write := func(b []byte) error {
		n, err := w.Write(b)
		written += int64(n)
		return err
	}
	if err := write(head); err != nil {
		return written, err
	}
	for _, s := range sections {
		if err := write(make([]byte, align(uint64(written))-uint64(written))); err != nil {
			return written, err
		}
		for _, p := range s.pieces {
			if err := write(p); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// tocEntry is an entry of the table of contents.
type tocEntry struct {
	name           string
	offset, length uint64
	checksum       uint32
}

// readTOC reads and checks the table of contents of a file of size bytes, and returns the
// identity too. start is the first maxTocSize bytes of the file, or all of it.
func readTOC(start []byte, size uint64) ([]tocEntry, string, error) {
	if len(start) < headerSize+4 || !bytes.Equal(start[:8], []byte(magic)) {
		return nil, "", unusable("this is not an index file")
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != FormatVersion {
		return nil, "", unusable("it has format version ", strconv.Itoa(int(v)),
			" and this program reads version ", strconv.Itoa(FormatVersion))
	}
	n := binary.LittleEndian.Uint32(start[12:])
	if n > maxSections {
		return nil, "", unusable("damaged: it claims ", strconv.Itoa(int(n)), " sections")
	}
	end := headerSize + tocEntrySize*int(n)
	if len(start) < end+4 {
		return nil, "", unusable("damaged: it is cut short")
	}
	if crc(start[:end]) != binary.LittleEndian.Uint32(start[end:]) {
		return nil, "", unusable("damaged: the table of contents does not match its checksum")
	}
	entries := make([]tocEntry, n)
	next := align(uint64(end + 4))
	for i := range entries {
		line := start[headerSize+tocEntrySize*i:]
		e := tocEntry{
			name:   strings.TrimRight(string(line[:nameSize]), "\x00"),
			offset: binary.LittleEndian.Uint64(line[16:]), length: binary.LittleEndian.Uint64(line[24:]),
			checksum: binary.LittleEndian.Uint32(line[32:]),
		}
		if e.offset != next || e.offset > size || e.length > size-e.offset {
			return nil, "", unusable("damaged: it is cut short")
		}
		entries[i] = e
		next = align(e.offset + e.length)
	}
	if n > 0 {
		if last := entries[n-1]; last.offset+last.length != size {
			surplus := size - last.offset - last.length
			return nil, "", unusable("damaged: it has ", strconv.FormatUint(surplus, 10), " bytes too many")
		}
	}
	return entries, hex.EncodeToString(start[identityStart:headerSize]), nil
}

// sections are the checked sections of a file by name.
type sections map[string][]byte

// HeadSize is how many bytes of a file CheckHead needs.
const HeadSize = maxTocSize

// CheckHead returns an error that wraps ErrUnusable if a file of size bytes cannot be an
// index. head is its first HeadSize bytes, or all of it.
func CheckHead(head []byte, size int64) error {
	_, _, err := readTOC(head, uint64(size))
	return err
}

// Open checks all bytes of an index file and returns its Index. The bytes must not change
// while the Index is reachable; no answer shares memory with them. For any bytes, neither
// Open nor the Index panics. Errors wrap ErrUnusable.
func Open(file []byte) (*Index, error) {
	s, identity, err := readSections(file)
	if err != nil {
		return nil, err
	}
	return newIndex(s, identity, int64(len(file)))
}

// readSections returns the checked sections of a file, and its identity. The bytes between them
// must be zeros.
func readSections(file []byte) (sections, string, error) {
	entries, identity, err := readTOC(file[:min(len(file), maxTocSize)], uint64(len(file)))
	if err != nil {
		return nil, "", err
	}
	s := sections{}
	before := uint64(headerSize + tocEntrySize*len(entries) + 4)
	for _, e := range entries {
		end := e.offset + e.length
		content := oneSection(e.name, file[e.offset:end:end])
		if content.checksum() != e.checksum {
			return nil, "", badSection(e.name, "does not match its checksum")
		}
		if len(bytes.Trim(file[before:e.offset], "\x00")) > 0 {
			return nil, "", badSection(e.name, "has bytes other than zero before it")
		}
		if s[e.name] != nil {
			return nil, "", badSection(e.name, "occurs twice")
		}
		s[e.name] = content.pieces[0]
		before = end
	}
	return s, identity, nil
}

// Number reads a number of 4 bytes. If an int also has 4 bytes, larger numbers, which
// only a damaged file has, become the largest int: the result is never negative.
func Number(b []byte) int {
	return int(min(uint64(binary.LittleEndian.Uint32(b)), math.MaxInt))
}

// crc returns the checksum of the format.
func crc(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
