package search

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// A query may name the user's computer: a device ("rtx 3060"), an amount of memory ("16 gb of
// ram"), or a wording of the taxonomy ("no gpu"). These act as parameters. They, and the words
// that describe them ("nvidia geforce", "dell xps"), are cut out of the query: none of them is
// required or matched as a word.
//
// The words of a query become items, each of a class. Items of devices, amounts and wordings
// are anchors. An anchor takes the items beside it that describe a computer.

// itemClass says what an item means for the user's computer.
type itemClass uint8

const (
	itemWord     itemClass = iota // nothing
	itemBetween                   // a function word, which may stand between others
	itemCompare                   // the same of words that compare: they belong to an amount beside them
	itemDevice                    // the name of a device
	itemFilter                    // a wording that stands for a parameter
	itemAmount                    // a number, with a unit of memory unless it stands beside "ram" or "vram"
	itemRAM                       // memory beside it is RAM
	itemVRAM                      // the same of VRAM
	itemDisk                      // the same of disk space
	itemComputer                  // a word for a computer
	itemVague                     // the same, unless a word stands right before it: "mcp server"
	itemBrand                     // a maker of computers
	itemProduct                   // the name of computers with any memory
	itemCard                      // a word for a graphics card, perhaps with its maker
	itemPrinted                   // what devices print
	itemCount                     // "dual"
	itemVariant                   // makes another product of a name
	itemNumber                    // a number or a code, which belongs to what it follows
)

// item is one or several words of a query.
type item struct {
	class    itemClass
	from, to int // its words
	device   *hardware.Device
	text     string // the words, of some classes
	// parameter and value are what an itemFilter stands for, what an itemCard says of the
	// maker, or an itemComputer of the system; "" for nothing.
	parameter, value string
	gb               float64 // of an itemAmount
	modules          float64 // how many of them there are, "2x16 gb"; 0 for one
	// kind is what memory an itemAmount is: itemRAM, itemVRAM, itemDisk, or itemWord if nothing
	// says. hasUnit means that it has a unit of memory.
	kind    itemClass
	hasUnit bool
	unknown bool // an itemDevice whose name has a variant that is not listed
	listed  bool // an itemDevice that is followed by other names, after a slash
	counted bool // an itemDevice whose name says how many there are: "2x3090"
	ended   bool // a comma or the like stands behind it
	used    bool // an itemRAM, itemVRAM or itemDisk that belongs to an amount
}

// isAnchor reports whether the item names a computer.
func (it *item) isAnchor() bool {
	switch it.class {
	case itemDevice, itemFilter, itemProduct:
		return true
	case itemAmount:
		return it.kind != itemWord
	}
	return false
}

// isBetween reports whether the item may stand between two others that belong together.
func (it *item) isBetween() bool { return it.class == itemBetween || it.class == itemCompare }

// isComputer reports whether memory beside the item is RAM.
func (it *item) isComputer() bool {
	switch it.class {
	case itemComputer, itemVague, itemBrand, itemProduct:
		return true
	case itemDevice:
		return it.device.Kind != hardware.KindCard
	}
	return false
}

// isCard reports whether the item is a graphics card that is sold with a figure of memory.
func (it *item) isCard() bool {
	return it.class == itemDevice && it.device.Kind == hardware.KindCard
}

// lexicon recognises devices and the words that describe computers.
type lexicon struct {
	sizes hardware.SizeReader
	table *hardware.Table
	// names are the names of devices by their words joined, and starts their beginnings.
	names  map[string]deviceName
	starts map[string]bool
	// phrases are by their first word, the longest first.
	phrases map[string][]lexiconPhrase
	makers  []string // of graphics cards
}

// deviceName is a name of a device. A query may write it without spaces ("rtx3060"), but not
// with other ones ("a 10" for A10): cuts are the lengths after which it may be cut.
type deviceName struct {
	device *hardware.Device
	cuts   []int
}

type lexiconPhrase struct {
	words []string
	item  item // without its place
}

