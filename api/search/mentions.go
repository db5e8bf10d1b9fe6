package search

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// machineWords recognises the user's computer in the words of a query: hardware by name, and
// the wordings of the taxonomy (contract 10).
type machineWords struct {
	// names are the names of hardware by their words joined.
	names   map[string]hardwareName
	longest int // number of words of the longest name
	// wordings are by their first word, the longest first; "#" stands for a number.
	wordings map[string][]machineWording
}

// hardwareName is a name of hardware. A query may write it without spaces ("rtx3060"), but
// not with other ones ("a 10" for A10): cuts are the lengths after which it may be cut.
type hardwareName struct {
	hardware *hardware.Device
	cuts     []int
}

// machineWording is a wording that stands for a filter. Without a value, # is the value.
type machineWording struct {
	words            []string
	parameter, value string
}

// mention is a part of a query that names the user's computer.
type mention struct {
	phrase string
	// hardware is named, with the memory gb; sized if the query says how much.
	hardware *hardware.Device
	gb       float64
	sized    bool
	// filters are what a wording stands for; nil for hardware.
	filters api.Filters
}

func newMachineWords(t *api.Taxonomy) *machineWords {
	m := &machineWords{names: map[string]hardwareName{}, wordings: map[string][]machineWording{}}
	if !t.HasSetups() {
		return m
	}
	for i := range t.Hardware {
		h := &t.Hardware[i]
		for _, name := range append([]string{h.Name}, h.Aliases...) {
			m.addName(h, tokens(name))
		}
	}
	for _, filter := range slices.Sorted(maps.Keys(t.Words.Machine)) {
		parameter, value, _ := strings.Cut(filter, "=")
		for _, text := range t.Words.Machine[filter] {
			words := []string{}
			for _, field := range strings.Fields(text) {
				if field == "#" {
					words = append(words, field)
				} else {
					words = append(words, tokens(field)...)
				}
			}
			if len(words) > 0 {
				m.wordings[words[0]] = append(m.wordings[words[0]], machineWording{words, parameter, value})
			}
		}
	}
	for _, list := range m.wordings {
		slices.SortStableFunc(list, func(a, b machineWording) int { return len(b.words) - len(a.words) })
	}
	return m
}

func (m *machineWords) addName(h *hardware.Device, words []string) {
	n := hardwareName{hardware: h}
	length := 0
	for _, w := range words {
		length += len(w)
		n.cuts = append(n.cuts, length)
	}
	key := strings.Join(words, "")
	if len(h.MemoryGb) == 0 || key == "" {
		return // lint refuses it
	}
	if _, taken := m.names[key]; !taken {
		m.names[key] = n
		m.longest = max(m.longest, len(words))
	}
}

// at returns the mention at the start of words and how many of them it takes. integer is the
// part of a decimal number before the first word, or "".
func (m *machineWords) at(words []string, integer string) (found mention, n int) {
	if h, n := m.nameAt(words); n > 0 {
		found = mention{hardware: h, gb: h.MemoryGb[0]}
		if gb, k := sizeAt(words[n:]); k > 0 && found.resize(gb) {
			n += k + memoryWordAt(h, words[n+k:])
		}
		found.phrase = strings.Join(words[:n], " ")
		return found, n
	}
	if gb, k := sizeAt(words); k > 0 {
		if h, n := m.nameAt(words[k:]); n > 0 {
			found = mention{hardware: h, phrase: strings.Join(words[:k+n], " ")}
			if found.resize(gb) {
				return found, k + n
			}
		}
	}
	first := words[0]
	if startsWithDigit(first) {
		first = "#"
	}
	for _, w := range m.wordings[first] {
		if amount, n := w.match(words); n > 0 {
			found = mention{phrase: strings.Join(words[:n], " ")}
			value := w.value
			if value == "" {
				if integer != "" {
					amount = integer + "." + amount
					found.phrase = integer + "." + found.phrase
				}
				if gb, err := strconv.ParseFloat(amount, 64); err != nil || gb <= 0 || gb > hardware.MaxGb {
					continue
				}
				value = amount
			}
			found.filters = api.Filters{w.parameter: {value}}
			return found, n
		}
	}
	return mention{}, 0
}

// resize gives hardware the memory gb, and reports whether it is sold with that much.
func (m *mention) resize(gb float64) bool {
	if m.hardware == nil || m.sized || !slices.Contains(m.hardware.MemoryGb, gb) {
		return false
	}
	m.gb, m.sized = gb, true
	return true
}

// nameAt returns the hardware with the longest name at the start of words.
func (m *machineWords) nameAt(words []string) (found *hardware.Device, n int) {
	joined, cuts := make([]byte, 0, 64), make([]int, 0, 8) // enough for most, without allocating
	for i, word := range words[:min(len(words), m.longest)] {
		joined = append(joined, word...)
		cuts = append(cuts, len(joined))
		if name, ok := m.names[string(joined)]; ok && isSubset(cuts, name.cuts) {
			found, n = name.hardware, i+1
		}
	}
	return found, n
}

