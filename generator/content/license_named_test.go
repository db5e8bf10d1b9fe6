package content

import (
	"strings"
	"testing"

	"catalog.example/api/spdx"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"
)

// TestLicenseNamed checks the common names of licences in lists.
func TestLicenseNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"MIT": "MIT", "mit": "MIT", "MIT License": "MIT", " Apache  2.0 ": "Apache-2.0", "Apache License 2.0": "Apache-2.0",
		"GPLv3": "GPL-3.0", "GPL-3.0": "GPL-3.0", "GPL-3.0+": "GPL-3.0-or-later", "gpl-2.0-only": "GPL-2.0-only",
		"GNU General Public License v3.0": "GPL-3.0", "AGPL-3.0": "AGPL-3.0", "BSD-3-Clause": "BSD-3-Clause",
		"BSD-3": "BSD-3-Clause", "CC0": "CC0-1.0", "CC-BY": "",
		"(mit OR Apache-2.0) and bsd-2-clause": "(MIT OR Apache-2.0) AND BSD-2-Clause", "LicenseRef-Own": "LicenseRef-Own",
		"Freeware": "", "proprietary": "", "": "", "GPL-3.0-or-later,...": "", "MIT AND (": "",
	} {
		got, wrong := LicenseNamed(text)
		if got != want || (wrong == "") != (want != "") {
			t.Errorf("%q is %q (%s), want %q", text, got, wrong, want)
		}
	}
}

// Two licences of the SPDX list never have the same spelling.
func TestSpellingsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, id := range spdxlicenses.GetLicenses() {
		spelling := strings.Join(spdx.Spelling(id), " ")
		if other, ok := seen[spelling]; ok || spelling == "" {
			t.Errorf("%s and %s: %q", other, id, spelling)
		}
		seen[spelling] = id
	}
}