// newLexicon returns the lexicon of a taxonomy, or nil if its listings have no setups.
func newLexicon(t *api.Taxonomy) *lexicon {
	if !t.HasSetups() {
		return nil
	}
	l := &lexicon{sizes: t.Hardware.SizeReader(), table: &t.Hardware, names: map[string]deviceName{}, starts: map[string]bool{}, phrases: map[string][]lexiconPhrase{}}
	for i := range t.Hardware.Devices {
		d := &t.Hardware.Devices[i]
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			l.addName(d, tokens(name))
		}
	}
	if f := t.Fact(api.GPUVendorsKey); f != nil {
		l.makers = f.Options()
	}
	w := &t.Hardware.Words
	for _, list := range []struct {
		class itemClass
		texts []string
	}{
		{itemRAM, w.RAM}, {itemVRAM, w.VRAM}, {itemDisk, w.Disk}, {itemComputer, w.Computer}, {itemVague, w.Vague}, {itemBrand, w.Brand}, {itemProduct, w.Product},
		{itemCard, w.Card}, {itemPrinted, w.Printed}, {itemVariant, w.Variant}, {itemWord, w.Other}, {itemCount, countWords},
		{itemCompare, between},
	} {
		l.add(list.texts, item{class: list.class})
	}
	for maker, texts := range w.CardOf {
		l.add(texts, item{class: itemCard, parameter: "gpuVendor", value: maker})
	}
	for system, texts := range w.System {
		l.add(texts, item{class: itemComputer, parameter: "system", value: system})
	}
	for _, filter := range slices.Sorted(maps.Keys(w.Filter)) {
		parameter, value, _ := strings.Cut(filter, "=")
		l.add(w.Filter[filter], item{class: itemFilter, parameter: parameter, value: value})
	}
	for _, list := range l.phrases {
		slices.SortStableFunc(list, func(a, b lexiconPhrase) int { return len(b.words) - len(a.words) })
	}
	return l
}

// countWords say how many cards there are. Only the memory of one counts.
var countWords = []string{"dual", "twin", "double", "two", "three", "four", "pair of", "a pair of", "couple of", "a couple of"}

// between are phrases that may stand between the words for a computer, besides function
// words.
var between = slices.Concat(joinAll(comparisonsBefore), joinAll(comparisonsBehind), []string{"w", "dedicated", "shared", "got", "old", "equipped", "installed", "available", "usable", "free", "spare", "ecc", "upgraded", "running", "comes", "each", "whole", "whopping"})

// negations and adjectives stand before a word for a graphics card that the computer lacks: "no
// dedicated gpu".
var (
	negations = phrases(`no, without, without a, without any, without an, lacks a, lacking a, has no, have no, got no, with no, minus, zero,
		not have a, not have any, dont have a, dont have any, doesnt have a, doesnt have any, havent got a, hasnt got a, not a, isnt a`)
	adjectives = wordSet("dedicated discrete separate external proper real good decent fancy powerful usable extra standalone own")
)

// joinAll returns phrases as texts.
func joinAll(list [][]string) []string {
	joined := make([]string, len(list))
	for i, words := range list {
		joined[i] = strings.Join(words, " ")
	}
	return joined
}

func (l *lexicon) addName(d *hardware.Device, words []string) {
	n := deviceName{device: d}
	key := strings.Join(words, "")
	for _, w := range words {
		length := len(w)
		if len(n.cuts) > 0 {
			length += n.cuts[len(n.cuts)-1]
		}
		n.cuts = append(n.cuts, length)
		l.starts[key[:length]] = true
	}
	if _, taken := l.names[key]; !taken && key != "" {
		l.names[key] = n
	}
}

func (l *lexicon) add(texts []string, it item) {
	for _, text := range texts {
		if words := tokens(text); len(words) > 0 {
			it.text = strings.Join(words, " ")
			l.phrases[words[0]] = append(l.phrases[words[0]], lexiconPhrase{words, it})
		}
	}
}

// nameAt returns the device with the longest name at the start of words. The last word of a
// name may be in the plural: "3090s".
func (l *lexicon) nameAt(words []string) (found *hardware.Device, n int) {
	joined, cuts := make([]byte, 0, 64), make([]int, 0, 8) // enough for most, without allocating
	for i, word := range words {
		joined = append(joined, word...)
		cuts = append(cuts, len(joined))
		name, ok := l.names[string(joined)]
		if single, plural := strings.CutSuffix(string(joined), "s"); !ok && plural && endsWithDigit(single) {
			if name, ok = l.names[single]; ok {
				cuts[i]--
			}
		}
		if ok && isSubset(cuts, name.cuts) {
			found, n = name.device, i+1
		}
		if !l.starts[string(joined)] {
			break
		}
	}
	return found, n
}

