package shrink

import (
	"bytes"
	"strings"
)

// keptNames are the names of functions that the runtime compares with others.
type keptNames struct {
	kept map[string]int // their offsets
}

// of returns the offset of the name that a function gets instead of its own. The runtime has to recognise its own
// goroutines, by the beginning of the name, and two functions of package reflect.
func (k *keptNames) of(t *tables, offset int) int {
	name := t.name(offset)
	switch {
	case strings.HasPrefix(name, "runtime."):
		name = "runtime."
	case name == "reflect.makeFuncStub", name == "reflect.methodValueCall":
	default:
		name = ""
	}
	at, ok := k.kept[name]
	if !ok {
		at = offset
		if name == "" {
			at += len(t.name(offset)) // the zero that ends it
		}
		k.kept[name] = at
	}
	return at
}

func (t *tables) name(offset int) string {
	name, _, _ := bytes.Cut(t.memory[t.names+offset:t.units], []byte{0})
	return string(name)
}

// keepNames empties the table of names, except for those that are kept.
func (t *tables) keepNames(names *keptNames) {
	list := make(memory, t.units-t.names)
	for _, offset := range names.kept {
		copy(list[offset:], t.name(offset))
	}
	copy(t.memory[t.names:], list)
}
