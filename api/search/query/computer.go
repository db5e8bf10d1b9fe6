package query

import (
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/token"
)

// A query may name the user's computer: a device ("rtx 3060"), an amount of memory ("16 gb of
// ram"), or a wording of the taxonomy ("no gpu"). These act as parameters, and are cut out of the
// query together with the words that describe them ("nvidia geforce", "dell xps"): none of them is
// matched as a word.
//
// The words of a query become items, each with a class. Devices, product lines, amounts of memory
// and wordings of the taxonomy are anchors. The items beside an anchor that describe a computer
// belong to it. lexicon.go makes the items; this file interprets them.

// beside returns the index of the nearest item on one side of an item (step is 1 or -1), or -1. It
// skips items that may stand between others, the numbers and variants of a model, and what is printed behind
// processors: "i5 8th gen", "4 cores".
func beside(items []item, i, step int) int {
	for k := i + step; k >= 0 && k < len(items); k += step {
		isPart := items[k].is(itemVariant) || items[k].is(itemNumber) && numberBelongs(items, k) ||
			items[k].is(itemPrinted) && processorWords[items[k].text]
		if !items[k].isBetween() && !isPart {
			return k
		}
	}
	return -1
}

// processorWords are printed words that belong to processors.
var processorWords = token.Set("gen generation cores threads vcpu vcpus vcore vcores")

// assign sets the kind of memory of each amount.
func (l *lexicon) assign(items []item) {
	for i := range items {
		if it := &items[i]; it.class == itemAmount {
			if it.kind == itemWord {
				it.kind = l.kindOf(items, i)
			}
			if one := ofOneCard(items, i); it.kind == itemVRAM && one > 0 {
				it.gb = one
			}
			if it.kind == itemRAM && it.modules > 0 { // of graphics cards, only the memory of one counts
				it.gb *= it.modules
			}
			if it.kind == itemWord || it.kind == itemRAM && it.gb == 0 {
				it.class = itemNumber
			}
		}
	}
	isVRAM := func(i int) bool {
		if i < 0 || i >= len(items) {
			return false
		}
		return items[i].is(itemVRAM) || items[i].is(itemAmount) && items[i].kind == itemVRAM
	}
	isCard := func(i int) bool { return i < len(items) && items[i].class == itemCard && items[i].parameter == "" }
	for i := range items { // "8 gb vram amd", "amd gpu": amd made the card, not the processor
		it := &items[i]
		isMaker := it.is(itemBrand) && slices.Contains(l.makers, it.text)
		if isMaker && (isVRAM(i-1) || isVRAM(i+1) || isCard(i+1)) {
			it.class, it.parameter, it.value = itemCard, "gpuVendor", it.text
		}
	}
}

// kindOf returns the kind of memory of an amount. A word for memory beside the amount decides,
// otherwise another item beside it. If neither does, a usual size of RAM at the end of the query is
// RAM.
func (l *lexicon) kindOf(items []item, i int) itemClass {
	amount := &items[i]
	before, behind := beside(items, i, -1), beside(items, i, 1)
	// Without a unit, only "16 ram" and "ram 16" are amounts.
	if k := memoryWordOf(items, before, behind); k >= 0 {
		if isNext := k == i-1 || k == i+1; amount.hasUnit || isNext && strings.HasSuffix(items[k].text, "ram") {
			items[k].used = true
			return items[k].class
		}
	}
	if !amount.hasUnit {
		return itemWord
	}
	if behind == i+1 && items[behind].class == itemCard {
		return itemVRAM // "8 gb gpu"
	}
	if ofOneCard(items, i) > 0 {
		return itemVRAM // "2x3090 48 gb"
	}
	for _, kindOf := range []func(*item, float64) itemClass{l.kindBesideComputer, kindBesideOthers} {
		for _, k := range []int{before, behind} {
			if k < 0 {
				continue
			}
			if kind := kindOf(&items[k], amount.gb); kind != itemWord {
				return kind
			}
		}
	}
	isSize := amount.gb >= leastBare && slices.Contains(l.table.Sizes.RAMGb, amount.gb)
	if isSize && i == len(items)-1 && i > 0 && items[i-1].is(itemWord) {
		return itemRAM // "chat app 16 gb"
	}
	return itemWord
}

