package main

import (
	"debug/buildinfo"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// readSBOM returns the SBOM of a release, and its text.
func readSBOM(t *testing.T, r released) (cyclonedx.BOM, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.out, "catalog_"+testVersion+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list cyclonedx.BOM
	decode(t, text, &list)
	return list, text
}

// TestSBOMIsValid checks an SBOM against the schema of CycloneDX 1.6, with the SPDX
// identifiers that it knows.
func TestSBOMIsValid(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	_, text := readSBOM(t, r)
	folder := filepath.Join("testdata", "cyclonedx", "node_modules", "@cyclonedx", "cyclonedx-library", "res", "schema")
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for address, name := range map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":           "bom-1.6",
		"http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json":     "spdx",
		"http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json": "jsf-0.82",
	} {
		f, err := os.Open(filepath.Join(folder, name+".SNAPSHOT.schema.json"))
		if err != nil {
			t.Fatalf("run make deps: %v", err)
		}
		schema, err := jsonschema.UnmarshalJSON(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(address, schema); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%#v", err)
	}
	// The schema notices mistakes.
	wrong := strings.Replace(string(text), `"id": "MIT"`, `"id": "MIT License"`, 1)
	if value, err = jsonschema.UnmarshalJSON(strings.NewReader(wrong)); err != nil || wrong == string(text) || schema.Validate(value) == nil {
		t.Errorf("a wrong licence is valid: %v", err)
	}
}

// TestSBOMListsWhatIsLinked compares the SBOM with the modules that the programs of the
// release name, and with the notices.
func TestSBOMListsWhatIsLinked(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	list, _ := readSBOM(t, r)
	folder := filepath.Join(unpack(t, filepath.Join(r.out, "catalog_"+testVersion+"_linux_amd64.tar.gz")), "catalog_"+testVersion+"_linux_amd64")
	info, err := buildinfo.ReadFile(filepath.Join(folder, "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	// What is no module of the program, but in the release.
	want := []string{
		"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		scowl + "@" + scowlVersion,
	}
	for _, m := range info.Deps {
		want = append(want, "pkg:golang/"+m.Path+"@"+m.Version)
	}
	if len(want) < 20 {
		t.Fatalf("only %q is linked", want)
	}
	text, err := os.ReadFile(filepath.Join(folder, notices))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	refs := map[string]bool{list.Metadata.Component.BOMRef: true}
	for _, c := range *list.Components {
		refs[c.BOMRef] = true
		if slices.Contains(*c.Properties, cyclonedx.Property{Name: "catalog:part", Value: "linux/amd64"}) {
			got = append(got, c.BOMRef)
		} else if c.Name != rootsModule {
			t.Errorf("%s is in the list, but not linked", c.BOMRef)
		}
		title := (&component{name: c.Name}).title() + " " + c.Version
		if n := strings.Count(string(text), "\n"+title); n < 2 {
			t.Errorf("the notices name %s %d times, and not in the list and above a licence", title, n)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the SBOM lists\n%q, but linked are\n%q", got, want)
	}
	for _, d := range *list.Dependencies {
		refsOf := []string{d.Ref}
		if d.Dependencies != nil {
			refsOf = append(refsOf, *d.Dependencies...)
		}
		for _, ref := range refsOf {
			if !refs[ref] {
				t.Errorf("%s depends on %s, which is not listed", d.Ref, ref)
			}
		}
	}
	if len(*list.Dependencies) != len(*list.Components)+1 {
		t.Errorf("%d of %d components have dependencies", len(*list.Dependencies), len(*list.Components))
	}
}

// TestNotices checks that each text is there once, and in full.
func TestNotices(t *testing.T) {
	t.Parallel()
	text := string(writeNotices("v1.0.0", []*component{
		{name: "example.com/a", version: "v1.0.0", license: "MIT", parts: map[string]bool{"linux/amd64": true}, texts: []text{{"LICENSE", "Do what you like.\n"}, {"NOTICE", "By A."}}},
		{name: "example.com/b", version: "v2.0.0", license: "MIT", parts: map[string]bool{"image": true}, texts: []text{{"sub/COPYING", "Do what you like."}}},
	}))
	for part, count := range map[string]int{
		"catalog v1.0.0 contains":                            1,
		"\nexample.com/a v1.0.0: MIT\n":                      1,
		"\nexample.com/b v2.0.0: MIT (only in the container": 1,
		"\nexample.com/a v1.0.0, LICENSE\nexample.com/b v2.0.0, sub/COPYING\n\nDo what you like.\n": 1,
		"Do what you like.":                         1,
		"\nexample.com/a v1.0.0, NOTICE\n\nBy A.\n": 1,
	} {
		if got := strings.Count(text, part); got != count {
			t.Errorf("%q is there %d times, want %d:\n%s", part, got, count, text)
		}
	}
}

// TestComponents lists what all six programs contain, without compiling them: each work
// has a known licence, and every exception in the tables is still used.
func TestComponents(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	b := build{options: options{root: filepath.Join("..", ".."), platforms: platforms}}
	all, err := b.components(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts, found := map[string]bool{}, map[string]*component{}
	for _, c := range all {
		found[c.name] = c
		for part := range c.parts {
			parts[part] = true
		}
	}
	if len(parts) != len(platforms)+2 {
		t.Errorf("the parts are %v", parts)
	}
	for name, also := range alsoUnder {
		if c := found[name]; c == nil || !strings.Contains(c.license, also.license) {
			t.Errorf("%s is not there, or not under %s: remove it from alsoUnder: %+v", name, also.license, c.license)
		}
	}
	text, err := os.ReadFile("../../api/search/english/english.go")
	if err != nil || !strings.Contains(string(text), "wamerican-small") || !strings.Contains(string(text), scowlVersion) {
		t.Errorf("package english does not name version %s of SCOWL: %v", scowlVersion, err)
	}
	// Windows and Linux differ.
	if c := found["github.com/inconshreveable/mousetrap"]; !maps.Equal(c.parts, map[string]bool{"windows/amd64": true, "windows/arm64": true}) {
		t.Errorf("mousetrap is in %v", c.parts)
	}
	if c := found["github.com/blevesearch/snowballstem"]; !c.parts["engine"] || !c.needs[standard] {
		t.Errorf("snowballstem is in %v and needs %v", c.parts, c.needs)
	}
	if c := found[rootsModule]; !maps.Equal(c.parts, map[string]bool{"image": true}) {
		t.Errorf("the certificates are in %v", c.parts)
	}
}

// TestPURL checks what a package URL may hold.
func TestPURL(t *testing.T) {
	t.Parallel()
	c := component{name: "github.com/BurntSushi/toml", version: "v1.0.0+incompatible"}
	if got := c.purl(); got != "pkg:golang/github.com/burntsushi/toml@v1.0.0%2Bincompatible" {
		t.Error(got)
	}
}
