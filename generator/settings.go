package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
)

// DefaultSettingsFile is the settings file that is read where none is named; it
// may be missing.
const DefaultSettingsFile = "catalog.yml"

// maxSettings bounds a settings file, as large as the longest listing.
const maxSettings = 64 << 10

// LoadSettings reads the settings of a site: the defaults, replaced by what
// stands in the file, replaced by environment variables CATALOG_<KEY>. name is
// "" for DefaultSettingsFile. The error names every mistake, a line each. The
// settings are not checked yet: flags may still replace them.
func LoadSettings(name string, lookupEnv func(string) (string, bool)) (site.Settings, error) {
	s := site.Defaults()
	optional := name == ""
	if optional {
		name = DefaultSettingsFile
	}
	text, err := regular.ReadFile(name, maxSettings)
	var other *regular.Error
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &other):
		return s, fmt.Errorf("settings: %s %w; name a settings file with --config", name, err)
	case err != nil:
		return s, fmt.Errorf("settings: %w; name a settings file with --config", err)
	default:
		if err := decodeSettings(name, text, &s); err != nil {
			return s, err
		}
	}
	if s.Overrides != "" && !filepath.IsAbs(s.Overrides) {
		s.Overrides = filepath.Join(filepath.Dir(name), s.Overrides)
	}
	_, err = s.Override(lookupEnv)
	return s, err
}

func decodeSettings(name string, text []byte, s *site.Settings) error {
	doc, wrong := strictyaml.Parse(text, 1)
	if doc != nil {
		wrong = doc.Decode(s)
	}
	if doc != nil {
		undecoded := map[int]bool{} // lines of values that say nothing
		for _, p := range wrong {
			undecoded[p.Line] = true
		}
		checked := *s // validate tidies addresses
		for _, p := range validate.Settings(&checked) {
			path := []any{p.Key}
			if p.Item > 0 {
				path = append(path, p.Item-1)
			}
			line, column := doc.Position(path...)
			if doc.Has(p.Key) && !undecoded[line] { // the others are defaults, or come from elsewhere
				wrong = append(wrong, strictyaml.Problem{Line: line, Column: column, Message: p.Key + ": " + p.Message})
			}
		}
		slices.SortStableFunc(wrong, func(a, b strictyaml.Problem) int { return a.Line - b.Line })
	}
	if len(wrong) == 0 {
		return nil
	}
	lines := make([]string, len(wrong))
	for i, p := range wrong {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", name, p.Line, p.Column, p.Message)
	}
	return errors.New(strings.Join(lines, "\n"))
}