// ofOneCard returns the memory of one of several cards beside an amount that is the memory of all of them, or 0.
func ofOneCard(items []item, i int) float64 {
	amount := &items[i]
	for _, k := range []int{beside(items, i, -1), beside(items, i, 1)} {
		if k < 0 || !items[k].isCard() || slices.Contains(items[k].device.MemoryGb, amount.gb) {
			continue
		}
		for _, gb := range items[k].device.MemoryGb {
			if n := countOf(items, k); n > 1 && amount.gb == float64(n)*gb {
				return gb
			}
		}
	}
	return 0
}

// countOf returns how many of a card there are, or 0 if that is not stated.
func countOf(items []item, card int) int {
	if items[card].count > 0 {
		return items[card].count
	}
	k := card - 1
	for k >= 0 && items[k].is(itemCard, itemBrand) { // "2x nvidia rtx 3090"
		k--
	}
	switch {
	case k < 0:
		return 0
	case items[k].is(itemCount):
		return countWords[items[k].text]
	case items[k].is(itemNumber) && strings.HasSuffix(items[k].text, "x"):
		n, _ := strconv.Atoi(strings.TrimSuffix(items[k].text, "x")) // 0 for a code such as "a1x"
		return n
	}
	return 0
}

// memoryWordOf returns the index of the word for the memory of an amount, or -1. before and behind
// are the indexes of the items on each side of the amount, or -1 where there is none.
func memoryWordOf(items []item, before, behind int) int {
	isMemory := func(k int) bool {
		return k >= 0 && !items[k].used && items[k].is(itemRAM, itemVRAM, itemDisk)
	}
	isOfNext := false // the word behind the amount has another amount after it
	if isMemory(behind) {
		next := beside(items, behind, 1)
		isOfNext = next >= 0 && items[next].class == itemAmount
	}
	switch {
	case isMemory(before) && isOfNext:
		return before // "ram 16 gb vram 8 gb"
	case isOfNext && items[behind-1].ended:
		return -1 // "24 gb; ram: 64 gb"
	case isMemory(behind):
		return behind
	case isMemory(before):
		return before
	}
	return -1
}

// kindBesideComputer returns the kind of memory of an amount beside a computer, or beside a card
// that is sold with that much memory.
func (l *lexicon) kindBesideComputer(other *item, gb float64) itemClass {
	switch {
	case other.isCard() && !other.unknown &&
		slices.Contains(other.device.MemoryGb, hardware.ReadSize(gb, l.table.Sizes.VRAMGb)):
		return itemVRAM
	case other.isComputer():
		return ramOrDisk(other, gb)
	}
	return itemWord
}

// kindBesideOthers returns the kind of memory of an amount beside any other item.
func kindBesideOthers(other *item, gb float64) itemClass {
	switch {
	case other.class == itemCard, other.class == itemPrinted && strings.HasSuffix(other.text, " gpu"): // "laptop gpu"
		return itemVRAM
	case other.isCard() && len(other.device.MemoryGb) > 0 && gb > slices.Max(other.device.MemoryGb):
		return itemRAM
	case other.isCard():
		return itemVRAM
	case other.class == itemFilter:
		return itemRAM // "16 gb, no gpu"
	case other.class == itemAmount && (other.kind == itemRAM && gb >= leastDisk || other.kind == itemDisk):
		return itemDisk
	case other.class == itemAmount && other.kind == itemVRAM:
		return itemRAM
	}
	return itemWord
}

// leastBare is the smallest size in gigabytes that means RAM at the end of a query without a word
// for memory.
const leastBare = 4

// leastDisk is the smallest size in gigabytes that, beside an amount of RAM, means a disk without a
// word for it: "16 gb, 512 gb".
const leastDisk = 128

