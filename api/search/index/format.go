package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
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
//	…              the sections in the table's order, with zeros before each, so that it
//	               begins at a multiple of 8
//
// A section's checksum is the CRC-32C of the CRC-32C of each block of blockSize bytes, so
// that any number of cores can check it.
//
// FormatVersion history:
//
//	1  settings, taxonomy and listings as JSON; Open indexed the words
//	2  listings as JSON with the bounds of their parts, a dictionary, postings,
//	   texts as numbers of words, columns and orders: Open makes nothing
//	3  words keep the vowel signs of scripts that need them, and voiced kana;
//	   a term for archived listings
//	4  the taxonomy defines the facts
//	5  a codec writes settings, taxonomy and the tables of facets; the identity
//	   has 16 bytes
//	6  the needs of listings, for searches that name a machine
//	7  facts are checked against install links and licences; asks are searched
//	8  products say what people who leave them would miss
//	9  sentences of descriptions are texts of their own; technical words; common
//	   English words
//	10 how many listings replace each product, for queries that name it
//	11 hits contain upkeep
//	12 the setting for where searches are answered
//	13 settings without the folder of overrides, but with the language of pages
//	14 setups for one system, and with models elsewhere; estimates; the words that describe
//	   computers, and the sizes of memory
//	15 the numbers of facets in columns
//	16 words of other languages
//	17 sizes of language models, and which listings run the models of others; hits contain estimates
//	18 setups that were measured
//	19 the signs of C#, C++ and .NET belong to the word
//	20 facts that follow from others
//	21 where the values of brief hits are, and which setups were measured in a job
//	22 for whom a listing is the right one beside others, what matters to those who choose, and costs
//	23 money, dates and ranges, which have columns of their figures; orders of facts
//	24 the setting for the access log
//	25 brief hits contain what is not translated
//	26 texts of facts and labels of choices are searched, unless their fact says no
//	27 words of other languages are folded and sorted, in a section of their own
//	28 the hyphen of "e-mail" does not end a word; on which systems listings themselves run
const FormatVersion = 28

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
	sectionTranslations    = "translations"     // see translations.go
	sectionFacets          = "facets"           // facetTables
	sectionDocuments       = "documents"        // the JSON of each listing, most popular first
	sectionBounds          = "bounds"           // where each document begins, and the end: n+1 offsets of 8 bytes
	sectionParts           = "parts"            // bounds of the parts of each document, see documents.go
	sectionSlugs           = "slugs"            // dictionary of slugs
	sectionSlugDocs        = "slug-docs"        // the listing of each slug: 4 bytes
	sectionTerms           = "terms"            // dictionary of words, facts, licences and synonym phrases
	sectionSpelling        = "spelling"         // words by length, see spelling.go
	sectionEnglish         = "english"          // WordFilter of common words that no listing has
	sectionStems           = "stems"            // dictionary of stems
	sectionTermStems       = "term-stems"       // the stem of each term: 4 bytes
	sectionStemTerms       = "stem-terms"       // the terms of each stem
	sectionPostings        = "postings"         // see postings.go
	sectionPostingsAt      = "postings-at"      // where the postings of each term begin
	sectionTexts           = "texts"            // see texts.go
	sectionTextsAt         = "texts-at"         // where the texts of each listing begin
	sectionCategoryTexts   = "category-asks"    // the asks of each category, in the form of texts.go
	sectionCategoryTextsAt = "category-asks-at" // where the asks of each category begin
	sectionProducts        = "products"         // see products.go
	sectionProductsAt      = "products-at"      // where each product begins
	sectionOrdinary        = "ordinary"         // names of products, see products.go
	sectionFacetNumbers    = "facts"            // see facets.go
	sectionFigures         = "figures"          // columns of MeasuredFacts
	sectionOrders          = "orders"           // see order.go
	sectionFormer          = "former"           // maps former slugs to present ones
	sectionNeeds           = "needs"            // distinct hardware.Needs, see needs.go
	sectionNeedNumbers     = "need-numbers"     // the needs of each listing: 4 bytes
	sectionUses            = "uses"             // what the setups of each listing are for
	sectionUsesAt          = "uses-at"          // where the uses of each listing begin
	sectionRunners         = "runners"          // the slugs of Runners
	sectionRunnerNumbers   = "runner-numbers"   // the runners of each listing, see runners.go
	sectionRunnersAt       = "runners-at"       // where they begin
)

// fileOrder is the order of sections in a file.
var fileOrder = []string{
	sectionProducts, sectionProductsAt, sectionPostings, sectionPostingsAt, sectionTexts, sectionTextsAt,
	sectionCategoryTexts, sectionCategoryTextsAt, sectionTerms, sectionSpelling, sectionEnglish, sectionStems,
	sectionTermStems, sectionStemTerms, sectionFacets, sectionFacetNumbers, sectionFigures, sectionOrders, sectionNeeds,
	sectionNeedNumbers, sectionUses, sectionUsesAt, sectionRunners, sectionRunnerNumbers, sectionRunnersAt,
	sectionSlugs, sectionSlugDocs, sectionOrdinary, sectionFormer,
	sectionSettings, sectionTaxonomy, sectionTranslations, sectionBounds, sectionParts, sectionDocuments,
	sectionWords, sectionHits,
}

