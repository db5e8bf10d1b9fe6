package hardware

import "slices"

// Sizes lists the sizes in which memory is sold, in gigabytes, ascending. A machine reports a
// little less than its label says.
type Sizes struct {
	RAMGb  []float64 `json:"ramGb"`
	VRAMGb []float64 `json:"vramGb"`
}

// SizeReader rounds the memory figures of machines to sizes that are sold.
type SizeReader struct {
	sizes   *Sizes
	unified []string // see Table.UnifiedVendors
}

// SizeReader returns a reader for the sizes of the table.
func (t *Table) SizeReader() SizeReader { return SizeReader{&t.Sizes, t.UnifiedVendors()} }

// IsUnified reports whether the GPU of the machine uses the main memory, whatever its device.
func (r *SizeReader) IsUnified(m *Machine) bool { return slices.Contains(r.unified, m.GPUVendor) }

// Read returns the machine with each figure rounded to a size that is sold (see ReadSize). It does
// not change VRAMGb if the GPU uses the main memory: that share of the memory is not sold in sizes.
func (r *SizeReader) Read(m Machine) Machine {
	read := func(figure *float64, sizes []float64) *float64 {
		if figure == nil {
			return nil
		}
		gb := ReadSize(*figure, sizes)
		return &gb
	}
	m.RAMGb = read(m.RAMGb, r.sizes.RAMGb)
	if !r.IsUnified(&m) {
		m.VRAMGb = read(m.VRAMGb, r.sizes.VRAMGb)
	}
	return m
}

// ReadSize returns the size that a reported figure stands for: the next of sizes, if the figure is
// at most 1 GB or a tenth of that size below it (0.3 GB if the figure is below 3 GB), otherwise the
// figure itself. sizes must be ascending.
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
