package index

import (
	"encoding/binary"
	"maps"
	"math"
	"runtime"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// codec encodes values as bytes, or decodes them. Each method does both, so that encoder and
// decoder cannot disagree. Encoding does not change values. The codec replaces encoding/json and
// reflection, which would make the WebAssembly program larger.
type codec struct {
	bytes    []byte // encoded so far, or left to decode
	decoding bool
	invalid  bool // the bytes do not decode
	// shared has the texts and lists of texts that were decoded already, by their bytes, in tables in which
	// the same ones occur thousands of times. It is nil elsewhere.
	shared *sharedTexts
}

// sharedTexts are texts and lists of texts that several values share, so that they take less memory. Whoever
// holds a list must not change its elements.
type sharedTexts struct {
	texts map[string]string
	lists map[string][]string
}

// canShare is not set in browsers, which load the program over the network: there its size matters more than the
// memory of the index.
const canShare = runtime.GOARCH != "wasm"

func (c *codec) share() { c.shared = &sharedTexts{map[string]string{}, map[string][]string{}} }

// encode returns the bytes of the value that a pointer points to.
func encode(pointer any) []byte {
	var c codec
	c.value(pointer)
	return c.bytes
}

// decode decodes all of b into the value that a pointer points to, and reports whether b is valid.
// Whatever b is, decode does not panic. It uses less than 200 times the memory of b: a single byte
// may decode to a whole slice header.
func decode(b []byte, pointer any) (ok bool) {
	c := codec{bytes: b, decoding: true}
	c.value(pointer)
	return !c.invalid && len(c.bytes) == 0
}

// values encodes or decodes the values that pointers point to.
func (c *codec) values(pointers ...any) {
	for _, p := range pointers {
		c.value(p)
	}
}

// value encodes or decodes the value that a pointer points to. Types that are not listed here are
// in ofTaxonomy or ofHardware.
func (c *codec) value(pointer any) {
	switch v := pointer.(type) {
	case *string:
		c.text(v)
	case *bool:
		c.boolean(v)
	case *int:
		c.integer(v)
	case *uint32:
		c.unsigned(v)
	case *float64:
		c.number(v)
	case *[]uint32:
		c.numbers(v)
	case *[]float64:
		visitList(c, v)
	case *[]string:
		c.texts(v)
	case *[][]string:
		visitList(c, v)
	case *[][][]string:
		visitList(c, v)
	case *map[string]string:
		visitMap(c, v)
	case *map[string][]string:
		visitMap(c, v)
	case *map[string]bool:
		visitMap(c, v)
	case **float64:
		visitOptional(c, v)
	case **string:
		visitOptional(c, v)
	case **bool:
		visitOptional(c, v)
	case *facetTables:
		c.share()
		c.values(&v.Categories, &v.Platforms, &v.Licenses, &v.Facts)
	case *compactWords:
		c.values(&v.shared, &v.lengths, &v.cuts, &v.endingLengths, &v.counts, &v.docs, &v.categories, &v.rest,
			&v.endings, &v.categoryCount)
	case *compactDocs:
		c.values(&v.heads, &v.words, &v.terms, &v.classes)
	case *site.Settings:
		c.settings(v)
	default:
		c.ofTaxonomy(pointer)
	}
}

// settings leaves out the settings that only builds need: an index on a static host must not reveal
// the owner's folders.
func (c *codec) settings(s *site.Settings) {
	c.values(&s.Title, &s.Description, &s.Lang, &s.Contact, &s.BaseURL, &s.Search, &s.SearchURL, &s.SandboxKey,
		&s.DataLicense, &s.WebMCPOriginTrial, &s.AnonymousPerMinute, &s.SandboxPerMinute, &s.Include, &s.Exclude,
		&s.Jobs, &s.Without, &s.Optional, &s.Keep, &s.AccessLog)
}

// ofTaxonomy does the same for a taxonomy and its parts.
func (c *codec) ofTaxonomy(pointer any) {
	switch v := pointer.(type) {
	case *api.Taxonomy:
		visitList(c, &v.Categories)
		visitList(c, &v.Platforms)
		visitList(c, &v.Products)
		c.value(&v.Synonyms)
		visitList(c, &v.Facts)
		c.values(&v.Hardware, &v.Models, &v.Words)
		visitList(c, &v.Translations)
	case *api.Category:
		c.values(&v.Slug, &v.Name, &v.Description, &v.Group, &v.Formerly, &v.Asks)
	case *api.Platform:
		c.values(&v.Slug, &v.Name, &v.System, &v.GPUVendors, &v.On, &v.Client, &v.Suggested, &v.Formerly)
	case *api.Product:
		c.values(&v.Slug, &v.Name, &v.Aliases, &v.Maker, &v.Misses, &v.Formerly)
	case *api.Language:
		c.values(&v.Code, &v.Name, &v.Spaceless, &v.Endings) // the rest: see translationLists
	case *api.Words:
		c.values(&v.Constraints, &v.Shortlist, &v.Filler, &v.Weak, &v.Technical, &v.Languages, &v.Licenses)
	case *api.Fact:
		c.values(&v.Key, (*string)(&v.Kind), &v.Label, &v.Group, &v.Meaning)
		visitList(c, &v.Values)
		c.values(&v.Unit, &v.Least, &v.Most, &v.Currency, &v.Inverse, (*string)(&v.Sort),
			&v.Chip)
		visitOptional(c, &v.Filter)
		c.values(&v.Asked, &v.Suggested, &v.Searched, &v.Sourced, &v.Everyday, &v.Checks.NotAbove, &v.Checks.Needs,
			&v.Checks.Links, &v.Checks.OSIApproved)
		visitOptional(c, &v.Derived)
		c.values(&v.Follows, &v.Suits, &v.Matters, &v.Cost)
	case *api.FactOption:
		c.values(&v.Slug, &v.Label)
	case *api.FactFilter:
		c.values(&v.Parameter, &v.Described, &v.Zero, &v.One, &v.Matches, &v.Match, &v.Labels)
	default:
		c.ofHardware(pointer)
	}
}

// ofHardware does the same for the types of package hardware.
func (c *codec) ofHardware(pointer any) {
	switch v := pointer.(type) {
	case *hardware.Table:
		w := &v.Words
		c.values(&v.Sizes.RAMGb, &v.Sizes.VRAMGb, &w.RAM, &w.VRAM, &w.Disk, &w.Computer, &w.Brand, &w.Vague,
			&w.Product, &w.Card, &w.Printed, &w.Variant, &w.Elsewhere, &w.Other, &w.CardOf, &w.System, &w.Filter)
		visitList(c, &v.Devices)
	case *hardware.Device:
		c.values(&v.Name, &v.Kind, &v.Vendor, &v.Arch, &v.System, &v.Source, &v.Aliases, &v.MemoryGb, &v.Unified)
		visitList(c, &v.Shares)
	case *hardware.Share:
		c.values(&v.FromGb, &v.Share, &v.Source)
	case *hardware.Models:
		c.values(&v.ContextTokens, &v.ProcessGb, &v.Measured, &v.Keeps.RAMGb, &v.Keeps.VRAMGb, &v.Keeps.Because,
			&v.Keeps.Source)
		visitList(c, &v.Sizes)
		visitList(c, &v.Computers)
	case *hardware.ModelSize:
		c.values(&v.Name, &v.Parameters, &v.Bits, &v.Layers, &v.Heads, &v.HeadSize, &v.MeasuredGb, &v.Model, &v.Source)
	case *hardware.Computer:
		c.values(&v.Slug, &v.Name, &v.Device, &v.RAMGb, &v.VRAMGb, &v.GPUVendor, &v.System)
	case *hardware.Derivation:
		c.values(&v.Of, &v.Level)
	case *[]hardware.Needs:
		c.share()
		visitList(c, v)
	case *hardware.Needs:
		c.values(&v.GPU, &v.Arch, &v.GPUVendors, &v.Systems, &v.Own)
		visitList(c, &v.Setups)
		visitOptional(c, &v.Estimate)
	case *hardware.Setup: // only the fields that verdicts and brief hits depend on
		isMeasured, startedOnly := v.Measured != nil, v.StartedOnly()
		c.values(&v.Level, &v.RAMGb, &v.VRAMGb, &v.System, &v.GPUVendor, &v.ModelsElsewhere, &isMeasured, &startedOnly)
		if c.decoding && isMeasured {
			v.Measured = &hardware.Measured{}
			if !startedOnly {
				v.Measured.Job = new(string)
			}
		}
	case *hardware.Estimate:
		c.values(&v.RAMGb, &v.VRAMGb)
	default:
		panic("index: the codec does not know a type")
	}
}

func (c *codec) integer(n *int) {
	if !c.decoding {
		c.bytes = binary.AppendVarint(c.bytes, int64(*n))
		return
	}
	read, size := binary.Varint(c.bytes)
	if size <= 0 || int64(int(read)) != read {
		c.fail()
		return
	}
	*n, c.bytes = int(read), c.bytes[size:]
}

// unsigned takes fewer bytes than integer for numbers that are never negative.
func (c *codec) unsigned(n *uint32) {
	if !c.decoding {
		c.bytes = binary.AppendUvarint(c.bytes, uint64(*n))
		return
	}
	if len(c.bytes) > 0 && c.bytes[0] < 0x80 { // true of most numbers
		*n, c.bytes = uint32(c.bytes[0]), c.bytes[1:]
		return
	}
	read, size := binary.Uvarint(c.bytes)
	if size <= 0 || read > math.MaxUint32 {
		c.fail()
		return
	}
	*n, c.bytes = uint32(read), c.bytes[size:]
}

// numbers does what visitList would do with unsigned, but decodes faster.
func (c *codec) numbers(list *[]uint32) {
	n, ok := c.length(len(*list), *list == nil)
	if !c.decoding {
		for i := range *list {
			c.unsigned(&(*list)[i])
		}
		return
	}
	*list = nil
	if !ok {
		return
	}
	numbers := make([]uint32, n) // length has checked n: each number takes at least a byte
	for i := range numbers {
		c.unsigned(&numbers[i])
	}
	if !c.invalid {
		*list = numbers
	}
}

// fail ends decoding.
func (c *codec) fail() { c.invalid, c.bytes = true, nil }

// length encodes or decodes the length of a text, list or map: 1 + length, or 0 for nil. It fails
// if fewer bytes are left than elements, each of which takes at least one.
func (c *codec) length(length int, isNil bool) (n int, ok bool) {
	n = length + 1
	if isNil {
		n = 0
	}
	c.integer(&n)
	if n < 0 || c.decoding && n-1 > len(c.bytes) {
		c.fail()
	}
	if n <= 0 || c.invalid {
		return 0, false
	}
	return n - 1, true
}

func (c *codec) text(s *string) {
	n, _ := c.length(len(*s), false)
	if !c.decoding {
		c.bytes = append(c.bytes, *s...)
		return
	}
	read := c.bytes[:n]
	c.bytes = c.bytes[n:]
	if !canShare || c.shared == nil {
		*s = string(read)
		return
	}
	known, ok := c.shared.texts[string(read)]
	if !ok {
		known = string(read)
		c.shared.texts[known] = known
	}
	*s = known
}

// texts does what visitList would do with text. A list that was decoded before is not decoded again.
func (c *codec) texts(list *[]string) {
	if !canShare || !c.decoding || c.shared == nil {
		visitList(c, list)
		return
	}
	rest := codec{bytes: c.bytes, decoding: true}
	for n, _ := rest.length(0, false); n > 0 && !rest.invalid; n-- {
		size, _ := rest.length(0, false)
		rest.bytes = rest.bytes[size:]
	}
	key := c.bytes[:len(c.bytes)-len(rest.bytes)]
	known, ok := c.shared.lists[string(key)]
	if ok {
		*list, c.bytes = known, rest.bytes
		return
	}
	if visitList(c, list); !c.invalid {
		c.shared.lists[string(key)] = *list
	}
}

func (c *codec) boolean(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	c.integer(&n)
	if c.decoding {
		*b = n != 0
	}
}

func (c *codec) number(f *float64) {
	if !c.decoding {
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, math.Float64bits(*f))
		return
	}
	if len(c.bytes) < 8 {
		c.fail()
		return
	}
	*f, c.bytes = math.Float64frombits(binary.LittleEndian.Uint64(c.bytes)), c.bytes[8:]
	if math.IsNaN(*f) || math.IsInf(*f, 0) { // JSON cannot represent these
		c.fail()
	}
}

func visitList[T any](c *codec, list *[]T) {
	n, ok := c.length(len(*list), *list == nil)
	if !c.decoding {
		for i := range *list {
			c.value(&(*list)[i])
		}
		return
	}
	*list = nil
	if ok {
		*list = []T{}
	}
	for i := 0; i < n && !c.invalid; i++ {
		var zero T
		*list = append(*list, zero)
		c.value(&(*list)[i])
	}
}

// visitMap encodes the entries in the order of their keys.
func visitMap[T any](c *codec, m *map[string]T) {
	n, ok := c.length(len(*m), *m == nil)
	if !c.decoding {
		for _, key := range slices.Sorted(maps.Keys(*m)) {
			value := (*m)[key]
			c.text(&key)
			c.value(&value)
		}
		return
	}
	*m = nil
	if ok {
		*m = map[string]T{}
	}
	for i := 0; i < n && !c.invalid; i++ {
		var key string
		var value T
		c.text(&key)
		c.value(&value)
		(*m)[key] = value
	}
}

func visitOptional[T any](c *codec, p **T) {
	ok := *p != nil
	c.boolean(&ok)
	if !ok {
		return
	}
	if c.decoding {
		*p = new(T)
	}
	c.value(*p)
}
