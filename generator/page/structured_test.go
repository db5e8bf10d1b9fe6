package page

import (
	"fmt"
	"strings"
	"testing"

	"catalog.example/api"
)

// Forty platforms and a name of 64 letters are told whole to machines.
func TestStructuredDataOfExtremes(t *testing.T) {
	s := smallSite(t)
	var slugs []string
	for i := range 40 {
		slug := fmt.Sprintf("platform-%d", i)
		s.Content.Taxonomy.Platforms = append(s.Content.Taxonomy.Platforms, api.Platform{Slug: slug,
			Name: fmt.Sprintf("Platform </script> %d", i)})
		slugs = append(slugs, slug)
	}
	name := strings.Repeat("N", 64)
	add(s, "ant", func(p *api.ProjectDetail) { p.Name, p.Platforms = name, slugs })
	page := built(t, s)["projects/ant/index.html"]
	for _, want := range []string{`"name":"` + name + `"`, `Platform \u003c/script\u003e 39`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if n := strings.Count(page, "</script>"); n != 2 {
		t.Errorf("%d scripts end on the page", n)
	}
}

func TestLicenseAddress(t *testing.T) {
	for license, want := range map[string]string{
		"MIT": "https://spdx.org/licenses/MIT.html", "MIT OR Apache-2.0": "MIT OR Apache-2.0",
		"LicenseRef-Own": "LicenseRef-Own", "GPL-2.0+": "GPL-2.0+",
	} {
		if got := licenseAddress(license); got != want {
			t.Errorf("licenseAddress(%q) = %q, want %q", license, got, want)
		}
	}
}
