// Package english contains the common words of English. They come from the "small" American and
// British word lists of SCOWL by Kevin Atkinson, as packaged by Debian (wamerican-small and
// wbritish-small 2020.12.07); the notices are in COPYING. Words with capitals or apostrophes, and
// words of fewer than 4 letters, are left out.
package english

import (
	_ "embed"
	"iter"
	"strings"
)

//go:embed words.txt
var text string

// ShortestWord is the length of the shortest words, in letters.
const ShortestWord = 4

// Words returns the words in sorted order. They consist of the letters a to z, in lower case.
func Words() iter.Seq[string] { return strings.FieldsSeq(text) }
