package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
)

// prepareAssets minifies the assets and names them by a hash. Pages need these names.
func (r *renderer) prepareAssets() error {
	if err := r.prepareEngine(); err != nil {
		return err
	}
	for _, a := range []struct {
		file string
		name *string
		text func() ([]byte, error)
	}{
		{"assets/style.css", &r.view.Style, r.style}, {"assets/app.js", &r.view.Script, r.script},
		{"assets/icon.svg", &r.view.Icon, func() ([]byte, error) { return fs.ReadFile(r.Templates, "assets/icon.svg") }},
	} {
		text, err := a.text()
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		var minified bytes.Buffer
		if err := r.minify(&minified, a.file, text); err != nil {
			return err
		}
		*a.name = headers.HashedName(a.file, minified.Bytes())
		r.asset[*a.name] = minified.Bytes()
	}
	return nil
}

// scripts are the parts of the page code, each of which uses those before it. computer.js is
// left out where listings have no setups.
var scripts = []string{"labels.js", "computer.js", "parts.js", "results.js", "compare.js", "app.js"}

// script returns the page code: its constants and parts, in one scope.
func (r *renderer) script() ([]byte, error) {
	var parts []byte
	for _, name := range scripts {
		if name == "computer.js" && !r.Content.Taxonomy.HasSetups() {
			parts = append(parts, "const COMPUTER = null;\n"...)
			continue
		}
		part, err := fs.ReadFile(r.Templates, "assets/"+name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part...)
	}
	constants, err := r.scriptConstants(parts)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "(() => {\n\"use strict\";\nconst CATALOG = %s;\n%s})();\n", constants, parts), nil
}

// scriptText matches the texts of page code: the argument of t, and the second form of n.
var scriptText = regexp.MustCompile(`\bt\(("(?:[^"\\]|\\.)*")|\bn\([^"]+, "(?:[^"\\]|\\.)*", ("(?:[^"\\]|\\.)*")`)

// scriptLabels returns the owner's texts of some page code by the English ones.
func (r *renderer) scriptLabels(code []byte) map[string]any {
	list := map[string]any{}
	for _, m := range scriptText.FindAllSubmatch(code, -1) {
		text, err := strconv.Unquote(string(m[1]) + string(m[2]))
		if err != nil { // it has escapes that Go does not have
			continue
		}
		forms := r.labels.Forms(text)
		if form, ok := forms[""]; ok {
			list[text] = form
		} else if forms != nil {
			list[text] = forms
		}
	}
	return list
}

// scriptConstants returns what page code knows of the catalogue, as JSON.
func (r *renderer) scriptConstants(code []byte) ([]byte, error) {
	platforms := map[string]string{}
	for _, p := range r.Content.Taxonomy.Platforms {
		platforms[p.Slug] = p.Name
	}
	has := map[string]bool{}
	for _, field := range site.OptionalFields() {
		has[field] = r.Settings.Has(field)
	}
	has["platforms"] = r.view.HasPlatforms()
	facts := []scriptFact{}
	for _, f := range r.Content.Taxonomy.SearchFacts(&r.Settings) {
		facts = append(facts, r.newScriptFact(f))
	}
	constants := map[string]any{"labels": r.scriptLabels(code), "platforms": platforms, "has": has, "facts": facts, "base": r.view.Base, "compared": maxCompared, "all": r.view.Base + r.allListings()}
	switch r.Settings.Search {
	case site.SearchByServer:
		constants["server"] = map[string]string{"url": cmp.Or(r.Settings.SearchURL, r.view.Base) + api.PathSearch, "key": r.Settings.SandboxKey}
	case site.SearchInBrowser:
		constants["engine"] = r.view.Base + "/" + r.view.Engine
	}
	if r.Settings.HasSearch() {
		constants["webmcp"] = map[string]any{"name": api.ToolSearch, "description": api.SearchToolDescription(&r.Settings), "inputSchema": openapi.SearchInputSchema(r.searchParameters())}
	}
	value, err := json.Marshal(constants)
	if err != nil {
		return nil, fmt.Errorf("page code: %w", err)
	}
	return value, nil
}

// allListings returns the path of the smallest file that has the names of all listings.
func (r *renderer) allListings() string {
	if len(r.Listings) < minFiltered { // no list has a table
		return api.FilePath(api.PathProjects)
	}
	return "/newest/" + tableFile
}

// scriptFact is the definition of a fact for page scripts, without the parts that only
// builds and searches need.
type scriptFact struct {
	Key    string              `json:"key"`
	Kind   api.FactKind        `json:"kind"`
	Label  string              `json:"label"`
	Unit   string              `json:"unit,omitempty"`
	Values map[string]string   `json:"values,omitempty"` // labels by slug
	Chip   map[string]string   `json:"chip,omitempty"`
	Filter string              `json:"filter,omitempty"` // its parameter
	Match  string              `json:"match,omitempty"`  // of a number with a filter
	Finds  map[string][]string `json:"finds,omitempty"`  // the options that each value of the filter of a choice finds, if not itself
	// Decides says whether people choose by it. Other facts are shown only if known.
	Decides bool `json:"decides,omitempty"`
	Derived bool `json:"derived,omitempty"` // it follows from the setups
	Field   bool `json:"field,omitempty"`   // it is a field of the listing, not of fitNotes
}

func (r *renderer) newScriptFact(f *api.Fact) scriptFact {
	s := scriptFact{Key: f.Key, Kind: f.Kind, Label: r.factLabel(f), Unit: f.Unit, Chip: f.Chip, Decides: f.IsCriterion(), Derived: f.Derived != nil, Field: f.IsField(), Values: map[string]string{}}
	for _, o := range f.Values {
		s.Values[o.Slug] = r.optionLabel(f, o.Label)
	}
	if f.Filter != nil {
		s.Filter, s.Match = f.Filter.Parameter, f.Filter.Match
		if f.IsOptionFlag() {
			s.Finds = map[string][]string{"0": f.Filter.Zero, "1": f.Filter.One}
		} else if len(f.Filter.Matches) > 0 {
			s.Finds = map[string][]string{}
			for _, value := range f.Options() {
				s.Finds[value] = f.Filter.Finds(value)
			}
		}
	}
	return s
}

func (r *renderer) assets() error {
	for name, content := range r.asset {
		if err := r.write(name, content); err != nil {
			return err
		}
	}
	return nil
}
