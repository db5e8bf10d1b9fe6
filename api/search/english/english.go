// Package english has the common words of English. They come from the word lists "small",
// American and British, of SCOWL by Kevin Atkinson, as Debian packages them (wamerican-small
// and wbritish-small 2020.12.07); COPYING has the notices. Words with capitals or apostrophes
// and those of fewer than 4 letters are left out.
package english

import (
	_ "embed"
	"iter"
	"strings"
)

//go:embed words.txt
var text string

// ShortestWord is the number of letters of the shortest words.
const ShortestWord = 4

// Words returns the words, in small letters a to z, sorted.
func Words() iter.Seq[string] { return strings.FieldsSeq(text) }
