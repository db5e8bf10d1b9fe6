//go:build linux

package build

import (
	"reflect"
	"strings"
	"testing"

	"catalog.example/api"
)

// The JSON of Hugo's listings must have every key of ours.
func TestHugoNamesEveryKey(t *testing.T) {
	text, err := hugoFiles.ReadFile("hugo/layouts/page.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[api.ProjectDetail](), reflect.TypeFor[api.Setup](), reflect.TypeFor[api.InstallLink]()} {
		for _, field := range reflect.VisibleFields(of) {
			key := field.Tag.Get("json")
			if key != "" && key != "-" && !strings.Contains(string(text), "\n\""+key+"\" ") {
				t.Errorf("page.json lacks the key %q of %v", key, of)
			}
		}
	}
}
