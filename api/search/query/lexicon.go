package query

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/token"
)

// itemClass is what an item says about the user's computer.
type itemClass uint8

const (
	itemWord     itemClass = iota // nothing
	itemBetween                   // a function word; may stand between items that belong together
	itemCompare                   // a comparison word, such as "under"; belongs to the amount next to it
	itemDevice                    // the name of a device
	itemFilter                    // a wording that means a value of a parameter, such as "no gpu"
	itemAmount                    // an amount of memory; the unit may be missing beside "ram" or "vram"
	itemRAM                       // a word for RAM
	itemVRAM                      // a word for VRAM
	itemDisk                      // a word for disk space
	itemComputer                  // a word for a computer
	itemVague                     // the same, unless another word stands right before it: "mcp server"
	itemBrand                     // a maker of computers
	itemProduct                   // the name of a product line, sold with various amounts of memory
	itemCard                      // a word for a graphics card, perhaps with its maker
	itemPrinted                   // a word that is printed beside a device's name
	itemCount                     // a number of cards: "dual"
	itemVariant                   // a word that turns a device's name into another product's
	itemNumber                    // another number, or a code; may belong to the item beside it
)

// item is one or more words of a query with a common meaning.
type item struct {
	class    itemClass
	from, to int // its words
	device   *hardware.Device
	text     string // the words; empty for some classes
	// parameter and value are what an itemFilter means, the maker that an itemCard names, or the
	// system that an itemComputer names; "" for none.
	parameter, value string
	gb               float64 // of an itemAmount
	modules          float64 // how many of that size: 2 for "2x16 gb"; 0 if not stated
	// kind is the kind of memory of an itemAmount: itemRAM, itemVRAM, itemDisk, or itemWord if
	// unknown. hasUnit means that the amount has a unit of memory.
	kind    itemClass
	hasUnit bool
	unknown bool // an itemDevice followed by a variant that is not in the list of devices
	listed  bool // an itemDevice followed by a slash and more names
	count   int  // of an itemDevice whose name says how many there are: 2 for "2x3090"; 0 if not stated
	// besides means that an itemFilter leaves room for a card that is named besides: "integrated graphics", "no
	// nvidia gpu", but not "cpu only".
	besides bool
	ended   bool // a comma or similar mark follows it
	used    bool // an itemRAM, itemVRAM or itemDisk that belongs to an amount
}

// is reports whether the item has one of the given classes.
func (it *item) is(classes ...itemClass) bool { return slices.Contains(classes, it.class) }

// isAnchor reports whether the item alone is enough to describe a computer.
func (it *item) isAnchor() bool {
	switch it.class {
	case itemDevice, itemFilter, itemProduct:
		return true
	case itemAmount:
		return it.kind != itemWord
	}
	return false
}

// isBetween reports whether the item may stand between two items that belong together.
func (it *item) isBetween() bool { return it.class == itemBetween || it.class == itemCompare }

// isComputer reports whether the item is a computer rather than a graphics card: memory beside it
// is RAM or disk space.
func (it *item) isComputer() bool {
	switch it.class {
	case itemComputer, itemVague, itemBrand, itemProduct:
		return true
	case itemDevice:
		return it.device.Kind != hardware.KindCard
	}
	return false
}

// isCard reports whether the item is the name of a graphics card.
func (it *item) isCard() bool {
	return it.class == itemDevice && it.device.Kind == hardware.KindCard
}

// lexicon recognises devices and the words that describe computers.
type lexicon struct {
	language *token.Language
	sizes    hardware.SizeReader
	table    *hardware.Table
	// names maps the joined words of each name to the name. starts has the beginnings of all names,
	// in whole words.
	names   map[string]deviceName
	starts  map[string]bool
	phrases phraseTable[item] // items without positions
	makers  []string          // of graphics cards
}

// deviceName is a name of a device. A query may leave out its spaces ("rtx3060"), but not add
// others ("a 10" for A10): cuts has the offsets at which the joined name may be split.
type deviceName struct {
	device *hardware.Device
	cuts   []int
}

// isDeviceAt reports whether word i is the first of the name of a device, or stands between a maker and a number:
// "xiaomi mi 8". l may be nil.
func (l *lexicon) isDeviceAt(words []string, i int) bool {
	if l == nil {
		return false
	}
	if i > 0 && i+1 < len(words) && startsWithDigit(words[i+1]) {
		if maker, n := l.phrases.at(words[i-1 : i]); n > 0 && maker.class == itemBrand {
			return true
		}
	}
	if !l.starts[words[i]] {
		return false
	}
	_, n := l.nameAt(words[i:])
	return n > 0
}

