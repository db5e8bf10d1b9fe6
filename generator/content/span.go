package content

import (
	"bytes"
	"errors"
)

// FrontMatterSpan returns where the front matter of a listing's file begins and
// ends, in bytes: what stands between its --- lines, with the last line break.
func FrontMatterSpan(file []byte) (start, end int, err error) {
	parts, message := splitFrontMatter(file)
	if message != "" {
		return 0, 0, errors.New(message)
	}
	start = bytes.IndexByte(file, '\n') + 1 // behind the first ---
	return start, start + len(parts.frontMatter), nil
}