// ramOrDisk returns the kind of memory of an amount beside a computer, if no word names the kind.
func ramOrDisk(computer *item, gb float64) itemClass {
	isSold := computer.class == itemDevice && slices.Contains(computer.device.MemoryGb, gb)
	least := 200.0
	if computer.class == itemDevice && computer.device.Kind == hardware.KindPhone {
		least = 64
	}
	if gb >= least && !isSold {
		return itemDisk
	}
	return itemRAM
}

// settleVariants marks a device as unknown if the next word turns its name into another product's.
// Elsewhere, such a word compares ("16 gb max") or means nothing.
func settleVariants(items []item) {
	for i := range items {
		it := &items[i]
		if it.class != itemVariant {
			continue
		}
		beforeAmount := i+1 < len(items) && items[i+1].class == itemAmount && items[i+1].hasUnit // "rtx 3060 max 8 gb"
		switch isComparison := slices.Contains(between, it.text); {
		case i > 0 && items[i-1].class == itemDevice && !(isComparison && beforeAmount):
			items[i-1].unknown = true
		case isComparison:
			it.class = itemCompare
		default:
			it.class = itemWord
		}
	}
}

// ownWords may stand before a computer that is the user's own, not the subject of the query.
var ownWords = token.Set(`
	on with for my a an the our using via has have own in to and or this old new his her your their`)

// dropSubjects turns phones, product lines and series back into words if they are the subject of the query:
// "answers about thinkpad repairs".
func dropSubjects(items []item) {
	for i := range items {
		it := &items[i]
		isVague := it.class == itemProduct ||
			it.class == itemDevice && slices.Contains([]string{hardware.KindPhone, hardware.KindSeries}, it.device.Kind)
		if !isVague || it.ended || i+1 == len(items) || items[i+1].class != itemWord {
			continue
		}
		if i > 0 && (items[i-1].class == itemWord || items[i-1].isBetween() && !ownWords[items[i-1].text]) {
			it.class = itemWord
		}
	}
}

// groups returns the ranges of items that name a computer: each anchor with the neighbours that
// describe it.
func groups(items []item) (list [][2]int) {
	end := 0 // of the last group
	for i := range items {
		if i < end || !items[i].isAnchor() {
			continue
		}
		from, to := i, i+1
		for k := from - 1; k >= end && (items[k].isBetween() || belongs(items, k)); k-- {
			if !items[k].isBetween() {
				from = k
			}
		}
		for k := to; k < len(items) && (items[k].isBetween() || belongs(items, k)); k++ {
			if !items[k].isBetween() {
				to = k + 1
			}
		}
		for from > end && items[from-1].class == itemCompare {
			from--
		}
		for to < len(items) && items[to].class == itemCompare {
			to++
		}
		end = to
		list = append(list, [2]int{from, to})
	}
	return list
}

// belongs reports whether item i describes the computer that an anchor beside it names.
func belongs(items []item, i int) bool {
	switch it := &items[i]; it.class {
	case itemComputer, itemBrand, itemCard:
		return true
	case itemRAM, itemVRAM, itemDisk, itemPrinted: // "512 gb storage" does, "object storage" does not
		return it.used || !jobWords[it.text] || !followsWord(items, i)
	case itemVague: // nor does "kanban board"
		return !followsWord(items, i)
	case itemVariant:
		return i > 0 && items[i-1].unknown
	case itemCount:
		return i+1 < len(items) && items[i+1].is(itemDevice, itemCard, itemBrand)
	case itemNumber:
		return numberBelongs(items, i)
	default:
		return it.isAnchor()
	}
}

// jobWords are those words about computers that are also common in jobs: "image generation".
var jobWords = token.Set("chip controller flash generation memory metal series storage threads")

// followsWord reports whether a word that says nothing of a computer stands right before item i.
func followsWord(items []item, i int) bool { return i > 0 && items[i-1].class == itemWord }

