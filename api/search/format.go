package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"catalog.example/api"
)

// The index file.
//
//	offset  bytes  what
//	0       8      magic "CATALOG\n"
//	8       4      format version, little-endian like every number here
//	12      4      number of sections
//	16      32     SHA-256 of all sections in order: the identity of the index
//	48      24 n   table of contents: for each section its kind (4 bytes),
//	               CRC-32C (4), offset from the start of the file (8), length (8)
//	48+24n  4      CRC-32C of everything before
//	…              the sections, in the table's order, without gaps
//
// FormatVersion history:
//
//	1  settings, taxonomy and listings as JSON; words are indexed on opening
const FormatVersion = 1

const (
	magic        = "CATALOG\n"
	headerSize   = 48
	tocEntrySize = 24
	maxSections  = 64
)

// The kinds of sections.
const (
	sectionSettings = 1 // api.Settings as JSON
	sectionTaxonomy = 2 // api.Taxonomy as JSON
	sectionProjects = 3 // a JSON array of api.ProjectDetail, most popular first
)

// castagnoli is the polynomial of CRC-32C, for which processors have an
// instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// FileName is where an index lies below the build output.
const FileName = "api/v1/search.idx"

// ErrUnusable is wrapped by every error of Open and Read: the index is missing,
// damaged or of another version.
var ErrUnusable = errors.New("index cannot be used")

func unusable(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnusable}, args...)...)
}

// Encode returns the index file of a catalog. The same catalog gives the same
// bytes.
func Encode(c Catalog) ([]byte, error) {
	projects := popularOrder(c.Projects)
	var contents [3][]byte
	for i, value := range []any{c.Settings, c.Taxonomy, projects} {
		b, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode the index: %w", err)
		}
		contents[i] = b
	}
	kinds := []uint32{sectionSettings, sectionTaxonomy, sectionProjects}

	tocEnd := headerSize + tocEntrySize*len(kinds)
	offset := uint64(tocEnd + 4)
	identity := sha256.New()
	file := []byte(magic)
	file = binary.LittleEndian.AppendUint32(file, FormatVersion)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(kinds)))
	for _, content := range contents {
		identity.Write(content)
	}
	file = identity.Sum(file)
	for i, content := range contents {
		file = binary.LittleEndian.AppendUint32(file, kinds[i])
		file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(content, castagnoli))
		file = binary.LittleEndian.AppendUint64(file, offset)
		file = binary.LittleEndian.AppendUint64(file, uint64(len(content)))
		offset += uint64(len(content))
	}
	file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(file, castagnoli))
	for _, content := range contents {
		file = append(file, content...)
	}
	return file, nil
}

// Open reads the index of a build output folder.
func Open(publicDir string) (*Index, error) {
	path := filepath.Join(publicDir, filepath.FromSlash(FileName))
	file, err := os.ReadFile(path) // #nosec G304 -- the operator names the folder
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, unusable("%s does not exist; run: catalog build --out %s", path, publicDir)
	case err != nil:
		return nil, unusable("%v", err)
	}
	ix, err := Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; run: catalog build --out %s", path, err, publicDir)
	}
	return ix, nil
}

// Decode checks the bytes of an index file whole and makes an Index of them.
// Whatever the bytes hold, it returns an error or an Index, and never panics.
func Decode(file []byte) (*Index, error) {
	sections, err := readSections(file)
	if err != nil {
		return nil, err
	}
	var c Catalog
	for _, s := range []struct {
		kind uint32
		into any
		name string
	}{
		{sectionSettings, &c.Settings, "settings"},
		{sectionTaxonomy, &c.Taxonomy, "taxonomy"},
		{sectionProjects, &c.Projects, "listings"},
	} {
		content, ok := sections[s.kind]
		if !ok {
			return nil, unusable("damaged: the section of %s is missing", s.name)
		}
		if err := json.Unmarshal(content, s.into); err != nil {
			return nil, unusable("damaged: the section of %s does not decode", s.name)
		}
	}
	if problems := c.Settings.Check(); len(problems) > 0 {
		return nil, unusable("damaged: setting %s %s", problems[0].Key, problems[0].Message)
	}
	identity := hex.EncodeToString(file[16:32])
	return newIndex(c, identity)
}

// readSections checks header, table and checksums, and returns the sections by
// kind.
func readSections(file []byte) (map[uint32][]byte, error) {
	if len(file) < headerSize+4 || !bytes.Equal(file[:8], []byte(magic)) {
		return nil, unusable("this is not an index file")
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != FormatVersion {
		return nil, unusable("it has format version %d and this program reads version %d", v, FormatVersion)
	}
	n := binary.LittleEndian.Uint32(file[12:])
	if n > maxSections {
		return nil, unusable("damaged: it claims %d sections", n)
	}
	tocEnd := headerSize + tocEntrySize*int(n)
	if len(file) < tocEnd+4 {
		return nil, unusable("damaged: it is cut short")
	}
	if crc32.Checksum(file[:tocEnd], castagnoli) != binary.LittleEndian.Uint32(file[tocEnd:]) {
		return nil, unusable("damaged: the table of contents does not match its checksum")
	}
	sections := make(map[uint32][]byte, n)
	next := uint64(tocEnd + 4)
	for entry := file[headerSize:tocEnd]; len(entry) > 0; entry = entry[tocEntrySize:] {
		kind, sum := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[4:])
		offset, length := binary.LittleEndian.Uint64(entry[8:]), binary.LittleEndian.Uint64(entry[16:])
		if offset != next || length > uint64(len(file))-offset {
			return nil, unusable("damaged: it is cut short")
		}
		content := file[offset : offset+length]
		if crc32.Checksum(content, castagnoli) != sum {
			return nil, unusable("damaged: section %d does not match its checksum", kind)
		}
		sections[kind] = content
		next = offset + length
	}
	if next != uint64(len(file)) {
		return nil, unusable("damaged: it has %d bytes too many", uint64(len(file))-next)
	}
	return sections, nil
}

// popularOrder returns the projects in the order of sort=popular.
func popularOrder(projects []api.ProjectDetail) []api.ProjectDetail {
	sorted := make([]api.ProjectDetail, len(projects))
	for i, p := range projects {
		sorted[i] = p.Normalized()
	}
	slices.SortStableFunc(sorted, func(a, b api.ProjectDetail) int { return ComparePopular(&a.Project, &b.Project) })
	return sorted
}
