//go:build linux

package build

import (
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
)

// The JSON of Hugo's listings must have every key of ours.
func TestHugoNamesEveryKey(t *testing.T) {
	text, err := hugoFiles.ReadFile("hugo/layouts/page.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[api.ProjectDetail](), reflect.TypeFor[hardware.Setup](), reflect.TypeFor[api.InstallLink]()} {
		for _, field := range reflect.VisibleFields(of) {
			key := field.Tag.Get("json")
			if key == api.AdvisoriesKey || strings.HasSuffix(key, ",omitzero") {
				continue // the listings that are compared do not have these
			}
			if key != "" && key != "-" && !strings.Contains(string(text), "\n\""+key+"\" ") {
				t.Errorf("page.json lacks the key %q of %v", key, of)
			}
		}
	}
}

var (
	paramRead    = regexp.MustCompile(`\$p\.([a-z]+)`)
	paramWritten = regexp.MustCompile(`(?m)^([A-Za-z]+):`)
)

// Hugo takes a parameter that front matter lacks for null, and says nothing.
func TestHugoReadsWhatIsWritten(t *testing.T) {
	loaded, err := shipped.Content(t.Context(), "../../../content")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for p := range synthetic.Listings(synthetic.Options{Count: 20, Taxonomy: &loaded.Taxonomy}) {
		for _, m := range paramWritten.FindAllStringSubmatch(hugoFrontMatter(&p, &loaded.Taxonomy, 1, 1), -1) {
			written[strings.ToLower(m[1])] = true
		}
	}
	layouts, err := hugoFiles.ReadDir("hugo/layouts")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, layout := range layouts {
		if !strings.HasPrefix(layout.Name(), "page.") {
			continue
		}
		text, err := hugoFiles.ReadFile(path.Join("hugo/layouts", layout.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range paramRead.FindAllStringSubmatch(string(text), -1) {
			if read++; !written[m[1]] {
				t.Errorf("%s reads %s, which front matter lacks", layout.Name(), m[1])
			}
		}
	}
	if read == 0 {
		t.Error("no page reads front matter")
	}
}
