package api

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// EachMember visits the members of a compact JSON object as encoding/json writes
// it: the key and where the member begins and ends.
func EachMember(object []byte, visit func(key string, from, to int)) error {
	depth, from, inText := 0, 1, false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
		case c == ',' && depth == 1, (c == '}' || c == ']') && depth == 1:
			key, _, ok := bytes.Cut(object[from:i], []byte(`":`))
			if !ok || key[0] != '"' {
				return fmt.Errorf("member at byte %d has no key", from)
			}
			visit(string(key[1:]), from, i)
			from = i + 1
			if c != ',' {
				depth--
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
