package content

import (
	"bytes"
	"errors"
	"reflect"
	"slices"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/regular"
	"catalog.example/generator/strictyaml"
)

// form is how front matter is written.
var form = canonical.Form{
	Keys:   slices.Concat(fieldKeys[api.ProjectDetail](nil), fieldKeys[api.FitNotes](nil), fieldKeys[api.InstallLink](nil)),
	Days:   slices.Concat(fieldKeys[api.ProjectDetail](reflect.TypeFor[api.Date]()), fieldKeys[api.ProjectDetail](reflect.TypeFor[*api.Date]())),
	Inline: []string{"alsoIn", "topics", "platforms"},
	New:    func() any { return new(api.ProjectDetail) },
}

// fieldKeys returns the keys of a struct whose fields have a type, or all, in order.
func fieldKeys[T any](kind reflect.Type) (keys []string) {
	for _, f := range strictyaml.Fields(reflect.TypeFor[T]()) {
		if kind == nil || f.Type == kind {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Format returns a listing's file with its front matter in the canonical form, and
// values set in it. All else stays byte for byte. Errors are of type
// *canonical.Error.
func Format(file []byte, settings ...canonical.Setting) ([]byte, error) {
	parts, message := splitFrontMatter(file)
	if message != "" {
		return nil, unformatted(message)
	}
	text, err := form.Format(parts.frontMatter, frontMatterLine, settings...)
	if err != nil {
		return nil, err
	}
	start := bytes.IndexByte(file, '\n') + 1 // behind the first ---
	return slices.Concat(file[:start], text, file[start+len(parts.frontMatter):]), nil
}

// FormatFile returns a listing's file as it is and formatted. The error is of type
// *canonical.Error, or of the file system.
func FormatFile(name string) (before, after []byte, err error) {
	before, err = regular.ReadFile(name, maxListing)
	if other := (*regular.Error)(nil); errors.As(err, &other) {
		return nil, nil, unformatted(other.Reason)
	}
	if err == nil {
		after, err = Format(before)
	}
	return before, after, err
}

// unformatted tells why a file has no front matter that can be formatted.
func unformatted(reason string) error {
	return &canonical.Error{Problems: []strictyaml.Problem{{Line: 1, Column: 1, Message: reason}}, Unread: true}
}
