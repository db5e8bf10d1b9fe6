package engine

import (
	"bytes"
	"strings"
	"testing"

	"catalog.example/generator/lzma"
)

const (
	version  = "\x00asm\x01\x00\x00\x00"
	sections = version + "\x00\x02\x01x" + "\x05\x03\x01\x00\x01" // a custom section, and a memory of one page
)

// Data segments become one with zeros between them. A later one stays where two overlap.
func TestPackJoinsSegments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ data, want string }{
		"none":  {"", ""},
		"empty": {"\x0b\x01\x00", "\x0b\x01\x00"},
		"one":   {"\x0b\x08\x01\x00\x41\x08\x0b\x02ab", "\x0b\x08\x01\x00\x41\x08\x0b\x02ab"},
		"overlapping, not in order, and behind a gap": {
			"\x0b\x1c\x04" + "\x00\x41\x04\x0b\x03abc" + "\x00\x41\x02\x0b\x01-" + "\x00\x41\x05\x0b\x02BC" + "\x00\x41\x0a\x0b\x01z",
			"\x0b\x0f\x01\x00\x41\x02\x0b\x09-\x00aBC\x00\x00\x00z",
		},
		"an address with the bit of the sign": {
			"\x0b\x0f\x02" + "\x00\x41\xc0\x00\x0b\x01a" + "\x00\x41\xc1\x00\x0b\x01b",
			"\x0b\x09\x01\x00\x41\xc0\x00\x0b\x02ab",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packed, err := Pack([]byte(sections + test.data))
			if err != nil {
				t.Fatal(err)
			}
			if want := lzma.Encode([]byte(sections + test.want)); !bytes.Equal(packed, want) {
				joined, _ := joinSegments([]byte(sections + test.data))
				t.Errorf("joined to %q, want %q", joined, sections+test.want)
			}
		})
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "does not begin with its version",
		"#!/bin/sh and no program":        "does not begin with its version",
		version + "\x05":                  "ends within a section",
		version + "\x05\x03\x01":          "ends within a section",
		version + "\x0c\x01\x01":          "counts its data segments",
		version + "\x0b\x00":              "ends within a section",
		version + "\x0b\x04\x01\x01\x01a": "no constant address",
		version + "\x0b\x07\x01\x00\x41\x7f\x0b\x01a":                 "not one positive number",
		version + "\x0b\x06\x01\x00\x41\x00\x01a":                     "not one positive number",
		version + "\x0b\x07\x01\x00\x41\x00\x0b\x09a":                 "ends within a section",
		version + "\x0b\x08\x01\x00\x41\x00\x0b\x01ab":                "more than its segments",
		version + "\x0b\x0b\x01\x00\x41\xff\xff\xff\xff\x07\x0b\x01a": "ends at 2147483648",
	} {
		if packed, err := Pack([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want an error with %q", text, packed, err, want)
		}
	}
}
