package spdx_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/spdx"
)

// inBrackets returns an identifier in n pairs of brackets.
func inBrackets(n int) string { return strings.Repeat("(", n) + "MIT" + strings.Repeat(")", n) }

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text       string
		licenses   string // joined by commas; "" for an invalid expression
		and, or    bool
		sufficient string
	}{
		{text: "MIT", licenses: "MIT", sufficient: "MIT"},
		{text: "LicenseRef-Own", licenses: "LicenseRef-Own", sufficient: "LicenseRef-Own"},
		{text: "DocumentRef-a:LicenseRef-b", licenses: "DocumentRef-a:LicenseRef-b", sufficient: "DocumentRef-a:LicenseRef-b"},
		{text: " ( MIT) ", licenses: "MIT", sufficient: "MIT"},
		{text: "MIT OR Apache-2.0", licenses: "MIT,Apache-2.0", or: true, sufficient: "MIT,Apache-2.0"},
		{text: "MIT AND Apache-2.0", licenses: "MIT,Apache-2.0", and: true},
		{text: "mit or apache-2.0 And isc", licenses: "mit,apache-2.0,isc", and: true, or: true, sufficient: "mit"},
		{text: "MIT OR MIT", licenses: "MIT,MIT", or: true, sufficient: "MIT"},
		{text: "MIT OR (Apache-2.0 AND BSD-3-Clause)", licenses: "MIT,Apache-2.0,BSD-3-Clause", and: true, or: true, sufficient: "MIT"},
		{text: "(MIT OR Apache-2.0) AND BSD-3-Clause", licenses: "MIT,Apache-2.0,BSD-3-Clause", and: true, or: true},
		{text: "(MIT OR Zlib) AND MIT", licenses: "MIT,Zlib,MIT", and: true, or: true, sufficient: "MIT"},
		{text: "(MIT)OR(ISC)", licenses: "MIT,ISC", or: true, sufficient: "MIT,ISC"},
		{text: "GPL-2.0-only with Classpath-exception-2.0 OR MIT", licenses: "GPL-2.0-only WITH Classpath-exception-2.0,MIT", or: true, sufficient: "GPL-2.0-only WITH Classpath-exception-2.0,MIT"},
		{text: "GPL-2.0-only WITH Classpath-exception-2.0 AND MIT", licenses: "GPL-2.0-only WITH Classpath-exception-2.0,MIT", and: true},
		{text: inBrackets(100), licenses: "MIT", sufficient: "MIT"},
		{text: inBrackets(101)},
		{text: strings.Repeat("(", 1e6) + "MIT"},
		{text: ""}, {text: "()"}, {text: "((MIT"}, {text: "MIT)"}, {text: "MIT ISC"}, {text: "(MIT) ISC"},
		{text: "MIT OR"}, {text: "OR MIT"}, {text: "MIT OR OR ISC"}, {text: "MIT WITH"}, {text: "MIT WITH (ISC)"}, {text: "MIT WITH OR"}, {text: "(MIT) WITH x"}, {text: "and"}, {text: "DocumentRef-a"}, {text: "DocumentRef-a:"}, {text: "MIT OR DocumentRef-a:MIT"},
	} {
		e, ok := spdx.Parse(test.text)
		if ok != (test.licenses != "") || join(e.Licenses) != test.licenses || join(e.Sufficient()) != test.sufficient || e.Has(spdx.And) != test.and || e.Has(spdx.Or) != test.or {
			t.Errorf("%.60q: %t, licences %q, sufficient %q, AND %t, OR %t", test.text, ok, join(e.Licenses), join(e.Sufficient()), e.Has(spdx.And), e.Has(spdx.Or))
		}
	}
}

func join(licenses []spdx.License) string {
	var texts []string
	for _, l := range licenses {
		texts = append(texts, l.String())
	}
	return strings.Join(texts, ",")
}