// newLexicon returns the lexicon of a taxonomy, or nil if listings have no setups.
func newLexicon(t *api.Taxonomy, language *token.Language) *lexicon {
	if !t.HasSetups() {
		return nil
	}
	l := &lexicon{
		language: language, sizes: t.Hardware.SizeReader(), table: &t.Hardware,
		names: map[string]deviceName{}, starts: map[string]bool{}, phrases: newPhraseTable[item](),
	}
	for i := range t.Hardware.Devices {
		d := &t.Hardware.Devices[i]
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			l.addName(d, token.Of(name))
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
		{itemRAM, w.RAM}, {itemVRAM, w.VRAM}, {itemDisk, w.Disk}, {itemComputer, w.Computer}, {itemVague, w.Vague},
		{itemBrand, w.Brand}, {itemProduct, w.Product}, {itemCard, w.Card}, {itemPrinted, w.Printed},
		{itemVariant, w.Variant}, {itemWord, w.Other}, {itemCount, slices.Sorted(maps.Keys(countWords))},
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
		for _, text := range w.Filter[filter] {
			isExclusive := slices.ContainsFunc(token.Of(text), func(word string) bool { return exclusiveWords[word] })
			l.add([]string{text}, item{class: itemFilter, parameter: parameter, value: value,
				besides: filter == "vramGb=0" && !isExclusive})
		}
	}
	return l
}

// countWords say how many cards there are. Only the memory of one card counts.
var countWords = map[string]int{
	"dual": 2, "twin": 2, "double": 2, "two": 2, "three": 3, "four": 4, "pair of": 2, "a pair of": 2, "couple of": 2,
	"a couple of": 2,
}

// exclusiveWords are those of wordings that leave no room for a graphics card.
var exclusiveWords = token.Set("no not none only just without less free gpuless")

// between lists phrases that, like function words, may stand between the words for a computer.
var between = slices.Concat(
	slices.Collect(maps.Keys(comparisonsBefore.values)), slices.Collect(maps.Keys(comparisonsBehind.values)),
	strings.Fields(`
		w dedicated shared got old equipped installed available usable free spare ecc upgraded running comes each
		whole whopping`))

// negations, then adjectives, may precede the word for a graphics card that the computer lacks, or that a tool must
// not need: "no dedicated gpu".
var (
	negations = phrases(`
		no, without, lacks, lacking, has no, have no, got no, with no, minus, zero, not have, dont have, doesnt have,
		havent got, hasnt got, not a, isnt a, no need for, not need, not needing, dont need, doesnt need, without
		needing, not require, not requiring, doesnt require, without requiring`)
	adjectives = token.Set(`
		a an any dedicated discrete separate external proper real good decent fancy powerful usable extra standalone own`)
)

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
		if words := token.Of(text); len(words) > 0 {
			it.text = strings.Join(words, " ")
			l.phrases.add(words, it)
		}
	}
}

// nameAt returns the device with the longest name at the start of words. A name that ends with a
// digit may be in the plural: "3090s".
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

// memoryUnits maps each unit of memory to its size in gigabytes.
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
			it = l.gigaoctetsAt(t, i, list)
		}
		if it.to == 0 {
			isBehindComputer := len(list) > 0 && list[len(list)-1].class == itemComputer
			it = l.itemAt(t, i, isBehindComputer)
		}
		found = found || it.is(itemDevice, itemFilter, itemProduct, itemAmount)
		list = append(list, it)
		i = it.to
	}
	return list, found
}

// negatedAt returns the item for words from i on that say that there is no graphics card, or the
// zero item.
func (l *lexicon) negatedAt(t *splitText, i int) item {
	_, n := negations.at(t.words[i:])
	k, ofMaker := i+n, false
	for n > 0 && k < len(t.words) {
		isMaker := slices.Contains(l.makers, t.words[k])
		if !isMaker && !adjectives[t.words[k]] {
			break
		}
		ofMaker = ofMaker || isMaker
		k++
	}
	if n == 0 || k == len(t.words) {
		return item{}
	}
	card, taken := l.phrases.at(t.words[k:])
	// "no card" alone may mean a payment card.
	if card.class != itemCard || card.parameter != "" || k == i+n && strings.HasPrefix(card.text, "card") {
		return item{}
	}
	return item{class: itemFilter, from: i, to: k + taken, parameter: "vramGb", value: "0", besides: ofMaker}
}

// gigaoctetsAt returns the item for an amount of memory in French that begins at word i, or the zero item: "32 go".
// The unit is also an English word, and a game. So the number must be a size of RAM, and a word for memory must follow,
// or a computer be before it.
func (l *lexicon) gigaoctetsAt(t *splitText, i int, before []item) item {
	digits, rest := t.words[i], t.words[min(i+2, len(t.words)):]
	if i+1 == len(t.words) || t.words[i+1] != "go" || digitsOf(digits) != digits {
		return item{}
	}
	gb, err := strconv.ParseFloat(digits, 64)
	if err != nil || !slices.Contains(l.table.Sizes.RAMGb, gb) {
		return item{}
	}
	last := len(before) - 1
	for last >= 0 && before[last].isBetween() {
		last--
	}
	memory, _ := l.phrases.at(rest)
	if !memory.is(itemRAM, itemVRAM) && (last < 0 || !before[last].isComputer()) {
		return item{}
	}
	ended := strings.ContainsAny(t.between(i+1), endMarks)
	return item{class: itemAmount, from: i, to: i + 2, gb: gb, hasUnit: true, text: digits, ended: ended}
}

