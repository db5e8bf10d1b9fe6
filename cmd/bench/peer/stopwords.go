package peer

import (
	_ "embed"
	"strings"
)

//go:embed stopwords.txt
var stopWordsFile string

// StopWords returns the Snowball project's list of English stop words (BSD
// licence), the same that Bleve's English analyser drops, lower-case.
func StopWords() []string { return strings.Fields(stopWordsFile) }
