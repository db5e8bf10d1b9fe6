package api

import (
	"bytes"
	"encoding/json"
)

// JSON returns the JSON of a value of this package as it travels: compact, and
// without the escapes that only HTML needs. What the build writes into files,
// keeps in the index and the server sends are the same bytes, so that ETags
// agree.
func JSON(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
