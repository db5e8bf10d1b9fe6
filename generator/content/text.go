package content

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/api"
)

// Maximum lengths of texts, in characters.
const (
	maxName        = 80   // a heading of two lines on a phone
	maxShort       = 200  // one line: a job, a topic, an alias, a caveat
	maxSource      = 500  // an address or a citation
	maxDescription = 300  // a category or a page: twice what a search engine shows
	maxAddress     = 2000 // every browser and server accepts this length
)

// textProblem returns what is wrong with a text of one line, or "". It checks all texts of
// front matter and taxonomy.
func textProblem(text string, most int) string {
	switch n := utf8.RuneCountInString(text); {
	case n > most:
		return fmt.Sprintf("has %d characters: at most %d are allowed", n, most)
	case strings.ContainsFunc(text, breaksLine):
		return "contains a line break or another control character: write one line"
	case text != strings.TrimSpace(text):
		return "begins or ends with white space"
	}
	return ""
}

// entryProblem returns what is wrong with an entry of a list of short texts, or "".
func entryProblem(text string) string {
	if strings.TrimSpace(text) == "" {
		return "an entry is empty; remove it"
	}
	return textProblem(text, maxShort)
}

// breaksLine reports whether a character is a control character, or a line or paragraph separator,
// which browsers and terminals treat as a line break.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// emptyMessage is the message for an empty value.
const emptyMessage = "is empty; leave it out or write null where it is unknown"

// maxQuoted bounds a text in a message, in characters.
const maxQuoted = 100

// quote returns a text in quotation marks for a message, shortened to maxQuoted.
func quote(text string) string { return strconv.Quote(api.Shorten(text, maxQuoted)) }
