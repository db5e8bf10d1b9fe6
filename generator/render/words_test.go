package render

import (
	"strings"
	"testing"

	"catalog.example/api"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1 000", 12345: "12 345", 123456: "123 456",
		1234567: "1 234 567"} {
		if got := strings.ReplaceAll(Thousands(n), "\u00a0", " "); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestLicenseSlug(t *testing.T) {
	for license, want := range map[string]string{
		"MIT": "mit", "Apache-2.0": "apache-2-0", "MIT OR Apache-2.0": "mit-or-apache-2-0",
		"(MIT AND ISC) OR 0BSD": "mit-and-isc-or-0bsd",
		"LicenseRef-Fair.Use":   "licenseref-fair-use",
	} {
		if got := LicenseSlug(license); got != want {
			t.Errorf("LicenseSlug(%q) = %q, want %q", license, got, want)
		}
	}
}

func TestLicenseSentence(t *testing.T) {
	for license, want := range map[string]string{
		"AGPL-3.0-only": "Use and change it freely; if you pass on a changed version, or offer it over a network, offer its source under the same licence.",
		"MIT":           licenseTerms["ISC"], "LicenseRef-Own": ownTerms, "AGPL-3.0": licenseTerms["AGPL-3.0-only"], "Zimbra-1.4": listed,
		"DocumentRef-a:LicenseRef-Own":              ownTerms,
		"GPL-2.0-only WITH Classpath-exception-2.0": licenseTerms["GPL-3.0-only"] + " An exception widens this.",
		"MIT OR GPL-3.0-only": "Choose one of these: MIT: use, change and sell it, and build it into other products, even closed ones; keep the licence notice; " +
			"GPL-3.0-only: use and change it freely; if you pass on a changed version, pass on its source under the same licence.",
		"Apache-2.0 WITH LLVM-exception OR MIT": "Choose one of these: Apache-2.0 WITH LLVM-exception: use, change and sell it, and build it into other products, even closed ones; keep the notices. Patent rights are granted. An exception widens this; " +
			"MIT: use, change and sell it, and build it into other products, even closed ones; keep the licence notice.",
		"(MIT OR Apache-2.0) AND CC-BY-4.0":  mixedTerms,
		"MIT OR Apache-2.0 AND CC-BY-4.0":    mixedTerms,
		"LicenseRef-Own WITH LLVM-exception": ownTerms,
		"MIT AND LicenseRef-Own": "Different parts have different licences: MIT: use, change and sell it, and build it into other products, even closed ones; keep the licence notice; " +
			"LicenseRef-Own: its makers' own terms: read them before you build on it.",
	} {
		if got := (&Words{}).LicenseSentence(&api.Project{License: &license}); got != want {
			t.Errorf("%s: %q, want %q", license, got, want)
		}
	}
	if got := (&Words{}).LicenseSentence(&api.Project{}); got != noLicense {
		t.Errorf("no licence: %q", got)
	}
}

// No line breaks within names such as C++, and nothing but texts changes.
func TestNamesStayWhole(t *testing.T) {
	const page = `<title>C++</title><p title="C++">In C++ and notepad++, 1 ++ 2.</p><script>i++; j = a++ + b</script><svg><text>C++</text></svg><select><option>C++</option></select><pre><code>g++</code></pre>`
	const want = `<title>C++</title><p title="C++">In <span class="whole">C++</span> and <span class="whole">notepad++</span>, 1 ++ 2.</p><script>i++; j = a++ + b</script><svg><text>C++</text></svg><select><option>C++</option></select><pre><code><span class="whole">g++</span></code></pre>`
	if got := string(keepNamesWhole([]byte(page))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLicenseName(t *testing.T) {
	for expression, want := range map[string]string{
		"MIT": "MIT", "MIT OR Apache-2.0": "MIT OR Apache-2.0", "LicenseRef-Open-WebUI": "Open WebUI licence (custom)",
		"LicenseRef-Sustainable-Use-License":  "Sustainable Use License (custom)",
		"(MIT AND LicenseRef-Own-1.0) OR ISC": "(MIT AND Own 1.0 licence (custom)) OR ISC",
	} {
		if got := (&Words{}).LicenseName(expression); got != want {
			t.Errorf("LicenseName(%q) = %q, want %q", expression, got, want)
		}
	}
}

// A text of page code that could not be translated is an error, and not left in English.
func TestScriptTextsThatGoCannotRead(t *testing.T) {
	t.Parallel()
	_, err := new(Shared).scriptLabels([]byte(`say(t("It\/s here."))`))
	if err == nil || !strings.Contains(err.Error(), `"It\/s here."`) {
		t.Errorf("%v", err)
	}
}