// endMarks end what belongs to an item.
const endMarks = ",;:.|()/"

// itemAt returns the item that begins at word i: the longer of a device and a phrase (the device,
// if they are equally long), otherwise an amount or a single word. Right behind a word for a computer, digits that
// name a device are no plain number, unless they count text: "gaming laptop 4060", but not "a laptop 4090 word essay".
func (l *lexicon) itemAt(t *splitText, i int, isBehindComputer bool) item {
	it, n := l.phrases.at(t.words[i:])
	device, k := l.nameAt(t.words[i:])
	digits := digitsOf(t.words[i])
	count := 0
	if isCounted := digits != "" && strings.HasPrefix(t.words[i], digits+"x"); k == 0 && isCounted && len(digits) == 1 {
		count = int(digits[0] - '0') // "2x3090"
		device, k = l.nameAt(append([]string{t.words[i][2:]}, t.words[i+1:]...))
	}
	isCount := i+k < len(t.words) && textUnits[t.words[i+k]]
	if k > 0 && k >= n && (isBehindComputer && !isCount || !l.isNumber(t, i, i+k)) {
		it, n = item{class: itemDevice, device: device, count: count}, k
	}
	if n == 0 {
		it, n = l.countAt(t, i)
	}
	if n == 0 {
		if it, n = amountAt(t, i); n == 0 {
			it, n = item{}, 1
			switch word := t.words[i]; {
			case l.language.FunctionWords[word]:
				it.class, it.text = itemBetween, word
			case strings.HasSuffix(word, "hz") && startsWithDigit(word):
				it.class = itemPrinted
			case strings.ContainsAny(word, "0123456789"):
				it.class, it.text = itemNumber, word
			}
		}
	}
	it.from, it.to = i, i+n
	behind := t.between(it.to - 1)
	it.listed = it.class == itemDevice && strings.TrimSpace(behind) == "/"
	it.ended = strings.ContainsAny(behind, endMarks)
	return it
}

// textUnits are counted in texts, where numbers are not names of devices.
var textUnits = token.Set("word words page pages character characters line lines")

// countAt returns the item for a count with a space after it that begins at word i, before a card, and its number of
// words, or 0: "2 x rtx 3090".
func (l *lexicon) countAt(t *splitText, i int) (it item, n int) {
	digit, next := t.words[i], i+1
	if len(digit) != 1 || !startsWithDigit(digit) || next == len(t.words) {
		return item{}, 0
	}
	if t.words[next] == "x" {
		next++
	} else if strings.TrimSpace(t.between(i)) != "×" {
		return item{}, 0
	}
	device, _ := l.nameAt(t.words[next:])
	card, _ := l.phrases.at(t.words[next:])
	if device == nil && (card.class != itemCard || card.parameter == "") {
		return item{}, 0
	}
	return item{class: itemNumber, text: digit + "x"}, next - i
}

// isNumber reports whether the words from:to, the name of a device, are digits used as a plain
// number: "a 4090 word essay".
func (l *lexicon) isNumber(t *splitText, from, to int) bool {
	if to != from+1 || digitsOf(t.words[from]) != t.words[from] || to == len(t.words) || from == 0 {
		return false
	}
	next := t.words[to]
	if strings.TrimSpace(t.between(from)) != "" || l.language.FunctionWords[next] || startsWithDigit(next) {
		return false
	}
	_, n := l.phrases.at(t.words[to:])
	return n == 0
}

// amountAt returns the amount of memory that begins at word i, and how many words it takes up, or
// 0.
func amountAt(t *splitText, i int) (it item, n int) {
	if digit := strings.TrimSuffix(t.words[i], "x"); len(digit) == 1 && startsWithDigit(digit) { // "2 x 16 gb"
		next := i + 1
		if isCount := digit != t.words[i] || strings.TrimSpace(t.between(i)) == "×"; !isCount {
			next++
		}
		if next < len(t.words) && (next == i+1 || t.words[i+1] == "x") {
			if it, n = amountAt(t, next); n > 0 && it.hasUnit && it.modules == 0 {
				it.modules = float64(digit[0] - '0')
				return it, next - i + n
			}
		}
	}
	count, size, _ := strings.Cut(t.words[i], "x") // "2x16gb"
	if len(count) == 1 && startsWithDigit(count) && startsWithDigit(size) {
		unit := memoryUnits[size[len(digitsOf(size)):]]
		if gb, err := strconv.ParseFloat(digitsOf(size), 64); err == nil && unit > 0 {
			modules := float64(count[0] - '0')
			return item{class: itemAmount, gb: gb * unit, modules: modules, hasUnit: true, text: t.words[i]}, 1
		}
	}
	for _, q := range t.quantitiesAt(i) {
		it = item{class: itemAmount, gb: q.value}
		n = q.n
		unit := q.unit
		if unit == "go" { // French
			unit = "gb"
		}
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