func isSubset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(n int) bool { return !slices.Contains(all, n) })
}

// phraseAt returns the item of the longest phrase at the start of words, and its length.
func (l *lexicon) phraseAt(words []string) (it item, n int) {
	for _, p := range l.phrases[words[0]] {
		if len(p.words) <= len(words) && slices.Equal(p.words, words[:len(p.words)]) {
			return p.item, len(p.words)
		}
	}
	return item{}, 0
}

// memoryUnits are units of memory in gigabytes.
var memoryUnits = map[string]float64{
	"gb": 1, "gib": 1, "g": 1, "gig": 1, "gigs": 1, "gigabyte": 1, "gigabytes": 1, "gbs": 1,
	"mb": 1. / 1024, "mib": 1. / 1024, "megabyte": 1. / 1024, "megabytes": 1. / 1024,
	"tb": 1024, "tib": 1024, "terabyte": 1024, "terabytes": 1024,
}

// items divides a text into items. It reports whether one of them may be an anchor.
func (l *lexicon) items(t *splitText) (list []item, found bool) {
	for i := 0; i < len(t.words); {
		it := l.negatedAt(t, i)
		if it.to == 0 {
			it = l.itemAt(t, i)
		}
		found = found || it.class == itemDevice || it.class == itemFilter || it.class == itemProduct || it.class == itemAmount
		list = append(list, it)
		i = it.to
	}
	return list, found
}

// negatedAt returns the item of words that say that there is no graphics card, or none.
func (l *lexicon) negatedAt(t *splitText, i int) item {
	n := phraseAt(negations, t.words[i:])
	k := i + n
	for n > 0 && k < len(t.words) && (adjectives[t.words[k]] || slices.Contains(l.makers, t.words[k])) {
		k++
	}
	if n == 0 || k == len(t.words) {
		return item{}
	}
	card, taken := l.phraseAt(t.words[k:])
	// "no card" alone may be a card for paying.
	if card.class != itemCard || card.parameter != "" || k == i+n && strings.HasPrefix(card.text, "card") {
		return item{}
	}
	return item{class: itemFilter, from: i, to: k + taken, parameter: "vramGb", value: "0"}
}

// itemAt returns the longest item that begins with the word i. Of equally long ones, a device
// comes before a phrase, and a phrase before an amount.
func (l *lexicon) itemAt(t *splitText, i int) item {
	it, n := l.phraseAt(t.words[i:])
	device, k := l.nameAt(t.words[i:])
	if digits := digitsOf(t.words[i]); k == 0 && len(digits) == 1 && strings.HasPrefix(t.words[i], digits+"x") { // "2x3090"
		device, k = l.nameAt(append([]string{t.words[i][2:]}, t.words[i+1:]...))
	}
	if k > 0 && k >= n && !l.isNumber(t, i, i+k) {
		it, n = item{class: itemDevice, device: device, counted: strings.HasPrefix(t.words[i], digitsOf(t.words[i])+"x") && startsWithDigit(t.words[i])}, k
	}
	if n == 0 {
		if it, n = amountAt(t, i); n == 0 {
			it, n = item{}, 1
			switch word := t.words[i]; {
			case functionWords[word]:
				it.class, it.text = itemBetween, word
			case strings.HasSuffix(word, "ghz") && startsWithDigit(word):
				it.class = itemPrinted
			case strings.ContainsAny(word, "0123456789"):
				it.class, it.text = itemNumber, word
			}
		}
	}
	it.from, it.to = i, i+n
	behind := t.between(it.to - 1)
	it.listed = it.class == itemDevice && strings.TrimSpace(behind) == "/"
	it.ended = strings.ContainsAny(behind, ",;:.|()/")
	return it
}