func isSubset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(n int) bool { return !slices.Contains(all, n) })
}

// match returns the number for # in a wording at the start of words, and how many words the
// wording takes, or 0.
func (w *machineWording) match(words []string) (amount string, n int) {
	letters := "" // after the digits of a word
	for _, want := range w.words {
		switch {
		case letters != "":
			if letters != want {
				return "", 0
			}
			letters = ""
			continue
		case n == len(words):
			return "", 0
		case want == "#":
			amount = digitsOf(words[n])
			if amount == "" {
				return "", 0
			}
			letters = words[n][len(amount):]
		case words[n] != want:
			return "", 0
		}
		n++
	}
	if letters != "" {
		return "", 0
	}
	return amount, n
}

// sizeAt returns the gigabytes at the start of words, such as "16gb", and how many words
// they take.
func sizeAt(words []string) (gb float64, n int) {
	if len(words) == 0 || !startsWithDigit(words[0]) {
		return 0, 0
	}
	digits := digitsOf(words[0])
	unit := words[0][len(digits):]
	n = 1
	if unit == "" && len(words) > 1 {
		unit, n = words[1], 2
	}
	if unit != "gb" && unit != "gig" && unit != "gigs" {
		return 0, 0
	}
	gb, _ = strconv.ParseFloat(digits, 64)
	return gb, n
}

// memoryWordAt returns 1 if words begin with the kind of memory that the hardware has.
func memoryWordAt(h *hardware.Device, words []string) int {
	kinds := []string{"ram", "memory"}
	if h.Kind == hardware.KindCard {
		kinds = []string{"vram"}
	}
	if len(words) > 0 && slices.Contains(kinds, words[0]) {
		return 1
	}
	return 0
}

func startsWithDigit(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// digitsOf returns the digits at the start of a word.
func digitsOf(word string) string {
	return word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
}

// mentionAt returns the mention at a word of a query and how many words it takes. A size by
// itself belongs to the hardware before it.
func (q *parsedQuery) mentionAt(text string, words []string, at int) (m mention, n int) {
	if at+1 < len(words) && startsWithDigit(words[at]) && startsWithDigit(words[at+1]) && strings.Contains(text, words[at]+"."+digitsOf(words[at+1])) {
		m, n = q.vocabulary.machine.at(words[at+1:], words[at])
		return m, n + min(n, 1)
	}
	if m, n = q.vocabulary.machine.at(words[at:], ""); n > 0 {
		return m, n
	}
	if gb, k := sizeAt(words[at:]); k > 0 {
		for i := range q.mentions {
			if before := &q.mentions[i]; before.resize(gb) {
				before.phrase += " " + strings.Join(words[at:at+k], " ")
				return mention{}, k + memoryWordAt(before.hardware, words[at+k:])
			}
		}
	}
	return mention{}, 0
}

// withMentions returns the filters of a query with those that its words stand for, and
// warnings that say which. A parameter that is given wins, then a wording, then hardware.
func (q *parsedQuery) withMentions(given api.Filters) (filters api.Filters, warnings []api.Warning) {
	if len(q.mentions) == 0 {
		return given, nil
	}
	stated := api.Filters{}
	for i := range q.mentions {
		for name, values := range q.mentions[i].filters {
			if _, ok := stated[name]; !ok {
				stated[name] = values
			}
		}
	}
	filters = maps.Clone(stated)
	maps.Copy(filters, given)
	for i := range q.mentions {
		m := &q.mentions[i]
		meant := m.filters
		if m.hardware != nil {
			memory := "ramGb"
			if m.hardware.Kind == hardware.KindCard {
				memory = "vramGb"
			}
			if gb := stated.Number(memory); gb != nil && !m.sized {
				m.gb = *gb
			}
			meant = machineFilters(m.hardware.Machine(m.gb))
		}
		var applied []string
		for _, name := range hardware.Parameters {
			value := meant.First(name)
			if _, taken := filters[name]; value != "" && !taken {
				filters[name] = []string{value}
			}
			if value != "" && filters.First(name) == value {
				applied = append(applied, name+"="+value)
			}
		}
		w := api.Warning{Code: api.WarnUnderstood, Parameter: "q", Message: strconv.Quote(m.phrase) + " had no effect, because other filters say otherwise."}
		if len(applied) > 0 {
			w.Parameter, _, _ = strings.Cut(applied[0], "=")
			w.Message = strconv.Quote(m.phrase) + " was understood as " + strings.Join(applied, ", ") + "."
		}
		warnings = append(warnings, w)
	}
	return filters, warnings
}

// machineFilters returns a machine as filters.
func machineFilters(m hardware.Machine) api.Filters {
	f := api.Filters{}
	for _, name := range hardware.Parameters {
		if value := m.Get(name); value != "" {
			f[name] = []string{value}
		}
	}
	return f
}
