package main

import (
	"os"
	"strings"
	"testing"
)

const bsd = `Copyright (c) 2011, Somebody Ltd. <https://example.com/>
All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are
permitted provided that the following conditions are met:

  1. Redistributions of source code must retain the above copyright notice, this list of
     conditions and the following disclaimer.
  2. Redistributions in binary form must reproduce the above copyright notice, this list of
     conditions and the following disclaimer in the documentation and/or other materials
     provided with the distribution.
  3. Neither the name of Somebody Ltd. nor the names of its contributors may be used to
     endorse or promote products derived from this software without specific prior written
     permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS
OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE
COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF
SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR
TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
`

func shippedLicence(t *testing.T, id string) string {
	t.Helper()
	text, err := licenceFiles.ReadFile("licences/" + id + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestClassify checks that known licences are told, and that a text with anything else in
// it is an error, however small the difference.
func TestClassify(t *testing.T) {
	t.Parallel()
	mit := shippedLicence(t, "MIT")
	text, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	apache := string(text)
	for _, c := range []struct{ title, text, want string }{
		{"MIT with its title", "MIT License\n\nCopyright (c) 2020 Somebody\n\n" + mit, "MIT"},
		{"MIT on one line", "Copyright 2016 Somebody\n" + strings.ReplaceAll(mit, "\n", " "), "MIT"},
		{"a BSD licence with numbers", bsd, "BSD-3-Clause"},
		{"a BSD licence with two conditions", bsd[:strings.Index(bsd, "  3.")] + bsd[strings.Index(bsd, "THIS SOFTWARE"):], "BSD-2-Clause"},
		{"the same licence twice in a row", bsd + bsd, "BSD-3-Clause"},
		{"Apache", apache, "Apache-2.0"},
		{"several", bsd + "\n-----\n\nFiles: s2/*\n\n" + apache + "\n-----\n" + mit, "Apache-2.0 BSD-3-Clause MIT"},
		{"nothing", "", ""},
		{"only a copyright", "Copyright (c) 2020 Somebody", ""},
		{"a name", "MIT License", ""},
		{"another licence", "Everybody may do what they like.", ""},
		{"an added condition", mit + "\nThe Software shall be used for Good, not Evil.\n", ""},
		{"a word less", strings.Replace(mit, "hereby ", "", 1), ""},
		{"a licence that is not allowed", "Licensed under the terms of the licence below.\n\n" + bsd[:strings.Index(bsd, "  3.")] + bsd[strings.Index(bsd, "THIS SOFTWARE"):], ""},
		{"a changed word", strings.Replace(bsd, "are\npermitted", "are not\npermitted", 1), ""},
		{"a condition less", bsd[:strings.Index(bsd, "  2.")] + bsd[strings.Index(bsd, "  3."):], ""},
		{"a licence cut short", apache[:len(apache)/2], ""},
	} {
		got, err := classify(c.text)
		if strings.Join(got, " ") != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.title, got, err, c.want)
		}
	}
}

// TestShippedLicencesAreKnown checks that the licences which we add are told.
func TestShippedLicencesAreKnown(t *testing.T) {
	t.Parallel()
	entries, err := licenceFiles.ReadDir("licences")
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d licences, %v", len(entries), err)
	}
	for _, e := range entries {
		id := strings.TrimSuffix(e.Name(), ".txt")
		if got, err := classify(shippedLicence(t, id)); err != nil || strings.Join(got, " ") != id {
			t.Errorf("%s is taken for %q, %v", id, got, err)
		}
	}
}