// isNumber reports whether the words from:to are a name of digits alone that counts something:
// "a 4090 word essay".
func (l *lexicon) isNumber(t *splitText, from, to int) bool {
	if to != from+1 || digitsOf(t.words[from]) != t.words[from] || to == len(t.words) || from == 0 {
		return false
	}
	if strings.TrimSpace(t.between(from)) != "" || functionWords[t.words[to]] || startsWithDigit(t.words[to]) {
		return false
	}
	_, n := l.phraseAt(t.words[to:])
	return n == 0
}

// amountAt returns an amount of memory that begins with the word i, and how many words it
// takes, or 0.
func amountAt(t *splitText, i int) (it item, n int) {
	if digits, rest, ok := strings.Cut(t.words[i], "x"); ok && len(digits) == 1 && startsWithDigit(digits) && startsWithDigit(rest) { // "2x16gb"
		unit := rest[len(digitsOf(rest)):]
		if gb, err := strconv.ParseFloat(digitsOf(rest), 64); err == nil && memoryUnits[unit] > 0 {
			return item{class: itemAmount, gb: gb * memoryUnits[unit], modules: float64(digits[0] - '0'), hasUnit: true, text: t.words[i]}, 1
		}
	}
	for _, q := range t.quantitiesAt(i) {
		it = item{class: itemAmount, gb: q.value}
		n = q.n
		unit := q.unit
		if unit == "" && i+n < len(t.words) && memoryUnits[t.words[i+n]] > 0 {
			unit = t.words[i+n]
			n++
		}
		for _, memory := range []string{"vram", "ram"} { // "16gbram"
			if rest, ok := strings.CutSuffix(unit, memory); ok {
				unit, it.kind = rest, map[string]itemClass{"ram": itemRAM, "vram": itemVRAM}[memory]
				break
			}
		}
		if factor := memoryUnits[unit]; factor > 0 {
			it.gb, it.hasUnit = it.gb*factor, true
		} else if unit != "" {
			continue
		}
		if it.gb = math.Round(it.gb*100) / 100; it.gb <= hardware.MaxGb {
			it.text = t.words[i]
			return it, n
		}
	}
	return item{}, 0
}

// beside returns the index of the nearest item on one side of an item (step is 1 or -1) that
// does not only stand between, or is the number of a model, or -1.
func beside(items []item, i, step int) int {
	for k := i + step; k >= 0 && k < len(items); k += step {
		if !items[k].isBetween() && !(items[k].class == itemNumber && numberBelongs(items, k)) {
			return k
		}
	}
	return -1
}

// assign says for each amount which memory it is.
func (l *lexicon) assign(items []item) {
	for i := range items {
		if it := &items[i]; it.class == itemAmount {
			if it.kind == itemWord {
				it.kind = l.kindOf(items, i)
			}
			if it.kind == itemRAM && it.modules > 0 { // of graphics cards, the memory of one counts
				it.gb *= it.modules
			}
			if it.kind == itemWord || it.kind == itemRAM && it.gb == 0 {
				it.class = itemNumber
			}
		}
	}
	isVRAM := func(i int) bool {
		return i >= 0 && i < len(items) && (items[i].class == itemVRAM || items[i].class == itemAmount && items[i].kind == itemVRAM)
	}
	isCard := func(i int) bool { return i < len(items) && items[i].class == itemCard && items[i].parameter == "" }
	for i := range items { // "8 gb vram amd", "amd gpu": the maker of the card, and not of the processor
		if it := &items[i]; it.class == itemBrand && slices.Contains(l.makers, it.text) && (isVRAM(i-1) || isVRAM(i+1) || isCard(i+1)) {
			it.class, it.parameter, it.value = itemCard, "gpuVendor", it.text
		}
	}
}

