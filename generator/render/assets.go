package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
	"catalog.example/api/spdx"
	"catalog.example/generator/memo"
)

// prepareAssets minifies the assets and names them by a hash. Pages need these names.
func (s *Shared) prepareAssets() error {
	if err := s.prepareEngine(); err != nil {
		return err
	}
	icon := func() ([]byte, error) { return fs.ReadFile(s.Site.Templates, "assets/icon.svg") }
	for _, a := range []struct {
		file string
		name *string
		text func() ([]byte, error)
	}{
		{"assets/style.css", &s.View.Style, s.style}, {"assets/app.js", &s.View.Script, s.script},
		{"assets/icon.svg", &s.View.Icon, icon},
	} {
		text, err := a.text()
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		if text, err = minified(s, a.file, text); err != nil {
			return err
		}
		*a.name = s.keep(a.file, text)
	}
	return nil
}

// keep keeps an asset under a name with its hash, which it returns.
func (s *Shared) keep(file string, text []byte) string {
	name := headers.HashedName(file, text)
	s.Assets[name] = text
	return name
}

// scripts lists the parts of the page code. Each part uses the parts before it.
var scripts = []string{"labels.js", "computer.js", "parts.js", "engine.js", "results.js", "places.js", "app.js"}

// modules lists the parts of the page code that pages load when they need them, and searchModules those
// of pages that search.
var (
	modules       = []string{"badge", "compare", "nearest", "saved"}
	searchModules = []string{"agents", "nothing", "suggest"}
)

// prepareModules keeps the modules as assets. It returns their paths by name, and the code of all,
// whose texts are among the labels of the page code.
func (s *Shared) prepareModules() (paths map[string]string, code []byte, err error) {
	paths = map[string]string{}
	names := slices.Clone(modules)
	if s.Settings.HasSearch() {
		names = append(names, searchModules...)
	}
	if s.Settings.KeepsOffline() {
		names = append(names, "offline")
	}
	if s.Settings.HasSuggestForm() {
		names = append(names, "propose")
	}
	for _, name := range names {
		text, path, err := s.module(name)
		if err != nil {
			return nil, nil, err
		}
		code, paths[name] = append(code, text...), path
	}
	return paths, code, nil
}

// module keeps a module of the page code as an asset, and returns its code and its path. The modules of
// the comparison and of the tools for agents begin with a constant.
func (s *Shared) module(name string) (code []byte, path string, err error) {
	file := "assets/" + name + ".js"
	if code, err = fs.ReadFile(s.Site.Templates, file); err != nil {
		return nil, "", fmt.Errorf("templates: %w", err)
	}
	var constant any
	switch name {
	case "compare":
		constant = s.newScriptSuits()
	case "agents":
		constant = s.newPageTools()
	}
	if constant != nil {
		value, err := json.Marshal(constant)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		code = fmt.Appendf(nil, "const %s = %s;\n%s", strings.ToUpper(name), value, code)
	}
	short, err := minified(s, file, code)
	if err != nil {
		return nil, "", err
	}
	return code, s.View.Base + "/" + s.keep(file, short), nil
}

// minified returns an asset without needless white space. Builds and previews keep the result.
func minified(s *Shared, file string, text []byte) ([]byte, error) {
	return memo.Of(s.Memo, memo.KeyOf("minified", []byte(file), text), func() ([]byte, error) {
		return s.Minify(file, text)
	})
}

// script returns the page code: its constants and parts, in one scope.
func (s *Shared) script() ([]byte, error) {
	instead := map[string]string{} // of parts that this catalogue does not use
	if !s.Content.Taxonomy.HasSetups() {
		instead["computer.js"] = "const COMPUTER = null;\n"
	}
	if s.Settings.Search != site.SearchInBrowser {
		instead["engine.js"] = "const ENGINE = null;\n"
	}
	if s.Content.Taxonomy.PlaceFact() == nil {
		instead["places.js"] = ""
	}
	var parts []byte
	for _, name := range scripts {
		if text, ok := instead[name]; ok {
			parts = append(parts, text...)
			continue
		}
		part, err := fs.ReadFile(s.Site.Templates, "assets/"+name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part...)
	}
	constants, err := s.scriptConstants(parts)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "(() => {\n\"use strict\";\nconst CATALOG = %s;\n%s})();\n", constants, parts), nil
}

