package search

import (
	"strconv"

	"catalog.example/api"
)

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// appendStrings appends an array of texts, null for nil.
func appendStrings(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = api.AppendString(dst, s)
	}
	return append(dst, ']')
}