// kindOf returns which memory an amount is: what the word beside it says, else what has such
// memory.
func (l *lexicon) kindOf(items []item, i int) itemClass {
	amount := &items[i]
	before, behind := beside(items, i, -1), beside(items, i, 1)
	isMemory := func(k int) bool {
		return k >= 0 && !items[k].used && (items[k].class == itemRAM || items[k].class == itemVRAM || items[k].class == itemDisk)
	}
	memory := -1
	next := -1 // the amount behind the word for memory
	if isMemory(behind) {
		if next = beside(items, behind, 1); next >= 0 && items[next].class != itemAmount {
			next = -1
		}
	}
	switch {
	case isMemory(behind) && next >= 0 && items[behind-1].ended && !isMemory(before): // "24 gb; ram: 64 gb"
	case isMemory(before) && isMemory(behind) && next >= 0:
		memory = before // "ram 16 gb vram 8 gb"
	case isMemory(behind):
		memory = behind
	case isMemory(before):
		memory = before
	}
	// Without a unit, only "16 ram" and "ram 16" are amounts.
	if memory >= 0 && (amount.hasUnit || (memory == i-1 || memory == i+1) && strings.HasSuffix(items[memory].text, "ram")) {
		items[memory].used = true
		return items[memory].class
	}
	if !amount.hasUnit {
		return itemWord
	}
	if behind == i+1 && items[behind].class == itemCard {
		return itemVRAM // "8 gb gpu"
	}
	for _, k := range []int{before, behind} {
		if k < 0 {
			continue
		}
		switch other := &items[k]; {
		case other.isCard() && other.unknown:
		case other.isCard() && slices.Contains(other.device.MemoryGb, hardware.ReadSize(amount.gb, l.table.Sizes.VRAMGb)):
			return itemVRAM
		case other.isComputer():
			return ramOrDisk(other, amount.gb)
		}
	}
	for _, k := range []int{before, behind} {
		if k < 0 {
			continue
		}
		switch other := &items[k]; {
		case other.class == itemCard:
			return itemVRAM
		case other.isCard() && len(other.device.MemoryGb) > 0 && amount.gb > slices.Max(other.device.MemoryGb):
			return itemRAM
		case other.isCard():
			return itemVRAM
		case other.class == itemFilter:
			return itemRAM // "16 gb, no gpu"
		case other.class == itemAmount && other.kind == itemRAM && amount.gb >= leastDisk, other.class == itemAmount && other.kind == itemDisk:
			return itemDisk
		case other.class == itemAmount && other.kind == itemVRAM:
			return itemRAM
		}
	}
	if i == len(items)-1 && amount.gb >= leastBare && slices.Contains(l.table.Sizes.RAMGb, amount.gb) && i > 0 && items[i-1].class == itemWord {
		return itemRAM // "chat app 16 gb"
	}
	return itemWord
}

// leastBare is the least size at the end of a query that is memory without a word that says
// so, in gigabytes.
const leastBare = 4

// leastDisk is the least size of a disk that nobody calls so, in gigabytes: "16 gb, 512 gb".
const leastDisk = 128

// ramOrDisk says which memory of a computer an amount is that nobody calls so.
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

// settleVariants marks the devices that are followed by a word which makes another product of
// the name. Elsewhere, such a word compares ("16 gb max") or means nothing.
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

// ownWords stand before a computer that is the user's, and not the subject of the query.
var ownWords = wordSet("on with for my a an the our using via has have own in to and or this old new his her your their")

// dropSubjects leaves phones and computers without a size as words where they are the subject of
// the query: "answers about thinkpad repairs".
func dropSubjects(items []item) {
	for i := range items {
		it := &items[i]
		isVague := it.class == itemProduct || it.class == itemDevice && it.device.Kind == hardware.KindPhone
		if !isVague || it.ended || i+1 == len(items) || items[i+1].class != itemWord {
			continue
		}
		if i > 0 && (items[i-1].class == itemWord || items[i-1].isBetween() && !ownWords[items[i-1].text]) {
			it.class = itemWord
		}
	}
}

// groups returns the ranges of items that name a computer: each anchor with its neighbours that
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

// belongs reports whether the item i describes a computer if one is named beside it.
func belongs(items []item, i int) bool {
	switch it := &items[i]; it.class {
	case itemRAM, itemVRAM, itemDisk, itemComputer, itemBrand, itemCard, itemPrinted:
		return true
	case itemVague:
		return i == 0 || items[i-1].class != itemWord
	case itemVariant:
		return i > 0 && items[i-1].unknown
	case itemCount:
		return i+1 < len(items) && (items[i+1].class == itemDevice || items[i+1].class == itemCard || items[i+1].class == itemBrand)
	case itemNumber:
		return numberBelongs(items, i)
	default:
		return it.isAnchor()
	}
}

