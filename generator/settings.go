package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
)

// DefaultSettingsFile is the settings file that is read by default; it may be missing.
const DefaultSettingsFile = "catalog.yml"

// maxSettings bounds a settings file; listings have the same limit.
const maxSettings = 64 << 10

// LoadSettings reads the settings of a site: the defaults, overridden by the file and
// then by environment variables CATALOG_<KEY>. name is "" for DefaultSettingsFile.
// The error lists every mistake, a line each. The settings are not yet checked as a
// whole, because flags may still override them.
func LoadSettings(name string, lookupEnv func(string) (string, bool)) (site.Settings, error) {
	s := site.Defaults()
	optional := name == ""
	if optional {
		name = DefaultSettingsFile
	}
	text, err := regular.ReadText(name, maxSettings)
	unread, unreadable := errors.AsType[*regular.Error](err)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
	case unreadable && unread.Conflict > 0:
		return s, fmt.Errorf("%s:%d:1: %w", name, unread.Conflict, err)
	case unreadable:
		return s, fmt.Errorf("settings: %s %w; choose a settings file with --config", name, err)
	case err != nil:
		return s, fmt.Errorf("settings: %w; choose a settings file with --config", err)
	default:
		if err := decodeSettings(name, text, &s); err != nil {
			return s, err
		}
	}
	for _, folder := range []*string{&s.Overrides, &s.Static} {
		if *folder != "" && !filepath.IsAbs(*folder) {
			*folder = filepath.Join(filepath.Dir(name), *folder)
		}
	}
	if _, err = s.Override(lookupEnv); err != nil {
		return s, err
	}
	var wrong []error
	for _, w := range rule.CheckLevels(s.Rules) {
		wrong = append(wrong, fmt.Errorf("setting rules: %s: %s", w[0], w[1]))
	}
	return s, errors.Join(wrong...)
}

func decodeSettings(name string, text []byte, s *site.Settings) error {
	doc, problems := strictyaml.Parse(text, 1)
	if doc != nil {
		problems = doc.Decode(s)
		undecoded := map[int]bool{} // lines of values that were not decoded
		for _, p := range problems {
			undecoded[p.Line] = true
		}
		checked := *s // Settings changes its argument
		for _, p := range validate.Settings(&checked) {
			path := []any{p.Key}
			if p.Item > 0 {
				path = append(path, p.Item-1)
			}
			line, column := doc.Position(path...)
			if doc.Has(p.Key) && !undecoded[line] { // other values are defaults
				problems = append(problems, strictyaml.Problem{Line: line, Column: column, Message: p.Key + ": " +
					p.Message})
			}
		}
		for _, w := range rule.CheckLevels(s.Rules) {
			line, column := doc.Position("rules", w[0])
			problems = append(problems, strictyaml.Problem{Line: line, Column: column,
				Message: fmt.Sprintf("rules: %s: %s", w[0], w[1])})
		}
		slices.SortStableFunc(problems, func(a, b strictyaml.Problem) int { return a.Line - b.Line })
	}
	wrong := make([]error, len(problems))
	for i, p := range problems {
		wrong[i] = fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, p.Message)
	}
	return errors.Join(wrong...)
}
