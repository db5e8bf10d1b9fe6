package site

import "slices"

// optionalFields lists the fields of an api.Project that the listings of a catalogue may lack, and
// the JSON keys that go with each.
var optionalFields = []struct {
	name string
	keys []string
}{
	{"platforms", []string{"platforms"}},
	{"language", []string{"language"}},
	{"license", []string{"license", "osiApproved"}},
	{"stars", []string{"stars", "starsAsOf"}},
	{"replaces", []string{"replaces"}},
	{"estimate", []string{"estimate"}},
	{"runsWith", []string{"runsWith"}},
	{"installLinks", []string{"installLinks", "advisories"}},    // links say which packages a listing has
	{"repositoryUrl", []string{"repositoryUrl", "osiApproved"}}, // only software is open source
	{"homepageUrl", []string{"homepageUrl"}},
	{"docsUrl", []string{"docsUrl"}},
	{"archived", []string{"archived"}},
	{"createdAt", []string{"createdAt"}},
	{"updatedAt", []string{"updatedAt", "upkeep", "upkeepAsOf"}},
	{"release", []string{"release"}},
	{"advisories", []string{"advisories"}},
}

// OptionalFields returns the possible values of [Settings.Without].
func OptionalFields() (names []string) {
	for _, f := range optionalFields {
		names = append(names, f.name)
	}
	return names
}

// NullableFields returns the possible values of [Settings.Optional]: fields that every listing must
// have, unless that setting names them.
func NullableFields() []string { return []string{"repositoryUrl"} }

// IsOptional reports whether a listing may leave out a field, one of NullableFields, which is then
// null in the API.
func (s *Settings) IsOptional(field string) bool { return slices.Contains(s.Optional, field) }

// Has reports whether listings have a field, one of OptionalFields.
func (s *Settings) Has(field string) bool { return !slices.Contains(s.Without, field) }

// IsSoftware reports whether listings are software, which has a repository.
func (s *Settings) IsSoftware() bool { return s.Has("repositoryUrl") }

// Wanted is the word of texts for agents for what a user wants of the catalogue: a job, or a wish if listings are
// no software.
func (s *Settings) Wanted() string {
	if s.IsSoftware() {
		return "job"
	}
	return "wish"
}

// HasKey reports whether listings have a JSON key, at least in one of the languages.
func (s *Settings) HasKey(key string) bool {
	if key == "untranslated" { // in all languages but the main one
		return len(s.Languages) > 0
	}
	return len(s.WithoutFor(key)) == 0
}

// WithoutFor returns the fields in the setting without because of which listings do not have a JSON key.
func (s *Settings) WithoutFor(key string) (fields []string) {
	for _, f := range optionalFields {
		if slices.Contains(f.keys, key) && !s.Has(f.name) {
			fields = append(fields, f.name)
		}
	}
	return fields
}
