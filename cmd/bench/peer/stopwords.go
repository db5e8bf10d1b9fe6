package peer

import (
	_ "embed"
	"strings"
)

//go:embed stopwords.txt
var stopWordsFile string

// StopWords returns the Snowball project's list of English stop words (BSD licence), in lower case.
// Bleve's English analyser drops the same words.
func StopWords() []string { return strings.Fields(stopWordsFile) }