// scriptText matches the texts of page code: the argument of t, and the second form of n.
var scriptText = regexp.MustCompile(`\bt\(("(?:[^"\\]|\\.)*")|\bn\([^"]+, "(?:[^"\\]|\\.)*", ("(?:[^"\\]|\\.)*")`)

// scriptLabels maps the English texts in some page code to the owner's texts. Texts may have only
// the escapes that Go and JavaScript share.
func (s *Shared) scriptLabels(code []byte) (map[string]any, error) {
	list := map[string]any{}
	for _, m := range scriptText.FindAllSubmatch(code, -1) {
		text, err := strconv.Unquote(string(m[1]) + string(m[2]))
		if err != nil {
			return nil, fmt.Errorf("page code: the text %s%s has an escape that Go does not have", m[1], m[2])
		}
		forms := s.Forms(text)
		if form, ok := forms[""]; ok {
			list[text] = form
		} else if forms != nil {
			list[text] = forms
		}
	}
	return list, nil
}

// scriptConstants returns, as JSON, the constants about the catalogue that page code uses.
func (s *Shared) scriptConstants(code []byte) ([]byte, error) {
	platforms := map[string]string{}
	for _, p := range s.Content.Taxonomy.Platforms {
		platforms[p.Slug] = p.Name
	}
	has := map[string]bool{}
	for _, field := range site.OptionalFields() {
		has[field] = s.Settings.Has(field)
	}
	has["platforms"], has["fit"] = s.View.HasPlatforms(), s.View.HasFit()
	delete(has, api.AdvisoriesKey) // which page code does not show
	facts := []scriptFact{}
	for _, f := range s.Content.Taxonomy.SearchFacts(&s.Settings) {
		facts = append(facts, s.newScriptFact(f))
	}
	paths, more, err := s.prepareModules()
	if err != nil {
		return nil, err
	}
	labels, err := s.scriptLabels(slices.Concat(code, more))
	if err != nil {
		return nil, err
	}
	constants := map[string]any{
		"labels": labels, "platforms": platforms, "has": has, "facts": facts,
		"base": s.View.Base, "compared": api.MaxCompared, "all": s.View.Base + s.allListings(),
		"families": s.licenseFamilies(), "modules": paths,
	}
	if s.Language != "" && len(s.Languages) > 0 {
		constants["main"] = s.Languages[0].Tag
		constants["home"] = strings.TrimSuffix(s.View.Base, "/"+s.Language)
	}
	if s.Settings.HasCards() {
		constants["cards"] = true
	}
	if len(s.logos.listings) > 0 {
		constants["logos"] = s.logos.suffix
	}
	if mark := s.decimal(); mark != "" {
		constants["decimal"] = mark
	}
	computer, err := s.computer()
	if err != nil {
		return nil, err
	}
	if computer != nil {
		constants["computer"] = computer
	}
	s.addSearchConstants(constants)
	value, err := json.Marshal(constants)
	if err != nil {
		return nil, fmt.Errorf("page code: %w", err)
	}
	return value, nil
}

// decimal returns the decimal mark of the figures of facts; "" for a point.
func (w *Words) decimal() string {
	if len(w.taxonomy.Facts) == 0 {
		return ""
	}
	return w.taxonomy.Facts[0].Decimal()
}

// addSearchConstants adds what page code needs to search.
func (s *Shared) addSearchConstants(constants map[string]any) {
	switch s.Settings.Search {
	case site.SearchByServer:
		address := cmp.Or(s.Settings.SearchURL, s.View.Base) + api.PathSearch
		constants["server"] = map[string]string{"url": address, "key": s.Settings.SandboxKey}
	case site.SearchInBrowser:
		constants["engine"] = s.View.Base + "/" + s.View.Engine
	}
	if s.Settings.HasSearch() {
		constants["only"] = api.ShowsOnly("{parameter}", "{value}")
	}
}