// numberBelongs reports whether a number or a code is of what stands before it ("i7 12700h",
// "xps 13", "(rev 1.0)"), counts what stands behind it ("2x rtx 3090"), or is of what devices
// print ("11th gen").
func numberBelongs(items []item, i int) bool {
	text := items[i].text
	digits := digitsOf(text)
	k := i + 1
	if isCount := len(digits) == 1 && (digits == text || text == digits+"x"); isCount {
		if k < len(items) && items[k].text == "x" {
			k++
		}
		if k < len(items) && (items[k].class == itemDevice || items[k].class == itemCard && items[k].parameter != "") && (text != digits || k > i+1) {
			return true
		}
	}
	isYear := len(digits) == 4 && digits == text && (strings.HasPrefix(digits, "19") || strings.HasPrefix(digits, "20"))
	if k = i + 1; k < len(items) && (digits != "" && items[k].class == itemPrinted || isYear && (items[k].isComputer() || items[k].class == itemBrand)) {
		return true
	}
	for k = i - 1; k >= 0 && items[k].class == itemNumber; k-- {
	}
	if k < 0 {
		return false
	}
	isCode := digits != "" || len(strings.TrimRight(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz"), "0123456789")) <= 3
	switch before := &items[k]; before.class {
	case itemBrand, itemProduct, itemPrinted:
		return isCode
	case itemComputer: // "macbook pro 2019", "ubuntu 24.04"
		return digits != "" && before.parameter != ""
	case itemDevice:
		return digits != "" && (before.device.Kind == hardware.KindProcessor || strings.HasPrefix(text, "0x") || before.listed)
	}
	return false
}

// computer is what a query says of the user's computer.
type computer struct {
	machine  hardware.Machine // as it is given
	read     hardware.Machine // as it is compared: with figures in the sizes that are sold
	cut      []bool           // the words that are not searched for
	given    bool             // parameters name a computer, too
	warnings []api.Warning
}

// computer reads the user's computer from a text. A parameter that is given wins. It returns
// false if the text names none.
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

// stated returns the machine that items say, as it is given and as its figures are read:
// amounts first, then wordings, then devices. ram is the RAM of the machine as it is read, if
// the items do not say it.
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
	for _, filters := range []bool{true, false} {
		for i := range items {
			if (items[i].class == itemFilter) == filters {
				m := items[i].meaning(ram)
				given.Add(&m)
				read.Add(&m)
			}
		}
	}
	return given, read
}

// meaning returns what an item says of the machine, whose RAM is ram; nil if it is not known.
func (it *item) meaning(ram *float64) (m hardware.Machine) {
	switch d := it.device; {
	case it.class == itemDevice && it.unknown:
	case it.class == itemDevice:
		gb := ram
		if d.Kind == hardware.KindCard || gb == nil {
			gb = nil
			if len(d.MemoryGb) > 0 {
				gb = &d.MemoryGb[0]
			}
		}
		return d.Machine(gb)
	case it.parameter != "":
		m.Set(it.parameter, it.value)
	}
	return m
}

// understood returns the warning that says what a group of items was understood as. said is
// what they say, phrase what they are.
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
	isVague := func(it item) bool { return it.unknown || it.class == itemProduct }
	switch {
	case len(applied) > 0:
		w.Message += " was understood as " + strings.Join(append([]string{strings.Join(applied, ", ")}, sizes...), "; ") + "."
		if slices.ContainsFunc(group, func(it item) bool {
			return it.class == itemCount || it.counted || it.class == itemNumber && strings.HasSuffix(it.text, "x")
		}) {
			w.Message += " Of several cards, the memory of one counts."
		}
		if len(overridden) > 0 && c.given {
			w.Message += " Instead of what it says of " + strings.Join(overridden, " and ") + ", the parameters count."
		}
	case said.Named():
		w.Message += " had no effect, because other filters say otherwise."
	case slices.ContainsFunc(group, isVague):
		w.Message += " does not say how much memory there is: add it, such as 16 GB RAM."
	default:
		w.Message += " describes a computer, and was not searched for."
	}
	return w
}

// sizeRead says that a figure was read as the size that is sold.
func sizeRead(given, read string) string {
	return given + " GB counts as " + read + " GB, the size that is sold"
}
