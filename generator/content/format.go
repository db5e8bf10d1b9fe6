package content

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
	"catalog.example/generator/canonical"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
)

// FrontMatter describes the front matter of a catalogue's listings: its facts, and which keys of
// api.ProjectDetail it uses.
type FrontMatter struct {
	settings *site.Settings
	taxonomy *api.Taxonomy
	form     canonical.Form
	// incomplete holds the names of the taxonomy files that could not be read completely.
	incomplete map[string]bool
	headings   []string // see Headings
}

// Headings returns the headings of a listing's text in the owner's words.
func (m *FrontMatter) Headings() []string {
	if len(m.headings) == len(api.Headings) {
		return m.headings
	}
	return api.Headings
}

// NewFrontMatter returns the front matter of a catalogue.
func NewFrontMatter(s *site.Settings, t *api.Taxonomy) *FrontMatter {
	m := &FrontMatter{settings: s, taxonomy: t}
	m.form = canonical.Form{
		Keys: slices.Concat(m.fields(), t.FactKeys(), fieldKeys[api.InstallLink](nil), []string{"file", "alt"},
			fieldKeys[hardware.Setup](nil),
			fieldKeys[hardware.Measured](nil), fieldKeys[hardware.Estimate](nil), fieldKeys[api.Release](nil),
			partKeys(), fieldKeys[api.Advisories](nil), fieldKeys[api.Advisory](nil),
			fieldKeys[api.AdvisedPackage](nil)),
		Dates: slices.Concat(fieldKeys[api.ProjectDetail](reflect.TypeFor[api.Date]()),
			fieldKeys[api.ProjectDetail](reflect.TypeFor[*api.Date]()),
			[]string{"release.date", "setups.measured.date", "advisories.read.asOf", "advisories.known.published",
				"advisories.known.modified"}),
		Inline: []string{"formerly", "alsoIn", "topics", "platforms", "setups.system", "estimate", "runsWith"},
		New:    func() any { return m.empty() },
	}
	for _, f := range t.Facts {
		path := factsKey + "." + f.Key
		stated := f.Kind.StatedType()
		if f.Kind.IsDated() {
			m.form.Dates = append(m.form.Dates, path, path+".from", path+".to")
		}
		switch {
		case f.Kind == api.FactChoices, f.Kind == api.FactRelation,
			stated.Kind() == reflect.Struct && !f.Kind.IsApart():
			m.form.Inline = append(m.form.Inline, path)
		}
	}
	return m
}

// partKeys returns the keys of the values of facts that are objects, as front matter states them.
func partKeys() (keys []string) {
	for _, kind := range api.FactKinds {
		if t := kind.StatedType(); t.Kind() == reflect.Struct {
			for _, f := range strictyaml.Fields(t) {
				keys = append(keys, f.Key)
			}
		}
	}
	return keys
}

// WrongTaxonomy says that the taxonomy in a folder has mistakes.
type WrongTaxonomy struct {
	Dir      string
	Findings []Finding
}

// Error implements error. It tells the first mistake.
func (w *WrongTaxonomy) Error() string {
	first := w.Findings[0]
	first.File = path.Join(filepath.ToSlash(w.Dir), first.File)
	return first.String()
}

// LoadFrontMatter returns the front matter of the catalogue in a folder. Of the taxonomy, it
// decodes only the definitions of facts, the sizes of models and the words. Mistakes are a *WrongTaxonomy.
func LoadFrontMatter(dir string, s *site.Settings) (*FrontMatter, error) {
	l := newLoader(Options{Dir: dir, Settings: *s})
	if _, err := l.readTaxonomy(); err != nil {
		return nil, err
	}
	t := &api.Taxonomy{Facts: l.facts()}
	l.taxonomyFile(ModelsFile, false, &t.Models)
	l.words(&t.Words)
	if HasErrors(l.findings) {
		return nil, &WrongTaxonomy{dir, l.findings}
	}
	m := NewFrontMatter(s, t)
	m.headings = l.taxonomy.headings
	return m, nil
}

