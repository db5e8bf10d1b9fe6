package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
)

// prepareAssets minifies the assets and names them by a hash. Pages need these names.
func (r *renderer) prepareAssets() error {
	for _, a := range []struct {
		file string
		name *string
	}{
		{"assets/style.css", &r.view.Style}, {"assets/icon.svg", &r.view.Icon}, {"assets/app.js", &r.view.Script},
	} {
		text, err := fs.ReadFile(r.Templates, a.file)
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		if a.file == "assets/app.js" {
			before, err := r.scriptConstants()
			if err != nil {
				return err
			}
			text = append(before, text...)
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

// scriptConstants returns what stands before app.js: the constants CATALOG and COMPUTER.
func (r *renderer) scriptConstants() ([]byte, error) {
	searchURL := r.Settings.SearchURL
	if searchURL == "" {
		searchURL = r.view.Base
	}
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
	for i := range r.Content.Taxonomy.Facts {
		facts = append(facts, newScriptFact(&r.Content.Taxonomy.Facts[i]))
	}
	value, err := json.Marshal(map[string]any{
		"platforms": platforms, "has": has, "facts": facts,
		"base": r.view.Base, "searchUrl": searchURL, "key": r.Settings.SandboxKey,
		"webmcp": map[string]any{"name": api.ToolSearch, "description": api.SearchToolDescription(&r.Settings), "inputSchema": openapi.SearchInputSchema(r.searchParameters())},
	})
	if err != nil {
		return nil, fmt.Errorf("page code: %w", err)
	}
	computer := []byte("const COMPUTER = null;\n")
	if r.Content.Taxonomy.HasSetups() {
		if computer, err = fs.ReadFile(r.Templates, "assets/computer.js"); err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
	}
	return append(fmt.Appendf(nil, "const CATALOG = %s;\n", value), computer...), nil
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
	Match  string              `json:"match,omitempty"` // of a number with a filter
	Finds  map[string][]string `json:"finds,omitempty"` // the values that 0 and 1 find, of a choice
	// Decides says whether people choose by it. Other facts are shown only if known.
	Decides bool `json:"decides,omitempty"`
	Derived bool `json:"derived,omitempty"` // it follows from the setups
}

func newScriptFact(f *api.Fact) scriptFact {
	s := scriptFact{Key: f.Key, Kind: f.Kind, Label: f.Label, Unit: f.Unit, Chip: f.Chip, Decides: f.IsCriterion(), Derived: f.Derived != nil, Values: map[string]string{}}
	for _, o := range f.Values {
		s.Values[o.Slug] = o.Label
	}
	if f.Filter != nil {
		s.Match = f.Filter.Match
		if f.IsOptionFlag() {
			s.Finds = map[string][]string{"0": f.Filter.Zero, "1": f.Filter.One}
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
