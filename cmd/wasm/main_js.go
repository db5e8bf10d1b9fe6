package main

import (
	"runtime"
	"syscall/js"

	"catalog.example/api/search"
)

// main defines three functions for scripts, and keeps running for their calls:
//
//	catalogSearch.open(Uint8Array)  opens a compact index; returns null, or an error message
//	catalogSearch.answer(string)    returns the JSON of the answer to a query string; null
//	                                if no index is open or the argument is not a string
//	catalogSearch.rest()            collects garbage, for which later answers would have to
//	                                wait; call it when nobody waits for one
//
// Wrong arguments do not end the program.
func main() {
	var index *search.Index
	open := func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || !args[0].InstanceOf(js.Global().Get("Uint8Array")) {
			return "catalogSearch.open needs the bytes of a compact index: a Uint8Array"
		}
		file := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(file, args[0])
		ix, err := search.OpenCompact(file)
		if err != nil {
			return err.Error()
		}
		index = ix
		return nil
	}
	answerQuery := func(_ js.Value, args []js.Value) any {
		if index == nil || len(args) != 1 || args[0].Type() != js.TypeString {
			return nil
		}
		return string(answer(index, args[0].String()))
	}
	rest := func(js.Value, []js.Value) any {
		runtime.GC()
		return nil
	}
	object := js.Global().Get("Object").New()
	object.Set("open", js.FuncOf(open))
	object.Set("answer", js.FuncOf(answerQuery))
	object.Set("rest", js.FuncOf(rest))
	js.Global().Set("catalogSearch", object)
	select {}
}
