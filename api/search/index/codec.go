package index

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
)

// codec encodes values as bytes, or decodes them. Each function below visits the parts of
// one type in both directions, so that encoder and decoder cannot differ. Encoding changes
// no value. It is used instead of encoding/json, whose reflection would make the
// WebAssembly program much larger.
type codec struct {
	bytes    []byte // encoded so far, or left to decode
	decoding bool
	invalid  bool // the bytes do not decode
}

// encode returns the bytes of a value.
func encode[T any](value *T, visit func(*codec, *T)) []byte {
	var c codec
	visit(&c, value)
	return c.bytes
}

// decode decodes all of b into value and reports whether b is valid. For any b it does not
// panic, and uses less than 200 times the memory of b: one byte may be a nil list.
func decode[T any](b []byte, value *T, visit func(*codec, *T)) (ok bool) {
	c := codec{bytes: b, decoding: true}
	visit(&c, value)
	return !c.invalid && len(c.bytes) == 0
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

// unsigned is smaller than integer for numbers that are never negative.
func (c *codec) unsigned(n *uint32) {
	if !c.decoding {
		c.bytes = binary.AppendUvarint(c.bytes, uint64(*n))
		return
	}
	if len(c.bytes) > 0 && c.bytes[0] < 0x80 { // most numbers are below 128
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

// numbers is a list of unsigned, which it decodes faster than visitList.
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
	numbers := make([]uint32, n) // each takes a byte or more: length checks it
	for i := range numbers {
		c.unsigned(&numbers[i])
	}
	if !c.invalid {
		*list = numbers
	}
}

// fail ends decoding.
func (c *codec) fail() { c.invalid, c.bytes = true, nil }

// length visits the length of a text, list or map, encoded as 1 + length, or 0 for nil.
// Each element takes at least one byte.
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
	*s, c.bytes = string(c.bytes[:n]), c.bytes[n:]
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
	if math.IsNaN(*f) || math.IsInf(*f, 0) { // JSON has no such numbers
		c.fail()
	}
}

func visitList[T any](c *codec, list *[]T, visit func(*codec, *T)) {
	n, ok := c.length(len(*list), *list == nil)
	if !c.decoding {
		for i := range *list {
			visit(c, &(*list)[i])
		}
		return
	}
	*list = nil
	if ok {
		*list = []T{}
	}
	for i := 0; i < n && !c.invalid; i++ {
		var value T
		visit(c, &value)
		*list = append(*list, value)
	}
}

// visitMap visits the entries in the order of their keys.
func visitMap[T any](c *codec, m *map[string]T, visit func(*codec, *T)) {
	n, ok := c.length(len(*m), *m == nil)
	if !c.decoding {
		for _, key := range slices.Sorted(maps.Keys(*m)) {
			value := (*m)[key]
			c.text(&key)
			visit(c, &value)
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
		visit(c, &value)
		(*m)[key] = value
	}
}

func visitOptional[T any](c *codec, p **T, visit func(*codec, *T)) {
	ok := *p != nil
	c.boolean(&ok)
	if !ok {
		return
	}
	if c.decoding {
		*p = new(T)
	}
	visit(c, *p)
}

func visitTexts(c *codec, list *[]string) { visitList(c, list, (*codec).text) }

func visitTextSets(c *codec, list *[][]string) { visitList(c, list, visitTexts) }

func visitTextMap(c *codec, m *map[string]string) { visitMap(c, m, (*codec).text) }

func visitTextsMap(c *codec, m *map[string][]string) { visitMap(c, m, visitTexts) }

// visitSettings leaves out Overrides, Static, ReportURL, SuggestURL, Rules and Shares: only
// builds need them, and an index on a static host must not reveal the owner's folders.
func visitSettings(c *codec, s *site.Settings) {
	for _, text := range []*string{
		&s.Title, &s.Description, &s.Lang, &s.Contact, &s.BaseURL, &s.Search, &s.SearchURL, &s.SandboxKey,
		&s.DataLicense, &s.WebMCPOriginTrial,
	} {
		c.text(text)
	}
	c.integer(&s.AnonymousPerMinute)
	c.integer(&s.SandboxPerMinute)
	for _, list := range []*[]string{&s.Include, &s.Exclude, &s.Jobs, &s.Without, &s.Optional, &s.Keep} {
		visitTexts(c, list)
	}
}

func visitTaxonomy(c *codec, t *api.Taxonomy) {
	visitList(c, &t.Categories, visitCategory)
	visitList(c, &t.Platforms, visitPlatform)
	visitList(c, &t.Products, visitProduct)
	visitTextSets(c, &t.Synonyms)
	visitList(c, &t.Facts, visitFact)
	visitHardware(c, &t.Hardware)
	visitWords(c, &t.Words)
}

func visitCategory(c *codec, v *api.Category) {
	c.text(&v.Slug)
	c.text(&v.Name)
	c.text(&v.Description)
	c.text(&v.Group)
	visitTexts(c, &v.Formerly)
	visitTexts(c, &v.Asks)
}

func visitPlatform(c *codec, v *api.Platform) {
	c.text(&v.Slug)
	c.text(&v.Name)
	c.boolean(&v.System)
	visitTexts(c, &v.GPUVendors)
	visitTexts(c, &v.On)
	c.boolean(&v.Client)
	visitTexts(c, &v.Suggested)
	visitTexts(c, &v.Formerly)
}

func visitProduct(c *codec, v *api.Product) {
	c.text(&v.Slug)
	c.text(&v.Name)
	visitTexts(c, &v.Aliases)
	c.text(&v.Maker)
	c.text(&v.Misses)
	visitTexts(c, &v.Formerly)
}

func visitWords(c *codec, v *api.Words) {
	c.text(&v.Constraints)
	c.text(&v.Shortlist)
	visitTexts(c, &v.Filler)
	visitTexts(c, &v.Weak)
	visitTexts(c, &v.Technical)
	visitTextsMap(c, &v.Languages)
	visitTextsMap(c, &v.Licenses)
}

func visitHardware(c *codec, t *hardware.Table) {
	visitList(c, &t.Sizes.RAMGb, (*codec).number)
	visitList(c, &t.Sizes.VRAMGb, (*codec).number)
	w := &t.Words
	for _, list := range []*[]string{
		&w.RAM, &w.VRAM, &w.Disk, &w.Computer, &w.Brand, &w.Vague, &w.Product, &w.Card, &w.Printed, &w.Variant,
		&w.Elsewhere, &w.Other,
	} {
		visitTexts(c, list)
	}
	for _, lists := range []*map[string][]string{&w.CardOf, &w.System, &w.Filter} {
		visitTextsMap(c, lists)
	}
	visitList(c, &t.Devices, visitDevice)
}

func visitDevice(c *codec, d *hardware.Device) {
	for _, text := range []*string{&d.Name, &d.Kind, &d.Vendor, &d.Arch, &d.System, &d.Source} {
		c.text(text)
	}
	visitTexts(c, &d.Aliases)
	visitList(c, &d.MemoryGb, (*codec).number)
	c.boolean(&d.Unified)
	visitList(c, &d.Shares, func(c *codec, s *hardware.Share) {
		c.number(&s.FromGb)
		c.number(&s.Share)
		c.text(&s.Source)
	})
}

func visitFact(c *codec, f *api.Fact) {
	c.text(&f.Key)
	c.text((*string)(&f.Kind))
	c.text(&f.Label)
	c.text(&f.Group)
	c.text(&f.Meaning)
	visitList(c, &f.Values, func(c *codec, o *api.FactOption) {
		c.text(&o.Slug)
		c.text(&o.Label)
	})
	c.text(&f.Unit)
	visitOptional(c, &f.Least, (*codec).number)
	visitOptional(c, &f.Most, (*codec).number)
	visitTextMap(c, &f.Chip)
	visitOptional(c, &f.Filter, visitFilter)
	visitTextsMap(c, &f.Asked)
	visitTextsMap(c, &f.Suggested)
	c.boolean(&f.Sourced)
	c.boolean(&f.Everyday)
	c.text(&f.Checks.NotAbove)
	visitTextsMap(c, &f.Checks.Needs)
	visitTexts(c, &f.Checks.Links)
	visitMap(c, &f.Checks.OSIApproved, (*codec).boolean)
	visitOptional(c, &f.Derived, func(c *codec, d *hardware.Derivation) {
		c.text(&d.Of)
		c.text(&d.Level)
	})
}

func visitFilter(c *codec, f *api.FactFilter) {
	c.text(&f.Parameter)
	visitOptional(c, &f.Described, (*codec).boolean)
	visitTexts(c, &f.Zero)
	visitTexts(c, &f.One)
	visitTextsMap(c, &f.Matches)
	c.text(&f.Match)
	visitTextMap(c, &f.Labels)
}

func visitFacetTables(c *codec, t *facetTables) {
	visitTexts(c, &t.Categories)
	visitTextSets(c, &t.Platforms)
	visitTextSets(c, &t.Licenses)
	visitList(c, &t.Facts, visitTextSets)
}
