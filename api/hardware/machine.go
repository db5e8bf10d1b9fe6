package hardware

import "strconv"

// Machine is the computer that a search names. Fields that are nil or "" are not compared.
type Machine struct {
	RAMGb     *float64 // main memory in gigabytes
	VRAMGb    *float64 // graphics memory in gigabytes; 0 means no graphics card
	Arch      string   // processor architecture: an option of the fact arch
	GPUVendor string   // maker of the graphics card: an option of the fact gpuVendors
	System    string   // operating system: a platform that is a system
	// Systems lists the systems that may run on it: System or, without one, the systems of
	// computers with a card of GPUVendor; empty for any.
	Systems []string
}

// Named reports whether any field of the machine is set.
func (m *Machine) Named() bool {
	return m.RAMGb != nil || m.VRAMGb != nil || m.Arch != "" || m.GPUVendor != "" || m.System != ""
}

// Parameters lists the search parameters that describe the user's computer, in the order in which
// warnings and pages name them.
var Parameters = []string{"ramGb", "vramGb", "gpuVendor", "arch", "system"}

// field returns a pointer to the figure or the text of one of Parameters. Both are nil for any
// other name.
func (m *Machine) field(parameter string) (figure **float64, text *string) {
	switch parameter {
	case "ramGb":
		return &m.RAMGb, nil
	case "vramGb":
		return &m.VRAMGb, nil
	case "gpuVendor":
		return nil, &m.GPUVendor
	case "arch":
		return nil, &m.Arch
	case "system":
		return nil, &m.System
	}
	return nil, nil
}

// Figure returns the figure of a parameter, or nil.
func (m *Machine) Figure(parameter string) *float64 {
	if figure, _ := m.field(parameter); figure != nil {
		return *figure
	}
	return nil
}

// Get returns the value of a parameter as text, or "" if it is not set.
func (m *Machine) Get(parameter string) string {
	figure, text := m.field(parameter)
	switch {
	case text != nil:
		return *text
	case figure != nil && *figure != nil:
		return FormatGb(**figure)
	}
	return ""
}

// Set sets the value of a parameter, and reports whether it is one of Parameters. A figure does not
// change if the value is not a number.
func (m *Machine) Set(parameter, value string) bool {
	figure, text := m.field(parameter)
	if text != nil {
		*text = value
	} else if figure != nil {
		if gb, err := strconv.ParseFloat(value, 64); err == nil {
			*figure = &gb
		}
	}
	return text != nil || figure != nil
}

// Add fills in the fields that m lacks from other.
func (m *Machine) Add(other *Machine) {
	for _, name := range Parameters {
		figure, text := m.field(name)
		moreFigure, moreText := other.field(name)
		if text != nil && *text == "" {
			*text = *moreText
		}
		if figure != nil && *figure == nil {
			*figure = *moreFigure
		}
	}
}

// FormatGb returns a number in its shortest decimal form.
func FormatGb(gb float64) string { return strconv.FormatFloat(gb, 'f', -1, 64) }
