package content

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"unicode"

	"catalog.example/api"
	"catalog.example/api/search"
	"go.yaml.in/yaml/v4"
)

// Draft is a listing to fill in.
type Draft struct {
	Slug string
	Text []byte // the whole file
}

//go:embed draft.md.tmpl
var draftText string

var draftTemplate = template.Must(template.New("draft").Funcs(template.FuncMap{"yaml": yamlScalar}).Parse(draftText))

// NewDraft returns a listing of that name and repository, with every key there
// is and a word on each, and unknown as the value of every fact.
func NewDraft(name, repositoryURL string, today api.Date) (Draft, error) {
	name = strings.TrimSpace(name)
	slug := Slug(name)
	if message := ValidSlug(slug); message != "" {
		return Draft{}, fmt.Errorf("name %q makes no file name: %s", name, message)
	}
	if message := checkAddress(repositoryURL); message != "" {
		return Draft{}, fmt.Errorf("repository %q %s", repositoryURL, message)
	}
	var out bytes.Buffer
	err := draftTemplate.Execute(&out, struct {
		Name, RepositoryURL string
		Today               api.Date
	}{name, repositoryURL, today})
	return Draft{slug, out.Bytes()}, err
}

// Slug makes a slug of a name: "Open WebUI" is "open-webui".
func Slug(name string) string {
	var b strings.Builder
	for _, r := range search.Fold(name) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case r == '+':
			b.WriteString("-plus-")
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
}

// yamlScalar writes a text as a YAML value on one line.
func yamlScalar(text string) (string, error) {
	out, err := yaml.Dump(text, yaml.WithLineWidth(-1))
	return strings.TrimSpace(string(out)), err
}
