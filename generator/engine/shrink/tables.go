package shrink

import (
	"bytes"
	"encoding/binary"
)

// tables are what the runtime knows of functions (runtime.pcHeader).
type tables struct {
	memory
	count                                        int // of functions
	names, units, files, values, functions, last int // addresses; last is where the functions end
	data                                         int // address of what functions refer to (go:func.*)
}

// Offsets in runtime._func.
const (
	offsetName       = 4
	offsetFile       = 20
	offsetLine       = 24
	offsetTableCount = 28
	offsetUnit       = 32
	offsetStartLine  = 36
	offsetDataCount  = 43
	offsetTables     = 44
)

// Numbers of the tables and data of a function (package internal/abi).
const (
	tableInlined   = 2
	tableLiveness  = 3
	dataInlined    = 3
	dataArguments  = 5
	dataLiveness   = 6
	sizeOfInlined  = 16 // bytes
	noData         = 1<<32 - 1
	pointer        = 8 // bytes
	offsetOfGoFunc = 320
)

func (m memory) word(at int) int { return int(binary.LittleEndian.Uint32(m[at:])) }

func (m memory) set(at int, v uint32) { binary.LittleEndian.PutUint32(m[at:], v) }

// pointer returns the pointer at an address, or an offset. The upper half of both is 0.
func (m memory) pointer(at int) int {
	if binary.LittleEndian.Uint32(m[at+4:]) != 0 {
		return -1
	}
	return m.word(at)
}

// findTables finds the tables of a program. ok is false if they are not as expected.
func (m memory) findTables() (t tables, ok bool) {
	const headerSize = 9 * pointer
	magic := []byte{0xF1, 0xFF, 0xFF, 0xFF, 0, 0, 1, pointer}
	header := bytes.Index(m, magic)
	if header < 0 || header%pointer != 0 || header+headerSize > len(m) || bytes.Count(m, magic) != 1 {
		return t, false
	}
	t = tables{memory: m, count: m.pointer(header + pointer)}
	before := header
	for i, address := range []*int{&t.names, &t.units, &t.files, &t.values, &t.functions} {
		*address = header + m.pointer(header+(4+i)*pointer)
		if *address <= before || *address >= len(m) {
			return t, false
		}
		before = *address
	}
	// runtime.moduledata begins with the address of the header and those of these tables.
	module := binary.LittleEndian.AppendUint64(nil, uint64(header))
	module = binary.LittleEndian.AppendUint64(module, uint64(t.names))
	at := bytes.Index(m, module)
	if at < 0 || at+offsetOfGoFunc+2*pointer > len(m) {
		return t, false
	}
	t.data, t.last = m.pointer(at+offsetOfGoFunc), m.pointer(at+offsetOfGoFunc+pointer)
	return t, t.data > 0 && t.last > t.functions && t.last <= len(m) && t.count > 0 &&
		t.count < (t.last-t.functions)/(2*4)
}

// shrink empties what only stack traces show. ok is false if a table is not as expected.
func (m memory) shrink() (ok bool) {
	t, ok := m.findTables()
	if !ok {
		return false
	}
	defer func() { // an address that is not in memory
		if recover() != nil {
			ok = false
		}
	}()
	names := keptNames{map[string]int{}}
	used := map[int]bool{} // tables of values
	for i := range t.count {
		at := t.functions + m.word(t.functions+8*i+4)
		if at < t.functions || at+offsetTables > t.last {
			return false
		}
		t.function(at, &names, used)
	}
	t.keepNames(&names)
	clear(m[t.units:t.values])
	t.keepValues(used)
	return true
}

// function empties what stack traces show of a function, and notes the tables that it has besides.
func (t *tables) function(at int, names *keptNames, used map[int]bool) {
	tableCount, dataCount := t.word(at+offsetTableCount), int(t.memory[at+offsetDataCount])
	data := at + offsetTables + 4*tableCount
	if inlined := data + 4*dataInlined; dataInlined < dataCount && t.word(inlined) != noData {
		t.inlined(t.data+t.word(inlined), t.word(at+offsetTables+4*tableInlined), names)
	}
	t.set(at+offsetName, uint32(names.of(t, t.word(at+offsetName)))) // an offset in the table
	for _, offset := range []int{offsetFile, offsetLine, offsetUnit, offsetStartLine} {
		t.set(at+offset, 0)
	}
	if tableCount > tableLiveness {
		t.set(at+offsetTables+4*tableLiveness, 0)
	}
	for _, n := range []int{dataArguments, dataLiveness} {
		if n < dataCount {
			t.set(data+4*n, noData)
		}
	}
	used[t.word(at+offsetFile-4)] = true // how large its stack is
	for i := range tableCount {
		used[t.word(at+offsetTables+4*i)] = true
	}
}

// inlined empties what stack traces show of the functions that are inlined in a function: at is where they are, and
// table the offset of the table of their numbers.
func (t *tables) inlined(at, table int, names *keptNames) {
	most := int64(-1)
	t.eachValue(table, func(value int64) { most = max(most, value) })
	for i := range int(most) + 1 {
		entry := at + sizeOfInlined*i
		t.set(entry+4, uint32(names.of(t, t.word(entry+4)))) // an offset in the table
		t.set(entry+12, 0)
	}
}

// eachValue visits the values of a table of values: pairs of the difference to the value before, and for how much
// code it holds. It returns where the table ends.
func (t *tables) eachValue(offset int, visit func(value int64)) (end int) {
	value, at := int64(-1), t.values+offset
	for first := true; first || t.memory[at] != 0; first = false {
		difference, n := binary.Uvarint(t.memory[at:t.functions])
		value += -int64(difference&1) ^ int64(difference>>1)
		at += n
		_, n = binary.Uvarint(t.memory[at:t.functions])
		at += n
		visit(value)
	}
	return at + 1
}

// keepValues empties the tables of values that are not used.
func (t *tables) keepValues(used map[int]bool) {
	kept := make(memory, t.functions-t.values)
	for offset := range used {
		if offset > 0 { // 0 is none
			end := t.eachValue(offset, func(int64) {})
			copy(kept[offset:], t.memory[t.values+offset:end])
		}
	}
	copy(t.memory[t.values:], kept)
}