// appendHash appends the hash for identities, FNV-1a. Its 128 bits are enough to avoid collisions. It need not
// resist forgery: whoever can write the index decides what is served anyway. SHA-256 would add half
// a megabyte to the WebAssembly program. Package hash/fnv takes twice the time, because it keeps the hash in memory.
func appendHash(dst, content []byte) []byte {
	const prime, shift = 0x13b, 88 - 64 // the prime of FNV is 2^88 + 0x13b
	high, low := uint64(0x6c62272e07bb0142), uint64(0x62b821756295c58d)
	for _, b := range content {
		low ^= uint64(b)
		carry, product := bits.Mul64(low, prime)
		high, low = high*prime+low<<shift+carry, product
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, high), low)
}

// castagnoli is the table for CRC-32C, which processors have an instruction to compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrUnusable is wrapped by every error of Open and CheckHead: the file is not an index,
// is damaged, or has another version.
var ErrUnusable = errors.New("index cannot be used")

func unusable(reason ...string) error { return unusableError(strings.Join(reason, "")) }

// badSection returns the error for a damaged section.
func badSection(name, what string) error {
	return unusable("damaged: the section ", strconv.Quote(name), " ", what)
}

// unusableError is an ErrUnusable with a reason. The code that opens and queries an index avoids
// package fmt, which would make the WebAssembly program larger.
type unusableError string

// Error implements error.
func (e unusableError) Error() string { return ErrUnusable.Error() + ": " + string(e) }

// Unwrap implements errors.Unwrap.
func (e unusableError) Unwrap() error { return ErrUnusable }

// sections maps the names of sections to their contents.
type sections map[string][]byte

// section is a section of a file to be written.
type section struct {
	name    string
	content []byte
	parts   *parts // instead of content
}

// inOrder returns the sections in fileOrder.
func (s sections) inOrder(inParts map[string]*parts) (list []section) {
	for _, name := range fileOrder {
		content, ok := s[name]
		if parts := inParts[name]; ok || parts != nil {
			list = append(list, section{name, content, parts})
		}
	}
	return list
}

// size returns the length of the section.
func (s *section) size() uint64 {
	if s.parts != nil {
		return s.parts.size()
	}
	return uint64(len(s.content))
}

// blocks returns the number of blocks.
func (s *section) blocks() int { return int((s.size() + blockSize - 1) / blockSize) }

// block returns a block.
func (s *section) block(i int) ([]byte, error) {
	if s.parts != nil {
		return s.parts.block(i)
	}
	return s.content[i*blockSize : min((i+1)*blockSize, len(s.content))], nil
}

// sum returns the checksum of a section and, if hashed is set, the hashes of its blocks. It reads
// the blocks in parallel.
func (s *section) sum(hashed bool) (checksum uint32, hashes []byte, err error) {
	n := s.blocks()
	checksums, each, errs := make([]uint32, n), make([][]byte, n), make([]error, n)
	parallel.All(n, func(i int) {
		var block []byte
		if block, errs[i] = s.block(i); errs[i] != nil {
			return
		}
		checksums[i] = crc(block)
		if hashed {
			each[i] = appendHash(nil, block)
		}
	})
	return crc(appendNumbers(nil, checksums)), slices.Concat(each...), errors.Join(errs...)
}

// checksum returns the checksum of a section in memory.
func checksum(content []byte) uint32 {
	sum, _, _ := (&section{content: content}).sum(false) // no error: nothing is read
	return sum
}

func align(offset uint64) uint64 { return (offset + alignment - 1) / alignment * alignment }

// fileOf returns the parts of a file of sections in memory: the header, the table of contents and
// the sections.
func fileOf(list []section) (parts [][]byte) {
	// No error: nothing is read, and visit returns none.
	_ = eachPart(list, func(part []byte) error {
		parts = append(parts, part)
		return nil
	})
	return parts
}

// eachPart visits the parts of a file until visit returns an error.
func eachPart(list []section, visit func(part []byte) error) error {
	head, err := headOf(list)
	if err != nil {
		return err
	}
	if err := visit(head); err != nil {
		return err
	}
	written := uint64(len(head))
	for i := range list {
		s := &list[i]
		if err := visit(make([]byte, align(written)-written)); err != nil {
			return err
		}
		written = align(written) + s.size()
		if s.parts == nil {
			if err := visit(s.content); err != nil {
				return err
			}
			continue
		}
		for b := range s.blocks() {
			block, err := s.block(b)
			if err != nil {
				return err
			}
			if err := visit(block); err != nil {
				return err
			}
		}
	}
	return nil
}