// licenseFamilies has the licences that each value of the filter finds, without the values that find
// only the licence of the same name.
func (s *Shared) licenseFamilies() map[string][]string {
	families := map[string][]string{}
	for _, l := range s.Listings {
		if l.License == nil {
			continue
		}
		e, _ := spdx.Parse(*l.License)
		for _, license := range e.Sufficient() {
			for _, key := range license.Keys() {
				if name := license.String(); !slices.Contains(families[key], name) {
					families[key] = append(families[key], name)
				}
			}
		}
	}
	maps.DeleteFunc(families, func(key string, found []string) bool {
		slices.Sort(found)
		return len(found) == 1 && strings.EqualFold(found[0], key)
	})
	return families
}

// allListings returns the path of the smallest file that has the names of all listings.
func (s *Shared) allListings() string {
	if len(s.Listings) < MinFiltered { // no list has a table
		return api.FilePath(api.PathProjects)
	}
	return "/newest/" + TableFile
}

// scriptFact is what page scripts know of a fact. Its tables have an entry for each value, as JSON
// writes it without quotation marks; for money, for each currency. The entry "" is for any other value, which {value}
// stands for.
type scriptFact struct {
	Key    string            `json:"key"`
	Kind   api.FactKind      `json:"kind"`
	Label  string            `json:"label"`
	Texts  map[string]string `json:"texts,omitempty"`  // the value in words
	Chips  map[string]string `json:"chips,omitempty"`  // what rows show of it
	Filter string            `json:"filter,omitempty"` // its parameter
	Match  string            `json:"match,omitempty"`  // how a filter compares figures
	Sort   api.Direction     `json:"sort,omitempty"`   // of its own order, which has the name of the key
	// Currency is the only one whose amounts are compared.
	Currency string              `json:"currency,omitempty"`
	Finds    map[string][]string `json:"finds,omitempty"` // the values of the filter that find it
	// Decides says whether people choose by it. Other facts are shown only if known.
	Decides bool `json:"decides,omitempty"`
	Derived bool `json:"derived,omitempty"` // it follows from the setups
	Field   bool `json:"field,omitempty"`   // it is a field of the listing, not of fitNotes
}

func (w *Words) newScriptFact(f *api.Fact) scriptFact {
	s := scriptFact{
		Key: f.Key, Kind: f.Kind, Label: w.FactLabel(f), Texts: map[string]string{}, Chips: map[string]string{},
		Decides: f.IsCriterion(), Derived: f.Derived != nil, Field: f.IsField(), Sort: f.Sort, Currency: f.Currency,
	}
	if f.Filter != nil {
		s.Filter, s.Match = f.Filter.Parameter, f.Filter.Match
		if f.Kind.IsNamed() {
			s.Finds = map[string][]string{"": {"{value}"}}
		}
	}
	add := func(key string, value any) {
		s.Texts[key] = w.FactText(f, value)
		for _, chip := range f.Chips(value) {
			s.Chips[key] = chip
		}
		if values := f.MatchingFilterValues(value); f.Filter != nil && !slices.Equal(values, []string{key}) {
			s.Finds[key] = values
		}
	}
	switch {
	case f.Kind == api.FactYesNo:
		add("true", true)
		add("false", false)
	case f.Kind == api.FactChoices:
		for _, slug := range f.Options() {
			add(slug, []string{slug})
		}
	case f.Kind.HasOptions():
		for _, slug := range f.Options() {
			add(slug, slug)
		}
	case !f.Kind.IsApart() && f.Kind != api.FactSetups:
		for key, text := range f.Patterns() {
			s.Texts[key] = text
			if chip := f.KnownChip(text); chip != "" {
				s.Chips[key] = chip
			}
		}
	}
	return s
}

// MinFiltered is the lowest number of listings at which a list has filters. A shorter list is
// faster to read than to filter.
const MinFiltered = 6

// SearchParameters returns the parameters of a search in this catalogue.
func (s *Shared) SearchParameters() []api.Parameter {
	return api.SearchParameters(&s.Settings, &s.Content.Taxonomy)
}
