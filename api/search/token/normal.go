//go:build !js

package token

import "golang.org/x/text/unicode/norm"

// composed returns Unicode NFKC of a text, and decomposed NFKD.
func composed(s string) string   { return norm.NFKC.String(s) }
func decomposed(s string) string { return norm.NFKD.String(s) }
