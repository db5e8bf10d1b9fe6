package token

import "syscall/js"

// composed returns Unicode NFKC of a text, and decomposed NFKD. Browsers know both, so the engine need not
// load their tables: 32 KB.
func composed(s string) string   { return normalized(s, "NFKC") }
func decomposed(s string) string { return normalized(s, "NFKD") }

func normalized(s, form string) string {
	return js.Global().Get("String").Get("prototype").Get("normalize").Call("call", s, form).String()
}
