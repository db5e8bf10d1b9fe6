package hardware

import "slices"

// Sizes are the sizes in which memory is sold, in gigabytes, ascending. A machine reports a
// little less than its label says.
type Sizes struct {
	RAMGb  []float64 `json:"ramGb"`
	VRAMGb []float64 `json:"vramGb"`
}

// SizeReader reads the figures of machines as the sizes that they are sold in.
type SizeReader struct {
	sizes   *Sizes
	unified []string // see Table.UnifiedVendors
}

// SizeReader returns the reader of the table's sizes.
func (t *Table) SizeReader() SizeReader { return SizeReader{&t.Sizes, t.UnifiedVendors()} }

// Read returns the machine with each figure rounded to a size that is sold (see ReadSize). It
// keeps the part of unified memory that a GPU may use, because that is not sold in sizes.
func (r *SizeReader) Read(m Machine) Machine {
	read := func(figure *float64, sizes []float64) *float64 {
		if figure == nil {
			return nil
		}
		gb := ReadSize(*figure, sizes)
		return &gb
	}
	m.RAMGb = read(m.RAMGb, r.sizes.RAMGb)
	if !slices.Contains(r.unified, m.GPUVendor) {
		m.VRAMGb = read(m.VRAMGb, r.sizes.VRAMGb)
	}
	return m
}

// ReadSize returns the size that a reported figure stands for. sizes are ascending. If the
// figure is not a size and lies at most a tenth or 1 GB below the next size (0.3 GB if the
// figure is below 3 GB), that size is returned. Otherwise the figure is.
func ReadSize(gb float64, sizes []float64) float64 {
	i, isSize := slices.BinarySearch(sizes, gb)
	if isSize || gb == 0 || i == len(sizes) {
		return gb
	}
	missing := max(1, sizes[i]/10)
	if gb < 3 {
		missing = 0.3
	}
	if sizes[i]-gb <= missing+1e-9 {
		return sizes[i]
	}
	return gb
}