// maxNumbers limits the numbers that may follow a name: "(0x2504) rev 1.0".
const maxNumbers = 8

// numberBelongs reports whether a number or a code belongs to the item before it ("i7 12700h", "xps
// 13", "(rev 1.0)"), counts the item after it ("2x rtx 3090"), or is part of what is printed beside
// a device's name ("11th gen").
func numberBelongs(items []item, i int) bool {
	text := items[i].text
	digits := digitsOf(text)
	k := i + 1
	if isCount := len(digits) == 1 && text == digits+"x"; isCount && k < len(items) &&
		(items[k].is(itemDevice) || items[k].is(itemCard) && items[k].parameter != "") {
		return true
	}
	isYear := len(digits) == 4 && digits == text && (strings.HasPrefix(digits, "19") || strings.HasPrefix(digits, "20"))
	if k < len(items) {
		if digits != "" && items[k].is(itemPrinted) || isYear && (items[k].isComputer() || items[k].is(itemBrand)) {
			return true
		}
	}
	for k = i - 1; k >= 0 && k > i-maxNumbers && items[k].class == itemNumber; k-- {
	}
	if k < 0 {
		return false
	}
	name := strings.TrimRight(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz"), "0123456789")
	isCode := digits != "" || len(name) <= 3
	switch before := &items[k]; before.class {
	case itemBrand, itemProduct, itemPrinted:
		return isCode
	case itemRAM: // "ddr4 3200", "ddr5-6000mhz"
		return strings.Contains(before.text, "ddr") && len(digits) == 4
	case itemComputer: // "macbook pro 2019", "ubuntu 24.04"
		return digits != "" && before.parameter != ""
	case itemDevice:
		isProcessor := before.device.Kind == hardware.KindProcessor
		isOfYear := isYear && before.device.IsOpen() // "macbook air 2022"
		return digits != "" && (isProcessor || isOfYear || strings.HasPrefix(text, "0x") || before.listed)
	}
	return false
}

// computer is the user's computer as a query describes it.
type computer struct {
	machine  hardware.Machine // with figures as given
	read     hardware.Machine // for comparison: with figures read as sizes that are sold
	cut      []bool           // the words that are not searched for
	given    bool             // parameters name a computer, too
	warnings []api.Warning
}

// computer reads the user's computer from a text. given is the computer that parameters name; it
// takes precedence over the text. ok is false if the text names no computer.
func (l *lexicon) computer(t *splitText, given *hardware.Machine) (c computer, ok bool) {
	if l == nil {
		return c, false
	}
	items, found := l.items(t)
	if !found {
		return c, false
	}
	settleVariants(items)
	l.assign(items)
	dropSubjects(items)
	named := groups(items)
	if len(named) == 0 {
		return c, false
	}
	c.given = given.Named()
	c.machine, c.read, c.cut = *given, l.sizes.Read(*given), make([]bool, len(t.words))
	said, read := l.stated(items, c.read.RAMGb)
	c.machine.Add(&said)
	c.read.Add(&read)
	for _, g := range named {
		group := items[g[0]:g[1]]
		from, to := group[0].from, group[len(group)-1].to
		for i := from; i < to; i++ {
			c.cut[i] = true
		}
		said, _ := l.stated(group, c.read.RAMGb)
		c.warnings = append(c.warnings, c.understood(group, &said, t.folded[t.starts[from]:t.ends[to-1]]))
	}
	return c, true
}

// stated returns the machine that items describe, with figures as given, and with figures read as
// sizes that are sold. Amounts take precedence over wordings, and wordings over devices. ram is the
// machine's RAM as a size that is sold; if it is nil, the items' own RAM is used.
func (l *lexicon) stated(items []item, ram *float64) (given, read hardware.Machine) {
	for i := range items {
		switch it := &items[i]; {
		case it.class == itemAmount && it.kind == itemRAM && given.RAMGb == nil:
			given.RAMGb = &it.gb
		case it.class == itemAmount && it.kind == itemVRAM && given.VRAMGb == nil:
			given.VRAMGb = &it.gb
		}
	}
	read = l.sizes.Read(given)
	if ram == nil {
		ram = read.RAMGb
	}
	for rank := rankWording; rank <= rankNoCard; rank++ {
		for i := range items {
			if items[i].rank() == rank {
				m := items[i].meaning(ram)
				if rank == rankNoCard && given.GPUVendor != "" {
					m.VRAMGb = nil // there is a graphics card besides
				}
				given.Add(&m)
				read.Add(&m)
			}
		}
	}
	return given, read
}

// The ranks of items by what they state. What a lower rank states takes precedence.
const (
	rankWording = iota // a wording of the taxonomy
	rankDevice         // a device, or a maker
	rankNoCard         // no graphics card, unless one is named besides
)

func (it *item) rank() int {
	switch {
	case it.besides, it.class == itemDevice && it.device.IsIntegrated():
		return rankNoCard
	case it.class == itemFilter:
		return rankWording
	}
	return rankDevice
}

// meaning returns the fields of the machine that an item states. ram is the machine's RAM, or nil
// if unknown.
func (it *item) meaning(ram *float64) (m hardware.Machine) {
	switch d := it.device; {
	case it.class == itemDevice && it.unknown:
	case it.class == itemDevice:
		if d.Kind == hardware.KindCard || ram == nil {
			return d.Machine(d.AssumedGb())
		}
		return d.Machine(ram)
	case it.parameter != "":
		m.Set(it.parameter, it.value)
	}
	return m
}

// understood returns the warning that says how a group of items was understood. said is the machine
// that the items describe; phrase has their words.
func (c *computer) understood(group []item, said *hardware.Machine, phrase string) api.Warning {
	var applied, sizes, overridden []string
	w := api.Warning{Code: api.WarnUnderstood, Parameter: "q", Message: strconv.Quote(phrase)}
	for _, name := range hardware.Parameters {
		value := c.machine.Get(name)
		if value != said.Get(name) && said.Get(name) != "" {
			overridden = append(overridden, name)
		}
		if value == "" || value != said.Get(name) {
			continue
		}
		if len(applied) == 0 {
			w.Parameter = name
		}
		applied = append(applied, name+"="+value)
		if read := c.read.Get(name); read != value {
			sizes = append(sizes, sizeRead(value, read))
		}
	}
	isVague := func(it item) bool {
		return it.unknown || it.class == itemProduct || it.class == itemDevice && it.device.IsOpen()
	}
	const asksMemory = " does not say how much memory there is: add it, such as 16 GB RAM."
	switch {
	case len(applied) > 0:
		w.Message += " was understood as " + strings.Join(applied, ", ")
		for _, size := range sizes {
			w.Message += "; " + size
		}
		w.Message += "."
		if slices.ContainsFunc(group, func(it item) bool {
			return it.class == itemCount || it.count > 0 || it.class == itemNumber && strings.HasSuffix(it.text, "x")
		}) {
			w.Message += " Only the memory of one card counts."
		}
		isIntegrated := func(it item) bool { return it.class == itemDevice && !it.unknown && it.device.IsIntegrated() }
		if slices.Contains(applied, "vramGb=0") && slices.ContainsFunc(group, isIntegrated) {
			w.Message += " Graphics in a processor are no graphics card."
		}
		if c.machine.RAMGb == nil && slices.ContainsFunc(group, isVague) {
			w.Message += " It" + asksMemory
		}
		if len(overridden) > 0 && c.given {
			w.Message += " The parameters override what it says about " + strings.Join(overridden, " and ") + "."
		}
	case said.Named():
		w.Message += " had no effect, because other filters say otherwise."
	case slices.ContainsFunc(group, isVague):
		w.Message += asksMemory
	default:
		w.Message += " describes a computer, and was not searched for."
	}
	return w
}

// sizeRead returns a note that a figure was read as a size that is sold.
func sizeRead(given, read string) string {
	return given + " GB counts as " + read + " GB, the size that is sold"
}