// Has reports whether listings can have a key.
func (m *FrontMatter) Has(key string) bool { return hasKey(m.taxonomy, key) && m.settings.HasKey(key) }

// hasKey reports whether a taxonomy lets listings have a key.
func hasKey(t *api.Taxonomy, key string) bool {
	switch key {
	case api.SetupsKey, api.EstimateKey:
		return t.HasSetups()
	case api.RunsWithKey:
		return t.HasModels()
	}
	return true
}

// Requires reports whether each listing must have a value for a key, which is one of
// site.NullableFields.
func (m *FrontMatter) Requires(key string) bool { return m.Has(key) && !m.settings.IsOptional(key) }

// factsKey is the key under which listings state their facts.
const factsKey = "fitNotes"

// keysOfFacts lists the keys that a catalogue has only because of its facts.
var keysOfFacts = []string{factsKey, api.SetupsKey, api.EstimateKey, api.RunsWithKey}

// empty returns a pointer to an empty value to decode front matter into.
func (m *FrontMatter) empty() *api.ProjectDetail {
	return &api.ProjectDetail{Project: api.Project{FitNotes: api.UnknownFacts(m.taxonomy.Facts)}}
}

// fields returns the top-level keys of front matter.
func (m *FrontMatter) fields() []string {
	return slices.DeleteFunc(fieldKeys[api.ProjectDetail](nil), func(key string) bool { return !m.Has(key) })
}

// Keys returns the keys of front matter in canonical order. Keys of facts, such as
// fitNotes.docker, follow fitNotes.
func (m *FrontMatter) Keys() (list []string) {
	for _, key := range m.fields() {
		list = append(list, key)
		if key == factsKey {
			for i := range m.taxonomy.Facts {
				if f := &m.taxonomy.Facts[i]; f.IsStated() {
					list = append(list, factsKey+"."+f.Key)
				}
			}
		}
	}
	return list
}

// fieldKeys returns the keys of the fields of the struct T, in order. If kind is not nil, it
// returns only those of fields of that type.
func fieldKeys[T any](kind reflect.Type) (keys []string) {
	for _, f := range strictyaml.Fields(reflect.TypeFor[T]()) {
		if kind == nil || f.Type == kind {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Format returns a listing's file with its front matter in canonical form and with the given values
// set. The rest of the file does not change. Errors are of type *canonical.Error.
func (m *FrontMatter) Format(file []byte, settings ...canonical.Setting) ([]byte, error) {
	parts, message := splitFrontMatter(file)
	if m.incomplete[FactsFile] {
		message = fmt.Sprintf(
			"taxonomy/%s cannot be read, and no front matter can be written without it: correct it first", FactsFile)
	}
	if message != "" {
		return nil, unformatted(1, message)
	}
	text, err := m.form.Format(parts.frontMatter, frontMatterLine, settings...)
	if err != nil {
		return nil, err
	}
	start := bytes.IndexByte(file, '\n') + 1 // after the line ---
	return slices.Concat(file[:start], text, file[start+len(parts.frontMatter):]), nil
}

// FormatFile returns the text of a listing's file before and after formatting. Errors are of type
// *canonical.Error, or come from the file system.
func (m *FrontMatter) FormatFile(name string) (before, after []byte, err error) {
	before, err = regular.ReadText(name, maxListing)
	if wrong, ok := errors.AsType[*regular.Error](err); ok {
		return nil, nil, unformatted(max(wrong.Conflict, 1), wrong.Reason)
	}
	if err == nil {
		after, err = m.Format(before)
	}
	return before, after, err
}

// unformatted returns the error for front matter that cannot be formatted. line is where the reason
// is.
func unformatted(line int, reason string) error {
	return &canonical.Error{Problems: []strictyaml.Problem{{Line: line, Column: 1, Message: reason}}, Undecoded: true}
}
