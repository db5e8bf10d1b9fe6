package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// The parts of CycloneDX 1.6 that the SBOM has (https://cyclonedx.org/docs/1.6/json/).
type (
	bom struct {
		Schema       string           `json:"$schema"`
		Format       string           `json:"bomFormat"`
		SpecVersion  string           `json:"specVersion"`
		Version      int              `json:"version"`
		Metadata     bomMetadata      `json:"metadata"`
		Components   []bomComponent   `json:"components"`
		Dependencies []bomDependency  `json:"dependencies"`
		Compositions []bomComposition `json:"compositions"`
	}
	bomMetadata struct {
		Timestamp string       `json:"timestamp"`
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Ref        string        `json:"bom-ref"`
		Type       string        `json:"type"`
		Name       string        `json:"name"`
		Version    string        `json:"version"`
		Licenses   []bomLicense  `json:"licenses"`
		PURL       string        `json:"purl,omitempty"`
		Properties []bomProperty `json:"properties,omitempty"`
	}
	// bomLicense has one of the two.
	bomLicense struct {
		License    *bomLicenseName `json:"license,omitempty"`
		Expression string          `json:"expression,omitempty"`
	}
	bomLicenseName struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
	bomComposition struct {
		Aggregate  string   `json:"aggregate"`
		Assemblies []string `json:"assemblies"`
	}
)

// writeSBOM writes the list of components in the format of CycloneDX. A property says
// which parts of the release contain each. There is no serial number, because it would
// have to differ in each run.
func (b *build) writeSBOM(out string, components []component) error {
	program := bomComponent{Ref: "catalog", Type: "application", Name: "catalog", Version: b.version, Licenses: licenseOf("Apache-2.0")}
	if b.revision.commit != "" {
		program.Properties = []bomProperty{{"catalog:commit", b.revision.commit}}
	}
	list := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata:     bomMetadata{b.revision.time.Format(time.RFC3339), program},
		Compositions: []bomComposition{{"complete", []string{program.Ref}}},
	}
	refs := map[string]string{}
	for _, c := range components {
		refs[c.name] = c.ref()
	}
	own := bomDependency{Ref: program.Ref}
	var others []bomDependency
	for _, c := range components {
		kind := "library"
		if c.isData {
			kind = "data"
		}
		entry := bomComponent{Ref: c.ref(), Type: kind, Name: c.name, Version: c.version, Licenses: licenseOf(c.license), PURL: c.purl()}
		for _, part := range c.parts {
			entry.Properties = append(entry.Properties, bomProperty{"catalog:part", part})
		}
		list.Components = append(list.Components, entry)
		if c.isDirect {
			own.DependsOn = append(own.DependsOn, c.ref())
		}
		d := bomDependency{c.ref(), []string{}}
		for _, name := range c.needs {
			d.DependsOn = append(d.DependsOn, refs[name])
		}
		others = append(others, d)
	}
	list.Dependencies = append([]bomDependency{own}, others...)
	return create(filepath.Join(out, b.name(".cdx.json")), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(list)
	})
}

// purl returns the package URL of a module. The type golang has small letters only.
func (c component) purl() string {
	if c.isData {
		return ""
	}
	return "pkg:golang/" + strings.ToLower(c.name) + "@" + strings.ReplaceAll(c.version, "+", "%2B")
}

// ref returns the identifier of a component in the SBOM.
func (c component) ref() string {
	if p := c.purl(); p != "" {
		return p
	}
	return c.name + "@" + c.version
}

// licenseOf returns licences in the form of CycloneDX.
func licenseOf(expression string) []bomLicense {
	switch {
	case strings.Contains(expression, " "):
		return []bomLicense{{Expression: expression}}
	case expression == scowl: // not in SPDX's list
		return []bomLicense{{License: &bomLicenseName{Name: expression}}}
	}
	return []bomLicense{{License: &bomLicenseName{ID: expression}}}
}