// headOf returns the header and the table of contents of a file.
func headOf(list []section) ([]byte, error) {
	var toc, hashes []byte
	offset := align(uint64(headerSize + tocEntrySize*len(list) + 4))
	for i := range list {
		s := &list[i]
		var name [nameSize]byte
		copy(name[:], s.name)
		sum, blockHashes, err := s.sum(true)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, blockHashes...)
		length := s.size()
		toc = append(toc, name[:]...)
		toc = binary.LittleEndian.AppendUint64(toc, offset)
		toc = binary.LittleEndian.AppendUint64(toc, length)
		toc = binary.LittleEndian.AppendUint32(toc, sum)
		toc = binary.LittleEndian.AppendUint32(toc, 0)
		offset = align(offset + length)
	}
	head := []byte(magic)
	head = binary.LittleEndian.AppendUint32(head, FormatVersion)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(list)))
	head = append(appendHash(head, hashes), toc...)
	return binary.LittleEndian.AppendUint32(head, crc(head)), nil
}

// tocEntry is an entry of the table of contents.
type tocEntry struct {
	name           string
	offset, length uint64
	checksum       uint32
}

// readTOC reads and checks the table of contents of a file of size bytes. It also returns the
// identity. start has the first maxTocSize bytes of the file, or all of a shorter file.
func readTOC(start []byte, size uint64) ([]tocEntry, string, error) {
	if len(start) < headerSize+4 || !bytes.Equal(start[:8], []byte(magic)) {
		return nil, "", unusable("this is not an index file")
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != FormatVersion {
		release := "an older release of catalog wrote it, so build again with this program"
		if v > FormatVersion {
			release = "a newer release of catalog wrote it, so update this program, or build again with it"
		}
		return nil, "", unusable("it has format version ", strconv.FormatUint(uint64(v), 10),
			" and this program reads version ", strconv.Itoa(FormatVersion), ": ", release)
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
			return nil, "", unusable("damaged: it has ", strconv.FormatUint(surplus, 10), " extra bytes")
		}
	}
	return entries, hex.EncodeToString(start[identityStart:headerSize]), nil
}

// HeadSize is how many bytes from the start of a file CheckHead needs.
const HeadSize = maxTocSize

// CheckHead returns an error that wraps ErrUnusable if a file of size bytes cannot be an index.
// head has the first HeadSize bytes of the file, or all of a shorter file.
func CheckHead(head []byte, size int64) error {
	_, _, err := readTOC(head, uint64(size))
	return err
}

// Open checks all bytes of an index file and returns its Index. The bytes must not change while the
// Index is reachable; no answer shares memory with them. Whatever the bytes, neither Open nor the
// Index panics. Errors wrap ErrUnusable.
func Open(file []byte) (*Index, error) {
	s, identity, err := readSections(file)
	if err != nil {
		return nil, err
	}
	return newIndex(s, identity, int64(len(file)))
}

// readSections checks the sections of a file, and returns them with the file's identity. The bytes
// between sections must be zeros.
func readSections(file []byte) (sections, string, error) {
	entries, identity, err := readTOC(file[:min(len(file), maxTocSize)], uint64(len(file)))
	if err != nil {
		return nil, "", err
	}
	s := sections{}
	before := uint64(headerSize + tocEntrySize*len(entries) + 4)
	for _, e := range entries {
		end := e.offset + e.length
		content := file[e.offset:end:end]
		if checksum(content) != e.checksum {
			return nil, "", badSection(e.name, "does not match its checksum")
		}
		if len(bytes.Trim(file[before:e.offset], "\x00")) > 0 {
			return nil, "", badSection(e.name, "has bytes other than zero before it")
		}
		if s[e.name] != nil {
			return nil, "", badSection(e.name, "occurs twice")
		}
		s[e.name] = content
		before = end
	}
	return s, identity, nil
}

// between returns the bytes of body between the i-th offset and the next. Offsets have 4 bytes and
// count units of the given size. It returns nil if they are invalid, as they may be in a damaged
// file.
func between(offsets, body []byte, i, unit int) []byte {
	from, to := binary.LittleEndian.Uint32(offsets[4*i:]), binary.LittleEndian.Uint32(offsets[4*i+4:])
	if end := uint64(to) * uint64(unit); from <= to && end <= uint64(len(body)) {
		return body[int(from)*unit : end]
	}
	return nil
}

// Number reads a number of 4 bytes. The result is never negative: where an int has 4 bytes too,
// numbers that do not fit, which occur only in damaged files, become the largest int.
func Number(b []byte) int {
	return int(min(uint64(binary.LittleEndian.Uint32(b)), math.MaxInt))
}

// crc returns the CRC-32C of b.
func crc(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