func TestJudge(t *testing.T) {
	for text, want := range map[string]spdx.Truth{
		"yes": spdx.Yes, "unknown": spdx.Unknown, "no": spdx.No, "no WITH x": spdx.No,
		"yes OR no": spdx.Yes, "no OR no": spdx.No, "no OR unknown": spdx.Unknown, "unknown OR yes": spdx.Yes,
		"yes AND no": spdx.No, "yes AND yes": spdx.Yes, "yes AND unknown": spdx.Unknown, "unknown AND no": spdx.No,
		"yes OR no AND no": spdx.Yes, "(yes OR no) AND no": spdx.No, "no AND no OR yes": spdx.Yes, "(unknown OR no) AND yes AND yes": spdx.Unknown,
		"yes AND": spdx.Unknown,
	} {
		e, _ := spdx.Parse(text)
		got := e.Judge(func(l spdx.License) spdx.Truth {
			return map[string]spdx.Truth{"yes": spdx.Yes, "no": spdx.No, "unknown": spdx.Unknown, "": spdx.Unknown}[l.ID]
		})
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestFamily(t *testing.T) {
	for id, want := range map[string]string{
		"MIT": "mit", "AGPL-3.0": "agpl-3.0", "AGPL-3.0-only": "agpl-3.0", "agpl-3.0-OR-later": "agpl-3.0", "AFL-3.0+": "afl-3.0", "LicenseRef-Own": "licenseref-own",
	} {
		if got := (spdx.License{ID: id, Exception: "x"}).Family(); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestSingleID(t *testing.T) {
	for text, want := range map[string]string{
		"MIT": "MIT", "((MIT))": "MIT", "AFL-3.0+": "AFL-3.0+", "LicenseRef-Own": "", "DocumentRef-a:LicenseRef-b": "",
		"GPL-2.0-only WITH Classpath-exception-2.0": "", "MIT OR ISC": "", "MIT OR MIT": "", "MIT ISC": "", "": "",
	} {
		e, _ := spdx.Parse(text)
		if got, ok := e.SingleID(); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t, want %q", text, got, ok, want)
		}
	}
}

// FuzzParse checks that an expression keeps every token of the text, and that its tokens
// parse to the same expression.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"MIT", "(MIT OR Apache-2.0) AND BSD-3-Clause", "GPL-2.0-only with x\tor LicenseRef-Own", "((((", "MIT WITH", "a)(b", strings.Repeat("(", 200) + "MIT"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, ok := spdx.Parse(text)
		if !ok {
			if !reflect.DeepEqual(e, spdx.Expression{}) {
				t.Errorf("%q is not valid, but parses to %+v", text, e)
			}
			return
		}
		// Brackets need no white space around them, so that only white space may differ.
		if got, want := strings.Join(e.Tokens, ""), strings.Join(strings.Fields(text), ""); got != want {
			t.Errorf("%q has the tokens %q", text, e.Tokens)
		}
		if reparsed, ok := spdx.Parse(strings.Join(e.Tokens, " ")); !ok || !reflect.DeepEqual(reparsed, e) {
			t.Errorf("%q parses again to %+v, not %+v", text, reparsed, e)
		}
		words := slices.DeleteFunc(slices.Clone(e.Tokens), func(token string) bool {
			_, isOperator := spdx.Operator(token)
			return isOperator || token == "(" || token == ")"
		})
		var identifiers []string
		for _, l := range e.Licenses {
			identifiers = append(identifiers, l.ID)
			if l.Exception != "" {
				identifiers = append(identifiers, l.Exception)
			}
		}
		if !slices.Equal(words, identifiers) {
			t.Errorf("%q has the identifiers %q, and the licences %q", text, words, e.Licenses)
		}
		for _, l := range e.Sufficient() {
			if !slices.Contains(e.Licenses, l) {
				t.Errorf("%q: %s suffices, which it does not have", text, l)
			}
		}
	})
}

func TestSpelling(t *testing.T) {
	for want, names := range map[string][]string{
		"gpl 3 or later": {"GPL-3.0-or-later", "GPL-3.0+", "gplv3+", "GPL v3 or later", "GNU General Public License v3.0 or later"},
		"gpl 3":          {"GPL-3.0", "GPLv3", "gpl3", "GPL 3", "The GNU General Public License, version 3"},
		"gpl 3 only":     {"GPL-3.0-only"},
		"agpl 3":         {"AGPL-3.0", "AGPLv3", "GNU Affero General Public License v3.0"},
		"lgpl 2 1":       {"LGPL-2.1", "LGPLv2.1", "GNU Lesser General Public License 2.1"},
		"apache 2":       {"Apache-2.0", "Apache 2", "apache2", "Apache License 2.0", "Apache License, Version 2.0"},
		"mit":            {"MIT", "MIT License", "the MIT licence"},
		"mit 0":          {"MIT-0"},
		"bsd 3":          {"BSD-3-Clause", "BSD 3-Clause", "3-clause BSD license"},
		"mpl 2":          {"MPL-2.0", "Mozilla Public License 2.0"},
		"cc by nc 4":     {"CC-BY-NC-4.0", "CC BY-NC 4.0"},
		"unlicense":      {"Unlicense", "The Unlicense"},
		"":               {"", "License", "-"},
	} {
		for _, name := range names {
			if got := strings.Join(spdx.Spelling(name), " "); got != want {
				t.Errorf("%q: got %q, want %q", name, got, want)
			}
		}
	}
}
