package main

import (
	"cmp"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes the list of components in the format of CycloneDX. Properties of a component
// name the parts of the release that contain it. There is no serial number, because it would
// have to differ in each run.
func (b *build) writeSBOM(out string, components []*component) error {
	program := cyclonedx.Component{
		BOMRef: "catalog", Type: cyclonedx.ComponentTypeApplication,
		Name: "catalog", Version: b.version, Licenses: licenseOf("Apache-2.0"),
	}
	if b.revision.commit != "" {
		program.Properties = &[]cyclonedx.Property{{Name: "catalog:commit", Value: b.revision.commit}}
	}
	refs := map[string]string{}
	for _, c := range components {
		refs[c.name] = c.ref()
	}
	var direct []string
	listed, others := []cyclonedx.Component{}, []cyclonedx.Dependency{}
	for _, c := range components {
		kind := cyclonedx.ComponentTypeLibrary
		if c.name == scowl {
			kind = cyclonedx.ComponentTypeData
		}
		properties := []cyclonedx.Property{}
		for _, part := range slices.Sorted(maps.Keys(c.parts)) {
			properties = append(properties, cyclonedx.Property{Name: "catalog:part", Value: part})
		}
		listed = append(listed, cyclonedx.Component{
			BOMRef: c.ref(), Type: kind, Name: c.name, Version: c.version, Licenses: licenseOf(c.license),
			PackageURL: c.purl(), Properties: &properties,
		})
		if c.isDirect {
			direct = append(direct, c.ref())
		}
		needs := []string{}
		for _, name := range slices.Sorted(maps.Keys(c.needs)) {
			needs = append(needs, refs[name])
		}
		others = append(others, cyclonedx.Dependency{Ref: c.ref(), Dependencies: &needs})
	}
	list := cyclonedx.NewBOM()
	list.Metadata = &cyclonedx.Metadata{Timestamp: b.revision.time.Format(time.RFC3339), Component: &program}
	list.Components = &listed
	dependencies := append([]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &direct}}, others...)
	list.Dependencies = &dependencies
	list.Compositions = &[]cyclonedx.Composition{{
		Aggregate:  cyclonedx.CompositionAggregateComplete,
		Assemblies: &[]cyclonedx.BOMReference{cyclonedx.BOMReference(program.BOMRef)},
	}}
	return create(filepath.Join(out, b.name(".cdx.json")), func(w io.Writer) error {
		encoder := cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
		return encoder.EncodeVersion(list, cyclonedx.SpecVersion1_6)
	})
}

// purl returns the package URL of a module, which is in lower case for the type golang.
func (c *component) purl() string {
	if c.name == scowl {
		return ""
	}
	return "pkg:golang/" + strings.ToLower(c.name) + "@" + strings.ReplaceAll(c.version, "+", "%2B")
}

// ref returns the identifier of a component in the SBOM.
func (c *component) ref() string {
	return cmp.Or(c.purl(), c.name+"@"+c.version)
}

// licenseOf returns the licences of an expression in the form that CycloneDX uses.
func licenseOf(expression string) *cyclonedx.Licenses {
	switch {
	case strings.Contains(expression, " "):
		return &cyclonedx.Licenses{{Expression: expression}}
	case expression == scowl: // not in SPDX's list
		return &cyclonedx.Licenses{{License: &cyclonedx.License{Name: expression}}}
	}
	return &cyclonedx.Licenses{{License: &cyclonedx.License{ID: expression}}}
}
