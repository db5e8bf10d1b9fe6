package render

import (
	"errors"
	"os"
	"testing"
)

func TestCheckCSS(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"/* a */ a{color:red}":              "",
		"@media print { a { color: red } }": "",
		"a { b: url(x.png); c: url('y') }":  "",
		"a { b: '}' } /* { */":              "",
		":root {\n  --accent: red;":         "extra.css:1:7: this { has no matching }",
		"@media print {\n a {\n b: c }":     "extra.css:1:14: this { has no matching }",
		"a { b: c } }":                      "extra.css:1:13: unexpected ending in qualified rule",
		"a {\n color red; }":                "extra.css:2:8: expected colon in declaration",
		"red":                               "extra.css:1:4: unexpected ending in qualified rule",
		"a{}\n/* a":                         "extra.css:2:1: this comment does not end: write */ after it",
		"a {\n b: 'c\n}":                    "extra.css:2:5: this text has no closing quotation mark",
		"a { b: url(x y) }":                 "extra.css:1:8: this url() is wrong: put quotation marks around the address",
		"a{}\n@IMPORT 'b.css';":             "extra.css:2:1: @import has no effect here, because style.css comes first: copy the rules into this file",
		"a { b c }\nd { e f }":              "extra.css:1:7: expected colon in declaration\nextra.css:2:7: expected colon in declaration",
		"\xff\x00{":                         "extra.css:1:1: this { has no matching }",
	} {
		got := ""
		if err := errors.Join(checkCSS("extra.css", []byte(text), false)...); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	text, err := os.ReadFile("../../templates/assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(checkCSS("style.css", text, true)...); err != nil {
		t.Error(err)
	}
}

func FuzzCheckCSS(f *testing.F) {
	f.Add([]byte("@media{a{b:url(c)}}/*"))
	f.Fuzz(func(t *testing.T, text []byte) { checkCSS("extra.css", text, false) })
}
