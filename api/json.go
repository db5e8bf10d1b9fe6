package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"unicode/utf8"

	"catalog.example/api/site"
)

// JSON encodes a value of this package compactly, without HTML escapes. Files, the index
// and the server use the same encoder, so that their ETags agree.
func JSON(value any) ([]byte, error) {
	b, ok := buffers.Get().(*bytes.Buffer)
	if !ok {
		b = &bytes.Buffer{}
	}
	b.Reset()
	defer buffers.Put(b)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil // no larger than it must be, as builds keep it
}

var buffers sync.Pool // of *bytes.Buffer, for JSON

// EachMember calls visit for each member of a compact JSON object, as encoding/json writes it, with
// the key and with the start and end of the member in object. It returns an error for a member
// without a key.
func EachMember(object []byte, visit func(key []byte, start, end int)) error {
	depth, start := 0, 1
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case c == '"':
			i = endOfString(object, i+1)
		case c == '{' || c == '[':
			depth++
		case c == ',' && depth == 1, (c == '}' || c == ']') && depth == 1:
			key, _, ok := bytes.Cut(object[start:i], []byte(`":`))
			if !ok || !bytes.HasPrefix(key, []byte{'"'}) {
				return errors.New("member at byte " + strconv.Itoa(start) + " has no key")
			}
			visit(key[1:], start, i)
			start = i + 1
			if c != ',' {
				depth--
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// endOfString returns the position of the quotation mark that ends a JSON string, whose text begins at a position.
func endOfString(text []byte, from int) int {
	for i := from; ; i++ {
		n := bytes.IndexByte(text[min(i, len(text)):], '"')
		if n < 0 {
			return len(text)
		}
		i += n
		escapes := 0
		for i-escapes > from && text[i-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// AppendString appends a JSON string as encoding/json writes it without HTML escapes.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029': // JavaScript treats them as line breaks
			dst = append(append(dst, s[start:i]...), '\\', 'u', '2', '0', '2', hex[r&15])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// AppendStrings appends a JSON array of strings; nil becomes null.
func AppendStrings(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// AppendWarnings appends warnings as a JSON array.
func AppendWarnings(dst []byte, warnings []Warning) []byte {
	dst = append(dst, '[')
	for i, warning := range warnings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(append(dst, `{"code":`...), warning.Code)
		dst = AppendString(append(dst, `,"parameter":`...), warning.Parameter)
		dst = AppendString(append(dst, `,"message":`...), warning.Message)
		if warning.Value != "" {
			dst = AppendString(append(dst, `,"value":`...), warning.Value)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// ListItem returns the JSON of a Project without the closing brace, given the JSON of its
// ProjectDetail: the two begin with the same keys. The result is a part of detail.
func ListItem(detail []byte) ([]byte, error) {
	end := -1
	err := EachMember(detail, func(key []byte, start, _ int) {
		if string(key) == "description" {
			end = start - 1 // before the comma
		}
	})
	if err == nil && end < 0 {
		err = errors.New("the listing has no description")
	}
	if err != nil {
		return nil, err
	}
	return detail[:end:end], nil
}

// ProjectJSON returns the JSON of a Project, a ProjectDetail or a Hit, leaving out the keys of the
// fields named in Settings.Without. Fields named in Settings.Optional are null if empty.
func ProjectJSON(s *site.Settings, project any) ([]byte, error) {
	text, err := JSON(project)
	if err != nil || len(s.Without) == 0 && len(s.Optional) == 0 {
		return text, err
	}
	kept := append(make([]byte, 0, len(text)), '{')
	err = EachMember(text, func(key []byte, start, end int) {
		member := text[start:end]
		if value, empty := bytes.CutSuffix(member, []byte(`:""`)); empty && s.IsOptional(string(key)) {
			member = append(bytes.Clone(value), ":null"...)
		}
		if s.HasKey(string(key)) {
			kept = append(append(kept, member...), ',')
		}
	})
	return append(bytes.TrimSuffix(kept, []byte(",")), '}'), err
}
